"""Which row holds where: a filled cell narrows a row to what it names, and the narrowest fitting row wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from winoqueer_nl.schema import Row, Variant

AnyRow = TypeVar("AnyRow", bound=Row)


class Place(NamedTuple):
    """One sentence of one pair. ``side`` is x (stereotypical) or y (counter); ``subject`` a name id or ``group``."""

    template_id: str
    side: str
    stereotype_id: str
    identity: str
    counter_identity: str
    subject: str
    origin: str


class AmbiguousError(Exception):
    """Two rows fit a place equally well; the tables must say which one holds."""

    def __init__(self, rows: Sequence[Row]) -> None:
        super().__init__("equally narrow rows")
        self.rows = rows


def narrowest(rows: Iterable[AnyRow], place: Mapping[str, object], columns: Sequence[str]) -> AnyRow | None:
    """The row with the most filled cells among those whose filled cells all agree with the place.

    Parameters
    ----------
    rows: candidates.
    place: what is known of the place, by column.
    columns: the narrowing columns; an empty cell fits everything, a list of values each of them.

    Raises
    ------
    AmbiguousError
        when two fitting rows have equally many cells filled.
    """
    best: list[AnyRow] = []
    most = -1
    for row in rows:
        filled = 0
        for column in columns:
            value = getattr(row, column)
            if value is not None:
                known = place[column]
                if known not in value if isinstance(value, tuple) else value != known:
                    break
                filled += 1
        else:
            if filled > most:
                best, most = [row], filled
            elif filled == most:
                best.append(row)
    if len(best) > 1:
        raise AmbiguousError(best)
    return best[0] if best else None


def wording(variants: Iterable[Variant], place: Place, column: str) -> str | None:
    """What the variants say of ``sentence`` or ``identity_form`` at a place, or None for the template's own."""
    row = narrowest((v for v in variants if getattr(v, column) is not None), place._asdict(), Place._fields)
    return getattr(row, column) if row is not None else None
