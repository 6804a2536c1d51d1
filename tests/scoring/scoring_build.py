"""Tiny tokenizers, models and pairs for the tests, made on the spot from seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import torch
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

# Made-up sentences: a group word at the start, in the middle or at the end, one shared tail (-tops).
GROUPS = ("Zurps", "Miltops", "Haltops", "Oranen")
TEMPLATES = (
    "{} eten graag rode soep.",
    "Alle {} eten graag rode soep.",
    "Ik denk dat {} nooit op tijd komen.",
    "Niemand houdt van {} omdat ze zo laat komen.",
    "Anna hoort bij de {} en is vaak moe.",
    "Bert hoort bij de {} en is vaak moe.",
    "De meeste buren die {} zijn, zingen héél vals .",
)


def made_up_pairs(templates: tuple[str, ...] = TEMPLATES, groups: tuple[str, ...] = GROUPS) -> pd.DataFrame:
    """All pairs of two groups in each template, with spans, in the layout of the tidy table."""
    rows = []
    for number, template in enumerate(templates, 1):
        at = template.index("{}")
        for x in groups:
            for y in groups:
                if x == y:
                    continue
                rows.append(
                    {
                        "pair_id": f"t{number}.{x}.{y}",
                        "template_id": str(number),
                        "identity_label": x,
                        "counter_identity_label": y,
                        "sent_x": template.format(x),
                        "sent_y": template.format(y),
                        "span_start_x": at,
                        "span_end_x": at + len(x),
                        "span_start_y": at,
                        "span_end_y": at + len(y),
                        "predicate": template[at + 3 :],
                        "harmfulness_mean": 1.5,
                    }
                )
    return pd.DataFrame(rows)


TEXTS = [s for column in ("sent_x", "sent_y") for s in made_up_pairs()[column]]


def _special(*names: str) -> list[AddedToken]:
    return [AddedToken(name, special=True, normalized=False) for name in names]


def tokenizer(kind: str, texts: list[str] | None = None, vocabulary: int | None = None) -> Any:
    """A tokenizer of one of the kinds in :data:`TOKENIZERS`, trained on `texts`; a larger `vocabulary` at will."""
    make, names = TOKENIZERS[kind]
    return PreTrainedTokenizerFast(tokenizer_object=make(texts or TEXTS, vocabulary), **names)


def _wordpiece(texts: list[str], size: int | None, lower: bool = False) -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lower, strip_accents=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # The trainer numbers letters within a word in another order every time, and ties between pieces go by number. What
    # it is given as special is numbered before; a model of the same vocabulary then knows of no special letters.
    letters = set("".join(made.normalizer.normalize_str(text) for text in texts).replace(" ", ""))
    within = [f"##{letter}" for letter in sorted(letters)]
    trainer = trainers.WordPieceTrainer(vocab_size=size or 90, special_tokens=[*special, *within], show_progress=False)
    trained = Tokenizer(made.model)
    trained.normalizer, trained.pre_tokenizer = made.normalizer, made.pre_tokenizer
    trained.train_from_iterator(texts, trainer)
    made.model = models.WordPiece(trained.get_vocab(), unk_token="[UNK]")
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(t, made.token_to_id(t)) for t in ("[CLS]", "[SEP]")]
    )
    return made


def _byte_level(texts: list[str], size: int | None, special: list[str], ends: tuple[str, str] | None) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=size or 330, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        ),
    )
    if ends:
        made.post_processor = processors.RobertaProcessing(
            (ends[1], made.token_to_id(ends[1])), (ends[0], made.token_to_id(ends[0])), add_prefix_space=False
        )
    return made


def _unigram(texts: list[str], size: int | None, ends: bool) -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made.train_from_iterator(
        texts,
        trainers.UnigramTrainer(vocab_size=size or 90, special_tokens=special, unk_token="<unk>", show_progress=False),
    )
    if ends:
        made.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[(t, made.token_to_id(t)) for t in ("<s>", "</s>")]
        )
    return made


def _metaspace_bpe(texts: list[str], size: int | None, adds_bos: bool) -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    made.decoder = decoders.Metaspace(prepend_scheme="first")
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=size or 120, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False),
    )
    if adds_bos:
        made.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", made.token_to_id("<s>"))]
        )
    return made


_BERT = {f"{n}_token": f"[{n.upper()}]" for n in ("pad", "unk", "cls", "sep", "mask")}
_ROBERTA = {
    "bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>",
    "unk_token": "<unk>", "mask_token": AddedToken("<mask>", lstrip=True, special=True),
}  # fmt: skip
_LLAMA = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
_END = "<|endoftext|>"
TOKENIZERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "wordpiece cased": (_wordpiece, _BERT),
    "wordpiece uncased": (lambda texts, n: _wordpiece(texts, n, lower=True), _BERT),
    "byte-level masked": (
        lambda texts, n: _byte_level(texts, n, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], ("<s>", "</s>")),
        _ROBERTA,
    ),
    "unigram masked": (lambda texts, n: _unigram(texts, n, ends=True), _ROBERTA),
    "byte-level causal": (
        lambda texts, n: _byte_level(texts, n, [_END], None),
        {"bos_token": _END, "eos_token": _END},
    ),
    "byte-level causal without BOS": (
        lambda texts, n: _byte_level(texts, n, [_END], None),
        {"eos_token": _END},
    ),
    "bpe that adds BOS": (lambda texts, n: _metaspace_bpe(texts, n, adds_bos=True), _LLAMA),
    "bpe that adds nothing": (lambda texts, n: _metaspace_bpe(texts, n, adds_bos=False), _LLAMA),
    "unigram causal": (lambda texts, n: _unigram(texts, n, ends=False), _LLAMA),
}


def _small(**more: Any) -> dict[str, Any]:
    return {
        "hidden_size": 24,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 40,
        **more,
    }


def model(name: str, vocabulary: int, seed: int = 0, spread: float = 0.3) -> Any:
    """A tiny randomly initialised model of one of the architectures in :data:`ARCHITECTURES`."""
    import transformers as t

    v = {"vocab_size": vocabulary}
    ends = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None}
    spread_ = {"initializer_range": spread}
    tall = {"max_position_embeddings": 80}
    gqa = _small(num_key_value_heads=1)
    recipes = {
        "bert": lambda: t.BertForMaskedLM(t.BertConfig(**v, **_small(), **tall, **spread_)),
        "distilbert": lambda: t.DistilBertForMaskedLM(
            t.DistilBertConfig(**v, dim=24, n_layers=2, n_heads=2, hidden_dim=40, **tall, **spread_)
        ),
        "albert": lambda: t.AlbertForMaskedLM(t.AlbertConfig(**v, embedding_size=12, **_small(), **tall, **spread_)),
        "electra": lambda: t.ElectraForMaskedLM(t.ElectraConfig(**v, embedding_size=12, **_small(), **tall, **spread_)),
        "roberta": lambda: t.RobertaForMaskedLM(t.RobertaConfig(**v, **_small(), **tall, **spread_)),
        "xlm-roberta": lambda: t.XLMRobertaForMaskedLM(t.XLMRobertaConfig(**v, **_small(), **tall, **spread_)),
        "gpt2": lambda: t.GPT2LMHeadModel(
            t.GPT2Config(**v, n_embd=24, n_layer=2, n_head=2, n_positions=80, **ends, **spread_)
        ),
        "opt": lambda: t.OPTForCausalLM(
            t.OPTConfig(**v, hidden_size=24, num_hidden_layers=2, num_attention_heads=2, ffn_dim=40,
                        word_embed_proj_dim=24, max_position_embeddings=80, init_std=spread,
                        **{**ends, "pad_token_id": 1})
        ),
        "bloom": lambda: t.BloomForCausalLM(
            t.BloomConfig(**v, hidden_size=24, n_layer=2, n_head=2, **{**ends, "pad_token_id": 1}, **spread_)
        ),
        "llama": lambda: t.LlamaForCausalLM(t.LlamaConfig(**v, **gqa, **tall, **ends, **spread_)),
        "mistral": lambda: t.MistralForCausalLM(
            t.MistralConfig(**v, **gqa, **tall, **ends, **spread_, sliding_window=64)
        ),
        "qwen2": lambda: t.Qwen2ForCausalLM(t.Qwen2Config(**v, **gqa, **tall, **ends, **spread_)),
        "phi": lambda: t.PhiForCausalLM(t.PhiConfig(**v, **_small(), **tall, **ends, **spread_)),
        "gemma": lambda: t.GemmaForCausalLM(t.GemmaConfig(**v, **gqa, head_dim=12, **tall, **ends, **spread_)),
    }  # fmt: skip
    torch.manual_seed(seed)
    return recipes[name]().eval()


#: Architecture and the kind of tokenizer it comes with.
ARCHITECTURES = {
    "bert": "wordpiece cased",
    "distilbert": "wordpiece uncased",
    "albert": "unigram masked",
    "electra": "wordpiece cased",
    "roberta": "byte-level masked",
    "xlm-roberta": "unigram masked",
    "gpt2": "byte-level causal",
    "opt": "byte-level causal",
    "bloom": "byte-level causal",
    "llama": "bpe that adds BOS",
    "mistral": "bpe that adds BOS",
    "qwen2": "byte-level causal without BOS",
    "phi": "byte-level causal",
    "gemma": "unigram causal",
}
MASKED = ("bert", "distilbert", "albert", "electra", "roberta", "xlm-roberta")


def saved(folder: Path, name: str, seed: int = 0, texts: list[str] | None = None) -> Path:
    """A tiny model with its tokenizer in a folder, as a person would have it."""
    made = tokenizer(ARCHITECTURES[name], texts)
    model(name, len(made), seed).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder
