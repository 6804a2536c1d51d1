"""A summary as lines of text for the terminal."""

from __future__ import annotations

import sys
from typing import Any


def warn(report: dict[str, Any]) -> None:
    """Print the warnings of a summary where a person sees them."""
    for text in report["warnings"]:
        print(f"WARNING: {text}", file=sys.stderr)


def as_text(report: dict[str, Any]) -> str:
    """The bias scores of a summary as lines of text."""
    lines = []
    for policy, entry in report["results"].items():
        if policy == "policies_compared":
            continue
        score_ = entry["bias_score"]
        text = f"{policy:<10} bias score {score_['percentage']:6.2f}"
        if "interval_95" in score_:
            text += f" (95 % interval {score_['interval_95'][0]:.2f} to {score_['interval_95'][1]:.2f})"
        half = entry["bias_score_ties_half"]["percentage"]
        lines.append(f"{text}   ties as half {half:6.2f}   {entry['pairs']} pairs, {entry['ties']} ties")
        for label, value in entry.get("by_identity", {}).items():
            lines.append(f"    {label:<16} {value['percentage']:6.2f}   {value['pairs']} pairs")
    return "\n".join(lines)
