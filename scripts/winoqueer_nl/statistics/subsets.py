"""The parts of a set that results are given for: the paper's four and the tiers one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from numpy.typing import NDArray

# Stereotypes of this origin were translated and voted on; all others were reported in a survey, without tier.
TRANSLATED = "winoqueer"


@dataclass(frozen=True)
class Subset:
    """A named part of a set: key, the words for it, whether the paper reports it, and the rows it takes."""

    key: str
    label: str
    in_paper: bool
    rows: Callable[[pd.DataFrame], pd.Series]


def _tier(pairs: pd.DataFrame, *tiers: int) -> pd.Series:
    return pairs["tier"].isin(tiers).fillna(False).astype(bool)


def _new(pairs: pd.DataFrame) -> pd.Series:
    return pairs["origin"] != TRANSLATED


SUBSETS = (
    Subset("all", "Full set", True, lambda pairs: pd.Series(True, index=pairs.index)),
    Subset("tier_1_2", "Tier 1-2 and new", True, lambda pairs: _tier(pairs, 1, 2) | _new(pairs)),
    Subset("tier_1", "Tier 1 and new", True, lambda pairs: _tier(pairs, 1) | _new(pairs)),
    Subset("new", "New stereotypes", True, _new),
    Subset("tier_1_only", "Tier 1 alone", False, lambda pairs: _tier(pairs, 1)),
    Subset("tier_2_only", "Tier 2 alone", False, lambda pairs: _tier(pairs, 2)),
    Subset("tier_3_only", "Tier 3 alone", False, lambda pairs: _tier(pairs, 3)),
)
LABELS = {subset.key: subset.label for subset in SUBSETS}


def mask(pairs: pd.DataFrame, key: str) -> NDArray:
    """Which rows of the pairs belong to a subset: a bool array as long as ``pairs``."""
    subset = next(subset for subset in SUBSETS if subset.key == key)
    return subset.rows(pairs).to_numpy(bool)
