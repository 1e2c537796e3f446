"""Precision and recall at ranks, the first relevant document, and pairs in the right order."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, offsets, ratio
from irev.core.model import Judged
from irev.measures import tied
from irev.measures.choices import BINARY, DENOMINATOR, WITH_RECALL
from irev.measures.defined.cutoffs import Ranks, as_ranks, shown_at
from irev.measures.elsewhere import BEIR, CWL, IRM, RANX, RISING, same
from irev.measures.precision import first_relevant
from irev.measures.registry import Elsewhere, Option, defined
from irev.measures.shared import relevant_at

SHORT = "a short ranking is divided by its own length"
BALANCE = Option(
    "how many times as much recall matters as precision (its square is the weight)",
    1.0,
    low=0.0,
    shown=True,
)
MANY = 2.0**52
"""A cutoff that no ranking reaches, and that floats hold exactly."""


def weighted_f(hits: Floats, shown: Floats, relevant: Floats, beta: float) -> Floats:
    """The F measure from counts: (1 + b^2) hits / (shown + b^2 relevant), b finite or not."""
    share = 1 / (1 + beta * beta)
    return ratio(hits, share * shown + (1 - share) * relevant)


@defined(
    "P",
    "Precision at k",
    formula="(relevant documents at ranks up to k) / k",
    source="Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E",
    checked="paper",
    cutoff="required",
    example=("2 0 - 1 | 1", "@5", 0.4),
    residual="cutoff",
    cites=("buckley2005retrieval", "trec_eval"),
    additive=True,
    shows=BINARY,
    divisor="cutoff",
    elsewhere=(
        *same(trec="P.k", irm="P@k", ranx="precision@k", ntcir="Precision@k", beir="P@k"),
        Elsewhere(CWL, "P@k", "the mean gain, not the share of relevant documents"),
        Elsewhere("Elasticsearch", "precision", SHORT),
        Elsewhere("RankEval", "Precision@k", SHORT),
    ),
)
def precision_at(judged: Judged, cutoffs: Ranks) -> Floats:
    """The share of relevant documents among the first k.

    A ranking shorter than k is still divided by k, as if documents that are not relevant followed.
    Unjudged documents count as not relevant.
    """
    ranks = as_ranks(cutoffs)
    shares: Floats = relevant_at(judged, ranks) / np.array(ranks, float)
    return shares


@defined(
    "R",
    "Recall at k",
    formula="(relevant documents at ranks up to k) / R; with denom=min / min(k, R)",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    checked="program",
    options={"denom": DENOMINATOR},
    cutoff="required",
    example=("2 0 - 1 | 1", "@2", 1 / 3),
    aliases=("Recall",),
    cites=("buckley2005retrieval",),
    additive=True,
    shows=WITH_RECALL,
    divisor="relevant",
    elsewhere=same(trec="recall.k", irm="R@k", ranx="recall@k", beir="Recall@k"),
)
def recall_at(judged: Judged, cutoffs: Ranks, *, denom: str = "R") -> Floats:
    """The share of all relevant documents that stands among the first k.

    Where R is larger than k it cannot reach 1; with denom=min it can, and is then the same as RelP.
    A topic without relevant documents has 0.
    """
    ranks = as_ranks(cutoffs)
    most = judged.num_rel[:, None]
    if denom == "min":
        most = np.minimum(most, np.asarray(ranks))
    return ratio(relevant_at(judged, ranks), most)


@defined(
    "RelP",
    "Precision at k relative to the best possible, or capped recall",
    formula="(relevant documents at ranks up to k) / min(k, R)",
    source="trec_eval 10",
    checked="program",
    cutoff="required",
    example=("2 0 - 1 | 1", "@4", 2 / 3),
    aliases=("RCap",),
    cites=("trec_eval", "thakur2021beir"),
    additive=True,
    shows=BINARY,
    divisor="best",
    elsewhere=(
        *same(trec="relative_P.k"),
        Elsewhere(BEIR, "R_cap@k", "the mean over the topics of the run only"),
    ),
)
def relative_precision_at(judged: Judged, cutoffs: Ranks) -> Floats:
    """Precision at k divided by the highest that any ranking could have there.

    Where there are fewer relevant documents than k it is recall at k, else precision at k. A topic
    without relevant documents has 0.
    """
    return recall_at(judged, cutoffs, denom="min")


@defined(
    "F",
    "F measure at k",
    formula="(1 + beta^2) * P * R / (beta^2 * P + R), P precision and R recall at k",
    source="van Rijsbergen 1979, Information Retrieval",
    checked="not yet",
    options={"beta": BALANCE},
    cutoff="required",
    example=("2 0 - 1 | 1", "(beta=2)@4", 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
    elsewhere=(Elsewhere(RANX, "f1@k", "F(beta=1)@k"), Elsewhere("elinor", "f1@k", "F(beta=1)@k")),
)
def f_at(judged: Judged, cutoffs: Ranks, *, beta: float = 1.0) -> Floats:
    """The weighted harmonic mean of precision and recall among the first k.

    With beta=0 it is precision, with beta=inf recall. A ranking shorter than k still counts as k
    documents. It is 0 if none of the first k is relevant.
    """
    ranks = as_ranks(cutoffs)
    shown, relevant = np.array(ranks, float), judged.num_rel[:, None].astype(float)
    return weighted_f(relevant_at(judged, ranks).astype(float), shown, relevant, beta)


@defined(
    "Success",
    "Success: a relevant document among the first k",
    formula="1 if a relevant document stands at a rank up to k, else 0",
    source="Craswell and Hawking 2004, Overview of the TREC Web Track; trec_eval 10",
    checked="program",
    cutoff="required",
    example=("- 0 1 | 1", "@5", 1.0),
    residual="cutoff",
    cites=("craswell2004web",),
    expected=tied.success,
    shows=BINARY,
    elsewhere=same(
        trec="success.k", irm="Success@k", ranx="hit_rate@k", ntcir="Hit@k", beir="Accuracy@k"
    ),
)
def success_at(judged: Judged, cutoffs: Ranks) -> Floats:
    """Whether the first k documents hold a relevant one; the mean is the share of such topics."""
    ranks = np.array(as_ranks(cutoffs), float)
    return (first_relevant(judged)[:, None] <= ranks).astype(np.float64)


@defined(
    "RR",
    "Reciprocal rank",
    formula="1 / (rank of the first relevant document); 0 where that rank is above k",
    source="Kantor and Voorhees 2000, The TREC-5 Confusion Track, Information Retrieval 2",
    checked="program",
    cutoff="optional",
    example=("- 0 1 | 1", "@5", 1 / 3),
    aliases=("MRR",),
    residual="endless",
    cites=("kantor2000confusion", "voorhees1999trec8qa"),
    expected=tied.reciprocal_rank,
    shows=BINARY,
    elsewhere=(
        *same(trec="recip_rank", irm="RR", ranx="mrr", ntcir="RR"),
        Elsewhere(IRM, "RR@k", RISING),
        Elsewhere("MS MARCO's script", "MRR @10", "the ranks of the file count, not the scores"),
        Elsewhere(CWL, "RR", "the gain of the first document with one over its rank"),
    ),
)
def reciprocal_rank(judged: Judged, cutoffs: Ranks) -> Floats:
    """One over the rank of the first relevant document; 0 if none stands among the first k."""
    first = first_relevant(judged)[:, None]
    within = first <= np.array(as_ranks(cutoffs), float)
    return np.where(within, 1 / first, 0.0)


@defined(
    "Rprec",
    "R-precision, or precision at a multiple of R",
    formula="(relevant documents at ranks up to c) / c, c = trunc(mult * R + 0.9)",
    source="Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, "
    "eq. 6; trec_eval 10 (multiples)",
    checked="paper",
    options={
        "mult": Option("which multiple of R to look at", 1.0, low=0.0, high=1e6, above_low=True)
    },
    example=("2 0 - 1 | 1", "(mult=1.2)", 0.5),
    aliases=("RPrec",),
    cites=("buckley2005retrieval", "trec_eval"),
    additive=True,
    shows=BINARY,
    divisor="relevant",
    elsewhere=same(trec="Rprec", irm="Rprec", ranx="r-precision"),
)
def r_precision(judged: Judged, cutoffs: Ranks, *, mult: float = 1.0) -> Floats:
    """Precision at rank R, the number of relevant documents; recall is the same there.

    A ranking shorter than that is still divided by R: documents that are not relevant are taken to
    follow. A topic without relevant documents has 0.

    It is the point where precision and recall are equal, the break-even point.
    """
    ranks = np.minimum(mult * judged.num_rel + 0.9, MANY).astype(np.int64)
    found = judged.relevant_index.up_to(np.arange(judged.num_topics), ranks)
    return ratio(found, ranks)[:, None]


@defined(
    "Accuracy",
    "Accuracy over pairs: how often a relevant document stands before another one",
    formula="1 - (sum over the r relevant documents of the others before it) / (r * o), among the "
    "first k, which hold r relevant and o other documents",
    source="ir_measures 0.4",
    checked="program",
    cutoff="optional",
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("macavaney2022irmeasures",),
    elsewhere=(
        Elsewhere(
            IRM,
            "Accuracy",
            "an error where all that was retrieved is relevant; topics where nothing "
            "is are left out of the mean",
        ),
        Elsewhere(BEIR, "Accuracy@k", "another measure: Success@k"),
    ),
)
def pair_accuracy(judged: Judged, cutoffs: Ranks) -> Floats:
    """The share of pairs of a relevant and another document that are in the right order.

    Only retrieved documents are looked at, so a relevant one that was missed costs nothing. Where
    all of them are relevant no pair is wrong, and it is 1; where none is relevant it is 0. Unjudged
    documents count as not relevant.
    """
    ranks = as_ranks(cutoffs)
    hits = relevant_at(judged, ranks)
    others = shown_at(judged, cutoffs) - hits
    others_before = offsets(judged.relevant_rank - judged.relevant_nth)
    start = judged.relevant_start[:-1, None]
    wrong = others_before[start + hits] - others_before[start]
    return np.where(hits > 0, 1 - ratio(wrong, hits * others), 0.0)
