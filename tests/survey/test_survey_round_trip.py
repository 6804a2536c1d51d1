"""Whatever people answered: written in any tool's layout and read back, it is the same canonical table."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from casefiles import VOCABULARY, write_sav, write_workbook
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from winoqueer_nl.survey.exports import read_exports
from winoqueer_nl.survey.formats import adapters
from winoqueer_nl.survey.instrument import load

LABELS = {"yes": "Ja", "no": "Nee", "unsure": "Weet niet"}
SIGNS = {"skipped": "-99", "not_applicable": "N/A", "not_shown": ""}
IDENTITIES = {"apple": "Apple", "pear": "Pear, green"}

# Text is read in composed letters (NFC). Excel takes no control characters; SPSS cuts the blanks at the end of a text.
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Co", "Cn"]), min_size=1, max_size=20).map(
    lambda text: unicodedata.normalize("NFC", " ".join(text.split()))
)
free_text = words.filter(lambda text: text not in ("", *SIGNS.values()) and not text.startswith(("=", "_x")))
blank = st.sampled_from(["skipped", "not_shown"])
blank_or_na = st.sampled_from(["skipped", "not_shown", "not_applicable"])
#: A person: what they answered, or in which other state each question is.
person = st.fixed_dictionaries(
    {
        "who": st.lists(st.sampled_from(list(IDENTITIES)), min_size=1, unique=True) | blank_or_na,
        "rel_1": st.sampled_from(list(LABELS)).map(lambda answer: [answer]) | blank_or_na,
        "harm_1": st.integers(-1, 4).map(lambda rating: [str(rating)]) | blank_or_na,
        "rel_2": st.sampled_from(list(LABELS)).map(lambda answer: [answer]) | blank_or_na,
        "harm_2": st.integers(-1, 4).map(lambda rating: [str(rating)]) | blank_or_na,
        "words": free_text.map(lambda text: [text]) | blank,
    }
)
QUESTIONS = {
    "who": ("who", "identity"),
    "words": ("words", "free_text"),
    "rel_1": ("s1", "relevance"),
    "harm_1": ("s1", "harmfulness"),
    "rel_2": ("s2", "relevance"),
    "harm_2": ("s2", "harmfulness"),
}


def canonical(people: list[dict[str, Any]]) -> pd.DataFrame:
    """The table as it must come out, made straight from the answers."""
    rows = []
    for i, one in enumerate(people):
        for column, (question, aspect) in QUESTIONS.items():
            said = one[column]
            for answer in said if isinstance(said, list) else [""]:
                state = "answered" if isinstance(said, list) else said
                rows.append(("one", i, question, aspect, state, answer))
    return comparable(pd.DataFrame(rows, columns=["round", "respondent", "question", "aspect", "state", "answer"]))


def comparable(table: pd.DataFrame) -> pd.DataFrame:
    plain = table.astype({c: "object" for c in table.columns if c != "respondent"})
    return plain.sort_values(["respondent", "question", "aspect", "answer"]).reset_index(drop=True)


def cell(one: dict[str, Any], column: str) -> str:
    """A person's cell, several answers joined."""
    said = one[column]
    if not isinstance(said, list):
        return SIGNS[said]
    if column == "who":
        return ";".join(IDENTITIES[answer] for answer in said)
    return LABELS.get(said[0], said[0]) if column.startswith("rel") else said[0]


def text(rows: list[list[str]], delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return out.getvalue()


COLUMNS = list(QUESTIONS)
TEXTS = {"rel_1": "are blue?", "harm_1": "are blue!", "rel_2": "are round?", "harm_2": "are round!"}
Written = tuple[dict[str, Any], dict[str, str], Callable[[Path, list[dict[str, Any]]], None]]


def plain(people: list[dict[str, Any]], before: dict[str, Callable[[int], str]], names: list[str]) -> list[list[str]]:
    """Header and rows: columns before the questions by a function of the row, then the questions."""
    header = [*before, *names]
    return [
        header,
        *([make(i) for make in before.values()] + [cell(one, c) for c in COLUMNS] for i, one in enumerate(people)),
    ]


def qualtrics(path: Path, people: list[dict[str, Any]]) -> None:
    before = {"Status": lambda _: "0", "Finished": lambda _: "1", "ResponseId": lambda i: f"R_{i}"}
    rows = plain(people, before, COLUMNS)
    texts = [TEXTS.get(name, name) for name in rows[0]]
    ids = [json.dumps({"ImportId": f"QID{i}"}) for i in range(len(texts))]
    path.write_text(text([rows[0], texts, ids, *rows[1:]]), "utf-8", newline="")


def limesurvey(path: Path, people: list[dict[str, Any]]) -> None:
    rows = plain(people, {"id": str, "submitdate": lambda i: f"time {i}"}, COLUMNS)
    path.write_text(text(rows, ";").replace("\n", "\r\n"), "utf-8-sig", newline="")


def google(path: Path, people: list[dict[str, Any]]) -> None:
    path.write_text(text(plain(people, {"Timestamp": lambda i: f"time {i}"}, HEADINGS)), "utf-8", newline="")


def surveymonkey(path: Path, people: list[dict[str, Any]]) -> None:
    rows = plain(people, {"Respondent ID": str}, COLUMNS)
    first = ["Respondent ID", "who", "words", "Is it so?", "", "How bad?", ""]
    second = ["", "", "", "are blue", "are round", "are blue", "are round"]
    order = [0, 1, 2, 3, 5, 4, 6]
    path.write_text(text([first, second, *([row[i] for i in order] for row in rows[1:])]), "utf-8", newline="")


def formr(path: Path, people: list[dict[str, Any]]) -> None:
    rows = plain(people, {"session": lambda i: f"abc{i}", "ended": lambda i: f"time {i}"}, COLUMNS)
    path.write_text(text(rows), "utf-8", newline="")


def generic_csv(path: Path, people: list[dict[str, Any]]) -> None:
    path.write_text(text(plain(people, {"nr": str}, HEADINGS), "\t"), "utf-8", newline="")


def workbook(before: dict[str, Callable[[int], str]]) -> Callable[[Path, list[dict[str, Any]]], None]:
    def write(path: Path, people: list[dict[str, Any]]) -> None:
        rows = plain(people, before, HEADINGS)
        numbers = [[int(c) if c.lstrip("-").isascii() and c.lstrip("-").isdigit() else c for c in r] for r in rows]
        write_workbook(path, [[None if c == "" else c for c in row] for row in numbers])

    return write


def sav(path: Path, people: list[dict[str, Any]]) -> None:
    codes = {"Ja": 1.0, "Nee": 2.0, "Weet niet": 3.0, "-99": -99.0, "N/A": -88.0, "": None}
    columns: dict[str, list[Any]] = {"ID": [float(i) for i in range(len(people))]}
    for c in COLUMNS:
        cells = [cell(one, c) for one in people]
        columns[c] = cells if c in ("who", "words") else [codes[v] if v in codes else float(v) for v in cells]
    named = {1: "Ja", 2: "Nee", 3: "Weet niet", -88: "N/A"}
    labels = {"rel_1": named, "rel_2": named, "harm_1": {-88: "N/A"}, "harm_2": {-88: "N/A"}}
    missing = {c: [-99, -88] for c in labels}
    write_sav(path, columns, TEXTS, labels, missing)


def long(path: Path, people: list[dict[str, Any]]) -> None:
    rows = [["respondent", "question", "answer"]]
    for i, one in enumerate(people):
        # A question without an answer has a row with an empty cell or, every other time, none.
        rows += [[str(i), c, cell(one, c)] for k, c in enumerate(COLUMNS) if cell(one, c) or (i + k) % 2 or i == 0]
    path.write_text(text(rows), "utf-8", newline="")


HEADINGS = ["who", "words", "are blue?", "are blue!", "are round?", "are round!"]
AS_TEXTS = dict(zip(COLUMNS, HEADINGS, strict=True))
AS_ITEMS = {c: c for c in COLUMNS} | {
    "rel_1": "Is it so? [are blue]",
    "rel_2": "Is it so? [are round]",
    "harm_1": "How bad? [are blue]",
    "harm_2": "How bad? [are round]",
}
AS_CODES = {c: c for c in COLUMNS}
WRITERS: dict[str, Written] = {
    "qualtrics_csv": ({}, AS_CODES, qualtrics),
    "limesurvey_csv": ({}, AS_CODES, limesurvey),
    "google_forms_csv": ({}, AS_TEXTS, google),
    "surveymonkey_csv": ({}, AS_ITEMS, surveymonkey),
    "formr_csv": ({}, AS_CODES, formr),
    "generic_csv": ({"respondent": "nr", "delimiter": "\t"}, AS_TEXTS, generic_csv),
    "generic_xlsx": ({"respondent": "nr"}, AS_TEXTS, workbook({"nr": str})),
    "microsoft_forms_xlsx": ({}, AS_TEXTS, workbook({"ID": str, "Naam": lambda i: f"name {i}"})),
    "spss_sav": ({"respondent": "ID"}, AS_CODES, sav),
    "long_csv": ({}, AS_CODES, long),
}


def test_every_adapter_has_a_writer() -> None:
    assert set(WRITERS) == set(adapters())


@pytest.mark.parametrize("reader", WRITERS)
def test_what_was_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, reader: str) -> None:
    overrides, columns, write = WRITERS[reader]
    folder = tmp_path_factory.mktemp("trip")
    rows = "".join(f"s{i},predicate,test,g{i},g{i},all,,,,\n" for i in range(1, 3))
    header = "stereotype_id,type,origin,gloss,gloss_singular,identities,since,until,kind,reason\n"
    (folder / "stereotypes.csv").write_text(header + rows, "utf-8")
    instrument = {
        "stereotypes": "stereotypes.csv",
        "languages": {"xx": {k: v[:1] for k, v in VOCABULARY.items()} | {"not_applicable_labels": ["N/A"]}},
        "harmfulness": {"minimum": -1, "maximum": 4},
        "formats": {"tool": {"reader": reader, "skipped": ["-99"], "empty": "not_shown"} | overrides},
        "rounds": {
            "one": {
                "language": "xx",
                "format": "tool",
                "identities": [
                    {
                        "id": "who",
                        "column": columns["who"],
                        "separator": ";",
                        "answers": {label: identifier for identifier, label in IDENTITIES.items()},
                    }
                ],
                "free_text": [columns["words"]],
                "items": [
                    {
                        "stereotypes": [f"s{i}"],
                        "asked": asked,
                        "relevance": columns[f"rel_{i}"],
                        "harmfulness": columns[f"harm_{i}"],
                    }
                    for i, asked in ((1, "are blue"), (2, "are round"))
                ],
            }
        },
    }
    (folder / "instrument.yaml").write_text(yaml.safe_dump(instrument), "utf-8")
    asked = load(folder / "instrument.yaml")
    export = folder / f"export.{asked.formats['tool'].container}"

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(person, min_size=1, max_size=6))
    def round_trip(people: list[dict[str, Any]]) -> None:
        write(export, people)
        found = read_exports([export], asked).table
        renamed = {columns["words"]: "words"}
        found = found.assign(question=found["question"].astype(object).replace(renamed))
        pd.testing.assert_frame_equal(comparable(found), canonical(people), check_dtype=False)

    round_trip()
