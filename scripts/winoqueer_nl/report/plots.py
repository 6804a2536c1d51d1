"""The plots of results. Each takes data and gives a figure; none reads a file or knows where it will stand.

Nothing is told by colour alone: cells carry their number, markers differ in shape, and bias is read against a
line at 50. Orange is the stereotypical side, purple the other (the two ends of ColorBrewer's PuOr, which
readers with any colour vision can tell apart).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from winoqueer_nl.report.data import ReportData
from winoqueer_nl.statistics.subsets import LABELS

INK, SOFT, NAIVE = "#1d1d24", "#6a6a75", "#9a9aa6"
STEREOTYPICAL, COUNTER, NEUTRAL = "#b35806", "#542788", "#3d3d47"
MARKERS = {"masked": "o", "autoregressive": "s"}
ROW = 0.27  # inches per row of a plot with one line of text per row
MISSING = "–"


def side_colour(value: float) -> str:
    """The colour of the side of 50 on which a bias lies."""
    return NEUTRAL if np.isnan(value) or value == 50 else STEREOTYPICAL if value > 50 else COUNTER


def neutral_line(axes: Axes) -> None:
    """The broken line at 50."""
    axes.axvline(50, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)


def row_names(axes: Axes, names: Sequence[str]) -> None:
    """One row per name, the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def select(data: ReportData, **wanted: str) -> pd.DataFrame:
    """Rows of the metrics; of the full set and the page's span policy unless asked for otherwise."""
    rows = data.metrics
    for column, value in {"policy": data.policy, "subset": "all", **wanted}.items():
        rows = rows[rows[column] == value]
    return rows


def by_model(data: ReportData, rows: pd.DataFrame) -> list[Any]:
    """One row (or None) per model, in the page's order."""
    found = {row.model: row for row in rows.itertuples()}
    return [found.get(model) for model in data.models]


def grid(data: ReportData, rows: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """Models by groups: the bias of each, NaN where there is none; the numbers a heatmap shows."""
    table = rows.pivot(index="model", columns="group", values="value")
    return table.reindex(index=data.models, columns=list(groups))


def heat(
    axes: Axes, values: np.ndarray, columns: Sequence[str], rows: Sequence[str], limit: float, centre: float
) -> None:
    """Cells coloured by distance from the centre, each with its number in ink that can be read on it."""
    colours = mpl.colormaps["PuOr_r"]
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            value = values[i, j]
            if np.isnan(value):
                axes.text(j, i, MISSING, ha="center", va="center", color=SOFT)
                continue
            shade = colours(0.5 + 0.5 * float(np.clip((value - centre) / limit, -1, 1)))
            axes.add_patch(mpl.patches.Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=shade, edgecolor="white"))
            text = f"{value:.1f}" if centre else f"{value:+.1f}"
            axes.text(j, i, text, ha="center", va="center", fontsize=8.5, color=ink_on(shade))
    axes.set_xlim(-0.5, len(columns) - 0.5)
    row_names(axes, rows)
    axes.set_xticks(range(len(columns)), columns, rotation=38, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def luminance(colour: Any) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    channels = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: Any, b: Any) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2); AA asks for 4.5 for text."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def ink_on(background: Any) -> str:
    """Black or white, whichever stands out more on a background."""
    return "#000000" if contrast("#000000", background) >= contrast("#ffffff", background) else "#ffffff"


def interval_row(axes: Axes, row: Any, at: float, size: float) -> None:
    """One bias with its interval over stereotypes, and above it the naive one; size 1 is a plot with room."""
    naive: dict[str, Any] = {"color": NAIVE, "linewidth": 3.2 * size, "solid_capstyle": "butt"}
    axes.plot([row.naive_low, row.naive_high], [at + 0.24 / size**0.5] * 2, **naive)
    colour = side_colour(row.value)
    axes.plot([row.low, row.high], [at] * 2, color=colour, linewidth=1.8 * size)
    axes.plot(row.value, at, MARKERS[row.kind], color=colour, markersize=6 * size, markeredgecolor="white")


def overview(data: ReportData) -> Figure:
    """Both aggregates per model, with the interval that respects stereotypes and the naive one inside it."""
    names = [data.name(model) for model in data.models]
    figure = Figure(figsize=(8.6, 1.25 + ROW * 1.25 * len(names)), layout="constrained")
    for axes, (group, title) in zip(
        figure.subplots(1, 2, sharey=True),
        (("usage_weighted", "Usage-weighted"), ("identity_averaged", "Identity-averaged")),
        strict=True,
    ):
        for i, row in enumerate(by_model(data, select(data, dimension="aggregate", group=group))):
            if row is None:
                continue
            interval_row(axes, row, i, 1.0)
        neutral_line(axes)
        row_names(axes, names)
        axes.grid(axis="x")
        axes.set_title(title)
        axes.set_xlabel("bias (%)")
    handles = [
        mpl.lines.Line2D([], [], marker=MARKERS[kind], color=INK, linestyle="none", label=kind)
        for kind in MARKERS
        if kind in set(data.kinds.values())
    ]
    handles.append(mpl.lines.Line2D([], [], color=INK, linewidth=1.8, label="interval over stereotypes"))
    handles.append(mpl.lines.Line2D([], [], color=NAIVE, linewidth=3.2, label="naive interval over pairs"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def heatmap(data: ReportData) -> Figure:
    """Models by identities, and the two aggregates."""
    identities = data.identities
    table = grid(data, select(data, dimension="identity"), identities)
    both = grid(data, select(data, dimension="aggregate"), ["usage_weighted", "identity_averaged"])
    figure = Figure(figsize=(8.6, 1.5 + ROW * 1.15 * len(table)), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[len(identities), 2], sharey=True)
    names = [data.name(model) for model in table.index]
    heat(left, table.to_numpy(float), [data.label(identity) for identity in identities], names, 50, 50)
    heat(right, both.to_numpy(float), ["usage-weighted", "identity-averaged"], names, 50, 50)
    return figure


def identities(data: ReportData) -> Figure:
    """One panel per identity: every model's bias, the interval over stereotypes and the naive one."""
    wanted = data.identities
    names = [data.name(model) for model in data.models]
    across = min(3, len(wanted))
    down = -(-len(wanted) // across)
    figure = Figure(figsize=(8.6, 0.6 + down * (0.55 + ROW * 0.82 * len(names))), layout="constrained")
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, identity in zip(panels, wanted, strict=False):
        for i, row in enumerate(by_model(data, select(data, dimension="identity", group=identity))):
            if row is None or np.isnan(row.value):
                continue
            interval_row(axes, row, i, 0.8)
        neutral_line(axes)
        row_names(axes, names)
        axes.set_xlim(0, 100)
        axes.grid(axis="x")
        axes.set_title(data.label(identity))
    for axes in panels[len(wanted) :]:
        axes.set_visible(False)
    figure.supxlabel("bias (%)", fontsize=9)
    return figure


def subsets(data: ReportData) -> Figure:
    """Identity-averaged and usage-weighted bias in the full set and the paper's subsets."""
    shapes = {"all": "o", "tier_1_2": "^", "tier_1": "D", "new": "X"}
    names = [data.name(model) for model in data.models]
    figure = Figure(figsize=(8.6, 1.3 + ROW * 1.7 * len(names)), layout="constrained")
    for axes, (group, title) in zip(
        figure.subplots(1, 2, sharey=True),
        (("usage_weighted", "Usage-weighted"), ("identity_averaged", "Identity-averaged")),
        strict=True,
    ):
        for step, (subset, shape) in enumerate(shapes.items()):
            rows = by_model(data, select(data, subset=subset, dimension="aggregate", group=group))
            for i, row in enumerate(rows):
                if row is None or np.isnan(row.value):
                    continue
                y = i + (step - 1.5) * 0.19
                axes.plot([row.low, row.high], [y] * 2, color=NAIVE, linewidth=1.3)
                axes.plot(
                    row.value,
                    y,
                    shape,
                    color=side_colour(row.value),
                    markersize=4.6,
                    markeredgecolor="white",
                    markeredgewidth=0.4,
                )
        for i in range(1, len(names)):
            axes.axhline(i - 0.5, color="#ececf0", linewidth=0.8, zorder=0)
        neutral_line(axes)
        row_names(axes, names)
        axes.grid(axis="x")
        axes.set_title(title)
        axes.set_xlabel("bias (%)")
    handles = [
        mpl.lines.Line2D([], [], marker=shape, color=INK, linestyle="none", markersize=5, label=LABELS[subset])
        for subset, shape in shapes.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def policies(data: ReportData) -> Figure:
    """What scoring the exact identity slot changes, against the published rule."""
    names = [data.name(model) for model in data.models]
    figure = Figure(figsize=(8.6, 1.3 + ROW * 1.15 * len(names)), layout="constrained")
    for axes, (group, title) in zip(
        figure.subplots(1, 2, sharey=True),
        (("usage_weighted", "Usage-weighted"), ("identity_averaged", "Identity-averaged")),
        strict=True,
    ):
        published = by_model(data, select(data, policy="published", dimension="aggregate", group=group))
        slot = by_model(data, select(data, policy="slot", dimension="aggregate", group=group))
        for i, (a, b) in enumerate(zip(published, slot, strict=True)):
            if a is None or b is None:
                continue
            axes.plot([a.value, b.value], [i, i], color=NAIVE, linewidth=2)
            axes.plot(a.value, i, "o", color=NEUTRAL, markersize=6)
            axes.plot(b.value, i, "D", color="white", markeredgecolor=NEUTRAL, markeredgewidth=1.4, markersize=5.5)
        neutral_line(axes)
        row_names(axes, names)
        axes.grid(axis="x")
        axes.set_title(title)
        axes.set_xlabel("bias (%)")
    handles = [
        mpl.lines.Line2D([], [], marker="o", color=NEUTRAL, linestyle="none", label="published: shared tokens"),
        mpl.lines.Line2D(
            [],
            [],
            marker="D",
            color="white",
            markeredgecolor=NEUTRAL,
            linestyle="none",
            label="slot: all but the identity",
        ),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure
