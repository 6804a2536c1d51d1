"""The evaluation-harness tasks of a release: one for all pairs and, with tiers, one per subset."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import jinja2

from winoqueer_nl.files import write_text
from winoqueer_nl.release.description import Description

SOURCE = "release/harness"
HELPER = "winoqueer_utils.py"


def task_names(slug: str, subsets: Sequence[str]) -> list[str]:
    """The names of the tasks, the one for all pairs first."""
    return [slug if subset == "all" else f"{slug}_{subset}" for subset in subsets]


def write(root: Path, d: Description, version: str, subsets: Sequence[str], folder: Path) -> list[str]:
    """Write the tasks and their helper into ``folder``; return the tasks' names."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(root / SOURCE), undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    template = environment.get_template("task.yaml.jinja")
    folder.mkdir(parents=True, exist_ok=True)
    names = task_names(d.slug, subsets)
    for name, subset in zip(names, subsets, strict=True):
        text = template.render(
            pretty_name=d.pretty_name, version=version, task=name, subset=None if subset == "all" else subset
        )
        write_text(folder / f"{name}.yaml", text)
    shutil.copyfile(root / SOURCE / HELPER, folder / HELPER)
    return names
