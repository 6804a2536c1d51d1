"""Loading a published version back, as a user would, and comparing it with the folder it came from."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.publish.hub import Hub
from winoqueer_nl.release.layout import SPLIT, Release, checksums_text, differences, parse_checksums

_LOOK = "The published version is not what it should be: look at the repository before anybody uses it."


def load_back(release: Release, hub: Hub, tag: str, files: Mapping[str, str]) -> int:
    """Fetch every file by the tag and load every subset with ``load_dataset``; return the number of files.

    Raises
    ------
    InputError
        for the first difference.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = hub.fetch(tag, Path(temporary))
        there = [file for file in files if (folder / file).is_file()]
        # SHA256SUMS is among the files here, so it is compared like every other one.
        found = parse_checksums(checksums_text(folder, there), tag)
        found |= {file: _digest(folder / file) for file in there if file not in found}
        if lines := differences(dict(files), found):
            raise InputError([Problem(f"{hub.repo}@{tag}", "; ".join(lines), "the files of the release", _LOOK)])
    for subset in release.subsets:
        _compare_subset(release, hub, tag, subset)
    return len(files)


def _digest(path: Path) -> str:
    from winoqueer_nl.files import sha256

    return sha256(path)


def _compare_subset(release: Release, hub: Hub, tag: str, subset: str) -> None:
    import datasets

    quiet = datasets.utils.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        with tempfile.TemporaryDirectory() as cache:

            def load() -> datasets.Dataset:
                return datasets.load_dataset(
                    hub.repo, subset, split=SPLIT, revision=tag, cache_dir=cache, token=hub.token or False
                )

            loaded = hub.ask(f"load the subset {subset} by {tag}", load)
            expected = release.table(subset).replace_schema_metadata(None)
            found = loaded.data.table.replace_schema_metadata(None)
            if not found.equals(expected):
                raise InputError(
                    [Problem(f"{hub.repo}@{tag}", f"other rows in the subset {subset}", "those of the release", _LOOK)]
                )
    finally:
        if not quiet:
            datasets.enable_progress_bars()
