"""Sending review sheets out and taking them in again: between the tables, the files and the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from winoqueer_nl.authoring import accept, review
from winoqueer_nl.authoring.agreement import krippendorff_alpha
from winoqueer_nl.authoring.changes import Changes
from winoqueer_nl.authoring.proposals import read_translations, working_edition
from winoqueer_nl.authoring.spreadsheets import write_csv_sheet, write_xlsx_sheet
from winoqueer_nl.config import check_language, read_editions
from winoqueer_nl.edition import valid_rows
from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.sources import load

ALL = "all"


def export(
    root: Path,
    lang: str,
    reviewers: Sequence[str],
    folder: Path,
    file_format: str = "xlsx",
    recheck: Sequence[str] | None = None,
    edition: str | None = None,
    overwrite: bool = False,
) -> tuple[list[Path], int]:
    """Write one sheet for each reviewer; return their paths and the number of forms asked about.

    Raises
    ------
    InputError
        for initials, formats and stereotypes that are none, sheets already there, and where nothing is to be asked.
    """
    check_language(root, lang)
    sources = load(root, lang)
    chosen = valid_rows(sources, working_edition(root, lang, edition))
    problems = Problems()
    for reviewer in reviewers:
        if not reviewer.isalnum() or len(reviewer) > 8:
            problems.add("--reviewer", quoted(reviewer), "initials of letters and digits, at most 8 of them")
    for reviewer in {r for r in reviewers if reviewers.count(r) > 1}:
        problems.add("--reviewer", f"{quoted(reviewer)} twice", "each reviewer's own initials")
    if file_format not in ("xlsx", "csv"):
        problems.add("--format", quoted(file_format), "xlsx or csv")
    known = {row.stereotype_id for row in chosen.stereotypes}
    for one in recheck or []:
        if one != ALL and one not in known:
            problems.add("--recheck", quoted(one), "the id of a stereotype, or all", suggestion(one, known))
    paths = [folder / f"review-{lang}-{reviewer}.{file_format}" for reviewer in reviewers]
    for path in paths:
        if path.exists() and not overwrite:
            problems.add(
                path, "a sheet that is there already", "no file of this name", "Import it, or add --overwrite."
            )
    problems.stop()
    again = None if recheck is None else ([] if ALL in recheck else list(recheck))
    asked = review.items(sources, chosen, read_translations(root, lang, sources), again)
    if not asked:
        problems.add(
            lang, "no form that waits for review", "at least one", "--recheck all asks about the forms in use."
        )
    problems.stop()
    for reviewer, path in zip(reviewers, paths, strict=True):
        rows = review.sheet_rows(asked, lang, reviewer)
        if file_format == "csv":
            write_csv_sheet(path, list(review.COLUMNS), rows)
        else:
            write_xlsx_sheet(
                path,
                review.COLUMNS,
                rows,
                review.TO_FILL,
                {"choice": review.CHOICES, "kind": review.KINDS},
                review.EXPLAINED,
                sources.language.direction == "rtl",
            )
    return paths, len(asked)


def import_sheets(
    root: Path,
    lang: str,
    files: Sequence[Path],
    at_least: int = 2,
    decider: str | None = None,
    since: str | None = None,
    resamples: int = 2000,
    seed: int = 20250101,
    dry_run: bool = False,
) -> tuple[str, list[str]]:
    """Merge filled-in sheets, decide, and write; return the report (Markdown) and the files changed.

    Parameters
    ----------
    at_least: so many reviewers must agree on an item.
    decider: initials of the reviewer whose answer settles an item.
    since: the edition that accepted forms are for; the newest of the language by default.
    resamples, seed: of the interval of agreement.
    dry_run: write nothing.

    Raises
    ------
    InputError
        with every cell that cannot be an answer, and for wordings that the tables do not allow.
    """
    check_language(root, lang)
    sources = load(root, lang)
    edition = working_edition(root, lang, since)
    chosen = valid_rows(sources, edition)
    translations = read_translations(root, lang, sources)
    asked = review.items(sources, chosen, translations, recheck=[], with_sentences=False)
    asked += review.decided(sources, translations)
    asked = [*{item.key: item for item in reversed(asked)}.values()][::-1]  # of two alike, the one to be decided now
    problems = Problems()
    answers = review.read_answers(files, lang, asked, chosen, problems)
    reviewers = sorted({who for given in answers.values() for who in given})
    if decider is not None and decider not in reviewers and not problems.found:
        problems.add("--decider", quoted(decider), f"one of the reviewers: {listed(reviewers)}")
    problems.stop()
    asked = [item for item in asked if item.key in answers or item.standing == "open"]
    decisions = review.decide(asked, answers, at_least, decider)
    categories = [choice for choice in review.CHOICES if choice != "unsure"]
    agreement = krippendorff_alpha(
        {
            key: {who: answer.choice for who, answer in given.items() if answer.choice in categories}
            for key, given in answers.items()
        },
        categories,
        resamples,
        seed,
    )
    of_language = any(lang in row.languages for row in read_editions(root))
    changes = Changes(root, edition if of_language or since else None)
    done = accept.apply(changes, sources, translations, decisions, edition)
    written: list[str] = []
    if changes.texts():
        changes.try_out({lang: edition})
        written = [] if dry_run else changes.write()
    return review.report(decisions, agreement, done, lang), written
