"""Gates on single topics: the least score of each, and how far each may drop below the baseline."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from irev.core.text import as_bytes
from irev.core.wording import count_that_is, shortened_list
from irev.errors import MismatchError, UsageError
from irev.jobs.gate.verdicts import MOST_WORST, TopicDrop, Verdict
from irev.measures.naming.resolve import lower_is_better
from irev.statistics.differences import NEAR, scale_of, zero_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.arrays import TopicValues
    from irev.scores.table import ScoreTable


def load_golden_topics(
    topics_or_path: str | os.PathLike[str] | Sequence[bytes | str] | None,
    judged_topics: Sequence[bytes],
) -> tuple[bytes, ...] | None:
    """The golden topics in byte order; None where there is no list.

    Raises:
        InputError: the file cannot be read.
        MismatchError: a topic that is not judged.
        UsageError: the list is empty.
    """
    if topics_or_path is None:
        return None
    source = "the list of golden topics"
    if isinstance(topics_or_path, str | os.PathLike):
        from irev.read.topic_files import read_topic_ids

        source = os.fspath(topics_or_path)
        topics = read_topic_ids(source)
    else:
        topics = tuple(sorted(set(map(as_bytes, topics_or_path))))
    if not topics:
        raise UsageError("the list of golden topics is empty")
    unjudged = sorted(set(topics).difference(judged_topics))
    if unjudged:
        raise MismatchError(
            f"{source}: {count_that_is(len(unjudged), 'golden topic')} not among the judged "
            f"topics: {shortened_list(unjudged)}"
        )
    return topics


def least_score_verdict(
    table: ScoreTable,
    column_name: str,
    run_index: int,
    bound: float,
    topic_ids: Sequence[bytes],
) -> Verdict:
    """Whether a run has at least a score on each of some topics; one that it lacks has 0."""
    scores = table.scores(column_name)[_rows_of_topics(table, topic_ids), run_index]
    margins = zero_noise(scores - bound, max(1.0, abs(bound)))
    drops = [
        TopicDrop(topic, score, None, margin)
        for topic, score, margin in zip(topic_ids, scores.tolist(), margins.tolist(), strict=True)
    ]
    order, failed_topics = _drops_worst_first_and_failed_ids(drops, margins, 0.0)
    return Verdict(
        kind="topic-min",
        measure=column_name,
        topic_class="",
        outcome="failed" if failed_topics else "passed",
        num_topics=len(drops),
        value=order[0].run,
        bound=bound,
        difference=order[0].difference,
        worst=tuple(order[: max(MOST_WORST, len(failed_topics))]),
        topics=tuple(drops),
        failed_topics=failed_topics,
    )


def topic_drop_verdict(
    table: ScoreTable,
    column_name: str,
    run_and_baseline_indices: tuple[int, int],
    tolerance: float,
    topic_ids: Sequence[bytes],
) -> Verdict:
    """Whether none of some topics is more than the tolerance worse than in the baseline."""
    scores = table.scores(column_name)[_rows_of_topics(table, topic_ids)][
        :, run_and_baseline_indices
    ]
    differences = zero_noise(scores[:, 0] - scores[:, 1], scale_of(scores))
    drops = [
        TopicDrop(topic, run, baseline, difference)
        for topic, (run, baseline), difference in zip(
            topic_ids, scores.tolist(), differences.tolist(), strict=True
        )
    ]
    is_lower_better = lower_is_better(table.column(column_name))
    gains = -differences if is_lower_better else differences
    slack = NEAR * max(scale_of(scores), tolerance)
    order, failed_topics = _drops_worst_first_and_failed_ids(drops, gains, -tolerance - slack)
    num_drops = int(np.count_nonzero(gains < 0))
    return Verdict(
        kind="topic-tolerance",
        measure=column_name,
        topic_class="",
        outcome="failed" if failed_topics else "passed",
        num_topics=len(drops),
        value=order[0].run,
        bound=float(order[0].baseline or 0.0),
        difference=order[0].difference,
        tolerance=tolerance,
        lower_is_better=is_lower_better,
        worst=tuple(order[: max(min(MOST_WORST, num_drops), len(failed_topics))]),
        topics=tuple(drops),
        failed_topics=failed_topics,
    )


def _rows_of_topics(table: ScoreTable, topic_ids: Sequence[bytes]) -> list[int]:
    row_of_topic = {topic: row for row, topic in enumerate(table.topics)}
    return [row_of_topic[topic] for topic in topic_ids]


def _drops_worst_first_and_failed_ids(
    drops: Sequence[TopicDrop], gains: TopicValues, least_gain: float
) -> tuple[list[TopicDrop], tuple[bytes, ...]]:
    """All drops, the worst first, and the topics that gain less than they must.

    A topic whose score is not defined fails: nothing shows that it holds.
    """
    defined = np.where(np.isnan(gains), -np.inf, gains)
    order = np.argsort(defined, kind="stable").tolist()
    failed_topics = tuple(drops[row].topic for row in order if defined[row] < least_gain)
    return [drops[row] for row in order], failed_topics
