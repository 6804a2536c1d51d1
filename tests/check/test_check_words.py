"""Gates that look at words and tables, and the verdict on what gates find."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests_check_helpers import make_edition, make_pair, make_person

from winoqueer_nl.check.agreement import agreement
from winoqueer_nl.check.content_words import content_words
from winoqueer_nl.check.context import Finding
from winoqueer_nl.check.contrast import contrast, marked_pairs
from winoqueer_nl.check.coverage import coverage
from winoqueer_nl.check.gates import GATES
from winoqueer_nl.check.run import as_text, judged, report
from winoqueer_nl.check.settings import Agreement, Declared, IdentityWord, NonContrastive, Word, load
from winoqueer_nl.check.spelling import spelling
from winoqueer_nl.problems import InputError
from winoqueer_nl.schema import Coverage, Form, Name

GOOD = make_pair("All alpha people are odd.", "All beta people are odd.")
COMPLETE = [
    GOOD,
    GOOD._replace(pair_id="xx.s2.1.group.a.b", stereotype_id="s2"),
    *(
        make_person("odd", gender, name, pair_id=f"xx.{s}.11.{name.lower()}.a.b", stereotype_id=s)
        for s in ("s1", "s2")
        for gender, name in (("female", "Ann"), ("male", "Bob"))
    ),
]


def scopes(found: list[Finding]) -> list[str]:
    return [finding.scope for finding in found]


def test_the_dictionary_knows_words_in_any_case_and_names_are_words(context) -> None:
    pair = make_pair("Ann Likes alpha people.", "Ann Likes beta people.")
    assert spelling(context(pair, dictionary="en_US")) == []
    assert scopes(spelling(context(make_pair("Alll alpha people.", "All beta people."), dictionary="en_US"))) == [
        "Alll"
    ]


def test_the_word_list_accepts_and_rejects(context) -> None:
    pair = make_pair("Zzyx alpha people like HIV.", "Zzyx beta people like HIV.")
    words = [Word(word="Zzyx", use="accept"), Word(word="HIV", use="reject", instead="hiv")]
    found = spelling(context(pair, dictionary="en_US", words=words))
    assert scopes(found) == ["HIV"]
    assert "hiv" in found[0].text


def test_no_dictionary_no_finding(context) -> None:
    assert spelling(context(make_pair("Zzyx alpha people.", "Zzyx beta people."))) == []


def test_forms_that_share_their_lemmas_pass_and_others_are_named(context) -> None:
    forms = [
        Form(stereotype_id="s1", form="plural", text="are walking cats"),
        Form(stereotype_id="s1", form="singular", text="a walking cat"),
        Form(stereotype_id="s1", form="third", text="a walking dog"),
    ]
    settings = {"lemmas": "en", "function_words": ["are", "a"]}
    assert content_words(context(edition=make_edition(forms=forms[:2]), **settings)) == []
    assert scopes(content_words(context(edition=make_edition(forms=forms), **settings))) == ["s1.third"]


def test_a_particle_may_stand_apart_from_its_verb(context) -> None:
    forms = [
        Form(stereotype_id="s1", form="plural", text="komen op"),
        Form(stereotype_id="s1", form="singular", text="opkomen"),
    ]
    made = context(edition=make_edition(forms=forms), lemmas="nl", separable=["op"])
    assert content_words(made) == []


def test_a_pronoun_written_out_is_found_for_every_name_and_one_from_a_slot_for_none(context) -> None:
    rows = [
        Agreement(phrase="her", type="pronoun", genders="female"),
        Agreement(phrase="his", type="pronoun", genders="male"),
    ]

    def with_form(text: str) -> object:
        return make_edition(forms=[Form(stereotype_id="s1", form="singular", text=text)])

    people = [make_person("loves her cat"), make_person("loves her cat", "male", "Bob")]
    assert [len(f.rows) for f in agreement(context(*people, edition=with_form("loves her cat"), agreement=rows))] == [2]
    right = [make_person("loves her cat"), make_person("loves his cat", "male", "Bob")]
    assert agreement(context(*right, edition=with_form("loves {possessive} cat"), agreement=rows)) == []


def test_a_noun_is_found_with_names_it_does_not_fit(context) -> None:
    rows = [Agreement(phrase="an actress", type="noun", genders="female;neutral")]
    ann, bob = make_person("an actress"), make_person("an actress", "male", "Bob")
    assert [f.rows for f in agreement(context(ann, bob, agreement=rows))] == [(bob.pair_id,)]


def test_a_slot_of_another_gender_is_found_in_the_names_table(context) -> None:
    rows = [Agreement(phrase="her", type="slot", genders="female")]
    wrong = [Name(name_id="bob", type="name", gender="male", slots={"subject": "Bob", "possessive": "her"})]
    assert [f.rows for f in agreement(context(edition=make_edition(names=wrong), agreement=rows))] == [("names:bob",)]


def test_a_predicate_that_names_a_group_must_be_marked(context) -> None:
    pair = make_pair("All alpha people fear betas.", "All beta people fear betas.", predicate="fear betas")
    words = [IdentityWord(word="betas", identities="b")]
    assert scopes(contrast(context(pair, identity_words=words))) == ["s1"]
    mark = NonContrastive(stereotype_id="s1", counter_identity="b", reason="names itself")
    marked = context(pair, GOOD._replace(stereotype_id="s2"), identity_words=words, non_contrastive=[mark])
    assert contrast(marked) == []
    assert marked_pairs(marked) == [(pair.pair_id, "s1", "names itself")]


def test_a_mark_of_a_later_edition_does_not_count_yet(context) -> None:
    pair = make_pair("All alpha people fear betas.", "All beta people fear betas.", predicate="fear betas")
    mark = NonContrastive(stereotype_id="s1", reason="names itself", since="2.0.0")
    words = [IdentityWord(word="betas", identities="b")]
    assert scopes(contrast(context(pair, identity_words=words, non_contrastive=[mark]))) == ["s1"]


def test_everything_is_there_or_found(context) -> None:
    assert coverage(context(*COMPLETE)) == []
    found = coverage(context(*COMPLETE[:-1]))
    assert [f.rows for f in found] == [("xx.s2.11.bob.a.b",)]


def test_a_declared_absence_is_no_finding_unless_it_records_a_slip(context) -> None:
    row = {"stereotype_id": "s2", "identity": "a", "name_gender": "male", "copies": 0, "reason": "does not fit"}
    assert coverage(context(*COMPLETE[:-1], coverage=[Coverage(**row)])) == []
    assert scopes(coverage(context(*COMPLETE[:-1], coverage=[Coverage(**row, kind="coverage")]))) == ["s2.a"]
    other = Coverage(**(row | {"name_gender": "female"}))
    assert scopes(coverage(context(*COMPLETE[:-1], coverage=[other]))) == ["s2.a"]


def exception(count: int, scope: str | None = None) -> Declared:
    return Declared(gate="blanks", scope=scope, edition="1.0.0", count=count, reason="known")


FOUND = [Finding("blanks", "edge", ("p1", "p2"), "text"), Finding("blanks", "double", ("p2",), "text")]


def test_an_exception_declares_no_more_rows_than_it_counts(context) -> None:
    assert not any(v.counts for v in judged(context(exceptions=[exception(2)]), FOUND))
    assert sum(v.counts for v in judged(context(exceptions=[exception(1)]), FOUND)) == 2


def test_a_scope_narrows_an_exception(context) -> None:
    verdicts = judged(context(exceptions=[exception(2, "edge")]), FOUND)
    assert [v.finding.scope for v in verdicts if v.counts] == ["double"]


def test_an_exception_for_more_than_there_is_becomes_a_note(context) -> None:
    made = context(exceptions=[exception(7)])
    verdicts = judged(made, FOUND)
    assert not any(v.counts for v in verdicts)
    assert any("lower the count" in v.finding.text for v in verdicts)


def test_an_exception_of_another_edition_declares_nothing(context) -> None:
    row = exception(2).model_copy(update={"edition": "2.0.0"})
    assert all(v.counts for v in judged(context(exceptions=[row]), FOUND))


def test_severity_is_data(context) -> None:
    assert not any(v.counts for v in judged(context(severity={"blanks": "note"}), FOUND))


def test_the_report_names_every_row_of_an_undeclared_finding(context) -> None:
    made = context()
    verdicts = judged(made, FOUND)
    content = report(made, verdicts)
    assert content["undeclared_findings"] == 2
    assert [f["rows"] for f in content["findings"]] == [["p2"], ["p1", "p2"]]
    assert content["gates"]["blanks"] == {"rule": GATES["blanks"][1], "declared": 0, "undeclared": 2}
    assert "2 undeclared findings" in as_text(made, verdicts)


def test_a_language_without_settings_is_checked_without_words(tmp_path: Path) -> None:
    language = load(tmp_path, "xx")
    assert language.settings.dictionary is None
    assert language.words == []


def test_an_unknown_gate_and_a_bad_row_are_told_together(tmp_path: Path) -> None:
    folder = tmp_path / "templates/xx"
    folder.mkdir(parents=True)
    (folder / "exceptions.csv").write_text("gate,scope,edition,count,reason\nblancs,,1.0.0,1,why\n")
    (folder / "words.csv").write_text("word,use,instead,reason\nx,accpt,,\n")
    with pytest.raises(InputError) as caught:
        load(tmp_path, "xx")
    assert 'Did you mean "blanks"?' in caught.value.message()
    assert 'Did you mean "accept"?' in caught.value.message()


def test_an_unknown_dictionary_lemmatizer_and_severity_are_told_together(tmp_path: Path) -> None:
    folder = tmp_path / "templates/xx"
    folder.mkdir(parents=True)
    (folder / "check.yaml").write_text("dictionary: nl_NLL\nlemmas: zz\nseverity: {spellin: note}\n")
    with pytest.raises(InputError) as caught:
        load(tmp_path, "xx")
    message = caught.value.message()
    assert 'Did you mean "nl_NL"?' in message
    assert "zz" in message
    assert 'Did you mean "spelling"?' in message


def test_every_gate_is_explained_to_linguists() -> None:
    text = (Path(__file__).parents[2] / "docs/gates.md").read_text(encoding="utf-8")
    assert [gate for gate in GATES if f"`{gate}`" not in text] == []
