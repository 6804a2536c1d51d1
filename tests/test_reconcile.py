"""The paper's counts beside those of what was built, and the summary of a build: read from the files, never typed."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

import toy
from command import PROJECT, Run
from editions_built import edition, judgements
from winoqueer_nl import pairs, reconcile

COLUMNS = ["stereotype_id", "n_yes", "n_no", "n_unsure", "n_votes", "yes_percentage", "tier", "harmfulness_count"]
COLUMNS += ["harmfulness_mean", "harmfulness_sd", "votes_of"]
SHARED = {"wq000", "wq171"}


@pytest.fixture(scope="module")
def dutch(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables, pairs and survey of Dutch: the published tiers, and one vote for each stereotype that has a tier."""
    folder = tmp_path_factory.mktemp("dutch")
    files = {name: folder / name for name in ("tables.json", "pairs.parquet", "pairs.csv", "survey.csv", "page.md")}
    files["tables.json"].write_text(edition("nl").model_dump_json(), encoding="utf-8")
    pairs.write(edition("nl"), judgements(), (-1,), files["pairs.parquet"], files["pairs.csv"])
    with files["survey.csv"].open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for i, judgement in judgements().items():
            row: dict[str, object] = {"stereotype_id": i, "harmfulness_mean": judgement.harmfulness_mean}
            if judgement.tier is not None:
                row |= {"n_votes": 1, "n_yes": 1, "n_no": 0, "n_unsure": 0, "tier": judgement.tier}
            writer.writerow(row | {"votes_of": "wq107" if i in SHARED else ""})
    return files


def arguments(files: dict[str, Path], root: Path = PROJECT) -> list[object]:
    made = ["--tables", files["tables.json"], "--survey", files["survey.csv"], "--pairs", files["pairs.parquet"]]
    return ["reconcile", *made, "--out", files["page.md"], "--root", root]


def test_every_count_of_the_paper_comes_out(dutch: dict[str, Path], run: Run) -> None:
    ran = run(*arguments(dutch))
    assert ran == (0, "14 of 14 of the paper's counts come out.\n", "")
    page = dutch["page.md"].read_text(encoding="utf-8")
    assert page.count("| equal") == 14
    assert "**differs**" not in page


def test_stereotypes_that_share_all_forms_are_the_six_pairs_of_doubled_translations(dutch: dict[str, Path]) -> None:
    gloss = {row.stereotype_id: row.gloss for row in edition("nl").stereotypes}
    shared = {frozenset(gloss[i] for i in ids) for ids in reconcile.shared_forms(edition("nl"))}
    assert len(shared) == 6
    assert frozenset({"are gross", "are dirty"}) in shared


def test_a_count_that_differs_is_shown_as_different(dutch: dict[str, Path], tmp_path: Path, run: Run) -> None:
    (tmp_path / "release").mkdir()
    table = tmp_path / reconcile.PAPER_COUNTS
    shutil.copy(PROJECT / reconcile.PAPER_COUNTS, table)
    table.write_text(table.read_text(encoding="utf-8").replace("42906", "42907"), encoding="utf-8")
    assert run(*arguments(dutch, tmp_path)).out == "13 of 14 of the paper's counts come out.\n"
    assert dutch["page.md"].read_text(encoding="utf-8").count("**differs**") == 1


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("42906", "many", 'row 15, paper: found "many"; expected a whole number'),
        ("pairs_new,", "pairs_old,", 'row 18, key: found "pairs_old"; expected one of '),
        ("key,figure", "keys,figure", 'row 1: found no column "key"'),
    ],
)
def test_a_wrong_table_of_the_papers_counts_is_told(
    old: str, new: str, says: str, dutch: dict[str, Path], tmp_path: Path, run: Run
) -> None:
    (tmp_path / "release").mkdir()
    table = tmp_path / reconcile.PAPER_COUNTS
    table.write_text((PROJECT / reconcile.PAPER_COUNTS).read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    ran = run(*arguments(dutch, tmp_path))
    assert (ran.status, ran.out) == (1, "")
    assert f"paper_counts.csv, {says}" in ran.err


def test_survey_aggregates_that_lack_a_column_are_told(dutch: dict[str, Path], tmp_path: Path, run: Run) -> None:
    survey = tmp_path / "survey.csv"
    survey.write_text(dutch["survey.csv"].read_text(encoding="utf-8").replace("votes_of", "votes"), encoding="utf-8")
    ran = run(*arguments(dutch | {"survey.csv": survey}))
    assert ran.status == 1
    assert (
        ran.err
        == f'{survey}: found no column "votes_of"; expected survey aggregates. Remove the file and build it again.\n'
    )


def test_the_summary_counts_what_is_in_the_files(toy_root: Path, run: Run) -> None:
    folder = toy_root / "results/toy/1.0.0"
    run("tables", "--lang", "toy", "--edition", "1.0.0", "--root", toy_root, "--out", folder / "tables.json")
    made = ["--out", folder / "pairs.parquet", "--published", folder / "sentence_pairs.csv"]
    run("pairs", "--tables", folder / "tables.json", *made)
    ran = run("summary", "--root", toy_root, "--results", toy_root / "results", "--out", toy_root / "summary.txt")
    assert ran.status == 0
    assert f"{folder}/  {toy.N_PAIRS} pairs from 5 stereotypes, 2 identities" in ran.out
    assert (toy_root / "summary.txt").read_text(encoding="utf-8") == ran.out


def test_a_summary_of_what_was_never_built_is_told(toy_root: Path, run: Run) -> None:
    ran = run("summary", "--root", toy_root, "--results", toy_root / "results")
    assert (ran.status, ran.out) == (1, "")
    assert "pairs.parquet: found no such file; expected what `winoqueer-nl pairs` writes. Build it first." in ran.err


@pytest.mark.parametrize("merged", ["{", "[]", "{}", '{"languages": 3}'])
def test_a_merged_configuration_that_is_none_is_told(merged: str, toy_root: Path, run: Run) -> None:
    ran = run("config", "--merged", merged, "--out", toy_root / "made.yaml", "--root", toy_root)
    assert ran.status in (1, 2)
    assert "Traceback" not in ran.err
    assert ran.err
    assert not (toy_root / "made.yaml").exists()
