"""Fetching an export through LimeSurvey's own interface (RemoteControl 2), as the same CSV that its export page writes.

Personal columns are taken out before anything is written. Name and password come from the environment only.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping
from pathlib import Path

from winoqueer_nl.problems import InputError, Problem, quoted
from winoqueer_nl.survey.formats import Format, normalised
from winoqueer_nl.survey.private import write_private_text

USERNAME, PASSWORD = "LIMESURVEY_USERNAME", "LIMESURVEY_PASSWORD"


def fetch(url: str, survey_id: int, out: Path, form: Format, environment: Mapping[str, str] = os.environ) -> int:
    """Fetch all responses, complete or not, and write them to ``out``, readable by its owner alone.

    Of a personal column that another one is derived from (the date of submission), the word is kept that would be
    read of it; other personal columns are left out.

    Returns
    -------
    How many responses were written.

    Raises
    ------
    InputError
        without name and password, for an answer that is no export, and when the server cannot be reached.
    """
    import requests
    from citric import Client
    from citric.exceptions import LimeSurveyError, LimeSurveyStatusError

    missing = [name for name in (USERNAME, PASSWORD) if not environment.get(name)]
    if missing:
        raise InputError([Problem(name, "nothing", "in the environment", f"export {name}=...") for name in missing])
    if not re.match(r"https://|http://(localhost|127\.0\.0\.1)[:/]", url):
        expected = "an address that begins with https://, for name and password travel with it"
        raise InputError([Problem("--url", quoted(url), expected)])
    try:
        with Client(url, environment[USERNAME], environment[PASSWORD]) as client:
            content = client.export_responses(survey_id, file_format="csv")
    except (LimeSurveyError, LimeSurveyStatusError) as error:
        advice = "Check the number of the survey, name and password, and that RemoteControl is switched on."
        raise InputError([Problem(url, f"the answer {error}", "an export", advice)]) from None
    except (requests.RequestException, ValueError) as error:
        what = f"no answer ({type(error).__name__})"
        raise InputError([Problem(url, what, "LimeSurvey's RemoteControl", "Check the address.")]) from None
    rows = _records(content, url, form)
    write_private_text(out, without_people(rows, form))
    return len(rows) - 1


def _records(content: bytes, url: str, form: Format) -> list[list[str]]:
    try:
        text = content.decode("utf-8-sig")
        rows = [r for r in csv.reader(io.StringIO(text, newline=""), delimiter=form.delimiter, strict=True) if r]
    except (UnicodeDecodeError, csv.Error):
        rows = []
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(
            [Problem(url, "an answer that is no such table", f"CSV in UTF-8, separated by {form.delimiter!r}")]
        )
    return rows


def without_people(rows: list[list[str]], form: Format) -> str:
    """The table as CSV without its personal columns; sources of derived columns reduced to their word."""
    names = [normalised(cell) for cell in rows[0]]
    reduced = {derived.column: derived for derived in form.derived.values() if derived.column != form.respondent}
    keep = [i for i, name in enumerate(names) if not form.is_personal(name) or name in reduced]
    text = io.StringIO()
    lines = csv.writer(text, delimiter=form.delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    lines.writerow(names[i] for i in keep)
    for row in rows[1:]:
        # An empty cell stays empty: what is derived from the file later is what would have been derived now.
        lines.writerow(
            (reduced[names[i]].word(row[i]) if row[i].strip() else "") if names[i] in reduced else row[i] for i in keep
        )
    return text.getvalue()
