"""What trec_eval calls irev's measures, in the order of its table, and what is otherwise there.

The other measures of that table are measures by themselves, with a `position` in their records.
"""

import math

from irev.measures.families.counts import ALL_SETS
from irev.measures.families.gain import PAPER as JARVELIN
from irev.measures.families.interpolation import RECALL_LEVELS, average_over_levels, iprec_at_recall
from irev.measures.families.patience import PAPER as MOFFAT
from irev.measures.families.patience import (
    rbp_of_topic_scaled_gains,
    residual_of_unjudged_and_unseen,
)
from irev.measures.families.precision import precision_at_multiples
from irev.measures.families.sets import set_f_by_square
from irev.measures.naming.programs import same
from irev.measures.registry import (
    ALL_TREC,
    OFFICIAL,
    SET,
    Cutoffs,
    Fractions,
    Gains,
    Numbers,
    trec_name,
)
from irev.measures.shared import STANDARD_CUTOFFS

BASIC_SETS = ("official", "set", "all_trec")
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
TREC_PERSISTENCE = 0.9

trec_name(
    "NumQ",
    "num_q",
    2,
    ALL_SETS,
    needs="any",
    help="""How many topics the averages divide by.

    Topics of the qrels that the run lacks count only where they were asked for (`-c`). It
    appears in the summary only.
    """,
)
trec_name(
    "NumRet",
    "num_ret",
    3,
    BASIC_SETS,
    help="""How many documents were retrieved, judged or not.

    The ranking is taken after it was cut (`-M`) and freed of unjudged documents (`-J`). The
    summary is the sum over the topics.
    """,
)
trec_name(
    "NumRel",
    "num_rel",
    4,
    BASIC_SETS,
    help="""How many documents the qrels hold as relevant, retrieved or not.

    Relevant is a document whose grade reaches the level (`-l`, 1 by default). The summary
    is the sum over the topics.
    """,
)
trec_name(
    "NumRelRet",
    "num_rel_ret",
    5,
    BASIC_SETS,
    formula="rr",
    example=("2 0 - 1 | 1", "", 2.0),
    help="""How many relevant documents were retrieved, at whatever rank.

    The summary is the sum over the topics.
    """,
)
trec_name(
    "AP",
    "map",
    6,
    OFFICIAL,
    formula="1/R * sum over relevant documents retrieved, at rank i, of (relevant up to i) / i",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    example=("2 0 - 1 | 1", "", 0.5),
    help="""The precision at each relevant document, averaged over all relevant documents.

    A relevant document that was not retrieved adds 0; a topic without relevant documents
    has 0. Unjudged documents count as not relevant. The summary is the mean over the
    topics.
    """,
)
trec_name(
    "GMAP",
    "gm_map",
    7,
    OFFICIAL,
    formula="exp(mean of log(max(map, 0.00001)))",
    source="Robertson 2006, On GMAP and Other Transformations, CIKM; trec_eval 10",
)
trec_name(
    "Rprec",
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
)
trec_name(
    "Bpref",
    "bpref",
    9,
    OFFICIAL,
    formula="1/R * sum over relevant documents retrieved of "
    "1 - min(judged non-relevant before, R) / min(judged non-relevant in the qrels, R)",
    source="Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete Information, "
    "SIGIR; trec_eval 10",
    shows=("relevant", "nonrelevant"),
    divisor="relevant",
    help="""How rarely documents judged non-relevant rank above relevant ones.

    Documents without a judgment are passed over, as if they had not been retrieved. A
    relevant document with no judged non-relevant one before it counts 1; one that was not
    retrieved counts 0. A topic without relevant documents has 0.
    """,
)
trec_name(
    "RR",
    "recip_rank",
    10,
    OFFICIAL,
    formula="1 / (rank of the first relevant document)",
    source="Kantor and Voorhees 2000, The TREC-5 Confusion Track; trec_eval 10",
    example=("- 0 1 | 1", "", 1 / 3),
    help="One over the rank of the first relevant document; 0 if none was retrieved.",
)
trec_name(
    "IPrec",
    "iprec_at_recall",
    11,
    OFFICIAL,
    Fractions(RECALL_LEVELS),
    options={"rule": "te10"},
    compute=iprec_at_recall,
    title="Interpolated precision at recall levels",
    formula="max over i with at least t relevant documents up to i of "
    "(relevant up to i) / i, t = level * R rounded to a whole number, halves up",
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    example=("2 0 - 1 | 1", "0.5", 0.5),
)
trec_name(
    "P",
    "P",
    12,
    OFFICIAL,
    Cutoffs(STANDARD_CUTOFFS),
    source="Buckley and Voorhees 2005, Retrieval System Evaluation; trec_eval 10",
    example=("2 0 - 1 | 1", "5", 0.4),
)
trec_name(
    "R",
    "recall",
    14,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    formula="(relevant documents at ranks up to k) / R",
    example=("2 0 - 1 | 1", "2", 1 / 3),
    help="""The share of all relevant documents that are among the first k.

    A topic without relevant documents has 0.
    """,
)
trec_name(
    "infAP",
    "infAP",
    15,
    ALL_TREC,
    formula="1/R * sum over relevant documents retrieved, at rank i, of 1/i + (i-1)/i * "
    "(r+m+u)/(i-1) * (r+e)/(r+m+2e); before it r relevant, m judged non-relevant, "
    "u pooled but unjudged; e = 0.00001",
    help="""An estimate of average precision when a random part of the pool was judged.

    Of the pooled but unjudged documents (a negative grade) the same share is taken to be
    relevant as of the judged ones before the document; a document outside the pool (not in
    the qrels) is taken to be non-relevant. A topic without relevant documents has 0.
    """,
)
trec_name(
    "Rprec",
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
)
trec_name(
    "IPrecAvg",
    "11pt_avg",
    19,
    ALL_TREC,
    Numbers(RECALL_LEVELS),
    options={"rule": "te10"},
    compute=average_over_levels,
    title="Interpolated precision, averaged over recall levels",
    formula="mean of iprec_at_recall over the levels",
    source="Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval 10",
    example=("2 0 - 1 | 1", "", 7 / 11),
)
trec_name(
    "DCG",
    "dcg",
    22,
    (),
    Gains(),
    since=10,
    formula="sum over i of gain(i) / log2(i + 1)",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "", 2 + 1 / math.log2(5)),
    help="""The gains of all retrieved documents, each divided by the logarithm of its rank
    plus one.

    A grade is its own gain unless the parameter gives it another, as in `dcg.1=3,2=9`; the
    grade -1 stands for documents that are not in the qrels, -2 for pooled but unjudged
    ones, which have 0 otherwise. Negative gains count too. The level (`-l`) plays no role.
    """,
)
trec_name(
    "IDCG",
    "ideal_dcg",
    23,
    (),
    Gains(),
    since=10,
    title="Discounted cumulated gain of the ideal ranking",
    formula="sum over i of ideal(i) / log2(i + 1), ideal: the positive gains, highest first",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "", 2.5 + 1 / math.log2(3)),
    help="""The highest DCG that a ranking of the judged documents can have.

    The ideal ranking holds every judged document with a positive gain, retrieved or not,
    however many documents were retrieved. Gains are set as for `dcg`.
    """,
)
trec_name(
    "nDCG",
    "ndcg",
    24,
    ALL_TREC,
    Gains(),
    formula="dcg / ideal_dcg",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "", (2 + 1 / math.log2(5)) / (2.5 + 1 / math.log2(3))),
    help="""DCG of the whole ranking as a share of the highest possible.

    Gains are set as for `dcg`; the level (`-l`) plays no role. A topic without a positive
    gain in the qrels has 0.
    """,
)
trec_name(
    "nDCG",
    "ndcg_cut",
    27,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    title="Normalised discounted cumulated gain at k",
    formula="sum over i <= k of grade(i) / log2(i + 1), divided by the same sum for "
    "the ideal ranking",
    source=JARVELIN + "; trec_eval 10",
    example=("2 0 - 1 | 1", "2", 2 / (2 + 1 / math.log2(3))),
    help="""DCG of the first k documents as a share of the highest possible at k.

    The grades are the gains; a negative one counts as 0. The level (`-l`) plays no role. A
    topic without a positive grade has 0.
    """,
)
trec_name(
    "AP",
    "map_cut",
    28,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    title="Average precision of the first k documents",
    formula="1/R * sum over relevant documents at rank i <= k of (relevant up to i) / i",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "2", 1 / 3),
    cites=("trec_eval",),
    help="""Average precision as if the ranking ended at rank k.

    The divisor stays R, the number of relevant documents, also where R is larger than k:
    the best possible value is then below 1. A topic without relevant documents has 0.
    """,
)
trec_name(
    "RelP",
    "relative_P",
    29,
    ALL_TREC,
    Cutoffs(STANDARD_CUTOFFS),
    title="Precision at k, relative to the best possible",
    example=("2 0 - 1 | 1", "4", 2 / 3),
)
trec_name("Success", "success", 30, ALL_TREC, Cutoffs((1, 5, 10)), example=("- 0 1 | 1", "5", 1.0))
trec_name("SetP", "set_P", 31, SET, formula="rr / n", source="trec_eval 10", residual="ranking")
trec_name(
    "SetP",
    "set_relative_P",
    32,
    SET,
    options={"relative": True},
    title="Precision of the set, relative to the best possible",
    formula="rr / min(n, R)",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "", 2 / 3),
    elsewhere=same(irm="SetP(relative=True)"),
    cites=("trec_eval",),
    help="""Precision of the set divided by the highest that a set of this size could have.

    It is 0 if nothing was retrieved, or nothing is relevant.
    """,
)
trec_name("SetR", "set_recall", 33, SET, source="trec_eval 10")
trec_name(
    "SetAP",
    "set_map",
    34,
    SET,
    help="""What average precision becomes when a set has no order.

    Each relevant document retrieved counts with the precision of the whole set, each of the
    others with 0. It is 0 if nothing was retrieved, or nothing is relevant.
    """,
)
trec_name(
    "SetF",
    "set_F",
    35,
    SET,
    Numbers((1.0,)),
    compute=set_f_by_square,
    differs="set_F.x has the square of beta: set_F.4 is F2",
    formula="(x + 1) * P * Q / (x*P + Q), P precision and Q recall of the set",
    source="van Rijsbergen 1979, Information Retrieval; trec_eval 10",
    example=("2 0 - 1 | 1", "", 4 / 7),
)
trec_name(
    "AP",
    "map_avgjg",
    51,
    ("qrels_jg",),
    differs="the mean over judgment groups",
    title="Average precision, averaged over judgment groups",
    formula="mean of map over the topic's judgment groups",
    source="trec_eval 10",
    example=("2 0 - 1 | 1", "", 0.5),
    needs="qrels_jg",
    cites=("trec_eval",),
    elsewhere=(),
    divisor="",
    help="""Average precision by each judgment group on its own, averaged over the topic's
    groups.

    A group without relevant documents counts as 0.
    """,
)
trec_name(
    "P",
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
)
trec_name(
    "Rprec",
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
)
trec_name(
    "RBP",
    "rbp",
    55,
    ALL_TREC,
    Gains(persistence=TREC_PERSISTENCE),
    compute=rbp_of_topic_scaled_gains,
    since=10,
    differs="p is 0.9; grades are scaled by the topic's highest where one exceeds 1",
    formula="(1 - p) * sum over i of gain(i) * p^(i-1), gains scaled into 0..1",
    source=MOFFAT + "; trec_eval 10",
    example=("2 0 - 1 | 1", "p=0.5", 0.53125),
    residual="",
    linear=False,
)
trec_name(
    "RBPresid",
    "rbp_resid",
    56,
    ALL_TREC,
    Gains(persistence=TREC_PERSISTENCE, grades=False),
    compute=residual_of_unjudged_and_unseen,
    since=10,
    differs="what could follow counts only where an unjudged document was retrieved",
    formula="p^n + (1 - p) * sum over documents without a grade, at rank i, of p^(i-1)",
    source=MOFFAT + "; trec_eval 10",
    example=("2 0 - 1 | 1", "p=0.5", 0.1875),
    shows=("unjudged",),
    additive="uncut",
)
trec_name(
    "Unjudged",
    "unj",
    57,
    ALL_TREC,
    Cutoffs((5, 10, 20)),
    since=10,
    title="Share of unjudged documents at the top",
    formula="(documents without a grade at ranks up to k) / k",
    example=("2 0 - 1 | 1", "5", 0.2),
    cites=("trec_eval",),
    shows=("unjudged",),
    divisor="cutoff",
    help="""How much of the first k places is taken by documents that nobody judged.

    These are the documents missing from the qrels and those that were pooled but left
    unjudged (a negative grade). A ranking shorter than k is still divided by k: the places
    that it leaves empty hold no unjudged document.
    """,
)
