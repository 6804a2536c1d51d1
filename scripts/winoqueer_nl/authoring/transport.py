"""What deep-translator sends goes through here: time limits, waiting, honest answers, no key in any address.

deep-translator calls ``requests`` without a time limit, sends keys in the address (where logs and error messages repeat
them) and hands on whatever comes back. :class:`Transport` stands in for ``requests`` inside its modules.
"""

from __future__ import annotations

import datetime
import email.utils
import json
import time
from collections.abc import Callable
from typing import Any

import requests
import urllib3

#: The longest answer that is read, in bytes; a translated sentence has a thousandth of it.
MOST_BYTES = 1_000_000
_CHUNK = 16_384


class Fault(Exception):
    """Why there is no translation, in words.

    Parameters
    ----------
    reason: for the person; holds neither key nor address.
    again: whether another try may help.
    wait: seconds that the server asks to wait, if it says so.
    hopeless: whether every other sentence would fare the same (wrong key, used-up quota).
    """

    def __init__(self, reason: str, again: bool = False, wait: float | None = None, hopeless: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.wait = wait
        self.hopeless = hopeless


class Answer:
    """What deep-translator reads of an answer."""

    def __init__(self, status_code: int, text: str) -> None:
        self.status_code = status_code
        self.text = text

    def json(self) -> dict[str, Any]:
        """The answer as a JSON object; raises Fault for anything else."""
        try:
            content = json.loads(self.text)
        except ValueError:
            kind = "a web page" if "<html" in self.text[:1000].lower() or "<!doctype" in self.text[:100].lower() else ""
            raise Fault(f"the server answered with {kind or 'text'} instead of JSON", again=True) from None
        if not isinstance(content, dict):
            kind = "null" if content is None else f"a {type(content).__name__}"
            raise Fault(f"the server answered with {kind} instead of an object")
        _check_my_memory(content)
        translations = content.get("translations")
        if "translations" in content and not (isinstance(translations, list) and len(translations) == 1):
            count = len(translations) if isinstance(translations, list) else "no list of"
            raise Fault(f"the server answered with {count} translations for one sentence")
        return content

    def close(self) -> None:
        """Nothing is open any more."""


def _check_my_memory(content: dict[str, Any]) -> None:
    """MyMemory answers 200 whatever happens; what really happened stands inside."""
    status = str(content.get("responseStatus", "200"))
    if status == "429":
        raise Fault("the server has had too many requests (429)", again=True)
    if status == "200" and "responseData" in content:
        data = content["responseData"]
        if not isinstance(data, dict) or not isinstance(data.get("translatedText"), str):
            raise Fault("the server's answer holds no translation")  # its near matches are of other sentences
    if status != "200":
        raise Fault(f"the server answered with status {status}", again=status.startswith("5"), hopeless=status == "403")


class Transport:
    """Stands in for the module ``requests`` inside deep-translator.

    Parameters
    ----------
    seconds: limit for one whole answer, from the first byte sent to the last byte read.
    session: the connection pool; a new one by default.
    """

    def __init__(self, seconds: float, session: requests.Session | None = None) -> None:
        self.seconds = seconds
        self.session = session or requests.Session()
        self.session.auth = _as_it_is

    def get(self, url: str, params: dict[str, Any] | None = None, proxies: dict[str, str] | None = None) -> Answer:
        """A request without secrets in the address; one with a key is sent as :meth:`post`."""
        params = dict(params or {})
        if "auth_key" in params:
            return self.post(url, params)
        return self._ask("GET", url, params=params, proxies=proxies, allow_redirects=True)

    def post(self, url: str, params: dict[str, Any] | None = None) -> Answer:
        """Send the parameters in the body, a DeepL key in the header; follow no redirection with them."""
        params = dict(params or {})
        headers = {}
        if "auth_key" in params:
            headers["Authorization"] = f"DeepL-Auth-Key {params.pop('auth_key')}"
        if params.get("api_key") == NO_KEY:
            del params["api_key"]
        return self._ask("POST", url, data=params, headers=headers, allow_redirects=False)

    def _ask(self, method: str, url: str, **options: Any) -> Answer:
        deadline = time.monotonic() + self.seconds
        try:
            with self.session.request(method, url, stream=True, timeout=self.seconds, **options) as response:
                _check_status(response.status_code, response.headers.get("Retry-After"))
                content = self._read(response, deadline)
        except Fault:
            raise
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            raise Fault(f"no whole answer within {self.seconds:g} seconds", again=True) from None
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            # The message of the error repeats the address; its name says enough.
            raise Fault(f"the connection failed ({type(error).__name__})", again=True) from None
        try:
            return Answer(response.status_code, content.decode("utf-8"))
        except UnicodeDecodeError:
            raise Fault("the server's answer is not UTF-8 text") from None

    def _read(self, response: requests.Response, deadline: float) -> bytes:
        content = b""
        # read1 gives what is there instead of waiting for a full chunk, so that a trickle cannot outlast the limit
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            content += chunk
            if len(content) > MOST_BYTES:
                raise Fault(f"the server's answer is longer than {MOST_BYTES:,} bytes")
            if time.monotonic() > deadline:
                raise Fault(f"no whole answer within {self.seconds:g} seconds", again=True)
        expected = response.headers.get("Content-Length", "")
        if not response.headers.get("Content-Encoding") and expected.isdigit() and len(content) < int(expected):
            raise Fault("the connection was cut in the middle of the answer", again=True)
        return content


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """No password of the person's .netrc takes the place of a key."""
    return request


#: deep-translator insists on a key for LibreTranslate; this one is taken out again before anything is sent.
NO_KEY = "no-key"

_QUOTA_USED_UP = 456  # DeepL's own status


def _check_status(status: int, retry_after: str | None) -> None:
    if 200 <= status < 300:
        return
    if status == requests.codes.too_many_requests:
        raise Fault("the server has had too many requests (429)", again=True, wait=seconds_to_wait(retry_after))
    if status >= 500:
        raise Fault(f"the server has a fault of its own ({status})", again=True, wait=seconds_to_wait(retry_after))
    if status in (requests.codes.unauthorized, requests.codes.forbidden):
        raise Fault(f"the server does not accept the key, or wants one ({status})", hopeless=True)
    if status == _QUOTA_USED_UP:
        raise Fault("the quota of this key is used up (456)", hopeless=True)
    if 300 <= status < 400:
        raise Fault(f"the server sends us elsewhere ({status}); set the address that it wants", hopeless=True)
    raise Fault(f"the server refuses the request ({status})")


def seconds_to_wait(header: str | None, now: Callable[[], float] = time.time) -> float | None:
    """A Retry-After header in seconds from now; None where it is missing or says nothing sensible."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        when = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.UTC)
    return max(0.0, when.timestamp() - now())
