"""A smaller collection: which documents it keeps, and runs without the others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from irev.core.ids import ids_from_bytes
from irev.engine.way import over
from irev.errors import InputError, Problem, UsageError
from irev.read.formats import RUN
from irev.read.stream import read_all
from irev.read.tables import is_structured
from irev.sampling.designs import collection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from irev.core.model import Qrels, Rows

_HEAD = 1 << 13
"""So many first bytes show whether a file is a table."""
_BLOCK = 1 << 16
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4")


def documents_of(qrels: Qrels, runs: Sequence[str], threads: int) -> list[bytes]:
    """The ids of all documents that judgments and runs name, each once, in byte order.

    They stand in for the collection, which nobody gives.

    Raises:
        InputError: a run that cannot be read.
    """
    found = set(qrels.docs.codes()[1])
    for run in runs:
        for names in over(run, RUN, _names, threads).results:
            found.update(names)
    return sorted(found)


def kept_documents(
    documents: Sequence[bytes], rate: Fraction, seed: int, replicate: int
) -> list[bytes]:
    """Those of distinct documents that stay, in the order given."""
    stays = collection(ids_from_bytes(documents), rate, seed, replicate)
    return [document for document, stay in zip(documents, stays.tolist(), strict=True) if stay]


def reduced_run(path: str, kept: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a run whose document stays, byte for byte, in blocks.

    Raises:
        InputError: the run is a table, not lines of fields.
    """
    stays = frozenset(kept)
    text = read_all(path)
    if is_structured(text[:_HEAD]):
        raise InputError(
            [Problem(path, None, "a run that is to be reduced must be lines, not a table")]
        )
    block: list[bytes] = []
    for line in text.splitlines(keepends=True):
        fields = line.split(None, 3)
        if len(fields) > 2 and not line.lstrip().startswith(b"#") and fields[2] in stays:
            block.append(line)
        if len(block) == _BLOCK:
            yield b"".join(block)
            block = []
    yield b"".join(block)


def targets(runs: Sequence[str], folder: str) -> list[str]:
    """Where reduced runs go: under their own names, without the ending of a compressed file.

    Raises:
        UsageError: there is no run, two have one name, or one would be replaced.
    """
    if not runs:
        raise UsageError("there is no run to reduce")
    names = [_plain_name(run) for run in runs]
    for run, name in zip(runs, names, strict=True):
        if names.count(name) > 1:
            raise UsageError(f"two runs would be written as {name}: {run} is one of them")
    into = [os.path.join(folder, name) for name in names]
    for path in into:
        if any(os.path.exists(path) and os.path.samefile(path, run) for run in runs):
            raise UsageError(f"{path} is a run that is read, and would be replaced")
    os.makedirs(folder, exist_ok=True)
    return into


def _plain_name(path: str) -> str:
    stem, ending = os.path.splitext(os.path.basename(path))
    return stem if ending in _COMPRESSED else stem + ending


def _names(rows: Rows) -> list[bytes]:
    return rows.docs.codes()[1]
