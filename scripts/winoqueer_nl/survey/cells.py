"""What a single cell of an export means: its state, and what was answered. Text in, meaning or complaint out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from winoqueer_nl.problems import listed, quoted, suggestion
from winoqueer_nl.survey.instrument import normalised

ANSWERED, SKIPPED, NOT_SHOWN = STATES = ["answered", "skipped", "not_shown"]


@dataclass(frozen=True)
class Meaning:
    """The state of a cell and, where answered, its answers (several in a multi-select cell)."""

    state: str
    answers: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Complaint:
    """Why a cell has no meaning: what was found, what was expected, and the way out."""

    found: str
    expected: str
    fix: str


Reader = Callable[[str], Meaning | Complaint]


def closed(meanings: Mapping[str, Meaning], expected: str) -> Reader:
    """Reader of a question with fixed answers; one that is not known is shown in the complaint."""

    def meaning_of(cell: str) -> Meaning | Complaint:
        value = normalised(cell)
        if value in meanings:
            return meanings[value]
        near = suggestion(value, [label for label in meanings if label])
        return Complaint(safely(value), expected, near or "Correct the cell, or add the label to the instrument.")

    return meaning_of


def several(blank: Mapping[str, Meaning], answers: Mapping[str, str], separator: str | None) -> Reader:
    """Reader of a question about the respondent, one answer or several in a cell.

    What people say about themselves is never repeated in a complaint; row and column lead to it.
    """
    expected = f"answers that the instrument lists: {listed(answers, 20)}"
    fix = "Correct the cell, or add the answer to the instrument."

    def meaning_of(cell: str) -> Meaning | Complaint:
        value = normalised(cell)
        if value in blank:
            return blank[value]
        ways = choices(value, list(answers), separator)
        if not ways:
            return Complaint("an answer that is not in the list", expected, fix)
        ids = {tuple(dict.fromkeys(answers[label] for label in way)) for way in ways}
        if len(ids) > 1:
            return Complaint("a cell that can be taken apart in more than one way", expected, fix)
        if any(len(set(way)) < len(way) for way in ways):
            return Complaint("an answer twice in one cell", "each answer once", fix)
        return Meaning(ANSWERED, next(iter(ids)))

    return meaning_of


def text(blank: Mapping[str, Meaning]) -> Reader:
    """Reader of a question answered in one's own words."""

    def meaning_of(cell: str) -> Meaning | Complaint:
        return blank.get(cell.strip()) or Meaning(ANSWERED, (cell.strip(),))

    return meaning_of


def choices(cell: str, labels: Sequence[str], separator: str | None) -> list[list[str]]:
    """Every way to take a multi-select cell apart into known labels; labels may hold the separator themselves."""
    if separator is None or not cell:
        return [[cell]] if cell in labels else []
    # ways[n]: how the first n characters come apart; two ways are enough to know that a cell is ambiguous.
    ways: list[list[list[str]]] = [[] for _ in range(len(cell) + 1)]
    ways[0] = [[]]
    for start in range(len(cell)):
        for label in labels:
            end = start + len(label)
            if not ways[start] or cell[start:end] != label:
                continue
            rest = cell[end:]
            if not rest:
                following = len(cell)
            elif rest.lstrip().startswith(separator):
                after = rest.lstrip()[len(separator) :].lstrip()
                following = len(cell) - len(after) if after else -1
            else:
                continue
            if following >= 0:
                ways[following] = (ways[following] + [[*way, label] for way in ways[start]])[:2]
    return ways[len(cell)]


def safely(value: str) -> str:
    """A value for a message, unless it looks like something personal in the wrong column."""
    if not value:
        return "an empty cell"
    if len(value) > 40 or re.search(r"@|\d+[.:]\d+[.:]\d+", value):
        return f"a text of {len(value)} characters (not shown: it may be personal)"
    return quoted(value)
