"""What is shown of each rank beside the value: what the formula of the measure speaks of.

A detail is a column: its heading, and its value at each rank. A measure's record says which of
them are shown; what a measure adds up is not worked out here but by the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from irev.core.arrays import Floats, RankValues, RowMask, ratio
from irev.core.record import cached_property, record
from irev.measures.families.gain import divisors_indexed_by_rank
from irev.measures.families.incomplete import SMOOTHING
from irev.measures.registry import Arguments
from irev.measures.shared import gain_values, powers_of_two


@record
class TracedRanking:
    """A ranking as a measure sees it, rank after rank.

    grades         float64[n]; -1 not in the qrels, -2 pooled but unjudged
    ideal_grades   the grades >= 0 of the qrels, falling
    level          the smallest relevant grade
    least_grade    the smallest grade that has a gain
    cutoff         where the measure cuts the ranking, if it does
    arguments      of the measure
    highest_grade  the highest grade of the qrels
    """

    grades: Floats
    ideal_grades: Floats
    level: float
    least_grade: float
    cutoff: float | None
    arguments: Arguments
    highest_grade: float

    @cached_property
    def rank(self) -> RankValues:
        """float64[n]: 1, 2, ..."""
        return np.arange(1.0, len(self.grades) + 1)

    @cached_property
    def relevant(self) -> RowMask:
        """bool[n]: the grade reaches the level."""
        return (self.grades >= 0) & (self.grades >= self.level)

    @cached_property
    def num_relevant(self) -> int:
        """R, the relevant documents of the qrels."""
        return int((self.ideal_grades >= self.level).sum())

    @property
    def options(self) -> dict[str, Any]:
        """The named options of the measure."""
        return dict(self.arguments.options)

    def gains_of_grades(self, grades: Floats) -> Floats:
        """The gains of some grades, as the measure's parameter has them."""
        gain = self.options.get("gain", "linear")
        if gain == "binary":
            return (grades >= max(self.level, 0)).astype(float)
        return np.where(grades < self.least_grade, 0.0, gain_values(grades, gain))

    @cached_property
    def ideal_gain(self) -> RankValues:
        """float64[]: the positive gains of the judged documents, falling."""
        gain = np.sort(self.gains_of_grades(self.ideal_grades))[::-1]
        return gain[gain > 0]

    @property
    def highest_gain(self) -> float:
        """The gain of the highest grade of the measure's scale."""
        highest = self.options.get("max")
        return float(
            self.gains_of_grades(np.array([self.highest_grade if highest is None else highest]))[0]
        )

    def discount(self, num_ranks: int) -> RankValues:
        """float64[count]: what the gain at each rank is multiplied by."""
        kind, base = self.options.get("disc", "log2"), float(self.options.get("b", 2.0))
        return 1.0 / divisors_indexed_by_rank(kind, base, num_ranks + 1)[1 : num_ranks + 1]


CellsByHeading: TypeAlias = dict[str, list[Any]]
"""The heading of each column of an explanation -> a cell for each rank; None: nothing to say."""

Detail = Callable[[TracedRanking], Floats]
"""float64[n], or int64[n], what to show at each rank."""


def relevant_so_far(traced: TracedRanking) -> Any:
    """Relevant documents so far."""
    return np.cumsum(traced.relevant)


def precision(traced: TracedRanking) -> RankValues:
    """Their share among the documents so far."""
    shares: Floats = np.cumsum(traced.relevant) / traced.rank
    return shares


def recall(traced: TracedRanking) -> RankValues:
    """Their share among all relevant documents."""
    return ratio(np.cumsum(traced.relevant), traced.num_relevant)


def nonrelevant_so_far(traced: TracedRanking) -> Any:
    """Documents judged not relevant so far."""
    return np.cumsum((traced.grades >= 0) & ~traced.relevant)


def unjudged_so_far(traced: TracedRanking) -> Any:
    """Documents without a judgment so far."""
    return np.cumsum(traced.grades < 0)


def pooled_unjudged_so_far(traced: TracedRanking) -> Any:
    """Documents of the pool without a judgment so far."""
    return np.cumsum(traced.grades == -2)


def unpooled_so_far(traced: TracedRanking) -> Any:
    """Documents that are in no pool so far."""
    return np.cumsum(traced.grades == -1)


def judged_precision(traced: TracedRanking) -> RankValues:
    """The share of relevant documents among the judged ones so far."""
    return ratio(np.cumsum(traced.relevant), np.cumsum(traced.grades >= 0))


def expected_precision_above(traced: TracedRanking) -> RankValues:
    """The same of the documents before this one, smoothed: (r + eps) / (r + m + 2 eps)."""
    eps = float(traced.options.get("eps", SMOOTHING))
    above = np.concatenate(([0.0], np.cumsum(traced.relevant)[:-1]))
    judged = np.concatenate(([0.0], np.cumsum(traced.grades >= 0)[:-1]))
    return ratio(above + eps, judged + 2 * eps)


def mean_gain_so_far(traced: TracedRanking) -> RankValues:
    """The gains so far, divided by the rank."""
    return gains_so_far(traced) / traced.rank


def gain(traced: TracedRanking) -> RankValues:
    """The gain of the document."""
    return traced.gains_of_grades(traced.grades)


def gains_so_far(traced: TracedRanking) -> RankValues:
    """The gains so far."""
    return np.cumsum(gain(traced))


def ideal_gain_at_rank(traced: TracedRanking) -> RankValues:
    """The gain at this rank of the ideal list."""
    padded = np.zeros(len(traced.grades))
    count = min(len(padded), len(traced.ideal_gain))
    padded[:count] = traced.ideal_gain[:count]
    return padded


def ideal_gains_so_far(traced: TracedRanking) -> RankValues:
    """The gains so far of the ideal list."""
    return np.cumsum(ideal_gain_at_rank(traced))


def discount(traced: TracedRanking) -> RankValues:
    """What the gain is multiplied by."""
    return traced.discount(len(traced.grades))


def discounted_gain(traced: TracedRanking) -> RankValues:
    """Gain times discount."""
    return gain(traced) * discount(traced)


def persistence_weight(traced: TracedRanking) -> RankValues:
    """The share of users' looks that this rank gets: (1 - p) p^(rank - 1)."""
    p = traced.options["p"]
    return np.array([(1 - p) * p ** (rank - 1) for rank in traced.rank.tolist()])


def blended_ratio(traced: TracedRanking) -> RankValues:
    """(relevant so far + beta * gains so far) / (rank + beta * ideal gains so far)."""
    beta = float(traced.options.get("beta", 1.0))
    if math.isinf(beta):
        return ratio(gains_so_far(traced), ideal_gains_so_far(traced))
    above = np.cumsum(traced.relevant) + beta * gains_so_far(traced)
    return ratio(above, traced.rank + beta * ideal_gains_so_far(traced))


def stop_probability_if_seen(traced: TracedRanking) -> RankValues:
    """How likely a user who sees the document is to stop there."""
    if traced.options.get("stop") == "ratio":
        return gain(traced) / (traced.highest_gain + 1)
    probability: Floats = (
        powers_of_two(gain(traced) - traced.highest_gain) - 2.0**-traced.highest_gain
    )
    return probability


def arrival_probability(traced: TracedRanking) -> RankValues:
    """How likely a user is to come as far as this document."""
    stays = np.cumprod(1 - stop_probability_if_seen(traced))
    return np.concatenate(([1.0], stays))[: len(stays)]


def gains_so_far_ratio(traced: TracedRanking) -> RankValues:
    """The gains so far over those of the ideal list."""
    return ratio(gains_so_far(traced), ideal_gains_so_far(traced))


HEADINGS: dict[str, Detail] = {
    "relevant": relevant_so_far,
    "precision": precision,
    "recall": recall,
    "nonrelevant": nonrelevant_so_far,
    "unjudged": unjudged_so_far,
    "pooled": pooled_unjudged_so_far,
    "outside the pool": unpooled_so_far,
    "judged precision": judged_precision,
    "expected precision": expected_precision_above,
    "mean gain": mean_gain_so_far,
    "gain": gain,
    "gains": gains_so_far,
    "ideal": ideal_gain_at_rank,
    "ideal gains": ideal_gains_so_far,
    "discount": discount,
    "discounted": discounted_gain,
    "weight": persistence_weight,
    "blended ratio": blended_ratio,
    "stops": stop_probability_if_seen,
    "arrives": arrival_probability,
    "ratio": gains_so_far_ratio,
}
"""Heading -> what stands below it."""


def ideal_divisor(traced: TracedRanking) -> float:
    """The discounted gains of the ideal list, up to the cutoff if there is one."""
    gains = traced.ideal_gain if traced.cutoff is None else traced.ideal_gain[: int(traced.cutoff)]
    terms = gains * traced.discount(len(gains))
    return float(np.cumsum(terms)[-1]) if len(terms) else 0.0


def _ideal_list_divisor(traced: TracedRanking) -> tuple[float, str]:
    until = "" if traced.cutoff is None else f" up to rank {traced.cutoff:g}"
    return ideal_divisor(traced), f"gain times discount of the ideal list{until}, summed"


def _relevant_divisor(traced: TracedRanking) -> tuple[float, str]:
    if traced.options.get("denom") == "min" and traced.cutoff is not None:
        return min(
            traced.num_relevant, int(traced.cutoff)
        ), "relevant documents, at most the cutoff"
    return traced.num_relevant, "relevant documents"


def _cutoff_divisor(traced: TracedRanking) -> tuple[float, str]:
    return (
        (len(traced.grades), "documents")
        if traced.cutoff is None
        else (traced.cutoff, "the cutoff")
    )


def _highest_gain_divisor(traced: TracedRanking) -> tuple[float, str]:
    if "max" not in traced.options:
        return max(
            1.0, float(traced.ideal_gain.max(initial=0))
        ), "the topic's highest gain, 1 at least"
    if traced.options["gain"] in ("binary", "raw"):
        return 1.0, "gains are not scaled"
    return traced.highest_gain, "the gain of the highest grade of the scale"


def _best_possible_divisor(traced: TracedRanking) -> tuple[float, str]:
    cutoff = len(traced.grades) if traced.cutoff is None else int(traced.cutoff)
    return min(traced.num_relevant, cutoff), "relevant documents, at most the cutoff"


DIVISORS: dict[str, Callable[[TracedRanking], tuple[float, str]]] = {
    "ideal": _ideal_list_divisor,
    "relevant": _relevant_divisor,
    "cutoff": _cutoff_divisor,
    "highest": _highest_gain_divisor,
    "best": _best_possible_divisor,
}
"""What a sum is divided by, and what that is."""
