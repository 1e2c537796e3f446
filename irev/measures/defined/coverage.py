"""How much of the top of a ranking the judgments cover."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints, ratio
from irev.core.model import Judged
from irev.measures.defined.cutoffs import Ranks, as_ranks, shown_at
from irev.measures.elsewhere import IRM, RISING, TREC, same
from irev.measures.registry import Elsewhere, Option, defined

DIVISOR = Option(
    "what is divided by: the cutoff (k), or the documents really retrieved there (retrieved)",
    "k",
    kind="choice",
    choices=("k", "retrieved"),
    shown=True,
)


def _divisor(judged: Judged, cutoffs: Ranks, denom: str) -> Ints:
    """int64[T, K]: what the documents at each cutoff are divided by."""
    shown = shown_at(judged, cutoffs)
    if denom == "retrieved":
        return shown
    whole = np.array([cutoff is None for cutoff in cutoffs])
    return np.where(whole, shown, np.asarray(as_ranks(cutoffs), np.int64))


@defined(
    "Judged",
    "Share of judged documents among the first k",
    formula="(judged documents at ranks up to k) / k; with denom=retrieved / min(k, n)",
    source="ir_measures 0.4",
    checked="program",
    options={"denom": DIVISOR},
    cutoff="optional",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "@5", 0.6),
    cites=("macavaney2022irmeasures", "trec_eval"),
    additive=True,
    shows=("unjudged",),
    elsewhere=(
        Elsewhere(TREC, "unj.k", "the share that is not judged, of k"),
        Elsewhere(IRM, "Judged@k", RISING),
    ),
)
def judged_at(judged: Judged, cutoffs: Ranks, *, denom: str = "k") -> Floats:
    """How much of the top of the ranking has a judgment: how far other measures can be trusted.

    Judged is a document with a grade of 0 or more; one that was pooled but left unjudged (a
    negative grade) is not. Without a cutoff the whole ranking is meant. It is 0 where nothing was
    retrieved.
    """
    found = judged.judged_index.up_to_all(as_ranks(cutoffs))
    return ratio(found, _divisor(judged, cutoffs, denom))


@defined(
    "Unjudged",
    "Share of unjudged documents among the first k",
    formula="(documents without a grade at ranks up to k) / k; with denom=retrieved / min(k, n)",
    source="trec_eval 10",
    checked="program",
    options={"denom": DIVISOR},
    cutoff="optional",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "@5", 0.2),
    cites=("macavaney2022irmeasures", "trec_eval"),
    additive=True,
    elsewhere=same(trec="unj.k"),
)
def unjudged_at(judged: Judged, cutoffs: Ranks, *, denom: str = "k") -> Floats:
    """How much of the top of the ranking nobody judged.

    These are the documents missing from the qrels and those that were pooled but left unjudged (a
    negative grade). Places that a short ranking leaves empty hold no such document, so this and
    Judged then add up to less than 1, unless denom=retrieved. It is 0 where nothing was retrieved.
    """
    found = shown_at(judged, cutoffs) - judged.judged_index.up_to_all(as_ranks(cutoffs))
    return ratio(found, _divisor(judged, cutoffs, denom))
