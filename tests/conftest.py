"""What the tests share: the project folder, the toy language, and the command line run inside the test."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
from pathlib import Path

import pytest

import toy
from command import PROJECT, Ran, Run
from winoqueer_nl import cli

# A shell that starts the tests in the background has them and all that they start ignore the interrupt key.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder of this project, with its Dutch and English tables."""
    return PROJECT


@pytest.fixture
def toy_root(tmp_path: Path) -> Path:
    """A folder with the toy language as a project of its own."""
    return toy.write(tmp_path)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `winoqueer-nl` with arguments; only an exit status and text come back, as from a shell."""

    def run_it(*arguments: object) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", *map(str, arguments)])
        status: object = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                cli.main()
            except SystemExit as stop:
                status = stop.code or 0
        assert isinstance(status, int)
        return Ran(status, out.getvalue(), err.getvalue())

    return run_it
