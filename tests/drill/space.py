"""A full disk and a read-only one: results/ (or Snakemake's records, or the place for temporary files) on a tmpfs.

For root no folder is read-only, so that a file system is mounted; where that is not possible the drill is skipped.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from drill.kills import STAGES, stage
from drill.project import Base, amiss, build, change_table, files, outputs, run
from drill.tally import Tally, clear, side_by_side

FULL, READ_ONLY = "disk full", "read-only results"
KILOBYTES = (4, 48, 96, 192, 384, 640, 1024)
PLENTY = "64m"


def drill(base: Base, tally: Tally, quick: bool) -> None:
    """Sizes of the disk from nearly nothing to nearly enough; then results that cannot be written."""
    reason = _why_not(base.scratch)
    if reason:
        tally.skip(FULL, reason)
        tally.skip(READ_ONLY, reason)
        return
    sizes = KILOBYTES[2::3] if quick else KILOBYTES
    stages = list(STAGES)[:: 4 if quick else 2]
    side_by_side(
        [lambda size=size: _full(base, tally, "results", size) for size in sizes]
        + [lambda size=size: _full(base, tally, ".snakemake", size) for size in (16, 64)]
        + [lambda size=size: _full(base, tally, "tmp", size) for size in (64,)]
        + [lambda name=name: _full_stage(base, tally, name) for name in stages]
        + [lambda: _read_only(base, tally)]
        + [lambda name=name: _read_only_stage(base, tally, name) for name in stages]
    )


def _why_not(scratch: Path) -> str:
    if os.geteuid() != 0:
        return "needs root, to mount a small file system"
    try:
        with mounted(scratch / "probe", "64k"):
            return ""
    except (OSError, subprocess.CalledProcessError):
        return "no file system can be mounted here"


@contextlib.contextmanager
def mounted(folder: Path, size: str) -> Iterator[None]:
    """A tmpfs of a size on a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def remount(folder: Path, options: str) -> None:
    """Change the size of a mounted tmpfs, or whether it can be written."""
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


def _full(base: Base, tally: Tally, place: str, kilobytes: int) -> None:
    """A build with this place on a small disk, which is then enlarged."""
    folder = base.copy(base.sources)
    fault = f"{place}/ on {kilobytes} kB"
    with mounted(folder / place, f"{kilobytes}k"):
        more = {"TMPDIR": str(folder / "tmp")} if place == "tmp" else {}
        first = build(folder, **more)
        said = amiss(folder, base.expected, whole=first.status == 0)
        if first.status and not _full_is_told(first.said):
            said = said or f"no clear message: {first.said[-1500:]}"
        remount(folder / place, f"size={PLENTY}")
        second = build(folder, **more)
        said = said or amiss(folder, base.expected, whole=True) or ("" if second.status == 0 else second.said[-1500:])
        tally.note(FULL, fault, "wrong" if said else "told" if first.status else "right", said)
    shutil.rmtree(folder)


def _full_is_told(said: str) -> bool:
    return clear(said) and ("No space left on device" in said or "MB free; expected a disk with room" in said)


def _full_stage(base: Base, tally: Tally, name: str) -> None:
    """One stage that writes to a disk on which there is room for a half of what it writes."""
    folder = base.copy(base.built)
    ran = run(folder, *stage(name, "whole"))
    assert ran.status == 0, ran.said
    wanted = files(folder / "whole")
    half = max(4, sum((folder / "whole" / file).stat().st_size for file in wanted) // 2048)
    with mounted(folder / "small", f"{half}k"):
        first = run(folder, *stage(name, "small"))
        said = "" if first.status and _full_is_told(first.said) else f"no clear message: {first.said[-1500:]}"
        found = files(folder / "small")
        said = said or "; ".join(f"half-written: {file}" for file in found if found[file] != wanted.get(file))
        remount(folder / "small", f"size={PLENTY}")
        second = run(folder, *stage(name, "small"))
        if not said and (second.status or files(folder / "small") != wanted):
            said = f"not right afterwards: {second.said[-1500:]}"
        tally.note(FULL, f"{name} on {half} kB", "wrong" if said else "told", said)
    shutil.rmtree(folder)


@contextlib.contextmanager
def _frozen(base: Base) -> Iterator[Path]:
    """A built copy whose results/ cannot be written."""
    folder = base.copy(base.built)
    aside = (folder / "results").rename(folder / "aside")
    with mounted(folder / "results", PLENTY):
        shutil.copytree(aside, folder / "results", dirs_exist_ok=True)
        shutil.rmtree(aside)
        remount(folder / "results", "ro")
        yield folder
    shutil.rmtree(folder)


def _read_only(base: Base, tally: Tally) -> None:
    """A build after a change of a table."""
    with _frozen(base) as folder:
        change_table(folder)
        first = build(folder)
        said = "" if first.status and clear(first.said, "results") else f"no clear message: {first.said[-1500:]}"
        said = said or amiss(folder, base.expected, whole=True)
        remount(folder / "results", "rw")
        second = build(folder)
        said = said or amiss(folder, base.changed, whole=True) or ("" if second.status == 0 else second.said[-1500:])
        tally.note(READ_ONLY, "build", "wrong" if said else "told", said)


def _read_only_stage(base: Base, tally: Tally, name: str) -> None:
    with _frozen(base) as folder:
        before = outputs(folder)
        first = run(folder, *stage(name, "results/new"))
        said = "" if first.status and clear(first.said) else f"no clear message: {first.said[-1500:]}"
        if outputs(folder) != before:
            said = "something was changed"
        remount(folder / "results", "rw")
        second = run(folder, *stage(name, "results/new"))
        said = said or ("" if second.status == 0 else second.said[-1500:])
        tally.note(READ_ONLY, name, "wrong" if said else "told", said)
