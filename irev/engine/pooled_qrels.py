"""Judgments beside the pool they were taken from: what was pooled but not judged is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.ids import Ids, concatenate_ids, ids_from_bytes
from irev.core.pairs import DocumentIndex, index_documents
from irev.core.pool import Pool
from irev.core.wording import count_text, list_beginning
from irev.errors import MismatchError, UsageError, shown_value
from irev.rank.judged_lists import assemble_qrels, one_list_per_topic_and_group
from irev.read.stream import read_all, sha256_of, take_lines
from irev.read.topics import grouped_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import RowValues, TopicOfRow
    from irev.core.judged import Qrels

_HINT = "a line of a pool holds a topic and a document, as `irev pool` writes it"


def add_pooled_as_unjudged(qrels: Qrels, pool: str | Pool) -> tuple[Qrels, str | None]:
    """The judgments with -1 for every document of the pool that they do not hold.

    The pool is a file or one that was made of runs; its topics without judgments do not count.

    Returns:
        The judgments, and the SHA-256 of the file's decompressed bytes; None: it is no file.

    Raises:
        MismatchError: no topic of the pool is judged.
    """
    if isinstance(pool, str):
        text = read_all(pool)
        topics, topic, docs = _read_pool(pool, text)
        digest = sha256_of(text)
    elif not isinstance(pool, Pool):
        raise UsageError(f"a pool is a path, or what make_pool gives, not {shown_value(pool)}")
    else:
        topics, topic, docs, digest = pool.topics, pool.topic, pool.docs, None
    index_of_topic = np.array([qrels.topic_index.get(name, -1) for name in topics], np.int64)
    if not (index_of_topic >= 0).any():
        raise MismatchError(
            f"the pool and the qrels have no topic in common: the pool has "
            f"{list_beginning(sorted(topics))}; the qrels have {list_beginning(qrels.topics)}"
        )
    judged_rows = np.flatnonzero(index_of_topic[topic] >= 0)
    topic, docs = index_of_topic[topic[judged_rows]], docs.take(judged_rows)

    judged_topic = qrels.topic_of_row
    pairs = index_documents(judged_topic, len(qrels.topics), qrels.docs)
    assert isinstance(pairs, DocumentIndex)  # noqa: S101 - qrels hold a document once
    present, _ = pairs.find(topic, docs, docs.hashes())
    absent = np.ones(len(topic), bool)
    absent[present] = False
    all_topics = np.concatenate((judged_topic, topic[absent]))
    all_docs = concatenate_ids([qrels.docs, docs.take(np.flatnonzero(absent))])
    grade = np.concatenate((qrels.grade, np.full(int(absent.sum()), -1.0)))
    return _qrels_of_rows(qrels, all_topics, all_docs, grade), digest


def unjudged_as_nonrelevant(qrels: Qrels) -> Qrels:
    """The judgments, where what is pooled but unjudged (a negative grade) is not relevant: 0."""
    grade = np.where(qrels.grade < 0, 0.0, qrels.grade)
    return _qrels_of_rows(qrels, qrels.topic_of_row, qrels.docs, grade)


def _qrels_of_rows(qrels: Qrels, topic_of_row: TopicOfRow, docs: Ids, grade: RowValues) -> Qrels:
    """Qrels of the same topics, given their rows."""
    rows = grouped_rows(qrels.topics, topic_of_row, [docs], grade, None)
    return assemble_qrels(list(map(one_list_per_topic_and_group, rows)))


def _read_pool(path: str, text: bytes) -> tuple[Sequence[bytes], TopicOfRow, Ids]:
    """(topics, the topic of each document, documents), each pair once."""
    pairs: dict[tuple[bytes, bytes], None] = {}

    def take_pair(fields: list[bytes]) -> str:
        if len(fields) != 2:
            return f"{count_text(len(fields), 'field')}, expected 2"
        pairs[fields[0], fields[1]] = None
        return ""

    take_lines(path, text, take_pair, "document", _HINT)
    topics = sorted({topic for topic, _ in pairs})
    topic_index = {topic: number for number, topic in enumerate(topics)}
    topic = np.array([topic_index[topic] for topic, _ in pairs], np.int64)
    return topics, topic, ids_from_bytes([document for _, document in pairs])
