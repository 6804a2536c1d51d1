"""The same model in two languages, over what both sets have: differences of bias per identity, paired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from winoqueer_nl.statistics import paired
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.runs import Run

LANGUAGE_COLUMNS = (
    "model",
    "kind",
    "precision",
    "demo",
    "language_a",
    "edition_a",
    "language_b",
    "edition_b",
    "policy",
    "dimension",
    "group",
    "n_stereotypes",
    "n_pairs_a",
    "n_pairs_b",
    "value_a",
    "value_b",
    "difference",
    "standard_error",
    "low",
    "high",
    "p_value",
    "p_holm",
    "method",
)


def language_table(runs: Sequence[Run], first: str, second: str, settings: Settings) -> pd.DataFrame:
    """Every model that was run in both languages; ``difference`` = first - second, in percentage points.

    Only combinations of stereotype and identity that both sets have are counted, so that a difference is one
    of language and not of content. Rows: ``aggregate`` (usage_weighted, identity_averaged, identity_gap) and
    one per ``identity``. Resampling draws a stereotype with its pairs in both languages. Holm's family: the
    identities of one model and policy. With several editions of a language each is compared.
    """
    rows: list[dict[str, Any]] = []
    for a in runs:
        for b in runs:
            if not paired.same_model(a, b) or (a.summary.language, b.summary.language) != (first, second):
                continue
            shared = {
                **paired.described(a, b),
                "language_a": first,
                "edition_a": a.summary.edition,
                "language_b": second,
                "edition_b": b.summary.edition,
            }
            rows.extend({**shared, **row} for row in paired.compare(a, b, settings))
    return pd.DataFrame(rows, columns=list(LANGUAGE_COLUMNS))
