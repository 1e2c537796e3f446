"""Where the files that tests read lie."""

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_data"
CASES = ROOT / "tests" / "cases"

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
"""Whether the user may do anything; there is no such user on Windows."""
