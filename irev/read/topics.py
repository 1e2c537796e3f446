"""Whole topics of an input, part by part: each is parsed by itself and may then be forgotten."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np

from irev.core import workers
from irev.core.arrays import (
    Ints,
    RowIndices,
    RowStarts,
    RowValues,
    TopicOfRow,
    offsets,
    run_starts,
)
from irev.core.ids import PADDING, Ids, ids_from_data_and_lengths
from irev.core.judged import BatchesOfWholeTopics, Duplicate, Rows
from irev.errors import MOST_PROBLEMS, STOPPED, InputError, Notice, Problem, id_text
from irev.read.layout import Layout
from irev.read.lines import Columns, LongLines, parse_columns
from irev.read.pieces import Piece, pieces
from irev.read.sniff import KEEP_ONE, duplicate_hint, hint_at_subtopics
from irev.read.stream import Source

Part = TypeVar("Part")

TopicRankScore = tuple[Any, Any, Any]
"""A row's topic, rank and score, as they stand there."""

_LINES = 4 << 20
"""Bytes of a piece, about, where topics are scattered: nearly all may be in each of them."""

ROWS_AT_ONCE = 1 << 18
"""Rows of a part, about, where topics had to be gathered first."""


class Parsed(NamedTuple):
    """What a part of an input holds: whole topics as columns, and what is wrong with the lines.

    rows          None: there are no lines of data, or lines of a topic do not stand together
    num_lines     lines of the part, data or not; 0: its lines are counted from the file's start
    last          the last line of data
    problems      in the order of the lines, which count from 1 in the part; the numbers of the rows
                  are then of no use
    is_scattered  whether lines of a topic do not stand together
    """

    rows: Rows | None
    num_lines: int = 0
    last: bytes = b""
    problems: tuple[Problem, ...] = ()
    is_scattered: bool = False


class _Opened:
    """An input that gives its parts."""

    name: str

    def first_rows_with_rank_field(self, max_rows: int) -> Sequence[TopicRankScore]:
        """The first rows of a run of scores that has ranks, too; else none."""
        return ()

    def with_ranks(self) -> Self:
        """The same run of scores, whose ranks are read as the last group."""
        raise NotImplementedError

    def duplicate_problem(self, duplicate: Duplicate, lines_before: int) -> Problem:
        """A document that stands twice in a part before which there are so many lines."""
        return duplicate_problem(self.name, duplicate, lines_before)

    def error(self, problems: list[Problem]) -> InputError:
        """The error that problems make."""
        return InputError(limit_problems_and_hints(problems))


class CutInput(_Opened, ABC, Generic[Part]):
    """Rows in the order of a file, cut into parts; a part is parsed by whoever works on it.

    `layout` is what its columns hold; `all_problems` asks for every problem of the lines, and for
    their rows nevertheless.
    """

    def __init__(self, name: str, layout: Layout, *, all_problems: bool = False) -> None:
        self.name, self.layout, self._all_problems = name, layout, all_problems

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """The rows cut where topics end."""

    @abstractmethod
    def lines(self) -> Iterator[Part]:
        """The rows cut anywhere."""

    @abstractmethod
    def columns(self, part: Part) -> Columns:
        """The rows of a part, as they stand there."""

    @abstractmethod
    def empty_problem(self, num_lines: int) -> Problem:
        """The problem of a file without a row of data, but so many lines."""

    def parse(self, part: Part) -> Parsed:
        """The rows of a part by topic."""
        columns = self.columns(part)
        rest = (columns.num_lines, columns.last, columns.problems)
        if not len(columns.number):
            return Parsed(None, *rest)
        start = run_starts(columns.topic)
        if len(start) - 1 != len(columns.topics):
            return Parsed(None, *rest, is_scattered=True)
        docs, *groups = columns.ids
        # what is left beside wrong lines still shows which documents stand twice
        is_used = self._all_problems or not columns.problems
        value = columns.number if is_used else np.zeros(len(columns.number))
        rows = Rows(columns.topics, start, docs, value, tuple(groups), columns.lines)
        return Parsed(rows, *rest)

    def gather_scattered_topics(
        self, threads: int, lines: Iterator[Part] | None = None
    ) -> Iterator[Parsed]:
        """The rows by topic, all of them read before the first is handed on.

        `lines` is what is read, whole lines; None: all of them.
        """
        gathered_rows = _GatheredRows(len(self.layout.ids))
        problems: list[Problem] = []
        lines_before = 0
        for columns in workers.map_in_order(self._packed_columns, lines or self.lines(), threads):
            problems += [p._replace(line=(p.line or 0) + lines_before) for p in columns.problems]
            lines_before += columns.num_lines
            if self._all_problems:
                gathered_rows.add(columns)
            elif len(problems) >= MOST_PROBLEMS:
                break
            elif not columns.problems:
                gathered_rows.add(columns)
        if problems:
            yield Parsed(None, problems=tuple(problems))
            if not self._all_problems:
                return
        yield from (Parsed(rows, last=gathered_rows.last) for rows in gathered_rows.rows())

    def _packed_columns(self, part: Part) -> Columns:
        """The columns, their ids one behind the other and nothing else in their data."""
        columns, packed = self.columns(part), []
        for ids in columns.ids:
            ends = np.append(0, ids.start + ids.length)
            is_packed = ends[-1] == len(ids.data) - PADDING and np.array_equal(ids.start, ends[:-1])
            packed.append(ids if is_packed else ids.compact())
        return replace(columns, ids=tuple(packed))

    def duplicate_problem(self, duplicate: Duplicate, lines_before: int) -> Problem:
        """A document that stands twice in a part before which there are so many lines."""
        problem = super().duplicate_problem(duplicate, lines_before)
        return problem._replace(hint=duplicate_hint(self.layout, duplicate.document))


class Text(CutInput[Piece]):
    """Lines of fields."""

    def __init__(
        self, source: Source, layout: Layout, head: bytes = b"", *, all_problems: bool = False
    ) -> None:
        super().__init__(source.path, layout, all_problems=all_problems)
        self._source, self._head = source, head
        # of each piece: lines, lines that are commented and long ones, as `Columns` has them
        self._told_lines: dict[int, tuple[int, int, LongLines | None]] = {}
        self._last_lines = list[bytes]()

    def first_rows(self, max_rows: int) -> list[list[bytes]]:
        """The fields of its first lines, of those that have as many as they should."""
        lines = map(bytes.split, self._head.split(b"\n", max_rows)[:max_rows])
        return [fields for fields in lines if len(fields) == len(self.layout.fields)]

    def first_rows_with_rank_field(self, max_rows: int) -> Sequence[TopicRankScore]:
        """The first rows of a run of scores that has ranks, too; else none."""
        fields = self.layout.fields
        if self.layout.number != "score" or "rank" not in fields:
            return ()
        rank, score = fields.index("rank"), fields.index("score")
        return [(row[0], row[rank], row[score]) for row in self.first_rows(max_rows)]

    def with_ranks(self) -> Self:
        """The same run of scores, whose ranks are read as the last group."""
        layout = self.layout.with_ranks
        return type(self)(self._source, layout, self._head, all_problems=self._all_problems)

    def parts(self, size: int = 0) -> Iterator[Piece]:
        """The text cut where topics end."""
        return self._numbered(pieces(self._source, whole_topics=True, piece_size=size))

    def lines(self, size: int = 0) -> Iterator[Piece]:
        """The text cut where lines end."""
        return self._numbered(pieces(self._source, whole_topics=False, piece_size=size or _LINES))

    def _numbered(self, cut_pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The pieces with their numbers: of an earlier reading nothing is told any more."""
        self._told_lines.clear()
        for number, piece in enumerate(cut_pieces):
            yield replace(piece, number=number)

    def columns(self, piece: Piece) -> Columns:
        """The columns of a piece."""
        columns = parse_columns(
            piece,
            self.layout,
            self.name,
            list_all_problems=self._all_problems,
            is_of_layout=lambda: self._has_expected_lines,
        )
        told = (columns.num_lines, columns.num_commented, columns.long_lines)
        self._told_lines[piece.number] = told
        self._last_lines.append(columns.last)
        return columns

    @cached_property
    def _has_expected_lines(self) -> bool:
        """Whether most of the first lines have as many fields as they should."""
        lines = [line.split() for line in self._head.split(b"\n", 60)[:60]]
        lines = [fields for fields in lines if fields and fields[0][:1] != b"#"]
        num_fields = len(self.layout.fields)
        num_expected = sum(
            len(fields) == num_fields or (len(fields) > num_fields and self.layout.more_allowed)
            for fields in lines
        )
        return 2 * num_expected > len(lines)

    def line_warnings(self) -> Iterator[Notice]:
        """What is told of lines that were read: of those skipped as comments, and too long ones."""
        number = sum(num_commented for _, num_commented, _ in self._told_lines.values())
        if number:
            lines = "1 line begins" if number == 1 else f"{number:,} lines begin"
            yield Notice(
                "comment",
                f"{lines} with # and would be read otherwise: skipped as comments",
                "no topic may begin with #, and a comment stands on a line of its own",
            )
        long_lines = self.long_lines
        if long_lines is not None:
            yield long_lines.warning(f"{self.name}:{long_lines.first_line}: ")

    @property
    def long_lines(self) -> LongLines | None:
        """The lines with too many fields among those that were read; None: there are none."""
        first: LongLines | None = None
        count = num_lines = 0
        for _, (num_lines_of_piece, _, long_lines) in sorted(self._told_lines.items()):
            if long_lines is not None:
                line = num_lines + long_lines.first_line
                first = first or long_lines._replace(first_line=line)
                count += long_lines.num_lines
            num_lines += num_lines_of_piece
        return first and first._replace(num_lines=count)

    def duplicate_problem(self, duplicate: Duplicate, lines_before: int) -> Problem:
        """A document that stands twice: of lines with different tags perhaps in two runs."""
        problem = super().duplicate_problem(duplicate, lines_before)
        if self.layout.fields[-1] != "tag" or duplicate.document == b"Q0":
            return problem
        lines = [line.split() for line in self._last_lines]
        tags = {line[-1] for line in lines if len(line) == len(self.layout.fields)}
        first_tag = next((row[-1] for row in self.first_rows(1)), b"")
        other_tag = min(tags - {first_tag}, default=b"")
        if not (first_tag and other_tag):
            return problem
        runs = f"are '{id_text(first_tag)}' and '{id_text(other_tag)}' two runs? split the file"
        return problem._replace(hint=f"{runs}; else {problem.hint}")

    def error(self, problems: list[Problem]) -> InputError:
        """The error that problems make, said with the text's beginning in mind."""
        error = super().error(problems)
        return hint_at_subtopics(error, self._head) if self.layout.kind == "qrels" else error

    def empty_problem(self, num_lines: int) -> Problem:
        """The problem of a text without data."""
        fault = "has no line of data" if num_lines else "is empty"
        return Problem(self.name, None, "empty-file", f"the file {fault}")


class TopicTable(_Opened):
    """Columns with names, in a file or in memory: whole topics, some at a time."""

    def __init__(self, name: str, rows: BatchesOfWholeTopics) -> None:
        self.name, self._rows = name, rows

    def parts(self) -> BatchesOfWholeTopics:
        """Some whole topics at a time."""
        return self._rows

    def parse(self, part: Rows) -> Parsed:
        """The same rows."""
        return Parsed(part)

    def gather_scattered_topics(self, threads: int) -> Iterator[Parsed]:
        """Nothing: topics are whole."""
        return iter(())

    def empty_problem(self, num_lines: int) -> Problem | None:
        """Nothing: whoever reads the table has looked."""


def limit_problems_and_hints(problems: list[Problem]) -> list[Problem]:
    """The first problems, up to the limit, each hint once; the last says that there may be more."""
    shortened: list[Problem] = []
    hints: set[str] = set()
    for problem in problems[:MOST_PROBLEMS]:
        shortened.append(problem._replace(hint="") if problem.hint in hints else problem)
        hints.add(problem.hint)
    if len(problems) >= MOST_PROBLEMS:
        last = shortened[-1]
        shortened[-1] = last._replace(hint=f"{last.hint}; {STOPPED}" if last.hint else STOPPED)
    return shortened


def duplicate_problem(path: str, duplicate: Duplicate, lines_before: int = 0) -> Problem:
    """A document that stands twice in a topic, as a problem of its second line.

    `batches` says the same of rows of several files, `spark.passes` of rows without a number.
    """
    first, second = duplicate.first + lines_before, duplicate.second + lines_before
    message = (
        f"duplicate document '{id_text(duplicate.document)}' in topic "
        f"'{id_text(duplicate.topic)}': lines {first} and {second}"
    )
    return Problem(path, second, "duplicate-document", message, KEEP_ONE)


class _GatheredRows:
    """All rows of a text, to be handed on by topic.

    They may be many: the columns are narrow and grow in place, byte arrays that NumPy then views.
    """

    def __init__(self, num_ids: int) -> None:
        self.topics: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.last = b""
        self._code = bytearray()
        self._ids = [(bytearray(), bytearray()) for _ in range(num_ids)]
        self._number = bytearray()
        self._line: bytearray | None = None
        self._num_lines = 0

    def add(self, columns: Columns) -> None:
        """Take the next piece."""
        codes = map(self.topics.__getitem__, columns.topics)
        self._code += np.fromiter(codes, np.uint32, len(columns.topics))[columns.topic].data
        for (text, lengths), ids in zip(self._ids, columns.ids, strict=True):
            text += ids.data[:-PADDING].data
            lengths += ids.length.astype(np.uint32).data
        self._number += columns.number.data
        lines, count = columns.lines, len(columns.number)
        # as long as every line is a row there is no need to keep them
        if self._line is not None or lines is not None or count != columns.num_lines:
            if self._line is None:
                self._line = bytearray(np.arange(1, self._num_lines + 1, dtype=np.uint32).data)
            lines = np.arange(1, count + 1) if lines is None else lines
            self._line += (lines + self._num_lines).astype(np.uint32).data
        self._num_lines += columns.num_lines
        self.last = columns.last or self.last

    def rows(self) -> BatchesOfWholeTopics:
        """The rows, some topics at a time, each topic's in the order of the text."""
        ids = []
        for text, lengths in self._ids:
            text += bytes(PADDING)
            ids.append(
                ids_from_data_and_lengths(np.frombuffer(text, np.uint8), _uint32_view(lengths))
            )
        number = np.frombuffer(self._number, np.float64)
        line = None if self._line is None else _uint32_view(self._line)
        return grouped_rows(list(self.topics), _uint32_view(self._code), ids, number, line)


def _uint32_view(column_bytes: bytearray) -> Any:
    return np.frombuffer(column_bytes, np.uint32)


def grouped_rows(
    topics: Sequence[bytes],
    topic_of_row: TopicOfRow,
    docs_and_groups: Iterable[Ids],
    values: RowValues,
    line_of_row: Ints | None,
) -> BatchesOfWholeTopics:
    """Rows in any order as whole topics, some topics at a time.

    The first ids are the documents, others are groups; the rows of a topic keep their order.
    """
    order = None
    if len(topics) == 1:
        return batches_of_whole_topics(
            topics, offsets([len(topic_of_row)]), docs_and_groups, values, line_of_row
        )
    if (topic_of_row[1:] < topic_of_row[:-1]).any():
        # the narrowest integers sort fastest: NumPy has a radix sort for 16 bits
        narrow = topic_of_row.astype(np.uint16) if len(topics) <= 1 << 16 else topic_of_row
        order = np.argsort(narrow, kind="stable")
    start = offsets(np.bincount(topic_of_row, minlength=len(topics)))
    return batches_of_whole_topics(topics, start, docs_and_groups, values, line_of_row, order)


def batches_of_whole_topics(
    topics: Sequence[bytes],
    start: RowStarts,
    docs_and_groups: Iterable[Ids],
    values: RowValues,
    line_of_row: Ints | None = None,
    order: RowIndices | None = None,
) -> BatchesOfWholeTopics:
    """Rows that lie by topic, or do so in an order, some topics at a time; `start`: int64[T+1]."""
    docs, *groups = docs_and_groups
    if line_of_row is None and order is None and start[-1] <= ROWS_AT_ONCE and docs.is_wide:
        if topics:
            yield Rows(list(topics), start, docs, values, tuple(groups))
        return
    first = 0
    while first < len(topics):
        stop = int(start.searchsorted(start[first] + ROWS_AT_ONCE, "right")) - 1
        stop = max(stop, first + 1)
        begin, end = start[first], start[stop]
        rows = slice(begin, end) if order is None else order[begin:end]
        lines = None if line_of_row is None else line_of_row[rows]
        if line_of_row is None and order is not None:
            lines = order[begin:end].astype(np.int64) + 1
        elif line_of_row is None and begin:
            lines = np.arange(begin + 1, end + 1)
        yield Rows(
            list(topics[first:stop]),
            start[first : stop + 1] - begin,
            docs.take(rows),
            values[rows],
            tuple(group.take(rows) for group in groups),
            lines,
        )
        first = stop
