"""Preference judgments, and what a ranking makes of them for the preference measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, RowIndices, offsets, run_starts
from irev.core.ids import ids_from_bytes
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.core.views import JudgmentGroup, RankedPreferences
from irev.errors import ContradictionError, MismatchError, id_text
from irev.rank.judged_lists import JudgedLists, assemble_qrels, one_list_per_topic_and_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.rank.ranking import Ranked


@record
class TopicPreferences:
    """The lines of one topic as columns.

    `docs` and `groups`, distinct and in byte order, are what `doc` and `group` number.
    """

    docs: list[bytes]
    groups: list[bytes]
    doc: Ints
    group: Ints
    subgroup: Ints
    level: Floats


@record
class Preferences:
    """Preference judgments: the judged documents as qrels without grades, and each topic's lines.

    `lines[t]` belongs to `qrels.topics[t]`.
    """

    qrels: Qrels
    lines: tuple[TopicPreferences, ...]


PreferenceLists = tuple[list[TopicPreferences], JudgedLists]
"""Some topics made ready: the lines of each, and the judged documents."""


def preference_lists(rows: Rows, *, single_precision: bool) -> PreferenceLists:
    """Some topics of a preference file made ready; a repeated line stands twice."""
    lines = []
    for first, after in zip(rows.start[:-1].tolist(), rows.start[1:].tolist(), strict=True):
        here = slice(first, after)
        (group, groups), *rest = (_number_ids(ids.take(here).to_list()) for ids in rows.groups)
        doc, docs = _number_ids(rows.docs.take(here).to_list())
        level = rows.value[here]
        if single_precision:
            level = level.astype(np.float32).astype(np.float64)
        subgroup = rest[0][0] if rest else np.zeros_like(group)
        lines.append(TopicPreferences(docs, groups, doc, group, subgroup, level))
    return lines, _judged_documents(rows.topics, lines)


def _judged_documents(topic_ids: list[bytes], lines: list[TopicPreferences]) -> JudgedLists:
    """The judged documents of some topics, each once."""
    docs = ids_from_bytes([doc for topic in lines for doc in topic.docs])
    start = offsets([len(topic.docs) for topic in lines])
    return one_list_per_topic_and_group(Rows(topic_ids, start, docs, np.zeros(len(docs))))


def _number_ids(ids: list[bytes]) -> tuple[Ints, list[bytes]]:
    """(the place of each id among the distinct ids in byte order, those ids)."""
    names = sorted(set(ids))
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in ids], np.int64), names


def assemble_preferences(parts: Sequence[PreferenceLists]) -> Preferences:
    """The preferences from their parts."""
    qrels = assemble_qrels([lists for _, lists in parts])
    lines_by_topic = {
        topic_id: lines
        for lines_of_topics, lists in parts
        for topic_id, lines in zip(lists.topics, lines_of_topics, strict=True)
    }
    return Preferences(qrels, tuple(lines_by_topic[topic_id] for topic_id in qrels.topics))


def ranked_preferences(preferences: Preferences, ranked: Ranked) -> RankedPreferences:
    """What some rankings make of the preferences for their topics."""
    groups, num_ret, num_docs = [], [], []
    for ranking_index, topic in enumerate(ranked.lists.tolist()):
        lines = preferences.lines[topic]
        retrieved = _retrieved_document_numbers(preferences, ranked, ranking_index)
        groups.append(_judgment_groups(lines, _internal_rank_of_each_document(lines, retrieved)))
        num_ret.append(len(retrieved))
        num_docs.append(len(lines.docs))
    return RankedPreferences(
        np.array(num_ret, np.int64), np.array(num_docs, np.int64), tuple(groups)
    )


def contradiction_with_ids(
    preferences: Preferences, ranked: Ranked, error: ContradictionError
) -> MismatchError:
    """The error with the ids of its topic, judgment group and documents."""
    topic = int(ranked.lists[error.topic])
    lines = preferences.lines[topic]
    internal_rank = _internal_rank_of_each_document(
        lines, _retrieved_document_numbers(preferences, ranked, error.topic)
    )
    by_rank = np.argsort(internal_rank)
    docs = " and ".join(id_text(lines.docs[by_rank[doc]]) for doc in error.docs)
    return MismatchError(
        f"topic {id_text(preferences.qrels.topics[topic])}, judgment group "
        f"{id_text(lines.groups[error.group])}: {error.reason}: {docs}"
    )


def _retrieved_document_numbers(
    preferences: Preferences, ranked: Ranked, ranking_index: int
) -> list[int]:
    """The judged documents of one ranking in rank order, as places among the topic's documents."""
    first, after = np.searchsorted(ranked.topic, [ranking_index, ranking_index + 1]).tolist()
    docs = preferences.lines[int(ranked.lists[ranking_index])].docs
    place = {doc: at for at, doc in enumerate(docs)}
    return [place[preferences.qrels.docs[row]] for row in ranked.row[first:after].tolist()]


def _internal_rank_of_each_document(lines: TopicPreferences, retrieved_docs: list[int]) -> Ints:
    """int64[D]: the rank of each document of a topic from 0, those not retrieved last."""
    rank = np.full(len(lines.docs), -1)
    rank[retrieved_docs] = np.arange(len(retrieved_docs))
    missing = np.flatnonzero(rank < 0)
    rank[missing] = np.arange(len(retrieved_docs), len(lines.docs))
    return rank


def _judgment_groups(lines: TopicPreferences, internal_rank: Ints) -> tuple[JudgmentGroup, ...]:
    """The judgment groups of a topic, documents by internal rank."""
    rank = internal_rank[lines.doc]
    order = np.lexsort((rank, lines.subgroup, lines.group))
    groups = []
    for rows_of_group in _split_where_changed(lines.group[order], order):
        subgroups = _split_where_changed(lines.subgroup[rows_of_group], rows_of_group)
        groups.append(
            JudgmentGroup(
                tuple(rank[row] for row in subgroups), tuple(lines.level[row] for row in subgroups)
            )
        )
    return tuple(groups)


def _split_where_changed(key: Ints, rows: RowIndices) -> list[RowIndices]:
    """The rows, cut where the key changes."""
    return np.split(rows, run_starts(key)[1:-1])
