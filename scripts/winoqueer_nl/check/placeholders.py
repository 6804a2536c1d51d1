"""Gate ``placeholders``: no unfinished text, and no gloss that stands where a translation belongs."""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding, sentences


def placeholders(context: Context) -> list[Finding]:
    """Sentences with a sign of unfinished text, and forms that are the gloss itself in another language than it."""
    found = Collected("placeholders")
    settings = context.language.settings
    for pair in context.pairs:
        for _, sentence, _, _ in sentences(pair):
            for sign in settings.placeholders:
                if sign in sentence:
                    found.add(sign, pair.pair_id, f"{sign!r} in {sentence!r}")
    if not settings.gloss_language:
        glosses = {row.stereotype_id: {row.gloss, row.gloss_singular} for row in context.edition.stereotypes}
        for form in context.edition.forms:
            # A single word (creative, queer) may be the same in two languages; a phrase is not.
            if " " in form.text and form.text in glosses[form.stereotype_id]:
                row = f"forms:{form.stereotype_id}.{form.form}"
                found.add("untranslated", row, f"{form.text!r} is the gloss, not a translation")
    return found.findings()
