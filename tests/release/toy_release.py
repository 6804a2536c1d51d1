"""A project with a language of invented words, its survey, and the releases that are built from it."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from winoqueer_nl import metadata, pairs
from winoqueer_nl.edition import choose
from winoqueer_nl.pairs import Judgement
from winoqueer_nl.release.build import Inputs, build
from winoqueer_nl.release.layout import Release
from winoqueer_nl.release.subsets import STEREOTYPE_SURVEY_FIELDS, Scored
from winoqueer_nl.sources import LANGUAGE_FILE, TABLES, load

PROJECT = Path(__file__).parent.parent.parent
LANG = "qq"
Row = dict[str, str]
Tables = dict[str, list[Row]]

_TABLES = {
    "stereotypes": [
        "stereotype_id | type | origin | gloss | gloss_singular | identities",
        "wq001 | predicate | winoqueer | are brel | is brel | mirn;solv",
        "wq002 | predicate | winoqueer | have a dronk | has a dronk | mirn",
        "wq003 | predicate | winoqueer | are grull | is grull | mirn",
        "sv001 | predicate | survey-2025 | are fleem | is fleem | solv",
    ],
    "forms": [
        "stereotype_id | form | text",
        "wq001 | plural | ban brel",
        "wq001 | single | brel",
        "wq002 | plural | han dronk",
        "wq002 | single | ha dronk",
        "wq003 | plural | ban grull",
        "wq003 | single | grull",
        "sv001 | plural | ban fleem",
        "sv001 | single | fleem",
    ],
    "absent": ["stereotype_id | reason"],
    "coverage": ["stereotype_id | identity | templates | copies | reason"],
    "metadata_exceptions": ["stereotype_id | form | text | column | value | reason"],
    "templates": [
        "template_id | template | subject | types | form | identity_form | sentence",
        "1 | 1 | group | predicate | plural | people | {identity} {predicate}.",
        "2 | 2 | group | predicate | plural | people | Nuv rass {identity} vi {predicate} .",
        "3 | 3 | person | predicate | single | trait | {subject} ba {identity} na {predicate}.",
    ],
    "variants": [
        "template_id|side|stereotype_id|identity|counter_identity|subject|origin|identity_form|sentence",
        "2 | x | | solv | | | | | Nuv rossa {identity} vi {predicate}.",
    ],
    "identities": [
        "identity_id | label | metadata_label | counter_identities | name_genders",
        "mirn | Mirn | Mirn | plain;common | female;male;neutral",
        "solv | Solv | Solv | common | female;neutral",
    ],
    "counter_identities": ["counter_identity_id | label", "plain | Plain", "common | Common"],
    "identity_forms": [
        "identity | form | text | sentence_initial",
        "mirn | people | mirn folk | Mirn folk",
        "mirn | trait | Mirn",
        "solv | people | solvu | Solvu",
        "solv | trait | Solv",
        "plain | people | plainu | Plainu",
        "plain | trait | Plain",
        "common | people | commu | Commu",
        "common | trait | Common",
    ],
    "names": [
        "name_id | type | gender | slot_subject",
        "emba | name | female | Emba",
        "orlo | name | male | Orlo",
        "tiv | name | neutral | Tiv",
    ],
}

LANGUAGE: dict[str, Any] = {
    "name": "Toy",
    "direction": "ltr",
    "published_columns": {
        "sent_x": "sent_x",
        "sent_y": "sent_y",
        "Gender_ID_x": "identity_label",
        "Gender_ID_y": "counter_identity_label",
        "predicate": "predicate",
    },
    "metadata_columns": {"template": "template", "gloss": "gloss", "text": "text", "of": "identities", "tier": "tier"},
    "metadata_gloss_origins": ["winoqueer"],
}

#: What the made-up survey says: yes, no, unsure, tier.
VOTES = {"wq001": (8, 1, 0, 1), "wq002": (5, 4, 1, 2), "wq003": (1, 8, 0, -1), "sv001": None}


def tables() -> Tables:
    """Fresh rows of every table, each with every column."""
    made: Tables = {}
    for name, lines in _TABLES.items():
        columns = [cell.strip() for cell in lines[0].split("|")]
        known = [c for c in TABLES[name].model.model_fields if c not in ("row", "file", "slots")]
        header = columns + [c for c in known if c not in columns]
        made[name] = [
            dict.fromkeys(header, "") | dict(zip(columns, (c.strip() for c in line.split("|")), strict=False))
            for line in lines[1:]
        ]
        made[f"{name} columns"] = [dict.fromkeys(header, "")]
    return made


def corrected(name: str, edition: str, of: Mapping[str, str], to: Mapping[str, str], reason: str) -> Callable:
    """A change of the tables: the row that has these cells is retired at an edition, and a corrected one follows."""

    def change(made: Tables) -> None:
        old = next(row for row in made[name] if all(row[c] == v for c, v in of.items()))
        made.setdefault(f"{name} retired", []).append(old | {"until": edition, "kind": "spelling", "reason": reason})
        made[name][made[name].index(old)] = old | dict(to) | {"since": edition}

    return change


def added(name: str, edition: str, *rows: Mapping[str, str]) -> Callable:
    """A change of the tables: rows that hold from an edition on."""

    def change(made: Tables) -> None:
        empty = made[f"{name} columns"][0]
        made[name] += [empty | dict(row) | {"since": edition} for row in rows]

    return change


def write_project(
    root: Path,
    changes: Sequence[Callable] = (),
    editions: Sequence[str] = ("1.0.0",),
    survey_exports: str = "original",
) -> Path:
    """A project folder: tables, editions, description, the release templates of this project."""
    made = tables()
    for change in changes:
        change(made)
    for name, table in TABLES.items():
        path = root / table.path.format(lang=LANG)
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = list(made[f"{name} columns"][0])
        path.write_text(_csv(columns, made[name]), encoding="utf-8")
        if retired := made.get(f"{name} retired"):
            path.with_suffix(".retired.csv").write_text(_csv(columns, retired), encoding="utf-8")
    (root / LANGUAGE_FILE.format(lang=LANG)).write_text(yaml.safe_dump(LANGUAGE, sort_keys=False), encoding="utf-8")
    shutil.copytree(PROJECT / "release", root / "release", dirs_exist_ok=True)
    (root / "release/editions.csv").write_text(
        "edition,languages,summary\n" + "".join(f"{e},{LANG},Summary of {e}.\n" for e in editions), encoding="utf-8"
    )
    described = yaml.safe_load((root / "release/nl.yaml").read_text(encoding="utf-8"))
    described |= {"pretty_name": "Toy pairs", "slug": "toy_pairs", "language_details": "qq-QQ"}
    described["survey_exports"] = survey_exports
    (root / f"release/{LANG}.yaml").write_text(yaml.safe_dump(described, sort_keys=False), encoding="utf-8")
    (root / "config.yaml").write_text(f"languages:\n  {LANG}:\n    editions: {list(editions)}\n", encoding="utf-8")
    return root


def _csv(columns: list[str], rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_survey(root: Path, votes: Mapping[str, tuple[int, int, int, int] | None] = VOTES) -> Path:
    """The aggregates of a made-up survey."""
    folder = root / f"results/{LANG}/survey"
    folder.mkdir(parents=True, exist_ok=True)
    counts = ["n_yes", "n_no", "n_unsure", "tier"]
    columns = ["stereotype_id", *counts, "harmfulness_count", "harmfulness_mean", "harmfulness_sd"]
    columns += ["yes_percentage", *STEREOTYPE_SURVEY_FIELDS]
    rows = []
    for stereotype, found in votes.items():
        row = dict.fromkeys(columns, "") | {"stereotype_id": stereotype, "rounds": "main"}
        row |= {"harmfulness_count": "6", "harmfulness_mean": "2.50", "harmfulness_sd": "1.05"}
        if found:
            row |= dict(zip(counts, map(str, found), strict=True))
            row |= {
                "n_votes": str(found[0] + found[1]),
                "yes_percentage": f"{100 * found[0] / (found[0] + found[1]):.2f}",
            }
        rows.append(row)
    (folder / "stereotypes.csv").write_text(_csv(list(dict.fromkeys(columns)), rows), encoding="utf-8")
    (folder / "respondents.csv").write_text(
        "question,answer,n_respondents,suppressed\n"
        "identity,mirn,17,false\nidentity,solv,,true\nidentity,other,,true\ngender,a,20,false\ngender,b,12,false\n",
        encoding="utf-8",
    )
    return folder


def write_edition(root: Path, version: str, votes: Mapping[str, Any] | None = VOTES) -> Path:
    """Build an edition's pairs and stereotypes with the stages themselves."""
    folder = root / f"results/{LANG}/{version}"
    folder.mkdir(parents=True, exist_ok=True)
    edition = choose(load(root, LANG), version)
    judged = None
    survey = None
    if votes is not None:
        survey = write_survey(root, votes) / "stereotypes.csv"
        judged = {s: Judgement(v[3] if v else None, 2.5) for s, v in votes.items()}
    pairs.write(edition, judged, [-1], folder / "pairs.parquet", folder / "sentence_pairs.csv")
    metadata.write(
        edition, survey, folder / "pairs.parquet", folder / "stereotype_metadata.csv", folder / "stereotypes.csv"
    )
    return folder


def write_scores(root: Path, version: str, model: str = "tiny", shift: float = 0.0, demo: bool = False) -> Scored:
    """Made-up scores of every pair: the stereotypical sentence higher in every second one."""
    folder = root / f"results/scores/{LANG}/{version}/{model}"
    folder.mkdir(parents=True, exist_ok=True)
    ids = pq.read_table(root / f"results/{LANG}/{version}/pairs.parquet").column("pair_id").to_pylist()
    frame = pd.DataFrame({"pair_id": ids[::-1]})  # another order than the pairs have
    for policy in ("published", "slot"):
        frame[f"score_x_{policy}"] = [-5.0 + shift - (i % 2) for i in range(len(ids))]
        frame[f"score_y_{policy}"] = [-5.5 + shift for _ in ids]
        frame[f"tokens_{policy}"] = 4
    columns = [
        "pair_id", "score_x_published", "score_y_published", "tokens_published",
        "score_x_slot", "score_y_slot", "tokens_slot",
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pandas(frame[columns], preserve_index=False), folder / "scores.parquet")
    told = {"model": f"org/{model}", "revision": "0123456789abcdef", "kind": "masked", "demo": demo}
    (folder / "summary.json").write_text(json.dumps(told), encoding="utf-8")
    return Scored(model, folder)


def make(
    root: Path,
    version: str = "1.0.0",
    previous: Release | None = None,
    votes: Mapping[str, Any] | None = VOTES,
    scores: bool = False,
    out: Path | None = None,
) -> Release:
    """Build a release of the toy language."""
    edition = write_edition(root, version, votes)
    scored = [write_scores(root, version)] if scores else []
    inputs = Inputs(
        root,
        LANG,
        version,
        edition,
        root / f"results/{LANG}/survey" if votes is not None else None,
        scored,
        previous.folder if previous else None,
    )
    return build(inputs, (out or root / "results/release") / f"{LANG}-{version}")


def write_export(root: Path) -> tuple[Path, Path]:
    """A raw export with personal columns and free text, and the instrument that names its columns."""
    export, instrument = root / "survey/export.csv", root / "survey/instrument.yaml"
    export.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        ["ResponseId", "IPAddress", "StartDate", "Status", "Q1", "Q2_TEXT"],
        ["Response ID", "IP", "Start", "Status", "Does it exist?", "Which are missing?"],
        ['{"ImportId":"a"}', '{"ImportId":"b"}', '{"ImportId":"c"}', '{"ImportId":"d"}', '{"ImportId":"e"}', "{}"],
        ["R_3kd92mfK2lsPq01", "203.0.113.7", "2025-03-04 12:31:07", "0", "Ja", "My neighbour says\nwe never sleep. Oh"],
        ["R_9fj28sKw0ZmXc42", "198.51.100.23", "2025-03-05 08:02:55", "0", "Nee", "ban brel"],
    ]  # fmt: skip
    with export.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    described = {
        "formats": {
            "qualtrics": {
                "header_rows": 3,
                "respondent": "ResponseId",
                "personal": ["IPAddress", "StartDate"],
                "rows": {"Status": {"keep": ["0"]}},
            }
        },
        "rounds": {"main": {"free_text": ["Q2_TEXT"], "items": [{"stereotypes": ["wq001"], "relevance": "Q1"}]}},
    }
    instrument.write_text(yaml.safe_dump(described), encoding="utf-8")
    return export, instrument
