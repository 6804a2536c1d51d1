"""Reader of Qualtrics CSV exports: short names, question texts, JSON with ImportId (left out in the legacy layout)."""

from __future__ import annotations

import json
from pathlib import Path

from winoqueer_nl.problems import Problems, listed, quoted
from winoqueer_nl.survey.canonical import RawExport
from winoqueer_nl.survey.instrument import Format, normalised
from winoqueer_nl.tables import other_separator, records

_EXPORT_AGAIN = "Export it again from the survey tool: CSV, comma-separated, UTF-8."


def read(path: Path, form: Format, problems: Problems) -> RawExport | None:
    """Read one export as text, its header rows verified and its personal columns gone; None with problems noted."""
    found = records(path, problems, _EXPORT_AGAIN)
    if not found:
        return None
    before = len(problems.found)
    columns = [normalised(cell) for cell in found[0][1]]
    if len(columns) == 1:
        separator = other_separator(columns[0])
        if separator:
            problems.add(path, f"columns separated by {separator}", "columns separated by commas", _EXPORT_AGAIN, row=1)
            return None
    for position, column in enumerate(columns, start=1):
        if not column:
            problems.add(path, f"no name over column {position}", "a name over each column", _EXPORT_AGAIN, row=1)
    _check_header_rows(path, form, found, problems)
    if len(problems.found) > before:
        return None
    rows = found[form.header_rows :]
    if not rows:
        problems.add(path, "header rows only", "at least one response", _EXPORT_AGAIN)
        return None
    keep = [i for i, column in enumerate(columns) if column not in form.personal]
    whole = []
    for number, cells in rows:
        if len(cells) != len(columns):
            last = number == rows[-1][0]
            problems.add(
                path,
                f"{len(cells)} cells",
                f"{len(columns)}, as in the header row",
                ("The file ends in the middle of a row. " if last and len(cells) < len(columns) else "")
                + _EXPORT_AGAIN,
                row=number,
            )
        elif _is_header(cells, columns):
            problems.add(
                path,
                "a header row among the responses",
                f"{form.header_rows} header rows, at the top",
                "Give each export as a file of its own.",
                row=number,
            )
        else:
            whole.append((number, [cells[i] for i in keep]))
    if len(problems.found) > before:
        return None
    return RawExport(path, [columns[i] for i in keep], [found[1][1][i] for i in keep], whole, found[1][0])


def _check_header_rows(path: Path, form: Format, found: list[tuple[int, list[str]]], problems: Problems) -> None:
    """Exactly as many header rows as declared: one too many or too few would lose or invent a respondent."""
    width = len(found[0][1])
    for number, cells in found[1 : form.header_rows]:
        if len(cells) != width:
            problems.add(
                path,
                f"{len(cells)} cells in a header row",
                f"{width}, as in row 1",
                _EXPORT_AGAIN,
                row=number,
            )
    with_ids = [i for i, (_, cells) in enumerate(found[:6]) if _import_ids(cells) is not None]
    expected = [2] if form.header_rows == 3 else []
    if with_ids != expected:
        rows = listed(str(found[i][0]) for i in with_ids)
        problems.add(
            path,
            f"a row of ImportIds in row {rows}" if with_ids else "no row of ImportIds",
            "the ImportIds in the third row, below the names and the question texts"
            if form.header_rows == 3
            else "names and question texts only (header_rows: 2)",
            "Set header_rows in the instrument to what the file has, or export it again with all header rows.",
        )
    elif form.header_rows == 3:
        ids = _import_ids(found[2][1]) or []
        for identifier in dict.fromkeys(ids):
            if ids.count(identifier) > 1:
                problems.add(
                    path,
                    f"the ImportId {quoted(identifier)} over {ids.count(identifier)} columns",
                    "each ImportId once",
                    _EXPORT_AGAIN,
                    row=found[2][0],
                )


def _import_ids(cells: list[str]) -> list[str] | None:
    """The ImportIds of a row of JSON cells, or None if it is no such row."""
    ids = []
    for cell in cells:
        try:
            content = json.loads(cell)
        except (ValueError, RecursionError):
            return None
        if not isinstance(content, dict) or not isinstance(content.get("ImportId"), str):
            return None
        # A question's parts share an ImportId and differ in what stands beside it (choiceId, say).
        ids.append(json.dumps(content, sort_keys=True) if len(content) > 1 else content["ImportId"])
    return ids


def _is_header(cells: list[str], columns: list[str]) -> bool:
    return [normalised(cell) for cell in cells] == columns or _import_ids(cells) is not None
