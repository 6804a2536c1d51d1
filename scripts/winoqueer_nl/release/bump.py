"""Which version number is honest: PATCH for corrected texts, MINOR for additions, MAJOR for what breaks comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.release.diff import Change, Level
from winoqueer_nl.release.layout import numbers


def least_bump(changes: Sequence[Change]) -> Level:
    """The least honest bump for these changes."""
    return max((change.level for change in changes), default=Level.NONE)


def next_version(version: str, level: Level) -> str:
    """The smallest version after ``version`` that says as much as ``level``."""
    major, minor, patch = numbers(version)
    if level == Level.MAJOR:
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if level == Level.MINOR else f"{major}.{minor}.{patch + 1}"


def actual_bump(old: str, new: str) -> Level:
    """What the step from one version to the other says; NONE if it is no step forward."""
    a, b = numbers(old), numbers(new)
    if b <= a:
        return Level.NONE
    return Level.MAJOR if b[0] > a[0] else Level.MINOR if b[1] > a[1] else Level.PATCH


def check_bump(old: str, new: str, changes: Sequence[Change], place: str) -> None:
    """Raise InputError unless the step from ``old`` to ``new`` says at least what the changes ask for."""
    least = least_bump(changes)
    if numbers(new) <= numbers(old):
        raise InputError(
            [
                Problem(
                    place,
                    f"version {new}, which is not after {old}",
                    f"a later version, {next_version(old, least)} at least",
                    "Give the edition a later number in release/editions.csv.",
                )
            ]
        )
    if actual_bump(old, new) < least:
        reasons = dict.fromkeys(c.why for c in changes if c.level == least)
        raise InputError(
            [
                Problem(
                    place,
                    f"version {new} after {old}, a step that says {actual_bump(old, new).name}",
                    f"{least.name}, hence {next_version(old, least)} at least, because of {', '.join(reasons)}",
                    f"Number the edition {next_version(old, least)} in release/editions.csv (and in the rows' since "
                    "and until), or leave these changes out.",
                )
            ]
        )
