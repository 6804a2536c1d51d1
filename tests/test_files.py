"""A file is there whole or not at all, whatever happens while it is written."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from command import PROJECT, Run
from winoqueer_nl import files
from winoqueer_nl.problems import InputError


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_was_there_stays_and_nothing_is_left_over_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    files.write_text(path, "old\n")

    def write() -> None:
        with files.atomic_text(path) as file:
            file.write("new\n")
            file.flush()
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write()
    assert path.read_text() == "old\n"
    assert left_over(tmp_path) == ["a.csv"]


def test_until_the_end_a_reader_sees_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    files.write_text(path, "old\n")
    with files.atomic_text(path) as file:
        file.write("new\n")
        file.flush()
        assert path.read_text() == "old\n"
    assert path.read_text() == "new\n"
    assert left_over(tmp_path) == ["a.csv"]


def test_a_written_file_has_the_permissions_of_any_other_new_file(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a.csv", "")
    (tmp_path / "b.csv").touch()
    assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "b.csv").stat().st_mode


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    files.write_json(tmp_path / "a/b/c.json", {"é": [1, None]})
    assert (tmp_path / "a/b/c.json").read_bytes() == '{\n  "é": [\n    1,\n    null\n  ]\n}\n'.encode()


def test_tables_are_written_with_line_feeds_and_nothing_for_nothing(tmp_path: Path) -> None:
    files.write_csv(tmp_path / "a.csv", ["a", "b"], [[1, None], ["x,y", 'q"']])
    assert (tmp_path / "a.csv").read_bytes() == b'a,b\n1,\n"x,y","q"""\n'


def test_a_folder_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(InputError, match=r"a\.csv: found the system's answer Is a directory; expected a place"):
        files.write_text(tmp_path / "a.csv", "new")
    assert left_over(tmp_path) == ["a.csv"]


def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    for path in (tmp_path / "a/b.csv", tmp_path / "a/b/c/d.csv"):
        with pytest.raises(InputError, match=r"found the system's answer (Not a directory|File exists)"):
            files.write_text(path, "new")


WRITE_UNPRIVILEGED = """
import os, sys
from pathlib import Path
from winoqueer_nl.files import write_text
from winoqueer_nl.problems import InputError
if os.geteuid() == 0:  # for root no folder is read-only
    os.setgid(65534)
    os.setuid(65534)
try:
    write_text(Path(sys.argv[1]), "new")
except InputError as error:
    print(error)
    sys.exit(1)
"""


@pytest.mark.parametrize("below", ["a.csv", "b/a.csv", "b/c/d/a.csv"])
def test_a_folder_that_may_not_be_written_is_told(below: str) -> None:
    # not in pytest's own temporary folder: that is closed to other users
    closed = Path(tempfile.mkdtemp())
    try:
        closed.chmod(0o555)
        ran = subprocess.run(
            [sys.executable, "-c", WRITE_UNPRIVILEGED, str(closed / below)],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(PROJECT / "scripts")},
        )
        assert ran.stderr == ""
        assert ran.stdout.startswith(f"{closed / below}: found the system's answer Permission denied; expected a place")
        assert ran.returncode == 1
        assert left_over(closed) == []
    finally:
        closed.chmod(0o755)
        shutil.rmtree(closed)


@pytest.mark.parametrize("step", ["mkdir", "mkstemp"])
def test_a_place_that_the_system_refuses_is_told(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "results"))

    owner = Path if step == "mkdir" else files.tempfile
    monkeypatch.setattr(owner, step, refuse)
    with pytest.raises(InputError, match=r"e\.csv: found the system's answer Permission denied; expected a place"):
        files.write_text(tmp_path / "results/nl/1.0.0/e.csv", "new")


def test_an_error_about_another_file_is_left_to_whom_it_concerns(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), files.atomic_text(tmp_path / "a.csv"):
        (tmp_path / "none.csv").read_text()
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("moment", ["write", "fsync", "replace"])
def test_a_full_disk_is_told_and_the_old_file_stays(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    files.write_text(path, "old\n")

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if moment == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    elif moment == "replace":
        monkeypatch.setattr(Path, "replace", full)

    def write() -> None:
        with files.atomic_text(path) as file:
            if moment == "write":
                full()
            file.write("new\n")

    with pytest.raises(InputError, match=r"No space left on device; expected .* Free some space"):
        write()
    monkeypatch.undo()
    assert path.read_text() == "old\n"
    assert left_over(tmp_path) == ["a.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("option", ["--out", "--published"])
def test_a_disk_that_fills_while_pairs_are_written_is_told(
    option: str, toy_root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = toy_root / "tables.json"
    run("tables", "--lang", "toy", "--edition", "1.0.0", "--root", toy_root, "--out", chosen)
    made = {"--out": toy_root / "made/pairs.parquet", "--published": toy_root / "made/pairs.csv"}
    make = files.tempfile.mkstemp

    def full_for_one(prefix: str, suffix: str, dir: Path) -> tuple[int, str]:
        handle, name = make(prefix=prefix, suffix=suffix, dir=dir)
        if prefix == f".{made[option].name}.":
            Path(name).unlink()
            Path(name).symlink_to("/dev/full")
        return handle, name

    monkeypatch.setattr(files.tempfile, "mkstemp", full_for_one)
    ran = run("pairs", "--tables", chosen, *(part for option in made.items() for part in option))
    assert ran.status == 1
    assert "expected a place that can be written. Free some space" in ran.err
    assert "Traceback" not in ran.err
    assert left_over(toy_root / "made") == []


KILLED = """
import sys, time
from pathlib import Path
from winoqueer_nl.files import atomic_text
with atomic_text(Path(sys.argv[1])) as file:
    file.write("half of it")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_killed_in_the_middle_leaves_the_old_file_and_the_next_run_writes_the_new(
    how: signal.Signals, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    files.write_text(path, "old\n")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PROJECT / "scripts")},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    time.sleep(0.05)
    process.send_signal(how)
    process.wait(timeout=30)
    process.stdout.close()
    assert path.read_text() == "old\n"
    if how == signal.SIGINT:
        assert left_over(tmp_path) == ["a.csv"]
    files.write_text(path, "new\n")
    assert path.read_text() == "new\n"


def test_a_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert files.sha256(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder of built files, as a build makes it."""
    (tmp_path / "results" / files.RECORDS).mkdir(parents=True)
    return tmp_path / "results"


def test_a_built_file_is_known_again_and_an_altered_one_is_told(results: Path) -> None:
    path = results / "toy/1.0.0/a file.csv"
    files.write_csv(path, ["a"], [[1]])
    files.check_intact(path)
    path.write_text("a\n2\n")
    with pytest.raises(
        InputError, match=r"a file\.csv: found other bytes .* Remove it, then: .* build '.*a file\.csv'"
    ):
        files.check_intact(path)
    path.unlink()
    files.check_intact(path)  # that a file is missing is told by whoever reads it
    files.write_csv(path, ["a"], [[2]])
    files.check_intact(path)
    assert files.recorded(results) == [path]


def test_a_kill_between_the_record_and_the_file_is_no_damage(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = results / "a.csv"
    files.write_text(path, "old\n")

    replace = Path.replace

    def killed(self: Path, target: Path) -> None:
        if target == path:
            raise RuntimeError("killed")
        replace(self, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(RuntimeError, match="killed"):
        files.write_text(path, "new\n")
    monkeypatch.undo()
    files.check_intact(path)
    files.write_text(path, "new\n")
    files.check_intact(path)


def test_no_record_is_kept_of_scratch_and_of_files_that_are_not_built(results: Path) -> None:
    scratch, source = results / ".shards/a.npy", results.parent / "source.csv"
    for path in (scratch, source):
        files.write_text(path, "one")
        path.write_text("two")
        files.check_intact(path)
    assert files.recorded(results) == []


@pytest.mark.parametrize("record", [b"", b"\xff\xfe"])
def test_a_damaged_record_says_nothing(record: bytes, results: Path) -> None:
    path = results / "a.csv"
    files.write_text(path, "one")
    (results / files.RECORDS / "a.csv").write_bytes(record)
    files.check_intact(path)


def test_a_record_that_cannot_be_written_is_told_and_the_old_file_stays(results: Path) -> None:
    path = results / "a/b.csv"
    files.write_text(path, "old")
    (results / files.RECORDS / "a/b.csv").unlink()
    (results / files.RECORDS / "a").rmdir()
    (results / files.RECORDS / "a").write_text("a file in the place of a folder")
    with pytest.raises(InputError, match=r"b\.csv: found the system's answer"):
        files.write_text(path, "new")
    assert path.read_text() == "old"
    assert left_over(results / "a") == ["b.csv"]


def test_contents_tell_files_apart_by_bytes_and_order_not_by_time(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("1")
    two.write_text("2")
    before = files.contents([one, two])
    os.utime(one, (0, 0))
    assert files.contents([one, two]) == before
    assert files.contents([two, one]) != before
    two.write_text("3")
    assert files.contents([one, two]) != before
