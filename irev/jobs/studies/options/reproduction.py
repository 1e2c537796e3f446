"""The options of `irev.studies.reproduction`."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from irev.core.option_records import Opt
from irev.errors import UsageError
from irev.jobs.studies.options.shared import PERSISTENCE, USUAL
from irev.options import ALPHA, PREDICTED, SEED, ScoringOptions

ROLES = ("baseline", "advanced", "new_baseline", "new_advanced")
"""The four runs."""


class ReproductionOptions(ScoringOptions):
    """The runs of an experiment and of its reproduction, and how they are compared.

    Intervals of the effect ratio are of the level 1 - alpha; differences of means up to the margin
    are equal, which is not tested where there is none.
    """

    without: ClassVar[Sequence[str]] = ("classes", *PREDICTED)
    default_measures: ClassVar[tuple[str, ...]] = USUAL

    baseline: Annotated[Any, Opt(
        "--baseline", metavar="RUN", file="always", help="The original baseline."
    )] = None  # fmt: skip
    advanced: Annotated[Any, Opt(
        "--advanced", metavar="RUN", file="always", help="The original advanced run."
    )] = None  # fmt: skip
    new_baseline: Annotated[Any, Opt(
        "--new-baseline", metavar="RUN", file="always", help="The reproduced baseline."
    )] = None  # fmt: skip
    new_advanced: Annotated[Any, Opt(
        "--new-advanced", metavar="RUN", file="always", help="The reproduced advanced run."
    )] = None  # fmt: skip
    new_qrels: Annotated[Any, Opt(
        "--new-qrels", metavar="FILE", file="always",
        help="The judgments of the new runs, on other topics.",
    )] = None  # fmt: skip
    resamples: Annotated[int, Opt(
        "--resamples", metavar="B", least=2, most=10_000_000,
        help="Samples of the topics for the interval of ER.",
    )] = 1000  # fmt: skip
    seed: Annotated[int, SEED.replace(help="Seed of the samples of the topics.")] = 0
    alpha: Annotated[float, ALPHA.replace(help="Intervals are of the level 1 - A.")] = 0.05
    margin: Annotated[float | None, Opt(
        "--margin", metavar="D",
        help="Test whether means differ by less than this (two one-sided t tests).",
    )] = None  # fmt: skip
    welch: Annotated[bool, Opt(
        "--welch",
        help="Do not take the variances on the new topics for those on the old ones (Welch's t).",
    )] = False  # fmt: skip
    persistence: Annotated[float, PERSISTENCE.replace(help="Persistence of RBO.")] = 0.9

    def _check(self) -> None:
        super()._check()
        if self.margin is not None and not 0 < self.margin < math.inf:
            raise UsageError(f"--margin must be above 0, not {self.margin:g}")
