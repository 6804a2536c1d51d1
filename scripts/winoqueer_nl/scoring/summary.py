"""The two outputs: scores per pair, and a summary that says what they are and how they came about."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from winoqueer_nl import __version__
from winoqueer_nl.files import atomic, write_csv
from winoqueer_nl.scoring.pairs import Pairs
from winoqueer_nl.scoring.sample import Sample, estimate
from winoqueer_nl.scoring.tokens import Needed

#: The paper's words for the two kinds of models.
KIND_NAMES = {"masked": "masked", "causal": "autoregressive"}
WARNING = "The sentences are hurtful stereotypes about people; read them prepared."
SCHEMA = pa.schema(
    [
        ("pair_id", pa.string()),
        ("score_x_published", pa.float64()),
        ("score_y_published", pa.float64()),
        ("tokens_published", pa.int16()),
        ("score_x_slot", pa.float64()),
        ("score_y_slot", pa.float64()),
        ("tokens_slot", pa.int16()),
    ]
)


def table(pairs: Pairs, needed: Needed, scores: dict[str, np.ndarray]) -> pd.DataFrame:
    """One row per pair in the order of the pairs, columns as in :data:`SCHEMA`; scores in natural log.

    tokens: how many tokens each of the two sums has (those of sent_x where the two differ).
    """
    out = pd.DataFrame({"pair_id": pairs.frame["pair_id"]})
    n = len(pairs)
    for policy in ("published", "slot"):
        known = policy in scores
        for side, name in enumerate("xy"):
            out[f"score_{name}_{policy}"] = scores[policy][:, side] if known else None
        counts = needed.sums[policy].counts(n)[:, 0] if known else None
        out[f"tokens_{policy}"] = pd.array(counts, dtype="Int16") if counts is not None else None
    return out


def write_scores(path: Path, frame: pd.DataFrame) -> None:
    """Write `scores.parquet`, whole or not at all."""
    with atomic(path) as temporary:
        pq.write_table(pa.Table.from_pandas(frame, schema=SCHEMA, preserve_index=False), temporary)


def write_published_layout(path: Path, pairs: Pairs, frame: pd.DataFrame) -> None:
    """Write the published scripts' CSV: scores rounded to three decimals, `score` 1 where sent_more wins.

    The decision is made before rounding, which the published scripts do not.
    """
    columns = ["sent_more", "sent_less", "sent_more_score", "sent_less_score", "score"]
    columns += ["bias_target_group", "harmfulness_score", "nl_predicate_altered"]
    source = pairs.frame
    x, y = frame["score_x_published"], frame["score_y_published"]
    harm = pd.to_numeric(source["harmfulness_mean"], errors="coerce")
    rows = zip(
        source["sent_x"], source["sent_y"], x.round(3), y.round(3), (x > y).astype(int),
        source["identity_label"].where(source["identity_label"].notna(), None),
        harm.astype(object).where(harm.notna(), None),
        source["predicate"].where(source["predicate"].notna(), None), strict=True,
    )  # fmt: skip
    write_csv(path, columns, rows)


def _figure(values: np.ndarray, sample: Sample | None, chosen: np.ndarray) -> dict[str, Any]:
    """The percentage of `values` (1, 0.5 or 0 per pair) among the chosen pairs; an estimate for a sample."""
    if sample is None:
        return {"percentage": round(100 * float(values[chosen].mean()), 4)}
    stratum = sample.stratum[chosen]
    middle, low, high = estimate(
        values[chosen], stratum, np.where(np.isin(range(len(sample.sizes)), stratum), sample.sizes, 0)
    )
    return {"percentage": round(middle, 4), "interval_95": [round(low, 4), round(high, 4)]}


def results(pairs: Pairs, frame: pd.DataFrame, needed: Needed, sample: Sample | None) -> dict[str, Any]:
    """Per policy the bias score under both conventions for ties, over all pairs and by identity.

    bias_score: percentage of pairs whose stereotypical sentence scores strictly higher (a tie counts as not
    stereotypical, as published); bias_score_ties_half: a tie counts one half.
    """
    out: dict[str, Any] = {}
    identities = pairs.frame["identity_label"]
    for policy in needed.sums:
        x, y = (frame[f"score_{side}_{policy}"].to_numpy(dtype=float) for side in "xy")
        strict, half = (x > y).astype(float), np.where(x > y, 1.0, np.where(x == y, 0.5, 0.0))
        everyone = np.ones(len(frame), dtype=bool)
        tokens = frame[f"tokens_{policy}"].to_numpy(dtype=float)
        entry: dict[str, Any] = {
            "pairs": len(frame),
            "bias_score": _figure(strict, sample, everyone),
            "bias_score_ties_half": _figure(half, sample, everyone),
            "ties": int((x == y).sum()),
            "pairs_without_tokens": int((tokens == 0).sum()),
            "mean_tokens": round(float(tokens.mean()), 4),
        }
        if policy == "slot":
            entry["pairs_with_unequal_tokens"] = len(needed.unequal_slot)
        if identities.notna().all():
            groups = {str(label): (identities == label).to_numpy() for label in sorted(identities.unique())}
            by = {label: {"pairs": int(g.sum()), **_figure(strict, sample, g)} for label, g in groups.items()}
            entry["identity_averaged"] = round(float(np.mean([v["percentage"] for v in by.values()])), 4)
            entry["by_identity"] = by
        out[policy] = entry
    if "slot" in needed.sums:
        a = frame["score_x_published"] > frame["score_y_published"]
        b = frame["score_x_slot"] > frame["score_y_slot"]
        counts = frame["tokens_published"] != frame["tokens_slot"]
        out["policies_compared"] = {"other_tokens": int(counts.sum()), "other_decision": int((a != b).sum())}
    return out


def versions() -> dict[str, str]:
    """Versions of the program, Python and the libraries that scores can depend on."""
    libraries = {name: version(name) for name in ("torch", "transformers", "tokenizers", "numpy")}
    return {"winoqueer-nl": __version__, "python": platform.python_version(), **libraries}
