"""Gates on the sentence around identity and predicate: ``carrier`` and ``repeated_verb``."""

from __future__ import annotations

import re
from collections import Counter

from winoqueer_nl.check.context import Collected, Context, Finding, Pair, most_frequent, sentences
from winoqueer_nl.references import IDENTITY, placeholders
from winoqueer_nl.tables import shown


def _carrier(context: Context, pair: Pair, sentence: str, start: int, end: int) -> str:
    """The sentence with its fillings taken out, regardless of blanks, capitals and final marks (other gates' work)."""
    before, after = sentence[:start], sentence[end:]
    predicate = pair.predicate.strip()
    if predicate and predicate in after:
        after = "{predicate}".join(after.rsplit(predicate, 1))
    elif predicate and predicate in before:
        before = "{predicate}".join(before.rsplit(predicate, 1))
    name = context.name_of(pair)
    if name is not None:
        # Only the slots that the template has: a verb among a name's slots may also stand in the template itself.
        slots = set(placeholders(context.templates[pair.template_id].sentence))
        filled = {shown(text).strip() for slot, text in name.slots.items() if slot in slots}
        for text in sorted(filled, key=lambda t: (-len(t), t)):
            taken_out = re.compile(rf"(?<![\w{{]){re.escape(text)}(?![\w}}])")
            before = taken_out.sub("{name}", before)
    text = " ".join(f"{before}{{{IDENTITY}}}{after}".split()).casefold()
    marks = context.language.settings.final_marks
    return re.sub(rf" *[{re.escape(marks)}]+ *$", "", text)


def carrier(context: Context) -> list[Finding]:
    """Sentences worded otherwise than most of their template, by template."""
    found = Collected("carrier")
    seen: dict[str, Counter[str]] = {}
    of_pair: list[tuple[Pair, str, str]] = []
    for pair in context.pairs:
        for _, sentence, start, end in sentences(pair):
            text = _carrier(context, pair, sentence, start, end)
            seen.setdefault(pair.template_id, Counter())[text] += 1
            of_pair.append((pair, sentence, text))
    usual = {template: most_frequent(texts) for template, texts in seen.items()}
    for pair, sentence, text in of_pair:
        most = usual[pair.template_id]
        if text != most:
            found.add(
                pair.template_id,
                pair.pair_id,
                f"template {pair.template_id}: {text!r} where most have {most!r} ({sentence!r})",
            )
    return found.findings()


def repeated_verb(context: Context) -> list[Finding]:
    """Predicates about a person that start with the word that stands before the identity term, by origin."""
    found = Collected("repeated_verb")
    for pair in context.pairs:
        if (
            pair.name_gender is None
            or not pair.predicate
            or not context.templates[pair.template_id].sentence.count("{predicate}")
        ):
            continue
        before = pair.sent_x[: pair.span_start_x].split()
        first = pair.predicate.split()[0]
        if before and first.casefold() == before[-1].casefold():
            found.add(pair.origin, pair.pair_id, f"the verb {first!r} twice: {pair.sent_x!r}")
    return found.findings()
