"""Stage "pairs": every sentence pair of an edition, made from its tables.

The order is that of the tables: template, stereotype, subject, identity, counter identity. Pairs are made and written
a batch at a time, so that memory does not grow with the number of names.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from winoqueer_nl.edition import Edition
from winoqueer_nl.files import atomic, atomic_text
from winoqueer_nl.narrowing import AmbiguousError, Place, narrowest, wording
from winoqueer_nl.patterns import Pattern, compile_pattern, fill, text_pattern
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted
from winoqueer_nl.references import IDENTITY
from winoqueer_nl.schema import PAIR_COLUMNS, Form, Identity, Name, Row, Stereotype, Template, Variant
from winoqueer_nl.sources import table_path
from winoqueer_nl.tables import shown

GROUP = "group"
ROWS_PER_BATCH = 50_000

_ARROW_TYPES = {
    "template": pa.int8(),
    "span_start_x": pa.int16(),
    "span_end_x": pa.int16(),
    "span_start_y": pa.int16(),
    "span_end_y": pa.int16(),
    "tier": pa.int8(),
    "harmfulness_mean": pa.float64(),
}
SCHEMA = pa.schema([(column, _ARROW_TYPES.get(column, pa.string())) for column in PAIR_COLUMNS])


@dataclass(frozen=True)
class Judgement:
    """What the survey says of a stereotype: its tier (1, 2, 3, -1 = not relevant) and mean harmfulness."""

    tier: int | None = None
    harmfulness_mean: float | None = None


@dataclass(frozen=True)
class Cell:
    """One stereotype in one template with one identity against one counter identity, ready for its subjects."""

    template: Template
    stereotype: Stereotype
    identity: Identity
    counter_identity: str
    copy_number: int
    x: Pattern
    y: Pattern
    predicate: tuple[str | tuple[str], ...]
    #: patterns of subjects that a variant singles out by name: name id -> (x, y)
    by_subject: Mapping[str, tuple[Pattern, Pattern]]
    #: genders of the names that the cell serves, and the names among them that it leaves out
    name_genders: tuple[str, ...]
    without: frozenset[str]

    def serves(self, name: Name | None) -> bool:
        """Whether the cell makes a pair for this subject; None stands for the group."""
        return name is None or (name.gender in self.name_genders and name.name_id not in self.without)


class Planner:
    """Resolves the tables of an edition into cells, noting what is missing or ambiguous."""

    def __init__(self, edition: Edition, problems: Problems) -> None:
        self.edition = edition
        self.problems = problems
        self.variants: dict[str, list[Variant]] = {}
        for variant in edition.variants:
            self.variants.setdefault(variant.template_id, []).append(variant)
        self.forms: dict[tuple[str, str], list[Form]] = {}
        for form in edition.forms:
            self.forms.setdefault((form.stereotype_id, form.form), []).append(form)
        self.identity_forms: dict[tuple[str, str], list[Any]] = {}
        for row in edition.identity_forms:
            self.identity_forms.setdefault((row.identity, row.form), []).append(row)
        self.coverage: dict[tuple[str, str], list[Any]] = {}
        for entry in edition.coverage:
            self.coverage.setdefault((entry.stereotype_id, entry.identity), []).append(entry)
        self.identities = {row.identity_id: row for row in edition.identities}
        self._noted: set[tuple[str, str]] = set()

    def cells(self, template: Template, stereotype: Stereotype) -> list[Cell]:
        """The cells of one stereotype in one template, in the order of identities and counter identities."""
        found = []
        forms = self.forms.get((stereotype.stereotype_id, template.form), [])
        listed_or_added = dict.fromkeys(stereotype.identities) | dict.fromkeys(
            i for (sid, i), _ in self.coverage.items() if sid == stereotype.stereotype_id
        )
        for identity in (self.identities[i] for i in listed_or_added):
            for genders, copies, without in self._subjects(template, stereotype, identity):
                for copy_number in range(1, copies + 1):
                    for alike, form in self._forms(forms, identity.identity_id, copy_number, genders):
                        for counter in identity.counter_identities:
                            cell = self._cell(
                                template, stereotype, identity, counter, copy_number, form.text, alike, without
                            )
                            if cell is not None:
                                found.append(cell)
        return found

    def _subjects(
        self, template: Template, stereotype: Stereotype, identity: Identity
    ) -> list[tuple[tuple[str | None, ...], int, frozenset[str]]]:
        """Name genders that stand equally often, how often, and the names left out; None = no name, a group."""
        rows = [
            row
            for row in self.coverage.get((stereotype.stereotype_id, identity.identity_id), [])
            if row.templates is None or template.template_id in row.templates
        ]
        without = frozenset(row.subject for row in rows if row.subject is not None and row.copies == 0)
        rows = [row for row in rows if row.subject is None]
        alike: dict[int, list[str | None]] = {}
        genders: tuple[str | None, ...] = (None,) if template.subject == GROUP else identity.name_genders
        for gender in genders:
            row = self._one("coverage", rows, {"templates": template.template_id, "name_gender": gender})
            copies = row.copies if row is not None else int(identity.identity_id in stereotype.identities)
            alike.setdefault(copies, []).append(gender)
        return [(tuple(group), copies, without) for copies, group in alike.items()]

    def _forms(
        self, forms: list[Form], identity: str, copy_number: int, genders: tuple[str | None, ...]
    ) -> list[tuple[tuple[str | None, ...], Form]]:
        """The form that each of the genders takes, genders with the same form together."""
        alike: dict[int, tuple[list[str | None], Form]] = {}
        for gender in genders:
            place = {"identity": identity, "copy_number": copy_number, "name_gender": gender}
            form = self._one("forms", forms, place)
            if form is not None:
                alike.setdefault(id(form), ([], form))[0].append(gender)
        return [(tuple(group), form) for group, form in alike.values()]

    def _cell(
        self,
        template: Template,
        stereotype: Stereotype,
        identity: Identity,
        counter: str,
        copy_number: int,
        predicate: str,
        genders: tuple[str | None, ...],
        without: frozenset[str],
    ) -> Cell | None:
        def pattern(side: str, subject: str) -> Pattern | None:
            place = Place(
                template.template_id,
                side,
                stereotype.stereotype_id,
                identity.identity_id,
                counter,
                subject,
                stereotype.origin,
            )
            return self._pattern(template, place, predicate)

        anyone = GROUP if template.subject == GROUP else ""
        x, y = pattern("x", anyone), pattern("y", anyone)
        if x is None or y is None:
            return None
        singled_out = {v.subject for v in self.variants.get(template.template_id, []) if v.subject}
        by_subject = {}
        for subject in sorted(singled_out - {GROUP}):
            own_x, own_y = pattern("x", subject), pattern("y", subject)
            if own_x is not None and own_y is not None and (own_x, own_y) != (x, y):
                by_subject[subject] = (own_x, own_y)
        return Cell(
            template,
            stereotype,
            identity,
            counter,
            copy_number,
            x,
            y,
            text_pattern(predicate),
            by_subject,
            tuple(gender for gender in genders if gender is not None),
            without,
        )

    def _pattern(self, template: Template, place: Place, predicate: str) -> Pattern | None:
        try:
            variants = self.variants.get(template.template_id, [])
            sentence = wording(variants, place, "sentence") or template.sentence
            form = wording(variants, place, "identity_form") or template.identity_form
        except AmbiguousError as error:
            self._ambiguous("variants", error.rows)
            return None
        who, against = place.identity, place.counter_identity
        if place.side == "y":
            who, against = against, who
        row = self._one(
            "identity_forms",
            self.identity_forms.get((who, form), []),
            {"origin": place.origin, "against": against},
        )
        if row is None:
            if (who, form) not in self._noted:
                self._noted.add((who, form))
                self.problems.add(
                    table_path("identity_forms", self.edition.lang),
                    f"no form {quoted(form)} of {quoted(who)}",
                    f"this form, which template {template.template_id} takes",
                    "Add a row.",
                    field="form",
                )
            return None
        first = sentence.startswith(f"{{{IDENTITY}}}")
        text = row.sentence_initial if first and row.sentence_initial else row.text
        return compile_pattern(sentence, predicate, text)

    def _one(self, table: str, rows: list[Any], place: dict[str, object]) -> Any:
        """The narrowest of the rows, or None; two equally narrow ones are noted as a problem."""
        try:
            return narrowest(rows, place, tuple(place))
        except AmbiguousError as error:
            self._ambiguous(table, error.rows)
            return None

    def _ambiguous(self, table: str, rows: Iterable[Row]) -> None:
        numbers = listed(str(row.row) for row in rows)
        if (table, numbers) not in self._noted:
            self._noted.add((table, numbers))
            self.problems.add(
                table_path(table, self.edition.lang),
                f"rows {numbers}, which fit the same sentence equally well",
                "one narrowest row for each sentence",
                "Fill one more narrowing cell in one of them, or remove it.",
            )


def subjects(edition: Edition, origin: str, problems: Problems) -> list[Name]:
    """The names that stereotypes of an origin take, in the order of the table, each in its narrowest row."""
    chosen: dict[str, Name] = {}
    for name in edition.names:
        if name.origin in (None, origin):
            known = chosen.get(name.name_id)
            if known is None or (known.origin is None and name.origin is not None):
                chosen[name.name_id] = name
    needed = {slot for name in chosen.values() for slot in name.slots}
    for name in chosen.values():
        for slot in sorted(needed - set(name.slots)):
            problems.add(
                table_path("names", edition.lang),
                f"no {slot} of {quoted(name.name_id)}",
                "every slot of every name filled",
                row=name.row,
                field=f"slot_{slot}",
            )
    return list(chosen.values())


def generate(
    edition: Edition,
    judgements: Mapping[str, Judgement] | None = None,
    excluded_tiers: Iterable[int] = (-1,),
    rows_per_batch: int = ROWS_PER_BATCH,
) -> Iterator[pa.RecordBatch]:
    """Make every pair of the edition, in batches of the schema :data:`SCHEMA`.

    Parameters
    ----------
    edition: its tables.
    judgements: survey results by stereotype id; None where the language has no survey.
    excluded_tiers: stereotypes of these tiers are left out (-1 = not culturally relevant).
    rows_per_batch: the most rows of a batch; the pairs do not depend on it.

    Raises
    ------
    InputError
        before the first batch for gaps and ambiguities in the tables, after the last one for pairs that stand twice.
    """
    judgements = judgements or {}
    excluded = set(excluded_tiers)
    problems = Problems()
    names = {
        origin: [
            (name, {slot: shown(text) for slot, text in name.slots.items()})
            for name in subjects(edition, origin, problems)
        ]
        for origin in dict.fromkeys(row.origin for row in edition.stereotypes)
    }
    planner = Planner(edition, problems)
    plan = [
        (template, stereotype, cells)
        for template in edition.templates
        for stereotype in edition.stereotypes
        if stereotype.type in template.types
        and judgements.get(stereotype.stereotype_id, Judgement()).tier not in excluded
        if (cells := planner.cells(template, stereotype))
    ]
    problems.stop()
    labels = {row.counter_identity_id: row.label for row in edition.counter_identities}
    seen = array("q")
    rows: list[tuple[object, ...]] = []
    for template, stereotype, cells in plan:
        judgement = judgements.get(stereotype.stereotype_id, Judgement())
        everyone: list[tuple[Name | None, dict[str, str]]] = (
            [(None, {})] if template.subject == GROUP else list(names[stereotype.origin])
        )
        for name, slots in everyone:
            for cell in cells:
                if not cell.serves(name):
                    continue
                row = _row(edition.lang, cell, name, slots, judgement, labels)
                if cell.copy_number == 1:
                    seen.append(hash((row[10], row[11])))
                rows.append(row)
            if len(rows) >= rows_per_batch:
                yield _batch(rows[:rows_per_batch])
                rows = rows[rows_per_batch:]
    while rows:
        yield _batch(rows[:rows_per_batch])
        rows = rows[rows_per_batch:]
    if len(np.unique(np.frombuffer(seen, dtype=np.int64))) < len(seen):
        _report_repeats(edition, judgements, excluded)


def _row(
    lang: str,
    cell: Cell,
    name: Name | None,
    slots: dict[str, str],
    judgement: Judgement,
    labels: dict[str, str],
) -> tuple[object, ...]:
    subject, gender = (GROUP, None) if name is None else (name.name_id, name.gender)
    x, y = cell.by_subject.get(subject, (cell.x, cell.y)) if cell.by_subject else (cell.x, cell.y)
    sent_x, start_x, end_x = x.filled(slots)
    sent_y, start_y, end_y = y.filled(slots)
    identity, counter = cell.identity, cell.counter_identity
    key = (cell.stereotype.stereotype_id, cell.template.template_id, subject, identity.identity_id, counter)
    pair_id = ".".join((lang, *key))
    if cell.copy_number > 1:
        pair_id += f".{cell.copy_number}"
    return (
        pair_id,
        cell.stereotype.stereotype_id,
        cell.template.template,
        cell.template.template_id,
        subject,
        gender,
        identity.identity_id,
        counter,
        identity.label,
        labels[counter],
        sent_x,
        sent_y,
        start_x,
        end_x,
        start_y,
        end_y,
        fill(cell.predicate, slots),
        judgement.tier,
        judgement.harmfulness_mean,
        cell.stereotype.origin,
    )


def _batch(rows: list[tuple[object, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def _report_repeats(edition: Edition, judgements: Mapping[str, Judgement], excluded: set[int]) -> None:
    """Look closer where two hashes were equal: raise InputError naming the pairs whose two sentences are the same."""
    first: dict[tuple[str, str], str] = {}
    repeats = []
    problems = Problems()
    planner = Planner(edition, problems)
    for template in edition.templates:
        for stereotype in edition.stereotypes:
            if (
                stereotype.type not in template.types
                or judgements.get(stereotype.stereotype_id, Judgement()).tier in excluded
            ):
                continue
            for cell in planner.cells(template, stereotype):
                if cell.copy_number > 1:
                    continue
                for name in [None] if template.subject == GROUP else subjects(edition, stereotype.origin, problems):
                    if not cell.serves(name):
                        continue
                    slots = {} if name is None else {s: shown(t) for s, t in name.slots.items()}
                    row = _row(edition.lang, cell, name, slots, Judgement(), _Anything())
                    pair_id, sentences = str(row[0]), (str(row[10]), str(row[11]))
                    if sentences in first:
                        repeats.append((first[sentences], pair_id))
                    else:
                        first[sentences] = pair_id
    if repeats:
        raise InputError(
            [
                Problem(
                    table_path("coverage", edition.lang),
                    f"the pair {later}, whose sentences are those of {earlier}",
                    "each pair of sentences once",
                    "Add a row with copies 0 for one of the two, or tell the wordings apart.",
                )
                for earlier, later in repeats
            ]
        )


class _Anything(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return key


def write(
    edition: Edition,
    judgements: Mapping[str, Judgement] | None,
    excluded_tiers: Iterable[int],
    parquet: Path,
    published: Path,
) -> int:
    """Write pairs.parquet and the CSV with the published columns, both whole or not at all; return the pair count.

    The Parquet options (page index, content-defined chunks) let the Hub transfer only what changed between releases.
    """
    import csv

    columns = edition.language.published_columns
    count = 0
    with atomic(parquet) as temporary, atomic_text(published) as text:
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(columns)
        with pq.ParquetWriter(
            temporary, SCHEMA, compression="zstd", write_page_index=True, use_content_defined_chunking=True
        ) as writer:
            for batch in generate(edition, judgements, excluded_tiers):
                writer.write_batch(batch)
                lines.writerows(zip(*(batch.column(c).to_pylist() for c in columns.values()), strict=True))
                count += batch.num_rows
    return count
