"""Runs the gates over an edition and sets the declared exceptions against what they find."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from winoqueer_nl.check.context import Context, Finding, Pair
from winoqueer_nl.check.gates import GATES
from winoqueer_nl.check.settings import load
from winoqueer_nl.edition import choose
from winoqueer_nl.pairs import SCHEMA, Judgement, generate
from winoqueer_nl.released import read_record
from winoqueer_nl.sources import load as load_sources

#: Rows named of a declared finding: enough to look it up, where there may be tens of thousands.
FEW = 5

#: Severity by gate where check.yaml gives none; error for all others.
SEVERITY = {"released": "note"}


@dataclass(frozen=True)
class Verdict:
    """A finding with its severity and the exception that declares it, if one does."""

    finding: Finding
    severity: str
    declared: str | None

    @property
    def counts(self) -> bool:
        """Whether the finding fails the check: notes never do, declared ones do not."""
        return self.declared is None and self.severity != "note"

    def as_json(self) -> dict[str, Any]:
        """The finding as check.json shows it: all rows of an undeclared one, a few of a declared one."""
        rows = self.finding.rows
        return {
            "gate": self.finding.gate,
            "scope": self.finding.scope,
            "severity": self.severity,
            "declared": self.declared,
            "count": len(rows),
            "rows": list(rows if self.declared is None else rows[:FEW]),
            "text": self.finding.text,
        }


def context_of(
    root: Path,
    lang: str,
    edition: str,
    judgements: Mapping[str, Judgement] | None,
    excluded_tiers: Iterable[int] = (-1,),
    pairs: pa.Table | None = None,
) -> Context:
    """Everything that the gates look at; pairs are made from the tables where none are given.

    Raises
    ------
    InputError
        for problems in any table.
    """
    excluded_tiers = tuple(excluded_tiers)
    sources = load_sources(root, lang)
    chosen = choose(sources, edition)
    if pairs is None:
        pairs = pa.Table.from_batches(generate(chosen, judgements, excluded_tiers), schema=SCHEMA)
    columns = [pairs.column(name).to_pylist() for name in Pair._fields]
    record = read_record(root, lang, edition)
    return Context(
        edition=chosen,
        pairs=[Pair(*row) for row in zip(*columns, strict=True)],
        language=load(root, lang),
        all_coverage=[row for row in sources.rows["coverage"] if row.valid_at(edition)],
        excluded=frozenset(i for i, j in (judgements or {}).items() if j.tier in excluded_tiers),
        as_released=excluded_tiers == (-1,),
        released_pairs=record.pairs if record is not None else None,
    )


def findings(context: Context, gates: Iterable[str] = GATES) -> list[Finding]:
    """What the gates find, gate by gate, scopes in order of their names."""
    found: list[Finding] = []
    for gate in gates:
        module = importlib.import_module(f"winoqueer_nl.check.{GATES[gate][0]}")
        found += sorted(getattr(module, gate)(context), key=lambda f: f.scope)
    return found


def judged(context: Context, found: Iterable[Finding]) -> list[Verdict]:
    """Set the exceptions of the edition against the findings.

    An exception declares as many rows as it counts: where the gates find more, none of them is declared; where they
    find fewer, a note says that the count is out of date. Counts are not compared where an edition is built otherwise
    than it was released (another survey, other tiers).
    """
    exceptions = [row for row in context.language.exceptions if row.edition == context.edition.edition]
    severity = SEVERITY | context.language.settings.severity
    comparable = context.as_released and not context.differs_from_release
    verdicts: list[Verdict] = []
    open_findings = list(found)
    # Exceptions that name a scope are taken first; one without a scope declares what is left of its gate.
    for row in sorted(exceptions, key=lambda r: r.scope is None):
        answering = [f for f in open_findings if f.gate == row.gate and row.scope in (None, f.scope)]
        count = len({r for f in answering for r in f.rows})
        if comparable and count != row.count:
            text = f"exceptions.csv, row {row.row}: declared for {row.count} rows, found in {count}"
            text += ": lower the count" if count < row.count else ": look for what is new, then count again"
            verdicts.append(Verdict(Finding(row.gate, row.scope or "", (f"exceptions:{row.row}",), text), "note", None))
        if comparable and count > row.count:
            continue
        for finding in answering:
            open_findings.remove(finding)
            verdicts.append(Verdict(finding, severity.get(row.gate, "error"), row.reason))
    verdicts += [Verdict(f, severity.get(f.gate, "error"), None) for f in open_findings]
    order = {gate: number for number, gate in enumerate(GATES)}
    return sorted(verdicts, key=lambda v: (order[v.finding.gate], v.finding.scope))


def report(context: Context, verdicts: list[Verdict]) -> dict[str, Any]:
    """check.json: counts by gate, then every finding."""
    gates = {}
    for gate, (_, rule) in GATES.items():
        own = [v for v in verdicts if v.finding.gate == gate]
        gates[gate] = {
            "rule": rule,
            "declared": len({r for v in own if v.declared is not None for r in v.finding.rows}),
            "undeclared": len({r for v in own if v.declared is None for r in v.finding.rows}),
        }
    return {
        "lang": context.edition.lang,
        "edition": context.edition.edition,
        "pairs": len(context.pairs),
        "undeclared_findings": sum(v.counts for v in verdicts),
        "gates": gates,
        "findings": [v.as_json() for v in verdicts],
    }


def as_text(context: Context, verdicts: list[Verdict]) -> str:
    """The findings for a terminal: undeclared ones in full, declared ones in one line each, a verdict at the end."""
    lines = []
    for v in verdicts:
        f = v.finding
        if v.declared is None:
            few = ", ".join(f.rows[:FEW]) + (f", ... ({len(f.rows)} rows)" if len(f.rows) > FEW else "")
            lines += [f"{v.severity}: {f.gate} ({f.scope}): {f.text}", f"    {few}"]
        else:
            lines.append(f"declared: {f.gate} ({f.scope}), {len(f.rows)} rows: {v.declared}")
    failed = sum(v.counts for v in verdicts)
    declared = sum(v.declared is not None for v in verdicts)
    where = f"{context.edition.lang} {context.edition.edition}"
    lines.append(
        f"{where}: {len(context.pairs):,} pairs, {failed} undeclared findings, {declared} declared with a reason."
    )
    if failed:
        lines.append(
            "Put the tables right (winoqueer-nl correct), or declare what must stay in "
            f"templates/{context.edition.lang}/exceptions.csv with its count and a reason."
        )
    return "\n".join(lines) + "\n"
