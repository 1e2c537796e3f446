"""Qrels made ready: each judged list in one place, its grades counted.

A document stands once in a list: what is there twice is found here, of qrels and runs alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from irev.core.arrays import (
    Floats,
    Ints,
    ListIndices,
    RowIndices,
    RowValues,
    Words,
    byte_order,
    offsets,
    ranges,
    run_starts,
)
from irev.core.ids import Ids, concatenate_ids
from irev.core.judged import Duplicate, DuplicatesError, Qrels, Rows
from irev.core.pairs import DocumentIndex, index_documents
from irev.core.record import record
from irev.errors import MOST_PROBLEMS

_FEW_LEVELS = 256
_CELLS_PER_ROW = 16
"""How much larger than the judgments a table of lists by levels may be."""


@record
class JudgedLists:
    """Some topics of qrels, ready; the lists of a topic lie together, in order of their groups.

    topics          T ids
    lists_of_topic  int64[T], how many lists each topic has
    list_length     int64[L], how many documents each list has
    docs, hashes    N documents, list by list
    grade           float64[N]
    levels_of_list  int64[L], how many grades >= 0 each list has
    level_grade     float64[G], those grades, rising within a list
    level_count     int64[G], how many documents of the list have each
    """

    topics: list[bytes]
    lists_of_topic: Ints
    list_length: Ints
    docs: Ids
    hashes: Words
    grade: Floats
    levels_of_list: Ints
    level_grade: Floats
    level_count: Ints


def one_list_per_topic_and_group(rows: Rows) -> JudgedLists:
    """Some topics of qrels made ready."""
    list_of_row, topic_of_list = number_judged_lists(rows)
    hashes = index_pairs_refusing_duplicates(rows, list_of_row, len(topic_of_list)).doc_hashes
    # the lists of a topic may be mixed
    new_row_order = np.argsort(list_of_row, kind="stable") if rows.groups else None
    return _build_lists(rows, list_of_row, topic_of_list, hashes, rows.value, new_row_order)


def one_list_per_topic(
    rows: Rows, counted_grade: RowValues | None = None, new_row_order: RowIndices | None = None
) -> JudgedLists:
    """Some topics made ready, a list for each, its documents in the order of the rows.

    `counted_grade` is what each row counts as in the list's counts of grades, if not its grade;
    `new_row_order` the rows, topic by topic, in the order that is asked for instead.
    """
    topic_of_row, topic_of_list = rows.topic_of_row, np.arange(len(rows.topics))
    hashes = index_pairs_refusing_duplicates(rows, topic_of_row, len(topic_of_list)).doc_hashes
    if counted_grade is None:
        counted_grade = rows.value
    return _build_lists(rows, topic_of_row, topic_of_list, hashes, counted_grade, new_row_order)


def _build_lists(
    rows: Rows,
    list_of_row: Ints,
    topic_of_list: Ints,
    hashes: Words,
    counted_grade: RowValues,
    new_row_order: RowIndices | None,
) -> JudgedLists:
    """Lists from rows that lie list by list in `new_row_order`, or as they are."""
    docs, grade, num_lists = rows.docs, rows.value, len(topic_of_list)
    if new_row_order is not None:
        docs, grade, hashes = docs.take(new_row_order), grade[new_row_order], hashes[new_row_order]
        list_of_row, counted_grade = list_of_row[new_row_order], counted_grade[new_row_order]
    # what stays is copied last of all: memory that was worked in is then free in one piece
    level_list, level_grade, level_count = _count_levels(list_of_row, counted_grade, num_lists)
    return JudgedLists(
        rows.topics,
        np.bincount(topic_of_list, minlength=len(rows.topics)),
        np.bincount(list_of_row, minlength=num_lists),
        docs.compact_aligned(),
        hashes.copy(),
        grade.copy(),
        np.bincount(level_list, minlength=num_lists),
        level_grade,
        level_count,
    )


class ListNumbers(NamedTuple):
    """int64[N]: the judged list of each row; int64[L]: the topic of each list."""

    list_of_row: Ints
    topic_of_list: Ints


def number_judged_lists(rows: Rows) -> ListNumbers:
    """Number the lists by topic and group."""
    if not rows.groups:
        return ListNumbers(rows.topic_of_row, np.arange(len(rows.topics)))
    code, names = rows.groups[0].codes()
    rank_of_name = np.empty(len(names), np.int64)
    rank_of_name[byte_order(names)] = np.arange(len(names))
    lists, list_of_row = np.unique(
        rows.topic_of_row * len(names) + rank_of_name[code], return_inverse=True
    )
    return ListNumbers(list_of_row, lists // len(names))


def group_names_by_topic(rows: Rows, list_of_row: Ints, topic_of_list: Ints) -> list[list[bytes]]:
    """For each topic the groups that its lists are of, in byte order."""
    _, first_row = np.unique(list_of_row, return_index=True)
    names: list[list[bytes]] = [[] for _ in rows.topics]
    group_names = rows.groups[0].take(first_row).to_list()
    for topic, name in zip(topic_of_list.tolist(), group_names, strict=True):
        names[topic].append(name)
    return names


def index_pairs_refusing_duplicates(
    rows: Rows, segment_of_row: Ints, num_segments: int
) -> DocumentIndex:
    """The pairs of a segment, which is a topic or a part of one, and a document, each once."""
    pairs = index_documents(segment_of_row, num_segments, rows.docs)
    if not isinstance(pairs, DocumentIndex):
        raise DuplicatesError(_earliest_duplicates(rows, *pairs))
    return pairs


def drop_repeated_documents(
    rows: Rows, keep: Literal["first", "last", "best"], falling_key: RowValues | None = None
) -> tuple[Rows, dict[bytes, int]]:
    """One row of each document of each topic; how many rows were left out, by topic.

    Args:
        rows: those of a topic are in the order of the lines they stood in.
        keep: the first row, the last, or the best: that with the highest key, the first of equals.
        falling_key: what rows are ordered by, falling; its ties leave them in their order.
    """
    kept = np.arange(len(rows.docs))
    pairs = index_documents(rows.topic_of_row, len(rows.topics), rows.docs)
    place = kept
    if keep == "best" and falling_key is not None and not isinstance(pairs, DocumentIndex):
        place = np.empty_like(kept)
        place[np.argsort(-falling_key, kind="stable")] = kept
    # of two equal rows one goes: what is left may hold another two, never without the right one
    while not isinstance(pairs, DocumentIndex):
        one, other = (kept[each] for each in pairs)
        goes = np.where((place[one] > place[other]) != (keep == "last"), *pairs)
        dropped_now = np.zeros(len(kept), bool)
        dropped_now[goes] = True
        kept = kept[~dropped_now]
        pairs = index_documents(rows.topic_of_row[kept], len(rows.topics), rows.docs.take(kept))
    if len(kept) == len(rows.docs):
        return rows, {}
    kept_rows = keep_rows(rows, kept)
    return kept_rows, _num_dropped(rows, kept_rows)


REPEATED = ("first", "last", "max", "min")
"""Which of several judgments of a document in a list may count."""


def drop_repeated_judgments(
    rows: Rows, list_groups: Sequence[int], keep: str
) -> tuple[Rows, dict[bytes, int], dict[bytes, int]]:
    """One row of each judgment that stands twice, alike in everything.

    Args:
        rows: judgments of whole topics.
        list_groups: which of the groups tell judged lists apart, in which a document stands once.
        keep: one of `REPEATED`: which row counts where a document has several that differ; any
            other word keeps them all.

    Returns:
        The rows; how many were left out as they repeat another, and as they differ, by topic.
    """
    groups = [group.codes()[0] for group in rows.groups]
    pair = (rows.docs.codes()[0], rows.topic_of_row)
    line = np.arange(len(rows.docs))

    def first_rows(rising: Any, *keys: Ints | RowValues) -> RowIndices:
        """Of rows with equal keys that with the lowest number, the first of equals."""
        order = np.lexsort((rising, *keys))
        ordered_keys = [key[order] for key in keys]
        return np.sort(order[run_starts(*ordered_keys)[:-1]])

    distinct = keep_rows(rows, first_rows(line, rows.value, *groups, *pair))
    kept = distinct
    if keep in REPEATED:
        rising = {"first": line, "last": -line, "max": -rows.value, "min": rows.value}[keep]
        kept = keep_rows(rows, first_rows(rising, *(groups[each] for each in list_groups), *pair))
    return kept, _num_dropped(rows, distinct), _num_dropped(distinct, kept)


def _num_dropped(rows: Rows, kept_rows: Rows) -> dict[bytes, int]:
    """How many rows were left out, by topic."""
    dropped = rows.topic_lengths - kept_rows.topic_lengths
    return {rows.topics[topic]: int(dropped[topic]) for topic in np.flatnonzero(dropped).tolist()}


def keep_rows(rows: Rows, row_indices: RowIndices) -> Rows:
    """Some rows, rising, of the same topics, of which some may have none then."""
    size = np.bincount(rows.topic_of_row[row_indices], minlength=len(rows.topics))
    return replace(
        rows,
        start=offsets(size),
        docs=rows.docs.take(row_indices),
        value=rows.value[row_indices],
        groups=tuple(group.take(row_indices) for group in rows.groups),
        line=row_indices + 1 if rows.line is None else rows.line[row_indices],
    )


def _earliest_duplicates(
    rows: Rows, row_indices: RowIndices, twin_indices: RowIndices
) -> list[Duplicate]:
    """The first rows that hold the same document of the same topic, in the order of their lines."""
    line = np.arange(1, len(rows.docs) + 1) if rows.line is None else rows.line
    lines = np.sort(np.stack((line[row_indices], line[twin_indices])), axis=0)
    # whoever repeats a line a million times is told of the first ones
    some = np.lexsort(lines)[:MOST_PROBLEMS]
    row_indices = row_indices[some]
    topic = np.searchsorted(rows.start, row_indices, "right") - 1
    return [
        Duplicate(rows.topics[t], rows.docs[row], *pair)
        for t, row, pair in zip(
            topic.tolist(), row_indices.tolist(), lines[:, some].T.tolist(), strict=True
        )
    ]


class _ListLevels(NamedTuple):
    """Pairs of a list and a grade of its documents, both rising, and how many have it."""

    list_index: ListIndices
    grade: Floats
    num_documents: Ints


def _count_levels(list_of_row: Ints, grade: RowValues, num_lists: int) -> _ListLevels:
    """How many documents of each list have each grade >= 0."""
    top = grade.max(initial=0)
    with np.errstate(invalid="ignore"):  # far below 0: not equal then, which is what matters
        whole = grade.astype(np.int64) if top < _FEW_LEVELS else None
    width = int(min(top, _FEW_LEVELS)) + 1
    is_dense = num_lists * width <= _CELLS_PER_ROW * len(grade)
    if whole is not None and is_dense and (whole == grade).all():
        cell = list_of_row * width + whole
        if whole.min(initial=0) < 0:
            cell = cell[whole >= 0]
        table = np.bincount(cell, minlength=num_lists * width)
        cells = np.flatnonzero(table)
        whole_grades = (cells % width).astype(np.float64)
        return _ListLevels(cells // width, whole_grades, table[cells])
    judged = grade >= 0
    list_of_row, grade = list_of_row[judged], grade[judged]
    order = np.lexsort((grade, list_of_row))
    list_of_row, grade = list_of_row[order], grade[order]
    begin = run_starts(list_of_row, grade)
    return _ListLevels(list_of_row[begin[:-1]], grade[begin[:-1]], np.diff(begin))


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
        docs=_join_and_clear(concatenate_ids, docs),
        grade=_join_and_clear(np.concatenate, grade),
        level_start=offsets(levels_of_list[lists]),
        level_grade=level_grade[levels],
        level_count=level_count[levels],
    )
    # known from the search for duplicates: the property need not work them out
    vars(qrels)["hashes"] = _join_and_clear(np.concatenate, hashes)
    return qrels


def _join_and_clear(join: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    """A column of its parts, which are given up."""
    column = join(parts)
    parts.clear()
    return column
