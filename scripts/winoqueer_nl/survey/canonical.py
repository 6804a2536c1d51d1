"""The canonical table: what every respondent answered to every question, whichever tool the export came from.

A format's reader turns a file into a :class:`RawExport` (texts only, personal columns already gone). This module
holds it against the instrument. What it cannot read is a problem; nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.survey.cells import (
    ANSWERED,
    NOT_SHOWN,
    SKIPPED,
    STATES,
    Complaint,
    Meaning,
    Reader,
    closed,
    safely,
    several,
    text,
)
from winoqueer_nl.survey.instrument import Format, Instrument, Round, normalised

ASPECTS = ["relevance", "harmfulness", "identity", "free_text"]
COLUMNS = ["round", "respondent", "question", "aspect", "state", "answer"]


@dataclass(frozen=True)
class RawExport:
    """A file as its reader found it: column names, question texts, and rows with their spreadsheet numbers.

    Personal columns are not in it. ``texts`` is empty where the format shows no question texts.
    """

    path: Path
    columns: list[str]
    texts: list[str]
    rows: list[tuple[int, list[str]]]
    #: the spreadsheet row that holds the question texts
    text_row: int = 2


@dataclass
class Responses:
    """Answers of one or more exports.

    table: one row per round, respondent (a running number), question and aspect; in a multi-select question one per
        answer chosen. ``state`` keeps apart what was answered, skipped and not shown; ``answer`` is yes, no or unsure
        (relevance), a whole number as text (harmfulness), an id (identity) or the text itself (free text).
    """

    table: pd.DataFrame
    respondents: dict[str, int] = field(default_factory=dict)
    rows_read: dict[str, int] = field(default_factory=dict)
    exports: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def n_respondents(self) -> int:
        """Respondents of all rounds together."""
        return sum(self.respondents.values())


def interpret(
    export: RawExport, round_id: str, instrument: Instrument, first_respondent: int, problems: Problems
) -> Responses | None:
    """Hold an export against its round; None, with every problem noted, if anything in it is not understood."""
    before = len(problems.found)
    one = instrument.rounds[round_id]
    form = instrument.formats[one.format]
    if not _columns_are_known(export, round_id, instrument, problems):
        return None
    _texts_are_those_asked(export, one, problems)
    place = {column: i for i, column in enumerate(export.columns)}
    _respondents_are_unique(export, place[form.respondent], form.respondent, problems)
    kept, dropped = _kept_rows(export, form, place, problems)
    if len(problems.found) == before and not kept:
        problems.add(
            export.path,
            f"no response that counts ({len(export.rows)} rows read, all dropped)",
            "at least one",
            "Check that this is the export of the finished survey.",
        )
    if len(problems.found) == before and one.respondents not in (None, len(kept)):
        problems.add(
            export.path,
            f"{len(kept)} responses that count",
            f"{one.respondents}, as the instrument says of the round {round_id}",
            "The file may be cut off; export it again, or correct the number in the instrument.",
        )
    parts = _parts(export, round_id, instrument, place, kept, first_respondent, problems)
    if len(problems.found) > before:
        return None
    return Responses(
        pd.concat(parts, ignore_index=True),
        {round_id: len(kept)},
        {round_id: len(export.rows)},
        {round_id: 1},
        {round_id: dropped},
    )


def combine(responses: Sequence[Responses], rounds: Sequence[str]) -> Responses:
    """Put the answers of several exports together; ``rounds`` gives the order and the categories."""
    tables = [one.table.assign(round=pd.Categorical(one.table["round"], rounds)) for one in responses]
    questions = list(dict.fromkeys(q for one in responses for q in one.table["question"].cat.categories))
    tables = [t.assign(question=t["question"].cat.set_categories(questions)) for t in tables]
    together = Responses(pd.concat(tables, ignore_index=True))
    for one in responses:
        for mine, theirs in (
            (together.respondents, one.respondents),
            (together.rows_read, one.rows_read),
            (together.exports, one.exports),
        ):
            for round_id, number in theirs.items():
                mine[round_id] = mine.get(round_id, 0) + number
        for round_id, counts in one.dropped.items():
            mine_dropped = together.dropped.setdefault(round_id, Counter())
            for rule, number in counts.items():  # not update(): a rule that dropped nothing stays in sight
                mine_dropped[rule] += number
    return together


def _columns_are_known(export: RawExport, round_id: str, instrument: Instrument, problems: Problems) -> bool:
    wanted = instrument.columns_of(round_id)
    before = len(problems.found)
    missing = [column for column in wanted if column not in export.columns]
    for column in dict.fromkeys(export.columns):
        if export.columns.count(column) > 1:
            problems.add(
                export.path,
                f"the column {quoted(column)} more than once",
                "each column once",
                row=1,
                field=column,
            )
        if column not in wanted:
            problems.add(
                export.path,
                f"the column {quoted(column)}, which the instrument does not know",
                f"only the columns of the round {round_id}",
                suggestion(column, missing) or "Map it in the instrument: to a question, to ignored or to personal.",
                row=1,
                field=column,
            )
    for column in missing:
        problems.add(
            export.path,
            f"no column {quoted(column)}",
            f"every column of the round {round_id}",
            "Export all questions, or correct the instrument.",
            row=1,
            field=column,
        )
    return len(problems.found) == before


def _texts_are_those_asked(export: RawExport, one: Round, problems: Problems) -> None:
    if not export.texts:
        return
    texts = dict(zip(export.columns, export.texts, strict=True))
    for item in one.items:
        for column in (item.relevance, item.harmfulness):
            if column is not None and normalised(item.asked) not in normalised(texts[column]):
                problems.add(
                    export.path,
                    f"the question text {quoted(normalised(texts[column])[-120:])}",
                    f"a text with {quoted(item.asked)} in it",
                    "The columns may have been renamed or moved; correct the instrument.",
                    row=export.text_row,
                    field=column,
                )


def _respondents_are_unique(export: RawExport, place: int, column: str, problems: Problems) -> None:
    first: dict[str, int] = {}
    for number, cells in export.rows:
        identifier = cells[place].strip()
        if not identifier:
            problems.add(export.path, "an empty cell", "the identifier of the response", row=number, field=column)
        elif identifier in first:
            problems.add(
                export.path,
                f"the same response as in row {first[identifier]}",
                "each response once",
                "Remove one of the two rows, or export the file again.",
                row=number,
                field=column,
            )
        else:
            first[identifier] = number


def _kept_rows(
    export: RawExport, form: Format, place: Mapping[str, int], problems: Problems
) -> tuple[list[tuple[int, list[str]]], Counter[str]]:
    """The rows that count, and how many were dropped by each rule; the first rule that fits a row drops it."""
    dropped: Counter[str] = Counter({rule: 0 for column in form.rows.values() for rule in column.drop})
    rules = []
    for column, rule in form.rows.items():
        verdicts: dict[str, str | None] = dict.fromkeys(rule.keep)
        verdicts |= {value: name for name, drop in rule.drop.items() for value in drop.values}
        rules.append((column, place[column], verdicts))
    kept = []
    for number, cells in export.rows:
        reasons = []
        for column, index, verdicts in rules:
            value = normalised(cells[index])
            if value not in verdicts:
                problems.add(
                    export.path,
                    safely(value),
                    f"one of {listed(quoted(v) for v in verdicts)}",
                    f"Say under formats, rows, {column} whether such rows are kept or dropped.",
                    row=number,
                    field=column,
                )
            elif verdicts[value] is not None:
                reasons.append(str(verdicts[value]))
        if reasons:
            dropped[reasons[0]] += 1
        else:
            kept.append((number, cells))
    return kept, dropped


def _parts(
    export: RawExport,
    round_id: str,
    instrument: Instrument,
    place: Mapping[str, int],
    kept: Sequence[tuple[int, list[str]]],
    first_respondent: int,
    problems: Problems,
) -> list[pd.DataFrame]:
    """The canonical rows, column by column; problems are sorted by spreadsheet row."""
    one = instrument.rounds[round_id]
    form = instrument.formats[one.format]
    blank = {"": Meaning(NOT_SHOWN)} | dict.fromkeys(form.skipped, Meaning(SKIPPED))
    vocabulary = instrument.languages[one.language]
    scale = instrument.harmfulness
    relevance = blank | {label: Meaning(ANSWERED, (meaning,)) for label, meaning in vocabulary.meanings()}
    values = {str(value): value for value in range(scale.minimum, scale.maximum + 1)} | scale.labels
    harmfulness = blank | {label: Meaning(ANSWERED, (str(value),)) for label, value in values.items()}

    columns: list[tuple[str, str, str, Reader]] = []
    for question in one.identities:
        columns.append((question.column, question.id, "identity", several(blank, question.answers, question.separator)))
    for column in one.free_text:
        columns.append((column, column, "free_text", text(blank)))
    scale_words = f"a whole number from {scale.minimum} to {scale.maximum}"
    words = f"one of {listed(quoted(label) for label, _ in vocabulary.meanings())}"
    for item in one.items:
        if item.relevance is not None:
            columns.append((item.relevance, item.key, "relevance", closed(relevance, words)))
        if item.harmfulness is not None:
            columns.append((item.harmfulness, item.key, "harmfulness", closed(harmfulness, scale_words)))

    questions = list(dict.fromkeys(question for _, question, _, _ in columns))
    noted = Problems()
    parts = []
    for column, name, aspect, meaning_of in columns:
        index = place[column]
        known: dict[str, Meaning | Complaint] = {}
        people: list[int] = []
        states: list[int] = []
        answers: list[str] = []
        for i, (number, cells) in enumerate(kept):
            cell = cells[index]
            meaning = known.get(cell)
            if meaning is None:
                meaning = known[cell] = meaning_of(cell)
            if isinstance(meaning, Complaint):
                noted.add(export.path, meaning.found, meaning.expected, meaning.fix, row=number, field=column)
                continue
            state = STATES.index(meaning.state)
            for answer in meaning.answers:
                people.append(first_respondent + i)
                states.append(state)
                answers.append(answer)
        parts.append(
            pd.DataFrame(
                {
                    "round": pd.Categorical.from_codes(np.zeros(len(people), np.int8), [round_id]),
                    "respondent": np.array(people, np.int64),
                    "question": pd.Categorical.from_codes(np.full(len(people), questions.index(name)), questions),
                    "aspect": pd.Categorical.from_codes(np.full(len(people), ASPECTS.index(aspect)), ASPECTS),
                    "state": pd.Categorical.from_codes(np.array(states, np.int8), STATES),
                    "answer": pd.array(answers, dtype="str"),
                }
            )
        )
    noted.found.sort(key=lambda problem: problem.row or 0)
    problems.extend(noted)
    return parts
