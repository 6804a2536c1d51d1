"""Tiers under the microscope: how sure each one is, and which would be another under other settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from winoqueer_nl.survey.config import SurveyConfig, Thresholds, Unsure
from winoqueer_nl.survey.tiers import ANSWERS, NO_VOTES, TIERS, tiers, votes

#: The shares of resamples at which :func:`certainty` counts.
LEVELS = (0.95, 0.8, 0.5)


def certainty(stereotypes: Sequence[Mapping[str, str]], config: SurveyConfig) -> dict[str, Any]:
    """Per tier: its stereotypes, how many of them stay in it in so many of the resamples, and how many beyond doubt.

    ``interval_within_tier`` counts those whose 95 % Wilson interval lies within the bounds of their tier.
    """
    t = config.thresholds
    bounds = {1: (t.tier_1, 100.0), 2: (t.tier_2, t.tier_1), 3: (t.tier_3, t.tier_2), -1: (0.0, t.tier_3)}
    found = {}
    for tier in TIERS:
        mine = [row for row in stereotypes if row["tier"] == str(tier)]
        name = name_of(tier)
        shares = [float(row[f"{name}_probability"]) for row in mine if row[f"{name}_probability"]]
        low, high = bounds[tier]
        within = [low <= float(row["yes_percentage_low"]) and float(row["yes_percentage_high"]) <= high for row in mine]
        found[name] = {
            "stereotypes": len(mine),
            **{f"probability_at_least_{level}": sum(share >= level for share in shares) for level in LEVELS},
            "lowest_probability": min(shares, default=None),
            "interval_within_tier": sum(within),
        }
    return found


def alternatives(stereotypes: Sequence[Mapping[str, str]], config: SurveyConfig) -> dict[str, Any]:
    """Per alternative setting: the stereotypes per tier, and each one that would change, with both tiers."""
    voted = [row for row in stereotypes if row["n_yes"]]
    counts = np.array([[int(row[f"n_{answer}"]) for row in voted] for answer in ANSWERS], np.int64)
    found = {}
    for name, unsure, thresholds in _settings(config):
        n_yes, n_votes = votes(counts, unsure)
        would_be = tiers(n_yes, n_votes, thresholds)
        changed = [
            {"stereotype_id": row["stereotype_id"], "tier": row["tier"], "would_be": _cell(int(tier))}
            for row, tier in zip(voted, would_be, strict=True)
            if row["tier"] != _cell(int(tier))
        ]
        found[name] = {
            "unsure": unsure,
            "thresholds": thresholds.model_dump(),
            "stereotypes": {name_of(tier): int((would_be == tier).sum()) for tier in TIERS},
            "n_changed": len(changed),
            "changed": changed,
        }
    return found


def _settings(config: SurveyConfig) -> Iterator[tuple[str, Unsure, Thresholds]]:
    for unsure in get_args(Unsure):
        if unsure != config.unsure:
            yield f"unsure_{unsure}", unsure, config.thresholds
    for shift in config.shifts:
        moved = {name: value + shift for name, value in config.thresholds.model_dump().items()}
        if all(0 < value <= 100 for value in moved.values()):
            yield f"thresholds_{shift:+g}", config.unsure, Thresholds(**moved)


def _cell(tier: int) -> str:
    return "" if tier == NO_VOTES else str(tier)


def name_of(tier: int) -> str:
    """The tier in the names of columns and keys."""
    return "not_relevant" if tier < 0 else f"tier_{tier}"
