"""One sentence in, one sentence or one reason out: deep-translator's engines behind a single careful function."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from winoqueer_nl.authoring.config import TranslationConfig
from winoqueer_nl.authoring.proposals import normalised
from winoqueer_nl.authoring.spreadsheets import EXECUTED
from winoqueer_nl.authoring.transport import NO_KEY, Fault, Transport
from winoqueer_nl.config import CONFIG_FILE
from winoqueer_nl.problems import InputError, Problem, listed, quoted

#: Engine -> (module and class of deep-translator, environment variable that holds the key or None for no key).
ENGINES: dict[str, tuple[str, str, str | None]] = {
    "google": ("google", "GoogleTranslator", None),
    "deepl": ("deepl", "DeeplTranslator", "DEEPL_API_KEY"),
    "mymemory": ("mymemory", "MyMemoryTranslator", None),
    "libretranslate": ("libre", "LibreTranslator", "LIBRETRANSLATE_API_KEY"),
}


@dataclass
class Engine:
    """A translation engine with its manners: pauses between requests, patience after faults, a limit to it."""

    name: str
    translator: Any
    module: Any
    transport: Transport
    config: TranslationConfig
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _last: float | None = field(default=None, init=False)

    def translate(self, sentence: str) -> str:
        """Translate one sentence.

        Raises
        ------
        Fault
            with the last reason, after ``config.tries`` tries or at once where another try cannot help.
        """
        for tried in range(1, self.config.tries + 1):
            try:
                return self._once(sentence)
            except Fault as fault:
                if not fault.again or tried == self.config.tries:
                    raise
                pause = self.config.first_pause_seconds * 2 ** (tried - 1)
                if fault.wait is not None:
                    if fault.wait > self.config.longest_pause_seconds:
                        reason = f"{fault.reason} and asks to wait {fault.wait:.0f} seconds; try again later"
                        raise Fault(reason, hopeless=True) from None
                    pause = max(pause, fault.wait)
                self.sleep(min(pause, self.config.longest_pause_seconds))
        raise AssertionError("unreachable: at least one try")

    def _once(self, sentence: str) -> str:
        if self._last is not None:
            ahead = self.config.seconds_between_requests - (self.clock() - self._last)
            if ahead > 0:
                self.sleep(ahead)
        self._last = self.clock()
        plain = self.module.requests
        self.module.requests = self.transport
        try:
            answer = self.translator.translate(sentence)
        except Fault:
            raise
        except (KeyError, IndexError, TypeError, AttributeError, StopIteration):
            raise Fault("the server's answer holds no translation") from None
        except Exception as error:  # its text may repeat the key or the address
            raise Fault(f"the answer cannot be used ({type(error).__name__})") from None
        finally:
            self.module.requests = plain
        return checked_answer(sentence, answer)


def checked_answer(sentence: str, answer: object) -> str:
    """The answer as one clean sentence; raises Fault where it cannot be a translation of the sentence."""
    if not isinstance(answer, str):
        kind = "nothing" if answer is None else f"a {type(answer).__name__}"
        raise Fault(f"the server answered with {kind} instead of a sentence")
    text = normalised(answer)
    if not text:
        raise Fault("the server answered with an empty sentence")
    if len(text) > 200 + 10 * len(sentence):
        raise Fault(f"the server answered with {len(text)} characters to a sentence of {len(sentence)}")
    if text.startswith("MYMEMORY WARNING"):
        raise Fault("the quota of today is used up", hopeless=True)
    if text.startswith(EXECUTED):
        raise Fault("the server answered with something that a spreadsheet would execute")
    if text.casefold() == normalised(sentence).casefold():
        raise Fault("the sentence came back untranslated")
    return text


def make(
    name: str,
    config: TranslationConfig,
    target: str,
    target_name: str,
    environment: Mapping[str, str] = os.environ,
) -> Engine:
    """Make an engine that translates the glosses' language, English, into another.

    Parameters
    ----------
    name: a key of :data:`ENGINES`.
    target: language code of the project; the configuration may turn it into the engine's own.
    target_name: English name of the target language, by which deep-translator finds a code where ours is not its own.
    environment: where the keys are.

    Raises
    ------
    InputError
        for an engine without key or address, and for a language that it does not know.
    """
    module_name, class_name, key_variable = ENGINES[name]
    module = importlib.import_module(f"deep_translator.{module_name}")
    key = environment.get(key_variable, "") if key_variable else ""
    own: dict[str, str] = getattr(config.codes, name)
    if name == "deepl" and not key:
        raise _problem("environment", "no DEEPL_API_KEY", "the key of a DeepL account", "Set it in this shell only.")
    if name == "libretranslate" and not config.url:
        expected = "the address of your LibreTranslate server"
        raise _problem(CONFIG_FILE, "no address", expected, "For example url: http://localhost:5000", "translation.url")
    url = config.url
    if url and key and urlsplit(url).scheme != "https" and urlsplit(url).hostname not in _LOOPBACK:
        expected = "an https address: a key goes with each request"
        raise _problem(CONFIG_FILE, quoted(url), expected, "Correct it.", "translation.url")
    if url and name in ("deepl", "libretranslate"):
        url = url.rstrip("/") + "/"
    translator_class = getattr(module, class_name)
    if name == "libretranslate":
        # What a server of one's own can translate is its affair; deep-translator's list lacks Dutch, for one.
        translator = translator_class("en", "es", api_key=key or NO_KEY, custom_url=url)
        translator.source, translator.target = own.get("en", "en"), own.get(target, target)
    else:
        options = {"api_key": key, "use_free_api": key.endswith(":fx")} if name == "deepl" else {}
        probe = translator_class("english", "german", **options)
        known: dict[str, str] = probe.get_supported_languages(as_dict=True)
        codes = [_code(known, code, label, own) for code, label in (("en", "english"), (target, target_name))]
        for code, wanted in zip(codes, ("en", target), strict=True):
            if code is None:
                expected = f"a language of {name}: {listed(sorted(set(known.values())), 200)}"
                fix = f"Choose another engine, or set its code under translation.codes.{name}.{wanted}."
                raise _problem(CONFIG_FILE, quoted(wanted), expected, fix, "translation.engine")
        translator = translator_class(codes[0], codes[1], **options)
        if url:
            translator._base_url = url
    return Engine(name, translator, module, Transport(config.answer_seconds), config)


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _code(known: Mapping[str, str], code: str, label: str, own: Mapping[str, str]) -> str | None:
    """The engine's code for a language: the configured one, ours, or the one under the language's English name."""
    if code in own:
        return own[code]
    if code in known.values():
        return code
    return known.get(label.lower())


def _problem(file: str, found: str, expected: str, fix: str, key: str | None = None) -> InputError:
    return InputError([Problem(file, found, expected, fix, field=key)])
