"""The sentences that rows will bring, before any of them is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from winoqueer_nl.edition import Edition
from winoqueer_nl.pairs import generate
from winoqueer_nl.problems import InputError
from winoqueer_nl.references import GROUP
from winoqueer_nl.schema import Form, Name, Stereotype


@dataclass(frozen=True)
class Sentences:
    """A pair as a person reads it."""

    pair_id: str
    template_id: str
    stereotypical: str
    counter: str


def pairs_of(edition: Edition, most_per_template: int = 1) -> tuple[list[Sentences], int]:
    """Some pairs of each template of an edition, and how many pairs there are in all."""
    shown: list[Sentences] = []
    per_template: dict[str, int] = {}
    count = 0
    for batch in generate(edition):
        columns = (batch.column(c).to_pylist() for c in ("pair_id", "template_id", "sent_x", "sent_y"))
        for pair_id, template_id, sent_x, sent_y in zip(*columns, strict=True):
            count += 1
            if per_template.setdefault(template_id, 0) < most_per_template:
                per_template[template_id] += 1
                shown.append(Sentences(pair_id, template_id, sent_x, sent_y))
    return shown, count


def with_forms(edition: Edition, stereotype: Stereotype, forms: Iterable[tuple[str, str]]) -> Edition:
    """An edition with one stereotype in the given (form, text) only, and the templates that take these forms."""
    texts = dict(forms)
    return edition.model_copy(
        update={
            "stereotypes": [stereotype],
            "forms": [Form(stereotype_id=stereotype.stereotype_id, form=f, text=t) for f, t in texts.items()],
            "absent": [],
            "coverage": [row for row in edition.coverage if row.stereotype_id == stereotype.stereotype_id],
            "templates": [row for row in edition.templates if row.form in texts and stereotype.type in row.types],
        }
    )


def few_names(names: Sequence[Name]) -> list[Name]:
    """The first name of each gender and origin; enough to see how a form agrees with its subject."""
    first: dict[tuple[str, str | None], Name] = {}
    for name in names:
        first.setdefault((name.gender, name.origin), name)
    return list(first.values())


def context(edition: Edition, stereotype: Stereotype, form: str, text: str, most: int = 2) -> list[str]:
    """Sentences in which a reviewer meets one form, at most ``most`` of them; none where the text cannot be filled in.

    For a group one sentence for each of the first templates; for a person one for each of the first genders.
    """
    alone = with_forms(edition, stereotype, [(form, text)])
    alone = alone.model_copy(update={"names": few_names(edition.names)})
    try:
        of_group = {t.template_id for t in alone.templates if t.subject == GROUP}
        pairs, _ = pairs_of(alone, most_per_template=1 if of_group else most)
    except (InputError, KeyError, ValueError):
        return []
    return list(dict.fromkeys(pair.stereotypical for pair in pairs))[:most]


def lines(pairs: Iterable[Sentences]) -> list[str]:
    """Pairs as lines for the terminal."""
    found = []
    for pair in pairs:
        found.append(f"  {pair.template_id:>3}  {pair.stereotypical}")
        found.append(f"       {pair.counter}")
    return found
