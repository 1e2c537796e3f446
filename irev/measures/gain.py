"""Measures of graded relevance: discounted cumulated gain and its relatives, and G."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats, Ints, ratio, running_sums, sum_by, sums_at
from irev.core.model import Judged
from irev.measures.average_precision import STANDARD_CUTOFFS
from irev.measures.choices import CUMULATED_GAINS, DISCOUNTED_GAINS
from irev.measures.elsewhere import CWL, GDEVAL, NTCIR, RANX, UNORDERED, same
from irev.measures.gain_lists import (
    Pairs,
    gained,
    gained_at,
    gained_dcg,
    gained_index,
    ideal,
    ideal_place,
    ideal_running_dcg,
    log2_of,
    steps,
)
from irev.measures.registry import Cutoffs, Elsewhere, GainMap, Gains, measure
from irev.measures.shared import once

PAPER = "Järvelin and Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS; "


@once
def whole_dcg(judged: Judged, pairs: Pairs) -> Floats:
    """float64[T]: the DCG of the whole ranking."""
    documents = gained(judged, pairs)
    return sums_at(documents.start, gained_dcg(judged, pairs), documents.length)


@once
def whole_ideal_dcg(judged: Judged, pairs: Pairs) -> Floats:
    """float64[T]: the DCG of the whole ideal list."""
    best = ideal(judged, pairs)
    return sums_at(best.start, ideal_running_dcg(judged, pairs), best.length)


@measure(
    "dcg",
    "Discounted cumulated gain",
    position=22,
    formula="sum over i of gain(i) / log2(i + 1)",
    source=PAPER + "trec_eval 10",
    parameter=Gains(),
    bounds=(0.0, math.inf),
    since=10,
    example=("2 0 - 1 | 1", "", 2 + 1 / math.log2(5)),
    residual="cutoff",
    cites=("jarvelin2002cumulated", "trec_eval"),
    additive=True,
    shows=DISCOUNTED_GAINS,
    elsewhere=(Elsewhere(RANX, "dcg@k", UNORDERED),),
)
def discounted_gain(judged: Judged, gains: GainMap) -> Floats:
    """The gains of all retrieved documents, each divided by the logarithm of its rank plus one.

    A grade is its own gain unless the parameter gives it another, as in `dcg.1=3,2=9`; the grade
    -1 stands for documents that are not in the qrels, -2 for pooled but unjudged ones, which have 0
    otherwise. Negative gains count too. The level (`-l`) plays no role.
    """
    return whole_dcg(judged, gains.gains)


@measure(
    "ideal_dcg",
    "Discounted cumulated gain of the ideal ranking",
    position=23,
    formula="sum over i of ideal(i) / log2(i + 1), ideal: the positive gains, highest first",
    source=PAPER + "trec_eval 10",
    parameter=Gains(),
    bounds=(0.0, math.inf),
    higher_is_better=None,
    since=10,
    example=("2 0 - 1 | 1", "", 2.5 + 1 / math.log2(3)),
    cites=("jarvelin2002cumulated", "trec_eval"),
    additive=True,
    shows=DISCOUNTED_GAINS,
)
def ideal_discounted_gain(judged: Judged, gains: GainMap) -> Floats:
    """The highest DCG that a ranking of the judged documents can have.

    The ideal ranking holds every judged document with a positive gain, retrieved or not, however
    many documents were retrieved. Gains are set as for `dcg`.
    """
    return whole_ideal_dcg(judged, gains.gains)


@measure(
    "ndcg",
    "Normalised discounted cumulated gain",
    position=24,
    formula="dcg / ideal_dcg",
    source=PAPER + "trec_eval 10",
    sets=("all_trec",),
    parameter=Gains(),
    example=("2 0 - 1 | 1", "", (2 + 1 / math.log2(5)) / (2.5 + 1 / math.log2(3))),
    cites=("jarvelin2002cumulated", "trec_eval"),
    additive=True,
    shows=DISCOUNTED_GAINS,
    divisor="ideal",
    elsewhere=(
        *same(trec="ndcg", irm="nDCG"),
        Elsewhere(RANX, "ndcg", f"{UNORDERED}; a negative grade lowers the sum"),
    ),
)
def normalised_gain(judged: Judged, gains: GainMap) -> Floats:
    """DCG of the whole ranking as a share of the highest possible.

    Gains are set as for `dcg`; the level (`-l`) plays no role. A topic without a positive gain in
    the qrels has 0.
    """
    return ratio(whole_dcg(judged, gains.gains), whole_ideal_dcg(judged, gains.gains))


@measure(
    "ndcg_cut",
    "Normalised discounted cumulated gain at k",
    position=27,
    formula="sum over i <= k of grade(i) / log2(i + 1), divided by the same of the ideal ranking",
    source=PAPER + "trec_eval 10",
    sets=("all_trec",),
    parameter=Cutoffs(STANDARD_CUTOFFS),
    example=("2 0 - 1 | 1", "2", 2 / (2 + 1 / math.log2(3))),
    cites=("jarvelin2002cumulated", "trec_eval"),
    additive=True,
    shows=DISCOUNTED_GAINS,
    divisor="ideal",
    elsewhere=(
        *same(trec="ndcg_cut.k", irm="nDCG@k", ntcir="MSnDCG@k", beir="NDCG@k"),
        Elsewhere(RANX, "ndcg@k", UNORDERED),
        Elsewhere(
            GDEVAL,
            "ndcg@k",
            "exponential gains: nDCG(gain=exp)@k; topics without relevant documents are left out",
        ),
        Elsewhere(NTCIR, "nDCG@k", "discounts by Järvelin and Kekäläinen: nDCG(b=2)@k"),
        Elsewhere(RANX, "ndcg_burges@k", "exponential gains: nDCG(gain=exp)@k"),
        Elsewhere(CWL, "NDCG-k", "a constant divisor, not the topic's ideal: SDCG@k"),
    ),
)
def normalised_gain_at(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """DCG of the first k documents as a share of the highest possible at k.

    The grades are the gains; a negative one counts as 0. The level (`-l`) plays no role. A topic
    without a positive grade has 0.
    """
    count = gained_at(judged, (), cutoffs)
    reached = sums_at(gained(judged, ()).start, gained_dcg(judged, ()), count)
    best = ideal(judged, ())
    most = np.minimum(best.length[:, None], np.asarray(cutoffs))
    return ratio(reached, sums_at(best.start, ideal_running_dcg(judged, ()), most))


@measure(
    "ndcg_rel",
    "Normalised discounted cumulated gain, averaged over the relevant documents",
    position=25,
    formula="1/P * sum over documents with a positive gain of dcg(i) / ideal_dcg(i) at their "
    "ranks i, and at the end of the ranking for those not retrieved; P the ideal list's length",
    source="trec_eval 10 (Buckley, 2008)",
    sets=("all_trec",),
    parameter=Gains(),
    example=(
        "2 0 - 1 | 1",
        "",
        (1 + 2 * (2 + 1 / math.log2(5)) / (2.5 + 1 / math.log2(3))) / 3,
    ),
    cites=("trec_eval",),
    shows=DISCOUNTED_GAINS,
)
def normalised_gain_at_relevant(judged: Judged, gains: GainMap) -> Floats:
    """What average precision is to precision, for normalised DCG.

    Normalised DCG is taken at the rank of each retrieved document with a positive gain, and that of
    the whole ranking for each one that was not retrieved. Gains are set as for `dcg`. A topic
    without a positive gain in the qrels has 0.
    """
    pairs = gains.gains
    best = ideal(judged, pairs)
    if not len(best.gain):
        return np.zeros(judged.num_topics)
    documents = gained(judged, pairs)
    shares = (
        gained_dcg(judged, pairs) / ideal_running_dcg(judged, pairs)[ideal_place(judged, pairs)]
    )
    topic = documents.topic
    if any(value < 0 for _, value in pairs):
        rows = np.flatnonzero(documents.gain > 0)
        shares, topic = shares[rows], topic[rows]
    total = sum_by(topic, shares, judged.num_topics)
    missed = best.length - np.bincount(topic, minlength=judged.num_topics)
    total += ratio(missed * whole_dcg(judged, pairs), whole_ideal_dcg(judged, pairs))
    return np.where(total > 0, ratio(total, best.length), 0.0)


@measure(
    "Rndcg",
    "Normalised discounted cumulated gain at the steps of the ideal ranking",
    position=26,
    formula="mean of dcg(b) / ideal_dcg(b) over the ranks b where a gain occurs for the last time "
    "in the ideal ranking, and at the end of a ranking longer than the ideal one by two or more",
    source="trec_eval 10 (Buckley, 2008)",
    sets=("all_trec",),
    parameter=Gains(),
    example=(
        "2 0 - 1 | 1",
        "",
        (1 + 2 / (2.5 + 1 / math.log2(3))) / 2,
    ),
    cites=("trec_eval",),
    additive=True,
    shows=DISCOUNTED_GAINS,
)
def normalised_gain_at_steps(judged: Judged, gains: GainMap) -> Floats:
    """What R-precision is to precision, for normalised DCG with several grades.

    Where the ranking is shorter than a step of the ideal one, the DCG of the whole ranking counts.
    Gains are set as for `dcg`. A topic without relevant documents, by the level (`-l`), or without
    a positive gain has 0.
    """
    pairs = gains.gains
    best, running = ideal(judged, pairs), ideal_running_dcg(judged, pairs)
    topic, rank = _last_of_each_gain(judged, pairs)
    documents = gained(judged, pairs)
    count = gained_index(judged, pairs).up_to(topic, rank)
    reached = np.zeros(len(topic))
    some = np.flatnonzero(count)
    rows = documents.start[topic[some]] + count[some] - 1
    reached[some] = gained_dcg(judged, pairs)[rows]
    shares = reached / running[best.start[topic] + rank - 1]
    longer = np.flatnonzero((best.length > 0) & (judged.num_ret > best.length + 1))
    final = whole_dcg(judged, pairs)[longer] / whole_ideal_dcg(judged, pairs)[longer]
    topic = np.concatenate((topic, longer))
    total = sum_by(topic, np.concatenate((shares, final)), judged.num_topics)
    mean = ratio(total, np.bincount(topic, minlength=judged.num_topics))
    return np.where(judged.num_rel > 0, mean, 0.0)


def _last_of_each_gain(judged: Judged, pairs: Pairs) -> tuple[Ints, Ints]:
    """Topics and ranks where a gain occurs for the last time in a topic's ideal list."""
    step = steps(judged, pairs)
    rank = np.cumsum(step.count) - ideal(judged, pairs).start[step.topic]
    same = (step.topic[1:] == step.topic[:-1]) & (step.gain[1:] == step.gain[:-1])
    last = np.flatnonzero(~np.append(same, False)[: len(rank)])
    return step.topic[last], rank[last]


@measure(
    "G",
    "G: gains discounted by what stands before",
    position=21,
    formula="sum over i of gain(i) / log2(2 + cost(i) - gained(i)), divided by the sum of the "
    "ideal gains; up to rank i: cost adds the ideal gains, but at least 1 for each rank, "
    "gained adds the gains",
    source="trec_eval 10 (Buckley, 2008)",
    sets=("all_trec",),
    parameter=Gains(),
    example=("2 0 - 1 | 1", "", 0.625),
    cites=("trec_eval",),
    shows=CUMULATED_GAINS,
)
def graded_g(judged: Judged, gains: GainMap) -> Floats:
    """Each gain counts less the further the ranking has fallen behind the ideal one before it.

    It joins the idea of average precision, that what stands before a document matters, with gains.
    Gains are set as for `dcg`. A topic without a positive gain in the qrels has 0.
    """
    pairs = gains.gains
    documents, best = gained(judged, pairs), ideal(judged, pairs)
    if not len(best.gain):
        return np.zeros(judged.num_topics)
    place = ideal_place(judged, pairs)
    cost = running_sums(best.start, np.maximum(best.gain, 1))[place]
    # past the end of the ideal list each rank costs 1
    cost += documents.rank - (place - np.repeat(best.start[:-1] - 1, documents.length))
    behind = 2 + cost - running_sums(documents.start, documents.gain)
    with np.errstate(divide="ignore"):  # gains for unjudged documents may outrun the ideal
        terms = documents.gain / log2_of(behind)
    total = sum_by(documents.topic, terms, judged.num_topics)
    return ratio(total, sum_by(best.topic, best.gain, judged.num_topics))
