"""Check of the released evaluation-harness task: it runs on a tiny model, and its number is ours."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from winoqueer_nl.problems import Problems
from winoqueer_nl.release import tools
from winoqueer_nl.release.layout import HARNESS, PAIRS, Release

#: Pairs that the check scores, spread over the release.
N_PAIRS = 48
#: Largest difference of a pair's score (natural log) that rounding in float32 explains.
TOLERANCE = 2e-3

_AGAIN = "Build the release again; nothing in the folder is edited by hand."


def make_tiny_model(sentences: Sequence[str], folder: Path) -> None:
    """A causal model with random weights and a byte-level tokenizer of these sentences; same sentences, same model.

    The tokenizer adds a BOS token by itself: the case in which a harness easily ends up with two.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))]
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="</s>")
    fast.save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(fast),
                hidden_size=32,
                intermediate_size=64,
                num_hidden_layers=2,
                num_attention_heads=4,
                num_key_value_heads=4,
                max_position_embeddings=256,
                initializer_range=0.5,
                bos_token_id=fast.bos_token_id,
                eos_token_id=fast.eos_token_id,
                pad_token_id=fast.eos_token_id,
            )
        )
    model.save_pretrained(folder, safe_serialization=True)


def our_scores(model: Path, pairs: pd.DataFrame, folder: Path) -> list[tuple[float, float]]:
    """What the scoring stage says of both sentences of each pair under the policy ``slot`` (natural log).

    ``folder`` is a scratch folder for its files.
    """
    from winoqueer_nl.scoring.run import score
    from winoqueer_nl.scoring.settings import Settings

    file, out = folder / "chosen.parquet", folder / "scores"
    pairs.to_parquet(file, index=False)
    settings = {"kind": "causal", "device": "cpu", "precision": "float32", "quiet": True}
    score(str(model), file, out, Settings.model_validate(settings))
    scores = pd.read_parquet(out / "scores.parquet").set_index("pair_id").loc[pairs["pair_id"]]
    return [(float(x), float(y)) for x, y in zip(scores["score_x_slot"], scores["score_y_slot"], strict=True)]


def chosen_rows(pairs: pd.DataFrame, n: int = N_PAIRS) -> list[int]:
    """Row numbers spread over the release, and some pairs whose sentences begin differently."""
    total = len(pairs)
    rows = sorted({round(i * (total - 1) / max(1, n - 1)) for i in range(min(n, total))})
    unlike = [
        i
        for i, row in enumerate(pairs.itertuples())
        if row.sent_x[: row.span_start_x].rstrip() != row.sent_y[: row.span_start_y].rstrip()
    ]
    return sorted({*rows, *unlike[:4], *unlike[-4:]})


def check_harness(release: Release, problems: Problems) -> dict[str, Any]:
    """Run the released task with lm-evaluation-harness and hold its number against ours; return both."""
    tools.require("lm_eval")  # before any work is done for it
    pairs = release.table(PAIRS).to_pandas()
    rows = chosen_rows(pairs)
    mine = pairs.iloc[rows]
    task = min((path.stem for path in (release.folder / HARNESS).glob("*.yaml")), key=len, default=None)
    place = f"{release.name}/{HARNESS}"
    if task is None:
        problems.add(place, "no task", "the evaluation-harness task", _AGAIN)
        return {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_tiny_model([*mine["sent_x"], *mine["sent_y"]], folder / "model")
        ours = our_scores(folder / "model", mine, folder)
        arguments = [
            "run", "--model", "hf", "--model_args", "pretrained=model,dtype=float32", "--tasks", task,
            "--include_path", str(release.folder.resolve() / HARNESS), "--device", "cpu", "--batch_size", "16",
            "--samples", json.dumps({task: rows}), "--log_samples", "--output_path", "out",
        ]  # fmt: skip
        # The helper must not leave compiled files in the release.
        extra = {"PYTHONDONTWRITEBYTECODE": "1", "HF_HOME": str(folder / "cache"), "TOKENIZERS_PARALLELISM": "false"}
        status, output = tools.run("lm_eval", arguments, folder, 600, extra)
        results = sorted(folder.glob("out/**/results_*.json"))
        samples = sorted(folder.glob(f"out/**/samples_{task}_*.jsonl"))
        if status or not results or not samples:
            problems.add(f"{place}/{task}.yaml", f"lm_eval says: {tools.last_line(output)}", "a task that runs", _AGAIN)
            return {}
        numbers = json.loads(results[-1].read_text(encoding="utf-8"))["results"][task]
        lines = [json.loads(line) for line in samples[-1].read_text(encoding="utf-8").splitlines()]
    theirs = {line["doc"]["pair_id"]: float(line["likelihood_diff"]) for line in lines}
    return compare(place, mine, ours, theirs, numbers, problems)


def compare(
    place: str,
    pairs: pd.DataFrame,
    ours: Sequence[tuple[float, float]],
    theirs: dict[str, float],
    numbers: dict[str, Any],
    problems: Problems,
) -> dict[str, Any]:
    """Hold every pair's difference and both percentages against ours."""
    differences = {pair: x - y for pair, (x, y) in zip(pairs["pair_id"], ours, strict=True)}
    if theirs.keys() != differences.keys():
        problems.add(place, f"{len(theirs)} pairs scored", f"the {len(differences)} pairs asked for", _AGAIN)
        return {}
    largest = max(abs(theirs[pair] - differences[pair]) for pair in differences)
    higher = pd.Series([float(value > 0) for value in differences.values()], index=pairs["identity"].to_numpy())
    expected = {
        "pct_stereotype": float(higher.mean()),
        "pct_stereotype_identity_averaged": float(higher.groupby(level=0).mean().mean()),
    }
    if largest > TOLERANCE:
        problems.add(place, f"scores that differ by {largest:.2g}", f"ours, to within {TOLERANCE}", _AGAIN)
    found = {name: float(numbers[f"{name},none"]) for name in expected if f"{name},none" in numbers}
    for name, value in expected.items():
        if name not in found or abs(found[name] - value) > 1e-6:
            problems.add(place, f"{found.get(name)}", f"{value:.6f}, our number", _AGAIN, field=name)
    return {"pairs": len(pairs), "largest_difference": largest, "ours": expected, "harness": found}
