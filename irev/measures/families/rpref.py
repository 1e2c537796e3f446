"""Relatives of bpref: relevant documents against the judged ones that stand before them."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RelevantValues,
    TopicsByCutoffs,
    ratio,
    running_sums,
    segment_sums,
)
from irev.core.judged import Judged
from irev.core.record import record
from irev.measures.families.gain import checked_top_gain, relevant_ideal_list
from irev.measures.families.incomplete import nonrelevant_before
from irev.measures.registry import GainValue, measure
from irev.measures.shared import GAIN, HIGHEST, NoCutoff, gain_values, memoize

SAKAI = "Sakai 2007, Alternatives to Bpref, SIGIR; NTCIREVAL"


def _mean_over_relevant(judged: Judged, terms: RelevantValues) -> TopicsByCutoffs:
    """float64[T, 1]: the terms of the relevant documents, summed and divided by R."""
    total = segment_sums(judged.relevant_topic, terms, judged.num_topics)
    return ratio(total, judged.num_rel)[:, None]


@measure(
    "bpref_R",
    "Binary preference, by the number of relevant documents",
    formula="1/R * sum over relevant documents retrieved of 1 - min(n, R) / R; "
    "n: judged non-relevant documents before",
    source="Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR; "
    "Yilmaz and Aslam 2006, CIKM, equation 1; NTCIREVAL",
    checked="paper and program",
    example=("2 0 - 1 | 1", "", (1 + 2 / 3) / 3),
    cites=("buckley2004incomplete", "yilmaz2006incomplete", "sakai2007alternatives"),
)
def bpref_by_relevant(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """As bpref was first defined: the number of documents ranked above is always divided by R.

    `Bpref` divides by min(R, N) instead, N the judged non-relevant documents of the
    topic, and differs where N < R. Unjudged documents are passed over. A topic without relevant
    documents has 0.
    """
    relevant = judged.num_rel[judged.relevant_topic]
    return _mean_over_relevant(
        judged, 1 - np.minimum(nonrelevant_before(judged), relevant) / relevant
    )


@measure(
    "bpref_N",
    "Binary preference, by the number of judged non-relevant documents",
    formula="1/R * sum over relevant documents retrieved of 1 - n / N; n: judged non-relevant "
    "documents before, N: in the qrels",
    source=SAKAI,
    checked="program",
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("sakai2007alternatives",),
)
def bpref_by_nonrelevant(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """The share of the judged non-relevant documents that rank below a relevant one.

    Unjudged documents are passed over. Where no document was judged non-relevant, every relevant
    document retrieved counts 1. A topic without relevant
    documents has 0.
    """
    nonrelevant = judged.num_nonrel[judged.relevant_topic]
    return _mean_over_relevant(judged, 1 - ratio(nonrelevant_before(judged), nonrelevant))


@measure(
    "bpref_relative",
    "Binary preference, by the number of judged documents before",
    formula="1/R * sum over relevant documents retrieved, but not first, of 1 - n / (r - 1); "
    "n: judged non-relevant documents before, r: the rank among the judged ones",
    source=SAKAI,
    checked="program",
    example=("2 0 - 1 | 1", "", (1 / 2) / 3),
    cites=("sakai2007alternatives",),
)
def bpref_by_judged_before(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """The share of relevant documents among the judged ones before each relevant document.

    A relevant document that is the first judged one adds 0, since nothing ranks above it.
    Unjudged documents are passed over. A topic without relevant documents has 0.
    """
    before = nonrelevant_before(judged)
    judged_before = before + judged.relevant_nth - 1
    return _mean_over_relevant(
        judged, np.where(judged_before > 0, 1 - ratio(before, judged_before), 0.0)
    )


@record
class _Penalties:
    """For each relevant document retrieved: its gain, and what stands before it undeservedly."""

    gain: Floats
    """float64[Jr]"""
    penalty: Floats
    """float64[Jr]: the sum of (gain - lower gain) / gain over the judged documents before."""
    before: Ints
    """int64[Jr]: how many judged documents stand before."""


@memoize
def _penalties(judged: Judged, gain: GainValue) -> _Penalties:
    gains = np.zeros(len(judged.grade))
    relevant = judged.relevant_rows
    gains[relevant] = gain_values(judged.grade[relevant], gain)
    own_gain = gains[relevant]
    penalty = np.zeros(len(relevant))
    start = judged.row_start
    for value in np.unique(own_gain[own_gain > 0]).tolist():
        lower = judged.is_judged & (gains < value)
        running_lack = running_sums(start, np.where(lower, (value - gains) / value, 0.0))
        rows = np.flatnonzero(own_gain == value)
        penalty[rows] = running_lack[relevant[rows]]
    return _Penalties(own_gain, penalty, nonrelevant_before(judged) + judged.relevant_nth - 1)


def _gain_weighted_mean(judged: Judged, gain: GainValue, terms: RelevantValues) -> TopicsByCutoffs:
    """float64[T, 1]: the terms, each times the document's gain, over the gain there is."""
    ideal = relevant_ideal_list(judged, gain)
    total_gain = segment_sums(ideal.topic, ideal.gain, judged.num_topics)
    total = segment_sums(
        judged.relevant_topic, _penalties(judged, gain).gain * terms, judged.num_topics
    )
    return ratio(total, total_gain)[:, None]


@measure(
    "rpref_N",
    "Rank preference, relative to the judged documents that could be ranked above",
    options={"gain": GAIN, "max": HIGHEST},
    formula="sum over relevant documents retrieved of g * (1 - pen / (R + N - G / gain(max))), "
    "divided by G, the gain of all relevant documents; pen: the sum of (g - h) / g over judged "
    "documents before with a lower gain h",
    source=SAKAI,
    checked="program",
    example=("0 2 - 1 | 1", "(max=2)", (2 * (1 - 1 / 2) + 1 - 1 / 2) / 4),
    cites=("sakai2007alternatives", "debeer2006rpref"),
)
def rpref_by_all_judged(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue, max: float
) -> TopicsByCutoffs:
    """bpref_N with gains: a document ranked above counts by how much lower its gain is.

    Unjudged documents are passed over. The scale is that of ERR. The level of relevance applies to
    gains: a document below it has gain 0, as grade 1 has with -l 2. A topic without relevant
    documents, or in which none has a gain, has 0.
    """
    ideal, top = relevant_ideal_list(judged, gain), checked_top_gain(judged, gain, max)
    total_gain = segment_sums(ideal.topic, ideal.gain, judged.num_topics)
    most = judged.num_rel + judged.num_nonrel - ratio(total_gain, top)
    share = ratio(_penalties(judged, gain).penalty, most[judged.relevant_topic])
    return _gain_weighted_mean(judged, gain, 1 - share)


@measure(
    "rpref_relative",
    "Rank preference, by the judged documents before",
    options={"gain": GAIN},
    formula="sum over relevant documents retrieved, but not first, of g * (1 - pen / (r - 1)), "
    "divided by the gain of all relevant documents; pen as for rpref_N, r: the rank among the "
    "judged ones",
    source=SAKAI,
    checked="program",
    example=("0 2 - 1 | 1", "", (2 * (1 - 1) + 1 - 1 / 2) / 4),
    cites=("sakai2007alternatives", "debeer2006rpref"),
)
def rpref_by_judged_before(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue
) -> TopicsByCutoffs:
    """bpref_relative with gains: a document ranked above counts by how much lower its gain is.

    A relevant document that is the first judged one adds 0. Unjudged documents are passed over. The
    level of relevance applies to gains: a document below it has gain 0, as grade 1 has with -l 2. A
    topic without relevant documents, or in which none has a gain, has 0.
    """
    penalties = _penalties(judged, gain)
    terms = np.where(penalties.before > 0, 1 - ratio(penalties.penalty, penalties.before), 0.0)
    return _gain_weighted_mean(judged, gain, terms)


@measure(
    "rpref_relative2",
    "Rank preference, by the rank among the judged documents",
    options={"gain": GAIN},
    formula="sum over relevant documents retrieved of g * (1 - pen / r), divided by the gain of "
    "all relevant documents; pen and r as for rpref_relative",
    source=SAKAI,
    checked="program",
    example=("0 2 - 1 | 1", "", (2 * (1 - 1 / 2) + 1 - 1 / 3) / 4),
    cites=("sakai2007alternatives", "debeer2006rpref"),
)
def rpref_by_rank_among_judged(
    judged: Judged, cutoffs: NoCutoff, *, gain: GainValue
) -> TopicsByCutoffs:
    """rpref_relative with r in the place of r - 1, so that a first relevant document counts.

    Unjudged documents are passed over. The level of relevance applies to gains: a document below it
    has gain 0, as grade 1 has with -l 2. A topic without relevant documents, or in which none has a
    gain, has 0.
    """
    penalties = _penalties(judged, gain)
    return _gain_weighted_mean(judged, gain, 1 - penalties.penalty / (penalties.before + 1))
