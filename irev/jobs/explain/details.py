"""What is shown of each rank beside the value: what the formula of the measure speaks of.

A detail is a column: its heading, and its value at each rank. A measure's record says which of
them are shown; what a measure adds up is not worked out here but by the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, RankValues, RowIndices, RowMask, offsets, ratio
from irev.core.judged import Inclusions, Strata
from irev.core.record import cached_property, record
from irev.core.text import as_text
from irev.measures.families.gain import divisors_indexed_by_rank
from irev.measures.families.incomplete import SMOOTHING
from irev.measures.families.stat_ap import mask_of_counted_rows
from irev.measures.families.stratified import (
    ADDED_JUDGED,
    ADDED_RELEVANT,
    num_sampled_relevant_by_stratum,
)
from irev.measures.registry import Arguments
from irev.measures.shared import gain_values, powers_of_two

# --- What is shown of each rank beside the value: what the formula of the measure speaks of ---


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


# --- What is shown of each rank where the judgments are a sample ---
# As in `irev.jobs.explain.details`, columns and facts say what the formula of the measure speaks
# of; the record of a measure names them. A module of its own since it loads measures of samples,
# which other explanations do without.


JudgmentSample: TypeAlias = Strata | Inclusions
SampledRanking = TypeVar("SampledRanking")
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
        relevant = num_sampled_relevant_by_stratum(sample, traced.level)
        self.strata = [
            TopicStratum(
                as_text(sample.names[first + stratum_index]),
                int(sample.size[first + stratum_index]),
                int(sample.judged[first + stratum_index]),
                int(relevant[first + stratum_index]),
                *self._pooled_judged_relevant_above(stratum_index),
            )
            for stratum_index in range(after - first)
        ]

    def _pooled_judged_relevant_above(self, stratum_index: int) -> tuple[Ints, Ints, Ints]:
        in_stratum = self.stratum_index == stratum_index
        return (
            _num_true_above(in_stratum),
            _num_true_above(in_stratum & (self.traced.grades >= 0)),
            _num_true_above(in_stratum & self.traced.relevant),
        )

    @cached_property
    def expected_relevant_above(self) -> RankValues:
        """float64[n]: how many documents above each rank are expected to be relevant."""
        total = np.zeros(len(self.traced.grades))
        for stratum in self.strata:
            share = (stratum.relevant_above + ADDED_RELEVANT) / (
                stratum.judged_above + ADDED_JUDGED
            )
            total += stratum.pooled_above * share
        return total

    @property
    def estimated_r(self) -> float:
        """R."""
        return sum(stratum.relevant * stratum.weight for stratum in self.strata)


def _num_true_above(flags: Bools) -> Ints:
    return offsets(flags)[:-1]


def _stratum_column(ranking: StrataRanking) -> CellsByHeading:
    """In which stratum the document is."""
    names = [stratum.name for stratum in ranking.strata]
    return {"stratum": [names[n] if n >= 0 else None for n in ranking.stratum_index.tolist()]}


def _weight_column(ranking: StrataRanking) -> CellsByHeading:
    """How many documents a judged one stands for: N/n of its stratum."""
    judged = (ranking.traced.grades >= 0).tolist()
    return {
        "stands for": [
            ranking.strata[index].weight if is_judged else None
            for index, is_judged in zip(ranking.stratum_index.tolist(), judged, strict=True)
        ]
    }


def _counts_above_columns(ranking: StrataRanking) -> CellsByHeading:
    """For each stratum its documents above: of the pool, judged, relevant, with strokes between."""
    return {
        f"above in {stratum.name}": [
            "/".join(map(str, counts))
            for counts in zip(
                stratum.pooled_above.tolist(), stratum.judged_above.tolist(),
                stratum.relevant_above.tolist(), strict=True,
            )
        ]
        for stratum in ranking.strata
    }  # fmt: skip


def _expected_relevant_above_column(ranking: StrataRanking) -> CellsByHeading:
    """The sum over the strata of d (r + 0.00001)/(m + 0.00003)."""
    return {"expected above": ranking.expected_relevant_above.tolist()}


def _expected_precision_column(ranking: StrataRanking) -> CellsByHeading:
    """The document itself and what is expected above it, by the rank."""
    return {
        "expected precision": ((1 + ranking.expected_relevant_above) / ranking.traced.rank).tolist()
    }


def _strata_terms(ranking: StrataRanking, depth: int) -> list[Term]:
    """Each stratum with what it adds to R, and R; the factor of TRECVID's program."""
    terms: list[Term] = [
        (
            f"stratum {stratum.name}",
            stratum.relevant * stratum.weight,
            f"r N/n: {stratum.relevant} relevant of {stratum.judged} judged "
            f"of {stratum.size} in the pool",
        )
        for stratum in ranking.strata
    ]
    terms.append(("R", ranking.estimated_r, "relevant documents expected, the sum of r N/n"))
    if ranking.traced.options.get("tool") == "trecvid2012" and ranking.estimated_r > depth:
        terms.append(("factor", ranking.estimated_r / depth, "R over the depth, where R is larger"))
    return terms


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
        """float64[n]: NaN where the document does not count."""
        self.num_judged_retrieved = int(counts_here.sum())
        is_relevant = counts_here & traced.relevant
        self.num_relevant_retrieved = int(is_relevant.sum())
        represented = np.where(is_relevant, 1 / self.probability, 0.0)
        self.relevant_above = np.concatenate(([0.0], np.cumsum(represented)))[: len(qrels_rows)]
        """float64[n]: the sum of 1/p over the relevant documents above."""


def _probability_column(ranking: ProbabilityRanking) -> CellsByHeading:
    """With which the document was to be judged."""
    return {"probability": _none_for_nan(ranking.probability)}


def _inverse_probability_column(ranking: ProbabilityRanking) -> CellsByHeading:
    """How many documents it stands for: 1/p."""
    return {"stands for": _none_for_nan(1 / ranking.probability)}


def _relevant_above_column(ranking: ProbabilityRanking) -> CellsByHeading:
    """The sum of 1/p over the relevant documents above."""
    return {"relevant above": ranking.relevant_above.tolist()}


def _weighted_precision_column(ranking: ProbabilityRanking) -> CellsByHeading:
    """The document itself and the relevant ones above it, by the rank."""
    return {"expected precision": ((1 + ranking.relevant_above) / ranking.traced.rank).tolist()}


def _none_for_nan(values: Floats) -> list[Any]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _probability_terms(ranking: ProbabilityRanking) -> list[Term]:
    return [
        ("judged", ranking.num_judged, "documents of the qrels that count"),
        ("judged retrieved", ranking.num_judged_retrieved, "of these"),
        (
            "relevant",
            ranking.num_relevant,
            f"judged documents graded {ranking.traced.level} or higher",
        ),
        ("relevant retrieved", ranking.num_relevant_retrieved, "of these"),
        ("R", ranking.estimated_r, "relevant documents expected, the sum of 1/p over the relevant"),
    ]


OF_STRATA: dict[str, Callable[[StrataRanking], CellsByHeading]] = {
    "stratum": _stratum_column,
    "stands for": _weight_column,
    "above in each": _counts_above_columns,
    "expected above": _expected_relevant_above_column,
    "expected precision": _expected_precision_column,
}
"""Heading -> what stands below it, where judgments are by strata."""

OF_PROBABILITIES: dict[str, Callable[[ProbabilityRanking], CellsByHeading]] = {
    "probability": _probability_column,
    "stands for": _inverse_probability_column,
    "relevant above": _relevant_above_column,
    "expected precision": _weighted_precision_column,
}
"""The same where they have inclusion probabilities."""


def sampled_terms(
    headings: tuple[str, ...],
    traced: TracedRanking,
    qrels_rows: RowIndices,
    topic_index: int,
    sample: JudgmentSample,
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
        columns = _detail_columns(headings, OF_STRATA, in_strata, traced)
        return columns, _strata_terms(in_strata, depth)
    with_p = ProbabilityRanking(traced, qrels_rows, topic_index, sample)
    columns = _detail_columns(headings, OF_PROBABILITIES, with_p, traced)
    return columns, _probability_terms(with_p)


def _detail_columns(
    headings: Sequence[str],
    details_of_sample: Mapping[str, Callable[[SampledRanking], CellsByHeading]],
    ranking: SampledRanking,
    traced: TracedRanking,
) -> CellsByHeading:
    """The columns of the headings: of the sample where it has them, else of the plain ranking."""
    columns: CellsByHeading = {}
    for heading in headings:
        if heading in details_of_sample:
            columns |= details_of_sample[heading](ranking)
        else:
            columns[heading] = HEADINGS[heading](traced).tolist()
    return columns
