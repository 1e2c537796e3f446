"""What is shown of each rank where the judgments are a sample: strata, or inclusion probabilities.

As in `irev.jobs.explain.details`, columns and facts say what the formula of the measure speaks of;
the record of a measure names them. A module of its own since it loads measures of samples, which
other explanations do without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, offsets
from irev.core.record import cached_property, record
from irev.core.text import as_text
from irev.core.views import Inclusions, Strata
from irev.jobs.explain.details import HEADINGS, Traced
from irev.measures.families.stat_ap import counted_rows
from irev.measures.families.strata_estimates import ADDED_JUDGED, ADDED_RELEVANT, sampled_relevant

Sample: TypeAlias = Strata | Inclusions
Columns: TypeAlias = dict[str, list[Any]]
"""Heading -> a cell for each rank; None: nothing can be said of the document."""
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


class InStrata:
    """A ranking against judgments by strata."""

    def __init__(self, of: Traced, row: Ints, topic: int, sample: Strata) -> None:
        self.of = of
        first, after = sample.start[topic : topic + 2].tolist()
        self.number = np.where(row >= 0, sample.stratum_of_row[row] - first, -1)
        relevant = sampled_relevant(sample, of.level)
        self.strata = [
            TopicStratum(
                as_text(sample.names[first + number]),
                int(sample.size[first + number]),
                int(sample.judged[first + number]),
                int(relevant[first + number]),
                *self._above(number),
            )
            for number in range(after - first)
        ]

    def _above(self, number: int) -> tuple[Ints, Ints, Ints]:
        mine = self.number == number
        return _above(mine), _above(mine & (self.of.grade >= 0)), _above(mine & self.of.relevant)

    @cached_property
    def expected_above(self) -> Floats:
        """float64[n]: how many documents above each rank are expected to be relevant."""
        total = np.zeros(len(self.of.grade))
        for stratum in self.strata:
            share = (stratum.relevant_above + ADDED_RELEVANT) / (
                stratum.judged_above + ADDED_JUDGED
            )
            total += stratum.pooled_above * share
        return total

    @property
    def estimated(self) -> float:
        """R."""
        return sum(stratum.relevant * stratum.weight for stratum in self.strata)


def _above(flags: Bools) -> Ints:
    return offsets(flags)[:-1]


def _stratum(of: InStrata) -> Columns:
    """In which stratum the document is."""
    names = [stratum.name for stratum in of.strata]
    return {"stratum": [names[n] if n >= 0 else None for n in of.number.tolist()]}


def _by_weight(of: InStrata) -> Columns:
    """How many documents a judged one stands for: N/n of its stratum."""
    judged = (of.of.grade >= 0).tolist()
    return {
        "stands for": [
            of.strata[n].weight if is_judged else None
            for n, is_judged in zip(of.number.tolist(), judged, strict=True)
        ]
    }


def _counts(of: InStrata) -> Columns:
    """For each stratum its documents above: of the pool, judged, relevant, with strokes between."""
    return {
        f"above in {stratum.name}": [
            "/".join(map(str, counts))
            for counts in zip(
                stratum.pooled_above.tolist(), stratum.judged_above.tolist(),
                stratum.relevant_above.tolist(), strict=True,
            )
        ]
        for stratum in of.strata
    }  # fmt: skip


def _expected_above(of: InStrata) -> Columns:
    """The sum over the strata of d (r + 0.00001)/(m + 0.00003)."""
    return {"expected above": of.expected_above.tolist()}


def _expected_precision(of: InStrata) -> Columns:
    """The document itself and what is expected above it, by the rank."""
    return {"expected precision": ((1 + of.expected_above) / of.of.rank).tolist()}


def _terms_of_strata(of: InStrata, depth: int) -> list[Term]:
    """Each stratum with what it adds to R, and R; the factor of TRECVID's program."""
    terms: list[Term] = [
        (
            f"stratum {stratum.name}",
            stratum.relevant * stratum.weight,
            f"r N/n: {stratum.relevant} relevant of {stratum.judged} judged "
            f"of {stratum.size} in the pool",
        )
        for stratum in of.strata
    ]
    terms.append(("R", of.estimated, "relevant documents expected, the sum of r N/n"))
    if of.of.options.get("tool") == "trecvid2012" and of.estimated > depth:
        terms.append(("factor", of.estimated / depth, "R over the depth, where R is larger"))
    return terms


class WithProbabilities:
    """A ranking against judgments with inclusion probabilities."""

    def __init__(self, of: Traced, row: Ints, topic: int, sample: Inclusions) -> None:
        self.of = of
        counts, probability = counted_rows(sample, str(of.options.get("mtc", "sure")))
        mine = counts & (sample.topic == topic)
        relevant = mine & (sample.grade >= of.level)
        self.num_judged, self.num_rel = int(mine.sum()), int(relevant.sum())
        self.estimated = float(np.cumsum(np.append(0.0, 1 / probability[relevant]))[-1])
        """R."""
        known = (row >= 0) & counts[row]
        self.probability = np.where(known, probability[row], np.nan)
        """float64[n]: NaN where the document does not count."""
        self.num_judged_found = int(known.sum())
        is_relevant = known & of.relevant
        self.num_found = int(is_relevant.sum())
        standing = np.where(is_relevant, 1 / self.probability, 0.0)
        self.relevant_above = np.concatenate(([0.0], np.cumsum(standing)))[: len(row)]
        """float64[n]: the sum of 1/p over the relevant documents above."""


def _probability(of: WithProbabilities) -> Columns:
    """With which the document was to be judged."""
    return {"probability": _known(of.probability)}


def _by_probability(of: WithProbabilities) -> Columns:
    """How many documents it stands for: 1/p."""
    return {"stands for": _known(1 / of.probability)}


def _relevant_above(of: WithProbabilities) -> Columns:
    """The sum of 1/p over the relevant documents above."""
    return {"relevant above": of.relevant_above.tolist()}


def _precision(of: WithProbabilities) -> Columns:
    """The document itself and the relevant ones above it, by the rank."""
    return {"expected precision": ((1 + of.relevant_above) / of.of.rank).tolist()}


def _known(values: Floats) -> list[Any]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _terms_of_probabilities(of: WithProbabilities) -> list[Term]:
    return [
        ("judged", of.num_judged, "documents of the qrels that count"),
        ("judged retrieved", of.num_judged_found, "of these"),
        ("relevant", of.num_rel, f"judged documents graded {of.of.level} or higher"),
        ("relevant retrieved", of.num_found, "of these"),
        ("R", of.estimated, "relevant documents expected, the sum of 1/p over the relevant"),
    ]


OF_STRATA: dict[str, Callable[[InStrata], Columns]] = {
    "stratum": _stratum,
    "stands for": _by_weight,
    "above in each": _counts,
    "expected above": _expected_above,
    "expected precision": _expected_precision,
}
"""Heading -> what stands below it, where judgments are by strata."""

OF_PROBABILITIES: dict[str, Callable[[WithProbabilities], Columns]] = {
    "probability": _probability,
    "stands for": _by_probability,
    "relevant above": _relevant_above,
    "expected precision": _precision,
}
"""The same where they have inclusion probabilities."""


def sampled_terms(
    shows: tuple[str, ...], of: Traced, row: Ints, topic: int, sample: Sample, depth: int
) -> tuple[Columns, list[Term]]:
    """The columns that a record names, and the terms that hold for the whole ranking.

    Args:
        shows: what the record of the measure names.
        of: the ranking as the measure sees it.
        row: int64[n], the row of the qrels of each rank; -1 not in the qrels.
        topic: the number of the topic in the qrels.
        sample: how the judgments were drawn.
        depth: how many documents estimates from strata look at.
    """
    columns: Columns = {}
    if isinstance(sample, Strata):
        in_strata = InStrata(of, row, topic, sample)
        for name in shows:
            columns |= OF_STRATA[name](in_strata) if name in OF_STRATA else _plain(name, of)
        return columns, _terms_of_strata(in_strata, depth)
    with_p = WithProbabilities(of, row, topic, sample)
    for name in shows:
        columns |= OF_PROBABILITIES[name](with_p) if name in OF_PROBABILITIES else _plain(name, of)
    return columns, _terms_of_probabilities(with_p)


def _plain(name: str, of: Traced) -> Columns:
    return {name: HEADINGS[name](of).tolist()}
