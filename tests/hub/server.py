"""A Hub on the loopback interface: the calls that publishing and loading make, with LFS or Xet, and faults on demand.

Standard library only. Every call is counted; a :class:`Fault` strikes the n-th call, or the first that fits a
pattern: with a status, by closing the connection before or after the work is done, or with a hook.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import socket
import struct
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hub import xet
from hub.repository import Repository, StaleParentError, Stored

TOKEN = "hf_" + "TestTokenOfTheLoopbackServer"
PART = 400_000


@dataclass
class Fault:
    """What goes wrong: at the call number ``at`` (from 1), or at calls that ``match``; ``times`` times.

    status: answer this instead. cut: close the connection without an answer; half: reset it in the middle of
    the answer; late: only after doing the work. hook: called before anything else.
    """

    at: int | None = None
    match: str | None = None
    times: int = 1
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    half: bool = False
    late: bool = False
    hook: Callable[[], None] | None = None

    def strikes(self, number: int, call: str) -> bool:
        """Whether it strikes this call; counts down."""
        if self.times <= 0:
            return False
        hit = number >= self.at if self.at is not None else re.search(self.match or "$^", call) is not None
        self.times -= hit
        return hit


@dataclass
class Hub:
    """The state of the server."""

    use_xet: bool = False
    who: dict[str, Any] = field(default_factory=lambda: write_token())
    repositories: dict[str, Repository] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    parts: dict[str, dict[int, bytes]] = field(default_factory=dict)
    xorbs: dict[str, bytes] = field(default_factory=dict)
    xet_files: dict[str, xet.XetFile] = field(default_factory=dict)
    xet_of: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    bad_card: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)
    url: str = ""


def write_token(role: str = "write", name: str = "tester", orgs: tuple[str, ...] = ("org",), **fine: Any) -> dict:
    """What the Hub says of a token."""
    access = {"displayName": "test", "role": role, **({"fineGrained": fine} if fine else {})}
    members = [{"name": org, "roleInOrg": "write"} for org in orgs]
    return {"type": "user", "name": name, "orgs": members, "auth": {"type": "access_token", "accessToken": access}}


class Answer(Exception):
    """Ends the handling of a call with this answer."""

    def __init__(self, status: int, body: Any = b"", headers: dict[str, str] | None = None) -> None:
        self.status, self.body, self.headers = status, body, headers or {}
        super().__init__(status)


def _error(status: int, code: str, text: str) -> Answer:
    return Answer(status, {"error": text}, {"X-Error-Code": code, "X-Error-Message": text})


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # with small writes one by one every answer would wait 40 ms
    disable_nagle_algorithm = True
    hub: Hub

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _handle(self) -> None:
        parts = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(parts.path)
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self.base = f"http://{self.headers['Host']}"
        body = self._body()
        call = f"{self.command} {path}"
        with self.hub.lock:
            self.hub.calls.append(call)
            number = len(self.hub.calls)
            fault = next((f for f in self.hub.faults if f.strikes(number, call)), None)
        if fault is not None:
            if fault.hook:
                fault.hook()
            if fault.status:
                self._send(Answer(fault.status, {"error": "injected"}, fault.headers))
                return
            if fault.cut and not fault.late:
                self._cut()
                return
        with self.hub.lock:
            try:
                self._route(path, body)
                answer = Answer(404, {"error": f"no route for {call}"})
            except Answer as given:
                answer = given
        if fault is not None and fault.cut:
            self._cut()
        else:
            self._send(answer, half=fault is not None and fault.half)

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _handle

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _cut(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, answer: Answer, half: bool = False) -> None:
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        kind = "application/octet-stream" if isinstance(answer.body, bytes) else "application/json"
        with contextlib.suppress(OSError):
            self.send_response(answer.status)
            for key, value in {"Content-Type": kind, "Content-Length": str(len(body)), **answer.headers}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body[: len(body) // 2] if half else body)
            if half:
                self.wfile.flush()
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True

    # ------------------------------------------------------------------ routes

    def _route(self, path: str, body: bytes) -> None:
        if path == "/api/whoami-v2":
            self._authorised()
            raise Answer(200, self.hub.who)
        if path == "/api/validate-yaml":
            bad = [{"message": "bad card"}] if self.hub.bad_card else []
            raise Answer(400 if bad else 200, {"errors": bad, "warnings": []})
        if path == "/api/repos/create":
            self._authorised()
            self._create(json.loads(body))
        if path.startswith("/lfs/"):
            self._storage(path.split("/")[2:], body)
        if path.startswith("/cas/"):
            self._cas(path.removeprefix("/cas"), body)
        if found := re.fullmatch(r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", path):
            self._authorised()
            self._repository(found[1])
            self._batch(json.loads(body))
        if found := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._resolve(self._repository(found[1]), found[2], found[3])
        if found := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/(.+))?", path):
            self._api(self._repository(found[1]), (found[2] or "").split("/"), body)

    def _authorised(self) -> None:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise Answer(401, {"error": "Invalid username or password."})

    def _repository(self, name: str) -> Repository:
        repository = self.hub.repositories.get(name)
        if repository is None:
            raise _error(404, "RepoNotFound", "Repository not found")
        if repository.private:
            self._authorised()
        return repository

    def _create(self, wanted: dict) -> None:
        name = f"{wanted.get('organization') or self.hub.who['name']}/{wanted['name']}"
        answer = {"url": f"{self.base}/datasets/{name}", "name": name, "id": "1"}
        if name in self.hub.repositories:
            raise Answer(409, {"error": "You already created this dataset repo", **answer})
        private = wanted.get("visibility") == "private" or bool(wanted.get("private"))
        self.hub.repositories[name] = Repository(name, private)
        raise Answer(200, answer)

    def _files(self, repository: Repository, revision: str) -> dict[str, Stored]:
        files = repository.at(revision)
        if files is None:
            raise _error(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return files

    def _api(self, repository: Repository, rest: list[str], body: bytes) -> None:
        verb, argument = rest[0], rest[1] if len(rest) > 1 else "main"
        if self.command == "GET" and verb in ("", "revision"):
            self._info(repository, argument)
        if self.command == "GET" and verb == "refs":
            raise Answer(
                200,
                {
                    "branches": [{"name": "main", "ref": "refs/heads/main", "targetCommit": repository.head}],
                    "converts": [],
                    "tags": [
                        {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
                        for name, oid in repository.tags.items()
                    ],
                },
            )
        if self.command == "GET" and verb == "tree":
            self._tree(repository, argument, "/".join(rest[2:]))
        if verb == "paths-info":
            files = self._files(repository, argument)
            wanted = urllib.parse.parse_qs(body.decode()).get("paths", [])
            raise Answer(200, [item for path in wanted for item in _described(files, path)])
        if verb == "xet-read-token":
            self._xet_token()
        if self.command != "GET" or verb == "xet-write-token":
            self._authorised()
            self._write(repository, verb, argument, body)

    def _write(self, repository: Repository, verb: str, argument: str, body: bytes) -> None:
        if verb == "xet-write-token":
            self._xet_token()
        if verb == "preupload":
            files = self._files(repository, argument)
            raise Answer(
                200,
                {
                    "files": [
                        {
                            "path": f["path"],
                            "uploadMode": "lfs" if repository.is_large(f["path"], f["size"]) else "regular",
                            "shouldIgnore": False,
                            **({"oid": _known_oid(files[f["path"]])} if f["path"] in files else {}),
                        }
                        for f in json.loads(body)["files"]
                    ],
                    "commitOid": repository.resolve(argument),
                },
            )
        if verb == "commit":
            lines = [json.loads(line) for line in body.decode().splitlines() if line]
            unknown = [v["value"] for v in lines if v["key"] == "lfsFile" and v["value"]["oid"] not in self.hub.objects]
            if unknown:
                raise Answer(400, {"error": f"LFS pointer to a file that does not exist: {unknown[0]['path']}"})
            try:
                oid = repository.apply(lines, self.hub.objects)
            except StaleParentError:
                raise Answer(412, {"error": "A commit has happened since. Please refresh and try again."}) from None
            url = f"{self.base}/datasets/{repository.name}/commit/{oid}"
            raise Answer(200, {"success": True, "commitOid": oid, "commitUrl": url, "hookOutput": ""})
        if verb == "tag" and self.command == "POST":
            name, oid = json.loads(body)["tag"], repository.resolve(argument)
            if oid is None:
                raise _error(404, "RevisionNotFound", f"Invalid rev id: {argument}")
            if name in repository.tags:
                raise Answer(409, {"error": "Tag exists"}, {"X-Error-Message": "Tag reference exists already"})
            repository.tags[name] = oid
            raise Answer(200, {})

    def _info(self, repository: Repository, revision: str) -> None:
        files = self._files(repository, revision)
        siblings = []
        for path, file in sorted(files.items()):
            entry: dict[str, Any] = {"rfilename": path}
            if self.query.get("blobs"):
                entry |= {"size": file.size, "blobId": file.oid}
                if file.sha256:
                    entry["lfs"] = {"sha256": file.sha256, "size": file.size, "pointerSize": len(file.pointer)}
            siblings.append(entry)
        moment = "2025-01-01T00:00:00.000Z"
        raise Answer(
            200,
            {
                "_id": "1", "id": repository.name, "author": repository.name.split("/")[0],
                "sha": repository.resolve(revision), "lastModified": moment, "createdAt": moment,
                "private": repository.private, "gated": False, "disabled": False, "tags": [], "downloads": 0,
                "likes": 0, "siblings": siblings,
            },
        )  # fmt: skip

    def _tree(self, repository: Repository, revision: str, below: str) -> None:
        files = self._files(repository, revision)
        deep = self.query.get("recursive", "").lower() in ("true", "1")
        start = f"{below}/" if below else ""
        folders: dict[str, None] = {}
        found = []
        for path, file in sorted(files.items()):
            if not path.startswith(start):
                continue
            steps = path[len(start) :].split("/")
            for depth in range(1, len(steps) if deep else min(len(steps), 2)):
                folders[start + "/".join(steps[:depth])] = None
            if deep or len(steps) == 1:
                found.append(self._with_xet(file.listed(path), file))
        if below and not found and not folders:
            raise _error(404, "EntryNotFound", f"{below} does not exist")
        raise Answer(200, [_folder(path) for path in folders] + found)

    def _with_xet(self, entry: dict, file: Stored) -> dict:
        if self.hub.use_xet and file.sha256 in self.hub.xet_of:
            entry["xetHash"] = self.hub.xet_of[file.sha256]
        return entry

    def _resolve(self, repository: Repository, revision: str, path: str) -> None:
        files = self._files(repository, revision)
        commit = repository.resolve(revision) or ""
        if path not in files:
            answer = _error(404, "EntryNotFound", "Entry not found")
            answer.headers["X-Repo-Commit"] = commit
            raise answer
        file = files[path]
        data = file.content if file.content is not None else self.hub.objects[str(file.sha256)]
        headers = {"X-Repo-Commit": commit, "ETag": f'"{file.sha256 or file.oid}"', "Accept-Ranges": "bytes"}
        if file.sha256:
            headers |= {"X-Linked-Size": str(file.size), "X-Linked-ETag": f'"{file.sha256}"'}
            if self.hub.use_xet and file.sha256 in self.hub.xet_of:
                name = self.hub.xet_of[file.sha256]
                auth = f"{self.base}/api/datasets/{repository.name}/xet-read-token/{commit}"
                headers |= {
                    "X-Xet-Hash": name,
                    "Link": f'<{auth}>; rel="xet-auth", '
                    f'<{self.base}/cas/v1/reconstructions/{name}>; rel="xet-reconstruction-info"',
                }
        raise self._range(data, headers)

    def _range(self, data: bytes, headers: dict[str, str]) -> Answer:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if not wanted:
            return Answer(200, data, headers)
        first = int(wanted[1])
        last = min(int(wanted[2] or len(data) - 1), len(data) - 1)
        return Answer(206, data[first : last + 1], headers | {"Content-Range": f"bytes {first}-{last}/{len(data)}"})

    # ------------------------------------------------------------------ large files, without Xet

    def _batch(self, wanted: dict) -> None:
        objects = []
        for one in wanted["objects"]:
            entry = {"oid": one["oid"], "size": one["size"]}
            if one["oid"] not in self.hub.objects:
                place = f"{self.base}/lfs"
                upload: dict[str, Any] = {"href": f"{place}/object/{one['oid']}"}
                if one["size"] > PART and "multipart" in wanted["transfers"]:
                    n = -(-one["size"] // PART)
                    header = {"chunk_size": str(PART)}
                    header |= {str(i): f"{place}/part/{one['oid']}/{i}" for i in range(1, n + 1)}
                    upload = {"href": f"{place}/complete/{one['oid']}", "header": header}
                entry["actions"] = {"upload": upload, "verify": {"href": f"{place}/verify", "header": {}}}
            objects.append(entry)
        raise Answer(200, {"transfer": "basic", "objects": objects})

    def _storage(self, steps: list[str], body: bytes) -> None:
        if steps[0] == "verify":
            there = self.hub.objects.get(json.loads(body)["oid"])
            raise Answer(200 if there is not None else 404, {})
        oid = steps[1]
        if steps[0] == "part":
            self.hub.parts.setdefault(oid, {})[int(steps[2])] = body
            raise Answer(200, b"", {"ETag": f'"{hashlib.md5(body).hexdigest()}"'})
        if steps[0] == "complete":
            body = b"".join(self.hub.parts[oid][p["partNumber"]] for p in json.loads(body)["parts"])
        if hashlib.sha256(body).hexdigest() != oid:
            raise Answer(400, {"error": "other bytes than announced"})
        self.hub.objects[oid] = body
        raise Answer(200, {})

    # ------------------------------------------------------------------ large files, with Xet

    def _xet_token(self) -> None:
        if not self.hub.use_xet:
            raise Answer(404, {"error": "this server has no Xet"})
        far, place = "4102444800", f"{self.base}/cas"
        headers = {"X-Xet-Cas-Url": place, "X-Xet-Access-Token": "cas", "X-Xet-Token-Expiration": far}
        raise Answer(200, {"casUrl": place, "exp": int(far), "accessToken": "cas"}, headers)

    def _cas(self, path: str, body: bytes) -> None:
        if found := re.fullmatch(r"/v1/xorbs/[^/]+/([0-9a-f]{64})", path):
            self.hub.xorbs[found[1]] = body
            raise Answer(200, {"was_inserted": True})
        if re.fullmatch(r"(/v1)?/shards", path):
            for file in xet.files_of(body):
                data = xet.assemble(file, self.hub.xorbs)
                digest = hashlib.sha256(data).hexdigest()
                self.hub.objects[digest] = data
                self.hub.xet_files[file.hash] = file
                self.hub.xet_of[digest] = file.hash
            raise Answer(200, {"result": 1})
        if (found := re.fullmatch(r"/v1/reconstructions/([0-9a-f]{64})", path)) and found[1] in self.hub.xet_files:
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
            given = (int(wanted[1]), int(wanted[2])) if wanted else None
            plan = xet.reconstruction(self.hub.xet_files[found[1]], self.hub.xorbs, self.base, given)
            raise Answer(200, plan) if plan else Answer(416, {"error": "beyond the end"})
        if (found := re.fullmatch(r"/xorb/([0-9a-f]{64})", path)) and found[1] in self.hub.xorbs:
            raise self._range(self.hub.xorbs[found[1]], {})


def _known_oid(file: Stored) -> str:
    return file.sha256 or file.oid


def _folder(path: str) -> dict:
    return {"type": "directory", "path": path, "size": 0, "oid": hashlib.sha1(path.encode()).hexdigest()}


def _described(files: dict[str, Stored], path: str) -> Iterator[dict]:
    path = path.strip("/")
    if path in files:
        yield files[path].listed(path)
    elif not path or any(file.startswith(f"{path}/") for file in files):
        yield _folder(path)


@contextlib.contextmanager
def serving(use_xet: bool = False) -> Iterator[Hub]:
    """A server on a free port for as long as the block lasts."""
    hub = Hub(use_xet)
    handler = type("BoundHandler", (Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


__all__ = ["TOKEN", "Fault", "Hub", "serving", "write_token"]
