"""Opening XLSX files that somebody sent: small enough when unpacked, and read cell by cell, so that none fills memory.

A workbook is a packed folder of XML files. A megabyte can unpack to many gigabytes, and one cell in the last corner of
a sheet makes seventeen thousand million of it. No part is ever written to disk, entities in its XML are not followed,
and links to other workbooks are left out.
"""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

#: Bytes that all parts of a workbook may have together when unpacked: some five million filled cells.
MOST_UNPACKED = 256 << 20
#: Columns of a sheet, and cells, empty ones up to the last of each row counted in.
MOST_COLUMNS, MOST_CELLS = 4_096, 10_000_000


class TooLarge(ValueError):
    """A workbook that would unpack to more than anybody's answers; says how much."""


def check_size(file: Path | IO[bytes]) -> None:
    """Raise :class:`TooLarge` for a workbook that unpacks to more than :data:`MOST_UNPACKED`, BadZipFile for none."""
    with zipfile.ZipFile(file) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > MOST_UNPACKED:
        raise TooLarge(f"{unpacked >> 20:,} MB when unpacked")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A workbook (openpyxl, read-only) whose size has been checked; raises what openpyxl raises for a damaged one."""
    from openpyxl import load_workbook

    with path.open("rb") as file:
        check_size(file)
        book = load_workbook(file, read_only=True, data_only=False, keep_links=False)
        try:
            yield book
        finally:
            book.close()


def rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a sheet, as far as each is filled; raises :class:`TooLarge` for too many columns or cells."""
    sheet.reset_dimensions()  # what the file says of its own size may be wrong, by mistake or on purpose
    cells = 0
    for row in sheet.iter_rows():
        if len(row) > MOST_COLUMNS:
            raise TooLarge(f"a row of {len(row):,} cells")
        cells += len(row) + 1
        if cells > MOST_CELLS:
            raise TooLarge(f"a sheet of more than {MOST_CELLS:,} cells")
        yield row
