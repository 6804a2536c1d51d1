"""Review sheets as XLSX and CSV files, whose cells no spreadsheet program will execute.

A cell that begins with ``=``, ``+``, ``-`` or ``@`` is a formula to a spreadsheet program, and so may be what follows a
separator when a program splits the file otherwise than we did. On export an apostrophe goes before every such sign, as
spreadsheet programs do it themselves; on import it is taken away again.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from winoqueer_nl import workbooks
from winoqueer_nl.authoring.rows import BYTE_ORDER_MARK
from winoqueer_nl.files import atomic, write_text
from winoqueer_nl.problems import Problems, listed, suggestion
from winoqueer_nl.tables import decoded

#: What makes a spreadsheet program execute a cell: plain and full-width signs, tab and line ends.
EXECUTED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_SIGNS = re.escape("".join(EXECUTED))
# At the start of the cell or of what might become one, some apostrophes (none, at first), then the sign.
_BEFORE_SIGN = re.compile(rf"(?:\A|(?<=[;,|\t\r\n\"]))'*(?=[{_SIGNS}])")

SHEET = "Review"
WARNING = (
    "Content warning: these are hurtful stereotypes about queer people. They are collected to measure whether "
    "language models prefer them. Take breaks, and stop whenever you like."
)


def neutralised(text: str) -> str:
    """The text with an apostrophe before every sign that could make a spreadsheet program execute a cell."""
    return _BEFORE_SIGN.sub(lambda match: match[0] + "'", text)


def restored(text: str) -> str:
    """The inverse of :func:`neutralised`."""
    return _BEFORE_SIGN.sub(lambda match: match[0][:-1], text)


def write_csv_sheet(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    """Write a review sheet as CSV: UTF-8 with a byte order mark, which spreadsheet programs need, all cells quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([neutralised(row.get(column, "")) for column in columns])
    write_text(path, BYTE_ORDER_MARK + text.getvalue())


def write_xlsx_sheet(
    path: Path,
    columns: Mapping[str, int],
    rows: Sequence[Mapping[str, str]],
    to_fill: Sequence[str],
    choices: Mapping[str, Sequence[str]],
    explained: Sequence[str],
    right_to_left: bool,
) -> None:
    """Write a review sheet as XLSX, the content warning and instructions on the page before it.

    XML knows one line end only: every line end of a text comes back as a line feed.

    Parameters
    ----------
    columns: name -> width in characters.
    rows: texts by column.
    to_fill: the columns that the reviewer fills in; the others are grey.
    choices: column -> what may be chosen in it.
    explained: lines of instructions.
    right_to_left: whether the language is written from right to left.
    """
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font, PatternFill
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    first = book.active
    assert first is not None
    first.title = "Read first"
    first.column_dimensions["A"].width = 100
    for number, line in enumerate((WARNING, *explained), start=1):
        cell = first.cell(number, 1, line)
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        cell.font = Font(bold=number == 1)
    sheet = book.create_sheet(SHEET)
    sheet.sheet_view.rightToLeft = right_to_left
    sheet.freeze_panes = "A2"
    grey = PatternFill("solid", start_color="FFEEEEEE")
    problems = Problems()
    for position, (column, width) in enumerate(columns.items(), start=1):
        letter = get_column_letter(position)
        sheet.column_dimensions[letter].width = width
        sheet.cell(1, position, column).font = Font(bold=True)
        for number, row in enumerate(rows, start=2):
            text = neutralised(row.get(column, "").replace("\r\n", "\n").replace("\r", "\n"))
            if ILLEGAL_CHARACTERS_RE.search(text):
                problems.add(path, "a control character in " + row.get("item", "a row"), "text", field=column)
                continue
            cell = sheet.cell(number, position)
            cell.value = text or None
            cell.data_type = "s" if text else "n"  # a text whatever it begins with
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if column not in to_fill:
                cell.fill = grey
        if column in choices and rows:
            allowed = DataValidation("list", formula1=f'"{",".join(choices[column])}"', allow_blank=True)
            allowed.add(f"{letter}2:{letter}{len(rows) + 1}")
            sheet.add_data_validation(allowed)
    problems.stop()
    with atomic(path) as temporary:
        made = io.BytesIO()
        book.save(made)
        temporary.write_bytes(_without_clock(made.getvalue()))


def _without_clock(content: bytes) -> bytes:
    """The same XLSX file without the time of writing: same rows, same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "docProps/core.xml":
                part = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2000-01-01T00:00:00Z", part)
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, part)
    return out.getvalue()


def read_sheet(path: Path, columns: Sequence[str], problems: Problems) -> list[tuple[int, dict[str, str]]]:
    """Read a review sheet that somebody has filled in, XLSX or CSV: (row number, texts by column).

    Notes what is wrong with the file as a whole; cells come back as they were before they were neutralised.
    """
    records = _xlsx_records(path, problems) if path.suffix.lower() == ".xlsx" else _csv_records(path, problems)
    if not records:
        return []
    header = [cell.strip() for cell in records[0][1]]
    before = len(problems.found)
    for column in columns:
        if header.count(column) != 1:
            found = f"{header.count(column)} columns {column}" if column in header else f"no column {column}"
            hint = suggestion(column, header) or f"The columns of the sheet: {listed(columns, 20)}."
            problems.add(path, found, "the columns of the sheet as it was sent out", hint, row=records[0][0])
    if len(problems.found) > before:
        return []
    return [
        (number, {c: restored(dict(zip(header, cells, strict=False)).get(c, "")) for c in columns})
        for number, cells in records[1:]
        if any(cell.strip() for cell in cells)
    ]


def _csv_records(path: Path, problems: Problems) -> list[tuple[int, list[str]]]:
    text = decoded(path, problems)
    if text is None:
        return []
    # A spreadsheet program writes the separator of its user's country; the header row shows which.
    header = text.splitlines()[0]
    separator = max(",;\t", key=header.count)
    try:
        return list(enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), start=1))
    except csv.Error as error:
        problems.add(path, f"text that cannot be taken apart ({error})", "a sheet saved as CSV UTF-8")
        return []


def _xlsx_records(path: Path, problems: Problems) -> list[tuple[int, list[str]]]:
    records = []
    try:
        with workbooks.opened(path) as book:
            if SHEET not in book.sheetnames:
                problems.add(path, f"the sheets {listed(book.sheetnames)}", f"a sheet named {SHEET}")
                return []
            for number, row in enumerate(workbooks.rows(book[SHEET]), start=1):
                records.append((number, [_text_of(cell, number, path, problems) for cell in row]))
    except FileNotFoundError:
        problems.add(path, "no such file", "a review sheet", "Correct the path.")
    except workbooks.TooLarge as error:
        problems.add(path, str(error), "a review sheet and nothing else", "Copy the rows into the sheet as sent out.")
    except Exception as error:  # whatever a damaged file makes the library stumble over
        problems.add(path, f"a file that cannot be opened ({type(error).__name__})", "an XLSX file", "Save it again.")
        return []
    return records


def _text_of(cell: Any, number: int, path: Path, problems: Problems) -> str:
    if cell.data_type == "f":
        problems.add(
            path, f"a formula in {cell.coordinate}", "text", "Write an apostrophe before it, or reword it.", row=number
        )
        return ""
    return "" if cell.value is None else str(cell.value)
