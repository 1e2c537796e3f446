"""Judgments by subtopic made ready: each document once, with what it says of each subtopic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, byte_order, offsets
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.core.views import Intent, Intents, Subtopics
from irev.errors import MismatchError, id_text
from irev.rank.judged_lists import (
    JudgedLists,
    assemble_qrels,
    group_names_by_topic,
    index_pairs_refusing_duplicates,
    number_judged_lists,
    one_list_per_topic,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


@record
class SubtopicLists:
    """Some topics of a file of judgments by subtopic.

    lists     the judged documents by topic and falling id, each with its highest grade
    names     for each topic the subtopics, in byte order
    length    int64[N], how many entries each document of `lists` has
    subtopic  int64[E], the entries by document and subtopic: the place among the topic's names
    grade     float64[E]
    """

    lists: JudgedLists
    names: list[list[bytes]]
    length: Ints
    subtopic: Ints
    grade: Floats


def subtopic_lists(rows: Rows) -> SubtopicLists:
    """Some topics made ready, each document once."""
    subtopic, topic_of_subtopic = number_judged_lists(rows)
    index_pairs_refusing_duplicates(rows, subtopic, len(topic_of_subtopic))
    document, first = _number_distinct_documents(rows)
    highest = np.full(len(first), -np.inf)
    np.maximum.at(highest, document, rows.value)
    topic = rows.topic_of_row[first]
    bounds = np.searchsorted(topic, np.arange(len(rows.topics) + 1))
    documents = Rows(rows.topics, bounds, rows.docs.take(first), highest)
    order = np.lexsort((subtopic, document))
    first_of_topic = np.searchsorted(topic_of_subtopic, np.arange(len(rows.topics)))
    return SubtopicLists(
        one_list_per_topic(documents),
        group_names_by_topic(rows, subtopic, topic_of_subtopic),
        np.bincount(document, minlength=len(first)),
        (subtopic - first_of_topic[topic_of_subtopic[subtopic]])[order],
        rows.value[order],
    )


class _DistinctDocuments(NamedTuple):
    """The distinct documents of rows, numbered by topic and falling id."""

    document_of_row: Ints
    first_row_of_document: Ints


def _number_distinct_documents(rows: Rows) -> _DistinctDocuments:
    code, names = rows.docs.codes()
    falling = np.empty(len(names), np.int64)
    falling[byte_order(names)[::-1]] = np.arange(len(names))
    key = rows.topic_of_row * len(names) + falling[code]
    _, first, document = np.unique(key, return_index=True, return_inverse=True)
    return _DistinctDocuments(document, first)


def assemble_subtopics(
    parts: Sequence[SubtopicLists], intents: Intents | None = None
) -> tuple[Qrels, Subtopics]:
    """The judgments from their parts: documents with their highest grades, and their subtopics."""
    qrels = assemble_qrels([part.lists for part in parts])
    names = dict(pair for part in parts for pair in zip(part.lists.topics, part.names, strict=True))
    start = offsets([len(names[topic]) for topic in qrels.topics])

    # rows of the qrels lie part after part, and in each by topic; entries lie by row
    topic_of_row = qrels.topic_of_row
    length = np.concatenate([part.length for part in parts])
    subtopic = np.concatenate([part.subtopic for part in parts])
    subtopic += np.repeat(start[topic_of_row], length)

    subtopics = Subtopics(
        start,
        topic_of_row,
        np.argsort(topic_of_row, kind="stable"),
        offsets(length),
        subtopic,
        np.concatenate([part.grade for part in parts]),
    )
    if intents is not None:
        subtopics = _add_intents(subtopics, [(t, names[t]) for t in qrels.topics], intents)
    return qrels, subtopics


def _add_intents(
    subtopics: Subtopics, names_of_topics: list[tuple[bytes, list[bytes]]], intents: Intents
) -> Subtopics:
    """The subtopics with the probability of each, and whether it is navigational.

    A subtopic that is not listed has probability 0: what is relevant for none may stand in one.
    """
    for topic_id, _ in names_of_topics:
        if topic_id not in intents:
            raise MismatchError(f"topic {id_text(topic_id)} has no intents in the file of intents")
    is_relevant = np.zeros(subtopics.num_subtopics, bool)
    is_relevant[subtopics.entry_subtopic[subtopics.entry_grade > 0]] = True
    intent_of_subtopic: list[Intent] = []
    for topic_id, names in names_of_topics:
        for name in names:
            if name not in intents[topic_id] and is_relevant[len(intent_of_subtopic)]:
                raise MismatchError(
                    f"subtopic {id_text(name)} of topic {id_text(topic_id)} has relevant "
                    "documents, "
                    "but is not in the file of intents"
                )
            intent_of_subtopic.append(intents[topic_id].get(name, Intent(0.0)))
    return replace(
        subtopics,
        probability=np.array([intent.probability for intent in intent_of_subtopic], np.float64),
        navigational=np.array([intent.navigational for intent in intent_of_subtopic], bool),
    )
