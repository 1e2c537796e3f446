"""How far one has to read: for all relevant documents of a candidate set, for some, or for half."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irev.core.arrays import (
    Ints,
    TopicCounts,
    TopicsByCutoffs,
    ratio,
    running_sums,
    segment_sums,
    sums_at,
)
from irev.core.judged import Judged, TieSpans
from irev.measures.families.precision import first_relevant_rank_or_inf
from irev.measures.registry import LARGEST_COUNT, GainValue, Option, choice, measure
from irev.measures.shared import GAIN, NoCutoff, OverridingSize, gain_values, memoize

# --- Technology-assisted review: how early all relevant documents of a candidate set are read ---
# The judgments of a topic hold its whole candidate set, and the run says in which order to read it.
# Reading stops at the end of the run.


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


# --- Search length and ranked half life: less is better ---


NEVER = Option("what a topic counts in which the search never ends", math.inf, low=0.0)
ENDLESS = (
    "A topic in which the search never ends makes the mean infinite: set its value with never=, "
    "or report the mean over the other topics and the number of such topics."
)
SLACK = 1e-12
"""By which share a sum of gains may miss the half through rounding alone."""


@measure(
    "SL",
    "Search length: how far down the first relevant document is",
    family="search",
    formula="r (count=rank) or r - 1 (count=nonrel), r the rank of the first relevant document",
    source="Cooper 1968, Expected search length, American Documentation 19 (count=nonrel, without "
    "ties)",
    checked="not yet",
    options={
        "count": choice(
            "what is counted: the documents read (rank), or only those in vain (nonrel)",
            "rank",
            "nonrel",
            shown=True,
        ),
        "never": NEVER,
    },
    bounds=(0.0, math.inf),
    higher_is_better=False,
    example=("- 0 1 | 1", "", 3.0),
    caution=ENDLESS,
    cites=("cooper1968esl",),
)
def search_length_to_first_relevant(
    judged: Judged, cutoffs: NoCutoff, *, count: str = "rank", never: float = math.inf
) -> TopicsByCutoffs:
    """How many documents are read until a relevant one is found.

    Where none was retrieved the search never ends. Cooper counts only the documents that are not
    relevant, one fewer, and takes the expected number where documents are tied; ties are broken
    here.
    """
    length = first_relevant_rank_or_inf(judged)
    if count == "nonrel":
        length = length - 1
    return np.where(np.isinf(length), float(never), length)[:, None]


@measure(
    "ESL",
    "Expected search length: documents read in vain until q relevant ones are found",
    family="search",
    formula="j + i * s / (r + 1); the q-th relevant document is in a group of documents with equal "
    "scores that holds i others and r relevant ones, s of them still needed; j others before it",
    source="Cooper 1968, Expected search length, American Documentation 19",
    checked="not yet",
    options={
        "q": Option(
            "how many relevant documents the user needs",
            1,
            kind="whole",
            low=1,
            high=LARGEST_COUNT,
            shown=True,
        ),
        "never": NEVER,
    },
    bounds=(0.0, math.inf),
    higher_is_better=False,
    example=("- 1 0 1 | 1", "(q=2)", 2.0),
    ties=True,
    caution=ENDLESS,
    cites=("cooper1968esl",),
)
def expected_search_length(
    judged: Judged, cutoffs: NoCutoff, *, q: int = 1, never: float = math.inf
) -> TopicsByCutoffs:
    """How many documents that are not relevant are read on the way to the q-th relevant one.

    Documents with equal scores are read in any order with equal chances, whatever order breaks the
    ties for other measures; the expected number is taken. Where fewer than q relevant documents
    were retrieved the search never ends.

    Without ties it is SL(count=nonrel) for q=1.
    """
    spans = judged.ties or TieSpans(judged.rank, np.ones_like(judged.rank))
    topics = np.flatnonzero(judged.num_rel_ret >= q)
    first, size = (column[judged.relevant_rows] for column in (spans.first, spans.size))
    last_wanted = judged.relevant_start[topics] + q - 1
    begin, num_docs = first[last_wanted], size[last_wanted]
    num_before = judged.relevant_index.count_up_to(topics, begin - 1)
    num_rel = judged.relevant_index.count_up_to(topics, begin + num_docs - 1) - num_before
    in_vain = begin - 1 - num_before
    length = np.full(judged.num_topics, never, np.float64)
    length[topics] = in_vain + (num_docs - num_rel) * (q - num_before) / (num_rel + 1)
    return length[:, None]


@measure(
    "RHL",
    "Ranked half life: where half of the relevance is reached",
    family="search",
    formula="r (form=rank) or r - 1 + (T/2 - F) / g (form=grouped); T the sum of the gains of the "
    "relevant documents, r the first rank with a sum of at least T/2 up to it, g its gain, F the "
    "sum before it",
    source="Borlund and Ingwersen 1998, Measures of Relative Relevance and Ranked Half-Life, "
    "SIGIR; Kishida 2005, Property of Average Precision and its Generalization, NII-2005-014E",
    checked="paper",
    options={
        "form": choice(
            "a rank (rank), or a median of grouped data between that rank and the one before",
            "rank",
            "grouped",
            shown=True,
        ),
        "total": choice(
            "half of what: of the relevant documents retrieved, or of all",
            "retrieved",
            "all",
            shown=True,
        ),
        "gain": GAIN,
        "never": NEVER,
    },
    bounds=(0.0, math.inf),
    higher_is_better=False,
    example=("1 2 - - 3", "(form=grouped)", 2.0),
    caution=ENDLESS,
    cites=("borlund1998rhl", "kishida2005property"),
)
def ranked_half_life(
    judged: Judged,
    cutoffs: NoCutoff,
    *,
    form: str = "rank",
    total: str = "retrieved",
    gain: GainValue = "linear",
    never: float = math.inf,
) -> TopicsByCutoffs:
    """The rank down to which half of the total relevance is found: a median of the ranks.

    Where the half is never reached, as without a relevant document, the search never ends. With
    total=retrieved relevant documents that were missed do not count, and a ranking with a single
    relevant document can look as good as any.

    The grouped form takes the class of rank r to reach from r - 1 to r; that limit was chosen so
    that both forms agree with Kishida's example, a half reached exactly at rank 3. Documents below
    the level have no gain.
    """
    gains = gain_values(judged.grade[judged.relevant_rows], gain)
    sums = running_sums(judged.relevant_start, gains)
    if total == "all":
        relevant = judged.level_grade >= judged.settings.level
        level_gain = gain_values(judged.level_grade[relevant], gain) * judged.level_count[relevant]
        half = segment_sums(judged.level_topic[relevant], level_gain, judged.num_topics) / 2
    else:
        half = sums_at(judged.relevant_start, sums, judged.num_rel_ret) / 2
    # the topics whose sum reaches the half, if that is not 0, and the row where it does
    needed = np.where(half > 0, half * (1 - SLACK), np.inf)
    enough = np.flatnonzero(sums >= needed[judged.relevant_topic])
    topics, first = np.unique(judged.relevant_topic[enough], return_index=True)
    rows = enough[first]
    reached = judged.relevant_rank[rows].astype(np.float64)
    if form == "grouped":
        missing = half[topics] - (sums[rows] - gains[rows])
        reached += np.minimum(missing / gains[rows], 1.0) - 1
    life = np.full(judged.num_topics, never, np.float64)
    life[topics] = reached
    return life[:, None]
