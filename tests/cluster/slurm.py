"""A Slurm of one node for the cluster check: its own daemons in a folder of its own, gone when the check is over.

No systemd and no accounting. It needs root and Debian's packages; `missing` says what is not there.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

INSTALL = "apt-get install -y --no-install-recommends slurm-wlm munge"
PROGRAMS = ("slurmctld", "slurmd", "srun", "sbatch", "scontrol", "squeue", "scancel", "munged", "munge")
#: The only place where every part of Slurm looks: the steps of a job are started without SLURM_CONF.
CONF = Path("/etc/slurm/slurm.conf")
MARK = "# Written by the cluster check of WinoQueer-NL for the time that it runs."
#: Held by the check that is at work.
LOCK = Path(tempfile.gettempdir()) / "winoqueer-nl-cluster-check.lock"
PARTITION = "check"
UNFINISHED = "running,pending,completing"
DAEMONS = ("slurmd", "slurmctld", "munged")

# Waiting times as short as Slurm takes them. Its tests of time limits come every half minute, whatever one sets.
SETTINGS = """\
{mark}
ClusterName=check
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={controller_port}
SlurmdPort={node_port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=0
MinJobAge=3600
OverTimeLimit=0
KillWait=2
CompleteWait=0
SchedulerParameters=batch_sched_delay=1,sched_interval=2,bf_interval=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName={partition} Nodes={host} Default=YES MaxTime=INFINITE State=UP DefMemPerCPU=500
"""


class Job(NamedTuple):
    """A job that Slurm knows: its number, its state, how often it was started again, and what Snakemake calls it."""

    number: str
    state: str
    restarts: int
    comment: str


def missing() -> str | None:
    """Why no Slurm can be started here and what to do about it, or None when it can."""
    if os.geteuid() != 0:
        return (
            "The cluster check starts a Slurm of its own, which only root can do: run it as root, in a container say."
        )
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        return f"The cluster check needs Slurm; {', '.join(absent)} cannot be found. On Debian and Ubuntu:\n  {INSTALL}"
    if CONF.exists() and MARK not in CONF.read_text(encoding="utf-8", errors="replace"):
        return f"This machine has a Slurm already ({CONF} is not ours). Run the cluster check on another machine."
    return None


class Slurm:
    """A running Slurm; use it in a `with` block."""

    def __enter__(self) -> Slurm:
        # A lock of the system: gone with the process that holds it, however it ends.
        self.lock = LOCK.open("w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.lock.close()
            sys.exit("Another cluster check is at work on this machine. Wait until it has ended.")
        _remove_leftovers()
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-check-"))
        self.host = socket.gethostname().split(".")[0]
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(subprocess.SubprocessError, AssertionError):
            for job in self.jobs(UNFINISHED):
                said("scancel", job.number)
            self.wait_until(lambda: not self.jobs(UNFINISHED), "all jobs are cancelled", 20)
        _remove_leftovers()
        self.lock.close()

    def _start(self) -> None:
        self.folder.chmod(0o755)  # munge asks for it
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
        ports = _free_ports(2)
        CONF.parent.mkdir(exist_ok=True)
        CONF.write_text(
            SETTINGS.format(
                mark=MARK, folder=self.folder, host=self.host, cpus=os.cpu_count(), memory=memory * 9 // 10,
                controller_port=ports[0], node_port=ports[1], partition=PARTITION,
            ),
            encoding="utf-8",
        )  # fmt: skip
        said(
            "munged", f"--socket={self.folder}/munge.socket", f"--key-file={key}",
            f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munge.seed",
        )  # fmt: skip
        said("slurmctld")
        said("slurmd")
        self.wait_until(lambda: self.node() == "idle", "the node is idle")

    def wait_until(self, holds: Callable[[], bool], what: str, seconds: float = 60) -> None:
        """Wait until something holds; AssertionError with the state of the queue when it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(subprocess.SubprocessError):  # while the controller is away
                if holds():
                    return
            time.sleep(0.5)
        raise AssertionError(f"after {seconds:.0f} s it is still not so that {what}: {self.node()}, {self.jobs()}")

    def node(self) -> str:
        """The node's state, such as "idle", "mixed", "down"."""
        return said("sinfo", "-h", "-o", "%T").strip().rstrip("*")

    def jobs(self, states: str = "all") -> list[Job]:
        """All jobs so far, or those in the given states."""
        columns = "JobID:20,State:20,RestartCnt:10,Comment:300"
        rows = [line.split(maxsplit=3) for line in said("squeue", "-h", "--states", states, "-O", columns).splitlines()]
        return [Job(number, state, int(restarts), comment) for number, state, restarts, comment in rows]

    def now(self, job: Job) -> Job:
        """A job as it is now."""
        return next(one for one in self.jobs() if one.number == job.number)

    def processes(self, job: Job) -> list[int]:
        """Numbers of the processes of a running job, Slurm's own left out."""
        lines = said("scontrol", "listpids", job.number).splitlines()[1:]
        return [int(line.split()[0]) for line in lines if int(line.split()[0]) > 0]

    def set_node(self, state: str) -> None:
        """Set the node down, or let it resume."""
        said("scontrol", "update", f"NodeName={self.host}", f"State={state}", "Reason=check")

    def kill_controller(self) -> None:
        """End the controller as a power cut would."""
        os.kill(_number(self.folder, "slurmctld") or 0, signal.SIGKILL)

    def start_controller(self) -> None:
        """Start the controller again; it takes up its jobs from its folder."""
        said("slurmctld")


def said(*command: str) -> str:
    """What a program wrote; raises CalledProcessError when it fails."""
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def _number(folder: Path, daemon: str) -> int | None:
    """The process of one of our daemons, if it runs."""
    with contextlib.suppress(OSError, ValueError):
        number = int((folder / f"{daemon}.pid").read_text())
        if Path(f"/proc/{number}/comm").read_text().strip() == daemon:
            return number
    return None


def _remove_leftovers() -> None:
    """End the daemons of the check that wrote the configuration, this one or one that was killed, and its files."""
    if not CONF.exists():
        return
    settings = dict(line.split("=", 1) for line in CONF.read_text(encoding="utf-8").splitlines() if "=" in line)
    folder = Path(settings["StateSaveLocation"]).parent
    numbers = [number for daemon in DAEMONS if (number := _number(folder, daemon))]
    for number in numbers:
        os.kill(number, signal.SIGTERM)
    end = time.monotonic() + 20
    while any(Path(f"/proc/{number}").exists() for number in numbers) and time.monotonic() < end:
        time.sleep(0.1)
    CONF.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
