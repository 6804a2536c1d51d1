"""Names and paths that a person gives in a configuration: what they may hold.

They become folders and files, and words of the commands that jobs run, here and on other machines. So they are checked
once, where they are read, and no later place has to be careful for itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

#: Neither ``..`` nor a slash, a blank, a sign that a shell knows, or a hyphen in front.
MODEL_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
#: Longest model key; with what is put around it, a file's name holds it everywhere.
LONGEST_KEY = 80
#: Longest part of a path, in bytes, and longest path from the project folder.
LONGEST_NAME, LONGEST_PATH = 255, 1000
#: A branch, tag or commit. The Hub's client makes a file of this name, so it may not lead elsewhere.
REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_-]+)*")
#: Controls have no place in a path; what stands between braces is a wildcard to Snakemake.
_NOT_IN_A_PATH = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029{}]")


def _language_code(value: str) -> str:
    if not re.fullmatch(r"[a-z]{2,3}(-[a-zA-Z0-9]{2,8}){0,4}", value):
        raise ValueError("a language code such as nl or pt-BR")
    return value


def _below_the_project(value: str) -> str:
    path = Path(value)
    lengths = [len(part.encode("utf-8", "surrogatepass")) for part in path.parts]
    too_long = max(lengths, default=0) > LONGEST_NAME or sum(lengths) > LONGEST_PATH
    if path.is_absolute() or ".." in path.parts or not value.strip() or _NOT_IN_A_PATH.search(value) or too_long:
        raise ValueError("a path below the project folder, without .., braces and control characters")
    return value


def is_model_key(value: str) -> bool:
    """Whether a word can be the key of a model."""
    return len(value) <= LONGEST_KEY and MODEL_KEY.fullmatch(value) is not None


def _model_key(value: str) -> str:
    if not is_model_key(value):
        raise ValueError(f"a key of letters, digits and single points, hyphens or underscores, at most {LONGEST_KEY}")
    return value


def is_revision(value: str) -> bool:
    """Whether a word can be a branch, tag or commit of the Hub."""
    return len(value) <= LONGEST_NAME and REVISION.fullmatch(value) is not None


def _revision(value: str) -> str:
    if not is_revision(value):
        raise ValueError("a branch, tag or commit, such as main or v1.0")
    return value


LanguageCode = Annotated[str, AfterValidator(_language_code)]
ModelKey = Annotated[str, AfterValidator(_model_key)]
Revision = Annotated[str, AfterValidator(_revision)]
#: A path inside the project folder.
ProjectPath = Annotated[str, AfterValidator(_below_the_project)]
#: A repository of the Hub.
HubId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}$")]
#: The name of a file, without a folder.
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$")]
#: One line of text for a table, a plot or a page.
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$")]


def stays_inside(root: Path, path: str) -> bool:
    """Whether a path below the project leads to a place below it, links followed."""
    return (root / path).resolve().is_relative_to(root.resolve())
