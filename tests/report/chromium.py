"""A headless Chromium driven over its own debugging pipe: what a reader's browser makes of the page.

The pipe needs no driver, no port and no network: messages are JSON, each ended by a NUL byte.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import queue
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0


def installed() -> str | None:
    """The path of a Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One page in a browser of its own; a context manager.

    events: what the browser told, in order: console messages, exceptions, requests.
    """

    def __init__(self, profile: Path, width: int = 1280, height: int = 900) -> None:
        browser = installed()
        assert browser is not None
        to_child, self._to = os.pipe()
        self._from, from_child = os.pipe()
        command = f'exec "$0" "$@" 3<&{to_child} 4>&{from_child}'
        arguments = [*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", command, browser, *arguments],
            pass_fds=(to_child, from_child),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self._numbers = itertools.count(1)
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.events: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        os.close(self._to)

    def _listen(self) -> None:
        rest = b""
        with os.fdopen(self._from, "rb", buffering=0) as pipe:
            while part := pipe.read(1 << 16):
                *whole, rest = (rest + part).split(b"\0")
                for message in map(json.loads, whole):
                    if "id" in message:
                        self._answers.put(message)
                    else:
                        self.events.append(message)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._answers.get(timeout=PATIENCE)
            if answer["id"] == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        start = len(self.events)
        self.call("Page.navigate", url=path.resolve().as_uri())
        until = time.monotonic() + PATIENCE
        while not any(event["method"] == "Page.loadEventFired" for event in self.events[start:]):
            assert time.monotonic() < until, "the page did not load"
            time.sleep(0.01)

    def js(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def key(self, name: str, text: str = "", shift: bool = False) -> None:
        """Press and release a key, as a keyboard does."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}
        shared = {"key": name, "code": name, "windowsVirtualKeyCode": codes.get(name, 0)}
        shared["modifiers"] = 8 if shift else 0
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def type(self, text: str) -> None:
        """Type text where the focus is, and wait on the page's own clock until it has acted on it.

        The page waits 80 ms for the next letter; a timer of 200 ms set after that one ends after it.
        """
        self.call("Input.insertText", text=text)
        self.js("new Promise((done) => setTimeout(done, 200))")

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.js(f"Boolean({expression})"):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.02)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """A PNG of the page."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(picture["data"]))

    def pdf(self) -> bytes:
        """The page as it prints."""
        return base64.b64decode(
            self.call("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.7)["data"]
        )

    def complaints(self) -> list[str]:
        """Console errors and warnings, exceptions that nobody caught, and what the browser's log says."""
        found = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in (
                "error",
                "warning",
                "assert",
            ):
                found.append(str(parameters["args"]))
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        return [
            event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"
        ]
