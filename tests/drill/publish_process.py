"""Publishes a release folder as `winoqueer-nl publish --confirm` does, but for the checks that need further programs.

Waits of the library and ours take no time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import huggingface_hub.utils._http

from winoqueer_nl.problems import InputError
from winoqueer_nl.publish.hub import Hub
from winoqueer_nl.publish.retry import Retry
from winoqueer_nl.publish.run import Options, publish
from winoqueer_nl.publish.token import token
from winoqueer_nl.release import verify

huggingface_hub.utils._http.time.sleep = lambda seconds: None

try:
    hub = Hub("org/data", token(), Retry(attempts=2, sleep=lambda seconds: None))
    publish(verify.context_for(Path(sys.argv[1]), [], Path()), hub, Options(confirm=True), print, verify.QUICK[:1])
except InputError as error:
    print(error.message())
    sys.exit(1)
