"""A built file that is emptied, cut short or altered, and dated as if it had just been written.

A build and every stage that reads the file must say so, or make the file again: nothing may be made from it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from drill.kills import EDITION_FOLDER, PAIRS, RUN, SURVEY, stage
from drill.project import RELEASE, Base, amiss, build, outputs, run
from drill.tally import Tally, clear, side_by_side

BUILD, STAGE = "damaged file, build", "damaged file, stage"


def _emptied(content: bytes, chance: random.Random) -> bytes:
    return b""


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(1, len(content))]


def _flipped(content: bytes, chance: random.Random) -> bytes:
    """One bit of one byte is another: in a text most often another letter or figure."""
    place = chance.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def _figure(content: bytes, chance: random.Random) -> bytes:
    """A figure is another: what no reader of a table can see. A bit is flipped where there is no figure."""
    places = [n for n, byte in enumerate(content) if byte in b"123456789"]
    if not places:
        return _flipped(content, chance)
    place = chance.choice(places)
    return content[:place] + bytes([ord("1") + (content[place] - ord("1") + 1) % 9]) + content[place + 1 :]


KINDS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "emptied": _emptied,
    "cut short": _cut,
    "a bit flipped": _flipped,
    "another figure": _figure,
}
#: Which built files each stage reads.
READS = {
    "pairs": [f"{EDITION_FOLDER}/tables.json", f"{SURVEY}/stereotypes.csv"],
    "metadata": [f"{EDITION_FOLDER}/tables.json", f"{SURVEY}/stereotypes.csv", PAIRS],
    "check": [PAIRS, f"{SURVEY}/stereotypes.csv"],
    "score masked": [PAIRS],
    "statistics": [f"{RUN}/scores.parquet", f"{RUN}/summary.json", PAIRS],
    "report": [
        *(f"results/tables/{name}.csv" for name in ("metrics", "comparison", "stereotypes")),
        PAIRS,
        f"{EDITION_FOLDER}/stereotypes.csv",
        f"{SURVEY}/stereotypes.csv",
        f"{SURVEY}/respondents.csv",
    ],
    "release": [
        PAIRS,
        f"{EDITION_FOLDER}/sentence_pairs.csv",
        f"{EDITION_FOLDER}/stereotypes.csv",
        f"{EDITION_FOLDER}/stereotype_metadata.csv",
        f"{SURVEY}/stereotypes.csv",
    ],
}


def drill(base: Base, tally: Tally, quick: bool) -> None:
    """Every built file under a build, every file that a stage reads under that stage, the release under verify."""
    files = [name for name in base.expected if not name.startswith(RELEASE)]
    shown = [name for name in files if name.endswith((".md", ".tex", ".svg", ".png"))]
    files = [name for name in files if name not in shown[3:]]  # of what nothing is made from, a few will do
    every = 4 if quick else 1
    side_by_side(
        [lambda part=part: _under_build(base, tally, files[part::2][::every]) for part in range(2)]
        + [lambda name=name: _under_stage(base, tally, name, READS[name][::every]) for name in READS]
        + [lambda: _under_verify(base, tally, every)]
    )


def _under_build(base: Base, tally: Tally, names: list[str]) -> None:
    folder = base.copy(base.built)
    for number, name in enumerate(names):
        for kind in list(KINDS)[number % 2 :: 2]:  # each file in two ways
            fault, spoil = f"{name} {kind}", KINDS[kind]
            path, content = _spoil(folder, name, spoil, fault)
            ran = build(folder)
            if ran.status == 0:  # made again
                said = amiss(folder, base.expected, whole=True)
                tally.note(BUILD, fault, "wrong" if said else "right", said)
                path.write_bytes(content)
                continue
            said = "" if clear(ran.said, name) else f"no clear message: {ran.said[-800:]}"
            said = said or amiss(folder, base.expected | {name: outputs(folder)[name]}, whole=True)
            if number % 4 == 0 and kind == "a bit flipped":  # what the message says is done for some files
                path.unlink()
                again = build(folder)
                said = said or amiss(folder, base.expected, whole=True) or ("" if again.status == 0 else again.said)
            else:
                path.write_bytes(content)
            tally.note(BUILD, fault, "wrong" if said else "told", said)
    shutil.rmtree(folder)


def _spoil(folder: Path, name: str, spoil: Callable[[bytes, random.Random], bytes], seed: str) -> tuple[Path, bytes]:
    path = folder / name
    content = path.read_bytes()
    spoiled = spoil(content, random.Random(seed))
    assert spoiled != content
    path.write_bytes(spoiled)
    return path, content


def _under_stage(base: Base, tally: Tally, stage_name: str, names: list[str]) -> None:
    folder = base.copy(base.built)
    for number, name in enumerate(names):
        for kind in list(KINDS)[number % 2 :: 2]:
            spoil = KINDS[kind]
            fault = f"{stage_name} with {name} {kind}"
            path, content = _spoil(folder, name, spoil, fault)
            ran = run(folder, *stage(stage_name, "new"))
            path.write_bytes(content)
            if ran.status == 0:
                tally.note(STAGE, fault, "wrong", "a result was made from it")
            elif not clear(ran.said, name):
                tally.note(STAGE, fault, "wrong", f"no clear message: {ran.said[-800:]}")
            elif (folder / "new").exists() and any(p.is_file() for p in (folder / "new").rglob("[!.]*")):
                tally.note(STAGE, fault, "wrong", "something was written")
            else:
                tally.note(STAGE, fault, "told")
            shutil.rmtree(folder / "new", ignore_errors=True)
    shutil.rmtree(folder)


def _under_verify(base: Base, tally: Tally, every: int) -> None:
    """A release folder carries its own checksums: what is damaged in it is found before it is published."""
    folder = base.copy(base.built)
    names = [name for name in base.expected if name.startswith(RELEASE)]
    for name in names[:: 3 * every]:
        path, content = _spoil(folder, name, _flipped, name)
        ran = run(folder, "verify", RELEASE, "--quick")
        path.write_bytes(content)
        good = ran.status != 0 and clear(ran.said, RELEASE) and Path(name).name in ran.said
        tally.note("damaged release", name, "told" if good else "wrong", "" if good else ran.said[-800:])
    shutil.rmtree(folder)
