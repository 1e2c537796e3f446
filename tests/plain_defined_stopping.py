"""The measures of users who stop somewhere, and relatives of bpref, as their definitions.

See `plain_defined_graded`, whose gains they have.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.plain_binary import divide
from tests.plain_defined_gains import (
    blended_ratio,
    gain_of,
    gains_of,
    ideal_gains,
    relevant_gains,
    relevant_ideal,
    top_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.plain import Topic
    from tests.plain_defined_gains import Gain


# --- users who stop ---


def cascade(
    gains: Sequence[float], k: int | None, stop: str, top: float, utility: Callable[[int], float]
) -> float:
    """The expected utility where a user stops."""
    total, reached = 0.0, 1.0
    for rank, gain in enumerate(gains[:k], 1):
        stops = 2.0 ** (gain - top) - 2.0**-top if stop == "exp" else gain / (top + 1)
        if stops:
            total += utility(rank) * stops * reached
        reached *= 1 - stops
    return total


def err(topic: Topic, k: int | None, max: float, stop: str = "exp", gain: Gain = "linear") -> float:
    """ERR: the expected reciprocal rank."""
    return cascade(gains_of(topic, gain), k, stop, top_of(max, gain), lambda r: 1 / r)


def nerr(
    topic: Topic, k: int | None, max: float, stop: str = "exp", gain: Gain = "linear"
) -> float:
    """Over that of the ideal list."""
    best = cascade(ideal_gains(topic, gain), k, stop, top_of(max, gain), lambda r: 1 / r)
    return divide(err(topic, k, max, stop, gain), best)


def ebr(
    topic: Topic,
    k: int | None,
    max: float,
    stop: str = "ratio",
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """EBR: the expected blended ratio."""
    return cascade(
        relevant_gains(topic, gain),
        k,
        stop,
        top_of(max, gain),
        lambda r: blended_ratio(topic, r, gain, beta),
    )


def nebr(
    topic: Topic,
    k: int | None,
    max: float,
    stop: str = "ratio",
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """Over that of the ideal list, whose blended ratio is 1."""
    best = cascade(relevant_ideal(topic, gain), k, stop, top_of(max, gain), lambda r: 1.0)
    return divide(ebr(topic, k, max, stop, gain, beta), best)


def irbu(
    topic: Topic,
    k: int | None,
    max: float,
    stop: str = "ratio",
    gain: Gain = "linear",
    rbu: float = 0.99,
) -> float:
    """The expected utility rbu^r."""
    return cascade(gains_of(topic, gain), k, stop, top_of(max, gain), lambda r: rbu**r)


def nirbu(
    topic: Topic,
    k: int | None,
    max: float,
    stop: str = "ratio",
    gain: Gain = "linear",
    rbu: float = 0.99,
) -> float:
    """Over that of the ideal list."""
    best = cascade(ideal_gains(topic, gain), k, stop, top_of(max, gain), lambda r: rbu**r)
    return divide(irbu(topic, k, max, stop, gain, rbu), best)


# --- persistence ---


def weighted_gains(gains: Sequence[float], k: int | None, p: float) -> float:
    """The gains, each times p to the number of documents before."""
    return math.fsum(gain * p**before for before, gain in enumerate(gains[:k]))


def scaled_gains(gains: Sequence[float], gain: Gain, highest: float) -> list[float]:
    """Gains from 0 to 1."""
    top = 1.0 if gain in ("raw", "binary") else top_of(highest, gain)
    return [divide(each, top) for each in gains]


def rbp(topic: Topic, k: int | None, max: float, p: float = 0.8, gain: Gain = "linear") -> float:
    """RBP: the mean gain per document seen."""
    gains = gains_of(topic, gain)
    if gain == "binary":
        gains = [float(code >= topic.level) for code in topic.codes]
    return (1 - p) * weighted_gains(scaled_gains(gains, gain, max), k, p)


def nrbp(topic: Topic, k: int | None, p: float = 0.8, gain: Gain = "linear") -> float:
    """Over that of the ideal list."""
    gains, best = gains_of(topic, gain), ideal_gains(topic, gain)
    if gain == "binary":
        gains, best = [float(code >= topic.level) for code in topic.codes], [1.0] * topic.num_rel
    return divide(weighted_gains(gains, k, p), weighted_gains(best, k, p))


def rbp_residual(topic: Topic, k: int | None, p: float = 0.8) -> float:
    """RBPresid: the weight of what is not known."""
    return 1 - (1 - p) * weighted_gains([float(code >= 0) for code in topic.codes], k, p)


# --- relatives of bpref ---


def judged_before(topic: Topic) -> list[tuple[float, list[float]]]:
    """Each relevant document retrieved, as a grade, with the grades of the judged ones before."""
    codes = [code for code in topic.codes if code >= 0]
    return [(code, codes[:i]) for i, code in enumerate(codes) if code >= topic.level]


def nonrelevant(topic: Topic, grades: Sequence[float]) -> int:
    """How many of them are not relevant."""
    return sum(grade < topic.level for grade in grades)


def bpref_r(topic: Topic, k: None) -> float:
    """By R."""
    relevant = topic.num_rel
    terms = [
        1 - min(nonrelevant(topic, before), relevant) / relevant
        for _, before in judged_before(topic)
    ]
    return divide(math.fsum(terms), relevant)


def bpref_n(topic: Topic, k: None) -> float:
    """By N."""
    terms = [
        1 - divide(nonrelevant(topic, before), topic.num_nonrel)
        for _, before in judged_before(topic)
    ]
    return divide(math.fsum(terms), topic.num_rel)


def bpref_relative(topic: Topic, k: None) -> float:
    """By the rank."""
    terms = [
        1 - nonrelevant(topic, before) / len(before) for _, before in judged_before(topic) if before
    ]
    return divide(math.fsum(terms), topic.num_rel)


def penalties(topic: Topic, gain: Gain) -> list[tuple[float, float, int]]:
    """Of each relevant document retrieved: its gain, the penalty, the judged documents before."""
    items = []
    for grade, before in judged_before(topic):
        own = gain_of(grade, gain)
        others = [gain_of(g, gain) if g >= topic.level else 0.0 for g in before]
        penalty = math.fsum((own - other) / own for other in others if other < own)
        items.append((own, penalty, len(before)))
    return items


def rpref_n(topic: Topic, k: None, max: float, gain: Gain = "linear") -> float:
    """By what could stand before."""
    whole = math.fsum(relevant_ideal(topic, gain))
    most = topic.num_rel + topic.num_nonrel - divide(whole, top_of(max, gain))
    terms = [own * (1 - divide(penalty, most)) for own, penalty, _ in penalties(topic, gain)]
    return divide(math.fsum(terms), whole)


def rpref_relative(topic: Topic, k: None, gain: Gain = "linear") -> float:
    """By what stands before."""
    terms = [own * (1 - penalty / n) for own, penalty, n in penalties(topic, gain) if n]
    return divide(math.fsum(terms), math.fsum(relevant_ideal(topic, gain)))


def rpref_relative2(topic: Topic, k: None, gain: Gain = "linear") -> float:
    """By the rank."""
    terms = [own * (1 - penalty / (n + 1)) for own, penalty, n in penalties(topic, gain)]
    return divide(math.fsum(terms), math.fsum(relevant_ideal(topic, gain)))
