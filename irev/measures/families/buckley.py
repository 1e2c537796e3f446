"""trec_eval's experiments with gains (Buckley, 2008): G, and nDCG averaged over ranks."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats, TopicValues, log2_by_index, ratio, running_sums, segment_sums
from irev.core.judged import Judged
from irev.measures.families.gain import (
    discounted_gain_at,
    gain_steps,
    ideal_discounted_gain_at,
    ideal_list,
    ideal_rows_at_document_ranks,
    log2_of,
    nonzero_gain_documents,
    nonzero_gain_rank_counter,
    running_gain,
    running_ideal_gain,
)
from irev.measures.registry import ALL_TREC, Gains, GainValue, measure
from irev.measures.shared import CUMULATED_GAINS, DISCOUNTED_GAINS, NoCutoff

LOG2 = ("log2", 2.0)
"""The discount and its base, which counts for nothing."""


def _dcg_and_ideal(judged: Judged, gain: GainValue) -> tuple[Floats, Floats]:
    """float64[T]: the DCG of the whole ranking, and that of the whole ideal list."""
    reached = discounted_gain_at(judged, (None,), gain, *LOG2)
    return reached[:, 0], ideal_discounted_gain_at(judged, (None,), gain, *LOG2)[:, 0]


@measure(
    "ndcg_rel",
    "Normalised discounted cumulated gain, averaged over the relevant documents",
    position=25,
    formula="1/P * sum over documents with a positive gain of dcg(i) / ideal_dcg(i) at their "
    "ranks i, and at the end of the ranking for those not retrieved; P the ideal list's length",
    source="trec_eval 10 (Buckley, 2008)",
    sets=ALL_TREC,
    parameter=Gains(),
    example=("2 0 - 1 | 1", "", (1 + 2 * (2 + 1 / math.log2(5)) / (2.5 + 1 / math.log2(3))) / 3),
    cites=("trec_eval",),
    shows=DISCOUNTED_GAINS,
)
def mean_ndcg_at_gained_documents(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue
) -> TopicValues:
    """What average precision is to precision, for normalised DCG.

    Normalised DCG is taken at the rank of each retrieved document with a positive gain, and that of
    the whole ranking for each one that was not retrieved. Gains are set as for `dcg`. A topic
    without a positive gain in the qrels has 0.
    """
    ideal = ideal_list(judged, gain)
    if not len(ideal.gain):
        return np.zeros(judged.num_topics)
    documents = nonzero_gain_documents(judged, gain)
    shares = (
        running_gain(judged, gain, *LOG2)
        / running_ideal_gain(judged, gain, *LOG2)[ideal_rows_at_document_ranks(judged, gain)]
    )
    topic = documents.topic
    if not isinstance(gain, str) and any(value < 0 for _, value in gain):
        rows = np.flatnonzero(documents.gain > 0)
        shares, topic = shares[rows], topic[rows]
    total = segment_sums(topic, shares, judged.num_topics)
    missed = ideal.length - np.bincount(topic, minlength=judged.num_topics)
    reached, most = _dcg_and_ideal(judged, gain)
    total += ratio(missed * reached, most)
    return np.where(total > 0, ratio(total, ideal.length), 0.0)


@measure(
    "Rndcg",
    "Normalised discounted cumulated gain at the steps of the ideal ranking",
    position=26,
    formula="mean of dcg(b) / ideal_dcg(b) over the ranks b where a gain occurs for the last time "
    "in the ideal ranking, and at the end of a ranking longer than the ideal one by two or more",
    source="trec_eval 10 (Buckley, 2008)",
    sets=ALL_TREC,
    parameter=Gains(),
    example=("2 0 - 1 | 1", "", (1 + 2 / (2.5 + 1 / math.log2(3))) / 2),
    cites=("trec_eval",),
    additive=True,
    shows=DISCOUNTED_GAINS,
)
def ndcg_at_gain_steps(judged: Judged, cutoffs: NoCutoff, *, gain: GainValue) -> TopicValues:
    """What R-precision is to precision, for normalised DCG with several grades.

    Where the ranking is shorter than a step of the ideal one, the DCG of the whole ranking counts.
    Gains are set as for `dcg`. A topic without relevant documents, by the level (`-l`), or without
    a positive gain has 0.
    """
    ideal, running = ideal_list(judged, gain), running_ideal_gain(judged, gain, *LOG2)
    # where a gain occurs for the last time in a topic's ideal list
    steps = gain_steps(judged, gain)
    last_ranks = np.cumsum(steps.num_docs) - ideal.start[steps.topic]
    same = (steps.topic[1:] == steps.topic[:-1]) & (steps.gain[1:] == steps.gain[:-1])
    last = np.flatnonzero(~np.append(same, False)[: len(last_ranks)])
    topic, rank = steps.topic[last], last_ranks[last]
    documents = nonzero_gain_documents(judged, gain)
    count = nonzero_gain_rank_counter(judged, gain).count_up_to(topic, rank)
    reached = np.zeros(len(topic))
    some = np.flatnonzero(count)
    rows = documents.start[topic[some]] + count[some] - 1
    reached[some] = running_gain(judged, gain, *LOG2)[rows]
    shares = reached / running[ideal.start[topic] + rank - 1]
    longer = np.flatnonzero((ideal.length > 0) & (judged.num_ret > ideal.length + 1))
    reached, most = _dcg_and_ideal(judged, gain)
    final = reached[longer] / most[longer]
    topic = np.concatenate((topic, longer))
    total = segment_sums(topic, np.concatenate((shares, final)), judged.num_topics)
    mean = ratio(total, np.bincount(topic, minlength=judged.num_topics))
    return np.where(judged.num_rel > 0, mean, 0.0)


@measure(
    "G",
    "G: gains discounted by the documents ranked above",
    position=21,
    formula="sum over i of gain(i) / log2(2 + cost(i) - gained(i)), divided by the sum of the "
    "ideal gains; up to rank i: cost adds the ideal gains, but at least 1 for each rank, "
    "gained adds the gains",
    source="trec_eval 10 (Buckley, 2008)",
    sets=ALL_TREC,
    parameter=Gains(),
    example=("2 0 - 1 | 1", "", 0.625),
    cites=("trec_eval",),
    shows=CUMULATED_GAINS,
)
def graded_g(judged: Judged, cutoffs: NoCutoff, *, gain: GainValue) -> TopicValues:
    """Each gain counts less the further the ranking has fallen behind the ideal one before it.

    It combines gains with the idea of average precision that the documents ranked above matter.
    Gains are set as for `dcg`. A topic without a positive gain in the qrels has 0.
    """
    documents, ideal = nonzero_gain_documents(judged, gain), ideal_list(judged, gain)
    if not len(ideal.gain):
        return np.zeros(judged.num_topics)
    place = ideal_rows_at_document_ranks(judged, gain)
    cost = running_sums(ideal.start, np.maximum(ideal.gain, 1))[place]
    # past the end of the ideal list each rank costs 1
    cost += documents.rank - (place - np.repeat(ideal.start[:-1] - 1, documents.length))
    behind = 2 + cost - running_sums(documents.start, documents.gain)
    with np.errstate(divide="ignore"):  # gains for unjudged documents may outrun the ideal
        terms = documents.gain / log2_of(behind)
    total = segment_sums(documents.topic, terms, judged.num_topics)
    return ratio(total, segment_sums(ideal.topic, ideal.gain, judged.num_topics))


@measure(
    "binG",
    "G with binary gains",
    position=20,
    formula="1/R * sum over relevant documents retrieved of 1 / log2(2 + non-relevant before)",
    source="trec_eval 10 (Buckley, 2008)",
    sets=ALL_TREC,
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("trec_eval",),
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
)
def binary_g(judged: Judged, cutoffs: NoCutoff) -> TopicValues:
    """Each relevant document counts less the more non-relevant documents rank above it.

    Unjudged documents count as not relevant. A relevant document that was not retrieved adds 0; a
    topic without relevant documents has 0.
    """
    log2 = log2_by_index(int(judged.relevant_rank.max(initial=0)) + 2)
    counts = judged.relevant_rank - judged.relevant_nth
    total = segment_sums(judged.relevant_topic, (1 / log2[2:])[counts], judged.num_topics)
    return ratio(total, judged.num_rel)
