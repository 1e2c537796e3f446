"""Rank-biased precision: a user who goes on to the next document with a fixed probability."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, offsets, ratio, running_sums, sums_at
from irev.core.model import Judged
from irev.measures.choices import GAIN, HIGHEST
from irev.measures.defined.cutoffs import Ranks, as_ranks
from irev.measures.defined.lists import gained, gained_up_to, ideal, relevant_up_to, top_gain
from irev.measures.elsewhere import CWL, IRM, NTCIR, RANX, TREC
from irev.measures.gain_lists import GainList
from irev.measures.registry import Elsewhere, GainValue, Option, defined
from irev.measures.shared import once
from irev.measures.user import powers

PAPER = "Moffat and Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, "
PERSISTENCE = Option(
    "how likely a user is to go on to the next document", 0.8, low=0.0, high=1.0, shown=True
)
SCALED = GAIN._replace(
    meaning="the gain of a grade: the grade itself (linear), 2^grade - 1 (exp) or a map, each "
    "divided by that of the highest grade; 1 for relevant documents (binary); or the grade "
    "undivided (raw)",
    choices=("linear", "exp", "binary", "raw"),
    shown=True,
)
OPTIONS = {"p": PERSISTENCE, "gain": SCALED, "max": HIGHEST}


@once
def _binary_ideal(judged: Judged) -> GainList:
    start = offsets(judged.num_rel)
    rank = np.arange(1, int(start[-1]) + 1) - np.repeat(start[:-1], judged.num_rel)
    return GainList(start, rank, np.ones(len(rank)))


def _discounted(documents: GainList, p: float) -> Floats:
    """float64[G]: gain * p^(rank - 1), summed up to and including each document."""
    weight = powers(p, int(documents.rank.max(initial=0)))
    return running_sums(documents.start, documents.gain * weight[documents.rank - 1])


@once
def _reached(judged: Judged, cutoffs: Ranks, p: float, gain: GainValue) -> Floats:
    """float64[T, K]: the weighted gains up to each cutoff, neither scaled nor times 1 - p."""
    if gain == "binary":
        ones = np.ones(len(judged.relevant_rows))
        documents = GainList(judged.relevant_start, judged.relevant_rank, ones)
        return sums_at(documents.start, _discounted(documents, p), relevant_up_to(judged, cutoffs))
    documents = gained(judged, gain)
    return sums_at(documents.start, _discounted(documents, p), gained_up_to(judged, gain, cutoffs))


@defined(
    "RBP",
    "Rank-biased precision",
    options=OPTIONS,
    cutoff="optional",
    formula="(1 - p) * sum over r <= k of gain(r) / gain(max) * p^(r - 1)",
    source=PAPER + "TOIS",
    checked="program",
    example=("2 0 - 1 | 1", "(p=0.5,gain=linear,max=2)", 0.5 * (1 + 0.5 * 0.125)),
    residual="endless",
    cites=("moffat2008rbp",),
    additive=True,
    shows=("gain", "weight"),
    divisor="highest",
    elsewhere=(
        Elsewhere(
            TREC, "rbp", "p is 0.9; grades are scaled by the topic's highest where one exceeds 1"
        ),
        Elsewhere(IRM, "RBP", "p is 0.8; with rel=N binary"),
        Elsewhere(RANX, "rbp.80", "the grades themselves are the gains, so that it may exceed 1"),
        Elsewhere(NTCIR, "RBP", "p is 0.95; gains over the highest gain of the scale"),
        Elsewhere(CWL, "RBP@p", "refuses gains above 1"),
        Elsewhere("trectools", "RBP", "every relevant document gains 1: RBP(gain=binary)"),
    ),
)
def rank_biased_precision(
    judged: Judged, cutoffs: Ranks, *, p: float, gain: GainValue, max: float
) -> Floats:
    """The mean gain per document that a user sees who goes on with probability p each time.

    Gains lie between 0 and 1: the grade is divided by the highest of the scale (gain=linear), so
    that with the grades 0 and 1 it is the original binary measure, or every relevant document gains
    1 (gain=binary). gain=raw leaves the grades as they are, and values can exceed 1. Programs
    differ in the scale and in the persistence. An unjudged document gains nothing; RBPresid says
    what that may hide.
    """
    value = (1 - p) * _reached(judged, cutoffs, p, gain)
    if gain in ("binary", "raw"):
        return value
    return ratio(value, top_gain(judged, gain, max))


@defined(
    "nRBP",
    "Normalised rank-biased precision",
    options={"p": PERSISTENCE, "gain": SCALED._replace(choices=("linear", "exp", "binary"))},
    cutoff="optional",
    formula="RBP@k divided by RBP@k of the ideal list",
    source="NTCIREVAL",
    checked="program",
    example=("0 2 - 1 | 1", "(p=0.5,gain=linear)@2", 1 / 2.5),
    cites=("ntcireval",),
    additive=True,
)
def normalised_rank_biased_precision(
    judged: Judged, cutoffs: Ranks, *, p: float, gain: GainValue
) -> Floats:
    """RBP as a share of the highest possible.

    The ideal list has all judged documents with a gain, or all relevant ones where gain=binary, and
    is cut at k too. No scale is needed, since it would cancel. A topic without a gain in the qrels
    has 0.
    """
    best = _binary_ideal(judged) if gain == "binary" else ideal(judged, gain)
    count = np.minimum(best.length[:, None], as_ranks(cutoffs))
    most = sums_at(best.start, _discounted(best, p), count)
    return ratio(_reached(judged, cutoffs, p, gain), most)


@defined(
    "RBPresid",
    "Rank-biased precision, residual",
    options={"p": PERSISTENCE},
    cutoff="optional",
    formula="1 - (1 - p) * sum over judged r <= k of p^(r - 1)",
    source=PAPER + "TOIS",
    checked="program",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "(p=0.5)", 1 - 0.5 - 0.25 - 0.0625),
    cites=("moffat2008rbp",),
    additive=True,
)
def rank_biased_residual(judged: Judged, cutoffs: Ranks, *, p: float) -> Floats:
    """By how much RBP could rise if all that is not known of the ranking were of the highest grade.

    Not known are the unjudged documents, and whatever could follow the last document or, at a
    cutoff, document k. With p=1, where RBP is 0, it is 1.
    """
    documents = GainList(judged.judged_start, judged.judged_rank, np.ones(len(judged.judged_rank)))
    if cutoffs == (None,):
        count = judged.num_judged_ret[:, None]
    else:
        count = judged.judged_index.up_to_all(as_ranks(cutoffs))
    known = sums_at(documents.start, _discounted(documents, p), count)
    residual: Floats = 1 - (1 - p) * known
    return residual
