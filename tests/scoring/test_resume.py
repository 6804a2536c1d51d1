"""A run that is stopped at any moment and started again gives the very bytes of an undisturbed one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scoring_build as build

from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import shards as shards_module
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings

HERE = Path(__file__).parent
SMALL = {"device": "cpu", "quiet": True, "shard_tokens": 300}
# Scores in a process of its own, slowed down so that a kill hits the work and not the start of Python.
SLOW_RUN = """
import sys, time
sys.path.insert(0, {tests!r})
import torch; torch.set_num_threads(1)
from pathlib import Path
from winoqueer_nl.scoring import run, settings, precision
from winoqueer_nl.scoring.engine import Engine
precision.SMALLEST = 0
Engine.has_fast_bfloat16 = lambda self: True
real = Engine.patiently
def slowly(self, work):
    print("working", flush=True)
    time.sleep(0.01)
    return real(self, work)
Engine.patiently = slowly
run.score({model!r}, Path({pairs!r}), Path({out!r}), settings.Settings(device="cpu", quiet=True, shard_tokens=300))
"""


def command(model: Path, pairs: Path, out: Path) -> list[str]:
    code = SLOW_RUN.format(tests=str(HERE), model=str(model), pairs=str(pairs), out=str(out))
    return [sys.executable, "-c", code]


def environment() -> dict[str, str]:
    import winoqueer_nl

    source = str(Path(winoqueer_nl.__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": source, "HF_HUB_OFFLINE": "1"}


def kill_and_resume(model, pairs, out, kills: int, seed: int) -> bytes:
    """Start, kill -9 after a random while, start again; the bytes of the scores in the end."""
    moments = random.Random(seed)
    for _ in range(kills):
        process = subprocess.Popen(
            command(model, pairs, out), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"working\n"
        time.sleep(moments.uniform(0.0, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    subprocess.run(command(model, pairs, out), env=environment(), check=True, stdout=subprocess.DEVNULL)
    return (out / "scores.parquet").read_bytes()


@pytest.mark.parametrize(("name", "kills"), [("bert", 2)])
def test_kill_9_at_random_moments_changes_nothing(name, kills, tmp_path, pairs_file):
    model = build.saved(tmp_path / "m", name)
    undisturbed = kill_and_resume(model, pairs_file, tmp_path / "a", 0, 0)
    assert kill_and_resume(model, pairs_file, tmp_path / "b", kills, 1) == undisturbed
    # Nothing is left behind but the two files.
    assert sorted(p.name for p in (tmp_path / "b").iterdir()) == ["scores.parquet", "summary.json"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_kill_9_at_twenty_random_moments(name, tmp_path, pairs_file):
    model = build.saved(tmp_path / "m", name)
    undisturbed = kill_and_resume(model, pairs_file, tmp_path / "a", 0, 0)
    for turn in range(10):
        assert kill_and_resume(model, pairs_file, tmp_path / f"b{turn}", 1, turn) == undisturbed


class Stop(Exception):
    pass


def stop_after(monkeypatch, shards: int) -> list[int]:
    """Let the engine work on so many shards, then stop as a kill would; counts the shards computed."""
    done = [0]
    real = Engine.patiently

    def patiently(self, work):
        if done[0] >= shards:
            raise Stop
        done[0] += 1
        return real(self, work)

    monkeypatch.setattr(Engine, "patiently", patiently)
    return done


def test_at_most_one_shard_is_lost(tmp_path, pairs_file, monkeypatch):
    model = build.saved(tmp_path / "m", "bert")
    with monkeypatch.context() as patch:
        every = stop_after(patch, 10**6)
        score(str(model), pairs_file, tmp_path / "whole", Settings(**SMALL))
    with monkeypatch.context() as patch:
        stop_after(patch, 7)
        with pytest.raises(Stop):
            score(str(model), pairs_file, tmp_path / "parts", Settings(**SMALL))
    assert len(list((tmp_path / "parts" / ".shards").glob("*/*.npy"))) == 7
    with monkeypatch.context() as patch:
        rest = stop_after(patch, 10**6)
        score(str(model), pairs_file, tmp_path / "parts", Settings(**SMALL))
    assert every[0] > 20
    assert rest[0] == every[0] - 7
    same = [(tmp_path / name / "scores.parquet").read_bytes() for name in ("whole", "parts")]
    assert same[0] == same[1]


def test_a_damaged_shard_is_computed_again(tmp_path, pairs_file, monkeypatch):
    model = build.saved(tmp_path / "m", "bert")
    score(str(model), pairs_file, tmp_path / "whole", Settings(**SMALL))
    with monkeypatch.context() as patch:
        stop_after(patch, 6)
        with pytest.raises(Stop):
            score(str(model), pairs_file, tmp_path / "parts", Settings(**SMALL))
    kept = sorted((tmp_path / "parts" / ".shards").glob("*/*.npy"))
    kept[0].write_bytes(kept[0].read_bytes()[:-9])  # cut short
    kept[1].write_bytes(b"")
    other = bytearray(kept[2].read_bytes())
    other[-3] ^= 1  # one bit, in the middle of a number
    kept[2].write_bytes(other)
    score(str(model), pairs_file, tmp_path / "parts", Settings(**SMALL))
    assert (tmp_path / "whole" / "scores.parquet").read_bytes() == (tmp_path / "parts" / "scores.parquet").read_bytes()


@pytest.mark.parametrize("changed", ["model", "pairs", "precision"])
def test_shards_of_another_model_pairs_or_precision_are_never_used(changed, tmp_path, pairs_file, monkeypatch):
    model = build.saved(tmp_path / "m", "bert", seed=0)
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        stop_after(patch, 9)
        with pytest.raises(Stop):
            score(str(model), pairs_file, out, Settings(**SMALL))
    pairs, precision = pairs_file, "auto"
    if changed == "model":
        model = build.saved(tmp_path / "n", "bert", seed=1)
    elif changed == "pairs":
        pairs = tmp_path / "other.parquet"
        build.made_up_pairs().assign(span_start_x=lambda t: t["span_end_x"] - 2).to_parquet(pairs)
    else:
        precision = "bfloat16"
    computed = []
    for folder in (tmp_path / "clean", out):
        with monkeypatch.context() as patch:
            computed.append(stop_after(patch, 10**6))
            score(str(model), pairs, folder, Settings(**SMALL, precision=precision))
    assert computed[0] == computed[1], "a shard of the other run was taken"
    assert (out / "scores.parquet").read_bytes() == (tmp_path / "clean" / "scores.parquet").read_bytes()


def test_scores_of_another_run_are_not_replaced_without_a_word(tmp_path, pairs_file):
    one, two = (build.saved(tmp_path / f"m{seed}", "bert", seed=seed) for seed in (0, 1))
    out = tmp_path / "out"
    score(str(one), pairs_file, out, Settings(**SMALL))
    before = (out / "scores.parquet").read_bytes()
    with pytest.raises(InputError, match="scores of another run"):
        score(str(two), pairs_file, out, Settings(**SMALL))
    assert (out / "scores.parquet").read_bytes() == before
    score(str(two), pairs_file, out, Settings(**SMALL, overwrite=True))
    assert (out / "scores.parquet").read_bytes() != before


def test_a_finished_run_is_not_repeated(tmp_path, pairs_file, monkeypatch):
    model = build.saved(tmp_path / "m", "bert")
    first = score(str(model), pairs_file, tmp_path / "out", Settings(**SMALL))
    with monkeypatch.context() as patch:
        stop_after(patch, 0)
        again = score(str(model), pairs_file, tmp_path / "out", Settings(**SMALL, published_csv=True))
    assert again == json.loads(json.dumps(first))
    # What was not asked for the first time is made from the scores that are there.
    assert len(pd.read_csv(tmp_path / "out" / "scores_published_layout.csv")) == first["n_pairs"]


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    second = shards_module.Store(tmp_path, "b" * 64).open()
    with (
        shards_module.Store(tmp_path, "a" * 64).open(),
        pytest.raises(InputError, match="another run that is writing there"),
        second,
    ):
        pass


@pytest.mark.parametrize("name", ["roberta", "gpt2"])
def test_results_do_not_depend_on_batches_order_or_threads(name, tmp_path, monkeypatch):
    monkeypatch.setattr("winoqueer_nl.scoring.ready.TINY", 0)  # let a tiny model use two threads
    model = build.saved(tmp_path / "m", name)
    pairs = build.made_up_pairs()
    shuffled = pairs.sample(frac=1, random_state=5).reset_index(drop=True)
    pairs.to_parquet(tmp_path / "a.parquet")
    shuffled.to_parquet(tmp_path / "b.parquet")
    runs = [
        ("a", {}),
        ("a", {"batch_tokens": 17}),
        ("a", {"batch_tokens": 5000, "shard_tokens": 123}),
        ("a", {"threads": 2}),
        ("b", {"batch_tokens": 300}),
    ]
    tables = []
    for at, (file, more) in enumerate(runs):
        out = tmp_path / str(at)
        score(str(model), tmp_path / f"{file}.parquet", out, Settings(device="cpu", quiet=True, **more))
        tables.append(pd.read_parquet(out / "scores.parquet").sort_values("pair_id", ignore_index=True))
    for other in tables[1:]:
        assert other["pair_id"].equals(tables[0]["pair_id"])
        for policy in ("published", "slot"):
            x, y = f"score_x_{policy}", f"score_y_{policy}"
            assert np.abs(other[[x, y]].to_numpy() - tables[0][[x, y]].to_numpy()).max() < 1e-4
            assert ((other[x] > other[y]) == (tables[0][x] > tables[0][y])).all()
            assert (other[f"tokens_{policy}"] == tables[0][f"tokens_{policy}"]).all()
