"""Judgments with classes of equivalent documents: a class counts once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import DocumentValues, Ints, RowValues, offsets
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.rank.judged_lists import JudgedLists, assemble_qrels, one_list_per_topic

if TYPE_CHECKING:
    from collections.abc import Sequence


@record
class QrelsWithClasses:
    """Judgments of which some documents say the same.

    qrels         the judgments; of a class only the highest grade is counted, the rest of it is a 0
    class_of_row  int64[M]; no two topics share a class
    """

    qrels: Qrels
    class_of_row: Ints


ListsWithClasses = tuple[JudgedLists, Ints]
"""Some topics made ready, and the class of each row."""


def lists_with_classes(rows: Rows) -> ListsWithClasses:
    """Some topics made ready, with the class of each row."""
    code, names = rows.groups[0].codes()
    _, class_of_row = np.unique(rows.topic_of_row * len(names) + code, return_inverse=True)
    return one_list_per_topic(
        rows, _highest_grade_once_per_class(class_of_row, rows.value)
    ), class_of_row


def _highest_grade_once_per_class(class_of_row: Ints, grade: RowValues) -> RowValues:
    """float64[N]: the highest grade of each class at one row, 0 at its other judged rows."""
    order = np.lexsort((-grade, class_of_row))
    others = order[1:][class_of_row[order[1:]] == class_of_row[order[:-1]]]
    counted_grade = grade.copy()
    counted_grade[others] = np.minimum(counted_grade[others], 0.0)
    return counted_grade


def assemble_qrels_with_classes(parts: Sequence[ListsWithClasses]) -> QrelsWithClasses:
    """The judgments from their parts."""
    num_before = offsets([int(class_of_row.max()) + 1 for _, class_of_row in parts])
    class_of_row = [own + before for (_, own), before in zip(parts, num_before, strict=False)]
    qrels = assemble_qrels([lists for lists, _ in parts])
    return QrelsWithClasses(qrels, np.concatenate(class_of_row))


def grades_of_first_in_class(class_of_row: Ints, grade: DocumentValues) -> DocumentValues:
    """The grades of retrieved documents, in rank order: 0 where the class came before.

    class_of_row  int64[J], the class of each of the documents
    """
    _, first = np.unique(class_of_row, return_index=True)
    came_before = np.ones(len(class_of_row), bool)
    came_before[first] = False
    return np.where(came_before & (grade >= 0), 0.0, grade)
