"""Calls as a type checker sees them; `make lint` reads this file, and nobody runs it.

Each wrong call must be found: where mypy finds nothing, it complains of an unused `type: ignore`.
"""

from typing import assert_type

import irev

irev.gate("q", "r", mni={"map": 0.3})  # type: ignore[call-arg]
irev.gate("q", "r", min={"map": 0.3}, tolerance="x")  # type: ignore[arg-type]
assert_type(irev.gate("q", "r", min={"map": 0.3}).passed, bool)
