"""Weights that are held in fewer bits than they are computed in, or in another place than they are used.

Each module's own weights are widened while it runs and let go when it has run, so that a model held in 16 bits
computes exactly what it would in float32, or in float64, with one module's weights more in memory.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch
from torch import nn
from transformers.pytorch_utils import Conv1D


def restore_buffers(model: Any) -> None:
    """Compute anew, in float32, what a model's code computes for itself (scales, frequencies).

    A model loaded in 16 bits has them rounded. Its files do not hold them.
    """
    from accelerate import init_empty_weights

    config = copy.deepcopy(model.config)
    config.dtype = torch.float32
    with init_empty_weights():
        exact = type(model)(config)
    stored = model.state_dict().keys()
    for name, value in exact.named_buffers():
        if name not in stored and value.is_floating_point():
            parent, _, own = name.rpartition(".")
            module = model.get_submodule(parent)
            module._buffers[own] = value.to(module._buffers[own].device)


class Widening:
    """Decides what a model computes in, whatever its weights are held in; see :meth:`use`.

    model: any model, also one that accelerate has spread over devices and disk.
    """

    def __init__(self, model: nn.Module) -> None:
        self._products: set[nn.Module] = set()
        self._precision = "float32"
        self._kept: dict[nn.Module, dict[str, torch.Tensor]] | None = None
        self._undo: list[Callable[[], None]] = []
        for module in model.modules():
            if any(p is not None and p.is_floating_point() for p in module._parameters.values()):
                self._wrap(module)

    def products_of(self, layers: nn.Module) -> None:
        """Say which module's matrix products are in bfloat16 when that is used: the one that gives hidden states."""
        self._products = {m for m in layers.modules() if type(m) in (nn.Linear, Conv1D)}

    def use(self, precision: str) -> None:
        """Compute in `float32`, `float64`, or `bfloat16` (the products of :meth:`products_of`, all else in float32)."""
        self._precision = precision

    @contextmanager
    def once(self) -> Iterator[None]:
        """Within, keep what is widened: for a part that runs many times in a row (the output layer, by chunks)."""
        self._kept = {}
        try:
            yield
        finally:
            self._kept = None

    def off(self) -> None:
        """Leave the model as it was."""
        while self._undo:
            self._undo.pop()()

    def _wrap(self, module: nn.Module) -> None:
        # Where accelerate brings a module's weights from elsewhere, that comes first: inside it, they are there.
        name = "_old_forward" if "_old_forward" in vars(module) else "forward"
        before, inner = vars(module).get(name), getattr(module, name)

        @wraps(inner)
        def forward(*args: Any, **kwargs: Any) -> Any:
            low = self._precision == "bfloat16" and module in self._products
            wide = torch.float64 if self._precision == "float64" else torch.float32
            held = {n: p for n, p in module._parameters.items() if p is not None and p.is_floating_point()}
            kept = self._kept.get(module) if self._kept is not None else None
            widened = kept or {n: p.to(torch.bfloat16 if low else wide) for n, p in held.items()}
            if self._kept is not None:
                self._kept[module] = widened
            try:
                module._parameters.update(widened)  # type: ignore[arg-type]
                if low:
                    return inner(args[0].to(torch.bfloat16), *args[1:], **kwargs).to(torch.float32)
                return inner(*args, **kwargs)
            finally:
                module._parameters.update(held)

        setattr(module, name, forward)

        def undo() -> None:
            if before is None:
                delattr(module, name)
            else:
                setattr(module, name, before)

        self._undo.append(undo)
