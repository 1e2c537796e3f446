"""Which runs paths mean: files, directories of runs, patterns."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.judged import MAPPINGS
from irev.core.option_records import Opt
from irev.core.short_names import TABLE_ENDINGS
from irev.core.text import LONGEST_NAME, as_bytes, escaped_name
from irev.errors import InputError, IrevError, MismatchError, Problem, UsageError
from irev.read.formats import RUN
from irev.read.frames import RunInFrame, is_table, several_runs_of_frame, several_runs_problem
from irev.read.stream import STDIN, FoundFile, FoundFolder, RunInTable, sha256_of
from irev.scores.table import distinct_names, name_runs, path_below, path_forms

if TYPE_CHECKING:
    from irev.core.judged import Input
    from irev.read.columns import ColumnNames


# --- Which runs paths mean: files, directories of runs, patterns ---


class RunFiles(NamedTuple):
    """Paths of runs, in order, and what lies in the directories and is no file."""

    paths: list[str]
    refused: list[tuple[str, InputError]]
    searched: bool
    """Whether a path stood for more than itself."""

    def regular(self) -> list[str]:
        """The paths; an error where anything was refused."""
        for _, error in self.refused:
            raise error
        return self.paths


def run_files(paths: Iterable[str]) -> RunFiles:
    """The runs that paths, directories and patterns mean; what the latter two bring, once.

    A directory means all files in it and below, by name; but one whose files are the parts of a
    table is a run. A pattern (`'runs/*.run'`) that no file is called by means the files it fits.
    """
    run_paths: list[str] = []
    refused: dict[str, InputError] = {}
    searched = False
    for path in paths:
        if os.path.isdir(path) and not _is_table_folder(path):
            inside = find_submissions([path], follow_links=True)
            run_paths += [file.path for file in inside.files if file.path not in run_paths]
            refused |= dict(inside.refused)
            searched = True
        elif any(letter in path for letter in "*?[") and not os.path.lexists(path):
            from glob import glob

            matching = sorted(glob(path, recursive=True), key=os.fsencode)
            # where no file fits, it may be a run of a table: all.parquet[bm25]
            searched = searched or bool(matching)
            run_paths += [each for each in matching or [path] if each not in run_paths]
        else:
            run_paths.append(path)
    return RunFiles(run_paths, [*refused.items()], searched)


def expand_folders(runs: Any) -> Any:
    """Runs with the files of each folder in its place, whether one is given or a list."""
    sources = [runs] if isinstance(runs, str | os.PathLike) else runs
    if not isinstance(sources, list | tuple):
        return runs
    paths = [os.fspath(each) if isinstance(each, str | os.PathLike) else None for each in sources]
    if not any(path is not None and os.path.isdir(path) for path in paths):
        return runs
    expanded: list[Any] = []
    for source, path in zip(sources, paths, strict=True):
        is_folder = path is not None and os.path.isdir(path)
        expanded += run_files([path]).regular() if path is not None and is_folder else [source]
    return expanded


def _is_table_folder(folder: str) -> bool:
    from irev.read.batches import is_folder_of_arrow_files

    return is_folder_of_arrow_files(folder)


# --- Which files are submissions, and what they are called ---
# A folder that the organiser names holds what strangers put there: regular files are taken,
# whatever else lies there is told and never opened. Names come from files and folders, not from
# what stands in a file.


FOLLOW_LINKS = Opt(
    "--follow-links", in_short_help=False,
    help="Follow links in directories. By default they are only reported.",
)  # fmt: skip

MAX_RUNS = Opt(
    "--max-runs", in_short_help=False, metavar="N", least=1, effect="nothing",
    help="Most runs in one submission, which may be a table of several. Default: 1 for files in "
    "directories, 1,000 for tables that you name.",
)  # fmt: skip

_MOST_NAMED_RUNS = 1000
"""How many runs a table may hold that is named, beside others: the tests are of all pairs."""

DEEPEST = 40
"""How many folders may lie within each other."""

_HASH_OF_NAME = 12
"""Digits that a name which was cut ends in: a name that has the same is not found by trying."""

_LEFT_BEHIND = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
"""What archivers and file managers leave behind, besides names that begin with a dot."""

_TEXTS_ON_RUNS = frozenset({"readme", "license", "licence", "changelog"})
"""What files are called, up to the first dot, that tell people of the others."""


class Submission(NamedTuple):
    """What is to be scored, and the folders that it lies in, below the one that was named.

    That is a file, or a folder of its parts.
    """

    path: str
    folders: tuple[str, ...] = ()


class FoundSubmissions(NamedTuple):
    """What was found: files, and what is no file that can be taken, each with what is wrong."""

    files: list[Submission]
    refused: list[tuple[str, InputError]]


def find_submissions(paths: Iterable[str], *, follow_links: bool = False) -> FoundSubmissions:
    """The files that were named, and all regular files in the folders that were.

    A folder is searched with all below it, in byte order of the names; one that is called as a
    table is (`x.parquet`) holds the parts of a single run. Hidden files and what archivers leave
    behind are no submissions, and a README is refused. A file that is reached twice is there once.
    Hard links cannot be told from files.

    Args:
        paths: paths of files, which are taken as they are, and of folders.
        follow_links: whether links in folders are followed, too.
    """
    paths = [*paths]
    prefixes = _name_prefixes([path for path in paths if os.path.isdir(path)])
    files: dict[str, Submission] = {}
    refused: dict[str, InputError] = {}
    for path in paths:
        if not os.path.isdir(path):
            if "\0" in path:
                raise InputError([Problem(path, None, "no-file", "there is no such file")])
            files.setdefault(path if path == STDIN else os.path.realpath(path), Submission(path))
            continue
        real, is_empty = os.path.realpath(path), True
        name_prefix = prefixes[path]
        entries = find_files_below(path, name_prefix, follow_links=follow_links)
        for entry in _join_table_folders(path, name_prefix, entries):
            is_empty = False
            if isinstance(entry, Submission):
                name = os.path.join(real, *entry.folders, os.path.basename(entry.path))
                files.setdefault(os.path.realpath(name) if follow_links else name, entry)
            else:
                refused.setdefault(*entry)
        if is_empty:
            raise UsageError(f"{path}: this directory contains no submission")
    return FoundSubmissions([*files.values()], [*refused.items()])


def _name_prefixes(folders: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Folder that was named -> what the names of its files begin with: its own among several.

    So that what lies in one never changes what a file in another is called.
    """
    if len({os.path.realpath(folder) for folder in folders}) < 2:
        return dict.fromkeys(folders, ())
    bases = [os.path.basename(os.path.abspath(folder)) for folder in folders]
    if len(set(bases)) < len(folders):
        bases = [folder.rstrip(os.sep) for folder in folders]
    return {folder: (base,) for folder, base in zip(folders, bases, strict=True)}


def _join_table_folders(
    folder: str, name_prefix: Sequence[str], entries: Iterable[Submission | tuple[str, InputError]]
) -> Iterator[Submission | tuple[str, InputError]]:
    """What lies in a folder, each folder that is called as a table is as one submission.

    It is refused where something in it is not a regular file.
    """
    tables: dict[tuple[str, ...], list[str | InputError]] = {}
    for entry in entries:
        path = entry.path if isinstance(entry, Submission) else entry[0]
        *folders, _ = os.path.relpath(path, folder).split(os.sep)
        ends = [at for at, name in enumerate([folder.rstrip(os.sep), *folders]) if _is_table(name)]
        if not ends:
            yield entry
            continue
        table_files = tables.setdefault(tuple(folders[: ends[0]]), [])
        table_files.append(entry.path if isinstance(entry, Submission) else entry[1])
    for inner, files in tables.items():
        path = os.path.join(folder.rstrip(os.sep), *inner)
        broken = [file for file in files if isinstance(file, InputError)]
        if broken:
            yield path, broken[0]
        else:
            regular = [file for file in files if isinstance(file, FoundFile)]
            name = "/".join([*name_prefix, *inner]) if inner else ""  # it was named itself
            yield Submission(FoundFolder(path, regular, name), inner[:-1])


def _is_table(name: str) -> bool:
    return name.lower().endswith(TABLE_ENDINGS)


def find_files_below(
    folder: str, name_prefix: Sequence[str] = (), *, follow_links: bool = False
) -> Iterator[Submission | tuple[str, InputError]]:
    """The regular files in a folder and below, and what is not taken, in byte order.

    Args:
        folder: the folder.
        name_prefix: what the names of its files begin with.
        follow_links: whether links are followed.
    """
    from irev.engine.confined import refuse_system_without_limits

    refuse_system_without_limits()
    pending: list[tuple[str, ...]] = [()]
    seen: set[tuple[int, int]] = set()
    while pending:
        folders = pending.pop()
        folder_path = os.path.join(folder, *folders)
        try:
            entries, identity = _list_folder(folder, folders, follow_links)
        except OSError as error:
            reason = f"this folder cannot be read: {error.strerror}"
            if not folders:
                raise UsageError(f"{folder}: {reason}") from None
            yield _refusal(folder_path, "unreadable-folder", reason)
            continue
        if identity in seen:
            continue
        seen.add(identity)
        inner = []
        for name, status in entries:
            path = os.path.join(folder_path, name)
            if status is not None and stat.S_ISDIR(status.st_mode) and len(folders) < DEEPEST:
                inner.append((*folders, name))
            elif name.partition(".")[0].lower() in _TEXTS_ON_RUNS:
                hint = "keep it elsewhere, or name the runs one by one"
                yield _refusal(path, "documentation", "this is documentation, not a run", hint)
            elif status is not None and stat.S_ISREG(status.st_mode):
                file = FoundFile(
                    path, status.st_dev, status.st_ino, "/".join([*name_prefix, *folders, name]),
                    follow_links=follow_links,
                )  # fmt: skip
                yield Submission(file, folders)
            else:
                yield _refusal(path, *_refusal_kind_message_and_hint(status))
        pending += reversed(inner)


def _refusal_kind_message_and_hint(status: os.stat_result | None) -> tuple[str, ...]:
    """What is wrong with what is no file and no folder: kind, message and hint."""
    if status is None:
        return "link", "this link is broken"
    if stat.S_ISLNK(status.st_mode):
        hint = "--follow-links follows links in folders"
        return "link", "this is a link, which is not followed", hint
    if stat.S_ISDIR(status.st_mode):
        return "unreadable-folder", f"this folder is {DEEPEST} levels deep: it is not searched"
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return "special-file", f"this is {kinds.get(stat.S_IFMT(status.st_mode), 'a device')}, no file"


def _refusal(path: str, kind: str, message: str, hint: str = "") -> tuple[str, InputError]:
    return path, InputError([Problem(path, None, kind, message, hint)])


def _list_folder(
    root: str, folders: Sequence[str], follow_links: bool
) -> tuple[list[tuple[str, os.stat_result | None]], tuple[int, int]]:
    """What lies in a folder, and which folder that is.

    It is opened from its root on, one folder after the other, so that none of them is a link.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY
    handle = os.open(root, flags)
    try:
        for name in folders:
            outer = handle
            handle = os.open(name, flags | (0 if follow_links else os.O_NOFOLLOW), dir_fd=outer)
            os.close(outer)
        with os.scandir(handle) as entries:
            statuses = [
                (e.name, _stat_entry(e, follow_links)) for e in entries if _is_visible(e.name)
            ]
        here = os.fstat(handle)
    finally:
        os.close(handle)
    return sorted(statuses, key=lambda each: os.fsencode(each[0])), (here.st_dev, here.st_ino)


def _stat_entry(entry: os.DirEntry[str], follow_links: bool) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=follow_links)
    except OSError:
        return None


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and name not in _LEFT_BEHIND


def refuse_too_many_runs(
    path: str, num_runs: int, max_runs: int | None, *, is_only: bool = False
) -> None:
    """Refuse a submission that holds more runs than it may.

    Each run asks the judgments anew, and enters the tests of all others: who uploads a file in a
    folder has one run in it. What the caller names is the caller's own.

    Args:
        path: the submission.
        num_runs: how many it holds.
        max_runs: how many the organiser allows each, whoever named it; None: one of a file that was
            found in a folder, of others as many as tests of all pairs can bear.
        is_only: whether no other submission is beside it: a table that was named may hold any
            number.
    """
    most = max_runs
    if most is None and path_below(path):
        most = 1
    elif most is None and not is_only:
        most = _MOST_NAMED_RUNS
    if most is not None and num_runs > most:
        what = f"it holds {num_runs:,} runs, and a submission may hold {most:,}"
        hint = "hand in a file for each run; --max-runs N allows more in one"
        raise InputError([Problem(path, None, "too-many-runs", what, hint)])


def submission_names(submissions: Iterable[Submission]) -> list[str]:
    """What submissions are called on a board, each unlike all others; long names are cut."""
    forms = [path_forms(each.path) for each in submissions]
    return number_equal_names([_printable_shortened_name(name) for name in distinct_names(forms)])


def _printable_shortened_name(name: str) -> str:
    """A printable name; of a long one the beginning, and a hash that tells it from all others."""
    shown = escaped_name(name)
    if len(shown) <= LONGEST_NAME:
        return shown
    end = f"...{sha256_of(as_bytes(name))[:_HASH_OF_NAME]}"
    return shown[: LONGEST_NAME - len(end)] + end


def number_equal_names(names: list[str]) -> list[str]:
    """Names, those that a cut made equal with a number behind them."""
    taken = set(names) if len(set(names)) < len(names) else set()
    numbered: list[str] = []
    used_names: set[str] = set()
    for name in names:
        candidate, number = name, 1
        while candidate in used_names or (number > 1 and candidate in taken):
            number += 1
            candidate = f"{name}~{number}"
        used_names.add(candidate)
        numbered.append(candidate)
    return numbered


# --- What a caller gives as runs: one, or several and what each is called ---


_WILD = "*?["

IN_MEMORY = "the run"
"""What problems call a run that is in memory, and has no name of its own there."""


def runs_by_name_if_several(
    runs: Any, columns: ColumnNames = (), *, splits_tables: bool = True
) -> dict[str, Input] | None:
    """The runs by name where several are given; None where it is one.

    Several are a list, tuple or iterator of runs, a mapping from names to runs, a path with
    wildcards, "runs/*.run", and a table that holds several, which is not looked for unless
    `splits_tables`. Their names are those of `name_runs`.
    """
    split = partial(split_run_tables, columns=columns) if splits_tables else list
    if isinstance(runs, MAPPINGS):
        from irev.read.memory import has_plain_first_topic, is_answer_to_many_queries

        if has_plain_first_topic(runs):
            return None
        named_runs = list(runs.items())  # all at once: another thread may write to it
        are_runs = [_is_run(run) for _, run in named_runs]
        # beside others an empty one is a run that retrieved nothing
        is_several = any(are_runs) and all(
            is_run or _is_empty(run) for is_run, (_, run) in zip(are_runs, named_runs, strict=True)
        )
        if not is_several or is_answer_to_many_queries(runs):
            return None
        return {str(name): run for name, run in named_runs}
    if isinstance(runs, str | os.PathLike):
        matches = _files_of_pattern(os.fspath(runs), columns)
        if matches is not None:
            return name_runs(split(matches))
    if isinstance(runs, list | tuple):
        from irev.read.memory import is_row

        return name_runs(split(runs)) if runs and not is_row(runs[0]) else None
    in_table = runs_in_table_if_several(runs, columns) if splits_tables else ()
    return name_runs(in_table) if len(in_table) > 1 else None


def all_runs_by_name(runs: Any, columns: ColumnNames = ()) -> dict[str, Input]:
    """All runs by name, whether one is given or several."""
    runs = rewindable(runs)
    if isinstance(runs, list | tuple) and not runs:
        return {}
    by_name = runs_by_name_if_several(runs, columns) or name_runs([runs])
    return {name: rewindable(source) for name, source in by_name.items()}


def split_run_tables(sources: Iterable[Input], columns: ColumnNames = ()) -> list[Input]:
    """The inputs in their order, in place of a table of several runs each of them.

    One of these may be named behind the path of its table: `runs.parquet[bm25]`.
    """
    return [
        run for source in sources for run in runs_in_table_if_several(source, columns) or [source]
    ]


def runs_in_table_if_several(source: Input, columns: ColumnNames = ()) -> Sequence[Input]:
    """The runs of a table that holds several, in the order of their first rows; else none.

    The table is a file, a folder or in memory; what can be read once only is none.
    """
    if isinstance(source, RunInTable | RunInFrame):
        return ()
    if isinstance(source, str | os.PathLike):
        from irev.read.run_tables import find_run_in_table, run_table

        path = os.fspath(source)
        named = find_run_in_table(path, columns)
        table = None if named else run_table(path, columns)
        return (named,) if named else table.runs if table else ()
    if not is_table(source) or isinstance(source, MAPPINGS):
        return ()
    return several_runs_of_frame(source, RUN._replace(columns=columns))


def rewindable(source: Any) -> Any:
    """An input that can be read more than once: what an iterator gives is kept in a list."""
    is_whole = isinstance(source, MAPPINGS) or not isinstance(source, Iterator)
    return source if is_whole else list(source)


def error_naming_run(name: str, error: IrevError) -> IrevError:
    """An error that names the run; problems of files name these."""
    if isinstance(error, InputError):
        problems = [p._replace(path=name) if p.path == IN_MEMORY else p for p in error.problems]
        return InputError(problems)
    if not isinstance(error, MismatchError):
        return error
    return MismatchError(f"{name}: {error}", error.kind)


def refuse_several_runs(source: Input, columns: ColumnNames = ()) -> None:
    """Refuse a table of several runs where one run is wanted."""
    runs: Sequence[Any] = runs_in_table_if_several(source, columns)
    if len(runs) > 1:
        first, names = runs[0], [run.run for run in runs]
        path, column = "", getattr(first, "column", "")
        if isinstance(first, RunInTable):
            path, column = first.table.path, first.table.column.name
        raise InputError([several_runs_problem(path, column, names)])


def _files_of_pattern(path_or_pattern: str, columns: ColumnNames) -> list[str] | None:
    """The files that a path with wildcards names; None where it names one file."""
    if not any(sign in path_or_pattern for sign in _WILD) or os.path.lexists(path_or_pattern):
        return None
    from glob import glob

    from irev.read.run_tables import find_run_in_table
    from irev.scores.saved import split_saved_path

    if isinstance(path_or_pattern, RunInTable) or find_run_in_table(path_or_pattern, columns):
        return None
    if split_saved_path(path_or_pattern)[1]:
        return None
    paths = sorted(glob(path_or_pattern, recursive=True), key=os.fsencode)
    if not paths:
        raise InputError(
            [Problem(path_or_pattern, None, "no-file", "no file matches this pattern")]
        )
    return paths


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict | Mapping | list | tuple) and not value


def _is_run(value: Any) -> bool:
    """Whether a value of a mapping is a run by itself, not the documents of a topic or a column."""
    from irev.read.memory import (
        LISTS,
        NUMBERS,
        has_lists,
        is_answer,
        is_answer_to_many_queries,
        is_row,
    )
    from irev.scores.scores import Scores
    from irev.scores.table import ScoreTable

    if isinstance(value, np.ndarray):
        return False
    if isinstance(value, Scores | ScoreTable):
        return True
    if isinstance(value, MAPPINGS):
        if is_answer(value):
            return False
        inner = next(iter(value.values()), None)
        if is_answer_to_many_queries(value):
            return True
        if isinstance(inner, NUMBERS):
            return False
        is_columns = has_lists(value) or getattr(inner, "ndim", 0) == 1
        return is_columns or isinstance(inner, (Mapping, *LISTS))
    if isinstance(value, str | os.PathLike | Iterator) or is_table(value):
        return True
    if isinstance(value, list | tuple):
        return bool(value) and is_row(value[0])
    return not hasattr(value, "__array__") and hasattr(value, "to_dict")
