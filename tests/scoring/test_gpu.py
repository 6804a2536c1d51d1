"""On a GPU: the scores and decisions that a CPU gives in float32.

What must hold where there is one:

- float32 is float32 (no TF32), so scores agree with the CPU's within 1e-4 and every decision is the same.
- `auto` computes in bfloat16 and still decides every pair as float32 on a CPU does.
- The same run twice gives the same bytes.
- When the GPU's memory runs out, batches are halved and no score changes.
- A model held in 16 bits, or spread over GPU, memory and disk, gets the same scores.
"""

from __future__ import annotations

import gc
import itertools

import pandas as pd
import pytest
import scoring_build as build
import torch

from winoqueer_nl.scoring import placing
from winoqueer_nl.scoring import precision as precision_module
from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU, and none is here")


def scored(model, pairs, out, **settings):
    report = score(str(model), pairs, out, Settings(quiet=True, **settings))
    return report, pd.read_parquet(out / "scores.parquet")


def differences(scores, policy):
    return scores[f"score_x_{policy}"] - scores[f"score_y_{policy}"]


def assert_same(ours, reference, within=1e-4):
    for policy in ("published", "slot"):
        for side in "xy":
            assert (ours[f"score_{side}_{policy}"] - reference[f"score_{side}_{policy}"]).abs().max() < within
        assert ((differences(ours, policy) > 0) == (differences(reference, policy) > 0)).all()


@pytest.fixture(scope="module")
def many_pairs(tmp_path_factory):
    """12,000 pairs of 1,000 made-up names in sentences of nearly equal length: enough to fill a batch."""
    syllables = ("ba", "de", "fi", "go", "ku", "la", "me", "no", "pi", "ru")
    names = ["".join(parts).capitalize() for parts in itertools.product(syllables, repeat=3)]
    templates = tuple(f"{name} hoort bij de {{}} en is vaak moe." for name in names)
    path = tmp_path_factory.mktemp("many") / "pairs.parquet"
    build.made_up_pairs(templates).to_parquet(path)
    return path


@pytest.fixture(scope="module", params=["bert", "llama"])
def middle_sized(request, tmp_path_factory):
    """A random model of some 20 million parameters, large enough for bfloat16, stored in float32."""
    from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp(request.param)
    made = build.tokenizer(build.ARCHITECTURES[request.param])
    shape = {
        "vocab_size": len(made), "hidden_size": 512, "num_hidden_layers": 6, "num_attention_heads": 8,
        "intermediate_size": 2048, "initializer_range": 0.06,
    }  # fmt: skip
    torch.manual_seed(0)
    if request.param == "bert":
        model = BertForMaskedLM(BertConfig(**shape))
    else:
        model = LlamaForCausalLM(LlamaConfig(**shape, bos_token_id=0, eos_token_id=0))
    assert sum(p.numel() for p in model.parameters()) > precision_module.SMALLEST
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("name", ["demo-masked", "demo-causal"])
def test_the_demonstration_models_score_as_on_a_cpu(name, tmp_path, pairs_file):
    _, cpu = scored(name, pairs_file, tmp_path / "cpu", device="cpu", precision="float32")
    report, gpu = scored(name, pairs_file, tmp_path / "gpu", device="cuda", precision="float32")
    assert report["performance"]["device"] == torch.cuda.get_device_name()
    assert_same(gpu, cpu)


@pytest.mark.parametrize("name", build.ARCHITECTURES)
def test_every_architecture_scores_as_on_a_cpu(name, tmp_path, pairs_file):
    folder = build.saved(tmp_path / "m", name)
    _, cpu = scored(folder, pairs_file, tmp_path / "cpu", device="cpu", precision="float32")
    _, gpu = scored(folder, pairs_file, tmp_path / "gpu", device="cuda", precision="float32")
    assert_same(gpu, cpu)


def test_float32_products_are_not_rounded_to_tf32(tmp_path, pairs_file):
    torch.backends.cuda.matmul.allow_tf32 = True  # as a program around this one may have set it
    scored(build.saved(tmp_path / "m", "bert"), pairs_file, tmp_path / "out", device="cuda", precision="float32")
    a = torch.randn(512, 512, device="cuda")
    exact = a.double() @ a.double()
    assert float(((a @ a) - exact).abs().max() / exact.abs().max()) < 1e-5


@pytest.mark.skipif(
    not (torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False)),
    reason="needs a GPU that multiplies bfloat16",
)
def test_auto_decides_a_middle_sized_model_as_float32_on_a_cpu(middle_sized, tmp_path, pairs_file, monkeypatch):
    monkeypatch.setattr(precision_module, "CALIBRATION", 12)  # of 84 pairs
    monkeypatch.setattr(precision_module, "TOO_MANY", 1.1)
    _, cpu = scored(middle_sized, pairs_file, tmp_path / "cpu", device="cpu", precision="float32")
    report, gpu = scored(middle_sized, pairs_file, tmp_path / "gpu", device="cuda", precision="auto")
    how = report["method"]["precision"]
    assert how["used"] == "bfloat16 and float32"
    assert_same(gpu, cpu, within=how["margin"])


def test_the_same_run_twice_gives_the_same_bytes(middle_sized, tmp_path, many_pairs):
    options = {"device": "cuda", "precision": "auto", "sample": 500}
    reports = [scored(middle_sized, many_pairs, tmp_path / name, **options)[0] for name in ("one", "two")]
    assert reports[0]["scores_sha256"] == reports[1]["scores_sha256"]


def test_memory_that_runs_out_halves_the_batch_and_changes_no_score(middle_sized, tmp_path, many_pairs):
    options = {"device": "cuda", "precision": "float32", "sample": 6000}
    huge = {"batch_tokens": 1 << 20, "shard_tokens": 1 << 20}
    torch.cuda.reset_peak_memory_stats()
    _, free = scored(middle_sized, many_pairs, tmp_path / "free", **options, **huge)
    peak = torch.cuda.max_memory_allocated()
    gc.collect()
    torch.cuda.empty_cache()
    kept = torch.cuda.memory_allocated() + (middle_sized / "model.safetensors").stat().st_size
    try:  # a third of what the batches took
        fraction = (kept + (peak - kept) / 3) / torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(fraction)
        report, tight = scored(middle_sized, many_pairs, tmp_path / "tight", **options, **huge)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert report["performance"]["batch_tokens"] < 1 << 20
    assert_same(tight, free)


def test_a_model_held_in_16_bits_scores_as_in_float32(middle_sized, tmp_path, pairs_file, monkeypatch):
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

    kind = AutoModelForMaskedLM if "bert" in middle_sized.name else AutoModelForCausalLM
    folder = tmp_path / "m"
    kind.from_pretrained(middle_sized, dtype=torch.bfloat16).save_pretrained(folder)
    AutoTokenizer.from_pretrained(middle_sized).save_pretrained(folder)
    _, cpu = scored(folder, pairs_file, tmp_path / "cpu", device="cpu", precision="float32")
    monkeypatch.setattr(placing, "TO_COME", 0)
    parameters = placing.stored_weights([folder / "model.safetensors"])[0]
    monkeypatch.setattr(placing, "available_bytes", lambda device: 3 * parameters)
    report, gpu = scored(folder, pairs_file, tmp_path / "gpu", device="cuda", precision="float32")
    assert report["model_details"]["weights_held_in"] == "bfloat16"
    assert_same(gpu, cpu)


@pytest.mark.parametrize("in_memory", [1 << 40, 0])
def test_a_model_spread_over_gpu_memory_and_disk_scores_as_on_a_cpu(
    in_memory, middle_sized, tmp_path, pairs_file, monkeypatch
):
    _, cpu = scored(middle_sized, pairs_file, tmp_path / "cpu", device="cpu", precision="float32")
    size = (middle_sized / "model.safetensors").stat().st_size
    most = {0: size // 2, "cpu": in_memory}
    monkeypatch.setattr(placing, "_spread", lambda: {"device_map": "auto", "max_memory": most})
    report, spread = scored(middle_sized, pairs_file, tmp_path / "spread", device="spread", precision="float32")
    where = report["model_details"]["modules_in"]
    assert where["cuda:0"] > 0
    assert where["cpu" if in_memory else "disk"] > 0
    assert_same(spread, cpu)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_a_model_spread_over_two_gpus_scores_as_on_a_cpu(middle_sized, tmp_path, pairs_file, monkeypatch):
    _, cpu = scored(middle_sized, pairs_file, tmp_path / "cpu", device="cpu", precision="float32")
    size = (middle_sized / "model.safetensors").stat().st_size
    most = {0: size * 2 // 3, 1: size * 2 // 3, "cpu": 0}
    monkeypatch.setattr(placing, "_spread", lambda: {"device_map": "auto", "max_memory": most})
    report, spread = scored(middle_sized, pairs_file, tmp_path / "spread", device="spread", precision="auto")
    assert {"cuda:0", "cuda:1"} <= set(report["model_details"]["modules_in"])
    assert_same(spread, cpu, within=report["method"]["precision"]["margin"] or 1e-4)
