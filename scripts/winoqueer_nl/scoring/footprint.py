"""How much memory scoring a model takes."""

from __future__ import annotations

#: Bytes of a parameter: float32, a bfloat16 copy beside it, or bfloat16 alone.
BYTES = {"float32": 4, "auto": 6, "bfloat16": 2}
#: Libraries, pairs and activations.
BASE_MEGABYTES = 1200


def memory_megabytes(parameters: int, precision: str) -> int:
    """Megabytes that a run takes at its peak, for a precision of the settings."""
    return BASE_MEGABYTES + BYTES[precision] * parameters // 1_000_000
