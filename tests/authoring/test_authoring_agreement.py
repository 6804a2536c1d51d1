"""Krippendorff's alpha is what its formula says, computed here a second time by hand."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winoqueer_nl.authoring.agreement import krippendorff_alpha

CATEGORIES = ["accept", "change", "reject"]
Answers = dict[tuple[str, str], dict[str, str]]


def by_hand(answers: Answers) -> float | None:
    """1 - observed / expected disagreement, from the coincidences of every pair of answers to an item."""
    coincidences: Counter[tuple[str, str]] = Counter()
    for given_answers in answers.values():
        values = list(given_answers.values())
        if len(values) < 2:
            continue
        for one, other in permutations(values, 2):
            coincidences[one, other] += 1 / (len(values) - 1)
    totals: Counter[str] = Counter()
    for (one, _), weight in coincidences.items():
        totals[one] += weight
    n = sum(totals.values())
    if len(totals) < 2:
        return None
    observed = sum(weight for (one, other), weight in coincidences.items() if one != other)
    expected = sum(totals[one] * totals[other] for one in totals for other in totals if one != other) / (n - 1)
    return 1 - observed / expected


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.text(max_size=3), st.just("")),
        st.dictionaries(st.sampled_from("ABCD"), st.sampled_from(CATEGORIES), max_size=4),
        max_size=8,
    )
)
def test_alpha_is_that_of_the_formula(answers: Answers) -> None:
    found = krippendorff_alpha(answers, CATEGORIES, resamples=20)
    expected = by_hand(answers)
    assert (found.alpha is None) == (expected is None)
    if expected is not None:
        assert found.alpha == pytest.approx(expected)
        assert found.n_items == sum(len(given_answers) >= 2 for given_answers in answers.values())


def test_alpha_of_a_worked_example() -> None:
    # Ten items, two reviewers, nominal: Krippendorff's own first example has alpha 0.095.
    a, b = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    answers = {
        (str(n), ""): {"A": CATEGORIES[x], "B": CATEGORIES[y]} for n, (x, y) in enumerate(zip(a, b, strict=True))
    }
    found = krippendorff_alpha(answers, CATEGORIES)
    assert found.alpha == pytest.approx(0.095, abs=0.0005)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.alpha < found.high
    assert (found.n_items, found.n_reviewers) == (10, 2)


def test_perfect_agreement_is_one_and_no_variation_is_undefined() -> None:
    perfect: Answers = {(str(n), ""): dict.fromkeys("AB", CATEGORIES[n % 3]) for n in range(9)}
    found = krippendorff_alpha(perfect, CATEGORIES)
    assert found.alpha == 1
    assert found.low == found.high == 1
    same: Answers = {(str(n), ""): dict.fromkeys("AB", "accept") for n in range(9)}
    assert krippendorff_alpha(same, CATEGORIES).alpha is None
    assert krippendorff_alpha({}, CATEGORIES).alpha is None


def test_the_interval_is_that_of_the_seed_and_of_no_order() -> None:
    answers: Answers = {
        (str(n), ""): {"A": CATEGORIES[n % 3], "B": CATEGORIES[(n * n) % 3], "C": CATEGORIES[n % 2]} for n in range(12)
    }
    turned = dict(reversed(answers.items()))
    assert krippendorff_alpha(answers, CATEGORIES, seed=1) == krippendorff_alpha(turned, CATEGORIES, seed=1)
    assert krippendorff_alpha(answers, CATEGORIES, seed=1) != krippendorff_alpha(answers, CATEGORIES, seed=2)
