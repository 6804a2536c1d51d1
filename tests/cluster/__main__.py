"""Score on a real Slurm, undisturbed and under fault, and compare every byte with a run without any cluster."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tabulate import tabulate

from cluster import faults, project
from cluster.faults import FAULTS
from cluster.project import Command
from cluster.slurm import UNFINISHED, Job, Slurm, missing, said
from copies import end_processes

#: How often the command is given before a fault counts as not survived.
COMMANDS = 3


def main(words: list[str]) -> int:
    """Run the check, with the faults whose names have one of the words (all if none is given).

    The exit status is 1 when a byte differs or when there can be no Slurm here.
    """
    reason = missing()
    if reason:
        print(reason, file=sys.stderr)
        return 1
    for ends in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ends, lambda number, _: sys.exit(128 + number))  # clean up then, too
    began = time.monotonic()
    scratch = Path(tempfile.mkdtemp(prefix="winoqueer-nl-cluster-"))
    kept = False
    try:
        check = Check(project.make(scratch / "project"))
        check.without_cluster(scratch / "local")
        with Slurm() as slurm:
            print(f"{said('sinfo', '--version').strip()}, one node of {said('sinfo', '-h', '-o', '%c').strip()} CPUs")
            check.undisturbed(slurm)
            for fault in FAULTS:
                if not words or any(word in fault.name for word in words):
                    check.struck(slurm, fault)
        kept = check.wrong > 0
    finally:
        end_processes(scratch)
        if not kept:
            shutil.rmtree(scratch)
    print()
    print(tabulate(check.rows, headers=["what happened", "jobs of Slurm", "commands", "seconds", "identical"]))
    print(f"\n{check.wrong} of {len(check.rows)} runs ended otherwise; {time.monotonic() - began:.0f} s in all.")
    if kept:
        print(f"What was said and computed is kept in {scratch}.")
    return 1 if kept else 0


class Check:
    """The runs so far, as rows of the table at the end. expected: digests of the run without a cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.expected: dict[str, str] = {}
        self.rows: list[list[object]] = []
        self.wrong = 0

    def without_cluster(self, folder: Path) -> None:
        """Everything on this machine, in a folder of its own, each model in one piece."""
        print("Scoring without a cluster ...", flush=True)
        command = Command(project.make(folder, dict.fromkeys(project.MODELS, 1)))
        if command.wait():
            sys.exit(f"It failed:\n{command.said.read_text(encoding='utf-8')}")
        self.expected = project.digests(folder)

    def undisturbed(self, slurm: Slurm) -> None:
        """Everything from the tables on, both models."""
        self._follow(slurm, "nothing", "here", lambda command, again: command)

    def struck(self, slurm: Slurm, fault: faults.Fault) -> None:
        """One model scored anew, under a fault."""
        project.forget(self.folder, fault.model)
        self._follow(slurm, fault.name, fault.profile, lambda command, again: fault.strike(slurm, command, again))

    def _follow(
        self, slurm: Slurm, name: str, profile: str, strike: Callable[[Command, Callable[[], Command]], Command]
    ) -> None:
        print(f"Scoring on Slurm: {name} ...", end=" ", flush=True)
        began, given = time.monotonic(), 0
        known = {job.number for job in slurm.jobs()}

        def give() -> Command:
            nonlocal given
            given += 1
            return Command(self.folder, "--profile", f"profiles/{profile}")

        command, amiss = give(), ""
        try:
            command = strike(command, give)
            while command.wait() != 0 and given < COMMANDS:
                command = give()
            slurm.wait_until(lambda: not slurm.jobs(UNFINISHED), "all jobs have ended", 120)
        except AssertionError as missed:
            amiss = f" ({missed})"
            command.kill()
        same = not amiss and project.digests(self.folder) == self.expected
        self.wrong += not same
        print("the same bytes." if same else "NOT THE SAME.", flush=True)
        ended = [job for job in slurm.jobs() if job.number not in known]
        self.rows.append([name + amiss, told(ended), given, round(time.monotonic() - began), "yes" if same else "NO"])


def told(jobs: list[Job]) -> str:
    """The jobs by how they ended, such as "8: 7 completed (1 started again), 1 cancelled"."""
    states = Counter(job.state.lower() for job in jobs)
    again = sum(job.restarts > 0 for job in jobs)
    text = f"{len(jobs)}: " + ", ".join(f"{count} {state}" for state, count in states.most_common())
    return text + (f" ({again} started again)" if again else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
