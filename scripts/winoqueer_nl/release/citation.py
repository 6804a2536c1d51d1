"""CITATION.cff of a release (Citation File Format 1.2.0, type dataset)."""

from __future__ import annotations

from typing import Any

import yaml

from winoqueer_nl.release.description import Description, Person, Work


def _person(person: Person) -> dict[str, str]:
    entry = {"family-names": person.family}
    if person.given:
        entry["given-names"] = person.given
    if person.affiliation:
        entry["affiliation"] = person.affiliation
    return entry


def _work(work: Work) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": work.type,
        "title": work.title,
        "authors": [_person(person) for person in work.authors],
    }
    if work.year:
        entry["year"] = work.year
    if work.venue:
        entry["collection-title"] = work.venue
    if work.url:
        entry["url"] = work.url
    return entry


def render(d: Description, version: str) -> str:
    """The text of CITATION.cff."""
    content = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it, and the works it builds on.",
        "type": "dataset",
        "title": d.pretty_name,
        "version": version,
        "abstract": d.summary,
        "authors": [_person(person) for person in d.authors],
        "keywords": d.tags,
        "license": d.spdx,
        "url": d.homepage,
        "references": [_work(work) for work in d.references],
    }
    if not d.references:
        del content["references"]
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=1000)
