"""Options that several measures have, said once."""

from __future__ import annotations

import numpy as np

from irev.arrays import Floats
from irev.measures.registry import GainValue, Option

GAIN = Option(
    "the gain of a grade: the grade itself (linear), 2^grade - 1 (exp), or a map {1:1,2:5}; "
    "also a ratio 10:5:1 from the highest level down",
    "linear",
    kind="gain",
    choices=("linear", "exp"),
)
DISCOUNT = Option(
    "the discount of rank r: 1/log2(r + 1) (log2), or 1 up to rank b and 1/log_b(r) behind it (jk)",
    "log2",
    kind="choice",
    choices=("log2", "jk"),
    shown=True,
)
BASE = Option(
    "the base of Jarvelin and Kekalainen's discount; naming it implies disc=jk",
    2.0,
    low=1.0,
    above_low=True,
    implies=("disc", "jk"),
)
BETA = Option(
    "how much the gains weigh beside the counts: 0 is average precision, inf the weighted one",
    1.0,
    low=0.0,
    shown=True,
)
DENOMINATOR = Option(
    "what a cut sum is divided by: the relevant documents (R), or at most the cutoff (min)",
    "R",
    kind="choice",
    choices=("R", "min"),
)
HIGHEST = Option("the highest grade of the scale", None, kind="scale", low=0.0, shown=True)


def gain_values(grade: Floats, gain: GainValue) -> Floats:
    """float64[...]: the gain of each grade; what is not judged (below 0) has 0 unless listed."""
    judged = np.maximum(grade, 0.0)
    if gain == "exp":
        # powers of two are exact for whole grades
        levels, place = np.unique(judged, return_inverse=True)
        powers = np.array([2.0**level - 1.0 for level in levels.tolist()])
        return powers[place].reshape(judged.shape)
    if isinstance(gain, str):
        return judged
    for level, value in gain:
        judged[grade == level] = value
    return judged
