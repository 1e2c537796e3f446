"""What is shown of each rank beside the value: what the formula of the measure speaks of.

A detail is a column: its heading, and its value at each rank. A measure's record says which of
them are shown; what a measure adds up is not worked out here but by the engine. Where the
judgments are a sample, columns and facts speak of strata or of inclusion probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, RankValues, RowIndices, RowMask, offsets, ratio
from irev.core.judged import Inclusions, Strata
from irev.core.record import cached_property, record
from irev.core.text import as_text
from irev.jobs.explain.topic import POOLED, UNKNOWN
from irev.measures.families.gain import divisors_indexed_by_rank
from irev.measures.families.incomplete import SMOOTHING
from irev.measures.families.sampled import (
    ADDED_JUDGED,
    ADDED_RELEVANT,
    mask_of_counted_rows,
    num_sampled_relevant_by_stratum,
)
from irev.measures.registry import Arguments
from irev.measures.shared import gain_values, powers_of_two

CellsByHeading: TypeAlias = dict[str, list[Any]]
"""The heading of each column of an explanation -> a cell for each rank; None: nothing to say."""


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

    @property
    def relevant_so_far(self) -> Any:
        """int64[n]: relevant documents so far."""
        return np.cumsum(self.relevant)

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

    @property
    def gain(self) -> RankValues:
        """float64[n]: the gain of each document."""
        return self.gains_of_grades(self.grades)

    @property
    def gains_so_far(self) -> RankValues:
        """float64[n]: their sum up to each rank."""
        return np.cumsum(self.gain)

    @cached_property
    def ideal_gain(self) -> RankValues:
        """float64[]: the positive gains of the judged documents, falling."""
        gain = np.sort(self.gains_of_grades(self.ideal_grades))[::-1]
        return gain[gain > 0]

    @property
    def ideal_gain_at_rank(self) -> RankValues:
        """float64[n]: the gain at each rank of the ideal list."""
        padded = np.zeros(len(self.grades))
        count = min(len(padded), len(self.ideal_gain))
        padded[:count] = self.ideal_gain[:count]
        return padded

    @property
    def ideal_gains_so_far(self) -> RankValues:
        """float64[n]: their sum up to each rank."""
        return np.cumsum(self.ideal_gain_at_rank)

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

    @property
    def stop_probability_if_seen(self) -> RankValues:
        """float64[n]: how likely a user who sees the document is to stop there."""
        if self.options.get("stop") == "ratio":
            return self.gain / (self.highest_gain + 1)
        probability: Floats = powers_of_two(self.gain - self.highest_gain) - 2.0**-self.highest_gain
        return probability


def _expected_precision_above(traced: TracedRanking) -> RankValues:
    """Relevant among the judged documents before this one, smoothed: (r + eps) / (m + 2 eps)."""
    eps = float(traced.options.get("eps", SMOOTHING))
    above = np.concatenate(([0.0], traced.relevant_so_far[:-1]))
    judged = np.concatenate(([0.0], np.cumsum(traced.grades >= 0)[:-1]))
    return ratio(above + eps, judged + 2 * eps)


def _persistence_weight(traced: TracedRanking) -> RankValues:
    """The share of users' looks that this rank gets: (1 - p) p^(rank - 1)."""
    p = traced.options["p"]
    return np.array([(1 - p) * p ** (rank - 1) for rank in traced.rank.tolist()])


def _blended_ratio(traced: TracedRanking) -> RankValues:
    """(relevant so far + beta * gains so far) / (rank + beta * ideal gains so far)."""
    beta = float(traced.options.get("beta", 1.0))
    if math.isinf(beta):
        return ratio(traced.gains_so_far, traced.ideal_gains_so_far)
    above = traced.relevant_so_far + beta * traced.gains_so_far
    return ratio(above, traced.rank + beta * traced.ideal_gains_so_far)


def _arrival_probability(traced: TracedRanking) -> RankValues:
    """How likely a user is to come as far as this document."""
    stays = np.cumprod(1 - traced.stop_probability_if_seen)
    return np.concatenate(([1.0], stays))[: len(stays)]


HEADINGS: dict[str, Callable[[TracedRanking], Floats]] = {
    # relevant documents so far: how many, of those so far, of all relevant ones
    "relevant": lambda traced: traced.relevant_so_far,
    "precision": lambda traced: traced.relevant_so_far / traced.rank,
    "recall": lambda traced: ratio(traced.relevant_so_far, traced.num_relevant),
    # other documents so far: judged not relevant, without a judgment, so in the pool, in no pool
    "nonrelevant": lambda traced: np.cumsum((traced.grades >= 0) & ~traced.relevant),
    "unjudged": lambda traced: np.cumsum(traced.grades < 0),
    "pooled": lambda traced: np.cumsum(traced.grades == POOLED),
    "outside the pool": lambda traced: np.cumsum(traced.grades == UNKNOWN),
    # relevant documents among the judged ones so far
    "judged precision": lambda traced: ratio(traced.relevant_so_far, np.cumsum(traced.grades >= 0)),
    "expected precision": _expected_precision_above,
    # gains of documents, and of the ideal list at the same rank
    "mean gain": lambda traced: traced.gains_so_far / traced.rank,
    "gain": lambda traced: traced.gain,
    "gains": lambda traced: traced.gains_so_far,
    "ideal": lambda traced: traced.ideal_gain_at_rank,
    "ideal gains": lambda traced: traced.ideal_gains_so_far,
    "discount": lambda traced: traced.discount(len(traced.grades)),
    "discounted": lambda traced: traced.gain * traced.discount(len(traced.grades)),
    # what users do
    "weight": _persistence_weight,
    "blended ratio": _blended_ratio,
    "stops": lambda traced: traced.stop_probability_if_seen,
    "arrives": _arrival_probability,
    "ratio": lambda traced: ratio(traced.gains_so_far, traced.ideal_gains_so_far),
}
"""Heading -> float64[n], or int64[n], what stands below it."""


def _ideal_list_divisor(traced: TracedRanking) -> tuple[float, str]:
    """The discounted gains of the ideal list, up to the cutoff if there is one."""
    gains, until = traced.ideal_gain, ""
    if traced.cutoff is not None:
        gains, until = gains[: int(traced.cutoff)], f" up to rank {traced.cutoff:g}"
    terms = gains * traced.discount(len(gains))
    total = float(np.cumsum(terms)[-1]) if len(terms) else 0.0
    return total, f"gain times discount of the ideal list{until}, summed"


def _relevant_divisor(traced: TracedRanking) -> tuple[float, str]:
    if traced.options.get("denom") == "min" and traced.cutoff is not None:
        return _best_possible_divisor(traced)
    return traced.num_relevant, "relevant documents"


def _cutoff_divisor(traced: TracedRanking) -> tuple[float, str]:
    if traced.cutoff is None:
        return len(traced.grades), "documents"
    return traced.cutoff, "the cutoff"


def _highest_gain_divisor(traced: TracedRanking) -> tuple[float, str]:
    if "max" not in traced.options:
        highest = max(1.0, float(traced.ideal_gain.max(initial=0)))
        return highest, "the topic's highest gain, 1 at least"
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


# --- Where the judgments are a sample ---

Term: TypeAlias = tuple[str, float, str]
"""The name of a number, the number, and what it is."""


@record
class TopicStratum:
    """A stratum of the topic: N documents of the pool, n of them judged, r of those relevant.

    The arrays count its documents above each rank: of the pool, judged ones, relevant ones.
    """

    name: str
    size: int
    judged: int
    relevant: int
    pooled_above: Ints
    judged_above: Ints
    relevant_above: Ints

    @property
    def weight(self) -> float:
        """N/n, how many documents a judged one stands for; 0 where none was judged."""
        return self.size / self.judged if self.judged else 0.0


class StrataRanking:
    """A ranking against judgments by strata."""

    def __init__(
        self, traced: TracedRanking, qrels_rows: RowIndices, topic_index: int, sample: Strata
    ) -> None:
        self.traced = traced
        first, after = sample.start[topic_index : topic_index + 2].tolist()
        self.stratum_index = np.where(
            qrels_rows >= 0, sample.stratum_of_row[qrels_rows] - first, -1
        )
        num_relevant = num_sampled_relevant_by_stratum(sample, traced.level)

        def num_above(flags: Bools) -> Ints:
            return offsets(flags)[:-1]

        self.strata: list[TopicStratum] = []
        for number in range(first, after):
            in_stratum = self.stratum_index == number - first
            self.strata.append(
                TopicStratum(
                    as_text(sample.names[number]),
                    int(sample.size[number]),
                    int(sample.judged[number]),
                    int(num_relevant[number]),
                    num_above(in_stratum),
                    num_above(in_stratum & (traced.grades >= 0)),
                    num_above(in_stratum & traced.relevant),
                )
            )

    @cached_property
    def expected_relevant_above(self) -> RankValues:
        """float64[n]: how many documents above each rank are expected to be relevant.

        It is the sum over the strata of d (r + 0.00001)/(m + 0.00003).
        """
        total = np.zeros(len(self.traced.grades))
        for stratum in self.strata:
            share = (stratum.relevant_above + ADDED_RELEVANT) / (
                stratum.judged_above + ADDED_JUDGED
            )
            total += stratum.pooled_above * share
        return total

    def terms(self, depth: int) -> list[Term]:
        """Each stratum with what it adds to R, and R; the factor of TRECVID's program."""
        terms: list[Term] = [
            (
                f"stratum {stratum.name}",
                stratum.relevant * stratum.weight,
                f"r N/n: {stratum.relevant} relevant of {stratum.judged} judged "
                f"of {stratum.size} in the pool",
            )
            for stratum in self.strata
        ]
        estimated_r = sum(value for _, value, _ in terms)
        terms.append(("R", estimated_r, "relevant documents expected, the sum of r N/n"))
        if self.traced.options.get("tool") == "trecvid2012" and estimated_r > depth:
            terms.append(("factor", estimated_r / depth, "R over the depth, where R is larger"))
        return terms


def _weights_of_judged(ranking: StrataRanking) -> list[Any]:
    """How many documents a judged one stands for: N/n of its stratum."""
    judged = (ranking.traced.grades >= 0).tolist()
    return [
        ranking.strata[index].weight if is_judged else None
        for index, is_judged in zip(ranking.stratum_index.tolist(), judged, strict=True)
    ]


def _counts_above_in_each(ranking: StrataRanking) -> CellsByHeading:
    """For each stratum its documents above: of the pool, judged, relevant, with strokes between."""
    columns = {}
    for stratum in ranking.strata:
        counts = (stratum.pooled_above, stratum.judged_above, stratum.relevant_above)
        by_rank = zip(*(each.tolist() for each in counts), strict=True)
        columns[f"above in {stratum.name}"] = ["/".join(map(str, each)) for each in by_rank]
    return columns


class ProbabilityRanking:
    """A ranking against judgments with inclusion probabilities."""

    def __init__(
        self, traced: TracedRanking, qrels_rows: RowIndices, topic_index: int, sample: Inclusions
    ) -> None:
        self.traced = traced
        counts, probability = mask_of_counted_rows(sample, str(traced.options.get("mtc", "sure")))
        in_topic = counts & (sample.topic == topic_index)
        relevant = in_topic & (sample.grade >= traced.level)
        self.num_judged, self.num_relevant = int(in_topic.sum()), int(relevant.sum())
        self.estimated_r = float(np.cumsum(np.append(0.0, 1 / probability[relevant]))[-1])
        """R."""
        counts_here = (qrels_rows >= 0) & counts[qrels_rows]
        self.probability = np.where(counts_here, probability[qrels_rows], np.nan)
        """float64[n]: with which the document was to be judged; NaN where it does not count."""
        self.num_judged_retrieved = int(counts_here.sum())
        is_relevant = counts_here & traced.relevant
        self.num_relevant_retrieved = int(is_relevant.sum())
        represented = np.where(is_relevant, 1 / self.probability, 0.0)
        self.relevant_above = np.concatenate(([0.0], np.cumsum(represented)))[: len(qrels_rows)]
        """float64[n]: the sum of 1/p over the relevant documents above."""

    def terms(self) -> list[Term]:
        """What is judged, what of it was retrieved, and R."""
        relevant = f"judged documents graded {self.traced.level} or higher"
        total = "relevant documents expected, the sum of 1/p over the relevant"
        return [
            ("judged", self.num_judged, "documents of the qrels that count"),
            ("judged retrieved", self.num_judged_retrieved, "of these"),
            ("relevant", self.num_relevant, relevant),
            ("relevant retrieved", self.num_relevant_retrieved, "of these"),
            ("R", self.estimated_r, total),
        ]


def _none_for_nan(values: Floats) -> list[Any]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _with_document(expected_above: Floats, ranking: StrataRanking | ProbabilityRanking) -> Any:
    """Precision: the document itself and what is expected above it, by the rank."""
    return ((1 + expected_above) / ranking.traced.rank).tolist()


OF_STRATA: dict[str, Callable[[StrataRanking], CellsByHeading]] = {
    "stratum": lambda ranking: {
        "stratum": [
            ranking.strata[index].name if index >= 0 else None
            for index in ranking.stratum_index.tolist()
        ]
    },
    "stands for": lambda ranking: {"stands for": _weights_of_judged(ranking)},
    "above in each": _counts_above_in_each,
    "expected above": lambda ranking: {"expected above": ranking.expected_relevant_above.tolist()},
    "expected precision": lambda ranking: {
        "expected precision": _with_document(ranking.expected_relevant_above, ranking)
    },
}
"""Heading -> what stands below it, where judgments are by strata."""

OF_PROBABILITIES: dict[str, Callable[[ProbabilityRanking], CellsByHeading]] = {
    "probability": lambda ranking: {"probability": _none_for_nan(ranking.probability)},
    "stands for": lambda ranking: {"stands for": _none_for_nan(1 / ranking.probability)},
    "relevant above": lambda ranking: {"relevant above": ranking.relevant_above.tolist()},
    "expected precision": lambda ranking: {
        "expected precision": _with_document(ranking.relevant_above, ranking)
    },
}
"""The same where they have inclusion probabilities."""

SampledRanking = TypeVar("SampledRanking", StrataRanking, ProbabilityRanking)


def sampled_terms(
    headings: tuple[str, ...],
    traced: TracedRanking,
    qrels_rows: RowIndices,
    topic_index: int,
    sample: Strata | Inclusions,
    depth: int,
) -> tuple[CellsByHeading, list[Term]]:
    """The columns that a record names, and the terms that hold for the whole ranking.

    Args:
        headings: what the record of the measure names.
        traced: the ranking as the measure sees it.
        qrels_rows: int64[n], the row of the qrels of each rank; -1 not in the qrels.
        topic_index: of the topic in the qrels.
        sample: how the judgments were drawn.
        depth: how many documents estimates from strata look at.
    """
    if isinstance(sample, Strata):
        in_strata = StrataRanking(traced, qrels_rows, topic_index, sample)
        return _detail_columns(headings, OF_STRATA, in_strata), in_strata.terms(depth)
    with_p = ProbabilityRanking(traced, qrels_rows, topic_index, sample)
    return _detail_columns(headings, OF_PROBABILITIES, with_p), with_p.terms()


def _detail_columns(
    headings: tuple[str, ...],
    details_of_sample: Mapping[str, Callable[[SampledRanking], CellsByHeading]],
    ranking: SampledRanking,
) -> CellsByHeading:
    """The columns of the headings: of the sample where it has them, else of the plain ranking."""
    columns: CellsByHeading = {}
    for heading in headings:
        if heading in details_of_sample:
            columns |= details_of_sample[heading](ranking)
        else:
            columns[heading] = HEADINGS[heading](ranking.traced).tolist()
    return columns
