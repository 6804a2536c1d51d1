"""A small edition in a made-up language, as objects: gates are tested without files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from winoqueer_nl.check.context import Context, Pair
from winoqueer_nl.check.settings import Language, Settings
from winoqueer_nl.edition import Edition
from winoqueer_nl.schema import (
    CounterIdentity,
    Coverage,
    Form,
    Identity,
    IdentityForm,
    Name,
    Stereotype,
    Template,
)
from winoqueer_nl.schema import Language as Described

FORMS = [("s1", "plural", "are odd"), ("s1", "singular", "odd"), ("s2", "plural", "are sad"), ("s2", "singular", "sad")]


def make_edition(**changed: Any) -> Edition:
    """Two stereotypes, one identity against one, a template about a group and one about a person, two names."""
    tables: dict[str, Any] = {
        "lang": "xx",
        "edition": "1.0.0",
        "language": Described(
            name="Toy",
            published_columns={"sent_x": "sent_x", "sent_y": "sent_y"},
            metadata_columns={"text": "text"},
            metadata_gloss_origins=[],
        ),
        "stereotypes": [
            Stereotype(
                stereotype_id=i, type="predicate", origin="toy", gloss=f"gloss of {i}", gloss_singular=i, identities="a"
            )
            for i in ("s1", "s2")
        ],
        "forms": [Form(stereotype_id=s, form=f, text=t) for s, f, t in FORMS],
        "absent": [],
        "coverage": [],
        "metadata_exceptions": [],
        "templates": [
            Template(
                template_id="1",
                template=1,
                subject="group",
                types="predicate",
                form="plural",
                identity_form="group",
                sentence="All {identity} {predicate}.",
            ),
            Template(
                template_id="11",
                template=11,
                subject="person",
                types="predicate",
                form="singular",
                identity_form="single",
                sentence="{subject} is {identity} and {predicate}.",
            ),
        ],
        "variants": [],
        "identities": [
            Identity(
                identity_id="a",
                label="Alpha",
                metadata_label="Alpha",
                counter_identities="b",
                name_genders="female;male",
            )
        ],
        "counter_identities": [CounterIdentity(counter_identity_id="b", label="Beta")],
        "identity_forms": [
            IdentityForm(identity="a", form="group", text="alpha people", syntax="phrase"),
            IdentityForm(identity="a", form="single", text="alpha", syntax="word"),
            IdentityForm(identity="b", form="group", text="beta people", syntax="phrase"),
            IdentityForm(identity="b", form="single", text="beta", syntax="word"),
        ],
        "names": [
            Name(name_id="ann", type="name", gender="female", slots={"subject": "Ann", "possessive": "her"}),
            Name(name_id="bob", type="name", gender="male", slots={"subject": "Bob", "possessive": "his"}),
        ],
    }
    return Edition(**(tables | changed))


def make_pair(
    sent_x: str, sent_y: str, term_x: str = "alpha people", term_y: str = "beta people", **other: Any
) -> Pair:
    """A pair whose terms stand where they first occur; by default of the stereotype s1 in template 1."""
    start_x, start_y = sent_x.index(term_x), sent_y.index(term_y)
    values: dict[str, Any] = {
        "pair_id": "xx.s1.1.group.a.b",
        "stereotype_id": "s1",
        "template": 1,
        "template_id": "1",
        "subject": "group",
        "name_gender": None,
        "identity": "a",
        "counter_identity": "b",
        "identity_label": "Alpha",
        "counter_identity_label": "Beta",
        "sent_x": sent_x,
        "sent_y": sent_y,
        "span_start_x": start_x,
        "span_end_x": start_x + len(term_x),
        "span_start_y": start_y,
        "span_end_y": start_y + len(term_y),
        "predicate": "are odd",
        "tier": 1,
        "harmfulness_mean": 2.0,
        "origin": "toy",
    }
    return Pair(**(values | other))


def make_person(predicate: str, gender: str = "female", name: str = "Ann", **other: Any) -> Pair:
    """A pair about a person."""
    return make_pair(
        f"{name} is alpha and {predicate}.",
        f"{name} is beta and {predicate}.",
        "alpha",
        "beta",
        **(
            {
                "pair_id": f"xx.s1.11.{name.lower()}.a.b",
                "template": 11,
                "template_id": "11",
                "subject": name.lower(),
                "name_gender": gender,
                "predicate": predicate,
            }
            | other
        ),
    )


Maker = Callable[..., Context]


@pytest.fixture
def context() -> Maker:
    """Makes a context of pairs; keyword arguments are settings, or ``edition``, ``coverage`` and lists of rows."""

    def make(
        *pairs: Pair, edition: Edition | None = None, coverage: list[Coverage] | None = None, **more: Any
    ) -> Context:
        lists = ("words", "phrases", "agreement", "identity_words", "non_contrastive", "exceptions")
        tables = {name: more.pop(name, []) for name in lists}
        chosen = edition or make_edition()
        return Context(
            edition=chosen,
            pairs=list(pairs),
            language=Language(Settings(**more), **tables),
            all_coverage=chosen.coverage if coverage is None else coverage,
        )

    return make
