"""Outcomes whose true bias is known, to see how often an interval holds it.

Stereotypes are the random draw: each has an effect of its own on the log-odds scale, shared by all its pairs.
Identities, templates and names are fixed, as they are in a benchmark. The truth of a group is then the
expectation over stereotypes, an integral over a normal distribution that Gauss-Hermite quadrature gives to
many digits, with no simulation in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from winoqueer_nl.statistics import bootstrap, paired
from winoqueer_nl.statistics.bootstrap import Estimate, Settings
from winoqueer_nl.statistics.clusters import Array, Counts, resample_weights

QUADRATURE_POINTS = 80


@dataclass(frozen=True)
class Design:
    """How a simulated set is made.

    name: for tables. members: (K, G) whole numbers, how many copies of all cells stereotype k has for
    identity g, 0 for none. base: (G,) log-odds of the identities. spread: standard deviation of the
    stereotypes' effect on the log-odds. cells: log-odds effects of a stereotype's sentence frames (templates,
    names), one pair each.
    """

    name: str
    members: Array
    base: Array
    spread: float
    cells: Array


def designs(seed: int = 7) -> tuple[Design, Design, Design]:
    """Three designs: the benchmark's shape, a single small identity, and biases near 100."""
    rng = np.random.Generator(np.random.PCG64(seed))
    members = (rng.random((150, 9)) < np.array([0.25, 0.22, 0.18, 0.24, 0.3, 0.15, 0.15, 0.1, 0.18])).astype(float)
    members[members.sum(1) == 0, 0] = 1.0
    members *= np.where(rng.random(150) < 0.2, 2.0, 1.0)[:, None]
    frames = np.concatenate([rng.normal(0, 0.5, 10), rng.normal(0.2, 0.3, 60)])
    base = np.array([0.3, -0.6, 1.2, 0.1, -0.5, 0.2, -0.1, 0.3, 1.5])
    few = rng.choice([1.0, 2.0, 4.0], (12, 1))
    near = rng.choice([1.0, 2.0], (40, 2))
    return (
        Design("like the benchmark: 150 stereotypes, 9 identities", members, base, 1.0, frames),
        Design("one identity with 12 stereotypes of unequal size", few, np.array([0.4]), 1.2, frames),
        Design("two identities with 40 stereotypes, bias near 90", near, np.array([2.4, 2.9]), 1.4, frames),
    )


def truth(design: Design) -> Array:
    """The true bias of each identity: (G,) fractions."""
    points, weights = map(np.asarray, np.polynomial.hermite_e.hermegauss(QUADRATURE_POINTS))
    weights = weights / weights.sum()
    eta: Array = design.base[:, None, None] + design.cells[None, :, None] + design.spread * points[None, None, :]
    return (1 / (1 + np.exp(-eta)) * weights).sum(-1).mean(-1)


def draw(design: Design, rng: np.random.Generator) -> Counts:
    """One simulated set: fresh stereotypes, with the identities and the size of one of the design's each."""
    clusters, groups = design.members.shape
    members = design.members[rng.integers(0, clusters, size=clusters)]
    effects = rng.normal(0.0, design.spread, size=(clusters,))
    n, s = members * len(design.cells), np.zeros((clusters, groups))
    for cell in design.cells:
        probability = 1 / (1 + np.exp(-(design.base[None, :] + cell + effects[:, None])))
        s += rng.binomial(members.astype(np.int64), probability)
    names = tuple(f"s{k:03}" for k in range(clusters)), tuple(f"g{g}" for g in range(groups))
    return Counts(*names, n, s)


def coverage(design: Design, replicates: int, settings: Settings) -> pd.DataFrame:
    """How often cluster and naive intervals hold the truth.

    Returns
    -------
    One row per quantity (usage_weighted, identity_averaged and identity_gap where there are several
    identities, each identity): truth, cluster_coverage, naive_coverage (percent of the replicates),
    cluster_width, naive_width (median, percentage points).
    """
    true = truth(design)
    sizes = design.members.sum(0)
    wanted = {"usage_weighted": float(np.sum(true * sizes) / sizes.sum())}
    if len(true) > 1:
        wanted |= {"identity_averaged": float(true.mean()), "identity_gap": float(np.ptp(true))}
    wanted |= {f"identity {g}": float(value) for g, value in enumerate(true)}
    rng = np.random.Generator(np.random.PCG64(settings.seed))
    held: dict[str, list[tuple[bool, bool, float, float]]] = {name: [] for name in wanted}
    for replicate in range(replicates):
        counts = draw(design, rng)
        for name, (estimate, naive) in _estimates(counts, replace(settings, seed=replicate)).items():
            value = wanted[name]
            held[name].append(
                (
                    estimate.low <= value <= estimate.high,
                    naive[0] <= value <= naive[1],
                    estimate.high - estimate.low,
                    naive[1] - naive[0],
                )
            )
    rows = []
    for name, values in held.items():
        array = np.array(values, np.float64)
        rows.append(
            {
                "design": design.name,
                "quantity": name,
                "truth": 100 * wanted[name],
                "cluster_coverage": 100 * array[:, 0].mean(),
                "naive_coverage": 100 * array[:, 1].mean() if not np.isnan(array[:, 3]).all() else np.nan,
                "cluster_width": 100 * float(np.nanmedian(array[:, 2])),
                "naive_width": 100 * float(np.median(array[:, 3])),
            }
        )
    return pd.DataFrame(rows)


def change_coverage(
    stereotypes: int, share: float, replicates: int, settings: Settings, shift: float = 0.5, size: int = 40
) -> dict[str, float]:
    """How often the interval of a difference between two editions holds the truth, where few stereotypes change.

    Every stereotype has ``size`` pairs in both editions and log-odds from a standard normal distribution. A
    stereotype changes with probability ``share``: its pairs are then decided anew, at log-odds higher by
    ``shift``; all others keep their decisions.

    Returns
    -------
    truth (points), with_interval (percent of the replicates), coverage (percent of those with an interval).
    """
    points, weight = map(np.asarray, np.polynomial.hermite_e.hermegauss(QUADRATURE_POINTS))
    moved = 1 / (1 + np.exp(-points - shift)) - 1 / (1 + np.exp(-points))
    true = share * float(np.sum(moved * weight) / weight.sum())
    rng = np.random.Generator(np.random.PCG64(settings.seed))
    names = tuple(f"s{k:03}" for k in range(stereotypes))
    held = []
    for replicate in range(replicates):
        odds = rng.normal(size=stereotypes)
        before = rng.binomial(size, 1 / (1 + np.exp(-odds)))
        anew = rng.binomial(size, 1 / (1 + np.exp(-odds - shift)))
        after = np.where(rng.random(stereotypes) < share, anew, before)
        s = np.stack([after, before], axis=1).astype(np.float64)
        counts = Counts(names, ("after", "before"), np.full(s.shape, float(size)), s)
        weights = resample_weights(stereotypes, settings.resamples, replicate)
        one = paired.difference(counts, bootstrap.mean_of(1), weights, settings)
        if one.method == "cluster_bootstrap_t":
            held.append(one.low <= true <= one.high)
    coverage = 100 * float(np.mean(held)) if held else float("nan")
    return {"truth": 100 * true, "with_interval": 100 * len(held) / replicates, "coverage": coverage}


def _estimates(counts: Counts, settings: Settings) -> dict[str, tuple[Estimate, tuple[float, float]]]:
    weights = resample_weights(len(counts.clusters), settings.resamples, settings.seed)
    whole = Counts(counts.clusters, ("all",), counts.n.sum(1, keepdims=True), counts.s.sum(1, keepdims=True))
    size = len(counts.groups)
    found = {"usage_weighted": (bootstrap.rates(whole, weights, settings)[0], _naive(whole, 0, settings))}
    if size > 1:
        rate, n = counts.s.sum(0) / counts.n.sum(0), counts.n.sum(0)
        averaged = bootstrap.combination(counts, bootstrap.mean_of(size), weights, settings, share=True)
        reach = bootstrap.normal_quantile(settings.confidence) * np.sqrt(np.sum(rate * (1 - rate) / n)) / size
        found["identity_averaged"] = (averaged, (averaged.value - reach, averaged.value + reach))
        gap = bootstrap.widest_gap(counts, weights, settings)
        found["identity_gap"] = (gap, (float("nan"), float("nan")))
    for g, estimate in enumerate(bootstrap.rates(counts, weights, settings)):
        found[f"identity {g}"] = (estimate, _naive(counts, g, settings))
    return found


def _naive(counts: Counts, group: int, settings: Settings) -> tuple[float, float]:
    return bootstrap.naive_interval(
        float(counts.s[:, group].sum()), float(counts.n[:, group].sum()), settings.confidence
    )
