"""What measures see of judgments that are a sample: rankings, and how the sample was drawn.

Strata are parts of a topic's pool of which each was sampled at a rate of its own; inclusion
probabilities say for each judged document how likely it was to be judged.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.core.frozen import frozen
from irev.core.row_judged import RowJudged

MTC, STAT_AP, BOTH = 0, 1, 2
"""Why a document of a prels file was judged; 4 counts with statAP too."""
METHODS = (MTC, STAT_AP, BOTH, 4)


@frozen
class Strata:
    """The strata of all topics of the qrels, those of a topic in byte order of their names.

    start        int64[T+1], each topic's slice of the S strata
    names        S names
    of_row       int64[M], the stratum of each row of the qrels
    size         int64[S], how many documents of the pool are in it
    judged       int64[S], how many of them were judged
    level_start  int64[S+1], each stratum's slice of the two below
    level_grade  float64[], the grades >= 0 that occur in it, rising
    level_count  int64[], how many documents have that grade
    """

    start: Ints
    names: tuple[bytes, ...]
    of_row: Ints
    size: Ints
    judged: Ints
    level_start: Ints
    level_grade: Floats
    level_count: Ints

    @cached_property
    def topic(self) -> Ints:
        """int64[S]: the topic of each stratum."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def level_stratum(self) -> Ints:
        """int64[]: the stratum of each row of the grade table."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.level_start))

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that do not depend on a run, kept by what they are."""
        return {}


@frozen
class Inclusions:
    """How each judged document came to be judged; a document is a row of the qrels.

    topic        int64[M], the topic of each row
    grade        float64[M], below 0: not judged
    method       int64[M], one of `METHODS`
    probability  float64[M], with which it was to be judged; NaN: nobody said, it is left out
    """

    topic: Ints
    grade: Floats
    method: Ints
    probability: Floats

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Intermediate results that do not depend on a run, kept by what they are."""
        return {}


Sample = TypeVar("Sample", Strata, Inclusions)


@frozen
class SampledJudged(RowJudged, Generic[Sample]):
    """Rankings against a sample of judgments.

    sample   how the judgments of all topics were drawn
    """

    sample: Sample
