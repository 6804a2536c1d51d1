"""Sub-commands for linguists: translate, review, add, new-language."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[Path, typer.Option(help="Project folder.", show_default="here")]
Lang = Annotated[str, typer.Option(help="Language code, such as nl.")]
Since = Annotated[
    str | None, typer.Option(help="Edition that the new rows are for.", show_default="the newest of the language")
]
Yes = Annotated[bool, typer.Option("--yes", help="Write without asking.")]

review = typer.Typer(no_args_is_help=True, help="Let native speakers review proposals and forms.")
add = typer.Typer(no_args_is_help=True, help="Add a stereotype, a name or an identity. Undo is git.")


def register(app: typer.Typer) -> None:
    """Add the sub-commands to the command line."""
    app.command()(translate)
    app.add_typer(review, name="review")
    app.add_typer(add, name="add")
    app.command(name="new-language")(new_language)


def translate(
    lang: Annotated[
        list[str] | None, typer.Option(help="Language code.", show_default="every language with carriers.csv")
    ] = None,
    edition: Annotated[
        str | None, typer.Option(help="Edition whose gaps to fill.", show_default="the newest of the language")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="Overrides config.yaml.", show_default="as configured")] = None,
    url: Annotated[str | None, typer.Option(help="Overrides config.yaml.", show_default="as configured")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask again for proposals not reviewed yet.")] = False,
    root: Root = Path(),
) -> None:
    """Ask a translation engine for the forms that a language lacks. Uses the network; nothing else does.

    Answers are kept in predicates/<lang>/translations.csv. They are proposals, not forms: reviewers decide.
    """
    from winoqueer_nl.authoring import engines
    from winoqueer_nl.authoring import translate as stage
    from winoqueer_nl.authoring.proposals import CARRIERS, working_edition
    from winoqueer_nl.authoring.spreadsheets import WARNING
    from winoqueer_nl.config import check_language, language_folders, read_translation
    from winoqueer_nl.sources import TRANSLATIONS_FILE, load

    config = read_translation(root, {"engine": engine, "url": url})
    for code in lang or []:
        check_language(root, code)
    languages = lang or [code for code in language_folders(root) if (root / CARRIERS.format(lang=code)).exists()]
    typer.echo(WARNING)
    unanswered = False
    for code in languages:
        sources = load(root, code)
        proposer = stage.Proposer(
            root,
            sources,
            working_edition(root, code, edition),
            config.engine,
            partial(engines.make, config.engine, config, code, sources.language.name),
            config.give_up_after,
            refresh,
        )
        outcome = proposer.run(typer.echo)
        typer.echo(stage.summary(outcome, code, TRANSLATIONS_FILE.format(lang=code)))
        unanswered |= bool(outcome.failed)
    if unanswered:
        raise typer.Exit(1)


@review.command(name="export")
def review_export(
    lang: Lang,
    reviewer: Annotated[list[str], typer.Option(help="Initials of a reviewer; once for each.")],
    out: Annotated[Path | None, typer.Option(help="Folder.", show_default="review/<lang>")] = None,
    file_format: Annotated[str, typer.Option("--format", help="xlsx or csv.")] = "xlsx",
    recheck: Annotated[
        list[str] | None, typer.Option(help="Id of a stereotype whose forms in use to ask about as well, or all.")
    ] = None,
    edition: Annotated[str | None, typer.Option(help="Edition.", show_default="the newest of the language")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace sheets that are there.")] = False,
    root: Root = Path(),
) -> None:
    """Write a sheet for each reviewer: every form that waits, with the sentences it will stand in."""
    from winoqueer_nl.authoring import sheets
    from winoqueer_nl.authoring.spreadsheets import WARNING

    folder = out if out is not None else root / "review" / lang
    paths, asked = sheets.export(root, lang, reviewer, folder, file_format, recheck, edition, overwrite)
    typer.echo(WARNING)
    typer.echo(f"{lang}: {asked} forms to review.")
    for path in paths:
        typer.echo(f"  {path}")
    typer.echo(f"When they are filled in: winoqueer-nl review import --lang {lang} {' '.join(map(str, paths))}")


@review.command(name="import")
def review_import(
    files: Annotated[list[Path], typer.Argument(help="The sheets that reviewers have filled in.")],
    lang: Lang,
    at_least: Annotated[int, typer.Option(min=1, help="So many reviewers must agree.")] = 2,
    decider: Annotated[
        str | None, typer.Option(help="Initials of the reviewer whose answer settles conflicts.")
    ] = None,
    since: Since = None,
    report: Annotated[Path | None, typer.Option(help="Write the report here as well (Markdown).")] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Resamples for the interval of agreement.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 20250101,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report.")] = False,
    root: Root = Path(),
) -> None:
    """Merge the sheets, measure agreement, list conflicts, and write what the reviewers agree on."""
    from winoqueer_nl.authoring import sheets
    from winoqueer_nl.files import write_text

    text, written = sheets.import_sheets(root, lang, files, at_least, decider, since, resamples, seed, dry_run)
    if report is not None:
        write_text(report, text)
    typer.echo(text)
    typer.echo("Nothing written (--dry-run)." if dry_run else f"Files changed: {', '.join(written) or 'none'}.")


@add.command(name="stereotype")
def add_stereotype(
    gloss: Annotated[str | None, typer.Option(help="What is said, in English, of many, verb first.")] = None,
    gloss_singular: Annotated[str | None, typer.Option(help='Of one, as it follows "is ... and".')] = None,
    origin: Annotated[str | None, typer.Option(help="Where it comes from (an id).")] = None,
    identities: Annotated[str | None, typer.Option(help="Of whom it is said (ids joined by ;).")] = None,
    kind: Annotated[str, typer.Option("--type", help="predicate, clause or identity.")] = "predicate",
    stereotype_id: Annotated[str | None, typer.Option("--id", help="Id.", show_default="next of the origin")] = None,
    lang: Annotated[str | None, typer.Option(help="Language of the forms.", show_default="no forms yet")] = None,
    form: Annotated[list[str] | None, typer.Option(help="NAME=TEXT, once for each form.")] = None,
    reviewed_by: Annotated[
        str | None, typer.Option(help='Initials of the speakers who have agreed on the forms, such as "AB;CD".')
    ] = None,
    since: Since = None,
    yes: Yes = False,
    root: Root = Path(),
) -> None:
    """Add a stereotype; asks for what no option says. Forms that nobody has reviewed become proposals."""
    from winoqueer_nl.authoring import add as stage
    from winoqueer_nl.authoring.proposals import needed_forms, normalised, working_edition
    from winoqueer_nl.config import check_language, language_folders
    from winoqueer_nl.problems import listed
    from winoqueer_nl.sources import load

    ask = _Asker()
    forms = _pairs(form, "--form")
    known = stage.known_words(root)
    values = {
        "gloss": ask(gloss, "--gloss", "What is said, in English, of many, verb first"),
        "gloss_singular": ask(gloss_singular, "--gloss-singular", 'Of one, as it follows "is ... and"'),
        "origin": ask(origin, "--origin", f"Where it comes from ({listed(known['origin'])})"),
        "identities": ask(identities, "--identities", f"Of whom, joined by ; ({listed(known['identities'])})"),
        "type": kind,
    }
    if lang is None and ask.can_ask:
        lang = (
            ask("", "--lang", f"Language of its forms ({', '.join(language_folders(root))}; empty: none yet)") or None
        )
    if not language_folders(root):
        ask.problem("--root", "no language", "a project folder with languages in templates/")
    if lang is None and forms:
        ask.problem("--lang", "no language beside --form", "the language of the forms")
    ask.stop()
    if lang is not None:
        check_language(root, lang)
    edition = working_edition(root, lang or language_folders(root)[0], since)
    sources = load(root, lang or language_folders(root)[0])
    if lang is not None and not forms and ask.can_ask:
        for name in needed_forms(sources, kind, edition):
            forms[name] = ask("", "--form", f"{name} (empty: none yet)")
    values["stereotype_id"] = (
        stereotype_id
        or stage.next_id(sources, values["origin"])
        or ask(None, "--id", "Id (small letters, digits, hyphens)")
    )
    ask.stop()
    by = tuple(part.strip() for part in (reviewed_by or "").split(";") if part.strip())
    cells = {column: normalised(value) for column, value in values.items()}
    added = stage.stereotype(root, cells, edition, lang, forms, by)
    _finish(added, f"{cells['stereotype_id']}, {cells['gloss']}", edition, yes)


@add.command(name="name")
def add_name(
    lang: Lang,
    text: Annotated[str | None, typer.Option("--name", help="The name or pronoun.")] = None,
    gender: Annotated[str | None, typer.Option(help="female, male or neutral.")] = None,
    kind: Annotated[str, typer.Option("--type", help="name or pronoun.")] = "name",
    name_id: Annotated[str | None, typer.Option("--id", help="Id.", show_default="the name in small letters")] = None,
    origin: Annotated[str | None, typer.Option(help="Only for stereotypes of this origin.", show_default="all")] = None,
    slot: Annotated[
        list[str] | None, typer.Option(help="NAME=TEXT, a word that agrees.", show_default="as other names have it")
    ] = None,
    since: Since = None,
    yes: Yes = False,
    root: Root = Path(),
) -> None:
    """Add a name or pronoun as a subject; asks for what no option says."""
    from winoqueer_nl.authoring import add as stage
    from winoqueer_nl.authoring.proposals import working_edition
    from winoqueer_nl.config import check_language

    check_language(root, lang)
    ask = _Asker()
    slots = _pairs(slot, "--slot")
    text = ask(text, "--name", "The name or pronoun")
    gender = ask(gender, "--gender", "female, male or neutral")
    ask.stop()
    edition = working_edition(root, lang, since)
    row = {"name_id": name_id or stage.plain_id(text), "type": kind, "gender": gender, "origin": origin or ""}
    _finish(stage.name(root, lang, row, slots, text, edition), f"{text} ({lang})", edition, yes)


@add.command(name="identity")
def add_identity(
    lang: Lang,
    identity_id: Annotated[str | None, typer.Option("--id", help="Id.")] = None,
    label: Annotated[str | None, typer.Option(help="Label in the released files.")] = None,
    metadata_label: Annotated[str | None, typer.Option(help="... in the metadata.", show_default="the label")] = None,
    counter_identities: Annotated[str | None, typer.Option(help="Ids joined by ;.")] = None,
    name_genders: Annotated[str, typer.Option(help="Genders of names that may carry it.")] = "female;male;neutral",
    form: Annotated[list[str] | None, typer.Option(help="NAME=TEXT, once for each identity form.")] = None,
    initial: Annotated[list[str] | None, typer.Option(help="NAME=TEXT at the beginning of a sentence.")] = None,
    stereotypes: Annotated[str, typer.Option(help="Ids of stereotypes said of it, joined by ;.")] = "",
    reason: Annotated[str, typer.Option(help="Why these stereotypes.")] = "said of an identity added later",
    since: Since = None,
    yes: Yes = False,
    root: Root = Path(),
) -> None:
    """Add an identity to one language; asks for what no option says."""
    from winoqueer_nl.authoring import add as stage
    from winoqueer_nl.authoring.proposals import working_edition
    from winoqueer_nl.config import check_language
    from winoqueer_nl.sources import load

    check_language(root, lang)
    ask = _Asker()
    forms = _pairs(form, "--form")
    edition = working_edition(root, lang, since)
    row = {
        "identity_id": ask(identity_id, "--id", "Id (small letters, digits, hyphens)"),
        "label": ask(label, "--label", "Label in the released files"),
        "counter_identities": ask(counter_identities, "--counter-identities", "Counter identities (ids, between ;)"),
        "name_genders": name_genders,
    }
    if not forms:
        for name in stage.identity_forms_needed(load(root, lang), edition):
            forms[name] = ask(None, f"--form {name}=TEXT", name)
    ask.stop()
    row["metadata_label"] = metadata_label or row["label"]
    chosen = [part.strip() for part in stereotypes.split(";") if part.strip()]
    added = stage.identity(root, lang, row, forms, _pairs(initial, "--initial"), chosen, reason, edition)
    _finish(added, f"{row['identity_id']} ({lang})", edition, yes)


def new_language(
    code: Annotated[str, typer.Argument(help="Language code, such as de.")],
    name: Annotated[str, typer.Option(help="English name of the language.")],
    direction: Annotated[str, typer.Option(help="ltr or rtl: the direction of writing.")] = "ltr",
    edition: Annotated[str | None, typer.Option(help="Edition it will be part of.", show_default="the newest")] = None,
    root: Root = Path(),
) -> None:
    """Make the folders of a new language: empty tables, description, instructions."""
    from winoqueer_nl.authoring import new_language as stage
    from winoqueer_nl.authoring.proposals import working_edition

    if direction not in ("ltr", "rtl"):
        raise typer.BadParameter("ltr or rtl", param_hint="--direction")
    chosen = working_edition(root, code, edition)
    for path in stage.make(root, code, name, direction, chosen):
        typer.echo(f"  {path}")
    typer.echo(f"{name} is part of edition {chosen}. Next: {stage.INSTRUCTIONS.format(lang=code)} and {stage.GUIDE}.")


class _Asker:
    """Asks for what no option says where somebody can answer; else collects what is missing."""

    def __init__(self) -> None:
        from winoqueer_nl.problems import Problems

        self.can_ask = sys.stdin.isatty()
        self.missing = Problems()

    def __call__(self, value: str | None, option: str, question: str) -> str:
        """The value; asked for where it is None (or, when asking, empty: then an empty answer will do)."""
        if value:
            return value
        if self.can_ask:
            return str(typer.prompt(question, default=value, show_default=False))
        if value is None:
            self.problem(option, "no value", question)
        return ""

    def problem(self, option: str, found: str, expected: str) -> None:
        self.missing.add("options", found, expected, field=option)

    def stop(self) -> None:
        self.missing.stop()


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    found = {}
    for one in given or []:
        name, sign, text = one.partition("=")
        if not sign or not text.strip():
            raise typer.BadParameter(f'"{one}" is not NAME=TEXT', param_hint=option)
        found[name.strip()] = text
    return found


def _finish(added: object, what: str, edition: str, yes: bool) -> None:
    """Show the sentences, ask, write, and say what is still missing."""
    from winoqueer_nl.authoring import preview
    from winoqueer_nl.authoring.add import Added
    from winoqueer_nl.authoring.spreadsheets import WARNING

    assert isinstance(added, Added)
    typer.echo(f"{what}, for edition {edition}")
    if added.pairs:
        typer.echo(WARNING)
        typer.echo(f"{added.n_pairs:,} pairs{added.about}; one of each template:")
        for line in preview.lines(added.pairs):
            typer.echo(line)
    else:
        typer.echo("No sentences yet.")
    if not yes:
        if not sys.stdin.isatty():
            typer.echo("Nothing written: add --yes to write it.")
            raise typer.Exit(1)
        typer.confirm("Write it?", abort=True)
    typer.echo(f"Written: {', '.join(added.changes.write())}. Undo with git.")
    if added.missing:
        typer.echo("Still missing:")
    for line in added.missing:
        typer.echo(f"  {line}")
