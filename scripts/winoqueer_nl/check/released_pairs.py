"""Gate ``released``: the pairs of a released edition are those of the release, to the letter."""

from __future__ import annotations

from winoqueer_nl.check.context import Context, Finding
from winoqueer_nl.released import pairs_digest


def released(context: Context) -> list[Finding]:
    """One finding where the count or the digest of the published columns differs from the record of the release."""
    record = context.released_pairs
    if record is None or not context.as_released:
        return []
    columns = list(context.edition.language.published_columns.values())
    rows = [[str(getattr(pair, column)) for column in columns] for pair in context.pairs]
    digest = pairs_digest(rows)
    if digest == record["sha256"]:
        return []
    text = f"{len(rows)} pairs, digest {digest[:12]}; released: {record['rows']} pairs, digest {record['sha256'][:12]}"
    return [Finding("released", context.edition.edition, ("pairs",), text)]
