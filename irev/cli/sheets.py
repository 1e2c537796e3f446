"""`irev eval --format sheet` and `sheet-html`: what goes with them, and what they measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.cli.options import Flags


def prepared(flags: Flags) -> Flags:
    """The flags with the measures of a sheet.

    Raises:
        UsageError: an option that a sheet has no place for.
    """
    from irev.writers.sheet import MEASURES

    refused = {
        "-m": flags.measures,
        "-q": flags.per_topic,
        "-n": flags.no_summary,
        "-Z": flags.zscores is not None,
        "--tie-range": flags.tie_range,
        "--residuals": flags.residuals,
        "--judged": flags.judged_shares,
        "--group-by": flags.group_by,
        "--topic-weights": flags.topic_weights,
        "--sample": flags.samples,
    }
    for name, is_given in refused.items():
        if is_given:
            raise UsageError(
                f"--format {flags.format} shows what TREC's summary sheets show: {name} does not "
                "go with it"
            )
    return replace(flags, measures=MEASURES)
