"""How a leaderboard is made: the choices that change what it says."""

from __future__ import annotations

from dataclasses import dataclass

from irev.statistics.methods import INTERVALS, TESTS, Settings, resamples_needed

CORRECTION = "holm"
"""What corrects the tests that are not corrected in themselves."""

TEST_NAMES = (*reversed(TESTS), "none")
INTERVAL_NAMES = (*INTERVALS, "none")


@dataclass(frozen=True)
class Rules:
    """The choices.

    by         the measure that orders the runs, however it is spelled; of several in one name, and
               of all where it is None, the first that has a mean
    test       what says which runs differ; of all pairs of runs, and corrected for all of them: one
               of `TEST_NAMES`
    interval   of the means: one of `INTERVAL_NAMES`
    alpha      the level of the test; intervals are of level 1 - alpha
    resamples  of tests that draw, at least, and of the bootstrap over topics
    seed       of all draws
    threads    how many work; never changes a result
    """

    by: str | None = None
    test: str = "rthsd-t"
    interval: str = "t"
    alpha: float = 0.05
    resamples: int = 10_000
    seed: int = 0
    threads: int = 1

    def drawn(self, pairs: int) -> int:
        """How many resamples the test of so many pairs draws; 0 if it draws none."""
        test = TESTS[self.test]
        if not test.draws or test.simultaneous:
            return self.resamples if test.draws else 0
        return max(self.resamples, resamples_needed(self.test, CORRECTION, pairs, self.alpha))

    def settings(self, resamples: int) -> Settings:
        """What a test or an interval that draws so many is to know."""
        return Settings(alpha=self.alpha, resamples=resamples, seed=self.seed, threads=self.threads)
