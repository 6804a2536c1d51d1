"""Auto precision: bfloat16 where it can decide, float32 where it cannot, and float64 for near ties."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scoring_build as build
import torch
from transformers.pytorch_utils import Conv1D

from winoqueer_nl.scoring import precision as module
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings
from winoqueer_nl.scoring.tokens import Needed, Sum


@pytest.fixture
def small_calibration(monkeypatch):
    """As on a machine with bfloat16 and a model large enough for it; few calibration pairs, so that some are left."""
    monkeypatch.setattr(module, "SMALLEST", 0)
    monkeypatch.setattr(module, "CALIBRATION", 12)
    monkeypatch.setattr(module, "TOO_MANY", 1.1)
    monkeypatch.setattr(Engine, "has_fast_bfloat16", lambda self: True)


def scored(folder, pairs, out, precision):
    report = score(str(folder), pairs, out, Settings(precision=precision, device="cpu", quiet=True))
    return report, pd.read_parquet(out / "scores.parquet")


@pytest.mark.parametrize("name", ["bert", "albert", "gpt2", "llama"])
def test_auto_decides_every_pair_as_float32(name, tmp_path, pairs_file, small_calibration):
    folder = build.saved(tmp_path / "m", name)
    report, auto = scored(folder, pairs_file, tmp_path / "auto", "auto")
    _, full = scored(folder, pairs_file, tmp_path / "full", "float32")
    how = report["method"]["precision"]
    assert how["used"] == "bfloat16 and float32"
    assert how["calibration_pairs"] == 12 <= how["recomputed_in_float32"] <= len(auto)
    for policy in ("published", "slot"):
        a, b = (t[f"score_x_{policy}"] - t[f"score_y_{policy}"] for t in (auto, full))
        assert ((a > 0) == (b > 0)).all()
        # Pairs within the margin carry float32 scores; the others' errors are smaller than the margin.
        assert (a - b).abs().max() < how["margin"]
        near = a.abs() < how["margin"]
        assert (a - b)[near].abs().max() < 1e-4 or not near.any()
    assert how["largest_error"] * module.LARGEST <= how["margin"]


def test_bfloat16_alone_differs_from_float32(tmp_path, pairs_file):
    """The guard has something to guard against: without it scores are off by more than a near tie."""
    folder = build.saved(tmp_path / "m", "bert")
    _, low = scored(folder, pairs_file, tmp_path / "low", "bfloat16")
    _, full = scored(folder, pairs_file, tmp_path / "full", "float32")
    assert (low["score_x_slot"] - full["score_x_slot"]).abs().max() > 1e-3


def test_the_margin_widens_when_recomputed_pairs_show_larger_errors(
    tmp_path, pairs_file, small_calibration, monkeypatch
):
    """Errors that the calibration pairs do not show are found among the recomputed ones and taken into account."""
    seen = []
    real = module.reach

    def reach(errors):
        value = real(errors)
        seen.append(3 * value if seen else value)  # the calibration was too hopeful
        return seen[-1]

    monkeypatch.setattr(module, "reach", reach)
    folder, made = tmp_path / "m", build.tokenizer("wordpiece cased")
    build.model("bert", len(made), spread=0.1).save_pretrained(folder)  # many pairs near each other
    made.save_pretrained(folder)
    report, _ = scored(folder, pairs_file, tmp_path / "auto", "auto")
    assert report["method"]["precision"]["margin"] == max(seen) > seen[0]
    assert "float32, turn 2" in report["method"]["precision"]["stages"]


@pytest.mark.parametrize("tails", ["normal", "heavy"])
def test_the_margin_holds_on_as_many_pairs_as_the_dataset_has(tails, monkeypatch):
    """42,906 made-up differences of usual spread and errors, ten times over: no decision of auto is wrong.

    Heavy tails: Student's t with five degrees of freedom, whose largest error is some ten root mean squares.
    """
    n = 42_906
    flips = recomputed = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        true = rng.normal(0, 1.3, n)
        error = rng.standard_normal(n) if tails == "normal" else rng.standard_t(5, n) / np.sqrt(5 / 3)
        values = {"float32": true, "bfloat16": true + 0.08 * error}
        # One token a pair, in the first sentence: its value is the difference.
        one = np.arange(n)
        sums = {"published": Sum(one, np.zeros(n, dtype=np.int64), one)}
        needed = Needed(None, one, one, sums, n, one[:0], one[:0])

        def run(self, stage, precision, tokens, values=values):
            out = np.full(n, np.nan)
            at = slice(None) if tokens is None else tokens
            out[at] = values[precision][at]
            return out

        monkeypatch.setattr(module.Ladder, "_run", run)
        ladder = module.Ladder(needed, None, None, None, rng.permutation(n))
        scores = ladder._mixed()["published"]
        flips += int(((scores[:, 0] > scores[:, 1]) != (true > 0)).sum())
        recomputed += ladder.report.recomputed_in_float32
    assert flips == 0
    assert recomputed < 10 * n * (0.3 if tails == "normal" else 0.6)


def test_auto_uses_float32_when_too_many_pairs_are_near(tmp_path, pairs_file, monkeypatch):
    monkeypatch.setattr(module, "SMALLEST", 0)
    monkeypatch.setattr(module, "TOO_MANY", 0.0)
    monkeypatch.setattr(Engine, "has_fast_bfloat16", lambda self: True)
    folder = tmp_path / "m"
    made = build.tokenizer("wordpiece cased")
    build.model("bert", len(made), spread=0.02).save_pretrained(folder)
    made.save_pretrained(folder)
    report, _ = scored(folder, pairs_file, tmp_path / "auto", "auto")
    assert report["method"]["precision"]["used"] == "float32"
    assert "within the reach" in report["method"]["precision"]["why"]


@pytest.mark.parametrize(
    ("fast", "smallest", "why"), [(False, 0, "no bfloat16 arithmetic"), (True, 10**9, "so small a model")]
)
def test_auto_says_why_it_used_float32(fast, smallest, why, tmp_path, pairs_file, monkeypatch):
    monkeypatch.setattr(Engine, "has_fast_bfloat16", lambda self: fast)
    monkeypatch.setattr(module, "SMALLEST", smallest)
    report, _ = scored(build.saved(tmp_path / "m", "gpt2"), pairs_file, tmp_path / "o", "auto")
    assert report["method"]["precision"]["used"] == "float32"
    assert why in report["method"]["precision"]["why"]


def test_near_ties_are_settled_in_float64(tmp_path, pairs_file, monkeypatch):
    """With a wide reach, all pairs count as near: the scores are then those of a double-precision model."""
    monkeypatch.setattr(module, "FLOAT32_REACH", 1e9)
    folder = build.saved(tmp_path / "m", "bert")
    report, ours = scored(folder, pairs_file, tmp_path / "o", "float32")
    how = report["method"]["precision"]
    assert how["near_ties"] == len(ours)
    assert how["near_ties_in"] == "float64"
    import scoring_naive as naive
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    model = AutoModelForMaskedLM.from_pretrained(folder).double()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for row in (0, 30, 60):
        pair = build.made_up_pairs().iloc[row]
        x, _, _ = naive.published(model, tokenizer, pair.sent_x, pair.sent_y, masked=True)
        assert abs(x - ours["score_x_published"][row]) < 1e-9


def test_switching_precision_back_and_forth_changes_no_weight():
    made = build.tokenizer("byte-level causal")
    engine = Engine(build.model("gpt2", len(made)), "m", True, made.encode("Alle Zurps eten soep."))
    ids = torch.tensor([made.encode("Alle Oranen eten soep.")])
    first = engine.hidden(ids)
    for precision in ("bfloat16", "float64", "bfloat16", "float32"):
        engine.use(precision)
    assert torch.equal(engine.hidden(ids), first)
    engine.use("bfloat16")
    assert not torch.equal(engine.hidden(ids), first)
    assert torch.allclose(engine.hidden(ids), first, atol=0.1)
    assert np.isfinite(engine.hidden(ids).numpy()).all()


@pytest.mark.parametrize("name", build.ARCHITECTURES)
def test_bfloat16_rounds_products_alone(name):
    """States stay float32, and between two products only what a plain feed-forward's activation reads is rounded."""
    made = build.tokenizer(build.ARCHITECTURES[name])
    model = build.model(name, len(made))
    engine = Engine(model, "m", name not in build.MASKED, made.encode("Alle Zurps eten soep."))
    ids = torch.tensor([made.encode("Alle Oranen eten soep.")])
    full = engine.hidden(ids)
    engine.use("bfloat16")
    rounded = set()
    for path, layer in model.named_modules():
        if type(layer) in (torch.nn.Linear, Conv1D):
            layer.register_forward_hook(
                lambda _m, _i, output, path=path: rounded.add(path) if output.dtype == torch.bfloat16 else None
            )
    low = engine.hidden(ids)
    assert low.dtype == torch.float32
    assert 0 < (low - full).abs().max() < 0.1
    inner = {"bert": "intermediate.dense", "electra": "intermediate.dense", "roberta": "intermediate.dense",
             "xlm-roberta": "intermediate.dense", "distilbert": "ffn.lin1", "albert": "ffn", "gpt2": "mlp.c_fc",
             "opt": "fc1", "bloom": "mlp.dense_h_to_4h", "phi": "mlp.fc1"}  # fmt: skip
    assert bool(rounded) == (name in inner)
    assert all(path.endswith(inner.get(name, "nothing: it is gated")) for path in rounded)


@pytest.mark.parametrize("name", build.ARCHITECTURES)
def test_the_logits_of_scored_tokens_are_not_rounded(name):
    made = build.tokenizer(build.ARCHITECTURES[name])
    ids = made.encode("Alle Zurps eten soep.")
    engine = Engine(build.model(name, len(made)), "m", name not in build.MASKED, ids)
    states, lines, targets = engine.hidden(torch.tensor([ids]))[0], torch.tensor([1, 1, 2]), torch.tensor([3, 7, 5])
    exact = engine.log_probabilities(states, lines, targets)
    engine.use("bfloat16")
    rounded = engine.log_probabilities(states, lines, targets)
    error = np.abs(rounded - exact).max()
    assert error < 0.02
    assert (error > 0) == (name not in build.MASKED)  # where it runs at one position in ten it is not rounded at all
    # Two targets of one state share their sum over the vocabulary, so their difference is the scored logits' own.
    assert abs((rounded[0] - rounded[1]) - (exact[0] - exact[1])) < 1e-5
