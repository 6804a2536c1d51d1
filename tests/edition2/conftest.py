"""The real tables with the tiers of the release, each edition's pairs and findings made once for all tests."""

from __future__ import annotations

import csv
import shutil
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from winoqueer_nl.check import run
from winoqueer_nl.check.context import Context, Finding
from winoqueer_nl.pairs import SCHEMA, Judgement, generate

ROOT = Path(__file__).parents[2]


@cache
def judgements(lang: str) -> dict[str, Judgement] | None:
    if lang != "nl":
        return None
    with (ROOT / "tests/data/published_tiers.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["stereotype_id"]: Judgement(
                int(row["tier"]) if row["tier"] else None,
                float(row["harmfulness_mean"]) if row["harmfulness_mean"] else None,
            )
            for row in csv.DictReader(file)
        }


@cache
def context_of(lang: str, edition: str) -> Context:
    return run.context_of(ROOT, lang, edition, judgements(lang))


@cache
def findings_of(lang: str, edition: str) -> tuple[Finding, ...]:
    return tuple(run.findings(context_of(lang, edition)))


@cache
def pairs_of(lang: str, edition: str) -> pa.Table:
    return pa.Table.from_batches(generate(context_of(lang, edition).edition, judgements(lang)), schema=SCHEMA)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the tables that a test may change."""
    for folder in ("templates", "predicates", "release"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copytree(ROOT / "survey", tmp_path / "survey")
    shutil.copy(ROOT / "config.yaml", tmp_path / "config.yaml")
    return tmp_path


class Made:
    """What the tests of this folder share."""

    root = ROOT
    judgements = staticmethod(judgements)
    context = staticmethod(context_of)
    findings = staticmethod(findings_of)
    pairs = staticmethod(pairs_of)


@pytest.fixture(scope="session")
def made() -> type[Made]:
    return Made
