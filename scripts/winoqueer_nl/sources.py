"""The source tables of one language: where they stand, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import Version

from winoqueer_nl.problems import Problems, quoted
from winoqueer_nl.references import check_columns, check_placeholders, check_references
from winoqueer_nl.schema import (
    Absent,
    CounterIdentity,
    Coverage,
    Form,
    Identity,
    IdentityForm,
    Language,
    MetadataException,
    Name,
    Row,
    Stereotype,
    Template,
    Variant,
)
from winoqueer_nl.tables import read_table
from winoqueer_nl.yaml_files import read_yaml


@dataclass(frozen=True)
class Table:
    """Where a source table stands, what a row is, and which columns tell rows of one edition apart."""

    path: str
    model: type[Row]
    key: tuple[str, ...]
    may_be_empty: bool = False


TABLES = {
    "stereotypes": Table("predicates/stereotypes.csv", Stereotype, ("stereotype_id",)),
    "forms": Table("predicates/{lang}/forms.csv", Form, ("stereotype_id", "form", "identity", "copy_number")),
    "absent": Table("predicates/{lang}/absent.csv", Absent, ("stereotype_id",), True),
    "coverage": Table("predicates/{lang}/coverage.csv", Coverage, ("stereotype_id", "identity", "templates"), True),
    "metadata_exceptions": Table(
        "predicates/{lang}/metadata_exceptions.csv",
        MetadataException,
        ("stereotype_id", "form", "text", "column"),
        True,
    ),
    "templates": Table("templates/{lang}/templates.csv", Template, ("template_id",)),
    "variants": Table(
        "templates/{lang}/variants.csv",
        Variant,
        ("template_id", "side", "stereotype_id", "identity", "counter_identity", "subject", "origin"),
        True,
    ),
    "identities": Table("templates/{lang}/identities.csv", Identity, ("identity_id",)),
    "counter_identities": Table("templates/{lang}/counter_identities.csv", CounterIdentity, ("counter_identity_id",)),
    "identity_forms": Table(
        "templates/{lang}/identity_forms.csv", IdentityForm, ("identity", "form", "origin", "against")
    ),
    "names": Table("templates/{lang}/names.csv", Name, ("name_id", "origin")),
}
LANGUAGE_FILE = "templates/{lang}/language.yaml"


@dataclass(frozen=True)
class Sources:
    """All rows of all editions of one language."""

    lang: str
    language: Language
    rows: dict[str, list[Any]]
    paths: dict[str, Path]


def source_files(root: Path, lang: str) -> list[Path]:
    """The files that :func:`load` reads, for the workflow's inputs; retired rows where there are any."""
    files = [root / LANGUAGE_FILE.format(lang=lang)]
    for table in TABLES.values():
        path = root / table.path.format(lang=lang)
        files += [path] + [p for p in [_retired(path)] if p.exists()]
    return files


def _retired(path: Path) -> Path:
    """The sibling that holds rows which an earlier edition said: forms.csv -> forms.retired.csv."""
    return path.with_suffix(".retired.csv")


def load(root: Path, lang: str) -> Sources:
    """Read every source table of a language and check each alone and against the others.

    Raises
    ------
    InputError
        with every problem of every table.
    """
    problems = Problems()
    language = read_yaml(root / LANGUAGE_FILE.format(lang=lang), Language, problems)
    rows: dict[str, list[Any]] = {}
    paths: dict[str, Path] = {}
    whole = True
    for name, table in TABLES.items():
        path = root / table.path.format(lang=lang)
        before = len(problems.found)
        rows[name] = read_table(path, table.model, problems, table.may_be_empty)
        retired = _retired(path)
        if retired.exists():
            rows[name] += _read_retired(retired, table, problems)
        _check_intervals(rows[name], problems)
        _check_unique(table, rows[name], problems)
        paths[name] = path
        whole &= len(problems.found) == before
    if whole and language is not None:
        # Only whole tables can be held against each other: else every reference to a bad row would be reported too.
        check_references(rows, paths, problems)
        check_placeholders(rows, paths, problems)
        origins = [row.origin for row in rows["stereotypes"]]
        check_columns(root / LANGUAGE_FILE.format(lang=lang), language, origins, problems)
    problems.stop()
    assert language is not None
    return Sources(lang, language, rows, paths)


def _read_retired(path: Path, table: Table, problems: Problems) -> list[Any]:
    rows = read_table(path, table.model, problems, may_be_empty=True)
    for row in rows:
        for column in ("until", "reason"):
            if getattr(row, column) is None:
                problems.add(
                    path,
                    "an empty cell",
                    "the edition from which the row no longer holds, and why",
                    "Fill it in, or move the row back to the current table.",
                    row=row.row,
                    field=column,
                )
    return rows


def _check_intervals(rows: Sequence[Row], problems: Problems) -> None:
    """A row that begins to hold when it has ceased to would never be in any edition."""
    for row in rows:
        if row.since is not None and row.until is not None and Version(row.since) >= Version(row.until):
            problems.add(
                row.file,
                quoted(row.until),
                f"an edition after since, which is {row.since}",
                "Correct one of the two, or remove the row.",
                row=row.row,
                field="until",
            )


def _check_unique(table: Table, rows: Sequence[Row], problems: Problems) -> None:
    """Rows with the same key must belong to different editions."""
    seen: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        key = tuple(getattr(row, column) for column in table.key)
        for other in seen.get(key, []):
            if _share_an_edition(row, other):
                value = " / ".join(_cell(part) for part in key if part is not None)
                where = f"row {other.row}" if other.file == row.file else f"row {other.row} of {other.file}"
                problems.add(
                    row.file,
                    f"{quoted(value)}, which {where} has as well",
                    f"each {' + '.join(table.key)} once in an edition",
                    "Give one of them another id, remove one, or close the earlier one with an until.",
                    row=row.row,
                    field=table.key[0],
                )
                break
        seen.setdefault(key, []).append(row)


def _cell(value: object) -> str:
    return ";".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _share_an_edition(a: Row, b: Row) -> bool:
    starts = [edition for edition in (a.since, b.since) if edition is not None]
    return any(a.valid_at(edition) and b.valid_at(edition) for edition in [*starts, "0.0.0"])


def table_path(name: str, lang: str) -> str:
    """The path of a source table below the project folder, as messages name it."""
    return TABLES[name].path.format(lang=lang)
