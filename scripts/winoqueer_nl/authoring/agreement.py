"""How far reviewers agree beyond chance: Krippendorff's alpha with a bootstrap interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha for nominal data.

    ``alpha`` is None where it is not defined: fewer than two answers to any one item, or all answers the same.
    ``low`` and ``high`` bound the percentile interval over resampled items; ``undefined`` counts the resamples in which
    alpha was not defined, which are left out of it.
    """

    alpha: float | None
    low: float | None
    high: float | None
    n_items: int
    n_reviewers: int
    resamples: int
    undefined: int


def krippendorff_alpha(
    answers: Mapping[tuple[str, str], Mapping[str, str]],
    categories: Sequence[str],
    resamples: int = 2000,
    seed: int = 20250101,
    confidence: float = 0.95,
) -> Agreement:
    """Krippendorff's alpha over items that at least two reviewers have answered.

    Parameters
    ----------
    answers: item -> reviewer -> category; who has not answered is left out.
    categories: every category, in a fixed order.
    resamples: bootstrap samples of items, drawn with replacement.
    seed: of the resampling.
    confidence: share of the resamples within the interval.

    The formula is that of K. Krippendorff, Content Analysis (2004), chapter 11; the interval is a percentile bootstrap.
    """
    pairable = {item: given for item, given in answers.items() if len(given) >= 2}
    reviewers = sorted({reviewer for given in pairable.values() for reviewer in given})
    codes = {category: float(code) for code, category in enumerate(categories)}
    data = np.full((len(reviewers), len(pairable)), np.nan)
    for column, item in enumerate(sorted(pairable)):
        for reviewer, category in pairable[item].items():
            data[reviewers.index(reviewer), column] = codes[category]
    alpha = _alpha(data)
    found = []
    if alpha is not None:
        generator = np.random.default_rng(seed)
        for _ in range(resamples):
            value = _alpha(data[:, generator.integers(0, data.shape[1], data.shape[1])])
            if value is not None:
                found.append(value)
    low, high = (
        (float(bound) for bound in np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2]))
        if found
        else (None, None)
    )
    undefined = resamples - len(found) if alpha is not None else 0
    return Agreement(alpha, low, high, len(pairable), len(reviewers), resamples, undefined)


def _alpha(data: np.ndarray) -> float | None:
    """Alpha of reviewers x items, NaN where not answered; None where it is not defined."""
    import krippendorff

    values = data[~np.isnan(data)]
    if data.shape[1] == 0 or len(np.unique(values)) < 2:
        return None
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))
