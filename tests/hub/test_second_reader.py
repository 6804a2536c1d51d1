"""A second, independent client (npm's @huggingface/hub) reads what was published, byte for byte."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hub.client import published
from hub.server import Hub
from winoqueer_nl.files import sha256
from winoqueer_nl.release.layout import Release

READER = Path(__file__).parent / "reader"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed; see make test-second-reader")
@pytest.mark.skipif(
    not (READER / "node_modules").is_dir(), reason="the reader is not installed; make test-second-reader does it"
)
def test_the_second_reader_gets_the_published_bytes_by_tag(server: Hub, release: Release) -> None:
    published(release)
    line = ["node", "read.mjs", server.url, "org/data", "v1.0.0"]
    ran = subprocess.run(line, cwd=READER, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    found.pop(".gitattributes")
    assert found == {file: sha256(release.folder / file) for file in release.files()}
