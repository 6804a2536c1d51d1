"""The words of the benchmark stand in tables; code knows none of them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from winoqueer_nl.sources import TABLES

#: Columns that hold what is said, of the tables of each language.
WORDED = {
    "forms": ["text"],
    "templates": ["sentence"],
    "variants": ["sentence"],
    "identities": ["label", "metadata_label"],
    "counter_identities": ["label"],
    "identity_forms": ["text", "sentence_initial"],
    "names": ["slot_subject", "slot_object"],
}
#: Words of the sentences that are words of the field, and so of the code, as well.
ALSO_WORDS_OF_CODE = {"queer", "gender", "stereotype", "label", "labels"}


def words_of(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W\d_]+", re.sub(r"{[^}]*}", " ", text).lower()) if len(word) >= 5}


def benchmark_words(project: Path, lang: str) -> set[str]:
    words: set[str] = set()
    for name, columns in WORDED.items():
        with (project / TABLES[name].path.format(lang=lang)).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                for column in columns:
                    words |= words_of(row[column])
    return words


def code_files(project: Path) -> list[Path]:
    found = [project / "Snakefile", *(project / "rules").glob("*.smk"), *(project / "scripts").rglob("*.py")]
    assert len(found) > 20
    return sorted(found)


def test_no_dutch_word_of_the_benchmark_stands_in_code(project: Path) -> None:
    words = benchmark_words(project, "nl") - ALSO_WORDS_OF_CODE
    assert len(words) > 300
    for file in code_files(project):
        found = words_of_code(file) & words
        assert not found, f"{file.relative_to(project)}: {sorted(found)}"


def words_of_code(file: Path) -> set[str]:
    return {word for word in re.findall(r"[^\W\d_]+", file.read_text(encoding="utf-8").lower()) if len(word) >= 5}


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_no_identity_and_no_name_stands_in_code(lang: str, project: Path) -> None:
    words: set[str] = set()
    for name, column in (("identities", "identity_id"), ("identities", "label"), ("counter_identities", "label"),
                         ("names", "slot_subject"), ("identity_forms", "text")):  # fmt: skip
        with (project / TABLES[name].path.format(lang=lang)).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                words |= words_of(row[column])
    words -= ALSO_WORDS_OF_CODE | {"people"}
    for file in code_files(project):
        found = words_of_code(file) & words
        assert not found, f"{file.relative_to(project)}: {sorted(found)}"
