"""Places of runs, and how far chance in the choice of topics may move them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import offsets
from irev.core.workers import in_order
from irev.statistics.bootstrap import topic_weights
from irev.statistics.differences import NEAR, groups_of_equals, scale_of, slack
from irev.statistics.draws import blocks

if TYPE_CHECKING:
    from irev.core.arrays import Floats, Ints


def places(means: Floats) -> Ints:
    """int64[S]: one plus the number of runs with a higher mean; equal means share a place."""
    group = groups_of_equals(-means, scale_of(means))
    before = offsets(np.bincount(group))
    found: Ints = before[group] + 1
    return found


def place_intervals(
    scores: Floats, level: float, *, resamples: int, seed: int, threads: int = 1
) -> tuple[Ints, Ints]:
    """The ends of the bootstrap interval of each run's place: int64[S] each.

    The T topics are drawn with replacement, B times, and the runs placed by their means each time;
    the ends are the quantiles (1 -+ level) / 2, the smallest places with at least that share of the
    samples at or below them.

    Args:
        scores: float64[T, S], the higher the better.
        level: between 0 and 1.
        resamples: B, at least 1.
        seed: what the draws depend on, and the only thing.
        threads: how many threads work; the outcome does not depend on it.

    Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), ch. 13, applied to
    the place in place of the mean.
    """
    work = partial(_places_of_block, scores, seed)
    found = np.concatenate(list(in_order(work, blocks(resamples), threads)))
    found.sort(axis=0)
    rest = (1 - level) / 2
    ends = [int(np.ceil((chance - NEAR) * resamples)) - 1 for chance in (rest, 1 - rest)]
    low, high = (found[max(0, end)].astype(np.int64) for end in ends)
    return low, high


def _places_of_block(scores: Floats, seed: int, block: tuple[int, int]) -> Ints:
    """int64[resamples, S]: the places of the runs in the samples of a block."""
    topics, runs = scores.shape
    sums = topic_weights(seed, *block, topics) @ scores
    order = np.argsort(-sums, axis=1)  # equal sums share a place, whatever their order
    falling = np.take_along_axis(sums, order, axis=1)
    is_new = np.ones(sums.shape, bool)
    is_new[:, 1:] = falling[:, :-1] - falling[:, 1:] > slack(topics, scale_of(scores))
    place = np.maximum.accumulate(np.where(is_new, np.arange(1, runs + 1), 0), axis=1)
    found = np.empty(sums.shape, np.int64)
    np.put_along_axis(found, order, place, axis=1)
    return found
