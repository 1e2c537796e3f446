"""The result of every plot, and what all plots have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.core.record import record
from irev.core.text import natural_sort_key
from irev.errors import MissingExtraError
from irev.jobs.plots.result_parts import notes_of, parameters_of
from irev.jobs.plots.style import figure_bytes
from irev.jobs.study_result import StudyResult
from irev.writers.forms import html_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from irev.core.arrays import TopicValues
    from irev.core.displayed import DrawFigure
    from irev.errors import Notice
    from irev.jobs.plots.options import TopicOrder
    from irev.scores.table import ScoreTable


@record
class Plot(StudyResult):
    """A figure of runs: `plot()` draws it, and `to_frame()` is what it shows."""

    def _repr_html_(self) -> str:
        """The figure, for notebooks; without matplotlib what it shows, as a table."""
        try:
            page = figure_bytes(self.plot(), "svg").decode()
        except MissingExtraError as error:
            return f"<p>no figure: {html_text(str(error))}</p>\n{super()._repr_html_()}"
        return page[page.index("<svg") :]


def make_plot(
    name: str,
    table: ScoreTable,
    frame: pd.DataFrame,
    draw: DrawFigure,
    *remarks: Notice,
    **choices: Any,
) -> Plot:
    """A plot of a table of scores.

    Args:
        name: what it is called on the command line.
        table: the scores.
        frame: what the figure shows.
        draw: draws the figure in a width.
        remarks: what a reader must know beside what the scores tell.
        choices: what it depends on beside the scores, as JSON can hold it.
    """
    return Plot(
        name, parameters_of(table, **choices), {name: frame}, (name,), {name: draw},
        (*notes_of(table), *remarks), doubts=table.doubts,
    )  # fmt: skip


def topic_order(scores: TopicValues, topics: Sequence[str], sort: TopicOrder) -> list[int]:
    """The indices of topics in natural order, or by their values from the highest down."""
    by_id = sorted(range(len(topics)), key=lambda index: natural_sort_key(topics[index]))
    if sort == "topic":
        return by_id
    return sorted(by_id, key=lambda index: -scores[index])
