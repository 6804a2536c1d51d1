"""Configuration section ``survey``: how votes become tiers, and what is held back to protect respondents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from winoqueer_nl.yaml_files import Strict

#: What to do with "not sure": leave it out of the votes, or count it as one of the two answers.
Unsure = Literal["excluded", "as_no", "as_yes"]


class Thresholds(Strict):
    """The lowest share of yes votes, in percent, at which a stereotype belongs to a tier."""

    tier_1: float = Field(default=70.0, gt=0, le=100, description="percent of yes from which a stereotype is in tier 1")
    tier_2: float = Field(default=50.0, gt=0, le=100, description="percent of yes from which it is in tier 2")
    tier_3: float = Field(
        default=30.0,
        gt=0,
        le=100,
        description="percent of yes from which it is in tier 3; below, it is not relevant",
    )

    @model_validator(mode="after")
    def _descending(self) -> Thresholds:
        if not self.tier_1 > self.tier_2 > self.tier_3:
            raise ValueError("tier_1 above tier_2 above tier_3, such as 70, 50, 30")
        return self


class SurveyConfig(Strict):
    """How votes become tiers, and what is held back to protect respondents."""

    thresholds: Thresholds = Field(
        default=Thresholds(), description="percent of yes votes from which a stereotype belongs to each tier"
    )
    unsure: Unsure = Field(
        default="excluded",
        description='what "not sure" counts as: excluded (left out of the votes, as published), as_no, as_yes',
    )
    resamples: int = Field(
        default=10_000,
        ge=1,
        le=1_000_000,
        description="resamples of respondents for the probability of each tier",
    )
    seed: int = Field(default=2025, ge=0, description="seed of the resampling")
    disclosure_threshold: int = Field(
        default=5, ge=1, description="counts of respondents below this number are not released"
    )
