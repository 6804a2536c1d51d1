"""What a reader takes from an export: states kept apart, labels as declared, several answers in a cell, layouts."""

from __future__ import annotations

import pytest

from winoqueer_nl.survey.cells import choices


def answers(responses, question: str, aspect: str) -> list[tuple[str, str]]:
    table = responses.table
    mine = table[(table["question"] == question) & (table["aspect"] == aspect)].sort_values("respondent")
    return list(zip(mine["state"].astype(str), mine["answer"], strict=True))


def test_not_shown_skipped_not_sure_and_no_are_four_states(survey) -> None:
    survey.rows.append(["", "", "IP Address", "True", "R_x", "", "Pear", "-99", "", "", "", ""])
    found = survey.read()
    assert answers(found, "s1", "relevance") == [
        ("answered", "yes"),
        ("answered", "no"),
        ("answered", "unsure"),
        ("skipped", ""),
    ]
    assert answers(found, "s2", "relevance") == [
        ("answered", "no"),
        ("not_shown", ""),
        ("answered", "yes"),
        ("not_shown", ""),
    ]
    assert answers(found, "s1", "harmfulness")[2:] == [("skipped", ""), ("not_shown", "")]


def test_every_label_of_an_answer_is_understood_whatever_the_blanks_around_it(survey) -> None:
    survey.set(4, "REL_1", "1")
    survey.set(5, "REL_1", "\xa0Nope ")
    survey.set(7, "REL_1", " 3\u202f")
    assert [answer for _, answer in answers(survey.read(), "s1", "relevance")] == ["yes", "no", "unsure"]


def test_letters_composed_in_another_way_are_the_same_letters(survey) -> None:
    survey.instrument["languages"]["xx"]["yes_labels"] = ["J\u00e9p"]
    for row in (4, 5, 7):
        survey.set(row, "REL_1", "Je\u0301p")
        survey.set(row, "REL_2", "")
    assert {answer for _, answer in answers(survey.read(), "s1", "relevance")} == {"yes"}


def test_ratings_may_be_words_where_the_instrument_says_so(survey) -> None:
    survey.instrument["harmfulness"]["labels"] = {"4 (very)": 4}
    survey.set(4, "HARM_1", "4 (very)")
    assert answers(survey.read(), "s1", "harmfulness")[0] == ("answered", "4")


def test_several_answers_in_a_cell_are_taken_apart_though_a_label_holds_a_comma(survey) -> None:
    assert answers(survey.read(), "who", "identity") == [
        ("answered", "apple"),
        ("answered", "apple"),
        ("answered", "other"),
        ("skipped", ""),
    ]


@pytest.mark.parametrize(
    ("cell", "labels", "separator", "ways"),
    [
        ("a,b", ["a", "b"], ",", [["a", "b"]]),
        ("a, b ,c", ["a", "b", "c"], ",", [["a", "b", "c"]]),
        ("a;b", ["a", "b"], ";", [["a", "b"]]),
        ("a,b", ["a", "b", "a,b"], ",", [["a", "b"], ["a,b"]]),
        ("a,", ["a"], ",", []),
        (",a", ["a"], ",", []),
        ("a,,b", ["a", "b"], ",", []),
        ("ab", ["a", "b"], ",", []),
        ("a,b", ["a", "b"], None, []),
        ("a", ["a", "b"], None, [["a"]]),
        ("", ["a"], ",", []),
    ],
)
def test_ways_to_take_a_cell_apart(cell: str, labels: list[str], separator: str | None, ways: list[list[str]]) -> None:
    assert sorted(choices(cell, labels, separator)) == sorted(ways)


def test_free_text_keeps_its_line_feeds_and_commas(survey) -> None:
    survey.set(4, "WORDS", ' first, "second"\n\nthird ')
    assert answers(survey.read(), "WORDS", "free_text")[0] == ("answered", 'first, "second"\n\nthird')


def test_personal_columns_may_be_absent(survey) -> None:
    whole = survey.aggregate()
    place = survey.column("IPAddress")
    without = survey.folder / "without.csv"
    without.write_text(survey.text([row[:place] + row[place + 1 :] for row in survey.rows]), "utf-8")
    assert survey.aggregate(without) == whole


def test_the_order_of_columns_is_free(survey) -> None:
    whole = survey.aggregate()
    turned = survey.folder / "turned.csv"
    turned.write_text(survey.text([row[::-1] for row in survey.rows]), "utf-8")
    assert survey.aggregate(turned) == whole


@pytest.mark.parametrize(
    "written",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.encode() + b"\n\n",
        lambda text: text.rstrip("\n").encode(),
    ],
    ids=["byte order mark", "CRLF", "blank lines at the end", "no line end at the end"],
)
def test_the_same_table_written_otherwise_reads_the_same(survey, written) -> None:
    whole = survey.aggregate()
    survey.export.write_bytes(written(survey.text(survey.rows)))
    assert survey.aggregate() == whole


def test_every_cell_may_be_quoted(survey) -> None:
    whole = survey.aggregate()
    survey.export.write_text(survey.text(survey.rows, quoting=1), "utf-8")
    assert survey.aggregate() == whole


def test_the_legacy_layout_has_two_header_rows(survey) -> None:
    whole = survey.aggregate()
    survey.instrument["formats"]["tool"]["header_rows"] = 2
    (survey.folder / "instrument.yaml").unlink()
    survey.export.write_text(survey.text(survey.rows[:2] + survey.rows[3:]), "utf-8")
    assert survey.aggregate() == whole


def test_the_name_of_a_file_decides_between_rounds_with_the_same_columns(survey) -> None:
    survey.instrument["rounds"]["third"] = survey.instrument["rounds"]["first"] | {"files": ["*third*.csv"]}
    survey.instrument["rounds"]["first"]["files"] = ["first*"]
    third = survey.folder / "in the third round.csv"
    third.write_text(survey.text([*survey.rows[:3], survey.rows[3]]), "utf-8")
    found = survey.aggregate(survey.export, third)
    assert {r: one["respondents"] for r, one in found.summary["rounds"].items()} == {"first": 3, "third": 1}
    assert found.stereotypes[0]["rounds"] == "first;third"


def test_rows_that_do_not_count_are_not_looked_into(survey) -> None:
    survey.set(6, "REL_1", "nonsense")
    survey.set(8, "HARM_1", "99")
    assert survey.read().n_respondents == 3
