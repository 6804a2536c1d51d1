"""Which files a release is made from: the input functions of rules/release.smk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from winoqueer_nl.config import EDITIONS_FILE, Config, read_editions
from winoqueer_nl.release import card, harness
from winoqueer_nl.release.description import DESCRIPTION_FILE
from winoqueer_nl.release.layout import CHECKSUMS, numbers
from winoqueer_nl.sources import source_files


def edition_before(root: Path, lang: str, version: str) -> str | None:
    """The latest edition of the language before a version, or None."""
    editions = [row.edition for row in read_editions(root) if lang in row.languages]
    earlier = [edition for edition in editions if numbers(edition) < numbers(version)]
    return max(earlier, key=numbers, default=None)


def previous(config: Config, root: Path, lang: str, version: str) -> list[str]:
    """The checksums of the release to compare with: as configured, else the edition before, rebuilt; or none."""
    if lang in config.release.previous:
        return [f"{config.release.previous[lang]}/{CHECKSUMS}"]
    before = edition_before(root, lang, version)
    return [f"results/release/{lang}-{before}/{CHECKSUMS}"] if before else []


def survey(config: Config, lang: str) -> list[str]:
    """The survey aggregates that are released; none for a language without a survey."""
    names = ("stereotypes.csv", "respondents.csv") if config.languages[lang].survey else ()
    return [f"results/{lang}/survey/{name}" for name in names]


def scores(config: Config, lang: str, version: str) -> list[str]:
    """The scores of the models that are released."""
    models = config.release.scores.get(lang, [])
    return [f"results/scores/{lang}/{version}/{model}/scores.parquet" for model in models]


def sources(root: Path, lang: str) -> list[str]:
    """The source tables, and the files below release/ that a release of a language is made from."""
    fixed = [EDITIONS_FILE, DESCRIPTION_FILE.format(lang=lang), card.TEMPLATE]
    folders = [path for name in (harness.SOURCE, "release/licences") for path in sorted((root / name).iterdir())]
    texts = [path.relative_to(root).as_posix() for path in folders if path.is_file()]
    return [str(path) for path in source_files(Path(), lang)] + fixed + texts


def options(survey: Sequence[str], scores: Sequence[str], previous: Sequence[str]) -> list[str]:
    """Survey, scores and previous release as command-line options."""
    found = [f"--survey={Path(survey[0]).parent}"] if survey else []
    found += [f"--score={Path(file).parent.name}={Path(file).parent}" for file in scores]
    found += [f"--previous={Path(file).parent}" for file in previous]
    return found
