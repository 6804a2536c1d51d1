"""Reading YAML files that people write: strict keys, unknown ones with a suggestion, every problem at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import pydantic
import yaml

from winoqueer_nl.problems import Problems, listed, quoted, suggestion
from winoqueer_nl.tables import decoded

Model = TypeVar("Model", bound=pydantic.BaseModel)


class Strict(pydantic.BaseModel):
    """A section of a YAML file: unknown keys are errors."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


#: Values of a file, each counted as often as aliases repeat it.
MOST_VALUES = 200_000


class _Plain(yaml.SafeLoader):
    """What people write by hand, and nothing that surprises them or us.

    YAML lets the last of two equal keys win in silence; here it is an error. So are aliases (``*name``) that repeat
    what repeats: ten lines of them are thousands of millions of values once they are counted.
    """

    def get_single_data(self) -> Any:
        node = self.get_single_node()
        if node is None:
            return None
        self._count(node, {})
        return self.construct_document(node)

    def _count(self, node: yaml.Node, known: dict[int, int]) -> int:
        """How many values a node stands for; 0 in `known` while it is being counted, so that a circle is noticed."""
        if id(node) not in known:
            known[id(node)] = 0
            parts: list[yaml.Node] = []
            if isinstance(node, yaml.SequenceNode):
                parts = list(node.value)
            elif isinstance(node, yaml.MappingNode):
                parts = [part for pair in node.value for part in pair]
            known[id(node)] = 1 + sum(self._count(part, known) for part in parts)
        if not 0 < known[id(node)] <= MOST_VALUES:
            what = f"aliases that make more than {MOST_VALUES:,} values" if known[id(node)] else "an alias to itself"
            raise yaml.MarkedYAMLError(problem=what, problem_mark=node.start_mark)
        return known[id(node)]

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key!r} twice", problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path, model: type[Model], problems: Problems) -> Model | None:
    """Read a YAML file into a pydantic model, or note every problem and return None."""
    text = decoded(path, problems)
    if text is None:
        return None
    try:
        # A subclass of SafeLoader: no object is ever made from a tag in the file.
        content = yaml.load(text, Loader=_Plain)
    except (yaml.YAMLError, TypeError, ValueError, LookupError, RecursionError) as error:
        # Besides its own errors PyYAML lets those of the conversions through (a date such as 2025-13-01, say).
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or (str(error) or type(error).__name__).splitlines()[0]
        problems.add(
            path,
            what,
            "YAML: key, colon, blank, value; the same indentation for keys of one section",
            row=mark.line + 1 if mark else None,
        )
        return None
    if not isinstance(content, dict):
        problems.add(path, "no keys at all", f"the keys {listed(model.model_fields, 20)}")
        return None
    return checked(content, model, str(path), problems)


def checked(content: Mapping[str, Any], model: type[Model], file: str, problems: Problems) -> Model | None:
    """Check a mapping against a model, or note every problem under the file's name and return None."""
    try:
        return model.model_validate(content)
    except pydantic.ValidationError as error:
        for detail in error.errors():
            field = ".".join(quoted(part)[1:-1] for part in detail["loc"])  # a key may hold a line feed
            kind = detail["type"]
            if kind == "extra_forbidden":
                known = _keys_at(model, detail["loc"][:-1])
                hint = suggestion(str(detail["loc"][-1]), known) or f"Known here: {listed(known, 20)}."
                problems.add(file, "an unknown key", "only known keys", hint, field=field)
            elif kind == "missing":
                problems.add(file, "no such key", "this key with a value", field=field)
            else:
                message = str(detail.get("ctx", {}).get("error", detail["msg"]))
                expected = message.removeprefix("Input should be ").removeprefix("Value error, ")
                # YAML reads no as false and 1.0 as a number, unless they stand between quotation marks.
                fix = "Put it between quotation marks." if kind == "string_type" else ""
                problems.add(file, quoted(detail["input"]), expected, fix, field=field)
        return None


def _keys_at(model: type[pydantic.BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The keys that the model knows at a place such as ("survey", "tiers") or ("rounds", "main", "items", 0)."""
    current: Any = model
    for part in place:
        if _is_model(current):
            field = current.model_fields.get(str(part))
            current = _plain(field.annotation) if field else None
        else:  # a mapping or list: the part is a key or number of it, and what follows is one of its values
            arguments = [a for a in get_args(current) if a is not Ellipsis]
            current = _plain(arguments[-1]) if arguments else None
    return list(current.model_fields) if _is_model(current) else []


def _plain(annotation: Any) -> Any:
    """The type below Annotated and Optional; of a choice of types the model, if there is one."""
    while get_origin(annotation) in (Annotated, Union, UnionType):
        choices = get_args(annotation)
        if get_origin(annotation) is Annotated:
            choices = choices[:1]
        models = [choice for choice in choices if _is_model(_plain(choice))]
        annotation = (models or [choice for choice in choices if choice is not type(None)])[0]
    return annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel)
