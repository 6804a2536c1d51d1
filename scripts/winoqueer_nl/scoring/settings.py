"""What a run is asked to do: how to score, and which model a name stands for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from winoqueer_nl.problems import InputError, Problem, quoted, suggestion
from winoqueer_nl.scoring import demo
from winoqueer_nl.scoring.models import Model


class Settings(BaseModel):
    """How to score; nothing here changes a score by more than 1e-4 but `precision: bfloat16`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["masked", "causal"] | None = Field(None, description="Kind of model; read from it if left out.")
    revision: str | None = Field(None, description="Branch, tag or commit of a Hub model.")
    device: str = Field("auto", description="auto, cpu, cuda, cuda:1, mps; spread: all GPUs, memory and disk.")
    precision: Literal["float32", "bfloat16", "auto"] = Field(
        "auto", description="auto: bfloat16 where the hardware has it, float32 where a decision is near."
    )
    sample: int | None = Field(None, ge=2, description="Score a stratified sample of so many pairs.")
    seed: int = Field(0, ge=0, description="Seed of the sample.")
    batch_tokens: int | None = Field(None, ge=1, description="Token positions in a batch.")
    shard_tokens: int | None = Field(None, ge=1, description="Token positions in a shard.")
    threads: int | None = Field(None, ge=1, description="CPU threads, at most.")
    published_csv: bool = Field(False, description="Also write the published scripts' CSV layout.")
    overwrite: bool = Field(False, description="Replace the scores of another run in the same folder.")
    quiet: bool = Field(False, description="No progress bar.")


@dataclass(frozen=True)
class Named:
    """What a name on the command line stands for. title: without a path of this machine. key: of models.yaml."""

    title: str
    source: Literal["demonstration", "hub", "folder"]
    target: str
    kind: str | None = None
    revision: str | None = None
    key: str | None = None


def resolve(name: str, models: dict[str, Model]) -> Named:
    """A demonstration model, a key of the table, a local folder, or else a Hub id.

    Raises :class:`InputError` for a single word that is none of them: most likely a misspelt key.
    """
    if name in demo.DEMOS:
        return Named(name, "demonstration", name, demo.DEMOS[name], key=name)
    if name in models:
        known = models[name]
        return Named(known.hub_id, "hub", known.hub_id, known.kind, known.revision, name)
    if Path(name).is_dir():
        return Named(Path(name).resolve().name, "folder", name)
    if "/" not in name:
        nearest = suggestion(name, [*demo.DEMOS, *models])
        problem = Problem(
            "MODEL", f"{quoted(name)}, which is no key and no folder here",
            "a key of models.yaml, a folder, or a Hub id of the form ORG/NAME", nearest,
        )  # fmt: skip
        raise InputError([problem])
    return Named(name, "hub", name)
