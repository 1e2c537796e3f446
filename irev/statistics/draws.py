"""Samples of topics with replacement, drawn once and used for all runs and measures."""

from __future__ import annotations

import numpy as np

from irev.core.arrays import Floats, Ints
from irev.statistics import streams


def topic_draws(seed: int, resamples: int, topics: int, size: int = 0) -> Ints:
    """int64[B, size]: indices of topics drawn with replacement; size 0 means all T.

    The draws are those of every bootstrap of the same seed here.
    """
    drawn = [
        streams.topic_samples(seed, block, count, topics, size)
        for block, count in streams.blocks(resamples)
    ]
    return np.concatenate(drawn) if drawn else np.empty((0, size or topics), np.int64)


def weights_of(samples: Ints, topics: int) -> Floats:
    """float64[B, T]: how often each topic is in each sample."""
    rows = np.arange(len(samples))[:, None] * topics
    count = np.bincount((samples + rows).ravel(), minlength=len(samples) * topics)
    return count.reshape(len(samples), topics).astype(np.float64)
