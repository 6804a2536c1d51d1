from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test may reach for the network
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
sys.path.insert(0, str(Path(__file__).parent))

import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)  # tiny matrices: a second thread costs more than it brings


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    import scoring_build as build

    path = tmp_path / "pairs.parquet"
    build.made_up_pairs().to_parquet(path)
    return path
