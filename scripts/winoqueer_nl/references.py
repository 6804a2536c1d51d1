"""Do the source tables agree with each other? Ids that point somewhere, slots that exist, columns that are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.schema import METADATA_VALUES, PAIR_COLUMNS, Language, Row

#: Slots that a template takes from the stereotype and the identity; all others come from the names table.
IDENTITY, PREDICATE = "identity", "predicate"


def check_references(rows: dict[str, list[Any]], paths: dict[str, Path], problems: Problems) -> None:
    """Note every id that points to nothing, with the nearest known one."""
    identities = {row.identity_id for row in rows["identities"]}
    counters = {row.counter_identity_id for row in rows["counter_identities"]}
    known: dict[str, set[str]] = {
        "stereotype": {row.stereotype_id for row in rows["stereotypes"]},
        "identity": identities,
        "counter identity": counters,
        "identity or counter identity": identities | counters,
        "template": {row.template_id for row in rows["templates"]},
        "subject": {row.name_id for row in rows["names"]} | {"group"},
        "origin": {row.origin for row in rows["stereotypes"]},
        "form": {row.form for row in rows["templates"]},
        "identity form": {row.form for row in rows["identity_forms"]},
    }
    references: list[tuple[str, str, str]] = [
        ("stereotypes", "identities", "identity"),
        ("forms", "stereotype_id", "stereotype"),
        ("forms", "identity", "identity"),
        ("forms", "form", "form"),
        ("absent", "stereotype_id", "stereotype"),
        ("coverage", "stereotype_id", "stereotype"),
        ("coverage", "identity", "identity"),
        ("coverage", "templates", "template"),
        ("coverage", "subject", "subject"),
        ("metadata_exceptions", "stereotype_id", "stereotype"),
        ("metadata_exceptions", "form", "form"),
        ("templates", "identity_form", "identity form"),
        ("variants", "template_id", "template"),
        ("variants", "stereotype_id", "stereotype"),
        ("variants", "identity", "identity"),
        ("variants", "counter_identity", "counter identity"),
        ("variants", "subject", "subject"),
        ("variants", "origin", "origin"),
        ("variants", "identity_form", "identity form"),
        ("identities", "counter_identities", "counter identity"),
        ("identity_forms", "identity", "identity or counter identity"),
        ("identity_forms", "against", "identity or counter identity"),
        ("identity_forms", "origin", "origin"),
        ("names", "origin", "origin"),
    ]
    for table, column, what in references:
        for row in rows[table]:
            value = getattr(row, column)
            for part in value if isinstance(value, tuple) else (value,):
                if part is not None and part not in known[what]:
                    problems.add(
                        paths[table],
                        quoted(part),
                        f"a known {what}",
                        suggestion(part, known[what]) or f"Known: {listed(sorted(known[what]))}.",
                        row=row.row,
                        field=column,
                    )
    for row in rows["coverage"]:
        if row.subject is not None and row.copies != 0:
            problems.add(
                paths["coverage"],
                f"copies {row.copies} for the one subject {quoted(row.subject)}",
                "0: a row for one subject can only leave it out",
                row=row.row,
                field="copies",
            )


def placeholders(text: str) -> list[str]:
    """The names between braces in a text; raises ValueError where the braces do not pair up."""
    names = []
    for _, name, spec, conversion in Formatter().parse(text):
        if name is None:
            continue
        if spec or conversion or not name.isidentifier():
            raise ValueError(f"the slot {{{name}}} is not a plain name")
        names.append(name)
    return names


def check_placeholders(rows: dict[str, list[Any]], paths: dict[str, Path], problems: Problems) -> None:
    """Note every unknown slot, unpaired brace, and sentence without exactly one {identity}."""
    slots = {slot for row in rows["names"] for slot in row.slots}
    person = {row.template_id for row in rows["templates"] if row.subject == "person"}
    both = {row.template_id for row in rows["templates"] if row.subject == "group"} & person
    sentences: Iterable[tuple[str, Any, str, bool]] = [
        *(("templates", row, row.sentence, row.subject == "person") for row in rows["templates"]),
        *(
            ("variants", row, row.sentence, row.template_id in person)
            for row in rows["variants"]
            if row.sentence is not None
        ),
    ]
    if both:
        problems.add(
            paths["templates"],
            listed(sorted(both)),
            "each template_id for a group or for a person, not for both",
        )
    for table, row, sentence, of_person in sentences:
        known = {IDENTITY, PREDICATE} | (slots if of_person else set())
        names = _names_in(sentence, known, paths[table], row, "sentence", problems)
        if names is not None and names.count(IDENTITY) != 1:
            problems.add(
                paths[table],
                quoted(sentence),
                "the slot {identity} exactly once",
                row=row.row,
                field="sentence",
            )
        if names is not None and names.count(PREDICATE) > 1:
            problems.add(
                paths[table],
                quoted(sentence),
                "the slot {predicate} at most once",
                row=row.row,
                field="sentence",
            )
    for row in rows["forms"]:
        _names_in(row.text, slots, paths["forms"], row, "text", problems)
    for row in rows["identity_forms"]:
        for column in ("text", "sentence_initial"):
            _names_in(getattr(row, column) or "", set(), paths["identity_forms"], row, column, problems)


def _names_in(text: str, known: set[str], path: Path, row: Row, column: str, problems: Problems) -> list[str] | None:
    try:
        names = placeholders(text)
    except ValueError as error:
        problems.add(path, quoted(text), f"slots in paired braces ({error})", row=row.row, field=column)
        return None
    for name in names:
        if name not in known:
            problems.add(
                path,
                f"the unknown slot {{{name}}}",
                f"one of {listed('{' + k + '}' for k in sorted(known))}" if known else "no slot here",
                suggestion(name, known),
                row=row.row,
                field=column,
            )
    return names


def check_columns(path: Path, language: Language, problems: Problems) -> None:
    """Note every released column that language.yaml fills with something unknown."""
    checks: list[tuple[str, dict[str, str], Sequence[str]]] = [
        ("published_columns", language.published_columns, PAIR_COLUMNS),
        ("metadata_columns", language.metadata_columns, METADATA_VALUES),
    ]
    for key, columns, known in checks:
        for column, value in columns.items():
            if value not in known:
                problems.add(
                    path,
                    quoted(value),
                    f"one of {listed(known, 30)}",
                    suggestion(value, known),
                    field=f"{key}.{column}",
                )
