"""Taking a language model apart: the layers that give hidden states, and the output layer above them.

Every model of the library runs its layers as one inner module and then applies the same output layer at each
position. A stand-in for the inner module that hands out given hidden states lets the model's own code compute
logits at chosen positions alone, whatever the architecture's output layer is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from transformers.activations import FastGELUActivation, NewGELUActivation
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions


class StandIn(nn.Module):
    """In the place of the inner module: passes calls on to it, or hands out the states it was given."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.given: torch.Tensor | None = None

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The inner module's output, or the states given."""
        if self.given is not None:
            return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=self.given)
        return self.inner(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        # Model code reaches for attributes of its inner module (embeddings, say): they are still there.
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("inner"), name)


def _inner_module(model: nn.Module, probe: torch.Tensor) -> tuple[nn.Module, str, nn.Module] | None:
    """Parent, name and module of the outermost inner module that the model calls for hidden states."""
    base = getattr(model, getattr(model, "base_model_prefix", ""), None)
    if not isinstance(base, nn.Module) or base is model:
        return None
    name = model.base_model_prefix  # type: ignore[union-attr]
    places = [(model, str(name), base), *((base, child, module) for child, module in base.named_children())]
    called: list[nn.Module] = []

    def note(module: nn.Module, _inputs: Any, output: Any) -> None:
        if getattr(output, "last_hidden_state", None) is not None:
            called.append(module)

    hooks = [module.register_forward_hook(note) for _, _, module in places]
    try:
        model(input_ids=probe)
    finally:
        for hook in hooks:
            hook.remove()
    return next((place for place in places if place[2] in called), None)


def fuse_activations(model: nn.Module) -> None:
    """Compute GELU by its tanh formula in one pass over memory; some model code takes eight for the same."""
    for module in model.modules():
        if isinstance(module, NewGELUActivation | FastGELUActivation):
            module.forward = partial(nn.functional.gelu, approximate="tanh")  # type: ignore[method-assign]


class OnePosition:
    """Lets the last layer run at one position per sequence, as soon as attention has brought the others in.

    What follows the last attention (its output projection, the feed-forward) treats each position alone, and a
    masked model is read at the mask alone. Which module of the last layer that begins at is found by trying
    them in the order of their calls: the first whose inputs can be narrowed without changing the states.
    """

    def __init__(self, layers: nn.Module, run: Callable[[torch.Tensor], torch.Tensor], probe: torch.Tensor) -> None:
        self._run = run
        self._shape = probe.shape
        self._places: torch.Tensor | None = None
        self.found = self._find(layers, probe)

    def __call__(self, ids: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """States at one place per sequence, shape (batch, width); for a module :attr:`found`."""
        self._shape, self._places = ids.shape, places
        try:
            return self._run(ids)[:, 0]
        finally:
            self._places = None

    def _narrow(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.ndim == 3 and value.shape[:2] == self._shape:
            assert self._places is not None
            # The last layer can lie on another device than the first.
            return value[torch.arange(len(value), device=value.device), self._places.to(value.device)][:, None]
        return value

    def _before(self, _module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._places is None:
            return None
        return tuple(map(self._narrow, args)), {name: self._narrow(value) for name, value in kwargs.items()}

    def _find(self, layers: nn.Module, probe: torch.Tensor) -> bool:
        stacks = [module for module in layers.modules() if isinstance(module, nn.ModuleList) and len(module)]
        if not stacks:
            return False
        called: list[nn.Module] = []
        parts = list(max(stacks, key=len)[-1].modules())
        hooks = [part.register_forward_pre_hook(lambda module, _: called.append(module)) for part in parts]
        try:
            whole = self._run(probe)[0]
        finally:
            for hook in hooks:
                hook.remove()
        ids, places = probe.repeat(2, 1), torch.tensor([0, probe.shape[1] - 1], device=probe.device)
        for part in called:
            hook = part.register_forward_pre_hook(self._before, with_kwargs=True)
            try:
                same = called.count(part) == 1 and torch.allclose(
                    self(ids, places), whole[places.to(whole.device)], 1e-5, 1e-5
                )
            except Exception:  # shapes that no longer fit: narrowed too early
                same = False
            if same:
                return True
            hook.remove()
        return False


class Parts:
    """A model in two parts, checked against the whole on a probe.

    `split` is False for a model that cannot be taken apart (or gives other logits when it is): then
    :meth:`hidden` gives logits at every position and :meth:`logits` hands them on.
    """

    def __init__(self, model: nn.Module, probe: torch.Tensor, masked: bool = False) -> None:
        self.model = model
        self.stand_in: StandIn | None = None
        self._one_position: OnePosition | None = None
        fuse_activations(model)
        with torch.inference_mode():
            whole = model(input_ids=probe).logits
            self.vocabulary = int(whole.shape[-1])
            place = _inner_module(model, probe)
            if place is not None:
                parent, name, inner = place
                self.stand_in = StandIn(inner)
                setattr(parent, name, self.stand_in)
                if not self._agrees(whole, probe):
                    setattr(parent, name, inner)
                    self.stand_in = None
            if masked and self.stand_in is not None:
                one = OnePosition(self.layers, self.hidden, probe)
                self._one_position = one if one.found else None

    def _agrees(self, whole: torch.Tensor, probe: torch.Tensor) -> bool:
        try:
            parts = self.logits(self.hidden(probe).flatten(0, 1)).view_as(whole)
        except Exception:  # an architecture that wants more of its inner module than hidden states
            return False
        return bool(torch.allclose(parts, whole, rtol=1e-4, atol=1e-4))

    @property
    def split(self) -> bool:
        """Whether the output layer can be applied at chosen positions alone."""
        return self.stand_in is not None

    @property
    def layers(self) -> nn.Module:
        """The module whose passes cost the time: the inner module, or the whole model."""
        return self.model if self.stand_in is None else self.stand_in.inner

    def run(self, **inputs: Any) -> Any:
        """The output object of one pass through :attr:`layers`."""
        return self.layers(**inputs)

    def hidden(self, ids: torch.Tensor) -> torch.Tensor:
        """Hidden states, shape (batch, length, width); logits in the place of states if not :attr:`split`."""
        return self.states(self.run(input_ids=ids))

    @property
    def narrows(self) -> bool:
        """Whether :meth:`hidden_at` saves most of the last layer."""
        return self._one_position is not None

    def hidden_at(self, ids: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """:meth:`hidden` at one place per sequence, shape (batch, width)."""
        if self._one_position is not None:
            return self._one_position(ids, places)
        states = self.hidden(ids)
        return states[torch.arange(len(ids), device=states.device), places.to(states.device)]

    def states(self, output: Any) -> torch.Tensor:
        """The states that :meth:`logits` takes, from an output object of :meth:`run`."""
        return output[0] if self.stand_in is not None else output.logits

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Logits, shape (n, vocabulary), at hidden states of shape (n, width)."""
        if self.stand_in is None:
            return states
        self.stand_in.given = states[None]
        try:
            ids = torch.zeros((1, len(states)), dtype=torch.long, device=states.device)
            return self.model(input_ids=ids).logits[0]
        finally:
            self.stand_in.given = None
