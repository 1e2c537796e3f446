"""The values of all measures for rankings that are judged, few or many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, offsets
from irev.core.extras import Extras
from irev.core.frozen import frozen
from irev.core.model import Judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.core.views import Rankings
    from irev.measures.requests import Request

_ROWS_TOGETHER = 1 << 18
_LISTS_TOGETHER = 1 << 13


@frozen
class Values:
    """The values of all columns for some judged lists.

    lists     int64[T], which lists of the qrels
    values    float64[T, C]
    texts     column index -> T strings, for columns of texts
    """

    lists: Ints
    values: Floats
    texts: dict[int, list[bytes]]


def measure_all(
    requests: Sequence[Request],
    lists: Ints,
    rankings: Rankings,
) -> Values:
    """The values of every requested measure, column by column."""
    values = np.zeros((len(lists), sum(len(request.columns) for request in requests)))
    texts: dict[int, list[bytes]] = {}
    if not len(lists):
        # part of a run may hold no judged topic
        return Values(lists, values, texts)
    column = 0
    for request in requests:
        width = len(request.columns)
        if request.measure.average not in ("run", "topics"):
            # infinite parameters are numbers, and so is what comes of them
            with np.errstate(all="ignore"):
                found = request.values(rankings)
            if request.measure.kind == "text":
                texts[column] = found
            else:
                values[:, column : column + width] = found
        column += width
    return Values(lists, values, texts)


def batches(
    waiting: Sequence[tuple[Ints, Judged]],
) -> Iterator[list[tuple[Ints, Judged]]]:
    """Rankings that are few each, put together until measuring them is worth its calls."""
    batch: list[tuple[Ints, Judged]] = []
    rows = lists_so_far = 0
    for lists, judged in waiting:
        batch.append((lists, judged))
        rows += len(judged.topic)
        lists_so_far += len(lists)
        if rows >= _ROWS_TOGETHER or lists_so_far >= _LISTS_TOGETHER:
            yield batch
            batch, rows, lists_so_far = [], 0, 0
    if batch:
        yield batch


def joined_rankings(parts: Sequence[Judged]) -> Judged:
    """Several sets of rankings as one."""
    if len(parts) == 1:
        return parts[0]
    topics = offsets([part.num_topics for part in parts])
    levels = offsets([len(part.level_grade) for part in parts])
    return Judged(
        np.concatenate([part.topic + at for part, at in zip(parts, topics, strict=False)]),
        np.concatenate([part.rank for part in parts]),
        np.concatenate([part.grade for part in parts]),
        np.concatenate([part.num_ret for part in parts]),
        np.concatenate(
            [[0], *(part.level_start[1:] + at for part, at in zip(parts, levels, strict=False))]
        ),
        np.concatenate([part.level_grade for part in parts]),
        np.concatenate([part.level_count for part in parts]),
        parts[0].settings,
        np.concatenate([part.pooled for part in parts]),
        Extras.joined([part.extras for part in parts]),
    )
