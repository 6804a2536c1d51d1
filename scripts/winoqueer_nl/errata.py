"""The errata: every row that an edition says otherwise than the one before it, with kind and reason.

They are read off the tables: a retired row says what was, the row that came in with the same edition says what is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from winoqueer_nl.config import language_folders
from winoqueer_nl.correct import KINDS, RawTable
from winoqueer_nl.sources import TABLES, retired_path
from winoqueer_nl.yaml_files import read_yaml

_BOOKKEEPING = ("since", "until", "kind", "reason")

#: What a kind is called as a heading, in the order in which the errata show them.
HEADINGS = {
    "spelling": "Spelling",
    "spacing": "Spacing and final marks",
    "casing": "Capitals and small letters",
    "structure": "Structure of the pair",
    "wording": "Wording",
    "agreement": "Agreement with the subject",
    "coverage": "Missing, repeated and senseless pairs",
    "translation": "Translation",
}
assert set(HEADINGS) == set(KINDS)

#: What a table is called in the text, and whether a row of it is named by its stereotype.
_TABLE_NAMES = {
    "stereotypes": "stereotype",
    "forms": "form",
    "absent": "absent stereotype",
    "coverage": "coverage",
    "metadata_exceptions": "metadata",
    "templates": "template",
    "variants": "template variant",
    "identities": "identity",
    "counter_identities": "counter identity",
    "identity_forms": "identity term",
    "names": "name",
}


@dataclass(frozen=True)
class Erratum:
    """One change: the filled cells that tell the row, what it said, what it says (None: no such row), and why."""

    edition: str
    table: str
    place: dict[str, str]
    was: dict[str, str] | None
    now: dict[str, str] | None
    kind: str
    reason: str


def errata(root: Path, lang: str) -> list[Erratum]:
    """Every change of a language's tables, table by table, in the order of the rows.

    Raises
    ------
    InputError
        where a table cannot be read.
    """
    found = []
    for name, table in TABLES.items():
        path = root / table.path.format(lang=lang)
        current = RawTable.read(path)
        retired = RawTable.read(retired_path(path), current.header)
        rows = current.rows + retired.rows
        arrived = {(_key(name, row), row["since"]): row for row in rows if row["since"]}
        ended = {(_key(name, row), row["until"]) for row in rows if row["until"]}
        for row in rows:
            if row["until"]:
                now = arrived.get((_key(name, row), row["until"]))
                found.append(_erratum(name, row["until"], row, now, row["kind"], row["reason"]))
            if row["since"] and (_key(name, row), row["since"]) not in ended:
                found.append(_erratum(name, row["since"], None, row, row["kind"] or "coverage", row["reason"]))
    return found


def _key(name: str, row: dict[str, str]) -> tuple[str, ...]:
    # A name keeps its identity when its origin changes; elsewhere every key column tells rows apart.
    columns = ("name_id",) if name == "names" else TABLES[name].key
    return tuple(row.get(column) or "" for column in columns)


def _erratum(
    table: str, edition: str, was: dict[str, str] | None, now: dict[str, str] | None, kind: str, reason: str
) -> Erratum:
    key = TABLES[table].key
    row = was or now or {}
    place = {column: row[column] for column in key if row.get(column)}
    before, after = (_said(r) for r in (was, now))
    if before is not None and after is not None:
        changed = [c for c in before if before[c] != after.get(c, "")]
        before, after = ({c: side[c] for c in changed} for side in (before, after))
    else:
        before, after = (
            {c: v for c, v in side.items() if v and c not in key} if side is not None else None
            for side in (before, after)
        )
    return Erratum(edition, table, place, before, after, kind, reason)


def _said(row: dict[str, str] | None) -> dict[str, str] | None:
    if row is None:
        return None
    return {c: v or "" for c, v in row.items() if c not in _BOOKKEEPING and c != "syntax"}


def page(root: Path) -> str:
    """docs/errata.md: what changed in each edition and language, by kind."""
    from winoqueer_nl.problems import Problems
    from winoqueer_nl.schema import Language
    from winoqueer_nl.sources import LANGUAGE_FILE

    stereotypes = {row["stereotype_id"]: row for row in RawTable.read(root / TABLES["stereotypes"].path).rows}
    lines = [
        "# Errata",
        "",
        "> **Content warning.** The tables below quote hurtful stereotypes, slurs among them.",
        "",
        "What each edition says otherwise than the one before it, and why. This page is made from the source tables",
        "by `winoqueer-nl errata`; the rows that an earlier edition said stand in the files `*.retired.csv`, so that",
        "every edition can be rebuilt. `␠` stands for a blank that is hard to see, `␊` for a line break. Words in",
        "braces, such as `{possessive}`, are filled in to agree with the person. One row here can concern thousands of",
        "pairs: how many, and why pairs came and went, says `results/<language>/<edition>/changes.md`, which every",
        "build makes.",
        "",
    ]
    for lang in language_folders(root):
        all_errata = errata(root, lang)
        language = read_yaml(root / LANGUAGE_FILE.format(lang=lang), Language, Problems())
        title = language.name if language else lang
        for edition in sorted({e.edition for e in all_errata}):
            own = [e for e in all_errata if e.edition == edition]
            lines += _section(f"{title}, edition {edition}", own, stereotypes)
    return "\n".join(lines)


def by_kind(errata_: Iterable[Erratum]) -> dict[str, int]:
    """How many corrections there are of each kind, in the order of the headings."""
    counts = Counter(e.kind for e in errata_)
    return {kind: counts[kind] for kind in HEADINGS if counts[kind]}


def _section(title: str, own: list[Erratum], stereotypes: dict[str, dict[str, str]]) -> list[str]:
    counts = by_kind(own)
    total = ", ".join(f"{HEADINGS[kind].lower()} {count}" for kind, count in counts.items())
    lines = [f"## {title}", "", f"{len(own)} changes: {total}.", ""]
    for kind in counts:
        lines += [f"### {HEADINGS[kind]}", "", "| where | was | is | why |", "|---|---|---|---|"]
        lines += [_line(e, stereotypes) for e in own if e.kind == kind]
        lines.append("")
    return lines


def _line(erratum: Erratum, stereotypes: dict[str, dict[str, str]]) -> str:
    without_row = _without_row(erratum, stereotypes)
    cells = [
        _where(erratum, stereotypes),
        _content(erratum.was, without_row),
        _content(erratum.now, without_row),
        erratum.reason,
    ]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _where(erratum: Erratum, stereotypes: dict[str, dict[str, str]]) -> str:
    parts = []
    for column, value in erratum.place.items():
        if column == "stereotype_id":
            gloss = stereotypes[value]["gloss"] if value in stereotypes else "?"
            parts.append(f"{value} ({gloss})")
        elif column in ("template_id", "templates"):
            parts.append(f"template {value.replace(';', ', ')}")
        elif column == "side":
            parts.append("first sentence only" if value == "x" else "counter sentence only")
        elif column == "copy_number":
            parts.append(f"copy {value}")
        elif column in ("counter_identity", "against"):
            parts.append(f"against {value}")
        elif column == "name_gender":
            parts.append(f"{value} names")
        else:
            parts.append(value)
    return f"{_TABLE_NAMES[erratum.table]}: " + ", ".join(parts)


def _without_row(erratum: Erratum, stereotypes: dict[str, dict[str, str]]) -> str:
    """What holds where there is no row: the plain rule that the row departs from, or nothing."""
    place = erratum.place
    if erratum.table == "coverage":
        listed = stereotypes.get(place["stereotype_id"], {}).get("identities", "").split(";")
        return "once" if place["identity"] in listed else "left out"
    if erratum.table == "variants":
        return "(as the template)"
    if erratum.table == "metadata_exceptions":
        return "(as the tables say)"
    narrowing = ("identity", "copy_number", "name_gender") if erratum.table == "forms" else ("origin", "against")
    if any(column in place for column in narrowing):
        return "(as elsewhere)"
    return "(none)"


def _content(cells: dict[str, str] | None, nothing: str) -> str:
    if cells is None:
        return nothing
    if list(cells) == ["copies"]:
        return {"0": "left out", "1": "once", "2": "twice"}.get(cells["copies"], cells["copies"])
    shown = []
    for column, value in cells.items():
        if not value and len(cells) > 1:
            continue
        text = f"`{value}`" if value else "(empty)"
        shown.append(text if column in ("text", "sentence") else f"{column.removeprefix('slot_')}: {text}")
    return "; ".join(shown) or "(as elsewhere)"
