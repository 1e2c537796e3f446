"""`irev.compare`: runs set against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Protocol, overload

from irev.core.displayed import HasPaperTable, import_attribute
from irev.core.job import JobFunction
from irev.core.record import record
from irev.core.wording import count_text
from irev.engine.score_runs import score_runs
from irev.errors import GENERAL_NOTE, note
from irev.jobs.compare.contrasts import contrasts_and_class_notes, tests_done
from irev.jobs.compare.decisions import margins_chances_and_risks
from irev.jobs.compare.notes import comparison_notes
from irev.jobs.compare.options import CompareOptions
from irev.jobs.compare.rows import (
    anova_rows,
    flat_pair_row,
    frame_of,
    mean_rows,
    pair_rows,
    topic_difference_rows,
)
from irev.jobs.result import Result
from irev.jobs.score_job import scoring_job, watch_runs
from irev.scores.signature import ComparisonSignature, comparison_signature
from irev.statistics.methods import INTERVALS, signed_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.displayed import FigureWidth
    from irev.core.judged import Input
    from irev.core.option_records import OptionRecord
    from irev.errors import Notice
    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.decisions import DecisionColumns
    from irev.jobs.compare.predicted import PredictedComparison
    from irev.jobs.compare.rows import Row
    from irev.scores.table import ScoreTable

P = ParamSpec("P")


@record
class Comparison(Result, HasPaperTable):
    """Runs compared under one or several measures.

    `print` and notebooks show the tables of `irev compare`; `means`, `pairs`, `by_topic` and
    `anova` are pandas frames, `to_frame()` that of the pairs.

    table      the scores; judged topics that a run lacks are 0
    options    the choices
    contrasts  what was found, for each measure on all topics, then on each class of them
    decisions  for each contrast what was asked of pairs besides whether they differ
    """

    table: ScoreTable
    options: CompareOptions
    contrasts: tuple[Contrast, ...]
    decisions: tuple[DecisionColumns, ...]

    shown_by: ClassVar[str] = "irev.jobs.compare.document:comparison_document"
    paper_by: ClassVar[str] = "irev.jobs.compare.paper:paper_document"

    def _subject(self) -> str:
        runs, measures = ", ".join(self.table.run_names), ", ".join(self.table.measure_names)
        return f"{runs} by {measures} on {count_text(len(self.table.topics), 'topic')}"

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """The warnings that are no notes: what makes the scores doubtful, and `missing`."""
        return tuple(each for each in self.warnings if each.kind != GENERAL_NOTE)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know, a line each; `missing` has more."""
        return tuple(str(each) for each in self.warnings if each.kind == GENERAL_NOTE)

    @property
    def missing(self) -> tuple[str, ...]:
        """Which runs lack judged topics, a line for each."""
        return tuple(map(str, self.table.missing_topic_warnings))

    @property
    def num_hypotheses(self) -> int:
        """How many hypotheses are corrected together: pairs x measures (x classes + all)."""
        return sum(len(contrast.run_pairs) for contrast in self.contrasts)

    @property
    def num_resamples(self) -> dict[str, int]:
        """The number of resamples of each test by resampling whose p is not exact.

        And how many bootstrap intervals draw, under "ci".
        """
        options = self.options
        counts = {
            test: options.num_resamples_of(test, self.num_hypotheses) for test in options.tests
        }
        by_default = INTERVALS[options.ci].default_resamples
        counts["ci"] = by_default and (options.resamples or by_default)
        return {name: count for name, count in counts.items() if count}

    @property
    def signature(self) -> ComparisonSignature:
        """What the comparison was made of."""
        table, options = self.table, self.options
        choices: dict[str, Any] = {}
        for name, value in options.signed_values().items():
            choices[name] = value
            if name == "correction":
                choices["hypotheses"] = self.num_hypotheses
        # moderated where any contrast was
        tests = [signed_test(name, tests_done(self.contrasts, name)) for name in options.tests]
        choices["tests"] = list(dict.fromkeys(tests))
        choices["baselines"] = [table.run_names[table.run_index(n)] for n in options.baselines]
        choices["resamples"] = self.num_resamples
        if table.counts_missing_as_zero:
            choices["missing"] = "zero"
        return comparison_signature(table, choices)

    def mean_rows(self) -> Iterator[Row]:
        """The means of the runs with their intervals; see `rows.mean_rows`."""
        for contrast, decisions in zip(self.contrasts, self.decisions, strict=True):
            yield from mean_rows(self.table, contrast, decisions)

    def pair_rows(self) -> Iterator[Row]:
        """The pairs, with a mapping of tests in each; see `rows.pair_rows`."""
        for contrast, decisions in zip(self.contrasts, self.decisions, strict=True):
            yield from pair_rows(self.table, contrast, self.options.alpha, decisions)

    def topic_difference_rows(self) -> Iterator[Row]:
        """Gains and losses by topic; see `rows.topic_difference_rows`."""
        for contrast in self.contrasts:
            yield from topic_difference_rows(self.table, contrast)

    def anova_rows(self) -> Iterator[Row]:
        """The analyses of variance; see `rows.anova_rows`."""
        for contrast in self.contrasts:
            yield from anova_rows(contrast)

    @property
    def means(self) -> pd.DataFrame:
        """A row for each class, measure and run, the best run first."""
        return frame_of(self.mean_rows())

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each class, measure and pair, with columns such as `p_moderated`."""
        return frame_of(map(flat_pair_row, self.pair_rows()))

    @property
    def by_topic(self) -> pd.DataFrame:
        """A row for each class, measure, pair and topic, the largest gain first."""
        return frame_of(self.topic_difference_rows())

    @property
    def anova(self) -> pd.DataFrame:
        """Three rows for each class and measure: runs, topics, error."""
        return frame_of(self.anova_rows())

    def to_frame(self) -> pd.DataFrame:
        """The pairs, as `pairs`."""
        return self.pairs

    def plot(
        self,
        name: str = "forest",
        measures: object = (),
        *,
        width: FigureWidth = "page",
        **options: Any,
    ) -> Figure:
        """A figure, drawn by matplotlib.

        Args:
            name: "forest" (differences with intervals), "topics" (differences by topic), "ranks"
                (mean ranks with critical differences), or a figure of scores by topic:
                "per-topic", "median", "scatter", "cutoffs", "distribution".
            measures: of scores by topic, which; none: all.
            width: "column" (3.3 inches), "page" (7) or "slide" (10), as it is printed.
            **options: of scores by topic, those of the figure: `sort="value"` ...

        Raises:
            UsageError: there is no such figure; too many pairs, measures or runs for it.
            MissingExtraError: matplotlib is not installed.
        """
        draw = import_attribute("irev.jobs.plots.result_figures:result_figure")
        figure: Figure = draw(self, name, measures, options, width=width)
        return figure


class _Compare(JobFunction["Comparison | PredictedComparison"], Protocol[P]):
    """The type of `compare`: what it gives depends on `predicted`."""

    @overload
    def __call__(
        self, qrels_or_table: Input, runs: Input = (), measures: object = (),
        options: OptionRecord | None = None, predicted: None = None,
        *args: P.args, **fields: P.kwargs,
    ) -> Comparison: ...  # fmt: skip
    @overload
    def __call__(
        self, qrels_or_table: Input, runs: Input = (), measures: object = (),
        options: OptionRecord | None = None, predicted: Input = ...,
        *args: P.args, **fields: P.kwargs,
    ) -> PredictedComparison: ...  # fmt: skip


def _compare_job(
    options: Callable[P, CompareOptions],
) -> Callable[[Callable[..., Comparison | PredictedComparison]], _Compare[P]]:
    make_job: Any = scoring_job(options)
    return make_job  # type: ignore[no-any-return]


@_compare_job(CompareOptions)
def compare(
    qrels_or_table: Input, runs: Input = (), measures: object = (), *, options: CompareOptions
) -> Comparison | PredictedComparison:
    """Compare runs: means with intervals, paired differences, effect sizes, corrected p-values.

    A judged topic that a run lacks counts as 0. By default all pairs are compared by the
    moderated paired t test, corrected by Holm.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores; or a table of scores, of `irev.evaluate` or of another job (`.table`).
        runs: runs and files of saved scores, in any order: no number depends on it; a list, a
            mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them; where none is named, "map", or all that
            saved scores have.
        options: the record `CompareOptions`, whose fields are keywords, too.

    Returns:
        The comparison: `means`, `pairs`, `by_topic` and `anova` are pandas frames. With
        `predicted=` a `PredictedComparison`, with a test and intervals of its own.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense; fewer than two runs or topics.
        InputError: an input that cannot be read.
        MismatchError: scores of different definitions or judgments; no topic in common.

    Warns:
        IrevWarning: a run lacks judged topics; scores may mislead.
    """
    if options.predicts_from_topics:
        from irev.jobs.compare.predicted import compare_predicted

        return compare_predicted(qrels_or_table, runs, measures, options)
    return compare_table(
        score_runs(qrels_or_table, runs, measures, options, watch=watch_runs), options
    )


def compare_table(table: ScoreTable, options: CompareOptions) -> Comparison:
    """Compare the runs of a table of scores."""
    contrasts, class_notes = contrasts_and_class_notes(table, options)
    lines = (*table.notes, *class_notes, *comparison_notes(table, options, contrasts))
    return Comparison(
        table, options, tuple(contrasts), margins_chances_and_risks(table, contrasts, options),
        warnings=(*table.doubts, *map(note, lines)),
    )  # fmt: skip
