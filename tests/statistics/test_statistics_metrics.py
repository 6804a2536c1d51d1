"""A bias is the share of pairs whose stereotypical sentence scores higher; empty groups have rules."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statistics_made import pairs, run

from winoqueer_nl.statistics import metrics, subsets


def frame_of(x: list[float], y: list[float]) -> pd.DataFrame:
    scores = {"score_x_published": x, "score_y_published": y, "score_x_slot": y, "score_y_slot": x}
    return pd.DataFrame({"stereotype_id": [f"s{i}" for i in range(len(x))], "group": "g", **scores})


def test_a_tie_is_exact_equality_and_not_stereotypical():
    smallest = np.nextafter(-10.0, 0.0)  # the next float above -10: no tie
    outcome = metrics.outcomes(frame_of([-10.0, smallest, -11.0], [-10.0, -10.0, -10.0]), "published")
    assert outcome["tie"].tolist() == [True, False, False]
    assert outcome["stereotypical"].tolist() == [False, True, False]


def test_the_half_convention_counts_a_tie_as_half():
    assert metrics.bias(1, 4) == 25.0
    assert metrics.bias_half(1, 2, 4) == 50.0


def test_the_two_span_policies_read_their_own_scores():
    frame = frame_of([-1.0, -1.0], [-2.0, -2.0])
    assert metrics.outcomes(frame, "published")["stereotypical"].all()
    assert not metrics.outcomes(frame, "slot")["stereotypical"].any()
    with pytest.raises(ValueError, match="unknown span policy"):
        metrics.outcomes(frame, "other")


def test_an_empty_group_has_no_percentage():
    assert np.isnan(metrics.bias(0, 0))
    assert np.isnan(metrics.usage_weighted([], []))
    assert np.isnan(metrics.identity_averaged([]))
    assert np.isnan(metrics.identity_averaged([np.nan]))
    assert np.isnan(metrics.identity_gap([50.0]))
    assert np.isnan(metrics.identity_gap([50.0, np.nan]))


def test_an_identity_without_pairs_is_left_out_of_average_and_gap():
    assert metrics.identity_averaged([40.0, np.nan, 80.0]) == 60.0
    assert metrics.identity_gap([40.0, np.nan, 80.0]) == 40.0


def test_the_aggregates_weigh_as_they_say():
    hits, sizes = [90, 2], [100, 10]
    assert metrics.usage_weighted(hits, sizes) == pytest.approx(100 * 92 / 110)
    assert metrics.identity_averaged(metrics.bias(hits, sizes)) == pytest.approx((90 + 20) / 2)


def test_a_tally_agrees_with_counting_by_hand():
    frame = frame_of([-1.0, -3.0, -2.0], [-2.0, -2.0, -2.0]).assign(group=["g", "h", "h"])
    table = metrics.tally(frame, metrics.outcomes(frame, "published"), "group")
    assert table.loc["h"].to_dict() == {
        "n_pairs": 2,
        "n_stereotypes": 2,
        "n_stereotypical": 0,
        "n_ties": 1,
        "bias": 0.0,
        "bias_half": 25.0,
        "mean_difference": -0.5,
    }
    filled = metrics.with_empty_groups(table, ["g", "none"])
    assert filled.loc["none", "n_pairs"] == 0
    assert np.isnan(filled.loc["none", "bias"])
    assert np.isnan(metrics.with_empty_groups(table.iloc[:0], ["none"]).loc["none", "bias"])


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=60))
def test_bias_and_its_mirror_and_the_ties_make_a_hundred(values):
    frame = frame_of([float(x) for x, _ in values], [float(y) for _, y in values])
    one, other = (metrics.outcomes(frame, policy) for policy in ("published", "slot"))
    n = len(frame)
    total = metrics.bias(one["stereotypical"].sum(), n) + metrics.bias(other["stereotypical"].sum(), n)
    assert total + metrics.percentage(one["tie"].sum(), n) == pytest.approx(100)
    halves = [metrics.bias_half(o["stereotypical"].sum(), o["tie"].sum(), n) for o in (one, other)]
    assert sum(halves) == pytest.approx(100)


def test_the_subsets_of_the_paper_include_the_new_stereotypes():
    frame = pairs()
    sizes = {subset.key: int(subsets.mask(frame, subset.key).sum()) for subset in subsets.SUBSETS}
    assert sizes["all"] == len(frame)
    assert sizes["tier_1"] == sizes["tier_1_only"] + sizes["new"]
    assert sizes["tier_1_2"] == sizes["tier_1"] + sizes["tier_2_only"]
    assert sizes["all"] == sizes["tier_1_2"] + sizes["tier_3_only"]
    assert min(sizes.values()) > 0


def test_a_set_without_tiers_has_only_what_it_has():
    frame = pairs().assign(tier=pd.array([None] * len(pairs()), dtype="Int8"), origin="winoqueer")
    assert {s.key for s in subsets.SUBSETS if subsets.mask(frame, s.key).any()} == {"all"}


def test_every_group_of_a_run_has_its_row_even_where_it_is_empty():
    from winoqueer_nl.statistics.analysis import metrics_table
    from winoqueer_nl.statistics.bootstrap import Settings

    frame = pairs()
    frame = frame[(frame["identity"] != "blue") | (frame["origin"] == "winoqueer")]  # no new pairs for blue
    table = metrics_table(run(frame.reset_index(drop=True)), Settings(resamples=100))
    row = table[(table["subset"] == "new") & (table["group"] == "blue") & (table["policy"] == "slot")].iloc[0]
    assert (row["n_pairs"], row["method"]) == (0, "empty")
    assert np.isnan(row["value"])
    assert np.isnan(row["low"])
    averaged = table[(table["subset"] == "new") & (table["group"] == "identity_averaged")].iloc[0]
    assert averaged["n_identities"] == 2
    assert set(table["dimension"]) == {"aggregate", "identity", "template", "name_gender", "counter_identity"}
    assert set(table.loc[table["dimension"] == "name_gender", "group"]) == {
        "group",
        "female",
        "male",
        "neutral",
    }
