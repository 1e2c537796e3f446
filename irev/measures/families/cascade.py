"""Measures of a user who looks at one document after another and may stop at each one."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    TopicsByCutoffs,
    ratio,
    running_products,
    running_sums,
    sums_at,
)
from irev.core.judged import Judged
from irev.measures.families.blended import blended_ratio_at_relevant
from irev.measures.families.gain import (
    GainList,
    checked_top_gain,
    ideal_list,
    nonzero_gain_documents,
    num_nonzero_gains_at,
    relevant_documents,
    relevant_ideal_list,
)
from irev.measures.families.patience import powers
from irev.measures.registry import GainValue, Option, choice, measure
from irev.measures.shared import (
    BETA,
    GAIN_OF_STOPS,
    HIGHEST,
    STOPS,
    Ranks,
    cutoff_ranks,
    powers_of_two,
    relevant_at,
)

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
