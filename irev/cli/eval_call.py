"""How `irev eval` evaluates runs, one after the other, and writes their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from irev.cli.eval_options import FLAT, SHEETS, TREC, EvalEngineAndSampleOptions, EvalOutput
from irev.cli.output import print_out, say_error, terminal_width, voice
from irev.core.output_files import replace_file
from irev.core.record import record
from irev.core.workers import report_progress
from irev.errors import InputError, IrevError, StrictError, UsageError
from irev.read.stream import FoundFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from irev.core.judged import Column, Input
    from irev.engine.evaluate import RunEvaluator
    from irev.engine.run_files import RunFiles
    from irev.errors import Notice
    from irev.options import EvaluationOptions
    from irev.writers.document import Document
    from irev.writers.trec import ScoredFile, ScoreLayout

_STDOUT = "-"


class _EvaluatorClassWithRuns(NamedTuple):
    """What evaluates, the runs (of Spark those that the paths lead to), and whether several."""

    evaluator_class: type[RunEvaluator]
    runs: Sequence[Input]
    several_runs: bool


class RunMessages:
    """Says what is wrong or doubtful with runs, and knows the exit code.

    several_runs  whether the run is named
    exit_code     0 as long as nothing was wrong
    broken_runs   the paths of the runs that could not be scored, and why
    """

    def __init__(self, output: EvalOutput) -> None:
        self._output, self.several_runs, self.exit_code = output, False, 0
        self.broken_runs: list[tuple[str, IrevError]] = []

    def say(self, notices: Sequence[Notice], run_name: str = "") -> None:
        """Say the notices of a run; without a name of all runs, or of those that they name."""
        if not notices:
            return
        speaker = voice()
        if run_name and self.several_runs:
            notices = [notice.about(run_name) for notice in notices]
        speaker.tell(self._output.without_notices_below_table(notices))
        if speaker.failed:
            self.exit_code = max(self.exit_code, StrictError.exit_code)

    def fail(self, path: str, error: IrevError) -> None:
        """Say what is wrong with a run."""
        self.broken_runs.append((path, error))
        say_error(error, path if self.several_runs else "")
        self.exit_code = max(self.exit_code, error.exit_code)


@record
class EvalCall:
    """One call: what is evaluated, in which way, and how it is written."""

    qrels: str
    runs: RunFiles
    measures: Sequence[str]
    options: EvaluationOptions
    inputs: EvalEngineAndSampleOptions
    output: EvalOutput
    messages: RunMessages

    def write(self, make_blocks: Callable[[], Iterable[bytes]]) -> int:
        """Print what is made, or write it to a file if nothing was wrong; the exit code."""
        messages, path = self.messages, self.output.output
        if path in (None, _STDOUT):
            blocks = make_blocks()
            if blocks and not (messages.exit_code and voice().strict):
                print_out(blocks)
            return messages.exit_code
        with replace_file(path) as stream:
            blocks = make_blocks()
            if messages.exit_code:
                raise IrevError(f"{path} was not written")
            stream.writelines(blocks)
        return messages.exit_code

    def score_blocks(self) -> Iterable[bytes]:
        """The scores of the runs, as far as they are not printed as each is there."""
        from irev.scores.table import name_runs

        evaluator_class, sources, several_runs = self._local_or_spark_evaluator_class()
        self.messages.several_runs = several_runs
        # trec_eval's text has no place for a signature
        sign = self.output.format != TREC or self.output.is_parquet
        evaluator = evaluator_class(self.qrels, self.measures, self.options, sign=sign)
        sort = self.output.sort
        sort_column = sort and _sort_column(sort, evaluator.columns, self.options)
        self.messages.say(evaluator.notices)
        has_zscores = self.inputs.zscores is not None
        layout = self.output.score_layout(
            self.options, several_runs=several_runs, zscores=has_zscores
        )
        results = self._scored_files_while_reporting_broken_ones(evaluator, sources)
        if self.output.prints_each_run and not voice().strict:
            for result in results:
                print_out(self._blocks([result], layout))
            return ()
        waiting = [*results]
        if self.inputs.engine != "local":
            names = name_runs([result.path for result in waiting])
            waiting = [r._replace(name=name) for r, name in zip(waiting, names, strict=True)]
        if sort_column:
            from irev.writers.scores import best_first

            waiting = best_first(waiting, sort_column)
        return self._blocks(waiting, layout) if waiting else ()

    def _local_or_spark_evaluator_class(self) -> _EvaluatorClassWithRuns:
        if self.inputs.engine == "local":
            from irev.engine.evaluate import RunEvaluator
            from irev.engine.run_files import split_run_tables

            paths = self.runs.paths
            each = split_run_tables(paths, self.options.own_columns)
            several_runs = len(each) > 1 or self.runs.searched
            return _EvaluatorClassWithRuns(RunEvaluator, each, several_runs)
        from irev.spark.cluster import runs_at
        from irev.spark.evaluation import SparkEvaluator

        runs = runs_at(self.runs.paths)
        several_runs = len(runs) > 1 or any(run.run_column for run in runs)
        return _EvaluatorClassWithRuns(SparkEvaluator, runs, several_runs)

    def _scored_files_while_reporting_broken_ones(
        self, evaluator: RunEvaluator, sources: Sequence[Input]
    ) -> Iterator[ScoredFile]:
        """The runs as they are scored; behind each what is doubtful about it is said."""
        from irev.scores.table import name_runs
        from irev.writers.document import topic_class_and_tie_warnings
        from irev.writers.trec import ScoredFile

        zscores = None
        if self.inputs.zscores is not None:
            from irev.engine.join_scores import read_zscores

            zscores = read_zscores(self.inputs.zscores)
        for path, error in self.runs.refused:
            self.messages.fail(path, error)
        # Spark finds several runs behind a path: these are named when all are there
        is_local = self.inputs.engine == "local"
        names = [*name_runs(sources)] if is_local else []
        outcomes = report_progress(evaluator.outcomes(sources, names), len(sources), "runs")
        for index, (source, outcome) in enumerate(outcomes):
            path = str(source)
            name = names[index] if is_local else path
            if isinstance(outcome, IrevError):
                self.messages.fail(path, _first_problem_if_perhaps_no_run(source, outcome))
                continue
            scores = zscores.apply(outcome) if zscores else outcome
            yield ScoredFile(name, scores, path)
            self.messages.say([*outcome.notices, *topic_class_and_tie_warnings(outcome)], name)
        self.messages.say(evaluator.estimate_notices)

    def _blocks(self, results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterable[bytes]:
        """Scores in the form that was asked for."""
        output_format = self.output.format
        if self.output.score_only:
            from irev.writers.scores import summary_value_lines

            return summary_value_lines(results, layout)
        if output_format == FLAT:
            from irev.writers.machine import json_bytes
            from irev.writers.scores import flat_means

            return [json_bytes(flat_means(results, layout))]
        if self.output.is_parquet:
            from irev.writers.scores import scores_parquet

            return [scores_parquet(results)]
        if output_format == TREC:
            from irev.writers.trec import write_trec_text

            return write_trec_text(results, layout)
        if output_format in SHEETS:
            return summary_sheet_blocks(output_format, results, layout)
        if self.output.layout == "paper":
            from irev.writers.paper import scores_paper_document as results_document
        elif self.output.stats:
            from irev.writers.scores import spread_document as results_document
        else:
            from irev.writers.scores import scores_document as results_document
        document = results_document(results, layout)
        if any(result.scores.estimates is not None for result in results):
            document = _with_estimates(document, results)
        return self._document_blocks(document)

    def _document_blocks(self, document: Document) -> Iterable[bytes]:
        from irev.writers.forms import document_bytes

        output = self.output
        width = terminal_width(output.output)
        if self.messages.broken_runs:
            document = _with_broken_runs(document, self.messages.broken_runs)
        return document_bytes(
            document, output.format, output.decimals, width, csv_safe=output.csv_safe
        )

    def blocks_of_scores_under_samples(self) -> Iterable[bytes]:
        """The scores of the runs under samples of the judgments."""
        from irev.jobs.sample.designs import SampledEvaluationOptions
        from irev.jobs.sample.document import trec_lines
        from irev.jobs.sample.evaluation import evaluate_samples

        output, messages = self.output, self.messages
        options = SampledEvaluationOptions.from_keywords(
            self.options,
            {
                "samples": self.inputs.samples, "repeat": self.inputs.repeat,
                "per_topic": output.per_topic, "sign": output.format != TREC, "keep_going": True,
            },
        )  # fmt: skip
        result = evaluate_samples.run(self.qrels, self.runs.paths, self.measures, options=options)
        messages.several_runs = result.several_runs
        messages.say(result.warnings)
        for path, error in (*self.runs.refused, *result.broken):
            messages.fail(path, error)
        if not result.runs:
            return ()
        if output.format == TREC:
            return trec_lines(result, output.decimals)
        return self._document_blocks(result.document_with(output.decimals))


_FAULTS_OF_OTHER_FILES = ("field-count", "bad-score")
"""What is wrong with the first line of a file in a folder that may be no run."""


def _first_problem_if_perhaps_no_run(source: Input, error: IrevError) -> IrevError:
    """What is wrong with a run; of a file that was found and may be no run the first problem."""
    if not isinstance(source, FoundFile) or not isinstance(error, InputError):
        return error
    first = error.problems[0]
    if first.line is None or first.kind not in _FAULTS_OF_OTHER_FILES:
        return error
    hint = "if this is no run, keep it elsewhere, or name the runs one by one; irev check says more"
    return InputError([first._replace(hint=hint)])


def _with_broken_runs(document: Document, broken_runs: Sequence[tuple[str, IrevError]]) -> Document:
    """The document with the runs that could not be scored below its tables, and in its data."""
    from irev.core.wording import count_text
    from irev.jobs.leaderboard.leaderboard import broken_submissions
    from irev.writers.document import Lines

    broken = broken_submissions(broken_runs)
    lines = [f"{count_text(len(broken), 'run')} could not be scored:", *map(str, broken)]

    def data() -> dict[str, Any]:
        return {**document.data(), "broken": [each.data() for each in broken]}

    return document._replace(parts=[*document.parts, Lines(lines, listed=False)], data=data)


def _with_estimates(document: Document, results: Sequence[ScoredFile]) -> Document:
    """The document with what is behind estimates from a sample of documents."""
    from irev.engine.join_scores import scored_run_table
    from irev.writers.document import LEGEND, Lines, estimate_rows, rows_table
    from irev.writers.machine import finite_or_none

    rows = [
        row
        for result in results
        for row in estimate_rows(scored_run_table(result.name, result.path, result.scores))
    ]

    def data() -> dict[str, Any]:
        return {**document.data(), "estimates": finite_or_none(rows)}

    parts = [*document.parts, rows_table(rows), Lines(list(LEGEND))]
    return document._replace(parts=parts, data=data)


def _sort_column(
    name_after_sort: str, columns: Sequence[Column], options: EvaluationOptions
) -> Column:
    """The column that --sort names."""
    from irev.measures.naming.resolve import matching_columns

    for column in matching_columns(name_after_sort, columns, options):
        if column.average in ("mean", "geometric", "sum"):
            return column
    names = ", ".join(column.name for column in columns[:8])
    raise UsageError(f"--sort {name_after_sort}: the runs have {names}; add it with -m")


def summary_sheet_blocks(
    output_format: str, results: Sequence[ScoredFile], layout: ScoreLayout
) -> Iterator[bytes]:
    """The sheets of runs, as text or as a page with their plots."""
    if output_format == "sheet":
        from irev.writers.scores import write_summary_sheets

        return write_summary_sheets(results, layout)
    from irev.jobs.plots.sheet_html import write_sheet_page

    return write_sheet_page(results, layout)
