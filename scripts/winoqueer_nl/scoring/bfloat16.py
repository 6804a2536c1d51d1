"""The model's matrix products in bfloat16, everything else in float32: half the error of a model cast as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


class OutputLayer:
    """The output layer in bfloat16, but for the logits of the tokens that are scored: those are exact.

    A logit in bfloat16 is off by up to 0.2 %. In the sum over the vocabulary that evens out, in the one logit
    that is scored it would not.
    """

    def __init__(self, layer: nn.Linear) -> None:
        self.layer = layer
        self.weight = layer.weight.detach().to(torch.bfloat16)
        self.lines = self.targets = torch.zeros(0, dtype=torch.long)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Logits in float32, shape (..., vocabulary)."""
        states = x.flatten(0, -2)
        logits = nn.functional.linear(states.to(torch.bfloat16), self.weight).to(torch.float32)
        chosen = (states[self.lines] * self.layer.weight[self.targets]).sum(-1)
        if self.layer.bias is not None:
            logits += self.layer.bias
            chosen += self.layer.bias[self.targets]
        logits[self.lines, self.targets] = chosen
        return logits.view(*x.shape[:-1], -1)


class Bfloat16:
    """Switches a model's matrix products to bfloat16 and back; float32 weights stay as they are.

    layers: the module that gives hidden states. output: the module above them, if the two can be told apart.
    """

    def __init__(self, layers: nn.Module, output: Any) -> None:
        linear = {name: m for name, m in layers.named_modules() if type(m) in (nn.Linear, Conv1D)}
        self._forwards: dict[nn.Module, Forward] = {m: _linear(name, m) for name, m in linear.items()}
        self.output = OutputLayer(output) if type(output) is nn.Linear and output not in self._forwards else None
        if self.output is not None:
            self._forwards[self.output.layer] = self.output

    def on(self) -> None:
        """Compute in bfloat16 from now on."""
        for layer, forward in self._forwards.items():
            layer.forward = forward  # type: ignore[method-assign]

    def scored(self, lines: torch.Tensor, targets: torch.Tensor) -> None:
        """Say which tokens are scored in the next pass through the output layer: `targets` at `lines`."""
        if self.output is not None:
            self.output.lines, self.output.targets = lines, targets

    def off(self) -> None:
        """Compute in the weights' own precision again."""
        for layer in self._forwards:
            del layer.forward
