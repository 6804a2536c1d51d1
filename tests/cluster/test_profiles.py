"""The profiles: Snakemake knows every option in them, and what Kubernetes is asked for is what a job needs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from cluster import project
from cluster.project import Command
from command import PROJECT

PROFILES = sorted(path.name for path in (PROJECT / "profiles").iterdir())
KUBERNETES = PROJECT / "profiles/kubernetes"


def options(folder: Path) -> object:
    """The options that Snakemake takes from a profile."""
    from snakemake.cli import parse_args

    return parse_args(["--workflow-profile", str(folder)])[1]


@pytest.mark.parametrize("name", PROFILES)
def test_snakemake_knows_every_option_of_a_profile(name: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    profile = PROJECT / "profiles" / name / "config.yaml"
    written = yaml.safe_load(profile.read_text(encoding="utf-8"))
    read = options(profile.parent)
    for option in written.keys() - {"cores", "default-resources", "set-resources", "resources"}:
        assert str(getattr(read, option.replace("-", "_"))) == str(written[option]), option
    (tmp_path / "config.yaml").write_text(profile.read_text(encoding="utf-8") + "\nno-such-option: 1\n")
    with pytest.raises(SystemExit):
        options(tmp_path)
    assert "no-such-option" in capsys.readouterr().err


def test_all_of_scoring_that_may_need_a_graphics_card_is_sent_where_the_cards_are() -> None:
    profile = yaml.safe_load((PROJECT / "profiles/slurm-gpu/config.yaml").read_text(encoding="utf-8"))
    rules = re.split(r"^rule ", (PROJECT / "rules/score.smk").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    scoring = {text.split(":")[0] for text in rules if "gpu=" in text}
    assert len(scoring) >= 3
    assert {rule for rule, sent in profile["set-resources"].items() if sent == {"slurm_partition": "gpu"}} == scoring


def test_the_two_slurm_profiles_differ_in_nothing_but_where_scoring_is_sent() -> None:
    cpu, gpu = (
        yaml.safe_load((PROJECT / f"profiles/{name}/config.yaml").read_text(encoding="utf-8"))
        for name in ("slurm", "slurm-gpu")
    )
    assert {key: value for key, value in gpu.items() if key != "set-resources"} == cpu


def stand_in(folder: Path, script: str) -> dict[str, str]:
    """An environment in which `kubectl` is a shell script."""
    folder.mkdir()
    (folder / "kubectl").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "kubectl").chmod(0o755)
    return os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def ran(name: str, *arguments: str, environment: dict[str, str], folder: Path = PROJECT) -> str:
    """What one of the scripts of the profile printed."""
    called = [str(KUBERNETES / name), *arguments]
    return subprocess.run(called, check=True, capture_output=True, text=True, env=environment, cwd=folder).stdout


def test_kubernetes_is_asked_for_what_the_job_needs(tmp_path: Path) -> None:
    kubectl = stand_in(tmp_path / "bin", f'echo "$@" > {tmp_path}/called; cat > {tmp_path}/asked; echo job.batch/x-1')
    place = tmp_path / "a folder"
    place.mkdir()
    asked_for = ("4", "9000", "75", "1", "/data/p/.snakemake/tmp.1/job.sh")
    assert ran("submit", *asked_for, environment=kubectl, folder=place) == "job.batch/x-1\n"
    assert (tmp_path / "called").read_text().split() == ["create", "--output=name", "--filename=-"]
    asked = yaml.safe_load((tmp_path / "asked").read_text(encoding="utf-8"))
    assert (asked["apiVersion"], asked["kind"]) == ("batch/v1", "Job")
    assert asked["spec"]["activeDeadlineSeconds"] == 75 * 60
    assert asked["spec"]["backoffLimit"] == 0  # Snakemake starts jobs again, with more memory and time
    pod = asked["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["command"] == ["/bin/sh", "/data/p/.snakemake/tmp.1/job.sh"]
    assert container["workingDir"] == str(place)
    assert container["resources"]["requests"] == {"cpu": 4, "memory": "9000M"}
    assert container["resources"]["limits"] == {"memory": "9000M", "nvidia.com/gpu": 1}
    assert [mount["name"] for mount in container["volumeMounts"]] == [volume["name"] for volume in pod["volumes"]]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("echo 'job Complete'", "success"),
        ("echo 'job SuccessCriteriaMet Complete'", "success"),
        ("echo 'job Failed'", "failed"),
        ("echo 'job FailureTarget Failed'", "failed"),
        ("echo 'job FailureTarget'", "running"),  # its pods are still being ended
        ("echo 'job '", "running"),
        (":", "failed"),  # somebody has deleted it
        ("echo 'the connection was refused' >&2; exit 1", "running"),
    ],
)
def test_the_state_of_a_job_becomes_a_word_that_snakemake_knows(answer: str, status: str, tmp_path: Path) -> None:
    assert ran("status", "job.batch/x-1", environment=stand_in(tmp_path / "bin", answer)) == f"{status}\n"


def test_jobs_that_are_not_wanted_any_more_are_deleted(tmp_path: Path) -> None:
    kubectl = stand_in(tmp_path / "bin", f'echo "$@" > {tmp_path}/called')
    ran("cancel", "job.batch/x-1", "job.batch/x-2", environment=kubectl)
    called = (tmp_path / "called").read_text().split()
    assert called[0] == "delete"
    assert called[-2:] == ["job.batch/x-1", "job.batch/x-2"]


# Runs what the manifest says as a process of this machine, a job at a time, and remembers how it ended.
RUNNER = """\
case "$1" in
  create)
    number=$(ls {jobs} | wc -l)
    manifest=$(cat)
    script=$(echo "$manifest" | sed -n 's|.*command: ./bin/sh, "\\(.*\\)".|\\1|p')
    if /bin/sh "$script" > {jobs}/$number.log 2>&1; then echo Complete; else echo Failed; fi > {jobs}/job-$number
    echo job.batch/job-$number ;;
  get) echo "job $(cat {jobs}/$(basename "$2"))" ;;
esac"""


@pytest.mark.slow
def test_scores_computed_by_kubernetes_jobs_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project.make(tmp_path / "project")
    assert Command(project.make(tmp_path / "local", dict.fromkeys(project.MODELS, 1))).wait() == 0
    (tmp_path / "jobs").mkdir()
    monkeypatch.setattr(os, "environ", stand_in(tmp_path / "bin", RUNNER.format(jobs=tmp_path / "jobs")))
    assert Command(folder, "--profile", "profiles/kubernetes").wait(600) == 0
    assert project.digests(folder) == project.digests(tmp_path / "local")
    ended = [path.read_text().strip() for path in (tmp_path / "jobs").glob("job-*")]
    assert set(ended) == {"Complete"}
    assert len(ended) > 2 * sum(project.MODELS.values())
