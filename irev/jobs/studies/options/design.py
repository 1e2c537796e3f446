"""The options of `irev.studies.design`."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from irev.core.option_records import Opt
from irev.errors import UsageError
from irev.options import ALPHA, PREDICTED, ScoringOptions


class DesignOptions(ScoringOptions):
    """What a collection is meant to show, and what its variance is taken from."""

    without: ClassVar[Sequence[str]] = ("classes", "weights", *PREDICTED)

    difference: Annotated[float, Opt(
        "--difference", metavar="D",
        help="The smallest difference of means that must be found.",
    )] = 0.1  # fmt: skip
    alpha: Annotated[float, ALPHA.replace(help="Significance level.")] = 0.05
    power: Annotated[float, Opt(
        "--power", metavar="P", help="Chance of finding that difference."
    )] = 0.8  # fmt: skip
    width: Annotated[float | None, Opt(
        "--width", metavar="W",
        help="The width of the interval of a difference. Default: the difference.",
    )] = None  # fmt: skip
    num_runs: Annotated[int | None, Opt(
        "--systems", metavar="M", least=2, most=10_000_000,
        help="Number of runs in the analysis of variance. Default: the runs given.",
    )] = None  # fmt: skip
    target: Annotated[float, Opt(
        "--target", metavar="R", help="The reliability to be reached."
    )] = 0.95  # fmt: skip
    limits: Annotated[float, Opt(
        "--limits", metavar="P", help="Confidence level of the limits of an estimated variance."
    )] = 0.8  # fmt: skip

    variance: Annotated[float | None, Opt(
        "--variance", metavar="V",
        help="Without files: the variance of a run's scores over topics; that of differences "
        "is twice as large.",
    )] = None  # fmt: skip
    collections: Annotated[Sequence[str], Opt(
        "--collection", metavar="FILE", file="always",
        help="Saved scores on another collection; the variance is pooled over all. May be "
        "repeated.",
    )] = ()  # fmt: skip

    def _check(self) -> None:
        super()._check()
        shares = {"power": self.power, "target": self.target}
        for name, value in {**shares, "level": self.limits}.items():
            if not 0 < value < 1:
                raise UsageError(f"{name} must be between 0 and 1, not {value:g}")
        if self.alpha >= self.power:
            raise UsageError(f"the power must be above alpha: {self.power:g}, {self.alpha:g}")
        for name, number in (("difference", self.difference), ("width", self.width)):
            if number is not None and not number > 0:
                raise UsageError(f"the {name} is a positive number, not {number:g}")
