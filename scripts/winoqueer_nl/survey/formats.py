"""How the exports of a survey tool are laid out: the declared adapters, and what an instrument says of its own files.

An adapter is a file in ``adapters/``: plain data, one a tool. An instrument names one as ``reader`` and overrides what
its exports do otherwise. Nothing about a file is found out by looking at it; what is declared is verified.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo, field_validator, model_validator

from winoqueer_nl.problems import listed, suggestion
from winoqueer_nl.schema import Identifier
from winoqueer_nl.yaml_files import Strict


def _text(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("text; YAML reads a bare Yes, No, On or Off as true or false, so put it in quotation marks")
    return str(value) if isinstance(value, int) else value


def normalised(text: str) -> str:
    """The text with each run of white space (no-break spaces and line feeds too) as one blank, none at the ends."""
    return " ".join(text.split())


Text = Annotated[str, BeforeValidator(_text), StringConstraints(min_length=1)]
Label = Annotated[Text, BeforeValidator(lambda value: normalised(value) if isinstance(value, str) else value)]
Labels = Annotated[tuple[Label, ...], Field(min_length=1)]

#: As ``respondent``: a response is told apart by all its cells together, personal ones included.
WHOLE_ROW = "(whole row)"
#: What a derived column holds where no pattern fits.
FILLED, EMPTY = "filled", "empty"

Delimiter = Literal[",", ";", "\t"]
Encoding = Literal["utf-8", "windows-1252"]
Layout = Literal["qualtrics", "names", "texts", "question_and_item", "long"]
Container = Literal["csv", "xlsx", "sav"]


class Drop(Strict):
    """Values of a column that mark a row as none of ours, and why."""

    values: Labels
    reason: Text


class RowRule(Strict):
    """Every value that a column may hold: rows to keep and, by rule, rows to drop."""

    keep: Labels
    drop: dict[Identifier, Drop]


class Derived(Strict):
    """The one word that is read of a column about the person or the device: a pattern's, else filled or empty."""

    column: Label
    words: dict[Text, Label] = Field(default_factory=dict, description="pattern with * -> word")

    def word(self, cell: str) -> str:
        """The word for a cell."""
        for pattern, word in self.words.items():
            if fits(cell.strip(), pattern):
                return word
        return FILLED if cell.strip() else EMPTY


class Format(Strict):
    """How the exports of one survey tool are laid out: what its adapter declares, the instrument's own words first."""

    reader: str = Field(description="the adapter: see `winoqueer-nl survey formats`")
    container: Container = Field(description="csv, xlsx (a spreadsheet) or sav (SPSS)")
    layout: Layout = Field(
        description="what the header rows say: qualtrics (names, texts, ImportIds), names, texts (the question itself "
        "is the name), question_and_item (a question over its first column, its items below), long (a row an answer)"
    )
    header_rows: int
    delimiter: Delimiter = ","
    encoding: Encoding = "utf-8"
    sheet: Text | None = Field(default=None, description="xlsx: which sheet; may be left out where there is one")
    values: Literal["labels", "codes"] = Field(
        default="labels", description="sav: value labels or the codes below them"
    )
    question: Label | None = Field(default=None, description="long: column that names the question")
    answer: Label | None = Field(default=None, description="long: column with the answer")
    respondent: Label | None = Field(
        default=None,
        description="column that tells responses apart, read only to find repeated rows; (whole row) where there is "
        "none but rows differ all the same; null: repeated rows cannot be found",
    )
    personal: tuple[Label, ...] = Field(
        description="columns about the person or the device, dropped before all else; * stands for any characters"
    )
    ignored: tuple[Label, ...] = Field(default=(), description="further columns that are not used")
    optional: tuple[Label, ...] = Field(default=(), description="columns that are not used and may be absent")
    derived: dict[Label, Derived] = Field(
        default_factory=dict, description="columns of one word made from personal ones"
    )
    rows: dict[Label, RowRule] = Field(description="columns that say which rows count")
    trailing_separator: bool = Field(default=False, description="whether a cell of several answers may end with one")
    skipped: tuple[Label, ...] = Field(
        default=(), description="what stands in a cell whose question was shown and left unanswered"
    )
    not_shown: tuple[Label, ...] = Field(default=(), description="... and whose question was not shown")
    empty: Literal["not_shown", "skipped"] = Field(default="not_shown", description="what an empty cell says")

    @model_validator(mode="before")
    @classmethod
    def _with_the_adapter(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.get("reader") not in adapters():
            return given
        declared = adapters()[given["reader"]].format
        own = given.get("personal") or ()
        # An instrument adds columns about people; it can never make one of the tool's readable by leaving it out.
        personal = [*own, *(c for c in declared["personal"] if c not in own)] if isinstance(own, list | tuple) else own
        return declared | given | {"personal": personal}

    @field_validator("reader")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in adapters():
            raise ValueError(f"one of {listed(adapters(), 20)}. {suggestion(value, adapters())}".rstrip(". "))
        return value

    @field_validator("header_rows")
    @classmethod
    def _as_laid_out(cls, value: int, info: ValidationInfo) -> int:
        allowed = {"qualtrics": (3, 2), "question_and_item": (2,)}.get(info.data.get("layout", ""), (1,))
        if info.data.get("container") == "sav":
            allowed = (0,)
        if value not in allowed:
            raise ValueError(" or ".join(map(str, allowed)) + ", the header rows of this layout")
        return value

    @model_validator(mode="after")
    def _complete(self) -> Format:
        if self.layout == "long" and None in (self.question, self.answer, self.respondent):
            raise ValueError("respondent, question and answer: the three columns of a long table")
        if self.container == "sav" and self.respondent == WHOLE_ROW:
            raise ValueError("respondent: a column, or null; of an SPSS file personal columns are never loaded")
        for name, derived in self.derived.items():
            if not self.is_personal(derived.column) and derived.column != self.respondent:
                raise ValueError(f"under derived, {name}: a column of personal, or respondent")
        return self

    def is_personal(self, column: str) -> bool:
        """Whether a column is about the person or the device."""
        return column != self.respondent and any(fits(column, pattern) for pattern in self.personal)


class Adapter(Strict):
    """One tool's declaration."""

    tool: str
    export_as: str = Field(description="how to export from the tool so that nothing is lost")
    signature: tuple[tuple[str, ...], ...] = Field(
        default=(), description="sets of columns; a file with all columns of one looks like this tool's"
    )
    unconfirmed: tuple[str, ...] = Field(default=(), description="traits to hold against an export of your own")
    format: dict[str, Any]


@cache
def adapters() -> dict[str, Adapter]:
    """Every declared adapter by name, sorted."""
    folder = resources.files("winoqueer_nl.survey") / "adapters"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return {
        file.name.removesuffix(".yaml"): Adapter.model_validate(yaml.safe_load(file.read_text("utf-8")))
        for file in files
    }


def fits(text: str, pattern: str) -> bool:
    """Whether a text is what a pattern says; * stands for any characters, everything else for itself."""
    if "*" not in pattern:
        return text == pattern
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
