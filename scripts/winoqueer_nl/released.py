"""What a release said stays as it was: a digest of every table row of each released edition, kept in release/released/.

A build compares the tables with these records. A row that has changed, is missing or has come in names itself and
the command that changes it in the right way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pydantic

from winoqueer_nl.edition import Edition, choose
from winoqueer_nl.files import write_json
from winoqueer_nl.problems import Problems, quoted
from winoqueer_nl.references import placeholders
from winoqueer_nl.schema import Row
from winoqueer_nl.sources import TABLES, Sources, table_path
from winoqueer_nl.tables import decoded

FOLDER = "release/released"
DIGITS = 10

#: Columns that no released sentence depends on: bookkeeping, and what only the gates read.
NOT_RELEASED = {"row", "file", "since", "until", "kind", "reason", "syntax"}


class Record(pydantic.BaseModel):
    """release/released/<lang>-<edition>.json."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    lang: str
    edition: str
    #: number of pairs and SHA-256 of the published columns, rows sorted; None where the pairs were not at hand
    pairs: dict[str, int | str] | None = None
    #: table -> key of a row -> the first digits of its SHA-256
    tables: dict[str, dict[str, str]]


def record_path(root: Path, lang: str, edition: str) -> Path:
    """Where the record of a released edition stands."""
    return root / FOLDER / f"{lang}-{edition}.json"


def record_files(root: Path, lang: str) -> list[Path]:
    """The records of a language, for the workflow's inputs."""
    return sorted((root / FOLDER).glob(f"{lang}-[0-9]*.json"))


def is_released(root: Path, edition: str) -> bool:
    """Whether the edition of any language has a record: then it is closed."""
    return any((root / FOLDER).glob(f"*-{edition}.json"))


def row_key(table: str, row: Row) -> str:
    """The cells that tell a row from others of its edition, joined by commas; lists joined by semicolons."""
    cells = [getattr(row, column) for column in TABLES[table].key]
    return ",".join(";".join(map(str, c)) if isinstance(c, tuple) else "" if c is None else str(c) for c in cells)


def row_digest(row: Row) -> str:
    """The first digits of the SHA-256 of a row's filled cells, :data:`NOT_RELEASED` left out.

    Columns that came in after a release are empty in its rows and change no digest.
    """
    content = row.model_dump(mode="json", exclude_none=True, exclude=NOT_RELEASED)
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def pairs_digest(rows: Iterable[Sequence[str]]) -> str:
    """SHA-256 of the rows: cells joined by tabs, rows sorted by code point and joined by line feeds."""
    return hashlib.sha256("\n".join(sorted("\t".join(row) for row in rows)).encode()).hexdigest()


def _tables(edition: Edition) -> dict[str, dict[str, str]]:
    """The digests of every row; slots of names that no sentence of the edition takes do not count."""
    texts = [row.sentence for row in edition.templates] + [row.sentence or "" for row in edition.variants]
    texts += [row.text for row in edition.forms]
    taken = {slot for text in texts for slot in placeholders(text)}
    names = [
        row.model_copy(update={"slots": {slot: text for slot, text in row.slots.items() if slot in taken}})
        for row in edition.names
    ]
    tables = {}
    for table in TABLES:
        chosen = names if table == "names" else getattr(edition, table)
        tables[table] = dict(sorted((row_key(table, row), row_digest(row)) for row in chosen))
    return tables


def make_record(edition: Edition, pairs: Iterable[Sequence[str]] | None) -> Record:
    """The record of an edition; ``pairs`` are the rows of the published columns."""
    rows = list(pairs) if pairs is not None else None
    about: dict[str, int | str] | None = None
    if rows is not None:
        about = {"rows": len(rows), "sha256": pairs_digest(rows)}
    return Record(lang=edition.lang, edition=edition.edition, pairs=about, tables=_tables(edition))


def write_record(root: Path, record: Record) -> Path:
    """Write a record; return its path."""
    path = record_path(root, record.lang, record.edition)
    write_json(path, record.model_dump(mode="json"))
    return path


def read_record(root: Path, lang: str, edition: str) -> Record | None:
    """The record of an edition, or None where it is not released; raises InputError for a damaged file."""
    path = record_path(root, lang, edition)
    if not path.exists():
        return None
    problems = Problems()
    text = decoded(path, problems)
    if text is not None:
        try:
            return Record.model_validate_json(text)
        except pydantic.ValidationError:
            problems.add(path, "a damaged record", "what `winoqueer-nl record` writes", "Restore it from git.")
    problems.stop()
    raise AssertionError("unreachable: a problem was noted")


def verify(root: Path, sources: Sources) -> list[str]:
    """Compare the tables with the record of every released edition of the language; return the editions compared.

    Raises
    ------
    InputError
        naming each released row that has changed, is missing, or has come in.
    """
    problems = Problems()
    editions = []
    for path in record_files(root, sources.lang):
        edition = path.stem.removeprefix(f"{sources.lang}-")
        record = read_record(root, sources.lang, edition)
        assert record is not None
        editions.append(edition)
        now = _tables(choose(sources, edition))
        for table in TABLES:
            _compare(table, record, record.tables.get(table, {}), now[table], problems)
    problems.stop()
    return editions


def _compare(table: str, record: Record, was: dict[str, str], now: dict[str, str], problems: Problems) -> None:
    file = table_path(table, record.lang)
    for key in sorted(was.keys() | now.keys()):
        if key not in now:
            found = f"no row {quoted(key)}"
        elif key not in was:
            found = f"the new row {quoted(key)} without a since"
        elif was[key] != now[key]:
            found = f"the row {quoted(key)} with another content"
        else:
            continue
        fix = "Give the row a since: the edition that it comes in with."
        if key in was:
            fix = (
                "Restore the row, then change it with the command that keeps what was released: winoqueer-nl correct "
                f'--lang {record.lang} --table {table} --row "{key.rstrip(",")}" --column COLUMN --value NEW ...'
            )
        problems.add(file, found, f"edition {record.edition} as it was released", fix)
