"""The commands check and record, as a maintainer runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from winoqueer_nl import correct
from winoqueer_nl.cli import app
from winoqueer_nl.edition import choose
from winoqueer_nl.problems import InputError
from winoqueer_nl.sources import load

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


def reading(project: Path) -> dict[str, tuple[str, ...]]:
    """Commands that read Parquet, with the file FILE, and a good one GOOD beside it."""
    root = ("--root", str(project))
    tables = project / "tables.json"
    tables.write_text(choose(load(project, "en"), "2.0.0").model_dump_json(exclude_none=True), "utf-8")
    versions = ("--lang", "en", "--from", "1.0.0", "--to", "2.0.0", "--out", str(project / "out"), *root)
    scores = str(project)
    return {
        "changes --before": ("changes", "--before", "FILE", "--after", "GOOD", *versions),
        "changes --after": ("changes", "--before", "GOOD", "--after", "FILE", *versions),
        "check": ("check", "--lang", "en", "--edition", "2.0.0", "--pairs", "FILE", *root),
        "alternatives": (
            *("alternatives", "--tables", str(tables), "--pairs", "FILE"),
            *("--set", "individuals", "--out", str(project / "out"), *root),
        ),
        "sensitivity --pairs": ("sensitivity", "--pairs", "FILE", "--before", scores, "--after", scores),
        "sensitivity --before": ("sensitivity", "--pairs", "GOOD", "--before", "FOLDER", "--after", scores),
    }


@pytest.mark.parametrize(
    "command",
    ["changes --before", "changes --after", "check", "alternatives", "sensitivity --pairs", "sensitivity --before"],
)
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "no such file"),
        (b"PAR1 no more than that", "not a whole table"),
        ("column", "no column"),
        ("folder", "a folder"),
    ],
)
def test_a_file_that_is_not_the_table_asked_for_is_a_message(
    project: Path, command: str, content: bytes | str | None, expected: str
) -> None:
    folder = project / "given"
    folder.mkdir()
    file = folder / "scores.parquet"
    if content == "column":
        pq.write_table(pa.table({"other": [1]}), file)
    elif content == "folder":
        file.mkdir()
    elif content is not None:
        assert isinstance(content, bytes)
        file.write_bytes(content)
    good = project / "good.parquet"
    pq.write_table(pa.table({"pair_id": ["a"], "identity": ["i"], "sent_x": ["x"], "sent_y": ["y"]}), good)
    pq.write_table(
        pa.table({"pair_id": ["a"], "score_x_published": [1.0], "score_y_published": [1.0]}), project / "scores.parquet"
    )
    places = {"FILE": str(file), "GOOD": str(good), "FOLDER": str(folder)}
    with pytest.raises(InputError) as caught:
        invoke_and_raise(*(places.get(part, part) for part in reading(project)[command]))
    assert len(caught.value.problems) == 1
    assert caught.value.message().startswith(f"{file}: found ")
    assert expected in caught.value.message()
    assert not (project / "out").exists()


def invoke_and_raise(*arguments: str) -> None:
    result = invoke(*arguments)
    assert result.exception is not None
    raise result.exception
