"""A stratified sample of the pairs, and estimates with intervals from it."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

#: From fine to coarse; the first that leaves at least two pairs a stratum is used.
STRATA: tuple[list[str], ...] = (
    ["identity_label", "counter_identity_label", "template_id"],
    ["identity_label", "template_id"],
    ["identity_label", "counter_identity_label"],
    ["identity_label"],
    [],
)


def random_order(ids: pd.Series, seed: int) -> np.ndarray:
    """Row numbers in an order that is random but depends on the ids and the seed alone."""
    keys = [hashlib.sha256(f"{seed} {i}".encode()).digest() for i in ids]
    return np.array(sorted(range(len(keys)), key=lambda row: keys[row]), dtype=np.int64)


@dataclass(frozen=True)
class Sample:
    """Chosen rows (ascending), the stratum of each, and the size of each stratum in the whole set."""

    rows: np.ndarray
    stratum: np.ndarray
    sizes: np.ndarray
    by: list[str]


def choose(frame: pd.DataFrame, n: int, seed: int) -> Sample:
    """Choose n pairs, proportionally to the strata's sizes, at least two (or all) of each stratum."""
    n = min(n, len(frame))
    for by in STRATA:
        if by and frame[by].isna().any(axis=None):
            continue
        codes = frame.groupby(by, sort=True).ngroup().to_numpy() if by else np.zeros(len(frame), dtype=np.int64)
        sizes = np.bincount(codes)
        if 2 * len(sizes) <= n or not by:
            break
    least = np.minimum(sizes, 2 if 2 * len(sizes) <= n else 0)
    exact = sizes * (n / len(frame))
    take = np.maximum(np.floor(exact).astype(np.int64), least)
    # Rounding: the largest remainders get one more; minima above the share are paid by the largest strata.
    while take.sum() < n:
        room = np.where(take < sizes, exact - take, -np.inf)
        take[int(room.argmax())] += 1
    while take.sum() > n:
        room = np.where(take > least, take - exact, -np.inf)
        take[int(room.argmax())] -= 1
    left = take.copy()
    rows = []
    for row in random_order(frame["pair_id"], seed).tolist():
        if left[codes[row]]:
            left[codes[row]] -= 1
            rows.append(row)
    chosen = np.sort(np.array(rows, dtype=np.int64))
    return Sample(chosen, codes[chosen], sizes, by)


def estimate(values: np.ndarray, stratum: np.ndarray, sizes: np.ndarray) -> tuple[float, float, float]:
    """The stratified mean of values in [0, 1] and its 95 % interval, as percentages.

    Cochran (1977), Sampling Techniques, eq. 5.32: the variance of a stratified mean with finite population
    correction; Wilson's interval on the effective sample size that this variance amounts to. A stratum that
    is scored whole adds none.
    """
    counts = np.bincount(stratum, minlength=len(sizes))
    seen = counts > 0
    weight = sizes[seen] / sizes[seen].sum()
    counts, wholes = counts[seen], sizes[seen]
    means = np.bincount(stratum, weights=values, minlength=len(sizes))[seen] / counts
    squares = np.bincount(stratum, weights=values**2, minlength=len(sizes))[seen] / counts
    spread = np.maximum(squares - means**2, 0) * counts / np.maximum(counts - 1, 1)
    variance = float((weight**2 * (1 - counts / wholes) * spread / counts).sum())
    p = float((weight * means).sum())
    if (counts == wholes).all():
        return 100 * p, 100 * p, 100 * p
    # Where no stratum shows a spread (all decisions alike), the plain sample size is the best that is known.
    n = p * (1 - p) / variance if variance > 0 and 0 < p < 1 else float(counts.sum())
    z = float(norm.ppf(0.975))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return 100 * p, 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)
