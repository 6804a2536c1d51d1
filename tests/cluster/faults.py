"""What befalls a run: each fault waits for its moment, strikes jobs at work, and makes sure that it has struck."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import NamedTuple

import psutil

from cluster.project import Command
from cluster.slurm import Job, Slurm, said


class Fault(NamedTuple):
    """A fault by name: the model that is at work, the profile, and what is done to the run.

    strike: gets the Slurm, the command at work, and a function that gives the same command again; returns the command
    that is at work afterwards.
    """

    name: str
    model: str
    profile: str
    strike: Callable[[Slurm, Command, Callable[[], Command]], Command]


def part_at_work(slurm: Slurm, but: tuple[str, ...] = ()) -> Job:
    """A job that computes a part and has come as far as the scoring itself, held so that it cannot end by itself."""
    found: list[Job] = []

    def look() -> bool:
        for job in slurm.jobs("running"):
            if "score_part" in job.comment and job.number not in but and scoring(slurm, job):
                hold(slurm, job)
                if scoring(slurm, job):  # it was not just ending
                    found.append(job)
                    return True
                release(slurm, job)
        return False

    slurm.wait_until(look, "a part is being scored", 180)
    return found[0]


def scoring(slurm: Slurm, job: Job) -> list[int]:
    """The processes of a job that score: below Slurm's, Snakemake's and the shell's."""
    return [number for number in slurm.processes(job) if "winoqueer-nl score" in " ".join(_line(number)[1:])]


def _line(number: int) -> list[str]:
    try:
        return psutil.Process(number).cmdline()
    except psutil.Error:
        return []


def hold(slurm: Slurm, job: Job) -> None:
    """Stop all processes of a job for a while."""
    _send(slurm.processes(job), signal.SIGSTOP)


def release(slurm: Slurm, job: Job) -> None:
    """Let them go on."""
    _send(slurm.processes(job), signal.SIGCONT)


def _send(numbers: list[int], what: signal.Signals) -> None:
    for number in numbers:
        try:
            os.kill(number, what)
        except ProcessLookupError:
            continue


def killed(slurm: Slurm, command: Command, again: Callable[[], Command]) -> Command:
    """One job is cancelled, the scoring process of another gets kill -9."""
    one = part_at_work(slurm)
    said("scancel", one.number)
    slurm.wait_until(lambda: slurm.now(one).state == "CANCELLED", "the job is cancelled")
    other = part_at_work(slurm, but=(one.number,))
    _send(scoring(slurm, other), signal.SIGKILL)
    release(slurm, other)
    slurm.wait_until(lambda: slurm.now(other).state == "FAILED", "the job has failed")
    return command


def node_down(slurm: Slurm, command: Command, again: Callable[[], Command]) -> Command:
    """The node is set down with jobs at work, and comes back; Slurm starts the jobs again."""
    one = part_at_work(slurm)
    left = slurm.processes(one)
    slurm.set_node("down")
    slurm.wait_until(lambda: slurm.node() == "down" and slurm.now(one).state == "PENDING", "the job waits for a node")
    time.sleep(3)
    slurm.set_node("resume")
    slurm.wait_until(lambda: slurm.now(one).restarts > 0 and slurm.now(one).state == "RUNNING", "the job runs again")
    _send(left, signal.SIGCONT)  # a node that was away only for the controller may still have the job of before
    return command


def time_limit(slurm: Slurm, command: Command, again: Callable[[], Command]) -> Command:
    """A job stands still until its time is over."""
    one = part_at_work(slurm)
    slurm.wait_until(lambda: slurm.now(one).state == "TIMEOUT", "the job's time is over", 150)
    return command


def controller(slurm: Slurm, command: Command, again: Callable[[], Command]) -> Command:
    """Slurm's controller gets kill -9 with jobs at work and is started again some seconds later."""
    one = part_at_work(slurm)
    time.sleep(8)  # it writes its state every five seconds; of jobs that it has not written it would know nothing
    slurm.kill_controller()
    time.sleep(5)
    slurm.start_controller()
    slurm.wait_until(lambda: slurm.node() in ("idle", "mixed", "allocated"), "the node is back")
    release(slurm, one)
    return command


def command_killed(slurm: Slurm, command: Command, again: Callable[[], Command]) -> Command:
    """The command itself gets kill -9; it is given again while its jobs of before are still at work."""
    one = part_at_work(slurm)
    before = {job.number for job in slurm.jobs()}
    command.kill()
    second = again()
    slurm.wait_until(lambda: {job.number for job in slurm.jobs()} > before, "the second command has sent jobs")
    release(slurm, one)
    return second


FAULTS = [
    Fault("a job cancelled, the process of another killed", "demo-masked", "here", killed),
    Fault("the node set down and resumed", "demo-causal", "here", node_down),
    Fault("a job over its time limit", "demo-causal", "here-short", time_limit),
    Fault("the controller killed and restarted", "demo-causal", "here", controller),
    Fault("the command killed and given again", "demo-causal", "here", command_killed),
]
