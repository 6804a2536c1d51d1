"""A run cut into parts, computed anywhere in any order, ends in the very bytes of a run in one piece."""

from __future__ import annotations

import random
import re
import shutil

import pytest
import scoring_build as build
from hypothesis import given
from hypothesis import strategies as st

from winoqueer_nl.scoring import precision
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.run import score, score_part
from winoqueer_nl.scoring.settings import Settings
from winoqueer_nl.scoring.shards import Part

SMALL = Settings(device="cpu", quiet=True, shard_tokens=300)


@pytest.fixture
def mixed(monkeypatch):
    """Let tiny models take the way of large ones: bfloat16 first, near decisions again in float32."""
    monkeypatch.setattr(precision, "SMALLEST", 0)
    monkeypatch.setattr(precision, "TOO_MANY", 1.1)
    monkeypatch.setattr(precision, "CALIBRATION", 5)
    monkeypatch.setattr(precision, "LARGEST", 8.0)
    monkeypatch.setattr(Engine, "has_fast_bfloat16", lambda self: True)


def count(monkeypatch) -> list[int]:
    """Counts the shards that are computed from now on."""
    done = [0]
    real = Engine.patiently

    def patiently(self, work):
        done[0] += 1
        return real(self, work)

    monkeypatch.setattr(Engine, "patiently", patiently)
    return done


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_parts_in_any_order_give_the_bytes_of_one_piece(name, tmp_path, pairs_file, monkeypatch, mixed):
    model = str(build.saved(tmp_path / "m", name))
    with monkeypatch.context() as patch:
        every = count(patch)
        whole = score(model, pairs_file, tmp_path / "whole", SMALL)
    assert whole["method"]["precision"]["used"] == "bfloat16 and float32"
    out, order = tmp_path / "out", random.Random(3)
    score_part(model, pairs_file, out, SMALL, Part(0, 3))
    for _ in ("the first pass", "what is near"):
        for number in order.sample([1, 2, 3], 3):
            score_part(model, pairs_file, out, SMALL, Part(number, 3))
    with monkeypatch.context() as patch:
        left = count(patch)
        joined = score(model, pairs_file, out, SMALL)
    # Joining computes little: later turns of recomputation and the near ties in float64, if any.
    stages = list(whole["method"]["precision"]["stages"])
    assert stages[:4] == ["calibration bfloat16", "calibration float32", "bfloat16", "float32, turn 1"]
    assert left[0] < every[0] / 3
    assert (out / "scores.parquet").read_bytes() == (tmp_path / "whole" / "scores.parquet").read_bytes()
    assert {k: v for k, v in joined.items() if k != "performance"} == {
        k: v for k, v in whole.items() if k != "performance"
    }
    assert sorted(p.name for p in out.iterdir()) == ["scores.parquet", "summary.json"]


def test_every_part_computes_its_share_and_no_more(tmp_path, pairs_file, monkeypatch):
    model = str(build.saved(tmp_path / "m", "bert"))
    done = count(monkeypatch)
    shares = []
    for number in range(5):
        before = done[0]
        said = score_part(model, pairs_file, tmp_path / "out", SMALL, Part(number, 4))
        shares.append(done[0] - before)
        assert said.startswith(f"Part {number}/4: ")
    prepared, *shares = shares
    assert prepared > 0
    assert min(shares) > 3
    assert max(shares) - min(shares) <= 1
    again = score_part(model, pairs_file, tmp_path / "out", SMALL, Part(2, 4))
    assert done[0] == prepared + sum(shares)
    assert again.endswith("every shard is there.")
    score(model, pairs_file, tmp_path / "out", SMALL)
    assert done[0] == prepared + sum(shares)
    assert score_part(model, pairs_file, tmp_path / "out", SMALL, Part(2, 4)).endswith("the scores are complete.")


def test_parts_that_never_ran_are_made_up_for_when_joining(tmp_path, pairs_file):
    model = str(build.saved(tmp_path / "m", "bert"))
    score(model, pairs_file, tmp_path / "whole", SMALL)
    score_part(model, pairs_file, tmp_path / "out", SMALL, Part(2, 5))
    score(model, pairs_file, tmp_path / "out", SMALL)
    same = [(tmp_path / place / "scores.parquet").read_bytes() for place in ("whole", "out")]
    assert same[0] == same[1]


def test_a_part_of_another_model_is_not_joined(tmp_path, pairs_file):
    one, two = (str(build.saved(tmp_path / f"m{seed}", "bert", seed=seed)) for seed in (0, 1))
    score(one, pairs_file, tmp_path / "clean", SMALL)
    for number in (1, 2):
        score_part(two, pairs_file, tmp_path / "out", SMALL, Part(number, 2))
    score(one, pairs_file, tmp_path / "out", SMALL)
    same = [(tmp_path / place / "scores.parquet").read_bytes() for place in ("clean", "out")]
    assert same[0] == same[1]


def test_a_part_may_go_on_while_the_folder_is_removed(tmp_path, pairs_file):
    """A job that was given up for dead and still runs does no harm to the finished scores."""
    model = str(build.saved(tmp_path / "m", "bert"))
    score(model, pairs_file, tmp_path / "out", SMALL)
    before = (tmp_path / "out" / "scores.parquet").read_bytes()
    (tmp_path / "out" / "summary.json").unlink()
    score_part(model, pairs_file, tmp_path / "out", SMALL, Part(1, 2))
    assert (tmp_path / "out" / "scores.parquet").read_bytes() == before
    score(model, pairs_file, tmp_path / "out", SMALL)
    assert (tmp_path / "out" / "scores.parquet").read_bytes() == before
    shutil.rmtree(tmp_path / "out")


@given(st.integers(1, 60), st.integers(0, 200))
def test_each_shard_belongs_to_exactly_one_part(parts, shard):
    assert sum(Part(number, parts).has(shard) for number in range(parts + 1)) == 1


@pytest.mark.parametrize("text", ["", "3", "0/0", "4/3", "-1/2", "1/2/3", "a/b", "1.0/2", "²/3"])
def test_what_is_no_part_is_refused(text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        Part.parse(text)
