"""What is shown of each rank where the judgments are a sample: strata, or inclusion probabilities.

As in `irev.jobs.explain.details`, columns and facts say what the formula of the measure speaks of;
the record of a measure names them. A module of its own since it loads measures of samples, which
other explanations do without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, RankValues, RowIndices, offsets
from irev.core.judged import Inclusions, Strata
from irev.core.record import cached_property, record
from irev.core.text import as_text
from irev.jobs.explain.details import HEADINGS, CellsByHeading, TracedRanking
from irev.measures.families.stat_ap import mask_of_counted_rows
from irev.measures.families.stratified import (
    ADDED_JUDGED,
    ADDED_RELEVANT,
    num_sampled_relevant_by_stratum,
)

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
