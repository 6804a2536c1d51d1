"""The table of known models, `models.yaml`: what a key stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from winoqueer_nl.given_names import HubId, Line, Revision, is_model_key
from winoqueer_nl.problems import Problems, quoted, suggestion
from winoqueer_nl.yaml_files import Strict, read_yaml

#: The built-in demonstration models and their kinds; winoqueer_nl.scoring.demo makes them.
DEMOS = {"demo-masked": "masked", "demo-causal": "causal"}


class Model(Strict):
    """One model that can be scored by its key."""

    name: Line = Field(description="Name for tables and plots.")
    hub_id: HubId = Field(description="Repository on the Hugging Face Hub.")
    revision: Revision | None = Field(None, description="Branch, tag or commit; the main branch if left out.")
    kind: Literal["masked", "causal"] = Field(description="How it is scored.")
    parameters_millions: float = Field(gt=0, description="Size, in millions of parameters.")
    licence: Line = Field(description="Licence as the model's page names it.")
    gated: bool = Field(False, description="Whether its page asks for a login and consent.")
    languages: Literal["dutch", "multilingual", "english"] = Field(description="What it was trained on, roughly.")
    in_paper: bool = Field(False, description="Whether the paper reports it.")
    unconfirmed: list[Literal["hub_id", "kind", "parameters_millions", "licence", "gated"]] = Field(
        default=[], description="Facts of this entry that no page of the model says, as far as was seen."
    )
    note: Line | None = Field(None, description="What a person should know before scoring it.")


class _Table(Strict):
    models: dict[str, Model] = Field(description="The models by key.")


def read_models(path: Path) -> dict[str, Model]:
    """The models by key; raises :class:`InputError` with every mistake in the file."""
    problems = Problems()
    table = read_yaml(path, _Table, problems)
    problems.stop()
    assert table is not None
    for key in table.models:
        if key in DEMOS or not is_model_key(key):
            problems.add(
                path,
                quoted(key),
                "a key of letters, digits, points, hyphens and underscores that is no demonstration model",
                "Begin it with a letter or digit; no two points in a row; at most 80 characters.",
            )
    problems.stop()
    return table.models


def check_keys(keys: list[str], models: dict[str, Model], file: str) -> None:
    """Check that each key is a demonstration model or stands in the table; raises :class:`InputError`."""
    known = [*DEMOS, *models]
    problems = Problems()
    for key in keys:
        if key not in known:
            problems.add(file, quoted(key), "a key of models.yaml or a demonstration model", suggestion(key, known))
    problems.stop()
