"""The workflow as a person runs it, in a copy of the project that builds English, and a second language like it."""

from __future__ import annotations

import csv
import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from command import PROJECT
from copies import copy_project, python
from editions_built import digest

#: The second language has the English tables, so that what depends on which language can be told apart.
#: No model is scored here: scoring has tests of its own, and its summaries say how long they took.
LANGUAGES = "languages:\n  en:\n    editions: ['1.0.0']\n  en-zz:\n    editions: ['1.0.0']\n"
CONFIG = LANGUAGES + "scoring:\n  models: {}\n"
STAGES = ["tables", "pairs", "metadata", "check"]
#: Jobs that look at all languages together.
TOGETHER = ["statistics", "report", "summary", "all"]
BUILT = [
    "tables.json",
    "pairs.parquet",
    "sentence_pairs.csv",
    "stereotype_metadata.csv",
    "stereotypes.csv",
    "check.json",
    "non_contrastive.csv",
]


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def copied(folder: Path) -> Path:
    """A copy of the project with the two languages."""
    copy_project(folder)
    (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
    for place in ("templates", "predicates"):
        shutil.copytree(folder / place / "en", folder / place / "en-zz")
    edited(folder / "release/editions.csv", "nl;en,", "nl;en;en-zz,")
    return folder


def snakemake(folder: Path, *arguments: str, cores: int = 1, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a copy, with the package of that copy."""
    return python(folder, "snakemake", "--cores", str(cores), *arguments, **environment)


def build(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What `make` runs, in a copy."""
    return python(folder, "winoqueer_nl.cli", "build", "--cores", "1", *arguments)


def jobs(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """The jobs of a run or dry run, such as "pairs en" or "summary"."""
    said = re.split(r"^(?:local)?rule ", ran.stdout + ran.stderr, flags=re.MULTILINE)[1:]
    of_language = [(job.split(":")[0], re.search(r"wildcards: lang=([\w-]+)", job)) for job in said]
    return sorted(f"{rule} {found[1]}" if found else rule for rule, found in of_language)


def jobs_of(*languages: str) -> list[str]:
    return sorted([f"{stage} {lang}" for stage in STAGES for lang in languages] + TOGETHER)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which English is built already."""
    folder = copied(tmp_path_factory.mktemp("one") / "project")
    ran = snakemake(folder, cores=2, TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    assert ran.returncode == 0, ran.stderr
    return folder


def results(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "results").rglob("*"))
        if path.is_file() and "logs" not in path.parts
    }


def test_everything_that_the_configuration_asks_for_is_built(english: Path) -> None:
    built = results(english)
    each = {f"results/{lang}/1.0.0/{name}" for lang in ("en", "en-zz") for name in BUILT}
    shown = {name for name in built if name.startswith(("results/tables/", "results/report/"))}
    assert set(built) - shown == each | {"results/config.yaml", "results/summary.txt"}
    assert {"results/report/index.html", "results/tables/models.csv"} <= shown
    assert built["results/en/1.0.0/sentence_pairs.csv"].count(b"\n") > 45_540
    assert built["results/summary.txt"].count(b"45,540 pairs") == 2


def test_the_published_rows_are_in_the_file_that_the_workflow_writes(english: Path) -> None:
    with (english / "results/en/1.0.0/sentence_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ("sent_x", "sent_y", "Gender_ID_x", "Gender_ID_y")
    digest_of_rows = digest(tuple(row[column] for column in columns) for row in rows)
    assert digest_of_rows == "9e4a50be3f949361022328f45cfba67e468c6ad01ddefafc4b616267fe9d7fa4"


def test_no_result_holds_a_path_of_the_machine_or_the_time(english: Path) -> None:
    for name, content in results(english).items():
        assert str(english).encode() not in content, name
        assert not re.search(rb"20\d\d-\d\d-\d\d", content), name


def test_a_second_run_has_nothing_to_do(english: Path) -> None:
    ran = snakemake(english)
    assert ran.returncode == 0
    assert jobs(ran) == []
    assert "Nothing to be done" in ran.stderr


def test_another_folder_time_zone_locale_and_number_of_cores_give_the_same_bytes(english: Path, tmp_path: Path) -> None:
    other = copied(tmp_path / "elsewhere and ü")
    ran = snakemake(other, cores=1, TZ="America/St_Johns", LC_ALL="C", LANG="tr_TR.UTF-8", PYTHONHASHSEED="7")
    assert ran.returncode == 0, ran.stderr
    assert results(other) == results(english)


def test_a_dry_run_says_what_would_be_done_and_why_and_does_nothing(tmp_path: Path) -> None:
    folder = copied(tmp_path / "project")
    ran = snakemake(folder, "--dry-run")
    assert ran.returncode == 0, ran.stderr
    assert jobs(ran) == sorted([*jobs_of("en", "en-zz"), "configuration"])
    said = ran.stdout + ran.stderr
    assert said.count("reason: ") == len(jobs(ran))
    assert re.search(r"reason: Missing output files: .*results/en/1\.0\.0/pairs\.parquet", said)
    assert not (folder / "results").exists()


def test_no_rule_that_the_default_target_reaches_publishes_anything(english: Path) -> None:
    own = Path(shutil.copy(PROJECT / "config.yaml", english / "of-the-project.yaml"))
    ran = snakemake(english, "--dry-run", "--forceall", "--configfile", str(own))
    own.unlink()
    assert ran.returncode == 0, ran.stderr
    assert set(jobs(ran)) > {"pairs nl", "pairs en", "survey nl", "all"}
    assert not [job for job in jobs(ran) if re.search("publish|upload|push|hub|release", job)]


@pytest.mark.parametrize(
    ("table", "languages"),
    [
        ("predicates/en/forms.csv", ["en"]),
        ("templates/en-zz/language.yaml", ["en-zz"]),
        ("predicates/stereotypes.csv", ["en", "en-zz"]),
        ("templates/nl/names.csv", None),
    ],
)
def test_a_changed_table_reruns_what_depends_on_it_and_nothing_else(
    table: str, languages: list[str] | None, english: Path
) -> None:
    path = english / table
    content, times = path.read_bytes(), path.stat()
    try:
        path.write_bytes(content + b"\n")
        ran = snakemake(english, "--dry-run")
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert jobs(ran) == ([] if languages is None else jobs_of(*languages))


def test_a_row_changed_rebuilds_its_language_a_wrong_one_stops_the_build_and_the_first_one_gives_the_first_bytes(
    english: Path,
) -> None:
    path = english / "predicates/en-zz/forms.csv"
    own = {f"results/en-zz/1.0.0/{name}" for name in BUILT}
    before = results(english)

    # in every form alike, or the gate on content words would stop the build
    edited(path, "abnormal", "odd")
    ran = snakemake(english)
    assert (ran.returncode, jobs(ran)) == (0, jobs_of("en-zz"))
    after = results(english)
    changed = {name for name in after if after[name] != before[name]}
    # The counts of answers and forms are the same: only what holds the wording is another.
    assert changed <= own | {"results/report/index.html"}
    assert own - changed <= {f"results/en-zz/1.0.0/{name}" for name in ("check.json", "non_contrastive.csv")}
    assert b"are odd" in after["results/en-zz/1.0.0/sentence_pairs.csv"]

    edited(path, "wq001,main_plural,", "wq001,main_plurall,")
    ran = snakemake(english)
    assert ran.returncode != 0
    said = 'forms.csv, row 3, form: found "main_plurall"; expected a known form. Did you mean "main_plural"?'
    assert said in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    assert said in (english / "results/logs/tables/en-zz-1.0.0.log").read_text(encoding="utf-8")
    # nothing half-written: what is there is what the last build wrote
    left = results(english)
    assert left == {name: after[name] for name in left}
    assert set(after) - set(left) <= own

    edited(path, "wq001,main_plurall,", "wq001,main_plural,")
    edited(path, "odd", "abnormal")
    assert snakemake(english).returncode == 0
    assert results(english) == before


def test_a_changed_table_is_noticed_whatever_its_date(english: Path) -> None:
    path = english / "predicates/en/forms.csv"
    content, times = path.read_bytes(), path.stat()
    try:
        path.write_bytes(content + b"\n")
        os.utime(path, (0, 0))
        ran = snakemake(english, "--dry-run")
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert jobs(ran) == jobs_of("en")


def test_a_retired_file_that_appears_is_noticed(english: Path) -> None:
    retired = english / "templates/en-zz/counter_identities.retired.csv"
    assert not retired.exists()
    header = (english / "templates/en-zz/counter_identities.csv").read_text(encoding="utf-8").splitlines()[0]
    retired.write_text(header + "\n", encoding="utf-8")
    ran = snakemake(english, "--dry-run")
    retired.unlink()
    assert "tables en-zz" in jobs(ran)
    assert "tables en" not in jobs(ran)


def test_a_missing_table_is_told_before_anything_runs(english: Path) -> None:
    path = english / "predicates/en/forms.csv"
    away = path.rename(path.with_suffix(".away"))
    ran = snakemake(english)
    away.rename(path)
    assert ran.returncode != 0
    assert "predicates/en/forms.csv: found no such file; expected this source table. Restore it" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert jobs(ran) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (CONFIG.encode("utf-16"), "config.yaml: found UTF-16 text; expected UTF-8 text"),
        ((LANGUAGES + LANGUAGES).encode(), "config.yaml, row 6: found the key 'languages' twice"),
        (
            CONFIG.replace("editions", "edition").encode(),
            'an unknown key; expected only known keys. Did you mean "editions"?',
        ),
        (CONFIG.replace("1.0.0", "1.0.1").encode(), 'found "1.0.1"; expected an edition of this language'),
        (CONFIG.replace("en-zz", "zz").encode(), 'found "zz"; expected a language with a folder in templates/'),
        (b"languages: [", "config.yaml, row 1: found "),
        (None, "config.yaml: found no such file"),
    ],
    ids=["UTF-16", "key twice", "unknown key", "unknown edition", "unknown language", "not YAML", "missing"],
)
def test_a_wrong_configuration_is_told_before_anything_runs(content: bytes | None, says: str, english: Path) -> None:
    path = english / "config.yaml"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    ran = snakemake(english, "--dry-run")
    path.write_text(CONFIG, encoding="utf-8")
    assert ran.returncode != 0
    assert says in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    assert jobs(ran) == []


def test_a_build_goes_on_after_a_killed_one_and_waits_for_nobody_who_is_gone(english: Path) -> None:
    locks = english / ".snakemake/locks"
    locks.mkdir(exist_ok=True)
    left = locks / "0.output.lock"
    left.write_text("results/en/1.0.0/pairs.parquet\n")
    half = [english / "results/en" / name for name in (".pairs.parquet.old.part", ".pairs.parquet.new.part")]
    for path in half:
        path.write_text("half of it")
    os.utime(half[0], (0, 0))
    ran = build(english)
    left.unlink(missing_ok=True)
    assert [path.exists() for path in half] == [False, True]  # the other may be at work
    half[1].unlink()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Select jobs" not in ran.stdout


def test_two_builds_at_once_are_not_let_into_one_folder(english: Path) -> None:
    with (english / ".snakemake/winoqueer-nl.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = build(english)
    assert ran.returncode == 1
    assert "found another build at work here; expected one at a time. Wait until it has ended." in ran.stderr


def test_a_wrong_configuration_is_told_by_the_build_in_one_line(english: Path) -> None:
    path = english / "config.yaml"
    path.write_text(CONFIG + "pairs:\n  excluded_tiers: [7]\n", encoding="utf-8")
    ran = build(english)
    path.write_text(CONFIG + "statistics:\n  compare: [en, de]\n", encoding="utf-8")
    other = build(english)
    path.write_text(CONFIG, encoding="utf-8")
    assert (ran.returncode, other.returncode) == (1, 1)
    assert ran.stderr.startswith('config.yaml, pairs.excluded_tiers.0: found "7"; expected ')
    assert other.stderr.startswith('config.yaml, statistics.compare: found "de"; expected a language with a folder')


def test_a_build_refuses_a_result_that_was_altered_and_builds_it_again_once_it_is_removed(english: Path) -> None:
    path = english / "results/en/1.0.0/tables.json"
    path.unlink()
    assert build(english, "results/en/1.0.0/tables.json").returncode == 0
    content = path.read_bytes()
    path.write_bytes(content.replace(b"1.0.0", b"1.0.1", 1))
    ran = build(english)
    assert ran.returncode == 1
    assert ran.stderr.startswith("results/en/1.0.0/tables.json: found other bytes than were written;")
    assert ran.stderr.endswith("Remove it, then: winoqueer-nl build results/en/1.0.0/tables.json\n")
    path.unlink()
    assert build(english, "results/en/1.0.0/tables.json").returncode == 0
    assert path.read_bytes() == content
    # of the same bytes nothing else needs to be made anew
    ran = build(english)
    assert "Nothing to be done" in ran.stdout
