"""Calls as a type checker sees them; `make lint` reads this file, and nobody runs it.

Each wrong call must be found: where mypy finds nothing, it complains of an unused `type: ignore`.
"""

from typing import assert_type

import irev

irev.gate("q", "r", mni={"map": 0.3})  # type: ignore[call-arg]
irev.gate("q", "r", min={"map": 0.3}, tolerance="x")  # type: ignore[arg-type]
assert_type(irev.gate("q", "r", min={"map": 0.3}).passed, bool)

irev.compare("q", "r", tests=["tt"])  # type: ignore[list-item]
irev.leaderboard("q", "r", test="tt")  # type: ignore[arg-type]
irev.studies.discriminative_power("q", "r", test="tt")  # type: ignore[arg-type]
irev.plots.median("q", "r", "map", level="high")  # type: ignore[arg-type]
irev.evaluate("q", "r", ties="random")  # type: ignore[call-overload]
irev.check("a", "b", "c", profile="lax")  # type: ignore[arg-type]
irev.check("a", "b", "c", profile="strict", columns={"topic": "q"})
irev.compare("q", "r", "map", tests="t", grade_map={2: 1}, options=irev.Options(level=2))
irev.Options(level="high")  # type: ignore[arg-type]

assert_type(irev.evaluate("q", {"t": {"d": 1.0}}, "map", level=2), irev.Scores)
assert_type(irev.evaluate("q", ["r", "s"], "map"), irev.ScoreTable)
assert_type(irev.compare("q", ["r", "s"]), irev.Comparison)
assert_type(irev.compare("q", ["r", "s"], predicted="p"), irev.PredictedComparison)
assert_type(irev.plots.median("q", "r", "map"), irev.plots.Plot)
