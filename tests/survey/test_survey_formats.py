"""Every format, case by case: files written by hand in each tool's layout, read to values worked out by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from casefiles import fixtures, write_case
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from winoqueer_nl.problems import InputError
from winoqueer_nl.survey import aggregate
from winoqueer_nl.survey.canonical import Responses
from winoqueer_nl.survey.config import SurveyConfig
from winoqueer_nl.survey.detect import propose
from winoqueer_nl.survey.exports import read_exports
from winoqueer_nl.survey.formats import adapters
from winoqueer_nl.survey.instrument import load

FIXTURES = fixtures()
CASES = [
    pytest.param(reader, case, id=f"{reader}: {case['name']}")
    for reader, fixture in FIXTURES.items()
    for case in fixture["cases"]
]
BAD = [
    pytest.param(reader, case, id=f"{reader}: {case['name']}")
    for reader, fixture in FIXTURES.items()
    for case in fixture["bad"]
]


def votes(responses: Responses, stereotype: str, key: str) -> str:
    """Yes, no and unsure, and the ratings in ascending order, counted in a plain loop."""
    said: Counter[str] = Counter()
    ratings = []
    for row in responses.table.itertuples():
        if row.question == key and row.state == "answered":
            if row.aspect == "relevance":
                said[row.answer] += 1
            elif row.aspect == "harmfulness":
                ratings.append(int(row.answer))
    return f"{said['yes']}/{said['no']}/{said['unsure']}; {' '.join(map(str, sorted(ratings)))}"


@pytest.mark.parametrize(("reader", "case"), CASES)
def test_a_file_of_the_tool_is_read_right(tmp_path: Path, reader: str, case: dict[str, Any]) -> None:
    instrument_file, export = write_case(tmp_path, FIXTURES[reader], case)
    instrument = load(instrument_file)
    responses = read_exports([export], instrument)
    keys = {s: item.key for item in instrument.rounds["one"].items for s in item.stereotypes}
    assert {s: votes(responses, s, keys[s]) for s in case["votes"]} == case["votes"]
    table = responses.table
    if "who" in case:
        answered = table[(table["aspect"] == "identity") & (table["state"] == "answered")]
        assert answered["answer"].value_counts().to_dict() == case["who"]
    for aspect, expected in case.get("states", {}).items():
        found = table[table["aspect"] == aspect]["state"].value_counts()
        assert {state: n for state, n in found.items() if n} == expected, aspect
    if "rows" in case:
        assert responses.rows_read == {"one": case["rows"]["read"]}
        assert responses.respondents == {"one": case["rows"]["kept"]}
        for rule, n in case["rows"].get("dropped", {}).items():
            assert responses.dropped["one"][rule] == n
    expected_rules = {"unknown_answers": 0, "out_of_range": 0, "unmapped_columns": 0, "duplicated_respondents": 0}
    assert responses.rules["one"] == expected_rules | case.get("used", {})
    # The same numbers come out at the far end.
    out = tmp_path / "out" / "stereotypes.csv"
    written = aggregate.write([export], instrument_file, out, SurveyConfig(resamples=20))
    rows = {row["stereotype_id"]: row for row in written.stereotypes}
    for stereotype, expected in case["votes"].items():
        counts, ratings = expected.split(";")
        row = rows[stereotype]
        assert "/".join(row[f"n_{a}"] for a in ("yes", "no", "unsure")) == counts
        assert row["harmfulness_count"] == str(len(ratings.split()))


@pytest.mark.parametrize(("reader", "case"), BAD)
def test_a_malformed_file_gets_a_clear_message(tmp_path: Path, reader: str, case: dict[str, Any]) -> None:
    instrument_file, export = write_case(tmp_path, FIXTURES[reader], case)
    with pytest.raises(InputError) as caught:
        aggregate.write([export], instrument_file, tmp_path / "out" / "x.csv", SurveyConfig(resamples=20))
    message = caught.value.message()
    for part in case["message"]:
        assert part in message, message
    assert "export." in message
    assert "192.0.2" not in message
    assert "example.org" not in message
    assert not (tmp_path / "out").exists()


def test_every_adapter_has_at_least_eight_cases_and_five_malformed_files() -> None:
    assert set(FIXTURES) == set(adapters())
    for reader, fixture in FIXTURES.items():
        assert len(fixture["cases"]) >= 8, reader
        assert len(fixture["bad"]) >= 5, reader


@pytest.mark.parametrize("reader", FIXTURES)
def test_detection_proposes_what_the_file_is(tmp_path: Path, reader: str) -> None:
    _, export = write_case(tmp_path, FIXTURES[reader], FIXTURES[reader]["cases"][0])
    proposal = propose(export)[0]
    assert proposal.reader == reader
    # A proposal is a format that the reader takes as it stands.
    assert proposal.form.reader == reader


def test_all_formats_combine_into_one_aggregate(tmp_path: Path) -> None:
    """A round for each tool, one file each: the counts are the sums, and each stereotype knows its rounds."""
    import yaml
    from casefiles import instrument_of

    together: dict[str, Any] = {"formats": {}, "rounds": {}}
    exports = []
    expected: Counter[str] = Counter()
    for i, (reader, fixture) in enumerate(FIXTURES.items()):
        case = fixture["cases"][0]
        folder = tmp_path / reader
        folder.mkdir()
        _, export = write_case(folder, fixture, case)
        named = export.rename(folder / f"{reader}{export.suffix}")
        exports.append(named)
        one = instrument_of(fixture, case)
        together = {**one, "formats": together["formats"], "rounds": together["rounds"]}
        together["formats"][reader] = one["formats"]["tool"]
        together["rounds"][f"r{i}"] = one["rounds"]["one"] | {"format": reader, "files": [f"{reader}.*"]}
        counts = case["votes"]["s1"].split(";")[0].split("/")
        expected.update({a: int(n) for a, n in zip(("yes", "no", "unsure"), counts, strict=True)})
    (tmp_path / "stereotypes.csv").write_text((tmp_path / "long_csv" / "stereotypes.csv").read_text("utf-8"), "utf-8")
    instrument_file = tmp_path / "instrument.yaml"
    instrument_file.write_text(yaml.safe_dump(together, allow_unicode=True, sort_keys=False), "utf-8")
    found = aggregate.write(exports, instrument_file, tmp_path / "out" / "s.csv", SurveyConfig(resamples=20))
    row = next(row for row in found.stereotypes if row["stereotype_id"] == "s1")
    assert {a: int(row[f"n_{a}"]) for a in ("yes", "no", "unsure")} == {a: expected[a] for a in ("yes", "no", "unsure")}
    assert row["rounds"] == ";".join(f"r{i}" for i in range(len(FIXTURES)))
    # Without the names of files, the columns alone tell the rounds apart as far as tools do not share them.
    turned = aggregate.write(exports[::-1], instrument_file, tmp_path / "again" / "s.csv", SurveyConfig(resamples=20))
    assert turned.stereotypes == found.stereotypes


@pytest.mark.parametrize("reader", FIXTURES)
def test_a_damaged_file_of_any_tool_is_read_or_gets_a_message(tmp_path: Path, reader: str) -> None:
    """Cut off or scratched anywhere: no traceback, nothing written, and no more people than there are rows."""
    instrument_file, export = write_case(tmp_path, FIXTURES[reader], FIXTURES[reader]["cases"][0])
    instrument = load(instrument_file)
    whole = export.read_bytes()
    n_rows = read_exports([export], instrument).rows_read["one"]

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def damaged(data: st.DataObject) -> None:
        content = bytearray(whole)
        start = data.draw(st.integers(0, len(content) - 1))
        end = data.draw(st.integers(start + 1, min(len(content), start + 30)) | st.just(len(content)))
        content[start:end] = data.draw(st.binary(max_size=3))
        export.write_bytes(bytes(content))
        try:
            found = read_exports([export], instrument)
        except InputError:
            return
        assert found.rows_read["one"] <= n_rows + 1

    damaged()
