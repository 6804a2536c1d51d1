"""The questions of a round: which columns each needs, and what a cell of it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from winoqueer_nl.problems import listed, quoted
from winoqueer_nl.survey.cells import (
    ANSWERED,
    NOT_APPLICABLE,
    NOT_SHOWN,
    SKIPPED,
    Complaint,
    Meaning,
    Reader,
    closed,
    several,
    text,
    ticked,
)
from winoqueer_nl.survey.instrument import IdentityQuestion, Instrument


@dataclass(frozen=True)
class Question:
    """One question of a round.

    meaning_of: takes a cell (for a question in several columns: their cells) and gives its meaning, or the place of
        the column that has none with the complaint.
    """

    name: str
    aspect: str
    columns: tuple[str, ...]
    meaning_of: Callable[[Any], Meaning | tuple[int, Complaint]]
    is_split: bool = False


def questions_of(instrument: Instrument, round_id: str) -> list[Question]:
    """Identities first, then free text, then relevance and harmfulness item by item."""
    one = instrument.rounds[round_id]
    form = instrument.formats[one.format]
    vocabulary = instrument.languages[one.language]
    scale = instrument.harmfulness
    blank = {"": Meaning(form.empty)}
    blank |= dict.fromkeys(form.skipped, Meaning(SKIPPED)) | dict.fromkeys(form.not_shown, Meaning(NOT_SHOWN))
    blank |= dict.fromkeys(vocabulary.not_applicable_labels, Meaning(NOT_APPLICABLE))
    relevance = blank | {label: Meaning(ANSWERED, (meaning,)) for label, meaning in vocabulary.meanings()}
    values = {str(value): value for value in range(scale.minimum, scale.maximum + 1)} | scale.labels
    harmfulness = blank | {label: Meaning(ANSWERED, (str(value),)) for label, value in values.items()}
    scale_words = f"a whole number from {scale.minimum} to {scale.maximum}"
    words = f"one of {listed(quoted(label) for label, _ in vocabulary.meanings())}"
    # People who may choose an identity may also choose to say that none applies: an answer of the list goes first.
    found = [_identity(question, blank, form.trailing_separator) for question in one.identities]
    found += [_single(column, "free_text", column, text(blank)) for column in one.free_text]
    for item in one.items:
        if item.relevance is not None:
            found.append(_single(item.key, "relevance", item.relevance, closed(relevance, words)))
        if item.harmfulness is not None:
            found.append(_single(item.key, "harmfulness", item.harmfulness, closed(harmfulness, scale_words, True)))
    return found


def _identity(question: IdentityQuestion, blank: dict[str, Meaning], trailing: bool) -> Question:
    mine = {sign: meaning for sign, meaning in blank.items() if sign not in question.answers}
    if question.column is not None:
        return _single(
            question.id, "identity", question.column, several(mine, question.answers, question.separator, trailing)
        )
    meaning_of = ticked(
        mine,
        question.columns,
        lambda value, identifier: value in question.chosen or question.answers.get(value) == identifier,
        set(question.not_chosen),
    )
    return Question(question.id, "identity", tuple(question.columns), meaning_of, is_split=True)


def _single(name: str, aspect: str, column: str, reader: Reader) -> Question:
    def meaning_of(cell: str) -> Meaning | tuple[int, Complaint]:
        meaning = reader(cell)
        return (0, meaning) if isinstance(meaning, Complaint) else meaning

    return Question(name, aspect, (column,), meaning_of)
