"""Nothing about a person gets out: marked values in personal places are searched for in outputs and messages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from winoqueer_nl.cli import main
from winoqueer_nl.problems import InputError

MARK = "ZZMARKED"
#: A respondent's marks, by column. Those in personal columns, the response id and texts of people's own.
MARKED = {
    "StartDate": f"{MARK}-start",
    "IPAddress": f"{MARK}-192.0.2.77",
    "ResponseId": f"{MARK}-id",
    "WORDS": f"{MARK} my name and my street",
}


def mark(survey, row: int) -> None:
    for column, value in MARKED.items():
        survey.set(row, column, f"{value} {row}")


def command(survey, *more: str) -> list[str]:
    survey.write()
    return [
        *("survey", "aggregate", str(survey.export), "--instrument", str(survey.folder / "instrument.yaml")),
        *("--out", str(survey.out), "--resamples", "50", *more),
    ]


def run(survey) -> subprocess.CompletedProcess[str]:
    """The command as a person runs it, with all that it prints."""
    scripts = Path(__file__).resolve().parents[2] / "scripts"
    return subprocess.run(
        [sys.executable, "-m", "winoqueer_nl.cli", *command(survey)],
        env=os.environ | {"PYTHONPATH": str(scripts)},
        cwd=survey.folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The command in this process: exit status and everything shown."""

    def running(survey, *more: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", *command(survey, *more)])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out + shown.err

    return running


def test_a_complete_run_holds_no_marked_value_anywhere(survey) -> None:
    for row in range(4, 9):
        mark(survey, row)
    done = run(survey)
    assert done.returncode == 0, done.stderr
    written = [path for path in survey.out.parent.rglob("*") if path.is_file()]
    assert {path.name for path in written} == {"stereotypes.csv", "respondents.csv", "summary.json"}
    for path in written:
        assert MARK not in path.read_text("utf-8")
    assert MARK not in done.stdout + done.stderr
    # The marks were there to be found.
    assert survey.export.read_text("utf-8").count(MARK) == 5 * len(MARKED)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda s: s.set(7, "ResponseId", f"{MARK}-id 4"),
        lambda s: s.set(4, "REL_1", "Yes"),
        lambda s: s.set(4, "REL_1", f"{MARK}@example.org"),
        lambda s: s.set(4, "REL_1", f"{MARK} 192.0.2.7"),
        lambda s: s.set(4, "REL_1", f"{MARK} and a long story about where I live and who I am"),
        lambda s: s.set(4, "WHO", f"{MARK}"),
        lambda s: s.set(4, "WHO", f"Apple,{MARK}"),
        lambda s: s.rows[4].append(MARK),
        lambda s: s.rows[4].pop(),
        lambda s: s.set(1, "IPAddress", "IP"),
        lambda s: s.set(1, "WORDS", "WORD"),
        lambda s: s.set(4, "Status", f"{MARK}.name@example.org"),
        lambda s: s.rows.pop(2),
        lambda s: s.rows.__delitem__(slice(0, 3)),
        lambda s: s.export.write_text(s.text(s.rows).replace(MARK, f'"{MARK}" x'), "utf-8"),
        lambda s: s.export.write_bytes(s.text(s.rows).replace(MARK, f"{MARK}\u00e9").encode("cp1252")),
    ],
)
def test_no_message_repeats_anything_about_a_person(survey, spoil) -> None:
    for row in range(4, 9):
        mark(survey, row)
    spoil(survey)
    with pytest.raises(InputError) as caught:
        survey.aggregate()
    assert MARK not in caught.value.message()
    assert not survey.out.parent.exists()


def test_a_mistake_ends_with_status_1_and_messages_without_a_traceback(survey) -> None:
    survey.set(4, "REL_1", "Yes")
    survey.set(7, "HARM_1", "7")
    done = run(survey)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--unsure", "maybe", "survey aggregate, unsure"),
        ("--tier-1", "40", "tier_1 above tier_2 above tier_3"),
        ("--resamples", "0", "survey aggregate, resamples"),
        ("--seed", "-1", "survey aggregate, seed"),
        ("--disclosure-threshold", "0", "survey aggregate, disclosure_threshold"),
    ],
)
def test_settings_out_of_bounds_are_refused(survey, run_here, option: str, value: str, expected: str) -> None:
    status, shown = run_here(survey, option, value)
    assert status == 1
    assert expected in shown
    assert not survey.out.exists()


def test_the_settings_of_the_command_are_those_of_the_configuration(survey, run_here) -> None:
    status, shown = run_here(survey, "--tier-1", "90", "--tier-2", "45", "--unsure", "as_no", "--seed", "7")
    assert status == 0, shown
    table, summary = survey.out.read_text("utf-8"), survey.out.with_name("summary.json").read_text("utf-8")
    survey.aggregate(thresholds={"tier_1": 90, "tier_2": 45}, unsure="as_no", seed=7, resamples=50)
    assert survey.out.read_text("utf-8") == table
    assert survey.out.with_name("summary.json").read_text("utf-8") == summary
