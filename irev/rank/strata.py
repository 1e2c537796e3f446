"""Samples of judgments made ready: by strata of the pool, and by probabilities of inclusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, offsets, run_starts, starts_of
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.core.text import real
from irev.core.views import METHODS, Inclusions, Strata
from irev.errors import InputError, Problem, shown
from irev.rank.judged_lists import (
    JudgedLists,
    assemble_qrels,
    number_judged_lists,
    one_list_per_topic,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_PROBABILITY = b"NA"
"""What stands for a probability that nobody knows."""

_MOST_NAMED = 10


@record
class StratumLists:
    """Some topics of a sample of judgments.

    lists     the documents of the pool with their grades
    names     for each topic its strata, in byte order; without strata empty
    stratum   int64[], the place of each document's stratum among them, as `lists` orders documents
    """

    lists: JudgedLists
    names: list[list[bytes]]
    stratum: Ints


@record
class InclusionLists:
    """Some topics of a prels file: documents, and why and how likely each was judged."""

    lists: JudgedLists
    method: Ints
    probability: Floats


def stratum_lists(rows: Rows) -> StratumLists:
    """Some topics with strata made ready."""
    lists = one_list_per_topic(rows)
    stratum, topic_of_stratum = number_judged_lists(rows)
    _, first = np.unique(stratum, return_index=True)
    names: list[list[bytes]] = [[] for _ in rows.topics]
    every = rows.groups[0].take(first).to_list()
    for topic, name in zip(topic_of_stratum.tolist(), every, strict=True):
        names[topic].append(name)
    place = stratum - np.searchsorted(topic_of_stratum, rows.topic_of_row)
    return StratumLists(lists, names, place)


def inclusion_lists(rows: Rows) -> InclusionLists:
    """Some topics of a prels file made ready."""
    methods, probabilities = rows.groups
    code, texts = methods.codes()
    method = np.array([_method(text) for text in texts], np.int64)[code]
    code, texts = probabilities.codes()
    probability = np.array([_probability(text) for text in texts], np.float64)[code]
    # sums over a topic's documents are then the same however the lines stand
    order = np.lexsort((method, probability, rows.topic_of_row))
    lists = one_list_per_topic(rows, order=order)
    _refuse(rows, method < 0, f"is not a method: one of {METHODS}", 0)
    _refuse(rows, probability < 0, "is not a probability: above 0, at most 1, or NA", 1)
    return InclusionLists(lists, method[order], probability[order])


def _refuse(rows: Rows, wrong: np.ndarray, what: str, group: int) -> None:
    problems = []
    for row in np.flatnonzero(wrong)[:_MOST_NAMED].tolist():
        topic = shown(rows.topics[int(rows.topic_of_row[row])])
        where = f"topic {topic}, document {shown(rows.docs[row])}"
        problems.append(
            Problem("", None, "bad-sample", f"{where}: '{shown(rows.groups[group][row])}' {what}")
        )
    if problems:
        raise InputError(problems)


def _method(text: bytes) -> int:
    known = {str(method).encode(): method for method in METHODS}
    return known.get(text, -1)


def _probability(text: bytes) -> float:
    """The probability; NaN where nobody knows it, -1 where it is none."""
    if text == UNKNOWN_PROBABILITY:
        return np.nan
    number = real(text)
    return number if number is not None and 0 < number <= 1 else -1.0


def assemble_strata(parts: Sequence[StratumLists]) -> tuple[Qrels, Strata]:
    """The judgments from their parts: the pool with its grades, and the strata."""
    qrels = assemble_qrels([part.lists for part in parts])
    by_topic = dict(
        pair for part in parts for pair in zip(part.lists.topics, part.names, strict=True)
    )
    names = [name for topic in qrels.topics for name in by_topic[topic]]
    start = offsets([len(by_topic[topic]) for topic in qrels.topics])
    of_row = np.concatenate([part.stratum for part in parts])
    of_row = of_row + start[qrels.topic_of_row]
    judged = qrels.grade >= 0
    # the judged documents by stratum and grade, equal ones counted
    stratum, grade = of_row[judged], qrels.grade[judged]
    order = np.lexsort((grade, stratum))
    stratum, grade = stratum[order], grade[order]
    begin = run_starts(stratum, grade)
    first = begin[:-1]
    return qrels, Strata(
        start,
        tuple(names),
        of_row,
        np.bincount(of_row, minlength=len(names)),
        np.bincount(of_row[judged], minlength=len(names)),
        starts_of(stratum[first], len(names)),
        grade[first],
        np.diff(begin),
    )


def assemble_inclusions(parts: Sequence[InclusionLists]) -> tuple[Qrels, Inclusions]:
    """The judgments from their parts: documents with grades, and how they came to be judged."""
    qrels = assemble_qrels([part.lists for part in parts])
    return qrels, Inclusions(
        qrels.topic_of_row,
        qrels.grade,
        np.concatenate([part.method for part in parts]),
        np.concatenate([part.probability for part in parts]),
    )
