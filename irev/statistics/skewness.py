"""Whether differences are so skewed that tests of their means reject too often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import ratio
from irev.core.wording import every
from irev.statistics.differences import in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Floats
    from irev.statistics.differences import Family

FEW_TOPICS = 100
"""With as many topics as this, or more, the tests were seen to hold (docs/statistics.md)."""

FEW_PAIRS = 3
"""The skewness of fewer pairs says little."""

SKEWED = 0.6
"""Normal differences have a mean |skewness| of 0.45 on 10 topics and 0.25 on 50; those of runs of
TREC-8 have 0.7 and 0.8."""


def mean_skewness(scores: Floats, family: Family) -> float:
    """The mean over pairs of |skewness| of the differences; 0 of a pair that does not vary.

    Skewness is m3 / m2^1.5, m2 and m3 being the second and third central moments.
    """
    total = 0.0
    for _, block in in_blocks(scores, family):
        centred = block - block.mean(axis=1, keepdims=True)
        square, cube = (centred**2).mean(axis=1), (centred**3).mean(axis=1)
        total += float(np.abs(ratio(cube, square**1.5)).sum())
    return total / len(family)


def about_skewness(scores: Floats, family: Family, names: Sequence[str]) -> Iterator[str]:
    """What to tell of the tests of these names, if topics are few and differences skewed."""
    topics = len(scores)
    if not names or topics >= FEW_TOPICS or len(family) < FEW_PAIRS:
        return
    skewness = mean_skewness(scores, family)
    if skewness > SKEWED:
        yield (
            f"the differences of runs are skewed (mean absolute skewness {skewness:.2f}): with "
            f"{topics} topics {every(names)} may reject too often, --test bootstrap less often"
        )
