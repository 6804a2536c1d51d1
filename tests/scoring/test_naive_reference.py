"""The scorer against the rule in its plainest form (:mod:`scoring_naive`), over the architectures people use.

Both policies, float32, batched and shared here, one pass a token there: scores within 1e-4, decisions equal.
"""

from __future__ import annotations

import pandas as pd
import pytest
import scoring_build as build
import scoring_naive as naive

from winoqueer_nl.scoring import hub, loading
from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings


@pytest.mark.parametrize("name", build.ARCHITECTURES)
def test_every_architecture_agrees_with_the_naive_reference(name, tmp_path, pairs_file):
    folder = build.saved(tmp_path / name, name)
    report = score(str(folder), pairs_file, tmp_path / "out", Settings(precision="float32", device="cpu", quiet=True))
    masked = name in build.MASKED
    assert report["kind"] == ("masked" if masked else "autoregressive")
    assert report["method"]["output_layer_at_scored_positions_only"], "the output layer ran at every position"
    assert report["method"]["shared_beginnings_computed_once"] == (not masked)
    ours = pd.read_parquet(tmp_path / "out" / "scores.parquet")
    loaded = loading.load(hub.find(str(folder)), name, device="cpu")
    largest = 0.0
    rows = build.made_up_pairs()
    for row in range(0, len(rows), 3):  # every third pair: the naive reference is what takes the time
        pair, mine = rows.iloc[row], ours.iloc[row]
        x, y, n = naive.published(loaded.model, loaded.tokenizer, pair.sent_x, pair.sent_y, masked)
        assert n == mine.tokens_published
        differences = [x - mine.score_x_published, y - mine.score_y_published]
        assert (x > y) == (mine.score_x_published > mine.score_y_published)
        sides = []
        for side in "xy":
            sentence = pair[f"sent_{side}"]
            span = pair[f"span_start_{side}"], pair[f"span_end_{side}"]
            value, m = naive.slot(loaded.model, loaded.tokenizer, sentence, *span, masked)
            assert m == mine.tokens_slot
            differences.append(value - mine[f"score_{side}_slot"])
            sides.append(value)
        assert (sides[0] > sides[1]) == (mine.score_x_slot > mine.score_y_slot)
        largest = max(largest, *map(abs, differences))
    assert largest < 1e-4
