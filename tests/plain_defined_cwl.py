"""The C/W/L measures and compatibility, rank by rank as their definitions say. See `plain`.

Each is (topic, cutoff, **options) -> a number; a cutoff of None is rank 1000.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from tests.plain_binary import divide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.plain import Topic


def gain_of(code: float, gain: Any) -> float:
    """The gain of a grade before it is scaled."""
    if gain == "exp":
        return float(2.0**code - 1)
    if gain == "linear":
        return float(code)
    return float(dict(gain).get(code, code))


def scaled_gain(topic: Topic, code: float, gain: Any, low: float, high: float) -> float:
    """The gain of a code, between 0 and 1."""
    if gain == "binary":
        return float(code >= topic.level)
    pairs = [] if isinstance(gain, str) else gain
    listed = [float(value) for grade, value in pairs if grade <= high]
    bottom, top = gain_of(low, gain), max([gain_of(high, gain), *listed])
    if code < 0 or top <= bottom:
        return 0.0
    return min(1.0, max(0.0, (gain_of(code, gain) - bottom) / (top - bottom)))


def gains_down_to(
    topic: Topic,
    cutoff: int | None,
    gain: Any = "linear",
    min: float = 0.0,
    max: float | None = None,
) -> list[float]:
    """The gain at each rank down to the cutoff, with nothing behind the end of the ranking."""
    depth = cutoff or 1000
    gains = [scaled_gain(topic, code, gain, min, max or 0.0) for code in topic.codes[:depth]]
    return gains + [0.0] * (depth - len(gains))


def rate(gains: Sequence[float], goes_on: Callable[[int, float, float], float]) -> float:
    """The gain per document seen; goes_on(rank, gain, total) is how likely the next one is seen."""
    reached, total = 1.0, 0.0
    above = below = 0.0
    for rank, gain in enumerate(gains, 1):
        above += reached * gain
        below += reached
        total += gain
        reached *= goes_on(rank, gain, total)
    return above / below


def sdcg(topic: Topic, cutoff: int, **scale: Any) -> float:
    """SDCG: the discounts are a probability of going on."""
    return rate(
        gains_down_to(topic, cutoff, **scale),
        lambda rank, gain, total: math.log2(rank + 1) / math.log2(rank + 2),
    )


def patient(rank: float, expected: float) -> float:
    """How likely INSQ's user goes on."""
    return ((rank + 2 * expected - 1) / (rank + 2 * expected)) ** 2


def insq(topic: Topic, cutoff: int | None = None, T: float = 1.0, **scale: Any) -> float:  # noqa: N803
    """INSQ: patience grows with the rank."""
    return rate(gains_down_to(topic, cutoff, **scale), lambda rank, gain, total: patient(rank, T))


def inst(topic: Topic, cutoff: int | None = None, T: float = 1.0, **scale: Any) -> float:  # noqa: N803
    """INST: patience grows with the rank, and shrinks with what is found."""

    def goes_on(rank: int, gain: float, total: float) -> float:
        hoped = rank + T + (T - total)
        return ((hoped - 1) / hoped) ** 2

    return rate(gains_down_to(topic, cutoff, **scale), goes_on)


def nerr8(topic: Topic, cutoff: int, **scale: Any) -> float:
    """NERR8: a gain stops the user."""
    return rate(gains_down_to(topic, cutoff, **scale), lambda rank, gain, total: 1 - gain)


def nerr9(topic: Topic, cutoff: int, **scale: Any) -> float:
    """NERR9: a gain stops the user, and so does the rank."""
    return rate(
        gains_down_to(topic, cutoff, **scale),
        lambda rank, gain, total: (1 - gain) * rank / (rank + 1),
    )


def nerr10(topic: Topic, cutoff: int | None = None, p: float = 0.9, **scale: Any) -> float:
    """NERR10: a gain stops the user, who goes on with probability p otherwise."""
    return rate(gains_down_to(topic, cutoff, **scale), lambda rank, gain, total: p * (1 - gain))


def nerr11(topic: Topic, cutoff: int | None = None, T: float = 1.0, **scale: Any) -> float:  # noqa: N803
    """NERR11: a gain stops INSQ's user."""
    return rate(
        gains_down_to(topic, cutoff, **scale),
        lambda rank, gain, total: (1 - gain) * patient(rank, T),
    )


def rate_ap(topic: Topic, cutoff: int | None = None, **scale: Any) -> float:
    """RateAP: how likely the next rank is seen depends on what is still to come."""
    gains = gains_down_to(topic, cutoff, **scale)
    left = list(accumulate(gain / rank for rank, gain in reversed([*enumerate(gains, 1)])))[::-1]
    if not left[0]:
        return 0.0
    reached = [value / left[0] for value in left]
    return math.fsum(map(math.prod, zip(reached, gains, strict=True))) / math.fsum(reached)


def rate_rr(topic: Topic, cutoff: int | None = None, **scale: Any) -> float:
    """RateRR: the first gain ends the search."""
    for rank, gain in enumerate(gains_down_to(topic, cutoff, **scale), 1):
        if gain > 0:
            return gain / rank
    return 0.0


def bpm(
    topic: Topic,
    cutoff: int,
    T: float = 1.0,  # noqa: N803
    hb: float = 0.0,
    hc: float = 0.0,
    med: float = 0.5,
    **scale: Any,
) -> float:
    """BPM: the mean gain until enough is gained or seen."""
    # with hc the player may go past the cutoff, but gains at most 1 a document
    gains = gains_down_to(topic, cutoff + math.ceil(hc * topic.num_ret) + 1, **scale)
    expected, allowed = T, float(cutoff)
    total = 0.0
    for rank, gain in enumerate(gains, 1):
        total += gain
        if total >= expected or rank >= allowed:
            return total / rank
        expected += hb * (gain - med)
        allowed += hc * (gain - med)
    raise AssertionError("the player never stops")


def overlap(one: Sequence[object], other: Sequence[object], p: float, depth: int) -> float:
    """Rank-biased overlap down to a depth."""
    total = weights = 0.0
    for rank in range(1, depth + 1):
        weight = p ** (rank - 1)
        total += weight * len(set(one[:rank]) & set(other[:rank])) / rank
        weights += weight
    return divide(total, weights)


def compatibility(
    topic: Topic,
    cutoff: None = None,
    p: float = 0.95,
    depth: int = 1000,
    normalize: bool = True,
) -> float:
    """Compat: overlap with the nearest ideal ranking."""
    # documents are numbers: ranks, and below 0 those that were not retrieved
    ranking = list(range(1, topic.num_ret + 1))
    grades = {rank: code for rank, code in enumerate(topic.codes, 1) if code >= 0}
    missed = list(topic.grades)
    for grade in grades.values():
        missed.remove(grade)
    ideal = [rank for rank in ranking if grades.get(rank, 0) > 0]
    grades |= dict(enumerate(missed, -len(missed)))
    ideal += [document for document in grades if document < 0 and grades[document] > 0]
    ideal.sort(key=lambda document: -grades[document])
    deep = depth or max(len(ranking), len(ideal))
    score = overlap(ranking, ideal, p, deep)
    return divide(score, overlap(ideal, ideal, p, deep)) if normalize else score


MEASURES: dict[str, Callable[..., float]] = {
    "SDCG": sdcg,
    "INSQ": insq,
    "INST": inst,
    "NERR8": nerr8,
    "NERR9": nerr9,
    "NERR10": nerr10,
    "NERR11": nerr11,
    "RateAP": rate_ap,
    "RateRR": rate_rr,
    "BPM": bpm,
    "Compat": compatibility,
}
