"""Measures the statistics stage: seconds per model on a set of the benchmark's size; coverage of intervals.

    python bench/statistics.py            # seconds, on made-up scores of 42,906 pairs
    python bench/statistics.py --coverage # also the simulation with known truth (a few minutes)

Results are printed as Markdown. The set is made here: as many pairs, stereotypes and identities as release
1.0.0 has, without a word of it.
"""

from __future__ import annotations

import argparse
import platform
import time

import numpy as np
import pandas as pd
from tabulate import tabulate

from winoqueer_nl.statistics import analysis, bootstrap, simulation
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.clusters import count, resample_weights
from winoqueer_nl.statistics.runs import Run, Summary

PAIRS, STEREOTYPES, IDENTITIES = 42_906, 160, 9
RESAMPLES = 2000


def made(seed: int = 1) -> Run:
    """A run of the benchmark's size with random scores."""
    rng = np.random.default_rng(seed)
    stereotype = rng.integers(0, STEREOTYPES, PAIRS)
    effect = rng.normal(0, 1, STEREOTYPES)
    frame = pd.DataFrame(
        {
            "pair_id": [f"p{i}" for i in range(PAIRS)],
            "stereotype_id": [f"s{k:03}" for k in stereotype],
            "template_id": rng.choice(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"], PAIRS),
            "name_gender": rng.choice(["female", "male", "neutral"], PAIRS),
            "identity": [
                f"i{(k + j) % IDENTITIES}" for k, j in zip(stereotype, rng.integers(0, 3, PAIRS), strict=True)
            ],
            "counter_identity": rng.choice(["c1", "c2", "c3", "c4"], PAIRS),
            "tier": pd.array(1 + stereotype % 3, dtype="Int8"),
            "harmfulness_mean": (stereotype % 11) / 2.5,
            "origin": np.where(stereotype < 138, "winoqueer", "new"),
        }
    )
    for policy in ("published", "slot"):
        frame[f"score_x_{policy}"] = rng.normal(-40, 5, PAIRS)
        frame[f"score_y_{policy}"] = frame[f"score_x_{policy}"] - effect[stereotype] - rng.logistic(size=PAIRS)
    summary = Summary(
        model="made",
        revision=None,
        kind="masked",
        precision="float32",
        language="xx",
        edition="0",
        pairs_sha256="0",
        n_pairs=PAIRS,
    )
    return Run("made", summary, frame)


def seconds(function) -> tuple[float, float]:
    """Best wall-clock and processor seconds of three calls."""
    best = (float("inf"), float("inf"))
    for _ in range(3):
        wall, processor = time.perf_counter(), time.process_time()
        function()
        best = min(best, (time.perf_counter() - wall, time.process_time() - processor))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coverage", action="store_true", help="also run the simulation with known truth")
    parser.add_argument("--replicates", type=int, default=1000, help="simulated sets per design")
    options = parser.parse_args()
    run = made()
    flags = run.pairs["score_x_slot"] > run.pairs["score_y_slot"]
    settings = Settings(resamples=RESAMPLES)

    def one_set() -> None:
        counts = count(run.pairs["stereotype_id"], run.pairs["identity"], flags)
        weights = resample_weights(len(counts.clusters), RESAMPLES, 1)
        bootstrap.rates(counts, weights, settings)
        bootstrap.combination(counts, bootstrap.mean_of(IDENTITIES), weights, settings, share=True)

    def everything() -> None:
        analysis.metrics_table(run, settings)

    rows = [
        ["identities and their average, whole set, one span policy", *seconds(one_set)],
        [
            "everything of a model (7 subsets, 2 policies, all groups)",
            *seconds(everything),
        ],
    ]
    print(f"Python {platform.python_version()}, {platform.machine()}; {PAIRS:,} pairs, {RESAMPLES:,} resamples\n")
    print(tabulate(rows, ["work", "seconds", "processor seconds"], tablefmt="github", floatfmt=".2f"))
    if options.coverage:
        parts = [
            simulation.coverage(design, options.replicates, Settings(resamples=1000, seed=1))
            for design in simulation.designs()
        ]
        table = pd.concat(parts, ignore_index=True)
        print(f"\n{options.replicates:,} simulated sets per design, 1,000 resamples each\n")
        print(tabulate(table, "keys", tablefmt="github", floatfmt=".1f", showindex=False))
        changes = [
            {"stereotypes": k, "share that changes": share}
            | simulation.change_coverage(k, share, options.replicates, Settings(resamples=1000, seed=1))
            for k in (15, 40)
            for share in (0.1, 0.3, 1.0)
        ]
        print("\nDifference between two editions; coverage among the sets that get an interval\n")
        print(tabulate(pd.DataFrame(changes), "keys", tablefmt="github", floatfmt=".1f", showindex=False))


if __name__ == "__main__":
    main()
