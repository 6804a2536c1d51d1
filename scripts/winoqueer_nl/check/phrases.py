"""Gates ``phrases`` (the project's list of phrases to avoid) and ``double_word``."""

from __future__ import annotations

import re

from winoqueer_nl.check.context import Collected, Context, Finding, phrase_pattern, sentences

# Letters around a blank: the same word twice. An apostrophe or hyphen makes another word.
_TWICE = re.compile(r"(?<![\w'’\-])(\w+) \1(?![\w'’\-])", re.IGNORECASE)


def phrases(context: Context) -> list[Finding]:
    """Sentences with a phrase of the list, by phrase."""
    found = Collected("phrases")
    rows = {row.phrase.casefold(): row for row in context.language.phrases}
    pattern = phrase_pattern(rows)
    if pattern is None:
        return []
    for pair in context.pairs:
        for _, sentence, _, _ in sentences(pair):
            for match in pattern.findall(sentence):
                row = rows[match.casefold()]
                why = f"instead: {row.instead}" if row.instead else row.reason or "on the list"
                found.add(row.phrase, pair.pair_id, f"{row.phrase!r}: {why} ({sentence!r})")
    return found.findings()


def double_word(context: Context) -> list[Finding]:
    """Sentences with a word twice in a row, by word."""
    found = Collected("double_word")
    for pair in context.pairs:
        for _, sentence, _, _ in sentences(pair):
            for word in _TWICE.findall(sentence):
                found.add(word.casefold(), pair.pair_id, f"{word!r} twice: {sentence!r}")
    return found.findings()
