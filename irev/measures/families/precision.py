"""Precision and recall at ranks, the first relevant document, and pairs in the right order."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import (
    Floats,
    TopicCountsByCutoffs,
    TopicsByCutoffs,
    TopicValues,
    offsets,
    ratio,
)
from irev.core.judged import Judged
from irev.measures import tie_expectations as tied
from irev.measures.naming.programs import BEIR, CWL, IRM, RANX, RISING, same_elsewhere
from irev.measures.registry import (
    ALL_TREC,
    OFFICIAL,
    Cutoffs,
    Elsewhere,
    Fractions,
    Option,
    Spelling,
    measure,
    plain_spellings,
    trec,
)
from irev.measures.shared import (
    BINARY,
    DENOMINATOR,
    STANDARD_CUTOFFS,
    WITH_RECALL,
    NoCutoff,
    Ranks,
    cutoff_ranks,
    memoize,
    relevant_at,
    retrieved_at,
)


@memoize
def first_relevant_rank_or_inf(judged: Judged) -> TopicValues:
    """The rank of the first relevant document retrieved, infinite without one."""
    first = np.full(judged.num_topics, np.inf)
    topics = judged.num_rel_ret.nonzero()[0]
    first[topics] = judged.relevant_rank[judged.relevant_start[topics]]
    return first


SHORT = "a short ranking is divided by its own length"
BALANCE = Option(
    "how many times as much recall matters as precision (its square is the weight)",
    1.0,
    low=0.0,
    shown=True,
)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
UNREACHED_RANK = 2.0**52
"""A cutoff that no ranking reaches, and that floats hold exactly."""


def multiples_of_relevant(
    judged: Judged, factors: tuple[float, ...], rounding: str
) -> TopicCountsByCutoffs:
    """Factor * R as a number of documents; from 0 to one that is never reached."""
    with np.errstate(over="ignore", invalid="ignore"):  # factors may be huge or infinite
        exact = np.array(factors) * judged.num_rel[:, None]
    exact = np.nan_to_num(np.clip(exact, 0, 2.0**52))
    if rounding == "upward":
        return (exact + 0.9).astype(np.int64)
    below = np.floor(exact)
    return (below + (exact - below >= 0.5)).astype(np.int64)


def precision_at_multiples(judged: Judged, multiples: tuple[float, ...]) -> TopicsByCutoffs:
    """Precision at several multiples of R, the number of relevant documents.

    A ranking shorter than the cutoff is still divided by the cutoff. It is 0 where the cutoff is 0,
    as in a topic without relevant documents.
    """
    cutoffs = multiples_of_relevant(judged, multiples, "upward")
    return ratio(judged.relevant_index.count_all_up_to(cutoffs), cutoffs)


def weighted_f(num_rel_ret: Floats, num_ret: Floats, num_rel: Floats, beta: float) -> Floats:
    """float64[...]: (1 + b^2) num_rel_ret / (num_ret + b^2 num_rel), b finite or not."""
    share = 1 / (1 + beta * beta)
    return ratio(num_rel_ret, share * num_ret + (1 - share) * num_rel)


@measure(
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
    linear=True,
    shows=BINARY,
    divisor="cutoff",
    spellings=plain_spellings(
        everywhere="Precision",
        anycase="precision p prec",
        irm="P Precision",
        ranx="precision",
        ntcir="P Prec Precision",
        beir="P",
    ),
    elsewhere=(
        *same_elsewhere(irm="P@k", ranx="precision@k", ntcir="Precision@k", beir="P@k"),
        Elsewhere(CWL, "P@k", "the mean gain, not the share of relevant documents"),
        Elsewhere("Elasticsearch", "precision", SHORT),
        Elsewhere("RankEval", "Precision@k", SHORT),
    ),
    trec=(
        trec(
            "P",
            12,
            OFFICIAL,
            Cutoffs(STANDARD_CUTOFFS),
            source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
            example=("2 0 - 1 | 1", "5", 0.4),
        ),
        trec(
            "P_avgjg",
            52,
            ("qrels_jg",),
            Cutoffs(STANDARD_CUTOFFS),
            differs="the mean over judgment groups",
            title="Precision at k, averaged over judgment groups",
            formula="mean of P at k over the topic's judgment groups",
            source="trec_eval 10",
            example=("2 0 - 1 | 1", "5", 0.4),
            needs="qrels_jg",
            cites=("trec_eval",),
            elsewhere=(),
            divisor="",
            residual="",
            help="""Precision at k by each judgment group on its own, averaged over the topic's
            groups.

            A document that a group did not judge is not relevant to it.
            """,
        ),
    ),
)
def precision_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of relevant documents among the first k.

    A ranking shorter than k is still divided by k, as if documents that are not relevant followed.
    Unjudged documents count as not relevant.
    """
    shares: Floats = relevant_at(judged, cutoffs) / np.array(cutoff_ranks(cutoffs), float)
    return shares


@measure(
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
    spellings=plain_spellings(anycase="recall", irm="R Recall", ranx="recall", beir="Recall"),
    elsewhere=same_elsewhere(irm="R@k", ranx="recall@k", beir="Recall@k"),
    trec=(
        trec(
            "recall",
            14,
            ALL_TREC,
            Cutoffs(STANDARD_CUTOFFS),
            formula="(relevant documents at ranks up to k) / R",
            example=("2 0 - 1 | 1", "2", 1 / 3),
            help="""The share of all relevant documents that are among the first k.

            A topic without relevant documents has 0.
            """,
        ),
    ),
)
def recall_at(judged: Judged, cutoffs: Ranks, *, denom: str = "R") -> TopicsByCutoffs:
    """The share of all relevant documents that are among the first k.

    Where R is larger than k it cannot reach 1; with denom=min it can, and is then the same as RelP.
    A topic without relevant documents has 0.
    """
    divisor = judged.num_rel[:, None]
    if denom == "min":
        divisor = np.minimum(divisor, np.asarray(cutoff_ranks(cutoffs)))
    return ratio(relevant_at(judged, cutoffs), divisor)


@measure(
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
    spellings=plain_spellings(everywhere="Recall_cap", anycase="r_cap", beir="R_cap"),
    elsewhere=(Elsewhere(BEIR, "R_cap@k", "the mean over the topics of the run only"),),
    trec=(
        trec(
            "relative_P",
            29,
            ALL_TREC,
            Cutoffs(STANDARD_CUTOFFS),
            title="Precision at k, relative to the best possible",
            example=("2 0 - 1 | 1", "4", 2 / 3),
        ),
    ),
)
def relative_precision_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """Precision at k divided by the highest that any ranking could have there.

    Where there are fewer relevant documents than k it is recall at k, else precision at k. A topic
    without relevant documents has 0.
    """
    return recall_at(judged, cutoffs, denom="min")


@measure(
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
    spellings=(
        Spelling("anycase", "f_measure f_score"),
        Spelling("anycase", "f1", "beta=1"),
        Spelling("ranx", "f1", "beta=1"),
    ),
    elsewhere=(Elsewhere(RANX, "f1@k", "F(beta=1)@k"), Elsewhere("elinor", "f1@k", "F(beta=1)@k")),
)
def f_measure_at(judged: Judged, cutoffs: Ranks, *, beta: float = 1.0) -> TopicsByCutoffs:
    """The weighted harmonic mean of precision and recall among the first k.

    With beta=0 it is precision, with beta=inf recall. A ranking shorter than k still counts as k
    documents. It is 0 if none of the first k is relevant.
    """
    ranks, num_rel = np.array(cutoff_ranks(cutoffs), float), judged.num_rel[:, None].astype(float)
    return weighted_f(relevant_at(judged, cutoffs).astype(float), ranks, num_rel, beta)


@measure(
    "Success",
    "Success: a relevant document among the first k",
    formula="1 if a relevant document is at a rank up to k, else 0",
    source="Craswell and Hawking 2004, Overview of the TREC Web Track; trec_eval 10",
    checked="program",
    cutoff="optional",
    example=("- 0 1 | 1", "@5", 1.0),
    residual="cutoff",
    cites=("craswell2004web",),
    expected=tied.success,
    shows=BINARY,
    spellings=plain_spellings(
        everywhere="Hit HR HitRate S",
        anycase="hit_rate success",
        irm="Success",
        ranx="hit_rate",
        ntcir="Hit",
        beir="Accuracy",
    ),
    elsewhere=same_elsewhere(irm="Success@k", ranx="hit_rate@k", ntcir="Hit@k", beir="Accuracy@k"),
    trec=(
        trec(
            "success",
            30,
            ALL_TREC,
            Cutoffs((1, 5, 10)),
            example=("- 0 1 | 1", "5", 1.0),
        ),
    ),
)
def success_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """Whether the first k documents hold a relevant one; the mean is the share of such topics.

    Without a cutoff the whole ranking counts.
    """
    ranks = np.array(cutoff_ranks(cutoffs), float)
    return (first_relevant_rank_or_inf(judged)[:, None] <= ranks).astype(np.float64)


@measure(
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
    spellings=plain_spellings(
        anycase="mrr rr reciprocal_rank mean_reciprocal_rank",
        irm="RR MRR",
        ranx="mrr",
        ntcir="RR",
        beir="MRR",
        msmarco="MRR RR mrr",
    ),
    elsewhere=(
        *same_elsewhere(irm="RR", ranx="mrr", ntcir="RR"),
        Elsewhere(IRM, "RR@k", RISING),
        Elsewhere("MS MARCO's script", "MRR @10", "the ranks of the file count, not the scores"),
        Elsewhere(CWL, "RR", "the gain of the first document with one over its rank"),
    ),
    trec=(
        trec(
            "recip_rank",
            10,
            OFFICIAL,
            formula="1 / (rank of the first relevant document)",
            source="Kantor and Voorhees 2000, The TREC-5 Confusion Track; trec_eval 10",
            example=("- 0 1 | 1", "", 1 / 3),
            help="One over the rank of the first relevant document; 0 if none was retrieved.",
        ),
    ),
)
def reciprocal_rank(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """One over the rank of the first relevant document; 0 if there is none among the first k."""
    first = first_relevant_rank_or_inf(judged)[:, None]
    if cutoffs == (None,):
        return 1 / first
    within = first <= np.array(cutoff_ranks(cutoffs), float)
    return np.where(within, 1 / first, 0.0)


@measure(
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
    spellings=plain_spellings(
        anycase="r-precision r_precision rprec", irm="Rprec RPrec", ranx="r-precision"
    ),
    elsewhere=same_elsewhere(irm="Rprec", ranx="r-precision"),
    trec=(
        trec(
            "Rprec",
            8,
            OFFICIAL,
            title="R-precision",
            formula="(relevant documents at ranks up to R) / R",
            source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
            example=("2 0 - 1 | 1", "", 1 / 3),
            help="""Precision at rank R, the number of relevant documents; recall is the same
            there.

            A ranking shorter than R is still divided by R. A topic without relevant documents has
            0.
            """,
        ),
        trec(
            "Rprec_mult",
            17,
            ALL_TREC,
            Fractions(MULTIPLES),
            compute=precision_at_multiples,
            differs="Rprec(mult=x)",
            title="Precision at multiples of R",
            formula="(relevant documents at ranks up to c) / c, c = trunc(multiple * R + 0.9)",
            source="trec_eval 10",
            example=("2 0 - 1 | 1", "1.2", 0.5),
            cites=("trec_eval",),
            elsewhere=(),
            divisor="",
        ),
        trec(
            "Rprec_mult_avgjg",
            53,
            ("qrels_jg",),
            Fractions(MULTIPLES),
            compute=precision_at_multiples,
            differs="the mean over judgment groups",
            title="Precision at multiples of R, averaged over judgment groups",
            formula="mean of Rprec_mult over the topic's judgment groups",
            source="trec_eval 10",
            example=("2 0 - 1 | 1", "1.2", 0.5),
            needs="qrels_jg",
            cites=("trec_eval",),
            elsewhere=(),
            divisor="",
            help="""Precision at multiples of R by each judgment group on its own, averaged over the
            groups.

            R is the number of documents that the group at hand holds as relevant.
            """,
        ),
    ),
)
def r_precision(judged: Judged, cutoffs: NoCutoff, *, mult: float = 1.0) -> TopicsByCutoffs:
    """Precision at rank R, the number of relevant documents; recall is the same there.

    A ranking shorter than that is still divided by R: documents that are not relevant are taken to
    follow. A topic without relevant documents has 0.

    It is the point where precision and recall are equal, the break-even point.
    """
    ranks = np.minimum(mult * judged.num_rel + 0.9, UNREACHED_RANK).astype(np.int64)
    num_rel_ret = judged.relevant_index.count_up_to(np.arange(judged.num_topics), ranks)
    return ratio(num_rel_ret, ranks)[:, None]


@measure(
    "Accuracy",
    "Accuracy over pairs: how often a relevant document ranks above another one",
    formula="1 - (sum over the r relevant documents of the others before it) / (r * o), among the "
    "first k, which hold r relevant and o other documents",
    source="ir_measures 0.4",
    checked="program",
    cutoff="optional",
    example=("2 0 - 1 | 1", "", 0.5),
    cites=("macavaney2022irmeasures",),
    spellings=plain_spellings(irm="Accuracy"),
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
def share_of_pairs_relevant_first(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of pairs of a relevant and another document that are in the right order.

    Only retrieved documents are looked at, so a relevant one that was missed costs nothing. Where
    all of them are relevant no pair is wrong, and it is 1; where none is relevant it is 0. Unjudged
    documents count as not relevant.
    """
    hits = relevant_at(judged, cutoffs)
    num_others = retrieved_at(judged, cutoffs) - hits
    others_before = offsets(judged.relevant_rank - judged.relevant_nth)
    start = judged.relevant_start[:-1, None]
    num_wrong = others_before[start + hits] - others_before[start]
    return np.where(hits > 0, 1 - ratio(num_wrong, hits * num_others), 0.0)
