"""The section ``translation`` of config.yaml."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from winoqueer_nl.yaml_files import Strict

EngineName = Literal["google", "deepl", "mymemory", "libretranslate"]


class EngineCodes(Strict):
    """What engines call the languages of this project, where they call them otherwise."""

    google: dict[str, str] = Field(default={}, description="language of this project -> Google's code")
    deepl: dict[str, str] = Field(default={}, description="language of this project -> DeepL's code")
    mymemory: dict[str, str] = Field(default={}, description="language of this project -> MyMemory's code")
    libretranslate: dict[str, str] = Field(default={}, description="language of this project -> the server's code")


class TranslationConfig(Strict):
    """Where proposals for translations come from, and how patiently they are asked for. Keys stand in no file:
    DEEPL_API_KEY and LIBRETRANSLATE_API_KEY are read from the environment.
    """

    engine: EngineName = Field(default="google", description="google, deepl, mymemory or libretranslate")
    url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]+")] | None = Field(
        default=None, description="address of the server; needed for libretranslate, the public one otherwise"
    )
    codes: EngineCodes = Field(default=EngineCodes(), description="language codes, where an engine has its own")
    answer_seconds: float = Field(default=20, gt=0, le=600, description="time limit for one whole answer")
    tries: int = Field(default=4, ge=1, le=20, description="tries for one sentence")
    first_pause_seconds: float = Field(
        default=1, ge=0, le=600, description="pause before the second try; doubled before each further one"
    )
    longest_pause_seconds: float = Field(
        default=60, ge=0, le=3600, description="longest pause; where a server asks for more, the run ends"
    )
    seconds_between_requests: float = Field(default=0.5, ge=0, le=600, description="least time between two requests")
    give_up_after: int = Field(
        default=5, ge=1, description="sentences in a row without any answer after which the run ends"
    )
