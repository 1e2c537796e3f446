"""D-measures: graded measures of one gain over all intents, and of the share of intents found.

They are the measures for plain grades, computed on rankings whose grades are the global gains.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from irev.core.arrays import Floats, Ints, offsets, ranges, ratio, sum_by
from irev.core.model import Judged
from irev.core.views import SubtopicJudged, Subtopics
from irev.measures.blended import q_measure
from irev.measures.choices import gain_values
from irev.measures.diversity import subtopic_recall
from irev.measures.gain import DISCOUNTED, normalised_gain
from irev.measures.intent import BLENDED, KINDS, SAKAI, Levels, levels_of
from irev.measures.novelty import coverable, covered, covering
from irev.measures.registry import Elsewhere, GainValue, Option, measure
from irev.measures.shared import Ranks, once

FOUR_DECIMALS = "global gains are rounded to four decimals"
GAMMA = Option("how much the share of intents found weighs", 0.5, low=0.0, high=1.0)

ANY_GAIN = float(np.finfo(np.float64).tiny)
"""The level of global gains: whatever is above 0 is relevant."""


def _weighted(subtopics: Subtopics, subtopic: Ints, gains: Floats) -> Floats:
    """The gains for some subtopics, by probability where there is one."""
    return gains if subtopics.probability is None else gains * subtopics.probability[subtopic]


def _shared_out(subtopics: Subtopics, level: float, topic: Ints, total: Floats) -> Floats:
    """The sums of gains, divided by M where all subtopics are as likely."""
    if subtopics.probability is not None:
        return total
    return ratio(total, coverable(subtopics, level)[topic])


@once
def _global_gain(subtopics: Subtopics, level: float, gain: GainValue) -> Floats:
    """float64[D]: the gain of each document over all intents; -2 where it has no judgment."""
    gains = gain_values(subtopics.entry_grade, gain)
    gains = np.where(covering(subtopics, level), gains, 0.0)
    weighted = _weighted(subtopics, subtopics.entry_subtopic, gains)
    total = sum_by(subtopics.entry_document, weighted, len(subtopics.topic))
    known = np.bincount(
        subtopics.entry_document, subtopics.entry_grade >= 0, minlength=len(subtopics.topic)
    )
    return np.where(known > 0, _shared_out(subtopics, level, subtopics.topic, total), -2.0)


@once
def _global_levels(subtopics: Subtopics, level: float, gain: GainValue) -> Levels:
    value = _global_gain(subtopics, level, gain)
    known = np.flatnonzero(value >= 0)
    known = known[np.argsort(subtopics.topic[known], kind="stable")]
    return levels_of(subtopics.topic[known], value[known], subtopics.num_topics)


@once
def _by_global_gain(judged: SubtopicJudged, gain: GainValue) -> Judged:
    """The rankings with global gains as grades, and the ideal lists that go with them."""
    subtopics, rankings = judged.subtopics, judged.judged
    level = rankings.settings.level
    start, grade, count = _global_levels(subtopics, level, gain)
    known = judged.number >= 0
    first = np.where(known, start[judged.number], 0)
    after = np.where(known, start[judged.number + 1], 0)
    rows = ranges(first, after)
    return replace(
        rankings,
        grade=_global_gain(subtopics, level, gain)[judged.row],
        level_start=offsets(after - first),
        level_grade=grade[rows],
        level_count=count[rows],
        settings=replace(rankings.settings, level=ANY_GAIN, gain_level=0),
        extras=rankings.extras._replace(ties=None),
    )


@once
def _with_first_navigational(judged: SubtopicJudged, gain: GainValue) -> Judged:
    """The same, where a document gains nothing from a navigational intent served before."""
    rankings, subtopics = _by_global_gain(judged, gain), judged.subtopics
    if subtopics.navigational is None:
        return rankings
    found = covered(judged)
    served = subtopics.navigational[found.subtopic] & (found.nth > 1)
    gains = np.where(served, 0.0, gain_values(found.grade, gain))
    weighted = _weighted(subtopics, found.subtopic, gains)
    total = sum_by(found.row, weighted, len(rankings.grade))
    topic, level = subtopics.topic[judged.row], judged.judged.settings.level
    total = _shared_out(subtopics, level, topic, total)
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
    elsewhere=(Elsewhere("NTCIREVAL", "D-nDCG@k", FOUR_DECIMALS),),
)
def d_ndcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> Floats:
    """The nDCG where a document gains what it is worth to all intents together.

    The ideal list has all judged documents of the topic by their global gains. A grade below the
    level gains nothing.
    """
    rankings = _by_global_gain(judged, gain)
    return normalised_gain(rankings, cutoffs, gain="linear", disc=disc, b=b)


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
    elsewhere=(
        Elsewhere("NTCIREVAL", "D-Q@k", "divides by min(R, k): D_Q(denom=min)@k; " + FOUR_DECIMALS),
    ),
)
def d_q(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, beta: float, denom: str
) -> Floats:
    """Q-measure where a document gains what it is worth to all intents together.

    Whatever has a global gain is relevant.
    """
    rankings = _by_global_gain(judged, gain)
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
) -> Floats:
    """D_nDCG for a user with a navigational intent, who wants one document only.

    A file of intents says which intents are navigational (a fourth field, `nav`); without it all
    are informational, and this is D_nDCG. The ideal list takes no notice, so that 1 may be out of
    reach.
    """
    rankings = _with_first_navigational(judged, gain)
    return normalised_gain(rankings, cutoffs, gain="linear", disc=disc, b=b)


@measure(
    "DSharp_nDCG",
    "D#-nDCG: intents found, and nDCG of the gains over all intents",
    options={"gamma": GAMMA, **DISCOUNTED},
    cutoff="optional",
    needs="subtopics",
    aliases=("D#-nDCG", "D#_nDCG"),
    formula="gamma StRecall@k + (1 - gamma) D_nDCG@k",
    source=SAKAI,
    checked="program",
    example=("0,1 | 0,2 2,0", "@1", 0.5 * 1 / 2 + 0.5 * 1 / 2),
    cites=("sakai2011diversified",),
)
def d_sharp_ndcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, gamma: float, gain: GainValue, disc: str, b: float
) -> Floats:
    """How many intents are served, and how well on the whole, as one number.

    Intents without a relevant document are left out of the share of intents.
    """
    found = subtopic_recall(judged, cutoffs)
    served = d_ndcg(judged, cutoffs, gain=gain, disc=disc, b=b)
    return np.asarray(gamma * found + (1.0 - gamma) * served)


@measure(
    "DSharp_Q",
    "D#-Q: intents found, and Q-measure of the gains over all intents",
    options={"gamma": GAMMA, **BLENDED},
    cutoff="optional",
    needs="subtopics",
    aliases=("D#-Q", "D#_Q"),
    formula="gamma StRecall@k + (1 - gamma) D_Q@k",
    source=SAKAI,
    checked="program",
    example=("1,1 0,1", "(beta=1)", 1.0),
    cites=("sakai2011diversified",),
    elsewhere=(Elsewhere("NTCIREVAL", "D#-Q@k", "divides by min(R, k): DSharp_Q(denom=min)@k"),),
)
def d_sharp_q(
    judged: SubtopicJudged,
    cutoffs: Ranks,
    *,
    gamma: float,
    gain: GainValue,
    beta: float,
    denom: str,
) -> Floats:
    """How many intents are served, and how well on the whole, as one number.

    Intents without a relevant document are left out of the share of intents.
    """
    found = subtopic_recall(judged, cutoffs)
    served = d_q(judged, cutoffs, gain=gain, beta=beta, denom=denom)
    return np.asarray(gamma * found + (1.0 - gamma) * served)
