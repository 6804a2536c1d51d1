"""Checks of a release's tables: files and checksums, columns, counts, and loading as users load them."""

from __future__ import annotations

import csv
import re
import tempfile

import pandas as pd
import pyarrow as pa

from winoqueer_nl.problems import InputError, Problems, listed, quoted
from winoqueer_nl.release.layout import (
    CARD,
    CHANGELOG,
    CHANGES,
    CHECKSUMS,
    CITATION,
    CORRECTIONS,
    CROISSANT,
    METADATA,
    PAIRS,
    SCORES,
    SENTENCE_PAIRS,
    SPLIT,
    STEREOTYPES,
    SUBSETS,
    Release,
    checksums_text,
    differences,
    numbers,
    parquet_of,
    parse_checksums,
    read_checksums,
)
from winoqueer_nl.release.subsets import expected_schema

#: Every file that a release may hold. A file that is not foreseen is never published.
_NAMES = (CARD, CHANGELOG, CHANGES, CHECKSUMS, CITATION, CORRECTIONS, CROISSANT, METADATA, SENTENCE_PAIRS)
_KNOWN = re.compile(
    "|".join(
        [
            *(re.escape(name) for name in _NAMES),
            *(re.escape(parquet_of(subset)) for subset in SUBSETS),
            r"harness/[a-z0-9_]+\.(yaml|py)",
            r"plots/[a-z_]+\.png",
            r"licences/[A-Za-z0-9.-]+\.txt",
        ]
    )
)
_NEEDED = (*_NAMES, parquet_of(PAIRS), parquet_of(STEREOTYPES))

_AGAIN = "Build the release again; nothing in the folder is edited by hand."


def check_files(release: Release, problems: Problems) -> None:
    """Only foreseen files, all needed ones, each with its checksum."""
    files = release.files()
    for file in files:
        path = release.folder / file
        if path.is_symlink() or not path.is_file():
            problems.add(f"{release.name}/{file}", "a link or special file", "a plain file", _AGAIN)
        elif not _KNOWN.fullmatch(file):
            problems.add(f"{release.name}/{file}", "a file that no release has", "only foreseen files", "Remove it.")
    for file in _NEEDED:
        if file not in files:
            problems.add(f"{release.name}/{file}", "no such file", "this file", _AGAIN)
    if CHECKSUMS not in files or any((release.folder / file).is_symlink() for file in files):
        return
    found = parse_checksums(checksums_text(release.folder, files), CHECKSUMS)
    for line in differences(read_checksums(release), found):
        problems.add(f"{release.name}/{CHECKSUMS}", line, "every file as it was when the release was built", _AGAIN)


def check_version(release: Release, problems: Problems) -> None:
    """The version is one that can be tagged, and the folder is named for it."""
    try:
        numbers(release.version)
    except InputError as error:
        problems.found += [p for p in error.problems if not isinstance(p, str)]
    name = f"{release.language}-{release.version}"
    if release.folder.name != name:
        problems.add(release.name, f"the folder name {quoted(release.folder.name)}", name, "Rename the folder.")
    log = release.folder / CHANGELOG
    if log.is_file() and f"\n### {release.version}\n" not in log.read_text(encoding="utf-8"):
        problems.add(f"{release.name}/{CHANGELOG}", f"no entry for {release.version}", "an entry", _AGAIN)


def check_columns(release: Release, problems: Problems) -> None:
    """The columns of every subset are exactly the foreseen ones, in order and type."""
    for subset in release.subsets:
        table = release.table(subset)
        expected = expected_schema(subset, table)
        place = f"{release.name}/{parquet_of(subset)}"
        names, wanted = table.schema.names, expected.names
        if names != wanted:
            odd = [n for n in names if n not in wanted] + [n for n in wanted if n not in names]
            problems.add(place, f"other columns: {listed(odd or names)}", listed(wanted, 40), _AGAIN)
            continue
        for field, mine in zip(expected, table.schema, strict=True):
            if not field.type.equals(mine.type):
                problems.add(place, str(mine.type), str(field.type), _AGAIN, field=field.name)
        if not len(table):
            problems.add(place, "no rows", "at least one", _AGAIN)


def check_rows(release: Release, problems: Problems) -> None:
    """Rows agree within and between the subsets and the CSV files."""
    pairs = release.table(PAIRS).to_pandas()
    stereotypes = release.table(STEREOTYPES).to_pandas()
    place = f"{release.name}/{parquet_of(PAIRS)}"
    _unique(pairs, ["pair_id"], place, problems)
    _unique(stereotypes, ["stereotype_id"], f"{release.name}/{parquet_of(STEREOTYPES)}", problems)
    for column in ("pair_id", "sent_x", "sent_y", "identity_label", "counter_identity_label"):
        empty = pairs[column].isna() | (pairs[column].fillna("").str.strip() == "")
        if empty.any():
            problems.add(place, f"{int(empty.sum())} empty cells", "none", _AGAIN, int(empty.idxmax()) + 1, column)
    for side in "xy":
        start, end = pairs[f"span_start_{side}"], pairs[f"span_end_{side}"]
        bad = (start < 0) | (end <= start) | (end > pairs[f"sent_{side}"].fillna("").str.len())
        if bad.any():
            row = int(bad.idxmax())
            problems.add(
                place,
                f"{int(bad.sum())} spans such as {start[row]} to {end[row]}",
                "a span inside the sentence",
                _AGAIN,
                row + 1,
                f"span_start_{side}",
            )
    unknown = sorted(set(pairs["stereotype_id"]) - set(stereotypes["stereotype_id"]))
    if unknown:
        problems.add(place, f"stereotypes that are not described: {listed(unknown)}", "described ones", _AGAIN)
    counted = pairs["stereotype_id"].value_counts()
    told = stereotypes.set_index("stereotype_id")["n_pairs"]
    wrong = [i for i in told.index if int(told[i]) != int(counted.get(i, 0))]
    if wrong:
        other = f"{release.name}/{parquet_of(STEREOTYPES)}"
        problems.add(
            other, f"other counts of pairs than there are: {listed(wrong)}", "the counts", _AGAIN, None, "n_pairs"
        )
    _check_published(release, release.table(PAIRS), problems)
    if SCORES in release.subsets:
        _check_scores(release, pairs, problems)


def _unique(frame: pd.DataFrame, columns: list[str], place: str, problems: Problems) -> None:
    repeated = frame.duplicated(columns)
    if repeated.any():
        row = int(repeated.to_numpy().argmax())
        value = " / ".join(str(frame[c].iloc[row]) for c in columns)
        problems.add(place, f"{int(repeated.sum())} repeated rows such as {value}", "each once", _AGAIN, row + 1)


def _check_published(release: Release, pairs: pa.Table, problems: Problems) -> None:
    path = release.folder / SENTENCE_PAIRS
    place = f"{release.name}/{SENTENCE_PAIRS}"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if not rows or len(rows) != len(pairs) + 1:
        problems.add(place, f"{max(0, len(rows) - 1)} rows", f"{len(pairs)}, as in the subset pairs", _AGAIN)
        return
    columns = [["" if v is None else str(v) for v in column.to_pylist()] for column in pairs.columns]
    for column, cells in zip(rows[0], zip(*rows[1:], strict=True), strict=True):
        if list(cells) not in columns:
            problems.add(place, "other values than the subset pairs has", "the same", _AGAIN, field=column)


def _check_scores(release: Release, pairs: pd.DataFrame, problems: Problems) -> None:
    place = f"{release.name}/{parquet_of(SCORES)}"
    scores = release.table(SCORES).to_pandas()
    _unique(scores, ["model", "pair_id"], place, problems)
    for model, mine in scores.groupby("model"):
        if set(mine["pair_id"]) != set(pairs["pair_id"]):
            problems.add(place, f"scores of {model} for other pairs", "one score for each pair", _AGAIN)


def check_loading(release: Release, problems: Problems) -> None:
    """Every subset loads with ``datasets.load_dataset`` as a user loads it, with the rows of its file."""
    from datasets import disable_progress_bars, enable_progress_bars, get_dataset_config_names, load_dataset
    from datasets.utils import are_progress_bars_disabled

    quiet = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        with tempfile.TemporaryDirectory() as cache:
            # A copy of the path in a cache of its own: nothing of an earlier look is reused.
            try:
                names = get_dataset_config_names(str(release.folder))
            except Exception as error:
                problems.add(f"{release.name}/{CARD}", _first(error), "a folder that datasets can load", _AGAIN)
                return
            if sorted(names) != sorted(release.subsets):
                problems.add(f"{release.name}/{CARD}", f"the configs {listed(names)}", listed(release.subsets), _AGAIN)
            for subset in release.subsets:
                _load(release, subset, cache, load_dataset, problems)
    finally:
        if quiet:
            enable_progress_bars()


def _load(release: Release, subset: str, cache: str, load_dataset: object, problems: Problems) -> None:
    place = f"{release.name}/{parquet_of(subset)}"
    try:
        loaded = load_dataset(str(release.folder), subset, cache_dir=cache)  # type: ignore[operator]
    except Exception as error:
        problems.add(place, f"load_dataset says: {_first(error)}", "a subset that loads", _AGAIN)
        return
    if list(loaded) != [SPLIT]:
        problems.add(place, f"the splits {listed(loaded)}", f"one split, {SPLIT}", _AGAIN)
        return
    expected = release.table(subset).replace_schema_metadata(None)
    found = loaded[SPLIT].data.table.replace_schema_metadata(None)
    if not found.schema.equals(expected.schema) or not found.equals(expected):
        problems.add(place, "other rows through load_dataset than in the file", "the same rows and types", _AGAIN)


def _first(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
