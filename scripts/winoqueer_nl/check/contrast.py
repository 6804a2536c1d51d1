"""Gate ``contrast``: predicates that name one of the two groups of a pair are marked as non-contrastive."""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding, Pair, phrase_pattern
from winoqueer_nl.check.settings import NonContrastive


def contrast(context: Context) -> list[Finding]:
    """Unmarked pairs whose predicate names the identity or the counter identity, by stereotype."""
    found = Collected("contrast")
    rows = {row.word.casefold(): row.identities for row in context.language.identity_words}
    pattern = phrase_pattern(rows)
    if pattern is None:
        return []
    marks = [row for row in context.language.non_contrastive if row.valid_at(context.edition.edition)]
    for pair in context.pairs:
        named = [m for m in pattern.findall(pair.predicate) if _concerns(rows[m.casefold()], pair)]
        if named and not any(_marked(row, pair) for row in marks):
            side = "the counter group" if pair.counter_identity in rows[named[0].casefold()] else "the group itself"
            found.add(pair.stereotype_id, pair.pair_id, f"{named[0]!r} names {side}: {pair.sent_y!r}")
    return found.findings()


def _concerns(identities: tuple[str, ...], pair: Pair) -> bool:
    return pair.identity in identities or pair.counter_identity in identities


def _marked(row: NonContrastive, pair: Pair) -> bool:
    return (
        row.stereotype_id == pair.stereotype_id
        and row.identity in (None, pair.identity)
        and row.counter_identity in (None, pair.counter_identity)
    )


def marked_pairs(context: Context) -> list[tuple[str, str, str]]:
    """The pairs marked as non-contrastive: (pair id, stereotype id, reason)."""
    marks = [row for row in context.language.non_contrastive if row.valid_at(context.edition.edition)]
    found = []
    for pair in context.pairs:
        row = next((row for row in marks if _marked(row, pair)), None)
        if row is not None:
            found.append((pair.pair_id, pair.stereotype_id, row.reason))
    return found
