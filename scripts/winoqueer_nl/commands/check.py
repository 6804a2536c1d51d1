"""Sub-commands that guard editions: check (hygiene gates) and record (what a release said)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from winoqueer_nl.pairs import Judgement

Lang = Annotated[str, typer.Option(help="Language code, such as nl.")]
EditionOption = Annotated[str, typer.Option(help="Edition, such as 2.0.0.")]
Survey = Annotated[Path | None, typer.Option(help="Survey aggregates; those that a build left in results/ by default.")]
Tiers = Annotated[list[int] | None, typer.Option(help="Tiers that the pairs leave out; config.yaml's by default.")]
Root = Annotated[Path, typer.Option(help="Project folder.", show_default="here")]


def register(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    app.command()(check)
    app.command()(record)


def judgements_of(root: Path, lang: str, survey: Path | None) -> Mapping[str, Judgement] | None:
    """Tiers and harmfulness of a language's survey, or None where it has no survey.

    Raises
    ------
    InputError
        where config.yaml names a survey whose aggregates are not built yet.
    """
    from winoqueer_nl.config import load
    from winoqueer_nl.problems import InputError, Problem
    from winoqueer_nl.survey.aggregate import read_judgements

    if survey is None:
        config = load(root)
        language = config.languages.get(lang)
        if language is None or language.survey is None:
            return None
        survey = root / "results" / lang / "survey" / "stereotypes.csv"
    if not survey.is_file():
        raise InputError(
            [
                Problem(
                    str(survey),
                    "no such file",
                    "the survey aggregates, which say which stereotypes the pairs leave out",
                    f"Build them first: snakemake --cores 1 results/{lang}/survey/stereotypes.csv",
                )
            ]
        )
    return read_judgements(survey)


def excluded_tiers(root: Path, given: list[int] | None) -> list[int]:
    """The tiers given, or those of config.yaml."""
    from winoqueer_nl.config import load

    return given if given is not None else list(load(root).pairs.excluded_tiers)


def check(
    lang: Lang,
    edition: EditionOption,
    format: Annotated[str, typer.Option(help="text, for people, or json.")] = "text",
    pairs: Annotated[Path | None, typer.Option(help="Check this pairs.parquet; else pairs are made anew.")] = None,
    survey: Survey = None,
    exclude_tier: Tiers = None,
    out: Annotated[Path | None, typer.Option(help="Write the findings here (JSON).")] = None,
    marked: Annotated[Path | None, typer.Option(help="Write the non-contrastive pairs here (CSV).")] = None,
    defects: Annotated[Path | None, typer.Option(help="Write known defects and gate counts here (Markdown).")] = None,
    root: Root = Path(),
) -> None:
    """Check the sentences of an edition; exit status 1 where something is found that no exception declares."""
    import json

    from winoqueer_nl.check import defects as known
    from winoqueer_nl.check import run
    from winoqueer_nl.check.contrast import marked_pairs
    from winoqueer_nl.config import check_known
    from winoqueer_nl.files import write_csv, write_json, write_text
    from winoqueer_nl.pairs import read as read_pairs
    from winoqueer_nl.problems import InputError, Problem, quoted
    from winoqueer_nl.released import verify
    from winoqueer_nl.sources import load

    if format not in ("text", "json"):
        raise InputError([Problem("--format", quoted(format), "text or json")])
    check_known(root, lang, edition)
    verify(root, load(root, lang))
    table = read_pairs(pairs) if pairs is not None else None
    context = run.context_of(
        root, lang, edition, judgements_of(root, lang, survey), excluded_tiers(root, exclude_tier), table
    )
    found = run.findings(context)
    verdicts = run.judged(context, found)
    report = run.report(context, verdicts)
    if out is not None:
        write_json(out, report)
    if marked is not None:
        write_csv(marked, ("pair_id", "stereotype_id", "reason"), marked_pairs(context))
    if defects is not None:
        write_text(defects, known.page(root, context, found))
    if format == "json":
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        typer.echo(run.as_text(context, verdicts), nl=False)
    if report["undeclared_findings"]:
        raise typer.Exit(1)


def record(
    lang: Lang,
    edition: EditionOption,
    survey: Survey = None,
    exclude_tier: Tiers = None,
    root: Root = Path(),
) -> None:
    """Record what a release says, row by row, so that nobody changes it unnoticed. To be run when it is released."""
    from winoqueer_nl import released
    from winoqueer_nl.check import run
    from winoqueer_nl.config import check_known
    from winoqueer_nl.problems import InputError, Problem

    check_known(root, lang, edition)
    known = released.record_path(root, lang, edition)
    if known.exists():
        raise InputError(
            [
                Problem(
                    str(known),
                    f"a record of {lang} {edition}: it is released",
                    "an edition that has none yet",
                    "What was released stays; record the next edition.",
                )
            ]
        )
    context = run.context_of(root, lang, edition, judgements_of(root, lang, survey), excluded_tiers(root, exclude_tier))
    columns = list(context.edition.language.published_columns.values())
    rows = [[str(getattr(pair, column)) for column in columns] for pair in context.pairs]
    path = released.write_record(root, released.make_record(context.edition, rows))
    typer.echo(f"{path}: {lang} {edition} recorded ({len(rows):,} pairs).")
