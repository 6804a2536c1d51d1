"""The network cut while a release is published or fetched; then the same again. The Hub is the one of tests/hub."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drill.project import RELEASE, Base, Ran, run
from drill.tally import Tally, clear
from hub.client import whole
from hub.server import TOKEN, Fault, Hub, serving
from winoqueer_nl.release.layout import Release, open_release

FETCHING, PUBLISHING = "network cut, release", "network cut, publishing"


def client_of(url: str, folder: Path) -> dict[str, str]:
    """The environment of a client of a server, with few and short waits."""
    return {
        "HF_ENDPOINT": url,
        "HF_HUB_OFFLINE": "0",
        "HF_DATASETS_OFFLINE": "0",
        "HF_TOKEN": TOKEN,
        "HF_HOME": str(folder / "home"),
        "HF_HUB_DOWNLOAD_TIMEOUT": "1",
        "HF_HUB_ETAG_TIMEOUT": "1",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "NO_PROXY": "127.0.0.1",
    }


def _gone(hub: Hub, call: str) -> None:
    """The server is gone from this call on."""
    everything = Fault(match=".", times=0, cut=True)
    hub.faults += [everything, Fault(match=call, cut=True, hook=lambda: setattr(everything, "times", 10**6))]


def _once(**fault: Any) -> Callable[[Hub, str], None]:
    return lambda hub, call: hub.faults.append(Fault(match=call, **fault))


HUB_FAULTS: dict[str, Callable[[Hub, str], None]] = {
    "cut before the work is done": _once(cut=True),
    "cut after the work is done": _once(cut=True, late=True),
    "reset in the middle of the answer": _once(half=True, late=True),
    "gone for good": _gone,
}
CALLS = [
    r"POST /api/repos/create",
    r"POST .*/preupload/",
    r"PUT /lfs/object",
    r"POST .*/commit/main",
    r"POST .*/tag/",
    r"GET /datasets/.*/resolve/.*parquet",
]
#: Each call with two of the ways in which the network may be cut.
PUBLISHED = [(call, name) for n, call in enumerate(CALLS) for name in list(HUB_FAULTS)[n % 2 :: 2]]


def _publish_command(base: Base, folder: Path, hub: Hub) -> Ran:
    return run(folder, RELEASE, module="drill.publish_process", **client_of(hub.url, folder))


def publish(base: Base, tally: Tally, call: str, name: str) -> None:
    """A release is published while the network is cut at this call; then it is published again."""
    folder = base.copy(base.built)
    release = open_release(folder / RELEASE)
    fault = f"{name}, {call}"
    with serving() as hub:
        HUB_FAULTS[name](hub, call)
        first = _publish_command(base, folder, hub)
        said = "" if first.status == 0 or clear(first.said) else f"no clear message: {first.said[-1500:]}"
        said = said or _half_there(hub, release)
        hub.faults.clear()
        second = _publish_command(base, folder, hub)
        said = said or ("" if second.status == 0 else second.said[-1500:]) or _half_there(hub, release)
        repository = hub.repositories.get("org/data")
        if not said and (repository is None or list(repository.tags) != ["v1.0.0"] or len(repository.commits) != 2):
            said = "not one commit and one tag"
        tally.note(PUBLISHING, fault, "wrong" if said else "told" if first.status else "right", said)
    shutil.rmtree(folder)


def _half_there(hub: Hub, release: Release) -> str:
    """What a reader could see of a release that is not whole."""
    repository = hub.repositories.get("org/data")
    for tag, oid in (repository.tags if repository else {}).items():
        if not whole(hub, release, oid):
            return f"{tag} is not whole"
    for commit in repository.commits.values() if repository else ():
        if set(commit.files) - {".gitattributes"} not in (set(), set(release.files())):
            return "a commit with a part of the files"
    return ""


def fetch(base: Base, tally: Tally, name: str) -> None:
    """A published release is fetched while the network is cut in one of its tables; then it is fetched again."""
    folder = base.copy(base.built)
    with serving() as hub:
        before = _publish_command(base, folder, hub)
        HUB_FAULTS[name](hub, r"GET /datasets/.*/resolve/.*parquet")
        first = run(folder, "fetch", "org/data@v1.0.0", "fetched", **client_of(hub.url, folder))
        said = "" if before.status == 0 else before.said[-1500:]
        if first.status:
            said = said or ("" if clear(first.said) else f"no clear message: {first.said[-1500:]}")
            said = said or ("something was written" if (folder / "fetched").exists() else "")
            hub.faults.clear()
            again = run(folder, "fetch", "org/data@v1.0.0", "fetched", **client_of(hub.url, folder))
            said = said or ("" if again.status == 0 else again.said[-1500:])
        if not said:
            names = open_release(folder / RELEASE).files()
            same = [(folder / RELEASE / n).read_bytes() == (folder / "fetched" / n).read_bytes() for n in names]
            said = "" if all(same) else "other bytes than were published"
        tally.note(FETCHING, name, "wrong" if said else "told" if first.status else "right", said)
    shutil.rmtree(folder)
