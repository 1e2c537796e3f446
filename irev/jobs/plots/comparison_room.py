"""How much a figure of a comparison has room for, told before anything is computed."""

from __future__ import annotations

from irev.jobs.plots.style import MOST_MEASURES

_MOST_PAIRS = 60
"""So many differences have room in a panel."""
_FEWEST_RANKED, _MOST_RANKED = 3, 100
"""And so many runs by their mean ranks."""


def room_refusal(kind: str, num_runs: int, num_baselines: int, num_measures: int = 1) -> str:
    """Why a figure of a comparison has no room for so much; empty if it has.

    Args:
        kind: "forest", "topics" or "ranks".
        num_runs: runs that are compared.
        num_baselines: baselines among them; 0: all pairs are compared.
        num_measures: measures, for each class of topics.
    """
    others = num_runs - 1 if not num_baselines else num_runs - num_baselines
    pairs = num_runs * others // 2
    if num_baselines:
        pairs = num_baselines * others + num_baselines * (num_baselines - 1) // 2
    if kind == "ranks" and not _FEWEST_RANKED <= num_runs <= _MOST_RANKED:
        return (
            f"mean ranks can be drawn for {_FEWEST_RANKED} to {_MOST_RANKED} runs, not {num_runs}"
        )
    if kind == "forest" and pairs > _MOST_PAIRS:
        return f"a forest plot has room for {_MOST_PAIRS} pairs, not {pairs}: name a --baseline"
    num_panels = num_measures * pairs if kind == "topics" else num_measures
    if num_panels > MOST_MEASURES:
        return f"a figure has room for {MOST_MEASURES} panels, not {num_panels}: name fewer " + (
            "runs or measures, or a --baseline" if kind == "topics" else "measures"
        )
    return ""
