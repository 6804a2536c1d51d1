"""Clocks that jump, as files show it: dated far ahead or far back, whole or in the middle of a build.

(A clock faked by a library would do more harm than a real one: Python's own waits hang or fail under libfaketime.)
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from drill.project import LANG, TABLE, Base, amiss, build, change_table
from drill.tally import Tally, clear, side_by_side

DRILL = "clock jumps"
YEAR = 365 * 86400
SOURCES = ("templates", "predicates", "survey", "release")


def drill(base: Base, tally: Tally, quick: bool) -> None:
    """Dates of sources and results moved, then a table changed (its date kept, moved back, moved ahead)."""
    cases = [
        lambda what=what, years=years, change=change: _dated(base, tally, what, years, change)
        for what in ("results", "sources", "table")
        for years in (-20, 20)
        for change in (False, True)
    ]
    cases += [lambda years=years: _stopped_in_between(base, tally, years) for years in (-20, 20)]
    side_by_side(cases[1::4] if quick else cases)


def _date(paths: list[Path], years: int) -> None:
    moment = time.time() + years * YEAR
    for path in paths:
        os.utime(path, (moment, moment))


def _files(folder: Path, *below: str) -> list[Path]:
    return [path for name in below for path in (folder / name).rglob("*") if path.is_file()]


def _dated(base: Base, tally: Tally, what: str, years: int, change: bool) -> None:
    """Files of a built copy get another date; perhaps a table is changed, too."""
    folder = base.copy(base.built)
    if change:
        change_table(folder)
    moved = {"results": ["results"], "sources": list(SOURCES)}.get(what)
    _date(_files(folder, *moved) if moved else [folder / TABLE], years)
    _ends_well(base, tally, folder, f"{what} {years:+} years{', table changed' if change else ''}", change)


def _stopped_in_between(base: Base, tally: Tally, years: int) -> None:
    """Results are dated otherwise, a table is changed, and the build stops after the first stage."""
    folder = base.copy(base.built)
    _date(_files(folder, "results"), years)
    change_table(folder)
    build(folder, f"results/{LANG}/1.0.0/tables.json")
    _ends_well(base, tally, folder, f"results {years:+} years, table changed, first stage alone built", True)


def _ends_well(base: Base, tally: Tally, folder: Path, fault: str, changed: bool) -> None:
    ran = build(folder)
    said = amiss(folder, base.changed if changed else base.expected, whole=True)
    if ran.status:
        verdict = "told" if clear(ran.said) else "wrong"
        tally.note(DRILL, fault, verdict, "" if verdict == "told" else ran.said[-1500:])
    else:
        tally.note(DRILL, fault, "wrong" if said else "right", said)
    shutil.rmtree(folder)
