"""The known defects of the published files, class by class, beside what the gates find of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from winoqueer_nl.check.context import Context, Finding

KNOWN_DEFECTS = "release/known_defects.csv"


@dataclass(frozen=True)
class Row:
    """A class of defects: how many rows are known to have it, and in how many the gates find it."""

    defect: str
    example: str
    known: int
    found: int
    note: str


def rows(root: Path, context: Context, found: Iterable[Finding]) -> list[Row]:
    """The known defects of this language and edition, counted anew.

    A row of the table names the gates and scopes that find a class: ``gate:scope`` or ``gate`` alone, joined by
    semicolons; a row that several of them find counts once.
    """
    found = list(found)
    wanted = (context.edition.lang, context.edition.edition)
    with (root / KNOWN_DEFECTS).open(encoding="utf-8", newline="") as file:
        table = [row for row in csv.DictReader(file) if (row["lang"], row["edition"]) == wanted]
    counted = []
    for row in table:
        concerned: set[str] = set()
        for place in row["found_by"].split(";"):
            gate, _, scope = place.strip().partition(":")
            concerned |= {r for f in found if f.gate == gate and (not scope or f.scope == scope) for r in f.rows}
        counted.append(Row(row["defect"], row["example"], int(row["rows"]), len(concerned), row["note"]))
    return counted


def page(root: Path, context: Context, found: Iterable[Finding]) -> str:
    """The table in Markdown."""
    counted = rows(root, context, found)
    edition = context.edition
    table = [[r.defect, r.example, r.known, r.found, r.note] for r in counted]
    equal = sum(r.known == r.found for r in counted)
    return "\n".join(
        [
            f"# Known defects and the gates ({edition.language.name}, edition {edition.edition})",
            "",
            "Made by `winoqueer-nl check --defects`. Content warning: the examples are hurtful sentences.",
            f"Of {len(counted)} classes of known defects the gates find {equal} in exactly the known number of rows;",
            "the last column explains the others.",
            "",
            tabulate(
                table, headers=["defect", "example", "known", "found", ""], tablefmt="github", disable_numparse=True
            ),
            "",
        ]
    )
