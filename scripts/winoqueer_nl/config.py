"""config.yaml: what to build, checked by one model per section; docs/configuration.md is made from these models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from pydantic import Field

from winoqueer_nl.authoring.config import TranslationConfig
from winoqueer_nl.given_names import LanguageCode, ProjectPath, stays_inside
from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.release.config import ReleaseConfig
from winoqueer_nl.report.config import ReportConfig
from winoqueer_nl.schema import EditionNumber, each_once, split
from winoqueer_nl.scoring.config import ScoringConfig
from winoqueer_nl.statistics.config import StatisticsConfig
from winoqueer_nl.survey.config import SurveyConfig
from winoqueer_nl.tables import read_table
from winoqueer_nl.yaml_files import Strict, checked, read_yaml

CONFIG_FILE = "config.yaml"
EDITIONS_FILE = "release/editions.csv"


LanguageCodes = Annotated[tuple[LanguageCode, ...], pydantic.BeforeValidator(split), pydantic.AfterValidator(each_once)]


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

    excluded_tiers: list[Literal[-1, 1, 2, 3]] = Field(
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
    scoring: ScoringConfig = Field(default=ScoringConfig(), description="which models are scored, and how")
    statistics: StatisticsConfig = Field(
        default=StatisticsConfig(), description="how intervals are made, which languages are compared"
    )
    report: ReportConfig = Field(default=ReportConfig(), description="what the page is about")
    translation: TranslationConfig = Field(
        default=TranslationConfig(), description="proposals for translations (`snakemake translate` only)"
    )


class EditionRow(pydantic.BaseModel):
    """A row of release/editions.csv."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    row: int = Field(default=0, exclude=True)
    edition: EditionNumber
    languages: LanguageCodes
    summary: str


def read_editions(root: Path) -> list[EditionRow]:
    """The editions that exist; raises InputError for a bad table."""
    problems = Problems()
    path = root / EDITIONS_FILE
    rows = read_table(path, EditionRow, problems)
    first: dict[str, int] = {}
    folders = language_folders(root)
    for row in rows:
        if first.setdefault(row.edition, row.row) != row.row:
            problems.add(
                path,
                f"{quoted(row.edition)}, which row {first[row.edition]} has as well",
                "each edition once",
                "Remove one of the rows, or correct its number.",
                row=row.row,
                field="edition",
            )
        for code in row.languages:
            if code not in folders:
                problems.add(
                    path,
                    quoted(code),
                    f"a language with a folder in templates/: {listed(folders) or 'there is none yet'}",
                    suggestion(code, folders),
                    row=row.row,
                    field="languages",
                )
    problems.stop()
    return rows


def language_folders(root: Path) -> list[str]:
    """The languages that have tables, by the names of their folders."""
    folder = root / "templates"
    return sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []


def check_language(root: Path, lang: str) -> None:
    """Raise InputError unless the language has a folder of tables."""
    problems = Problems()
    folders = language_folders(root)
    if lang not in folders:
        expected = f"a language with a folder in {root / 'templates'}: {listed(folders) or 'there is none yet'}"
        problems.add("--lang", quoted(lang), expected, suggestion(lang, folders))
    problems.stop()


def check_known(root: Path, lang: str, edition: str) -> None:
    """Raise InputError unless the language has tables and the edition exists for it."""
    problems = Problems()
    known = read_editions(root)
    check_language(root, lang)
    of_language = [row.edition for row in known if lang in row.languages]
    if edition not in of_language:
        expected = f"an edition of this language in {EDITIONS_FILE}: {listed(of_language) or 'it has none yet'}"
        problems.add("--edition", quoted(edition), expected, suggestion(edition, of_language))
    problems.stop()


def read(root: Path) -> Config:
    """Read config.yaml of a project folder; raises InputError with every problem that the file has by itself."""
    problems = Problems()
    place = str(root.resolve())
    if {"{", "}"} & set(place):  # Snakemake would look for wildcards there
        problems.add(place, "a brace in the path of the project folder", "a path without", "Move or rename the folder.")
    config = read_yaml(root / CONFIG_FILE, Config, problems)
    problems.stop()
    assert config is not None
    return config


def load(root: Path) -> Config:
    """Read and check config.yaml of a project folder; raises InputError with every problem."""
    config = read(root)
    check_against_project(config, root, CONFIG_FILE)
    return config


def read_translation(root: Path, instead: Mapping[str, str | None]) -> TranslationConfig:
    """The section ``translation`` of config.yaml, or its defaults, with values of the command line in their place.

    Raises InputError for a bad file and for bad values.
    """
    problems = Problems()
    section = read(root).translation if (root / CONFIG_FILE).exists() else TranslationConfig()
    given = {key: value for key, value in instead.items() if value is not None}
    merged = checked(section.model_dump() | given, TranslationConfig, "translation", problems)
    problems.stop()
    assert merged is not None
    return merged


def from_mapping(content: Mapping[str, Any], root: Path) -> Config:
    """Check a configuration that Snakemake has merged (config.yaml, --configfile, --config)."""
    problems = Problems()
    config = checked(content, Config, CONFIG_FILE, problems)
    problems.stop()
    assert config is not None
    check_against_project(config, root, CONFIG_FILE)
    return config


def check_against_project(config: Config, root: Path, file: str) -> None:
    """Every language has its folder, every edition exists for it, every file named is there."""
    problems = Problems()
    known = {row.edition: row for row in read_editions(root)}
    folders = language_folders(root)
    for code, language in config.languages.items():
        if code not in folders:
            problems.add(
                file,
                quoted(code),
                f"a language with a folder in templates/: {listed(folders) or 'there is none yet'}",
                suggestion(code, folders),
                field=f"languages.{code}",
            )
        for edition in language.editions:
            of_language = [e for e, row in known.items() if code in row.languages]
            if edition not in of_language:
                problems.add(
                    file,
                    quoted(edition),
                    f"an edition of this language in {EDITIONS_FILE}: {listed(of_language) or 'it has none yet'}",
                    field=f"languages.{code}.editions",
                )
        if language.survey:
            named = {"instrument": [language.survey.instrument], "exports": language.survey.exports}
            for key, paths in named.items():
                for path in paths:
                    if not stays_inside(root, path):
                        problems.add(
                            file,
                            f"{quoted(path)}, a link that leads out of the project folder",
                            "a file of this project",
                            "Copy the file there.",
                            field=f"languages.{code}.survey.{key}",
                        )
                    elif not (root / path).is_file():
                        problems.add(
                            file,
                            f"{quoted(path)}, which does not exist",
                            "a file of this project",
                            "Put the file there or correct the path.",
                            field=f"languages.{code}.survey.{key}",
                        )
    for code, folder in config.release.previous.items():
        if not stays_inside(root, folder):
            problems.add(
                file,
                f"{quoted(folder)}, a link that leads out of the project folder",
                "a folder of this project",
                "Fetch the release into the project: winoqueer-nl fetch.",
                field=f"release.previous.{code}",
            )
    for code in config.statistics.compare or ():
        if code not in folders:
            problems.add(
                file,
                quoted(code),
                f"a language with a folder in templates/: {listed(folders)}",
                suggestion(code, folders),
                field="statistics.compare",
            )
    _check_report(config, file, problems)
    problems.stop()


def _check_report(config: Config, file: str, problems: Problems) -> None:
    """The page shows a language and an edition that are built."""
    lang = config.report.language
    if lang is not None and lang not in config.languages:
        known = list(config.languages)
        problems.add(
            file,
            quoted(lang),
            f"a language that is built: {listed(known)}",
            suggestion(lang, known),
            field="report.language",
        )
        return
    built = config.languages[lang or next(iter(config.languages))].editions
    if config.report.edition is not None and config.report.edition not in built:
        problems.add(
            file,
            quoted(config.report.edition),
            f"an edition of that language that is built: {listed(built)}",
            field="report.edition",
        )
