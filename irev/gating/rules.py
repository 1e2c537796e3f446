"""What a gate asks for: limits, a baseline, and when a run is worse than that."""

from collections.abc import Sequence
from typing import Annotated, Literal

from irev.core.records import Choices, Opt
from irev.errors import UsageError
from irev.options import ALPHA
from irev.statistics.methods import OF_P

SECTION = "Options of the gates"


class Gates(Choices):
    """What a run is held against; the first two files can stand in a configuration alone."""

    qrels: Annotated[str | None, Opt(file="always")] = None
    """The judgments, where the command line does not say."""
    run: Annotated[str | None, Opt(file="always")] = None
    """The run, likewise."""
    min: Annotated[Sequence[str], Opt(
        "--min", metavar="NAME=X", section=SECTION, place=-3, table=True,
        help="The least that the mean of a measure may be: ndcg@10=0.4; a guard such as "
        "judged@10=0.8 likewise. May be repeated.",
    )] = ()  # fmt: skip
    """The least means, as NAME=X."""
    max: Annotated[Sequence[str], Opt(
        "--max", metavar="NAME=X", section=SECTION, table=True,
        help="The most that it may be: unj_10=0.2. May be repeated.",
    )] = ()  # fmt: skip
    """The highest means, likewise."""
    baseline: Annotated[str | None, Opt(
        "--baseline", metavar="FILE", section=SECTION, file="always",
        help="What RUN is set against: a run, which is scored under QRELS too, or the saved scores "
        "of one by topic, which must be of the same qrels.",
    )] = None  # fmt: skip
    """What the run is set against: a run or saved scores."""


class GateRules(Choices):
    """How a run is set against its baseline.

    Raises:
        UsageError: a tolerance below 0, or an alpha not between 0 and 0.5.
    """

    tolerance: Annotated[float, Opt(
        "--tolerance", metavar="X", section=SECTION, place=-1,
        help="How far a mean may lie below the baseline's.",
    )] = 0.01  # fmt: skip
    """How far a mean may drop, or rise where lower is better."""
    alpha: Annotated[float | None, ALPHA.but(
        section=SECTION, inside=(0, 0.5),
        help="Let one-sided paired t tests of this level decide, such as 0.05: worse where the "
        "upper end of the interval of the difference is below -X, not worse where its lower end "
        "is not, open otherwise.",
    )] = None  # fmt: skip
    """Level of the one-sided tests; None: the means alone decide."""
    undecided: Annotated[Literal["fail", "pass"], Opt(
        "--undecided", section=SECTION, help="What becomes of a comparison that is open."
    )] = "fail"  # fmt: skip
    """What becomes of a comparison that the tests leave open."""
    correction: Annotated[str, Opt(
        "--correction", section=SECTION, choices=tuple(OF_P), noun="correction",
        help="Test each comparison by itself (none, the default), or correct for their number "
        "before one is called worse.",
    )] = "none"  # fmt: skip
    """Of the p-values that say a run is worse, for their number: one of `OF_P`."""

    def _check(self) -> None:
        if not 0 <= self.tolerance < float("inf"):
            raise UsageError(f"the tolerance is a number from 0 on, not {self.tolerance}")
        if self.correction != "none" and self.alpha is None:
            raise UsageError("a correction corrects tests: they want an alpha")
