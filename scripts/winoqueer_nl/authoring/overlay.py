"""Changes of tables are tried on a copy of the tables before they are written: a change that breaks something is none.

All languages share predicates/stereotypes.csv, so every language is looked at; what was wrong before stays its owner's
affair, and editions before the one that the change is for must come out as they were.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.version import Version

from winoqueer_nl.authoring.rows import write_together
from winoqueer_nl.config import language_folders, read_editions
from winoqueer_nl.edition import Edition, choose
from winoqueer_nl.metadata import form_rows
from winoqueer_nl.planning import plan
from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.released import verify
from winoqueer_nl.sources import LANGUAGE_FILE, load

_FOLDERS = ("templates", "predicates", "release")
#: Tables whose order of rows means nothing. That of the others is the order of the pairs or of the metadata.
_UNORDERED = ("absent", "coverage")


@dataclass(frozen=True)
class Looked:
    """What a project's tables give: the editions that can be built, and what is wrong."""

    editions: dict[tuple[str, str], Edition]
    problems: list[Problem]


def look(root: Path, extra: Mapping[str, str] | None = None) -> Looked:
    """Choose every edition of every language.

    Parameters
    ----------
    root: the project folder.
    extra: language -> an edition to choose although release/editions.csv does not list the language there.
    """
    editions: dict[tuple[str, str], Edition] = {}
    problems: list[Problem] = []
    rows = read_editions(root)
    for lang in language_folders(root):
        if not (root / LANGUAGE_FILE.format(lang=lang)).exists():
            continue
        wanted = [row.edition for row in rows if lang in row.languages]
        wanted += [e for code, e in (extra or {}).items() if code == lang and e not in wanted]
        try:
            sources = load(root, lang)
            verify(root, sources)
        except InputError as error:
            problems += [p for p in error.problems if isinstance(p, Problem)]
            continue
        for edition in wanted:
            try:
                chosen = choose(sources, edition)
                plan(chosen)
                form_rows(chosen)
                editions[lang, edition] = chosen
            except InputError as error:
                problems += [p for p in error.problems if isinstance(p, Problem)]
    return Looked(editions, problems)


def tried(root: Path, texts: Mapping[str, str], since: str | None, extra: Mapping[str, str] | None = None) -> Looked:
    """Look at the tables as they will be with some files changed.

    Parameters
    ----------
    root: the project folder.
    texts: path below the project folder -> new text of that file.
    since: the edition that the changes are for; earlier ones must not change. None: any may.
    extra: as for :func:`look`.

    Raises
    ------
    InputError
        with the problems that the change brings, and no others.
    """
    before = look(root, extra)
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for folder in _FOLDERS:
            shutil.copytree(root / folder, copy / folder)
        write_together({copy / path: text for path, text in texts.items()})
        after = look(copy, extra)
    known = Counter(map(_without_row, before.problems))
    new = []
    for problem in after.problems:
        problem = _placed(problem, copy, root)
        if known[_without_row(problem)] > 0:
            known[_without_row(problem)] -= 1
        else:
            new.append(problem)
    if new:
        # Tables that languages share, and rows that editions share, say the same once for each.
        raise InputError(dict.fromkeys(new))
    if since is not None:
        _check_earlier(before, after, since)
    return after


def _check_earlier(before: Looked, after: Looked, since: str) -> None:
    changed = [
        Problem(
            f"{lang} {edition}",
            f"another content than before the change, which is for edition {since}",
            "earlier editions as they were",
            "Give the rows a later since, or say with --since which edition they are for.",
        )
        for (lang, edition), chosen in before.editions.items()
        if Version(edition) < Version(since)
        and (lang, edition) in after.editions
        and _content(chosen) != _content(after.editions[lang, edition])
    ]
    if changed:
        raise InputError(changed)


def _content(edition: Edition) -> dict[str, object]:
    """What the edition says, where the order of rows means nothing whatever the order."""
    content: dict[str, object] = edition.model_dump()
    return content | {table: sorted(map(str, content[table])) for table in _UNORDERED}  # type: ignore[call-overload]


def _without_row(problem: Problem) -> Problem:
    return replace(problem, row=None)


def _placed(problem: Problem, copy: Path, root: Path) -> Problem:
    """The problem with the paths of the copy turned into those of the project."""
    here = "" if root == Path() else f"{root}/"
    texts = {key: getattr(problem, key).replace(f"{copy}/", here) for key in ("file", "found", "expected", "fix")}
    return replace(problem, **texts)
