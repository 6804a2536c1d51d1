"""A stratified sample stands for the whole: sizes, weights and intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scoring_build as build
from hypothesis import given, settings
from hypothesis import strategies as st

from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.sample import choose, estimate, random_order
from winoqueer_nl.scoring.settings import Settings


def frame(sizes: dict[str, int]) -> pd.DataFrame:
    rows = [(f"{label}{n}", label, "c", "1") for label, size in sizes.items() for n in range(size)]
    return pd.DataFrame(rows, columns=["pair_id", "identity_label", "counter_identity_label", "template_id"])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(2, 200), st.integers(0, 3))
def test_the_sample_has_its_size_and_is_proportional(sizes, n, seed):
    table = frame({chr(97 + k): size for k, size in enumerate(sizes)})
    sample = choose(table, n, seed)
    assert len(sample.rows) == min(n, len(table)) == len(set(sample.rows.tolist()))
    assert sample.sizes.sum() == len(table)
    taken = np.bincount(sample.stratum, minlength=len(sample.sizes))
    assert (taken <= sample.sizes).all()
    if sample.by and len(table) > n:
        assert (taken >= np.minimum(2, sample.sizes)).all()


def test_the_sample_depends_on_ids_and_seed_not_on_row_order():
    table = frame({"a": 50, "b": 30})
    mixed = table.sample(frac=1, random_state=1).reset_index(drop=True)
    ids = [set(t["pair_id"].iloc[choose(t, 20, 4).rows]) for t in (table, mixed)]
    assert ids[0] == ids[1]
    assert ids[0] != set(table["pair_id"].iloc[choose(table, 20, 5).rows])
    assert sorted(random_order(table["pair_id"], 0).tolist()) == list(range(80))


def test_the_estimate_weighs_strata_by_their_size():
    # 90 pairs of which all, 10 of which none: two looked at in each.
    middle, low, high = estimate(np.array([1.0, 1, 0, 0]), np.array([0, 0, 1, 1]), np.array([90, 10]))
    assert abs(middle - 90) < 1e-9
    assert low < 90 < high
    # Everything looked at: nothing left to guess.
    assert estimate(np.array([1.0, 0]), np.array([0, 0]), np.array([2])) == (50.0, 50.0, 50.0)


def test_the_interval_covers_the_truth_as_often_as_it_says():
    generator = np.random.default_rng(7)
    chances = {"a": 0.9, "b": 0.4, "c": 0.55}
    table = frame({"a": 900, "b": 500, "c": 300})
    decided = np.array([generator.random() < chances[label] for label in table["identity_label"]], dtype=float)
    truth = 100 * decided.mean()
    inside = 0
    widths = []
    for seed in range(200):
        sample = choose(table, 150, seed)
        _, low, high = estimate(decided[sample.rows], sample.stratum, sample.sizes)
        inside += low <= truth <= high
        widths.append(high - low)
    assert inside >= 182  # 95 % of 200 is 190; 182 is more than two standard errors below
    # Stratified and from a finite set, so narrower than a plain sample's 2 x 1.96 standard errors.
    assert np.mean(widths) < 2 * 196 * np.sqrt(0.67 * 0.33 / 150)


def test_a_sampled_run_scores_the_chosen_pairs_as_a_full_run_does(tmp_path, pairs_file):
    folder = build.saved(tmp_path / "m", "gpt2")
    full = score(str(folder), pairs_file, tmp_path / "full", Settings(device="cpu", quiet=True))
    part = score(str(folder), pairs_file, tmp_path / "part", Settings(device="cpu", quiet=True, sample=40))
    a, b = (pd.read_parquet(tmp_path / n / "scores.parquet").set_index("pair_id") for n in ("full", "part"))
    assert len(b) == 40
    assert (a.loc[b.index] - b).abs().max().max() < 1e-4
    assert part["sample"]["of"] == full["n_pairs"] == len(a)
    for policy in ("published", "slot"):
        low, high = part["results"][policy]["bias_score"]["interval_95"]
        assert low <= full["results"][policy]["bias_score"]["percentage"] <= high
        assert "interval_95" not in full["results"][policy]["bias_score"]
