"""Scores of one input as parts of a comparison: saved ones, gathered ones, those just made."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from irev.core.matrices import Entry, Matrices
from irev.core.scores import Column
from irev.engine.alignment import Part
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.core.inputs import Input
    from irev.core.saved import SavedScores
    from irev.core.scores import Scores


def path_of(given: Input) -> str:
    """The path of an input; empty for what is in memory."""
    return os.fspath(given) if isinstance(given, str | os.PathLike) else ""


def parts_with_scores(given: Input, label: str = "") -> list[Part]:
    """The runs of saved scores, or of matrices that were gathered before; none of a run itself.

    Args:
        given: an input.
        label: the name that it was given, which its run gets where it holds a single one.

    Raises:
        InputError: saved scores that cannot be read.
    """
    parts = _of_matrices(given) if isinstance(given, Matrices) else _of_file(path_of(given))
    if not label or len(parts) != 1:
        return parts
    return [replace(part, entry=replace(part.entry, name=label)) for part in parts]


def part_of_scores(name: str, path: str, scores: Scores) -> Part:
    """A run that was scored."""
    signature = scores.signature
    repeated = signature.dropped if signature else 0
    entry = Entry(name, path, scores.run_id, scores.account.missing, repeated, signature)
    return Part(entry, scores.topics, scores.columns, scores.values)


def _of_matrices(given: Matrices) -> list[Part]:
    return [
        Part(entry, given.topics, given.columns, given.values[:, :, number].T)
        for number, entry in enumerate(given.entries)
    ]


def _of_file(path: str) -> list[Part]:
    if path in ("", "-"):
        return []
    from irev.read.saved import is_saved, read_saved

    return list(map(_part_of_saved, read_saved(path))) if is_saved(path) else []


def _part_of_saved(saved: SavedScores) -> Part:
    entry = Entry(
        saved.name or os.path.basename(saved.path), saved.path, saved.run_id, saved.missing, 0,
        saved.signature, saved.sha256, is_saved=True,
    )  # fmt: skip
    return Part(entry, saved.topics, tuple(map(_column, saved.measures)), saved.values)


def _column(name: str) -> Column:
    """What a printed name stands for; a name that irev does not know is a mean of its values."""
    from irev.measures.names import resolve

    try:
        requests = resolve([name])
    except UsageError:
        return Column(name, name)
    found = [column for request in requests for column in request.columns if column.name == name]
    return found[0] if found else Column(name, name)
