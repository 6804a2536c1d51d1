"""Does the model know the language at all, and does its tokenizer belong to it?

Scores of an untrained model, or of a good one behind the wrong tokenizer, look like any others. A trained
model finds real sentences more probable than the same words shuffled; one that does not is worth a warning.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.scoring.shards import Store
from winoqueer_nl.scoring.tokenizing import Encoded, encode
from winoqueer_nl.scoring.tokens import Needed
from winoqueer_nl.scoring.work import Plan

#: Sentences looked at, and the fewest words of one.
SENTENCES, FEWEST_WORDS = 24, 4
#: Below this many standard errors above zero, the gain over shuffled words is called none.
SURE = 3.0
#: And below this gain per token (natural log). Trained models gain one or more; a random one can prefer some
#: words in some places, and then does so in all sentences of a template.
LEAST_GAIN = 0.1
#: Shares of unknown tokens, and of letters lost in the tokenizer, from which on it does not fit.
MOST_UNKNOWN, MOST_LOST = 0.01, 0.02
#: Share of unknown tokens from which on there is nothing to score.
HOPELESS = 0.5


def _rank(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def shuffled(sentence: str) -> str:
    """The same words in a fixed random order that differs from the sentence's own."""
    words = sentence.split()
    keyed = sorted(range(len(words)), key=lambda n: _rank(f"{n} {sentence}"))
    mixed = [words[n] for n in keyed]
    return " ".join(mixed if mixed != words else mixed[1:] + mixed[:1])


def all_tokens(encoded: Encoded) -> Needed:
    """Every token that stands for text, as a list of needed tokens without pairs."""
    places = [(s, p) for s, flags in enumerate(encoded.special) for p, flag in enumerate(flags) if not flag]
    table = np.array(places, dtype=np.int64)
    none = np.array([], dtype=np.int64)
    return Needed(encoded, table[:, 0], table[:, 1], {}, 0, none, none)


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFC", text).casefold() if c.isalnum())


def tokenizer_warnings(tokenizer: Any, encoded: Encoded, name: str) -> tuple[dict[str, float], list[str]]:
    """Shares of unknown tokens and of lost letters, and what to say about them.

    Raises :class:`InputError` where half of the tokens or more are unknown: `name` is the model it is about.
    """
    unknown = tokenizer.unk_token_id
    starts = encoded.start.token_id
    tokens = [
        i for ids, flags in zip(encoded.ids, encoded.special, strict=True) for i in np.array(ids)[~np.array(flags)]
    ]
    share = sum(i == unknown for i in tokens) / len(tokens) if unknown is not None and unknown != starts else 0.0
    if share >= HOPELESS:
        problem = Problem(
            name, f"a tokenizer to which {share:.1%} of the tokens are unknown", "one that knows the language's words",
            "Is it the tokenizer that the model was trained with? Put that one's files into the model's folder. If "
            "it is, the model does not know the script or language of the pairs and cannot be scored on them.",
        )  # fmt: skip
        raise InputError([problem])
    wanted = lost = 0
    for text, ids, flags in list(zip(encoded.sentences, encoded.ids, encoded.special, strict=True))[:200]:
        kept = [i for i, flag in zip(ids, flags, strict=True) if not flag]
        back = _letters(tokenizer.decode(kept, skip_special_tokens=False))
        plain = _letters(text)
        wanted += len(plain)
        lost += sum(max(0, plain.count(c) - back.count(c)) for c in set(plain))
    figures = {"unknown_tokens": round(share, 6), "letters_lost": round(lost / max(wanted, 1), 6)}
    figures["characters_per_token"] = round(sum(map(len, encoded.sentences)) / len(tokens), 3)
    found = []
    if figures["unknown_tokens"] > MOST_UNKNOWN:
        found.append(f"The tokenizer does not fit: {share:.1%} of the tokens are unknown to it.")
    if figures["letters_lost"] > MOST_LOST:
        found.append(f"The tokenizer does not fit: it loses {figures['letters_lost']:.1%} of the letters.")
    return figures, found


def canary(
    tokenizer: Any,
    kind: str,
    name: str,
    sentences: list[str],
    plan: Callable[[Needed], Plan],
    store: Store,
    engine: Any,
) -> tuple[dict[str, Any], list[str]]:
    """Compare real sentences with shuffled ones; figures for the summary, and warnings.

    The gain is a sentence's mean log-probability per token (natural log) minus that of its shuffled words.
    """
    usable = sorted({s for s in sentences if len(s.split()) >= FEWEST_WORDS}, key=_rank)[:SENTENCES]
    usable = [s for s in usable if shuffled(s) != s]
    if len(usable) < 8:
        return {"sentences": len(usable)}, ["Too few sentences of four words to tell whether the model is trained."]
    encoded = encode(tokenizer, usable + [shuffled(s) for s in usable], kind, name)
    needed = all_tokens(encoded)
    engine.use("float32")
    values = store.compute("canary", plan(needed), needed, engine)
    means = np.bincount(needed.sentence, weights=values) / np.bincount(needed.sentence)
    n = len(usable)
    gain = means[:n] - means[n:]
    error = float(gain.std(ddof=1)) / math.sqrt(n)
    sure = float(gain.mean()) / error if error else (math.inf if gain.mean() > 0 else 0.0)
    untrained = bool(sure < SURE or gain.mean() < LEAST_GAIN)
    vocabulary = engine.parts.vocabulary
    figures = {
        "sentences": n,
        "mean_log_probability": round(float(means[:n].mean()), 4),
        "mean_log_probability_shuffled": round(float(means[n:].mean()), 4),
        "gain": round(float(gain.mean()), 4),
        "gain_in_standard_errors": round(min(sure, 1e6), 2),
        "looks_untrained": untrained,
    }
    found = []
    if untrained:
        found.append(
            "The model looks untrained: it finds these sentences no more probable than the same words "
            "shuffled. Its scores say nothing about bias."
        )
    if float(means[:n].mean()) < -math.log(vocabulary):
        found.append(
            "The model does worse than guessing among its whole vocabulary: is the tokenizer another's, are "
            "the weights damaged?"
        )
    return figures, found
