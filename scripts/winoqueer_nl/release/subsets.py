"""The tables of a release: their columns and types, how they are made from the results, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from winoqueer_nl.pairs import SCHEMA as PAIRS_SCHEMA
from winoqueer_nl.problems import Problems, listed, quoted
from winoqueer_nl.release.layout import PAIRS, SCORES, STEREOTYPES, SURVEY
from winoqueer_nl.tables import records

_TEXT, _WHOLE, _SMALL, _REAL = pa.string(), pa.int32(), pa.int8(), pa.float64()

#: Columns of the subset ``stereotypes`` before those of the predicate forms, which each language names itself.
STEREOTYPE_FIELDS: dict[str, pa.DataType] = {
    "stereotype_id": _TEXT,
    "type": _TEXT,
    "origin": _TEXT,
    "gloss": _TEXT,
    "identities": _TEXT,
    "n_pairs": _WHOLE,
    "n_yes": _WHOLE,
    "n_no": _WHOLE,
    "n_unsure": _WHOLE,
    "yes_percentage": _REAL,
    "tier": _SMALL,
    "harmfulness_count": _WHOLE,
    "harmfulness_mean": _REAL,
    "harmfulness_sd": _REAL,
}
#: Further columns from the survey, where the language has one.
STEREOTYPE_SURVEY_FIELDS: dict[str, pa.DataType] = {
    "n_votes": _WHOLE,
    "yes_percentage_low": _REAL,
    "yes_percentage_high": _REAL,
    "tier_1_probability": _REAL,
    "tier_2_probability": _REAL,
    "tier_3_probability": _REAL,
    "not_relevant_probability": _REAL,
    "votes_of": _TEXT,
    "rounds": _TEXT,
}
SURVEY_SCHEMA = pa.schema(
    [
        ("question", _TEXT),
        ("stereotype_id", _TEXT),
        ("answer", _TEXT),
        ("count", _WHOLE),
        ("suppressed", pa.bool_()),
    ]
)
SCORES_SCHEMA = pa.schema(
    [
        ("model", _TEXT),
        ("pair_id", _TEXT),
        ("score_x_published", _REAL),
        ("score_y_published", _REAL),
        ("tokens_published", _WHOLE),
        ("score_x_slot", _REAL),
        ("score_y_slot", _REAL),
        ("tokens_slot", _WHOLE),
    ]
)

_BUILD_AGAIN = "Build the results again."


@dataclass(frozen=True)
class Scored:
    """The scores of one model: its name in the release, and the files of its run."""

    model: str
    folder: Path

    def about(self, problems: Problems) -> dict[str, str]:
        """What the run's summary says of the model: its own name, revision and kind. Notes a demonstration model."""
        path = self.folder / "summary.json"
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))
            told = {key: str(summary[key] or "") for key in ("model", "revision", "kind")}
        except (OSError, ValueError, KeyError, TypeError):
            problems.add(path, "no summary of a run", "what the stage score writes", "Score the model again.")
            return {}
        if summary.get("demo"):
            problems.add(path, "a demonstration model, whose numbers mean nothing", "a real model", "Leave it out.")
        return told


def read_csv(path: Path, wanted: Sequence[str], problems: Problems) -> list[dict[str, str]]:
    """Rows of a table that an earlier stage wrote; notes a missing column."""
    found = records(path, problems)
    if not found:
        return []
    header = found[0][1]
    if missing := [column for column in wanted if column not in header]:
        problems.add(path, f"no column {listed(map(quoted, missing))}", "what the stage writes", _BUILD_AGAIN, row=1)
        return []
    return [dict(zip(header, cells, strict=False)) for _, cells in found[1:]]


def _value(cell: str, kind: pa.DataType) -> Any:
    if cell == "":
        return None
    if kind == _TEXT:
        return cell
    return float(cell) if kind == _REAL else int(cell)


def _table(rows: Sequence[dict[str, str]], fields: dict[str, pa.DataType], path: Path, problems: Problems) -> pa.Table:
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    for number, row in enumerate(rows, start=2):
        for name, kind in fields.items():
            cell = row.get(name, "")
            try:
                columns[name].append(_value(cell, kind))
            except ValueError:
                problems.add(path, quoted(cell), "a number", _BUILD_AGAIN, row=number, field=name)
                columns[name].append(None)
    return pa.table([pa.array(columns[name], kind) for name, kind in fields.items()], pa.schema(list(fields.items())))


def pairs_table(path: Path, problems: Problems) -> pa.Table:
    """The pairs of an edition, as the pipeline wrote them."""
    try:
        table = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        problems.add(path, str(error).splitlines()[0], "the pairs of the edition", "Build the pairs first.")
        return PAIRS_SCHEMA.empty_table()
    if not table.schema.equals(PAIRS_SCHEMA):
        problems.add(path, "other columns or types", "those of the stage pairs", _BUILD_AGAIN)
        return PAIRS_SCHEMA.empty_table()
    return table.replace_schema_metadata(None)


#: What the published counts do not determine: a reconstructed sample has these figures from nobody.
UNDETERMINED = ("harmfulness_sd",)


def stereotypes_table(path: Path, survey: Path | None, reconstructed: bool, problems: Problems) -> pa.Table:
    """One row per stereotype: forms, counts and, with a survey, intervals and how sure each tier is.

    Of a reconstructed survey, the columns :data:`UNDETERMINED` are left empty.
    """
    rows = read_csv(path, list(STEREOTYPE_FIELDS), problems)
    if reconstructed:
        rows = [row | dict.fromkeys(UNDETERMINED, "") for row in rows]
    forms = [column for column in (rows[0] if rows else {}) if column not in STEREOTYPE_FIELDS]
    fields = dict(STEREOTYPE_FIELDS)
    if survey is not None:
        fields |= STEREOTYPE_SURVEY_FIELDS
        wanted = ["stereotype_id", *STEREOTYPE_SURVEY_FIELDS]
        judged = {row["stereotype_id"]: row for row in read_csv(survey, wanted, problems)}
        nothing: dict[str, str] = {}
        rows = [
            row | {c: judged.get(row["stereotype_id"], nothing).get(c, "") for c in STEREOTYPE_SURVEY_FIELDS}
            for row in rows
        ]
    fields |= dict.fromkeys(forms, _TEXT)
    return _table(rows, fields, path, problems)


def survey_table(stereotypes: Path, respondents: Path | None, problems: Problems) -> pa.Table:
    """Counts of the survey, one a row: people per identity answer (small counts withheld), votes per stereotype.

    A stereotype that shares the votes of another by declaration is left out, so that no vote is counted twice.
    Without ``respondents`` (a reconstructed survey, whose people do not exist) there are votes only.
    """
    rows: list[tuple[str, str | None, str, int | None, bool]] = []
    wanted = ["question", "answer", "n_respondents", "suppressed"]
    for row in read_csv(respondents, wanted, problems) if respondents else []:
        hidden = row["suppressed"] == "true"
        if hidden != (row["n_respondents"] == ""):
            problems.add(
                str(respondents),
                f"{quoted(row['n_respondents'])} with suppressed {quoted(row['suppressed'])}",
                "a count, or an empty cell with suppressed true",
                _BUILD_AGAIN,
                field="n_respondents",
            )
            continue
        rows.append((row["question"], None, row["answer"], None if hidden else int(row["n_respondents"]), hidden))
    wanted = ["stereotype_id", "n_yes", "n_no", "n_unsure", "harmfulness_count", "votes_of"]
    judged = read_csv(stereotypes, wanted, problems)
    for question, answers in (
        ("relevance", {"yes": "n_yes", "no": "n_no", "unsure": "n_unsure"}),
        ("harmfulness", {"rated": "harmfulness_count"}),
    ):
        for row in judged:
            for answer, column in answers.items():
                if row[column] != "" and row["votes_of"] == "":
                    rows.append((question, row["stereotype_id"], answer, int(row[column]), False))
    columns = list(zip(*rows, strict=True)) or [()] * len(SURVEY_SCHEMA)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, SURVEY_SCHEMA, strict=True)], SURVEY_SCHEMA)


def scores_table(scored: Sequence[Scored], pair_ids: pa.Array, problems: Problems) -> pa.Table:
    """The scores of every model, in the order of the models' names and of the pairs; each pair must be scored once."""
    parts = []
    for one in sorted(scored, key=lambda s: s.model):
        path = one.folder / "scores.parquet"
        columns = [name for name in SCORES_SCHEMA.names if name != "model"]
        try:
            table = pq.ParquetFile(path).read(columns=columns)
        except (OSError, pa.ArrowException) as error:
            problems.add(path, str(error).splitlines()[0], "the scores of a model", "Score the model first.")
            continue
        if missing := [column for column in columns if column not in table.column_names]:
            problems.add(path, f"no column {listed(map(quoted, missing))}", "what the stage score writes", _BUILD_AGAIN)
            continue
        order = pc.index_in(pair_ids, value_set=table["pair_id"].combine_chunks())
        if len(table) != len(pair_ids) or order.null_count:
            problems.add(
                path,
                f"{len(table)} scores, {len(pair_ids) - order.null_count} of them for the {len(pair_ids)} pairs",
                "one score for each pair of this edition",
                "Score the model on this edition, all pairs (no sample).",
            )
            continue
        table = table.take(order).select(columns)
        model = pa.array([one.model] * len(table), _TEXT)
        parts.append(pa.table([model, *table.columns], names=SCORES_SCHEMA.names).cast(SCORES_SCHEMA))
    return pa.concat_tables(parts).combine_chunks() if parts else SCORES_SCHEMA.empty_table()


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a subset: Zstandard, page index, content-defined chunks, and the features for ``datasets`` in the file.

    With chunks that follow the content, the Hub stores and transfers only what changed between two versions.
    """
    from datasets import Features

    features = Features.from_arrow_schema(table.schema)
    note = json.dumps({"info": {"features": features.to_dict()}})
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table.replace_schema_metadata({"huggingface": note}),
        path,
        compression="zstd",
        write_page_index=True,
        use_content_defined_chunking=True,
        row_group_size=100_000,
    )


def expected_schema(subset: str, table: pa.Table) -> pa.Schema:
    """The schema that a subset must have; the predicate forms at the end of ``stereotypes`` are a language's own."""
    if subset == PAIRS:
        return PAIRS_SCHEMA
    if subset == SURVEY:
        return SURVEY_SCHEMA
    if subset == SCORES:
        return SCORES_SCHEMA
    assert subset == STEREOTYPES
    names = table.schema.names
    fields = dict(STEREOTYPE_FIELDS)
    if set(STEREOTYPE_SURVEY_FIELDS) & set(names):
        fields |= STEREOTYPE_SURVEY_FIELDS
    forms = names[len(fields) :]
    return pa.schema([*fields.items(), *((form, _TEXT) for form in forms)])
