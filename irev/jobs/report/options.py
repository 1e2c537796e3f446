"""What a report shows, beside the choices of its comparison."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from irev.core.option_records import Opt
from irev.jobs.compare.comparison import CompareOptions

_SECTION = "Options for the output"


class ReportOptions(CompareOptions):
    """The choices of a report; all runs are compared with the best one, or with each baseline."""

    without: ClassVar[Sequence[str]] = (
        "margin", "better_by", "risk", "risk_sd", "predicted_target",
    )  # fmt: skip
    predicts_topics: ClassVar[bool] = False
    default_measures: ClassVar[tuple[str, ...]] = ("map", "ndcg_cut.10", "P.10")

    title: Annotated[str, Opt(
        "--title", metavar="TEXT", section=_SECTION, help_order=1, in_short_help=True,
        effect="nothing",
        help="The title of the page. Default: the runs and the number of topics.",
    )] = ""  # fmt: skip
