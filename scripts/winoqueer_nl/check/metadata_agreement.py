"""Gate ``metadata``: the metadata of the edition shows the predicates that its pairs have."""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding
from winoqueer_nl.metadata import form_rows


def metadata(context: Context) -> list[Finding]:
    """Pairs whose predicate is no text of the stereotype in the metadata, by stereotype."""
    found = Collected("metadata")
    texts: dict[str, set[str]] = {}
    for row in form_rows(context.edition):
        texts.setdefault(row.stereotype_id, set()).add(row.text)
    # Forms for single identities or copies are spellings of the same text; the metadata shows the general one.
    narrowed = {(f.stereotype_id, f.form) for f in context.edition.forms if f.identity or f.copy_number}
    for pair in context.pairs:
        form = context.templates[pair.template_id].form
        if pair.predicate not in texts.get(pair.stereotype_id, set()) and (pair.stereotype_id, form) not in narrowed:
            found.add(
                pair.stereotype_id, pair.pair_id, f"the predicate {pair.predicate!r} stands otherwise in the metadata"
            )
    return found.findings()
