"""The measures for which a document is relevant or not, as their definitions. See `plain`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.plain import Topic

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def divide(numerator: float, denominator: float) -> float:
    """The quotient, 0 if there is none."""
    return numerator / denominator if denominator else 0.0


def relevant_up_to(topic: Topic, cutoff: int) -> int:
    """Relevant documents at ranks up to the cutoff."""
    return sum(rank <= cutoff for rank in topic.relevant_ranks)


def precision_sum(topic: Topic, cutoff: float = math.inf) -> float:
    """The sum of the precisions at the relevant documents up to the cutoff."""
    total = 0.0
    for nth, rank in enumerate(topic.relevant_ranks, 1):
        if rank <= cutoff:
            total += nth / rank
    return total


# --- counts ---


def one(topic: Topic) -> float:
    """num_q: every topic counts once."""
    return 1


def num_ret(topic: Topic) -> float:
    """num_ret: retrieved documents."""
    return topic.num_ret


def num_rel(topic: Topic) -> float:
    """num_rel: R, relevant documents in the qrels."""
    return topic.num_rel


def num_rel_ret(topic: Topic) -> float:
    """num_rel_ret: relevant documents retrieved."""
    return topic.num_rel_ret


def num_nonrel_judged_ret(topic: Topic) -> float:
    """num_nonrel_judged_ret: retrieved documents with a grade below the level."""
    return sum(0 <= code < topic.level for code in topic.codes)


# --- the whole retrieved set ---


def set_precision(topic: Topic) -> float:
    """set_P: the part of the retrieved that is relevant."""
    return divide(topic.num_rel_ret, topic.num_ret)


def set_recall(topic: Topic) -> float:
    """set_recall: the part of the relevant that is retrieved."""
    return divide(topic.num_rel_ret, topic.num_rel)


def set_relative_precision(topic: Topic) -> float:
    """set_relative_P: set_P over the highest that is possible."""
    return divide(topic.num_rel_ret, min(topic.num_ret, topic.num_rel))


def set_average_precision(topic: Topic) -> float:
    """set_map: precision times recall."""
    return divide(topic.num_rel_ret * topic.num_rel_ret, topic.num_ret * topic.num_rel)


def set_f(topic: Topic, weight: Sequence[float] = (1.0,)) -> float:
    """set_F: the weighted harmonic mean of precision and recall."""
    x = weight[0]
    p, r = set_precision(topic), set_recall(topic)
    return divide((x + 1) * p * r, x * p + r)


def utility(topic: Topic, coefficients: Sequence[float] = (1.0, -1.0, 0.0, 0.0)) -> float:
    """utility: a weight for each cell of the table relevant/not x retrieved/not."""
    a, b, c, d = coefficients
    n, r, hits = topic.num_ret, topic.num_rel, topic.num_rel_ret
    return a * hits + b * (n - hits) + c * (r - hits) + d * (topic.collection_size + hits - n - r)


# --- at ranks ---


def precision(topic: Topic, cutoffs: Sequence[int] = CUTOFFS) -> list[float]:
    """P: relevant up to the cutoff, over the cutoff."""
    return [relevant_up_to(topic, c) / c for c in cutoffs]


def recall(topic: Topic, cutoffs: Sequence[int] = CUTOFFS) -> list[float]:
    """recall: relevant up to the cutoff, over R."""
    return [divide(relevant_up_to(topic, c), topic.num_rel) for c in cutoffs]


def relative_precision(topic: Topic, cutoffs: Sequence[int] = CUTOFFS) -> list[float]:
    """relative_P: P over the highest that is possible."""
    return [divide(relevant_up_to(topic, c), min(c, topic.num_rel)) for c in cutoffs]


def success(topic: Topic, cutoffs: Sequence[int] = (1, 5, 10)) -> list[float]:
    """success: whether anything relevant stands up to the cutoff."""
    return [1.0 if relevant_up_to(topic, c) else 0.0 for c in cutoffs]


def unjudged_counts(topic: Topic, cutoffs: Sequence[int] = (5, 10, 20)) -> list[float]:
    """unj: documents without a grade up to the cutoff, over the cutoff."""
    return [sum(code < 0 for code in topic.codes[:c]) / c for c in cutoffs]


def r_precision(topic: Topic) -> float:
    """Rprec: precision at R."""
    return divide(relevant_up_to(topic, topic.num_rel), topic.num_rel)


def precision_at_multiples_of_r(
    topic: Topic, multiples: Sequence[float] = MULTIPLES
) -> list[float]:
    """Rprec_mult: precision at p * R, rounded by dropping the fraction of p * R + 0.9."""
    cutoffs = [math.trunc(p * topic.num_rel + 0.9) for p in multiples]
    return [relevant_up_to(topic, c) / c if c > 0 else 0.0 for c in cutoffs]


def reciprocal_rank(topic: Topic) -> float:
    """recip_rank: 1 over the rank of the first relevant document."""
    return 1 / topic.relevant_ranks[0] if topic.relevant_ranks else 0.0


# --- averages over the relevant documents ---


def average_precision(topic: Topic) -> float:
    """map: the mean over R of the precisions at the relevant documents."""
    return divide(precision_sum(topic), topic.num_rel)


def average_precision_at(topic: Topic, cutoffs: Sequence[int] = CUTOFFS) -> list[float]:
    """map_cut: the same over the relevant documents up to the cutoff, still divided by R."""
    return [divide(precision_sum(topic, c), topic.num_rel) for c in cutoffs]


def log_average_precision(topic: Topic) -> float:
    """gm_map: the log of map, of at least 0.00001."""
    return math.log(max(average_precision(topic), 0.00001))


def yaap(topic: Topic) -> float:
    """yaap: the log odds of average precision, each side plus one document."""
    s = precision_sum(topic)
    return math.log((1 + s) / (1 + topic.num_rel - s))


def binary_gain(topic: Topic) -> float:
    """binG: the mean over R of 1 / log2(2 + documents before that are not relevant)."""
    total = 0.0
    for nth, rank in enumerate(topic.relevant_ranks, 1):
        total += 1 / math.log2(2 + rank - nth)
    return divide(total, topic.num_rel)


def bpref(topic: Topic) -> float:
    """bpref: how few of the judged non-relevant stand before the relevant documents."""
    r = topic.num_rel
    total = 0.0
    nonrel = 0
    for code in topic.codes:
        if code >= topic.level:
            total += 1 - min(nonrel, r) / min(topic.num_nonrel, r) if nonrel else 1
        elif code >= 0:
            nonrel += 1
    return divide(total, r)


def log_bpref(topic: Topic) -> float:
    """gm_bpref: the log of bpref, of at least 0.00001."""
    return math.log(max(bpref(topic), 0.00001))


def inferred_average_precision(topic: Topic) -> float:
    """infAP: average precision, expected when the pool was judged only in part."""
    epsilon = 0.00001
    total = 0.0
    for rank, code in enumerate(topic.codes, 1):
        if code < topic.level:
            continue
        above = topic.codes[: rank - 1]
        rel = sum(c >= topic.level for c in above)
        nonrel = sum(0 <= c < topic.level for c in above)
        pooled = sum(c == -2 for c in above)
        total += 1 / rank
        if above:
            in_pool = (rel + nonrel + pooled) / (rank - 1)
            relevant = (rel + epsilon) / (rel + nonrel + 2 * epsilon)
            total += (rank - 1) / rank * in_pool * relevant
    return divide(total, topic.num_rel)


# --- recall points ---


def recall_target(topic: Topic, point: float) -> int:
    """How many relevant documents the recall point asks for."""
    expected = point * topic.num_rel
    if topic.rounding == "upward":
        return math.trunc(expected + 0.9)
    # halves away from zero, without adding a half that could itself be rounded
    whole = math.trunc(expected)
    return whole + (abs(expected - whole) >= 0.5) * (1 if expected > 0 else -1)


def best_precision_from(topic: Topic, target: int) -> float:
    """The highest precision at the target-th relevant document or at a later one."""
    precisions = [nth / rank for nth, rank in enumerate(topic.relevant_ranks, 1)]
    return max(precisions[max(target - 1, 0) :], default=0.0)


def interpolated_precision(topic: Topic, points: Sequence[float] = ELEVEN_POINTS) -> list[float]:
    """iprec_at_recall: the highest precision at that recall or a higher one."""
    return [best_precision_from(topic, recall_target(topic, p)) for p in points]


def eleven_point_average(topic: Topic, points: Sequence[float] = ELEVEN_POINTS) -> float:
    """11pt_avg: the mean of interpolated precision over recall points, summed from the last."""
    total = 0.0
    for value in reversed(interpolated_precision(topic, points)):
        total += value
    return total / len(points)
