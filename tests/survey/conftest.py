"""A tiny survey, built in the test: three respondents, two items (one feeds two stereotypes), two rows to drop."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from winoqueer_nl.survey import aggregate
from winoqueer_nl.survey.canonical import Responses
from winoqueer_nl.survey.config import SurveyConfig
from winoqueer_nl.survey.exports import read_exports
from winoqueer_nl.survey.instrument import load

INSTRUMENT: dict[str, Any] = {
    "stereotypes": "stereotypes.csv",
    "languages": {"xx": {"yes_labels": ["Jep", "1"], "no_labels": ["Nope", "2"], "unsure_labels": ["Dunno", "3"]}},
    "harmfulness": {"minimum": -1, "maximum": 4},
    "formats": {
        "tool": {
            "reader": "qualtrics_csv",
            "header_rows": 3,
            "respondent": "ResponseId",
            "personal": ["StartDate", "IPAddress"],
            "ignored": ["Note"],
            "rows": {
                "Status": {
                    "keep": ["IP Address"],
                    "drop": {"preview": {"values": ["Survey Preview"], "reason": "trial"}},
                },
                "Finished": {"keep": ["True"], "drop": {"unfinished": {"values": ["False"], "reason": "left early"}}},
            },
            "skipped": ["-99"],
        }
    },
    "rounds": {
        "first": {
            "language": "xx",
            "format": "tool",
            "identities": [
                {
                    "id": "who",
                    "column": "WHO",
                    "separator": ",",
                    "answers": {"Apple": "apple", "Pear": "pear", "Other, namely": "other"},
                }
            ],
            "free_text": ["WORDS"],
            "items": [
                {"stereotypes": ["s1"], "asked": "are blue", "relevance": "REL_1", "harmfulness": "HARM_1"},
                {"stereotypes": ["s2", "s3"], "asked": "are round", "relevance": "REL_2", "harmfulness": "HARM_2"},
            ],
        },
        "second": {
            "language": "xx",
            "format": "tool",
            "items": [
                {"stereotypes": ["s5"], "asked": "are new", "harmfulness": "HARM_5"},
                {"stereotypes": ["s1"], "asked": "are blue", "relevance": "REL_1B", "harmfulness": "HARM_1B"},
            ],
        },
    },
    "votes_of": {"s4": {"of": "s1", "reason": "as published"}},
}

BEFORE = ["StartDate", "IPAddress", "Status", "Finished", "ResponseId", "Note"]
FIRST_TEXTS = {
    "WHO": "Who are you?\nSeveral answers.",
    "REL_1": "Is this said here?\n\n... are blue",
    "HARM_1": "How harmful?\n\n... are blue",
    "REL_2": "Is this said here?\n\n... are round",
    "HARM_2": "How harmful?\n\n... are round",
    "WORDS": "What is missing?",
}
SECOND_TEXTS = {"HARM_5": "... are new", "REL_1B": "... are blue", "HARM_1B": "... are blue"}
BAD_WORD = "a text of a respondent"


def response(name: str, *answers: str, status: str = "IP Address", finished: str = "True") -> list[str]:
    """One row: the columns before the questions, then the answers."""
    return ["2025-01-01 10:00:00", "192.0.2.1", status, finished, f"R_{name}", "", *answers]


class Survey:
    """Instrument and exports of the tiny survey, to be changed by a test and then read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.instrument = copy.deepcopy(INSTRUMENT)
        self.export = folder / "first.csv"
        self.second = folder / "second.csv"
        self.out = folder / "out" / "stereotypes.csv"
        self.rows = [
            *self.headers(FIRST_TEXTS),
            response("a", "Apple", "Jep", "3", "Nope", "-1", BAD_WORD),
            response("b", "Apple,Other, namely", "Nope", "4", "", "", "-99"),
            response("p", "Pear", "Jep", "4", "Jep", "4", "", status="Survey Preview"),
            response("c", "-99", "Dunno", "-99", "Jep", "2", ""),
            response("u", "Pear", "Jep", "4", "", "", "", finished="False"),
        ]
        self.second_rows = [
            *self.headers(SECOND_TEXTS),
            response("d", "2", "Jep", "0"),
            response("e", "1", "", ""),
        ]

    @staticmethod
    def headers(texts: dict[str, str]) -> list[list[str]]:
        """The three header rows."""
        names = BEFORE + list(texts)
        return [
            names,
            [texts.get(name, name) for name in names],
            [json.dumps({"ImportId": f"QID{i}"}) for i, _ in enumerate(names)],
        ]

    def column(self, name: str) -> int:
        """Where a column of the first export stands."""
        return self.rows[0].index(name)

    def set(self, row: int, column: str, value: str) -> None:
        """Change a cell of the first export; rows are counted as a spreadsheet counts them."""
        self.rows[row - 1][self.column(column)] = value

    @staticmethod
    def text(rows: list[list[str]], **options: Any) -> str:
        """Rows as CSV."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n", **options).writerows(rows)
        return out.getvalue()

    def write(self) -> None:
        """Write everything that a test has not written itself."""
        table = self.folder / "stereotypes.csv"
        if not table.exists():
            header = "stereotype_id,type,origin,gloss,gloss_singular,identities,since,until,kind,reason\n"
            table.write_text(header + "".join(f"s{i},predicate,test,g{i},g{i},all,,,,\n" for i in range(1, 7)), "utf-8")
        for path, content in (
            (self.folder / "instrument.yaml", yaml.safe_dump(self.instrument, allow_unicode=True, sort_keys=False)),
            (self.export, self.text(self.rows)),
            (self.second, self.text(self.second_rows)),
        ):
            if path.parent.exists() and not path.exists():
                path.write_text(content, "utf-8", newline="")

    def read(self, *exports: Path) -> Responses:
        """The canonical table of the exports (the first one if none is named)."""
        self.write()
        return read_exports(list(exports) or [self.export], load(self.folder / "instrument.yaml"))

    def aggregate(self, *exports: Path, **settings: Any) -> aggregate.Aggregates:
        """Write and return the aggregates."""
        self.write()
        config = SurveyConfig(**({"resamples": 200} | settings))
        return aggregate.write(list(exports) or [self.export], self.folder / "instrument.yaml", self.out, config)


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return Survey(tmp_path)


@pytest.fixture
def new_survey(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Survey]:
    """Makes a fresh survey each time: for properties, which run many examples in one test."""
    return lambda: Survey(tmp_path_factory.mktemp("survey"))
