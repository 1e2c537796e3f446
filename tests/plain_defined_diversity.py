"""Measures over subtopics a second time, written as their definitions, as an oracle.

One topic at a time, in plain Python, sharing nothing with the library. What documents are relevant
to a subtopic, and what it is worth, is looked up anew wherever it is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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

    @property
    def subtopics(self) -> list[str]:
        """Those that a judged document covers."""
        return sorted(s for s, grades in self.qrels.items() if self.relevant(s))

    def relevant(self, subtopic: str) -> list[str]:
        """The documents that cover a subtopic."""
        return [d for d, grade in self.qrels[subtopic].items() if grade >= self.level]

    def covered(self, document: str) -> list[str]:
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
        return sorted({d for of in self.qrels.values() for d, grade in of.items() if grade >= 0})

    def condensed(self) -> Topic:
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
            (1 - alpha) ** sum(s in topic.covered(before) for before in ranking[:place])
            for s in topic.covered(document)
        )
        for place, document in enumerate(ranking)
    ]


def greedy(topic: Topic, alpha: float) -> list[str]:
    """The greedy ideal list: the highest gain, then the last id."""
    left = [d for d in topic.documents if topic.covered(d)]
    chosen: list[str] = []
    while left:
        best = max(left, key=lambda d: (novelty(topic, [*chosen, d], alpha)[-1], d))
        chosen.append(best)
        left.remove(best)
    return chosen


def by_log(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def by_rank(rank: int) -> float:
    return 1 / rank


def discounted(gains: Sequence[float], k: int | None, discount: Callable[[int], float]) -> float:
    return math.fsum(gain * discount(rank) for rank, gain in enumerate(gains[:k], 1))


def over_full(
    topic: Topic, k: int, alpha: float, norm: str, discount: Callable[[int], float]
) -> float:
    reached = discounted(novelty(topic, topic.ranking, alpha), k, discount)
    if norm == "none":
        return reached
    full = [len(topic.subtopics) * (1 - alpha) ** place for place in range(k)]
    return quotient(reached, discounted(full, k, discount))


def over_greedy(
    topic: Topic, k: int | None, alpha: float, discount: Callable[[int], float]
) -> float:
    reached = discounted(novelty(topic, topic.ranking, alpha), k, discount)
    best = novelty(topic, greedy(topic, alpha), alpha)
    return quotient(reached, discounted(best, k, discount))


def quotient(above: float, below: float) -> float:
    return above / below if below else 0.0


def alpha_dcg(topic: Topic, k: int, alpha: float = 0.5, norm: str = "full") -> float:
    return over_full(topic, k, alpha, norm, by_log)


def alpha_ndcg(topic: Topic, k: int, alpha: float = 0.5) -> float:
    return over_greedy(topic, k, alpha, by_log)


def err_ia(topic: Topic, k: int, alpha: float = 0.5, norm: str = "full") -> float:
    return over_full(topic, k, alpha, norm, by_rank)


def nerr_ia(topic: Topic, k: int, alpha: float = 0.5) -> float:
    return over_greedy(topic, k, alpha, by_rank)


def nrbp(topic: Topic, k: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> float:
    gains = novelty(topic, topic.ranking, alpha)
    total = discounted(gains, k, lambda rank: beta ** (rank - 1))
    return quotient((1 - (1 - alpha) * beta) * total, len(topic.subtopics))


def nnrbp(topic: Topic, k: int | None = None, alpha: float = 0.5, beta: float = 0.5) -> float:
    return over_greedy(topic, k, alpha, lambda rank: beta ** (rank - 1))


# --- subtopic by subtopic ---


def ap_ia(topic: Topic, k: int | None = None) -> float:
    def average_precision(subtopic: str) -> float:
        wanted = topic.relevant(subtopic)
        ranks = [rank for rank, d in enumerate(topic.ranking[:k], 1) if d in wanted]
        return math.fsum(nth / rank for nth, rank in enumerate(ranks, 1)) / len(wanted)

    return mean(topic, average_precision)


def p_ia(topic: Topic, k: int) -> float:
    return mean(topic, lambda s: sum(d in topic.relevant(s) for d in topic.ranking[:k]) / k)


def subtopic_recall(topic: Topic, k: int | None = None) -> float:
    found = {s for d in topic.ranking[:k] for s in topic.covered(d)}
    return quotient(len(found), len(topic.subtopics))


def gain_of(grade: float, gain: str) -> float:
    if grade <= 0:
        return 0.0
    return grade if gain == "linear" else 2**grade - 1


def ndcg(gains: Sequence[float], ideal: Sequence[float], k: int | None) -> float:
    best = sorted(ideal, reverse=True)
    return quotient(discounted(gains, k, by_log), discounted(best, k, by_log))


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
    chosen = [value for rank, value in ratios.items() if rank <= preferred]
    return math.fsum(chosen) / len(chosen)


def of_intent(topic: Topic, subtopic: str, gain: str) -> tuple[Ranked, list[float]]:
    """The ranking and the ideal gains as an intent sees them."""
    grades = topic.qrels[subtopic]
    ranked = [
        (grades.get(d, -1) >= topic.level, gain_of(grades.get(d, -1), gain)) for d in topic.ranking
    ]
    return ranked, [gain_of(grades[d], gain) for d in topic.relevant(subtopic)]


def ia_ndcg(topic: Topic, k: int | None = None, gain: str = "linear") -> float:
    def of(subtopic: str) -> float:
        gains = [topic.gain(subtopic, d, gain) for d in topic.ranking]
        return ndcg(gains, [topic.gain(subtopic, d, gain) for d in topic.qrels[subtopic]], k)

    return mean(topic, of)


def ia_err(topic: Topic, k: int | None = None, max: float = 4, gain: str = "linear") -> float:
    def of(subtopic: str) -> float:
        total, reached = 0.0, 1.0
        for rank, document in enumerate(topic.ranking[:k], 1):
            worth = topic.gain(subtopic, document, gain)
            stops = (2**worth - 1) / 2 ** gain_of(max, gain)
            total += reached * stops / rank
            reached *= 1 - stops
        return total

    return mean(topic, of)


def ia_q(
    topic: Topic, k: int | None = None, gain: str = "linear", beta: float = 1.0, denom: str = "R"
) -> float:
    return mean(topic, lambda s: q_measure(*of_intent(topic, s, gain), beta, k, denom))


def p_plus_q(topic: Topic, gain: str = "linear", beta: float = 1.0) -> float:
    def of(subtopic: str) -> float:
        ranked, ideal = of_intent(topic, subtopic, gain)
        if not topic.is_navigational(subtopic):
            return q_measure(ranked, ideal, beta, None, "R")
        grades = [topic.qrels[subtopic].get(d, -1) for d in topic.ranking]
        return p_plus(ranked, ideal, beta, grades)

    return mean(topic, of)


# --- one gain over all intents ---


def global_gain(topic: Topic, document: str, gain: str, served: Sequence[str] = ()) -> float:
    """What a document is worth to all intents but those that are served already."""
    return math.fsum(
        topic.weight(s) * gain_of(topic.qrels[s][document], gain)
        for s in topic.covered(document)
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


def din_ndcg(topic: Topic, k: int | None = None, gain: str = "linear") -> float:
    gains: list[float] = []
    served: list[str] = []
    for document in topic.ranking:
        gains.append(global_gain(topic, document, gain, served))
        served += [s for s in topic.covered(document) if topic.is_navigational(s)]
    return ndcg(gains, global_gains(topic, gain)[1], k)


def d_sharp_ndcg(topic: Topic, k: int | None = None, gamma: float = 0.5, **more: Any) -> float:
    return gamma * subtopic_recall(topic, k) + (1 - gamma) * d_ndcg(topic, k, **more)


def d_sharp_q(topic: Topic, k: int | None = None, gamma: float = 0.5, **more: Any) -> float:
    return gamma * subtopic_recall(topic, k) + (1 - gamma) * d_q(topic, k, **more)


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
    "IA_Q": ia_q,
    "PplusQ": p_plus_q,
    "D_nDCG": d_ndcg,
    "D_Q": d_q,
    "DIN_nDCG": din_ndcg,
    "DSharp_nDCG": d_sharp_ndcg,
    "DSharp_Q": d_sharp_q,
}
"""Each measure by its name: (topic[, k], option=value, ...) -> its value."""
