"""Holding a file against its round before a single answer is looked at: columns, question texts, respondents, rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.survey.cells import safely
from winoqueer_nl.survey.formats import Format, normalised
from winoqueer_nl.survey.instrument import Instrument, Round
from winoqueer_nl.survey.reading import RawExport


def columns_are_known(
    export: RawExport, round_id: str, instrument: Instrument, used: Counter[str], problems: Problems
) -> bool:
    """Every column wanted is there once, and no other unless the rules say that unmapped ones are ignored."""
    wanted = instrument.columns_of(round_id)
    form = instrument.formats[instrument.rounds[round_id].format]
    may_be_there = {*wanted, *form.optional, *form.derived}
    if form.respondent is not None:
        may_be_there.add(form.respondent)
    before = len(problems.found)
    # A derived column whose source is absent has its message already.
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
        if column not in may_be_there:
            if instrument.rules.unmapped_columns == "ignore":
                used["unmapped_columns"] += 1
                continue
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


def texts_are_those_asked(export: RawExport, one: Round, problems: Problems) -> None:
    """Note each column of an item whose question text does not hold the wording that the item says was asked."""
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
                    row=export.text_row or None,
                    field=column,
                )


def respondents_are_unique(export: RawExport, place: int, column: str, refuse: bool, problems: Problems) -> None:
    """Note each response without an identifier and, unless a rule chooses among them, each that is there twice."""
    first: dict[str, int] = {}
    for number, cells in export.rows:
        identifier = cells[place]
        if not identifier:
            problems.add(export.path, "an empty cell", "the identifier of the response", row=number, field=column)
        elif identifier in first and refuse:
            problems.add(
                export.path,
                f"the same response as in row {first[identifier]}",
                "each response once",
                "Remove one of the two rows, export the file again, or say under rules which one counts.",
                row=number,
                field=column,
            )
        else:
            first[identifier] = number


def rows_that_count(
    export: RawExport, form: Format, place: Mapping[str, int], problems: Problems
) -> tuple[list[int], Counter[str]]:
    """The places of the rows that count, and how many each rule dropped; the first rule that fits a row drops it."""
    dropped: Counter[str] = Counter({rule: 0 for column in form.rows.values() for rule in column.drop})
    rules = []
    for column, rule in form.rows.items():
        verdicts: dict[str, str | None] = dict.fromkeys(rule.keep)
        verdicts |= {value: name for name, drop in rule.drop.items() for value in drop.values}
        rules.append((column, place[column], verdicts))
    kept = []
    for i, (_, cells) in enumerate(export.rows):
        reasons = []
        for column, index, verdicts in rules:
            value = normalised(cells[index])
            if value not in verdicts:
                problems.add(
                    export.path,
                    safely(value),
                    f"one of {listed(quoted(v) for v in verdicts)}",
                    f"Say under formats, rows, {column} whether such rows are kept or dropped.",
                    row=export.row_of(i, index),
                    field=column,
                )
            elif verdicts[value] is not None:
                reasons.append(str(verdicts[value]))
        if reasons:
            dropped[reasons[0]] += 1
        else:
            kept.append(i)
    return kept, dropped
