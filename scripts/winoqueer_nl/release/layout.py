"""What stands where in a release folder, and reading one back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from winoqueer_nl.files import sha256
from winoqueer_nl.problems import InputError, Problem, listed, quoted

#: The subsets in the order of the card; the first is the one that is loaded when none is named.
PAIRS, STEREOTYPES, SURVEY, SCORES = "pairs", "stereotypes", "survey_aggregates", "scores"
SUBSETS = (PAIRS, STEREOTYPES, SURVEY, SCORES)
SPLIT = "test"
PARQUET = f"{SPLIT}-00000-of-00001.parquet"

CARD, CITATION, CROISSANT, CHECKSUMS = "README.md", "CITATION.cff", "croissant.json", "SHA256SUMS"
CHANGELOG, CHANGES, CORRECTIONS = "CHANGELOG.md", "changes.json", "corrections.csv"
SENTENCE_PAIRS, METADATA = "sentence_pairs.csv", "stereotype_metadata.csv"
HARNESS, PLOTS, LICENCES = "harness", "plots", "licences"

#: What a Hub repository holds besides a release.
NOT_OURS = (".gitattributes",)

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


def parquet_of(subset: str) -> str:
    """The path of a subset's file below the release folder."""
    return f"{subset}/{PARQUET}"


def numbers(version: str) -> tuple[int, int, int]:
    """1.2.3 -> (1, 2, 3); raises InputError for anything else."""
    match = VERSION.fullmatch(version)
    if match is None:
        raise InputError([Problem("version", quoted(version), "three numbers such as 1.0.0")])
    return int(match[1]), int(match[2]), int(match[3])


@dataclass(frozen=True)
class Release:
    """A release folder, read when asked.

    Parameters
    ----------
    folder: where it is.
    name: how messages call it (the folder, or the Hub revision that it was fetched from).
    """

    folder: Path
    name: str

    @cached_property
    def changes(self) -> dict[str, Any]:
        """changes.json: language, version, the version before, and what changed; raises InputError if unreadable."""
        path = self.folder / CHANGES
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(content, dict) or not {"language", "version"} <= content.keys():
                raise ValueError
        except (OSError, ValueError):
            raise InputError(
                [
                    Problem(
                        f"{self.name}/{CHANGES}",
                        "no such file" if not path.exists() else "a file that does not name language and version",
                        "what the release stage writes",
                        "Is this a release folder? Build it with `snakemake release`.",
                    )
                ]
            ) from None
        return content

    @property
    def language(self) -> str:
        """Language code."""
        return str(self.changes["language"])

    @property
    def version(self) -> str:
        """Version, such as 1.0.0."""
        return str(self.changes["version"])

    @property
    def subsets(self) -> list[str]:
        """The subsets that are there, in order."""
        return [subset for subset in SUBSETS if (self.folder / parquet_of(subset)).is_file()]

    @cached_property
    def _read(self) -> dict[str, pa.Table]:
        return {}

    def table(self, subset: str) -> pa.Table:
        """The rows of a subset, read once; raises InputError for a file that is no whole Parquet file."""
        if subset not in self._read:
            self._read[subset] = self._table(subset)
        return self._read[subset]

    def _table(self, subset: str) -> pa.Table:
        path = self.folder / parquet_of(subset)
        try:
            # One file, so that nothing is guessed from folder names.
            return pq.ParquetFile(path).read()
        except (OSError, pa.ArrowException) as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                [
                    Problem(
                        f"{self.name}/{parquet_of(subset)}", first, "a whole Parquet file", "Build the release again."
                    )
                ]
            ) from error

    def files(self) -> list[str]:
        """Every file below the folder, sorted, as POSIX paths; a link or anything else that is no file included."""
        return sorted(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_symlink() or not path.is_dir()
        )


def open_release(folder: Path, name: str | None = None) -> Release:
    """The release in a folder; raises InputError when it is none."""
    release = Release(folder, name or str(folder))
    if not folder.is_dir():
        raise InputError(
            [Problem(release.name, "no such folder", "a release folder", "Build it with `snakemake release`.")]
        )
    release.changes  # noqa: B018  raises for a folder that is no release
    return release


def checksums_text(folder: Path, files: Iterable[str]) -> str:
    """The text of SHA256SUMS, in the form that `sha256sum --check` reads."""
    return "".join(f"{sha256(folder / file)}  {file}\n" for file in sorted(files) if file != CHECKSUMS)


def parse_checksums(text: str, name: str) -> dict[str, str]:
    """File -> SHA-256 in hexadecimal digits; raises InputError for a line of another form or a path that leads out."""
    found: dict[str, str] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64})  (\S.*)", line)
        path = PurePosixPath(match[2]) if match else None
        if match is None or path is None or path.is_absolute() or ".." in path.parts or match[2] in found:
            problems.append(Problem(name, quoted(line[:80]), "SHA-256, two blanks, a path, each once", row=number))
        else:
            found[match[2]] = match[1]
    if problems:
        raise InputError(problems)
    return found


def read_checksums(release: Release) -> dict[str, str]:
    """SHA256SUMS of a release folder; raises InputError when it is missing or malformed."""
    path = release.folder / CHECKSUMS
    name = f"{release.name}/{CHECKSUMS}"
    try:
        return parse_checksums(path.read_text(encoding="utf-8"), name)
    except FileNotFoundError:
        raise InputError(
            [Problem(name, "no such file", "the checksums of every file", "Build the release again.")]
        ) from None
    except UnicodeDecodeError:
        raise InputError([Problem(name, "bytes that are not UTF-8", "text", "Build the release again.")]) from None


def check_whole(release: Release, fix: str) -> None:
    """Raise InputError where a file that SHA256SUMS lists is missing or has other bytes; ``fix`` says what to do."""
    expected = read_checksums(release)
    present = [file for file in expected if (release.folder / file).is_file()]
    found = parse_checksums(checksums_text(release.folder, present), release.name)
    if lines := differences(expected, found):
        place = f"{release.name}/{CHECKSUMS}"
        raise InputError([Problem(place, "; ".join(lines), "the files that it lists", fix)])


def differences(expected: dict[str, str], found: dict[str, str]) -> list[str]:
    """How two lists of checksums differ, in words."""
    lines = []
    if missing := sorted(expected.keys() - found.keys()):
        lines.append(f"missing: {listed(missing)}")
    if extra := sorted(found.keys() - expected.keys()):
        lines.append(f"not listed: {listed(extra)}")
    if changed := sorted(file for file in expected.keys() & found.keys() if expected[file] != found[file]):
        lines.append(f"changed: {listed(changed)}")
    return lines
