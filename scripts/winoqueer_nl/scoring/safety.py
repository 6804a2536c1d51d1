"""What a model's folder may not ask for: other people's program code, other folders' files, other programs' formats.

The library is told to run no code of a folder. Three things it would still do when a package happens to be installed
are found here before it looks: compiled attention code fetched from the Hub, adapters, and quantised weights.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from winoqueer_nl.problems import InputError, Problem, quoted

_OWN_CODE = "Code that a model brings or names is never run here."


def check_folder(folder: Path, name: str) -> None:
    """Look at a model's folder before the library does.

    Raises
    ------
    InputError
        for an adapter or quantised weights, attention code named in the configuration, and an index of weights that
        leads out of the folder. Files that cannot be read are left to the library's own message.
    """
    if (folder / "adapter_config.json").exists():
        raise InputError([
            Problem(name, "an adapter (adapter_config.json)", "a whole model", "Merge it into its model and save that.")
        ])  # fmt: skip
    config = _read(folder / "config.json")
    if isinstance(config, dict) and config.get("quantization_config"):
        raise InputError([
            Problem(name, "quantised weights (quantization_config)", "weights in float32, bfloat16 or float16",
                    "Name the model that they were made from.")
        ])  # fmt: skip
    for wanted in _attention(config):
        if "/" in str(wanted):
            problem = Problem(f"{name}, config.json", f"attention code {quoted(wanted)}", "none", _OWN_CODE)
            raise InputError([problem])
    for index in sorted(folder.glob("*.index.json")):
        content = _read(index)
        files = content.get("weight_map") if isinstance(content, dict) else None
        for file in sorted({str(file) for file in files.values()} if isinstance(files, dict) else ()):
            if Path(file).name != file or file in (".", ".."):
                problem = Problem(
                    f"{name}, {index.name}", f"the file {quoted(file)}", "files of the model's own folder"
                )
                raise InputError([problem])


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _attention(config: Any) -> Iterator[object]:
    """Every value that names an attention implementation, in the configuration and in those it holds."""
    if isinstance(config, dict):
        for key, value in config.items():
            if str(key).endswith("attn_implementation"):
                yield from value.values() if isinstance(value, dict) else [value]
            else:
                yield from _attention(value)
