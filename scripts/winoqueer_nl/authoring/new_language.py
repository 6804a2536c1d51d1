"""The folder of a new language: every table with its header row, the description of the language, and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from winoqueer_nl.authoring.changes import columns_of
from winoqueer_nl.authoring.proposals import (
    CARRIER_COLUMNS,
    CARRIERS,
    PENDING_REASON,
    TRANSLATION_COLUMNS,
    pending_row,
)
from winoqueer_nl.authoring.rows import TableText, csv_line, write_together
from winoqueer_nl.config import EDITIONS_FILE, language_folders
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted
from winoqueer_nl.released import is_released
from winoqueer_nl.schema import SLOT_PREFIX, Name, Stereotype
from winoqueer_nl.sources import LANGUAGE_FILE, TABLES, TRANSLATIONS_FILE
from winoqueer_nl.tables import read_table

CODE = re.compile(r"[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*")
GUIDE = "docs/new-language.md"
INSTRUCTIONS = "templates/{lang}/README.md"

_PUBLISHED = {
    "sent_x": "sent_x",
    "sent_y": "sent_y",
    "Gender_ID_x": "identity_label",
    "Gender_ID_y": "counter_identity_label",
    "predicate": "predicate",
}
_METADATA = {
    "template": "template",
    "gloss": "gloss",
    "predicate": "text",
    "identities": "identities",
    "n_votes": "n_votes",
    "n_yes": "n_yes",
    "n_no": "n_no",
    "n_unsure": "n_unsure",
    "harmfulness_count": "harmfulness_count",
    "harmfulness_mean": "harmfulness_mean",
    "yes_percentage": "yes_percentage",
    "tier": "tier",
}


def make(root: Path, code: str, name: str, direction: str, edition: str) -> list[str]:
    """Make the folders of a language and list it in an edition; return the paths written.

    Every stereotype stands in absent.csv as waiting for its forms, so that the language can be built from the first
    stereotype on: a person takes its row out when its forms are written, and an accepted review does so by itself.

    Raises
    ------
    InputError
        for a code that is none or is taken, and for an edition that is released or not in release/editions.csv.
    """
    problems = Problems()
    if not CODE.fullmatch(code):
        expected = (
            "a language code of two or three small letters, such as de, or with a script or region, such as sr-Latn"
        )
        problems.add("CODE", quoted(code), expected)
    elif code in language_folders(root) or (root / "predicates" / code).exists():
        problems.add(
            "CODE", quoted(code), "a language without folders in templates/ and predicates/", "Choose another."
        )
    if is_released(root, edition):
        problems.add(
            "--edition",
            f"{quoted(edition)}, which is released",
            "an edition that is not released yet",
            f"Add a row for the next edition to {EDITIONS_FILE}, and give that one.",
        )
    problems.stop()
    stereotypes = read_table(root / TABLES["stereotypes"].path, Stereotype, problems)
    problems.stop()
    texts: dict[str, str] = {
        LANGUAGE_FILE.format(lang=code): _description(name, direction, stereotypes),
        TRANSLATIONS_FILE.format(lang=code): csv_line(TRANSLATION_COLUMNS),
        CARRIERS.format(lang=code): csv_line(CARRIER_COLUMNS),
        INSTRUCTIONS.format(lang=code): _instructions(code, name),
    }
    for one in TABLES.values():
        if "{lang}" in one.path:
            slots = _shared_slots(root) if one.model is Name else []
            texts[one.path.format(lang=code)] = csv_line(columns_of(one.model, slots))
    absent = TableText(texts[TABLES["absent"].path.format(lang=code)])
    for stereotype in stereotypes:
        if stereotype.until is None:
            absent.insert(pending_row(stereotype.stereotype_id))
    texts[TABLES["absent"].path.format(lang=code)] = absent.text()
    texts[EDITIONS_FILE] = _listed_in(root, code, edition)
    write_together({root / path: text for path, text in texts.items()})
    return list(texts)


def _description(name: str, direction: str, stereotypes: list[Stereotype]) -> str:
    content = {
        "name": name,
        "direction": direction,
        "published_columns": _PUBLISHED,
        "metadata_columns": _METADATA,
        "metadata_gloss_origins": list(dict.fromkeys(row.origin for row in stereotypes)),
    }
    header = (
        "# What the language is called, how it is written (ltr: from left to right, rtl: from right to left), and how\n"
        f"# the columns of its released files are named. {GUIDE} explains each table.\n"
    )
    return header + yaml.safe_dump(content, allow_unicode=True, sort_keys=False)


def _shared_slots(root: Path) -> list[str]:
    """The slots that the names of every language so far have; a new language begins with these and may add others."""
    shared: list[str] | None = None
    for lang in language_folders(root):
        path = root / TABLES["names"].path.format(lang=lang)
        if path.exists():
            slots = [c.removeprefix(SLOT_PREFIX) for c in TableText.read(path).header if c.startswith(SLOT_PREFIX)]
            shared = slots if shared is None else [slot for slot in shared if slot in slots]
    return shared or ["subject"]


def _listed_in(root: Path, code: str, edition: str) -> str:
    """release/editions.csv with the language in the row of an edition."""
    table = TableText.read(root / EDITIONS_FILE)
    for number, row in table.rows():
        if row["edition"] == edition:
            table.replace(number, row | {"languages": ";".join([*row["languages"].split(";"), code])})
            return table.text()
    known = [row["edition"] for _, row in table.rows()]
    raise InputError(
        [Problem(EDITIONS_FILE, f"no edition {quoted(edition)}", f"one of {listed(known)}", field="edition")]
    )


def _instructions(code: str, name: str) -> str:
    return f"""# {name}

Content warning: the tables beside this file will hold hurtful stereotypes.

[The guide](../../{GUIDE}) explains every column and gives examples. In short:

1. `language.yaml`: the name of the language and the direction of writing.
2. `counter_identities.csv`, `identities.csv`: every identity that `predicates/stereotypes.csv` names.
3. `templates.csv`: the carrier sentences, and the forms of predicates and identities that they take.
4. `identity_forms.csv`: each identity and counter identity in each of these forms.
5. `names.csv`: names and pronouns, with a column `slot_...` for each word that agrees with them.
6. `carriers.csv` (only for machine translation): the English sentences to translate and what they become.
7. `predicates/{code}/`: the forms. Each stereotype waits in `absent.csv` ("{PENDING_REASON}"); take its row out when
   you have written its forms in `forms.csv`, or let a review do both: `winoqueer-nl review export --lang {code} ...`.

At any time, `winoqueer-nl tables --lang {code} --edition VERSION` says what is still missing.
"""
