"""Which of two rankings is preferred, from the ranks of their relevant documents alone.

F. Diaz and A. Ferraro, SIGIR 2022, "Offline retrieval evaluation without evaluation metrics", for
recall-paired preference; F. Diaz, M. D. Ekstrand and B. Mitra, ACM TORS 2025, "Recall, robustness,
and lexicographic evaluation", for lexirecall; F. Diaz, EVIA 2023, "Best-case retrieval evaluation",
for lexiprecision.

A topic with R relevant documents has the levels of recall i = 1 ... R. x_i and y_i are the ranks of
the i-th relevant document in the first and in the second ranking, infinite where it was not
retrieved; the smaller one is preferred at level i.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RowIndices,
    TopicIndices,
    TopicOfRow,
    TopicValues,
    ranks_in_segments,
    run_starts,
    segment_sums,
)
from irev.core.record import cached_property, record
from irev.statistics.differences import zero_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


UNSEEN = int(np.iinfo(np.int64).max)
"""The rank of a document that was not retrieved."""


@record
class RecallPairs:
    """The relevant documents of two rankings of each of T topics, paired by level of recall.

    start   int64[T+1], each topic's slice of the n levels of all topics
    first   int64[n], the ranks in the first ranking, rising within a topic; `UNSEEN` behind them
    second  int64[n], the ranks in the second
    """

    start: Ints
    first: Ints
    second: Ints

    @property
    def num_topics(self) -> int:
        """T."""
        return len(self.start) - 1

    @cached_property
    def topic(self) -> TopicOfRow:
        """int64[n]: the topic of each level."""
        return np.repeat(np.arange(self.num_topics), np.diff(self.start))

    @cached_property
    def sign(self) -> Ints:
        """int64[n]: of y_i - x_i, which is 0 where neither ranking has the document."""
        sign: Ints = np.sign(self.second - self.first)
        return sign


def rpp(rank_pairs: RecallPairs, weighting: str = "uniform") -> TopicValues:
    """Recall-paired preference, the weighted mean of sign(y_i - x_i) over the levels.

    RPP = sum_i w_i sign(y_i - x_i) / sum_i w_i, from -1 to 1; 0 where nothing is relevant.

    Args:
        rank_pairs: the ranks.
        weighting: w_i is 1 ("uniform"), 1 / i ("inverse") or 1 / log2(i + 1) ("dcg").

    Source: Diaz and Ferraro 2022, with relevance in two grades.
    """
    level = ranks_in_segments(rank_pairs.start).astype(float)
    weights = 1 / _DIVISORS[weighting](level)
    count = rank_pairs.num_topics
    above = segment_sums(rank_pairs.topic, weights * rank_pairs.sign, count)
    below = segment_sums(rank_pairs.topic, weights, count)
    # weights that cancel out leave noise
    return zero_noise(above / np.where(below > 0, below, 1.0), 1.0)


def lexirecall(rank_pairs: RecallPairs) -> TopicValues:
    """The sign at the last level of recall that differs: 1, -1, or 0 where none does.

    A ranking with more of the relevant documents is thereby preferred; of two with as many, that
    whose last one comes earlier, then the last but one, and so on.

    Source: Diaz, Ekstrand and Mitra 2025.
    """
    preference = np.zeros(rank_pairs.num_topics)
    topic, level = _topics_and_differing_levels(rank_pairs, takes_last=True)
    preference[topic] = rank_pairs.sign[level]
    return preference


def lexiprecision(rank_pairs: RecallPairs) -> TopicValues:
    """The sign at the first level of recall that differs: 1, -1, or 0 where none does.

    The ranking whose first relevant document comes earlier is preferred; where they are at the same
    rank, that whose second one does, and so on.

    Source: Diaz 2023.
    """
    preference = np.zeros(rank_pairs.num_topics)
    topic, level = _topics_and_differing_levels(rank_pairs, takes_last=False)
    preference[topic] = rank_pairs.sign[level]
    return preference


def rr_lexiprecision(rank_pairs: RecallPairs) -> TopicValues:
    """float64[T]: 1/x_i - 1/y_i at the first level of recall that differs, 0 where none does.

    Where the first relevant documents differ, this is the difference of the reciprocal ranks.

    Source: Diaz 2023.
    """
    preference = np.zeros(rank_pairs.num_topics)
    topic, level = _topics_and_differing_levels(rank_pairs, takes_last=False)
    preference[topic] = _reciprocal(rank_pairs.first[level]) - _reciprocal(rank_pairs.second[level])
    return preference


_DIVISORS: Mapping[str, Callable[[Floats], Floats]] = {
    "uniform": np.ones_like,
    "inverse": lambda level: level,
    "dcg": lambda level: np.log2(level + 1),
}
"""What the weight of a level of recall is one by."""

PREFERENCES: Mapping[str, tuple[Callable[[RecallPairs], Floats], str]] = {
    "rpp": (rpp, "mean of the signs over the levels of recall"),
    "invrpp": (partial(rpp, weighting="inverse"), "that, level i weighing 1/i"),
    "dcgrpp": (partial(rpp, weighting="dcg"), "that, level i weighing 1/log2(i+1)"),
    "lexirecall": (lexirecall, "sign at the last level that differs"),
    "lexiprecision": (lexiprecision, "sign at the first level that differs"),
    "rrlexiprecision": (rr_lexiprecision, "difference of 1/rank at the first level that differs"),
}
"""Name -> (the preference, what it is)."""


def _topics_and_differing_levels(
    rank_pairs: RecallPairs, *, takes_last: bool
) -> tuple[TopicIndices, RowIndices]:
    """The topics with a level that differs, and the first or the last such level of each."""
    differs = np.flatnonzero(rank_pairs.sign)
    topic = rank_pairs.topic[differs]
    begin = run_starts(topic)
    edge = begin[1:] - 1 if takes_last else begin[:-1]
    return topic[edge], differs[edge]


def _reciprocal(rank: Ints) -> Floats:
    return np.where(rank == UNSEEN, 0.0, 1.0 / rank)
