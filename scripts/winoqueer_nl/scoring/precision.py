"""Scores whose decisions do not depend on rounding.

Every precision has a reach: smaller differences between two scores could change sign in a higher one.
bfloat16's is measured on the model itself; float32's is twice the tolerance to which scores are reproducible
across batch sizes, threads and machines. Pairs within reach are recomputed one precision up: from bfloat16 in
float32, from float32 in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.shards import Store
from winoqueer_nl.scoring.tokens import Needed
from winoqueer_nl.scoring.work import Plan

#: float32 scores agree within 1e-4 (natural log) however they are batched; two of them make a difference.
FLOAT32_REACH = 2e-4
#: Reach of bfloat16, in root mean squares of its measured error and in largest errors seen.
SIGMAS, LARGEST = 4.5, 1.1
#: Reach of weights rounded to bfloat16, in root mean squares of bfloat16 arithmetic's error; far above the
#: other's, because it cannot be measured on the model itself.
ROUNDED = 12.0
#: Pairs on which bfloat16's error is measured first. Every pair recomputed later adds to the measurement.
CALIBRATION = 256
#: Share of pairs to be recomputed from which on bfloat16 saves nothing and float32 is used from the start.
TOO_MANY = 0.5
#: Parameters below which a pass is mostly overhead and bfloat16 gains nothing.
SMALLEST = 10_000_000

Scores = dict[str, np.ndarray]


@dataclass
class Report:
    """What was computed how; goes into the summary."""

    asked: str
    used: str = "float32"
    why: str | None = None
    margin: float | None = None
    largest_error: float | None = None
    calibration_pairs: int = 0
    recomputed_in_float32: int = 0
    near_ties: int = 0
    near_ties_in: str | None = None
    undecided: int | None = None
    undecided_margin: float | None = None
    stages: dict[str, int] = field(default_factory=dict)


def reach(errors: np.ndarray) -> float:
    """Size of a difference between two bfloat16 scores from which on float32 would not change its sign.

    errors: what bfloat16 got wrong in differences that are known, natural log, shape (policies, pairs).

    A pair is decided wrongly if its difference is beyond the reach m and its error further still. With errors of
    root mean square s, normal, and a share f of pairs per unit of difference around zero, that happens to
    2 f s (phi(z) - z Q(z)) of the pairs, z = m / s, Q the upper tail. Widely spread differences (f s about 0.025)
    make that 0.0015 pairs of 42,906 at z = 4.5; 0.015 at 4. Errors with heavier tails are what the second bound
    is for: thousands of pairs within reach are recomputed, all their errors are known, and once none of n errors
    is beyond the reach, the others exceed it with a chance of about 1 / n each.
    """
    spread = float(np.sqrt((errors**2).mean(axis=1)).max())
    return max(SIGMAS * spread, LARGEST * float(np.abs(errors).max()), FLOAT32_REACH)


class Ladder:
    """Computes all scores in the precision asked for; see :meth:`scores`.

    Parameters
    ----------
    needed: all tokens. plan: makes a plan for some of them (all if None). order: row numbers of the pairs in
    a fixed random order, from which the calibration pairs are taken. rounded: the engine's weights are rounded to
    bfloat16 for want of memory.
    """

    def __init__(
        self,
        needed: Needed,
        plan: Callable[[np.ndarray | None], Plan],
        engine: Engine,
        store: Store,
        order: np.ndarray,
        rounded: bool = False,
    ) -> None:
        self.rounded = rounded
        self.needed, self.plan, self.engine, self.store, self.order = needed, plan, engine, store, order
        self.report = Report("float32")
        self._high = np.full(len(needed), np.nan)  # float32 values known so far

    def scores(self, precision: str) -> Scores:
        """Per policy the scores of shape (n_pairs, 2), natural log, under `float32`, `bfloat16` or `auto`."""
        scores = self._scores(precision)
        if self.rounded:
            self._count_undecided(scores)
        return scores

    def _scores(self, precision: str) -> Scores:
        self.report = Report(precision)
        if precision == "bfloat16":
            self.report.used = "bfloat16"
            return self._sum(self._run("bfloat16", "bfloat16", None))
        if precision == "auto" and not self.engine.has_fast_bfloat16():
            self.report.why = "the device has no bfloat16 arithmetic"
        elif precision == "auto" and self.engine.parameters < SMALLEST:
            self.report.why = "so small a model gains nothing from bfloat16"
        elif precision == "auto":
            mixed = self._mixed()
            if mixed is not None:
                return self._settle(mixed)
        return self._settle(self._sum(self._run("float32", "float32", None)))

    def _run(self, stage: str, precision: str, tokens: np.ndarray | None) -> np.ndarray:
        plan = self.plan(tokens)
        self.engine.use(precision)
        self.report.stages[stage] = sum(shard.cost for shard in plan.shards)
        return self.store.compute(stage, plan, self.needed, self.engine)

    def _sum(self, values: np.ndarray) -> Scores:
        return {policy: s.scores(values, self.needed.n_pairs) for policy, s in self.needed.sums.items()}

    def _tokens_of(self, pairs: np.ndarray) -> np.ndarray:
        return np.unique(np.concatenate([s.tokens_of(pairs) for s in self.needed.sums.values()]))

    def _nearest(self, scores: Scores) -> np.ndarray:
        """Per pair the smallest difference between its two scores over the policies."""
        return np.min([np.abs(s[:, 0] - s[:, 1]) for s in scores.values()], axis=0)

    def _float32_of(self, pairs: np.ndarray, stage: str) -> Scores:
        """float32 scores of some pairs; NaN for pairs whose tokens are not all known."""
        tokens = self._tokens_of(pairs)
        unknown = tokens[np.isnan(self._high[tokens])]
        if len(unknown):
            values = self._run(stage, "float32", unknown)
            self._high[unknown] = values[unknown]
        return self._sum(self._high)

    # bfloat16, then float32 -----------------------------------------------------------------------------

    def _mixed(self) -> Scores | None:
        """bfloat16 scores with every undecided pair in float32; None when that would save nothing."""
        some = np.sort(self.order[:CALIBRATION])
        tokens = self._tokens_of(some)
        low = self._sum(self._run("calibration bfloat16", "bfloat16", tokens))
        high = self._float32_of(some, "calibration float32")
        errors = self._errors(low, high, some)
        margin = reach(errors)
        self.report.calibration_pairs = len(some)
        share = float((self._nearest(low)[some] < margin).mean())
        if share > TOO_MANY:
            self.report.why = f"{share:.0%} of the pairs lie within the reach of bfloat16's error"
            return None
        self.report.used = "bfloat16 and float32"
        low = self._sum(self._run("bfloat16", "bfloat16", None))
        done = some
        for turn in range(1, 20):
            near = np.flatnonzero(self._nearest(low) < margin)
            todo = np.setdiff1d(near, done)
            if len(todo) == 0:
                break
            done = np.union1d(done, todo)
            high = self._float32_of(done, f"float32, turn {turn}")
            errors = self._errors(low, high, done)
            # Many more errors are known now than at the calibration: the margin has to hold for them all.
            margin = max(margin, reach(errors))
        self.report.recomputed_in_float32 = len(done)
        self.report.margin = margin
        self.report.largest_error = float(np.abs(errors).max())
        return {policy: _replaced(scores, high[policy], done) for policy, scores in low.items()}

    @staticmethod
    def _errors(low: Scores, high: Scores, pairs: np.ndarray) -> np.ndarray:
        """Errors of the differences, shape (policies, pairs)."""
        return np.array([np.diff(low[p][pairs] - high[p][pairs], axis=1)[:, 0] for p in low])

    # float32, then float64 ------------------------------------------------------------------------------

    def _settle(self, scores: Scores) -> Scores:
        """Recompute near ties in float64, but for pairs whose two sentences are the same tokens."""
        near = np.setdiff1d(np.flatnonzero(self._nearest(scores) < FLOAT32_REACH), self.needed.alike)
        self.report.near_ties = len(near)
        if len(near) == 0:
            return scores
        if self.engine.device.type == "mps":
            self.report.near_ties_in = "float32 (the device has no float64)"
            return scores
        exact = self._sum(self._run("float64", "float64", self._tokens_of(near)))
        self.engine.use("float32")
        self.report.near_ties_in = "float64"
        return {policy: _replaced(values, exact[policy], near) for policy, values in scores.items()}

    # Weights rounded for want of memory -------------------------------------------------------------------

    def _count_undecided(self, scores: Scores) -> None:
        """Count the pairs that float32 weights could decide otherwise, by what can be measured without them.

        Rounding weights errs as much as rounding what they are multiplied with (2**-9 of either factor of a
        product), and the latter can be measured: bfloat16 arithmetic against float32, both on these weights.
        """
        some = np.sort(self.order[:CALIBRATION])
        tokens = self._tokens_of(some)
        low = self._sum(self._run("calibration bfloat16", "bfloat16", tokens))
        high = self._sum(self._run("calibration float32", "float32", tokens))
        errors = self._errors(low, high, some)
        margin = ROUNDED * max(float(np.sqrt((errors**2).mean(axis=1)).max()), FLOAT32_REACH)
        unlike = np.setdiff1d(np.arange(self.needed.n_pairs), self.needed.alike)
        self.report.undecided = int((self._nearest(scores)[unlike] < margin).sum())
        self.report.undecided_margin = margin


def _replaced(scores: np.ndarray, better: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    out = scores.copy()
    out[pairs] = better[pairs]
    return out
