"""What comparisons assume of scores, and what can be seen of it where it fails.

Of prediction-powered estimates: the topics judged by people must be a random sample of those that
the model judged. A model that is biased costs width alone, but means by it alone may put runs in
another order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from irev.core.wording import count_text, count_that_is, list_beginning
from irev.core.workers import default_threads
from irev.errors import GENERAL_NOTE, Notice
from irev.measures.naming.resolve import lower_is_better, takes_gains
from irev.options import Options
from irev.read.formats import GRADED
from irev.scores.table import path_of
from irev.statistics.correlation import second_judge_favour_by_run
from irev.statistics.differences import pair_differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Ints, TopicIndices
    from irev.core.judged import Input
    from irev.jobs.compare.estimates import Estimates
    from irev.jobs.compare.options import CompareOptions
    from irev.options import ScoringOptions
    from irev.scores.table import ScoreTable

NoticeOrText = TypeVar("NoticeOrText", Notice, str)

MANY_TOPICS = 1000
"""With so many topics, differences of no importance are significant."""

FEW_TOPICS = 20
"""With fewer topics judged by people, intervals may hold less than they say."""

FEW_EQUAL_TOPICS = 30
"""With fewer topics of equal weight (Kish), intervals of weighted means hold .91 to .93 of 95%."""

ENOUGH_OTHERS = 20
"""With fewer topics whose score is another, intervals fall short where most scores are 0, or 1."""

FAR = 3.0
"""A distance |z| beyond this has p 0.003 if the topics judged by people are a random sample."""

NO_GAIN = 0.95
"""An interval that is wider than this share of that of people's topics was not worth the model."""


def score_notes(table: ScoreTable, options: CompareOptions) -> Iterator[str]:
    """What a reader must know of the scores."""
    if table.weights is not None:
        yield (
            "topics have weights: means are weighted; intervals and t tests use the linearised "
            "scores of the ratio estimator, tests of signs the score of each topic times its weight"
        )
        topics = (table.df or 0.0) + 1
        if topics < FEW_EQUAL_TOPICS:
            yield (
                f"the weights are so unequal that they leave {topics:.3g} topics of equal weight "
                f"(Kish): with fewer than {FEW_EQUAL_TOPICS} intervals and p of weighted means are "
                "rough"
            )
        if options.min_diff:
            yield "the smallest difference that counts (--min-diff) applies to weighted scores"
    for entry in table.runs:
        if entry.duplicates:
            yield f"{entry.name}: {count_that_is(entry.duplicates, 'repeated document')} left out"
    for column in table.columns:
        if column.average == "sum":
            yield f"{column.name} is compared by its mean over topics, not by its sum"
        if lower_is_better(column):
            yield f"{column.name}: lower is better, so a win is a lower score"
    if len(table.topics) >= MANY_TOPICS:
        yield (
            f"with {len(table.topics)} topics even unimportant differences are significant: "
            "look at the effect sizes first"
        )


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
            f"the topics judged by people are {which} of {len(ids)} in the order of their ids", hint
        )  # fmt: skip


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
                f"(p = {errors.corrected[run]:.4f})",
                "do not order runs by the model's judgments alone",
            )


def grade_scale_notes(human: ScoreTable, model: ScoreTable) -> Iterator[str]:
    """Scales that differ, where a measure takes gains from grades."""
    for one, other in zip(human.measure_names, model.measure_names, strict=True):
        if one != other:
            yield (
                f"{one} is {other} by the model's judgments: name the scale, so that both use the "
                "same one"
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
    from irev.engine.prepared_judgments import read_judgments

    threads = options.threads or default_threads()
    judgments = read_judgments(
        qrels, options.qrels_format, [], options.base_record(Options), threads
    )
    return float(judgments.qrels.grade.max(initial=0.0))


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


def few_topics_and_no_gain_notes(estimates: Estimates, run_names: Sequence[str]) -> Iterator[str]:
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
