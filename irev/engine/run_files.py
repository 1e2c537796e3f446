"""Which runs paths mean: files, directories of runs, patterns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from irev.errors import InputError


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
            from irev.engine.folders import find_submissions

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
