"""Precision and recall at ranks, the first relevant document, and pairs in the right order."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    Floats,
    TopicCountsByCutoffs,
    TopicsByCutoffs,
    TopicValues,
    offsets,
    ratio,
    run_starts,
    segment_sums,
)
from irev.core.judged import Judged
from irev.measures import tie_expectations as tied
from irev.measures.registry import Option, measure
from irev.measures.shared import (
    BINARY,
    DENOMINATOR,
    WITH_RECALL,
    NoCutoff,
    Ranks,
    cutoff_ranks,
    memoize,
    relevant_at,
    retrieved_at,
)

BALANCE = Option(
    "how many times as much recall matters as precision (its square is the weight)",
    1.0,
    low=0.0,
    shown=True,
)


@measure(
    "P",
    "Precision at k",
    formula="(relevant documents at ranks up to k) / k",
    source="Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E",
    checked="paper",
    cutoff="required",
    example=("2 0 - 1 | 1", "@5", 0.4),
    residual="cutoff",
    cites=("buckley2005retrieval", "trec_eval"),
    additive=True,
    linear=True,
    shows=BINARY,
    divisor="cutoff",
)
def precision_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of relevant documents among the first k.

    A ranking shorter than k is still divided by k, as if documents that are not relevant followed.
    Unjudged documents count as not relevant.
    """
    shares: Floats = relevant_at(judged, cutoffs) / np.array(cutoff_ranks(cutoffs), float)
    return shares


@measure(
    "JudgedP",
    "Precision at k over the judged documents alone: relevant over rated",
    formula="(relevant documents at ranks up to k) / (judged documents at ranks up to k)",
    source="P@k over Judged@k; Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete "
    "Information, SIGIR, on unjudged documents",
    checked="not yet",
    cutoff="required",
    example=("2 0 - 1 | 1", "@4", 2 / 3),
    cites=("buckley2004incomplete",),
    shows=BINARY,
)
def precision_of_judged_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of relevant documents among those of the first k that have a judgment.

    Unjudged documents keep their ranks and are left out of both counts, so it is P@k over Judged@k.
    P(condensed=true)@k drops them first, and looks at the first k judged documents. Where none of
    the first k is judged it is 0: report Judged@k beside it.
    """
    num_judged = judged.judged_index.count_all_up_to(cutoff_ranks(cutoffs))
    return ratio(relevant_at(judged, cutoffs), num_judged)


@measure(
    "R",
    "Recall at k",
    formula="(relevant documents at ranks up to k) / R; with denom=min / min(k, R)",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    checked="program",
    options={"denom": DENOMINATOR},
    cutoff="required",
    example=("2 0 - 1 | 1", "@2", 1 / 3),
    aliases=("Recall",),
    cites=("buckley2005retrieval",),
    additive=True,
    shows=WITH_RECALL,
    divisor="relevant",
)
def recall_at(judged: Judged, cutoffs: Ranks, *, denom: str = "R") -> TopicsByCutoffs:
    """The share of all relevant documents that are among the first k.

    Where R is larger than k it cannot reach 1; with denom=min it can, and is then the same as RelP.
    A topic without relevant documents has 0.
    """
    divisor = judged.num_rel[:, None]
    if denom == "min":
        divisor = np.minimum(divisor, np.asarray(cutoff_ranks(cutoffs)))
    return ratio(relevant_at(judged, cutoffs), divisor)


@measure(
    "RelP",
    "Precision at k relative to the best possible, or capped recall",
    formula="(relevant documents at ranks up to k) / min(k, R)",
    source="trec_eval 10",
    checked="program",
    cutoff="required",
    example=("2 0 - 1 | 1", "@4", 2 / 3),
    aliases=("RCap",),
    cites=("trec_eval", "thakur2021beir"),
    additive=True,
    shows=BINARY,
    divisor="best",
)
def relative_precision_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """Precision at k divided by the highest that any ranking could have there.

    Where there are fewer relevant documents than k it is recall at k, else precision at k. A topic
    without relevant documents has 0.
    """
    return recall_at(judged, cutoffs, denom="min")


@measure(
    "F",
    "F measure at k",
    formula="(1 + beta^2) * P * R / (beta^2 * P + R), P precision and R recall at k",
    source="van Rijsbergen 1979, Information Retrieval",
    checked="not yet",
    options={"beta": BALANCE},
    cutoff="required",
    example=("2 0 - 1 | 1", "(beta=2)@4", 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
)
def f_measure_at(judged: Judged, cutoffs: Ranks, *, beta: float = 1.0) -> TopicsByCutoffs:
    """The weighted harmonic mean of precision and recall among the first k.

    With beta=0 it is precision, with beta=inf recall. A ranking shorter than k still counts as k
    documents. It is 0 if none of the first k is relevant.
    """
    ranks, num_rel = np.array(cutoff_ranks(cutoffs), float), judged.num_rel[:, None].astype(float)
    return weighted_f(relevant_at(judged, cutoffs).astype(float), ranks, num_rel, beta)


def weighted_f(num_rel_ret: Floats, num_ret: Floats, num_rel: Floats, beta: float) -> Floats:
    """float64[...]: (1 + b^2) num_rel_ret / (num_ret + b^2 num_rel), b finite or not."""
    share = 1 / (1 + beta * beta)
    return ratio(num_rel_ret, share * num_ret + (1 - share) * num_rel)


@measure(
    "Success",
    "Success: a relevant document among the first k",
    formula="1 if a relevant document is at a rank up to k, else 0",
    source="Craswell and Hawking 2004, Overview of the TREC Web Track; trec_eval 10",
    checked="program",
    cutoff="optional",
    example=("- 0 1 | 1", "@5", 1.0),
    residual="cutoff",
    cites=("craswell2004web",),
    expected=tied.success,
    shows=BINARY,
)
def success_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """Whether the first k documents hold a relevant one; the mean is the share of such topics.

    Without a cutoff the whole ranking counts.
    """
    ranks = np.array(cutoff_ranks(cutoffs), float)
    return (first_relevant_rank_or_inf(judged)[:, None] <= ranks).astype(np.float64)


@measure(
    "RR",
    "Reciprocal rank",
    formula="1 / (rank of the first relevant document); 0 where that rank is above k",
    source="Kantor and Voorhees 2000, The TREC-5 Confusion Track, Information Retrieval 2",
    checked="program",
    cutoff="optional",
    example=("- 0 1 | 1", "@5", 1 / 3),
    aliases=("MRR",),
    residual="endless",
    cites=("kantor2000confusion", "voorhees1999trec8qa"),
    expected=tied.reciprocal_rank,
    shows=BINARY,
)
def reciprocal_rank(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """One over the rank of the first relevant document; 0 if there is none among the first k."""
    first = first_relevant_rank_or_inf(judged)[:, None]
    if cutoffs == (None,):
        return 1 / first
    within = first <= np.array(cutoff_ranks(cutoffs), float)
    return np.where(within, 1 / first, 0.0)


@memoize
def first_relevant_rank_or_inf(judged: Judged) -> TopicValues:
    """The rank of the first relevant document retrieved, infinite without one."""
    first = np.full(judged.num_topics, np.inf)
    topics = judged.num_rel_ret.nonzero()[0]
    first[topics] = judged.relevant_rank[judged.relevant_start[topics]]
    return first


@measure(
    "Rprec",
    "R-precision, or precision at a multiple of R",
    formula="(relevant documents at ranks up to c) / c, c = trunc(mult * R + 0.9)",
    source="Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, "
    "eq. 6; trec_eval 10 (multiples)",
    checked="paper",
    options={
        "mult": Option("which multiple of R to look at", 1.0, low=0.0, high=1e6, above_low=True)
    },
    example=("2 0 - 1 | 1", "(mult=1.2)", 0.5),
    aliases=("RPrec",),
    cites=("buckley2005retrieval", "trec_eval"),
    additive=True,
    shows=BINARY,
    divisor="relevant",
)
def r_precision(judged: Judged, cutoffs: NoCutoff, *, mult: float = 1.0) -> TopicsByCutoffs:
    """Precision at rank R, the number of relevant documents; recall is the same there.

    A ranking shorter than that is still divided by R: documents that are not relevant are taken to
    follow. A topic without relevant documents has 0.

    It is the point where precision and recall are equal, the break-even point.
    """
    ranks = np.minimum(mult * judged.num_rel + 0.9, UNREACHED_RANK).astype(np.int64)
    num_rel_ret = judged.relevant_index.count_up_to(np.arange(judged.num_topics), ranks)
    return ratio(num_rel_ret, ranks)[:, None]


def precision_at_multiples(judged: Judged, multiples: tuple[float, ...]) -> TopicsByCutoffs:
    """Precision at several multiples of R, the number of relevant documents.

    A ranking shorter than the cutoff is still divided by the cutoff. It is 0 where the cutoff is 0,
    as in a topic without relevant documents.
    """
    cutoffs = multiples_of_relevant(judged, multiples, "upward")
    return ratio(judged.relevant_index.count_all_up_to(cutoffs), cutoffs)


UNREACHED_RANK = 2.0**52
"""A cutoff that no ranking reaches, and that floats hold exactly."""


def multiples_of_relevant(
    judged: Judged, factors: tuple[float, ...], rounding: str
) -> TopicCountsByCutoffs:
    """Factor * R as a number of documents; from 0 to one that is never reached."""
    with np.errstate(over="ignore", invalid="ignore"):  # factors may be huge or infinite
        exact = np.array(factors) * judged.num_rel[:, None]
    exact = np.nan_to_num(np.clip(exact, 0, UNREACHED_RANK))
    if rounding == "upward":
        return (exact + 0.9).astype(np.int64)
    below = np.floor(exact)
    return (below + (exact - below >= 0.5)).astype(np.int64)


@measure(
    "Accuracy",
    "Accuracy over pairs: how often a relevant document ranks above another one",
    formula="1 - (sum over the r relevant documents of the others before it) / (r * o), among the "
    "first k, which hold r relevant and o other documents",
    source="ir_measures 0.4",
    checked="program",
    cutoff="optional",
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("macavaney2022irmeasures",),
)
def share_of_pairs_relevant_first(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of pairs of a relevant and another document that are in the right order.

    Only retrieved documents are looked at, so a relevant one that was missed costs nothing. Where
    all of them are relevant no pair is wrong, and it is 1; where none is relevant it is 0. Unjudged
    documents count as not relevant.
    """
    hits = relevant_at(judged, cutoffs)
    num_others = retrieved_at(judged, cutoffs) - hits
    others_before = offsets(judged.relevant_rank - judged.relevant_nth)
    start = judged.relevant_start[:-1, None]
    num_wrong = others_before[start + hits] - others_before[start]
    return np.where(hits > 0, 1 - ratio(num_wrong, hits * num_others), 0.0)


@measure(
    "AUC",
    "Area under the ROC curve of the judged documents retrieved",
    formula="1 - (w + t / 2) / (r * o), over the r relevant and the o other judged documents "
    "retrieved: w pairs in the wrong order, t pairs of equal scores",
    source="Hanley and McNeil 1982, The meaning and use of the area under a receiver operating "
    "characteristic (ROC) curve, Radiology 143",
    checked="program",
    example=("2 0 - 1 | 1", "", 0.5),
    ties=True,
    cites=("hanley1982auc",),
)
def area_under_roc_curve(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """How often a relevant document has a higher score than another one, equal scores half.

    Only judged documents that were retrieved are looked at: it is the AUC of a classifier, topic by
    topic. Where all of them are relevant no pair is wrong, and it is 1; where none is relevant it
    is 0; scikit-learn has no value for either. Equal scores count half whatever breaks the ties for
    other measures. Accuracy(condensed=true) is the same without equal scores.
    """
    rows, topic = judged.judged_rows, judged.judged_topic
    is_relevant = judged.is_relevant[rows]
    # the documents of a topic with equal scores, of which each is in the middle of the others
    group_rank = judged.judged_rank if judged.ties is None else judged.ties.first[rows]
    group_start = run_starts(topic, group_rank)
    others_before = offsets(~is_relevant)
    at_group = others_before[group_start]
    twice_before = np.repeat(at_group[:-1] + at_group[1:], np.diff(group_start))
    twice_before = twice_before - 2 * others_before[judged.judged_start[topic]]
    num_topics, num_rel = judged.num_topics, judged.num_rel_ret
    twice_wrong = segment_sums(topic[is_relevant], twice_before[is_relevant], num_topics)
    num_pairs = num_rel * (judged.num_judged_ret - num_rel)
    return np.where(num_rel > 0, 1 - ratio(twice_wrong, 2 * num_pairs), 0.0)[:, None]
