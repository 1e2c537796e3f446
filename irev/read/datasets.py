"""A folder whose files are one table: parts of it, maybe in folders named after what they share.

So programs write that work on many machines: `run.parquet/part-0.parquet`, or, parted by topic,
`run.parquet/query_id=12/part-0.parquet`, where the files lack the column. Names that begin with a
dot or an underscore are no part of the table.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from irev.errors import InputError, Notice, Problem, id_text
from irev.read.arrow_files import ArrowFile, RowBlock, is_arrow_file
from irev.read.batches import BinaryTable
from irev.read.sniff import duplicate_hint
from irev.read.stream import FoundFolder, Source, sha256_of, sha256_of_decompressed_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.judged import Duplicate
    from irev.read.layout import Layout

_LOGS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
"""Folders of tables whose files are not all part of them any more."""

_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_NULL = "__HIVE_DEFAULT_PARTITION__"


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
        self._layout, self._names = first_file.layout, first_file.names
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
                if file.layout != self._layout:
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
        return super().error([self._locate_problem(problem) for problem in problems])

    def duplicate_problem(self, duplicate: Duplicate, rows_before: int) -> Problem:
        """A document that stands twice in a topic, as a problem of its second row."""
        first, row = self._locate_row(duplicate.first + rows_before)
        _, other = self._locate_row(duplicate.second + rows_before)
        message = (
            f"duplicate document '{id_text(duplicate.document)}' in topic "
            f"'{id_text(duplicate.topic)}': row {row} of {id_text(os.fsencode(first.name))} and "
            f"row {other} of this file"
        )
        line, hint = (
            duplicate.second + rows_before,
            duplicate_hint(self._layout, duplicate.document),
        )
        return Problem(self.name, line, "duplicate-document", message, hint)

    def _locate_problem(self, problem: Problem) -> Problem:
        if problem.line is None or problem.path != self.name:
            return problem
        member, row = self._locate_row(problem.line)
        return problem._replace(path=member.path, line=row)

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
            if value == _NULL:
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
