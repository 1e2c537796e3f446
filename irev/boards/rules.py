"""How a leaderboard is made: the choices that change what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Test: TypeAlias = Literal["rthsd-t", "rthsd", "hsd", "t", "none"]
Interval: TypeAlias = Literal["t", "percentile", "none"]

TEST_NAMES: dict[str, str] = {
    "rthsd-t": "studentised randomised Tukey HSD (irev's own)",
    "rthsd": "randomised Tukey HSD",
    "hsd": "Tukey HSD for paired topics",
    "t": "paired t tests with Holm's correction",
}


@dataclass(frozen=True)
class Rules:
    """The choices.

    by         the measure that orders the runs, however it is spelled; of several in one name, and
               of all where it is None, the first that has a mean
    test       what says which runs differ; of all pairs of runs, and corrected for all of them
    interval   of the means: t, or percentiles of the means under the bootstrap
    alpha      the level of the test; intervals are of level 1 - alpha
    resamples  of the randomised tests, and of the bootstrap over topics
    seed       of all draws
    threads    how many work; never changes a result
    """

    by: str | None = None
    test: Test = "rthsd-t"
    interval: Interval = "t"
    alpha: float = 0.05
    resamples: int = 10_000
    seed: int = 0
    threads: int = 1
