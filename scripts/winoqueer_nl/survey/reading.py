"""From a file to a :class:`RawExport`: header rows verified, personal columns gone before anything else is read."""

from __future__ import annotations

import hashlib
import itertools
import secrets
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from winoqueer_nl.problems import Problems, quoted
from winoqueer_nl.survey import qualtrics
from winoqueer_nl.survey.containers import EXPORT_AGAIN, rows_of
from winoqueer_nl.survey.formats import WHOLE_ROW, Format, normalised

# Drawn anew in each run and never written: what is kept of a response's identifier is of no use outside the run.
_SECRET = secrets.token_bytes(32)

# The same few answers fill most cells; each is kept once. Longer ones are people's own words.
_MOST_KEPT, _LONGEST_KEPT = 10_000, 60


@dataclass(frozen=True)
class RawExport:
    """A file as its reader found it: column names, question texts, and rows with their spreadsheet numbers.

    Personal columns are not in it; of a response's identifier it holds a code that tells it apart in this run.
    ``texts`` is empty where the format shows no question texts.
    """

    path: Path
    columns: list[str]
    texts: list[str]
    rows: list[tuple[int, list[str]]]
    #: the spreadsheet row that holds the question texts
    text_row: int = 2
    #: long tables: the spreadsheet row of each cell of a row, 0 where there is none
    cell_rows: list[array[int]] = field(default_factory=list)

    def row_of(self, i: int, column: int) -> int:
        """The spreadsheet row of a cell of the i-th row."""
        return (self.cell_rows[i][column] if self.cell_rows else 0) or self.rows[i][0]


def read(path: Path, form: Format, problems: Problems) -> RawExport | None:
    """Read one export as text; None with every problem noted."""
    before = len(problems.found)
    rows = rows_of(path, form, problems)
    header = _header(rows, form)
    if len(problems.found) > before:
        return None
    if not header:
        problems.add(path, "an empty file (blank lines only)", "a header row and at least one row", EXPORT_AGAIN)
        return None
    if form.layout == "qualtrics":
        # The first rows are looked at before they are taken for responses: a header row may be missing or doubled.
        peeked = list(itertools.islice(rows, 6))
        if len(problems.found) == before:
            qualtrics.check_header_rows(path, form.header_rows, header + peeked, problems)
        rows = itertools.chain(peeked, rows)
    columns, texts = _names(path, form, header, problems)
    if len(problems.found) > before:
        return None
    export = _stripped(path, form, columns, texts, header, rows, problems)
    if len(problems.found) == before and not export.rows:
        problems.add(path, "header rows only", "at least one response", EXPORT_AGAIN)
    if len(problems.found) == before and form.layout == "long":
        export = _pivoted(export, form, problems)
    return export if len(problems.found) == before else None


def _header(rows: Iterator[tuple[int, list[str]]], form: Format) -> list[tuple[int, list[str]]]:
    """The header rows. Blank lines above them do not count; a blank second row (no items at all) does."""
    found: list[tuple[int, list[str]]] = []
    wanted = 2 if form.container == "sav" else form.header_rows
    for number, cells in rows:
        blank = not any(cell.strip() for cell in cells)
        if blank and not (found and (form.layout == "question_and_item" or form.container == "sav")):
            continue
        found.append((number, cells))
        if len(found) == wanted:
            break
    return found


def _names(
    path: Path, form: Format, header: list[tuple[int, list[str]]], problems: Problems
) -> tuple[list[str], list[str]]:
    """The name of each column, and the question texts where the format shows any."""
    names = [normalised(cell) for cell in header[0][1]]
    texts: list[str] = []
    if form.layout == "question_and_item" and len(header) > 1:
        number, items = header[1]
        if len(items) > len(names):  # a spreadsheet gives no cell to the right of the last question
            names += [""] * (len(items) - len(names))
        if len(items) < len(names) and any(items):
            _width_problem(path, number, len(items), len(names), problems)
            return [], []
        items = [normalised(item) for item in items] + [""] * (len(names) - len(items))
        for name, item in zip(names, items, strict=True):
            # Without the row of items, the first response stands there: nothing of it may become a column's name.
            if item and (name == form.respondent or form.is_personal(name)):
                problems.add(
                    path,
                    f"something below {quoted(name)}",
                    "a second header row, with the items of the questions and nothing below other columns",
                    EXPORT_AGAIN,
                    row=number,
                    field=name,
                )
        names = questions_and_items(names, items)
        texts = names
    elif form.layout == "texts":
        texts = names
    elif form.container == "sav" and any(header[1][1]):  # a file may have no labels of variables at all
        texts = [normalised(cell) or name for cell, name in zip(header[1][1], names, strict=True)]
    elif form.layout == "qualtrics" and len(header) > 1:
        texts = header[1][1]
    if not any(names):
        problems.add(path, "an empty file (blank lines only)", "a header row and at least one row", EXPORT_AGAIN)
    for position, name in enumerate(names, start=1):
        if not name:
            problems.add(path, f"no name over column {position}", "a name over each column", EXPORT_AGAIN, row=1)
    return names, texts


def questions_and_items(questions: list[str], items: list[str]) -> list[str]:
    """``Question [item]``; a question stands over the first of its items only."""
    names = []
    current = ""
    for question, item in zip(questions, items, strict=True):
        current = question or (current if item else "")
        names.append(f"{current} [{item}]" if item and current else current)
    return names


def _stripped(
    path: Path,
    form: Format,
    columns: list[str],
    texts: list[str],
    header: list[tuple[int, list[str]]],
    rows: Iterator[tuple[int, list[str]]],
    problems: Problems,
) -> RawExport:
    """The responses without personal columns; derived columns at the end, identifiers as codes of this run."""
    keep = [i for i, column in enumerate(columns) if not form.is_personal(column)]
    names = [columns[i] for i in keep]
    kept_texts = [texts[i] for i in keep] if texts else []
    sources = []
    for name, derived in form.derived.items():
        if derived.column not in columns:
            problems.add(
                path,
                f"no column {quoted(derived.column)}",
                f"the column that {name} is made from",
                f"Export it too, or take {name} out of derived and rows in the instrument.",
                row=header[0][0] or None,
                field=derived.column,
            )
            continue
        sources.append((columns.index(derived.column), derived))
        names.append(name)
    if form.respondent == WHOLE_ROW:
        names.append(WHOLE_ROW)
    if texts:
        kept_texts += [""] * (len(names) - len(kept_texts))
    identifier = names.index(form.respondent) if form.respondent in names and form.respondent != WHOLE_ROW else None
    cache: dict[str, str] = {}
    found: list[tuple[int, list[str]]] = []
    short: int | None = None
    number = 0
    for number, cells in rows:
        if not any(cell and not cell.isspace() for cell in cells):
            continue
        if len(cells) != len(columns):
            _width_problem(path, number, len(cells), len(columns), problems)
            short = number if len(cells) < len(columns) else None
            continue
        short = None
        if form.container != "sav" and _is_header(cells, columns, form):
            problems.add(
                path,
                "a header row among the responses",
                f"{form.header_rows} header rows, at the top",
                "Give each export as a file of its own.",
                row=number,
            )
            continue
        kept = [cells[i] for i in keep]
        kept += [derived.word(cells[i]) for i, derived in sources]
        if form.respondent == WHOLE_ROW:
            kept.append(_code("\x1f".join(cells)))
        elif identifier is not None:
            kept[identifier] = _code(kept[identifier])
        for i, cell in enumerate(kept):
            if i != identifier and len(cell) <= _LONGEST_KEPT:
                known = cache.get(cell)
                if known is not None:
                    kept[i] = known
                elif len(cache) < _MOST_KEPT:
                    cache[cell] = cell
        found.append((number, kept))
    if short is not None and short == number:
        problem = problems.found.pop()
        problems.add(
            path, problem.found, problem.expected, "The file ends in the middle of a row. " + problem.fix, row=short
        )
    text_row = header[-1][0] if form.layout == "question_and_item" else header[:2][-1][0]
    return RawExport(path, names, kept_texts, found, text_row)


def _code(identifier: str) -> str:
    """A code for an identifier; the same within this run, and nothing for nothing."""
    identifier = identifier.strip()
    return hashlib.blake2b(identifier.encode(), key=_SECRET, digest_size=12).hexdigest() if identifier else ""


def _width_problem(path: Path, number: int, found: int, expected: int, problems: Problems) -> None:
    problems.add(path, f"{found} cells", f"{expected}, as in the header row", EXPORT_AGAIN, row=number)


def _is_header(cells: list[str], columns: list[str], form: Format) -> bool:
    if form.layout == "question_and_item":
        return False
    if form.layout == "qualtrics" and qualtrics.import_ids(cells) is not None:
        return True
    return cells[0].strip() == columns[0] and [normalised(cell) for cell in cells] == columns


def _pivoted(long: RawExport, form: Format, problems: Problems) -> RawExport:
    """A long table as a row a respondent: further columns once (the same in all rows), then a column a question."""
    assert form.respondent is not None
    assert form.question is not None
    assert form.answer is not None
    missing = [name for name in (form.respondent, form.question, form.answer) if name not in long.columns]
    for name in missing:
        problems.add(
            long.path,
            f"no column {quoted(name)}",
            "the columns respondent, question and answer",
            "Say in the instrument what they are called.",
            row=1,
            field=name,
        )
    if missing:
        return long
    who, what, said = (long.columns.index(name) for name in (form.respondent, form.question, form.answer))
    further = [i for i in range(len(long.columns)) if i not in (who, what, said)]
    questions: dict[str, int] = {}
    first: dict[str, tuple[int, list[str]]] = {}
    answers: dict[str, dict[int, tuple[str, int]]] = {}
    for number, cells in long.rows:
        question = normalised(cells[what])
        if form.is_personal(question):
            continue
        for i, name in ((who, form.respondent), (what, form.question)):
            if not cells[i].strip():
                problems.add(long.path, "an empty cell", f"a {name} in each row", row=number, field=name)
        before = first.setdefault(cells[who], (number, [cells[i] for i in further]))
        for i, value in zip(further, before[1], strict=True):
            if cells[i] != value:
                problems.add(
                    long.path,
                    f"another value than in row {before[0]}",
                    "the same in all rows of a respondent",
                    row=number,
                    field=long.columns[i],
                )
        place = questions.setdefault(question, len(questions))
        mine = answers.setdefault(cells[who], {})
        if place in mine:
            problems.add(
                long.path,
                f"the same respondent and question as in row {mine[place][1]}",
                "one answer to each question",
                "Several answers to one question stand in one cell, or are questions of their own.",
                row=number,
                field=form.question,
            )
            continue
        mine[place] = (cells[said], number)
    rows: list[tuple[int, list[str]]] = []
    cell_rows: list[array[int]] = []
    for respondent, (number, values) in first.items():
        mine = answers[respondent]
        rows.append((number, [respondent, *values, *(mine.get(i, ("", 0))[0] for i in range(len(questions)))]))
        before_questions = [0] * (1 + len(values))
        cell_rows.append(array("q", before_questions + [mine.get(i, ("", 0))[1] for i in range(len(questions))]))
    columns = [form.respondent, *(long.columns[i] for i in further), *questions]
    return RawExport(long.path, columns, [], rows, 1, cell_rows)
