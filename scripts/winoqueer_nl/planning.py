"""What the pairs of an edition will be, subjects aside: which stereotype stands in which template with which identity.

Here the narrowed rows of the tables are resolved, and what is missing or ambiguous is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from winoqueer_nl.edition import Edition
from winoqueer_nl.narrowing import AmbiguousError, Place, narrowest, wording
from winoqueer_nl.patterns import Pattern, compile_pattern, text_pattern
from winoqueer_nl.problems import Problems, listed, quoted
from winoqueer_nl.references import GROUP, IDENTITY
from winoqueer_nl.schema import Coverage, Form, Identity, IdentityForm, Name, Row, Stereotype, Template, Variant
from winoqueer_nl.sources import table_path


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
        self.identity_forms: dict[tuple[str, str], list[IdentityForm]] = {}
        for row in edition.identity_forms:
            self.identity_forms.setdefault((row.identity, row.form), []).append(row)
        self.coverage: dict[str, dict[str, list[Coverage]]] = {}
        for entry in edition.coverage:
            self.coverage.setdefault(entry.stereotype_id, {}).setdefault(entry.identity, []).append(entry)
        self._terms: dict[tuple[str, str, str, str], IdentityForm | None] = {}
        self.identities = {row.identity_id: row for row in edition.identities}
        self._noted: set[tuple[str, str]] = set()

    def cells(self, template: Template, stereotype: Stereotype) -> list[Cell]:
        """The cells of one stereotype in one template, in the order of identities and counter identities."""
        found: list[Cell] = []
        forms = self.forms.get((stereotype.stereotype_id, template.form), [])
        if not forms:  # the stereotype has no form in this language, and absent.csv says why
            return found
        listed_or_added = dict.fromkeys([*stereotype.identities, *self.coverage.get(stereotype.stereotype_id, {})])
        for identity in (self.identities[i] for i in listed_or_added):
            for copy_number in range(1, self._copies(template, stereotype, identity.identity_id) + 1):
                narrowing = {"identity": identity.identity_id, "copy_number": copy_number}
                place = f"{stereotype.stereotype_id}, {template.form}, {identity.identity_id}, copy {copy_number}"
                form = self._one("forms", forms, narrowing, place)
                if form is None:
                    continue
                for counter in identity.counter_identities:
                    cell = self._cell(template, stereotype, identity, counter, copy_number, form.text)
                    if cell is not None:
                        found.append(cell)
        return found

    def _copies(self, template: Template, stereotype: Stereotype, identity: str) -> int:
        """How often the stereotype stands with an identity in a template; a row that names the template comes first."""
        rows = self.coverage.get(stereotype.stereotype_id, {}).get(identity, [])
        naming = [row for row in rows if row.templates is not None and template.template_id in row.templates]
        fitting = naming or [row for row in rows if row.templates is None]
        if len(fitting) > 1:
            place = f"template {template.template_id}, {stereotype.stereotype_id}, {identity}"
            self._ambiguous("coverage", fitting, place, "templates")
        return fitting[0].copies if fitting else int(identity in stereotype.identities)

    def _cell(
        self,
        template: Template,
        stereotype: Stereotype,
        identity: Identity,
        counter: str,
        copy_number: int,
        predicate: str,
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
        return Cell(template, stereotype, identity, counter, copy_number, x, y, text_pattern(predicate), by_subject)

    def _pattern(self, template: Template, place: Place, predicate: str) -> Pattern | None:
        try:
            variants = self.variants.get(template.template_id, [])
            sentence = wording(variants, place, "sentence") or template.sentence
            form = wording(variants, place, "identity_form") or template.identity_form
        except AmbiguousError as error:
            known = {column: value for column, value in place._asdict().items() if value}
            self._ambiguous("variants", error.rows, ", ".join(known.values()), "template_id")
            return None
        who, against = place.identity, place.counter_identity
        if place.side == "y":
            who, against = against, who
        row = self._term(who, form, place.origin, against)
        if row is None:
            if (who, form) not in self._noted:
                self._noted.add((who, form))
                self.problems.add(
                    table_path("identity_forms", self.edition.lang),
                    f"no form {quoted(form)} of {quoted(who)}",
                    f"this form, which template {template.template_id} takes",
                    "Add a row that has it whatever the origin and the opposite.",
                    field="form",
                )
            return None
        first = sentence.startswith(f"{{{IDENTITY}}}")
        text = row.sentence_initial if first and row.sentence_initial else row.text
        return compile_pattern(sentence, predicate, text)

    def _term(self, who: str, form: str, origin: str, against: str) -> IdentityForm | None:
        """How an identity or counter identity is written; the same for every stereotype of an origin."""
        key = (who, form, origin, against)
        if key not in self._terms:
            place = f"{who}, {form}, {origin}, against {against}"
            rows = self.identity_forms.get((who, form), [])
            self._terms[key] = self._one("identity_forms", rows, {"origin": origin, "against": against}, place)
        return self._terms[key]

    def _one(self, table: str, rows: list[Any], narrowing: dict[str, object], place: str) -> Any:
        """The narrowest of the rows, or None; of equally narrow ones, noted as a problem, any one."""
        try:
            return narrowest(rows, narrowing, tuple(narrowing))
        except AmbiguousError as error:
            self._ambiguous(table, error.rows, place, "form")
            return error.rows[0]

    def _ambiguous(self, table: str, rows: Iterable[Row], place: str, field: str) -> None:
        first, *others = rows
        numbers = listed(str(row.row) for row in others)
        if (table, f"{first.row}, {numbers}") not in self._noted:
            self._noted.add((table, f"{first.row}, {numbers}"))
            self.problems.add(
                first.file or table_path(table, self.edition.lang),
                f"a row that fits as well as row {numbers} ({place})",
                "one narrowest row for each sentence",
                "Fill one more narrowing cell in one of them, or remove it.",
                row=first.row,
                field=field,
            )


def subjects(edition: Edition, origin: str, problems: Problems) -> list[Name]:
    """The names that stereotypes of an origin take, in the order of the table, each in its narrowest row."""
    chosen: dict[str, Name] = {}
    for name in edition.names:
        if name.origin in (None, origin):
            known = chosen.get(name.name_id)
            if known is None or (known.origin is None and name.origin is not None):
                chosen[name.name_id] = name
    needed = {slot for name in edition.names for slot in name.slots}
    for name in chosen.values():
        for slot in sorted(needed - set(name.slots)):
            problems.add(
                name.file or table_path("names", edition.lang),
                f"no {slot} of {quoted(name.name_id)}",
                "every slot of every name filled",
                "Fill it in.",
                row=name.row,
                field=f"slot_{slot}",
            )
    return list(chosen.values())


class Planned(NamedTuple):
    """A stereotype in a template with its cells, in the order of identities and counter identities."""

    template: Template
    stereotype: Stereotype
    cells: list[Cell]


def plan(edition: Edition, left_out: Iterable[str] = ()) -> tuple[list[Planned], dict[str, list[Name]]]:
    """Resolve an edition's tables: what stands in which template, and the names of each origin.

    Parameters
    ----------
    edition: its tables.
    left_out: ids of stereotypes that make no pairs.

    Raises
    ------
    InputError
        for every form, slot or row that is missing, and every two rows that fit a sentence equally well.
    """
    problems = Problems()
    names = {
        origin: subjects(edition, origin, problems)
        for origin in dict.fromkeys(row.origin for row in edition.stereotypes)
    }
    problems.found = list(dict.fromkeys(problems.found))  # a name serves several origins; its gap is one gap
    planner = Planner(edition, problems)
    left_out = set(left_out)
    planned = [
        Planned(template, stereotype, cells)
        for template in edition.templates
        for stereotype in edition.stereotypes
        if stereotype.type in template.types and stereotype.stereotype_id not in left_out
        if (cells := planner.cells(template, stereotype))
    ]
    problems.stop()
    return planned, names
