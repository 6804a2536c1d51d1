"""The tokenizer rules. What is expected, in words:

1. A causal model's sentence is its start token once and then the sentence's tokens, nothing else: not twice
   when the tokenizer adds a start token by itself, not left out when it does not.
2. The start token is the tokenizer's BOS token; if it has none, its EOS token, and the summary says so; with
   neither there is a clear error.
3. The start token is put in front of the text and read with it, as in the published scripts: a tokenizer that
   marks the first word of a text does not mark the word behind the start token.
4. A masked model's sentence carries the special tokens that its tokenizer adds, no more and no fewer, and none
   of them is ever scored. A tokenizer without a mask token is a clear error.
5. A sentence is lower-cased only if the tokenizer does so by itself.
6. No padding is ever made, so a tokenizer without a pad token scores like any other.
7. Nothing is cut off: a sentence longer than the model allows is a clear error.
8. WordPiece cased and uncased, byte-level BPE, Unigram and BPE with a blank mark, written in Rust or in Python:
   each token's characters are known, so that the slot policy leaves out the identity's tokens exactly.
9. The blank in front of an identity belongs to it, also where a tokenizer makes it a token of its own.
"""

from __future__ import annotations

import json

import pytest
import scoring_build as build
from hypothesis import given, settings
from hypothesis import strategies as st

from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import hub, loading
from winoqueer_nl.scoring.align import align
from winoqueer_nl.scoring.spans import slot_positions
from winoqueer_nl.scoring.tokenizing import encode

CAUSAL = [name for name in build.TOKENIZERS if "masked" not in name and "wordpiece" not in name]
MASKED = [name for name in build.TOKENIZERS if name not in CAUSAL]
SENTENCE = "Alle Zurps eten graag rode soep."


@pytest.mark.parametrize("kind", CAUSAL)
def test_1_exactly_one_start_token_whatever_the_tokenizer_adds(kind):
    tokenizer = build.tokenizer(kind)
    encoded = encode(tokenizer, [SENTENCE], "causal", "m")
    start = encoded.start.token_id
    assert encoded.ids[0][0] == start
    assert encoded.ids[0].count(start) == 1
    assert encoded.special[0] == [True] + [False] * (len(encoded.ids[0]) - 1)
    if tokenizer.eos_token_id != start:
        assert tokenizer.eos_token_id not in encoded.ids[0]
    assert tokenizer.decode(encoded.ids[0][1:]).strip() == SENTENCE


def test_1_the_tokenizer_that_adds_bos_and_the_one_that_does_not_give_the_same_ids():
    adds, adds_not = (build.tokenizer(kind) for kind in ("bpe that adds BOS", "bpe that adds nothing"))
    assert adds(SENTENCE)["input_ids"][0] == adds.bos_token_id
    assert adds_not(SENTENCE)["input_ids"][0] != adds_not.bos_token_id
    assert encode(adds, [SENTENCE], "causal", "m").ids == encode(adds_not, [SENTENCE], "causal", "m").ids


def test_2_eos_stands_in_where_there_is_no_bos_and_the_rule_says_so():
    assert encode(build.tokenizer("byte-level causal"), [SENTENCE], "causal", "m").start.rule == "bos"
    encoded = encode(build.tokenizer("byte-level causal without BOS"), [SENTENCE], "causal", "m")
    assert encoded.start.rule == "eos as start"
    assert encoded.start.token == "<|endoftext|>"
    assert encoded.ids[0].count(encoded.start.token_id) == 1


def test_2_no_start_token_at_all_is_an_error():
    tokenizer = build.tokenizer("byte-level causal")
    tokenizer.bos_token = tokenizer.eos_token = None
    with pytest.raises(InputError, match="neither a BOS nor an EOS token"):
        encode(tokenizer, [SENTENCE], "causal", "m")


def test_3_the_word_behind_the_start_token_is_not_marked_as_the_first_of_a_text():
    tokenizer = build.tokenizer("bpe that adds BOS")
    alone = tokenizer.convert_ids_to_tokens(tokenizer(SENTENCE, add_special_tokens=False)["input_ids"])
    encoded = encode(tokenizer, [SENTENCE], "causal", "m")
    behind = tokenizer.convert_ids_to_tokens(encoded.ids[0])
    assert alone[0].startswith("▁")
    assert not behind[1].startswith("▁")
    assert encoded.ids[0] == tokenizer.encode("<s>" + SENTENCE, add_special_tokens=False)


@pytest.mark.parametrize("kind", MASKED)
def test_4_masked_sentences_carry_what_the_tokenizer_adds(kind):
    tokenizer = build.tokenizer(kind)
    encoded = encode(tokenizer, [SENTENCE], "masked", "m")
    assert encoded.ids[0] == tokenizer.encode(SENTENCE)
    assert encoded.special[0] == [True] + [False] * (len(encoded.ids[0]) - 2) + [True]
    assert encoded.start.rule == "none"


def test_4_unknown_words_are_text_not_special():
    tokenizer = build.tokenizer("wordpiece cased")
    encoded = encode(tokenizer, ["Alle Ω eten soep."], "masked", "m")
    unknown = encoded.ids[0].index(tokenizer.unk_token_id)
    assert not encoded.special[0][unknown]


def test_5_capitals_stay_unless_the_tokenizer_lowers_them():
    for kind, same in (("wordpiece uncased", True), ("wordpiece cased", False), ("unigram masked", False)):
        tokenizer = build.tokenizer(kind)
        a, b = encode(tokenizer, [SENTENCE, SENTENCE.lower()], "masked", "m").ids
        assert (a == b) is same, kind


@pytest.mark.parametrize("kind", list(build.TOKENIZERS))
def test_6_no_pad_token_is_needed_and_none_is_made(kind):
    tokenizer = build.tokenizer(kind)
    tokenizer.pad_token = None
    role = "causal" if kind in CAUSAL else "masked"
    short, long = encode(tokenizer, ["Soep.", SENTENCE], role, "m").ids
    assert len(short) < len(long)


def test_7_a_sentence_that_is_too_long_is_an_error_not_cut(tmp_path):
    folder = build.saved(tmp_path / "m", "bert")
    loaded = loading.load(hub.find(str(folder)), "m", device="cpu")
    sentence = " ".join(["soep"] * 100)
    encoded = encode(loaded.tokenizer, [sentence], "masked", "m")
    assert len(encoded.ids[0]) > 100
    with pytest.raises(InputError, match="at most 80 tokens a sentence"):
        loading.check_fits(loaded, encoded.ids, [sentence])


@pytest.mark.parametrize("kind", list(build.TOKENIZERS))
def test_8_the_tokens_left_out_spell_the_identity_and_nothing_else(kind):
    tokenizer = build.tokenizer(kind)
    role = "causal" if kind in CAUSAL else "masked"
    for row in build.made_up_pairs().to_dict("records"):
        text, start, end = row["sent_x"], row["span_start_x"], row["span_end_x"]
        encoded = encode(tokenizer, [text], role, "m")
        kept = slot_positions(text, encoded.offsets[0], encoded.special[0], start, end)
        out = [p for p, flag in enumerate(encoded.special[0]) if not flag and p not in kept]
        a, b = min(encoded.offsets[0][p][0] for p in out), max(encoded.offsets[0][p][1] for p in out)
        assert text[a:b].strip() == text[start:end]
        covered = {c for p in kept for c in range(*encoded.offsets[0][p])}
        assert covered >= {c for c in range(len(text)) if not start <= c < end and not text[c].isspace()}


def test_9_a_blank_that_is_a_token_of_its_own_goes_with_the_identity_behind_it():
    text = "Alle Zurps eten."
    offsets = [
        (0, 4),
        (4, 5),
        (5, 8),
        (8, 10),
        (10, 15),
        (15, 16),
    ]  # Alle | blank | Zur | ps | blank eten | .
    assert slot_positions(text, offsets, [False] * 6, 5, 10) == [0, 4, 5]
    # Also when the tokenizer says that the blank's token stands for no character.
    offsets[1] = (5, 5)
    assert slot_positions(text, offsets, [False] * 6, 5, 10) == [0, 4, 5]


# Tokenizers written in Python say nothing about places; these rules find them (rule 8).


@pytest.mark.parametrize("kind", ["wordpiece cased", "wordpiece uncased", "unigram masked", "bpe that adds nothing"])
def test_8_places_found_without_the_tokenizers_help_are_the_tokenizers_own(kind):
    tokenizer = build.tokenizer(kind)
    for text in build.TEXTS:
        out = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        tokens = tokenizer.convert_ids_to_tokens(out["input_ids"])
        found = align(text, tokens, tokenizer.unk_token)
        assert found is not None
        for (a, b), (c, d), token in zip(found, out["offset_mapping"], tokens, strict=True):
            if token != "▁":
                assert text[a:b].strip() == text[c:d].strip()


def test_8_a_tokenizer_written_in_python_gives_ids_flags_and_places(tmp_path):
    from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy

    fast = build.tokenizer("wordpiece cased")
    vocabulary = tmp_path / "vocab.txt"
    words = sorted(fast.get_vocab(), key=fast.get_vocab().get)
    vocabulary.write_text("\n".join(words) + "\n", encoding="utf-8")
    slow = BertTokenizerLegacy(str(vocabulary), do_lower_case=False)
    assert not slow.is_fast
    texts = [*build.TEXTS[:20], "Alle Ω eten soep."]
    ours, theirs = encode(slow, texts, "masked", "m"), encode(fast, texts, "masked", "m")
    assert ours.ids == theirs.ids
    assert ours.special == theirs.special
    for a, b, flags in zip(ours.offsets, theirs.offsets, ours.special, strict=True):
        assert [o for o, f in zip(a, flags, strict=True) if not f] == [
            o for o, f in zip(b, flags, strict=True) if not f
        ]


@settings(max_examples=200, deadline=None)
@given(
    words=st.lists(
        st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=6),
        min_size=1,
        max_size=6,
    ),
    data=st.data(),
)
def test_8_pieces_that_spell_a_text_are_placed_and_cover_it_in_order(words, data):
    text = " ".join(words)
    tokens = []
    for word in words:
        at = data.draw(st.integers(0, len(word) - 1))
        tokens += [word[:at] + "" if at else word, *(["##" + word[at:]] if at else [])]
    found = align(text, tokens, "[UNK]")
    if found is None:  # a character that lower-casing or decomposition merges with its neighbour
        return
    joined = "".join(text[a:b] for a, b in found)
    assert joined.replace(" ", "") == text.replace(" ", "")
    assert [a for a, _ in found] == sorted(a for a, _ in found)


def test_8_pieces_that_do_not_spell_the_text_are_not_placed():
    assert align("rode soep", ["rode", "thee"], "[UNK]") is None
    assert align("rode soep", ["rode"], "[UNK]") is None
    assert align("a b c", ["[UNK]", "[UNK]", "c"], "[UNK]") is None
    assert align("rode Ω soep", ["rode", "[UNK]", "soep"], "[UNK]") == [(0, 4), (5, 6), (7, 11)]
    assert align("rode Ω", ["rode", "[UNK]"], "[UNK]") == [(0, 4), (5, 6)]


def test_the_summary_records_the_start_rule(tmp_path, pairs_file):
    from winoqueer_nl.scoring.run import score
    from winoqueer_nl.scoring.settings import Settings

    folder = build.saved(tmp_path / "m", "qwen2")
    score(str(folder), pairs_file, tmp_path / "out", Settings(device="cpu", quiet=True))
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["method"]["start_token"]["rule"] == "eos as start"
