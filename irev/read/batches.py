"""Tables whose rows come in batches, from a file or a folder of files: parts of whole topics.

A row counts as a line, from 1, or is a line of a text, which may have others.
"""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from irev.core.arrays import Ints, RowValues, TopicOfRow, arrow_array, numpy_view, run_starts
from irev.core.ids import PADDING, Ids, concatenate_ids, ids_from_arrow, ids_from_bytes
from irev.core.judged import Duplicate
from irev.core.record import record
from irev.errors import MOST_PROBLEMS, NO_DOCUMENTS, InputError, Notice, Problem, id_text
from irev.read.arrow_files import ArrowFile, CodedIds, RowBlock, contiguous_id_texts, is_arrow_file
from irev.read.frames import column_doubles, column_names, layout_with_classes
from irev.read.layout import TOPIC, Layout
from irev.read.lines import Columns
from irev.read.sniff import duplicate_hint
from irev.read.stream import FoundFolder, Source, sha256_of, sha256_of_decompressed_file
from irev.read.topics import CutInput, TopicRankScore

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1 << 17
"""Rows of a part, about."""

_FIRST_BYTES = 1 << 14
"""Bytes of a text that are read at once, where its first rows are wanted."""

Some = TypeVar("Some", bound=RowBlock)


class BatchedTable(CutInput[list[Some]]):
    """A table whose rows come in batches."""

    names: Sequence[str]
    """The columns of the topic, the other ids and the number."""
    can_have_ranks: ClassVar[bool] = True
    """Whether ranks may be read beside all else: what is wrong with them alone does no harm."""
    stops_early = True
    """Whether reading stops where there are many problems."""
    _run_rows: Sequence[Some] | None = None
    """The rows of one of several runs; None: all rows are read."""
    _ranked_run_rows: Sequence[Some] = ()
    """The same with ranks as the last of the ids, where the table has them."""

    @abstractmethod
    def _choose_columns(self, layout: Layout) -> None:
        """Find the columns of a layout, whose names the table then has."""

    def first_rows_with_rank_field(self, max_rows: int) -> Sequence[TopicRankScore]:
        """The first rows of a run of scores that has ranks, too; else none."""
        if self.layout.number != "score":
            return ()
        if self._run_rows is not None:
            cells = (
                (rows.cell(0, row), rows.cell(-2, row), rows.cell(-1, row))
                for rows in self._ranked_run_rows
                for row in range(rows.count)
            )
            return [*islice(cells, max_rows)]
        beginning = copy(self)
        try:
            beginning._choose_columns(self.layout._replace(ids=("rank",)))
            rows = next(beginning._rows(max_rows))
        except (InputError, StopIteration):
            return ()  # no column of ranks, one that holds others, or no rows
        some_rows = range(min(rows.count, max_rows))
        return [(rows.cell(0, row), rows.cell(1, row), rows.cell(2, row)) for row in some_rows]

    def with_ranks(self) -> Self:
        """The same run of scores, whose ranks are read as the last group."""
        table = self.with_ids(*self.layout.with_ranks.ids)
        if self._run_rows is not None:
            table._run_rows = self._ranked_run_rows
        return table

    def with_ids(self, *fields: str) -> Self:
        """The same table, of which other columns are read as ids beside the topic."""
        table = copy(self)
        table._choose_columns(self.layout._replace(ids=fields))
        return table

    def of_run(self, rows: Sequence[Some], ranked_rows: Sequence[Some]) -> Self:
        """The same table with the rows of one run alone, once more with ranks if it has them."""
        table = copy(self)
        table._run_rows, table._ranked_run_rows = rows, ranked_rows
        return table

    def ids_of_column(self, field: str) -> Iterator[tuple[Some, Any]]:
        """The rows with a column of ids, few at once, and as little else as can be."""
        for rows in self.with_ids(field).blocks():
            yield rows, rows.columns[1]

    def files_by_value(self, column: str) -> dict[bytes, list[str]]:
        """The files of each value of a column, where folders are named after all of them."""
        return {}

    def blocks(self) -> Iterator[Some]:
        """All rows in their order, few at once."""
        return self._rows() if self._run_rows is None else iter(self._run_rows)

    @abstractmethod
    def _rows(self, rows_at_once: int = 0) -> Iterator[Some]:
        """All rows in their order, few at once; where there are none the last may be empty.

        `rows_at_once`: about so many, where only the first are wanted; 0: many.
        """

    def lines(self) -> Iterator[list[Some]]:
        """The rows as they come."""
        for rows in self.blocks():
            yield [rows]

    def parts(self) -> Iterator[list[Some]]:
        """The rows cut where topics end."""
        whole_topics: list[Some] = []
        tail: list[Some] = []  # of one topic
        for rows in self.blocks():
            if not rows.count:
                tail.append(rows)
                break
            if tail and tail[-1].cell(0, -1) != rows.cell(0, 0):
                whole_topics += tail
                tail = []
            start = rows.start_of_last_topic()
            if start:
                whole_topics += [*tail, rows.cut(0, start)]
                tail = []
            tail.append(rows.cut(start, rows.count))
            if 2 * sum(block.count for block in whole_topics) > ROWS:
                yield whole_topics
                whole_topics = []
        if whole_topics or tail:
            yield whole_topics + tail


class BinaryTable(BatchedTable[RowBlock]):
    """A table of Parquet, Arrow or Feather, in one file or in several; a row counts as a line."""

    def columns(self, part: list[RowBlock]) -> Columns:
        """The columns of some rows."""
        columns = [*zip(*(rows.columns for rows in part), strict=True)]
        # the lines that the part stands for, counted within it; None: each is a row
        lines, count = None, sum(rows.count for rows in part)
        numbered = [rows for rows in part if isinstance(rows, NumberedBlock)]
        if numbered:
            before = numbered[0].before
            lines = np.concatenate([rows.line for rows in numbered]) - before
            count = numbered[-1].after - before

        def problems(rows_and_faults: Iterable[tuple[int, str]]) -> tuple[Problem, ...]:
            return _first_problems(
                Problem(
                    self.name, row + 1 if lines is None else int(lines[row]), "bad-table", fault
                )
                for row, fault in rows_and_faults
            )

        missing = problems(self._missing_cells(columns))
        if missing:
            no_rows = np.zeros(0, np.int64)
            ids = tuple(ids_from_bytes([]) for _ in self.layout.ids)
            return Columns([], no_rows, ids, np.zeros(0), None, count, b"", missing)
        topic, *others, number = columns
        code, topics = row_codes(topic)
        ids = tuple(map(concatenate_chunk_ids, others))
        values = np.concatenate([column_doubles(chunk) for chunk in number])
        faults = problems(self._faulty_cells(topics, code, ids, values))
        return Columns(topics, code, ids, values, lines, count, b"", faults)

    def empty_problem(self, num_lines: int) -> Problem:
        """The problem of a table without a row."""
        return Problem(self.name, None, NO_DOCUMENTS, "it has no rows")

    def _missing_cells(self, columns: Sequence[Sequence[Any]]) -> Iterator[tuple[int, str]]:
        """The rows that lack a value, from 0, and what each lacks."""
        for name, chunks in zip(self.names, columns, strict=True):
            rows: list[int] = []
            row_before = 0
            for chunk in chunks:
                if not isinstance(chunk, CodedIds) and chunk.null_count:
                    rows += (
                        row_before + row for row, cell in enumerate(chunk) if not cell.is_valid
                    )
                row_before += len(chunk)
            noun = "an id" if chunks is not columns[-1] else f"a {self.layout.number}"
            for row in rows[:MOST_PROBLEMS]:
                yield row, f"{noun} is missing in column {name}"

    def _faulty_cells(
        self, topics: list[bytes], code: TopicOfRow, ids: Sequence[Ids], values: RowValues
    ) -> Iterator[tuple[int, str]]:
        """Ids that hold what no other file could, what is no number, and infinite grades."""
        bad_topics = [index for index, topic in enumerate(topics) if b"\0" in topic]
        rows = [np.flatnonzero(np.isin(code, bad_topics)).tolist() if bad_topics else []]
        for column in ids:
            has_zero = len(column.data) > PADDING and column.data[:-PADDING].min() == 0
            rows.append(
                [n for n, each in enumerate(column.to_list()) if b"\0" in each] if has_zero else []
            )
        for name, row_indices in zip(self.names, rows, strict=False):
            for row in row_indices[:MOST_PROBLEMS]:
                yield row, f"an id in column {name} holds a zero byte"
        noun = self.layout.number
        for row in np.flatnonzero(np.isnan(values))[:MOST_PROBLEMS].tolist():
            yield row, f"a {noun} is NaN, which is not a number"
        if noun == "grade":
            for row in np.flatnonzero(np.isinf(values))[:MOST_PROBLEMS].tolist():
                yield row, "a grade is infinite"


class TableFile(BinaryTable):
    """A table in a file."""

    def __init__(self, source: Source, head: bytes, layout: Layout) -> None:
        super().__init__(source.path, layout)
        self._file = ArrowFile(source, head, layout)
        self.layout, self.names = self._file.layout, self._file.names

    def _choose_columns(self, layout: Layout) -> None:
        self._file = copy(self._file)
        self._file.choose_columns(layout)
        self.layout, self.names = self._file.layout, self._file.names

    def ids_of_column(self, field: str) -> Iterator[tuple[RowBlock, Any]]:
        """The rows with a column of ids alone, few at once."""
        file = copy(self.with_ids(field)._file)
        file.names = file.names[1:2]
        for rows in file.rows():
            yield rows, rows.columns[0]

    def _rows(self, rows_at_once: int = 0) -> Iterator[RowBlock]:
        return self._file.rows(rows_at_once=rows_at_once)


# --- Tables as text ---


@record
class NumberedBlock(RowBlock):
    """Rows of a text, which stands between two places in it, and what is wrong there.

    line      int64[], the line in the file, from 1, that each row begins on
    before    the lines before this text
    after     the lines up to its end
    problems  of its lines, counted from the file's start
    """

    line: Ints
    before: int
    after: int
    problems: tuple[Problem, ...] = ()

    def take(self, rows: Ints) -> Self:
        """Some of the rows in an order; what stands around them is left to the caller."""

        def some(column: Any) -> Any:
            if isinstance(column, CodedIds | np.ndarray):
                return column[rows]
            import pyarrow as pa

            return column.take(arrow_array(rows, pa.int64()))

        return replace(self, columns=tuple(map(some, self.columns)), line=self.line[rows])

    def cut(self, start: int, stop: int) -> Self:
        """Some of the rows, up to the line before the next one's."""
        return replace(
            super().cut(start, stop),
            line=self.line[start:stop],
            before=(begin := int(self.line[start]) - 1 if start else self.before),
            after=(end := int(self.line[stop]) - 1 if stop < self.count else self.after),
            problems=tuple(each for each in self.problems if begin < (each.line or 0) <= end),
        )


def coded_ids(ids: Ids) -> CodedIds:
    """Ids as a column of a stretch."""
    return CodedIds(np.arange(len(ids)), ids)


class TextTable(BatchedTable[NumberedBlock]):
    """A table as text, whose rows are lines, or several lines where line breaks are quoted."""

    cells: Sequence[str]
    """The names of its columns."""

    def _choose_columns(self, layout: Layout) -> None:
        layout = layout_with_classes(self.cells, layout)
        names = column_names(self.cells, layout)
        self.layout = layout
        self.names = [names[field] for field in (TOPIC, *layout.ids, layout.number)]

    @abstractmethod
    def _read(self, piece_size: int) -> Iterator[NumberedBlock]:
        """The text, some lines at once; there may be no row among them."""

    @abstractmethod
    def _number_column(self, number_chunks: Sequence[Any]) -> RowValues:
        """The column of the numbers; NaN where a cell is none."""

    def _cell_problems(
        self, columns: Columns, line_of_row: Ints, number_chunks: Sequence[Any]
    ) -> Iterable[Problem]:
        """What is wrong with the cells of some rows that stand on these lines."""
        return ()

    def _rows(self, rows_at_once: int = 0) -> Iterator[NumberedBlock]:
        """The rows that there are; lines without one go with those that follow."""
        line_before, num_problems = 0, 0
        problems: tuple[Problem, ...] = ()
        for rows in self._read(_FIRST_BYTES if rows_at_once else 0):
            num_problems += len(rows.problems)
            problems += rows.problems
            if rows.count:
                yield replace(rows, before=line_before, problems=problems)
                line_before, problems = rows.after, ()
            if num_problems >= MOST_PROBLEMS and self.stops_early:
                break
        if problems:
            yield replace(rows, before=line_before, problems=problems)

    def columns(self, part: list[NumberedBlock]) -> Columns:
        """The columns of some rows."""
        topic, *others, number_chunks = zip(*(rows.columns for rows in part), strict=True)
        code, topics = row_codes(topic)
        line_before, count = part[0].before, part[-1].after - part[0].before
        line_of_row = np.concatenate([rows.line for rows in part]) - line_before
        ids = tuple(map(concatenate_chunk_ids, others))
        columns = Columns(
            topics, code, ids, self._number_column(number_chunks), line_of_row, count, b""
        )
        problems = [
            problem._replace(line=(problem.line or 0) - line_before)
            for rows in part
            for problem in rows.problems
        ]
        problems += self._cell_problems(columns, line_of_row, number_chunks)
        return replace(columns, problems=_first_problems(problems)) if problems else columns

    def empty_problem(self, num_lines: int) -> Problem:
        """The problem of a table without a row."""
        return Problem(self.name, None, NO_DOCUMENTS, "the table has no rows")


def _first_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.line or 0)[:MOST_PROBLEMS])


# --- The columns of a part ---


def row_codes(chunks: Sequence[Any]) -> tuple[TopicOfRow, list[bytes]]:
    """Which distinct id each row has: (int64[N], the ids in order of appearance)."""
    heads: list[Ids] = []
    sizes: list[Ints] = []
    for chunk in chunks:
        if isinstance(chunk, CodedIds):
            start = run_starts(chunk.code)
            heads.append(chunk.values.take(chunk.code[start[:-1]]).compact())
        elif _is_of_whole_numbers(chunk):
            number = numpy_view(chunk)
            start = run_starts(number)
            heads.append(ids_from_bytes([b"%d" % each for each in number[start[:-1]].tolist()]))
        else:
            heads.append(_ids_of_chunk(chunk))
            start = np.arange(len(chunk) + 1)
        sizes.append(np.diff(start))
    code, topics = concatenate_ids(heads).codes()
    return np.repeat(code, np.concatenate(sizes)), topics


def _is_of_whole_numbers(column: pa.Array) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(column.type) and not column.null_count


def concatenate_chunk_ids(chunks: Sequence[Any]) -> Ids:
    """The ids of some columns, one column behind the other."""
    if any(isinstance(chunk, CodedIds) for chunk in chunks):
        return concatenate_ids([_ids_of_chunk(chunk) for chunk in chunks])
    import pyarrow as pa

    # texts are copied once
    columns = [contiguous_id_texts(chunk) for chunk in chunks]
    start = np.zeros(sum(map(len, columns)) + 1, np.int64)
    texts = []
    row = 0
    for column in columns:
        _, ends, text = column.buffers()
        wide = column.type == pa.large_binary()
        bounds = np.frombuffer(ends, np.int64 if wide else np.int32)
        bounds = bounds[column.offset : column.offset + len(column) + 1]
        np.add(bounds, start[row] - bounds[0], out=start[row : row + len(bounds)])
        row += len(column)
        if text is not None:
            texts.append(np.frombuffer(text, np.uint8)[bounds[0] : bounds[-1]])
    data = np.concatenate([*texts, np.zeros(PADDING, np.uint8)])
    return Ids(data, start[:-1], np.diff(start))


def _ids_of_chunk(chunk: Any) -> Ids:
    if isinstance(chunk, CodedIds):
        return chunk.values.take(chunk.code)
    return ids_from_arrow(contiguous_id_texts(chunk))


# --- A folder whose files are one table ---
# So programs write that work on many machines: `run.parquet/part-0.parquet`, or, parted by topic,
# `run.parquet/query_id=12/part-0.parquet`, where the files lack the column. Names that begin with
# a dot or an underscore are no part of the table.


_LOGS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
"""Folders of tables whose files are not all part of them any more."""

_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def is_folder_of_arrow_files(folder: str) -> bool:
    """Whether the files of a folder are Parquet, Arrow or Feather, by its first one."""
    try:
        with Source(_members(folder)[0].path) as source:
            return is_arrow_file(source.head())
    except InputError:
        return False


class _Member(NamedTuple):
    """A file of a dataset: its path, how it is called below the folder, what its rows share."""

    path: str
    name: str
    shared: dict[str, bytes]


class Dataset(BinaryTable):
    """The files of a folder as one table, in byte order of their names.

    A context of nothing: each file is opened when it is read, and closed behind it.
    """

    def __init__(self, folder: str, layout: Layout, *, sign: bool = False) -> None:
        """List the files and look at the columns of the first."""
        super().__init__(folder, layout)
        self._sign = sign
        self._members = _members(folder)
        self._starts: list[int] = []
        self._hashes: list[str] = []
        self.notices: tuple[Notice, ...] = ()
        self._choose_columns(layout)

    def _choose_columns(self, layout: Layout) -> None:
        self._requested_layout = layout
        first = self._members[0]
        with Source(first.path) as source:
            if not is_arrow_file(source.head()):
                raise _no_table(self.name, f"; {id_text(os.fsencode(first.name))} is not")
            first_file = self._open_member(source, first)
        self.layout, self.names = first_file.layout, first_file.names
        self._columns_in_files = first_file.columns_in_file

    def files_by_value(self, column: str) -> dict[bytes, list[str]]:
        """The files of each value of a column, where folders are named after all of them."""
        files: dict[bytes, list[str]] = {}
        if column in self._columns_in_files:
            return files
        for member in self._members:
            files.setdefault(member.shared.get(column, b""), []).append(member.path)
        return {} if b"" in files else files

    @property
    def sha256(self) -> str | None:
        """The hash of a line for each file, as `sha256sum` writes it; None: nobody asked for it."""
        return _hash_of_members(self._members, self._hashes) if self._sign else None

    def _open_member(self, source: Source, file: _Member) -> ArrowFile:
        head = source.head()
        if not is_arrow_file(head):
            message = (
                "this is not a Parquet, Arrow or Feather file, as all files of a table must be"
            )
            raise source.problem(message, "names that begin with _ or . are left out", "other-kind")
        return ArrowFile(source, head, self._requested_layout, file.shared)

    def _rows(self, rows_at_once: int = 0) -> Iterator[RowBlock]:
        self._starts, self._hashes, self.notices = [], [], ()
        rows = num_bytes = 0
        for member in self._members:
            with Source(member.path, sign=self._sign) as source:
                file = self._open_member(source, member)
                if file.layout != self.layout:
                    raise source.problem("some files name classes, others do not", kind="bad-table")
                self._starts.append(rows)
                for block in file.rows(num_bytes, rows_at_once):
                    yield block
                    rows += block.count
                num_bytes = file.size
                self._hashes.append(source.sha256 or "")
                self.notices = self.notices or source.notices

    def error(self, problems: list[Problem]) -> InputError:
        """The error that problems make, each in its file."""
        located = []
        for problem in problems:
            if problem.line is None or problem.path != self.name:
                located.append(problem)
            else:
                member, row = self._locate_row(problem.line)
                located.append(problem._replace(path=member.path, line=row))
        return super().error(located)

    def duplicate_problem(self, duplicate: Duplicate, rows_before: int) -> Problem:
        """A document that stands twice in a topic, as a problem of its second row."""
        first, row = self._locate_row(duplicate.first + rows_before)
        _, other = self._locate_row(duplicate.second + rows_before)
        message = (
            f"duplicate document '{id_text(duplicate.document)}' in topic "
            f"'{id_text(duplicate.topic)}': row {row} of {id_text(os.fsencode(first.name))} and "
            f"row {other} of this file"
        )
        line = duplicate.second + rows_before
        hint = duplicate_hint(self.layout, duplicate.document)
        return Problem(self.name, line, "duplicate-document", message, hint)

    def _locate_row(self, row: int) -> tuple[_Member, int]:
        """The file that a row, counted from 1 over all files, stands in, and its number there."""
        index = bisect_left(self._starts, row) - 1
        return self._members[index], row - self._starts[index]


def sha256_of_input(path: str) -> str:
    """The SHA-256 of a file or of a folder that is a table, as their scores are signed by it."""
    if not os.path.isdir(path):
        return sha256_of_decompressed_file(path)
    members = _members(path)
    return _hash_of_members(
        members, [sha256_of_decompressed_file(member.path) for member in members]
    )


def files_of_table(folder: str) -> list[str]:
    """The paths of the files of a table."""
    return [member.path for member in _members(folder)]


def _hash_of_members(members: Sequence[_Member], hashes: Sequence[str]) -> str:
    pairs = zip(hashes, members, strict=True)
    return sha256_of(b"".join(os.fsencode(f"{hash}  {file.name}\n") for hash, file in pairs))


def _members(folder: str) -> list[_Member]:
    """The files of a table."""
    paths = folder.files if isinstance(folder, FoundFolder) else _unsorted_files_below(folder, ())
    named_paths = [(os.path.relpath(path, folder), path) for path in paths]
    named_paths.sort(key=lambda named_path: os.fsencode(named_path[0]).split(os.fsencode(os.sep)))
    members = [
        _Member(path, name, _partition_values(path, name))
        for name, path in named_paths
        if _is_part(folder, name)
    ]
    if not members:
        raise _no_table(folder)
    return members


def _unsorted_files_below(folder: str, parent_folders: Sequence[tuple[int, int]]) -> Iterator[str]:
    try:
        status = os.stat(folder)
        names = os.listdir(folder)
    except OSError as error:
        raise _problem(folder, f"this folder cannot be read: {error.strerror}") from None
    here = (status.st_dev, status.st_ino)
    if here in parent_folders:
        raise _problem(folder, "this folder links back to a folder that contains it")
    for name in names:
        path = os.path.join(folder, name)
        if _is_part(folder, name):
            if os.path.isdir(path):
                yield from _unsorted_files_below(path, (*parent_folders, here))
            elif os.path.isfile(path):
                yield path
            else:
                raise _problem(path, "this is not a regular file")


def _is_part(folder: str, name: str) -> bool:
    """Whether a file or folder of a name is part of the table."""
    parts = name.split(os.sep)
    for log in filter(_LOGS.__contains__, parts):
        message = f"this is a table of {_LOGS[log]}, whose log says which files count"
        raise _problem(folder, message, "rewrite it as plain Parquet")
    return not any(part.startswith((".", "_")) for part in parts)


def _partition_values(path_for_errors: str, path_in_folder: str) -> dict[str, bytes]:
    """What the folders of a file are named after: {column: value}."""
    value_of_column: dict[str, bytes] = {}
    for part in path_in_folder.split(os.sep)[:-1]:
        column, is_value, value = part.partition("=")
        if is_value:
            if value == "__HIVE_DEFAULT_PARTITION__":
                raise _problem(path_for_errors, f"{column} is missing in the rows of this folder")
            value_of_column[column] = _ESCAPED.sub(
                lambda code: bytes([int(code[1], 16)]), os.fsencode(value)
            )
    return value_of_column


def _no_table(folder: str, reason: str = "") -> InputError:
    hint = f"a directory is read if all files in it are Parquet, Arrow or Feather{reason}"
    return _problem(folder, "this is a directory, not a file", hint)


def _problem(path: str, message: str, hint: str = "") -> InputError:
    return InputError([Problem(path, None, "no-file", message, hint)])
