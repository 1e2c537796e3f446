"""Which files a path of the command line means, and which files in a folder are submissions."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from irev.core.option_records import Opt
from irev.core.text import LONGEST_NAME, TABLE_ENDINGS, as_bytes, escaped_name
from irev.errors import InputError, Problem, UsageError
from irev.read.batches import is_folder_of_arrow_files
from irev.read.inputs import (
    distinct_names,
    is_pattern,
    matching_files,
    path_below,
    path_forms,
    path_of,
)
from irev.read.stream import STDIN, FoundFile, FoundFolder, sha256_of

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
        if os.path.isdir(path) and not is_folder_of_arrow_files(path):
            inside = find_submissions([path], follow_links=True)
            run_paths += [file.path for file in inside.files if file.path not in run_paths]
            refused |= dict(inside.refused)
            searched = True
        elif is_pattern(path):
            matching = matching_files(path)
            # where no file fits, it may be a run of a table: all.parquet[bm25]
            searched = searched or bool(matching)
            run_paths += [each for each in matching or [path] if each not in run_paths]
        else:
            run_paths.append(path)
    return RunFiles(run_paths, [*refused.items()], searched)


def expand_folders(runs: Any) -> Any:
    """Runs with the files of each folder in its place, whether one is given or a list."""
    if isinstance(runs, str | os.PathLike):
        return expand_folders([runs]) if os.path.isdir(runs) else runs
    if not isinstance(runs, list | tuple):
        return runs
    expanded: list[Any] = []
    for source in runs:
        path = path_of(source)
        expanded += run_files([path]).regular() if os.path.isdir(path) else [source]
    return expanded


# --- Which files are submissions, and what they are called ---
# A folder that the organiser names holds what strangers put there: regular files are taken,
# whatever else lies there is told and never opened. Names come from files and folders, not from
# what stands in a file.


FOLLOW_LINKS = Opt(
    "--follow-links",
    in_short_help=False,
    help="Follow links in directories. By default they are only reported.",
)

MAX_RUNS = Opt(
    "--max-runs",
    in_short_help=False,
    metavar="N",
    least=1,
    effect="nothing",
    help="Most runs in one submission, which may be a table of several. Default: 1 for files in "
    "directories, 1,000 for tables that you name.",
)

MOST_LEVELS = 40
"""How many folders may lie within each other."""

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
    # among several folders what lies in one is called by it, too: it never changes what a file in
    # another is called
    folders = [path for path in paths if os.path.isdir(path)]
    prefixes: dict[str, tuple[str, ...]] = dict.fromkeys(folders, ())
    if len({os.path.realpath(folder) for folder in folders}) > 1:
        bases = [os.path.basename(os.path.abspath(folder)) for folder in folders]
        if len(set(bases)) < len(folders):
            bases = [folder.rstrip(os.sep) for folder in folders]
        prefixes = {folder: (base,) for folder, base in zip(folders, bases, strict=True)}
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
                refused_path, reason = entry
                refused.setdefault(refused_path, reason)
        if is_empty:
            raise UsageError(f"{path}: this directory contains no submission")
    return FoundSubmissions([*files.values()], [*refused.items()])


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
        # the outermost folder that is called as a table; `depth` 0 is the folder itself
        outer_to_inner = [folder.rstrip(os.sep), *folders]
        is_table = [name.lower().endswith(TABLE_ENDINGS) for name in outer_to_inner]
        if not any(is_table):
            yield entry
            continue
        depth = is_table.index(True)
        table_files = tables.setdefault(tuple(folders[:depth]), [])
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
            if status is not None and stat.S_ISDIR(status.st_mode) and len(folders) < MOST_LEVELS:
                inner.append((*folders, name))
            elif name.partition(".")[0].lower() in _TEXTS_ON_RUNS:
                hint = "keep it elsewhere, or name the runs one by one"
                yield _refusal(path, "documentation", "this is documentation, not a run", hint)
            elif status is not None and stat.S_ISREG(status.st_mode):
                below = "/".join([*name_prefix, *folders, name])
                device, inode = status.st_dev, status.st_ino
                file = FoundFile(path, device, inode, below, follow_links=follow_links)
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
        return "unreadable-folder", f"this folder is {MOST_LEVELS} levels deep: it is not searched"
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
        statuses: list[tuple[str, os.stat_result | None]] = []
        with os.scandir(handle) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name in _LEFT_BEHIND:
                    continue
                status = None
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=follow_links)
                statuses.append((entry.name, status))
        here = os.fstat(handle)
    finally:
        os.close(handle)
    return sorted(statuses, key=lambda each: os.fsencode(each[0])), (here.st_dev, here.st_ino)


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
        most = 1000  # the tests are of all pairs
    if most is not None and num_runs > most:
        what = f"it holds {num_runs:,} runs, and a submission may hold {most:,}"
        hint = "hand in a file for each run; --max-runs N allows more in one"
        raise InputError([Problem(path, None, "too-many-runs", what, hint)])


def submission_names(submissions: Iterable[Submission]) -> list[str]:
    """What submissions are called on a board, each unlike all others; long names are cut."""
    names = []
    for name in distinct_names([path_forms(each.path) for each in submissions]):
        shown = escaped_name(name)
        if len(shown) > LONGEST_NAME:
            # of a long one the beginning, and a hash that tells it from all others: a name that has
            # the same is not found by trying
            end = f"...{sha256_of(as_bytes(name))[:12]}"
            shown = shown[: LONGEST_NAME - len(end)] + end
        names.append(shown)
    return number_equal_names(names)


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
