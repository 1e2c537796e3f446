"""Jobs on a table of scores: what is the same for all, before the function of each.

    @score_job(GateOptions)
    def gate(table: ScoreTable, options: GateOptions) -> GateReport: ...

Python then calls `gate(qrels_or_table, runs, measures, **fields)`, and the command `gate.run(...)`:
runs are named, scored and put on the same topics by `score_runs`; a table is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from irev.core.job import JobFunction, ResultType, job
from irev.core.judged import Input
from irev.core.workers import report_progress
from irev.engine.score_runs import score_runs
from irev.options import ScoringOptions
from irev.scores.table import ScoreTable

OptionsType = TypeVar("OptionsType", bound=ScoringOptions)

TABLE = "table: the scores."
"""What a function says of its table; Python's says what it is made of."""

_INPUTS = """qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores; or a table of scores, of `irev.evaluate` or of another job (`.table`); or
            `Scores`, in a list or a mapping by name.
        runs: runs and files of saved scores: a list, a mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them."""

watch_runs: Any = partial(report_progress, label="runs")
"""Hands on the runs as they are scored; a terminal says how many are done."""


def score_job(
    options: type[OptionsType], *, needs: Callable[[Any], Sequence[str]] = lambda options: ()
) -> Callable[[Callable[[ScoreTable, OptionsType], ResultType]], JobFunction[ResultType]]:
    """Make a public job of `f(table, options)`, with the packages that it needs, as `job` does.

    A job that needs several tables, or other measures than those named, is a `job` of
    `f(qrels_or_table, runs=(), measures=(), *, options)` that calls `score_runs` itself.
    """

    def decorate(
        function: Callable[[ScoreTable, OptionsType], ResultType],
    ) -> JobFunction[ResultType]:
        def run(
            qrels_or_table: Input, runs: Input = (), measures: object = (), *, options: OptionsType
        ) -> ResultType:
            table = score_runs(qrels_or_table, runs, measures, options, watch=watch_runs)
            return function(table, options)

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(run, name, getattr(function, name))
        run.__doc__ = (run.__doc__ or "").replace(TABLE, _INPUTS)
        run.__annotations__["return"] = function.__annotations__.get("return", Any)
        return job(options, needs=needs)(run)

    return decorate
