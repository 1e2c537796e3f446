"""Estimates from samples of judgments: by strata, or with probabilities of inclusion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irev.core.arrays import (
    Bools,
    CountsByStratum,
    DocumentValues,
    Floats,
    Ints,
    RanksByCutoffs,
    RankValues,
    RowIndices,
    RowMask,
    RowValues,
    TopicMask,
    TopicOfRow,
    TopicsByCutoffs,
    TopicValues,
    log2_by_index,
    offsets,
    ranges,
    ratio,
    run_starts,
    running_sums,
    segment_starts,
    segment_sums,
    sums_at,
)
from irev.core.judged import BOTH, MTC, Inclusions, Judged, SampledJudged, Strata
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.registry import Option, choice, measure
from irev.measures.shared import NoCutoff, Ranks, memoize

NO_BOUND = "few judged documents represent many, so an estimate may exceed 1"

# --- Judgments by strata: what the estimates of sample_eval share ---
# In all of these the strata of a topic are taken one after another, in byte order of their names.


ADDED_RELEVANT, ADDED_JUDGED = 0.00001, 0.00003
"""What sample_eval adds to the relevant and to the judged documents of a stratum."""

TOOL = choice(
    "whose program: NIST's of 2011, or TRECVID's of 2012", "nist2011", "trecvid2012", shown=True
)

StratifiedRankings = SampledJudged[Strata]
"""Rankings against judgments by strata."""


@record
class NthStratum:
    """One stratum of each topic, the n-th of its names; topics with fewer have an empty one.

    size, judged, relevant  int64[T], documents of the pool, judged ones, relevant ones
    in_stratum              bool[J], the retrieved documents that are in it
    """

    size: Ints
    judged: Ints
    relevant: Ints
    in_stratum: Bools

    @property
    def weight(self) -> TopicValues:
        """How many documents a judged one stands for."""
        return ratio(self.size, self.judged)


@memoize
def nth_strata_of_topics(rankings: StratifiedRankings) -> tuple[NthStratum, ...]:
    """The n-th stratum of every topic, for n = 0, 1, ..."""
    strata, judged = rankings.sample, rankings.judged
    has_strata = rankings.qrels_topic >= 0
    number = np.where(has_strata, rankings.qrels_topic, 0)
    first = strata.start[number]
    count = np.where(has_strata, strata.start[number + 1] - first, 0)
    relevant = num_sampled_relevant_by_stratum(strata, judged.settings.level)
    place = strata.stratum_of_row[rankings.row] - first[judged.topic]
    nth_strata = []
    for n in range(int(count.max(initial=0))):
        has_nth = n < count
        at = np.where(has_nth, first + n, 0)
        nth_strata.append(
            NthStratum(
                np.where(has_nth, strata.size[at], 0),
                np.where(has_nth, strata.judged[at], 0),
                np.where(has_nth, relevant[at], 0),
                place == n,
            )
        )
    return tuple(nth_strata)


def num_sampled_relevant_by_stratum(strata: Strata, level: float) -> CountsByStratum:
    """int64[S]: the relevant documents of each stratum's sample."""
    is_relevant = strata.level_grade >= level
    counts = np.bincount(
        strata.level_stratum[is_relevant],
        strata.level_count[is_relevant],
        minlength=len(strata.names),
    )
    return counts.astype(np.int64)


@memoize
def estimated_relevant(rankings: StratifiedRankings) -> TopicValues:
    """float64[T]: R, the sum over the strata of r N / n."""
    total = np.zeros(rankings.num_topics)
    for stratum in nth_strata_of_topics(rankings):
        total += ratio(stratum.relevant * stratum.size, stratum.judged)
    return total


@record
class StratumCounts:
    """What stands before each of J retrieved documents of the pool, of one stratum.

    pooled, judged, relevant  int64[J]
    """

    stratum: NthStratum
    pooled: Ints
    judged: Ints
    relevant: Ints

    def share(self) -> DocumentValues:
        """The share of relevant documents, a third where nothing is known."""
        return (self.relevant + ADDED_RELEVANT) / (self.judged + ADDED_JUDGED)


def counts_before(
    rankings: StratifiedRankings, *, including: bool = False
) -> Iterator[StratumCounts]:
    """The counts for each stratum: strictly before each document, or including it."""
    judged = rankings.judged
    first = judged.row_start[judged.topic]

    def num_true_along_ranking(flags: Bools) -> Ints:
        up_to = offsets(flags)
        counts: Ints = (up_to[1:] if including else up_to[:-1]) - up_to[first]
        return counts

    for stratum in nth_strata_of_topics(rankings):
        in_stratum = stratum.in_stratum
        yield StratumCounts(
            stratum,
            num_true_along_ranking(in_stratum),
            num_true_along_ranking(in_stratum & judged.is_judged),
            num_true_along_ranking(in_stratum & judged.is_relevant),
        )


@memoize
def expected_precision(rankings: StratifiedRankings) -> DocumentValues:
    """The expected precision at each document, were it relevant."""
    judged = rankings.judged
    before = np.arange(len(judged.topic)) - judged.row_start[judged.topic]
    share = np.zeros(len(before))
    for counts in counts_before(rankings):
        share += ratio(counts.pooled, before) * counts.share()
    precision: Floats = 1 / judged.rank + before / judged.rank * share
    return precision


@memoize
def expected_relevant(rankings: StratifiedRankings) -> DocumentValues:
    """How many documents are expected to be relevant up to and including each one."""
    total = np.zeros(len(rankings.judged.topic))
    for counts in counts_before(rankings, including=True):
        total += counts.pooled * counts.share()
    return total


def ideal_gain(rankings: SampledJudged[Strata], depth: int, tool: str) -> TopicValues:
    """The discounted gain of the ideal list down to a depth.

    As in sample_eval, a grade that begins behind the depth still has one document.
    """
    has_strata = rankings.qrels_topic >= 0
    least_grade = float(rankings.judged.settings.gain_level)
    gain_of_topic = _ideal_gain_of_topics(rankings.sample, least_grade, depth, tool)
    if not len(gain_of_topic):
        return np.zeros(rankings.num_topics)
    return np.where(has_strata, gain_of_topic[np.where(has_strata, rankings.qrels_topic, 0)], 0.0)


@memoize
def _ideal_gain_of_topics(strata: Strata, least_grade: float, depth: int, tool: str) -> TopicValues:
    """The same for each topic of the qrels."""
    # the grades of each topic, the highest first, and how many documents the pool has of each
    rows = np.flatnonzero((strata.level_grade > 0) & (strata.level_grade >= least_grade))
    stratum, grade = strata.level_stratum[rows], strata.level_grade[rows]
    documents = strata.level_count[rows] * strata.size[stratum] / strata.judged[stratum]
    topic = strata.topic[stratum]
    order = np.lexsort((stratum, -grade, topic))
    topic, grade = topic[order], grade[order]
    begin = run_starts(topic, grade)
    nth_grade = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    count = segment_sums(nth_grade, documents[order], len(begin) - 1)
    topic, grade = topic[begin[:-1]], grade[begin[:-1]]
    num_topics = len(strata.start) - 1
    if tool == "trecvid2012":
        return _ideal_gain_at_fractional_ranks(topic, grade, count, num_topics, depth)
    whole = np.floor(count + 0.5).astype(np.int64)
    up_to = np.cumsum(whole)
    before = up_to - whole - (up_to - whole)[segment_starts(topic, num_topics)[topic]]
    # the program looks whether it is deep enough behind the first document of a grade
    taken = np.minimum(whole, np.maximum(depth - before, 1))
    gain, topic = np.repeat(grade, taken), np.repeat(topic, taken)
    rank = ranges(before + 1, before + 1 + taken)
    discount = log2_by_index(depth + 2)[np.minimum(rank, depth) + 1]
    beyond = np.flatnonzero(rank > depth)
    discount[beyond] = [math.log2(each + 1) for each in rank[beyond].tolist()]
    return segment_sums(topic, gain / discount, num_topics)


def _ideal_gain_at_fractional_ranks(
    topic: TopicOfRow, grade: Floats, count: Floats, num_topics: int, depth: int
) -> TopicValues:
    """The gain of whole documents of each grade, behind all that higher ones count."""
    ideal, before, last_topic = np.zeros(num_topics), 0.0, -1
    for t, gain, num_docs in zip(topic.tolist(), grade.tolist(), count.tolist(), strict=True):
        before = before if t == last_topic else 0.0
        for nth in range(1, int(num_docs) + 1):
            ideal[t] += gain / math.log2(before + nth + 1)
            if before + nth >= depth:
                break
        before, last_topic = before + num_docs, t
    return ideal


# --- Measures of judgments by strata ---


YILMAZ = "Yilmaz, Kanoulas and Aslam 2008, A Simple and Efficient Sampling Method for Estimating "
YILMAZ += "AP and NDCG, SIGIR"
PROGRAM = "sample_eval (NIST 2011, TRECVID 2012)"
TENTHS = 10

STRATA: dict[str, Any] = {
    "needs": "strata",
    "bounds": (0.0, np.inf),
    "cites": ("yilmaz2008simple", "sample_eval"),
}
SHARED: dict[str, Any] = STRATA | {
    "cutoff": "optional",
    "checked": "program",
    "source": f"{YILMAZ}; {PROGRAM}",
}
RANKING_WITH_STRATA = "1/1 ./2 - 1/2 0/1 | ./2 0/2"
"""That of the examples: grades with their strata."""
_SURE = 1.00001 / 1.00003
"""The share where one document was judged, and is relevant."""
_SECOND = 1 / 4 + (_SURE + 1 / 3) / 4
"""The precision at the second relevant document."""
_SEEN = 2 * 1.00001 / 2.00003 + 2 * _SURE
FEWEST_DRAWN = 2
"""With fewer documents drawn from a stratum, or relevant ones in all, an error is not known."""


def depths_of(rankings: StratifiedRankings, cutoffs: Ranks) -> tuple[int, ...]:
    """The ranks that are looked at; those of -M, or 1000, where the name does not say."""
    deepest = rankings.judged.settings.depth
    return tuple(deepest if cutoff is None else cutoff for cutoff in cutoffs)


@measure(
    "xinfAP",
    "Inferred average precision from strata",
    family="stratified",
    formula="1/R * sum over relevant documents retrieved, at rank i of stratum s, of N_s/n_s * "
    "(1/i + sum over strata t of d_t/i * (r_t + 0.00001)/(m_t + 0.00003)); before it in t d_t "
    "documents of the pool, m_t judged, r_t relevant; R = sum of N_s/n_s times the relevant of s",
    options={"tool": TOOL},
    caution=NO_BOUND,
    shows=("stratum", "stands for", "above in each", "expected above", "expected precision"),
    **SHARED,
    example=(RANKING_WITH_STRATA, "", (1 + 2 * _SECOND) / 3),
    estimates="AP",
    from_pools=True,
)
def stratified_average_precision(
    rankings: StratifiedRankings, cutoffs: Ranks, *, tool: str = "nist2011"
) -> TopicsByCutoffs:
    """An estimate of average precision when strata of the pool were sampled at different rates.

    A judged relevant document stands for N/n documents of its stratum, of which n of N were judged.
    The precision at its rank is expected from the shares of relevant documents in each stratum
    before it; where nothing was judged there the share is a third (in infAP a half), and a document
    outside the pool is not relevant. A stratum of which nothing was judged adds nothing to R. A
    topic without relevant documents has 0.

    It is `infAP` in sample_eval. Without a cutoff the first 1000 documents are looked at, or those
    that -M says. tool=trecvid2012 multiplies by R over that depth where R exceeds it.
    """
    relevant = estimated_relevant(rankings)
    columns = []
    for depth in depths_of(rankings, cutoffs):
        value = _inferred_average_precision(rankings, depth)
        if tool == "trecvid2012":
            value = np.where(relevant > depth, value * (relevant / depth), value)
        columns.append(value)
    return np.stack(columns, axis=1)


@memoize
def _inferred_average_precision(rankings: StratifiedRankings, depth: int) -> TopicValues:
    """float64[T]: xinfAP down to a depth, as NIST's program has it."""
    judged, precision = rankings.judged, expected_precision(rankings)
    total = np.zeros(rankings.num_topics)
    for stratum in nth_strata_of_topics(rankings):
        rows = np.flatnonzero(stratum.in_stratum & judged.is_relevant & (judged.rank <= depth))
        sums = segment_sums(judged.topic[rows], precision[rows], rankings.num_topics)
        total += stratum.weight * sums
    return ratio(total, estimated_relevant(rankings))


@measure(
    "xinfAPse",
    "Standard error of the average precision inferred from strata",
    family="stratified",
    formula="1/R * sqrt(sum over strata of N^2 (1 - n/N) S^2/n), S^2 the variance over the judged "
    "documents of a stratum of what each adds to the error of xinfAP, linearised",
    source="irev; the linearised ratio estimator, with what a judgment does to the precision at "
    "later ranks",
    checked="not yet",
    caution="error of sampling, without the bias: make no interval of it",
    average="error",
    higher_is_better=None,
    cutoff="optional",
    **STRATA,
    example=(RANKING_WITH_STRATA, "", math.sqrt(2) / 3 * ((1 + 2 * _SECOND) / 3 - _SECOND)),
    from_pools=True,
)
def stratified_standard_error(rankings: StratifiedRankings, cutoffs: Ranks) -> TopicsByCutoffs:
    """How far xinfAP may lie from average precision because only a sample was judged.

    It is the error of sampling, without the bias: xinfAP is too low where little was drawn, by up
    to 0.05 with 12 relevant documents, and that does not vanish in a mean over topics. So do not
    make an interval of it. In simulations of single topics xinfAP -+ 1.96 errors held the true
    value in 84 to 94 of 100 samples with 17 to 30 relevant documents drawn from one stratum, in 66
    to 85 with 6 to 12, in 55 to 63 with 3; in 33 to 70 with 2 to 6 from a large stratum that holds
    two thirds of the relevant documents; in 65 to 87 in designs of three strata.

    It is not defined for a topic of which some stratum was not judged whole, if fewer than 2
    relevant documents were drawn in all, or fewer than 2 documents from such a stratum, or if what
    was drawn shows no variation. It is 0 only where all strata were judged whole, or nothing was
    retrieved.

    In the summary it is the error of the mean xinfAP, the topics being sampled each by itself:
    sqrt(sum of squares)/T. A topic without an error of its own counts as 0.5, the most that is
    possible; with more than half of these the mean has no error. In simulations of 43 topics of
    which 7 to 31 in 100 were such, this was 1.1 to 1.4 times the true error of sampling, and the
    bias 0.01 to 0.11 besides: the mean -+ 1.96 errors held the true mean in 35 to 92 of 100.
    """
    columns = [_standard_error(rankings, depth) for depth in depths_of(rankings, cutoffs)]
    return np.stack(columns, axis=1)


def _is_unknown(rankings: StratifiedRankings, error: TopicValues) -> TopicMask:
    """Whether too little was drawn for the error of a ranking to be known."""
    drawn_whole, too_few = np.ones(rankings.num_topics, bool), np.zeros(rankings.num_topics, bool)
    num_relevant = np.zeros(rankings.num_topics, np.int64)
    for stratum in nth_strata_of_topics(rankings):
        is_sampled = stratum.judged < stratum.size
        drawn_whole &= ~is_sampled
        too_few |= is_sampled & (stratum.judged < FEWEST_DRAWN)
        num_relevant += stratum.relevant
    too_few |= num_relevant < FEWEST_DRAWN
    # equal terms have no variance in the sample, though others may stand in the stratum; what is
    # left is what sample_eval adds to counts
    too_few |= error < ADDED_JUDGED
    is_unknown: TopicMask = too_few & ~drawn_whole & (rankings.judged.num_ret > 0)
    return is_unknown


def _standard_error(rankings: StratifiedRankings, depth: int) -> TopicValues:
    """That of the inferred average precision down to a depth."""
    judged = rankings.judged
    in_depth = judged.rank <= depth
    ap = _inferred_average_precision(rankings, depth)
    weight = np.zeros(len(judged.topic))
    for stratum in nth_strata_of_topics(rankings):
        weight[stratum.in_stratum] = stratum.weight[judged.topic[stratum.in_stratum]]
    later_terms = np.where(judged.is_relevant & in_depth, weight / judged.rank, 0.0)
    own_term = np.where(judged.is_relevant, expected_precision(rankings) - ap[judged.topic], 0.0)
    variance = np.zeros(rankings.num_topics)
    for counts in counts_before(rankings):
        stratum = counts.stratum
        documents_per_judged = ratio(counts.pooled, counts.judged * stratum.weight[judged.topic])
        share = ratio(counts.relevant, counts.judged)
        influence = judged.is_relevant * _sums_of_later_documents(
            judged, later_terms * documents_per_judged
        )
        influence -= _sums_of_later_documents(judged, later_terms * documents_per_judged * share)
        rows = np.flatnonzero(stratum.in_stratum & judged.is_judged & in_depth)
        spread = _variance_over_judged_of_stratum(
            judged, stratum, rows, own_term[rows] + influence[rows], ap
        )
        unseen = 1 - ratio(stratum.judged, stratum.size)
        variance += stratum.size**2 * unseen * ratio(spread, stratum.judged)
    error = ratio(np.sqrt(variance), estimated_relevant(rankings))
    return np.where(_is_unknown(rankings, error), np.nan, error)


def _sums_of_later_documents(judged: Judged, values_of_documents: DocumentValues) -> DocumentValues:
    """The sum of the values that stand behind each document in its ranking."""
    total = segment_sums(judged.topic, values_of_documents, judged.num_topics)
    return total[judged.topic] - running_sums(judged.row_start, values_of_documents)


def _variance_over_judged_of_stratum(
    judged: Judged,
    stratum: NthStratum,
    retrieved_judged_rows: RowIndices,
    term_of_row: RowValues,
    ap: TopicValues,
) -> TopicValues:
    """The variance of the terms of a stratum's judged documents, of which some were retrieved.

    A relevant document that was not retrieved has -AP for its term, another one 0.
    """
    topic, count = judged.topic[retrieved_judged_rows], judged.num_topics
    num_found = np.bincount(topic, judged.is_relevant[retrieved_judged_rows], minlength=count)
    missed = stratum.relevant - num_found
    others = stratum.judged - np.bincount(topic, minlength=count) - missed
    mean = ratio(segment_sums(topic, term_of_row, count) - missed * ap, stratum.judged)
    squares = segment_sums(topic, (term_of_row - mean[topic]) ** 2, count)
    squares += missed * (ap + mean) ** 2 + others * mean**2
    return ratio(squares, stratum.judged - 1)


@measure(
    "infNDCG",
    "Inferred normalised discounted cumulated gain from strata",
    family="stratified",
    formula="DCG/IDCG; DCG = sum over strata of d/m * sum over its relevant documents retrieved, "
    "at rank i, of grade/log2(i + 1), d of its pool and m of its judged documents being "
    "retrieved; IDCG of an ideal list with round(sum over strata of N/n times those graded g) "
    "documents of each grade g",
    options={"tool": TOOL},
    caution=NO_BOUND,
    **SHARED,
    example=(RANKING_WITH_STRATA, "", (1 + 2 / math.log2(5)) / (1.5 + 1 / math.log2(3))),
    from_pools=True,
)
def inferred_ndcg(
    rankings: StratifiedRankings, cutoffs: Ranks, *, tool: str = "nist2011"
) -> TopicsByCutoffs:
    """An estimate of nDCG when strata of the pool were sampled at different rates.

    The gain of a document is its grade. A stratum of which no judged document was retrieved adds
    nothing. The ideal list orders grades as numbers and ends at the depth, but that a grade which
    begins behind it still has one document; with tool=trecvid2012 the number of documents of a
    grade is not rounded: whole documents count, and the next grade begins at the fractional rank. A
    topic with an empty ideal list has 0.

    It is `infNDCG` in sample_eval, which orders the ideal grades as texts, so that 2 comes before
    10. Without a cutoff the first 1000
    documents are looked at, or those that -M says.
    """
    columns = [
        ratio(_discounted_gain(rankings, depth), ideal_gain(rankings, depth, tool))
        for depth in depths_of(rankings, cutoffs)
    ]
    return np.stack(columns, axis=1)


@memoize
def _discounted_gain(rankings: StratifiedRankings, depth: int) -> TopicValues:
    """The DCG down to a depth that is expected from each stratum's judged documents."""
    judged, count = rankings.judged, rankings.num_topics
    in_depth = judged.rank <= depth
    gain = np.where(judged.grade >= judged.settings.gain_level, judged.grade, 0.0)
    table = log2_by_index(int(judged.rank.max(initial=0)) + 2)
    discounted = np.maximum(gain, 0.0) / table[judged.rank + 1]
    total = np.zeros(count)
    for stratum in nth_strata_of_topics(rankings):
        pool = np.flatnonzero(stratum.in_stratum & in_depth)
        rows = pool[judged.is_judged[pool]]
        pooled = np.bincount(judged.topic[pool], minlength=count)
        num_judged = np.bincount(judged.topic[rows], minlength=count)
        total += ratio(pooled, num_judged) * segment_sums(
            judged.topic[rows], discounted[rows], count
        )
    return total


def _expected_relevant_at(rankings: StratifiedRankings, depths: Sequence[int]) -> TopicsByCutoffs:
    """How many documents down to each depth are expected to be relevant."""
    judged = rankings.judged
    up_to = expected_relevant(rankings)
    if not len(up_to):
        return np.zeros((rankings.num_topics, len(depths)))
    count = np.stack(
        [
            np.bincount(judged.topic[judged.rank <= k], minlength=rankings.num_topics)
            for k in depths
        ],
        axis=1,
    )
    last = judged.row_start[:-1, None] + count - 1
    return np.where(count > 0, up_to[last], 0.0)


@measure(
    "inum_rel",
    "Inferred number of relevant documents",
    family="stratified",
    formula="R = sum over strata of N/n times the relevant documents judged",
    average="sum",
    higher_is_better=None,
    checked="program",
    source=f"{YILMAZ}; {PROGRAM}",
    **STRATA,
    example=(RANKING_WITH_STRATA, "", 3.0),
)
def inferred_relevant(rankings: StratifiedRankings, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """How many documents of the pool are expected to be relevant, retrieved or not.

    The summary adds up the topics that are averaged over; sample_eval adds up all judged ones,
    which `-c` does. Ask for it in a call of its own, for `-c` counts a topic that the run lacks in
    every mean, where sample_eval leaves it out.
    """
    return estimated_relevant(rankings)[:, None]


@measure(
    "inum_rel_ret",
    "Inferred number of relevant documents retrieved",
    family="stratified",
    formula="sum over strata of d * (r + 0.00001)/(m + 0.00003), with d of its pool, m of its "
    "judged and r of its relevant documents retrieved",
    average="sum",
    **SHARED,
    example=(RANKING_WITH_STRATA, "", _SEEN),
)
def inferred_relevant_retrieved(rankings: StratifiedRankings, cutoffs: Ranks) -> TopicsByCutoffs:
    """How many of the documents retrieved are expected to be relevant; it may exceed inum_rel.

    A retrieved document of a stratum of which nothing retrieved was judged counts a third.
    """
    return _expected_relevant_at(rankings, depths_of(rankings, cutoffs))


@measure(
    "iP",
    "Inferred precision",
    family="stratified",
    formula="inum_rel_ret@k / k",
    **SHARED | {"bounds": (0.0, 1.0)},
    example=(RANKING_WITH_STRATA, "@10", _SEEN / 10),
)
def inferred_precision(rankings: StratifiedRankings, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of relevant documents among the first k that is expected from strata.

    Documents missing from a short ranking count as not relevant. Without a cutoff k is 1000, or
    what -M says. A run that retrieved nothing judged may have more than 0.
    """
    depths = depths_of(rankings, cutoffs)
    return ratio(_expected_relevant_at(rankings, depths), np.array(depths))


@measure(
    "iRecall",
    "Inferred recall",
    family="stratified",
    formula="inum_rel_ret@k / inum_rel",
    caution=NO_BOUND,
    **SHARED,
    example=(RANKING_WITH_STRATA, "", _SEEN / 3),
)
def inferred_recall(rankings: StratifiedRankings, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of the relevant documents that is expected among the first k; it may exceed 1.

    A topic without relevant documents has 0.
    """
    depths = depths_of(rankings, cutoffs)
    return ratio(_expected_relevant_at(rankings, depths), estimated_relevant(rankings)[:, None])


@measure(
    "iIPrec",
    "Inferred interpolated precision at tenths of recall",
    family="stratified",
    formula="the greatest inum_rel_ret@i / i over ranks i from the last one at which inum_rel_ret "
    "is below r times inum_rel on, one rank for each level that is passed",
    **SHARED | {"bounds": (0.0, 1.0), "cutoff": "recall"},
    example=(RANKING_WITH_STRATA, "@0.8", 3 * _SURE / 4),
)
def inferred_interpolated_precision(
    rankings: StratifiedRankings, cutoffs: tuple[float, ...]
) -> TopicsByCutoffs:
    """The precision expected at a level of recall: 0.0, 0.1 to 1.0, and no other.

    It is sample_eval's `iprec`, whose rule is its own: from the last rank up, the rank just below
    a level counts for it too, and each rank serves one level, so that the next one down takes the
    next rank up. A level above what is retrieved in all has 0.
    """
    columns = [round(level * TENTHS) for level in cutoffs]
    for level, column in zip(cutoffs, columns, strict=True):
        if column / TENTHS != level:
            raise UsageError(f"iIPrec@{level:g}: levels of recall are tenths from 0 to 1 here")
    return _precisions_at_recall_tenths(rankings)[:, columns]


@memoize
def _precisions_at_recall_tenths(rankings: StratifiedRankings) -> TopicsByCutoffs:
    """float64[T, 11]: the whole curve of each ranking."""
    judged = rankings.judged
    up_to, relevant = expected_relevant(rankings), estimated_relevant(rankings).tolist()
    curves = np.zeros((rankings.num_topics, TENTHS + 1))
    lengths = np.minimum(judged.num_ret, judged.settings.depth).tolist()
    for topic, length in enumerate(lengths):
        here = slice(int(judged.row_start[topic]), int(judged.row_start[topic + 1]))
        rank = judged.rank[here]
        inside = rank <= length
        begin = np.concatenate(([1], rank[inside], [length + 1]))
        found_at_rank = np.repeat(np.concatenate(([0.0], up_to[here][inside])), np.diff(begin))
        if length:
            curves[topic] = _curve_at_recall_tenths(found_at_rank, relevant[topic])
    return curves


def _curve_at_recall_tenths(found_at_rank: RankValues, num_relevant: float) -> Floats:
    """float64[11]: interpolated precision at recall 0.0, 0.1, ... 1.0 of one ranking."""
    # the highest precision from each rank on, down to the last
    precision = found_at_rank / np.arange(1, len(found_at_rank) + 1)
    highest = np.maximum.accumulate(precision[::-1])[::-1]
    curve, end = np.zeros(TENTHS + 1), len(found_at_rank)
    for tenth in range(TENTHS, -1, -1):
        num_wanted = (tenth / TENTHS) * num_relevant
        if num_wanted > found_at_rank[-1]:
            continue
        below = np.flatnonzero(found_at_rank[:end] < num_wanted)
        end = int(below[-1]) if len(below) else 0
        curve[tenth] = highest[end]
    return curve


# --- Judgments with probabilities of inclusion: statAP and its kin ---


ASLAM = "Aslam and Pavlu 2007, A Practical Sampling Strategy for Efficient Retrieval Evaluation; "
ASLAM += "statAP_MQ_eval (TREC Million Query and Web tracks)"
MTC_OPTION = choice(
    "documents that MTC chose (methods 0 and 2) count as sure to be judged (sure), or those of "
    "method 0 are left out and the others have their probability (drop)",
    "sure",
    "drop",
)
FACTS: dict[str, Any] = {
    "needs": "prels",
    "bounds": (0.0, np.inf),
    "source": ASLAM,
    "checked": "program",
    "cites": ("aslam2007practical",),
}
RANKING_WITH_PROBABILITIES = "- 1/0.5 0/0.25 1/1 - 0/1 | 1/0.2"
"""That of the examples: grades with their probabilities."""
NO_VARIATION = 1e-12
"""An error below this is 0 but for rounding."""

IncludedRankings = SampledJudged[Inclusions]
"""Rankings against judgments with probabilities of inclusion."""


@record
class CountedSample:
    """The judged documents that count, and those of them that were retrieved and are relevant.

    count         int64[T], judged documents that count
    retrieved     int64[T], how many of them were retrieved
    by_chance     bool[T], whether one of them at least was judged with a probability below 1
    num_rel       int64[T], relevant ones, retrieved or not
    relevant      float64[T], R: the sum of 1/p over those
    missed, missed_squares  float64[T], the sums of (1-p)/p^2 and of 1/p^2 over those that were not
                  retrieved
    topic, rank   int64[J], the relevant documents retrieved
    probability   float64[J], their p
    start         int64[T+1], each topic's slice of those
    """

    count: Ints
    retrieved: Ints
    by_chance: TopicMask
    num_rel: Ints
    relevant: Floats
    missed: Floats
    missed_squares: Floats
    topic: Ints
    rank: Ints
    probability: Floats
    start: Ints

    @property
    def so_far(self) -> DocumentValues:
        """The sum of 1/p up to and including each relevant document retrieved."""
        return running_sums(self.start, 1 / self.probability)


@memoize
def mask_of_counted_rows(sample: Inclusions, mtc: str) -> tuple[RowMask, RowValues]:
    """Which rows of the qrels count, and with which probability."""
    counts = (sample.grade >= 0) & ~np.isnan(sample.probability)
    if mtc == "drop":
        return counts & (sample.method != MTC), sample.probability
    sure = (sample.method == MTC) | (sample.method == BOTH)
    return counts, np.where(sure, 1.0, sample.probability)


@memoize
def counted_sample(rankings: IncludedRankings, mtc: str) -> CountedSample:
    """What counts, for each ranking."""
    judged, sample, num_topics = rankings.judged, rankings.sample, rankings.num_topics
    counts, p = mask_of_counted_rows(sample, mtc)
    # what is retrieved is looked up from the side of the ranking, all else from that of the qrels
    ranking_of_topic = np.full(int(sample.topic.max(initial=0)) + 1, -1)
    has_topic = np.flatnonzero(rankings.qrels_topic >= 0)
    ranking_of_topic[rankings.qrels_topic[has_topic]] = has_topic
    ranking_of_row = ranking_of_topic[sample.topic]
    rows = np.flatnonzero(counts & (ranking_of_row >= 0))
    is_relevant = sample.grade[rows] >= judged.settings.level
    retrieved = np.flatnonzero(counts[rankings.row])
    hits = retrieved[judged.is_relevant[retrieved]]
    is_hit = np.zeros(len(counts), bool)
    is_hit[rankings.row[hits]] = True
    missed = rows[is_relevant & ~is_hit[rows]]
    relevant = rows[is_relevant]
    return CountedSample(
        np.bincount(ranking_of_row[rows], minlength=num_topics),
        np.bincount(judged.topic[retrieved], minlength=num_topics),
        np.bincount(ranking_of_row[rows[p[rows] < 1]], minlength=num_topics) > 0,
        np.bincount(ranking_of_row[relevant], minlength=num_topics),
        segment_sums(ranking_of_row[relevant], 1 / p[relevant], num_topics),
        segment_sums(ranking_of_row[missed], (1 - p[missed]) / p[missed] ** 2, num_topics),
        segment_sums(ranking_of_row[missed], 1 / p[missed] ** 2, num_topics),
        judged.topic[hits],
        judged.rank[hits],
        p[rankings.row[hits]],
        segment_starts(judged.topic[hits], num_topics),
    )


@memoize
def _expected_precisions(rankings: IncludedRankings, mtc: str) -> DocumentValues:
    """The precision expected at each relevant document retrieved."""
    sample = counted_sample(rankings, mtc)
    before = sample.so_far - 1 / sample.probability
    return (1 + before) / sample.rank


@measure(
    "statAP",
    "Average precision estimated from inclusion probabilities",
    family="stat ap",
    formula="1/R * sum over relevant documents retrieved, at rank i, of "
    "(1 + sum of 1/p over the relevant before it)/i * 1/p; R = sum of 1/p over the relevant",
    options={"mtc": MTC_OPTION},
    caution=NO_BOUND,
    shows=("probability", "stands for", "relevant above", "expected precision"),
    **FACTS,
    example=(RANKING_WITH_PROBABILITIES, "", 0.21875),
)
def statistical_average_precision(
    rankings: IncludedRankings, cutoffs: NoCutoff, *, mtc: str = "sure"
) -> TopicsByCutoffs:
    """Average precision, each judged document standing for 1/p documents.

    p is the probability with which it was to be judged. Documents whose probability nobody knows
    (NA) are left out. A topic without relevant documents has 0; the program leaves it out of its
    means, as it does topics in which no document was judged for statAP.

    The program also prints nDCG over the judged documents, no estimate: in version 4 it is
    `nDCG(gain=exp)@k`. Its counts of the sample stand below the table of `irev explain`.
    """
    return _stat_average_precision(rankings, mtc)[:, None]


@memoize
def _stat_average_precision(rankings: IncludedRankings, mtc: str) -> TopicValues:
    """float64[T]: statAP."""
    sample = counted_sample(rankings, mtc)
    terms = _expected_precisions(rankings, mtc) / sample.probability
    return ratio(segment_sums(sample.topic, terms, rankings.num_topics), sample.relevant)


@measure(
    "statAPse",
    "Standard error of the average precision estimated from inclusion probabilities",
    family="stat ap",
    formula="1/R * sqrt(sum over the relevant of (1-p) y^2 + sum of y^2 / (n-1) + S); "
    "y = (precision - statAP)/p, or -statAP/p where not retrieved, n judged documents; S what each "
    "adds through the precisions at later ranks: form=v3 or v4 of the program",
    options={
        "mtc": MTC_OPTION,
        "form": Option(
            "whose variance: of version 3 or 4 of the program",
            "v4",
            kind="choice",
            choices=("v3", "v4"),
            shown=True,
        ),
    },
    caution="an error of sampling, and often too small: make no interval of it",
    average="error",
    higher_is_better=None,
    **FACTS,
    example=(RANKING_WITH_PROBABILITIES, "", math.sqrt(1.68896484375 / 64 * 5 / 4.1)),
)
def statistical_standard_error(
    rankings: IncludedRankings, cutoffs: NoCutoff, *, mtc: str = "sure", form: str = "v4"
) -> TopicsByCutoffs:
    """How far statAP may lie from average precision because only a sample was judged.

    Its square is the program's variance. Version 4 weighs the precision at later ranks more
    carefully, multiplies by n/(n retrieved + 0.1) and ends at 1. Where one document alone was
    judged the term with n - 1 is left out.

    Both are too small, version 3 far more so: do not make an interval of them. In simulations
    statAP -+ 1.96 errors held the true value in 88 to 96 of 100 samples with version 4 and in 37 to
    92 with version 3, where each document was judged with a probability of 0.3 or more; in 81 and
    71 with probabilities from 0.05 on; in 76 to 80 and 59 to 62 where 20 to 80 documents were drawn
    by their ranks from the pools of a passage track.

    It is not defined where it would be 0 although documents were drawn by chance, as with no
    relevant document drawn, or with one and version 4, unless nothing was retrieved. In the summary
    it is the error of the mean statAP. A topic without an error of its own counts as 0.5 there;
    with more than half of these the mean has no error.
    """
    sample, num_topics = counted_sample(rankings, mtc), rankings.num_topics
    p, ap = sample.probability, _stat_average_precision(rankings, mtc)
    y = (_expected_precisions(rankings, mtc) - ap[sample.topic]) / p
    spread = segment_sums(sample.topic, (1 - p) * y**2, num_topics) + ap**2 * sample.missed
    squares = segment_sums(sample.topic, y**2, num_topics) + ap**2 * sample.missed_squares
    variance = spread + ratio(squares, sample.count - 1)
    variance = ratio(
        variance + _variance_through_later_precisions(sample, form), sample.relevant**2
    )
    if form == "v4":
        variance = np.minimum(variance * sample.count / (sample.retrieved + 0.1), 1.0)
    error = np.sqrt(variance)
    # what shows no variation does not tell that chance made no difference
    is_unknown = (error < NO_VARIATION) & sample.by_chance & (rankings.judged.num_ret > 0)
    return np.where(is_unknown, np.nan, error)[:, None]


def _variance_through_later_precisions(sample: CountedSample, form: str) -> TopicValues:
    """What the precisions owe to the relevant documents before them."""
    p, rank, num_topics = sample.probability, sample.rank, len(sample.count)
    own_variance = (1 - p) / p**2
    if form == "v3":
        running = running_sums(sample.start, own_variance)
        return segment_sums(sample.topic, running / rank**2, num_topics)
    terms = 1 / (rank * p)
    total = segment_sums(sample.topic, terms, num_topics)
    behind = total[sample.topic] - running_sums(sample.start, terms)
    return segment_sums(sample.topic, behind**2 * own_variance, num_topics)


@measure(
    "statP",
    "Precision estimated from inclusion probabilities",
    family="stat ap",
    formula="1/k * sum of 1/p over the relevant documents up to rank k",
    options={"mtc": MTC_OPTION},
    cutoff="required",
    caution=NO_BOUND,
    **FACTS,
    example=(RANKING_WITH_PROBABILITIES, "@30", 0.1),
)
def statistical_precision(
    rankings: IncludedRankings, cutoffs: Ranks, *, mtc: str = "sure"
) -> TopicsByCutoffs:
    """The share of relevant documents among the first k, each judged one standing for 1/p.

    Documents missing from a short ranking count as not relevant; version 4 of the program says 0
    there.
    """
    ranks = np.array(cutoffs, np.int64)
    return (
        _relevant_sums_at(counted_sample(rankings, mtc), np.tile(ranks, (rankings.num_topics, 1)))
        / ranks
    )


def _relevant_sums_at(sample: CountedSample, ranks_of_topics: RanksByCutoffs) -> TopicsByCutoffs:
    """The sum of 1/p over the relevant documents down to K ranks of each topic."""
    num_topics, columns = ranks_of_topics.shape
    count = np.zeros((num_topics, columns), np.int64)
    for k in range(columns):
        inside = sample.rank <= ranks_of_topics[sample.topic, k]
        count[:, k] = np.bincount(sample.topic[inside], minlength=num_topics)
    return sums_at(sample.start, sample.so_far, count)


@measure(
    "statRprec",
    "R-precision estimated from inclusion probabilities",
    family="stat ap",
    formula="sum of 1/p over the relevant documents up to rank round(R), divided by round(R), or "
    "by R where the ranking is shorter or round(R) is 0",
    options={"mtc": MTC_OPTION},
    caution=NO_BOUND,
    **FACTS,
    example=(RANKING_WITH_PROBABILITIES, "", 3 / 8),
)
def statistical_r_precision(
    rankings: IncludedRankings, cutoffs: NoCutoff, *, mtc: str = "sure"
) -> TopicsByCutoffs:
    """Precision at R, the estimated number of relevant documents.

    A topic without relevant documents has 0.
    """
    sample = counted_sample(rankings, mtc)
    rank = np.floor(sample.relevant + 0.5).astype(np.int64)
    relevant_sum = _relevant_sums_at(sample, rank[:, None])[:, 0]
    is_short = (rankings.judged.num_ret < rank) | (rank == 0)
    return ratio(relevant_sum, np.where(is_short, sample.relevant, rank))[:, None]


@measure(
    "stat_num_rel",
    "Number of relevant documents estimated from inclusion probabilities",
    family="stat ap",
    formula="R = sum of 1/p over the relevant documents judged",
    options={"mtc": MTC_OPTION},
    average="sum",
    higher_is_better=None,
    **FACTS,
    example=(RANKING_WITH_PROBABILITIES, "", 8.0),
)
def statistical_relevant(
    rankings: IncludedRankings, cutoffs: NoCutoff, *, mtc: str = "sure"
) -> TopicsByCutoffs:
    """How many documents are relevant, retrieved or not: each judged one stands for 1/p."""
    return counted_sample(rankings, mtc).relevant[:, None]
