"""Gate ``blanks``: blanks where none belongs, by kind and by what they come from."""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding, Pair, sentences
from winoqueer_nl.tables import shown


def blanks(context: Context) -> list[Finding]:
    """Doubled blanks (in the term, after a name, elsewhere), blanks at the ends and before marks, line breaks."""
    found = Collected("blanks")
    settings = context.language.settings
    marks = tuple(f" {mark}" for mark in settings.final_marks + settings.inner_marks)
    for pair in context.pairs:
        for _, sentence, start, end in sentences(pair):
            if "  " in sentence:
                place = _place(context, pair, sentence, start, end)
                found.add(f"double:{place}", pair.pair_id, f"two blanks in a row: {sentence!r}")
            if sentence != sentence.strip(" "):
                found.add("edge", pair.pair_id, f"a blank at the start or end: {sentence!r}")
            if any(mark in sentence for mark in marks):
                found.add("before_mark", pair.pair_id, f"a blank before a punctuation mark: {sentence!r}")
            if len(sentence.splitlines()) > 1 or "\n" in sentence or "\t" in sentence:
                found.add("line_break", pair.pair_id, f"a line break inside: {sentence!r}")
        if pair.predicate != pair.predicate.strip():
            found.add("predicate", pair.pair_id, f"a blank at the end of the predicate column: {pair.predicate!r}")
    return found.findings()


def _place(context: Context, pair: Pair, sentence: str, start: int, end: int) -> str:
    if "  " in sentence[start:end]:
        return "term"
    name = context.name_of(pair)
    for text in name.slots.values() if name else ():
        filled = shown(text)
        if filled != filled.strip() and f"{filled.strip()}  " in sentence:
            return "name"
    return "carrier"
