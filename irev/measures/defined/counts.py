"""Counts of topics and documents under the names that ir_measures gave them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irev.core.arrays import Floats
from irev.core.model import Judged
from irev.measures.defined.cutoffs import Ranks, as_ranks
from irev.measures.registry import defined
from irev.measures.shared import relevant_at

COUNT: dict[str, Any] = {
    "source": "trec_eval 10",
    "checked": "program",
    "kind": "count",
    "average": "sum",
    "bounds": (0.0, math.inf),
}


def _repeated(counts: Floats, cutoffs: Ranks) -> Floats:
    """The same column for each cutoff: none of these is cut."""
    return np.repeat(counts[:, None], len(cutoffs), axis=1)


@defined(
    "NumQ",
    "Number of topics",
    formula="1 for each topic, summed",
    per_topic=False,
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 1.0),
    **{**COUNT, "average": "topics"},
    cites=("trec_eval",),
)
def number_of_topics(judged: Judged, cutoffs: Ranks) -> Floats:
    """How many topics the averages divide by."""
    return _repeated(np.ones(judged.num_topics), cutoffs)


@defined(
    "NumRet",
    "Documents retrieved",
    formula="n",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 4.0),
    **COUNT,
    cites=("trec_eval",),
)
def number_retrieved(judged: Judged, cutoffs: Ranks) -> Floats:
    """How many documents were retrieved, judged or not."""
    return _repeated(judged.num_ret.astype(float), cutoffs)


@defined(
    "NumRel",
    "Relevant documents",
    formula="R",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 3.0),
    **COUNT,
    cites=("trec_eval",),
)
def number_relevant(judged: Judged, cutoffs: Ranks) -> Floats:
    """How many documents the qrels hold as relevant, retrieved or not."""
    return _repeated(judged.num_rel.astype(float), cutoffs)


@defined(
    "NumRelRet",
    "Relevant documents retrieved",
    formula="(relevant documents retrieved), at ranks up to k if cut",
    cutoff="optional",
    example=("2 0 - 1 | 1", "@3", 1.0),
    **COUNT,
    cites=("trec_eval",),
)
def number_relevant_retrieved(judged: Judged, cutoffs: Ranks) -> Floats:
    """How many relevant documents were retrieved, or stand among the first k."""
    return relevant_at(judged, as_ranks(cutoffs)).astype(float)
