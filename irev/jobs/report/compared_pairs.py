"""What the comparisons of a report say of pairs of runs, as its page holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.writers.results_page.page_data import pair_outcomes

if TYPE_CHECKING:
    from irev.core.arrays import PairValues
    from irev.jobs.compare.comparison import Comparison
    from irev.writers.results_page.page_data import PairOutcomes


class _PairArrays(NamedTuple):
    """What a comparison says of its pairs, in its order."""

    p: PairValues
    difference: PairValues
    low: PairValues
    high: PairValues


def _pair_arrays(comparison: Comparison) -> _PairArrays:
    (contrast,) = comparison.contrasts
    intervals = contrast.difference_intervals
    corrected = contrast.test_results[comparison.options.tests[0]].corrected
    return _PairArrays(corrected, intervals.mean, intervals.low, intervals.high)


def all_pair_outcomes(comparison: Comparison) -> PairOutcomes:
    """Those of all pairs, in the order of the page."""
    pairs = comparison.contrasts[0].run_pairs
    arrays = _pair_arrays(comparison)
    is_turned = pairs.first > pairs.second
    order = np.lexsort(
        (np.maximum(pairs.first, pairs.second), np.minimum(pairs.first, pairs.second))
    )
    low = np.where(is_turned, -arrays.high, arrays.low)
    high = np.where(is_turned, -arrays.low, arrays.high)
    difference = np.where(is_turned, -arrays.difference, arrays.difference)
    return pair_outcomes(
        arrays.p[order], difference[order], low[order], high[order], comparison.options.alpha
    )


def outcomes_against_baseline(comparison: Comparison, baseline_run_index: int) -> PairOutcomes:
    """For each run its pair with a baseline; of two baselines there is one pair, either way."""
    pairs, arrays = comparison.contrasts[0].run_pairs, _pair_arrays(comparison)
    size = len(comparison.table.runs)
    p, difference, low, high = (np.full(size, np.nan) for _ in range(4))
    against, of = pairs.second == baseline_run_index, pairs.first == baseline_run_index
    runs, others = pairs.first[against], pairs.second[of]
    p[runs], difference[runs] = arrays.p[against], arrays.difference[against]
    low[runs], high[runs] = arrays.low[against], arrays.high[against]
    if comparison.options.tail == "two-sided":
        p[others], difference[others] = arrays.p[of], -arrays.difference[of]
        low[others], high[others] = -arrays.high[of], -arrays.low[of]
    return pair_outcomes(p, difference, low, high, comparison.options.alpha)
