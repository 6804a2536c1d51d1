"""``winoqueer-nl survey freetext``: what people wrote, coded by two, handed over to the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winoqueer_nl.commands.survey import survey

freetext = typer.Typer(
    help="From answers in people's own words to stereotypes: a sheet for two coders, their agreement, new rows.",
    no_args_is_help=True,
)
survey.add_typer(freetext, name="freetext")

Instrument = Annotated[Path, typer.Option(help="YAML file that says what each column asks.")]


def register(app: typer.Typer) -> None:
    """Nothing to add to the command line itself: the commands belong to ``survey``."""


@freetext.command()
def sheet(
    exports: Annotated[list[Path], typer.Argument(metavar="EXPORT...", help="Exports as the survey tool wrote them.")],
    instrument: Instrument,
    lang: Annotated[str, typer.Option(help="Language whose stereotypes to suggest, such as nl.")],
    out: Annotated[Path, typer.Option(help="Sheet to write, .xlsx or .csv; keep it as safe as an export.")] = Path(
        "survey/coding/sheet.xlsx"
    ),
    form: Annotated[str, typer.Option(help="Form of the stereotypes to compare with.")] = "main_plural",
    by_line: Annotated[bool, typer.Option(help="Whether each line of an answer is a text of its own.")] = True,
    alike: Annotated[float, typer.Option(min=1, max=100, help="Percent alike from which texts are a group.")] = 85,
    suggest_from: Annotated[float, typer.Option(min=1, max=100, help="Percent from which to suggest.")] = 60,
    seed: Annotated[int, typer.Option(help="Seed of the shuffling.")] = 2025,
) -> None:
    """Make the sheet that two coders fill in, each a copy of their own."""
    from winoqueer_nl.survey import freetext as stage
    from winoqueer_nl.survey.exports import read_exports
    from winoqueer_nl.survey.instrument import load
    from winoqueer_nl.survey.private import restrict

    asked = load(instrument)
    forms = stage.read_forms(_table(instrument, asked.stereotypes).parent / lang / "forms.csv", form)
    texts = stage.make(read_exports(exports, asked), asked, forms, stage.Settings(by_line, alike, suggest_from, seed))
    _say_restricted(restrict(exports))
    stage.write(texts, out)
    typer.echo(stage.WARNING)
    typer.echo(f"Written: {out}, {len(texts)} texts in {len({text.group for text in texts})} groups.")
    for line in stage.instructions(stage.CODES):
        typer.echo(f"  {line}")


@freetext.command(name="import")
def import_(
    first: Annotated[Path, typer.Argument(help="The sheet of one coder.")],
    second: Annotated[Path, typer.Argument(help="The sheet of the other.")],
    instrument: Instrument,
    lang: Annotated[str, typer.Option(help="Language of the wordings, such as nl.")],
    origin: Annotated[str, typer.Option(help="Where the new stereotypes come from, such as survey-2026.")],
    out: Annotated[Path, typer.Option(help="Folder for what follows.")] = Path("survey/coding"),
    settled: Annotated[
        Path | None, typer.Option(help="A sheet with what was decided where the coders differ (see to_settle.csv).")
    ] = None,
    id_prefix: Annotated[str | None, typer.Option(help="Letters of new ids.", show_default="as the origin's")] = None,
    form: Annotated[str, typer.Option(help="Form that the wordings are in.")] = "main_plural",
    seed: Annotated[int, typer.Option(help="Seed of the interval.")] = 2025,
) -> None:
    """Compare two coders' sheets, report their agreement, and write what they agree on as rows of the tables."""
    from winoqueer_nl.problems import Problems
    from winoqueer_nl.schema import Form, Stereotype
    from winoqueer_nl.survey import coding as stage
    from winoqueer_nl.survey.freetext import COLUMNS
    from winoqueer_nl.survey.instrument import load
    from winoqueer_nl.survey.private import private_csv, restrict
    from winoqueer_nl.tables import own_columns, read_table

    problems = Problems()
    table = _table(instrument, load(instrument).stereotypes)
    stereotypes = read_table(table, Stereotype, problems)
    problems.stop()
    outcome = stage.compare(first, second, settled, stereotypes, seed)
    handed = stage.hand_over(outcome, stereotypes, origin, id_prefix, form)
    _say_restricted(restrict([first, second, *([settled] if settled else [])]))
    stage.write_agreement(out / "agreement.json", outcome.agreement)
    private_csv(out / "to_settle.csv", COLUMNS, stage.settle_rows(outcome.to_settle))
    for name, columns, rows in (
        ("new_stereotypes.csv", own_columns(Stereotype), handed.stereotypes),
        ("new_forms.csv", own_columns(Form), handed.forms),
        ("not_expressible.csv", ["wording", "reason"], handed.not_expressible),
    ):
        private_csv(out / name, columns, [[row.get(column, "") for column in columns] for row in rows])
    typer.echo(stage.message(outcome, handed, out))
    for command in handed.commands(lang):
        typer.echo(f"  {command}")


def _table(instrument: Path, stereotypes: str) -> Path:
    return instrument.parent / stereotypes


def _say_restricted(changed: list[Path]) -> None:
    for path in changed:
        typer.echo(f"{path} could be read by others; now only by you.")
