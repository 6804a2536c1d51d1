"""What is particular about Qualtrics CSV exports: a third header row, of JSON with ImportId (legacy: left out)."""

from __future__ import annotations

import json
from pathlib import Path

from winoqueer_nl.problems import Problems, listed, quoted

_EXPORT_AGAIN = "Export it again from the survey tool: CSV, comma-separated, UTF-8."


def check_header_rows(path: Path, header_rows: int, first: list[tuple[int, list[str]]], problems: Problems) -> None:
    """Exactly as many header rows as declared: one too many or too few would lose or invent a respondent.

    ``first`` holds the first rows of the file, some beyond the header rows among them.
    """
    first = [(number, cells) for number, cells in first if any(cell.strip() for cell in cells)]
    width = len(first[0][1])
    for number, cells in first[1:header_rows]:
        if len(cells) != width:
            problems.add(
                path,
                f"{len(cells)} cells in a header row",
                f"{width}, as in row 1",
                _EXPORT_AGAIN,
                row=number,
            )
    with_ids = [i for i, (_, cells) in enumerate(first[:6]) if import_ids(cells) is not None]
    expected = [2] if header_rows == 3 else []
    if with_ids != expected:
        rows = listed(str(first[i][0]) for i in with_ids)
        problems.add(
            path,
            f"a row of ImportIds in row {rows}" if with_ids else "no row of ImportIds",
            "the ImportIds in the third row, below the names and the question texts"
            if header_rows == 3
            else "names and question texts only (header_rows: 2)",
            "Set header_rows in the instrument to what the file has, or export it again with all header rows.",
        )
    elif header_rows == 3:
        ids = import_ids(first[2][1]) or []
        for identifier in dict.fromkeys(ids):
            if ids.count(identifier) > 1:
                problems.add(
                    path,
                    f"the ImportId {quoted(identifier)} over {ids.count(identifier)} columns",
                    "each ImportId once",
                    _EXPORT_AGAIN,
                    row=first[2][0],
                )


def import_ids(cells: list[str]) -> list[str] | None:
    """The ImportIds of a row of JSON cells, or None if it is no such row."""
    ids = []
    for cell in cells:
        if not cell.lstrip().startswith("{"):
            return None
        try:
            content = json.loads(cell)
        except (ValueError, RecursionError):
            return None
        if not isinstance(content, dict) or not isinstance(content.get("ImportId"), str):
            return None
        # A question's parts share an ImportId and differ in what stands beside it (choiceId, say).
        ids.append(json.dumps(content, sort_keys=True) if len(content) > 1 else content["ImportId"])
    return ids
