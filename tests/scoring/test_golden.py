"""The five golden models: every score within 1e-3 of the published scripts', every decision equal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings

GOLDEN = Path(__file__).parent / "golden"
MODELS = ["bert-wordpiece", "roberta-bytebpe", "xlmr-unigram", "gpt2-bytebpe", "llama-bpe"]


def run(model, precision, out):
    score(
        str(GOLDEN / model),
        GOLDEN / "pairs.csv",
        out,
        Settings(precision=precision, device="cpu", quiet=True),
    )
    ours = pd.read_parquet(out / "scores.parquet")
    return ours, pd.read_csv(GOLDEN / model / "scores.csv")


@pytest.mark.parametrize("model", MODELS)
def test_scores_and_decisions_agree_with_the_published_scripts(model, tmp_path):
    ours, golden = run(model, "float32", tmp_path)
    assert len(ours) == len(golden) == 400
    for side in "xy":
        assert np.abs(ours[f"score_{side}_published"] - golden[f"score_{side}"]).max() < 1e-3
    decided = ours["score_x_published"] > ours["score_y_published"]
    assert (decided == (golden["score_x"] > golden["score_y"])).all()
    # The file has no ids and no spans: row numbers stand in, and the slot columns are empty.
    assert ours["pair_id"].tolist() == [str(n) for n in range(400)]
    assert ours[["score_x_slot", "score_y_slot", "tokens_slot"]].isna().all(axis=None)


@pytest.mark.parametrize("model", ["bert-wordpiece", "gpt2-bytebpe", "llama-bpe"])
def test_auto_precision_decides_as_the_published_scripts(model, tmp_path, monkeypatch):
    monkeypatch.setattr("winoqueer_nl.scoring.precision.SMALLEST", 0)  # let auto use bfloat16 on a tiny model
    monkeypatch.setattr("winoqueer_nl.scoring.engine.Engine.has_fast_bfloat16", lambda self: True)
    ours, golden = run(model, "auto", tmp_path)
    decided = ours["score_x_published"] > ours["score_y_published"]
    assert (decided == (golden["score_x"] > golden["score_y"])).all()
