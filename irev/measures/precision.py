"""Precision and recall at ranks, and where the first relevant document stands."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, ratio
from irev.core.model import Judged
from irev.measures import tied
from irev.measures.average_precision import STANDARD_CUTOFFS
from irev.measures.choices import BINARY, WITH_RECALL
from irev.measures.elsewhere import CWL, IRM, RISING, same
from irev.measures.registry import Cutoffs, Elsewhere, measure
from irev.measures.shared import once, relevant_at


@once
def first_relevant(judged: Judged) -> Floats:
    """float64[T]: the rank of the first relevant document retrieved, infinite without one."""
    first = np.full(judged.num_topics, np.inf)
    found = np.flatnonzero(judged.num_rel_ret)
    first[found] = judged.relevant_rank[judged.relevant_start[found]]
    return first


@measure(
    "Rprec",
    "R-precision",
    position=8,
    formula="(relevant documents at ranks up to R) / R",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    sets=("official", "all_trec"),
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("buckley2005retrieval", "trec_eval"),
    additive=True,
    shows=BINARY,
    divisor="relevant",
    elsewhere=same(trec="Rprec", irm="Rprec", ranx="r-precision"),
)
def r_precision(judged: Judged) -> Floats:
    """Precision at rank R, the number of relevant documents; recall is the same there.

    A ranking shorter than R is still divided by R. A topic without relevant documents has 0.
    """
    found = judged.relevant_index.up_to(np.arange(judged.num_topics), judged.num_rel)
    return ratio(found, judged.num_rel)


@measure(
    "recip_rank",
    "Reciprocal rank",
    position=10,
    formula="1 / (rank of the first relevant document)",
    source="Kantor and Voorhees 2000, The TREC-5 Confusion Track; trec_eval 10",
    sets=("official", "all_trec"),
    example=("- 0 1 | 1", "", 1 / 3),
    residual="endless",
    cites=("kantor2000confusion", "trec_eval"),
    expected=tied.reciprocal_rank,
    shows=BINARY,
    elsewhere=(
        *same(trec="recip_rank", irm="RR", ranx="mrr", ntcir="RR"),
        Elsewhere(IRM, "RR@k", RISING),
        Elsewhere("MS MARCO's script", "MRR @10", "the ranks of the file count, not the scores"),
        Elsewhere(CWL, "RR", "the gain of the first document with one over its rank"),
    ),
)
def reciprocal_rank(judged: Judged) -> Floats:
    """One over the rank of the first relevant document; 0 if none was retrieved."""
    return 1 / first_relevant(judged)


@measure(
    "success",
    "Success: a relevant document among the first k",
    position=30,
    formula="1 if a relevant document stands at a rank up to k, else 0",
    source="Craswell and Hawking 2004, Overview of the TREC Web Track; trec_eval 10",
    sets=("all_trec",),
    parameter=Cutoffs((1, 5, 10)),
    example=("- 0 1 | 1", "5", 1.0),
    residual="cutoff",
    cites=("craswell2004web", "trec_eval"),
    expected=tied.success,
    shows=BINARY,
    elsewhere=same(irm="Success@k", ranx="hit_rate@k", ntcir="Hit@k", beir="Accuracy@k"),
)
def success(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """Whether the first k documents hold a relevant one; the mean is the share of such topics."""
    reached: Floats = (first_relevant(judged)[:, None] <= np.array(cutoffs, float)).astype(float)
    return reached


@measure(
    "P",
    "Precision at k",
    position=12,
    formula="(relevant documents at ranks up to k) / k",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    sets=("official", "all_trec"),
    parameter=Cutoffs(STANDARD_CUTOFFS),
    example=("2 0 - 1 | 1", "5", 0.4),
    residual="cutoff",
    cites=("buckley2005retrieval", "trec_eval"),
    additive=True,
    shows=BINARY,
    divisor="cutoff",
    elsewhere=(
        *same(trec="P.k", irm="P@k", ranx="precision@k", ntcir="Precision@k", beir="P@k"),
        Elsewhere(CWL, "P@k", "the mean gain, not the share of relevant documents"),
    ),
)
def precision_at(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """The share of relevant documents among the first k.

    A ranking shorter than k is still divided by k, as if documents that are not relevant followed.
    Unjudged documents count as not relevant.
    """
    shares: Floats = relevant_at(judged, cutoffs) / np.array(cutoffs, float)
    return shares


@measure(
    "recall",
    "Recall at k",
    position=14,
    formula="(relevant documents at ranks up to k) / R",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    sets=("all_trec",),
    parameter=Cutoffs(STANDARD_CUTOFFS),
    example=("2 0 - 1 | 1", "2", 1 / 3),
    cites=("buckley2005retrieval", "trec_eval"),
    additive=True,
    shows=WITH_RECALL,
    divisor="relevant",
    elsewhere=same(trec="recall.k", irm="R@k", ranx="recall@k", beir="Recall@k"),
)
def recall_at(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """The share of all relevant documents that stands among the first k.

    A topic without relevant documents has 0.
    """
    return ratio(relevant_at(judged, cutoffs), judged.num_rel[:, None])


@measure(
    "relative_P",
    "Precision at k, relative to the best possible",
    position=29,
    formula="(relevant documents at ranks up to k) / min(k, R)",
    source="trec_eval 10",
    sets=("all_trec",),
    parameter=Cutoffs(STANDARD_CUTOFFS),
    example=("2 0 - 1 | 1", "4", 2 / 3),
    cites=("trec_eval",),
    additive=True,
    shows=BINARY,
    divisor="best",
    elsewhere=same(trec="relative_P.k", beir="R_cap@k"),
)
def relative_precision_at(judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
    """Precision at k divided by the highest that any ranking could have there.

    Where there are fewer relevant documents than k it is recall at k, else precision at k. A topic
    without relevant documents has 0.
    """
    best = np.minimum(np.asarray(cutoffs), judged.num_rel[:, None])
    return ratio(relevant_at(judged, cutoffs), best)
