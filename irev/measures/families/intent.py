"""Graded measures of each intent by itself, averaged over the intents.

They are made of the measures for plain grades, computed on one ranking for each intent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RowStarts,
    RowValues,
    TopicsByCutoffs,
    ranges,
    ratio,
    run_starts,
    segment_starts,
)
from irev.core.judged import Judged, SubtopicJudged, Subtopics
from irev.measures.families.blended import p_plus, q_measure
from irev.measures.families.cascade import (
    RATIO,
    STOP,
    ScaleTop,
    blended_ratio_at_stop,
    normalised_reciprocal_rank_at_stop,
    reciprocal_rank_at_stop,
)
from irev.measures.families.diversity import mean_over_subtopics, values_of_rankings
from irev.measures.families.gain import DISCOUNTED, checked_top_gain, highest_judged_gain, ndcg
from irev.measures.families.patience import gain_sum_discounted_by_p
from irev.measures.registry import GainValue, Option, measure
from irev.measures.shared import (
    BETA,
    DENOMINATOR,
    GAIN,
    GAIN_OF_STOPS,
    HIGHEST,
    NoCutoff,
    Ranks,
    memoize,
)

SAKAI = "Sakai and Song 2011, Evaluating Diversified Search Results Using Per-intent Graded "
SAKAI += "Relevance, SIGIR; NTCIREVAL"
KINDS = "Sakai 2012, Evaluation with Informational and Navigational Intents, WWW; NTCIREVAL"
AGRAWAL = "Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying Search Results, WSDM"

BLENDED = {"gain": GAIN, "beta": BETA, "denom": DENOMINATOR}
SCALE = HIGHEST._replace(
    meaning=HIGHEST.meaning + "; intent: that of each intent's own judgments", choices=("intent",)
)
PERSISTENCE = Option(
    "the probability that a user goes on to the next document", 0.95, low=0.0, high=1.0, shown=True
)


class GradesBySegment(NamedTuple):
    """The distinct grades of each segment, from the lowest to the highest."""

    start_of_segment: RowStarts
    """Where each segment's grades begin."""
    grade: Floats
    num_documents: Ints
    """How many documents have each grade."""


def rising_grades_by_segment(
    segment_of_row: Ints, grade_of_row: RowValues, num_segments: int
) -> GradesBySegment:
    """The grades that each segment has, rising, and how many times."""
    order = np.lexsort((grade_of_row, segment_of_row))
    segment, grade = segment_of_row[order], grade_of_row[order]
    begin = run_starts(segment, grade)
    first = begin[:-1]
    start = segment_starts(segment[first], num_segments)
    return GradesBySegment(start, grade[first], np.diff(begin))


@memoize
def _rising_grades_of_subtopics(subtopics: Subtopics) -> GradesBySegment:
    is_judged = subtopics.entry_grade >= 0
    entry_subtopic = subtopics.entry_subtopic[is_judged]
    entry_grade = subtopics.entry_grade[is_judged]
    return rising_grades_by_segment(entry_subtopic, entry_grade, subtopics.num_subtopics)


@memoize
def _intent_rankings(judged: SubtopicJudged) -> Judged:
    """One ranking for each of the S subtopics; empty for those of topics that have no ranking."""
    subtopics, rankings = judged.subtopics, judged.judged
    first = subtopics.entry_start[judged.row]
    after = subtopics.entry_start[judged.row + 1]
    entries, rank = ranges(first, after), np.repeat(rankings.rank, after - first)
    order = np.argsort(subtopics.entry_subtopic[entries], kind="stable")
    entries = entries[order]
    grade = subtopics.entry_grade[entries]
    num_ret = np.zeros(subtopics.num_topics, np.int64)
    has_topic = judged.qrels_topic >= 0
    num_ret[judged.qrels_topic[has_topic]] = rankings.num_ret[has_topic]
    return Judged(
        subtopics.entry_subtopic[entries],
        rank[order],
        np.where(grade < 0, -2.0, grade),
        num_ret[subtopics.topic_of_subtopic],
        *_rising_grades_of_subtopics(subtopics),
        rankings.settings,
    )


def _mean_over_intents(judged: SubtopicJudged, values: Floats) -> TopicsByCutoffs:
    """For each ranking the mean of its topic's rows of float64[S, K]."""
    level = judged.judged.settings.level
    columns = [mean_over_subtopics(judged.subtopics, level, column) for column in values.T]
    return values_of_rankings(judged, np.stack(columns, axis=1))


@measure(
    "IA_nDCG",
    "nDCG averaged over the intents",
    options=DISCOUNTED,
    cutoff="optional",
    needs="subtopics",
    aliases=("nDCG_IA", "NDCG_IA", "nDCG-IA", "IA-nDCG"),
    formula="sum over intents i of P(i) nDCG(i)@k, each with its own ideal list; by default "
    "P(i) = 1/M",
    source=AGRAWAL + "; NTCIREVAL",
    checked="program",
    example=("2,0 0,1 | 1,0", "@2", (2 / (2 + 1 / math.log2(3)) + 1 / math.log2(3)) / 2),
    cites=("agrawal2009diversifying",),
)
def intent_aware_ndcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """The nDCG of each intent by itself, weighted by how likely the intent is.

    Intents without a relevant document are left out: by default all others weigh the same; where a
    file of intents gives probabilities, theirs are lost. What an intent has no judgment for is
    unjudged. As a document may serve one intent well and others not at all, no ranking may reach 1.
    """
    values = ndcg(_intent_rankings(judged), cutoffs, gain=gain, disc=disc, b=b)
    return _mean_over_intents(judged, values)


def _scale_top(rankings: Judged, gain: GainValue, highest: float | str) -> ScaleTop:
    """The highest gain of the scale: of one for all intents, or of each intent's own."""
    if isinstance(highest, str):
        return highest_judged_gain(rankings, gain)
    return checked_top_gain(rankings, gain, highest)


@measure(
    "IA_ERR",
    "ERR averaged over the intents",
    options={"max": SCALE, "stop": STOP, "gain": GAIN_OF_STOPS},
    cutoff="optional",
    needs="subtopics",
    aliases=("IA-ERR",),
    formula="sum over intents i of P(i) ERR(i)@k; by default P(i) = 1/M",
    source="Chapelle et al. 2011, Intent-based Diversification of Web Search Results, Information "
    "Retrieval 14; NTCIREVAL",
    checked="paper and program",
    example=("2,0 0,1 | 1,0", "(max=2)", (3 / 4 + 1 / 4 / 2) / 2),
    cites=("chapelle2011intent",),
)
def intent_aware_err(
    judged: SubtopicJudged, cutoffs: Ranks, *, max: float | str, stop: str, gain: GainValue
) -> TopicsByCutoffs:
    """ERR for each intent by itself, weighted by how likely the intent is.

    One scale holds for all intents; with max=intent each intent has its own, up to the highest
    grade of its judgments. `ERR_IA` has binary grades and a divisor of its own. Intents without a
    relevant document are left out, as in `IA_nDCG`.
    """
    rankings = _intent_rankings(judged)
    top = _scale_top(rankings, gain, max)
    return _mean_over_intents(judged, reciprocal_rank_at_stop(rankings, cutoffs, gain, stop, top))


@measure(
    "IA_nERR",
    "Normalised ERR averaged over the intents",
    options={"max": SCALE, "stop": RATIO, "gain": GAIN_OF_STOPS},
    cutoff="optional",
    needs="subtopics",
    aliases=("IA-nERR",),
    formula="sum over intents i of P(i) nERR(i)@k, each with its own ideal list; by default "
    "P(i) = 1/M",
    source="NTCIREVAL",
    checked="program",
    example=("2,0 0,1 | 1,0", "(max=2,stop=ratio)@1", 1 / 2),
    cites=("ntcireval", "chapelle2011intent"),
)
def intent_aware_nerr(
    judged: SubtopicJudged, cutoffs: Ranks, *, max: float | str, stop: str, gain: GainValue
) -> TopicsByCutoffs:
    """The nERR of each intent by itself, weighted by how likely the intent is.

    Scales are those of IA_ERR. Intents without a relevant document are left out, as in `IA_nDCG`.
    """
    rankings = _intent_rankings(judged)
    top = _scale_top(rankings, gain, max)
    return _mean_over_intents(
        judged, normalised_reciprocal_rank_at_stop(rankings, cutoffs, gain, stop, top)
    )


@measure(
    "IA_EBR",
    "Expected blended ratio averaged over the intents",
    options={"max": SCALE, "stop": RATIO, "gain": GAIN_OF_STOPS, "beta": BETA},
    cutoff="optional",
    needs="subtopics",
    aliases=("IA-EBR",),
    formula="sum over intents i of P(i) EBR(i)@k; by default P(i) = 1/M",
    source="NTCIREVAL",
    checked="program",
    example=("2,0 0,1 | 1,0", "(max=2,stop=ratio,beta=1)", (2 / 3 + 1 / 3 * 2 / 3) / 2),
    cites=("ntcireval", "sakai2008population"),
)
def intent_aware_ebr(
    judged: SubtopicJudged,
    cutoffs: Ranks,
    *,
    max: float | str,
    stop: str,
    gain: GainValue,
    beta: float,
) -> TopicsByCutoffs:
    """The EBR of each intent by itself, weighted by how likely the intent is.

    Scales are those of IA_ERR. Intents without a relevant document are left out, as in `IA_nDCG`.
    """
    rankings = _intent_rankings(judged)
    top = _scale_top(rankings, gain, max)
    return _mean_over_intents(
        judged, blended_ratio_at_stop(rankings, cutoffs, gain, beta, stop, top)
    )


@measure(
    "IA_RBP",
    "Rank-biased precision averaged over the intents",
    options={"p": PERSISTENCE, "max": SCALE, "gain": GAIN},
    cutoff="optional",
    needs="subtopics",
    aliases=("IA-RBP",),
    formula="sum over intents i of P(i) RBP(i)@k; by default P(i) = 1/M",
    source="NTCIREVAL",
    checked="program",
    example=("2,0 0,1 | 1,0", "(p=0.5,max=2)", (1 / 2 + 1 / 4 / 2) / 2),
    cites=("ntcireval", "moffat2008rbp"),
)
def intent_aware_rbp(
    judged: SubtopicJudged, cutoffs: Ranks, *, p: float, max: float | str, gain: GainValue
) -> TopicsByCutoffs:
    """The RBP of each intent by itself, weighted by how likely the intent is.

    Scales are those of IA_ERR. Intents without a relevant document are left out, as in `IA_nDCG`.
    """
    rankings = _intent_rankings(judged)
    reached = (1 - p) * gain_sum_discounted_by_p(rankings, cutoffs, p, gain)
    top = np.broadcast_to(_scale_top(rankings, gain, max), len(reached))
    return _mean_over_intents(judged, ratio(reached, top[:, None]))


@measure(
    "IA_Q",
    "Q-measure averaged over the intents",
    options=BLENDED,
    cutoff="optional",
    needs="subtopics",
    aliases=("IA-Q",),
    formula="sum over intents i of P(i) Q(i)@k; by default P(i) = 1/M",
    source=SAKAI,
    checked="paper",
    example=("2,0 0,1 | 1,0", "(beta=1)", (1 / 2 + 2 / 3) / 2),
    cites=("sakai2011diversified",),
)
def intent_aware_q(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, beta: float, denom: str
) -> TopicsByCutoffs:
    """Q-measure for each intent by itself, weighted by how likely the intent is.

    Intents without a relevant document are left out, as in `IA_nDCG`.
    """
    values = q_measure(_intent_rankings(judged), cutoffs, gain=gain, beta=beta, denom=denom)
    return _mean_over_intents(judged, values)


@measure(
    "PplusQ",
    "P-plus for navigational, Q-measure for informational intents",
    options={"gain": GAIN, "beta": BETA},
    needs="subtopics",
    aliases=("P+Q",),
    formula="sum over informational i of P(i) Q(i) + sum over navigational i of P(i) P+(i)",
    source=KINDS,
    checked="program",
    example=("1,0 0,1 | 1,0", "(beta=1)", (1 / 2 + 2 / 3) / 2),
    cites=("sakai2012intents",),
)
def p_plus_q(
    judged: SubtopicJudged, cutoffs: NoCutoff, *, gain: GainValue, beta: float
) -> TopicsByCutoffs:
    """Q-measure where many documents are welcome, and P-plus where one is enough.

    A file of intents says which intents are navigational (a fourth field, `nav`); without it all
    are informational, and this is IA_Q. Intents without a relevant document are left out.
    """
    rankings = _intent_rankings(judged)
    values = q_measure(rankings, cutoffs, gain=gain, beta=beta, denom="R")
    navigational = judged.subtopics.navigational
    if navigational is not None:
        preferred = p_plus(rankings, cutoffs, gain=gain, beta=beta)
        values = np.where(navigational[:, None], preferred, values)
    return _mean_over_intents(judged, values)
