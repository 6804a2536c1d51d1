"""The pairs that an edition has and an earlier one has not, and the other way round, each with its reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from packaging.version import Version
from tabulate import tabulate

from winoqueer_nl.errata import HEADINGS, by_kind, errata
from winoqueer_nl.schema import Coverage, Form, Name, Row
from winoqueer_nl.sources import Sources, load

UNEXPLAINED = "(no row of the tables explains this)"

Why = tuple[str, str]


class Key(NamedTuple):
    """What a pair id says."""

    stereotype: str
    template: str
    subject: str
    identity: str
    counter_identity: str
    copy_number: int

    @classmethod
    def of(cls, pair_id: str) -> Key:
        """Take a pair id apart."""
        _, stereotype, template, subject, identity, counter, *copy = pair_id.split(".")
        return cls(stereotype, template, subject, identity, counter, int(copy[0]) if copy else 1)


@dataclass(frozen=True)
class Changes:
    """Counts of pairs: before and after, the same in both, worded otherwise, and gone or new.

    ``gone`` and ``new`` count by reason and by what it is about: (reason, stereotype x identity or name).
    """

    before: int
    after: int
    same: int
    reworded: int
    gone: dict[Why, int]
    new: dict[Why, int]


def compare(sources: Sources, old: str, new: str, before: pa.Table, after: pa.Table) -> Changes:
    """Compare the pairs of two editions by their ids and find the table row behind every difference.

    Parameters
    ----------
    old, new: the edition numbers.
    before, after: pairs of the two editions, with pair_id, sent_x, sent_y.
    """
    texts = [
        dict(
            zip(
                table["pair_id"].to_pylist(),
                zip(table["sent_x"].to_pylist(), table["sent_y"].to_pylist(), strict=True),
                strict=True,
            )
        )
        for table in (before, after)
    ]
    common = texts[0].keys() & texts[1].keys()
    same = sum(texts[0][pair_id] == texts[1][pair_id] for pair_id in common)
    explain = _Explainer(sources, old, new)
    gone = Counter(explain.gone(Key.of(pair_id)) for pair_id in texts[0] if pair_id not in texts[1])
    came = Counter(explain.new(Key.of(pair_id)) for pair_id in texts[1] if pair_id not in texts[0])
    return Changes(
        before=len(texts[0]),
        after=len(texts[1]),
        same=same,
        reworded=len(common) - same,
        gone=_ordered(gone),
        new=_ordered(came),
    )


def _ordered(counts: Counter[Why]) -> dict[Why, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class _Explainer:
    """Finds the row that took a pair away, or brought it."""

    def __init__(self, sources: Sources, old: str, new: str) -> None:
        self.sources = sources
        low, high = Version(old), Version(new)
        self.gender = {row.name_id: row.gender for row in sources.rows["names"]}

        def within(edition: str | None) -> bool:
            return edition is not None and low < Version(edition) <= high

        self.arrived = {t: [r for r in rows if within(r.since)] for t, rows in sources.rows.items()}
        self.ended = {t: [r for r in rows if within(r.until)] for t, rows in sources.rows.items()}

    def gone(self, key: Key) -> Why:
        """Why the newer edition lacks a pair."""
        for row in self.arrived["absent"]:
            if row.stereotype_id == key.stereotype:
                return row.reason, self._gloss(key)
        for row in self.arrived["coverage"]:
            if row.copies < key.copy_number and self._fits(row, key):
                return row.reason, f"{self._gloss(key)} x {key.identity}"
        for row in self.ended["coverage"]:
            if row.copies >= key.copy_number and self._fits(row, key):
                return row.reason, f"{self._gloss(key)} x {key.identity}"
        return UNEXPLAINED, self._gloss(key)

    def new(self, key: Key) -> Why:
        """Why the newer edition has a pair that the older lacks."""
        for row in self.ended["coverage"]:
            if row.copies < key.copy_number and self._fits(row, key):
                return row.reason, f"{self._gloss(key)} x {key.identity}"
        for row in self.ended["names"]:
            if row.name_id == key.subject:
                return row.reason, f"the name or pronoun {row.name_id}"
        for table in ("names", "forms", "stereotypes", "templates"):
            for row in self.arrived[table]:
                if self._brings(row, key):
                    return row.reason or "new in this edition", self._gloss(key)
        return UNEXPLAINED, self._gloss(key)

    def _fits(self, row: Coverage, key: Key) -> bool:
        return (
            (row.stereotype_id, row.identity) == (key.stereotype, key.identity)
            and (row.templates is None or key.template in row.templates)
            and row.name_gender in (None, self.gender.get(key.subject))
            and row.subject in (None, key.subject)
        )

    def _brings(self, row: Row, key: Key) -> bool:
        """Whether a new row by itself makes a pair possible: a row that replaces another does not."""
        if isinstance(row, Name):
            replaced = any(r.name_id == row.name_id for r in self.ended["names"])
            return row.name_id == key.subject and not replaced
        wanted: Any = getattr(row, "stereotype_id", None) or getattr(row, "template_id", None)
        table = "forms" if isinstance(row, Form) else "stereotypes" if hasattr(row, "gloss") else "templates"
        column = "template_id" if table == "templates" else "stereotype_id"
        replaced = any(getattr(r, column) == wanted for r in self.ended[table])
        return wanted == (key.template if table == "templates" else key.stereotype) and not replaced

    def _gloss(self, key: Key) -> str:
        return next(f'"{row.gloss}"' for row in self.sources.rows["stereotypes"] if row.stereotype_id == key.stereotype)


def page(root: Path, lang: str, old: str, new: str, before: pa.Table, after: pa.Table) -> str:
    """The comparison in Markdown: counts, then the reasons of pairs that went and came, then corrections by kind."""
    sources = load(root, lang)
    changes = compare(sources, old, new, before, after)
    gone, came = sum(changes.gone.values()), sum(changes.new.values())
    own = [e for e in errata(root, lang) if e.edition == new]
    kinds = [[HEADINGS[kind].lower(), count] for kind, count in by_kind(own).items()]
    lines = [
        f"# From edition {old} to {new} ({sources.language.name})",
        "",
        "Made by `winoqueer-nl changes`. Content warning: the reasons name hurtful stereotypes.",
        "",
        tabulate(
            [
                [f"pairs of {old}", f"{changes.before:,}"],
                ["gone", f"-{gone:,}"],
                ["new", f"+{came:,}"],
                [f"pairs of {new}", f"{changes.after:,}"],
                ["in both, same sentences", f"{changes.same:,}"],
                ["in both, sentences put right", f"{changes.reworded:,}"],
            ],
            headers=["", "pairs"],
            tablefmt="github",
            disable_numparse=True,
            colalign=("left", "right"),
        ),
        "",
        *_reasons("Pairs that are gone", changes.gone),
        *_reasons("Pairs that are new", changes.new),
        "## Corrections by kind",
        "",
        tabulate([*kinds, ["all", len(own)]], headers=["kind", "table rows"], tablefmt="github"),
        "",
        "Each of them is listed in docs/errata.md.",
        "",
    ]
    return "\n".join(lines)


def _reasons(title: str, counts: dict[Why, int]) -> list[str]:
    """A table with one row per reason, the largest first, and what each reason concerns."""
    if not counts:
        return []
    totals: Counter[str] = Counter()
    concerned: dict[str, list[str]] = {}
    for (reason, what), count in counts.items():
        totals[reason] += count
        concerned.setdefault(reason, []).append(f"{what} ({count:,})")
    rows = [
        [f"{totals[reason]:,}", reason, "; ".join(concerned[reason])]
        for reason in sorted(totals, key=lambda r: (-totals[r], r))
    ]
    rows.append([f"{sum(totals.values()):,}", "all", ""])
    return [
        f"## {title}",
        "",
        tabulate(
            rows,
            headers=["pairs", "why", "which"],
            tablefmt="github",
            disable_numparse=True,
            colalign=("right", "left", "left"),
        ),
        "",
    ]
