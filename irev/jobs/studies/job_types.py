"""Decorators of studies whose inputs are others than those of most jobs; see `irev.core.job`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from irev.core.job import JobFunction, Result_co, public_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.core.judged import Input
    from irev.core.option_records import OptionRecord

P = ParamSpec("P")
ResultType = TypeVar("ResultType")


class _RunPairJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on two runs."""

    def __call__(
        self, run: Input, other_run: Input, options: OptionRecord | None = None,
        *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _QrelsPairJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on two sets of judgments, and on runs where there are any."""

    def __call__(
        self, qrels: Input, other_qrels: Input, runs: Input = (), measures: object = (),
        options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _PilotJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on the scores of a pilot, or on options alone."""

    def __call__(
        self, qrels_or_table: Input | None = None, runs: Input = (), measures: object = (),
        options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


class _NamedRunsJob(JobFunction[Result_co], Protocol[P, Result_co]):
    """A job on runs that its options name."""

    def __call__(
        self, qrels: Input | None = None, measures: object = (),
        options: OptionRecord | None = None, *args: P.args, **fields: P.kwargs,
    ) -> Result_co: ...  # fmt: skip


def run_pair_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _RunPairJob[P, ResultType]]:
    """Make a public job of `f(run, other_run, *, options)`."""
    return _decorator(options)


def qrels_pair_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _QrelsPairJob[P, ResultType]]:
    """Make a public job of `f(qrels, other_qrels, runs=(), measures=(), *, options)`."""
    return _decorator(options)


def pilot_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _PilotJob[P, ResultType]]:
    """Make a public job of `f(qrels_or_table=None, runs=(), measures=(), *, options)`."""
    return _decorator(options)


def named_runs_job(
    options: Callable[P, OptionRecord],
) -> Callable[[Callable[..., ResultType]], _NamedRunsJob[P, ResultType]]:
    """Make a public job of `f(qrels=None, measures=(), *, options)`."""
    return _decorator(options)


def _decorator(options: Any) -> Callable[[Callable[..., Any]], Any]:
    return lambda function: public_function(function, options)
