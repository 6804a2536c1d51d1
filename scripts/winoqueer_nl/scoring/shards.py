"""Keeping what is done: every shard's result is a file of its own, whole or absent."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from winoqueer_nl.files import atomic
from winoqueer_nl.problems import InputError, Problem, quoted
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.tokens import Needed
from winoqueer_nl.scoring.work import Plan

#: Stages so small that every part of a run needs them whole at its beginning.
WHOLE = ("canary", "calibration")


@dataclass(frozen=True)
class Part:
    """Share `number` (from 1) of `of` in every stage's shards; number 0 prepares what all the others need."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """`3/8` as a part; raises ValueError for anything else."""
        number, slash, of = text.partition("/")
        if not (slash and number.isdecimal() and of.isdecimal() and 0 <= int(number) <= int(of) and int(of)):
            raise ValueError(text)
        return cls(int(number), int(of))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, shard: int) -> bool:
        """Whether a shard belongs to it: every `of`-th, so that short and long sentences are spread evenly."""
        return self.number > 0 and shard % self.of == self.number - 1


class Unfinished(Exception):
    """A part has done its share of a stage of which other parts' shards are still missing."""


class Store:
    """Results of shards in `<folder>/.shards/<fingerprint>/`, one file a shard.

    The fingerprint covers everything that a result depends on (model, tokenizer, pairs, settings, library
    versions), and a file's name the work and its cuts: a result is never taken for another's.

    part: compute this share of a stage alone; the whole stage if None.
    """

    def __init__(self, folder: Path, fingerprint: str, quiet: bool = False, part: Part | None = None) -> None:
        self.folder = folder
        self.part = part
        self.all = folder / ".shards"
        self.mine = self.all / fingerprint[:20]
        self.quiet = quiet

    @contextlib.contextmanager
    def open(self) -> Iterator[Store]:
        """Hold the folder for this run; raises :class:`InputError` when another run is writing there.

        Parts hold nothing: they write shards alone, each whole or not at all and the same whoever computes it.
        """
        try:
            self.mine.mkdir(parents=True, exist_ok=True)
            lock = None if self.part else (self.all / "lock").open("w")
        except OSError as error:
            problem = Problem(
                str(self.folder), f"{error.strerror}", "a folder that can be written", "Choose another --out."
            )
            raise InputError([problem]) from error
        if lock is None:
            yield self
            return
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                problem = Problem(
                    str(self.folder), "another run that is writing there", "a folder of its own for each run",
                    "Wait for the other run, or choose another --out.",
                )  # fmt: skip
                raise InputError([problem]) from error
            except OSError:
                pass  # a file system of a cluster without locks: nothing is lost, two runs write the same shards
            for left in [*self.folder.glob(".*.part"), *self.mine.glob(".*.part")]:  # of a run that was killed
                left.unlink(missing_ok=True)
            yield self

    def remove(self) -> None:
        """Remove all shards, once their results are written."""
        shutil.rmtree(self.all, ignore_errors=True)

    def compute(self, stage: str, plan: Plan, needed: Needed, engine: Engine) -> np.ndarray:
        """Log-probabilities of the needed tokens, shape (len(needed),), NaN where the plan does not go.

        What an earlier run has finished is read, the rest computed and kept. Raises :class:`InputError` when
        the model gives something that is not a number, when the disk is full or memory does not suffice.
        """
        base = f"{stage}-{plan.digest()[:16]}"
        paths = [self.mine / f"{base}-{number:06d}.npy" for number in range(len(plan.shards))]
        results = [_read(path, len(shard.tokens)) for path, shard in zip(paths, plan.shards, strict=True)]
        mine = [self.part is None or stage.startswith(WHOLE) or self.part.has(n) for n in range(len(paths))]
        total = sum(shard.cost for shard, own in zip(plan.shards, mine, strict=True) if own)
        todo = [n for n, result in enumerate(results) if result is None and mine[n]]
        options = {
            "unit": "tok",
            "unit_scale": True,
            "mininterval": 1.0,
            "leave": False,
            "disable": self.quiet or None,  # None: no bar where nobody watches (a log, a pipe)
        }
        done = total - sum(plan.shards[n].cost for n in todo)
        with tqdm(total=total, initial=done, desc=stage, **options) as bar:
            for n in todo:
                shard = plan.shards[n]
                result = engine.patiently(partial(plan.compute, shard, engine))
                _check(result, shard.tokens, needed, engine, stage)
                _write(paths[n], result)
                results[n] = result
                bar.update(shard.cost)
        values = np.full(len(needed), np.nan)
        for n, (shard, path) in enumerate(zip(plan.shards, paths, strict=True)):
            stored = results[n]
            if stored is None:  # of another part, which may have finished it by now
                stored = _read(path, len(shard.tokens))
            if stored is None:
                raise Unfinished(f"{stage}: {len(todo)} shards computed, {sum(mine)} of {len(paths)} are its share")
            values[shard.tokens] = stored
        return values


def _write(path: Path, result: np.ndarray) -> None:
    """Keep a result: the SHA-256 of what follows, then the array in NumPy's format."""
    content = io.BytesIO()
    np.save(content, result)
    with atomic(path) as temporary:
        temporary.write_bytes(hashlib.sha256(content.getbuffer()).digest() + content.getvalue())


def _read(path: Path, length: int) -> np.ndarray | None:
    """A stored result, or None when there is none or the file is damaged (then it is computed again)."""
    try:
        content = path.read_bytes()
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            return None
        result = np.load(io.BytesIO(content[32:]), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return result if result.shape == (length,) and result.dtype == np.float64 else None


def _check(result: np.ndarray, tokens: np.ndarray, needed: Needed, engine: Engine, stage: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(result))
    if len(wrong):
        sentence = needed.encoded.sentences[int(needed.sentence[tokens[wrong[0]]])]
        problem = Problem(
            engine.name,
            f"a log-probability that is not a finite number ({stage}) in {quoted(sentence)}",
            "finite numbers",
            "The weights may be damaged or overflow; if this is bfloat16, try --precision float32.",
        )
        raise InputError([problem])
