"""The first documents of runs with their grades, taken in the same reading that scores them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import numpy as np

from irev.core.judged import Qrels, Rows
from irev.core.record import record
from irev.core.text import as_text
from irev.errors import UsageError
from irev.rank.judged_lists import drop_repeated_documents, keep_rows
from irev.rank.judgments import GradedJudgments
from irev.rank.ranking import falling_key, join_judgments, ranks_of_rows
from irev.scores.scores import DEPTH, NOT_JUDGED, RunFirstDocuments

if TYPE_CHECKING:
    from irev.engine.evaluate import RunEvaluator

FirstDocumentsNeed = Literal["", "counts", "documents"]
"""Whether first documents are looked at: not, to count them, or to show them too."""


@record
class _TopicFirst:
    """The first documents of one topic."""

    topic: bytes
    documents: list[bytes]
    grades: list[str]
    is_tied: bool


class FirstDocumentsFinder:
    """Finds the first documents of runs, a part of a run after another."""

    def __init__(self, evaluator: RunEvaluator, *, with_documents: bool) -> None:
        """Look at what the runs are held against.

        Raises:
            UsageError: the judgments are no grades of documents, or decide the order of ties.
        """
        options = evaluator.options
        judgments = evaluator.prepared_judgments.judgments
        if type(judgments) is not GradedJudgments or len(judgments.qrels.start) != len(
            judgments.qrels.topics
        ):
            raise UsageError("these judgments have not one grade for each document")
        if options.ties_by_grade:
            raise UsageError(f"--ties {options.ties} has no order of its own for tied documents")
        self._qrels: Qrels = judgments.qrels
        self._rule = replace(options.ranking_rule(options.qrels_format), judged_only=False)
        self._depth = min(DEPTH, self._rule.max_retrieved or DEPTH)
        self._duplicates, self._with_documents = options.duplicates, with_documents
        self.topics = evaluator.topics
        self._topic_index = {topic: index for index, topic in enumerate(self.topics)}

    def find(self, rows: Rows) -> list[_TopicFirst]:
        """The first documents of some whole topics, of those that may be evaluated."""
        if self._duplicates != "error":
            key = falling_key(rows, self._rule)
            rows, _ = drop_repeated_documents(rows, self._duplicates, key)
        rank, depth = ranks_of_rows(rows, self._rule), self._depth
        first_rows = np.flatnonzero(rank <= depth + 1)
        first = keep_rows(rows, first_rows)
        order = np.lexsort((rank[first_rows], first.topic_of_row))
        documents, scores = first.docs.take(order).to_list(), first.value[order].tolist()
        grades = self._grades(first)
        starts = first.start.tolist()
        firsts = []
        for topic, start, stop in zip(first.topics, starts, starts[1:], strict=False):
            if topic not in self._topic_index:
                continue
            last = start + depth
            is_tied = last < stop and scores[last - 1] == scores[last]
            shown = documents[start : min(last, stop)]
            of_topic = grades.get(topic, {})
            texts = [of_topic.get(rank, NOT_JUDGED) for rank in range(1, len(shown) + 1)]
            firsts.append(_TopicFirst(topic, shown, texts, is_tied))
        return firsts

    def _grades(self, rows: Rows) -> dict[bytes, dict[int, str]]:
        """For each judged topic the grades of rows that have one, by their ranks."""
        rule = replace(self._rule, spans=False, scores=False, unjudged=False, elsewhere=False)
        ranked, qrels = join_judgments(rows, self._qrels, rule), self._qrels
        topics = [qrels.topics[index] for index in qrels.topic_of_list[ranked.lists].tolist()]
        grades: dict[bytes, dict[int, str]] = {topic: {} for topic in topics}
        columns = (ranked.topic, ranked.rank, qrels.grade[ranked.row])
        for topic, rank, grade in zip(*(each.tolist() for each in columns), strict=True):
            if grade >= 0:
                grades[topics[topic]][rank] = f"{grade:g}"
        return grades

    def join(self, parts: Iterable[Sequence[_TopicFirst]]) -> RunFirstDocuments:
        """Those of a whole run."""
        num_topics = len(self.topics)
        shown, judged = np.zeros((2, num_topics), np.uint8)
        is_tied, hashes = np.zeros(num_topics, np.bool_), np.zeros(num_topics, np.uint64)
        documents: list[tuple[str, ...]] = [()] * num_topics
        grades = [*documents]
        for each in (topic_first for part in parts for topic_first in part):
            index = self._topic_index[each.topic]
            shown[index] = len(each.documents)
            judged[index] = len(each.grades) - each.grades.count(NOT_JUDGED)
            is_tied[index] = each.is_tied
            digest = sha256(b"\n".join(each.documents)).digest()
            hashes[index] = int.from_bytes(digest[:8], "little")
            if self._with_documents:
                documents[index] = tuple(map(as_text, each.documents))
                grades[index] = tuple(each.grades)
        texts = (tuple(documents), tuple(grades)) if self._with_documents else (None, None)
        return RunFirstDocuments(self.topics, shown, judged, is_tied, hashes, *texts)


def first_documents_finder(
    evaluator: RunEvaluator, need: FirstDocumentsNeed
) -> FirstDocumentsFinder | None:
    """What finds them; None where nobody needs them, or there are none to be counted.

    Raises:
        UsageError: they are to be shown, and there are none.
    """
    if not need:
        return None
    try:
        return FirstDocumentsFinder(evaluator, with_documents=need == "documents")
    except UsageError as error:
        if need == "documents":
            raise UsageError(f"no documents can be shown: {error}") from None
        return None
