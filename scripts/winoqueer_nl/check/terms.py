"""Gates on identity terms: ``term_form``, ``term_casing``, ``term_wording`` and ``label``."""

from __future__ import annotations

from collections import Counter

from winoqueer_nl.check.context import Collected, Context, Finding, most_frequent, sentences
from winoqueer_nl.tables import shown


def _plain(term: str) -> str:
    return " ".join(term.casefold().split())


def term_form(context: Context) -> list[Finding]:
    """Pairs whose two terms have different syntax, by identity; terms whose syntax no row says."""
    found = Collected("term_form")
    syntax: dict[tuple[str, str], str | None] = {}
    for row in context.edition.identity_forms:
        for text in (row.text, row.sentence_initial):
            if text is not None:
                syntax[row.identity, shown(text)] = row.syntax
    for pair in context.pairs:
        x = syntax.get((pair.identity, pair.term_x))
        y = syntax.get((pair.counter_identity, pair.term_y))
        if x is None or y is None:
            lacking = pair.term_x if x is None else pair.term_y
            found.add(f"unknown:{_plain(lacking)}", pair.pair_id, f"no syntax is given for the term {lacking!r}")
        elif x != y:
            found.add(pair.identity, pair.pair_id, f"{pair.term_x!r} is {x}, {pair.term_y!r} is {y}")
    return found.findings()


def term_casing(context: Context) -> list[Finding]:
    """Terms with a capital inside a sentence, by side; initialisms are a matter of spelling, not of casing."""
    found = Collected("term_casing")
    if not context.language.settings.lower_case_terms:
        return []
    for pair in context.pairs:
        for side, sentence, start, end in sentences(pair):
            term = sentence[start:end]
            initialism = term[:2].isupper()
            if start > 0 and term[:1].isupper() and not initialism:
                found.add(side, pair.pair_id, f"a capital inside the sentence, side {side}: {sentence!r}")
    return found.findings()


def term_wording(context: Context) -> list[Finding]:
    """Pairs whose term is written otherwise than most of the identity's terms of that form, by identity."""
    found = Collected("term_wording")
    written: dict[tuple[str, str], Counter[str]] = {}
    for pair in context.pairs:
        form = context.templates[pair.template_id].identity_form
        for identity, term in ((pair.identity, pair.term_x), (pair.counter_identity, pair.term_y)):
            written.setdefault((identity, form), Counter())[_plain(term)] += 1
    usual = {key: most_frequent(terms) for key, terms in written.items()}
    for pair in context.pairs:
        form = context.templates[pair.template_id].identity_form
        for identity, term in ((pair.identity, pair.term_x), (pair.counter_identity, pair.term_y)):
            most = usual[identity, form]
            if _plain(term) != most:
                found.add(identity, pair.pair_id, f"{term!r} where most pairs of {identity} have {most!r} ({form})")
    return found.findings()


def label(context: Context) -> list[Finding]:
    """Pairs whose stereotypical term does not start with the identity's label as a word, by label."""
    found = Collected("label")
    if not context.language.settings.labels_in_terms:
        return []
    for pair in context.pairs:
        if _plain(pair.term_x).split(" ")[0] != pair.identity_label.casefold():
            found.add(
                pair.identity_label, pair.pair_id, f"the label is {pair.identity_label!r}, the term {pair.term_x!r}"
            )
    return found.findings()
