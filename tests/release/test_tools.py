"""The release tools accept a good release and refuse spoiled ones; the harness gives our number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from winoqueer_nl.problems import Problems
from winoqueer_nl.release import check_documents, check_harness, tools
from winoqueer_nl.release.layout import HARNESS, Release


def needs(*names: str) -> pytest.MarkDecorator:
    missing = [name for name in names if tools.find(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} not installed; make release-tools does it")


@pytest.mark.slow
@needs("cffconvert")
def test_cffconvert_accepts_the_citation_and_refuses_a_spoiled_one(copied: Release) -> None:
    problems = Problems()
    check_documents.check_citation_tool(copied, problems)
    assert problems.found == []
    path = copied.folder / "CITATION.cff"
    path.write_text(path.read_text(encoding="utf-8").replace("authors:", "writers:"), encoding="utf-8")
    check_documents.check_citation_tool(copied, problems)
    assert "cffconvert says" in str(problems.found[0])


@pytest.mark.slow
@needs("mlcroissant")
@pytest.mark.parametrize("spoil", ["nothing", "a wrong column", "a wrong type"])
def test_mlcroissant_accepts_the_file_and_refuses_a_spoiled_one(copied: Release, spoil: str) -> None:
    path = copied.folder / "croissant.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    if spoil == "a wrong column":
        data["recordSet"][0]["field"][0]["source"]["extract"]["column"] = "no_such_column"
    elif spoil == "a wrong type":
        data["distribution"][0]["@type"] = "cr:Thing"
    path.write_text(json.dumps(data), encoding="utf-8")
    problems = Problems()
    check_documents.check_croissant_tool(copied, problems)
    assert bool(problems.found) == (spoil != "nothing"), problems.found


@pytest.mark.slow
@needs("lm_eval")
def test_the_harness_task_runs_and_gives_our_number(built: Release) -> None:
    problems = Problems()
    found = check_harness.check_harness(built, problems)
    assert problems.found == []
    assert found["harness"]["pct_stereotype"] == pytest.approx(found["ours"]["pct_stereotype"], abs=1e-9)
    assert 0 < found["ours"]["pct_stereotype"] < 1, "a number that cannot be right by chance"
    assert found["largest_difference"] < 1e-3


@pytest.mark.slow
@needs("lm_eval")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scores[0] > scores[1]", "scores[0] < scores[1]"),
        ("likelihoods[0] - likelihoods[1]", "likelihoods[0]"),
        ("def doc_to_choice", "def doc_to_choices"),
    ],
)
def test_a_task_with_another_rule_is_caught(copied: Release, old: str, new: str) -> None:
    path = Path(copied.folder) / HARNESS / "winoqueer_utils.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    problems = Problems()
    check_harness.check_harness(copied, problems)
    assert problems.found
