"""Reading pairs and score runs, and putting them together pair by pair.

A run is a folder with ``scores.parquet`` (one row per pair) and ``summary.json`` (the model and the pairs it
was scored on). Everything that a person may have mixed up is checked here, before a number is made.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, ValidationError

from winoqueer_nl.files import check_intact, sha256
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted
from winoqueer_nl.statistics.metrics import POLICIES

PAIR_COLUMNS = (
    "pair_id",
    "stereotype_id",
    "template_id",
    "name_gender",
    "identity",
    "counter_identity",
    "identity_label",
    "counter_identity_label",
    "tier",
    "harmfulness_mean",
    "origin",
)
SCORE_COLUMNS = tuple(f"score_{side}_{policy}" for policy in POLICIES for side in ("x", "y"))


class Summary(BaseModel):
    """What a run says of itself; other keys than these may be there and are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True, protected_namespaces=())

    model: str
    revision: str | None
    kind: Literal["masked", "autoregressive"]
    precision: str
    language: str
    edition: str
    pairs_sha256: str
    n_pairs: int
    demo: bool = False


@dataclass(frozen=True)
class Run:
    """A score run joined to its pairs.

    key: the name of its folder, which is how tables call the model. pairs: the rows of the pairs that were
    scored, in the order of the pairs file, with the score columns (natural-log likelihoods). whole: how many
    pairs the file has; a run over a sample has fewer.
    """

    key: str
    summary: Summary
    pairs: pd.DataFrame
    whole: int = 0

    @property
    def policies(self) -> tuple[str, ...]:
        """The span policies that were scored: a run of pairs without spans has no slot scores."""
        return tuple(policy for policy in POLICIES if self.pairs[f"score_x_{policy}"].notna().any())


def read_pairs(path: Path) -> pd.DataFrame:
    """The columns of a pairs file that statistics need; raises :class:`InputError` if it is none."""
    frame = _read_parquet(path, PAIR_COLUMNS, "Build the pairs first, or name the file with --pairs.")
    problems = Problems()
    repeated = frame["pair_id"][frame["pair_id"].duplicated()]
    if len(repeated):
        problems.add(
            path,
            f"{len(repeated)} repeated ids such as {quoted(repeated.iloc[0])}",
            "each id once",
            field="pair_id",
        )
    for column in ("stereotype_id", "template_id", "identity", "counter_identity", "origin"):
        if frame[column].isna().any():
            problems.add(path, f"{int(frame[column].isna().sum())} empty cells", "none", field=column)
    problems.stop()
    return frame


def read_summary(folder: Path) -> Summary:
    """A run's ``summary.json``; raises :class:`InputError` with every key that is missing or wrong."""
    path = Path(folder) / "summary.json"
    check_intact(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            [
                Problem(
                    str(path),
                    error.strerror or "no file",
                    "a run's summary.json",
                    "Name the folder of a finished run. A stopped run has none yet: start it again with the same "
                    "command, and it goes on where it stopped.",
                )
            ]
        ) from error
    except ValueError as error:
        raise InputError([Problem(str(path), "text that is not JSON", "JSON", "Score the model again.")]) from error
    if isinstance(content, dict) and any(key in content and content[key] is None for key in ("language", "edition")):
        raise InputError(
            [
                Problem(
                    str(path),
                    "a run that was scored from a file without language and edition",
                    "a run over results/<lang>/<edition>/pairs.parquet",
                    "compare and statistics need that table's columns: score the model on it with --pairs. The "
                    "bias score of this run is in its summary.json.",
                )
            ]
        )
    try:
        return Summary.model_validate(content)
    except ValidationError as error:
        problems = Problems()
        for item in error.errors():
            key = ".".join(map(str, item["loc"])) or None
            found = "nothing" if item["type"] == "missing" else quoted(item["input"])
            problems.add(path, found, item["msg"].lower(), "Score the model again.", field=key)
        raise InputError(problems.found) from error


def read_runs(folders: Sequence[Path], root: Path, given: Sequence[Path] = (), partial: bool = False) -> list[Run]:
    """Read runs and join each to the pairs that it scored.

    Parameters
    ----------
    folders: the runs' folders; none at all is fine.
    root: where ``<language>/<edition>/pairs.parquet`` stands, unless one of ``given`` is the file scored.
    given: pairs files; the one whose SHA-256 a run names is taken.
    partial: whether a run may lack pairs that its summary counts. A run over a sample lacks none. A pair that
        the file does not have is always an error.

    Returns
    -------
    Runs ordered by language, edition and key.

    Raises
    ------
    InputError: a file is missing or malformed; the pairs are not those that were scored; scores are missing,
        repeated or not numbers; two runs of one language and edition have the same key.
    """
    for path in given:
        if not Path(path).is_file():
            raise InputError([Problem(str(path), "no such file", "a pairs file", "Correct --pairs.")])
    hashes = {sha256(path): Path(path) for path in given}
    loaded: dict[Path, tuple[str, pd.DataFrame]] = {}
    runs: list[Run] = []
    seen: dict[tuple[str, str, str], Path] = {}
    for folder in map(Path, folders):
        summary, key = read_summary(folder), folder.resolve().name
        place = (summary.language, summary.edition, key)
        if place in seen:
            raise InputError(
                [
                    Problem(
                        str(folder),
                        f"the name {quoted(key)}, as {seen[place]} has it",
                        "one name per model, language and edition",
                        "Rename one of the two folders.",
                    )
                ]
            )
        seen[place] = folder
        path = hashes.get(summary.pairs_sha256, Path(root) / summary.language / summary.edition / "pairs.parquet")
        if path not in loaded:
            frame = read_pairs(path)  # first, because it explains a missing file
            loaded[path] = (sha256(path), frame)
        digest, pairs = loaded[path]
        if digest != summary.pairs_sha256:
            raise InputError(
                [
                    Problem(
                        str(folder / "summary.json"),
                        f"pairs with SHA-256 {summary.pairs_sha256[:12]}..., but {path} has {digest[:12]}...",
                        "scores of the pairs as they are now",
                        "Score the model again, or name the pairs that were scored with --pairs.",
                        field="pairs_sha256",
                    )
                ]
            )
        runs.append(Run(key, summary, _join(folder, pairs, summary.n_pairs, partial), len(pairs)))
    return sorted(runs, key=lambda run: (run.summary.language, run.summary.edition, run.key))


def _join(folder: Path, pairs: pd.DataFrame, expected: int, partial: bool) -> pd.DataFrame:
    path = folder / "scores.parquet"
    scores = _read_parquet(path, ("pair_id", *SCORE_COLUMNS), "Name the folder of a finished run.")
    problems = Problems()
    if scores["pair_id"].duplicated().any():
        problems.add(path, "repeated pair ids", "each pair once", "Score the model again.", field="pair_id")
    unknown = sorted(set(scores["pair_id"]) - set(pairs["pair_id"]))
    if unknown:
        problems.add(path, f"unknown pairs {listed(unknown, 3)}", "ids of the pairs file", field="pair_id")
    for policy in POLICIES:
        both = scores[[f"score_x_{policy}", f"score_y_{policy}"]]
        if policy != POLICIES[0] and both.isna().all(axis=None):
            continue  # not scored at all, which is no mistake
        amiss = (~np.isfinite(both.to_numpy(np.float64))).sum(0)
        for column, bad in zip(both.columns, amiss, strict=True):
            if bad:
                found = f"{bad} values that are not finite"
                problems.add(path, found, "a number per pair", "Score the model again.", field=column)
    if len(scores) != expected and not partial and not unknown:
        problems.add(
            path,
            f"{len(scores):,} of {expected:,} pairs",
            "every pair that summary.json counts",
            "Let the run finish, or look at what is there with: winoqueer-nl compare.",
        )
    problems.stop()
    joined = pairs.merge(scores[["pair_id", *SCORE_COLUMNS]], on="pair_id", how="inner", validate="one_to_one")
    if joined.empty:
        raise InputError([Problem(str(path), "no pair", "at least one scored pair", "Score the model again.")])
    return joined


def _read_parquet(path: Path, columns: Sequence[str], fix: str) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_intact(path)
    try:
        names = pq.read_schema(path).names
        missing = [column for column in columns if column not in names]
        if missing:
            raise InputError([Problem(str(path), f"no column {listed(missing)}", f"columns {listed(columns)}", fix)])
        return pq.read_table(path, columns=list(columns)).to_pandas()
    except OSError as error:
        found = "no such file" if isinstance(error, FileNotFoundError) else str(error.strerror or error)
        raise InputError([Problem(str(path), found, "a Parquet file", fix)]) from error
    except pa.ArrowInvalid as error:
        raise InputError([Problem(str(path), "bytes that are not Parquet", "a Parquet file", fix)]) from error


def identities(pairs: pd.DataFrame) -> list[str]:
    """The identity ids, those with most pairs first (equal counts by id): the order of tables and plots."""
    sizes = pairs["identity"].value_counts()
    return sorted(sizes.index, key=lambda identity: (-sizes[identity], identity))
