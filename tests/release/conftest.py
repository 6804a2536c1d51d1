"""Releases of the toy language, built once for the tests of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from release import toy_release
from winoqueer_nl.release.layout import Release, open_release


@pytest.fixture(scope="session")
def toy_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the toy language."""
    return toy_release.write_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="session")
def built(toy_project: Path) -> Release:
    """Version 1.0.0 with survey and scores; not to be changed."""
    return toy_release.make(toy_project, scores=True)


@pytest.fixture
def copied(built: Release, tmp_path: Path) -> Release:
    """The same in a folder of its own, to be spoiled."""
    folder = tmp_path / built.folder.name
    shutil.copytree(built.folder, folder)
    return Release(folder, folder.name)


@pytest.fixture
def versions(tmp_path: Path) -> Callable[..., tuple[Release, Release]]:
    """Build two versions of the toy language that differ by changes of the tables, the survey or the scores."""

    def build(
        *changes: Callable,
        version: str = "1.0.1",
        compared: bool = False,
        votes: tuple = (toy_release.VOTES, toy_release.VOTES),
        scores: tuple[bool, bool] = (False, False),
    ) -> tuple[Release, Release]:
        shutil.rmtree(tmp_path / "project", ignore_errors=True)
        shutil.rmtree(tmp_path / "old", ignore_errors=True)
        root = toy_release.write_project(tmp_path / "project", changes, ("1.0.0", version))
        old = toy_release.make(root, "1.0.0", votes=votes[0], scores=scores[0])
        kept = tmp_path / "old" / old.folder.name
        shutil.copytree(old.folder, kept)
        old = open_release(kept)
        new = toy_release.make(root, version, old if compared else None, votes=votes[1], scores=scores[1])
        return old, new

    return build
