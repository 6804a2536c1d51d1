"""``winoqueer-nl survey``: from raw exports to tiers and harmfulness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

survey = typer.Typer(
    help="From raw survey exports to relevance tiers and harmfulness. Answers of single people stay in the exports.",
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    """Add the sub-commands."""
    app.add_typer(survey, name="survey")


@survey.command()
def aggregate(
    exports: Annotated[list[Path], typer.Argument(metavar="EXPORT...", help="Exports as the survey tool wrote them.")],
    instrument: Annotated[Path, typer.Option(help="YAML file that says what each column asks.")],
    out: Annotated[Path, typer.Option(help="Table to write; respondents.csv and summary.json come beside it.")],
    tier_1: Annotated[float | None, typer.Option(help="Percent of yes for tier 1. [default: 70]")] = None,
    tier_2: Annotated[float | None, typer.Option(help="Percent of yes for tier 2. [default: 50]")] = None,
    tier_3: Annotated[float | None, typer.Option(help="Percent of yes for tier 3. [default: 30]")] = None,
    unsure: Annotated[
        str | None, typer.Option(help='"Not sure": excluded, as_no or as_yes. [default: excluded]')
    ] = None,
    resamples: Annotated[int | None, typer.Option(help="Resamples of respondents. [default: 10000]")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the resampling. [default: 2025]")] = None,
    disclosure_threshold: Annotated[
        int | None, typer.Option(help="Counts of respondents below this are not written. [default: 5]")
    ] = None,
) -> None:
    """Count votes and ratings per stereotype, with tiers and how sure they are."""
    from winoqueer_nl.problems import Problems
    from winoqueer_nl.survey import aggregate as stage
    from winoqueer_nl.survey.config import SurveyConfig
    from winoqueer_nl.yaml_files import checked

    given: dict[str, Any] = {
        "unsure": unsure,
        "resamples": resamples,
        "seed": seed,
        "disclosure_threshold": disclosure_threshold,
        "thresholds": {
            name: value
            for name, value in (("tier_1", tier_1), ("tier_2", tier_2), ("tier_3", tier_3))
            if value is not None
        },
    }
    problems = Problems()
    config = checked({k: v for k, v in given.items() if v is not None}, SurveyConfig, "survey aggregate", problems)
    problems.stop()
    assert config is not None
    typer.echo(stage.message(stage.write(exports, instrument, out, config), out))


@survey.command()
def reconstruct(
    recipe: Annotated[Path, typer.Option(help="YAML file that describes the sample.")] = Path(
        "survey/reconstruct/export.yaml"
    ),
) -> None:
    """Make the sample exports from the published counts. Their respondents do not exist."""
    from winoqueer_nl.survey import reconstruct as stage

    for path in stage.write(recipe):
        typer.echo(f"Written: {path.parent.name}/{path.name} (respondents who do not exist)")
