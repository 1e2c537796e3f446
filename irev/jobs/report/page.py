"""What the page of a report shows: a part for all topics, and one for each class of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.wording import count_text, full_list
from irev.engine.score_runs import FEW_JUDGED_TEXT
from irev.jobs.compare.comparison import (
    CompareOptions,
    compare_table,
    comparison_notes,
    general_notes,
    notes_by_contrast,
)
from irev.jobs.compare.contrasts import run_means, tests_done
from irev.jobs.compare.document import comparison_document, moderation_lines
from irev.jobs.repeat_command import repeat_command, run_words
from irev.jobs.report.compared_pairs import all_pair_outcomes, outcomes_against_baseline
from irev.jobs.report.precision_and_judged import JUDGED_RANK
from irev.measures.naming.resolve import lower_is_better
from irev.read.formats import JUDGMENTS
from irev.statistics.intervals import exact_intervals_text
from irev.statistics.methods import INTERVALS
from irev.writers.document import estimate_lines
from irev.writers.results_page import PAGE_DECIMALS
from irev.writers.results_page.page_data import (
    BaselineFamily,
    FirstDocumentsOfRuns,
    PageDoubt,
    PagePart,
    ResultsPage,
    few_judged_doubts,
    page_measure,
    page_runs,
    page_scores,
    page_topics,
    pair_counts_unlike_rounded,
    rounded_means,
    shorten_run_names,
    tie_of_rounded,
    topics_in_order,
)
from irev.writers.results_page.static_page import (
    InferenceSentences,
    as_sentence,
    family_of_pairs,
    fewer_sentences,
    interval_sentence,
    notice_texts,
    other_family_sentence,
    p_sentence,
    without_heading,
)
from irev.writers.scores import score_table_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import MeansLowsHighs, TopicsByRuns
    from irev.jobs.compare.comparison import Comparison
    from irev.jobs.report.report import Report
    from irev.scores.table import ScoreTable
    from irev.writers.document import Document


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
    title = report.options.title or _title(table)
    return ResultsPage(
        title,
        tuple(
            _page_part(report, name, part, decimals, is_class=bool(index))
            for index, (name, part) in enumerate(parts)
        ),
    )


def _title(table: ScoreTable) -> str:
    runs, on = table.run_names, count_text(len(table.topics), "topic")
    return f"{runs[0] if len(runs) == 1 else count_text(len(runs), 'run')} on {on}"


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
    judged = facts.judged_shares if facts and not is_class else ()
    runs, short_names = page_runs(table, {}, judged)
    baselines = [table.run_index(baseline) for baseline in options.baselines]
    num_relevant: dict[bytes, int] = {}
    if facts is not None:
        num_relevant = dict(zip(report.table.topics, facts.num_relevant, strict=True))
    sentences = (
        _inference_sentences(families.all_pairs) if families.all_pairs else InferenceSentences()
    )
    firsts = None
    if report.first_documents is not None and not is_class:
        firsts = FirstDocumentsOfRuns(report.first_documents, topics_in_order(table))
    measures, scores = tuple(map(page_measure, table.columns)), page_scores(table, runs)
    part = PagePart(
        name=name,
        kind="report",
        qrels_name=report.qrels_name,
        level=report.options.level,
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
        test=sentences.on_p,
        between=sentences.on_intervals,
        no_test="" if families.all_pairs else _reason_without_test(table),
        tie=tie_of_rounded(options.min_diff),
        curves=facts.curves if facts and not is_class else None,
        doubts=(),
        remarks=() if is_class else tuple(_remarks(report)),
        broken=(),
        documents=firsts.documents() if firsts else None,
        made=tuple(_origin(report, table, families, sentences, short_names.left_out, decimals)),
        judged_rank=JUDGED_RANK if judged else None,
        pair_counts=pair_counts_unlike_rounded(
            _upward_scores(table, families), scores, measures, options.min_diff
        ),
    )
    doubts = _doubts(report, part, firsts, families, is_class=is_class)
    return replace(part, doubts=tuple(doubts))


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


def _upward_scores(table: ScoreTable, families: _Families) -> list[TopicsByRuns]:
    """For each measure what a comparison counts wins in."""
    matrices = [table.scores(column.name) for column in table.columns]
    if families.all_pairs:
        matrices = [each.contrasts[0].contributions for each in families.all_pairs]
    is_lower_better = map(lower_is_better, table.columns)
    return [-m if falls else m for m, falls in zip(matrices, is_lower_better, strict=True)]


def _reason_without_test(table: ScoreTable) -> str:
    if len(table.topics) < 2:
        return "One topic gives no interval and no test."
    return "" if len(table.runs) > 1 else "One run has nothing to be compared with."


def _baseline_families(
    comparisons_by_measure: list[Comparison], baseline_run_indices: list[int]
) -> Iterator[BaselineFamily]:
    """For each baseline what the comparisons with all of them say of every run against it."""
    if not comparisons_by_measure:
        return
    sentences = _inference_sentences(comparisons_by_measure)
    for run_index in baseline_run_indices:
        outcomes = tuple(
            outcomes_against_baseline(each, run_index) for each in comparisons_by_measure
        )
        yield BaselineFamily(run_index, *sentences, outcomes)


def _inference_sentences(comparisons_by_measure: Sequence[Comparison]) -> InferenceSentences:
    """How p was found, and what the intervals of differences hold for."""
    comparison = comparisons_by_measure[0]
    contrasts = [each.contrasts[0] for each in comparisons_by_measure]
    options, num_pairs = comparison.options, comparison.num_hypotheses
    test = options.tests[0]
    done = tests_done(contrasts, test)
    family = family_of_pairs(num_pairs, full_list(options.baselines))
    num_resamples = comparison.num_resamples.get(test, 0)
    return InferenceSentences(
        p_sentence(done, options.correction, options.tail, family, num_resamples),
        interval_sentence(
            done,
            options.correction,
            options.ci,
            options.alpha,
            family,
            num_pairs,
            any(each.difference_intervals.is_constant.any() for each in contrasts),
        ),
    )


def _remarks(report: Report) -> Iterator[str]:
    """The notes but for those on tests and shares judged, which stand among the doubts."""
    texts_said: set[str] = set()
    if (comparison := report.comparison) is not None:
        texts_said.update(comparison_notes(report.table, comparison.options, comparison.contrasts))
    texts_said.difference_update(report.table.notes)
    for text in report.notes:
        is_doubt = report.facts is not None and text.endswith(FEW_JUDGED_TEXT)
        if text not in texts_said and not is_doubt:
            yield as_sentence(text, report.table.run_names)


def _doubts_of_runs(
    report: Report, part: PagePart, firsts: FirstDocumentsOfRuns | None
) -> Iterator[str]:
    """What makes the numbers of some runs doubtful under any measure."""
    names = [run.short for run in part.runs]
    for text in notice_texts(report.doubts):
        yield as_sentence(shorten_run_names(text, part.runs), names)
    yield from few_judged_doubts(part.runs, JUDGED_RANK)
    if firsts is not None:
        yield from firsts.doubts(names)


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
        yield from map(PageDoubt, fewer_sentences(_doubts_of_runs(report, part, firsts)))
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
        kind = f"relevant from grade {options.level:g}"
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
    for comparison in (*families.all_pairs, *families.with_baselines):
        yield "signature", comparison.signature.short
    if not families.all_pairs:
        for run in table.runs:
            if run.signature is not None:
                yield "signature", run.signature.short


def _command(report: Report, decimals: int) -> str:
    """What makes the page again."""
    table, options = report.table, report.options
    baselines = [table.run_names[table.run_index(each)] for each in options.baselines]
    qrels = report.qrels_name or "QRELS"
    runs = run_words([run.path for run in table.runs])
    return repeat_command(
        "report",
        table.requested,
        options.replace(baselines=baselines),
        [] if decimals == PAGE_DECIMALS else ["--places", str(decimals)],
        runs if all(run.is_saved for run in table.runs) else [qrels, *runs],
    )


def _test_origin(families: _Families, sentences: InferenceSentences) -> Iterator[tuple[str, str]]:
    """What the tests and the intervals of differences are."""
    if sentences.on_p:
        yield "differences", without_heading(sentences.on_intervals)
        yield "tests", without_heading(sentences.on_p)
        options = families.all_pairs[0].options
        other = other_family_sentence(options.tests[0], options.correction, len(families.all_pairs))
        if other:
            yield "family", other
    for comparison in families.all_pairs:
        for line in moderation_lines(comparison.contrasts[0], comparison.options):
            # "moderated: ..." is already under its heading
            heading = "moderation" if line.startswith("moderated: ") else "tests"
            text = line.removeprefix("moderated: ")
            yield heading, as_sentence(f"{comparison.table.measure_names[0]}: {text}")
    if families.with_baselines:
        for sentence in _inference_sentences(families.with_baselines):
            yield "named baseline", as_sentence(sentence)
