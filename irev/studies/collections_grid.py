"""How measures hold out on several collections at once.

E. Yilmaz and J. A. Aslam, CIKM 2006, figure 9: a column for each collection, a row for each of tau,
rho, RMS error and mean value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from irev.errors import Notice, UsageError
from irev.plots.outcome import Outcome
from irev.plots.style import label, panels, style
from irev.studies.robustness_tables import (
    JUDGED,
    KEPT,
    STATISTICS,
    legend_of_lines,
    lines_of_measures,
    looks_of,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.errors import Told

_FIGURES = {"grid": JUDGED, "imperfect": KEPT}
_OF_ONE = ("curves", "scatter")
"""Tables for figures of one collection."""


def side_by_side(outcomes: Mapping[str, Outcome]) -> Outcome:
    """The outcomes of `robustness` on several collections as one.

    `outcomes`: those of the same measures and rates, by the names of the collections.

    Returns:
        The tables of `robustness` with a column `collection` before the others, and the figures
        `grid` and `imperfect`: a row for each statistic, a column for each collection.

    Raises:
        UsageError: a measure is called otherwise on some collection.
    """
    import pandas as pd

    first = next(iter(outcomes.values()))
    measures = [each.parameters["measures"] for each in outcomes.values()]
    if any(each != measures[0] for each in measures):
        raise UsageError(
            "the collections give a measure different names, such as ERR(max=2) and ERR(max=3): "
            "write the parameter in the name"
        )
    tables: dict[str, pd.DataFrame] = {}
    for kind in (kind for kind in first.tables if kind not in _OF_ONE):
        parts = [each.tables[kind] for each in outcomes.values()]
        table = pd.concat(parts, keys=outcomes, names=["collection"])
        tables[kind] = table.reset_index(level="collection").reset_index(drop=True)
        tables[kind].attrs.update(parts[0].attrs)
    figures: dict[str, Callable[[], Figure]] = {
        kind: partial(figure_of, tables[kind], across)
        for kind, across in _FIGURES.items()
        if kind in tables
    }
    parameters: dict[str, Any] = {
        "study": first.name,
        "collections": {name: dict(each.parameters) for name, each in outcomes.items()},
        "signature": [each.parameters["signature"] for each in outcomes.values()],
    }
    told = tuple(_of(name, said) for name, each in outcomes.items() for said in each.told)
    return Outcome(first.name, parameters, tables, first.shown, figures, told)


def _of(name: str, said: Told) -> Told:
    """What is said of a collection, with its name."""
    if isinstance(said, Notice):
        return said._replace(run=f"{name}: {said.run}" if said.run else name)
    return f"{name}: {said}"


def figure_of(table: pd.DataFrame, across: str) -> Figure:
    """A row of panels for each statistic, a column for each collection; axes alike in a row."""
    looks = looks_of(table)
    names: Sequence[str] = list(dict.fromkeys(table["collection"]))
    statistics = list(dict.fromkeys(table["statistic"]))
    with style():
        figure, axes = panels(
            len(names) * len(statistics), width=3.0, height=2.2, across=len(names)
        )
        for row, statistic in enumerate(statistics):
            of_row = table[table["statistic"] == statistic]
            some = axes[row * len(names) : (row + 1) * len(names)]
            for panel, name in zip(some, names, strict=True):
                if panel is not some[0]:
                    panel.sharey(some[0])
                lines_of_measures(panel, of_row[of_row["collection"] == name], looks)
                if row == 0:
                    panel.set_title(label(name))
            some[0].set_ylabel(STATISTICS[statistic])
        for panel in axes[-len(names) :]:
            panel.set_xlabel(across)
        legend_of_lines(figure, axes, looks)
    return figure
