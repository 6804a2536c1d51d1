"""What the stages share: the checked configuration, input functions, and the names of the final outputs."""

import json
from pathlib import Path

from packaging.version import Version
from snakemake.exceptions import WorkflowError

from winoqueer_nl.check.settings import files as check_files
from winoqueer_nl.config import from_mapping, read
from winoqueer_nl.files import contents
from winoqueer_nl.problems import InputError, Problems
from winoqueer_nl.released import record_files
from winoqueer_nl.scoring.jobs import cost
from winoqueer_nl.scoring.models import DEMOS, check_keys, read_models
from winoqueer_nl.sources import source_files
from winoqueer_nl.statistics.names import DATA_ONLY, NAMES

ROOT = Path(workflow.basedir)

# Before Snakemake reads it: of two equal keys it would take the last in silence, and stop at UTF-16 with a traceback.
try:
    read(ROOT)
except InputError as error:
    raise WorkflowError(error.message()) from None


configfile: "config.yaml"


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
        raise WorkflowError(error.message()) from None


CONFIG = checked_configuration()

# All stages are pure Python in one locked environment; --sdm conda makes the same one elsewhere.
ENVIRONMENT = "../environment.yaml"


# Rules that read sources have contents(...) of them among their params: times alone do not tell what has changed, since
# a copy or a clock may set them to anything. Snakemake compares params that depend on nothing but wildcards.


def sources_of(wildcards):
    """The source tables of a language."""
    return [str(path) for path in source_files(Path(), wildcards.lang)]


def records_of(wildcards):
    """What the releases of a language said."""
    return [str(path) for path in record_files(Path(), wildcards.lang)]


def settings_of(wildcards):
    """What the gates are told about a language."""
    return [str(path) for path in check_files(Path(), wildcards.lang)]


def survey_of(wildcards):
    """The survey aggregates of a language, or nothing where it has no survey."""
    surveyed = CONFIG.languages[wildcards.lang].survey is not None
    return f"results/{wildcards.lang}/survey/stereotypes.csv" if surveyed else []


def survey_option(wildcards, input):
    """The command-line option that names the survey aggregates, or nothing."""
    return ["--survey", input.survey] if input.survey else []


EXCLUDED_TIERS = [f"--exclude-tier={tier}" for tier in CONFIG.pairs.excluded_tiers]


def survey_source(wildcards):
    """The survey of a language, as config.yaml describes it."""
    return CONFIG.languages[wildcards.lang].survey


def survey_sources(wildcards):
    """What the survey stage reads."""
    one = survey_source(wildcards)
    return [*one.exports, one.instrument, "predicates/stereotypes.csv"]


def survey_settings():
    """The configuration section survey as command-line options."""
    one = CONFIG.survey
    return [
        *(f"--tier-{n}={getattr(one.thresholds, f'tier_{n}')}" for n in (1, 2, 3)),
        *(f"--shift={shift:g}" for shift in one.shifts),
        f"--unsure={one.unsure}",
        f"--resamples={one.resamples}",
        f"--seed={one.seed}",
        f"--disclosure-threshold={one.disclosure_threshold}",
    ]


def editions():
    """Every (language, edition) that the configuration asks for."""
    return [
        (lang, edition)
        for lang, one in CONFIG.languages.items()
        for edition in one.editions
    ]


def edition_before(lang, edition):
    """The edition built before this one of a language, or nothing where this is the first."""
    built = CONFIG.languages[lang].editions
    return max(
        (e for e in built if Version(e) < Version(edition)), key=Version, default=None
    )


def check_outputs():
    """The outputs of the stage "check" that `snakemake` builds without a target."""
    built = [
        f"results/{lang}/{edition}/{name}"
        for lang, edition in editions()
        for name in ("check.json", "non_contrastive.csv")
    ]
    return built + [
        f"results/{lang}/{edition}/changes.md"
        for lang, edition in editions()
        if edition_before(lang, edition)
    ]


def known_models():
    """models.yaml, checked, with every model of the configuration in it."""
    try:
        known = read_models(ROOT / "models.yaml")
        check_keys(list(CONFIG.scoring.models), known, "config.yaml")
        return known
    except InputError as error:
        raise WorkflowError(error.message()) from None


MODELS = known_models()


def score_outputs():
    """The scores that the configuration asks for: every edition by every model."""
    return [
        f"results/scores/{lang}/{edition}/{model}/{name}"
        for lang, edition in editions()
        for model, run in CONFIG.scoring.models.items()
        if run.languages is None or lang in run.languages
        for name in ("scores.parquet", "summary.json")
    ]


def score_options(wildcards):
    """The configuration of one run as command-line options."""
    one, run = CONFIG.scoring, CONFIG.scoring.models[wildcards.model]
    options = [
        f"--precision={one.precision}",
        f"--device={one.device}",
        f"--seed={one.seed}",
    ]
    return options + ([f"--sample={run.sample}"] if run.sample else [])


def model_entry(wildcards):
    """What a key stands for: another Hub id or revision is another model and is scored anew."""
    if wildcards.model in DEMOS:
        return "demonstration"
    one = MODELS[wildcards.model]
    return json.dumps([one.hub_id, one.revision, one.kind])


def model_files(wildcards):
    """The record of a model's download, or nothing for one that is made on the spot."""
    return [] if wildcards.model in DEMOS else f"results/models/{wildcards.model}.json"


def job_cost(model):
    """What a run of this model takes: number of jobs, minutes and memory of each."""
    one, run = CONFIG.scoring, CONFIG.scoring.models[model]
    pairs = min(run.sample or one.jobs.pairs, one.jobs.pairs)
    kind = DEMOS[model] if model in DEMOS else MODELS[model].kind
    millions = 1 if model in DEMOS else MODELS[model].parameters_millions
    return cost(
        kind,
        millions * 1e6,
        pairs,
        one.precision,
        one.jobs.teraflops,
        one.jobs.minutes,
        run.jobs,
    )


def score_threads(wildcards):
    """CPU threads of one job."""
    return 1 if wildcards.model in DEMOS else CONFIG.scoring.threads


def score_memory(wildcards, attempt):
    """Megabytes of one job; more at every further attempt."""
    return attempt * job_cost(wildcards.model).megabytes


def score_minutes(wildcards, attempt):
    """Minutes after which one job may be ended; more at every further attempt."""
    return attempt * job_cost(wildcards.model).minutes


def parts_of(wildcards, turn):
    """The marks of all parts of one turn."""
    folder = f"results/parts/{wildcards.lang}/{wildcards.edition}/{wildcards.model}"
    parts = job_cost(wildcards.model).parts
    return [f"{folder}/{turn}/{part}-of-{parts}.txt" for part in range(1, parts + 1)]


def parts_before(wildcards):
    """What a part waits for: the preparation in the first turn, all of the first turn in the second."""
    if wildcards.turn == "second":
        return parts_of(wildcards, "first")
    return f"results/parts/{wildcards.lang}/{wildcards.edition}/{wildcards.model}/prepared.txt"


def parts_to_join(wildcards):
    """The marks that a run in parts waits for; nothing for a run in one job."""
    return parts_of(wildcards, "second") if job_cost(wildcards.model).parts > 1 else []


TABLES = [
    f"results/tables/{name}.{kind}"
    for name in NAMES
    for kind in (("csv",) if name in DATA_ONLY else ("csv", "md", "tex"))
]
SHOWN_IN_REPORT = (
    "models",
    "bias_all",
    "identity_tests",
    "comparison",
    "languages",
    "editions",
)


def scored(name):
    """That file of every run that the configuration asks for."""
    return [path for path in score_outputs() if Path(path).name == name]


def statistics_options():
    """The configuration section statistics as command-line options."""
    one = CONFIG.statistics
    compared = one.compare or list(CONFIG.languages)[:2]
    options = [
        f"--resamples={one.resamples}",
        f"--seed={one.seed}",
        f"--confidence={one.confidence}",
    ]
    languages = [f"--languages={','.join(compared)}"] if len(compared) == 2 else []
    return options + languages


def report_language():
    """The language of the page: as configured, or the first."""
    return CONFIG.report.language or next(iter(CONFIG.languages))


def report_edition():
    """The edition that the page shows: as configured, or the last of its language."""
    return CONFIG.report.edition or CONFIG.languages[report_language()].editions[-1]


def report_survey():
    """The survey aggregates of the page's language, where it has a survey."""
    lang = report_language()
    if CONFIG.languages[lang].survey is None:
        return []
    return [
        f"results/{lang}/survey/{name}.csv" for name in ("stereotypes", "respondents")
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
    shown = [
        "results/report/index.html",
        "results/report/figures",
        "results/config.yaml",
        "results/summary.txt",
    ]
    return built + surveys + check_outputs() + score_outputs() + TABLES + shown
