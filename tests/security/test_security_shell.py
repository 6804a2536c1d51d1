"""Nothing that a person names is run: a build in a folder, of files and with settings whose names are commands."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hostile import CANARY, NAMES, was_run

from command import PROJECT

SCRIPTS = PROJECT / "scripts/winoqueer_nl"
COPIED = ("Snakefile", "rules", "templates", "predicates", "survey", "release", "models.yaml", "environment.yaml")
TOKEN = "hf_" + "CanaryOfTheSecurityTests0123456789"
#: Names of files: what a system takes as a name, a path that leads out aside.
FILES = {name: text.replace("/", "_") for name, text in NAMES.items() if name not in ("null", "very long")}


def place_holders() -> list[tuple[str, str]]:
    """Every place-holder of every shell command of the rules, with its file."""
    found = []
    for path in sorted((PROJECT / "rules").glob("*.smk")):
        for command in re.findall(r"^    shell:\n((?:        .*\n)+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            found += [(path.name, inside) for inside in re.findall(r"(?<!\{)\{([^{}]+)\}", command)]
    return found


def test_every_value_in_a_shell_command_of_the_workflow_is_quoted() -> None:
    found = place_holders()
    assert len(found) > 60
    # The number of threads is Snakemake's own, never a text.
    assert [(file, inside) for file, inside in found if not inside.endswith(":q") and inside != "threads"] == []


def test_no_program_is_started_through_a_shell_and_no_text_is_run_as_program() -> None:
    found = []
    for path in sorted([*SCRIPTS.rglob("*.py"), *(PROJECT / "release/harness").glob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func)
            options = {one.arg: ast.unparse(one.value) for one in node.keywords}
            if name in ("eval", "exec", "os.system", "os.popen", "pickle.load", "pickle.loads", "yaml.unsafe_load"):
                found.append((path.name, name))
            if options.get("shell", "False") != "False" or options.get("trust_remote_code", "False") != "False":
                found.append((path.name, f"{name}({options})"))
            if name == "torch.load" and options.get("weights_only") != "True":
                found.append((path.name, name))
            if name == "np.load" and options.get("allow_pickle") != "False":
                found.append((path.name, name))
            if name == "yaml.load" and options.get("Loader") != "_Plain":
                found.append((path.name, name))
    assert found == []


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The survey of a copy of the project built in a folder, and from two exports, whose names are commands."""
    folder = (
        tmp_path_factory.mktemp("hostile") / f'it\'s "a"; touch {CANARY}-a $(touch {CANARY}-b) `touch {CANARY}-c` é -n'
    )
    folder.mkdir()
    for name in COPIED:
        (shutil.copytree if (PROJECT / name).is_dir() else shutil.copy)(PROJECT / name, folder / name)
    first, second = f"survey/exports/a 'b' \"c\";touch {CANARY}-d;$(touch {CANARY}-e)&.csv", "--out=x/followup.csv"
    (folder / "--out=x").mkdir()
    shutil.move(folder / "survey/exports/sample-main.csv", folder / first)
    shutil.move(folder / "survey/exports/sample-followup.csv", folder / second)
    content = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))
    content["languages"]["nl"]["survey"]["exports"] = [first, second]
    content["survey"]["resamples"] = 10
    content["scoring"]["models"] = {}
    (folder / "config.yaml").write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    environment = os.environ | {
        "PYTHONPATH": str(PROJECT / "scripts"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HF_TOKEN": TOKEN,
        "DEEPL_API_KEY": TOKEN,
    }
    targets = ["results/nl/survey/stereotypes.csv", "results/config.yaml"]
    ran = subprocess.run(
        [sys.executable, "-m", "winoqueer_nl.cli", "build", "--cores", "1", *targets],
        cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=200,
    )  # fmt: skip
    return folder, ran


def test_a_build_in_a_folder_and_of_files_whose_names_are_commands_runs_none(built) -> None:
    folder, ran = built
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (folder / "results/nl/survey/stereotypes.csv").stat().st_size > 1000
    assert was_run(folder.parent, Path.cwd()) == []
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(("x", "-"))) == ["--out=x"]


def test_a_build_writes_no_token_anywhere(built) -> None:
    folder, ran = built
    assert TOKEN not in ran.stdout + ran.stderr
    looked_at = [path for path in folder.rglob("*") if path.is_file()]
    assert len(looked_at) > 50
    assert [path for path in looked_at if TOKEN.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("name", FILES)
def test_a_file_named_so_is_read_by_its_name_alone(name: str, tmp_path: Path, monkeypatch, run) -> None:
    """A message, nothing run, nothing written elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.yaml").write_text("models: {}\n", encoding="utf-8")
    ran = run("score", "--models", "models.yaml", "--pairs", FILES[name], "--", FILES[name])
    assert ran.status in (1, 2)
    assert "Traceback" not in ran.out + ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["models.yaml"]
