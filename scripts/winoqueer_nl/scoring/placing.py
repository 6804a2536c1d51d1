"""In which type and in which place a model's weights are held, by what there is room for."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.scoring.footprint import BYTES, TO_COME, available_bytes, stored_weights

#: The device setting for a model that no single device holds.
SPREAD = "spread"
#: Share of a device's free memory, and bytes, that weights leave to activations and widened modules.
FREE_SHARE, FREE_BYTES = 0.1, 1 << 30


@dataclass(frozen=True)
class Placing:
    """How weights are held.

    dtype: their type. widened: they are computed in more bits than they are held in, or lie in several places.
    rounded: they are held in fewer bits than the files have, which no setting asked for. options: further
    arguments of `from_pretrained`. offload: a folder for weights that stay on disk in another form than in their files.
    """

    dtype: torch.dtype = torch.float32
    widened: bool = False
    rounded: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    offload: tempfile.TemporaryDirectory[str] | None = None

    @property
    def name(self) -> str:
        """What the summary calls it."""
        return str(self.dtype).removeprefix("torch.") + (", rounded" if self.rounded else "")


def place(name: str, files: list[Path], precision: str, device: torch.device | None) -> Placing:
    """Choose how the weights in `files` are held for a run in `precision`; device: None to spread them.

    float32 with room for bfloat16 copies, else without, else as stored (16 bits are widened to float32 without
    loss), else, for auto alone, rounded to bfloat16. Raises :class:`InputError` where none of these has room.
    """
    parameters, stored = stored_weights(files)
    low = precision == "bfloat16"
    exact = torch.bfloat16 if low else stored
    if device is None:
        offload = tempfile.TemporaryDirectory(prefix="winoqueer-nl-offload-")
        return Placing(exact, widened=True, options={**_spread(), "offload_folder": offload.name}, offload=offload)
    room = available_bytes(device)
    if low:
        placing = Placing(torch.bfloat16, widened=True)
    elif BYTES[precision] * parameters + TO_COME <= room:
        return Placing()
    elif BYTES["float32"] * parameters + TO_COME <= room:
        return Placing(widened=True)
    elif stored != torch.float32:
        placing = Placing(stored, widened=True)
    elif precision == "auto":
        placing = Placing(torch.bfloat16, widened=True, rounded=True)
    else:
        placing = Placing()
    if placing.dtype.itemsize * parameters > room:
        raise no_room(name, placing.dtype.itemsize * parameters, room, device)
    return placing


def no_room(name: str, wanted: int, room: int, device: torch.device) -> InputError:
    """The message where weights of so many bytes do not fit."""
    return InputError([
        Problem(
            name, f"not enough memory for the model: {wanted / 1e9:.1f} GB of weights, {room / 1e9:.1f} GB on {device}",
            "room for its weights",
            "Use --device spread (all GPUs, then memory, then disk), --precision auto, or a smaller model.",
        )
    ])  # fmt: skip


def _spread() -> dict[str, Any]:
    most: dict[int | str, int] = {}
    for number in range(torch.cuda.device_count()):
        most[number] = _usable(available_bytes(torch.device("cuda", number)))
    most["cpu"] = _usable(available_bytes(torch.device("cpu")))
    return {"device_map": "auto", "max_memory": most}


def _usable(free: int) -> int:
    return max(0, int(free * (1 - FREE_SHARE)) - FREE_BYTES)


def where_from(model: Any) -> dict[str, int] | None:
    """How many of a spread model's modules lie where (`cuda:0`, `cpu`, `disk`); None for a model in one place."""
    places = getattr(model, "hf_device_map", None) or {}
    counts: dict[str, int] = {}
    for at in places.values():
        key = f"cuda:{at}" if isinstance(at, int) else str(at)
        counts[key] = counts.get(key, 0) + 1
    return counts or None


def device_of(model: Any) -> torch.device:
    """The device that takes a model's inputs: of its weights, or of the first GPU among those it is spread over."""
    places = list((getattr(model, "hf_device_map", None) or {}).values())
    if not places:
        return next(model.parameters()).device
    computing = [at for at in places if at not in ("cpu", "disk")]
    return torch.device(computing[0]) if computing else torch.device("cpu")


def device_name(device: torch.device) -> str:
    """What a device is called in reports: `cpu`, or a GPU's make."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
