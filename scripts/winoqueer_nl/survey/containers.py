"""What a file holds, cell by cell, as text: comma- or semicolon-separated files, spreadsheets, SPSS files.

Each function gives rows with the numbers that a spreadsheet shows (SPSS: the number of the case), header rows first,
and notes what is wrong; after a note no further row comes.
"""

from __future__ import annotations

import csv
import datetime
import io
import math
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from winoqueer_nl import workbooks
from winoqueer_nl.problems import Problems, listed, quoted
from winoqueer_nl.survey.formats import Format
from winoqueer_nl.tables import decoded

EXPORT_AGAIN = "Export it again from the survey tool, as the format in the instrument says."
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

Rows = Iterator[tuple[int, list[str]]]


def rows_of(path: Path, form: Format, problems: Problems) -> Rows:
    """The rows of a file in its declared container."""
    if form.container == "csv":
        return csv_rows(path, form, problems)
    if form.container == "xlsx":
        return xlsx_rows(path, form, problems)
    return sav_rows(path, form, problems)


def csv_rows(path: Path, form: Format, problems: Problems) -> Rows:
    """The records of a text file in its declared encoding, with its declared separator."""
    advice = _advice(form)
    text = decoded(path, problems, advice) if form.encoding == "utf-8" else _windows_1252(path, problems)
    if text is None:
        return
    number = 0
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=form.delimiter, strict=True)
    try:
        for number, record in enumerate(lines, start=1):
            if number == 1 and len(record) == 1 and _separator_is_another(path, record[0], form, advice, problems):
                return
            yield number, [cell if cell.isascii() else unicodedata.normalize("NFC", cell) for cell in record]
    except csv.Error as error:
        if not _separator_is_another(path, text.split("\n", 1)[0], form, advice, problems):
            problems.add(
                path,
                f"text that cannot be taken apart ({error})",
                f"cells between {_NAMES[form.delimiter]}, quotes only around whole cells and doubled inside them",
                "Look for a quotation mark that is never closed.",
                row=number + 1,
            )


def _advice(form: Format) -> str:
    encoding = "UTF-8" if form.encoding == "utf-8" else "Windows-1252"
    separated = {",": "comma-separated", ";": "semicolon-separated", "\t": "tab-separated"}[form.delimiter]
    return f"Export it again from the survey tool: CSV, {separated}, {encoding}."


def _separator_is_another(path: Path, header: str, form: Format, advice: str, problems: Problems) -> bool:
    if form.delimiter in header:
        return False
    found = max(_NAMES, key=header.count)
    if not header.count(found):
        return False
    problems.add(
        path,
        f"columns separated by {_NAMES[found]}",
        f"columns separated by {_NAMES[form.delimiter]}",
        f"{advice} Or set delimiter in the instrument to what the file has.",
        row=1,
    )
    return True


def _windows_1252(path: Path, problems: Problems) -> str | None:
    """The text of a file declared as Windows-1252, refused where it is UTF-8: one of the two would read in silence."""
    try:
        content = path.read_bytes()
    except OSError:
        return decoded(path, problems, EXPORT_AGAIN)
    if not content.strip() or b"\0" in content[:4096]:
        return decoded(path, problems, EXPORT_AGAIN)
    if not content.isascii():
        try:
            content.decode("utf-8-sig")
        except UnicodeDecodeError:
            pass
        else:
            problems.add(
                path, "UTF-8 text", "Windows-1252 text, as declared", "Set encoding in the instrument to utf-8."
            )
            return None
    try:
        return content.decode("windows-1252")
    except UnicodeDecodeError as error:
        problems.add(
            path,
            f"the byte 0x{content[error.start]:02x}, which is not Windows-1252",
            "Windows-1252 text, as declared",
            EXPORT_AGAIN,
            row=content.count(b"\n", 0, error.start) + 1,
        )
        return None


def xlsx_rows(path: Path, form: Format, problems: Problems) -> Rows:
    """The rows of one sheet. A formula is refused: what it shows is not in the file for sure."""
    if not _is_there(path, problems):
        return
    try:
        with workbooks.opened(path) as book:
            sheets = book.sheetnames
            chosen = form.sheet if form.sheet is not None else sheets[0]
            if chosen not in sheets or (form.sheet is None and len(sheets) > 1):
                problems.add(
                    path,
                    f"the sheets {listed(map(quoted, sheets))}",
                    f"the sheet {quoted(form.sheet)}" if form.sheet is not None else "one sheet",
                    "Set sheet in the instrument to the one with the responses.",
                )
                return
            # A row may be shorter than the header where its last cells are empty, or padded with more empty ones.
            width = headers = 0
            for number, row in enumerate(workbooks.rows(book[chosen]), start=1):
                cells = []
                for cell in row:
                    if cell.data_type == "f":
                        problems.add(
                            path,
                            "a formula",
                            "a value",
                            "Copy the sheet and paste it as values.",
                            row=number,
                            field=getattr(cell, "coordinate", None),
                        )
                        return
                    cells.append(_as_text(cell.value))
                is_header = headers < form.header_rows and (headers > 0 or any(cells))
                while cells and not cells[-1] and (is_header or len(cells) > width):
                    cells.pop()
                if is_header:
                    headers += 1
                    width = max(width, len(cells))
                yield number, cells + [""] * (width - len(cells))
    except workbooks.TooLarge as error:
        problems.add(path, str(error), "a workbook with the responses and nothing else", EXPORT_AGAIN)
    except Exception:  # whatever a damaged file makes the library stumble over
        problems.add(
            path,
            "a file that cannot be opened as a spreadsheet (damaged, protected by a password, or not .xlsx)",
            "an Excel workbook (.xlsx)",
            EXPORT_AGAIN,
        )


def sheet_names(path: Path) -> list[str]:
    """The sheets of a workbook; none where it cannot be opened."""
    try:
        with workbooks.opened(path) as book:
            return list(book.sheetnames)
    except Exception:  # as above: the reader says what is wrong
        return []


def sav_rows(path: Path, form: Format, problems: Problems) -> Rows:
    """The names, the labels and the cases of an SPSS file: two header rows numbered 0, then the cases from 1.

    Personal columns are never loaded. User-missing values are kept apart from system-missing ones, which are empty.
    """
    import pyreadstat

    if not _is_there(path, problems):
        return
    try:
        _, about = pyreadstat.read_sav(path, metadataonly=True)
        names = [name for name in about.column_names if not form.is_personal(name) or _is_source(form, name)]
        columns, about = pyreadstat.read_sav(
            path, usecols=names, user_missing=True, disable_datetime_conversion=True, output_format="dict"
        )
    except Exception:  # whatever a damaged file makes the library stumble over
        problems.add(
            path,
            "a file that cannot be opened as SPSS data (damaged, cut off, or not .sav)",
            "a .sav file",
            EXPORT_AGAIN,
        )
        return
    labels = about.column_names_to_labels
    yield 0, list(names)
    yield 0, [labels.get(name) or "" for name in names]
    texts = []
    for name in names:
        known = about.variable_value_labels.get(name, {}) if form.values == "labels" else {}
        texts.append([_as_text(known.get(value, value)).rstrip() for value in columns[name]])
    for number, cells in enumerate(zip(*texts, strict=True), start=1):
        yield number, [unicodedata.normalize("NFC", cell) for cell in cells]


def _is_source(form: Format, name: str) -> bool:
    return any(derived.column == name for derived in form.derived.values())


def _is_there(path: Path, problems: Problems) -> bool:
    """Whether a binary file can be opened at all and holds anything."""
    try:
        with path.open("rb") as file:
            if file.read(1):
                return True
        problems.add(path, "an empty file", "a header row and at least one row", EXPORT_AGAIN)
    except FileNotFoundError:
        problems.add(path, "no such file", "this table", "Restore it, or correct the path.")
    except OSError as error:
        problems.add(path, f"the system's answer {error.strerror}", "a file that can be read")
    return False


def _as_text(value: Any) -> str:
    """A cell as a person sees it: whole numbers without a point, dates as ISO 8601, nothing as nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    text = str(value)
    return text if text.isascii() else unicodedata.normalize("NFC", text)
