"""Graded measures over intents: each intent by itself and averaged, or one gain over all of them.

Both are made of the measures for plain grades: those of the intents by themselves are computed on
one ranking for each intent, and D-measures on rankings whose grades are the global gains.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from irev.arrays import Floats, Ints, ranges, ratio, starts_of, sum_by
from irev.measures.choices import BETA, DENOMINATOR, GAIN, HIGHEST, gain_values
from irev.measures.defined.blended import p_plus, q_measure
from irev.measures.defined.cascade import STOP, expected_reciprocal_rank
from irev.measures.defined.cutoffs import Ranks
from irev.measures.defined.diversity import subtopic_recall
from irev.measures.defined.gain import DISCOUNTED, normalised_gain
from irev.measures.defined.novelty import by_ranking, coverable, covered, covering, expected
from irev.measures.registry import GainValue, Option, defined
from irev.measures.shared import once
from irev.model import Judged, SubtopicJudged, Subtopics

SAKAI = "Sakai and Song 2011, Evaluating Diversified Search Results Using Per-intent Graded "
SAKAI += "Relevance, SIGIR; NTCIREVAL"
KINDS = "Sakai 2012, Evaluation with Informational and Navigational Intents, WWW; NTCIREVAL"
AGRAWAL = "Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying Search Results, WSDM"

GAMMA = Option("how much the share of intents found weighs", 0.5, low=0.0, high=1.0)
BLENDED = {"gain": GAIN, "beta": BETA, "denom": DENOMINATOR}

ANY_GAIN = float(np.finfo(np.float64).tiny)
"""The level of global gains: whatever is above 0 is relevant."""

Levels: TypeAlias = tuple[Ints, Floats, Ints]
"""Segments' grades: (where each segment's begin, the grades, how many documents have each)."""


def _levels(segment: Ints, grade: Floats, count: int) -> Levels:
    """The grades that each segment has, rising, and how many times."""
    order = np.lexsort((grade, segment))
    segment, grade = segment[order], grade[order]
    new = np.ones(len(order), bool)
    new[1:] = (segment[1:] != segment[:-1]) | (grade[1:] != grade[:-1])
    first = np.flatnonzero(new)
    return starts_of(segment[first], count), grade[first], np.diff(np.append(first, len(order)))


# --- each intent by itself ---


@once
def _levels_of_subtopics(subtopics: Subtopics) -> Levels:
    known = subtopics.entry_grade >= 0
    entry_subtopic, entry_grade = subtopics.entry_subtopic[known], subtopics.entry_grade[known]
    return _levels(entry_subtopic, entry_grade, subtopics.num_subtopics)


@once
def _by_intent(judged: SubtopicJudged) -> Judged:
    """One ranking for each of the S subtopics; empty for those of topics that have no ranking."""
    subtopics, rankings = judged.subtopics, judged.judged
    first = subtopics.entry_start[judged.document]
    after = subtopics.entry_start[judged.document + 1]
    entries, rank = ranges(first, after), np.repeat(rankings.rank, after - first)
    order = np.argsort(subtopics.entry_subtopic[entries], kind="stable")
    entries = entries[order]
    grade = subtopics.entry_grade[entries]
    num_ret = np.zeros(subtopics.num_topics, np.int64)
    known = judged.number >= 0
    num_ret[judged.number[known]] = rankings.num_ret[known]
    return Judged(
        subtopics.entry_subtopic[entries],
        rank[order],
        np.where(grade < 0, -2.0, grade),
        num_ret[subtopics.topic_of_subtopic],
        *_levels_of_subtopics(subtopics),
        rankings.settings,
    )


def _averaged(judged: SubtopicJudged, values: Floats) -> Floats:
    """float64[T, K]: for each ranking the mean of its topic's rows of float64[S, K]."""
    level = judged.judged.settings.level
    columns = [expected(judged.subtopics, level, column) for column in values.T]
    return by_ranking(judged, np.stack(columns, axis=1))


@defined(
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
)
def intent_aware_ndcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> Floats:
    """The nDCG of each intent by itself, weighted by how likely the intent is.

    Intents without a relevant document are left out: by default all others weigh the same; where a
    file of intents gives probabilities, theirs are lost. What an intent has no judgment for is
    unjudged. As a document may serve one intent well and others not at all, no ranking may reach 1.
    """
    values = normalised_gain(_by_intent(judged), cutoffs, gain=gain, disc=disc, b=b)
    return _averaged(judged, values)


@defined(
    "IA_ERR",
    "ERR averaged over the intents",
    options={"max": HIGHEST, "stop": STOP, "gain": GAIN},
    cutoff="optional",
    needs="subtopics",
    aliases=("IA-ERR",),
    formula="sum over intents i of P(i) ERR(i)@k; by default P(i) = 1/M",
    source="Chapelle et al. 2011, Intent-based Diversification of Web Search Results, Information "
    "Retrieval 14; NTCIREVAL",
    checked="paper",
    example=("2,0 0,1 | 1,0", "(max=2)", (3 / 4 + 1 / 4 / 2) / 2),
)
def intent_aware_err(
    judged: SubtopicJudged, cutoffs: Ranks, *, max: float, stop: str, gain: GainValue
) -> Floats:
    """ERR for each intent by itself, weighted by how likely the intent is.

    One scale holds for all intents; NTCIREVAL's scripts take the highest grade of each intent
    instead. ndeval's ERR-IA, with binary grades and a divisor of its own, is `ERR_IA`. Intents
    without a relevant document are left out, as in `IA_nDCG`.
    """
    rankings = _by_intent(judged)
    return _averaged(
        judged, expected_reciprocal_rank(rankings, cutoffs, max=max, stop=stop, gain=gain)
    )


@defined(
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
)
def intent_aware_q(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, beta: float, denom: str
) -> Floats:
    """Q-measure for each intent by itself, weighted by how likely the intent is.

    Intents without a relevant document are left out, as in `IA_nDCG`. NTCIREVAL divides by
    min(k, R) at a cutoff: denom=min.
    """
    values = q_measure(_by_intent(judged), cutoffs, gain=gain, beta=beta, denom=denom)
    return _averaged(judged, values)


@defined(
    "PplusQ",
    "P-plus for navigational, Q-measure for informational intents",
    options={"gain": GAIN, "beta": BETA},
    needs="subtopics",
    aliases=("P+Q",),
    formula="sum over informational i of P(i) Q(i) + sum over navigational i of P(i) P+(i)",
    source=KINDS,
    checked="program",
    example=("1,0 0,1 | 1,0", "(beta=1)", (1 / 2 + 2 / 3) / 2),
)
def p_plus_q(judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, beta: float) -> Floats:
    """Q-measure where many documents are welcome, and P-plus where one is enough.

    A file of intents says which intents are navigational (a fourth field, `nav`); without it all
    are informational, and this is IA_Q. Intents without a relevant document are left out.
    """
    rankings = _by_intent(judged)
    values = q_measure(rankings, cutoffs, gain=gain, beta=beta, denom="R")
    navigational = judged.subtopics.navigational
    if navigational is not None:
        preferred = p_plus(rankings, cutoffs, gain=gain, beta=beta)
        values = np.where(navigational[:, None], preferred, values)
    return _averaged(judged, values)


# --- one gain over all intents ---


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
    return _levels(subtopics.topic[known], value[known], subtopics.num_topics)


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
        grade=_global_gain(subtopics, level, gain)[judged.document],
        level_start=np.concatenate(([0], np.cumsum(after - first))),
        level_grade=grade[rows],
        level_count=count[rows],
        settings=replace(rankings.settings, level=ANY_GAIN, gain_level=0),
        ties=None,
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
    topic, level = subtopics.topic[judged.document], judged.judged.settings.level
    total = _shared_out(subtopics, level, topic, total)
    return replace(rankings, grade=np.where(rankings.grade < 0, rankings.grade, total))


@defined(
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
)
def d_ndcg(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, disc: str, b: float
) -> Floats:
    """The nDCG where a document gains what it is worth to all intents together.

    The ideal list has all judged documents of the topic by their global gains. A grade below the
    level gains nothing. NTCIREVAL's scripts round global gains to four decimals; here nothing is
    rounded.
    """
    rankings = _by_global_gain(judged, gain)
    return normalised_gain(rankings, cutoffs, gain="linear", disc=disc, b=b)


@defined(
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
)
def d_q(
    judged: SubtopicJudged, cutoffs: Ranks, *, gain: GainValue, beta: float, denom: str
) -> Floats:
    """Q-measure where a document gains what it is worth to all intents together.

    Whatever has a global gain is relevant. NTCIREVAL divides by min(k, R) at a cutoff: denom=min;
    its scripts round global gains to four decimals.
    """
    rankings = _by_global_gain(judged, gain)
    return q_measure(rankings, cutoffs, gain="linear", beta=beta, denom=denom)


@defined(
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


@defined(
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


@defined(
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

    Intents without a relevant document are left out of the share of intents. NTCIREVAL divides by
    min(k, R) at a cutoff: denom=min.
    """
    found = subtopic_recall(judged, cutoffs)
    served = d_q(judged, cutoffs, gain=gain, beta=beta, denom=denom)
    return np.asarray(gamma * found + (1.0 - gamma) * served)
