"""One run of the stage: from a model's name and a pairs file to `scores.parquet` and `summary.json`."""

from __future__ import annotations

import hashlib
import json
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import torch
from pydantic import BaseModel, ConfigDict, Field

from winoqueer_nl.files import sha256, write_json
from winoqueer_nl.problems import InputError, Problem, quoted, suggestion
from winoqueer_nl.scoring import demo, hub, loading, summary
from winoqueer_nl.scoring.canary import canary, tokenizer_warnings
from winoqueer_nl.scoring.causal import CausalPlan
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.masked import MaskedPlan
from winoqueer_nl.scoring.models import Model
from winoqueer_nl.scoring.pairs import Pairs, read_pairs
from winoqueer_nl.scoring.precision import Ladder
from winoqueer_nl.scoring.sample import Sample, choose, random_order
from winoqueer_nl.scoring.shards import Store
from winoqueer_nl.scoring.tokenizing import check_mask_token
from winoqueer_nl.scoring.tokens import Needed, needed_tokens
from winoqueer_nl.scoring.work import Plan

#: Part of every fingerprint: raise it when a change to this package changes scores.
METHOD = 1
#: Arithmetic in a shard: some half a minute on two CPU cores, so a stopped run loses no more than that.
SHARD_FLOP = 5e12
LEAST_SHARD, MOST_SHARD = 4096, 1 << 18
#: Parameters below which threads wait for each other longer than they work: one is used.
TINY = 1_000_000


class Settings(BaseModel):
    """How to score; nothing here changes a score by more than 1e-4 but `precision: bfloat16`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["masked", "causal"] | None = Field(None, description="Kind of model; read from it if left out.")
    revision: str | None = Field(None, description="Branch, tag or commit of a Hub model.")
    device: str = Field("auto", description="auto, cpu, cuda, cuda:1, mps.")
    precision: Literal["float32", "bfloat16", "auto"] = Field(
        "auto", description="auto: bfloat16 where the hardware has it, float32 where a decision is near."
    )
    sample: int | None = Field(None, ge=2, description="Score a stratified sample of so many pairs.")
    seed: int = Field(0, ge=0, description="Seed of the sample.")
    batch_tokens: int | None = Field(None, ge=1, description="Token positions in a batch.")
    shard_tokens: int | None = Field(None, ge=1, description="Token positions in a shard.")
    threads: int | None = Field(None, ge=1, description="CPU threads, at most.")
    published_csv: bool = Field(False, description="Also write the published scripts' CSV layout.")
    overwrite: bool = Field(False, description="Replace the scores of another run in the same folder.")
    quiet: bool = Field(False, description="No progress bar.")


@dataclass(frozen=True)
class Named:
    """What a name on the command line stands for. title: without a path of this machine."""

    title: str
    source: Literal["demonstration", "hub", "folder"]
    target: str
    kind: str | None = None
    revision: str | None = None


def resolve(name: str, models: dict[str, Model]) -> Named:
    """A demonstration model, a key of the table, a local folder, or else a Hub id.

    Raises :class:`InputError` for a single word that is none of them: most likely a misspelt key.
    """
    if name in demo.DEMOS:
        return Named(name, "demonstration", name, demo.DEMOS[name])
    if name in models:
        known = models[name]
        return Named(known.hub_id, "hub", known.hub_id, known.kind, known.revision)
    if Path(name).is_dir():
        return Named(Path(name).resolve().name, "folder", name)
    if "/" not in name:
        nearest = suggestion(name, [*demo.DEMOS, *models])
        problem = Problem(
            "MODEL", f"{quoted(name)}, which is no key and no folder here",
            "a key of models.yaml, a folder, or a Hub id of the form ORG/NAME", nearest,
        )  # fmt: skip
        raise InputError([problem])
    return Named(name, "hub", name)


def planner(loaded: loading.Loaded, engine: Engine, shard_tokens: int | None) -> Callable[..., Plan]:
    """A function from needed tokens (and which of them, all if None) to a plan for this model."""
    by_cost = int(SHARD_FLOP / (2 * engine.parameters))
    size = shard_tokens or min(MOST_SHARD, max(LEAST_SHARD, by_cost))
    if loaded.kind == "masked":
        mask = check_mask_token(loaded.tokenizer, loaded.name)
        return lambda needed, only=None: MaskedPlan(needed, mask, size, only)
    return lambda needed, only=None: CausalPlan(needed, size, only, engine.shares_beginnings)


def fingerprint(loaded: loading.Loaded, needed: Needed, pairs: Pairs, settings: Settings, device: str) -> str:
    """A hash of everything that a score depends on."""
    parts = {
        "method": METHOD,
        "model": loaded.fingerprints,
        "kind": loaded.kind,
        "start": asdict(needed.encoded.start),
        "pairs": [pairs.content_sha256, pairs.file_sha256],  # the file's labels are in the summary
        "policies": sorted(needed.sums),
        "precision": settings.precision,
        "device": device,
        "versions": summary.versions(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def score(
    name: str, pairs_file: Path, out: Path, settings: Settings, models: dict[str, Model] | None = None
) -> dict[str, Any]:
    """Score a model on a pairs file and write the results into the folder `out`; returns the summary.

    A finished run is not repeated; a stopped one is taken up. Raises :class:`InputError` for everything that
    a person can put right.
    """
    began = time.monotonic()
    pairs, sample = _sampled(read_pairs(pairs_file), settings)
    named = resolve(name, models or {})
    with tempfile.TemporaryDirectory(prefix="winoqueer-nl-demo-") as scratch:
        if named.source == "demonstration":
            whole = read_pairs(pairs_file).frame
            files = hub.Files(demo.build(name, [*whole["sent_x"], *whole["sent_y"]], Path(scratch)))
        else:
            files = hub.find(named.target, settings.revision or named.revision)
        loaded = loading.load(files, named.title, settings.kind or named.kind, settings.device)
    needed = needed_tokens(loaded.tokenizer, pairs, loaded.kind, named.title)
    encoded = needed.encoded
    if len(needed) == 0:
        problem = Problem(str(pairs_file), "no token that both sentences of a pair share", "something to compare")
        raise InputError([problem])
    loading.check_fits(loaded, encoded.ids, encoded.sentences)
    probe = encoded.ids[0]
    loading.check_direction(loaded, probe)
    engine = Engine(loaded.model, named.title, loaded.kind == "causal", probe, settings.batch_tokens)
    if settings.threads or engine.parameters < TINY:
        torch.set_num_threads(1 if engine.parameters < TINY else settings.threads or 1)
    plan = planner(loaded, engine, settings.shard_tokens)
    mark = fingerprint(loaded, needed, pairs, settings, engine.device.type)
    done = _finished(out, mark, settings)
    if done is not None:
        layout = out / "scores_published_layout.csv"
        if settings.published_csv and not layout.exists():
            summary.write_published_layout(layout, pairs, pd.read_parquet(out / "scores.parquet"))
        return done
    figures, found = tokenizer_warnings(loaded.tokenizer, encoded, named.title)
    store = Store(out, mark, settings.quiet)
    with store.open():
        seen, more = canary(
            loaded.tokenizer, loaded.kind, named.title, pairs.frame["sent_x"].tolist(), plan, store, engine
        )
        found += more
        ready = time.monotonic()
        order = random_order(pairs.frame["pair_id"], settings.seed)
        ladder = Ladder(needed, lambda only: plan(needed, only), engine, store, order)
        scores = ladder.scores(settings.precision)
        computed = time.monotonic()
        frame = summary.table(pairs, needed, scores)
        if named.source == "demonstration":  # that it looks untrained is no news then
            found = [demo.NOTICE]
        if pairs.has_spans and "slot" not in scores:
            found.append("The tokenizer does not say where its tokens stand in the text: the slot scores are empty.")
        if "slot" in scores and len(needed.unequal_slot):
            found.append(
                f"In {len(needed.unequal_slot)} pairs the tokens outside the identity differ between the two "
                "sentences: their slot scores compare unlike things."
            )
        summary.write_scores(out / "scores.parquet", frame)
        if settings.published_csv:
            summary.write_published_layout(out / "scores_published_layout.csv", pairs, frame)
        report = {
            "content_warning": summary.WARNING,
            # What a reader of many runs needs first stands at the top, under plain names.
            "model": named.title,
            "revision": loaded.revision,
            "kind": summary.KIND_NAMES[loaded.kind],
            "precision": ladder.report.used,
            "language": pairs.language,
            "edition": pairs.edition,
            "pairs_sha256": pairs.file_sha256,
            "n_pairs": len(pairs),
            "demo": named.source == "demonstration",
            "warnings": found,
            "results": summary.results(pairs, frame, needed, sample),
            "model_details": {
                "key": name if name in (models or {}) or named.source == "demonstration" else None,
                "source": named.source,
                "architecture": loaded.architecture,
                "parameters": engine.parameters,
                **loaded.fingerprints,
            },
            "pairs": {
                "content_sha256": pairs.content_sha256,
                "distinct_sentences": len(encoded),
                "alike_to_the_tokenizer": len(needed.alike),
            },
            "sample": None if sample is None else {
                "seed": settings.seed, "of": int(sample.sizes.sum()), "strata": len(sample.sizes), "by": sample.by
            },
            "method": {
                "policies": sorted(needed.sums),
                "start_token": asdict(encoded.start),
                "precision": asdict(ladder.report),
                "tokens_computed_once": len(needed),
                "output_layer_at_scored_positions_only": engine.parts.split,
                "shared_beginnings_computed_once": engine.shares_beginnings,
            },
            "canary": {**figures, **seen},
            "performance": {
                "device": _device(engine.device),
                "threads": torch.get_num_threads(),
                "batch_tokens": engine.budget,
                "seconds_before_scoring": round(ready - began, 2),
                "seconds_scoring": round(computed - ready, 2),
                "seconds": round(time.monotonic() - began, 2),
                "peak_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            },
            "versions": summary.versions(),
            "fingerprint": mark,
            "scores_sha256": sha256(out / "scores.parquet"),
        }  # fmt: skip
        write_json(out / "summary.json", report)
        store.remove()
    return report


def _sampled(pairs: Pairs, settings: Settings) -> tuple[Pairs, Sample | None]:
    if settings.sample is None or settings.sample >= len(pairs):
        return pairs, None
    sample = choose(pairs.frame, settings.sample, settings.seed)
    return pairs.take(sample.rows.tolist()), sample


def _device(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def _finished(out: Path, mark: str, settings: Settings) -> dict[str, Any] | None:
    """The summary of a finished run with this fingerprint; raises if another run's scores are in the way."""
    path, scores = out / "summary.json", out / "scores.parquet"
    if not path.exists() and not scores.exists():
        return None
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        same = report["fingerprint"] == mark and report["scores_sha256"] == sha256(scores)
    except (OSError, ValueError, KeyError, TypeError):
        # Scores without their summary: a run stopped between the two files. Its shards are still there.
        same, report = False, None
    if same:
        return report
    if report is None or settings.overwrite:
        return None
    raise InputError(
        [
            Problem(
                str(out), f"scores of another run (model {report.get('model')})",
                "an empty folder, or this run's own",
                "Choose another --out, or replace them with --overwrite.",
            )
        ]
    )  # fmt: skip
