"""The sub-command ``build``: run the workflow as ``make`` does, one run at a time and without its small talk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from winoqueer_nl.config import Config

# What Snakemake says of its own doings at every step; what the stages say, and every error, stays.
SMALL_TALK = (
    "Assuming unrestricted",
    "Building DAG",
    "Using shell:",
    "Conda environments:",
    "Select jobs to execute",
    "Execute ",
    "Complete log(s):",
    "Elapsed time:",
)

#: A build that has failed on a disk with less room (bytes) most likely failed for that.
LEAST_FREE = 20_000_000

#: Where the sources stand that a build reads.
SOURCES = ("templates", "predicates", "survey", "release", "models.yaml")


def register(app: typer.Typer) -> None:
    """Add the sub-command to the command line."""
    app.command()(build)


def build(
    targets: Annotated[
        list[str] | None, typer.Argument(help="Files or targets to build; everything by default.")
    ] = None,
    cores: Annotated[
        str | None, typer.Option(help="How many cores to use, or all. Default: all, or what the profile says.")
    ] = None,
    profile: Annotated[
        Path | None, typer.Option(help="Folder with a Snakemake profile: where jobs run (docs/cluster.md).")
    ] = None,
) -> None:
    """Build what config.yaml asks for (run in the project folder). A run that was stopped goes on where it was."""
    import fcntl

    from winoqueer_nl.config import load
    from winoqueer_nl.files import write_text
    from winoqueer_nl.problems import InputError, Problem

    if profile is not None and not (profile / "config.yaml").is_file():
        found = "no such folder" if not profile.is_dir() else "no config.yaml in it"
        raise InputError([Problem(f"--profile {profile}", found, "a folder of profiles/, or one of your own", "")])
    config = load(Path())  # its mistakes are told here, without Snakemake's words around them
    results, place = Path("results"), Path(".snakemake")
    write_text(results / ".gitignore", "# built\n*\n")  # also finds out that results/ can be written
    write_text(place / ".gitignore", "# Snakemake's records of what was built\n*\n")
    # A lock of the system: gone with the process that holds it, however it ends. Snakemake's own outlives kill -9.
    with (place / "winoqueer-nl.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                [Problem(str(Path.cwd()), "another build at work here", "one at a time", "Wait until it has ended.")]
            ) from None
        _remove_left_over(results)
        _go_by_contents(results, config)
        command = [sys.executable, "-m", "snakemake", "--nolock", "--rerun-incomplete"]
        command += ["--max-checksum-file-size", "1GB"]  # a file made again with the same bytes is no reason to go on
        if profile is not None:
            command += ["--workflow-profile", str(profile.resolve())]
        if cores is not None or profile is None:
            command += ["--cores", cores or "all"]
        command += ["--quiet", "rules", "progress", "host", "--", *(targets or [])]
        # The lock is Snakemake's, too: it may outlive this process.
        with subprocess.Popen(
            command,
            stderr=subprocess.STDOUT,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            pass_fds=[lock.fileno()],
        ) as run:
            assert run.stdout is not None
            for line in run.stdout:
                if not line.startswith(SMALL_TALK):
                    typer.echo(line, nl=False)
        if run.returncode:
            _tell_full_disks([results, place, Path(tempfile.gettempdir())])
            raise typer.Exit(run.returncode if run.returncode > 0 else 1)


def _tell_full_disks(places: list[Path]) -> None:
    """Name the disks that are as good as full: a job that meets one cannot keep its message in its log either."""
    from winoqueer_nl.problems import Problem

    for folder in places:
        free = shutil.disk_usage(folder).free
        if free < LEAST_FREE:
            found, fix = f"{free / 1e6:.1f} MB free", "Free some space, then build again: it goes on where it stopped."
            typer.echo(Problem(str(folder), found, "a disk with room", fix), err=True)


def _remove_left_over(results: Path) -> None:
    """Remove what killed runs left, if it is an hour old: a single stage may be at work beside the build."""
    for path in [*results.rglob(".*.part"), *results.glob("release/.*")]:
        if path.exists() and abs(time.time() - path.stat().st_mtime) > 3600:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _go_by_contents(results: Path, config: Config) -> None:
    """Refuse to build on files that were altered, and let no clock decide what is up to date.

    A result dated ahead of now would count as newer than whatever is changed from now on. It is dated back: Snakemake
    then compares what was read for it with what is there. A source dated ahead would make every result look too old to
    Snakemake, which refuses it: it is dated now.
    """
    from winoqueer_nl.files import RECORDS, check_intact, recorded, unwritable

    (results / RECORDS).mkdir(exist_ok=True)
    check_intact(*recorded(results))
    exports = [path for one in config.languages.values() if one.survey for path in one.survey.exports]
    dates: list[tuple[Path, tuple[int, int] | None]] = []
    dates += [(path, (1, 1)) for path in _dated_ahead(results)]  # to Snakemake, 0 says nothing
    dates += [(path, None) for path in _dated_ahead(*map(Path, (*SOURCES, *exports)))]
    for path, moment in dates:
        try:
            os.utime(path, moment)
        except OSError as error:
            raise unwritable(path, error) from error


def _dated_ahead(*places: Path) -> list[Path]:
    """Files, and files below folders, that are dated ahead of the clock."""
    ahead = time.time() + 60  # the clock of a file server may differ by a little
    found = [path for place in places for path in (place, *place.rglob("*"))]
    return [path for path in found if path.is_file() and path.stat().st_mtime > ahead]
