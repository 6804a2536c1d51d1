"""The sub-command ``build``: run the workflow as ``make`` does, one run at a time and without its small talk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

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
    load(Path())  # its mistakes are told here, without Snakemake's words around them
    write_text(Path("results/.gitignore"), "# built\n*\n")  # also finds out that results/ can be written
    place = Path(".snakemake")
    place.mkdir(exist_ok=True)
    # A lock of the system: gone with the process that holds it, however it ends. Snakemake's own outlives kill -9.
    with (place / "winoqueer-nl.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                [Problem(str(Path.cwd()), "another build at work here", "one at a time", "Wait until it has ended.")]
            ) from None
        command = [sys.executable, "-m", "snakemake", "--nolock", "--rerun-incomplete"]
        if profile is not None:
            command += ["--workflow-profile", str(profile.resolve())]
        if cores is not None or profile is None:
            command += ["--cores", cores or "all"]
        command += ["--quiet", "rules", "progress", "host", "--", *(targets or [])]
        with subprocess.Popen(command, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, bufsize=1) as run:
            assert run.stdout is not None
            for line in run.stdout:
                if not line.startswith(SMALL_TALK):
                    typer.echo(line, nl=False)
        if run.returncode:
            raise typer.Exit(run.returncode if run.returncode > 0 else 1)
