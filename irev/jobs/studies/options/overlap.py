"""The options of `irev.studies.overlap`."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from irev.core.option_records import Opt
from irev.jobs.studies.options.shared import PERSISTENCE
from irev.options import Options

TieTreatment = Literal["a", "b", "w"]
"""The treatments of ties, as Corsi and Urbano (SIGIR 2024) call them."""

_READING = ("decimal_comma", "run_format", "columns", "exclude")
"""What of an evaluation matters where runs are read alone."""


class OverlapOptions(Options):
    """How two rankings are compared, and how the runs are read."""

    without: ClassVar[Sequence[str]] = [n for n in Options.fields() if n not in _READING]

    persistence: Annotated[float, PERSISTENCE.replace(
        help="How far down a reader goes: the first 10 ranks weigh 86% at 0.9.",
    )] = 0.9  # fmt: skip
    ties: Annotated[TieTreatment, Opt(
        "--ties",
        help="Tied documents: the mean over all their orders (a, the default), that corrected "
        "so that a ranking has 1 with itself (b), or one shared rank (w).",
    )] = "a"  # type: ignore[assignment]  # fmt: skip
