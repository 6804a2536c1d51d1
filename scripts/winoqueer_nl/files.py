"""Writing files whole or not at all, with the same bytes from the same content on every machine.

A built file is known again: its SHA-256 is noted when it is written (:data:`RECORDS`), and what reads it asks
:func:`check_intact` first, so that nothing is made from a file that was damaged or changed by hand.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from winoqueer_nl.problems import InputError, Problem

#: Where this folder stands (a build makes it in results/), every file written beside or below it leaves its SHA-256 in
#: a file of the same name inside. Hidden files and folders are scratch and leave none.
RECORDS = ".sha256"


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
        raise unwritable(path, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        with temporary.open("rb+") as written:  # the bytes reach the disk before the name does
            os.fsync(written.fileno())
        _note(path, temporary)
        temporary.replace(path)
    except OSError as error:
        # Errors about other files than ours (a missing input, say) are somebody else's to explain.
        ours = (str(path), str(temporary))
        if error.filename is not None and str(error.filename) not in ours and RECORDS not in Path(error.filename).parts:
            raise
        raise unwritable(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def unwritable(path: Path, error: OSError) -> InputError:
    """What to tell a person about a file that cannot be written."""
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


def no_room(error: BaseException) -> Problem | None:
    """What to tell a person where a library failed because a disk is full or cannot be written; else None."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            return _no_room(seen.filename, os.strerror(seen.errno))
        if f"(os error {errno.ENOSPC})" in str(seen):  # libraries written in Rust
            return _no_room(None, os.strerror(errno.ENOSPC))
        seen = seen.__cause__ or seen.__context__
    return None


def _no_room(path: str | None, answer: str) -> Problem:
    place = path or f"here or in {tempfile.gettempdir()}"
    return Problem(str(place), f"the system's answer {answer}", "a disk with room", "Free some space and try again.")


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


def contents(paths: Iterable[str | Path]) -> str:
    """One SHA-256 for the bytes of several files, in their order: another where one of them is another.

    What the workflow compares beside the times of files, which a clock or a copy may set to anything.
    """
    return hashlib.sha256("".join(map(sha256, map(Path, paths))).encode()).hexdigest()


def _record(path: Path) -> Path | None:
    """Where the SHA-256 of a built file is noted; None for a file of which none is."""
    path = Path(path).absolute()
    for folder in path.parents:
        if (folder / RECORDS).is_dir():
            inside = path.relative_to(folder)
            return None if any(part.startswith(".") for part in inside.parts) else folder / RECORDS / inside
    return None


def _note(path: Path, written: Path) -> None:
    """Note the SHA-256 of what is about to be ``path``, and that of what is there: a kill may come between the two."""
    record = _record(path)
    if record is None:
        return
    record.parent.mkdir(parents=True, exist_ok=True)
    fresh = record.with_name(f".{record.name}.{os.getpid()}.part")
    fresh.write_text("\n".join([sha256(written), *_noted(record)[:1]]) + "\n", encoding="ascii")
    fresh.replace(record)


def _noted(record: Path) -> list[str]:
    try:
        return record.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return []


def damage(path: Path) -> Problem | None:
    """What to tell a person about a built file that has other bytes than were written; None if there is nothing."""
    record = _record(path)
    noted = _noted(record) if record is not None else []
    if not noted or not Path(path).is_file() or sha256(path) in noted:
        return None
    return Problem(
        str(path),
        "other bytes than were written",
        "the file as it was built",
        f"It was damaged, or changed by hand. Remove it, then: winoqueer-nl build {shlex.quote(str(path))}",
    )


def check_intact(*paths: Path) -> None:
    """Raise :class:`InputError` naming each built file that has other bytes than were written."""
    if found := [problem for problem in map(damage, paths) if problem is not None]:
        raise InputError(found)


def recorded(folder: Path) -> list[Path]:
    """The built files below a folder whose SHA-256 is noted in it, in order."""
    records = Path(folder) / RECORDS
    names = [record.relative_to(records) for record in records.rglob("[!.]*") if record.is_file()]
    return [path for path in sorted(Path(folder) / name for name in names) if path.is_file()]
