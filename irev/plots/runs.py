"""The runs of a figure: what they are called, what they rest on, what must be said of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from irev.comparison.signature import signed
from irev.core.text import storable
from irev.core.wording import counted
from irev.engine.gather import missing_notes
from irev.errors import UsageError, shown
from irev.writers.entries import about_run, both_forms

if TYPE_CHECKING:
    from irev.core.matrices import Matrices
    from irev.engine.gather import Gathered

MOST_MEASURES = 12
"""How many measures one figure has room for."""

_LONGEST_LABEL = 40

MISSING = "a judged topic that a run lacks counts as 0"
"""What holds wherever runs are set against each other."""


def label(text: str) -> str:
    """A name of a run or a topic as it can be drawn: cut, nothing unprintable."""
    return shown(os.fsencode(text), _LONGEST_LABEL)


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
