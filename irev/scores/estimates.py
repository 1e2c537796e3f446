"""How the scores of a run were estimated from a sample of the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, segment_sums
from irev.core.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence


@record
class RunEstimates:
    """The two judges behind the scores of a run: people on a sample of documents, a model on all.

    topics            T ids: all topics of the judgments, in byte order
    columns           the printed names of C measures
    weights           float64[C], lambda: how much the model counts; one for all runs
    values            float64[C, T], the estimates
    people            float64[C, T], the same by people's judgments alone
    model             float64[C, T], by the model's alone
    variances         float64[C, T], of the estimates over the samples of documents; of a ratio
                      those of its numerator
    people_variances  float64[C, T], likewise of `people`
    deviations        float64[C, D], of the errors of the model on the D documents drawn: those of a
                      difference of runs are the differences
    topic_of_drawn    int64[D]
    share_judged      which share of the first 10 documents people judged
    are_ratios        for each measure whether it is a ratio, which is biased and has no variance
    """

    topics: tuple[bytes, ...]
    columns: tuple[str, ...]
    weights: Floats
    values: Floats
    people: Floats
    model: Floats
    variances: Floats
    people_variances: Floats
    deviations: Floats
    topic_of_drawn: Ints
    share_judged: float
    are_ratios: tuple[bool, ...]

    def column_index(self, name: str) -> int:
        """Which of the measures is printed so."""
        return self.columns.index(name)

    def topic_indices(self, topics: Sequence[bytes]) -> Ints:
        """int64[]: the places of some of the topics."""
        place = {topic: index for index, topic in enumerate(self.topics)}
        return np.array([place[topic] for topic in topics], np.int64)

    def difference_variances(self, other: RunEstimates, name: str) -> Floats:
        """float64[T]: the variances of the differences from another run, of one measure."""
        column = self.column_index(name)
        apart = self.deviations[column] - other.deviations[other.column_index(name)]
        return segment_sums(self.topic_of_drawn, apart**2, len(self.topics))
