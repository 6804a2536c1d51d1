"""On release 1.0.0 the gates find the known defects in the known numbers; on edition 2.0.0 nothing undeclared."""

from __future__ import annotations

import hashlib

import pytest

from winoqueer_nl.check import defects, run

EDITIONS = [(lang, edition) for lang in ("nl", "en") for edition in ("1.0.0", "2.0.0")]
# SHA-256 over the released rows (sentences, labels, in Dutch the predicate; tab-separated, sorted): release 1.0.0.
RELEASED = {
    "nl": (42906, "8ba971eafab1e7ec20aa6d6a8ebc9097360ded81d10094c0a808ae59b58974d3"),
    "en": (45540, "9e4a50be3f949361022328f45cfba67e468c6ad01ddefafc4b616267fe9d7fa4"),
}


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_release_1_0_0_is_rebuilt_to_the_letter(made, lang: str) -> None:
    pairs = made.context(lang, "1.0.0").pairs
    columns = ["sent_x", "sent_y", "identity_label", "counter_identity_label"] + ["predicate"] * (lang == "nl")
    text = "\n".join(sorted("\t".join(getattr(pair, column) for column in columns) for pair in pairs))
    assert (len(pairs), hashlib.sha256(text.encode()).hexdigest()) == RELEASED[lang]


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_the_record_of_the_release_is_that_of_these_pairs(made, lang: str) -> None:
    context = made.context(lang, "1.0.0")
    assert context.released_pairs is not None
    assert not context.differs_from_release


@pytest.mark.parametrize(("lang", "edition"), EDITIONS)
def test_nothing_undeclared_is_found(made, lang: str, edition: str) -> None:
    context = made.context(lang, edition)
    verdicts = run.judged(context, made.findings(lang, edition))
    assert [v.finding.text for v in verdicts if v.counts] == []
    assert [v.finding.text for v in verdicts if "lower the count" in v.finding.text] == []


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_known_defects_are_found_class_by_class_in_the_known_number(made, lang: str) -> None:
    counted = defects.rows(made.root, made.context(lang, "1.0.0"), made.findings(lang, "1.0.0"))
    assert len(counted) > 30
    differing = {row.example: (row.known, row.found) for row in counted if row.known != row.found}
    # Neutral names: counted by hand with the female ones, while the gate lets the noun stand with them.
    neutral = {
        "Mary ... a predatory man": (82, 42),
        "Mary ... just a straight man": (82, 42),
        "Mary ... biologically and mentally male": (82, 42),
    }
    assert differing == (neutral if lang == "en" else {})
    assert all(row.note for row in counted if row.known != row.found)


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_edition_2_0_0_has_none_of_the_known_defects_but_the_declared_ones(made, lang: str) -> None:
    gates = {f.gate for f in made.findings(lang, "2.0.0")}
    assert gates == ({"phrases", "double_word"} if lang == "nl" else {"phrases", "label"})


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_only_the_identity_term_differs_in_edition_2_0_0(made, lang: str) -> None:
    for pair in made.context(lang, "2.0.0").pairs:
        x, y = pair.term_x, pair.term_y
        assert pair.sent_x[: pair.span_start_x] + y + pair.sent_x[pair.span_end_x :] == pair.sent_y
        assert len(x.split()) == len(y.split())


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_a_planted_slip_is_found(made, lang: str) -> None:
    context = made.context(lang, "2.0.0")
    pair = context.pairs[0]
    spoilt = pair._replace(sent_x=pair.sent_x.replace(".", " .."))
    planted = run.Context(
        edition=context.edition, pairs=[spoilt, *context.pairs[1:]], language=context.language, all_coverage=[]
    )
    found = run.findings(planted, ["slot_only", "blanks", "final_mark"])
    assert {(f.gate, f.rows) for f in found} == {
        (gate, (pair.pair_id,)) for gate in ("slot_only", "blanks", "final_mark")
    }
