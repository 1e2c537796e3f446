"""Interpolated precision at recall levels, under each of the rules that are in use.

A rule says for a recall level and a number of relevant documents R which of the points of the
recall-precision curve the level is served by: from the first to the last of R relevant documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irev.core.arrays import Floats, TopicsByCutoffs, TopicValues
from irev.core.judged import Judged
from irev.measures.families.precision import multiples_of_relevant
from irev.measures.registry import Option, measure
from irev.measures.shared import WITH_RECALL, NoCutoff, memoize

RECALL_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def _points_at_or_above(level: float, num_rel: int) -> tuple[int, int]:
    """All points whose recall is at least the level, compared as exact fractions."""
    from fractions import Fraction

    return math.ceil(Fraction(str(level)) * num_rel), num_rel


def _first_and_last_points_of_band(level: float, num_rel: int) -> tuple[int, int]:
    """The points from the level to a tenth above it, or those of the next such band with any."""
    from fractions import Fraction

    exact, tenth = Fraction(str(level)), Fraction(1, 10)
    first = max(math.ceil(exact * num_rel), 1)
    if not num_rel:
        return first, num_rel
    # a point on the border of two bands belongs to both, and so to the lower one
    num_bands = max(math.ceil((Fraction(first, num_rel) - exact) / tenth), 1)
    return first, math.floor((exact + num_bands * tenth) * num_rel)


def _points_rounded_up(level: float, num_rel: int) -> tuple[int, int]:
    """As trec_eval 9 does it, in floating point."""
    return math.trunc(level * num_rel + 0.9), num_rel


def _points_rounded(level: float, num_rel: int) -> tuple[int, int]:
    """As trec_eval 10 does it: the nearest whole number, halves upward."""
    exact = level * num_rel
    below = math.floor(exact)
    return below + (exact - below >= 0.5), num_rel


RULES: dict[str, Callable[[float, int], tuple[int, int]]] = {
    "ge": _points_at_or_above,
    "band": _first_and_last_points_of_band,
    "te9": _points_rounded_up,
    "te10": _points_rounded,
}
RULES_IN_WORDS = {
    "ge": "highest precision at any rank with at least that recall",
    "band": "highest precision where recall is from the level to a tenth above it",
    "te9": "highest precision from level * R relevant documents on, rounded up (trec_eval 9)",
    "te10": "highest precision from level * R relevant documents on, rounded (trec_eval 10)",
}
RULE = Option(
    "which points of the curve serve a level: those at or above it (ge), those up to a tenth above "
    "it (band), or as trec_eval 9 (te9) or 10 (te10) rounds level * R",
    "ge",
    kind="choice",
    choices=tuple(RULES),
    shown=True,
)


def recall_level_measures(rule: str) -> tuple[str, ...]:
    """The measures of the eleven usual recall levels under a rule."""
    return tuple(f"IPrec(rule={rule})@{level:g}" for level in RECALL_LEVELS)


@measure(
    "IPrec",
    "Interpolated precision at a recall level",
    formula="max of c / (rank of the c-th relevant document) over the retrieved relevant documents "
    "c with c / R >= level (rule=ge); also c / R <= level + 0.1 (rule=band); c >= trunc(level * R "
    "+ 0.9) (rule=te9); c >= level * R rounded to a whole number (rule=te10)",
    source="Salton and McGill 1983, Introduction to Modern Information Retrieval; Baeza-Yates and "
    "Ribeiro-Neto 1999, Modern Information Retrieval (band); trec_eval 9.0.8 and 10",
    checked="program",
    options={"rule": RULE},
    cutoff="recall",
    example=("2 0 - 1 | 1", "@0.5", 0.5),
    cites=("buckley2005retrieval", "salton1983introduction"),
    shows=WITH_RECALL,
)
def precision_at_recall(
    judged: Judged, cutoffs: tuple[float, ...], *, rule: str = "ge"
) -> TopicsByCutoffs:
    """The highest precision at any rank where the ranking has reached the recall level.

    It is 0 where the level is never reached. The level 0 has the highest precision anywhere. Recall
    is compared with the level in whole numbers, so that 0.7 of 10 relevant documents are 7.

    The rule `band` looks no farther than a tenth above the level, and where no relevant document
    falls into that band takes the value of the next one. The others round level * R:
    te9 mostly up, but down where the fraction is below 0.1 or just 0.1; te10 to the nearest number,
    so that a point below the level can serve it.
    """
    return interpolated_precision(judged, cutoffs, rule)


@memoize
def interpolated_precision(judged: Judged, levels: tuple[float, ...], rule: str) -> TopicsByCutoffs:
    """The highest precision among the points that serve each recall level."""
    counts, place = np.unique(judged.num_rel, return_inverse=True)
    points = [[RULES[rule](level, num_rel) for level in levels] for num_rel in counts.tolist()]
    served = np.array(points, np.int64).reshape(len(counts), len(levels), 2)[place]
    served[..., 0] = np.maximum(served[..., 0] - 1, 0)
    served = np.minimum(served, judged.num_rel_ret[:, None, None])
    if not served.size:
        return np.zeros(served.shape[:2])
    edges = judged.relevant_start[:-1, None, None] + served
    # reduceat looks at a row even for an empty range, and that row may be past the end
    precision = np.append(judged.relevant_nth / judged.relevant_rank, 0.0)
    highest = np.maximum.reduceat(precision, edges.ravel())[::2].reshape(edges.shape[:2])
    return np.where(served[..., 1] > served[..., 0], highest, 0.0)


@measure(
    "IPrecAvg",
    "Interpolated precision, averaged over eleven recall levels",
    formula="mean of IPrec over the levels 0.0, 0.1, ... 1.0",
    source="Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval 9.0.8 "
    "and 10",
    checked="program",
    options={"rule": RULE},
    example=("2 0 - 1 | 1", "", (4 * 1 + 3 * 0.5) / 11),
    aliases=("IPrec11",),
    cites=("salton1983introduction",),
    shows=WITH_RECALL,
)
def eleven_point_average(judged: Judged, cutoffs: NoCutoff, *, rule: str = "ge") -> TopicsByCutoffs:
    """The mean of interpolated precision over eleven recall levels, from 0 to 1 in tenths."""
    values = interpolated_precision(judged, RECALL_LEVELS, rule)
    # from the last level to the first, as trec_eval does: other orders round otherwise
    total = np.cumsum(values[:, ::-1], axis=1)[:, -1:]
    mean: Floats = total / len(RECALL_LEVELS)
    return mean


# --- As trec_eval computes them, with levels * R rounded ---


@memoize
def precision_from_rounded_recall(
    judged: Judged, rising_levels: tuple[float, ...]
) -> TopicsByCutoffs:
    """The highest precision at or after each recall level.

    Precision is highest at relevant documents, so only those are looked at: first the highest from
    one level's first relevant document to the next level's, then the highest of all later ones.
    """
    needed = multiples_of_relevant(judged, rising_levels, judged.settings.recall_rounding)
    num_rel_ret = judged.num_rel_ret[:, None]
    skipped = np.minimum(np.maximum(needed - 1, 0), num_rel_ret)
    edges = judged.relevant_start[:-1, None] + np.concatenate((skipped, num_rel_ret), axis=1)
    # reduceat looks at a row even for an empty range, and that row may be past the end
    precision = np.append(judged.relevant_nth / judged.relevant_rank, 0.0)
    highest = np.maximum.reduceat(precision, edges.ravel()) if edges.size else np.zeros(0)
    highest = np.where(np.diff(edges) > 0, highest.reshape(edges.shape)[:, :-1], 0.0)
    return np.maximum.accumulate(highest[:, ::-1], axis=1)[:, ::-1]


def iprec_at_recall(judged: Judged, levels: tuple[float, ...]) -> TopicsByCutoffs:
    """The highest precision at any rank where the ranking has reached the recall level.

    It is 0 where the level is never reached. A level that rounds to no document at all has the
    highest precision anywhere in the ranking.
    """
    return precision_from_rounded_recall(judged, levels)


def average_over_levels(
    judged: Judged, cutoffs: NoCutoff, *, numbers: tuple[float, ...]
) -> TopicValues:
    """Interpolated precision averaged over eleven recall levels, 0.0, 0.1, ... 1.0.

    Other levels can be given, in any order and number.
    """
    rising = tuple(sorted(set(numbers)))
    values = precision_from_rounded_recall(judged, rising)
    total = np.zeros(judged.num_topics)
    for level in reversed(numbers):
        total += values[:, rising.index(level)]
    return total / len(numbers)
