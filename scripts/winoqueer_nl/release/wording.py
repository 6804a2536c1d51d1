"""How far a changed text goes: spacing and casing, spelling, a wording that was there before, or a new wording.

The least honest version bump hangs on it: a corrected text is a PATCH, a changed template or identity term a MAJOR.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+(?:['’-]\w+)*")

#: Two words this alike (ratio of difflib, 0 to 1) are one word, differently spelled.
SPELLING = 0.6


def words(text: str) -> tuple[str, ...]:
    """The words of a text without casing, spacing and punctuation."""
    return tuple(_WORD.findall(text.casefold()))


def kind_of_change(old: str, new: str, known: Iterable[tuple[str, ...]]) -> str:
    """What sort of change leads from one wording to another.

    Parameters
    ----------
    known: the wordings (as :func:`words` gives them) that the same thing already had before.

    Returns
    -------
    ``spacing`` (spacing, casing or punctuation alone), ``unified`` (a wording that was there before), ``spelling``
    (as many words, each alike) or ``wording``.
    """
    before, after = words(old), words(new)
    if before == after:
        return "spacing"
    if after in set(known):
        return "unified"
    if len(before) == len(after) and all(
        a == b or difflib.SequenceMatcher(None, a, b).ratio() >= SPELLING for a, b in zip(before, after, strict=True)
    ):
        return "spelling"
    return "wording"


def carrier(sentence: str, start: int, end: int, predicate: str) -> str:
    """What the template contributes: the sentence with its identity term and predicate taken out."""
    before, after = sentence[:start], sentence[end:]
    if predicate and predicate in after:
        after = after.replace(predicate, "{predicate}", 1)
    elif predicate and predicate in before:
        before = before.replace(predicate, "{predicate}", 1)
    return f"{before}{{identity}}{after}"
