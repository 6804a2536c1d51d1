"""The storage side of Xet for the test server: xorbs and shards taken apart, files put together again.

Formats as far as uploads of new files use them. A xorb is a run of chunks, each with an 8-byte header (version,
compressed length, scheme, length). A shard lists files, each as ranges of chunks of xorbs.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise

_ENTRY = 48
_END = b"\xff" * 32
_HAS_VERIFICATION, _HAS_SHA256 = 0x80000000, 0x40000000


@dataclass(frozen=True)
class Term:
    """A range of chunks (end exclusive) of a xorb, and how many bytes of a file they hold."""

    xorb: str
    length: int
    first: int
    last: int


@dataclass(frozen=True)
class XetFile:
    """A file of a shard."""

    hash: str
    sha256: str | None
    terms: tuple[Term, ...]


def spelled(raw: bytes) -> str:
    """A 32-byte hash as Xet spells it: four little-endian numbers of 64 bits, in hexadecimal digits."""
    return "".join(f"{number:016x}" for number in struct.unpack("<4Q", raw))


def unlz4(block: bytes) -> bytes:
    """Decompress an LZ4 frame: literals and back references, block by block."""
    assert block[:4] == b"\x04\x22\x4d\x18", "no LZ4 frame"
    flags = block[4]
    at = 7 + (8 if flags & 0x08 else 0) + (4 if flags & 0x01 else 0)
    out = bytearray()
    while True:
        (size,) = struct.unpack_from("<I", block, at)
        at += 4
        if size == 0:
            return bytes(out)
        body = block[at : at + (size & 0x7FFFFFFF)]
        at += len(body) + (4 if flags & 0x10 else 0)
        if size & 0x80000000:
            out += body
        else:
            _unlz4_block(body, out)


def _unlz4_block(body: bytes, out: bytearray) -> None:
    at = 0

    def longer(length: int) -> int:
        nonlocal at
        if length == 15:
            while True:
                step = body[at]
                at += 1
                length += step
                if step != 255:
                    break
        return length

    while at < len(body):
        token = body[at]
        at += 1
        n_literals = longer(token >> 4)
        out += body[at : at + n_literals]
        at += n_literals
        if at >= len(body):
            return
        (back,) = struct.unpack_from("<H", body, at)
        at += 2
        n_match = longer(token & 15) + 4
        for _ in range(n_match):
            out.append(out[-back])


def _ungroup(data: bytes) -> bytes:
    """Undo the grouping of every fourth byte that scheme 2 does before it compresses."""
    out = bytearray(len(data))
    at = 0
    for i in range(4):
        n = len(range(i, len(data), 4))
        out[i::4] = data[at : at + n]
        at += n
    return bytes(out)


def chunk_offsets(xorb: bytes) -> list[int]:
    """Where each chunk of a xorb begins, and where the last one ends."""
    offsets = [0]
    while offsets[-1] + 8 <= len(xorb) and xorb[offsets[-1]] == 0:
        start = offsets[-1]
        offsets.append(start + 8 + int.from_bytes(xorb[start + 1 : start + 4], "little"))
    return offsets


def chunks(xorb: bytes) -> list[bytes]:
    """The contents of the chunks of a xorb."""
    found = []
    for start, end in pairwise(chunk_offsets(xorb)):
        scheme, body = xorb[start + 4], xorb[start + 8 : end]
        data = body if scheme == 0 else unlz4(body) if scheme == 1 else _ungroup(unlz4(body))
        assert len(data) == int.from_bytes(xorb[start + 5 : start + 8], "little"), "chunk of another length"
        found.append(data)
    return found


def files_of(shard: bytes) -> list[XetFile]:
    """The files that a shard lists."""
    found = []
    at = _ENTRY  # the header
    while shard[at : at + 32] != _END:
        name = spelled(shard[at : at + 32])
        flags, n_terms = struct.unpack_from("<II", shard, at + 32)
        at += _ENTRY
        terms = []
        for _ in range(n_terms):
            _, length, first, last = struct.unpack_from("<4I", shard, at + 32)
            terms.append(Term(spelled(shard[at : at + 32]), length, first, last))
            at += _ENTRY
        at += _ENTRY * n_terms if flags & _HAS_VERIFICATION else 0
        sha256 = None
        if flags & _HAS_SHA256:
            sha256 = spelled(shard[at : at + 32])
            at += _ENTRY
        found.append(XetFile(name, sha256, tuple(terms)))
    return found


def assemble(file: XetFile, xorbs: dict[str, bytes]) -> bytes:
    """The bytes of a file."""
    return b"".join(b"".join(chunks(xorbs[t.xorb])[t.first : t.last]) for t in file.terms)


def reconstruction(file: XetFile, xorbs: dict[str, bytes], base: str, wanted: tuple[int, int] | None) -> dict | None:
    """How a client gets a range of a file: terms, and where the chunks of each stand; None beyond the end."""
    total = sum(term.length for term in file.terms)
    start, end = wanted or (0, total - 1)
    if start >= total:
        return None
    terms, places, skipped, at = [], {}, 0, 0
    for term in file.terms:
        if at + term.length > start and at <= end:
            if not terms:
                skipped = start - at
            chunk_range = {"start": term.first, "end": term.last}
            offsets = chunk_offsets(xorbs[term.xorb])
            terms.append({"hash": term.xorb, "unpacked_length": term.length, "range": chunk_range})
            places.setdefault(term.xorb, []).append(
                {
                    "range": chunk_range,
                    "url": f"{base}/cas/xorb/{term.xorb}",
                    "url_range": {"start": offsets[term.first], "end": offsets[term.last] - 1},
                }
            )
        at += term.length
    return {"offset_into_first_range": skipped, "terms": terms, "fetch_info": places}
