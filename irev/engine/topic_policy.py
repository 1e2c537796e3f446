"""Which topics count, and how their values become scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.arrays import Bools, Floats, Ints, byte_order, offsets, sum_by
from irev.core.model import Qrels
from irev.core.text import as_bytes
from irev.core.wording import list_beginning, shortened_list
from irev.errors import MismatchError, id_text
from irev.scores.scores import Account, Scores, SummaryBasis

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.core.classes import TopicClasses, TopicWeights
    from irev.engine.prepared_judgments import PreparedJudgments, RunPart
    from irev.measures.requests import MeasuredValues, Request
    from irev.options import Options


class ChosenTopics(NamedTuple):
    """Which topics count for a run.

    rows           bool[T], which judged topics get a row
    names          their ids
    place          int64[L], which of the judged lists with a row each is; -1: it has none
    num_lists      how many judged lists have one
    absent         int64[], the judged lists of topics that get a row and that the run lacks
    account        which topics are left out, and why
    unjudged       the topics of the run that are not judged
    with_unjudged  whether these get a row too
    """

    rows: Bools
    names: tuple[bytes, ...]
    place: Ints
    num_lists: int
    absent: Ints
    account: Account
    unjudged: Sequence[bytes] = ()
    with_unjudged: bool = False


class TopicPolicy:
    """The choice of topics, made once for the judgments."""

    def __init__(self, qrels: Qrels, requests: Sequence[Request], options: Options) -> None:
        """Work out what is the same for all runs."""
        self._qrels = qrels
        self.columns = tuple(column for request in requests for column in request.columns)
        self._options = options
        self._has_relevant = _has_relevant(qrels, options.level)
        self._chosen = self._choose()
        self._last: tuple[bytes, ChosenTopics] | None = None
        self.classes: TopicClasses | None = None
        self.weights: TopicWeights | None = None
        if options.classes is not None:
            from irev.read.topic_files import classes_of

            self.classes = classes_of(options.classes)
        if options.weights is not None:
            from irev.read.topic_files import weights_of

            self.weights = weights_of(options.weights)
            self.weights.weights_of(self._names(self._chosen))

    @property
    def topics(self) -> tuple[bytes, ...]:
        """The judged topics that may be evaluated, in byte order."""
        return self._names(self._chosen)

    def _choose(self) -> Bools:
        """bool[T]: which judged topics may be evaluated at all."""
        options, number = self._options, self._qrels.topic_index
        chosen = np.ones(len(number), bool)
        if options.listed is not None:
            wanted = {as_bytes(topic) for topic in options.listed}
            self._require(sorted(wanted))
            chosen[:] = [topic in wanted for topic in self._qrels.topics]
        if options.no_relevant == "skip":
            chosen &= self._has_relevant
        if options.only_topic is not None:
            only = as_bytes(options.only_topic)
            self._require([only])
            chosen &= np.arange(len(number)) == number[only]
        return chosen

    def _require(self, topics: Sequence[bytes]) -> None:
        absent = [topic for topic in topics if topic not in self._qrels.topic_index]
        if absent:
            raise MismatchError(f"the qrels have no topic {shortened_list(absent, 10)}")

    def choose_topics(self, parts: Sequence[RunPart]) -> ChosenTopics:
        """Which topics count for a run."""
        lists = b"".join([part.lists.tobytes() for part in parts])
        unjudged = [topic for part in parts for topic in part.unjudged_topics.topic_ids]
        last = self._last
        if last is None or last[0] != lists:  # one run mostly has the topics of the one before
            in_run = np.zeros(len(self._qrels.topics), bool)
            for part in parts:
                in_run[self._qrels.topic_of_list[part.lists]] = True
            last = self._last = lists, self._choose_for_run(in_run, unjudged)
        chosen = last[1]
        repeats = [item for part in parts if part.repeats for item in part.repeats.items()]
        if not unjudged and not repeats:
            return chosen
        told = () if self._counts_unjudged else tuple(sorted(unjudged))
        account = replace(chosen.account, unjudged=told, repeats=tuple(sorted(repeats)))
        counts = bool(unjudged) and self._counts_unjudged
        return chosen._replace(account=account, unjudged=unjudged, with_unjudged=counts)

    def _choose_for_run(self, in_run: Bools, unjudged: Sequence[bytes]) -> ChosenTopics:
        """What follows from which judged topics a run has."""
        if not in_run.any():
            raise _no_common_topic(sorted(unjudged), self._qrels.topics)
        rows = self._rows(in_run)
        if not rows.any():
            raise self._no_topic_left()
        has_row = rows[self._qrels.topic_of_list]
        wanted = self._chosen & (in_run if self._options.topics == "run" else True)
        account = Account(
            missing=self._names(wanted & ~in_run),
            without_relevant=self._names(rows & ~self._has_relevant),
            skipped=self._names(~wanted),
        )
        before = offsets(has_row)
        place = np.where(has_row, before[:-1], -1)
        absent = (has_row & ~in_run[self._qrels.topic_of_list]).nonzero()[0]
        return ChosenTopics(rows, self._names(rows), place, int(before[-1]), absent, account)

    def scores(
        self,
        chosen: ChosenTopics,
        measured: Iterable[MeasuredValues],
        more: MeasuredValues | None,
        run_id: bytes,
    ) -> Scores:
        """The scores of a run, given the values of its lists and, where they count, of others."""
        names = chosen.names
        values, texts = self._topic_values(measured, chosen)
        if more is not None:
            names, values, texts = _merge_unjudged(names, values, texts, chosen.unjudged, more)
        return Scores(
            run_id,
            names,
            self.columns,
            values,
            texts,
            self._divisor(len(names)),
            self._totals(),
            chosen.account,
            self._basis(names, chosen.unjudged),
        )

    def empty_ranking_values(
        self, judgments: PreparedJudgments, topic_ids: Sequence[bytes]
    ) -> Floats:
        """float64[M, C]: what an empty ranking is worth on M judged topics, in byte order."""
        rows = np.zeros(len(self._qrels.topics), bool)
        rows[[self._qrels.topic_index[topic] for topic in topic_ids]] = True
        has_row = rows[self._qrels.topic_of_list]
        before = offsets(has_row)
        place = np.where(has_row, before[:-1], -1)
        lists = has_row.nonzero()[0]
        topics = ChosenTopics(rows, self._names(rows), place, int(before[-1]), lists, Account())
        return self._topic_values([judgments.empty_ranking_values(lists)], topics)[0]

    def _no_topic_left(self) -> MismatchError:
        if self._options.only_topic is not None:
            return MismatchError(
                f"the run has no topic {id_text(as_bytes(self._options.only_topic))}"
            )
        return MismatchError("no topic is left to evaluate: the selected topics leave out all")

    @property
    def _counts_unjudged(self) -> bool:
        options = self._options
        # what is not judged has no relevant document either
        keeps_all = options.no_relevant == "zero" and options.only_topic is None
        return options.topics == "run" and keeps_all

    @property
    def _counts_every_topic(self) -> bool:
        return self._options.topics == "qrels"

    def _rows(self, in_run: Bools) -> Bools:
        """bool[T]: which topics get a row."""
        if self._options.topics in ("both", "run"):
            return self._chosen & in_run
        if self._counts_every_topic and self._options.version == 9:
            return self._chosen & in_run
        return self._chosen

    def _basis(self, rows: tuple[bytes, ...], unjudged: Sequence[bytes]) -> SummaryBasis | None:
        """What summaries by classes or weights stand on, given the topics with a row."""
        if self.classes is None and self.weights is None:
            return None
        topics = rows
        if self._counts_every_topic:
            all_topics = np.ones(len(self._qrels.topics), bool)
            skips = self._options.no_relevant == "skip"
            topics = self._names(self._has_relevant if skips else all_topics)
        number, by_topic = self._qrels.topic_index, self._relevant_of_topics()
        num_rel = [by_topic[number[topic]] if topic in number else 0.0 for topic in topics]
        weights = None if self.weights is None else self.weights.weights_of(topics)
        if self.classes is None:
            return SummaryBasis(topics, np.array(num_rel), weights)
        known = {*self._qrels.topics, *unjudged}
        return SummaryBasis(
            topics,
            np.array(num_rel),
            weights,
            self.classes,
            self.classes.unknown_topics(known),
            self.classes.unclassified_topics(topics),
        )

    def _relevant_of_topics(self) -> list[float]:
        """How many relevant documents each judged topic has."""
        qrels = self._qrels
        topic = np.repeat(qrels.topic_of_list, np.diff(qrels.level_start))
        count = np.where(qrels.level_grade >= self._options.level, qrels.level_count, 0)
        found: list[float] = np.bincount(topic, count, minlength=len(qrels.topics)).tolist()
        return found

    def _names(self, chosen: Bools) -> tuple[bytes, ...]:
        return tuple([self._qrels.topics[topic] for topic in chosen.nonzero()[0].tolist()])

    def _divisor(self, rows: int) -> int:
        if not self._counts_every_topic:
            return rows
        if self._options.no_relevant == "skip":
            return int(self._has_relevant.sum())
        return len(self._qrels.topics)

    def _topic_values(
        self, measured: Iterable[MeasuredValues], chosen: ChosenTopics
    ) -> tuple[Floats, dict[int, list[bytes]]]:
        """The values and texts of the topics with a row; a topic is the mean of its lists."""
        count = chosen.num_lists
        by_list = np.zeros((count + 1, len(self.columns)))  # those without a row share the last
        texts: dict[int, list[bytes]] = {}
        for values in measured:
            places = chosen.place[values.lists]
            by_list[places] = values.values
            for column, found in values.texts.items():
                text_of = texts.setdefault(column, [b""] * count)
                for at, text in zip(places.tolist(), found, strict=True):
                    if at >= 0:
                        text_of[at] = text
        by_list = by_list[:-1]
        if count == len(chosen.names):
            return by_list, texts
        lists = (chosen.place >= 0).nonzero()[0]
        topic = np.searchsorted(chosen.rows.nonzero()[0], self._qrels.topic_of_list[lists])
        counts = np.bincount(topic)
        means = [sum_by(topic, column, len(counts)) / counts for column in by_list.T]
        return np.stack(means, axis=1), texts

    def _totals(self) -> dict[str, float]:
        """Summaries that do not come from the rows: all relevant documents, if all topics count."""
        if not self._counts_every_topic or "num_rel" not in [each.name for each in self.columns]:
            return {}
        relevant = self._qrels.level_grade >= self._options.level
        return {"num_rel": float(self._qrels.level_count[relevant].sum())}


def _has_relevant(qrels: Qrels, level: int) -> Bools:
    """bool[T]: which topics have a relevant document."""
    relevant = offsets(qrels.level_grade >= level)
    first, last = qrels.list_start[:-1], qrels.list_start[1:]
    found: Bools = relevant[qrels.level_start[last]] > relevant[qrels.level_start[first]]
    return found


def _reorder_texts(parts: Sequence[list[bytes]], order: Ints) -> list[bytes]:
    joined = [text for part in parts for text in part]
    return [joined[row] for row in order.tolist()]


def _merge_unjudged(
    names: Sequence[bytes],
    values: Floats,
    texts: dict[int, list[bytes]],
    other_names: Sequence[bytes],
    other: MeasuredValues,
) -> tuple[tuple[bytes, ...], Floats, dict[int, list[bytes]]]:
    """Judged and unjudged topics together, in byte order."""
    every = [*names, *other_names]
    order = byte_order(every)
    merged = {
        column: _reorder_texts([texts[column], other.texts[column]], order) for column in texts
    }
    return (
        tuple([every[row] for row in order.tolist()]),
        np.concatenate([values, other.values])[order],
        merged,
    )


def _no_common_topic(run: Sequence[bytes], qrels: Sequence[bytes]) -> MismatchError:
    from irev.engine.other_ids import topics_that_fit
    from irev.engine.score_warnings import differing_topic_texts

    how, pairs = topics_that_fit(run, qrels, by_number=True)
    hint = f" ({differing_topic_texts(how, pairs)[0]})" if pairs else ""
    return MismatchError(
        f"the run and the qrels have no topic in common: the run has {list_beginning(run)}; "
        f"the qrels have {list_beginning(qrels)}{hint}",
        "no-common-topic",
    )
