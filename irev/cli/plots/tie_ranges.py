"""`irev plot tie-ranges`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.cli.arguments import Option
from irev.cli.gathering import evaluation_options
from irev.cli.plots.drawing import plot_job

if TYPE_CHECKING:
    from irev.plots.record import Record

PER_TOPIC = Option(
    "--per-topic", is_flag=True, section="Options of the plot",
    help="The runs' values by topic, not their means.",
)  # fmt: skip


def make(given: dict[str, Any]) -> Record:
    """The least and the greatest value that orders of equal scores can give."""
    from irev.engine.gather import gather
    from irev.plots.by_run import tie_ranges

    options = evaluation_options(given).but(tie_range=True)
    found = gather(
        given["files"][0], given["files"][1:], given["measures"] or ("map",), options,
        format=given["qrels_format"], names=given["names"],
        drop_undefined=given["nan"] == "drop-topic",
    )  # fmt: skip
    return tie_ranges(found, by="topic" if given["per_topic"] else "run")


command = plot_job(
    "tie-ranges", make, PER_TOPIC, example="-m P.10 qrels.txt bm25.run rm3.run --output ties.svg"
)
