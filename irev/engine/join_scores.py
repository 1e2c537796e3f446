"""Which topics count, and how their values become scores: of one run, and of several together.

The scores of several runs, each with topics and measures of its own, are brought onto the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    Ints,
    ListIndices,
    MeasuresByTopics,
    MeasuresByTopicsByRuns,
    TopicMask,
    TopicsByMeasures,
    TopicValues,
    offsets,
    put_on_bounds,
    segment_sums,
)
from irev.core.judged import MAPPINGS, VITAL, Column, Input, Qrels, asked_order
from irev.core.option_values import TopicClasses, TopicWeights
from irev.core.record import record
from irev.core.text import (
    as_bytes,
    count_text,
    count_that_is,
    list_beginning,
    parse_c_number,
    shortened_list,
)
from irev.engine.doubts import differing_topic_texts
from irev.engine.prepared_judgments import PreparedJudgments, RunPart
from irev.engine.run_facts import match_topics
from irev.errors import MismatchError, Notice, UsageError, id_text, note
from irev.measures.naming.grammar import measure_names
from irev.measures.naming.resolve import (
    bounds_of,
    column_positions,
    column_with_bounds,
    matching_columns,
    resolve_names,
)
from irev.measures.requests import MeasuredValues, Request
from irev.options import Options
from irev.read.columns import ColumnNames
from irev.read.inputs import distinct_names, equal_names_error, is_named_by_column, path_of
from irev.read.stream import read_all, sha256_of, take_lines
from irev.scores.scores import Account, Evaluation, Scores, SummaryBasis
from irev.scores.signature import Signature, options_part
from irev.scores.table import RunInfo, ScoreTable, TopicPolicy

if TYPE_CHECKING:
    from irev.core.option_records import MeasureRange


# --- Which topics of a run count, and how their values become its scores ---


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

    def __init__(
        self,
        qrels: Qrels,
        requests: Sequence[Request],
        options: Options,
        qrels_sha256: str | None = None,
    ) -> None:
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
        self._evaluation = Evaluation(
            options, qrels.topics, qrels.level_grade, qrels.level_start, qrels_sha256
        )
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
        topics = self._with_emptied_topics(last[1], parts)
        repeats = [item for part in parts if part.repeats for item in part.repeats.items()]
        if not unjudged and not repeats:
            return topics
        account = replace(
            topics.account, unjudged=tuple(sorted(unjudged)), repeats=tuple(sorted(repeats))
        )
        return topics._replace(account=account)

    def _with_emptied_topics(self, topics: ChosenTopics, parts: Sequence[RunPart]) -> ChosenTopics:
        """Where nothing is an answer, it is one also of a run of which options left nothing."""
        rightly_empty, lists = topics.account.rightly_empty, [p.emptied for p in parts]
        if rightly_empty is None or not any(each is not None for each in lists):
            return topics
        indices = np.concatenate([each for each in lists if each is not None])
        emptied = {self._qrels.topics[i] for i in self._qrels.topic_of_list[indices].tolist()}
        emptied.intersection_update(topics.account.without_relevant)
        account = replace(topics.account, rightly_empty=tuple(sorted({*rightly_empty, *emptied})))
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
        is_right = has_none & ~in_run & asks_for_nothing
        account = Account(
            missing=self._topic_ids(countable & ~in_run & ~is_right),
            without_relevant=self._topic_ids(has_none),
            rightly_empty=self._topic_ids(is_right) if asks_for_nothing else None,
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


# --- The scores of several runs, brought onto the same topics and measures ---


LARGEST = 1e100
"""Scores are smaller than this: of larger ones squares and sums could be no finite numbers."""


def scored_run_table(name: str, path: str, scores: Scores, input_index: int = 0) -> ScoreTable:
    """The table of one run that was scored, with what the scores tell of it."""
    account = scores.account
    run = RunInfo(
        name,
        path,
        scores.run_id,
        account.missing,
        account.duplicates,
        _known_signature(scores),
        input_index=input_index,
        num_unjudged_topics=len(account.unjudged),
        estimates=scores.estimates,
        num_excluded=account.num_excluded,
        first_documents=scores.first_documents,
        evaluation=scores.evaluation,
        nothing_to_find=() if account.rightly_empty is None else account.without_relevant,
        rightly_empty=account.rightly_empty or (),
    )
    return ScoreTable(scores.topics, (run,), scores.columns, scores.values.T[:, :, None])


def table_of_scores(scores: Scores) -> ScoreTable:
    """The table of the scores of a run that were evaluated before, with their notices."""
    indices = [
        index for index in asked_order(scores.columns) if scores.columns[index].kind != "text"
    ]
    columns = tuple(scores.columns[index] for index in indices)
    table = scored_run_table(scores.run_name, "", scores)
    return replace(table, columns=columns, values=table.values[indices], warnings=scores.notices)


def _known_signature(scores: Scores) -> Signature | None:
    """That of scores; of those without one what is known of them: not the hash of the run."""
    if scores.signature is not None or scores.evaluation is None:
        return scores.signature
    options = scores.evaluation.options
    return Signature(
        measures={column.name: column.canonical or column.name for column in scores.columns},
        options=options_part(options, getattr(options, "qrels_format", "qrels")),
        qrels=scores.evaluation.qrels_sha256,
    )


def is_scores(source: Any) -> bool:
    """Whether an input is the scores of a run, or a table of several runs'."""
    return isinstance(source, Scores | ScoreTable)


def given_scores(qrels_or_table: Any, runs: Any) -> tuple[Any, Any]:
    """(scores that stand where a table can, as a list or a mapping; the names of runs beside them).

    These are `Scores`, and lists and mappings of them; without any the inputs are none.

    Raises:
        UsageError: some are given by name, and others are not.
    """
    parts = [qrels_or_table]
    if not any(map(is_scores, _sources(qrels_or_table))):
        return None, runs
    if any(map(is_scores, _sources(runs))):
        parts, runs = [*parts, runs], ()
    elif isinstance(qrels_or_table, ScoreTable):
        return None, runs
    if not any(isinstance(part, MAPPINGS) for part in parts):
        return [source for part in parts for source in _sources(part)], runs
    if not all(isinstance(part, MAPPINGS) for part in parts):
        raise UsageError('give all scores by name, {"a": scores, "b": scores}, or in one list')
    return {name: source for part in parts for name, source in part.items()}, runs


def _sources(inputs: Any) -> list[Any]:
    """The inputs of a list or a mapping; another is one."""
    if isinstance(inputs, MAPPINGS):
        return [*inputs.values()]
    return [*inputs] if isinstance(inputs, list | tuple | ValuesView) else [inputs]


def replace_run_info(table: ScoreTable, **fields: Any) -> ScoreTable:
    """The table of one run, of which something else is known."""
    return replace(table, runs=(replace(table.runs[0], **fields),))


def tables_of_runs(table: ScoreTable) -> list[ScoreTable]:
    """A table for each run of one."""
    return [table.select_runs([index]) for index in range(len(table.runs))]


def run_tables_if_saved(
    source: Input, ranges: Sequence[MeasureRange] = (), columns: ColumnNames = ()
) -> list[ScoreTable]:
    """A table for each run of saved scores, or of a table; none where the input is a run.

    `ranges` are those of measures, and `columns` the names of columns, as far as somebody gave one.
    """
    if isinstance(source, ScoreTable):
        return tables_of_runs(source)
    if isinstance(source, Scores):
        return [table_of_scores(source)]
    if isinstance(source, Mapping):
        from irev.scores.saved import is_score_mapping, table_of_score_mapping

        return [table_of_score_mapping(source, ranges)] if is_score_mapping(source) else []
    path = path_of(source)
    if path in ("", "-") or is_named_by_column(source):
        return []
    from irev.scores.saved import is_saved, read_saved

    return read_saved(path, ranges, columns) if is_saved(path, columns) else []


def set_table_bounds(table: ScoreTable, ranges: Sequence[MeasureRange]) -> ScoreTable:
    """The table, its measures with the ranges that somebody gave.

    Raises:
        MismatchError: a value outside.
    """
    if not ranges:
        return table
    columns = tuple(column_with_bounds(column, ranges) for column in table.columns)
    has_topic = np.array(
        [[topic not in run.missing for run in table.runs] for topic in table.topics]
    )
    for column, values in zip(columns, table.values, strict=True):
        low, high = column.bounds or (-np.inf, np.inf)
        values = put_on_bounds(values, (low, high))
        topics, runs = np.nonzero(has_topic & ((values < low) | (values > high)))
        if len(topics):
            raise MismatchError(
                f"{column.name} of {table.run_names[runs[0]]} on topic "
                f"{id_text(table.topics[topics[0]])} is {values[topics[0], runs[0]]:g}, outside "
                f"the bounds {low:g} to {high:g}"
            )
    return replace(table, columns=columns)


def join_measures(tables: Sequence[ScoreTable]) -> list[ScoreTable]:
    """Saved scores of one run under several measures, in a file for each, as one table."""
    by_run: dict[tuple[str, bytes], ScoreTable] = {}
    rest: list[ScoreTable] = []
    for table in tables:
        run = table.runs[0]
        key = (run.name, run.run_id)
        other = by_run.get(key)
        if other is None:
            by_run[key] = table
            continue
        first = other.runs[0]
        both_saved, in_two_files = first.is_saved and run.is_saved, first.path != run.path
        shared = {*other.measure_names} & {*table.measure_names}
        if both_saved and in_two_files and not shared and other.topics == table.topics:
            # in any order of the files
            digests = sorted(f"{each.sha256}\n" for each in (first, run))
            both = replace(first, sha256=sha256_of("".join(digests).encode()))
            by_run[key] = replace(
                other,
                runs=(both,),
                columns=(*other.columns, *table.columns),
                values=np.concatenate([other.values, table.values]),
            )
        else:
            rest.append(table)
    return [*by_run.values(), *rest]


def distinct_tables(
    tables: Sequence[ScoreTable], name_forms_by_input: Sequence[Sequence[str]]
) -> list[ScoreTable]:
    """The tables of single runs in the order of the runs' names, no two alike.

    Args:
        tables: those of single runs.
        name_forms_by_input: of each input what its run may be called, from short to long.
    """
    runs = [table.runs[0] for table in tables]
    runs_of_input = Counter(run.input_index for run in runs)
    ways = []
    for run in runs:
        longer = [name for name in name_forms_by_input[run.input_index] if name != run.name]
        if runs_of_input[run.input_index] > 1:  # a file of saved scores may hold several runs
            longer = [f"{name}:{run.name}" for name in name_forms_by_input[run.input_index]]
        ways.append([run.name, *longer])
    names = distinct_names(ways)
    for name, run in zip(names, runs, strict=True):
        if names.count(name) > 1:
            alike = [each.path for each, other in zip(runs, names, strict=True) if other == name]
            raise equal_names_error(run.name, alike[:2])
    renamed = [
        replace_run_info(table, name=name) for name, table in zip(names, tables, strict=True)
    ]
    return sorted(renamed, key=lambda table: table.runs[0].name)


class _ScoredTogether(NamedTuple):
    """Files of saved scores that share measures: their names, measures, and topics by run."""

    labels: set[str]
    measures: set[str]
    topics_of_run: dict[str, set[bytes]]

    def add(self, other: _ScoredTogether) -> None:
        """Take another's files, too."""
        self.labels.update(other.labels)
        self.measures.update(other.measures)
        for name, topics in other.topics_of_run.items():
            self.topics_of_run.setdefault(name, set()).update(topics)


def saved_score_gaps(tables: Sequence[ScoreTable], labels: Sequence[str]) -> list[str]:
    """What files of saved scores lack, a line each, that others have under other measures.

    Nothing where all files share measures, for then their runs stand beside each other.

    Args:
        tables: those of single runs, as they were read.
        labels: what messages call the inputs.
    """
    if not all(table.runs[0].is_saved for table in tables):
        return []
    parts: list[_ScoredTogether] = []
    for table in tables:
        run = table.runs[0]
        part = _ScoredTogether(
            {labels[run.input_index]}, {*table.measure_names}, {run.name: {*table.topics}}
        )
        alike = [each for each in parts if each.measures & part.measures]
        if not alike:
            parts.append(part)
            continue
        for other in (*alike[1:], part):
            alike[0].add(other)
        parts = [each for each in parts if not any(each is other for other in alike[1:])]
    names = [{*part.topics_of_run} for part in parts]
    # files of one run each, and none of them the same, are no parts of a whole
    if len(parts) < 2 or (not set.intersection(*names) and min(map(len, names)) < 2):
        return []
    whole = _ScoredTogether(set(), set(), {})
    for part in parts:
        whole.add(part)
    return [text for part in parts for text in _lacking_texts(part, whole.topics_of_run)]


def _lacking_texts(part: _ScoredTogether, topics_of_run: dict[str, set[bytes]]) -> Iterator[str]:
    """Which runs it lacks, and which topics of those that it has."""
    subject = f"{min(part.labels)} lacks"
    if len(part.labels) > 1:
        subject = f"the scores of {sorted(part.measures)[0]} lack"
    for text in lacking_texts(part.topics_of_run, topics_of_run):
        yield f"{subject} {text}"


def lacking_texts(
    own_topics_of_run: Mapping[str, set[bytes]], topics_of_run: Mapping[str, set[bytes]]
) -> Iterator[str]:
    """Which runs some scores lack of others, and which topics of those that both have."""
    runs = sorted(topics_of_run.keys() - own_topics_of_run.keys())
    if runs:
        yield shortened_list(runs, 10)
    shared = own_topics_of_run.keys() & topics_of_run.keys()
    runs_of_topic: dict[bytes, list[str]] = {}
    for name in shared:
        for topic in topics_of_run[name] - own_topics_of_run[name]:
            runs_of_topic.setdefault(topic, []).append(name)
    of_all = sorted(t for t, names in runs_of_topic.items() if len(names) == len(shared))
    if of_all:
        noun = "topic" if len(of_all) == 1 else "topics"
        yield f"{noun} {shortened_list(of_all, 10)}"
    of_some = [
        f"{id_text(topic)} of {shortened_list(sorted(names))}"
        for topic, names in sorted(runs_of_topic.items())
        if topic not in of_all
    ]
    if of_some:
        noun = "topic" if len(of_some) == 1 else "topics"
        yield f"{noun} {shortened_list(of_some, 10)}"


def is_comparable(column: Column) -> bool:
    """Whether the values by topic are numbers whose mean or sum is what is reported."""
    return column.per_topic and column.kind != "text" and column.average in ("mean", "sum")


def no_topics_message(columns: Iterable[Column]) -> str:
    """What to say of measures that are not comparable."""
    names = ", ".join(column.name for column in columns)
    return f"no measure with values by topic to compare runs by: {names}; name another, such as map"


LEFT_OUT = "left-out-measure"
"""The kind of warning of a measure that is not compared."""


def no_topic_values_warnings(requested_measures: object, options: Options) -> tuple[Notice, ...]:
    """A warning about measures without values by topic that were asked for by name.

    Those that only a set such as all_trec names are left out without a word.
    """
    names: list[str] = []
    for name in measure_names(requested_measures):
        try:
            requests = resolve_names([name], options, allow_unused_defaults=True)
        except UsageError:
            continue  # a column of saved scores may be called anything; else it is refused there
        columns = [each for it in requests for each in it.columns]
        if not any(map(is_comparable, columns)):
            names += [column.name for column in columns]
    if not names:
        return ()
    has, is_ = ("has", "is") if len(names) == 1 else ("have", "are")
    message = f"{', '.join(names)} {has} no values by topic to compare runs by, and {is_} left out"
    return (Notice(LEFT_OUT, message),)


def shared_columns(
    tables: Sequence[ScoreTable],
    measures: Sequence[str],
    evaluated: tuple[Column, ...] | None,
    options: Options,
    gaps: Sequence[str] = (),
) -> tuple[Column, ...]:
    """The measures that all runs have: those that were asked for, or all of saved scores.

    `gaps` say what files lack: why a measure is not of all runs.
    """
    requested: list[Column] = []
    if evaluated is not None:
        requested = [evaluated[at] for at in asked_order(evaluated)]
    elif measures:
        for name in measures:
            there = [*matching_columns(name, tables[0].columns, options)]
            if not there:  # what is lacking is said with the name that it would have
                known = resolve_names([name], options, allow_unused_defaults=True)
                there = [column for request in known for column in request.columns]
            requested += there
        requested = list(dict.fromkeys(requested))
    else:
        requested = [*tables[0].columns]
    usable = [column for column in requested if is_comparable(column)]
    if not usable:
        raise UsageError(no_topics_message(requested))
    for table in tables:
        places = column_positions(usable, table.columns)
        present = [column for column, at in zip(usable, places, strict=True) if at is not None]
        if len(present) < len(usable) and (measures or evaluated):
            lacking = next(column.name for column in usable if column not in present)
            raise UsageError(
                f"{table.runs[0].path or table.runs[0].name} has no {lacking}: it has "
                f"{'; '.join([', '.join(column.name for column in table.columns[:8]), *gaps])}"
            )
        usable = present
    if not usable:
        reason = f": {'; '.join(gaps)}" if gaps else ""
        raise UsageError(f"the saved scores have no measure in common{reason}")
    return tuple(usable)


def measures_of_some_runs_warnings(
    tables: Sequence[ScoreTable], columns: Sequence[Column], gaps: Sequence[str]
) -> Iterator[Notice]:
    """A warning of measures of saved scores that are left out since files lack something."""
    names = [name for table in tables for name in table.measure_names]
    left_out = [name for name in dict.fromkeys(names) if name not in {c.name for c in columns}]
    if gaps and left_out:
        is_ = "is" if len(left_out) == 1 else "are"
        yield Notice(
            LEFT_OUT,
            f"{shortened_list(left_out)} {is_} left out, since not all runs have it: "
            f"{'; '.join(gaps)}",
        )


def align_topics(
    tables: Sequence[ScoreTable], columns: tuple[Column, ...], options: Options
) -> ScoreTable:
    """All on the same topics, 0 where a run has none, with notes on the topics that this took."""
    notices: list[Notice] = []
    topics_of_run = [set(table.topics) - set(table.runs[0].missing) for table in tables]
    topics = sorted(_topics_of_scored_else_saved_runs(tables, options, notices))
    left_out: list[bytes] = []
    if options.topics == "both":
        common = set.intersection(*topics_of_run)
        judged = {*topics, *(topic for table in tables for topic in table.left_out)}
        left_out, topics = sorted(judged - common), sorted(common)
        if left_out:
            text = (
                f"{len(left_out)} of {count_text(len(judged), 'judged topic')} left out, because "
                f"some runs lack them: {list_beginning(left_out)}"
            )
            notices.append(note(text))
    if not topics:
        raise MismatchError("the runs have no topic in common")
    runs = [
        replace(
            table.runs[0],
            missing=tuple(topic for topic in topics if topic not in own_topics),
            left_out=tuple(topic for topic in left_out if topic not in own_topics),
        )
        for table, own_topics in zip(tables, topics_of_run, strict=True)
    ]
    values = stack_values(tables, columns, topics)
    for column, column_values in zip(columns, values, strict=True):
        column_values[:] = put_on_bounds(column_values, bounds_of(column))
    policy: TopicPolicy = "common" if options.topics == "both" else "judged"
    return ScoreTable(
        tuple(topics),
        tuple(runs),
        columns,
        values,
        topic_policy=policy,
        warnings=tuple(notices),
    )


def stack_values(
    run_tables: Sequence[ScoreTable],
    columns: Sequence[Column],
    topics: Sequence[bytes],
    values_if_missing: MeasuresByTopics | None = None,
) -> MeasuresByTopicsByRuns:
    """The values of tables of one run; where a run has none `values_if_missing`, or 0.

    All tables have the columns; their other topics are left out.
    """
    row_of = {topic: row for row, topic in enumerate(topics)}
    values = np.zeros((len(columns), len(topics), len(run_tables)))
    if values_if_missing is not None:
        values[:] = values_if_missing[:, :, None]
    for index, table in enumerate(run_tables):
        picks = [at for at in column_positions(columns, table.columns) if at is not None]
        own_rows = [row for row, topic in enumerate(table.topics) if topic in row_of]
        rows = [row_of[table.topics[row]] for row in own_rows]
        values[:, rows, index] = table.values[np.ix_(picks, own_rows, [0])][:, :, 0]
    return values


def _topics_of_scored_else_saved_runs(
    tables: Sequence[ScoreTable], options: Options, notices_to_extend: list[Notice]
) -> set[bytes]:
    """The topics that count: those of the runs that were scored; of saved scores alone, of all.

    Where topics are listed, these alone.
    """
    scored = [table for table in tables if not table.runs[0].is_saved]
    counted = {t for each in scored or tables for t in (*each.topics, *each.runs[0].missing)}
    counted = listed_topics_or_all(counted, options, may_be_absent=bool(scored))
    for table in tables:
        path = table.runs[0].path
        more = sorted({*table.topics, *table.runs[0].missing} - counted)
        if not more:
            continue
        if options.topics == "qrels" and options.no_relevant != "skip":
            raise MismatchError(
                f"{path} cannot be compared: {len(more)} of its topics are not judged: "
                f"{list_beginning(more)}"
            )
        text = f"{path}: {count_that_is(len(more), 'topic')} left out: {list_beginning(more)}"
        notices_to_extend.append(note(text))
    return counted


def listed_topics_or_all(
    topics: Collection[bytes], options: Options, *, may_be_absent: bool = False
) -> set[bytes]:
    """Of the topics of scores those that the options list; where they list none, all.

    Raises:
        MismatchError: one is listed that no scores have, unless it `may_be_absent`, as one without
            a relevant document may from runs that are scored.
    """
    listed = options.read_topic_list().listed_topics
    if listed is None:
        return set(topics)
    listed_ids = set(map(as_bytes, listed))
    absent = sorted(listed_ids.difference(topics))
    if absent and not may_be_absent:
        raise MismatchError(f"the scores have no topic {shortened_list(absent, 10)}")
    return listed_ids.intersection(topics)


def drop_or_refuse_undefined_topics(table: ScoreTable, may_drop: bool) -> ScoreTable:
    """Without topics on which some score is no finite number, with a note of it."""
    finite = np.abs(table.values) < LARGEST
    if finite.all():
        return table
    measure, topic, run = (int(indices[0]) for indices in np.nonzero(~finite))
    problem = (
        "too large a number"
        if np.isfinite(table.values[measure, topic, run])
        else ("not a finite number")
    )
    where = (
        f"{table.measure_names[measure]} of {table.run_names[run]} is {problem} "
        f"on topic {id_text(table.topics[topic])}"
    )
    is_defined: Bools = np.all(finite, axis=(0, 2))
    if not may_drop:
        raise MismatchError(f"{where}; --nan drop-topic leaves out such topics for all runs")
    if not is_defined.any():
        raise MismatchError(f"no topic is left: {where}")
    text = f"{count_that_is(int((~is_defined).sum()), 'topic')} left out for all runs: {where}"
    selected = replace(table.select_topics(is_defined), warnings=(*table.warnings, note(text)))
    if table.counts_missing_as_zero:
        return selected
    # a topic without a score counts for no run, like one that a run lacks
    runs = [
        replace(run, left_out=tuple(sorted({*run.left_out, *compress(table.topics, undefined)})))
        for run, undefined in zip(table.runs, ~np.all(finite, axis=0).T, strict=True)
    ]
    return replace(selected, runs=tuple(runs))


def add_weights(table: ScoreTable, options: Options) -> ScoreTable:
    """With the weights of the topics that the options have."""
    if options.weights is None:
        return table
    from irev.read.topic_files import load_weights

    weights = load_weights(options.weights).weights_of(table.topics)
    if not weights.any():
        raise MismatchError("all topics have the weight 0")
    return replace(table, weights=weights)


def add_classes(table: ScoreTable, options: Options) -> ScoreTable:
    """With the classes of topics that the options have, and notes on what is odd about them."""
    if options.classes is None:
        return table
    from irev.read.topic_files import load_classes

    classes = load_classes(options.classes)
    members = {
        name: np.array([topic in classes.members[name] for topic in table.topics])
        for name in classes.names
    }
    notices = [
        note(f"the class {name} has none of the topics")
        for name, mask in members.items()
        if not mask.any()
    ]
    without = len(classes.unclassified_topics(table.topics))
    if without:
        notices.append(note(f"{count_that_is(without, 'topic')} in no class"))
    present = {name: mask for name, mask in members.items() if mask.any()}
    return replace(table, classes=present, warnings=(*table.warnings, *notices))


# --- Values as z scores: how far from a reference's mean, in its standard deviations ---
# A z file says, for each topic and printed measure name, the mean and the standard deviation of a
# set of reference runs: `TOPIC NAME MEAN SD`, one entry a line.


MISSING = -1000000.0
"""The z score of a value without an entry, and of one that differs from a mean without spread."""


Entry = tuple[float, float]
"""Mean and standard deviation."""


@record(eq=True)
class ZScores:
    """The reference: topic -> printed measure name -> (mean, standard deviation); its hash."""

    entries: Mapping[bytes, Mapping[bytes, Entry]]
    sha256: str | None = None

    def apply(self, scores: Scores) -> Scores:
        """The same scores, every per-topic value v as (v - mean) / sd.

        Without an entry the z score is -1000000. Where sd is 0 it is 0 for v equal to the mean and
        -1000000 for any other v. Geometric columns hold logs, so that the reference must too.
        Counts over all topics (`num_q`; `num_rel` where every judged topic counts) stay as they
        are; texts do too. The columns get their printed names, with a Z in front.

        Source: trec_eval 10, option -Z.
        """
        values = scores.values.copy()
        columns = [*scores.columns]
        for index, column in enumerate(scores.columns):
            if column.kind == "text" or column.average == "run":
                continue
            columns[index] = replace(column, name=f"Z{column.name}", kind="real")
            if column.average != "topics":
                values[:, index] = self._z_scores(scores.topics, column.name, values[:, index])
        signature = scores.signature
        if signature is not None:
            signature = replace(signature, files={**signature.files, "zscores": self.sha256})
        return replace(
            scores,
            signature=signature,
            columns=tuple(columns),
            values=values,
            totals={f"Z{name}": total for name, total in scores.totals.items()},
        )

    def _z_scores(self, topics: Sequence[bytes], name: str, values: TopicValues) -> TopicValues:
        key = name.encode()
        pairs = [self.entries.get(topic, {}).get(key) for topic in topics]
        result = np.full(len(topics), MISSING)
        with np.errstate(invalid="ignore", over="ignore"):
            for row, pair in enumerate(pairs):
                if pair is None:
                    continue
                mean, deviation = pair
                if deviation != 0:
                    result[row] = (values[row] - mean) / deviation
                elif values[row] == mean:
                    result[row] = 0.0
        return result


def read_zscores(path: str) -> ZScores:
    """Read a z file; blank lines and lines that begin with `#` are skipped."""
    by_topic: dict[bytes, list[tuple[bytes, Entry]]] = {}
    text = read_all(path)

    def take_entry(fields: list[bytes]) -> str:
        if len(fields) != 4:
            return f"{count_text(len(fields), 'field')}, expected 4"
        mean, deviation = map(parse_c_number, fields[2:])
        if mean is None or deviation is None:
            noun, field = ("mean", fields[2]) if mean is None else ("standard deviation", fields[3])
            return f"the {noun} '{id_text(field)}' is not a number"
        by_topic.setdefault(fields[0], []).append((fields[1], (mean, deviation)))
        return ""

    hint = "a line is: TOPIC NAME MEAN STANDARD-DEVIATION"
    take_lines(path, text, take_entry, "z score", hint)
    entries_by_topic: dict[bytes, dict[bytes, Entry]] = {}
    for topic, entries in by_topic.items():
        entries.sort(key=lambda entry: entry[0])
        own = entries_by_topic[topic] = dict(entries)
        if len(own) < len(entries):  # of several for one name the one that halving the list hits
            names = [name for name, _ in entries]
            own.update({name: entries[_index_by_halving(names, name)][1] for name in own})
    return ZScores(entries_by_topic, sha256_of(text))


def _index_by_halving(names: list[bytes], present_name: bytes) -> int:
    low, high = 0, len(names)
    while True:
        middle = (low + high) // 2
        if names[middle] == present_name:
            return middle
        if names[middle] < present_name:
            low = middle + 1
        else:
            high = middle - 1
