"""The measures that look at grades, or at documents without one, as definitions. See `plain`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tests.plain_binary import CUTOFFS, divide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.plain import Topic


class Gains(NamedTuple):
    """Gains for some codes, as (code, gain); other grades gain themselves, other codes 0."""

    gains: tuple[tuple[int, float], ...] = ()
    persistence: float = 0.9


LINEAR = Gains()


def gain_of(code: float, gains: Gains) -> float:
    """The gain of a code."""
    return dict(gains.gains).get(code, max(code, 0.0))  # type: ignore[call-overload, no-any-return]


def gains_of(topic: Topic, gains: Gains) -> list[float]:
    """The gain at each rank."""
    return [gain_of(code, gains) for code in topic.codes]


def ideal_gains(topic: Topic, gains: Gains) -> list[float]:
    """The gain at each rank of the best ranking: all positive gains, falling."""
    positive = [gain for grade in topic.grades if (gain := gain_of(grade, gains)) > 0]
    return sorted(positive, reverse=True)


def discounted_sum(gains: Sequence[float]) -> float:
    """The sum of gain / log2(rank + 1)."""
    total = 0.0
    for rank, gain in enumerate(gains, 1):
        total += gain / math.log2(rank + 1)
    return total


def dcg(topic: Topic, gains: Gains = LINEAR) -> float:
    """dcg: the discounted sum of the gains."""
    return discounted_sum(gains_of(topic, gains))


def ideal_dcg(topic: Topic, gains: Gains = LINEAR) -> float:
    """ideal_dcg: the dcg of the best ranking of all judged documents."""
    return discounted_sum(ideal_gains(topic, gains))


def ndcg(topic: Topic, gains: Gains = LINEAR) -> float:
    """ndcg: dcg over ideal_dcg."""
    return divide(dcg(topic, gains), ideal_dcg(topic, gains))


def ndcg_at(topic: Topic, cutoffs: Sequence[int] = CUTOFFS) -> list[float]:
    """ndcg_cut: the same up to the cutoff; the grades are the gains."""
    retrieved, ideal = gains_of(topic, LINEAR), ideal_gains(topic, LINEAR)
    return [divide(discounted_sum(retrieved[:c]), discounted_sum(ideal[:c])) for c in cutoffs]


def ndcg_over_relevant(topic: Topic, gains: Gains = LINEAR) -> float:
    """ndcg_rel: ndcg averaged over the documents with a positive gain.

    A document that was not retrieved has the ndcg at the end of the ranking over the whole ideal.
    """
    retrieved, ideal = gains_of(topic, gains), ideal_gains(topic, gains)
    ranks = [rank for rank, gain in enumerate(retrieved, 1) if gain > 0]
    total = 0.0
    for rank in ranks:
        total += divide(discounted_sum(retrieved[:rank]), discounted_sum(ideal[:rank]))
    missed = len(ideal) - len(ranks)
    total += divide(missed * discounted_sum(retrieved), discounted_sum(ideal))
    return divide(total, len(ideal)) if total > 0 else 0.0


def ndcg_over_grades(topic: Topic, gains: Gains = LINEAR) -> float:
    """Rndcg: ndcg averaged over the ranks at which the ideal gain is about to change.

    The end of the ranking is one more, if it lies beyond the first rank without an ideal gain.
    """
    retrieved, ideal = gains_of(topic, gains), ideal_gains(topic, gains)
    if not topic.num_rel:
        return 0.0
    following = [*ideal[1:], 0.0]
    changes = [
        rank
        for rank, (gain, after) in enumerate(zip(ideal, following, strict=False), 1)
        if gain != after
    ]
    if ideal and len(retrieved) > len(ideal) + 1:
        changes.append(len(retrieved))
    total = 0.0
    for rank in changes:
        total += discounted_sum(retrieved[:rank]) / discounted_sum(ideal[:rank])
    return divide(total, len(changes))


def normalized_gain(topic: Topic, gains: Gains = LINEAR) -> float:
    """G: gains discounted by what the best ranking had gained more, over the best sum of gains.

    An ideal gain counts as at least 1 in the discount.
    """
    retrieved, ideal = gains_of(topic, gains), ideal_gains(topic, gains)
    total = gained = cost = best = 0.0
    for rank, gain in enumerate(retrieved):
        gained += gain
        cost += max(ideal[rank], 1.0) if rank < len(ideal) else 1.0
        if gain:
            total += gain / math.log2(2 + cost - gained)
    for gain in ideal:
        best += gain
    return divide(total, best)


def rank_biased_precision(topic: Topic, gains: Gains = LINEAR) -> float:
    """rbp: (1 - p) times the sum of gain * p^(rank - 1), gains scaled to [0, 1] if they leave it.

    The scale is that of all gains there could be in the topic: of whole grades up to the highest
    judged, of the judged grades, and of the gains given, whether they occur or not.
    """
    highest = max(topic.grades, default=-1)
    codes = {*range(math.floor(highest) + 1), *topic.grades, *dict(gains.gains)}
    possible = [gain_of(code, gains) for code in codes]
    low, high = min(0.0, *possible, 0.0), max(0.0, *possible, 0.0)
    rescaled = low < 0 or high > 1
    total, weight = 0.0, 1.0
    for code in topic.codes:
        gain = gain_of(code, gains)
        # a code without any gain keeps none
        if rescaled and code in codes:
            gain = (gain - low) / (high - low)
        total += gain * weight
        weight *= gains.persistence
    return (1 - gains.persistence) * total


def rank_biased_residual(topic: Topic, gains: Gains = LINEAR) -> float:
    """rbp_resid: what rbp could rise by, if the documents without a grade had the highest gain."""
    total, weight = 0.0, 1.0
    for code in topic.codes:
        if code < 0:
            total += weight
        weight *= gains.persistence
    return weight + (1 - gains.persistence) * total if total else 0.0


def relevance_string(topic: Topic, length: Sequence[float] = (10.0,)) -> str:
    """relstring: the first codes, a character each; of a fraction, the whole part."""
    return "".join(map(character, topic.codes[: max(math.trunc(length[0]), 0)]))


def character(code: float) -> str:
    """A code as relstring shows it."""
    if code < 0:
        return "-" if code == -1 else "."
    return str(math.floor(code)) if code < 10 else ">"
