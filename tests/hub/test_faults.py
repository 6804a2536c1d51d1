"""Whatever goes wrong at whatever call: it ends well, or with one message; a second run finishes; nobody sees half."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hub.client import Waits, client, forget_xet, published, state, whole
from hub.server import Fault, Hub
from winoqueer_nl.problems import InputError
from winoqueer_nl.publish import run
from winoqueer_nl.release import verify
from winoqueer_nl.release.layout import Release


def assert_nothing_is_half_there(hub: Hub, release: Release) -> None:
    """A reader by tag or by branch gets all of a version or nothing of it."""
    if "org/data" not in hub.repositories:
        return
    repository = hub.repositories["org/data"]
    for oid in repository.tags.values():
        assert whole(hub, release, oid)
    for commit in repository.commits.values():
        ours = set(commit.files) - {".gitattributes"}
        assert not ours or ours == set(release.files())


def attempt(release: Release) -> str | None:
    """Publish once; None if it ended well, else the message."""
    try:
        assert published(release, attempts=2)[0]
    except InputError as error:
        return error.message()
    return None


def the_message_is_clear(message: str) -> None:
    assert message.count("\n") == 0, message
    assert "Traceback" not in message
    assert "found" in message
    assert "expected" in message


#: Calls that write, by what they are for; a fault is put at each, before and after its work is done.
WRITING = [
    r"POST /api/repos/create",
    r"POST /api/validate-yaml",
    r"POST .*/preupload/",
    r"POST .*/commit/main",
    r"POST .*/tag/",
]
LFS_CALLS = [r"POST .*/objects/batch", r"PUT /lfs/object", r"POST /lfs/verify"]
XET_CALLS = [r"GET .*/xet-write-token", r"POST /cas/v1/xorbs", r"POST /cas/.*shards"]


@pytest.mark.parametrize("late", [False, True], ids=["before its work", "after its work"])
@pytest.mark.parametrize("call", WRITING + LFS_CALLS)
def test_a_connection_lost_at_a_writing_call_is_survived(lfs: Hub, release: Release, call: str, late: bool) -> None:
    lfs.faults.append(Fault(match=call, cut=True, late=late))
    message = attempt(release)
    assert_nothing_is_half_there(lfs, release)
    if message is not None:
        the_message_is_clear(message)
        assert attempt(release) is None
    tags, commits = state(lfs)
    assert (list(tags), commits) == (["v1.0.0"], 2), "one commit and one tag, whatever was lost"
    assert whole(lfs, release, "v1.0.0")


@pytest.mark.parametrize("call", WRITING)
def test_a_server_that_goes_down_at_a_writing_call_is_told_and_a_second_run_finishes(
    lfs: Hub, release: Release, call: str
) -> None:
    down = Fault(match=call, cut=True)
    everything = Fault(match=".", times=0, cut=True)
    down.hook = lambda: setattr(everything, "times", 10**6)
    lfs.faults += [everything, down]
    message = attempt(release)
    assert message is not None
    the_message_is_clear(message)
    assert_nothing_is_half_there(lfs, release)
    lfs.faults.clear()
    assert attempt(release) is None
    assert state(lfs)[1] == 2


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
@pytest.mark.parametrize("call", WRITING)
def test_a_busy_server_is_waited_for_as_long_as_it_asks(lfs: Hub, release: Release, call: str, status: int) -> None:
    lfs.faults.append(Fault(match=call, status=status, headers={"Retry-After": "7"}))
    waits = Waits()
    hub = client("org/data", waits)
    assert run.publish(verify.Context(release), hub, run.Options(confirm=True), lambda text: None, ())
    # The library retries the preupload by itself; everything else is retried here.
    assert waits == ([] if "preupload" in call else [7.0])


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "a token that the Hub does not accept"),
        (403, "a token without the right"),
        (404, "no such repository"),
        (409, "something of this name there already"),
        (412, "a repository that changed meanwhile"),
    ],
)
@pytest.mark.parametrize(
    "call", [r"GET /api/whoami-v2", r"POST .*/preupload/", r"POST .*/commit/main", r"POST .*/tag/"]
)
def test_an_error_that_does_not_pass_gives_one_clear_message(
    lfs: Hub, release: Release, call: str, status: int, words: str
) -> None:
    lfs.faults.append(Fault(match=call, times=99, status=status))
    message = attempt(release)
    assert message is not None
    the_message_is_clear(message)
    assert words in message
    assert_nothing_is_half_there(lfs, release)
    lfs.faults.clear()
    assert attempt(release) is None


def test_a_card_that_the_hub_refuses_is_told(lfs: Hub, release: Release) -> None:
    lfs.bad_card = True
    message = attempt(release)
    assert message is not None
    the_message_is_clear(message)
    assert "bad card" in message


def test_a_server_that_asks_for_hours_is_not_waited_for(lfs: Hub, release: Release) -> None:
    lfs.faults.append(Fault(match="refs", times=99, status=429, headers={"Retry-After": "7200"}))
    message = attempt(release)
    assert message is not None
    assert "It asks to wait 7200 s" in message


def every_call(
    hub: Hub, release: Release, fault_at: Callable[[int], Fault], forget: Callable[[int], None]
) -> dict[str, int]:
    """Publish again and again, with a fault at the first call, the second one, and so on to the last.

    ``forget`` is called before each time, so that the client knows nothing of the time before.

    Returns how many calls there are, how many runs ended well at once, how many by a second run.
    """
    counts = {"calls": 0, "at once": 0, "by a second run": 0}
    number = 0
    while True:
        number += 1
        forget(number)
        hub.repositories.clear()
        hub.objects.clear()
        hub.xet_of.clear()
        hub.xet_files.clear()
        hub.xorbs.clear()
        hub.calls.clear()
        fault = fault_at(number)
        hub.faults[:] = [fault]
        times = fault.times
        message = attempt(release)
        struck = fault.times < times
        assert_nothing_is_half_there(hub, release)
        if not struck:
            assert message is None
            return counts
        counts["calls"] += 1
        hub.faults.clear()
        if message is None:
            counts["at once"] += 1
        else:
            the_message_is_clear(message)
            assert attempt(release) is None
            counts["by a second run"] += 1
        assert list(state(hub)[0]) == ["v1.0.0"]
        assert state(hub)[1] == 2
        assert whole(hub, release, "v1.0.0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault_at"),
    [
        ("a lost connection", lambda n: Fault(at=n, cut=True)),
        ("a lost answer", lambda n: Fault(at=n, cut=True, late=True)),
        ("status 503", lambda n: Fault(at=n, status=503, headers={"Retry-After": "1"})),
        ("status 429", lambda n: Fault(at=n, status=429, headers={"ratelimit": '"api";r=0;t=3'})),
        ("a server that goes down", lambda n: Fault(at=n, times=10**6, cut=True)),
    ],
)
def test_a_fault_at_every_call_in_turn(
    server: Hub,
    release: Release,
    name: str,
    fault_at: Callable[[int], Fault],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    counts = every_call(server, release, fault_at, lambda n: forget_xet(monkeypatch, tmp_path / f"xet-{n}"))
    mode = "Xet" if server.use_xet else "LFS"
    print(f"{name}, {mode}: {counts}")
    assert counts["calls"] == counts["at once"] + counts["by a second run"]
    assert counts["calls"] > 50


@pytest.mark.parametrize("call", XET_CALLS)
def test_xet_calls_that_fail_once_are_survived(xet: Hub, release: Release, call: str) -> None:
    xet.faults.append(Fault(match=call, status=503))
    message = attempt(release)
    if message is not None:
        the_message_is_clear(message)
        assert attempt(release) is None
    assert whole(xet, release, "v1.0.0")


def test_reading_calls_that_fail_once_are_survived(lfs: Hub, release: Release) -> None:
    """Some of the calls of loading back, drawn at random; the slow test makes each fail in turn."""
    published(release)
    n = len(lfs.calls)
    chosen = random.Random(5).sample(range(26, n + 1), 6)
    for number in chosen:
        lfs.calls.clear()
        lfs.faults[:] = [Fault(at=number % 60 + 5, cut=True)]
        message = attempt(release)
        if message is not None:
            the_message_is_clear(message)
            assert attempt(release) is None


KILLED = """
import sys
from hub.client import FILES
from winoqueer_nl.publish import hub, run
from winoqueer_nl.publish.token import token
from winoqueer_nl.release import verify
from winoqueer_nl.release.layout import open_release
from pathlib import Path
context = verify.Context(open_release(Path(sys.argv[1])))
run.publish(context, hub.Hub("org/data", token()), run.Options(confirm=True), print, FILES)
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", [r"PUT /lfs/object", r"POST .*/commit/main", r"POST .*/tag/", r"GET .*parquet"])
@pytest.mark.parametrize("late", [False, True], ids=["before its work", "after its work"])
def test_a_process_that_is_killed_at_a_call_is_finished_by_a_second_one(
    lfs: Hub, release: Release, tmp_path: Path, call: str, late: bool
) -> None:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HF_HOME": str(tmp_path / "own"),
        "HF_HUB_DISABLE_XET": "1",
    }
    environment.pop("HF_HUB_OFFLINE", None)
    line = [sys.executable, "-c", KILLED, str(release.folder)]
    process = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The server does the work of the call or leaves it, and the client is gone before it could hear of it.
    lfs.faults.append(Fault(match=call, hook=process.kill, cut=True, late=late))
    assert process.wait(timeout=120) == -signal.SIGKILL
    assert_nothing_is_half_there(lfs, release)
    assert subprocess.run(line, env=environment, timeout=120, check=False).returncode == 0
    assert list(state(lfs)[0]) == ["v1.0.0"]
    assert state(lfs)[1] == 2
    assert whole(lfs, release, "v1.0.0")
