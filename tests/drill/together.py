"""Two runs at once in one folder."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil

from drill.kills import PAIRS, RUN
from drill.project import TARGETS, Base, Ran, amiss, build, start
from drill.tally import Tally, clear, side_by_side

DRILL = "two runs at once"


def drill(base: Base, tally: Tally, quick: bool) -> None:
    """Two builds; a build and a single scoring; a build whose first process alone was killed."""
    times = 1 if quick else 2
    side_by_side(
        [lambda seed=seed: _two_builds(base, tally, seed) for seed in range(times)]
        + [lambda seed=seed: _build_and_score(base, tally, seed) for seed in range(times)]
        + [lambda seed=seed: _two_scores(base, tally, seed) for seed in range(times)]
        + [lambda: _orphaned(base, tally)],
        at_once=1,  # each holds two runs
    )


def ended(process: subprocess.Popen[str]) -> Ran:
    """Wait for it."""
    said, _ = process.communicate(timeout=300)
    return Ran(process.returncode, said)


BUILD = ("build", "--cores", "1", *TARGETS)


def _note(base: Base, tally: Tally, folder: Path, fault: str, *ran: Ran) -> None:
    """Each run has ended well or told why not; a build afterwards gives the right result."""
    unclear = [one.said[-1500:] for one in ran if one.status and not clear(one.said)]
    half = amiss(folder, base.expected)
    last = build(folder)
    said = (f"no clear message: {unclear[0]}" if unclear else half) or amiss(folder, base.expected, whole=True)
    said = said or ("" if last.status == 0 else last.said[-1500:])
    tally.note(DRILL, fault, "wrong" if said else "told" if any(one.status for one in ran) else "right", said)
    shutil.rmtree(folder)


def _two_builds(base: Base, tally: Tally, seed: int) -> None:
    folder = base.copy(base.sources)
    first = start(folder, *BUILD)
    time.sleep(random.Random(seed).uniform(0, base.seconds / 2))
    second = start(folder, *BUILD)
    _note(base, tally, folder, f"two builds, {seed}", ended(first), ended(second))


def _build_and_score(base: Base, tally: Tally, seed: int) -> None:
    """The build has all but the scores of one model to make, and somebody scores that model into its folder."""
    folder = base.copy(base.built)
    shutil.rmtree(folder / RUN)
    score = ("score", "demo-masked", "--pairs", PAIRS, "--out", RUN)
    runs = [BUILD, score] if seed % 2 else [score, BUILD]
    first = start(folder, *runs[0])
    time.sleep(random.Random(seed).uniform(0, 3))
    second = start(folder, *runs[1])
    _note(base, tally, folder, f"build and score, {seed}", ended(first), ended(second))


def _two_scores(base: Base, tally: Tally, seed: int) -> None:
    """Two scorings with different settings: one of them is refused, and the folder holds one run, whole."""
    folder = base.copy(base.built)
    shutil.rmtree(folder / RUN)
    score = ("score", "demo-masked", "--pairs", PAIRS, "--out", RUN)
    runs = [start(folder, *score), start(folder, *score, "--sample", "10")]
    found = [ended(one) for one in runs]
    refused = [one for one in found if one.status]
    said = "" if all(clear(one.said) for one in refused) else f"no clear message: {refused[0].said[-1500:]}"
    if len(refused) != 1:
        said = f"{len(refused)} of two runs were refused"
    if found[0].status:  # the sample came first: the build's own run must not take it for all pairs
        shutil.rmtree(folder / RUN)
    build(folder)
    said = said or amiss(folder, base.expected, whole=True)
    tally.note(DRILL, f"two scorings, {seed}", "wrong" if said else "told", said)
    shutil.rmtree(folder)


def _orphaned(base: Base, tally: Tally) -> None:
    """The build's own process is killed, what it had started goes on: a second build must not join in."""
    folder = base.copy(base.sources)
    first = start(folder, *BUILD)
    time.sleep(base.seconds / 3)
    children = psutil.Process(first.pid).children(recursive=True)
    os.kill(first.pid, signal.SIGKILL)
    second = build(folder)
    alive = [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    psutil.wait_procs(alive, timeout=120)
    first.communicate(timeout=120)
    _note(base, tally, folder, "a build while the rest of a killed one goes on", second)
