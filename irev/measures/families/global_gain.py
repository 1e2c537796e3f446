"""D-measures: graded measures of one gain over all intents, and of the share of intents found.

They are the measures for plain grades, computed on rankings whose grades are the global gains.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    TopicOfRow,
    TopicsByCutoffs,
    offsets,
    ranges,
    ratio,
    segment_sums,
)
from irev.core.judged import Judged, SubtopicJudged, Subtopics
from irev.measures.families.blended import q_measure
from irev.measures.families.cascade import (
    RATIO,
    blended_ratio_at_stop,
    normalised_reciprocal_rank_at_stop,
    reciprocal_rank_at_stop,
)
from irev.measures.families.diversity import (
    entries_at_level,
    num_coverable_subtopics,
    subtopic_coverings,
)
from irev.measures.families.gain import DISCOUNTED, highest_judged_gain, ndcg
from irev.measures.families.intent import (
    BLENDED,
    KINDS,
    PERSISTENCE,
    SAKAI,
    GradesBySegment,
    rising_grades_by_segment,
)
from irev.measures.families.patience import gain_sum_discounted_by_p
from irev.measures.registry import GainValue, measure
from irev.measures.shared import BETA, GAIN, GAIN_OF_STOPS, Ranks, gain_values, memoize

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
