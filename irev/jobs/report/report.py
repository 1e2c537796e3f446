"""`irev.report`: runs scored and compared, the topics that moved most, and all else on one page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from irev.core.record import record
from irev.engine.inputs import rewindable
from irev.engine.score_runs import (
    name_inputs,
    options_with_pool,
    score_runs,
)
from irev.errors import GENERAL_NOTE, InputError, IrevError, Notice, UsageError, note
from irev.jobs.compare.comparison import compare_table
from irev.jobs.compare.contrasts import run_means
from irev.jobs.compare.options import CompareOptions
from irev.jobs.explain.explainer import Explainer
from irev.jobs.report.curves import run_curves, tie_effects
from irev.jobs.report.options import ReportOptions
from irev.jobs.result import Result
from irev.jobs.score_job import scoring_job, watch_runs
from irev.measures.naming.result_columns import lower_is_better
from irev.options import Options
from irev.scores.run_names import path_of
from irev.scores.saved import is_saved
from irev.scores.table import ScoreTable
from irev.statistics.differences import order_by_gain, scale_of, zero_noise
from irev.statistics.letters import order_by_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    import pandas as pd

    from irev.core.arrays import Floats, Ints
    from irev.core.model import Input
    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.explain.explainer import ExplainedScore
    from irev.jobs.report.curves import RunCurves, TieEffects
    from irev.statistics.intervals import Intervals

    Value = TypeVar("Value")

RunTopic = tuple[int, bytes]
"""The index of a run in the table, and a topic."""


@record
class Means:
    """The means of the runs under a measure.

    class_name       the class of topics; empty for all of them
    measure          its printed name
    num_topics       how many there are
    lower_is_better  whether lower is better
    run_order        int64[S], the best run first
    intervals        the means with their intervals, by the indices of the runs
    """

    class_name: str
    measure: str
    num_topics: int
    lower_is_better: bool
    run_order: Ints
    intervals: Intervals


class RunPair(NamedTuple):
    """Two runs by their indices, and what they differ by on each topic.

    run_index      the first run
    against_index  the second
    differences    float64[T], the first less the second
    gained, lost   indices of the topics that moved most: the better, the worse, the farthest first
    """

    run_index: int
    against_index: int
    differences: Floats
    gained: tuple[int, ...]
    lost: tuple[int, ...]

    @property
    def moved_topics(self) -> tuple[int, ...]:
        """Those gained and those lost."""
        return (*self.gained, *self.lost)

    @property
    def direction_text(self) -> str:
        """On how many topics the first run has the higher score."""
        higher, lower = (int((sign * self.differences > 0).sum()) for sign in (1, -1))
        same = len(self.differences) - higher - lower
        return f"{higher} up, {lower} down, {same} the same"


@record
class Report(Result):
    """Runs evaluated and compared, as a page for people.

    `html` is the page, which notebooks show and `save` writes; `print` shows its tables of means
    and differences.

    options        the choices
    qrels_name     the name of the judgments
    table          the scores; judged topics that a run lacks are 0
    means          for each class and measure, that of the first measure on all topics first
    comparison     None of a single run
    pairs          under the first measure, on all topics: with each baseline, or the best run
    lowest_topics  of a single run, the indices of the topics with the lowest scores
    explanations   how scores are computed, by the run and the topic
    curves         curves, and how much is judged; None where the judgments have no such thing
    ties           what ties of each run decide under the first measure, likewise
    """

    options: ReportOptions
    qrels_name: str
    table: ScoreTable
    means: tuple[Means, ...]
    comparison: Comparison | None
    pairs: tuple[RunPair, ...]
    lowest_topics: tuple[int, ...]
    explanations: dict[RunTopic, ExplainedScore]
    curves: RunCurves | None
    ties: tuple[TieEffects, ...] | None

    shown_by: ClassVar[str] = "irev.jobs.report.page:report_document"

    def _subject(self) -> str:
        return f"{', '.join(self.table.run_names)} on {len(self.table.topics)} topics"

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return 1 - self.options.alpha

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """What makes the numbers doubtful."""
        return tuple(each for each in self.warnings if each.kind != GENERAL_NOTE)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader must know, a line each."""
        return tuple(str(each) for each in self.warnings if each.kind == GENERAL_NOTE)

    @property
    def html(self) -> str:
        """The page, which loads nothing."""
        return self.page(4).decode("utf-8", "surrogateescape")

    def page(self, decimals: int = 4) -> bytes:
        """The page with so many decimals."""
        from irev.jobs.report.page import page_lines

        return b"".join(page_lines(self, decimals))

    def save(self, path: str | os.PathLike[str], decimals: int = 4) -> None:
        """Write the page to a file."""
        page = self.page(decimals)
        with open(path, "wb") as stream:
            stream.write(page)

    def text(self, form: str = "text", decimals: int = 4, width: int | None = 80) -> str:
        """The page ("html"), or the tables of means and differences in another form of output.

        Args:
            form: "html", or what `--format` of `irev compare` takes.
            decimals: how many, in the forms that people read.
            width: characters in a line of a table; None: however many it needs.

        Raises:
            UsageError: there is no such form.
        """
        if form == "html":
            return self.page(decimals).decode("utf-8", "surrogateescape")
        return super().text(form, decimals, width)

    def _repr_html_(self) -> str:
        """The page, in a frame of its own, since its style is not the notebook's."""
        from irev.writers.pages import html_text

        return f'<iframe srcdoc="{html_text(self.html)}" width="100%" height="800"></iframe>'

    def to_frame(self) -> pd.DataFrame:
        """The means, a row for each run and measure; of a single run its scores by topic."""
        return self.comparison.means if self.comparison else self.table.to_frame()


class RunInputs(NamedTuple):
    """What the scores were made of, to be read again.

    qrels    the judgments
    runs     the runs by name, in the order of the table
    options  the choices, with the pool itself
    """

    qrels: Input
    runs: dict[str, Input]
    options: ReportOptions


@scoring_job(ReportOptions)
def report(
    qrels_or_table: Input, runs: Input = (), measures: object = (), *, options: ReportOptions
) -> Report:
    """Make a report on runs: one HTML page that loads nothing, as `irev report` does.

    Without a baseline all runs are compared with the best one by the first measure, and p is
    corrected for all pairs of runs. What these judgments, options or measures do not have (curves,
    ranges of ties, explanations) is left out with a note; of a table of scores these three.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; or a table of scores.
        runs: the runs: a list, a mapping by name, a path with wildcards; each is read several
            times.
        measures: names as `irev.evaluate` takes them; the first orders the runs.
        options: the record `ReportOptions`, whose fields are keywords, too.

    Returns:
        The report: `html` is the page, `save(path)` writes it.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense; saved scores in place of runs; one topic.
        InputError: an input that cannot be read.

    Warns:
        IrevWarning: a run lacks judged topics; scores may mislead.
    """
    is_scored = isinstance(qrels_or_table, ScoreTable)
    if not is_scored:
        qrels_or_table, runs = (
            rewindable(qrels_or_table),
            _require_rereadable_runs(qrels_or_table, runs, options),
        )
        options = options.replace(pool=options_with_pool(options.part(Options), runs).pool)
    table = score_runs(qrels_or_table, runs, measures, options, watch=watch_runs)
    if len(table.topics) < 2:
        raise UsageError("a report needs at least two topics: its intervals are over topics")
    if is_scored:
        return _report_of_table(table, None, options)
    if options.predicted is not None:
        # what is shown of single documents is by people's grades alone
        return _report_of_table(table, None, options)
    sources = [each.source for each in name_inputs(runs, options.own_columns)]
    by_name = {run.name: sources[run.input_index] for run in table.runs}
    return _report_of_table(table, RunInputs(qrels_or_table, by_name, options), options)


_NO_SAVED = "a report needs the runs, not saved scores: irev report QRELS RUN..."


def _require_rereadable_runs(qrels: Input, runs: Input, options: ReportOptions) -> Any:
    """The runs, all of which, and the judgments, can be read several times."""
    if qrels is None:
        raise UsageError(_NO_SAVED)
    inputs = name_inputs(runs, options.own_columns)
    for path in filter(None, map(path_of, (qrels, *(each.source for each in inputs)))):
        can_be_read_again = os.path.isfile(path) or os.path.isdir(path)
        if path == "-" or (os.path.exists(path) and not can_be_read_again):
            raise UsageError(f"{path}: a report reads each file several times: name a regular file")
        if can_be_read_again and is_saved(path):
            raise UsageError(_NO_SAVED)
    if isinstance(runs, dict):
        return {each.forms[0]: each.source for each in inputs}
    return [each.source for each in inputs]


def _report_of_table(table: ScoreTable, inputs: RunInputs | None, options: ReportOptions) -> Report:
    """The report on a table, and what its inputs show besides."""
    comparison = None
    warnings = table.warnings
    if len(table.runs) > 1:
        comparison = compare_table(table, options.part(CompareOptions), _best_run_index(table))
        warnings = comparison.warnings
    means = _means_of_measures(table, comparison, options)
    first = means[0]
    pairs: tuple[RunPair, ...] = ()
    lowest_topics: tuple[int, ...] = ()
    if comparison:
        # without a baseline those with the best run, which come first
        num_pairs = None if options.baselines else len(table.runs) - 1
        pairs = moved_pairs(table, comparison.contrasts[0], options.explain, num_pairs)
    else:
        scores = table.scores(first.measure)[:, 0]
        order = order_by_gain(scores, lower_is_better=not first.lower_is_better)
        lowest_topics = tuple(order[: options.explain].tolist())
    explained_topics = {
        (run, topic) for pair in pairs for topic in pair.moved_topics for run in pair[:2]
    }
    explained_topics |= {(0, topic) for topic in lowest_topics}
    run_topics = [(run, table.topics[topic]) for run, topic in sorted(explained_topics)]
    lack_notes: list[Notice] = []
    measure = first.measure
    return Report(
        options,
        os.path.basename(path_of(inputs.qrels)) if inputs else "",
        table,
        means,
        comparison,
        pairs,
        lowest_topics,
        _make_or_note(inputs, lambda i: _explain_scores(i, measure, run_topics),
                      "no score is explained", lack_notes) or {},
        _make_or_note(inputs, lambda i: run_curves(i.qrels, i.runs, i.options),
                      "there are no curves", lack_notes),
        _make_or_note(inputs, lambda i: tie_effects(i.qrels, i.runs, measure, i.options),
                      "what ties can change is not shown", lack_notes),
        warnings=(*warnings, *lack_notes),
    )  # fmt: skip


def _best_run_index(table: ScoreTable) -> int:
    """The best run by the first measure."""
    return int(order_by_mean(table.merit(table.measure_names[0]))[0])


def _make_or_note(
    inputs: RunInputs | None,
    make: Callable[[RunInputs], Value],
    lack_text: str,
    lack_notes: list[Notice],
) -> Value | None:
    """What is made of the inputs; None, with a note, where these have no such thing."""
    if inputs is None:
        lack_notes.append(note(f"{lack_text}: it takes runs and complete judgments"))
        return None
    try:
        return make(inputs)
    except InputError:
        raise
    except IrevError as error:
        lack_notes.append(note(f"{lack_text}: {error}"))
        return None


def _means_of_measures(
    table: ScoreTable, comparison: Comparison | None, options: ReportOptions
) -> tuple[Means, ...]:
    if comparison is not None:
        return tuple(
            Means(contrast.class_name, contrast.measure, len(contrast.topics),
                  contrast.lower_is_better, contrast.run_order, contrast.means)
            for contrast in comparison.contrasts
        )  # fmt: skip
    return tuple(
        Means("", column.name, len(table.topics), lower_is_better(column), np.array([0]),
              run_means(table, column.name, options))
        for column in table.columns
    )  # fmt: skip


def moved_pairs(
    table: ScoreTable, contrast: Contrast, max_topics_each_way: int, num_pairs: int | None = None
) -> tuple[RunPair, ...]:
    """The first pairs of a contrast of all topics, each with at most so many topics either way."""
    scores = table.scores(contrast.measure)
    scale = scale_of(scores)
    pairs = []
    run_pairs = contrast.run_pairs.subset(slice(num_pairs))
    for run_index, against_index in zip(
        run_pairs.first.tolist(), run_pairs.second.tolist(), strict=True
    ):
        differences = zero_noise(scores[:, run_index] - scores[:, against_index], scale)
        gains = -differences if contrast.lower_is_better else differences
        order = order_by_gain(differences, lower_is_better=contrast.lower_is_better).tolist()
        gained = tuple(topic for topic in order[:max_topics_each_way] if gains[topic] > 0)
        lost = tuple(topic for topic in order[::-1][:max_topics_each_way] if gains[topic] < 0)
        pairs.append(RunPair(run_index, against_index, differences, gained, lost))
    return tuple(pairs)


def _explain_scores(
    inputs: RunInputs, measure: str, run_topics: Sequence[RunTopic]
) -> dict[RunTopic, ExplainedScore]:
    """How scores are computed; a topic that the run lacks has no explanation."""
    options = inputs.options
    explainer = Explainer(inputs.qrels, [measure], options.part(Options), options.qrels_format)
    runs = [*inputs.runs.values()]
    explanations = {}
    for run_index in sorted({index for index, _ in run_topics}):
        topics = {topic for index, topic in run_topics if index == run_index}
        for topic, (explanation, *_) in explainer.topics(runs[run_index], topics).items():
            explanations[run_index, topic] = explanation
    return explanations
