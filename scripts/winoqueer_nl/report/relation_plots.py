"""The plots that set results against something: templates, other models, harmfulness, another language or edition."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from winoqueer_nl.report.data import ReportData
from winoqueer_nl.report.plots import (
    COUNTER,
    INK,
    ROW,
    STEREOTYPICAL,
    grid,
    heat,
    ink_on,
    row_names,
    select,
    side_colour,
)

LANGUAGE_SHAPES = ("o", "s", "D", "^", "v")


def templates(data: ReportData) -> Figure:
    """Models by sentence templates."""
    rows = select(data, dimension="template")
    table = grid(data, rows, list(dict.fromkeys(rows["group"])))
    figure = Figure(figsize=(8.6, 1.1 + ROW * 1.15 * len(table)), layout="constrained")
    axes = figure.subplots()
    heat(axes, table.to_numpy(float), list(table.columns), [data.name(model) for model in table.index], 50, 50)
    axes.set_xticks(range(len(table.columns)), list(table.columns), rotation=0, ha="center")
    return figure


def differences(data: ReportData) -> Figure:
    """Every model against every other: row minus column, marked where it survives Holm's correction."""
    rows = data.comparison
    rows = rows[(rows["policy"] == data.policy) & (rows["measure"] == "identity_averaged")]
    models = data.models
    place = {model: i for i, model in enumerate(models)}
    values = np.full((len(models), len(models)), np.nan)
    sure = np.zeros(values.shape, bool)
    for row in rows.itertuples():
        i, j = place[row.model_a], place[row.model_b]
        values[i, j], values[j, i] = row.difference, -row.difference
        sure[i, j] = sure[j, i] = row.p_holm < 0.05
    limit = float(np.nanmax(np.abs(values))) if not np.isnan(values).all() else 1.0
    figure = Figure(figsize=(8.6, 2.0 + ROW * 1.15 * len(models)), layout="constrained")
    axes = figure.subplots()
    names = [data.name(model) for model in models]
    heat(axes, values, names, names, max(limit, 1e-9) * 1.15, 0)
    for i, j in zip(*np.nonzero(sure), strict=True):
        axes.text(j + 0.46, i - 0.22, "*", ha="right", va="center", fontsize=9, color=_ink_of(values[i, j], limit))
    return figure


def _ink_of(value: float, limit: float) -> str:
    return ink_on(mpl.colormaps["PuOr_r"](0.5 + 0.5 * float(np.clip(value / (limit * 1.15), -1, 1))))


def harmfulness(data: ReportData) -> Figure:
    """Per model: the bias of each stereotype against how harmful people find it, and the fitted line."""
    models = data.models
    across = min(4, len(models))
    down = -(-len(models) // across)
    figure = Figure(figsize=(8.6, 0.5 + 2.0 * down), layout="constrained")
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    scores = data.scores[data.scores["policy"] == data.policy]
    found = data.harmfulness[data.harmfulness["policy"] == data.policy].set_index("model")
    for axes, model in zip(panels, models, strict=False):
        own = scores[(scores["model"] == model) & scores["harmfulness_mean"].notna()]
        x, y = own["harmfulness_mean"].to_numpy(float), own["bias"].to_numpy(float)
        axes.axhline(50, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.plot(x, y, "o", color=COUNTER, alpha=0.45, markersize=3.2, markeredgewidth=0)
        title = data.name(model)
        if model in found.index and pd.notna(found.loc[model, "pearson_r"]):
            slope, start = np.polyfit(x, y, 1)
            ends = np.array([x.min(), x.max()])
            axes.plot(ends, start + slope * ends, color=STEREOTYPICAL, linewidth=1.6)
            title += f"\nr = {found.loc[model, 'pearson_r']:+.2f}"
        axes.set_title(title, fontsize=8.5)
        axes.set_ylim(-3, 103)
    for axes in panels[len(models) :]:
        axes.set_visible(False)
    figure.supxlabel("mean harmfulness", fontsize=9)
    figure.supylabel("bias of the stereotype (%)", fontsize=9)
    return figure


def languages(data: ReportData) -> Figure:
    """Per model: difference of bias between two languages for every identity, with its paired interval."""
    rows = data.languages
    models = [model for model in data.models if model in set(rows["model"])]
    wanted = [identity for identity in data.identities if identity in set(rows["group"])]
    keys = [*wanted, "usage_weighted", "identity_averaged", "identity_gap"]
    names = [
        *(data.label(identity) for identity in wanted),
        "usage-weighted",
        "identity-averaged",
        "identity gap",
    ]
    across = min(3, len(models))
    down = -(-len(models) // across)
    figure = Figure(figsize=(8.6, 0.6 + down * (0.55 + ROW * 0.85 * len(keys))), layout="constrained")
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, model in zip(panels, models, strict=False):
        own = {row.group: row for row in rows[rows["model"] == model].itertuples()}
        for i, key in enumerate(keys):
            row = own.get(key)
            if row is None or np.isnan(row.difference):
                continue
            colour = side_colour(50 + row.difference)
            axes.plot([row.low, row.high], [i] * 2, color=colour, linewidth=1.5)
            axes.plot(
                row.difference,
                i,
                "D" if key not in wanted else "o",
                color=colour,
                markersize=5,
                markeredgecolor="white",
            )
        axes.axvline(0, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        row_names(axes, names)
        axes.axhline(len(wanted) - 0.5, color="#c9c9d1", linewidth=0.8)
        axes.grid(axis="x")
        axes.set_title(data.name(model))
    for axes in panels[len(models) :]:
        axes.set_visible(False)
    first, second = rows.iloc[0][["language_a", "language_b"]]
    figure.supxlabel(f"{first} minus {second} (percentage points)", fontsize=9)
    return figure


def editions(data: ReportData) -> Figure:
    """Per model and two editions: change of bias for every identity, one marker per language, paired intervals."""
    rows = data.editions
    columns = ["model", "edition_before", "edition_after"]
    found = dict(list(rows.groupby(columns, sort=True)))
    order = {model: i for i, model in enumerate(data.models)}
    panels_of = sorted(found, key=lambda key: (order.get(key[0], len(order)), *key))
    groups = list(dict.fromkeys(rows.loc[rows["dimension"] == "identity", "group"]))
    wanted = [identity for identity in data.identities if identity in groups]
    wanted += [identity for identity in groups if identity not in wanted]
    keys = [*wanted, "usage_weighted", "identity_averaged", "identity_gap"]
    names = [*(data.label(identity) for identity in wanted), "usage-weighted", "identity-averaged", "identity gap"]
    spoken = sorted(set(rows["language"]), key=lambda language: (language != data.language, language))
    shapes = {language: LANGUAGE_SHAPES[i % len(LANGUAGE_SHAPES)] for i, language in enumerate(spoken)}
    step = min(0.36, 0.8 / len(spoken))
    across = min(3, len(panels_of))
    down = -(-len(panels_of) // across)
    height = 0.55 + ROW * (0.5 + 0.45 * len(spoken)) * len(keys)
    figure = Figure(figsize=(8.6, 0.9 + down * height), layout="constrained")
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    several = rows[["edition_before", "edition_after"]].drop_duplicates().shape[0] > 1
    for axes, key in zip(panels, panels_of, strict=False):
        for row in found[key].itertuples():
            if row.group not in keys or np.isnan(row.difference):
                continue
            y = keys.index(row.group) + step * (spoken.index(row.language) - (len(spoken) - 1) / 2)
            colour = side_colour(50 + row.difference)
            axes.plot([row.low, row.high], [y] * 2, color=colour, linewidth=1.5)
            axes.plot(
                row.difference, y, shapes[row.language], color=colour, markersize=5, markeredgecolor="white", zorder=3
            )
        axes.axvline(0, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        row_names(axes, names)
        axes.axhline(len(wanted) - 0.5, color="#c9c9d1", linewidth=0.8)
        axes.grid(axis="x")
        axes.set_title(data.name(key[0]) + (f"\n{key[1]} to {key[2]}" if several else ""))
    for axes in panels[len(panels_of) :]:
        axes.set_visible(False)
    before, after = rows.iloc[0][["edition_before", "edition_after"]]
    figure.supxlabel(
        ("later minus earlier edition" if several else f"{after} minus {before}") + " (percentage points)", fontsize=9
    )
    if len(spoken) > 1:
        marks = [Line2D([], [], marker=shapes[one], color=INK, linestyle="", label=one) for one in spoken]
        figure.legend(handles=marks, loc="outside upper left", ncols=len(marks))
    return figure
