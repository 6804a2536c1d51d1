"""How sure tiers are, what would change them, and that large rounds are counted as small ones are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winoqueer_nl.survey import microscope, tally
from winoqueer_nl.survey.config import SurveyConfig
from winoqueer_nl.survey.tiers import tiers, votes


def row(name: str, yes: int, no: int, unsure: int, tier: str, low: float = 0, high: float = 100, share: float = 0.5):
    counts = {"n_yes": str(yes), "n_no": str(no), "n_unsure": str(unsure)}
    shares = {f"{microscope.name_of(t)}_probability": f"{share:.4f}" for t in (1, 2, 3, -1)}
    bounds = {"yes_percentage_low": f"{low:.2f}", "yes_percentage_high": f"{high:.2f}"}
    return {"stereotype_id": name, "tier": tier} | counts | shares | bounds


ROWS = [
    row("a", 7, 3, 0, "1", 70, 90, 0.97),  # exactly 70 %
    row("b", 7, 3, 4, "1", 40, 90, 0.6),  # 70 % without "not sure", 50 % with it as no, 79 % as yes
    row("c", 2, 3, 0, "3", 30, 50, 0.85),
    row("d", 0, 4, 0, "-1", 0, 49, 1.0),
    row("e", 0, 0, 2, "", 0, 0, 0.0),  # no votes unless "not sure" is one
    {"stereotype_id": "f", "n_yes": "", "n_no": "", "n_unsure": "", "tier": ""},
]


def test_what_would_change_under_each_alternative_is_worked_out_by_hand() -> None:
    found = microscope.alternatives(ROWS, SurveyConfig())
    assert list(found) == ["unsure_as_no", "unsure_as_yes", "thresholds_-5", "thresholds_+5"]
    changed = {
        name: [(c["stereotype_id"], c["tier"], c["would_be"]) for c in one["changed"]] for name, one in found.items()
    }
    assert changed == {
        "unsure_as_no": [("b", "1", "2"), ("e", "", "-1")],
        "unsure_as_yes": [("e", "", "1")],
        "thresholds_-5": [],
        "thresholds_+5": [("a", "1", "2"), ("b", "1", "2")],
    }
    assert found["unsure_as_no"]["stereotypes"] == {"tier_1": 1, "tier_2": 1, "tier_3": 1, "not_relevant": 2}


def test_how_sure_tiers_are_is_counted() -> None:
    found = microscope.certainty(ROWS, SurveyConfig())
    assert found["tier_1"] == {
        "stereotypes": 2,
        "probability_at_least_0.95": 1,
        "probability_at_least_0.8": 1,
        "probability_at_least_0.5": 2,
        "lowest_probability": 0.6,
        "interval_within_tier": 1,
    }
    assert found["tier_2"]["lowest_probability"] is None
    assert found["tier_3"]["interval_within_tier"] == 1
    assert found["not_relevant"]["interval_within_tier"] == 0


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.sampled_from(["excluded", "as_no", "as_yes"]))
def test_an_alternative_equals_a_run_with_its_settings(yes: int, no: int, unsure: int, chosen: str) -> None:
    config = SurveyConfig(unsure=chosen)
    tier = int(tiers(*votes(np.array([[yes], [no], [unsure]]), config.unsure), config.thresholds)[0])
    mine = row("a", yes, no, unsure, "" if tier == 0 else str(tier))
    for name, one in microscope.alternatives([mine], config).items():
        n_yes, total = votes(np.array([yes, no, unsure]), one["unsure"])
        share = 100 * n_yes / total if total else None
        bounds = one["thresholds"]
        would_be = (
            ""
            if share is None
            else "1"
            if share >= bounds["tier_1"]
            else "2"
            if share >= bounds["tier_2"]
            else "3"
            if share >= bounds["tier_3"]
            else "-1"
        )
        expected = [] if would_be == mine["tier"] else [would_be]
        assert [c["would_be"] for c in one["changed"]] == expected, name


def test_the_shifts_are_a_setting(survey) -> None:
    found = survey.aggregate(shifts=(-20, 40)).summary["alternatives"]
    # 70 + 40 is no percentage: there is no such alternative.
    assert list(found) == ["unsure_as_no", "unsure_as_yes", "thresholds_-20"]
    assert [c["would_be"] for c in found["thresholds_-20"]["changed"]] == ["1", "1", "1", "1"]


def test_large_rounds_have_the_same_counts_and_nearly_the_same_probabilities(
    survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = survey.aggregate(survey.export, survey.second, resamples=4000)
    monkeypatch.setattr(tally, "MOST_DRAWN_ONE_BY_ONE", 0)
    large = survey.aggregate(survey.export, survey.second, resamples=4000)
    for one, other in zip(small.stereotypes, large.stereotypes, strict=True):
        for column, value in one.items():
            if column.endswith("_probability") and value:
                assert abs(float(value) - float(other[column])) < 0.06  # five standard errors of 4000 draws
            else:
                assert other[column] == value, column
