"""The distribution of the studentised range, for thousands of values at once.

scipy.stats.studentized_range takes about 10 ms for one value; a family of 8,000 pairs of runs
needs 8,000.

The range W of k standard normal values has

    P(W >= w) = k ∫ φ(z) [Φ(z)^(k-1) - (Φ(z) - Φ(z-w))^(k-1)] dz

(z is the largest value), and Q = W/s, where s² is chi squared with ν degrees of freedom over ν:

    P(Q >= q) = ∫ f(s) P(W >= q s) ds.

Both integrands are smooth and fall off fast to both sides, the second one over log s; for such the
trapezoidal rule converges exponentially.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import Chebyshev

if TYPE_CHECKING:
    from collections.abc import Callable

    from irev.core.arrays import Floats, PairValues

_LEAST = 1e-20  # smaller probabilities are given as this
_CUT = 1e-26  # what is left out at the ends of the integral over s
_STEP = 0.1  # of log s, at most
_POINTS = 64  # over log s, at least
_NODES = np.arange(-9.0, 9.0, 0.125)  # z less w/2: at the ends φ is below 1e-17
_DEGREE = 200  # of the polynomial through the logarithms of many probabilities
_ALMOST_ONE = 1 - 2.0**-53


def studentized_range_tail(q: Floats, num_runs: int, df: int) -> PairValues:
    """float64[P]: P(Q >= q), Q the studentised range of k runs with ν degrees of freedom.

    The absolute error is below 1e-10; probabilities below 1e-20 are given as 1e-20, and only that
    of an infinite q as 0.

    Args:
        q: float64[P], values >= 0, infinity among them.
        num_runs: k, at least 2.
        df: ν, at least 1.
    """
    tail = _Tail(num_runs, df)
    probability = np.where(np.isinf(q), 0.0, _LEAST)
    inside = q < studentized_range_critical(_LEAST, num_runs, df)
    values, positions = np.unique(q[inside], return_inverse=True)
    if len(values) <= _DEGREE:
        probabilities = np.array([tail.probability(value) for value in values])
    else:
        probabilities = _interpolated_tail(tail, values)
    probability[inside] = np.clip(probabilities, _LEAST, 1.0)[positions]
    probability[q == 0] = 1.0
    return probability


@lru_cache(64)  # several measures of the same runs ask for the same
def studentized_range_critical(alpha: float, num_runs: int, df: int) -> float:
    """The q with P(Q >= q) = alpha, to about 12 digits.

    Args:
        alpha: in (0, 1).
        num_runs: k, at least 2.
        df: ν, at least 1.
    """
    return _Tail(num_runs, df).quantile(alpha)


class _Tail:
    """P(Q >= q) for one number of runs and of degrees of freedom."""

    def __init__(self, num_runs: int, df: int) -> None:
        from scipy.special import gammainccinv, gammaincinv, gammaln, log_ndtr, ndtr

        self._ndtr: Callable[[Floats], Floats] = ndtr
        self._others = num_runs - 1
        self.spread = math.sqrt(2 * df)
        half = df / 2
        low = math.log(gammaincinv(half, _CUT) / half) / 2
        high = math.log(gammainccinv(half, _CUT) / half) / 2
        points = max(_POINTS, math.ceil((high - low) / _STEP))
        log_s, step = np.linspace(low, high, points, retstep=True)
        density = df * log_s - half * np.expm1(2 * log_s) - half
        density += math.log(2) + half * math.log(half) - float(gammaln(half))
        self._s: Floats = np.exp(log_s)
        self._weight: Floats = np.exp(density) * step
        self._log_ndtr: Callable[[Floats], Floats] = log_ndtr

    def probability(self, q: float) -> float:
        """P(Q >= q) for one q, by the double integral."""
        w = q * self._s[:, None]
        return float(self._weight @ self._range_tail(w))

    def _range_tail(self, range_width: Floats) -> Floats:
        """P(W >= w) for each w of float64[N, 1]."""
        z = range_width / 2 + _NODES
        log_phi = self._log_ndtr(z)
        # 1 - (1 - Φ(z-w)/Φ(z))^(k-1), exact where the ratio is tiny
        below = np.minimum(self._ndtr(z - range_width) / np.exp(log_phi), _ALMOST_ONE)
        some_below = -np.expm1(self._others * np.log1p(-below))
        density = np.exp(self._others * log_phi - z * z / 2)
        factor = (self._others + 1) * (_NODES[1] - _NODES[0]) / math.sqrt(2 * math.pi)
        tail: Floats = (density * some_below).sum(axis=1) * factor
        return tail

    def quantile(self, alpha: float) -> float:
        """The q with P(Q >= q) = alpha."""
        from scipy.optimize import brentq

        def excess(x: float) -> float:
            return math.log(max(self.probability(self.spread * math.sinh(x)), 1e-300)) - math.log(
                alpha
            )

        high = 1.0
        while excess(high) > 0:
            high *= 2
        root = float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-13))
        return self.spread * math.sinh(root)


def _interpolated_tail(tail: _Tail, values: Floats) -> Floats:
    """P(Q >= q) for many rising q, by a polynomial through the logarithms at Chebyshev points."""

    def log_tail(places: Floats) -> Floats:
        return np.log([tail.probability(q) for q in tail.spread * np.sinh(places)])

    # on this scale the logarithm is nearly a straight line far out, whatever the tail's weight
    x = np.arcsinh(values / tail.spread)
    curve = Chebyshev.interpolate(log_tail, _DEGREE, [0.0, x[-1]])
    probabilities: Floats = np.exp(curve(x))
    return probabilities
