"""Tables hold what they say, in three formats, with the same bytes whatever the order of the inputs."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from statistics_made import several, write_run

from winoqueer_nl.statistics import tables
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.runs import read_runs

SETTINGS = Settings(resamples=100, seed=3)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    several(folder)
    write_run(folder, "toy", 9, demo=True, shift=5.0)
    return folder


@pytest.fixture(scope="module")
def made(root):
    folders = sorted((root / "scores").glob("*/*/*"))
    return tables.make_tables(read_runs(folders, root), SETTINGS, ("nl", "en"))


def test_the_papers_table_has_its_identities_and_both_aggregates(made):
    table = made["bias_all"]
    columns = ["red", "green", "blue", "usage_weighted", "identity_averaged"]
    assert list(table.columns[-5:]) == columns
    rows = table[~(table["model"] == "mean")]
    np.testing.assert_allclose(rows["identity_averaged"], rows[["red", "green", "blue"]].mean(axis=1))


def test_means_leave_demo_models_out_and_are_given_per_kind_and_over_all(made):
    table = made["bias_all"]
    nl = table[(table["language"] == "nl") & (table["policy"] == "published")]
    real = nl[nl["model"].isin(["alpha", "beta", "gamma"])]
    means = nl[nl["model"] == "mean"].set_index("kind")
    assert list(means.index) == ["masked", "all"]  # one autoregressive model has no mean
    assert means.loc["all", "red"] == pytest.approx(real["red"].mean())
    assert means.loc["masked", "red"] == pytest.approx(real.loc[real["kind"] == "masked", "red"].mean())
    assert nl["model"].tolist() == ["alpha", "beta", "gamma", "toy", "mean", "mean"]


def test_english_has_no_tiers_of_its_own_only_if_it_says_so(made):
    assert set(made["bias_tier_1"]["language"]) == {"nl", "en"}
    assert len(made["identity_tests"]) == 6 * 2 * 4 * 3


def test_no_runs_give_all_tables_without_rows(tmp_path):
    empty = tables.make_tables([], SETTINGS, ("nl", "en"))
    assert list(empty) == list(tables.NAMES)
    assert all(table.empty for table in empty.values())
    written = tables.write_tables(empty, tmp_path)
    assert {path.name for path in written} >= {"metrics.csv", "bias_all.tex", "models.md"}
    assert (tmp_path / "metrics.csv").read_text().startswith("model,kind,")


def test_the_same_runs_give_the_same_bytes_in_any_order(root, made, tmp_path):
    folders = sorted((root / "scores").glob("*/*/*"), reverse=True)
    again = tables.make_tables(read_runs(folders, root), SETTINGS, ("nl", "en"))
    for one, two in zip(
        tables.write_tables(made, tmp_path / "1"), tables.write_tables(again, tmp_path / "2"), strict=True
    ):
        assert one.read_bytes() == two.read_bytes(), one.name


def test_another_model_changes_nothing_about_the_others(root, made):
    one = tables.make_tables(read_runs([root / "scores" / "nl" / "1.0.0" / "beta"], root), SETTINGS, ("nl", "en"))
    before = made["metrics"]
    before = before[(before["model"] == "beta") & (before["language"] == "nl")].reset_index(drop=True)
    pd.testing.assert_frame_equal(before, one["metrics"], check_dtype=False)


def test_csv_reads_back_to_the_numbers(made):
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(made["metrics"]))))
    for row, (_, source) in zip(rows, made["metrics"].iterrows(), strict=True):
        assert row["demo"] == ("true" if source["demo"] else "false")
        assert int(row["n_pairs"]) == source["n_pairs"]
        for column, places in (("value", 4), ("p_value", 6)):
            if pd.isna(source[column]):
                assert row[column] == ""
            else:
                assert row[column] == f"{source[column]:.{places}f}"


def test_what_people_read_has_intervals_beside_estimates_and_escapes_its_marks():
    frame = pd.DataFrame(
        {
            "model": ["a|b_c"],
            "usage_weighted": [50.0],
            "usage_weighted_low": [40.0],
            "usage_weighted_high": [60.0],
        }
    )
    assert "| a\\|b_c" in tables.to_markdown(frame)
    assert "50.00 [40.00, 60.00]" in tables.to_markdown(frame)
    assert "a|b\\_c" in tables.to_latex(frame)
    none = frame.assign(usage_weighted=np.nan, usage_weighted_low=np.nan)
    assert "–" in tables.to_markdown(none)
    assert "--" in tables.to_latex(none)
    assert "-0.00" not in tables.to_markdown(frame.assign(usage_weighted=-0.0001))


def test_every_table_is_text_without_a_clock_or_a_path(made, root, tmp_path):
    for path in tables.write_tables(made, tmp_path):
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert str(root) not in text
        assert "nan" not in text.lower()
