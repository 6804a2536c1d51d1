"""From sentences to token ids, with the special tokens that the scoring rule asks for and no others.

Masked models get the special tokens that their tokenizer adds by itself. Causal models get exactly one start
token in front and nothing else, whatever the tokenizer would add by itself. As in the published scripts it is
put in front of the text and read with it, so a tokenizer that marks the first word of a text
(`prepend_scheme: first`) does not mark the word behind the start token. Nothing is lower-cased, stripped or
truncated here: what the tokenizer does not change, stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from winoqueer_nl.problems import InputError, Problem, quoted
from winoqueer_nl.scoring.align import align


@dataclass(frozen=True)
class StartRule:
    """How a causal model's first token comes to have something in front of it.

    `rule` is `bos` (the tokenizer's BOS token), `eos as start` (it has none, so its EOS token stands in, as
    other evaluation tools do) or `none` (masked models).
    """

    rule: str
    token: str | None = None
    token_id: int | None = None


@dataclass(frozen=True)
class Encoded:
    """Distinct sentences as token ids; the lists run in parallel.

    ids: per sentence its token ids, special tokens included.
    special: per sentence, which tokens the rule added (True) and which stand for text (False).
    offsets: per sentence, the characters (start, end exclusive) that each token stands for; None for a
        sentence whose tokens could not be placed (a tokenizer without offsets that rewrites the text).
    """

    sentences: list[str]
    ids: list[list[int]]
    special: list[list[bool]]
    offsets: list[list[tuple[int, int]] | None]
    start: StartRule

    def __len__(self) -> int:
        return len(self.sentences)


def start_rule(tokenizer: Any, kind: str, name: str) -> StartRule:
    """The start token for a model of this kind; raises :class:`InputError` when a causal one has none."""
    if kind == "masked":
        return StartRule("none")
    if tokenizer.bos_token_id is not None:
        return StartRule("bos", str(tokenizer.bos_token), int(tokenizer.bos_token_id))
    if tokenizer.eos_token_id is not None:
        return StartRule("eos as start", str(tokenizer.eos_token), int(tokenizer.eos_token_id))
    if tokenizer.mask_token_id is not None:
        problem = Problem(
            name, "a masked model: its tokenizer has a mask token and neither a BOS nor an EOS token",
            "a left-to-right model", "Leave --kind out, or use --kind masked.",
        )  # fmt: skip
        raise InputError([problem])
    raise InputError(
        [
            Problem(
                name,
                "a tokenizer with neither a BOS nor an EOS token",
                "a start token, so that the first word can be given a probability",
                "Add bos_token to the model's tokenizer_config.json.",
            )
        ]
    )


def check_mask_token(tokenizer: Any, name: str) -> int:
    """The id of the mask token; raises :class:`InputError` when there is none."""
    if tokenizer.mask_token_id is None:
        raise InputError(
            [
                Problem(
                    name,
                    "a tokenizer without a mask token",
                    "a masked model's tokenizer",
                    "If the model predicts from left to right, add --kind causal.",
                )
            ]
        )
    return int(tokenizer.mask_token_id)


def encode(tokenizer: Any, sentences: Sequence[str], kind: str, name: str) -> Encoded:
    """Tokenize distinct sentences under the rule for `kind` (`masked` or `causal`).

    Raises :class:`InputError` for a sentence that no token stands for.
    """
    rule = start_rule(tokenizer, kind, name)
    sentences = list(sentences)
    masked = kind == "masked"
    front = "" if rule.token is None else rule.token
    texts = sentences if masked else [front + text for text in sentences]
    options: dict[str, Any] = {
        "add_special_tokens": masked,
        "return_attention_mask": False,
        "truncation": False,
    }
    if getattr(tokenizer, "is_fast", False):
        out = tokenizer(texts, return_special_tokens_mask=True, return_offsets_mapping=True, **options)
        ids = [list(row) for row in out["input_ids"]]
        special = [[bool(flag) for flag in row] for row in out["special_tokens_mask"]]
        offsets: list[list[tuple[int, int]] | None] = [[tuple(o) for o in row] for row in out["offset_mapping"]]
    else:
        ids, special, offsets = _encode_slowly(tokenizer, texts, options)
    if not masked:
        for row in range(len(ids)):
            ids[row], special[row], offsets[row] = _one_start(tokenizer, rule, ids[row], offsets[row], name)
    empty = [text for text, flags in zip(sentences, special, strict=True) if all(flags)]
    if empty:
        problem = Problem(name, f"no token for the sentence {quoted(empty[0])}", "at least one token a sentence")
        raise InputError([problem])
    return Encoded(sentences, ids, special, offsets, rule)


def _one_start(
    tokenizer: Any, rule: StartRule, ids: list[int], offsets: list[tuple[int, int]] | None, name: str
) -> tuple[list[int], list[bool], list[tuple[int, int]] | None]:
    """One start token in front, whatever the tokenizer added; offsets count from the sentence's start."""
    assert rule.token_id is not None
    assert rule.token is not None
    if rule.token_id not in ids:
        problem = Problem(
            name, f"a start token {quoted(rule.token)} that its tokenizer does not recognise in text",
            "a tokenizer that reads its own special tokens",
            "Check tokenizer_config.json: the token must be among the added tokens and marked special.",
        )  # fmt: skip
        raise InputError([problem])
    begin, end = ids.index(rule.token_id), len(ids)
    while begin < end and ids[begin] == rule.token_id:
        begin += 1
    while end > begin and ids[end - 1] == tokenizer.eos_token_id:
        end -= 1
    width = len(rule.token)
    placed = None
    if offsets is not None:
        placed = [(0, 0), *((max(0, a - width), max(0, b - width)) for a, b in offsets[begin:end])]
    return [rule.token_id, *ids[begin:end]], [True] + [False] * (end - begin), placed


def _encode_slowly(
    tokenizer: Any, sentences: list[str], options: dict[str, Any]
) -> tuple[list[list[int]], list[list[bool]], list[list[tuple[int, int]] | None]]:
    """For tokenizers written in Python: no offsets and no mask of what was added, so both are found here."""
    all_ids = [list(row) for row in tokenizer(sentences, **options)["input_ids"]]
    bare_options = {**options, "add_special_tokens": False}
    bare = [list(row) for row in tokenizer(sentences, **bare_options)["input_ids"]]
    special: list[list[bool]] = []
    offsets: list[list[tuple[int, int]] | None] = []
    for text, ids, content in zip(sentences, all_ids, bare, strict=True):
        extra = len(ids) - len(content)
        front = next((n for n in range(extra + 1) if ids[n : n + len(content)] == content), None)
        if front is None:  # adding special tokens changed the others: trust the flags that the tokenizer gives
            flags = [bool(f) for f in tokenizer.get_special_tokens_mask(ids, already_has_special_tokens=True)]
        else:
            flags = [not front <= place < front + len(content) for place in range(len(ids))]
        special.append(flags)
        tokens = [token for token, flag in zip(tokenizer.convert_ids_to_tokens(ids), flags, strict=True) if not flag]
        found = align(text, tokens, tokenizer.unk_token)
        if found is None:
            offsets.append(None)
        else:
            places = iter(found)
            offsets.append([(0, 0) if flag else next(places) for flag in flags])
    return all_ids, special, offsets
