"""From the committed sample exports, the survey stage computes every published figure; and the sample is what the
script makes."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from winoqueer_nl.problems import InputError
from winoqueer_nl.survey import aggregate, reconstruct
from winoqueer_nl.survey.config import SurveyConfig

ROOT = Path(__file__).resolve().parents[2]
EXPORTS = [ROOT / "survey/exports/sample-main.csv", ROOT / "survey/exports/sample-followup.csv"]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("survey") / "stereotypes.csv"
    aggregate.write(EXPORTS, ROOT / "survey/instrument.yaml", out, SurveyConfig())
    return out


@pytest.fixture(scope="module")
def published() -> list[dict[str, str]]:
    return rows(Path(__file__).parent / "published_figures.csv")


def test_every_published_figure_of_every_stereotype_comes_out(built: Path, published: list[dict[str, str]]) -> None:
    mine = {row["stereotype_id"]: row for row in rows(built)}
    assert len(published) == 188
    assert set(mine) == {row["stereotype_id"] for row in published}
    numbers = ("yes_percentage", "harmfulness_mean")
    different = []
    for row in published:
        for column, value in row.items():
            found = mine[row["stereotype_id"]][column]
            if column in numbers and value and found:
                if round(float(found) * 100) != round(float(value) * 100):
                    different.append((row["stereotype_id"], column, found, value))
            elif found != value:
                different.append((row["stereotype_id"], column, found, value))
    assert different == []


def test_published_tiers_follow_from_the_published_counts(published: list[dict[str, str]]) -> None:
    """The expectation itself holds together: else the test above would compare with a slip."""
    for row in published:
        if row["n_yes"] == "":
            assert row["tier"] == ""
            continue
        yes, total = int(row["n_yes"]), int(row["n_yes"]) + int(row["n_no"])
        tier = next((t for t, least in ((1, 70), (2, 50), (3, 30)) if yes * 100 >= least * total), -1)
        assert row["tier"] == str(tier)
        assert row["n_votes"] == str(total)


def test_the_papers_counts_come_out(built: Path) -> None:
    asked = [row for row in rows(built) if row["votes_of"] == "" and row["n_votes"] != ""]
    assert len(asked) == 164
    assert sum(row["tier"] == "-1" for row in asked) == 26
    assert {row["votes_of"] for row in rows(built)} == {"", "wq107"}
    assert {5 <= int(row["n_votes"]) <= 9 for row in asked} == {True}


def test_the_run_is_summed_up(built: Path) -> None:
    summary = json.loads(built.with_name("summary.json").read_text("utf-8"))
    main, after = summary["rounds"]["main"], summary["rounds"]["follow-up"]
    assert (main["rows_read"], main["respondents"], after["respondents"]) == (50, 43, 6)
    assert {rule: entry["rows"] for rule, entry in main["rows_dropped"].items()} == {
        "preview": 2,
        "test": 0,
        "spam": 1,
        "unfinished": 4,
    }
    assert after["harmfulness_answers"]["rated"] == 6 * 22
    # Everyone saw only a part, and all four states occur.
    assert main["relevance_answers"]["not_shown"] > 43 * 100
    assert min(main["relevance_answers"][state] for state in ("yes", "no", "unsure", "skipped")) > 0


def test_no_small_group_of_respondents_is_shown(built: Path) -> None:
    for row in rows(built.with_name("respondents.csv")):
        assert (row["suppressed"] == "true") == (row["n_respondents"] == "")
        assert row["suppressed"] == "true" or not 0 < int(row["n_respondents"]) < 5


def test_two_runs_write_the_same_bytes(built: Path, tmp_path: Path) -> None:
    again = tmp_path / "again" / "stereotypes.csv"
    aggregate.write(EXPORTS, ROOT / "survey/instrument.yaml", again, SurveyConfig())
    for name in ("stereotypes.csv", "respondents.csv", "summary.json"):
        assert (again.parent / name).read_bytes() == (built.parent / name).read_bytes()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The parts of the project that the sample is made from, elsewhere."""
    shutil.copytree(ROOT / "survey", tmp_path / "survey", ignore=shutil.ignore_patterns("exports"))
    (tmp_path / "predicates/nl").mkdir(parents=True)
    for name in ("stereotypes.csv", "nl/forms.csv"):
        shutil.copy(ROOT / "predicates" / name, tmp_path / "predicates" / name)
    return tmp_path


def test_the_committed_sample_is_what_the_script_makes(copied: Path) -> None:
    written = reconstruct.write(copied / "survey/reconstruct/export.yaml")
    assert [path.name for path in written] == [path.name for path in EXPORTS]
    for path, committed in zip(written, EXPORTS, strict=True):
        assert path.read_bytes() == committed.read_bytes()


@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.stem)
def test_the_sample_says_that_its_respondents_do_not_exist(export: Path) -> None:
    with export.open(encoding="utf-8", newline="") as file:
        for number, record in enumerate(csv.reader(file)):
            assert number in (0, 2) or "do not exist" in record[0]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("wq001,8,1,0,9,2.78", "wq001,8,1,0,9,2.79", ["row 2, harmfulness_mean", "2.79 of 9 ratings"]),
        ("wq043,5,1", "wq043,4,2", ["different counts for wq043 and wq137"]),
        ("wq001,8,1,0,9,2.78\n", "", ["no row of wq001"]),
        ("wq001,8,1,0,9,2.78", "wq001,800,1,0,9,2.78", ["answers of 801 people", "at most 43"]),
    ],
)
def test_counts_that_no_answers_can_have_are_refused(copied: Path, old: str, new: str, expected: list[str]) -> None:
    table = copied / "survey/reconstruct/published_counts.csv"
    content = table.read_text("utf-8")
    assert old in content
    table.write_text(content.replace(old, new), "utf-8")
    with pytest.raises(InputError) as caught:
        reconstruct.write(copied / "survey/reconstruct/export.yaml")
    for part in expected:
        assert part in caught.value.message()
    assert not list((copied / "survey").glob("exports/*.csv"))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  follow-up:\n", "  followup:\n", ["rounds.followup", 'Did you mean "follow-up"?']),
        ("      MISSING: ", "      MISING: ", ["rounds.main.texts.MISSING: found no text"]),
        ("{woman: 44", "{womn: 44", ["rounds.main.identities.gender_identity: found womn"]),
        ("free_text_writers: 27", "free_text_writers: 44", ["free_text_writers: found 44; expected at most 43"]),
        ("skipped_items: 24", "skipped_items: 999", ["skipped_items: found 999; expected at most 158"]),
        ("preview_rows: 2", "preview_rows: -2", ["rounds.main.preview_rows"]),
        ("seed: 20250611", "sead: 20250611", ['Did you mean "seed"?', "seed: found no such key"]),
        ("../../predicates/nl/forms.csv", "forms.csv", ["forms.csv: found no such file"]),
    ],
)
def test_a_bad_recipe_is_refused(copied: Path, old: str, new: str, expected: list[str]) -> None:
    recipe = copied / "survey/reconstruct/export.yaml"
    content = recipe.read_text("utf-8")
    assert old in content
    recipe.write_text(content.replace(old, new), "utf-8")
    with pytest.raises(InputError) as caught:
        reconstruct.write(recipe)
    for part in expected:
        assert part in caught.value.message(), caught.value.message()
    assert not list((copied / "survey").glob("exports/*.csv"))
