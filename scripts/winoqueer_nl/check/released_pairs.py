"""Gate ``released``: the pairs of a released edition are those of the release, to the letter.

Its tables are compared row by row before anything is built (:mod:`winoqueer_nl.released`); pairs that differ all the
same come of another survey, of other tiers left out, or of a change of the program. The gate reports it as a note.
"""

from __future__ import annotations

from winoqueer_nl.check.context import Context, Finding


def released(context: Context) -> list[Finding]:
    """One finding where the digest of the published columns differs from the record of the release."""
    record = context.released_pairs
    if record is None or not context.differs_from_release:
        return []
    text = (
        f"{len(context.pairs):,} pairs, digest {context.digest[:12]}; the release has {record['rows']:,}, digest "
        f"{str(record['sha256'])[:12]}: another survey, or other tiers left out"
    )
    return [Finding("released", context.edition.edition, ("pairs",), text)]
