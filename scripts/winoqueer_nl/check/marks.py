"""Gates on marks and capitals: ``final_mark``, ``signs`` and ``capital_first``."""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding, sentences

#: Every apostrophe and quotation mark that the gate knows to be one.
APOSTROPHES = "'’‘ʼ`´"


def final_mark(context: Context) -> list[Finding]:
    """Sentences without final mark, or with more than one (side by side, or with a blank between)."""
    found = Collected("final_mark")
    marks = context.language.settings.final_marks
    for pair in context.pairs:
        for _, sentence, _, _ in sentences(pair):
            text = sentence.rstrip()
            rest = text.rstrip(marks)
            if rest == text:
                found.add("none", pair.pair_id, f"no final mark: {sentence!r}")
            elif len(text) - len(rest) > 1:
                found.add("double", pair.pair_id, f"more than one final mark: {sentence!r}")
            elif rest.rstrip(" ") != rest and rest.rstrip(" ").endswith(tuple(marks)):
                found.add("double_apart", pair.pair_id, f"two final marks with a blank between: {sentence!r}")
    return found.findings()


def signs(context: Context) -> list[Finding]:
    """Sentences with apostrophes or quotation marks that the language avoids, and those that mix two apostrophes."""
    found = Collected("signs")
    foreign = set(context.language.settings.foreign_signs)
    for pair in context.pairs:
        for _, sentence, _, _ in sentences(pair):
            here = foreign.intersection(sentence)
            if here:
                found.add("foreign", pair.pair_id, f"the sign {min(here)} where others have another: {sentence!r}")
            if sum(sign in sentence for sign in APOSTROPHES) > 1:
                found.add("mixed", pair.pair_id, f"two kinds of apostrophe in one sentence: {sentence!r}")
    return found.findings()


def capital_first(context: Context) -> list[Finding]:
    """Sentences that start with a small letter, by template; scripts without capitals are never found."""
    found = Collected("capital_first")
    for pair in context.pairs:
        for _, sentence, _, _ in sentences(pair):
            first = next((c for c in sentence if c.isalpha()), "")
            if first.islower():
                found.add(pair.template_id, pair.pair_id, f"a small letter at the start: {sentence!r}")
    return found.findings()
