"""Pseudo-log-likelihood of masked models (Salazar et al. 2020): each token masked alone."""

from __future__ import annotations

import hashlib

import numpy as np
import torch

from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.tokens import Needed
from winoqueer_nl.scoring.work import Shard, cut


class MaskedPlan:
    """One sequence per distinct masked sentence; sequences of exactly equal length side by side.

    Sentences that differ in one token alone (a name, say) become the same sequence once that token is masked:
    one pass then answers all of them.

    Parameters
    ----------
    needed: the tokens to be scored.
    mask: the mask token's id.
    shard_tokens: token positions in a shard, at most (one sequence at least).
    only: indices of the needed tokens to plan for; all by default.
    """

    def __init__(self, needed: Needed, mask: int, shard_tokens: int, only: np.ndarray | None = None) -> None:
        wanted = np.arange(len(needed)) if only is None else np.asarray(only)
        sentence, position = needed.sentence[wanted], needed.position[wanted]
        ids = needed.encoded.ids
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        of_length = lengths[sentence]
        self.sequences: list[np.ndarray] = []  # per length, shape (n, length): ids with one mask
        self.starts: list[int] = []  # number of the first sequence of each length
        masked_at, targets, tokens, sequence_of = [], [], [], []
        total = 0
        for length in np.unique(of_length):
            chosen = np.flatnonzero(of_length == length)
            of_this = np.unique(sentence[chosen])
            table = np.array([ids[s] for s in of_this], dtype=np.int32)
            rows = table[np.searchsorted(of_this, sentence[chosen])]
            places = position[chosen]
            line = np.arange(len(chosen))
            target = rows[line, places].copy()
            rows[line, places] = mask
            keyed = np.ascontiguousarray(np.column_stack([rows, places.astype(np.int32)]))
            as_bytes = keyed.view(np.dtype((np.void, keyed.dtype.itemsize * keyed.shape[1]))).ravel()
            _, first, inverse = np.unique(as_bytes, return_index=True, return_inverse=True)
            order = np.argsort(inverse, kind="stable")
            self.sequences.append(rows[first])
            self.starts.append(total)
            masked_at.append(places[first])
            sequence_of.append(inverse[order] + total)
            targets.append(target[order])
            tokens.append(wanted[chosen][order])
            total += len(first)
        self.masked_at = np.concatenate(masked_at)
        self.sequence_of = np.concatenate(sequence_of)
        self.targets = np.concatenate(targets).astype(np.int64)
        self.tokens = np.concatenate(tokens)
        costs = np.concatenate([np.full(len(block), block.shape[1]) for block in self.sequences])
        self.shards = []
        for start, end in cut(costs, shard_tokens, np.array(self.starts[1:], dtype=np.int64)):
            a, b = np.searchsorted(self.sequence_of, [start, end])
            self.shards.append(Shard(start, end, self.tokens[a:b], int(costs[start:end].sum())))

    def digest(self) -> str:
        """A hash over the sequences, the targets and the cuts."""
        digest = hashlib.sha256()
        for block in self.sequences:
            digest.update(np.ascontiguousarray(block).tobytes())
        digest.update(self.targets.tobytes() + self.tokens.tobytes())
        digest.update(np.array([(s.first, s.last) for s in self.shards]).tobytes())
        return digest.hexdigest()

    def compute(self, shard: Shard, engine: Engine, budget: int) -> np.ndarray:
        """See :meth:`winoqueer_nl.scoring.work.Plan.compute`."""
        block = int(np.searchsorted(self.starts, shard.first, side="right")) - 1
        offset = self.starts[block]
        rows, length = self.sequences[block], self.sequences[block].shape[1]
        out = []
        step = max(1, budget // length)
        for first in range(shard.first, shard.last, step):
            last = min(first + step, shard.last)
            batch = torch.from_numpy(rows[first - offset : last - offset].astype(np.int64))
            places = torch.from_numpy(self.masked_at[first:last].astype(np.int64))
            a, b = np.searchsorted(self.sequence_of, [first, last])
            at_mask = engine.hidden_at(batch, places)
            of_row = torch.from_numpy(self.sequence_of[a:b] - first)
            out.append(engine.log_probabilities(at_mask, of_row, torch.from_numpy(self.targets[a:b])))
        return np.concatenate(out)
