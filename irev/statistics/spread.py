"""How the scores of a run vary over its topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.judged import asked_order
from irev.measures.naming.resolve import mean_bounds_or_infinite
from irev.statistics.intervals import column_means_and_sds, fit_to_range, mean_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.arrays import TopicValues
    from irev.core.judged import Column
    from irev.scores.scores import Scores

LEVEL = 0.95
"""The level of the intervals."""


class TopicSpread(NamedTuple):
    """The mean of a measure over n topics, and how its values vary; NaN where n is too small.

    sd        standard deviation of the sample, by n - 1
    variance  its square
    median    the middle value, or the mean of the two in the middle
    low       lower end of the t interval of the mean, at 95 %: mean - t(0.975; n-1) sd / sqrt(n),
              or of the measure's range where that is higher
    high      upper end, likewise; both are exact where all values are equal (`fit_to_range`)
    """

    column: Column
    num_topics: int
    mean: float
    sd: float
    variance: float
    median: float
    low: float
    high: float


def topic_spreads(scores: Scores) -> Iterator[TopicSpread]:
    """The spread of each measure whose summary is a mean, in the order asked for.

    A topic that counts as 0 without a row of its own is one of the values.
    """
    for column_index in asked_order(scores.columns):
        column = scores.columns[column_index]
        if column.average == "mean" and column.per_topic and column.kind == "real":
            absent = scores.divisor - len(scores.topics)
            values = np.concatenate([scores.values[:, column_index], np.zeros(max(absent, 0))])
            yield _column_spread(column, values)


def _column_spread(column: Column, values: TopicValues) -> TopicSpread:
    num_topics = len(values)
    if not num_topics or not np.isfinite(values).all():
        return TopicSpread(column, num_topics, *[math.nan] * 6)
    median = float(np.median(values))
    if num_topics == 1:
        mean = float(values[0])
        return TopicSpread(column, num_topics, mean, math.nan, math.nan, median, math.nan, math.nan)
    value_matrix = values[:, np.newaxis]
    sd = column_means_and_sds(value_matrix)[1].item()
    interval = fit_to_range(
        mean_intervals(value_matrix, level=LEVEL), *mean_bounds_or_infinite(column, values)
    )
    mean, low, high = (each.item() for each in (interval.mean, interval.low, interval.high))
    return TopicSpread(column, num_topics, mean, sd, sd**2, median, low, high)
