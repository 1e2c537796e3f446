"""No text is cut, covered or too small, whatever the runs are called and however many there are.

Here is a part of the sizes; `make figures-check` draws all.
"""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from tools.figures.faults import figure_faults
from tools.figures.invented import KINDS, NAMINGS, WIDTHS, Invented, invented_figure

SIZES = ((1, 1), (3, 43), (16, 1), (60, 43), (3, 1), (16, 43), (1, 43), (3, 467), (60, 1))
"""Numbers of runs and topics, which the kinds take in turn."""


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("kind", KINDS)
def test_everything_has_room(kind: str) -> None:
    place = list(KINDS).index(kind)
    runs, topics = SIZES[place % len(SIZES)]
    size = Invented(runs, topics, NAMINGS[(place + place // 4) % len(NAMINGS)])
    assert figure_faults(invented_figure(kind, size, WIDTHS[place % 2])) == []


def test_faults_are_seen() -> None:
    figure = Figure(figsize=(2, 1), dpi=100)
    figure.text(0.5, 0.5, "one", fontsize=9)
    figure.text(0.52, 0.5, "two", fontsize=9)
    figure.text(0.95, 0.9, "outside", fontsize=9)
    figure.text(0.1, 0.1, "small", fontsize=5)
    assert figure_faults(figure) == [
        "outside: 'outside'",
        "too small: 'small' has 5 points",
        "overlap: 'one' and 'two'",
        "ink on the rim",
    ]
