"""Models, languages and harmfulness: paired where things are shared, corrected where many are tested."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statistics_made import pairs, run, several
from statsmodels.stats.multitest import multipletests

from winoqueer_nl.statistics import harmfulness, languages, metrics
from winoqueer_nl.statistics.analysis import holm
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.comparison import COMPARISON_COLUMNS, comparison_table
from winoqueer_nl.statistics.runs import Run

SETTINGS = Settings(resamples=400, seed=3)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_by_its_definition(values):
    order = np.argsort(values, kind="stable")
    expected, running = np.empty(len(values)), 0.0
    for rank, place in enumerate(order):
        running = max(running, min(1.0, (len(values) - rank) * values[place]))
        expected[place] = running
    np.testing.assert_allclose(holm(pd.Series(values)), expected)


def test_holm_equals_statsmodels():
    values = np.random.default_rng(0).beta(0.5, 3, 30)
    np.testing.assert_allclose(holm(pd.Series(values)), multipletests(values, method="holm")[1])


def test_holm_leaves_out_what_was_not_tested():
    assert holm(pd.Series([0.01, np.nan, 0.04])).tolist()[::2] == [0.02, 0.04]
    assert np.isnan(holm(pd.Series([np.nan]))).all()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return several(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def compared(runs):
    return comparison_table(runs, SETTINGS)


def test_every_two_models_of_a_language_are_compared_once(compared):
    rows = compared[(compared["policy"] == "slot") & (compared["measure"] == "usage_weighted")]
    found = [(row.language, row.model_a, row.model_b) for row in rows.itertuples()]
    expected = [
        ("en", "alpha", "beta"),
        ("nl", "alpha", "beta"),
        ("nl", "alpha", "gamma"),
        ("nl", "beta", "gamma"),
    ]
    assert found == expected
    assert list(compared.columns) == list(COMPARISON_COLUMNS)


def test_a_difference_is_that_of_the_two_biases_and_mcnemars_counts_fit_it(runs, compared):
    by = {(run.summary.language, run.key): run for run in runs}
    for row in compared[compared["measure"] == "usage_weighted"].itertuples():
        a, b = (
            metrics.outcomes(by[row.language, key].pairs, row.policy)["stereotypical"].to_numpy()
            for key in (row.model_a, row.model_b)
        )
        assert row.difference == pytest.approx(100 * (a.mean() - b.mean()))
        assert (row.n_only_a, row.n_only_b) == ((a & ~b).sum(), (b & ~a).sum())
        error = np.std(a.astype(float) - b.astype(float)) / np.sqrt(len(a))  # of independent pairs
        assert row.naive_high - row.difference == pytest.approx(100 * 1.959964 * error, rel=1e-4)
        assert row.low < row.difference < row.high


def test_holms_family_is_one_language_policy_and_measure(compared):
    for _, family in compared.groupby(["language", "edition", "policy", "measure"]):
        np.testing.assert_allclose(family["p_holm"], holm(family["p_value"]))
    assert (compared["p_holm"] >= compared["p_value"]).all()


def test_kinds_that_differ_are_marked(compared):
    assert set(compared.loc[compared["model_b"] == "beta", "same_kind"]) == {False}
    assert set(compared.loc[compared["model_b"] == "gamma", "same_kind"]) == {True, False}


def test_models_are_compared_over_the_pairs_that_both_scored():
    one, two = run(pairs(), 1, "a"), run(pairs(), 2, "b")
    sample = Run("b", two.summary, two.pairs.sample(n=80, random_state=1), len(two.pairs))
    found = comparison_table([one, sample], SETTINGS)
    row = found[(found["policy"] == "slot") & (found["measure"] == "usage_weighted")].iloc[0]
    both = one.pairs.merge(sample.pairs, on="pair_id", suffixes=("_a", "_b"))
    shares = [(both[f"score_x_slot_{side}"] > both[f"score_y_slot_{side}"]).mean() for side in "ab"]
    assert row["n_pairs"] == 80
    assert row["difference"] == pytest.approx(100 * (shares[0] - shares[1]))
    halves = [Run(key, one.summary, one.pairs.iloc[part], 200) for key, part in (("a", slice(9)), ("b", slice(9, 20)))]
    assert comparison_table(halves, SETTINGS).empty


def test_no_models_and_one_model_give_an_empty_table():
    assert comparison_table([], SETTINGS).empty
    assert comparison_table([run(pairs())], SETTINGS).empty


def test_correlations_equal_scipys_and_fishers_interval_is_by_hand():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=40), rng.normal(size=40)
    y += 0.4 * x
    found = harmfulness.correlate(x, y, SETTINGS)
    assert found["pearson_r"] == pytest.approx(np.corrcoef(x, y)[0, 1])
    ranks = stats.rankdata(x), stats.rankdata(y)
    assert found["spearman_rho"] == pytest.approx(np.corrcoef(*ranks)[0, 1])
    z, reach = np.arctanh(found["pearson_r"]), 1.959963984540054 / np.sqrt(37)
    assert found["pearson_low"] == pytest.approx(np.tanh(z - reach))
    assert found["pearson_high"] == pytest.approx(np.tanh(z + reach))
    rho = found["spearman_rho"]
    reach = 1.959963984540054 * np.sqrt((1 + rho**2 / 2) / 37)
    assert found["spearman_high"] == pytest.approx(np.tanh(np.arctanh(rho) + reach))
    t = found["pearson_r"] * np.sqrt(38 / (1 - found["pearson_r"] ** 2))
    assert found["pearson_p"] == pytest.approx(2 * stats.t.sf(t, 38))
    assert found["bootstrap_pearson_low"] == pytest.approx(found["pearson_low"], abs=0.15)
    assert found["r_squared"] == pytest.approx(found["pearson_r"] ** 2)


def test_a_correlation_needs_points_that_vary():
    assert harmfulness.correlate(np.ones(9), np.arange(9.0), SETTINGS) == {"n_stereotypes": 9}
    assert harmfulness.correlate(np.arange(3.0), np.arange(3.0), SETTINGS) == {"n_stereotypes": 3}
    assert np.isnan(harmfulness.correlation(np.arange(2.0), np.arange(2.0)))


def test_every_rated_stereotype_is_one_point_whatever_its_pairs():
    made = run(pairs(), 4)
    found = harmfulness.harmfulness_table(made, SETTINGS).set_index("policy")
    rated = made.pairs[made.pairs["harmfulness_mean"].notna()]
    flags = (rated["score_x_slot"] > rated["score_y_slot"]).astype(float)
    points = rated.assign(flag=flags).groupby("stereotype_id")[["flag", "harmfulness_mean"]].mean()
    assert found.loc["slot", "n_stereotypes"] == 11
    assert found.loc["slot", "pearson_r"] == pytest.approx(points.corr().iloc[0, 1])


def test_without_ratings_there_is_no_correlation():
    frame = pairs().assign(harmfulness_mean=np.nan)
    assert harmfulness.harmfulness_table(run(frame), SETTINGS).empty


def test_languages_are_compared_over_what_both_have(runs):
    table = languages.language_table(runs, "nl", "en", SETTINGS)
    assert set(table["model"]) == {"alpha", "beta"}
    row = table[(table["model"] == "alpha") & (table["policy"] == "published") & (table["group"] == "red")].iloc[0]
    values = []
    for language in ("nl", "en"):
        own = next(run for run in runs if (run.summary.language, run.key) == (language, "alpha")).pairs
        own = own[(own["identity"] == "red") & (own["stereotype_id"] != "wq002")]
        values.append(100 * (own["score_x_published"] > own["score_y_published"]).mean())
    assert (row["value_a"], row["value_b"]) == pytest.approx(tuple(values))
    assert row["difference"] == pytest.approx(values[0] - values[1])
    assert row["n_stereotypes"] == 11
    assert row["low"] < row["difference"] < row["high"]
    assert table["group"].tolist()[:3] == ["usage_weighted", "identity_averaged", "identity_gap"]
    gap = table[(table["model"] == "alpha") & (table["policy"] == "published")].set_index("group")
    identities = gap[gap["dimension"] == "identity"]
    assert gap.loc["identity_gap", "value_a"] == pytest.approx(np.ptp(identities["value_a"]))
    assert gap.loc["identity_averaged", "value_b"] == pytest.approx(identities["value_b"].mean())


def test_the_direction_of_the_comparison_is_the_one_asked_for(runs):
    one = languages.language_table(runs, "nl", "en", SETTINGS)
    two = languages.language_table(runs, "en", "nl", SETTINGS)
    np.testing.assert_allclose(one["difference"], -two["difference"])
    assert languages.language_table(runs, "nl", "fr", SETTINGS).empty


def test_languages_without_a_shared_stereotype_give_nothing():
    one = run(pairs(), 1, "m")
    other = pairs(language="en")
    other = run(other.assign(stereotype_id="x" + other["stereotype_id"]), 2, "m", language="en")
    assert languages.language_table([one, other], "nl", "en", SETTINGS).empty
