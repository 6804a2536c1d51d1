"""All figures of one run: every subset, span policy and grouping, with intervals, tests and design effects.

One row is one figure. Tidy on purpose: what the report, the paper's tables or somebody's own script wants is
a filter of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from winoqueer_nl.statistics import bootstrap, metrics, subsets
from winoqueer_nl.statistics.bootstrap import Estimate, Settings
from winoqueer_nl.statistics.clusters import Array, Counts, count, resample_weights
from winoqueer_nl.statistics.runs import Run, identities

RUN_COLUMNS = ("model", "kind", "precision", "language", "edition", "demo")
METRIC_COLUMNS = (
    *RUN_COLUMNS,
    "policy",
    "subset",
    "dimension",
    "group",
    "n_pairs",
    "n_stereotypes",
    "n_identities",
    "n_stereotypical",
    "n_ties",
    "value",
    "value_half_ties",
    "mean_difference",
    "standard_error",
    "low",
    "high",
    "naive_low",
    "naive_high",
    "design_effect",
    "effective_n",
    "p_value",
    "p_holm",
    "method",
)
STEREOTYPE_COLUMNS = (
    *RUN_COLUMNS,
    "policy",
    "stereotype_id",
    "tier",
    "harmfulness_mean",
    "n_pairs",
    "n_stereotypical",
    "n_ties",
    "bias",
    "bias_half",
    "mean_difference",
)
# Grouping column of the pairs, and what the tables call the dimension.
DIMENSIONS = {
    "identity": "identity",
    "template_id": "template",
    "name_gender": "name_gender",
    "counter_identity": "counter_identity",
}
NO_NAME = "group"  # the subject of pairs about a group has no name, so no name gender


def about(run: Run) -> dict[str, Any]:
    """The columns that say which run a row is of."""
    summary = run.summary
    return {
        "model": run.key,
        "kind": summary.kind,
        "precision": summary.precision,
        "language": summary.language,
        "edition": summary.edition,
        "demo": summary.demo,
    }


def holm(p_values: pd.Series) -> pd.Series:
    """Holm's (1979) step-down adjustment over those that are given; NaN stays NaN and is no test.

    Equal to statsmodels' ``multipletests``, which empties Python's memory at every call and so takes a
    hundred times as long.
    """
    given = p_values[p_values.notna()].sort_values(kind="stable").astype(float)
    factors = np.arange(len(given), 0, -1)
    stepped = np.minimum(np.maximum.accumulate(given.to_numpy() * factors), 1.0)
    return pd.Series(stepped, index=given.index).reindex(p_values.index)


def metrics_table(run: Run, settings: Settings) -> pd.DataFrame:
    """All figures of a run; columns :data:`METRIC_COLUMNS`, percent and percentage points throughout.

    ``dimension`` is ``aggregate`` (``usage_weighted``, ``identity_averaged``, ``identity_gap``),
    ``identity``, ``template``, ``name_gender`` or ``counter_identity``. A subset
    that the set does not have (tiers without a survey) gives no rows; a group of the set without pairs in a
    subset gives a row with n_pairs 0.
    ``p_value`` and ``p_holm`` (family: the identities of this run, policy and subset) test against 50.
    """
    parts = []
    for subset in subsets.SUBSETS:
        rows = subsets.mask(run.pairs, subset.key)
        if not rows.any():
            continue
        for policy in run.policies:
            part = pd.DataFrame(_figures(run.pairs, run.pairs[rows], policy, settings, DIMENSIONS))
            part.insert(0, "subset", subset.key)
            part.insert(0, "policy", policy)
            tests = part["dimension"] == "identity"
            part["p_holm"] = np.nan
            part.loc[tests, "p_holm"] = holm(part.loc[tests, "p_value"])
            parts.append(part)
    table = pd.concat(parts, ignore_index=True).assign(**about(run))
    return table[list(METRIC_COLUMNS)]


def stereotypes_table(run: Run) -> pd.DataFrame:
    """One row per policy and stereotype; columns :data:`STEREOTYPE_COLUMNS`."""
    first = run.pairs.groupby("stereotype_id")[["tier", "harmfulness_mean"]].first()
    parts = []
    for policy in run.policies:
        table = metrics.tally(run.pairs, metrics.outcomes(run.pairs, policy), "stereotype_id")
        table = table.join(first).rename_axis("stereotype_id").reset_index()
        parts.append(table.assign(policy=policy, **about(run)))
    return pd.concat(parts, ignore_index=True)[list(STEREOTYPE_COLUMNS)]


def main_figures(pairs: pd.DataFrame, policy: str, settings: Settings) -> Iterator[dict[str, Any]]:
    """The aggregates and the identities alone, of pairs with scores under one span policy."""
    return _figures(pairs, pairs, policy, settings, {"identity": "identity"})


def _figures(
    whole: pd.DataFrame, pairs: pd.DataFrame, policy: str, settings: Settings, dimensions: dict[str, str]
) -> Iterator[dict[str, Any]]:
    outcome = metrics.outcomes(pairs, policy)
    everything = pairs.assign(whole="usage_weighted")
    weights = resample_weights(pairs["stereotype_id"].nunique(), settings.resamples, settings.seed)
    yield from _groups(everything, outcome, "whole", "aggregate", ["usage_weighted"], weights, settings)
    counts = count(pairs["stereotype_id"], pairs["identity"], outcome["stereotypical"])
    ties = metrics.tally(pairs, outcome, "identity")
    yield from _over_identities(counts, ties, weights, settings)
    for column, dimension in dimensions.items():
        values = whole[column].fillna(NO_NAME) if column == "name_gender" else whole[column]
        order = identities(whole) if column == "identity" else sorted(values.unique(), key=_natural)
        yield from _groups(pairs.fillna({"name_gender": NO_NAME}), outcome, column, dimension, order, weights, settings)


def _groups(
    pairs: pd.DataFrame,
    outcome: pd.DataFrame,
    column: str,
    dimension: str,
    order: list[str],
    weights: Array,
    settings: Settings,
) -> Iterator[dict[str, Any]]:
    counts = count(pairs["stereotype_id"], pairs[column], outcome["stereotypical"])
    found = dict(zip(counts.groups, bootstrap.rates(counts, weights, settings), strict=True))
    table = metrics.with_empty_groups(metrics.tally(pairs, outcome, column), order)
    for group, row in table.iterrows():
        estimate = found.get(str(group), Estimate())
        low, high = bootstrap.naive_interval(row["n_stereotypical"], row["n_pairs"], settings.confidence)
        effect = bootstrap.design_effect(estimate.standard_error, estimate.value, row["n_pairs"])
        yield {
            "dimension": dimension,
            "group": group,
            "n_pairs": int(row["n_pairs"]),
            "n_stereotypes": int(row["n_stereotypes"]),
            "n_identities": None,
            "n_stereotypical": int(row["n_stereotypical"]),
            "n_ties": int(row["n_ties"]),
            "value": row["bias"],
            "value_half_ties": row["bias_half"],
            "mean_difference": row["mean_difference"],
            "naive_low": 100 * low,
            "naive_high": 100 * high,
            "design_effect": effect,
            "effective_n": bootstrap.effective_n(row["n_pairs"], effect),
            **_percent(estimate),
        }


def _over_identities(
    counts: Counts, tallied: pd.DataFrame, weights: Array, settings: Settings
) -> Iterator[dict[str, Any]]:
    per_identity = tallied.loc[list(counts.groups)]
    n, s = counts.n.sum(0), counts.s.sum(0)
    rate = s / n
    spread = np.sqrt(np.sum(rate * (1 - rate) / n)) / len(n)
    averaged = bootstrap.combination(counts, bootstrap.mean_of(len(n)), weights, settings, share=True)
    reach = bootstrap.normal_quantile(settings.confidence) * spread
    shared = {
        "dimension": "aggregate",
        "n_pairs": int(n.sum()),
        "n_stereotypes": len(counts.clusters),
        "n_identities": len(n),
        "n_stereotypical": int(s.sum()),
        "n_ties": int(per_identity["n_ties"].sum()),
        "effective_n": np.nan,
    }
    yield {
        **shared,
        "group": "identity_averaged",
        "value": metrics.identity_averaged(per_identity["bias"]),
        "value_half_ties": metrics.identity_averaged(per_identity["bias_half"]),
        "mean_difference": per_identity["mean_difference"].mean(),
        "naive_low": 100 * (averaged.value - reach),
        "naive_high": 100 * (averaged.value + reach),
        "design_effect": (averaged.standard_error / spread) ** 2 if spread > 0 else np.nan,
        **_percent(averaged),
    }
    widest = bootstrap.widest_gap(counts, weights, settings)
    yield {
        **shared,
        "group": "identity_gap",
        "value": metrics.identity_gap(per_identity["bias"]),
        "value_half_ties": metrics.identity_gap(per_identity["bias_half"]),
        "mean_difference": np.nan,
        "naive_low": np.nan,
        "naive_high": np.nan,
        "design_effect": np.nan,
        **_percent(widest),  # without a p value: a gap is never below 0
    }


def _percent(estimate: Estimate) -> dict[str, Any]:
    """An estimate's interval and test as table columns; the value itself comes from the metrics."""
    return {
        "standard_error": 100 * estimate.standard_error,
        "low": 100 * estimate.low,
        "high": 100 * estimate.high,
        "p_value": estimate.p_value,
        "method": estimate.method,
    }


def _natural(name: str) -> tuple[int, str]:
    """Sort key by which template 2 comes before 10, and 5n after 5."""
    digits = "".join(character for character in name if character.isdigit())
    return (int(digits), name) if digits and name[0].isdigit() else (0, name)
