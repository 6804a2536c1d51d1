"""Where in the text a token stands, for tokenizers that cannot say so themselves."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

#: Marks that tokenizers put in place of a blank or at a word's inside: WordPiece, SentencePiece, byte-level
#: BPE, fastBPE. They stand for no character of the text.
MARKS = ("##", "▁", "Ġ", "</w>", "@@")


def _plain(text: str) -> str:
    """Letters as a tokenizer may have changed them: compatibility forms, no accents, capitals or blanks."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c) and not c.isspace())


def align(text: str, tokens: Sequence[str], unknown: str | None) -> list[tuple[int, int]] | None:
    """Character offsets (start, end exclusive) of each token in `text`; None if the tokens do not spell it.

    Capitals, accents and blanks are ignored in the comparison. An unknown token takes all characters up to
    the place where the next known token continues; two unknown tokens in a row cannot be told apart, so None.
    """
    letters = [(plain, place) for place, char in enumerate(text) for plain in _plain(char)]
    spelled = "".join(letter for letter, _ in letters)
    offsets: list[tuple[int, int]] = []
    at = 0
    waiting = False  # an unknown token whose end is not known yet
    for token in tokens:
        if unknown is not None and token == unknown:
            if waiting:
                return None
            waiting = True
            offsets.append((at, at))
            continue
        piece = token
        for mark in MARKS:
            piece = piece.replace(mark, "")
        piece = _plain(piece)
        found = spelled.find(piece, at) if waiting and piece else at
        if found < 0 or not spelled.startswith(piece, found):
            return None
        if waiting and piece:
            offsets[-1] = (offsets[-1][0], found)
            waiting = False
        offsets.append((found, found + len(piece)))
        at = found + len(piece)
    if waiting:
        # Only the last known token could have said where it ends: it takes the rest.
        last = max(n for n, token in enumerate(tokens) if token == unknown)
        offsets[last] = (offsets[last][0], len(letters))
        at = len(letters)
    if at != len(letters):
        return None
    ends = [place for _, place in letters]

    def characters(start: int, end: int) -> tuple[int, int]:
        if start == end:
            place = ends[start] if start < len(ends) else len(text)
            return place, place
        return ends[start], ends[end - 1] + 1

    return [characters(start, end) for start, end in offsets]
