"""Model folders that would run code, fetch code or read other folders' files: refused, or loaded without."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hostile import CANARY, was_run

sys.path.append(str(Path(__file__).parents[1] / "scoring"))  # for scoring_build

import scoring_build as build

from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import loading
from winoqueer_nl.scoring.hub import Files

WEIGHTS = "model.safetensors"


def _change(folder: Path, file: str, **values: Any) -> None:
    path = folder / file
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(content | values))


def _own_code(folder: Path) -> None:
    """Program files under every name that the library might look for."""
    code = f"import pathlib\npathlib.Path({str(folder.parent / CANARY)!r}).touch()\nclass C: pass\n"
    for name in ("own", "modeling_own", "tokenization_own", "configuration_own", "__init__", "sitecustomize"):
        (folder / f"{name}.py").write_text(code)


class Harmful:
    """Unpickled, it runs a program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.folder.parent / CANARY),))


def auto_map_of_everything(folder: Path) -> None:
    _own_code(folder)
    _change(folder, "config.json", auto_map=dict.fromkeys(("AutoConfig", "AutoModelForMaskedLM"), "own.C"))


def auto_map_to_another_repository(folder: Path) -> None:
    _change(folder, "config.json", auto_map={"AutoModelForMaskedLM": "someone/else--own.C"})


def tokenizer_of_its_own(folder: Path) -> None:
    _own_code(folder)
    _change(folder, "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.C", "own.C"]}, tokenizer_class="C")


def tokenizer_files_of_the_system(folder: Path) -> None:
    _change(folder, "tokenizer_config.json", vocab_file="/etc/passwd", tokenizer_file="/etc/passwd")


def chat_template_with_a_program(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("{{ ().__class__.__base__.__subclasses__() }}")
    _change(folder, "generation_config.json", custom_generate="someone/else")


def pickle_in_place_of_weights(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Harmful(folder)))


def weights_with_a_program(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    torch.save({"bert.embeddings.word_embeddings.weight": Harmful(folder)}, folder / "pytorch_model.bin")


def old_weights_with_a_program(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    torch.save({"x": Harmful(folder)}, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)


def weights_of_another_folder(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder.parent / "other.safetensors")
    (folder / "model-00001-of-00001.safetensors").write_bytes(b"")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"x": "../other.safetensors"}}))


def weights_by_the_configuration(folder: Path) -> None:
    (folder.parent / "other.safetensors").write_bytes((folder / WEIGHTS).read_bytes())
    _change(folder, "config.json", transformers_weights="../other.safetensors")


def compiled_code_from_the_hub(folder: Path) -> None:
    _change(folder, "config.json", _attn_implementation="someone/kernel")


def compiled_code_in_a_part(folder: Path) -> None:
    _change(folder, "config.json", text_config={"attn_implementation": {"": "someone/kernel"}})


def adapter(folder: Path) -> None:
    _change(folder, "adapter_config.json", base_model_name_or_path="someone/else", peft_type="LORA")


def quantised(folder: Path) -> None:
    _change(folder, "config.json", quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True})


def deep_configuration(folder: Path) -> None:
    (folder / "config.json").write_text("[" * 100_000)


#: What must happen: None where the model is loaded without what was asked for, else words of the message.
FOLDERS: dict[Callable[[Path], None], str | None] = {
    auto_map_of_everything: None,
    auto_map_to_another_repository: None,
    tokenizer_of_its_own: None,
    tokenizer_files_of_the_system: None,
    chat_template_with_a_program: None,
    pickle_in_place_of_weights: "found a weights that cannot be loaded",
    weights_with_a_program: "found a weights that cannot be loaded",
    old_weights_with_a_program: "found a weights that cannot be loaded",
    weights_of_another_folder: 'index.json: found the file "../other.safetensors"',
    weights_by_the_configuration: "must reference a file inside the model directory",
    compiled_code_from_the_hub: 'found attention code "someone/kernel"',
    compiled_code_in_a_part: 'found attention code "someone/kernel"',
    adapter: "found an adapter",
    quantised: "found quantised weights",
    deep_configuration: "found a configuration that cannot be loaded",
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model as it should be."""
    return build.saved(tmp_path_factory.mktemp("good") / "model", "bert")


@pytest.mark.parametrize("change", FOLDERS, ids=lambda change: change.__name__)
def test_no_code_of_a_model_is_run_and_no_other_file_read(change, good: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for path in good.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    change(folder)
    expected = FOLDERS[change]
    if expected is None:
        loaded = loading.load(Files(folder), "m", None, "cpu")
        assert type(loaded.model).__module__.startswith("transformers.")
        assert type(loaded.tokenizer).__module__.startswith("transformers.")
    else:
        with pytest.raises(InputError) as error:
            loading.load(Files(folder), "m", None, "cpu")
        assert expected in error.value.message()
    assert was_run(tmp_path) == []
