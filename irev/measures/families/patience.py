"""Rank-biased precision: a user who looks at the next document with a fixed probability."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irev.core.arrays import (
    DocumentRanks,
    DocumentValues,
    Floats,
    Ints,
    RankValues,
    TopicIndices,
    TopicOfRow,
    TopicsByCutoffs,
    TopicValues,
    offsets,
    ranges,
    ranks_in_segments,
    ratio,
    running_sums,
    segment_sums,
    sums_at,
)
from irev.core.judged import Judged
from irev.measures.families.gain import (
    GainList,
    checked_top_gain,
    gain_steps,
    ideal_list,
    nonzero_gain_documents,
    num_nonzero_gains_at,
)
from irev.measures.registry import GainValue, GradeMap, Option, measure
from irev.measures.shared import (
    GAIN,
    HIGHEST,
    NoCutoff,
    Ranks,
    cutoff_ranks,
    gain_values,
    memoize,
    relevant_at,
)

PAPER = (
    "Moffat and Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS"
)


def powers(p: float, count: int) -> Floats:
    """float64[count]: p^0, p^1, ..., by repeated multiplication."""
    factors = np.full(count, p)
    factors[:1] = 1.0
    with np.errstate(over="ignore", under="ignore"):
        return np.cumprod(factors)


PERSISTENCE = Option(
    "how likely a user is to go on to the next document",
    0.8,
    low=0.0,
    high=1.0,
    below_high=True,
    shown=True,
)
SCALED = GAIN._replace(
    meaning="the gain of a grade: the grade itself (linear), 2^grade - 1 (exp) or a map, each "
    "divided by that of the highest grade; 1 for relevant documents (binary); or the grade "
    "undivided (raw)",
    choices=("linear", "exp", "binary", "raw"),
    shown=True,
)
OPTIONS = {"p": PERSISTENCE, "gain": SCALED, "max": HIGHEST}


@measure(
    "RBP",
    "Rank-biased precision",
    options=OPTIONS,
    cutoff="optional",
    formula="(1 - p) * sum over r <= k of gain(r) / gain(max) * p^(r - 1)",
    source=PAPER,
    checked="program",
    example=("2 0 - 1 | 1", "(p=0.5,gain=linear,max=2)", 0.5 * (1 + 0.5 * 0.125)),
    residual="endless",
    cites=("moffat2008rbp",),
    additive=True,
    linear=True,
    shows=("gain", "weight"),
    divisor="highest",
)
def rank_biased_precision(
    judged: Judged, cutoffs: Ranks, *, p: float, gain: GainValue, max: float
) -> TopicsByCutoffs:
    """The mean gain per document that a user sees who goes on with probability p each time.

    Gains lie between 0 and 1: the grade is divided by the highest of the scale (gain=linear), so
    that with the grades 0 and 1 it is the original binary measure, or every relevant document gains
    1 (gain=binary). gain=raw leaves the grades as they are, and values can exceed 1. Programs
    differ in the scale and in the persistence. An unjudged document gains nothing; RBPresid says
    what that may hide.
    """
    value = (1 - p) * gain_sum_discounted_by_p(judged, cutoffs, p, gain)
    if gain in ("binary", "raw"):
        return value
    return ratio(value, checked_top_gain(judged, gain, max))


@memoize
def gain_sum_discounted_by_p(
    judged: Judged, cutoffs: Ranks, p: float, gain: GainValue
) -> TopicsByCutoffs:
    """The weighted gains up to each cutoff, neither scaled nor times 1 - p."""
    if gain == "binary":
        ones = np.ones(len(judged.relevant_rows))
        documents = GainList(judged.relevant_start, judged.relevant_rank, ones)
        count = relevant_at(judged, cutoffs)
    else:
        documents = nonzero_gain_documents(judged, gain)
        count = num_nonzero_gains_at(judged, gain, cutoffs)
    return sums_at(documents.start, _running_discounted_gain(documents, p), count)


def _running_discounted_gain(documents: GainList, p: float) -> DocumentValues:
    """float64[G]: gain * p^(rank - 1), summed up to and including each document."""
    weight = powers(p, int(documents.rank.max(initial=0)))
    return running_sums(documents.start, documents.gain * weight[documents.rank - 1])


@measure(
    "nRBP",
    "Normalised rank-biased precision",
    options={"p": PERSISTENCE, "gain": SCALED._replace(choices=("linear", "exp", "binary"))},
    cutoff="optional",
    formula="RBP@k divided by RBP@k of the ideal list",
    source="NTCIREVAL",
    checked="program",
    example=("0 2 - 1 | 1", "(p=0.5,gain=linear)@2", 1 / 2.5),
    cites=("ntcireval",),
    additive=True,
)
def normalised_rank_biased_precision(
    judged: Judged, cutoffs: Ranks, *, p: float, gain: GainValue
) -> TopicsByCutoffs:
    """RBP as a share of the highest possible.

    The ideal list has all judged documents with a gain, or all relevant ones where gain=binary, and
    is cut at k too. No scale is needed, since it would cancel. A topic without a gain in the qrels
    has 0.
    """
    ideal = _binary_ideal_list(judged) if gain == "binary" else ideal_list(judged, gain)
    count = np.minimum(ideal.length[:, None], cutoff_ranks(cutoffs))
    most = sums_at(ideal.start, _running_discounted_gain(ideal, p), count)
    return ratio(gain_sum_discounted_by_p(judged, cutoffs, p, gain), most)


@memoize
def _binary_ideal_list(judged: Judged) -> GainList:
    start = offsets(judged.num_rel)
    rank = np.arange(1, int(start[-1]) + 1) - np.repeat(start[:-1], judged.num_rel)
    return GainList(start, rank, np.ones(len(rank)))


@measure(
    "RBPresid",
    "Rank-biased precision, residual",
    options={"p": PERSISTENCE},
    cutoff="optional",
    formula="1 - (1 - p) * sum over judged r <= k of p^(r - 1)",
    source=PAPER,
    checked="program",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "(p=0.5)", 1 - 0.5 - 0.25 - 0.0625),
    cites=("moffat2008rbp",),
    additive=True,
)
def rank_biased_residual(judged: Judged, cutoffs: Ranks, *, p: float) -> TopicsByCutoffs:
    """By how much RBP could rise if all that is not known of the ranking were of the highest grade.

    Not known are the unjudged documents, and whatever could follow the last document or, at a
    cutoff, document k. With p=1, where RBP is 0, it is 1.
    """
    documents = GainList(judged.judged_start, judged.judged_rank, np.ones(len(judged.judged_rank)))
    if cutoffs == (None,):
        count = judged.num_judged_ret[:, None]
    else:
        count = judged.judged_index.count_all_up_to(cutoff_ranks(cutoffs))
    known_gain = sums_at(documents.start, _running_discounted_gain(documents, p), count)
    residual: Floats = 1 - (1 - p) * known_gain
    return residual


# --- As trec_eval computes them ---


def rbp_of_topic_scaled_gains(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue, p: float
) -> TopicValues:
    """The gain per document that a user sees who goes on to the next one with probability p.

    `rbp.p=0.8` sets the persistence, 0.9 by default; `rbp.p=0.8,1=0.5,2=1` gives gains to grades
    too, and a grade is its own gain otherwise. Where a topic's gains, from grade 0 to its highest
    and those given as parameters, are not all between 0 and 1, they are mapped there: the lowest
    (at most 0) to 0 and the highest to 1.
    """
    gain_of_grade = () if isinstance(gain, str) else gain
    topic, rank, scaled_gain = _scaled_gains_of_gained_documents(judged, gain_of_grade)
    weight = powers(p, int(rank.max(initial=0)))
    return (1 - p) * segment_sums(topic, scaled_gain * weight[rank - 1], judged.num_topics)


def _scaled_gains_of_gained_documents(
    judged: Judged, gain_of_grade: GradeMap
) -> tuple[TopicOfRow, DocumentRanks, DocumentValues]:
    """Topic, rank and gain, which is scaled into 0..1, of the retrieved documents with one."""
    lowest = min([0.0, *(gain for _, gain in gain_of_grade)])
    highest = _highest_gain_of_topic_or_map(judged, gain_of_grade)
    if lowest == 0:
        documents = nonzero_gain_documents(judged, gain_of_grade or "linear")
        scale = np.repeat(np.maximum(highest, 1), documents.length)
        return documents.topic, documents.rank, documents.gain / scale
    # now a gain of 0 is scaled to something else
    levels = [level for level, _ in gain_of_grade]
    if -1 in levels:
        judged = judged.include_unjudged()
    rows = np.flatnonzero((judged.grade >= 0) | np.isin(judged.grade, levels))
    topic = judged.topic[rows]
    gain = gain_values(judged.grade[rows], gain_of_grade)
    scaled_gain = ratio(gain - lowest, highest[topic] - lowest)
    return topic, judged.rank[rows], scaled_gain


def _highest_gain_of_topic_or_map(judged: Judged, gain_of_grade: GradeMap) -> TopicValues:
    """The highest gain of a topic's grades and of the parameters, at least 0.

    Its grades are those that occur and all whole grades below the highest one.
    """
    whole = np.zeros(judged.num_topics)
    some = np.flatnonzero(np.diff(judged.level_start))
    whole[some] = np.floor(judged.level_grade[judged.level_start[some + 1] - 1])
    # a grade with a gain of its own leaves the one below as the highest that is its own gain
    for level, _ in sorted(gain_of_grade, reverse=True):
        whole[whole == level] = max(level - 1, 0)
    steps = gain_steps(judged, gain_of_grade or "linear")
    occurring = np.zeros(judged.num_topics)
    occurring[steps.topic[::-1]] = steps.gain[::-1]  # the highest comes last, and stays
    highest_parameter = max([0.0, *(gain for _, gain in gain_of_grade)])
    return np.maximum(np.maximum(whole, occurring), highest_parameter)


def residual_of_unjudged_and_unseen(judged: Judged, cutoffs: NoCutoff, *, p: float) -> TopicValues:
    """By how much rank-biased precision could rise if all unjudged documents had the highest gain.

    It counts the retrieved documents without a judgment, pooled or not, and all that could follow
    the ranking's end. `rbp_resid.p=0.8` sets the persistence. If every retrieved document is
    judged, or nothing was retrieved, it is 0, without regard to what could follow.
    """
    residual = np.zeros(judged.num_topics)
    topics = np.flatnonzero(judged.num_judged_ret < judged.num_ret)
    if not len(topics):
        return residual
    longest = int(judged.num_ret.max())
    longest_stretch = longest
    if 0 < p < 1:
        longest_stretch = min(longest, math.ceil(math.log(FAINTEST) / math.log(p)))
    weight = powers(p, longest + 1)
    total = _sums_of_weights_at_unjudged_ranks(judged, topics, weight, longest_stretch)
    residual[topics] = weight[judged.num_ret[topics]] + (1 - p) * total
    return residual


class _RankStretches(NamedTuple):
    """Ranks to sum weights over, and the judged documents among them, which add nothing."""

    first: Ints
    """int64[S]: the first rank of each stretch."""
    last: Ints
    """int64[S]: the last rank."""
    begin: Ints
    """int64[S]: where its judged documents begin."""
    num_judged: Ints
    """int64[S]: how many there are."""

    def take(self, indices: Ints) -> _RankStretches:
        """Some of the stretches."""
        return _RankStretches(*(column[indices] for column in self))


def _sums_of_weights_at_unjudged_ranks(
    judged: Judged,
    topic_indices: TopicIndices,
    weight_of_rank: RankValues,
    num_ranks_from_first_unjudged: int,
) -> Floats:
    """float64[t]: the sum of the weights at each topic's unjudged ranks, left to right.

    Only so many ranks from the first such one on can matter. Topics with the same unjudged ranks
    share one sum: few judgments are found in most rankings, so most look alike.
    """
    # the first rank of each at which no judged document stands
    is_leading = judged.judged_rank == ranks_in_segments(judged.judged_start)
    num_leading = np.bincount(judged.judged_topic[is_leading], minlength=judged.num_topics)
    first = 1 + num_leading[topic_indices]
    last = np.minimum(judged.num_ret[topic_indices], first + num_ranks_from_first_unjudged - 1)
    begin = judged.judged_start[topic_indices] + first - 1
    num_judged = judged.judged_index.count_up_to(topic_indices, last) - (first - 1)
    stretches = _RankStretches(first, last, begin, num_judged)
    # what tells one topic's unjudged ranks from another's; many judged ranks are like no others
    only_judged = np.zeros_like(first)
    only_judged[num_judged == 1] = judged.judged_rank[begin[num_judged == 1]]
    own_index = np.where(num_judged > 1, np.arange(len(topic_indices)), -1)
    keys = np.stack((first, last, only_judged, own_index))
    order = np.lexsort(keys)
    is_new = np.append(True, (np.diff(keys[:, order]) != 0).any(axis=0))
    distinct = order[is_new]
    size = max(1, CELLS // num_ranks_from_first_unjudged)
    sums = [
        _sums_of_weights_of_stretches(
            judged, stretches.take(distinct[at : at + size]), weight_of_rank
        )
        for at in range(0, len(distinct), size)
    ]
    total = np.empty(len(topic_indices))
    total[order] = np.concatenate(sums)[np.cumsum(is_new) - 1]
    return total


def _sums_of_weights_of_stretches(
    judged: Judged, first_to_last_ranks: _RankStretches, weight_of_rank: RankValues
) -> Floats:
    """float64[S]: the sum of the weights over each stretch, but for its judged documents."""
    first, last, begin, num_judged = first_to_last_ranks
    ranks = first[:, None] + np.arange(int((last - first).max()) + 1)
    inside = ranks <= last[:, None]
    terms = np.where(inside, weight_of_rank[np.minimum(ranks, len(weight_of_rank)) - 1], 0.0)
    line = np.repeat(np.arange(len(first)), num_judged)
    judged_ranks = judged.judged_rank[ranges(begin, begin + num_judged)]
    terms[line, judged_ranks - first[line]] = 0.0
    total: Floats = np.cumsum(terms, axis=1)[:, -1]
    return total


FAINTEST = 2.0**-56
"""A term this much smaller than a sum changes nothing in it."""


CELLS = 1 << 16  # so that a table stays in the processor's cache
