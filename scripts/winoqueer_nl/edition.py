"""An edition: the rows of the source tables that are valid at one version, checked to be complete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pydantic

from winoqueer_nl.problems import Problems, listed, quoted
from winoqueer_nl.references import check_placeholders, check_references
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
    Stereotype,
    Template,
    Variant,
)
from winoqueer_nl.sources import TABLES, Sources
from winoqueer_nl.tables import decoded
from winoqueer_nl.yaml_files import Strict


class Edition(Strict):
    """The rows valid at one version: everything that building this edition needs, and nothing else."""

    lang: str
    edition: str
    language: Language
    stereotypes: list[Stereotype]
    forms: list[Form]
    absent: list[Absent]
    coverage: list[Coverage]
    metadata_exceptions: list[MetadataException]
    templates: list[Template]
    variants: list[Variant]
    identities: list[Identity]
    counter_identities: list[CounterIdentity]
    identity_forms: list[IdentityForm]
    names: list[Name]


def choose(sources: Sources, edition: str) -> Edition:
    """Choose the rows valid at an edition and check that they are complete.

    The bookkeeping columns (since, until, kind, reason) are left out, so that a change of them alone changes
    nothing downstream.

    Raises
    ------
    InputError
        naming each form that a stereotype lacks, and each identity left out that it does not have.
    """
    bookkeeping: dict[str, None] = dict.fromkeys(("since", "until", "kind"))
    valid = {
        name: [
            row.model_copy(update=bookkeeping | ({} if name in _WITH_REASON else {"reason": None}))
            for row in rows
            if row.valid_at(edition)
        ]
        for name, rows in sources.rows.items()
    }
    chosen = Edition(lang=sources.lang, edition=edition, language=sources.language, **valid)
    problems = Problems()
    _check_not_empty(valid, sources.paths, edition, problems)
    check_references(valid, sources.paths, problems, edition)
    check_placeholders(valid, sources.paths, problems)
    # Where an id points nowhere, what is complete cannot be said.
    problems.stop()
    _check_complete(chosen, sources.paths, problems)
    problems.stop()
    return chosen


_WITH_REASON = ("absent", "coverage", "metadata_exceptions")


def _check_not_empty(valid: dict[str, list[Any]], paths: dict[str, Path], edition: str, problems: Problems) -> None:
    for name, table in TABLES.items():
        if not valid[name] and not table.may_be_empty:
            problems.add(
                paths[name],
                f"no row that holds in edition {edition}",
                "at least one",
                "Look at the since and until of the rows, or build another edition.",
            )


def _check_complete(chosen: Edition, paths: dict[str, Path], problems: Problems) -> None:
    forms = {(row.stereotype_id, row.form) for row in chosen.forms if row.identity is None and row.copy_number is None}
    absent = {row.stereotype_id: row for row in chosen.absent}
    written = {row.stereotype_id for row in chosen.forms}
    for stereotype in chosen.stereotypes:
        needed = dict.fromkeys(t.form for t in chosen.templates if stereotype.type in t.types)
        lacking = [form for form in needed if (stereotype.stereotype_id, form) not in forms]
        if stereotype.stereotype_id in absent:
            if stereotype.stereotype_id in written:
                problems.add(
                    absent[stereotype.stereotype_id].file or paths["absent"],
                    f"{quoted(stereotype.stereotype_id)}, which has forms in {paths['forms']}",
                    "either forms or a row here",
                    "Remove one of them.",
                    row=absent[stereotype.stereotype_id].row,
                    field="stereotype_id",
                )
        elif lacking:
            problems.add(
                paths["forms"],
                f"no {listed(lacking)} of {stereotype.stereotype_id} ({stereotype.gloss})",
                f"every form that a template takes: {listed(needed)}",
                f"Add the rows, or say in {paths['absent'].name} why there are none (edition {chosen.edition}).",
                field="form",
            )
    identities = {row.stereotype_id: row.identities for row in chosen.stereotypes}
    for row in chosen.coverage:
        own = identities.get(row.stereotype_id)
        if own is not None and row.copies == 0 and row.identity not in own:
            problems.add(
                row.file or paths["coverage"],
                f"{row.stereotype_id} left out with {quoted(row.identity)}",
                f"one of its identities: {listed(own)}",
                "Correct the identity, or remove the row.",
                row=row.row,
                field="identity",
            )


def read(path: Path) -> Edition:
    """Read an edition that the stage "tables" has checked and written.

    Raises
    ------
    InputError
        when the file is not there or is not such an edition, whole.
    """
    problems = Problems()
    text = decoded(path, problems)
    if text is not None:
        try:
            return Edition.model_validate_json(text)
        except pydantic.ValidationError:
            problems.add(
                path,
                "a file that is not a checked edition, or not a whole one",
                "what `winoqueer-nl tables` writes",
                "Remove the file and build it again.",
            )
    problems.stop()
    raise AssertionError("unreachable: a problem was noted")
