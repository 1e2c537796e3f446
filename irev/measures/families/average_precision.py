"""Average precision and its relatives, and precision interpolated at levels of recall."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irev.core.arrays import (
    Floats,
    RelevantValues,
    TopicsByCutoffs,
    TopicValues,
    ratio,
    running_sums,
    sums_at,
)
from irev.core.judged import SMALLEST_MEAN_FACTOR, Judged
from irev.measures.families.precision import multiples_of_relevant
from irev.measures.registry import Option, measure
from irev.measures.shared import (
    BINARY,
    DENOMINATOR,
    WITH_RECALL,
    NoCutoff,
    Ranks,
    cutoff_ranks,
    expected_average_precision,
    expected_log_average_precision,
    logs,
    memoize,
    relevant_at,
)


@memoize
def running_precision(judged: Judged) -> RelevantValues:
    """The sum of precision over the relevant documents, up to and including each."""
    return running_sums(judged.relevant_start, judged.relevant_nth / judged.relevant_rank)


@measure(
    "yaap",
    "Smoothed average precision, as log odds",
    position=54,
    formula="ln((1 + S) / (1 + R - S)), S the sum of precision at the relevant documents retrieved",
    source="Robertson 2012, On Smoothing Average Precision, ECIR; trec_eval 10",
    bounds=(-math.inf, math.inf),
    example=("2 0 - 1 | 1", "", 0.0),
    cites=("robertson2012smoothing", "trec_eval"),
    shows=BINARY,
)
def average_precision_log_odds(judged: Judged, cutoffs: NoCutoff) -> TopicValues:
    """Average precision on a scale without ends, on which topics average better.

    Within a topic it rises with average precision; a perfect ranking has ln(1 + R), one without
    relevant documents -ln(1 + R). A topic without relevant documents has 0.
    """
    total = sums_at(judged.relevant_start, running_precision(judged), judged.num_rel_ret)
    odds = (1 + total) / (1 + judged.num_rel - total)
    return np.array([math.log(value) for value in odds.tolist()])


@measure(
    "AP",
    "Average precision",
    formula="1/R * sum over relevant documents at rank i <= k of (relevant up to i) / i; "
    "with denom=min 1/min(k, R)",
    source="Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, "
    "eq. 3; Zhai and Massung 2016, Text Data Management and Analysis, eq. 9.1",
    checked="paper",
    options={"denom": DENOMINATOR},
    cutoff="optional",
    example=("2 0 - 1 | 1", "(denom=min)@2", 0.5),
    aliases=("MAP",),
    cites=("buckley2005retrieval", "kishida2005property", "zhai2016text"),
    expected=expected_average_precision,
    shows=BINARY,
    divisor="relevant",
)
def average_precision(judged: Judged, cutoffs: Ranks, *, denom: str = "R") -> TopicsByCutoffs:
    """The precision at each relevant document, averaged over all relevant documents.

    A relevant document that was not retrieved among the first k adds 0, so cutting a ranking never
    raises it; dividing by the retrieved relevant documents instead is a common mistake. Where R is
    larger than k the best possible value is below 1, unless denom=min. A topic without relevant
    documents has 0, unjudged documents count as not relevant, and gains do not matter.
    """
    sums = sums_at(judged.relevant_start, running_precision(judged), relevant_at(judged, cutoffs))
    divisor = judged.num_rel[:, None]
    if denom == "min":
        divisor = np.minimum(divisor, np.asarray(cutoff_ranks(cutoffs)))
    return ratio(sums, divisor)


@measure(
    "GMAP",
    "Geometric mean of average precision",
    formula="exp(mean of log(max(AP, 0.00001)))",
    source="Robertson 2006, On GMAP and Other Transformations, CIKM",
    checked="program",
    average="geometric",
    per_topic=False,
    bounds=(SMALLEST_MEAN_FACTOR, 1.0),
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("robertson2006gmap",),
    expected=expected_log_average_precision,
    shows=BINARY,
)
def geometric_average_precision(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """Average precision with a geometric mean over the topics: hard topics weigh more.

    An average precision below 0.00001 counts as 0.00001. It appears in the summary only.
    """
    return logs(average_precision(judged, (None,))[:, 0])[:, None]


# --- Interpolated precision at recall levels, under each of the rules that are in use ---
# A rule says for a recall level and a number of relevant documents R which of the points of the
# recall-precision curve the level is served by: from the first to the last of R relevant documents.


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
    family="interpolation",
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
    family="interpolation",
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
def iprec_at_recall(judged: Judged, rising_levels: tuple[float, ...]) -> TopicsByCutoffs:
    """The highest precision at any rank where the ranking has reached the recall level.

    It is 0 where the level is never reached. A level that rounds to no document at all has the
    highest precision anywhere in the ranking.
    """
    # precision is highest at relevant documents, so only those count: first the highest from
    # one level's first relevant document to the next level's, then the highest of all later ones
    needed = multiples_of_relevant(judged, rising_levels, judged.settings.recall_rounding)
    num_rel_ret = judged.num_rel_ret[:, None]
    skipped = np.minimum(np.maximum(needed - 1, 0), num_rel_ret)
    edges = judged.relevant_start[:-1, None] + np.concatenate((skipped, num_rel_ret), axis=1)
    # reduceat looks at a row even for an empty range, and that row may be past the end
    precision = np.append(judged.relevant_nth / judged.relevant_rank, 0.0)
    highest = np.maximum.reduceat(precision, edges.ravel()) if edges.size else np.zeros(0)
    highest = np.where(np.diff(edges) > 0, highest.reshape(edges.shape)[:, :-1], 0.0)
    return np.maximum.accumulate(highest[:, ::-1], axis=1)[:, ::-1]


def average_over_levels(
    judged: Judged, cutoffs: NoCutoff, *, numbers: tuple[float, ...]
) -> TopicValues:
    """Interpolated precision averaged over eleven recall levels, 0.0, 0.1, ... 1.0.

    Other levels can be given, in any order and number.
    """
    rising = tuple(sorted(set(numbers)))
    values = iprec_at_recall(judged, rising)
    total = np.zeros(judged.num_topics)
    for level in reversed(numbers):
        total += values[:, rising.index(level)]
    return total / len(numbers)
