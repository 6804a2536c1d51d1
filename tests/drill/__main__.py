"""Holds the drills and prints the table: python -m drill [NAME]... in tests/; DRILL=quick for a short one.

Exit status 1 if anything ended in a wrong result, a half-written file or an unclear message.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from drill import clocks, damage, kills, network, space, together
from drill.project import Base
from drill.tally import Tally

DRILLS = {
    "kills": kills.drill,
    "space": space.drill,
    "damage": damage.drill,
    "clocks": clocks.drill,
    "together": together.drill,
    "network": network.drill,
}


def main() -> int:
    """Hold the drills named, or all."""
    names = sys.argv[1:] or list(DRILLS)
    unknown = [name for name in names if name not in DRILLS]
    if unknown:
        print(f"No drill {', '.join(unknown)}; there are {', '.join(DRILLS)}.", file=sys.stderr)
        return 2
    quick = os.environ.get("DRILL") == "quick"
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="winoqueer-nl-drill-") as scratch:
        base = Base.make(Path(scratch).resolve())
        print(f"An undisturbed build: {base.seconds:.0f} s, {len(base.expected)} files.", flush=True)
        for name in names:
            DRILLS[name](base, tally, quick)
    print(tally.table())
    return 1 if tally.wrong() else 0


if __name__ == "__main__":
    sys.exit(main())
