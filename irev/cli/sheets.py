"""`irev eval --format sheet` and `sheet-html`: what goes with them, and what they measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.cli.options import AskedOfRuns, Printed
    from irev.options import Options


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
