"""The real clients, huggingface_hub and datasets, pointed at the test server, with waits that take no time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import datasets
import huggingface_hub.constants
import huggingface_hub.utils._http
import huggingface_hub.utils._xet
import pytest
from datasets import config as datasets_config

from hub.server import TOKEN, Hub, serving
from winoqueer_nl.publish import hub as ours
from winoqueer_nl.publish import run
from winoqueer_nl.publish.retry import Retry
from winoqueer_nl.release import verify
from winoqueer_nl.release.layout import Release


def forget_xet(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """A new Xet session with an empty cache: it knows nothing of what was uploaded before."""
    monkeypatch.setenv("HF_XET_CACHE", str(cache))
    monkeypatch.setattr(huggingface_hub.constants, "HF_XET_CACHE", str(cache))
    monkeypatch.setattr(huggingface_hub.utils._xet, "_GLOBAL_XET_HOLDER", huggingface_hub.utils._xet.XetSessionHolder())


@contextmanager
def pointed(use_xet: bool, monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[Hub]:
    """A server, and both libraries talking to it."""
    with serving(use_xet) as hub:
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        # hf_xet reads its settings itself: few, short waits.
        forget_xet(monkeypatch, home / "xet")
        for name, value in {"RETRY_MAX_ATTEMPTS": "2", "RETRY_BASE_DELAY": "10ms", "RETRY_MAX_DURATION": "1s"}.items():
            monkeypatch.setenv(f"HF_XET_CLIENT_{name}", value)
        constants = huggingface_hub.constants
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", not use_xet)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "hub"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(home / "token"))
        monkeypatch.setattr(datasets_config, "HF_ENDPOINT", hub.url)
        monkeypatch.setattr(datasets_config, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(datasets_config, "HF_DATASETS_OFFLINE", False)
        monkeypatch.setattr(datasets_config, "HF_MODULES_CACHE", str(home / "modules"))
        monkeypatch.setattr(huggingface_hub.utils._http.time, "sleep", lambda seconds: None)
        huggingface_hub.utils._http.close_session()
        datasets.disable_progress_bars()
        huggingface_hub.utils.disable_progress_bars()
        yield hub
        huggingface_hub.utils._http.close_session()


class Waits(list[float]):
    """Seconds that publishing would have waited."""


def client(repo: str, waits: Waits | None = None, attempts: int = 4) -> ours.Hub:
    """Our client of a repository, that notes its waits instead of waiting."""
    noted = waits if waits is not None else Waits()
    return ours.Hub(repo, TOKEN, Retry(attempts=attempts, sleep=noted.append))


#: The checks that publishing makes in these tests; the others have tests of their own.
FILES = verify.QUICK[:1]


def published(
    release: Release, repo: str = "org/data", confirm: bool = True, parent: str | None = None, attempts: int = 4
) -> tuple[bool, str]:
    """Publish with our code; whether it was done, and what it said."""
    said: list[str] = []
    context = verify.Context(release)
    done = run.publish(context, client(repo, attempts=attempts), run.Options(confirm, parent), said.append, FILES)
    return done, "\n".join(said)


def state(hub: Hub, repo: str = "org/data") -> tuple[dict[str, str], int]:
    """The tags of a repository and how many commits it has; nothing for one that does not exist."""
    if repo not in hub.repositories:
        return {}, 0
    return dict(hub.repositories[repo].tags), len(hub.repositories[repo].commits)


def whole(hub: Hub, release: Release, revision: str, repo: str = "org/data") -> bool:
    """Whether a revision on the server holds every byte of the release: what a reader gets, seen from inside."""
    files = hub.repositories[repo].at(revision) or {}
    for file in release.files():
        stored = files.get(file)
        if stored is None:
            return False
        data = stored.content if stored.content is not None else hub.objects[str(stored.sha256)]
        if data != (release.folder / file).read_bytes():
            return False
    return True
