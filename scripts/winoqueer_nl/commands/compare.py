"""``winoqueer-nl compare``: the main results of score runs in the terminal."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How to print."""

    table = "table"
    json = "json"
    markdown = "markdown"
    latex = "latex"


class Policy(StrEnum):
    """Which tokens were scored."""

    published = "published"
    slot = "slot"


class SubsetName(StrEnum):
    """Which part of the set."""

    all = "all"
    tier_1_2 = "tier_1_2"
    tier_1 = "tier_1"
    new = "new"
    tier_1_only = "tier_1_only"
    tier_2_only = "tier_2_only"
    tier_3_only = "tier_3_only"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of score runs.")],
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.table,
    policy: Annotated[Policy, typer.Option(help="Which tokens were scored.")] = Policy.published,
    subset: Annotated[SubsetName, typer.Option(help="Which part of the set.")] = SubsetName.all,
    results: Annotated[Path, typer.Option(help="Where <language>/<edition>/pairs.parquet stands.")] = Path("results"),
    pairs: Annotated[
        list[Path] | None,
        typer.Option(help="Pairs file that was scored, if it stands elsewhere; repeatable."),
    ] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Resamples of the cluster bootstrap.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 1,
) -> None:
    """Print the main table: bias per model and identity, and the differences between models.

    A run needs its summary.json, which scoring writes at its end: let a stopped run finish first, with the same
    command. If scores.parquet holds fewer pairs than summary.json counts, those are compared and a line says so.
    """
    from winoqueer_nl.statistics import overview
    from winoqueer_nl.statistics.bootstrap import Settings
    from winoqueer_nl.statistics.runs import read_runs

    read = read_runs(runs, results, pairs or [], partial=True)
    made = overview.overview(read, policy.value, subset.value, Settings(resamples, seed))
    typer.echo(overview.render(made, format.value), nl=False)
    for note in made.notes:
        typer.echo(f"Note: {note}", err=True)
