"""Answers stay with their owner: permissions, the guard before a commit, purge, and marks searched for everywhere."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from casefiles import fixtures, instrument_of, write_case

from winoqueer_nl.cli import main
from winoqueer_nl.problems import InputError
from winoqueer_nl.survey import private
from winoqueer_nl.survey.formats import Format, adapters
from winoqueer_nl.survey.guard import check_staged, refused

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
MARK = "QQMARKQQ"
FIXTURES = fixtures()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    """The command in this process: exit status and everything that it shows."""

    def run(folder: Path, *arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["winoqueer-nl", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), "".join(capfd.readouterr())

    return run


def marked(reader: str, folder: Path) -> tuple[dict[str, Any], Path, int]:
    """The first case of a tool with a marked value in every personal column of its adapter, identifiers and texts."""
    fixture, case = FIXTURES[reader], dict(FIXTURES[reader]["cases"][0])
    form = Format.model_validate(instrument_of(fixture, case)["formats"]["tool"])
    personal = [name.replace("*", "x") for name in form.personal]
    free = fixture["round"]["free_text"][0]
    if "columns" in case:
        old = case["columns"]
        n = len(next(iter(old.values())))
        marks = {name: [f"{MARK} {i}" for i in range(n)] for name in personal if name.isidentifier()}
        case["columns"] = marks | old | {"ID": [f"{MARK}id{i}" for i in range(n)], free: [f"{MARK} words"] * n}
    elif "rows_of_cells" in case:
        header, *rows = case["rows_of_cells"]
        new = [name for name in personal if name not in header]
        at = [i for i, name in enumerate(header) if form.is_personal(name) or name == form.respondent]
        at += [header.index(free)]
        marks_of = lambda row, n: [f"{MARK} {i} {n}" if i in at else cell for i, cell in enumerate(row)]  # noqa: E731
        case["rows_of_cells"] = [header + new] + [
            marks_of(row, n) + [f"{MARK} {name}" for name in new] for n, row in enumerate(rows)
        ]
    else:
        case["file"] = _marked_text(case["file"], form, personal, free)
    _, export = write_case(folder, fixture, case)
    content = export.read_bytes()
    count = content.count(MARK.encode())
    if export.suffix == ".xlsx":
        from openpyxl import load_workbook

        count = sum(MARK in str(c.value) for row in load_workbook(export).active.iter_rows() for c in row)
    return instrument_of(fixture, case), export, count


def _marked_text(text: str, form: Format, personal: list[str], free: str) -> str:
    import csv

    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=form.delimiter))
    rows = [row for row in rows if row]
    header, n_headers = list(rows[0]), form.header_rows
    if form.layout == "long":
        at = {header.index(form.respondent)}
        free_at: set[int] = set()
        for row in rows[1:]:
            if row[1] == free:
                row[2] = f"{MARK} words"
        rows[1:1] = [[rows[1][0], name, f"{MARK} {name}"] for name in personal]
    else:
        at = {i for i, name in enumerate(header) if form.is_personal(name) or name == form.respondent}
        names = header if form.layout != "question_and_item" else [*header[:-1], free]
        free_at = {names.index(free)}
    new = [name for name in personal if name not in header]
    for n, row in enumerate(rows):
        if n >= n_headers:
            for i in at | free_at:
                row[i] = f"{MARK} {i} {row[i] if i in at else ''}"
        for name in new:
            if n == 0:
                row.append(name)
            elif n < n_headers:
                row.append('{"ImportId":"' + name + '"}' if n == 2 else "" if form.layout != "qualtrics" else name)
            else:
                row.append(f"{MARK} {name}")
    out = io.StringIO()
    csv.writer(out, delimiter=form.delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def searched(*folders: Path) -> tuple[int, list[Path]]:
    """How many files were searched, and which hold a mark: as bytes, in Parquet and packed files, in names."""
    import base64
    import sqlite3

    signs = [
        MARK.encode(),
        MARK.encode("utf-16-le"),
        *(base64.b64encode(b"x" * k + MARK.encode())[4:-4] for k in range(3)),
    ]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    found = []
    for path in files:
        content = path.read_bytes()
        if content[:4] == b"PAR1":
            import pandas as pd

            content += pd.read_parquet(path).to_csv().encode()
        elif content[:2] == b"\x1f\x8b":
            content += gzip.decompress(content)
        elif content[:15] == b"SQLite format 3":
            content += "\n".join(sqlite3.connect(path).iterdump()).encode()
        if any(sign in content for sign in signs) or MARK in path.name:
            found.append(path)
    return len(files), found


@pytest.mark.parametrize("reader", adapters())
def test_no_format_lets_a_marked_value_through(tmp_path: Path, here, reader: str) -> None:
    instrument, export, count = marked(reader, tmp_path)
    assert count >= len(adapters()[reader].format["personal"]) // 2, "the marks are there to be found"
    (tmp_path / "instrument.yaml").write_text(yaml.safe_dump(instrument, allow_unicode=True), "utf-8")
    status, shown = here(
        tmp_path,
        *("survey", "aggregate", export.name, "--instrument", "instrument.yaml"),
        *("--out", "out/stereotypes.csv", "--resamples", "20"),
    )
    assert status == 0, shown
    assert MARK not in shown
    n, found = searched(tmp_path / "out")
    assert n == 3
    assert found == []


@pytest.mark.slow
def test_a_complete_run_of_the_workflow_holds_no_marked_value(tmp_path: Path) -> None:
    """Marked exports of every tool; then everything the workflow wrote is searched: files, logs, its own records."""
    project = tmp_path / "project"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, tracked.decode().split("\0")):
        target = project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    asked = yaml.safe_load((project / "survey" / "instrument.yaml").read_text("utf-8"))
    asked["languages"]["xx"] = {"yes_labels": ["Ja", "Y", "1"], "no_labels": ["Nee", "N", "2"]}
    asked["languages"]["xx"]["unsure_labels"] = ["Weet niet", "U", "3"]
    ids = {"s1": "wq001", "s2": "wq002", "s3": "wq003"}
    exports = ["survey/exports/sample-main.csv", "survey/exports/sample-followup.csv"]
    total = 0
    for i, reader in enumerate(adapters()):
        folder = tmp_path / reader
        folder.mkdir()
        one, export, count = marked(reader, folder)
        total += count
        name = f"survey/exports/round-{i}{export.suffix}"
        shutil.copy(export, project / name)
        exports.append(name)
        asked["formats"][reader] = one["formats"]["tool"]
        asked["rounds"][f"r{i}"] = one["rounds"]["one"] | {"format": reader, "files": [f"round-{i}.*"]}
        for item in asked["rounds"][f"r{i}"]["items"]:
            item["stereotypes"] = [ids[s] for s in item["stereotypes"]]
    for round_id, pattern in (("main", "sample-main.csv"), ("follow-up", "sample-followup.csv")):
        asked["rounds"][round_id]["files"] = [pattern]
    (project / "survey" / "instrument.yaml").write_text(
        yaml.safe_dump(asked, allow_unicode=True, sort_keys=False), "utf-8"
    )
    settings = yaml.safe_load((project / "config.yaml").read_text("utf-8"))
    settings["languages"]["nl"]["survey"]["exports"] = exports
    settings["languages"] = {"nl": settings["languages"]["nl"]}
    (project / "config.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "winoqueer-nl"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m winoqueer_nl.cli "$@"\n')
    command.chmod(0o755)
    environment = os.environ | {
        "PYTHONPATH": str(project / "scripts"),
        "PATH": f"{command.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert MARK not in done.stdout + done.stderr
    kept = [folder for folder in (project / "results", project / ".snakemake", tmp_path / "cache") if folder.exists()]
    n, found = searched(*kept)
    print(f"marks in the exports: {total}; files searched: {n}; marks found: {len(found)}")
    assert total > 100
    assert n > 10
    assert found == []


def test_what_is_written_about_people_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "coding" / "sheet.csv"
    before = os.umask(0)
    try:
        private.write_private_text(path, "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_export_that_others_may_read_is_closed_and_the_sample_is_not(tmp_path: Path) -> None:
    export, sample, renamed = tmp_path / "round.csv", tmp_path / "sample-main.csv", tmp_path / "sample-real.csv"
    export.write_text("a\n")
    sample.write_text("SampleNote,a\n")
    renamed.write_text("ResponseId,a\n")
    for path in (export, sample, renamed):
        path.chmod(0o644)
    assert private.restrict([export, sample, renamed, tmp_path / "gone"]) == [export, renamed]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (export, sample, renamed)] == [0o600, 0o644, 0o600]
    assert private.restrict([export, sample, renamed]) == []


def test_aggregate_closes_the_exports_it_reads(survey, here) -> None:
    survey.write()
    survey.export.chmod(0o664)
    _, shown = here(
        survey.folder,
        *(
            "survey",
            "aggregate",
            "first.csv",
            "--instrument",
            "instrument.yaml",
            "--out",
            "o/s.csv",
            "--resamples",
            "9",
        ),
    )
    assert "could be read by others; now only by you" in shown
    assert stat.S_IMODE(survey.export.stat().st_mode) == 0o600


@pytest.mark.parametrize("reader", adapters())
def test_no_export_of_any_tool_passes_the_guard(tmp_path: Path, reader: str) -> None:
    _, export, _ = marked(reader, tmp_path)
    assert refused(f"somewhere/{export.name}", export.read_bytes())
    assert refused(f"survey/exports/{export.name}", export.read_bytes())


def packed(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("inside.csv", content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("path", "content", "passes"),
    [
        ("survey/exports/README.md", b"# page", True),
        ("survey/exports/sample-main.csv", b"SampleNote,ResponseId,Finished\n", True),
        ("survey/exports/sample-real.csv", b"ResponseId,Finished\n", False),
        ("survey/exports/notes.txt", b"anything", False),
        ("survey/coding/agreement.json", b"{}", False),
        ("data/round2.sav", b"anything", False),
        ("predicates/stereotypes.csv", b"stereotype_id,type,origin\n", True),
        ("templates/nl/names.csv", b"name_id,type,gender\n", True),
        ("docs/survey.md", b"IPAddress, RecipientEmail", True),
        ("x.csv", "ResponseId;Finished;Q1\n".encode("utf-16"), False),
        ("x.txt", b"Naam\tE-mail\tvraag\n", False),
        ("x.json", b'[{"ResponseId": "R_1", "Finished": 1}]', False),
        ("x.json", b'{"n_yes": 3}', True),
        ("x.zip", packed(b"ResponseId,Finished\n"), False),
        ("x.zip", packed(b"stereotype_id,gloss\n"), True),
        ("x.zip", b"PK no archive", False),
        ("x.csv.gz", gzip.compress(b"ResponseId,Finished\n"), False),
        ("x.csv.gz", gzip.compress(b"sent_x,sent_y\n"), True),
    ],
)
def test_the_guard_looks_at_place_and_content(path: str, content: bytes, passes: bool) -> None:
    assert (refused(path, content) is None) is passes


def test_nothing_that_the_project_holds_is_refused() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    names = [name for name in tracked.decode().split("\0") if name and (ROOT / name).is_file()]
    assert names
    assert {name: reason for name in names if (reason := refused(name, (ROOT / name).read_bytes()))} == {}


def git(folder: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    settings = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.hooksPath=hooks"]
    return subprocess.run(["git", *settings, *arguments], cwd=folder, capture_output=True, text=True, **options)


def test_git_refuses_a_commit_with_answers_and_takes_one_without(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", check=True)
    (tmp_path / "hooks").mkdir()
    shutil.copy(ROOT / "hooks" / "pre-commit", tmp_path / "hooks")
    command = tmp_path / ".venv" / "bin" / "winoqueer-nl"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{SCRIPTS}" exec "{sys.executable}" -m winoqueer_nl.cli "$@"\n')
    command.chmod(0o755)
    export = tmp_path / "survey" / "exports" / "round 2.csv"
    export.parent.mkdir(parents=True)
    export.write_text(f"ResponseId,Finished,Q\n{MARK},1,x\n")
    (tmp_path / "table.csv").write_text("stereotype_id,gloss\n")
    git(tmp_path, "add", "-f", ".", check=True)
    done = git(tmp_path, "commit", "-m", "everything", check=False)
    assert done.returncode != 0
    assert "survey/exports/round 2.csv" in done.stderr
    assert MARK not in done.stdout + done.stderr
    git(tmp_path, "rm", "-q", "--cached", str(export), check=True)
    assert git(tmp_path, "commit", "-m", "a table", check=False).returncode == 0
    # Renamed and changed by a letter, it is still an export.
    shutil.move(export, tmp_path / "innocent.csv")
    git(tmp_path, "add", "-f", "innocent.csv", check=True)
    with pytest.raises(InputError, match=r"innocent\.csv"):
        check_staged(tmp_path)


def test_the_hook_refuses_when_it_cannot_look(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "hooks" / "pre-commit")],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Run make first" in done.stderr


def test_purge_removes_what_is_about_people_and_nothing_else(tmp_path: Path, here) -> None:
    outside = tmp_path / "outside.csv"
    outside.write_text("kept")
    project = tmp_path / "project"
    files = {
        "survey/exports/README.md": "page",
        "survey/exports/sample-main.csv": "SampleNote,a\n",
        "survey/exports/sample-real.csv": "ResponseId\n",
        "survey/exports/round2.csv": "x",
        "survey/exports/older/round1.sav": "x",
        "survey/coding/sheet.xlsx": "x",
        "results/nl/survey/stereotypes.csv": "counts",
    }
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (project / "survey" / "exports" / "link.csv").symlink_to(outside)
    _, shown = here(project, "survey", "purge")
    assert "5 files would be removed" in shown
    assert all((project / name).exists() for name in files)
    status, shown = here(project, "survey", "purge", "--yes")
    assert status == 0, shown
    assert "5 files removed" in shown
    left = sorted(str(path.relative_to(project)) for path in project.rglob("*") if path.is_file())
    assert left == [
        "results/nl/survey/stereotypes.csv",
        "survey/exports/README.md",
        "survey/exports/sample-main.csv",
    ]
    assert not (project / "survey" / "exports" / "older").exists()
    assert outside.read_text() == "kept"
