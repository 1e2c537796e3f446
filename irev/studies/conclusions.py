"""Which conclusions about pairs of runs two criteria share, and which they do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats
from irev.errors import UsageError
from irev.statistics.concordance import CONCLUSIONS, conclusions
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.differences import check
from irev.statistics.families import every_pair
from irev.statistics.paired import paired_t

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from irev.studies.criteria import Criterion

SHORT = ("AA", "AD", "PA", "PD", "neither")
"""The kinds of `concordance.CONCLUSIONS`, as the field writes them."""


@dataclass(frozen=True)
class Significance:
    """What is called significant: the paired t test, two-sided, corrected over all pairs of runs.

    Raises:
        UsageError: alpha is not between 0 and 1, or the correction has no such name.
    """

    alpha: float = 0.05
    correction: str = "holm"

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha lies between 0 and 1, not at {self.alpha:g}")
        if self.correction not in ("none", *CORRECTIONS):
            known = ", ".join(["none", *CORRECTIONS])
            raise UsageError(f"no correction is called {self.correction}: {known}")

    def said(self, topics: int, runs: int) -> str:
        """The test, as a reader must know it."""
        pairs = runs * (runs - 1) // 2
        return (
            f"significant: paired t test, two-sided, n={topics} topics, alpha={self.alpha:g}, "
            f"family of {pairs} pairs of runs, correction: {self.correction}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Verdicts:
    """What a criterion says of all P pairs of S runs, in the order of `families.every_pair`.

    difference   float64[P], of the means, positive where the first run is better
    p            float64[P], corrected
    significant  bool[P]
    """

    difference: Floats
    p: Floats
    significant: Bools


def verdicts(criterion: Criterion, how: Significance) -> Verdicts:
    """Test all pairs of runs under one criterion.

    Raises:
        UsageError: there are fewer than two topics.
        MissingExtraError: scipy is not installed.
    """
    check(criterion.scores)
    tested = paired_t(criterion.merit, every_pair(criterion.scores.shape[1]))
    p = tested.p if how.correction == "none" else CORRECTIONS[how.correction](tested.p)
    # a difference that is mere rounding is none, and p is 1 then
    difference = np.where(tested.identical, 0.0, tested.mean)
    return Verdicts(difference, p, p <= how.alpha)


def counts_of(first: Verdicts, second: Verdicts) -> dict[str, int]:
    """How many pairs of runs there are of each kind, by `SHORT`."""
    found = conclusions(
        (first.difference, second.difference), (first.significant, second.significant)
    )
    return dict(zip(SHORT, found.counts.values(), strict=True))


def pairs_table(names: Sequence[str], first: Verdicts, second: Verdicts) -> pd.DataFrame:
    """A line for each pair of runs: what either criterion says, and how that goes together.

    Columns: run, other, difference, p, new difference, new p, conclusions.
    """
    import pandas as pd

    family = every_pair(len(names))
    found = conclusions(
        (first.difference, second.difference), (first.significant, second.significant)
    )
    return pd.DataFrame(
        {
            "run": [names[number] for number in family.first.tolist()],
            "other": [names[number] for number in family.second.tolist()],
            "difference": first.difference,
            "p": first.p,
            "new difference": second.difference,
            "new p": second.p,
            "conclusions": [CONCLUSIONS[kind] for kind in found.kind.tolist()],
        }
    )
