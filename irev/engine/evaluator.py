"""Judgments kept for many runs, as Python has them: errors and warnings speak of keywords."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from irev.core.arrays import keep_freed_memory
from irev.core.judged import asked_order
from irev.engine.inputs import error_naming_run, rewindable, runs_by_name_if_several
from irev.engine.run_evaluator import RunEvaluator
from irev.errors import IrevError, warn
from irev.options import EvaluationOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from irev.core.judged import Input
    from irev.errors import Notice
    from irev.options import Options
    from irev.scores.scores import Scores
    from irev.scores.table import ScoreTable

    SeveralRuns = (
        list[str]
        | list[Path]
        | Mapping[str, str | Path | pd.DataFrame]
        | Mapping[str, Mapping[str, Mapping[str, float]]]
    )


class Evaluator(RunEvaluator):
    """Judgments and measures, prepared once for many runs.

    Example:
        >>> evaluator = Evaluator({"q1": {"d1": 1}}, ["recip_rank"])
        >>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 2.0}}).summary()
        {'recip_rank': 0.5}
    """

    def __init__(
        self,
        qrels: Input,
        measures: object = (),
        options: Options | None = None,
        *,
        sign: bool = False,
        **fields: Any,
    ) -> None:
        """Resolve the measures' names and read the judgments; see `evaluate` for the arguments.

        Raises:
            UsageError: a measure or option that makes no sense; said before a file is opened.
            InputError: judgments that cannot be read.
        """
        keep_freed_memory()
        try:
            super().__init__(qrels, measures, options, sign=sign, **fields)
        except IrevError as error:
            _reword(error)
            raise

    @overload
    def evaluate(self, run: SeveralRuns) -> ScoreTable: ...
    @overload
    def evaluate(self, run: Input) -> Scores: ...
    def evaluate(self, run: Input) -> Scores | ScoreTable:
        """The scores of a run, or of several, as `irev.evaluate` takes and returns them.

        Raises:
            InputError: a run that cannot be read.
            MismatchError: a run without any topic of the judgments.

        Warns:
            IrevWarning: the scores may mislead, for instance since no document is judged.
        """
        run = rewindable(run)
        runs = runs_by_name_if_several(run, self.options.own_columns)
        if runs is not None:
            table = self.table({name: rewindable(each) for name, each in runs.items()})
            _warn_except_notes(table.warnings)
            return table
        scores = self.evaluate_silently(run)
        _warn_except_notes((*self.notices, *scores.notices, *self.estimate_notices))
        return scores

    def table(self, runs: Mapping[str, Input]) -> ScoreTable:
        """The table of runs by name, each averaged as if it were evaluated alone; silently."""
        scores_by_name: dict[str, Scores] = {}
        for name, (_, outcome) in zip(runs, self.outcomes([*runs.values()], [*runs]), strict=True):
            if isinstance(outcome, IrevError):
                raise error_naming_run(name, outcome)
            scores_by_name[name] = replace(outcome, name=name)
        return self._table_with_own_means(runs, scores_by_name)

    def _table_with_own_means(
        self, runs: Mapping[str, Input], evaluated: Mapping[str, Scores]
    ) -> ScoreTable:
        """The table of runs each of which is averaged as if it were evaluated alone."""
        from irev.engine.join_scores import scored_run_table, stack_values
        from irev.scores.table import ScoreTable, path_of

        picks = [i for i in asked_order(self.columns) if self.columns[i].kind != "text"]
        columns = tuple(self.columns[index] for index in picks)
        missing = {topic for scores in evaluated.values() for topic in scores.account.missing}
        judged = self.prepared_judgments.qrels.topic_index
        own = {topic for scores in evaluated.values() for topic in scores.topics if topic in judged}
        topics = sorted(own | missing)
        empty_values = np.zeros((len(columns), len(topics)))
        if missing:
            empty = self._selector.empty_ranking_values(self.prepared_judgments, sorted(missing))
            empty_values[:, [topic in missing for topic in topics]] = empty[:, picks].T
        tables = [
            scored_run_table(name, path_of(runs[name]), scores, index)
            for index, (name, scores) in enumerate(evaluated.items())
        ]
        warnings = [*self.notices]
        for name, scores in evaluated.items():
            warnings += (each.about(name) for each in scores.notices)
        warnings += self.estimate_notices
        return ScoreTable(
            tuple(topics), tuple(table.runs[0] for table in tables), columns,
            stack_values(tables, columns, topics, empty_values), topic_policy="own",
            evaluated=evaluated, warnings=tuple(warnings),
        )  # fmt: skip

    def evaluate_many(self, runs: Sequence[Input]) -> Iterator[tuple[Input, Scores | IrevError]]:
        """The scores of several runs, or what is wrong with a run, in the order given.

        Several runs are worked on at once, each by one thread.

        Warns:
            IrevWarning: the scores may mislead.
        """
        _warn_except_notes(self.notices)
        for run, outcome in self.outcomes(runs):
            if not isinstance(outcome, IrevError):
                _warn_except_notes(outcome.notices)
            yield run, outcome
        _warn_except_notes(self.estimate_notices)

    def _evaluate(self, run: Input, threads: int, *, is_alone: bool) -> Scores:
        try:
            return super()._evaluate(run, threads, is_alone=is_alone)
        except IrevError as error:
            _reword(error)
            raise


def _reword(error: IrevError) -> None:
    from irev.core.option_records import reword_for_python

    reword_for_python(error, EvaluationOptions)


def _warn_except_notes(notices: Iterable[Notice]) -> None:
    warnings = [each for each in notices if not each.is_note]
    if warnings:
        from irev.core.option_records import python_notice

        warn(python_notice(each, EvaluationOptions) for each in warnings)
