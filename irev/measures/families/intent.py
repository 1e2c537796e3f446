"""Graded measures for topics with several intents, made of the measures for plain grades.

Of each intent by itself, averaged over the intents (IA-, P+Q); of one gain over all intents (D-);
and of that together with the share of intents found (D#-).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RowStarts,
    RowValues,
    TopicOfRow,
    TopicsByCutoffs,
    offsets,
    ranges,
    ratio,
    run_starts,
    segment_starts,
    segment_sums,
)
from irev.core.judged import Judged, SubtopicJudged, Subtopics
from irev.measures.families.blended import (
    RATIO,
    STOP,
    ScaleTop,
    blended_ratio_at_stop,
    normalised_reciprocal_rank_at_stop,
    p_plus,
    q_measure,
    reciprocal_rank_at_stop,
)
from irev.measures.families.diversity import (
    entries_at_level,
    mean_over_subtopics,
    num_coverable_subtopics,
    subtopic_coverings,
    subtopic_recall,
    values_of_rankings,
)
from irev.measures.families.gain import DISCOUNTED, checked_top_gain, highest_judged_gain, ndcg
from irev.measures.families.patience import gain_sum_discounted_by_p
from irev.measures.registry import MEASURES, GainValue, Option, measure
from irev.measures.shared import (
    BETA,
    DENOMINATOR,
    GAIN,
    GAIN_OF_STOPS,
    HIGHEST,
    NoCutoff,
    Ranks,
    gain_values,
    memoize,
)

# --- Each intent by itself: computed on one ranking for each intent, and averaged ---


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


# --- D-measures: computed on rankings whose grades are the gains over all intents ---


ANY_GAIN = float(np.finfo(np.float64).tiny)
"""The level of global gains: whatever is above 0 is relevant."""


def _gains_over_intents(
    subtopics: Subtopics, level: float, row: Ints, subtopic: Ints, gains: Floats, topic: TopicOfRow
) -> Floats:
    """The gains for subtopics summed by row, by probability; else divided by M of the topic."""
    if subtopics.probability is not None:
        return segment_sums(row, gains * subtopics.probability[subtopic], len(topic))
    total = segment_sums(row, gains, len(topic))
    return ratio(total, num_coverable_subtopics(subtopics, level)[topic])


@memoize
def _global_gains(subtopics: Subtopics, level: float, gain: GainValue) -> Floats:
    """float64[D]: the gain of each document over all intents; -2 where it has no judgment."""
    gains = gain_values(subtopics.entry_grade, gain)
    gains = np.where(entries_at_level(subtopics, level), gains, 0.0)
    document, topic = subtopics.entry_document, subtopics.topic
    total = _gains_over_intents(subtopics, level, document, subtopics.entry_subtopic, gains, topic)
    num_judged = np.bincount(document, subtopics.entry_grade >= 0, minlength=len(topic))
    return np.where(num_judged > 0, total, -2.0)


@memoize
def _rising_global_gains(subtopics: Subtopics, level: float, gain: GainValue) -> GradesBySegment:
    value = _global_gains(subtopics, level, gain)
    judged_rows = np.flatnonzero(value >= 0)
    judged_rows = judged_rows[np.argsort(subtopics.topic[judged_rows], kind="stable")]
    return rising_grades_by_segment(
        subtopics.topic[judged_rows], value[judged_rows], subtopics.num_topics
    )


@memoize
def _global_gain_rankings(judged: SubtopicJudged, gain: GainValue) -> Judged:
    """The rankings with global gains as grades, and the ideal lists that go with them."""
    subtopics, rankings = judged.subtopics, judged.judged
    level = rankings.settings.level
    start, grade, count = _rising_global_gains(subtopics, level, gain)
    has_topic = judged.qrels_topic >= 0
    first = np.where(has_topic, start[judged.qrels_topic], 0)
    after = np.where(has_topic, start[judged.qrels_topic + 1], 0)
    rows = ranges(first, after)
    return replace(
        rankings,
        grade=_global_gains(subtopics, level, gain)[judged.row],
        level_start=offsets(after - first),
        level_grade=grade[rows],
        level_count=count[rows],
        settings=replace(rankings.settings, level=ANY_GAIN, gain_level=0),
        extras=rankings.extras._replace(ties=None),
    )


@memoize
def _navigational_rankings(judged: SubtopicJudged, gain: GainValue) -> Judged:
    """The same, where a document gains nothing from a navigational intent served before."""
    rankings, subtopics = _global_gain_rankings(judged, gain), judged.subtopics
    if subtopics.navigational is None:
        return rankings
    covered = subtopic_coverings(judged)
    served = subtopics.navigational[covered.subtopic] & (covered.nth > 1)
    gains = np.where(served, 0.0, gain_values(covered.grade, gain))
    topic, level = subtopics.topic[judged.row], judged.judged.settings.level
    total = _gains_over_intents(subtopics, level, covered.row, covered.subtopic, gains, topic)
    return replace(rankings, grade=np.where(rankings.grade < 0, rankings.grade, total))


@measure(
    "D_nDCG",
    "nDCG of the gains over all intents",
    family="global gain",
    options=DISCOUNTED,
    cutoff="optional",
    needs="subtopics",
    aliases=("D-nDCG",),
    formula="nDCG@k with the global gain of a document, sum over intents i of P(i) gain(grade for "
    "i), as its gain; by default P(i) = 1/M",
    source=SAKAI,
    checked="program",
    example=("1,1 0,1 | 2,0", "@2", (1 + 0.5 / math.log2(3)) / (1 + 1 / math.log2(3))),
    cites=("sakai2011diversified",),
)
def d_ndcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """The nDCG where a document gains what it is worth to all intents together.

    The ideal list has all judged documents of the topic by their global gains. A grade below the
    level gains nothing.
    """
    rankings = _global_gain_rankings(judged, gain)
    return ndcg(rankings, cutoffs, gain="linear", disc=disc, b=b)


@measure(
    "D_Q",
    "Q-measure of the gains over all intents",
    family="global gain",
    options=BLENDED,
    cutoff="optional",
    needs="subtopics",
    aliases=("D-Q",),
    formula="Q@k with the global gain of a document, sum over intents i of P(i) gain(grade for i), "
    "as its gain; by default P(i) = 1/M",
    source=SAKAI,
    checked="program",
    example=("1,1 0,1", "(beta=1)", (1 + (2 + 1.5) / (2 + 1.5)) / 2),
    cites=("sakai2011diversified",),
)
def d_q(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, beta: float, denom: str
) -> TopicsByCutoffs:
    """Q-measure where a document gains what it is worth to all intents together.

    Whatever has a global gain is relevant.
    """
    rankings = _global_gain_rankings(judged, gain)
    return q_measure(rankings, cutoffs, gain="linear", beta=beta, denom=denom)


@measure(
    "DIN_nDCG",
    "nDCG of the gains over all intents, the navigational ones served once",
    family="global gain",
    options=DISCOUNTED,
    cutoff="optional",
    needs="subtopics",
    aliases=("DIN-nDCG",),
    formula="as D_nDCG, but in the ranking a document gains from a navigational intent only if no "
    "document before it is relevant to that; the ideal list is that of D_nDCG",
    source=KINDS,
    checked="program",
    example=("1,1 0,1 | 2,0", "@2", (1 + 0.5 / math.log2(3)) / (1 + 1 / math.log2(3))),
    cites=("sakai2012intents",),
)
def din_ndcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> TopicsByCutoffs:
    """D_nDCG for a user with a navigational intent, who wants one document only.

    A file of intents says which intents are navigational (a fourth field, `nav`); without it all
    are informational, and this is D_nDCG. The ideal list takes no notice, so that 1 may be out of
    reach.
    """
    rankings = _navigational_rankings(judged, gain)
    return ndcg(rankings, cutoffs, gain="linear", disc=disc, b=b)


@measure(
    "DIN_Q",
    "Q-measure of the gains over all intents, the navigational ones served once",
    family="global gain",
    options=BLENDED,
    cutoff="optional",
    needs="subtopics",
    aliases=("DIN-Q",),
    formula="as D_Q, but in the ranking a document gains from a navigational intent only if no "
    "document before it is relevant to that; ideal gains and R are those of D_Q",
    source=KINDS,
    checked="program",
    example=("1,1 0,1", "(beta=1)", (1 + (2 + 1.5) / (2 + 1.5)) / 2),
    cites=("sakai2012intents",),
)
def din_q(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, beta: float, denom: str
) -> TopicsByCutoffs:
    """D_Q for a user with a navigational intent, who wants one document only.

    What a file of intents says, and what the ideal takes no notice of, is as for DIN_nDCG. A
    document that gains nothing any more is not relevant.
    """
    rankings = _navigational_rankings(judged, gain)
    return q_measure(rankings, cutoffs, gain="linear", beta=beta, denom=denom)


@measure(
    "D_ERR",
    "ERR of the gains over all intents",
    family="global gain",
    options={"stop": RATIO, "gain": GAIN_OF_STOPS},
    cutoff="optional",
    needs="subtopics",
    aliases=("D-ERR",),
    formula="ERR@k with the global gain of a document as its gain, on a scale up to the topic's "
    "highest global gain",
    source="NTCIREVAL",
    checked="program",
    example=("1,1 0,1 | 2,0", "(stop=ratio)@1", 1 / 2),
    cites=("ntcireval", "chapelle2009err"),
)
def d_err(judged: SubtopicJudged, cutoffs: Ranks, *, stop: str, gain: GainValue) -> TopicsByCutoffs:
    """ERR where a document is worth its global gain, that of D_nDCG.

    The scale ends at the highest global gain of the topic, not at that of a scale of grades.
    """
    rankings = _global_gain_rankings(judged, gain)
    top = highest_judged_gain(rankings, "linear")
    return reciprocal_rank_at_stop(rankings, cutoffs, "linear", stop, top)


@measure(
    "D_nERR",
    "Normalised ERR of the gains over all intents",
    family="global gain",
    options={"stop": RATIO, "gain": GAIN_OF_STOPS},
    cutoff="optional",
    needs="subtopics",
    aliases=("D-nERR",),
    formula="D_ERR@k divided by D_ERR@k of the ideal list",
    source="NTCIREVAL",
    checked="program",
    example=("0,1 1,1 | 1,0", "(stop=ratio)@1", 1 / 2),
    cites=("ntcireval", "chapelle2009err"),
)
def d_nerr(
    judged: SubtopicJudged, cutoffs: Ranks, *, stop: str, gain: GainValue
) -> TopicsByCutoffs:
    """D_ERR as a share of the highest possible, that of all judged documents by global gain."""
    rankings = _global_gain_rankings(judged, gain)
    top = highest_judged_gain(rankings, "linear")
    return normalised_reciprocal_rank_at_stop(rankings, cutoffs, "linear", stop, top)


@measure(
    "D_EBR",
    "Expected blended ratio of the gains over all intents",
    family="global gain",
    options={"stop": RATIO, "gain": GAIN_OF_STOPS, "beta": BETA},
    cutoff="optional",
    needs="subtopics",
    aliases=("D-EBR",),
    formula="EBR@k with the global gain of a document as its gain, on the scale of D_ERR",
    source="NTCIREVAL",
    checked="program",
    example=("1,1 0,1 | 2,0", "(stop=ratio,beta=1)@1", 1 / 2),
    cites=("ntcireval", "sakai2008population"),
)
def d_ebr(
    judged: SubtopicJudged, cutoffs: Ranks, *, stop: str, gain: GainValue, beta: float
) -> TopicsByCutoffs:
    """EBR where a document is worth its global gain; whatever has one is relevant."""
    rankings = _global_gain_rankings(judged, gain)
    top = highest_judged_gain(rankings, "linear")
    return blended_ratio_at_stop(rankings, cutoffs, "linear", beta, stop, top)


@measure(
    "D_RBP",
    "Rank-biased precision of the gains over all intents",
    family="global gain",
    options={"p": PERSISTENCE, "gain": GAIN},
    cutoff="optional",
    needs="subtopics",
    aliases=("D-RBP",),
    formula="(1 - p) * sum over r <= k of GG(r) / (highest GG of the topic) * p^(r - 1), GG the "
    "global gain of D_nDCG",
    source="NTCIREVAL",
    checked="program",
    example=("1,1 0,1 | 2,0", "(p=0.5)", 1 / 2 + 1 / 4 / 2),
    cites=("ntcireval", "moffat2008rbp"),
)
def d_rbp(judged: SubtopicJudged, cutoffs: Ranks, *, p: float, gain: GainValue) -> TopicsByCutoffs:
    """RBP where a document is worth its share of the topic's highest global gain."""
    rankings = _global_gain_rankings(judged, gain)
    reached = (1 - p) * gain_sum_discounted_by_p(rankings, cutoffs, p, "linear")
    return ratio(reached, highest_judged_gain(rankings, "linear")[:, None])


# --- D#-measures: the share of intents found, and a D-measure, as one ---


GAMMA = Option("how much the share of intents found weighs", 0.5, low=0.0, high=1.0)


def _recall_and_gain(
    gain: Callable[..., TopicsByCutoffs],
    judged: SubtopicJudged,
    cutoffs: Ranks,
    /,
    *,
    gamma: float,
    **arguments: Any,
) -> TopicsByCutoffs:
    recall = subtopic_recall(judged, cutoffs)
    return np.asarray(gamma * recall + (1.0 - gamma) * gain(judged, cutoffs, **arguments))


def _register_sharp_form(
    gain_measure: str,
    example: tuple[str, str, float],
    help: str,
    source: str = "NTCIREVAL",
    cites: tuple[str, ...] = ("ntcireval", "sakai2011diversified"),
) -> None:
    """Register the D#-form of a measure of the gains over all intents, D_X or DIN_X.

    It has that measure's options, and `gamma` beside them.
    """
    plain = MEASURES[gain_measure]
    title = plain.title
    kind, _, rest = gain_measure.partition("_")
    gain_title = title[0].lower() + title[1:] if title[1].islower() else title
    if kind == "DIN":
        gain_title = f"DIN-{rest}"  # the whole title is too long for a line of a list
    sharp = partial(_recall_and_gain, plain.compute)
    sharp.__doc__ = help
    measure(
        f"{kind}Sharp_{rest}",
        f"{kind}#-{rest}: intents found, and {gain_title}",
        family="sharp",
        options={"gamma": GAMMA, **plain.options},
        cutoff="optional",
        needs="subtopics",
        aliases=(f"{kind}#-{rest}", f"{kind}#_{rest}"),
        formula=f"gamma StRecall@k + (1 - gamma) {gain_measure}@k",
        source=source,
        checked="program",
        example=example,
        cites=cites,
    )(sharp)


_register_sharp_form(
    "D_nDCG",
    ("0,1 | 0,2 2,0", "@1", 0.5 * 1 / 2 + 0.5 * 1 / 2),
    """How many intents are served, and how well on the whole, as one number.

    Intents without a relevant document are left out of the share of intents.
    """,
    SAKAI,
    ("sakai2011diversified",),
)
_register_sharp_form(
    "D_Q",
    ("1,1 0,1", "(beta=1)", 1.0),
    """How many intents are served, and how well on the whole, as one number.

    Intents without a relevant document are left out of the share of intents.
    """,
    SAKAI,
    ("sakai2011diversified",),
)
_register_sharp_form(
    "DIN_nDCG",
    ("0,1 | 0,2 2,0", "@1", 0.5 * 1 / 2 + 0.5 * 1 / 2),
    "D#-nDCG with navigational intents served once, as by DIN_nDCG.",
    KINDS,
    ("sakai2012intents",),
)
_register_sharp_form(
    "DIN_Q",
    ("1,1 0,1", "(beta=1)", 1.0),
    "D#-Q with navigational intents served once, as by DIN_Q.",
    KINDS,
    ("sakai2012intents",),
)
_register_sharp_form(
    "D_ERR",
    ("1,1 0,1 | 2,0", "(stop=ratio)@1", 0.5 + 0.5 / 2),
    "How many intents are served, and how soon a user is content, as one number.",
)
_register_sharp_form(
    "D_nERR",
    ("0,1 1,1 | 1,0", "(stop=ratio)@1", 0.5 / 2 + 0.5 / 2),
    "D#-ERR with the normalised form, for which the best ranking has 1.",
)
_register_sharp_form(
    "D_EBR",
    ("1,1 0,1 | 2,0", "(stop=ratio,beta=1)@1", 0.5 + 0.5 / 2),
    "How many intents are served, and the blended ratio where a user stops, as one number.",
)
_register_sharp_form(
    "D_RBP",
    ("1,1 0,1 | 2,0", "(p=0.5)", 0.5 + 0.5 * 5 / 8),
    "How many intents are served, and the rate of gain of a patient user, as one number.",
)
