"""Reading tables: what a person may write, and that nothing a person can write breaks the reader."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import toy
from winoqueer_nl import config, pairs, sources
from winoqueer_nl.edition import choose
from winoqueer_nl.metadata import form_rows
from winoqueer_nl.planning import plan
from winoqueer_nl.problems import InputError, Problems, quoted
from winoqueer_nl.schema import Form, Row
from winoqueer_nl.tables import VISIBLE_BLANK, VISIBLE_LINE_FEED, read_table, shown
from winoqueer_nl.yaml_files import read_yaml

NAMES = list(sources.TABLES)
ODD_TEXT = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=";,\"' {}\t\n\r\x00\x1c\u200b\u200c\ufeff\u2028éß字ａ０١-.:␠␊", max_size=8),
    st.sampled_from(
        [
            *("", "0", "-1", "1", "2", "9" * 400, "1.0.0", "2.0.0", "0.0.0", "none", "group", "x", "y"),
            *("early", "later", "mirn", "solv", "plain", "common", "mirn;solv", "emba", "tiv", "2n", "3", "2;3"),
            *("zz001", "zz005", "people", "trait", "single", "plural", "female", "male;neutral", "person", "clause"),
            *("predicate", "identity", "{identity} {predicate}", "{subject} {identity}", "{owner}", "{0}", "{a.b}"),
            *("{a[0]}", "{{", "}}", "{", "}", "spelling", "rows", "text", "gloss", "identities", "name", "pronoun"),
        ]
    ),
)
SMALL = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def build(root: Path) -> list[dict[str, object]]:
    """Everything from reading the tables to the last pair; what is wrong must come as InputError."""
    edition = choose(sources.load(root, toy.LANG), toy.EDITION)
    plan(edition)
    form_rows(edition)
    return [row for batch in pairs.generate(edition) for row in batch.to_pylist()]


def right_or_told(root: Path) -> None:
    """Either a right build, or messages of which each names a table of the project."""
    told: InputError | None = None
    try:
        made = build(root)
    except InputError as error:
        told = error
    if told is not None:
        assert told.problems
        for line in told.message().splitlines():
            assert str(root) in line or line.startswith(("predicates/", "templates/", "...")), line
        return
    assert len({row["pair_id"] for row in made}) == len(made) > 0
    for row in made:
        for side in ("x", "y"):
            sentence, start, end = (str(row[f"sent_{side}"]), row[f"span_start_{side}"], row[f"span_end_{side}"])
            assert isinstance(start, int)
            assert isinstance(end, int)
            assert 0 <= start < end <= len(sentence)
            assert "{identity}" not in sentence
            assert VISIBLE_BLANK not in sentence


@given(data=st.data())
@SMALL
def test_any_one_cell_written_anew_ends_in_a_right_build_or_in_messages(data: st.DataObject) -> None:
    made = toy.tables()
    name = data.draw(st.sampled_from(NAMES))
    row = data.draw(st.sampled_from(made[name]))
    column = data.draw(st.sampled_from(list(row)))
    row[column] = data.draw(ODD_TEXT)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        toy.write(root, made)
        right_or_told(root)


@given(data=st.data())
@SMALL
def test_any_two_cells_swapped_end_in_a_right_build_or_in_messages(data: st.DataObject) -> None:
    made = toy.tables()
    name = data.draw(st.sampled_from(NAMES))
    one, other = (data.draw(st.sampled_from(made[name])) for _ in range(2))
    first, second = (data.draw(st.sampled_from(list(one))) for _ in range(2))
    one[first], other[second] = other[second], one[first]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        toy.write(root, made)
        right_or_told(root)


@pytest.mark.parametrize("name", NAMES)
def test_any_row_taken_out_or_written_twice_ends_in_a_right_build_or_in_messages(name: str, tmp_path: Path) -> None:
    for place in range(len(toy.tables()[name])):
        for change in ("out", "twice"):
            made = toy.tables()
            rows = made[name]
            if change == "out":
                del rows[place]
            else:
                rows.insert(place, dict(rows[place]))
            root = toy.write(tmp_path / f"{place}{change}", made)
            right_or_told(root)
            if change == "twice":
                with pytest.raises(InputError, match=rf"row {place + 3}, .*which row {place + 2} has as well"):
                    build(root)


@given(data=st.data())
@SMALL
def test_any_byte_changed_ends_in_a_right_build_or_in_messages(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = toy.write(Path(folder))
        files = sources.source_files(root, toy.LANG)
        file = data.draw(st.sampled_from(files))
        content = bytearray(file.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        file.write_bytes(bytes(content))
        right_or_told(root)


@given(content=st.binary(max_size=200))
@SMALL
@example(b"\xef\xbb\xbf")
@example(b'"')
@example(b"\r\r\n,\x00")
def test_any_bytes_as_a_table_end_in_messages(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forms.csv"
        path.write_bytes(content)
        problems = Problems()
        assert read_table(path, Form, problems) == []
        assert problems.found
        assert all(problem.file == str(path) for problem in problems.found)


KEYS = st.sampled_from(["languages", "toy", "editions", "survey", "pairs", "excluded_tiers", "instrument", "no", "1"])
YAML_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5), st.dates()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


@given(content=st.one_of(YAML_VALUES.map(lambda v: yaml.safe_dump(v).encode()), st.binary(max_size=60)))
@SMALL
@example(b"<<: {a: b}\n")
@example(b"a: &a [*a]\n")
@example(b"a: =\n")
@example(b"a: 0b_\n")
@example(b"!!map [1]\n")
@example(b"a: !!bool x\n")
@example(b"a: 1:2:3\n")
@example(b"[" * 5000)
@example(b"%YAML 9.9\n---\na: b\n")
def test_any_yaml_as_configuration_is_right_or_ends_in_messages(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_bytes(content)
        problems = Problems()
        read = read_yaml(path, config.Config, problems)
        assert (read is None) == bool(problems.found)
        assert all(str(problem).startswith(str(path)) for problem in problems.found)


@given(st.text(alphabet=st.characters(exclude_characters=VISIBLE_BLANK + VISIBLE_LINE_FEED), max_size=40))
def test_blanks_and_line_feeds_written_visibly_come_back_as_what_they_stand_for(text: str) -> None:
    assert shown(text.replace(" ", VISIBLE_BLANK).replace("\n", VISIBLE_LINE_FEED)) == text


EDITIONS = st.tuples(*[st.integers(0, 3)] * 3)


@given(st.none() | EDITIONS, st.none() | EDITIONS, EDITIONS)
def test_a_row_holds_from_since_on_and_up_to_but_not_including_until(
    since: tuple[int, ...] | None, until: tuple[int, ...] | None, edition: tuple[int, ...]
) -> None:
    def dotted(numbers: tuple[int, ...] | None) -> str | None:
        return None if numbers is None else ".".join(map(str, numbers))

    row = Row(since=dotted(since), until=dotted(until))
    held = (since is None or since <= edition) and (until is None or edition < until)
    assert row.valid_at(".".join(map(str, edition))) == held


def test_editions_are_compared_as_numbers_not_as_text() -> None:
    row = Row(since="1.9.0", until="1.10.0")
    assert row.valid_at("1.9.0")
    assert not row.valid_at("1.10.0")
    assert not row.valid_at("1.1.0")


@pytest.mark.parametrize(
    "dressed",
    [
        lambda text: ("\ufeff" + text).encode("utf-8"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: (text + "\n\n,,\n").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: "\n".join(quoted_cells(line) for line in text.splitlines()).encode(),
        lambda text: reordered(text).encode(),
    ],
    ids=["byte order mark", "CRLF", "CR", "blank lines", "no last line feed", "all cells quoted", "other column order"],
)
def test_what_spreadsheets_write_is_read_as_the_same_table(dressed: object, toy_root: Path) -> None:
    plain = build(toy_root)
    for name in NAMES:
        path = toy.path_of(toy_root, name)
        path.write_bytes(dressed(path.read_text(encoding="utf-8")))  # type: ignore[operator]
    assert build(toy_root) == plain


def quoted_cells(line: str) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="").writerow(next(csv.reader([line])))
    return text.getvalue()


def reordered(text: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row[::-1] for row in csv.reader(io.StringIO(text)))
    return out.getvalue()


def test_letters_written_as_base_and_mark_are_the_same_as_composed_ones(toy_root: Path) -> None:
    path = toy.path_of(toy_root, "forms")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("brel", "brêl"), encoding="utf-8")
    composed = build(toy_root)
    path.write_text(text.replace("brel", "bre\u0302l"), encoding="utf-8")
    assert build(toy_root) == composed


def test_row_numbers_are_those_of_a_spreadsheet_blank_lines_counted(toy_root: Path) -> None:
    path = toy.path_of(toy_root, "counter_identities")
    path.write_text(path.read_text(encoding="utf-8").replace("common", "\n\nCommon"), encoding="utf-8")
    with pytest.raises(InputError, match='row 5, counter_identity_id: found "Common"'):
        sources.load(toy_root, toy.LANG)


def test_a_quoted_value_shows_what_cannot_be_seen_and_is_cut_where_very_long() -> None:
    assert quoted("a\tb\xa0c\u200b") == '"a\\tb\\xa0c\\u200b"'
    assert quoted("n" * 201) == '"' + "n" * 200 + '..."'


def test_a_language_of_another_script_is_built_as_well(tmp_path: Path) -> None:
    made, language = toy.other_script()
    built = build(toy.write(tmp_path, made, language))
    assert len(built) == toy.N_PAIRS
    assert sources.load(tmp_path, toy.LANG).language.direction == "rtl"
    terms = {toy.in_other_script(row["text"].replace(VISIBLE_BLANK, " ")) for row in toy.tables()["identity_forms"]}
    terms |= {toy.in_other_script(row["sentence_initial"]) for row in toy.tables()["identity_forms"]}
    for row in built:
        for side in ("x", "y"):
            sentence = str(row[f"sent_{side}"])
            assert sentence[row[f"span_start_{side}"] : row[f"span_end_{side}"]] in terms  # type: ignore[misc]
