"""Small made-up projects whose reports the tests open; built once."""

from pathlib import Path

import pytest
from report_made import read, several, write_dataset, write_next_edition, write_run

from winoqueer_nl.report.page import write_report
from winoqueer_nl.statistics.bootstrap import Settings
from winoqueer_nl.statistics.runs import read_runs
from winoqueer_nl.statistics.tables import make_tables, write_tables


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with four models, one of them a demo, in two languages and editions, with a survey; report written."""
    root = tmp_path_factory.mktemp("project")
    several(root)
    write_run(root, "toy", 9, demo=True, shift=4.0)
    write_next_edition(root)
    write_dataset(root)
    folders = sorted((root / "scores").glob("*/*/*"))
    write_tables(make_tables(read_runs(folders, root), Settings(100, 3), ("nl", "en")), root / "tables")
    write_report(read(root), root / "report")
    return root


@pytest.fixture(scope="session")
def without_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that has a dataset and a survey and no score yet; report written."""
    root = tmp_path_factory.mktemp("bare")
    several(root)
    write_dataset(root)
    write_tables(make_tables([], Settings(100, 3), ("nl", "en")), root / "tables")
    write_report(read(root), root / "report")
    return root
