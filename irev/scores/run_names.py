"""What runs are called: the one place that settles it, for every table, figure and warning.

A run is called as whoever gave it says (the key of a mapping). Otherwise a file named by itself is
called as its base name without endings, one in a named folder as its path below that folder without
endings. Where two would be called alike, each has its endings, or as many of its folders as tell
them apart. A run in memory is called as it calls itself, or "run 1", "run 2" by its place. One of
several runs in a table is called as the table's column says, and no other may be called so.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irev.core.short_names import PACKED_ENDINGS, RUN_ENDINGS
from irev.core.text import as_text
from irev.errors import UsageError
from irev.read.frames import RunInFrame, is_table
from irev.read.stream import FoundFile, FoundFolder, RunInTable

if TYPE_CHECKING:
    from irev.core.model import Input


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
    """What a file may be called, from short to long: never less than its path below a folder."""
    *outer, base = path.rstrip(os.sep).split(os.sep)
    folders = path_below(path).split("/")[:-1]
    outer = outer[: len(outer) - len(folders)]
    names = (stem_of(base), base)
    forms = ["/".join([*folders, name]) for name in names]
    for start in range(len(outer) - 1, -1, -1):
        forms += ["/".join([*outer[start:], *folders, name]) for name in names]
    return forms


def run_forms(source: Input, number: int) -> list[str]:
    """What the run at a place (from 1) may be called, from short to long."""
    if isinstance(source, RunInTable | RunInFrame):
        return [as_text(source.run)]
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


def name_runs(runs: Sequence[Input]) -> dict[str, Any]:
    """The runs by their names, no two alike: one that is given twice has a number behind its name.

    Args:
        runs: paths, and runs in memory.
    """
    forms = [run_forms(run, number) for number, run in enumerate(runs, 1)]
    by_name: dict[str, Any] = {}
    for number, (name, run) in enumerate(zip(distinct_names(forms), runs, strict=True), 1):
        if name in by_name and is_named_by_column(run) and is_named_by_column(by_name[name]):
            raise equal_names_error(name, [by_name[name], run])
        by_name[f"{name} ({number})" if name in by_name else name] = run
    return by_name


def is_named_by_column(run: Input) -> bool:
    """Whether it is one of several runs in a table."""
    return isinstance(run, RunInTable | RunInFrame)


def equal_names_error(name: str, runs: Sequence[Input]) -> UsageError:
    """The error of two runs that are called alike, which says where each is."""
    places = " and ".join(path_of(run) or "a table in memory" for run in runs)
    return UsageError(
        f"two runs are called {name}: {places}; leave one out, or give each a name of its own"
    )
