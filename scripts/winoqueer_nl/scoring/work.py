"""What a plan hands to the engine and gets back: shards of work with the needed tokens they answer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from winoqueer_nl.scoring.engine import Engine


@dataclass(frozen=True)
class Shard:
    """A piece of work that is kept whole or not at all.

    first, last: range of the plan's sequences (masked) or groups (causal), end exclusive.
    tokens: indices into the needed tokens that it answers, in the order of its result.
    cost: token positions that pass through the model.
    """

    first: int
    last: int
    tokens: np.ndarray
    cost: int


class Plan(Protocol):
    """The passes through a model that give every needed token its log-probability."""

    shards: list[Shard]

    def compute(self, shard: Shard, engine: Engine, budget: int) -> np.ndarray:
        """Log-probabilities (natural log, float64) of `shard.tokens`, in batches of at most `budget` tokens."""
        ...

    def digest(self) -> str:
        """A hash of the work, equal only for equal work cut into equal shards."""
        ...


def cut(costs: np.ndarray, limit: int, breaks: np.ndarray) -> list[tuple[int, int]]:
    """Consecutive ranges of items whose costs add up to at most `limit` (or one item), never across a break.

    costs: cost per item. breaks: positions at which a range must end (as for `numpy.split`).
    """
    ranges = []
    edges = [0, *breaks.tolist(), len(costs)]
    for start, end in pairwise(edges):
        total = np.cumsum(costs[start:end])
        at = 0
        while at < end - start:
            spent = total[at - 1] if at else 0
            to = max(at + 1, int(np.searchsorted(total, spent + limit, side="right")))
            ranges.append((start + at, start + to))
            at = to
    return ranges
