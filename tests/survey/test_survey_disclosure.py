"""Which counts of people are hidden: small ones, and those that would give a small one away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from winoqueer_nl.disclosure import suppressed


@pytest.mark.parametrize(
    ("counts", "hidden"),
    [
        ([9, 12, 7], [False, False, False]),
        # One small cell: the smallest of the others goes with it.
        ([9, 2, 7], [False, True, True]),
        # Two small cells that count five together are enough.
        ([9, 2, 3, 7], [False, True, True, False]),
        # Two that count three are not: the group as a whole would still be small.
        ([9, 1, 2, 7], [False, True, True, True]),
        # A zero is shown, and hides others only when nothing else is left to.
        ([9, 0, 12], [False, False, False]),
        ([2, 0], [True, True]),
        ([3], [True]),
        ([], []),
    ],
)
def test_small_cells_and_their_companions_are_hidden(counts: list[int], hidden: list[bool]) -> None:
    assert suppressed(counts, 5) == hidden


@given(st.lists(st.integers(0, 12), max_size=7), st.integers(2, 7))
def test_an_outsider_who_knows_the_total_cannot_work_out_a_hidden_count(counts: list[int], threshold: int) -> None:
    """Linear programming gives the least and the greatest value of each hidden cell that fit what is shown."""
    hidden = suppressed(counts, threshold)
    cells = [i for i, hide in enumerate(hidden) if hide]
    if not cells or sum(counts) < threshold or len(cells) < 2:
        return  # then the total may not be shown either
    rest = sum(counts[i] for i in cells)
    for place in range(len(cells)):
        wanted = [float(i == place) for i in range(len(cells))]
        known = {"A_eq": [[1.0] * len(cells)], "b_eq": [rest]}
        least = linprog(wanted, **known).fun
        greatest = -linprog([-c for c in wanted], **known).fun
        assert greatest - least >= 1
        assert greatest >= threshold


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 10))
def test_nothing_small_is_shown_or_can_be_told_by_subtraction(counts: list[int], threshold: int) -> None:
    hidden = suppressed(counts, threshold)
    assert all(hide or count == 0 or count >= threshold for count, hide in zip(counts, hidden, strict=True))
    if any(hidden) and not all(hidden):
        assert sum(hidden) >= 2
        assert sum(count for count, hide in zip(counts, hidden, strict=True) if hide) >= threshold
    if not any(0 < count < threshold for count in counts):
        assert not any(hidden)
