"""``winoqueer-nl report``: the page with all results, and the plots as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winoqueer_nl.commands.compare import Policy


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    results: Annotated[Path, typer.Option(help="Folder of all results.")] = Path("results"),
    language: Annotated[str, typer.Option(help="Language of the page's own set.")] = "nl",
    edition: Annotated[str, typer.Option(help="Edition of the page's own set.")] = "1.0.0",
    tables: Annotated[Path | None, typer.Option(help="Tables.  [default: RESULTS/tables]")] = None,
    survey: Annotated[
        Path | None,
        typer.Option(help="The survey's aggregates, may be missing.  [default: RESULTS/LANGUAGE/survey]"),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write.  [default: RESULTS/report]")] = None,
    policy: Annotated[Policy, typer.Option(help="Span policy of the main figures.")] = Policy.published,
    threshold: Annotated[int, typer.Option(min=1, help="Smallest count of people that may be shown.")] = 5,
) -> None:
    """Write the report: one page that needs no network, and its plots as SVG and PNG."""
    from tqdm import tqdm

    from winoqueer_nl.report.data import read_report_data
    from winoqueer_nl.report.page import write_report

    data = read_report_data(
        tables or results / "tables",
        results / language / edition,
        survey or results / language / "survey",
        language,
        edition,
        policy.value,
        threshold,
    )
    with tqdm(unit="plot", desc="report", disable=None) as bar:

        def progress(what: str) -> None:
            bar.set_postfix_str(what)
            bar.update()

        page, plots = write_report(data, out or results / "report", progress)
    typer.echo(f"{page} ({page.stat().st_size / 1e6:.1f} MB), {len(plots)} files of plots beside it")
