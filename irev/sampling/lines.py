"""Judgments as lines: four columns, or five with the stratum of each document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.ids import Ids

UNJUDGED = -1.0
"""The grade of a document that is in the pool and not in the sample."""

_LINES_AT_ONCE = 1 << 16


def judgment_lines(
    topics: Sequence[bytes],
    topic: Ints,
    docs: Ids,
    grade: Floats,
    strata: Sequence[str] | None = None,
    stratum: Ints | None = None,
) -> Iterator[bytes]:
    """Blocks of lines `TOPIC 0 DOCUMENT [STRATUM] GRADE`, by topic as they come and document id.

    Args:
        topics: T ids.
        topic: int64[N], the topic of each document.
        docs: N document ids.
        grade: float64[N], below 0 for what is not judged, which is written as -1.
        strata: the names of the strata; None: four columns.
        stratum: int64[N], the stratum of each document.
    """
    order = np.lexsort((*reversed(docs.sort_keys()), topic))
    for first in range(0, len(order), _LINES_AT_ONCE):
        rows = order[first : first + _LINES_AT_ONCE]
        names = [topics[number] for number in topic[rows].tolist()]
        grades = [grade_text(value) for value in grade[rows].tolist()]
        ids = docs.take(rows).compact().to_list()
        if strata is None or stratum is None:
            fields = zip(names, ids, grades, strict=True)
            yield b"".join([b"%b 0 %b %b\n" % line for line in fields])
        else:
            of = [strata[number].encode() for number in stratum[rows].tolist()]
            with_strata = zip(names, ids, of, grades, strict=True)
            yield b"".join([b"%b 0 %b %b %b\n" % line for line in with_strata])


def grade_text(grade: float) -> bytes:
    """A grade as it is written: whole where it is whole, -1 where there is none."""
    if grade < 0:
        return b"-1"
    return str(int(grade) if grade == int(grade) else grade).encode()
