"""Keeping what is done: every shard's result is a file of its own, whole or absent."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
from tqdm import tqdm

from winoqueer_nl.files import atomic
from winoqueer_nl.problems import InputError, Problem, quoted
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.tokens import Needed
from winoqueer_nl.scoring.work import Plan


class Store:
    """Results of shards in `<folder>/.shards/<fingerprint>/`, one file a shard.

    The fingerprint covers everything that a result depends on (model, tokenizer, pairs, settings, library
    versions), and a file's name the work and its cuts: a result is never taken for another's.
    """

    def __init__(self, folder: Path, fingerprint: str, quiet: bool = False) -> None:
        self.folder = folder
        self.all = folder / ".shards"
        self.mine = self.all / fingerprint[:20]
        self.quiet = quiet
        self._lock: IO[str] | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[Store]:
        """Hold the folder for this run; raises :class:`InputError` when another run is writing there."""
        try:
            self.mine.mkdir(parents=True, exist_ok=True)
            lock = (self.all / "lock").open("w")
        except OSError as error:
            problem = Problem(
                str(self.folder), f"{error.strerror}", "a folder that can be written", "Choose another --out."
            )
            raise InputError([problem]) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            problem = Problem(
                str(self.folder), "another run that is writing there", "a folder of its own for each run",
                "Wait for the other run, or choose another --out.",
            )  # fmt: skip
            raise InputError([problem]) from error
        try:
            for left in [
                *self.folder.glob(".*.part"),
                *self.mine.glob(".*.part"),
            ]:  # of a run that was killed
                left.unlink(missing_ok=True)
            yield self
        finally:
            lock.close()

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
        work = list(zip(plan.shards, paths, results, strict=True))
        total = sum(shard.cost for shard in plan.shards)
        done = sum(shard.cost for shard, _, result in work if result is not None)
        values = np.full(len(needed), np.nan)
        options = {
            "unit": "tok",
            "unit_scale": True,
            "mininterval": 1.0,
            "leave": False,
            "disable": self.quiet or None,  # None: no bar where nobody watches (a log, a pipe)
        }
        with tqdm(total=total, initial=done, desc=stage, **options) as bar:
            for shard, path, result in work:
                if result is None:
                    result = engine.patiently(partial(plan.compute, shard, engine))
                    _check(result, shard.tokens, needed, engine, stage)
                    with atomic(path) as temporary, temporary.open("wb") as file:
                        np.save(file, result)
                    bar.update(shard.cost)
                values[shard.tokens] = result
        return values


def _read(path: Path, length: int) -> np.ndarray | None:
    """A stored result, or None when there is none or the file is damaged (then it is computed again)."""
    try:
        result = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    whole = result.shape == (length,) and result.dtype == np.float64 and bool(np.isfinite(result).all())
    return result if whole else None


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
