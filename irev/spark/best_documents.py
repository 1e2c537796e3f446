"""The best documents of some topics: whether a run has equal scores or wrong ranks.

What the partitions have of a topic is put together, so that it is the same however they are cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from irev.core.arrays import Floats, offsets
from irev.core.ids import ids_from_bytes
from irev.core.judged import Rows
from irev.engine.run_facts import (
    ORDER_DEPTH,
    EqualScoreCounts,
    are_ranks_misnumbered,
    count_reversed_topics,
    count_topics_with_equal_scores,
    deep_topics,
    misnumbered_rank_warnings,
    rank_order_warnings,
)
from irev.errors import Notice
from irev.read.columns import parse_reals_or_nan


class BestDocuments(NamedTuple):
    """The best documents of a topic.

    topic              its id
    values             their scores, or minus their ranks where ranks order them, falling
    unfiltered_values  the same, with those of documents that are left out
    ranked_pairs       (rank, score) of the documents of the lowest ranks, rising; empty where one
                       of the two is missing or not read; with those that are left out
    is_without_scores  whether there are ranks alone
    """

    topic: bytes
    values: tuple[float, ...]
    unfiltered_values: tuple[float, ...]
    ranked_pairs: tuple[tuple[float, float], ...] = ()
    is_without_scores: bool = False


def best_documents_by_topic(
    rows: Rows, kept_rows: Rows | None, sampled_topics: Collection[bytes]
) -> Iterator[BestDocuments]:
    """The best of some topics of some rows; the last group is the rank, where there are groups.

    `kept_rows` are those of them that are ranked.
    """
    kept_values: dict[bytes, tuple[float, ...]] = {}
    if kept_rows is not None and kept_rows is not rows:
        kept_values = {
            topic: _top_values(kept_rows, index)
            for index, topic in enumerate(kept_rows.topics)
            if topic in sampled_topics
        }
    for index, topic in enumerate(rows.topics):
        if topic not in sampled_topics:
            continue
        own_rows = slice(*rows.start[index : index + 2].tolist())
        values = rows.value[own_rows]
        pairs: list[tuple[float, float]] = []
        if rows.groups:
            rank = parse_reals_or_nan(rows.groups[-1].take(own_rows).compact())
            order = np.lexsort((-values, rank))
            order = order[~np.isnan(rank[order])][:ORDER_DEPTH]
            pairs = [*zip(rank[order].tolist(), values[order].tolist(), strict=True)]
        all_values = _top_values(rows, index)
        own_values = all_values if kept_rows is rows else kept_values.get(topic, ())
        yield BestDocuments(topic, own_values, all_values, tuple(pairs))


def _top_values(rows: Rows, topic_index: int) -> tuple[float, ...]:
    """The highest values of a topic, falling."""
    values = rows.value[slice(*rows.start[topic_index : topic_index + 2].tolist())]
    return tuple((-np.sort(-values)[:ORDER_DEPTH]).tolist())


def join_best_documents(parts_of_topics: Sequence[BestDocuments]) -> tuple[BestDocuments, ...]:
    """The best of each topic among those of its parts; topics in order."""
    parts_by_topic: dict[bytes, list[BestDocuments]] = {}
    for part in parts_of_topics:
        parts_by_topic.setdefault(part.topic, []).append(part)
    topics = []
    for topic, own in sorted(parts_by_topic.items()):
        values, unfiltered_values = (
            tuple(sorted(chain.from_iterable(own_values), reverse=True)[:ORDER_DEPTH])
            for own_values in (
                [part.values for part in own],
                [part.unfiltered_values for part in own],
            )
        )
        pairs = [pair for part in own for pair in part.ranked_pairs]
        pairs.sort(key=lambda pair: (pair[0], -pair[1]))
        is_without_scores = any(part.is_without_scores for part in own)
        lowest_pairs = tuple(pairs[:ORDER_DEPTH])
        topics.append(
            BestDocuments(topic, values, unfiltered_values, lowest_pairs, is_without_scores)
        )
    return tuple(topics)


def count_topics_with_equal_best_scores(
    best_documents: Sequence[BestDocuments],
) -> EqualScoreCounts:
    """How many topics have equal scores at the top."""
    rows = _rows_without_documents([(each.topic, each.values) for each in best_documents])
    values = [best_documents[index].values for index in deep_topics(rows, set(rows.topics))]
    if not values:
        return EqualScoreCounts()
    top_scores = np.array([each + each[-1:] * (ORDER_DEPTH - len(each)) for each in values])
    return count_topics_with_equal_scores(top_scores, np.array([len(each) for each in values]))


def rank_warnings_of_best(best_documents: Sequence[BestDocuments]) -> Iterator[Notice]:
    """A warning where the ranks of most topics contradict the scores, or are none."""
    ranked = [each for each in best_documents if each.ranked_pairs]
    if ranked:
        rows = _rows_without_documents(
            [(each.topic, [score for _, score in each.ranked_pairs]) for each in ranked]
        )
        rank = np.array([rank for each in ranked for rank, _ in each.ranked_pairs])
        yield from rank_order_warnings(
            *count_reversed_topics(rows, rank), words_after_topics=" looked at"
        )
    without_scores = [each for each in best_documents if each.is_without_scores]
    if without_scores:
        is_wrong = are_ranks_misnumbered(
            _rows_without_documents(
                [(each.topic, each.unfiltered_values) for each in without_scores]
            )
        )
        wrong = zip(without_scores, is_wrong.tolist(), strict=True)
        yield from misnumbered_rank_warnings(
            [each.topic for each, is_odd in wrong if is_odd], words_after_topics=" looked at"
        )


def _rows_without_documents(values_by_topic: Sequence[tuple[bytes, Sequence[float]]]) -> Rows:
    """Rows of values whose documents have no ids."""
    lengths = [len(values) for _, values in values_by_topic]
    all_values: Floats = np.array([each for _, values in values_by_topic for each in values])
    no_docs = ids_from_bytes([b""] * sum(lengths))
    return Rows([topic for topic, _ in values_by_topic], offsets(lengths), no_docs, all_values)
