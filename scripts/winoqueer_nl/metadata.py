"""Stage "metadata": the published table of stereotypes and forms, and a tidy one with a row per stereotype.

The published table has one row per stereotype and predicate form. What it says otherwise than the source tables is
kept in metadata_exceptions.csv, a row and a reason each.
"""

from __future__ import annotations

import csv
import io
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from winoqueer_nl import pairs
from winoqueer_nl.edition import Edition
from winoqueer_nl.files import write_csv
from winoqueer_nl.patterns import fill, text_pattern
from winoqueer_nl.planning import subjects
from winoqueer_nl.problems import Problems, quoted
from winoqueer_nl.schema import MetadataException, Stereotype, Template
from winoqueer_nl.sources import table_path
from winoqueer_nl.tables import decoded, shown

#: Columns of the survey aggregates that the tidy table repeats, blank where a stereotype was not asked about.
SURVEY_COLUMNS = [
    "n_yes",
    "n_no",
    "n_unsure",
    "yes_percentage",
    "tier",
    "harmfulness_count",
    "harmfulness_mean",
    "harmfulness_sd",
]


@dataclass(frozen=True)
class FormRow:
    """One row of the published metadata before survey figures: a stereotype in one form."""

    stereotype_id: str
    form: str
    template: int
    gloss: str
    text: str
    identities: str
    copies: int = 1


def form_rows(edition: Edition) -> list[FormRow]:
    """Every stereotype in every form that it has, in the order of the tables, exceptions applied.

    Raises
    ------
    InputError
        for an exception that no row answers to.
    """
    problems = Problems()
    templates: dict[str, Template] = {}
    for template in sorted(edition.templates, key=lambda t: t.template):
        templates.setdefault(template.form, template)
    texts: dict[str, list[tuple[str, str]]] = {}
    for written in edition.forms:
        if written.identity is None and written.copy_number is None:
            texts.setdefault(written.stereotype_id, []).append((written.form, written.text))
    labels = {row.identity_id: row.metadata_label for row in edition.identities}
    exceptions: dict[tuple[str, str], list[tuple[int, MetadataException]]] = {}
    for place, exception in enumerate(edition.metadata_exceptions):
        exceptions.setdefault((exception.stereotype_id, exception.form), []).append((place, exception))
    rows: list[FormRow] = []
    used: set[int] = set()  # places in the table: a row's own number is not kept in a written edition
    for stereotype in edition.stereotypes:
        for form, text in texts.get(stereotype.stereotype_id, []):
            for reading in _readings(edition, stereotype, text, problems):
                row = FormRow(
                    stereotype.stereotype_id,
                    form,
                    templates[form].template,
                    _gloss(edition, stereotype, templates[form]),
                    reading,
                    ", ".join(labels[identity] for identity in stereotype.identities),
                )
                for place, exception in exceptions.get((stereotype.stereotype_id, form), []):
                    if exception.text is None or shown(exception.text) == reading:
                        used.add(place)
                        row = _excepted(row, exception, edition, problems)
                rows.append(row)
    for place, exception in enumerate(edition.metadata_exceptions):
        if place not in used:
            problems.add(
                exception.file or table_path("metadata_exceptions", edition.lang),
                f"an exception for {exception.stereotype_id}, {exception.form}"
                + (f", {quoted(exception.text)}" if exception.text else ""),
                "a form that the stereotype has",
                "Correct the row or remove it.",
                row=exception.row or None,
                field="text" if exception.text else "stereotype_id",
            )
    problems.stop()
    return rows


def _readings(edition: Edition, stereotype: Stereotype, text: str, problems: Problems) -> list[str]:
    """The form as the metadata shows it: one text, or one for each distinct filling of its slots by gender."""
    parts = text_pattern(text)
    if all(isinstance(part, str) for part in parts):
        return ["".join(part for part in parts if isinstance(part, str))]
    names = subjects(edition, stereotype.origin, problems)
    order = {"female": 0, "male": 1, "neutral": 2}
    in_order = sorted(names, key=lambda name: order[name.gender])
    return list(
        dict.fromkeys(fill(parts, {slot: shown(text) for slot, text in name.slots.items()}) for name in in_order)
    )


def _gloss(edition: Edition, stereotype: Stereotype, template: Template) -> str:
    if stereotype.origin not in edition.language.metadata_gloss_origins:
        return ""
    singular = template.subject == "person" and stereotype.type != "identity"
    return stereotype.gloss_singular if singular else stereotype.gloss


def _excepted(row: FormRow, exception: MetadataException, edition: Edition, problems: Problems) -> FormRow:
    value = shown(exception.value)
    if exception.column == "gloss":
        return replace(row, gloss=value)
    if exception.column == "text":
        return replace(row, text=value)
    if exception.column == "identities":
        return replace(row, identities=value)
    if exception.value not in set(string.digits):
        problems.add(
            exception.file or table_path("metadata_exceptions", edition.lang),
            quoted(exception.value),
            "how many times the row stands: a digit, such as 0 or 2",
            "Correct it.",
            row=exception.row or None,
            field="value",
        )
        return row
    return replace(row, copies=int(exception.value))


def read_survey(path: Path | None) -> dict[str, dict[str, str]]:
    """The survey aggregates by stereotype id, every cell as text; empty where the language has no survey."""
    if path is None:
        return {}
    problems = Problems()
    text = decoded(path, problems)
    problems.stop()
    rows = csv.DictReader(io.StringIO(text, newline=""))
    for column in ("stereotype_id", "n_votes", *SURVEY_COLUMNS, "votes_of"):
        if column not in (rows.fieldnames or []):
            problems.add(
                path, f"no column {quoted(column)}", "survey aggregates", "Remove the file and build it again."
            )
    problems.stop()
    return {row["stereotype_id"]: row for row in rows}


def published_rows(edition: Edition, survey: Mapping[str, Mapping[str, str]]) -> Iterable[list[str]]:
    """The rows of the published metadata, in the column order of the language."""
    for row in form_rows(edition):
        votes = survey.get(row.stereotype_id, {})
        asked = votes.get("n_votes", "") not in ("", "0")
        values = {
            "template": str(row.template),
            "gloss": row.gloss,
            "text": row.text,
            "identities": row.identities,
            "harmfulness_count": votes.get("harmfulness_count", ""),
            "harmfulness_mean": _short(votes.get("harmfulness_mean", "")),
        }
        for name in ("n_votes", "n_yes", "n_no", "n_unsure", "yes_percentage", "tier"):
            values[name] = _short(votes.get(name, "")) if asked else ""
        for _ in range(row.copies):
            yield [values[value] for value in edition.language.metadata_columns.values()]


def _short(number: str) -> str:
    """3.00 -> 3, 2.50 -> 2.5: the way the published table writes numbers."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def tidy_rows(
    edition: Edition, survey: Mapping[str, Mapping[str, str]], n_pairs: Mapping[str, int]
) -> tuple[list[str], list[list[str]]]:
    """The header and rows of stereotypes.csv: one row per stereotype, one column per predicate form."""
    forms = list(dict.fromkeys(row.form for row in edition.templates))
    texts = {
        (row.stereotype_id, row.form): row.text
        for row in edition.forms
        if row.identity is None and row.copy_number is None
    }
    header = ["stereotype_id", "type", "origin", "gloss", "identities", "n_pairs", *SURVEY_COLUMNS, *forms]
    rows = []
    for stereotype in edition.stereotypes:
        votes = survey.get(stereotype.stereotype_id, {})
        rows.append(
            [
                stereotype.stereotype_id,
                stereotype.type,
                stereotype.origin,
                stereotype.gloss,
                ";".join(stereotype.identities),
                str(n_pairs.get(stereotype.stereotype_id, 0)),
                *(votes.get(column, "") for column in SURVEY_COLUMNS),
                *(shown(texts.get((stereotype.stereotype_id, form), "")) for form in forms),
            ]
        )
    return header, rows


def write(edition: Edition, survey_file: Path | None, pairs_file: Path, published: Path, tidy: Path) -> tuple[int, int]:
    """Write stereotype_metadata.csv and stereotypes.csv; return the number of rows of each."""
    survey = read_survey(survey_file)
    rows = list(published_rows(edition, survey))
    ids = pairs.read(pairs_file, ["stereotype_id"]).column(0).value_counts().to_pylist()
    header, tidy_table = tidy_rows(edition, survey, {entry["values"]: entry["counts"] for entry in ids})
    write_csv(published, list(edition.language.metadata_columns), rows)
    write_csv(tidy, header, tidy_table)
    return len(rows), len(tidy_table)
