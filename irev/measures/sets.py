"""Measures of what was retrieved as a set: the order does not matter."""

from __future__ import annotations

import math

import numpy as np

from irev.core.arrays import Floats, ratio
from irev.core.model import Judged
from irev.measures.choices import BINARY, WITH_RECALL
from irev.measures.elsewhere import IRM, TREC, same
from irev.measures.registry import Elsewhere, Numbers, measure

SETS = ("set", "all_trec")


@measure(
    "utility",
    "Utility: weighted sum of the four kinds of documents",
    position=18,
    formula="a*rr + b*(n - rr) + c*(R - rr) + d*(N + rr - n - R), N the size of the collection",
    source="Hull 1998, The TREC-6 Filtering Track; trec_eval 10",
    sets=SETS,
    parameter=Numbers((1.0, -1.0, 0.0, 0.0), length=4),
    bounds=(-math.inf, math.inf),
    example=("2 0 - 1 | 1", "1,-1,-0.5,0", -0.5),
    cites=("hull1998filtering", "trec_eval"),
    additive=True,
)
def utility(judged: Judged, weights: tuple[float, ...]) -> Floats:
    """What the documents are worth, each of the four kinds at its own price.

    The four weights are for relevant documents retrieved, other documents retrieved, relevant
    documents missed, and other documents not retrieved. The fourth needs the size of the collection
    (`-N`), without which it is taken to be 0.
    """
    gain, cost, miss, rest = weights
    hits, shown, wanted = judged.num_rel_ret, judged.num_ret, judged.num_rel
    value: Floats = gain * hits + cost * (shown - hits) + miss * (wanted - hits)
    value += rest * (judged.settings.collection_size + hits - shown - wanted)
    return value


@measure(
    "set_P",
    "Precision of the set",
    position=31,
    formula="rr / n",
    source="trec_eval 10",
    sets=SETS,
    example=("2 0 - 1 | 1", "", 0.5),
    residual="ranking",
    cites=("vanrijsbergen1979information", "trec_eval"),
    additive=True,
    shows=BINARY,
    elsewhere=same(irm="SetP", ranx="precision"),
)
def set_precision(judged: Judged) -> Floats:
    """The share of relevant documents among all retrieved; 0 if nothing was retrieved."""
    return ratio(judged.num_rel_ret, judged.num_ret)


@measure(
    "set_relative_P",
    "Precision of the set, relative to the best possible",
    position=32,
    formula="rr / min(n, R)",
    source="trec_eval 10",
    sets=SETS,
    example=("2 0 - 1 | 1", "", 2 / 3),
    cites=("trec_eval",),
    additive=True,
    shows=BINARY,
    elsewhere=same(irm="SetP(relative=True)"),
)
def set_relative_precision(judged: Judged) -> Floats:
    """Precision of the set divided by the highest that a set of this size could have.

    It is 0 if nothing was retrieved, or nothing is relevant.
    """
    return ratio(judged.num_rel_ret, np.minimum(judged.num_ret, judged.num_rel))


@measure(
    "set_recall",
    "Recall of the set",
    position=33,
    formula="rr / R",
    source="trec_eval 10",
    sets=SETS,
    example=("2 0 - 1 | 1", "", 2 / 3),
    cites=("vanrijsbergen1979information", "trec_eval"),
    additive=True,
    shows=WITH_RECALL,
    elsewhere=same(irm="SetR", ranx="recall"),
)
def set_recall(judged: Judged) -> Floats:
    """The share of all relevant documents that was retrieved; 0 if nothing is relevant."""
    return ratio(judged.num_rel_ret, judged.num_rel)


@measure(
    "set_map",
    "Precision times recall of the set",
    position=34,
    formula="rr^2 / (n * R)",
    source="trec_eval 10",
    sets=SETS,
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("trec_eval",),
    additive="uncut",
    shows=BINARY,
    elsewhere=same(irm="SetAP"),
)
def set_average_precision(judged: Judged) -> Floats:
    """What average precision becomes when a set has no order.

    Each relevant document retrieved counts with the precision of the whole set, each of the others
    with 0. It is 0 if nothing was retrieved, or nothing is relevant.
    """
    hits = judged.num_rel_ret.astype(float)
    return ratio(hits * hits, judged.num_ret.astype(float) * judged.num_rel)


@measure(
    "set_F",
    "F measure of the set",
    position=35,
    formula="(x + 1) * P * Q / (x*P + Q), P precision and Q recall of the set",
    source="van Rijsbergen 1979, Information Retrieval; trec_eval 10",
    sets=SETS,
    parameter=Numbers((1.0,)),
    example=("2 0 - 1 | 1", "", 4 / 7),
    cites=("vanrijsbergen1979information", "trec_eval"),
    additive=True,
    shows=WITH_RECALL,
    elsewhere=(
        Elsewhere(TREC, "set_F.x", "x is beta squared: set_F.4 is F2"),
        Elsewhere(
            IRM, "SetF(beta=x)", "hands beta on as trec_eval's x, the square of the usual beta"
        ),
    ),
)
def set_f(judged: Judged, numbers: tuple[float, ...]) -> Floats:
    """The weighted harmonic mean of precision and recall.

    The parameter x says how much more recall weighs than precision: 1 for both alike, 0 for
    precision alone; of a list only the first number is used. It is 0 if no relevant document was
    retrieved.
    """
    x = numbers[0]
    precision = ratio(judged.num_rel_ret, judged.num_ret)
    recall = ratio(judged.num_rel_ret, judged.num_rel)
    return ratio((x + 1) * precision * recall, x * precision + recall)
