"""The report: what one sends to a colleague of runs that were evaluated and compared, as a page.

`report` scores, compares and collects, `score_precision_and_relevant` and `read_first_documents`
read the runs once more for what is shown besides scores; `page` makes of all this what
`irev.writers.results_page` writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from irev.core.arrays import MeansLowsHighs, PairValues
from irev.core.job import job
from irev.core.judged import Column, Input
from irev.core.option_records import Opt
from irev.core.output_files import replace_file
from irev.core.record import record
from irev.core.text import count_text, full_list
from irev.engine.evaluate import FirstDocumentsFinder, RunEvaluator
from irev.engine.score_runs import FEW_JUDGED_TEXT, options_with_pool, score_runs, table_if_scores
from irev.errors import (
    GENERAL_NOTE,
    InputError,
    IrevError,
    NoneScoredError,
    Notice,
    UsageError,
    note,
)
from irev.jobs.compare.comparison import (
    CompareOptions,
    Comparison,
    compare_table,
    comparison_notes,
    general_notes,
    notes_by_contrast,
    run_means,
    tests_done,
)
from irev.jobs.compare.document import comparison_document, moderation_lines
from irev.jobs.result import Result
from irev.jobs.score_job import repeat_command, run_words, watch_runs
from irev.measures.naming.resolve import lower_is_better, resolve_names
from irev.options import Options, ScoringOptions
from irev.read.formats import JUDGMENTS
from irev.read.inputs import given_runs, path_of, rewindable
from irev.scores.saved import is_saved
from irev.scores.scores import RunFirstDocuments
from irev.scores.signature import brief_form
from irev.scores.table import ScoreTable
from irev.statistics.intervals import Intervals, exact_intervals_text
from irev.statistics.methods import INTERVALS
from irev.writers.document import Document
from irev.writers.forms import form_of_path
from irev.writers.results_page import PAGE_DECIMALS
from irev.writers.results_page.page_data import (
    BaselineFamily,
    FirstDocumentsOfRuns,
    InferenceSentences,
    PageCurves,
    PageDoubt,
    PagePart,
    PairOutcomes,
    ResultsPage,
    as_sentence,
    family_of_pairs,
    inference_origin,
    inference_sentences,
    notice_texts,
    page_measure,
    page_runs,
    page_scores,
    page_topics,
    pair_counts_unlike_rounded,
    pair_outcomes,
    reason_without_test,
    rounded_means,
    run_doubts,
    tie_of_rounded,
    verdict_sentence,
)
from irev.writers.scores import estimate_lines, score_table_document

if TYPE_CHECKING:
    import pandas as pd


Value = TypeVar("Value")
_SECTION = "Options for the output"


class ReportOptions(CompareOptions):
    """The choices of a report; all runs are compared with the best one, or with each baseline."""

    without: ClassVar[Sequence[str]] = (
        "margin",
        "better_by",
        "risk",
        "risk_sd",
        "predicted_target",
    )
    predicts_topics: ClassVar[bool] = False
    default_measures: ClassVar[tuple[str, ...]] = ("map", "ndcg_cut.10", "P.10")

    title: Annotated[str, Opt(
        "--title", metavar="TEXT", section=_SECTION, help_order=1, in_short_help=True,
        effect="nothing",
        help="The title of the page. Default: the runs and the number of topics.",
    )] = ""  # fmt: skip


@record
class PrecisionAndRelevant:
    """What is known of runs and topics beside the scores, in the order of the table.

    level         the grade from which a document is relevant in it
    curves        precision by rank
    num_relevant  for each topic of the table how many relevant documents it has
    """

    level: float
    curves: PageCurves
    num_relevant: tuple[int, ...]


@record
class Report(Result):
    """Runs evaluated and compared, as a page for people.

    `html` is the page, which notebooks show and `save` writes; `print` shows its tables of means
    and differences.

    options     the choices
    qrels_name  the name of the judgments
    table       the scores; judged topics that a run lacks are 0
    comparison  None of a single run or topic
    facts       curves, and what is relevant; None where the judgments have no such thing
    first_documents  those of the runs, with their grades, likewise
    """

    options: ReportOptions
    qrels_name: str
    table: ScoreTable
    comparison: Comparison | None
    facts: PrecisionAndRelevant | None
    first_documents: tuple[RunFirstDocuments, ...] | None

    shown_by: ClassVar[str] = "irev.jobs.report:report_document"

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
        from irev.writers.results_page.page_file import results_page_bytes

        return b"".join(results_page_bytes(report_page(self, decimals)))

    def save(self, path: str | os.PathLike[str], decimals: int = PAGE_DECIMALS) -> None:
        """Write the page to a file, whole or not at all.

        Raises:
            UsageError: the name of the file promises something else, such as `.pdf`.
        """
        form_of_path(os.fspath(path), ("html",))
        page = self.page(decimals)
        with replace_file(os.fspath(path)) as stream:
            stream.write(page)

    def text(
        self,
        form: str = "text",
        decimals: int = 4,
        width: int | None = 80,
        *,
        details: bool = False,
    ) -> str:
        """The page ("html"), or the tables of means and differences in another form of output.

        Args:
            form: "html", or what `--format` of `irev compare` takes.
            decimals: how many, in the other forms that people read.
            width: characters in a line of a table; None: however many it needs.
            details: whether the details are shown too, where there are some.

        Raises:
            UsageError: there is no such form.
        """
        if form == "html":
            return self.html
        return super().text(form, decimals, width, details=details)

    def _repr_html_(self) -> str:
        """The page, in a frame of its own, since its style is not the notebook's."""
        # not `pages.html_text`, which is for one line and would show the ends of lines
        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="800"></iframe>'

    def to_frame(self) -> pd.DataFrame:
        """The means, a row for each run and measure; of a single run its scores by topic."""
        return self.comparison.means if self.comparison else self.table.to_frame()


_NO_CURVES, _NO_DOCUMENTS = "there are no curves", "no documents are shown"


@job(ReportOptions, needs=lambda options: ("pandas", "scipy"))
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
        InputError: judgments, or all runs, that cannot be read.

    Warns:
        IrevWarning: of several files one cannot be read, and is left out; a run lacks judged
            topics; scores may mislead.
    """
    qrels_or_table, runs = table_if_scores(qrels_or_table, runs, options)
    is_scored = qrels_or_table is None or isinstance(qrels_or_table, ScoreTable)
    pool = options.pool
    if not is_scored:
        qrels_or_table = rewindable(qrels_or_table)
        runs = _require_rereadable_runs(qrels_or_table, runs, options)
        pool = options_with_pool(options.base_record(Options), runs).pool
    with_pool = options.replace(pool=pool)
    # of several files one that cannot be read is left out and named
    are_files = isinstance(runs, list | tuple) and len(runs) > 1 and all(map(path_of, runs))
    try:
        table = score_runs(
            qrels_or_table, runs, measures, with_pool, keep_going=are_files, watch=watch_runs
        )
    except NoneScoredError as error:
        raise error.broken[0][1] from None
    left_out = [
        Notice(error.kind, f"left out: {str(error).splitlines()[0]}") for _, error in table.broken
    ]
    comparison, warnings = None, table.warnings
    if len(table.runs) > 1 and len(table.topics) > 1:
        comparison = compare_table(table, options.base_record(CompareOptions))
        warnings = comparison.warnings

    # what the runs show besides their scores; of single documents, by people's grades alone
    qrels_name, facts, first_documents = "", None, None
    lack_notes: list[Notice] = []
    if is_scored or options.predicted is not None:
        for lack_text in (_NO_CURVES, _NO_DOCUMENTS):
            lack_notes.append(note(f"{lack_text}: it takes runs and complete judgments"))
    else:
        qrels_name = os.path.basename(path_of(qrels_or_table))
        sources = given_runs(runs, options.own_columns).sources
        by_name = {run.name: sources[run.input_index] for run in table.runs}
        if JUDGMENTS[options.qrels_format].holds_runs:
            text = "there are no curves and no documents: answers have no ranks"
            lack_notes.append(note(text))
        else:
            facts = _make_or_note(
                lambda: score_precision_and_relevant(
                    qrels_or_table, by_name, table.columns, with_pool
                ),
                _NO_CURVES,
                lack_notes,
            )
            first_documents = _make_or_note(
                lambda: read_first_documents(
                    qrels_or_table, by_name, table.measure_names[0], with_pool
                ),
                _NO_DOCUMENTS,
                lack_notes,
            )
    return Report(
        options,
        qrels_name,
        table,
        comparison,
        facts,
        first_documents,
        warnings=(*left_out, *warnings, *lack_notes),
        exit_code=InputError.exit_code if left_out else 0,
    )


def _make_or_note(
    make: Callable[[], Value], lack_text: str, lack_notes: list[Notice]
) -> Value | None:
    """What is made; None, with a note, where the inputs have no such thing."""
    try:
        return make()
    except InputError:
        raise
    except IrevError as error:
        lack_notes.append(note(f"{lack_text}: {error}"))
        return None


def _require_rereadable_runs(qrels: Input, runs: Input, options: ReportOptions) -> Any:
    """The runs, all of which, and the judgments, can be read several times."""
    given = given_runs(runs, options.own_columns)
    for path in filter(None, map(path_of, (qrels, *given.sources))):
        can_be_read_again = os.path.isfile(path) or os.path.isdir(path)
        if path == "-" or (os.path.exists(path) and not can_be_read_again):
            raise UsageError(f"{path}: a report reads each file several times: name a regular file")
        if can_be_read_again and is_saved(path):
            raise UsageError(
                "saved scores beside judgments: a report takes QRELS RUN..., or saved scores alone"
            )
    return given.by_name if isinstance(runs, dict) else given.sources


# --- What a report shows besides the scores: the runs are read once more for it ---


JUDGED_RANK = 10
"""The rank down to which judged documents are counted."""

_RANKS = (1, 2, 3, 5, 10, 20, 30, 50, 100)
_NUM_RELEVANT, _NUM_RETRIEVED = "num_rel", "num_ret"


def score_precision_and_relevant(
    qrels: Input, runs: Mapping[str, Input], columns: Sequence[Column], options: ScoringOptions
) -> PrecisionAndRelevant:
    """Score runs by name once more, for what is shown beside the scores that were asked for.

    Args:
        qrels: the judgments.
        runs: the runs by name, in the order of the table.
        columns: the scores; where they name one level of relevance, that is it here too.
        options: the choices.
    """
    names = [column.canonical or column.name for column in columns]
    requests = resolve_names(names, options.base_record(Options))
    levels = {each.arguments.level for each in requests if each.arguments.level is not None}
    level = levels.pop() if len(levels) == 1 else options.level
    scoring = options.base_record(ScoringOptions).replace(names="file", level=level)
    counts = score_runs(qrels, runs, [_NUM_RELEVANT, _NUM_RETRIEVED], scoring)
    # a curve ends where the longest ranking of its run does
    depths = counts.scores(_NUM_RETRIEVED).max(axis=0).clip(1, _RANKS[-1]).astype(int).tolist()
    ranks = sorted({*(rank for rank in _RANKS if rank <= max(depths)), *depths})
    table = score_runs(qrels, runs, [f"P@{rank}" for rank in ranks], scoring)
    precision = np.stack([table.means(f"P@{rank}") for rank in ranks], axis=1)
    values = tuple(
        tuple(
            round(value, 4) if rank <= depth else None
            for rank, value in zip(ranks, row, strict=True)
        )
        for depth, row in zip(depths, precision.tolist(), strict=True)
    )
    about = f"Relevant is what has grade {level:g} or more."
    curves = PageCurves("Precision by rank", about, tuple(ranks), values)
    num_relevant = counts.scores(_NUM_RELEVANT).max(axis=1)
    return PrecisionAndRelevant(level, curves, tuple(map(int, num_relevant.tolist())))


def read_first_documents(
    qrels: Input, runs: Mapping[str, Input], any_measure: str, options: ScoringOptions
) -> tuple[RunFirstDocuments, ...]:
    """Read the first documents of runs once more.

    Args:
        qrels: the judgments.
        runs: the runs by name, in the order of the table.
        any_measure: one that these judgments have.
        options: the choices.

    Raises:
        UsageError: the judgments are no grades of documents, or decide the order of ties.
    """
    evaluator = RunEvaluator(
        qrels, [any_measure], options.base_record(Options), qrels_format=options.qrels_format
    )
    finder = FirstDocumentsFinder(evaluator, with_documents=True)
    return tuple(
        finder.join(evaluator.map_run_topics(run, finder.find, 1, may_be_empty=True).results)
        for run in runs.values()
    )


# --- The page: a part for all topics, and one for each class of them ---


def report_document(report: Report, decimals: int) -> Document:
    """The tables for other forms than the page: the comparison, or the means of a single run."""
    if report.comparison is not None:
        return comparison_document(report.comparison, decimals)
    return score_table_document(report.table)


def report_page(report: Report, decimals: int) -> ResultsPage:
    """What the page of a report shows."""
    table = report.table
    parts = [("", replace(table, classes=None))]
    parts += [(name, table.select_class(name)) for name in table.classes or {}]
    if len(parts) > 1:
        parts[0] = ("All topics", parts[0][1])
    runs, on = table.run_names, count_text(len(table.topics), "topic")
    title = f"{runs[0] if len(runs) == 1 else count_text(len(runs), 'run')} on {on}"
    return ResultsPage(
        report.options.title or title,
        tuple(
            _page_part(report, name, part, decimals, is_class=bool(index))
            for index, (name, part) in enumerate(parts)
        ),
    )


class _Families(NamedTuple):
    """The comparisons of all pairs, a measure at a time; and of those with baselines alone."""

    all_pairs: list[Comparison]
    with_baselines: list[Comparison]

    @classmethod
    def compare(cls, table: ScoreTable, options: CompareOptions) -> _Families:
        """Compare the runs of a table; nothing, where there is one run or topic."""
        if len(table.runs) < 2 or len(table.topics) < 2:
            return cls([], [])
        tables = [table.select_measures([column]) for column in table.columns]
        every_pair = options.replace(baselines=(), tail="two-sided")
        return cls(
            [compare_table(each, every_pair) for each in tables],
            [compare_table(each, options) for each in tables] if options.baselines else [],
        )


def _page_part(
    report: Report, name: str, table: ScoreTable, decimals: int, *, is_class: bool
) -> PagePart:
    options, facts = report.options.base_record(CompareOptions), report.facts
    families = _Families.compare(table, options)
    judged = [] if is_class else [run.judged_at_10 for run in table.runs]
    has_judged = any(share is not None for share in judged)
    runs, short_names = page_runs(table, {}, judged)
    baselines = [table.run_index(baseline) for baseline in options.baselines]
    num_relevant: dict[bytes, int] = {}
    if facts is not None:
        num_relevant = dict(zip(report.table.topics, facts.num_relevant, strict=True))
    sentences = (
        _inference_sentences(families.all_pairs) if families.all_pairs else InferenceSentences()
    )
    sentence_on_p, sentence_on_intervals = sentences.with_headings()
    firsts = None
    if report.first_documents is not None and not is_class:
        firsts = FirstDocumentsOfRuns(report.first_documents, table)
    # what a comparison counts wins in
    matrices = [table.scores(column.name) for column in table.columns]
    if families.all_pairs:
        matrices = [each.contrasts[0].contributions for each in families.all_pairs]
    falls = map(lower_is_better, table.columns)
    upward = [-m if is_lower else m for m, is_lower in zip(matrices, falls, strict=True)]
    measures, scores = tuple(map(page_measure, table.columns)), page_scores(table, runs)
    part = PagePart(
        name=name,
        kind="report",
        qrels_name=report.qrels_name,
        level=_level(report),
        decimals=decimals,
        alpha=options.alpha,
        measures=measures,
        runs=runs,
        short_names=short_names,
        baseline=baselines[0] if baselines else None,
        topics=page_topics(table, [num_relevant[topic] for topic in table.topics] if facts else ()),
        scores=scores,
        means=np.stack(
            [_means_with_intervals(table, column.name, options) for column in table.columns]
        ),
        outcomes=tuple(map(all_pair_outcomes, families.all_pairs)),
        families=tuple(_baseline_families(families.with_baselines, baselines)),
        test=sentence_on_p,
        between=sentence_on_intervals,
        no_test="" if families.all_pairs else reason_without_test(len(table.topics), len(runs)),
        tie=tie_of_rounded(options.min_diff),
        curves=facts.curves if facts and not is_class else None,
        doubts=(),
        remarks=() if is_class else tuple(_remarks(report)),
        broken=(),
        documents=firsts.documents() if firsts else None,
        made=tuple(_origin(report, table, families, sentences, short_names.left_out, decimals)),
        signature=brief_form(_signature_lines(table, families)),
        judged_rank=JUDGED_RANK if has_judged else None,
        pair_counts=pair_counts_unlike_rounded(upward, scores, measures, options.min_diff),
    )
    doubts = _doubts(report, part, firsts, families, is_class=is_class)
    verdicts = tuple(_verdicts(part, families, baselines))
    return replace(part, doubts=tuple(doubts), verdicts=verdicts)


_MOST_WITH_ALL_VERDICTS = 20
"""Of more runs only the second and the baselines have a verdict with the best."""


def _verdicts(
    part: PagePart, families: _Families, baseline_run_indices: list[int]
) -> Iterator[tuple[str | None, ...]]:
    """For each measure what may be said of each run and of the best one."""
    for measure_index, of_all_pairs in enumerate(families.all_pairs):
        best, second, *others = part.run_order(measure_index)
        named = {second, *baseline_run_indices}
        told = {second, *others} if len(part.runs) <= _MOST_WITH_ALL_VERDICTS else named
        texts: list[str | None] = [None] * len(part.runs)
        # corrected for the pairs with the baselines alone where that is shown
        for comparison in (of_all_pairs, *families.with_baselines[measure_index:][:1]):
            pairs, verdicts = comparison.contrasts[0].run_pairs, comparison.pair_verdicts[0]
            for first, other, verdict in zip(
                pairs.first.tolist(), pairs.second.tolist(), verdicts, strict=True
            ):
                run = other if first == best else first
                if best in (first, other) and run in told:
                    texts[run] = verdict_sentence(verdict, part.runs, part.decimals)
            told = named
        yield tuple(texts)


def _level(report: Report) -> float:
    """The grade from which a document is relevant."""
    return report.facts.level if report.facts is not None else report.options.level


def _means_with_intervals(
    table: ScoreTable, measure: str, options: CompareOptions
) -> MeansLowsHighs:
    """The means with their intervals, which one topic does not give."""
    means = table.means(measure)
    if len(table.topics) < 2:
        none = np.full(len(means), np.nan)
        return rounded_means(means, none, none)
    intervals = run_means(table, measure, options)
    return rounded_means(intervals.mean, intervals.low, intervals.high)


def _baseline_families(
    comparisons_by_measure: list[Comparison], baseline_run_indices: list[int]
) -> Iterator[BaselineFamily]:
    """For each baseline what the comparisons with all of them say of every run against it."""
    if not comparisons_by_measure:
        return
    sentences = _inference_sentences(comparisons_by_measure).with_headings()
    for run_index in baseline_run_indices:
        outcomes = tuple(
            outcomes_against_baseline(each, run_index) for each in comparisons_by_measure
        )
        yield BaselineFamily(run_index, *sentences, outcomes)


def _corrected_p_and_intervals(comparison: Comparison) -> tuple[PairValues, Intervals]:
    (contrast,) = comparison.contrasts
    corrected = contrast.test_results[comparison.options.tests[0]].corrected
    return corrected, contrast.difference_intervals


def all_pair_outcomes(comparison: Comparison) -> PairOutcomes:
    """What a comparison says of all pairs, in the order of the page."""
    p, intervals = _corrected_p_and_intervals(comparison)
    pairs = comparison.contrasts[0].run_pairs
    is_turned = pairs.first > pairs.second
    order = np.lexsort(
        (np.maximum(pairs.first, pairs.second), np.minimum(pairs.first, pairs.second))
    )
    low = np.where(is_turned, -intervals.high, intervals.low)
    high = np.where(is_turned, -intervals.low, intervals.high)
    difference = np.where(is_turned, -intervals.mean, intervals.mean)
    return pair_outcomes(
        p[order], difference[order], low[order], high[order], comparison.options.alpha
    )


def outcomes_against_baseline(comparison: Comparison, baseline_run_index: int) -> PairOutcomes:
    """For each run its pair with a baseline; of two baselines there is one pair, either way."""
    corrected, intervals = _corrected_p_and_intervals(comparison)
    pairs, size = comparison.contrasts[0].run_pairs, len(comparison.table.runs)
    p, difference, low, high = (np.full(size, np.nan) for _ in range(4))
    against, of = pairs.second == baseline_run_index, pairs.first == baseline_run_index
    runs, others = pairs.first[against], pairs.second[of]
    p[runs], difference[runs] = corrected[against], intervals.mean[against]
    low[runs], high[runs] = intervals.low[against], intervals.high[against]
    if comparison.options.tail == "two-sided":
        p[others], difference[others] = corrected[of], -intervals.mean[of]
        low[others], high[others] = -intervals.high[of], -intervals.low[of]
    return pair_outcomes(p, difference, low, high, comparison.options.alpha)


def _inference_sentences(comparisons_by_measure: Sequence[Comparison]) -> InferenceSentences:
    """How p was found, and what the intervals of differences hold for."""
    comparison = comparisons_by_measure[0]
    contrasts = [each.contrasts[0] for each in comparisons_by_measure]
    options, num_pairs = comparison.options, comparison.num_hypotheses
    test = options.tests[0]
    done = tests_done(contrasts, test)
    family = family_of_pairs(num_pairs, full_list(options.baselines))
    return inference_sentences(
        done,
        options.correction,
        options.ci,
        options.alpha,
        family,
        num_pairs,
        tail=options.tail,
        num_resamples=comparison.num_resamples.get(test, 0),
        has_exact=any(each.difference_intervals.is_constant.any() for each in contrasts),
    )


def _remarks(report: Report) -> Iterator[str]:
    """The notes but for those on tests and shares judged, which stand among the doubts."""
    texts_said: set[str] = set()
    if (comparison := report.comparison) is not None:
        texts_said.update(comparison_notes(report.table, comparison.options, comparison.contrasts))
    texts_said.difference_update(report.table.notes)
    for text in report.notes:
        if text not in texts_said and not text.endswith(FEW_JUDGED_TEXT):
            yield as_sentence(text, report.table.run_names)


def _doubts(
    report: Report,
    part: PagePart,
    firsts: FirstDocumentsOfRuns | None,
    families: _Families,
    *,
    is_class: bool,
) -> Iterator[PageDoubt]:
    """What makes the numbers doubtful: those of all measures, then of one."""
    if not is_class:
        yield from run_doubts(notice_texts(report.doubts), part.runs, JUDGED_RANK, firsts)
    texts_said: set[str] = set()
    for index, comparison in enumerate(families.all_pairs):
        options, contrasts = comparison.options, comparison.contrasts
        for text in general_notes(comparison.table, options, contrasts):
            measure, colon, rest = text.partition(": ")
            is_of_measure = colon and measure == part.measures[index].name
            if text not in texts_said:
                texts_said.add(text)
                yield PageDoubt(
                    as_sentence(rest if is_of_measure else text), index if is_of_measure else None
                )
        for text in notes_by_contrast(contrasts, options, comparison.num_hypotheses):
            yield PageDoubt(as_sentence(text.partition(": ")[2]), index)


def _origin(
    report: Report,
    table: ScoreTable,
    families: _Families,
    sentences: InferenceSentences,
    name_prefix_note: str,
    decimals: int,
) -> Iterator[tuple[str, str]]:
    """How the numbers were made: headings with a text each."""
    options = report.options
    if JUDGMENTS[options.qrels_format].holds_runs:
        kind = f"{options.qrels_format} of answers"
    else:
        kind = f"relevant from grade {_level(report):g}"
    yield "judgments", f"{report.qrels_name}, {kind}" if report.qrels_name else kind
    weighted = "; means are weighted" if table.weights is not None else ""
    yield "topics", as_sentence(f"{table.topics_text}{weighted}")
    if len(table.topics) > 1:
        matrices = [table.linearised_score_matrix(column.name) for column in table.columns]
        interval = f"{INTERVALS[options.ci].title}{exact_intervals_text(matrices)}"
        share = f"{100 * (1 - options.alpha):.6g}%"
        yield "intervals", f"Of means: {share} {interval}, not simultaneous."
    yield from _test_origin(families, sentences)
    for line in estimate_lines(table, options.alpha, PAGE_DECIMALS):
        yield "estimates", as_sentence(line, table.run_names)
    if options.min_diff:
        yield "ties", f"Differences of a topic up to {options.min_diff:g} are ties."
    if name_prefix_note:
        yield "names", name_prefix_note
    yield "command", _command(report, decimals)
    for line in _signature_lines(table, families):
        yield "signature", line


def _signature_lines(table: ScoreTable, families: _Families) -> list[str]:
    """The signatures of the comparisons; without these those of the runs."""
    if families.all_pairs:
        comparisons = (*families.all_pairs, *families.with_baselines)
        return [each.signature.short for each in comparisons]
    return [run.signature.short for run in table.runs if run.signature is not None]


def _test_origin(families: _Families, sentences: InferenceSentences) -> Iterator[tuple[str, str]]:
    """What the tests and the intervals of differences are."""
    if families.all_pairs:
        options = families.all_pairs[0].options
        yield from inference_origin(
            sentences, options.tests[0], options.correction, len(families.all_pairs)
        )
    for comparison in families.all_pairs:
        for line in moderation_lines(comparison.contrasts[0], comparison.options):
            # "moderated: ..." is already under its heading
            heading = "moderation" if line.startswith("moderated: ") else "tests"
            text = line.removeprefix("moderated: ")
            measure = comparison.table.measure_names[0]
            yield heading, as_sentence(f"{measure}: {text}", [measure])
    if families.with_baselines:
        for sentence in _inference_sentences(families.with_baselines).with_headings():
            yield "named baseline", as_sentence(sentence)


def _command(report: Report, decimals: int) -> str:
    """What makes the page again."""
    table, options = report.table, report.options
    baselines = [table.run_names[table.run_index(each)] for each in options.baselines]
    qrels = report.qrels_name or "QRELS"
    in_given_order = sorted(table.runs, key=lambda run: run.input_index)
    runs = run_words([run.path for run in in_given_order])
    return repeat_command(
        "report",
        table.requested,
        options.replace(baselines=baselines),
        [] if decimals == PAGE_DECIMALS else ["--places", str(decimals)],
        runs if all(run.is_saved for run in table.runs) else [qrels, *runs],
    )
