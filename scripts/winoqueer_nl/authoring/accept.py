"""Writing what a review has decided: accepted forms, corrections, the state of every proposal."""

from __future__ import annotations

from collections.abc import Sequence

from winoqueer_nl.authoring.changes import Changes, close_pending, held_before, insert_form
from winoqueer_nl.authoring.proposals import in_order, is_general, lacking, translations_text
from winoqueer_nl.authoring.review import Decision, chosen_proposal
from winoqueer_nl.schema import Translation
from winoqueer_nl.sources import TRANSLATIONS_FILE, Sources

#: The kind of a correction where no reviewer has named one.
USUAL_KIND = "wording"


def apply(
    changes: Changes,
    sources: Sources,
    translations: Sequence[Translation],
    decisions: Sequence[Decision],
    edition: str,
) -> list[str]:
    """Put the decisions into the tables of ``changes``; return what is done, in words.

    A stereotype's forms are written when the last one that it needs has been accepted: half a stereotype cannot be
    built. Until then the accepted ones wait in the table of proposals.
    """
    rows = list(translations)
    done: list[str] = []
    for decision in decisions:
        if decision.status not in ("accepted", "rejected"):
            continue
        if decision.item.standing == "current":
            done += _correct(changes, sources, decision, edition)
        else:
            rows = _settled(rows, decision)
    done += _complete(changes, sources, rows, edition)
    if rows != list(translations):
        changes.set_text(TRANSLATIONS_FILE.format(lang=sources.lang), translations_text(in_order(rows, sources)))
    return done


def _settled(rows: list[Translation], decision: Decision) -> list[Translation]:
    """The table of proposals after one decision about a form that waits."""
    place = (decision.item.stereotype.stereotype_id, decision.item.form)
    own = [row for row in rows if (row.stereotype_id, row.form) == place]
    shown = chosen_proposal(own)
    accepted = decision.status == "accepted"
    by = {"reviewers": decision.reviewers}
    if shown is None:
        outcome = {"state": decision.status, "text": decision.text or None}
        new = Translation(stereotype_id=place[0], form=place[1], engine="reviewer", **outcome, **by)  # type: ignore[arg-type]
        known = any(row.model_dump() == new.model_dump() for row in own)
        return rows if known else [*rows, new]
    settled = []
    for row in rows:
        if row is shown and accepted:
            row = row.model_copy(update={"state": "accepted", "text": decision.text, **by})
        elif row in own and row.state == "proposed":
            row = row.model_copy(update={"state": "rejected", **by})
        settled.append(row)
    return settled


def _complete(changes: Changes, sources: Sources, rows: Sequence[Translation], edition: str) -> list[str]:
    """Write the forms of every stereotype that has them all accepted now."""
    accepted = {(row.stereotype_id, row.form): row for row in rows if row.state == "accepted"}
    done = []
    for gap in lacking(sources, edition):
        stereotype_id = gap.stereotype.stereotype_id
        found = {form: accepted.get((stereotype_id, form)) for form in gap.forms}
        missing = [form for form, row in found.items() if row is None]
        if not missing and found:
            for form, row in found.items():
                assert row is not None
                assert row.text is not None
                reason = _reviewed_by(row.reviewers or ())
                insert_form(changes, sources, stereotype_id, form, row.text, reason)
            close_pending(changes, sources, stereotype_id)
            done.append(f"{stereotype_id} ({gap.stereotype.gloss}): {len(found)} forms written to forms.csv")
        elif len(missing) < len(found):
            done.append(
                f"{stereotype_id} ({gap.stereotype.gloss}): {len(found) - len(missing)} of {len(found)} forms accepted,"
                f" still without {', '.join(missing)}"
            )
    return done


def _correct(changes: Changes, sources: Sources, decision: Decision, edition: str) -> list[str]:
    """Correct a form that is in use; what earlier editions said goes to forms.retired.csv with kind and reason."""
    item, lang = decision.item, sources.lang
    if decision.status == "rejected":
        return [f"{item.item}: rejected though in use; nothing changed. Say in absent.csv or coverage.csv what holds"]
    if decision.text == item.proposal:
        return []
    current = str(sources.paths["forms"])
    rows = [
        row
        for row in sources.rows["forms"]
        if (row.stereotype_id, row.form) == (item.stereotype.stereotype_id, item.form)
        and is_general(row)
        and row.valid_at(edition)
        and row.file == current
    ]
    if not rows:
        return [f"{item.item}: nothing changed; an edition after {edition} has corrected this form already"]
    row = rows[0]
    table = changes.table("forms", lang)
    cells = dict(table.rows())[row.row]
    kind = decision.kind or USUAL_KIND
    comments = "; ".join(answer.comment for answer in decision.answers.values() if answer.comment)
    reason = _reviewed_by(decision.reviewers) + (f": {comments}" if comments else "")
    if held_before(changes, lang, row):
        changes.retired("forms", lang).insert(cells | {"until": changes.since, "kind": kind, "reason": reason})
        cells = cells | {"since": changes.since or "", "kind": "", "reason": _reviewed_by(decision.reviewers)}
    else:
        cells = cells | {"reason": reason}
    table.replace(row.row, cells | {"text": decision.text})
    return [f'{item.item}: "{item.proposal}" corrected to "{decision.text}" ({kind}, {reason})']


def _reviewed_by(reviewers: Sequence[str]) -> str:
    return f"reviewed by {', '.join(reviewers)}"
