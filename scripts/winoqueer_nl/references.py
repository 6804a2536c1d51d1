"""Do the source tables agree with each other? Ids that point somewhere, slots that exist, columns that are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.schema import METADATA_VALUES, PAIR_COLUMNS, SLOT_PREFIX, Language, Row

#: Slots that a template takes from the stereotype and the identity; all others come from the names table.
IDENTITY, PREDICATE = "identity", "predicate"
#: The subject of a template about a group; a template about a person takes the names in turn.
GROUP = "group"


def check_references(
    rows: dict[str, list[Any]], paths: dict[str, Path], problems: Problems, edition: str | None = None
) -> None:
    """Note every id that points to nothing, with the nearest known one.

    Parameters
    ----------
    rows: the rows of every table, all of them or those of one edition.
    paths: where each table stands.
    problems: collects what is wrong.
    edition: the edition that the rows are of, for the message; None where they are all.
    """
    when = f" in edition {edition}" if edition else ""
    identities = {row.identity_id for row in rows["identities"]}
    counters = {row.counter_identity_id for row in rows["counter_identities"]}
    known: dict[str, set[str]] = {
        "stereotype": {row.stereotype_id for row in rows["stereotypes"]},
        "identity": identities,
        "counter identity": counters,
        "identity or counter identity": identities | counters,
        "template": {row.template_id for row in rows["templates"]},
        "subject": {row.name_id for row in rows["names"]} | {GROUP},
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
                        row.file or paths[table],
                        quoted(part),
                        f"a known {what}{when}",
                        suggestion(part, known[what]) or f"Known{when}: {listed(sorted(known[what]))}.",
                        row=row.row,
                        field=column,
                    )
    for row in rows["names"]:
        if row.name_id == GROUP:
            problems.add(
                row.file or paths["names"],
                quoted(row.name_id),
                "another id: this one stands for the subject of a template about a group",
                "Choose another id.",
                row=row.row,
                field="name_id",
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
    for slot in sorted(slots & {IDENTITY, PREDICATE}):
        problems.add(
            paths["names"],
            f"the column {quoted(SLOT_PREFIX + slot)}",
            f"another name: {{{slot}}} is filled by the {'identity' if slot == IDENTITY else 'stereotype'}",
            "Rename the column.",
            row=1,
        )
    # A form that a template about a group takes has no subject whose slots could fill it.
    of_group = {row.form for row in rows["templates"] if row.subject == GROUP}
    person = {row.template_id for row in rows["templates"] if row.subject == "person"}
    both = {row.template_id for row in rows["templates"] if row.subject == GROUP} & person
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
            "Give one of them another id.",
            field="subject",
        )
    for row in rows["variants"]:
        if row.sentence is None and row.identity_form is None:
            problems.add(
                row.file or paths["variants"],
                "neither a sentence nor an identity form",
                "at least one of the two",
                "Fill one in, or remove the row.",
                row=row.row,
                field="sentence",
            )
    for table, row, sentence, of_person in sentences:
        known = {IDENTITY, PREDICATE} | (slots if of_person else set())
        names = _names_in(sentence, known, paths[table], row, "sentence", problems)
        if names is not None and names.count(IDENTITY) != 1:
            problems.add(
                row.file or paths[table],
                quoted(sentence),
                "the slot {identity} exactly once",
                "It stands for the identity term of either sentence.",
                row=row.row,
                field="sentence",
            )
        if names is not None and names.count(PREDICATE) > 1:
            problems.add(
                row.file or paths[table],
                quoted(sentence),
                "the slot {predicate} at most once",
                "Remove one.",
                row=row.row,
                field="sentence",
            )
    for row in rows["forms"]:
        known = set() if row.form in of_group else slots
        _names_in(row.text, known, paths["forms"], row, "text", problems)
    for row in rows["identity_forms"]:
        for column in ("text", "sentence_initial"):
            _no_brace(getattr(row, column) or "", paths["identity_forms"], row, column, problems)
    for row in rows["names"]:
        for slot, text in row.slots.items():
            _no_brace(text, paths["names"], row, SLOT_PREFIX + slot, problems)


def _no_brace(text: str, path: Path, row: Row, column: str, problems: Problems) -> None:
    if "{" in text or "}" in text:
        problems.add(
            row.file or path,
            quoted(text),
            "a text without slots: it stands in the sentence as it is",
            "Remove the braces.",
            row=row.row,
            field=column,
        )


def _names_in(text: str, known: set[str], path: Path, row: Row, column: str, problems: Problems) -> list[str] | None:
    file = row.file or path
    try:
        names = placeholders(text)
    except ValueError as error:
        problems.add(
            file,
            quoted(text),
            f"slots in paired braces ({error})",
            "Close each { with a }; a brace of the text itself is doubled.",
            row=row.row,
            field=column,
        )
        return None
    for name in names:
        if name not in known:
            problems.add(
                file,
                f"the unknown slot {{{name}}}",
                f"one of {listed('{' + k + '}' for k in sorted(known))}" if known else "no slot here",
                suggestion(name, known) or "Correct or remove it.",
                row=row.row,
                field=column,
            )
    return names


def check_columns(path: Path, language: Language, origins: Iterable[str], problems: Problems) -> None:
    """Note every released column that language.yaml fills with something unknown, and every unknown origin."""
    origins = sorted(set(origins))
    for origin in language.metadata_gloss_origins:
        if origin not in origins:
            problems.add(
                path,
                quoted(origin),
                f"an origin of a stereotype: {listed(origins)}",
                suggestion(origin, origins),
                field="metadata_gloss_origins",
            )
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
