"""Novelty and diversity: what a ranking covers of the subtopics, and how soon it repeats itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    RankCounter,
    RowMask,
    TopicCounts,
    TopicsByCutoffs,
    TopicValues,
    log2_by_index,
    ranges,
    ranks_in_segments,
    ratio,
    running_sums,
    segment_starts,
    segment_sums,
    sums_at,
)
from irev.core.judged import SubtopicJudged, Subtopics
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.families.gain import GainList
from irev.measures.families.patience import powers
from irev.measures.registry import Option, choice, measure
from irev.measures.shared import Ranks, cutoff_ranks, memoize

# --- What documents cover of a topic's subtopics: in rankings, in the judgments, and at best ---
# A document covers a subtopic for which its grade reaches the level. Subtopics that no document
# covers play no role.


@record
class SubtopicCoverings:
    """One row for each retrieved document and subtopic that it covers: by topic, rank, subtopic.

    topic     which ranking
    rank      from 1
    row       which of the J rows of the rankings the document is
    subtopic  0..S-1
    grade     the document's grade for it
    nth       how many documents of the ranking cover the subtopic, this one included
    """

    topic: Ints
    rank: Ints
    row: Ints
    subtopic: Ints
    grade: Floats
    nth: Ints


@memoize
def entries_at_level(subtopics: Subtopics, level: float) -> RowMask:
    """bool[E]: which entries reach the level."""
    return subtopics.entry_grade >= level


@memoize
def num_covering_documents(subtopics: Subtopics, level: float) -> Ints:
    """int64[S]: how many judged documents cover each subtopic."""
    entries = subtopics.entry_subtopic[entries_at_level(subtopics, level)]
    return np.bincount(entries, minlength=subtopics.num_subtopics)


@memoize
def num_coverable_subtopics(subtopics: Subtopics, level: float) -> TopicCounts:
    """int64[T]: M, how many subtopics of each topic a document covers."""
    covered = np.flatnonzero(num_covering_documents(subtopics, level))
    return np.bincount(subtopics.topic_of_subtopic[covered], minlength=subtopics.num_topics)


def mean_over_subtopics(
    subtopics: Subtopics, level: float, values_of_subtopics: Floats
) -> TopicValues:
    """The mean of values of the S subtopics: plain, or by their probabilities.

    Only subtopics that a document covers count; where there are probabilities, those of the
    others are lost.
    """
    is_covered = num_covering_documents(subtopics, level) > 0
    if subtopics.probability is None:
        total = segment_sums(
            subtopics.topic_of_subtopic,
            np.where(is_covered, values_of_subtopics, 0.0),
            subtopics.num_topics,
        )
        return ratio(total, num_coverable_subtopics(subtopics, level))
    weighted = np.where(is_covered, subtopics.probability * values_of_subtopics, 0.0)
    return segment_sums(subtopics.topic_of_subtopic, weighted, subtopics.num_topics)


def values_of_rankings(judged: SubtopicJudged, values_of_topics: Floats | Ints) -> Floats:
    """float64[T, ...]: values of the judgments' topics for each ranking; 0 where it has none."""
    result = np.zeros((judged.num_topics, *values_of_topics.shape[1:]))
    has_topic = judged.qrels_topic >= 0
    result[has_topic] = values_of_topics[judged.qrels_topic[has_topic]]
    return result


@memoize
def subtopic_coverings(judged: SubtopicJudged) -> SubtopicCoverings:
    """What the retrieved documents cover."""
    subtopics, rankings = judged.subtopics, judged.judged
    first = subtopics.entry_start[judged.row]
    after = subtopics.entry_start[judged.row + 1]
    entries = ranges(first, after)
    row = np.repeat(np.arange(len(judged.row)), after - first)
    keep = entries_at_level(subtopics, rankings.settings.level)[entries]
    entries, row = entries[keep], row[keep]
    subtopic = subtopics.entry_subtopic[entries]
    order = np.argsort(subtopic, kind="stable")
    nth = np.empty(len(row), np.int64)
    nth[order] = ranks_in_segments(segment_starts(subtopic[order], subtopics.num_subtopics))
    grade = subtopics.entry_grade[entries]
    return SubtopicCoverings(rankings.topic[row], rankings.rank[row], row, subtopic, grade, nth)


@memoize
def novelty_gains(judged: SubtopicJudged, alpha: float) -> GainList:
    """The retrieved documents that cover something, each with its gain of novelty.

    The gain is the sum of (1 - alpha)^c over the subtopics that it covers, c being the number of
    documents before it that cover the subtopic.
    """
    covered, rankings = subtopic_coverings(judged), judged.judged
    novelty = powers(1.0 - alpha, int(covered.nth.max(initial=0)))
    gain = segment_sums(covered.row, novelty[covered.nth - 1], len(rankings.topic))
    rows = np.unique(covered.row)
    start = segment_starts(rankings.topic[rows], judged.num_topics)
    return GainList(start, rankings.rank[rows], gain[rows])


@memoize
def greedy_ideal_list(subtopics: Subtopics, level: float, alpha: float, depth: int) -> GainList:
    """The ideal lists of all topics, down to a depth: always the document with the highest gain.

    Of several with the same gain it is the one with the last id in byte order.
    """
    places = np.empty(len(subtopics.topic), np.int64)
    places[subtopics.by_id] = np.arange(len(places))
    is_covered = entries_at_level(subtopics, level)
    document = places[subtopics.entry_document[is_covered]]
    subtopic = subtopics.entry_subtopic[is_covered]
    order = np.argsort(document, kind="stable")
    document, subtopic = document[order], subtopic[order]
    # candidates: the documents that cover something, by topic and falling id
    candidates, document = np.unique(document, return_inverse=True)
    topic_of_candidate = subtopics.topic[subtopics.by_id[candidates]]
    _, first, segment = np.unique(topic_of_candidate, return_index=True, return_inverse=True)
    entries = segment_starts(document, len(candidates))

    weight = np.ones(subtopics.num_subtopics)
    is_left = np.ones(len(candidates), bool)
    topics_and_gains: list[tuple[Ints, Floats]] = []
    for _ in range(min(depth, int(np.bincount(segment).max(initial=0)))):
        gain = np.where(is_left, segment_sums(document, weight[subtopic], len(candidates)), -1.0)
        highest = np.maximum.reduceat(gain, first)
        rows = np.flatnonzero(gain == highest[segment])
        _, first_rows = np.unique(segment[rows], return_index=True)
        taken = rows[first_rows][highest > 0]
        topics_and_gains.append((topic_of_candidate[taken], gain[taken]))
        is_left[taken] = False
        weight[subtopic[ranges(entries[taken], entries[taken + 1])]] *= 1.0 - alpha
    # one list for each topic, from the topics that have a document at each rank, and its gain
    topic = np.concatenate([np.zeros(0, np.int64), *(topic for topic, _ in topics_and_gains)])
    gain = np.concatenate([np.zeros(0), *(gain for _, gain in topics_and_gains)])
    order = np.argsort(topic, kind="stable")
    start = segment_starts(topic[order], subtopics.num_topics)
    return GainList(start, ranks_in_segments(start), gain[order])


def sums_at_cutoffs(documents: GainList, values: DocumentValues, cutoffs: Ranks) -> TopicsByCutoffs:
    """The values of documents, summed up to each cutoff."""
    index = RankCounter.build(documents.topic, documents.rank, documents.start)
    sums = running_sums(documents.start, values)
    return sums_at(documents.start, sums, index.count_all_up_to(cutoff_ranks(cutoffs)))


# --- The measures ---


CLARKE = "Clarke et al. 2008, Novelty and Diversity in Information Retrieval Evaluation, SIGIR"
COMPARED = "Clarke, Craswell, Soboroff and Ashkan 2011, A Comparative Analysis of Cascade Measures "
COMPARED += "for Novelty and Diversity, WSDM; ndeval (TREC web track)"
AGRAWAL = "Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying Search Results, WSDM; ndeval"
ZHAI = "Zhai, Cohen and Lafferty 2003, Beyond Independent Relevance, SIGIR; ndeval"

ALPHA = Option(
    "how much of a subtopic's gain each document that covers it takes away", 0.5, low=0.0, high=1.0
)
PATIENCE = Option(
    "the probability that a user goes on to the next document",
    0.5,
    low=0.0,
    high=1.0,
    above_low=True,
)
NORM = choice(
    "what is divided by: what documents that all cover every subtopic would have (full), or "
    "nothing (none)",
    "full",
    "none",
)
GREEDY = 1.0 / (1.0 - math.exp(-1.0))
"""What a value over a greedy ideal list can be at most: greedy covers so much of what is best."""

DEEPEST_IDEAL = 1_000_000
"""The deepest cutoff where a sum over all ranks is divided by."""

GainDiscounter = Callable[[GainList], Floats]
"""The gains of documents, discounted by their ranks."""


def _log_discounted(documents: GainList) -> DocumentValues:
    """float64[G]: the gains divided by log2(rank + 1)."""
    table = log2_by_index(int(documents.rank.max(initial=0)) + 2)
    return documents.gain / table[documents.rank + 1]


def _rank_discounted(documents: GainList) -> DocumentValues:
    """float64[G]: the gains divided by the rank."""
    return documents.gain / documents.rank


def _novelty_sums(
    judged: SubtopicJudged, cutoffs: Ranks, alpha: float, discount: GainDiscounter
) -> TopicsByCutoffs:
    documents = novelty_gains(judged, alpha)
    return sums_at_cutoffs(documents, discount(documents), cutoffs)


def _greedy_sums(
    judged: SubtopicJudged, cutoffs: Ranks, alpha: float, discount: GainDiscounter
) -> TopicsByCutoffs:
    """The sum that the greedy ideal list has."""
    level = judged.judged.settings.level
    ideal = greedy_ideal_list(judged.subtopics, level, alpha, max(cutoff_ranks(cutoffs)))
    return values_of_rankings(judged, sums_at_cutoffs(ideal, discount(ideal), cutoffs))


def _full_coverage_sums(
    judged: SubtopicJudged, cutoffs: Ranks, alpha: float, discount: GainDiscounter
) -> TopicsByCutoffs:
    """The sum where every document covers every subtopic."""
    deepest = max(cutoff_ranks(cutoffs))
    if deepest > DEEPEST_IDEAL:
        raise UsageError(f"a cutoff of {deepest} is too deep here: at most {DEEPEST_IDEAL}")
    rank = np.arange(1, deepest + 1)
    full = GainList(np.array([0, deepest]), rank, powers(1.0 - alpha, deepest))
    return _num_coverable(judged)[:, None] * sums_at_cutoffs(full, discount(full), cutoffs)


@memoize
def _num_coverable(judged: SubtopicJudged) -> TopicValues:
    """float64[T]: M, the subtopics of each ranking's topic that a judged document covers."""
    return values_of_rankings(
        judged, num_coverable_subtopics(judged.subtopics, judged.judged.settings.level)
    )


@measure(
    "alpha_DCG",
    "alpha-DCG: discounted gain of documents that are new",
    options={"alpha": ALPHA, "norm": NORM},
    cutoff="required",
    needs="subtopics",
    aliases=("α_DCG", "alpha-DCG"),
    formula="sum over r <= k of gain(r) / log2(r + 1), gain(r) = sum over the subtopics that the "
    "document covers of (1 - alpha)^(documents before it that cover the subtopic); divided by "
    "the same with gain(r) = M (1 - alpha)^(r - 1)",
    source=CLARKE + "; " + COMPARED,
    checked="program",
    example=("1,1 0,1 | 1,0", "@2", (2 + 0.5 / math.log2(3)) / (2 + 1 / math.log2(3))),
    cites=("clarke2008novelty", "clarke2011cascade"),
)
def alpha_dcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, alpha: float, norm: str
) -> TopicsByCutoffs:
    """The novelty of the first k documents, discounted by rank.

    A document covers the subtopics for which its grade reaches the level, and gains less for one
    the more documents before it cover it too: alpha=0 counts every one fully, alpha=1 only the
    first. M is the number of subtopics that any judged document covers; a topic without one is 0.

    It is divided by what k documents would have that all cover every subtopic; norm=none leaves
    the sum as it is, as the paper has it, without an upper bound.
    """
    reached = _novelty_sums(judged, cutoffs, alpha, _log_discounted)
    if norm == "none":
        return reached
    return ratio(reached, _full_coverage_sums(judged, cutoffs, alpha, _log_discounted))


@measure(
    "alpha_nDCG",
    "alpha-nDCG: discounted gain of new documents, over that of a greedy ideal list",
    options={"alpha": ALPHA},
    cutoff="required",
    needs="subtopics",
    aliases=("α_nDCG", "alpha-nDCG"),
    formula="alpha_DCG(norm=none)@k of the ranking, divided by that of the greedy ideal list",
    source=CLARKE + "; " + COMPARED,
    checked="program",
    bounds=(0.0, GREEDY),
    example=("0,1 1,1 | 1,0", "@2", (1 + 1.5 / math.log2(3)) / (2 + 0.5 / math.log2(3))),
    cites=("clarke2008novelty", "clarke2011cascade"),
)
def alpha_ndcg(judged: SubtopicJudged, cutoffs: Ranks, *, alpha: float) -> TopicsByCutoffs:
    """How well the first k documents cover the subtopics without repeating themselves.

    The gains are those of alpha_DCG. The best list is hard to find; as everywhere, a greedy one
    stands for it: at each rank the judged document with the highest gain there, of equal ones the
    last id in byte order. So a value may lie a little above 1. A topic in which no document covers
    a subtopic is 0.
    """
    reached = _novelty_sums(judged, cutoffs, alpha, _log_discounted)
    return ratio(reached, _greedy_sums(judged, cutoffs, alpha, _log_discounted))


@measure(
    "ERR_IA",
    "Expected reciprocal rank over the subtopics, normalised as in the TREC web track",
    options={"alpha": ALPHA, "norm": NORM},
    cutoff="required",
    needs="subtopics",
    aliases=("ERR-IA",),
    formula="sum over r <= k of gain(r) / r, gain(r) as in alpha_DCG; divided by the same with "
    "gain(r) = M (1 - alpha)^(r - 1)",
    source="Chapelle et al. 2011, Intent-based Diversification of Web Search Results, Information "
    "Retrieval 14; " + COMPARED,
    checked="program",
    example=("1,1 0,1 | 1,0", "@2", 2.25 / 2.5),
    cites=("chapelle2011intent", "clarke2011cascade"),
)
def err_ia(judged: SubtopicJudged, cutoffs: Ranks, *, alpha: float, norm: str) -> TopicsByCutoffs:
    """The novelty of the first k documents, discounted by the reciprocal rank.

    With alpha = 0.5 this is ERR for each subtopic with binary grades, where a document that covers
    a subtopic satisfies with probability 1/2, apart from the divisor: what k documents would have
    that all cover every subtopic (norm=full). The mean of the graded ERR over the intents is
    `IA_ERR`. A topic in which no document covers a subtopic is 0.
    """
    reached = _novelty_sums(judged, cutoffs, alpha, _rank_discounted)
    if norm == "none":
        return reached
    return ratio(reached, _full_coverage_sums(judged, cutoffs, alpha, _rank_discounted))


@measure(
    "nERR_IA",
    "Expected reciprocal rank over the subtopics, over that of a greedy ideal list",
    options={"alpha": ALPHA},
    cutoff="required",
    needs="subtopics",
    aliases=("nERR-IA",),
    formula="ERR_IA(norm=none)@k of the ranking, divided by that of the greedy ideal list",
    source=COMPARED,
    checked="program",
    bounds=(0.0, GREEDY),
    example=("0,1 1,1 | 1,0", "@2", 1.75 / 2.25),
    cites=("chapelle2011intent", "clarke2011cascade"),
)
def nerr_ia(judged: SubtopicJudged, cutoffs: Ranks, *, alpha: float) -> TopicsByCutoffs:
    """ERR_IA as a share of what the greedy ideal list of alpha_nDCG has.

    As that list need not be the best, a value may be a little above 1. A topic in which no
    document covers a subtopic is 0.
    """
    reached = _novelty_sums(judged, cutoffs, alpha, _rank_discounted)
    return ratio(reached, _greedy_sums(judged, cutoffs, alpha, _rank_discounted))


def _patience_discount(beta: float) -> GainDiscounter:
    """The discount beta^(r - 1) at rank r."""

    def discount(documents: GainList) -> DocumentValues:
        table = powers(beta, int(documents.rank.max(initial=1)))
        return documents.gain * table[documents.rank - 1]

    return discount


@measure(
    "NRBP",
    "Novelty- and rank-biased precision",
    options={"alpha": ALPHA, "beta": PATIENCE},
    cutoff="optional",
    needs="subtopics",
    formula="(1 - (1 - alpha) beta) / M * sum over r of gain(r) beta^(r - 1), gain(r) as in "
    "alpha_DCG",
    source="Clarke, Kolla and Vechtomova 2009, An Effectiveness Measure for Ambiguous and "
    "Underspecified Queries, ICTIR; " + COMPARED,
    checked="program",
    example=("1,1 0,1 | 1,0", "", (1 - 0.25) / 2 * (2 + 0.5 * 0.5)),
    cites=("clarke2009nrbp", "clarke2011cascade"),
)
def nrbp(judged: SubtopicJudged, cutoffs: Ranks, *, alpha: float, beta: float) -> TopicsByCutoffs:
    """The novelty that a user meets who goes on to the next document with probability beta.

    The factor makes the value 1 where an endless list of documents covers every subtopic. A topic
    in which no document covers a subtopic is 0.
    """
    reached = _novelty_sums(judged, cutoffs, alpha, _patience_discount(beta))
    per_subtopic = ratio(1.0 - (1.0 - alpha) * beta, _num_coverable(judged))
    return np.asarray(reached * per_subtopic[:, None])


@measure(
    "nNRBP",
    "Novelty- and rank-biased precision, over that of a greedy ideal list",
    options={"alpha": ALPHA, "beta": PATIENCE},
    cutoff="optional",
    needs="subtopics",
    formula="NRBP of the ranking, divided by that of the greedy ideal list",
    source=COMPARED,
    checked="program",
    bounds=(0.0, GREEDY),
    example=("0,1 1,1 | 1,0", "", 1.75 / 2.375),
    cites=("clarke2009nrbp", "clarke2011cascade"),
)
def nnrbp(judged: SubtopicJudged, cutoffs: Ranks, *, alpha: float, beta: float) -> TopicsByCutoffs:
    """NRBP as a share of what the greedy ideal list of alpha_nDCG has.

    As that list need not be the best, a value may be a little above 1. Without a cutoff it goes
    down to where beta leaves nothing that could change the value. A topic in which no document
    covers a subtopic is 0.
    """
    discount = _patience_discount(beta)
    reached = _novelty_sums(judged, cutoffs, alpha, discount)
    deep_cutoffs = tuple(
        _depth_of_last_bit(judged, beta) if cutoff is None else cutoff for cutoff in cutoffs
    )
    return ratio(reached, _greedy_sums(judged, deep_cutoffs, alpha, discount))


def _depth_of_last_bit(judged: SubtopicJudged, beta: float) -> int:
    """The rank behind which all gains together are less than the first document's last bit."""
    if beta == 1:
        return max(1, len(judged.subtopics.topic))
    most = max(1, int(np.diff(judged.subtopics.subtopic_start).max(initial=1)))
    smallest = 2.0**-60 * (1.0 - beta) / most
    return 1 + math.ceil(math.log(smallest) / math.log(beta))


@measure(
    "AP_IA",
    "Average precision over the subtopics",
    cutoff="optional",
    needs="subtopics",
    aliases=("MAP_IA", "MAP-IA"),
    formula="sum over subtopics i of P(i) AP(i), AP(i) the average precision where the documents "
    "that cover i are relevant; by default P(i) = 1/M",
    source=AGRAWAL,
    checked="program",
    example=("1,1 0,1 | 1,0", "", (1 / 2 + 1) / 2),
    cites=("agrawal2009diversifying",),
)
def ap_ia(judged: SubtopicJudged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The mean over the subtopics of the average precision for each.

    Subtopics that no judged document covers are left out. Where a file of intents says how likely
    each one is, that is its weight. A cut sum is divided by all documents that cover the subtopic.
    """
    subtopics, level = judged.subtopics, judged.judged.settings.level
    covered = subtopic_coverings(judged)
    columns = []
    for cutoff in cutoff_ranks(cutoffs):
        is_inside = covered.rank <= cutoff
        precision = covered.nth[is_inside] / covered.rank[is_inside]
        subtopic = covered.subtopic[is_inside]
        sums = np.bincount(subtopic, precision, minlength=subtopics.num_subtopics)
        values = ratio(sums, num_covering_documents(subtopics, level))
        columns.append(mean_over_subtopics(subtopics, level, values))
    return values_of_rankings(judged, np.stack(columns, axis=1))


@measure(
    "P_IA",
    "Precision over the subtopics",
    cutoff="required",
    needs="subtopics",
    aliases=("P-IA",),
    formula="sum over subtopics i of P(i) (documents at ranks up to k that cover i) / k; by "
    "default P(i) = 1/M",
    source=AGRAWAL,
    checked="program",
    example=("1,1 0,1 - | 1,0", "@4", 3 / 8),
    cites=("agrawal2009diversifying",),
)
def p_ia(judged: SubtopicJudged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The mean over the subtopics of the precision for each.

    A ranking shorter than k is filled up with documents that cover nothing. Subtopics that no
    judged document covers are left out; where a file of intents says how likely each is, that is
    its weight.
    """
    subtopics, level = judged.subtopics, judged.judged.settings.level
    covered = subtopic_coverings(judged)
    columns = []
    for cutoff in cutoff_ranks(cutoffs):
        subtopic = covered.subtopic[covered.rank <= cutoff]
        shares = np.bincount(subtopic, minlength=subtopics.num_subtopics) / cutoff
        columns.append(mean_over_subtopics(subtopics, level, shares))
    return values_of_rankings(judged, np.stack(columns, axis=1))


@measure(
    "StRecall",
    "Subtopic recall",
    cutoff="optional",
    needs="subtopics",
    aliases=("strec", "I_rec", "I-rec"),
    formula="(subtopics covered by the documents at ranks up to k) / M",
    source=ZHAI + "; as I-rec: NTCIREVAL",
    checked="program",
    example=("0,1,0 0,1,0 1,1,0 | 0,0,1", "@2", 1 / 3),
    cites=("zhai2003subtopic",),
)
def subtopic_recall(judged: SubtopicJudged, cutoffs: Ranks) -> TopicsByCutoffs:
    """How many of the subtopics the first k documents cover.

    Only subtopics that a judged document covers are counted, all with the same weight.
    """
    covered = subtopic_coverings(judged)
    is_first = covered.nth == 1
    topic, rank = covered.topic[is_first], covered.rank[is_first]
    columns = [
        np.bincount(topic[rank <= cutoff], minlength=judged.num_topics)
        for cutoff in cutoff_ranks(cutoffs)
    ]
    return ratio(np.stack(columns, axis=1), _num_coverable(judged)[:, None])
