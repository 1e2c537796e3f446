"""Options that several studies have: help reads them, so that they import little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from irev.core.option_records import Opt, ResultOptions
from irev.core.text import count_text, full_list
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
    test: Annotated[
        str,
        Opt(
            "--test",
            choices=tuple(TESTS),
            noun="test",
            help="The test of all pairs of runs, two-sided. One that resamples draws with seed 0.",
        ),
    ] = DEFAULT_TEST
    correction: Annotated[
        str,
        Opt(
            "--correction",
            choices=CORRECTIONS_OF_P,
            help="The correction of p for the number of pairs of runs; "
            f"{full_list([name for name, test in TESTS.items() if test.simultaneous])} need none.",
        ),
    ] = "holm"

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
        }


class TeamOptions(ResultOptions):
    """Studies of the best run of each team."""

    teams: Annotated[
        str | None,
        Opt(
            "--teams",
            metavar="FILE",
            file="always",
            sign_content=True,
            help="Team of each run, one RUN TEAM per line.",
        ),
    ] = None
    best: Annotated[
        str | None,
        Opt(
            "--best-per-team",
            metavar="NAME",
            help="With --teams: keep the best run of each team by the mean of this measure.",
        ),
    ] = None

    def _check(self) -> None:
        super()._check()
        if bool(self.teams) != bool(self.best):
            raise UsageError("use --teams and --best-per-team together")
