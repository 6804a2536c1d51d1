"""How a model's run is cut into jobs, and what a job asks of the machine it is sent to.

The cost model is explained, and compared with measurements, in docs/scaling.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from winoqueer_nl.scoring.footprint import memory_megabytes

#: Token positions that pass through the layers for one pair, when a whole edition is scored: every distinct masked
#: sentence once (masked), every distinct beginning once (causal). About 14 tokens a sentence; docs/scaling.md.
POSITIONS = {"masked": 152.0, "causal": 8.0}
#: Minutes of a job that are no arithmetic: reading the pairs, loading the model.
START_MINUTES = 5
#: How many times as long as expected a job may take before a cluster ends it.
PATIENCE = 3


@dataclass(frozen=True)
class Cost:
    """What scoring asks for.

    seconds: on one machine, arithmetic only. parts: jobs side by side, 1 for a single job that does it all.
    minutes: limit for one job. megabytes: main memory (or memory of the GPU) that one job needs.
    """

    seconds: float
    parts: int
    minutes: int
    megabytes: int


def cost(
    kind: str,
    parameters: float,
    pairs: int,
    precision: str,
    teraflops: float,
    job_minutes: int,
    parts: int | None = None,
) -> Cost:
    """What it takes to score a model of `kind` (`masked` or `causal`) on so many pairs.

    parameters: their number; two operations each per token position (Kaplan et al. 2020, section 2.1), so the
    embeddings, which cost nothing, make it an upper bound. teraflops: what the machine does in 10^12 operations a
    second. parts: as many jobs, whatever the size.
    """
    seconds = 2 * parameters * POSITIONS[kind] * pairs / (teraflops * 1e12)
    parts = parts or max(1, math.ceil(seconds / (60 * job_minutes)))
    minutes = START_MINUTES + math.ceil(PATIENCE * seconds / 60 / parts)
    return Cost(seconds, parts, minutes, memory_megabytes(int(parameters), precision))


def hours_side_by_side(costs: list[Cost], machines: int) -> float:
    """Hours until the last job ends when so many machines take jobs as they come, the longest first.

    Each job's start counts; the preparation and the joining of a run in parts are small beside its parts.
    """
    jobs = (one.seconds / one.parts + 60 * START_MINUTES for one in costs for _ in range(one.parts))
    busy = [0.0] * machines
    for seconds in sorted(jobs, reverse=True):
        busy[busy.index(min(busy))] += seconds
    return max(busy) / 3600
