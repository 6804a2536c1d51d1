"""Changing rows of a table file and leaving every other byte as it was, so that a diff shows the change alone."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from winoqueer_nl.files import atomic
from winoqueer_nl.problems import Problems
from winoqueer_nl.tables import decoded

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Record:
    """One record of a table: its text as it stands in the file, line end included, and its cells."""

    raw: str
    cells: tuple[str, ...]


def csv_line(cells: Sequence[str], newline: str = "\n") -> str:
    """One record as comma-separated text, quoted only where it must be."""
    text = io.StringIO()
    csv.writer(text, lineterminator=newline).writerow(cells)
    return text.getvalue()


class TableText:
    """The text of a table, open for changes of single rows.

    Row numbers are those that a spreadsheet shows (1 = the header row), as in every message.
    """

    def __init__(self, text: str, name: str = "the table") -> None:
        """Take a comma-separated text apart; raises ValueError for one without a header row."""
        self.mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
        self.newline = "\r\n" if "\r\n" in text else "\n"
        records = list(_records(text.removeprefix(BYTE_ORDER_MARK)))
        if not records:
            raise ValueError(f"{name} has no header row")
        self.header_record, *self.records = records
        self.header = [cell.strip() for cell in self.header_record.cells]

    @classmethod
    def read(cls, path: Path) -> TableText:
        """Read a table; raises InputError where it is not there or not UTF-8 text with a header row."""
        problems = Problems()
        text = decoded(path, problems)
        problems.stop()
        mark = BYTE_ORDER_MARK if path.read_bytes().startswith(BYTE_ORDER_MARK.encode()) else ""
        assert text is not None
        return cls(mark + text, str(path))

    @classmethod
    def empty(cls, columns: Sequence[str]) -> TableText:
        """A table with a header row only."""
        return cls(csv_line(columns))

    def text(self) -> str:
        """The whole table, byte order mark included."""
        return self.mark + self.header_record.raw + "".join(record.raw for record in self.records)

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Every row with its number, as column -> cell; blank lines are left out."""
        for number, record in enumerate(self.records, start=2):
            if any(cell.strip() for cell in record.cells):
                yield number, dict(zip(self.header, record.cells, strict=False))

    def insert(self, row: Mapping[str, str | None], after: Callable[[dict[str, str]], bool] | None = None) -> None:
        """Add a row after the last one for which ``after`` holds, or, without one, at the end of the table."""
        numbers = [number for number, cells in self.rows() if after is None or after(cells)]
        self._insert_at(max(numbers) - 1 if numbers else (len(self.records) if after is None else 0), row)

    def _insert_at(self, index: int, row: Mapping[str, str | None]) -> None:
        record = self._record(row)
        if index > 0 or not self.records:  # the line before may be the last of a file that has no line end there
            before = self.records[index - 1] if index > 0 else self.header_record
            if not before.raw.endswith(("\n", "\r")):
                ended = Record(before.raw + self.newline, before.cells)
                if index > 0:
                    self.records[index - 1] = ended
                else:
                    self.header_record = ended
        self.records.insert(index, record)

    def replace(self, number: int, row: Mapping[str, str | None]) -> None:
        """Put another row in the place of one."""
        self.records[number - 2] = self._record(row)

    def remove(self, numbers: Sequence[int]) -> None:
        """Take rows out."""
        self.records = [record for n, record in enumerate(self.records, start=2) if n not in set(numbers)]

    def _record(self, row: Mapping[str, str | None]) -> Record:
        unknown = [column for column, cell in row.items() if cell and column not in self.header]
        if unknown:
            raise KeyError(f"no column {', '.join(unknown)}")
        cells = tuple(row.get(column) or "" for column in self.header)
        return Record(csv_line(cells, self.newline), cells)


def _records(text: str) -> Iterator[Record]:
    """The records with the lines that each was read from."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            taken.append(line)
            yield line

    for cells in csv.reader(lines()):
        yield Record("".join(taken), tuple(cells))
        taken.clear()


def write_together(texts: Mapping[Path, str]) -> None:
    """Write several files: all are written out in full before the first is put in its place.

    Raises InputError where one cannot be written; then none has changed.
    """
    with contextlib.ExitStack() as stack:
        for path, text in texts.items():
            temporary = stack.enter_context(atomic(path))
            with temporary.open("w", encoding="utf-8", newline="") as file:
                file.write(text)
