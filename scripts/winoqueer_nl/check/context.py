"""What a gate sees, and what it gives back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from winoqueer_nl.check.settings import Language
from winoqueer_nl.edition import Edition
from winoqueer_nl.narrowing import narrowest
from winoqueer_nl.released import pairs_digest
from winoqueer_nl.schema import Coverage, Form, Name, Template

#: A word: letters, with apostrophes, hyphens and plus signs inside or (apostrophes and plus signs) at the end.
WORD = re.compile(r"[^\W\d_]+(?:['’\-+]+[^\W\d_]+)*\+?")


@dataclass(frozen=True)
class Finding:
    """One thing that does not hold, in all rows that it concerns.

    ``scope`` says what it is about (a word, a template, a stereotype ...), so that an exception can name it;
    ``rows`` are pair ids, or ``table:row`` where a table row is meant.
    """

    gate: str
    scope: str
    rows: tuple[str, ...]
    text: str


class Pair(NamedTuple):
    """A row of pairs.parquet."""

    pair_id: str
    stereotype_id: str
    template: int
    template_id: str
    subject: str
    name_gender: str | None
    identity: str
    counter_identity: str
    identity_label: str
    counter_identity_label: str
    sent_x: str
    sent_y: str
    span_start_x: int
    span_end_x: int
    span_start_y: int
    span_end_y: int
    predicate: str
    tier: int | None
    harmfulness_mean: float | None
    origin: str

    @property
    def term_x(self) -> str:
        """The identity term of the stereotypical sentence."""
        return self.sent_x[self.span_start_x : self.span_end_x]

    @property
    def term_y(self) -> str:
        """The identity term of the counter sentence."""
        return self.sent_y[self.span_start_y : self.span_end_y]

    @property
    def copy_number(self) -> int:
        """Which of several copies the pair is; copies after the first have a seventh part in their id."""
        parts = self.pair_id.split(".")
        return int(parts[6]) if len(parts) == 7 else 1


@dataclass(frozen=True)
class Context:
    """An edition, its pairs and the settings of its language.

    ``all_coverage`` holds the coverage rows valid at the edition with their kinds, which the edition itself drops;
    ``excluded`` the stereotypes that the survey excludes; ``as_released`` whether tiers are excluded as in releases.
    """

    edition: Edition
    pairs: list[Pair]
    language: Language
    all_coverage: list[Coverage]
    excluded: frozenset[str] = frozenset()
    as_released: bool = True
    released_pairs: dict[str, Any] | None = None
    _forms: dict[tuple[Any, ...], Form | None] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def digest(self) -> str:
        """The digest of the pairs' published columns, as a record of a release has it."""
        columns = self.edition.language.published_columns.values()
        return pairs_digest([str(getattr(pair, column)) for column in columns] for pair in self.pairs)

    @property
    def differs_from_release(self) -> bool:
        """Whether the edition is released and these are not its pairs: another survey, or other tiers left out."""
        return self.released_pairs is not None and self.digest != self.released_pairs["sha256"]

    @cached_property
    def templates(self) -> dict[str, Template]:
        """Templates by id."""
        return {row.template_id: row for row in self.edition.templates}

    @cached_property
    def names(self) -> dict[tuple[str, str | None], Name]:
        """Names by id and origin; an origin of None stands for all others."""
        return {(row.name_id, row.origin): row for row in self.edition.names}

    def name_of(self, pair: Pair) -> Name | None:
        """The row of the names table that a pair's subject comes from, or None for a group."""
        return self.names.get((pair.subject, pair.origin)) or self.names.get((pair.subject, None))

    @cached_property
    def _forms_by_key(self) -> dict[tuple[str, str], list[Form]]:
        forms: dict[tuple[str, str], list[Form]] = {}
        for row in self.edition.forms:
            forms.setdefault((row.stereotype_id, row.form), []).append(row)
        return forms

    def form_of(self, pair: Pair) -> Form | None:
        """The row of the forms table that a pair's predicate comes from."""
        form = self.templates[pair.template_id].form
        key = (pair.stereotype_id, form, pair.identity, pair.copy_number, pair.name_gender)
        if key not in self._forms:
            place = {"identity": pair.identity, "copy_number": pair.copy_number, "name_gender": pair.name_gender}
            self._forms[key] = narrowest(self._forms_by_key.get(key[:2], []), place, tuple(place))
        return self._forms[key]


def most_frequent(counts: Counter[str]) -> str:
    """The most frequent text; of several the first in alphabetical order."""
    return min(counts, key=lambda text: (-counts[text], text))


class Collected:
    """Findings of one gate in the making: rows gathered by scope."""

    def __init__(self, gate: str) -> None:
        self.gate = gate
        self.rows: dict[str, dict[str, None]] = {}
        self.texts: dict[str, str] = {}

    def add(self, scope: str, row: str, text: str) -> None:
        """Note a row under a scope; the text of the first row of a scope is the one that people read."""
        self.rows.setdefault(scope, {})[row] = None
        self.texts.setdefault(scope, text)

    def findings(self) -> list[Finding]:
        """One finding per scope, in the order of first sight."""
        return [Finding(self.gate, scope, tuple(rows), self.texts[scope]) for scope, rows in self.rows.items()]


def sentences(pair: Pair) -> Iterator[tuple[str, str, int, int]]:
    """Both sentences of a pair: (side, sentence, start and end of the identity term)."""
    yield "x", pair.sent_x, pair.span_start_x, pair.span_end_x
    yield "y", pair.sent_y, pair.span_start_y, pair.span_end_y


def words(text: str) -> list[str]:
    """The words of a text, in order."""
    return WORD.findall(text)


def phrase_pattern(phrases: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern that finds any of the phrases as whole words, in any case; None where there are no phrases."""
    ordered = sorted(phrases, key=lambda p: (-len(p), p))
    if not ordered:
        return None
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, ordered)) + r")(?!\w)", re.IGNORECASE)
