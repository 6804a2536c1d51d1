"""Intervals and tests from resampled stereotypes: the studentised cluster bootstrap.

Percentile intervals are too short for groups of a dozen stereotypes or for a bias near 100. The studentised
bootstrap (Davison and Hinkley 1997, section 5.2) divides each resample's deviation by that resample's own
cluster-robust standard error; for a share this is done on the log-odds scale, so that an interval stays
within 0 and 100. All of it comes from counts per stereotype by matrix products (:mod:`clusters`).

Inside this module rates are fractions between 0 and 1; percent begins at the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from winoqueer_nl.statistics.clusters import Array, Counts

# Below this many stereotypes a group gets no interval; below the second it is marked as a rough one.
MIN_CLUSTERS = 5
FEW_CLUSTERS = 20
# A resample whose rate is exactly 0 or 1, or whose standard error is 0, has no studentised deviation. Where
# that happens to more than half of them the bootstrap has nothing to say about the tails.
LEAST_USABLE = 0.5
# Standard errors (fractions) below this are rounding, not variation: one pair among millions makes more.
LEAST_ERROR = 1e-7
NAN = float("nan")


@dataclass(frozen=True)
class Settings:
    """How intervals are made: resamples, seed, confidence (fraction), fewest stereotypes for an interval."""

    resamples: int = 2000
    seed: int = 1
    confidence: float = 0.95
    min_clusters: int = MIN_CLUSTERS


@dataclass(frozen=True)
class Estimate:
    """One estimate with its interval; rates and differences of rates are fractions, NaN is *not available*.

    method: ``cluster_bootstrap_t``; ``cluster_bootstrap_t_simultaneous`` (the identity gap);
    ``wilson_clusters`` (all stereotypes alike, or too few usable resamples:
    Wilson interval with each stereotype as one observation); ``no_variation`` (a difference that no
    stereotype departs from); ``too_few_stereotypes`` (no interval); ``empty`` (no pairs).
    p_value: two-sided, of the hypothesis that the rate is 0.5 or the difference 0.
    """

    value: float = NAN
    standard_error: float = NAN
    low: float = NAN
    high: float = NAN
    p_value: float = NAN
    n_clusters: int = 0
    method: str = "empty"


Contrast = Callable[[Array], Array]
"""Rates (..., G) to coefficients (..., G) whose sum of products with the rates is the quantity wanted."""


def fixed(coefficients: ArrayLike) -> Contrast:
    """The contrast with the same coefficients whatever the rates: a mean, or a difference."""
    row = np.asarray(coefficients, np.float64)
    return lambda rates: np.broadcast_to(row, rates.shape)


def mean_of(size: int) -> Contrast:
    """The contrast of the plain mean of all ``size`` groups."""
    return fixed(np.full(size, 1.0 / size))


def gap(rates: Array) -> Array:
    """The contrast of the highest minus the lowest rate; which two these are is decided in every resample."""
    coefficients = np.zeros(rates.shape)
    high = np.argmax(np.where(np.isnan(rates), -np.inf, rates), axis=-1)[..., None]
    low = np.argmin(np.where(np.isnan(rates), np.inf, rates), axis=-1)[..., None]
    np.put_along_axis(coefficients, high, 1.0, axis=-1)
    np.put_along_axis(coefficients, low, np.take_along_axis(coefficients, low, axis=-1) - 1.0, axis=-1)  # 0 if alike
    return coefficients


def difference_of(first: Contrast, second: Contrast, size: int) -> Contrast:
    """The contrast *first minus second*: ``first`` takes the first ``size`` groups, ``second`` the others."""
    return lambda rates: np.concatenate([first(rates[..., :size]), -second(rates[..., size:])], axis=-1)


def naive_interval(successes: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's (1927) interval for a share, as though pairs were independent; NaN for n = 0. Fractions."""
    if n <= 0:
        return NAN, NAN
    low, high = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
    return float(low), float(high)


def normal_quantile(confidence: float) -> float:
    """The two-sided standard normal quantile: 1.96 for 0.95."""
    return float(stats.norm.ppf((1 + confidence) / 2))


def small_sample_factor(n_clusters: int) -> float:
    """K / (K - 1), the factor that makes the cluster-robust variance of a mean unbiased (CR1)."""
    return n_clusters / (n_clusters - 1) if n_clusters > 1 else NAN


def rate_standard_error(n: Array, s: Array) -> float:
    """Cluster-robust (CR1) standard error of sum(s) / sum(n) by linearisation; NaN for fewer than 2 clusters.

    n, s: one count per cluster; clusters without pairs are left out. Equals the clustered standard error of a
    least-squares mean. Source: Cochran (1977), chapter 9A.
    """
    n, s = n[n > 0], s[n > 0]
    if len(n) < 2:
        return NAN
    residual = s - s.sum() / n.sum() * n
    return float(np.sqrt(small_sample_factor(len(n)) * np.sum(residual**2)) / n.sum())


def rates(counts: Counts, weights: Array, settings: Settings) -> list[Estimate]:
    """The rate of every group with its interval and its test against one half.

    Parameters
    ----------
    counts: K clusters, G groups.
    weights: (B, K) from :func:`~winoqueer_nl.statistics.clusters.resample_weights`.

    Returns
    -------
    One :class:`Estimate` per group, in the order of ``counts.groups``.
    """
    n, s = counts.n, counts.s
    total, hits = weights @ n, weights @ s
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = hits / total
        squares = weights @ (s * s) - 2 * rate * (weights @ (s * n)) + rate**2 * (weights @ (n * n))
        error = np.sqrt(np.maximum(squares, 0.0)) / total
    found = []
    for g in range(len(counts.groups)):
        k = int(np.count_nonzero(n[:, g]))
        if k == 0:
            found.append(Estimate())
            continue
        value = float(s[:, g].sum() / n[:, g].sum())
        own = rate_standard_error(n[:, g], s[:, g])
        if k < settings.min_clusters:
            found.append(Estimate(value, n_clusters=k, method="too_few_stereotypes"))
            continue
        scaled = error[:, g] * np.sqrt(small_sample_factor(k))
        found.append(_rate_interval(value, own, rate[:, g], scaled, k, settings))
    return found


def combination(counts: Counts, contrast: Contrast, weights: Array, settings: Settings, share: bool) -> Estimate:
    """A combination of the groups' rates: their mean, a difference, a difference of gaps.

    Parameters
    ----------
    counts: K clusters, G groups; every group must have pairs.
    contrast: gives the coefficients; those of the full set decide which groups count for the rule of few
        clusters.
    share: whether the quantity lies between 0 and 1 (log-odds scale, tested against 1/2) or is a difference
        (its own scale, kept within -1 and 1, tested against 0).
    """
    rate, own_covariance = _rates_and_covariance(counts)
    coefficients = contrast(rate)
    value = float(np.sum(coefficients * rate))
    used = np.flatnonzero(coefficients)
    k = _clusters_of(counts, used)
    if _fewest(counts, used) < settings.min_clusters:
        return Estimate(value, n_clusters=k, method="too_few_stereotypes")
    factor = small_sample_factor(k)
    own = _root(factor * _quadratic(coefficients, own_covariance))
    rate_b, covariance_b = resampled(counts, weights)
    coefficients_b = contrast(rate_b)
    value_b = np.sum(coefficients_b * rate_b, axis=1)
    error_b = np.sqrt(np.maximum(factor * _quadratic(coefficients_b, covariance_b), 0.0))
    if share:
        return _rate_interval(value, own, value_b, error_b, k, settings)
    return _difference_interval(value, own, value_b, error_b, k, len(weights), settings)


def widest_gap(counts: Counts, weights: Array, settings: Settings) -> Estimate:
    """Highest minus lowest rate, with an interval that allows for having looked for the extremes.

    The observed gap is too wide on average, because chance helps to choose the two identities. So the lower
    limit is the highest of the *simultaneous* lower limits of all differences between two identities (the
    studentised maximum over them), and the upper limit the highest of their single upper limits. The interval
    holds the true gap at least as often as it says, and starts at 0 where the identities may all be alike.
    Source of the simultaneous limits: Davison and Hinkley (1997), section 4.2.4; Westfall and Young (1993).
    """
    rate, own_covariance = _rates_and_covariance(counts)
    value = float(np.ptp(rate))
    every = np.arange(len(rate))
    k = _clusters_of(counts, every)
    if len(rate) < 2 or _fewest(counts, every) < settings.min_clusters:
        return Estimate(value, n_clusters=k, method="too_few_stereotypes")
    first, second = np.nonzero(~np.eye(len(rate), dtype=bool))
    factor = small_sample_factor(k)

    def errors(covariance: Array) -> Array:
        variance = covariance[..., first, first] + covariance[..., second, second] - 2 * covariance[..., first, second]
        return np.sqrt(np.maximum(factor * variance, 0.0))

    difference, error = rate[first] - rate[second], errors(own_covariance)
    rate_b, covariance_b = resampled(counts, weights)
    error_b = errors(covariance_b)
    varies = error > LEAST_ERROR
    usable = (error_b[:, varies] > LEAST_ERROR).all(axis=1)
    top = int(np.argmax(difference))
    if not varies.any() or usable.sum() < LEAST_USABLE * len(weights):
        return Estimate(value, float(error[top]), n_clusters=k, method="too_few_stereotypes")
    deviation = (rate_b[usable][:, first] - rate_b[usable][:, second] - difference)[:, varies]
    deviation = deviation / error_b[usable][:, varies]
    tail = (1 - settings.confidence) / 2
    lower = difference[varies] - np.quantile(deviation.max(axis=1), 1 - tail) * error[varies]
    upper = difference[varies] - np.quantile(deviation, tail, axis=0) * error[varies]
    low, high = max(float(lower.max()), 0.0), min(float(upper.max()), 1.0)
    return Estimate(value, float(error[top]), low, high, NAN, k, "cluster_bootstrap_t_simultaneous")


def resampled(counts: Counts, weights: Array) -> tuple[Array, Array]:
    """Every resample's rates (B, G) and their linearised covariances (B, G, G), without K / (K - 1).

    A resample that missed a group says nothing about a combination of groups and is left out.
    Moments are sums of products of whole numbers, so they are exact.
    """
    n, s = counts.n, counts.s
    k, g = n.shape
    total, hits = weights @ n, weights @ s
    whole = (total > 0).all(axis=1)
    weights, total, hits = weights[whole], total[whole], hits[whole]
    rate = hits / total
    products = [(a[:, :, None] * b[:, None, :]).reshape(k, g * g) for a, b in ((s, s), (s, n), (n, n))]
    ss, sn, nn = ((weights @ product).reshape(-1, g, g) for product in products)
    rows, columns = rate[:, :, None], rate[:, None, :]
    moments = ss - sn * columns - sn.transpose(0, 2, 1) * rows + nn * rows * columns
    return rate, moments / (total[:, :, None] * total[:, None, :])


def _rates_and_covariance(counts: Counts) -> tuple[Array, Array]:
    rate, covariance = resampled(counts, np.ones((1, len(counts.clusters))))
    if not len(rate):
        raise ValueError("a group without pairs has no rate to combine")
    return rate[0], covariance[0]


def _quadratic(coefficients: Array, covariance: Array) -> Array:
    """c' V c, for one vector or for every resample's own."""
    return (coefficients[..., :, None] * covariance * coefficients[..., None, :]).sum(axis=(-2, -1))


def _root(value: Array | float) -> float:
    return float(np.sqrt(max(float(value), 0.0)))


def _clusters_of(counts: Counts, groups: NDArray[np.intp]) -> int:
    return int(np.count_nonzero(counts.n[:, groups].sum(1))) if len(groups) else len(counts.clusters)


def _fewest(counts: Counts, groups: NDArray[np.intp]) -> int:
    return min((int(np.count_nonzero(counts.n[:, g])) for g in groups), default=len(counts.clusters))


def _rate_interval(value: float, own: float, rate_b: Array, error_b: Array, k: int, settings: Settings) -> Estimate:
    inside = (rate_b > 0) & (rate_b < 1) & (error_b > LEAST_ERROR)
    if own <= LEAST_ERROR or not 0 < value < 1 or inside.sum() < LEAST_USABLE * settings.resamples:
        low, high = naive_interval(value * k, k, settings.confidence)
        score = (value - 0.5) / np.sqrt(0.25 / k)
        return Estimate(value, own, low, high, float(2 * stats.norm.sf(abs(score))), k, "wilson_clusters")
    rate_b, error_b = rate_b[inside], error_b[inside]
    centre, spread = np.log(value / (1 - value)), own / (value * (1 - value))
    deviations = (np.log(rate_b / (1 - rate_b)) - centre) / (error_b / (rate_b * (1 - rate_b)))
    low, high, p_value = _invert(centre, spread, deviations, settings.confidence)
    return Estimate(
        value,
        own,
        float(1 / (1 + np.exp(-low))),
        float(1 / (1 + np.exp(-high))),
        p_value,
        k,
        "cluster_bootstrap_t",
    )


def _difference_interval(
    value: float, own: float, value_b: Array, error_b: Array, k: int, resamples: int, settings: Settings
) -> Estimate:
    usable = error_b > LEAST_ERROR
    if own <= LEAST_ERROR:
        value = 0.0 if abs(value) <= LEAST_ERROR else value  # sums in another order may leave 1e-17
        return Estimate(value, own, value, value, NAN if value else 1.0, k, "no_variation")
    if usable.sum() < LEAST_USABLE * resamples:
        return Estimate(value, n_clusters=k, method="too_few_stereotypes")
    deviations = (value_b[usable] - value) / error_b[usable]
    low, high, p_value = _invert(value, own, deviations, settings.confidence)
    return Estimate(value, own, max(low, -1.0), min(high, 1.0), p_value, k, "cluster_bootstrap_t")


def _invert(
    centre: float, spread: float, deviations: NDArray[np.float64], confidence: float
) -> tuple[float, float, float]:
    """Interval of the studentised deviations, and the p value that the same deviations give for 0.

    The p value counts the observed deviation among the resampled ones, so it is never below 2 / (B + 1)
    (Davison and Hinkley 1997, section 4.2.3).
    """
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(deviations, [tail, 1 - tail])
    observed = centre / spread
    above = (np.count_nonzero(deviations >= observed) + 1) / (len(deviations) + 1)
    below = (np.count_nonzero(deviations <= observed) + 1) / (len(deviations) + 1)
    return (
        float(centre - upper * spread),
        float(centre - lower * spread),
        float(min(1.0, 2 * min(above, below))),
    )


def design_effect(standard_error: float, rate: float, n_pairs: float) -> float:
    """How many times the variance exceeds that of as many independent pairs (Kish 1965, section 8.2).

    NaN where no pairs, or a rate of exactly 0 or 1, leaves nothing to compare with.
    """
    if not n_pairs or not 0 < rate < 1:
        return NAN
    return float(standard_error**2 / (rate * (1 - rate) / n_pairs))


def effective_n(n_pairs: float, effect: float) -> float:
    """The number of independent pairs that would be as informative: n / design effect; NaN without one."""
    return float(n_pairs / effect) if effect > 0 else NAN
