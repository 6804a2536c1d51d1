"""Every way in which a folder can be spoiled is caught by the check that is there for it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import yaml

from release import toy_release
from winoqueer_nl.problems import InputError
from winoqueer_nl.release import tools, verify
from winoqueer_nl.release.check_privacy import Export
from winoqueer_nl.release.layout import (
    PAIRS,
    SCORES,
    STEREOTYPES,
    SURVEY,
    Release,
    checksums_text,
    parquet_of,
)
from winoqueer_nl.release.subsets import write_parquet

Spoil = Callable[[Path], None]


def edited(file: str, old: str, new: str) -> Spoil:
    """A text file with one passage replaced."""

    def spoil(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    return spoil


def without(file: str) -> Spoil:
    return lambda folder: (folder / file).unlink()


def with_file(file: str, content: str) -> Spoil:
    return lambda folder: (folder / file).write_text(content, encoding="utf-8")


def table(subset: str, change: Callable[[pa.Table], pa.Table]) -> Spoil:
    """A subset with other rows or columns, written as the release stage writes it."""

    def spoil(folder: Path) -> None:
        path = folder / parquet_of(subset)
        write_parquet(change(pq.ParquetFile(path).read().replace_schema_metadata(None)), path)

    return spoil


def with_value(column: str, row: int, value: object) -> Callable[[pa.Table], pa.Table]:
    def change(old: pa.Table) -> pa.Table:
        values = old[column].to_pylist()
        values[row] = value
        place = old.schema.get_field_index(column)
        return old.set_column(place, old.schema.field(column), pa.array(values, old.schema.field(column).type))

    return change


def shown_count(row: int, count: int) -> Callable[[pa.Table], pa.Table]:
    """A withheld count of the survey put in plain sight."""
    return lambda old: with_value("count", row, count)(with_value("suppressed", row, False)(old))


def matter(change: Callable[[dict], None]) -> Spoil:
    """The card with another YAML block."""

    def spoil(folder: Path) -> None:
        text = (folder / "README.md").read_text(encoding="utf-8")
        front, body = text.removeprefix("---\n").split("\n---\n", 1)
        data = yaml.safe_load(front)
        change(data)
        text = f"---\n{yaml.safe_dump(data, sort_keys=False)}\n---\n{body}"
        (folder / "README.md").write_text(text, encoding="utf-8")

    return spoil


def croissant(change: Callable[[dict], None]) -> Spoil:
    def spoil(folder: Path) -> None:
        path = folder / "croissant.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        change(data)
        path.write_text(json.dumps(data), encoding="utf-8")

    return spoil


def truncated(folder: Path) -> None:
    path = folder / parquet_of(PAIRS)
    path.write_bytes(path.read_bytes()[:-100])


def linked(folder: Path) -> None:
    path = folder / "corrections.csv"
    kept = folder.parent / "elsewhere.csv"
    shutil.move(path, kept)
    path.symlink_to(kept)


def renamed(folder: Path) -> None:
    data = json.loads((folder / "changes.json").read_text(encoding="utf-8"))
    (folder / "changes.json").write_text(json.dumps(data | {"version": "1.0.1"}), encoding="utf-8")


# name -> (how the folder is spoiled, the checks that must say so, whether SHA256SUMS is made to agree again)
SPOILED: dict[str, tuple[Spoil, set[str], bool]] = {
    "a file changed by hand": (edited("README.md", "Intended use", "Intended  use"), {"files"}, False),
    "a file removed": (without("CITATION.cff"), {"files"}, False),
    "a file added": (with_file("notes.txt", "mine"), {"files"}, False),
    "a file added and listed": (with_file("notes.txt", "mine"), {"files"}, True),
    "no checksums": (without("SHA256SUMS"), {"files"}, False),
    "a checksum line that leads out": (with_file("SHA256SUMS", f"{'0' * 64}  ../x\n"), {"files"}, False),
    "a link for a file": (linked, {"files"}, False),
    "another version in changes.json": (renamed, {"version"}, True),
    "no changelog entry": (edited("CHANGELOG.md", "### 1.0.0", "### 0.9.0"), {"version"}, True),
    "a column of respondents": (
        table(SURVEY, lambda t: t.append_column("respondent", pa.array(range(len(t))))), {"columns"}, True
    ),
    "a column missing": (table(PAIRS, lambda t: t.drop_columns(["span_end_y"])), {"columns"}, True),
    "a column of another type": (
        table(PAIRS, lambda t: t.set_column(2, "template", t["template"].cast(pa.int64()))), {"columns"}, True
    ),
    "a Parquet file cut off": (truncated, {"columns", "loading"}, True),
    "a row missing": (table(PAIRS, lambda t: t.slice(1)), {"rows", "card"}, True),
    "a row twice": (table(PAIRS, lambda t: pa.concat_tables([t, t.slice(0, 1)])), {"rows"}, True),
    "a span outside the sentence": (table(PAIRS, with_value("span_end_x", 3, 999)), {"rows"}, True),
    "an empty sentence": (table(PAIRS, with_value("sent_y", 3, " ")), {"rows"}, True),
    "a wrong count of pairs": (table(STEREOTYPES, with_value("n_pairs", 0, 1)), {"rows"}, True),
    "the CSV with another sentence": (edited("sentence_pairs.csv", "brel", "brell"), {"rows"}, True),
    "scores of other pairs": (table(SCORES, with_value("pair_id", 0, "qq.other")), {"rows"}, True),
    "a small count shown": (table(SURVEY, shown_count(1, 3)), {"small counts"}, True),
    "one withheld count alone": (table(SURVEY, shown_count(2, 9)), {"small counts"}, True),
    "a row per person": (table(SURVEY, lambda t: pa.concat_tables([t, t.slice(0, 3)])), {"small counts"}, True),
    "a count withheld and shown": (table(SURVEY, with_value("count", 1, 7)), {"small counts"}, True),
    "a respondent's words in the card": (
        edited("README.md", "## Licences", "My neighbour says we never sleep\n\n## Licences"), {"raw exports"}, True
    ),
    "a respondent's words in a Parquet column": (
        table(STEREOTYPES, with_value("gloss", 0, "so my neighbour says\nwe never sleep")), {"raw exports"}, True
    ),
    "a response id in a Parquet column": (
        table(STEREOTYPES, with_value("rounds", 0, "R_3kd92mfK2lsPq01")), {"raw exports", "patterns"}, True
    ),
    "an e-mail address": (edited("CITATION.cff", "Spanakis", "someone@example.org"), {"patterns"}, True),
    "an IP address": (edited("CHANGELOG.md", "Summary", "198.51.100.99 Summary"), {"patterns"}, True),
    "a token": (edited("README.md", "## Limitations", "hf_" + "A1b2" * 8 + "\n\n## Limitations"), {"patterns"}, True),
    "a token in a Parquet column": (
        table(STEREOTYPES, with_value("gloss", 0, "hf_" + "A1b2" * 8)), {"patterns"}, True
    ),
    "a private key": (with_file("licences/CC0-1.0.txt", "-----BEGIN PRIVATE KEY-----"), {"patterns"}, True),
    "a card that lost its configs": (matter(lambda d: d.pop("configs")), {"card"}, True),
    "a card without a licence": (matter(lambda d: d.pop("license")), {"card"}, True),
    "two default subsets": (matter(lambda d: d["configs"][1].update(default=True)), {"card"}, True),
    "a subset that points to another file": (
        matter(lambda d: d["configs"][0]["data_files"][0].update(path="data/x.parquet")), {"card", "loading"}, True
    ),
    "stale features in the card": (
        matter(lambda d: d["dataset_info"][0]["features"][0].update(name="id")), {"card", "loading"}, True
    ),
    "a wrong number of rows in the card": (
        matter(lambda d: d["dataset_info"][0]["splits"][0].update(num_examples=7)), {"card", "loading"}, True
    ),
    "a card whose YAML is broken": (edited("README.md", "license:", "license: [\n"), {"card", "loading"}, True),
    "a card without limitations": (edited("README.md", "## Limitations", "## Nothing"), {"card"}, True),
    "a card without the warning": (edited("README.md", "**Content warning.**", ""), {"card"}, True),
    "a card with a dead link": (
        edited("README.md", "](licences/CC0-1.0.txt)", "](licences/none.txt)"), {"card"}, True
    ),
    "a citation of another version": (edited("CITATION.cff", "version: 1.0.0", "version: 1.0.1"), {"citation"}, True),
    "a Croissant file without limitations": (
        croissant(lambda d: d.pop("rai:dataLimitations")), {"croissant"}, True
    ),
    "a Croissant file with another checksum": (
        croissant(lambda d: d["distribution"][0].update(sha256="0" * 64)), {"croissant"}, True
    ),
    "a Croissant file without a subset": (croissant(lambda d: d["recordSet"].pop()), {"croissant"}, True),
}  # fmt: skip


def caught(release: Release, exports: list[Export], checks: tuple[verify.Check, ...] = verify.QUICK) -> set[str]:
    """The names of the checks that found something."""
    found: set[str] = set()

    def tell(outcome: verify.Outcome) -> None:
        if outcome.problems:
            found.add(outcome.check.name)

    try:
        verify.verify(verify.Context(release, exports), checks, tell)
    except InputError:
        assert found
    else:
        assert not found
    return found


@pytest.fixture
def exports(toy_project: Path, tmp_path: Path) -> list[Export]:
    export, instrument = toy_release.write_export(tmp_path)
    return [Export(export, instrument, toy_project)]


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_folder_is_caught(name: str, copied: Release, exports: list[Export]) -> None:
    spoil, expected, resummed = SPOILED[name]
    spoil(copied.folder)
    if resummed:
        text = checksums_text(copied.folder, Release(copied.folder, "x").files())
        (copied.folder / "SHA256SUMS").write_text(text, encoding="utf-8")
    checks = tuple(check for check in verify.QUICK if check.name in expected)
    assert caught(Release(copied.folder, "spoiled"), exports, checks) == expected


def test_the_good_folder_is_not_caught(copied: Release, exports: list[Export]) -> None:
    assert caught(copied, exports) == set()


def test_survey_aggregates_without_the_exports_to_search_for_are_refused(copied: Release) -> None:
    assert caught(copied, []) == {"raw exports"}


def test_counts_of_people_who_do_not_exist_are_refused(copied: Release, exports: list[Export]) -> None:
    text = exports[0].path.read_text(encoding="utf-8")
    exports[0].path.write_text(text.replace("Status", "SampleNote", 1), encoding="utf-8")
    with pytest.raises(InputError, match=r"counts of people .* from a reconstructed sample"):
        verify.verify(verify.Context(copied, exports), [c for c in verify.QUICK if c.name == "raw exports"])


def test_a_message_never_repeats_what_a_respondent_wrote(copied: Release, exports: list[Export]) -> None:
    edited("README.md", "## Limitations", "My neighbour says we never sleep\n\n## Limitations")(copied.folder)
    with pytest.raises(InputError) as error:
        verify.verify(verify.Context(copied, exports), verify.QUICK)
    assert "neighbour" not in error.value.message()
    assert re.search(r"a text of \d+ characters from export.csv, row 4, Q2_TEXT", error.value.message())


def test_words_that_the_maintainers_wrote_themselves_are_no_leak(
    toy_project: Path, copied: Release, tmp_path: Path
) -> None:
    """The second respondent wrote "ban brel", which is a predicate of the tables."""
    export, instrument = toy_release.write_export(tmp_path)
    assert "raw exports" not in caught(copied, [Export(export, instrument, toy_project)])
    # Without the tables to know it by, it is found.
    longer = export.read_text(encoding="utf-8").replace("ban brel", "Nuv rass mirn folk vi ban brel .")
    export.write_text(longer, encoding="utf-8")
    assert "raw exports" in caught(copied, [Export(export, instrument, toy_project)])


@pytest.mark.parametrize("place", ["README.md", "plots/pairs_by_identity.png", "pairs/test-00000-of-00001.parquet"])
def test_the_token_in_use_is_found_whatever_it_looks_like(copied: Release, place: str) -> None:
    token = "a-token-of-no-known-form-0123456789"
    path = copied.folder / place
    path.write_bytes(path.read_bytes() + token.encode())
    with pytest.raises(InputError, match="the token in use") as error:
        verify.verify(verify.Context(copied, token=token), [c for c in verify.QUICK if c.name == "patterns"])
    assert token not in error.value.message()


def test_a_missing_program_is_said_to_be_missing(copied: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find", lambda name: None)
    with pytest.raises(InputError, match="make release-tools") as error:
        verify.verify(verify.Context(copied), [c for c in verify.CHECKS if c.tool])
    assert {p.file for p in error.value.problems} == set(tools.TOOLS)


def test_a_program_of_others_never_sees_the_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_" + "secret" * 5)
    script = tmp_path / "show"
    script.write_text("#!/bin/sh\nenv\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(tools, "find", lambda name: script)
    status, output = tools.run("show", [], tmp_path, 10)
    assert status == 0
    assert "secret" not in output
    assert "HF_HUB_OFFLINE=1" in output


def test_every_spoiled_folder_of_this_file_counts_rows(built: Release) -> None:
    """The spoilers name cells of the toy release; if it changes shape, they must be looked at again."""
    survey = built.table(SURVEY)
    assert survey["suppressed"].to_pylist()[:3] == [False, True, True]
    assert pc.sum(built.table(STEREOTYPES)["n_pairs"]).as_py() == len(built.table(PAIRS))
