"""The output layer, from hidden states to logits: for many models a third of all arithmetic."""

from __future__ import annotations

import torch
from torch import nn

#: Rows of the vocabulary multiplied at a time on a CPU: in float32 a whole one of a size that is no multiple of
#: 16 (50,257, say) takes a fifth longer.
BLOCK = 2048


class OutputLayer:
    """Stands in for the forward of a model's output layer, in the precision of its weights or in bfloat16.

    In bfloat16 the logits of the tokens that are scored stay exact. A logit in bfloat16 is off by up to 0.4 %.
    In the sum over the vocabulary that evens out, in the one logit that is scored it would not.
    """

    def __init__(self, layer: nn.Linear) -> None:
        self.layer = layer
        self._low: torch.Tensor | None = None
        self.lines = self.targets = torch.zeros(0, dtype=torch.long)
        layer.forward = self.forward  # type: ignore[method-assign, assignment]

    def use_bfloat16(self, low: bool) -> None:
        """Compute in bfloat16 from now on, or in the weights' own precision again."""
        self._low = self.layer.weight.detach().to(torch.bfloat16) if low else None

    def scored(self, lines: torch.Tensor, targets: torch.Tensor) -> None:
        """Say what is scored in the next call: the tokens `targets`, at the states number `lines`."""
        self.lines, self.targets = lines, targets

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits of shape (..., vocabulary) at states of shape (..., width)."""
        states, bias = x.flatten(0, -2), self.layer.bias
        if self._low is None:
            logits = _product(states, self.layer.weight, x.dtype)
        else:
            logits = _product(states.to(torch.bfloat16), self._low, x.dtype)
            exact = (states[self.lines] * self.layer.weight[self.targets]).sum(-1)
            logits[self.lines, self.targets] = exact
        if bias is not None:
            logits += bias
        return logits.view(*x.shape[:-1], -1)


def _product(states: torch.Tensor, weight: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """states (n, width) times weight (vocabulary, width), shape (n, vocabulary), as `dtype`."""
    if states.device.type != "cpu":
        return nn.functional.linear(states, weight).to(dtype)
    out = torch.empty((len(states), len(weight)), dtype=dtype)
    for first in range(0, len(weight), BLOCK):
        rows = weight[first : first + BLOCK]
        part = out[:, first : first + BLOCK]
        if states.dtype == dtype:
            torch.mm(states, rows.t(), out=part)
        else:
            part.copy_(nn.functional.linear(states, rows))
    return out
