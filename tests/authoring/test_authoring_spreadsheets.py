"""No cell of a review sheet is executed by a spreadsheet program, and every cell comes back as it was."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winoqueer_nl.authoring.spreadsheets import (
    EXECUTED,
    SHEET,
    neutralised,
    read_sheet,
    restored,
    write_csv_sheet,
    write_xlsx_sheet,
)
from winoqueer_nl.problems import Problems

#: Signs that programs execute, apostrophes in every number, separators that other programs split at, other scripts.
RISKY = st.text(st.sampled_from("='+-@\t\r\n;,|\"＝＋ ab_x0041éא字\u202e"), max_size=12)
COLUMNS = {"item": 10, "text": 20}


@given(RISKY | st.text())
def test_every_text_comes_back(text: str) -> None:
    assert restored(neutralised(text)) == text


@given(RISKY)
def test_no_cell_begins_with_what_is_executed_however_the_line_is_split(text: str) -> None:
    for separator in (None, ";", "\t", "|", ","):
        for cell in neutralised(text).split(separator) if separator else [neutralised(text)]:
            assert not cell.startswith(tuple(sign for sign in EXECUTED if sign not in "\t\r\n"))


@pytest.mark.parametrize("text", ["'t is koud", "zijn 50-plus", "a = b", "e-mail@x", "", "gewoon"])
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert neutralised(text) == text == restored(text)


def written(folder: Path, suffix: str, texts: list[str], right_to_left: bool = False) -> Path:
    path = folder / f"sheet.{suffix}"
    rows = [{"item": f"i{n}", "text": text} for n, text in enumerate(texts)]
    if suffix == "csv":
        write_csv_sheet(path, list(COLUMNS), rows)
    else:
        write_xlsx_sheet(path, COLUMNS, rows, ["text"], {"text": ["a", "b"]}, ["how to"], right_to_left)
    return path


def read(path: Path) -> list[str]:
    problems = Problems()
    rows = read_sheet(path, list(COLUMNS), problems)
    problems.stop()
    return [row["text"] for _, row in rows]


@settings(max_examples=40, deadline=None)
@given(st.lists(RISKY, min_size=1, max_size=6))
def test_every_cell_comes_back_from_both_formats(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert read(written(Path(folder), "csv", texts)) == texts
        line_ends = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
        assert read(written(Path(folder), "xlsx", texts)) == line_ends


def test_no_cell_of_an_xlsx_sheet_is_a_formula(tmp_path: Path) -> None:
    path = written(tmp_path, "xlsx", ["=1+1", "+1", "-1", "@x", "=HYPERLINK(1)"])
    cells = [cell for row in openpyxl.load_workbook(path)[SHEET].iter_rows(min_row=2) for cell in row]
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(str(cell.value)[0] not in "=+-@" for cell in cells)


def test_the_content_warning_is_met_before_the_sentences(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(written(tmp_path, "xlsx", ["x"], right_to_left=True))
    assert book.sheetnames[0] == "Read first"
    assert book.active is book.worksheets[0]
    assert "Content warning" in str(book.worksheets[0]["A1"].value)
    assert book[SHEET].sheet_view.rightToLeft


def test_the_same_rows_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = written(tmp_path, "xlsx", ["x"]).read_bytes()
    import datetime

    import openpyxl.writer.excel as excel

    class Later(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Later:
            return cls(2031, 5, 6, 7, 8, 9, tzinfo=tz)

    monkeypatch.setattr(excel.datetime, "datetime", Later)
    assert written(tmp_path, "xlsx", ["x"]).read_bytes() == first
    assert {entry.date_time[0] for entry in zipfile.ZipFile(io.BytesIO(first)).infolist()} == {1980}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_csv_sheet_saved_with_another_separator_is_read(tmp_path: Path, separator: str) -> None:
    path = written(tmp_path, "csv", ["a, b; c", "=x"])
    rows = list(csv.reader(path.open(encoding="utf-8-sig", newline="")))
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator="\r\n").writerows(rows)
    assert read(path) == ["a, b; c", "=x"]


def test_a_formula_that_a_reviewer_typed_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "xlsx", ["x"])
    book = openpyxl.load_workbook(path)
    book[SHEET]["B2"].value = "=1+1"
    book.save(path)
    problems = Problems()
    read_sheet(path, list(COLUMNS), problems)
    assert "a formula in B2" in str(problems.found[0])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.xlsx", b"this is no zip", "cannot be opened"),
        ("a.xlsx", None, "no such file"),
        ("a.csv", None, "no such file"),
        ("a.csv", b"item,texd\nx,y\n", "no column text"),
        ("a.csv", b"item,text,text\nx,y,z\n", "2 columns text"),
        ("a.csv", "item,text\nx,é\n".encode("cp1252"), "not UTF-8"),
        ("a.csv", b'item,text\n"x,y\n', "cannot be taken apart"),
    ],
)
def test_a_file_that_is_no_sheet_is_named(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    problems = Problems()
    assert read_sheet(tmp_path / name, list(COLUMNS), problems) == []
    assert words in " ".join(map(str, problems.found))


def test_a_workbook_without_the_sheet_is_named(tmp_path: Path) -> None:
    openpyxl.Workbook().save(tmp_path / "a.xlsx")
    problems = Problems()
    read_sheet(tmp_path / "a.xlsx", list(COLUMNS), problems)
    assert "a sheet named Review" in str(problems.found[0])
