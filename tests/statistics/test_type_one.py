"""How often each test rejects when there is nothing to find: within binomial bands of alpha.

The two runs of each of many independent pairs are exchangeable. A test that is exact must not
reject more often than alpha; one that takes few values rejects less often.
"""

import math

import numpy as np
import pytest
from scipy import stats

from irev.statistics.differences import RunPairs
from irev.statistics.resampling import bootstrap_test, permutation_test
from irev.statistics.significance_tests import paired_t, sign_test, wilcoxon

ALPHAS = (0.05, 0.01)
PAIRS = 2000
FAMILY = RunPairs(np.arange(PAIRS), np.arange(PAIRS) + PAIRS)


def equal_runs(topics, seed):
    """Pairs of runs of the same quality, on topics of their own."""
    random = np.random.default_rng(seed)
    hard = np.tile(random.normal(0, 1, (topics, PAIRS)), 2)
    return 1 / (1 + np.exp(-hard - random.normal(0, 0.7, (topics, 2 * PAIRS))))


def equal_discrete_runs(topics, seed):
    random = np.random.default_rng(seed)
    return random.binomial(10, np.tile(random.random((topics, PAIRS)), 2)) / 10


def band(rate):
    return 4 * math.sqrt(rate * (1 - rate) / PAIRS)


def rejected(found, alpha):
    return float(np.mean(found.p <= alpha))


@pytest.mark.thorough
@pytest.mark.parametrize("tail", ["two-sided", "greater", "less"])
def test_tests_of_continuous_scores_reject_at_alpha(tail):
    scores = equal_runs(40, seed=1)
    drawn = permutation_test(scores, FAMILY, tail=tail, num_resamples=2000)
    others = paired_t(scores, FAMILY, tail=tail), wilcoxon(scores, FAMILY, tail=tail)
    for alpha in ALPHAS:
        for found in (drawn, *others):
            assert rejected(found, alpha) == pytest.approx(alpha, abs=band(alpha))


@pytest.mark.thorough
def test_listing_all_signs_rejects_at_alpha():
    found = permutation_test(equal_runs(16, seed=2), FAMILY)
    assert set(found.method) == {"listed"}
    for alpha in ALPHAS:
        assert rejected(found, alpha) == pytest.approx(alpha, abs=band(alpha))


@pytest.mark.thorough
def test_the_studentised_bootstrap_rejects_at_about_alpha():
    # all pairs share the samples of topics; B and T are small, so the band is a little wider
    found = bootstrap_test(equal_runs(30, seed=3), FAMILY, num_resamples=2000)
    for alpha in ALPHAS:
        assert rejected(found, alpha) == pytest.approx(alpha, abs=1.5 * band(alpha))


@pytest.mark.thorough
def test_the_bootstrap_of_means_rejects_too_often_with_few_topics():
    scores = equal_runs(10, seed=4)
    means = rejected(bootstrap_test(scores, FAMILY, statistic="mean", num_resamples=2000), 0.05)
    assert means > 0.05 + band(0.05)


@pytest.mark.thorough
def test_tests_of_discrete_scores_reject_at_most_at_alpha():
    scores = equal_discrete_runs(30, seed=5)
    exact = permutation_test(scores, FAMILY)
    assert set(exact.method) == {"lattice"}
    for found in (exact, wilcoxon(scores, FAMILY), sign_test(scores, FAMILY)):
        for alpha in ALPHAS:
            assert alpha / 4 < rejected(found, alpha) < alpha + band(alpha)


@pytest.mark.thorough
def test_the_sign_test_rejects_as_often_as_a_fair_coin():
    topics = 25
    rate = rejected(sign_test(equal_runs(topics, seed=6), FAMILY), 0.05)
    p = [stats.binomtest(wins, topics).pvalue for wins in range(topics + 1)]
    chance = stats.binom.pmf(range(topics + 1), topics, 0.5)
    size = sum(c for c, value in zip(chance, p, strict=True) if value <= 0.05)
    assert rate == pytest.approx(size, abs=band(size))
