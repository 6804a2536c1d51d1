"""One sentence asked of a real server on loopback: whatever it does, a sentence or a reason comes back, in time.

What must hold
- a passing fault (429, 500, 503, silence, a cut connection, a web page instead of JSON) is tried again, with pauses
  that grow and that honour Retry-After, and the sentence arrives in the end;
- a lasting fault ends in a reason in words, never in a traceback of a library, and a hopeless one says that it is;
- what is no translation (null, list, number, nothing, echo, formula, two for one) is never taken for one;
- no key ever stands in an address, a reason, or what is sent to another server than the one meant.
"""

from __future__ import annotations

import email.utils

import pytest
import translation_server as ts
from translation_server import Server

from winoqueer_nl.authoring import engines
from winoqueer_nl.authoring.config import EngineCodes, TranslationConfig
from winoqueer_nl.authoring.engines import Engine
from winoqueer_nl.authoring.transport import Fault, seconds_to_wait
from winoqueer_nl.problems import InputError

SENTENCE = "These people have a dronk."
ANSWER = "Nuv ole han dronk."
KEY = "s3cret-key-0815:fx"
PATHS = {"google": "/google", "deepl": "/deepl", "mymemory": "/mymemory", "libretranslate": "/libre"}


def engine(
    server: Server, name: str = "libretranslate", pauses: list[float] | None = None, **options: object
) -> Engine:
    config = TranslationConfig.model_validate(
        {
            "engine": name,
            "url": server.url + PATHS[name],
            "answer_seconds": 0.4,
            "tries": 3,
            "seconds_between_requests": 0,
        }
        | options
    )
    keys = {"DEEPL_API_KEY": KEY, "LIBRETRANSLATE_API_KEY": KEY}
    made = engines.make(name, config, "nl", "Dutch", keys)
    made.sleep = (pauses if pauses is not None else []).append
    return made


@pytest.mark.parametrize("name", list(PATHS))
def test_every_engine_translates_a_sentence(server: Server, name: str) -> None:
    assert engine(server, name).translate(SENTENCE) == ANSWER
    assert server.log[0]["sentence"] == SENTENCE


PASSING = {
    "429": ts.status(429),
    "429 with seconds": ts.status(429, Retry_After="7"),
    "429 with nonsense": ts.status(429, Retry_After="soon"),
    "500": ts.status(500),
    "502": ts.status(502),
    "503": ts.status(503, Retry_After="2"),
    "silence": ts.silent,
    "trickle": ts.trickle,
    "cut in the middle": ts.cut_in_the_middle,
    "cut in a chunk": ts.cut_in_a_chunk,
    "reset": ts.reset,
    "no HTTP": ts.garbage,
}


@pytest.mark.parametrize("fault", list(PASSING))
@pytest.mark.parametrize("name", ["libretranslate", "deepl", "google"])
def test_a_passing_fault_is_tried_again(server: Server, name: str, fault: str) -> None:
    server.queue = [PASSING[fault]]
    assert engine(server, name).translate(SENTENCE) == ANSWER
    assert len(server.log) == 2


def test_a_web_page_instead_of_json_is_tried_again(server: Server) -> None:
    server.queue = [ts.text("<!doctype html><html>busy</html>", "text/html")]
    assert engine(server).translate(SENTENCE) == ANSWER


@pytest.mark.parametrize("fault", list(PASSING))
def test_a_fault_that_stays_ends_in_a_reason_after_all_tries(server: Server, fault: str) -> None:
    server.queue = [PASSING[fault]] * 3
    with pytest.raises(Fault) as caught:
        engine(server).translate(SENTENCE)
    assert len(server.log) == 3
    assert KEY not in caught.value.reason
    assert "127.0.0.1" not in caught.value.reason


def test_nobody_there_is_a_reason(server: Server) -> None:
    asked = engine(server)
    asked.translator._base_url = "http://127.0.0.1:9/"
    with pytest.raises(Fault, match="connection failed"):
        asked.translate(SENTENCE)


NOT_A_TRANSLATION = {
    "null": (ts.text("null"), "null instead of an object"),
    "list": (ts.text("[]"), "a list instead of an object"),
    "list of sentences": (ts.text('["a", "b"]'), "a list instead of an object"),
    "number": (ts.text("7"), "a int instead of an object"),
    "missing key": (ts.text("{}"), "no translation|cannot be used"),
    "another key": (ts.text('{"error": "no such language"}'), "no translation"),
    "null translation": (ts.translation(None), "nothing instead of a sentence"),
    "list translation": (ts.translation(["a", "b"]), "a list instead of a sentence"),
    "number translation": (ts.translation(3), "a int instead of a sentence"),
    "empty": (ts.translation(""), "an empty sentence"),
    "blank": (ts.translation(" \u200b "), "an empty sentence"),
    "echo": (ts.echo, "untranslated"),
    "formula": (ts.translation('=HYPERLINK("http://x")'), "spreadsheet would execute"),
    "far too long": (ts.translation("ole " * 1000), "4000|3999 characters"),
    "endless": (ts.text(b"x" * 1_100_000), "longer than"),
    "not UTF-8": (ts.text(b'{"translatedText": "caf\xe9"}'), "not UTF-8"),
    "400": (ts.status(400), "refuses the request .400."),
    "404": (ts.status(404), "refuses the request .404."),
}


@pytest.mark.parametrize("answer", list(NOT_A_TRANSLATION))
def test_what_is_no_translation_is_not_taken_for_one(server: Server, answer: str) -> None:
    misbehaviour, words = NOT_A_TRANSLATION[answer]
    server.queue = [misbehaviour]
    with pytest.raises(Fault, match=words) as caught:
        engine(server).translate(SENTENCE)
    assert not caught.value.hopeless
    assert len(server.log) == 1, "another try would bring the same"


@pytest.mark.parametrize("count", [0, 2])
def test_another_number_of_translations_than_sentences_is_refused(server: Server, count: int) -> None:
    server.queue = [ts.text('{"translations": [' + ", ".join(['{"text": "han"}'] * count) + "]}")]
    with pytest.raises(Fault, match=f"{count} translations for one sentence"):
        engine(server, "deepl").translate(SENTENCE)


@pytest.mark.parametrize("code", [401, 403, 456, 301, 308])
@pytest.mark.parametrize("name", ["libretranslate", "deepl"])
def test_a_refused_key_a_used_up_quota_and_a_moved_server_are_hopeless(server: Server, name: str, code: int) -> None:
    server.queue = [ts.status(code, Location=server.url + "/elsewhere")]
    with pytest.raises(Fault) as caught:
        engine(server, name).translate(SENTENCE)
    assert caught.value.hopeless
    assert len(server.log) == 1, "no key is sent on to another address"


def test_mymemory_says_200_and_means_something_else(server: Server) -> None:
    blocked = '{"responseData": {"translatedText": "INVALID LANGUAGE PAIR"}, "responseStatus": "403", "matches": []}'
    used_up = "MYMEMORY WARNING: YOU USED ALL AVAILABLE FREE TRANSLATIONS FOR TODAY."
    near = '{"responseData": {"translatedText": null}, "responseStatus": 200, "matches": [{"translation": "other"}]}'
    for misbehaviour, hopeless in ((ts.text(blocked), True), (ts.translation(used_up), True), (ts.text(near), False)):
        server.queue = [misbehaviour]
        with pytest.raises(Fault) as caught:
            engine(server, "mymemory").translate(SENTENCE)
        assert caught.value.hopeless == hopeless
    server.queue = [ts.text('{"responseData": {}, "responseStatus": 429}')]
    assert engine(server, "mymemory").translate(SENTENCE) == ANSWER


def test_google_without_a_result_in_its_page_is_a_reason(server: Server) -> None:
    server.queue = [ts.text("<html>consent</html>", "text/html")]
    with pytest.raises(Fault, match="TranslationNotFound"):
        engine(server, "google").translate(SENTENCE)


def test_pauses_grow_and_honour_what_the_server_asks(server: Server) -> None:
    pauses: list[float] = []
    server.queue = [ts.status(500), ts.status(429, Retry_After="7"), ts.status(500)]
    engine(server, pauses=pauses, tries=4, first_pause_seconds=1).translate(SENTENCE)
    assert pauses == [1, 7, 4]


def test_a_server_that_asks_for_an_hour_ends_the_run(server: Server) -> None:
    pauses: list[float] = []
    server.queue = [ts.status(429, Retry_After="3600")]
    with pytest.raises(Fault, match="3600 seconds; try again later") as caught:
        engine(server, pauses=pauses).translate(SENTENCE)
    assert caught.value.hopeless
    assert pauses == []


def test_requests_keep_their_distance(server: Server) -> None:
    pauses: list[float] = []
    asked = engine(server, pauses=pauses, seconds_between_requests=2)
    now = iter([10.0, 10.5, 12.0])
    asked.clock = lambda: next(now)
    asked.translate(SENTENCE)
    asked.translate(SENTENCE)
    assert pauses == [1.5]


def test_retry_after_may_be_a_date() -> None:
    now = 1_000_000_000.0
    assert seconds_to_wait(email.utils.formatdate(now + 30, usegmt=True), lambda: now) == 30
    assert seconds_to_wait(email.utils.formatdate(now - 30, usegmt=True), lambda: now) == 0
    assert seconds_to_wait("whenever", lambda: now) is None
    assert seconds_to_wait(None) is None


@pytest.mark.parametrize("name", ["libretranslate", "deepl"])
def test_the_key_travels_in_body_or_header_never_in_the_address(server: Server, name: str) -> None:
    engine(server, name).translate(SENTENCE)
    request = server.log[0]
    assert KEY not in request["path"]
    assert "dronk" not in request["path"]
    assert KEY in (request["body"].get("api_key", ""), (request["authorization"] or "").removeprefix("DeepL-Auth-Key "))


def test_libretranslate_without_a_key_sends_none(server: Server) -> None:
    config = TranslationConfig(engine="libretranslate", url=server.url + "/libre")
    engines.make("libretranslate", config, "nl", "Dutch", {}).translate(SENTENCE)
    assert "api_key" not in server.log[0]["body"]
    assert server.log[0]["body"]["target"] == "nl"


@pytest.mark.parametrize(
    ("name", "options", "keys", "words"),
    [
        ("deepl", {}, {}, "no DEEPL_API_KEY"),
        ("libretranslate", {}, {}, "the address of your LibreTranslate server"),
        ("deepl", {"url": "http://translate.example"}, {"DEEPL_API_KEY": KEY}, "an https address"),
        ("google", {}, {}, "a language of google"),
        ("mymemory", {}, {}, "a language of mymemory"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_sent(
    name: str, options: dict[str, str], keys: dict[str, str], words: str
) -> None:
    config = TranslationConfig.model_validate({"engine": name} | options)
    with pytest.raises(InputError, match=words) as caught:
        engines.make(name, config, "qtoy", "Toy", keys)
    assert KEY not in caught.value.message()


def test_codes_come_from_the_configuration_or_the_name_of_the_language() -> None:
    made = engines.make("mymemory", TranslationConfig(engine="mymemory"), "nl", "Dutch", {})
    assert made.translator.target == "nl-NL"
    config = TranslationConfig(engine="google", codes=EngineCodes(google={"qtoy": "fy"}))
    assert engines.make("google", config, "qtoy", "Toy", {}).translator.target == "fy"


def test_deep_translator_gets_its_own_requests_back(server: Server) -> None:
    import requests
    from deep_translator import libre

    server.queue = [ts.text("null")]
    with pytest.raises(Fault):
        engine(server).translate(SENTENCE)
    assert libre.requests is requests
