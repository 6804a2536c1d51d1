"""Checks of a release's documents: card, citation, Croissant; their own validators and what we ask beyond them."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from winoqueer_nl.files import sha256
from winoqueer_nl.problems import Problems, listed, quoted
from winoqueer_nl.release import card, croissant, tools
from winoqueer_nl.release.layout import CARD, CITATION, CROISSANT, PAIRS, SPLIT, Release, parquet_of

_AGAIN = "Build the release again; nothing in the folder is edited by hand."

#: Headings that every card has.
HEADINGS = (
    "Use it",
    "What is in it",
    "How it was made",
    "Intended use",
    "Out of scope",
    "Limitations",
    "Personal data",
    "Licences",
    "Citation",
    "Changes in this version",
)


def check_card(release: Release, problems: Problems) -> None:
    """The YAML is valid and complete, agrees with the files, and the text has every section."""
    from huggingface_hub import DatasetCard

    place = f"{release.name}/{CARD}"
    text = (release.folder / CARD).read_text(encoding="utf-8")
    try:
        data = DatasetCard(text).data.to_dict()
    except Exception as error:  # huggingface_hub raises ValueError, yaml its own kinds
        problems.add(place, str(error).splitlines()[0], "a card that huggingface_hub reads", _AGAIN)
        return
    for key in card.REQUIRED:
        if not data.get(key):
            problems.add(place, "no such key, or an empty one", "this key with a value", _AGAIN, field=key)
    if data.get("language") not in (release.language, [release.language]):
        problems.add(place, quoted(data.get("language")), release.language, _AGAIN, field="language")
    _check_configs(release, data, place, problems)
    _check_info(release, data, place, problems)
    body = text.split("\n---\n", 1)[-1]
    found = set(re.findall(r"^#{2,3} (.+)$", body, flags=re.MULTILINE))
    if missing := [heading for heading in HEADINGS if heading not in found]:
        problems.add(place, f"no section {listed(missing)}", "every section of the template", _AGAIN)
    if "**Content warning.**" not in body:
        problems.add(place, "no content warning", "a content warning at the top", _AGAIN)
    if f"`v{release.version}`" not in body:
        problems.add(place, "another version or none", f"the tag v{release.version}", _AGAIN)
    for target in re.findall(r"\]\((?!https?://)([^)#\s]+)\)", body):
        if not (release.folder / target).is_file():
            problems.add(place, f"a link to {quoted(target)}, which is not there", "a file of the release", _AGAIN)


def _check_configs(release: Release, data: dict[str, Any], place: str, problems: Problems) -> None:
    expected = card.configs(release.subsets)
    found = data.get("configs")
    if found == expected:
        return
    if not isinstance(found, list):
        problems.add(place, "no list", "one entry per subset", _AGAIN, field="configs")
        return
    defaults = [c.get("config_name") for c in found if isinstance(c, dict) and c.get("default")]
    if defaults != [PAIRS]:
        problems.add(
            place, f"the default {listed(map(str, defaults)) or 'none'}", PAIRS, _AGAIN, field="configs.default"
        )
    problems.add(place, "other subsets or files than there are", listed(release.subsets), _AGAIN, field="configs")


def _check_info(release: Release, data: dict[str, Any], place: str, problems: Problems) -> None:
    found = data.get("dataset_info")
    entries = {e.get("config_name"): e for e in (found if isinstance(found, list) else [found]) if isinstance(e, dict)}
    for subset in release.subsets:
        path = release.folder / parquet_of(subset)
        expected = json.loads(json.dumps(card.subset_info(subset, release.table(subset), path)))
        if entries.get(subset) != expected:
            mine = entries.get(subset, {})
            odd = [key for key in expected if mine.get(key) != expected[key]]
            problems.add(
                place,
                f"other {listed(odd)} than the file has",
                f"what {parquet_of(subset)} holds (split {SPLIT})",
                _AGAIN,
                field=f"dataset_info.{subset}",
            )


def check_citation(release: Release, problems: Problems) -> None:
    """CITATION.cff is of this version, a dataset, and valid for cffconvert."""
    place = f"{release.name}/{CITATION}"
    try:
        data = yaml.safe_load((release.folder / CITATION).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        problems.add(place, str(error).splitlines()[0], "YAML", _AGAIN)
        return
    for key, value in {"version": release.version, "type": "dataset"}.items():
        if not isinstance(data, dict) or data.get(key) != value:
            problems.add(place, quoted(data.get(key) if isinstance(data, dict) else data), value, _AGAIN, field=key)


def check_citation_tool(release: Release, problems: Problems) -> None:
    """CITATION.cff passes its own validator."""
    status, output = tools.run("cffconvert", ["--validate", "-i", CITATION], release.folder, 60)
    if status:
        problems.add(
            f"{release.name}/{CITATION}", f"cffconvert says: {tools.last_line(output)}", "a valid citation file", _AGAIN
        )


def check_croissant(release: Release, problems: Problems) -> None:
    """croissant.json is of this version, has the responsible-AI fields, and names the files as they are."""
    place = f"{release.name}/{CROISSANT}"
    try:
        data = json.loads((release.folder / CROISSANT).read_text(encoding="utf-8"))
    except ValueError as error:
        problems.add(place, str(error), "JSON", _AGAIN)
        return
    if data.get("version") != release.version:
        problems.add(place, quoted(data.get("version")), release.version, _AGAIN, field="version")
    for key in croissant.REQUIRED_RAI:
        if not data.get(key):
            problems.add(place, "no such key, or an empty one", "this field with a value", _AGAIN, field=key)
    listed_files = {entry.get("@id"): entry.get("sha256") for entry in data.get("distribution", [])}
    for subset in release.subsets:
        if parquet_of(subset) not in listed_files:
            problems.add(place, f"no file {parquet_of(subset)}", "every subset", _AGAIN, field="distribution")
    for name, digest in listed_files.items():
        path = release.folder / str(name)
        if not path.is_file() or sha256(path) != digest:
            problems.add(place, f"another checksum of {name}", "the file's", _AGAIN, field="distribution")
    names = {str(r.get("@id")): [f.get("name") for f in r.get("field", [])] for r in data.get("recordSet", [])}
    for subset in release.subsets:
        if names.get(subset) != release.table(subset).schema.names:
            problems.add(place, "other fields than the file has", "its columns", _AGAIN, field=f"recordSet.{subset}")


def check_croissant_tool(release: Release, problems: Problems) -> None:
    """croissant.json passes its own validator, which then reads a record of every subset through it."""
    place = f"{release.name}/{CROISSANT}"
    status, output = tools.run("mlcroissant", ["validate", "--jsonld", CROISSANT], release.folder, 120)
    if status or "Done." not in output:
        problems.add(place, f"mlcroissant says: {tools.last_line(output)}", "a valid Croissant file", _AGAIN)
        return
    for subset in release.subsets:
        arguments = ["load", "--jsonld", CROISSANT, "--record_set", subset, "--num_records", "1"]
        status, output = tools.run("mlcroissant", arguments, release.folder, 120)
        if status or f"{subset}/" not in output:
            problems.add(
                place, f"mlcroissant says: {tools.last_line(output)}", f"records of {subset}", _AGAIN, field="recordSet"
            )
