"""The whole collection: normalised recall and precision, and distances of scores from judgments."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from irev.core.arrays import (
    DocumentValues,
    Floats,
    RowMask,
    TopicMask,
    TopicsByCutoffs,
    TopicValues,
    log2_by_index,
    ratio,
    running_sums,
    segment_sums,
    sums_at,
    sums_before,
)
from irev.core.judged import Judged
from irev.errors import UsageError
from irev.measures.families.gain import checked_top_gain, gains_of
from irev.measures.registry import choice, measure
from irev.measures.shared import (
    HIGHEST,
    SIZE,
    NoCutoff,
    OverridingSize,
    Ranks,
    cutoff_ranks,
    relevant_at,
    size_of_collection,
)

# --- Normalised recall and precision: the sum of the ranks, or of their logarithms ---
# Every relevant document has a rank in them. One that was not retrieved gets the last ranks of the
# collection (fill=worst), or what the ranks behind the retrieved documents have on average
# (fill=mean).


FILL = choice(
    "ranks of relevant documents that were not retrieved: the last ranks of the collection "
    "(worst), or any rank after the retrieved ones with equal chances (mean)",
    "worst",
    "mean",
    shown=True,
)
OPTIONS = {"N": SIZE, "fill": FILL}
SOURCE = (
    "Salton and Lesk 1968, Computer Evaluation of Indexing and Text Processing, Journal of the ACM "
    "15(1); Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E, "
)
CAUTION = (
    "It uses the ranks of all relevant documents in the whole collection; for a ranking that "
    "was cut it mostly shows how many were not retrieved."
)


@measure(
    "NormRecall",
    "Normalised recall",
    family="normalised",
    formula="1 - (sum of the ranks of the R relevant documents - R(R+1)/2) / (R(N-R))",
    source=SOURCE + "eq. 7",
    checked="paper",
    options=OPTIONS,
    example=("1 - 1 - 1", "(N=10)", 1 - 3 / 21),
    caution=CAUTION,
    cites=("salton1968computer", "rocchio1966document", "kishida2005property"),
    additive="uncut",
)
def normalised_recall(
    judged: Judged, cutoffs: NoCutoff, *, N: OverridingSize | None = None, fill: str = "worst"
) -> TopicsByCutoffs:
    """How near the ranks of the relevant documents come to the best, 1, and the worst, 0.

    It needs the size of the collection. A topic without relevant documents has 0; where the whole
    collection is relevant no order is wrong, and it is 1.
    """
    size = size_of_collection(judged, "NormRecall", N)
    relevant = judged.num_rel.astype(float)
    missed = relevant - judged.num_rel_ret
    if fill == "worst":
        behind = missed * size - missed * (missed - 1) / 2
    else:
        behind = missed * ((judged.num_ret + 1 + size) / 2)
    ranks = segment_sums(
        judged.relevant_topic, judged.relevant_rank.astype(float), judged.num_topics
    )
    lost = ranks + behind - relevant * (relevant + 1) / 2
    return _share_kept(judged, lost, relevant * (size - relevant), size)


@measure(
    "NormPrec",
    "Normalised precision",
    family="normalised",
    formula="1 - (sum of log(rank) of the R relevant documents - log R!) / log(N! / (R! (N-R)!))",
    source=SOURCE + "eq. 8",
    checked="paper",
    options=OPTIONS,
    example=("1 - 1 - 1", "(N=10)", 1 - math.log(15 / 6) / math.log(120)),
    caution=CAUTION,
    cites=("salton1968computer", "rocchio1966document", "kishida2005property"),
    additive="uncut",
)
def normalised_precision(
    judged: Judged, cutoffs: NoCutoff, *, N: OverridingSize | None = None, fill: str = "worst"
) -> TopicsByCutoffs:
    """Normalised recall with the logarithms of the ranks: the top weighs more.

    The base does not matter. With fill=mean the logarithms are averaged, not the ranks, since the
    logarithm of a mean rank could make it negative. It needs the size of the collection. A topic
    without relevant documents has 0; where the whole collection is relevant it is 1.
    """
    size = size_of_collection(judged, "NormPrec", N)
    relevant, missed = judged.num_rel, judged.num_rel - judged.num_rel_ret
    most = int(relevant.max(initial=0))
    least = _sums_of_first(log2_by_index(most + 1)[1 : most + 1])
    greatest = _sums_of_first(math.log2(size - i) for i in range(most))
    if fill == "worst":
        behind = greatest[missed]
    else:
        # the mean of log2(rank) behind the retrieved documents; 0 where none is there
        lengths, place = np.unique(judged.num_ret, return_inverse=True)
        whole = math.lgamma(size + 1)
        sums = np.array([whole - math.lgamma(length + 1) for length in lengths.tolist()])
        behind = missed * ratio(sums / math.log(2), size - lengths)[place]
    log2 = log2_by_index(int(judged.relevant_rank.max(initial=0)) + 1)
    logs = segment_sums(judged.relevant_topic, log2[judged.relevant_rank], judged.num_topics)
    lost = logs + behind - least[relevant]
    return _share_kept(judged, lost, greatest[relevant] - least[relevant], size)


@measure(
    "PRES",
    "Patent retrieval evaluation score: recall and rank among the first k",
    family="normalised",
    formula="1 - (mean rank of the R relevant documents - (R + 1) / 2) / k; those not among the "
    "first k, of which m are relevant, stand at k + m + 1, ..., k + R",
    source="Magdy and Jones 2010, PRES: A Score Metric for Evaluating Recall-Oriented Information "
    "Retrieval Applications, SIGIR",
    checked="paper",
    cutoff="required",
    example=("1 - 1 | 1", "@4", 1 - ((1 + 3 + 7) / 3 - 2) / 4),
    cites=("magdy2010pres",),
)
def patent_retrieval_score(judged: Judged, cutoffs: Ranks) -> TopicsByCutoffs:
    """Recall among the first k documents, lowered by how late they come.

    k is how many documents a searcher is ready to read (the paper's N_max). With a recall of c the
    value lies between R c^2 / k and c. It is NormRecall of the first k in a collection of k + R
    documents. A topic without relevant documents has 0.
    """
    hits, relevant = relevant_at(judged, cutoffs), judged.num_rel[:, None]
    running = running_sums(judged.relevant_start, judged.relevant_rank.astype(float))
    most = np.asarray(cutoff_ranks(cutoffs), float)
    missed = relevant - hits
    behind = missed * most + (relevant * (relevant + 1) - hits * (hits + 1)) / 2
    ranks = sums_at(judged.relevant_start, running, hits) + behind
    lost = ratio(ranks, relevant) - (relevant + 1) / 2
    return np.where(relevant > 0, 1 - lost / most, 0.0)


def _share_kept(
    judged: Judged, lost: TopicValues, most_lost: TopicValues, collection_size: int
) -> TopicsByCutoffs:
    """float64[T, 1]: one minus the share that was lost of what can be lost."""
    share = np.where(judged.num_rel == collection_size, 1.0, 1 - ratio(lost, most_lost))
    return np.where(judged.num_rel > 0, share, 0.0)[:, None]


def _sums_of_first(values: Iterable[float]) -> Floats:
    """float64[N + 1]: the sums of the first 0, 1, 2, ... values."""
    return sums_before(np.fromiter(values, np.float64))


# --- How far the scores of a run are from the judgments ---


SCALE = choice(
    "how scores are scaled: not at all, and all must be in 0..1 (none); (score - lowest) / "
    "(highest - lowest) of those of the topic (minmax); or (n + 1 - rank) / n for n documents "
    "retrieved (rank)",
    "none",
    "minmax",
    "rank",
)
_ORDER = choice(
    "what is taken for a score: itself (none), or minus the rank (rank)", "none", "rank"
)


@measure(
    "ADM",
    "Average distance measure",
    family="distance",
    formula="1 - 1/N * sum over all N documents of |score - grade/max|",
    source=(
        "Mizzaro 2001, A New Measure of Retrieval Effectiveness, International Workshop on "
        "Information Retrieval; Della Mea and Mizzaro 2004, Measuring Retrieval Effectiveness, "
        "JASIST 55(6); Kishida 2005, NII-2005-014E, eq. 38"
    ),
    checked="paper",
    options={"N": SIZE, "scale": SCALE, "max": HIGHEST},
    example=("2 0 - 1 | 1", "(N=10,scale=rank,max=2)", 1 - (0 + 0.75 + 0.5 + 0.25 + 0.5) / 10),
    caution=(
        "Documents in neither the run nor the qrels add no distance: the larger the collection, "
        "the closer every run comes to 1."
    ),
    scores=True,
    cites=("mizzaro2001new", "dellamea2004adm", "kishida2005property"),
    additive=True,
)
def average_distance(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    N: OverridingSize | None = None,
    scale: str = "none",
    max: float | None = None,
) -> TopicsByCutoffs:
    """How near the scores that documents were given come to the relevance that they have.

    It looks at how much was promised of each document, not at the order: 1 is a run whose scores
    are the grades themselves, as shares of the highest. A document that was not retrieved has the
    score 0; one without a judgment, pooled or not, has the relevance 0, and one below a level that
    the name has (`rel=2`) has it too. The level that all measures share plays no part. The size of
    the collection is needed.

    The paper takes scores that are estimates of relevance in 0..1, as few runs have them; others
    are refused unless they are scaled, topic by topic, over the documents that are left after -M
    and -J. With scale=minmax the last document counts as if it had not been retrieved, and so do
    all where all scores are equal (0/0 is 0). With scale=rank the scores play no part beside the
    order. Where ranks are read instead of scores (--ties rank) that is the only scale there is.
    """
    size = size_of_collection(judged, "ADM", N)
    if max is None:
        raise UsageError("the highest grade of the scale is not known; write max=N")
    top = checked_top_gain(judged, "linear", max)
    score, unjudged_sum = _scaled_scores_and_unjudged_sums(judged, scale)
    relevance = ratio(gains_of(judged, judged.grade, "linear"), top)
    relevance_of_level = ratio(gains_of(judged, judged.level_grade, "linear"), top)
    total = segment_sums(
        judged.level_topic, relevance_of_level * judged.level_count, judged.num_topics
    )
    missed = total - segment_sums(judged.topic, relevance, judged.num_topics)
    distance = segment_sums(judged.topic, np.abs(score - relevance), judged.num_topics)
    return (1 - (distance + unjudged_sum + missed) / size)[:, None]


def _scaled_scores_and_unjudged_sums(
    judged: Judged, scale: str
) -> tuple[DocumentValues, TopicValues]:
    """(float64[J]: the rows' scores in 0..1, float64[T]: the sum over all other documents)."""
    topic, num_ret, count = judged.topic, judged.num_ret, judged.num_topics
    if scale == "rank":
        score = (num_ret[topic] + 1 - judged.rank) / num_ret[topic]
        return score, (num_ret + 1) / 2 * (num_ret > 0) - segment_sums(topic, score, count)
    scores = judged.scores
    if scores is None:
        raise UsageError("measure ADM: without scores (--ties rank), write ADM(scale=rank)")
    others = num_ret - np.bincount(topic, minlength=count)
    excess = scores.row_scores - scores.low[topic]
    above = scores.excess_sum - segment_sums(topic, excess, count)
    if scale == "none":
        wrong = [*scores.low[scores.low < 0].tolist(), *scores.high[scores.high > 1].tolist()]
        if wrong:
            raise UsageError(
                f"measure ADM: the score {wrong[0]:g} is not in 0..1; write ADM(scale=minmax) or "
                "ADM(scale=rank)"
            )
        return scores.row_scores, above + others * scores.low
    width = scores.high - scores.low
    if not np.isfinite(width).all():
        raise UsageError(
            "measure ADM: scale=minmax needs scores that are not infinite or huge; write scale=rank"
        )
    return ratio(excess, width[topic]), ratio(above, width)


@measure(
    "SwetsE",
    "Swets's measure E",
    family="distance",
    formula="2 * (m_1 - m_0) / (s_1 + s_0); m and s the mean and the standard deviation (divisor: "
    "the number of documents) of the scores of the retrieved documents that are relevant (1) and "
    "of those that are judged and not relevant (0)",
    source="Swets 1969, Effectiveness of Information Retrieval Methods, American Documentation 20; "
    "van Rijsbergen 1979, Information Retrieval, ch. 7 (The Swets model)",
    checked="paper",
    options={"scale": _ORDER},
    example=("2 0 - 1 | 1", "(scale=rank)", 2 * (-2.5 - -2.0) / (1.5 + 0.0)),
    caution="The model takes the scores of all documents, normally distributed; a run has those of "
    "the documents that it retrieved, which lie in the upper tails.",
    bounds=(-np.inf, np.inf),
    scores=True,
    cites=("swets1969effectiveness", "vanrijsbergen1979information"),
    additive=False,
)
def separation(judged: Judged, cutoffs: NoCutoff, *, scale: str = "none") -> TopicsByCutoffs:
    """How far apart the scores of relevant and other documents lie, in standard deviations.

    0 is a run whose scores do not tell them apart on average; it is negative where the others have
    the higher scores. Documents without a judgment and those not retrieved play no part. Scores
    times a positive number, or with a number added, leave it as it is; what makes them from ranks
    does not. It is 0 where either kind of document is missing or no score differs from the mean of
    its kind. scale=rank takes the ranks, negative, for scores; where ranks are read instead of
    scores (--ties rank) that is the only scale there is.
    """
    if scale == "rank":
        score = -judged.rank.astype(np.float64)
    elif judged.scores is None:
        raise UsageError("measure SwetsE: without scores (--ties rank), write SwetsE(scale=rank)")
    elif not np.isfinite(judged.scores.high - judged.scores.low).all():
        raise UsageError("measure SwetsE: scores are infinite or huge; write scale=rank")
    else:
        # what all scores have in common would cost digits
        score = judged.scores.row_scores - judged.scores.low[judged.topic]
    (mean, spread, has_any), (others_mean, others_spread, has_others) = (
        _topic_means_and_deviations(judged, score, rows)
        for rows in (judged.is_relevant, judged.is_judged & ~judged.is_relevant)
    )
    distance = ratio(2 * (mean - others_mean), spread + others_spread)
    return np.where(has_any & has_others, distance, 0.0)[:, None]


def _topic_means_and_deviations(
    judged: Judged, score: DocumentValues, row_mask: RowMask
) -> tuple[TopicValues, TopicValues, TopicMask]:
    """Mean and deviation of the scores of some rows of each topic, 0 without any; whether any."""
    topic, score, num_topics = judged.topic[row_mask], score[row_mask], judged.num_topics
    num_rows = np.bincount(topic, minlength=num_topics)
    mean = ratio(segment_sums(topic, score, num_topics), num_rows)
    squares = segment_sums(topic, (score - mean[topic]) ** 2, num_topics)
    return mean, np.sqrt(ratio(squares, num_rows)), num_rows > 0
