"""The rows of the source tables, one pydantic model each. docs/tables.md explains them to a person who fills them in.

A row may carry ``since`` and ``until`` (editions: from this one on; up to but not including this one), and, where it
departs from the plain rule, a ``kind`` and a ``reason``. An edition is the rows valid at its version.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

SLOT_PREFIX = "slot_"

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]


def split(value: object) -> object:
    """The entries of a cell that holds several, separated by semicolons."""
    return tuple(part.strip() for part in value.split(";")) if isinstance(value, str) else value


def each_once(values: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse an entry that stands twice, and an empty one."""
    if len(set(values)) != len(values):
        raise ValueError("each entry once")
    if "" in values:
        raise ValueError("entries separated by single semicolons, none of them empty")
    return values


def _edition(value: str) -> str:
    try:
        parsed = Version(value)
    except InvalidVersion:
        raise ValueError("an edition such as 1.0.0") from None
    if str(parsed) != value or not re.fullmatch(r"\d+\.\d+\.\d+", value):
        raise ValueError("an edition such as 1.0.0")
    return value


EditionNumber = Annotated[str, AfterValidator(_edition)]
Identifiers = Annotated[tuple[Identifier, ...], BeforeValidator(split), AfterValidator(each_once)]
Gender = Literal["female", "male", "neutral"]
Genders = Annotated[tuple[Gender, ...], BeforeValidator(split), AfterValidator(each_once)]
StereotypeType = Literal["predicate", "clause", "identity"]
StereotypeTypes = Annotated[tuple[StereotypeType, ...], BeforeValidator(split), AfterValidator(each_once)]
#: What sort of slip or correction a row records; the errata are grouped by it.
Kind = Literal["spelling", "spacing", "casing", "structure", "wording", "agreement", "coverage", "translation"]


class Row(BaseModel):
    """What every row of every source table may carry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Where the row stands, for messages; of no consequence for what is built, so left out of what is written.
    row: int = Field(default=0, exclude=True)
    file: str = Field(default="", exclude=True)
    since: EditionNumber | None = None
    until: EditionNumber | None = None
    kind: Kind | None = None
    reason: str | None = None

    def valid_at(self, edition: str) -> bool:
        """Whether the row belongs to the edition: since <= edition < until, an empty side being open."""
        version = Version(edition)
        return (self.since is None or Version(self.since) <= version) and (
            self.until is None or version < Version(self.until)
        )


class Stereotype(Row):
    """A stereotype, whatever the language: what is said of whom."""

    stereotype_id: Identifier
    #: predicate: something said of people; clause: a sentence of its own; identity: the identity is the reason given
    type: StereotypeType
    origin: Identifier
    gloss: str
    gloss_singular: str
    identities: Identifiers


class Form(Row):
    """One grammatical form of a stereotype in one language, for one identity or copy where narrowed."""

    stereotype_id: Identifier
    form: str
    text: str
    identity: Identifier | None = None
    copy_number: int | None = Field(default=None, ge=1, le=9)


class Absent(Row):
    """A stereotype that has no form in this language, and why."""

    stereotype_id: Identifier
    reason: str


class Coverage(Row):
    """How often a stereotype stands with an identity, in some templates or (empty) in all.

    0 = left out, 2 = twice; 1 adds an identity that the stereotype does not list. Without a row here, a listed
    identity stands once.
    """

    stereotype_id: Identifier
    identity: Identifier
    templates: Identifiers | None = None
    copies: int = Field(ge=0, le=9)
    reason: str


class Template(Row):
    """A carrier sentence with slots: {identity}, {predicate} and, for a person, the slots of the names."""

    template_id: Identifier
    template: int = Field(ge=1, le=99)
    subject: Literal["group", "person"]
    types: StereotypeTypes
    form: str
    identity_form: str
    sentence: str


class Variant(Row):
    """Another wording or identity form of a template where every filled cell fits; the narrowest row wins."""

    template_id: Identifier
    side: Literal["x", "y"] | None = None
    stereotype_id: Identifier | None = None
    identity: Identifier | None = None
    counter_identity: Identifier | None = None
    subject: Identifier | None = None
    origin: Identifier | None = None
    identity_form: str | None = None
    sentence: str | None = None


class Identity(Row):
    """An identity, the counter identities it is set against, and the genders of the names that may carry it."""

    identity_id: Identifier
    label: str
    metadata_label: str
    counter_identities: Identifiers
    name_genders: Genders


class CounterIdentity(Row):
    """An identity that stands in the counter sentence."""

    counter_identity_id: Identifier
    label: str


class IdentityForm(Row):
    """How an identity or counter identity is written in one form, narrowed to an origin or an opposite if need be."""

    identity: Identifier
    form: str
    text: str
    sentence_initial: str | None = None
    origin: Identifier | None = None
    against: Identifier | None = None


class Name(Row):
    """A person's name or a pronoun as subject, with the forms that agree with it in columns ``slot_...``."""

    name_id: Identifier
    type: Literal["name", "pronoun"]
    gender: Gender
    origin: Identifier | None = None
    slots: dict[str, str]


class MetadataException(Row):
    """One value of the published metadata that does not follow from the tables."""

    stereotype_id: Identifier
    form: str
    text: str | None = None
    column: Literal["gloss", "text", "identities", "rows"]
    value: str
    reason: str


class Language(BaseModel):
    """templates/<lang>/language.yaml: what the language is called and how its released columns are named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="English name of the language")
    direction: Literal["ltr", "rtl"] = Field("ltr", description="direction of writing")
    published_columns: dict[str, str] = Field(
        min_length=1, description="sentence_pairs.csv: column -> column of pairs.parquet"
    )
    metadata_columns: dict[str, str] = Field(
        min_length=1, description="stereotype_metadata.csv: column -> what stands in it"
    )
    metadata_gloss_origins: list[str] = Field(
        description="origins whose English gloss the metadata shows; the others' cell is empty"
    )


#: The columns of pairs.parquet, in order.
PAIR_COLUMNS = [
    "pair_id",
    "stereotype_id",
    "template",
    "template_id",
    "subject",
    "name_gender",
    "identity",
    "counter_identity",
    "identity_label",
    "counter_identity_label",
    "sent_x",
    "sent_y",
    "span_start_x",
    "span_end_x",
    "span_start_y",
    "span_end_y",
    "predicate",
    "tier",
    "harmfulness_mean",
    "origin",
]

#: What a column of stereotype_metadata.csv may hold.
METADATA_VALUES = [
    "template",
    "gloss",
    "text",
    "identities",
    "n_votes",
    "n_yes",
    "n_no",
    "n_unsure",
    "harmfulness_count",
    "harmfulness_mean",
    "yes_percentage",
    "tier",
]
