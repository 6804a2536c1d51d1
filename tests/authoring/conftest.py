"""What the tests of authoring share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import authoring_project
import pytest
from translation_server import Server


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The made-up project in a folder of its own."""
    return authoring_project.write(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    """A well-behaved translation server, until a test says otherwise."""
    with Server(dict(authoring_project.DICTIONARY)) as running:
        yield running
