"""A made-up language of invented words, small enough to count by hand, written as source tables into any folder."""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from winoqueer_nl.schema import SLOT_PREFIX
from winoqueer_nl.sources import LANGUAGE_FILE, TABLES

LANG = "toy"
EDITION = "1.0.0"
Row = dict[str, str]
Tables = dict[str, list[Row]]

LANGUAGE: dict[str, Any] = {
    "name": "Toy",
    "direction": "ltr",
    "published_columns": {"first": "sent_x", "second": "sent_y", "who": "identity_label", "said": "predicate"},
    "metadata_columns": {"number": "template", "gloss": "gloss", "text": "text", "of": "identities", "tier": "tier"},
    "metadata_gloss_origins": ["early"],
}

_TABLES: dict[str, list[str]] = {
    # The first line of each table names its columns; the cells that stand in no column here are empty.
    "stereotypes": [
        "stereotype_id | type | origin | gloss | gloss_singular | identities",
        "zz000 | identity | early | are this | is this | mirn",
        "zz001 | predicate | early | are brel | is brel | mirn;solv",
        "zz002 | predicate | early | have a dronk | has a dronk | mirn",
        "zz003 | clause | early | nothing grulls | nothing grulls | solv",
        "zz004 | predicate | later | are fleem | is fleem | solv",
        "zz005 | predicate | later | are untold | is untold | mirn",
    ],
    "forms": [
        "stereotype_id | form | text | identity | copy_number",
        "zz000 | bare | {pronoun} ba",
        "zz001 | plural | ban brel",
        "zz001 | inverted | brel ban",
        "zz001 | single | brel",
        "zz002 | plural | han dronk",
        "zz002 | inverted | dronk han",
        "zz002 | single | ha {owner} dronk",
        "zz003 | inverted | nulo grull",
        "zz003 | single | nulo grulla",
        "zz003 | single | nulo grulli | solv",
        "zz004 | plural | ban fleem",
        "zz004 | inverted | fleem ban",
        "zz004 | single | fleem",
    ],
    "absent": ["stereotype_id | reason", "zz005 | nobody could say it"],
    "coverage": [
        "stereotype_id | identity | templates | copies | reason",
        "zz001 | solv | 2 | 0 | left out",
        "zz002 | solv | 1 | 1 | added",
        "zz002 | mirn | 3 | 2 | stands twice",
    ],
    "metadata_exceptions": [
        "stereotype_id | form | text | column | value | reason",
        "zz001 | plural | | identities | MIRN | as first written",
        "zz000 | bare | ul ba | gloss | are that | as first written",
    ],
    "templates": [
        "template_id | template | subject | types | form | identity_form | sentence",
        "1 | 1 | group | predicate | plural | people | {identity} {predicate}.",
        "2 | 2 | group | predicate;clause | inverted | people | Nuv rass {identity} vi {predicate}.",
        "3 | 3 | person | predicate;clause | single | trait | {subject} ba {identity} na {predicate}.",
        "2n | 2 | person | identity | bare | trait | Nuv rass {object} vi {pronoun} {identity} ba.",
    ],
    "variants": [
        "template_id|side|stereotype_id|identity|counter_identity|subject|origin|identity_form|sentence",
        "1 | | | | | | early | | All {identity} {predicate}.",
        "1 | x | | mirn | | | | | Ull {identity} {predicate} .",
        "1 | x | zz001 | mirn | plain | | early | trait |",
        "3 | x | | mirn | plain | orlo | | | {subject} ba␠{identity}, {predicate}",
    ],
    "identities": [
        "identity_id | label | metadata_label | counter_identities | name_genders",
        "mirn | Mirn | MIRN | plain;common | female;male;neutral",
        "solv | Solv | SOLV | common | female;neutral",
    ],
    "counter_identities": ["counter_identity_id | label", "plain | Plain", "common | Common"],
    "identity_forms": [
        "identity | form | text | sentence_initial | origin | against",
        "mirn | people | mirn folk | Mirn folk",
        "mirn | trait | mirn",
        "solv | people | solvu | Solvu",
        "solv | people | solvu uth | | later |",
        "solv | trait | solv",
        "plain | people | plainu",
        "plain | trait | plain",
        "common | people | commu",
        "common | people | commu ␠ol | | | solv",
        "common | trait | common",
    ],
    "names": [
        "name_id | type | gender | origin | slot_subject | slot_object | slot_pronoun | slot_owner",
        "emba | name | female | | Emba | Emba | el | sel",
        "orlo | name | male | | Orlo | Orlo | ol | sol",
        "tiv | name | neutral | | Tiv | Tiv | ul | sul",
        "tiv | name | neutral | later | Tivv | Tivv | ul | sul",
        "ul | pronoun | neutral | later | Ul | ulm | ul | sul",
    ],
}
#: Pairs of the toy language at edition 1.0.0, counted by hand: see test_pairs.
N_PAIRS = 44


def tables() -> Tables:
    """Fresh rows of every table, each with every column of its model."""
    made: Tables = {}
    for name, lines in _TABLES.items():
        columns = [cell.strip() for cell in lines[0].split("|")]
        header = columns + [c for c in model_columns(name) if c not in columns]
        made[name] = []
        for line in lines[1:]:
            cells = dict(zip(columns, (cell.strip() for cell in line.split("|")), strict=False))
            made[name].append({column: cells.get(column, "") for column in header})
    return made


def model_columns(name: str) -> list[str]:
    """The columns that a table must have, slots aside."""
    return [column for column in TABLES[name].model.model_fields if column not in ("row", "file", "slots")]


def columns_of(name: str) -> list[str]:
    """The columns of a table of the toy language, slots included."""
    return list(tables()[name][0])


def to_csv(columns: list[str], rows: list[Row]) -> str:
    """Rows as comma-separated text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def path_of(root: Path, name: str, lang: str = LANG) -> Path:
    """Where a source table stands."""
    return root / TABLES[name].path.format(lang=lang)


def write(root: Path, made: Tables | None = None, language: dict[str, Any] | None = None, lang: str = LANG) -> Path:
    """Write a whole project folder with the toy language in it; return the folder."""
    made = tables() if made is None else made
    for name, rows in made.items():
        path = path_of(root, name, lang)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_csv(columns_of(name), rows), encoding="utf-8")
    described = LANGUAGE if language is None else language
    (root / LANGUAGE_FILE.format(lang=lang)).write_text(
        yaml.safe_dump(described, allow_unicode=True, sort_keys=False), encoding="utf-8"
    )
    (root / "release").mkdir(exist_ok=True)
    (root / "release/editions.csv").write_text(f"edition,languages,summary\n1.0.0,{lang},as made\n", encoding="utf-8")
    (root / "config.yaml").write_text(f"languages:\n  {lang}:\n    editions: ['1.0.0']\n", encoding="utf-8")
    return root


def changed(name: str, change: Callable[[list[Row]], None]) -> Tables:
    """The tables with one of them changed in place by a function of its rows."""
    made = copy.deepcopy(tables())
    change(made[name])
    return made


def other_script() -> tuple[Tables, dict[str, Any]]:
    """The same language written from right to left, with letters outside the basic plane, marks and joiners."""
    made = tables()
    for name, columns in {
        "forms": ["text"],
        "templates": ["sentence"],
        "variants": ["sentence"],
        "identities": ["label", "metadata_label"],
        "counter_identities": ["label"],
        "identity_forms": ["text", "sentence_initial"],
        "names": [column for column in columns_of("names") if column.startswith(SLOT_PREFIX)],
        "metadata_exceptions": ["text"],
    }.items():
        for row in made[name]:
            for column in columns:
                row[column] = in_other_script(row[column])
    return made, LANGUAGE | {"direction": "rtl"}


def in_other_script(text: str) -> str:
    """Each letter outside braces as another: Adlam, Hebrew with a point, Arabic with a joiner, a Han sign."""
    written, depth = [], 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        plain = depth or not letter.isalpha()
        written.append(letter if plain else _SIGNS[(ord(letter.lower()) - ord("a")) % len(_SIGNS)])
    return "".join(written)


_SIGNS = [
    "\U0001e922",
    "\U0001e933",
    "ש\u05c1",
    "ב\u05bc",
    "می\u200c",
    "ل",
    "字",
    "ღ",
    "ก\u0e34",
    "\U00020bb7",
    "м",
    "ξ",
]
_SIGNS += [chr(0x05D0 + i) for i in range(14)]
