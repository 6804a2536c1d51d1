"""The table of known models, `models.yaml`: what a key on the command line or in the configuration stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from winoqueer_nl.problems import InputError, Problem, Problems, suggestion
from winoqueer_nl.scoring.demo import DEMOS


class Model(BaseModel):
    """One model that can be scored by its key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="Name for tables and plots.")
    hub_id: str = Field(pattern=r"^[\w.-]+/[\w.-]+$", description="Repository on the Hugging Face Hub.")
    revision: str | None = Field(None, description="Branch, tag or commit; the main branch if left out.")
    kind: Literal["masked", "causal"] = Field(description="How it is scored.")
    parameters_millions: float = Field(gt=0, description="Size, in millions of parameters.")
    licence: str = Field(description="Licence as the model's page names it.")
    gated: bool = Field(False, description="Whether its page asks for a login and consent.")
    languages: Literal["dutch", "multilingual", "english"] = Field(
        description="What it was trained on, roughly."
    )
    in_paper: bool = Field(False, description="Whether the paper reports it.")
    note: str | None = Field(None, description="What a person should know before scoring it.")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")
    models: dict[str, Model]


def read_models(path: Path) -> dict[str, Model]:
    """The models by key; raises :class:`InputError` with every mistake in the file."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        text = str(error).splitlines()[0]
        raise InputError(
            [Problem(str(path), f"a file that cannot be read ({text})", "a YAML table of models")]
        ) from error
    problems = Problems()
    try:
        table = _Table.model_validate(content)
    except ValidationError as error:
        for item in error.errors():
            field = ".".join(str(part) for part in item["loc"])
            problems.add(
                path, repr(item["input"])[:80], item["msg"][:1].lower() + item["msg"][1:], field=field
            )
        problems.stop()
        raise
    for key in table.models:
        if key in DEMOS or "/" in key:
            problems.add(path, f"the key {key}", "a key that is neither a demonstration model nor a Hub id")
    problems.stop()
    return table.models


def check_keys(keys: list[str], models: dict[str, Model], file: str) -> None:
    """Check that each key is a demonstration model or stands in the table; raises :class:`InputError`."""
    known = [*DEMOS, *models]
    problems = Problems()
    for key in keys:
        if key not in known:
            problems.add(file, key, "a key of models.yaml or a demonstration model", suggestion(key, known))
    problems.stop()
