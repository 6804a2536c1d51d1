"""A server without and with Xet, and releases of the toy language to publish."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hub.client import pointed
from hub.server import Hub
from release import toy_release
from winoqueer_nl.release.layout import Release, open_release


@pytest.fixture(params=["lfs", "xet"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A server in both transfer modes, one after the other."""
    with pointed(request.param == "xet", monkeypatch, tmp_path / "home") as hub:
        yield hub


@pytest.fixture
def lfs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A server without Xet."""
    with pointed(False, monkeypatch, tmp_path / "home") as hub:
        yield hub


@pytest.fixture
def xet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A server with Xet."""
    with pointed(True, monkeypatch, tmp_path / "home") as hub:
        yield hub


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """Versions 1.0.0, 1.0.1 (a corrected spelling, compared with 1.0.0) and 1.0.2 (compared with nothing)."""
    root = tmp_path_factory.mktemp("project")
    change = toy_release.corrected("forms", "1.0.1", {"text": "ban brel"}, {"text": "ban brell"}, "doubled letter")
    toy_release.write_project(root, [change], ("1.0.0", "1.0.1", "1.0.2"))
    first = toy_release.make(root, "1.0.0")
    return {
        "1.0.0": first,
        "1.0.1": toy_release.make(root, "1.0.1", previous=first),
        "1.0.2": toy_release.make(root, "1.0.2"),
    }


@pytest.fixture
def release(releases: dict[str, Release]) -> Release:
    """Version 1.0.0."""
    return releases["1.0.0"]


@pytest.fixture
def spoiled(release: Release, tmp_path: Path) -> Callable[..., Release]:
    """A copy of version 1.0.0 with one text replaced in a file, its checksums made to agree."""

    def spoil(file: str, old: str, new: str) -> Release:
        from winoqueer_nl.release.layout import checksums_text

        folder = tmp_path / release.folder.name
        shutil.copytree(release.folder, folder)
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        sums = checksums_text(folder, open_release(folder).files())
        (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
        return open_release(folder)

    return spoil
