"""Jobs on a table of scores: what is the same for all, before the function of each.

    @score_job(GateOptions)
    def gate(table: ScoreTable, options: GateOptions) -> GateReport: ...

Python then calls `gate(qrels_or_table, runs, measures, **fields)`, and the command `gate.run(...)`:
runs are named, scored and put on the same topics by `score_runs`; a table is taken as it is.
"""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from irev.core.job import JobFunction, Result_co, public_function
from irev.core.workers import report_progress
from irev.engine.score_runs import score_runs, table_if_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from irev.core.judged import Input
    from irev.core.option_records import OptionRecord
    from irev.options import ScoringOptions
    from irev.scores.table import ScoreTable

P = ParamSpec("P")
OptionsType = TypeVar("OptionsType", bound="ScoringOptions")
ResultType = TypeVar("ResultType")

TABLE = "table: the scores."
"""What a function says of its table; Python's says what it is made of."""

_INPUTS = """qrels_or_table: judgments, as `irev.evaluate` takes them; None where all runs are saved
            scores; or a table of scores, of `irev.evaluate` or of another job (`.table`); or
            `Scores`, in a list or a mapping by name.
        runs: runs and files of saved scores: a list, a mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them."""


class _TracksJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """The type of a job on several tracks, by name."""

    def __call__(
        self, tracks: Mapping[str, Mapping[str, Any]], options: OptionRecord | None = None,
        *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _ScoreJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """The type of such a job: the fields of its options are keywords."""

    def __call__(
        self, qrels_or_table: Input, runs: Input = (), measures: object = (),
        options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


def score_job(
    options: Callable[P, OptionsType],
) -> Callable[[Callable[[ScoreTable, OptionsType], ResultType]], _ScoreJob[P, ResultType]]:
    """Make a public job of `f(table, options)`."""

    def decorate(function: Callable[[ScoreTable, OptionsType], ResultType]) -> Any:
        def run(
            qrels_or_table: Input, runs: Input = (), measures: object = (), *, options: Any
        ) -> ResultType:
            table = score_runs(qrels_or_table, runs, measures, options, watch=watch_runs)
            return function(table, options)

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(run, name, getattr(function, name))
        run.__doc__ = (run.__doc__ or "").replace(TABLE, _INPUTS)
        run.__annotations__["return"] = function.__annotations__.get("return", Any)
        public: Any = options
        return public_function(run, public)

    return decorate


def scoring_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _ScoreJob[P, ResultType]]:
    """Make a public job of `f(qrels_or_table, runs=(), measures=(), *, options)`.

    It calls `score_runs` itself, for it needs several tables, or other measures than those named.
    """
    public: Any = options

    def decorate(function: Callable[..., ResultType]) -> Any:
        @wraps(function)
        def run(
            qrels_or_table: Input, runs: Input = (), measures: object = (), *, options: Any
        ) -> ResultType:
            qrels_or_table, runs = table_if_scores(qrels_or_table, runs, options)
            return function(qrels_or_table, runs, measures, options=options)

        return public_function(run, public)

    return decorate


def tracks_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _TracksJob[P, ResultType]]:
    """Make a public job of `f(tracks, *, options)`."""
    public: Any = options
    return lambda function: public_function(function, public)


watch_runs: Any = partial(report_progress, label="runs")
"""Hands on the runs as they are scored; a terminal says how many are done."""
