"""The user of the C/W/L measures: what is seen, and how likely, down to a depth.

V(i), the probability of reaching rank i, is a product of continuation probabilities. Where nothing
is gained it has a closed form, so that sums over ranks are taken from one gain to the next.
"""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    Floats,
    Ints,
    TopicCounts,
    TopicValues,
    running_products,
    running_sums,
    segment_starts,
    segment_sums,
)
from irev.core.judged import Judged
from irev.errors import UsageError
from irev.measures.families.gain_lists import GainList, checked_top_gain, nonzero_gain_documents
from irev.measures.registry import GainValue
from irev.measures.shared import memoize
from irev.measures.shared_options import gain_values

DEPTH = 1000
"""How far the user looks at most where no cutoff is given, as in cwl_eval."""
DEEPEST = 1 << 20
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
    documents, top = (
        nonzero_gain_documents(judged, gain),
        checked_top_gain(judged, gain, high_grade),
    )
    bottom = float(gain_values(np.array([low_grade]), gain)[0])
    step = top - bottom
    rows = np.flatnonzero((documents.gain > bottom) & (step > 0))
    start = segment_starts(documents.topic[rows], judged.num_topics)
    values = (documents.gain[rows] - bottom) / step
    return GainList(start, documents.rank[rows], np.minimum(values, 1.0))


def depth_of(cutoff: int | None) -> int:
    """The rank down to which the user looks at most."""
    if cutoff is not None and cutoff > DEEPEST:
        raise UsageError(f"C/W/L measures are cut at rank {DEEPEST} or before, not at {cutoff}")
    return DEPTH if cutoff is None else cutoff


def cut_documents(documents: GainList, depth: int) -> GainList:
    """The documents at ranks up to the depth."""
    inside = documents.rank <= depth
    if inside.all():
        return documents
    topic = documents.topic[inside]
    start = segment_starts(topic, documents.num_topics)
    return GainList(start, documents.rank[inside], documents.gain[inside])


class FirstAndNextGainRanks(NamedTuple):
    """The ranks at which a gain comes next; the depth where none comes."""

    first_of_topic: TopicCounts
    after_document: DocumentRanks


def first_and_next_gain_ranks(documents: GainList, depth: int) -> FirstAndNextGainRanks:
    """Each topic's first rank with a gain, and the next one after each document."""
    following = np.append(documents.rank[1:], depth)[: len(documents.rank)]
    some = documents.length > 0
    following[documents.start[1:][some] - 1] = depth
    first = np.full(len(some), depth)
    first[some] = documents.rank[documents.start[:-1][some]]
    return FirstAndNextGainRanks(first, following)


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
    rank_behind = _first_stop_rank(stop, gained[row], low[row], high[row])
    return gained[row] / np.where(stops_in_row[row], rank[row], rank_behind)


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


def _first_stop_rank(stop: StopRule, gained: Floats, low: Ints, high: Ints) -> Ints:
    """The first rank of [low, high] at which the user stops, by bisection."""
    while (low < high).any():
        middle = (low + high) // 2
        stops = stop.stops_at(middle, gained, gained)
        low, high = np.where(stops, low, middle + 1), np.where(stops, middle, high)
    return high
