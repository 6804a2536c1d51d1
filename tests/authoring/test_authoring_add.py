"""Adding by hand: asked or told, validated like any table, shown before it is written, open about what is missing.

What must hold
- the rows go into the tables of every language that needs them, and no other byte changes;
- unreviewed forms are proposals; reviewed ones are forms; earlier editions come out as they were;
- the sentences are shown, with the content warning, before anything is written; without a yes nothing is;
- whatever the tables would refuse is refused before it is written.
"""

from __future__ import annotations

import csv
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import authoring_project
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from winoqueer_nl import cli
from winoqueer_nl.authoring import add
from winoqueer_nl.edition import choose
from winoqueer_nl.pairs import generate
from winoqueer_nl.problems import InputError
from winoqueer_nl.sources import load

NEW = ["--origin", "early", "--gloss", "are fleem", "--gloss-singular", "fleem", "--identities", "mirn;solv"]
FORMS = ["--lang", "toy", "--form", "plural=ban fleem", "--form", "inverted=fleem ban", "--form", "single=fleem"]


@pytest.fixture
def run(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    def run_it(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", *map(str, arguments), "--root", str(made)])
        status = 0
        try:
            cli.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return status, said.out + said.err

    return run_it


def changed(root: Path, before: dict[str, bytes]) -> dict[str, tuple[list[str], list[str]]]:
    """For each file that is no longer the same: the lines taken out and put in."""
    after = authoring_project.contents(root)
    found = {}
    for path, content in after.items():
        old, new = (text.decode().splitlines() for text in (before.get(path, b""), content))
        if old != new:
            found[path] = ([line for line in old if line not in new], [line for line in new if line not in old])
            assert [line for line in new if line in old] == old, "the other lines keep their order"
    return found


def sentences(root: Path, edition: str) -> list[str]:
    return [s for batch in generate(choose(load(root, "toy"), edition)) for s in batch.column("sent_x").to_pylist()]


def test_nothing_is_written_without_a_yes(made: Path, run) -> None:
    before = authoring_project.contents(made)
    status, said = run("add", "stereotype", *NEW, *FORMS)
    assert status == 1
    assert "Nothing written" in said
    assert said.index("Content warning") < said.index("All mirn folk ban fleem.")
    assert authoring_project.contents(made) == before


def test_forms_that_nobody_has_reviewed_become_proposals(made: Path, run) -> None:
    before, pairs = authoring_project.contents(made), sentences(made, "2.0.0")
    status, said = run("add", "stereotype", *NEW, *FORMS, "--yes")
    assert status == 0
    assert changed(made, before) == {
        "predicates/stereotypes.csv": ([], ["aa005,predicate,early,are fleem,fleem,mirn;solv,2.0.0,,,"]),
        "predicates/toy/absent.csv": ([], ["aa005,2.0.0,,translation,no reviewed form yet"]),
        "predicates/toy/translations.csv": (
            [],
            [
                "stereotype_id,form,engine,source,translation,proposal,note,state,text,reviewers",
                "aa005,plural,author,,,ban fleem,,proposed,,",
                "aa005,inverted,author,,,fleem ban,,proposed,,",
                "aa005,single,author,,,fleem,,proposed,,",
            ],
        ),
    }
    assert sentences(made, "2.0.0") == pairs, "no pair before the review"
    assert "11 pairs once reviewers have accepted the forms" in said
    assert "toy: review: winoqueer-nl review export" in said


def test_reviewed_forms_become_forms_and_pairs(made: Path, run) -> None:
    before = authoring_project.contents(made)
    status, said = run("add", "stereotype", *NEW, *FORMS, "--reviewed-by", "AB;CD", "--yes")
    assert status == 0
    assert changed(made, before)["predicates/toy/forms.csv"] == (
        [],
        [
            f'aa005,{f},,,2.0.0,,,"reviewed by AB, CD"'
            for f in ("plural,ban fleem", "inverted,fleem ban", "single,fleem")
        ],
    )
    assert "predicates/toy/absent.csv" not in changed(made, before)
    new = [s for s in sentences(made, "2.0.0") if "fleem" in s]
    # two identities in two templates about a group; mirn with four subjects, solv with three (no male names)
    assert len(new) == 2 * 2 + 4 + 3
    assert f"{len(new)} pairs; one of each template" in said
    assert not [s for s in sentences(made, "1.0.0") if "fleem" in s]
    assert "Still missing" not in said


def test_a_stereotype_without_forms_waits_in_every_language(made: Path, run) -> None:
    other = made / "templates/oth"
    (made / "predicates/oth").mkdir()
    other.mkdir()
    for path, text in authoring_project.TABLES.items():
        if "/toy/" in path:
            (made / path.replace("/toy/", "/oth/")).write_text(text)
    editions = made / "release/editions.csv"
    editions.write_text(editions.read_text().replace(",toy,", ",toy;oth,"))
    before = authoring_project.contents(made)
    status, said = run("add", "stereotype", *NEW, "--yes")
    assert status == 0
    assert set(changed(made, before)) == {
        "predicates/stereotypes.csv",
        "predicates/toy/absent.csv",
        "predicates/oth/absent.csv",
    }
    assert "oth: the forms plural, inverted, single: winoqueer-nl translate --lang oth" in said
    assert "No sentences yet" in said


def test_an_unfinished_language_is_in_nobodys_way(made: Path, run) -> None:
    assert run("new-language", "qq", "--name", "Unfinished")[0] == 0
    status, said = run("add", "stereotype", *NEW, *FORMS, "--yes")
    assert status == 0
    assert "qq: forms, when its tables are in order" in said
    assert "aa005,2.0.0,,translation" in (made / "predicates/qq/absent.csv").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--identities", "mirrn"], 'Did you mean "mirn"'),
        (["--identities", ""], "identities: found an empty cell"),
        (["--id", "aa001"], '"aa001", which row 2 has as well'),
        (["--id", "Has Blanks"], "small letters, digits and hyphens"),
        (["--type", "predicat"], "one of predicate, clause, identity"),
        (["--since", "3.0.0"], "no edition"),
        (["--lang", "toy", "--form", "plurall=x"], 'Did you mean "plural"'),
        (["--lang", "toy", "--form", "plural=x", "--reviewed-by", "AB"], "no inverted, single of aa005"),
        (["--lang", "toy", "--form", "single={pronuon}"], "pronuon"),
        (["--form", "single=x"], "no language beside --form"),
    ],
)
def test_what_the_tables_would_refuse_is_refused(made: Path, run, options: list[str], words: str) -> None:
    before = authoring_project.contents(made)
    status, said = run("add", "stereotype", *NEW, *options, "--yes")
    assert status == 1, said
    assert words in said
    assert "/tmp/tmp" not in said, "messages name the project's files, not the copy that was tried"
    assert authoring_project.contents(made) == before


def test_every_missing_option_is_named_at_once(run) -> None:
    status, said = run("add", "stereotype")
    assert status == 1
    assert all(option in said for option in ("--gloss", "--gloss-singular", "--origin", "--identities"))


def test_a_change_of_an_earlier_edition_is_refused(made: Path) -> None:
    from winoqueer_nl.authoring.changes import Changes

    changes = Changes(made, "2.0.0")
    row = {"stereotype_id": "aa009", "type": "predicate", "origin": "early", "gloss": "g", "gloss_singular": "g"}
    changes.table("stereotypes", "toy").insert(row | {"identities": "mirn"})
    changes.table("absent", "toy").insert({"stereotype_id": "aa009", "reason": "r"})
    with pytest.raises(InputError, match=r"toy 1\.0\.0: found another content"):
        changes.try_out()


def test_a_name_takes_what_names_of_its_gender_share(made: Path, run) -> None:
    before = authoring_project.contents(made)
    status, said = run("add", "name", "--lang", "toy", "--name", "Usha", "--gender", "female", "--yes")
    assert status == 0
    assert changed(made, before) == {"templates/toy/names.csv": ([], ["usha,name,female,,Usha,el,2.0.0,,,"])}
    lines = (made / "templates/toy/names.csv").read_text().splitlines()
    assert lines.index("usha,name,female,,Usha,el,2.0.0,,,") == 3, "after the other female names"
    assert "Usha ba mirn na brel." in said
    assert "Usha ba mirn na brel." in sentences(made, "2.0.0")
    assert "Usha ba mirn na brel." not in sentences(made, "1.0.0")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--name", "Usha", "--gender", "neutral"], "no pronoun of"),
        (["--name", "Usha", "--gender", "femal"], "one of female, male, neutral"),
        (["--name", "Emba", "--gender", "female"], "which row 2 has as well"),
        (["--name", "Usha", "--gender", "female", "--slot", "pronuon=x"], 'Did you mean "pronoun"'),
        (["--name", "wi", "--gender", "neutral", "--type", "pronoun", "--slot", "pronoun=wi"], "no subject of"),
        (["--gender", "female"], "--name"),
    ],
)
def test_a_name_that_the_tables_would_refuse_is_refused(made: Path, run, options: list[str], words: str) -> None:
    before = authoring_project.contents(made)
    status, said = run("add", "name", "--lang", "toy", *options, "--yes")
    assert status == 1
    assert words in said
    assert authoring_project.contents(made) == before


IDENTITY = ["--lang", "toy", "--id", "trel", "--label", "Trel", "--counter-identities", "plain"]
IDENTITY_FORMS = ["--form", "people=trel folk", "--form", "trait=trel", "--initial", "people=Trel folk"]


def test_an_identity_comes_with_forms_and_stereotypes(made: Path, run) -> None:
    before = authoring_project.contents(made)
    status, said = run("add", "identity", *IDENTITY, *IDENTITY_FORMS, "--stereotypes", "aa001", "--yes")
    assert status == 0, said
    assert changed(made, before) == {
        "templates/toy/identities.csv": ([], ["trel,Trel,Trel,plain,female;male;neutral,2.0.0,,,"]),
        "templates/toy/identity_forms.csv": (
            [],
            ["trel,people,trel folk,Trel folk,,,2.0.0,,,", "trel,trait,trel,,,,2.0.0,,,"],
        ),
        "predicates/toy/coverage.csv": ([], ["aa001,trel,,1,2.0.0,,,said of an identity added later"]),
    }
    new = [s for s in sentences(made, "2.0.0") if "trel" in s.lower()]
    assert "Nuv rass trel folk vi brel ban." in new
    assert f"{len(new)} pairs" in said
    assert not [s for s in sentences(made, "1.0.0") if "trel" in s.lower()]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--form", "people=x"], "no trait"),
        (["--form", "people=x", "--form", "trait=y", "--form", "trai=z"], 'Did you mean "trait"'),
        ([*IDENTITY_FORMS, "--counter-identities", "plainn"], 'Did you mean "plain"'),
        ([*IDENTITY_FORMS, "--stereotypes", "aa01"], 'Did you mean "aa0'),
        ([*IDENTITY_FORMS, "--id", "mirn"], "which row 2 has as well"),
        ([*IDENTITY_FORMS, "--name-genders", "femal"], "female"),
    ],
)
def test_an_identity_that_the_tables_would_refuse_is_refused(made: Path, run, options: list[str], words: str) -> None:
    before = authoring_project.contents(made)
    status, said = run("add", "identity", *IDENTITY, *options, "--yes")
    assert status == 1, said
    assert words in said
    assert authoring_project.contents(made) == before


def test_a_person_is_asked_for_what_no_option_says(made: Path) -> None:
    """At a terminal: a question for each value, the sentences, and a last question before anything is written."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"PYTHONPATH": str(Path(cli.__file__).parents[1]), "TERM": "dumb"}
    command = [sys.executable, "-m", "winoqueer_nl.cli", "add", "stereotype", "--root", str(made)]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True
    ) as person:
        os.close(theirs)
        answers = ["are fleem", "fleem", "early", "mirn", "toy", "ban fleem", "fleem ban", "fleem", "y"]
        os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
        said = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end has closed
                break
            if not piece:
                break
            said += piece
        assert person.wait(timeout=30) == 0, said.decode()
    os.close(ours)
    text = said.decode()
    assert "What is said, in English, of many" in text
    assert text.index("All mirn folk ban fleem.") < text.index("Write it?")
    assert "aa005,plural,author,,,ban fleem,,proposed,," in (made / "predicates/toy/translations.csv").read_text()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=12))
def test_any_gloss_is_written_as_it_can_be_read_again_or_refused(made: Path, gloss: str) -> None:
    row = {
        "stereotype_id": "aa005",
        "type": "predicate",
        "origin": "early",
        "gloss_singular": "x",
        "identities": "mirn",
    }
    try:
        added = add.stereotype(made, row | {"gloss": add.normalised(gloss)}, "2.0.0")
    except InputError:
        return
    text = added.changes.texts()["predicates/stereotypes.csv"]
    assert list(csv.DictReader(text.splitlines(keepends=True)))[-1]["gloss"] == add.normalised(gloss)


@pytest.mark.parametrize(("text", "expected"), [("Zoë", "zoe"), ("Anne-Marie", "anne-marie"), ("D'Arcy Ó", "d-arcy-o")])
def test_the_id_of_a_name_is_the_name_without_marks(text: str, expected: str) -> None:
    assert add.plain_id(text) == expected


def test_the_next_id_follows_the_others_of_the_origin(made: Path) -> None:
    sources = load(made, "toy")
    assert add.next_id(sources, "early") == "aa005"
    assert add.next_id(sources, "nowhere") is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "stereotype", *NEW, "--form", "plural=ban fleem", "--lang", "toi", "--yes"),
        ("add", "name", "--lang", "toi", "--name", "Abba", "--gender", "female", "--yes"),
        ("add", "identity", "--lang", "toi", "--id", "dorn", "--yes"),
        ("review", "export", "--lang", "toi", "--reviewer", "AB"),
        ("translate", "--lang", "toi"),
    ],
)
def test_an_unknown_language_is_one_message_with_the_nearest(made: Path, run, arguments: tuple[str, ...]) -> None:
    before = authoring_project.contents(made)
    status, said = run(*arguments, "--root", made)
    assert status == 1
    assert said.splitlines() == [
        f'--lang: found "toi"; expected a language with a folder in {made / "templates"}: toy. Did you mean "toy"?'
    ]
    assert authoring_project.contents(made) == before


def test_what_is_wrong_in_a_table_of_all_languages_is_said_once(made: Path, run) -> None:
    """Two languages and two editions read predicates/stereotypes.csv; the mistake in it is one."""
    for folder in ("templates", "predicates"):
        shutil.copytree(made / folder / "toy", made / folder / "tu")
    editions = made / "release/editions.csv"
    editions.write_text(editions.read_text().replace(",toy,", ",toy;tu,"))
    wrong = [word.replace("mirn;solv", "mirm") for word in NEW]
    status, said = run("add", "stereotype", *wrong, "--yes", "--root", made)
    assert status == 1
    assert said.count('found "mirm"') == 1
    assert 'Did you mean "mirn"?' in said
