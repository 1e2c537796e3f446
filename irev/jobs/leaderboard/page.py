"""What the page of leaderboards shows: a part for each board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.wording import count_text
from irev.errors import GENERAL_NOTE
from irev.jobs.leaderboard.facts import (
    board_signature,
    equal_score_lines,
    missing_topic_and_repeated_document_lines,
    part_heading,
    score_fact_lines,
)
from irev.jobs.leaderboard.pair_tests import (
    all_pair_intervals,
    assumption_notes,
    compare_all_pairs,
)
from irev.jobs.leaderboard.topic_parts import PRIVATE, PUBLIC
from irev.jobs.repeat_command import repeat_command
from irev.scores.scores import DEPTH, MISSING_TOPIC
from irev.statistics.differences import every_pair
from irev.statistics.methods import DoneTest
from irev.writers.document import estimate_lines
from irev.writers.results_page import PAGE_DECIMALS
from irev.writers.results_page.page_data import (
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
    pair_outcomes,
    rounded_means,
    shorten_run_names,
    topic_order,
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Floats
    from irev.core.judged import Column
    from irev.jobs.leaderboard.board import BoardPart
    from irev.jobs.leaderboard.pair_tests import TestedPairs
    from irev.jobs.leaderboard.results import Board
    from irev.scores.table import ScoreTable
    from irev.writers.results_page.page_data import PageRun, PairOutcomes


def leaderboard_page(boards: Sequence[Board], decimals: int) -> ResultsPage:
    """What the page of boards shows: no document and no grade, unless `documents` asks for them."""
    parts = [(board, part) for board in boards for part in board.parts]
    lost_board_lines = [
        line for board in boards if not board.parts for line in _lost_board_lines(board)
    ]
    names = [part_heading(*each) for each in parts]
    if len(parts) > 1:
        names = [name or f"Runs by {part.by}" for name, (_, part) in zip(names, parts, strict=True)]
    return ResultsPage(
        _page_title(boards),
        tuple(
            _page_part(board, part, name if len(parts) > 1 else "", lost_board_lines, decimals)
            for name, (board, part) in zip(names, parts, strict=True)
        ),
    )


def _page_title(boards: Sequence[Board]) -> str:
    """What the page is about: of a single board its measure, of several their tracks."""
    parts = [part for board in boards for part in board.parts]
    named = [board.name for board in boards if board.name]
    if len(parts) == 1:
        (part,) = parts
        about = f"{count_text(len(part.standings), 'run')} by {part.by}"
        about += f", {_topics_text(part)}"
        return f"Leaderboard {named[0]}: {about}" if named else f"Leaderboard: {about}"
    by = dict.fromkeys(part.by for part in parts)
    only = {part.options.only for part in parts}
    topics = [f"{each} topics" for each in only if each and len(only) == 1]
    return f"Leaderboard: {', '.join([*(named or by), *topics])}"


def _topics_text(part: BoardPart) -> str:
    """How many topics a board has, and which, where they are not all."""
    which = f"{part.name} topic" if part.name in (PUBLIC, PRIVATE) else "topic"
    return count_text(len(part.table.topics), which)


def _lost_board_lines(board: Board) -> Iterator[str]:
    """What is said of a track without a board."""
    lines = (*board.notes, *board.broken_lines())
    yield from (f"{board.name}: {line}" for line in lines)


def _page_part(
    board: Board, part: BoardPart, name: str, lost_board_lines: Sequence[str], decimals: int
) -> PagePart:
    table, options = part.table, part.options
    teams = {
        part.run_info(standing).name: standing.team
        for standing in part.standings
        if standing.team is not None
    }
    firsts = FirstDocumentsOfRuns(
        [run.first_documents for run in table.runs], topics_in_order(table)
    )
    judged = () if options.judged_only else firsts.judged_shares(_weights_in_order(table))
    has_judged = any(share is not None for share in judged)
    runs, short_names = page_runs(table, teams, judged)
    columns = _page_columns(part)
    indices = [table.columns.index(column) for column in columns]
    tested = [_tested_pairs(part, column) for column in columns] if part.is_tested else []
    sentences = _inference_sentences(part, columns, tested) if tested else InferenceSentences()
    variance_moderation_sentences = [
        f"{column.name}: {each.moderation.text().partition(': ')[2]}."
        for column, each in zip(columns, tested, strict=False)
        if each is not None and each.moderation is not None
    ]
    measures = tuple(page_measure(each, is_sum=each.average == "sum") for each in columns)
    scores = page_scores(table, runs)[indices]
    upward = [
        table.scores(column.name) * (1 if measure.higher else -1)
        for column, measure in zip(columns, measures, strict=True)
    ]
    return PagePart(
        name=name,
        kind="board",
        qrels_name="",
        level=options.level,
        decimals=decimals,
        alpha=options.alpha,
        measures=measures,
        runs=runs,
        short_names=short_names,
        baseline=None,
        topics=page_topics(table),
        scores=scores,
        means=np.stack(
            [rounded_means(part.summary[i], part.low[i], part.high[i]) for i in indices]
        ),
        outcomes=tuple(
            None if each is None else _outcomes(part, column, each)
            for column, each in zip(columns, tested, strict=False)
        ),
        families=(),
        test=sentences.on_p,
        between=sentences.on_intervals,
        no_test="" if part.is_tested else _reason_without_test(part),
        tie=0.0,
        curves=None,
        doubts=tuple(_doubts(board, part, runs, firsts, columns, tested)),
        remarks=(*map(as_sentence, board.notes), *lost_board_lines),
        broken=tuple(board.broken_lines()),
        documents=firsts.documents() if options.documents else None,
        made=(
            *_origin(part, sentences, variance_moderation_sentences, short_names.left_out),
            ("command", _command(board, part, decimals)),
            *_signature(part),
        ),
        judged_rank=DEPTH if has_judged else None,
        pair_counts=pair_counts_unlike_rounded(upward, scores, measures),
    )


def _weights_in_order(table: ScoreTable) -> Floats | None:
    """Those of the topics, in the order of the page."""
    return None if table.weights is None else table.weights[topic_order(table)]


def _page_columns(part: BoardPart) -> list[Column]:
    """The measures, that which orders the runs first."""
    columns = [*part.table.columns]
    return [columns.pop(part.measure_index), *columns]


def _tested_pairs(part: BoardPart, column: Column) -> TestedPairs | None:
    """All pairs of runs under a measure, whichever runs are shown."""
    if column.name == part.by:
        return part.tested
    return compare_all_pairs(part.all_runs or part.table, column, part.options)


def _outcomes(part: BoardPart, column: Column, tested: TestedPairs) -> PairOutcomes:
    """What the tests say of all pairs of the runs on the board; of sums, what they say of means."""
    table, options = part.all_runs or part.table, part.options
    intervals = all_pair_intervals(table, column, options, tested)
    pairs = every_pair(len(table.runs))
    is_shown = np.isin(pairs.first, part.shown) & np.isin(pairs.second, part.shown)
    scale = len(table.topics) if column.average == "sum" else 1
    means, low, high = (
        scale * each[is_shown] for each in (intervals.mean, intervals.low, intervals.high)
    )
    return pair_outcomes(tested.corrected[is_shown], means, low, high, options.alpha)


def _inference_sentences(
    part: BoardPart, columns: Sequence[Column], tested: Sequence[TestedPairs | None]
) -> InferenceSentences:
    """How p was found, and what the intervals of differences hold for."""
    options, num_pairs = part.options, part.num_pairs
    family = family_of_pairs(num_pairs)
    if part.num_team_runs:
        family = f"all {num_pairs} pairs of the {part.num_team_runs} runs under a measure"
    ci = "t" if options.ci == "none" else options.ci
    num_resamples = options.num_resamples(num_pairs)
    done = [
        DoneTest(options.test if each is None else each.test_done, column.name)
        for column, each in zip(columns, tested, strict=True)
    ]
    has_exact = any(
        each is not None and np.isinf(each.result.facts.get("t", ())).any() for each in tested
    )
    return InferenceSentences(
        p_sentence(done, options.correction, "two-sided", family, num_resamples),
        interval_sentence(
            done, options.correction, ci, options.alpha, family, num_pairs, has_exact
        ),
    )


def _reason_without_test(part: BoardPart) -> str:
    if len(part.table.topics) < 2:
        return "One topic gives no interval and no test."
    if len(part.standings) < 2:
        return "One run has nothing to be compared with."
    return "No test was asked for."


def _doubts_of_runs(
    board: Board, part: BoardPart, runs: Sequence[PageRun], firsts: FirstDocumentsOfRuns
) -> Iterator[str]:
    """What makes the numbers of some runs doubtful under any measure.

    Warnings of the whole board name runs, and may tell of topics that this part has not.
    """
    names = [run.short for run in runs]
    if not board.hides_names and part.options.public is None:
        kinds_in_other_lines = (GENERAL_NOTE, MISSING_TOPIC)
        warnings = [each for each in board.warnings if each.kind not in kinds_in_other_lines]
        for text in notice_texts(warnings):
            yield as_sentence(shorten_run_names(text, runs), names)
    for line in missing_topic_and_repeated_document_lines(part):
        yield as_sentence(shorten_run_names(line, runs), names)
    yield from few_judged_doubts(runs, DEPTH)
    yield from firsts.doubts(names)


def _doubts(
    board: Board,
    part: BoardPart,
    runs: Sequence[PageRun],
    firsts: FirstDocumentsOfRuns,
    columns: Sequence[Column],
    tested: Sequence[TestedPairs | None],
) -> Iterator[PageDoubt]:
    """What makes the numbers doubtful: that of all measures, then what the tests assume."""
    yield from map(PageDoubt, fewer_sentences(_doubts_of_runs(board, part, runs, firsts)))
    table = part.all_runs or part.table
    tested_or_none = tested or [None] * len(columns)
    for index, (column, pairs) in enumerate(zip(columns, tested_or_none, strict=True)):
        if pairs is not None:
            for line in assumption_notes(table, column.name, pairs.test_done):
                yield PageDoubt(as_sentence(line), index)
        for line in equal_score_lines(part, column.name):
            yield PageDoubt(as_sentence(line), index)


def _origin(
    part: BoardPart,
    sentences: InferenceSentences,
    variance_moderation_sentences: Sequence[str],
    name_prefix_note: str,
) -> Iterator[tuple[str, str]]:
    """How the numbers were made: headings with a text each."""
    board, *lines = score_fact_lines(part)
    yield "board", as_sentence(board)
    for line in lines:
        yield "intervals" if "interval" in line else "board", as_sentence(line)
    if sentences.on_p:
        yield "differences", without_heading(sentences.on_intervals)
        yield "tests", without_heading(sentences.on_p)
        options = part.options
        other = other_family_sentence(options.test, options.correction, len(part.table.columns))
        if other:
            yield "family", other
        level = f"{100 * (1 - part.options.alpha):.6g}%"
        yield "places", f"{level} places: those that the tests leave open, for all runs at once."
    for text in variance_moderation_sentences:
        yield "moderation", text
    for line in estimate_lines(part.table, part.options.alpha, PAGE_DECIMALS):
        yield "estimates", as_sentence(line, part.table.run_names)
    if name_prefix_note:
        yield "names", name_prefix_note


def _command(board: Board, part: BoardPart, decimals: int) -> str:
    """What makes the board again; its submissions stand in folders, and not all are shown."""
    words = ["--anonymous"] if board.hides_names else []
    words += ["--format", "html"]
    if decimals != PAGE_DECIMALS:
        words += ["--places", str(decimals)]
    options, table = part.options, part.table
    is_scored = all(run.is_saved for run in table.runs) and not options.accept_scores
    files = ["RUN..."] if is_scored else ["QRELS", "RUN..."]
    return repeat_command(
        "leaderboard", table.requested, options, words, files, hides_files=board.hides_names
    )


def _signature(part: BoardPart) -> Iterator[tuple[str, str]]:
    signature = board_signature(part)
    if signature is not None:
        yield "signature", signature.short
