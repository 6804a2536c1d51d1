"""Everything that a run needs before its first pass: pairs, model, tokens to score, and how the work is cut."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.scoring import demo, hub, loading, summary
from winoqueer_nl.scoring.causal import CausalPlan
from winoqueer_nl.scoring.engine import BUDGET, Engine
from winoqueer_nl.scoring.masked import MaskedPlan
from winoqueer_nl.scoring.models import Model
from winoqueer_nl.scoring.pairs import Pairs, read_pairs
from winoqueer_nl.scoring.precision import Ladder
from winoqueer_nl.scoring.sample import Sample, choose, random_order
from winoqueer_nl.scoring.settings import Named, Settings, resolve
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


@dataclass(frozen=True)
class Ready:
    """A model and the pairs that it is to score.

    mark: the fingerprint of everything that a score depends on. plan: from needed tokens (and which of them, all
    if None) to the passes through the model.
    """

    named: Named
    pairs: Pairs
    sample: Sample | None
    loaded: loading.Loaded
    needed: Needed
    engine: Engine
    plan: Callable[..., Plan]
    mark: str

    def ladder(self, store: Store, settings: Settings) -> Ladder:
        """The computation of all scores, which keeps its shards in `store`."""
        order = random_order(self.pairs.frame["pair_id"], settings.seed)
        return Ladder(
            self.needed,
            lambda only: self.plan(self.needed, only),
            self.engine,
            store,
            order,
            self.loaded.placing.rounded,
        )


def make_ready(name: str, pairs_file: Path, settings: Settings, models: dict[str, Model] | None = None) -> Ready:
    """Read the pairs, load the model, and check that they fit; raises :class:`InputError` where they do not."""
    whole = read_pairs(pairs_file)
    pairs, sample = _sampled(whole, settings)
    named = resolve(name, models or {})
    with tempfile.TemporaryDirectory(prefix="winoqueer-nl-demo-") as scratch:
        if named.source == "demonstration":
            files = hub.Files(demo.build(name, [*whole.frame["sent_x"], *whole.frame["sent_y"]], Path(scratch)))
        else:
            files = hub.find(named.target, settings.revision or named.revision)
        loaded = loading.load(files, named.title, settings.kind or named.kind, settings.device, settings.precision)
    needed = needed_tokens(loaded.tokenizer, pairs, loaded.kind, named.title)
    if len(needed) == 0:
        problem = Problem(str(pairs_file), "no token that both sentences of a pair share", "something to compare")
        raise InputError([problem])
    loading.check_fits(loaded, needed.encoded.ids, needed.encoded.sentences)
    probe = needed.encoded.ids[0]
    loading.check_direction(loaded, probe)
    causal = loaded.kind == "causal"
    engine = Engine(loaded.model, named.title, causal, probe, settings.batch_tokens, loaded.widening)
    if settings.threads or engine.parameters < TINY:
        torch.set_num_threads(1 if engine.parameters < TINY else settings.threads or 1)
    plan = planner(loaded, engine, settings.shard_tokens)
    mark = fingerprint(loaded, needed, pairs, settings, engine.device.type)
    return Ready(named, pairs, sample, loaded, needed, engine, plan, mark)


def _sampled(pairs: Pairs, settings: Settings) -> tuple[Pairs, Sample | None]:
    if settings.sample is None or settings.sample >= len(pairs):
        return pairs, None
    sample = choose(pairs.frame, settings.sample, settings.seed)
    return pairs.take(sample.rows.tolist()), sample


def shard_size(engine: Engine) -> int:
    """Token positions in a shard for this model: on a GPU several batches, however large it is."""
    least = LEAST_SHARD if engine.device.type == "cpu" else 8 * BUDGET.get(engine.device.type, LEAST_SHARD)
    return min(MOST_SHARD, max(least, int(SHARD_FLOP / (2 * engine.parameters))))


def planner(loaded: loading.Loaded, engine: Engine, shard_tokens: int | None) -> Callable[..., Plan]:
    """A function from needed tokens (and which of them, all if None) to a plan for this model."""
    size = shard_tokens or shard_size(engine)
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
        "weights": loaded.placing.name,
        "versions": summary.versions(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
