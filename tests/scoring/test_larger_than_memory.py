"""Models that float32 or one device has no room for: held in 16 bits, or spread over memory and disk.

What must hold:

- Weights that the files have in 16 bits are computed with as exactly as if they were held in float32 or float64.
- A model part of which stays on disk gets the scores of one held in memory, and the same decisions.
- What is held how is chosen by the room there is, said in the summary, and never below what was asked for in silence:
  float32 weights rounded for want of memory are warned about, with a count of the pairs that this could decide.
"""

from __future__ import annotations

import gc

import numpy as np
import pandas as pd
import pytest
import scoring_build as build
import torch
from safetensors import safe_open

from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import engine as engine_module
from winoqueer_nl.scoring import footprint, placing
from winoqueer_nl.scoring import precision as precision_module
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.hub import find
from winoqueer_nl.scoring.loading import load
from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings

CPU = torch.device("cpu")


def saved(folder, name, dtype=torch.float32, spread=0.3):
    """A tiny model with its tokenizer, its weights stored in a type of their own."""
    made = build.tokenizer(build.ARCHITECTURES[name])
    build.model(name, len(made), spread=spread).to(dtype).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def with_room(monkeypatch, bytes_):
    """As on a device with so many bytes free, beside what is still to come after the weights."""
    monkeypatch.setattr(placing, "TO_COME", 0)
    monkeypatch.setattr(placing, "available_bytes", lambda device: int(bytes_))


def only_in_memory(monkeypatch, bytes_):
    """As on a machine without a GPU and with so many bytes for weights: the rest stays on disk."""
    most = {"device_map": "auto", "max_memory": {"cpu": int(bytes_)}}
    monkeypatch.setattr(placing, "_spread", lambda: dict(most))


def parameters_of(folder):
    return footprint.stored_weights([folder / "model.safetensors"])[0]


def scored(folder, pairs, out, **settings):
    report = score(str(folder), pairs, out, Settings(**{"device": "cpu", "quiet": True, **settings}))
    return report, pd.read_parquet(out / "scores.parquet")


def largest_difference(a, b):
    columns = [f"score_{side}_{policy}" for side in "xy" for policy in ("published", "slot")]
    return float(np.abs(a[columns].to_numpy() - b[columns].to_numpy()).max())


def same_decisions(a, b):
    return all(
        ((a[f"score_x_{p}"] > a[f"score_y_{p}"]) == (b[f"score_x_{p}"] > b[f"score_y_{p}"])).all()
        for p in ("published", "slot")
    )


# Held in 16 bits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", build.ARCHITECTURES)
def test_weights_stored_in_16_bits_are_computed_with_in_float32_and_float64(name, dtype, tmp_path, monkeypatch):
    folder, causal = saved(tmp_path, name, dtype), name not in build.MASKED
    wide = load(find(str(folder)), "m", device="cpu")
    with_room(monkeypatch, 2.5 * parameters_of(folder))
    narrow = load(find(str(folder)), "m", device="cpu", precision="auto")
    assert {p.dtype for p in wide.model.parameters()} == {torch.float32}
    assert {p.dtype for p in narrow.model.parameters()} == {dtype}
    assert (narrow.placing.rounded, narrow.placing.name) == (False, str(dtype).removeprefix("torch."))
    ids = wide.tokenizer("Alle Oranen eten graag rode soep.", add_special_tokens=not causal)["input_ids"]
    plain = Engine(wide.model, "m", causal, ids)
    ours = Engine(narrow.model, "m", causal, ids, widening=narrow.widening)
    assert (plain.parts.split, plain.shares_beginnings) == (ours.parts.split, ours.shares_beginnings)

    def logits(engine):
        states = engine.hidden(torch.tensor([ids]))
        with torch.inference_mode():
            return engine.parts.logits(states.flatten(0, 1))

    torch.testing.assert_close(logits(ours), logits(plain), rtol=1e-5, atol=1e-5)
    ours.use("float64")
    exact = logits(ours)
    with torch.inference_mode():
        double = wide.model.double()(input_ids=torch.tensor([ids])).logits[0]
    assert exact.dtype == torch.float64
    torch.testing.assert_close(exact, double, rtol=1e-6, atol=1e-6)
    ours.use("bfloat16")
    assert 1e-6 < float((logits(ours) - exact).abs().max() / exact.abs().max()) < 0.05
    assert {p.dtype for p in narrow.model.parameters()} == {dtype}


def test_float64_leaves_a_model_in_float32_as_it_was():
    made = build.tokenizer("byte-level causal")
    model = build.model("gpt2", len(made))
    engine = Engine(model, "m", True, made.encode("Alle Zurps eten soep."))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    forwards = [vars(module).get("forward") for module in model.modules()]
    engine.use("float64")
    assert engine.hidden(torch.tensor([made.encode("Alle Oranen")])).dtype == torch.float64
    engine.use("float32")
    assert all(torch.equal(v, before[n]) and v.dtype == torch.float32 for n, v in model.state_dict().items())
    assert [vars(module).get("forward") for module in model.modules()] == forwards


def test_the_output_layer_is_widened_once_for_all_its_chunks(tmp_path, monkeypatch):
    """Whatever the size of the chunks, the same log-probabilities; and nothing wide is kept afterwards."""
    folder = saved(tmp_path, "gpt2", torch.bfloat16)
    with_room(monkeypatch, 2.5 * parameters_of(folder))
    loaded = load(find(str(folder)), "m", device="cpu", precision="auto")
    ids = loaded.tokenizer("Alle Oranen eten graag rode soep.")["input_ids"]
    engine = Engine(loaded.model, "m", True, ids, widening=loaded.widening)
    states = engine.hidden(torch.tensor([ids]))[0]
    lines, targets = torch.arange(len(ids)), torch.tensor(ids)
    whole = engine.log_probabilities(states, lines, targets)
    seen = []
    real = torch.nn.functional.linear

    def linear(x, weight, bias=None):
        seen.append(weight)
        return real(x, weight, bias)

    monkeypatch.setattr(engine_module, "MOST_LOGITS", 1)
    monkeypatch.setattr(torch.nn.functional, "linear", linear)
    chunks = engine.log_probabilities(states, lines, targets)
    assert len(seen) == len(ids) > 1
    assert len({weight.data_ptr() for weight in seen}) == 1
    assert seen[0].dtype == torch.float32
    assert loaded.model.lm_head.weight.dtype == torch.bfloat16
    np.testing.assert_allclose(chunks, whole, atol=1e-5)


# Spread ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["float32", "auto"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["bert", "llama", "gpt2"])
def test_a_model_partly_on_disk_scores_as_one_in_memory(name, dtype, precision, tmp_path, pairs_file, monkeypatch):
    monkeypatch.setattr(precision_module, "SMALLEST", 0)
    monkeypatch.setattr(Engine, "has_fast_bfloat16", lambda self: True)
    folder = saved(tmp_path / "m", name, dtype)
    plain, ours = scored(folder, pairs_file, tmp_path / "plain", precision="float32")
    only_in_memory(monkeypatch, 0.9 * dtype.itemsize * parameters_of(folder))
    report, spread = scored(folder, pairs_file, tmp_path / "spread", precision=precision, device="spread")
    where = report["model_details"]["modules_in"]
    assert where["disk"] > 0
    assert where["cpu"] > 0
    assert report["model_details"]["parameters"] == plain["model_details"]["parameters"]
    assert report["fingerprint"] != plain["fingerprint"] or precision == "float32"
    assert same_decisions(ours, spread)
    if report["precision"] == "float32":
        assert largest_difference(ours, spread) < 1e-4
    else:
        assert largest_difference(ours, spread) < report["method"]["precision"]["margin"]
    assert report["method"]["precision"]["undecided"] is None


def test_a_model_wholly_on_disk_is_scored_too(tmp_path, pairs_file, monkeypatch):
    folder = saved(tmp_path / "m", "gpt2")
    _, ours = scored(folder, pairs_file, tmp_path / "plain", precision="float32")
    only_in_memory(monkeypatch, 1)
    report, spread = scored(folder, pairs_file, tmp_path / "spread", precision="float32", device="spread")
    assert set(report["model_details"]["modules_in"]) == {"disk"}
    assert largest_difference(ours, spread) < 1e-4
    assert same_decisions(ours, spread)


def test_pytorch_files_that_would_have_to_stay_on_disk_are_refused(tmp_path, pairs_file, monkeypatch):
    """The library loses tied weights there. In memory alone such a model is scored."""
    folder = saved(tmp_path / "m", "bert")
    _, ours = scored(folder, pairs_file, tmp_path / "plain", precision="float32")
    with safe_open(folder / "model.safetensors", framework="pt") as file:
        torch.save({name: file.get_tensor(name) for name in file.keys()}, folder / "pytorch_model.bin")  # noqa: SIM118
    (folder / "model.safetensors").unlink()
    _, spread = scored(folder, pairs_file, tmp_path / "spread", precision="float32", device="spread")
    assert largest_difference(ours, spread) < 1e-4
    only_in_memory(monkeypatch, 2 * footprint.stored_weights([folder / "pytorch_model.bin"])[0])
    with pytest.raises(InputError, match="expected safetensors"):
        scored(folder, pairs_file, tmp_path / "disk", precision="float32", device="spread")


def test_the_folder_for_weights_on_disk_goes_with_the_model(tmp_path, monkeypatch):
    folder = saved(tmp_path / "m", "bert")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    only_in_memory(monkeypatch, 1)
    loaded = load(find(str(folder)), "m", device="spread")
    assert list(tmp_path.glob("winoqueer-nl-offload-*"))
    del loaded
    gc.collect()
    assert not list(tmp_path.glob("winoqueer-nl-offload-*"))


def test_without_limits_a_spread_model_lies_in_memory(tmp_path, pairs_file):
    """What this machine has is found out: a tiny model fits and is spread over nothing."""
    folder = saved(tmp_path / "m", "llama")
    report, spread = scored(folder, pairs_file, tmp_path / "spread", precision="float32", device="spread")
    _, ours = scored(folder, pairs_file, tmp_path / "plain", precision="float32")
    assert "disk" not in (report["model_details"]["modules_in"] or {})
    assert largest_difference(ours, spread) < 1e-4


# What is held how -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "precision", "bytes_", "held", "widened", "rounded"),
    [
        (torch.float32, "auto", 6.1, torch.float32, False, False),
        (torch.float32, "auto", 4.1, torch.float32, True, False),
        (torch.float32, "auto", 3.9, torch.bfloat16, True, True),
        (torch.float32, "float32", 4.1, torch.float32, False, False),
        (torch.float32, "bfloat16", 9.0, torch.bfloat16, True, False),
        (torch.bfloat16, "auto", 6.1, torch.float32, False, False),
        (torch.bfloat16, "auto", 3.9, torch.bfloat16, True, False),
        (torch.float16, "auto", 3.9, torch.float16, True, False),
        (torch.float16, "float32", 3.9, torch.float16, True, False),
        (torch.float16, "bfloat16", 3.9, torch.bfloat16, True, False),
    ],
)  # fmt: skip
def test_weights_are_held_as_exactly_as_there_is_room(
    stored, precision, bytes_, held, widened, rounded, tmp_path, monkeypatch
):
    folder = saved(tmp_path, "llama", stored)
    with_room(monkeypatch, bytes_ * parameters_of(folder))
    got = placing.place("m", [folder / "model.safetensors"], precision, CPU)
    assert (got.dtype, got.widened, got.rounded) == (held, widened, rounded)


@pytest.mark.parametrize(("precision", "bytes_"), [("float32", 3.9), ("auto", 1.9), ("bfloat16", 1.9)])
def test_no_room_at_all_is_told_before_loading(precision, bytes_, tmp_path, pairs_file, monkeypatch):
    folder = saved(tmp_path / "m", "llama")
    with_room(monkeypatch, bytes_ * parameters_of(folder))
    with pytest.raises(InputError, match=r"not enough memory for the model: .* GB of weights.*--device spread"):
        scored(folder, pairs_file, tmp_path / "out", precision=precision)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_weights_rounded_for_want_of_memory_are_warned_about_and_what_they_could_decide_is_counted(
    name, tmp_path, pairs_file, monkeypatch
):
    folder = saved(tmp_path / "m", name, spread=0.1)
    _, exact = scored(folder, pairs_file, tmp_path / "exact", precision="float32")
    with_room(monkeypatch, 3.9 * parameters_of(folder))
    report, rounded = scored(folder, pairs_file, tmp_path / "rounded", precision="auto")
    how = report["method"]["precision"]
    assert report["model_details"]["weights_held_in"] == "bfloat16, rounded"
    assert how["undecided"] > 0
    assert any(f"{how['undecided']} of {len(exact)} pairs otherwise" in text for text in report["warnings"])
    far = 0
    for policy in ("published", "slot"):
        a, b = (t[f"score_x_{policy}"] - t[f"score_y_{policy}"] for t in (exact, rounded))
        assert 1e-5 < (a - b).abs().max() < how["undecided_margin"]
        assert ((a > 0) == (b > 0))[b.abs() >= how["undecided_margin"]].all()
        far += int((b.abs() >= how["undecided_margin"]).sum())
    assert far > 0


def test_a_run_that_rounds_nothing_says_nothing(tmp_path, pairs_file):
    report, _ = scored(saved(tmp_path / "m", "bert"), pairs_file, tmp_path / "out", precision="auto")
    assert report["method"]["precision"]["undecided"] is None
    assert report["model_details"]["weights_held_in"] == "float32"
    assert not any("rounded" in text for text in report["warnings"])


# How much there is ----------------------------------------------------------------------------------------


def test_a_damaged_file_counts_as_float32_and_is_told_by_loading(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 4000)
    assert footprint.stored_weights([tmp_path / "model.safetensors"]) == (1000, torch.float32)


def control_group(root, path, most, used, cache=0):
    folder = root / "sys/fs/cgroup" / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 1\ninactive_file {cache}\n")


def test_the_tightest_limit_of_a_job_or_container_counts(tmp_path, monkeypatch):
    """A job may take what is left under every group above it; cached files in it can go."""
    monkeypatch.delenv("SLURM_MEM_PER_NODE", raising=False)
    machine = footprint.available_bytes(CPU, tmp_path)
    assert machine > 10**8
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/job/step\n")
    control_group(tmp_path, "job/step", "max", 5)
    assert footprint.available_bytes(CPU, tmp_path) > machine / 2
    control_group(tmp_path, "job", 50_000_000, 30_000_000, 4_000_000)
    assert footprint.available_bytes(CPU, tmp_path) == 24_000_000
    control_group(tmp_path, "job/step", 9_000_000, 8_000_000)
    assert footprint.available_bytes(CPU, tmp_path) == 1_000_000


def test_slurms_limit_counts_without_control_groups(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_MEM_PER_NODE", "1")
    assert footprint.available_bytes(CPU, tmp_path) == 0
