"""The first documents of runs with their grades, and what they say of ties and copies."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.record import record
from irev.core.text import as_text
from irev.core.wording import count_text
from irev.engine.run_evaluator import RunEvaluator
from irev.errors import UsageError
from irev.options import Options
from irev.rank.judged_lists import drop_repeated_documents
from irev.rank.judgments import GradedJudgments
from irev.rank.ranking import ranks_of_rows
from irev.writers.results_page.documents import TopDocuments

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from irev.core.model import Input, Qrels, Rows
    from irev.options import ScoringOptions
    from irev.rank.order import RankingRule

DEPTH = 10
"""So many documents of each topic are shown."""

_MANY_TIES = 0.1
_NEARLY_ALL, _LEAST_TOPICS = 0.9, 5
"""Runs that agree on this share of so many topics at least are nearly the same."""


class _FirstOfTopic(NamedTuple):
    """The first documents of a topic; whether the order of equal scores decides which they are."""

    topic: bytes
    documents: tuple[bytes, ...]
    is_cut_in_ties: bool


@record
class RunTops:
    """The first documents of S runs on T topics.

    documents  with their grades
    cut_ties   for each run on how many topics equal scores stand on both sides of the last rank
    """

    documents: TopDocuments
    cut_ties: tuple[int, ...]


def read_first_documents(
    qrels: Input,
    runs: Mapping[str, Input],
    topics: Sequence[bytes],
    any_measure: str,
    options: ScoringOptions,
) -> RunTops:
    """Read the first documents of runs once more.

    Args:
        qrels: the judgments.
        runs: the runs by name, in the order of the table.
        topics: the topics, in the order in which they are shown.
        any_measure: one that these judgments have.
        options: the choices.

    Raises:
        UsageError: the judgments are no grades of documents, or decide the order of ties.
    """
    evaluator = RunEvaluator(
        qrels, [any_measure], options.base_record(Options), qrels_format=options.qrels_format
    )
    judgments = evaluator.prepared_judgments.judgments
    if type(judgments) is not GradedJudgments or len(judgments.qrels.start) != len(
        judgments.qrels.topics
    ):
        raise UsageError("these judgments have not one grade for each document")
    if options.ties_by_grade:
        raise UsageError(f"--ties {options.ties} has no order of its own for tied documents")
    rule = replace(options.ranking_rule(options.qrels_format), judged_only=False)
    topic_set = frozenset(topics)
    ids, cut_ties = [], []
    for run in runs.values():
        step = partial(_first_of_topics, rule=rule, topics=topic_set, duplicates=options.duplicates)
        results = evaluator.map_run_topics(run, step, 1)
        by_topic = {each.topic: each for part in results.results for each in part}
        ids.append(tuple(
            tuple(map(as_text, by_topic[topic].documents)) if topic in by_topic else ()
            for topic in topics
        ))  # fmt: skip
        cut_ties.append(sum(each.is_cut_in_ties for each in by_topic.values()))
    documents_of_topic = [
        {document for run in ids for document in run[t]} for t in range(len(topics))
    ]
    grades = tuple(
        _grades(judgments.qrels, topic, documents)
        for topic, documents in zip(topics, documents_of_topic, strict=True)
    )
    return RunTops(TopDocuments(DEPTH, tuple(ids), grades), tuple(cut_ties))


def _first_of_topics(
    rows: Rows, rule: RankingRule, topics: Collection[bytes], duplicates: str
) -> list[_FirstOfTopic]:
    """The first documents of some whole topics, without those that are not asked for."""
    if duplicates != "error":
        rows, _ = drop_repeated_documents(rows, keep_last=duplicates == "last")
    rank = ranks_of_rows(rows, rule)
    depth = DEPTH if rule.max_retrieved is None else min(DEPTH, rule.max_retrieved)
    kept = np.flatnonzero(rank <= depth + 1)
    kept = kept[np.lexsort((rank[kept], rows.topic_of_row[kept]))]
    documents, scores = rows.docs.take(kept).to_list(), rows.value[kept].tolist()
    starts = np.searchsorted(rows.topic_of_row[kept], np.arange(len(rows.topics) + 1)).tolist()
    firsts = []
    for topic, start, stop in zip(rows.topics, starts, starts[1:], strict=False):
        if topic not in topics:
            continue
        last = start + depth
        is_cut = last < stop and scores[last - 1] == scores[last]
        firsts.append(_FirstOfTopic(topic, tuple(documents[start : min(last, stop)]), is_cut))
    return firsts


def _grades(qrels: Qrels, topic: bytes, documents: Collection[str]) -> dict[str, str]:
    """The grades of those of the documents that are judged."""
    index = qrels.topic_index.get(topic)
    if index is None:
        return {}
    (judged_list,) = range(*qrels.list_start[index : index + 2].tolist())
    rows = slice(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
    judged = zip(qrels.docs.take(rows).to_list(), qrels.grade[rows].tolist(), strict=True)
    shown = ((as_text(document), grade) for document, grade in judged if grade >= 0)
    return {document: f"{grade:g}" for document, grade in shown if document in documents}


def doubt_texts(tops: RunTops, run_names: Sequence[str]) -> Iterator[str]:
    """What the first documents say that makes numbers doubtful, a sentence each."""
    num_topics = len(tops.documents.grades)
    tied = [
        (count, name)
        for count, name in zip(tops.cut_ties, run_names, strict=True)
        if count > _MANY_TIES * num_topics
    ]
    if tied:
        tied.sort(key=lambda each: (-each[0], each[1]))
        listed = ", ".join(f"{name} ({count_text(count, 'topic')})" for count, name in tied[:3])
        more = f" and {len(tied) - 3} more" if len(tied) > 3 else ""
        yield (
            f"Equal scores at ranks {DEPTH} and {DEPTH + 1}, where the rule for ties decides: "
            f"{listed}{more}."
        )
    if num_topics < _LEAST_TOPICS:
        return
    for run, other in combinations(range(len(run_names)), 2):
        pairs = zip(tops.documents.ids[run], tops.documents.ids[other], strict=True)
        same = Counter(one == two for one, two in pairs)[True]
        if same >= _NEARLY_ALL * num_topics:
            yield (
                f"{run_names[run]} and {run_names[other]} have the same first {DEPTH} documents "
                f"on {same} of {num_topics} topics."
            )
