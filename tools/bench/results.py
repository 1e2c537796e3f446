"""What was measured, pair by pair: figures for a reader, JSON, and a plot of the ratios."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

Figures = dict[str, float]
"""What one side cost, by name: wall, cpu (seconds), peak (MiB)."""


@dataclass
class Pairs:
    """irev and one other program at one case, one right after the other, again and again."""

    case: str
    title: str
    peer: str
    built: str = ""
    """How the peer was built, where it tells."""
    irev: list[Figures] = field(default_factory=list)
    other: list[Figures] = field(default_factory=list)

    def add(self, mine: Figures, other: Figures) -> None:
        """One more pair."""
        self.irev.append(mine)
        self.other.append(other)

    def ratios(self, figure: str) -> list[float]:
        """Of irev to the peer, in the order of the pairs."""
        return [a[figure] / b[figure] for a, b in zip(self.irev, self.other, strict=True)]

    def ratio(self, figure: str) -> float:
        """The median of the pairs' ratios: not the ratio of the medians."""
        return median(self.ratios(figure))

    def spread(self, figure: str) -> tuple[float, float]:
        """The least and the greatest ratio."""
        return min(self.ratios(figure)), max(self.ratios(figure))


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def write_json(path: Path, measured: Sequence[Pairs]) -> None:
    """All figures of all pairs, with the medians and the spread of their ratios."""
    cases = [
        {
            **vars(pairs),
            "ratios": {
                name: {"median": pairs.ratio(name), "least": least, "greatest": greatest}
                for name in pairs.irev[0]
                for least, greatest in [pairs.spread(name)]
            },
        }
        for pairs in measured
    ]
    path.write_text(
        json.dumps({"machine": machine(), "cases": cases}, indent=1) + "\n", encoding="utf-8"
    )


def plot(path: Path, measured: Sequence[Pairs]) -> None:
    """The ratios of wall and processor time, case by case, on a log scale; bars are the spread."""
    from matplotlib.figure import Figure

    rows = [pairs for pairs in measured if "cpu" in pairs.irev[0]]
    figure = Figure(figsize=(8, 1 + 0.3 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    for marker, name in (("o", "wall"), ("s", "cpu")):
        for row, pairs in enumerate(rows):
            least, greatest = pairs.spread(name)
            middle = pairs.ratio(name)
            axes.errorbar(
                middle, row + (0.15 if name == "cpu" else -0.15),
                xerr=[[middle - least], [greatest - middle]],
                marker=marker, color="C0" if name == "wall" else "C1",
                label=name if not row else None,
            )  # fmt: skip
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [f"{pairs.case}: {pairs.peer}" for pairs in rows])
    axes.invert_yaxis()
    axes.set_xlabel("irev's time as a part of the other's")
    axes.legend()
    figure.savefig(path)
