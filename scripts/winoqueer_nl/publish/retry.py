"""Calling a server that may be busy: waiting as long as it asks for, trying again, and saying clearly why it failed."""

from __future__ import annotations

import contextlib
import email.utils
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from winoqueer_nl.problems import InputError, Problem

T = TypeVar("T")

#: Statuses that may pass: timeout, too many requests, and the server's own trouble.
PASSING = (408, 425, 429, 500, 502, 503, 504)

_RATE_LIMIT = re.compile(r"\br=(\d+)\b.*?\bt=(\d+)\b")


def asked_to_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks for, by Retry-After (seconds or a date) or by its RateLimit header; else None.

    The RateLimit header (`"api";r=0;t=55`) names the requests that remain and the seconds until more are granted
    (IETF draft-ietf-httpapi-ratelimit-headers); it counts only where nothing remains.
    """
    lower = {key.lower(): value.strip() for key, value in headers.items()}
    waits = []
    after = lower.get("retry-after", "")
    if after.isdigit():
        waits.append(float(after))
    elif after:
        with contextlib.suppress(TypeError, ValueError):
            waits.append(max(0.0, email.utils.parsedate_to_datetime(after).timestamp() - now))
    limit = _RATE_LIMIT.search(lower.get("ratelimit", ""))
    if limit and limit[1] == "0":
        waits.append(float(limit[2]))
    return max(waits, default=None)


def behind(error: BaseException) -> BaseException:
    """The error of the network or the Hub that a library wrapped into one of its own; else the error itself."""
    seen: BaseException | None = error
    for _ in range(8):  # chains are short; a circle would be somebody's mistake
        if seen is None:
            break
        if getattr(seen, "response", None) is not None or _unreachable(seen):
            return seen
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return error


def status_of(error: BaseException) -> int | None:
    """The HTTP status behind an error, if there is one."""
    response = getattr(behind(error), "response", None)
    status = getattr(response, "status_code", None)
    return int(status) if status is not None else None


def network_error(error: BaseException) -> bool:
    """Whether the server could not be reached, or went away in the middle."""
    return status_of(error) is None and _unreachable(behind(error))


def _unreachable(error: BaseException) -> bool:
    from huggingface_hub.errors import OfflineModeIsEnabled

    if isinstance(error, OfflineModeIsEnabled):
        return False
    kinds = {kind.__name__ for kind in type(error).__mro__}
    # httpx and its successor, requests (inside other libraries), and hf_xet, which raises built-in errors.
    return bool(kinds & {"TransportError", "ConnectionError", "RequestException", "TimeoutError"}) or (
        isinstance(error, RuntimeError) and "xet" in str(error).lower()
    )


@dataclass
class Retry:
    """Calls that are tried again.

    Parameters
    ----------
    attempts: how often in all.
    longest: the longest single wait, in seconds; a server that asks for more is not waited for.
    sleep, clock: replaced in tests.
    tell: is told of each wait.
    """

    attempts: int = 6
    longest: float = 900.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time
    tell: Callable[[str], None] = field(default=lambda text: None)

    def __call__(self, what: str, call: Callable[[], T]) -> T:
        """Make the call, again after passing errors; others, and the last one, are raised as they are."""
        for attempt in range(1, self.attempts + 1):
            try:
                return call()
            except Exception as error:
                status = status_of(error)
                if not (status in PASSING or network_error(error)) or attempt == self.attempts:
                    raise
                response: Any = getattr(behind(error), "response", None)
                asked = asked_to_wait(response.headers, self.clock()) if response is not None else None
                if asked is not None and asked > self.longest:
                    raise
                wait = min(self.longest, 2.0 ** (attempt - 1)) if asked is None else asked
                reason = f"the Hub answered {status}" if status else "the Hub could not be reached"
                self.tell(f"{what}: {reason}; trying again in {wait:.0f} s ({attempt} of {self.attempts - 1})")
                self.sleep(wait)
        raise AssertionError("unreachable: the last attempt returns or raises")


_HELP = {
    401: ("a token that the Hub does not accept", "a valid token", "Log in again: hf auth login (or set HF_TOKEN)."),
    403: (
        "a token without the right to do this",
        "a token with write access to the repository",
        "Make one in the Hub's settings, under Access Tokens.",
    ),
    404: (
        "no such repository, revision or file, or no right to see it",
        "one that exists",
        "Check the spelling of ORG/NAME, and that the token may see it.",
    ),
    409: (
        "something of this name there already",
        "a new one",
        "Somebody else may have published meanwhile; look at the repository, then run the command again.",
    ),
    412: (
        "a repository that changed meanwhile",
        "the state that the plan was made for",
        "Look at what changed, then run the command again.",
    ),
}


def _one_line(error: Exception) -> str:
    """What the Hub said, on one line, without addresses of requests."""
    lines = [line.strip(" -") for line in str(error).splitlines()]
    text = "; ".join(line for line in lines if line and "://" not in line)
    return (text or type(error).__name__)[:300].rstrip(".")


def explained(what: str, error: Exception, place: str) -> InputError:
    """One clear message for an error of the Hub, the network or a name."""
    from huggingface_hub.errors import HFValidationError, LocalTokenNotFoundError, OfflineModeIsEnabled

    status = status_of(error)
    if isinstance(error, OfflineModeIsEnabled):
        problem = Problem(place, "HF_HUB_OFFLINE set", "the network", f"Unset it to {what}.")
    elif isinstance(error, LocalTokenNotFoundError):
        problem = Problem(place, "no token", "a token", "Log in: hf auth login (or set HF_TOKEN).")
    elif isinstance(error, HFValidationError):
        problem = Problem(place, "a name that the Hub does not allow", "ORG/NAME", "Letters, digits, - _ and . only.")
    elif status in _HELP:
        found, expected, fix = _HELP[status]
        problem = Problem(place, f"{found} ({status}, when asked to {what})", expected, fix)
    elif status in PASSING:
        headers = getattr(getattr(behind(error), "response", None), "headers", {})
        asked = asked_to_wait(headers, time.time())
        later = f"It asks to wait {asked:.0f} s. " if asked else ""
        problem = Problem(
            place,
            f"a Hub that answers {status} again and again (when asked to {what})",
            "an answer",
            f"{later}Run the command again later: it goes on where it stopped.",
        )
    elif status is not None:
        said = f"the Hub's answer {status}: {_one_line(error)} (when asked to {what})"
        problem = Problem(place, said, "success", "Put right what it names, then run the command again.")
    elif network_error(error):
        problem = Problem(
            place,
            f"no connection to the Hub (when asked to {what})",
            "a network, and a server at this address",
            "Check the network (and HF_ENDPOINT), then run the command again: it goes on where it stopped.",
        )
    else:
        name = type(error).__name__
        problem = Problem(
            place, f"an error of the Hub's library, {name} (when asked to {what})", "success", "Try again."
        )
    return InputError([problem])
