"""The corrections for several hypotheses: one record for each.

What a record calls is imported when it is called, so that a command's help loads none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from irev.core.arrays import Floats

    CorrectionFunction: TypeAlias = Callable[[Floats], Floats]


class Correction(NamedTuple):
    """What is done about the number of hypotheses.

    title       what it is called in a heading
    phrase      and in a sentence
    function    float64[m] corrected p for float64[m] p; None: it needs more than these
    strictness  how many times below alpha the smallest of m p must be where it alone is to be
                significant
    familywise  whether the chance of any false rejection is at most alpha: all hypotheses rejected,
                and what follows from them, hold at once
    steps_down  of a familywise one: whether it steps down, so that it may reject where Bonferroni's
                intervals, which go with it, hold 0
    only_test   the only test that it corrects; empty: any that is not corrected in itself
    """

    title: str
    phrase: str
    function: CorrectionFunction | None
    strictness: Callable[[int], float] = float
    familywise: bool = False
    steps_down: bool = False
    only_test: str = ""


def _correction_function(function_name: str) -> CorrectionFunction:
    """A function of `corrections`."""

    def correct(p: Floats) -> Floats:
        from irev.statistics import corrections

        corrected_p: Floats = getattr(corrections, function_name)(p)
        return corrected_p

    return correct


def _harmonic_strictness(num_hypotheses: int) -> float:
    import numpy as np

    return num_hypotheses * float(np.cumsum(1 / np.arange(1, num_hypotheses + 1))[-1])


CORRECTIONS: dict[str, Correction] = {
    "none": Correction("not corrected", "no correction", lambda p: p, lambda _: 1.0),
    "bonferroni": Correction(
        "corrected by Bonferroni", "Bonferroni's correction", _correction_function("bonferroni"),
        familywise=True,
    ),
    "holm": Correction(
        "corrected by Holm", "Holm's correction", _correction_function("holm"), familywise=True,
        steps_down=True,
    ),
    "bh": Correction(
        "corrected by Benjamini-Hochberg (false discovery rate)",
        "Benjamini and Hochberg's correction", _correction_function("benjamini_hochberg"),
    ),
    "by": Correction(
        "corrected by Benjamini-Yekutieli (false discovery rate)",
        "Benjamini and Yekutieli's correction", _correction_function("benjamini_yekutieli"),
        _harmonic_strictness,
    ),
    "maxt": Correction(
        "corrected by step-down maxT", "step-down maxT", None, lambda _: 1.0, familywise=True,
        steps_down=True, only_test="permutation",
    ),
}  # fmt: skip
"""The corrections by what options call them, in the order in which they are listed."""

CORRECTIONS_OF_P = tuple(name for name, correction in CORRECTIONS.items() if correction.function)
"""The corrections that are functions of p alone."""


def correct_p(p_values: Floats, correction_name: str) -> Floats:
    """float64[m]: p-values corrected by one of `CORRECTIONS_OF_P`."""
    function = CORRECTIONS[correction_name].function
    assert function is not None  # noqa: S101 - those of OF_P have one
    return function(p_values)
