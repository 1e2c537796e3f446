"""What estimates from strata share: counts along a ranking, and how many documents strata hold.

In all of these the strata of a topic are taken one after another, in byte order of their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, offsets, ratio, sum_by
from irev.core.sampled import SampledJudged, Strata
from irev.measures.registry import Option
from irev.measures.shared import once

ABOVE, BELOW = 0.00001, 0.00003
"""What sample_eval adds to the relevant and to the judged documents of a stratum."""

TOOL = Option(
    "whose program: NIST's of 2011, or TRECVID's of 2012",
    "nist2011",
    kind="choice",
    choices=("nist2011", "trecvid2012"),
    shown=True,
)

Stratified = SampledJudged[Strata]
"""Rankings against judgments by strata."""


@dataclass(frozen=True, eq=False, repr=False)
class Stratum:
    """One stratum of each topic, the n-th of its names; topics with fewer have an empty one.

    size, judged, relevant  int64[T], documents of the pool, judged ones, relevant ones
    mine                    bool[J], the retrieved documents that are in it
    """

    size: Ints
    judged: Ints
    relevant: Ints
    mine: Bools

    @property
    def weight(self) -> Floats:
        """float64[T]: how many documents a judged one stands for."""
        return ratio(self.size, self.judged)


@once
def strata_of(rankings: Stratified) -> tuple[Stratum, ...]:
    """The strata, each time one of every topic."""
    strata, judged = rankings.sample, rankings.judged
    known = rankings.number >= 0
    number = np.where(known, rankings.number, 0)
    first = strata.start[number]
    count = np.where(known, strata.start[number + 1] - first, 0)
    relevant = relevant_of(strata, judged.settings.level)
    place = strata.of_row[rankings.row] - first[judged.topic]
    found = []
    for n in range(int(count.max(initial=0))):
        has = n < count
        at = np.where(has, first + n, 0)
        found.append(
            Stratum(
                np.where(has, strata.size[at], 0),
                np.where(has, strata.judged[at], 0),
                np.where(has, relevant[at], 0),
                place == n,
            )
        )
    return tuple(found)


def relevant_of(strata: Strata, level: float) -> Ints:
    """int64[S]: the relevant documents of each stratum's sample."""
    chosen = strata.level_grade >= level
    counts = np.bincount(
        strata.level_stratum[chosen], strata.level_count[chosen], minlength=len(strata.names)
    )
    return counts.astype(np.int64)


@once
def estimated_relevant(rankings: Stratified) -> Floats:
    """float64[T]: R, the sum over the strata of r N / n."""
    total = np.zeros(rankings.num_topics)
    for stratum in strata_of(rankings):
        total += ratio(stratum.relevant * stratum.size, stratum.judged)
    return total


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """What stands before each of J retrieved documents of the pool, of one stratum.

    pooled, judged, relevant  int64[J]
    """

    stratum: Stratum
    pooled: Ints
    judged: Ints
    relevant: Ints

    def share(self) -> Floats:
        """float64[J]: the share of relevant documents, a third where nothing is known."""
        return (self.relevant + ABOVE) / (self.judged + BELOW)


def counts_before(rankings: Stratified, *, including: bool = False) -> Iterator[Counts]:
    """The counts for each stratum: strictly before each document, or including it."""
    judged = rankings.judged
    first = judged.row_start[judged.topic]

    def counted(flags: Bools) -> Ints:
        up_to = offsets(flags)
        found: Ints = up_to[1:] - up_to[first] if including else up_to[:-1] - up_to[first]
        return found

    for stratum in strata_of(rankings):
        mine = stratum.mine
        yield Counts(
            stratum,
            counted(mine),
            counted(mine & judged.is_judged),
            counted(mine & judged.is_relevant),
        )


@once
def expected_precision(rankings: Stratified) -> Floats:
    """float64[J]: the expected precision at each document, were it relevant."""
    judged = rankings.judged
    before = np.arange(len(judged.topic)) - judged.row_start[judged.topic]
    share = np.zeros(len(before))
    for counts in counts_before(rankings):
        share += ratio(counts.pooled, before) * counts.share()
    found: Floats = 1 / judged.rank + before / judged.rank * share
    return found


@once
def expected_relevant(rankings: Stratified) -> Floats:
    """float64[J]: how many documents are expected to be relevant up to and including each one."""
    total = np.zeros(len(rankings.judged.topic))
    for counts in counts_before(rankings, including=True):
        total += counts.pooled * counts.share()
    return total


def sum_of_precisions(rankings: Stratified, stratum: Stratum, depth: int) -> Floats:
    """float64[T]: over the relevant documents of a stratum down to a depth."""
    judged = rankings.judged
    rows = np.flatnonzero(stratum.mine & judged.is_relevant & (judged.rank <= depth))
    return sum_by(judged.topic[rows], expected_precision(rankings)[rows], rankings.num_topics)
