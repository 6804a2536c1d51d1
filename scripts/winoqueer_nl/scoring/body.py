"""Taking a language model apart: the layers that give hidden states, and the output layer above them.

Every model of the library runs its layers as one inner module and then applies the same output layer at each
position. A stand-in for the inner module that hands out given hidden states lets the model's own code compute
logits at chosen positions alone, whatever the architecture's output layer is made of.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
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


class Parts:
    """A model in two parts, checked against the whole on a probe.

    `split` is False for a model that cannot be taken apart (or gives other logits when it is): then
    :meth:`hidden` gives logits at every position and :meth:`logits` hands them on.
    """

    def __init__(self, model: nn.Module, probe: torch.Tensor) -> None:
        self.model = model
        self.stand_in: StandIn | None = None
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
