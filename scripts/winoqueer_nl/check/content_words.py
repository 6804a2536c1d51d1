"""Gate ``content_words``: the forms of one stereotype say the same, that is, share their content words (lemmas)."""

from __future__ import annotations

import re
from collections import Counter

from winoqueer_nl.check.context import Collected, Context, Finding, words
from winoqueer_nl.patterns import text_pattern
from winoqueer_nl.schema import Form


def content_words(context: Context) -> list[Finding]:
    """Forms whose lemmas are not those of most forms of the stereotype, by stereotype and form."""
    found = Collected("content_words")
    language = context.language
    if language.settings.lemmas is None:
        return []
    lemmas = Lemmas(context)
    forms: dict[str, list[tuple[Form, frozenset[str]]]] = {}
    for form in context.edition.forms:
        forms.setdefault(form.stereotype_id, []).append((form, lemmas.of(form.text)))
    odd: dict[Form, str] = {}
    for written in forms.values():
        counts = Counter(found_lemmas for _, found_lemmas in written)
        usual = max(counts, key=lambda s: (counts[s], -[w for _, w in written].index(s)))
        for form, own in written:
            if own != usual:
                more, less = sorted(own - usual), sorted(usual - own)
                odd[form] = f"{form.text!r} has {', '.join(more) or 'nothing'} for {', '.join(less) or 'nothing'}"
    used: set[Form] = set()
    for pair in context.pairs:
        row = context.form_of(pair)
        if row in odd:
            used.add(row)
            found.add(f"{row.stereotype_id}.{row.form}", pair.pair_id, f"{row.stereotype_id}: {odd[row]}")
    for form, text in odd.items():
        if form not in used:
            scope = f"{form.stereotype_id}.{form.form}"
            found.add(scope, f"forms:{scope}", f"{form.stereotype_id}: {text}")
    return found.findings()


class Lemmas:
    """Lemmas of the content words of a form, particles taken off separable verbs."""

    def __init__(self, context: Context) -> None:
        import simplemma

        settings = context.language.settings
        assert settings.lemmas is not None
        self._lang = settings.lemmas
        self._lemmatize = simplemma.lemmatize
        self._known = simplemma.is_known
        self._own = {row.word: row.instead or row.word for row in context.language.words if row.use == "lemma"}
        self._function = {word.casefold() for word in settings.function_words}
        self._particles = sorted(settings.separable, key=lambda p: (-len(p), p))

    def of(self, text: str) -> frozenset[str]:
        """The lemmas of a form's content words; slots are left out, ``/`` and brackets separate words."""
        literal = " ".join(part for part in text_pattern(text) if isinstance(part, str))
        found = set()
        for word in words(re.sub(r"[/()]", " ", literal)):
            plain = word.casefold().replace("’", "'")
            if plain in self._function or plain in self._particles:
                continue
            lemma = self._own.get(plain) or self._lemmatize(plain, lang=self._lang).casefold()
            for particle in self._particles:
                stem = lemma.removeprefix(particle)
                # te or ge may stand between particle and verb; the dictionary tells a verb from a chance likeness
                if stem != lemma and len(stem) > 3 and self._known(stem, lang=self._lang):
                    lemma = self._lemmatize(stem, lang=self._lang).casefold()
                    break
            if lemma not in self._function:
                found.add(self._own.get(lemma, lemma))
        return frozenset(found)
