"""Which runs the paths of a command line mean: files, directories of runs, patterns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

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
        """The paths."""
        for _, error in self.refused:
            raise error
        return self.paths


def run_files(given: Iterable[str]) -> RunFiles:
    """The runs that paths mean; what directories and patterns bring, once.

    A directory means all files in it and below, by name; but one whose files are the parts of a
    table is a run. A pattern (`'runs/*.run'`) that no file is called by means the files it fits.
    """
    found: list[str] = []
    refused: dict[str, InputError] = {}
    searched = False
    for path in given:
        if os.path.isdir(path) and not _is_table(path):
            from irev.engine.folders import submissions

            inside = submissions([path], follow_links=True)
            found += [file.path for file in inside.files if file.path not in found]
            refused |= dict(inside.refused)
            searched = True
        elif any(letter in path for letter in "*?[") and not os.path.lexists(path):
            from glob import glob

            matching = sorted(glob(path, recursive=True), key=os.fsencode) or [path]
            found += [each for each in matching if each not in found]
            searched = True
        else:
            found.append(path)
    return RunFiles(found, [*refused.items()], searched)


def _is_table(folder: str) -> bool:
    from irev.read.datasets import is_dataset

    return is_dataset(folder)
