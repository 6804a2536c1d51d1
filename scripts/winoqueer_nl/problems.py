"""Problems in what a person gave us: one clear message each, all problems of a file together.

A reader collects every problem that it finds in a :class:`Problems` list and raises them at once as
:class:`InputError`. The command line prints the messages and exits with status 1; no traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# A file can be wrong in every row. People read the first screenful; the count says how much more there is.
MOST_SHOWN = 40
#: Characters of a wrong value that a message repeats.
MOST_QUOTED = 200


@dataclass(frozen=True)
class Problem:
    """One thing wrong in one place.

    Parameters
    ----------
    file: the file as the person named it.
    found: what stands there.
    expected: what should stand there.
    fix: what to do about it.
    row: 1 is the first line of the file, so that the number is the one a spreadsheet shows.
    field: column or key.
    """

    file: str
    found: str
    expected: str
    fix: str = ""
    row: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = self.file
        if self.row is not None:
            place += f", row {self.row}"
        if self.field is not None:
            place += f", {self.field}"
        text = f"{place}: found {self.found}; expected {self.expected}."
        return f"{text} {self.fix}" if self.fix else text


class InputError(Exception):
    """Something a person can put right; carries every problem found, never shown with a traceback."""

    def __init__(self, problems: Iterable[Problem | str]) -> None:
        self.problems = list(problems)
        super().__init__(self.message())

    def message(self) -> str:
        """The problems, one a line, at most :data:`MOST_SHOWN` of them and a count of the rest."""
        lines = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"... and {len(self.problems) - MOST_SHOWN} more problems of this kind.")
        return "\n".join(lines)


class Problems:
    """Collects problems of one or more files; :meth:`stop` raises them together, if there are any."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(
        self,
        file: str | Path,
        found: str,
        expected: str,
        fix: str = "",
        row: int | None = None,
        field: str | None = None,
    ) -> None:
        """Note one problem; see :class:`Problem` for the parameters."""
        self.found.append(Problem(str(file), found, expected, fix, row, field))

    def extend(self, problems: Problems) -> None:
        """Take over the problems of another collector."""
        self.found.extend(problems.found)

    def stop(self) -> None:
        """Raise :class:`InputError` if anything was found."""
        if self.found:
            raise InputError(self.found)


def quoted(value: object) -> str:
    """The value between quotes, cut where very long, unseen characters written out (``\\t``, ``\\xa0``)."""
    text = str(value)
    if len(text) > MOST_QUOTED:
        text = text[:MOST_QUOTED] + "..."
    return '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in text) + '"'


def suggestion(word: str, known: Iterable[str]) -> str:
    """``Did you mean "x"?`` for the nearest known word, else nothing."""
    near = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return f'Did you mean "{near[0]}"?' if near else ""


def listed(words: Iterable[str], most: int = 12) -> str:
    """The words, comma-separated, shortened when there are many."""
    words = list(words)
    text = ", ".join(words[:most])
    return text if len(words) <= most else f"{text}, ... ({len(words)} in all)"
