"""Gates that look at the characters of a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests_check_helpers import make_pair, make_person

from winoqueer_nl.check.blanks import blanks
from winoqueer_nl.check.carriers import carrier, repeated_verb
from winoqueer_nl.check.context import Finding
from winoqueer_nl.check.difference import slot_only
from winoqueer_nl.check.marks import capital_first, final_mark, signs
from winoqueer_nl.check.phrases import double_word, phrases
from winoqueer_nl.check.placeholders import placeholders
from winoqueer_nl.check.repeats import repeats
from winoqueer_nl.check.settings import Phrase
from winoqueer_nl.check.terms import label, term_casing, term_form, term_wording

GOOD = make_pair("All alpha people are odd.", "All beta people are odd.")


def scopes(found: list[Finding]) -> list[str]:
    return [finding.scope for finding in found]


def test_a_good_pair_passes_every_gate_of_this_file(context) -> None:
    good = context(GOOD, foreign_signs="’", phrases=[Phrase(phrase="quite odd")])
    for gate in (slot_only, blanks, final_mark, signs, capital_first, phrases, double_word, placeholders, repeats):
        assert gate(good) == []
    for gate in (term_form, term_casing, term_wording, carrier, repeated_verb):
        assert gate(good) == []


def test_a_difference_outside_the_term_is_found_and_one_inside_is_not(context) -> None:
    other = make_pair("All alpha people are odd.", "Most beta people are odd.")
    assert [f.rows for f in slot_only(context(GOOD, other))] == [(other.pair_id,)]


@given(st.text(alphabet="abc .,", max_size=12), st.text(alphabet="abc .,", max_size=12), st.booleans())
def test_slot_only_agrees_with_cutting_the_terms_out(before: str, after: str, same: bool) -> None:
    from tests_check_helpers import make_edition

    from winoqueer_nl.check.context import Context
    from winoqueer_nl.check.settings import Language, Settings

    pair = make_pair(
        f"{before}ALPHA{after}", f"{before}BETA{after if same else after + '!'}", term_x="ALPHA", term_y="BETA"
    )
    toy = Context(make_edition(), [pair], Language(Settings(), [], [], [], [], [], []), [])
    assert bool(slot_only(toy)) is not same


@pytest.mark.parametrize(
    ("sentence", "scope"),
    [
        ("All  alpha people are odd.", "double:carrier"),
        ("All alpha people are odd. ", "edge"),
        ("All alpha people are odd .", "before_mark"),
        ("All alpha people are\nodd.", "line_break"),
    ],
)
def test_blanks_are_told_apart_by_where_they_stand(context, sentence: str, scope: str) -> None:
    assert scopes(blanks(context(make_pair(sentence, "All beta people are odd.")))) == [scope]


def test_two_blanks_inside_a_term_are_the_terms(context) -> None:
    pair = make_pair("All alpha  people are odd.", "All beta people are odd.", "alpha  people")
    assert scopes(blanks(context(pair))) == ["double:term"]


@pytest.mark.parametrize(
    ("end", "scope"), [("", "none"), ("..", "double"), (". .", "double_apart"), (".", None), ("!", None)]
)
def test_a_sentence_ends_in_one_mark(context, end: str, scope: str | None) -> None:
    found = final_mark(context(make_pair(f"All alpha people are odd{end}", "All beta people are odd.")))
    assert scopes(found) == ([scope] if scope else [])


def test_marks_of_another_script_are_a_setting(context) -> None:
    pair = make_pair("alpha people are odd۔", "beta people are odd۔")
    assert scopes(final_mark(context(pair))) == ["none"]
    assert final_mark(context(pair, final_marks="۔")) == []


def test_a_script_without_capitals_needs_none(context) -> None:
    assert capital_first(context(make_pair("כל alpha people.", "כל beta people."))) == []
    assert scopes(capital_first(context(make_pair("all alpha people.", "All beta people.")))) == ["1"]


def test_both_kinds_of_apostrophe_in_one_sentence_are_mixed(context) -> None:
    pair = make_pair("All alpha people can’t or won't.", "All beta people can.")
    assert sorted(scopes(signs(context(pair, foreign_signs="’")))) == ["foreign", "mixed"]


def test_a_phrase_counts_as_whole_words_in_any_case(context) -> None:
    listed = [Phrase(phrase="are odd", instead="are peculiar")]
    assert scopes(phrases(context(GOOD, phrases=listed))) == ["are odd"]
    assert phrases(context(make_pair("All alpha people are oddly.", "All beta people x."), phrases=listed)) == []


def test_a_word_twice_is_found_but_not_a_longer_word_that_starts_alike(context) -> None:
    assert scopes(double_word(context(make_pair("All alpha people are are odd.", "All beta people x.")))) == ["are"]
    assert double_word(context(make_pair("All alpha people are are-odd.", "All beta people x."))) == []


def test_unfinished_text_and_an_untranslated_gloss_are_found(context) -> None:
    from tests_check_helpers import make_edition

    from winoqueer_nl.schema import Form

    assert scopes(placeholders(context(make_pair("All alpha people TODO.", "All beta people.")))) == ["TODO"]
    copied = make_edition(forms=[Form(stereotype_id="s1", form="plural", text="gloss of s1")])
    assert scopes(placeholders(context(edition=copied))) == ["untranslated"]
    assert placeholders(context(edition=copied, gloss_language=True)) == []


def test_repeats_are_exact_or_near(context) -> None:
    twin = GOOD._replace(pair_id="xx.s2.1.group.a.b")
    near = make_pair("All alpha  people are odd!", "All beta people are odd", "alpha  people", pair_id="xx.near")
    found = {f.scope: f.rows for f in repeats(context(GOOD, twin, near))}
    assert found == {"exact": (twin.pair_id,), "near": ("xx.near",)}


def test_terms_of_different_syntax_are_found_and_unknown_ones_named(context) -> None:
    mixed = make_pair("All alpha people are odd.", "All beta are odd.", term_y="beta")
    unknown = make_pair("All alphas are odd.", "All beta people are odd.", term_x="alphas")
    assert scopes(term_form(context(mixed, unknown))) == ["a", "unknown:alphas"]


def test_a_capital_term_inside_a_sentence_is_found_but_no_initialism_and_no_first_word(context) -> None:
    inside = make_pair("All Alpha people are odd.", "All beta people are odd.", "Alpha people")
    first = make_pair("Alpha people are odd.", "Beta people are odd.", "Alpha people", "Beta people")
    initialism = make_pair("All ABC people are odd.", "All beta people are odd.", "ABC people")
    assert [(f.scope, f.rows) for f in term_casing(context(inside, first, initialism))] == [("x", (inside.pair_id,))]
    assert term_casing(context(inside, lower_case_terms=False)) == []


def test_the_less_frequent_wording_of_a_term_is_found(context) -> None:
    odd = make_pair("All alphas are odd.", "All beta people are odd.", "alphas", pair_id="xx.odd")
    assert [f.rows for f in term_wording(context(GOOD, GOOD, odd))] == [("xx.odd",)]


def test_labels_are_compared_only_where_a_language_asks_for_it(context) -> None:
    pair = GOOD._replace(identity_label="A")
    assert label(context(pair)) == []
    assert scopes(label(context(pair, labels_in_terms=True))) == ["A"]


def test_the_less_frequent_carrier_is_found_whatever_the_filling(context) -> None:
    ann, bob = make_person("odd"), make_person("sad", "male", "Bob", stereotype_id="s2")
    assert carrier(context(ann, bob)) == []
    other = make_person("odd", pair_id="xx.other")._replace(sent_x="Ann is alpha or odd.")
    assert [f.rows for f in carrier(context(ann, bob, other))] == [("xx.other",)]


def test_a_verb_before_the_term_is_not_repeated_in_the_predicate(context) -> None:
    assert scopes(repeated_verb(context(make_person("is odd")))) == ["toy"]
    assert repeated_verb(context(make_person("has odd friends"))) == []
