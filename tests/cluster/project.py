"""The project that is sent to the cluster: a copy of this one that builds English and scores two models in parts."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from cluster.slurm import PARTITION
from command import PROJECT
from copies import copy_project, environment
from winoqueer_nl.files import sha256

SCORES = "results/scores/en/1.0.0"
#: Models and the number of parts that each is cut into.
MODELS = {"demo-masked": 3, "demo-causal": 2}
#: What docs/cluster.md has people change in profiles/slurm, here for a cluster of one node without accounting. The time
#: limit is a minute at the first attempt and more at every further one.
FOR_THIS_CLUSTER: dict[str, Any] = {"slurm-status-command": "squeue", "slurm-init-seconds-before-status-checks": 5}
SHORT = {"score_part": {"runtime": "attempt"}}


def make(folder: Path, models: dict[str, int] = MODELS) -> Path:
    """Write the project into a folder that does not exist yet; models: the number of parts of each."""
    copy_project(folder)
    config = {
        "languages": {"en": {"editions": ["1.0.0"]}},
        "scoring": {"models": {model: {"sample": 300, "jobs": parts} for model, parts in models.items()}},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    profile = yaml.safe_load((PROJECT / "profiles/slurm/config.yaml").read_text(encoding="utf-8"))
    profile |= FOR_THIS_CLUSTER
    profile["default-resources"]["slurm_partition"] = PARTITION
    for name, more in {"here": {}, "here-short": {"set-resources": SHORT}}.items():
        (folder / "profiles" / name).mkdir()
        (folder / "profiles" / name / "config.yaml").write_text(yaml.safe_dump(profile | more), encoding="utf-8")
    return folder


class Command:
    """`winoqueer-nl build` at work in a copy; what it says goes into a file."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.said = folder / "said.txt"
        with self.said.open("a", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "winoqueer_nl.cli", "build", *options, "score"],
                cwd=folder, env=environment(folder), stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def wait(self, seconds: float = 300) -> int | None:
        """Its exit status, or None when it had to be killed because it did not end."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self) -> None:
        """End it and the Snakemake below it with kill -9."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def forget(folder: Path, model: str) -> None:
    """Remove what was scored of a model, so that the next build scores it anew."""
    shutil.rmtree(folder / SCORES / model, ignore_errors=True)
    shutil.rmtree(folder / "results/parts", ignore_errors=True)


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of the pairs and scores, and the summaries without how long they took."""
    found = {"pairs": sha256(folder / "results/en/1.0.0/pairs.parquet")}
    for model in MODELS:
        place = folder / SCORES / model
        found[model] = sha256(place / "scores.parquet") if (place / "scores.parquet").exists() else "missing"
        summary = json.loads((place / "summary.json").read_text("utf-8")) if (place / "summary.json").exists() else {}
        found[f"{model}, summary"] = json.dumps({key: summary[key] for key in summary if key != "performance"})
    return found
