"""The options of `irev.studies.topic_difficulty`."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from irev.core.option_records import Opt
from irev.options import PREDICTED, ScoringOptions

Standardisation = Literal["cdf", "linear", "ecdf", "z"]
"""The standard normal distribution function of z (Webber, Moffat and Zobel 2008), 0.15 z + 0.5 cut
to 0..1 (Sakai 2016), the share of runs that score no more (Urbano, Lima and Hanjalic 2019), or z
itself."""


class TopicDifficultyOptions(ScoringOptions):
    """How scores are standardised, and how runs are scored."""

    without: ClassVar[Sequence[str]] = ("classes", "weights", *PREDICTED)

    standardise: Annotated[Standardisation, Opt(
        "--standardise",
        help="How each score is standardised by those of all runs on its topic. cdf: the normal "
        "distribution function of z (Webber et al. 2008); linear: 0.15 z + 0.5, cut to 0 to 1 "
        "(Sakai 2016); ecdf: the share of runs that score no more (Urbano et al. 2019); or z.",
    )] = "cdf"  # fmt: skip
