"""The release folder: what is in it, that it is the same each time, and that it is never half there."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from release import toy_release
from winoqueer_nl.problems import InputError
from winoqueer_nl.release import verify
from winoqueer_nl.release.build import build
from winoqueer_nl.release.check_privacy import Export
from winoqueer_nl.release.layout import (
    PAIRS,
    SCORES,
    STEREOTYPES,
    SURVEY,
    Release,
    numbers,
    parquet_of,
    parse_checksums,
)
from winoqueer_nl.release.workflow import edition_before, options


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_two_builds_give_the_same_bytes(built: Release, toy_project: Path, tmp_path: Path) -> None:
    again = toy_release.make(toy_project, scores=True, out=tmp_path)
    assert bytes_of(again.folder) == bytes_of(built.folder)


def test_a_built_folder_passes_every_check_that_needs_no_other_program(
    built: Release, toy_project: Path, tmp_path: Path
) -> None:
    export, instrument = toy_release.write_export(tmp_path)
    verify.verify(verify.Context(built, [Export(export, instrument, toy_project)], "hf_" + "x" * 30), verify.QUICK)


def test_without_survey_and_scores_there_are_two_subsets(toy_project: Path, tmp_path: Path) -> None:
    root = toy_release.write_project(tmp_path / "project")
    release = toy_release.make(root, votes=None)
    assert release.subsets == [PAIRS, STEREOTYPES]
    assert release.table(PAIRS)["tier"].null_count == len(release.table(PAIRS))
    verify.verify(verify.Context(release), verify.QUICK)


def test_the_pairs_are_those_of_the_edition_and_the_csv_has_the_published_columns(
    built: Release, toy_project: Path
) -> None:
    edition = toy_project / f"results/{toy_release.LANG}/1.0.0"
    assert built.table(PAIRS).replace_schema_metadata(None).equals(pq.read_table(edition / "pairs.parquet"))
    with (built.folder / "sentence_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["sent_x", "sent_y", "Gender_ID_x", "Gender_ID_y", "predicate"]
    assert [row[0] for row in rows[1:]] == built.table(PAIRS)["sent_x"].to_pylist()


def test_the_survey_subset_counts_and_never_shows_a_withheld_count(built: Release) -> None:
    rows = built.table(SURVEY).to_pylist()
    people = {(r["question"], r["answer"]): (r["count"], r["suppressed"]) for r in rows if not r["stereotype_id"]}
    assert people["identity", "mirn"] == (17, False)
    assert people["identity", "solv"] == people["identity", "other"] == (None, True)
    votes = {(r["stereotype_id"], r["answer"]): r["count"] for r in rows if r["question"] == "relevance"}
    assert votes["wq001", "yes"] == 8
    assert votes["wq002", "unsure"] == 1
    assert not any(s == "sv001" for s, _ in votes), "a stereotype without votes has no row about votes"


def test_votes_shared_by_declaration_are_counted_once(tmp_path: Path) -> None:
    root = toy_release.write_project(tmp_path)
    edition = toy_release.write_edition(root, "1.0.0")
    path = root / f"results/{toy_release.LANG}/survey/stereotypes.csv"
    text = path.read_text(encoding="utf-8")
    header = text.split("\n", 1)[0].split(",")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[1]["votes_of"] = "wq001"
    path.write_text(toy_release._csv(header, rows), encoding="utf-8")
    inputs = toy_release.Inputs(root, toy_release.LANG, "1.0.0", edition, path.parent)
    release = build(inputs, root / "results/release" / f"{toy_release.LANG}-1.0.0")
    counted = {r["stereotype_id"] for r in release.table(SURVEY).to_pylist() if r["question"] == "relevance"}
    assert "wq002" not in counted
    assert "wq001" in counted


def test_of_a_reconstructed_survey_only_what_the_published_counts_determine_is_released(tmp_path: Path) -> None:
    root = toy_release.write_project(tmp_path, survey_exports="reconstructed")
    release = toy_release.make(root)
    assert set(release.table(SURVEY)["question"].to_pylist()) == {"relevance", "harmfulness"}
    stereotypes = release.table(STEREOTYPES)
    assert stereotypes["harmfulness_sd"].null_count == len(stereotypes)
    assert stereotypes["harmfulness_mean"].null_count == 0
    assert "were computed from a reconstruction" in (release.folder / "README.md").read_text(encoding="utf-8")


def test_scores_stand_in_the_order_of_the_pairs(built: Release) -> None:
    scores, pairs = built.table(SCORES), built.table(PAIRS)
    assert scores["pair_id"].to_pylist() == pairs["pair_id"].to_pylist()
    assert set(scores["model"].to_pylist()) == {"tiny"}
    # The file lists the pairs backwards, every second one with the lower score for the first sentence.
    n = len(pairs)
    assert scores["score_x_slot"].to_pylist() == [-5.0 - ((n - 1 - i) % 2) for i in range(n)]


def test_scores_of_other_pairs_are_refused(toy_project: Path, tmp_path: Path) -> None:
    root = toy_release.write_project(tmp_path)
    edition = toy_release.write_edition(root, "1.0.0")
    scored = toy_release.write_scores(root, "1.0.0")
    table = pq.read_table(scored.folder / "scores.parquet")
    pq.write_table(table.slice(1), scored.folder / "scores.parquet")
    inputs = toy_release.Inputs(root, toy_release.LANG, "1.0.0", edition, None, [scored])
    with pytest.raises(InputError, match="one score for each pair"):
        build(inputs, root / f"{toy_release.LANG}-1.0.0")
    assert not list(root.glob(f"*{toy_release.LANG}-1.0.0*")), "nothing is left behind"


def test_the_card_names_model_kind_and_revision_beside_scores(built: Release) -> None:
    text = (built.folder / "README.md").read_text(encoding="utf-8")
    scores = built.table(SCORES).to_pandas()
    share = f"{100 * (scores['score_x_slot'] > scores['score_y_slot']).mean():.2f}"
    assert f"| org/tiny | masked | 0123456789ab | outside the identity term | {share} |" in text


def test_scores_of_a_demonstration_model_are_refused(tmp_path: Path) -> None:
    root = toy_release.write_project(tmp_path)
    edition = toy_release.write_edition(root, "1.0.0")
    scored = toy_release.write_scores(root, "1.0.0", demo=True)
    inputs = toy_release.Inputs(root, toy_release.LANG, "1.0.0", edition, None, [scored])
    with pytest.raises(InputError, match="whose numbers mean nothing"):
        build(inputs, root / f"{toy_release.LANG}-1.0.0")


def test_parquet_files_carry_page_index_features_and_no_trace_of_the_machine(built: Release) -> None:
    for subset in built.subsets:
        file = pq.ParquetFile(built.folder / parquet_of(subset))
        column = file.metadata.row_group(0).column(0)
        assert column.has_offset_index
        assert column.has_column_index
        assert column.compression == "ZSTD"
        note = json.loads(file.schema_arrow.metadata[b"huggingface"])
        assert list(note["info"]["features"]) == file.schema_arrow.names


def test_a_small_change_leaves_most_of_the_file_s_bytes_in_place(tmp_path: Path) -> None:
    """With content-defined chunks a row put in front changes pages near it, not all pages behind it."""
    from winoqueer_nl.release.subsets import write_parquet

    rows = [f"{i} {hash((i, i * 7)) % 10**9} a sentence of some length to fill pages" for i in range(60_000)]
    sizes = []
    for name, content in {"a": rows, "b": ["a new first row", *rows]}.items():
        write_parquet(pa.table({"text": content}), tmp_path / name)
        data = (tmp_path / name).read_bytes()
        sizes.append({data[i : i + 64] for i in range(0, len(data) - 64)} if len(data) < 3_000_000 else set())
    a, b = ((tmp_path / name).read_bytes() for name in "ab")
    tail = b[len(b) // 2 : len(b) // 2 + 4096]
    assert tail in a, "the second half of the file is the same bytes as before"


def test_the_card_names_its_version_its_subsets_and_the_warning_first(built: Release) -> None:
    text = (built.folder / "README.md").read_text(encoding="utf-8")
    matter, body = text.removeprefix("---\n").split("\n---\n", 1)
    data = yaml.safe_load(matter)
    assert [c["config_name"] for c in data["configs"]] == list(built.subsets)
    assert [c["config_name"] for c in data["configs"] if c.get("default")] == [PAIRS]
    assert all([f["split"] for f in c["data_files"]] == ["test"] for c in data["configs"])
    rows = {i["config_name"]: i["splits"][0]["num_examples"] for i in data["dataset_info"]}
    assert rows == {subset: len(built.table(subset)) for subset in built.subsets}
    assert body.index("Content warning") < body.index("## Use it")
    assert "v1.0.0" in body


def test_the_tables_of_the_card_count_the_pairs(built: Release) -> None:
    text = (built.folder / "README.md").read_text(encoding="utf-8")
    pairs = built.table(PAIRS).to_pandas()
    new = pairs["origin"] != "winoqueer"
    for label, mine in pairs.groupby("identity_label"):
        n = [len(mine), int((mine["tier"].isin([1, 2]) | new[mine.index]).sum())]
        n += [int(((mine["tier"] == 1) | new[mine.index]).sum()), int(new[mine.index].sum())]
        assert f"| {label} | {' | '.join(map(str, n))} |" in text


def test_a_failed_build_leaves_the_release_before_it_as_it_was(tmp_path: Path) -> None:
    root = toy_release.write_project(tmp_path)
    before = bytes_of(toy_release.make(root).folder)
    (root / "release/card.md.jinja").write_text("{{ nothing_of_this_name }}", encoding="utf-8")
    with pytest.raises(Exception, match="nothing_of_this_name"):
        toy_release.make(root)
    folder = root / "results/release"
    assert [p.name for p in folder.iterdir()] == [f"{toy_release.LANG}-1.0.0"]
    assert bytes_of(folder / f"{toy_release.LANG}-1.0.0") == before


def test_a_folder_of_another_name_is_refused(toy_project: Path, tmp_path: Path) -> None:
    inputs = toy_release.Inputs(toy_project, toy_release.LANG, "1.0.0", tmp_path)
    with pytest.raises(InputError, match="a folder named"):
        build(inputs, tmp_path / "mine")


def test_versions_are_three_numbers() -> None:
    assert numbers("1.20.3") == (1, 20, 3)
    for wrong in ("1.0", "v1.0.0", "1.0.0-rc1", "01.0.0", "1.0.0.1", ""):
        with pytest.raises(InputError):
            numbers(wrong)


def test_checksums_refuse_a_path_that_leads_out_of_the_folder() -> None:
    digest = "0" * 64
    assert parse_checksums(f"{digest}  a/b.txt\n", "S") == {"a/b.txt": digest}
    for wrong in ("../x", "/etc/x", "a/../../x"):
        with pytest.raises(InputError):
            parse_checksums(f"{digest}  {wrong}\n", "S")


def test_the_edition_before_is_the_latest_of_the_language(tmp_path: Path) -> None:
    root = toy_release.write_project(tmp_path, editions=("1.0.0", "1.10.0", "1.9.0", "2.0.0"))
    assert edition_before(root, toy_release.LANG, "1.0.0") is None
    assert edition_before(root, toy_release.LANG, "2.0.0") == "1.10.0"


def test_the_workflow_passes_survey_scores_and_previous_release_as_options() -> None:
    told = options(
        ["results/qq/survey/stereotypes.csv"], ["r/m1/scores.parquet"], ["results/release/qq-1.0.0/SHA256SUMS"]
    )
    assert told == ["--survey=results/qq/survey", "--score=m1=r/m1", "--previous=results/release/qq-1.0.0"]
    assert options([], [], []) == []
