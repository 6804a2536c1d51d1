"""What can go wrong for a person ends in one clear message: what, where, and what to do; never a traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pandas as pd
import pytest
import scoring_build as build
import torch
from typer.testing import CliRunner

from winoqueer_nl.cli import app
from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import hub, loading
from winoqueer_nl.scoring.engine import Engine
from winoqueer_nl.scoring.models import Model
from winoqueer_nl.scoring.pairs import read_pairs
from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings

QUIET = Settings(device="cpu", quiet=True)


def run(model, pairs, out, settings=QUIET):
    return score(str(model), pairs, out, settings)


def change_config(folder: Path, **changes) -> Path:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config.update(changes)
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}))
    return folder


# The pairs file -------------------------------------------------------------------------------------------


def test_a_missing_pairs_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_pairs(tmp_path / "none.parquet")


def test_every_mistake_in_the_pairs_is_told_at_once_with_row_and_column(tmp_path):
    table = build.made_up_pairs().head(6)
    table.loc[1, "sent_y"] = " "
    table.loc[3, "pair_id"] = table.loc[2, "pair_id"]
    table.loc[4, "span_end_x"] = 500
    table.loc[5, "span_start_y"] = table.loc[5, "span_end_y"]
    path = tmp_path / "pairs.csv"
    table.to_csv(path, index=False)
    with pytest.raises(InputError) as error:
        read_pairs(path)
    text = error.value.message()
    assert "row 3, sent_y: found nothing" in text
    assert "row 5, pair_id" in text
    # Spans are looked at as well once they are numbers.
    assert "row 6, span_start_x, span_end_x: found the span" in text
    assert "row 7, span_start_y, span_end_y" in text


def test_a_file_without_the_sentences_names_its_columns(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("sent_a,sent_b\na,b\n")
    with pytest.raises(InputError, match="found the columns sent_a, sent_b; expected a column sent_x"):
        read_pairs(path)


def test_half_the_span_columns_are_a_mistake(tmp_path):
    path = tmp_path / "pairs.parquet"
    build.made_up_pairs().drop(columns="span_end_y").to_parquet(path)
    with pytest.raises(InputError, match="expected also span_end_y"):
        read_pairs(path)


@pytest.mark.parametrize(("mark", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_another_separator_than_the_comma_is_named(mark, word, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(f"sent_x{mark}sent_y\nAlle, nou ja{mark}Niemand, nou ja, bijna\n")
    with pytest.raises(InputError, match=f"row 1: found columns separated by {word}; expected columns separated by c"):
        read_pairs(path)


@pytest.mark.parametrize(
    ("name", "content"), [("p.parquet", b"PAR1 no"), ("p.csv", "sent_x\nz\xe9\n".encode("latin-1"))]
)
def test_a_damaged_pairs_file(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"cannot be read|not UTF-8"):
        read_pairs(tmp_path / name)


# The model ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("config", "message"), [
    ({"architectures": ["T5ForConditionalGeneration"], "model_type": "t5"}, "an encoder-decoder"),
    ({"architectures": ["BartForConditionalGeneration"], "model_type": "bart"}, "an encoder-decoder"),
    ({"architectures": ["BertModel"]}, "found BertModel; expected a language model with its output layer"),
    ({"architectures": ["BertForSequenceClassification"]}, "found BertForSequenceClassification"),
    ({"architectures": ["ElectraForPreTraining"], "model_type": "electra"}, "found ElectraForPreTraining"),
    ({"architectures": None}, "without an architecture"),
    ({"architectures": ["XModel"], "model_type": "no-such-type"}, "unknown kind"),
    ({"architectures": ["XModel"], "model_type": "own", "auto_map": {"AutoConfig": "own.C"}}, "own program code"),
])  # fmt: skip
def test_models_that_cannot_be_scored(config, message, tmp_path, pairs_file):
    folder = change_config(build.saved(tmp_path / "m", "bert"), **config)
    (folder / "own.py").write_text("raise SystemExit('code from the model folder was run')\n")
    with pytest.raises(InputError, match=message):
        run(folder, pairs_file, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_output_layer_that_is_not_in_the_checkpoint(tmp_path, pairs_file):
    folder = tmp_path / "m"
    made = build.tokenizer("wordpiece cased")
    build.model("bert", len(made)).bert.save_pretrained(folder)  # the encoder alone, as base checkpoints hold it
    made.save_pretrained(folder)
    with pytest.raises(InputError, match="no weights in the files for cls"):
        run(folder, pairs_file, tmp_path / "out", Settings(kind="masked", device="cpu", quiet=True))


def test_a_bidirectional_model_is_not_scored_as_a_causal_one(tmp_path, pairs_file):
    folder = tmp_path / "m"
    made = build.tokenizer("byte-level masked")
    model = build.model("roberta", len(made))
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    with pytest.raises(InputError, match="sees the words to come"):
        run(folder, pairs_file, tmp_path / "out", Settings(kind="causal", device="cpu", quiet=True))


def test_a_masked_model_without_a_start_token_is_called_masked(tmp_path, pairs_file):
    folder = build.saved(tmp_path / "m", "bert")
    with pytest.raises(InputError, match=r"found a masked model: .* use --kind masked") as error:
        run(folder, pairs_file, tmp_path / "out", Settings(kind="causal", device="cpu", quiet=True))
    assert "Add bos_token" not in error.value.message()


def test_a_masked_kind_without_a_mask_token(tmp_path, pairs_file):
    folder = tmp_path / "m"
    made = build.tokenizer("byte-level causal")
    build.model("bert", len(made)).save_pretrained(folder)
    made.save_pretrained(folder)
    with pytest.raises(InputError, match="without a mask token"):
        run(folder, pairs_file, tmp_path / "out")


def test_damaged_weights(tmp_path, pairs_file):
    folder = build.saved(tmp_path / "m", "bert")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-5000])
    with pytest.raises(InputError, match="weights that cannot be loaded"):
        run(folder, pairs_file, tmp_path / "out")


def test_pickled_weights_that_would_run_code_are_not_loaded(tmp_path, pairs_file):
    folder = build.saved(tmp_path / "m", "bert")
    (folder / "model.safetensors").unlink()

    class Harmful:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "harm"),))

    torch.save({"bert.embeddings.word_embeddings.weight": Harmful()}, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="weights that cannot be loaded"):
        run(folder, pairs_file, tmp_path / "out")
    assert not (tmp_path / "harm").exists()


def test_a_folder_without_weights_and_one_without_a_model(tmp_path, pairs_file):
    folder = build.saved(tmp_path / "m", "bert")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match="found no weights"):
        run(folder, pairs_file, tmp_path / "out")
    with pytest.raises(InputError, match=r"found no config\.json"):
        run(tmp_path, pairs_file, tmp_path / "out")
    with pytest.raises(InputError, match="found no such folder"):
        run("./nowhere", pairs_file, tmp_path / "out")


def test_a_tokenizer_with_more_tokens_than_the_model(tmp_path, pairs_file):
    folder = tmp_path / "m"
    made = build.tokenizer("byte-level masked")
    build.model("roberta", 40).save_pretrained(folder)
    made.save_pretrained(folder)
    with pytest.raises(InputError, match="but only 40 embeddings"):
        run(folder, pairs_file, tmp_path / "out")


def test_a_folder_without_tokenizer_files(tmp_path, pairs_file):
    folder = build.saved(tmp_path / "m", "bert")
    (folder / "tokenizer.json").unlink()
    assert (folder / "tokenizer_config.json").exists()  # which holds no vocabulary
    with pytest.raises(InputError, match=r"m: found no tokenizer files; expected tokenizer\.json"):
        run(folder, pairs_file, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_tokenizer_that_knows_less_than_half_of_the_tokens(tmp_path, pairs_file):
    folder = tmp_path / "m"
    made = build.tokenizer("wordpiece cased", ["xxxx qqqq wwww"])
    build.model("bert", len(made)).save_pretrained(folder)
    made.save_pretrained(folder)
    with pytest.raises(InputError, match=r"100\.0% of the tokens are unknown.*Put that one's files into"):
        run(folder, pairs_file, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_tokenizer_of_another_language_is_warned_about(tmp_path, pairs_file):
    folder = tmp_path / "m"
    # The identities' capitals stand in no other word, so the identities alone are unknown.
    made = build.tokenizer("wordpiece cased", [text.replace("{}", "") for text in build.TEMPLATES])
    build.model("bert", len(made)).save_pretrained(folder)
    made.save_pretrained(folder)
    report = run(folder, pairs_file, tmp_path / "out")
    assert any("tokens are unknown" in text for text in report["warnings"])
    # Both identities unknown: the pair's sentences are the same to the model, an exact tie, and it is counted.
    assert report["results"]["published"]["ties"] == report["pairs"]["alike_to_the_tokenizer"] > 0
    strict = report["results"]["published"]["bias_score"]["percentage"]
    half = report["results"]["published"]["bias_score_ties_half"]["percentage"]
    assert half > strict


def test_weights_that_give_no_numbers(tmp_path, pairs_file):
    folder = tmp_path / "m"
    made = build.tokenizer("wordpiece cased")
    model = build.model("bert", len(made))
    with torch.no_grad():
        model.bert.encoder.layer[1].output.dense.weight[0, 0] = float("nan")
    model.save_pretrained(folder)
    made.save_pretrained(folder)
    with pytest.raises(InputError, match="not a finite number"):
        run(folder, pairs_file, tmp_path / "out")
    assert not (tmp_path / "out" / "scores.parquet").exists()


# The machine ----------------------------------------------------------------------------------------------


def limited(monkeypatch, most: int) -> list[int]:
    """A machine on which batches of more than `most` tokens do not fit."""
    asked = []
    real = Engine.hidden_at

    def hidden_at(self, ids, places):
        asked.append(ids.numel())
        if ids.numel() > most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return real(self, ids, places)

    monkeypatch.setattr(Engine, "hidden_at", hidden_at)
    return asked


def test_out_of_memory_makes_batches_smaller_and_changes_no_score(tmp_path, pairs_file, monkeypatch):
    folder = build.saved(tmp_path / "m", "bert")
    run(folder, pairs_file, tmp_path / "free")
    with monkeypatch.context() as patch:
        asked = limited(patch, 200)
        report = run(folder, pairs_file, tmp_path / "tight")
    assert max(asked) > 200
    assert report["performance"]["batch_tokens"] <= 256
    a, b = (pd.read_parquet(tmp_path / name / "scores.parquet") for name in ("free", "tight"))
    assert (a["score_x_slot"] - b["score_x_slot"]).abs().max() < 1e-4


def test_out_of_memory_for_a_single_sentence_is_told(tmp_path, pairs_file, monkeypatch):
    folder = build.saved(tmp_path / "m", "bert")
    limited(monkeypatch, 3)
    with pytest.raises(InputError, match="no memory left on cpu for a single sentence"):
        run(folder, pairs_file, tmp_path / "out")


def test_a_full_disk_is_told_and_nothing_half_written(tmp_path, pairs_file, monkeypatch):
    folder = build.saved(tmp_path / "m", "bert")

    def full(path, content):
        with path.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left on device"):
        run(folder, pairs_file, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.np*"))
    assert not list((tmp_path / "out").rglob("*.part"))


def test_an_unknown_device(tmp_path, pairs_file):
    with pytest.raises(InputError, match="expected auto, cpu, cuda"):
        run(build.saved(tmp_path / "m", "bert"), pairs_file, tmp_path / "out", Settings(device="abacus"))


# The command line -----------------------------------------------------------------------------------------


def test_the_command_scores_a_demonstration_model_and_says_that_it_means_nothing(tmp_path, pairs_file):
    arguments = [
        "score",
        "demo-causal",
        "--pairs",
        str(pairs_file),
        "--out",
        str(tmp_path / "o"),
        "--published-csv",
    ]
    result = CliRunner().invoke(app, [*arguments, "--device", "cpu", "--quiet"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "bias score" in result.output
    assert "its numbers mean nothing" in result.output
    layout = pd.read_csv(tmp_path / "o" / "scores_published_layout.csv")
    assert layout.columns.tolist() == [
        "sent_more", "sent_less", "sent_more_score", "sent_less_score", "score", "bias_target_group",
        "harmfulness_score", "nl_predicate_altered",
    ]  # fmt: skip
    scores = pd.read_parquet(tmp_path / "o" / "scores.parquet")
    assert (layout["score"] == (scores["score_x_published"] > scores["score_y_published"])).all()
    assert (layout["sent_more_score"] - scores["score_x_published"]).abs().max() <= 0.0005001


def test_wrong_options_are_told_in_the_commands_own_words(tmp_path, pairs_file):
    result = CliRunner().invoke(app, ["score", "demo-causal", "--pairs", str(pairs_file), "--precision", "float8"])
    assert isinstance(result.exception, InputError)
    assert "--precision" in str(result.exception)


def test_no_pairs_table_and_several_of_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["score", "demo-causal"])
    assert "no pairs table under results/" in str(result.exception)
    for edition in ("1.0.0", "1.1.0"):
        (tmp_path / "results/nl" / edition).mkdir(parents=True)
        build.made_up_pairs().to_parquet(tmp_path / "results/nl" / edition / "pairs.parquet")
    result = CliRunner().invoke(app, ["score", "demo-causal"])
    assert "several pairs tables" in str(result.exception)
    assert "Add --pairs and one of: results/nl/1.0.0/pairs.parquet" in str(result.exception).replace(os.sep, "/")


# The Hub --------------------------------------------------------------------------------------------------


def test_a_revision_belongs_to_a_hub_model(tmp_path):
    with pytest.raises(InputError, match="a revision only for a Hub id"):
        hub.find(str(tmp_path), "v1")


def test_without_network_and_without_a_copy(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="no connection to the Hub"):
        hub.find("nobody/no-such-model-at-all")


def test_a_misspelt_key_is_told_without_asking_the_hub(tmp_path, pairs_file, monkeypatch):
    monkeypatch.setattr(hub, "find", lambda *_: pytest.fail("the Hub was asked"))
    known = Model(name="B", hub_id="a/b", kind="masked", parameters_millions=1, licence="mit", languages="dutch")
    with pytest.raises(InputError, match=r'"berje".*Hub id of the form ORG/NAME\. Did you mean "bertje"\?'):
        score("berje", pairs_file, tmp_path / "out", QUIET, {"bertje": known})
    with pytest.raises(InputError, match='Did you mean "demo-masked"'):
        score("demo-maskd", pairs_file, tmp_path / "out", QUIET)


def test_a_name_that_is_no_hub_id():
    with pytest.raises(InputError, match="no folder and no Hub id"):
        hub.find("what is this")


def test_kinds_come_from_the_configuration():
    from transformers import AutoConfig

    for name, expected in (
        ("bert", "masked"),
        ("gpt2", "causal"),
        ("xlm-roberta", "masked"),
        ("llama", "causal"),
    ):
        config = AutoConfig.for_model(name, architectures=[type(build.model(name, 50)).__name__])
        assert loading.kind_of(config, name) == expected


def test_pairs_that_share_nothing(tmp_path):
    (tmp_path / "p.csv").write_text("sent_x,sent_y\nsoep,rode\n")
    with pytest.raises(InputError, match="no token that both sentences of a pair share"):
        run(build.saved(tmp_path / "m", "bert"), tmp_path / "p.csv", tmp_path / "out")
