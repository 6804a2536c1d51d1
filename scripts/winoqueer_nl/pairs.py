"""Stage "pairs": every sentence pair of an edition, made from its tables.

The order is that of the tables: template, stereotype, subject, identity, counter identity. Pairs are made and written
a batch at a time, so that memory does not grow with the number of names.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from winoqueer_nl.edition import Edition
from winoqueer_nl.files import atomic, atomic_text, check_intact
from winoqueer_nl.patterns import fill
from winoqueer_nl.planning import Cell, Planned, plan
from winoqueer_nl.problems import InputError, Problem, listed
from winoqueer_nl.references import GROUP
from winoqueer_nl.schema import PAIR_COLUMNS, Name
from winoqueer_nl.sources import table_path
from winoqueer_nl.tables import shown

ROWS_PER_BATCH = 50_000

_ARROW_TYPES = {
    "template": pa.int8(),
    "span_start_x": pa.int16(),
    "span_end_x": pa.int16(),
    "span_start_y": pa.int16(),
    "span_end_y": pa.int16(),
    "tier": pa.int8(),
    "harmfulness_mean": pa.float64(),
}
SCHEMA = pa.schema([(column, _ARROW_TYPES.get(column, pa.string())) for column in PAIR_COLUMNS])
_PAIR_ID, _SENT_X, _SENT_Y = (PAIR_COLUMNS.index(column) for column in ("pair_id", "sent_x", "sent_y"))


@dataclass(frozen=True)
class Judgement:
    """What the survey says of a stereotype: its tier (1, 2, 3, -1 = not relevant) and mean harmfulness."""

    tier: int | None = None
    harmfulness_mean: float | None = None


NO_JUDGEMENT = Judgement()


def generate(
    edition: Edition,
    judgements: Mapping[str, Judgement] | None = None,
    excluded_tiers: Iterable[int] = (-1,),
    rows_per_batch: int = ROWS_PER_BATCH,
) -> Iterator[pa.RecordBatch]:
    """Make every pair of the edition, in batches of the schema :data:`SCHEMA`.

    Parameters
    ----------
    edition: its tables.
    judgements: survey results by stereotype id; None where the language has no survey.
    excluded_tiers: stereotypes of these tiers are left out (-1 = not culturally relevant).
    rows_per_batch: the most rows of a batch; the pairs do not depend on it.

    Raises
    ------
    InputError
        before the first batch for gaps and ambiguities in the tables, after the last one for pairs that stand twice
        and for an edition without any pair.
    """
    judgements = judgements or {}
    excluded = set(excluded_tiers)
    planned, names = plan(edition, [i for i, judgement in judgements.items() if judgement.tier in excluded])
    # A hash a pair, not the pair: 8 bytes each show whether any stands twice, at any number of names.
    hashes = array("q")
    rows: list[tuple[object, ...]] = []
    for cell, row in _rows(edition, planned, names, judgements):
        if cell.copy_number == 1:
            hashes.append(hash((row[_SENT_X], row[_SENT_Y])))
        rows.append(row)
        if len(rows) == rows_per_batch:
            yield _batch(rows)
            rows = []
    if rows:
        yield _batch(rows)
    if not hashes:
        raise InputError([_nothing(edition)])
    if len(np.unique(np.frombuffer(hashes, dtype=np.int64))) < len(hashes):
        _stop_at_repeats(edition, _rows(edition, planned, names, judgements))


def _rows(
    edition: Edition,
    planned: Iterable[Planned],
    names: Mapping[str, list[Name]],
    judgements: Mapping[str, Judgement],
) -> Iterator[tuple[Cell, tuple[object, ...]]]:
    labels = {row.counter_identity_id: row.label for row in edition.counter_identities}
    of_origin: dict[str, list[tuple[Name | None, dict[str, str]]]] = {
        origin: [(name, {slot: shown(text) for slot, text in name.slots.items()}) for name in of_origin]
        for origin, of_origin in names.items()
    }
    for template, stereotype, cells in planned:
        judgement = judgements.get(stereotype.stereotype_id, NO_JUDGEMENT)
        for name, slots in [(None, {})] if template.subject == GROUP else of_origin[stereotype.origin]:
            for cell in cells:
                if cell.serves(name):
                    yield cell, _row(edition.lang, cell, name, slots, judgement, labels)


def _row(
    lang: str,
    cell: Cell,
    name: Name | None,
    slots: dict[str, str],
    judgement: Judgement,
    labels: dict[str, str],
) -> tuple[object, ...]:
    subject, gender = (GROUP, None) if name is None else (name.name_id, name.gender)
    x, y = cell.by_subject.get(subject, (cell.x, cell.y)) if cell.by_subject else (cell.x, cell.y)
    sent_x, start_x, end_x = x.filled(slots)
    sent_y, start_y, end_y = y.filled(slots)
    identity, counter = cell.identity, cell.counter_identity
    key = (cell.stereotype.stereotype_id, cell.template.template_id, subject, identity.identity_id, counter)
    pair_id = ".".join((lang, *key))
    if cell.copy_number > 1:
        pair_id += f".{cell.copy_number}"
    return (
        pair_id,
        cell.stereotype.stereotype_id,
        cell.template.template,
        cell.template.template_id,
        subject,
        gender,
        identity.identity_id,
        counter,
        identity.label,
        labels[counter],
        sent_x,
        sent_y,
        start_x,
        end_x,
        start_y,
        end_y,
        fill(cell.predicate, slots),
        judgement.tier,
        judgement.harmfulness_mean,
        cell.stereotype.origin,
    )


def _batch(rows: list[tuple[object, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def _nothing(edition: Edition) -> Problem:
    absent, coverage = (table_path(name, edition.lang) for name in ("absent", "coverage"))
    return Problem(
        table_path("stereotypes", edition.lang),
        f"no pair at all in edition {edition.edition}",
        "stereotypes whose forms, identities and names make pairs",
        f"Look at {absent}, at {coverage} and at the tiers left out.",
    )


def _stop_at_repeats(edition: Edition, rows: Iterable[tuple[Cell, tuple[object, ...]]]) -> None:
    """Look closer where two hashes were equal: raise InputError naming the pairs whose two sentences are the same."""
    first: dict[tuple[object, object], object] = {}
    repeats = []
    for cell, row in rows:
        if cell.copy_number == 1:
            sentences = (row[_SENT_X], row[_SENT_Y])
            if sentences in first:
                repeats.append((first[sentences], row[_PAIR_ID]))
            else:
                first[sentences] = row[_PAIR_ID]
    if repeats:
        raise InputError(
            [
                Problem(
                    table_path("coverage", edition.lang),
                    f"the pair {later}, whose sentences are those of {earlier}",
                    "each pair of sentences once",
                    "Add a row with copies 0 for one of the two, or tell the wordings apart.",
                )
                for earlier, later in repeats
            ]
        )


def write(
    edition: Edition,
    judgements: Mapping[str, Judgement] | None,
    excluded_tiers: Iterable[int],
    parquet: Path,
    published: Path,
) -> int:
    """Write pairs.parquet and the CSV with the published columns, both whole or not at all; return the pair count.

    The Parquet options (page index, content-defined chunks) let the Hub transfer only what changed between releases.
    """
    columns = edition.language.published_columns
    count = 0
    with atomic(parquet) as temporary, atomic_text(published) as text:
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(columns)
        with pq.ParquetWriter(
            temporary, SCHEMA, compression="zstd", write_page_index=True, use_content_defined_chunking=True
        ) as writer:
            for batch in generate(edition, judgements, excluded_tiers):
                writer.write_batch(batch)
                lines.writerows(zip(*(batch.column(c).to_pylist() for c in columns.values()), strict=True))
                count += batch.num_rows
    return count


def read(path: Path, columns: Sequence[str] = PAIR_COLUMNS, made_by: str = "winoqueer-nl pairs") -> pa.Table:
    """Columns of a Parquet file that a command of this project has made, all of pairs.parquet by default.

    Raises
    ------
    InputError
        where the file is not there, is not a whole Parquet file, or lacks a column.
    """
    found, fix = "", "Build it first."
    check_intact(path)
    try:
        if path.is_dir():  # a folder would be read as one table, of all the files in it
            found = "a folder"
        elif lacking := [column for column in columns if column not in pq.read_schema(path).names]:
            found = f"no column {listed(lacking)}"
        else:
            return pq.read_table(path, columns=list(columns))
    except FileNotFoundError:
        found = "no such file"
    except (OSError, pa.ArrowException):
        found, fix = "a file that is not a whole table (Parquet)", "Remove the file and build it again."
    raise InputError([Problem(str(path), found, f"what `{made_by}` writes", fix)])
