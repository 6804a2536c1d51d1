"""Proposals: whole sentences go out, predicates are cut out of what comes back, and nothing becomes a form by itself.

What must hold
- each form arrives in its own grammar, because it stood in a sentence that calls for it;
- where the cut fails, the item says so, has no proposal, and keeps the sentence for the reviewer;
- one item's trouble is no other item's trouble; what has arrived is kept, whatever happens later;
- a second run asks for nothing that is known, and cuts anew where a carrier has changed, without the network;
- a proposal among the forms is an error until somebody has reviewed it.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import authoring_project
import pytest
import translation_server as ts
from hypothesis import given
from hypothesis import strategies as st
from translation_server import Server

from winoqueer_nl import cli
from winoqueer_nl.authoring.proposals import cut, normalised, read_translations
from winoqueer_nl.edition import choose
from winoqueer_nl.problems import InputError
from winoqueer_nl.sources import load

KEY = "key-that-nobody-may-see"


@pytest.fixture
def translate(made: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run `winoqueer-nl translate` on the made-up project; return exit status and everything it said."""
    with (made / "config.yaml").open("a") as file:
        file.write(
            f"translation:\n  engine: libretranslate\n  url: {server.url}/libre\n  answer_seconds: 0.4\n  tries: 2\n"
            "  first_pause_seconds: 0\n  seconds_between_requests: 0\n  give_up_after: 3\n"
        )
    monkeypatch.setenv("LIBRETRANSLATE_API_KEY", KEY)

    def run(*options: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", "translate", "--root", str(made), *options])
        status = 0
        try:
            cli.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        said = capsys.readouterr()
        assert KEY not in said.out + said.err
        assert "Traceback" not in said.err
        return status, said.out + said.err

    return run


def proposals(root: Path) -> dict[tuple[str, str], dict[str, str]]:
    with (root / "predicates/toy/translations.csv").open(encoding="utf-8", newline="") as file:
        return {(row["stereotype_id"], row["form"]): row for row in csv.DictReader(file)}


def test_each_form_arrives_in_its_own_grammar(made: Path, translate) -> None:
    status, said = translate()
    assert status == 0
    assert "Content warning" in said
    found = proposals(made)
    assert {place: row["proposal"] for place, row in found.items()} == {
        ("aa002", "plural"): "han dronk",
        ("aa002", "inverted"): "dronk han",
        ("aa002", "single"): "ha dronk",
        ("aa003", "inverted"): "nulo grull",
        ("aa003", "single"): "nulo grulla",
    }
    assert {row["state"] for row in found.values()} == {"proposed"}
    assert {row["engine"] for row in found.values()} == {"libretranslate"}
    assert KEY not in (made / "predicates/toy/translations.csv").read_text()


def test_only_the_table_of_proposals_changes(made: Path, translate) -> None:
    before = authoring_project.contents(made)
    translate()
    after = authoring_project.contents(made)
    assert {path for path in after if after[path] != before.get(path)} == {"predicates/toy/translations.csv"}


def test_a_second_run_asks_for_nothing_and_writes_the_same_bytes(made: Path, translate, server: Server) -> None:
    translate()
    asked, table = len(server.log), (made / "predicates/toy/translations.csv").read_bytes()
    assert asked == 5
    status, _ = translate()
    assert (status, len(server.log)) == (0, asked)
    assert (made / "predicates/toy/translations.csv").read_bytes() == table


def test_refresh_asks_again_for_what_nobody_has_reviewed(made: Path, translate, server: Server) -> None:
    translate()
    server.dictionary["These people have a dronk."] = "Nuv ole hun dronk."
    translate("--refresh")
    assert len(server.log) == 10
    assert proposals(made)["aa002", "plural"]["proposal"] == "hun dronk"


def test_an_uncut_sentence_is_kept_for_the_reviewer_and_the_next_carrier_tried(
    made: Path, translate, server: Server
) -> None:
    server.dictionary["These people have a dronk."] = "Ole nuv han dronk."
    server.dictionary["Emma is tall and has a dronk."] = "Emma ba lon. Ha dronk."
    status, said = translate()
    assert status == 0, "an uncut sentence is the reviewers' affair, not a failure"
    rows = read_translations(made, "toy")
    plural = [row for row in rows if (row.stereotype_id, row.form) == ("aa002", "plural")]
    assert [row.source for row in plural] == ["These people have a dronk.", "Those people have a dronk."]
    assert [row.proposal for row in plural] == [None, None]
    assert plural[0].note == 'the translation does not begin with "Nuv ole"'
    single = proposals(made)["aa002", "single"]
    assert (single["proposal"], single["translation"]) == ("", "Emma ba lon. Ha dronk.")
    assert 'does not begin with "Emma ba lon na"' in said
    assert len(rows) == 6


def test_another_carrier_cuts_the_kept_answer_without_the_network(made: Path, translate, server: Server) -> None:
    server.dictionary["These people have a dronk."] = "Ole nuv han dronk."
    server.dictionary["Those people have a dronk."] = "?"
    translate()
    asked = len(server.log)
    carriers = made / "templates/toy/carriers.csv"
    added = "plural,predicate,gloss,These people {predicate}.,Ole nuv {predicate}.\n"
    carriers.write_text(carriers.read_text() + added)
    translate()
    assert len(server.log) == asked
    assert proposals(made)["aa002", "plural"]["note"] in ("", 'the translation does not begin with "Zuv ole"')
    first = next(row for row in read_translations(made, "toy") if row.translation == "Ole nuv han dronk.")
    assert (first.proposal, first.note) == ("han dronk", None)


def test_one_items_fault_is_no_other_items(made: Path, translate, server: Server) -> None:
    answer = ts.Handler.right
    fine = lambda handler, sentence: answer(handler, server.dictionary[sentence])  # noqa: E731
    server.queue = [fine, ts.text("null"), fine, ts.text("[]"), fine]
    status, said = translate()
    assert status == 1
    assert set(proposals(made)) == {("aa002", "plural"), ("aa002", "single"), ("aa003", "single")}
    assert "aa002 inverted: the server answered with null instead of an object" in said
    assert "aa003 inverted: the server answered with a list instead of an object" in said
    assert translate()[0] == 0, "the next run asks for what was missing"
    assert len(proposals(made)) == 5
    assert len(server.log) == 7


def test_what_has_arrived_outlasts_a_hopeless_fault(made: Path, translate, server: Server) -> None:
    fine = lambda handler, sentence: ts.Handler.right(handler, server.dictionary[sentence])  # noqa: E731
    server.queue = [fine, fine, ts.status(403)]
    status, said = translate()
    assert status == 1
    assert len(server.log) == 3
    assert set(proposals(made)) == {("aa002", "plural"), ("aa002", "inverted")}
    assert "Stopped early: the server does not accept the key" in said


def test_a_dead_server_is_given_up_after_a_few_sentences(made: Path, translate, server: Server) -> None:
    server.queue = [ts.status(500)] * 100
    status, said = translate()
    assert status == 1
    assert len(server.log) == 6, "three sentences, two tries each"
    assert "3 sentences in a row had no answer" in said


def test_an_interruption_keeps_what_has_arrived(made: Path, translate, server: Server) -> None:
    def stop(handler: ts.Handler, _: str) -> None:
        import _thread

        _thread.interrupt_main()
        handler.send("{}")

    fine = lambda handler, sentence: ts.Handler.right(handler, server.dictionary[sentence])  # noqa: E731
    server.queue = [fine, stop, *[fine] * 5]
    status, _ = translate()
    assert status == 130
    assert ("aa002", "plural") in proposals(made)


def test_a_decision_in_absent_is_not_translated(made: Path, translate, server: Server) -> None:
    translate()
    assert not any("untold" in request["sentence"] for request in server.log)


def test_a_form_without_carrier_is_named(made: Path, translate, server: Server) -> None:
    carriers = made / "templates/toy/carriers.csv"
    carriers.write_text(
        "".join(line for line in carriers.read_text().splitlines(True) if not line.startswith("single"))
    )
    _, said = translate()
    assert "No carrier sentence fits these forms" in said
    assert "aa002 single" in said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("plural,predicate,gloss,No slot at all.,Nuv {predicate}.", "the slot {predicate} exactly once"),
        ("plural,predicate,gloss,Two {predicate} {predicate}.,Nuv {predicate}.", "the slot {predicate} exactly once"),
        ("plurall,predicate,gloss,They {predicate}.,Nuv {predicate}.", 'Did you mean "plural"'),
        ("plural,predicate,glos,They {predicate}.,Nuv {predicate}.", "one of gloss, gloss_singular"),
    ],
)
def test_a_bad_carrier_is_named_with_its_row(made: Path, translate, server: Server, line: str, words: str) -> None:
    carriers = made / "templates/toy/carriers.csv"
    carriers.write_text(carriers.read_text() + line + "\n")
    status, said = translate()
    assert status == 1
    assert words in said
    assert "carriers.csv, row 7" in said
    assert server.log == []


def test_a_bad_engine_or_address_is_named(translate) -> None:
    assert (
        "found \"bing\"; expected 'google', 'deepl', 'mymemory' or 'libretranslate'" in translate("--engine", "bing")[1]
    )
    assert "no edition" in translate("--edition", "9.0.0")[1]


def test_a_proposal_among_the_forms_is_an_error_until_it_is_reviewed(made: Path, translate) -> None:
    translate()
    forms, absent = made / "predicates/toy/forms.csv", made / "predicates/toy/absent.csv"
    texts = {"plural": "han dronk", "inverted": "dronk han", "single": "ha dronk"}
    forms.write_text(forms.read_text() + "".join(f"aa002,{f},{t},,,,,,\n" for f, t in texts.items()))
    absent.write_text("".join(line for line in absent.read_text().splitlines(True) if not line.startswith("aa002")))
    with pytest.raises(
        InputError, match='"han dronk", a proposal by libretranslate that nobody has reviewed'
    ) as caught:
        load(made, "toy")
    assert len(caught.value.problems) == 3
    table = made / "predicates/toy/translations.csv"
    table.write_text(table.read_text().replace(",proposed,,", ",rejected,,AB"))
    assert choose(load(made, "toy"), "2.0.0")


def test_the_table_of_proposals_must_be_whole(made: Path, translate) -> None:
    translate()
    table = made / "predicates/toy/translations.csv"
    table.write_text(table.read_text().replace(",proposed,,", ",accepted,,", 1))
    assert "the wording that was accepted" in translate()[1]
    table.write_text(table.read_text().replace(",accepted,,", ",maybe,,", 1))
    assert "one of proposed, accepted, rejected" in translate()[1]


def test_snakemake_translates_when_asked_and_never_otherwise(tmp_path: Path, server: Server) -> None:
    """The workflow of this project, on its own Dutch tables with one stereotype that waits."""
    project = Path(__file__).parents[2]
    for name in ("templates", "predicates", "release", "rules", "scripts"):
        shutil.copytree(project / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    workflow = (project / "Snakefile").read_text(encoding="utf-8")
    if "rules/translate.smk" not in workflow:
        last = 'include: "rules/summary.smk"'
        assert last in workflow
        workflow = workflow.replace(last, f'{last}\ninclude: "rules/translate.smk"')
    (tmp_path / "Snakefile").write_text(workflow, encoding="utf-8")
    shutil.copy(project / "models.yaml", tmp_path)
    (tmp_path / "environment.yaml").write_text("dependencies: []\n")
    (tmp_path / "config.yaml").write_text(
        "languages:\n  nl:\n    editions: ['1.0.0']\n"
        f"translation:\n  engine: libretranslate\n  url: {server.url}/libre\n  seconds_between_requests: 0\n"
    )
    absent = tmp_path / "predicates/nl/absent.csv"
    first = next(csv.DictReader(absent.open(encoding="utf-8", newline="")))["stereotype_id"]
    absent.write_text(
        "".join(
            f"{first},,,translation,no reviewed form yet\n" if line.startswith(first) else line
            for line in absent.read_text(encoding="utf-8").splitlines(True)
        ),
        encoding="utf-8",
    )
    own = {
        "PYTHONPATH": str(tmp_path / "scripts"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }

    def snakemake(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=os.environ | own, capture_output=True, text=True, timeout=120, check=False
        )

    planned = snakemake("--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "rule translate" not in planned.stdout
    assert "rule pairs" in planned.stdout
    assert server.log == []
    ran = snakemake("translate")
    assert ran.returncode == 0, ran.stderr
    assert server.log
    rows = list(csv.DictReader((tmp_path / "predicates/nl/translations.csv").open(encoding="utf-8", newline="")))
    assert {row["stereotype_id"] for row in rows} == {first}
    # The made-up server knows no Dutch: whole sentences come back, nothing can be cut out, and the table says why.
    assert all(row["translation"] and row["note"] and not row["proposal"] for row in rows)
    asked = len(server.log)
    assert snakemake("translate").returncode == 0
    assert len(server.log) == asked, "what is known is kept from run to run"


# The cut itself


@given(st.text(max_size=20), st.text(max_size=10), st.text(max_size=10))
def test_what_was_put_into_a_carrier_is_cut_out_again(predicate: str, before: str, after: str) -> None:
    predicate = normalised(predicate)
    carrier = normalised(before).replace("{", "").replace("}", "") + " {predicate}"
    carrier += normalised(after).replace("{", "").replace("}", "") + "."
    carrier = normalised(carrier)
    found, reason = cut(normalised(carrier.replace("{predicate}", predicate)), [carrier])
    if found is None:
        assert reason
    else:
        assert found == predicate or not predicate


@pytest.mark.parametrize(
    ("translation", "targets", "expected"),
    [
        ("Wi RASS ze vi dronk han.", ["Wi rass ze vi {predicate}."], "dronk han"),
        ("Ik haat ze omdat ze ’t doen.", ["Ik haat ze omdat {predicate}."], "ze ’t doen"),
        ("’t Is {x}.", ["'t is {predicate}."], None),
        ("Zuv ole.", ["Zuv ole {predicate}."], None),
        ("Nuv  ole", ["Nuv {predicate}"], None),
        ("אני שונא אותם כי הם דרונק.", ["אני שונא אותם כי {predicate}."], "הם דרונק"),
        ("彼らはドロンクです。", ["彼らは{predicate}。"], "ドロンクです"),
        ("a b c", ["x {predicate} c", "a {predicate} c"], "b"),
    ],
)
def test_cuts(translation: str, targets: list[str], expected: str | None) -> None:
    found, reason = cut(translation, targets)
    assert found == expected
    assert (reason is None) == (expected is not None)
