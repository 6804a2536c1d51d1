"""Votes to tiers: the rule at its edges, rounding as published, Wilson intervals, and the probability of each tier
against an exact calculation and a naive one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winoqueer_nl.survey.config import SurveyConfig, Thresholds
from winoqueer_nl.survey.tiers import NO_VOTES, rounded, tier_probabilities, tiers, votes, wilson


@pytest.mark.parametrize(
    ("yes", "total", "tier"),
    [
        (7, 10, 1), (69, 100, 2), (1, 2, 2), (49, 100, 3), (3, 10, 3), (29, 100, -1), (0, 9, -1), (9, 9, 1), (0, 0, 0),
        # Shares on a threshold whose quotient has no exact binary form.
        (21, 30, 1), (35, 50, 1), (9, 30, 3), (3, 6, 2),
    ],
)  # fmt: skip
def test_a_share_on_the_threshold_belongs_to_the_higher_tier(yes: int, total: int, tier: int) -> None:
    assert tiers([yes], [total], Thresholds()).tolist() == [tier]


@given(st.integers(0, 400), st.integers(0, 400))
def test_tiers_agree_with_exact_fractions(yes: int, no: int) -> None:
    share = Fraction(100 * yes, yes + no) if yes + no else None
    expected = NO_VOTES if share is None else 1 if share >= 70 else 2 if share >= 50 else 3 if share >= 30 else -1
    assert tiers([yes], [yes + no], Thresholds()).tolist() == [expected]


@pytest.mark.parametrize(("unsure", "expected"), [("excluded", (3, 5)), ("as_no", (3, 6)), ("as_yes", (4, 6))])
def test_not_sure_counts_as_configured(unsure: str, expected: tuple[int, int]) -> None:
    config = SurveyConfig.model_validate({"unsure": unsure})
    yes, total = votes(np.array([[3], [2], [1]]), config.unsure)
    assert (yes.item(), total.item()) == expected


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [(29, 8, 3.62), (25, 8, 3.12), (27, 8, 3.38), (-1, 6, -0.17), (200, 3, 66.67), (-6, 6, -1.0), (1, 200, 0.0)],
)
def test_an_exact_half_goes_to_the_even_digit(numerator: int, denominator: int, expected: float) -> None:
    assert rounded(numerator, denominator) == expected


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_interval_is_that_of_the_textbook(yes: int, no: int) -> None:
    n, z = yes + no, 1.959963984540054
    p = yes / n
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = wilson(yes, n)
    assert low == pytest.approx(100 * (centre - half) / (1 + z * z / n), abs=1e-9)
    assert high == pytest.approx(100 * (centre + half) / (1 + z * z / n), abs=1e-9)


def exact(n: int, yes: int, no: int) -> list[float]:
    """P(tier | at least one vote) when n respondents are drawn with replacement, ``yes`` + ``no`` of whom voted.

    The draws are multinomial: sum over how many yes and no votes a resample holds. Nothing is simulated.
    """
    found = dict.fromkeys((1, 2, 3, -1), 0.0)
    p, q = yes / n, no / n
    rest = 1 - p - q
    for a in range(n + 1):
        for b in range(n + 1 - a):
            if a + b == 0:
                continue
            coefficient = math.comb(n, a) * math.comb(n - a, b)
            chance = coefficient * p**a * q**b * (rest ** (n - a - b) if n > a + b else 1.0)
            share = 100 * a / (a + b)
            found[1 if share >= 70 else 2 if share >= 50 else 3 if share >= 30 else -1] += chance
    total = sum(found.values())
    return [value / total for value in found.values()]


def indicators(n: int, yes: int, no: int) -> tuple[np.ndarray, np.ndarray]:
    said = np.zeros((n, 1), np.int64)
    voted = np.zeros((n, 1), np.int64)
    said[:yes], voted[: yes + no] = 1, 1
    return said, voted


@pytest.mark.parametrize(("n", "yes", "no"), [(43, 5, 4), (43, 7, 2), (12, 1, 1), (6, 2, 4), (9, 9, 0), (5, 0, 3)])
def test_tier_probabilities_approach_the_exact_ones(n: int, yes: int, no: int) -> None:
    resamples = 20_000
    found = tier_probabilities([indicators(n, yes, no)], Thresholds(), resamples, seed=1)[0]
    for mine, theirs in zip(found, exact(n, yes, no), strict=True):
        # Five standard errors of a share: a true difference would be larger, chance hardly ever is.
        assert abs(mine - theirs) <= 5 * math.sqrt(max(theirs * (1 - theirs), 1e-9) / (0.8 * resamples)) + 1e-9


def test_tier_probabilities_equal_a_naive_loop_over_the_same_draws() -> None:
    """Two rounds, three stereotypes, respondents drawn within their round; counted one person at a time."""
    people = np.random.default_rng(7)
    rounds = []
    for n in (8, 5):
        voted = (people.random((n, 3)) < 0.5).astype(np.int64)
        rounds.append((voted * (people.random((n, 3)) < 0.6), voted))
    resamples, seed = 300, 11
    found = tier_probabilities(rounds, Thresholds(), resamples, seed)
    generators = [np.random.default_rng([seed, i]) for i in range(2)]
    tally = [[0, 0, 0, 0] for _ in range(3)]
    for _ in range(resamples):
        drawn = [
            generator.multinomial(len(said), [1 / len(said)] * len(said))
            for generator, (said, _) in zip(generators, rounds, strict=True)
        ]
        for s in range(3):
            yes = total = 0
            for weights, (said, voted) in zip(drawn, rounds, strict=True):
                for person, times in enumerate(weights):
                    yes += int(times) * int(said[person, s])
                    total += int(times) * int(voted[person, s])
            if total:
                share = Fraction(100 * yes, total)
                tally[s][0 if share >= 70 else 1 if share >= 50 else 2 if share >= 30 else 3] += 1
    for s in range(3):
        assert found[s].tolist() == [count / sum(tally[s]) for count in tally[s]]


def test_resamples_without_a_vote_are_left_out() -> None:
    """One yes among 40 people: a third of the resamples miss it, and yet tier 1 is certain, for all others say so."""
    found = tier_probabilities([indicators(40, 1, 0)], Thresholds(), 500, seed=3)
    assert found.tolist() == [[1.0, 0.0, 0.0, 0.0]]


def test_without_any_vote_there_is_no_probability() -> None:
    assert np.isnan(tier_probabilities([indicators(4, 0, 0)], Thresholds(), 50, seed=3)).all()


def test_the_seed_alone_decides() -> None:
    one = tier_probabilities([indicators(9, 4, 3)], Thresholds(), 400, seed=5)
    assert np.array_equal(one, tier_probabilities([indicators(9, 4, 3)], Thresholds(), 400, seed=5))
    assert not np.array_equal(one, tier_probabilities([indicators(9, 4, 3)], Thresholds(), 400, seed=6))


def test_how_many_resamples_are_drawn_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = tier_probabilities([indicators(9, 4, 3)], Thresholds(), 100, seed=5)
    monkeypatch.setattr("winoqueer_nl.survey.tiers._AT_A_TIME", 7)
    assert np.array_equal(one, tier_probabilities([indicators(9, 4, 3)], Thresholds(), 100, seed=5))
