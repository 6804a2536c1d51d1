"""``winoqueer-nl statistics``: all tables of results from finished score runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("statistics")(statistics)


def statistics(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN]...", help="Folders of finished score runs; none is fine."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the tables (CSV, Markdown, LaTeX).")] = Path("results/tables"),
    results: Annotated[Path, typer.Option(help="Where <language>/<edition>/pairs.parquet stands.")] = Path("results"),
    pairs: Annotated[
        list[Path] | None,
        typer.Option(help="Pairs file that was scored, if it stands elsewhere; repeatable."),
    ] = None,
    languages: Annotated[str, typer.Option(help="Two languages to compare: the first minus the second.")] = "nl,en",
    resamples: Annotated[int, typer.Option(min=100, help="Resamples of the cluster bootstrap.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 1,
    confidence: Annotated[float, typer.Option(min=0.5, max=0.999, help="Confidence of the intervals.")] = 0.95,
) -> None:
    """Make all tables of results: bias with intervals that allow for shared stereotypes, tests, comparisons."""
    from tqdm import tqdm

    from winoqueer_nl.problems import InputError, Problem, quoted
    from winoqueer_nl.statistics.bootstrap import Settings
    from winoqueer_nl.statistics.runs import read_runs
    from winoqueer_nl.statistics.tables import make_tables, write_tables

    names = [name.strip() for name in languages.split(",") if name.strip()]
    if len(names) != 2 or len(set(names)) != 2:
        raise InputError([Problem("--languages", quoted(languages), "two languages", "For example: --languages nl,en")])
    read = read_runs(runs or [], results, pairs or [])
    with tqdm(total=len(read) + (len(read) > 1), unit="step", desc="statistics", disable=None) as bar:

        def progress(what: str) -> None:
            bar.set_postfix_str(what)
            bar.update()

        tables = make_tables(read, Settings(resamples, seed, confidence), (names[0], names[1]), progress)
    written = write_tables(tables, out)
    typer.echo(f"{len(read)} runs: {len(written)} files in {out}")
