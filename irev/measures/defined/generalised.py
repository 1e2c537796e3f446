"""Precision and recall of gains."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, ratio
from irev.core.model import Judged
from irev.measures.choices import GAIN, HIGHEST
from irev.measures.defined.cutoffs import Ranks, as_ranks
from irev.measures.defined.gain import cumulated, ideal_cumulated
from irev.measures.defined.lists import top_gain
from irev.measures.registry import GainValue, defined

PAPER = (
    "Kekäläinen and Järvelin 2002, Using Graded Relevance Assessments in IR Evaluation, JASIST; "
    "Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E"
)


@defined(
    "gP",
    "Generalised precision at k",
    options={"gain": GAIN, "max": HIGHEST},
    cutoff="required",
    formula="1/k * sum over r <= k of gain(r) / gain(max)",
    source=PAPER,
    checked="paper",
    example=("2 0 - 1 | 1", "(max=4)@2", 0.25),
    residual="cutoff",
    cites=("kekalainen2002graded", "kishida2005property"),
    additive=True,
    shows=("gain", "gains"),
)
def generalised_precision(judged: Judged, cutoffs: Ranks, *, gain: GainValue, max: float) -> Floats:
    """The mean gain of the first k documents, on a scale from 0 to the highest gain there is.

    The scale is that of the grades, not of the topic, so that the best value of a topic may be
    below 1. Without the scale, cg(k) / k goes by the same name in some papers. A ranking shorter
    than k is still divided by k.
    """
    top = top_gain(judged, gain, max)
    return ratio(cumulated(judged, cutoffs, gain, "none", 0.0), np.asarray(as_ranks(cutoffs)) * top)


@defined(
    "gR",
    "Generalised recall",
    options={"gain": GAIN},
    cutoff="optional",
    formula="sum over r <= k of gain(r), divided by the gains of all judged documents",
    source=PAPER,
    checked="paper",
    example=("2 0 - 1 | 1", "@2", 0.5),
    cites=("kekalainen2002graded", "kishida2005property"),
    additive=True,
    shows=("gain", "gains"),
)
def generalised_recall(judged: Judged, cutoffs: Ranks, *, gain: GainValue) -> Floats:
    """The share of all the gain there is for the topic that the first k documents bring.

    No scale is needed, since it would cancel. A topic without a gain in the qrels has 0.
    """
    whole = ideal_cumulated(judged, (None,), gain, "none", 0.0)
    return ratio(cumulated(judged, cutoffs, gain, "none", 0.0), whole)
