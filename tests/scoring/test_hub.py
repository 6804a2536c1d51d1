"""Models from a Hub: found, fetched as data only, or refused with one clear message. The Hub is a stand-in here."""

from __future__ import annotations

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import scoring_build as build

from command import PROJECT
from copies import python
from winoqueer_nl.problems import InputError
from winoqueer_nl.scoring import hub, loading

SHA = "0123456789abcdef0123456789abcdef01234567"
ERRORS = {
    "team/gated": (403, "GatedRepo", "Access to model team/gated is restricted"),
    "team/nothing": (401, "RepoNotFound", "Invalid username or password."),
}


class Handler(BaseHTTPRequestHandler):
    files: Path
    asked: list[str]

    def log_message(self, *_):
        pass

    def _send(self, code, body=b"", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        path = self.path.split("?")[0]
        self.asked.append(path)
        for name, (code, kind, text) in ERRORS.items():
            if name in path:
                return self._send(code, X_Error_Code=kind, X_Error_Message=text)
        if path.startswith("/api/models/team/model"):
            if "/revision/" in path and path.rsplit("/", 1)[1] not in (SHA, "main"):
                return self._send(404, X_Error_Code="RevisionNotFound", X_Error_Message="Invalid rev id")
            if "/tree/" in path:
                tree = [
                    {"type": "file", "path": p.name, "size": p.stat().st_size, "oid": "0" * 40}
                    for p in sorted(self.files.iterdir())
                ]
                return self._send(200, json.dumps(tree).encode(), Content_Type="application/json")
            siblings = [{"rfilename": p.name} for p in sorted(self.files.iterdir())]
            body = json.dumps({"id": "team/model", "sha": SHA, "siblings": siblings, "private": False}).encode()
            return self._send(200, body, Content_Type="application/json")
        if path.startswith("/team/model/resolve/"):
            file = self.files / path.rsplit("/", 1)[1]
            if not file.exists():
                return self._send(404, X_Error_Code="EntryNotFound")
            headers = {"X_Repo_Commit": SHA, "ETag": f'"{file.name}-{file.stat().st_size}"'}
            return self._send(200, file.read_bytes(), **headers)
        return self._send(404)

    do_HEAD = do_GET


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    folder = build.saved(tmp_path / "files", "bert")
    (folder / "modeling_own.py").write_text("raise SystemExit\n")
    (folder / "flax_model.msgpack").write_bytes(b"x")
    handler = type("Here", (Handler,), {"files": folder, "asked": []})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}", handler
    running.shutdown()
    running.server_close()


def test_a_model_is_fetched_at_its_commit_without_code_or_other_formats(server):
    endpoint, handler = server
    files = hub.find("team/model", endpoint=endpoint)
    assert files.revision == SHA
    fetched = {p.name for p in files.folder.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= fetched
    assert not fetched & {"modeling_own.py", "flax_model.msgpack"}
    assert not any("modeling_own" in path for path in handler.asked)
    assert loading.load(files, "team/model", device="cpu").revision == SHA


@pytest.mark.parametrize(("name", "revision", "message"), [
    ("team/gated", None, "a gated model, and no access to it"),
    ("team/nothing", None, "no such model on the Hub"),
    ("team/model", "v9", 'no revision "v9"'),
])  # fmt: skip
def test_what_the_hub_refuses_is_told(server, name, revision, message):
    with pytest.raises(InputError, match=message) as error:
        hub.find(name, revision, endpoint=server[0])
    assert len(error.value.problems) == 1


def test_a_repository_without_weights_is_told(server):
    (server[1].files / "model.safetensors").unlink()
    with pytest.raises(InputError, match="without model weights"):
        hub.find("team/model", endpoint=server[0])


def test_without_a_connection_an_earlier_download_is_used(server):
    hub.find("team/model", endpoint=server[0])
    assert hub.find("team/model", endpoint="http://127.0.0.1:9").revision == SHA
    with pytest.raises(InputError, match="no connection to the Hub"):
        hub.find("team/other", endpoint="http://127.0.0.1:9")


def command(*arguments, **environment) -> subprocess.CompletedProcess[str]:
    """The command line, in a process of its own."""
    return python(PROJECT, "winoqueer_nl.cli", *map(str, arguments), HF_HUB_DISABLE_XET="1", **environment)


def test_what_was_fetched_once_is_scored_without_a_network(server, tmp_path, pairs_file):
    endpoint, handler = server
    home = {"HF_HOME": str(tmp_path / "home"), "HF_ENDPOINT": endpoint}
    record = tmp_path / "model.json"
    fetched = command("fetch-model", "team/model", "--out", record, HF_HUB_OFFLINE="0", **home)
    assert fetched.returncode == 0, fetched.stderr
    written = json.loads(record.read_text())
    assert written["revision"] == SHA
    assert written["bytes"]["model.safetensors"] == (handler.files / "model.safetensors").stat().st_size
    asked = len(handler.asked)
    scored = command(
        "score", "team/model", "--pairs", pairs_file, "--out", tmp_path / "out", HF_HUB_OFFLINE="1", **home
    )
    assert scored.returncode == 0, scored.stderr
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["revision"] == SHA
    assert len(handler.asked) == asked


def test_offline_a_model_that_was_never_fetched_is_told(server, tmp_path):
    home = {"HF_HOME": str(tmp_path / "empty"), "HF_ENDPOINT": server[0]}
    ran = command("fetch-model", "team/model", "--out", tmp_path / "model.json", HF_HUB_OFFLINE="1", **home)
    assert ran.returncode == 1
    assert "no copy from an earlier download" in ran.stderr
    assert "HF_HUB_OFFLINE" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "model.json").exists()
