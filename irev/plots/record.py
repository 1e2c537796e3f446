"""What every study and every plot gives, and the runs that it is of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irev.comparison.signature import signed
from irev.core.text import storable
from irev.core.wording import counted
from irev.engine.gather import missing_notes
from irev.errors import UsageError
from irev.writers.machine import about_run, both_forms

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irev.core.matrices import Matrices
    from irev.engine.gather import Gathered


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """The outcome of a study.

    name        what the study is called on the command line
    parameters  all that it depends on, as JSON can hold it: inputs, measures, seeds, choices
    tables      name -> tidy table: one observation a row, values in full precision
    shown       the tables that are worth printing, in order; the others are data for files
    figures     name -> what draws it; the table of the same name holds what is drawn
    notes       what a reader must know, a line each
    """

    name: str
    parameters: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    shown: tuple[str, ...]
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


MOST_MEASURES = 12
"""How many measures one figure has room for."""


MISSING = "a judged topic that a run lacks counts as 0"
"""What holds wherever runs are set against each other."""


def run_names(matrices: Matrices) -> list[str]:
    """The runs' names as tables can hold them: bytes that are no UTF-8 are escaped."""
    return [storable(name) for name in matrices.runs]


def topic_names(matrices: Matrices) -> list[str]:
    """The topics likewise."""
    return [storable(topic) for topic in matrices.topics]


def check_room(measures: int) -> None:
    """Refuse more panels than one figure has room for."""
    if measures > MOST_MEASURES:
        raise UsageError(
            f"a figure has room for {MOST_MEASURES} measures, not {measures}: name fewer with -m"
        )


def parameters_of(gathered: Gathered, **choices: Any) -> dict[str, Any]:
    """What a figure depends on, as JSON can hold it: runs, how they were scored, choices."""
    matrices = gathered.matrices
    return {
        "measures": list(matrices.measures), **choices,
        "averaged_over": len(matrices.topics), "missing_count_as_zero": True,
        "runs": [about_run(entry) for entry in matrices.entries],
        "signature": both_forms(signed(matrices, choices)),
    }  # fmt: skip


def notes_of(gathered: Gathered) -> tuple[str, ...]:
    """Over how many topics a figure is, and which of them runs lack."""
    over = f"over {counted(len(gathered.matrices.topics), 'topic')}; {MISSING}"
    return (over, *gathered.notes, *missing_notes(gathered.matrices))


def plotted(
    name: str,
    gathered: Gathered,
    table: pd.DataFrame,
    draw: Callable[[], Figure],
    *notes: str,
    **choices: Any,
) -> Record:
    """The outcome of a plot: one table, and the figure of it."""
    parameters = parameters_of(gathered, **choices)
    return Record(
        name, parameters, {name: table}, (name,), {name: draw}, (*notes_of(gathered), *notes)
    )
