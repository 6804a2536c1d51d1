"""Other people's programs that check a release: cffconvert, mlcroissant, lm-evaluation-harness.

They stand in an environment of their own (`make release-tools`), because cffconvert needs an older jsonschema than
Snakemake does, and are called as programs. Versions: release/tools.txt.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from winoqueer_nl.problems import InputError, Problem

#: The environment of these programs, beside the project's own.
ENVIRONMENT = ".venv-release"
TOOLS = ("cffconvert", "mlcroissant", "lm_eval")


def find(name: str) -> Path | None:
    """Where a program is: in the project's environment for such programs, else on the search path."""
    beside = Path(sys.prefix).parent / ENVIRONMENT / "bin" / name
    if beside.is_file():
        return beside
    found = shutil.which(name)
    return Path(found) if found else None


def require(name: str) -> Path:
    """The path of a program; raises InputError when it is not installed."""
    program = find(name)
    if program is None:
        raise InputError(
            [
                Problem(
                    name,
                    "no such program",
                    "the program that checks this part of a release",
                    "Set it up once: make release-tools",
                )
            ]
        )
    return program


def run(
    name: str, arguments: Sequence[str], where: Path, seconds: float, extra: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run a program offline and without the token; its exit status and what it printed.

    Raises
    ------
    InputError
        when it is not installed, or does not end in time.
    """
    program = require(name)
    # Programs from elsewhere never see the token, and have no reason to go online.
    secret = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH")
    environment = {key: value for key, value in os.environ.items() if key not in secret}
    environment |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    environment |= dict(extra or {})
    try:
        ended = subprocess.run(
            [str(program), *arguments],
            cwd=where,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            [Problem(name, f"no end after {seconds:.0f} s", "an answer", "Run the check again.")]
        ) from None
    except OSError as error:
        raise InputError(
            [Problem(name, f"the system's answer {error.strerror}", "a program that runs", "make release-tools")]
        ) from error
    return ended.returncode, ended.stdout


def last_line(output: str) -> str:
    """The last line of a program's output that says something."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no message"
