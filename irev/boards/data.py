"""Leaderboards for machines: JSON with everything, CSV with a line for each run of each board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.boards.rules import CORRECTION
from irev.boards.track import facts, missing_lines, signature, topic_rows
from irev.core.text import as_text
from irev.statistics.methods import TESTS
from irev.writers.entries import about_run, both_forms
from irev.writers.machine import as_json, delimited, finite
from irev.writers.version import version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.boards.board import Board, Standing
    from irev.boards.track import Track
    from irev.core.matrices import Entry

_STANDING = (
    "place", "place_low", "place_high", "run", "team", "runs_of_team", "p_best", "p_above",
    "as_best", "groups", "wins", "ties", "losses", "missing", "repeated",
)  # fmt: skip


def write_json(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[bytes]:
    """`irev` (the version) and `leaderboard`: a list of tracks with boards, broken, notes.

    Numbers are in full precision, what there is none of is null. Each board has its `signature`,
    each run its own; `topics` with the best, the median and the worst score, and the runs' scores
    by topic, where they were asked for.
    """
    whole = {
        "irev": version(),
        "leaderboard": [_track(track, per_topic) for track in tracks],
    }
    yield as_json(whole)


def _track(track: Track, per_topic: bool) -> dict[str, Any]:
    broken = [each._asdict() for each in track.broken]
    return {
        "name": track.name,
        "boards": [_board(board, per_topic) for board in track.boards],
        "could_not_be_scored": len(broken),
        "broken": [] if track.hides else broken,
        "notes": list(track.notes),
    }


def _board(board: Board, per_topic: bool) -> dict[str, Any]:
    matrices, rules = board.matrices, board.rules
    runs = len(matrices.entries)
    about: dict[str, Any] = {
        "part": board.part,
        "by": board.by,
        "measures": list(matrices.measures),
        "averaged_over": len(matrices.topics),
        "missing_count_as_zero": True,
        "weighted": matrices.weights is not None,
        "test": rules.test if board.tested else None,
        "correction": _correction(board),
        "family": runs * (runs - 1) // 2 if board.tested else 0,
        "alpha": rules.alpha,
        "ci": rules.interval,
        "resamples": rules.resamples,
        "seed": rules.seed,
        "facts": [*facts(board), *missing_lines(board)],
        "signature": both_forms(signature(board)),
        "runs": [_run(board, standing, per_topic) for standing in board.standings],
    }
    if per_topic:
        about["topics"] = [row._asdict() for row in topic_rows(board)]
    return about


def _correction(board: Board) -> str | None:
    if not board.tested:
        return None
    is_corrected = TESTS[board.rules.test].simultaneous
    return "in the test itself, for all pairs" if is_corrected else CORRECTION


def _run(board: Board, standing: Standing, per_topic: bool) -> dict[str, Any]:
    entry, number = board.entry(standing), standing.number
    values = {
        name: {
            "value": float(board.summary[row, number]),
            "low": finite(float(board.low[row, number])),
            "high": finite(float(board.high[row, number])),
        }
        for row, name in enumerate(board.matrices.measures)
    }
    about = dict(zip(_STANDING, _cells(board, standing), strict=True))
    about |= about_run(entry)
    about |= {"measures": values, "signature": both_forms(signature(board, entry))}
    if per_topic:
        scores = board.matrices.values[:, :, number]
        about["topics"] = {
            as_text(topic): dict(zip(board.matrices.measures, column, strict=True))
            for topic, column in zip(board.matrices.topics, scores.T.tolist(), strict=True)
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


def _short(board: Board, entry: Entry) -> str:
    signed = signature(board, entry)
    return "" if signed is None else signed.short


def write_csv(tracks: Sequence[Track], places: int, per_topic: bool) -> Iterator[bytes]:
    """A line for each run of each board; last, with an `error`, the submissions without scores.

    Columns: `track`, `part`, where the run stands, each measure with its interval, the number of
    topics, `signature`, `error`. With `per_topic` instead `track`, `part`, `topic`, `run` and the
    measures: a line for each topic of each run.
    """
    names = list(dict.fromkeys(n for t in tracks for b in t.boards for n in b.matrices.measures))
    return delimited(_topic_table(tracks, names) if per_topic else _table(tracks, names))


def _table(tracks: Sequence[Track], names: Sequence[str]) -> Iterator[list[Any]]:
    values = [cell for name in names for cell in (name, f"{name}_low", f"{name}_high")]
    head = ["track", "part", *_STANDING, *values, "averaged_over", "signature", "error"]
    yield head
    for track in tracks:
        for board in track.boards:
            for standing in board.standings:
                yield [
                    track.name, board.part, *_cells(board, standing),
                    *_values(board, standing.number, names), len(board.matrices.topics),
                    _short(board, board.entry(standing)), "",
                ]  # fmt: skip
        for number, broken in enumerate(track.broken, 1):
            row: list[Any] = [None] * len(head)
            row[0] = track.name
            row[head.index("run")] = f"unreadable-{number}" if track.hides else broken.path
            row[-1] = "could not be scored" if track.hides else str(broken)
            yield row


def _values(board: Board, number: int, names: Sequence[str]) -> Iterator[float | None]:
    for name in names:
        if name in board.matrices.measures:
            row = board.matrices.measures.index(name)
            yield float(board.summary[row, number])
            yield finite(float(board.low[row, number]))
            yield finite(float(board.high[row, number]))
        else:
            yield from (None, None, None)


def _topic_table(tracks: Sequence[Track], names: Sequence[str]) -> Iterator[list[Any]]:
    yield ["track", "part", "topic", "run", *names, "signature"]
    for track in tracks:
        for board in track.boards:
            measures = board.matrices.measures
            at = [measures.index(name) if name in measures else None for name in names]
            signed = [_short(board, board.entry(standing)) for standing in board.standings]
            for row, topic in enumerate(board.matrices.topics):
                for standing, short in zip(board.standings, signed, strict=True):
                    scores = board.matrices.values[:, row, standing.number].tolist()
                    values = [None if each is None else scores[each] for each in at]
                    run = board.entry(standing).name
                    yield [track.name, board.part, as_text(topic), run, *values, short]
