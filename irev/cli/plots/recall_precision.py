"""`irev plot recall-precision`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from irev.cli.arguments import Option
from irev.cli.gathering import evaluation_options
from irev.cli.plots.drawing import plot_job

if TYPE_CHECKING:
    from irev.plots.record import Record


def make(given: dict[str, Any]) -> Record:
    """Recall-precision curves of runs, the mean over topics or one topic's.

    The line is interpolated precision at eleven recall levels (the highest at any rank with at
    least that recall); the points are recall and precision at each relevant document of the topic,
    or the means at the ranks 5, 10, 15, 20, 30, 100 ...; the star is the break-even point
    (R-precision). The legend gives average precision.
    """
    from irev.plots.recall_precision import recall_precision

    return recall_precision(
        given["files"][0], given["files"][1:], evaluation_options({**given, "measures": ()}),
        format=given["qrels_format"], names=given["names"],
        topic=None if given["topic"] is None else os.fsencode(given["topic"]),
    )  # fmt: skip


command = plot_job(
    "recall-precision",
    make,
    Option("-t", "--topic", metavar="TOPIC", section="Options of the plot", help="One topic."),
    without=("measures", "beta", "log_base", "gains", "max_grade"),
    example="qrels.txt bm25.run rm3.run --output curve.svg",
)
