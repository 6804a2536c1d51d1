"""The changelog of a release, written from what the comparison with the version before found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from winoqueer_nl.release.diff import Group, Level

#: Explanations shown for one group of changes; the count says how many there are.
MOST_EXPLANATIONS = 12


def plural(what: str, n: int) -> str:
    """2 "identity" -> "2 identities"."""
    if n == 1:
        return f"1 {what}"
    return f"{n:,} {what[:-1]}ies" if what.endswith("y") else f"{n:,} {what}s"


def _safe(text: str) -> str:
    """Text that Markdown shows as it is, with blanks that matter in sight."""
    return "`" + text.replace("`", "'").replace("\n", "␊") + "`" if text else "nothing"


def line(group: Group, examples: bool = True) -> str:
    """One entry of the list: what, how many, why, an example, and the reasons of the corrections that explain it."""
    text = f"- **{group.level.name}** {plural(group.what, group.n)} {group.action} ({group.why})"
    change = group.example
    if group.n == 1:
        text += f": {change.id}"
    if examples and group.action == "changed":
        text += f"; for example {_safe(change.before)} → {_safe(change.after)}"
    text += "."
    if group.explained:
        shown = [f"{reason} ({n:,})" for reason, n in group.explained[:MOST_EXPLANATIONS]]
        rest = len(group.explained) - len(shown)
        text += (
            f" Explained by corrections: {'; '.join(shown)}{f'; and {rest} more in corrections.csv' if rest else ''}."
        )
    if group.unexplained and group.what == "sentence pair":
        which = "any of this" if group.unexplained == group.n else f"{group.unexplained:,} of them"
        text += f" No correction in the tables explains {which}."
    return text


def entry(version: str, previous: str | None, summary: str, groups: Sequence[Group], least: Level) -> str:
    """The changelog entry of a version, in Markdown."""
    lines = [f"### {version}", "", summary]
    if previous is None:
        lines += ["", "The first release of this language: there is none to compare with."]
    elif not groups:
        lines += ["", f"No difference in the data from {previous}."]
    else:
        lines += ["", f"Compared with {previous}; the least honest step is {least.name}.", ""]
        lines += [line(group) for group in groups]
    return "\n".join(lines) + "\n"


def as_json(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """The groups for changes.json."""
    return [
        {
            "what": group.what,
            "action": group.action,
            "n": group.n,
            "level": group.level.name,
            "why": group.why,
            "explained": dict(group.explained),
            "unexplained": group.unexplained,
            "example": {"id": group.example.id, "before": group.example.before, "after": group.example.after},
        }
        for group in groups
    ]
