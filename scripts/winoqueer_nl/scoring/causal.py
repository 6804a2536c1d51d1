"""Left-to-right log-likelihood of causal models: one pass per distinct sentence, shared beginnings once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.tokens import Needed
from winoqueer_nl.scoring.work import Shard, cut

#: What a sequence with a shared beginning costs beyond its own tokens, in tokens: its keys and values are
#: copied and its batch is smaller. A beginning is shared only where it saves more than that.
OVERHEAD = 0.5


@dataclass(frozen=True)
class Group:
    """Sequences `first` to `last` (end exclusive, sorted) whose first `depth` tokens are computed once."""

    depth: int
    first: int
    last: int


def _common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    n = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        n += 1
    return n


def groups_of(sequences: list[tuple[int, ...]], share: bool = True) -> list[Group]:
    """The cheapest cut of sorted sequences, none of them the beginning of another, into groups.

    Dynamic programming over the tree of beginnings: a branch either shares its whole common beginning or is
    left to its sub-branches. With `share=False` every sequence stands alone.
    """
    if not share:
        return [Group(0, row, row + 1) for row in range(len(sequences))]
    lengths = [len(s) for s in sequences]
    common = [0, *(_common(a, b) for a, b in pairwise(sequences))]
    total = np.concatenate([[0], np.cumsum(lengths)])

    def best(lo: int, hi: int) -> tuple[float, list[Group]]:
        if hi - lo == 1:
            return lengths[lo], [Group(0, lo, hi)]
        depth = min(common[lo + 1 : hi])
        edges = [lo, *(row for row in range(lo + 1, hi) if common[row] == depth), hi]
        cost, groups = 0.0, []
        for a, b in pairwise(edges):
            child_cost, child_groups = best(a, b)
            cost += child_cost
            groups += child_groups
        here = depth + float(total[hi] - total[lo]) - (hi - lo) * (depth - OVERHEAD)
        return (here, [Group(depth, lo, hi)]) if depth and here < cost else (cost, groups)

    return best(0, len(sequences))[1] if sequences else []


class CausalPlan:
    """Distinct sequences of input tokens, grouped by shared beginnings, and the tokens that each answers.

    The log-probability of the token at position p is read at position p - 1 of a sequence that holds the p
    tokens before it, so the last token of a sentence is never an input. A sentence whose inputs are the
    beginning of another sentence's needs no pass of its own.

    Parameters
    ----------
    needed: the tokens to be scored.
    shard_tokens: token positions in a shard, at most (one group at least).
    only: indices of the needed tokens to plan for; all by default.
    share: whether shared beginnings are computed once.
    """

    def __init__(self, needed: Needed, shard_tokens: int, only: np.ndarray | None = None, share: bool = True) -> None:
        wanted = np.arange(len(needed)) if only is None else np.asarray(only)
        sentence, position = needed.sentence[wanted], needed.position[wanted]
        ids = needed.encoded.ids
        longest = np.zeros(len(ids), dtype=np.int64)
        np.maximum.at(longest, sentence, position)
        inputs = {int(s): tuple(ids[s][: longest[s]]) for s in np.unique(sentence)}
        ordered = sorted(set(inputs.values()))
        # Going backwards, a sequence that begins its successor is answered by whatever answers the successor.
        answers: dict[tuple[int, ...], tuple[int, ...]] = {}
        for place in range(len(ordered) - 1, -1, -1):
            this = ordered[place]
            after = ordered[place + 1] if place + 1 < len(ordered) else ()
            answers[this] = answers[after] if after[: len(this)] == this else this
        rows = [s for s in ordered if answers[s] is s]
        number = {s: place for place, s in enumerate(rows)}
        found = groups_of(rows, share)
        found.sort(key=lambda g: (g.depth, len(rows[g.first]), g.first))
        order = [row for group in found for row in range(group.first, group.last)]
        moved = {row: place for place, row in enumerate(order)}
        self.rows = [rows[row] for row in order]
        self.groups, at = [], 0
        for group in found:
            self.groups.append(Group(group.depth, at, at + group.last - group.first))
            at = self.groups[-1].last
        row_of_sentence = {s: moved[number[answers[key]]] for s, key in inputs.items()}
        row = np.array([row_of_sentence[s] for s in sentence.tolist()], dtype=np.int64)
        order_of_tokens = np.argsort(row, kind="stable")
        self.row = row[order_of_tokens]
        self.column = position[order_of_tokens] - 1
        self.tokens = wanted[order_of_tokens]
        # A start token alone is never scored, so positions run from 1 and columns from 0.
        self.targets = np.array(
            [ids[s][p] for s, p in zip(sentence.tolist(), position.tolist(), strict=True)], dtype=np.int64
        )[order_of_tokens]
        costs = np.array(
            [g.depth + sum(len(r) - g.depth for r in self.rows[g.first : g.last]) for g in self.groups],
            dtype=np.int64,
        )
        self.shards = []
        for first, last in cut(costs, shard_tokens, np.array([], dtype=np.int64)):
            a, b = np.searchsorted(self.row, [self.groups[first].first, self.groups[last - 1].last])
            self.shards.append(Shard(first, last, self.tokens[a:b], int(costs[first:last].sum())))

    def digest(self) -> str:
        """A hash over the sequences, the groups, the targets and the cuts."""
        digest = hashlib.sha256(repr((self.rows, self.groups)).encode())
        digest.update(self.targets.tobytes() + self.tokens.tobytes())
        digest.update(np.array([(s.first, s.last) for s in self.shards]).tobytes())
        return digest.hexdigest()

    def compute(self, shard: Shard, engine: Engine, budget: int) -> np.ndarray:
        """See :meth:`winoqueer_nl.scoring.work.Plan.compute`."""
        groups = self.groups[shard.first : shard.last]
        offset = int(np.searchsorted(self.row, groups[0].first))
        out = np.full(len(shard.tokens), np.nan)
        at = 0
        while at < len(groups):
            depth = groups[at].depth
            to = at
            while to < len(groups) and groups[to].depth == depth and (to - at + 1) * max(depth, 1) <= budget:
                to += 1
            to = max(to, at + 1)
            self._batch(groups[at:to], depth, engine, budget, out, offset)
            at = to
        return out

    def _batch(
        self, groups: list[Group], depth: int, engine: Engine, budget: int, out: np.ndarray, offset: int
    ) -> None:
        """Groups of one depth: their beginnings together, then their sequences by length."""
        rows = np.arange(groups[0].first, groups[-1].last)
        cache = None
        group_of = np.repeat(np.arange(len(groups)), [g.last - g.first for g in groups])
        if depth:
            beginnings = torch.tensor([self.rows[g.first][:depth] for g in groups])
            hidden, cache = engine.hidden_and_cache(beginnings)
            self._answer(hidden, rows, group_of, 0, depth, engine, out, offset)
        lengths = np.array([len(self.rows[row]) for row in rows])
        for length in np.unique(lengths):
            chosen = np.flatnonzero(lengths == length)
            step = max(1, budget // int(length))
            for first in range(0, len(chosen), step):
                part = chosen[first : first + step]
                batch = torch.tensor([self.rows[row][depth:] for row in rows[part]])
                if cache is None:
                    hidden = engine.hidden(batch)
                else:
                    hidden = engine.hidden_after(cache, torch.from_numpy(group_of[part]), batch)
                self._answer(hidden, rows[part], np.arange(len(part)), depth, int(length), engine, out, offset)

    def _answer(
        self,
        hidden: torch.Tensor,
        rows: np.ndarray,
        line_of: np.ndarray,
        start: int,
        end: int,
        engine: Engine,
        out: np.ndarray,
        offset: int,
    ) -> None:
        """Score the tokens of `rows` that are read at columns `start` to `end` of `hidden`.

        hidden: shape (lines, end - start, width); line_of: the line of each row.
        """
        a = np.searchsorted(self.row, rows)
        b = np.searchsorted(self.row, rows, side="right")
        places = np.concatenate([np.arange(x, y) for x, y in zip(a, b, strict=True)])
        line = np.repeat(line_of, b - a)
        column = self.column[places]
        inside = (column >= start) & (column < end)
        places, cell = places[inside], line[inside] * (end - start) + column[inside] - start
        if len(places) == 0:
            return
        cells, of_cell = np.unique(cell, return_inverse=True)
        states = hidden.flatten(0, 1)[torch.from_numpy(cells).to(hidden.device)]
        values = engine.log_probabilities(states, torch.from_numpy(of_cell), torch.from_numpy(self.targets[places]))
        out[places - offset] = values
