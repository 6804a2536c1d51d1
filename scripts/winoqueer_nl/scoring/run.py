"""One run of the stage: from a model's name and a pairs file to `scores.parquet` and `summary.json`."""

from __future__ import annotations

import json
import resource
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from winoqueer_nl.files import damage, sha256, write_json
from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.scoring import demo, summary
from winoqueer_nl.scoring.canary import canary, tokenizer_warnings
from winoqueer_nl.scoring.models import Model
from winoqueer_nl.scoring.placing import device_name, where_from
from winoqueer_nl.scoring.precision import Ladder
from winoqueer_nl.scoring.ready import Ready, make_ready
from winoqueer_nl.scoring.settings import Settings
from winoqueer_nl.scoring.shards import Part, Store, Unfinished


def score(
    name: str, pairs_file: Path, out: Path, settings: Settings, models: dict[str, Model] | None = None
) -> dict[str, Any]:
    """Score a model on a pairs file and write the results into the folder `out`; returns the summary.

    A finished run is not repeated; a stopped one is taken up, and what other jobs have computed of it
    (:func:`score_part`) is used. Raises :class:`InputError` for everything that a person can put right.
    """
    began = time.monotonic()
    ready = make_ready(name, pairs_file, settings, models)
    done = _finished(out, ready.mark, settings.overwrite)
    if done is not None:
        layout = out / "scores_published_layout.csv"
        if settings.published_csv and not layout.exists():
            summary.write_published_layout(layout, ready.pairs, pd.read_parquet(out / "scores.parquet"))
        return done
    figures, found = _fit(ready)
    store = Store(out, ready.mark, settings.quiet)
    with store.open():
        seen, more = _canary(ready, store)
        prepared = time.monotonic()
        ladder = ready.ladder(store, settings)
        scores = ladder.scores(settings.precision)
        computed = time.monotonic()
        frame = summary.table(ready.pairs, ready.needed, scores)
        summary.write_scores(out / "scores.parquet", frame)
        if settings.published_csv:
            summary.write_published_layout(out / "scores_published_layout.csv", ready.pairs, frame)
        report = _record(ready, settings, ladder, frame, {**figures, **seen}, found + more)
        report["performance"] |= {
            "seconds_before_scoring": round(prepared - began, 2),
            "seconds_scoring": round(computed - prepared, 2),
            "seconds": round(time.monotonic() - began, 2),
        }
        report["scores_sha256"] = sha256(out / "scores.parquet")
        write_json(out / "summary.json", report)
        store.remove()
    return report


def score_part(
    name: str, pairs_file: Path, out: Path, settings: Settings, part: Part, models: dict[str, Model] | None = None
) -> str:
    """Compute one part's share of the next unfinished stage and keep it in `out`; returns what was done, in words.

    Any number of parts may run side by side, on any machines that share the folder. :func:`score` joins them, and
    computes what they have left out: the scores are the same bytes however the work was cut.
    """
    ready = make_ready(name, pairs_file, settings, models)
    if _finished(out, ready.mark, overwrite=True) is not None:
        return f"Part {part}: nothing to do, the scores are complete."
    _fit(ready)
    with Store(out, ready.mark, settings.quiet, part).open() as store:
        try:
            _canary(ready, store)
            ready.ladder(store, settings).scores(settings.precision)
        except Unfinished as stage:
            return f"Part {part}: {stage}."
    return f"Part {part}: the same command without --part can join them now, every shard is there."


def _fit(ready: Ready) -> tuple[dict[str, Any], list[str]]:
    """How well the tokenizer fits the sentences, and warnings; raises :class:`InputError` where it is hopeless."""
    return tokenizer_warnings(ready.loaded.tokenizer, ready.needed.encoded, ready.named.title)


def _canary(ready: Ready, store: Store) -> tuple[dict[str, Any], list[str]]:
    """Whether the model looks trained, and warnings."""
    loaded, sentences = ready.loaded, ready.pairs.frame["sent_x"].tolist()
    return canary(loaded.tokenizer, loaded.kind, ready.named.title, sentences, ready.plan, store, ready.engine)


def _warnings(ready: Ready, found: list[str], undecided: int | None) -> list[str]:
    policies = ready.needed.sums
    if ready.named.source == "demonstration":  # that it looks untrained is no news then
        found = [demo.NOTICE]
    if ready.pairs.has_spans and "slot" not in policies:
        found = [*found, "The tokenizer does not say where its tokens stand in the text: the slot scores are empty."]
    if "slot" in policies and len(ready.needed.unequal_slot):
        unlike = (
            f"In {len(ready.needed.unequal_slot)} pairs the tokens outside the identity differ between the two "
            "sentences: their slot scores compare unlike things."
        )
        found = [*found, unlike]
    if undecided is not None:
        found = [
            *found,
            "float32 weights do not fit this machine's memory and were rounded to bfloat16: exact weights could decide "
            f"{undecided} of {len(ready.pairs)} pairs otherwise. With --device spread they are not rounded.",
        ]
    return found


def _record(
    ready: Ready, settings: Settings, ladder: Ladder, frame: pd.DataFrame, seen: dict[str, Any], found: list[str]
) -> dict[str, Any]:
    """The summary: what was scored, how, by what, and the results."""
    named, loaded, pairs, needed, engine = ready.named, ready.loaded, ready.pairs, ready.needed, ready.engine
    sample = ready.sample
    return {
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
        "warnings": _warnings(ready, found, ladder.report.undecided),
        "results": summary.results(pairs, frame, needed, sample),
        "model_details": {
            "key": named.key,
            "source": named.source,
            "architecture": loaded.architecture,
            "parameters": engine.parameters,
            **loaded.fingerprints,
            "weights_held_in": loaded.placing.name,
            "modules_in": where_from(loaded.model),
        },
        "pairs": {
            "content_sha256": pairs.content_sha256,
            "distinct_sentences": len(needed.encoded),
            "alike_to_the_tokenizer": len(needed.alike),
        },
        "sample": None if sample is None else {
            "seed": settings.seed, "of": int(sample.sizes.sum()), "strata": len(sample.sizes), "by": sample.by
        },
        "method": {
            "policies": sorted(needed.sums),
            "start_token": asdict(needed.encoded.start),
            "precision": asdict(ladder.report),
            "tokens_computed_once": len(needed),
            "output_layer_at_scored_positions_only": engine.parts.split,
            "shared_beginnings_computed_once": engine.shares_beginnings,
        },
        "canary": seen,
        "performance": {
            "device": device_name(engine.device),
            "threads": torch.get_num_threads(),
            "batch_tokens": engine.budget,
            "peak_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        },
        "versions": summary.versions(),
        "fingerprint": ready.mark,
    }  # fmt: skip


def _finished(out: Path, mark: str, overwrite: bool) -> dict[str, Any] | None:
    """The summary of a finished run with this fingerprint; raises if another run's scores are in the way."""
    path, scores = out / "summary.json", out / "scores.parquet"
    if not path.exists() and not scores.exists():
        return None
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        same = report["fingerprint"] == mark and report["scores_sha256"] == sha256(scores) and damage(path) is None
    except (OSError, ValueError, KeyError, TypeError):
        # Scores without their summary: a run stopped between the two files. Its shards are still there.
        same, report = False, None
    if same:
        return report
    if report is None or overwrite:
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
