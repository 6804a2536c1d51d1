"""A correction keeps what was released; a change without its record is noticed."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from winoqueer_nl import correct, errata, released
from winoqueer_nl.cli import app
from winoqueer_nl.edition import choose
from winoqueer_nl.problems import InputError
from winoqueer_nl.sources import load

WHY = {"kind": "wording", "reason": "a test", "edition": "2.0.0"}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def form(project: Path, edition: str, stereotype: str, name: str) -> str:
    chosen = choose(load(project, "en"), edition)
    return next(row.text for row in chosen.forms if (row.stereotype_id, row.form) == (stereotype, name))


def test_the_old_row_retires_and_the_new_one_takes_its_place(project: Path) -> None:
    correct.correct(project, "en", "forms", "wq002,main_plural", "text", "are mad", **WHY)
    assert form(project, "1.0.0", "wq002", "main_plural") == "are crazy"
    assert form(project, "2.0.0", "wq002", "main_plural") == "are mad"
    retired = rows(project / "predicates/en/forms.retired.csv")[-1]
    assert (retired["text"], retired["until"], retired["kind"], retired["reason"]) == (
        "are crazy",
        "2.0.0",
        "wording",
        "a test",
    )
    current = rows(project / "predicates/en/forms.csv")
    assert [r["since"] for r in current if r["text"] == "are mad"] == ["2.0.0"]
    assert released.verify(project, load(project, "en")) == ["1.0.0"]


def test_a_second_correction_before_the_release_changes_the_new_row_alone(project: Path) -> None:
    correct.correct(project, "en", "forms", "wq002,main_plural", "text", "are mad", **WHY)
    before = rows(project / "predicates/en/forms.retired.csv")
    correct.correct(project, "en", "forms", "wq002,main_plural", "text", "are quite mad", **WHY)
    assert rows(project / "predicates/en/forms.retired.csv") == before
    assert form(project, "2.0.0", "wq002", "main_plural") == "are quite mad"


def test_a_correction_is_an_erratum(project: Path) -> None:
    correct.correct(project, "en", "forms", "wq002,main_plural", "text", "are mad", **WHY)
    found = [e for e in errata.errata(project, "en") if e.place == {"stereotype_id": "wq002", "form": "main_plural"}]
    assert [(e.was, e.now, e.kind, e.reason) for e in found] == [
        ({"text": "are crazy"}, {"text": "are mad"}, "wording", "a test")
    ]


def test_a_row_removed_and_a_row_added_keep_the_release_too(project: Path) -> None:
    correct.remove(project, "nl", "names", "kelly", **WHY)
    cells = {"name_id": "bram", "type": "name", "gender": "male", "slot_subject": "Bram", "slot_object": "Bram"}
    cells |= {"slot_pronoun": "hij", "slot_possessive": "zijn"}
    correct.add(project, "nl", "names", cells, **WHY)
    names = {e: {n.name_id for n in choose(load(project, "nl"), e).names} for e in ("1.0.0", "2.0.0")}
    assert {"kelly", "bram"} & names["1.0.0"] == {"kelly"}
    assert {"kelly", "bram"} & names["2.0.0"] == {"bram"}


def test_a_released_value_changed_in_place_names_its_row_and_the_command(project: Path) -> None:
    path = project / "predicates/en/forms.csv"
    path.write_text(
        path.read_text("utf-8").replace("wq002,main_plural,are crazy", "wq002,main_plural,are mad"), "utf-8"
    )
    with pytest.raises(InputError) as caught:
        released.verify(project, load(project, "en"))
    message = caught.value.message()
    assert "wq002,main_plural" in message
    assert "winoqueer-nl correct --lang en --table forms" in message


def test_a_released_row_that_is_gone_and_one_that_came_in_are_named(project: Path) -> None:
    path = project / "templates/en/names.csv"
    lines = path.read_text("utf-8").replace("mary,name", "marie,name", 1)
    path.write_text(lines, "utf-8")
    with pytest.raises(InputError) as caught:
        released.verify(project, load(project, "en"))
    assert 'no row "mary' in caught.value.message()
    assert 'the new row "marie' in caught.value.message()


def test_the_stage_tables_stops_at_such_a_change(project: Path) -> None:
    path = project / "predicates/en/forms.csv"
    path.write_text(
        path.read_text("utf-8").replace("wq002,main_plural,are crazy", "wq002,main_plural,are mad"), "utf-8"
    )
    result = CliRunner().invoke(app, ["tables", "--lang", "en", "--edition", "2.0.0", "--root", str(project)])
    assert isinstance(result.exception, InputError)


def without_column(path: Path, column: str) -> None:
    content = rows(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(
            file, [c for c in content[0] if c != column], extrasaction="ignore", lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(content)


def test_a_table_may_lack_the_columns_that_came_in_later_until_one_is_needed(project: Path) -> None:
    path = project / "templates/en/identity_forms.csv"
    without_column(path, "syntax")
    correct.correct(project, "en", "identity_forms", "cis,predicative", "text", "cisgendered", **WHY)
    assert {row["syntax"] for row in rows(path)} == {""}
    correct.correct(project, "en", "identity_forms", "cis,predicative", "syntax", "adjective", **WHY)
    assert {row["syntax"] for row in rows(path)} == {"", "adjective"}


def test_tables_that_are_not_in_order_are_not_written_anew(project: Path) -> None:
    path = project / "predicates/en/forms.csv"
    path.write_text(path.read_text("utf-8") + "wq002,short\n", "utf-8")
    before = path.read_bytes()
    with pytest.raises(InputError, match="2 cells"):
        correct.correct(project, "en", "forms", "wq002,main_plural", "text", "are mad", **WHY)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"table": "form"}, 'Did you mean "forms"?'),
        ({"row": "wq002,main_plurall"}, 'Did you mean "wq002,main_plural"?'),
        ({"column": "txt"}, "a column of forms.csv"),
        ({"column": "until"}, "a column of forms.csv"),
        ({"kind": "speling"}, 'Did you mean "spelling"?'),
        ({"reason": " "}, "an empty reason"),
        ({"edition": "9.0.0"}, "an edition of en"),
        ({"edition": "1.0.0"}, "which is released"),
        ({"value": "are crazy"}, "another value"),
        ({"value": "are {mad}"}, "the unknown slot {mad}"),
        ({"value": "are  mad"}, "no two blanks in a row"),
    ],
)
def test_a_mistake_is_explained_and_changes_nothing(project: Path, change: dict[str, str], expected: str) -> None:
    given_ = {"table": "forms", "row": "wq002,main_plural", "column": "text", "value": "are mad"} | WHY | change
    before = {p: p.read_bytes() for p in project.rglob("*.csv")}
    with pytest.raises(InputError) as caught:
        correct.correct(project, "en", **given_)
    assert expected in caught.value.message()
    assert {p: p.read_bytes() for p in project.rglob("*.csv")} == before


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(codec="utf-8", categories=["L", "P", "N"], exclude_characters="{}"), min_size=1, max_size=20)
)
def test_any_text_of_a_person_comes_back_as_it_was_given(project: Path, text: str) -> None:
    import unicodedata

    text = unicodedata.normalize("NFC", text)
    try:
        correct.correct(project, "en", "forms", "wq002,main_plural", "text", text, **WHY)
    except InputError:
        return  # refused whole: the same value again, or a character that no cell may hold
    assert form(project, "2.0.0", "wq002", "main_plural") == text
    assert form(project, "1.0.0", "wq002", "main_plural") == "are crazy"


@pytest.mark.parametrize(
    ("table", "row", "missing"),
    [
        ("forms", "wq001,main_plural", "no main_plural of wq001"),
        ("identities", "queer", "expected a known identity"),
        ("counter_identities", "cis", 'found "cis"'),
    ],
)
def test_a_row_that_an_edition_needs_cannot_end(project: Path, table: str, row: str, missing: str) -> None:
    """What the stage tables would refuse afterwards is refused now, and nothing is written."""
    before = {p: p.read_bytes() for p in project.rglob("*") if p.is_file()}
    with pytest.raises(InputError) as caught:
        correct.remove(project, "nl", table, row, **WHY)
    assert missing in caught.value.message()
    assert {p: p.read_bytes() for p in project.rglob("*") if p.is_file()} == before


def test_a_row_given_by_half_its_key_is_told_the_columns_and_the_rows(project: Path) -> None:
    with pytest.raises(InputError) as caught:
        correct.remove(project, "nl", "forms", "wq001", **WHY)
    message = caught.value.message()
    assert "stereotype_id, form, identity, copy_number, name_gender" in message
    assert '"wq001,main_plural", "wq001,infinitive"' in message


def test_a_language_without_an_edition_is_told_so_and_not_an_empty_list(project: Path) -> None:
    editions = project / "release/editions.csv"
    editions.write_text(editions.read_text("utf-8").replace("nl;en", "nl"), "utf-8")
    with pytest.raises(InputError, match="it has none yet"):
        correct.remove(project, "en", "names", "mary", **WHY)
    with pytest.raises(InputError, match='Did you mean "nl"'):
        correct.remove(project, "nll", "names", "kelly", **WHY)


def test_the_command_says_what_was_and_is(project: Path) -> None:
    arguments = ["--table", "forms", "--row", "wq002,main_plural", "--column", "text", "--value", "are mad"]
    arguments += ["--kind", "wording", "--reason", "why", "--edition", "2.0.0", "--root", str(project)]
    result = CliRunner().invoke(app, ["correct", "--lang", "en", *arguments])
    assert result.exit_code == 0, result.output
    assert "was: wq002,main_plural,are crazy" in result.output
    assert "is: wq002,main_plural,are mad,2.0.0" in result.output


def test_the_command_wants_one_thing_to_do(project: Path) -> None:
    arguments = ["--lang", "en", "--table", "forms", "--kind", "wording", "--reason", "why", "--edition", "2.0.0"]
    result = CliRunner().invoke(app, ["correct", *arguments, "--root", str(project)])
    assert isinstance(result.exception, InputError)


def test_a_damaged_record_is_a_message(project: Path) -> None:
    (project / "release/released/en-1.0.0.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="damaged"):
        released.verify(project, load(project, "en"))
