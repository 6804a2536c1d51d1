"""docs/configuration.md, made from the models of config.yaml, so that text and checks cannot part."""

from __future__ import annotations

import json
import types
from typing import Any, get_args, get_origin

import pydantic
from pydantic_core import PydanticUndefined

from winoqueer_nl.config import Config

HEADER = """# Configuration

`config.yaml` says what to build. An unknown key is an error that names the nearest known one. The merged configuration
(`config.yaml`, then `--configfile`, then `--config`) is written to `results/config.yaml` beside the results.

Made by `make docs` from `scripts/winoqueer_nl/config.py`; do not edit here.
"""


def _models_in(annotation: Any) -> list[type[pydantic.BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def _kind(annotation: Any) -> str:
    """A type in a few plain words."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (types.UnionType,) or str(origin) == "typing.Union":
        return " or ".join(_kind(part) for part in parts if part is not type(None))
    if str(origin) == "typing.Literal":
        return " or ".join(f"`{part}`" for part in parts)
    if str(origin) == "typing.Annotated" or hasattr(annotation, "__metadata__"):
        return _kind(parts[0])
    if origin is list or origin is tuple:
        return f"list of {_kind(parts[0])}"
    if origin is dict:
        return f"one {_kind(parts[1])} for each name"
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    if annotation in names:
        return names[annotation]
    return "section" if _models_in(annotation) else getattr(annotation, "__name__", str(annotation))


def _default(field: pydantic.fields.FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if field.is_required() or value is PydanticUndefined:
        return "(needed)"
    if value is None:
        return "(none)"
    if isinstance(value, pydantic.BaseModel):
        return "see below"
    return f"`{json.dumps(value, ensure_ascii=False, default=lambda model: model.model_dump(exclude_defaults=True))}`"


def _rows(model: type[pydantic.BaseModel], place: str) -> list[str]:
    lines = []
    for name, field in model.model_fields.items():
        key = f"{place}.{name}" if place else name
        nested = _models_in(field.annotation)
        mapping = get_origin(field.annotation) is dict
        lines.append(f"| `{key}` | {_kind(field.annotation)} | {_default(field)} | {field.description or ''} |")
        for inner in nested:
            lines += _rows(inner, f"{key}.<name>" if mapping else key)
    return lines


def page() -> str:
    """The whole page in Markdown."""
    table = ["| key | what | default | meaning |", "|---|---|---|---|", *_rows(Config, "")]
    return HEADER + "\n" + "\n".join(table) + "\n"
