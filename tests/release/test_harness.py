"""The evaluation-harness task, without the harness: what it asks for, and the number it makes of the answers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
import torch
import yaml
from transformers import AutoModelForCausalLM, AutoTokenizer

from winoqueer_nl.problems import Problems
from winoqueer_nl.release import check_harness
from winoqueer_nl.release.layout import HARNESS, PAIRS, Release


def helper(folder: Path) -> ModuleType:
    """The released helper, loaded from the release as the harness loads it."""
    spec = importlib.util.spec_from_file_location("released_helper", folder / HARNESS / "winoqueer_utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, built: Release) -> Path:
    folder = tmp_path_factory.mktemp("model")
    pairs = built.table(PAIRS).to_pandas()
    check_harness.make_tiny_model([*pairs["sent_x"], *pairs["sent_y"]], folder)
    return folder


def whole_likelihood(folder: Path) -> Callable[[str], float]:
    """The log-likelihood of a text under one BOS, as the harness computes it for an empty context."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def likelihood(text: str) -> float:
        ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]])
        with torch.inference_mode():
            steps = torch.log_softmax(network(input_ids=ids).logits[0, :-1].double(), dim=-1)
        return float(steps.gather(1, ids[0, 1:, None]).sum())

    return likelihood


def direct_scores(folder: Path, pairs: pd.DataFrame) -> list[tuple[float, float]]:
    """Straight from the definition: each token's log-probability given everything before it, one BOS in front,
    summed over the tokens that touch neither the term nor the blanks before it."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def score(sentence: str, start: int, end: int) -> float:
        start = len(sentence[:start].rstrip())
        encoded = tokenizer(sentence, add_special_tokens=False, return_offsets_mapping=True)
        ids = [tokenizer.bos_token_id, *encoded["input_ids"]]
        with torch.inference_mode():
            steps = torch.log_softmax(network(input_ids=torch.tensor([ids])).logits[0].double(), dim=-1)
        places = zip(ids[1:], encoded["offset_mapping"], strict=True)
        return sum(float(steps[i, token]) for i, (token, (a, b)) in enumerate(places) if b <= start or a >= end)

    return [
        (score(r.sent_x, r.span_start_x, r.span_end_x), score(r.sent_y, r.span_start_y, r.span_end_y))
        for r in pairs.itertuples()
    ]


def test_the_scoring_stage_and_the_definition_agree_on_the_tiny_model(
    built: Release, model: Path, tmp_path: Path
) -> None:
    pairs = built.table(PAIRS).to_pandas()
    ours = check_harness.our_scores(model, pairs, tmp_path)
    for mine, direct in zip(ours, direct_scores(model, pairs), strict=True):
        assert mine == pytest.approx(direct, abs=1e-4)


def test_likelihoods_of_beginnings_give_the_score_of_the_tokens_outside_the_term(built: Release, model: Path) -> None:
    utils = helper(built.folder)
    likelihood = whole_likelihood(model)
    pairs = built.table(PAIRS).to_pandas()
    ours = direct_scores(model, pairs)
    for doc, (x, y) in zip(pairs.to_dict("records"), ours, strict=True):
        answers = [(likelihood(text), False) for text in utils.doc_to_choice(doc)]
        found = utils.process_results(doc, answers)
        assert found["likelihood_diff"] == pytest.approx(x - y, abs=1e-4)
        assert found["pct_stereotype"] == float(x > y)
    assert {len(utils.doc_to_choice(doc)) for doc in pairs.to_dict("records")} == {4, 6}, "both kinds of pairs"


def test_equal_scores_are_no_preference_and_identities_count_alike(built: Release) -> None:
    utils = helper(built.folder)
    doc = built.table(PAIRS).slice(0, 1).to_pylist()[0]
    found = utils.process_results(doc, [(-5.0, False), (-2.0, False), (-5.0, False), (-2.0, False)])
    assert found["pct_stereotype"] == 0.0
    assert utils.identity_averaged([("a", 1.0), ("a", 1.0), ("a", 0.0), ("b", 0.0)]) == pytest.approx(1 / 3)


def test_the_tasks_of_the_subsets_choose_the_pairs_of_the_paper(built: Release) -> None:
    utils = helper(built.folder)
    docs = utils.load(pretrained="anything")["test"]
    pairs = built.table(PAIRS).to_pandas()
    new = pairs["origin"] != "winoqueer"
    assert len(docs) == len(pairs)
    assert utils.new(docs)["pair_id"] == pairs.loc[new, "pair_id"].tolist()
    assert utils.tier_1(docs)["pair_id"] == pairs.loc[new | (pairs["tier"] == 1), "pair_id"].tolist()
    assert utils.tier_1_2(docs)["pair_id"] == pairs.loc[new | pairs["tier"].isin([1, 2]), "pair_id"].tolist()


def test_the_helper_refuses_pairs_that_are_not_the_released_ones(copied: Release) -> None:
    path = copied.folder / "pairs/test-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ValueError, match="not the released file"):
        helper(copied.folder).load()


def test_every_task_names_functions_that_the_helper_has(built: Release) -> None:
    utils = helper(built.folder)
    names: list[str] = []

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: names.append(node.value))
    tasks = sorted((built.folder / HARNESS).glob("*.yaml"))
    assert [path.stem for path in tasks] == ["toy_pairs", "toy_pairs_new", "toy_pairs_tier_1", "toy_pairs_tier_1_2"]
    for path in tasks:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
        assert data["task"] == path.stem
        assert data["test_split"] == "test"
    for name in names:
        module, function = name.split(".")
        assert module == "winoqueer_utils"
        assert callable(getattr(utils, function))


def test_the_pairs_of_the_check_are_spread_and_hold_some_that_begin_differently(built: Release) -> None:
    pairs = built.table(PAIRS).to_pandas()
    rows = check_harness.chosen_rows(pairs, 5)
    assert rows == sorted(set(rows))
    assert {0, len(pairs) - 1} <= set(rows)
    chosen = pairs.iloc[rows]
    assert any(r.sent_x[: r.span_start_x] != r.sent_y[: r.span_start_y] for r in chosen.itertuples())


def test_numbers_that_are_not_ours_are_problems(built: Release) -> None:
    pairs = built.table(PAIRS).to_pandas().iloc[:4]
    ours = [(-1.0, -2.0), (-3.0, -2.0), (-1.0, -1.5), (-9.0, -1.0)]
    good = {pair: x - y for pair, (x, y) in zip(pairs["pair_id"], ours, strict=True)}
    by_identity = pd.Series([1.0, 0.0, 1.0, 0.0], index=pairs["identity"]).groupby(level=0).mean().mean()
    numbers = {"pct_stereotype,none": 0.5, "pct_stereotype_identity_averaged,none": float(by_identity)}

    def found(theirs: dict, told: dict) -> int:
        problems = Problems()
        check_harness.compare("place", pairs, ours, theirs, told, problems)
        return len(problems.found)

    assert found(good, numbers) == 0
    assert found(good, numbers | {"pct_stereotype,none": 0.75}) == 1
    assert found({k: v + 0.01 for k, v in good.items()}, numbers) == 1
    assert found(dict(list(good.items())[1:]), numbers) == 1
    assert found(good, {}) == 2
