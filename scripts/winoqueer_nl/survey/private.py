"""Files about single people: readable by their owner alone, never in version control, removed on request."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from winoqueer_nl.files import atomic
from winoqueer_nl.problems import InputError, Problem

EXPORTS, CODING = "survey/exports", "survey/coding"
#: Folders of a project whose files are about single people.
FOLDERS = (EXPORTS, CODING)
#: Files in them that are about nobody: the page that explains the folder, and the reconstructed sample.
PUBLIC_NAMES = ("README.md",)
SAMPLE_PREFIX = "sample-"
#: The column that says, in every row of a sample, that its respondents do not exist.
SAMPLE_COLUMN = "SampleNote"


def is_sample(path: Path) -> bool:
    """Whether a file is a sample about nobody: it is named so and its first column says so."""
    if not path.name.startswith(SAMPLE_PREFIX):
        return False
    try:
        with path.open("rb") as file:
            return says_it_is_a_sample(file.read(len(SAMPLE_COLUMN) + 4))
    except OSError:
        return False


def says_it_is_a_sample(content: bytes) -> bool:
    """Whether a file's first column is the one of a sample."""
    return content.removeprefix(b"\xef\xbb\xbf").startswith(SAMPLE_COLUMN.encode() + b",")


def restrict(paths: Sequence[Path]) -> list[Path]:
    """Take away what others than the owner may do with these files; return those that it was taken from.

    Samples about nobody stay as they are.

    Raises
    ------
    InputError
        for a file that others may read and whose permissions cannot be changed.
    """
    changed = []
    problems = []
    for path in paths:
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
            if not mode & 0o077 or is_sample(path):
                continue
            path.chmod(mode & 0o700)
            changed.append(path)
        except FileNotFoundError:
            continue  # the reader says so, together with whatever else is wrong
        except OSError as error:
            problems.append(
                Problem(
                    str(path),
                    f"a file that others may read (the system's answer to closing it: {error.strerror})",
                    "answers of people that only you can read",
                    "Copy it into a folder of your own, or ask its owner to run: chmod go= FILE.",
                )
            )
    if problems:
        raise InputError(problems)
    return changed


@contextlib.contextmanager
def private_file(path: Path) -> Iterator[Path]:
    """Like :func:`winoqueer_nl.files.atomic`, for a file that only its owner can read, from its first byte on."""
    if not path.parent.exists():
        # The folder's names may say as much as its files.
        path.parent.mkdir(parents=True, mode=0o700)
    before = os.umask(0o077)
    try:
        with atomic(path) as temporary:
            yield temporary
    finally:
        os.umask(before)


def write_private_text(path: Path, text: str) -> None:
    """Write UTF-8 text that only its owner can read, whole or not at all."""
    with private_file(path) as temporary:
        temporary.write_text(text, "utf-8", newline="\n")


def private_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a comma-separated table that only its owner can read."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(rows)
    write_private_text(path, text.getvalue())


def about_people(root: Path, exports: Sequence[str] = ()) -> list[Path]:
    """Every file of a project that is about single people, sorted: all in :data:`FOLDERS`, and the exports named."""
    found = set()
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if (path.is_file() or path.is_symlink()) and not path.is_dir():
                found.add(path)
    found |= {root / name for name in exports if (root / name).is_file()}
    return sorted(path for path in found if path.name not in PUBLIC_NAMES and not is_sample(path))


def purge(root: Path, paths: Sequence[Path]) -> None:
    """Remove files of a project (a link, not what it points to), and the folders below :data:`FOLDERS` left empty.

    Raises
    ------
    InputError
        naming every file that could not be removed; the others are gone.
    """
    problems = []
    ours = [root / folder for folder in FOLDERS]
    for path in paths:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(
                Problem(str(path), f"the system's answer {error.strerror}", "a file that can be removed", "Remove it.")
            )
        for folder in path.parents:
            if folder in ours or not any(folder.is_relative_to(mine) for mine in ours):
                break
            with contextlib.suppress(OSError):
                folder.rmdir()
    if problems:
        raise InputError(problems)
