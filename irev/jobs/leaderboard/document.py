"""Leaderboards as a document: a table for each board, with notes below."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import as_text, shorten_name
from irev.core.version import __version__
from irev.core.wording import count_text
from irev.errors import GENERAL_NOTE
from irev.jobs.leaderboard.board import (
    PRIVATE,
    PUBLIC,
    all_pair_intervals,
    assumption_notes,
    board_signature,
    compare_all_pairs,
    equal_score_lines,
    fact_lines,
    missing_topic_and_repeated_document_lines,
    other_measure_indices,
    part_heading,
    run_signature,
    score_fact_lines,
    short_run_signatures,
    topic_rows,
)
from irev.jobs.repeat_command import repeat_command
from irev.measures.naming.resolve import lower_is_better
from irev.scores.scores import DEPTH, MISSING_TOPIC
from irev.statistics.differences import every_pair
from irev.statistics.intervals import exact_intervals_text
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, DoneTest
from irev.writers.document import (
    Document,
    Head,
    Heading,
    Keyed,
    Lines,
    Marked,
    Records,
    Table,
    estimate_lines,
)
from irev.writers.machine import finite_or_none, run_facts, signature_data
from irev.writers.paper import paper_run_names, paper_table, shorten_run_names
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
    topic_order,
    topics_in_order,
    with_short_run_names,
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
    from irev.jobs.leaderboard.board import BoardPart, Standing, TestedPairs
    from irev.jobs.leaderboard.leaderboard import Board, Boards
    from irev.scores.table import ScoreTable
    from irev.writers.document import Cell, Part
    from irev.writers.results_page.page_data import PageRun, PairOutcomes


# --- Leaderboards as a document: a table for each board, with notes below ---


_STANDING = (
    "place", "place_low", "place_high", "run", "team", "runs_of_team", "p_best", "p_above",
    "tied_with_best", "groups", "wins", "ties", "losses", "missing", "repeated",
)  # fmt: skip


def boards_document(
    result: Board | Boards, unused_decimals: int = 4, *, per_topic: bool = False
) -> Document:
    """The boards of tracks, and the submissions that could not be scored.

    Args:
        result: the boards of a track, or of several.
        unused_decimals: plays no part: no sentence has a number that is cut.
        per_topic: whether the best, the median and the worst score of each topic are shown; rows
            for machines are then scores by topic, those in JSON have both.
    """
    boards = result.boards
    measure_names = list(
        dict.fromkeys(n for b in boards for part in b.parts for n in part.table.measure_names)
    )
    records = (
        _topic_records(boards, measure_names) if per_topic else _run_records(boards, measure_names)
    )
    return Document(
        "Leaderboard",
        _document_parts(boards, per_topic),
        [records],
        partial(_json_data, boards, per_topic),
    )


# For people


def _document_parts(boards: Sequence[Board], per_topic: bool) -> Iterator[Part]:
    for board in boards:
        for part in board.parts:
            name = part_heading(board, part)
            if name:
                yield Heading(name, 2)
            yield board_table(part)
            signed = board_signature(part)
            signed_by = [] if signed is None else [f"signature: {signed.short}"]
            yield Lines(
                [*fact_lines(part), *missing_topic_and_repeated_document_lines(part), *signed_by]
            )
            if part.table.is_estimated:
                yield from _sampled_estimate_parts(part)
            if per_topic:
                yield topic_table(part, f"best {part.by}")
        if not board.parts:
            yield Heading(board.name, 2)
        yield Lines([*(f"note: {note}" for note in board.notes), *board.broken_lines()])


def _sampled_estimate_parts(part: BoardPart) -> Iterator[Part]:
    """What is said of scores that were estimated from a sample of documents."""
    from irev.writers.document import estimate_parts

    yield from estimate_parts(part.table, part.options.alpha)


def board_table(part: BoardPart) -> Table:
    """The runs, the best first."""
    level = f"{100 * (1 - part.options.alpha):g}%"
    has_interval = part.options.ci != "none" and len(part.table.topics) > 1
    has_teams = any(standing.team for standing in part.standings)
    has_repeated_documents = any(run.duplicates for run in part.table.runs)
    names = part.table.measure_names
    columns = [
        Head("place"), Head("run", "text"),
        *([Head("team", "text"), Head("of team")] if has_teams else []), Head(part.by),
        *([Head(f"{level} interval")] if has_interval else []),
        *([Head(f"{level} places"), Head("p", "p"), Head("tied with best"), Head("groups", "text")]
          if part.is_tested else []),
        *([Head("w/t/l")] if len(part.standings) > 1 else []), Head("missing"),
        *([Head("repeated")] if has_repeated_documents else []),
        *(Head(names[index]) for index in other_measure_indices(part)),
    ]  # fmt: skip
    rows = [
        _table_row(part, standing, has_interval, has_teams, has_repeated_documents)
        for standing in part.standings
    ]
    order = "increasing" if part.lower_is_better else "decreasing"
    return Table(columns, rows, caption=f"Runs by {order} {part.by}")


def _table_row(
    part: BoardPart,
    standing: Standing,
    has_interval: bool,
    has_teams: bool,
    has_repeated_documents: bool,
) -> list[Cell]:
    run, run_index = part.run_info(standing), standing.run_index
    cells: list[Cell] = [standing.place, run.name]
    if has_teams:
        cells += [standing.team or "", standing.runs_of_team]
    cells.append(mean_or_sum(part, part.measure_index, run_index))
    if has_interval:
        low, high = (ends[part.measure_index, run_index] for ends in (part.low, part.high))
        cells.append((float(low), float(high)))
    if part.is_tested:
        cells.append(Keyed(f"{standing.low}-{standing.high}", standing.low or 0))
        cells += [standing.p_best, "yes" if standing.tied_with_best else "no", standing.groups]
    if len(part.standings) > 1:
        counts = "/".join(map(str, standing.wins_ties_losses))
        is_best = standing is part.standings[0]
        cells.append(Keyed("" if is_best else counts, standing.wins_ties_losses[0]))
    cells.append(len(run.missing))
    if has_repeated_documents:
        cells.append(run.duplicates)
    return [*cells, *(mean_or_sum(part, row, run_index) for row in other_measure_indices(part))]


def mean_or_sum(part: BoardPart, measure_index: int, run_index: int) -> float | int:
    """A mean, or a sum of counts."""
    value = float(part.summary[measure_index, run_index])
    is_sum = part.table.columns[measure_index].average == "sum" and value.is_integer()
    return int(value) if is_sum else value


def topic_table(part: BoardPart, best_heading: str = "best") -> Table:
    """The best, the median and the worst score of each topic, the first under the name `best`."""
    columns = [
        Head("topic", "text"), Head(best_heading), Head("best run", "text"), Head("median"),
        Head("worst"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [row.topic, row.best, _first_run(row.runs), row.median, row.worst]
        for row in topic_rows(part)
    ]
    return Table(columns, rows, caption=f"{part.by} of the runs by topic")


def _first_run(runs: Sequence[str]) -> str:
    """A run, or how many there are behind it."""
    return runs[0] if len(runs) == 1 else f"{runs[0]} and {len(runs) - 1} more"


# For machines


def _json_data(boards: Sequence[Board], per_topic: bool) -> dict[str, Any]:
    """`irev` (the version) and `leaderboard`: a list of tracks with boards, broken, notes.

    Numbers are in full precision, what there is none of is null. Each board has its `signature`,
    each run its own; `topics` with the best, the median and the worst score, and the runs' scores
    by topic, where they were asked for.
    """
    return {"irev": __version__, "leaderboard": [_track_data(board, per_topic) for board in boards]}


def _track_data(board: Board, per_topic: bool) -> dict[str, Any]:
    broken = [each.data() for each in board.broken]
    return {
        "name": board.name,
        "boards": [_part_data(part, per_topic) for part in board.parts],
        "could_not_be_scored": len(broken),
        "broken": [] if board.hides_names else broken,
        "notes": list(board.notes),
    }


def _part_data(part: BoardPart, per_topic: bool) -> dict[str, Any]:
    table, options = part.table, part.options
    data: dict[str, Any] = {
        "part": part.name,
        "by": part.by,
        "measures": list(table.measure_names),
        "averaged_over": len(table.topics),
        "missing_count_as_zero": table.counts_missing_as_zero,
        "weighted": table.weights is not None,
        "test": part.test_done if part.is_tested else None,
        "correction": _correction_text(part),
        "family": part.num_pairs,
        "best_of_teams_among": part.num_team_runs or None,
        "alpha": options.alpha,
        "ci": options.ci,
        "resamples": options.resamples,
        "seed": options.seed,
        "facts": [*fact_lines(part), *missing_topic_and_repeated_document_lines(part)],
        "signature": signature_data(board_signature(part)),
        "runs": [_run_data(part, standing, per_topic) for standing in part.standings],
    }
    if part.moderation is not None:
        data["moderation"] = part.moderation.facts
    if table.is_estimated:
        from irev.writers.document import estimate_rows

        data["estimates"] = finite_or_none(list(estimate_rows(table, options.alpha)))
    if per_topic:
        data["topics"] = [row._asdict() for row in topic_rows(part)]
    return data


def _correction_text(part: BoardPart) -> str | None:
    if not part.is_tested:
        return None
    is_corrected = TESTS[part.options.test].simultaneous
    return "in the test itself, for all pairs" if is_corrected else part.options.correction


def _run_data(part: BoardPart, standing: Standing, per_topic: bool) -> dict[str, Any]:
    run, run_index = part.run_info(standing), standing.run_index
    values = {
        name: {
            "value": float(part.summary[row, run_index]),
            "low": finite_or_none(float(part.low[row, run_index])),
            "high": finite_or_none(float(part.high[row, run_index])),
        }
        for row, name in enumerate(part.table.measure_names)
    }
    data = dict(zip(_STANDING, _standing_cells(part, standing), strict=True))
    data |= run_facts(run) | {"runid": shorten_name(as_text(run.run_id))}
    data |= {"measures": values, "signature": signature_data(run_signature(part, run))}
    if per_topic:
        scores = part.table.values[:, :, run_index]
        data["topics"] = {
            as_text(topic): dict(zip(part.table.measure_names, column, strict=True))
            for topic, column in zip(part.table.topics, scores.T.tolist(), strict=True)
        }
    return data


def _standing_cells(part: BoardPart, standing: Standing) -> list[Any]:
    """What `_STANDING` names."""
    run = part.run_info(standing)
    return [
        standing.place, standing.low, standing.high, run.name, standing.team,
        standing.runs_of_team if standing.team else None, standing.p_best, standing.p_above,
        standing.tied_with_best, standing.groups, *standing.wins_ties_losses,
        len(run.missing), run.duplicates,
    ]  # fmt: skip


def _run_records(boards: Sequence[Board], measure_names: Sequence[str]) -> Records:
    """A row for each run of each board; last, with an `error`, the submissions without scores.

    Fields: `track`, `part`, where the run stands, each measure with its interval, the number of
    topics, `signature`, `error`.
    """
    values = [cell for name in measure_names for cell in (name, f"{name}_low", f"{name}_high")]
    head = ["track", "part", *_STANDING, *values, "averaged_over", "signature", "error"]
    return Records("runs", head, _run_rows(boards, measure_names, head))


def _run_rows(
    boards: Sequence[Board], measure_names: Sequence[str], field_names: Sequence[str]
) -> Iterator[list[Any]]:
    for board in boards:
        for part in board.parts:
            signatures = short_run_signatures(part)
            for standing, signature in zip(part.standings, signatures, strict=True):
                yield [
                    board.name, part.name, *_standing_cells(part, standing),
                    *_value_and_interval_cells(part, standing.run_index, measure_names),
                    len(part.table.topics), signature, "",
                ]  # fmt: skip
        for number, broken in enumerate(board.broken, 1):
            row: list[Any] = [None] * len(field_names)
            row[0] = board.name
            row[field_names.index("run")] = (
                f"unreadable-{number}" if board.hides_names else broken.path
            )
            row[-1] = "could not be scored" if board.hides_names else str(broken)
            yield row


def _value_and_interval_cells(
    part: BoardPart, run_index: int, measure_names: Sequence[str]
) -> Iterator[float | None]:
    for name in measure_names:
        if name in part.table.measure_names:
            row = part.table.measure_names.index(name)
            yield float(part.summary[row, run_index])
            yield finite_or_none(float(part.low[row, run_index]))
            yield finite_or_none(float(part.high[row, run_index]))
        else:
            yield from (None, None, None)


def _topic_records(boards: Sequence[Board], measure_names: Sequence[str]) -> Records:
    """A row for each topic of each run."""
    head = ["track", "part", "topic", "run", *measure_names, "signature"]
    return Records("topics", head, _topic_score_rows(boards, measure_names))


def _topic_score_rows(boards: Sequence[Board], measure_names: Sequence[str]) -> Iterator[list[Any]]:
    for board in boards:
        for part in board.parts:
            own_names = part.table.measure_names
            indices = [
                own_names.index(name) if name in own_names else None for name in measure_names
            ]
            signatures = [run_signature(part, part.run_info(each)) for each in part.standings]
            signature_texts = ["" if each is None else each.short for each in signatures]
            for row, topic in enumerate(part.table.topics):
                for standing, signature_text in zip(part.standings, signature_texts, strict=True):
                    scores = part.table.values[:, row, standing.run_index].tolist()
                    values = [None if index is None else scores[index] for index in indices]
                    run = part.run_info(standing).name
                    yield [board.name, part.name, as_text(topic), run, *values, signature_text]


# --- A leaderboard as the table of a paper ---
# The caption says how the runs were ordered and tested; all else stands in the full layout.


def boards_paper_document(result: Board | Boards) -> Document:
    """A table for each board; for machines the boards as ever."""
    tables = [
        _paper_table(part, part_heading(board, part))
        for board in result.boards
        for part in board.parts
    ]
    return boards_document(result)._replace(parts=tables)


def _paper_table(part: BoardPart, heading: str) -> Table:
    full_names = [part.run_info(each).name for each in part.standings]
    names, left_out = paper_run_names(full_names)
    has_interval = part.options.ci != "none" and len(part.table.topics) > 1
    has_teams = any(standing.team for standing in part.standings)
    by, *others = part.measure_index, *other_measure_indices(part)
    heads = [
        Head(""), Head("run", "text"), *([Head("team", "text")] if has_teams else []),
        _measure_head(part, by), *([Head("interval")] if has_interval else []),
        *(_measure_head(part, index) for index in others),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for name, standing in zip(names, part.standings, strict=True):
        run_index = standing.run_index
        mean = mean_or_sum(part, by, run_index)
        row: list[Cell] = [standing.place, name]
        row += [standing.team or ""] if has_teams else []
        row.append(Marked(float(mean), standing.groups) if part.is_tested else mean)
        if has_interval:
            row.append((float(part.low[by, run_index]), float(part.high[by, run_index])))
        rows.append([*row, *(mean_or_sum(part, index, run_index) for index in others)])
    sentences = [*shorten_run_names(_caption(part, heading), full_names, names), *left_out]
    return paper_table(heads, rows, sentences, label=heading, signature=board_signature(part))


def _measure_head(part: BoardPart, measure_index: int) -> Head:
    column = part.table.columns[measure_index]
    is_mean = column.average in ("mean", "geometric")
    return Head(column.name, higher_is_better=not lower_is_better(column) if is_mean else None)


def _caption(part: BoardPart, heading: str) -> Iterator[str]:
    """What the table shows and how it was tested, a sentence each."""
    options, test = part.options, TESTS.get(part.test_done)
    title = f"{heading}: " if heading else ""
    weighted = "weighted means" if part.table.weights is not None else "means"
    order = "increasing" if part.lower_is_better else "decreasing"
    interval = (
        f", with its {100 * (1 - options.alpha):g}% {INTERVALS[options.ci].title} interval"
        + exact_intervals_text([part.table.linearised_score_matrix(part.by)])
        if options.ci != "none" and len(part.table.topics) > 1
        else ""
    )
    topics = part.table.common_topics_text or (
        f"{count_text(len(part.table.topics), 'topic')} (topics that a run lacks count as 0)"
    )
    yield (
        f"{title}{count_text(len(part.table.runs), 'run')} by {order} {part.by}{interval}; "
        f"{weighted} over {topics}, best in bold."
    )
    if part.num_team_runs:
        yield f"The best of the {count_text(part.num_team_runs, 'run')} of each team."
    if part.is_tested and test is not None:
        pairs = "the pair" if part.num_pairs == 1 else f"all {part.num_pairs} pairs"
        corrected = (
            f"for {pairs} at once"
            if test.simultaneous
            else f"{CORRECTIONS[options.correction].title} for {pairs}"
        )
        yield (
            "Runs that share a letter do not differ significantly under "
            f"{part.by} (p > {options.alpha:g}, {test.phrase}, two-sided, {corrected})."
        )
    yield from (f"Note: {text}." for text in missing_topic_and_repeated_document_lines(part))


# --- What the page of leaderboards shows: a part for each board ---


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
            yield as_sentence(with_short_run_names(text, runs), names)
    for line in missing_topic_and_repeated_document_lines(part):
        yield as_sentence(with_short_run_names(line, runs), names)
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
