"""Model against model on the same pairs: differences of bias, paired by resampling the same stereotypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.statistics import bootstrap, metrics
from winoqueer_nl.statistics.analysis import holm
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.clusters import Counts, beside, count, resample_weights
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


def comparison_table(runs: Sequence[Run], settings: Settings) -> pd.DataFrame:
    """Every pair of models of one language and edition, for both aggregates and both span policies.

    ``difference`` = a - b in percentage points. ``n_only_a`` counts pairs that are stereotypical for a alone.
    ``same_kind`` says whether both are masked or both autoregressive: scores of unlike kinds come from
    unlike likelihoods, so their difference is given but is no fair contest. Holm's family is all model pairs
    of one language, edition, policy and measure. The naive interval takes pairs of sentences as independent.

    Raises
    ------
    InputError: two runs of one language and edition did not score the same pairs.
    """
    rows: list[dict[str, Any]] = []
    for (language, edition), group in _by_set(runs).items():
        tests = len(group) * (len(group) - 1) // 2
        more = replace(settings, resamples=max(settings.resamples, RESAMPLES_PER_TEST * tests))
        for policy in metrics.POLICIES:
            decisions = {
                run.key: metrics.outcomes(run.pairs, policy)["stereotypical"].to_numpy() for run in group
            }
            counted = {run.key: _counted(run, decisions[run.key]) for run in group}
            weights = None
            for a, b in combinations(group, 2):
                _same_pairs(a, b)
                if weights is None:
                    clusters = a.pairs["stereotype_id"].nunique()
                    weights = resample_weights(clusters, more.resamples, more.seed)
                shared = {
                    "language": language,
                    "edition": edition,
                    "policy": policy,
                    "model_a": a.key,
                    "model_b": b.key,
                    "same_kind": a.summary.kind == b.summary.kind,
                    "demo": a.summary.demo or b.summary.demo,
                    "n_pairs": len(a.pairs),
                }
                for measure in ("usage_weighted", "identity_averaged"):
                    counts = beside([(key, counted[key][measure]) for key in (a.key, b.key)])
                    own = _difference(counts, decisions[a.key], decisions[b.key], measure, weights, more)
                    rows.append({**shared, "measure": measure, **own})
    table = pd.DataFrame(rows, columns=list(COMPARISON_COLUMNS))
    if len(table):
        families = table.groupby(["language", "edition", "policy", "measure"])["p_value"]
        table["p_holm"] = families.transform(holm)
    return table


def _difference(
    counts: Counts, a: np.ndarray, b: np.ndarray, measure: str, weights: np.ndarray, settings: Settings
) -> dict[str, Any]:
    size = len(counts.groups) // 2
    mean = bootstrap.mean_of(size)
    estimate = bootstrap.combination(
        counts, bootstrap.difference_of(mean, mean, size), weights, settings, share=False
    )
    rate = counts.s.sum(0) / counts.n.sum(0)
    only_a, only_b = int(np.sum(a & ~b)), int(np.sum(b & ~a))
    naive = (np.nan, np.nan)
    if measure == "usage_weighted":
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


def _counted(run: Run, decisions: np.ndarray) -> dict[str, Counts]:
    clusters = run.pairs["stereotype_id"]
    return {
        "usage_weighted": count(clusters, np.full(len(clusters), "all", object), decisions),
        "identity_averaged": count(clusters, run.pairs["identity"], decisions),
    }


def _by_set(runs: Sequence[Run]) -> dict[tuple[str, str], list[Run]]:
    sets: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        sets.setdefault((run.summary.language, run.summary.edition), []).append(run)
    return sets


def _same_pairs(a: Run, b: Run) -> None:
    if len(a.pairs) != len(b.pairs) or (a.pairs["pair_id"].to_numpy() != b.pairs["pair_id"].to_numpy()).any():
        raise InputError(
            [
                Problem(
                    b.key,
                    f"scores of other pairs than {a.key} has ({len(b.pairs):,} and {len(a.pairs):,})",
                    "the same pairs for models that are compared",
                    "Let both runs finish.",
                )
            ]
        )
