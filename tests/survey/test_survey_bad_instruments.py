"""Instruments with a slip in them: named by key, told together, and no export is read."""

from __future__ import annotations

import pytest

from winoqueer_nl.problems import InputError
from winoqueer_nl.survey.instrument import load

CASES: dict[str, tuple] = {}


def case(name: str, *expected: str):
    """Register a change to the instrument of the tiny survey, and what the message must hold."""

    def register(change):
        CASES[name] = (change, expected)
        return change

    return register


def written(text: str | bytes):
    def change(survey):
        content = text if isinstance(text, bytes) else text.encode()
        (survey.folder / "instrument.yaml").write_bytes(content)

    return change


def first(survey) -> dict:
    return survey.instrument["rounds"]["first"]


def tool(survey) -> dict:
    return survey.instrument["formats"]["tool"]


def item(survey, number: int = 0) -> dict:
    return first(survey)["items"][number]


case("empty file", "instrument.yaml: found an empty file")(written(""))
case("not YAML", "instrument.yaml, row 2")(written("rounds: [\n  }"))
case("no mapping", "instrument.yaml: found no keys at all")(written("- a\n- b\n"))
case("UTF-16", "found UTF-16 text")(written("rounds:\n".encode("utf-16")))
case("cp1252", "byte 0xe9")(written("stereotypes: caf\u00e9\n".encode("cp1252")))
case("a key twice", "the key 'rounds' twice")(written("rounds: {}\nrounds: {}\n"))
case("no rounds", "rounds: found no such key")(lambda s: s.instrument.pop("rounds"))
case("no round", "rounds: found")(lambda s: s.instrument.update(rounds={}))
case("misspelt key", "rounds.first.itmes: found an unknown key", 'Did you mean "items"?')(
    lambda s: first(s).update(itmes=first(s)["items"])
)
case("misspelt key of an item", "rounds.first.items.0.relevence", 'Did you mean "relevance"?')(
    lambda s: item(s).update(relevence="REL_1")
)
case("yes without quotation marks", "languages.xx.yes_labels", "put it in quotation marks")(
    lambda s: s.instrument["languages"]["xx"].update(yes_labels=[True])
)
case("a label for two answers", 'languages.xx: found "Jep" more than once')(
    lambda s: s.instrument["languages"]["xx"].update(no_labels=["Jep"])
)
case("no label", "languages.xx.no_labels")(lambda s: s.instrument["languages"]["xx"].update(no_labels=[]))
case("scale upside down", "harmfulness: found 4 to -1")(
    lambda s: s.instrument.update(harmfulness={"minimum": 4, "maximum": -1})
)
case("scale in words", "harmfulness.maximum")(
    lambda s: s.instrument.update(harmfulness={"minimum": -1, "maximum": "high"})
)
case("label outside the scale", "harmfulness.labels.very: found 9")(
    lambda s: s.instrument["harmfulness"].update(labels={"very": 9})
)
case("unknown language", 'rounds.first.language: found "xy"; expected one of xx')(
    lambda s: first(s).update(language="xy")
)
case("unknown format", 'rounds.first.format: found "tol"', 'Did you mean "tool"?')(
    lambda s: first(s).update(format="tol")
)
case("unknown reader", "formats.tool.reader")(lambda s: tool(s).update(reader="qualtrics"))
case("one header row", "formats.tool.header_rows")(lambda s: tool(s).update(header_rows=1))
case("unknown stereotype", 'found the unknown stereotype "s11"', 'Did you mean "s1"?')(
    lambda s: item(s).update(stereotypes=["s11"])
)
case("id in capitals", "rounds.first.items.0.stereotypes.0")(lambda s: item(s).update(stereotypes=["S1"]))
case("a stereotype asked twice in a round", 'rounds.first.items: found "s2" more than once')(
    lambda s: item(s).update(stereotypes=["s1", "s2"])
)
case("an item without columns", "rounds.first.items.0: found no column")(
    lambda s: (item(s).pop("relevance"), item(s).pop("harmfulness"))
)
case("an item without its wording", "rounds.first.items.0.asked: found no such key")(lambda s: item(s).pop("asked"))
case("a column for two questions", 'rounds.first: found "REL_1" more than once')(
    lambda s: item(s, 1).update(relevance="REL_1")
)
case("a question in a personal column", 'rounds.first: found "IPAddress" more than once')(
    lambda s: item(s, 1).update(relevance="IPAddress")
)
case("an identity question twice", 'rounds.first.identities: found "who" more than once')(
    lambda s: first(s)["identities"].append({"id": "who", "column": "WHO_2", "answers": {"A": "a"}})
)
case("a blank as separator", "rounds.first.identities.0.separator")(
    lambda s: first(s)["identities"][0].update(separator=" ")
)
case("a value kept and dropped", 'formats.tool.rows.Status: found "IP Address" more than once')(
    lambda s: tool(s)["rows"]["Status"]["drop"]["preview"].update(values=["IP Address"])
)
case("a rule name twice", 'formats.tool.rows: found "preview" more than once')(
    lambda s: tool(s)["rows"]["Finished"]["drop"].update(preview={"values": ["Half"], "reason": "r"})
)
case("a rule without a reason", "drop.preview.reason: found no such key")(
    lambda s: tool(s)["rows"]["Status"]["drop"]["preview"].pop("reason")
)
case("a sign for skipped that is a rating", 'formats.tool.skipped: found "-1", which is an answer')(
    lambda s: (tool(s).update(skipped=["-1"]), s.instrument["rounds"].pop("second"))
)
case("shared votes of itself", "votes_of.s1: found", "a question of its own")(
    lambda s: s.instrument["votes_of"].update(s1={"of": "s2", "reason": "r"})
)
case("shared votes of nobody", 'votes_of.s4.of: found "s6"')(lambda s: s.instrument["votes_of"]["s4"].update(of="s6"))
case("shared votes of an unknown id", 'votes_of.s9: found the unknown stereotype "s9"')(
    lambda s: s.instrument["votes_of"].update(s9={"of": "s1", "reason": "r"})
)
case("a negative number of respondents", "rounds.first.respondents")(lambda s: first(s).update(respondents=-3))
case("table of stereotypes missing", "gone.csv: found no such file")(
    lambda s: s.instrument.update(stereotypes="gone.csv")
)
case("table of stereotypes broken", "stereotypes.csv, row 1: found")(
    lambda s: (s.folder / "stereotypes.csv").write_text("id,gloss\na,b\n", "utf-8")
)


@pytest.mark.parametrize("name", CASES)
def test_a_bad_instrument_gets_a_clear_message(survey, name: str) -> None:
    change, expected = CASES[name]
    change(survey)
    with pytest.raises(InputError) as caught:
        survey.aggregate()
    for part in expected:
        assert part in caught.value.message(), caught.value.message()
    assert not survey.out.parent.exists()


def test_a_missing_instrument_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: found no such file"):
        load(tmp_path / "none.yaml")


def test_all_problems_of_an_instrument_are_told_together(survey) -> None:
    survey.instrument["languages"]["xx"]["no_labels"] = ["Jep"]
    item(survey)["stereotypes"] = ["s11"]
    survey.instrument["votes_of"]["s4"]["of"] = "s6"
    with pytest.raises(InputError) as caught:
        survey.aggregate()
    fields = {problem.field for problem in caught.value.problems}
    assert {"languages.xx", "rounds.first.items", "votes_of.s4.of"} <= fields


def test_a_table_is_named_without_detours(survey) -> None:
    """survey/../predicates/x.csv is predicates/x.csv to the person who edits it."""
    survey.instrument["stereotypes"] = "../elsewhere/x.csv"
    with pytest.raises(InputError) as caught:
        survey.aggregate()
    assert ".." not in caught.value.problems[0].file
