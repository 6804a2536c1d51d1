"""Proof that a release holds no respondent-level data and no token: small counts, and a search of every byte."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from winoqueer_nl.problems import Problems
from winoqueer_nl.release.layout import SURVEY, Release, parquet_of
from winoqueer_nl.release.search import contents, find, normal

#: Counts of people from 1 up to but not including this number are never released, whatever the configuration.
SMALLEST_COUNT = 5
#: Questions whose counts are votes on a stereotype, not people with a property.
_ABOUT_STEREOTYPES = ("relevance", "harmfulness")

#: Shortest value of a personal column, and shortest free text, that is searched for; shorter ones occur everywhere.
_SHORTEST_PERSONAL, _SHORTEST_TEXT = 6, 8
#: A part of a free text is searched for from this many characters and words on.
_SHORTEST_PART, _FEWEST_WORDS = 20, 4

_LEAK = "Leave the data out where they came from (the survey stage), and build the release again."

_PATTERNS = {
    "an e-mail address": rb"[\w.+-]+@[\w-]+\.[a-z]{2,}(?![\w-])",
    "an IP address": rb"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])",
    "a survey tool's response id": rb"\bR_[0-9A-Za-z]{13,17}\b",
    "a time stamp": rb"\b20\d\d-[01]\d-[0-3]\d[ T][0-2]\d:[0-5]\d",
}
_TOKENS = {
    "a Hugging Face token": rb"\b(?:hf|api_org)_[A-Za-z0-9]{16,}",
    "a GitHub token": rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
    "an AWS key": rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "an API key": rb"\bsk-[A-Za-z0-9_-]{20,}",
    "a Slack token": rb"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "a JSON web token": rb"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}",
    "a private key": rb"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a password in an address": rb"\b[a-z]+://[^/\s:@\"'<>]+:[^/\s:@\"'<>]{3,}@",
}


@dataclass(frozen=True)
class Export:
    """A raw export and the instrument that says what its columns are; project: folder with the source tables."""

    path: Path
    instrument: Path | None = None
    project: Path | None = None


def check_small_counts(release: Release, problems: Problems) -> None:
    """No count of few people, none that can be worked out, and no row per person."""
    if SURVEY not in release.subsets:
        return
    place = f"{release.name}/{parquet_of(SURVEY)}"
    frame = release.table(SURVEY).to_pandas()
    repeated = frame.duplicated(["question", "stereotype_id", "answer"])
    if repeated.any():
        row = int(repeated.to_numpy().argmax()) + 1
        problems.add(place, f"{int(repeated.sum())} repeated answers, as if a row were a person", "counts", _LEAK, row)
    wrong = frame["suppressed"] != frame["count"].isna()
    if wrong.any():
        row = int(wrong.to_numpy().argmax()) + 1
        problems.add(place, "a count that is withheld and shown, or neither", "one of the two", _LEAK, row, "count")
    people = frame[~frame["question"].isin(_ABOUT_STEREOTYPES)]
    small = people["count"].between(1, SMALLEST_COUNT - 1)
    for row in people.index[small]:
        problems.add(
            place, "a count of fewer people", f"at least {SMALLEST_COUNT}, or withheld", _LEAK, int(row) + 1, "count"
        )
    for question, mine in people.groupby("question", sort=False):
        if int(mine["suppressed"].sum()) == 1 and len(mine) > 1:
            problems.add(
                place,
                f"one withheld count in the question {question}, which a total gives away",
                "two or more withheld counts",
                _LEAK,
                field="suppressed",
            )


def check_exports(release: Release, exports: Iterable[Export], problems: Problems) -> int:
    """Search every byte for what respondents wrote and what tells them apart; return how many texts were searched."""
    exports = list(exports)
    if SURVEY in release.subsets and not exports:
        problems.add(
            f"{release.name}/{parquet_of(SURVEY)}",
            "survey aggregates, and no raw exports to search the release for",
            "the exports that they come from",
            "Run the command in the project folder, or name the exports with --export.",
        )
        return 0
    _check_reconstruction(release, exports, problems)
    where: dict[str, str] = {}
    for export in exports:
        public = _public_texts(export.project) if export.project else frozenset()
        for text, place in sensitive(export, problems):
            if text.casefold() not in public:
                where.setdefault(text, place)
    if not where:
        return 0
    for name, data in contents(release.folder, release.files()):
        for text in sorted(find(where, data)):
            # The text itself is never repeated: a message may be copied into a ticket.
            problems.add(
                f"{release.name}/{name}", f"a text of {len(text)} characters from {where[text]}", "none", _LEAK
            )
    return len(where)


#: The column in which a reconstructed sample says of each row that its respondent does not exist.
SAMPLE_NOTE = "SampleNote"


def _check_reconstruction(release: Release, exports: Iterable[Export], problems: Problems) -> None:
    """Counts of people who do not exist are no data: a reconstructed sample must be declared as one."""
    made_up = [e.path for e in exports if e.path.is_file() and SAMPLE_NOTE in _first_line(e.path)]
    if not made_up or SURVEY not in release.subsets:
        return
    questions = set(release.table(SURVEY)["question"].to_pylist()) - set(_ABOUT_STEREOTYPES)
    if questions:
        problems.add(
            f"{release.name}/{parquet_of(SURVEY)}",
            f"counts of people ({', '.join(sorted(questions))}) from a reconstructed sample, {made_up[0].name}",
            "votes only, which agree with the published counts",
            "Say survey_exports: reconstructed in release/<language>.yaml, or name the original exports.",
        )


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.readline()


def sensitive(export: Export, problems: Problems) -> Iterator[tuple[str, str]]:
    """The texts of an export that no release may hold, each with its place: ids, personal values, free texts.

    Without an instrument every column counts as free text.
    """
    try:
        text = export.path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        problems.add(export.path, "a file that cannot be read as UTF-8", "a raw export", "Correct the path.")
        return
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    if len(rows) < 2:
        problems.add(export.path, "no responses", "a raw export", "Correct the path.")
        return
    columns = [normal(cell) for cell in rows[0]]
    personal, harmless, header_rows = _roles(export.instrument)
    responses = rows[header_rows:]
    for i, column in enumerate(columns):
        if column in harmless:
            continue
        mine = column in personal
        counts: dict[str, list[int]] = {}
        for number, cells in enumerate(responses, start=header_rows + 1):
            value = normal(cells[i]) if i < len(cells) else ""
            if len(value) >= (_SHORTEST_PERSONAL if mine else _SHORTEST_TEXT):
                counts.setdefault(value, []).append(number)
        for value, numbers in counts.items():
            if len(numbers) >= SMALLEST_COUNT:
                continue  # shared by so many that it tells nobody apart
            place = f"{export.path.name}, row {numbers[0]}, {column}"
            yield value, place
            if not mine:
                for part in re.split(r"[.!?;\n]+", value):
                    part = normal(part)
                    if part != value and len(part) >= _SHORTEST_PART and len(part.split()) >= _FEWEST_WORDS:
                        yield part, place


def _roles(instrument: Path | None) -> tuple[set[str], set[str], int]:
    """Personal columns, harmless ones (closed answers, bookkeeping), and the number of header rows."""
    if instrument is None:
        return set(), set(), 1
    content: Any = yaml.safe_load(instrument.read_text(encoding="utf-8"))
    personal: set[str] = set()
    harmless: set[str] = set()
    header_rows = 1
    for form in (content.get("formats") or {}).values():
        personal |= {normal(str(c)) for c in [*(form.get("personal") or []), form.get("respondent", "")]}
        harmless |= {normal(str(c)) for c in [*(form.get("ignored") or []), *(form.get("rows") or {})]}
        header_rows = max(header_rows, int(form.get("header_rows", 3)))
    for one in (content.get("rounds") or {}).values():
        harmless |= {normal(str(q["column"])) for q in one.get("identities") or []}
        for item in one.get("items") or []:
            harmless |= {normal(str(item[k])) for k in ("relevance", "harmfulness") if item.get(k)}
    return personal, harmless - personal, header_rows


def _public_texts(project: Path) -> frozenset[str]:
    """Texts that maintainers wrote into the source tables: a respondent may have used the same words."""
    texts: set[str] = set()
    for folder in ("predicates", "templates"):
        for path in sorted((project / folder).rglob("*.csv")):
            with path.open(encoding="utf-8-sig", newline="") as file:
                texts |= {normal(cell).casefold() for row in csv.reader(file) for cell in row}
    return frozenset(texts)


def check_patterns(release: Release, problems: Problems, token: str | None = None) -> None:
    """Nothing in any file looks like a person's address, a response id, or a secret; the token in use is in none."""
    for name, data in contents(release.folder, release.files()):
        for what, pattern in _TOKENS.items():
            if re.search(pattern, data):
                problems.add(f"{release.name}/{name}", what, "no secrets", "Revoke it, and find out how it got there.")
        if token and find([token], data):
            problems.add(f"{release.name}/{name}", "the token in use", "no secrets", "Revoke it.")
        if name.endswith((".png", ".parquet")):
            continue  # compressed bytes look like anything; the decoded texts of Parquet files are searched
        for what, pattern in _PATTERNS.items():
            if re.search(pattern, data):
                problems.add(f"{release.name}/{name}", what, "nothing about a person", _LEAK)


def token_in_use() -> str | None:
    """The token of the environment or the login, to be searched for."""
    from huggingface_hub import get_token

    return get_token() or os.environ.get("HF_TOKEN") or None
