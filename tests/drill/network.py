"""The network cut in a translation, the download of a model or a release, and publishing: then the same again.

The servers are the stand-ins of tests/authoring, tests/scoring and tests/hub; the commands are processes of their own.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path += [str(TESTS / "authoring"), str(TESTS / "scoring")]  # their modules are no packages

import authoring_project  # noqa: E402
import translation_server as ts  # noqa: E402
from test_hub import Handler as ModelHandler  # noqa: E402

from drill.hub_cuts import HUB_FAULTS, PUBLISHED, client_of, fetch, publish  # noqa: E402
from drill.kills import PAIRS  # noqa: E402
from drill.project import Base, Ran, run  # noqa: E402
from drill.tally import Tally, clear, side_by_side  # noqa: E402

MODELS = "network cut, model"
TRANSLATION = "network cut, translation"


def drill(base: Base, tally: Tally, quick: bool) -> None:
    """Every server, with every way of going away."""
    few = slice(None, None, 4 if quick else 1)
    side_by_side(
        [lambda name=name: _translate(base, tally, name) for name in list(TRANSLATION_FAULTS)[few]]
        + [lambda name=name: _model(base, tally, name) for name in list(WAYS)[few]]
        + [lambda name=name: fetch(base, tally, name) for name in list(HUB_FAULTS)[few]]
        + [lambda call=call, name=name: publish(base, tally, call, name) for call, name in PUBLISHED[few]]
    )


# ---------------------------------------------------------------------------------------------- translation


def _restarting(handler: ts.Handler, _: str) -> None:
    """The server goes down with this request; the drill starts it again before the second run."""
    ts.reset(handler, "")
    handler.server.queue[:0] = [ts.reset] * 50


TRANSLATION_FAULTS: dict[str, ts.Misbehaviour] = {
    "reset before the answer": ts.reset,
    "cut in the middle": ts.cut_in_the_middle,
    "cut in a chunk": ts.cut_in_a_chunk,
    "silent": ts.silent,
    "slow without end": ts.trickle,
    "garbage": ts.garbage,
    "gone for good": _restarting,
}


def _translate(base: Base, tally: Tally, name: str) -> None:
    """The fault strikes at the third sentence and lasts for two requests, so that the try after it fails as well."""
    folders = [base.scratch / f"translate-{part}-{name.replace(' ', '-')}" for part in ("whole", "cut")]
    key = {"LIBRETRANSLATE_API_KEY": "key-of-the-drill", "NO_PROXY": "127.0.0.1"}
    tables = []
    said = ""
    verdict = "right"
    for folder in folders:
        authoring_project.write(folder)
        with ts.Server(dict(authoring_project.DICTIONARY)) as server:
            (folder / "config.yaml").write_text(
                f"languages:\n  toy:\n    editions: ['2.0.0']\ntranslation:\n  engine: libretranslate\n"
                f"  url: {server.url}/libre\n  answer_seconds: 0.6\n  tries: 2\n  first_pause_seconds: 0\n"
                "  seconds_between_requests: 0\n  give_up_after: 3\n",
                encoding="utf-8",
            )
            if folder == folders[1]:
                good = [lambda handler, sentence: handler.right(server.dictionary[sentence])] * 2
                server.queue += [*good, *[TRANSLATION_FAULTS[name]] * 2]
                first = _in_toy(base, folder, key)
                if "No answer for these" in first.said or first.status:
                    verdict = "told"
                if "Traceback" in first.said or (verdict == "told" and "the next run" not in first.said.lower()):
                    said = f"no clear message: {first.said[-1500:]}"
                server.queue.clear()
            last = _in_toy(base, folder, key)
            said = said or ("" if last.status == 0 else last.said[-1500:])
            tables.append((folder / "predicates/toy/translations.csv").read_text(encoding="utf-8"))
    if not said and tables[0] != tables[1]:
        said = "another table than without the fault"
    tally.note(TRANSLATION, name, "wrong" if said else verdict, said)


def _in_toy(base: Base, folder: Path, key: dict[str, str]) -> Ran:
    return run(base.built, "translate", "--root", folder, **key)


# ---------------------------------------------------------------------------------------------- a model


def reset(connection: socket.socket) -> None:
    """Close a connection so that the other side gets a reset, not an end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class Unsteady(ModelHandler):
    """A Hub with a model, where `trouble` may spoil the sending of the body of a path that holds `at`."""

    trouble: Callable[[Unsteady, bytes], None] | None = None
    at = "model.safetensors"

    def _send(self, code: int, body: bytes = b"", **headers: str) -> None:
        trouble = type(self).trouble
        if trouble is None or self.command == "HEAD" or self.at not in self.path:
            super()._send(code, body, **headers)
            return
        trouble(self, body)

    def head(self, body: bytes) -> None:
        """The head of an answer with this body."""
        self.send_response(200)
        for key, value in {"X-Repo-Commit": "0" * 40, "ETag": '"model.safetensors-0"'}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.flush()


def _before(handler: Unsteady, body: bytes) -> None:
    reset(handler.connection)


def _half(handler: Unsteady, body: bytes, silent_for: float = 0.1) -> None:
    handler.head(body)
    handler.wfile.write(body[: len(body) // 2])
    handler.wfile.flush()
    time.sleep(silent_for)
    reset(handler.connection)


def _ended(handler: Unsteady, body: bytes) -> None:
    handler.head(body)
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def _other_bytes(handler: Unsteady, body: bytes) -> None:
    handler.head(body)
    handler.wfile.write(body[: len(body) // 2])
    handler.wfile.write(b"\0" * (len(body) - len(body) // 2 - 1))
    handler.close_connection = True


WAYS: dict[str, Callable[[Unsteady, bytes], None]] = {
    "reset before the body": _before,
    "reset in the middle": _half,
    "ended in the middle": _ended,
    "silent in the middle": partial(_half, silent_for=4),
    "one byte short": _other_bytes,
}


@contextlib.contextmanager
def _model_hub(port: int = 0) -> Iterator[tuple[ThreadingHTTPServer, type[Unsteady]]]:
    handler = type("Here", (Unsteady,), {"files": TESTS / "scoring/golden/bert-wordpiece", "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server, handler
    finally:
        server.shutdown()
        server.server_close()


def _model(base: Base, tally: Tally, name: str) -> None:
    """A model is fetched for scoring, and its weights do not arrive whole; then the server goes down and up again."""
    folder = base.copy(base.built)
    whole = run(folder, "score", TESTS / "scoring/golden/bert-wordpiece", "--pairs", PAIRS, "--out", "whole", "--quiet")
    wanted = (folder / "whole/scores.parquet").read_bytes() if whole.status == 0 else b""
    with _model_hub() as (server, handler):
        port = server.server_port
        more = client_of(f"http://127.0.0.1:{port}", folder)
        handler.trouble = WAYS[name]
        first = run(folder, "score", "team/model", "--pairs", PAIRS, "--out", "fetched", "--quiet", **more)
    # nobody listens at the address any more
    down = run(folder, "score", "team/model", "--pairs", PAIRS, "--out", "fetched", "--quiet", **more)
    with _model_hub(port):
        last = run(folder, "score", "team/model", "--pairs", PAIRS, "--out", "fetched", "--quiet", **more)
    scores = folder / "fetched/scores.parquet"
    same = bool(wanted) and last.status == 0 and scores.is_file() and scores.read_bytes() == wanted
    for fault, ran in ((name, first), (f"{name}, then no server", down)):
        said = "" if ran.status == 0 or clear(ran.said, "team/model") else f"no clear message: {ran.said[-1500:]}"
        said = said or ("" if same else f"other scores afterwards: {last.said[-1500:]}{whole.said[-500:]}")
        tally.note(MODELS, fault, "wrong" if said else "told" if ran.status else "right", said)
    shutil.rmtree(folder)
