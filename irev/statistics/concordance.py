"""Whether two measures, or two sets of judgments, lead to the same conclusions about runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irev.core.arrays import Bools, Floats, Ints
from irev.errors import UsageError
from irev.statistics.families import every_pair
from irev.statistics.tolerance import SMALLEST, scale_of, without_noise

CONCLUSIONS = (
    "active agreement",
    "active disagreement",
    "passive agreement",
    "passive disagreement",
    "neither",
)
"""Of a pair of runs: both measures find a significant difference, of the same sign (AA) or of
opposite signs (AD); one finds it, and the other has a difference of the same sign or none (PA), or
of the opposite sign (PD); neither finds one."""


@dataclass(frozen=True, eq=False, repr=False)
class Conclusions:
    """What two measures say of P pairs of runs.

    kind  int64[P], an index into CONCLUSIONS
    """

    kind: Ints

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs are of each kind."""
        found = np.bincount(self.kind, minlength=len(CONCLUSIONS)).tolist()
        return dict(zip(CONCLUSIONS, found, strict=True))


def conclusions(
    differences: tuple[Floats, Floats], significant: tuple[Bools, Bools]
) -> Conclusions:
    """Compare the significant conclusions of two measures, pair by pair.

    Args:
        differences: float64[P] twice, the mean difference of each pair under either measure, in the
            same direction; rounding errors already set to 0.
        significant: bool[P] twice, by whatever test.

    Source: Moffat, Scholer and Thomas, ADCS 2012; Ferro and Sanderson, ECIR 2019; here PA and PD
    are the pairs that one measure alone finds significant.
    """
    opposite = np.sign(differences[0]) * np.sign(differences[1]) < 0
    both, either = significant[0] & significant[1], significant[0] | significant[1]
    return Conclusions(np.select([both, either], [opposite.astype(np.int64), opposite + 2], 4))


@dataclass(frozen=True)
class Concordance:
    """Which of two measures agrees more with a third where they disagree.

    disagreements  pairs of runs on a topic that the two order oppositely
    first, second  those in which the measure does not contradict the third, ties included
    first_strict, second_strict  those in which it has the third's order, which has no tie
    p              of the sign test between the two strict counts, two-sided
    """

    disagreements: int
    first: int
    second: int
    first_strict: int
    second_strict: int
    p: float


def concordance(first: Floats, second: Floats, gold: Floats) -> Concordance:
    """The concordance (intuitiveness) test of two measures against a simple third.

    With d1, d2 and g the differences of a pair of runs on a topic: of the cases with d1 d2 < 0, how
    many have d1 g >= 0, and d2 g >= 0. The two strict counts share no case, as one of d1 and d2 has
    the sign of g if g is not 0.

    Args:
        first: float64[T, S], the scores of a measure.
        second: float64[T, S], those of the other.
        gold: float64[T, S], those of the measure that says what is intuitive.

    Raises:
        UsageError: matrices of different shapes.

    Source: Sakai, WWW 2012, "Evaluation with informational and navigational intents", section 4.
    """
    from scipy.stats import binomtest

    if not first.shape == second.shape == gold.shape:
        raise UsageError(
            f"score matrices of different shapes: {first.shape}, {second.shape}, {gold.shape}"
        )
    one, other, third = (_signs(scores) for scores in (first, second, gold))
    apart = one * other < 0
    mine, yours = one * third, other * third
    strict = [int(np.count_nonzero(apart & (each > 0))) for each in (mine, yours)]
    tosses = sum(strict)
    return Concordance(
        disagreements=int(np.count_nonzero(apart)),
        first=int(np.count_nonzero(apart & (mine >= 0))),
        second=int(np.count_nonzero(apart & (yours >= 0))),
        first_strict=strict[0],
        second_strict=strict[1],
        p=max(SMALLEST, float(binomtest(strict[0], tosses).pvalue)) if tosses else 1.0,
    )


def _signs(scores: Floats) -> Floats:
    """float64[T, P]: the sign of each pair's difference on each topic."""
    apart = every_pair(scores.shape[1]).differences(scores)
    return np.sign(without_noise(apart, scale_of(scores)))
