"""Review: sheets go out, answers come in, and only what reviewers agree on becomes a form.

What must hold
- every waiting form is asked about, in the sentences it will stand in, proposal or not;
- a form is written when enough reviewers say the same and nobody says otherwise; else it is a conflict, or waits;
- a stereotype's forms are written all at once, when the last one is accepted, with the reviewers' initials;
- an earlier edition stays what it was: what it said moves to the retired rows with kind and reason;
- a sheet that was tampered with, is stale or half-understood is refused with its row, and then nothing is written.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import authoring_project
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winoqueer_nl import cli
from winoqueer_nl.authoring.review import Answer, Item, decide
from winoqueer_nl.authoring.spreadsheets import neutralised
from winoqueer_nl.edition import choose
from winoqueer_nl.pairs import generate
from winoqueer_nl.schema import Stereotype
from winoqueer_nl.sources import load

PROPOSALS = """\
stereotype_id,form,engine,source,translation,proposal,note,state,text,reviewers
aa002,plural,google,These people have a dronk.,Nuv ole han dronk.,han dronk,,proposed,,
aa002,plural,author,,,hun dronk,,proposed,,
aa002,inverted,google,We hate them because they have a dronk.,Wi rass ze vi dronk han.,dronk han,,proposed,,
aa002,single,google,Emma is tall and has a dronk.,Emma ba. Ha dronk.,,the translation does not begin with it,proposed,,
"""
Fill = dict[str, tuple[str, ...]]
#: item -> (choice, wording, kind, comment), as far as filled in
AGREED: Fill = {
    "aa002.plural": ("accept",),
    "aa002.inverted": ("accept",),
    "aa002.single": ("change", "ha {pronoun} dronk"),
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run_it(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", *map(str, arguments)])
        status = 0
        try:
            cli.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return status, said.out + said.err

    return run_it


@pytest.fixture
def sheets(made: Path, run) -> dict[str, Path]:
    """The sheets of two reviewers, with proposals in them."""
    (made / "predicates/toy/translations.csv").write_text(PROPOSALS)
    status, _ = run("review", "export", "--root", made, "--lang", "toy", "--reviewer", "AB", "--reviewer", "CD")
    assert status == 0
    return {who: made / f"review/toy/review-toy-{who}.xlsx" for who in ("AB", "CD")}


def fill(path: Path, answers: Fill) -> Path:
    """Fill a sheet in as a reviewer would, in the spreadsheet."""
    book = openpyxl.load_workbook(path)
    sheet = book["Review"]
    columns = {cell.value: cell.column for cell in sheet[1]}
    for row in range(2, sheet.max_row + 1):
        given_answer = answers.get(str(sheet.cell(row, columns["item"]).value), ())
        for column, value in zip(("choice", "wording", "kind", "comment"), given_answer, strict=False):
            cell = sheet.cell(row, columns[column])
            cell.value = value or None
            cell.data_type = "s" if value else "n"
    book.save(path)
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def importing(made: Path, run, *options: object) -> tuple[int, str]:
    files = sorted((made / "review/toy").iterdir())
    return run("review", "import", "--root", made, "--lang", "toy", "--resamples", 100, *files, *options)


def test_a_sheet_asks_about_every_waiting_form_in_its_sentences(sheets: dict[str, Path]) -> None:
    sheet = openpyxl.load_workbook(sheets["AB"])["Review"]
    header, *body = [[cell.value for cell in row] for row in sheet.iter_rows()]
    found = {row[0]: dict(zip(header, row, strict=True)) for row in body}
    assert list(found) == ["aa002.plural", "aa002.inverted", "aa002.single", "aa003.inverted", "aa003.single"]
    assert found["aa002.plural"]["proposal"] == "han dronk"
    assert found["aa002.plural"]["sentences"] == "All mirn folk han dronk."
    assert found["aa002.inverted"]["sentences"] == "Nuv rass mirn folk vi dronk han."
    assert found["aa002.single"]["proposal"] is None
    assert "Emba ba mirn na …." in str(found["aa002.single"]["sentences"])
    assert "[Emma ba. Ha dronk.] (the translation does not begin with it)" in str(found["aa002.single"]["sentences"])
    assert found["aa003.single"]["sentences"] == "Emba ba solv na ….\nUl ba solv na …."
    assert {(row["lang"], row["reviewer"], row["choice"]) for row in found.values()} == {("toy", "AB", None)}


def test_what_both_accept_becomes_forms_with_initials(made: Path, run, sheets: dict[str, Path]) -> None:
    before = authoring_project.contents(made)
    for path in sheets.values():
        fill(path, AGREED)
    status, said = importing(made, run)
    assert status == 0, said
    new = [row for row in rows(made / "predicates/toy/forms.csv") if row["stereotype_id"] == "aa002"]
    assert [(r["form"], r["text"], r["since"], r["reason"]) for r in new] == [
        ("plural", "han dronk", "2.0.0", "reviewed by AB, CD"),
        ("inverted", "dronk han", "2.0.0", "reviewed by AB, CD"),
        ("single", "ha {pronoun} dronk", "2.0.0", "reviewed by AB, CD"),
    ]
    assert (made / "predicates/toy/forms.csv").read_bytes().startswith(before["predicates/toy/forms.csv"])
    states = {(r["form"], r["engine"]): (r["state"], r["text"]) for r in rows(made / "predicates/toy/translations.csv")}
    assert states["plural", "google"] == ("accepted", "han dronk")
    assert states["plural", "author"] == ("rejected", "")
    assert states["single", "google"] == ("accepted", "ha {pronoun} dronk")
    # The first edition was made while the stereotype waited: that it did stays on record.
    assert [r["stereotype_id"] for r in rows(made / "predicates/toy/absent.csv")] == ["aa003", "aa003", "aa004"]
    retired = rows(made / "predicates/toy/absent.retired.csv")
    assert [(r["stereotype_id"], r["until"]) for r in retired] == [("aa002", "2.0.0")]
    sources = load(made, "toy")
    assert not [f for f in choose(sources, "1.0.0").forms if f.stereotype_id == "aa002"]
    sentences = {s for batch in generate(choose(sources, "2.0.0")) for s in batch.column("sent_x").to_pylist()}
    assert {"All mirn folk han dronk.", "Emba ba mirn na ha el dronk.", "Ilsa ba solv na ha el dronk."} <= sentences


def test_an_accepted_form_waits_until_the_others_are_accepted(made: Path, run, sheets: dict[str, Path]) -> None:
    forms = (made / "predicates/toy/forms.csv").read_bytes()
    for path in sheets.values():
        fill(path, {"aa002.plural": ("accept",), "aa002.inverted": ("accept",)})
    _, said = importing(made, run)
    assert "2 of 3 forms accepted, still without single" in said
    assert (made / "predicates/toy/forms.csv").read_bytes() == forms
    assert choose(load(made, "toy"), "2.0.0"), "half a stereotype breaks no build"
    for path in sheets.values():
        fill(path, {"aa002.single": ("change", "ha dronk")})
    _, said = importing(made, run)
    assert "3 forms written" in said
    assert "2 decided before" in said


def test_a_conflict_is_listed_and_settled_by_the_decider(made: Path, run, sheets: dict[str, Path]) -> None:
    fill(sheets["AB"], AGREED)
    fill(sheets["CD"], AGREED | {"aa002.plural": ("change", "hat dronk", "", "as my aunt says")})
    status, said = importing(made, run)
    assert status == 0
    assert 'aa002.plural (have a dronk):\n  - AB: accept "han dronk"\n  - CD: change to "hat dronk"' in said
    assert "as my aunt says" in said
    assert "Krippendorff's alpha" in said
    assert not [r for r in rows(made / "predicates/toy/forms.csv") if r["stereotype_id"] == "aa002"]
    _, said = importing(made, run, "--decider", "CD")
    plural = [r for r in rows(made / "predicates/toy/forms.csv") if r["text"] == "hat dronk"]
    assert [r["reason"] for r in plural] == ["reviewed by CD"]
    before = authoring_project.contents(made)
    importing(made, run, "--decider", "AB")
    assert authoring_project.contents(made) == before, "what is decided is not decided anew by an old sheet"


def test_one_answer_is_not_enough_unless_one_is_asked_for(made: Path, run, sheets: dict[str, Path]) -> None:
    fill(sheets["AB"], AGREED)
    fill(sheets["CD"], dict.fromkeys(AGREED, ("unsure",)))
    _, said = importing(made, run)
    assert "3 waiting for more answers" in said
    assert "Files changed: none" in said
    _, said = importing(made, run, "--at-least", 1, "--dry-run")
    assert "Nothing written" in said
    assert len(rows(made / "predicates/toy/forms.csv")) == 3
    importing(made, run, "--at-least", 1)
    assert len(rows(made / "predicates/toy/forms.csv")) == 6


def test_a_rejected_proposal_never_becomes_a_form(made: Path, run, sheets: dict[str, Path]) -> None:
    for path in sheets.values():
        fill(path, {"aa002.plural": ("reject",), "aa003.single": ("reject",)})
    for _ in range(2):
        importing(made, run)
        states = [(r["form"], r["state"]) for r in rows(made / "predicates/toy/translations.csv")]
        assert states.count(("plural", "rejected")) == 2
        assert states.count(("single", "rejected")) == 1
    assert len(rows(made / "predicates/toy/forms.csv")) == 3


def test_a_form_in_use_is_corrected_and_the_earlier_edition_keeps_it(made: Path, run) -> None:
    out = made / "review/toy"
    for who in ("AB", "CD"):
        run("review", "export", "--root", made, "--lang", "toy", "--reviewer", who, "--recheck", "aa001", "--out", out)
        answer: Fill = {"aa001.plural": ("change", "ban brell", "spelling", "two l"), "aa001.single": ("accept",)}
        fill(out / f"review-toy-{who}.xlsx", answer)
    before = choose(load(made, "toy"), "1.0.0").model_dump_json()
    _, said = importing(made, run)
    assert 'aa001.plural: "ban brel" corrected to "ban brell"' in said
    retired = rows(made / "predicates/toy/forms.retired.csv")
    assert [(r["text"], r["until"], r["kind"]) for r in retired] == [("ban brel", "2.0.0", "spelling")]
    assert retired[0]["reason"] == "reviewed by AB, CD: two l; two l"
    current = next(r for r in rows(made / "predicates/toy/forms.csv") if r["form"] == "plural")
    assert (current["text"], current["since"]) == ("ban brell", "2.0.0")
    assert choose(load(made, "toy"), "1.0.0").model_dump_json() == before
    # Corrected once more for the same edition: nothing released has said it, so nothing is retired.
    for path in out.iterdir():
        path.unlink()
    for who in ("AB", "CD"):
        run("review", "export", "--root", made, "--lang", "toy", "--reviewer", who, "--recheck", "all", "--out", out)
        fill(out / f"review-toy-{who}.xlsx", {"aa001.plural": ("change", "ban brelll")})
    importing(made, run)
    assert len(rows(made / "predicates/toy/forms.retired.csv")) == 1
    assert next(r for r in rows(made / "predicates/toy/forms.csv") if r["form"] == "plural")["text"] == "ban brelll"


def test_a_correction_finds_its_row_whatever_the_file_looks_like(made: Path, run) -> None:
    """A file with Windows line ends, a blank line, letters in two pieces: the row is found, the rest stays."""
    forms = made / "predicates/toy/forms.csv"
    text = "\ufeff" + forms.read_text().replace("ban brel", "ban bre\u0301l").replace(
        "\naa001,single", "\n\naa001,single"
    )
    forms.write_text(text.replace("\n", "\r\n"), encoding="utf-8", newline="")
    out = made / "review/toy"
    run("review", "export", "--root", made, "--lang", "toy", "--reviewer", "AB", "--recheck", "aa001", "--out", out)
    fill(out / "review-toy-AB.xlsx", {"aa001.plural": ("change", "ban brll"), "aa001.single": ("change", "brll")})
    status, said = importing(made, run, "--at-least", 1)
    assert status == 0, said
    new = forms.read_bytes().decode()
    own = ("aa001,plural", "aa001,single")
    rest = [line for line in text.replace("\n", "\r\n").splitlines(True) if not line.startswith(own)]
    assert [line for line in new.splitlines(True) if not line.startswith(own)] == rest
    assert "aa001,plural,ban brll,,,2.0.0,,,reviewed by AB\r\n" in new


def test_what_a_later_edition_has_corrected_is_not_corrected_in_an_earlier_one(made: Path, run) -> None:
    forms, retired = made / "predicates/toy/forms.csv", made / "predicates/toy/forms.retired.csv"
    lines = forms.read_text().splitlines(True)
    retired.write_text(lines[0] + "aa001,plural,ban brell,,,,2.0.0,spelling,one l\n")
    forms.write_text(forms.read_text().replace("aa001,plural,ban brel,,,", "aa001,plural,ban brel,,,2.0.0"))
    out = made / "review/toy"
    export = ("review", "export", "--root", made, "--lang", "toy", "--reviewer", "AB", "--edition", "1.0.0")
    run(*export, "--recheck", "aa001", "--out", out)
    fill(out / "review-toy-AB.xlsx", {"aa001.plural": ("change", "ban")})
    before = authoring_project.contents(made)
    status, said = importing(made, run, "--at-least", 1, "--since", "1.0.0")
    assert status == 0, said
    assert "an edition after 1.0.0 has corrected this form already" in said
    assert authoring_project.contents(made) == before


def test_a_form_that_a_new_template_calls_for_is_asked_about(made: Path, run) -> None:
    forms = made / "predicates/toy/forms.csv"
    forms.write_text("".join(line for line in forms.read_text().splitlines(True) if "single" not in line))
    run("review", "export", "--root", made, "--lang", "toy", "--reviewer", "AB")
    fill(made / "review/toy/review-toy-AB.xlsx", {"aa001.single": ("change", "brel")})
    status, said = importing(made, run, "--at-least", 1)
    assert status == 0, said
    # The first edition lacks the form as well, so the row that repairs it belongs to the second only.
    assert [f.text for f in choose(load(made, "toy"), "2.0.0").forms if f.form == "single"] == ["brel"]


def test_csv_sheets_do_as_well_and_neutralised_cells_come_back(made: Path, run) -> None:
    (made / "predicates/toy/translations.csv").write_text(
        PROPOSALS.replace(",hun dronk,", ",=hun,").replace(",han dronk,", ",-han,")
    )
    run("review", "export", "--root", made, "--lang", "toy", "--reviewer", "AB", "--format", "csv")
    path = made / "review/toy/review-toy-AB.csv"
    text = path.read_text(encoding="utf-8-sig")
    assert '"\'-han"' in text
    lines = list(csv.reader(text.splitlines()))
    header = lines[0]
    body = [dict(zip(header, line, strict=True)) for line in csv.reader(text.split("\n", 1)[1].split("\n")) if line]
    assert body
    with path.open(encoding="utf-8-sig", newline="") as file:
        records = list(csv.DictReader(file))
    for record in records:
        if record["item"] == "aa002.plural":
            record["choice"] = "Accept "
        if record["item"] == "aa002.inverted":
            record |= {"choice": "change", "wording": neutralised("+dronk")}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, header, delimiter=";")
        writer.writeheader()
        writer.writerows(records)
    status, said = importing(made, run, "--at-least", 1)
    assert status == 0, said
    texts = {r["form"]: r["text"] for r in rows(made / "predicates/toy/translations.csv") if r["state"] == "accepted"}
    assert texts == {"plural": "-han", "inverted": "+dronk"}


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"choice": "acept"}, 'Did you mean "accept"'),
        ({"choice": "change"}, "wording: found an empty cell"),
        ({"choice": "accept", "wording": "other"}, "no wording beside accept"),
        ({"wording": "other"}, "an empty cell beside a wording"),
        ({"choice": "change", "wording": "han {pronoun}"}, "text without braces"),
        ({"choice": "change", "wording": "han {"}, "text without braces"),
        ({"choice": "change", "wording": "x", "kind": "speling"}, 'Did you mean "spelling"'),
        ({"choice": "accept", "proposal": "hen dronk"}, 'what the tables have: "han dronk"'),
        ({"choice": "accept", "item": "aa002.plurall"}, 'Did you mean "aa002.plural"'),
        ({"choice": "accept", "lang": "en"}, "Import the sheet of this language"),
        ({"choice": "accept", "reviewer": ""}, "initials"),
    ],
)
def test_a_cell_that_is_no_answer_is_named_and_nothing_is_written(
    made: Path, run, sheets: dict[str, Path], cells: dict[str, str], words: str
) -> None:
    book = openpyxl.load_workbook(sheets["AB"])
    columns = {cell.value: cell.column for cell in book["Review"][1]}
    for column, value in cells.items():
        book["Review"].cell(2, columns[column]).value = value or None
    book.save(sheets["AB"])
    before = authoring_project.contents(made)
    status, said = importing(made, run, "--at-least", 1)
    assert status == 1
    assert words in said
    assert "review-toy-AB.xlsx, row 2" in said
    assert authoring_project.contents(made) == before


def test_a_slot_that_no_name_fills_is_named(made: Path, run, sheets: dict[str, Path]) -> None:
    fill(sheets["AB"], {"aa002.single": ("change", "ha {pronuon} dronk")})
    status, said = importing(made, run)
    assert status == 1
    assert "text with no slots but {pronoun}, {subject}" in said


def test_a_wording_that_breaks_the_tables_is_refused(made: Path, run, sheets: dict[str, Path]) -> None:
    for path in sheets.values():
        fill(path, AGREED | {"aa002.plural": ("change", "han {pronoun} dronk")})
    before = authoring_project.contents(made)
    status, said = importing(made, run)
    assert status == 1, "a group has no pronoun to fill in"
    assert "pronoun" in said
    assert authoring_project.contents(made) == before


def test_two_answers_of_one_reviewer_are_named(made: Path, run, sheets: dict[str, Path]) -> None:
    fill(sheets["AB"], {"aa002.plural": ("accept",)})
    copy = sheets["AB"].with_name("copy.xlsx")
    copy.write_bytes(sheets["AB"].read_bytes())
    assert importing(made, run)[0] == 0, "the same answer twice is one answer"
    fill(copy, {"aa002.plural": ("reject",)})
    assert "a second, different answer of AB" in importing(made, run)[1]


def test_a_sheet_that_is_there_is_not_overwritten(made: Path, run, sheets: dict[str, Path]) -> None:
    fill(sheets["AB"], AGREED)
    filled = sheets["AB"].read_bytes()
    export = ("review", "export", "--root", made, "--lang", "toy", "--reviewer", "AB")
    status, said = run(*export)
    assert status == 1
    assert "--overwrite" in said
    assert sheets["AB"].read_bytes() == filled
    assert run(*export, "--overwrite")[0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--reviewer", "A B"], "initials"),
        (["--reviewer", "AB", "--reviewer", "AB"], "twice"),
        (["--reviewer", "AB", "--format", "ods"], "xlsx or csv"),
        (["--reviewer", "AB", "--recheck", "aa01"], 'Did you mean "aa001"'),
        (["--reviewer", "AB", "--edition", "7.0.0"], "no edition"),
    ],
)
def test_options_that_make_no_sense_are_named(made: Path, run, options: list[str], words: str) -> None:
    status, said = run("review", "export", "--root", made, "--lang", "toy", *options)
    assert status == 1
    assert words in said
    assert not (made / "review").exists()


# The decision itself

STEREOTYPE = Stereotype(
    stereotype_id="a1",
    type="predicate",
    origin="o",
    gloss="g",
    gloss_singular="g",
    identities="i",  # type: ignore[arg-type]
)
ANSWER = st.sampled_from(
    [
        Answer("accept", "", "", ""),
        Answer("change", "p", "", ""),
        Answer("change", "q", "", ""),
        Answer("reject", "", "", ""),
        Answer("unsure", "", "", ""),
    ]
)


@given(st.dictionaries(st.sampled_from("ABCD"), ANSWER), st.integers(1, 4), st.sampled_from([None, "A"]))
def test_a_form_is_accepted_only_if_enough_say_the_same_and_nobody_else_says_otherwise(
    answers: dict[str, Answer], at_least: int, decider: str | None
) -> None:
    item = Item(STEREOTYPE, "plural", "p", ())
    decision = decide([item], {item.key: answers}, at_least, decider)[0]
    meant = ["reject" if a.choice == "reject" else (a.wording or "p") for a in answers.values() if a.choice != "unsure"]
    own = answers.get(decider) if decider else None
    if own is not None and own.choice != "unsure":
        wanted = "reject" if own.choice == "reject" else (own.wording or "p")
        assert (decision.status, decision.text) == (("rejected", "") if wanted == "reject" else ("accepted", wanted))
    elif len(set(meant)) > 1:
        assert decision.status == "conflict"
    elif len(meant) < at_least:
        assert decision.status == "waiting"
    else:
        assert decision.status == ("rejected" if meant[0] == "reject" else "accepted")
        assert decision.text == ("" if meant[0] == "reject" else meant[0])
        assert len(decision.reviewers) == len(meant)
