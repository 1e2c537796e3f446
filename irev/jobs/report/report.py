"""`irev.report`: runs scored and compared, the topics that moved most, and all else on one page."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from irev.core.output_files import replace_file
from irev.core.record import record
from irev.core.wording import count_text
from irev.engine.run_files import rewindable
from irev.engine.score_runs import name_inputs, options_with_pool, score_runs
from irev.errors import GENERAL_NOTE, InputError, IrevError, Notice, UsageError, note
from irev.jobs.compare.comparison import CompareOptions, compare_table
from irev.jobs.report.first_documents import read_first_documents
from irev.jobs.report.options import ReportOptions
from irev.jobs.report.precision_and_judged import score_precision_and_judged_shares
from irev.jobs.result import Result
from irev.jobs.score_job import scoring_job, watch_runs
from irev.options import Options
from irev.read.formats import JUDGMENTS
from irev.scores.saved import is_saved
from irev.scores.table import ScoreTable, path_of
from irev.writers.results_page import PAGE_DECIMALS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    import pandas as pd

    from irev.core.judged import Input
    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.report.precision_and_judged import PrecisionAndJudgedShares
    from irev.scores.scores import RunFirstDocuments

    Value = TypeVar("Value")


@record
class Report(Result):
    """Runs evaluated and compared, as a page for people.

    `html` is the page, which notebooks show and `save` writes; `print` shows its tables of means
    and differences.

    options     the choices
    qrels_name  the name of the judgments
    table       the scores; judged topics that a run lacks are 0
    comparison  None of a single run or topic
    facts       curves, and how much is judged; None where the judgments have no such thing
    first_documents  those of the runs, with their grades, likewise
    """

    options: ReportOptions
    qrels_name: str
    table: ScoreTable
    comparison: Comparison | None
    facts: PrecisionAndJudgedShares | None
    first_documents: tuple[RunFirstDocuments, ...] | None

    shown_by: ClassVar[str] = "irev.jobs.report.page:report_document"

    def _subject(self) -> str:
        return f"{', '.join(self.table.run_names)} on {count_text(len(self.table.topics), 'topic')}"

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
        return self.page().decode("utf-8", "surrogateescape")

    def page(self, decimals: int = PAGE_DECIMALS) -> bytes:
        """The page with so many decimals."""
        from irev.jobs.report.page import report_page
        from irev.writers.results_page.page_file import results_page_bytes

        return b"".join(results_page_bytes(report_page(self, decimals)))

    def save(self, path: str | os.PathLike[str], decimals: int = PAGE_DECIMALS) -> None:
        """Write the page to a file, whole or not at all."""
        page = self.page(decimals)
        with replace_file(os.fspath(path)) as stream:
            stream.write(page)

    def text(self, form: str = "text", decimals: int = 4, width: int | None = 80) -> str:
        """The page ("html"), or the tables of means and differences in another form of output.

        Args:
            form: "html", or what `--format` of `irev compare` takes.
            decimals: how many, in the other forms that people read.
            width: characters in a line of a table; None: however many it needs.

        Raises:
            UsageError: there is no such form.
        """
        if form == "html":
            return self.html
        return super().text(form, decimals, width)

    def _repr_html_(self) -> str:
        """The page, in a frame of its own, since its style is not the notebook's."""
        # not `pages.html_text`, which is for one line and would show the ends of lines
        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="800"></iframe>'

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
    ranges of ties, explanations) is left out with a note; of scores these three.

    Args:
        qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores; or a table of scores.
        runs: the runs, or files of saved scores: a list, a mapping by name, a path with wildcards;
            each is read several times.
        measures: names as `irev.evaluate` takes them; the first orders the runs.
        options: the record `ReportOptions`, whose fields are keywords, too.

    Returns:
        The report: `html` is the page, `save(path)` writes it.

    Raises:
        TypeError: there is no such option.
        UsageError: an option that makes no sense; saved scores beside judgments; one topic.
        InputError: an input that cannot be read.

    Warns:
        IrevWarning: a run lacks judged topics; scores may mislead.
    """
    is_scored = qrels_or_table is None or isinstance(qrels_or_table, ScoreTable)
    if not is_scored:
        qrels_or_table, runs = (
            rewindable(qrels_or_table),
            _require_rereadable_runs(qrels_or_table, runs, options),
        )
    pool = options.pool if is_scored else options_with_pool(options.base_record(Options), runs).pool
    with_pool = options.replace(pool=pool)
    table = score_runs(qrels_or_table, runs, measures, with_pool, watch=watch_runs)
    # what is shown of single documents is by people's grades alone
    if is_scored or options.predicted is not None:
        return _report_of_table(table, None, options)
    sources = [each.source for each in name_inputs(runs, options.own_columns)]
    by_name = {run.name: sources[run.input_index] for run in table.runs}
    return _report_of_table(table, RunInputs(qrels_or_table, by_name, with_pool), options)


_NO_SAVED = "saved scores beside judgments: a report takes QRELS RUN..., or saved scores alone"


def _require_rereadable_runs(qrels: Input, runs: Input, options: ReportOptions) -> Any:
    """The runs, all of which, and the judgments, can be read several times."""
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
    comparison, warnings = None, table.warnings
    if len(table.runs) > 1 and len(table.topics) > 1:
        comparison = compare_table(table, options.base_record(CompareOptions))
        warnings = comparison.warnings
    lack_notes: list[Notice] = []
    qrels_name = os.path.basename(path_of(inputs.qrels)) if inputs else ""
    if inputs is not None and JUDGMENTS[options.qrels_format].holds_runs:
        lack_notes = [note("there are no curves and no documents: answers have no ranks")]
        return Report(
            options, qrels_name, table, comparison, None, None, warnings=(*warnings, *lack_notes)
        )
    return Report(
        options,
        qrels_name,
        table,
        comparison,
        _make_or_note(inputs, lambda i: score_precision_and_judged_shares(
            i.qrels, i.runs, i.options,
        ), "there are no curves", lack_notes),
        _make_or_note(inputs, lambda i: read_first_documents(
                          i.qrels, i.runs, table.measure_names[0], i.options),
                      "no documents are shown", lack_notes),
        warnings=(*warnings, *lack_notes),
    )  # fmt: skip


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
