"""What measures do with the ranks that they may be cut at."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from irev.core.arrays import Ints
from irev.core.model import Judged

Ranks: TypeAlias = tuple[int | None, ...]
"""Cutoffs, one for each column; None: the whole ranking."""

BEHIND_ALL = 2**63 - 1
"""A rank that no ranking reaches."""


def as_ranks(cutoffs: Ranks) -> tuple[int, ...]:
    """The cutoffs as ranks, where the whole ranking has one that is never reached."""
    return tuple(BEHIND_ALL if cutoff is None else cutoff for cutoff in cutoffs)


def shown_at(judged: Judged, cutoffs: Ranks) -> Ints:
    """int64[T, K]: how many documents were retrieved at ranks up to each cutoff."""
    return np.minimum(judged.num_ret[:, None], np.asarray(as_ranks(cutoffs), np.int64))
