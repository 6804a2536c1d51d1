"""Comparing two releases: every change is found, explained, and asks for the version number that is honest."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release import toy_release
from release.toy_release import VOTES, added, corrected
from winoqueer_nl.problems import InputError
from winoqueer_nl.release import corrections
from winoqueer_nl.release.bump import actual_bump, check_bump, least_bump, next_version
from winoqueer_nl.release.diff import Change, Level, compare, grouped
from winoqueer_nl.release.layout import CHANGELOG, PAIRS, Release
from winoqueer_nl.release.wording import carrier, kind_of_change, words

#: Template 2 without the blank before its full stop; its odd variant says something else.
SPACED = "Nuv rass {identity} vi {predicate}."

Versions = Callable[..., tuple[Release, Release]]


def kinds(changes: list[Change]) -> set[tuple[str, str, str]]:
    return {(c.what, c.action, c.level.name) for c in changes}


def test_the_same_release_has_no_changes(built: Release) -> None:
    assert compare(built, built) == []
    assert least_bump([]) == Level.NONE


def test_a_corrected_spelling_is_a_patch_and_names_its_correction(versions: Versions) -> None:
    change = corrected("forms", "1.0.1", {"text": "ban brel"}, {"text": "ban brell"}, "doubled letter")
    old, new = versions(change)
    changes = compare(old, new)
    assert kinds(changes) == {("sentence pair", "changed", "PATCH")}
    before, after = (r.table(PAIRS).to_pandas().set_index("pair_id") for r in (old, new))
    assert {c.id for c in changes} == set(before.index[before["sent_x"] != after["sent_x"]])
    assert all([x.label for x in c.corrections] == ["forms wq001 / plural: doubled letter"] for c in changes)
    assert changes[0].before == before.loc[changes[0].id, "sent_x"]
    assert changes[0].after == after.loc[changes[0].id, "sent_x"]


def test_only_the_correction_that_touches_a_pair_explains_it(versions: Versions) -> None:
    old, new = versions(
        corrected("forms", "1.0.1", {"text": "ban brel"}, {"text": "ban brell"}, "first"),
        corrected("names", "1.0.1", {"name_id": "emba"}, {"slot_subject": "Embba"}, "second"),
        corrected("forms", "1.0.1", {"text": "ha dronk"}, {"text": "ha dronkk"}, "third"),
    )
    changes = [c for c in compare(old, new) if c.what == "sentence pair"]
    told = {c.id: {x.reason for x in c.corrections} for c in changes}
    assert told["qq.wq001.1.group.mirn.plain"] == {"first"}
    assert told["qq.wq001.3.emba.mirn.plain"] == {"second"}
    assert told["qq.wq002.3.emba.mirn.plain"] == {"second", "third"}
    assert told["qq.wq002.3.tiv.mirn.plain"] == {"third"}


def test_a_change_that_no_correction_explains_is_said_to_be_so(versions: Versions) -> None:
    old, new = versions()
    path = new.folder / "pairs/test-00000-of-00001.parquet"
    table = new.table(PAIRS).replace_schema_metadata(None)
    texts = table["sent_x"].to_pylist()
    texts[0] = texts[0].replace("brel", "breel")
    from winoqueer_nl.release.subsets import write_parquet

    place = table.schema.get_field_index("sent_x")
    write_parquet(table.set_column(place, "sent_x", [texts]), path)
    (change,) = compare(old, Release(new.folder, "new"))
    assert change.corrections == ()
    from winoqueer_nl.release.changelog import line

    assert "No correction in the tables explains any of this" in line(grouped([change])[0])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        # spacing in a template: text; another wording of it: a template
        (corrected("templates", "1.0.1", {"template_id": "2"}, {"sentence": SPACED}, "a reason"),
         ("sentence pair", "changed", "PATCH")),
        (corrected("templates", "1.0.1", {"template_id": "1"}, {"sentence": "Oll {identity} {predicate}."}, "a reason"),
         ("sentence pair", "changed", "MAJOR")),
        # the odd wording of one sentence of the pair made like the other one
        (corrected("variants", "1.0.1", {"template_id": "2"}, {"sentence": SPACED}, "a reason"),
         ("sentence pair", "changed", "PATCH")),
        # capitals of an identity term: text; another term: the identity is another one
        (corrected("identity_forms", "1.0.1", {"text": "Mirn"}, {"text": "mirn"}, "a reason"),
         ("sentence pair", "changed", "PATCH")),
        (corrected("identity_forms", "1.0.1", {"text": "Solv"}, {"text": "Sylva"}, "a reason"),
         ("sentence pair", "changed", "MAJOR")),
        (corrected("identities", "1.0.1", {"identity_id": "mirn"}, {"label": "Mirna"}, "a reason"),
         ("sentence pair", "changed", "MAJOR")),
        # more of it
        (added("names", "1.0.1", {"name_id": "uv", "type": "name", "gender": "neutral", "slot_subject": "Uv"}),
         ("name", "added", "MINOR")),
        (added("identities", "1.0.1", {"identity_id": "gorp", "label": "Gorp", "metadata_label": "Gorp",
                                       "counter_identities": "common", "name_genders": "neutral"}),
         None),
        # less of it
        (corrected("names", "1.0.1", {"name_id": "tiv"}, {"name_id": "tov"}, "a reason"), ("name", "removed", "MAJOR")),
    ],
)  # fmt: skip
def test_what_changed_in_the_tables_asks_for_its_level(
    versions: Versions, change: Callable, expected: tuple[str, str, str] | None
) -> None:
    old, new = versions(change)
    found = kinds(compare(old, new))
    assert (expected in found) if expected else (found == set()), found


def test_a_stereotype_added_is_a_minor_one_and_its_pairs_too(versions: Versions) -> None:
    row = {"stereotype_id": "sv002", "type": "predicate", "origin": "survey-2025", "gloss": "are zorp"}
    old, new = versions(
        added("stereotypes", "1.1.0", row | {"gloss_singular": "is zorp", "identities": "mirn"}),
        added(
            "forms",
            "1.1.0",
            {"stereotype_id": "sv002", "form": "plural", "text": "ban zorp"},
            {"stereotype_id": "sv002", "form": "single", "text": "zorp"},
        ),
        version="1.1.0",
    )
    assert kinds(compare(old, new)) == {("stereotype", "added", "MINOR"), ("sentence pair", "added", "MINOR")}
    assert ("stereotype", "removed", "MAJOR") in kinds(compare(new, old))


def test_another_tier_is_a_major_one_and_other_figures_of_the_survey_a_minor_one(versions: Versions) -> None:
    old, new = versions(votes=(VOTES, VOTES | {"wq001": (7, 4, 0, 2)}))
    found = compare(old, new)
    assert ("tier", "changed", "MAJOR") in kinds(found)
    assert {c.id for c in found if c.what == "tier"} == {"wq001"}
    old, new = versions(votes=(VOTES, VOTES | {"wq001": (9, 1, 0, 1)}))
    found = compare(old, new)
    assert kinds(found) == {("survey count", "changed", "MINOR")}
    assert [(c.id, c.before, c.after) for c in found] == [("relevance / wq001 / yes", "8", "9")]


def test_scores_added_are_minor_and_removed_or_changed_ones_major(versions: Versions, toy_project: object) -> None:
    old, new = versions(scores=(False, True))
    assert ("subset", "added", "MINOR") in kinds(compare(old, new))
    assert ("subset", "removed", "MAJOR") in kinds(compare(new, old))


def test_changed_scores_of_unchanged_pairs_are_a_changed_rule(
    versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, _ = versions(scores=(True, True))
    original = toy_release.write_scores
    monkeypatch.setattr(toy_release, "write_scores", lambda root, version: original(root, version, shift=0.01))
    root = old.folder.parent.parent / "project"
    new = toy_release.make(root, "1.0.1", scores=True)
    found = compare(old, new)
    assert kinds(found) == {("score", "changed", "MAJOR")}
    assert len(found) == 4, "two sentences under two policies"
    monkeypatch.setattr(toy_release, "write_scores", lambda root, version: original(root, version, shift=1e-6))
    assert compare(old, toy_release.make(root, "1.0.1", scores=True)) == []


def test_releases_of_two_languages_are_not_compared(built: Release, copied: Release) -> None:
    changes = json.loads((copied.folder / "changes.json").read_text(encoding="utf-8"))
    (copied.folder / "changes.json").write_text(json.dumps(changes | {"language": "zz"}), encoding="utf-8")
    with pytest.raises(InputError, match="two versions of one language"):
        compare(built, Release(copied.folder, "other"))


def test_the_changelog_is_written_from_the_comparison_and_carries_older_entries(versions: Versions) -> None:
    change = corrected("forms", "1.0.1", {"text": "ban brel"}, {"text": "ban brell"}, "doubled letter")
    _, new = versions(change, compared=True)
    text = (new.folder / CHANGELOG).read_text(encoding="utf-8")
    assert text.index("### 1.0.1") < text.index("### 1.0.0")
    assert "Explained by corrections: doubled letter (6)." in text
    assert "Summary of 1.0.1." in (new.folder / "README.md").read_text(encoding="utf-8")
    told = json.loads((new.folder / "changes.json").read_text(encoding="utf-8"))
    assert (told["previous"], told["least_bump"]) == ("1.0.0", "PATCH")


def test_a_version_that_says_less_than_what_changed_is_refused_and_the_honest_one_is_named(versions: Versions) -> None:
    name = {"name_id": "uv", "type": "name", "gender": "neutral", "slot_subject": "Uv"}
    with pytest.raises(InputError, match=r"MINOR, hence 1\.1\.0 at least, because of an added name"):
        versions(added("names", "1.0.1", name), compared=True)
    versions(added("names", "1.1.0", name), version="1.1.0", compared=True)


def a_change(level: Level) -> Change:
    return Change("thing", "changed", "id", "a", "b", level, "a reason")


numbers = st.tuples(*[st.integers(0, 30)] * 3)


@given(numbers, st.lists(st.sampled_from(Level), max_size=4), numbers)
def test_a_bump_is_accepted_exactly_if_it_goes_forward_and_says_enough(
    old: tuple[int, int, int], levels: list[Level], new: tuple[int, int, int]
) -> None:
    a, b = (".".join(map(str, v)) for v in (old, new))
    least = max(levels, default=Level.NONE)
    first_changed = next((i for i in range(3) if old[i] != new[i]), None)
    said = Level.NONE if new <= old or first_changed is None else Level(3 - first_changed)
    changes = [a_change(level) for level in levels]
    if new > old and said >= least:
        check_bump(a, b, changes, "place")
    else:
        with pytest.raises(InputError):
            check_bump(a, b, changes, "place")
    assert actual_bump(a, b) == said
    assert actual_bump(a, next_version(a, least)) >= max(least, Level.PATCH)


def test_groups_count_alike_changes_and_put_the_weightiest_first() -> None:
    changes = [a_change(Level.PATCH), a_change(Level.MAJOR), replace(a_change(Level.PATCH), id="other")]
    assert [(g.level, g.n) for g in grouped(changes)] == [(Level.MAJOR, 1), (Level.PATCH, 2)]


@pytest.mark.parametrize(
    ("old", "new", "known", "kind"),
    [
        ("Nuv  rass .", "nuv rass.", [], "spacing"),
        ("Nuv rass", "Nuv ross", [], "spelling"),
        ("Nuv rass", "Oll grum", [], "wording"),
        ("Nuv rass", "Nuv rass ek", [], "wording"),
        ("Nuv rass", "Oll grum", [words("oll grum!")], "unified"),
    ],
)
def test_wordings_are_told_apart(old: str, new: str, known: list, kind: str) -> None:
    assert kind_of_change(old, new, known) == kind


def test_the_carrier_is_the_sentence_without_term_and_predicate() -> None:
    assert carrier("All mirn folk ban brel.", 4, 13, "ban brel") == "All {identity} {predicate}."
    assert carrier("ban brel, mirn.", 10, 14, "ban brel") == "{predicate}, {identity}."
    assert carrier("No such thing as mirn.", 17, 21, "absent") == "No such thing as {identity}."


def test_corrections_come_back_as_they_were_written(versions: Versions) -> None:
    change = corrected("forms", "1.0.1", {"text": "ban brel"}, {"text": "ban brell"}, 'with "quotes", and a comma')
    _, new = versions(change)
    (found,) = corrections.read(new.folder / "corrections.csv")
    assert (found.edition, found.table, found.change) == ("1.0.1", "forms", "changed")
    assert (found.before, found.after) == ("ban brel", "ban brell")
    assert found.reason == 'with "quotes", and a comma'
    assert found.template_ids == "1;2"
