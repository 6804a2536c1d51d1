"""`winoqueer-nl verify FOLDER`: everything that must hold before a release leaves the house."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from winoqueer_nl.problems import InputError, Problem, Problems
from winoqueer_nl.release import check_documents, check_harness, check_privacy, check_tables
from winoqueer_nl.release.check_privacy import Export
from winoqueer_nl.release.layout import Release, open_release

Run = Callable[["Context", Problems], str | None]


@dataclass
class Context:
    """What the checks look at: the release, the raw exports to search it for, and the token in use."""

    release: Release
    exports: Sequence[Export] = ()
    token: str | None = None
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """One check: what it proves, and whether it needs the release tools."""

    name: str
    proves: str
    run: Run
    tool: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a check ended: its problems, what it found out, how long it took (seconds; shown, never written)."""

    check: Check
    problems: list[Problem]
    note: str
    seconds: float


def _of_release(function: Callable[[Release, Problems], None]) -> Run:
    def run(context: Context, problems: Problems) -> None:
        function(context.release, problems)

    return run


def _exports(context: Context, problems: Problems) -> str:
    n = check_privacy.check_exports(context.release, context.exports, problems)
    return f"{n} texts of {len(context.exports)} exports searched for" if context.exports else "no survey"


def _patterns(context: Context, problems: Problems) -> None:
    check_privacy.check_patterns(context.release, problems, context.token)


def _harness(context: Context, problems: Problems) -> str:
    found = check_harness.check_harness(context.release, problems)
    context.figures["harness"] = found
    if not found:
        return ""
    return (
        f"{found['pairs']} pairs: harness {found['harness'].get('pct_stereotype', float('nan')):.4f}, "
        f"ours {found['ours']['pct_stereotype']:.4f}, scores within {found['largest_difference']:.1e}"
    )


#: In the order of their cost; the files come first, because nothing can be said of a folder that was changed.
CHECKS = (
    Check("files", "only foreseen files, each with its checksum", _of_release(check_tables.check_files)),
    Check("version", "a version that can be tagged, with its changelog entry", _of_release(check_tables.check_version)),
    Check("columns", "the foreseen columns and types, no others", _of_release(check_tables.check_columns)),
    Check("rows", "tables that agree with each other", _of_release(check_tables.check_rows)),
    Check("small counts", "no count of few people, no row per person", _of_release(check_privacy.check_small_counts)),
    Check("raw exports", "nothing that a respondent wrote, no id, in any byte", _exports),
    Check("patterns", "no address, response id, time stamp or secret", _patterns),
    Check("card", "a complete card that agrees with the files", _of_release(check_documents.check_card)),
    Check("citation", "a citation of this version", _of_release(check_documents.check_citation)),
    Check("croissant", "a Croissant file of these files", _of_release(check_documents.check_croissant)),
    Check("loading", "every subset loads with load_dataset", _of_release(check_tables.check_loading)),
    Check("cffconvert", "a valid citation file", _of_release(check_documents.check_citation_tool), tool=True),
    Check(
        "mlcroissant", "a valid Croissant file that reads", _of_release(check_documents.check_croissant_tool), tool=True
    ),
    Check("harness", "the evaluation-harness task runs and gives our number", _harness, tool=True),
)
QUICK = tuple(check for check in CHECKS if not check.tool)


def verify(context: Context, checks: Sequence[Check] = CHECKS, tell: Callable[[Outcome], None] | None = None) -> None:
    """Run the checks, all of them, and raise InputError with everything they found."""
    found: list[Problem | str] = []
    for check in checks:
        outcome = _run(check, context)
        if tell is not None:
            tell(outcome)
        found += outcome.problems
    if found:
        raise InputError(found)


def _run(check: Check, context: Context) -> Outcome:
    problems = Problems()
    started = time.perf_counter()
    note = ""
    try:
        note = check.run(context, problems) or ""
    except InputError as error:
        problems.found += [
            p if isinstance(p, Problem) else Problem(context.release.name, p, "none") for p in error.problems
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        # A folder can be spoiled in ways that no check foresaw; that it cannot even be checked is a finding.
        name = type(error).__name__
        problems.add(
            context.release.name,
            f"something that the check {check.name!r} cannot read ({name}: {str(error)[:200]})",
            check.proves,
            "Build the release again.",
        )
    return Outcome(check, problems.found, note, time.perf_counter() - started)


def context_for(folder: Path, exports: Sequence[Path], root: Path) -> Context:
    """The context of a folder: the exports named, else those that the project's configuration names for its language.

    Raises
    ------
    InputError
        when the folder is no release, or the configuration is not in order.
    """
    release = open_release(folder.resolve(), str(folder))
    return Context(release, exports_of(release.language, exports, root), check_privacy.token_in_use())


def exports_of(lang: str, named: Sequence[Path], root: Path) -> list[Export]:
    """The exports to search a release for."""
    from winoqueer_nl.config import CONFIG_FILE, load

    survey = None
    if (root / CONFIG_FILE).is_file():
        language = load(root).languages.get(lang)
        survey = language.survey if language else None
    instrument = root / survey.instrument if survey else None
    paths = list(named) or ([root / path for path in survey.exports] if survey else [])
    return [Export(path, instrument, root if (root / "predicates").is_dir() else None) for path in paths]
