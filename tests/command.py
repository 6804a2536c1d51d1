"""The command line run inside a test, and where this project stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parent.parent


class Ran(NamedTuple):
    """What a run of the command line gave back."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]
