"""How fast pairs are made, and in how much memory, as the names grow: 1x, 10x and 100x those of Dutch edition 1.0.0.

Each measurement runs in a process of its own, so that its peak memory is its own. "make" is the pairs alone, "write"
the whole stage with both files. Ratios are of CPU seconds, which other work on the machine leaves alone; pairs are
made on one core.

    python bench/generation.py [--sizes 1 10 100]
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from winoqueer_nl import pairs, sources
from winoqueer_nl.edition import Edition, choose

PROJECT = Path(__file__).parent.parent


def judgements() -> dict[str, pairs.Judgement]:
    """The published tiers, as the tests use them, so that 1x is the released number of pairs."""
    with (PROJECT / "tests/data/published_tiers.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["stereotype_id"]: pairs.Judgement(
                int(row["tier"]) if row["tier"] else None, float(row["harmfulness_mean"])
            )
            for row in csv.DictReader(file)
        }


def with_names(edition: Edition, times: int) -> Edition:
    """The edition with every name so many times, each time with a number behind it."""
    names = [
        name.model_copy(
            update={
                "name_id": f"{name.name_id}-{i}" if i else name.name_id,
                "slots": {slot: f"{text}{i}" if i else text for slot, text in name.slots.items()},
            }
        )
        for i in range(times)
        for name in edition.names
    ]
    return edition.model_copy(update={"names": names})


def measure(times: int, what: str) -> dict[str, float]:
    """One measurement, in this process."""
    edition = with_names(choose(sources.load(PROJECT, "nl"), "1.0.0"), times)
    judged = judgements()
    start, start_of_work = time.perf_counter(), time.process_time()
    if what == "make":
        count = sum(batch.num_rows for batch in pairs.generate(edition, judged))
    else:
        with tempfile.TemporaryDirectory() as folder:
            count = pairs.write(edition, judged, (-1,), Path(folder) / "pairs.parquet", Path(folder) / "pairs.csv")
    seconds, work = time.perf_counter() - start, time.process_time() - start_of_work
    # Linux counts in KiB, macOS in bytes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"pairs": count, "seconds": seconds, "work": work, "megabytes": peak / 1e6}


def main() -> None:
    """Measure every size in a fresh process and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 10, 100], help="how many times the names")
    parser.add_argument("--one", nargs=2, metavar=("TIMES", "WHAT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(int(arguments.one[0]), arguments.one[1])))
        return
    print("      names      pairs  seconds  CPU seconds  pairs per CPU second  peak MB  time ratio  memory ratio")
    for what in ("make", "write"):
        first: dict[str, float] | None = None
        for times in arguments.sizes:
            command = [sys.executable, __file__, "--one", str(times), what]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
            got = json.loads(ran.stdout)
            first = first or got
            print(
                f"{what:5} {times:>4}x {got['pairs']:>10,} {got['seconds']:>8.2f} {got['work']:>12.2f}"
                f" {got['pairs'] / got['work']:>21,.0f} {got['megabytes']:>8.0f}"
                f" {got['work'] / first['work']:>11.1f} {got['megabytes'] / first['megabytes']:>13.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
