"""Stage "release": the release folder of a language and version, put together whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from winoqueer_nl.config import EDITIONS_FILE, read_editions
from winoqueer_nl.files import check_intact, write_json, write_text
from winoqueer_nl.problems import InputError, Problem, Problems, listed, quoted
from winoqueer_nl.release import card, changelog, citation, corrections, croissant, harness, statistics
from winoqueer_nl.release.bump import check_bump, least_bump
from winoqueer_nl.release.description import read_description
from winoqueer_nl.release.diff import Level, compare, grouped
from winoqueer_nl.release.layout import (
    CARD,
    CHANGELOG,
    CHANGES,
    CHECKSUMS,
    CITATION,
    CORRECTIONS,
    CROISSANT,
    HARNESS,
    LICENCES,
    METADATA,
    PAIRS,
    PLOTS,
    SCORES,
    SENTENCE_PAIRS,
    STEREOTYPES,
    SURVEY,
    Release,
    check_whole,
    checksums_text,
    numbers,
    open_release,
    parquet_of,
)
from winoqueer_nl.release.subsets import (
    Scored,
    pairs_table,
    scores_table,
    stereotypes_table,
    survey_table,
    write_parquet,
)
from winoqueer_nl.sources import load


@dataclass(frozen=True)
class Inputs:
    """What a release is made from.

    root: project folder. edition: folder of the built edition. survey: folder of the survey aggregates, if the
    language has a survey. scores: the scored models. previous: the release to compare with, if there is one.
    """

    root: Path
    lang: str
    version: str
    edition: Path
    survey: Path | None = None
    scores: Sequence[Scored] = ()
    previous: Path | None = None


def build(inputs: Inputs, out: Path) -> Release:
    """Build the release folder ``out``; an older one there is replaced once the new one is complete.

    Raises
    ------
    InputError
        for inputs that do not fit together, and for a version number that says less than what changed. Nothing is
        left behind then.
    """
    out = Path(out)
    if out.name != f"{inputs.lang}-{inputs.version}":
        raise InputError([Problem(str(out), quoted(out.name), f"a folder named {inputs.lang}-{inputs.version}")])
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as temporary:
        folder = Path(temporary) / out.name
        folder.mkdir()
        _fill(inputs, folder)
        _put(folder, out)
    return open_release(out)


def _put(folder: Path, out: Path) -> None:
    """Put the new folder in the place of the old one: two renames, each all or nothing."""
    aside = folder.with_name("replaced")
    if out.exists():
        out.rename(aside)
    try:
        folder.rename(out)
    except OSError:
        if aside.exists():
            aside.rename(out)
        raise


def _fill(inputs: Inputs, folder: Path) -> None:
    problems = Problems()
    numbers(inputs.version)
    check_intact(*_read_from(inputs))
    d = read_description(inputs.root, inputs.lang)
    sources = load(inputs.root, inputs.lang)
    editions = {row.edition: row for row in read_editions(inputs.root) if inputs.lang in row.languages}
    if inputs.version not in editions:
        problems.add(
            EDITIONS_FILE, f"no edition {inputs.version} of {inputs.lang}", f"one of {listed(editions)}", "Add a row."
        )
    tables = _tables(inputs, d.survey_exports == "reconstructed", problems)
    models = {one.model: one.about(problems) for one in inputs.scores}
    problems.stop()
    for name, table in tables.items():
        write_parquet(table, folder / parquet_of(name))
    # What is told of the tables is told of the files, so they are read back.
    released = Release(folder, f"{inputs.lang}-{inputs.version}")
    tables = {name: released.table(name).replace_schema_metadata(None) for name in tables}
    for name in (SENTENCE_PAIRS, METADATA):
        _copy(inputs.edition / name, folder / name)
    (folder / LICENCES).mkdir()
    for name in d.licence_files:
        _copy(inputs.root / "release/licences" / name, folder / LICENCES / name)
    corrections.write(folder / CORRECTIONS, corrections.of_editions(sources, None, inputs.version))

    # From here on the folder can be compared: it has its tables, its corrections and its name.
    write_json(folder / CHANGES, {"language": inputs.lang, "version": inputs.version})
    previous = open_release(inputs.previous) if inputs.previous else None
    if previous:
        check_whole(previous, "Build that release again, or fetch it again.")
    changes = compare(previous, released) if previous else []
    if previous:
        check_bump(previous.version, inputs.version, changes, released.name)
    groups, least = grouped(changes), least_bump(changes)
    before = previous.version if previous else None
    entry = changelog.entry(inputs.version, before, editions[inputs.version].summary, groups, least)
    write_json(
        folder / CHANGES,
        {
            "language": inputs.lang,
            "version": inputs.version,
            "previous": before,
            "least_bump": (least if previous else Level.NONE).name,
            "changes": changelog.as_json(groups),
        },
    )
    older = _older_entries(previous)
    title = f"# Changelog of {d.pretty_name}\n\nContent warning: examples quote hurtful sentences.\n\n"
    write_text(folder / CHANGELOG, title + entry + (f"\n{older}" if older else ""))

    figures = statistics.statistics(tables)
    plots = statistics.draw(figures, folder / PLOTS)
    tasks = harness.write(inputs.root, d, inputs.version, list(figures["subsets"]), folder / HARNESS)
    write_text(folder / CITATION, citation.render(d, inputs.version))
    write_json(folder / CROISSANT, croissant.content(d, inputs.lang, inputs.version, tables, folder))
    text = card.render(
        inputs.root, d, inputs.lang, sources.language.name, inputs.version, before, tables, figures, plots, tasks,
        entry, folder, models,
    )  # fmt: skip
    write_text(folder / CARD, text)
    for path in folder.rglob("*"):  # the same permissions whatever the files were copied from
        path.chmod(0o755 if path.is_dir() else 0o644)
    write_text(folder / CHECKSUMS, checksums_text(folder, released.files()))


def _read_from(inputs: Inputs) -> list[Path]:
    """The built files that a release is made from."""
    edition = ("pairs.parquet", "stereotypes.csv", SENTENCE_PAIRS, METADATA)
    paths = [inputs.edition / name for name in edition]
    if inputs.survey:
        paths += [inputs.survey / name for name in ("stereotypes.csv", "respondents.csv")]
    return paths + [one.folder / name for one in inputs.scores for name in ("scores.parquet", "summary.json")]


def _tables(inputs: Inputs, reconstructed: bool, problems: Problems) -> dict[str, pa.Table]:
    survey = inputs.survey / "stereotypes.csv" if inputs.survey else None
    tables = {
        PAIRS: pairs_table(inputs.edition / "pairs.parquet", problems),
        STEREOTYPES: stereotypes_table(inputs.edition / "stereotypes.csv", survey, reconstructed, problems),
    }
    if inputs.survey is not None and survey is not None:
        respondents = None if reconstructed else inputs.survey / "respondents.csv"
        tables[SURVEY] = survey_table(survey, respondents, problems)
    if inputs.scores:
        ids = tables[PAIRS].column("pair_id").combine_chunks()
        tables[SCORES] = scores_table(inputs.scores, ids, problems)
    return tables


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        raise InputError([Problem(str(source), "no such file", "this file", "Build the edition first.")]) from None


def _older_entries(previous: Release | None) -> str:
    """The entries of the versions before, taken over from the previous release."""
    if previous is None or not (previous.folder / CHANGELOG).is_file():
        return ""
    text = (previous.folder / CHANGELOG).read_text(encoding="utf-8")
    start = text.find("\n### ")
    return text[start + 1 :] if start >= 0 else ""
