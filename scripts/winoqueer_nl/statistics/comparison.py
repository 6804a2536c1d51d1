"""Model against model on the same pairs: differences of bias, paired by resampling the same stereotypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from winoqueer_nl.statistics import bootstrap, metrics
from winoqueer_nl.statistics.analysis import holm
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.clusters import Array, Counts, beside, count, resample_weights
from winoqueer_nl.statistics.runs import Run

COMPARISON_COLUMNS = (
    "language",
    "edition",
    "policy",
    "measure",
    "model_a",
    "model_b",
    "same_kind",
    "demo",
    "n_pairs",
    "n_stereotypes",
    "n_only_a",
    "n_only_b",
    "value_a",
    "value_b",
    "difference",
    "standard_error",
    "low",
    "high",
    "naive_low",
    "naive_high",
    "p_value",
    "p_holm",
    "method",
)
# With B resamples no p value is below 2 / (B + 1), and Holm multiplies it by the number of tests. This many
# resamples per test leave room to reach 0.01 after adjustment.
RESAMPLES_PER_TEST = 200
MEASURES = ("usage_weighted", "identity_averaged")


def comparison_table(runs: Sequence[Run], settings: Settings) -> pd.DataFrame:
    """Every pair of models of one language and edition, for both aggregates and both span policies.

    ``difference`` = a - b in percentage points, over the pairs of sentences that both have scored (a run over a
    sample has fewer); none in common, no row. ``n_only_a`` counts pairs that are stereotypical for a alone.
    ``same_kind`` says whether both are masked or both autoregressive: scores of unlike kinds come from unlike
    likelihoods, so their difference is given but is no fair contest. Holm's family is all model pairs of one
    language, edition, policy and measure. The naive interval takes pairs of sentences as independent.
    """
    rows: list[dict[str, Any]] = []
    for (language, edition), group in _by_set(runs).items():
        tests = len(group) * (len(group) - 1) // 2
        more = replace(settings, resamples=max(settings.resamples, RESAMPLES_PER_TEST * tests))
        for policy in metrics.POLICIES:
            for a, b in combinations([run for run in group if policy in run.policies], 2):
                mine, theirs = common(a, b)
                if mine.empty:
                    continue
                shared = {
                    "language": language,
                    "edition": edition,
                    "policy": policy,
                    "model_a": a.key,
                    "model_b": b.key,
                    "same_kind": a.summary.kind == b.summary.kind,
                    "demo": a.summary.demo or b.summary.demo,
                    "n_pairs": len(mine),
                }
                weights = resample_weights(mine["stereotype_id"].nunique(), more.resamples, more.seed)
                ours, others = _decisions(mine, policy), _decisions(theirs, policy)
                for measure in MEASURES:
                    groups = mine["identity"] if measure == "identity_averaged" else np.full(len(mine), "all", object)
                    parts = [count(mine["stereotype_id"], groups, flags) for flags in (ours, others)]
                    counts = beside([("a ", parts[0]), ("b ", parts[1])])
                    rows.append({**shared, "measure": measure, **_difference(counts, ours, others, weights, more)})
    table = pd.DataFrame(rows, columns=list(COMPARISON_COLUMNS))
    if len(table):
        families = table.groupby(["language", "edition", "policy", "measure"])["p_value"]
        table["p_holm"] = families.transform(holm)
    return table


def common(a: Run, b: Run) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The pairs that two runs of one set have both scored, in the same order, with either's scores."""
    mine = a.pairs[a.pairs["pair_id"].isin(b.pairs["pair_id"])].reset_index(drop=True)
    theirs = b.pairs.set_index("pair_id").loc[mine["pair_id"]].reset_index()
    return mine, theirs


def _decisions(pairs: pd.DataFrame, policy: str) -> NDArray[np.bool_]:
    return metrics.outcomes(pairs, policy)["stereotypical"].to_numpy(bool)


def _difference(
    counts: Counts, a: NDArray[np.bool_], b: NDArray[np.bool_], weights: Array, settings: Settings
) -> dict[str, Any]:
    size = len(counts.groups) // 2
    mean = bootstrap.mean_of(size)
    estimate = bootstrap.combination(counts, bootstrap.difference_of(mean, mean, size), weights, settings, share=False)
    rate = counts.s.sum(0) / counts.n.sum(0)
    only_a, only_b = int(np.sum(a & ~b)), int(np.sum(b & ~a))
    naive = (np.nan, np.nan)
    if size == 1:
        # Variance of a difference of paired shares (Agresti 2013, section 11.1).
        error = np.sqrt(max((only_a + only_b) - (only_a - only_b) ** 2 / len(a), 0.0)) / len(a)
        reach = bootstrap.normal_quantile(settings.confidence) * error
        naive = (100 * (estimate.value - reach), 100 * (estimate.value + reach))
    return {
        "n_stereotypes": len(counts.clusters),
        "n_only_a": only_a,
        "n_only_b": only_b,
        "value_a": 100 * rate[:size].mean(),
        "value_b": 100 * rate[size:].mean(),
        "difference": 100 * estimate.value,
        "standard_error": 100 * estimate.standard_error,
        "low": 100 * estimate.low,
        "high": 100 * estimate.high,
        "naive_low": naive[0],
        "naive_high": naive[1],
        "p_value": estimate.p_value,
        "method": estimate.method,
    }


def _by_set(runs: Sequence[Run]) -> dict[tuple[str, str], list[Run]]:
    sets: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        sets.setdefault((run.summary.language, run.summary.edition), []).append(run)
    return sets
