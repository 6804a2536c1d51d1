"""Proposals for forms: which forms a language lacks, the table of proposals, and the carrier sentences.

``predicates/<lang>/translations.csv`` is both the cache of what translation engines answered and the list of
proposals under review. Nothing in it is a form; ``predicates/<lang>/forms.csv`` alone makes sentence pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from winoqueer_nl.authoring.rows import csv_line
from winoqueer_nl.config import read_editions
from winoqueer_nl.edition import Edition
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted, suggestion
from winoqueer_nl.references import PREDICATE, placeholders
from winoqueer_nl.schema import Carrier, Form, Stereotype, Translation
from winoqueer_nl.sources import TABLES, TRANSLATIONS_FILE, Sources
from winoqueer_nl.tables import read_table

CARRIERS = "templates/{lang}/carriers.csv"
TRANSLATION_COLUMNS = tuple(name for name in Translation.model_fields if name != "row")
CARRIER_COLUMNS = tuple(name for name in Carrier.model_fields if name != "row")

#: The kind of a row in absent.csv that only waits for reviewed forms; every other row there is a decision.
PENDING_KIND = "translation"
PENDING_REASON = "no reviewed form yet"

#: Columns that narrow a form to some of its sentences.
NARROWING = tuple(column for column in TABLES["forms"].key if column not in ("stereotype_id", "form"))

_SLOT = f"{{{PREDICATE}}}"


@dataclass(frozen=True)
class Lacking:
    """A stereotype that waits for forms in a language."""

    stereotype: Stereotype
    #: the forms that templates take and that nobody has written, in the order of the templates
    forms: tuple[str, ...]


def working_edition(root: Path, lang: str, wanted: str | None = None) -> str:
    """The edition that new rows are for: the one wanted, else the newest of the language, else the newest of all.

    Raises InputError when the one wanted is not in release/editions.csv.
    """
    rows = read_editions(root)
    if wanted is not None:
        known = [row.edition for row in rows]
        if wanted not in known:
            raise InputError(
                [
                    Problem(
                        "release/editions.csv",
                        f"no edition {quoted(wanted)}",
                        f"one of {listed(known) or 'those that the table lists; it is empty'}",
                        "Add a row for the new edition first.",
                        field="edition",
                    )
                ]
            )
        return wanted
    of_language = [row.edition for row in rows if lang in row.languages]
    return max(of_language or [row.edition for row in rows], key=Version)


def needed_forms(sources: Sources, stereotype_type: str, edition: str) -> tuple[str, ...]:
    """The forms that a stereotype of a type needs: those that a template of the edition takes, each once."""
    return tuple(
        dict.fromkeys(t.form for t in sources.rows["templates"] if t.valid_at(edition) and stereotype_type in t.types)
    )


def lacking(sources: Sources, edition: str) -> list[Lacking]:
    """Stereotypes without some or all of their forms, unless absent.csv gives a decision as the reason."""
    written = {
        (row.stereotype_id, row.form) for row in sources.rows["forms"] if row.valid_at(edition) and is_general(row)
    }
    decided = {
        row.stereotype_id for row in sources.rows["absent"] if row.valid_at(edition) and row.kind != PENDING_KIND
    }
    found = []
    for one in sources.rows["stereotypes"]:
        if one.valid_at(edition) and one.stereotype_id not in decided:
            needed = needed_forms(sources, one.type, edition)
            forms = tuple(form for form in needed if (one.stereotype_id, form) not in written)
            if forms:
                found.append(Lacking(one, forms))
    return found


def is_general(form: Form) -> bool:
    """Whether the form is that of the stereotype, not of some of its sentences only."""
    return all(getattr(form, column) is None for column in NARROWING)


def slots_of_form(edition: Edition, form: str) -> set[str]:
    """The slots that a form may hold: those of the names, where each template that takes it is about a person."""
    subjects = {row.subject for row in edition.templates if row.form == form}
    return {slot for name in edition.names for slot in name.slots} if subjects == {"person"} else set()


def holds_only(text: str, slots: set[str]) -> bool:
    """Whether a text has paired braces with known slots in them, or none."""
    try:
        return set(placeholders(text)) <= slots
    except ValueError:
        return False


def read_translations(root: Path, lang: str, sources: Sources | None = None) -> list[Translation]:
    """The table of proposals; none where there is no such file.

    Raises InputError for bad rows and, where the other tables are given, for unknown stereotypes and forms.
    """
    path = root / TRANSLATIONS_FILE.format(lang=lang)
    if not path.exists():
        return []
    problems = Problems()
    rows = read_table(path, Translation, problems, may_be_empty=True)
    if sources is not None:
        _check_ids(path, rows, sources, problems)
    problems.stop()
    return rows


def _check_ids(path: Path, rows: Sequence[Translation | Carrier], sources: Sources, problems: Problems) -> None:
    known = {
        "stereotype_id": {row.stereotype_id for row in sources.rows["stereotypes"]},
        "form": {row.form for row in sources.rows["templates"]},
    }
    for row in rows:
        for column, ids in known.items():
            value = getattr(row, column, None)
            if value is not None and value not in ids:
                hint = suggestion(value, ids) or f"Known: {listed(sorted(ids))}."
                problems.add(path, quoted(value), f"a known {column}", hint, row=row.row, field=column)


def translations_text(rows: Iterable[Translation]) -> str:
    """The table of proposals as comma-separated text."""
    lines = [csv_line(TRANSLATION_COLUMNS)]
    for row in rows:
        cells = [getattr(row, column) for column in TRANSLATION_COLUMNS]
        lines.append(csv_line([";".join(c) if isinstance(c, tuple) else c or "" for c in cells]))
    return "".join(lines)


def in_order(rows: Iterable[Translation], sources: Sources) -> list[Translation]:
    """The rows in the order of the stereotypes and forms, each form's rows in the order they came in."""
    stereotypes = {row.stereotype_id: n for n, row in enumerate(sources.rows["stereotypes"])}
    forms = {form: n for n, form in enumerate(dict.fromkeys(t.form for t in sources.rows["templates"]))}
    return sorted(rows, key=lambda row: (stereotypes.get(row.stereotype_id, -1), forms.get(row.form, -1)))


def read_carriers(root: Path, lang: str, sources: Sources) -> list[Carrier]:
    """The carrier sentences of a language.

    Raises InputError where the table is missing or empty, and for sentences without exactly one {predicate}.
    """
    path = root / CARRIERS.format(lang=lang)
    problems = Problems()
    if not path.exists():
        problems.add(
            path,
            "no such file",
            f"a table with the columns {', '.join(CARRIER_COLUMNS)}",
            "docs/authoring.md says how to fill it in.",
        )
    problems.stop()
    rows = read_table(path, Carrier, problems)
    _check_ids(path, rows, sources, problems)
    for row in rows:
        for column in ("source", "target"):
            sentence = getattr(row, column)
            try:
                right = placeholders(sentence) == [PREDICATE]
            except ValueError:
                right = False
            if not right:
                expected = f"the slot {_SLOT} exactly once, and no other braces"
                problems.add(path, quoted(sentence), expected, row=row.row, field=column)
    problems.stop()
    return rows


def carriers_for(carriers: Iterable[Carrier], stereotype: Stereotype, form: str) -> dict[str, list[str]]:
    """Sentences to translate for one form of a stereotype -> the carriers in the language to cut by, in order."""
    sentences: dict[str, list[str]] = {}
    for row in carriers:
        if row.form == form and stereotype.type in row.types:
            sentence = row.source.replace(_SLOT, getattr(stereotype, row.gloss))
            sentences.setdefault(sentence, []).append(row.target)
    return sentences


def normalised(text: str) -> str:
    """Composed characters, single plain blanks, none at the ends, no invisible signs but the joiners scripts need."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(
        " " if c.isspace() or unicodedata.category(c) == "Cc" else c
        for c in text
        if unicodedata.category(c) != "Cf" or c in "\u200c\u200d"
    )
    return re.sub(r" +", " ", text).strip()


def cut(translation: str, targets: Sequence[str]) -> tuple[str | None, str | None]:
    """Cut the predicate out of a translated carrier sentence.

    Parameters
    ----------
    translation: the translated sentence.
    targets: carriers in the language with {predicate}; the first that encloses the sentence is used. Letter case and
        the kind of apostrophe in them do not matter.

    Returns
    -------
    (predicate, None), or (None, why it cannot be cut) in words for the reviewer.
    """
    reasons = []
    for target in targets:
        before, after = (normalised_keeping_ends(part) for part in target.split(_SLOT))
        if not _same(translation[: len(before)], before):
            reasons.append(f'does not begin with "{before.strip()}"')
        elif not _same(translation[max(len(translation) - len(after), 0) :], after):
            reasons.append(f'does not end with "{after.strip()}"')
        elif len(translation) <= len(before) + len(after):
            reasons.append("holds nothing between the two ends of the carrier")
        else:
            predicate = translation[len(before) : len(translation) - len(after)]
            if predicate != predicate.strip():
                reasons.append("has a blank too many at one end of the predicate")
            elif re.search(r"[{}]", predicate):
                reasons.append("has braces in it, which mean slots here")
            elif re.search(r"[.!?؟。]\s", predicate):
                reasons.append("came back as more than one sentence")
            else:
                return predicate, None
    return None, "the translation " + "; ".join(dict.fromkeys(reasons))


def normalised_keeping_ends(part: str) -> str:
    """Like :func:`normalised`, but one blank at either end stays."""
    core = normalised(part)
    if not core:
        return " " if part else ""
    return (" " if part[0].isspace() else "") + core + (" " if part[-1].isspace() else "")


def _same(a: str, b: str) -> bool:
    plain = str.maketrans("’‘", "''")
    return a.translate(plain).casefold() == b.translate(plain).casefold()


def pending_row(stereotype_id: str, since: str | None = None) -> dict[str, str]:
    """The cells of the row of absent.csv that says that a stereotype waits for reviewed forms."""
    return {"stereotype_id": stereotype_id, "since": since or "", "kind": PENDING_KIND, "reason": PENDING_REASON}
