"""What the stages share: the checked configuration, input functions, and the names of the final outputs."""

import json
from pathlib import Path

from snakemake.exceptions import WorkflowError

from winoqueer_nl.config import from_mapping
from winoqueer_nl.problems import InputError, Problems
from winoqueer_nl.sources import source_files

ROOT = Path(workflow.basedir)


def checked_configuration():
    """The configuration as models; a person's mistake becomes a message, not a traceback."""
    try:
        checked = from_mapping(config, ROOT)
        problems = Problems()
        for lang in checked.languages:
            for path in source_files(Path(), lang):
                if not (ROOT / path).is_file():
                    problems.add(
                        path,
                        "no such file",
                        "this source table",
                        "Restore it from version control.",
                    )
        problems.stop()
        return checked
    except InputError as error:
        raise WorkflowError(error.message())


CONFIG = checked_configuration()

# All stages are pure Python in one locked environment; --sdm conda makes the same one elsewhere.
ENVIRONMENT = "../environment.yaml"


def survey_of(wildcards):
    """The survey aggregates of a language, or nothing where it has no survey."""
    surveyed = CONFIG.languages[wildcards.lang].survey is not None
    return f"results/{wildcards.lang}/survey/stereotypes.csv" if surveyed else []


def survey_option(wildcards, input):
    """The command-line option that names the survey aggregates, or nothing."""
    return f"--survey {input.survey}" if input.survey else ""


def survey_source(wildcards):
    """The survey of a language, as config.yaml describes it."""
    return CONFIG.languages[wildcards.lang].survey


def survey_settings():
    """The configuration section survey as command-line options."""
    one = CONFIG.survey
    return (
        f"--tier-1 {one.thresholds.tier_1} --tier-2 {one.thresholds.tier_2} --tier-3 {one.thresholds.tier_3}"
        f" --unsure {one.unsure} --resamples {one.resamples} --seed {one.seed}"
        f" --disclosure-threshold {one.disclosure_threshold}"
    )


def editions():
    """Every (language, edition) that the configuration asks for."""
    return [
        (lang, edition)
        for lang, one in CONFIG.languages.items()
        for edition in one.editions
    ]


def final_outputs():
    """The files that `snakemake` builds without a target: every output of every stage.

    All of them, not the last of each chain: Snakemake takes a missing file in the middle of a chain for unneeded when
    what follows from it is newer, and would call stale results up to date after a stage has failed.
    """
    built = [
        f"results/{lang}/{edition}/{name}"
        for lang, edition in editions()
        for name in (
            "tables.json",
            "pairs.parquet",
            "sentence_pairs.csv",
            "stereotype_metadata.csv",
            "stereotypes.csv",
        )
    ]
    surveys = [
        f"results/{lang}/survey/{name}"
        for lang, one in CONFIG.languages.items()
        if one.survey
        for name in ("stereotypes.csv", "respondents.csv", "summary.json")
    ]
    return built + surveys + ["results/config.yaml", "results/summary.txt"]
