"""Waiting: as long as the server asks, in whatever way it asks, and never for what cannot pass."""

from __future__ import annotations

import email.utils
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winoqueer_nl.problems import InputError
from winoqueer_nl.publish.retry import PASSING, Retry, asked_to_wait, behind, explained, status_of
from winoqueer_nl.publish.token import check_right

NOW = 1_700_000_000.0


class Response:
    def __init__(self, status: int, **headers: str) -> None:
        self.status_code, self.headers = status, headers


class HubError(Exception):
    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"status {status}")
        self.response = Response(status, **headers)


@given(st.integers(0, 10**6))
def test_seconds_and_dates_are_understood(seconds: int) -> None:
    assert asked_to_wait({"Retry-After": str(seconds)}, NOW) == seconds
    date = email.utils.formatdate(NOW + seconds, usegmt=True)
    assert asked_to_wait({"retry-after": date}, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry-After": "soon"}, None),
        ({"RateLimit": '"api";r=0;t=55'}, 55.0),
        ({"RateLimit": '"api";r=12;t=55'}, None),
        ({"RateLimit": '"api";r=0;t=55', "Retry-After": "60"}, 60.0),
        ({"Retry-After": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
    ],
)
def test_headers_of_a_busy_server(headers: dict[str, str], wait: float | None) -> None:
    assert asked_to_wait(headers, NOW) == wait


def failing(times: int, error: Exception) -> Any:
    """A call that fails so many times, then gives the number of the attempt."""
    made = 0

    def call() -> int:
        nonlocal made
        made += 1
        if made <= times:
            raise error
        return made

    return call


@given(st.integers(0, 8), st.sampled_from(PASSING), st.integers(1, 6))
def test_passing_errors_are_tried_again_so_often_and_no_more(times: int, status: int, attempts: int) -> None:
    waits: list[float] = []
    retry = Retry(attempts=attempts, sleep=waits.append)
    if times < attempts:
        assert retry("ask", failing(times, HubError(status))) == times + 1
        assert waits == [2.0**i for i in range(times)]
    else:
        with pytest.raises(HubError):
            retry("ask", failing(times, HubError(status)))
        assert len(waits) == attempts - 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 422])
def test_errors_that_do_not_pass_are_raised_at_once(status: int) -> None:
    waits: list[float] = []
    with pytest.raises(HubError):
        Retry(sleep=waits.append)("ask", failing(1, HubError(status)))
    assert waits == []


def test_a_lost_connection_is_tried_again_and_a_mistake_of_ours_is_not() -> None:
    assert Retry(sleep=lambda s: None)("ask", failing(2, ConnectionError("gone"))) == 3
    with pytest.raises(KeyError):
        Retry(sleep=lambda s: None)("ask", failing(1, KeyError("ours")))


def test_the_error_behind_a_library_s_own_is_found() -> None:
    def wrapped() -> BaseException:
        try:
            try:
                raise HubError(503)
            except HubError as inner:
                raise FileNotFoundError("not in the cache") from inner
        except FileNotFoundError as outer:
            return outer

    error = wrapped()
    assert status_of(error) == 503
    assert isinstance(behind(error), HubError)
    assert status_of(ValueError("alone")) is None


@pytest.mark.parametrize("status", [401, 403, 404, 409, 412, 429, 500, 418])
def test_every_status_has_one_message_without_a_traceback(status: int) -> None:
    message = explained("do this", HubError(status), "org/data").message()
    assert message.count("\n") == 0
    assert message.startswith("org/data: found ")
    assert str(status) in message


def token(role: str, name: str = "me", orgs: list[dict] | None = None, fine: dict | None = None) -> dict:
    access = {"role": role} | ({"fineGrained": fine} if fine is not None else {})
    return {"name": name, "orgs": orgs or [], "auth": {"accessToken": access}}


def scope(kind: str, name: str, *permissions: str) -> dict:
    return {"scoped": [{"entity": {"type": kind, "name": name}, "permissions": list(permissions)}]}


@pytest.mark.parametrize(
    ("who", "repo", "exists", "allowed"),
    [
        (token("write"), "me/data", False, True),
        (token("write"), "org/data", False, False),
        (token("write", orgs=[{"name": "org", "roleInOrg": "write"}]), "org/data", False, True),
        (token("write", orgs=[{"name": "org", "roleInOrg": "read"}]), "org/data", False, False),
        (token("read"), "me/data", True, False),
        (token("god"), "me/data", True, False),
        ({"name": "me"}, "me/data", True, False),
        (token("fineGrained", fine=scope("user", "me", "repo.write")), "me/data", False, True),
        (token("fineGrained", fine=scope("user", "me", "repo.content.read")), "me/data", False, False),
        (token("fineGrained", fine=scope("dataset", "me/data", "repo.write")), "me/data", True, True),
        (token("fineGrained", fine=scope("dataset", "me/data", "repo.write")), "me/data", False, False),
        (token("fineGrained", fine=scope("dataset", "me/other", "repo.write")), "me/data", True, False),
    ],
)
def test_the_right_of_a_token(who: dict, repo: str, exists: bool, allowed: bool) -> None:
    if allowed:
        assert check_right(who, repo, exists) == "me"
    else:
        with pytest.raises(InputError):
            check_right(who, repo, exists)
