"""Which topics count, and how their values become scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    Ints,
    ListIndices,
    TopicMask,
    TopicsByMeasures,
    offsets,
    segment_sums,
)
from irev.core.judged import VITAL, Qrels
from irev.core.text import as_bytes, list_beginning, shortened_list
from irev.engine.doubts import differing_topic_texts
from irev.engine.spellings import match_topics
from irev.errors import MismatchError, id_text
from irev.options import Options
from irev.scores.scores import Account, Evaluation, Scores, SummaryBasis

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.core.option_values import TopicClasses, TopicWeights
    from irev.engine.prepared_judgments import PreparedJudgments, RunPart
    from irev.measures.requests import MeasuredValues, Request


_FEW_TOPICS = 1000
"""So many topics of a run show whether they are documents."""


class ChosenTopics(NamedTuple):
    """Which topics count for a run.

    has_row        bool[T], which judged topics get a row
    topic_ids      their ids
    index_of_list  int64[L], which of the judged lists with a row each is; -1: it has none
    num_lists      how many judged lists have one
    is_in_order    whether these are the lists of the run, in the same order
    absent_lists   int64[], the judged lists of topics that get a row and that the run lacks
    account        which topics are left out, and why
    """

    has_row: Bools
    topic_ids: tuple[bytes, ...]
    index_of_list: Ints
    num_lists: int
    is_in_order: bool
    absent_lists: Ints
    account: Account


class TopicSelector:
    """The choice of topics, made once for the judgments."""

    def __init__(self, qrels: Qrels, requests: Sequence[Request], options: Options) -> None:
        """Work out what is the same for all runs."""
        self._qrels = qrels
        self.columns = tuple(column for request in requests for column in request.columns)
        self._options = options
        # the grade that a topic must have to count: of measures of vital nuggets that of these
        are_vital = (dict(r.arguments.options).get("of") == "vital" for r in requests)
        is_of_nuggets = any(request.measure.needs == "nuggets" for request in requests)
        level = VITAL if is_of_nuggets and any(are_vital) else options.level
        self._has_relevant = _has_relevant(qrels, level)
        self._topic_mask = self._make_topic_mask()
        self._last: tuple[bytes, ChosenTopics] | None = None
        self._evaluation = Evaluation(options, qrels.topics, qrels.level_grade, qrels.level_start)
        self.classes: TopicClasses | None = None
        self.weights: TopicWeights | None = None
        if options.classes is not None:
            from irev.read.topic_files import load_classes

            self.classes = load_classes(options.classes)
        if options.weights is not None:
            from irev.read.topic_files import load_weights

            self.weights = load_weights(options.weights)
            self.weights.weights_of(self._topic_ids(self._topic_mask))

    @property
    def topics(self) -> tuple[bytes, ...]:
        """The judged topics that may be evaluated, in byte order."""
        return self._topic_ids(self._topic_mask)

    def _make_topic_mask(self) -> TopicMask:
        """Which judged topics may be evaluated at all."""
        options, topic_index = self._options, self._qrels.topic_index
        mask = np.ones(len(topic_index), bool)
        if options.listed_topics is not None:
            listed_ids = {as_bytes(topic) for topic in options.listed_topics}
            self._refuse_unjudged_topics(sorted(listed_ids))
            mask[:] = [topic in listed_ids for topic in self._qrels.topics]
        if options.no_relevant == "skip":
            mask &= self._has_relevant
        if options.only_topic is not None:
            topic_id = as_bytes(options.only_topic)
            self._refuse_unjudged_topics([topic_id])
            mask &= np.arange(len(topic_index)) == topic_index[topic_id]
        return mask

    def _refuse_unjudged_topics(self, topics: Sequence[bytes]) -> None:
        absent = [topic for topic in topics if topic not in self._qrels.topic_index]
        if absent:
            raise MismatchError(f"the qrels have no topic {shortened_list(absent, 10)}")

    def choose_topics(self, parts: Sequence[RunPart]) -> ChosenTopics:
        """Which topics count for a run."""
        list_bytes = b"".join([part.lists.tobytes() for part in parts])
        unjudged = [topic for part in parts for topic in part.unjudged_topics]
        last = self._last
        # a run mostly has the topics of the one before
        if last is None or last[0] != list_bytes or not list_bytes:
            lists = np.frombuffer(list_bytes, np.int64)
            last = self._last = list_bytes, self._choose_for_lists(lists, unjudged)
        topics = last[1]
        repeats = [item for part in parts if part.repeats for item in part.repeats.items()]
        if not unjudged and not repeats:
            return topics
        account = replace(
            topics.account, unjudged=tuple(sorted(unjudged)), repeats=tuple(sorted(repeats))
        )
        return topics._replace(account=account)

    def _choose_for_lists(self, lists: ListIndices, unjudged: Sequence[bytes]) -> ChosenTopics:
        """What follows from which judged lists a run is held against."""
        in_run = np.zeros(len(self._qrels.topics), bool)
        in_run[self._qrels.topic_of_list[lists]] = True
        is_empty = not len(lists) and not unjudged  # a run that retrieved nothing, which counts
        if not in_run.any() and not is_empty:
            raise _no_common_topic_error(sorted(unjudged), self._qrels)
        options, topic_mask = self._options, self._topic_mask
        of_version_9 = self._counts_every_topic and options.version == 9
        if not is_empty and (options.topics in ("both", "run") or of_version_9):
            topic_mask = topic_mask & in_run
        if not topic_mask.any():
            if options.only_topic is not None:
                raise MismatchError(f"the run has no topic {id_text(as_bytes(options.only_topic))}")
            raise MismatchError("no topic is left to evaluate: your options leave out all of them")
        countable = self._topic_mask
        if self._options.topics == "run" and not is_empty:
            countable = countable & in_run
        has_none = topic_mask & ~self._has_relevant
        asks_for_nothing = options.no_relevant == "answer"
        account = Account(
            missing=self._topic_ids(countable & ~in_run),
            without_relevant=self._topic_ids(has_none),
            rightly_empty=self._topic_ids(has_none & ~in_run) if asks_for_nothing else None,
            skipped=self._topic_ids(~countable),
        )
        return self._chosen(topic_mask, lists, in_run, account)

    def _chosen(
        self, topic_mask: TopicMask, lists: ListIndices, in_run: TopicMask, account: Account
    ) -> ChosenTopics:
        """Topics that get a row, of which a run has some, with the judged lists of these."""
        has_row = topic_mask[self._qrels.topic_of_list]
        lists_before = offsets(has_row)
        return ChosenTopics(
            topic_mask,
            self._topic_ids(topic_mask),
            np.where(has_row, lists_before[:-1], -1),
            int(lists_before[-1]),
            np.array_equal(lists, has_row.nonzero()[0]),
            (has_row & ~in_run[self._qrels.topic_of_list]).nonzero()[0],
            account,
        )

    def scores(
        self,
        topics: ChosenTopics,
        measured: Iterable[MeasuredValues],
        run_id: bytes,
    ) -> Scores:
        """The scores of a run, given the values of its lists."""
        topic_ids = topics.topic_ids
        values, texts = self._topic_values(measured, topics)
        # what does not come from the rows: all relevant documents, if all topics count
        totals: dict[str, float] = {}
        if self._counts_every_topic and any(column.name == "num_rel" for column in self.columns):
            relevant = self._qrels.level_grade >= self._options.level
            totals["num_rel"] = float(self._qrels.level_count[relevant].sum())
        return Scores(
            run_id,
            topic_ids,
            self.columns,
            values,
            texts,
            self._divisor(len(topic_ids)),
            totals,
            topics.account,
            self._class_or_weight_basis(topics),
            evaluation=self._evaluation,
        )

    def empty_ranking_values(
        self, judgments: PreparedJudgments, topic_ids: Sequence[bytes]
    ) -> TopicsByMeasures:
        """float64[M, C]: what an empty ranking is worth on M judged topics, in byte order."""
        topic_mask = np.zeros(len(self._qrels.topics), bool)
        topic_mask[[self._qrels.topic_index[topic] for topic in topic_ids]] = True
        lists = topic_mask[self._qrels.topic_of_list].nonzero()[0]
        topics = self._chosen(topic_mask, lists, topic_mask, Account())
        return self._topic_values([judgments.empty_ranking_values(lists)], topics)[0]

    @property
    def _counts_every_topic(self) -> bool:
        return self._options.topics == "qrels"

    def _class_or_weight_basis(self, chosen: ChosenTopics) -> SummaryBasis | None:
        """What summaries by classes or weights stand on."""
        if self.classes is None and self.weights is None:
            return None
        topics = chosen.topic_ids
        if self._counts_every_topic:
            all_topics = np.ones(len(self._qrels.topics), bool)
            skips = self._options.no_relevant == "skip"
            topics = self._topic_ids(self._has_relevant if skips else all_topics)
        # how many relevant documents each topic has
        qrels = self._qrels
        topic = np.repeat(qrels.topic_of_list, np.diff(qrels.level_start))
        count = np.where(qrels.level_grade >= self._options.level, qrels.level_count, 0)
        relevant_counts = np.bincount(topic, count, minlength=len(qrels.topics)).tolist()
        num_rel = [relevant_counts[qrels.topic_index[topic_id]] for topic_id in topics]
        weights = None if self.weights is None else self.weights.weights_of(topics)
        if self.classes is None:
            return SummaryBasis(topics, np.array(num_rel), weights)
        known_topics = {*self._qrels.topics, *chosen.account.unjudged}
        return SummaryBasis(
            topics,
            np.array(num_rel),
            weights,
            self.classes,
            self.classes.unknown_topics(known_topics),
            self.classes.unclassified_topics(topics),
        )

    def _topic_ids(self, mask: TopicMask) -> tuple[bytes, ...]:
        return tuple([self._qrels.topics[index] for index in mask.nonzero()[0].tolist()])

    def _divisor(self, num_rows: int) -> int:
        if not self._counts_every_topic:
            return num_rows
        if self._options.no_relevant == "skip":
            return int(self._has_relevant.sum())
        return len(self._qrels.topics)

    def _topic_values(
        self, measured: Iterable[MeasuredValues], topics: ChosenTopics
    ) -> tuple[TopicsByMeasures, dict[int, list[bytes]]]:
        """The values and texts of the topics with a row; a topic is the mean of its lists."""
        num_lists, measured = topics.num_lists, [*measured]
        is_whole = len(measured) == 1 and topics.is_in_order
        if is_whole and num_lists == len(topics.topic_ids):
            return measured[0].values, measured[0].texts
        by_list = np.zeros((num_lists + 1, len(self.columns)))  # those without a row share the last
        texts: dict[int, list[bytes]] = {}
        for values in measured:
            indices = topics.index_of_list[values.lists]
            by_list[indices] = values.values
            for column, list_texts in values.texts.items():
                text_of = texts.setdefault(column, [b""] * num_lists)
                for index, text in zip(indices.tolist(), list_texts, strict=True):
                    if index >= 0:
                        text_of[index] = text
        by_list = by_list[:-1]
        if num_lists == len(topics.topic_ids):
            return by_list, texts
        lists = (topics.index_of_list >= 0).nonzero()[0]
        topic = np.searchsorted(topics.has_row.nonzero()[0], self._qrels.topic_of_list[lists])
        counts = np.bincount(topic)
        means = [segment_sums(topic, column, len(counts)) / counts for column in by_list.T]
        return np.stack(means, axis=1), texts


def _has_relevant(qrels: Qrels, level: float) -> TopicMask:
    """Which topics have a relevant document."""
    relevant = offsets(qrels.level_grade >= level)
    first, last = qrels.list_start[:-1], qrels.list_start[1:]
    has_relevant: Bools = relevant[qrels.level_start[last]] > relevant[qrels.level_start[first]]
    return has_relevant


def _no_common_topic_error(run_topics: Sequence[bytes], qrels: Qrels) -> MismatchError:
    wording, pairs = match_topics(run_topics, qrels.topics, by_number=True)
    hint = f" ({differing_topic_texts(wording, pairs)[0]})" if pairs else ""
    first_topics = run_topics[:_FEW_TOPICS]
    if 2 * len(qrels.all_ids.intersection(first_topics)) > len(first_topics):
        hint = "; the run's topics are judged documents: are topics and documents exchanged?"
    return MismatchError(
        f"the run and the qrels have no topic in common: the run has {list_beginning(run_topics)}; "
        f"the qrels have {list_beginning(qrels.topics)}{hint}",
        "no-common-topic",
    )
