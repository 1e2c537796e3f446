"""Wins and losses of pairs of runs, where the rounded scores of the page have others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.statistics.differences import CELLS, every_pair, wins_and_losses
from irev.writers.results_page import LARGEST_PAGE
from irev.writers.results_page.page_data import UNIT, PairCount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import Floats, TopicsByRuns
    from irev.writers.results_page.page_data import PageMeasure

_LEAST_BYTES = 2
"""Of a score in the page: a digit and a comma."""


def pair_counts_unlike_rounded(
    upward_scores: Sequence[TopicsByRuns],
    scores: Floats,
    measures: Sequence[PageMeasure],
    min_diff: float = 0.0,
) -> tuple[tuple[PairCount, ...], ...]:
    """For each measure the pairs whose counts the rounded scores of the page would get wrong.

    Empty where there are so many scores that no page holds them.

    Args:
        upward_scores: for each measure the scores as they are, turned round where lower is better.
        scores: float64[M, T, S], those of the page.
        measures: M of them.
        min_diff: differences up to this are ties.
    """
    if scores.size * _LEAST_BYTES > LARGEST_PAGE:
        return ()
    tie = tie_of_rounded(min_diff)
    return tuple(
        _unlike_rounded(exact, np.nan_to_num(rounded) * (1 if each.higher else -1), min_diff, tie)
        for exact, rounded, each in zip(upward_scores, scores, measures, strict=True)
    )


def tie_of_rounded(min_diff: float) -> float:
    """Differences up to this are ties, in ten-thousandths: of 0.0003 it is 3, not 2.999999."""
    return round(min_diff / UNIT, 6)


def _unlike_rounded(
    upward_scores: TopicsByRuns, rounded: TopicsByRuns, min_diff: float, tie: float
) -> tuple[PairCount, ...]:
    pairs = every_pair(upward_scores.shape[1])
    wins, losses = wins_and_losses(upward_scores, pairs, min_diff)
    is_unlike = np.zeros(len(pairs), bool)
    for part, part_pairs in pairs.batches(max(1, CELLS // len(rounded))):
        gains = part_pairs.differences(rounded)
        is_unlike[part] = (wins[part] != np.count_nonzero(gains > tie, axis=0)) | (
            losses[part] != np.count_nonzero(gains < -tie, axis=0)
        )
    return tuple(
        PairCount(index, int(wins[index]), int(losses[index]))
        for index in np.flatnonzero(is_unlike).tolist()
    )
