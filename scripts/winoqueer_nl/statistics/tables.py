"""Tables as files: CSV for programs, Markdown and LaTeX for people, the same bytes on every machine.

``metrics`` and ``stereotypes`` are data of thousands of rows and come as CSV alone. All others come in three
formats: CSV with one number per cell, Markdown and LaTeX as they go into a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from tabulate import tabulate

from winoqueer_nl import markdown
from winoqueer_nl.files import atomic_text, write_text
from winoqueer_nl.statistics import analysis, comparison, editions, harmfulness, languages, subsets
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.names import BY_GROUP, DATA_ONLY, NAMES
from winoqueer_nl.statistics.runs import Run, identities

# Numbers that are no percentages and need more decimals.
FINE = (
    "p_value",
    "p_holm",
    "pearson",
    "spearman",
    "r_squared",
    "within_identity",
    "mean_difference",
    "bootstrap",
)
SET_COLUMNS = ["language", "edition", "policy"]


def make_tables(
    runs: Sequence[Run],
    settings: Settings,
    compared: tuple[str, str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, pd.DataFrame]:
    """All tables, by the names in :data:`NAMES`; with no runs they have their columns and no rows.

    compared: the two languages of the language comparison, first minus second.
    """
    measured, stereotypes, harm = [], [], []
    for run in runs:
        progress(f"{run.key} ({run.summary.language} {run.summary.edition})")
        measured.append(analysis.metrics_table(run, settings))
        stereotypes.append(analysis.stereotypes_table(run))
        harm.append(harmfulness.harmfulness_table(run, settings))
    if len(runs) > 1:
        progress("models against each other")
    metrics = _stacked(measured, analysis.METRIC_COLUMNS)
    order = identities(runs[-1].pairs) if runs else []
    if compared:  # the main language decides, not the alphabet
        order = next((identities(run.pairs) for run in runs if run.summary.language == compared[0]), order)
    tables = {
        "metrics": metrics,
        "stereotypes": _stacked(stereotypes, analysis.STEREOTYPE_COLUMNS),
        "models": models(metrics),
        "identity_tests": identity_tests(metrics),
        "comparison": comparison.comparison_table(runs, settings),
        "harmfulness": _stacked(harm, harmfulness.HARMFULNESS_COLUMNS),
        "languages": languages.language_table(runs, *(compared or ("", "")), settings),
        "editions": editions.edition_table(runs, settings),
    }
    for subset in subsets.SUBSETS:
        if subset.in_paper:
            tables[f"bias_{subset.key}"] = bias_table(metrics, subset.key, order)
    for name, dimension in BY_GROUP.items():
        groups = list(dict.fromkeys(metrics.loc[metrics["dimension"] == dimension, "group"]))
        tables[name] = wide(metrics, "all", dimension, groups)
    return {name: tables[name] for name in NAMES}


def models(metrics: pd.DataFrame) -> pd.DataFrame:
    """One row per run and span policy: aggregates and gap with their intervals, and the design effect."""
    keys = [*analysis.RUN_COLUMNS, "policy"]
    rows = metrics[(metrics["subset"] == "all") & (metrics["dimension"] == "aggregate")]
    found = rows.loc[rows["group"] == "usage_weighted", [*keys, "n_pairs", "n_stereotypes", "n_ties"]]
    for group in ("usage_weighted", "identity_averaged", "identity_gap"):
        columns = ["value", "low", "high"]
        if group == "usage_weighted":
            columns += [
                "naive_low",
                "naive_high",
                "value_half_ties",
                "mean_difference",
                "design_effect",
                "effective_n",
            ]
        own = rows.loc[rows["group"] == group, [*keys, *columns]]
        own = own.rename(columns={column: group if column == "value" else f"{group}_{column}" for column in columns})
        found = found.merge(own, on=keys, how="left")
    return found.reset_index(drop=True)


def wide(metrics: pd.DataFrame, subset: str, dimension: str, groups: Sequence[str]) -> pd.DataFrame:
    """One row per run and span policy, one column of bias per group; NaN where a group has no pairs."""
    keys = [*analysis.RUN_COLUMNS, "policy"]
    rows = metrics[(metrics["subset"] == subset) & (metrics["dimension"] == dimension)]
    found = rows[keys].drop_duplicates().reset_index(drop=True)
    for group in groups:
        own = rows.loc[rows["group"] == group, [*keys, "value"]].rename(columns={"value": group})
        found = found.merge(own, on=keys, how="left")
    return found


def bias_table(metrics: pd.DataFrame, subset: str, order: Sequence[str]) -> pd.DataFrame:
    """The paper's table of a subset: models by identities and both aggregates, then the means over models.

    Means (``model`` = ``mean``, ``kind`` = ``masked``, ``autoregressive`` or ``all``) are over the runs of
    one language, edition and policy, where there are at least two; demo models are left out of them.
    """
    keys = [*analysis.RUN_COLUMNS, "policy"]
    table = wide(metrics, subset, "identity", order)
    aggregates = ["usage_weighted", "identity_averaged"]
    table = table.merge(wide(metrics, subset, "aggregate", aggregates), on=keys, how="left")
    real = table[~table["demo"].astype(bool)]
    means = []
    for place, group in real.groupby(SET_COLUMNS, sort=True):
        kinds = [(kind, part) for kind, part in group.groupby("kind", sort=False) if len(part) > 1]
        if len(group) > 1:
            kinds.append(("all", group))
        for kind, part in kinds:
            mean = part[[*order, *aggregates]].mean(skipna=True)
            means.append(
                {
                    **dict(zip(SET_COLUMNS, place, strict=True)),
                    "model": "mean",
                    "kind": kind,
                    "demo": False,
                    **mean,
                }
            )
    if means:
        table = pd.concat([table, pd.DataFrame(means)], ignore_index=True)
    table["_mean"] = table["model"] == "mean"
    table = table.sort_values([*SET_COLUMNS, "_mean"], kind="stable").drop(columns="_mean")
    return table.reset_index(drop=True)


def identity_tests(metrics: pd.DataFrame) -> pd.DataFrame:
    """Each identity against 50, per run and span policy, in the full set and the paper's subsets."""
    paper = [subset.key for subset in subsets.SUBSETS if subset.in_paper]
    rows = metrics[(metrics["dimension"] == "identity") & metrics["subset"].isin(paper)]
    columns = ["n_pairs", "n_stereotypes", "value", "low", "high", "p_value", "p_holm", "method"]
    found = rows[[*analysis.RUN_COLUMNS, "policy", "subset", "group", *columns]]
    return found.rename(columns={"group": "identity"}).reset_index(drop=True)


def _stacked(parts: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(columns))


def write_tables(tables: dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Write every table; returns the paths. All are made before the first is written."""
    made: list[tuple[Path, str]] = []
    for name, table in tables.items():
        made.append((folder / f"{name}.csv", to_csv(table)))
        if name not in DATA_ONLY:
            made.append((folder / f"{name}.md", to_markdown(table)))
            made.append((folder / f"{name}.tex", to_latex(table)))
    for path, text in made:
        if path.suffix == ".csv":
            with atomic_text(path) as file:
                file.write(text)
        else:
            write_text(path, text)
    return [path for path, _ in made]


def to_csv(table: pd.DataFrame) -> str:
    """Comma-separated, blank for *not available*, fixed decimals (percent 4; p, correlations, nats 6)."""
    cells = table.astype(object).copy()
    for column in table.columns:
        places = 0 if column.startswith("n_") else 6 if column.startswith(FINE) else 4
        cells[column] = [_exact(value, places) for value in table[column]]
    return cells.to_csv(index=False, lineterminator="\n")


def _exact(value: object, places: int) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float | np.floating):
        return f"{round(float(value), places) + 0.0:.{places}f}"  # + 0.0 because rounding may leave a -0
    return str(value)


def to_markdown(table: pd.DataFrame) -> str:
    """A Markdown table with rounded numbers, an interval in one cell with its estimate."""
    shown = presentable(table, "–")
    cells = [[markdown.cell(text) for text in row] for row in shown.to_numpy(str)]
    return tabulate(cells, headers=list(shown.columns), tablefmt="github", disable_numparse=True) + "\n"


def to_latex(table: pd.DataFrame) -> str:
    """A LaTeX tabular with booktabs rules; needs ``\\usepackage{booktabs}``."""
    shown = presentable(table, "--")
    text = tabulate(
        shown.to_numpy(str).tolist(),
        headers=list(shown.columns),
        tablefmt="latex_booktabs",
        disable_numparse=True,
    )
    return text + "\n"


def presentable(table: pd.DataFrame, missing: str) -> pd.DataFrame:
    """The table as people read it: every cell text, intervals joined to their estimates, columns in words."""
    shown: dict[str, list[str]] = {}
    columns = list(table.columns)
    for column in columns:
        if column.endswith(("low", "high")):
            continue
        if column in ("precision", "edition") and table[column].nunique() < 2:
            continue
        if column == "demo" and not table["demo"].astype(bool).any():
            continue
        places = 0 if column.startswith("n_") else 3 if column.startswith(FINE) else 2
        cells = [_rounded(value, places, missing) for value in table[column]]
        low = _interval_of(column, columns)
        if low:
            high = low[: -len("low")] + "high"
            pairs = zip(cells, table[low], table[high], strict=True)
            cells = [
                cell if pd.isna(a) else f"{cell} [{_rounded(a, places, missing)}, {_rounded(b, places, missing)}]"
                for cell, a, b in pairs
            ]
        shown[column.replace("_", " ")] = [" ".join(cell.split()) for cell in cells]  # a row is one line
    return pd.DataFrame(shown, columns=list(shown), dtype=str)


def _interval_of(column: str, columns: list[str]) -> str | None:
    """The column with the lower limit of an estimate's interval, if the table has one."""
    names = {"value": "low", "difference": "low", "pearson_r": "pearson_low", "spearman_rho": "spearman_low"}
    low = names.get(column, f"{column}_low")
    return low if low in columns else None


def _rounded(value: object, places: int, missing: str) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return missing
    if isinstance(value, float | np.floating):
        return f"{round(float(value), places) + 0.0:.{places}f}"
    return str(value)
