"""The prediction-powered estimates of runs and of their differences, for a measure and a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RunOrPairValues,
    TopicIndices,
    TopicMask,
    TopicsByRunsOrPairs,
)
from irev.core.record import record
from irev.core.wording import count_text, list_beginning
from irev.errors import MismatchError, UsageError
from irev.jobs.compare.contrasts import (
    compared_pairs,
    difference_alpha,
    swap_tail_if_lower_is_better,
)
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite
from irev.statistics.differences import RunPairs, pair_differences
from irev.statistics.families import order_by_mean
from irev.statistics.intervals import Intervals, fit_to_range
from irev.statistics.methods import correct_p
from irev.statistics.prediction_powered import PoweredMeans, TwiceJudged, prediction_powered

if TYPE_CHECKING:
    from irev.jobs.compare.options import CompareOptions
    from irev.scores.table import ScoreTable
    from irev.statistics.methods import Tail

LEAST_TOPICS = 10
"""With fewer topics judged by people no interval is given."""


@record
class Estimates:
    """What is estimated for S runs and P pairs under a measure.

    class_name       the class of topics; empty for all
    measure          its printed name
    topics           ids of the n topics judged by people, in byte order
    human_scores     float64[n, S], by people
    model_scores     float64[n, S], of the same topics by the model
    lower_is_better  whether lower scores are better
    run_order        int64[S]: the runs, the best estimate first
    run_pairs        the pairs, in the order they are shown
    means            of the runs
    pairs            of the differences, the first run minus the second
    corrected        float64[P]: the p of the pairs, corrected over all measures and classes
    """

    class_name: str
    measure: str
    topics: tuple[bytes, ...]
    human_scores: Floats
    model_scores: Floats
    lower_is_better: bool
    run_order: Ints
    run_pairs: RunPairs
    means: PoweredMeans
    pairs: PoweredMeans
    corrected: Floats

    @property
    def name(self) -> str:
        """The measure, and the class where there is one, as notes have them."""
        return f"{self.measure} on {self.class_name}" if self.class_name else self.measure


class TwiceScored(NamedTuple):
    """The scores by people and by the model, and which topics of the model people judged."""

    human: ScoreTable
    model: ScoreTable
    human_indices: Ints


def human_topic_indices(human: ScoreTable, model: ScoreTable) -> TopicIndices:
    """int64[n]: which of all topics those are that people judged."""
    place = {topic: number for number, topic in enumerate(model.topics)}
    lacking = [topic for topic in human.topics if topic not in place]
    if lacking:
        raise MismatchError(
            f"{len(lacking)} of {count_text(len(human.topics), 'topic')} judged by people are "
            "not in the "
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


def estimate_measures(
    human: ScoreTable, model: ScoreTable, human_indices: TopicIndices, options: CompareOptions
) -> tuple[list[Estimates], list[str]]:
    """The estimates on all topics, then on each class that has enough; and notes on classes."""
    if len(human.runs) < 2:
        raise UsageError("comparing runs needs at least two runs")
    strata = _strata_by_class(model, human_indices)
    parts = [("", list(strata.values()))]
    notes = []
    for name, topic_mask in strata.items() if len(strata) > 1 else ():
        n = int(np.count_nonzero(topic_mask[human_indices]))
        num_topics = int(np.count_nonzero(topic_mask))
        if n < LEAST_TOPICS or num_topics - n < 2:
            notes.append(
                f"the class {name} has no estimate of its own: {n} of its "
                f"{count_text(num_topics, 'topic')} are judged by people"
            )
        else:
            parts.append((name, [topic_mask]))
    num_pairs = len(compared_pairs(human, np.arange(len(human.runs)), options))
    num_hypotheses = num_pairs * len(parts) * len(human.measure_names)
    scores = TwiceScored(human, model, human_indices)
    estimates = [
        _measure_estimates(class_name, column_index, masks, scores, options, num_hypotheses)
        for class_name, masks in parts
        for column_index in range(len(human.columns))
    ]
    corrected_p = correct_p(
        np.minimum(1.0, np.concatenate([each.pairs.p for each in estimates])), options.correction
    )
    ends = np.cumsum([len(each.run_pairs) for each in estimates])[:-1]
    p_parts = np.split(corrected_p, ends)
    return [replace(e, corrected=p) for e, p in zip(estimates, p_parts, strict=True)], notes


def _strata_by_class(model: ScoreTable, human_indices: TopicIndices) -> dict[str, TopicMask]:
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
        n = int(np.count_nonzero(mask[human_indices]))
        if n < 2:
            raise UsageError(
                f"--predicted needs two topics of each class judged by people; {name} has {n}"
            )
    return dict(model.classes)


def _measure_estimates(
    class_name: str,
    column_index: int,
    strata: Sequence[TopicMask],
    scores: TwiceScored,
    options: CompareOptions,
    num_hypotheses: int,
) -> Estimates:
    """The estimates under a measure, given its number, p not corrected.

    Its name may be another by the model: a scale may end at the highest grade.
    """
    human, human_indices = scores.human, scores.human_indices
    column = human.columns[column_index]
    by_people, by_model = human.values[column_index], scores.model.values[column_index]
    model_alone = np.ones(len(by_model), bool)
    model_alone[human_indices] = False
    is_lower_better = lower_is_better(column)

    def estimate(
        by_people: TopicsByRunsOrPairs, by_model: TopicsByRunsOrPairs, alpha: float, tail: Tail
    ) -> PoweredMeans:
        parts = []
        for mask in strata:
            is_human = mask[human_indices]
            of_both = by_model[human_indices[is_human]]
            parts.append(TwiceJudged(by_people[is_human], of_both, by_model[mask & model_alone]))
        return prediction_powered(
            parts, weight=options.model_weight, target=options.predicted_target,
            level=1 - alpha, tail=tail,
        )  # fmt: skip

    means = estimate(by_people, by_model, options.alpha, "two-sided")
    run_order = order_by_mean(means.mean * (-1 if is_lower_better else 1))
    pairs = compared_pairs(human, run_order, options)
    differences = estimate(
        pair_differences(by_people, pairs), pair_differences(by_model, pairs),
        difference_alpha(options, num_hypotheses),
        swap_tail_if_lower_is_better(options, is_lower_better).tail,
    )  # fmt: skip
    low, high = mean_bounds_or_infinite(column, by_people)
    means = _fit_estimates_to_range(means, low, high, options.alpha)
    differences = _fit_estimates_to_range(
        differences, low - high, high - low, difference_alpha(options, num_hypotheses),
        are_differences=True,
    )  # fmt: skip
    is_human = np.any(strata, axis=0)[human_indices]
    topics = tuple(t for t, keep in zip(human.topics, is_human.tolist(), strict=True) if keep)
    return Estimates(
        class_name, column.name, topics, by_people[is_human], by_model[human_indices[is_human]],
        is_lower_better, run_order, pairs, means, differences, differences.p,
    )  # fmt: skip


def _fit_estimates_to_range(
    estimates: PoweredMeans, low: float, high: float, alpha: float, *, are_differences: bool = False
) -> PoweredMeans:
    """The same with intervals that end at the range of what is estimated; endless ends stay so.

    Where nothing varied they are exact for so many topics as people judged. Differences that are
    all 0 stay 0.
    """

    def fitted(
        mean: RunOrPairValues, se: RunOrPairValues, ends: tuple[RunOrPairValues, RunOrPairValues]
    ) -> Intervals:
        is_constant = (se == 0) & ~(are_differences & (mean == 0))
        level, num_judged = 1 - alpha, estimates.num_judged
        return fit_to_range(Intervals(mean, *ends, level, num_judged, is_constant), low, high)

    powered = fitted(estimates.mean, estimates.se, (estimates.low, estimates.high))
    people = fitted(
        estimates.people, estimates.people_se, (estimates.people_low, estimates.people_high)
    )
    return replace(
        estimates, low=powered.low, high=powered.high, people_low=people.low,
        people_high=people.high,
    )  # fmt: skip
