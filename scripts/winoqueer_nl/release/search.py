"""Searching a folder for many texts at once, in every byte: plain files, and what Parquet files hold once decoded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_PREFIX = 8
_BLANKS = re.compile(rb"\s+")


def normal(text: str) -> str:
    """The text with each run of white space as one blank, none at the ends."""
    return " ".join(text.split())


def contents(folder: Path, files: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Every file's bytes, and the decoded texts of every column and the metadata of Parquet files; and the names.

    White space of text is given as single blanks, so that a wrapped line hides nothing.
    """
    names = "\n".join(files)
    yield "the file names", names.encode()
    for file in names.splitlines():
        data = (folder / file).read_bytes()
        yield file, data if b"\0" in data else _BLANKS.sub(b" ", data)
        if file.endswith(".parquet"):
            for place, text in _decoded(folder / file):
                yield f"{file}, {place}", _BLANKS.sub(b" ", text)


def _decoded(path: Path) -> Iterator[tuple[str, bytes]]:
    """The texts of a Parquet file: the distinct values of each text column, and the file's metadata."""
    try:
        file = pq.ParquetFile(path)
        table = file.read()
    except (OSError, pa.ArrowException):
        return  # another check tells that it cannot be read
    metadata: Mapping[bytes, bytes] = {**(file.metadata.metadata or {}), **(table.schema.metadata or {})}
    yield "metadata", b"\n".join(key + b"\n" + value for key, value in metadata.items())
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            yield name, "\n".join(v for v in column.unique().to_pylist() if v is not None).encode()
        elif pa.types.is_binary(column.type):
            yield name, b"\n".join(v for v in column.unique().to_pylist() if v is not None)
        elif pa.types.is_nested(column.type):
            yield name, json.dumps(column.to_pylist(), ensure_ascii=False, default=str).encode()


def encodings(text: str) -> set[bytes]:
    """The text as it may stand in a file: UTF-8, Latin-1, UTF-16, JSON with escapes, CSV with doubled quotes."""
    found = {text.encode(), text.replace('"', '""').encode(), text.encode("utf-16-le"), text.encode("utf-16-be")}
    found.add(json.dumps(text)[1:-1].encode())
    found.add(json.dumps(text, ensure_ascii=False)[1:-1].encode())
    found.add(text.encode("latin-1", errors="replace") if text.isprintable() else text.encode())
    return found


def _windows(data: bytes) -> np.ndarray:
    """Each run of eight bytes as one number."""
    raw = np.frombuffer(data, dtype=np.uint8).astype(np.uint64)
    total = np.zeros(max(0, len(raw) - _PREFIX + 1), dtype=np.uint64)
    for i in range(_PREFIX):
        total |= raw[i : i + len(total)] << np.uint64(8 * i)
    return total


def find(needles: Iterable[str], data: bytes) -> set[str]:
    """Those of the texts that stand in the data, capitals or not (ASCII letters), in any of the encodings.

    Texts of fewer than eight bytes are only found as words of their own.
    """
    low = data.lower()
    long: dict[bytes, set[tuple[bytes, str]]] = {}
    found: set[str] = set()
    for needle in needles:
        for form in encodings(needle):
            form = form.lower()
            if len(form) >= _PREFIX:
                long.setdefault(form[:_PREFIX], set()).add((form, needle))
            elif re.search(rb"(?<![\w.])" + re.escape(form) + rb"(?![\w.])", low):
                found.add(needle)
    if long and len(low) >= _PREFIX:
        prefixes = np.array([int.from_bytes(prefix, "little") for prefix in long], dtype=np.uint64)
        # One pass over the data for all texts together; only beginnings that occur are looked at closer.
        present = np.isin(prefixes, _windows(low))
        for prefix, there in zip(list(long), present, strict=True):
            if there:
                found |= {needle for form, needle in long[prefix] if form in low}
    return found
