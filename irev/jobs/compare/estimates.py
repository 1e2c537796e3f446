"""The prediction-powered estimates of runs and of their differences, for a measure and a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.core.record import record
from irev.core.wording import count_text, list_beginning
from irev.errors import MismatchError, UsageError
from irev.jobs.compare.contrasts import pairs_of, towards
from irev.measures.naming.result_columns import lower_is_better, mean_bounds
from irev.statistics.differences import RunPairs, pair_differences
from irev.statistics.letters import order_by_mean
from irev.statistics.methods import correct_p
from irev.statistics.prediction_powered import PoweredMeans, TwiceJudged, prediction_powered

if TYPE_CHECKING:
    from irev.jobs.compare.plan import ComparisonPlan, ModelJudgments
    from irev.scores.table import ScoreTable
    from irev.statistics.methods import Tail

LEAST_TOPICS = 10
"""With fewer topics judged by people no interval is given."""


@record
class Estimates:
    """What is estimated for S runs and P pairs under a measure.

    label            the class of topics; empty for all
    measure          its printed name
    topics           ids of the n topics judged by people, in byte order
    human            float64[n, S], by people
    model            float64[n, S], of the same topics by the model
    lower_is_better  whether lower scores are better
    order            int64[S]: the runs, the best estimate first
    run_pairs        the pairs, in the order they are shown
    means            of the runs
    pairs            of the differences, the first run minus the second
    corrected        float64[P]: the p of the pairs, corrected over all measures and classes
    """

    label: str
    measure: str
    topics: tuple[bytes, ...]
    human: Floats
    model: Floats
    lower_is_better: bool
    order: Ints
    run_pairs: RunPairs
    means: PoweredMeans
    pairs: PoweredMeans
    corrected: Floats

    @property
    def name(self) -> str:
        """The measure, and the class where there is one, as notes have them."""
        return f"{self.measure} on {self.label}" if self.label else self.measure


def places_of(human: ScoreTable, model: ScoreTable) -> Ints:
    """int64[n]: which of all topics those are that people judged."""
    place = {topic: number for number, topic in enumerate(model.topics)}
    lacking = [topic for topic in human.topics if topic not in place]
    if lacking:
        raise MismatchError(
            f"{len(lacking)} of {len(human.topics)} topics judged by people are not in the "
            f"judgments of --predicted: {list_beginning(lacking)}"
        )
    n, more = len(human.topics), len(model.topics) - len(human.topics)
    if n < LEAST_TOPICS:
        raise UsageError(f"--predicted needs {LEAST_TOPICS} topics judged by people; there are {n}")
    if more < 2:
        raise UsageError(
            f"--predicted needs two topics that the model alone judged; there are {more}: compare "
            "without --predicted"
        )
    return np.array([place[topic] for topic in human.topics])


def estimated(
    human: ScoreTable,
    model: ScoreTable,
    of_human: Ints,
    plan: ComparisonPlan,
    judgments: ModelJudgments,
) -> tuple[list[Estimates], list[str]]:
    """The estimates on all topics, then on each class that has enough; and notes."""
    if len(human.runs) < 2:
        raise UsageError("comparing runs needs at least two runs")
    strata = _strata(model, of_human)
    groups = [("", list(strata.values()))]
    notes = []
    for name, chosen in strata.items() if len(strata) > 1 else ():
        n = int(np.count_nonzero(chosen[of_human]))
        if n < LEAST_TOPICS or int(np.count_nonzero(chosen)) - n < 2:
            notes.append(
                f"the class {name} has no estimate of its own: {n} of its "
                f"{count_text(int(np.count_nonzero(chosen)), 'topic')} are judged by people"
            )
        else:
            groups.append((name, [chosen]))
    pairs = len(pairs_of(human, np.arange(len(human.runs)), plan))
    hypotheses = pairs * len(groups) * len(human.measure_names)
    found = [
        _of_measure(label, at, chosen, (human, model, of_human), plan, judgments, hypotheses)
        for label, chosen in groups
        for at in range(len(human.columns))
    ]
    corrected = correct_p(
        np.minimum(1.0, np.concatenate([each.pairs.p for each in found])), plan.correction
    )
    ends = np.cumsum([len(each.run_pairs) for each in found])[:-1]
    parts = np.split(corrected, ends)
    return [replace(e, corrected=p) for e, p in zip(found, parts, strict=True)], notes


def _strata(model: ScoreTable, of_human: Ints) -> dict[str, Bools]:
    """Class -> bool[N]; one without a name where topics have no classes."""
    if model.classes is None:
        return {"": np.ones(len(model.topics), bool)}
    times = np.count_nonzero(list(model.classes.values()), axis=0).tolist()
    odd = [t for t, count in zip(model.topics, times, strict=True) if count != 1]
    if odd:
        raise UsageError(
            "--predicted takes classes for strata: each topic must be in one class, unlike "
            f"{list_beginning(odd)}"
        )
    for name, mask in model.classes.items():
        n = int(np.count_nonzero(mask[of_human]))
        if n < 2:
            raise UsageError(
                f"--predicted needs two topics of each class judged by people; {name} has {n}"
            )
    return dict(model.classes)


def _of_measure(
    label: str,
    at: int,
    strata: Sequence[Bools],
    scores: tuple[ScoreTable, ScoreTable, Ints],
    plan: ComparisonPlan,
    judgments: ModelJudgments,
    hypotheses: int,
) -> Estimates:
    """The estimates under a measure, given its number, p not corrected.

    Its name may be another by the model: a scale may end at the highest grade.
    """
    people, models, of_human = scores
    column, x, f = people.columns[at], people.values[at], models.values[at]
    alone = np.ones(len(f), bool)
    alone[of_human] = False
    is_lower_better = lower_is_better(column)

    def powered(x: Floats, f: Floats, alpha: float, tail: Tail) -> PoweredMeans:
        parts = [
            TwiceJudged(x[mask[of_human]], f[of_human[mask[of_human]]], f[mask & alone])
            for mask in strata
        ]
        return prediction_powered(
            parts, weight=judgments.model_weight, target=judgments.predicted_target,
            level=1 - alpha, tail=tail,
        )  # fmt: skip

    means = powered(x, f, plan.alpha, "two-sided")
    order = order_by_mean(means.mean * (-1 if is_lower_better else 1))
    family = pairs_of(people, order, plan)
    alpha = plan.alpha / hypotheses if plan.of_differences == "bonferroni" else plan.alpha
    pairs = powered(
        pair_differences(x, family),
        pair_differences(f, family),
        alpha,
        towards(plan, is_lower_better).tail,
    )
    low, high = mean_bounds(column, x)
    means, pairs = _cut(means, low, high), _cut(pairs, low - high, high - low)
    chosen = np.any(strata, axis=0)[of_human]
    topics = tuple(t for t, kept in zip(people.topics, chosen.tolist(), strict=True) if kept)
    return Estimates(
        label, column.name, topics, x[chosen], f[of_human[chosen]], is_lower_better, order, family,
        means, pairs, pairs.p,
    )  # fmt: skip


def _cut(found: PoweredMeans, low: float, high: float) -> PoweredMeans:
    """The same with intervals that end at the range of what is estimated; endless ends stay so."""

    def at_least(ends: Floats) -> Floats:
        return np.where(np.isinf(ends), ends, np.maximum(ends, low))

    def at_most(ends: Floats) -> Floats:
        return np.where(np.isinf(ends), ends, np.minimum(ends, high))

    return replace(
        found, low=at_least(found.low), high=at_most(found.high),
        people_low=at_least(found.people_low), people_high=at_most(found.people_high),
    )  # fmt: skip
