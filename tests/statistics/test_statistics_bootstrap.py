"""Intervals resample stereotypes with all their pairs, and agree with slower, independent computations."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statistics_made import pairs, run

from winoqueer_nl.statistics import bootstrap, metrics
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.clusters import Counts, align, beside, count, resample_weights

SETTINGS = Settings(resamples=400, seed=5)


@pytest.fixture(scope="module")
def made():
    joined = run(pairs(), 3).pairs
    flags = metrics.outcomes(joined, "published")["stereotypical"]
    return joined, flags, count(joined["stereotype_id"], joined["identity"], flags)


def test_standard_errors_equal_those_of_a_clustered_regression_in_statsmodels(made):
    joined, flags, counts = made
    for g, identity in enumerate(counts.groups):
        own = (joined["identity"] == identity).to_numpy()
        y = flags[own].astype(float).to_numpy()
        fit = sm.OLS(y, np.ones_like(y)).fit(
            cov_type="cluster", cov_kwds={"groups": pd.factorize(joined["stereotype_id"][own])[0]}
        )
        assert bootstrap.rate_standard_error(counts.n[:, g], counts.s[:, g]) == pytest.approx(fit.bse[0], rel=1e-10)
        assert counts.s[:, g].sum() / counts.n[:, g].sum() == pytest.approx(fit.params[0], rel=1e-12)


def test_a_difference_has_the_standard_error_of_a_clustered_regression_on_a_contrast(made):
    joined, flags, counts = made
    two = counts.select(["red", "green"])
    own = joined["identity"].isin(["red", "green"]).to_numpy()
    design = np.column_stack([np.ones(own.sum()), (joined["identity"][own] == "red").astype(float)])
    clusters = pd.factorize(joined["stereotype_id"][own])[0]
    fit = sm.OLS(flags[own].astype(float).to_numpy(), design).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    k = clusters.max() + 1
    weights = resample_weights(len(two.clusters), 400, 1)
    found = bootstrap.combination(two, bootstrap.fixed([1.0, -1.0]), weights, SETTINGS, share=False)
    assert found.value == pytest.approx(fit.params[1], rel=1e-10)
    assert found.standard_error == pytest.approx(fit.bse[1] * np.sqrt(k / (k - 1)), rel=1e-9)


def test_resampling_counts_equals_resampling_the_pairs_themselves(made):
    joined, flags, counts = made
    weights = resample_weights(len(counts.clusters), 25, 9)
    rates, covariances = bootstrap.resampled(counts, weights)
    table = joined.assign(flag=flags.astype(float).to_numpy())
    whole = 0
    for row in weights:
        drawn = [name for name, times in zip(counts.clusters, row, strict=True) for _ in range(int(times))]
        sample = pd.concat(
            [table[table["stereotype_id"] == name].assign(draw=i) for i, name in enumerate(drawn)],
            ignore_index=True,
        )
        means = sample.groupby("identity")["flag"].mean()
        if len(means) < len(counts.groups):
            continue
        np.testing.assert_allclose(rates[whole], means[list(counts.groups)], rtol=1e-12)
        # Linearised covariance, written out draw by draw.
        influence = []
        for _, drawn_pairs in sample.groupby("draw"):
            own = []
            for identity in counts.groups:
                part = drawn_pairs[drawn_pairs["identity"] == identity]["flag"]
                own.append((part - means[identity]).sum() / (sample["identity"] == identity).sum())
            influence.append(own)
        expected = np.array(influence).T @ np.array(influence)
        np.testing.assert_allclose(covariances[whole], expected, rtol=1e-9, atol=1e-15)
        whole += 1
    assert whole == len(rates)


def test_the_interval_of_a_rate_equals_a_plain_loop(made):
    _, _, counts = made
    one = counts.select(["red"])
    weights = resample_weights(len(one.clusters), SETTINGS.resamples, SETTINGS.seed)
    n, s = one.n[:, 0], one.s[:, 0]

    def log_odds(p):
        return np.log(p / (1 - p))

    k, p = len(n), s.sum() / n.sum()
    spread = bootstrap.rate_standard_error(n, s) / (p * (1 - p))
    deviations = []
    for row in weights:
        index = np.repeat(np.arange(k), row.astype(int))
        p_b = s[index].sum() / n[index].sum()
        error = np.sqrt(k / (k - 1) * np.sum((s[index] - p_b * n[index]) ** 2)) / n[index].sum()
        deviations.append((log_odds(p_b) - log_odds(p)) / (error / (p_b * (1 - p_b))))
    low_t, high_t = np.quantile(deviations, [0.025, 0.975])
    found = bootstrap.rates(one, weights, SETTINGS)[0]
    assert found.low == pytest.approx(1 / (1 + np.exp(-(log_odds(p) - high_t * spread))), rel=1e-9)
    assert found.high == pytest.approx(1 / (1 + np.exp(-(log_odds(p) - low_t * spread))), rel=1e-9)


def test_mean_of_one_group_is_the_rate_itself(made):
    _, _, counts = made
    one = counts.select(["red"])
    weights = resample_weights(len(one.clusters), 400, 5)
    rate = bootstrap.rates(one, weights, SETTINGS)[0]
    mean = bootstrap.combination(one, bootstrap.mean_of(1), weights, SETTINGS, share=True)
    assert (mean.low, mean.high, mean.p_value) == pytest.approx((rate.low, rate.high, rate.p_value), rel=1e-9)


def test_the_naive_interval_is_wilsons_formula():
    x, n, z = 31, 80, 1.959963984540054
    centre = (x / n + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(x / n * (1 - x / n) / n + z**2 / (4 * n**2))
    assert bootstrap.naive_interval(x, n, 0.95) == pytest.approx((centre - reach, centre + reach))
    assert np.isnan(bootstrap.naive_interval(0, 0, 0.95)).all()


def test_design_effect_by_hand():
    # Stereotypes whose m pairs all agree carry the information of one pair each: K / (K - 1) * m.
    n = np.full(10, 6.0)
    s = np.array([6.0] * 5 + [0.0] * 5)
    error = bootstrap.rate_standard_error(n, s)
    effect = bootstrap.design_effect(error, 0.5, 60)
    assert effect == pytest.approx(6 * 10 / 9)
    assert bootstrap.effective_n(60, effect) == pytest.approx(9)
    assert np.isnan(bootstrap.design_effect(error, 1.0, 60))
    assert np.isnan(bootstrap.effective_n(60, float("nan")))


def test_a_group_where_all_stereotypes_agree_is_not_certain():
    counts = Counts(tuple("abcdef"), ("g",), np.full((6, 1), 9.0), np.full((6, 1), 9.0))
    found = bootstrap.rates(counts, resample_weights(6, 400, 1), SETTINGS)[0]
    assert (found.value, found.high, found.method) == (1.0, 1.0, "wilson_clusters")
    assert found.low == pytest.approx(bootstrap.naive_interval(6, 6, 0.95)[0])


def test_few_stereotypes_give_no_interval_and_none_gives_nothing():
    n = np.array([[4.0, 0.0]] * 4)
    counts = Counts(tuple("abcd"), ("g", "h"), n, n / 2)
    few, empty = bootstrap.rates(counts, resample_weights(4, 400, 1), SETTINGS)
    assert (few.value, few.method, empty.method) == (0.5, "too_few_stereotypes", "empty")
    assert np.isnan([few.low, few.high, few.p_value, few.standard_error, empty.value]).all()
    mean = bootstrap.combination(
        counts.select(["g"]), bootstrap.mean_of(1), resample_weights(4, 400, 1), SETTINGS, share=True
    )
    assert mean.method == "too_few_stereotypes"
    with pytest.raises(ValueError, match="without pairs"):
        bootstrap.combination(counts, bootstrap.mean_of(2), resample_weights(4, 400, 1), SETTINGS, share=True)


def test_a_model_does_not_differ_from_itself(made):
    _, _, counts = made
    both = beside([("a ", counts), ("b ", counts)])
    mean = bootstrap.mean_of(3)
    weights = resample_weights(len(both.clusters), 400, 1)
    found = bootstrap.combination(both, bootstrap.difference_of(mean, mean, 3), weights, SETTINGS, share=False)
    assert (found.value, found.low, found.high, found.p_value) == (0, 0, 0, 1)
    assert found.method == "no_variation"


def test_pairing_makes_a_difference_narrower_than_taking_the_models_apart(made):
    joined, flags, counts = made
    near = flags.to_numpy().copy()
    near[::9] = ~near[::9]  # a model that decides nearly alike
    other = count(joined["stereotype_id"], joined["identity"], near)
    mean = bootstrap.mean_of(3)
    weights = resample_weights(len(counts.clusters), 400, 1)
    paired = bootstrap.combination(
        beside([("a ", counts), ("b ", other)]),
        bootstrap.difference_of(mean, mean, 3),
        weights,
        SETTINGS,
        share=False,
    )
    alone = [bootstrap.combination(c, mean, weights, SETTINGS, share=True) for c in (counts, other)]
    assert paired.standard_error < 0.6 * np.hypot(alone[0].standard_error, alone[1].standard_error)


def test_the_gap_holds_its_value_and_starts_at_zero_where_all_may_be_alike(made):
    _, _, counts = made
    weights = resample_weights(len(counts.clusters), 400, 1)
    found = bootstrap.widest_gap(counts, weights, SETTINGS)
    assert found.low <= found.value <= found.high
    alike = replace(counts, s=np.repeat(np.round(counts.n[:, :1] / 2), 3, axis=1) * (counts.n > 0))
    wobble = np.random.default_rng(0).integers(-1, 2, alike.s.shape)
    alike = replace(alike, s=np.clip(alike.s + wobble * (counts.n > 0), 0, counts.n))
    assert bootstrap.widest_gap(alike, weights, SETTINGS).low == 0
    assert bootstrap.gap(np.array([0.5, 0.5])).tolist() == [0, 0]


def test_weights_draw_every_stereotype_alike_and_repeat_with_their_seed():
    weights = resample_weights(30, 4000, 11)
    assert (weights.sum(axis=1) == 30).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(30), abs=0.08)
    assert weights.var() == pytest.approx(29 / 30, rel=0.03)  # multinomial
    assert (weights == resample_weights(30, 4000, 11)).all()
    assert (weights != resample_weights(30, 4000, 12)).any()
    assert resample_weights(0, 5, 1).shape == (5, 0)


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_changes_nothing(random):
    joined = run(pairs(8), 3).pairs
    flags = metrics.outcomes(joined, "published")["stereotypical"].to_numpy()
    order = list(range(len(joined)))
    random.shuffle(order)
    one = count(joined["stereotype_id"], joined["identity"], flags)
    two = count(joined["stereotype_id"].iloc[order], joined["identity"].iloc[order], flags[order])
    assert one.clusters == two.clusters
    assert one.groups == two.groups
    assert (one.s == two.s).all()
    assert (one.n == two.n).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1)), min_size=1, max_size=25))
def test_every_interval_lies_within_its_range_and_around_its_value(cells):
    n = np.array([[float(size)] for size, _ in cells])
    s = np.round(n * np.array([[share] for _, share in cells]))
    counts = Counts(tuple(f"s{i:02}" for i in range(len(cells))), ("g",), n, s)
    found = bootstrap.rates(counts, resample_weights(len(cells), 200, 3), Settings(resamples=200))[0]
    if found.method == "too_few_stereotypes":
        assert len(cells) < bootstrap.MIN_CLUSTERS
        return
    assert 0 <= found.low <= found.high <= 1
    assert 0 < found.p_value <= 1


def test_an_interval_excludes_neutral_when_its_test_rejects(made):
    rng = np.random.default_rng(8)
    weights = resample_weights(20, 1999, 2)
    agree = 0
    for _ in range(60):
        n = rng.integers(5, 30, (20, 1)).astype(float)
        s = rng.binomial(n.astype(int), rng.beta(3, 2.2, (20, 1))).astype(float)
        counts = Counts(tuple(f"s{i:02}" for i in range(20)), ("g",), n, s)
        found = bootstrap.rates(counts, weights, Settings(resamples=1999))[0]
        if abs(found.p_value - 0.05) > 0.004:  # at the border the two count one resample differently
            agree += 1
            assert (found.p_value < 0.05) == (not found.low <= 0.5 <= found.high)
    assert agree > 50


def test_align_fills_what_is_missing_and_drops_what_is_not_listed(made):
    _, _, counts = made
    moved = align(counts, ["nobody", counts.clusters[2]])
    assert (moved.n[0] == 0).all()
    assert (moved.n[1] == counts.n[2]).all()
