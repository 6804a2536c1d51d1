"""Names and paths in configurations: refused with a message, or of a form that nothing takes for more than a name."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pydantic
import pytest
import yaml
from hostile import NAMES
from hypothesis import example, given, settings
from hypothesis import strategies as st

from command import PROJECT
from winoqueer_nl import given_names
from winoqueer_nl.config import load
from winoqueer_nl.problems import InputError, Problems
from winoqueer_nl.release.description import Description
from winoqueer_nl.schema import EditionNumber
from winoqueer_nl.scoring import hub
from winoqueer_nl.scoring.models import Model, read_models
from winoqueer_nl.yaml_files import read_yaml

KINDS = {
    "language code": given_names.LanguageCode,
    "model key": given_names.ModelKey,
    "revision": given_names.Revision,
    "Hub id": given_names.HubId,
    "file name": given_names.FileName,
    "edition": EditionNumber,
}
named = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
MODEL = {
    "name": "X",
    "hub_id": "a/b",
    "kind": "masked",
    "parameters_millions": 1,
    "licence": "mit",
    "languages": "dutch",
}


def accepted(kind: Any, text: str) -> bool:
    try:
        pydantic.TypeAdapter(kind).validate_python(text)
    except pydantic.ValidationError:
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(max_size=30) | st.from_regex(r"[a-z0-9./_ -]{1,12}", fullmatch=True))
@example(text="nl")
@example(text="v1.0/x")
@settings(max_examples=60, deadline=None)
def test_whatever_is_accepted_is_one_plain_word_to_a_shell_and_leads_nowhere_else(kind: str, text: str) -> None:
    if accepted(KINDS[kind], text):
        assert shlex.quote(text) == text
        assert text.isascii()
        assert not text.startswith(("-", "/", "~"))
        assert not {"", ".", ".."} & set(text.split("/"))
        assert "{" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_no_hostile_name_is_accepted(kind: str) -> None:
    assert [name for name, text in NAMES.items() if accepted(KINDS[kind], text)] == []


def test_ordinary_names_are_accepted() -> None:
    ordinary = {
        "language code": ["nl", "pt-BR", "sr-Latn"],
        "model key": ["bertje", "llama-3.2-1b", "a_b.c"],
        "revision": ["main", "v1.0", "refs/pr/1", "0" * 40],
        "Hub id": ["GroNLP/bert-base-dutch-cased", "Qwen/Qwen2.5-0.5B"],
        "file name": ["CC0-1.0.txt"],
        "edition": ["1.0.0", "10.2.3"],
    }
    assert all(accepted(KINDS[kind], text) for kind, texts in ordinary.items() for text in texts)
    assert set(ordinary) == set(KINDS)


@named
def test_a_key_of_the_table_of_models_is_refused_with_a_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"models": {name: MODEL}}, allow_unicode=True), encoding="utf-8")
    with pytest.raises(InputError, match=r"models\.yaml.*: found .*; expected "):
        read_models(path)


@pytest.mark.parametrize("field", ["hub_id", "revision"])
@named
def test_a_model_points_to_the_hub_and_nowhere_else(field: str, name: str) -> None:
    with pytest.raises(pydantic.ValidationError):
        Model.model_validate(MODEL | {field: name})


@named
def test_a_revision_of_the_command_line_names_no_file_elsewhere(name: str) -> None:
    with pytest.raises(InputError, match="found the revision"):
        hub.find("owner/model", name)


def project(folder: Path) -> dict[str, Any]:
    """What config.yaml needs of the project, in a folder of its own; gives the configuration."""
    for name in ("templates", "release", "survey"):
        shutil.copytree(PROJECT / name, folder / name)
    content: dict[str, Any] = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("project")
    return folder, project(folder)


def problems_of(copied: tuple[Path, dict[str, Any]], place: list[Any], value: Any) -> str:
    """What `load` says of the configuration with another value in one place."""
    folder, content = copied
    changed = yaml.safe_load(yaml.safe_dump(content))
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    (folder / "config.yaml").write_text(yaml.safe_dump(changed, allow_unicode=True), encoding="utf-8")
    try:
        load(folder)
    except InputError as error:
        return error.message()
    return ""


PLACES: dict[str, tuple[list[Any], bool]] = {
    "languages to build": (["languages"], True),
    "instrument": (["languages", "nl", "survey", "instrument"], False),
    "exports": (["languages", "nl", "survey", "exports", 0], False),
    "editions": (["languages", "nl", "editions", 0], False),
    "language of the page": (["report", "language"], False),
    "edition of the page": (["report", "edition"], False),
    "languages compared": (["statistics", "compare", 0], False),
    "models released": (["release", "scores"], True),
    "release compared with": (["release", "previous"], True),
    "device": (["scoring", "device"], False),
    "precision": (["scoring", "precision"], False),
}


@pytest.mark.parametrize("place", PLACES)
def test_no_value_of_the_configuration_takes_a_hostile_name(copied: tuple[Path, dict[str, Any]], place: str) -> None:
    where, is_mapping = PLACES[place]
    let_through = []
    for name, text in NAMES.items():
        value: Any = text
        if is_mapping:
            value = {
                "languages": {text: {"editions": ["1.0.0"]}},
                "scores": {"nl": [text]},
                "previous": {"nl": text},
            }[where[-1]]
        said = problems_of(copied, where, value)
        assert "Traceback" not in said
        if not re.match(r"config\.yaml.*: found .*; expected |.*config\.yaml.*: found ", said):
            let_through.append(name)
    # A path may hold any sign that a file's name may hold: rules quote it, which test_security_shell.py tries.
    if where[-1] == "previous":
        leading_out = {"two points", "path upwards", "path upwards inside", "path from the root", "braces", "newline"}
        assert not leading_out & set(let_through)
    else:
        assert let_through == []


def test_a_link_that_leads_out_of_the_project_is_refused_and_one_that_stays_is_not(
    copied: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder, _ = copied
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(folder / "survey/exports/sample-main.csv", outside / "a.csv")
    (folder / "survey/exports/out.csv").symlink_to(outside / "a.csv")
    (folder / "survey/exports/in.csv").symlink_to("sample-main.csv")
    (folder / "survey/linked").symlink_to(outside)
    (folder / "release/previous").mkdir(exist_ok=True)
    (folder / "release/previous/out").symlink_to(outside)
    exports = ["languages", "nl", "survey", "exports", 0]
    for path in ("survey/exports/out.csv", "survey/linked/a.csv"):
        said = problems_of(copied, exports, path)
        assert f'"{path}", a link that leads out of the project folder; expected a file of this project' in said
    assert problems_of(copied, exports, "survey/exports/in.csv") == ""
    said = problems_of(copied, ["release", "previous"], {"nl": "release/previous/out"})
    assert 'release.previous.nl: found "release/previous/out", a link that leads out' in said


def test_a_project_folder_with_a_brace_is_told_before_anything_runs(tmp_path: Path) -> None:
    folder = tmp_path / "a {b}"
    folder.mkdir()
    with pytest.raises(InputError, match="a brace in the path of the project folder"):
        load(folder)


def test_a_licence_text_comes_from_its_own_folder(tmp_path: Path) -> None:
    text = (PROJECT / "release/nl.yaml").read_text(encoding="utf-8")
    path = tmp_path / "nl.yaml"
    path.write_text(text.replace("CC0-1.0.txt:", "../../config.yaml:"), encoding="utf-8")
    problems = Problems()
    assert read_yaml(path, Description, problems) is None
    assert "licence_files" in str(problems.found[0])
