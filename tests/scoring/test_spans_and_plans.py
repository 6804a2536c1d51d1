"""Which tokens count, each computed once, whatever the sentences are."""

from __future__ import annotations

import difflib

import numpy as np
import pandas as pd
import scoring_build as build
from hypothesis import given, settings
from hypothesis import strategies as st

from winoqueer_nl.scoring.causal import CausalPlan, groups_of
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.masked import MaskedPlan
from winoqueer_nl.scoring.pairs import read_pairs
from winoqueer_nl.scoring.spans import SharedTokens, published_positions, slot_positions
from winoqueer_nl.scoring.tokens import needed_tokens
from winoqueer_nl.scoring.work import cut

IDS = st.lists(st.integers(0, 6), min_size=1, max_size=14)


@settings(max_examples=300, deadline=None)
@given(pairs=st.lists(st.tuples(IDS, IDS), min_size=1, max_size=4))
def test_shared_tokens_are_the_blocks_that_the_published_scripts_find(pairs):
    shared = SharedTokens()  # one for all: what is remembered from one pair must not leak into the next
    for x, y in pairs:
        in_x, in_y = [], []
        for tag, a, b, c, d in difflib.SequenceMatcher(None, [str(n) for n in x], [str(n) for n in y]).get_opcodes():
            if tag == "equal":
                in_x += range(a, b)
                in_y += range(c, d)
        assert shared([n + 100 for n in x], [n + 100 for n in y]) == (in_x, in_y)


def test_a_tail_that_two_identities_share_is_scored_under_published_and_not_under_slot():
    """homo|seksueel against hetero|seksueel: the published rule scores the tail, the slot rule does not."""
    x, y = [0, 10, 11, 5, 6, 1], [0, 20, 11, 5, 6, 1]  # <s> homo seksueel is . </s>
    special = [True, False, False, False, False, True]
    assert published_positions(SharedTokens(), x, y, special, special) == ([2, 3, 4], [2, 3, 4])
    offsets = [(0, 0), (0, 4), (4, 12), (13, 15), (15, 16), (0, 0)]
    assert slot_positions("homoseksueel is.", offsets, special, 0, 12) == [3, 4]


def test_policies_differ_on_the_shared_tail_in_a_whole_run(tmp_path):
    build.made_up_pairs().to_parquet(tmp_path / "p.parquet")
    made = build.tokenizer("wordpiece cased")
    needed = needed_tokens(made, read_pairs(tmp_path / "p.parquet"), "masked", "m")
    n = needed.n_pairs
    published, slot = (needed.sums[p].counts(n) for p in ("published", "slot"))
    table = build.made_up_pairs()
    tails = table["identity_label"].isin(["Miltops", "Haltops"]) & table["counter_identity_label"].isin(
        ["Miltops", "Haltops"]
    )
    assert (published[tails, 0] > slot[tails, 0]).all()
    assert (published[:, 0] == published[:, 1]).all()


@settings(max_examples=200, deadline=None)
@given(st.sets(st.lists(st.integers(0, 3), min_size=1, max_size=8).map(tuple), min_size=1, max_size=40))
def test_groups_cover_every_sequence_once_and_never_cost_more_than_none(sequences):
    ordered = sorted(sequences)
    rows = [s for s in ordered if not any(o != s and o[: len(s)] == s for o in ordered)]
    groups = groups_of(rows)
    assert [row for g in groups for row in range(g.first, g.last)] == list(range(len(rows)))
    cost = 0
    for group in groups:
        members = rows[group.first : group.last]
        assert all(m[: group.depth] == members[0][: group.depth] for m in members)
        assert all(len(m) > group.depth for m in members)
        cost += group.depth + sum(len(m) - group.depth for m in members)
    assert cost <= sum(map(len, rows))


@settings(max_examples=200, deadline=None)
@given(costs=st.lists(st.integers(1, 50), min_size=1, max_size=60), limit=st.integers(1, 120), data=st.data())
def test_shards_are_consecutive_and_within_the_limit(costs, limit, data):
    breaks = sorted(data.draw(st.sets(st.integers(1, max(1, len(costs) - 1)), max_size=3)) if len(costs) > 1 else set())
    ranges = cut(np.array(costs), limit, np.array(breaks, dtype=np.int64))
    assert [n for a, b in ranges for n in range(a, b)] == list(range(len(costs)))
    assert all(sum(costs[a:b]) <= limit or b - a == 1 for a, b in ranges)
    assert all(not a < edge < b for a, b in ranges for edge in breaks)


def both(tmp_path):
    build.made_up_pairs().to_parquet(tmp_path / "p.parquet")
    pairs = read_pairs(tmp_path / "p.parquet")
    for name, kind in (("bert", "masked"), ("gpt2", "causal")):
        made = build.tokenizer(build.ARCHITECTURES[name], vocabulary=400)
        needed = needed_tokens(made, pairs, kind, name)
        engine = Engine(build.model(name, len(made)), name, kind == "causal", needed.encoded.ids[0])
        yield made, needed, engine, kind


def test_each_distinct_input_is_computed_once(tmp_path):
    for made, needed, _, kind in both(tmp_path):
        ids = needed.encoded.ids
        if kind == "masked":
            plan = MaskedPlan(needed, made.mask_token_id, 500)
            rows = [tuple(row) for block in plan.sequences for row in block]
            wanted = set()
            for s, p in zip(needed.sentence, needed.position, strict=True):
                wanted.add((*ids[s][:p], made.mask_token_id, *ids[s][p + 1 :]))
            assert sorted(rows) == sorted(wanted)
            # Two names in one template: masked, they are the same input, and one pass answers both.
            assert len(rows) < len(needed)
        else:
            plan = CausalPlan(needed, 500)
            assert len(set(plan.rows)) == len(plan.rows)
            alone = CausalPlan(needed, 500, share=False)
            assert sum(s.cost for s in plan.shards) < 0.75 * sum(s.cost for s in alone.shards)
        assert sorted(np.concatenate([s.tokens for s in plan.shards])) == list(range(len(needed)))


def test_shared_beginnings_give_what_whole_passes_give(tmp_path):
    for _, needed, engine, kind in both(tmp_path):
        if kind == "masked":
            continue
        found = []
        for share in (True, False):
            plan = CausalPlan(needed, 400, share=share)
            values = np.full(len(needed), np.nan)
            for shard in plan.shards:
                values[shard.tokens] = plan.compute(shard, engine, 64)
            found.append(values)
        assert np.abs(found[0] - found[1]).max() < 1e-4


def test_a_plan_for_some_tokens_gives_the_same_values(tmp_path):
    for made, needed, engine, kind in both(tmp_path):

        def plan(only=None, kind=kind, needed=needed, made=made):
            return (
                MaskedPlan(needed, made.mask_token_id, 300, only) if kind == "masked" else CausalPlan(needed, 300, only)
            )

        some = np.arange(0, len(needed), 7)
        values = []
        for made_plan in (plan(), plan(some)):
            out = np.full(len(needed), np.nan)
            for shard in made_plan.shards:
                out[shard.tokens] = made_plan.compute(shard, engine, 128)
            values.append(out)
        assert np.isfinite(values[1][some]).all()
        assert np.isnan(np.delete(values[1], some)).all()
        assert np.abs(values[0][some] - values[1][some]).max() < 1e-4


def test_a_causal_model_whose_parts_cannot_be_told_apart_is_still_scored_rightly(tmp_path, monkeypatch):
    """Without the short cuts (output layer at every position, no shared beginnings) the scores are the same."""
    from winoqueer_nl.scoring import body
    from winoqueer_nl.scoring.run import score
    from winoqueer_nl.scoring.settings import Settings

    build.made_up_pairs().to_parquet(tmp_path / "p.parquet")
    tables = []
    for name in ("bert", "llama"):
        folder = build.saved(tmp_path / name, name)
        for cuts in (True, False):
            with monkeypatch.context() as patch:
                if not cuts:
                    patch.setattr(body, "_inner_module", lambda *_: None)
                    patch.setattr(Engine, "_can_share", lambda *_: False)
                out = tmp_path / f"{name}-{cuts}"
                report = score(str(folder), tmp_path / "p.parquet", out, Settings(device="cpu", quiet=True))
                assert report["method"]["output_layer_at_scored_positions_only"] is cuts
            tables.append(pd.read_parquet(out / "scores.parquet").drop(columns="pair_id").to_numpy(dtype=float))
        assert np.abs(tables[-1] - tables[-2]).max() < 1e-4
