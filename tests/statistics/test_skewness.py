"""Notes about skewed differences."""

import numpy as np
import pytest
from scipy import stats

from irev.statistics.differences import (
    every_pair,
    mean_skewness,
    pairs_with_baselines,
    skewness_warnings,
)

PAIRS = every_pair(6)


def test_mean_skewness_is_that_of_scipy():
    scores = np.random.default_rng(1).gamma(0.3, 1, (25, 6))
    expected = np.abs(stats.skew(PAIRS.differences(scores), axis=0)).mean()
    assert mean_skewness(scores, PAIRS) == pytest.approx(expected)
    scores[:, 1] = scores[:, 0]  # a pair without differences has none, and counts
    apart = PAIRS.differences(scores)[:, 1:]
    expected = np.abs(stats.skew(apart, axis=0)).sum() / len(PAIRS)
    assert mean_skewness(scores, PAIRS) == pytest.approx(expected)


def test_the_note_is_for_few_topics_and_skewed_differences():
    random = np.random.default_rng(2)
    skewed = random.gamma(0.1, 1, (150, 6))
    (note,) = skewness_warnings(skewed[:50], PAIRS, ["t", "permutation"])
    assert "with 50 topics t and permutation may reject too often" in note
    assert [*skewness_warnings(skewed, PAIRS, ["t"])] == []
    assert [*skewness_warnings(skewed[:50], PAIRS, [])] == []
    assert [*skewness_warnings(skewed[:50], pairs_with_baselines(3, [0]), ["t"])] == []
    # three pairs are enough
    assert len([*skewness_warnings(skewed[:50], pairs_with_baselines(4, [0]), ["t"])]) == 1
    told = sum(
        len([*skewness_warnings(random.normal(0, 1, (topics, 6)), PAIRS, ["t"])])
        for topics in (10, 50)
        for _ in range(20)
    )
    assert told <= 2
