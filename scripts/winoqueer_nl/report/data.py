"""What the report is made of: tables of results, the dataset, the survey's aggregates; read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from packaging.version import Version

from winoqueer_nl.files import check_intact
from winoqueer_nl.problems import InputError, Problem, Problems, listed
from winoqueer_nl.statistics import analysis, comparison, editions, harmfulness, languages

TABLE_COLUMNS = {
    "metrics": analysis.METRIC_COLUMNS,
    "stereotypes": analysis.STEREOTYPE_COLUMNS,
    "comparison": comparison.COMPARISON_COLUMNS,
    "harmfulness": harmfulness.HARMFULNESS_COLUMNS,
    "languages": languages.LANGUAGE_COLUMNS,
    "editions": editions.EDITION_COLUMNS,
}
TEXT = {
    *(
        "model",
        "kind",
        "precision",
        "language",
        "edition",
        "policy",
        "subset",
        "dimension",
        "group",
        "method",
    ),
    *("measure", "model_a", "model_b", "stereotype_id", "language_a", "language_b", "edition_a", "edition_b"),
    *("edition_before", "edition_after"),
}
STEREOTYPE_COLUMNS = (
    *("stereotype_id", "type", "origin", "gloss", "identities", "n_pairs", "n_yes", "n_no", "n_unsure"),
    *("yes_percentage", "tier", "harmfulness_count", "harmfulness_mean", "harmfulness_sd"),
)
SURVEY_COLUMNS = (
    *(
        "stereotype_id",
        "n_yes",
        "n_no",
        "n_unsure",
        "n_votes",
        "yes_percentage",
        "tier",
        "yes_percentage_low",
    ),
    *("yes_percentage_high", "tier_1_probability", "tier_2_probability", "tier_3_probability"),
    *("not_relevant_probability", "harmfulness_count", "harmfulness_mean", "harmfulness_sd"),
)
RESPONDENT_COLUMNS = ("question", "answer", "n_respondents", "suppressed")
PAIR_COLUMNS = (
    *("pair_id", "stereotype_id", "template_id", "subject", "identity", "identity_label", "sent_x", "sent_y"),
    *("span_start_x", "span_end_x", "span_start_y", "span_end_y"),
)


@dataclass(frozen=True)
class ReportData:
    """Everything the page shows.

    metrics, scores, comparison, harmfulness: rows of the page's own language and edition. languages: such rows of
    models run in two languages, the second in the page's own edition, or its last where it has none of that number.
    editions: rows of the page's span policy, of every language, the page's own first. survey, respondents: None
    without a survey.
    """

    language: str
    edition: str
    policy: str
    threshold: int
    stereotypes: pd.DataFrame
    pairs: pd.DataFrame
    metrics: pd.DataFrame
    scores: pd.DataFrame
    comparison: pd.DataFrame
    harmfulness: pd.DataFrame
    languages: pd.DataFrame
    editions: pd.DataFrame
    survey: pd.DataFrame | None = None
    respondents: pd.DataFrame | None = None
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def models(self) -> list[str]:
        """Keys of the models scored under the page's span policy, masked ones first, then by name."""
        rows = self.metrics.loc[self.metrics["policy"] == self.policy, ["model", "kind"]].drop_duplicates()
        order = {"masked": 0, "autoregressive": 1}
        return sorted(rows["model"], key=lambda model: (order[self.kinds[model]], model))

    @property
    def kinds(self) -> dict[str, str]:
        """Model key to ``masked`` or ``autoregressive``."""
        return dict(zip(self.metrics["model"], self.metrics["kind"], strict=True))

    @property
    def demos(self) -> set[str]:
        """Keys of the demo models, whose numbers mean nothing."""
        tables = (self.metrics, self.editions)  # the second has models of other languages too
        return {model for table in tables for model in table.loc[table["demo"].astype(bool), "model"]}

    @property
    def identities(self) -> list[str]:
        """Identity ids, those with most pairs first."""
        sizes = self.pairs["identity"].value_counts()
        return sorted(sizes.index, key=lambda identity: (-sizes[identity], identity))

    def label(self, identity: str) -> str:
        """An identity as the dataset writes it."""
        return self.labels.get(identity, identity)

    def name(self, model: str) -> str:
        """A model as the page calls it; a demo model is marked wherever it stands."""
        return f"{model} (demo)" if model in self.demos else model


def read_report_data(
    tables: Path, dataset: Path, survey: Path, language: str, edition: str, policy: str, threshold: int
) -> ReportData:
    """Read all inputs of the report.

    Parameters
    ----------
    tables: the folder that ``winoqueer-nl statistics`` wrote.
    dataset: the folder with ``pairs.parquet`` and ``stereotypes.csv`` of this language and edition.
    survey: the folder of the survey's aggregates; it need not exist.
    policy: span policy of the main figures.
    threshold: the smallest count of people that may be shown.

    Raises
    ------
    InputError: a file is missing or lacks columns, or a shown count of people is below the threshold.
    """
    read = {name: _own_table(tables / f"{name}.csv", columns) for name, columns in TABLE_COLUMNS.items()}
    stereotypes = _csv(dataset / "stereotypes.csv", STEREOTYPE_COLUMNS, "Build the dataset first.")
    numbers = ("n_pairs", *STEREOTYPE_COLUMNS[6:])
    stereotypes[list(numbers)] = stereotypes[list(numbers)].apply(pd.to_numeric, errors="coerce")
    pairs = _pairs(dataset / "pairs.parquet")
    here = {
        name: table[(table["language"] == language) & (table["edition"] == edition)].reset_index(drop=True)
        for name, table in read.items()
        if name not in ("languages", "editions")
    }
    both = read["languages"]
    both = both[(both["language_a"] == language) & (both["edition_a"] == edition) & (both["policy"] == policy)]
    changes = read["editions"][read["editions"]["policy"] == policy]
    changes = changes.sort_values("language", key=lambda column: column != language, kind="stable")
    votes = people = None
    if (survey / "stereotypes.csv").exists():
        votes = _csv(survey / "stereotypes.csv", SURVEY_COLUMNS, "Run the survey stage again.")
        votes[list(SURVEY_COLUMNS[1:])] = votes[list(SURVEY_COLUMNS[1:])].apply(pd.to_numeric, errors="coerce")
    if (survey / "respondents.csv").exists():
        people = _respondents(survey / "respondents.csv", threshold)
    return ReportData(
        language,
        edition,
        policy,
        threshold,
        stereotypes,
        pairs,
        here["metrics"],
        here["stereotypes"],
        here["comparison"],
        here["harmfulness"],
        both[both["edition_b"] == _other_edition(both, edition)].reset_index(drop=True),
        changes.reset_index(drop=True),
        votes,
        people,
        dict(zip(pairs["identity"], pairs["identity_label"], strict=True)),
    )


def _other_edition(both: pd.DataFrame, edition: str) -> str:
    """The second language's edition that the page compares with: the same number, or the last."""
    known = set(both["edition_b"])
    return edition if edition in known or not known else max(known, key=Version)


def _csv(path: Path, columns: Sequence[str], fix: str) -> pd.DataFrame:
    check_intact(path)
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError([Problem(str(path), "no such file", "a table", fix)]) from error
    except (ValueError, OSError) as error:
        raise InputError([Problem(str(path), "no readable table", "a UTF-8 CSV file", fix)]) from error
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise InputError([Problem(str(path), f"no column {listed(missing)}", f"columns {listed(columns)}", fix)])
    return frame


def _own_table(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    frame = _csv(path, columns, "Make the tables with: winoqueer-nl statistics.")
    for column in columns:
        if column in ("demo", "same_kind"):
            frame[column] = frame[column] == "true"
        elif column not in TEXT:
            frame[column] = pd.to_numeric(frame[column], errors="coerce")
    return frame


def _pairs(path: Path) -> pd.DataFrame:
    import pyarrow.parquet as pq

    check_intact(path)
    try:
        names = pq.read_schema(path).names
        missing = [column for column in PAIR_COLUMNS if column not in names]
        if missing:
            raise InputError([Problem(str(path), f"no column {listed(missing)}", "a pairs file", "Build it again.")])
        return pq.read_table(path, columns=list(PAIR_COLUMNS)).to_pandas()
    except FileNotFoundError as error:
        raise InputError([Problem(str(path), "no such file", "the pairs", "Build the dataset first.")]) from error
    except (ValueError, OSError) as error:
        raise InputError([Problem(str(path), "no readable pairs", "a Parquet file", "Build it again.")]) from error


def _respondents(path: Path, threshold: int) -> pd.DataFrame:
    """The counts of respondents; refuses a file that shows a small one: the page must not be the leak."""
    frame = _csv(path, RESPONDENT_COLUMNS, "Run the survey stage again.")
    problems = Problems()
    counts = pd.to_numeric(frame["n_respondents"], errors="coerce")
    for row, (count, hidden) in enumerate(zip(counts, frame["suppressed"] == "true", strict=True), start=2):
        if hidden and pd.notna(count):
            problems.add(path, "a count in a suppressed row", "a blank cell", row=row, field="n_respondents")
        if not hidden and pd.isna(count):
            problems.add(path, "no count", "a count, or suppressed = true", row=row, field="n_respondents")
        if not hidden and 0 < count < threshold:
            problems.add(
                path,
                "a count below the threshold",
                f"at least {threshold}, or a suppressed row",
                "Run the survey stage again with the same threshold.",
                row=row,
                field="n_respondents",
            )
    problems.stop()
    frame["n_respondents"] = counts
    frame["suppressed"] = frame["suppressed"] == "true"
    return frame
