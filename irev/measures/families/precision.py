"""Precision and recall: what was retrieved, counted, taken as a set, and down to ranks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irev.core.arrays import (
    Floats,
    RankCounter,
    TopicCountsByCutoffs,
    TopicsByCutoffs,
    TopicValues,
    offsets,
    ratio,
    run_starts,
    segment_starts,
    segment_sums,
)
from irev.core.judged import POOLED, UNKNOWN, Judged, RankedPreferences
from irev.measures.registry import ALL_TREC, SET, SET_NAMES, Numbers, Option, choice, measure
from irev.measures.shared import (
    BINARY,
    DENOMINATOR,
    NEGATIVE,
    SIZE,
    WITH_RECALL,
    NoCutoff,
    OverridingSize,
    Ranks,
    cutoff_ranks,
    expected_reciprocal_rank,
    expected_success,
    memoize,
    relevant_at,
    retrieved_at,
    size_of_collection,
)

# --- Counts of topics and documents, how much is judged, and a ranking as it is ---


ANYTHING = (0.0, math.inf)


@measure(
    "runid",
    "The run's name",
    family="counts",
    position=1,
    formula="the tag of the run's last line",
    source="trec_eval 10",
    sets=SET_NAMES,
    needs="any",
    kind="text",
    average="run",
    per_topic=False,
    bounds=(-math.inf, math.inf),
    higher_is_better=None,
    cites=("trec_eval",),
)
def zeros_for_run_tag(judged: Judged | RankedPreferences, cutoffs: NoCutoff) -> TopicValues:
    """The tag with which the run names itself, as its last line has it.

    It appears in the summary only.
    """
    return np.zeros(judged.num_topics)


@measure(
    "num_nonrel_judged_ret",
    "Documents judged non-relevant that were retrieved",
    family="counts",
    position=36,
    formula="judged documents retrieved - rr",
    source="trec_eval 10",
    sets=ALL_TREC,
    kind="count",
    average="sum",
    bounds=ANYTHING,
    higher_is_better=False,
    example=("2 0 - 1 | 1", "", 1.0),
    cites=("trec_eval",),
    additive=True,
)
def num_nonrel_judged_ret(judged: Judged, cutoffs: NoCutoff) -> TopicValues:
    """How many retrieved documents carry a grade from 0 to below the level.

    Documents without a judgment, in the pool or not, are not counted. The summary is the sum over
    the topics.
    """
    return (judged.num_judged_ret - judged.num_rel_ret).astype(float)


@measure(
    "relstring",
    "The grades at the top of the ranking, a character each",
    family="counts",
    position=13,
    formula="grade 0-9: the digit, above: >, not in the qrels: -, pooled but unjudged: .",
    source="trec_eval 10",
    sets=ALL_TREC,
    kind="text",
    average="none",
    parameter=Numbers((10.0,)),
    bounds=(-math.inf, math.inf),
    higher_is_better=None,
    cites=("trec_eval",),
)
def relstring(judged: Judged, cutoffs: NoCutoff, *, numbers: tuple[float, ...]) -> list[bytes]:
    """The beginning of the ranking at a glance: one character for each document.

    A grade from 0 to 9 is its digit (a fraction loses its decimals), a higher one is `>`; a
    document that is not in the qrels is `-`, one that was pooled but not judged is `.`. The
    parameter says how many documents are shown; only the first number of a list is used, cut to a
    whole number, and a negative one shows none. There is no summary.
    """
    width = int(min(max(numbers[0], 0), judged.num_ret.max(initial=0)))
    cells = np.full((judged.num_topics, width), ord("-"), np.uint8)
    shown = np.flatnonzero(judged.rank <= width)
    grade = judged.grade[shown]
    letter = np.where(grade < 10, ord("0") + np.clip(grade, 0, 9), ord(">")).astype(np.uint8)
    letter[grade == POOLED] = ord(".")
    letter[grade == UNKNOWN] = ord("-")
    cells[judged.topic[shown], judged.rank[shown] - 1] = letter
    lines, length = cells.tobytes(), np.minimum(judged.num_ret, width).tolist()
    return [lines[t * width : t * width + length[t]] for t in range(judged.num_topics)]


COUNT: dict[str, Any] = {
    "source": "trec_eval 10",
    "checked": "program",
    "kind": "count",
    "average": "sum",
    "bounds": ANYTHING,
    "additive": True,
}


@measure(
    "NumQ",
    "Number of topics",
    family="counts",
    formula="1 for each topic, summed",
    per_topic=False,
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 1.0),
    **{**COUNT, "average": "topics"},
    cites=("trec_eval",),
)
def number_of_topics(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """How many topics the averages divide by."""
    return np.ones((judged.num_topics, 1))


@measure(
    "NumRet",
    "Documents retrieved",
    family="counts",
    formula="n",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 4.0),
    **COUNT,
    cites=("trec_eval",),
)
def number_retrieved(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """How many documents were retrieved, judged or not."""
    return judged.num_ret.astype(float)[:, None]


@measure(
    "NumRel",
    "Relevant documents",
    family="counts",
    formula="R",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "", 3.0),
    **COUNT,
    cites=("trec_eval",),
)
def number_relevant(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """How many documents the qrels hold as relevant, retrieved or not."""
    return judged.num_rel.astype(float)[:, None]


@measure(
    "NumRelRet",
    "Relevant documents retrieved",
    family="counts",
    formula="(relevant documents retrieved), at ranks up to k if cut",
    cutoff="optional",
    example=("2 0 - 1 | 1", "@3", 1.0),
    **COUNT,
    linear=True,
    cites=("trec_eval",),
)
def number_relevant_retrieved(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """How many relevant documents were retrieved, or stand among the first k."""
    return relevant_at(judged, cutoffs).astype(float)


@measure(
    "MeanRelRet",
    "Relevant documents retrieved, averaged over the topics",
    family="counts",
    formula="(relevant documents retrieved), at ranks up to k if cut",
    source="ranx 0.3.21",
    checked="program",
    cutoff="optional",
    bounds=ANYTHING,
    example=("2 0 - 1 | 1", "@3", 1.0),
    cites=("bassani2022ranx",),
    additive=True,
    linear=True,
    residual="cutoff",
)
def relevant_retrieved_to_average(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """How many relevant documents were retrieved, or are among the first k.

    The summary is the mean over the topics; that of NumRelRet is the sum.
    """
    return number_relevant_retrieved(judged, cutoffs)


DIVISOR = choice(
    "what is divided by: the cutoff (k), or the documents actually retrieved up to it (retrieved)",
    "k",
    "retrieved",
    shown=True,
)


def _divisor(judged: Judged, cutoffs: Ranks, denom: str) -> TopicCountsByCutoffs:
    """What the documents at each cutoff are divided by."""
    num_ret = retrieved_at(judged, cutoffs)
    if denom == "retrieved":
        return num_ret
    is_uncut = np.array([cutoff is None for cutoff in cutoffs])
    return np.where(is_uncut, num_ret, np.asarray(cutoff_ranks(cutoffs), np.int64))


@measure(
    "Judged",
    "Share of judged documents among the first k",
    family="counts",
    formula="(judged documents at ranks up to k) / k; with denom=retrieved / min(k, n)",
    source="ir_measures 0.4",
    checked="program",
    options={"denom": DIVISOR, "negative": NEGATIVE},
    cutoff="optional",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "@5", 0.6),
    cites=("macavaney2022irmeasures", "trec_eval"),
    additive=True,
    shows=("unjudged",),
)
def judged_share(
    judged: Judged, cutoffs: Ranks, *, denom: str = "k", negative: str = "unjudged"
) -> TopicsByCutoffs:
    """How much of the top of the ranking has a judgment: how far other measures can be trusted.

    Judged is a document with a grade of 0 or more; one that was pooled but left unjudged (a
    negative grade) is not, unless negative=judged. Without a cutoff the whole ranking is meant. It
    is 0 where nothing was retrieved.
    """
    index = judged.judged_index
    if negative == "judged":
        index = RankCounter.build(judged.topic, judged.rank, judged.row_start)
    num_judged = index.count_all_up_to(cutoff_ranks(cutoffs))
    return ratio(num_judged, _divisor(judged, cutoffs, denom))


@measure(
    "Unjudged",
    "Share of unjudged documents among the first k",
    family="counts",
    formula="(documents without a grade at ranks up to k) / k; with denom=retrieved / min(k, n)",
    source="trec_eval 10",
    checked="program",
    options={"denom": DIVISOR},
    cutoff="optional",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "@5", 0.2),
    cites=("macavaney2022irmeasures", "trec_eval"),
    additive=True,
)
def unjudged_share(judged: Judged, cutoffs: Ranks, *, denom: str = "k") -> TopicsByCutoffs:
    """How much of the top of the ranking nobody judged.

    These are the documents missing from the qrels and those that were pooled but left unjudged (a
    negative grade). Places that a short ranking leaves empty hold no such document, so this and
    Judged then add up to less than 1, unless denom=retrieved. It is 0 where nothing was retrieved.
    """
    num_judged = judged.judged_index.count_all_up_to(cutoff_ranks(cutoffs))
    return ratio(retrieved_at(judged, cutoffs) - num_judged, _divisor(judged, cutoffs, denom))


@measure(
    "Hole",
    "Share of documents among the first k that were judged for no topic",
    family="counts",
    formula="(documents at ranks up to k that are in the qrels of no topic) / k",
    source="Thakur et al. 2021, BEIR, NeurIPS Datasets and Benchmarks; the package beir",
    checked="program",
    cutoff="required",
    higher_is_better=None,
    example=("2 0 - 1 | 1", "@5", 0.2),
    cites=("thakur2021beir",),
    additive=True,
    ids=True,
    shows=("unjudged",),
)
def share_judged_for_no_topic(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """How much of the first k documents no annotator has seen, whatever the topic.

    A document with any grade counts as seen, also with a negative one. Unjudged looks at the
    topic's own judgments alone. Places that a short ranking leaves empty count as seen.
    """
    ranks = cutoff_ranks(cutoffs)
    in_qrels = RankCounter.build(judged.topic, judged.rank, judged.row_start).count_all_up_to(ranks)
    num_unseen = retrieved_at(judged, cutoffs) - in_qrels
    unjudged = judged.extras.unjudged
    if unjudged is not None and unjudged.judged_elsewhere is not None:
        rows = np.flatnonzero(unjudged.judged_elsewhere)
        topic, rank = unjudged.topic[rows], unjudged.rank[rows]
        index = RankCounter.build(topic, rank, segment_starts(topic, judged.num_topics))
        num_unseen = num_unseen - index.count_all_up_to(ranks)
    return ratio(num_unseen, np.asarray(ranks))


# --- Measures of what was retrieved as a set: the order does not matter ---


@measure(
    "utility",
    "Utility: weighted sum of the four kinds of documents",
    family="sets",
    position=18,
    formula="a*rr + b*(n - rr) + c*(R - rr) + d*(N + rr - n - R), N the size of the collection",
    source="Hull 1997, The TREC-6 Filtering Track; trec_eval 10",
    sets=SET,
    parameter=Numbers((1.0, -1.0, 0.0, 0.0), length=4),
    bounds=(-math.inf, math.inf),
    example=("2 0 - 1 | 1", "1,-1,-0.5,0", -0.5),
    cites=("hull1997filtering", "trec_eval"),
    additive=True,
)
def utility(judged: Judged, cutoffs: NoCutoff, *, numbers: tuple[float, ...]) -> TopicValues:
    """What the documents are worth, each of the four kinds at its own price.

    The four weights are for relevant documents retrieved, other documents retrieved, relevant
    documents missed, and other documents not retrieved. The fourth needs the size of the collection
    (`-N`), without which it is taken to be 0.
    """
    gain, cost, miss, rest = numbers
    hits, num_ret, num_rel = judged.num_rel_ret, judged.num_ret, judged.num_rel
    value: Floats = gain * hits + cost * (num_ret - hits) + miss * (num_rel - hits)
    value += rest * (judged.settings.collection_size + hits - num_ret - num_rel)
    return value


BOOK = "van Rijsbergen 1979, Information Retrieval"


@measure(
    "SetP",
    "Precision of the set",
    family="sets",
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
)
def set_precision(judged: Judged, cutoffs: NoCutoff, *, relative: bool = False) -> TopicsByCutoffs:
    """The share of relevant documents among all retrieved; 0 if nothing was retrieved."""
    divisor = np.minimum(judged.num_ret, judged.num_rel) if relative else judged.num_ret
    return ratio(judged.num_rel_ret, divisor)[:, None]


@measure(
    "SetR",
    "Recall of the set",
    family="sets",
    formula="rr / R",
    source=BOOK,
    checked="program",
    example=("2 0 - 1 | 1", "", 2 / 3),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
)
def set_recall(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """The share of all relevant documents that was retrieved; 0 if nothing is relevant."""
    return ratio(judged.num_rel_ret, judged.num_rel)[:, None]


BALANCE = Option(
    "how many times as much recall matters as precision (its square is the weight)",
    1.0,
    low=0.0,
    shown=True,
)


@measure(
    "SetF",
    "F measure of the set",
    family="sets",
    formula="(1 + beta^2) * P * R / (beta^2 * P + R), P precision and R recall of the set",
    source=BOOK,
    checked="program",
    options={"beta": BALANCE},
    example=("2 0 - 1 | 1", "(beta=2)", 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
)
def set_f(judged: Judged, cutoffs: NoCutoff, *, beta: float = 1.0) -> TopicsByCutoffs:
    """The weighted harmonic mean of precision and recall.

    With beta=0 it is precision, with beta=inf recall. It is 0 if no relevant document was
    retrieved.
    """
    hits, num_ret = judged.num_rel_ret.astype(float), judged.num_ret.astype(float)
    return weighted_f(hits, num_ret, judged.num_rel.astype(float), beta)[:, None]


def weighted_f(num_rel_ret: Floats, num_ret: Floats, num_rel: Floats, beta: float) -> Floats:
    """float64[...]: (1 + b^2) num_rel_ret / (num_ret + b^2 num_rel), b finite or not."""
    share = 1 / (1 + beta * beta)
    return ratio(num_rel_ret, share * num_ret + (1 - share) * num_rel)


def set_f_by_square(
    judged: Judged, cutoffs: NoCutoff, *, numbers: tuple[float, ...]
) -> TopicValues:
    """The weighted harmonic mean of precision and recall.

    The parameter x says how much more recall weighs than precision: 1 for both alike, 0 for
    precision alone; of a list only the first number is used. It is 0 if no relevant document was
    retrieved.
    """
    square = numbers[0]
    precision = ratio(judged.num_rel_ret, judged.num_ret)
    recall = ratio(judged.num_rel_ret, judged.num_rel)
    return ratio((square + 1) * precision * recall, square * precision + recall)


@measure(
    "SetE",
    "Van Rijsbergen's E: one minus the F measure of the set",
    family="sets",
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
def set_e(judged: Judged, cutoffs: NoCutoff, *, beta: float = 1.0) -> TopicsByCutoffs:
    """How far the set is from the best: 0 for exactly the relevant documents, 1 without any.

    Some textbooks and slides print the F measure under the name E.
    """
    error: Floats = 1 - set_f(judged, cutoffs, beta=beta)
    return error


@measure(
    "SetAP",
    "Precision times recall of the set",
    family="sets",
    formula="rr^2 / (n * R)",
    source="trec_eval 10",
    checked="program",
    example=("2 0 - 1 | 1", "", 1 / 3),
    cites=("trec_eval",),
    additive="uncut",
    shows=BINARY,
)
def set_average_precision(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """What average precision becomes when a set has no order.

    It is 0 if nothing was retrieved, or nothing is relevant.
    """
    hits = judged.num_rel_ret.astype(float)
    return ratio(hits * hits, judged.num_ret.astype(float) * judged.num_rel)[:, None]


@measure(
    "ClassAccuracy",
    "Accuracy of the set as a classification of the collection",
    family="sets",
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
    judged: Judged, cutoffs: NoCutoff, *, N: OverridingSize | None = None
) -> TopicsByCutoffs:
    """The share of the collection that was treated rightly: relevant and retrieved, or neither.

    Documents without a judgment count as not relevant. It needs the size of the collection.
    `Accuracy` is another measure, of pairs in a ranking.
    """
    size = size_of_collection(judged, "ClassAccuracy", N)
    hits = judged.num_rel_ret
    wrong = (judged.num_ret - hits) + (judged.num_rel - hits)
    shares: Floats = (size - wrong) / float(size)
    return shares[:, None]


# --- Precision and recall at ranks, the first relevant document, and pairs in the right order ---


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
)
def precision_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of relevant documents among the first k.

    A ranking shorter than k is still divided by k, as if documents that are not relevant followed.
    Unjudged documents count as not relevant.
    """
    shares: Floats = relevant_at(judged, cutoffs) / np.array(cutoff_ranks(cutoffs), float)
    return shares


@measure(
    "JudgedP",
    "Precision at k over the judged documents alone: relevant over rated",
    formula="(relevant documents at ranks up to k) / (judged documents at ranks up to k)",
    source="P@k over Judged@k; Buckley and Voorhees 2004, Retrieval Evaluation with Incomplete "
    "Information, SIGIR, on unjudged documents",
    checked="not yet",
    cutoff="required",
    example=("2 0 - 1 | 1", "@4", 2 / 3),
    cites=("buckley2004incomplete",),
    shows=BINARY,
)
def precision_of_judged_at(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """The share of relevant documents among those of the first k that have a judgment.

    Unjudged documents keep their ranks and are left out of both counts, so it is P@k over Judged@k.
    P(condensed=true)@k drops them first, and looks at the first k judged documents. Where none of
    the first k is judged it is 0: report Judged@k beside it.
    """
    num_judged = judged.judged_index.count_all_up_to(cutoff_ranks(cutoffs))
    return ratio(relevant_at(judged, cutoffs), num_judged)


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
    source=BOOK,
    checked="not yet",
    options={"beta": BALANCE},
    cutoff="required",
    example=("2 0 - 1 | 1", "(beta=2)@4", 5 * 2 / (4 * 3 + 4)),
    cites=("vanrijsbergen1979information",),
    additive=True,
    shows=WITH_RECALL,
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
    expected=expected_success,
    shows=BINARY,
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
    expected=expected_reciprocal_rank,
    shows=BINARY,
)
def reciprocal_rank(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """One over the rank of the first relevant document; 0 if there is none among the first k."""
    first = first_relevant_rank_or_inf(judged)[:, None]
    if cutoffs == (None,):
        return 1 / first
    within = first <= np.array(cutoff_ranks(cutoffs), float)
    return np.where(within, 1 / first, 0.0)


@memoize
def first_relevant_rank_or_inf(judged: Judged) -> TopicValues:
    """The rank of the first relevant document retrieved, infinite without one."""
    first = np.full(judged.num_topics, np.inf)
    topics = judged.num_rel_ret.nonzero()[0]
    first[topics] = judged.relevant_rank[judged.relevant_start[topics]]
    return first


UNREACHED_RANK = 2.0**52
"""A cutoff that no ranking reaches, and that floats hold exactly."""


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


def precision_at_multiples(judged: Judged, multiples: tuple[float, ...]) -> TopicsByCutoffs:
    """Precision at several multiples of R, the number of relevant documents.

    A ranking shorter than the cutoff is still divided by the cutoff. It is 0 where the cutoff is 0,
    as in a topic without relevant documents.
    """
    cutoffs = multiples_of_relevant(judged, multiples, "upward")
    return ratio(judged.relevant_index.count_all_up_to(cutoffs), cutoffs)


def multiples_of_relevant(
    judged: Judged, factors: tuple[float, ...], rounding: str
) -> TopicCountsByCutoffs:
    """Factor * R as a number of documents; from 0 to one that is never reached."""
    with np.errstate(over="ignore", invalid="ignore"):  # factors may be huge or infinite
        exact = np.array(factors) * judged.num_rel[:, None]
    exact = np.nan_to_num(np.clip(exact, 0, UNREACHED_RANK))
    if rounding == "upward":
        return (exact + 0.9).astype(np.int64)
    below = np.floor(exact)
    return (below + (exact - below >= 0.5)).astype(np.int64)


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


@measure(
    "AUC",
    "Area under the ROC curve of the judged documents retrieved",
    formula="1 - (w + t / 2) / (r * o), over the r relevant and the o other judged documents "
    "retrieved: w pairs in the wrong order, t pairs of equal scores",
    source="Hanley and McNeil 1982, The meaning and use of the area under a receiver operating "
    "characteristic (ROC) curve, Radiology 143",
    checked="program",
    example=("2 0 - 1 | 1", "", 0.5),
    ties=True,
    cites=("hanley1982auc",),
)
def area_under_roc_curve(judged: Judged, cutoffs: NoCutoff) -> TopicsByCutoffs:
    """How often a relevant document has a higher score than another one, equal scores half.

    Only judged documents that were retrieved are looked at: it is the AUC of a classifier, topic by
    topic. Where all of them are relevant no pair is wrong, and it is 1; where none is relevant it
    is 0; scikit-learn has no value for either. Equal scores count half whatever breaks the ties for
    other measures. Accuracy(condensed=true) is the same without equal scores.
    """
    rows, topic = judged.judged_rows, judged.judged_topic
    is_relevant = judged.is_relevant[rows]
    # the documents of a topic with equal scores, of which each is in the middle of the others
    group_rank = judged.judged_rank if judged.ties is None else judged.ties.first[rows]
    group_start = run_starts(topic, group_rank)
    others_before = offsets(~is_relevant)
    at_group = others_before[group_start]
    twice_before = np.repeat(at_group[:-1] + at_group[1:], np.diff(group_start))
    twice_before = twice_before - 2 * others_before[judged.judged_start[topic]]
    num_topics, num_rel = judged.num_topics, judged.num_rel_ret
    twice_wrong = segment_sums(topic[is_relevant], twice_before[is_relevant], num_topics)
    num_pairs = num_rel * (judged.num_judged_ret - num_rel)
    return np.where(num_rel > 0, 1 - ratio(twice_wrong, 2 * num_pairs), 0.0)[:, None]
