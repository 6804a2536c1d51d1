"""New rows from a person's words: a stereotype, a name, an identity; what they bring, and what is still missing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from winoqueer_nl.authoring import preview
from winoqueer_nl.authoring.changes import Changes, insert_form, insert_pending
from winoqueer_nl.authoring.overlay import Looked
from winoqueer_nl.authoring.proposals import (
    CARRIERS,
    holds_only,
    in_order,
    needed_forms,
    normalised,
    read_translations,
    slots_of_form,
    translations_text,
)
from winoqueer_nl.authoring.rows import TableText
from winoqueer_nl.config import CONFIG_FILE, language_folders
from winoqueer_nl.config import read as read_config
from winoqueer_nl.edition import Edition, valid_rows
from winoqueer_nl.problems import InputError, Problem, listed, quoted, suggestion
from winoqueer_nl.references import GROUP
from winoqueer_nl.schema import SLOT_PREFIX, Translation
from winoqueer_nl.sources import LANGUAGE_FILE, TABLES, TRANSLATIONS_FILE, Sources, load


@dataclass
class Added:
    """Rows ready to be written, the sentences that they bring, and what is still to do."""

    changes: Changes
    pairs: list[preview.Sentences] = field(default_factory=list)
    n_pairs: int = 0
    #: what the sentences are of, where they are not pairs of the edition yet
    about: str = ""
    missing: list[str] = field(default_factory=list)


def known_words(root: Path) -> dict[str, list[str]]:
    """The origins and identities that stereotypes have so far, to be offered where a person is asked for one."""
    rows = [row for _, row in TableText.read(root / TABLES["stereotypes"].path).rows()]
    identities = (part for row in rows for part in row.get("identities", "").split(";"))
    return {
        "origin": list(dict.fromkeys(r.get("origin", "") for r in rows)),
        "identities": list(dict.fromkeys(identities)),
    }


def next_id(sources: Sources, origin: str) -> str | None:
    """The next id of an origin whose ids are letters and a number; None where they are not."""
    found = [
        re.fullmatch(r"([a-z-]*[a-z])(\d+)", r.stereotype_id) for r in sources.rows["stereotypes"] if r.origin == origin
    ]
    numbered = [match for match in found if match]
    prefixes = {match[1] for match in numbered}
    if not numbered or len(numbered) < len(found) or len(prefixes) > 1:
        return None
    width = max(len(match[2]) for match in numbered)
    return f"{prefixes.pop()}{max(int(match[2]) for match in numbered) + 1:0{width}d}"


def stereotype(
    root: Path,
    row: Mapping[str, str],
    since: str,
    lang: str | None = None,
    forms: Mapping[str, str] | None = None,
    reviewed_by: Sequence[str] = (),
) -> Added:
    """A new stereotype, with its forms in one language if there are any.

    Forms that native speakers have reviewed (their initials in ``reviewed_by``) are written as forms; others become
    proposals, and the stereotype waits for review. Every other language notes that it waits for forms.

    Raises
    ------
    InputError
        for whatever the tables would not allow.
    """
    changes = Changes(root, since)
    forms = {name: normalised(text) for name, text in (forms or {}).items() if text.strip()}
    stereotype_id = row["stereotype_id"]
    own = load(root, lang) if lang is not None else None
    if own is not None:
        needed = needed_forms(own, row.get("type", ""), since)
        _check_known(forms, needed, f"form of a {row.get('type')} in {lang}")
        _check_slots(forms, valid_rows(own, since))
    anywhere = lang or language_folders(root)[0]
    changes.table("stereotypes", anywhere).insert(dict(row) | {"since": since})
    for code in language_folders(root):
        if not (root / LANGUAGE_FILE.format(lang=code)).exists():
            continue
        if code == lang and forms and reviewed_by and own is not None:
            for form, text in forms.items():
                insert_form(changes, own, stereotype_id, form, text, f"reviewed by {', '.join(reviewed_by)}")
        else:
            insert_pending(changes, code, stereotype_id)
    if own is not None and forms and not reviewed_by:
        new = [
            Translation(stereotype_id=stereotype_id, form=form, engine="author", proposal=text, state="proposed")
            for form, text in forms.items()
        ]
        kept = read_translations(root, own.lang, own)
        changes.set_text(TRANSLATIONS_FILE.format(lang=lang), translations_text([*in_order(kept, own), *new]))
    after = changes.try_out({lang: since} if lang else None)
    added = Added(changes)
    if lang is not None and forms:
        edition = after.editions[lang, since]
        made = next(one for one in edition.stereotypes if one.stereotype_id == stereotype_id)
        added.pairs, added.n_pairs = preview.pairs_of(preview.with_forms(edition, made, forms.items()))
        if not reviewed_by:
            added.about = " once reviewers have accepted the forms"
    added.missing = _missing_of_stereotype(root, after, stereotype_id, row.get("type", ""), lang, forms, reviewed_by)
    return added


def _missing_of_stereotype(
    root: Path,
    after: Looked,
    stereotype_id: str,
    kind: str,
    lang: str | None,
    forms: Mapping[str, str],
    reviewed_by: Sequence[str],
) -> list[str]:
    missing = []
    for code in language_folders(root):
        edition = next((e for (of, _), e in after.editions.items() if of == code), None)
        needed = dict.fromkeys(t.form for t in edition.templates if kind in t.types) if edition else {}
        lacking = [form for form in needed if code != lang or form not in forms]
        if edition is None:
            missing.append(f"{code}: forms, when its tables are in order")
        elif lacking:
            carried = (root / CARRIERS.format(lang=code)).exists()
            how = (
                f"winoqueer-nl translate --lang {code}, or word them in the review"
                if carried
                else "word them in the review"
            )
            missing.append(f"{code}: the forms {listed(lacking)}: {how}")
        if lacking or not (code == lang and reviewed_by):
            missing.append(f"{code}: review: winoqueer-nl review export --lang {code} --reviewer AB --reviewer CD")
    for code in surveyed(root):
        missing.append(f"{code}: relevance votes and harmfulness ratings in the next survey; until then it has no tier")
    return missing


def surveyed(root: Path) -> list[str]:
    """The languages that config.yaml gives a survey; none where there is no such file."""
    if not (root / CONFIG_FILE).exists():
        return []
    return [code for code, one in read_config(root).languages.items() if one.survey]


def plain_id(text: str) -> str:
    """An id from a name: small letters without marks, blanks as hyphens. Other scripts need an id of their own."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    return re.sub(r"[\s'’.-]+", "-", plain).strip("-")


def usual_slots(sources: Sources, row: Mapping[str, str], slots: Mapping[str, str], text: str) -> dict[str, str]:
    """The slots of a new name: as given; else the name itself where names differ in the slot; else what all names of
    its gender have in it. What the names of the table do not show, and the words of a pronoun, must be given.
    """
    found = {}
    for slot in dict.fromkeys(slot for r in sources.rows["names"] for slot in r.slots):
        by_gender: dict[str, set[str]] = {}
        for r in sources.rows["names"]:
            if r.type == "name":
                by_gender.setdefault(r.gender, set()).add(r.slots.get(slot, ""))
        of_gender = by_gender.get(row.get("gender", ""), set())
        if slot in slots:
            found[slot] = normalised(slots[slot])
        elif row.get("type") == "name" and any(len(values) > 1 for values in by_gender.values()):
            found[slot] = normalised(text)
        elif row.get("type") == "name" and len(of_gender) == 1:
            found[slot] = next(iter(of_gender))
    return found


def name(root: Path, lang: str, row: Mapping[str, str], slots: Mapping[str, str], text: str, since: str) -> Added:
    """A new name or pronoun as the subject of the templates about a person."""
    sources = load(root, lang)
    known = dict.fromkeys(slot for r in sources.rows["names"] for slot in r.slots)
    _check_known(slots, known, f"slot of the names of {lang}")
    changes = Changes(root, since)
    cells = {SLOT_PREFIX + slot: value for slot, value in usual_slots(sources, row, slots, text).items()}
    table = changes.table("names", lang)
    same = ("type", "gender")
    alike = any(all(other[c] == row.get(c) for c in same) for _, other in table.rows())
    table.insert(
        dict(row) | cells | {"since": since},
        after=(lambda other: all(other[c] == row.get(c) for c in same)) if alike else None,
    )
    edition = changes.try_out({lang: since}).editions[lang, since]
    added = Added(changes)
    alone = edition.model_copy(
        update={
            "names": [one for one in edition.names if one.name_id == row["name_id"]],
            "templates": [one for one in edition.templates if one.subject != GROUP],
        }
    )
    added.pairs, added.n_pairs = preview.pairs_of(alone)
    return added


def identity(
    root: Path,
    lang: str,
    row: Mapping[str, str],
    forms: Mapping[str, str],
    initial: Mapping[str, str],
    stereotypes: Sequence[str],
    reason: str,
    since: str,
) -> Added:
    """A new identity in one language, its forms, and the stereotypes of which it is said from an edition on."""
    sources = load(root, lang)
    needed = identity_forms_needed(sources, since)
    _check_known(forms, needed, f"identity form of {lang}")
    _check_known(initial, list(forms), "of the forms given")
    lacking = [form for form in needed if form not in forms]
    if lacking:
        expected = f"every identity form that templates take: {listed(needed)}"
        raise InputError([Problem("--form", f"no {listed(lacking)}", expected, "For example --form NAME=TEXT.")])
    changes = Changes(root, since)
    changes.table("identities", lang).insert(dict(row) | {"since": since})
    counters = {r.counter_identity_id for r in sources.rows["counter_identities"]}
    for form, text in forms.items():
        own = {"identity": row["identity_id"], "form": form, "text": normalised(text), "since": since}
        first = {"sentence_initial": normalised(initial[form])} if form in initial else {}
        changes.table("identity_forms", lang).insert(own | first, after=lambda cells: cells["identity"] not in counters)
    for stereotype_id in stereotypes:
        said = {"stereotype_id": stereotype_id, "identity": row["identity_id"], "copies": "1"}
        changes.table("coverage", lang).insert(said | {"since": since, "reason": reason})
    edition = changes.try_out({lang: since}).editions[lang, since]
    added = Added(changes)
    if stereotypes:
        added.pairs, added.n_pairs = preview.pairs_of(_of_identity(edition, row["identity_id"], stereotypes))
    else:
        added.missing.append(f"{lang}: stereotypes that are said of it: --stereotypes, or rows in coverage.csv")
    added.missing.append(f"{lang}: native speakers' review of its forms")
    for code in surveyed(root):
        added.missing.append(f"{code}: relevance votes of people of this identity in the next survey")
    return added


def identity_forms_needed(sources: Sources, edition: str) -> list[str]:
    """The identity forms that templates and variants of an edition take, in their order."""
    rows = [*sources.rows["templates"], *sources.rows["variants"]]
    return list(dict.fromkeys(r.identity_form for r in rows if r.identity_form and r.valid_at(edition)))


def _of_identity(edition: Edition, identity_id: str, stereotypes: Sequence[str]) -> Edition:
    """An edition with one identity in some stereotypes."""
    chosen = [
        one.model_copy(update={"identities": (identity_id,)})
        for one in edition.stereotypes
        if one.stereotype_id in stereotypes
    ]
    return edition.model_copy(update={"stereotypes": chosen, "coverage": []})


def _check_slots(forms: Mapping[str, str], edition: Edition) -> None:
    """Proposals stand in no table that is checked for slots, so they are looked at here."""
    wrong = {form: slots_of_form(edition, form) for form, text in forms.items()}
    problems = [
        Problem(
            "options", quoted(forms[form]), f"no slots but {listed(sorted(slots)) or 'none'} in this form", field=form
        )
        for form, slots in wrong.items()
        if not holds_only(forms[form], slots)
    ]
    if problems:
        raise InputError(problems)


def _check_known(given: Mapping[str, str], known: Sequence[str] | Mapping[str, None], what: str) -> None:
    unknown = [word for word in given if word not in known]
    if unknown:
        raise InputError(
            [
                Problem(
                    "options", quoted(word), f"a {what}: {listed(known) or 'there is none'}", suggestion(word, known)
                )
                for word in unknown
            ]
        )
