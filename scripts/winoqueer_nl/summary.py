"""What a build has made: a few lines for the person who ran it."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc

from winoqueer_nl import pairs
from winoqueer_nl.config import Config


def summarise(config: Config, results: Path) -> str:
    """The summary of everything that the configuration asks for, as text.

    Counts are read from the files, so that the text says what is there, not what should be.
    """
    lines = ["", "Built from the tables (content warning: the sentences are hurtful stereotypes):", ""]
    for code, language in config.languages.items():
        for edition in language.editions:
            folder = results / code / edition
            table = pairs.read(folder / "pairs.parquet", ["tier", "origin", "stereotype_id", "identity"])
            counts = subset_sizes(table)
            stereotypes, identities = (pc.count_distinct(table[c]).as_py() for c in ("stereotype_id", "identity"))
            lines.append(
                f"  {folder}/  {counts['all']:,} pairs from {stereotypes} stereotypes, {identities} identities"
            )
            if language.survey:
                lines.append(
                    f"      subsets: Tier 1-2 {counts['tier_1_2']:,}; Tier 1 {counts['tier_1']:,};"
                    f" new stereotypes {counts['new']:,}"
                )
            lines.append("      sentence_pairs.csv, pairs.parquet, stereotype_metadata.csv, stereotypes.csv")
        if language.survey:
            lines.append(f"  {results / code / 'survey'}/  tiers and harmfulness from the survey exports (counts only)")
    before = {code: language.editions[1:] for code, language in config.languages.items()}
    lines += [
        f"  {results / code / e}/changes.md  what came and went, and why" for code in before for e in before[code]
    ]
    models = ", ".join(config.scoring.models) or "none"
    lines += [
        f"  {results / 'scores'}/, {results / 'tables'}/  scores and tables; models scored: {models}",
        f"  {results / 'report' / 'index.html'}  everything on one page: open it in a browser",
    ]
    lines += [
        "",
        "Next:  make help                              what else there is",
        "       edit a table in templates/ or predicates/ and run make again: only what depends on it is rebuilt",
        "",
    ]
    return "\n".join(lines)


def subset_sizes(table: object) -> dict[str, int]:
    """Pairs per subset; every new stereotype (not of English WinoQueer) belongs to every subset, as in the paper.

    Parameters
    ----------
    table: Arrow table with the columns ``tier`` (1, 2, 3 or null) and ``origin``.
    """
    tier, origin = table["tier"], table["origin"]  # type: ignore[index]
    new = pc.not_equal(origin, "winoqueer")
    in_tier = {t: pc.fill_null(pc.equal(tier, t), False) for t in (1, 2)}

    def count(mask: object) -> int:
        return int(pc.sum(mask).as_py() or 0)

    return {
        "all": len(tier),
        "tier_1_2": count(pc.or_(pc.or_(in_tier[1], in_tier[2]), new)),
        "tier_1": count(pc.or_(in_tier[1], new)),
        "new": count(new),
    }
