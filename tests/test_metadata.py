"""The published table of stereotypes to the letter, and the tidy one: a row for each stereotype."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import toy
from command import Run
from editions_built import built, digest, edition, judgements
from winoqueer_nl import metadata, sources
from winoqueer_nl.edition import Edition, choose

#: SHA-256 of the sorted rows of the four left columns of the published table: template, gloss, text, identities.
PUBLISHED = "d42ee7ce35355229bee9432c5cdf3de051b9184f7fc9aa88fa2d30f90419aa54"


def toy_edition(root: Path, made: toy.Tables | None = None) -> Edition:
    return choose(sources.load(toy.write(root, made), toy.LANG), toy.EDITION)


def survey() -> dict[str, dict[str, str]]:
    """Survey aggregates with the published tiers; the votes behind them are of no account here."""
    return {
        i: {"n_votes": "4", "n_yes": "3", "tier": str(j.tier), "harmfulness_mean": f"{j.harmfulness_mean:.2f}"}
        if j.tier is not None
        else {"harmfulness_mean": f"{j.harmfulness_mean:.2f}"}
        for i, j in judgements().items()
    }


def test_what_the_published_table_says_of_stereotypes_is_computed_to_the_letter() -> None:
    rows = list(metadata.published_rows(edition("nl"), {}))
    assert len(rows) == 760
    columns = list(edition("nl").language.metadata_columns)
    assert columns[:4] == ["template", "predicate", "nl_predicate_altered", "gender_ID"]
    assert digest(tuple(row[:4]) for row in rows) == PUBLISHED


def test_the_published_rows_carry_tier_and_harmfulness_of_their_stereotype() -> None:
    columns = list(edition("nl").language.metadata_columns)
    rows = [dict(zip(columns, row, strict=True)) for row in metadata.published_rows(edition("nl"), survey())]
    tiers = Counter(row["tier"] for row in rows)
    assert tiers["-1"] == 104
    assert tiers[""] == sum(row["total_responses"] == "" for row in rows) == 88
    assert all(row["harmfulness_mean"] == row["harmfulness_mean"].rstrip("0").rstrip(".") or "." not in
               row["harmfulness_mean"] for row in rows)  # fmt: skip


def test_the_tidy_table_has_a_row_for_each_of_the_194_stereotypes() -> None:
    n_pairs = Counter(built("nl")["stereotype_id"])
    header, rows = metadata.tidy_rows(edition("nl"), survey(), n_pairs)
    assert len(rows) == 171 + 22 + 1
    ids = [row[0] for row in rows]
    assert len(set(ids)) == 194
    origins = Counter(row[header.index("origin")] for row in rows)
    assert origins == {"winoqueer": 172, "survey-2025": 22}
    types = Counter(row[header.index("type")] for row in rows)
    assert types == {"predicate": 192, "clause": 1, "identity": 1}
    assert sum(int(row[header.index("n_pairs")]) for row in rows) == 42_906
    without = [row[0] for row in rows if not any(row[header.index("main_plural") :])]
    assert without == [row.stereotype_id for row in edition("nl").absent]
    assert len(without) == 6


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_the_tidy_table_counts_the_pairs_that_are_there(lang: str) -> None:
    n_pairs = Counter(built(lang)["stereotype_id"])
    header, rows = metadata.tidy_rows(edition(lang), {}, n_pairs)
    counted = {row[0]: int(row[header.index("n_pairs")]) for row in rows}
    assert {i: n for i, n in counted.items() if n} == dict(n_pairs)


def test_a_form_that_agrees_with_its_subject_stands_once_for_each_way_it_is_filled(tmp_path: Path) -> None:
    rows = [row for row in metadata.form_rows(toy_edition(tmp_path)) if row.stereotype_id == "zz002"]
    assert [row.text for row in rows] == ["han dronk", "dronk han", "ha sel dronk", "ha sol dronk", "ha sul dronk"]


def test_an_exception_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    plain = toy.tables() | {"metadata_exceptions": []}
    before = metadata.form_rows(toy_edition(tmp_path, plain))
    after = metadata.form_rows(toy_edition(tmp_path))
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [(new.stereotype_id, new.gloss, new.text, new.identities) for _, new in changed] == [
        ("zz000", "are that", "ul ba", "MIRN"),
        ("zz001", "are brel", "ban brel", "MIRN"),
    ]


def test_an_exception_finds_a_text_with_a_blank_written_visibly(tmp_path: Path) -> None:
    made = toy.tables()
    next(row for row in made["forms"] if row["text"] == "brel ban")["text"] = "brel ban␠"
    made["metadata_exceptions"].append(
        dict.fromkeys(toy.columns_of("metadata_exceptions"), "")
        | {
            "stereotype_id": "zz001",
            "form": "inverted",
            "text": "brel ban␠",
            "column": "rows",
            "value": "2",
            "reason": "so",
        }
    )
    rows = [row for row in metadata.form_rows(toy_edition(tmp_path, made)) if row.form == "inverted"]
    assert [(row.text, row.copies) for row in rows if row.stereotype_id == "zz001"] == [("brel ban ", 2)]


def test_a_name_slot_with_a_blank_written_visibly_shows_as_the_blank(tmp_path: Path) -> None:
    made = toy.tables()
    for row in made["names"]:
        row["slot_owner"] += "␠"
    texts = {row.text for row in metadata.form_rows(toy_edition(tmp_path, made))}
    assert "ha sel  dronk" in texts
    assert not any("␠" in text for text in texts)


def test_an_exception_that_nothing_answers_to_is_found_after_the_stage_tables_too(tmp_path: Path, run: Run) -> None:
    chosen = tmp_path / "tables.json"
    read = toy_edition(tmp_path).model_dump_json(exclude_none=True)
    assert '"text":"ul ba"' in read
    chosen.write_text(read.replace('"text":"ul ba"', '"text":"ul bo"'), encoding="utf-8")
    made = tmp_path / "pairs.parquet"
    assert run("pairs", "--tables", chosen, "--out", made, "--published", tmp_path / "a.csv").status == 0
    files = ["--published", tmp_path / "m.csv", "--tidy", tmp_path / "t.csv"]
    ran = run("metadata", "--tables", chosen, "--pairs", made, *files)
    assert ran.status == 1
    assert 'found an exception for zz000, bare, "ul bo"; expected a form that the stereotype has' in ran.err


def test_both_tables_are_written_by_one_command(toy_root: Path, run: Run) -> None:
    chosen, made = toy_root / "tables.json", toy_root / "pairs.parquet"
    run("tables", "--lang", "toy", "--edition", "1.0.0", "--root", toy_root, "--out", chosen)
    run("pairs", "--tables", chosen, "--out", made, "--published", toy_root / "a.csv")
    (toy_root / "survey.csv").write_text(
        "stereotype_id,n_votes,n_yes,n_no,n_unsure,yes_percentage,tier,harmfulness_count,harmfulness_mean,harmfulness_sd,votes_of\n"
        "zz001,4,3,1,0,75.00,1,4,2.50,0.58,\n"
        "zz004,0,,,,,,6,3.00,0.00,\n",
        encoding="utf-8",
    )
    options = ["--published", toy_root / "m.csv", "--tidy", toy_root / "t.csv", "--survey", toy_root / "survey.csv"]
    ran = run("metadata", "--tables", chosen, "--pairs", made, *options)
    assert ran == (0, "toy 1.0.0: 16 metadata rows, 6 stereotypes.\n", "")
    with (toy_root / "m.csv").open(encoding="utf-8", newline="") as file:
        published = list(csv.reader(file))
    assert published[0] == ["number", "gloss", "text", "of", "tier"]
    assert ["2", "are brel", "brel ban", "MIRN, SOLV", "1"] in published
    assert ["1", "", "ban fleem", "SOLV", ""] in published
    with (toy_root / "t.csv").open(encoding="utf-8", newline="") as file:
        tidy = {row["stereotype_id"]: row for row in csv.DictReader(file)}
    assert list(tidy) == ["zz000", "zz001", "zz002", "zz003", "zz004", "zz005"]
    assert (tidy["zz001"]["yes_percentage"], tidy["zz001"]["plural"]) == ("75.00", "ban brel")
    assert (tidy["zz004"]["tier"], tidy["zz004"]["harmfulness_mean"], tidy["zz004"]["n_pairs"]) == ("", "3.00", "5")
    assert (tidy["zz005"]["n_pairs"], tidy["zz005"]["plural"], tidy["zz005"]["identities"]) == ("0", "", "mirn")
