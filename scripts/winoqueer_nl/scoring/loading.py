"""Loading a model and its tokenizer: safely, in float32, and with every weight from the checkpoint."""

from __future__ import annotations

import hashlib
import logging
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from winoqueer_nl.files import sha256
from winoqueer_nl.problems import InputError, Problem, listed, quoted
from winoqueer_nl.scoring.engine import out_of_memory
from winoqueer_nl.scoring.hub import DATA_FILES, Files, vocabulary_files, weight_files
from winoqueer_nl.scoring.placing import SPREAD, Placing, device_of, place, where_from
from winoqueer_nl.scoring.safety import check_folder
from winoqueer_nl.scoring.widening import Widening, restore_buffers

KINDS = ("masked", "causal")
#: Pre-training classes whose main head predicts masked words. ELECTRA's tells real words from replaced ones.
PRETRAINING_MASKED = ("BertForPreTraining", "AlbertForPreTraining", "MegatronBertForPreTraining")


@dataclass(frozen=True)
class Loaded:
    """A model ready for scoring, and where it came from.

    model: in evaluation mode, float32, on its device; or, with a `widening`, held as `placing` says.
    kind: `masked` or `causal`. fingerprints: SHA-256 over the weights, the tokenizer's files and the configuration.
    """

    name: str
    model: Any
    tokenizer: Any
    kind: str
    architecture: str
    revision: str | None
    fingerprints: dict[str, str]
    placing: Placing
    widening: Widening | None


def _fail(name: str, found: str, expected: str, fix: str = "") -> InputError:
    return InputError([Problem(name, found, expected, fix)])


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__


def _classes(mapping: Any) -> set[str]:
    return {name for entry in mapping.values() for name in (entry if isinstance(entry, tuple | list) else [entry])}


def kind_of(config: Any, name: str, wanted: str | None = None) -> str:
    """`masked` or `causal`, from the configuration's `architectures` unless `wanted` says it.

    Raises :class:`InputError` for encoder-decoders, for models without a language-model head, and where the
    architecture can be either.
    """
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    architectures = list(getattr(config, "architectures", None) or [])
    shown = listed(architectures) or f"the model type {config.model_type} without an architecture"
    if getattr(config, "is_encoder_decoder", False):
        raise _fail(
            name, f"an encoder-decoder ({shown})", "a masked or a left-to-right language model",
            "The score is defined for those two kinds only.",
        )  # fmt: skip
    masked, causal = _classes(MODEL_FOR_MASKED_LM_MAPPING_NAMES), _classes(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
    possible = set()
    for architecture in architectures:
        if architecture in masked or architecture in PRETRAINING_MASKED:
            possible.add("masked")
        if architecture in causal:
            possible.add("causal")
    if wanted is not None:
        types = MODEL_FOR_MASKED_LM_MAPPING_NAMES if wanted == "masked" else MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
        if config.model_type not in types:
            raise _fail(name, f"the model type {config.model_type}", f"one that can be used as a {wanted} model")
        return wanted
    if len(possible) == 1:
        return possible.pop()
    if possible:
        raise _fail(name, f"{shown}, which can be either kind", "--kind masked or --kind causal")
    raise _fail(
        name, shown, "a language model with its output layer (...ForMaskedLM, ...ForCausalLM)",
        "A bare encoder, a classifier or a discriminator gives no word probabilities. If the files do hold "
        "such a model, say which kind with --kind.",
    )  # fmt: skip


def fingerprints(folder: Path) -> dict[str, str]:
    """SHA-256 of the weights, the configuration, and everything else that is data (the tokenizer's files)."""
    names = sorted(p.name for p in folder.iterdir() if p.is_file())
    weights = weight_files(names)
    data = [n for n in names if any(Path(n).match(p) for p in DATA_FILES) and not n.endswith(".index.json")]

    def joined(files: list[str]) -> str:
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{file} {sha256(folder / file)}\n".encode())
        return digest.hexdigest()

    other = ("config.json", "generation_config.json", "README.md")
    return {
        "weights_sha256": joined(weights),
        "tokenizer_sha256": joined([n for n in data if n not in other]),
        "config_sha256": joined([n for n in data if n == "config.json"]),
    }


def choose_device(wanted: str) -> torch.device | None:
    """`auto` is the first GPU, else the CPU; `spread` is None: all there are.

    Raises :class:`InputError` for a device that is not there.
    """
    if torch.cuda.is_available():
        # float32 means float32: no product may be rounded to TF32's 10 bits, no bfloat16 sum kept in 16.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    if wanted == SPREAD:
        return None
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", wanted):
        raise _fail("--device", quoted(wanted), "auto, cpu, cuda, cuda:1, mps or spread", "A graphics card is cuda.")
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device)
    except Exception as error:
        fix = "auto takes what there is. A build of PyTorch for the CPU alone sees no graphics card."
        raise _fail("--device", f"{wanted}, which is not to be had here", "a device of this machine", fix) from error
    return device


def load(files: Files, name: str, kind: str | None = None, device: str = "auto", precision: str = "float32") -> Loaded:
    """Load a model and its tokenizer, in float32 where that fits; no code from the model's folder is run.

    Raises :class:`InputError` when the files are missing, damaged or bring their own code, when weights of
    the model are not in the checkpoint (they would be random), or when the device has no room.
    """
    import transformers
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

    folder, where = files.folder, choose_device(device)
    if not (folder / "config.json").is_file():
        raise _fail(name, "no config.json", "a model's folder (config.json, weights, tokenizer files)")
    names = [p.name for p in folder.iterdir()]
    if not weight_files(names):
        raise _fail(
            name, "no weights", "model.safetensors or pytorch_model.bin (or their parts)",
            "Adapters and quantised formats (GGUF, ONNX) cannot be scored.",
        )  # fmt: skip
    if not vocabulary_files(names):
        raise _fail(
            name, "no tokenizer files", "tokenizer.json, or vocab.txt, vocab.json and merges.txt, *.model, tekken.json",
            "Copy them from the checkpoint that the model was trained from, or save them into the folder with "
            "tokenizer.save_pretrained(FOLDER).",
        )  # fmt: skip
    check_folder(folder, name)
    placing = place(name, [folder / n for n in weight_files(names)], precision, where)
    safe = {"trust_remote_code": False, "local_files_only": True}
    verbosity = transformers.logging.get_verbosity()
    bars = transformers.logging.is_progress_bar_enabled()
    # What matters of the library's warnings is checked below and told in our own words.
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    logging.getLogger("accelerate").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                config = AutoConfig.from_pretrained(folder, **safe)
            except Exception as error:
                raise _unloadable(name, "configuration", error) from error
            kind = kind_of(config, name, kind)
            try:
                tokenizer = AutoTokenizer.from_pretrained(folder, **safe)
            except Exception as error:
                raise _unloadable(name, "tokenizer", error) from error
            loader = AutoModelForMaskedLM if kind == "masked" else AutoModelForCausalLM
            try:
                # Without dtype the library takes the checkpoint's own, often bfloat16.
                # The checks of types do not know that output_loading_info makes it two results.
                model, info = loader.from_pretrained(  # type: ignore[misc]
                    folder, dtype=placing.dtype, output_loading_info=True, weights_only=True,
                    **placing.options, **safe,
                )  # fmt: skip
            except Exception as error:
                raise _unloadable(name, "weights", error) from error
    finally:
        transformers.logging.set_verbosity(verbosity)
        if bars:
            transformers.logging.enable_progress_bar()
    missing = sorted(str(key) for key in info.get("missing_keys") or [])
    missing += sorted(str(key) for key in info.get("mismatched_keys") or [])
    if missing:
        raise _fail(
            name, f"no weights in the files for {listed(missing, 5)}", "every weight of the model",
            "They would be random and so would the scores. Is this the checkpoint with its output layer?",
        )  # fmt: skip
    if "disk" in (where_from(model) or {}) and not all(n.endswith(".safetensors") for n in weight_files(names)):
        raise _fail(
            name, "weights in PyTorch's own format, of a model that has to stay partly on disk", "safetensors",
            "Load it where it fits into memory, once, and save it with model.save_pretrained(FOLDER).",
        )  # fmt: skip
    try:
        model = model.eval().requires_grad_(False)
        if where is not None:
            model = model.to(where)
    except Exception as error:
        if out_of_memory(error):
            raise _unloadable(name, "weights", error) from error
        raise
    architecture = type(model).__name__
    widening = None
    if placing.widened:
        restore_buffers(model)
        widening = Widening(model)
    marks = fingerprints(folder)
    return Loaded(name, model, tokenizer, kind, architecture, files.revision, marks, placing, widening)


def _unloadable(name: str, part: str, error: BaseException) -> InputError:
    text = str(error)
    if out_of_memory(error):
        return _fail(name, "not enough memory for the model", "room for its weights", "Use a smaller model or a GPU.")
    if "trust_remote_code" in text or "custom code" in text:
        return _fail(
            name, "a model that brings its own program code", "an architecture that the library knows",
            "Code from a model's folder is never run here.",
        )  # fmt: skip
    if "does not recognize this architecture" in text or "Unrecognized model" in text:
        return _fail(name, f"a {part} of an unknown kind ({_first_line(error)})", "a known model type")
    return _fail(
        name, f"a {part} that cannot be loaded ({_first_line(error)})", "whole files",
        "The download may be damaged or unfinished: remove the folder and fetch it again.",
    )  # fmt: skip


def check_fits(loaded: Loaded, ids: list[list[int]], sentences: list[str]) -> None:
    """Check that each token id has an embedding and each sentence a place; raises :class:`InputError`."""
    rows = loaded.model.get_input_embeddings().weight.shape[0]
    highest = max(max(row) for row in ids)
    if highest >= rows:
        raise _fail(
            loaded.name,
            f"token id {highest} but only {rows} embeddings",
            "the tokenizer that belongs to the model",
        )
    config = loaded.model.config.get_text_config()
    limits = [
        getattr(config, "max_position_embeddings", None),
        getattr(loaded.tokenizer, "model_max_length", None),
    ]
    limit = min((int(n) for n in limits if n), default=1 << 62)
    longest = max(range(len(ids)), key=lambda s: len(ids[s]))
    if len(ids[longest]) > limit:
        text = sentences[longest]
        shown = quoted(text if len(text) < 80 else text[:77] + "...")
        raise _fail(
            loaded.name,
            f"a sentence of {len(ids[longest])} tokens ({shown})",
            f"at most {limit} tokens a sentence",
        )


def reads_ahead(loaded: Loaded, probe: list[int]) -> bool:
    """Whether the logits at a sentence's first token change with its last: bidirectional models' do."""
    ids = torch.tensor([probe], device=device_of(loaded.model))
    other = ids.clone()
    other[0, -1] = ids[0, 0] if ids[0, 0] != ids[0, -1] else (ids[0, -1] + 1) % 2
    with torch.inference_mode():
        first = loaded.model(input_ids=ids).logits[0, 0]
        second = loaded.model(input_ids=other).logits[0, 0]
    return not torch.allclose(first, second, rtol=1e-5, atol=1e-6)


def check_direction(loaded: Loaded, probe: list[int]) -> None:
    """Check that a masked model sees both sides and a causal one the left; raises :class:`InputError`."""
    if len(probe) < 3:
        return
    ahead = reads_ahead(loaded, probe)
    if ahead and loaded.kind == "causal":
        raise _fail(
            loaded.name, f"{loaded.architecture}, which sees the words to come", "a left-to-right model",
            "Its probabilities are no left-to-right likelihood. For a masked model use --kind masked.",
        )  # fmt: skip
    if not ahead and loaded.kind == "masked":
        raise _fail(
            loaded.name, f"{loaded.architecture}, which does not see the words to come", "a masked model",
            "For a left-to-right model use --kind causal.",
        )  # fmt: skip
