"""Measures in which gains and relevance meet: Q-measure and its kin; ERR, EBR and iRBU.

In the first a gain counts beside, or instead of, each relevant document. In the others it says how
likely a user is to stop there.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    RelevantIndices,
    RelevantValues,
    TopicIndices,
    TopicsByCutoffs,
    offsets,
    ranks_in_segments,
    ratio,
    running_products,
    running_sums,
    sums_at,
    sums_before,
)
from irev.core.judged import Judged
from irev.errors import UsageError
from irev.measures.families.gain import (
    KISHIDA,
    GainList,
    checked_top_gain,
    ideal_gain_at_relevant,
    ideal_list,
    nonzero_gain_documents,
    num_nonzero_gains_at,
    recall_base,
    relevant_documents,
    relevant_ideal_list,
    relevant_ideal_running_gain,
    relevant_running_gain,
)
from irev.measures.families.patience import powers
from irev.measures.registry import GainValue, GradeMap, Option, choice, measure
from irev.measures.shared import (
    BETA,
    BLENDED_RATIO,
    DENOMINATOR,
    GAIN,
    GAIN_OF_STOPS,
    HIGHEST,
    STOPS,
    NoCutoff,
    Ranks,
    cutoff_ranks,
    gain_values,
    memoize,
    powers_of_two,
    relevant_at,
)

# --- A gain counts beside, or instead of, each relevant document ---

PREFERRED = (
    "Sakai 2006, On the Task of Finding One Highly Relevant Document with High Precision, IPSJ "
    "Digital Courier; NTCIREVAL"
)
BLENDED = {"gain": GAIN, "beta": BETA}
BETAS = (
    "write a beta above 1 for every relevant grade, none greater for a higher grade, as in "
    "WRR(betas={1:4,2:3,3:2})"
)
HUGE_BETA = 1e100
"""From this beta on the counts are nothing beside the gains, and products could overflow."""


@memoize
def blended_ratio_at_relevant(judged: Judged, gain: GainValue, beta: float) -> RelevantValues:
    """float64[Jr]: (count + beta * cg) / (r + beta * ideal cg) at each relevant document."""
    count = judged.relevant_nth.astype(np.float64)
    rank = judged.relevant_rank.astype(np.float64)
    reached = relevant_running_gain(judged, gain)
    ideal = ideal_gain_at_relevant(judged, gain)
    if beta > HUGE_BETA:
        return ratio(count / beta + reached, rank / beta + ideal)
    return ratio(count + beta * reached, rank + beta * ideal)


def relevant_sums_at(judged: Judged, terms: RelevantValues, cutoffs: Ranks) -> TopicsByCutoffs:
    """The terms of the relevant documents, summed up to each cutoff."""
    running = running_sums(judged.relevant_start, terms)
    return sums_at(judged.relevant_start, running, relevant_at(judged, cutoffs))


@measure(
    "Q",
    "Q-measure",
    options={**BLENDED, "denom": DENOMINATOR},
    cutoff="optional",
    aliases=("QMeasure",),
    formula="1/R * sum over relevant r <= k of BR(r), "
    "BR(r) = (count(r) + beta * cg(r)) / (r + beta * ideal cg(r))",
    source="Sakai 2004, New Performance Metrics based on Multi-grade Relevance: Their Application "
    "to Question Answering, NTCIR-4; Sakai 2006, Controlling the Penalty on Late Arrival of "
    "Relevant Documents in Information Retrieval Evaluation with Graded Relevance (beta); "
    + KISHIDA
    + "35",
    checked="paper and program",
    example=("2 0 - 1 | 1", "(beta=1)", (1 + 5 / 8) / 3),
    cites=("sakai2004ntcir4", "sakai2004multigrade", "sakai2006late", "sakai2007reliability"),
    shows=BLENDED_RATIO,
    divisor="relevant",
    relevant_gains=True,
)
def q_measure(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue, beta: float, denom: str
) -> TopicsByCutoffs:
    """Average precision with the blended ratio in the place of precision.

    The blended ratio joins precision, count(r) / r, with the share of the gain that could have been
    had up to rank r. beta says how much the gains weigh: 0 gives average precision, inf the
    weighted one (WAP). Ideal gains come from all relevant documents, the highest first, and are not
    cut. Gains c times as high have the effect of a beta c times as high.

    A relevant document whose gain is 0 counts as relevant. A topic without relevant documents
    has 0.
    """
    total = relevant_sums_at(judged, blended_ratio_at_relevant(judged, gain, beta), cutoffs)
    return ratio(total, recall_base(judged, cutoffs, denom))


@measure(
    "WAP",
    "Weighted average precision",
    options={"gain": GAIN, "denom": DENOMINATOR},
    cutoff="optional",
    formula="1/R * sum over relevant r <= k of cg(r) / ideal cg(r)",
    source="Kando, Kuriyama and Yoshioka 2001, Information Retrieval System Evaluation using "
    "Multi-Grade Relevance Judgments; " + KISHIDA + "34",
    checked="paper",
    example=("2 0 - 1 | 1", "", (1 + 3 / 4) / 3),
    cites=("kando2001multigrade", "kishida2005property"),
    shows=("gain", "gains", "ideal gains", "ratio"),
    divisor="relevant",
    relevant_gains=True,
)
def weighted_average_precision(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue, denom: str
) -> TopicsByCutoffs:
    """Average precision with the share of the possible gain in the place of precision.

    It is Q with beta=inf. Behind rank R the possible gain grows no more, so that a relevant
    document is not punished for coming later. A topic without relevant documents has 0.
    """
    total = relevant_sums_at(judged, blended_ratio_at_relevant(judged, gain, math.inf), cutoffs)
    return ratio(total, recall_base(judged, cutoffs, denom))


@measure(
    "genAP",
    "Generalised average precision",
    options={
        "gain": GAIN,
        "norm": choice(
            "what the sum is divided by: the same sum for the ideal list (ideal), or R",
            "ideal",
            "R",
            unbounded="R",
        ),
    },
    cutoff="optional",
    aliases=("genAveP",),
    formula="sum over relevant r <= k of cg(r) / r, divided by the same sum for the ideal list, "
    "uncut",
    source=KISHIDA + "42; norm=R: Vu and Gallinari 2005",
    checked="paper",
    bounds=(0.0, math.inf),
    example=("2 0 - 1 | 1", "", (2 + 3 / 4) / (2 + 3 / 2 + 4 / 3)),
    cites=("kishida2005property", "vu2005inex"),
    shows=("gain", "gains", "mean gain"),
    relevant_gains=True,
)
def generalised_average_precision(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue, norm: str
) -> TopicsByCutoffs:
    """Average precision with the mean gain in the place of precision.

    The divisor runs over all R ranks of the ideal list even where the ranking is cut before; with
    norm=R it is the number of relevant documents, and values can exceed 1. With equal gains it is
    average precision. A topic without relevant documents, or in which none has a gain, has 0.
    """
    total = relevant_sums_at(
        judged, relevant_running_gain(judged, gain) / judged.relevant_rank, cutoffs
    )
    if norm == "R":
        return ratio(total, judged.num_rel[:, None])
    ideal = relevant_ideal_list(judged, gain)
    means = running_sums(ideal.start, relevant_ideal_running_gain(judged, gain) / ideal.rank)
    return ratio(total, sums_at(ideal.start, means, ideal.length)[:, None])


def _first_relevant_indices(judged: Judged) -> tuple[TopicIndices, RelevantIndices]:
    """The topics with a relevant document retrieved, and the first one of each."""
    topics = np.flatnonzero(judged.num_rel_ret)
    return topics, judged.relevant_start[topics]


@memoize
def _preferred_relevant_indices(judged: Judged) -> tuple[TopicIndices, RelevantIndices]:
    """Those topics, and in each the first document with the highest grade retrieved."""
    topics, first = _first_relevant_indices(judged)
    grade = judged.grade[judged.relevant_rows]
    if not len(topics):
        return topics, first
    highest = np.maximum.reduceat(grade, first)
    rows = np.flatnonzero(grade == np.repeat(highest, judged.num_rel_ret[topics]))
    return topics, rows[np.searchsorted(rows, first)]


@measure(
    "O",
    "O-measure",
    options=BLENDED,
    aliases=("OMeasure",),
    formula="BR(r) at the rank r of the first relevant document; BR as for Q",
    source=PREFERRED,
    checked="program",
    example=("0 1 - 2", "(beta=1)", 2 / 5),
    cites=("sakai2006task", "sakai2006finding"),
    shows=BLENDED_RATIO,
    relevant_gains=True,
)
def o_measure(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue, beta: float
) -> TopicsByCutoffs:
    """The blended ratio of Q at the rank of the first relevant document.

    With beta=0 it is the reciprocal rank. It is 0 where no relevant document was retrieved.
    """
    value = np.zeros((judged.num_topics, 1))
    topics, relevant = _first_relevant_indices(judged)
    value[topics, 0] = blended_ratio_at_relevant(judged, gain, beta)[relevant]
    return value


@measure(
    "PMeasure",
    "P-measure",
    options=BLENDED,
    formula="BR(r) at the rank r of the first document with the highest grade retrieved; "
    "BR as for Q",
    source=PREFERRED,
    checked="program",
    example=("0 1 - 2", "(beta=1)", 5 / 7),
    cites=("sakai2006task", "sakai2006finding"),
    shows=BLENDED_RATIO,
    relevant_gains=True,
)
def p_measure(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue, beta: float
) -> TopicsByCutoffs:
    """The blended ratio of Q at the preferred rank, where a user is taken to stop.

    That is the first rank with the highest grade that this ranking has, whatever higher grades the
    judgments hold. It is 0 where no relevant document was retrieved.
    """
    value = np.zeros((judged.num_topics, 1))
    topics, relevant = _preferred_relevant_indices(judged)
    value[topics, 0] = blended_ratio_at_relevant(judged, gain, beta)[relevant]
    return value


@measure(
    "PPlus",
    "P-plus-measure",
    options=BLENDED,
    aliases=("PPlusMeasure",),
    formula="mean of BR(r) over the relevant documents up to the first one with the highest grade "
    "retrieved; BR as for Q",
    source=PREFERRED,
    checked="program",
    example=("0 1 - 2", "(beta=1)", (2 / 5 + 5 / 7) / 2),
    cites=("sakai2006task", "sakai2006finding"),
    shows=BLENDED_RATIO,
    relevant_gains=True,
)
def p_plus(judged: Judged, cutoffs: NoCutoff, *, gain: GainValue, beta: float) -> TopicsByCutoffs:
    """The mean blended ratio of those who stop at a relevant document up to the preferred rank.

    The preferred rank is that of P-measure. It is 0 where no relevant document was retrieved.
    """
    value = np.zeros((judged.num_topics, 1))
    topics, relevant = _preferred_relevant_indices(judged)
    sums = running_sums(judged.relevant_start, blended_ratio_at_relevant(judged, gain, beta))
    value[topics, 0] = sums[relevant] / judged.relevant_nth[relevant]
    return value


WRR_OPTIONS = {
    "betas": Option(
        "the beta of every grade that is relevant, above 1 and no greater for a higher grade, as "
        "{1:4,2:3,3:2}; without it all are infinite, which makes it the reciprocal rank",
        None,
        kind="map",
    ),
    "norm": choice(
        "what it is divided by: nothing (none), or its value where a document of the highest grade "
        "that the topic has is first (ideal), which is NWRR",
        "none",
        "ideal",
        unbounded="none",
    ),
}


@measure(
    "WRR",
    "Weighted reciprocal rank",
    options=WRR_OPTIONS,
    cutoff="optional",
    formula="1 / (r - 1/beta) at the rank r <= k of the first relevant document, beta that of its "
    "grade; norm=ideal: times 1 - 1/beta of the highest grade judged for the topic",
    source="Eguchi et al. 2003, Overview of the Web Retrieval Task at the Third NTCIR Workshop, "
    "NII-2003-002E; norm=ideal: Sakai 2006, Bootstrap-Based Comparisons of IR Metrics for Finding "
    "One Relevant Document",
    bounds=(0.0, math.inf),
    caution="values exceed 1 where betas are given; norm=ideal divides by the highest value",
    checked="not yet",
    example=("0 1 - 2", "(betas={1:4})", 1 / (2 - 1 / 4)),
    cites=("eguchi2003web", "sakai2006finding"),
    shows=("relevant",),
)
def weighted_reciprocal_rank(
    judged: Judged, cutoffs: Ranks, *, betas: GradeMap | None, norm: str
) -> TopicsByCutoffs:
    """The reciprocal rank, weighted by the grade of the document found first.

    The original takes the greatest of 1 / (r - 1/beta) over all relevant documents. That is the
    first one's: since beta is above 1, it is at least 1/r, and no later document reaches that. It
    is 0 where no relevant document was retrieved.
    """
    topics, relevant = _first_relevant_indices(judged)
    rank = judged.relevant_rank[relevant]
    value = np.zeros((judged.num_topics, 1))
    inverse_beta = _inverse_betas_or_zeros(judged.grade[judged.relevant_rows[relevant]], betas)
    value[topics, 0] = 1 / (rank - inverse_beta)
    if norm == "ideal":
        ideal = relevant_ideal_list(judged, "linear")
        highest = ideal.gain[ideal.start[topics]]
        value[topics, 0] *= 1 - _inverse_betas_or_zeros(highest, betas)
    first = np.full((judged.num_topics, 1), math.inf)
    first[topics, 0] = rank
    return np.where(first <= np.array(cutoff_ranks(cutoffs), float), value, 0.0)


def _inverse_betas_or_zeros(grade: Floats, betas: GradeMap | None) -> Floats:
    """float64[...]: 1/beta of each grade."""
    inverse = np.zeros(grade.shape)
    if betas is None:
        return inverse
    beta_of_grade = dict(betas)
    by_grade = [beta_of_grade[grade] for grade in sorted(beta_of_grade)]
    if min(by_grade, default=0.0) <= 1 or by_grade != sorted(by_grade, reverse=True):
        raise UsageError(f"measure WRR: {BETAS}")
    for level in np.unique(grade).tolist():
        if level not in beta_of_grade:
            raise UsageError(f"measure WRR: grade {level:g} has no beta; {BETAS}")
        inverse[grade == level] = 1 / beta_of_grade[level]
    return inverse


NCU_OPTIONS = {
    "stop": Option(
        "where users stop: at each relevant document in proportion to its gain (gu), or less and "
        "less often, by gamma from one to the next (rb)",
        "rb",
        kind="choice",
        choices=("gu", "rb"),
        shown=True,
    ),
    "util": Option(
        "what it is worth to stop: precision (P), the blended ratio (BR), or rbu^r (IE)",
        "BR",
        kind="choice",
        choices=("P", "BR", "IE"),
        shown=True,
    ),
    "stops": Option(
        "how many stop at a relevant document of each grade (gu), a map or a ratio; without it its "
        "gain; naming it implies stop=gu",
        None,
        kind="gain",
        low=0.0,
        implies=("stop", "gu"),
    ),
    "gamma": Option("how many go on behind a relevant document (rb)", 0.95, low=0.0, high=1.0),
    "gain": GAIN,
    "beta": BETA,
    "rbu": Option("what is left of the worth from one rank to the next (IE)", 0.99, low=0, high=1),
    "denom": choice(
        "what the sum is divided by: the weights of all relevant documents (R), or min(k, R), as "
        "NTCIREVAL does at a cutoff (min)",
        "R",
        "min",
    ),
}


@measure(
    "NCU",
    "Normalised cumulative utility",
    options=NCU_OPTIONS,
    cutoff="optional",
    formula="sum over relevant r <= k of w(r) * u(r), divided by the sum of w over all relevant "
    "documents; w: the gain or stop value (gu), or gamma^(count(r) - 1) (rb); u: count(r) / r (P), "
    "BR(r) as for Q (BR), or rbu^r (IE)",
    source="Sakai and Robertson 2008, Modelling A User Population for Designing Information "
    "Retrieval Metrics, EVIA; NTCIREVAL",
    checked="program",
    example=("2 0 - 1 | 1", "(stop=rb,util=P,gamma=0.5)", (1 + 0.5 * 0.5) / 1.75),
    cites=("sakai2008population", "ntcireval"),
    relevant_gains=True,
)
def normalised_cumulative_utility(
    judged: Judged,
    cutoffs: Ranks,
    *,
    stop: str,
    util: str,
    stops: GainValue | None,
    gamma: float,
    gain: GainValue,
    beta: float,
    rbu: float,
    denom: str,
) -> TopicsByCutoffs:
    """The utility for users who stop at relevant documents, by the share that stops at each.

    With gamma=1 and stop=rb the utility P gives average precision and BR gives Q. With stop=gu
    users stop in proportion to the gains, or to stop values of their own: stops={1:1,2:4}. A topic
    without relevant documents has 0.
    """
    stops = gain if stops is None else stops
    rank, nth = judged.relevant_rank, judged.relevant_nth
    # how many stop at each relevant document retrieved, on some scale
    if stop == "gu":
        weight = gain_values(judged.grade[judged.relevant_rows], stops)
    else:
        weight = powers(gamma, int(nth.max(initial=0)))[nth - 1]
    # what it is worth to stop there
    if util == "BR":
        utility = blended_ratio_at_relevant(judged, gain, beta)
    elif util == "P":
        utility = ratio(nth, rank)
    else:
        utility = powers(rbu, int(rank.max(initial=0)) + 1)[rank]
    total = relevant_sums_at(judged, weight * utility, cutoffs)
    if denom == "min":
        return ratio(total, recall_base(judged, cutoffs, denom))
    # how many stop at all relevant documents
    if stop == "gu":
        ideal = relevant_ideal_list(judged, stops)
        most = sums_at(ideal.start, relevant_ideal_running_gain(judged, stops), ideal.length)
    else:
        most = sums_before(powers(gamma, int(judged.num_rel.max(initial=0))))[judged.num_rel]
    return ratio(total, most[:, None])


LINE = choice(
    "how likely each grade from 1 on is the least that a user takes for relevant: in proportion "
    "to the grade (rising), or all the same (even)",
    "rising",
    "even",
)


def satisfied_users(grade: Floats, line: Literal["rising", "even"]) -> Floats:
    """float64[...]: how many users, on some scale, take a document of each grade for relevant."""
    return grade if line == "even" else grade * (grade + 1)


@measure(
    "GAP",
    "Graded average precision",
    options={"line": LINE, "denom": DENOMINATOR},
    cutoff="optional",
    formula="sum over relevant r <= k of 1/r * sum over relevant j <= r of s(min(grade(r), "
    "grade(j))), divided by the sum of s(grade) over all relevant documents; s(g) = g (g + 1)",
    source="Robertson, Kanoulas and Yilmaz 2010, Extending Average Precision to Graded Relevance "
    "Judgments, SIGIR; NTCIREVAL",
    checked="program",
    example=("2 0 - 1 | 1", "", (6 + (2 + 2) / 4) / 10),
    cites=("robertson2010graded",),
)
def graded_average_precision(
    judged: Judged, cutoffs: Ranks, *, line: Literal["rising", "even"], denom: str
) -> TopicsByCutoffs:
    """Average precision expected over users who each take another grade for the least relevant one.

    Of two relevant documents the lower grade counts for the later one. The grades themselves are
    used, not gains, and a relevant document of grade 0 (`rel=0`) adds nothing. With one grade only
    it is average precision. With denom=min a cut sum is divided by that of the k highest grades
    only. A topic without relevant documents has 0.
    """
    grade = judged.grade[judged.relevant_rows]
    shared = np.zeros(len(grade))
    below = 0.0
    for level in np.unique(grade).tolist():
        # those of at least this grade share one step more with each other
        rows = np.flatnonzero(grade >= level)
        start = offsets(grade >= level)[judged.relevant_start]
        here = float(satisfied_users(np.array(level), line))
        shared[rows] += (here - below) * ranks_in_segments(start)
        below = here
    total = relevant_sums_at(judged, shared / judged.relevant_rank, cutoffs)
    ideal = relevant_ideal_list(judged, "linear")
    running = running_sums(ideal.start, satisfied_users(ideal.gain, line))
    ranks = cutoff_ranks(cutoffs) if denom == "min" else cutoff_ranks((None,) * len(cutoffs))
    return ratio(total, sums_at(ideal.start, running, np.minimum(ideal.length[:, None], ranks)))


# --- A user looks at one document after another and may stop at each one ---


CHAPELLE = "Chapelle, Metzler, Zhang and Grinspan 2009, Expected Reciprocal Rank for Graded "
SERP = "Sakai and Zeng 2020, Retrieval Evaluation Measures that Agree with Users' SERP "
STOP = choice(
    "how likely a user is to stop at a gain g on a scale up to m: (2^g - 1) / 2^m (exp), or "
    "g / (m + 1) (ratio)",
    "exp",
    "ratio",
)
RATIO = STOP._replace(default="ratio", shown=True)
LEFT = Option("what is left of the utility from one rank to the next", 0.99, low=0.0, high=1.0)


ScaleTop = float | Floats
"""The highest gain of the scale: one for all topics, or float64[T]."""


def stop_probabilities(documents: GainList, stop: str, top: ScaleTop) -> DocumentValues:
    """float64[G]: the probability that a user who sees a document stops there."""
    if not isinstance(top, float):
        top = top[documents.topic]
    if stop == "ratio":
        return documents.gain / (top + 1)
    least = 2.0**-top if isinstance(top, float) else powers_of_two(-top)
    stops: Floats = powers_of_two(documents.gain - top) - least
    return stops


def running_expected_utility(documents: GainList, stops: Floats, utility: Floats) -> DocumentValues:
    """float64[G]: the expected utility where users stop, up to and including each document."""
    passed = running_products(documents.start, 1 - stops)
    reached = np.concatenate(([1.0], passed[:-1]))[: len(passed)]
    reached[documents.start[:-1][documents.length > 0]] = 1.0
    return running_sums(documents.start, utility * stops * reached)


def _expected_utility_at(
    judged: Judged,
    cutoffs: Ranks,
    gain: GainValue,
    stop: str,
    top: ScaleTop,
    utility_of_rank: Floats,
) -> TopicsByCutoffs:
    """The expected utility up to each cutoff; `utility_of_rank[r]` is that at rank r."""
    documents = nonzero_gain_documents(judged, gain)
    running = running_expected_utility(
        documents, stop_probabilities(documents, stop, top), utility_of_rank[documents.rank]
    )
    return sums_at(documents.start, running, num_nonzero_gains_at(judged, gain, cutoffs))


def _ideal_expected_utility_at(
    ideal: GainList, cutoffs: Ranks, stop: str, top: ScaleTop, utility_of_rank: Floats
) -> TopicsByCutoffs:
    """The same of an ideal list, cut like the ranking."""
    running = running_expected_utility(
        ideal, stop_probabilities(ideal, stop, top), utility_of_rank[ideal.rank]
    )
    count: Ints = np.minimum(ideal.length[:, None], cutoff_ranks(cutoffs))
    return sums_at(ideal.start, running, count)


def _table_size(*lists: GainList) -> int:
    """One more than the highest rank of some lists."""
    return 1 + max(int(documents.rank.max(initial=0)) for documents in lists)


def _reciprocal_ranks(*lists: GainList) -> Floats:
    """float64[]: 1/r at index r, up to the highest rank of some lists."""
    return ratio(1.0, np.arange(_table_size(*lists)))


def reciprocal_rank_at_stop(
    judged: Judged, cutoffs: Ranks, gain: GainValue, stop: str, top: ScaleTop
) -> TopicsByCutoffs:
    """float64[T, K]: ERR on a scale that ends at a gain."""
    utility = _reciprocal_ranks(nonzero_gain_documents(judged, gain))
    return _expected_utility_at(judged, cutoffs, gain, stop, top, utility)


def normalised_reciprocal_rank_at_stop(
    judged: Judged, cutoffs: Ranks, gain: GainValue, stop: str, top: ScaleTop
) -> TopicsByCutoffs:
    """The same over that of the ideal list."""
    ideal = ideal_list(judged, gain)
    utility = _reciprocal_ranks(nonzero_gain_documents(judged, gain), ideal)
    reached = _expected_utility_at(judged, cutoffs, gain, stop, top, utility)
    return ratio(reached, _ideal_expected_utility_at(ideal, cutoffs, stop, top, utility))


def blended_ratio_at_stop(
    judged: Judged, cutoffs: Ranks, gain: GainValue, beta: float, stop: str, top: ScaleTop
) -> TopicsByCutoffs:
    """float64[T, K]: EBR on a scale that ends at a gain."""
    documents = relevant_documents(judged, gain)
    stops = stop_probabilities(documents, stop, top)
    running = running_expected_utility(
        documents, stops, blended_ratio_at_relevant(judged, gain, beta)
    )
    return sums_at(documents.start, running, relevant_at(judged, cutoffs))


@measure(
    "ERR",
    "Expected reciprocal rank",
    family="cascade",
    options={"max": HIGHEST, "stop": STOP, "gain": GAIN_OF_STOPS},
    cutoff="optional",
    formula="sum over r <= k of 1/r * p(r) * product over i < r of 1 - p(i); "
    "p(r) = (2^gain(r) - 1) / 2^gain(max)",
    source=CHAPELLE + "Relevance, CIKM; stop=ratio: NTCIREVAL",
    checked="program",
    example=("2 0 - 1 | 1", "(max=2)", 3 / 4 + 1 / 4 * 1 / 4 * 1 / 4),
    residual="endless",
    cites=("chapelle2009err",),
    shows=STOPS,
)
def expected_reciprocal_rank(
    judged: Judged, cutoffs: Ranks, *, max: float, stop: str, gain: GainValue
) -> TopicsByCutoffs:
    """The expected reciprocal of the rank at which a user stops, content with what was found.

    How likely that is at each document depends on its grade and on max, the highest grade of the
    scale (default: the highest in the qrels; shown in the name). With
    stop=ratio and the gains 2^g - 1 the two forms are equal. The best value of a topic is below 1.
    An unjudged document has stop probability 0. A grade above the scale is an error.
    """
    return reciprocal_rank_at_stop(judged, cutoffs, gain, stop, checked_top_gain(judged, gain, max))


@measure(
    "nERR",
    "Normalised expected reciprocal rank",
    family="cascade",
    options={"max": HIGHEST, "stop": STOP, "gain": GAIN_OF_STOPS},
    cutoff="optional",
    formula="ERR@k divided by ERR@k of the ideal list",
    source=CHAPELLE + "Relevance, CIKM; NTCIREVAL",
    checked="program",
    example=("0 2 - 1 | 1", "(max=2)@2", (1 / 2 * 3 / 4) / (3 / 4 + 1 / 2 * 1 / 4 * 1 / 4)),
    cites=("chapelle2009err",),
    shows=STOPS,
)
def normalised_expected_reciprocal_rank(
    judged: Judged, cutoffs: Ranks, *, max: float, stop: str, gain: GainValue
) -> TopicsByCutoffs:
    """ERR as a share of the highest possible.

    The ideal list has all judged documents with a gain, the highest first, and is cut at k too. A
    topic without a gain in the qrels has 0.
    """
    top = checked_top_gain(judged, gain, max)
    return normalised_reciprocal_rank_at_stop(judged, cutoffs, gain, stop, top)


@measure(
    "EBR",
    "Expected blended ratio",
    family="cascade",
    options={"max": HIGHEST, "stop": RATIO, "gain": GAIN_OF_STOPS, "beta": BETA},
    cutoff="optional",
    formula="sum over r <= k of BR(r) * p(r) * product over i < r of 1 - p(i); BR as for Q, "
    "p(r) = gain(r) / (gain(max) + 1)",
    source=SERP + "Preferences, TOIS; NTCIREVAL",
    checked="program",
    bounds=(0.0, 1.0),
    example=("2 0 - 1 | 1", "(max=2,stop=ratio,beta=1)", 2 / 3 + 5 / 8 * 1 / 3 * 1 / 3),
    cites=("ntcireval", "sakai2008population"),
)
def expected_blended_ratio(
    judged: Judged, cutoffs: Ranks, *, max: float, stop: str, gain: GainValue, beta: float
) -> TopicsByCutoffs:
    """The expected blended ratio of Q at the rank where a user stops.

    It is ERR with the blended ratio as the utility in the place of 1/r. Only relevant documents
    count, by the level. The scale is that of ERR.
    """
    top = checked_top_gain(judged, gain, max)
    return blended_ratio_at_stop(judged, cutoffs, gain, beta, stop, top)


@measure(
    "nEBR",
    "Normalised expected blended ratio",
    family="cascade",
    options={"max": HIGHEST, "stop": RATIO, "gain": GAIN_OF_STOPS, "beta": BETA},
    cutoff="optional",
    formula="EBR@k divided by the sum over r <= k of p(r) * product over i < r of 1 - p(i) of the "
    "ideal list, whose blended ratio is 1",
    source="NTCIREVAL",
    checked="program",
    example=("2 0 - 1 | 1", "(max=2,stop=ratio,beta=1)@2", 2 / 3 / (2 / 3 + 1 / 3 * 1 / 3)),
    cites=("ntcireval",),
)
def normalised_expected_blended_ratio(
    judged: Judged, cutoffs: Ranks, *, max: float, stop: str, gain: GainValue, beta: float
) -> TopicsByCutoffs:
    """EBR as a share of the highest possible, that of the ideal list cut at k.

    A topic without relevant documents, or in which none has a gain, has 0.
    """
    top, ideal = checked_top_gain(judged, gain, max), relevant_ideal_list(judged, gain)
    reached = blended_ratio_at_stop(judged, cutoffs, gain, beta, stop, top)
    return ratio(
        reached, _ideal_expected_utility_at(ideal, cutoffs, stop, top, np.ones(_table_size(ideal)))
    )


@measure(
    "iRBU",
    "Intentwise rank-biased utility",
    family="cascade",
    options={"max": HIGHEST, "stop": RATIO, "gain": GAIN_OF_STOPS, "rbu": LEFT},
    cutoff="optional",
    formula="sum over r <= k of rbu^r * p(r) * product over i < r of 1 - p(i); "
    "p(r) = gain(r) / (gain(max) + 1)",
    source=SERP + "Preferences, TOIS; NTCIREVAL",
    checked="program",
    example=("2 0 - 1 | 1", "(max=2,stop=ratio,rbu=0.5)", 1 / 3 + 1 / 16 * 1 / 3 * 1 / 3),
    residual="endless",
    cites=("sakai2021serp", "amigo2018rbu"),
)
def intentwise_rank_biased_utility(
    judged: Judged, cutoffs: Ranks, *, max: float, stop: str, gain: GainValue, rbu: float
) -> TopicsByCutoffs:
    """The expected utility of a user whose patience wears off a little with every rank.

    It is ERR with rbu^r as the utility in the place of 1/r. The scale is that of ERR.
    """
    utility = powers(rbu, _table_size(nonzero_gain_documents(judged, gain)))
    return _expected_utility_at(
        judged, cutoffs, gain, stop, checked_top_gain(judged, gain, max), utility
    )


@measure(
    "niRBU",
    "Normalised intentwise rank-biased utility",
    family="cascade",
    options={"max": HIGHEST, "stop": RATIO, "gain": GAIN_OF_STOPS, "rbu": LEFT},
    cutoff="optional",
    formula="iRBU@k divided by iRBU@k of the ideal list",
    source="NTCIREVAL",
    checked="program",
    example=(
        "0 2 - 1 | 1",
        "(max=2,stop=ratio,rbu=0.5)@2",
        (1 / 4 * 2 / 3) / (1 / 2 * 2 / 3 + 1 / 4 * 1 / 3 * 1 / 3),
    ),
    cites=("ntcireval",),
)
def normalised_intentwise_rank_biased_utility(
    judged: Judged, cutoffs: Ranks, *, max: float, stop: str, gain: GainValue, rbu: float
) -> TopicsByCutoffs:
    """Intentwise RBU as a share of the highest possible, that of the ideal list cut at k.

    A topic without a gain in the qrels has 0.
    """
    top, ideal = checked_top_gain(judged, gain, max), ideal_list(judged, gain)
    utility = powers(rbu, _table_size(nonzero_gain_documents(judged, gain), ideal))
    reached = _expected_utility_at(judged, cutoffs, gain, stop, top, utility)
    return ratio(reached, _ideal_expected_utility_at(ideal, cutoffs, stop, top, utility))
