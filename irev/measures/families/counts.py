"""Counts of topics and documents, how much of a ranking is judged, and a ranking as it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irev.core.arrays import (
    RankCounter,
    TopicCountsByCutoffs,
    TopicsByCutoffs,
    TopicValues,
    ratio,
    segment_starts,
)
from irev.core.judged import Judged, RankedPreferences
from irev.measures.registry import ALL_TREC, Numbers, choice, measure
from irev.measures.shared import NEGATIVE, NoCutoff, Ranks, cutoff_ranks, relevant_at, retrieved_at

ALL_SETS = ("official", "set", "all_trec", "all_prefs", "prefs", "qrels_jg")
ANYTHING = (0.0, math.inf)


@measure(
    "runid",
    "The run's name",
    position=1,
    formula="the tag of the run's last line",
    source="trec_eval 10",
    sets=ALL_SETS,
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
    letter[grade == -2] = ord(".")
    letter[grade == -1] = ord("-")
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
