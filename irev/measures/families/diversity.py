"""Novelty and diversity: what a ranking covers of the subtopics, and how soon it repeats itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    TopicsByCutoffs,
    TopicValues,
    log2_by_index,
    ratio,
)
from irev.core.judged import SubtopicJudged
from irev.errors import UsageError
from irev.measures.families.gain_lists import GainList
from irev.measures.families.patience import powers
from irev.measures.families.subtopic_coverage import (
    greedy_ideal_list,
    mean_over_subtopics,
    novelty_gains,
    num_coverable_subtopics,
    num_covering_documents,
    subtopic_coverings,
    sums_at_cutoffs,
    values_of_rankings,
)
from irev.measures.naming.programs import NDEVAL, same_elsewhere
from irev.measures.registry import Elsewhere, Option, measure, plain_spellings
from irev.measures.shared import Ranks, cutoff_ranks, memoize

CLARKE = "Clarke et al. 2008, Novelty and Diversity in Information Retrieval Evaluation, SIGIR"
COMPARED = "Clarke, Craswell, Soboroff and Ashkan 2011, A Comparative Analysis of Cascade Measures "
COMPARED += "for Novelty and Diversity, WSDM; ndeval (TREC web track)"
AGRAWAL = "Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying Search Results, WSDM; ndeval"
ZHAI = "Zhai, Cohen and Lafferty 2003, Beyond Independent Relevance, SIGIR; ndeval"

UNCOVERED = "topics without a covered subtopic are left out of the mean"
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
NORM = Option(
    "what is divided by: what documents that all cover every subtopic would have (full), or "
    "nothing (none)",
    "full",
    kind="choice",
    choices=("full", "none"),
)
GREEDY = 1.0 / (1.0 - math.exp(-1.0))
"""What a value over a greedy ideal list can be at most: greedy covers so much of what is best."""

DEEPEST = 1_000_000
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
    if deepest > DEEPEST:
        raise UsageError(f"a cutoff of {deepest} is too deep here: at most {DEEPEST}")
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
    spellings=plain_spellings(everywhere="α-DCG", irm="alpha_DCG α_DCG", ndeval="alpha-DCG"),
    elsewhere=(
        Elsewhere(NDEVAL, "alpha-DCG@k", UNCOVERED + ", and nothing is divided at a cutoff of 1"),
        *same_elsewhere(irm="alpha_DCG@k"),
    ),
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
    spellings=plain_spellings(everywhere="α-nDCG", irm="alpha_nDCG α_nDCG", ndeval="alpha-nDCG"),
    elsewhere=same_elsewhere(ndeval="alpha-nDCG@k", irm="alpha_nDCG@k"),
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
    spellings=plain_spellings(irm="ERR_IA", ndeval="ERR-IA"),
    elsewhere=same_elsewhere(ndeval="ERR-IA@k", irm="ERR_IA@k"),
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
    spellings=plain_spellings(irm="nERR_IA", ndeval="nERR-IA"),
    elsewhere=same_elsewhere(ndeval="nERR-IA@k", irm="nERR_IA@k"),
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
    spellings=plain_spellings(irm="NRBP", ndeval="NRBP"),
    elsewhere=(
        Elsewhere(NDEVAL, "NRBP", "the first 20 documents alone"),
        *same_elsewhere(irm="NRBP"),
    ),
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
    spellings=plain_spellings(irm="nNRBP", ndeval="nNRBP"),
    elsewhere=same_elsewhere(ndeval="nNRBP", irm="nNRBP"),
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
    spellings=plain_spellings(irm="AP_IA MAP_IA", ndeval="MAP-IA"),
    elsewhere=same_elsewhere(ndeval="MAP-IA", irm="AP_IA"),
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
    spellings=plain_spellings(irm="P_IA", ndeval="P-IA"),
    elsewhere=same_elsewhere(ndeval="P-IA@k", irm="P_IA@k"),
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
    spellings=plain_spellings(anycase="strec", irm="StRecall", ndeval="strec", ntcir="I-rec"),
    elsewhere=(
        *same_elsewhere(ndeval="strec@k", irm="StRecall@k"),
        Elsewhere("NTCIREVAL", "I-rec@k"),
    ),
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
