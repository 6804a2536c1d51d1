"""Which tokens of a pair count: the two span policies.

`published`: the tokens that both sentences share, found as the papers' scripts find them, by comparing token
ids (Nangia et al. 2020, CrowS-Pairs; Felkner et al. 2023, WinoQueer). A tail that two identity words have in
common counts as shared wherever the tokenizer happens to split it off.

`slot`: every token but those that touch the identity term's characters. The place of the term is known from
the pairs table, so no part of the term itself is ever scored.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

Positions = list[int]


def _pattern(ids_x: Sequence[int], ids_y: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The two lists with ids renamed in order of appearance: all that the comparison can depend on."""
    names: dict[int, int] = {}
    rename = names.setdefault
    return tuple([rename(i, len(names)) for i in ids_x]), tuple([rename(i, len(names)) for i in ids_y])


class SharedTokens:
    """Finds the shared tokens of two id lists; equal patterns (pairs that differ by a name, say) once."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Positions, Positions]] = {}

    def __call__(self, ids_x: Sequence[int], ids_y: Sequence[int]) -> tuple[Positions, Positions]:
        """Positions of the shared tokens in x and in y: the `equal` blocks of `difflib.SequenceMatcher`.

        The published scripts compare the ids as strings; only their equality matters, so integers give the
        same blocks.
        """
        pattern = _pattern(ids_x, ids_y)
        known = self._known.get(pattern)
        if known is None:
            in_x: Positions = []
            in_y: Positions = []
            for block in difflib.SequenceMatcher(None, *pattern).get_matching_blocks():
                in_x += range(block.a, block.a + block.size)
                in_y += range(block.b, block.b + block.size)
            known = self._known[pattern] = (in_x, in_y)
        return known


def published_positions(
    shared: SharedTokens,
    ids_x: Sequence[int],
    ids_y: Sequence[int],
    special_x: Sequence[bool],
    special_y: Sequence[bool],
) -> tuple[Positions, Positions]:
    """Positions (in x, in y) of the shared tokens that are not special.

    The published scripts leave out the first and the last shared token of a masked model, [CLS] and [SEP],
    and the first of a causal one, BOS. Leaving out what was added says the same and stays right for a tokenizer
    that adds nothing.
    """
    in_x, in_y = shared(ids_x, ids_y)
    kept = [(x, y) for x, y in zip(in_x, in_y, strict=True) if not (special_x[x] or special_y[y])]
    return [x for x, _ in kept], [y for _, y in kept]


def slot_positions(
    text: str, offsets: Sequence[tuple[int, int]], special: Sequence[bool], start: int, end: int
) -> Positions:
    """Positions of the tokens that do not touch the identity term, characters `start` to `end` (exclusive).

    The blanks in front of the term belong to it: tokenizers attach a blank to the word that follows, and some
    make it a token of its own in front of one identity and not of another, so that one sentence of the pair
    would carry a factor that the other lacks.
    """
    while start > 0 and text[start - 1].isspace():
        start -= 1
    return [
        place
        for place, ((a, b), added) in enumerate(zip(offsets, special, strict=True))
        if not added and not ((a < end and b > start) or start <= a == b < end)
    ]
