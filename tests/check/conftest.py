"""Makes the helpers of this folder importable under a name that no other folder has."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tests_check_helpers import context  # noqa: F401
