"""Qrels made ready: each judged list in one place, its grades counted.

A document stands once in a list: what is there twice is found here, of qrels and runs alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.arrays import Floats, Ints, Words, byte_order, offsets, ranges, run_starts
from irev.core.ids import Ids, concatenate
from irev.core.model import Duplicate, DuplicatesError, Qrels, Rows
from irev.core.pairs import Pairs, pairs_of
from irev.core.record import record
from irev.errors import MOST_PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FEW_LEVELS = 256
_CELLS_PER_ROW = 16
"""How much larger than the judgments a table of lists by levels may be."""


@record
class JudgedLists:
    """Some topics of qrels, ready; the lists of a topic lie together, in order of their groups."""

    topics: list[bytes]
    lists_of_topic: Ints
    list_length: Ints
    docs: Ids
    hashes: Words
    grade: Floats
    levels_of_list: Ints
    level_grade: Floats
    level_count: Ints


def judged_lists(rows: Rows) -> JudgedLists:
    """Some topics of qrels made ready."""
    judged_list, topic_of_list = number_judged_lists(rows)
    hashes = distinct_pairs(rows, judged_list, len(topic_of_list)).doc_hashes
    # the lists of a topic may be mixed
    order = np.argsort(judged_list, kind="stable") if rows.groups else None
    return _lists(rows, judged_list, topic_of_list, hashes, rows.value, order)


def one_list_per_topic(
    rows: Rows, ideal: Floats | None = None, order: Ints | None = None
) -> JudgedLists:
    """Some topics made ready, a list for each, its documents in the order of the rows.

    `ideal` is what each row counts as where the grades of a list are counted, if not its grade;
    `order` the rows, topic by topic, in the order that is asked for instead.
    """
    topic, number = rows.topic_of_row, np.arange(len(rows.topics))
    hashes = distinct_pairs(rows, topic, len(number)).doc_hashes
    return _lists(rows, topic, number, hashes, rows.value if ideal is None else ideal, order)


def _lists(
    rows: Rows, judged_list: Ints, topic_of_list: Ints, hashes: Words, ideal: Floats,
    order: Ints | None,
) -> JudgedLists:  # fmt: skip
    """Lists whose rows lie together, in an order or as they are."""
    docs, grade, count = rows.docs, rows.value, len(topic_of_list)
    if order is not None:
        judged_list, hashes, ideal = judged_list[order], hashes[order], ideal[order]
        docs, grade = docs.take(order), grade[order]
    # what is kept is copied last of all: memory that was worked in is then free in one piece
    level_list, level_grade, level_count = _levels(judged_list, ideal, count)
    return JudgedLists(
        rows.topics,
        np.bincount(topic_of_list, minlength=len(rows.topics)),
        np.bincount(judged_list, minlength=count),
        docs.held(),
        hashes.copy(),
        grade.copy(),
        np.bincount(level_list, minlength=count),
        level_grade,
        level_count,
    )


def number_judged_lists(rows: Rows) -> tuple[Ints, Ints]:
    """(the judged list of each row, the topic of each list)."""
    if not rows.groups:
        return rows.topic_of_row, np.arange(len(rows.topics))
    code, names = rows.groups[0].codes()
    rank_of_name = np.empty(len(names), np.int64)
    rank_of_name[byte_order(names)] = np.arange(len(names))
    lists, judged_list = np.unique(
        rows.topic_of_row * len(names) + rank_of_name[code], return_inverse=True
    )
    return judged_list, lists // len(names)


def distinct_pairs(rows: Rows, segment: Ints, segments: int) -> Pairs:
    """The pairs of a segment, which is a topic or a part of one, and a document, each once."""
    pairs = pairs_of(segment, segments, rows.docs)
    if not isinstance(pairs, Pairs):
        raise DuplicatesError(_duplicates(rows, *pairs))
    return pairs


def drop_repeated_documents(rows: Rows, *, last: bool) -> tuple[Rows, dict[bytes, int]]:
    """The first or last row of each document of each topic; how many were left out, by topic.

    The rows of a topic are in the order of the lines they stood in.
    """
    keep = np.arange(len(rows.docs))
    found = pairs_of(rows.topic_of_row, len(rows.topics), rows.docs)
    # of two equal rows one goes: what is left may hold another two, never without the right one
    while not isinstance(found, Pairs):
        dropped_now = np.zeros(len(keep), bool)
        dropped_now[np.minimum(*found) if last else np.maximum(*found)] = True
        keep = keep[~dropped_now]
        found = pairs_of(rows.topic_of_row[keep], len(rows.topics), rows.docs.take(keep))
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


def _duplicates(rows: Rows, one: Ints, other: Ints) -> list[Duplicate]:
    """The first rows that hold the same document of the same topic, in the order of their lines."""
    line = np.arange(1, len(rows.docs) + 1) if rows.line is None else rows.line
    first, second = np.minimum(line[one], line[other]), np.maximum(line[one], line[other])
    # whoever repeats a line a million times is told of the first ones
    some = np.lexsort((first, second))[:MOST_PROBLEMS]
    topic = np.searchsorted(rows.start, one[some], "right") - 1
    return [
        Duplicate(rows.topics[number], rows.docs[row], *lines)
        for number, row, *lines in zip(
            topic.tolist(), one[some].tolist(), first[some].tolist(), second[some].tolist(),
            strict=True,
        )
    ]  # fmt: skip


def _levels(judged_list: Ints, grade: Floats, count: int) -> tuple[Ints, Floats, Ints]:
    """How many documents of each list have each grade >= 0: (list, grade, count), both rising."""
    top = grade.max(initial=0)
    with np.errstate(invalid="ignore"):  # far below 0: not equal then, which is what matters
        whole = grade.astype(np.int64) if top < _FEW_LEVELS else None
    width = int(min(top, _FEW_LEVELS)) + 1
    is_dense = count * width <= _CELLS_PER_ROW * len(grade)
    if whole is not None and is_dense and (whole == grade).all():
        cell = judged_list * width + whole
        if whole.min(initial=0) < 0:
            cell = cell[whole >= 0]
        table = np.bincount(cell, minlength=count * width)
        cells = np.flatnonzero(table)
        return cells // width, (cells % width).astype(np.float64), table[cells]
    judged = grade >= 0
    judged_list, grade = judged_list[judged], grade[judged]
    order = np.lexsort((grade, judged_list))
    judged_list, grade = judged_list[order], grade[order]
    begin = run_starts(judged_list, grade)
    return judged_list[begin[:-1]], grade[begin[:-1]], np.diff(begin)


def assemble_qrels(parts: Sequence[JudgedLists]) -> Qrels:
    """The qrels from their parts; topics in byte order, whatever the order of the parts."""
    names = [topic for part in parts for topic in part.topics]
    lists_of_topic = np.concatenate([part.lists_of_topic for part in parts])
    list_length = np.concatenate([part.list_length for part in parts])
    levels_of_list = np.concatenate([part.levels_of_list for part in parts])
    stop = np.cumsum(list_length)
    level_stop = np.cumsum(levels_of_list)
    list_stop = np.cumsum(lists_of_topic)

    level_grade = np.concatenate([part.level_grade for part in parts])
    level_count = np.concatenate([part.level_count for part in parts])
    docs = [part.docs for part in parts]
    hashes = [part.hashes for part in parts]
    grade = [part.grade for part in parts]
    del parts  # of very many judgments a column's parts are forgotten once they are joined

    by_name = byte_order(names)
    lists = ranges((list_stop - lists_of_topic)[by_name], list_stop[by_name])
    levels = ranges((level_stop - levels_of_list)[lists], level_stop[lists])
    qrels = Qrels(
        topics=tuple(names[number] for number in by_name.tolist()),
        list_start=offsets(lists_of_topic[by_name]),
        start=(stop - list_length)[lists],
        stop=stop[lists],
        docs=_joined(concatenate, docs),
        grade=_joined(np.concatenate, grade),
        level_start=offsets(levels_of_list[lists]),
        level_grade=level_grade[levels],
        level_count=level_count[levels],
    )
    # known from the search for duplicates: the property need not work them out
    vars(qrels)["hashes"] = _joined(np.concatenate, hashes)
    return qrels


def _joined(join: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    """A column of its parts, which are given up."""
    column = join(parts)
    parts.clear()
    return column
