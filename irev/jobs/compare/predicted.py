"""Runs compared with the judgments of people on some topics and those of a model on all.

The measure of a topic is the unit: every run is scored on whole topics twice, once under each
judgments; see `irev.statistics.prediction_powered` for what is made of it. From top to bottom: how
runs are scored twice, what is estimated of them, where assumptions fail, the result, its document.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    RunOrPairValues,
    TopicIndices,
    TopicMask,
    TopicsByRunsOrPairs,
)
from irev.core.judged import Input
from irev.core.record import cached_property, record
from irev.core.text import as_text, count_text, list_beginning
from irev.core.workers import default_threads
from irev.engine.prepared_judgments import read_judgments
from irev.engine.run_files import expand_folders
from irev.engine.score_runs import judged_table, score_runs
from irev.errors import GENERAL_NOTE, MismatchError, Notice, UsageError, note
from irev.jobs.compare.comparison import (
    ComparedRuns,
    CompareOptions,
    compared_pairs,
    correct_together,
    difference_alpha,
    score_notes,
    swap_tail_if_lower_is_better,
    verdict_facts,
)
from irev.jobs.compare.document import (
    TAILS,
    BriefContrast,
    data_of_choices_and_runs,
    interval_lines,
    rows_by_contrast,
    tables_of_means,
    verdict_lines,
    with_short_names,
)
from irev.jobs.score_job import watch_runs
from irev.measures.naming.resolve import lower_is_better, mean_bounds_or_infinite, takes_gains
from irev.options import Options, ScoringOptions
from irev.read.formats import GRADED
from irev.read.inputs import path_of, rewindable
from irev.scores.scores import MISSING_TOPIC
from irev.scores.signature import SHORT_HASH, ComparisonSignature, comparison_signature
from irev.scores.table import ScoreTable
from irev.statistics.correlation import second_judge_favour_by_run
from irev.statistics.differences import RunPairs, Tail, order_by_gain, pair_differences
from irev.statistics.families import order_by_mean
from irev.statistics.intervals import Intervals, fit_to_range
from irev.statistics.methods import CORRECTIONS
from irev.statistics.prediction_powered import PoweredMeans, TwiceJudged, prediction_powered
from irev.statistics.verdicts import Evidence, PairVerdict, verdict_of
from irev.writers.document import (
    MARK,
    Document,
    Head,
    Heading,
    Lines,
    Part,
    Records,
    Row,
    ShownField,
    finite_or_none,
    p_text,
    records_of,
    signature_data,
    table_of_rows,
)

_LEAST_JUDGED = 0.5
"""People who judged a smaller share of what the model judged did not judge whole topics."""


def compare_predicted(
    qrels_or_table: Input | ScoreTable | None,
    runs: Input,
    measures: object,
    options: CompareOptions,
) -> PredictedComparison:
    """Compare runs as `irev.compare` does, with a model's judgments of all topics.

    Args:
        qrels_or_table: the judgments of people, on a random sample of the topics; None where all
            runs are saved scores by people, or a table of these: `predicted` is then such scores
            by the model.
        runs: runs, each read twice; or saved scores.
        measures: names as `evaluate` takes them.
        options: the choices. Its classes of topics are strata: every topic is in one of them.

    Raises:
        UsageError: people judged less than half of what the model judged of the first documents;
            too few topics, or an option that makes no sense.
    """
    scale_warnings: Iterable[Notice] = ()
    options = options.replace(predicted=rewindable(options.predicted))  # it is read twice
    if qrels_or_table is None or isinstance(qrels_or_table, ScoreTable):
        human, model = _read_scores_of_both(qrels_or_table, runs, measures, options)
    else:
        qrels = rewindable(qrels_or_table)
        human, model = _score_by_both(qrels, runs, measures, options)
        scale_warnings = highest_grade_warnings(qrels, options, human)
    # scores of people who judged a part of the documents are no scores by people
    by_people, by_model = human.share_judged, model.share_judged
    if by_people is not None and by_model is not None and by_people < _LEAST_JUDGED * by_model:
        raise UsageError(
            f"people judged {by_people:.0%} of the first 10 documents of the runs, the model "
            f"{by_model:.0%}: scores would count what people did not judge as not relevant. "
            "--predicted here needs topics that people judged as far down as the model. If people "
            "judged a random sample of the documents, give their strata: -R strata"
        )
    human_indices = human_topic_indices(human, model)
    estimates, class_notes = estimate_measures(human, model, human_indices, options)
    # what people did not judge the model did
    human_warnings = [each for each in human.doubts if each.kind != "unjudged-topic"]
    model_warnings = [each for each in model.doubts if each.kind != MISSING_TOPIC]
    warnings = (
        *join_notices(human_warnings, model_warnings),
        *nonrandom_sample_warnings(human, model, human_indices, estimates),
        *(each for of in estimates for each in heap_warnings(of, human.run_names)),
        *favoured_run_warnings(human, estimates, options.alpha),
        *scale_warnings,
    )
    lines = [*join_notices(human.notes, model.notes), *score_notes(human, options)]
    # a measure that takes gains from grades may have another scale
    for one, other in zip(human.measure_names, model.measure_names, strict=True):
        if one != other:
            lines.append(
                f"{one} is {other} by the model's judgments: name the scale, so that both use the "
                "same one"
            )
    lines += class_notes
    for each in estimates:
        lines += few_topics_and_no_gain_notes(each)
    notices = (*warnings, *map(note, dict.fromkeys(lines)))
    return PredictedComparison(human, model, options, tuple(estimates), warnings=notices)


def _score_by_both(
    qrels: Input, runs: Input, measures: object, options: CompareOptions
) -> tuple[ScoreTable, ScoreTable]:
    """The scores of runs by the judgments of people, and by those of the model."""
    if isinstance(runs, Mapping):
        runs = {name: rewindable(run) for name, run in runs.items()}
    elif not isinstance(runs, str | os.PathLike):
        runs = [rewindable(run) for run in runs]
        if "-" in map(path_of, runs):
            raise UsageError("standard input (-) cannot be read twice: give the runs as files")
    human = score_runs(qrels, runs, measures, options, watch=watch_runs)
    if any(run.is_saved for run in human.runs):
        raise UsageError(
            "--predicted with QRELS needs runs: saved scores by people stand without QRELS, and "
            "--predicted then takes such scores by the model"
        )
    model = score_runs(options.predicted, runs, measures, options.model_options(), watch=watch_runs)
    return human, model


def _read_scores_of_both(
    table: ScoreTable | None, runs: Input, measures: object, options: CompareOptions
) -> tuple[ScoreTable, ScoreTable]:
    """The scores of runs that people gave, and those that the model gave the same runs."""
    for option, value in (
        ("--predicted-level", options.predicted_level),
        ("--predicted-map-grades", options.predicted_map_grades),
    ):
        if value:
            raise UsageError(f"{option} is of judgments, and these are scores: leave it out")
    human = score_runs(table, runs, measures, options, watch=watch_runs)
    source = options.predicted
    if isinstance(source, ScoreTable):
        model = score_runs(source, (), human.measure_names, options)
    else:
        try:
            model = score_runs(None, expand_folders(source), human.measure_names, options)
        except UsageError as error:
            raise UsageError(
                f"beside scores by people --predicted takes scores by the model: {error}"
            ) from None
    lacking = sorted({*human.run_names} - {*model.run_names})
    if lacking:
        raise MismatchError(
            f"--predicted has no scores of {list_beginning(lacking)}; its runs are "
            f"{list_beginning(model.run_names)}"
        )
    return human, judged_table(model, human.run_names, (), options.base_record(Options))


# --- What is estimated of runs and of their differences, for a measure and a class of topics ---


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
    num_differing    int64[P]: of how many topics anybody's judgments tell the runs apart
    width            of the range of the measure; infinite where it has none
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
    num_differing: Ints
    width: float

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
            f"{len(lacking)} of {count_text(len(human.topics), 'topic')} judged by people are not "
            f"in the judgments of --predicted: {list_beginning(lacking)}"
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
    corrected = correct_together([each.pairs.p for each in estimates], options.correction)
    return [replace(e, corrected=p) for e, p in zip(estimates, corrected, strict=True)], notes


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
            parts,
            weight=options.model_weight,
            target=options.predicted_target,
            level=1 - alpha,
            tail=tail,
        )

    means = estimate(by_people, by_model, options.alpha, "two-sided")
    run_order = order_by_mean(means.mean * (-1 if is_lower_better else 1))
    pairs = compared_pairs(human, run_order, options)
    differences = estimate(
        pair_differences(by_people, pairs),
        pair_differences(by_model, pairs),
        difference_alpha(options, num_hypotheses),
        swap_tail_if_lower_is_better(options, is_lower_better).tail,
    )
    low, high = mean_bounds_or_infinite(column, by_people)
    means = _fit_estimates_to_range(means, low, high, options.alpha)
    differences = _fit_estimates_to_range(
        differences,
        low - high,
        high - low,
        difference_alpha(options, num_hypotheses),
        are_differences=True,
    )
    is_human = np.any(strata, axis=0)[human_indices]
    topics = tuple(t for t, keep in zip(human.topics, is_human.tolist(), strict=True) if keep)
    return Estimates(
        class_name,
        column.name,
        topics,
        by_people[is_human],
        by_model[human_indices[is_human]],
        is_lower_better,
        run_order,
        pairs,
        means,
        differences,
        differences.p,
        _num_differing(by_people[is_human], by_model[np.any(strata, axis=0)], pairs),
        high - low,
    )


def _num_differing(
    by_people: TopicsByRunsOrPairs, by_model: TopicsByRunsOrPairs, pairs: RunPairs
) -> Ints:
    """int64[P]: of how many topics people's or the model's judgments tell the runs apart."""
    differ = [np.count_nonzero(pair_differences(s, pairs), axis=0) for s in (by_people, by_model)]
    num_differing: Ints = np.maximum(*differ)
    return num_differing


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
        estimates,
        low=powered.low,
        high=powered.high,
        people_low=people.low,
        people_high=people.high,
    )


# --- What can be seen of it where assumptions fail ---
# The topics judged by people must be a random sample of those that the model judged. A model that
# is biased costs width alone, but means by it alone may put runs in another order.


FEW_TOPICS = 20
"""With fewer topics judged by people, intervals may hold less than they say."""

ENOUGH_OTHERS = 20
"""With fewer topics whose score is another, intervals fall short where most scores are 0, or 1."""

FAR = 3.0
"""A distance |z| beyond this has p 0.003 if the topics judged by people are a random sample."""

NO_GAIN = 0.95
"""An interval that is wider than this share of that of people's topics was not worth the model."""

NoticeOrText = TypeVar("NoticeOrText", Notice, str)


def join_notices(
    human_notices: Sequence[NoticeOrText], model_notices: Sequence[NoticeOrText]
) -> Iterator[NoticeOrText]:
    """What is said of the scores by people's judgments, then what else of those by the model's."""
    yield from human_notices
    for each in model_notices:
        if each in human_notices:
            continue
        if isinstance(each, Notice):
            yield each._replace(message=f"by the model's judgments: {each.message}")
        else:
            yield f"by the model's judgments: {each}"


def nonrandom_sample_warnings(
    human: ScoreTable,
    model: ScoreTable,
    human_indices: TopicIndices,
    estimates: Sequence[Estimates],
) -> Iterator[Notice]:
    """What can be seen of topics that were not drawn at random."""
    hint = "the estimates are valid only if people's topics were drawn at random"
    for each in estimates:
        far = each.means.distance * (-1 if each.lower_is_better else 1)
        worst = int(np.argmax(np.abs(far)))
        if abs(far[worst]) > FAR:
            easier = "easier" if far[worst] > 0 else "harder"
            yield Notice(
                "chosen-topics",
                f"{each.name}: the topics judged by people do not look like a random sample: the "
                f"model finds them {easier} (z = {each.means.distance[worst]:.1f} for "
                f"{human.run_names[worst]})",
                hint,
            )
    ids = model.topics
    decimal = all(topic.isdigit() for topic in ids)
    order = sorted(range(len(ids)), key=lambda i: (int(ids[i]) if decimal else 0, ids[i]))
    place = np.argsort(order)[human_indices]
    if int(place.max()) - int(place.min()) + 1 == len(place):
        where = "first" if place.min() == 0 else "last" if place.max() == len(ids) - 1 else ""
        which = f"the {where} {len(place)}" if where else f"{len(place)} in a row"
        yield Notice(
            "chosen-topics",
            f"the topics judged by people are {which} of {len(ids)} in the order of their ids",
            hint,
        )


def heap_warnings(estimates: Estimates, run_names: Sequence[str]) -> Iterator[Notice]:
    """Warnings where most scores by people are 0, or 1, or most differences of two runs are 0."""
    for value in (0.0, 1.0):
        others = np.count_nonzero(estimates.human_scores != value, axis=0)
        yield from _heap_warnings(estimates, "scores of", run_names, value, others)
    by_people, by_model = (
        pair_differences(scores, estimates.run_pairs)
        for scores in (estimates.human_scores, estimates.model_scores)
    )
    differ = np.flatnonzero(by_people.any(axis=0) | by_model.any(axis=0))
    names = [
        f"{run_names[estimates.run_pairs.first[pair]]} and "
        f"{run_names[estimates.run_pairs.second[pair]]}"
        for pair in differ.tolist()
    ]
    others = np.count_nonzero(by_people[:, differ], axis=0)
    yield from _heap_warnings(estimates, "differences of", names, 0.0, others)


def _heap_warnings(
    estimates: Estimates,
    noun_phrase: Literal["scores of", "differences of"],
    run_or_pair_names: Sequence[str],
    value: float,
    num_others: Ints,
) -> Iterator[Notice]:
    """`num_others`: of how many topics the score of each is not the value."""
    n = len(estimates.topics)
    sparse = np.flatnonzero((2 * num_others < n) & (num_others < ENOUGH_OTHERS)).tolist()
    if not sparse:
        return
    fewest = int(num_others[sparse].min())
    needed = max(50, math.ceil(ENOUGH_OTHERS * n / max(fewest, 1) / 10) * 10)
    which = list_beginning([run_or_pair_names[each] for each in sparse])
    yield Notice(
        "mostly-equal",
        f"{estimates.name}: most {noun_phrase} {which} are {value:g}: with {n} topics judged by "
        "people intervals may cover less than their level",
        f"have people judge {needed} topics{'' if fewest else ' or more'}, so that about "
        f"{ENOUGH_OTHERS} are not {value:g}",
    )


def favoured_run_warnings(
    human: ScoreTable, estimates: Sequence[Estimates], alpha: float
) -> Iterator[Notice]:
    """Runs that the model favours or disfavours; of two runs the one that it favours."""
    for each in estimates:
        errors = second_judge_favour_by_run(each.human_scores, each.model_scores)
        for run in np.flatnonzero(errors.corrected <= alpha).tolist():
            favour = float(errors.favour[run]) * (-1 if each.lower_is_better else 1)
            if len(human.run_names) == 2 and favour < 0:
                continue
            verb = "favours" if favour > 0 else "disfavours"
            yield Notice(
                "favoured-run",
                f"{each.name}: the model {verb} {human.run_names[run]}: its error "
                f"differs from that of the mean run by {errors.favour[run]:+.4f} "
                f"(p {p_text(float(errors.corrected[run]))})",
                "do not order runs by the model's judgments alone",
            )


def highest_grade_warnings(
    qrels: Input, options: CompareOptions, human: ScoreTable
) -> Iterator[Notice]:
    """A warning of highest grades that differ, where gains count; a note with --max-grade."""
    if options.qrels_format not in GRADED or not any(map(takes_gains, human.columns)):
        return
    if "-" in (path_of(qrels), path_of(options.predicted)):
        return
    highest = _highest_grade(qrels, options)
    highest_by_model = _highest_grade(options.predicted, options.model_options())
    if highest != highest_by_model:
        yield Notice(
            GENERAL_NOTE if "max" in dict(options.defaults) else "other-grades",
            f"the highest grade is {highest:g} by people and {highest_by_model:g} by the model: "
            "measures with gains from grades are then on two scales; the estimates stay valid, but "
            "the intervals are wider",
            "--predicted-map-grades maps the model's grades, --max-grade names the highest",
        )


def _highest_grade(qrels: Input, options: ScoringOptions) -> float:
    threads = options.threads or default_threads()
    base = options.base_record(Options)
    judgments = read_judgments(qrels, options.qrels_format, [], base, threads)
    return float(judgments.qrels.grade.max(initial=0.0))


def few_topics_and_no_gain_notes(estimates: Estimates) -> Iterator[str]:
    """Few topics, and a model that adds nothing."""
    n = len(estimates.topics)
    if n < FEW_TOPICS:
        yield (
            f"{n} topics judged by people are few: the intervals are right only if scores are not "
            "very skewed"
        )
    wide = estimates.means.width_ratio > NO_GAIN
    if wide.any():
        r = float(estimates.means.correlation[wide].max())
        yield (
            f"{estimates.name}: the model's judgments hardly narrow the intervals of the means of "
            f"{count_text(int(wide.sum()), 'run')} (r up to {r:.2f})"
        )


# --- The result, and its rows ---


@record
class PredictedComparison(ComparedRuns):
    """Runs compared with the judgments of people on some topics and those of a model on all.

    `print` and notebooks show what `irev compare --predicted` does; `verdicts`, `means`, `pairs`
    and `by_topic` are pandas frames, `to_frame()` that of the pairs.

    table        the scores by people, on their n topics
    model_table  those by the model, on all N
    options      the choices
    estimates    for each measure, on all topics, then on each class of them
    """

    table: ScoreTable
    model_table: ScoreTable
    options: CompareOptions
    estimates: tuple[Estimates, ...]

    shown_by: ClassVar[str] = "irev.jobs.compare.predicted:predicted_document"

    def _subject(self) -> str:
        runs, measures = ", ".join(self.table.run_names), ", ".join(self.table.measure_names)
        num_judged, num_topics = len(self.table.topics), len(self.model_table.topics)
        return (
            f"{runs} by {measures} on {count_text(num_topics, 'topic')}, {num_judged} of them "
            "judged by people"
        )

    @property
    def judged_shares(self) -> tuple[float | None, float | None]:
        """Which share of the first 10 documents is judged, by people and by the model.

        The mean of the runs; None where nothing tells.
        """
        return self.table.share_judged, self.model_table.share_judged

    @property
    def num_hypotheses(self) -> int:
        """How many hypotheses are corrected together: pairs x measures (x classes + all)."""
        return sum(len(each.run_pairs) for each in self.estimates)

    @property
    def distance(self) -> float:
        """The z that is farthest from 0, of all runs and measures."""
        distances = np.concatenate([each.means.distance for each in self.estimates])
        return float(distances[np.argmax(np.abs(distances))])

    @property
    def signature(self) -> ComparisonSignature:
        """What the comparison was made of: the model's judgments are `auto`."""
        options, table = self.options, self.table
        by_model = self.model_table.runs[0]
        model_sha256 = (by_model.signature and by_model.signature.qrels) or by_model.sha256
        weight = options.model_weight
        choices: dict[str, Any] = {
            "auto": (model_sha256 or "-")[:SHORT_HASH],
            "pred": "ppi++" if weight is None else f"ppi/{weight:g}",
            "target": options.predicted_target,
            "baselines": [table.run_names[table.run_index(name)] for name in options.baselines],
            "correction": options.correction,
            "hypotheses": self.num_hypotheses,
            "alpha": options.alpha,
            "tail": options.tail,
            **({"missing": "zero"} if table.counts_missing_as_zero else {}),
        }
        if options.predicted_level is not None:
            choices["auto-level"] = options.predicted_level
        if options.predicted_map_grades:
            grades = options.predicted_map_grades
            choices["auto-grades"] = [
                f"{old}={new:g}" if isinstance(old, str) else f"{old:g}={new:g}"
                for old, new in grades
            ]
        return comparison_signature(table, choices)

    @cached_property
    def pair_verdicts(self) -> Sequence[Sequence[PairVerdict]]:
        """For each class and measure what may be said of each pair, in the order of the pairs."""
        return [list(self._verdicts_on(each)) for each in self.estimates]

    def _verdicts_on(self, estimates: Estimates) -> Iterator[PairVerdict]:
        options, names, found = self.options, self.table.run_names, estimates.pairs
        towards = -1.0 if estimates.lower_is_better else 1.0
        ends = (found.low, found.high)
        low, high = (-ends[1], -ends[0]) if estimates.lower_is_better else ends
        asked = options.difference
        for place, (first, second) in enumerate(estimates.run_pairs.places()):
            difference, error = towards * float(found.mean[place]) + 0.0, float(found.se[place])
            yield verdict_of(
                Evidence(
                    names[first],
                    names[second],
                    estimates.measure,
                    difference=difference,
                    low=float(low[place]) + 0.0,
                    high=float(high[place]) + 0.0,
                    sd=error * math.sqrt(found.num_judged),
                    num_topics=found.num_judged,
                    p=float(estimates.corrected[place]),
                    num_differing=int(estimates.num_differing[place]),
                    is_constant=error == 0 and difference != 0,
                    df=float(found.df[place]),
                    alpha=options.alpha,
                    num_hypotheses=1 if options.correction == "none" else self.num_hypotheses,
                    tail=options.tail,
                    class_name=estimates.class_name,
                    lower_is_better=estimates.lower_is_better,
                    # more topics judged by people do not make these topics more
                    width=math.inf if options.predicted_target == "topics" else estimates.width,
                    asked=None if options.predicted_target == "topics" else asked,
                    topics_are="judged by people",
                )
            )

    def mean_rows(self) -> Iterator[Row]:
        """A row for each class, measure and run, the best estimate first.

        `class`, `measure`, `run`, then as `pair_rows` has them.
        """
        missing = {entry.name: set(entry.missing) for entry in self.table.runs}
        for each in self.estimates:
            for run in each.run_order.tolist():
                name = self.table.run_names[run]
                yield {
                    "class": each.class_name,
                    "measure": each.measure,
                    "run": name,
                    **_estimate_facts(each.means, run, "mean"),
                    "missing_as_zero": len(missing[name].intersection(each.topics)),
                }

    def pair_rows(self) -> Iterator[Row]:
        """A row for each class, measure and pair.

        `class`, `measure`, `run`, `against`, `difference` with `low`, `high`, `se` and `df`,
        `human_only`, `human_only_low`, `human_only_high`, `model_only`, `width_ratio`,
        `n_effective`, `lambda`, `r`, `n` topics judged by people, `N` in all, `z_sample`; see
        `PoweredMeans`. Then `p`, `corrected` and `significant`; at the end the `verdict`, the
        `better_run`, None where none is, and its `words`.
        """
        names = self.table.run_names
        for each, verdicts in zip(self.estimates, self.pair_verdicts, strict=True):
            for place, (first, second) in enumerate(each.run_pairs.places()):
                corrected = float(each.corrected[place])
                yield {
                    "class": each.class_name,
                    "measure": each.measure,
                    "run": names[first],
                    "against": names[second],
                    **_estimate_facts(each.pairs, place, "difference"),
                    "p": float(each.pairs.p[place]),
                    "corrected": corrected,
                    "significant": corrected <= self.options.alpha,
                    **verdict_facts(verdicts[place]),
                }

    def topic_difference_rows(self) -> Iterator[Row]:
        """For each pair the topics judged by people, by their difference, gains first.

        `class`, `measure`, `run`, `against`, `topic`, `score`, `score_against`, `difference`, and
        the `model_difference` of the same topic.
        """
        names = self.table.run_names
        for each in self.estimates:
            by_people, by_model = (
                pair_differences(s, each.run_pairs) for s in (each.human_scores, each.model_scores)
            )
            for place, (first, second) in enumerate(each.run_pairs.places()):
                order = order_by_gain(by_people[:, place], lower_is_better=each.lower_is_better)
                for topic in order.tolist():
                    yield {
                        "class": each.class_name,
                        "measure": each.measure,
                        "run": names[first],
                        "against": names[second],
                        "topic": as_text(each.topics[topic]),
                        "score": float(each.human_scores[topic, first]),
                        "score_against": float(each.human_scores[topic, second]),
                        "difference": float(by_people[topic, place]),
                        "model_difference": float(by_model[topic, place]),
                    }


def _estimate_facts(estimates: PoweredMeans, index: int, estimate_name: str) -> Row:
    """The numbers of one of the estimates, the estimate itself under a name."""
    return {
        estimate_name: float(estimates.mean[index]),
        "low": float(estimates.low[index]),
        "high": float(estimates.high[index]),
        "se": float(estimates.se[index]),
        "df": float(estimates.df[index]),
        "human_only": float(estimates.people[index]),
        "human_only_low": float(estimates.people_low[index]),
        "human_only_high": float(estimates.people_high[index]),
        "model_only": float(estimates.model[index]),
        "width_ratio": float(estimates.width_ratio[index]),
        "n_effective": float(estimates.effective[index]),
        "lambda": float(estimates.weight[index]),
        "r": float(estimates.correlation[index]),
        "n": estimates.num_judged,
        "N": estimates.num_topics,
        "z_sample": float(estimates.distance[index]),
    }


# --- Its document ---


OWN_LAMBDA = (
    "each mean and each difference has its own lambda, so a difference is not exactly the "
    "difference of the two means"
)

LEGEND = (
    "human only: the mean of the topics that people judged, with its t interval",
    "model only: the mean of all topics by the model's judgments, which is not a valid estimate",
    "width: of the interval, as a share of that of human only; n_eff: how many topics judged by "
    "people would give an interval as narrow without the model",
    "lambda: how much the model's judgments count; r: the correlation of people's and the model's "
    "scores",
    OWN_LAMBDA,
)


def predicted_document(
    comparison: PredictedComparison, decimals: int = 4, *, per_topic: bool = False
) -> Document:
    """The verdicts, the means, the pairs and, if wanted, gains and losses by topic."""
    return Document(
        f"Comparison of {count_text(len(comparison.table.runs), 'run')} with predicted judgments",
        _predicted_parts(comparison, decimals, per_topic),
        _predicted_records(comparison, per_topic),
        partial(_predicted_data, comparison, per_topic),
        brief=_brief_parts(comparison, decimals, per_topic),
    )


_OF_TOPICS = (
    "run", "against", "topic", "score", "score_against", "difference", "model_difference"
)  # fmt: skip


def _brief_parts(comparison: PredictedComparison, decimals: int, per_topic: bool) -> Iterator[Part]:
    """The verdict, the means, gains and losses where wanted, and on what it rests."""
    options, all_parts = comparison.options, list(_brief_contrasts(comparison))
    yield verdict_lines(all_parts, options, decimals)
    parts, left_out = with_short_names(all_parts, comparison.table.run_names)
    yield from tables_of_means(parts, options, decimals, ("human_only", "model_only"))
    if per_topic:
        topics = rows_by_contrast(comparison.topic_difference_rows())
        for part, rows in zip(parts, topics, strict=True):
            if len(parts) > 1:
                yield Heading(part.name)
            yield table_of_rows(_OF_TOPICS, rows)
    test, count = "p: prediction-powered t test", comparison.num_hypotheses
    if count > 1:
        test += f", {CORRECTIONS[options.correction].title} for {count} hypotheses"
    if options.tail != "two-sided":
        test += f"; {TAILS[options.tail]}"
    yield Lines(
        [
            *left_out,
            _topics_line(comparison),
            _random_sample_line(comparison),
            OWN_LAMBDA,
            f"{test}; * p <= {options.alpha:g}",
            f"signature: {comparison.signature.brief}",
        ]
    )


def _brief_contrasts(comparison: PredictedComparison) -> Iterator[BriefContrast]:
    found = zip(
        comparison.estimates,
        comparison.pair_verdicts,
        rows_by_contrast(comparison.mean_rows()),
        rows_by_contrast(comparison.pair_rows()),
        strict=True,
    )
    for each, verdicts, mean_rows, pair_rows in found:
        topics = count_text(each.means.num_judged, "topic")
        yield BriefContrast(
            each.class_name,
            each.measure,
            f"{topics} judged by people",
            verdicts,
            mean_rows,
            [row | {"tests": {"ppi": row}} for row in pair_rows],
            ["ppi"],
        )


_ESTIMATES = (
    "low", "high", "human_only", "human_only_low", "human_only_high", "model_only", "width_ratio",
    "n_effective", "lambda", "r",
)  # fmt: skip


def _predicted_parts(
    comparison: PredictedComparison, decimals: int, per_topic: bool
) -> Iterator[Part]:
    yield verdict_lines(list(_brief_contrasts(comparison)), comparison.options, decimals)
    yield Lines(list(_heading_lines(comparison)))
    means = rows_by_contrast(comparison.mean_rows())
    pairs = rows_by_contrast(comparison.pair_rows())
    topics = rows_by_contrast(comparison.topic_difference_rows())
    for each in comparison.estimates:
        of_class = f", topics of class {each.class_name}" if each.class_name else ""
        yield Heading(
            f"{each.measure}{of_class} ({each.means.num_judged} of "
            f"{count_text(each.means.num_topics, 'topic')} "
            "judged by people)"
        )
        warnings = heap_warnings(each, comparison.table.run_names)
        if lines := [f"warning: {warning}" for warning in warnings]:
            yield Lines(lines)
        names = ["run", "mean", *_ESTIMATES, "missing_as_zero"]
        yield table_of_rows(names, next(means))
        columns: list[ShownField] = ["run", "against", "difference", *_ESTIMATES]
        columns.append(("p", Head("p ppi", "p")))
        if (correction := comparison.options.correction) != "none":
            columns.append(("corrected", Head(correction, "p")))
        yield table_of_rows([*columns, ("significant", MARK)], next(pairs))
        if per_topic:
            yield table_of_rows(_OF_TOPICS, next(topics))
    yield Lines(LEGEND)


def _heading_lines(comparison: PredictedComparison) -> Iterator[str]:
    """The lines above the tables."""
    options = comparison.options
    yield _topics_line(comparison)
    strata = comparison.model_table.classes
    tuned = (
        "lambda estimated" if options.model_weight is None else f"lambda {options.model_weight:g}"
    )
    classes = f", {count_text(len(strata), 'class', 'classes')} as strata" if strata else ""
    targets = {"population": "the population of topics", "topics": "these topics themselves"}
    target = targets[options.predicted_target]
    yield f"estimates: prediction-powered, {tuned}, of {target}{classes}"
    yield from interval_lines(options, comparison.num_hypotheses, "t")
    yield _random_sample_line(comparison)
    people, model = comparison.judged_shares
    if people is not None and model is not None:
        yield f"judged@10, the mean of the runs: {people:.2f} by people, {model:.2f} by the model"
    yield (
        "test: prediction-powered t; "
        f"{count_text(comparison.num_hypotheses, 'hypothesis', 'hypotheses')}, "
        f"{CORRECTIONS[options.correction].title}; alpha {options.alpha:g}, {TAILS[options.tail]}; "
        "* marks p <= alpha"
    )
    yield f"signature: {comparison.signature.short}"


def _topics_line(comparison: PredictedComparison) -> str:
    n, topics = len(comparison.table.topics), len(comparison.model_table.topics)
    name = os.path.basename(path_of(comparison.options.predicted)) or "the model"
    lacked = "judged topics that a run lacks count as 0"
    if not comparison.table.counts_missing_as_zero:
        lacked = "these are the topics that every run has"
    return (
        f"{n} of {topics} topics judged by people; the other {topics - n} by {name} alone; {lacked}"
    )


def _random_sample_line(comparison: PredictedComparison) -> str:
    n, topics = len(comparison.table.topics), len(comparison.model_table.topics)
    return (
        f"valid only if the {n} topics are a random sample of the {topics} (check: z = "
        f"{comparison.distance:.1f}; beyond {FAR:g} or -{FAR:g} they hardly are)"
    )


def _predicted_records(comparison: PredictedComparison, per_topic: bool) -> Iterator[Records]:
    signed = {"signature": comparison.signature.short}
    if per_topic:
        yield records_of("topics", comparison.topic_difference_rows(), **signed)
    yield records_of("pairs", comparison.pair_rows(), **signed)
    yield records_of("means", comparison.mean_rows(), **signed)
    yield records_of("verdicts", map(finite_or_none, comparison.verdict_rows()), **signed)


def _predicted_data(comparison: PredictedComparison, per_topic: bool) -> dict[str, Any]:
    """One object: as `irev compare` has it, with `predicted` for what concerns the model."""
    options = comparison.options
    people, model = comparison.judged_shares
    model_signature = comparison.model_table.runs[0].signature
    data = {
        **data_of_choices_and_runs(comparison, len(comparison.model_table.topics)),
        "predicted": {
            "qrels": path_of(options.predicted) or None,
            "sha256": model_signature and model_signature.qrels,
            "n": len(comparison.table.topics),
            "N": len(comparison.model_table.topics),
            "target": options.predicted_target,
            "lambda": "tuned" if options.model_weight is None else options.model_weight,
            "strata": list(comparison.model_table.classes or ()),
            "z_sample": comparison.distance,
            "judged_at_10": {"people": people, "model": model},
        },
        "notes": [*map(str, comparison.doubts), *comparison.notes],
        "signature": signature_data(comparison.signature),
        "verdicts": list(comparison.verdict_rows()),
        "means": list(comparison.mean_rows()),
        "pairs": list(comparison.pair_rows()),
    }
    if per_topic:
        data["topics"] = list(comparison.topic_difference_rows())
    return finite_or_none(data)  # type: ignore[no-any-return]
