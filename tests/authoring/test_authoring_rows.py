"""Changing a row changes that row: every other byte of the table stays, whatever line ends, quotes and marks it has."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winoqueer_nl.authoring.rows import TableText, csv_line, write_together
from winoqueer_nl.problems import InputError

CELL = st.text(st.characters(blacklist_categories=["Cs", "Cc"]) | st.sampled_from(['"', ",", "\n"]), max_size=6)
ROWS = st.lists(st.tuples(CELL, CELL), max_size=5)
NEWLINE = st.sampled_from(["\n", "\r\n"])


def table(rows: list[tuple[str, str]], newline: str, mark: str, quoting: int, ended: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=newline, quoting=quoting)
    writer.writerows([("a", "b"), *rows])
    content = text.getvalue()
    return mark + (content if ended else content.removesuffix(newline))


TABLE = st.builds(
    table,
    ROWS,
    NEWLINE,
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)


@given(TABLE)
def test_a_table_read_and_written_is_the_same_table(text: str) -> None:
    assert TableText(text).text() == text


@given(TABLE, CELL)
def test_an_added_row_is_the_only_difference(text: str, cell: str) -> None:
    changed = TableText(text)
    before = list(changed.rows())
    changed.insert({"a": "new", "b": cell})
    after = changed.text()
    added = csv_line(["new", cell], changed.newline)
    ended = text if text.endswith(changed.newline) else text + changed.newline
    assert after.replace(added, "", 1) in (text, ended)
    assert [row for _, row in TableText(after).rows()] == [*(row for _, row in before), {"a": "new", "b": cell}]


@given(TABLE, st.integers(0, 4), CELL)
def test_a_replaced_and_a_removed_row_leave_the_others_alone(text: str, which: int, cell: str) -> None:
    original = TableText(text)
    numbers = [number for number, _ in original.rows()]
    if not numbers:
        return
    number = numbers[which % len(numbers)]
    replaced, removed = TableText(text), TableText(text)
    replaced.replace(number, {"a": "x", "b": cell})
    removed.remove([number])
    others = [record.raw for n, record in enumerate(original.records, 2) if n != number]
    assert [record.raw for n, record in enumerate(replaced.records, 2) if n != number] == others
    assert [record.raw for record in removed.records] == others


def test_a_row_goes_after_the_last_that_belongs_before_it() -> None:
    made = TableText("a,b\n1,x\n1,y\n3,z\n")
    made.insert({"a": "2", "b": "new"}, after=lambda row: row["a"] <= "2")
    made.insert({"a": "0", "b": "first"}, after=lambda row: row["a"] <= "0")
    assert made.text() == "a,b\n0,first\n1,x\n1,y\n2,new\n3,z\n"


def test_a_cell_for_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError, match="c"):
        TableText("a,b\n").insert({"c": "x"})


def test_a_line_is_quoted_only_where_it_must_be() -> None:
    assert csv_line(["plain", "with, comma", 'with "quotes"', ""]) == 'plain,"with, comma","with ""quotes""",\n'


def test_several_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("old")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "inside").write_text("in the way")
    with pytest.raises(InputError):
        write_together({tmp_path / "one": "new", tmp_path / "two": "new"})
    assert (tmp_path / "one").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one", "two"]
