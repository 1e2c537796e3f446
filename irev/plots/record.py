"""What every study and every plot gives: tables, parameters, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


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
