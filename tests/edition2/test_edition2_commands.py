"""The commands check and record, as a maintainer runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from winoqueer_nl import correct
from winoqueer_nl.cli import app
from winoqueer_nl.problems import InputError

WHY = {"kind": "wording", "reason": "a test", "edition": "2.0.0"}


def invoke(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_a_clean_edition_passes_and_a_slip_that_comes_in_does_not(project: Path) -> None:
    check = ("check", "--lang", "en", "--edition", "2.0.0", "--root", str(project))
    clean = invoke(*check, "--format", "json")
    assert clean.exit_code == 0
    assert json.loads(clean.output)["undeclared_findings"] == 0

    correct.correct(project, "en", "forms", "wq002,main_plural", "text", "are crazzy", **WHY)
    found = invoke(*check, "--format", "json")
    assert found.exit_code == 1
    findings = [f for f in json.loads(found.output)["findings"] if f["declared"] is None]
    assert {(f["gate"], f["severity"]) for f in findings} == {("spelling", "error"), ("content_words", "error")}
    spelling = next(f for f in findings if f["gate"] == "spelling")
    # Templates 1 to 4 take this form, each against four counter identities.
    assert sorted(spelling["rows"]) == sorted(
        f"en.wq002.{template}.group.lgbtq.{counter}"
        for template in (1, 2, 3, 4)
        for counter in ("straight", "heterosexual", "cisgender", "cis")
    )
    text = invoke(*check)
    assert text.exit_code == 1
    assert "error: spelling (crazzy)" in text.output
    assert "winoqueer-nl correct" in text.output


def test_a_survey_that_is_not_built_yet_is_a_message(project: Path) -> None:
    with pytest.raises(InputError, match="Build them first"):
        invoke_and_raise("check", "--lang", "nl", "--edition", "2.0.0", "--root", str(project))


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--format", "jsn", "text or json"),
        ("--edition", "3.0.0", "an edition of this language"),
        ("--lang", "n", "--lang"),
    ],
)
def test_a_mistyped_option_is_a_message(project: Path, option: str, value: str, expected: str) -> None:
    given = {"--lang": "en", "--edition": "2.0.0", "--format": "text", "--root": str(project)} | {option: value}
    with pytest.raises(InputError) as caught:
        invoke_and_raise("check", *(part for pair in given.items() for part in pair))
    assert expected in caught.value.message()


def test_a_recorded_edition_is_closed(project: Path) -> None:
    record = ("record", "--lang", "en", "--edition", "2.0.0", "--root", str(project))
    assert invoke(*record).exit_code == 0
    with pytest.raises(InputError, match="which is released"):
        correct.correct(project, "en", "forms", "wq002,main_plural", "text", "are mad", **WHY)
    with pytest.raises(InputError, match="it is released"):
        invoke_and_raise(*record)


def invoke_and_raise(*arguments: str) -> None:
    result = invoke(*arguments)
    assert result.exception is not None
    raise result.exception
