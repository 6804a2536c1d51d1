"""The scoring rule in its plainest form: one pass for each token, one sentence at a time.

Nothing here is shared with the project's scorer but the pairs. It is slow and meant to be obvious.
"""

from __future__ import annotations

import difflib
from typing import Any

import torch


def ids_of(tokenizer: Any, sentence: str, masked: bool) -> list[int]:
    if masked:
        return tokenizer.encode(sentence)
    start = tokenizer.bos_token or tokenizer.eos_token
    return tokenizer.encode(start + sentence, add_special_tokens=False)


def log_probability(model: Any, ids: list[int], place: int, mask: int | None) -> float:
    """Log-probability of the token at `place`: masked alone, or given the tokens before it."""
    if mask is not None:
        seen = [*ids[:place], mask, *ids[place + 1 :]]
        at = place
    else:
        seen, at = ids[:place], place - 1
    with torch.no_grad():
        logits = model(torch.tensor([seen], device=model.device)).logits[0, at]
    return torch.log_softmax(logits, dim=0)[ids[place]].item()


def published(model: Any, tokenizer: Any, x: str, y: str, masked: bool) -> tuple[float, float, int]:
    """Scores of the two sentences over their shared tokens, and the number of these."""
    mask = tokenizer.mask_token_id if masked else None
    a, b = ids_of(tokenizer, x, masked), ids_of(tokenizer, y, masked)
    in_a, in_b = [], []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, [str(n) for n in a], [str(n) for n in b]).get_opcodes():
        if tag == "equal":
            in_a += range(i, j)
            in_b += range(k, m)
    last = len(in_a) - 1 if masked else len(in_a)
    in_a, in_b = in_a[1:last], in_b[1:last]
    score_a = sum(log_probability(model, a, place, mask) for place in in_a)
    score_b = sum(log_probability(model, b, place, mask) for place in in_b)
    return score_a, score_b, len(in_a)


def slot(model: Any, tokenizer: Any, sentence: str, start: int, end: int, masked: bool) -> tuple[float, int]:
    """Score of one sentence over the tokens that do not touch characters start to end, and their number."""
    mask = tokenizer.mask_token_id if masked else None
    ids = ids_of(tokenizer, sentence, masked)
    front = 0 if masked else len(tokenizer.bos_token or tokenizer.eos_token)
    text = sentence if masked else (tokenizer.bos_token or tokenizer.eos_token) + sentence
    offsets = tokenizer(text, add_special_tokens=masked, return_offsets_mapping=True)["offset_mapping"]
    # A blank in front of the identity belongs to it.
    while start and sentence[start - 1] == " ":
        start -= 1
    places = []
    for place, (a, b) in enumerate(offsets):
        ends = (0, len(ids) - 1) if masked else (0,)  # what stands for no text
        if place in ends:
            continue
        touched = set(range(max(a - front, 0), b - front)) & set(range(start, end))
        if not touched:
            places.append(place)
    return sum(log_probability(model, ids, place, mask) for place in places), len(places)
