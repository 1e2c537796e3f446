"""`irev report`: runs evaluated and compared, as one HTML page."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from irev.cli.command import Command, Output, qrels_and_runs_or_saved_scores
from irev.cli.options import OUTPUT, PLACES
from irev.cli.output import write
from irev.jobs.report import Report, ReportOptions, report_page
from irev.writers.results_page import PAGE_DECIMALS


class ReportPageOutput(Output):
    """Where the page goes."""

    without: ClassVar[Sequence[str]] = ("format", "csv_safe")

    places: Annotated[
        int, PLACES.replace(in_short_help=False, most=4, help="Decimals. A p has 4.")
    ] = PAGE_DECIMALS
    output: Annotated[str | None, OUTPUT.replace(in_short_help=True, help_order=1)] = None

    def write(self, report: "Report") -> None:
        """Write the page."""
        from irev.writers.results_page.page_file import results_page_bytes

        write(results_page_bytes(report_page(report, self.places)), self.output)


command = Command(
    "report",
    "irev.jobs.report:report",
    ReportOptions,
    qrels_and_runs_or_saved_scores,
    "[QRELS] RUN...",
    ReportPageOutput,
    help="""Write a report on runs: one HTML page that loads nothing and can be sent to a colleague.

    The page says which run is best, what the tests show and what is doubtful; it has one table of
    all measures with intervals, every topic, and the first documents of two runs side by side.
    Readers choose the measure and the baseline: at the beginning the first --baseline, else the
    best run by the first measure. A judged topic that a run lacks counts as 0. The same inputs
    give the same bytes. Without QRELS all files are saved scores.
    """,
    measures="map, ndcg_cut.10, P.10; for saved scores all that they contain",
    option_helps={
        "baselines": "Compare all other runs with RUN (its name, path or tag) at the beginning, "
        "p corrected for these pairs alone; may be repeated.",
    },
    example="irev report --output report.html qrels.txt bm25.run rm3.run",
)
