"""A run is joined to the very pairs it scored; whatever a person mixed up is said before a number is made."""

import json

import numpy as np
import pandas as pd
import pytest
from statistics_made import pairs, write_run, write_set

from winoqueer_nl.problems import InputError
from winoqueer_nl.statistics.analysis import metrics_table
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.runs import identities, read_pairs, read_runs


@pytest.fixture
def root(tmp_path):
    write_set(tmp_path)
    return tmp_path


def change(folder, **values):
    path = folder / "summary.json"
    content = json.loads(path.read_text()) | values
    path.write_text(json.dumps({key: value for key, value in content.items() if value != "drop"}))


def rescore(folder, edit):
    path = folder / "scores.parquet"
    edit(pd.read_parquet(path)).to_parquet(path, index=False)


def test_a_run_comes_in_the_order_of_the_pairs_whatever_the_order_of_its_scores(root):
    folder = write_run(root, "m", 1)
    before = read_runs([folder], root)[0].pairs
    rescore(folder, lambda frame: frame.sample(frac=1, random_state=1))
    after = read_runs([folder], root)[0].pairs
    pd.testing.assert_frame_equal(before, after)
    assert after["pair_id"].tolist() == pairs()["pair_id"].tolist()


def test_runs_are_ordered_by_language_and_name_whatever_the_order_given(root):
    write_set(root, "en")
    folders = [write_run(root, "b", 1), write_run(root, "a", 2), write_run(root, "z", 3, "en")]
    assert [run.key for run in read_runs(folders, root)] == ["z", "a", "b"]
    assert read_runs([], root) == []


def test_the_pairs_file_named_is_taken_if_it_is_the_one_scored(root, tmp_path):
    folder = write_run(root, "m", 1)
    moved = tmp_path / "elsewhere.parquet"
    (root / "nl" / "1.0.0" / "pairs.parquet").rename(moved)
    assert len(read_runs([folder], root, [moved])[0].pairs) == len(pairs())
    with pytest.raises(InputError, match="Correct --pairs"):
        read_runs([folder], root, [tmp_path / "nowhere.parquet"])


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda frame: frame.iloc[:-1], "every pair"),
        (lambda frame: pd.concat([frame, frame.iloc[:1]]), "each pair once"),
        (lambda frame: frame.assign(pair_id=["x", *frame["pair_id"][1:]]), "unknown pairs x"),
        (lambda frame: frame.assign(score_x_slot=np.nan), "not finite"),
        (lambda frame: frame.assign(score_y_published=-np.inf), "score_y_published"),
        (lambda frame: frame.drop(columns="score_x_published"), "no column score_x_published"),
        (lambda frame: frame.iloc[:0], "every pair"),
    ],
)
def test_scores_that_do_not_fit_are_refused(root, edit, said):
    folder = write_run(root, "m", 1)
    rescore(folder, edit)
    with pytest.raises(InputError, match=said):
        read_runs([folder], root)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"kind": "other"}, 'summary.json, kind: found "other"'),
        ({"kind": "drop"}, "kind: found nothing"),
        ({"n_pairs": "many"}, "n_pairs"),
        ({"pairs_sha256": "f" * 64}, "Score the model again, or name the pairs"),
        ({"edition": "9.9.9"}, "no such file"),
    ],
)
def test_a_summary_that_does_not_fit_is_refused(root, values, said):
    folder = write_run(root, "m", 1)
    change(folder, **values)
    with pytest.raises(InputError, match=said):
        read_runs([folder], root)


@pytest.mark.parametrize("keys", [("language", "edition"), ("edition",)])
def test_a_run_over_a_plain_file_is_told_what_it_lacks(root, keys):
    folder = write_run(root, "m", 1)
    change(folder, **dict.fromkeys(keys))
    with pytest.raises(InputError, match="from a file without language and edition") as error:
        read_runs([folder], root)
    assert "expected a run over results/<lang>/<edition>/pairs.parquet" in error.value.message()


def test_a_stopped_run_without_a_summary_is_told_to_go_on(root):
    folder = write_run(root, "m", 1)
    (folder / "summary.json").unlink()
    with pytest.raises(InputError, match="start it again with the same command"):
        read_runs([folder], root, partial=True)


def test_files_that_are_not_what_they_should_be_are_named(root):
    folder = write_run(root, "m", 1)
    (folder / "scores.parquet").write_text("no parquet")
    with pytest.raises(InputError, match=r"scores.parquet: found bytes that are not Parquet"):
        read_runs([folder], root)
    (folder / "summary.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        read_runs([folder], root)
    with pytest.raises(InputError, match=r"summary.json"):
        read_runs([root / "nothing"], root)


def test_two_runs_of_one_name_are_refused(root, tmp_path):
    folder = write_run(root, "m", 1)
    twin = tmp_path / "copy" / "m"
    twin.parent.mkdir()
    folder.rename(twin)
    write_run(root, "m", 2)
    with pytest.raises(InputError, match="one name per model"):
        read_runs([folder, twin], root)


def test_a_run_over_a_sample_is_whole(root):
    folder = write_run(root, "m", 1)
    rescore(folder, lambda frame: frame.iloc[::3])
    change(folder, n_pairs=len(pd.read_parquet(folder / "scores.parquet")))
    found = read_runs([folder], root)[0]
    assert (len(found.pairs), found.whole) == (found.summary.n_pairs, len(pairs()))


def test_a_run_without_slot_scores_has_one_policy(root):
    folder = write_run(root, "m", 1)
    rescore(folder, lambda frame: frame.assign(score_x_slot=np.nan, score_y_slot=np.nan))
    found = read_runs([folder], root)[0]
    assert found.policies == ("published",)
    assert set(metrics_table(found, Settings(100))["policy"]) == {"published"}


def test_a_run_that_is_not_finished_can_be_looked_at(root):
    folder = write_run(root, "m", 1)
    rescore(folder, lambda frame: frame.iloc[:20])
    assert len(read_runs([folder], root, partial=True)[0].pairs) == 20


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda frame: pd.concat([frame, frame]), "each id once"),
        (lambda frame: frame.assign(identity=None), "identity: found"),
        (lambda frame: frame.drop(columns=["tier", "origin"]), "no column tier, origin"),
    ],
)
def test_pairs_that_are_none_are_refused(tmp_path, edit, said):
    path = tmp_path / "pairs.parquet"
    edit(pairs()).to_parquet(path, index=False)
    with pytest.raises(InputError, match=said):
        read_pairs(path)


def test_identities_come_by_their_number_of_pairs():
    assert identities(pairs()) == ["red", "green", "blue"]
