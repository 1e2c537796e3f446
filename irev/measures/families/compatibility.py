"""Compatibility: how near a ranking is to an ideal ranking of its topic."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    Bools,
    DocumentRanks,
    Floats,
    Ints,
    TopicCounts,
    TopicsByCutoffs,
    offsets,
    ranks_in_segments,
    ratio,
    segment_starts,
    segment_sums,
    sums_before,
)
from irev.core.judged import Judged
from irev.errors import UsageError
from irev.measures.families.patience import powers
from irev.measures.registry import Option, measure
from irev.measures.shared import NoCutoff, memoize

DEPTH = 1000
DEEPEST = 1 << 20
"""The largest depth: the weights of the ranks are tabled down to it."""


@measure(
    "Compat",
    "Compatibility: rank-biased overlap with the nearest ideal ranking",
    formula="RBO(ranking, ideal) / RBO(ideal, ideal); RBO(A, B) = sum over i <= depth of p^(i-1) * "
    "|A down to i and B down to i| / i, divided by the sum of p^(i-1)",
    source="Clarke, Vtyurina and Smucker 2021, Assessing Top-k Preferences, TOIS 39(3); their "
    "program compatibility.py",
    options={
        "p": Option("the persistence", 0.95, low=0.0, high=1.0, above_low=True, shown=True),
        "depth": Option(
            "the rank down to which the two are compared; 0: the length of the longer of the two",
            DEPTH,
            kind="whole",
            low=0,
            high=DEEPEST,
        ),
        "normalize": Option("whether to divide by RBO(ideal, ideal)", True, kind="flag"),
    },
    checked="program: ir_measures 0.4.3 (with depth=0)",
    # overlap 1 of 1, 1 of 2, 1 of 3, 2 of 4; the ideal list with itself 1, 2 of 2, 3 of 3, 3 of 4
    example=("2 0 - 1 | 1", "(p=0.5,depth=4)", (1 + 1 / 4 + 1 / 12 + 1 / 16) / (1.75 + 3 / 32)),
    cites=("clarke2021topk", "clarke2020similarity"),
)
def compatibility(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    p: float = 0.95,
    depth: int = DEPTH,
    normalize: bool = True,
) -> TopicsByCutoffs:
    """Rank-biased overlap of the ranking and the ideal ranking that comes nearest to it.

    The ideal ranking has every document judged above 0, the higher grade first; equal grades stand
    as in the ranking, and what was not retrieved behind. Grades are an order and nothing more: they
    may be preference levels or fractions, and the level of relevance does not matter unless the
    name has one: `Compat(rel=2)` takes no notice of grades below 2. The quotient is 1 where the
    ranking begins with the ideal one. A topic without a positive grade has 0.
    """
    if len(cutoffs) != 1:
        raise UsageError("Compat takes no cutoff; its depth is an option")
    tail, end = _tail_sums(judged, p, depth), _compared_depths(judged, depth)
    # the sum of p^(i-1) * overlap(i) / i of the ranking and the ideal ranking
    rows = np.flatnonzero(_is_ideal(judged, judged.grade))
    topic = judged.topic[rows]
    both = np.maximum(judged.rank[rows], _ideal_ranks_of_rows(judged, rows))
    behind = end[topic] + 1
    shared = tail[np.minimum(both, behind)] - tail[behind]
    overlap = segment_sums(topic, shared, judged.num_topics)
    if normalize:  # by the overlap of the ideal ranking with itself
        length = np.minimum(_ideal_length(judged), end)
        most = np.cumsum(tail)[length] - length * tail[end + 1]
    else:  # by the sum of p^(i-1) down to the depth
        most = sums_before(powers(p, int(end.max(initial=0))))[end]
    return ratio(overlap, most)[:, None]


def _is_ideal(judged: Judged, grade: Floats) -> Bools:
    """bool[...]: whether documents of these grades stand in the ideal ranking."""
    enough: Bools = grade >= judged.settings.gain_level
    return enough & (grade > 0)


@memoize
def _ideal_length(judged: Judged) -> TopicCounts:
    """How many documents are judged above 0."""
    counts = np.where(_is_ideal(judged, judged.level_grade), judged.level_count, 0)
    return np.bincount(judged.level_topic, counts, minlength=judged.num_topics).astype(np.int64)


@memoize
def _compared_depths(judged: Judged, depth: int) -> TopicCounts:
    """The rank down to which each topic's lists are compared."""
    if depth:
        return np.full(judged.num_topics, depth)
    return np.maximum(judged.num_ret, _ideal_length(judged))


@memoize
def _tail_sums(judged: Judged, p: float, depth: int) -> Floats:
    """float64[]: the sum of p^(i-1) / i from each rank i to the end.

    A document that both rankings have from rank i on adds that much to their overlap.
    """
    size = int(_compared_depths(judged, depth).max(initial=0))
    if size > DEEPEST:
        raise UsageError(f"Compat compares down to rank {DEEPEST} at most; write depth=N")
    weight = powers(p, size) / np.arange(1, size + 1)
    tail = np.cumsum(weight[::-1])[::-1]
    # nothing at index 0, which is no rank; 0 behind the end
    return np.concatenate(([0.0], tail, [0.0]))


def _ideal_ranks_of_rows(judged: Judged, row_indices: Ints) -> DocumentRanks:
    """int64[len(rows)]: the ranks that retrieved documents of positive grade have when ideal."""
    # the row of the grade table that has the topic and grade of each
    grades, place = np.unique(judged.level_grade, return_inverse=True)
    level_key = judged.level_topic * len(grades) + place
    grade_place = np.searchsorted(grades, judged.grade[row_indices])
    level = np.searchsorted(level_key, judged.topic[row_indices] * len(grades) + grade_place)
    # ranking order inside a level: the rows are in that order already
    order = np.argsort(level, kind="stable")
    nth = np.empty(len(row_indices), np.int64)
    nth[order] = ranks_in_segments(segment_starts(level[order], len(judged.level_grade)))
    up_to = offsets(judged.level_count)
    end = judged.level_start[judged.topic[row_indices] + 1]
    higher = up_to[end] - up_to[level + 1]
    ranks: Ints = higher + nth
    return ranks
