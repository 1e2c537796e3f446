"""What a gate asks for: limits, a baseline, and when a run is worse than that."""

from collections.abc import Sequence
from typing import Annotated, Literal

from irev.core.option_records import Opt, ResultOptions
from irev.errors import UsageError
from irev.options import ALPHA
from irev.statistics.methods import CORRECTIONS_OF_P

SECTION = "Options of the gates"


class Gates(ResultOptions):
    """What a run is held against; the first two files can stand in a configuration alone."""

    qrels: Annotated[str | None, Opt(file="always")] = None
    """The judgments, where the command line does not say."""
    run: Annotated[str | None, Opt(file="always")] = None
    """The run, likewise."""
    min: Annotated[Sequence[str], Opt(
        "--min", metavar="NAME=X", section=SECTION, help_order=-3, is_table=True,
        help="Lowest mean allowed, such as ndcg@10=0.4 or judged@10=0.8. May be repeated.",
    )] = ()  # fmt: skip
    """The least means, as NAME=X."""
    max: Annotated[Sequence[str], Opt(
        "--max", metavar="NAME=X", section=SECTION, is_table=True,
        help="Highest mean allowed, such as unj_10=0.2. May be repeated.",
    )] = ()  # fmt: skip
    """The highest means, likewise."""
    baseline: Annotated[str | None, Opt(
        "--baseline", metavar="FILE", section=SECTION, file="always",
        help="Run to compare RUN with. Either a run, which is scored with QRELS too, or saved "
        "scores by topic on the same qrels.",
    )] = None  # fmt: skip
    """What the run is set against: a run or saved scores."""


class GateRules(ResultOptions):
    """How a run is compared with its baseline."""

    max_missing: Annotated[int | None, Opt(
        "--max-missing", metavar="N", section=SECTION, least=0,
        help="Judged topics that RUN may lack. Default: none that the baseline has; without "
        "--baseline any number.",
    )] = None  # fmt: skip
    """How many judged topics the run may lack; None: any, but none that the baseline has."""
    tolerance: Annotated[float, Opt(
        "--tolerance", metavar="X", section=SECTION, help_order=-1,
        help="Largest allowed drop of a mean below the baseline's.",
    )] = 0.01  # fmt: skip
    """How far a mean may drop, or rise where lower is better."""
    alpha: Annotated[float | None, ALPHA.replace(
        section=SECTION, open_interval=(0, 0.5),
        help="Decide by one-sided paired t tests at this level, such as 0.05. A run is worse if "
        "the upper end of the interval of the difference is below -X, not worse if its lower "
        "end is not below -X, and undecided otherwise.",
    )] = None  # fmt: skip
    """Level of the one-sided tests; None: the means alone decide."""
    undecided: Annotated[Literal["fail", "pass"], Opt(
        "--undecided", section=SECTION, help="Result of an undecided comparison."
    )] = "fail"  # fmt: skip
    """What becomes of a comparison that the tests leave open."""
    correction: Annotated[str, Opt(
        "--correction", section=SECTION, choices=tuple(CORRECTIONS_OF_P), noun="correction",
        help="Correct for the number of comparisons before one is called worse.",
    )] = "none"  # fmt: skip
    """Of the p-values that say a run is worse, for their number: one of `CORRECTIONS_OF_P`."""

    def _check(self) -> None:
        if not 0 <= self.tolerance < float("inf"):
            raise UsageError(f"the tolerance must be 0 or more, not {self.tolerance}")
        if self.correction != "none" and self.alpha is None:
            raise UsageError("a correction needs tests: give an alpha")
