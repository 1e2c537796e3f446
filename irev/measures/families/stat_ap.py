"""Estimates from judgments with probabilities of inclusion: statAP and its kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    RanksByCutoffs,
    RowMask,
    RowValues,
    TopicMask,
    TopicsByCutoffs,
    TopicValues,
    ratio,
    running_sums,
    segment_starts,
    segment_sums,
    sums_at,
)
from irev.core.judged import BOTH, MTC, Inclusions, SampledJudged
from irev.core.record import record
from irev.measures.registry import Option, choice, measure
from irev.measures.shared import NoCutoff, Ranks, memoize

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
RANKING = "- 1/0.5 0/0.25 1/1 - 0/1 | 1/0.2"
"""That of the examples: grades with their probabilities."""
NO_BOUND = "few judged documents represent many, so an estimate may exceed 1"
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
    formula="1/R * sum over relevant documents retrieved, at rank i, of "
    "(1 + sum of 1/p over the relevant before it)/i * 1/p; R = sum of 1/p over the relevant",
    options={"mtc": MTC_OPTION},
    caution=NO_BOUND,
    shows=("probability", "stands for", "relevant above", "expected precision"),
    **FACTS,
    example=(RANKING, "", 0.21875),
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
    example=(RANKING, "", math.sqrt(1.68896484375 / 64 * 5 / 4.1)),
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
    formula="1/k * sum of 1/p over the relevant documents up to rank k",
    options={"mtc": MTC_OPTION},
    cutoff="required",
    caution=NO_BOUND,
    **FACTS,
    example=(RANKING, "@30", 0.1),
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
    formula="sum of 1/p over the relevant documents up to rank round(R), divided by round(R), or "
    "by R where the ranking is shorter or round(R) is 0",
    options={"mtc": MTC_OPTION},
    caution=NO_BOUND,
    **FACTS,
    example=(RANKING, "", 3 / 8),
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
    formula="R = sum of 1/p over the relevant documents judged",
    options={"mtc": MTC_OPTION},
    average="sum",
    higher_is_better=None,
    **FACTS,
    example=(RANKING, "", 8.0),
)
def statistical_relevant(
    rankings: IncludedRankings, cutoffs: NoCutoff, *, mtc: str = "sure"
) -> TopicsByCutoffs:
    """How many documents are relevant, retrieved or not: each judged one stands for 1/p."""
    return counted_sample(rankings, mtc).relevant[:, None]
