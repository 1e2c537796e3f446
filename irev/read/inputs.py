"""What a run is, decided once: what a caller gives, as runs with their names.

One run or several: a path, a path with wildcards, a table of several runs, a mapping, a list, a
frame. Folders are searched above: here a folder is the parts of a table.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from irev.core.judged import MAPPINGS, Input
from irev.core.text import PACKED_ENDINGS, RUN_ENDINGS, as_text, shortened_list
from irev.errors import InputError, IrevError, MismatchError, Problem, UsageError
from irev.read.batches import is_folder_of_arrow_files
from irev.read.columns import ColumnNames
from irev.read.formats import RUN
from irev.read.frames import RunInFrame, is_table, several_runs_of_frame, several_runs_problem
from irev.read.run_tables import find_run_in_table, run_table
from irev.read.stream import STDIN, FoundFile, FoundFolder, NamedFile, RunInTable, given_name_of

IN_MEMORY = "the run"
"""What problems call a run that is in memory, and has no name of its own there."""


class RunInput(NamedTuple):
    """A run that was given.

    place   its place among those given, from 0
    name    what it is called, unlike any other
    source  what is read
    forms   what it may be called, from short to long; its name alone where that is settled
    """

    place: int
    name: str
    source: Any
    forms: Sequence[str]

    @property
    def label(self) -> str:
        """What messages call it: its path, or its name."""
        return path_of(self.source) or self.forms[0]


class GivenRuns(NamedTuple):
    """The runs that a value means.

    Of kind "one" is a run by itself, or nothing; a list is of kind "list"; several whose names are
    settled, by a mapping, a pattern or the column of a table, are of kind "names".
    """

    inputs: list[RunInput]
    kind: Literal["one", "list", "names"]

    @property
    def by_name(self) -> dict[str, Input]:
        """What is read, by the runs' names."""
        return {each.name: each.source for each in self.inputs}

    @property
    def sources(self) -> list[Any]:
        """What is read of each run."""
        return [each.source for each in self.inputs]


def given_runs(value: Any, columns: ColumnNames = (), *, looks_inside: bool = True) -> GivenRuns:
    """The runs that a value means, each with what it is called.

    Several are a list, tuple or iterator of runs, a mapping from names to runs, a path with
    wildcards, "runs/*.run", and a table that holds several, also one of a list.

    Args:
        value: one run or several; nothing in an empty list.
        columns: which columns hold which fields, where the user says so.
        looks_inside: whether iterators are kept in lists, and tables are opened to see whether
            they hold several runs.
    """
    if looks_inside:
        value = rewindable(value)
    names: list[str] = []
    sources: Sequence[Input] = ()
    is_list = False
    if isinstance(value, MAPPINGS):
        by_name = _runs_of_mapping(value)
        names, sources = list(by_name), list(by_name.values())
    elif isinstance(value, str | os.PathLike):
        sources = _files_of_pattern(os.fspath(value), columns)
    elif isinstance(value, list | tuple):
        if not value:
            return GivenRuns([], "one")
        from irev.read.memory import is_row

        is_list = not is_row(value[0])
        sources = value if is_list else ()
    if looks_inside and not names:
        if sources:
            sources = split_run_tables(sources, columns)
        elif len(in_table := runs_in_table_if_several(value, columns)) > 1:
            sources = in_table
    if not sources:
        forms = _run_forms(value, 1)
        return GivenRuns([RunInput(0, forms[0], value, forms)], "one")
    names = names or names_of_runs(sources)
    inputs = [
        RunInput(
            place,
            name,
            rewindable(source) if looks_inside else source,
            _run_forms(source, place + 1) if is_list else [name],
        )
        for place, (name, source) in enumerate(zip(names, sources, strict=True))
    ]
    return GivenRuns(inputs, "list" if is_list else "names")


def _runs_of_mapping(value: Mapping[Any, Any]) -> dict[str, Input]:
    """The runs of a mapping from names to runs; none where it is one."""
    from irev.read.memory import has_plain_first_topic, is_answer_to_many_queries

    if has_plain_first_topic(value):
        return {}
    named_runs = list(value.items())  # all at once: another thread may write to it
    are_runs = [_is_run(run) for _, run in named_runs]
    # beside others an empty one is a run that retrieved nothing
    is_several = any(are_runs) and all(
        is_run or (isinstance(run, Mapping | list | tuple) and not run)
        for is_run, (_, run) in zip(are_runs, named_runs, strict=True)
    )
    if not is_several or is_answer_to_many_queries(value):
        return {}
    return {str(name): run for name, run in named_runs}


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

    if isinstance(value, np.ndarray):
        return False
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
    # a run of another package, or scores
    return not hasattr(value, "__array__") and hasattr(value, "to_dict")


def _files_of_pattern(path_or_pattern: str, columns: ColumnNames) -> list[str]:
    """The files that a path with wildcards names; none where it names one file."""
    if (
        not is_pattern(path_or_pattern)
        or isinstance(path_or_pattern, RunInTable)
        or find_run_in_table(path_or_pattern, columns)
        or split_saved_path(path_or_pattern)[1]
    ):
        return []
    paths = matching_files(path_or_pattern)
    if not paths:
        message = "no file matches this pattern"
        raise InputError([Problem(path_or_pattern, None, "no-file", message)])
    return paths


def is_pattern(path: str) -> bool:
    """Whether a path has wildcards, and is not what a file is called."""
    return any(sign in path for sign in "*?[") and not os.path.lexists(path)


def matching_files(pattern: str) -> list[str]:
    """The files that a path with wildcards fits, in byte order."""
    from glob import glob

    return sorted(glob(pattern, recursive=True), key=os.fsencode)


def split_saved_path(path: str) -> tuple[str, str]:
    """(the file, the run in it) of a path such as `scores.json[bm25]`; no run of any other path."""
    if path.endswith("]") and not os.path.lexists(path):
        at = -1
        while (at := path.find("[", at + 1)) > 0:  # both may have brackets
            if os.path.isfile(path[:at]):
                return path[:at], path[at + 1 : -1]
    return path, ""


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
        path = os.fspath(source)
        if named := find_run_in_table(path, columns):
            return (named,)
        table = run_table(path, columns)
        if table and given_name_of(path):
            raise several_named_runs_error(path, [as_text(run) for run in table.index_of_run])
        return table.runs if table else ()
    if not is_table(source) or isinstance(source, MAPPINGS):
        return ()
    return several_runs_of_frame(source, RUN._replace(columns=columns))


def refuse_table_of_several_runs(source: Input, columns: ColumnNames = ()) -> None:
    """Refuse a table of several runs where one run is wanted."""
    runs: Sequence[Any] = runs_in_table_if_several(source, columns)
    if len(runs) > 1:
        first, names = runs[0], [run.run for run in runs]
        path, column = "", getattr(first, "column", "")
        if isinstance(first, RunInTable):
            path, column = first.table.path, first.table.column.name
        raise InputError([several_runs_problem(path, column, names)])


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


# --- What runs are called: settled here for every table, figure and warning ---

# A run is called as whoever gave it says (the key of a mapping, NAME=FILE). Otherwise a file named
# by itself is called as its base name without endings, one in a named folder as its path below that
# folder without endings. Where two would be called alike, each has its endings, or as many of its
# folders as tell them apart. A run in memory is called as it calls itself, or "run 1", "run 2" by
# its place. One of several runs in a table is called as the table's column says, and no other may
# be called so.


def named_run(word: str) -> str:
    """The file of a word `NAME=FILE`, which keeps the name; other words as they are.

    So is one that is itself what a file is called, or whose FILE does not exist.

    Raises:
        UsageError: the file is a folder, or a pattern of several: a name is for one run.
    """
    at = 0
    while not os.path.lexists(word) and (at := word.find("=", at + 1)) > 0:  # both may have signs
        name, path = word[:at].strip(), word[at + 1 :]
        file, _ = split_saved_path(path)
        is_folder = os.path.isdir(path) and not is_folder_of_arrow_files(path)
        if is_folder or (is_pattern(path) and matching_files(path)):
            raise UsageError(f"{word}: a name is for one run, not for all in {path}")
        if name and (path == STDIN or os.path.lexists(file)):
            return NamedFile(path, name)
    return word


def named_runs(words: Iterable[str]) -> tuple[str, ...]:
    """The files of a command line, of which some may have names: `NAME=FILE`.

    Raises:
        UsageError: two have one name.
    """
    paths = tuple(map(named_run, words))
    by_name: dict[str, str] = {}
    for path in paths:
        name = given_name_of(path)
        if name and by_name.setdefault(name, path) is not path:
            raise equal_names_error(name, [by_name[name], path])
    return paths


def several_named_runs_error(path: str, run_names: Sequence[str]) -> UsageError:
    """The error of a name for a file of several runs."""
    return UsageError(
        f"{given_name_of(path)}={path}: a name is for one run, and this file has "
        f"{shortened_list(run_names, 8)}; name one, {path}[{run_names[0]}]"
    )


def path_of(source: Input) -> str:
    """The path of an input; empty for what is in memory."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else ""


def path_below(path: str) -> str:
    """The path of a file below the folder that was named; empty where it was named itself."""
    return path.path_below if isinstance(path, FoundFile | FoundFolder) else ""


def stem_of(base: str) -> str:
    """The name of a file without its endings."""
    for endings in (PACKED_ENDINGS, RUN_ENDINGS):
        stem, dot, end = base.rpartition(".")
        if stem and dot + end.lower() in endings:
            base = stem
    return base


def path_forms(path: str) -> list[str]:
    """What a file may be called, from short to long: never less than its path below a folder.

    One that was given a name has this alone.
    """
    if name := given_name_of(path):
        return [name]
    *outer, base = path.rstrip(os.sep).split(os.sep)
    folders = path_below(path).split("/")[:-1]
    outer = outer[: len(outer) - len(folders)]
    names = (stem_of(base), base)
    forms = ["/".join([*folders, name]) for name in names]
    for start in range(len(outer) - 1, -1, -1):
        forms += ["/".join([*outer[start:], *folders, name]) for name in names]
    return forms


def _run_forms(source: Input, number: int) -> list[str]:
    """What the run at a place (from 1) may be called, from short to long."""
    if isinstance(source, RunInTable | RunInFrame):
        return [given_name_of(source) or as_text(source.run)]
    path = path_of(source)
    if path:
        return path_forms(path)
    own_name = None if is_table(source) else getattr(source, "name", None)
    return [own_name if isinstance(own_name, str) and own_name else f"run {number}"]


def distinct_names(forms: Sequence[Sequence[str]]) -> list[str]:
    """The shortest form of each that no other has as its name; the longest where there is none.

    What has the same forms, a file that is given twice, has the same name.
    """
    depth = dict.fromkeys(map(tuple, forms), 0)
    while True:
        names = {each: each[level] for each, level in depth.items()}
        times = Counter(names.values())
        clashing = [each for each, name in names.items() if times[name] > 1]
        clashing = [each for each in clashing if depth[each] + 1 < len(each)]
        if not clashing:
            return [names[tuple(each)] for each in forms]
        for each in clashing:
            depth[each] += 1


def names_of_runs(runs: Sequence[Input]) -> list[str]:
    """What runs, paths and those in memory, are called: one that is given twice has a number, too.

    Raises:
        UsageError: two are called alike by columns of tables.
    """
    forms = [_run_forms(run, number) for number, run in enumerate(runs, 1)]
    by_name: dict[str, Any] = {}
    names = []
    own_names = distinct_names(forms)
    for number, (name, run) in enumerate(zip(own_names, runs, strict=True), 1):
        if name in by_name and is_named_by_column(run) and is_named_by_column(by_name[name]):
            raise equal_names_error(name, [by_name[name], run])
        free = name
        while free in by_name or (free != name and free in own_names):
            free = f"{name} ({number})"
            number += 1
        names.append(free)
        by_name[free] = run
    return names


def is_named_by_column(run: Input) -> bool:
    """Whether it is one of several runs in a table."""
    return isinstance(run, RunInTable | RunInFrame)


def equal_names_error(name: str, runs: Sequence[Input]) -> UsageError:
    """The error of two runs that are called alike, which says where each is."""
    places = " and ".join(path_of(run) or "a table in memory" for run in runs)
    return UsageError(
        f"two runs are called {name}: {places}; leave one out, or give each a name of its own"
    )
