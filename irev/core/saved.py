"""Scores that were saved by topic, of one run or several: what the readers of them give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.core.arrays import Floats
from irev.core.frozen import frozen

if TYPE_CHECKING:
    from irev.signature import Signature


@frozen
class SavedScores:
    """The scores of one run by topic, as a file has them.

    path       the file
    name       what the file calls the run: the head of a column, or the end of a path if the file
               has no other run of that name; empty where it says nothing
    run_id     the tag of the run; empty where it is not known
    topics     T ids, in byte order
    measures   C printed names
    values     float64[T, C]; NaN where the file has no number
    missing    judged topics that the run lacked, whether or not they counted as 0
    signature  what the file says of how they came about; None where it is silent
    sha256     of the file's decompressed bytes
    """

    path: str
    name: str
    run_id: bytes
    topics: tuple[bytes, ...]
    measures: tuple[str, ...]
    values: Floats
    missing: tuple[bytes, ...] = ()
    signature: Signature | None = None
    sha256: str = ""
