"""The rankings of a run with the judgments of their topics, for studies that change judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.judged import Input
from irev.core.record import record
from irev.core.wording import count_text
from irev.engine.evaluate import RunEvaluator
from irev.engine.score_warnings import below_level_message
from irev.errors import MismatchError, Notice, UsageError, id_text, note
from irev.jobs.explain.topic import RankedTopic, ranked_topics
from irev.jobs.studies.judgment_changes import JudgedRanking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.judged import Qrels
    from irev.options import Options


@record
class RunRankings:
    """A run's rankings of the judged topics.

    qrels                the judgments
    topics               T ids, in byte order
    ranked_topics        T rankings
    num_pooled_unjudged  T numbers of pooled but unjudged documents
    warnings             what makes scores of the run doubtful
    """

    qrels: Qrels
    topics: tuple[bytes, ...]
    ranked_topics: tuple[RankedTopic, ...]
    num_pooled_unjudged: tuple[int, ...]
    warnings: tuple[Notice, ...]

    def judged_ranking(self, topic_index: int) -> JudgedRanking:
        """The ranking of a topic, as measures see it."""
        ranked_topic = self.ranked_topics[topic_index]
        return JudgedRanking(
            ranked_topic.grade[0],
            ranked_topic.ideal[0],
            ranked_topic.score,
            self.num_pooled_unjudged[topic_index],
        )

    def topic_index(self, topic_id: bytes) -> int:
        """The place of a topic among `topics`."""
        if topic_id not in self.topics:
            lacking_input = "run has" if topic_id in self.qrels.topic_index else "qrels have"
            raise MismatchError(f"the {lacking_input} no topic {id_text(topic_id)}")
        return self.topics.index(topic_id)

    def relevant_topic_indices(self, level: float) -> list[int]:
        """The places of the topics that have a relevant document."""
        topic_indices = [
            topic_index
            for topic_index, ranked_topic in enumerate(self.ranked_topics)
            if (ranked_topic.ideal[0] >= level).any()
        ]
        if not topic_indices:
            highest = float(self.qrels.level_grade.max(initial=-1.0))
            if highest < level:
                raise MismatchError(below_level_message(highest, level, "-l "))
            raise MismatchError("no topic of the run has a relevant document")
        return topic_indices

    def missing_topic_ids(self, level: float) -> list[bytes]:
        """The judged topics with a relevant document that the run lacks, in byte order."""
        qrels, retrieved_topic_ids = self.qrels, set(self.topics)
        missing_topic_ids = []
        for topic_index, topic_id in enumerate(qrels.topics):
            # a topic has one list here
            start, stop = qrels.level_start[qrels.list_start[topic_index] :][:2].tolist()
            if (
                topic_id not in retrieved_topic_ids
                and (qrels.level_grade[start:stop] >= level).any()
            ):
                missing_topic_ids.append(topic_id)
        return missing_topic_ids

    @property
    def highest_grade(self) -> float:
        """The highest grade of the judgments."""
        return highest_grade(self.qrels)


def highest_grade(qrels: Qrels) -> float:
    """The highest grade of judgments; 1 where there is none above 0."""
    return float(qrels.level_grade.max(initial=0.0)) or 1.0


def read_run_rankings(
    qrels: Input, run: Input, measures: Sequence[str], options: Options, qrels_format: str = "qrels"
) -> RunRankings:
    """Read judgments and a run."""
    if options.judged_only:
        raise UsageError("where judgments change, -J would change the ranking: leave it out")
    evaluator = RunEvaluator(qrels, measures, options, qrels_format=qrels_format)
    judgments = evaluator.prepared_judgments.qrels
    ranked, warnings = ranked_topics(run, evaluator, options.ranking_rule("qrels"))
    ranked.sort(key=lambda ranked_topic: ranked_topic.rows.topics[0])
    topic_ids = tuple(ranked_topic.rows.topics[0] for ranked_topic in ranked)
    return RunRankings(
        judgments,
        topic_ids,
        tuple(ranked),
        tuple(_num_pooled_unjudged(judgments, topic_id) for topic_id in topic_ids),
        warnings,
    )


def _num_pooled_unjudged(qrels: Qrels, topic_id: bytes) -> int:
    """How many documents of a topic are pooled but unjudged."""
    judged_list = int(qrels.list_start[qrels.topic_index[topic_id]])
    rows = slice(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
    return int(np.count_nonzero(qrels.grade[rows] < 0))


def no_relevant_notes(num_topics: int) -> tuple[Notice, ...]:
    """What to say of topics that were left out since they have no relevant document."""
    return (
        (note(f"{count_text(num_topics, 'topic')} without relevant documents left out"),)
        if num_topics
        else ()
    )
