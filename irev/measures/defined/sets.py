"""Measures of what was retrieved as a set: the order does not matter."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, ratio
from irev.core.model import Judged
from irev.measures.choices import BINARY, WITH_RECALL
from irev.measures.defined.collection import SIZE, size_of_collection
from irev.measures.defined.cutoffs import Ranks
from irev.measures.defined.precision import BALANCE, weighted_f
from irev.measures.elsewhere import IRM, TREC, same
from irev.measures.registry import Elsewhere, Option, defined
from irev.measures.sets import set_average_precision, set_recall

BOOK = "van Rijsbergen 1979, Information Retrieval"


@defined(
    "SetP",
    "Precision of the set",
    formula="rr / n; with relative=true rr / min(n, R)",
    source=BOOK,
    checked="program",
    options={
        "relative": Option(
            "divide by the most relevant documents that a set of this size can hold",
            False,
            kind="flag",
        )
    },
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=BINARY,
    elsewhere=same(trec="set_P", irm="SetP", ranx="precision"),
)
def set_precision(judged: Judged, cutoffs: Ranks, *, relative: bool = False) -> Floats:
    """The share of relevant documents among all retrieved; 0 if nothing was retrieved."""
    most = np.minimum(judged.num_ret, judged.num_rel) if relative else judged.num_ret
    return ratio(judged.num_rel_ret, most)[:, None]


@defined(
    "SetR",
    "Recall of the set",
    formula="rr / R",
    source=BOOK,
    checked="program",
    example=("2 0 - 1 | 1", "", 2 / 3),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
    elsewhere=same(trec="set_recall", irm="SetR", ranx="recall"),
)
def recall_of_set(judged: Judged, cutoffs: Ranks) -> Floats:
    """The share of all relevant documents that was retrieved; 0 if nothing is relevant."""
    return set_recall(judged)[:, None]


@defined(
    "SetF",
    "F measure of the set",
    formula="(1 + beta^2) * P * R / (beta^2 * P + R), P precision and R recall of the set",
    source=BOOK,
    checked="program",
    options={"beta": BALANCE},
    example=("2 0 - 1 | 1", "(beta=2)", 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
    elsewhere=(
        Elsewhere(TREC, "set_F.x", "x is beta squared: set_F.4 is F2"),
        Elsewhere(
            IRM, "SetF(beta=x)", "hands beta on as trec_eval's x, the square of the usual beta"
        ),
    ),
)
def set_f(judged: Judged, cutoffs: Ranks, *, beta: float = 1.0) -> Floats:
    """The weighted harmonic mean of precision and recall.

    With beta=0 it is precision, with beta=inf recall. It is 0 if no relevant document was
    retrieved.
    """
    hits, shown = judged.num_rel_ret.astype(float), judged.num_ret.astype(float)
    return weighted_f(hits, shown, judged.num_rel.astype(float), beta)[:, None]


@defined(
    "SetE",
    "Van Rijsbergen's E: one minus the F measure of the set",
    formula="1 - (1 + beta^2) * P * R / (beta^2 * P + R)",
    source=BOOK,
    checked="not yet",
    options={"beta": BALANCE},
    higher_is_better=False,
    example=("2 0 - 1 | 1", "(beta=2)", 1 - 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
)
def set_e(judged: Judged, cutoffs: Ranks, *, beta: float = 1.0) -> Floats:
    """How far the set is from the best: 0 for exactly the relevant documents, 1 without any.

    Some textbooks and slides print the F measure under the name E.
    """
    error: Floats = 1 - set_f(judged, cutoffs, beta=beta)
    return error


@defined(
    "SetAP",
    "Precision times recall of the set",
    formula="rr^2 / (n * R)",
    source="trec_eval 10",
    checked="program",
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("trec_eval",),
    additive="uncut",
    shows=BINARY,
    elsewhere=same(trec="set_map", irm="SetAP"),
)
def average_precision_of_set(judged: Judged, cutoffs: Ranks) -> Floats:
    """What average precision becomes when a set has no order.

    It is 0 if nothing was retrieved, or nothing is relevant.
    """
    return set_average_precision(judged)[:, None]


@defined(
    "ClassAccuracy",
    "Accuracy of the set as a classification of the collection",
    formula="(tp + tn) / N, tp relevant documents retrieved, tn other documents not retrieved",
    source="Manning, Raghavan and Schutze 2008, Introduction to Information Retrieval, section 8.3",
    checked="not yet",
    options={"N": SIZE},
    example=("2 0 - 1 | 1", "(N=10)", 0.7),
    caution="Hardly any document is relevant to a topic, so retrieving nothing is nearly perfect.",
    cites=("manning2008introduction",),
    additive=True,
)
def class_accuracy(
    judged: Judged,
    cutoffs: Ranks,
    *,
    N: int | None = None,  # noqa: N803 (the field's own name)
) -> Floats:
    """The share of the collection that was treated rightly: relevant and retrieved, or neither.

    Documents without a judgment count as not relevant. It needs the size of the collection.
    `Accuracy` is another measure, of pairs in a ranking.
    """
    size = size_of_collection(judged, "ClassAccuracy", N)
    hits = judged.num_rel_ret
    wrong = (judged.num_ret - hits) + (judged.num_rel - hits)
    shares: Floats = (size - wrong) / float(size)
    return shares[:, None]
