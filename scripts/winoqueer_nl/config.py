"""config.yaml: what to build, checked by one model per section; docs/configuration.md is made from these models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pydantic
from pydantic import Field

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.release.config import ReleaseConfig
from winoqueer_nl.schema import EditionNumber, Identifiers
from winoqueer_nl.survey.config import SurveyConfig
from winoqueer_nl.tables import read_table
from winoqueer_nl.yaml_files import Strict, checked, read_yaml

CONFIG_FILE = "config.yaml"
EDITIONS_FILE = "release/editions.csv"

LanguageCode = Annotated[str, pydantic.StringConstraints(pattern=r"^[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*$")]


def _below_the_project(value: str) -> str:
    path = Path(value)
    if path.is_absolute() or ".." in path.parts or not value.strip():
        raise ValueError("a path below the project folder, without ..")
    return value


ProjectPath = Annotated[str, pydantic.AfterValidator(_below_the_project)]


class SurveySource(Strict):
    """The survey behind a language's relevance tiers."""

    instrument: ProjectPath = Field(description="YAML file that says which question asks about which stereotype")
    exports: list[ProjectPath] = Field(description="raw exports, in any order", min_length=1)


class LanguageConfig(Strict):
    """What to build of one language."""

    editions: list[EditionNumber] = Field(description="editions to build, from release/editions.csv", min_length=1)
    survey: SurveySource | None = Field(
        default=None, description="the survey; without one every stereotype is kept and has no tier"
    )


class PairsConfig(Strict):
    """Which stereotypes become sentence pairs."""

    excluded_tiers: list[int] = Field(
        default=[-1], description="tiers left out of the pairs; -1 = not culturally relevant"
    )


class Config(Strict):
    """The whole configuration."""

    languages: dict[LanguageCode, LanguageConfig] = Field(
        description="languages to build, by code; each has a folder in templates/ and predicates/",
        min_length=1,
    )
    survey: SurveyConfig = Field(default=SurveyConfig(), description="how votes become tiers; what is held back")
    pairs: PairsConfig = Field(default=PairsConfig(), description="which stereotypes become sentence pairs")
    release: ReleaseConfig = Field(default=ReleaseConfig(), description="what goes into a release")


class EditionRow(pydantic.BaseModel):
    """A row of release/editions.csv."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    row: int = Field(default=0, exclude=True)
    edition: EditionNumber
    languages: Identifiers
    summary: str


def read_editions(root: Path) -> list[EditionRow]:
    """The editions that exist; raises InputError for a bad table."""
    problems = Problems()
    rows = read_table(root / EDITIONS_FILE, EditionRow, problems)
    problems.stop()
    return rows


def load(root: Path) -> Config:
    """Read and check config.yaml of a project folder; raises InputError with every problem."""
    problems = Problems()
    config = read_yaml(root / CONFIG_FILE, Config, problems)
    problems.stop()
    assert config is not None
    check_against_project(config, root, CONFIG_FILE)
    return config


def from_mapping(content: Mapping[str, Any], root: Path) -> Config:
    """Check a configuration that Snakemake has merged (config.yaml, --configfile, --config)."""
    problems = Problems()
    config = checked(dict(content), Config, CONFIG_FILE, problems)
    problems.stop()
    assert config is not None
    check_against_project(config, root, CONFIG_FILE)
    return config


def check_against_project(config: Config, root: Path, file: str) -> None:
    """Every language has its folder, every edition exists for it, every file named is there."""
    problems = Problems()
    known = {row.edition: row for row in read_editions(root)}
    folders = sorted(p.name for p in (root / "templates").iterdir() if p.is_dir())
    for code, language in config.languages.items():
        if code not in folders:
            problems.add(
                file,
                quoted(code),
                f"a language with a folder in templates/: {listed(folders)}",
                suggestion(code, folders),
                field=f"languages.{code}",
            )
        for edition in language.editions:
            of_language = [e for e, row in known.items() if code in row.languages]
            if edition not in of_language:
                problems.add(
                    file,
                    quoted(edition),
                    f"an edition of this language in {EDITIONS_FILE}: {listed(of_language)}",
                    field=f"languages.{code}.editions",
                )
        if language.survey:
            named = {"instrument": [language.survey.instrument], "exports": language.survey.exports}
            for key, paths in named.items():
                for path in paths:
                    if not (root / path).is_file():
                        problems.add(
                            file,
                            f"{quoted(path)}, which does not exist",
                            "a file of this project",
                            "Put the file there or correct the path.",
                            field=f"languages.{code}.survey.{key}",
                        )
    problems.stop()
