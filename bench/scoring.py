"""How fast scoring is, against the rule in its plainest form and against what the machine can do.

    python bench/scoring.py --pairs results/nl/1.0.0/pairs.parquet [--threads 2] [--seconds 60] [--device cuda]

Everything is measured in one run and extrapolated to the whole set: the naive reference on a few pairs, the
scorer on shards spread evenly over the plan for all pairs. On a machine that others use, `--threads 1 --clock cpu`
counts this process's own time. The models have the sizes of BERT-base and GPT-2 small and random weights, with a
spread that makes differences between sentences about as wide as in trained models. `--flips N` compares the
decisions of auto with those of float32 on N pairs (0: all pairs, hours).
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "scoring")]

import scoring_build as build  # noqa: E402
import scoring_naive as naive  # noqa: E402

from winoqueer_nl.scoring.causal import CausalPlan  # noqa: E402
from winoqueer_nl.scoring.engine import BUDGET, Engine  # noqa: E402
from winoqueer_nl.scoring.loading import choose_device  # noqa: E402
from winoqueer_nl.scoring.masked import MaskedPlan  # noqa: E402
from winoqueer_nl.scoring.pairs import read_pairs  # noqa: E402
from winoqueer_nl.scoring.placing import device_name  # noqa: E402
from winoqueer_nl.scoring.precision import CALIBRATION, Ladder, reach  # noqa: E402
from winoqueer_nl.scoring.ready import shard_size  # noqa: E402
from winoqueer_nl.scoring.sample import choose, random_order  # noqa: E402
from winoqueer_nl.scoring.shards import Store  # noqa: E402
from winoqueer_nl.scoring.tokens import Needed, needed_tokens  # noqa: E402


def finish(device: torch.device) -> None:
    """Wait until the device has done what it was told: a GPU works on while the program goes on."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def peak(dtype: torch.dtype, clock: Any, device: torch.device) -> float:
    """The best matrix-product rate seen, in GFLOP/s, for the shapes of a feed-forward layer and a whole batch."""
    rows = BUDGET[device.type]
    a, w = torch.randn(rows, 768, dtype=dtype, device=device), torch.randn(3072, 768, dtype=dtype, device=device)
    best = 0.0
    for _ in range(8):
        finish(device)
        began = clock()
        for _ in range(4):
            torch.nn.functional.linear(a, w)
        finish(device)
        best = max(best, 4 * 2 * rows * 768 * 3072 / (clock() - began) / 1e9)
    return best


def bench_model(name: str, spread: float, vocabulary: int) -> Any:
    from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    if name == "bert-base":
        model: Any = BertForMaskedLM(BertConfig(vocab_size=30000, initializer_range=spread))
    else:
        model = GPT2LMHeadModel(GPT2Config(initializer_range=spread))
    return model.eval().requires_grad_(False)


def flop_per_token(model: Any) -> float:
    """Multiply-adds of the layers' matrices, twice; embeddings and the output layer left out."""
    skip = ("embeddings", "wte", "wpe", "cls", "lm_head")
    return 2 * sum(p.numel() for n, p in model.named_parameters() if p.ndim == 2 and not any(s in n for s in skip))


def planner(needed: Needed, tokenizer: Any, engine: Engine, masked: bool) -> Callable[..., Any]:
    """A function from needed tokens (all if none are given) to a plan, in shards as a run has them."""
    size = shard_size(engine)
    if masked:
        return lambda only=None: MaskedPlan(needed, tokenizer.mask_token_id, size, only)
    return lambda only=None: CausalPlan(needed, size, only, engine.shares_beginnings)


def spread_over(plan: Any, engine: Engine, seconds: float, clock: Any) -> tuple[float, float]:
    """Tokens and seconds of shards spread evenly over the plan."""
    plan.compute(plan.shards[len(plan.shards) // 2], engine, engine.budget)  # warm up
    spent, tokens = 0.0, 0
    places = np.linspace(0, len(plan.shards) - 1, 24).astype(int)
    for number in np.random.default_rng(0).permutation(places):
        began = clock()
        plan.compute(plan.shards[number], engine, engine.budget)
        spent += clock() - began
        tokens += plan.shards[number].cost
        if spent > seconds:
            break
    return tokens, spent


def measure(name: str, arguments: argparse.Namespace, clock: Any, peaks: dict[str, float]) -> dict[str, Any]:
    masked = name == "bert-base"
    kind = "masked" if masked else "causal"
    began = time.monotonic()
    pairs = read_pairs(arguments.pairs)
    texts = [*pairs.frame["sent_x"], *pairs.frame["sent_y"]]
    reading = time.monotonic() - began
    tokenizer = build.tokenizer(
        "wordpiece cased" if masked else "byte-level causal", texts, vocabulary=arguments.vocabulary
    )
    model = bench_model(name, arguments.spread, len(tokenizer)).to(arguments.device)
    began = clock()
    needed = needed_tokens(tokenizer, pairs, kind, name)
    engine = Engine(model, name, not masked, needed.encoded.ids[0])

    plan = planner(needed, tokenizer, engine, masked)
    whole = plan()
    planning = clock() - began
    began = clock()
    for total in needed.sums.values():
        total.scores(np.zeros(len(needed)), len(pairs))
        total.counts(len(pairs))
    joining = clock() - began
    cost = sum(shard.cost for shard in whole.shards)
    published = sum(shard.cost for shard in plan(np.unique(needed.sums["published"].token)).shards)

    some = choose(pairs.frame, arguments.naive, 0).rows
    naive.published(model, tokenizer, texts[0], texts[len(pairs)], masked)
    began = clock()
    for row in some:
        naive.published(model, tokenizer, texts[row], texts[len(pairs) + row], masked)
    naive_pair = (clock() - began) / len(some)

    rate = {}
    for precision in ("float32", "bfloat16"):
        engine.use(precision)
        tokens, spent = spread_over(whole, engine, arguments.seconds, clock)
        rate[precision] = tokens / spent
    # The share of pairs that auto recomputes, from a calibration as it does one.
    order = random_order(pairs.frame["pair_id"], 0)[: min(CALIBRATION, arguments.calibration)]
    used = np.unique(np.concatenate([s.tokens_of(order) for s in needed.sums.values()]))
    part = plan(used)
    found = {}
    for precision in ("float32", "bfloat16"):
        engine.use(precision)
        values = np.full(len(needed), np.nan)
        for shard in part.shards:
            values[shard.tokens] = part.compute(shard, engine, engine.budget)
        found[precision] = [np.diff(s.scores(values, len(pairs))[order], axis=1)[:, 0] for s in needed.sums.values()]
    margin = reach(np.array(found["bfloat16"]) - np.array(found["float32"]))
    near = np.min(np.abs(found["bfloat16"]), axis=0) < margin
    share = float(near.mean())
    again = random_order(pairs.frame["pair_id"], 1)[: int(share * len(pairs))]
    extra = 0
    if len(again):
        extra = sum(
            s.cost for s in plan(np.unique(np.concatenate([s.tokens_of(again) for s in needed.sums.values()]))).shards
        )
    calibration = sum(shard.cost for shard in part.shards) * CALIBRATION / len(order)
    seconds = {
        "naive": naive_pair * len(pairs),
        "float32": cost / rate["float32"],
        "auto": cost / rate["bfloat16"]
        + calibration * (1 / rate["bfloat16"] + 1 / rate["float32"])
        + extra / rate["float32"],
    }
    flop = flop_per_token(model)
    return {
        "model": name,
        "needed_tokens": len(needed),
        "token_positions": cost,
        "token_positions_for_the_published_policy_alone": published,
        "naive_milliseconds_per_pair": round(1000 * naive_pair, 1),
        "hours_for_the_whole_set": {k: round(v / 3600, 3) for k, v in seconds.items()},
        "times_faster": {k: round(seconds["naive"] / seconds[k], 1) for k in ("float32", "auto")},
        "gflop_per_second_of_the_layers": {k: round(flop * r / 1e9, 1) for k, r in rate.items()},
        "share_of_peak": {k: round(flop * r / 1e9 / peaks[k], 3) for k, r in rate.items()},
        "spread_of_differences": round(float(found["float32"][0].std()), 3),
        "bfloat16_margin": round(float(margin), 4),
        "recomputed_in_float32": round(share, 4),
        "calibration_flips_inside_margin": int(
            sum(((a > 0) != (b > 0)).sum() for a, b in zip(*found.values(), strict=True))
        ),
        "seconds_reading": round(reading, 2),
        "seconds_preparing_and_planning": round(planning, 2),
        "seconds_joining": round(joining, 2),
        "peak_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "peak_gpu_megabytes": torch.cuda.max_memory_allocated() >> 20 if torch.cuda.is_available() else None,
    }


def flips(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Decisions of auto that are not float32's, over a stratified sample or all pairs, both policies."""
    masked = name == "bert-base"
    pairs = read_pairs(arguments.pairs)
    texts = [*pairs.frame["sent_x"], *pairs.frame["sent_y"]]
    tokenizer = build.tokenizer(
        "wordpiece cased" if masked else "byte-level causal", texts, vocabulary=arguments.vocabulary
    )
    if arguments.flips:
        pairs = pairs.take(choose(pairs.frame, arguments.flips, 0).rows.tolist())
    needed = needed_tokens(tokenizer, pairs, "masked" if masked else "causal", name)
    model = bench_model(name, arguments.spread, len(tokenizer)).to(arguments.device)
    engine = Engine(model, name, not masked, needed.encoded.ids[0])
    plan = planner(needed, tokenizer, engine, masked)
    order, decided, reports = random_order(pairs.frame["pair_id"], 0), {}, {}
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="bench-"))
    for precision in ("auto", "float32"):
        with Store(folder / name, precision, quiet=False).open() as store:
            ladder = Ladder(needed, plan, engine, store, order)
            scores = ladder.scores(precision)
        engine.use("float32")
        decided[precision] = np.array([s[:, 0] > s[:, 1] for s in scores.values()])
        reports[precision] = ladder.report
    auto = reports["auto"]
    return {
        "model": name,
        "pairs": len(pairs),
        "flips": int((decided["auto"] != decided["float32"]).sum()),
        "used": auto.used,
        "recomputed_in_float32": auto.recomputed_in_float32,
        "margin": auto.margin,
        "largest_error": auto.largest_error,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--models", nargs="*", default=["bert-base", "gpt2-small"])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1; on a GPU only the wall clock counts")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--seconds", type=float, default=60, help="for each rate")
    parser.add_argument("--naive", type=int, default=20, help="pairs for the naive reference")
    parser.add_argument("--calibration", type=int, default=CALIBRATION)
    parser.add_argument("--vocabulary", type=int, default=700, help="of the tokenizer: about 12 tokens a sentence")
    parser.add_argument("--spread", type=float, default=0.06, help="initializer_range of the models")
    parser.add_argument("--flips", type=int, help="compare decisions on so many pairs instead (0: all)")
    parser.add_argument("--keep", type=Path, help="folder for the shards of --flips, so that it can be resumed")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.device = choose_device(arguments.device)
    clock = time.process_time if arguments.clock == "cpu" else time.perf_counter
    if arguments.flips is not None:
        print(json.dumps([flips(name, arguments) for name in arguments.models], indent=2))
        return
    peaks = {str(d).removeprefix("torch."): peak(d, clock, arguments.device) for d in (torch.float32, torch.bfloat16)}
    out: dict[str, Any] = {
        "device": device_name(arguments.device),
        "threads": arguments.threads,
        "clock": arguments.clock,
    }
    out["peak_gflop_per_second"] = {k: round(v, 1) for k, v in peaks.items()}
    out["models"] = []
    for name in arguments.models:
        out["models"].append(measure(name, arguments, clock, peaks))
        print(json.dumps(out["models"][-1], indent=2), file=sys.stderr, flush=True)
    print(json.dumps(out, indent=2))


if __name__ == "__main__":
    main()
