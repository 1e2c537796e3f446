"""How the scores of a run vary over its topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irev.core.model import as_asked
from irev.core.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from irev.core.arrays import Floats
    from irev.core.model import Column
    from irev.results.scores import Scores

LEVEL = 0.95
"""The level of the intervals."""


class TopicSpread(NamedTuple):
    """The mean of a measure over n topics, and how its values vary; NaN where n is too small.

    sd        standard deviation of the sample, by n - 1
    variance  its square
    median    the middle value, or the mean of the two in the middle
    low       lower end of the t interval of the mean, at 95 %: mean - t(0.975; n-1) sd / sqrt(n)
    high      upper end
    """

    column: Column
    topics: int
    mean: float
    sd: float
    variance: float
    median: float
    low: float
    high: float


def spreads(scores: Scores) -> Iterator[TopicSpread]:
    """The spread of each measure whose summary is a mean, in the order asked for.

    A topic that counts as 0 without a row of its own is one of the values.
    """
    for at in as_asked(scores.columns):
        column = scores.columns[at]
        if column.average == "mean" and column.per_topic and column.kind == "real":
            absent = scores.divisor - len(scores.topics)
            values = np.concatenate([scores.values[:, at], np.zeros(max(absent, 0))])
            yield _spread(column, values)


def _spread(column: Column, values: Floats) -> TopicSpread:
    topics = len(values)
    if not topics or not np.isfinite(values).all():
        return TopicSpread(column, topics, *[math.nan] * 6)
    mean = float(values.cumsum()[-1]) / topics
    median = float(np.median(values))
    if topics == 1:
        return TopicSpread(column, topics, mean, math.nan, math.nan, median, math.nan, math.nan)
    # the mean of equal values may be off by a digit, and they do not vary
    is_constant = values.min() == values.max()
    variance = 0.0 if is_constant else float(((values - mean) ** 2).cumsum()[-1]) / (topics - 1)
    sd = math.sqrt(variance)
    from scipy.special import stdtrit

    reach = float(stdtrit(topics - 1, (1 + LEVEL) / 2)) * sd / math.sqrt(topics)
    return TopicSpread(column, topics, mean, sd, variance, median, mean - reach, mean + reach)
