"""Answers: how much of what they should say they say, and how far citations support it."""

from __future__ import annotations

from functools import partial as partly

import numpy as np

from irev.core.arrays import Floats, TopicsByCutoffs, ratio, run_starts, segment_sums
from irev.core.judged import OKAY, PARTIAL, VITAL, Judged, SupportJudged
from irev.measures.registry import Option, choice, measure
from irev.measures.shared import NoCutoff

# --- How much of what an answer should say it says, by the nuggets of the topic ---


@measure(
    "NuggetRecall",
    "Share of the nuggets of the topic that an answer holds",
    family="nuggets",
    formula="sum of u v / sum of u over the nuggets; v = 1 for support, the option "
    "partial for partial_support, else 0; u = 1 for a vital nugget, for an okay one 0 (of=vital), "
    "1 (of=all) or the option okay (of=weighted), and for one of failed importance 1 (of=all) or 0",
    source="Pradeep et al. 2024, Initial Nugget Evaluation Results for the TREC 2024 RAG Track; "
    "castorini/nuggetizer",
    checked="nuggetizer d00dc3e (vital and all; weighted: by hand)",
    options={
        "of": choice("which nuggets count", "vital", "all", "weighted"),
        "partial": Option("what a nugget counts that is supported in part", 0, low=0, high=1),
        "okay": Option("with of=weighted: the weight of an okay nugget", 0.5, low=0, high=1),
    },
    needs="nuggets",
    example=("2 1 | 2 2 1", "", 1 / 3),
    scores=True,
    cites=("pradeep2024initial",),
)
def nugget_recall(
    judged: Judged, cutoffs: NoCutoff, *, of: str = "vital", partial: float = 0, okay: float = 0.5
) -> TopicsByCutoffs:
    """How much of what an answer should say it says.

    V_strict, V, A_strict, A, W_strict and W are names of it: of the vital nuggets, of all, or of
    all where an okay nugget counts half; strict ones count full support alone, the others half for
    support in part. An assignment that failed is no support, and a nugget of which nobody knows the
    importance counts among all alone, as in nuggetizer. A topic without nuggets that count has
    0, and so has an answer that is missing.
    """
    okay_weight = {"vital": 0.0, "all": 1.0, "weighted": float(okay)}[of]
    failed_weight = 1.0 if of == "all" else 0.0

    def weights(grades: Floats) -> Floats:
        of_others = np.where(grades >= OKAY, okay_weight, failed_weight)
        return np.where(grades >= VITAL, 1.0, of_others)

    label = np.ones(len(judged.topic)) if judged.scores is None else judged.scores.row_scores
    credit = np.where(label == PARTIAL, partial, np.maximum(label, 0.0))
    held = segment_sums(judged.topic, weights(judged.grade) * credit, judged.num_topics)
    level_topic = np.repeat(np.arange(judged.num_topics), np.diff(judged.level_start))
    level_weight = weights(judged.level_grade) * judged.level_count.astype(np.float64)
    return ratio(held, segment_sums(level_topic, level_weight, judged.num_topics))[:, None]


# --- How far the citations of an answer support what it says ---


_PARTIAL = Option("what support in part counts", 0.5, low=0, high=1)
_measure = partly(
    measure,
    source="Thakur et al. 2025, Support Evaluation for the TREC 2024 RAG Track (cite=first)",
    family="support",
    needs="support",
    cites=("thakur2025support",),
)


@_measure(
    "SupP",
    "Weighted precision of citations",
    formula="sum of s(i) / how many sentences have a judged citation; full support counts 1, "
    "support in part the option partial, none 0; s(i) is the value of the first citation of "
    "sentence i (cite=first) or the mean of its judged ones (cite=mean); cite=pool: the mean of "
    "all judged citations",
    checked="paper (its example; mean and pool by hand)",
    options={
        "cite": choice("which of several citations of a sentence count", "first", "mean", "pool"),
        "partial": _PARTIAL,
    },
    example=("1 2 -", "", 0.75),
)
def support_precision(
    judged: SupportJudged, cutoffs: NoCutoff, *, cite: str = "first", partial: float = 0.5
) -> TopicsByCutoffs:
    """How well the sentences that cite are supported by what they cite.

    Sentences without citations play no part, nor do citations that were not judged. An answer
    without a judged citation has 0, and so has one that is missing. partial=0 is the hard form.
    """
    if cite == "pool":
        is_judged = judged.judged.grade >= 0
        topic = judged.judged.topic[is_judged]
        weights = _weights(judged.judged.grade[is_judged], partial)
        num_citations = np.bincount(topic, minlength=judged.num_topics)
        supported = segment_sums(topic, weights, judged.num_topics)
        return ratio(supported, num_citations.astype(np.float64))[:, None]
    supported, num_citing, _ = _sums_over_sentences(judged, cite, partial)
    return ratio(supported, num_citing)[:, None]


@_measure(
    "SupR",
    "Weighted recall of citations",
    formula="sum of s(i) / how many sentences have a judged citation or none; full support counts "
    "1, support in part the option partial, none 0; s(i) is the value of the first citation of "
    "sentence i (cite=first), the mean of its judged ones (cite=mean) or the best (cite=best), and "
    "0 where it has none",
    checked="paper (its example; mean and best by hand)",
    options={
        "cite": choice("which of several citations of a sentence count", "first", "mean", "best"),
        "partial": _PARTIAL,
    },
    example=("1 2 -", "", 0.5),
)
def support_recall(
    judged: SupportJudged, cutoffs: NoCutoff, *, cite: str = "first", partial: float = 0.5
) -> TopicsByCutoffs:
    """How much of what an answer says is supported by what it cites.

    A sentence without citations counts as not supported; one whose citations were not judged is
    left out. An answer without sentences has 0, and so has one that is missing. partial=0 is the
    hard form.
    """
    supported, num_citing, num_uncited = _sums_over_sentences(judged, cite, partial)
    return ratio(supported, num_citing + num_uncited)[:, None]


def _sums_over_sentences(
    judged: SupportJudged, cite: str, partial: float
) -> tuple[Floats, Floats, Floats]:
    """Of T answers: the values of their sentences, and how many of these cite, and do not.

    Of those that cite, where a label is known.
    """
    citations, num_topics = judged.judged, judged.num_topics
    is_uncited = judged.position == 0
    num_uncited = np.bincount(citations.topic[is_uncited], minlength=num_topics)
    is_counted = (citations.grade >= 0) & ~is_uncited
    if cite == "first":
        is_counted &= judged.position == 1
    rows = is_counted.nonzero()[0]
    # the sentences of an answer in order, so that sums run from the first to the last
    rows = rows[np.lexsort((judged.position[rows], judged.sentence[rows], citations.topic[rows]))]
    topic, weights = citations.topic[rows], _weights(citations.grade[rows], partial)
    start = run_starts(topic, judged.sentence[rows])
    first, num_citations = start[:-1], np.diff(start)
    sentence = np.repeat(np.arange(len(first)), num_citations)
    if cite == "best":
        values = np.maximum.reduceat(weights, first) if len(first) else weights
    else:
        values = segment_sums(sentence, weights, len(first)) / num_citations
    topic_of_sentence = topic[first]
    return (
        segment_sums(topic_of_sentence, values, num_topics),
        np.bincount(topic_of_sentence, minlength=num_topics).astype(np.float64),
        num_uncited.astype(np.float64),
    )


def _weights(grades: Floats, partial: float) -> Floats:
    """What citations of some grades count: 2 full support, 1 in part, 0 none."""
    return np.where(grades == 1, partial, np.minimum(grades, 1.0))
