"""What the sample exports are made from: the published counts, and a description of everything they do not say."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.schema import Form, Identifier
from winoqueer_nl.survey import instrument as instruments
from winoqueer_nl.survey.instrument import Instrument, Text
from winoqueer_nl.tables import read_table
from winoqueer_nl.yaml_files import Strict, read_yaml

Count = Annotated[int, Field(ge=0)]


class PublishedCounts(BaseModel):
    """A row of published_counts.csv; votes are empty where a stereotype was only rated."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    row: int = Field(default=0, exclude=True)
    stereotype_id: Identifier
    n_yes: int | None = Field(default=None, ge=0)
    n_no: int | None = Field(default=None, ge=0)
    n_unsure: int | None = Field(default=None, ge=0)
    harmfulness_count: int = Field(ge=1)
    harmfulness_mean: Decimal


class Column(Strict):
    """A column before the questions: its three header cells, and what fills it."""

    name: str
    text: str
    import_id: str
    fill: (
        Literal[
            "start",
            "end",
            "status",
            "address",
            "progress",
            "duration",
            "finished",
            "identifier",
            "latitude",
            "longitude",
        ]
        | None
    ) = None
    value: str = ""


class WrittenAnswer(Strict):
    """A text column that is filled where an identity question has a certain answer."""

    column: str
    question: str
    answer: str
    text: str


class RoundRecipe(Strict):
    """What a round's export looks like beyond its counts."""

    file: str
    first_day: datetime.date
    preview_rows: Count
    spam_rows: Count
    unfinished_rows: Count
    skipped_items: Count = 0
    texts: dict[str, str] = Field(default_factory=dict)
    relevance_text: str = ""
    harmfulness_text: str = ""
    identities: dict[str, dict[str, Count]] = Field(default_factory=dict)
    written_answers: list[WrittenAnswer] = Field(default_factory=list)
    free_text_column: str | None = None
    free_text_writers: Count = 0


class Recipe(Strict):
    """survey/reconstruct/export.yaml."""

    seed: int
    instrument: str
    published_counts: str
    forms: str
    free_text_form: str
    notice_column: str
    notice: str
    columns: list[Column]
    status: dict[Literal["answer", "preview", "spam"], Text]
    finished: dict[Literal["complete", "incomplete"], Text]
    rounds: dict[str, RoundRecipe]


@dataclass(frozen=True)
class Ingredients:
    """Everything that the sample is made from, checked."""

    folder: Path
    recipe: Recipe
    instrument: Instrument
    counts: Mapping[str, PublishedCounts]
    forms: list[Form]


def load(recipe_file: Path) -> Ingredients:
    """Read a recipe and what it names.

    Raises
    ------
    InputError
        for a bad recipe or table, and for counts that no answers can add up to.
    """
    problems = Problems()
    recipe = read_yaml(recipe_file, Recipe, problems)
    problems.stop()
    assert recipe is not None
    folder = recipe_file.parent
    instrument = instruments.load(folder / recipe.instrument)
    counts_file = folder / recipe.published_counts
    counts = {row.stereotype_id: row for row in read_table(counts_file, PublishedCounts, problems)}
    forms = read_table(folder / recipe.forms, Form, problems)
    problems.stop()
    for round_id, one in recipe.rounds.items():
        _check_round(recipe_file, instrument, round_id, one, problems)
    _check_counts(instrument, counts, counts_file, problems)
    problems.stop()
    return Ingredients(folder, recipe, instrument, counts, forms)


def _check_round(file: Path, instrument: Instrument, round_id: str, recipe: RoundRecipe, problems: Problems) -> None:
    place = f"rounds.{round_id}"
    one = instrument.rounds.get(round_id)
    if one is None:
        known = listed(instrument.rounds)
        problems.add(
            file, quoted(round_id), f"one of {known}", suggestion(round_id, instrument.rounds), field=f"{place}"
        )
        return
    if one.respondents is None:
        problems.add(file, "a round of unknown size", "its respondents in the instrument", field=place)
    for key, number, most in (
        ("skipped_items", recipe.skipped_items, len(one.items)),
        ("free_text_writers", recipe.free_text_writers, one.respondents or 0),
    ):
        if number > most:
            problems.add(file, str(number), f"at most {most}", field=f"{place}.{key}")
    texts = [question.column for question in one.identities] + list(one.free_text)
    for column in texts:
        if column not in recipe.texts:
            problems.add(file, "no text", "the text of this question", field=f"{place}.texts.{column}")
    for question in one.identities:
        shares = recipe.identities.get(question.id, {})
        unknown = [answer for answer in shares if answer not in question.answers.values()]
        if unknown or not any(shares.values()):
            problems.add(
                file,
                listed(unknown) or "no share above 0",
                f"shares of {listed(dict.fromkeys(question.answers.values()))}",
                field=f"{place}.identities.{question.id}",
            )
    if recipe.free_text_column is not None and recipe.free_text_column not in one.free_text:
        problems.add(
            file, quoted(recipe.free_text_column), f"one of {listed(one.free_text)}", field=f"{place}.free_text_column"
        )


def _check_counts(
    instrument: Instrument, counts: Mapping[str, PublishedCounts], file: Path, problems: Problems
) -> None:
    """Every item has counts, those of one item agree, and some whole ratings have the published mean."""
    scale = instrument.harmfulness
    for one in instrument.rounds.values():
        for item in one.items:
            known = [counts.get(stereotype) for stereotype in item.stereotypes]
            for stereotype, row in zip(item.stereotypes, known, strict=True):
                if row is None:
                    problems.add(file, f"no row of {stereotype}", "a row for each stereotype of the instrument")
            figures = {tuple(row.model_dump(exclude={"stereotype_id", "row"}).items()) for row in known if row}
            if len(figures) > 1:
                problems.add(
                    file,
                    f"different counts for {' and '.join(item.stereotypes)}",
                    "the same counts, as they were asked about together",
                )
    for row in counts.values():
        if rating_sum(row.harmfulness_count, row.harmfulness_mean, scale.minimum, scale.maximum) is None:
            problems.add(
                file,
                f"the mean {row.harmfulness_mean} of {row.harmfulness_count} ratings",
                f"a mean that whole numbers from {scale.minimum} to {scale.maximum} can have",
                row=row.row,
                field="harmfulness_mean",
            )
    for round_id, one in instrument.rounds.items():
        for item in one.items:
            row = counts.get(item.key)
            people = one.respondents
            if row is not None and people is not None and shown_to(row) > people:
                problems.add(
                    file,
                    f"answers of {shown_to(row)} people",
                    f"at most {people}, the respondents of the round {round_id}",
                    row=row.row,
                )


def shown_to(counts: PublishedCounts) -> int:
    """How many people at least were shown a stereotype: some rated without a vote, some the other way round."""
    answered = (counts.n_yes or 0) + (counts.n_no or 0) + (counts.n_unsure or 0)
    return max(answered, counts.harmfulness_count)


def rating_sum(count: int, mean: Decimal, minimum: int, maximum: int) -> int | None:
    """The sum of so many whole ratings whose mean, to two decimals (half to even), is the published one."""
    for total in range(minimum * count, maximum * count + 1):
        if count and round(Fraction(total, count) * 100) == mean * 100:
            return total
    return None
