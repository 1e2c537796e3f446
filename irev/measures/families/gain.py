"""Cumulated gain, discounted or not, and what it is divided by."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    Ints,
    RankCounter,
    RelevantValues,
    RowIndices,
    TopicCounts,
    TopicCountsByCutoffs,
    TopicOfRow,
    TopicsByCutoffs,
    TopicValues,
    largest_or_zero,
    lengths_of,
    log2_by_index,
    offsets,
    ranks_in_segments,
    ratio,
    running_sums,
    segment_starts,
    segment_sums,
    sums_at,
)
from irev.core.judged import Judged
from irev.core.record import record
from irev.errors import UsageError
from irev.measures.registry import ALL_TREC, Gains, GainValue, measure
from irev.measures.shared import (
    BASE,
    CUMULATED_GAINS,
    DISCOUNT,
    DISCOUNTED_GAINS,
    GAIN,
    HIGHEST,
    NoCutoff,
    Ranks,
    cutoff_ranks,
    gain_values,
    memoize,
    memoize_for_same_judged_lists,
    relevant_at,
)

# --- Gains of what was retrieved and of the ideal list, and their discounted sums ---
# There are two views. Where only gains matter (DCG, ERR, ...) every judged document has its gain,
# and the level plays no role unless the measure's own name has one (`nDCG(rel=2)`). Where
# relevance and gain meet (Q, ...) only the documents that reach the level count, a gain of 0
# included.
# A grade that is given no gain has itself as its gain; a document without a grade has 0 unless -1
# (not in the qrels) or -2 (pooled but unjudged) is given one. The ideal list holds all judged
# documents with a positive gain, retrieved or not, the highest gain first.


MOST_TABLED = 1 << 20
"""Logarithms of larger whole numbers are not tabled."""


@record
class GainList:
    """Documents with their gains: G rows, ordered by topic and rank."""

    start: Ints
    """int64[T+1]: each topic's slice of the rows."""
    rank: Ints
    """int64[G]"""
    gain: Floats
    """float64[G]"""

    @property
    def num_topics(self) -> int:
        """T."""
        return len(self.start) - 1

    @property
    def length(self) -> TopicCounts:
        """How many rows each topic has."""
        return lengths_of(self.start)

    @property
    def topic(self) -> TopicOfRow:
        """int64[G]: the topic of each row."""
        return np.arange(self.num_topics).repeat(self.length)


@record
class GainSteps:
    """The ideal list in short: one row for each grade with a positive gain, the highest first."""

    topic: Ints
    gain: Floats
    num_docs: Ints
    """How many documents have that grade."""


def recall_base(judged: Judged, cutoffs: Ranks, denom: str) -> TopicCountsByCutoffs:
    """int64[T, K]: R for each cutoff, or at most the cutoff where `denom` is "min"."""
    count = np.repeat(judged.num_rel[:, None], len(cutoffs), axis=1)
    return np.minimum(count, cutoff_ranks(cutoffs)) if denom == "min" else count


def ideal_sum_at(ideal: GainList, running: DocumentValues, topic: Ints, rank: Ints) -> Floats:
    """float64[...]: the running sum of an ideal list at ranks of topics.

    It is flat behind the list's end, 0 if it is empty; `topic` and `rank` are int64[...] of shapes
    that fit together.
    """
    if not len(running):
        return np.zeros(np.broadcast_shapes(topic.shape, rank.shape))
    length = ideal.length[topic]
    place = ideal.start[topic] + np.minimum(rank, length) - 1
    return np.where(length > 0, running[place], 0.0)


@memoize_for_same_judged_lists
def gain_is_relevance(judged: Judged, gain: GainValue) -> bool:
    """Whether the relevant documents are those with a gain, and it their grade, as it mostly is."""
    level = judged.settings.level
    between = (judged.level_grade > 0) & (judged.level_grade < level)
    return gain in ("linear", "raw") and level > 0 and not between.any()


def gains_of(judged: Judged, grade: Floats, gain: GainValue) -> Floats:
    """float64[...]: the gain of each grade; none below the level that the measure's name has."""
    gains = gain_values(grade, gain)
    least = judged.settings.gain_level
    return np.where(grade < least, 0.0, gains) if least else gains


@memoize
def nonzero_gain_documents(judged: Judged, gain: GainValue) -> GainList:
    """The retrieved documents whose gain is not 0."""
    if gain_is_relevance(judged, gain):
        grade = judged.grade[judged.relevant_rows]
        return GainList(judged.relevant_start, judged.relevant_rank, grade)
    if not isinstance(gain, str) and any(level == -1 and value for level, value in gain):
        judged = judged.include_unjudged()
    gains = gains_of(judged, judged.grade, gain)
    rows = gains.nonzero()[0]
    start = segment_starts(judged.topic[rows], judged.num_topics)
    return GainList(start, judged.rank[rows], gains[rows])


@memoize
def nonzero_gain_rank_counter(judged: Judged, gain: GainValue) -> RankCounter:
    """Counts each topic's retrieved documents with a gain up to given ranks."""
    if gain_is_relevance(judged, gain):
        return judged.relevant_index
    documents = nonzero_gain_documents(judged, gain)
    return RankCounter.build(documents.topic, documents.rank, documents.start)


@memoize
def num_nonzero_gains_at(judged: Judged, gain: GainValue, cutoffs: Ranks) -> TopicCountsByCutoffs:
    """Retrieved documents with a gain at ranks up to each cutoff."""
    if cutoffs == (None,):
        return nonzero_gain_documents(judged, gain).length[:, None]
    ranks = cutoff_ranks(cutoffs)
    if gain_is_relevance(judged, gain):
        return relevant_at(judged, ranks)
    return nonzero_gain_rank_counter(judged, gain).count_all_up_to(ranks)


@memoize_for_same_judged_lists
def gain_steps(judged: Judged, gain: GainValue) -> GainSteps:
    """The grades with a positive gain, topic after topic, the highest gain first."""
    gains = gains_of(judged, judged.level_grade, gain)
    return _highest_gain_first(judged, gains, (gains > 0).nonzero()[0])


def _highest_gain_first(judged: Judged, gains: Floats, level_rows: RowIndices) -> GainSteps:
    """Some rows of the grade table, each topic's highest gain first."""
    order = level_rows[np.lexsort((-gains[level_rows], judged.level_topic[level_rows]))]
    return GainSteps(judged.level_topic[order], gains[order], judged.level_count[order])


def _documents_of_steps(judged: Judged, steps: GainSteps) -> GainList:
    """The documents of those grades, one after another."""
    length = np.bincount(steps.topic, steps.num_docs, minlength=judged.num_topics)
    start = offsets(length.astype(np.int64))
    return GainList(start, ranks_in_segments(start), np.repeat(steps.gain, steps.num_docs))


@memoize_for_same_judged_lists
def ideal_list(judged: Judged, gain: GainValue) -> GainList:
    """The ideal list: every judged document with a positive gain, the highest gain first."""
    return _documents_of_steps(judged, gain_steps(judged, gain))


@memoize
def ideal_rows_at_document_ranks(judged: Judged, gain: GainValue) -> RowIndices:
    """int64[G]: for each retrieved document with a gain, the ideal list's row at its rank.

    Past the end of its topic's ideal list it is the last row, and the row before the topic's first
    where the ideal list is empty.
    """
    documents, ideal = nonzero_gain_documents(judged, gain), ideal_list(judged, gain)
    place = np.minimum(documents.rank, np.repeat(ideal.length, documents.length))
    place += np.repeat(ideal.start[:-1] - 1, documents.length)
    return place


def log2_of(values: Floats) -> Floats:
    """The base-2 logarithm of each value, as the C library has it."""
    top = float(values.max(initial=0))
    whole = values.astype(np.int64) if 0 <= top < MOST_TABLED else np.zeros(0, np.int64)
    if np.array_equal(whole, values) and values.min(initial=1) > 0:
        return log2_by_index(int(top) + 1)[whole]
    # as in C, where math.log2 would raise an error
    return np.array(
        [
            math.log2(value) if value > 0 else -math.inf if value == 0 else math.nan
            for value in values.tolist()
        ]
    )


@memoize
def relevant_documents(judged: Judged, gain: GainValue) -> GainList:
    """The relevant documents retrieved, with their gains."""
    gains = gain_values(judged.grade[judged.relevant_rows], gain)
    return GainList(judged.relevant_start, judged.relevant_rank, gains)


@memoize
def relevant_ideal_list(judged: Judged, gain: GainValue) -> GainList:
    """All relevant documents, retrieved or not, the highest gain first; R rows for each topic."""
    if gain_is_relevance(judged, gain):
        return ideal_list(judged, gain)
    gains = gain_values(judged.level_grade, gain)
    relevant = np.flatnonzero(judged.level_grade >= judged.settings.level)
    return _documents_of_steps(judged, _highest_gain_first(judged, gains, relevant))


@memoize
def relevant_running_gain(judged: Judged, gain: GainValue) -> RelevantValues:
    """The gains of the relevant documents up to and including each one."""
    return running_sums(judged.relevant_start, relevant_documents(judged, gain).gain)


@memoize
def relevant_ideal_running_gain(judged: Judged, gain: GainValue) -> Floats:
    """float64[]: the gains of `relevant_ideal_list` up to and including each of its documents."""
    ideal = relevant_ideal_list(judged, gain)
    return running_sums(ideal.start, ideal.gain)


@memoize
def ideal_gain_at_relevant(judged: Judged, gain: GainValue) -> RelevantValues:
    """The cumulated gain of the ideal list at the rank of each relevant document."""
    ideal, sums = relevant_ideal_list(judged, gain), relevant_ideal_running_gain(judged, gain)
    return ideal_sum_at(ideal, sums, judged.relevant_topic, judged.relevant_rank)


def checked_top_gain(judged: Judged, gain: GainValue, highest_grade: float) -> float:
    """The highest gain of a scale that ends at a grade; judged grades above it are refused."""
    highest_judged = float(judged.level_grade.max(initial=0.0))
    if highest_judged > highest_grade:
        raise UsageError(
            f"grade {highest_judged:g} is above the highest grade of the scale, "
            f"{highest_grade:g}; write max={highest_judged:g} or more"
        )
    top = float(gain_values(np.array([highest_grade], np.float64), gain)[0])
    pairs = () if isinstance(gain, str) else gain
    return max([top, *(value for grade, value in pairs if grade <= highest_grade)])


@memoize
def highest_judged_gain(judged: Judged, gain: GainValue) -> TopicValues:
    """The highest gain that a topic's judgments hold; 0 without any."""
    steps = gain_steps(judged, gain)
    highest = np.zeros(judged.num_topics)
    highest[steps.topic[::-1]] = steps.gain[::-1]  # the highest comes last, and stays
    return highest


# --- Cumulated gain, discounted or not, and what it is divided by ---


PAPER = "Järvelin and Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques, TOIS"
KISHIDA = (
    "Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, equation "
)
GENERALISED = (
    "Kekäläinen and Järvelin 2002, Using Graded Relevance Assessments in IR Evaluation, JASIST; "
    "Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E"
)
UNBOUNDED = "Its values have no common scale: they should not be averaged over topics."
DISCOUNTED = {"gain": GAIN, "disc": DISCOUNT, "b": BASE}

_logarithms: dict[float, Floats] = {}


def divisors_indexed_by_rank(disc: str, b: float, least_length: int) -> Floats:
    """float64[>= least_length]: what a gain at each rank r >= 1, the index, is divided by.

    Args:
        disc: "log2" for log2(r + 1); "jk" for log_b(r), but 1 up to rank b; "rank" for r; "none"
            for 1.
        b: the base of the logarithm of "jk".
        least_length: one more than the highest rank that is asked for.
    """
    if disc == "log2":
        return log2_by_index(least_length + 1)[1:]
    if disc == "rank":
        return np.arange(least_length, dtype=np.float64)
    if disc == "none":
        return np.ones(least_length)
    # made with `math.log`, and kept
    table = _logarithms.get(b, np.ones(0))
    if len(table) < least_length:
        new_length = max(least_length, 2 * len(table), 1024)
        # b = 2 and 10 have functions of their own, which are exact at powers of the base
        log = {2.0: math.log2, 10.0: math.log10}.get(b)
        logarithm = log or (lambda rank: math.log(rank) / math.log(b))
        table = np.array([1.0 if rank <= b else logarithm(rank) for rank in range(new_length)])
        _logarithms[b] = table
    return table


def _running_discounted_gain(documents: GainList, disc: str, b: float) -> DocumentValues:
    """float64[G]: the discounted gains summed up to and including each row."""
    divisor = divisors_indexed_by_rank(disc, b, largest_or_zero(documents.rank) + 1)
    return running_sums(documents.start, documents.gain / divisor[documents.rank])


@memoize
def running_gain(judged: Judged, gain: GainValue, disc: str, b: float) -> DocumentValues:
    """float64[G]: the ranking's discounted gain up to each of `nonzero_gain_documents`."""
    return _running_discounted_gain(nonzero_gain_documents(judged, gain), disc, b)


@memoize_for_same_judged_lists
def running_ideal_gain(judged: Judged, gain: GainValue, disc: str, b: float) -> DocumentValues:
    """float64[G]: the ideal list's discounted gain up to each of its documents."""
    return _running_discounted_gain(ideal_list(judged, gain), disc, b)


@memoize
def discounted_gain_at(
    judged: Judged, cutoffs: Ranks, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """The ranking's discounted gain up to each cutoff."""
    count = num_nonzero_gains_at(judged, gain, cutoffs)
    return sums_at(
        nonzero_gain_documents(judged, gain).start, running_gain(judged, gain, disc, b), count
    )


@memoize_for_same_judged_lists
def ideal_discounted_gain_at(
    judged: Judged, cutoffs: Ranks, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """The ideal list's discounted gain up to each cutoff."""
    ideal = ideal_list(judged, gain)
    count = np.minimum(ideal.length[:, None], cutoff_ranks(cutoffs))
    return sums_at(ideal.start, running_ideal_gain(judged, gain, disc, b), count)


def _share_of_ideal(
    judged: Judged, cutoffs: Ranks, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    reached = discounted_gain_at(judged, cutoffs, gain, disc, b)
    return ratio(reached, ideal_discounted_gain_at(judged, cutoffs, gain, disc, b))


@measure(
    "CG",
    "Cumulated gain",
    options={"gain": GAIN},
    cutoff="optional",
    formula="sum over r <= k of gain(r)",
    source=PAPER,
    checked="paper",
    bounds=(0.0, math.inf),
    caution=UNBOUNDED,
    example=("2 0 - 1 | 1", "", 3.0),
    residual="cutoff",
    cites=("jarvelin2002cumulated", "jarvelin2000highly"),
    additive=True,
    linear=True,
    shows=CUMULATED_GAINS,
)
def cumulated_gain(judged: Judged, cutoffs: Ranks, *, gain: GainValue) -> TopicsByCutoffs:
    """The gains of the first k documents, added up; of all documents where it is not cut.

    An unjudged document gains nothing. The order of the first k documents plays no role.
    """
    return discounted_gain_at(judged, cutoffs, gain, "none", 0.0)


@measure(
    "nCG",
    "Normalised cumulated gain, or sliding ratio",
    options={"gain": GAIN},
    cutoff="optional",
    aliases=("SR",),
    formula="sum over r <= k of gain(r), divided by the same sum for the ideal list",
    source=PAPER + "; as sliding ratio: Pollock 1968, Measures for the Comparison of "
    "Information Retrieval Systems; " + KISHIDA + "26",
    checked="paper",
    example=("2 0 - 1 | 1", "@2", 2 / 3),
    cites=("jarvelin2002cumulated", "pollock1968measures", "kishida2005property"),
    additive=True,
    shows=(*CUMULATED_GAINS, "ratio"),
)
def normalised_cumulated_gain(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue
) -> TopicsByCutoffs:
    """The gain of the first k documents as a share of the highest possible at k.

    The ideal list has all judged documents with a gain, retrieved or not, the highest first, and is
    cut at k too; where the measure is not cut, neither is. Sakai calls it weighted precision. It
    does not see the order of the first k documents. A topic without a gain in the qrels has 0.
    """
    return _share_of_ideal(judged, cutoffs, gain, "none", 0.0)


@measure(
    "MSR",
    "Modified sliding ratio",
    options={"gain": GAIN},
    cutoff="optional",
    formula="sum over r <= k of gain(r) / r, divided by the same sum for the ideal list",
    source="Sagara; " + KISHIDA + "27",
    checked="paper",
    example=("2 0 - 1 | 1", "", 2.25 / (2 + 1 / 2 + 1 / 3)),
    cites=("kishida2005property",),
    additive=True,
    shows=("gain", "ideal"),
)
def modified_sliding_ratio(judged: Judged, cutoffs: Ranks, *, gain: GainValue) -> TopicsByCutoffs:
    """The sliding ratio with each gain divided by its rank, so that the order counts.

    It is normalised DCG with the rank as the discount. The ideal list is cut at k like the ranking.
    A topic without a gain in the qrels has 0.
    """
    return _share_of_ideal(judged, cutoffs, gain, "rank", 0.0)


@measure(
    "DCG",
    "Discounted cumulated gain",
    options=DISCOUNTED,
    cutoff="optional",
    formula="sum over r <= k of gain(r) / d(r); d(r) = log2(r + 1), or with disc=jk log_b(r) "
    "behind rank b and 1 up to it",
    source=PAPER + " (jk); Burges et al. 2005, Learning to Rank using Gradient Descent, ICML "
    "(log2, exp)",
    checked="paper and program",
    bounds=(0.0, math.inf),
    caution=UNBOUNDED,
    example=("2 0 - 1 | 1", "(disc=jk,b=2)", 2.5),
    residual="cutoff",
    cites=("jarvelin2002cumulated", "burges2005ranknet"),
    additive=True,
    linear=True,
    shows=DISCOUNTED_GAINS,
)
def dcg(judged: Judged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float) -> TopicsByCutoffs:
    """The gains of the first k documents, each divided by a logarithm of its rank.

    In the original, disc=jk, the first b ranks are not discounted; some texts divide by log_b from
    rank 2 on, which for b > 2 would raise a gain instead.
    """
    return discounted_gain_at(judged, cutoffs, gain, disc, b)


@measure(
    "IDCG",
    "Discounted cumulated gain of the ideal list",
    options=DISCOUNTED,
    cutoff="optional",
    formula="sum over r <= k of ideal(r) / d(r), ideal: the positive gains of all judged "
    "documents, the highest first; d as for DCG",
    source=PAPER,
    checked="paper and program",
    bounds=(0.0, math.inf),
    higher_is_better=None,
    example=("2 0 - 1 | 1", "(disc=jk,b=2)@3", 2 + 1 + 1 / math.log2(3)),
    cites=("jarvelin2002cumulated", "burges2005ranknet"),
    additive=True,
    shows=DISCOUNTED_GAINS,
)
def ideal_dcg(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """The highest DCG that a ranking of the judged documents can have at k.

    It depends on the judgments alone, not on how many documents were retrieved.
    """
    return ideal_discounted_gain_at(judged, cutoffs, gain, disc, b)


@measure(
    "nDCG",
    "Normalised discounted cumulated gain",
    options=DISCOUNTED,
    cutoff="optional",
    aliases=("NDCG",),
    formula="DCG@k / IDCG@k",
    source=PAPER + " (jk); Burges et al. 2005, Learning to Rank using Gradient Descent, ICML "
    "(log2, exp); trec_eval 10; NTCIREVAL",
    checked="paper and program",
    caution="With disc=jk a relevant document is not punished for coming late up to rank b: b "
    "should not exceed a topic's number of relevant documents (Sakai 2006).",
    example=("2 0 - 1 | 1", "(disc=jk,b=2)@3", 2 / (2 + 1 + 1 / math.log2(3))),
    cites=("jarvelin2002cumulated", "burges2005ranknet"),
    additive=True,
    ratio_of=("DCG", "IDCG"),
    shows=DISCOUNTED_GAINS,
    divisor="ideal",
)
def ndcg(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """DCG as a share of the highest possible.

    Where it is cut, the ranking and the ideal list are both cut at k; where it is not, neither is.
    The ideal list comes from all judged documents of the topic, not from the retrieved ones. A
    topic without a gain in the qrels has 0; some programs say 1 or leave the topic out.

    The level (`-l`) plays no role; `rel=2` in the name takes the gain from what lies below.
    """
    return _share_of_ideal(judged, cutoffs, gain, disc, b)


def _sum_of_inverse_ideals(
    ideal: GainList, idcg: DocumentValues, inverse_sums: DocumentValues, topic: Ints, rank: Ints
) -> Floats:
    """The sum of 1 / IDCG(i) over the first ranks of topics; IDCG is flat behind the ideal list."""
    length = ideal.length[topic]
    within = np.where(rank > 0, ideal_sum_at(ideal, inverse_sums, topic, np.maximum(rank, 1)), 0.0)
    behind = np.maximum(rank - length, 0)
    return within + ratio(behind, ideal_sum_at(ideal, idcg, topic, length))


@measure(
    "AvgNDCG",
    "Normalised discounted cumulated gain, averaged over the first n ranks",
    options={**DISCOUNTED, "disc": DISCOUNT._replace(default="jk")},
    cutoff="required",
    formula="1/n * sum over i <= n of DCG@i / IDCG@i",
    source=PAPER + "; " + KISHIDA + "32",
    checked="paper",
    example=("2 0 - 1 | 1", "(disc=jk,b=2)@2", (1 + 2 / 3) / 2),
    cites=("jarvelin2002cumulated", "kishida2005property"),
    additive=True,
    shows=DISCOUNTED_GAINS,
)
def average_ndcg(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """The mean of nDCG@1, nDCG@2, ... nDCG@n.

    Behind the end of a ranking its DCG stays as it is, while the ideal one may go on. `Rndcg`
    averages over the steps of the ideal list instead. A topic without a gain in the qrels has 0.
    """
    documents, ideal = nonzero_gain_documents(judged, gain), ideal_list(judged, gain)
    idcg = running_ideal_gain(judged, gain, disc, b)
    inverse_sums = running_sums(ideal.start, 1 / idcg)
    # a gain at rank r is part of DCG@i, and divided by IDCG@i, for i = r ... n
    divisor = divisors_indexed_by_rank(disc, b, int(documents.rank.max(initial=0)) + 1)
    gains = documents.gain / divisor[documents.rank]
    before = _sum_of_inverse_ideals(ideal, idcg, inverse_sums, documents.topic, documents.rank - 1)
    early = running_sums(documents.start, gains * before)
    topics = np.arange(judged.num_topics)[:, None]
    whole = _sum_of_inverse_ideals(
        ideal, idcg, inverse_sums, topics, np.asarray(cutoff_ranks(cutoffs))[None, :]
    )
    count = num_nonzero_gains_at(judged, gain, cutoffs)
    total = discounted_gain_at(judged, cutoffs, gain, disc, b) * whole
    total -= sums_at(documents.start, early, count)
    mean: Floats = total / np.asarray(cutoff_ranks(cutoffs))
    return mean


@measure(
    "gP",
    "Generalised precision at k",
    options={"gain": GAIN, "max": HIGHEST},
    cutoff="required",
    formula="1/k * sum over r <= k of gain(r) / gain(max)",
    source=GENERALISED,
    checked="paper",
    example=("2 0 - 1 | 1", "(max=4)@2", 0.25),
    residual="cutoff",
    cites=("kekalainen2002graded", "kishida2005property"),
    additive=True,
    linear=True,
    shows=("gain", "gains"),
)
def generalised_precision(
    judged: Judged, cutoffs: Ranks, *, gain: GainValue, max: float
) -> TopicsByCutoffs:
    """The mean gain of the first k documents, on a scale from 0 to the highest gain there is.

    The scale is that of the grades, not of the topic, so that the best value of a topic may be
    below 1. Without the scale, cg(k) / k goes by the same name in some papers. A ranking shorter
    than k is still divided by k.
    """
    top = checked_top_gain(judged, gain, max)
    return ratio(
        discounted_gain_at(judged, cutoffs, gain, "none", 0.0),
        np.asarray(cutoff_ranks(cutoffs)) * top,
    )


@measure(
    "gR",
    "Generalised recall",
    options={"gain": GAIN},
    cutoff="optional",
    formula="sum over r <= k of gain(r), divided by the gains of all judged documents",
    source=GENERALISED,
    checked="paper",
    example=("2 0 - 1 | 1", "@2", 0.5),
    cites=("kekalainen2002graded", "kishida2005property"),
    additive=True,
    shows=("gain", "gains"),
)
def generalised_recall(judged: Judged, cutoffs: Ranks, *, gain: GainValue) -> TopicsByCutoffs:
    """The share of the topic's total gain that the first k documents bring.

    No scale is needed, since it would cancel. A topic without a gain in the qrels has 0.
    """
    whole = ideal_discounted_gain_at(judged, (None,), gain, "none", 0.0)
    return ratio(discounted_gain_at(judged, cutoffs, gain, "none", 0.0), whole)


# --- trec_eval's experiments with gains (Buckley, 2008): G, and nDCG averaged over ranks ---


LOG2 = ("log2", 2.0)
"""The discount and its base, which counts for nothing."""


def _dcg_and_ideal(judged: Judged, gain: GainValue) -> tuple[Floats, Floats]:
    """float64[T]: the DCG of the whole ranking, and that of the whole ideal list."""
    reached = discounted_gain_at(judged, (None,), gain, *LOG2)
    return reached[:, 0], ideal_discounted_gain_at(judged, (None,), gain, *LOG2)[:, 0]


@measure(
    "ndcg_rel",
    "Normalised discounted cumulated gain, averaged over the relevant documents",
    family="buckley",
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
    family="buckley",
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
    family="buckley",
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
    family="buckley",
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
