"""What is shown of each rank beside the value: what the formula of the measure speaks of.

A detail is a column: its heading, and its value at each rank. A measure's record says which of
them are shown; what a measure adds up is not worked out here but by the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Bools, Floats, ratio
from irev.core.record import cached_property, record
from irev.measures.families.gain import rank_divisors
from irev.measures.families.incomplete import SMOOTHING
from irev.measures.registry import Arguments
from irev.measures.shared_options import gain_values, powers_of_two

if TYPE_CHECKING:
    pass


@record
class Traced:
    """A ranking as a measure sees it, rank after rank.

    grade    float64[n]; -1 not in the qrels, -2 pooled but unjudged
    ideal    the grades >= 0 of the qrels, falling
    level    the smallest relevant grade
    least    the smallest grade that has a gain
    cutoff   where the measure cuts the ranking, if it does
    value    the measure's parameter
    top      the highest grade of the qrels
    """

    grade: Floats
    ideal: Floats
    level: float
    least: float
    cutoff: float | None
    value: Arguments
    top: float

    @cached_property
    def rank(self) -> Floats:
        """float64[n]: 1, 2, ..."""
        return np.arange(1.0, len(self.grade) + 1)

    @cached_property
    def relevant(self) -> Bools:
        """bool[n]: the grade reaches the level."""
        return (self.grade >= 0) & (self.grade >= self.level)

    @cached_property
    def num_rel(self) -> int:
        """R, the relevant documents of the qrels."""
        return int((self.ideal >= self.level).sum())

    @property
    def options(self) -> dict[str, Any]:
        """The named options of the measure."""
        return dict(self.value.options)

    def gain_of(self, grade: Floats) -> Floats:
        """The gains of some grades, as the measure's parameter has them."""
        gain = self.options.get("gain", "linear")
        if gain == "binary":
            return (grade >= max(self.level, 0)).astype(float)
        return np.where(grade < self.least, 0.0, gain_values(grade, gain))

    @cached_property
    def ideal_gain(self) -> Floats:
        """float64[]: the positive gains of the judged documents, falling."""
        gain = np.sort(self.gain_of(self.ideal))[::-1]
        return gain[gain > 0]

    @property
    def highest_gain(self) -> float:
        """The gain of the highest grade of the measure's scale."""
        highest = self.options.get("max")
        return float(self.gain_of(np.array([self.top if highest is None else highest]))[0])

    def discount(self, count: int) -> Floats:
        """float64[count]: what the gain at each rank is multiplied by."""
        kind, base = self.options.get("disc", "log2"), float(self.options.get("b", 2.0))
        return 1.0 / rank_divisors(kind, base, count + 1)[1 : count + 1]


Detail = Callable[[Traced], Floats]
"""float64[n], or int64[n], what to show at each rank."""


def found(of: Traced) -> Any:
    """Relevant documents so far."""
    return np.cumsum(of.relevant)


def precision(of: Traced) -> Floats:
    """Their share among the documents so far."""
    shares: Floats = np.cumsum(of.relevant) / of.rank
    return shares


def recall(of: Traced) -> Floats:
    """Their share among all relevant documents."""
    return ratio(np.cumsum(of.relevant), of.num_rel)


def nonrelevant(of: Traced) -> Any:
    """Documents judged not relevant so far."""
    return np.cumsum((of.grade >= 0) & ~of.relevant)


def unjudged(of: Traced) -> Any:
    """Documents without a judgment so far."""
    return np.cumsum(of.grade < 0)


def pooled(of: Traced) -> Any:
    """Documents of the pool without a judgment so far."""
    return np.cumsum(of.grade == -2)


def outside(of: Traced) -> Any:
    """Documents that are in no pool so far."""
    return np.cumsum(of.grade == -1)


def judged_precision(of: Traced) -> Floats:
    """The share of relevant documents among the judged ones so far."""
    return ratio(np.cumsum(of.relevant), np.cumsum(of.grade >= 0))


def expected_precision(of: Traced) -> Floats:
    """The same of the documents before this one, smoothed: (r + eps) / (r + m + 2 eps)."""
    eps = float(of.options.get("eps", SMOOTHING))
    above = np.concatenate(([0.0], np.cumsum(of.relevant)[:-1]))
    judged = np.concatenate(([0.0], np.cumsum(of.grade >= 0)[:-1]))
    return ratio(above + eps, judged + 2 * eps)


def mean_gain(of: Traced) -> Floats:
    """The gains so far, divided by the rank."""
    return cumulated(of) / of.rank


def gain(of: Traced) -> Floats:
    """The gain of the document."""
    return of.gain_of(of.grade)


def cumulated(of: Traced) -> Floats:
    """The gains so far."""
    return np.cumsum(gain(of))


def ideal_gain(of: Traced) -> Floats:
    """The gain at this rank of the ideal list."""
    padded = np.zeros(len(of.grade))
    count = min(len(padded), len(of.ideal_gain))
    padded[:count] = of.ideal_gain[:count]
    return padded


def ideal_cumulated(of: Traced) -> Floats:
    """The gains so far of the ideal list."""
    return np.cumsum(ideal_gain(of))


def discount(of: Traced) -> Floats:
    """What the gain is multiplied by."""
    return of.discount(len(of.grade))


def discounted(of: Traced) -> Floats:
    """Gain times discount."""
    return gain(of) * discount(of)


def persistence_weight(of: Traced) -> Floats:
    """The share of users' looks that this rank gets: (1 - p) p^(rank - 1)."""
    p = of.options["p"]
    return np.array([(1 - p) * p ** (rank - 1) for rank in of.rank.tolist()])


def blended_ratio(of: Traced) -> Floats:
    """(relevant so far + beta * gains so far) / (rank + beta * ideal gains so far)."""
    beta = float(of.options.get("beta", 1.0))
    if math.isinf(beta):
        return ratio(cumulated(of), ideal_cumulated(of))
    above = np.cumsum(of.relevant) + beta * cumulated(of)
    return ratio(above, of.rank + beta * ideal_cumulated(of))


def stopping(of: Traced) -> Floats:
    """How likely a user who sees the document is to stop there."""
    if of.options.get("stop") == "ratio":
        return gain(of) / (of.highest_gain + 1)
    likely: Floats = powers_of_two(gain(of) - of.highest_gain) - 2.0**-of.highest_gain
    return likely


def arriving(of: Traced) -> Floats:
    """How likely a user is to come as far as this document."""
    passed = np.cumprod(1 - stopping(of))
    return np.concatenate(([1.0], passed))[: len(passed)]


def cumulated_ratio(of: Traced) -> Floats:
    """The gains so far over those of the ideal list."""
    return ratio(cumulated(of), ideal_cumulated(of))


HEADINGS: dict[str, Detail] = {
    "relevant": found,
    "precision": precision,
    "recall": recall,
    "nonrelevant": nonrelevant,
    "unjudged": unjudged,
    "pooled": pooled,
    "outside the pool": outside,
    "judged precision": judged_precision,
    "expected precision": expected_precision,
    "mean gain": mean_gain,
    "gain": gain,
    "gains": cumulated,
    "ideal": ideal_gain,
    "ideal gains": ideal_cumulated,
    "discount": discount,
    "discounted": discounted,
    "weight": persistence_weight,
    "blended ratio": blended_ratio,
    "stops": stopping,
    "arrives": arriving,
    "ratio": cumulated_ratio,
}
"""Heading -> what stands below it."""


def ideal_divisor(of: Traced) -> float:
    """The discounted gains of the ideal list, up to the cutoff if there is one."""
    gains = of.ideal_gain if of.cutoff is None else of.ideal_gain[: int(of.cutoff)]
    terms = gains * of.discount(len(gains))
    return float(np.cumsum(terms)[-1]) if len(terms) else 0.0


def _by_ideal(of: Traced) -> tuple[float, str]:
    until = "" if of.cutoff is None else f" up to rank {of.cutoff:g}"
    return ideal_divisor(of), f"gain times discount of the ideal list{until}, summed"


def _by_relevant(of: Traced) -> tuple[float, str]:
    if of.options.get("denom") == "min" and of.cutoff is not None:
        return min(of.num_rel, int(of.cutoff)), "relevant documents, at most the cutoff"
    return of.num_rel, "relevant documents"


def _by_rank(of: Traced) -> tuple[float, str]:
    return (len(of.grade), "documents") if of.cutoff is None else (of.cutoff, "the cutoff")


def _by_highest(of: Traced) -> tuple[float, str]:
    if "max" not in of.options:
        return max(1.0, float(of.ideal_gain.max(initial=0))), "the topic's highest gain, 1 at least"
    if of.options["gain"] in ("binary", "raw"):
        return 1.0, "gains are not scaled"
    return of.highest_gain, "the gain of the highest grade of the scale"


def _by_best(of: Traced) -> tuple[float, str]:
    cutoff = len(of.grade) if of.cutoff is None else int(of.cutoff)
    return min(of.num_rel, cutoff), "relevant documents, at most the cutoff"


DIVISORS: dict[str, Callable[[Traced], tuple[float, str]]] = {
    "ideal": _by_ideal,
    "relevant": _by_relevant,
    "cutoff": _by_rank,
    "highest": _by_highest,
    "best": _by_best,
}
"""What a sum is divided by, and what that is."""
