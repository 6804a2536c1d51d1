"""What other stages read of the survey: tier and harmfulness of each stereotype."""

from __future__ import annotations

import math
from pathlib import Path

from winoqueer_nl.pairs import Judgement
from winoqueer_nl.problems import Problems, listed, quoted
from winoqueer_nl.survey.tiers import TIERS
from winoqueer_nl.tables import records


def read_judgements(path: Path) -> dict[str, Judgement]:
    """What the survey says of each stereotype, read back from stereotypes.csv for the stage "pairs".

    Raises
    ------
    InputError
        for a file that is no such table.
    """
    problems = Problems()
    found = records(path, problems, "Build it again: winoqueer-nl survey aggregate.")
    judgements: dict[str, Judgement] = {}
    header = found[0][1] if found else []
    wanted = ("stereotype_id", "tier", "harmfulness_mean")
    missing = [column for column in wanted if column not in header]
    if found and missing:
        problems.add(
            path,
            f"no column {listed(map(quoted, missing))}",
            "the survey aggregates",
            "Build the file again.",
            row=1,
        )
    problems.stop()
    for number, cells in (found or [])[1:]:
        row = dict(zip(header, cells, strict=False))
        identifier, tier, mean = (row.get(column, "") for column in wanted)
        if identifier in judgements or not identifier:
            problems.add(path, quoted(identifier), "each stereotype once", row=number, field="stereotype_id")
        if tier not in ("", *map(str, TIERS)):
            problems.add(path, quoted(tier), f"one of {listed(map(str, TIERS))}, or nothing", row=number, field="tier")
            continue
        try:
            harmfulness = float(mean) if mean else None
            if harmfulness is not None and not math.isfinite(harmfulness):
                raise ValueError
        except ValueError:
            problems.add(path, quoted(mean), "a number or nothing", row=number, field="harmfulness_mean")
            continue
        judgements[identifier] = Judgement(int(tier) if tier else None, harmfulness)
    problems.stop()
    return judgements
