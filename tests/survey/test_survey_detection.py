"""What a file looks like is proposed, with what to declare; what does not fit what was declared is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml
from casefiles import fixtures, write_case

from winoqueer_nl.cli import main
from winoqueer_nl.problems import InputError
from winoqueer_nl.survey import detect
from winoqueer_nl.survey.formats import Format, adapters, fits

FIXTURES = fixtures()


def case(reader: str, name: str) -> dict:
    return next(one for one in FIXTURES[reader]["cases"] if one["name"] == name)


@pytest.mark.parametrize(
    ("reader", "name", "overrides"),
    [
        ("qualtrics_csv", "numeric values, seen but unanswered as -99", {}),
        ("qualtrics_csv", "legacy layout of two header rows", {"header_rows": 2, "respondent": "ResponseID"}),
        ("limesurvey_csv", "answer codes, everything quoted, byte order mark, CRLF, a blank last line", {}),
        (
            "limesurvey_csv",
            "full question texts as headings, in Dutch",
            {
                "respondent": "Antwoord-ID",
                "derived": {"completed": {"column": "Datum ingestuurd"}},
                "personal": ["Datum ingestuurd"],
            },
        ),
        (
            "microsoft_forms_xlsx",
            "saved as CSV by a Dutch Excel",
            {"container": "csv", "delimiter": ";", "encoding": "windows-1252"},
        ),
        ("surveymonkey_csv", "a workbook", {"container": "xlsx"}),
        ("surveymonkey_csv", "internal names of the columns", {"respondent": "respondent_id"}),
        ("long_csv", "Dutch names of the columns, times are personal", {"question": "vraag", "answer": "antwoord"}),
        ("spss_sav", "value labels", {}),
        ("microsoft_forms_xlsx", "one of two sheets, as declared", {"sheet": "Sheet1"}),
    ],
)
def test_a_proposal_says_what_to_declare(tmp_path: Path, reader: str, name: str, overrides: dict) -> None:
    _, export = write_case(tmp_path, FIXTURES[reader], case(reader, name))
    proposal = detect.propose(export)[0]
    assert (proposal.reader, proposal.overrides) == (reader, overrides)
    assert proposal.form.reader == reader


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"\x81\x8d", b"PK\3\4 no"])
def test_what_is_no_table_is_called_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match="no table"):
        detect.describe(path)


def test_the_command_lists_formats_and_describes_files_without_showing_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, export = write_case(tmp_path, FIXTURES["surveymonkey_csv"], FIXTURES["surveymonkey_csv"]["cases"][0])

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", "survey", "formats", *arguments])
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out

    listed = run()
    for reader, adapter in adapters().items():
        assert f"{reader}: {adapter.tool}" in listed
    shown = run(str(export))
    assert "looks like surveymonkey_csv" in shown
    assert "IP Address, Email Address" in shown
    assert "Is it said? [are blue]" in shown
    assert "192.0.2" not in shown
    assert "jan@example" not in shown


def test_every_adapter_is_a_complete_declaration() -> None:
    for reader, adapter in adapters().items():
        form = Format.model_validate({"reader": reader})
        assert form.personal, reader
        assert adapter.export_as
        assert adapter.unconfirmed
        for rule in form.rows.values():
            assert all(drop.reason for drop in rule.drop.values())


def test_an_instrument_cannot_make_a_personal_column_of_the_tool_readable() -> None:
    form = Format.model_validate({"reader": "limesurvey_csv", "personal": ["mine"]})
    assert form.is_personal("mine")
    assert form.is_personal("ipaddr")
    assert form.is_personal("groupTime99")
    assert not form.is_personal("grouptime99")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"reader": "limesurvey"}, 'Did you mean "limesurvey_csv"?'),
        ({"header_rows": 2}, "the header rows of this layout"),
        ({"delimiter": "|"}, "formats.tool.delimiter"),
        ({"encoding": "latin-1"}, "formats.tool.encoding"),
        ({"derived": {"x": {"column": "Q1[SQ001]"}}}, "a column of personal"),
        ({"personal": ["Q1*"]}, "of personal drops"),
        ({"not_shown": ["Y"]}, "which is an answer as well"),
        ({"layout": "long", "respondent": None}, "the three columns of a long table"),
    ],
)
def test_a_format_that_cannot_be_is_refused(tmp_path: Path, change: dict, expected: str) -> None:
    from winoqueer_nl.survey.instrument import load

    fixture = FIXTURES["limesurvey_csv"]
    file, _ = write_case(tmp_path, fixture, fixture["cases"][0] | {"format": change})
    with pytest.raises(InputError) as caught:
        load(file)
    assert expected in caught.value.message()


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("abc", "abc", True),
        ("abc", "a*", True),
        ("a.c", "a.c", True),
        ("abc", "a.c", False),
        ("Q[1]", "Q[1]", True),
        ("Q1", "Q[1]", False),
        ("xXXXx", "*XXX*", True),
        ("XX", "*XXX*", False),
    ],
)
def test_only_the_star_is_a_sign_in_a_pattern(text: str, pattern: str, expected: bool) -> None:
    assert fits(text, pattern) is expected


def test_the_message_is_that_of_the_format_the_file_looks_like(tmp_path: Path) -> None:
    """An instrument with two tools; a damaged file of the second is not blamed for being no file of the first."""
    from casefiles import instrument_of

    from winoqueer_nl.survey.exports import read_exports
    from winoqueer_nl.survey.instrument import load

    first, second = FIXTURES["qualtrics_csv"], FIXTURES["limesurvey_csv"]
    _, export = write_case(tmp_path, second, second["cases"][0] | {"line_end": "\n"})
    text = export.read_text("utf-8-sig").rstrip("\n")
    export.write_text(text[: text.rindex(";")] + "\n", "utf-8")
    together = instrument_of(first, first["cases"][0])
    other = instrument_of(second, second["cases"][0])
    together["formats"]["lime"] = other["formats"]["tool"]
    together["rounds"]["two"] = other["rounds"]["one"] | {"format": "lime"}
    (tmp_path / "instrument.yaml").write_text(yaml.safe_dump(together, allow_unicode=True), "utf-8")
    with pytest.raises(InputError) as caught:
        read_exports([export], load(tmp_path / "instrument.yaml"))
    assert "row 3: found 15 cells; expected 16" in caught.value.message()
