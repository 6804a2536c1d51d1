"""Reading the source tables: comma-separated UTF-8, every cell as text, every problem of a file at once.

A blank that a spreadsheet would hide (leading, trailing, doubled) is refused. Where a released sentence really
has one, the table shows it as :data:`VISIBLE_BLANK`, and a line feed as :data:`VISIBLE_LINE_FEED`.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import pydantic

from winoqueer_nl.files import damage
from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.schema import SLOT_PREFIX

VISIBLE_BLANK = "␠"
VISIBLE_LINE_FEED = "␊"

RowModel = TypeVar("RowModel", bound=pydantic.BaseModel)

_HIDDEN = re.compile(r"^\s|\s$|\s\s|[^\S ]")
# Controls, the zero-width space, a byte order mark inside the text, the sign for a character lost in conversion.
# Joiners and direction marks are not among them: some scripts are written with them.
_BROKEN = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f\u200b\ufeff\ufffd]")
# What a spreadsheet program runs: a formula (in half or full width) that calls a function, another program or file.
# A word may begin with such a sign, as endings do; then the program shows an error and does nothing.
_RUN = re.compile(r"[=+@＝＋＠－-].*[(|!]")
#: A cell is at most a sentence; a longer one is a quotation mark gone astray.
MOST_CHARACTERS = 2_000
_SAVE_AS = 'Save it as "CSV UTF-8 (comma delimited)".'
_RESTORE = "Restore it from version control."


def shown(text: str) -> str:
    """Turn the visible signs for blanks and line feeds of a table cell into the characters they stand for."""
    return text.replace(VISIBLE_BLANK, " ").replace(VISIBLE_LINE_FEED, "\n")


def decoded(path: Path, problems: Problems, restore: str = _RESTORE) -> str | None:
    """The text of a UTF-8 file (with or without a byte order mark), or None with the reason noted.

    ``restore`` is the advice given for a file that is empty or cut off; what to do depends on where it came from.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        problems.add(path, "no such file", "this table", "Restore it, or correct the path.")
        return None
    except OSError as error:
        problems.add(path, f"the system's answer {error.strerror}", "a file that can be read", "Restore it.")
        return None
    if altered := damage(path):
        problems.found.append(altered)
        return None
    if not content.strip():
        problems.add(path, "an empty file", "a header row and at least one row", restore)
        return None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content[:4096]:
        problems.add(path, "UTF-16 text", "UTF-8 text", _SAVE_AS)
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems.add(
            path,
            f"the byte 0x{content[error.start]:02x}, which is not UTF-8 (a file saved as Windows-1252 or Latin-1?)",
            "UTF-8 text",
            _SAVE_AS,
            row=line,
        )
        return None


def records(path: Path, problems: Problems, restore: str = _RESTORE) -> list[tuple[int, list[str]]] | None:
    """The records of a comma-separated file with their spreadsheet row numbers; blank lines are left out."""
    text = decoded(path, problems, restore)
    if text is None:
        return None
    found: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    number = 0
    try:
        for number, record in enumerate(reader, start=1):
            if any(cell.strip() for cell in record):
                found.append((number, [unicodedata.normalize("NFC", cell) for cell in record]))
    except csv.Error as error:
        separator = other_separator(text.split("\n", 1)[0])
        if separator:
            problems.add(path, f"columns separated by {separator}", "columns separated by commas", _SAVE_AS, row=1)
            return None
        problems.add(
            path,
            f"text that cannot be taken apart ({error})",
            "cells between commas, quotes only around whole cells and doubled inside them",
            "Look for a quotation mark that is never closed.",
            row=number + 1,
        )
        return None
    if not found:
        problems.add(path, "an empty file (blank lines only)", "a header row and at least one row", restore)
        return None
    return found


def other_separator(header: str) -> str | None:
    """What stands between the columns of a header line that has no comma, in words; None if it has one."""
    names = {";": "semicolons", "\t": "tabs", "|": "bars"}
    return None if "," in header else next((name for sign, name in names.items() if sign in header), None)


def may_be_missing(model: type[pydantic.BaseModel]) -> set[str]:
    """The columns that a table of these rows may lack."""
    return {
        name
        for name, field in model.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("may_be_missing")
    }


def checked_header(
    path: Path,
    header: list[str],
    wanted: list[str],
    slots: bool,
    problems: Problems,
    optional: Collection[str] = (),
) -> bool:
    """Compare the header with the columns wanted; note what is missing (but for optional ones), extra or doubled."""
    if len(header) == 1 and len(wanted) > 1:
        separator = other_separator(header[0])
        if separator:
            problems.add(path, f"columns separated by {separator}", "columns separated by commas", _SAVE_AS, row=1)
            return False
    before = len(problems.found)
    for column, times in Counter(header).items():
        if times > 1:
            problems.add(
                path, f"the column {quoted(column)} {times} times", "each column once", "Remove or rename one.", 1
            )
    missing = [column for column in wanted if column not in header]
    for column in dict.fromkeys(header):
        if column in wanted or (slots and re.fullmatch(SLOT_PREFIX + r"[a-z_]+", column)):
            continue
        hint = suggestion(column, missing) or f"The columns of this table: {listed(wanted, 20)}."
        problems.add(path, f"the unknown column {quoted(column)}", "only known columns", hint, row=1)
    for column in (column for column in missing if column not in optional):
        problems.add(path, f"no column {quoted(column)}", "this column", "Add it, if only with empty cells.", row=1)
    return len(problems.found) == before


def own_columns(model: type[pydantic.BaseModel]) -> list[str]:
    """The columns that a table of such rows has, those of the slots aside."""
    return [name for name in model.model_fields if name not in ("row", "file", "slots")]


def read_table(path: Path, model: type[RowModel], problems: Problems, may_be_empty: bool = False) -> list[RowModel]:
    """Read and check one table.

    Parameters
    ----------
    path: the CSV file; messages name it as given.
    model: the pydantic model of a row. A model with ``slots`` takes any number of columns ``slot_...``.
    may_be_empty: whether a table without rows is right.
    problems: collects what is wrong; the caller raises them together with those of the other tables.

    Returns
    -------
    The rows that are right, in file order, each knowing its spreadsheet row number (``row``).
    """
    found = records(path, problems)
    if found is None:
        return []
    header = [cell.strip() for cell in found[0][1]]
    has_slots = "slots" in model.model_fields
    wanted = own_columns(model)
    if not checked_header(path, header, wanted, has_slots, problems, may_be_missing(model)):
        return []
    if len(found) == 1 and not may_be_empty:
        problems.add(
            path, "a header row only", "at least one row", "Restore the rows from version control, or fill it in."
        )
    rows = []
    for number, cells in found[1:]:
        if len(cells) != len(header):
            problems.add(
                path,
                f"{len(cells)} cells",
                f"{len(header)}, as in the header row",
                "A text with a comma in it stands between quotation marks.",
                row=number,
            )
            continue
        if not _cells_are_clean(path, number, header, cells, problems):
            continue
        values: dict[str, Any] = {
            name: cell for name, cell in zip(header, cells, strict=True) if cell and name in wanted
        }
        if has_slots:
            values["slots"] = {
                name.removeprefix(SLOT_PREFIX): cell
                for name, cell in zip(header, cells, strict=True)
                if cell and name.startswith(SLOT_PREFIX)
            }
        try:
            place: dict[str, Any] = {"row": number} | ({"file": str(path)} if "file" in model.model_fields else {})
            rows.append(model(**place, **values))
        except pydantic.ValidationError as error:
            for detail in error.errors():
                field = str(detail["loc"][0]) if detail["loc"] else None
                problems.add(path, *_in_words(detail, model, values), row=number, field=field)
    return rows


def _cells_are_clean(path: Path, number: int, header: list[str], cells: list[str], problems: Problems) -> bool:
    clean = True
    for column, cell in zip(header, cells, strict=True):
        if unclean := _unclean(cell):
            clean = False
            problems.add(path, *unclean, row=number, field=column)
    return clean


def _unclean(cell: str) -> tuple[str, str, str] | None:
    """What is wrong with a cell's text, as (found, expected, fix); None for a clean one."""
    if _HIDDEN.search(cell):
        return (
            quoted(cell),
            "no blank at either end, no two blanks in a row, no tab, line feed or no-break space",
            f"Remove it; if the released text really has it, write {VISIBLE_BLANK} (blank) or "
            f"{VISIBLE_LINE_FEED} (line feed) there.",
        )
    if _RUN.match(cell):
        return (
            quoted(cell),
            "a text that no spreadsheet program would run as a formula",
            "Write it without =, +, - or @ in front, or without (, | and !.",
        )
    if len(cell) > MOST_CHARACTERS:
        return (
            f"a text of {len(cell):,} characters",
            f"at most {MOST_CHARACTERS:,} characters",
            "Look for a quotation mark that is never closed.",
        )
    if _BROKEN.search(cell):
        return quoted(cell), "text without control or lost characters", "Write the text anew."
    return None


def _in_words(detail: Any, model: type[pydantic.BaseModel], values: dict[str, Any]) -> tuple[str, str, str]:
    """What pydantic found, in words for a person who edits the table: (found, expected, fix)."""
    field = str(detail["loc"][0]) if detail["loc"] else ""
    value = values.get(field, "")
    found = quoted(value) if value else "an empty cell"
    kind = detail["type"]
    context = detail.get("ctx", {})
    if kind == "missing":
        return "an empty cell", "a value", "Fill it in."
    if kind == "literal_error":
        allowed = _literals(model, field)
        return found, f"one of {listed(allowed)}", suggestion(str(detail["input"]), allowed)
    if kind.startswith("int_"):
        return found, "a whole number", ""
    if kind == "greater_than_equal":
        return found, f"a number of {context['ge']} or more", ""
    if kind == "less_than_equal":
        return found, f"a number of {context['le']} or less", ""
    if kind == "value_error":
        return found, str(context["error"]), ""
    if kind == "string_pattern_mismatch":
        return found, "small letters, digits and hyphens only, starting with a letter or digit", ""
    return found, str(detail["msg"]), ""


def _literals(model: type[pydantic.BaseModel], field: str) -> list[str]:
    """The words that a column may hold, read from the model's Literal."""
    words: list[str] = []
    stack = [model.model_fields[field].annotation] if field in model.model_fields else []
    while stack:
        annotation = stack.pop()
        if get_origin(annotation) is None and isinstance(annotation, str):
            words.append(annotation)
        else:
            stack.extend(reversed(get_args(annotation)))
    return words
