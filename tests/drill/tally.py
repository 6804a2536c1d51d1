"""What came of every fault, and the table at the end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["right", "told", "wrong"]
#: What every message of the project has: where, what was found, what was expected.
MESSAGE = re.compile(r"^(?P<place>.+): found .+; expected .+\.", re.MULTILINE)


def clear(said: str, naming: str = "") -> bool:
    """Whether a text tells a person what is the matter: a message (about this place), and no traceback."""
    about = [found for found in MESSAGE.finditer(said) if naming in found["place"]]
    return bool(about) and "Traceback" not in said


@dataclass
class Tally:
    """Faults and what came of them, by drill.

    right: the correct result, at once or after a rerun. told: a clear message, and the correct result after doing what
    it says. wrong: anything else.
    """

    outcomes: list[tuple[str, Verdict, str]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def note(self, drill: str, fault: str, verdict: Verdict, detail: str = "") -> None:
        """Note a fault; detail says what was wrong."""
        self.outcomes.append((drill, verdict, f"{fault}: {detail}" if detail else fault))
        if verdict == "wrong":
            print(f"WRONG  {drill}: {fault}: {detail[-1200:]}", flush=True)

    def skip(self, drill: str, reason: str) -> None:
        """Note that a drill cannot be held here."""
        self.skipped.append((drill, reason))

    def wrong(self) -> int:
        """How many faults ended badly."""
        return sum(verdict == "wrong" for _, verdict, _ in self.outcomes)

    def table(self) -> str:
        """The table, and what was skipped."""
        rows = [("drill", "faults", "right results", "clear messages", "wrong results")]
        drills = list(dict.fromkeys(drill for drill, _, _ in self.outcomes))
        for name in [*drills, "all"]:
            verdicts = [verdict for drill, verdict, _ in self.outcomes if name in (drill, "all")]
            rows.append((name, str(len(verdicts)), *(str(verdicts.count(v)) for v in ("right", "told", "wrong"))))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        left = f"{{:<{widths[0]}}}" + "".join(f"  {{:>{width}}}" for width in widths[1:])
        lines = [left.format(*row) for row in rows]
        lines += [f"skipped  {drill}: {reason}" for drill, reason in self.skipped]
        return "\n".join([*lines, f"{time.monotonic() - self.began:.0f} s"])


def side_by_side(cases: Iterable[Callable[[], None]], at_once: int = 2) -> None:
    """Run cases, two at a time; an error in one is raised once the others have ended."""
    with ThreadPoolExecutor(at_once) as pool:
        for waiting in [pool.submit(case) for case in cases]:
            waiting.result()
