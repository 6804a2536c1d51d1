"""What is counted, worked out by hand on a survey of three respondents, and what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from winoqueer_nl.pairs import Judgement
from winoqueer_nl.problems import InputError
from winoqueer_nl.survey.aggregate import STEREOTYPE_COLUMNS, read_judgements


def by_id(found) -> dict[str, dict[str, str]]:
    return {row["stereotype_id"]: row for row in found.stereotypes}


def picked(row: dict[str, str], *columns: str) -> list[str]:
    return [row[column] for column in columns]


COUNTS = ("n_yes", "n_no", "n_unsure", "n_votes", "yes_percentage", "tier")
HARM = ("harmfulness_count", "harmfulness_mean", "harmfulness_sd")


def test_votes_and_ratings_of_one_export(survey) -> None:
    found = by_id(survey.aggregate())
    assert list(found) == ["s1", "s2", "s3", "s4"]  # s5 was asked in a round that is not there
    assert picked(found["s1"], *COUNTS) == ["1", "1", "1", "2", "50.00", "2"]
    assert picked(found["s1"], *HARM) == ["2", "3.50", "0.71"]
    assert picked(found["s2"], *COUNTS) == ["1", "1", "0", "2", "50.00", "2"]
    assert picked(found["s2"], *HARM) == ["2", "0.50", "2.12"]


def test_a_question_may_feed_two_stereotypes_and_votes_may_be_shared_by_declaration(survey) -> None:
    found = by_id(survey.aggregate())
    assert found["s3"] == found["s2"] | {"stereotype_id": "s3"}
    assert found["s4"] == found["s1"] | {"stereotype_id": "s4", "votes_of": "s1"}


def test_rounds_add_up_and_a_stereotype_knows_its_rounds(survey) -> None:
    found = by_id(survey.aggregate(survey.export, survey.second))
    assert picked(found["s1"], *COUNTS) == ["2", "1", "1", "3", "66.67", "2"]
    assert picked(found["s1"], *HARM, "rounds") == ["3", "2.33", "2.08", "first;second"]
    assert picked(found["s5"], *COUNTS, *HARM, "rounds") == [""] * 6 + ["2", "1.50", "0.71", "second"]


def test_the_order_of_the_exports_changes_no_count(survey) -> None:
    one = survey.aggregate(survey.export, survey.second)
    other = survey.aggregate(survey.second, survey.export)
    assert one.stereotypes == other.stereotypes
    assert one.summary == other.summary


def test_a_round_may_come_in_parts_with_another_round_between(survey) -> None:
    part = survey.folder / "part.csv"
    part.write_text(survey.text([*survey.rows[:3], survey.rows[6]]), "utf-8")
    survey.rows = survey.rows[:6]
    parts = by_id(survey.aggregate(survey.export, survey.second, part))
    assert picked(parts["s1"], *COUNTS, *HARM) == ["2", "1", "1", "3", "66.67", "2", "3", "2.33", "2.08"]


@pytest.mark.parametrize(
    ("unsure", "n_votes", "percentage", "tier"),
    [("excluded", "2", "50.00", "2"), ("as_no", "3", "33.33", "3"), ("as_yes", "3", "66.67", "2")],
)
def test_not_sure_counts_as_configured(survey, unsure: str, n_votes: str, percentage: str, tier: str) -> None:
    row = by_id(survey.aggregate(unsure=unsure))["s1"]
    assert picked(row, *COUNTS) == ["1", "1", "1", n_votes, percentage, tier]


def test_thresholds_are_configuration(survey) -> None:
    assert by_id(survey.aggregate(thresholds={"tier_1": 50, "tier_2": 40}))["s1"]["tier"] == "1"


def test_without_votes_there_is_no_tier_and_without_ratings_no_mean(survey) -> None:
    for row in (4, 5, 7):
        survey.set(row, "REL_1", "Dunno")
        survey.set(row, "HARM_1", "")
    row = by_id(survey.aggregate())["s1"]
    assert picked(row, "n_yes", "n_no", "n_unsure", "n_votes", "harmfulness_count") == ["0", "0", "3", "0", "0"]
    blank = [c for c in STEREOTYPE_COLUMNS if c.startswith(("yes_", "tier", "not_rel"))] + ["harmfulness_mean"]
    assert picked(row, *blank, "harmfulness_sd") == [""] * (len(blank) + 1)


def test_one_rating_has_no_standard_deviation(survey) -> None:
    survey.set(4, "HARM_1", "")
    assert picked(by_id(survey.aggregate())["s1"], *HARM) == ["1", "4.00", ""]


def test_the_summary_counts_rows_and_states(survey) -> None:
    survey.aggregate(survey.export, survey.second)
    summary = json.loads((survey.out.parent / "summary.json").read_text("utf-8"))
    assert summary["rounds"]["first"] == {
        "exports": 1,
        "rows_read": 5,
        "rows_dropped": {
            "preview": {"rows": 1, "reason": "trial"},
            "unfinished": {"rows": 1, "reason": "left early"},
        },
        "respondents": 3,
        "relevance_answers": {"yes": 2, "no": 2, "unsure": 1, "skipped": 0, "not_shown": 1},
        "harmfulness_answers": {"rated": 4, "skipped": 1, "not_shown": 1},
        "free_text_answers": 1,
    }
    assert (summary["respondents"], summary["votes"], summary["ratings"]) == (5, 6, 7)
    assert summary["stereotypes"] == {
        "asked": 4,
        "sharing_votes_by_declaration": 1,
        "tier_1": 0,
        "tier_2": 4,
        "tier_3": 0,
        "not_relevant": 0,
        "without_tier": 1,
    }


def test_people_with_several_identities_count_under_each(survey) -> None:
    found = survey.aggregate(disclosure_threshold=1)
    assert [(row["answer"], row["n_respondents"]) for row in found.respondents] == [
        ("apple", "2"),
        ("pear", "0"),
        ("other", "1"),
    ]
    # One "other" is too few, and two "apple" go with it; that nobody said "pear" points to no one.
    assert [
        (row["n_respondents"], row["suppressed"]) for row in survey.aggregate(disclosure_threshold=2).respondents
    ] == [
        ("", "true"),
        ("0", "false"),
        ("", "true"),
    ]


def test_judgements_are_read_back(survey) -> None:
    survey.aggregate(survey.export, survey.second)
    assert read_judgements(survey.out) == {
        "s1": Judgement(2, 2.33),
        "s2": Judgement(2, 0.5),
        "s3": Judgement(2, 0.5),
        "s4": Judgement(2, 2.33),
        "s5": Judgement(None, 1.5),
    }


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "no such file"),
        ("", "an empty file"),
        ("stereotype_id,tier\ns1,1\n", 'no column "harmfulness_mean"'),
        ("stereotype_id,tier,harmfulness_mean\ns1,4,1\n", 'row 2, tier: found "4"'),
        ("stereotype_id,tier,harmfulness_mean\ns1,1,nan\n", 'row 2, harmfulness_mean: found "nan"'),
        ("stereotype_id,tier,harmfulness_mean\ns1,1,1\ns1,1,1\n", "row 3, stereotype_id"),
        ("stereotype_id,tier,harmfulness_mean\ns1,1\xa0,1\n", "row 2, tier"),
    ],
)
def test_a_broken_table_of_judgements_is_refused(tmp_path: Path, content: str | None, expected: str) -> None:
    path = tmp_path / "stereotypes.csv"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read_judgements(path)
    assert expected in caught.value.message()


@pytest.mark.parametrize("name", ["summary.json", "respondents.csv"])
def test_an_output_cannot_take_the_place_of_another(survey, name: str) -> None:
    survey.out = survey.out.with_name(name)
    with pytest.raises(InputError, match="another name"):
        survey.aggregate()


def test_an_output_cannot_overwrite_an_export(survey) -> None:
    survey.out = survey.export
    survey.write()
    before = survey.export.read_bytes()
    with pytest.raises(InputError, match="the name of an export"):
        survey.aggregate()
    assert survey.export.read_bytes() == before
