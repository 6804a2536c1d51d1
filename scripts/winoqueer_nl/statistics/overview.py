"""The main results of a few runs, for the terminal: aggregates, identities, differences between models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from tabulate import tabulate

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.statistics import analysis, comparison, subsets
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.runs import Run

TABLE_FORMATS = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}
COLUMNS = ["group", "n_pairs", "n_stereotypes", "n_ties", "value", "low", "high", "naive_low", "naive_high"]
MORE = ["design_effect", "effective_n", "p_value", "p_holm", "method"]


@dataclass(frozen=True)
class Overview:
    """What :func:`overview` found: one row per run, one per run and identity, one per two runs; remarks."""

    policy: str
    subset: str
    confidence: float
    models: pd.DataFrame
    identities: pd.DataFrame
    differences: pd.DataFrame
    notes: tuple[str, ...]


def overview(runs: Sequence[Run], policy: str, subset: str, settings: Settings) -> Overview:
    """The main results under one span policy in one subset.

    Raises
    ------
    InputError: a run has no pair in the subset, or was not scored under the policy.
    """
    cut, notes = [], []
    for run in runs:
        kept = run.pairs[subsets.mask(run.pairs, subset)].reset_index(drop=True)
        if policy not in run.policies:
            raise InputError(
                [Problem(run.key, "no such scores", "scores of this policy", "Choose another --policy.", field=policy)]
            )
        if kept.empty:
            raise InputError(
                [Problem(run.key, "no pair of this subset", "pairs", "Choose another --subset.", field=subset)]
            )
        if len(run.pairs) < run.summary.n_pairs:
            notes.append(f"{run.key}: {len(run.pairs):,} of {run.summary.n_pairs:,} pairs; the run is not finished.")
        elif run.whole > len(run.pairs):
            notes.append(
                f"{run.key}: a sample of {len(run.pairs):,} of {run.whole:,} pairs. The shares here are unweighted "
                "over the sampled pairs; score prints the stratified estimate, so the two can differ a little."
            )
        if run.summary.demo:
            notes.append(f"{run.key} is a demo model: its numbers mean nothing.")
        cut.append(Run(run.key, run.summary, kept, run.whole))
    if len({run.summary.kind for run in cut}) > 1:
        notes.append("scores of masked and autoregressive models are not directly comparable.")
    rows = pd.concat([_of_run(run, policy, settings) for run in cut], ignore_index=True)
    differences = comparison.comparison_table(cut, settings)
    differences = differences[differences["policy"] == policy].reset_index(drop=True)
    aggregate = rows["dimension"] == "aggregate"
    keys = list(analysis.RUN_COLUMNS)
    return Overview(
        policy,
        subset,
        settings.confidence,
        rows.loc[aggregate, [*keys, *COLUMNS, *MORE]].reset_index(drop=True),
        rows.loc[rows["dimension"] == "identity", [*keys, *COLUMNS, *MORE]].reset_index(drop=True),
        differences,
        tuple(notes),
    )


def _of_run(run: Run, policy: str, settings: Settings) -> pd.DataFrame:
    table = pd.DataFrame(analysis.main_figures(run.pairs, policy, settings)).assign(**analysis.about(run))
    tests = table["dimension"] == "identity"
    table["p_holm"] = float("nan")
    table.loc[tests, "p_holm"] = analysis.holm(table.loc[tests, "p_value"])
    return table


def render(made: Overview, form: str) -> str:
    """The overview as text: ``table``, ``markdown``, ``latex`` or ``json``; ends with a line feed."""
    if form == "json":
        return json.dumps(_as_json(made), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    style = TABLE_FORMATS[form]
    blocks = [(f"{subsets.LABELS[made.subset]}, span policy {made.policy}", _main(made))]
    blocks.append(("Bias per identity (percent; * = differs from 50 at 5 % after Holm)", _by_identity(made)))
    if len(made.differences):
        blocks.append(("Differences between models (percentage points, same pairs)", _differences(made)))
    missing = "--" if form == "latex" else "–"
    texts = []
    for title, table in blocks:
        cells = [[missing if cell == "" else cell for cell in row] for row in table.to_numpy(str).tolist()]
        headers = list(table.columns)
        if form == "markdown":
            cells = [[cell.replace("|", "\\|").replace("*", "\\*") for cell in row] for row in cells]
        body = tabulate(cells, headers=headers, tablefmt=style, disable_numparse=True)
        marks = {
            "table": title,
            "markdown": f"**{title.replace('*', chr(92) + '*')}**\n",
            "latex": f"% {title}",
        }
        texts.append(f"{marks[form]}\n{body}\n")
    return "\n".join(texts)


def _interval(row: Any, places: int = 1) -> str:
    if pd.isna(row.value):
        return ""
    text = f"{row.value:.{places}f}"
    return text if pd.isna(row.low) else f"{text} [{row.low:.{places}f}, {row.high:.{places}f}]"


def _name(row: Any) -> str:
    return f"{row.model} (demo, meaningless)" if row.demo else row.model


def _main(made: Overview) -> pd.DataFrame:
    found = []
    several = made.models["language"].nunique() > 1
    for _, group in made.models.groupby(["language", "edition", "model"], sort=False):
        by = {row.group: row for row in group.itertuples()}
        weighted = by["usage_weighted"]
        row = {"model": _name(weighted), "kind": weighted.kind}
        if several:
            row["set"] = f"{weighted.language} {weighted.edition}"
        row |= {
            "usage-weighted": _interval(weighted),
            "naive": f"[{weighted.naive_low:.1f}, {weighted.naive_high:.1f}]",
            "identity-averaged": _interval(by["identity_averaged"]),
            "gap": _interval(by["identity_gap"]),
            "ties": str(int(weighted.n_ties)),
            "pairs": f"{int(weighted.n_pairs):,}",
            "effective n": "" if pd.isna(weighted.effective_n) else f"{weighted.effective_n:,.0f}",
        }
        found.append(row)
    return pd.DataFrame(found, dtype=str)


def _by_identity(made: Overview) -> pd.DataFrame:
    found = []
    order = list(dict.fromkeys(made.identities["group"]))
    for (_, _, _), group in made.identities.groupby(["language", "edition", "model"], sort=False):
        by = {row.group: row for row in group.itertuples()}
        first = next(iter(by.values()))
        cells = {"model": _name(first)}
        if made.models["language"].nunique() > 1:
            cells["set"] = f"{first.language} {first.edition}"
        for identity in order:
            row = by.get(identity)
            text = "" if row is None or pd.isna(row.value) else f"{row.value:.1f}"
            cells[identity] = text + ("*" if row is not None and row.p_holm < 0.05 else "")
        found.append(cells)
    return pd.DataFrame(found, dtype=str)


def _differences(made: Overview) -> pd.DataFrame:
    found = []
    for row in made.differences.itertuples():
        cells = {"a": row.model_a, "b": row.model_b, "measure": row.measure.replace("_", "-")}
        interval = "" if pd.isna(row.low) else f" [{row.low:+.1f}, {row.high:+.1f}]"
        cells |= {
            "a - b": f"{row.difference:+.1f}{interval}",
            "p (Holm)": "" if pd.isna(row.p_holm) else f"{row.p_holm:.4f}",
            "kinds": "same" if row.same_kind else "differ",
        }
        found.append(cells)
    return pd.DataFrame(found, dtype=str)


def _as_json(made: Overview) -> dict[str, Any]:
    return {
        "subset": made.subset,
        "policy": made.policy,
        "confidence": made.confidence,
        "models": _records(made.models),
        "identities": _records(made.identities),
        "differences": _records(made.differences),
        "notes": list(made.notes),
    }


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain values: null for *not available*, numbers to six decimals."""
    rows = json.loads(frame.to_json(orient="records", double_precision=6))
    return [dict(row) for row in rows]
