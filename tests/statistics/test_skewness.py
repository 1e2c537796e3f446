"""Notes about skewed differences."""

import numpy as np
import pytest
from scipy import stats

from irev.statistics.differences import every_pair, pairs_with_baselines
from irev.statistics.methods import SkewnessLimit, mean_skewness, skewness_warnings

PAIRS = every_pair(6)
FEW: SkewnessLimit = "few topics"
MODERATED: SkewnessLimit = "few topics and runs"


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
    (note,) = skewness_warnings(skewed[:50], PAIRS, {"t": FEW, "permutation": FEW})
    assert "with 50 topics t and permutation may reject too often" in note
    assert [*skewness_warnings(skewed, PAIRS, {"t": FEW})] == []
    assert [*skewness_warnings(skewed[:50], PAIRS, {})] == []
    assert [*skewness_warnings(skewed[:50], pairs_with_baselines(3, [0]), {"t": FEW})] == []
    # three pairs are enough
    assert len([*skewness_warnings(skewed[:50], pairs_with_baselines(4, [0]), {"t": FEW})]) == 1
    told: int = sum(
        len([*skewness_warnings(random.normal(0, 1, (topics, 6)), PAIRS, {"t": FEW})])
        for topics in (10, 50)
        for _ in range(20)
    )
    assert told <= 2


@pytest.mark.parametrize(
    ("num_topics", "num_runs", "is_told"),
    [(10, 5, True), (24, 5, True), (25, 5, False), (10, 6, False), (50, 24, False),
     (10, 25, False), (50, 60, False), (100, 25, False)],
)  # fmt: skip
def test_where_the_moderated_t_has_a_note(num_topics: int, num_runs: int, is_told: bool) -> None:
    """Few topics of few runs; t has it with more of either too, up to 99 topics."""
    skewed = np.random.default_rng(3).gamma(0.1, 1, (num_topics, num_runs))
    pairs = every_pair(num_runs)
    notes = [*skewness_warnings(skewed, pairs, {"moderated": MODERATED})]
    words = "too often: in 6% to 9% of simulations without a difference, at alpha 0.05"
    assert [note.endswith(words) for note in notes] == [True] * is_told
    both = [*skewness_warnings(skewed, pairs, {"t": FEW, "moderated": MODERATED})]
    assert len(both) == (0 if num_topics >= 100 else 1 + is_told)
    even = np.random.default_rng(3).random((num_topics, num_runs))
    assert [*skewness_warnings(even, pairs, {"moderated": MODERATED})] == []
