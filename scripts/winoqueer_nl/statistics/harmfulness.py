"""Does a model prefer the stereotypes that people find most harmful? A correlation over stereotypes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from winoqueer_nl.statistics import metrics
from winoqueer_nl.statistics.analysis import RUN_COLUMNS, about
from winoqueer_nl.statistics.bootstrap import Settings, normal_quantile
from winoqueer_nl.statistics.clusters import Array
from winoqueer_nl.statistics.runs import Run

HARMFULNESS_COLUMNS = (
    *RUN_COLUMNS,
    "policy",
    "n_stereotypes",
    "pearson_r",
    "pearson_low",
    "pearson_high",
    "pearson_p",
    "r_squared",
    "spearman_rho",
    "spearman_low",
    "spearman_high",
    "spearman_p",
    "bootstrap_pearson_low",
    "bootstrap_pearson_high",
    "bootstrap_spearman_low",
    "bootstrap_spearman_high",
    "within_identity_r",
)
# Fisher's interval divides by the root of n - 3.
FEWEST = 4


def harmfulness_table(run: Run, settings: Settings) -> pd.DataFrame:
    """Pearson's and Spearman's correlation of bias and mean harmfulness; one row per span policy.

    Each stereotype with a harmfulness mean is one observation, whatever its number of pairs.
    ``within_identity_r`` is Pearson's r after each identity's own bias is taken off its pairs, because
    identities differ both in bias and in how harmful their stereotypes are. Empty when no stereotype of the
    set has a harmfulness.
    """
    rated = run.pairs["harmfulness_mean"].notna()
    if not rated.any():
        return pd.DataFrame(columns=list(HARMFULNESS_COLUMNS))
    pairs = run.pairs[rated]
    rows = []
    for policy in run.policies:
        outcome = metrics.outcomes(pairs, policy)
        flags = outcome["stereotypical"].astype(float)
        residual = flags - flags.groupby(pairs["identity"].to_numpy()).transform("mean")
        by = pairs["stereotype_id"].to_numpy()
        harm = pairs.groupby("stereotype_id")["harmfulness_mean"].first().to_numpy(np.float64)
        share = 100 * flags.groupby(by).mean().to_numpy()
        row = correlate(share, harm, settings)
        row["within_identity_r"] = correlation(residual.groupby(by).mean().to_numpy(), harm)
        rows.append({**about(run), "policy": policy, **row})
    return pd.DataFrame(rows, columns=list(HARMFULNESS_COLUMNS))


def correlation(x: Array, y: Array) -> float:
    """Pearson's r; NaN for fewer than 3 points or where either does not vary."""
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(stats.pearsonr(x, y).statistic)


def correlate(x: Array, y: Array, settings: Settings) -> dict[str, Any]:
    """Both correlations of two equally long arrays, with intervals.

    Intervals: Fisher's z for Pearson's r (Fisher 1921); for Spearman's rho the same with the standard error
    sqrt((1 + rho^2 / 2) / (n - 3)) of Bonett and Wright (2000); and percentile intervals from resampled
    points, which assume no distribution. All NaN for fewer than 4 points or where either does not vary.
    """
    n = len(x)
    row: dict[str, Any] = {"n_stereotypes": n}
    if n < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return row
    pearson, spearman = stats.pearsonr(x, y), stats.spearmanr(x, y)
    r, rho = float(pearson.statistic), float(spearman.statistic)
    low, high = pearson.confidence_interval(settings.confidence)
    reach = normal_quantile(settings.confidence) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    centre = np.arctanh(np.clip(rho, -1 + 1e-12, 1 - 1e-12))
    rng = np.random.Generator(np.random.PCG64(settings.seed))
    drawn = rng.integers(0, n, size=(settings.resamples, n))
    tail = (1 - settings.confidence) / 2
    resampled = _rowwise(x[drawn], y[drawn])
    ranked = _rowwise(stats.rankdata(x[drawn], axis=1), stats.rankdata(y[drawn], axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # every resample without variation: NaN is the answer
        limits = [np.nanquantile(values, [tail, 1 - tail]) for values in (resampled, ranked)]
    return {
        **row,
        "pearson_r": r,
        "pearson_low": float(low),
        "pearson_high": float(high),
        "pearson_p": float(pearson.pvalue),
        "r_squared": r**2,
        "spearman_rho": rho,
        "spearman_low": float(np.tanh(centre - reach)),
        "spearman_high": float(np.tanh(centre + reach)),
        "spearman_p": float(spearman.pvalue),
        "bootstrap_pearson_low": float(limits[0][0]),
        "bootstrap_pearson_high": float(limits[0][1]),
        "bootstrap_spearman_low": float(limits[1][0]),
        "bootstrap_spearman_high": float(limits[1][1]),
    }


def _rowwise(x: Array, y: Array) -> Array:
    """Pearson's r of each row of two (B, n) arrays; NaN where a row does not vary."""
    x = x - x.mean(1, keepdims=True)
    y = y - y.mean(1, keepdims=True)
    scale = np.sqrt((x**2).sum(1) * (y**2).sum(1))
    return np.divide((x * y).sum(1), scale, out=np.full(len(x), np.nan), where=scale > 0)
