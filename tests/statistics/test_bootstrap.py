"""Sakai's paired bootstrap test: exact values, plain loops, and changes that must not matter."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from irev.statistics import draws
from irev.statistics.bootstrap import Statistic, bootstrap_test, topic_weights
from irev.statistics.differences import RunPairs, every_pair
from tests.each import for_each
from tests.statistics_rows import matrix, pair_of, rows

ONE = RunPairs(np.array([0]), np.array([1]))
TAILS = ["two-sided", "greater", "less"]
EXACT = [row for row in rows("paired") if row.values[2].endswith("asl_exact")]


@for_each(("section", "case", "name", "expected", "tolerance"), EXACT)
def test_drawn_asl_is_near_the_exact_one(section, case, name, expected, tolerance):
    statistic: Statistic = "studentised" if "student" in name else "mean"
    found = bootstrap_test(pair_of(case), ONE, statistic=statistic, num_resamples=100_000)
    spread = math.sqrt(expected * (1 - expected) / 100_000)
    assert found.asl[0] == pytest.approx(expected, abs=4 * spread + 1e-5)
    assert found.p[0] == (found.count[0] + 1) / 100_001


def by_loops(scores, statistic, tail, resamples, seed):
    """The definition, pair by pair and sample by sample, on the same samples."""
    counts = []
    pairs = every_pair(scores.shape[1])
    for i, j in zip(pairs.first, pairs.second, strict=True):
        d = scores[:, i] - scores[:, j]
        n = len(d)
        w = np.round(d - d.mean(), 12)
        observed = d.mean() if statistic == "mean" else d.mean() / (d.std(ddof=1) / math.sqrt(n))
        count = 0
        for block, size in draws.resample_blocks(resamples):
            for topics in draws.topic_samples(seed, block, size, n):
                star = starred(w[topics], statistic)
                count += reaches(star, observed, tail)
        counts.append(count)
    return counts


def starred(sample, statistic):
    mean = sample.mean() if np.ptp(sample) else sample[0]
    if statistic == "mean":
        return mean
    if np.ptp(sample) == 0:
        return math.copysign(math.inf, mean) if mean else math.nan
    return mean / (sample.std(ddof=1) / math.sqrt(len(sample)))


def reaches(star, observed, tail):
    if math.isnan(star):
        return False
    near = 1e-9
    return {
        "two-sided": abs(star) >= abs(observed) - near,
        "greater": star >= observed - near,
        "less": star <= observed + near,
    }[tail]


def small(topics, runs, seed):
    """Few topics and few values: many samples of one value, and of none."""
    return np.random.default_rng(seed).integers(0, 4, (topics, runs)) / 4


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("statistic", ["studentised", "mean"])
@pytest.mark.parametrize("topics", [3, 4, 6, 15])
def test_counts_are_those_of_plain_loops(topics, statistic, tail):
    scores = small(topics, 4, seed=topics)
    scores[:, 3] = 0.5 - scores[::-1, 0] / 3
    pairs = every_pair(4)
    found = bootstrap_test(
        scores, pairs, statistic=statistic, tail=tail, num_resamples=1100, seed=4
    )
    assert not (found.identical | found.constant).any()
    assert found.count.tolist() == by_loops(scores, statistic, tail, 1100, 4)


@pytest.mark.parametrize("tail", TAILS)
def test_a_mean_difference_of_0(tail):
    """With a t of 0 sample reaches it two-sided, but those of nothing but 0."""
    d = np.array([0.2, -0.2, 0.0])
    scores = np.array([0.5 + d, np.full(3, 0.5)]).T
    found = bootstrap_test(scores, ONE, tail=tail, num_resamples=30_000)
    sums = [round(5 * sum(sample)) for sample in itertools.product(d, repeat=3) if any(sample)]
    reached = sums if tail == "two-sided" else [x for x in sums if x >= 0]
    expected = len(reached) / 27
    assert found.asl[0] == pytest.approx(expected, abs=4 * 0.5 / math.sqrt(30_000))


def test_differences_that_do_not_vary():
    grid = np.linspace(0.1, 0.9, 9)
    scores = np.array([grid + 0.1, grid, grid]).T
    pairs = RunPairs(np.array([0, 1, 1]), np.array([1, 2, 0]))
    found = bootstrap_test(scores, pairs, num_resamples=500)
    # of 9 equal signs: 2 of 2^9 patterns
    assert found.asl.tolist() == found.p.tolist() == [1 / 256, 1.0, 1 / 256]
    assert found.method == ("constant", "identical", "constant")
    assert found.constant.tolist() == [True, False, True]
    greater = bootstrap_test(scores, pairs, tail="greater", num_resamples=500)
    less = bootstrap_test(scores, pairs, tail="less", num_resamples=500)
    assert (greater.p.tolist(), less.p.tolist()) == ([1 / 512, 1, 1], [1, 1, 1 / 512])


def continuous(topics, runs):
    random = np.random.default_rng(11)
    return random.random((topics, 1)) + 0.3 * random.random((topics, runs))


@pytest.mark.parametrize("statistic", ["studentised", "mean"])
def test_threads_scale_and_other_runs_change_nothing(statistic):
    scores, pairs = continuous(25, 5), every_pair(5)
    options = {"statistic": statistic, "num_resamples": 3000}
    found = bootstrap_test(scores, pairs, threads=1, **options)
    for other in (
        bootstrap_test(scores, pairs, threads=3, **options),
        bootstrap_test(scores * 100, pairs, **options),
    ):
        assert found.count.tolist() == other.count.tolist()
    alone = bootstrap_test(scores[:, 3:], ONE, **options)
    assert alone.count[0] == found.count[-1]
    longer = bootstrap_test(scores, pairs, statistic=statistic, num_resamples=4000)
    assert (longer.count >= found.count).all()


def test_weights_say_how_often_a_topic_is_drawn():
    weights = topic_weights(0, 2, 100, 7)
    drawn = draws.topic_samples(0, 2, 100, 7)
    assert weights.shape == (100, 7)
    for row, topics in zip(weights, drawn, strict=True):
        assert {t: n for t, n in enumerate(row) if n} == Counter(topics.tolist())


def test_the_studentised_test_is_not_liberal_where_that_of_means_is():
    scores, _ = matrix("F2")
    means = bootstrap_test(scores, ONE, statistic="mean").p[0]
    studentised = bootstrap_test(scores, ONE).p[0]
    assert means < 0.01 < 0.03 < studentised  # t has .0316, permutation .0625


def test_equal_scores_are_noted() -> None:
    from irev.statistics.intervals import equal_score_notes

    scores = np.array([[1.0, 0.3, 0.5], [1.0, 0.3, 0.6], [1.0, 0.3, 0.5]])
    (line,) = equal_score_notes(scores, ["a", "b", "c"])
    assert line.startswith("all scores of a, b are the same: ")
    assert list(equal_score_notes(scores[:, 2:], ["c"])) == []
