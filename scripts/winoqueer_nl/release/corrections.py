"""What each edition corrected: the rows of the source tables that came or went with it, and why.

The list is released with the data, so that a comparison of two releases can say which correction explains a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from packaging.version import Version

from winoqueer_nl.files import write_csv
from winoqueer_nl.problems import InputError, Problem, Problems
from winoqueer_nl.schema import Row
from winoqueer_nl.sources import TABLES, Sources
from winoqueer_nl.tables import records, shown

_BOOKKEEPING = {"row", "file", "since", "until", "kind", "reason"}


@dataclass(frozen=True)
class Correction:
    """One row of a source table that an edition added, retired or replaced.

    ``stereotype_ids``, ``template_ids``, ``identities`` and ``subjects`` say which pairs it can touch (ids separated
    by ``;``; empty: any).
    """

    edition: str
    table: str
    change: str
    key: str
    before: str
    after: str
    kind: str
    reason: str
    stereotype_ids: str = ""
    template_ids: str = ""
    identities: str = ""
    subjects: str = ""

    @property
    def label(self) -> str:
        """How a list of single changes names it."""
        text = f"{self.table} {self.key}"
        return f"{text}: {self.reason}" if self.reason else text

    @property
    def because(self) -> str:
        """Why it was made, as a changelog says it; rows without a reason are named."""
        return self.reason or f"{self.table} {self.key} {self.change}"

    def touches(self, stereotype: str, template: str, identities: Iterable[str], subject: str) -> bool:
        """Whether a pair with these parts can have been changed by it."""
        return (
            _fits(self.stereotype_ids, [stereotype])
            and _fits(self.template_ids, [template])
            and _fits(self.identities, identities)
            and _fits(self.subjects, [subject])
        )

    def brings_or_takes(self) -> bool:
        """Whether it can have brought or taken whole pairs, not only other words."""
        return self.table == "coverage" or (self.table in _MEMBERS and self.change != "changed")

    def rewords(self, old: str, new: str) -> bool:
        """Whether it can have turned the one text into the other: what it replaced stood there, what it put stands."""
        return (
            self.table in _WORDINGS
            and (not _literal(self.before) or shown(self.before) in old)
            and (not _literal(self.after) or shown(self.after) in new)
        )


#: Tables whose rows, when they come or go, bring or take pairs; and tables that hold words of sentences.
_MEMBERS = ("stereotypes", "forms", "absent", "templates", "identities", "counter_identities", "names")
_WORDINGS = ("forms", "templates", "variants", "identities", "counter_identities", "identity_forms", "names")


def _literal(text: str) -> bool:
    """Whether a cell is the very text of a sentence: no slots in it, and one cell only."""
    return bool(text) and "{" not in text and "=" not in text


COLUMNS = [field.name for field in fields(Correction)]


def _fits(listed: str, values: Iterable[str]) -> bool:
    return not listed or bool(set(listed.split(";")) & set(values))


def of_editions(sources: Sources, first: str | None, last: str) -> list[Correction]:
    """The corrections of every edition after ``first`` (all, if None) up to and with ``last``, in order."""
    found: list[Correction] = []
    for name, rows in sources.rows.items():
        key = TABLES[name].key
        came: dict[tuple[str, tuple[Any, ...]], list[Row]] = {}
        went: dict[tuple[str, tuple[Any, ...]], list[Row]] = {}
        for row in rows:
            place = tuple(getattr(row, column) for column in key)
            if row.since is not None and _within(row.since, first, last):
                came.setdefault((row.since, place), []).append(row)
            if row.until is not None and _within(row.until, first, last):
                went.setdefault((row.until, place), []).append(row)
        for edition, place in dict.fromkeys([*came, *went]):
            before = went.get((edition, place), [None])[0]
            after = came.get((edition, place), [None])[0]
            found.append(_correction(sources, name, edition, place, before, after))
    return sorted(found, key=lambda c: (Version(c.edition), list(TABLES).index(c.table), c.key, c.after))


def _within(edition: str, first: str | None, last: str) -> bool:
    return (first is None or Version(first) < Version(edition)) and Version(edition) <= Version(last)


def _cells(row: Row | None) -> dict[str, str]:
    if row is None:
        return {}
    cells: dict[str, str] = {}
    for name in type(row).model_fields:
        value = getattr(row, name)
        if name not in _BOOKKEEPING and value is not None:
            if isinstance(value, dict):
                cells |= {f"slot_{k}": str(v) for k, v in value.items()}
            else:
                cells[name] = ";".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return cells


def _correction(
    sources: Sources, table: str, edition: str, place: tuple[Any, ...], before: Row | None, after: Row | None
) -> Correction:
    old, new = _cells(before), _cells(after)
    key = " / ".join(";".join(p) if isinstance(p, tuple) else str(p) for p in place if p is not None)
    if before is not None and after is not None:
        differing = [c for c in dict.fromkeys([*old, *new]) if old.get(c) != new.get(c)]
        change = "changed"
    else:
        differing = [c for c in (old or new) if c not in TABLES[table].key]
        change = "added" if before is None else "retired"

    def told(cells: dict[str, str]) -> str:
        if not cells:
            return ""
        return (
            cells.get(differing[0], "")
            if len(differing) == 1
            else "; ".join(f"{c}={cells[c]}" for c in differing if c in cells)
        )

    cells = new or old
    reasons = [row for row in (before, after) if row is not None and row.reason]
    return Correction(
        edition=edition,
        table=table,
        change=change,
        key=key,
        before=told(old),
        after=told(new),
        kind=next((row.kind for row in reasons if row.kind), None) or "",
        reason=reasons[0].reason or "" if reasons else "",
        stereotype_ids=cells.get("stereotype_id", ""),
        template_ids=_templates(sources, table, cells),
        identities=_identities(table, cells),
        subjects=cells.get("name_id", "")
        if table == "names"
        else cells.get("subject", "")
        if table == "variants"
        else "",
    )


def _templates(sources: Sources, table: str, cells: dict[str, str]) -> str:
    if table in ("templates", "variants"):
        return cells["template_id"]
    if table == "coverage":
        return cells.get("templates", "")
    if table == "forms":
        ids = [row.template_id for row in sources.rows["templates"] if row.form == cells["form"]]
        return ";".join(dict.fromkeys(ids))
    if table == "identity_forms":
        ids = [
            row.template_id
            for name in ("templates", "variants")
            for row in sources.rows[name]
            if row.identity_form == cells["form"]
        ]
        return ";".join(dict.fromkeys(ids))
    return ""


def _identities(table: str, cells: dict[str, str]) -> str:
    columns = {
        "forms": ["identity"],
        "coverage": ["identity"],
        "variants": ["identity", "counter_identity"],
        "identity_forms": ["identity"],
        "identities": ["identity_id"],
        "counter_identities": ["counter_identity_id"],
    }.get(table, [])
    # A variant for an identity against a counter identity touches pairs that have one of them; that is close enough.
    return ";".join(cells[c] for c in columns if c in cells)


def write(path: Path, corrections: Sequence[Correction]) -> None:
    """Write corrections.csv."""
    write_csv(path, COLUMNS, (list(asdict(c).values()) for c in corrections))


def read(path: Path) -> list[Correction]:
    """Read corrections.csv back; empty if the release has none."""
    if not path.is_file():
        return []
    problems = Problems()
    found = records(path, problems)
    problems.stop()
    if not found or found[0][1] != COLUMNS:
        raise InputError([Problem(str(path), "other columns", ", ".join(COLUMNS), "Build the release again.", row=1)])
    return [Correction(*cells) for _, cells in found[1:]]
