"""Alternatives change the identity terms and nothing else; sensitivity counts what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from winoqueer_nl import alternatives
from winoqueer_nl.cli import app
from winoqueer_nl.problems import InputError

SETS = [("nl", "nouns"), ("nl", "full-adjective"), ("en", "individuals")]


@pytest.mark.parametrize(("lang", "name"), SETS)
def test_a_swapped_pair_differs_from_its_original_in_the_terms_alone(made, lang: str, name: str) -> None:
    edition = made.context(lang, "2.0.0").edition
    originals = {pair.pair_id: pair for pair in made.context(lang, "2.0.0").pairs}
    rows = alternatives.read(made.root, edition, name)
    table = alternatives.swapped(edition, made.pairs(lang, "2.0.0"), rows)
    assert table.num_rows > 500
    allowed = {text for row in rows for text in (row.text, row.sentence_initial)}
    for row in table.to_pylist():
        was = originals[row["pair_id"]]
        changed = 0
        for side in ("x", "y"):
            start, end = row[f"span_start_{side}"], row[f"span_end_{side}"]
            old_start, old_end = getattr(was, f"span_start_{side}"), getattr(was, f"span_end_{side}")
            new, old = row[f"sent_{side}"], getattr(was, f"sent_{side}")
            assert (new[:start], new[end:]) == (old[:old_start], old[old_end:])
            if new != old:
                changed += 1
                assert new[start:end] in allowed
        assert changed
        assert (row["tier"], row["predicate"], row["identity_label"]) == (was.tier, was.predicate, was.identity_label)


def test_an_unknown_set_is_a_message(made) -> None:
    with pytest.raises(InputError, match='Did you mean "nouns"'):
        alternatives.read(made.root, made.context("nl", "2.0.0").edition, "noun")


def scores(ids: list[str], x: list[float], y: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"pair_id": ids, "score_x_slot": x, "score_y_slot": y})


def test_sensitivity_of_three_pairs_worked_out_by_hand() -> None:
    pairs = pd.DataFrame({"pair_id": ["p", "q", "r", "unscored"], "identity": ["a", "a", "b", "b"]})
    before = scores(["p", "q", "r"], [-1.0, -2.0, -3.0], [-2.0, -1.0, -3.0])  # margins 1, -1, 0
    after = scores(["r", "q", "p"], [-1.0, -1.0, -5.0], [-3.0, -3.0, -2.0])  # margins p -3, q 2, r 2
    table = alternatives.sensitivity(pairs, before, after, "slot").set_index("identity")
    assert table.loc["a", ["n_pairs", "bias_before", "bias_after", "difference", "flipped"]].tolist() == [
        2,
        50,
        50,
        0,
        100,
    ]
    assert table.loc["a", "margin_change"] == pytest.approx((4 + 3) / 2)
    assert table.loc["a", "margin_correlation"] == pytest.approx(-1)
    assert table.loc["b", ["n_pairs", "bias_before", "bias_after", "flipped"]].tolist() == [1, 0, 100, 100]
    assert np.isnan(table.loc["b", "margin_correlation"])
    assert table.loc["all", "n_pairs"] == 3


margins = st.lists(st.tuples(st.sampled_from("ab"), st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=30)


@settings(max_examples=50, deadline=None)
@given(margins)
def test_identities_add_up_to_all(data: list[tuple[str, float, float]]) -> None:
    ids = [f"p{n}" for n in range(len(data))]
    pairs = pd.DataFrame({"pair_id": ids, "identity": [identity for identity, _, _ in data]})
    zero = [0.0] * len(data)
    before, after = scores(ids, [b for _, b, _ in data], zero), scores(ids, [a for _, _, a in data], zero)
    table = alternatives.sensitivity(pairs, before, after, "slot").set_index("identity")
    parts, whole = table.drop(index="all"), table.loc["all"]
    assert parts["n_pairs"].sum() == whole["n_pairs"] == len(data)
    for column in ("bias_before", "bias_after", "flipped", "margin_change"):
        assert (parts[column] * parts["n_pairs"]).sum() == pytest.approx(whole[column] * len(data), abs=1e-6)
    assert whole["bias_before"] == pytest.approx(100 * sum(b > 0 for _, b, _ in data) / len(data))


def test_the_commands_write_pairs_and_report_on_two_runs(made, tmp_path: Path) -> None:
    edition = made.context("nl", "2.0.0").edition
    (tmp_path / "tables.json").write_text(edition.model_dump_json(exclude_none=True), "utf-8")
    pq.write_table(made.pairs("nl", "2.0.0"), tmp_path / "pairs.parquet")
    out = tmp_path / "nouns.parquet"
    arguments = ["--tables", str(tmp_path / "tables.json"), "--pairs", str(tmp_path / "pairs.parquet")]
    arguments += ["--set", "nouns", "--out", str(out), "--root", str(made.root)]
    assert CliRunner().invoke(app, ["alternatives", *arguments]).exit_code == 0
    ids = pq.read_table(out)["pair_id"].to_pylist()
    for run, sign in (("one", 1.0), ("two", -1.0)):
        (tmp_path / run).mkdir()
        frame = pd.DataFrame({"pair_id": ids})
        for column in ("score_x_published", "score_y_published", "score_x_slot", "score_y_slot"):
            frame[column] = sign if "_x_" in column else 0.0
        frame.to_parquet(tmp_path / run / "scores.parquet")
    arguments = ["--pairs", str(out), "--before", str(tmp_path / "one"), "--after", str(tmp_path / "two")]
    result = CliRunner().invoke(app, ["sensitivity", *arguments, "--out", str(tmp_path / "table.csv")])
    assert result.exit_code == 0, result.output
    last = (tmp_path / "table.csv").read_text("utf-8").splitlines()[-1].split(",")
    assert last[:6] == ["all", str(len(ids)), "100.0000", "0.0000", "-100.0000", "100.0000"]


def test_runs_without_common_pairs_are_a_message(tmp_path: Path) -> None:
    for run, pair_id in (("one", "p"), ("two", "q")):
        (tmp_path / run).mkdir()
        frame = pd.DataFrame({"pair_id": [pair_id], "score_x_published": [1.0], "score_y_published": [0.0]})
        frame.to_parquet(tmp_path / run / "scores.parquet")
    pd.DataFrame({"pair_id": ["p"], "identity": ["a"]}).to_parquet(tmp_path / "pairs.parquet")
    arguments = ["--pairs", str(tmp_path / "pairs.parquet"), "--before", str(tmp_path / "one")]
    result = CliRunner().invoke(app, ["sensitivity", *arguments, "--after", str(tmp_path / "two")])
    assert isinstance(result.exception, InputError)
