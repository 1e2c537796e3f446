"""Options that several studies have."""

from typing import Annotated

from irev.core.option_records import Opt, ResultOptions
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.options import ALPHA
from irev.statistics.correction_methods import CORRECTIONS_OF_P
from irev.statistics.methods import TESTS

FOUR = ("AP", "Q", "nDCG(b=2)@1000", "genAP")
"""What is looked at where no measure is named: Sakai's four."""

USUAL = ("map", "ndcg_cut.10", "P.10")
"""The same, of studies of several measures."""

PERSISTENCE = Opt("-p", "--persistence", metavar="P")


def measures_help(measures: tuple[str, ...]) -> str:
    """What the help of -m says of the default."""
    return f"{', '.join(measures)}; for saved scores all that they contain"


class SignificanceOptions(ResultOptions):
    """What is significant: the paired t test, two-sided, corrected over all pairs of runs."""

    alpha: Annotated[float, ALPHA.replace(help="Significance level.")] = 0.05
    correction: Annotated[str, Opt(
        "--correction", choices=CORRECTIONS_OF_P,
        help=f"The correction of the {TESTS['t'].phrase}s for the number of pairs of runs.",
    )] = "holm"  # fmt: skip

    def significance_text(self, num_topics: int, num_runs: int) -> str:
        """The test, as a reader must know it."""
        num_pairs = num_runs * (num_runs - 1) // 2
        return (
            f"significant: {TESTS['t'].phrase}, two-sided, n={count_text(num_topics, 'topic')}, "
            f"alpha={self.alpha:g}, family of {count_text(num_pairs, 'pair')} of runs, "
            f"correction: {self.correction}"
        )


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
