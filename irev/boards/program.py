"""The scoring program of CodaBench and of TIRA: where its inputs lie, and what it writes."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from irev.boards.submissions import Submission, files_below
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irev.boards.board import Board


_ABOUT = re.compile(r"(metadata|ir-metadata|readme)(\.(ya?ml|md|txt))?", re.IGNORECASE)
"""What stands beside a submission and tells of it."""


def the_only_file(
    directory: str, what: str, prefix: str = "", *, follow_links: bool = False
) -> str:
    """The file in a directory, or below: hidden files and descriptions of it do not count.

    Args:
        directory: where to look; a file is taken as it is.
        what: what is looked for, for the message.
        prefix: among several, the only one whose name begins so.
        follow_links: whether links in the directory are followed.

    Raises:
        InputError: it is no regular file.
        UsageError: there is none, or there are several.
    """
    if os.path.isfile(directory):
        return directory
    if not os.path.isdir(directory):
        raise UsageError(f"{directory}: there is no such directory, where {what} should be")
    inside = list(files_below(directory, follow_links=follow_links))
    found = [each[0] for each in inside if not _ABOUT.fullmatch(os.path.basename(each[0]))]
    named = [path for path in found if prefix and os.path.basename(path).startswith(prefix)]
    if len(found) > 1 and len(named) == 1:
        found = named
    if len(found) != 1:
        listed = ", ".join(os.path.relpath(f, directory) for f in found[:5])
        raise UsageError(
            f"{directory}: {what} must be one file: there {'are' if found else 'is'} "
            f"{listed or 'none'}"
        )
    refused = [each for each in inside if not isinstance(each, Submission)]
    for path, error in refused:
        if path == found[0]:
            raise error
    return found[0]


def columns_of(listed: str | None) -> dict[str, str]:
    """Printed name -> key, as `ndcg_cut_10=score,map=map` says it.

    Raises:
        UsageError: it says nothing of the kind, or two names have one key.
    """
    found: dict[str, str] = {}
    if not listed:
        return found
    for part in listed.split(","):
        # the last `=`: names of measures may hold others
        name, equals, key = part.strip().rpartition("=")
        if not equals or not name or not key:
            raise UsageError(f"--columns {listed}: must be NAME=KEY, such as ndcg_cut_10=score")
        found[name] = key
    if len({*found.values()}) < len(found):
        raise UsageError(f"--columns {listed}: two measures have one key")
    return found


def values(board: Board, columns: Mapping[str, str]) -> dict[str, float]:
    """The values of the only run, by the keys of the platform: by printed names where none is said.

    Where columns are said, the others are left out.

    Raises:
        UsageError: a measure among the columns is not there.
    """
    names = board.matrices.measures
    for name in columns:
        if name not in names:
            raise UsageError(f"--columns: {name} is not one of {', '.join(names)}")
    return {
        columns.get(name, name): float(board.summary[row, 0])
        for row, name in enumerate(names)
        if not columns or name in columns
    }


def scores_json(found: Mapping[str, float]) -> bytes:
    """CodaBench's scores.json: a flat object."""
    return json.dumps(found, allow_nan=False).encode() + b"\n"


def scores_txt(found: Mapping[str, float]) -> bytes:
    """CodaLab's scores.txt: YAML; a key in quotes where it is more than letters and digits."""
    lines = [
        f"{key if re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]*', key) else json.dumps(key)}: {value!r}\n"
        for key, value in found.items()
    ]
    return "".join(lines).encode()


def prototext(found: Mapping[str, float], about: Sequence[tuple[str, str]] = ()) -> bytes:
    """TIRA's evaluation.prototext: a block for each value, and for what else there is to say."""
    pairs = [*found.items(), *about]
    blocks = [
        f"measure {{\n  key: {json.dumps(str(key))}\n  value: {json.dumps(str(value))}\n}}\n"
        for key, value in pairs
    ]
    return "".join(blocks).encode()
