"""Files from others: YAML, workbooks, archives and tables that would fill memory, run code or read other files."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toy
from command import Run
from winoqueer_nl import workbooks
from winoqueer_nl.authoring.spreadsheets import SHEET, read_sheet
from winoqueer_nl.config import Config
from winoqueer_nl.problems import Problems
from winoqueer_nl.survey import guard
from winoqueer_nl.survey.containers import sheet_names, xlsx_rows
from winoqueer_nl.survey.formats import Format
from winoqueer_nl.survey.freetext import harmless
from winoqueer_nl.yaml_files import read_yaml

_TENFOLD = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
YAML = {
    "aliases of aliases": (_TENFOLD + "languages: *a11\n", "found aliases that make more than 200,000 values"),
    "an alias to itself": ("languages: &a\n  nl: *a\n", "row 1: found an alias to itself"),
    "merged mappings": (
        "a: &a {x: 1}\nb: {<<: [*a, *a]}\n",
        "found could not determine a constructor for the tag 'tag:yaml.org,2002:merge'",
    ),
    "a tag that runs a program": ("languages: !!python/object/apply:os.mkdir [was-run]\n", "row 1: found could not"),
    "a tag that makes an object": ("languages: !!python/object:pathlib.Path {}\n", "row 1: found could not"),
    "a tag that reads a module": ("languages: !!python/module:os\n", "row 1: found could not"),
    "depth": ("languages: " + "[" * 3_000, "found maximum recursion depth"),
    "a number of many digits": ("languages: " + "9" * 10_000, "found Exceeds the limit"),
    "a date that is none": ("languages: 2025-13-41\n", "found month must be in 1..12"),
}


@pytest.mark.parametrize("name", YAML)
def test_yaml_that_would_run_something_or_never_end_is_refused_at_once(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, says = YAML[name]
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    problems = Problems()
    assert read_yaml(path, Config, problems) is None
    assert says in str(problems.found[0])
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_part_that_is_repeated_by_an_alias_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("languages:\n  nl: &a {editions: [1.0.0]}\n  en: *a\n", encoding="utf-8")
    problems = Problems()
    read = read_yaml(path, Config, problems)
    assert read is not None, problems.found
    assert read.languages["en"] == read.languages["nl"]


def workbook(path: Path, change: Callable[[str, bytes], bytes] = lambda _, part: part) -> Path:
    """A review sheet with one row, each of its parts changed on the way."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = SHEET
    sheet.append(["item", "choice"])
    sheet.append(["PLACE", "accept"])
    made = io.BytesIO()
    book.save(made)
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return path


def _declared(entities: bytes, use: bytes) -> Callable[[str, bytes], bytes]:
    def change(_: str, part: bytes) -> bytes:
        if b"PLACE" not in part:
            return part
        body = part.split(b"?>", 1)[-1].replace(b"PLACE", use)
        return b'<?xml version="1.0"?><!DOCTYPE x [' + entities + b"]>" + body

    return change


def _in_sheet(more: bytes) -> Callable[[str, bytes], bytes]:
    return lambda name, part: part.replace(b"</sheetData>", more) if name.startswith("xl/worksheets") else part


_LAUGHS = b'<!ENTITY a0 "lollollol">' + b"".join(
    b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10)
)
WORKBOOKS = {
    "an entity that is another file": _declared(b'<!ENTITY a SYSTEM "file:///etc/passwd">', b"&a;"),
    "an entity from an address": _declared(b'<!ENTITY a SYSTEM "http://127.0.0.1:9/x">', b"&a;"),
    "entities of entities": _declared(_LAUGHS, b"&a9;"),
    "more than it may unpack to": _in_sheet(b"</sheetData>" + b" " * 2_000_000),
    "a row of all columns": _in_sheet(b'<row r="3"><c r="XFD3"><v>1</v></c></row></sheetData>'),
    "rows without end": _in_sheet(b'<row r="900000"><c r="A900000"><v>1</v></c></row></sheetData>'),
}


@pytest.mark.parametrize("name", WORKBOOKS)
def test_a_workbook_that_would_fill_memory_or_read_another_file_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "MOST_UNPACKED", 1_000_000)  # the real limits would take the test too long to reach
    monkeypatch.setattr(workbooks, "MOST_CELLS", 5_000)
    path = workbook(tmp_path / "a.xlsx", WORKBOOKS[name])
    assert path.stat().st_size < 20_000
    form = Format.model_construct(container="xlsx", sheet=None, header_rows=1)
    review, survey = Problems(), Problems()
    assert [row for row in read_sheet(path, ["item", "choice"], review) if "root:" in str(row)] == []
    assert "root:" not in str(list(xlsx_rows(path, form, survey)))
    assert len(review.found) == len(survey.found) == 1
    assert "expected" in str(review.found[0])


def test_one_cell_far_from_the_others_does_not_make_the_cells_between_them(tmp_path: Path) -> None:
    corner = b'<row r="100000"><c r="ZZ100000"><v>1</v></c></row></sheetData>'
    path = workbook(tmp_path / "a.xlsx", _in_sheet(corner))
    problems = Problems()
    rows = read_sheet(path, ["item", "choice"], problems)
    assert problems.found == []
    assert rows[0] == (2, {"item": "PLACE", "choice": "accept"})


def test_a_workbook_whose_parts_have_names_of_other_folders_writes_nothing(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    path = workbook(inside / "a.xlsx")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../outside.txt", "x")
        archive.writestr("/tmp/outside.txt", "x")
    problems = Problems()
    assert len(read_sheet(path, ["item", "choice"], problems)) == 1
    assert sheet_names(path) == [SHEET]
    assert [each.name for each in tmp_path.rglob("*")] == ["in", "a.xlsx"]


def test_a_commit_of_a_workbook_or_archive_that_unpacks_to_gigabytes_is_refused_without_unpacking_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workbooks, "MOST_UNPACKED", 20_000_000)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", b" " * 20_000_001)
    tracemalloc.start()
    assert guard.refused("a.xlsx", made.getvalue()) == "a workbook too large to look into"
    assert guard.refused("a.zip", made.getvalue()) is None  # its first megabyte holds no table
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()


FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    '=HYPERLINK("http://x")',
    "@SUM(1+1)*cmd|'x'!A0",
    "＝SUM(1)",
    "=[other.xlsx]S!A1",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_source_table_holds_no_cell_that_a_spreadsheet_program_would_run(
    formula: str, toy_root: Path, run: Run
) -> None:
    path = toy_root / toy.TABLES["forms"].path.format(lang=toy.LANG)
    text = path.read_text(encoding="utf-8")
    quoted = '"' + formula.replace('"', '""') + '"'
    path.write_text(text.replace(",ban brel,", f",{quoted},", 1), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text
    ran = run("tables", "--lang", toy.LANG, "--edition", toy.EDITION, "--root", toy_root)
    assert ran.status == 1
    assert "expected a text that no spreadsheet program would run as a formula" in ran.err


def test_words_that_only_begin_as_formulas_do_are_left_alone(toy_root: Path, run: Run) -> None:
    path = toy_root / toy.TABLES["forms"].path.format(lang=toy.LANG)
    path.write_text(path.read_text(encoding="utf-8").replace(",ban brel,", ",-brel,", 1), encoding="utf-8")
    ran = run("tables", "--lang", toy.LANG, "--edition", toy.EDITION, "--root", toy_root)
    assert "formula" not in ran.err


@given(st.sampled_from(["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]), st.text(max_size=20))
@settings(max_examples=60)
def test_no_cell_of_a_coding_sheet_begins_as_a_formula_does(sign: str, rest: str) -> None:
    assert harmless(sign + rest) == f"'{sign}{rest}"
