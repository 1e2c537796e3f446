"""How far a correlation of run rankings hangs on the topics: resampling them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, column_means
from irev.errors import UsageError
from irev.statistics.draws import weights_of
from irev.statistics.products import product
from irev.statistics.rank_correlation import COEFFICIENTS

if TYPE_CHECKING:
    from irev.core.arrays import Ints


@dataclass(frozen=True)
class Uncertainty:
    """A statistic of the means over topics, and how it varies over resamples of the topics.

    error      the standard deviation over resamples, divisor B-1
    low, high  the percentile interval
    defined    the resamples in which the statistic is defined; the others are left out
    """

    value: float
    error: float
    low: float
    high: float
    level: float
    defined: int
    resamples: int


def bootstrapped(
    name: str, truth: Floats, estimate: Floats, samples: Ints, level: float = 0.95
) -> Uncertainty:
    """A coefficient between the mean scores of S runs, with its bootstrap error and interval.

    The same T topics are drawn for both columns and for all runs. A resample adds noise of its own,
    so that its correlation is lower as a rule: of many runs that lie close together, the whole
    percentile interval may lie below the value.

    Args:
        name: one of `rank_correlation.COEFFICIENTS`.
        truth: float64[T, S]; with `estimate` a measure each, or the same under other judgments.
        estimate: float64[T, S].
        samples: int64[B, T], as `draws.topic_draws` gives it.
        level: of the interval.

    Raises:
        UsageError: an unknown name, or matrices of different shapes.

    Source: Sakai, SIGIR 2006, section 3, for the error of tau.
    """
    if name not in COEFFICIENTS:
        raise UsageError(f"no correlation is called {name!r}: {', '.join(COEFFICIENTS)}")
    if truth.shape != estimate.shape:
        raise UsageError(f"score matrices of different shapes: {truth.shape}, {estimate.shape}")
    coefficient = COEFFICIENTS[name]
    weights = weights_of(samples, len(truth)) / samples.shape[1]
    drawn = np.array(
        [
            coefficient(*pair)
            for pair in zip(product(weights, truth), product(weights, estimate), strict=True)
        ]
    )
    kept = drawn[~np.isnan(drawn)]
    low, high = np.nan, np.nan
    if len(kept):
        edges = [(1 - level) / 2, (1 + level) / 2]
        low, high = np.quantile(kept, edges, method="inverted_cdf").tolist()
    return Uncertainty(
        coefficient(column_means(truth), column_means(estimate)),
        float(kept.std(ddof=1)) if len(kept) > 1 else np.nan,
        low,
        high,
        level,
        len(kept),
        len(drawn),
    )
