"""Editions of one language: the same model before and after a correction, over what both editions have."""

import numpy as np
import pandas as pd
import pytest
from statistics_made import pairs, run
from statsmodels.regression.linear_model import OLS

from winoqueer_nl.statistics.analysis import holm
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.editions import EDITION_COLUMNS, edition_table
from winoqueer_nl.statistics.runs import Run

SETTINGS = Settings(resamples=400, seed=3)


@pytest.fixture(scope="module")
def before():
    return run(pairs(skip=("wq004",)), 1, "m", edition="1.0.0")


@pytest.fixture(scope="module")
def after():
    """Has a stereotype more than the edition before, one less, and fewer pairs of another."""
    frame = pairs(skip=("wq002",))
    return run(frame[frame["pair_id"] != "nl.wq003.1.group.red.grey"], 2, "m", edition="2.0.0")


def biased(one, policy="published"):
    return one.pairs.assign(stereotypical=one.pairs[f"score_x_{policy}"] > one.pairs[f"score_y_{policy}"])


def test_bias_in_each_edition_over_the_stereotypes_that_both_have(before, after):
    table = edition_table([before, after], SETTINGS)
    assert list(table.columns) == list(EDITION_COLUMNS)
    for policy in ("published", "slot"):
        own = table[table["policy"] == policy].set_index("group")
        means = []
        for one in (before, after):
            counted = biased(one, policy)
            counted = counted[~counted["stereotype_id"].isin(["wq002", "wq004"])]
            by = counted.groupby("identity")["stereotypical"]
            means.append((100 * by.mean(), by.size(), 100 * counted["stereotypical"].mean()))
        for side, (bias, sizes, whole) in zip(("before", "after"), means, strict=True):
            for identity in ("red", "green", "blue"):
                assert own.loc[identity, f"value_{side}"] == pytest.approx(bias[identity])
                assert own.loc[identity, f"n_pairs_{side}"] == sizes[identity]
            assert own.loc["usage_weighted", f"value_{side}"] == pytest.approx(whole)
            assert own.loc["identity_averaged", f"value_{side}"] == pytest.approx(bias.mean())
            assert own.loc["identity_gap", f"value_{side}"] == pytest.approx(np.ptp(bias))
        np.testing.assert_allclose(own["difference"], own["value_after"] - own["value_before"], atol=1e-9)
        assert own.loc["red", "n_stereotypes"] == 10
        assert own.loc["red", "low"] < own.loc["red", "difference"] < own.loc["red", "high"]
        tested = own[own["dimension"] == "identity"]
        np.testing.assert_allclose(tested["p_holm"], holm(tested["p_value"]))
    assert table["n_pairs_after"].iloc[0] == table["n_pairs_before"].iloc[0] - 1


def test_the_standard_error_is_that_of_a_regression_clustered_by_stereotype(before, after):
    """Pairs of both editions on a dummy of the edition: its slope and clustered error, without the bootstrap."""
    table = edition_table([before, after], SETTINGS)
    row = table[(table["policy"] == "published") & (table["group"] == "red")].iloc[0]
    both = pd.concat([biased(before).assign(later=0.0), biased(after).assign(later=1.0)])
    both = both[(both["identity"] == "red") & ~both["stereotype_id"].isin(["wq002", "wq004"])]
    design = np.column_stack([np.ones(len(both)), both["later"]])
    clusters = pd.factorize(both["stereotype_id"])[0]
    fit = OLS(both["stereotypical"].to_numpy(float), design).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    k = len(set(clusters))
    assert row["difference"] == pytest.approx(100 * fit.params[1])
    assert row["standard_error"] == pytest.approx(100 * fit.bse[1] * np.sqrt(k / (k - 1)))


def test_only_consecutive_editions_of_one_language_and_in_the_order_of_versions():
    made = [run(pairs(), seed, "m", edition=edition) for seed, edition in enumerate(("10.0.0", "2.0.0", "1.0.0"))]
    made.append(run(pairs(language="en"), 7, "m", language="en", edition="3.0.0"))
    made.append(run(pairs(), 8, "other", edition="1.0.0"))  # in one edition only
    made.append(run(pairs(), 9, "m", edition="draft"))  # no version, so neither before nor after
    table = edition_table(made, SETTINGS)
    assert set(table["language"]) == {"nl"}
    found = list(dict.fromkeys(zip(table["edition_before"], table["edition_after"], strict=True)))
    assert found == [("1.0.0", "2.0.0"), ("2.0.0", "10.0.0")]


@pytest.mark.parametrize("other", [{"revision": "later"}, {"kind": "autoregressive"}])
def test_another_model_of_the_same_name_is_not_compared(before, other):
    assert edition_table([before, run(pairs(), 2, "m", edition="2.0.0", **other)], SETTINGS).empty


def test_an_edition_that_changes_no_decision_has_a_difference_of_exactly_nothing(before):
    again = Run("m", before.summary.model_copy(update={"edition": "1.1.0"}), before.pairs, before.whole)
    table = edition_table([before, again], SETTINGS)
    assert (table["difference"] == 0).all()
    assert set(table["method"]) == {"no_variation"}
    assert (table[["low", "high"]] == 0).all(axis=None)
    assert (table["p_value"] == 1).all()


def test_a_demo_model_and_precisions_that_differ_say_so(before):
    summary = before.summary.model_copy(update={"edition": "1.1.0", "precision": "bfloat16", "demo": True})
    table = edition_table([before, Run("m", summary, before.pairs, before.whole)], SETTINGS)
    assert set(table["precision"]) == {"float32 / bfloat16"}
    assert table["demo"].all()


def test_one_edition_gives_the_columns_and_no_rows(before):
    assert list(edition_table([before], SETTINGS).columns) == list(EDITION_COLUMNS)
    assert edition_table([before], SETTINGS).empty


def test_a_change_of_a_handful_of_stereotypes_has_no_interval_and_no_p(before):
    """Turning round four stereotypes of red changes its bias; too few for an interval. Five are enough."""
    for turned, method in ((4, "too_few_changes"), (5, "cluster_bootstrap_t")):
        frame = before.pairs.copy()
        red = frame["identity"] == "red"
        keys = sorted(frame["stereotype_id"].unique())[:turned]
        own = frame[red & frame["stereotype_id"].isin(keys)]
        frame.loc[own.index, "score_x_published"] = own["score_y_published"] - 1  # none is stereotypical any more
        later = Run("m", before.summary.model_copy(update={"edition": "1.1.0"}), frame, before.whole)
        table = edition_table([before, later], SETTINGS)
        row = table[(table["policy"] == "published") & (table["group"] == "red")].iloc[0]
        assert row["difference"] < 0
        assert row["method"] == method
        assert np.isnan(row["p_value"]) == np.isnan(row["low"]) == np.isnan(row["p_holm"]) == (turned == 4)
