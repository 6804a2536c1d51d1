"""Every log-probability that the pairs need, listed once, and the sums that turn them into scores.

A pair's score under a policy is a sum of token log-probabilities. Those depend on the sentence and the
position alone, neither on the pair nor on the policy, so each (sentence, position) is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from winoqueer_nl.scoring.pairs import Pairs
from winoqueer_nl.scoring.spans import SharedTokens, published_positions, slot_positions
from winoqueer_nl.scoring.tokenizing import Encoded, encode

POLICIES = ("published", "slot")


@dataclass(frozen=True)
class Sum:
    """One policy's sums over the needed tokens; arrays of one length, a term each.

    pair: row of the pair; side: 0 for sent_x, 1 for sent_y; token: index into :class:`Needed`.
    """

    pair: np.ndarray
    side: np.ndarray
    token: np.ndarray

    def scores(self, values: np.ndarray, n_pairs: int) -> np.ndarray:
        """Pair scores, shape (n_pairs, 2), natural log, added up in double precision."""
        total = np.bincount(self.pair * 2 + self.side, weights=values[self.token], minlength=n_pairs * 2)
        return total.reshape(n_pairs, 2)

    def counts(self, n_pairs: int) -> np.ndarray:
        """Tokens that each score rests on, shape (n_pairs, 2)."""
        return np.bincount(self.pair * 2 + self.side, minlength=n_pairs * 2).reshape(n_pairs, 2)

    def tokens_of(self, pairs: np.ndarray) -> np.ndarray:
        """The needed tokens of some pairs, ascending, each once."""
        return np.unique(self.token[np.isin(self.pair, pairs)])


@dataclass(frozen=True)
class Needed:
    """The tokens whose log-probability is needed: `sentence[i]` at `position[i]`, each once, ascending.

    sums: per policy how they add up; `slot` is there only when the pairs have spans.
    unequal_slot: pairs whose unmodified tokens differ between the two sentences (the tokenizer merged
        something across the identity's edge, or the sentences differ elsewhere), as row numbers.
    alike: pairs whose two sentences are the same tokens (both identities unknown to it, say): exact ties.
    """

    encoded: Encoded
    sentence: np.ndarray
    position: np.ndarray
    sums: dict[str, Sum]
    n_pairs: int
    unequal_slot: np.ndarray
    alike: np.ndarray

    def __len__(self) -> int:
        return len(self.sentence)


class _Terms:
    def __init__(self) -> None:
        self.rows: list[int] = []
        self.lengths: list[int] = []
        self.sentences: list[int] = []
        self.positions: list[int] = []

    def add(self, row: int, sentence: int, positions: list[int]) -> None:
        self.rows.append(row)
        self.lengths.append(len(positions))
        self.sentences.append(sentence)
        self.positions += positions

    def keys(self) -> tuple[np.ndarray, np.ndarray]:
        lengths = np.array(self.lengths, dtype=np.int64)
        sentence = np.repeat(np.array(self.sentences, dtype=np.int64), lengths)
        return np.repeat(np.array(self.rows, dtype=np.int64), lengths), sentence * _WIDE + np.array(
            self.positions, dtype=np.int64
        )


_WIDE = 1 << 20  # more positions than any sentence has


def needed_tokens(tokenizer: Any, pairs: Pairs, kind: str, name: str) -> Needed:
    """Tokenize the distinct sentences of `pairs` and list what both policies need.

    `slot` is left out when the pairs have no spans, or when the tokens cannot be placed in the text.
    """
    frame = pairs.frame
    both = frame["sent_x"].tolist() + frame["sent_y"].tolist()
    number = {text: place for place, text in enumerate(dict.fromkeys(both))}
    encoded = encode(tokenizer, list(number), kind, name)
    n = len(frame)
    x = [number[text] for text in both[:n]]
    y = [number[text] for text in both[n:]]
    shared = SharedTokens()
    terms = {"published": _Terms()}
    ids, special = encoded.ids, encoded.special
    for row in range(n):
        a, b = x[row], y[row]
        in_x, in_y = published_positions(shared, ids[a], ids[b], special[a], special[b])
        terms["published"].add(2 * row, a, in_x)
        terms["published"].add(2 * row + 1, b, in_y)
    unequal = []
    if pairs.has_spans and all(places is not None for places in encoded.offsets):
        terms["slot"] = _Terms()
        spans = [frame[f"span_{edge}_{side}"].tolist() for side in "xy" for edge in ("start", "end")]
        known: dict[tuple[int, int, int], list[int]] = {}
        for row in range(n):
            found = []
            for side, sentence in enumerate((x[row], y[row])):
                key = (sentence, spans[2 * side][row], spans[2 * side + 1][row])
                if key not in known:
                    offsets = encoded.offsets[sentence]
                    assert offsets is not None
                    text = encoded.sentences[sentence]
                    known[key] = slot_positions(text, offsets, special[sentence], key[1], key[2])
                terms["slot"].add(2 * row + side, sentence, known[key])
                found.append([ids[sentence][place] for place in known[key]])
            if found[0] != found[1]:
                unequal.append(row)
    keys = {policy: term.keys() for policy, term in terms.items()}
    distinct = np.unique(np.concatenate([key for _, key in keys.values()]))
    sums = {policy: Sum(rows // 2, rows % 2, np.searchsorted(distinct, key)) for policy, (rows, key) in keys.items()}
    alike = np.array([row for row in range(n) if ids[x[row]] == ids[y[row]]], dtype=np.int64)
    unequal_slot = np.array(unequal, dtype=np.int64)
    return Needed(encoded, distinct // _WIDE, distinct % _WIDE, sums, n, unequal_slot, alike)
