"""Precision at points given as shares or multiples of R, the number of relevant documents."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints, ratio
from irev.core.model import Judged
from irev.measures.choices import BINARY, WITH_RECALL
from irev.measures.elsewhere import IRM, PYTREC, ROUNDED_UP
from irev.measures.registry import Elsewhere, Fractions, Numbers, measure
from irev.measures.shared import once

RECALL_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def _whole_shares(judged: Judged, factors: tuple[float, ...], rounding: str) -> Ints:
    """int64[T, K]: factor * R as a number of documents; from 0 to one that is never reached."""
    with np.errstate(over="ignore", invalid="ignore"):  # factors may be huge or infinite
        exact = np.array(factors) * judged.num_rel[:, None]
    exact = np.nan_to_num(np.clip(exact, 0, 2.0**52))
    if rounding == "upward":
        return (exact + 0.9).astype(np.int64)
    below = np.floor(exact)
    return (below + (exact - below >= 0.5)).astype(np.int64)


@once
def interpolated(judged: Judged, levels: tuple[float, ...]) -> Floats:
    """float64[T, K]: the highest precision at or after each recall level, the levels rising.

    Precision is highest at relevant documents, so only those are looked at: first the highest from
    one level's first relevant document to the next level's, then the highest of all later ones.
    """
    need = _whole_shares(judged, levels, judged.settings.recall_rounding)
    got = judged.num_rel_ret[:, None]
    skipped = np.minimum(np.maximum(need - 1, 0), got)
    edges = judged.relevant_start[:-1, None] + np.concatenate((skipped, got), axis=1)
    # reduceat looks at a row even for an empty range, and that row may be past the end
    precision = np.append(judged.relevant_nth / judged.relevant_rank, 0.0)
    best = np.maximum.reduceat(precision, edges.ravel()) if edges.size else np.zeros(0)
    best = np.where(np.diff(edges) > 0, best.reshape(edges.shape)[:, :-1], 0.0)
    return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]


@measure(
    "iprec_at_recall",
    "Interpolated precision at recall levels",
    position=11,
    formula="max over i with at least t relevant documents up to i of (relevant up to i) / i, "
    "t = level * R rounded to a whole number, halves up",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    sets=("official", "all_trec"),
    parameter=Fractions(RECALL_LEVELS),
    example=("2 0 - 1 | 1", "0.5", 0.5),
    cites=("buckley2005retrieval", "trec_eval"),
    shows=WITH_RECALL,
    elsewhere=(
        Elsewhere(IRM, "IPrec@r", ROUNDED_UP),
        Elsewhere(PYTREC, "iprec_at_recall_r", ROUNDED_UP),
    ),
)
def precision_at_recall(judged: Judged, levels: tuple[float, ...]) -> Floats:
    """The highest precision at any rank where the ranking has reached the recall level.

    It is 0 where the level is never reached. A level that rounds to no document at all has the
    highest precision anywhere in the ranking.
    """
    return interpolated(judged, levels)


@measure(
    "11pt_avg",
    "Interpolated precision, averaged over recall levels",
    position=19,
    formula="mean of iprec_at_recall over the levels",
    source="Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval 10",
    sets=("all_trec",),
    parameter=Numbers(RECALL_LEVELS),
    example=("2 0 - 1 | 1", "", 7 / 11),
    cites=("salton1983introduction", "trec_eval"),
    shows=WITH_RECALL,
    elsewhere=(Elsewhere(PYTREC, "11pt_avg", ROUNDED_UP),),
)
def eleven_point_average(judged: Judged, levels: tuple[float, ...]) -> Floats:
    """Interpolated precision averaged over eleven recall levels, 0.0, 0.1, ... 1.0.

    Other levels can be given, in any order and number.
    """
    rising = tuple(sorted(set(levels)))
    values = interpolated(judged, rising)
    total = np.zeros(judged.num_topics)
    for level in reversed(levels):
        total += values[:, rising.index(level)]
    return total / len(levels)


@measure(
    "Rprec_mult",
    "Precision at multiples of R",
    position=17,
    formula="(relevant documents at ranks up to c) / c, c = trunc(multiple * R + 0.9)",
    source="trec_eval 10",
    sets=("all_trec",),
    parameter=Fractions(MULTIPLES),
    example=("2 0 - 1 | 1", "1.2", 0.5),
    cites=("trec_eval",),
    additive=True,
    shows=BINARY,
)
def precision_at_multiples(judged: Judged, multiples: tuple[float, ...]) -> Floats:
    """Precision at several multiples of R, the number of relevant documents.

    A ranking shorter than the cutoff is still divided by the cutoff. It is 0 where the cutoff is 0,
    as in a topic without relevant documents.
    """
    cutoffs = _whole_shares(judged, multiples, "upward")
    return ratio(judged.relevant_index.up_to_all(cutoffs), cutoffs)
