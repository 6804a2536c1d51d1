"""One model on two sets that share stereotypes: differences of bias per identity, paired.

Two languages (:mod:`languages`) and two editions of one language (:mod:`editions`) are compared alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from winoqueer_nl.statistics import bootstrap, metrics
from winoqueer_nl.statistics.analysis import holm
from winoqueer_nl.statistics.bootstrap import Contrast, Estimate, Settings
from winoqueer_nl.statistics.clusters import Array, Counts, align, beside, count, resample_weights
from winoqueer_nl.statistics.runs import Run, identities

CELL = ["stereotype_id", "identity"]


def same_model(a: Run, b: Run) -> bool:
    """Whether two runs are of the same model, scored in the same way: equal key, name, revision and kind."""
    one, two = a.summary, b.summary
    return (a.key, one.model, one.revision, one.kind) == (b.key, two.model, two.revision, two.kind)


def described(a: Run, b: Run) -> dict[str, Any]:
    """The columns that say of which model a comparison is; a precision that differs is given as both."""
    one, two = a.summary, b.summary
    return {
        "model": a.key,
        "kind": one.kind,
        "precision": one.precision if one.precision == two.precision else f"{one.precision} / {two.precision}",
        "demo": one.demo or two.demo,
    }


def compare(a: Run, b: Run, settings: Settings) -> list[dict[str, Any]]:
    """The differences of bias between two runs, a - b in percentage points, for every span policy that both have.

    Only combinations of stereotype and identity that both runs have are counted. Resampling draws a stereotype
    with its pairs in both.

    Returns
    -------
    Per policy, rows of ``aggregate`` (usage_weighted, identity_averaged, identity_gap), then one per ``identity``:
    policy, dimension, group, n_stereotypes, n_pairs_a, n_pairs_b, value_a, value_b (percent), difference,
    standard_error, low, high (points), p_value, p_holm (family: the identities of a policy), method. No rows
    where nothing is shared. Where fewer stereotypes than an interval needs have another bias in b than in a, there is
    no interval and no p (``too_few_changes``): resamples of a handful of changes among many that are none claim too
    much.
    """
    rows: list[dict[str, Any]] = []
    for policy in (name for name in a.policies if name in b.policies):
        part = pd.DataFrame(_compared(a.pairs, b.pairs, policy, settings))
        if len(part):
            part["p_holm"] = np.nan
            tests = part["dimension"] == "identity"
            part.loc[tests, "p_holm"] = holm(part.loc[tests, "p_value"])
            rows.extend({"policy": policy, **row} for row in part.to_dict("records"))
    return rows


def difference(counts: Counts, contrast: Contrast, weights: Array, settings: Settings) -> Estimate:
    """The quantity ``contrast`` of the first half of the groups minus that of the second half: a fraction.

    weights: (B, K) from :func:`clusters.resample_weights`. Fewer stereotypes with another bias in one half than in
    the other than ``settings.min_clusters``: no interval (``too_few_changes``); with none at all ``no_variation``.
    """
    size = len(counts.groups) // 2
    pairwise = bootstrap.difference_of(contrast, contrast, size)
    estimate = bootstrap.combination(counts, pairwise, weights, settings, share=False)
    n_a, n_b, s_a, s_b = counts.n[:, :size], counts.n[:, size:], counts.s[:, :size], counts.s[:, size:]
    changed = np.count_nonzero((s_a * n_b != s_b * n_a).any(axis=1))
    if estimate.method == "cluster_bootstrap_t" and changed < settings.min_clusters:
        return Estimate(estimate.value, n_clusters=estimate.n_clusters, method="too_few_changes")
    return estimate


def _compared(a: pd.DataFrame, b: pd.DataFrame, policy: str, settings: Settings) -> list[dict[str, Any]]:
    both = a[CELL].drop_duplicates().merge(b[CELL].drop_duplicates(), on=CELL)
    if both.empty:
        return []
    order = [identity for identity in identities(a) if identity in set(both["identity"])]
    counted = []
    for pairs in (a, b):
        kept = pairs.merge(both, on=CELL, how="inner")
        stereotypical = metrics.outcomes(kept, policy)["stereotypical"]
        whole = count(kept["stereotype_id"], np.full(len(kept), "all", object), stereotypical)
        counted.append((whole, count(kept["stereotype_id"], kept["identity"], stereotypical).select(order)))
    clusters = sorted(set(both["stereotype_id"]))
    weights = resample_weights(len(clusters), settings.resamples, settings.seed)

    def estimated(parts: list[Counts], contrast: Contrast) -> tuple[Estimate, Array, Array]:
        counts = align(beside([("a ", parts[0]), ("b ", parts[1])]), clusters)
        size = len(parts[0].groups)
        n, s = counts.n.sum(0), counts.s.sum(0)
        values = [float(np.sum(contrast(r) * r)) for r in (s[:size] / n[:size], s[size:] / n[size:])]
        estimate = difference(counts, contrast, weights, settings)
        return estimate, np.array(values), np.array([n[:size].sum(), n[size:].sum()])

    wholes, per_identity = [part[0] for part in counted], [part[1] for part in counted]
    mean = bootstrap.mean_of(len(order))
    plan: list[tuple[str, str, list[Counts], Contrast]] = [
        ("aggregate", "usage_weighted", wholes, bootstrap.mean_of(1)),
        ("aggregate", "identity_averaged", per_identity, mean),
    ]
    if len(order) > 1:
        plan.append(("aggregate", "identity_gap", per_identity, bootstrap.gap))
    plan += [("identity", name, [part.select([name]) for part in per_identity], bootstrap.mean_of(1)) for name in order]
    rows = []
    for dimension, group, parts, contrast in plan:
        estimate, values, sizes = estimated(parts, contrast)
        rows.append(
            {
                "dimension": dimension,
                "group": group,
                "n_stereotypes": int(np.count_nonzero(parts[0].n.sum(1))),
                "n_pairs_a": int(sizes[0]),
                "n_pairs_b": int(sizes[1]),
                "value_a": 100 * values[0],
                "value_b": 100 * values[1],
                "difference": 100 * estimate.value,
                "standard_error": 100 * estimate.standard_error,
                "low": 100 * estimate.low,
                "high": 100 * estimate.high,
                "p_value": estimate.p_value,
                "method": estimate.method,
            }
        )
    return rows
