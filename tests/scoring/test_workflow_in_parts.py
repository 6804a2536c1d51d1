"""The workflow fetches a model once, scores it in jobs side by side, and gives the bytes of a run in one job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_hub import server  # noqa: F401  (a fixture)

from copies import copy_project, python

CONFIG = """\
languages:
  en:
    editions: ["1.0.0"]
scoring:
  models:
    stand-in: {{sample: 90, jobs: {jobs}}}
    demo-causal: {{sample: 60, jobs: {jobs}}}
"""
MODELS = """\
models:
  stand-in:
    name: A model
    hub_id: team/model
    kind: masked
    parameters_millions: 1
    licence: mit
    languages: english
"""


def copied(folder: Path, jobs: int) -> Path:
    copy_project(folder)
    (folder / "config.yaml").write_text(CONFIG.format(jobs=jobs), encoding="utf-8")
    (folder / "models.yaml").write_text(MODELS, encoding="utf-8")
    return folder


def built(folder: Path, endpoint: str, home: Path) -> None:
    more = {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
    ran = python(folder, "winoqueer_nl.cli", "build", "--cores", "2", "score", **more)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def scores(folder: Path) -> dict[str, bytes]:
    found = sorted((folder / "results/scores").glob("**/scores.parquet"))
    return {path.parent.name: path.read_bytes() for path in found}


@pytest.mark.slow
def test_a_run_in_parts_is_a_run_in_one_job(server, tmp_path):  # noqa: F811
    endpoint, handler = server
    one = copied(tmp_path / "one job", 1)
    parts = copied(tmp_path / "parts", 3)
    built(one, endpoint, tmp_path / "home one")
    before = len([path for path in handler.asked if path.endswith("model.safetensors")])
    built(parts, endpoint, tmp_path / "home parts")
    weights = len([path for path in handler.asked if path.endswith("model.safetensors")]) - before
    assert sorted(scores(one)) == ["demo-causal", "stand-in"]
    assert scores(parts) == scores(one)
    # Eight jobs have scored it; one has fetched it (asking for its size, then for the file).
    logs = [path.name for path in (parts / "results/logs/score").glob("*stand-in*.log")]
    assert len(logs) == 1 + 1 + 3 + 3 + 1
    assert weights <= 2
    assert not (parts / "results/parts").exists()
    # Other cuts are no reason to score anything again: the summaries, which hold seconds, stay as they were.
    summaries = {p: p.read_bytes() for p in (parts / "results/scores").glob("**/summary.json")}
    (parts / "config.yaml").write_text(CONFIG.format(jobs=2), encoding="utf-8")
    built(parts, endpoint, tmp_path / "home parts")
    assert {p: p.read_bytes() for p in summaries} == summaries
    assert json.loads((parts / "results/models/stand-in.json").read_text())["model"] == "team/model"
