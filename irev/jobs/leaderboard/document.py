"""What is shown of leaderboards: a document, the table of a paper, and the page of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core import __version__
from irev.core.judged import Column
from irev.core.text import WIDTH, as_text, count_text, natural_sort_key, shorten_name
from irev.errors import GENERAL_NOTE
from irev.jobs.leaderboard.board import (
    PRIVATE,
    PUBLIC,
    BoardPart,
    Standing,
    TestedPairs,
    all_pair_intervals,
    assumption_notes,
    board_signature,
    compare_all_pairs,
    equal_score_lines,
    fact_lines,
    lead_text,
    missing_topic_and_repeated_document_lines,
    other_measure_indices,
    part_heading,
    run_signature,
    score_fact_lines,
    short_run_signatures,
    topic_rows,
)
from irev.jobs.score_job import repeat_command
from irev.scores.scores import MISSING_TOPIC, NUM_FIRST
from irev.scores.signature import UNSIGNED
from irev.scores.table import RunInfo
from irev.statistics.differences import every_pair
from irev.statistics.intervals import exact_intervals_text
from irev.statistics.methods import CORRECTIONS, INTERVALS, TESTS, DoneTest
from irev.writers.document import (
    Cell,
    Document,
    Head,
    Heading,
    Keyed,
    Lines,
    Marked,
    Part,
    Records,
    Table,
    finite_or_none,
    p_text,
    run_facts,
    signature_data,
)
from irev.writers.forms import text_table
from irev.writers.results_page import PAGE_DECIMALS
from irev.writers.results_page.page_data import (
    FirstDocumentsOfRuns,
    InferenceSentences,
    PageDoubt,
    PagePart,
    PageRun,
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
    verdict_sentence,
)
from irev.writers.scores import (
    estimate_lines,
    estimate_parts,
    estimate_rows,
    measure_head,
    paper_run_names,
    paper_table,
    shorten_run_names,
)

if TYPE_CHECKING:
    from irev.jobs.leaderboard.leaderboard import Board, Boards


_STANDING: Mapping[str, Callable[[Standing, RunInfo], Any]] = {
    "place": lambda each, run: each.place,
    "place_low": lambda each, run: each.low,
    "place_high": lambda each, run: each.high,
    "run": lambda each, run: run.name,
    "team": lambda each, run: each.team,
    "runs_of_team": lambda each, run: each.runs_of_team if each.team else None,
    "p_best": lambda each, run: each.p_best,
    "p_above": lambda each, run: each.p_above,
    "tied_with_best": lambda each, run: each.tied_with_best,
    "groups": lambda each, run: each.groups,
    "wins": lambda each, run: each.wins_ties_losses[0],
    "ties": lambda each, run: each.wins_ties_losses[1],
    "losses": lambda each, run: each.wins_ties_losses[2],
    "missing": lambda each, run: len(run.missing),
    "repeated": lambda each, run: run.duplicates,
}
"""What programs read of where a run stands."""


def boards_document(
    result: Board | Boards, decimals: int = 4, *, per_topic: bool = False
) -> Document:
    """The boards of tracks, and the submissions that could not be scored.

    In short: the verdict on the best run, the runs, and in three lines how that was found.

    Args:
        result: the boards of a track, or of several.
        decimals: of the numbers in the verdict.
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
    titles = [part.options.title for board in boards for part in board.parts]
    return Document(
        next(filter(None, titles), "Leaderboard"),
        _document_parts(boards, decimals, per_topic),
        [records],
        partial(_json_data, boards, per_topic),
        brief=_brief_parts(boards, decimals, per_topic),
    )


def _brief_parts(boards: Sequence[Board], decimals: int, per_topic: bool) -> Iterator[Part]:
    """The verdict, the runs, and in three lines how that was found."""
    for board in boards:
        for part in board.parts:
            name = part_heading(board, part)
            if name:
                yield Heading(name, 2)
            yield Lines([lead_text(part, decimals)], listed=False)
            table = _brief_table(part, decimals)
            yield table
            if per_topic:
                yield _topic_table(part)
            has_outcomes = any(head.name == OUTCOMES for head in table.columns)
            yield Lines([*_brief_fact_lines(part, has_outcomes=has_outcomes)])
            yield from estimate_parts(part.table, part.options.alpha)
        if not board.parts:
            yield Heading(board.name, 2)
        yield Lines([*board.broken_lines(_MOST_BROKEN_IN_SHORT)])


_MOST_BROKEN_IN_SHORT = 10

OUTCOMES = "w/t/l"
"""The head of wins, ties and losses."""


def _brief_table(part: BoardPart, decimals: int) -> Table:
    """The runs, the best first: a measure with its interval, p beside its mark, wins and losses.

    Where a line would be too long wins and losses give way, then intervals: the details have them.
    """
    standings, options = part.standings, part.options
    columns: list[tuple[Head, Callable[[Standing], Cell]]] = [
        (Head("place"), lambda each: each.place),
        (Head("run", "text"), lambda each: part.run_info(each).name),
    ]

    def measure_column(index: int) -> tuple[Head, Callable[[Standing], Cell]]:
        return Head(part.table.measure_names[index]), lambda each: mean_or_sum(
            part, index, each.run_index
        )

    def marked_p(each: Standing) -> Cell:
        if each.p_best is None:
            return ""
        p = p_text(each.p_best, decimals)
        return Keyed(f"{p} *" if each.p_best <= options.alpha else p, each.p_best)

    interval = Head(f"{100 * (1 - options.alpha):g}% interval", "text")
    outcomes = Head(OUTCOMES)
    if any(standing.team for standing in standings):
        columns.append((Head("team", "text"), lambda each: each.team or ""))
    columns.append(measure_column(part.measure_index))
    if part.has_intervals:
        columns.append((interval, lambda each: _interval(part, each)))
    if part.is_tested:
        columns.append((Head("p", "text"), marked_p))
    if len(standings) > 1:
        columns.append((outcomes, partial(_outcomes_cell, part)))
    if any(run.missing for run in part.table.runs):
        columns.append((Head("missing"), lambda each: len(part.run_info(each).missing)))
    if any(run.duplicates for run in part.table.runs):
        columns.append((Head("repeated"), lambda each: part.run_info(each).duplicates))
    columns += map(measure_column, other_measure_indices(part))
    for left_out in ((), (outcomes,), (outcomes, interval)):
        shown = [column for column in columns if column[0] not in left_out]
        rows = [[cell(standing) for _, cell in shown] for standing in standings]
        table = Table([head for head, _ in shown], rows, caption=f"Runs {part.order_text}")
        if max(map(len, text_table(table, decimals).split("\n"))) <= WIDTH:
            break
    return table


def _brief_fact_lines(part: BoardPart, *, has_outcomes: bool) -> Iterator[str]:
    """What counts; how it was tested; the signature in short."""
    table, options = part.table, part.options
    counts = table.common_topics_text or (
        f"{count_text(len(table.topics), 'topic')}; topics that a run lacks count as 0"
    )
    text = f"{count_text(len(table.runs), 'run')}, {counts}"
    num_best = sum(bool(each.tied_with_best) for each in part.standings)
    if num_best > 1 and len(part.standings) > 2:
        text += f"; {num_best} may be the best"
    if table.weights is not None:
        text += "; means are weighted"
    if part.has_intervals and options.ci != "t":
        text += f"; intervals: {INTERVALS[options.ci].title}"
    if part.num_team_runs:
        text += f"; the best of each team, chosen from {count_text(part.num_team_runs, 'run')}"
    yield text
    if part.is_tested:
        test = TESTS[part.test_done]
        method = (test.phrase if test.question else test.title) + " (Smyth 2004)" * (
            part.moderation is not None
        )
        if part.num_pairs > 1:
            title = CORRECTIONS[options.correction].title.removeprefix("corrected by ")
            method += "" if test.simultaneous else f", {title}"
            method += f", {part.num_pairs} pairs"
        yield f"p against the best: {method}; * <= {options.alpha:g}"
    signed = board_signature(part)
    last = [f"{OUTCOMES}: topics won, tied, lost against the best"] if has_outcomes else []
    if signed is not None:
        last.append(f"signature {signed.brief}")
    elif not any(run.sha256 for run in table.runs):  # of saved scores their files are known
        last.append(UNSIGNED)
    if last:
        yield "; ".join(last)


def _document_parts(boards: Sequence[Board], decimals: int, per_topic: bool) -> Iterator[Part]:
    for board in boards:
        for part in board.parts:
            name = part_heading(board, part)
            if name:
                yield Heading(name, 2)
            yield Lines([lead_text(part, decimals)], listed=False)
            yield board_table(part)
            signed = board_signature(part)
            signed_by = [] if signed is None else [f"signature: {signed.short}"]
            yield Lines(
                [*fact_lines(part), *missing_topic_and_repeated_document_lines(part), *signed_by]
            )
            yield from estimate_parts(part.table, part.options.alpha)
            if per_topic:
                yield _topic_table(part)
        if not board.parts:
            yield Heading(board.name, 2)
        yield Lines([*(f"note: {note}" for note in board.notes), *board.broken_lines()])


def board_table(part: BoardPart) -> Table:
    """The runs, the best first."""
    level = f"{100 * (1 - part.options.alpha):g}%"
    columns: list[tuple[Head, Callable[[Standing], Cell]]] = [
        (Head("place"), lambda each: each.place),
        (Head("run", "text"), lambda each: part.run_info(each).name),
    ]

    def add_measure(index: int) -> None:
        name = part.table.measure_names[index]
        columns.append((Head(name), lambda each: mean_or_sum(part, index, each.run_index)))

    if any(standing.team for standing in part.standings):
        columns += [
            (Head("team", "text"), lambda each: each.team or ""),
            (Head("of team"), lambda each: each.runs_of_team),
        ]
    add_measure(part.measure_index)
    if part.has_intervals:
        columns.append((Head(f"{level} interval"), lambda each: _interval(part, each)))
    if part.is_tested:
        columns += [
            (Head(f"{level} places"), lambda each: Keyed(f"{each.low}-{each.high}", each.low or 0)),
            (Head("p", "p"), lambda each: each.p_best),
            (Head("tied with best"), lambda each: "yes" if each.tied_with_best else "no"),
            (Head("groups", "text"), lambda each: each.groups),
        ]
    if len(part.standings) > 1:
        columns.append((Head(OUTCOMES), partial(_outcomes_cell, part)))
    columns.append((Head("missing"), lambda each: len(part.run_info(each).missing)))
    if any(run.duplicates for run in part.table.runs):
        columns.append((Head("repeated"), lambda each: part.run_info(each).duplicates))
    for index in other_measure_indices(part):
        add_measure(index)
    rows = [[cell(standing) for _, cell in columns] for standing in part.standings]
    return Table([head for head, _ in columns], rows, caption=f"Runs {part.order_text}")


def _outcomes_cell(part: BoardPart, standing: Standing) -> Cell:
    text = "/".join(map(str, standing.wins_ties_losses))
    return Keyed("" if standing is part.standings[0] else text, standing.wins_ties_losses[0])


def _interval(part: BoardPart, standing: Standing) -> tuple[float, float]:
    """Of the mean of the measure that orders the runs."""
    low, high = (ends[part.measure_index, standing.run_index] for ends in (part.low, part.high))
    return float(low), float(high)


def mean_or_sum(part: BoardPart, measure_index: int, run_index: int) -> float | int:
    """A mean, or a sum of counts."""
    value = float(part.summary[measure_index, run_index])
    is_sum = part.table.columns[measure_index].average == "sum" and value.is_integer()
    return int(value) if is_sum else value


def _topic_table(part: BoardPart) -> Table:
    """The best, the median and the worst score of each topic."""
    heads = [
        Head("topic", "text"),
        Head(f"best {part.by}"),
        Head("best run", "text"),
        Head("median"),
        Head("worst"),
    ]
    rows: list[list[Cell]] = []
    for row in sorted(topic_rows(part), key=lambda row: natural_sort_key(row.topic)):
        best_run = row.runs[0]
        if len(row.runs) > 1:
            best_run += f" and {len(row.runs) - 1} more"
        rows.append([row.topic, row.best, best_run, row.median, row.worst])
    return Table(heads, rows, caption=f"{part.by} of the runs by topic")


def _json_data(boards: Sequence[Board], per_topic: bool) -> dict[str, Any]:
    """`irev` (the version) and `leaderboard`: a list of tracks with boards, broken, notes.

    Numbers are in full precision, what there is none of is null. Each board has its `signature`,
    each run its own; `topics` with the best, the median and the worst score, and the runs' scores
    by topic, where they were asked for.
    """
    tracks = [
        {
            "name": board.name,
            "boards": [_part_data(part, per_topic) for part in board.parts],
            "could_not_be_scored": len(board.broken),
            "broken": [] if board.hides_names else [each.data() for each in board.broken],
            "notes": list(board.notes),
        }
        for board in boards
    ]
    return {"irev": __version__, "leaderboard": tracks}


def _part_data(part: BoardPart, per_topic: bool) -> dict[str, Any]:
    table, options = part.table, part.options
    correction = None
    if part.is_tested:
        is_simultaneous = TESTS[options.test].simultaneous
        correction = "in the test itself, for all pairs" if is_simultaneous else options.correction
    data: dict[str, Any] = {
        "part": part.name,
        "by": part.by,
        "measures": list(table.measure_names),
        "averaged_over": len(table.topics),
        "missing_count_as_zero": table.counts_missing_as_zero,
        "weighted": table.weights is not None,
        "test": part.test_done if part.is_tested else None,
        "correction": correction,
        "family": part.num_pairs,
        "best_of_teams_among": part.num_team_runs or None,
        "alpha": options.alpha,
        "ci": options.ci,
        "resamples": options.resamples,
        "seed": options.seed,
        "verdict": _verdict_data(part),
        "facts": [*fact_lines(part), *missing_topic_and_repeated_document_lines(part)],
        "signature": signature_data(board_signature(part)),
        "runs": [_run_data(part, standing, per_topic) for standing in part.standings],
    }
    if part.moderation is not None:
        data["moderation"] = part.moderation.facts
    if table.is_estimated:
        data["estimates"] = finite_or_none(list(estimate_rows(table, options.alpha)))
    if per_topic:
        data["topics"] = [row._asdict() for row in topic_rows(part)]
    return data


def _verdict_data(part: BoardPart) -> dict[str, Any]:
    """What may be said of the best run and the second; "not tested" where there was no test."""
    if part.verdict is None:
        return {"verdict": "not tested", "words": lead_text(part, 4)}
    row: dict[str, Any] = finite_or_none(part.verdict.row())
    return row


def _run_data(part: BoardPart, standing: Standing, per_topic: bool) -> dict[str, Any]:
    run, run_index = part.run_info(standing), standing.run_index
    data = _standing_row(part, standing)
    data |= run_facts(run) | {"runid": shorten_name(as_text(run.run_id))}
    data["measures"] = _values_and_intervals(part, run_index)
    data["signature"] = signature_data(run_signature(part, run))
    if per_topic:
        scores = part.table.values[:, :, run_index]
        data["topics"] = {
            as_text(topic): dict(zip(part.table.measure_names, column, strict=True))
            for topic, column in zip(part.table.topics, scores.T.tolist(), strict=True)
        }
    return data


def _standing_row(part: BoardPart, standing: Standing) -> dict[str, Any]:
    run = part.run_info(standing)
    return {name: value(standing, run) for name, value in _STANDING.items()}


_NO_VALUE: dict[str, float | None] = {"value": None, "low": None, "high": None}


def _values_and_intervals(part: BoardPart, run_index: int) -> dict[str, dict[str, float | None]]:
    """The means or sums of a run by measure, each with the ends of its interval."""
    return {
        name: {
            "value": float(part.summary[row, run_index]),
            "low": finite_or_none(float(part.low[row, run_index])),
            "high": finite_or_none(float(part.high[row, run_index])),
        }
        for row, name in enumerate(part.table.measure_names)
    }


def _run_records(boards: Sequence[Board], measure_names: Sequence[str]) -> Records:
    """A row for each run of each board; last, with an `error`, the submissions without scores.

    Fields: `track`, `part`, where the run stands, each measure with its interval, the number of
    topics, `signature`, `error`.
    """
    names = [cell for name in measure_names for cell in (name, f"{name}_low", f"{name}_high")]
    fields = ["track", "part", *_STANDING, *names, "averaged_over", "signature", "error"]

    def rows() -> Iterator[list[Any]]:
        for board in boards:
            for part in board.parts:
                signatures = short_run_signatures(part)
                for standing, signature in zip(part.standings, signatures, strict=True):
                    values = _values_and_intervals(part, standing.run_index)
                    known = [values.get(name, _NO_VALUE).values() for name in measure_names]
                    yield [
                        board.name,
                        part.name,
                        *_standing_row(part, standing).values(),
                        *chain.from_iterable(known),
                        len(part.table.topics),
                        signature,
                        "",
                    ]
            for number, broken in enumerate(board.broken, 1):
                run, error = broken.path, str(broken)
                if board.hides_names:
                    run, error = f"unreadable-{number}", "could not be scored"
                facts = {"track": board.name, "run": run, "error": error}
                yield [facts.get(name) for name in fields]

    return Records("runs", fields, rows())


def _topic_records(boards: Sequence[Board], measure_names: Sequence[str]) -> Records:
    """A row for each topic of each run."""

    def rows() -> Iterator[list[Any]]:
        for board in boards:
            for part in board.parts:
                own = part.table.measure_names
                indices = [own.index(name) if name in own else None for name in measure_names]
                signatures = [run_signature(part, part.run_info(each)) for each in part.standings]
                texts = ["" if each is None else each.short for each in signatures]
                for row, topic in enumerate(part.table.topics):
                    for standing, signature in zip(part.standings, texts, strict=True):
                        scores = part.table.values[:, row, standing.run_index].tolist()
                        values = [None if index is None else scores[index] for index in indices]
                        run = part.run_info(standing).name
                        yield [board.name, part.name, as_text(topic), run, *values, signature]

    fields = ["track", "part", "topic", "run", *measure_names, "signature"]
    return Records("topics", fields, rows())


# --- The table of a paper ---


def boards_paper_document(result: Board | Boards) -> Document:
    """A table for each board; for machines the boards as ever.

    The caption says how the runs were ordered and tested; all else stands in the full layout.
    """
    tables = [
        _paper_table(part, part_heading(board, part))
        for board in result.boards
        for part in board.parts
    ]
    return boards_document(result)._replace(parts=tables, brief=None)


def _paper_table(part: BoardPart, heading: str) -> Table:
    full_names = [part.run_info(each).name for each in part.standings]
    names, left_out = paper_run_names(full_names)
    has_teams = any(standing.team for standing in part.standings)
    by, *others = part.measure_index, *other_measure_indices(part)
    columns = part.table.columns
    heads = [
        Head(""),
        Head("run", "text"),
        *([Head("team", "text")] if has_teams else []),
        measure_head(columns[by]),
        *([Head("interval")] if part.has_intervals else []),
        *(measure_head(columns[index]) for index in others),
    ]
    rows: list[list[Cell]] = []
    for name, standing in zip(names, part.standings, strict=True):
        run_index = standing.run_index
        mean = mean_or_sum(part, by, run_index)
        row: list[Cell] = [standing.place, name]
        row += [standing.team or ""] if has_teams else []
        row.append(Marked(float(mean), standing.groups) if part.is_tested else mean)
        if part.has_intervals:
            row.append(_interval(part, standing))
        rows.append([*row, *(mean_or_sum(part, index, run_index) for index in others)])
    sentences = [*shorten_run_names(_caption(part, heading), full_names, names), *left_out]
    return paper_table(heads, rows, sentences, label=heading, signature=board_signature(part))


def _caption(part: BoardPart, heading: str) -> Iterator[str]:
    """What the table shows and how it was tested, a sentence each."""
    options, test = part.options, TESTS.get(part.test_done)
    title = f"{heading}: " if heading else ""
    weighted = "weighted means" if part.table.weights is not None else "means"
    interval = ""
    if part.has_intervals:
        level = f"{100 * (1 - options.alpha):g}% {INTERVALS[options.ci].title}"
        exact = exact_intervals_text([part.table.linearised_score_matrix(part.by)])
        interval = f", with its {level} interval{exact}"
    topics = part.table.common_topics_text or (
        f"{count_text(len(part.table.topics), 'topic')} (topics that a run lacks count as 0)"
    )
    yield (
        f"{title}{count_text(len(part.table.runs), 'run')} {part.order_text}{interval}; "
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


# --- The page of results ---


def leaderboard_page(boards: Sequence[Board], decimals: int) -> ResultsPage:
    """What the page of boards shows: no document and no grade, unless `documents` asks for them."""
    parts = [(board, part) for board in boards for part in board.parts]
    # what is said of tracks without a board
    lost_board_lines = [
        f"{board.name}: {line}"
        for board in boards
        if not board.parts
        for line in (*board.notes, *board.broken_lines())
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
    """What was asked for; else what the page is about: its measure, of several their tracks."""
    parts = [part for board in boards for part in board.parts]
    named = [board.name for board in boards if board.name]
    title = next((part.options.title for part in parts if part.options.title), "")
    if title:
        return title
    if len(parts) == 1:
        (part,) = parts
        which = f"{part.name} topic" if part.name in (PUBLIC, PRIVATE) else "topic"
        topics = count_text(len(part.table.topics), which)
        about = f"{count_text(len(part.standings), 'run')} by {part.by}, {topics}"
        return f"Leaderboard {named[0]}: {about}" if named else f"Leaderboard: {about}"
    by = dict.fromkeys(part.by for part in parts)
    only = {part.options.only for part in parts}
    which_topics = [f"{each} topics" for each in only if each and len(only) == 1]
    return f"Leaderboard: {', '.join([*(named or by), *which_topics])}"


_MOST_BROKEN_IN_DOUBT = 3


def _page_part(
    board: Board, part: BoardPart, name: str, lost_board_lines: Sequence[str], decimals: int
) -> PagePart:
    table, options = part.table, part.options
    teams = {
        part.run_info(standing).name: standing.team
        for standing in part.standings
        if standing.team is not None
    }
    firsts = FirstDocumentsOfRuns([run.first_documents for run in table.runs], table)
    judged = () if options.judged_only else firsts.judged_shares()
    has_judged = any(share is not None for share in judged)
    runs, short_names = page_runs(table, teams, judged)
    indices = [part.measure_index, *other_measure_indices(part)]
    columns = [table.columns[index] for index in indices]
    tested: list[TestedPairs | None] = []
    if part.is_tested:
        # all pairs of runs, whichever are shown
        others = (compare_all_pairs(part.all_runs, each, options) for each in columns[1:])
        tested = [part.tested, *others]
    sentences = _inference_sentences(part, columns, tested) if tested else InferenceSentences()
    sentence_on_p, sentence_on_intervals = sentences.with_headings()
    variance_moderation_sentences = [
        f"{column.name}: {each.moderation.text().partition(': ')[2]}."
        for column, each in zip(columns, tested, strict=False)
        if each is not None and each.moderation is not None
    ]
    signature = board_signature(part)
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
        test=sentence_on_p,
        between=sentence_on_intervals,
        no_test="" if part.is_tested else reason_without_test(len(table.topics), len(runs)),
        tie=0.0,
        curves=None,
        doubts=tuple(_doubts(board, part, runs, firsts, columns, tested)),
        remarks=(*map(as_sentence, board.notes), *lost_board_lines),
        # up to three stand among the doubts
        broken=tuple(board.broken_lines()) if len(board.broken) > _MOST_BROKEN_IN_DOUBT else (),
        documents=firsts.documents() if options.documents else None,
        made=(
            *_origin(part, sentences, variance_moderation_sentences, short_names.left_out),
            ("command", _command(board, part, decimals)),
            *([] if signature is None else [("signature", signature.short)]),
        ),
        signature="" if signature is None else signature.brief,
        verdicts=_verdicts(part, runs, decimals),
        judged_rank=NUM_FIRST if has_judged else None,
        pair_counts=pair_counts_unlike_rounded(upward, scores, measures),
    )


def _verdicts(
    part: BoardPart, runs: Sequence[PageRun], decimals: int
) -> tuple[tuple[str | None, ...], ...]:
    """That on the best run and the second, by the measure that orders the runs."""
    if part.verdict is None:
        return ()
    second = part.standings[1].run_index
    text = verdict_sentence(part.verdict, runs, decimals)
    return (tuple(text if index == second else None for index in range(len(runs))),)


def _outcomes(part: BoardPart, column: Column, tested: TestedPairs) -> PairOutcomes:
    """What the tests say of all pairs of the runs on the board; of sums, what they say of means."""
    table, options = part.all_runs, part.options
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
    done = [
        DoneTest(options.test if each is None else each.test_done, column.name)
        for column, each in zip(columns, tested, strict=True)
    ]
    has_exact = any(
        each is not None and np.isinf(each.result.facts.get("t", ())).any() for each in tested
    )
    return inference_sentences(
        done,
        options.correction,
        "t" if options.ci == "none" else options.ci,
        options.alpha,
        family,
        num_pairs,
        num_resamples=options.num_resamples(num_pairs),
        has_exact=has_exact,
    )


def _doubts(
    board: Board,
    part: BoardPart,
    runs: Sequence[PageRun],
    firsts: FirstDocumentsOfRuns,
    columns: Sequence[Column],
    tested: Sequence[TestedPairs | None],
) -> Iterator[PageDoubt]:
    """What makes the numbers doubtful: that of all measures, then what the tests assume."""
    if board.broken:
        heading, *lines = board.broken_lines()
        listed = "; ".join(lines[:_MOST_BROKEN_IN_DOUBT])
        more = len(board.broken) - _MOST_BROKEN_IN_DOUBT
        listed += f"; and {more:,} more" if lines and more > 0 else ""
        yield PageDoubt(as_sentence(f"{heading} {listed}".strip()))
    texts: list[str] = []
    # warnings of the whole board name runs, and may tell of topics that this part has not
    if not board.hides_names and part.options.public is None:
        in_other_lines = (GENERAL_NOTE, MISSING_TOPIC)
        texts += notice_texts([each for each in board.warnings if each.kind not in in_other_lines])
    texts += missing_topic_and_repeated_document_lines(part)
    yield from run_doubts(texts, runs, NUM_FIRST, firsts)
    tested_or_none = tested or [None] * len(columns)
    for index, (column, pairs) in enumerate(zip(columns, tested_or_none, strict=True)):
        if pairs is not None:
            for line in assumption_notes(part.all_runs, column.name, pairs.test_done):
                yield PageDoubt(as_sentence(line, [column.name]), index)
        for line in equal_score_lines(part, column.name):
            yield PageDoubt(as_sentence(line, [column.name]), index)


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
    options = part.options
    yield from inference_origin(
        sentences, options.test, options.correction, len(part.table.columns)
    )
    if sentences.on_p:
        level = f"{100 * (1 - options.alpha):.6g}%"
        yield "places", f"{level} places: those that the tests leave open, for all runs at once."
    for text in variance_moderation_sentences:
        yield "moderation", text
    for line in estimate_lines(part.table, options.alpha, PAGE_DECIMALS):
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
