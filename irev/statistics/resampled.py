"""What a test by resampling found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irev.core.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Resampled:
    """The outcome of a test by resampling for P pairs of runs.

    count      int64[P]: resamples at least as extreme as what was observed; 0 where p is exact
    resamples  int64[P]: B, how many were drawn; 0 where p is exact
    p          float64[P]: (count + 1) / (B + 1), never 0 (Phipson & Smyth 2010); or exact
    asl        float64[P]: count / B, the achieved significance level of Sakai (2006); or exact
    error      float64[P]: the standard error of p from having drawn: sqrt(p (1 - p) / B)
    method     P words: how p was found: identical, lattice or listed (both exact), or Monte Carlo
    identical  bool[P]: no topic has a difference; p is 1
    constant   bool[P]: every topic has the same difference
    seed       of the draws
    """

    count: Ints
    resamples: Ints
    p: Floats
    asl: Floats
    error: Floats
    method: tuple[str, ...]
    identical: Bools
    constant: Bools
    seed: int


def resampled(
    exact: Floats,
    count: Ints,
    resamples: int,
    method: tuple[str, ...],
    flags: tuple[Bools, Bools],
    seed: int,
) -> Resampled:
    """The outcome, given the exact p where there is one and NaN where resamples were counted.

    `flags` are those of identical and of constant pairs.
    """
    drawn = np.isnan(exact)
    p = np.where(drawn, (count + 1) / (resamples + 1), exact)
    return Resampled(
        count=np.where(drawn, count, 0),
        resamples=np.where(drawn, resamples, 0),
        p=p,
        asl=np.where(drawn, count / resamples, exact),
        error=np.where(drawn, np.sqrt(p * (1 - p) / resamples), 0.0),
        method=method,
        identical=flags[0],
        constant=flags[1],
        seed=seed,
    )
