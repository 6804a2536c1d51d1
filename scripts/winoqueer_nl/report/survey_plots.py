"""The plots of the survey: relevance with its uncertainty, stability of tiers, harmfulness, respondents."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from winoqueer_nl.report.plots import COUNTER, INK, NAIVE, SOFT, STEREOTYPICAL, heat

TIERS = (1, 2, 3, -1)
TIER_NAMES = {1: "Tier 1", 2: "Tier 2", 3: "Tier 3", -1: "not relevant"}
TIER_SHAPES = {1: "o", 2: "^", 3: "D", -1: "X"}
TIER_COLOURS = {1: "#7f3b08", 2: "#b35806", 3: "#8073ac", -1: "#2d004b"}
PROBABILITIES = {
    1: "tier_1_probability",
    2: "tier_2_probability",
    3: "tier_3_probability",
    -1: "not_relevant_probability",
}


def voted(survey: pd.DataFrame) -> pd.DataFrame:
    """The stereotypes with a share of yes, the most recognised first; equal shares by id."""
    rows = survey[survey["yes_percentage"].notna()]
    return rows.sort_values(["yes_percentage", "stereotype_id"], ascending=[False, True]).reset_index(drop=True)


def stability(survey: pd.DataFrame) -> pd.DataFrame:
    """Tiers by tiers: how often, in percent, resamples of respondents put a stereotype of a row's tier in
    each column's; the mean over the row's stereotypes, NaN for a tier without any."""
    rows = voted(survey)
    table = rows.groupby("tier")[list(PROBABILITIES.values())].mean() * 100
    table = table.rename(columns={column: tier for tier, column in PROBABILITIES.items()})
    return table.reindex(index=list(TIERS), columns=list(TIERS))


def tiers(survey: pd.DataFrame) -> Figure:
    """Every stereotype's share of yes with its Wilson interval, sorted; the marker tells the tier."""
    rows = voted(survey)
    figure = Figure(figsize=(8.6, 3.6), layout="constrained")
    axes = figure.subplots()
    x = np.arange(1, len(rows) + 1)
    axes.vlines(x, rows["yes_percentage_low"], rows["yes_percentage_high"], color=NAIVE, linewidth=1.1)
    for tier in TIERS:
        own = (rows["tier"] == tier).to_numpy()
        if own.any():
            label = f"{TIER_NAMES[tier]} ({own.sum()})"
            axes.plot(
                x[own],
                rows["yes_percentage"][own],
                TIER_SHAPES[tier],
                color=TIER_COLOURS[tier],
                markersize=4.2,
                label=label,
            )
    axes.set_xlim(0, len(rows) + 1)
    axes.set_ylim(-3, 103)
    axes.grid(axis="y")
    axes.set_xlabel("stereotypes, the most recognised first")
    axes.set_ylabel("recognised: yes of yes and no (%)")
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def tier_stability(survey: pd.DataFrame) -> Figure:
    """How firmly the tiers stand if other people had answered."""
    table = stability(survey)
    names = [TIER_NAMES[tier] for tier in TIERS]
    counts = voted(survey)["tier"].value_counts()
    figure = Figure(figsize=(5.4, 2.6), layout="constrained")
    axes = figure.subplots()
    rows = [f"{TIER_NAMES[tier]} ({int(counts.get(tier, 0))})" for tier in TIERS]
    heat(axes, table.to_numpy(float), names, rows, 100, 1e-9)
    axes.set_xticks(range(len(names)), names, rotation=0, ha="center")
    axes.set_xlabel("tier in resamples of the respondents (%)")
    axes.set_ylabel("tier as released")
    return figure


def harm(survey: pd.DataFrame) -> Figure:
    """Mean harmfulness with one standard deviation to each side, sorted."""
    rows = survey[survey["harmfulness_mean"].notna()]
    rows = rows.sort_values(["harmfulness_mean", "stereotype_id"], ascending=[False, True]).reset_index(drop=True)
    figure = Figure(figsize=(8.6, 3.2), layout="constrained")
    axes = figure.subplots()
    x = np.arange(1, len(rows) + 1)
    spread = rows["harmfulness_sd"].fillna(0)
    axes.vlines(x, rows["harmfulness_mean"] - spread, rows["harmfulness_mean"] + spread, color=NAIVE, linewidth=1.1)
    axes.plot(x, rows["harmfulness_mean"], "o", color=COUNTER, markersize=3.6)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xlim(0, len(rows) + 1)
    axes.grid(axis="y")
    axes.set_xlabel("stereotypes, the most harmful first")
    axes.set_ylabel("harmfulness (mean ± sd)")
    return figure


def respondents(people: pd.DataFrame, threshold: int) -> Figure:
    """How many respondents gave each answer; suppressed counts are hatched boxes of one same size."""
    questions = list(dict.fromkeys(people["question"]))
    sizes = [int((people["question"] == question).sum()) for question in questions]
    figure = Figure(figsize=(8.6, 0.6 + sum(0.42 + 0.25 * size for size in sizes)), layout="constrained")
    panels = figure.subplots(len(questions), 1, height_ratios=[size + 1 for size in sizes], sharex=True, squeeze=False)
    most = max(float(people["n_respondents"].max(skipna=True)), threshold) if len(people) else threshold
    for axes, question in zip(panels.ravel(), questions, strict=True):
        own = people[people["question"] == question].reset_index(drop=True)
        for i, row in enumerate(own.itertuples()):
            if row.suppressed:
                axes.barh(i, most * 0.16, color="white", edgecolor=SOFT, hatch="////", height=0.66)
                axes.text(most * 0.17, i, "hidden", va="center", fontsize=8.5, color="#55555f")
            else:
                axes.barh(i, row.n_respondents, color=STEREOTYPICAL, height=0.66)
                axes.text(row.n_respondents + most * 0.01, i, f"{int(row.n_respondents)}", va="center", fontsize=8.5)
        axes.set_yticks(range(len(own)), [str(answer).replace("_", " ") for answer in own["answer"]])
        axes.set_ylim(len(own) - 0.4, -0.6)
        axes.set_xlim(0, most * 1.08)
        axes.tick_params(axis="y", length=0)
        axes.set_title(str(question).replace("_", " ").capitalize())
    axes.set_xlabel("respondents")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure
