"""Writing files whole or not at all, with the same bytes from the same content on every machine."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from winoqueer_nl.problems import InputError, Problem


@contextlib.contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; rename it to ``path`` when the block ends well, else remove it.

    A reader therefore sees the old file or the whole new one, also after ``kill -9`` or on a full disk.
    Raises :class:`InputError` when the place cannot be written (read-only, full, a folder in the way).
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:  # it names a folder above or a temporary file: all of them are our place to write
        raise _unwritable(path, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        with temporary.open("rb+") as written:  # the bytes reach the disk before the name does
            os.fsync(written.fileno())
        temporary.replace(path)
    except OSError as error:
        # Errors about other files than ours (a missing input, say) are somebody else's to explain.
        if error.filename is not None and str(error.filename) not in (str(path), str(temporary)):
            raise
        raise _unwritable(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        [
            Problem(
                str(path),
                f"the system's answer {error.strerror or error!s}",
                "a place that can be written",
                "Free some space or choose another place; this file was not written.",
            )
        ]
    )


@contextlib.contextmanager
def atomic_text(path: Path) -> Iterator[IO[str]]:
    """Like :func:`atomic`, giving a UTF-8 text file with LF line ends, open for writing."""
    with atomic(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        yield file


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with LF line ends, whole or not at all."""
    with atomic_text(path) as file:
        file.write(text)


def write_json(path: Path, content: Any) -> None:
    """Write JSON in the order given, two blanks deep, UTF-8, one line feed at the end."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a comma-separated table with a header row; cells are written with ``str``, None as nothing."""
    with atomic_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
