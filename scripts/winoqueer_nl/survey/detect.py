"""What a file looks like. A proposal for the person who writes an instrument; the configuration decides."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from winoqueer_nl.problems import InputError, Problem, Problems
from winoqueer_nl.survey.containers import sheet_names, xlsx_rows
from winoqueer_nl.survey.formats import WHOLE_ROW, Format, adapters, fits, normalised

#: Bytes of a text file that are looked at.
_LOOKED_AT = 1 << 16


@dataclass(frozen=True)
class Proposal:
    """A tool that a file may come from, why, what to declare beyond the adapter, and the columns found."""

    reader: str
    why: str
    overrides: dict[str, Any] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)

    @property
    def form(self) -> Format:
        """The format with the overrides."""
        return Format.model_validate({"reader": self.reader} | self.overrides)


@dataclass(frozen=True)
class _Look:
    """The first rows of a file and how they were read."""

    container: str
    rows: list[list[str]]
    delimiter: str = ","
    encoding: str = "utf-8"
    sheet: str | None = None


def propose(path: Path) -> list[Proposal]:
    """The tools that a file may come from, the likeliest first; empty if it is no table at all."""
    look = _look(path)
    if look is None or not look.rows:
        return []
    if look.container == "sav":
        return [Proposal("spss_sav", "it begins as SPSS files do", {}, look.rows[0])]
    names = [normalised(cell) for cell in look.rows[0]]
    found = []
    for reader, adapter in adapters().items():
        for signature in adapter.signature:
            if all(column in names for column in signature):
                overrides = _overrides(reader, look, names, signature)
                columns = _columns(reader, look, names)
                why = "it has the columns " + ", ".join(signature)
                found.append((len(signature), Proposal(reader, why, overrides, columns)))
                break
    found.sort(key=lambda scored: -scored[0])
    proposals = [proposal for _, proposal in found]
    generic = "generic_xlsx" if look.container == "xlsx" else "generic_csv"
    return [
        *proposals,
        Proposal(generic, "it is a table", _overrides(generic, look, names, ()), names),
    ]


def _overrides(reader: str, look: _Look, names: list[str], signature: tuple[str, ...]) -> dict[str, Any]:
    """What the file does otherwise than the adapter says."""
    declared = adapters()[reader].format
    found: dict[str, Any] = {}
    if look.container != declared["container"]:
        found["container"] = look.container
    if look.sheet is not None:
        found["sheet"] = look.sheet
    if look.container == "csv" and look.delimiter != declared.get("delimiter", ","):
        found["delimiter"] = look.delimiter
    if look.container == "csv" and look.encoding != declared.get("encoding", "utf-8"):
        found["encoding"] = look.encoding
    if reader == "qualtrics_csv" and not any(cell.startswith('{"ImportId"') for row in look.rows[2:3] for cell in row):
        found["header_rows"] = 2
    if declared["layout"] == "long":
        respondent, question, answer = signature
        columns = {"respondent": respondent, "question": question, "answer": answer}
        found |= {key: name for key, name in columns.items() if name != declared[key]}
    elif signature and declared.get("respondent") not in (None, WHOLE_ROW, *names):
        # The tool's columns under other names (another language, or internal names): the first one numbers responses.
        found["respondent"] = signature[0]
        for name, derived in declared.get("derived", {}).items():
            if derived["column"] not in names:
                found["derived"] = {name: {"column": signature[1]}}
                found["personal"] = [signature[1]]
    return found


def _columns(reader: str, look: _Look, names: list[str]) -> list[str]:
    if adapters()[reader].format["layout"] == "question_and_item" and len(look.rows) > 1:
        from winoqueer_nl.survey.reading import questions_and_items

        items = [normalised(cell) for cell in look.rows[1]]
        width = max(len(names), len(items))
        return questions_and_items(names + [""] * (width - len(names)), items + [""] * (width - len(items)))
    return names


def _look(path: Path) -> _Look | None:
    try:
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
            whole = len(head) < _LOOKED_AT
    except OSError:
        return None
    if head.startswith((b"$FL2", b"$FL3")):
        import pyreadstat

        try:
            _, about = pyreadstat.read_sav(path, metadataonly=True)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, ValueError):
            return None
        return _Look("sav", [list(about.column_names)])
    if head.startswith(b"PK"):
        return _look_at_workbook(path)
    if not whole:
        head = head[: head.rfind(b"\n") + 1]
    try:
        text, encoding = head.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        try:
            text, encoding = head.decode("windows-1252"), "windows-1252"
        except UnicodeDecodeError:
            return None
    if "\0" in text:
        return None
    first = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max((",", ";", "\t"), key=first.count)
    rows: list[list[str]] = []
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if rows or any(cell.strip() for cell in cells):
                rows.append(cells)
            if len(rows) == 4:
                break
    except csv.Error:
        pass
    return _Look("csv", rows, delimiter, encoding)


def _look_at_workbook(path: Path) -> _Look:
    """The first rows of the only sheet or, of several, of the first that a tool has signed, else of the first."""
    names = sheet_names(path)
    looks = []
    for name in names:
        form = Format.model_validate({"reader": "generic_xlsx", "sheet": name})
        rows = [cells for _, cells in islice(xlsx_rows(path, form, Problems()), 4)]
        looks.append(_Look("xlsx", rows, sheet=name if len(names) > 1 else None))
    signed = [look for look in looks if look.rows and _is_signed([normalised(cell) for cell in look.rows[0]])]
    return (signed or [look for look in looks if look.rows] or [_Look("xlsx", [])])[0]


def _is_signed(names: list[str]) -> bool:
    return any(all(c in names for c in s) for adapter in adapters().values() for s in adapter.signature)


def describe(path: Path) -> str:
    """What a file looks like and what to write into the instrument for it. The first row's texts only: the names.

    Raises
    ------
    InputError
        for a file that cannot be read, or is no table.
    """
    if not path.is_file():
        raise InputError([Problem(str(path), "no such file", "an export")])
    proposals = propose(path)
    if not proposals:
        raise InputError([Problem(str(path), "a file that is no table", "a .csv, .xlsx or .sav file")])
    best = proposals[0]
    adapter = adapters()[best.reader]
    form = best.form
    lines = [f"{path}: looks like {best.reader} ({adapter.tool}), because {best.why}."]
    if len(proposals) > 1:
        lines.append("  Or: " + ", ".join(proposal.reader for proposal in proposals[1:]) + ".")
    if adapter.unconfirmed:
        lines.append("  Hold against your file:")
        lines += [f"    - {trait}" for trait in adapter.unconfirmed]
    personal = [column for column in best.columns if form.is_personal(column)]
    lines.append(f"  About people, dropped at reading: {', '.join(personal) or 'none recognised'}.")
    known = {*form.optional, *form.ignored, *form.rows, form.respondent}
    rest = [column for column in best.columns if column not in personal and column not in known]
    lines.append(f"  To be mapped, or listed under personal or ignored ({len(rest)}):")
    lines += [f"    - {_shown(column)}" for column in rest[:40]]
    if len(rest) > 40:
        lines.append(f"    ... and {len(rest) - 40} more")
    lines.append("  For the instrument, under formats:")
    lines.append(f"    {best.reader.split('_')[0]}:")
    lines.append(f"      reader: {best.reader}")
    lines += [f"      {key}: {_yaml(value)}" for key, value in best.overrides.items()]
    return "\n".join(lines)


def _shown(column: str) -> str:
    """A column's name; where a file has no header row, a person's cell may stand there."""
    looks_so = re.search(r"\S@\S|\d+[.:]\d+[.:]\d+", column)
    return "(not shown: it may be personal; does the file have a header row?)" if looks_so else column[:120]


def _yaml(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False) if not isinstance(value, str) or not value.isalnum() else value


def overview() -> str:
    """Every format, one paragraph each, with the traits that nobody has confirmed yet."""
    lines = ["Formats (reader: in the instrument's formats). Nothing is guessed: what is declared is verified.", ""]
    for reader, adapter in adapters().items():
        form = Format.model_validate({"reader": reader})
        shape = {"csv": "text", "xlsx": "spreadsheet", "sav": "SPSS file"}[form.container]
        lines.append(f"{reader}: {adapter.tool}")
        lines.append(f"  export as: {adapter.export_as}")
        separated = f", separator {form.delimiter!r}, {form.encoding}" if form.container == "csv" else ""
        lines.append(
            f"  {shape}{separated}; header rows: {form.header_rows} ({form.layout}); an empty cell: {form.empty}"
        )
        lines.append(f"  told apart by: {form.respondent or 'nothing, unless declared'}")
        for column, rule in form.rows.items():
            lines += [f"  dropped, {column} {' or '.join(d.values)}: {d.reason}" for d in rule.drop.values()]
        lines.append(f"  personal: {', '.join(form.personal)}")
        lines += [f"  hold against your file: {trait}" for trait in adapter.unconfirmed]
        lines.append("")
    return "\n".join(lines).rstrip()


def looks_personal(names: list[str]) -> bool:
    """Whether a header row is one of a survey tool's: it has all columns of a signature, or two personal ones."""
    for adapter in adapters().values():
        if any(len(s) > 1 and all(column in names for column in s) for s in adapter.signature):
            return True
        patterns = adapter.format["personal"]
        if sum(any(fits(name, pattern) for pattern in patterns) for name in names) >= 2:
            return True
    return False
