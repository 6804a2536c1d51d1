"""Exports as they come when something went wrong: one clear message each, all of a file together, nothing written."""

from __future__ import annotations

import json

import pytest

from winoqueer_nl.problems import InputError

CASES: dict[str, tuple] = {}


def case(name: str, *expected: str):
    """Register a change to the tiny survey, and what the message must hold."""

    def register(change):
        CASES[name] = (change, expected)
        return change

    return register


def as_bytes(content: bytes):
    return lambda survey: survey.export.write_bytes(content)


def as_text(change):
    return lambda survey: survey.export.write_text(change(survey.text(survey.rows)), "utf-8", newline="")


def cell(row: int, column: str, value: str):
    return lambda survey: survey.set(row, column, value)


def header(old: str, new: str):
    return lambda survey: survey.set(1, old, new)


case("missing file", "first.csv: found no such file")(lambda s: setattr(s, "export", s.folder / "gone" / "first.csv"))
case("a folder", "first.csv: found the system's answer")(lambda s: s.export.mkdir())
case("empty file", "first.csv: found an empty file", "Export it again")(as_bytes(b""))
case("blank cells only", "first.csv: found an empty file (blank lines only)", "Export it again")(as_bytes(b',""\n,\n'))
case("blank file", "first.csv: found an empty file")(as_bytes(b" \n\n"))
case("UTF-16", "found UTF-16 text", "UTF-8")(lambda s: s.export.write_bytes(s.text(s.rows).encode("utf-16")))
case("cp1252", "row 4", "byte 0xe9", "Windows-1252")(
    lambda s: s.export.write_bytes("a,b\nc,d\n,\ncaf\u00e9,\n".encode("cp1252"))
)
case("a spreadsheet file", "first.csv: found")(as_bytes(b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00" * 40))
case("semicolons", "row 1: found columns separated by semicolons")(
    lambda s: s.export.write_text(s.text(s.rows, delimiter=";"), "utf-8")
)
case("tabs", "row 1: found columns separated by tabs")(
    lambda s: s.export.write_text(s.text(s.rows, delimiter="\t"), "utf-8")
)
case("unclosed quotation mark", "cannot be taken apart", "quotation mark")(as_text(lambda t: t + '"never closed'))
case("cut off inside a row", "row 8: found 8 cells; expected 12", "ends in the middle")(
    as_text(lambda t: t[: t.rindex("Jep")])
)
case("cut off at the end of a row", "found 2 responses that count; expected 4", "may be cut off")(
    lambda s: (s.instrument["rounds"]["first"].update(respondents=4), s.rows.pop(6), None)
)
case("a cell too many", "row 5: found 13 cells; expected 12")(lambda s: s.rows[4].append("x"))
case("a cell too many in the question texts", "row 2: found 13 cells in a header row")(lambda s: s.rows[1].append("x"))
case("headers only", "found header rows only; expected at least one response")(
    lambda s: s.rows.__delitem__(slice(3, 9))
)
case("only previews", "found no response that counts (1 rows read, all dropped)")(
    lambda s: s.rows.__setitem__(slice(3, 9), [s.rows[5]])
)
case("no ImportIds", "no row of ImportIds", "header_rows")(lambda s: s.rows.pop(2))
case("question texts missing", "a row of ImportIds in row 2", "third row")(lambda s: s.rows.pop(1))
case("one header row too many", "a row of ImportIds in row 4", "third row")(lambda s: s.rows.insert(1, list(s.rows[1])))
case("ImportIds twice", "a row of ImportIds in row 3, 4")(lambda s: s.rows.insert(3, list(s.rows[2])))
case("broken ImportId", "no row of ImportIds")(cell(3, "REL_1", '{"ImportId":'))
case("ImportId over two columns", "row 3", 'the ImportId "QID1" over 2 columns')(
    cell(3, "REL_1", json.dumps({"ImportId": "QID1"}))
)
case("header rows repeated further down", "row 9", "a header row among the responses")(
    lambda s: s.rows.append(list(s.rows[0]))
)
case("legacy layout declared, new one found", "row 3", "header_rows: 2")(
    lambda s: s.instrument["formats"]["tool"].update(header_rows=2)
)
case("renamed column", 'the column "REL_01"', 'Did you mean "REL_1"?', 'no column "REL_1"')(header("REL_1", "REL_01"))
case("extra column", 'the column "EXTRA", which the instrument does not know', "ignored or to personal")(
    lambda s: [row.append("EXTRA" if i == 0 else json.dumps({"ImportId": "Q"}) if i == 2 else "x")
               for i, row in enumerate(s.rows)]
)  # fmt: skip
case("missing column", 'row 1, HARM_2: found no column "HARM_2"')(
    lambda s: [row.pop(s.column("HARM_2")) for row in reversed(s.rows)]
)
case("duplicate column", 'the column "REL_1" more than once')(header("REL_2", "REL_1"))
case("no name over a column", "row 1: found no name over column 8")(header("REL_1", " "))
case("personal column renamed", 'the column "IPAdress"', "to personal")(header("IPAddress", "IPAdress"))
case("other survey altogether", "columns of no round", "first, second")(
    lambda s: s.rows[0].__setitem__(slice(6, 12), ["A", "B", "C", "D", "E", "F"])
)
case("columns in another order than their names", "row 2, REL_1: found the question text", '"are blue"')(
    lambda s: (s.set(1, "REL_1", "T"), s.set(1, "REL_2", "REL_1"), s.set(1, "T", "REL_2"))
)
case("unknown answer", 'row 4, REL_1: found "Yes"; expected one of "Jep"')(cell(4, "REL_1", "Yes"))
case("answer misspelt", 'row 5, REL_1: found "Nop"', 'Did you mean "Nope"?')(cell(5, "REL_1", "Nop"))
case("answer in small letters", 'row 4, REL_1: found "jep"', 'Did you mean "Jep"?')(cell(4, "REL_1", "jep"))
case("invisible character in an answer", "row 4, REL_1", "\\u200b")(cell(4, "REL_1", "Jep\u200b"))
case("rating above the scale", 'row 4, HARM_1: found "5"; expected a whole number from -1 to 4')(cell(4, "HARM_1", "5"))
case("rating below the scale", 'row 7, HARM_2: found "-2"')(cell(7, "HARM_2", "-2"))
case("rating with decimals", 'row 4, HARM_1: found "3.0"')(cell(4, "HARM_1", "3.0"))
case("rating in words", 'row 4, HARM_1: found "three"')(cell(4, "HARM_1", "three"))
case("rating with a long minus", 'row 4, HARM_2: found "\u22121"')(cell(4, "HARM_2", "\u22121"))
case("N/A where nothing is meant", 'row 4, REL_1: found "N/A"')(cell(4, "REL_1", "N/A"))
case("unknown identity", "row 4, WHO: found an answer that is not in the list; expected answers", "Apple")(
    cell(4, "WHO", "Apple,Plum")
)
case("identity twice in a cell", "row 4, WHO: found an answer twice")(cell(4, "WHO", "Apple,Apple"))
case("identity cell that comes apart in two ways", "row 4, WHO: found a cell that can be taken apart")(
    lambda s: (
        s.instrument["rounds"]["first"]["identities"][0]["answers"].update({"Apple,Pear": "both"}),
        s.set(4, "WHO", "Apple,Pear"),
    )
)
case("duplicate respondent", "row 7, ResponseId: found the same response as in row 4")(cell(7, "ResponseId", "R_a"))
case("response without an id", "row 7, ResponseId: found an empty cell")(cell(7, "ResponseId", " "))
case("unknown status", 'row 5, Status: found "Imported"', "whether such rows are kept or dropped")(
    cell(5, "Status", "Imported")
)
case("unknown state of completion", 'row 5, Finished: found "Maybe"')(cell(5, "Finished", "Maybe"))
case("empty state of completion", "row 5, Finished: found an empty cell")(cell(5, "Finished", ""))
case("a file name of two rounds", "a file name that fits the rounds first, second")(
    lambda s: [one.update(files=["*.csv"]) for one in s.instrument["rounds"].values()]
)
case("rounds with the same columns", "columns that fit the rounds first, again")(
    lambda s: s.instrument["rounds"].update(again=s.instrument["rounds"]["first"])
)


@pytest.mark.parametrize("name", CASES)
def test_a_bad_export_gets_one_clear_message(survey, name: str) -> None:
    change, expected = CASES[name]
    change(survey)
    with pytest.raises(InputError) as caught:
        survey.aggregate()
    message = caught.value.message()
    for part in expected:
        assert part in message, message
    assert "first.csv" in message
    # One thing wrong, one line; a renamed column is one missing and one unknown.
    assert len(caught.value.problems) <= 2, message
    assert not survey.out.parent.exists()


def test_there_are_at_least_thirty_different_bad_exports() -> None:
    assert len(CASES) >= 45


def test_all_problems_of_all_files_are_told_together_in_the_order_of_rows(survey) -> None:
    survey.set(7, "REL_1", "x1")
    survey.set(4, "HARM_2", "x2")
    survey.set(5, "WHO", "x3")
    survey.second_rows[3][6] = "x4"
    with pytest.raises(InputError) as caught:
        survey.aggregate(survey.export, survey.second)
    places = [(problem.file.rsplit("/", 1)[-1], problem.row, problem.field) for problem in caught.value.problems]
    assert places == [
        ("first.csv", 4, "HARM_2"),
        ("first.csv", 5, "WHO"),
        ("first.csv", 7, "REL_1"),
        ("second.csv", 4, "HARM_5"),
    ]


def test_the_same_export_twice_is_refused(survey) -> None:
    copy = survey.folder / "copy.csv"
    copy.write_text(survey.text(survey.rows), "utf-8")
    for exports, expected in (
        ((survey.export, survey.export), "the same file more than once"),
        ((survey.export, copy), "copy.csv, row 4, ResponseId: found the same response as in"),
    ):
        with pytest.raises(InputError, match=expected):
            survey.aggregate(*exports)


def test_no_export_at_all_is_refused(survey) -> None:
    from winoqueer_nl.survey.exports import read_exports
    from winoqueer_nl.survey.instrument import load

    survey.write()
    with pytest.raises(InputError, match="no export"):
        read_exports([], load(survey.folder / "instrument.yaml"))
