"""What the test server stores: dataset repositories with commits, branches and tags, like git with large files."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

LARGE = ("*.parquet", "*.png", "*.bin", "*.zip", "*.gz")
ATTRIBUTES = "".join(f"{pattern} filter=lfs diff=lfs merge=lfs -text\n" for pattern in LARGE)


def git_hash(data: bytes) -> str:
    """The id of a blob."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass(frozen=True)
class Stored:
    """A file of a commit: content for small ones, the SHA-256 of an uploaded object for large ones."""

    content: bytes | None
    sha256: str | None
    size: int

    @property
    def pointer(self) -> bytes:
        """What git holds in the place of a large file."""
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {self.size}\n".encode()

    @property
    def oid(self) -> str:
        """The id of the blob that git holds."""
        return git_hash(self.content if self.content is not None else self.pointer)

    def listed(self, path: str) -> dict:
        """The entry of a listing."""
        entry = {"type": "file", "path": path, "size": self.size, "oid": self.oid}
        if self.sha256:
            entry["lfs"] = {"oid": self.sha256, "size": self.size, "pointerSize": len(self.pointer)}
        return entry


@dataclass
class Commit:
    """Files by path, and the commit before."""

    files: dict[str, Stored]
    parent: str | None
    title: str

    @property
    def oid(self) -> str:
        """The id: it depends on content, parent and title alone."""
        content = [self.parent, self.title, sorted((path, file.oid) for path, file in self.files.items())]
        return hashlib.sha1(json.dumps(content).encode()).hexdigest()


class StaleParentError(Exception):
    """The branch is not where the client believes."""


@dataclass
class Repository:
    """One dataset repository with the branch main."""

    name: str
    private: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    head: str = ""
    tags: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = ATTRIBUTES.encode()
        self.put({".gitattributes": Stored(first, None, len(first))}, "initial commit")

    def put(self, files: dict[str, Stored], title: str) -> str:
        """A new commit with these files on top of main."""
        commit = Commit(files, self.head or None, title)
        self.commits[commit.oid] = commit
        self.head = commit.oid
        return commit.oid

    def resolve(self, revision: str) -> str | None:
        """The commit of a branch, tag or commit id."""
        known = {"main": self.head, "HEAD": self.head, **self.tags}
        return known.get(revision) or (revision if revision in self.commits else None)

    def at(self, revision: str) -> dict[str, Stored] | None:
        """The files at a revision."""
        oid = self.resolve(revision)
        return self.commits[oid].files if oid else None

    def apply(self, lines: list[dict], objects: dict[str, bytes]) -> str:
        """A commit from the lines that a client sends; all of it or, with an error, nothing."""
        head = lines[0]["value"]
        parent = head.get("parentCommit")
        if parent and parent != self.head:
            raise StaleParentError
        files = dict(self.commits[self.head].files)
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                data = base64.b64decode(value["content"])
                files[value["path"]] = Stored(data, None, len(data))
            elif line["key"] == "lfsFile":
                files[value["path"]] = Stored(None, value["oid"], len(objects[value["oid"]]))
            else:
                raise AssertionError(f"an operation that publishing never makes: {line['key']}")
        return self.put(files, head["summary"])

    @staticmethod
    def is_large(path: str, size: int) -> bool:
        """Whether a file goes to the storage of large files."""
        return size > 10 * 2**20 or any(fnmatchcase(path.split("/")[-1], pattern) for pattern in LARGE)
