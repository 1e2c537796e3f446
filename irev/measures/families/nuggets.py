"""How much of what an answer should say it says, by the nuggets of the topic."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import TopicsByCutoffs, ratio, segment_sums
from irev.core.judged import PARTIAL, VITAL, Judged
from irev.measures.registry import Option, choice, measure
from irev.measures.shared import NoCutoff


@measure(
    "NuggetRecall",
    "Share of the nuggets of the topic that an answer holds",
    formula="sum of u v / sum of u over the nuggets; v = 1 for support, the option "
    "partial for partial_support, else 0; u = 1 for a vital nugget, and for an okay one 0 "
    "(of=vital), 1 (of=all) or the option okay (of=weighted)",
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
    support in part. An assignment that failed is no support. A topic without nuggets that count has
    0, and so has an answer that is missing.
    """
    okay_weight = {"vital": 0.0, "all": 1.0, "weighted": float(okay)}[of]
    label = np.ones(len(judged.topic)) if judged.scores is None else judged.scores.row_scores
    credit = np.where(label == PARTIAL, partial, np.maximum(label, 0.0))
    weight = np.where(judged.grade >= VITAL, 1.0, okay_weight)
    held = segment_sums(judged.topic, weight * credit, judged.num_topics)
    level_topic = np.repeat(np.arange(judged.num_topics), np.diff(judged.level_start))
    each_weight = np.where(judged.level_grade >= VITAL, 1.0, okay_weight)
    level_weight = each_weight * judged.level_count.astype(np.float64)
    return ratio(held, segment_sums(level_topic, level_weight, judged.num_topics))[:, None]
