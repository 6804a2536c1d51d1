"""From votes to relevance tiers: the rule, its interval, and how sure each tier is.

The share of yes votes decides: at least 70 % tier 1, at least 50 % tier 2, at least 30 % tier 3, below that not
culturally relevant (Beuk & Spanakis, WinoQueer-NL). "Not sure" is no vote unless the configuration says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from winoqueer_nl.survey.config import Thresholds, Unsure

NOT_RELEVANT = -1
NO_VOTES = 0
#: The answers in the order of the arrays that count them.
ANSWERS = ("yes", "no", "unsure")
#: The tiers in the order of the probabilities.
TIERS = (1, 2, 3, NOT_RELEVANT)

# Resamples drawn at a time: bounds memory, and cannot change the result (each round has a generator of its own).
_AT_A_TIME = 250


def votes(answers: npt.NDArray[np.int64], unsure: Unsure) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The yes votes and all votes, from counts whose first axis is :data:`ANSWERS`; ``unsure`` says what that is."""
    yes, no, not_sure = answers
    if unsure == "as_yes":
        return yes + not_sure, yes + no + not_sure
    if unsure == "as_no":
        return yes, yes + no + not_sure
    return yes, yes + no


def tiers(yes: npt.ArrayLike, n_votes: npt.ArrayLike, thresholds: Thresholds) -> npt.NDArray[np.int8]:
    """The tier of each stereotype: 1, 2, 3, -1 (not relevant) or 0 (no votes).

    Shares are compared as products of whole numbers (100 yes against threshold x votes), so that a share that lies
    exactly on a threshold belongs to the higher tier whatever a division would round to.
    """
    hundredfold = 100.0 * np.asarray(yes)
    total = np.asarray(n_votes)
    found = np.full(np.broadcast(hundredfold, total).shape, NOT_RELEVANT, np.int8)
    for tier, threshold in ((3, thresholds.tier_3), (2, thresholds.tier_2), (1, thresholds.tier_1)):
        found[hundredfold >= threshold * total] = tier
    found[np.broadcast_to(total == 0, found.shape)] = NO_VOTES
    return found


def rounded(numerator: int, denominator: int, digits: int = 2) -> float:
    """The quotient to so many decimals, an exact half to the even neighbour (3.625 -> 3.62), as published."""
    shift = 10**digits
    return float(Fraction(round(Fraction(numerator, denominator) * shift), shift))


def wilson(yes: int, n_votes: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of the share of yes, in percent (Wilson 1927)."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(yes, n_votes, alpha=0.05, method="wilson")
    return 100 * float(low), 100 * float(high)


def tier_probabilities(
    rounds: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]],
    thresholds: Thresholds,
    resamples: int,
    seed: int,
) -> npt.NDArray[np.float64]:
    """How often each stereotype lands in each tier when respondents are drawn again with replacement.

    Parameters
    ----------
    rounds: per round of the survey two arrays, respondents x stereotypes, of 0 and 1: voted yes, voted at all.
        Respondents are drawn within their round, as many as it had (a bootstrap stratified by round).
    resamples: how many times.
    seed: the same seed gives the same probabilities.

    Returns
    -------
    Array, stereotypes x 4, in the order of :data:`TIERS`. A resample in which nobody voted on a stereotype says
    nothing about it and is left out of its share; NaN where no resample had a vote.
    """
    n_stereotypes = rounds[0][0].shape[1]
    counts = np.zeros((n_stereotypes, len(TIERS)), np.int64)
    generators = [np.random.default_rng([seed, i]) for i in range(len(rounds))]
    # Products of small whole numbers in float64 are exact: no order of summation can change them.
    matrices = [np.hstack([yes, voted]).astype(np.float64) for yes, voted in rounds]
    for start in range(0, resamples, _AT_A_TIME):
        drawn = min(_AT_A_TIME, resamples - start)
        sums = np.zeros((drawn, 2 * n_stereotypes))
        for generator, matrix in zip(generators, matrices, strict=True):
            n = len(matrix)
            weights = generator.multinomial(n, np.full(n, 1 / n), size=drawn)
            sums += weights.astype(np.float64) @ matrix
        found = tiers(sums[:, :n_stereotypes], sums[:, n_stereotypes:], thresholds)
        for i, tier in enumerate(TIERS):
            counts[:, i] += (found == tier).sum(axis=0)
    totals = counts.sum(axis=1, keepdims=True)
    shares: npt.NDArray[np.float64] = np.full(counts.shape, np.nan)
    np.divide(counts, totals, out=shares, where=totals > 0)
    return shares
