"""Preference judgments, and what a ranking makes of them for the preference measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Floats, Ints, offsets, run_starts
from irev.core.ids import ids_from_bytes
from irev.core.model import Qrels, Rows
from irev.core.record import record
from irev.core.views import JudgmentGroup, RankedPreferences
from irev.errors import ContradictionError, MismatchError, shown
from irev.rank.judged_lists import JudgedLists, assemble_qrels, judged_lists

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
        (group, groups), *rest = (_by_name(ids.take(here).to_list()) for ids in rows.groups)
        doc, docs = _by_name(rows.docs.take(here).to_list())
        level = rows.value[here]
        if single_precision:
            level = level.astype(np.float32).astype(np.float64)
        subgroup = rest[0][0] if rest else np.zeros_like(group)
        lines.append(TopicPreferences(docs, groups, doc, group, subgroup, level))
    return lines, _documents(rows.topics, lines)


def _documents(topics: list[bytes], lines: list[TopicPreferences]) -> JudgedLists:
    """The judged documents of some topics, each once."""
    docs = ids_from_bytes([doc for topic in lines for doc in topic.docs])
    start = offsets([len(topic.docs) for topic in lines])
    return judged_lists(Rows(topics, start, docs, np.zeros(len(docs))))


def _by_name(ids: list[bytes]) -> tuple[Ints, list[bytes]]:
    """(the place of each id among the distinct ids in byte order, those ids)."""
    names = sorted(set(ids))
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in ids], np.int64), names


def assemble_preferences(parts: Sequence[PreferenceLists]) -> Preferences:
    """The preferences from their parts."""
    qrels = assemble_qrels([lists for _, lists in parts])
    by_name = {
        topic: lines
        for part, lists in parts
        for topic, lines in zip(lists.topics, part, strict=True)
    }
    return Preferences(qrels, tuple(by_name[topic] for topic in qrels.topics))


def ranked_preferences(preferences: Preferences, ranked: Ranked) -> RankedPreferences:
    """What some rankings make of the preferences for their topics."""
    groups, num_ret, num_docs = [], [], []
    for number, topic in enumerate(ranked.lists.tolist()):
        lines = preferences.lines[topic]
        retrieved = _retrieved(preferences, ranked, number)
        groups.append(_groups(lines, _internal_ranks(lines, retrieved)))
        num_ret.append(len(retrieved))
        num_docs.append(len(lines.docs))
    return RankedPreferences(
        np.array(num_ret, np.int64), np.array(num_docs, np.int64), tuple(groups)
    )


def contradiction_with_ids(
    preferences: Preferences, ranked: Ranked, error: ContradictionError
) -> MismatchError:
    """The error in the names of the judgments."""
    topic = int(ranked.lists[error.topic])
    lines = preferences.lines[topic]
    internal = _internal_ranks(lines, _retrieved(preferences, ranked, error.topic))
    by_rank = np.argsort(internal)
    docs = " and ".join(shown(lines.docs[by_rank[doc]]) for doc in error.docs)
    return MismatchError(
        f"topic {shown(preferences.qrels.topics[topic])}, judgment group "
        f"{shown(lines.groups[error.group])}: {error.reason}: {docs}"
    )


def _retrieved(preferences: Preferences, ranked: Ranked, number: int) -> list[int]:
    """The judged documents of one ranking in rank order, as places among the topic's documents."""
    first, after = np.searchsorted(ranked.topic, [number, number + 1]).tolist()
    docs = preferences.lines[int(ranked.lists[number])].docs
    place = {doc: at for at, doc in enumerate(docs)}
    return [place[preferences.qrels.docs[row]] for row in ranked.row[first:after].tolist()]


def _internal_ranks(lines: TopicPreferences, retrieved: list[int]) -> Ints:
    """The internal rank of each document of a topic."""
    internal = np.full(len(lines.docs), -1)
    internal[retrieved] = np.arange(len(retrieved))
    missing = np.flatnonzero(internal < 0)
    internal[missing] = np.arange(len(retrieved), len(lines.docs))
    return internal


def _groups(lines: TopicPreferences, internal: Ints) -> tuple[JudgmentGroup, ...]:
    """The judgment groups of a topic, documents by internal rank."""
    rank = internal[lines.doc]
    order = np.lexsort((rank, lines.subgroup, lines.group))
    groups = []
    for of_group in _stretches(lines.group[order], order):
        parts = _stretches(lines.subgroup[of_group], of_group)
        groups.append(
            JudgmentGroup(
                tuple(rank[part] for part in parts), tuple(lines.level[part] for part in parts)
            )
        )
    return tuple(groups)


def _stretches(key: Ints, rows: Ints) -> list[Ints]:
    """The rows, cut where the key changes."""
    return np.split(rows, run_starts(key)[1:-1])
