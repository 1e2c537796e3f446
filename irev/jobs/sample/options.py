"""How judgments, or the collection under them, are sampled."""

import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from irev.core.option_records import Opt
from irev.errors import UsageError
from irev.jobs.pool.pool import options_but
from irev.options import LEVEL, PREDICTED, REPEAT, SAMPLES, SEED, EvaluationOptions, Options

if TYPE_CHECKING:
    from fractions import Fraction

    from irev.jobs.pool.pool import RankStratum
    from irev.jobs.sample.evaluation import SamplingPlan

SampleMethod = Literal["uniform", "strata", "buckley-voorhees", "budget", "collection", "documents"]


def _rate(text: str) -> "Fraction | tuple[RankStratum, ...]":
    from irev.jobs.pool.pool import parse_rate_or_strata

    return parse_rate_or_strata(text)


class SampledEvaluationOptions(EvaluationOptions):
    """Which samples of complete judgments runs are evaluated under, and how."""

    without: ClassVar[Sequence[str]] = PREDICTED

    samples: Annotated[Sequence[str], SAMPLES.replace(
        help="What is drawn: rates, such as 10% or 0.1, and strata of the ranks of the pool of all "
        "runs, such as 1-10=100%,11-50=30%.",
    )] = ()  # fmt: skip
    """Designs of samples: rates, such as "10%" or "0.1", and strata of the ranks of the pool of all
    runs, such as "1-10=100%,11-50=30%"."""
    repeat: Annotated[int, REPEAT.replace(help="How many samples are drawn of each design.")] = 10
    """How many samples are drawn of each design."""
    per_topic: Annotated[bool, Opt(
        "-q", help="Whether there are estimates of each topic, too."
    )] = False  # fmt: skip
    """Whether there are estimates of each topic, too."""
    sign: Annotated[bool, Opt(
        effect="nothing", help="Whether the scores under all judgments carry a signature."
    )] = False  # fmt: skip
    """Whether the scores under all judgments carry a signature."""
    keep_going: Annotated[bool, Opt(
        effect="nothing", help="Whether a run that cannot be read is left out: `broken` has it."
    )] = False  # fmt: skip
    """Whether a run that cannot be read is left out, rather than an error."""

    @property
    def plan(self) -> "SamplingPlan":
        """What is drawn."""
        from irev.jobs.sample.evaluation import SamplingPlan

        return SamplingPlan(self.samples, self.seed, self.repeat)


class SampleOptions(Options):
    """What is drawn, how many times, and how judgments and runs are read."""

    without: ClassVar[tuple[str, ...]] = options_but(
        "real_grades", "grade_map", "run_format", "columns", "exclude"
    )

    rate: Annotated[Any, Opt(
        "--rate", metavar="RATE", help_order=-9, parse=_rate,
        help="Share to keep: 10% or 0.1, or by ranks of the pool, 1-10=100%,11-50=30%. 51-=5% "
        "covers all deeper documents and those that no run retrieved.",
    )] = None  # fmt: skip
    """The share to keep, a number or a text, or the text of strata; parsed when the record is made:
    a `Fraction`, or the strata of ranks."""
    by: Annotated[SampleMethod | None, Opt(
        "--by", help_order=-8,
        help="Sampling method. Default: uniform; strata if RATE names ranks; budget with --budget.",
    )] = None  # fmt: skip
    """The method; None: the one that rate and budget stand for."""
    budget: Annotated["int | Mapping[str, int] | str | os.PathLike[str] | None", Opt(
        "--budget", metavar="N|FILE", file="maybe", help_order=-7,
        help="Keep N judged documents of each topic, or as many as FILE says, one TOPIC N per "
        "line.",
    )] = None  # fmt: skip
    """How many judged documents of each topic are kept, or of which topic how many."""
    width: Annotated[float | None, Opt(
        "--width", metavar="X", help_order=-2,
        help="With --by documents: say how many judgments 95% intervals of width X need.",
    )] = None  # fmt: skip
    """How wide the intervals of a mean may be, for which the number of judgments is worked out."""
    measure: Annotated[str, Opt(
        "--measure", metavar="NAME", help_order=-2,
        help="With --width: the measure that the intervals are of: P@k, RBP, CG, DCG@k.",
    )] = "P@10"  # fmt: skip
    """The measure of these intervals."""
    model_error: Annotated[float, Opt(
        "--model-error", metavar="X", help_order=-2,
        help="With --width: which share of the errors of people's judgments alone stays with a "
        "model's (the column width of a first sample); 1 is without a model.",
    )] = 1.0  # fmt: skip
    """Which share of the errors stays with a model; 1: there is none."""
    seed: Annotated[int, SEED.replace(help_order=-6, least=None, help="Seed of the sample.")] = 0
    replicate: Annotated[int, Opt(
        "--replicate", metavar="N", help_order=-5, least=0,
        help="Number of the sample, if you draw several with one seed.",
    )] = 0  # fmt: skip
    level: Annotated[float, LEVEL.replace(
        help_order=-4,
        help="Smallest grade that counts as relevant. A topic is drawn again until its sample "
        "contains such a document.",
    )] = 1  # fmt: skip
    repeat: Annotated[int, Opt(
        "--repeat", metavar="N", help_order=-3, least=1, most=10_000_000,
        help="Draw N samples, numbered from --replicate on.",
    )] = 1  # fmt: skip

    def _check(self) -> None:
        super()._check()
        if self.width is not None:
            if self.by != "documents":
                raise UsageError("--width needs --by documents")
            if not 0 < self.width < math.inf:
                raise UsageError(f"--width must be above 0, not {self.width:g}")
        if not 0 < self.model_error <= 1:
            raise UsageError(
                f"--model-error must be above 0 and at most 1, not {self.model_error:g}"
            )
        if self.rate is not None:
            from irev.jobs.pool.pool import parse_rate_or_strata

            try:
                vars(self)["rate"] = parse_rate_or_strata(self.rate)
            except UsageError as error:
                raise UsageError(f"--rate: {error}") from None

    @property
    def method(self) -> SampleMethod:
        """How documents are drawn."""
        if self.by is not None:
            return self.by
        if self.budget is not None:
            return "budget"
        return "strata" if isinstance(self.rate, tuple) else "uniform"
