"""p-values of several hypotheses, corrected for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.core.arrays import Floats


def bonferroni(p: Floats) -> Floats:
    """float64[m]: min(1, m p); the chance of any false rejection is at most alpha.

    Args:
        p: float64[m], each in [0, 1].

    Raises:
        UsageError: a value is not in [0, 1], or is not a number.
    """
    _check(p)
    return np.minimum(1.0, len(p) * p)


def holm(p: Floats) -> Floats:
    """float64[m]: Holm's step-down correction, never above Bonferroni's.

    The k-th smallest p becomes the largest of min(1, (m - i + 1) p_(i)) over i <= k.

    Args:
        p: float64[m], each in [0, 1].

    Raises:
        UsageError: a value is not in [0, 1], or is not a number.

    Source: S. Holm, Scandinavian Journal of Statistics 6, 1979.
    """
    _check(p)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def benjamini_hochberg(p: Floats) -> Floats:
    """float64[m]: the expected share of false rejections, of independent tests, is at most alpha.

    The k-th smallest p becomes the smallest of min(1, m p_(i) / i) over i >= k.

    Args:
        p: float64[m], each in [0, 1].

    Raises:
        UsageError: a value is not in [0, 1], or is not a number.

    Source: Y. Benjamini and Y. Hochberg, JRSS B 57, 1995.
    """
    return _false_discovery(p, "bh")


def benjamini_yekutieli(p: Floats) -> Floats:
    """float64[m]: as Benjamini and Hochberg's times Σ_{i<=m} 1/i; for any dependence of the tests.

    Args:
        p: float64[m], each in [0, 1].

    Raises:
        UsageError: a value is not in [0, 1], or is not a number.

    Source: Y. Benjamini and D. Yekutieli, Annals of Statistics 29, 2001.
    """
    return _false_discovery(p, "by")


def _false_discovery(p: Floats, method: Literal["bh", "by"]) -> Floats:
    from scipy.stats import false_discovery_control

    _check(p)
    if not len(p):
        return np.zeros(0)
    corrected: Floats = false_discovery_control(p, method=method)
    return corrected


def _check(p: Floats) -> None:
    """A value that is not a number would make all others of the family so."""
    if not ((p >= 0) & (p <= 1)).all():
        raise UsageError("each p-value to correct must be a number from 0 to 1")
