"""The table of scores: runs x topics x measures on the same topics, and what is known of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np

from irev.core.arrays import (
    Bools,
    Floats,
    MeasuresByTopicsByRuns,
    RunValues,
    TopicMask,
    TopicsByRuns,
    column_means,
)
from irev.core.job import Displayed, Drawable, HasPaperTable
from irev.core.judged import Column
from irev.core.packages import need_packages
from irev.core.record import cached_property, record
from irev.core.text import as_text, count_text, shortened_list
from irev.errors import GENERAL_NOTE, IrevError, Notice, UsageError
from irev.read.inputs import path_forms
from irev.scores.scores import (
    MISSING_TOPIC,
    Account,
    Evaluation,
    RunEstimates,
    RunFirstDocuments,
    Scores,
    SummaryBasis,
    flat_summary,
    missing_topic_warnings,
)

if TYPE_CHECKING:
    import pandas as pd

    from irev.scores.signature import Signature


TopicPolicy = Literal["judged", "common", "own"]
"""Which topics a table's means are over: all judged ones, with a topic that a run lacks as an empty
ranking; those that all runs have; each run's own, as if it were evaluated alone."""


@record
class RunInfo:
    """One run of a table.

    name         what it is called, unlike any other
    path         where its scores come from
    run_id       its tag; empty where it is not known
    missing      judged topics that it lacks, in byte order
    duplicates   how many repeated documents were left out
    signature    how its scores came about; None where nothing is known
    sha256       of the file that saved scores were read from; None for a run
    is_saved     whether they were read, not worked out from a run: which topics are judged is not
                 known from them
    input_index  at which place among the inputs it was given, from 0
    num_unjudged_topics  its topics without judgments, which count nowhere
    estimates    how its scores were estimated, where people judged a sample of the documents
    note         what was written beside saved scores when they were made the baseline of a gate
    num_excluded  how many documents were left out of it by choice before ranks were counted
    first_documents  its first documents; None: nobody looked
    evaluation   how its scores came about, where they were not read
    left_out     judged topics that it lacks and that therefore count for no run
    judged_at_10  which share of its first 10 documents is judged, the mean of its judged topics;
                 None: nobody looked
    nothing_to_find  the topics for which it should retrieve nothing, and `rightly_empty` those for
                 which it does, where that counts (`no_relevant="answer"`)
    """

    name: str
    path: str
    run_id: bytes = b""
    missing: tuple[bytes, ...] = ()
    duplicates: int = 0
    signature: Signature | None = None
    sha256: str | None = None
    is_saved: bool = False
    input_index: int = 0
    num_unjudged_topics: int = 0
    estimates: RunEstimates | None = None
    note: str = ""
    num_excluded: int = 0
    first_documents: RunFirstDocuments | None = None
    evaluation: Evaluation | None = None
    left_out: tuple[bytes, ...] = ()
    judged_at_10: float | None = None
    nothing_to_find: tuple[bytes, ...] = ()
    rightly_empty: tuple[bytes, ...] = ()


@record
class ScoreTable(Displayed, Drawable, HasPaperTable):
    """The scores of S runs on T topics under C measures.

    `table["bm25"]` is the `Scores` of a run, `table["bm25", "map"]` one number, `table["map"]` the
    summary of a measure by run: {"bm25": 0.25, "rm3": 0.5}. `print` and notebooks show the
    summaries, `to_frame()` gives all values.

    topics        T ids, in byte order
    runs          S runs, in the order of their names
    columns       C measures, in the order they were asked for
    values        float64[C, T, S]; a judged topic that a run lacks has the score of an empty
                  ranking (0 in saved scores)
    weights       float64[T], where topics do not weigh the same
    classes       name -> bool[T], the topics of a class
    topic_policy  which topics means are over; "own" is what `evaluate` gives of several runs
    evaluated     under "own" the scores of each run as evaluated alone, by name
    broken        the inputs that could not be scored, each with what is wrong with it
    warnings      what makes scores doubtful, and notes, in the order they arose
    requested     the names of measures as they were asked for; none: nobody named any
    share_judged  which share of the first 10 documents is judged, the mean of the runs that were
                  scored; None where nobody asked
    """

    topics: tuple[bytes, ...]
    runs: tuple[RunInfo, ...]
    columns: tuple[Column, ...]
    values: MeasuresByTopicsByRuns
    weights: Floats | None = None
    classes: Mapping[str, Bools] | None = None
    topic_policy: TopicPolicy = "judged"
    evaluated: Mapping[str, Scores] | None = None
    broken: tuple[tuple[str, IrevError], ...] = ()
    warnings: tuple[Notice, ...] = ()
    requested: tuple[str, ...] = ()
    share_judged: float | None = None

    shown_by: ClassVar[str] = "irev.writers.scores:score_table_document"
    folded_by: ClassVar[str] = "irev.writers.scores:titled_topic_documents_of_runs"
    paper_by: ClassVar[str] = "irev.writers.scores:score_table_paper_document"

    def __repr__(self) -> str:
        return f"<Scores of {count_text(len(self.runs), 'run')}: {', '.join(self.run_names)}>"

    @property
    def run_names(self) -> tuple[str, ...]:
        """The names of the runs, in order."""
        return tuple(run.name for run in self.runs)

    @property
    def measure_names(self) -> tuple[str, ...]:
        """The printed names of the measures, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def is_estimated(self) -> bool:
        """Whether scores were estimated from a sample of documents and a model's judgments."""
        return any(run.estimates is not None for run in self.runs)

    @property
    def counts_missing_as_zero(self) -> bool:
        """Whether a judged topic that a run lacks counts as 0: not where only common ones count."""
        return self.topic_policy != "common"

    @property
    def left_out(self) -> tuple[bytes, ...]:
        """The judged topics that count for no run since one lacks them."""
        return tuple(sorted({topic for run in self.runs for topic in run.left_out}))

    @property
    def common_topics_text(self) -> str:
        """Over which topics means are where only those count that every run has; else nothing."""
        if self.counts_missing_as_zero:
            return ""
        num_topics, num_left_out = len(self.topics), len(self.left_out)
        topics = count_text(num_topics, "topic")
        if num_left_out:
            topics = f"{num_topics} of {count_text(num_topics + num_left_out, 'judged topic')}"
        return f"{topics}, those that every run has"

    @property
    def topics_text(self) -> str:
        """Over how many topics means are, and what becomes of those that a run lacks."""
        topics = (
            f"{count_text(len(self.topics), 'topic')}; a judged topic that a run lacks counts as 0"
        )
        return self.common_topics_text or topics

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes that stand with the result, a line each."""
        return tuple(str(warning) for warning in self.warnings if warning.kind == GENERAL_NOTE)

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """The other warnings: what makes the scores doubtful."""
        return tuple(warning for warning in self.warnings if warning.kind != GENERAL_NOTE)

    @property
    def missing_topic_warnings(self) -> tuple[Notice, ...]:
        """Those of these that say which judged topics a run lacks."""
        return tuple(warning for warning in self.warnings if warning.kind == MISSING_TOPIC)

    def warn_of_missing_topics(self) -> ScoreTable:
        """The same with a warning for each run that lacks judged topics, before the notes."""
        doubts = [warning for warning in self.doubts if warning.kind != MISSING_TOPIC]
        missing = missing_topic_warnings(
            {run.name: run.missing for run in self.runs}, len(self.topics)
        )
        notes = [warning for warning in self.warnings if warning.kind == GENERAL_NOTE]
        return replace(self, warnings=(*doubts, *missing, *notes))

    @overload
    def __getitem__(self, name: tuple[str, str]) -> float: ...
    @overload
    def __getitem__(self, name: str) -> Any: ...
    def __getitem__(self, name: str | tuple[str, str]) -> Any:
        """`[RUN]` is a `Scores`, `[RUN, MEASURE]` a number, `[MEASURE]` a mapping {run: number}.

        Raises:
            UsageError: there is no such run or measure, or the name is both.
        """
        if isinstance(name, tuple) and len(name) == 2:
            return self.run(name[0])[name[1]]
        if not isinstance(name, str):
            raise UsageError(
                f"write table[RUN], table[RUN, MEASURE] or table[MEASURE], not {name!r}"
            )
        is_run, is_measure = name in self.run_names, True
        try:
            self.column(name)
        except UsageError:
            is_measure = False
        if is_run and is_measure:
            raise UsageError(
                f"'{name}' is a run and a measure: write table.run({name!r}) or "
                f"table.by_run({name!r})"
            )
        if is_measure:
            return self.by_run(name)
        if is_run:
            return self.run(name)
        raise UsageError(
            f"'{name}' is no run and no measure of the table: runs are "
            f"{shortened_list(self.run_names, 8)}; measures are "
            f"{shortened_list(self.measure_names, 8)}"
        )

    def __iter__(self) -> Iterator[str]:
        """The names of the runs."""
        return iter(self.run_names)

    def __len__(self) -> int:
        return len(self.runs)

    def __contains__(self, name: object) -> bool:
        """Whether a run is called so."""
        return name in self.run_names

    def keys(self) -> tuple[str, ...]:
        """The names of the runs, so that `dict(table)` has the `Scores` of each."""
        return self.run_names

    def items(self) -> Iterator[tuple[str, Scores]]:
        """The name and the `Scores` of each run."""
        return ((name, self.run(name)) for name in self.run_names)

    def run(self, name: str) -> Scores:
        """The `Scores` of a run, by its name.

        Raises:
            UsageError: no run is called so.
        """
        if self.evaluated is not None and name in self.evaluated:
            return self.evaluated[name]
        return self._scores_by_index[self.run_index(name)]

    @cached_property
    def _scores_by_index(self) -> list[Scores]:
        basis = None
        if self.weights is not None:
            basis = SummaryBasis(self.topics, np.zeros(len(self.topics)), self.weights)
        return [
            Scores(
                run.run_id,
                self.topics,
                self.columns,
                self.values[:, :, index].T,
                {},
                len(self.topics),
                {},
                Account(missing=run.missing),
                basis,
                signature=run.signature,
                name=run.name,
                evaluation=run.evaluation,
            )
            for index, run in enumerate(self.runs)
        ]

    def by_run(self, measure: str) -> dict[str, float]:
        """The summary of a measure by run: {"bm25": 0.25, "rm3": 0.5}.

        Raises:
            UsageError: the table has no such measure, or it has no summary.
        """
        return {name: scores[measure] for name, scores in self.items()}

    def summary(self) -> dict[str, dict[str, float]]:
        """The summaries of each run: {"bm25": {"map": 0.25}, "rm3": {"map": 0.5}}."""
        return {name: scores.summary() for name, scores in self.items()}

    def per_topic(self) -> dict[str, dict[str, dict[str, float]]]:
        """The values of each run by topic: {"bm25": {"301": {"map": 0.25}}}."""
        return {name: scores.per_topic() for name, scores in self.items()}

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """What `--format json` holds of the means; `flat`: means alone, as logs take them.

        `wandb.log(table.to_dict(flat=True))` logs {"bm25/map": 0.35, "rm3/map": 0.44}.

        Args:
            flat: only names and numbers, as `Scores.to_dict` has them, behind the run and `/`.

        Raises:
            UsageError: two names are rewritten to one.
        """
        if flat:
            return flat_summary(self.summary(), several_runs=True)
        data: dict[str, Any] = self.document.data()
        return data

    def to_frame(self, *, long: bool = True) -> pd.DataFrame:
        """All values as a pandas frame.

        Args:
            long: a row for each value, with the columns run, topic, measure and value; otherwise
                the summaries, a row for each run and a column for each measure.
        """
        need_packages("pandas")
        import pandas as pd

        if long:
            return pd.concat([scores.to_frame() for _, scores in self.items()], ignore_index=True)
        names = pd.Index(self.run_names, name="run", dtype=object)
        return pd.DataFrame(list(self.summary().values()), index=names)

    def column(self, measure: str = "") -> Column:
        """The measure of a name, in any spelling; without one the first that has a mean, if any.

        Raises:
            UsageError: the table has no such measure, or several.
        """
        if measure in self.measure_names:
            return self.columns[self.measure_names.index(measure)]
        from irev.measures.naming.resolve import matching_columns

        with_mean = [each for each in self.columns if each.average == "mean"]
        columns = (
            matching_columns(measure, self.columns) if measure else (*with_mean, *self.columns)[:1]
        )
        if len(columns) == 1:
            return columns[0]
        names = ", ".join(each.name for each in columns or self.columns)
        if columns:
            raise UsageError(f"{measure!r} names several measures: choose one of {names}")
        raise UsageError(f"{measure!r} was not evaluated: the table has {names}")

    def scores(self, measure: str) -> TopicsByRuns:
        """The scores under a measure, by its printed name.

        Raises:
            UsageError: the table has no such measure.
        """
        if measure not in self.measure_names:
            names = ", ".join(self.measure_names)
            raise UsageError(f"{measure!r} was not evaluated: the table has {names}")
        score_matrix: Floats = self.values[self.measure_names.index(measure)]
        return score_matrix

    def weighted_score_matrix(self, measure: str) -> TopicsByRuns:
        """What each topic contributes, so that a plain mean is the weighted one.

        Score times weight, times T over the sum of the weights; the scores where none has a weight.
        """
        scores = self.scores(measure)
        if self.weights is None:
            return scores
        total = float(np.cumsum(self.weights)[-1])
        if not total:
            return np.zeros_like(scores)
        weighted: Floats = scores * (self.weights * (len(self.topics) / total))[:, None]
        return weighted

    def linearised_score_matrix(self, measure: str) -> TopicsByRuns:
        """What intervals and t tests of the weighted means are to be made of.

        m + w_t (x_t - m) T / Σ w, where m = Σ w x / Σ w is the run's mean: the plain mean of these
        is m, their plain standard error that of the ratio estimator, (T / (T-1) Σ w² (x - m)²)^½
        / Σ w. What a topic contributes varies with the weights too, though every score be m. The
        scores where no topic has a weight.

        Source: W. G. Cochran, Sampling Techniques (1977), ch. 6.
        """
        scores = self.scores(measure)
        if self.weights is None:
            return scores
        means = self.means(measure)
        total = float(np.cumsum(self.weights)[-1])
        if not total:
            return np.zeros_like(scores)
        share = (self.weights * (len(self.topics) / total))[:, None]
        linear: Floats = means + (scores - means) * share
        return linear

    @property
    def df(self) -> float | None:
        """The degrees of freedom of t: Kish's number of topics less 1, and 1 at least.

        (Σ w)² / Σ w² topics of one weight would tell as much as these. None: no topic has a
        weight, and T topics have T - 1.

        Source: L. Kish, Survey Sampling (1965).
        """
        if self.weights is None or not self.weights.any():
            return None
        total, squares = (float(np.cumsum(each)[-1]) for each in (self.weights, self.weights**2))
        return max(1.0, total**2 / squares - 1)

    def means(self, measure: str) -> RunValues:
        """The runs' means over the topics, weighted where topics have weights."""
        contributions = self.weighted_score_matrix(measure)
        if not len(contributions):
            return np.zeros(len(self.runs))
        return column_means(contributions)

    def merit(self, measure: str) -> RunValues:
        """The means, turned round where lower is better."""
        from irev.measures.naming.resolve import lower_is_better

        means = self.means(measure)
        return -means if lower_is_better(self.column(measure)) else means

    def run_index(self, run: str) -> int:
        """Which run has a name, a path, an end of its path ("bm25.run") or a tag, in this order.

        Raises:
            UsageError: no run, or several, are called so.
        """
        ambiguous: list[int] = []
        for names_of_run in (
            [[info.name] for info in self.runs],
            [[info.path] for info in self.runs],
            [path_forms(str(info.path)) for info in self.runs],
            [[as_text(info.run_id)] for info in self.runs],
        ):
            indices = [index for index, names in enumerate(names_of_run) if run in names]
            if len(indices) == 1:
                return indices[0]
            ambiguous = ambiguous or indices
        if ambiguous:
            names = shortened_list([self.run_names[index] for index in ambiguous], 8)
            raise UsageError(f"'{run}' may be any of {len(ambiguous)} runs: {names}")
        raise UsageError(
            f"no run is called '{run}'; the runs are {shortened_list(self.run_names, 8)}"
        )

    def select_topics(self, topic_mask: TopicMask) -> ScoreTable:
        """The same on some of the topics."""
        topics = tuple(
            t for t, stays in zip(self.topics, topic_mask.tolist(), strict=True) if stays
        )
        members = frozenset(topics)
        selected = replace(
            self,
            topics=topics,
            runs=tuple(
                replace(run, missing=tuple(t for t in run.missing if t in members), left_out=())
                for run in self.runs
            ),
            values=self.values[:, topic_mask],
            weights=None if self.weights is None else self.weights[topic_mask],
            classes=None
            if self.classes is None
            else {name: of_class[topic_mask] for name, of_class in self.classes.items()},
        )
        return selected.warn_of_missing_topics() if self.missing_topic_warnings else selected

    def select_runs(self, run_indices: Collection[int]) -> ScoreTable:
        """The same with some of the runs, in the order of their names."""
        rows = sorted(run_indices)
        selected = replace(
            self, runs=tuple(self.runs[row] for row in rows), values=self.values[:, :, rows]
        )
        return selected.warn_of_missing_topics() if self.missing_topic_warnings else selected

    def in_given_order(self) -> ScoreTable:
        """The same with the runs in the order in which they were given."""
        order = sorted(range(len(self.runs)), key=lambda row: self.runs[row].input_index)
        return replace(
            self, runs=tuple(self.runs[row] for row in order), values=self.values[:, :, order]
        )

    def select_measures(self, columns: Sequence[Column]) -> ScoreTable:
        """The same with some of the measures, in the order given."""
        rows = [self.columns.index(column) for column in columns]
        return replace(self, columns=tuple(columns), values=self.values[rows])

    def select_class(self, name: str) -> ScoreTable:
        """The same on the topics of a class."""
        assert self.classes is not None  # noqa: S101 - whoever names one knows of them
        return replace(self.select_topics(self.classes[name]), classes=None)
