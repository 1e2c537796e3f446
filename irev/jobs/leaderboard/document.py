"""Leaderboards as a document: a table for each board, with notes below."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from irev.core.text import as_text, shorten
from irev.core.version import __version__
from irev.jobs.leaderboard.track import (
    board_signature,
    facts,
    heading,
    missing_lines,
    others,
    signature,
    topic_rows,
)
from irev.statistics.methods import TESTS
from irev.writers.document import Document, Head, Heading, Keyed, Lines, Records, Table
from irev.writers.machine import finite_or_none, run_facts, signature_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.leaderboard.board import Board, Standing
    from irev.jobs.leaderboard.track import Track
    from irev.scores.signature import ComparisonSignature, Signature
    from irev.writers.document import Cell, Part

_STANDING = (
    "place", "place_low", "place_high", "run", "team", "runs_of_team", "p_best", "p_above",
    "as_best", "groups", "wins", "ties", "losses", "missing", "repeated",
)  # fmt: skip


def document(tracks: Sequence[Track], *, per_topic: bool = False) -> Document:
    """The boards of tracks, and the submissions that could not be scored.

    Args:
        tracks: the tracks.
        per_topic: whether the best, the median and the worst score of each topic are shown; rows
            for machines are then scores by topic, those in JSON have both.
    """
    names = list(dict.fromkeys(n for t in tracks for b in t.boards for n in b.table.measure_names))
    records = _topics(tracks, names) if per_topic else _standings(tracks, names)
    return Document(
        "Leaderboard", _parts(tracks, per_topic), [records], partial(_data, tracks, per_topic)
    )


# For people


def _parts(tracks: Sequence[Track], per_topic: bool) -> Iterator[Part]:
    for track in tracks:
        for board in track.boards:
            name = heading(track, board)
            if name:
                yield Heading(name, 2)
            yield board_table(board)
            signed = board_signature(board)
            signed_by = [] if signed is None else [f"signature: {signed.short}"]
            yield Lines([*facts(board), *missing_lines(board), *signed_by])
            if per_topic:
                yield topic_table(board, f"best {board.by}")
        if not track.boards:
            yield Heading(track.name, 2)
        yield Lines([*(f"note: {note}" for note in track.notes), *track.broken_lines()])


def board_table(board: Board) -> Table:
    """The runs, the best first."""
    level = f"{100 * (1 - board.rules.alpha):g}%"
    has_interval = board.rules.interval != "none" and len(board.table.topics) > 1
    has_teams = any(standing.team for standing in board.standings)
    repaired = any(entry.duplicates for entry in board.table.runs)
    names = board.table.measure_names
    columns = [
        Head("place"), Head("run", "text"),
        *([Head("team", "text"), Head("of team")] if has_teams else []), Head(board.by),
        *([Head(f"{level} interval")] if has_interval else []),
        *([Head(f"{level} places"), Head("p", "p"), Head("as best"), Head("groups", "text")]
          if board.tested else []),
        *([Head("w/t/l")] if len(board.standings) > 1 else []), Head("missing"),
        *([Head("repeated")] if repaired else []), *(Head(names[row]) for row in others(board)),
    ]  # fmt: skip
    rows = [
        _row(board, standing, has_interval, has_teams, repaired) for standing in board.standings
    ]
    order = "increasing" if board.lower_is_better else "decreasing"
    return Table(columns, rows, caption=f"Runs by {order} {board.by}")


def _row(
    board: Board, standing: Standing, has_interval: bool, has_teams: bool, repaired: bool
) -> list[Cell]:
    entry, number = board.entry(standing), standing.number
    cells: list[Cell] = [standing.place, entry.name]
    if has_teams:
        cells += [standing.team or "", standing.of_team]
    cells.append(_value(board, board.row, number))
    if has_interval:
        cells.append((float(board.low[board.row, number]), float(board.high[board.row, number])))
    if board.tested:
        cells.append(Keyed(f"{standing.low}-{standing.high}", standing.low or 0))
        cells += [standing.p_best, "yes" if standing.as_best else "no", standing.groups]
    if len(board.standings) > 1:
        against = "/".join(map(str, standing.against))
        is_best = standing is board.standings[0]
        cells.append(Keyed("" if is_best else against, standing.against[0]))
    cells.append(len(entry.missing))
    if repaired:
        cells.append(entry.duplicates)
    return [*cells, *(_value(board, row, number) for row in others(board))]


def _value(board: Board, row: int, number: int) -> float | int:
    """A mean, or a sum of counts."""
    value = float(board.summary[row, number])
    is_sum = board.table.columns[row].average == "sum" and value.is_integer()
    return int(value) if is_sum else value


def topic_table(board: Board, best: str = "best") -> Table:
    """The best, the median and the worst score of each topic, the first under the name `best`."""
    columns = [
        Head("topic", "text"), Head(best), Head("best run", "text"), Head("median"),
        Head("worst"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [r.topic, r.best, _few(r.runs), r.median, r.worst] for r in topic_rows(board)
    ]
    return Table(columns, rows, caption=f"{board.by} of the runs by topic")


def _few(runs: Sequence[str]) -> str:
    """A run, or how many there are behind it."""
    return runs[0] if len(runs) == 1 else f"{runs[0]} and {len(runs) - 1} more"


# For machines


def _data(tracks: Sequence[Track], per_topic: bool) -> dict[str, Any]:
    """`irev` (the version) and `leaderboard`: a list of tracks with boards, broken, notes.

    Numbers are in full precision, what there is none of is null. Each board has its `signature`,
    each run its own; `topics` with the best, the median and the worst score, and the runs' scores
    by topic, where they were asked for.
    """
    return {"irev": __version__, "leaderboard": [_track(track, per_topic) for track in tracks]}


def _track(track: Track, per_topic: bool) -> dict[str, Any]:
    broken = [
        {"path": each.path, "line": each.line, "kind": each.kind, "reason": each.meaning}
        for each in track.broken
    ]
    return {
        "name": track.name,
        "boards": [_board(board, per_topic) for board in track.boards],
        "could_not_be_scored": len(broken),
        "broken": [] if track.hides else broken,
        "notes": list(track.notes),
    }


def _board(board: Board, per_topic: bool) -> dict[str, Any]:
    table, rules = board.table, board.rules
    about: dict[str, Any] = {
        "part": board.part,
        "by": board.by,
        "measures": list(table.measure_names),
        "averaged_over": len(table.topics),
        "missing_count_as_zero": True,
        "weighted": table.weights is not None,
        "test": rules.test if board.tested else None,
        "correction": _correction(board),
        "family": board.family,
        "best_of_teams_among": board.of_runs or None,
        "alpha": rules.alpha,
        "ci": rules.interval,
        "resamples": rules.resamples,
        "seed": rules.seed,
        "facts": [*facts(board), *missing_lines(board)],
        "signature": signature_data(board_signature(board)),
        "runs": [_run(board, standing, per_topic) for standing in board.standings],
    }
    if per_topic:
        about["topics"] = [row._asdict() for row in topic_rows(board)]
    return about


def _correction(board: Board) -> str | None:
    if not board.tested:
        return None
    is_corrected = TESTS[board.rules.test].simultaneous
    return "in the test itself, for all pairs" if is_corrected else board.rules.correction


def _run(board: Board, standing: Standing, per_topic: bool) -> dict[str, Any]:
    entry, number = board.entry(standing), standing.number
    values = {
        name: {
            "value": float(board.summary[row, number]),
            "low": finite_or_none(float(board.low[row, number])),
            "high": finite_or_none(float(board.high[row, number])),
        }
        for row, name in enumerate(board.table.measure_names)
    }
    about = dict(zip(_STANDING, _cells(board, standing), strict=True))
    about |= run_facts(entry) | {"runid": shorten(as_text(entry.run_id))}
    about |= {"measures": values, "signature": signature_data(signature(board, entry))}
    if per_topic:
        scores = board.table.values[:, :, number]
        about["topics"] = {
            as_text(topic): dict(zip(board.table.measure_names, column, strict=True))
            for topic, column in zip(board.table.topics, scores.T.tolist(), strict=True)
        }
    return about


def _cells(board: Board, standing: Standing) -> list[Any]:
    """What `_STANDING` names."""
    entry = board.entry(standing)
    return [
        standing.place, standing.low, standing.high, entry.name, standing.team,
        standing.of_team if standing.team else None, standing.p_best, standing.p_above,
        standing.as_best, standing.groups, *standing.against, len(entry.missing), entry.duplicates,
    ]  # fmt: skip


def _short(signed: Signature | ComparisonSignature | None) -> str:
    return "" if signed is None else signed.short


def _standings(tracks: Sequence[Track], names: Sequence[str]) -> Records:
    """A row for each run of each board; last, with an `error`, the submissions without scores.

    Fields: `track`, `part`, where the run stands, each measure with its interval, the number of
    topics, `signature`, `error`.
    """
    values = [cell for name in names for cell in (name, f"{name}_low", f"{name}_high")]
    head = ["track", "part", *_STANDING, *values, "averaged_over", "signature", "error"]
    return Records("runs", head, _runs(tracks, names, head))


def _runs(
    tracks: Sequence[Track], names: Sequence[str], head: Sequence[str]
) -> Iterator[list[Any]]:
    for track in tracks:
        for board in track.boards:
            for standing in board.standings:
                yield [
                    track.name, board.part, *_cells(board, standing),
                    *_values(board, standing.number, names), len(board.table.topics),
                    _short(board_signature(board, board.entry(standing))), "",
                ]  # fmt: skip
        for number, broken in enumerate(track.broken, 1):
            row: list[Any] = [None] * len(head)
            row[0] = track.name
            row[head.index("run")] = f"unreadable-{number}" if track.hides else broken.path
            row[-1] = "could not be scored" if track.hides else str(broken)
            yield row


def _values(board: Board, number: int, names: Sequence[str]) -> Iterator[float | None]:
    for name in names:
        if name in board.table.measure_names:
            row = board.table.measure_names.index(name)
            yield float(board.summary[row, number])
            yield finite_or_none(float(board.low[row, number]))
            yield finite_or_none(float(board.high[row, number]))
        else:
            yield from (None, None, None)


def _topics(tracks: Sequence[Track], names: Sequence[str]) -> Records:
    """A row for each topic of each run."""
    head = ["track", "part", "topic", "run", *names, "signature"]
    return Records("topics", head, _scores(tracks, names))


def _scores(tracks: Sequence[Track], names: Sequence[str]) -> Iterator[list[Any]]:
    for track in tracks:
        for board in track.boards:
            measures = board.table.measure_names
            at = [measures.index(name) if name in measures else None for name in names]
            signed = [_short(signature(board, board.entry(each))) for each in board.standings]
            for row, topic in enumerate(board.table.topics):
                for standing, short in zip(board.standings, signed, strict=True):
                    scores = board.table.values[:, row, standing.number].tolist()
                    values = [None if each is None else scores[each] for each in at]
                    run = board.entry(standing).name
                    yield [track.name, board.part, as_text(topic), run, *values, short]
