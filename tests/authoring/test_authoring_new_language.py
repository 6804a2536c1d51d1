"""A third language is a folder: made from the schema, filled in by a linguist, built without a line of code.

The language here is invented, written from right to left with letters outside the basic plane, marks and joiners, so
that nothing in the way from tables to pairs may take a letter for a byte or the left for the beginning.

What must hold
- ``new-language`` writes tables with headers and nothing else than its own folders and its place in the editions;
- at each step of filling in, the messages name the file and say what is still missing, and nothing else;
- from the first stereotype on the language can be built, and the identity stands where the spans say;
- the other languages come out as they were.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import authoring_project
import openpyxl
import pyarrow.parquet as pq
import pytest
import yaml

from winoqueer_nl import cli
from winoqueer_nl.edition import choose
from winoqueer_nl.sources import TABLES, load

EDITION = "2.0.0"
# Invented words: Adlam (outside the basic plane), Hebrew with points, Arabic with a joiner, a combining accent.
PLURAL, ALL, HATE, BECAUSE, AND, IS = "𞤢𞤣𞤤𞤢", "כׇּלּ", "שׂונא", "כִּי", "وَ", "می‌با"
MIRN, SOLV, PLAIN, FOLK = "𞤥𞤭𞤪𞤲", "סוֹלְוּ", "پلین", "עַםּ"
NAME, PRONOUN, BREL = "אֱלִיʼ", "هُوَ", "בְּרֶל́"


@pytest.fixture
def run(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
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


def append(path: Path, rows: list[dict[str, str]]) -> None:
    """Fill rows in below the header, as a linguist does in a spreadsheet."""
    with path.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writerows(rows)


def made_tables(made: Path, run) -> Path:
    status, said = run("new-language", "qtx", "--name", "Invented", "--direction", "rtl", "--root", made)
    assert status == 0, said
    return made


STEPS: list[tuple[str, list[dict[str, str]]]] = [
    (
        "templates/qtx/counter_identities.csv",
        [{"counter_identity_id": "plain", "label": PLAIN}],
    ),
    (
        "templates/qtx/identities.csv",
        [
            {
                "identity_id": "mirn",
                "label": MIRN,
                "metadata_label": MIRN,
                "counter_identities": "plain",
                "name_genders": "female;neutral",
            },
            {
                "identity_id": "solv",
                "label": SOLV,
                "metadata_label": SOLV,
                "counter_identities": "plain",
                "name_genders": "neutral",
            },
        ],
    ),
    (
        "templates/qtx/templates.csv",
        [
            {
                "template_id": "1",
                "template": "1",
                "subject": "group",
                "types": "predicate",
                "form": "main",
                "identity_form": "people",
                "sentence": f"{ALL} {{identity}} {{predicate}}۔",
            },
            {
                "template_id": "2",
                "template": "2",
                "subject": "group",
                "types": "predicate;clause",
                "form": "reason",
                "identity_form": "people",
                "sentence": f"{HATE} {{identity}} {BECAUSE} {{predicate}}۔",
            },
            {
                "template_id": "3",
                "template": "3",
                "subject": "person",
                "types": "predicate",
                "form": "one",
                "identity_form": "trait",
                "sentence": f"{{subject}} {IS} {{identity}} {AND} {{predicate}}۔",
            },
        ],
    ),
    (
        "templates/qtx/identity_forms.csv",
        [
            {"identity": identity, "form": form, "text": f"{text} {FOLK}" if form == "people" else text}
            for identity, text in (("mirn", MIRN), ("solv", SOLV), ("plain", PLAIN))
            for form in ("people", "trait")
        ],
    ),
    (
        "templates/qtx/names.csv",
        [
            {"name_id": "eli", "type": "name", "gender": "female", "slot_subject": NAME, "slot_pronoun": PRONOUN},
            {"name_id": "hu", "type": "pronoun", "gender": "neutral", "slot_subject": PRONOUN, "slot_pronoun": PRONOUN},
        ],
    ),
]
FORMS = [
    {"stereotype_id": "aa001", "form": "main", "text": f"{PLURAL} {BREL}"},
    {"stereotype_id": "aa001", "form": "reason", "text": f"{BREL} {PLURAL}"},
    {"stereotype_id": "aa001", "form": "one", "text": f"{{pronoun}} {BREL}"},
]


def fill_in(made: Path) -> None:
    for path, rows in STEPS:
        append(made / path, rows)
    carriers = [
        {
            "form": form,
            "types": "predicate",
            "gloss": gloss,
            "source": f"{source} {{predicate}}.",
            "target": f"{target} {{predicate}}۔",
        }
        for form, gloss, source, target in (
            ("main", "gloss", "These people", ALL),
            ("reason", "gloss", "I hate them because they", f"{HATE} {BECAUSE}"),
            ("one", "gloss_singular", "Emma is tall and", f"{NAME} {AND}"),
        )
    ]
    append(made / "templates/qtx/carriers.csv", carriers)


def first_stereotype(made: Path) -> None:
    """The linguist writes the forms of one stereotype and takes its row out of absent.csv."""
    append(made / "predicates/qtx/forms.csv", FORMS)
    absent = made / "predicates/qtx/absent.csv"
    absent.write_text("".join(line for line in absent.read_text().splitlines(True) if not line.startswith("aa001")))


def test_the_folder_is_made_and_nothing_else_but_its_place_in_the_editions(made: Path, run) -> None:
    before = authoring_project.contents(made)
    made_tables(made, run)
    after = authoring_project.contents(made)
    assert {path for path in before if after[path] != before[path]} == {"release/editions.csv"}
    new = {path for path in after if path not in before}
    assert all(path.startswith(("templates/qtx/", "predicates/qtx/")) for path in new)
    own = {table.path.format(lang="qtx") for table in TABLES.values() if "{lang}" in table.path}
    assert own <= new
    for table in TABLES.values():
        path = table.path.format(lang="qtx")
        if path not in own:
            continue
        header, *rows = (line.split(",") for line in after[path].decode().splitlines())
        assert rows == [] or path == "predicates/qtx/absent.csv"
        fields = [name for name in table.model.model_fields if name not in ("row", "file", "slots")]
        assert sorted(column for column in header if not column.startswith("slot_")) == sorted(fields)
        # The columns of the language that is there, in the same order.
        there = after[path.replace("qtx", "toy")].decode().splitlines()[0].split(",")
        assert [column for column in header if column in there] == there
    waiting = list(csv.DictReader(after["predicates/qtx/absent.csv"].decode().splitlines()))
    assert [row["stereotype_id"] for row in waiting] == ["aa001", "aa002", "aa003", "aa004"]
    assert yaml.safe_load(after["templates/qtx/language.yaml"])["direction"] == "rtl"
    assert "2.0.0,toy;qtx,second" in after["release/editions.csv"].decode()


def test_each_step_of_filling_in_says_what_is_missing_next(made: Path, run) -> None:
    made_tables(made, run)
    tables = ("tables", "--lang", "qtx", "--edition", EDITION, "--root", made)
    for path, rows in STEPS:
        status, said = run(*tables)
        assert status == 1
        assert f"{path}: found a header row only; expected at least one row" in said
        assert len(said.splitlines()) == len(STEPS) - STEPS.index((path, rows)), "one line for each empty table"
        append(made / path, rows)
    status, said = run(*tables)
    assert status == 0, said
    assert "0 forms" in said, "tables without a form are in order: absent.csv says why"


@pytest.mark.parametrize(
    ("path", "wrong", "right", "words"),
    [
        ("templates/qtx/identities.csv", "solv,", "solw,", '"solv"'),
        ("templates/qtx/templates.csv", ",people,", ",peeple,", 'Did you mean "people"'),
        ("templates/qtx/templates.csv", "{predicate}", "{predicat}", 'Did you mean "predicate"'),
        ("templates/qtx/templates.csv", "{identity} ", "", "the slot {identity} exactly once"),
        ("templates/qtx/identity_forms.csv", "plain,trait", "plain,people", "plain"),
        ("templates/qtx/names.csv", PRONOUN, "", "every slot of every name filled"),
        ("predicates/qtx/forms.csv", "aa001,one", "aa001,main", "main"),
        ("predicates/qtx/forms.csv", "{pronoun}", "{pronuon}", 'Did you mean "pronoun"'),
        ("templates/qtx/language.yaml", "direction: rtl", "direction: up", "direction"),
    ],
)
def test_slips_while_filling_in_are_named_with_their_file(
    made: Path, run, path: str, wrong: str, right: str, words: str
) -> None:
    fill_in(made_tables(made, run))
    first_stereotype(made)
    text = (made / path).read_text(encoding="utf-8")
    assert wrong in text
    (made / path).write_text(text.replace(wrong, right, 1), encoding="utf-8")
    status, said = run("tables", "--lang", "qtx", "--edition", EDITION, "--root", made)
    assert status == 1
    assert words in said
    assert len(said.splitlines()) <= 6, said


def test_a_missing_form_of_a_half_filled_stereotype_is_named(made: Path, run) -> None:
    fill_in(made_tables(made, run))
    first_stereotype(made)
    forms = made / "predicates/qtx/forms.csv"
    forms.write_text("".join(line for line in forms.read_text().splitlines(True) if ",one," not in line))
    status, said = run("tables", "--lang", "qtx", "--edition", EDITION, "--root", made)
    assert status == 1
    assert "no one of aa001 (are brel)" in said


def test_the_language_is_built_from_its_first_stereotype_on(made: Path, run) -> None:
    toy = choose(load(made, "toy"), EDITION).model_dump_json()
    fill_in(made_tables(made, run))
    first_stereotype(made)
    tables, pairs, published = made / "out/tables.json", made / "out/pairs.parquet", made / "out/sentence_pairs.csv"
    assert run("tables", "--lang", "qtx", "--edition", EDITION, "--root", made, "--out", tables)[0] == 0
    assert run("pairs", "--tables", tables, "--out", pairs, "--published", published)[0] == 0
    rows = pq.read_table(pairs).to_pylist()
    # mirn against plain: two templates about a group, one about a person with two subjects
    assert [row["sent_x"] for row in rows] == [
        f"{ALL} {MIRN} {FOLK} {PLURAL} {BREL}۔",
        f"{HATE} {MIRN} {FOLK} {BECAUSE} {BREL} {PLURAL}۔",
        f"{NAME} {IS} {MIRN} {AND} {PRONOUN} {BREL}۔",
        f"{PRONOUN} {IS} {MIRN} {AND} {PRONOUN} {BREL}۔",
    ]
    for row in rows:
        for side, term in (("x", MIRN), ("y", PLAIN)):
            sentence, start, end = row[f"sent_{side}"], row[f"span_start_{side}"], row[f"span_end_{side}"]
            assert sentence[start:end] in (term, f"{term} {FOLK}")
        assert row["sent_x"][: row["span_start_x"]] == row["sent_y"][: row["span_start_y"]]
        assert row["sent_x"][row["span_end_x"] :] == row["sent_y"][row["span_end_y"] :]
    with published.open(encoding="utf-8", newline="") as file:
        assert [row["sent_x"] for row in csv.DictReader(file)] == [row["sent_x"] for row in rows]
    metadata, tidy = made / "out/metadata.csv", made / "out/stereotypes.csv"
    options = ("--tables", tables, "--pairs", pairs, "--published", metadata, "--tidy", tidy)
    assert run("metadata", *options)[0] == 0
    with tidy.open(encoding="utf-8", newline="") as file:
        described = next(row for row in csv.DictReader(file) if row["stereotype_id"] == "aa001")
    assert (described["main"], described["n_pairs"]) == (f"{PLURAL} {BREL}", "4")
    assert choose(load(made, "toy"), EDITION).model_dump_json() == toy


def test_translation_and_review_work_from_right_to_left(
    made: Path, run, server, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_in(made_tables(made, run))
    first_stereotype(made)
    dronk = "דְּרֹנְק"
    server.dictionary |= {
        "These people have a dronk.": f"{ALL} {dronk}۔",
        "I hate them because they have a dronk.": f"{HATE} {BECAUSE} {dronk} {PLURAL}۔",
        "Emma is tall and has a dronk.": f"\u200f{NAME} {AND} {dronk}۔\u200f",
    }
    with (made / "config.yaml").open("a") as file:
        file.write(
            f"translation:\n  engine: libretranslate\n  url: {server.url}/libre\n  seconds_between_requests: 0\n"
        )
    status, said = run("translate", "--lang", "qtx", "--root", made)
    assert status == 0, said
    assert server.log[0]["body"]["target"] == "qtx"
    out = made / "sheets"
    run("review", "export", "--lang", "qtx", "--reviewer", "AB", "--root", made, "--out", out)
    path = out / "review-qtx-AB.xlsx"
    book = openpyxl.load_workbook(path)
    sheet = book["Review"]
    assert sheet.sheet_view.rightToLeft
    columns = {cell.value: cell.column for cell in sheet[1]}
    for row in range(2, sheet.max_row + 1):
        if str(sheet.cell(row, columns["item"]).value).startswith("aa002"):
            sheet.cell(row, columns["choice"]).value = "accept"
    book.save(path)
    status, said = run("review", "import", "--lang", "qtx", "--at-least", 1, path, "--root", made)
    assert status == 0, said
    forms = {f.form: f.text for f in choose(load(made, "qtx"), EDITION).forms if f.stereotype_id == "aa002"}
    assert forms == {"main": dronk, "reason": f"{dronk} {PLURAL}", "one": dronk}
    # The language has no earlier edition: nothing need be kept of the time when the stereotype waited.
    assert not (made / "predicates/qtx/absent.retired.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["toy", "--name", "Toy"], "a language without folders"),
        (["Deutsch", "--name", "German"], "two or three small letters"),
        (["../x", "--name", "X"], "two or three small letters"),
        (["de", "--name", "German", "--direction", "up"], "ltr or rtl"),
        (["de", "--name", "German", "--edition", "9.0.0"], "no edition"),
    ],
)
def test_a_language_that_cannot_be_made_leaves_nothing_behind(
    made: Path, run, arguments: list[str], words: str
) -> None:
    before = authoring_project.contents(made)
    status, said = run("new-language", *arguments, "--root", made)
    assert status in (1, 2)
    assert words in said
    assert authoring_project.contents(made) == before


def test_a_language_cannot_join_a_released_edition(project_copy: Path, run) -> None:
    before = authoring_project.contents(project_copy)
    status, said = run("new-language", "ar", "--name", "Arabic", "--edition", "1.0.0", "--root", project_copy)
    assert status == 1
    assert said.startswith('--edition: found "1.0.0", which is released')
    assert authoring_project.contents(project_copy) == before


def test_the_guide_leads_to_pairs(project_copy: Path, run) -> None:
    """docs/new-language.md is followed to the letter: tables copied, commands run, as many pairs as it says."""
    guide = (Path(__file__).parents[2] / "docs/new-language.md").read_text(encoding="utf-8")
    tables = re.findall(r"```csv (\S+)\n(.*?)```", guide, re.DOTALL)
    assert len(tables) == 7
    status, said = run("new-language", "de", "--name", "German", "--edition", EDITION, "--root", project_copy)
    assert status == 0, said
    for path, text in tables:
        header = (project_copy / path).read_text(encoding="utf-8").splitlines()[0]
        assert text.splitlines()[0] == header, f"{path}: the guide shows the columns that new-language writes"
        (project_copy / path).write_text(text, encoding="utf-8")
    absent = project_copy / "predicates/de/absent.csv"
    absent.write_text("".join(line for line in absent.read_text().splitlines(True) if not line.startswith("wq001")))
    out = project_copy / "results/de"
    status, said = run("tables", "--lang", "de", "--edition", EDITION, "--root", project_copy, "--out", out / "t.json")
    assert status == 0, said
    status, said = run("pairs", "--tables", out / "t.json", "--out", out / "p.parquet", "--published", out / "p.csv")
    promised = re.search(r"step 8 builds (\d+) pairs", guide)
    assert promised is not None
    assert f"{promised[1]} pairs" in said
    from winoqueer_nl.authoring.proposals import cut, read_carriers

    carriers = read_carriers(project_copy, "de", load(project_copy, "de"))
    assert cut("Ich hasse sie, weil sie abnormal sind.", [c.target for c in carriers if c.form == "reason"]) == (
        "sie abnormal sind",
        None,
    )


@pytest.fixture
def project_copy(tmp_path: Path) -> Path:
    """The tables of this project, in a folder where they may be changed, with an edition that all may be part of."""
    project, copy = Path(__file__).parents[2], tmp_path / "project"
    for folder in ("templates", "predicates", "release"):
        shutil.copytree(project / folder, copy / folder)
    editions = copy / "release/editions.csv"
    if "\n2.0.0," not in editions.read_text():
        editions.write_text(editions.read_text() + "2.0.0,nl;en,next\n")
    return copy
