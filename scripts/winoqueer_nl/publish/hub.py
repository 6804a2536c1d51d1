"""One dataset repository on the Hub, as publishing needs it: look at it, create it, commit once, tag once.

Nothing here deletes anything, on purpose: there is no call for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from winoqueer_nl.files import sha256
from winoqueer_nl.problems import InputError, Problem, quoted
from winoqueer_nl.publish.retry import Retry, explained, status_of
from winoqueer_nl.release.layout import CHECKSUMS, VERSION

T = TypeVar("T")

DATASET = "dataset"
MAIN = "main"


@dataclass(frozen=True)
class Remote:
    """A file as the Hub lists it: its size, and one of the two hashes that the Hub knows."""

    size: int
    sha256: str | None
    git_oid: str | None


@dataclass(frozen=True)
class State:
    """What stands in the repository: None for a repository that does not exist."""

    head: str
    tags: Mapping[str, str]
    files: Mapping[str, Remote]

    @property
    def versions(self) -> list[str]:
        """The versions that are tagged, the latest last."""
        found = [tag[1:] for tag in self.tags if tag.startswith("v") and VERSION.fullmatch(tag[1:])]
        return sorted(found, key=lambda version: tuple(map(int, version.split("."))))


def git_oid(path: Path) -> str:
    """The SHA-1 by which git knows a file's content."""
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def same(folder: Path, files: Mapping[str, str], remote: Mapping[str, Remote]) -> bool:
    """Whether the repository holds every file of the release, byte for byte, by the hashes that the Hub lists.

    The Hub knows small files by git's hash alone. It is taken from the folder's file, which must still be the one that
    the checksums name: a file that somebody changes meanwhile never counts as published.
    """
    for file, digest in files.items():
        there = remote.get(file)
        if there is None:
            return False
        if there.sha256 is not None:
            if there.sha256 != digest:
                return False
        elif there.git_oid != git_oid(folder / file) or sha256(folder / file) != digest:
            return False
    return True


def all_files(folder: Path, checksums: Mapping[str, str]) -> dict[str, str]:
    """The files of a release with their checksums, SHA256SUMS itself included."""
    return dict(checksums) | {CHECKSUMS: sha256(folder / CHECKSUMS)}


def checked_name(repo: str) -> str:
    """The repository's name; raises InputError for anything but ORG/NAME."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(repo)
        good = re.fullmatch(r"[^/\s]+/[^/\s]+", repo) is not None
    except HFValidationError:
        good = False
    if not good:
        raise InputError([Problem("--repo", quoted(repo), "ORG/NAME of a dataset repository", "Correct the name.")])
    return repo


class Hub:
    """The repository ``repo``; every call is retried, and its errors are told in one message."""

    def __init__(self, repo: str, token: str | None, retry: Retry | None = None) -> None:
        from huggingface_hub import HfApi

        self.repo = checked_name(repo)
        self.token = token
        self.retry = retry or Retry()
        # An empty token would be replaced by a stored one; False means none.
        self.api = HfApi(token=token or False, library_name="winoqueer-nl")

    def ask(self, what: str, call: Callable[[], T]) -> T:
        """A call that changes nothing, or that may be made twice."""
        try:
            return self.retry(what, call)
        except InputError:
            raise
        except Exception as error:
            raise explained(what, error, self.repo) from error

    def whoami(self) -> Mapping[str, Any]:
        """Whom the token belongs to, and what it may do."""
        return self.ask("say whose token this is", lambda: self.api.whoami())

    def look(self) -> State | None:
        """What stands in the repository; None if it does not exist."""
        from huggingface_hub.errors import RepositoryNotFoundError

        def refs() -> Any:
            try:
                return self.api.list_repo_refs(self.repo, repo_type=DATASET)
            except RepositoryNotFoundError as error:
                if status_of(error) == 401 and self.token:
                    raise
                return None

        found = self.ask("list branches and tags", refs)
        if found is None:
            return None
        heads = {branch.name: branch.target_commit for branch in found.branches}
        if MAIN not in heads:
            raise InputError([Problem(self.repo, "no branch main", "a dataset repository", "Look at the repository.")])
        tags = {tag.name: tag.target_commit for tag in found.tags}
        return State(heads[MAIN], tags, self.files(heads[MAIN]))

    def files(self, revision: str) -> dict[str, Remote]:
        """The files at a revision, with the hashes that the Hub lists."""
        from huggingface_hub.hf_api import RepoFile

        def listing() -> dict[str, Remote]:
            entries = self.api.list_repo_tree(self.repo, revision=revision, recursive=True, repo_type=DATASET)
            return {
                entry.path: Remote(entry.size, entry.lfs.sha256 if entry.lfs else None, entry.blob_id)
                for entry in entries
                if isinstance(entry, RepoFile)
            }

        return self.ask("list the files", listing)

    def create(self, private: bool) -> None:
        """Create the repository; no error if it is there already."""
        self.ask(
            "create the repository",
            lambda: self.api.create_repo(self.repo, repo_type=DATASET, private=private, exist_ok=True),
        )

    def commit(self, folder: Path, files: Mapping[str, str], parent: str, title: str, text: str) -> str:
        """Put the files into ONE commit on top of ``parent``; return the commit.

        Where the answer was lost, or the Hub says that the state changed, the repository is looked at first: if the
        files are there already, the commit was made, and it is not made twice.
        """
        from huggingface_hub import CommitOperationAdd

        def attempt() -> str:
            # Made anew each time: the library keeps in them what has been sent.
            operations = [CommitOperationAdd(file, str(folder / file)) for file in sorted(files)]
            try:
                made = self.api.create_commit(
                    self.repo,
                    operations,
                    commit_message=title,
                    commit_description=text,
                    repo_type=DATASET,
                    revision=MAIN,
                    parent_commit=parent,
                )
                return str(made.oid)
            except Exception:
                done = self._done(folder, files, parent)
                if done is not None:
                    return done
                raise

        return self.ask("commit the files", attempt)

    def _done(self, folder: Path, files: Mapping[str, str], parent: str) -> str | None:
        """The head of the repository if it holds the files and is not the parent any more."""
        try:
            refs = self.api.list_repo_refs(self.repo, repo_type=DATASET)
            head = next((b.target_commit for b in refs.branches if b.name == MAIN), None)
            if head is None or head == parent:
                return None
            return head if same(folder, files, self.files(head)) else None
        except Exception:  # the error that brought us here is the one to be told
            return None

    def tag(self, name: str, commit: str, text: str) -> None:
        """Tag a commit; no error if the tag is there already and names this commit."""

        def attempt() -> None:
            try:
                self.api.create_tag(self.repo, tag=name, tag_message=text, revision=commit, repo_type=DATASET)
            except Exception:
                if self._tagged(name) == commit:
                    return
                raise

        self.ask(f"make the tag {name}", attempt)

    def _tagged(self, name: str) -> str | None:
        try:
            refs = self.api.list_repo_refs(self.repo, repo_type=DATASET)
        except Exception:  # the error that brought us here is the one to be told
            return None
        return next((tag.target_commit for tag in refs.tags if tag.name == name), None)

    def text(self, file: str, revision: str, folder: Path) -> str:
        """The text of a file at a revision, fetched into ``folder``."""
        from huggingface_hub import hf_hub_download

        def fetch() -> str:
            path = hf_hub_download(
                self.repo, file, repo_type=DATASET, revision=revision, cache_dir=folder, token=self.token or False
            )
            return Path(path).read_text(encoding="utf-8")

        return self.ask(f"fetch {file}", fetch)

    def fetch(self, revision: str, folder: Path) -> Path:
        """Fetch every file of a revision into a folder of its own below ``folder``; return that folder."""
        from huggingface_hub import snapshot_download

        target = folder / "files"

        def fetch() -> Path:
            snapshot_download(
                self.repo,
                repo_type=DATASET,
                revision=revision,
                cache_dir=folder / "cache",
                local_dir=target,
                token=self.token or False,
                endpoint=self.api.endpoint,
            )
            return target

        return self.ask(f"fetch the files of {revision}", fetch)
