"""Statistical disclosure control: which counts of people may be shown.

A small count can point to a person. One hidden cell alone is no protection either: whoever knows the total finds it
by subtraction. So further cells are hidden until at least two are, which together hold enough people.
"""

from __future__ import annotations

from collections.abc import Sequence


def suppressed(counts: Sequence[int], threshold: int) -> list[bool]:
    """Which cells of one question to hide.

    Parameters
    ----------
    counts: people per answer, none of them negative.
    threshold: counts from 1 up to but not including this number are hidden (primary suppression).

    Returns
    -------
    True where a cell is to be hidden. Where anything is hidden, the smallest cells still visible are hidden too
    (complementary suppression; first those above zero, and the first of equals) until two or more cells are hidden
    that together count ``threshold`` people or more, or until no cell is left.
    """
    hidden = [0 < count < threshold for count in counts]
    if not any(hidden):
        return hidden
    order = sorted(range(len(counts)), key=lambda i: (counts[i] == 0, counts[i], i))
    for i in order:
        together = sum(count for count, hide in zip(counts, hidden, strict=True) if hide)
        if sum(hidden) >= 2 and together >= threshold:
            break
        hidden[i] = True
    return hidden
