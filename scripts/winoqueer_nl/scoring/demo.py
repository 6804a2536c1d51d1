"""Two tiny models made on the spot, so that the stage runs from end to end without a download.

Their weights are random and their scores mean nothing. The vocabulary is the words of the pairs themselves,
and the weights come from a bit generator and integer arithmetic: the same bytes on every machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from winoqueer_nl.problems import InputError, Problem

#: Name on the command line and kind.
DEMOS = {"demo-masked": "masked", "demo-causal": "causal"}
NOTICE = "This is a demonstration model with random weights: its numbers mean nothing."
WORDS = 1200
SEED = 20260


def words_of(sentences: Iterable[str]) -> tuple[list[str], list[str]]:
    """The most frequent words of the sentences and all their characters, each in a fixed order."""
    counts: Counter[str] = Counter()
    characters: set[str] = set()
    for sentence in sentences:
        characters.update(sentence)
        word = ""
        for c in sentence + " ":
            if c.isalnum():
                word += c
            else:
                if word:
                    counts[word] += 1
                word = ""
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return [w for w in ranked if len(w) > 1][:WORDS], sorted(c for c in characters if not c.isspace())


def _masked_tokenizer(words: list[str], characters: list[str]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = dict.fromkeys([*special, *characters, *(f"##{c}" for c in characters), *words])
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    names = {f"{token.strip('[]').lower()}_token": token for token in special}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def _causal_tokenizer(words: list[str], characters: list[str]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    pieces = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), ("▁", -12.0)]
    pieces += [(c, -14.0) for c in characters if c != "▁"]
    pieces += [(f"▁{word}", -math.log(place + 2.0)) for place, word in enumerate(words)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


def _fill(model: Any, seed: int) -> None:
    """Uniform weights of a fixed spread; norms at one and biases at zero."""
    bits = np.random.PCG64(seed)
    for name, parameter in sorted(model.named_parameters()):
        with torch.no_grad():
            if parameter.ndim == 1:
                parameter.fill_(1.0 if name.endswith("weight") else 0.0)
                continue
            raw = bits.random_raw(parameter.numel()) >> np.uint64(40)  # 24 bits: exact in float32
            values = (raw.astype(np.float64) / (1 << 23) - 1.0) * 0.25
            parameter.copy_(torch.from_numpy(values.astype(np.float32)).view(parameter.shape))


def build(name: str, sentences: Iterable[str], folder: Path) -> Path:
    """Write the demonstration model `name` (:data:`DEMOS`) into a folder, its vocabulary from `sentences`."""
    import transformers
    from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM

    if name not in DEMOS:
        raise InputError([Problem("model", name, " or ".join(DEMOS))])
    words, characters = words_of(sentences)
    model: Any
    if DEMOS[name] == "masked":
        tokenizer = _masked_tokenizer(words, characters)
        model = BertForMaskedLM(
            BertConfig(
                vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                intermediate_size=64, max_position_embeddings=256, pad_token_id=0,
            )
        )  # fmt: skip
    else:
        tokenizer = _causal_tokenizer(words, characters)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                intermediate_size=64, max_position_embeddings=256, bos_token_id=1, eos_token_id=2,
                tie_word_embeddings=True,
            )
        )  # fmt: skip
    _fill(model, SEED)
    transformers.logging.disable_progress_bar()
    model.save_pretrained(folder)
    transformers.logging.enable_progress_bar()
    tokenizer.save_pretrained(folder)
    return folder
