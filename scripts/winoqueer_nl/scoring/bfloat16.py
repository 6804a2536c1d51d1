"""The layers' matrix products in bfloat16, all else in float32: half the error of a model cast as a whole."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D

Forward = Callable[[torch.Tensor], torch.Tensor]


def _stays_low(name: str, weight: torch.Tensor) -> bool:
    """Whether a layer's outputs may stay in bfloat16: those that a feed-forward's activation reads.

    The next product would round them anyway, so casting them back costs time and gains nothing. Queries, keys
    and values do gain from float32, and what joins the sum along the layers belongs to it.
    """
    within_a_layer = any(part.isdigit() for part in name.split("."))
    return within_a_layer and "att" not in name and weight.shape[0] > weight.shape[1]


def _linear(name: str, layer: nn.Module) -> Forward:
    """The same map with its matrix product in bfloat16; what goes in may be float32."""
    weight = layer.weight.detach().to(torch.bfloat16)  # type: ignore[operator]
    if isinstance(layer, Conv1D):
        weight = weight.t().contiguous()
    bias = None if layer.bias is None else layer.bias.detach().to(torch.bfloat16)  # type: ignore[operator]
    low = _stays_low(name, weight)

    def forward(x: torch.Tensor) -> torch.Tensor:
        y = nn.functional.linear(x.to(torch.bfloat16), weight, bias)
        return y if low else y.to(torch.float32)

    return forward


class Bfloat16:
    """Switches the matrix products of a module to bfloat16 and back; float32 weights stay as they are."""

    def __init__(self, layers: nn.Module) -> None:
        linear = {name: m for name, m in layers.named_modules() if type(m) in (nn.Linear, Conv1D)}
        self._forwards: dict[nn.Module, Forward] = {m: _linear(name, m) for name, m in linear.items()}

    def on(self) -> None:
        """Compute in bfloat16 from now on."""
        for layer, forward in self._forwards.items():
            layer.forward = forward  # type: ignore[method-assign]

    def off(self) -> None:
        """Compute in the weights' own precision again."""
        for layer in self._forwards:
            del layer.forward
