"""README.md of a release: the dataset card, YAML for the Hub on top, text for people below."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import yaml

from winoqueer_nl import markdown
from winoqueer_nl.release.columns import SUBSET_TEXTS, meaning
from winoqueer_nl.release.description import Description
from winoqueer_nl.release.layout import METADATA, PAIRS, SENTENCE_PAIRS, SPLIT, parquet_of
from winoqueer_nl.release.statistics import BY_TIER

TEMPLATE = "release/card.md.jinja"

#: What the YAML of a card must have; a card without one of these keys is not complete.
REQUIRED = (
    "annotations_creators",
    "configs",
    "dataset_info",
    "language",
    "language_creators",
    "language_details",
    "license",
    "pretty_name",
    "size_categories",
    "source_datasets",
    "tags",
    "task_categories",
)


def size_category(rows: int) -> str:
    """The Hub's name for a number of rows, such as 10K<n<100K."""
    bounds = [(1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")]
    return next((name for bound, name in bounds if rows < bound), "1M<n<10M")


def subset_info(name: str, table: pa.Table, file: Path) -> dict[str, Any]:
    """The entry of ``dataset_info``: features, rows and bytes, as ``datasets`` checks them when it loads."""
    from datasets import Features

    features = Features.from_arrow_schema(table.schema.remove_metadata())
    return {
        "config_name": name,
        "features": features._to_yaml_list(),
        "splits": [{"name": SPLIT, "num_bytes": table.nbytes, "num_examples": len(table)}],
        "download_size": file.stat().st_size,
        "dataset_size": table.nbytes,
    }


def configs(subsets: list[str]) -> list[dict[str, Any]]:
    """The entry ``configs``: which file belongs to which subset, ``pairs`` being the default."""
    return [
        {
            "config_name": name,
            "data_files": [{"split": SPLIT, "path": parquet_of(name)}],
            **({"default": True} if name == PAIRS else {}),
        }
        for name in subsets
    ]


def front_matter(d: Description, lang: str, tables: dict[str, pa.Table], folder: Path) -> dict[str, Any]:
    """The YAML of the card."""
    return {
        "annotations_creators": d.annotations_creators,
        "language": [lang],
        "language_creators": d.language_creators,
        "language_details": d.language_details,
        "license": d.license,
        "multilinguality": ["monolingual"],
        "pretty_name": d.pretty_name,
        "size_categories": [size_category(len(tables[PAIRS]))],
        "source_datasets": d.source_datasets,
        "tags": d.tags,
        "task_categories": d.task_categories,
        "configs": configs(list(tables)),
        "dataset_info": [subset_info(name, table, folder / parquet_of(name)) for name, table in tables.items()],
    }


def bibtex(d: Description, lang: str, version: str) -> str:
    """The dataset as a BibTeX entry."""
    authors = " and ".join(f"{p.family}, {p.given}" if p.given else f"{{{p.family}}}" for p in d.authors)
    fields = {"title": f"{{{d.pretty_name}}}", "author": authors, "version": version, "url": d.homepage}
    lines = "".join(f"  {key} = {{{value}}},\n" for key, value in fields.items())
    return f"@misc{{{d.slug}_{version.replace('.', '_')},\n{lines}}}\n"


def render(
    root: Path,
    d: Description,
    lang: str,
    language_name: str,
    version: str,
    previous: str | None,
    tables: dict[str, pa.Table],
    figures: dict[str, Any],
    plots: list[dict[str, str]],
    tasks: list[str],
    changes: str,
    folder: Path,
    models: dict[str, dict[str, str]],
) -> str:
    """The text of README.md. models: of each scored model its own name, revision and kind."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(root), undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["cell"] = markdown.cell
    matter = yaml.safe_dump(front_matter(d, lang, tables, folder), allow_unicode=True, sort_keys=False, width=1000)
    text = environment.get_template(TEMPLATE).render(
        front_matter=matter,
        d=d,
        s=figures,
        version=version,
        previous=previous,
        language_name=language_name,
        subsets=[
            {
                "name": name,
                "default": name == PAIRS,
                "rows": len(table),
                "text": SUBSET_TEXTS[name],
                "columns": [{"name": f.name, "type": str(f.type), "meaning": meaning(f.name)} for f in table.schema],
            }
            for name, table in tables.items()
        ],
        sentence_pairs=SENTENCE_PAIRS,
        metadata=METADATA,
        by_tier=BY_TIER,
        plots=plots,
        tasks=tasks,
        models=models,
        bibtex=bibtex(d, lang, version),
        changes=changes.strip(),
    )
    return text.rstrip("\n") + "\n"
