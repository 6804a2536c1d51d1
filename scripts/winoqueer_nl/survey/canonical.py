"""The canonical table: what every respondent answered to every question, whichever tool the export came from.

A format's reader turns a file into a :class:`RawExport` (texts only, personal columns already gone). This module
holds it against the instrument. What it cannot read is a problem, unless a rule of the instrument says otherwise;
nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from winoqueer_nl.problems import Problems
from winoqueer_nl.survey.cells import STATES, UNUSABLE, Complaint, Meaning
from winoqueer_nl.survey.checks import columns_are_known, respondents_are_unique, rows_that_count, texts_are_those_asked
from winoqueer_nl.survey.instrument import Instrument
from winoqueer_nl.survey.questions import Question, questions_of
from winoqueer_nl.survey.reading import RawExport

ASPECTS = ["relevance", "harmfulness", "identity", "free_text"]
COLUMNS = ["round", "respondent", "question", "aspect", "state", "answer"]
RULES = ("unknown_answers", "out_of_range", "unmapped_columns", "duplicated_respondents")


@dataclass
class Responses:
    """Answers of one or more exports.

    table: one row per round, respondent (a running number), question and aspect; in a multi-select question one per
        answer chosen. ``state`` keeps apart what was answered, skipped, not shown, not applicable, and unusable (an
        answer that the instrument does not know, where its rules let that pass); ``answer`` is yes, no or unsure
        (relevance), a whole number as text (harmfulness), an id (identity) or the text itself (free text).
    rules: how often each rule of the instrument was needed, by round.
    """

    table: pd.DataFrame
    respondents: dict[str, int] = field(default_factory=dict)
    rows_read: dict[str, int] = field(default_factory=dict)
    exports: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    rules: dict[str, Counter[str]] = field(default_factory=dict)

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
    used: Counter[str] = Counter(dict.fromkeys(RULES, 0))
    if not columns_are_known(export, round_id, instrument, used, problems):
        return None
    texts_are_those_asked(export, one, problems)
    place = {column: i for i, column in enumerate(export.columns)}
    policy = instrument.rules.duplicated_respondents
    if form.respondent is not None:
        respondents_are_unique(export, place[form.respondent], form.respondent, policy == "error", problems)
    kept, dropped = rows_that_count(export, form, place, problems)
    if policy != "error" and form.respondent is not None:
        kept = _each_once(export, kept, place[form.respondent], policy == "keep_last", used)
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
    noted = Problems()
    asked = questions_of(instrument, round_id)
    names = list(dict.fromkeys(question.name for question in asked))
    parts = [
        _part(export, round_id, question, names, place, kept, first_respondent, instrument, used, noted)
        for question in asked
    ]
    noted.found.sort(key=lambda problem: problem.row or 0)
    problems.extend(noted)
    if len(problems.found) > before:
        return None
    return Responses(
        pd.concat(parts, ignore_index=True),
        {round_id: len(kept)},
        {round_id: len(export.rows)},
        {round_id: 1},
        {round_id: dropped},
        {round_id: used},
    )


def combine(responses: Sequence[Responses], rounds: Sequence[str]) -> Responses:
    """Put the answers of several exports together; ``rounds`` gives the order and the categories."""
    tables = [one.table.assign(round=pd.Categorical(one.table["round"], rounds)) for one in responses]
    questions = list(dict.fromkeys(q for one in responses for q in one.table["question"].cat.categories))
    tables = [t.assign(question=t["question"].cat.set_categories(questions)) for t in tables]
    together = Responses(tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True))
    for one in responses:
        for mine, theirs in (
            (together.respondents, one.respondents),
            (together.rows_read, one.rows_read),
            (together.exports, one.exports),
        ):
            for round_id, number in theirs.items():
                mine[round_id] = mine.get(round_id, 0) + number
        for counters, others in ((together.dropped, one.dropped), (together.rules, one.rules)):
            for round_id, counts in others.items():
                counter = counters.setdefault(round_id, Counter())
                for rule, number in counts.items():  # not update(): a rule that dropped nothing stays in sight
                    counter[rule] += number
    return together


def _each_once(export: RawExport, kept: Sequence[int], place: int, last: bool, used: Counter[str]) -> list[int]:
    """The rows with each respondent once, the first or the last of equals, in the order of the file."""
    chosen: dict[str, int] = {}
    for i in kept:
        identifier = export.rows[i][1][place]
        if identifier not in chosen or last:
            chosen[identifier] = i
    used["duplicated_respondents"] += len(kept) - len(chosen)
    return sorted(chosen.values())


def _part(
    export: RawExport,
    round_id: str,
    question: Question,
    names: Sequence[str],
    place: Mapping[str, int],
    kept: Sequence[int],
    first_respondent: int,
    instrument: Instrument,
    used: Counter[str],
    noted: Problems,
) -> pd.DataFrame:
    """The canonical rows of one question. Each different cell is looked at once, however many hold it."""
    indices = [place[column] for column in question.columns]
    cells: list[str] | list[tuple[str, ...]]
    if len(indices) == 1 and not question.is_split:
        index = indices[0]
        cells = [export.rows[i][1][index] for i in kept]
    else:
        cells = [tuple(export.rows[i][1][index] for index in indices) for i in kept]
    code_of = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
    codes = np.fromiter(map(code_of.__getitem__, cells), np.int64, len(cells))
    meanings: list[Meaning] = []
    for code, cell in enumerate(code_of):
        found = question.meaning_of(cell)
        if not isinstance(found, Meaning):
            column, complaint = found
            meanings.append(Meaning(UNUSABLE))
            rows = np.flatnonzero(codes == code)
            if complaint.rule and getattr(instrument.rules, complaint.rule) != "error":
                used[complaint.rule] += len(rows)
                continue
            _complain(export, [kept[int(i)] for i in rows], question.columns[column], indices[column], complaint, noted)
        else:
            meanings.append(found)
    lengths = np.array([len(meaning.answers) for meaning in meanings], np.int64)
    states = np.array([STATES.index(meaning.state) for meaning in meanings], np.int8)
    flat = pd.array([answer for meaning in meanings for answer in meaning.answers], dtype="str")
    starts = np.cumsum(lengths) - lengths
    repeats = lengths[codes] if len(codes) else np.zeros(0, np.int64)
    total = int(repeats.sum())
    within = np.arange(total) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    places = np.repeat(starts[codes], repeats) + within if total else np.zeros(0, np.int64)
    return pd.DataFrame(
        {
            "round": pd.Categorical.from_codes(np.zeros(total, np.int8), [round_id]),
            "respondent": np.repeat(first_respondent + np.arange(len(codes), dtype=np.int64), repeats),
            "question": pd.Categorical.from_codes(np.full(total, names.index(question.name)), names),
            "aspect": pd.Categorical.from_codes(np.full(total, ASPECTS.index(question.aspect), np.int8), ASPECTS),
            "state": pd.Categorical.from_codes(np.repeat(states[codes], repeats), STATES),
            "answer": flat.take(places),
        }
    )


def _complain(
    export: RawExport, rows: Sequence[int], column: str, index: int, complaint: Complaint, noted: Problems
) -> None:
    for i in rows:
        row = export.row_of(i, index)
        noted.add(export.path, complaint.found, complaint.expected, complaint.fix, row=row, field=column)
