"""Suppression of small counts of people, so that nobody can be singled out, not even by subtraction.

A count from 1 to threshold - 1 is hidden (primary suppression). Where totals are known, a hidden count may
still be worked out from them; then further counts are hidden too (complementary suppression; Hundepool et al.
2012, chapter 4; Willenborg and de Waal 2001, chapter 8). Whether that is enough is not guessed: the result is
audited as an outsider would attack it, by linear programming over everything that is published.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from scipy.optimize import linprog

DEFAULT_THRESHOLD = 5
Cell = TypeVar("Cell", bound=Hashable)


def suppress(
    counts: Mapping[Cell, int],
    totals: Sequence[Collection[Cell]] | None = None,
    threshold: int = DEFAULT_THRESHOLD,
) -> dict[Cell, int | None]:
    """Hide what would single people out.

    Parameters
    ----------
    counts: people per cell; cells are anything hashable, such as answers, or (row, column) of a cross table.
    totals: groups of cells whose sum a reader knows or may learn. None means one group of all cells: the
        number of respondents is published. For a cross table give every row and every column. An empty list
        means that no sum is known (a question with several answers per person, say).
    threshold: the smallest count that may be shown. 1 hides nothing.

    Returns
    -------
    The counts in the same order, None where hidden. Zeros are shown: nobody is in them. For every hidden cell
    the published figures leave at least ``threshold`` as a possible value and another one below it. Where no
    choice of cells achieves that (the whole total is too small), all cells of the group are hidden and the
    total must not be published either; :func:`exposed` tells.

    The smallest shown cell is hidden first, equal ones in the order given, and no cell stays hidden that
    could be shown: deterministic, and little is lost.

    Raises
    ------
    ValueError: a negative count, a threshold below 1, or a total of a cell that does not exist.
    """
    _check(counts, totals, threshold)
    known = _known(counts, totals)
    hidden = {cell for cell, n in counts.items() if 0 < n < threshold}
    order = sorted((cell for cell, n in counts.items() if n > 0), key=lambda cell: counts[cell])
    while True:
        open_to_attack = _exposed(counts, hidden, known, threshold)
        candidates = [
            cell
            for cell in order
            if cell not in hidden and any(cell in group and group & open_to_attack for group in known)
        ]
        if not open_to_attack or not candidates:
            break
        hidden.add(candidates[0])
    if not open_to_attack:
        # Cells taken early may be needless in the end: show again what the audit allows, largest first.
        for cell in reversed([cell for cell in order if cell in hidden and counts[cell] >= threshold]):
            if not _exposed(counts, hidden - {cell}, known, threshold):
                hidden.discard(cell)
    return {cell: None if cell in hidden else n for cell, n in counts.items()}


def exposed(
    counts: Mapping[Cell, int],
    shown: Mapping[Cell, int | None],
    totals: Sequence[Collection[Cell]] | None = None,
    threshold: int = DEFAULT_THRESHOLD,
) -> set[Cell]:
    """The hidden cells that a reader of ``shown`` and of the totals could still pin down.

    A hidden cell is pinned down when the published figures make it certain that its count is one number, or
    that it is below the threshold. A total for which this is not empty must not be published.
    """
    _check(counts, totals, threshold)
    hidden = {cell for cell, n in shown.items() if n is None}
    return _exposed(counts, hidden, _known(counts, totals), threshold)


def _check(counts: Mapping[Cell, int], totals: Sequence[Collection[Cell]] | None, threshold: int) -> None:
    if threshold < 1:
        raise ValueError(f"the threshold must be at least 1, not {threshold}")
    negative = [cell for cell, n in counts.items() if n < 0]
    if negative:
        raise ValueError(f"negative counts of people: {negative}")
    unknown = [cell for group in totals or () for cell in group if cell not in counts]
    if unknown:
        raise ValueError(f"totals of cells that do not exist: {unknown}")


def _known(counts: Mapping[Cell, int], totals: Sequence[Collection[Cell]] | None) -> list[set[Cell]]:
    return [set(counts)] if totals is None else [set(group) for group in totals]


def _exposed(counts: Mapping[Cell, int], hidden: set[Cell], known: list[set[Cell]], threshold: int) -> set[Cell]:
    """The attack: the least and the greatest value of each hidden cell that fit the totals.

    The reader knows that a hidden cell is not 0, because zeros are shown.
    """
    cells = [cell for cell in counts if cell in hidden]
    groups = [group for group in known if group & hidden]
    if not cells or not groups:
        return set()
    column = {cell: number for number, cell in enumerate(cells)}
    matrix = np.zeros((len(groups), len(cells)))
    remainders = np.zeros(len(groups))
    for row, group in enumerate(groups):
        for cell in group & hidden:
            matrix[row, column[cell]] = 1.0
            remainders[row] += counts[cell]
    within_reach = set()
    for cell, number in column.items():
        if not matrix[:, number].any():
            continue  # part of no total: nothing can be subtracted from
        target = np.zeros(len(cells))
        target[number] = 1.0
        least = linprog(target, A_eq=matrix, b_eq=remainders, bounds=(1, None), method="highs").fun
        greatest = -linprog(-target, A_eq=matrix, b_eq=remainders, bounds=(1, None), method="highs").fun
        # Floor and ceiling, because people come whole; the margin is the solver's.
        if np.floor(greatest + 1e-6) < threshold or np.floor(greatest + 1e-6) <= np.ceil(least - 1e-6):
            within_reach.add(cell)
    return within_reach
