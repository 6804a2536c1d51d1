"""Passes through the model: hidden states in, log-probabilities out, in one of three precisions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

import numpy as np
import torch
from transformers import DynamicCache

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.scoring.bfloat16 import Bfloat16
from winoqueer_nl.scoring.body import Parts
from winoqueer_nl.scoring.output import OutputLayer
from winoqueer_nl.scoring.placing import device_of
from winoqueer_nl.scoring.widening import Widening

Result = TypeVar("Result")

#: Logits held at a time, in numbers: 64 MB in float32, whatever the vocabulary.
MOST_LOGITS = 1 << 24
#: Token positions in a batch. On a CPU larger ones gain nothing and leave the cache; a GPU wants more.
BUDGET = {"cpu": 2048, "cuda": 32768, "mps": 8192}


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on any device."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("not enough memory" in text or "out of memory" in text)


class Engine:
    """A loaded model behind a small interface; see the methods.

    Parameters
    ----------
    model: a masked or causal model in evaluation mode, float32, on its device; or see `widening`.
    name: how to call it in messages.
    causal: whether shared beginnings may be asked for.
    probe: token ids of a real sentence, for checks that need a pass.
    budget: token positions in a batch; by default what suits the device.
    widening: of a model whose weights are held in fewer bits or in several places.

    Attributes
    ----------
    shares_beginnings: whether :meth:`hidden_after` gives what a whole pass gives (checked on the probe).
    """

    def __init__(
        self,
        model: Any,
        name: str,
        causal: bool,
        probe: list[int],
        budget: int | None = None,
        widening: Widening | None = None,
    ) -> None:
        self.name = name
        self.device = device_of(model)
        self.budget = budget or BUDGET.get(self.device.type, 2048)
        self.precision = "float32"
        self.parameters = sum(p.numel() for p in model.parameters())
        self._model, self._causal = model, causal
        self._low: Bfloat16 | None = None
        self._widening = widening
        self._double: Widening | None = None
        ids = torch.tensor([probe], device=self.device)
        self.parts = Parts(model, ids, masked=not causal)
        self._output: OutputLayer | None = None
        if widening is not None:
            widening.products_of(self.parts.layers)
        elif self.parts.split and type(model.get_output_embeddings()) is torch.nn.Linear:
            self._output = OutputLayer(model.get_output_embeddings())
        # The argument that holds keys and values has two names across the library's versions.
        named = inspect.signature(self.parts.layers.forward).parameters
        self._cache = "cache" if "cache" in named else "past_key_values"
        if causal:
            model.config.use_cache = False  # keys and values are kept only where they are asked for
        self.shares_beginnings = causal and self._can_share(ids)

    # Precision ------------------------------------------------------------------------------------------

    def use(self, precision: str) -> None:
        """Compute in `float32`, `bfloat16` or `float64` from now on.

        In bfloat16 only the matrix products are; see :mod:`winoqueer_nl.scoring.bfloat16` for the layers and
        :mod:`winoqueer_nl.scoring.output` for the output layer.
        """
        if precision == self.precision:
            return
        if self._widening is not None:
            self._widening.use(precision)
            self.precision = precision
            return
        if self.precision == "bfloat16" and self._low is not None:
            self._low.off()
        if precision == "float64":
            self._low = None
            self._double = Widening(self._model)
            self._double.use("float64")
        elif self._double is not None:
            self._double.off()
            self._double = None
        if precision == "bfloat16":
            if self._low is None:
                self._low = Bfloat16(self.parts.layers)
            self._low.on()
        if self._output is not None and self._causal:
            # A masked model's output layer runs at one position in ten or so: there it would save little.
            self._output.use_bfloat16(precision == "bfloat16")
        self.precision = precision

    def has_fast_bfloat16(self) -> bool:
        """Whether this device multiplies bfloat16 matrices in hardware."""
        if self.device.type == "cuda":
            return torch.cuda.is_bf16_supported(including_emulation=False)
        if self.device.type == "cpu":
            able = torch.cpu.get_capabilities()
            return bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))
        return False

    # Passes ---------------------------------------------------------------------------------------------

    def hidden(self, ids: torch.Tensor) -> torch.Tensor:
        """Hidden states of a batch of equal lengths; ids of shape (batch, length)."""
        with torch.inference_mode():
            return self.parts.hidden(ids.to(self.device))

    def hidden_at(self, ids: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Hidden states at one place of each sequence; ids of shape (batch, length), places (batch,)."""
        with torch.inference_mode():
            return self.parts.hidden_at(ids.to(self.device), places.to(self.device))

    def hidden_and_cache(self, ids: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """Hidden states, and the keys and values that :meth:`hidden_after` continues from."""
        with torch.inference_mode():
            output = self.parts.run(input_ids=ids.to(self.device), use_cache=True)
            return self.parts.states(output), getattr(output, self._cache)

    def hidden_after(self, cache: Any, lines: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Hidden states of `ids` (batch, length), each continuing the beginning at `lines` of `cache`."""
        with torch.inference_mode():
            # Each layer's keys lie where the layer does: a model can be spread over several devices.
            placed = [(layer, lines.to(layer.keys.device)) for layer in cache.layers]
            data = [(layer.keys[at], layer.values[at]) for layer, at in placed]
            copy = DynamicCache(data, config=self._model.config)
            output = self.parts.run(input_ids=ids.to(self.device), use_cache=True, **{self._cache: copy})
            return self.parts.states(output)

    def _can_share(self, ids: torch.Tensor) -> bool:
        half = ids.shape[1] // 2
        if half == 0:
            return False
        try:
            whole = self.hidden(ids)[:, half:]
            _, cache = self.hidden_and_cache(ids[:, :half])
            continued = self.hidden_after(cache, torch.tensor([0]), ids[:, half:])
        except Exception:  # a model without such a cache (state-space layers, say): it is scored sentence by sentence
            return False
        return bool(torch.allclose(whole, continued, rtol=1e-4, atol=1e-4))

    def log_probabilities(self, states: torch.Tensor, of_line: torch.Tensor, targets: torch.Tensor) -> np.ndarray:
        """Log-probabilities (natural log, float64), one per target.

        states: shape (lines, width). of_line: line of each target, ascending or not. targets: token ids.
        The output layer runs over chunks of lines, so that all logits are never held at once.
        """
        once = self._widening.once() if self._widening is not None else nullcontext()
        with torch.inference_mode(), once:
            of_line, targets = of_line.to(states.device), targets.to(states.device)
            out = torch.empty(len(targets), dtype=torch.float64, device=states.device)
            # An output layer that is read from disk for each chunk wants fewer of them.
            most = MOST_LOGITS if self._widening is None else 4 * MOST_LOGITS
            step = max(1, most // self.parts.vocabulary)
            for first in range(0, len(states), step):
                here = torch.nonzero((of_line >= first) & (of_line < first + step)).squeeze(1)
                lines = of_line[here] - first
                if self._output is not None:
                    self._output.scored(lines, targets[here])
                logits = self.parts.logits(states[first : first + step])
                logits = logits if logits.dtype == torch.float64 else logits.float()
                # One fused pass over the vocabulary: on a CPU six times as fast as logsumexp.
                out[here] = torch.log_softmax(logits, dim=-1)[lines, targets[here]].double()
            return out.cpu().numpy()

    def patiently(self, work: Callable[[int], Result]) -> Result:
        """Call `work(budget)`; when memory runs out, halve the budget and try again.

        Raises :class:`InputError` when a batch of one token does not fit either.
        """
        while True:
            try:
                return work(self.budget)
            except (RuntimeError, MemoryError) as error:
                if not out_of_memory(error):
                    raise
                if self.budget <= 1:
                    message = f"no memory left on {self.device} for a single sentence"
                    fix = "Use a smaller model, another --device, or free some memory."
                    raise InputError([Problem(self.name, message, "a model that fits", fix)]) from error
            self.budget //= 2
            if self.device.type == "cuda":
                torch.cuda.empty_cache()
