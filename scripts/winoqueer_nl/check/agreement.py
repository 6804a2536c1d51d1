"""Gate ``agreement``: pronouns and gendered nouns agree with the person.

A pronoun written out in a form is the same for every person: it must come out of a slot of the names table. A noun
of the table, and a pronoun that a slot fills in, must fit the gender of the name, and so must the slots themselves.
"""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding, phrase_pattern
from winoqueer_nl.check.settings import Agreement
from winoqueer_nl.patterns import text_pattern


def agreement(context: Context) -> list[Finding]:
    """Pairs about a person whose predicate does not agree, by phrase."""
    found = Collected("agreement")
    every_row = {row.phrase.casefold(): row for row in context.language.agreement}
    for name in context.edition.names:
        for slot, word in name.slots.items():
            fitting = every_row.get(word.casefold())
            if fitting is not None and fitting.type != "noun" and name.gender not in fitting.genders:
                text = f"{slot} {word!r} of the {name.gender} {name.name_id}"
                found.add(fitting.phrase, f"names:{name.name_id}", text)
    rows = {phrase: row for phrase, row in every_row.items() if row.type != "slot"}
    pattern = phrase_pattern(rows)
    if pattern is None:
        return found.findings()
    for pair in context.pairs:
        if pair.name_gender is None:
            continue
        form = context.form_of(pair)
        literal = "\0".join(p for p in text_pattern(form.text) if isinstance(p, str)) if form else pair.predicate
        written_out = {match.casefold() for match in pattern.findall(literal)}
        for match in dict.fromkeys(m.casefold() for m in pattern.findall(pair.predicate)):
            row = rows[match]
            if not _fits(row, pair.name_gender, match in written_out):
                found.add(row.phrase, pair.pair_id, f"{row.phrase!r} with a {pair.name_gender} name: {pair.sent_x!r}")
    return found.findings()


def _fits(row: Agreement, gender: str, written_out: bool) -> bool:
    if row.type == "pronoun" and written_out:
        return False
    return gender in row.genders
