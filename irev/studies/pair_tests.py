"""The tests of all pairs of runs by which measures are said to tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from irev.errors import UsageError
from irev.statistics.discrimination import (
    discrimination,
    discrimination_by_hsd,
    discrimination_by_permutation,
)
from irev.statistics.draws import topic_draws
from irev.statistics.families import every_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irev.core.arrays import Floats
    from irev.statistics.discrimination import Discrimination

ALPHAS = (0.05, 0.01)

TESTS = {
    "bootstrap": "paired bootstrap test (Sakai 2006)",
    "rthsd": "randomised Tukey HSD",
    "permutation": "paired randomisation test, exact where it can be",
}
"""The tests of all pairs, by what the command line calls them."""


@dataclass(frozen=True)
class PairTest:
    """How all pairs of runs are tested.

    alphas     the levels of significance
    resamples  B, how many samples of the topics are drawn, or likewise of another test
    size       how many topics a sample has; 0: as many as there are
    seed       what is drawn depends on it
    kind       "bootstrap": the paired bootstrap test; "rthsd": the randomised Tukey HSD;
               "permutation": the paired randomisation test

    Raises:
        UsageError: no test is of this kind, or the size is not of samples.
    """

    alphas: Sequence[float] = ALPHAS
    resamples: int = 1000
    size: int = 0
    seed: int = 0
    kind: str = "bootstrap"

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.kind not in TESTS:
            raise UsageError(f"no test here is called {self.kind}: {', '.join(TESTS)}")
        if self.size and self.kind != "bootstrap":
            raise UsageError(f"a size of topic sets goes with the bootstrap test, not {self.kind}")

    @property
    def correction(self) -> str:
        """What is done about the number of pairs."""
        return "of the test itself" if self.kind == "rthsd" else "none"


def tester(test: PairTest, topics: int, runs: int) -> Callable[[Floats], Discrimination]:
    """What tests all pairs of runs under a measure, by the same draws for every measure."""
    family, alphas = every_pair(runs), test.alphas
    if test.kind == "bootstrap":
        samples = topic_draws(test.seed, test.resamples, topics, test.size)
        return lambda scores: discrimination(scores, family, samples, alphas)
    by = discrimination_by_hsd if test.kind == "rthsd" else discrimination_by_permutation
    return lambda scores: by(scores, family, alphas, test.resamples, test.seed)
