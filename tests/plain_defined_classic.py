"""The binary and set measures with named options, and the older ones, as their definitions.

Each is (topic, cutoff, **options) -> a number; a cutoff of None is the whole ranking. See `plain`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

from tests import plain_binary as binary
from tests.plain_binary import divide, relevant_up_to

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.plain import Topic

LEVELS = [Fraction(tenth, 10) for tenth in range(11)]


# --- at ranks ---


def precision(topic: Topic, k: int) -> float:
    """P: relevant up to k, over k."""
    return relevant_up_to(topic, k) / k


def judged_precision(topic: Topic, k: int) -> float:
    """JudgedP: relevant up to k, over judged up to k."""
    return divide(relevant_up_to(topic, k), sum(code >= 0 for code in topic.codes[:k]))


def recall(topic: Topic, k: int, denom: str = "R") -> float:
    """R: relevant up to k, over R or the most that k documents can hold."""
    return divide(relevant_up_to(topic, k), most_at(topic, k, denom))


def most_at(topic: Topic, k: float | None, denom: str) -> float:
    """What a measure of recall cut at k is divided by."""
    return topic.num_rel if denom == "R" or k is None else min(k, topic.num_rel)


def relative_precision(topic: Topic, k: int) -> float:
    """RelP: precision over the highest possible."""
    best = min(k, topic.num_rel) / k
    return divide(precision(topic, k), best)


def f_of(p: float, r: float, beta: float) -> float:
    """The weighted harmonic mean of precision and recall."""
    if math.isinf(beta):
        return r
    return divide((1 + beta**2) * p * r, beta**2 * p + r)


def f_at(topic: Topic, k: int, beta: float = 1.0) -> float:
    """F: of precision and recall at k."""
    return f_of(precision(topic, k), recall(topic, k), beta)


def success(topic: Topic, k: int | None) -> float:
    """Success: whether anything relevant stands up to k."""
    return float(any(code >= topic.level for code in topic.codes[:k]))


def relevant_retrieved(topic: Topic, k: int | None) -> float:
    """MeanRelRet: relevant up to k."""
    return topic.num_rel_ret if k is None else relevant_up_to(topic, k)


def reciprocal_rank(topic: Topic, k: int | None) -> float:
    """RR: 1 over the rank of the first relevant document up to k."""
    for rank, code in enumerate(topic.codes[:k], 1):
        if code >= topic.level:
            return 1 / rank
    return 0.0


def r_precision(topic: Topic, k: None, mult: float = 1.0) -> float:
    """Rprec: precision at a multiple of R."""
    cutoff = math.trunc(mult * topic.num_rel + 0.9)
    return precision(topic, cutoff) if cutoff else 0.0


def pair_accuracy(topic: Topic, k: int | None) -> float:
    """Accuracy: the share of pairs, a relevant and another document, in the right order."""
    relevant = [code >= topic.level for code in topic.codes[:k]]
    if not any(relevant):
        return 0.0
    right = pairs = 0
    for i, first in enumerate(relevant):
        for second in relevant[i + 1 :]:
            pairs += first != second
            right += first and not second
    return right / pairs if pairs else 1.0


def area_under_curve(topic: Topic, k: None) -> float:
    """AUC: the share of pairs in the right order, of documents that were judged."""
    judged = [code for code in topic.codes if code >= 0]
    return pair_accuracy(replace(topic, codes=judged), None)


def average_precision(topic: Topic, k: int | None, denom: str = "R") -> float:
    """AP: the mean of the precisions at the relevant documents up to k."""
    total = binary.precision_sum(topic, math.inf if k is None else k)
    return divide(total, most_at(topic, k, denom))


def log_average_precision(topic: Topic, k: None) -> float:
    """GMAP: the log of AP, of at least 0.00001."""
    return binary.log_average_precision(topic)


# --- recall levels ---


def curve(topic: Topic) -> list[tuple[Fraction, float]]:
    """The points of the recall-precision curve, one for each relevant document retrieved."""
    ranks = topic.relevant_ranks
    return [(Fraction(nth, topic.num_rel), nth / rank) for nth, rank in enumerate(ranks, 1)]


def highest_above(topic: Topic, level: Fraction) -> float:
    """Rule ge: the highest precision at that recall or a higher one."""
    return max((p for recall, p in curve(topic) if recall >= level), default=0.0)


def highest_in_band(topic: Topic, level: Fraction) -> float:
    """Rule band: the highest within a tenth; an empty band takes the value of the next one."""
    points = curve(topic)
    while level <= 1:
        band = [p for recall, p in points if level <= recall <= level + Fraction(1, 10)]
        if band:
            return max(band)
        level += Fraction(1, 10)
    return 0.0


def interpolated_precision(topic: Topic, level: float, rule: str = "ge") -> float:
    """IPrec: precision interpolated at a recall level."""
    if rule == "ge":
        return highest_above(topic, Fraction(str(level)))
    if rule == "band":
        return highest_in_band(topic, Fraction(str(level)))
    if rule == "te9":
        target = math.trunc(level * topic.num_rel + 0.9)
    else:
        # as a fraction, so that the half itself is not rounded
        whole = math.trunc(level * topic.num_rel)
        target = whole + (Fraction(level * topic.num_rel) - whole >= Fraction(1, 2))
    return binary.best_precision_from(topic, target)


def interpolated_average(topic: Topic, k: None, rule: str = "ge") -> float:
    """IPrecAvg: the mean over the eleven levels."""
    return math.fsum(interpolated_precision(topic, float(level), rule) for level in LEVELS) / 11


# --- sets ---


def set_precision(topic: Topic, k: None, relative: bool = False) -> float:
    """SetP: the part of the retrieved that is relevant, or that over the highest possible."""
    if relative:
        return binary.set_relative_precision(topic)
    return binary.set_precision(topic)


def set_recall(topic: Topic, k: None) -> float:
    """SetR: the part of the relevant that is retrieved."""
    return binary.set_recall(topic)


def set_f(topic: Topic, k: None, beta: float = 1.0) -> float:
    """SetF: the weighted harmonic mean of the two."""
    return f_of(binary.set_precision(topic), binary.set_recall(topic), beta)


def set_e(topic: Topic, k: None, beta: float = 1.0) -> float:
    """SetE: one minus that."""
    return 1 - set_f(topic, None, beta)


def set_average_precision(topic: Topic, k: None) -> float:
    """SetAP: precision times recall."""
    return binary.set_precision(topic) * binary.set_recall(topic)


def class_accuracy(topic: Topic, k: None, N: int) -> float:  # noqa: N803
    """ClassAccuracy: documents rightly retrieved or rightly left, over all of the collection."""
    tp = topic.num_rel_ret
    fp = topic.num_ret - tp
    fn = topic.num_rel - tp
    tn = N - tp - fp - fn
    return (tp + tn) / N


# --- how far to read ---


def search_length(topic: Topic, k: None, count: str = "rank", never: float = math.inf) -> float:
    """SL: documents read until the first relevant one, with it or without it."""
    if not topic.relevant_ranks:
        return never
    return topic.relevant_ranks[0] - (count == "nonrel")


def gain_of(grade: float, gain: Any) -> Fraction:
    """What a grade is worth, without rounding."""
    if gain == "exp":
        return Fraction(2**grade - 1)
    pairs = {} if gain == "linear" else dict(gain)
    return Fraction(str(pairs.get(grade, grade)))


def ranked_half_life(
    topic: Topic,
    k: None,
    form: str = "rank",
    total: str = "retrieved",
    gain: Any = "linear",
    never: float = math.inf,
) -> float:
    """RHL: the rank down to which half of the gains is found."""
    graded = topic.codes if total == "retrieved" else topic.grades
    half = sum((gain_of(g, gain) for g in graded if g >= topic.level), Fraction(0)) / 2
    actual = Fraction(0)
    for rank, code in enumerate(topic.codes, 1):
        if code < topic.level:
            continue
        worth = gain_of(code, gain)
        if half > 0 and actual + worth >= half:
            return rank if form == "rank" else float(rank - 1 + (half - actual) / worth)
        actual += worth
    return never


# --- normalised ---


def normalised_sum(topic: Topic, weight: Callable[[int], float], size: int, fill: str) -> float:
    """What the weights of the relevant documents' ranks keep of the way from worst to best."""
    r = topic.num_rel
    if r in (0, size):
        return 1.0 if r else 0.0
    missed = r - topic.num_rel_ret
    total = math.fsum(weight(rank) for rank in topic.relevant_ranks)
    if fill == "worst":
        total += math.fsum(weight(rank) for rank in range(size - missed + 1, size + 1))
    elif missed:
        behind = range(topic.num_ret + 1, size + 1)
        total += missed * math.fsum(weight(rank) for rank in behind) / len(behind)
    best = math.fsum(weight(rank) for rank in range(1, r + 1))
    worst = math.fsum(weight(rank) for rank in range(size - r + 1, size + 1))
    return 1 - (total - best) / (worst - best)


def normalised_recall(topic: Topic, k: None, N: int, fill: str = "worst") -> float:  # noqa: N803
    """NormRecall: with the ranks themselves."""
    return normalised_sum(topic, float, N, fill)


def normalised_precision(topic: Topic, k: None, N: int, fill: str = "worst") -> float:  # noqa: N803
    """NormPrec: with their logarithms."""
    return normalised_sum(topic, math.log, N, fill)


def patent_score(topic: Topic, k: int) -> float:
    """PRES: how far the mean rank is from the best, of what k documents allow."""
    if not topic.num_rel:
        return 0.0
    ranks: list[float] = [rank for rank in topic.relevant_ranks if rank <= k]
    ranks += [k + nth for nth in range(len(ranks) + 1, topic.num_rel + 1)]
    mean, best = math.fsum(ranks) / topic.num_rel, (topic.num_rel + 1) / 2
    return 1 - (mean - best) / k


# --- screening ---


def candidates(topic: Topic, size: int | None) -> int:
    """N: given, else what is judged; at least what was retrieved."""
    return max(size or topic.collection_size or len(topic.grades), topic.num_ret)


def work_saved(
    topic: Topic,
    k: None,
    recall: float = 0.95,
    target: str = "ceil",
    norm: bool = False,
    N: int | None = None,  # noqa: N803
) -> float:
    """WSS: what need not be read once that recall is reached."""
    exact = Fraction(str(recall)) * topic.num_rel
    count = math.ceil(exact) if target == "ceil" else round(exact)
    if not 0 < count <= topic.num_rel_ret:
        return 0.0
    rank, size = topic.relevant_ranks[count - 1], candidates(topic, N)
    if norm:
        others = size - topic.num_rel
        return divide(max(others - (rank - count), 0), others)
    return (size - rank) / size - (1 - recall)


def last_relevant(
    topic: Topic,
    k: None,
    missing: str = "N",
    N: int | None = None,  # noqa: N803
) -> float:
    """LastRel: the rank of the last relevant document."""
    if missing == "N" and topic.num_rel_ret < topic.num_rel:
        return candidates(topic, N)
    return max(topic.relevant_ranks, default=0)


def normalised_last(
    topic: Topic,
    k: None,
    missing: str = "N",
    N: int | None = None,  # noqa: N803
) -> float:
    """NormLastRel: the same over N."""
    return divide(last_relevant(topic, k, missing, N), candidates(topic, N))


def recall_area(topic: Topic, k: None, N: int | None = None) -> float:  # noqa: N803
    """RecallArea: trapezes under the recall curve, over those of the best order."""

    def area(ranks: Sequence[int]) -> float:
        size = candidates(topic, N)
        heights = [sum(r <= rank for r in ranks) for rank in range(size + 1)]
        return math.fsum((a + b) / 2 for a, b in pairwise(heights))

    return divide(area(topic.relevant_ranks), area(range(1, topic.num_rel + 1)))


def recall_when_read(
    topic: Topic,
    k: None,
    percent: float = 10.0,
    N: int | None = None,  # noqa: N803
) -> float:
    """ReadRecall: recall where so many percent of the candidates are read."""
    return recall(topic, round(candidates(topic, N) * percent / 100))


# --- judgments ---


def coverage_divisor(topic: Topic, k: int | None, denom: str) -> int:
    """The cutoff, or the documents retrieved up to it."""
    return len(topic.codes[:k]) if k is None or denom == "retrieved" else k


def judged_share(topic: Topic, k: int | None, denom: str = "k") -> float:
    """Judged: documents with a grade up to k."""
    return divide(sum(c >= 0 for c in topic.codes[:k]), coverage_divisor(topic, k, denom))


def unjudged_share(topic: Topic, k: int | None, denom: str = "k") -> float:
    """Unjudged: documents without one up to k."""
    return divide(sum(c < 0 for c in topic.codes[:k]), coverage_divisor(topic, k, denom))


def hole(topic: Topic, k: int) -> float:
    """Hole: documents in no qrels up to k, where no other topic is judged."""
    return sum(c == -1 for c in topic.codes[:k]) / k


def bpref(topic: Topic, k: None, **options: str) -> float:
    """Bpref: how few of the judged non-relevant stand before the relevant documents."""
    return binary.bpref(topic)


def inferred_average_precision(topic: Topic, k: None, eps: float = 0.00001) -> float:
    """infAP: average precision, expected when the pool was judged only in part."""
    total = 0.0
    for rank, code in enumerate(topic.codes, 1):
        if code < topic.level:
            continue
        above = topic.codes[: rank - 1]
        rel = sum(c >= topic.level for c in above)
        judged = sum(c >= 0 for c in above)
        pooled = sum(c == -2 for c in above)
        total += 1 / rank
        if above:
            share = divide(rel + eps, judged + 2 * eps)
            total += (rank - 1) / rank * (judged + pooled) / (rank - 1) * share
    return divide(total, topic.num_rel)


MEASURES: dict[str, Callable[..., float]] = {
    "P": precision,
    "R": recall,
    "RelP": relative_precision,
    "F": f_at,
    "Success": success,
    "MeanRelRet": relevant_retrieved,
    "RR": reciprocal_rank,
    "Rprec": r_precision,
    "JudgedP": judged_precision,
    "Accuracy": pair_accuracy,
    "AUC": area_under_curve,
    "AP": average_precision,
    "GMAP": log_average_precision,
    "IPrec": interpolated_precision,
    "IPrecAvg": interpolated_average,
    "SetP": set_precision,
    "SetR": set_recall,
    "SetF": set_f,
    "SetE": set_e,
    "SetAP": set_average_precision,
    "ClassAccuracy": class_accuracy,
    "SL": search_length,
    "RHL": ranked_half_life,
    "NormRecall": normalised_recall,
    "NormPrec": normalised_precision,
    "PRES": patent_score,
    "WSS": work_saved,
    "LastRel": last_relevant,
    "NormLastRel": normalised_last,
    "RecallArea": recall_area,
    "ReadRecall": recall_when_read,
    "Judged": judged_share,
    "Unjudged": unjudged_share,
    "Hole": hole,
    "Bpref": bpref,
    "infAP": inferred_average_precision,
}
"""Each measure by its name."""


def expected_search_length(
    topic: Topic, sizes: Sequence[int], q: int = 1, never: float = math.inf
) -> float:
    """ESL, over all orders of the documents within each group of equal scores.

    `sizes` are the groups' sizes from the top. It is not among `MEASURES`, for want of these there.
    """
    if topic.num_rel_ret < q:
        return never
    in_vain = 0
    expected = q
    codes = list(topic.codes)
    for size in sizes:
        group, codes = [code >= topic.level for code in codes[:size]], codes[size:]
        if sum(group) >= expected:
            orders = list(permutations(group))
            return in_vain + math.fsum(others_before(o, expected) for o in orders) / len(orders)
        expected -= sum(group)
        in_vain += size - sum(group)
    raise ValueError(sizes)


def others_before(relevant: Sequence[bool], expected: int) -> int:
    """The documents that are not relevant before the wanted-th relevant one."""
    place = [i for i, is_relevant in enumerate(relevant) if is_relevant][expected - 1]
    return place - (expected - 1)
