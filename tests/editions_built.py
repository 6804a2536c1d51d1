"""The Dutch and the English edition 1.0.0, built once in a test process, with the published survey's judgements."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from functools import cache

import pandas as pd

from command import PROJECT
from winoqueer_nl import pairs, sources
from winoqueer_nl.edition import Edition, choose


def judgements() -> dict[str, pairs.Judgement]:
    """Tier and mean harmfulness of the Dutch stereotypes, from the published metadata."""
    with (PROJECT / "tests/data/published_tiers.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["stereotype_id"]: pairs.Judgement(
                int(row["tier"]) if row["tier"] else None,
                float(row["harmfulness_mean"]) if row["harmfulness_mean"] else None,
            )
            for row in csv.DictReader(file)
        }


@cache
def edition(lang: str) -> Edition:
    """Edition 1.0.0 of a language of this project."""
    return choose(sources.load(PROJECT, lang), "1.0.0")


@cache
def built(lang: str) -> pd.DataFrame:
    """Its pairs; not to be changed in place."""
    batches = pairs.generate(edition(lang), judgements() if lang == "nl" else None)
    return pd.concat([batch.to_pandas() for batch in batches], ignore_index=True)


def digest(rows: Iterable[tuple[str, ...]]) -> str:
    """SHA-256 of rows whose order does not matter: fields joined with a tab, rows sorted, joined with line feeds."""
    return hashlib.sha256("\n".join(sorted("\t".join(row) for row in rows)).encode()).hexdigest()
