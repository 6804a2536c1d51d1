"""Configuration section ``scoring``: which models are scored, and how."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from winoqueer_nl.given_names import LanguageCode
from winoqueer_nl.yaml_files import Strict


class ModelRun(Strict):
    """One model to be scored."""

    sample: int | None = Field(
        default=None, ge=2, description="score a stratified sample of so many pairs; all pairs if left out"
    )
    jobs: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="cut the run into so many jobs; by its size if left out",
    )
    languages: list[LanguageCode] | None = Field(
        default=None, description="languages whose pairs it scores; all of them if left out"
    )


class JobsConfig(Strict):
    """How runs are cut into jobs, which work side by side where there are machines for them (docs/cluster.md)."""

    minutes: int = Field(default=120, ge=1, description="a run that takes longer is cut into jobs of about this length")
    teraflops: float = Field(
        default=0.15,
        gt=0,
        description="speed of the machine that a job runs on, in 10^12 operations a second: 0.15 is two CPU cores, "
        "20 a graphics card in float32, 200 and more one in bfloat16",
    )
    pairs: int = Field(default=45000, ge=1, description="about how many pairs an edition has; decides on the cuts only")
    gpus: int | None = Field(
        default=None,
        ge=0,
        le=64,
        description="graphics cards that each job asks a cluster for; 1 with device cuda and 0 otherwise if left out",
    )


class ScoringConfig(Strict):
    """Which models are scored, and how."""

    models: dict[str, ModelRun] = Field(
        default={"demo-masked": ModelRun(sample=1000), "demo-causal": ModelRun(sample=1000)},
        description="keys of models.yaml; demo-masked and demo-causal are tiny and mean nothing",
    )
    precision: Literal["float32", "bfloat16", "auto"] = Field(
        default="auto", description="auto: bfloat16 where it is fast, every decision as in float32"
    )
    device: str = Field(
        default="auto",
        pattern=r"^(auto|cpu|mps|spread|cuda(:\d+)?)$",
        description="auto, cpu, cuda, cuda:1, mps; spread: over all GPUs, then memory, then disk",
    )
    threads: int = Field(default=2, ge=1, description="CPU threads of one model's run")
    seed: int = Field(default=0, ge=0, description="seed of the samples")
    jobs: JobsConfig = Field(default=JobsConfig(), description="how runs are cut into jobs")

    @property
    def gpus(self) -> int:
        """Graphics cards that each job asks a cluster for."""
        return self.jobs.gpus if self.jobs.gpus is not None else int(self.device.startswith("cuda"))
