"""Configuration section ``release``: what goes into a release, and what it is compared with."""

from __future__ import annotations

from pydantic import Field

from winoqueer_nl.given_names import ModelKey, ProjectPath
from winoqueer_nl.yaml_files import Strict


class ReleaseConfig(Strict):
    """What goes into a release, and what it is compared with."""

    scores: dict[str, list[ModelKey]] = Field(
        default={}, description="by language: keys of the scored models whose scores are released"
    )
    previous: dict[str, ProjectPath] = Field(
        default={},
        description="by language: folder of the release that the new one is compared with; without an entry the "
        "edition before, rebuilt from the tables",
    )
