"""Technology-assisted review: how early all relevant documents of a candidate set are read.

The judgments of a topic hold its whole candidate set, and the run says in which order to read it.
Reading stops at the end of the run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irev.core.arrays import Ints, TopicCounts, TopicsByCutoffs, ratio, segment_sums
from irev.core.judged import Judged
from irev.measures.registry import LARGEST_COUNT, Option, choice, measure
from irev.measures.shared import NoCutoff, OverridingSize, memoize

COHEN = (
    "Cohen, Hersh, Peterson and Yen 2006, Reducing Workload in Systematic Review Preparation Using "
    "Automated Citation Classification, JAMIA 13(2)"
)
CLEF = "Kanoulas, Li, Azzopardi and Spijker 2018, CLEF Technologically Assisted Reviews in "
CLEF += "Empirical Medicine Overview; the program tar_eval_2018"
CAUTION = (
    "N is taken to be the documents judged for the topic (the documents retrieved, if they are "
    "more): right where the whole candidate set was judged, far too small for a pool."
)

CANDIDATES = Option(
    "how many documents there are to screen for each topic; without it the value of -N, else the "
    "number of documents judged for the topic; never less than the number retrieved",
    None,
    kind="whole",
    low=1,
    high=LARGEST_COUNT,
)
MISSING = choice(
    "where the last one is if not all were retrieved: at the end of the candidates (N), or where "
    "the last one found is (found)",
    "N",
    "found",
    shown=True,
)


@memoize
def _collection_size_or_num_judged(judged: Judged, own_size: OverridingSize | None) -> TopicCounts:
    """int64[T]: N, how many documents there are to screen; `own_size` is the measure's option."""
    size = own_size or judged.settings.collection_size
    sizes = np.full(judged.num_topics, size) if size else judged.num_rel + judged.num_nonrel
    num_candidates: Ints = np.maximum(sizes, judged.num_ret)
    return num_candidates


def _rank_of_nth_relevant_or_0(judged: Judged, nth: TopicCounts) -> TopicCounts:
    """The rank of the n-th relevant document; 0 where there is none."""
    rank = np.zeros(judged.num_topics, np.int64)
    topics = np.flatnonzero((nth > 0) & (nth <= judged.num_rel_ret))
    rank[topics] = judged.relevant_rank[judged.relevant_start[topics] + nth[topics] - 1]
    return rank


@measure(
    "WSS",
    "Work saved over sampling at a level of recall",
    options={
        "recall": Option(
            "which share of the relevant documents must be found",
            0.95,
            low=0.0,
            high=1.0,
            above_low=True,
            shown=True,
        ),
        "target": choice(
            "how recall * R becomes a number of documents: rounded up, so that the recall is "
            "reached (ceil), or to the nearest one, halves to the even one (round)",
            "ceil",
            "round",
        ),
        "norm": Option(
            "whether it is the share of the other documents left unread, from 0 to 1",
            False,
            kind="flag",
        ),
        "N": CANDIDATES,
    },
    formula="(N - r) / N - (1 - recall), r the rank at which the recall is reached; with norm=true "
    "(N - R - (r - k)) / (N - R), k the relevant documents found there",
    source=COHEN + "; norm=true: Kusa, Lipani, Knoth and Hanbury 2023, An Analysis of Work Saved "
    "over Sampling in the Evaluation of Automated Citation Screening; the program tar_eval_2018",
    checked="program",
    bounds=(-1.0, 1.0),
    example=("1 0 1 0 0 0", "(recall=1)", 3 / 6),
    caution=CAUTION,
    cites=("cohen2006reducing", "kusa2023analysis", "kanoulas2018clef"),
)
def work_saved_over_sampling(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    recall: float = 0.95,
    target: str = "ceil",
    norm: bool = False,
    N: OverridingSize | None = None,
) -> TopicsByCutoffs:
    """The share of the candidates left unread, beyond what reading in random order would save.

    It lies between recall - 1 and recall, below what the topic's R allows. norm=true divides what
    is saved of the documents that are not relevant by all of them, which has the same range for
    every topic. A recall that the run never reaches saves 0, as does a topic without relevant
    documents.
    """
    size = _collection_size_or_num_judged(judged, N)
    from fractions import Fraction

    most = int(judged.num_rel.max(initial=0))
    exact = [Fraction(str(recall)) * count for count in range(most + 1)]
    whole = [math.ceil(count) if target == "ceil" else round(count) for count in exact]
    num_wanted = np.array(whole, np.int64)[judged.num_rel]
    rank = _rank_of_nth_relevant_or_0(judged, num_wanted)
    if norm:
        others = size - judged.num_rel
        # where unjudged documents were read, judged ones may not fit behind them
        saved = ratio(np.maximum(others - (rank - num_wanted), 0), others)
    else:
        saved = ratio(size - rank, size) - (1 - recall)
    return np.where(rank > 0, saved, 0.0)[:, None]


def _last_relevant_rank(
    judged: Judged, own_size: OverridingSize | None, missing: str
) -> TopicCounts:
    """The rank of the last relevant document; 0 for a topic without any."""
    last = _rank_of_nth_relevant_or_0(judged, judged.num_rel_ret)
    if missing == "found":
        return last
    size = _collection_size_or_num_judged(judged, own_size)
    return np.where(judged.num_rel_ret < judged.num_rel, size, last)


LAST: dict[str, Any] = {
    "options": {"missing": MISSING, "N": CANDIDATES},
    "source": CLEF,
    "checked": "program",
    "higher_is_better": False,
    "cites": ("kanoulas2018clef",),
    "caution": CAUTION,
}


@measure(
    "LastRel",
    "Rank of the last relevant document",
    formula="the rank of the last relevant document; N if one was not retrieved (missing=N)",
    bounds=(0.0, math.inf),
    example=("1 0 1 0 | 1 0", "(missing=N)", 6.0),
    **LAST,
)
def last_relevant(
    judged: Judged, cutoffs: NoCutoff, *, missing: str = "N", N: OverridingSize | None = None
) -> TopicsByCutoffs:
    """How many documents are read until no relevant one is left.

    With missing=found, as the CLEF program has it, a run that misses relevant documents gets a
    better value the earlier it ends, and the best, 0, if it finds none. A topic without relevant
    documents has 0.
    """
    return _last_relevant_rank(judged, N, missing).astype(float)[:, None]


@measure(
    "NormLastRel",
    "Rank of the last relevant document, as a share of the candidates",
    formula="LastRel / N",
    example=("1 0 1 0 | 0 0", "(missing=N)", 3 / 6),
    **LAST,
)
def normalised_last_relevant(
    judged: Judged, cutoffs: NoCutoff, *, missing: str = "N", N: OverridingSize | None = None
) -> TopicsByCutoffs:
    """Which share of the candidates is read until no relevant one is left.

    Relevant documents that were not retrieved are treated as by LastRel. A topic without relevant
    documents has 0.
    """
    size = _collection_size_or_num_judged(judged, N)
    return ratio(_last_relevant_rank(judged, N, missing), size)[:, None]


@measure(
    "RecallArea",
    "Area under the recall curve, over that of the best order",
    options={"N": CANDIDATES},
    formula="sum over relevant documents retrieved, at rank r, of (N - r + 1/2), divided by "
    "R N - R^2 / 2",
    source=CLEF,
    checked="program",
    example=("1 0 1 0 | 0 0", "", (5.5 + 3.5) / (2 * 6 - 2)),
    caution=CAUTION,
    cites=("kanoulas2018clef",),
    additive=True,
)
def recall_area_relative_to_best(
    judged: Judged, cutoffs: NoCutoff, *, N: OverridingSize | None = None
) -> TopicsByCutoffs:
    """How high recall is on average while the candidates are read, with 1 for the best order.

    NormRecall sets the worst order to 0; here it is above 0. A relevant document that was not
    retrieved adds nothing. A topic without relevant documents has 0.
    """
    size = _collection_size_or_num_judged(judged, N)
    topic = judged.relevant_topic
    above = (size[topic] - judged.relevant_rank).astype(np.float64) + 0.5
    below = segment_sums(topic, above, judged.num_topics)
    relevant = judged.num_rel.astype(float)
    return ratio(below, relevant * size - relevant * relevant / 2)[:, None]


@measure(
    "ReadRecall",
    "Recall when a share of the candidates is read: R@10%",
    options={
        "percent": Option(
            "how many percent of the candidates are read", 10.0, low=0.0, high=100.0, shown=True
        ),
        "N": CANDIDATES,
    },
    formula="(relevant documents at ranks up to N * percent / 100, rounded) / R",
    source=CLEF + " (recall@p%, NCG@p%)",
    checked="program",
    example=("1 0 1 0 | 0 0", "(percent=50)", 1.0),
    caution=CAUTION,
    cites=("kanoulas2018clef",),
    additive=True,
)
def recall_after_share(
    judged: Judged, cutoffs: NoCutoff, *, percent: float = 10.0, N: OverridingSize | None = None
) -> TopicsByCutoffs:
    """The share of the relevant documents found after reading so many percent of the candidates.

    It is written `R@10%` or `NCG@10%` too. Half a document is rounded to the even number. A topic
    without relevant documents has 0.
    """
    ranks = np.rint(_collection_size_or_num_judged(judged, N) * percent / 100).astype(np.int64)
    hits = judged.relevant_index.count_up_to(np.arange(judged.num_topics), ranks)
    return ratio(hits, judged.num_rel)[:, None]
