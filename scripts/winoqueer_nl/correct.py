"""Corrections: the row that an edition said moves to the retired rows, and the right one takes its place.

A correction is tried on a copy of the tables first: one that leaves the tables in disorder, an edition incomplete, or
that touches what an earlier edition said, is refused. Both files are written, or neither.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from packaging.version import Version

from winoqueer_nl.authoring.overlay import tried
from winoqueer_nl.authoring.rows import csv_line, write_together
from winoqueer_nl.config import EDITIONS_FILE, check_language, read_editions
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted, suggestion
from winoqueer_nl.released import record_path, verify
from winoqueer_nl.schema import Kind
from winoqueer_nl.sources import TABLES, load, retired_path
from winoqueer_nl.tables import decoded, may_be_missing

KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class Correction:
    """What a correction did: the row before and after it (None where there was or is none), as cells by column."""

    table: Path
    was: Mapping[str, str] | None
    now: Mapping[str, str] | None


@dataclass
class RawTable:
    """A table as text: header and rows by column, in file order."""

    path: Path
    header: list[str]
    rows: list[dict[str, str]]

    @classmethod
    def read(cls, path: Path, header: list[str] | None = None) -> RawTable:
        """Read a table; one that does not exist yet gets the header given."""
        if header is not None and not path.exists():
            return cls(path, header, [])
        problems = Problems()
        text = decoded(path, problems)
        problems.stop()
        assert text is not None
        reader = csv.DictReader(io.StringIO(text, newline=""))
        rows = [dict(row) for row in reader]
        return cls(path, list(reader.fieldnames or []), rows)

    def text(self) -> str:
        """The whole table as comma-separated text."""
        rows = [[row.get(column) or "" for column in self.header] for row in self.rows]
        return "".join(map(csv_line, [self.header, *rows]))


def correct(
    root: Path,
    lang: str,
    table: str,
    row: str,
    column: str,
    value: str,
    kind: str,
    reason: str,
    edition: str,
) -> Correction:
    """Put one cell right from an edition on.

    Parameters
    ----------
    row: the cells that tell the row from others, joined by commas (``wq013,main_plural``); empty ones at the end may
        be left out.
    value: what the cell says from ``edition`` on; an empty text empties it.
    kind, reason: of the slip; they stay with the retired row and make up the errata.

    Raises
    ------
    InputError
        for an unknown table, row, column or edition, for an edition that is released already, and for tables that
        are not in order or not complete afterwards. Nothing is changed then.
    """
    _check(root, lang, table, kind, reason, edition)
    current = _current(root, lang, table)
    if column not in current.header or column in ("since", "until", "kind", "reason"):
        allowed = [c for c in current.header if c not in ("since", "until", "kind", "reason")]
        raise _problem("--column", quoted(column), f"a column of {current.path.name}: {listed(allowed, 20)}")
    old = _find(current, table, row, edition)
    if old[column] == value:
        raise _problem("--value", quoted(value), f"another value than the row has in column {column}")
    new = dict(old) | {column: value, "since": edition}
    if old["since"] == edition:  # not released yet: the row that an earlier edition said is retired already
        current.rows[_position(current, old)] = new
        _write(root, [current])
        return Correction(current.path, old, new)
    if not TABLES[table].model.model_fields["reason"].is_required():
        new |= {"kind": "", "reason": ""}
    current.rows[_position(current, old)] = new
    _write(root, [current, _retired(current, old, kind, reason, edition)])
    return Correction(current.path, old, new)


def remove(root: Path, lang: str, table: str, row: str, kind: str, reason: str, edition: str) -> Correction:
    """Let a row end with the edition before ``edition``; raises InputError as :func:`correct` does."""
    _check(root, lang, table, kind, reason, edition)
    current = _current(root, lang, table)
    old = _find(current, table, row, edition)
    current.rows.pop(_position(current, old))
    changed = [current]
    if old["since"] != edition:
        changed.append(_retired(current, old, kind, reason, edition))
    _write(root, changed)
    return Correction(current.path, old, None)


def add(
    root: Path, lang: str, table: str, cells: Mapping[str, str], kind: str, reason: str, edition: str
) -> Correction:
    """Add a row that holds from ``edition`` on, after the last row that shares its first cell.

    A reason is kept in the row; a kind too, but in tables where a row with a kind records a slip (coverage).
    Raises InputError as :func:`correct` does.
    """
    _check(root, lang, table, kind, reason, edition)
    current = _current(root, lang, table)
    unknown = [column for column in cells if column not in current.header]
    if unknown:
        known = listed(current.header, 20)
        raise _problem("--add", listed(map(quoted, unknown)), f"columns of {current.path.name}: {known}")
    new = dict.fromkeys(current.header, "") | dict(cells) | {"since": edition, "reason": reason}
    if table != "coverage":
        new["kind"] = kind
    first = TABLES[table].key[0]
    alike = [n for n, row in enumerate(current.rows) if row[first] == new[first]]
    current.rows.insert(alike[-1] + 1 if alike else len(current.rows), new)
    _write(root, [current])
    return Correction(current.path, None, new)


def _current(root: Path, lang: str, table: str) -> RawTable:
    """The current table, with the columns that it may lack, empty."""
    current = RawTable.read(root / TABLES[table].path.format(lang=lang))
    lacking = [c for c in TABLES[table].key if c not in current.header]
    lacking += sorted(may_be_missing(TABLES[table].model) - {*current.header, *lacking})
    position = current.header.index("since")
    current.header[position:position] = lacking
    for row in current.rows:
        row.update(dict.fromkeys(lacking, ""))
    return current


def _position(table: RawTable, row: Mapping[str, str]) -> int:
    return next(n for n, other in enumerate(table.rows) if other is row)


def _retired(current: RawTable, old: Mapping[str, str], kind: str, reason: str, edition: str) -> RawTable:
    retired = RawTable.read(retired_path(current.path), current.header)
    retired.header = list(dict.fromkeys([*current.header, *retired.header]))
    retired.rows.append(dict(old) | {"until": edition, "kind": kind, "reason": reason})
    return retired


def _check(root: Path, lang: str, table: str, kind: str, reason: str, edition: str) -> None:
    if table not in TABLES:
        raise _problem("--table", quoted(table), f"one of {listed(TABLES, 20)}", suggestion(table, TABLES))
    if kind not in KINDS:
        raise _problem("--kind", quoted(kind), f"one of {listed(KINDS)}", suggestion(kind, KINDS))
    if not reason.strip():
        raise _problem("--reason", "an empty reason", "why the row changes, for the errata")
    check_language(root, lang)
    known = [row.edition for row in read_editions(root) if lang in row.languages]
    if edition not in known:
        raise _problem(
            "--edition",
            quoted(edition),
            f"an edition of {lang} in {EDITIONS_FILE}: {listed(known) or 'it has none yet'}",
            "Add its row first.",
        )
    if record_path(root, lang, edition).exists():
        raise _problem(
            "--edition",
            f"{quoted(edition)}, which is released",
            "an edition that is not released yet",
            f"Add a row for the next edition to {EDITIONS_FILE} and correct that one.",
        )
    verify(root, load(root, lang))  # tables that are not in order must not be written anew as if they were


def _find(table: RawTable, name: str, row: str, edition: str) -> dict[str, str]:
    key = TABLES[name].key
    wanted = row.rstrip(",")
    version = Version(edition)
    held = [
        (",".join(r[c] for c in key).rstrip(","), r)
        for r in table.rows
        if (not r["until"] or version < Version(r["until"])) and (not r["since"] or Version(r["since"]) <= version)
    ]
    found = [r for cells, r in held if cells == wanted]
    if len(found) != 1:
        keys = [cells for cells, _ in held]
        longer = [quoted(cells) for cells in keys if wanted and cells.startswith(f"{wanted},")]
        raise _problem(
            "--row",
            f"{quoted(row)}, which fits {len(found)} rows of {table.path.name}",
            f"one row's cells of {', '.join(key)}, joined by commas (empty ones at the end left out)",
            f"Rows that begin so: {listed(longer, 8)}." if longer else suggestion(wanted, keys),
        )
    return found[0]


def _write(root: Path, tables: list[RawTable]) -> None:
    """Write the tables together, once a copy of the project has shown that they leave everything in order."""
    texts = {table.path: table.text() for table in tables}
    # Earlier editions keep their rows by the retired ones, and releases are verified; without a successor in its place
    # a retired row stands last, so the order of an earlier edition's rows may change, which is allowed here.
    tried(root, {str(path.relative_to(root)): text for path, text in texts.items()}, since=None)
    write_together(texts)


def _problem(where: str, found: str, expected: str, fix: str = "") -> InputError:
    return InputError([Problem(where, found, expected, fix)])
