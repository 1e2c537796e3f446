"""IFT: the information foraging measure of the C/W/L family, as a plug-in.

    irev --plugin examples/plugins/foraging.py -m 'IFT(part=goal)' QRELS RUN

A user goes on from document to document until the goal T is met (part=goal), until the gain per
document falls below A (part=rate), or with both in mind. Azzopardi, Thomas and Craswell 2018,
Measuring the Utility of Search Engine Result Pages, SIGIR; the defaults are the program cwl_eval's
usual ones.
"""

from __future__ import annotations

import math

import irev

DEPTH = 1000


@irev.topic_measure(
    "IFT",
    title="Information foraging: the rate of gain of a user with a goal and a rate in mind",
    options={
        "part": irev.Option("what stops the user", "both", "choice", ("goal", "rate", "both")),
        "highest": irev.Option("the grade that gains 1", 1.0, low=0.0, above_low=True),
    },
    cites=("azzopardi2019cwleval",),
)
def foraging(
    grades: list[float | None],
    ideal: list[float],
    *,
    cutoff: int | None = None,
    part: str = "both",
    highest: float = 1.0,
    T: float = 2.0,  # noqa: N803 - the paper's letters
    b1: float = 0.9,
    R1: float = 10.0,  # noqa: N803
    A: float = 0.2,  # noqa: N803
    b2: float = 0.9,
    R2: float = 10.0,  # noqa: N803
) -> float:
    """The gain per document that the user sees, down to the cutoff (rank 1000 without one)."""
    depth = cutoff or DEPTH
    reached, gained, seen, value = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain = (grades[rank - 1] or 0.0) / highest if rank <= len(grades) else 0.0
        value += reached * gain
        seen += reached
        gained += gain
        if part in ("goal", "both"):
            reached *= 1 - 1 / (1 + b1 * exp((T - gained) * R1))
        if part in ("rate", "both"):
            reached *= 1 / (1 + b2 * exp((A - gained / rank) * R2))
    return value / seen


def exp(power: float) -> float:
    """The exponential function; infinite where that is too large."""
    return math.exp(power) if power < 700 else math.inf
