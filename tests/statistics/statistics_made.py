"""Small made-up pairs and score runs; the words mean nothing, the truth is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from winoqueer_nl.files import sha256
from winoqueer_nl.statistics.runs import Run, Summary, read_runs

IDENTITIES = {"red": "Red", "green": "Green", "blue": "Blue"}
COUNTERS = ("grey", "pale")
SUBJECTS = (("group", None), ("kim", "neutral"), ("mo", "male"), ("ada", "female"))


def pairs(stereotypes: int = 12, language: str = "nl", skip: tuple[str, ...] = ()) -> pd.DataFrame:
    """Pairs in the released form: red has every stereotype, green two of three, blue half of them."""
    rows = []
    for number in range(1, stereotypes + 1):
        name = f"wq{number:03}"
        new = number > stereotypes - 3
        tier = None if new else 1 + number % 3
        for place, (identity, label) in enumerate(IDENTITIES.items()):
            if name in skip or (place == 1 and number % 3 == 0) or (place == 2 and number % 2):
                continue
            for subject, gender in SUBJECTS:
                for template in ("1", "2") if subject == "group" else ("11",):
                    for counter in COUNTERS:
                        rows.append(
                            {
                                "pair_id": f"{language}.{name}.{template}.{subject}.{identity}.{counter}",
                                "stereotype_id": name,
                                "template": int(template),
                                "template_id": template,
                                "subject": subject,
                                "name_gender": gender,
                                "identity": identity,
                                "counter_identity": counter,
                                "identity_label": label,
                                "counter_identity_label": counter.title(),
                                "sent_x": f"{label} {subject} blorb {number} v{template}.",
                                "sent_y": f"{counter.title()} {subject} blorb {number} v{template}.",
                                "span_start_x": 0,
                                "span_end_x": len(label),
                                "span_start_y": 0,
                                "span_end_y": len(counter),
                                "predicate": f"blorb {number}",
                                "tier": tier,
                                "harmfulness_mean": None if number == 1 else (number * 7 % 11) / 2,
                                "origin": "survey-made" if new else "winoqueer",
                            }
                        )
    frame = pd.DataFrame(rows)
    frame["tier"] = frame["tier"].astype("Int8")
    frame["harmfulness_mean"] = frame["harmfulness_mean"].astype("float64")
    return frame


def scores(frame: pd.DataFrame, seed: int, shift: float = 0.4, ties: int = 0) -> pd.DataFrame:
    """Scores with an effect of every stereotype; the first ``ties`` pairs are exactly equal."""
    rng = np.random.default_rng(seed)
    effects = dict(zip(sorted(set(frame["stereotype_id"])), rng.normal(0, 1, 300), strict=False))
    x = -40 + rng.normal(0, 4, len(frame))
    advantage = shift + frame["stereotype_id"].map(effects).to_numpy(float) + rng.logistic(size=len(frame))
    y = x - advantage
    y[:ties] = x[:ties]
    slot = x - advantage * 0.5 - rng.normal(0, 0.5, len(frame))
    return pd.DataFrame(
        {
            "pair_id": frame["pair_id"],
            "score_x_published": x,
            "score_y_published": y,
            "tokens_published": np.int32(7),
            "score_x_slot": x,
            "score_y_slot": slot,
            "tokens_slot": np.int32(6),
        }
    )


def write_set(root: Path, language: str = "nl", frame: pd.DataFrame | None = None, edition: str = "1.0.0") -> Path:
    """A built set under ``root/<language>/<edition>``; returns the pairs file."""
    path = root / language / edition / "pairs.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    (pairs(language=language) if frame is None else frame).to_parquet(path, index=False)
    return path


def write_run(root: Path, key: str, seed: int, language: str = "nl", kind: str = "masked", **more: Any) -> Path:
    """A finished run of a set that stands under ``root``; returns its folder."""
    edition = more.setdefault("edition", "1.0.0")
    path = root / language / edition / "pairs.parquet"
    frame = pd.read_parquet(path)
    folder = root / "scores" / language / edition / key
    folder.mkdir(parents=True, exist_ok=True)
    scores(frame, seed, **{name: more.pop(name) for name in ("shift", "ties") if name in more}).to_parquet(
        folder / "scores.parquet", index=False
    )
    summary = {
        "model": f"made/{key}",
        "revision": "0" * 40,
        "kind": kind,
        "precision": "float32",
        "language": language,
        "pairs_sha256": sha256(path),
        "n_pairs": len(frame),
        **more,
    }
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return folder


def run(frame: pd.DataFrame, seed: int = 1, key: str = "m", language: str = "nl", **more: Any) -> Run:
    """A run in memory."""
    summary = Summary(
        model=f"made/{key}",
        revision=more.pop("revision", None),
        kind=more.pop("kind", "masked"),
        precision="float32",
        language=language,
        edition=more.pop("edition", "1.0.0"),
        pairs_sha256="0" * 64,
        n_pairs=len(frame),
        demo=more.pop("demo", False),
    )
    return Run(key, summary, frame.merge(scores(frame, seed, **more), on="pair_id", validate="one_to_one"))


def several(root: Path) -> list[Run]:
    """Two models in two languages, and one more in the first."""
    write_set(root, "nl")
    write_set(root, "en", pairs(language="en", skip=("wq002",)))
    folders = [
        write_run(root, "alpha", 1, ties=3),
        write_run(root, "beta", 2, kind="autoregressive", shift=-0.3),
        write_run(root, "gamma", 3),
        write_run(root, "alpha", 4, "en"),
        write_run(root, "beta", 5, "en", kind="autoregressive"),
    ]
    return read_runs(folders, root)
