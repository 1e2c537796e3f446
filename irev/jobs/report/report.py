"""A report: runs scored and compared, the topics that moved most, and all else on its page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.record import record
from irev.engine.score_runs import missing_topic_warnings, score_runs
from irev.errors import InputError, IrevError, Notice, UsageError
from irev.jobs.compare.comparison import Comparison, comparison_of
from irev.jobs.compare.contrasts import means_of
from irev.jobs.explain.explainer import Explainer
from irev.jobs.report.curves import Around, Tied, around, tied
from irev.measures.naming.result_columns import lower_is_better
from irev.statistics.differences import order_by_gain, scale_of, zero_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from irev.core.arrays import Floats, Ints
    from irev.engine.score_runs import NameSource
    from irev.errors import Told
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.plan import ComparisonPlan
    from irev.jobs.explain.explainer import ExplainedScore
    from irev.options import Options
    from irev.scores.table import ScoreTable
    from irev.statistics.intervals import Intervals

    Value = TypeVar("Value")


@record
class Means:
    """The means of the runs under a measure.

    label            the class of topics; empty for all of them
    measure          its printed name
    topics           how many there are
    lower_is_better  whether lower is better
    order            int64[S], the best run first
    found            with their intervals, by the runs' numbers
    """

    label: str
    measure: str
    topics: int
    lower_is_better: bool
    order: Ints
    found: Intervals


class Pair(NamedTuple):
    """Two runs by their numbers, and what they differ by on each topic.

    run, against  the numbers
    differences   float64[T], the first less the second
    gained, lost  the topics that moved most by their numbers: the better, the worse, the farthest
                  first
    """

    run: int
    against: int
    differences: Floats
    gained: tuple[int, ...]
    lost: tuple[int, ...]

    @property
    def moved(self) -> tuple[int, ...]:
        """Both."""
        return (*self.gained, *self.lost)

    @property
    def said(self) -> str:
        """On how many topics the first run has the higher score."""
        higher, lower = (int((sign * self.differences > 0).sum()) for sign in (1, -1))
        same = len(self.differences) - higher - lower
        return f"{higher} up, {lower} down, {same} the same"


def pairs_of(table: ScoreTable, contrast: Contrast, most: int) -> tuple[Pair, ...]:
    """The pairs of a contrast of all topics, each with at most so many topics either way."""
    scores = table.scores(contrast.measure)
    scale = scale_of(scores)
    found = []
    for run, against in zip(
        contrast.run_pairs.first.tolist(), contrast.run_pairs.second.tolist(), strict=True
    ):
        differences = zero_noise(scores[:, run] - scores[:, against], scale)
        gains = -differences if contrast.lower_is_better else differences
        order = order_by_gain(differences, lower_is_better=contrast.lower_is_better).tolist()
        gained = tuple(topic for topic in order[:most] if gains[topic] > 0)
        lost = tuple(topic for topic in order[::-1][:most] if gains[topic] < 0)
        found.append(Pair(run, against, differences, gained, lost))
    return tuple(found)


def lowest(scores: Floats, most: int, *, lower_is_better: bool) -> tuple[int, ...]:
    """The topics with the worst scores of one run, the worst first."""
    return tuple(order_by_gain(scores, lower_is_better=not lower_is_better)[:most].tolist())


def explanations(
    qrels: str,
    runs: Sequence[str],
    measure: str,
    topics: Sequence[tuple[int, bytes]],
    options: Options,
    format: str,
) -> dict[tuple[int, bytes], ExplainedScore]:
    """How scores are computed, by the number of the run and the topic.

    `measure`: its name. `topics`: the number of a run with a topic, for each explanation; a topic
    that the run lacks has none.
    """
    explainer = Explainer(qrels, [measure], options, format)
    found = {}
    for number in sorted({number for number, _ in topics}):
        wanted = {topic for each, topic in topics if each == number}
        for topic, (explanation, *_) in explainer.topics(runs[number], wanted).items():
            found[number, topic] = explanation
    return found


@record
class Report:
    """What a page tells.

    title         of the page; empty: what it is about
    qrels         the name of the judgments
    table         the scores; judged topics that a run lacks are 0
    means         for each class and measure, that of the first measure on all topics first
    comparison    None of a single run
    pairs         under the first measure, on all topics
    worst         of a single run, the topics with the lowest scores
    explanations  by the number of the run and the topic
    around        curves, and how much is judged; None where the judgments have no such thing
    tied          what ties of each run decide under the first measure, likewise
    warnings      what makes the numbers doubtful
    notes         what else a reader must know
    level         of the intervals
    """

    title: str
    qrels: str
    table: ScoreTable
    means: tuple[Means, ...]
    comparison: Comparison | None
    pairs: tuple[Pair, ...]
    worst: tuple[int, ...]
    explanations: dict[tuple[int, bytes], ExplainedScore]
    around: Around | None
    tied: tuple[Tied, ...] | None
    warnings: tuple[Notice, ...]
    notes: tuple[Told, ...]
    level: float


def report(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    options: Options,
    plan: ComparisonPlan,
    *,
    format: str = "qrels",
    names: NameSource = "file",
    drop_undefined: bool = False,
    title: str = "",
    explain: int = 3,
) -> Report:
    """Score runs, compare them, and collect what a report shows.

    Without a baseline all runs are compared with the first one. What these judgments, options or
    measures do not have (curves, ranges of ties, explanations) is left out with a note.

    Args:
        qrels: path of the judgments.
        runs: paths of the runs; each is read several times.
        measures: names as `evaluate` takes them; the first orders the runs.
        options: the choices of the evaluation.
        plan: those of the comparison.
        format: what the judgments hold.
        names: whether a run is called after its file or after its tag.
        drop_undefined: whether topics on which some score is not a finite number are left out,
            rather than an error.
        title: of the page.
        explain: of how many topics either way the scores are explained.
    """
    table = score_runs(
        qrels, runs, measures, options, format=format, names=names,
        drop_undefined=drop_undefined, warn_unjudged=True,
    )  # fmt: skip
    if len(table.topics) < 2:
        raise UsageError("a report needs at least two topics: its intervals are over topics")
    if not plan.baselines and len(runs) > 1:
        plan = plan.replace(baselines=(_first(table, runs),))
    comparison = comparison_of(table, plan, table.notes) if len(runs) > 1 else None
    means = _means(table, plan, comparison)
    first = means[0]
    pairs = pairs_of(table, comparison.contrasts[0], explain) if comparison else ()
    own = table.scores(first.measure)[:, 0]
    worst = () if comparison else lowest(own, explain, lower_is_better=first.lower_is_better)
    # in the order of the matrices, as everything else is
    paths = [entry.path for entry in table.runs]
    wanted = {(run, topic) for pair in pairs for topic in pair.moved for run in pair[:2]}
    wanted |= {(0, topic) for topic in worst}
    notes: list[Told] = [*(comparison.notes if comparison else table.notes)]
    asked = [(run, table.topics[topic]) for run, topic in sorted(wanted)]

    def explained() -> dict[tuple[int, bytes], ExplainedScore]:
        return explanations(qrels, paths, first.measure, asked, options, format)

    return Report(
        title, os.path.basename(qrels), table, means, comparison, pairs, worst,
        _had(explained, "no score is explained", notes) or {},
        _had(lambda: around(qrels, paths, options, format, names), "there are no curves", notes),
        _had(lambda: tied(qrels, paths, first.measure, options, format),
             "what ties can change is not shown", notes),
        _warnings(table), tuple(notes), 1 - plan.alpha,
    )  # fmt: skip


def _first(table: ScoreTable, runs: Sequence[str]) -> str:
    """The name of the run that was given first."""
    return next(entry.name for entry in table.runs if entry.path == runs[0])


def _had(make: Callable[[], Value], lack: str, notes: list[Told]) -> Value | None:
    """What is made; None with a note where these judgments or options have no such thing."""
    try:
        return make()
    except InputError:
        raise
    except IrevError as error:
        notes.append(f"{lack}: {error}")
        return None


def _means(
    table: ScoreTable, plan: ComparisonPlan, comparison: Comparison | None
) -> tuple[Means, ...]:
    if comparison is not None:
        return tuple(
            Means(
                each.label,
                each.measure,
                len(each.topics),
                each.lower_is_better,
                each.order,
                each.means,
            )
            for each in comparison.contrasts
        )
    return tuple(
        Means("", column.name, len(table.topics), lower_is_better(column), np.array([0]),
              means_of(table, column.name, plan))
        for column in table.columns
    )  # fmt: skip


def _warnings(table: ScoreTable) -> tuple[Notice, ...]:
    return (*table.doubts, *missing_topic_warnings(table))
