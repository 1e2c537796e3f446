"""`irev eval --format sheet` and `sheet-html`: what goes with them, and what they measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.cli.options import AskedOfRuns, Printed
    from irev.options import Options
    from irev.writers.trec import ScoredFile, ScoreLayout

FORMS = ("sheet", "sheet-html")


def write(form: str, results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[bytes]:
    """The sheets of runs, as text or as a page with their plots."""
    if form == "sheet":
        from irev.writers.sheet import write as write_text

        return write_text(results, layout)
    from irev.plots.sheet_html import write as write_page

    return write_page(results, layout)


def prepared(options: Options, asked: AskedOfRuns, printed: Printed) -> AskedOfRuns:
    """What is asked, with the measures of a sheet.

    Raises:
        UsageError: an option that a sheet has no place for.
    """
    from irev.writers.sheet import MEASURES

    refused = {
        "-m": asked.measures,
        "-q": printed.per_topic,
        "-n": printed.no_summary,
        "-Z": asked.zscores is not None,
        "--tie-range": options.tie_range,
        "--residuals": options.residuals,
        "--judged": options.judged_shares,
        "--group-by": options.classes,
        "--topic-weights": options.weights,
        "--sample": asked.samples,
    }
    for name, is_given in refused.items():
        if is_given:
            raise UsageError(
                f"--format {printed.format} shows what TREC's summary sheets show: {name} does not "
                "go with it"
            )
    return asked.but(measures=MEASURES)
