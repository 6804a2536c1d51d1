"""The table of models, and the two demonstration models."""

from __future__ import annotations

from pathlib import Path

import pytest
import scoring_build as build

from winoqueer_nl.files import sha256
from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import demo
from winoqueer_nl.scoring.models import check_keys, read_models
from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings, resolve
from winoqueer_nl.scoring.summary import KIND_NAMES

TABLE = Path(__file__).parents[2] / "models.yaml"
PAPER = {
    "BERTje", "RobBERT v2", "DistilmBERT", "mBERT", "XLM-RoBERTa base", "XLM-RoBERTa large", "GPT2 Dutch medium",
    "GPT2 Dutch large", "Fietje 2", "Llama 3.2 1B", "Llama 3.2 3B",
}  # fmt: skip


def test_the_papers_models_are_in_the_table():
    models = read_models(TABLE)
    assert {m.name for m in models.values() if m.in_paper} == PAPER
    assert {m.kind for m in models.values()} == {"masked", "causal"}
    assert len({m.hub_id for m in models.values()}) == len(models)
    assert all(m.gated for m in models.values() if m.hub_id.startswith("meta-llama/"))


def test_a_key_stands_for_its_hub_id_and_anything_else_for_itself(tmp_path):
    models = read_models(TABLE)
    known = resolve("bertje", models)
    assert (known.target, known.kind, known.source) == ("GroNLP/bert-base-dutch-cased", "masked", "hub")
    assert resolve("someone/model", models).target == "someone/model"
    assert resolve(str(tmp_path), models).source == "folder"
    assert resolve(str(tmp_path), models).title == tmp_path.name  # no path of this machine
    assert resolve("demo-masked", models).source == "demonstration"


def test_every_mistake_in_the_table_is_told(tmp_path):
    path = tmp_path / "models.yaml"
    path.write_text(
        "models:\n  a:\n    name: A\n    hub_id: no slash\n    kind: both\n    parameters_millions: -1\n"
        "    licence: mit\n    languages: dutch\n    colour: red\n"
    )
    with pytest.raises(InputError) as error:
        read_models(path)
    text = error.value.message()
    for field in ("models.a.hub_id", "models.a.kind", "models.a.parameters_millions", "models.a.colour"):
        assert field in text
    path.write_text("models: [unclosed\n")
    with pytest.raises(InputError, match="row 2: found expected"):
        read_models(path)


def test_a_misspelt_key_in_the_configuration_gets_a_suggestion():
    with pytest.raises(InputError, match='Did you mean "bertje"'):
        check_keys(["bertj"], read_models(TABLE), "config.yaml")
    check_keys(["bertje", "demo-causal"], read_models(TABLE), "config.yaml")


@pytest.mark.parametrize("name", list(demo.DEMOS))
def test_demonstration_models_are_the_same_bytes_every_time(name, tmp_path):
    for folder in ("a", "b"):
        demo.build(name, build.TEXTS, tmp_path / folder)
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        assert sha256(tmp_path / "a" / file) == sha256(tmp_path / "b" / file)


def test_the_weights_of_the_demonstration_model_are_known_numbers(tmp_path):
    """The bytes depend on a bit generator and integer arithmetic alone; these are the numbers on any machine."""
    import torch

    weight = torch.nn.Linear(2, 2)
    demo._fill(weight, demo.SEED)
    first = demo.np.random.PCG64(demo.SEED).random_raw(4) >> demo.np.uint64(40)
    expected = [(int(n) / 2**23 - 1) * 0.25 for n in first]
    assert weight.weight.flatten().tolist() == expected
    assert weight.bias.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", list(demo.DEMOS))
def test_a_demonstration_run_says_that_its_numbers_mean_nothing(name, tmp_path, pairs_file):
    report = score(name, pairs_file, tmp_path / "out", Settings(device="cpu", quiet=True, sample=60))
    assert report["warnings"] == [demo.NOTICE]
    assert report["canary"]["looks_untrained"] is True
    assert report["canary"]["unknown_tokens"] == 0
    assert report["kind"] == KIND_NAMES[demo.DEMOS[name]]
