"""Configuration section ``statistics``: how intervals are made, which languages are compared."""

from __future__ import annotations

from pydantic import Field

from winoqueer_nl.given_names import LanguageCode
from winoqueer_nl.yaml_files import Strict


class StatisticsConfig(Strict):
    """How intervals are made, and which languages are compared."""

    resamples: int = Field(default=2000, ge=100, description="resamples of the stereotypes for every interval")
    seed: int = Field(default=1, ge=0, description="seed of the resamples: the same seed, the same intervals")
    confidence: float = Field(default=0.95, ge=0.5, le=0.999, description="confidence of the intervals, a fraction")
    compare: list[LanguageCode] | None = Field(
        default=None,
        min_length=2,
        max_length=2,
        description="two languages of which models run in both are compared, the first minus the second; the first two"
        " that are built if left out",
    )
