"""kill -9 at random moments of a build and of single stages; afterwards the same command again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from copies import end_processes
from drill.project import EDITION, LANG, TARGETS, Base, Ran, amiss, build, change_table, files, run, start
from drill.tally import Tally, side_by_side

KILLS_OF_BUILDS, KILLS_OF_A_STAGE = 48, 2


def drill(base: Base, tally: Tally, quick: bool) -> None:
    """Builds from nothing and after a change of a table, then each stage by itself."""
    sequences, kills, of_a_stage = (2, 3, 1) if quick else (4, KILLS_OF_BUILDS // 4, KILLS_OF_A_STAGE)
    side_by_side(
        [lambda seed=seed: _builds(base, tally, seed, kills) for seed in range(sequences)]
        + [lambda name=name: _stage(base, tally, name, of_a_stage) for name in STAGES]
    )


def killed(folder: Path, arguments: list[object], chance: random.Random, longest: float) -> bool:
    """Start a command and kill it with all it has started, at a random moment or when it is about to write a file.

    False if it ended before that.
    """
    process = start(folder, *arguments, out=subprocess.DEVNULL)
    moment = time.monotonic() + chance.uniform(0.1, longest)
    if chance.random() < 0.4:  # at the first file that is being written after that moment
        before = set(folder.rglob(".*.part"))
        while process.poll() is None and (time.monotonic() < moment or not set(folder.rglob(".*.part")) - before):
            time.sleep(0.002)
    else:
        while process.poll() is None and time.monotonic() < moment:
            time.sleep(0.01)
    if process.poll() is not None:
        return False
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    end_processes(folder)  # a shell may have put itself into another group
    return True


def _builds(base: Base, tally: Tally, seed: int, kills: int) -> None:
    """One build after the other in one folder, killed again and again; odd seeds rebuild after a change."""
    chance = random.Random(seed)
    folder = base.copy(base.built if seed % 2 else base.sources)
    if seed % 2:
        change_table(folder)
    wanted, allowed = (base.changed, [base.changed, base.expected]) if seed % 2 else (base.expected, [base.expected])
    faults: list[str] = []
    while len(faults) < kills:
        if not killed(folder, ["build", "--cores", "1", *TARGETS], chance, base.seconds):
            said = amiss(folder, wanted, whole=True)  # it came to its end: all must be there; then from the start
            for fault in faults:
                tally.note("kill -9 of a build", fault, "wrong" if said else "right", said)
            kills, faults = kills - len(faults), []
            shutil.rmtree(folder / "results")
            allowed = [wanted]
            continue
        said = amiss(folder, *allowed)
        faults.append(f"seed {seed}, kill {len(faults) + 1}")
        if said:
            tally.note("kill -9 of a build", faults.pop(), "wrong", f"half-written: {said}")
            kills -= 1
    ran = build(folder)
    said = amiss(folder, wanted, whole=True) or ("" if ran.status == 0 else ran.said[-2000:])
    for fault in faults:
        tally.note("kill -9 of a build", fault, "wrong" if said else "right", said)
    shutil.rmtree(folder)


EDITION_FOLDER = f"results/{LANG}/{EDITION}"
SURVEY = f"results/{LANG}/survey"
PAIRS = f"{EDITION_FOLDER}/pairs.parquet"
RUN = f"results/scores/{LANG}/{EDITION}/demo-masked"
#: Every stage as a command that writes into the folder {out}.
STAGES: dict[str, str] = {
    "tables": f"tables --lang {LANG} --edition {EDITION} --out {{out}}/tables.json",
    "survey": "survey aggregate survey/exports/toy.csv --instrument survey/toy.yaml --out {out}/stereotypes.csv",
    "pairs": f"pairs --tables {EDITION_FOLDER}/tables.json --survey {SURVEY}/stereotypes.csv --exclude-tier -1"
    " --out {out}/pairs.parquet --published {out}/sentence_pairs.csv",
    "metadata": f"metadata --tables {EDITION_FOLDER}/tables.json --pairs {PAIRS} --survey {SURVEY}/stereotypes.csv"
    " --published {out}/stereotype_metadata.csv --tidy {out}/stereotypes.csv",
    "check": f"check --lang {LANG} --edition {EDITION} --pairs {PAIRS} --survey {SURVEY}/stereotypes.csv"
    " --exclude-tier -1 --out {out}/check.json --marked {out}/non_contrastive.csv",
    "score masked": f"score demo-masked --pairs {PAIRS} --out {{out}}",
    "score causal": f"score demo-causal --pairs {PAIRS} --out {{out}}",
    "statistics": f"statistics {RUN} --languages {LANG},xx --resamples 200 --out {{out}}",
    "report": f"report --language {LANG} --edition {EDITION} --out {{out}}",
    "release": f"release --lang {LANG} --version {EDITION} --edition {EDITION_FOLDER} --survey {SURVEY}"
    f" --out {{out}}/{LANG}-{EDITION}",
}


def stage(name: str, out: str) -> list[object]:
    """The arguments of a stage that writes into a folder."""
    return list(STAGES[name].format(out=out).split())


def _stage(base: Base, tally: Tally, name: str, kills: int) -> None:
    """One stage by itself, killed, then run to its end."""
    chance = random.Random(name)
    folder = base.copy(base.built)
    began = time.monotonic()
    ran = run(folder, *stage(name, "results/whole"))
    longest = time.monotonic() - began
    wanted = files(folder / "results/whole")
    faults = []
    drill = "kill -9 of a stage"
    if ran.status or not wanted:
        tally.note(drill, name, "wrong", f"does not run undisturbed: {ran.said[-500:]}")
        return
    hit = 0
    for _ in range(8 * kills):  # some end before the moment has come
        if hit == kills:
            break
        if not killed(folder, stage(name, "results/killed"), chance, 0.95 * longest):
            shutil.rmtree(folder / "results/killed", ignore_errors=True)
            continue
        hit += 1
        fault = f"{name}, kill {hit}"
        found = files(folder / "results/killed")
        half = [file for file in found if found[file] != wanted.get(file)]
        if half:
            tally.note(drill, fault, "wrong", f"half-written: {half}")
        else:
            faults.append(fault)
    again: Ran = run(folder, *stage(name, "results/killed"))
    same = again.status == 0 and files(folder / "results/killed") == wanted
    for fault in faults:
        tally.note(drill, fault, "right" if same else "wrong", "" if same else again.said[-500:])
    shutil.rmtree(folder)
