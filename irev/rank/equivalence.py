"""Judgments with classes of equivalent documents: a class counts once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, offsets
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.rank.judged_lists import JudgedLists, assemble_qrels, one_list_per_topic

if TYPE_CHECKING:
    from collections.abc import Sequence


@record
class EquivalenceClasses:
    """Judgments of which some documents say the same.

    qrels   the judgments; of a class only the highest grade is counted, all else of it is a 0
    number  int64[M], the class of each row; no two topics share one
    """

    qrels: Qrels
    number: Ints


ClassLists = tuple[JudgedLists, Ints]
"""Some topics made ready, and the class of each row."""


def class_lists(rows: Rows) -> ClassLists:
    """Some topics made ready, with the class of each row."""
    code, names = rows.groups[0].codes()
    _, number = np.unique(rows.topic_of_row * len(names) + code, return_inverse=True)
    return one_list_per_topic(rows, _once_each(number, rows.value)), number


def _once_each(number: Ints, grade: Floats) -> Floats:
    """The highest grade of each class in one place, and 0 for the other judged documents."""
    order = np.lexsort((-grade, number))
    others = order[1:][number[order[1:]] == number[order[:-1]]]
    counted = grade.copy()
    counted[others] = np.minimum(counted[others], 0.0)
    return counted


def assemble_classes(parts: Sequence[ClassLists]) -> EquivalenceClasses:
    """The judgments from their parts."""
    sizes = offsets([int(number.max()) + 1 for _, number in parts])
    number = [number + at for (_, number), at in zip(parts, sizes, strict=False)]
    return EquivalenceClasses(assemble_qrels([lists for lists, _ in parts]), np.concatenate(number))


def first_of_class(number: Ints, grade: Floats) -> Floats:
    """The grades of retrieved documents, in rank order: 0 where the class came before."""
    _, first = np.unique(number, return_index=True)
    seen = np.ones(len(number), bool)
    seen[first] = False
    return np.where(seen & (grade >= 0), 0.0, grade)
