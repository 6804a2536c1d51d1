"""The same model on consecutive editions of a language: how much results hang on what an edition corrected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd
from packaging.version import InvalidVersion, Version

from winoqueer_nl.statistics import paired
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.runs import Run

EDITION_COLUMNS = (
    *("model", "kind", "precision", "demo", "language", "edition_before", "edition_after"),
    *("policy", "dimension", "group", "n_stereotypes", "n_pairs_before", "n_pairs_after"),
    *("value_before", "value_after", "difference", "standard_error", "low", "high", "p_value", "p_holm", "method"),
)
# Before and after, not first and second: a difference of editions is a change.
_NAMES = {
    **{"n_pairs_a": "n_pairs_after", "n_pairs_b": "n_pairs_before"},
    **{"value_a": "value_after", "value_b": "value_before"},
}


def edition_table(runs: Sequence[Run], settings: Settings) -> pd.DataFrame:
    """Every model run on two or more editions of a language; ``difference`` = after - before, in percentage points.

    Each edition is compared with the one before it among those that the model was run on. Only combinations of
    stereotype and identity that both have are counted, so that a difference is one of the corrections and not of
    stereotypes that came or went. Rows, resampling and Holm's family as in :func:`paired.compare`. An edition whose
    number is no version has no place in the order and is left out.
    """
    rows: list[dict[str, Any]] = []
    for before, after in _consecutive(runs):
        shared = {
            **paired.described(before, after),
            "language": after.summary.language,
            "edition_before": before.summary.edition,
            "edition_after": after.summary.edition,
        }
        for row in paired.compare(after, before, settings):
            rows.append({**shared, **{_NAMES.get(name, name): value for name, value in row.items()}})
    return pd.DataFrame(rows, columns=list(EDITION_COLUMNS))


def _consecutive(runs: Sequence[Run]) -> Iterator[tuple[Run, Run]]:
    series: dict[tuple[str, str], list[tuple[Version, Run]]] = {}
    for run in runs:
        try:
            version = Version(run.summary.edition)
        except InvalidVersion:
            continue
        series.setdefault((run.summary.language, run.key), []).append((version, run))
    for _, own in sorted(series.items()):
        ordered = [run for _, run in sorted(own, key=lambda item: item[0])]
        yield from (two for two in pairwise(ordered) if paired.same_model(*two))
