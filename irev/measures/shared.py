"""What measures of several families use: memory, cutoffs, options, means over tied documents."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RankCounter,
    TopicCountsByCutoffs,
    TopicsByCutoffs,
    ranges,
    ratio,
    run_starts,
    running_sums,
    segment_starts,
    sums_at,
    sums_before,
)
from irev.core.judged import SMALLEST_MEAN_FACTOR, Judged, TieSpans
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.registry import LARGEST_COUNT, GainValue, Option, choice

Result = TypeVar("Result")


def memoize(function: Callable[..., Result]) -> Callable[..., Result]:
    """Keep the function's result with the rankings that it was worked out for.

    The function takes a `Judged`, or what else has a `memo`, and arguments that can be hashed. What
    it returns is shared, so nobody may write into it.
    """
    return _kept_in("memo", function)


def memoize_for_same_judged_lists(function: Callable[..., Result]) -> Callable[..., Result]:
    """The same of what follows from the judgments alone: it is kept for later rankings too."""
    return _kept_in("memo_of_lists", function)


def _kept_in(memo_name: str, function: Callable[..., Result]) -> Callable[..., Result]:
    memo_of = attrgetter(memo_name)

    @wraps(function)
    def call_once(judged: Any, *arguments: object) -> Result:
        key = (call_once, *arguments)  # which pickle finds by its name; the function it does not
        memo = memo_of(judged)
        result: Result | None = memo.get(key)
        if result is None:  # what was worked out is something
            result = memo[key] = function(judged, *arguments)
        return result

    return call_once


def logs(values: Floats) -> Floats:
    """The logarithm of each value, for a geometric mean: at least the smallest factor counts."""
    raised = np.maximum(values, SMALLEST_MEAN_FACTOR)
    return np.array([math.log(value) for value in raised.tolist()])


Ranks: TypeAlias = tuple[int | None, ...]
"""Cutoffs, one for each column; None: the whole ranking."""

NoCutoff: TypeAlias = tuple[None, ...]
"""What a measure is handed that takes no cutoff, and so reads none."""

BEHIND_ALL = 2**63 - 1
"""A rank that no ranking reaches."""


@lru_cache(256)
def cutoff_ranks(cutoffs: Ranks) -> tuple[int, ...]:
    """The cutoffs as ranks, where the whole ranking has one that is never reached."""
    return tuple([BEHIND_ALL if cutoff is None else cutoff for cutoff in cutoffs])


def retrieved_at(judged: Judged, cutoffs: Ranks) -> TopicCountsByCutoffs:
    """How many documents were retrieved at ranks up to each cutoff."""
    return np.minimum(judged.num_ret[:, None], np.asarray(cutoff_ranks(cutoffs), np.int64))


@memoize
def relevant_at(judged: Judged, cutoffs: Ranks) -> TopicCountsByCutoffs:
    """Relevant documents at ranks up to each cutoff."""
    if cutoffs == (None,):
        return judged.num_rel_ret[:, None]
    return judged.relevant_index.count_all_up_to(cutoff_ranks(cutoffs))


# --- Options that several measures have, and what is shown of several ---

GAIN = Option(
    "the gain of a grade: the grade itself (linear), 2^grade - 1 (exp), or a map {1:1,2:5}; "
    "also a ratio 10:5:1 from the highest level down",
    "linear",
    kind="gain",
    choices=("linear", "exp"),
)
GAIN_OF_STOPS = GAIN._replace(low=0.0)
"""Of measures whose gains say how likely a user is to stop, which is never below 0."""
DISCOUNT = choice(
    "the discount of rank r: 1/log2(r + 1) (log2), or 1 up to rank b and 1/log_b(r) behind it (jk)",
    "log2",
    "jk",
)
BASE = Option(
    "the base of Jarvelin and Kekalainen's discount, a number above 1, or e for the natural "
    "logarithm; naming it implies disc=jk",
    2.0,
    low=1.0,
    high=math.inf,
    above_low=True,
    below_high=True,
    words={"e": math.e},
    implies=("disc", "jk"),
)
BETA = Option(
    "weight of the gains relative to the counts: 0 gives average precision, inf weighted average "
    "precision",
    1.0,
    low=0.0,
    shown=True,
)
DENOMINATOR = choice(
    "what a cut sum is divided by: the relevant documents (R), or at most the cutoff (min)",
    "R",
    "min",
)
HIGHEST = Option("the highest grade of the scale", None, kind="scale", low=0.0, shown=True)

NEGATIVE = choice(
    "what a document with a grade below 0 is: in the pool, but not judged (unjudged), or judged "
    "and not relevant (judged)",
    "unjudged",
    "judged",
)

STANDARD_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

BINARY = ("relevant", "precision")
WITH_RECALL = (*BINARY, "recall")
DISCOUNTED_GAINS = ("gain", "discount", "discounted", "ideal")
CUMULATED_GAINS = ("gain", "gains", "ideal gains")
STOPS = ("gain", "stops", "arrives")
BLENDED_RATIO = ("gain", "relevant", "gains", "ideal gains", "blended ratio")


def gain_values(grade: Floats, gain: GainValue) -> Floats:
    """float64[...]: the gain of each grade; what is not judged (below 0) has 0 unless listed."""
    judged = np.maximum(grade, 0.0)
    if gain == "exp":
        gains = powers_of_two(judged) - 1.0
        if not np.isfinite(gains).all():
            raise UsageError("gain=exp: 2^grade is too large where a grade is 1024 or more")
        return gains
    if isinstance(gain, str):
        return judged
    for level, value in gain:
        judged[grade == level] = value
    return judged


def powers_of_two(exponents: Floats) -> Floats:
    """float64[...]: 2^x of each x, exact for whole x; 0 and infinity past what floats hold."""
    bounded = np.clip(exponents, -2000, 2000)
    whole = bounded.astype(np.int32)
    if np.array_equal(whole, bounded):
        with np.errstate(over="ignore", under="ignore"):
            powers: Floats = np.ldexp(1.0, whole)
        return powers
    # the C library's power, not NumPy's vectorised one
    different, place = np.unique(bounded, return_inverse=True)
    values = [0.0 if x < -1074 else math.inf if x >= 1024 else 2.0**x for x in different.tolist()]
    return np.array(values)[place].reshape(exponents.shape)


SIZE = Option(
    "how many documents the collection has; without it the value of -N",
    None,
    kind="whole",
    low=1,
    high=LARGEST_COUNT,
)

OverridingSize: TypeAlias = int
"""A size of the collection in the place of the one that the whole evaluation has (-N)."""


def size_of_collection(
    judged: Judged, measure_name: str, option_size: OverridingSize | None
) -> int:
    """The size that the measure was given, else the one that the whole evaluation has."""
    size = option_size or judged.settings.collection_size
    if size < 1:
        raise UsageError(
            f"measure {measure_name} needs the size of the collection; write for instance "
            f"{measure_name}(N=1000000), or set it for all measures with -N"
        )
    missed = judged.num_rel + judged.num_nonrel - judged.num_judged_ret
    seen = int((judged.num_ret + missed).max(initial=0))
    if seen > size:
        raise UsageError(
            f"measure {measure_name}: the collection cannot hold {size} documents, since the "
            f"ranking and the judgments of one topic hold {seen}"
        )
    return size


# --- Expected values: what measures are worth on average over all orders of tied documents ---
# In closed form.
# Every order of the documents of a tie group is as likely as any other. A group stands at fixed
# ranks, so what stands before it is known.
# Source: McSherry and Najork 2008, Computing Information Retrieval Performance Measures
# Efficiently in the Presence of Tied Scores, ECIR.


@record
class _TieGroups:
    """G tie groups, each with a relevant document, by topic and rank."""

    topic: Ints
    first: Ints
    size: Ints
    relevant: Ints
    """int64[G]: relevant documents in the group."""
    before: Ints
    """int64[G]: relevant documents at ranks before the group's first."""


@memoize
def _tie_groups_with_relevant(judged: Judged) -> _TieGroups:
    rows = judged.relevant_rows
    spans = judged.ties or TieSpans(judged.rank, np.ones_like(judged.rank))
    topic, first, size = judged.relevant_topic, spans.first[rows], spans.size[rows]
    start = run_starts(topic, first)
    begin = start[:-1]
    before = judged.relevant_nth[begin] - 1
    return _TieGroups(topic[begin], first[begin], size[begin], np.diff(start), before)


def _bounded_ranks(cutoffs: Ranks, depth: int | None) -> Ints:
    """int64[K]: the cutoffs, none behind the depth."""
    most = 2**62 if depth is None else depth
    return np.array([most if k is None else min(k, most) for k in cutoffs], np.int64)


def expected_average_precision(
    judged: Judged, cutoffs: Ranks, depth: int | None, *, denom: str = "R"
) -> TopicsByCutoffs:
    """Average precision: precision at the relevant documents up to each cutoff, summed.

    A group of s documents, n of them relevant, with b relevant ones before it, has at its i-th
    place, of rank r, a relevant document with probability n/s, and if so
    b + 1 + (i-1)(n-1)/(s-1) of them up to there.
    """
    ranks, groups = _bounded_ranks(cutoffs, depth), _tie_groups_with_relevant(judged)
    last = np.minimum(groups.first + groups.size - 1, ranks.max())
    length = np.maximum(last + 1 - groups.first, 0)
    rank = ranges(groups.first, groups.first + length)
    group = np.repeat(np.arange(len(length)), length)
    size, relevant = groups.size[group], groups.relevant[group]
    among = ratio((rank - groups.first[group]) * (relevant - 1), size - 1)
    terms = (groups.before[group] + 1 + among) / rank * (relevant / size)
    topic = groups.topic[group]
    start = segment_starts(topic, judged.num_topics)
    count = RankCounter.build(topic, rank, start).count_all_up_to(ranks)
    most = judged.num_rel[:, None]
    if denom == "min":
        most = np.minimum(most, _bounded_ranks(cutoffs, None))
    return ratio(sums_at(start, running_sums(start, terms), count), most)


def expected_log_average_precision(
    judged: Judged, cutoffs: Ranks, depth: int | None
) -> TopicsByCutoffs:
    """float64[T, 1]: the logarithm of the expected average precision."""
    return logs(expected_average_precision(judged, cutoffs, depth)[:, 0])[:, None]


def expected_reciprocal_rank(judged: Judged, cutoffs: Ranks, depth: int | None) -> TopicsByCutoffs:
    """One over the rank of the first relevant document, 0 behind the cutoff.

    Of s tied documents, n of them relevant, the first relevant one is the (i+1)-th with the
    probability C(s-1-i, n-1) / C(s, n).
    """
    ranks, groups = _bounded_ranks(cutoffs, depth), _tie_groups_with_relevant(judged)
    first_groups = np.flatnonzero(groups.before == 0)  # of its topic
    expected = np.zeros((judged.num_topics, len(ranks)))
    for group in first_groups.tolist():
        first, size, relevant = (
            int(x[group]) for x in (groups.first, groups.size, groups.relevant)
        )
        after = np.arange(1, size - relevant + 1)
        steps = (size - relevant - after + 1) / (size - after)
        chance = np.cumprod(np.append(relevant / size, steps))
        sums = sums_before(chance / (first + np.arange(len(chance))))
        expected[groups.topic[group]] = sums[np.clip(ranks - first + 1, 0, len(chance))]
    return expected


def expected_success(judged: Judged, cutoffs: Ranks, depth: int | None) -> TopicsByCutoffs:
    """The probability of a relevant document among the first k.

    Of s tied documents, n of them relevant, the first c hold none with the probability
    C(s-n, c) / C(s, c).
    """
    ranks, groups = _bounded_ranks(cutoffs, depth), _tie_groups_with_relevant(judged)
    first_groups = np.flatnonzero(groups.before == 0)  # of its topic
    inside = np.clip(
        ranks - groups.first[first_groups, None] + 1, 0, groups.size[first_groups, None]
    )
    probabilities = (inside > 0).astype(np.float64)
    certain = inside > (groups.size - groups.relevant)[first_groups, None]
    for at, column in zip(*np.nonzero((inside > 0) & ~certain), strict=True):
        size, relevant = int(groups.size[first_groups[at]]), int(groups.relevant[first_groups[at]])
        count = int(inside[at, column])
        whole = math.comb(size, count)
        probabilities[at, column] = (whole - math.comb(size - relevant, count)) / whole
    expected = np.zeros((judged.num_topics, len(ranks)))
    expected[groups.topic[first_groups]] = probabilities
    return expected
