"""A copy of this project, and the command line run in it with the package of that copy."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil

from command import PROJECT


def copy_project(folder: Path) -> Path:
    """What version control holds of the project, or would hold, in another folder; return the folder."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
    return folder


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment in which `winoqueer-nl`, also as the workflow calls it, is that of the copy."""
    own = {
        "PYTHONPATH": os.pathsep.join([str(folder / "scripts"), str(folder / "tests")]),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return os.environ | own | more


def python(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module in a copy."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(folder, **more),
        timeout=300,
    )


def end_processes(folder: Path) -> None:
    """End what is still at work in a folder: killing a process group or a job leaves what had left it alive."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if Path(process.cwd()).is_relative_to(folder):
                process.kill()
                process.wait(5)
