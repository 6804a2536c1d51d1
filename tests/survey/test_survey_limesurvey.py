"""LimeSurvey's interface: asked as LimeSurvey is asked, personal columns left out before anything is written."""

from __future__ import annotations

import base64
import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from casefiles import fixtures, write_case

from winoqueer_nl.problems import InputError
from winoqueer_nl.survey.exports import read_exports
from winoqueer_nl.survey.formats import Format
from winoqueer_nl.survey.instrument import load
from winoqueer_nl.survey.limesurvey import PASSWORD, USERNAME, fetch

FIXTURE = fixtures()["limesurvey_csv"]
FORM = Format.model_validate({"reader": "limesurvey_csv"})
ENVIRONMENT = {USERNAME: "maintainer", PASSWORD: "secret-QQ"}


class Server(HTTPServer):
    """Speaks as much of RemoteControl 2 (JSON-RPC) as an export takes."""

    content = b""
    asked: list[str]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(request["method"])
        result: Any = "OK"
        if request["method"] == "get_session_key":
            right = request["params"][:2] == ["maintainer", "secret-QQ"]
            result = "key" if right else {"status": "Invalid user name or password"}
        elif request["method"] == "export_responses":
            known = request["params"][1] == 123
            result = base64.b64encode(self.server.content).decode() if known else {"status": "Error: Invalid survey ID"}
        body = json.dumps({"id": request["id"], "result": result, "error": None}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing to say."""


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server(("127.0.0.1", 0), Handler)
    one.asked = []
    one.content = FIXTURE["cases"][0]["file"].encode("utf-8-sig")
    threading.Thread(target=one.serve_forever, daemon=True).start()
    yield one
    one.shutdown()
    one.server_close()


def address(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_port}/admin/remotecontrol"


def test_a_fetched_export_reads_as_a_downloaded_one_without_what_is_personal(server: Server, tmp_path: Path) -> None:
    out = tmp_path / "exports" / "round.csv"
    assert fetch(address(server), 123, out, FORM, ENVIRONMENT) == 2
    text = out.read_text("utf-8")
    for personal in ("192.0.2", "ipaddr", "refurl", "2026-01-01", "startdate"):
        assert personal not in text
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert server.asked[-1] == "release_session_key"
    instrument_file, downloaded = write_case(tmp_path, FIXTURE, FIXTURE["cases"][0])
    instrument = load(instrument_file)
    assert read_exports([out], instrument).table.equals(read_exports([downloaded], instrument).table)


def test_incomplete_responses_are_still_known_for_such(server: Server, tmp_path: Path) -> None:
    case = FIXTURE["cases"][1]
    server.content = case["file"].encode()
    fetch(address(server), 123, tmp_path / "round.csv", FORM, ENVIRONMENT)
    instrument_file, _ = write_case(tmp_path, FIXTURE, case)
    found = read_exports([tmp_path / "round.csv"], load(instrument_file))
    assert found.dropped["one"] == {"unfinished": 1}


@pytest.mark.parametrize(
    ("url", "survey_id", "environment", "content", "expected"),
    [
        (None, 124, ENVIRONMENT, None, "Invalid survey ID"),
        (None, 123, ENVIRONMENT | {PASSWORD: "wrong-QQ"}, None, "Invalid user name or password"),
        (None, 123, {USERNAME: "maintainer"}, None, PASSWORD),
        ("http://example.org/remotecontrol", 123, ENVIRONMENT, None, "begins with https://"),
        ("http://127.0.0.1:9/remotecontrol", 123, ENVIRONMENT, None, "no answer"),
        (None, 123, ENVIRONMENT, b"", "no such table"),
        (None, 123, ENVIRONMENT, b"id,submitdate\n1,x\n", "no such table"),
        (None, 123, ENVIRONMENT, b"id;submitdate\n1;\xe9\n", "no such table"),
    ],
)
def test_what_goes_wrong_gets_a_message_and_writes_nothing(
    server: Server, tmp_path: Path, url, survey_id, environment, content, expected: str
) -> None:
    if content is not None:
        server.content = content
    with pytest.raises(InputError) as caught:
        fetch(url or address(server), survey_id, tmp_path / "round.csv", FORM, environment)
    assert expected in caught.value.message()
    assert "QQ" not in caught.value.message()
    assert list(tmp_path.iterdir()) == []
