"""Proposals by translation: every form that a language lacks, asked for in whole sentences, one result an item.

What an engine has answered stays in predicates/<lang>/translations.csv and is never asked for again; where a carrier's
``target`` has changed, the kept answer is cut anew. Nothing here is a form: reviewers decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from winoqueer_nl.authoring.engines import Engine
from winoqueer_nl.authoring.proposals import (
    carriers_for,
    cut,
    in_order,
    lacking,
    read_carriers,
    read_translations,
    translations_text,
)
from winoqueer_nl.authoring.transport import Fault
from winoqueer_nl.files import write_text
from winoqueer_nl.schema import Translation
from winoqueer_nl.sources import TRANSLATIONS_FILE, Sources

#: The table is written anew after so many answers, so that what has arrived outlasts an interruption.
ANSWERS_PER_WRITE = 20


@dataclass
class Outcome:
    """What became of each form asked for, as (stereotype id, form, words)."""

    proposed: list[tuple[str, str, str]] = field(default_factory=list)
    uncut: list[tuple[str, str, str]] = field(default_factory=list)
    failed: list[tuple[str, str, str]] = field(default_factory=list)
    without_carrier: list[tuple[str, str]] = field(default_factory=list)
    asked: int = 0
    kept: int = 0
    stopped: str | None = None


class _Stopped(Exception):
    """No further sentence is worth asking for."""


class Proposer:
    """Fills the table of proposals of one language.

    Parameters
    ----------
    root, sources, edition: the project, the language's tables, and the edition whose gaps are to be filled.
    engine: makes the engine, called only when a sentence must be asked for.
    give_up_after: sentences in a row without any answer after which the run ends.
    refresh: ask again for proposals that nobody has reviewed yet.
    """

    def __init__(
        self,
        root: Path,
        sources: Sources,
        edition: str,
        engine_name: str,
        engine: Callable[[], Engine],
        give_up_after: int,
        refresh: bool = False,
    ) -> None:
        self.path = root / TRANSLATIONS_FILE.format(lang=sources.lang)
        self.sources = sources
        self.edition = edition
        self.engine_name = engine_name
        self.make_engine = engine
        self.engine: Engine | None = None
        self.give_up_after = give_up_after
        self.refresh = refresh
        self.carriers = read_carriers(root, sources.lang, sources)
        self.rows = read_translations(root, sources.lang, sources)
        self.written = list(self.rows)
        self.outcome = Outcome()
        self._failed_in_a_row = 0

    def run(self, say: Callable[[str], None] = lambda _: None) -> Outcome:
        """Ask for every form that is lacking; the table holds what arrived, however the run ends."""
        self._recut()
        try:
            for gap in lacking(self.sources, self.edition):
                for form in gap.forms:
                    stereotype_id = gap.stereotype.stereotype_id
                    sentences = carriers_for(self.carriers, gap.stereotype, form)
                    settled = any(
                        row.state == "accepted" or (row.proposal and row.engine in ("author", "reviewer"))
                        for row in self._of(stereotype_id, form)
                    )
                    if settled:
                        self.outcome.kept += 1
                    elif not sentences:
                        self.outcome.without_carrier.append((stereotype_id, form))
                    else:
                        say(f"{stereotype_id} {form}: {self._propose(stereotype_id, form, sentences)}")
        except _Stopped:
            pass
        finally:
            self._write()
        return self.outcome

    def _of(self, stereotype_id: str, form: str) -> list[Translation]:
        return [row for row in self.rows if (row.stereotype_id, row.form) == (stereotype_id, form)]

    def _recut(self) -> None:
        """Cut the kept answers by the carriers as they are now."""
        stereotypes = {row.stereotype_id: row for row in self.sources.rows["stereotypes"]}
        for index, row in enumerate(self.rows):
            if row.state == "proposed" and row.translation and row.source:
                targets = carriers_for(self.carriers, stereotypes[row.stereotype_id], row.form).get(row.source)
                if targets:
                    proposal, note = cut(row.translation, targets)
                    self.rows[index] = row.model_copy(update={"proposal": proposal, "note": note})

    def _propose(self, stereotype_id: str, form: str, sentences: dict[str, list[str]]) -> str:
        """Try the carriers in order until a predicate can be cut out; say what came of it."""
        uncut: list[Translation] = []
        for sentence, targets in sentences.items():
            row, fresh = self._answered(stereotype_id, form, sentence, targets)
            if row is None:
                return self.outcome.failed[-1][2]
            if row.state == "rejected":
                continue
            if row.proposal:
                if fresh:
                    self.outcome.proposed.append((stereotype_id, form, row.proposal))
                else:
                    self.outcome.kept += 1
                return row.proposal
            uncut.append(row)
        if not uncut:
            return "every proposal was rejected by reviewers"
        words = "; ".join(f'"{row.translation}" ({row.note})' for row in uncut)
        self.outcome.uncut.append((stereotype_id, form, words))
        return f"nothing cut out of {words}"

    def _answered(
        self, stereotype_id: str, form: str, sentence: str, targets: Sequence[str]
    ) -> tuple[Translation | None, bool]:
        """The row for a sentence, kept or fetched just now; None where no answer could be had."""
        for index, row in enumerate(self.rows):
            same = (row.stereotype_id, row.form, row.engine, row.source)
            if same == (stereotype_id, form, self.engine_name, sentence):
                if row.state != "proposed" or not self.refresh:
                    return row, False
                fetched = self._fetch(stereotype_id, form, sentence, targets)
                if fetched is not None:
                    self.rows[index] = fetched
                return fetched, True
        fetched = self._fetch(stereotype_id, form, sentence, targets)
        if fetched is not None:
            self.rows.append(fetched)
        return fetched, True

    def _fetch(self, stereotype_id: str, form: str, sentence: str, targets: Sequence[str]) -> Translation | None:
        if self.engine is None:
            self.engine = self.make_engine()
        self.outcome.asked += 1
        try:
            translation = self.engine.translate(sentence)
        except Fault as fault:
            self.outcome.failed.append((stereotype_id, form, fault.reason))
            self._failed_in_a_row += 1
            if fault.hopeless:
                self.outcome.stopped = fault.reason
            elif self._failed_in_a_row >= self.give_up_after:
                self.outcome.stopped = f"{self._failed_in_a_row} sentences in a row had no answer"
            if self.outcome.stopped:
                raise _Stopped from None
            return None
        self._failed_in_a_row = 0
        if self.outcome.asked % ANSWERS_PER_WRITE == 0:
            self._write()
        proposal, note = cut(translation, targets)
        return Translation(
            stereotype_id=stereotype_id,
            form=form,
            engine=self.engine_name,  # type: ignore[arg-type]
            source=sentence,
            translation=translation,
            proposal=proposal,
            note=note,
            state="proposed",
        )

    def _write(self) -> None:
        """Write the table if it has changed: a run without news leaves the file alone."""
        rows = in_order(self.rows, self.sources)
        if rows != self.written or not self.path.exists():
            write_text(self.path, translations_text(rows))
            self.written = rows


def summary(outcome: Outcome, lang: str, path: str) -> str:
    """The outcome in words, one line for each item that needs a person."""
    lines = [
        f"{lang}: {len(outcome.proposed)} new proposals, {outcome.kept} kept, {outcome.asked} sentences asked for.",
    ]
    if outcome.uncut:
        lines.append("No predicate could be cut out of these; the reviewers see the whole sentence:")
        lines += [f"  {stereotype_id} {form}: {words}" for stereotype_id, form, words in outcome.uncut]
    if outcome.without_carrier:
        lines.append("No carrier sentence fits these forms; the reviewers word them:")
        lines += [f"  {stereotype_id} {form}" for stereotype_id, form in outcome.without_carrier]
    if outcome.failed:
        lines.append("No answer for these; the next run asks again:")
        lines += [f"  {stereotype_id} {form}: {words}" for stereotype_id, form, words in outcome.failed]
    if outcome.stopped:
        lines.append(f"Stopped early: {outcome.stopped}. The next run goes on from here.")
    lines.append(f"Proposals are no forms. Next: winoqueer-nl review export --lang {lang} (they stand in {path}).")
    return "\n".join(lines)
