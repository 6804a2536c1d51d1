"""Keeps survey answers out of version control: looks at what is about to be committed, by place and by content."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from winoqueer_nl import workbooks
from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.survey.detect import looks_personal
from winoqueer_nl.survey.formats import adapters, normalised
from winoqueer_nl.survey.private import FOLDERS, PUBLIC_NAMES, SAMPLE_PREFIX, says_it_is_a_sample

_TABLES = (".csv", ".tsv", ".txt", ".tab")
_WORKBOOKS = (".xlsx", ".xlsm")
#: Files that a survey tool may have written and that cannot be looked into here.
_CLOSED = (".sav", ".zsav", ".por", ".xls", ".ods", ".rds", ".rdata", ".dta", ".lsr", ".lsa", ".7z", ".rar")
_JSON = (".json", ".jsonl", ".ndjson")
#: Bytes that are unpacked of a packed file: enough for its header rows.
_UNPACKED = 1 << 20


def check_staged(root: Path) -> None:
    """Look at every file about to be committed.

    Raises
    ------
    InputError
        naming each one that is, or may be, survey answers; also when git cannot be asked.
    """
    problems = []
    for name in _git(root, "diff", "--cached", "--name-only", "--diff-filter=ACMRT", "-z").split(b"\0"):
        if not name:
            continue
        path = name.decode("utf-8", "surrogateescape")
        content = _git(root, "cat-file", "blob", f":{path}") if _is_blob(root, path) else b""
        reason = refused(path, content)
        if reason:
            problems.append(
                Problem(
                    path,
                    reason,
                    "a commit without answers of people",
                    f'Take it out of the commit: git restore --staged "{path}".',
                )
            )
    if problems:
        raise InputError(problems)


def refused(path: str, content: bytes) -> str | None:
    """Why a file may not be committed, or None if it may."""
    name = PurePosixPath(path).name
    suffix = PurePosixPath(path).suffix.lower()
    if any(PurePosixPath(path).is_relative_to(folder) for folder in FOLDERS):
        if name in PUBLIC_NAMES:
            return None
        if name.startswith(SAMPLE_PREFIX) and suffix == ".csv":
            return None if says_it_is_a_sample(content) else "a file named as a sample that does not say it is one"
        return "a file of a folder for answers of people"
    if suffix in _CLOSED or content.startswith((b"$FL2", b"$FL3")):
        return "a data file of a survey or statistics program"
    if suffix in _JSON and signed(content[:_UNPACKED].decode("utf-8", "replace")):
        return "a JSON file with the columns of a survey export"
    if suffix in (".zip", ".gz"):
        return _refused_inside(path, content)
    if content.startswith(b"PK\x03\x04"):
        try:
            workbooks.check_size(io.BytesIO(content))
        except workbooks.TooLarge:
            return "a workbook too large to look into"
        except zipfile.BadZipFile:  # damaged: nothing that a survey tool could have written
            return None
    if suffix in _TABLES or suffix in _WORKBOOKS or content.startswith(b"PK\x03\x04"):
        for header in _headers(content):
            if looks_personal(header):
                return "a table with the columns of a survey export"
    return None


def signed(text: str) -> bool:
    """Whether all columns of a tool's signature stand in a text, each in quotation marks."""
    signatures = [s for adapter in adapters().values() for s in adapter.signature if len(s) > 1]
    return any(all(f'"{column}"' in text for column in signature) for signature in signatures)


def _refused_inside(path: str, content: bytes) -> str | None:
    """Why a packed file may not be committed; one that cannot be unpacked may not."""
    try:
        if path.lower().endswith(".gz"):
            with gzip.open(io.BytesIO(content)) as file:
                return refused(path[:-3], file.read(_UNPACKED))
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                with archive.open(name) as file:
                    reason = refused(name, file.read(_UNPACKED))
                if reason:
                    return f"{reason}, packed"
    except Exception:  # whatever a damaged or locked archive makes the library stumble over
        return "a packed file that cannot be looked into"
    return None


def _headers(content: bytes) -> Iterator[list[str]]:
    """The first rows of a table, in whatever way they can be taken apart."""
    if content.startswith(b"PK"):
        yield from _workbook_headers(content)
        return
    head = content[: 1 << 16]
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = head.decode(encoding, "replace")
    for delimiter in ",;\t|":
        try:
            for _, cells in zip(range(3), csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), strict=False):
                yield [normalised(cell) for cell in cells]
        except csv.Error:
            continue


def _workbook_headers(content: bytes) -> Iterator[list[str]]:
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(content), read_only=True)
        for sheet in book.worksheets:
            for row in sheet.iter_rows(max_row=3, values_only=True):
                yield [normalised(str(cell)) for cell in row if cell is not None]
    except Exception:  # no workbook, or a damaged one: nothing that a survey tool could have written
        return


def _is_blob(root: Path, path: str) -> bool:
    return _git(root, "cat-file", "-t", f":{path}", may_fail=True).strip() == b"blob"


def _git(root: Path, *arguments: str, may_fail: bool = False) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    except FileNotFoundError:
        raise InputError([Problem("git", "no such command", "git, to see what is committed")]) from None
    if done.returncode and not may_fail:
        raise InputError([Problem(str(root), "no answer from git", "a git repository")])
    return done.stdout
