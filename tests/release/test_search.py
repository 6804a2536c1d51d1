"""Searching every byte: nothing that is there is missed, in any encoding, and nothing is found that is not there."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from release import toy_release
from winoqueer_nl.problems import Problems
from winoqueer_nl.release.check_privacy import Export, sensitive
from winoqueer_nl.release.search import contents, find, normal

texts = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=8, max_size=30)


@settings(max_examples=60)
@given(
    st.lists(texts, min_size=1, max_size=5, unique=True),
    st.binary(max_size=200),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]),
    st.data(),
)
def test_a_text_is_found_wherever_it_stands(
    needles: list[str], noise: bytes, encoding: str, data: st.DataObject
) -> None:
    hidden = data.draw(st.sampled_from(needles))
    at = data.draw(st.integers(0, len(noise)))
    place = noise[:at] + hidden.encode(encoding) + noise[at:]
    assert hidden in find(needles, place)


@settings(max_examples=60)
@given(st.lists(texts, min_size=1, max_size=5, unique=True), st.text(max_size=200))
def test_nothing_is_found_that_a_plain_search_would_not_find(needles: list[str], text: str) -> None:
    low = text.encode().lower()
    found = find(needles, text.encode())
    for needle in needles:
        if needle.encode().lower() in low:
            assert needle in found
        elif needle.isascii() and '"' not in needle and "\\" not in needle:
            assert needle not in found


def test_short_texts_count_as_words_only() -> None:
    assert find(["ab12"], b"x ab12 y") == {"ab12"}
    assert find(["ab12"], b"xab12y ab123 3.ab12") == set()


@pytest.mark.parametrize("text", ["Geëmotioneerd gezegd", 'so "they" said', "tab and\\slash here"])
def test_texts_are_found_as_json_csv_and_latin_1_write_them(text: str) -> None:
    import csv
    import io
    import json

    out = io.StringIO()
    csv.writer(out).writerow([text, "x"])
    for place in (json.dumps([text]), json.dumps([text], ensure_ascii=False), out.getvalue()):
        assert find([text], place.encode()) == {text}
    assert find([text], text.encode("latin-1")) == {text}
    assert find([text.upper() if text.isascii() else text], text.encode()) != set()


def test_compressed_columns_nested_ones_and_metadata_are_looked_into(tmp_path: Path) -> None:
    secrets = {
        "in a column": "the first hidden text",
        "nested": "the second hidden text",
        "meta": "the third hidden text",
    }
    table = pa.table(
        {
            "a": [secrets["in a column"]] * 50,
            "b": [[{"c": secrets["nested"]}]] * 50,
        }
    ).replace_schema_metadata({"note": secrets["meta"]})
    pq.write_table(table, tmp_path / "x.parquet", compression="zstd", write_statistics=False)
    found = set()
    for _, data in contents(tmp_path, ["x.parquet"]):
        found |= find(secrets.values(), data)
    assert found == set(secrets.values())


def test_a_wrapped_line_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("as one said: the words\n   of somebody, and so on", encoding="utf-8")
    found = set()
    for _, data in contents(tmp_path, ["x.md"]):
        found |= find([normal("the words  of\tsomebody")], data)
    assert found == {"the words of somebody"}


def test_a_file_name_is_searched_too(tmp_path: Path) -> None:
    (tmp_path / "R_3kd92mfK2lsPq01.txt").write_text("x", encoding="utf-8")
    places = [name for name, data in contents(tmp_path, ["R_3kd92mfK2lsPq01.txt"]) if find(["R_3kd92mfK2lsPq01"], data)]
    assert places == ["the file names"]


def test_what_is_searched_for_are_ids_personal_values_and_free_texts(tmp_path: Path) -> None:
    export, instrument = toy_release.write_export(tmp_path)
    problems = Problems()
    found = dict(sensitive(Export(export, instrument), problems))
    assert problems.found == []
    assert set(found) == {
        "R_3kd92mfK2lsPq01",
        "R_9fj28sKw0ZmXc42",
        "203.0.113.7",
        "198.51.100.23",
        "2025-03-04 12:31:07",
        "2025-03-05 08:02:55",
        "My neighbour says we never sleep. Oh",
        "My neighbour says we never sleep",
        "ban brel",
    }
    assert found["203.0.113.7"] == "export.csv, row 4, IPAddress"


def test_without_an_instrument_every_column_counts(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a;b\nsomething long;kort\n", encoding="utf-8")
    assert [text for text, _ in sensitive(Export(tmp_path / "x.csv"), Problems())] == ["something long"]


def test_a_value_shared_by_many_tells_nobody_apart(tmp_path: Path) -> None:
    rows = "".join(f"anonymous,person number {i}\n" for i in range(6))
    (tmp_path / "x.csv").write_text("channel,name\n" + rows, encoding="utf-8")
    found = [text for text, _ in sensitive(Export(tmp_path / "x.csv"), Problems())]
    assert "anonymous" not in found
    assert len(found) == 6


def test_an_export_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    problems = Problems()
    assert list(sensitive(Export(tmp_path / "none.csv"), problems)) == []
    assert "cannot be read" in str(problems.found[0])
