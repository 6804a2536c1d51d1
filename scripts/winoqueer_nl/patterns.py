"""Sentences with the stereotype and the identity filled in, and only the slots of the subject still open."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from string import Formatter
from typing import NamedTuple

from winoqueer_nl.references import IDENTITY, PREDICATE
from winoqueer_nl.tables import shown


class Pattern(NamedTuple):
    """A sentence in three stretches: before the identity term, the term itself, after it.

    ``before`` and ``after`` are tuples of parts; a part is a literal text, or a one-tuple with the name of a slot.
    """

    before: tuple[str | tuple[str], ...]
    identity: str
    after: tuple[str | tuple[str], ...]

    def filled(self, slots: dict[str, str]) -> tuple[str, int, int]:
        """The sentence and the character offsets of the identity term (start, end; end exclusive).

        Raises KeyError with the slot's name where ``slots`` lacks one.
        """
        before = "".join([part if isinstance(part, str) else slots[part[0]] for part in self.before])
        after = "".join([part if isinstance(part, str) else slots[part[0]] for part in self.after])
        start = len(before)
        return before + self.identity + after, start, start + len(self.identity)


@lru_cache(maxsize=4096)  # a sentence and a predicate stand with many identities
def parts_of(text: str) -> tuple[str | tuple[str], ...]:
    """Take a text with slots apart; visible blanks and line feeds become what they stand for."""
    parts: list[str | tuple[str]] = []
    for literal, slot, _, _ in Formatter().parse(text):
        if literal:
            parts.append(shown(literal))
        if slot is not None:
            parts.append((slot,))
    return tuple(parts)


def compile_pattern(sentence: str, predicate: str, identity: str) -> Pattern:
    """Fill the identity and the predicate into a sentence.

    Parameters
    ----------
    sentence: with {identity} once, {predicate} at most once, other slots as they come.
    predicate: its own slots stay open.
    identity: the text of the identity term as it stands at this place.
    """
    stretches: list[list[str | tuple[str]]] = [[], []]
    current = 0
    for part in parts_of(sentence):
        if part == (IDENTITY,):
            current = 1
        else:
            stretches[current].extend(parts_of(predicate) if part == (PREDICATE,) else [part])
    return Pattern(_merged(stretches[0]), shown(identity), _merged(stretches[1]))


def text_pattern(text: str) -> tuple[str | tuple[str], ...]:
    """A text without identity term, such as the predicate alone, in parts."""
    return _merged(parts_of(text))


def fill(parts: tuple[str | tuple[str], ...], slots: dict[str, str]) -> str:
    """Fill the slots of a text taken apart by :func:`text_pattern`; KeyError where one is lacking."""
    return "".join([part if isinstance(part, str) else slots[part[0]] for part in parts])


def _merged(parts: Iterable[str | tuple[str]]) -> tuple[str | tuple[str], ...]:
    """Neighbouring literals made one, so that filling joins as few strings as possible."""
    merged: list[str | tuple[str]] = []
    for part in parts:
        if merged and isinstance(part, str) and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)
