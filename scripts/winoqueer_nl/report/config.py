"""Configuration section ``report``: what the page is about."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from winoqueer_nl.given_names import LanguageCode
from winoqueer_nl.yaml_files import Strict


class ReportConfig(Strict):
    """What the page is about."""

    language: LanguageCode | None = Field(
        default=None, description="language whose set, scores and survey the page shows; the first one if left out"
    )
    edition: str | None = Field(
        default=None, description="edition that the page shows; its language's last if left out"
    )
    policy: Literal["published", "slot"] = Field(
        default="published", description="span policy of the main figures; both are always compared"
    )
