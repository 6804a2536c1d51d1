"""Review by native speakers: what is asked, how the answers are read, and what they decide.

Pure functions; :mod:`winoqueer_nl.authoring.accept` writes what they decide into the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from winoqueer_nl.authoring import preview
from winoqueer_nl.authoring.agreement import Agreement
from winoqueer_nl.authoring.proposals import holds_only, is_general, lacking, normalised, slots_of_form
from winoqueer_nl.authoring.spreadsheets import read_sheet
from winoqueer_nl.edition import Edition
from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.schema import Kind, Stereotype, Translation
from winoqueer_nl.sources import Sources

#: Columns of a review sheet -> their width in characters.
COLUMNS = {
    "item": 22,
    "stereotype": 30,
    "form": 14,
    "sentences": 60,
    "proposal": 34,
    "choice": 10,
    "wording": 34,
    "kind": 12,
    "comment": 40,
    "lang": 6,
    "reviewer": 9,
}
TO_FILL = ("choice", "wording", "kind", "comment")
#: What a reviewer may choose; an empty cell means "not answered".
CHOICES = ("accept", "change", "reject", "unsure")
KINDS: tuple[str, ...] = get_args(Kind)
EXPLAINED = (
    "Each row of the sheet Review asks about one form of one stereotype; the column sentences shows where it stands.",
    "choice: accept = the proposal is right as it stands; change = another wording is right, which you write into the "
    "column wording; reject = nothing like this is said in the language; unsure = you cannot tell; empty = no answer.",
    "The wording is the form alone, not the whole sentence, in the place where the proposal stands in the sentences. "
    "Words in braces, such as {pronoun}, are filled in for each name: keep them.",
    "kind: only where you change a form that the benchmark has already: what sort of slip it was.",
    "comment: whatever the others should know. Do not write your name; your initials are in the file already.",
    "Answer on your own, without looking at the answers of others: how far you agree is measured.",
    "Leave the grey columns as they are, and save the file under the same name and in the same format.",
)


@dataclass(frozen=True)
class Item:
    """One form to be judged.

    ``standing`` is open (a proposal, or a gap where there is none), current (a form in use already) or decided (by an
    earlier import: a sheet that is imported once more may still hold it).
    """

    stereotype: Stereotype
    form: str
    proposal: str
    sentences: tuple[str, ...]
    standing: str = "open"

    @property
    def item(self) -> str:
        """The name of the item in the sheets."""
        return f"{self.stereotype.stereotype_id}.{self.form}"

    @property
    def key(self) -> tuple[str, str]:
        """What a row of a sheet is about: the same proposal for the same form."""
        return self.item, normalised(self.proposal)


@dataclass(frozen=True)
class Answer:
    """What one reviewer says of one item."""

    choice: str
    wording: str
    kind: str
    comment: str


Answers = dict[tuple[str, str], dict[str, Answer]]


@dataclass(frozen=True)
class Decision:
    """What the reviewers together say of one item.

    ``status``: accepted (``text`` is the form), rejected, conflict, waiting (too few answers), or decided (before).
    """

    item: Item
    status: str
    text: str
    kind: str
    reviewers: tuple[str, ...]
    answers: Mapping[str, Answer] = field(default_factory=dict)


def chosen_proposal(rows: Sequence[Translation]) -> Translation | None:
    """The proposal that reviewers are shown: the first with a text, else the first with a translated sentence."""
    open_rows = [row for row in rows if row.state == "proposed"]
    return next((row for row in open_rows if row.proposal), open_rows[0] if open_rows else None)


def items(
    sources: Sources,
    edition: Edition,
    translations: Sequence[Translation],
    recheck: Sequence[str] | None = None,
    with_sentences: bool = True,
) -> list[Item]:
    """What is to be reviewed: every form that waits, and the forms in use of the stereotypes to be checked again.

    Parameters
    ----------
    sources, edition: the tables, all of them and those valid at the edition (which need not be complete).
    translations: the proposals.
    recheck: ids of stereotypes whose forms in use are asked about as well; an empty list means all of them.
    with_sentences: whether to make the sentences around each form, which takes a while for many forms.
    """
    make = preview.context if with_sentences else _no_context
    by_form: dict[tuple[str, str], list[Translation]] = {}
    for row in translations:
        by_form.setdefault((row.stereotype_id, row.form), []).append(row)
    found = []
    for gap in lacking(sources, edition.edition):
        for form in gap.forms:
            rows = by_form.get((gap.stereotype.stereotype_id, form), [])
            if any(row.state == "accepted" for row in rows):
                continue
            proposal = chosen_proposal(rows)
            text = (proposal.proposal or "") if proposal else ""
            if text:
                sentences = make(edition, gap.stereotype, form, text)
            else:
                sentences = make(edition, gap.stereotype, form, "…")  # nobody has worded it yet
                if proposal and proposal.translation:
                    sentences.append(f"[{proposal.translation}] ({proposal.note})")
            found.append(Item(gap.stereotype, form, text, tuple(sentences)))
    if recheck is not None:
        stereotypes = {row.stereotype_id: row for row in edition.stereotypes}
        for written in edition.forms:
            wanted = not recheck or written.stereotype_id in recheck
            if wanted and is_general(written):
                stereotype = stereotypes[written.stereotype_id]
                sentences = make(edition, stereotype, written.form, written.text)
                found.append(Item(stereotype, written.form, written.text, tuple(sentences), "current"))
    return found


def decided(sources: Sources, translations: Sequence[Translation]) -> list[Item]:
    """The proposals that earlier imports have decided."""
    stereotypes = {row.stereotype_id: row for row in sources.rows["stereotypes"]}
    return [
        Item(stereotypes[row.stereotype_id], row.form, row.proposal or "", (), "decided")
        for row in translations
        if row.state != "proposed" and row.reviewers
    ]


def _no_context(edition: Edition, stereotype: Stereotype, form: str, text: str) -> list[str]:
    return []


def sheet_rows(asked: Sequence[Item], lang: str, reviewer: str) -> list[dict[str, str]]:
    """The rows of one reviewer's sheet."""
    return [
        {
            "item": item.item,
            "stereotype": item.stereotype.gloss,
            "form": item.form,
            "sentences": "\n".join(item.sentences),
            "proposal": item.proposal,
            "lang": lang,
            "reviewer": reviewer,
        }
        for item in asked
    ]


def read_answers(
    files: Sequence[Path], lang: str, asked: Sequence[Item], edition: Edition, problems: Problems
) -> Answers:
    """The answers of all files, :attr:`Item.key` -> reviewer -> answer, rows without an answer left out.

    Notes every row that cannot be an answer: another language, an unknown or changed item, a choice that is none, a
    wording where none belongs or none where one belongs, two answers of one reviewer to one item.
    """
    by_key = {item.key: item for item in reversed(asked)}  # the first of two alike counts
    answers: Answers = {}
    for file in files:
        for number, row in read_sheet(file, list(COLUMNS), problems):
            answer = _answer(file, number, row, lang, by_key, edition, problems)
            if answer is None:
                continue
            key, reviewer = (row["item"].strip(), normalised(row["proposal"])), row["reviewer"].strip()
            known = answers.setdefault(key, {}).setdefault(reviewer, answer)
            if known != answer:
                found = f"a second, different answer of {reviewer} to {key[0]}"
                problems.add(file, found, "one answer of each reviewer", "Leave one of the files out.", row=number)
    return answers


def _answer(
    file: Path,
    number: int,
    row: Mapping[str, str],
    lang: str,
    by_key: Mapping[tuple[str, str], Item],
    edition: Edition,
    problems: Problems,
) -> Answer | None:
    def wrong(field: str, found: str, expected: str, fix: str = "") -> None:
        problems.add(file, found, expected, fix, row=number, field=field)

    choice = row["choice"].strip().casefold()
    wording, kind = normalised(row["wording"]), row["kind"].strip().casefold()
    name, reviewer = row["item"].strip(), row["reviewer"].strip()
    if not choice:
        if wording:
            wrong("choice", "an empty cell beside a wording", "change", "Choose change, or remove the wording.")
        return None
    if row["lang"].strip() != lang:
        wrong("lang", quoted(row["lang"]), lang, "Import the sheet of this language.")
        return None
    if not reviewer.isalnum():
        wrong("reviewer", quoted(reviewer), "the initials that the sheet was sent out with")
        return None
    item = by_key.get((name, normalised(row["proposal"])))
    if item is None:
        names = {known for known, _ in by_key}
        if name not in names:
            wrong("item", quoted(name), "an item that is under review", suggestion(name, names))
            return None
        now = listed(quoted(proposal) for known, proposal in by_key if known == name)
        fix = "Leave the grey cells as they were; or send out a new sheet, where the proposal has changed since."
        wrong("proposal", quoted(row["proposal"]), f"what the tables have: {now}", fix)
        return None
    if choice not in CHOICES:
        wrong("choice", quoted(row["choice"]), f"one of {listed(CHOICES)}", suggestion(choice, CHOICES))
        return None
    if choice == "change" and not wording:
        wrong("wording", "an empty cell", "the wording that is right")
        return None
    if choice != "change" and wording and wording != item.proposal:
        wrong("wording", quoted(wording), f"no wording beside {choice}", "Choose change, or remove the wording.")
        return None
    if choice == "accept" and not item.proposal:
        wrong("choice", "accept, where there is no proposal", "change with a wording, reject or unsure")
        return None
    if kind and kind not in KINDS:
        wrong("kind", quoted(row["kind"]), f"one of {listed(KINDS)}", suggestion(kind, KINDS))
        return None
    slots = slots_of_form(edition, item.form)
    if choice == "change" and not holds_only(wording, slots):
        expected = (
            f"text with no slots but {listed(sorted('{' + s + '}' for s in slots))}" if slots else "text without braces"
        )
        wrong("wording", quoted(wording), expected, "Words that agree with a name are in the table of names.")
        return None
    return Answer(choice, wording if choice == "change" else "", kind, normalised(row["comment"]))


def decide(asked: Sequence[Item], answers: Answers, at_least: int, decider: str | None = None) -> list[Decision]:
    """What the answers come to, item by item.

    Parameters
    ----------
    at_least: so many reviewers must say the same, and nobody anything else; unsure counts for nothing.
    decider: initials of a reviewer whose answer settles an item, whatever the others say.
    """
    decisions = []
    for item in asked:
        given = dict(sorted(answers.get(item.key, {}).items()))
        says = {
            who: (answer.choice == "reject", answer.wording or ("" if answer.choice == "reject" else item.proposal))
            for who, answer in given.items()
            if answer.choice != "unsure"
        }
        kinds = Counter(answer.kind for answer in given.values() if answer.kind)
        kind = min(kinds, key=lambda k: (-kinds[k], KINDS.index(k))) if kinds else ""
        settled = says.get(decider) if decider else None
        if item.standing == "decided":
            status, text, who = "decided", "", tuple(says)
        elif settled is None and len(set(says.values())) > 1:
            status, text, who = "conflict", "", tuple(says)
        elif settled is None and len(says) < at_least:
            status, text, who = "waiting", "", tuple(says)
        else:
            rejected, text = settled if settled is not None else next(iter(says.values()))
            status = "rejected" if rejected else "accepted"
            who = tuple(reviewer for reviewer, said in says.items() if said == (rejected, text))
        decisions.append(Decision(item, status, text, kind, who, given))
    return decisions


def report(decisions: Sequence[Decision], agreement: Agreement, written: Sequence[str], lang: str) -> str:
    """The outcome of a review as Markdown: figures, agreement, conflicts, comments."""
    counts = Counter(d.status for d in decisions if d.answers)
    reviewers = sorted({who for d in decisions for who in d.answers})
    lines = [
        f"# Review: {lang}",
        "",
        "Content warning: the wordings below are hurtful stereotypes.",
        "",
        f"{len(reviewers)} reviewers ({listed(reviewers, 50)}), {sum(counts.values())} of {len(decisions)} answered:"
        f" {counts['accepted']} accepted, {counts['rejected']} rejected, {counts['conflict']} in conflict,"
        f" {counts['waiting']} waiting for more answers, {counts['decided']} decided before.",
        "",
        _agreement_in_words(agreement),
        "",
    ]
    conflicts = [d for d in decisions if d.status == "conflict"]
    if conflicts:
        lines += ["## Conflicts", "", "Talk them over; the answer of the person named with --decider settles them.", ""]
        for decision in conflicts:
            lines.append(f"- {decision.item.item} ({decision.item.stereotype.gloss}):")
            lines += [f"  - {who}: {_said(decision.item, answer)}" for who, answer in decision.answers.items()]
        lines.append("")
    comments = [
        f"- {d.item.item}, {who}: {answer.comment}"
        for d in decisions
        for who, answer in d.answers.items()
        if answer.comment
    ]
    if comments:
        lines += ["## Comments", "", *comments, ""]
    lines += ["## Written", "", *([f"- {line}" for line in written] or ["Nothing."]), ""]
    return "\n".join(lines)


def _said(item: Item, answer: Answer) -> str:
    if answer.choice == "accept":
        return f'accept "{item.proposal}"'
    return f'change to "{answer.wording}"' if answer.choice == "change" else answer.choice


def _agreement_in_words(a: Agreement) -> str:
    if a.alpha is None:
        why = "no item has two answers" if a.n_items == 0 else "all answers are the same"
        return f"Krippendorff's alpha is not defined: {why} ({a.n_items} items with two answers or more)."
    left_out = f"; not defined in {a.undefined}, left out" if a.undefined else ""
    return (
        f"Krippendorff's alpha (nominal: accept, change, reject; unsure as missing) {a.alpha:.3f}, 95 % interval "
        f"{a.low:.3f} to {a.high:.3f}, over {a.n_items} items and {a.n_reviewers} reviewers "
        f"({a.resamples} resamples of items{left_out})."
    )
