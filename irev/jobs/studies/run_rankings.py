"""The rankings of a run with the judgments of their topics, for studies that change judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irev.core.model import Input
from irev.core.record import record
from irev.core.wording import count_text, list_beginning
from irev.engine.run_evaluator import RunEvaluator
from irev.errors import MismatchError, Notice, UsageError, id_text
from irev.jobs.explain.topic import RankedTopic, ranked_topics
from irev.jobs.studies.changes import JudgedRanking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.model import Qrels
    from irev.options import Options


@record
class RunRankings:
    """A run's rankings of the judged topics.

    qrels     the judgments
    topics    T ids, in byte order
    found     T rankings
    pooled    T numbers of pooled but unjudged documents
    doubts    what makes scores of the run doubtful
    """

    qrels: Qrels
    topics: tuple[bytes, ...]
    found: tuple[RankedTopic, ...]
    pooled: tuple[int, ...]
    doubts: tuple[Notice, ...]

    def ranking(self, number: int) -> JudgedRanking:
        """The ranking of a topic, as measures see it."""
        found = self.found[number]
        return JudgedRanking(found.grade[0], found.ideal[0], found.score, self.pooled[number])

    def number(self, topic: bytes) -> int:
        """The place of a topic among `topics`."""
        if topic not in self.topics:
            lacks = "run has" if topic in self.qrels.topic_index else "qrels have"
            raise MismatchError(f"the {lacks} no topic {id_text(topic)}")
        return self.topics.index(topic)

    def with_relevant(self, level: float) -> list[int]:
        """The places of the topics that have a relevant document."""
        found = [n for n, each in enumerate(self.found) if (each.ideal[0] >= level).any()]
        if not found:
            raise MismatchError("no topic of the run has a relevant document")
        return found

    def missing(self, level: float) -> list[bytes]:
        """The judged topics with a relevant document that the run lacks, in byte order."""
        qrels, here = self.qrels, set(self.topics)
        found = []
        for number, topic in enumerate(qrels.topics):
            # a topic has one list here
            start, stop = qrels.level_start[qrels.list_start[number] :][:2].tolist()
            if topic not in here and (qrels.level_grade[start:stop] >= level).any():
                found.append(topic)
        return found

    @property
    def highest(self) -> float:
        """The highest grade of the judgments."""
        return highest_grade(self.qrels)


def highest_grade(qrels: Qrels) -> float:
    """The highest grade of judgments; 1 where there is none above 0."""
    return float(qrels.level_grade.max(initial=0.0)) or 1.0


def rankings_of_run(
    qrels: Input, run: Input, measures: Sequence[str], options: Options, format: str = "qrels"
) -> RunRankings:
    """Read judgments and a run."""
    if options.judged_only:
        raise UsageError("where judgments change, -J would change the ranking: leave it out")
    evaluator = RunEvaluator(qrels, measures, options, qrels_format=format)
    judged = evaluator.prepared_judgments.qrels
    every, doubts = ranked_topics(run, evaluator, options.ranking("qrels"))
    every.sort(key=lambda found: found.rows.topics[0])
    topics = tuple(found.rows.topics[0] for found in every)
    return RunRankings(
        judged,
        topics,
        tuple(every),
        tuple(_pooled(judged, topic) for topic in topics),
        doubts,
    )


def _pooled(qrels: Qrels, topic: bytes) -> int:
    """How many documents of a topic are pooled but unjudged."""
    judged_list = int(qrels.list_start[qrels.topic_index[topic]])
    here = slice(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
    return int(np.count_nonzero(qrels.grade[here] < 0))


def lacking(missing: Sequence[bytes], becomes: str) -> tuple[Notice, ...]:
    """A warning of judged topics that the run lacks."""
    if not missing:
        return ()
    which = count_text(len(missing), "judged topic")
    message = f"the run lacks {which}, {becomes}: {list_beginning(missing)}"
    return (Notice("unretrieved-topic", message),)


def without_relevant(topics: int) -> tuple[str, ...]:
    """What to say of topics that were left out since they have no relevant document."""
    return (f"{count_text(topics, 'topic')} without relevant documents left out",) if topics else ()
