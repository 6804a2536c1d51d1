"""survey/instrument.yaml: which column of an export asks what about which stereotype, and what its answers mean.

docs/survey.md explains every key to a person who writes one.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.schema import Identifier, Stereotype
from winoqueer_nl.tables import read_table
from winoqueer_nl.yaml_files import Strict, read_yaml


def _text(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("text; YAML reads a bare Yes, No, On or Off as true or false, so put it in quotation marks")
    return str(value) if isinstance(value, int) else value


def normalised(text: str) -> str:
    """The text with each run of white space (no-break spaces and line feeds too) as one blank, none at the ends."""
    return " ".join(text.split())


Text = Annotated[str, BeforeValidator(_text), StringConstraints(min_length=1)]
Label = Annotated[Text, BeforeValidator(lambda value: normalised(value) if isinstance(value, str) else value)]
Labels = Annotated[tuple[Label, ...], Field(min_length=1)]


class Vocabulary(Strict):
    """What the answers to "does this stereotype exist here?" are called in one language."""

    yes_labels: Labels
    no_labels: Labels
    unsure_labels: Labels

    def meanings(self) -> Iterator[tuple[str, str]]:
        """Each label with what it means: yes, no or unsure."""
        for meaning, labels in (
            ("yes", self.yes_labels),
            ("no", self.no_labels),
            ("unsure", self.unsure_labels),
        ):
            for label in labels:
                yield label, meaning


class Scale(Strict):
    """The whole numbers that a harmfulness rating may take; labels for exports that hold words instead."""

    minimum: int
    maximum: int
    labels: dict[Label, int] = Field(default_factory=dict)


class Drop(Strict):
    """Values of a column that mark a row as none of ours, and why."""

    values: Labels
    reason: Text


class RowRule(Strict):
    """Every value that a column may hold: rows to keep and, by rule, rows to drop."""

    keep: Labels
    drop: dict[Identifier, Drop]


class Format(Strict):
    """How the exports of one survey tool are laid out."""

    reader: Literal["qualtrics_csv"]
    header_rows: Literal[2, 3] = 3
    respondent: Text = Field(description="column that tells responses apart; read only to find repeated rows")
    personal: tuple[Text, ...] = Field(description="columns about the person or the device; dropped before all else")
    ignored: tuple[Text, ...] = Field(default=(), description="further columns that are not used")
    rows: dict[Text, RowRule] = Field(description="columns that say which rows count")
    skipped: Labels = Field(description="what stands in a cell whose question was shown and left unanswered")


class IdentityQuestion(Strict):
    """A question about the respondent; with a separator, several answers may stand in one cell."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    column: Text
    separator: Label | None = None
    answers: dict[Label, Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]]


class Item(Strict):
    """What was asked about one stereotype, or about several that share one wording."""

    stereotypes: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    asked: Text = Field(description="the wording that the question's text must hold, so that no column is mistaken")
    relevance: Text | None = None
    harmfulness: Text | None = None

    @property
    def key(self) -> str:
        """The item's name in the canonical table."""
        return self.stereotypes[0]


class Round(Strict):
    """One round of a survey: its language, its layout, and what each column asks."""

    language: str
    format: str
    files: tuple[Text, ...] = Field(default=(), description="patterns of file names that can only be this round")
    respondents: int | None = Field(default=None, ge=1, description="how many responses must remain, if known")
    identities: tuple[IdentityQuestion, ...] = ()
    free_text: tuple[Text, ...] = ()
    items: Annotated[tuple[Item, ...], Field(min_length=1)]

    def question_columns(self) -> list[str]:
        """Every column that holds answers."""
        columns = [question.column for question in self.identities] + list(self.free_text)
        for item in self.items:
            columns += [column for column in (item.relevance, item.harmfulness) if column is not None]
        return columns


class SharedVotes(Strict):
    """Whose votes a stereotype takes over that was not asked about itself."""

    of: Identifier
    reason: Text


class Instrument(Strict):
    """The whole survey of one language."""

    stereotypes: str = Field(description="the table of stereotypes, relative to this file")
    languages: dict[str, Vocabulary]
    harmfulness: Scale
    formats: dict[str, Format]
    rounds: Annotated[dict[Identifier, Round], Field(min_length=1)]
    votes_of: dict[Identifier, SharedVotes] = Field(default_factory=dict)

    def columns_of(self, round_id: str) -> list[str]:
        """Every column that an export of the round holds, personal ones (which may be absent) left out."""
        form = self.formats[self.rounds[round_id].format]
        return [form.respondent, *form.rows, *form.ignored, *self.rounds[round_id].question_columns()]

    def asked_in(self) -> dict[str, list[str]]:
        """Stereotype id -> the rounds that ask about it, in the order of the rounds."""
        found: dict[str, list[str]] = {}
        for round_id, one in self.rounds.items():
            for item in one.items:
                for stereotype in item.stereotypes:
                    found.setdefault(stereotype, []).append(round_id)
        return found

    def by_file_name(self, path: Path) -> list[str]:
        """The rounds that claim a file by its name."""
        return [
            round_id
            for round_id, one in self.rounds.items()
            if any(fnmatch.fnmatchcase(path.name, pattern) for pattern in one.files)
        ]


def load(path: Path) -> Instrument:
    """Read and check an instrument; raises InputError with every problem."""
    problems = Problems()
    instrument = read_yaml(path, Instrument, problems)
    if instrument is not None:
        _check(instrument, path, problems)
    problems.stop()
    assert instrument is not None
    return instrument


def _check(instrument: Instrument, path: Path, problems: Problems) -> None:
    scale = instrument.harmfulness
    if scale.minimum >= scale.maximum:
        problems.add(path, f"{scale.minimum} to {scale.maximum}", "a minimum below the maximum", field="harmfulness")
    for label, value in scale.labels.items():
        if not scale.minimum <= value <= scale.maximum:
            problems.add(path, str(value), f"{scale.minimum} to {scale.maximum}", field=f"harmfulness.labels.{label}")
    ratings = {str(value) for value in range(scale.minimum, scale.maximum + 1)} | set(scale.labels)
    for name, vocabulary in instrument.languages.items():
        place = f"languages.{name}"
        _once(path, place, [label for label, _ in vocabulary.meanings()], "each label for one answer", problems)
    for name, form in instrument.formats.items():
        for column, rule in form.rows.items():
            values = [*rule.keep, *(value for drop in rule.drop.values() for value in drop.values)]
            _once(
                path,
                f"formats.{name}.rows.{column}",
                values,
                "each value either kept or dropped once",
                problems,
            )
        rules = [rule_id for rule in form.rows.values() for rule_id in rule.drop]
        _once(path, f"formats.{name}.rows", rules, "each rule under a name of its own", problems)
    for round_id, one in instrument.rounds.items():
        _check_round(instrument, round_id, one, ratings, path, problems)
    asked = instrument.asked_in()
    _check_votes_of(instrument, asked, path, problems)
    _check_known(instrument, asked, path, problems)


def _check_round(
    instrument: Instrument, round_id: str, one: Round, ratings: set[str], path: Path, problems: Problems
) -> None:
    place = f"rounds.{round_id}"
    for key, name, known in (
        ("language", one.language, instrument.languages),
        ("format", one.format, instrument.formats),
    ):
        if name not in known:
            problems.add(path, quoted(name), f"one of {listed(known)}", suggestion(name, known), field=f"{place}.{key}")
    for number, item in enumerate(one.items):
        if item.relevance is None and item.harmfulness is None:
            problems.add(path, "no column", "relevance, harmfulness or both", field=f"{place}.items.{number}")
    stereotypes = [stereotype for item in one.items for stereotype in item.stereotypes]
    _once(path, f"{place}.items", stereotypes, "each stereotype in one item of a round", problems)
    _once(
        path,
        f"{place}.identities",
        [question.id for question in one.identities],
        "each question under an id of its own",
        problems,
    )
    form = instrument.formats.get(one.format)
    vocabulary = instrument.languages.get(one.language)
    if form is None or vocabulary is None:
        return
    columns = [*form.personal, *instrument.columns_of(round_id)]
    _once(path, place, columns, "each column of an export named once, in one role", problems)
    answers = {label for label, _ in vocabulary.meanings()} | ratings
    answers |= {label for question in one.identities for label in question.answers}
    for sign in form.skipped:
        if sign in answers:
            problems.add(
                path,
                f"{quoted(sign)}, which is an answer as well",
                "a sign that no answer uses",
                field=f"formats.{one.format}.skipped",
            )


def _check_votes_of(instrument: Instrument, asked: dict[str, list[str]], path: Path, problems: Problems) -> None:
    for stereotype, shared in instrument.votes_of.items():
        if stereotype in asked:
            problems.add(
                path,
                f"{quoted(stereotype)}, which has a question of its own",
                "a stereotype that no round asks about",
                "Remove the declaration or the item.",
                field=f"votes_of.{stereotype}",
            )
        if shared.of not in asked:
            problems.add(
                path,
                quoted(shared.of),
                "a stereotype that a round asks about",
                suggestion(shared.of, asked),
                field=f"votes_of.{stereotype}.of",
            )


def _check_known(instrument: Instrument, asked: dict[str, list[str]], path: Path, problems: Problems) -> None:
    before = len(problems.found)
    table = path.parent / instrument.stereotypes
    # Shown without detours: survey/../predicates/x.csv is predicates/x.csv to the person who edits it.
    parts: list[str] = []
    for part in table.parts:
        if part == ".." and parts and parts[-1] not in ("..", "/"):
            parts.pop()
        else:
            parts.append(part)
    rows = read_table(Path(*parts), Stereotype, problems)
    if len(problems.found) > before:
        return
    known = {row.stereotype_id for row in rows}
    for stereotype in dict.fromkeys([*asked, *instrument.votes_of]):
        if stereotype not in known:
            rounds = asked.get(stereotype)
            problems.add(
                path,
                f"the unknown stereotype {quoted(stereotype)}",
                f"an id of {Path(*parts)}",
                suggestion(stereotype, known),
                field=f"rounds.{rounds[0]}.items" if rounds else f"votes_of.{stereotype}",
            )


def _once(path: Path, place: str, values: Iterable[str], expected: str, problems: Problems) -> None:
    seen: set[str] = set()
    noted: set[str] = set()
    for value in values:
        if value in seen and value not in noted:
            noted.add(value)
            problems.add(path, f"{quoted(value)} more than once", expected, field=place)
        seen.add(value)
