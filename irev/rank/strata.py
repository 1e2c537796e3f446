"""Samples of judgments made ready: by strata of the pool, and by probabilities of inclusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, RowMask, offsets, run_starts, segment_starts
from irev.core.ids import Ids
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.core.text import parse_c_number
from irev.core.views import METHODS, Inclusions, Strata
from irev.errors import InputError, Problem, id_text
from irev.rank.judged_lists import (
    JudgedLists,
    assemble_qrels,
    group_names_by_topic,
    number_judged_lists,
    one_list_per_topic,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_PROBABILITY = b"NA"
"""What stands for a probability that nobody knows."""

_MOST_WRONG_ROWS = 10


@record
class ListsWithStrata:
    """Some topics of a sample of judgments.

    lists     the documents of the pool with their grades
    names     for each topic its strata, in byte order; without strata empty
    stratum   int64[], the place of each document's stratum among them, as `lists` orders documents
    """

    lists: JudgedLists
    names: list[list[bytes]]
    stratum: Ints


@record
class ListsWithInclusions:
    """Some topics of a prels file: documents, and why and how likely each was judged."""

    lists: JudgedLists
    method: Ints
    probability: Floats


def lists_with_strata(rows: Rows) -> ListsWithStrata:
    """Some topics with strata made ready."""
    lists = one_list_per_topic(rows)
    stratum, topic_of_stratum = number_judged_lists(rows)
    place = stratum - np.searchsorted(topic_of_stratum, rows.topic_of_row)
    return ListsWithStrata(lists, group_names_by_topic(rows, stratum, topic_of_stratum), place)


def lists_with_inclusions(rows: Rows) -> ListsWithInclusions:
    """Some topics of a prels file made ready."""
    methods, probabilities = rows.groups
    code, texts = methods.codes()
    method = np.array([_method_number_or_minus_one(text) for text in texts], np.int64)[code]
    code, texts = probabilities.codes()
    probability = np.array(
        [_inclusion_probability_or_minus_one(text) for text in texts], np.float64
    )[code]
    # sums over a topic's documents are then the same however the lines stand
    order = np.lexsort((method, probability, rows.topic_of_row))
    lists = one_list_per_topic(rows, new_row_order=order)
    _refuse_wrong_rows_in_one_error(rows, method < 0, methods, f"is not a method: one of {METHODS}")
    complaint = "is not a probability: above 0, at most 1, or NA"
    _refuse_wrong_rows_in_one_error(rows, probability < 0, probabilities, complaint)
    return ListsWithInclusions(lists, method[order], probability[order])


def _refuse_wrong_rows_in_one_error(
    rows: Rows, is_wrong: RowMask, text_of_row: Ids, complaint: str
) -> None:
    """Refuse rows whose text is wrong, all of them in one error."""
    problems = []
    for row in np.flatnonzero(is_wrong)[:_MOST_WRONG_ROWS].tolist():
        topic = id_text(rows.topics[int(rows.topic_of_row[row])])
        wrong = id_text(text_of_row[row])
        text = f"topic {topic}, document {id_text(rows.docs[row])}: '{wrong}' {complaint}"
        problems.append(Problem("", None, "bad-sample", text))
    if problems:
        raise InputError(problems)


def _method_number_or_minus_one(text: bytes) -> int:
    """The method; -1 where it is none."""
    return {str(method).encode(): method for method in METHODS}.get(text, -1)


def _inclusion_probability_or_minus_one(number_or_na: bytes) -> float:
    """The probability; NaN where nobody knows it, -1 where it is none."""
    if number_or_na == UNKNOWN_PROBABILITY:
        return np.nan
    number = parse_c_number(number_or_na)
    return number if number is not None and 0 < number <= 1 else -1.0


def assemble_strata(parts: Sequence[ListsWithStrata]) -> tuple[Qrels, Strata]:
    """The judgments from their parts: the pool with its grades, and the strata."""
    qrels = assemble_qrels([part.lists for part in parts])
    names_by_topic = dict(
        pair for part in parts for pair in zip(part.lists.topics, part.names, strict=True)
    )
    names = [name for topic_id in qrels.topics for name in names_by_topic[topic_id]]
    start = offsets([len(names_by_topic[topic_id]) for topic_id in qrels.topics])
    stratum_of_row = np.concatenate([part.stratum for part in parts])
    stratum_of_row = stratum_of_row + start[qrels.topic_of_row]
    judged = qrels.grade >= 0
    # the judged documents by stratum and grade, equal ones counted
    stratum, grade = stratum_of_row[judged], qrels.grade[judged]
    order = np.lexsort((grade, stratum))
    stratum, grade = stratum[order], grade[order]
    begin = run_starts(stratum, grade)
    first = begin[:-1]
    return qrels, Strata(
        start,
        tuple(names),
        stratum_of_row,
        np.bincount(stratum_of_row, minlength=len(names)),
        np.bincount(stratum_of_row[judged], minlength=len(names)),
        segment_starts(stratum[first], len(names)),
        grade[first],
        np.diff(begin),
    )


def assemble_inclusions(parts: Sequence[ListsWithInclusions]) -> tuple[Qrels, Inclusions]:
    """The judgments from their parts: documents with grades, and how they came to be judged."""
    qrels = assemble_qrels([part.lists for part in parts])
    return qrels, Inclusions(
        qrels.topic_of_row,
        qrels.grade,
        np.concatenate([part.method for part in parts]),
        np.concatenate([part.probability for part in parts]),
    )
