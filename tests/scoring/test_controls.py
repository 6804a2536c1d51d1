"""Positive and negative controls: a model that was taught one side must prefer it.

A tiny model trained on the stereotypical sentences alone scores above 90, one trained on the counter sentences
alone below 10, an untrained one near 50. The same for masked and causal models, under both span policies, with
the command line's own code from the files on.
"""

from __future__ import annotations

import pandas as pd
import pytest
import scoring_build as build
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from winoqueer_nl.scoring.run import score
from winoqueer_nl.scoring.settings import Settings

GROUPS = [f"groep{n}" for n in range(20)]
HALF = len(GROUPS) // 2
# One word each, so that nothing but the group tells which it is.
PREDICATES = (["smakken", "mokken", "jokken"], ["snurken", "mopperen", "zeuren"])


def one_sided_pairs():
    """Each half of the groups has a stereotype of its own; the counterpart is a group of the other half."""
    parts = []
    for half, predicates in enumerate(PREDICATES):
        templates = tuple(
            f"{start} leden van {{}} {predicate}" for predicate in predicates for start in ("Alle", "Veel", "Die")
        )
        pairs = build.made_up_pairs(templates, tuple(GROUPS))
        x, y = (pairs[f"{side}identity_label"].str.removeprefix("groep").astype(int) for side in ("", "counter_"))
        parts.append(pairs[(x // HALF == half) & ((x + HALF) % len(GROUPS) == y)])
        parts[-1] = parts[-1].assign(pair_id=f"half{half}." + parts[-1]["pair_id"])
    return pd.concat(parts, ignore_index=True)


def word_tokenizer(texts, masked):
    words = sorted({word for text in texts for word in text.split()})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: n for n, word in enumerate(special + words)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if masked:
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    else:
        names = {"bos_token": "[CLS]", "eos_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", **names)


def train(model, tokenizer, sentences, masked, steps=300):
    """Next-word or masked-word training on whole sentences of one length."""
    torch.manual_seed(1)
    model.train()
    front = "" if masked else tokenizer.bos_token + " "
    ids = torch.tensor([tokenizer.encode(front + s, add_special_tokens=masked) for s in sentences])
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        batch = ids[torch.randint(len(ids), (64,))]
        if masked:
            places = torch.randint(1, batch.shape[1] - 1, (len(batch),))
            lines = torch.arange(len(batch))
            seen = batch.clone()
            seen[lines, places] = tokenizer.mask_token_id
            loss = torch.nn.functional.cross_entropy(model(input_ids=seen).logits[lines, places], batch[lines, places])
        else:
            loss = model(input_ids=batch, labels=batch).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_a_model_prefers_the_side_it_was_taught(name, tmp_path):
    masked = name == "bert"
    pairs = one_sided_pairs()
    pairs.to_parquet(tmp_path / "pairs.parquet")
    tokenizer = word_tokenizer([*pairs["sent_x"], *pairs["sent_y"]], masked)
    found = {}
    for taught in ("sent_x", "sent_y", None):
        model = build.model(name, len(tokenizer), seed=3, spread=0.05)
        if taught:
            train(model, tokenizer, pairs[taught].tolist(), masked)
        folder = tmp_path / str(taught)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        report = score(str(folder), tmp_path / "pairs.parquet", folder / "out", Settings(device="cpu", quiet=True))
        found[taught] = report
    for policy in ("published", "slot"):
        percentage = {t: r["results"][policy]["bias_score"]["percentage"] for t, r in found.items()}
        assert percentage["sent_x"] > 90, percentage
        assert percentage["sent_y"] < 10, percentage
        assert 35 < percentage[None] < 65, percentage
    # The canary knows which of the three never learned anything.
    assert [found[t]["canary"]["looks_untrained"] for t in ("sent_x", "sent_y", None)] == [False, False, True]
    assert any("looks untrained" in text for text in found[None]["warnings"])
