"""A translation server on loopback that speaks like four engines and misbehaves on request."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Misbehaviour = Callable[["Handler", str], None]


class Server(ThreadingHTTPServer):
    """Keeps a log of requests and a queue of misbehaviours, one for each request; without one it answers well."""

    daemon_threads = True

    def __init__(self, dictionary: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.dictionary = dictionary
        self.queue: list[Misbehaviour] = []
        self.log: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up on a slow answer is no news."""


class Handler(BaseHTTPRequestHandler):
    """/google answers as Google's page does, /deepl/translate as DeepL, /mymemory as MyMemory, /libre/translate as
    LibreTranslate."""

    server: Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.serve("")

    def do_POST(self) -> None:
        self.serve(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

    def serve(self, body: str) -> None:
        parts = urlsplit(self.path)
        asked = {k: v[0] for k, v in (parse_qs(parts.query) | parse_qs(body)).items()}
        sentence = asked.get("q") or asked.get("text") or ""
        self.server.log.append(
            {"path": self.path, "body": asked, "sentence": sentence, "authorization": self.headers.get("Authorization")}
        )
        if self.server.queue:
            self.server.queue.pop(0)(self, sentence)
        else:
            self.right(self.server.dictionary.get(sentence, f"?? {sentence}"))

    def right(self, translation: object) -> None:
        """The answer of the engine that was asked, with a translation in it."""
        engine = urlsplit(self.path).path.split("/")[1]
        if engine == "google":
            self.send(f'<html><div class="result-container">{translation}</div></html>', "text/html")
        elif engine == "deepl":
            self.send(json.dumps({"translations": [{"text": translation}]}))
        elif engine == "mymemory":
            self.send(
                json.dumps({"responseData": {"translatedText": translation}, "responseStatus": 200, "matches": []})
            )
        else:
            self.send(json.dumps({"translatedText": translation}))

    def send(
        self,
        text: str | bytes,
        kind: str = "application/json",
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        content = text if isinstance(text, bytes) else text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def status(code: int, **headers: str) -> Misbehaviour:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.send("{}", status=code, headers=named)


def text(content: str | bytes, kind: str = "application/json") -> Misbehaviour:
    return lambda handler, _: handler.send(content, kind)


def translation(value: object) -> Misbehaviour:
    return lambda handler, _: handler.right(value)


def echo(handler: Handler, sentence: str) -> None:
    handler.right(sentence)


def silent(handler: Handler, _: str) -> None:
    """Accepts the request and says nothing for longer than anybody should wait."""
    time.sleep(1.5)
    handler.close_connection = True


def trickle(handler: Handler, _: str) -> None:
    """A byte now and then: each read succeeds, the answer never ends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(60):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)
    handler.close_connection = True


def cut_in_the_middle(handler: Handler, _: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "500")
    handler.end_headers()
    handler.wfile.write(b'{"translatedText": "half of an ans')
    handler.close_connection = True


def cut_in_a_chunk(handler: Handler, _: str) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b'ff\r\n{"translatedText": ')
    handler.close_connection = True


def reset(handler: Handler, _: str) -> None:
    """The connection is gone before any answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def garbage(handler: Handler, _: str) -> None:
    handler.wfile.write(b"this is no HTTP at all\r\n\r\n")
    handler.close_connection = True
