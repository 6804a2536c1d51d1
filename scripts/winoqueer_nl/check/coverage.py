"""Gate ``coverage``: every stereotype x identity x template x counter identity x fitting name, or a declared absence.

A row of the coverage table with copies 0 declares an absence. Where the row has a ``kind`` it records a slip of a
release: the absence is known, yet found; without one it is how things should be.
"""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding
from winoqueer_nl.planning import subjects
from winoqueer_nl.problems import Problems
from winoqueer_nl.references import GROUP
from winoqueer_nl.schema import Coverage, Name, Stereotype, Template


def coverage(context: Context) -> list[Finding]:
    """Pairs that are missing, by stereotype and identity; the rows are the ids that the pairs would have."""
    found = Collected("coverage")
    edition = context.edition
    there = {pair.pair_id for pair in context.pairs}
    declared: dict[tuple[str, str], list[Coverage]] = {}
    for entry in context.all_coverage:
        if entry.copies == 0:
            declared.setdefault((entry.stereotype_id, entry.identity), []).append(entry)
    absent = {row.stereotype_id for row in edition.absent}
    identities = {row.identity_id: row for row in edition.identities}
    names = {origin: subjects(edition, origin, Problems()) for origin in {s.origin for s in edition.stereotypes}}
    # A name that one origin has and another lacks is a gap too.
    ids = {origin: {name.name_id for name in people} for origin, people in names.items()}
    everyone = {name.name_id: name for people in names.values() for name in people}
    for template in edition.templates:
        for stereotype in edition.stereotypes:
            if not _due(template, stereotype) or stereotype.stereotype_id in absent | context.excluded:
                continue
            for identity_id in stereotype.identities:
                identity = identities[identity_id]
                people: list[Name | None] = [None] if template.subject == GROUP else list(everyone.values())
                for name in people:
                    if name is not None and name.gender not in identity.name_genders:
                        continue
                    row = _declaration(declared.get((stereotype.stereotype_id, identity_id), []), template, name)
                    if row is not None and row.kind is None:
                        continue
                    for counter in identity.counter_identities:
                        subject = GROUP if name is None else name.name_id
                        parts = (stereotype.stereotype_id, template.template_id, subject, identity_id, counter)
                        pair_id = ".".join((edition.lang, *parts))
                        if pair_id in there:
                            continue
                        if name is not None and name.name_id not in ids[stereotype.origin]:
                            scope, why = f"name.{name.name_id}", f"{name.name_id} stands with some origins only"
                        else:
                            scope, why = f"{stereotype.stereotype_id}.{identity_id}", row.reason if row else "missing"
                        found.add(scope, pair_id, f"{stereotype.gloss!r} x {identity_id}: {why}")
    return found.findings()


def _due(template: Template, stereotype: Stereotype) -> bool:
    return stereotype.type in template.types


def _declaration(rows: list[Coverage], template: Template, name: Name | None) -> Coverage | None:
    for row in rows:
        if row.templates is not None and template.template_id not in row.templates:
            continue
        if row.name_gender is not None and (name is None or name.gender != row.name_gender):
            continue
        if row.subject is not None and (name is None or name.name_id != row.subject):
            continue
        return row
    return None
