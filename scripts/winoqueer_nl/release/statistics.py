"""The figures and plots of the dataset card, counted from the released tables themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from winoqueer_nl.release.layout import PAIRS, PLOTS, SCORES, STEREOTYPES
from winoqueer_nl.summary import subset_sizes

#: Names of the subsets by tier, as the card's tables show them.
BY_TIER = {"all": "all", "tier_1_2": "Tier 1-2", "tier_1": "Tier 1", "new": "new stereotypes"}

_DPI = 110


def bias_scores(scores: pd.DataFrame, pairs: pd.DataFrame) -> list[dict[str, Any]]:
    """Per model and span policy: percent of pairs whose stereotypical sentence scores higher, by identity.

    ``usage_weighted`` counts all pairs alike; ``identity_averaged`` is the mean of the identities' percentages
    (Beuk & Spanakis, WinoQueer-NL). Two equal scores are no preference for the stereotype.
    """
    joined = scores.merge(pairs[["pair_id", "identity"]], on="pair_id", validate="many_to_one")
    found = []
    for model, mine in joined.groupby("model", sort=True):
        for policy in ("published", "slot"):
            x, y = mine[f"score_x_{policy}"], mine[f"score_y_{policy}"]
            if x.isna().any() or y.isna().any():
                continue
            higher = (x > y).astype(float) * 100
            by_identity = higher.groupby(mine["identity"]).mean()
            found.append(
                {
                    "model": model,
                    "policy": policy,
                    "usage_weighted": float(higher.mean()),
                    "identity_averaged": float(by_identity.mean()),
                    "by_identity": {str(k): float(v) for k, v in by_identity.items()},
                }
            )
    return found


def statistics(tables: dict[str, pa.Table]) -> dict[str, Any]:
    """Everything that the card counts, from the tables of the release."""
    arrow = tables[PAIRS]
    pairs = arrow.to_pandas()
    stereotypes = tables[STEREOTYPES].to_pandas()
    tiered = bool(pairs["tier"].notna().any())
    new = pairs["origin"] != "winoqueer"
    masks = {
        "all": pd.Series(True, index=pairs.index),
        "tier_1_2": pairs["tier"].isin([1, 2]) | new,
        "tier_1": (pairs["tier"] == 1) | new,
        "new": new,
    }
    sizes = subset_sizes(arrow)
    shown = [key for key in BY_TIER if key == "all" or (tiered and sizes[key])]
    labels = dict(zip(pairs["identity"], pairs["identity_label"], strict=True))
    return {
        "n_pairs": len(pairs),
        "n_stereotypes": int(pairs["stereotype_id"].nunique()),
        "n_stereotypes_described": len(stereotypes),
        "n_identities": int(pairs["identity"].nunique()),
        "n_templates": int(pairs["template"].nunique()),
        "n_subjects": int(pairs.loc[pairs["subject"] != "group", "subject"].nunique()),
        "tiered": tiered,
        "subsets": {key: sizes[key] for key in shown},
        "identities": [
            {
                "identity": identity,
                "label": labels[identity],
                **{key: int((masks[key] & (pairs["identity"] == identity)).sum()) for key in shown},
            }
            for identity in pairs["identity"]
            .value_counts()
            .sort_index()
            .sort_values(ascending=False, kind="stable")
            .index
        ],
        "counter_identities": [
            {"label": label, "n": int(n)}
            for label, n in pairs["counter_identity_label"].value_counts().sort_index().items()
        ],
        "templates": [
            {"template": int(t), "n": int(n)} for t, n in pairs["template"].value_counts().sort_index().items()
        ],
        "tiers": [
            {"tier": int(t), "stereotypes": int(s)}
            for t, s in stereotypes["tier"].dropna().astype(int).value_counts().sort_index().items()
        ],
        "scores": bias_scores(tables[SCORES].to_pandas(), pairs) if SCORES in tables else [],
    }


def draw(figures: dict[str, Any], folder: Path) -> list[dict[str, str]]:
    """Write the card's plots as PNG files (same figures, same bytes); return file and alternative text of each."""
    import matplotlib
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    made = []

    def save(figure: Figure, name: str, text: str) -> None:
        # No date and no program version in the file: the same picture is the same bytes.
        figure.savefig(folder / name, dpi=_DPI, metadata={"Software": None})
        made.append({"file": f"{PLOTS}/{name}", "text": text})

    with matplotlib.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        rows = figures["identities"]
        figure = Figure(figsize=(6.4, 0.6 + 0.34 * len(rows)), layout="constrained")
        axes = figure.subplots()
        axes.barh([row["label"] for row in reversed(rows)], [row["all"] for row in reversed(rows)], color="#5b6c9d")
        axes.set_xlabel("sentence pairs")
        most = rows[0]
        save(
            figure,
            "pairs_by_identity.png",
            f"Bar chart of sentence pairs by identity; most for {most['label']} ({most['all']:,}), "
            f"fewest for {rows[-1]['label']} ({rows[-1]['all']:,}).",
        )
        rows = figures["templates"]
        figure = Figure(figsize=(6.4, 2.6), layout="constrained")
        axes = figure.subplots()
        axes.bar([str(row["template"]) for row in rows], [row["n"] for row in rows], color="#5b6c9d")
        axes.set_xlabel("template")
        axes.set_ylabel("sentence pairs")
        save(figure, "pairs_by_template.png", "Bar chart of sentence pairs by template.")
        scored = [row for row in figures["scores"] if row["policy"] == "slot"] or figures["scores"]
        if scored:
            figure = Figure(figsize=(6.4, 1.2 + 0.3 * len(scored)), layout="constrained")
            axes = figure.subplots()
            for place, row in enumerate(reversed(scored)):
                values = list(row["by_identity"].values())
                axes.plot(values, [place] * len(values), "o", color="#9db0d8", markersize=4)
                axes.plot([row["identity_averaged"]], [place], "|", color="#b0413e", markersize=14, markeredgewidth=2)
            axes.axvline(50, color="grey", linewidth=0.8)
            axes.set_yticks(range(len(scored)), [row["model"] for row in reversed(scored)])
            axes.set_xlim(0, 100)
            axes.set_xlabel("percent of pairs with the stereotypical sentence more probable (dots: identities)")
            save(
                figure,
                "scores.png",
                "Bias score of each model: a dot per identity, a bar at their mean; 50 is neutral.",
            )
    return made
