"""Free text to stereotypes, the first half: a coding sheet that says nothing about who wrote what.

Texts are cut into lines, e-mail addresses and the like masked, near-duplicates put together, the order shuffled, and
existing stereotypes suggested by similarity. What people wrote stays in the sheet: it is as private as an export.
"""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from winoqueer_nl.authoring.spreadsheets import EXECUTED
from winoqueer_nl.problems import InputError, Problem, Problems, listed
from winoqueer_nl.schema import Form
from winoqueer_nl.survey.canonical import Responses
from winoqueer_nl.survey.cells import ANSWERED
from winoqueer_nl.survey.formats import normalised
from winoqueer_nl.survey.instrument import Instrument
from winoqueer_nl.survey.private import private_file, write_private_text
from winoqueer_nl.tables import read_table, shown

GIVEN = ["text_id", "group", "text", "suggestion_1", "suggestion_2", "suggestion_3"]
#: What a coder fills in.
CODED = ["code", "stereotype_id", "wording", "identities", "gloss", "gloss_singular", "reason"]
COLUMNS = GIVEN + CODED
CODES = {
    "existing": "a stereotype that the tables have: stereotype_id",
    "new": "a stereotype that they lack: wording, identities, gloss and gloss_singular (English)",
    "not_expressible": "a stereotype that the templates cannot express: wording and reason",
    "not_a_stereotype": "anything else",
}
SHEET, PAGE = "coding", "read me first"
WARNING = "Content warning: the texts are hurtful statements about queer people, as people have heard them."

# What is masked: e-mail and web addresses, names of accounts, telephone and other long numbers.
_MASKS = (
    ("[e-mail]", re.compile(r"\S+@\S+\.\w+")),
    ("[link]", re.compile(r"\b(?:https?://|www\.)\S+")),
    ("[account]", re.compile(r"(?<!\w)@\w+")),
    ("[number]", re.compile(r"\+?\d(?:[\s().-]?\d){4,}")),
)


@dataclass(frozen=True)
class Text:
    """One line of what somebody wrote."""

    text_id: str
    group: str
    text: str
    suggestions: tuple[str, ...]


def make(responses: Responses, instrument: Instrument, forms: Sequence[Form], settings: Settings) -> list[Text]:
    """The texts to code, shuffled.

    Raises
    ------
    InputError
        if no question of the rounds read is one about missing stereotypes, or nobody wrote anything.
    """
    columns = {c for r in responses.respondents for c in instrument.rounds[r].missing_stereotypes}
    if not columns:
        raise InputError(
            [
                Problem(
                    "instrument",
                    "no question about missing stereotypes",
                    "missing_stereotypes in a round, naming columns of its free_text",
                    "Name the column that asks which stereotypes are missing.",
                )
            ]
        )
    table = responses.table
    mine = table[(table["aspect"] == "free_text") & (table["state"] == ANSWERED)]
    answers = mine[mine["question"].astype(str).isin(columns)]["answer"].tolist()
    lines = [line for answer in answers for line in (answer.splitlines() if settings.by_line else [answer])]
    # Sorted before they are shuffled: the order of a file, which may be the order of time, is lost for good.
    texts = sorted(masked(normalised(line)) for line in lines if line.strip())
    if not texts:
        raise InputError([Problem("exports", "no text", f"answers to {listed(sorted(columns))}")])
    chance = random.Random(settings.seed)
    together = groups(texts, settings.alike)
    chance.shuffle(together)
    suggested = suggestions(texts, forms, settings.suggest_from)
    found: list[Text] = []
    for number, members in enumerate(together, start=1):
        chance.shuffle(members)
        for member in members:
            found.append(Text(f"T{len(found) + 1:04d}", f"G{number:04d}", texts[member], suggested[member]))
    return found


@dataclass(frozen=True)
class Settings:
    """How texts are cut, put together and compared; similarities in percent."""

    by_line: bool = True
    alike: float = 85.0
    suggest_from: float = 60.0
    seed: int = 2025


def masked(text: str) -> str:
    """The text without e-mail and web addresses, accounts and long numbers. Names cannot be found this way."""
    for sign, pattern in _MASKS:
        text = pattern.sub(sign, text)
    return text


def groups(texts: Sequence[str], alike: float) -> list[list[int]]:
    """Places of texts that are alike, directly or through others, in the order of their first members."""
    from rapidfuzz import fuzz, process

    folded = [text.casefold() for text in texts]
    leader = list(range(len(texts)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for start in range(0, len(folded), 500):
        scores = process.cdist(folded[start : start + 500], folded, scorer=fuzz.token_sort_ratio, score_cutoff=alike)
        for i, j in zip(*np.nonzero(scores), strict=True):
            one, other = sorted((find(start + int(i)), find(int(j))))
            leader[other] = one
    found: dict[int, list[int]] = {}
    for i in range(len(texts)):
        found.setdefault(find(i), []).append(i)
    return list(found.values())


def suggestions(texts: Sequence[str], forms: Sequence[Form], at_least: float) -> list[tuple[str, ...]]:
    """For each text up to three stereotypes with the likest wording: ``id: wording (similarity)``, likest first."""
    from rapidfuzz import fuzz, process

    wordings: dict[str, str] = {}
    for row in forms:
        wordings.setdefault(row.stereotype_id, shown(row.text))
    folded = {stereotype: wording.casefold() for stereotype, wording in wordings.items()}
    found = []
    for text in texts:
        matches = process.extract(text.casefold(), folded, scorer=fuzz.token_set_ratio, limit=10, score_cutoff=at_least)
        # Equal scores in the order of ids, so that the sheet does not depend on the order of a table.
        best = sorted(matches, key=lambda match: (-match[1], match[2]))[:3]
        found.append(tuple(f"{identifier}: {wordings[identifier]} ({score:.0f})" for _, score, identifier in best))
    return found


def read_forms(path: Path, form: str) -> list[Form]:
    """The wordings of one form of a language, from its forms.csv; raises InputError for a bad table or no such form."""
    problems = Problems()
    rows = read_table(path, Form, problems)
    problems.stop()
    mine = [row for row in rows if row.form == form]
    if not mine:
        known = listed(dict.fromkeys(row.form for row in rows))
        raise InputError([Problem(str(path), f"no form {form}", f"one of {known}", field="form")])
    return mine


def write(texts: Sequence[Text], out: Path) -> None:
    """Write the sheet, as .xlsx or .csv, readable by its owner alone."""
    if out.suffix not in (".xlsx", ".csv"):
        raise InputError([Problem(str(out), "another kind of file", "a name ending in .xlsx or .csv", field="--out")])
    rows = [cells(text) for text in texts]
    if out.suffix == ".csv":
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([[harmless(cell) for cell in row] for row in rows])
        # A spreadsheet program takes a file without this mark for something else than UTF-8.
        write_private_text(out, "\ufeff" + lines.getvalue())
        return
    _write_workbook(rows, out)


def cells(text: Text) -> list[str]:
    """A row of the sheet, nothing coded yet."""
    suggested = [*text.suggestions, "", "", ""][:3]
    return [text.text_id, text.group, text.text, *suggested] + [""] * len(CODED)


def harmless(cell: str) -> str:
    """The cell so that no spreadsheet program takes it for a formula."""
    return f"'{cell}" if cell.startswith(EXECUTED) else cell


def _write_workbook(rows: Sequence[Sequence[str]], out: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = SHEET
    for number, row in enumerate([COLUMNS, *rows], start=1):
        for position, value in enumerate(row, start=1):
            cell = sheet.cell(number, position)
            cell.value = value or None
            if value:
                cell.data_type = "s"  # a text that begins with = is no formula
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if number == 1:
                cell.font = Font(bold=True)
    sheet.freeze_panes = "D2"
    for column, width in zip("ABCDEFGHIJKLM", (8, 8, 50, 30, 30, 30, 18, 14, 40, 20, 30, 30, 30), strict=True):
        sheet.column_dimensions[column].width = width
    choice = DataValidation(type="list", formula1=f'"{",".join(CODES)}"', allow_blank=True, showErrorMessage=True)
    sheet.add_data_validation(choice)
    choice.add(f"G2:G{len(rows) + 1}")
    page = book.create_sheet(PAGE)
    for line in [WARNING, "", *instructions(CODES)]:
        page.append([line])
    page.column_dimensions["A"].width = 110
    with private_file(out) as temporary:
        book.save(temporary)


def instructions(codes: Mapping[str, str]) -> list[str]:
    """How to fill in the sheet."""
    return [
        "Code each text alone, without talking to the other coder; change nothing in the first six columns.",
        "Texts of one group are nearly the same; look at each all the same.",
        *(f"{code}: {meaning}" for code, meaning in codes.items()),
        "If a text lets somebody be recognised, tell the person who gave you this sheet.",
    ]
