"""Measures over subtopics a second time, written as their definitions, as an oracle.

One topic at a time, in plain Python, sharing nothing with the library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from irev.core.record import cached_property

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Topic:
    """One ranking with its judgments by subtopic.

    `ranking` holds ids, best first; `qrels` is {subtopic: {document: grade}}, a grade below 0
    being none. `intents` is {subtopic: (probability, whether navigational)}; None: nobody said.
    `gain_level` is the least grade that has a gain where only gains matter.
    """

    ranking: Sequence[str]
    qrels: Mapping[str, Mapping[str, float]]
    level: int = 1
    intents: Mapping[str, tuple[float, bool]] | None = None
    gain_level: int = 0

    @cached_property
    def subtopics(self) -> list[str]:
        """Those that a judged document covers."""
        return sorted(s for s, grades in self.qrels.items() if self.relevant(s))

    def relevant(self, subtopic: str) -> list[str]:
        """The documents that cover a subtopic."""
        return self._relevant[subtopic]

    @cached_property
    def _relevant(self) -> dict[str, list[str]]:
        return {
            subtopic: [d for d, grade in grades.items() if grade >= self.level]
            for subtopic, grades in self.qrels.items()
        }

    def subtopics_of(self, document: str) -> list[str]:
        """The subtopics that a document covers."""
        return [s for s in self.subtopics if document in self.relevant(s)]

    def weight(self, subtopic: str) -> float:
        """P(i)."""
        if self.intents is None:
            return 1 / len(self.subtopics)
        return self.intents[subtopic][0]

    def is_navigational(self, subtopic: str) -> bool:
        """Whether one document is enough."""
        return self.intents is not None and self.intents[subtopic][1]

    @property
    def documents(self) -> list[str]:
        """All that have a grade for some subtopic."""
        return sorted(
            {
                d
                for value_of_subtopic in self.qrels.values()
                for d, grade in value_of_subtopic.items()
                if grade >= 0
            }
        )

    def condense(self) -> Topic:
        """The same without unjudged documents in the ranking."""
        return replace(self, ranking=[d for d in self.ranking if d in self.documents])

    def gain(self, subtopic: str, document: str, gain: str) -> float:
        """What a document is worth to an intent, relevant or not."""
        grade = self.qrels[subtopic].get(document, -1)
        return gain_of(grade, gain) if grade >= self.gain_level else 0.0


def mean(topic: Topic, of_subtopic: Callable[[str], float]) -> float:
    """The values of the subtopics by their weights."""
    return math.fsum(topic.weight(s) * of_subtopic(s) for s in topic.subtopics)


# --- novelty ---


def novelty(topic: Topic, ranking: Sequence[str], alpha: float) -> list[float]:
    """The gain of each document of a ranking."""
    return [
        math.fsum(
            (1 - alpha) ** sum(s in topic.subtopics_of(before) for before in ranking[:place])
            for s in topic.subtopics_of(document)
        )
        for place, document in enumerate(ranking)
    ]


def greedy(topic: Topic, alpha: float) -> list[str]:
    """The greedy ideal list: the highest gain, then the last id."""
    left = [d for d in topic.documents if topic.subtopics_of(d)]
    items: list[str] = []
    while left:
        best = max(left, key=lambda d: (novelty(topic, [*items, d], alpha)[-1], d))
        items.append(best)
        left.remove(best)
    return items


def log_discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def rank_discount(rank: int) -> float:
    return 1 / rank


def discounted_sum(
    gains: Sequence[float], k: int | None, discount: Callable[[int], float]
) -> float:
    return math.fsum(gain * discount(rank) for rank, gain in enumerate(gains[:k], 1))


def divide_by_full_ideal(
    topic: Topic, k: int, alpha: float, norm: str, discount: Callable[[int], float]
) -> float:
    reached = discounted_sum(novelty(topic, topic.ranking, alpha), k, discount)
    if norm == "none":
        return reached
    full = [len(topic.subtopics) * (1 - alpha) ** place for place in range(k)]
    return quotient(reached, discounted_sum(full, k, discount))


def divide_by_greedy_ideal(
    topic: Topic, k: int | None, alpha: float, discount: Callable[[int], float]
) -> float:
    reached = discounted_sum(novelty(topic, topic.ranking, alpha), k, discount)
    best = novelty(topic, greedy(topic, alpha), alpha)
    return quotient(reached, discounted_sum(best, k, discount))


def quotient(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def alpha_dcg(topic: Topic, k: int, alpha: float = 0.5, norm: str = "full") -> float:
    return divide_by_full_ideal(topic, k, alpha, norm, log_discount)


def alpha_ndcg(topic: Topic, k: int, alpha: float = 0.5) -> float:
    return divide_by_greedy_ideal(topic, k, alpha, log_discount)


def err_ia(topic: Topic, k: int, alpha: float = 0.5, norm: str = "full") -> float:
    return divide_by_full_ideal(topic, k, alpha, norm, rank_discount)


def nerr_ia(topic: Topic, k: int, alpha: float = 0.5) -> float:
    return divide_by_greedy_ideal(topic, k, alpha, rank_discount)


def nrbp(topic: Topic, k: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> float:
    gains = novelty(topic, topic.ranking, alpha)
    total = discounted_sum(gains, k, lambda rank: beta ** (rank - 1))
    return quotient((1 - (1 - alpha) * beta) * total, len(topic.subtopics))


def nnrbp(topic: Topic, k: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> float:
    return divide_by_greedy_ideal(topic, k, alpha, lambda rank: beta ** (rank - 1))


# --- subtopic by subtopic ---


def ap_ia(topic: Topic, k: int | None = None) -> float:
    def average_precision(subtopic: str) -> float:
        expected = topic.relevant(subtopic)
        ranks = [rank for rank, d in enumerate(topic.ranking[:k], 1) if d in expected]
        return math.fsum(nth / rank for nth, rank in enumerate(ranks, 1)) / len(expected)

    return mean(topic, average_precision)


def p_ia(topic: Topic, k: int) -> float:
    return mean(topic, lambda s: sum(d in topic.relevant(s) for d in topic.ranking[:k]) / k)


def subtopic_recall(topic: Topic, k: int | None = None) -> float:
    actual = {s for d in topic.ranking[:k] for s in topic.subtopics_of(d)}
    return quotient(len(actual), len(topic.subtopics))


def gain_of(grade: float, gain: str) -> float:
    if grade <= 0:
        return 0.0
    return grade if gain == "linear" else 2**grade - 1


def ndcg(gains: Sequence[float], ideal: Sequence[float], k: int | None) -> float:
    best = sorted(ideal, reverse=True)
    return quotient(discounted_sum(gains, k, log_discount), discounted_sum(best, k, log_discount))


Ranked = list[tuple[bool, float]]
"""Whether each document of a ranking is relevant, and its gain."""


def blended_ratios(ranked: Ranked, ideal: Sequence[float], beta: float) -> dict[int, float]:
    """BR at each rank that holds a relevant document."""
    best = sorted(ideal, reverse=True)
    ratios = {}
    for rank, (relevant, _) in enumerate(ranked, 1):
        if relevant:
            here = [gain for is_relevant, gain in ranked[:rank] if is_relevant]
            above = len(here) + beta * math.fsum(here)
            ratios[rank] = above / (rank + beta * math.fsum(best[:rank]))
    return ratios


def q_measure(
    ranked: Ranked, ideal: Sequence[float], beta: float, k: int | None, denom: str
) -> float:
    ratios = blended_ratios(ranked, ideal, beta)
    base = len(ideal) if denom == "R" or k is None else min(k, len(ideal))
    return quotient(math.fsum(r for rank, r in ratios.items() if k is None or rank <= k), base)


def p_plus(ranked: Ranked, ideal: Sequence[float], beta: float, grades: Sequence[float]) -> float:
    """`grades` are those of the ranking."""
    ratios = blended_ratios(ranked, ideal, beta)
    if not ratios:
        return 0.0
    preferred = grades.index(max(grades)) + 1
    selected = [value for rank, value in ratios.items() if rank <= preferred]
    return math.fsum(selected) / len(selected)


def ranking_for_intent(topic: Topic, subtopic: str, gain: str) -> tuple[Ranked, list[float]]:
    """The ranking and the ideal gains as an intent sees them."""
    grades = topic.qrels[subtopic]
    ranked = [
        (grades.get(d, -1) >= topic.level, gain_of(grades.get(d, -1), gain)) for d in topic.ranking
    ]
    return ranked, [gain_of(grades[d], gain) for d in topic.relevant(subtopic)]


def ia_ndcg(topic: Topic, k: int | None = None, gain: str = "linear") -> float:
    def value_of_subtopic(subtopic: str) -> float:
        gains = [topic.gain(subtopic, d, gain) for d in topic.ranking]
        return ndcg(gains, [topic.gain(subtopic, d, gain) for d in topic.qrels[subtopic]], k)

    return mean(topic, value_of_subtopic)


def err(
    gains: Sequence[float],
    k: int | None,
    top: float,
    stop: str,
    utility: Callable[[int], float] = rank_discount,
) -> float:
    """The utility expected at the rank where a user stops, on a scale up to a gain."""
    total, reached = 0.0, 1.0
    for rank, gain in enumerate(gains[:k], 1):
        stops = gain / (top + 1) if stop == "ratio" else (2**gain - 1) / 2**top
        total += reached * stops * utility(rank)
        reached *= 1 - stops
    return total


def nerr(
    gains: Sequence[float], ideal: Sequence[float], k: int | None, top: float, stop: str
) -> float:
    best = sorted(ideal, reverse=True)
    return quotient(err(gains, k, top, stop), err(best, k, top, stop))


def ebr(
    ranked: Ranked, ideal: Sequence[float], k: int | None, top: float, stop: str, beta: float
) -> float:
    ratios = blended_ratios(ranked, ideal, beta)
    gains = [gain if relevant else 0.0 for relevant, gain in ranked]
    return err(gains, k, top, stop, lambda rank: ratios.get(rank, 0.0))


def rbp(gains: Sequence[float], k: int | None, top: float, p: float) -> float:
    return (1 - p) * quotient(discounted_sum(gains, k, lambda rank: p ** (rank - 1)), top)


def gains_of_intent(topic: Topic, subtopic: str, gain: str) -> tuple[list[float], list[float]]:
    """The gains of the ranking, and those of the judgments, as an intent sees them."""
    return (
        [topic.gain(subtopic, d, gain) for d in topic.ranking],
        [topic.gain(subtopic, d, gain) for d in topic.qrels[subtopic]],
    )


def scale(ideal: Sequence[float], highest: float | str, gain: str) -> float:
    return max(ideal) if highest == "intent" else gain_of(float(highest), gain)


def ia_err(
    topic: Topic,
    k: int | None = None,
    max: float | str = 4,
    gain: str = "linear",
    stop: str = "exp",
) -> float:
    def value_of_subtopic(subtopic: str) -> float:
        gains, ideal = gains_of_intent(topic, subtopic, gain)
        return err(gains, k, scale(ideal, max, gain), stop)

    return mean(topic, value_of_subtopic)


def ia_nerr(
    topic: Topic,
    k: int | None = None,
    max: float | str = 4,
    gain: str = "linear",
    stop: str = "ratio",
) -> float:
    def value_of_subtopic(subtopic: str) -> float:
        gains, ideal = gains_of_intent(topic, subtopic, gain)
        return nerr(gains, ideal, k, scale(ideal, max, gain), stop)

    return mean(topic, value_of_subtopic)


def ia_ebr(
    topic: Topic,
    k: int | None = None,
    max: float | str = 4,
    gain: str = "linear",
    stop: str = "ratio",
    beta: float = 1.0,
) -> float:
    def value_of_subtopic(subtopic: str) -> float:
        ranked, ideal = ranking_for_intent(topic, subtopic, gain)
        _, every = gains_of_intent(topic, subtopic, gain)
        return ebr(ranked, ideal, k, scale(every, max, gain), stop, beta)

    return mean(topic, value_of_subtopic)


def ia_rbp(
    topic: Topic,
    k: int | None = None,
    max: float | str = 4,
    gain: str = "linear",
    p: float = 0.95,
) -> float:
    def value_of_subtopic(subtopic: str) -> float:
        gains, ideal = gains_of_intent(topic, subtopic, gain)
        return rbp(gains, k, scale(ideal, max, gain), p)

    return mean(topic, value_of_subtopic)


def ia_q(
    topic: Topic, k: int | None = None, gain: str = "linear", beta: float = 1.0, denom: str = "R"
) -> float:
    return mean(topic, lambda s: q_measure(*ranking_for_intent(topic, s, gain), beta, k, denom))


def p_plus_q(topic: Topic, gain: str = "linear", beta: float = 1.0) -> float:
    def value_of_subtopic(subtopic: str) -> float:
        ranked, ideal = ranking_for_intent(topic, subtopic, gain)
        if not topic.is_navigational(subtopic):
            return q_measure(ranked, ideal, beta, None, "R")
        grades = [topic.qrels[subtopic].get(d, -1) for d in topic.ranking]
        return p_plus(ranked, ideal, beta, grades)

    return mean(topic, value_of_subtopic)


# --- one gain over all intents ---


def global_gain(topic: Topic, document: str, gain: str, served: Sequence[str] = ()) -> float:
    """What a document is worth to all intents but those that are served already."""
    return math.fsum(
        topic.weight(s) * gain_of(topic.qrels[s][document], gain)
        for s in topic.subtopics_of(document)
        if s not in served
    )


def global_gains(topic: Topic, gain: str) -> tuple[list[float], list[float]]:
    """Those of the ranking, and those of all judged documents."""
    return (
        [global_gain(topic, d, gain) for d in topic.ranking],
        [global_gain(topic, d, gain) for d in topic.documents],
    )


def d_ndcg(topic: Topic, k: int | None = None, gain: str = "linear") -> float:
    return ndcg(*global_gains(topic, gain), k)


def d_q(
    topic: Topic, k: int | None = None, gain: str = "linear", beta: float = 1.0, denom: str = "R"
) -> float:
    gains, ideal = global_gains(topic, gain)
    worth = [value for value in ideal if value > 0]
    return q_measure([(value > 0, value) for value in gains], worth, beta, k, denom)


def once_served(topic: Topic, gain: str) -> list[float]:
    """The global gains of the ranking, from navigational intents in their first document alone."""
    gains: list[float] = []
    served: list[str] = []
    for document in topic.ranking:
        gains.append(global_gain(topic, document, gain, served))
        served += [s for s in topic.subtopics_of(document) if topic.is_navigational(s)]
    return gains


def din_ndcg(topic: Topic, k: int | None = None, gain: str = "linear") -> float:
    return ndcg(once_served(topic, gain), global_gains(topic, gain)[1], k)


def din_q(
    topic: Topic, k: int | None = None, gain: str = "linear", beta: float = 1.0, denom: str = "R"
) -> float:
    worth = [value for value in global_gains(topic, gain)[1] if value > 0]
    ranked = [(value > 0, value) for value in once_served(topic, gain)]
    return q_measure(ranked, worth, beta, k, denom)


def d_err(topic: Topic, k: int | None = None, gain: str = "linear", stop: str = "ratio") -> float:
    gains, ideal = global_gains(topic, gain)
    return err(gains, k, max(ideal, default=0.0), stop)


def d_nerr(topic: Topic, k: int | None = None, gain: str = "linear", stop: str = "ratio") -> float:
    gains, ideal = global_gains(topic, gain)
    return nerr(gains, ideal, k, max(ideal, default=0.0), stop)


def d_ebr(
    topic: Topic,
    k: int | None = None,
    gain: str = "linear",
    stop: str = "ratio",
    beta: float = 1.0,
) -> float:
    gains, ideal = global_gains(topic, gain)
    worth = [value for value in ideal if value > 0]
    ranked = [(value > 0, value) for value in gains]
    return ebr(ranked, worth, k, max(ideal, default=0.0), stop, beta)


def d_rbp(topic: Topic, k: int | None = None, gain: str = "linear", p: float = 0.95) -> float:
    gains, ideal = global_gains(topic, gain)
    return rbp(gains, k, max(ideal, default=0.0), p)


def sharp(served: Callable[..., float]) -> Callable[..., float]:
    """The share of intents found, and a measure of how they are served."""

    def both(topic: Topic, k: int | None = None, gamma: float = 0.5, **more: Any) -> float:
        return gamma * subtopic_recall(topic, k) + (1 - gamma) * served(topic, k, **more)

    return both


MEASURES: dict[str, Callable[..., float]] = {
    "alpha_DCG": alpha_dcg,
    "alpha_nDCG": alpha_ndcg,
    "ERR_IA": err_ia,
    "nERR_IA": nerr_ia,
    "NRBP": nrbp,
    "nNRBP": nnrbp,
    "AP_IA": ap_ia,
    "P_IA": p_ia,
    "StRecall": subtopic_recall,
    "IA_nDCG": ia_ndcg,
    "IA_ERR": ia_err,
    "IA_nERR": ia_nerr,
    "IA_EBR": ia_ebr,
    "IA_RBP": ia_rbp,
    "IA_Q": ia_q,
    "PplusQ": p_plus_q,
    "D_nDCG": d_ndcg,
    "D_Q": d_q,
    "DIN_nDCG": din_ndcg,
    "DIN_Q": din_q,
    "D_ERR": d_err,
    "D_nERR": d_nerr,
    "D_EBR": d_ebr,
    "D_RBP": d_rbp,
    "DSharp_nDCG": sharp(d_ndcg),
    "DSharp_Q": sharp(d_q),
    "DSharp_ERR": sharp(d_err),
    "DSharp_nERR": sharp(d_nerr),
    "DSharp_EBR": sharp(d_ebr),
    "DSharp_RBP": sharp(d_rbp),
    "DINSharp_nDCG": sharp(din_ndcg),
    "DINSharp_Q": sharp(din_q),
}
"""Each measure by its name: (topic[, k], option=value, ...) -> its value."""
