"""Where submissions are found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LEFT_BEHIND = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
"""What archivers and file managers leave behind, besides names that begin with a dot."""


def submissions(given: Iterable[str]) -> list[str]:
    """The files that were named, and all files in the directories that were.

    A directory is searched with all below it, in byte order of the names; links to directories are
    not followed. Hidden files and what archivers leave behind are no submissions. A file that is
    reached twice is there once.

    Raises:
        UsageError: a directory without any file.
    """
    found: dict[str, str] = {}
    for path in given:
        if not os.path.isdir(path):
            found.setdefault(os.path.realpath(path) if path != "-" else path, path)
            continue
        inside = list(files_below(path))
        if not inside:
            raise UsageError(f"{path}: there is no submission in this directory")
        for file in inside:
            found.setdefault(os.path.realpath(file), file)
    return list(found.values())


def files_below(directory: str) -> Iterator[str]:
    """The files in a directory and below, in byte order of their names.

    Raises:
        UsageError: a directory that cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise UsageError(f"{error.filename}: this directory cannot be read: {error.strerror}")

    for folder, folders, files in os.walk(directory, onerror=refuse):
        folders[:] = sorted(filter(_counts, folders), key=os.fsencode)
        for name in sorted(filter(_counts, files), key=os.fsencode):
            yield os.path.join(folder, name)


def _counts(name: str) -> bool:
    return not name.startswith(".") and name not in _LEFT_BEHIND
