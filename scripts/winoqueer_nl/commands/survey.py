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
    shift: Annotated[
        list[float] | None,
        typer.Option(
            help="Percent points to move all thresholds by, to see what changes; once for each. [default: -5, 5]"
        ),
    ] = None,
    disclosure_threshold: Annotated[
        int | None, typer.Option(help="Counts of respondents below this are not written. [default: 5]")
    ] = None,
) -> None:
    """Count votes and ratings per stereotype, with tiers and how sure they are."""
    from winoqueer_nl.problems import Problems
    from winoqueer_nl.survey import aggregate as stage
    from winoqueer_nl.survey.config import SurveyConfig
    from winoqueer_nl.survey.private import restrict
    from winoqueer_nl.yaml_files import checked

    given: dict[str, Any] = {
        "unsure": unsure,
        "resamples": resamples,
        "seed": seed,
        "shifts": shift or None,
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
    for path in restrict(exports):
        typer.echo(f"{path} could be read by others; now only by you.")
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


@survey.command()
def formats(
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE...", help="Exports to look at.")] = None,
) -> None:
    """List the formats; of a file, say what it looks like and what to declare. The instrument decides."""
    from winoqueer_nl.survey import detect

    if not files:
        typer.echo(detect.overview())
    for path in files or []:
        typer.echo(detect.describe(path))


@survey.command()
def fetch(
    url: Annotated[str, typer.Option(help="Address of RemoteControl: https://.../index.php/admin/remotecontrol.")],
    survey_id: Annotated[int, typer.Option(help="Number of the survey.")],
    instrument: Annotated[Path, typer.Option(help="YAML file that says what each column asks.")],
    format_name: Annotated[str, typer.Option("--format", help="The instrument's format that the file is for.")],
    out: Annotated[Path, typer.Option(help="File to write, in survey/exports.")],
) -> None:
    """Fetch an export from LimeSurvey, personal columns left out. LIMESURVEY_USERNAME and _PASSWORD must be set."""
    from winoqueer_nl.problems import InputError, Problem, listed, quoted, suggestion
    from winoqueer_nl.survey import limesurvey
    from winoqueer_nl.survey.instrument import load

    known = {name: form for name, form in load(instrument).formats.items() if form.reader == "limesurvey_csv"}
    if format_name not in known:
        expected = f"a format of the reader limesurvey_csv: {listed(known) or 'there is none'}"
        problem = Problem(str(instrument), quoted(format_name), expected, suggestion(format_name, known))
        raise InputError([problem])
    number = limesurvey.fetch(url, survey_id, out, known[format_name])
    typer.echo(f"Written: {out}, {number} responses, readable by you alone.")


@survey.command()
def guard() -> None:
    """Refuse a commit that holds survey answers. Run by git before each commit, once `make hooks` was run."""
    from winoqueer_nl.survey import guard as stage

    stage.check_staged(Path())


@survey.command()
def purge(
    yes: Annotated[bool, typer.Option("--yes", help="Remove; without it, only say what would be removed.")] = False,
    root: Annotated[Path, typer.Option(help="Project folder.")] = Path(),
) -> None:
    """Remove every file about single people: exports, coding sheets. Counts and the sample stay."""
    from winoqueer_nl.config import load
    from winoqueer_nl.survey import private

    languages = load(root).languages.values() if (root / "config.yaml").exists() else ()
    exports = [name for one in languages if one.survey for name in one.survey.exports]
    paths = private.about_people(root, exports)
    for path in paths:
        typer.echo(f"  {path}")
    if not yes:
        typer.echo(f"{len(paths)} files would be removed with --yes. Copies elsewhere are yours to find.")
        return
    private.purge(root, paths)
    typer.echo(f"{len(paths)} files removed. Copies elsewhere (backups, the survey tool itself) are yours to remove.")
