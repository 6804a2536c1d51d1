"""``winoqueer-nl statistics`` and ``winoqueer-nl compare``, as a person calls them."""

import json

import pandas as pd
import pytest
from statistics_made import several, write_run
from typer.testing import CliRunner

from winoqueer_nl.cli import app
from winoqueer_nl.problems import InputError


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    several(folder)
    write_run(folder, "toy", 9, demo=True)
    return folder


def call(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def compare(root, *words, models=("alpha", "beta")):
    folders = [root / "scores" / "nl" / "1.0.0" / model for model in models]
    return call("compare", *folders, "--results", root, "--resamples", 200, *words)


def test_compare_prints_biases_intervals_and_differences(root):
    result = compare(root)
    assert result.exit_code == 0
    assert "usage-weighted" in result.stdout
    assert "alpha" in result.stdout
    assert "a - b" in result.stdout
    assert "not directly comparable" in result.stderr


def test_compare_as_json_holds_the_numbers_and_nothing_else(root):
    content = json.loads(compare(root, "--format", "json", "--policy", "slot", "--subset", "tier_1_2").stdout)
    assert (content["policy"], content["subset"]) == ("slot", "tier_1_2")
    models = {(row["model"], row["group"]): row for row in content["models"]}
    assert models["alpha", "usage_weighted"]["low"] < models["alpha", "usage_weighted"]["value"]
    assert content["differences"][0]["model_a"] == "alpha"
    assert "not directly comparable" in content["notes"][0]


def test_compare_in_the_formats_of_papers(root):
    assert "| model" in compare(root, "--format", "markdown").stdout
    assert "\\toprule" in compare(root, "--format", "latex").stdout


def test_compare_of_one_model_has_no_differences(root):
    assert "a - b" not in compare(root, models=("alpha",)).stdout


def test_compare_says_that_a_demo_means_nothing(root):
    result = compare(root, models=("toy",))
    assert "toy (demo, meaningless)" in result.stdout
    assert "mean nothing" in result.stderr


def test_compare_says_that_a_run_is_not_finished(root, tmp_path):
    folder = write_run(root, "half", 12)
    pd.read_parquet(folder / "scores.parquet").iloc[:60].to_parquet(folder / "scores.parquet", index=False)
    result = call("compare", folder, "--results", root, "--resamples", 200)
    assert "60 of" in result.stderr
    assert "not finished" in result.stderr
    with pytest.raises(InputError, match="every pair"):
        call("statistics", folder, "--results", root, "--out", tmp_path / "tables")
    assert not (tmp_path / "tables").exists()


def test_compare_says_that_shares_of_a_sample_are_unweighted(root):
    folder = write_run(root, "part", 13)
    scores = pd.read_parquet(folder / "scores.parquet").iloc[::2]
    scores.to_parquet(folder / "scores.parquet", index=False)
    summary = json.loads((folder / "summary.json").read_text()) | {"n_pairs": len(scores)}
    (folder / "summary.json").write_text(json.dumps(summary))
    result = call("compare", folder, "--results", root, "--resamples", 200)
    assert f"a sample of {len(scores):,} of" in result.stderr
    assert "unweighted over the sampled pairs; score prints the stratified estimate" in result.stderr


def test_statistics_writes_all_tables_and_takes_no_runs_too(root, tmp_path):
    folders = sorted((root / "scores" / "nl" / "1.0.0").glob("[ab]*"))
    result = call("statistics", *folders, "--results", root, "--out", tmp_path / "a", "--resamples", 100)
    assert "2 runs" in result.stdout
    assert len(pd.read_csv(tmp_path / "a" / "models.csv")) == 4
    assert "0 runs" in call("statistics", "--out", tmp_path / "b").stdout
    assert {path.name for path in (tmp_path / "a").iterdir()} == {path.name for path in (tmp_path / "b").iterdir()}


def test_statistics_wants_two_languages(tmp_path):
    with pytest.raises(InputError, match="two languages"):
        call("statistics", "--languages", "nl", "--out", tmp_path)
