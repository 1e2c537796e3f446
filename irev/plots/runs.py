"""The runs of a figure: what they are called, what they rest on, what must be said of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from irev.comparison.signature import signed
from irev.errors import UsageError, shown
from irev.gather import missing_notes
from irev.texts import storable

if TYPE_CHECKING:
    from irev.gather import Gathered
    from irev.matrices import Matrices

MOST_MEASURES = 12
"""How many measures one figure has room for."""

_LONGEST_LABEL = 40


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
    runs = [
        {
            "name": label(entry.name),
            "path": storable(entry.path),
            "missing": [shown(topic) for topic in entry.missing],
            "signature": None if entry.signature is None else entry.signature.long,
            "signature_short": None if entry.signature is None else entry.signature.short,
        }
        for entry in matrices.entries
    ]
    signature = signed(matrices, choices)
    return {
        "measures": list(matrices.measures), **choices, "runs": runs,
        "signature": signature.short, "signature parts": signature.long,
    }  # fmt: skip


def notes_of(gathered: Gathered) -> tuple[str, ...]:
    """Over how many topics a figure is, and which of them runs lack."""
    number = len(gathered.matrices.topics)
    over = f"over {number} {'topic' if number == 1 else 'topics'}"
    return (over, *gathered.notes, *missing_notes(gathered.matrices))
