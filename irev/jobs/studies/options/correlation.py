"""The options of `irev.studies.correlation`."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from irev.core.option_records import Opt, ResultOptions
from irev.errors import UsageError
from irev.jobs.studies.options.shared import FOUR, SignificanceOptions, TeamOptions
from irev.options import SEED, ScoringOptions


class OrderOptions(ResultOptions):
    """Which orders of runs are compared, beside those by the measures."""

    sweeps: Annotated[Sequence[str], Opt(
        "--sweep", metavar="PARAMETER=LIST",
        help="Give every measure asked for that has this parameter each of these values: "
        "beta=0.1,1,10,100,1000; b=2,5,10; gain=3:2:1,10:5:1. May be repeated.",
    )] = ()  # fmt: skip
    against: Annotated[Sequence[str], Opt(
        "--against", metavar="NAME",
        help="With --sweep: what is compared with; may be repeated. Default: AP, and the "
        "measure as it was asked for.",
    )] = ()  # fmt: skip
    other_qrels: Annotated[Sequence[str], Opt(
        "--other-qrels", metavar="FILE", file="always", sign_content=True,
        help="Order the runs under these judgments too; may be repeated.",
    )] = ()  # fmt: skip
    top: Annotated[int | None, Opt(
        "--top", metavar="N", least=2, help="Keep the N best runs."
    )] = None  # fmt: skip
    by: Annotated[str | None, Opt(
        "--by", metavar="NAME",
        help="With --top: by the mean of this measure; of equal runs the first by name. "
        "Default: the first measure.",
    )] = None  # fmt: skip

    def _check(self) -> None:
        super()._check()
        if self.by and self.top is None:
            raise UsageError("--by needs --top")
        if self.against and not self.sweeps:
            raise UsageError("--against needs --sweep")
        if self.sweeps and self.other_qrels:
            raise UsageError("--sweep and --other-qrels cannot be combined")


class ResamplingOptions(ResultOptions):
    """The bootstrap over topics: how many samples, drawn from what."""

    resamples: Annotated[int | None, Opt(
        "--resamples", metavar="B", least=2, most=10_000_000,
        help="Standard errors of tau_b and tau_AP, and intervals of the level 1 - A, from B "
        "samples of the topics.",
    )] = None  # fmt: skip
    seed: Annotated[int | None, SEED.replace(
        help="Seed of the samples of the topics. Default: 0."
    )] = None  # fmt: skip

    def _check(self) -> None:
        super()._check()
        if self.resamples is None and self.seed is not None:
            raise UsageError("--seed is for intervals: add --resamples B")


class CorrelationOptions(
    OrderOptions, TeamOptions, ResamplingOptions, SignificanceOptions, ScoringOptions
):
    """What orders runs, what is significant, and how runs are scored."""

    without: ClassVar[Sequence[str]] = ("classes",)
    default_measures: ClassVar[tuple[str, ...]] = FOUR

    tau_at: Annotated[int, Opt(
        "--tau-at", metavar="K", least=2,
        help="tau@K: tau_b of the K best runs by the first of two measures, and of those tied "
        "with the last of them. Default: 10.",
    )] = 10  # fmt: skip
