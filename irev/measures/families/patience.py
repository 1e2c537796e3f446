"""Users who go on to the next document with some probability: RBP, and the C/W/L measures.

Of rank-biased precision the probability is fixed; in the others it depends on the rank, on what was
gained or on what is still wanted.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    DocumentValues,
    Floats,
    Ints,
    RankValues,
    TopicCounts,
    TopicIndices,
    TopicOfRow,
    TopicsByCutoffs,
    TopicValues,
    log2_by_index,
    offsets,
    ranges,
    ranks_in_segments,
    ratio,
    running_products,
    running_sums,
    segment_starts,
    segment_sums,
    sums_at,
)
from irev.core.judged import Judged
from irev.errors import UsageError
from irev.measures.families.gain import (
    GainList,
    checked_top_gain,
    gain_steps,
    ideal_list,
    nonzero_gain_documents,
    num_nonzero_gains_at,
)
from irev.measures.registry import (
    HIGHEST_GAIN,
    LARGEST_NUMBER,
    GainValue,
    GradeMap,
    Option,
    measure,
)
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


# --- Rank-biased precision as trec_eval computes it ---


FAINTEST = 2.0**-56
"""A term this much smaller than a sum changes nothing in it."""

_RANK_CELLS = 1 << 16
"""Numbers in a table of stretches x ranks: it stays in the processor's cache."""


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
    size = max(1, _RANK_CELLS // num_ranks_from_first_unjudged)
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


# --- C/W/L measures: the gain per document that a user sees who may stop after each one ---
# A measure is its continuation probabilities C(i). The user reaches rank i with probability V(i) =
# C(1) * ... * C(i-1), and the value is sum of V(i) * g(i) divided by the sum of V(i): the expected
# rate of gain. Gains are scaled into 0..1; a document without a judgment gains nothing, and the
# ranking goes on with such documents down to the cutoff, or to rank 1000 without one. So between
# two documents with a gain everything has a closed form, and the work grows with those alone.


CWL_DEPTH = 1000
"""How far the user looks at most where no cutoff is given, as in cwl_eval."""

DEEPEST_CWL = 1 << 20
"""The largest cutoff: probabilities are tabled down to it."""


class Scale(TypedDict, total=False):
    """How grades become gains between 0 and 1."""

    gain: GainValue
    min: float
    max: float | None


def scaled_gains(judged: Judged, scale: Scale) -> GainList:
    """The retrieved documents with a gain, and it between 0 and 1."""
    gain, high = scale.get("gain", "linear"), scale.get("max")
    if high is None and gain != "binary":
        raise UsageError("the highest grade of the scale is not known; write max=N")
    return _scaled_gains_between_grades(judged, gain, scale.get("min", 0.0), high or 0.0)


@memoize
def _scaled_gains_between_grades(
    judged: Judged, gain: GainValue, low_grade: float, high_grade: float
) -> GainList:
    if gain == "binary":
        ones = np.ones(len(judged.relevant_rows))
        return GainList(judged.relevant_start, judged.relevant_rank, ones)
    documents = nonzero_gain_documents(judged, gain)
    top = checked_top_gain(judged, gain, high_grade)
    bottom = float(gain_values(np.array([low_grade]), gain)[0])
    step = top - bottom
    rows = np.flatnonzero((documents.gain > bottom) & (step > 0))
    start = segment_starts(documents.topic[rows], judged.num_topics)
    values = (documents.gain[rows] - bottom) / step
    return GainList(start, documents.rank[rows], np.minimum(values, 1.0))


def depth_of(cutoff: int | None) -> int:
    """The rank down to which the user looks at most."""
    if cutoff is not None and cutoff > DEEPEST_CWL:
        raise UsageError(f"C/W/L measures are cut at rank {DEEPEST_CWL} or before, not at {cutoff}")
    return CWL_DEPTH if cutoff is None else cutoff


def cut_documents(documents: GainList, depth: int) -> GainList:
    """The documents at ranks up to the depth."""
    inside = documents.rank <= depth
    if inside.all():
        return documents
    topic = documents.topic[inside]
    start = segment_starts(topic, documents.num_topics)
    return GainList(start, documents.rank[inside], documents.gain[inside])


def first_and_next_gain_ranks(documents: GainList, depth: int) -> tuple[TopicCounts, DocumentRanks]:
    """Each topic's first rank with a gain, and the next one after each document, or the depth."""
    following = np.append(documents.rank[1:], depth)[: len(documents.rank)]
    some = documents.length > 0
    following[documents.start[1:][some] - 1] = depth
    first = np.full(len(some), depth)
    first[some] = documents.rank[documents.start[:-1][some]]
    return first, following


def gain_rate(
    documents: GainList, weight_of_rank: Floats, *, gain_stops_search: bool
) -> TopicValues:
    """The expected rate of gain down to the depth that the weights reach.

    `weight[i]` is how likely rank i is reached by a user who never stops for a gain. With
    `gain_stops_search`, a document with gain g ends the search with probability g.
    """
    depth, num_topics = len(weight_of_rank) - 1, documents.num_topics
    documents = cut_documents(documents, depth)
    up_to = np.cumsum(weight_of_rank)
    seen = weight_of_rank[documents.rank]
    if not gain_stops_search:
        expected_gain = segment_sums(documents.topic, seen * documents.gain, num_topics)
        return np.asarray(expected_gain / up_to[-1])
    after = running_products(documents.start, 1 - documents.gain)
    before = np.append(1.0, after)[: len(after)]
    before[documents.start[:-1][documents.length > 0]] = 1.0
    first, following = first_and_next_gain_ranks(documents, depth)
    between = up_to[following] - up_to[documents.rank]
    total = up_to[first] + segment_sums(documents.topic, after * between, num_topics)
    return segment_sums(documents.topic, before * seen * documents.gain, num_topics) / total


def adaptive_rate(documents: GainList, depth: int, wanted_gain: float) -> TopicValues:
    """The expected rate of gain down to the depth of a user who wants some gain.

    While what is still wanted is constant, the probabilities telescope: V(i) is a ratio squared.
    """
    documents = cut_documents(documents, depth)
    num_topics, topic, rank = documents.num_topics, documents.topic, documents.rank
    first, following = first_and_next_gain_ranks(documents, depth)
    doubled_goal = 2 * wanted_gain
    # at rank i, until the next gain, C(i) = ((i + shift - 1) / (i + shift))^2
    shift = doubled_goal - running_sums(documents.start, documents.gain)
    passed = rank + shift - 1
    with np.errstate(divide="ignore", invalid="ignore"):  # from a topic's last row to the next's
        step = np.append(0.0, passed / (following - 1 + shift))[: len(rank)]
    starts = documents.start[:-1][documents.length > 0]
    step[starts] = doubled_goal / (rank[starts] - 1 + doubled_goal)
    reached = running_products(documents.start, step) ** 2
    total = doubled_goal**2 * inverse_square_sum(np.full(num_topics, doubled_goal), first)
    total += segment_sums(
        topic, reached * passed**2 * inverse_square_sum(rank + shift, following - rank), num_topics
    )
    expected_gain: Floats = segment_sums(topic, reached * documents.gain, num_topics)
    return expected_gain / total


def inverse_square_sum(x: Floats, count: Ints) -> Floats:
    """float64[...]: the sum of 1 / (x + m)^2 over m = 0, 1, ..., count - 1, for x > 0.

    It is the difference of two values of the trigamma function, by the Euler-Maclaurin formula from
    12 on. Of its first two terms the differences are taken by algebra: where x is large, they are
    far smaller than the terms.
    """
    end, first_terms = x + count, np.zeros(x.shape)
    is_near = x < _FAR
    for m in range(_FAR):
        terms = 1 / ((x + m) * (x + m)) - 1 / ((end + m) * (end + m))
        first_terms += np.where(is_near, terms, 0.0)
    shift = np.where(is_near, float(_FAR), 0.0)
    low, high = 1 / (x + shift), 1 / (end + shift)
    difference = count * low * high
    rest = _later_euler_maclaurin_terms(low) - _later_euler_maclaurin_terms(high)
    return first_terms + (difference + difference * (low + high) / 2 + rest)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_FAR = 12  # from here on the series below is exact to the last digits


def _later_euler_maclaurin_terms(inverse: Floats) -> Floats:
    """Those of the trigamma function of 1 / inverse behind the first two, at most 1/12."""
    square = inverse * inverse
    series = np.zeros(inverse.shape)
    for number in reversed(_BERNOULLI):
        series = (series + number) * square
    return series * inverse


def mean_gain_to_first_stop(documents: GainList, stop: StopRule) -> TopicValues:
    """The mean gain down to the first rank at which the user stops.

    `stop.stops_at(...)` must hold from some rank on while nothing more is gained.
    """
    num_topics, length = documents.num_topics, documents.length
    # each topic's rows, with one at rank 0 before them
    start = documents.start + np.arange(num_topics + 1)
    place = np.arange(len(documents.rank)) + np.repeat(np.arange(1, num_topics + 1), length)
    rank, gain = np.zeros(start[-1], np.int64), np.zeros(start[-1])
    rank[place], gain[place] = documents.rank, documents.gain
    gained = running_sums(start, gain)
    last = start[1:] - 1
    low, high = rank + 1, np.append(rank[1:], 0) - 1
    high[last] = np.maximum(stop.latest_stop(gained[last]), rank[last] + 1)
    gained_before = gained - gain
    gained_before[place] = gained[place - 1]
    stops_in_row = (rank > 0) & stop.stops_at(rank, gained, gained_before)
    stops_behind = (high >= low) & stop.stops_at(high, gained, gained)
    rows = np.flatnonzero(stops_in_row | stops_behind)
    row = rows[np.searchsorted(rows, start[:-1])]
    # where nothing more is gained, by bisection: the first rank of [low, high] at which they stop
    gained, low, high = gained[row], low[row], high[row]
    while (low < high).any():
        middle = (low + high) // 2
        stops = stop.stops_at(middle, gained, gained)
        low, high = np.where(stops, low, middle + 1), np.where(stops, middle, high)
    return gained / np.where(stops_in_row[row], rank[row], high)


class StopRule(NamedTuple):
    """When the bejewelled player stops: enough gained, or enough seen.

    The gain wanted moves by `gain_shift`, the number of documents allowed by `cost_shift`, times
    the gain of each document seen less `middle`; `gained` is the gain up to each rank.
    """

    wanted_gain: float
    allowed_docs: float
    gain_shift: float
    cost_shift: float
    middle: float

    def stops_at(self, rank: Ints, gained: Floats, gained_before: Floats) -> Bools:
        """Whether the user stops at a rank, with the gain up to it and that before it."""
        moved = gained_before - self.middle * (rank - 1)
        enough = gained >= self.wanted_gain + self.gain_shift * moved
        tired: Bools = rank >= self.allowed_docs + self.cost_shift * moved
        return enough | tired

    def latest_stop(self, gained: Floats) -> Ints:
        """A rank at which the user has stopped, if nothing more is gained."""
        most: Ints = np.ceil(self.allowed_docs + self.cost_shift * gained).astype(np.int64)
        return np.maximum(most, 1)


# --- C/W/L measures: the users and their records ---


CWL_EVAL = "cwl_eval (Azzopardi, Thomas and Moffat 2019, SIGIR)"
AS_PROGRAM = "program: cwl_eval 1.0.12"

SCALE = {
    "gain": Option(
        GAIN.meaning + "; 1 for each relevant document (binary). It is scaled into 0..1",
        "linear",
        kind="gain",
        choices=("linear", "exp", "binary"),
    ),
    "min": Option(
        "the lowest grade of the scale, whose gain is 0", 0.0, low=0.0, high=LARGEST_NUMBER
    ),
    "max": HIGHEST,
}
EXPECTED = Option(
    "the total gain that the user wants", 1.0, low=0.0, high=HIGHEST_GAIN, above_low=True
)
LARGEST_SHIFT = 1e6
"""By how much a gain of 1 may move what the bejewelled player wants."""


def _gain_rates(
    judged: Judged, scale: Scale, weights_of_cutoffs: list[Floats], *, gain_stops_search: bool
) -> TopicsByCutoffs:
    """A column for the weights of the ranks 1, 2, ... down to each cutoff."""
    documents = scaled_gains(judged, scale)
    return np.stack(
        [
            gain_rate(documents, np.append(0.0, each), gain_stops_search=gain_stops_search)
            for each in weights_of_cutoffs
        ],
        axis=1,
    )


def _ranks_to_depth(cutoff: int | None) -> Floats:
    """The ranks 1, 2, ... down to the depth."""
    return np.arange(1.0, depth_of(cutoff) + 1)


def _insq_weights(cutoff: int | None, wanted_gain: float) -> Floats:
    """(2T / (i + 2T - 1))^2, which is what the product of the probabilities comes to."""
    # the rank less 1 first: a tiny T would be lost beside the 1
    share = 2 * wanted_gain / ((_ranks_to_depth(cutoff) - 1) + 2 * wanted_gain)
    weights: Floats = share * share
    return weights


@measure(
    "SDCG",
    "Scaled discounted cumulated gain",
    family="cwl",
    formula="sum over i <= k of g(i) / log2(i+1), divided by the sum over i <= k of 1 / log2(i+1)",
    source=CWL_EVAL,
    options=SCALE,
    cutoff="required",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(max=2)@3", 1 / (1 + 1 / math.log2(3) + 1 / 2)),
    residual="cutoff",
    cites=("azzopardi2019cwleval", "moffat2017cwl"),
    additive=True,
    linear=True,
)
def scaled_dcg(judged: Judged, cutoffs: Ranks, **scale: Unpack[Scale]) -> TopicsByCutoffs:
    """The DCG as a share of what k documents of the highest grade would have.

    Unlike for nDCG, the divisor is the same for all topics and knows nothing of the topic's own
    relevant documents, so a topic with few of them cannot reach 1. A grade above `max` is an
    error.
    """
    weights = []
    for cutoff in cutoffs:
        depth = depth_of(cutoff)
        weights.append(1 / log2_by_index(depth + 2)[2 : depth + 2])
    return _gain_rates(judged, scale, weights, gain_stops_search=False)


@measure(
    "INSQ",
    "INSQ: a user who becomes more patient the further down",
    family="cwl",
    formula="C(i) = ((i + 2T - 1) / (i + 2T))^2; sum of V(i) g(i) / sum of V(i)",
    source="Moffat, Scholer and Thomas 2012, Models and Metrics: IR Evaluation as a User Process, "
    "ADCS; " + CWL_EVAL,
    options={"T": EXPECTED, **SCALE},
    cutoff="optional",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(T=1,max=2)@2", 9 / 13),
    residual="endless",
    cites=("moffat2012models", "moffat2017cwl"),
    additive=True,
)
def insq(
    judged: Judged, cutoffs: Ranks, *, T: float = 1.0, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of a user who came for T relevant documents, whatever is found.

    The probability of going on rises with the rank and, at any rank, with T: it depends on what was
    expected, not on what was seen (for that, see INST). The user looks no further than the cutoff,
    rank 1000 without one.
    """
    weights = [_insq_weights(cutoff, T) for cutoff in cutoffs]
    return _gain_rates(judged, scale, weights, gain_stops_search=False)


@measure(
    "INST",
    "INST: a user who goes on depending on what was hoped for and what was found",
    family="cwl",
    formula="C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))^2 with T(i) = T - sum of g(j), j <= i; "
    "sum of V(i) g(i) / sum of V(i)",
    source="Moffat, Bailey, Scholer and Thomas 2015, INST: An Adaptive Metric for Information "
    "Retrieval Evaluation, ADCS; " + CWL_EVAL,
    options={"T": EXPECTED._replace(low=0.25, above_low=False), **SCALE},
    cutoff="optional",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(T=1,max=2)@4", 297 / 410),
    residual="endless",
    cites=("moffat2015inst", "moffat2017cwl", "moffat2013users"),
)
def inst(
    judged: Judged, cutoffs: Ranks, *, T: float = 1.0, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of a user who stops the sooner the more of the T wanted has been found.

    INSQ made adaptive: without any gain the two agree. It is a rate, the gain for each document
    looked at, not a sum. The user looks no further than the cutoff, rank 1000 without one. With a T
    below 0.25 the formula would give probabilities above 1: it is refused.
    """
    documents = scaled_gains(judged, scale)
    values = [adaptive_rate(documents, depth_of(cutoff), T) for cutoff in cutoffs]
    return np.stack(values, axis=1)


@measure(
    "NERR8",
    "Nearly expected reciprocal rank: a user who stops at a gain",
    family="cwl",
    formula="C(i) = 1 - g(i) for i < k; sum of V(i) g(i) / sum of V(i)",
    source="Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L, ICTIR, equation 8",
    options=SCALE,
    cutoff="required",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(max=4)@4", 0.25),
    residual="cutoff",
    cites=("azzopardi2021err", "azzopardi2019cwleval"),
)
def nerr8_with_equal_weights(
    judged: Judged, cutoffs: Ranks, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of a user who stops at a document with the probability of its gain.

    The first of four measures near ERR that fit the C/W/L framework. A document of the highest
    grade always ends the search.
    """
    weights = [np.ones(depth_of(cutoff)) for cutoff in cutoffs]
    return _gain_rates(judged, scale, weights, gain_stops_search=True)


@measure(
    "NERR9",
    "Nearly expected reciprocal rank: stops at a gain, and tires as 1/rank",
    family="cwl",
    formula="C(i) = (1 - g(i)) * i / (i+1) for i < k; sum of V(i) g(i) / sum of V(i)",
    source="Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L, ICTIR, equation 9",
    options=SCALE,
    cutoff="required",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(max=4)@4", 51 / 148),
    residual="cutoff",
    cites=("azzopardi2021err", "azzopardi2019cwleval"),
)
def nerr9_with_reciprocal_weights(
    judged: Judged, cutoffs: Ranks, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of a user who stops for a gain, and at rank i for want of patience too.

    Without gains the user reaches rank i with probability 1/i, as the reciprocal rank in ERR has
    it.
    """
    weights = [1 / _ranks_to_depth(cutoff) for cutoff in cutoffs]
    return _gain_rates(judged, scale, weights, gain_stops_search=True)


@measure(
    "NERR10",
    "Nearly expected reciprocal rank: stops at a gain, and goes on with probability p",
    family="cwl",
    formula="C(i) = p * (1 - g(i)); sum of V(i) g(i) / sum of V(i)",
    source="Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L, ICTIR, equation 10",
    options={"p": Option("the persistence: as in RBP", 0.9, low=0.0, high=1.0), **SCALE},
    cutoff="optional",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(p=0.5,max=4)@4", 33 / 92),
    residual="endless",
    cites=("azzopardi2021err", "azzopardi2019cwleval"),
)
def nerr10_with_rbp_weights(
    judged: Judged, cutoffs: Ranks, *, p: float = 0.9, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of RBP's user, who also stops at a document with its gain's probability.

    The user looks no further than the cutoff, rank 1000 without one.
    """
    weights = [powers(p, depth_of(cutoff)) for cutoff in cutoffs]
    return _gain_rates(judged, scale, weights, gain_stops_search=True)


@measure(
    "NERR11",
    "Nearly expected reciprocal rank: stops at a gain, and goes on as in INSQ",
    family="cwl",
    formula="C(i) = (1 - g(i)) * ((i + 2T - 1) / (i + 2T))^2; sum of V(i) g(i) / sum of V(i)",
    source="Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L, ICTIR, equation 11",
    options={"T": EXPECTED, **SCALE},
    cutoff="optional",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(T=1,max=4)@2", 9 / 22),
    residual="endless",
    cites=("azzopardi2021err", "azzopardi2019cwleval"),
)
def nerr11_with_insq_weights(
    judged: Judged, cutoffs: Ranks, *, T: float = 1.0, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of INSQ's user, who also stops at a document with its gain's probability.

    The user looks no further than the cutoff, rank 1000 without one.
    """
    weights = [_insq_weights(cutoff, T) for cutoff in cutoffs]
    return _gain_rates(judged, scale, weights, gain_stops_search=True)


@measure(
    "RateAP",
    "Average precision as a rate of gain: of what was retrieved",
    family="cwl",
    formula="sum of g(i) * G(i) / i over the retrieved, divided by the sum of g(i) over them; "
    "G(i) = sum of g(j) over j <= i",
    source=CWL_EVAL + ", its AP",
    options=SCALE,
    cutoff="optional",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(max=2)", (1 + 0.5 * 1.5 / 4) / 1.5),
    cites=("azzopardi2019cwleval", "moffat2017cwl"),
)
def average_precision_as_rate(
    judged: Judged, cutoffs: Ranks, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of a user who reaches a rank as often as there is gain at or behind it.

    With binary gains it is average precision divided by the relevant documents retrieved, not by
    all of them: what was missed costs nothing. The user looks no further than the cutoff, rank 1000
    without one. A ranking without a gain has 0.
    """
    gains, values = scaled_gains(judged, scale), []
    for cutoff in cutoffs:
        documents = cut_documents(gains, depth_of(cutoff))
        num_topics, topic = documents.num_topics, documents.topic
        gained = running_sums(documents.start, documents.gain)
        reached = segment_sums(topic, documents.gain * gained / documents.rank, num_topics)
        values.append(ratio(reached, segment_sums(topic, documents.gain, num_topics)))
    return np.stack(values, axis=1)


@measure(
    "RateRR",
    "Reciprocal rank as a rate of gain",
    family="cwl",
    formula="g(i) / i at the first rank i with a gain",
    source=CWL_EVAL + ", its RR",
    options=SCALE,
    cutoff="optional",
    checked=AS_PROGRAM,
    example=("0 1 - 2 | 1", "(max=2)", 0.25),
    cites=("azzopardi2019cwleval", "moffat2017cwl"),
)
def reciprocal_rank_as_rate(
    judged: Judged, cutoffs: Ranks, **scale: Unpack[Scale]
) -> TopicsByCutoffs:
    """The rate of gain of a user who stops at the first gain.

    With binary gains it is the reciprocal rank. The user looks no further than the cutoff, rank
    1000 without one; where nothing is gained there, it is 0.
    """
    gains, values = scaled_gains(judged, scale), []
    for cutoff in cutoffs:
        documents = cut_documents(gains, depth_of(cutoff))
        value = np.zeros(documents.num_topics)
        topics = np.flatnonzero(documents.length)
        first = documents.start[topics]
        value[topics] = documents.gain[first] / documents.rank[first]
        values.append(value)
    return np.stack(values, axis=1)


@measure(
    "BPM",
    "Bejewelled player model: the mean gain until enough is gained or seen",
    family="cwl",
    formula="sum of g(i) / n over i <= n, n the first rank with sum of g(j) over j <= n at least "
    "T + hb * s(n), or n at least k + hc * s(n); s(n) = sum over j < n of g(j) - med",
    source="Zhang, Liu, Li, Zhang, Xu and Ma 2017, Evaluating Web Search with a Bejeweled Player "
    "Model, SIGIR; " + CWL_EVAL,
    options={
        "T": EXPECTED,
        "hb": Option(
            "by how much gains above med raise T (0: the static model)",
            0.0,
            low=0.0,
            high=LARGEST_SHIFT,
        ),
        "hc": Option(
            "by how much gains above med raise K (0: the static model)",
            0.0,
            low=0.0,
            high=LARGEST_SHIFT,
        ),
        "med": Option("the gain that moves neither T nor K", 0.5, low=0.0, high=1.0),
        **SCALE,
    },
    cutoff="required",
    checked=AS_PROGRAM,
    example=("2 0 - 1 | 1", "(T=1.5,max=2)@10", 0.375),
    residual="cutoff",
    cites=("zhang2017bejeweled", "azzopardi2019cwleval"),
)
def bejewelled_player(
    judged: Judged,
    cutoffs: Ranks,
    *,
    T: float = 1.0,
    hb: float = 0.0,
    hc: float = 0.0,
    med: float = 0.5,
    **scale: Unpack[Scale],
) -> TopicsByCutoffs:
    """The mean gain of a player who stops with a gain of T, or with k documents seen.

    The static model, with hb and hc 0, is the default. In the dynamic one, T and k grow with each
    gain above `med` and shrink with each below: a good start makes the player want more. The scaled
    gains are added up one by one, so that ten of 0.1 miss a T of 1 by a rounding.
    """
    documents = scaled_gains(judged, scale)
    rules = [StopRule(T, float(depth_of(cutoff)), hb, hc, med) for cutoff in cutoffs]
    return np.stack([mean_gain_to_first_stop(documents, rule) for rule in rules], axis=1)
