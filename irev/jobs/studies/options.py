"""The options of studies, a class for each in the file of its name; `shared` is of several.

Help reads these, so that they import little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, Protocol, TypeVar

from irev.core.job import JobFunction, Result_co, public_function
from irev.core.option_records import Opt, ResultOptions
from irev.core.wording import count_text, full_list
from irev.errors import UsageError
from irev.options import ALPHA
from irev.statistics.methods import (
    CORRECTIONS_OF_P,
    DEFAULT_TEST,
    TESTS,
    DoneTest,
    InferenceSettings,
    num_resamples_of,
    reasons_of_other_tests,
    signed_test,
    tests_done_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.core.judged import Input
    from irev.core.option_records import OptionRecord


# --- The options of studies, a class for each in the file of its name; `shared` is of several ---


# --- Options that several studies have ---


FOUR = ("AP", "Q", "nDCG(b=2)@1000", "genAP")
"""What is looked at where no measure is named: Sakai's four."""

USUAL = ("map", "ndcg_cut.10", "P.10")
"""The same, of studies of several measures."""

PERSISTENCE = Opt("-p", "--persistence", metavar="P")


def measures_help(measures: tuple[str, ...]) -> str:
    """What the help of -m says of the default."""
    return f"{', '.join(measures)}; for saved scores all that they contain"


class SignificanceOptions(ResultOptions):
    """What is significant: a two-sided test of all pairs of runs, corrected for their number."""

    alpha: Annotated[float, ALPHA.replace(help="Significance level.")] = 0.05
    test: Annotated[str, Opt(
        "--test", choices=tuple(TESTS), noun="test",
        help="The test of all pairs of runs, two-sided. One that resamples draws with seed 0.",
    )] = DEFAULT_TEST  # fmt: skip
    correction: Annotated[str, Opt(
        "--correction", choices=CORRECTIONS_OF_P,
        help="The correction of p for the number of pairs of runs; "
        f"{full_list([name for name, test in TESTS.items() if test.simultaneous])} need none.",
    )] = "holm"  # fmt: skip

    @property
    def applied_correction(self) -> str:
        """What is done about the number of pairs."""
        return "of the test itself" if TESTS[self.test].simultaneous else self.correction

    def inference_settings(self, num_pairs: int) -> InferenceSettings:
        """What the test of so many pairs is to know."""
        num_resamples = num_resamples_of(self.test, self.correction, num_pairs, self.alpha)
        return InferenceSettings(alpha=self.alpha, num_resamples=num_resamples)

    def significance_lines(
        self, num_topics: int, num_runs: int, tests_done: Sequence[DoneTest]
    ) -> Iterator[str]:
        """The tests that were done, as a reader must know them."""
        num_pairs = num_runs * (num_runs - 1) // 2
        num_resamples = self.inference_settings(num_pairs).num_resamples
        exact = "exact or " if TESTS[self.test].exact_if_possible else ""
        draws = f" ({exact}{num_resamples} resamples, seed 0)" if num_resamples else ""
        yield (
            f"significant: {tests_done_text(tests_done, 'phrase')}{draws}, two-sided, "
            f"n={count_text(num_topics, 'topic')}, "
            f"alpha={self.alpha:g}, family of {count_text(num_pairs, 'pair')} of runs, "
            f"correction: {self.applied_correction}"
        )
        yield from reasons_of_other_tests(tests_done)

    def significance_parameters(self, tests_done: Sequence[DoneTest]) -> dict[str, Any]:
        """The test, as JSON can hold it."""
        return {
            "test": f"{TESTS[signed_test(self.test, tests_done)].title}, two-sided",
            "alpha": self.alpha,
            "correction": self.applied_correction,
        }  # fmt: skip


class TeamOptions(ResultOptions):
    """Studies of the best run of each team."""

    teams: Annotated[str | None, Opt(
        "--teams", metavar="FILE", file="always", sign_content=True,
        help="Team of each run, one RUN TEAM per line.",
    )] = None  # fmt: skip
    best: Annotated[str | None, Opt(
        "--best-per-team", metavar="NAME",
        help="With --teams: keep the best run of each team by the mean of this measure.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        super()._check()
        if bool(self.teams) != bool(self.best):
            raise UsageError("use --teams and --best-per-team together")


# --- Decorators of studies whose inputs are others than those of most jobs; see `irev.core.jo ---


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
