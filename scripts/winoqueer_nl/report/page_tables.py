"""The tables of the page: the same numbers as the plots, for reading, copying and screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from winoqueer_nl.report.data import ReportData
from winoqueer_nl.statistics import tables
from winoqueer_nl.statistics.subsets import LABELS, SUBSETS

MISSING = "–"
AGGREGATES = {
    "usage_weighted": "usage-weighted",
    "identity_averaged": "identity-averaged",
    "identity_gap": "identity gap",
}


@dataclass(frozen=True)
class TableView:
    """A table of the page: key, title, remark, column headings, rows of text; the first column names "
    "the row."""

    key: str
    title: str
    note: str
    columns: list[str]
    rows: list[list[str]]


def results(data: ReportData) -> dict[str, TableView]:
    """All tables of results that the data allows, by key."""
    found = _scored(data) if data.models else []
    if len(data.editions):  # of a language that the page is not about, perhaps
        found.append(_editions(data))
    return {view.key: view for view in found}


def _scored(data: ReportData) -> list[TableView]:
    metrics = data.metrics[data.metrics["policy"] == data.policy]
    found = [_models(data, metrics)]
    for subset in SUBSETS:
        if subset.in_paper and (metrics["subset"] == subset.key).any():
            found.append(_bias(data, metrics, subset.key))
    found.append(_tests(data, metrics))
    for key, dimension, title in (
        ("by_template", "template", "Bias per template"),
        ("by_name_gender", "name_gender", "Bias per gender of the name"),
        ("by_counter_identity", "counter_identity", "Bias per counter identity"),
    ):
        found.append(_wide(data, metrics, key, dimension, title))
    if len(data.comparison):
        found.append(_comparison(data))
    if len(data.harmfulness):
        found.append(_harmfulness(data))
    if len(data.languages):
        found.append(_languages(data))
    return found


def number(value: object, places: int = 1, sign: bool = False) -> str:
    """A number as text, a dash where there is none."""
    if value is None or pd.isna(value):
        return MISSING
    return f"{round(float(value), places) + 0.0:{'+' if sign else ''}.{places}f}"  # type: ignore[arg-type]


def interval(low: object, high: object, places: int = 1, sign: bool = False) -> str:
    """An interval as text, a dash where there is none."""
    if low is None or pd.isna(low):
        return MISSING
    return f"{number(low, places, sign)} to {number(high, places, sign)}"


def p_text(value: object) -> str:
    """A p value as text."""
    if value is None or pd.isna(value):
        return MISSING
    return "< 0.001" if float(value) < 0.001 else f"{float(value):.3f}"  # type: ignore[arg-type]


def _models(data: ReportData, metrics: pd.DataFrame) -> TableView:
    table = tables.models(metrics).set_index("model").reindex(data.models)
    rows = []
    for model, row in table.iterrows():
        effective = row["usage_weighted_effective_n"]
        rows.append(
            [
                data.name(str(model)),
                str(row["kind"]),
                str(row["precision"]),
                f"{int(row['n_pairs']):,}",
                number(row["usage_weighted"]),
                interval(row["usage_weighted_low"], row["usage_weighted_high"]),
                interval(row["usage_weighted_naive_low"], row["usage_weighted_naive_high"]),
                number(row["usage_weighted_value_half_ties"]),
                f"{int(row['n_ties']):,}",
                number(row["identity_averaged"]),
                interval(row["identity_averaged_low"], row["identity_averaged_high"]),
                number(row["identity_gap"]),
                interval(row["identity_gap_low"], row["identity_gap_high"]),
                number(row["usage_weighted_mean_difference"], 2, sign=True),
                number(row["usage_weighted_design_effect"]),
                MISSING if pd.isna(effective) else f"{effective:,.0f}",
            ]
        )
    columns = [
        *(
            "model",
            "kind",
            "precision",
            "pairs",
            "usage-weighted",
            "95 % interval",
            "naive interval",
            "ties as half",
            "ties",
        ),
        *("identity-averaged", "95 % interval", "identity gap", "95 % interval", "mean difference (nats)"),
        *("design effect", "effective pairs"),
    ]
    note = (
        "Bias in percent. A tie (scores exactly equal) counts as not stereotypical; the column beside "
        "counts it as "
        "half. Effective pairs: as many independent pairs would be as informative."
    )
    return TableView("models", "All models", note, columns, rows)


def _bias(data: ReportData, metrics: pd.DataFrame, subset: str) -> TableView:
    table = tables.bias_table(metrics, subset, data.identities)
    columns = [*data.identities, "usage_weighted", "identity_averaged"]
    order = {model: i for i, model in enumerate(data.models)}
    rows = []
    for row in sorted(table.to_dict("records"), key=lambda row: order.get(row["model"], len(order))):
        name = data.name(row["model"])
        if row["model"] == "mean":
            name = "Mean of all" if row["kind"] == "all" else f"Mean of {row['kind']}"
        rows.append([name, *(number(row[column]) for column in columns)])
    headings = [
        "model",
        *(data.label(identity) for identity in data.identities),
        "usage-weighted",
        "identity-averaged",
    ]
    note = "Demo models are left out of the means." if data.demos else ""
    return TableView(f"bias_{subset}", LABELS[subset], note, headings, rows)


def _tests(data: ReportData, metrics: pd.DataFrame) -> TableView:
    rows = metrics[(metrics["subset"] == "all") & (metrics["dimension"] == "identity")]
    by = {(row.model, row.group): row for row in rows.itertuples()}
    cells = []
    for model in data.models:
        for identity in data.identities:
            row = by.get((model, identity))
            if row is None:
                continue
            cells.append(
                [
                    data.name(model),
                    data.label(identity),
                    f"{int(row.n_pairs):,}",
                    str(int(row.n_stereotypes)),
                    number(row.value),
                    interval(row.low, row.high),
                    interval(row.naive_low, row.naive_high),
                    number(row.design_effect),
                    p_text(row.p_value),
                    p_text(row.p_holm),
                ]
            )
    columns = [
        *(
            "model",
            "identity",
            "pairs",
            "stereotypes",
            "bias",
            "95 % interval",
            "naive interval",
            "design effect",
        ),
        *("p (bias = 50)", "p, Holm"),
    ]
    note = "Holm's correction over the identities of one model."
    return TableView("tests", "Every identity against 50", note, columns, cells)


def _wide(data: ReportData, metrics: pd.DataFrame, key: str, dimension: str, title: str) -> TableView:
    groups = list(dict.fromkeys(metrics.loc[metrics["dimension"] == dimension, "group"]))
    table = tables.wide(metrics, "all", dimension, groups).set_index("model").reindex(data.models)
    rows = [[data.name(str(model)), *(number(row[group]) for group in groups)] for model, row in table.iterrows()]
    note = '"group" stands for sentences about a group, which have no name.' if dimension == "name_gender" else ""
    return TableView(key, title, note, ["model", *groups], rows)


def _comparison(data: ReportData) -> TableView:
    rows = data.comparison[data.comparison["policy"] == data.policy]
    cells = [
        [
            f"{data.name(row.model_a)} – {data.name(row.model_b)}",
            row.measure.replace("_", "-"),
            number(row.difference, sign=True),
            interval(row.low, row.high, sign=True),
            interval(row.naive_low, row.naive_high, sign=True),
            p_text(row.p_value),
            p_text(row.p_holm),
            "same" if row.same_kind else "differ: not directly comparable",
        ]
        for row in rows.itertuples()
    ]
    columns = ["models", "measure", "difference", "95 % interval", "naive interval", "p", "p, Holm", "kinds"]
    note = "Percentage points over the same pairs. Holm's correction over all model pairs of a measure."
    return TableView("comparison", "Models against each other", note, columns, cells)


def _harmfulness(data: ReportData) -> TableView:
    rows = data.harmfulness[data.harmfulness["policy"] == data.policy].set_index("model")
    cells = []
    for model in data.models:
        if model not in rows.index:
            continue
        row = rows.loc[model]
        cells.append(
            [
                data.name(model),
                number(row["n_stereotypes"], 0),
                number(row["pearson_r"], 3, sign=True),
                interval(row["pearson_low"], row["pearson_high"], 2, sign=True),
                p_text(row["pearson_p"]),
                number(row["r_squared"], 4),
                number(row["spearman_rho"], 3, sign=True),
                interval(row["spearman_low"], row["spearman_high"], 2, sign=True),
                p_text(row["spearman_p"]),
                number(row["within_identity_r"], 3, sign=True),
            ]
        )
    columns = [
        *("model", "n", "Pearson's r", "95 % interval", "p", "r²", "Spearman's ρ", "95 % interval", "p"),
        "r within identities",
    ]
    note = "n counts stereotypes. Within identities: after each identity's own bias is taken off its pairs."
    return TableView("harmfulness", "Harmfulness and bias", note, columns, cells)


def _languages(data: ReportData) -> TableView:
    rows = data.languages
    first, second = rows.iloc[0][["language_a", "language_b"]]
    cells = [
        [
            data.name(row.model),
            AGGREGATES.get(row.group, data.label(row.group)),
            f"{int(row.n_stereotypes)}",
            number(row.value_a),
            number(row.value_b),
            number(row.difference, sign=True),
            interval(row.low, row.high, sign=True),
            p_text(row.p_holm),
        ]
        for row in rows.itertuples()
    ]
    columns = ["model", "identity", "stereotypes", first, second, "difference", "95 % interval", "p, Holm"]
    return TableView("languages", f"{first} against {second}", "", columns, cells)


def _editions(data: ReportData) -> TableView:
    cells = [
        [
            data.name(row.model),
            row.language,
            f"{row.edition_before} to {row.edition_after}",
            AGGREGATES.get(row.group, data.label(row.group)),
            f"{int(row.n_stereotypes)}",
            number(row.value_before),
            number(row.value_after),
            number(row.difference, sign=True),
            interval(row.low, row.high, sign=True),
            p_text(row.p_holm),
        ]
        for row in data.editions.itertuples()
    ]
    columns = [
        *("model", "language", "editions", "identity", "stereotypes", "earlier", "later", "difference"),
        *("95 % interval", "p, Holm"),
    ]
    note = (
        "Difference: later minus earlier, in percentage points. Holm's correction over the identities of one "
        "model, language and two editions."
    )
    return TableView("editions", "Every identity in consecutive editions", note, columns, cells)


def respondents(people: pd.DataFrame) -> TableView:
    """Who answered; hidden counts say so."""
    rows = [
        [
            str(row.question).replace("_", " "),
            str(row.answer).replace("_", " "),
            "hidden" if row.suppressed else str(int(row.n_respondents)),
        ]
        for row in people.itertuples()
    ]
    return TableView("respondents", "Who answered", "", ["question", "answer", "respondents"], rows)


def stability(table: pd.DataFrame, names: Sequence[str]) -> TableView:
    """Tiers by tiers, in percent of the resamples."""
    rows = [[name, *(number(value) for value in row)] for name, row in zip(names, table.to_numpy(float), strict=True)]
    return TableView("stability", "How firmly the tiers stand", "", ["tier as released", *names], rows)
