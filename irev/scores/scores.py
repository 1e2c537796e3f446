"""The scores of a run: topics x columns, their summaries, and the account of the topics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from irev.core.arrays import (
    Bools,
    Bytes,
    Floats,
    Ints,
    TopicValues,
    Words,
    column_sums,
    segment_sums,
)
from irev.core.job import Displayed, Drawable, HasPaperTable
from irev.core.judged import SMALLEST_MEAN_FACTOR, Column, asked_order
from irev.core.packages import need_packages
from irev.core.record import cached_property, record
from irev.core.text import (
    as_bytes,
    as_text,
    count_text,
    escape_non_utf8,
    list_beginning,
    pattern,
    shortened_list,
)
from irev.errors import Notice, UsageError, id_text
from irev.options import Options

if TYPE_CHECKING:
    import pandas as pd

    from irev.core.option_values import TopicClasses
    from irev.rank.ties import TieAccount
    from irev.scores.signature import Signature


_MOST_IN_REPR = 3

LARGEST_ERROR = 0.5
"""The largest standard deviation of a value in [0, 1]."""

SUMMARY = "all"
"""What stands in the place of a topic for the summary over all topics."""


@record(eq=True)
class Account:
    """Which topics a result covers; ids in byte order."""

    missing: tuple[bytes, ...] = ()
    """In the qrels, not in the run, where that is no right answer."""
    unjudged: tuple[bytes, ...] = ()
    """In the run, not in the qrels."""
    without_relevant: tuple[bytes, ...] = ()
    """Evaluated, though the qrels hold no relevant document for them."""
    rightly_empty: tuple[bytes, ...] | None = None
    """Those of them for which the run retrieved nothing, where that is the right answer
    (`no_relevant="answer"`); None: it is not asked for."""
    skipped: tuple[bytes, ...] = ()
    """Left out of the average by the choice of topics."""
    repeats: tuple[tuple[bytes, int], ...] = ()
    """Topics of the run with repeated documents, each with how many lines were left out of it."""
    num_excluded: int = 0
    """How many documents were left out of the run by choice before ranks were counted."""

    @property
    def duplicates(self) -> int:
        """How many lines of the run were left out since they repeat a document of their topic."""
        return sum(count for _, count in self.repeats)

    def subset(self, topics: frozenset[bytes]) -> Account:
        """The part of it that concerns some topics; `num_excluded` is not known by topic."""

        def only_these(ids: tuple[bytes, ...]) -> tuple[bytes, ...]:
            return tuple(topic for topic in ids if topic in topics)

        return Account(
            only_these(self.missing),
            only_these(self.unjudged),
            only_these(self.without_relevant),
            None if self.rightly_empty is None else only_these(self.rightly_empty),
            only_these(self.skipped),
            tuple(item for item in self.repeats if item[0] in topics),
        )


@record
class SummaryBasis:
    """What summaries by classes or weights of topics stand on.

    topics   D ids, in byte order: those that means divide by
    num_rel  float64[D], how many relevant documents each has
    weights  float64[D]; None: all count the same
    classes  the classes that summaries are formed for; None: there are none
    unknown  topics of the classes that are neither judged nor in the run
    outside  the topics that means divide by that stand in no class
    """

    topics: tuple[bytes, ...]
    num_rel: Floats
    weights: Floats | None = None
    classes: TopicClasses | None = None
    unknown: tuple[bytes, ...] = ()
    outside: tuple[bytes, ...] = ()

    def subset(self, topics: frozenset[bytes]) -> SummaryBasis:
        """That of some of the topics, without classes."""
        rows = [row for row, topic in enumerate(self.topics) if topic in topics]
        weights = None if self.weights is None else self.weights[rows]
        return SummaryBasis(tuple(self.topics[row] for row in rows), self.num_rel[rows], weights)


@record
class Evaluation:
    """How scores came about, as far as they know it without a hash of the run.

    options  the choices
    topics   those of the judgments
    grades, num_judged  float64[L], int64[L], the grades in each topic, and how many documents have
             each of them or one that stands before it
    qrels_sha256  the hash of the judgments, where it was taken
    """

    options: Options
    topics: Sequence[bytes]
    grades: Floats
    num_judged: Ints
    qrels_sha256: str | None = None

    def has_judgments_of(self, other: Evaluation) -> bool:
        """Whether both are by judgments with the same topics and numbers of documents by grade."""
        return self is other or (
            self.topics == other.topics
            and np.array_equal(self.grades, other.grades)
            and np.array_equal(self.num_judged, other.num_judged)
        )


@record
class Scores(Displayed, Drawable, HasPaperTable):
    """The scores of a run, topics x columns, and what a reader must know about them.

    `scores["map"]` is the mean (or other summary) of a measure under any of its names,
    `scores["map", "301"]` the value of a topic, `scores.by_topic("map")` those of all topics, and
    `scores.to_frame()` a pandas frame of everything by topic. `print` and notebooks show
    a table of the summary.

    run_id    the tag of the run's last line
    topics    T ids, in byte order
    columns   C columns, in the order of trec_eval's output; `asked_order` gives that of the names
    values    float64[T, C]; geometric columns hold logs; columns of texts hold 0
    texts     column index -> T strings, for the columns of kind "text" that have per-topic values
    divisor   how many topics a mean divides by; topics without a row count as 0
    totals    column name -> summary, where it is not formed from the rows
    account   which topics were left out, and why
    basis     what summaries by classes or weights of topics stand on, where there are any
    ties      how many ties there are, where several orders of them were looked at
    signature what makes them reproducible, where it was asked for
    topic_class  the class of topics that these are the scores of; None: all of them
    notices   what makes them doubtful
    name      what the run was called by whoever evaluated several; else empty
    estimates how the scores were estimated, where people judged a sample of the documents
    first_documents  those of the run; None: nobody looked
    evaluation  how they came about, where they were not read
    """

    run_id: bytes
    topics: tuple[bytes, ...]
    columns: tuple[Column, ...]
    values: Floats
    texts: dict[int, list[bytes]]
    divisor: int
    totals: dict[str, float]
    account: Account
    basis: SummaryBasis | None = None
    ties: TieAccount | None = None
    signature: Signature | None = None
    topic_class: str | None = None
    notices: tuple[Notice, ...] = ()
    name: str = ""
    estimates: RunEstimates | None = None
    first_documents: RunFirstDocuments | None = None
    evaluation: Evaluation | None = None

    shown_by: ClassVar[str] = "irev.writers.scores:run_scores_document"
    folded_by: ClassVar[str] = "irev.writers.scores:titled_topic_documents"
    paper_by: ClassVar[str] = "irev.writers.scores:run_paper_document"

    def __repr__(self) -> str:
        counts = {column.name for column in self.columns if column.kind == "count"}
        shown_values = islice(self.summary().items(), _MOST_IN_REPR + 1)
        values = [f"{n} {v:.{0 if n in counts else 4}f}" for n, v in shown_values]
        whose = id_text(as_bytes(self.run_name))
        more = ", ..." if len(values) > _MOST_IN_REPR else ""
        values = values[:_MOST_IN_REPR]
        return (
            f"<Scores of {whose} over {count_text(self.divisor, 'topic')}: "
            f"{', '.join(values)}{more}>"
        )

    @property
    def run_name(self) -> str:
        """The name of the run: the one it was given, else its tag, else "run"."""
        return self.name or as_text(self.run_id) or "run"

    def __getitem__(self, name: str | tuple[str, str | bytes | int]) -> float:
        """The summary of a measure, `["map"]`, or the value of a topic, `["map", "301"]`.

        A name is understood as `evaluate` understands it: `["ndcg@10"]` finds `ndcg_cut_10`.

        Raises:
            UsageError: the scores have no such measure, or it has no such value.
            KeyError: there is no such topic.
        """
        if isinstance(name, tuple) and len(name) == 2:
            measure, topic = name
            values = self._topic_values(measure)
            topic_id = as_bytes(topic if isinstance(topic, str | bytes) else str(topic))
            if topic_id not in self.topics:
                raise KeyError(self._no_topic_message(topic_id, measure))
            return values[self.topics.index(topic_id)]
        if not isinstance(name, str):
            raise UsageError(f"write scores['map'] or scores['map', 'TOPIC'], not {name!r}")
        index = self._column_index(name)
        value = self.summary_of(index)
        if value is None:
            raise UsageError(f"{self.columns[index].name} has no summary: use by_topic({name!r})")
        if isinstance(value, bytes):
            raise UsageError(f"{name} is text, not a number: use scores.run_id")
        return value

    def _no_topic_message(self, topic_id: bytes, measure: str) -> str:
        """Why there is no value of a topic, and which topics there are."""
        name, topics = as_text(topic_id), [*map(as_text, self.topics)]
        if topic_id in self.account.unjudged:
            return f"topic {name!r} is not judged"
        if topic_id in self.account.missing:
            return f"the run has nothing for topic {name!r}, which does not count here"
        if topic_id in self.account.skipped:
            return f"topic {name!r} was left out by choice"
        from difflib import get_close_matches

        near = get_close_matches(name, topics, 3)
        if near:
            return f"there is no topic {name!r}; did you mean {' or '.join(map(repr, near))}?"
        listed = shortened_list(topics)
        return f"there is no topic {name!r}; scores.by_topic({measure!r}) has {listed}"

    def __iter__(self) -> Iterator[str]:
        """The printed names of the measures that have a summary, so that `dict(scores)` works."""
        return iter(self.summary())

    def keys(self) -> list[str]:
        """The printed names of the measures that have a summary, in the order asked for."""
        return list(self.summary())

    def __contains__(self, name: object) -> bool:
        """Whether the scores have a measure, under any of its names."""
        try:
            self._column_index(str(name))
        except UsageError:
            return False
        return True

    def by_topic(self, measure: str) -> dict[str, float]:
        """The values of a measure by topic: {"301": 0.25, "302": 0.5}.

        Raises:
            UsageError: the scores have no such measure, or it has no values by topic.
        """
        return dict(zip(map(as_text, self.topics), self._topic_values(measure), strict=True))

    def text_by_topic(self, measure: str) -> dict[str, str]:
        """The texts of a measure that gives texts, such as relstring, by topic.

        Raises:
            UsageError: the scores have no such measure, or it gives numbers.
        """
        index = self._column_index(measure)
        if index not in self.texts:
            raise UsageError(f"{measure} gives no texts by topic")
        return dict(zip(map(as_text, self.topics), map(as_text, self.texts[index]), strict=True))

    def _topic_values(self, measure: str) -> list[float]:
        index = self._column_index(measure)
        column = self.columns[index]
        if index in self.texts:
            raise UsageError(f"{column.name} gives texts: use text_by_topic({measure!r})")
        if not column.per_topic:
            raise UsageError(f"{column.name} has no values by topic")
        values: list[float] = self.values[:, index].tolist()
        return values

    def _column_index(self, measure: str) -> int:
        """The column that a name stands for, under any spelling."""
        from irev.measures.naming.resolve import matching_columns

        try:
            named = matching_columns(measure, self.columns)
        except UsageError:
            if as_bytes(measure) not in self.topics:
                raise
            first = self._numeric_columns[0].name if self._numeric_columns else "MEASURE"
            raise UsageError(
                f"{measure!r} is a topic: name the measure first, scores[{first!r}, {measure!r}]"
            ) from None
        names = ", ".join(each.name for each in named or self._numeric_columns)
        if len(named) > 1:
            raise UsageError(f"{measure!r} names several measures: choose one of {names}")
        if not named:
            raise UsageError(f"{measure!r} was not evaluated: the scores have {names}")
        return self.columns.index(named[0])

    @property
    def _numeric_columns(self) -> list[Column]:
        """The columns of numbers, in the order asked for."""
        columns = [self.columns[index] for index in asked_order(self.columns)]
        return [column for column in columns if column.kind != "text"]

    @property
    def left_out(self) -> tuple[bytes, ...]:
        """The judged topics that the run lacks and that the averages do not count."""
        if not self.account.missing or self.divisor > len(self.topics):
            return ()
        counted = set(self.topics)
        return tuple(topic for topic in self.account.missing if topic not in counted)

    @cached_property
    def weights(self) -> TopicValues | None:
        """float64[T]: the weight of each topic; None where all count the same."""
        if self.basis is None or self.basis.weights is None:
            return None
        weight_of = dict(zip(self.basis.topics, self.basis.weights.tolist(), strict=True))
        return np.array([weight_of[topic] for topic in self.topics], np.float64)

    @property
    def summary_label(self) -> str:
        """The label of a summary, in the place of a topic.

        `all`; `all[CLASS]`, `all[weighted]` or `all[CLASS,weighted]`, so a number under the
        plain label is always a plain mean over all topics.
        """
        is_weighted = self.basis is not None and self.basis.weights is not None
        parts = [
            *([] if self.topic_class is None else [self.topic_class]),
            *(["weighted"] if is_weighted else []),
        ]
        return f"{SUMMARY}[{','.join(parts)}]" if parts else SUMMARY

    def class_scores(self, name: str) -> Scores:
        """The scores of a class of topics, with a divisor and totals of its own.

        Raises:
            KeyError: there is no such class.
        """
        if self.basis is None or self.basis.classes is None:
            raise KeyError(name)
        members = self.basis.classes.members[name]
        rows = [row for row, topic in enumerate(self.topics) if topic in members]
        basis = self.basis.subset(members)
        num_rel = float(np.cumsum(basis.num_rel)[-1]) if len(basis.topics) else 0.0
        signature = self.signature
        if signature is not None:
            options = {**signature.options, "class": name}
            signature = replace(signature, options=options, divisor=len(basis.topics))
        return replace(
            self,
            topics=tuple(self.topics[row] for row in rows),
            values=self.values[rows],
            texts={column: [texts[row] for row in rows] for column, texts in self.texts.items()},
            divisor=len(basis.topics),
            totals=dict.fromkeys(self.totals, num_rel),  # num_rel is the only total
            account=self.account.subset(members),
            ties=None,
            signature=signature,
            basis=basis,
            topic_class=name,
        )

    def summarised_scores(self) -> Iterator[Scores]:
        """All scores that have a summary: these, then those of each class."""
        yield self
        if self.basis is not None and self.basis.classes is not None:
            yield from map(self.class_scores, self.basis.classes.names)

    def summary_of(self, column: int) -> float | bytes | None:
        """The `all` value of a column; None where it has none.

        Sums run over the topics in byte order, so that they do not depend on the files' order.
        """
        # the kinds of average are those of `measures.describe.AVERAGES`
        described = self.columns[column]
        if described.average == "run":
            return self.run_id
        if described.average == "topics":
            return float(self.divisor)
        if described.average == "none":
            return None
        weights, divisor = self.weights, self._summary_divisor
        if described.average == "error":
            return self._error_of_mean(self.values[:, column])
        if described.name in self.totals:
            return self.totals[described.name]
        if described.average == "sum":
            return self._sums[column] if weights is None else _ordered_sum(self.values[:, column])
        total = self._sums[column]
        if not divisor:
            return total
        if described.average == "geometric":
            rows = len(self.topics) if weights is None else _ordered_sum(weights)
            total += (divisor - rows) * math.log(SMALLEST_MEAN_FACTOR)
            return math.exp(total / divisor)
        return total / divisor

    def _error_of_mean(self, errors: Floats) -> float:
        """The standard error of a mean of independent values, given that of each; NaN: not known.

        A topic whose error is not known counts with the most that is possible. A mean of which most
        topics are such has no error.
        """
        is_unknown = np.isnan(errors)
        if 2 * np.count_nonzero(is_unknown) > self.divisor:
            return math.nan
        divisor = self._summary_divisor
        if not divisor:
            return 0.0
        errors = np.where(is_unknown, LARGEST_ERROR, errors)
        squares = errors**2 if self.weights is None else (self.weights * errors) ** 2
        return math.sqrt(_ordered_sum(squares)) / divisor

    @cached_property
    def _sums(self) -> list[float]:
        """The sum of each column, by the weights of the topics; from left to right."""
        values, weights = self.values, self.weights
        if not len(values):
            return [0.0] * len(self.columns)
        if len(values) == 1 and weights is None:
            only: list[float] = values[0].tolist()
            return only
        with np.errstate(invalid="ignore"):  # infinite values have no sum, which is no fault
            if weights is not None:
                values = weights[:, None] * values
            sums: list[float] = column_sums(values).tolist()
        return sums

    @property
    def _summary_divisor(self) -> float:
        """What means divide by: the number of topics or the sum of their weights."""
        if self.basis is None or self.basis.weights is None:
            return self.divisor
        return _ordered_sum(self.basis.weights)

    def summaries(self) -> Iterator[tuple[Column, float | bytes]]:
        """Each column that has a summary, with it, in order."""
        for at, about in enumerate(self.columns):
            value = self.summary_of(at)
            if value is not None:
                yield about, value

    def summary(self) -> dict[str, float]:
        """The summary by printed name: {"map": 0.25, "num_q": 50.0}."""
        values = {column.name: value for column, value in self.summaries()}
        return {
            column.name: value
            for column in self._numeric_columns
            if isinstance(value := values.get(column.name), float)
        }

    def per_topic(self) -> dict[str, dict[str, float]]:
        """The values of each topic by printed name: {"301": {"map": 0.25, "num_ret": 1000.0}}.

        Columns that exist only in the summary (num_q, gm_map, ...) are left out.
        """
        columns = self._topic_columns
        names = [column.name for column in columns]
        rows = self.values[:, [self.columns.index(column) for column in columns]].tolist()
        return {
            as_text(topic): dict(zip(names, row, strict=True))
            for topic, row in zip(self.topics, rows, strict=True)
        }

    @property
    def _topic_columns(self) -> list[Column]:
        return [column for column in self._numeric_columns if column.per_topic]

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """What `--format json` holds of the means; `flat`: means alone, as logs take them.

        `mlflow.log_metrics(scores.to_dict(flat=True))` logs {"map": 0.35, "ndcg_at_10": 0.58}.

        Args:
            flat: only names and numbers; `@` is `_at_`, other characters that MLflow refuses are
                `_`, and what is no finite number is left out.

        Raises:
            UsageError: two names are rewritten to one.
        """
        if flat:
            return flat_summary({self.run_name: self.summary()}, several_runs=False)
        data: dict[str, Any] = self.document.data()
        return data

    def to_frame(self, *, long: bool = True) -> pd.DataFrame:
        """All values by topic as a pandas frame.

        Args:
            long: a row for each value, with the columns run, topic, measure and value; otherwise a
                row for each topic and a column for each measure.
        """
        need_packages("pandas")
        import pandas as pd

        columns = self._topic_columns
        names = [column.name for column in columns]
        values = self.values[:, [self.columns.index(column) for column in columns]]
        topics = [as_text(topic) for topic in self.topics]
        if not long:
            index = pd.Index(topics, name="topic", dtype=object)
            return pd.DataFrame(values, index=index, columns=names)
        count = len(topics)
        return pd.DataFrame(
            {
                "run": [self.run_name] * (count * len(names)),
                "topic": topics * len(names),
                "measure": [name for name in names for _ in range(count)],
                "value": values.T.ravel(),
            }
        )


def _ordered_sum(values: Floats) -> float:
    """The sum from left to right, in the order of the topics."""
    with np.errstate(invalid="ignore"):
        return float(values.cumsum()[-1]) if len(values) else 0.0


# --- How the scores of a run were estimated from a sample of the documents ---


@record
class RunEstimates:
    """The two judges behind the scores of a run: people on a sample of documents, a model on all.

    topics            T ids: all topics of the judgments, in byte order
    columns           the printed names of C measures
    weights           float64[C], lambda: how much the model counts; one for all runs
    values            float64[C, T], the estimates
    people            float64[C, T], the same by people's judgments alone
    model             float64[C, T], by the model's alone
    variances         float64[C, T], of the estimates over the samples of documents; of a ratio
                      those of its numerator
    people_variances  float64[C, T], likewise of `people`
    deviations        float64[C, D], of the errors of the model on the D documents drawn: those of a
                      difference of runs are the differences
    topic_of_drawn    int64[D]
    share_judged      which share of the first 10 documents people judged
    are_ratios        for each measure whether it is a ratio, which is biased and has no variance
    """

    topics: tuple[bytes, ...]
    columns: tuple[str, ...]
    weights: Floats
    values: Floats
    people: Floats
    model: Floats
    variances: Floats
    people_variances: Floats
    deviations: Floats
    topic_of_drawn: Ints
    share_judged: float
    are_ratios: tuple[bool, ...]

    def column_index(self, name: str) -> int:
        """Which of the measures is printed so."""
        return self.columns.index(name)

    def topic_indices(self, topics: Sequence[bytes]) -> Ints:
        """int64[]: the places of some of the topics."""
        place = {topic: index for index, topic in enumerate(self.topics)}
        return np.array([place[topic] for topic in topics], np.int64)

    def difference_variances(self, other: RunEstimates, name: str) -> Floats:
        """float64[T]: the variances of the differences from another run, of one measure."""
        column = self.column_index(name)
        apart = self.deviations[column] - other.deviations[other.column_index(name)]
        return segment_sums(self.topic_of_drawn, apart**2, len(self.topics))


# --- The first documents of a run with their grades, as they stand beside its scores ---


NUM_FIRST = 10
"""So many documents of each topic are looked at; texts call them "the first 10 documents"."""

NOT_JUDGED = "-"
"""In place of a grade."""


class RunFirstDocuments(NamedTuple):
    """The first documents of a run on all T topics that may be evaluated; of one it lacks none.

    topics        T ids, in byte order
    num_shown     uint8[T], how many there are, at most `NUM_FIRST`
    num_judged    uint8[T], how many of these have a grade
    is_tied       bool[T], whether equal scores stand on both sides of the last
    list_hashes   uint64[T], equal where the same documents stand in the same order
    documents     their ids, the first first; None: they were only counted
    grades        the grade of each, or `NOT_JUDGED`; None likewise
    """

    topics: tuple[bytes, ...]
    num_shown: Bytes
    num_judged: Bytes
    is_tied: Bools
    list_hashes: Words
    documents: tuple[tuple[str, ...], ...] | None = None
    grades: tuple[tuple[str, ...], ...] | None = None

    def values(self) -> list[Any]:
        """All but the topics, as a message holds it."""
        arrays = (self.num_shown, self.num_judged, self.is_tied, self.list_hashes)
        return [*(array.tobytes() for array in arrays), self.documents, self.grades]

    @classmethod
    def from_values(cls, topics: tuple[bytes, ...], values: Sequence[Any]) -> RunFirstDocuments:
        """The way back.

        Raises:
            ValueError: these are no such values.
        """
        types = (np.uint8, np.uint8, np.bool_, np.uint64)
        arrays: list[Any] = [
            np.frombuffer(each, kind) for each, kind in zip(values, types, strict=False)
        ]
        texts = [
            None if lists is None else tuple(tuple(map(str, texts)) for texts in lists)
            for lists in values[4:]
        ]
        if any(len(each) != len(topics) for each in (*arrays, *filter(None, texts))):
            raise ValueError("not as many first documents as topics")
        return cls(topics, *arrays, *texts)


# --- Warnings that runs lack judged topics: the words of all jobs ---


MISSING_TOPIC = "unretrieved-topic"
"""The kind of these warnings."""

COUNTED_AS_0, _ONE_COUNTED_AS_0 = "which count as 0", "which counts as 0"
"""What becomes of the topics that a run lacks, where nothing else is said; and of one."""


def missing_topic_warnings(
    missing_by_run: Mapping[str, Sequence[bytes]],
    num_topics: int | None = None,
    consequence: str = COUNTED_AS_0,
) -> tuple[Notice, ...]:
    """A warning for each run that lacks judged topics.

    Args:
        missing_by_run: run -> the judged topics that it lacks.
        num_topics: how many judged topics there are; None: it is not said.
        consequence: what becomes of the topics.
    """
    notices = []
    for run, missing in missing_by_run.items():
        if missing:
            lacks = count_text(len(missing), "judged topic")
            if num_topics is not None:
                lacks = f"{len(missing)} of {count_text(num_topics, 'judged topic')}"
            is_one = len(missing) == 1 and consequence == COUNTED_AS_0
            what = _ONE_COUNTED_AS_0 if is_one else consequence
            message = f"{run} lacks {lacks}, {what}: {list_beginning(missing)}"
            notices.append(Notice(MISSING_TOPIC, message))
    return tuple(notices)


# --- Means under flat names, as the logs of experiments take them: {"bm25/ndcg_at_10": 0.58} ---
# MLflow allows letters, digits, `_`, `-`, `.`, blanks and `/` in the key of a metric, and a key
# that is no path to another (`a//b`, `../a`). Weights & Biases groups charts by what stands before
# `/`.


_NOT_ALLOWED = r"[^0-9A-Za-z_.\- ]+"


def flat_name(name: str) -> str:
    """A name of a run or of a measure as part of a key: `nDCG(b=2)@10` is `nDCG_b_2_at_10`.

    `@` is `_at_`; other characters that MLflow does not allow, and `/`, are one `_` together, none
    at the ends and none beside `_at_`. A name of periods alone is made of `_`.
    """
    parts = [
        pattern(_NOT_ALLOWED).sub("_", part).strip("_ ")
        for part in escape_non_utf8(name).split("@")
    ]
    flat = "_at_".join(parts)
    return flat if flat.strip(".") else "_" * max(1, len(flat))


def flat_summary(
    summary_by_run: Mapping[str, Mapping[str, float]], *, several_runs: bool
) -> dict[str, float]:
    """Means under `MEASURE`, or under `RUN/MEASURE` of several runs.

    What is no finite number is left out: a log cannot draw it, and JSON cannot hold it.

    Raises:
        UsageError: two names are rewritten to one.
    """
    flat: dict[str, float] = {}
    names: dict[str, str] = {}
    for run, summary in summary_by_run.items():
        prefix = f"{flat_name(run)}/" if several_runs else ""
        for measure, value in summary.items():
            key = f"{prefix}{flat_name(measure)}"
            name = f"{run}/{measure}" if several_runs else measure
            if key in names:
                raise UsageError(
                    f"{names[key]} and {name} are both {key} as keys of a log: leave one out, or "
                    "rename a run"
                )
            names[key] = name
            if math.isfinite(value):
                flat[key] = float(value)
    return flat
