"""How much memory scoring a model takes, and how much there is."""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

#: Bytes of a parameter: float32; with a bfloat16 copy beside it; bfloat16 alone.
BYTES = {"float32": 4, "auto": 6, "bfloat16": 2}
#: Libraries, pairs and activations.
BASE_MEGABYTES = 1200
#: Of them, what is still to come when the weights are loaded.
TO_COME = 600 << 20


def memory_megabytes(parameters: int, precision: str) -> int:
    """Megabytes that a run takes at its peak, for a precision of the settings.

    Pages of the weight files that the system keeps mapped are not counted: it takes them back when memory is short.
    """
    return BASE_MEGABYTES + BYTES[precision] * parameters // 1_000_000


def stored_weights(files: list[Path]) -> tuple[int, torch.dtype]:
    """Number of parameters in weight files, and the type of most of them: float32, bfloat16 or float16.

    PyTorch's own files do not say so at their beginning: their size counts as float32, and so does a damaged file's,
    of which loading will have to say something.
    """
    import torch  # not above: the workflow reads this module for its figures alone
    from safetensors import safe_open

    halves = {"BF16": torch.bfloat16, "F16": torch.float16}  # the names that weight files give their types
    counts: Counter[torch.dtype] = Counter()
    for file in files:
        try:
            with safe_open(file, framework="pt") as opened:
                for name in opened.keys():  # noqa: SIM118 - no dictionary
                    tensor = opened.get_slice(name)
                    counts[halves.get(tensor.get_dtype(), torch.float32)] += math.prod(tensor.get_shape())
        except Exception:
            counts[torch.float32] += file.stat().st_size // 4
    return counts.total(), max(counts, key=lambda dtype: counts[dtype], default=torch.float32)


def available_bytes(device: torch.device, root: Path = Path("/")) -> int:
    """Memory that is free on a device; for the CPU, within the limits that a cluster's job or a container has.

    root: where `proc/` and `sys/` lie.
    """
    import psutil

    if device.type == "cuda":
        import torch

        return torch.cuda.mem_get_info(device)[0]
    free = [psutil.virtual_memory().available, *_control_groups(root)]
    megabytes = os.environ.get("SLURM_MEM_PER_NODE", "")
    if megabytes.isdecimal() and int(megabytes):  # Slurm can end a job that takes more even without a control group
        free.append((int(megabytes) << 20) - psutil.Process().memory_info().rss)
    return max(0, min(free))


def _control_groups(root: Path) -> list[int]:
    """What is left under the memory limit of this process's control group and each group above it."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    left = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":  # version 2
            top, limit, used, cache = root / "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            top, limit = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
            used, cache = "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        here = Path(path.lstrip("/"))
        for group in (here, *here.parents):
            try:
                most = (top / group / limit).read_text().strip()
                if most.isdecimal():
                    stat = dict(pair.split() for pair in (top / group / "memory.stat").read_text().splitlines())
                    left.append(int(most) - int((top / group / used).read_text()) + int(stat.get(cache, 0)))
            except (OSError, ValueError):
                continue
    return left
