"""The layers' matrix products in bfloat16, all else in float32: half the error of a model cast as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

Forward = Callable[[torch.Tensor], torch.Tensor]


def _widths(layer: nn.Module) -> tuple[int, int]:
    """How many numbers a layer reads and writes."""
    rows, columns = layer.weight.shape  # type: ignore[union-attr, misc]
    return (rows, columns) if isinstance(layer, Conv1D) else (columns, rows)


def _stay_low(linear: dict[str, nn.Module]) -> set[str]:
    """The layers whose outputs may stay in bfloat16: those that a plain feed-forward's activation reads.

    The next product would round them anyway, so casting them back costs time and gains nothing. All others gain
    from float32: queries, keys and values; what joins the sum along the layers; the two factors of a gated
    feed-forward, where more layers write the inner width than read it (or it is written twice as wide).
    """
    inside = [name for name in linear if "att" not in name and any(part.isdigit() for part in name.split("."))]
    widths = {name: _widths(linear[name]) for name in inside}
    read = Counter(into for into, _ in widths.values())
    written = Counter(out for _, out in widths.values())
    return {name for name, (into, out) in widths.items() if out > into and read[out] == written[out]}


def _linear(layer: nn.Module, low: bool) -> Forward:
    """The same map with its matrix product in bfloat16; what comes out is float32 unless `low`."""
    weight = layer.weight.detach().to(torch.bfloat16)  # type: ignore[operator]
    if isinstance(layer, Conv1D):
        weight = weight.t().contiguous()
    bias = None if layer.bias is None else layer.bias.detach().to(torch.bfloat16)  # type: ignore[operator]

    def forward(x: torch.Tensor) -> torch.Tensor:
        y = nn.functional.linear(x.to(torch.bfloat16), weight, bias)
        return y if low else y.to(torch.float32)

    return forward


class Bfloat16:
    """Switches the matrix products of a module to bfloat16 and back; float32 weights stay as they are."""

    def __init__(self, layers: nn.Module) -> None:
        linear = {name: m for name, m in layers.named_modules() if type(m) in (nn.Linear, Conv1D)}
        low = _stay_low(linear)
        self._forwards: dict[nn.Module, Forward] = {m: _linear(m, name in low) for name, m in linear.items()}

    def on(self) -> None:
        """Compute in bfloat16 from now on."""
        for layer, forward in self._forwards.items():
            layer.forward = forward  # type: ignore[method-assign]

    def off(self) -> None:
        """Compute in the weights' own precision again."""
        for layer in self._forwards:
            del layer.forward
