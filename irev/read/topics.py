"""Whole topics of a text, piece by piece, each piece handed to a function and forgotten."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from irev.core import workers
from irev.core.arrays import Floats, Ints, offsets, run_starts
from irev.core.ids import PADDING, Ids, ids_in_a_row
from irev.core.model import Duplicate, Rows
from irev.errors import MOST_PROBLEMS, InputError, Problem, shown
from irev.read.columns import Columns, columns_of
from irev.read.layout import Layout
from irev.read.pieces import Piece, pieces
from irev.read.sniff import KEEP_ONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from irev.read.stream import Source

Result = TypeVar("Result")

ROWS_AT_ONCE = 1 << 18
"""Rows of a piece, about, where topics had to be gathered first."""


@dataclass(frozen=True, eq=False, repr=False)
class Read(Generic[Result]):
    """What became of a text: the work's results in order, the last line of data, and its hash."""

    results: list[Result]
    last: bytes
    sha256: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class _Done(Generic[Result]):
    """What became of one piece; lines count from 1 in the piece."""

    topics: list[bytes]
    num_lines: int
    last: bytes = b""
    result: Result | None = None
    problems: tuple[Problem, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    is_scattered: bool = False


class _ScatteredError(Exception):
    """Lines of a topic do not stand together."""


def map_topics(
    source: Source,
    layout: Layout,
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
) -> Read[Result]:
    """Apply `work` to all topics of a text, several at once, each topic whole.

    `work` returns its result, or the documents that stand twice in a topic. Where a topic's lines
    do not stand together the text is read once more and its topics gathered in memory.

    Raises:
        InputError: the text is not what the layout says; all problems found, up to a limit.
    """
    try:
        return _streamed(source, layout, work, threads)
    except _ScatteredError:
        pass  # only behind here is what was streamed forgotten
    return _gathered(source, layout, work, threads)


def _streamed(
    source: Source,
    layout: Layout,
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
) -> Read[Result]:
    def job(piece: Piece) -> _Done[Result]:
        columns = columns_of(piece, layout, source.path)
        if not len(columns.number):
            return _Done([], columns.num_lines, problems=columns.problems)
        rows = _contiguous(columns)
        if rows is None:
            return _Done([], columns.num_lines, is_scattered=True)
        if columns.problems:
            # what is left of the lines still shows which documents stand twice
            rows = replace(rows, value=np.zeros(len(rows.value)))
        result, duplicates = work(rows)
        return _Done(
            rows.topics, columns.num_lines, columns.last,
            None if columns.problems else result, columns.problems, tuple(duplicates),
        )  # fmt: skip

    problems = _Problems(source)
    results: list[Result] = []
    seen: set[bytes] = set()
    last = b""
    for done in workers.in_order(job, pieces(source, whole_topics=True), threads):
        if done.is_scattered or not seen.isdisjoint(done.topics):
            raise _ScatteredError
        seen.update(done.topics)
        problems.add(done)
        if done.result is not None:
            results.append(done.result)
        last = done.last or last
    problems.raise_any(is_empty=not seen)
    return Read(results, last)


def _contiguous(columns: Columns) -> Rows | None:
    """The columns as whole topics; None where a topic's rows do not lie together."""
    start = run_starts(columns.topic)
    if len(start) - 1 != len(columns.topics):
        return None
    docs, *groups = columns.ids
    return Rows(columns.topics, start, docs, columns.number, tuple(groups), columns.lines)


class _Problems:
    """The problems of a text, their lines counted from its start."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = 0
        self._found: list[Problem] = []

    def add(self, done: _Done[Result]) -> None:
        """Take the problems of the next piece; stop when there are enough."""
        found = [p._replace(line=(p.line or 0) + self._lines) for p in done.problems]
        found += [duplicate_problem(self._source.path, d, self._lines) for d in done.duplicates]
        self._found += sorted(found, key=lambda problem: problem.line or 0)
        self._lines += done.num_lines
        if len(self._found) >= MOST_PROBLEMS:
            self.raise_any()

    def raise_any(self, *, is_empty: bool = False) -> None:
        """Raise what was found; an input without any data is a problem too."""
        if self._found:
            raise InputError(without_repeated_hints(self._found))
        if is_empty:
            what = "has no line of data" if self._lines else "is empty"
            raise self._source.problem(f"the file {what}")


def without_repeated_hints(problems: list[Problem]) -> list[Problem]:
    """The first problems, up to the limit, each hint once; the last says that there may be more."""
    found: list[Problem] = []
    hints: set[str] = set()
    for problem in problems[:MOST_PROBLEMS]:
        found.append(problem._replace(hint="") if problem.hint in hints else problem)
        hints.add(problem.hint)
    if len(problems) >= MOST_PROBLEMS:
        last = found[-1]
        hint = f"there may be more problems: reading stopped at {MOST_PROBLEMS}"
        found[-1] = last._replace(hint=f"{last.hint}; {hint}" if last.hint else hint)
    return found


def duplicate_problem(path: str, twice: Duplicate, lines_before: int = 0) -> Problem:
    """A document that stands twice in a topic, as a problem of its second line."""
    first, second = twice.first + lines_before, twice.second + lines_before
    message = (
        f"document '{shown(twice.document)}' of topic '{shown(twice.topic)}' "
        f"is there twice: lines {first} and {second}"
    )
    return Problem(path, second, message, KEEP_ONE)


# where topics are scattered


def _gathered(
    source: Source,
    layout: Layout,
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
) -> Read[Result]:
    gathered = _Gathered(len(layout.ids))
    problems = _Problems(source)

    def parse(piece: Piece) -> Columns:
        columns = columns_of(piece, layout, source.path)
        return columns if columns.lines is None else _compacted(columns)

    for columns in workers.in_order(parse, pieces(source, whole_topics=False), threads):
        problems.add(_Done([], columns.num_lines, problems=columns.problems))
        if not columns.problems:
            gathered.add(columns)
    problems.raise_any(is_empty=not gathered.topics)

    results = map_rows(source.path, gathered.rows(), work, threads).results
    return Read(results, gathered.last)


def map_rows(
    path: str,
    rows: Iterable[Rows],
    work: Callable[[Rows], tuple[Result | None, list[Duplicate]]],
    threads: int,
) -> Read[Result]:
    """Apply `work` to whole topics that are columns already; see `map_topics`."""
    results: list[Result] = []
    twice: list[Duplicate] = []
    for result, duplicates in workers.in_order(work, rows, threads):
        twice += duplicates
        if result is not None:
            results.append(result)
    if twice:
        twice.sort(key=lambda found: found.second)
        found = [duplicate_problem(path, each) for each in twice[:MOST_PROBLEMS]]
        raise InputError(without_repeated_hints(found))
    return Read(results, b"")


def _compacted(columns: Columns) -> Columns:
    """The columns without the rest of the text behind them."""
    ids = tuple(column.compact() for column in columns.ids)
    return Columns(
        columns.topics, columns.topic, ids, columns.number, columns.lines, columns.num_lines,
        columns.last, columns.problems,
    )  # fmt: skip


class _Gathered:
    """All rows of a text, to be handed on by topic.

    They may be many: the columns are narrow and grow in place, byte arrays that NumPy then views.
    """

    def __init__(self, num_ids: int) -> None:
        self.topics: dict[bytes, int] = {}
        self.last = b""
        self._code = bytearray()
        self._ids = [(bytearray(), bytearray()) for _ in range(num_ids)]
        self._number = bytearray()
        self._line = bytearray()
        self._num_lines = 0

    def add(self, columns: Columns) -> None:
        """Take the next piece."""
        topics = self.topics
        codes = [topics.setdefault(topic, len(topics)) for topic in columns.topics]
        self._code += np.array(codes, np.uint32)[columns.topic].data
        for (text, lengths), ids in zip(self._ids, columns.ids, strict=True):
            text += ids.data[:-PADDING].data
            lengths += ids.length.astype(np.uint32).data
        self._number += columns.number.data
        lines = np.arange(1, len(columns.number) + 1) if columns.lines is None else columns.lines
        self._line += (lines + self._num_lines).astype(np.uint32).data
        self._num_lines += columns.num_lines
        self.last = columns.last or self.last

    def rows(self) -> Iterator[Rows]:
        """The rows, some topics at a time, each topic's in the order of the text."""
        ids = []
        for text, lengths in self._ids:
            text += bytes(PADDING)
            ids.append(ids_in_a_row(np.frombuffer(text, np.uint8), _column(lengths)))
        number = np.frombuffer(self._number, np.float64)
        return grouped_rows(
            list(self.topics), _column(self._code), ids, number, _column(self._line)
        )


def _column(column: bytearray) -> Any:
    return np.frombuffer(column, np.uint32)


def grouped_rows(
    topics: Sequence[bytes], code: Ints, ids: Iterable[Ids], number: Floats, line: Ints | None
) -> Iterator[Rows]:
    """Rows in any order as whole topics, some topics at a time.

    `code[i]` is the topic of row i; within a topic the order of the rows is kept.
    """
    docs, *groups = ids
    # the narrowest integers sort fastest: NumPy has a radix sort for 16 bits
    narrow = code.astype(np.uint16) if len(topics) <= 1 << 16 else code
    order = np.argsort(narrow, kind="stable")
    start = offsets(np.bincount(code, minlength=len(topics)))
    first = 0
    while first < len(topics):
        after = int(np.searchsorted(start, start[first] + ROWS_AT_ONCE, "right")) - 1
        after = max(after, first + 1)
        rows = order[start[first] : start[after]]
        yield Rows(
            list(topics[first:after]),
            start[first : after + 1] - start[first],
            docs.take(rows),
            number[rows],
            tuple(group.take(rows) for group in groups),
            rows.astype(np.int64) + 1 if line is None else line[rows],
        )
        first = after
