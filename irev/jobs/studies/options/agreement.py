"""The options of `irev.studies.agreement`."""

from collections.abc import Sequence
from typing import ClassVar

from irev.jobs.studies.options.shared import USUAL, SignificanceOptions
from irev.options import ScoringOptions


class AgreementOptions(SignificanceOptions, ScoringOptions):
    """What is significant, and how runs are scored."""

    without: ClassVar[Sequence[str]] = ("classes",)
    default_measures: ClassVar[tuple[str, ...]] = USUAL
