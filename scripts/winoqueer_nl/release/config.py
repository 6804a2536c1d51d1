"""Configuration section ``release``: what goes into a release, and what it is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pydantic
from pydantic import Field

from winoqueer_nl.yaml_files import Strict


def _below_the_project(value: str) -> str:
    path = Path(value)
    if path.is_absolute() or ".." in path.parts or not value.strip():
        raise ValueError("a path below the project folder, without ..")
    return value


class ReleaseConfig(Strict):
    """What goes into a release, and what it is compared with."""

    scores: dict[str, list[str]] = Field(
        default={}, description="by language: keys of the scored models whose scores are released"
    )
    previous: dict[str, Annotated[str, pydantic.AfterValidator(_below_the_project)]] = Field(
        default={},
        description="by language: folder of the release that the new one is compared with; without an entry the "
        "edition before, rebuilt from the tables",
    )
