"""Gate ``repeats``: no pair of sentences stands twice, to the letter or but for blanks, capitals and marks."""

from __future__ import annotations

import re

from winoqueer_nl.check.context import Collected, Context, Finding


def repeats(context: Context) -> list[Finding]:
    """Pairs that repeat an earlier one: ``exact``, or ``near`` (the same words)."""
    found = Collected("repeats")
    exact: dict[tuple[str, str], str] = {}
    near: dict[tuple[str, str], str] = {}
    for pair in context.pairs:
        sentences = (pair.sent_x, pair.sent_y)
        x, y = (re.sub(r"[\W_]+", " ", s.casefold()).strip() for s in sentences)
        if sentences in exact:
            found.add("exact", pair.pair_id, f"as {exact[sentences]}: {pair.sent_x!r}")
        elif (x, y) in near:
            found.add("near", pair.pair_id, f"the words of {near[x, y]}: {pair.sent_x!r}")
        exact.setdefault(sentences, pair.pair_id)
        near.setdefault((x, y), pair.pair_id)
    return found.findings()
