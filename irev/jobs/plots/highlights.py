"""Which runs a figure tells apart, where it has more than eight: the others are grey and thin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.core.wording import count_text
from irev.errors import UsageError, note
from irev.jobs.plots.result_parts import run_names
from irev.jobs.plots.style import COLOURS, GREY, series_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.errors import Notice
    from irev.scores.table import ScoreTable

MOST_TOLD_APART = len(COLOURS)
"""Runs that have a colour and a mark of their own."""


class Highlights(NamedTuple):
    """The runs of a figure: those that are told apart, and the others."""

    names: tuple[str, ...]
    """Of the runs that are told apart, in the order of their looks."""
    others: tuple[str, ...]
    """Of those that are drawn in grey."""
    notes: tuple[Notice, ...]
    """What is said of the choice; none where all runs are told apart."""

    def look_of(self, name: str) -> dict[str, Any]:
        """How the series of a run is drawn."""
        if name in self.names:
            return {**series_style(self.names.index(name)), "zorder": 3}
        return {"color": GREY, "linestyle": "-", "marker": "", "linewidth": 0.6, "zorder": 1.5}

    @property
    def others_label(self) -> str:
        """What the legend says of the others."""
        return count_text(len(self.others), "other run")


def all_told_apart(names: Sequence[str]) -> Highlights:
    """At most eight runs, each with its look."""
    return Highlights(tuple(names), (), ())


def highlight_runs(table: ScoreTable, highlight: Sequence[str], measure: str) -> Highlights:
    """Tell the named runs apart; where none is named all of up to eight, and of more the best.

    Args:
        table: the scores.
        highlight: names, paths or tags of runs.
        measure: what the best run is best by.
    """
    names = run_names(table)
    if not highlight and len(names) <= MOST_TOLD_APART:
        return all_told_apart(names)
    if highlight:
        indices = list(dict.fromkeys(table.run_index(name) for name in highlight))
        reason = "as --highlight says"
    else:
        indices = [int(np.argmax(table.merit(measure)))]
        reason = f"the best by {measure}; --highlight RUN names others"
    if len(indices) > MOST_TOLD_APART:
        raise UsageError(
            f"a figure tells {MOST_TOLD_APART} runs apart, not {len(indices)}: --highlight fewer"
        )
    told_apart = tuple(names[index] for index in indices)
    others = tuple(name for index, name in enumerate(names) if index not in indices)
    if not others:
        return all_told_apart(told_apart)
    text = f"drawn in colour: {', '.join(told_apart)} ({reason}); in grey: {len(others)} more"
    return Highlights(told_apart, others, (note(text),))
