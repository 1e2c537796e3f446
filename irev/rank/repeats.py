"""Documents that stand twice in a topic of a run, where only the first line of each counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irev.core.arrays import offsets
from irev.core.model import Rows
from irev.core.pairs import Pairs, sorted_pairs


def first_lines(rows: Rows) -> tuple[Rows, dict[bytes, int]]:
    """The first row of each document of each topic; and how many were left out, by topic.

    The rows of a topic are in the order of the lines they stood in.
    """
    keep = np.arange(len(rows.docs))
    found = sorted_pairs(rows.topic_of_row, len(rows.topics), rows.docs)
    # of two equal rows the later one goes: what is left may hold another two, never without a first
    while not isinstance(found, Pairs):
        later = np.zeros(len(keep), bool)
        later[np.maximum(*found)] = True
        keep = keep[~later]
        found = sorted_pairs(rows.topic_of_row[keep], len(rows.topics), rows.docs.take(keep))
    if len(keep) == len(rows.docs):
        return rows, {}
    size = np.bincount(rows.topic_of_row[keep], minlength=len(rows.topics))
    dropped = np.diff(rows.start) - size
    kept = replace(
        rows,
        start=offsets(size),
        docs=rows.docs.take(keep),
        value=rows.value[keep],
        groups=tuple(group.take(keep) for group in rows.groups),
        line=keep + 1 if rows.line is None else rows.line[keep],
    )
    some = np.flatnonzero(dropped).tolist()
    return kept, {rows.topics[topic]: int(dropped[topic]) for topic in some}
