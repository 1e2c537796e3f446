"""Leaderboards as a document: a table for each board, with notes below."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.text import as_text, shorten_name
from irev.core.version import __version__
from irev.jobs.leaderboard.facts import (
    board_signature,
    fact_lines,
    missing_topic_and_repeated_document_lines,
    other_measure_indices,
    part_heading,
    run_signature,
    short_run_signatures,
    topic_rows,
)
from irev.statistics.methods import TESTS
from irev.writers.document import Document, Head, Heading, Keyed, Lines, Records, Table
from irev.writers.machine import finite_or_none, run_facts, signature_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.leaderboard.board import BoardPart, Standing
    from irev.jobs.leaderboard.results import Board, Boards
    from irev.writers.document import Cell, Part

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
