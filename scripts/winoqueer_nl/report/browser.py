"""The searchable list of stereotypes: what the page's script needs, as plain values."""

from __future__ import annotations

import json
import math
from typing import Any

import pandas as pd

from winoqueer_nl.report.data import STEREOTYPE_COLUMNS, ReportData

Value = float | int | str | None


def entries(data: ReportData) -> dict[str, Any]:
    """The content of the browser.

    Returns
    -------
    ``language``, ``labels`` (identity id to label), ``models`` (key, name), ``policy`` and ``stereotypes``:
    one entry each with id, gloss, origin, identities, tier, votes, harmfulness, predicate forms, number of
    pairs, bias per model (percent, in the order of ``models``) and example sentences. One pair stands for
    each combination of template and identity, the first of the set: all pairs would be many megabytes.
    """
    forms = [column for column in data.stereotypes.columns if column not in STEREOTYPE_COLUMNS]
    examples = _examples(data)
    scores = data.scores[data.scores["policy"] == data.policy]
    bias = scores.pivot(index="stereotype_id", columns="model", values="bias")
    survey = data.survey.set_index("stereotype_id") if data.survey is not None else pd.DataFrame()
    found = []
    for row in data.stereotypes.to_dict("records"):
        key = row["stereotype_id"]
        votes = survey.loc[key] if key in survey.index else None
        found.append(
            {
                "id": key,
                "gloss": row["gloss"],
                "origin": row["origin"],
                "identities": [identity for identity in str(row["identities"]).split(";") if identity],
                "tier": _whole(row["tier"]),
                "yes": _number(row["yes_percentage"], 1),
                "votes": [_whole(row[column]) for column in ("n_yes", "n_no", "n_unsure")],
                "interval": _pair(votes, "yes_percentage_low", "yes_percentage_high"),
                "stability": _stability(votes),
                "harm": [
                    _number(row["harmfulness_mean"], 2),
                    _number(row["harmfulness_sd"], 2),
                    _whole(row["harmfulness_count"]),
                ],
                "forms": {form: row[form] for form in forms if row[form]},
                "pairs": _whole(row["n_pairs"]),
                "bias": [
                    _number(bias.loc[key, model], 1) if key in bias.index and model in bias.columns else None
                    for model in data.models
                ],
                "examples": examples.get(key, []),
            }
        )
    return {
        "language": data.language,
        "labels": {identity: data.label(identity) for identity in data.identities},
        "models": [{"key": model, "name": data.name(model), "kind": data.kinds[model]} for model in data.models],
        "stereotypes": found,
    }


def as_script(content: dict[str, Any]) -> str:
    """JSON that can stand inside a script element: no ``<`` in it, so nothing can end the element early."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _examples(data: ReportData) -> dict[str, list[list[Any]]]:
    """Per stereotype: template, identity, the two sentences, and the spans of the identity term in them."""
    first = data.pairs.drop_duplicates(["stereotype_id", "template_id", "identity"])
    found: dict[str, list[list[Any]]] = {}
    for row in first.itertuples():
        spans = [int(row.span_start_x), int(row.span_end_x), int(row.span_start_y), int(row.span_end_y)]
        found.setdefault(row.stereotype_id, []).append([row.template_id, row.identity, row.sent_x, row.sent_y, spans])
    return found


def _pair(votes: pd.Series | None, low: str, high: str) -> list[Value] | None:
    if votes is None or pd.isna(votes[low]):
        return None
    return [_number(votes[low], 0), _number(votes[high], 0)]


def _stability(votes: pd.Series | None) -> Value:
    """The share of resamples that keep the released tier, in percent."""
    if votes is None or pd.isna(votes["tier"]):
        return None
    tier = int(votes["tier"])
    column = "not_relevant_probability" if tier < 1 else f"tier_{tier}_probability"
    return _number(100 * votes[column], 0)


def _number(value: object, places: int) -> Value:
    number = float(value)  # type: ignore[arg-type]
    if math.isnan(number):
        return None
    return round(number, places) + 0.0 if places else round(number)


def _whole(value: object) -> Value:
    number = float(value)  # type: ignore[arg-type]
    return None if math.isnan(number) else int(number)
