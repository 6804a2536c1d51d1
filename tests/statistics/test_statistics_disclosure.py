"""No count of few people can be read, nor worked out from the rest; tried by listing every possibility."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winoqueer_nl.statistics.disclosure import exposed, suppress


def possibilities(counts, shown, totals):
    """Every way to fill the hidden cells that agrees with the totals; zeros are shown, so at least 1."""
    hidden = [cell for cell, n in shown.items() if n is None]
    sums = [sum(counts[cell] for cell in group) for group in totals]
    most = max(sums, default=0)
    found = []
    for values in product(range(1, most + 1), repeat=len(hidden)):
        filled = {**shown, **dict(zip(hidden, values, strict=True))}
        if all(sum(filled[cell] for cell in group) == total for group, total in zip(totals, sums, strict=True)):
            found.append(filled)
    return hidden, found


def test_nothing_is_hidden_where_nobody_could_be_singled_out():
    counts = {"a": 12, "b": 5, "c": 0}
    assert suppress(counts) == counts


def test_a_single_small_count_takes_a_second_one_with_it():
    assert suppress({"a": 20, "b": 9, "c": 2}) == {"a": 20, "b": None, "c": None}


def test_without_a_known_total_there_is_nothing_to_subtract_from():
    assert suppress({"a": 20, "b": 9, "c": 2}, totals=[]) == {"a": 20, "b": 9, "c": None}


def test_two_small_counts_that_add_up_to_little_need_a_third():
    # 1 + 1 = 2 leaves no other possibility; 1 + 2 = 3 says that both are below 5.
    assert suppress({"a": 20, "b": 9, "c": 1, "d": 1}) == {"a": 20, "b": None, "c": None, "d": None}
    assert suppress({"a": 20, "b": 9, "c": 1, "d": 2})["b"] is None


def test_small_counts_that_protect_each_other_leave_the_others_shown():
    assert suppress({"a": 20, "b": 9, "c": 4, "d": 3}) == {"a": 20, "b": 9, "c": None, "d": None}


def test_the_threshold_is_the_smallest_count_shown():
    assert suppress({"a": 30, "b": 10, "c": 9}, threshold=10) == {"a": 30, "b": None, "c": None}
    assert suppress({"a": 30, "b": 1}, threshold=1) == {"a": 30, "b": 1}


def test_a_total_that_is_itself_too_small_hides_all_and_says_so():
    counts = {"a": 2, "b": 1}
    shown = suppress(counts)
    assert shown == {"a": None, "b": None}
    assert exposed(counts, shown) == {"a", "b"}
    assert exposed(counts, shown, totals=[]) == set()


def test_a_hidden_cell_alone_is_exposed():
    assert exposed({"a": 20, "b": 2}, {"a": 20, "b": None}) == {"b"}


def test_a_cross_table_with_totals_of_rows_and_columns():
    counts = {(r, c): n for (r, c), n in zip(product("xyz", "abc"), [12, 7, 3, 9, 11, 20, 6, 8, 15], strict=True)}
    lines = [
        [cell for cell in counts if cell[axis] == name] for axis, names in ((0, "xyz"), (1, "abc")) for name in names
    ]
    shown = suppress(counts, lines)
    assert shown["x", "c"] is None
    assert exposed(counts, shown, lines) == set()
    for line in lines:  # a hidden cell alone in its line could be worked out
        assert sum(shown[cell] is None for cell in line) != 1
    for cell, value in shown.items():  # and none of the larger ones is hidden needlessly
        if value is None and counts[cell] >= 5:
            assert exposed(counts, {**shown, cell: counts[cell]}, lines)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="negative"):
        suppress({"a": -1})
    with pytest.raises(ValueError, match="threshold"):
        suppress({"a": 1}, threshold=0)
    with pytest.raises(ValueError, match="do not exist"):
        suppress({"a": 1}, totals=[["b"]])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 11), min_size=1, max_size=5), st.integers(2, 5))
def test_no_list_of_answers_gives_anybody_away(values, threshold):
    counts = {f"answer {i}": n for i, n in enumerate(values)}
    shown = suppress(counts, threshold=threshold)
    assert list(shown) == list(counts)
    for cell, n in shown.items():
        assert n is None or n == counts[cell]
        assert n is None or n == 0 or n >= threshold
    hidden, possible = possibilities(counts, shown, [list(counts)])
    for cell in set(hidden) - exposed(counts, shown, threshold=threshold):
        values_left = {filled[cell] for filled in possible}
        assert len(values_left) > 1
        assert max(values_left) >= threshold
    if exposed(counts, shown, threshold=threshold):  # then nothing was left to hide
        assert all(n is None or n == 0 for n in shown.values())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_no_cross_table_gives_anybody_away(values):
    counts = dict(zip(product("xy", "ab"), values, strict=True))
    lines = [
        [("x", "a"), ("x", "b")],
        [("y", "a"), ("y", "b")],
        [("x", "a"), ("y", "a")],
        [("x", "b"), ("y", "b")],
    ]
    shown = suppress(counts, lines, threshold=4)
    hidden, possible = possibilities(counts, shown, lines)
    for cell in set(hidden) - exposed(counts, shown, lines, threshold=4):
        assert len({filled[cell] for filled in possible}) > 1
        assert max(filled[cell] for filled in possible) >= 4
