"""Releases that stand on the Hub, fetched into a temporary folder to be looked at."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.publish.hub import Hub
from winoqueer_nl.release.layout import (
    CHECKSUMS,
    Release,
    check_whole,
    open_release,
    read_checksums,
)

_REVISION = re.compile(r"([^/@\s]+/[^/@\s]+)@(\S+)")


@contextlib.contextmanager
def opened(place: str) -> Iterator[Release]:
    """The release in a folder, or at a Hub revision ORG/NAME@TAG, for as long as the block lasts."""
    match = _REVISION.fullmatch(place)
    if match is None or Path(place).exists():
        yield open_release(Path(place))
        return
    from huggingface_hub import get_token

    with fetched(Hub(match[1], get_token()), match[2]) as release:
        yield release


@contextlib.contextmanager
def fetched(hub: Hub, revision: str) -> Iterator[Release]:
    """The release at a revision of a repository, fetched and checked against its own checksums.

    Raises
    ------
    InputError
        when it cannot be fetched, is no release, or does not agree with its SHA256SUMS.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = hub.fetch(revision, Path(temporary))
        release = open_release(folder, f"{hub.repo}@{revision}")
        check_whole(release, "Fetch it again.")
        yield release


def keep(release: Release, out: Path) -> None:
    """Copy the files of a release, those that its checksums list, to a folder that must not exist yet."""
    if out.exists():
        raise InputError([Problem(str(out), "a folder that is there already", "a new one", "Choose another name.")])
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as temporary:
        copy = Path(temporary) / "copy"
        for file in (CHECKSUMS, *read_checksums(release)):
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(release.folder / file, copy / file)
        copy.rename(out)
