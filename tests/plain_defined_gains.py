"""Gains and the ideal list, for the definitions of the graded measures.

A gain is "linear", "exp", "binary", "raw", or (grade, gain) pairs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from tests.plain_binary import divide

if TYPE_CHECKING:
    from tests.plain import Topic

Gain: TypeAlias = "str | tuple[tuple[int, float], ...]"


# --- gains ---


def gain_of(grade: float, gain: Gain) -> float:
    """The gain of a grade; of a code without a grade, 0."""
    if gain == "exp":
        return float(2 ** max(grade, 0.0) - 1)
    if isinstance(gain, tuple):
        for level, value in gain:
            if level == grade:
                return value
    return max(grade, 0.0)


def gains_of(topic: Topic, gain: Gain) -> list[float]:
    """The gain at each rank."""
    return [gain_of(code, gain) for code in topic.codes]


def ideal_gains(topic: Topic, gain: Gain) -> list[float]:
    """The gain at each rank of the ideal list."""
    return sorted((g for grade in topic.grades if (g := gain_of(grade, gain)) > 0), reverse=True)


def relevant_gains(topic: Topic, gain: Gain) -> list[float]:
    """The gain at each rank, where only relevant documents have one."""
    return [gain_of(code, gain) if code >= topic.level else 0.0 for code in topic.codes]


def relevant_ideal(topic: Topic, gain: Gain) -> list[float]:
    """The gains of all relevant documents, the highest first."""
    gains = [gain_of(grade, gain) for grade in topic.grades if grade >= topic.level]
    return sorted(gains, reverse=True)


def relevant_ranks(topic: Topic, k: int | None) -> list[int]:
    """The ranks of the relevant documents up to k."""
    return [rank for rank in topic.relevant_ranks if k is None or rank <= k]


def top_of(highest: float, gain: Gain) -> float:
    """The highest gain of the scale."""
    listed = [value for level, value in gain if level <= highest] if isinstance(gain, tuple) else []
    return max([gain_of(highest, gain), *listed])


def blended_ratio(topic: Topic, rank: int, gain: Gain, beta: float) -> float:
    """BR(r)."""
    count = len(relevant_ranks(topic, rank))
    reached = math.fsum(relevant_gains(topic, gain)[:rank])
    best = math.fsum(relevant_ideal(topic, gain)[:rank])
    if math.isinf(beta):
        return divide(reached, best)
    return divide(count + beta * reached, rank + beta * best)
