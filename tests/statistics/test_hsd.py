"""Tukey's HSD for runs on the same topics, its randomised form, and the studentised range."""

import math
import time
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from irev.errors import UsageError
from irev.statistics.differences import every_pair, pairs_with_baselines
from irev.statistics.hsd import pair_variance_ratios, randomised_hsd, tukey_hsd
from irev.statistics.methods import TESTS, InferenceSettings
from irev.statistics.studentized_range import studentized_range_critical, studentized_range_tail
from tests.each import for_each
from tests.real_data import MATRICES, needs_real_data, real_matrix
from tests.statistics_rows import matrix, rows

RESAMPLES = 100_000


def place(case, names):
    """Which of all pairs a case such as "F2:A-C" is about."""
    first, second = case.split(":")[1].split("-")
    family = every_pair(len(names))
    wanted = (names.index(first), names.index(second))
    pairs = list(zip(family.first.tolist(), family.second.tolist(), strict=True))
    return pairs.index(wanted)


@for_each(("section", "case", "quantity", "expected", "tolerance"), rows("hsd"))
def test_expected_values(section, case, quantity, expected, tolerance):
    scores, names = matrix(case)
    found = tukey_hsd(scores, every_pair(len(names)))
    if ":" not in case:
        of_all = {"q_crit_05": found.critical, "hsd_margin_05": found.margin}
        assert of_all[quantity] == pytest.approx(expected, abs=tolerance)
        return
    pair = place(case, names)
    if quantity == "p_oneway_WRONG":  # of a test that takes the runs for independent samples
        assert abs(found.p[pair] - expected) > 0.01
        return
    values = {"q": found.q, "p_twoway": found.p, "es_hsd": found.effect_size}[quantity]
    assert values[pair] == pytest.approx(expected, abs=tolerance)


@cache
def drawn(case):
    scores, names = matrix(case)
    family = every_pair(len(names))
    return randomised_hsd(scores, family, num_resamples=RESAMPLES, threads=2)


@pytest.mark.parametrize(("section", "case", "quantity", "expected", "tolerance"), rows("rthsd"))
def test_randomised_is_near_the_exact_p(section, case, quantity, expected, tolerance):
    family = case.split(":")[0]
    found = drawn(family)
    _, names = matrix(family)
    spread = math.sqrt(expected * (1 - expected) / RESAMPLES)
    assert abs(found.p[place(case, names)] - expected) < 4 * spread


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("df", [1, 5, 98, 6272])
@pytest.mark.parametrize("runs", [2, 3, 15, 129])
def test_tail_is_scipys(runs, df):
    critical = studentized_range_critical(0.05, runs, df)
    q = np.array([0.2, 0.6, 1, 1.6]) * critical
    expected = stats.studentized_range.sf(q, runs, df)
    assert expected[2] == pytest.approx(0.05, abs=2e-9)
    assert studentized_range_tail(q, runs, df) == pytest.approx(expected, abs=2e-9)


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("df", [1, 7, 6000])
def test_two_runs_give_the_t_distribution(df):
    t = np.linspace(0, 9, 700)
    tail = studentized_range_tail(math.sqrt(2) * t, 2, df)
    assert tail == pytest.approx(2 * stats.t.sf(t, df), abs=1e-11)
    few = studentized_range_tail(math.sqrt(2) * t[::40], 2, df)
    assert few == pytest.approx(2 * stats.t.sf(t[::40], df), abs=1e-12, rel=1e-6)


def test_published_critical_values():
    # the usual tables of the studentised range, upper 5% and 1% points
    assert round(studentized_range_critical(0.05, 3, 10), 2) == 3.88
    assert round(studentized_range_critical(0.05, 10, 20), 2) == 5.01
    assert round(studentized_range_critical(0.01, 5, 30), 2) == 5.05


def test_the_ends_of_the_tail():
    tail = studentized_range_tail(np.array([0, 1e-12, 1e3, math.inf]), 5, 40)
    assert tail.tolist() == [1, pytest.approx(1), 1e-20, 0]
    many = studentized_range_tail(np.append(np.linspace(0, 80, 5000), math.inf), 129, 6272)
    assert many[0] == 1
    assert many[-1] == 0
    assert (np.diff(many) <= 1e-12).all()


def test_all_pairs_of_129_runs_are_quick():
    q = np.random.default_rng(0).random(8256) * 10
    started = time.process_time()
    tail = studentized_range_tail(q, 129, 6272)
    # one by one scipy would need over a minute; other work on the machine does not count
    assert time.process_time() - started < 20
    some = slice(None, None, 2000)
    expected = stats.studentized_range.sf(q[some], 129, 6272)
    assert tail[some] == pytest.approx(expected, abs=1e-9)


@needs_real_data
@pytest.mark.parametrize("name", MATRICES)
def test_real_matrices(name):
    scores = real_matrix(name)
    topics, runs = scores.shape
    family = every_pair(runs)
    found = tukey_hsd(scores, family)
    residuals = scores - scores.mean(0) - scores.mean(1, keepdims=True) + scores.mean()
    freedom = (runs - 1) * (topics - 1)
    error = (residuals**2).sum() / freedom
    sampled = np.random.default_rng(0).choice(len(family), 12, replace=False)
    difference = (scores.mean(0)[family.first] - scores.mean(0)[family.second])[sampled]
    q = np.abs(difference) / math.sqrt(error / topics)
    assert found.q[sampled] == pytest.approx(q, rel=1e-9, abs=1e-12)
    p = stats.studentized_range.sf(q, runs, freedom)
    assert found.p[sampled] == pytest.approx(p, abs=1e-8)
    assert found.effect_size[sampled] == pytest.approx(difference / math.sqrt(error), rel=1e-9)


def test_two_runs_are_the_paired_t_test():
    scores = np.random.default_rng(1).random((20, 2))
    found, paired = tukey_hsd(scores, every_pair(2)), stats.ttest_rel(scores[:, 0], scores[:, 1])
    assert found.q[0] == pytest.approx(math.sqrt(2) * abs(paired.statistic), rel=1e-12)
    assert found.p[0] == pytest.approx(paired.pvalue, abs=1e-12)
    low, high = paired.confidence_interval(0.95)
    assert (found.low[0], found.high[0]) == pytest.approx((low, high), rel=1e-9)


def test_two_randomised_runs_are_the_permutation_test():
    tenths = np.random.default_rng(8).integers(0, 11, (10, 2))
    d = tenths[:, 0] - tenths[:, 1]
    sums = [abs(int(d @ signs)) for signs in product((1, -1), repeat=10)]
    exact = sum(value >= abs(d.sum()) for value in sums) / 2**10
    assert 0.01 < exact < 0.99
    found = randomised_hsd(tenths / 10, every_pair(2), num_resamples=RESAMPLES)
    assert abs(found.p[0] - exact) < 4 * math.sqrt(exact * (1 - exact) / RESAMPLES)


@pytest.mark.parametrize("seed", range(3))
def test_ties_of_discrete_scores_are_counted(seed):
    """P@10 takes 11 values: all orders gone through, in whole numbers, against those drawn."""
    tenths = np.random.default_rng(seed).integers(0, 11, (4, 3))
    arrangements = np.array(list(product(*(list(permutations(row)) for row in tenths.tolist()))))
    sums = arrangements.sum(axis=1)
    ranges = np.ptp(sums, axis=1)
    pairs = every_pair(3)
    of_pairs = np.abs(tenths.sum(0)[pairs.first] - tenths.sum(0)[pairs.second])
    as_large = ranges[:, None] >= of_pairs
    exact = as_large.mean(axis=0)
    found = randomised_hsd(tenths / 10, pairs, num_resamples=40_000)
    spread = np.sqrt(exact * (1 - exact) / 40_000)
    assert (np.abs(found.p - exact) <= 4 * spread + 1 / 40_000).all()


def test_draws_depend_on_the_seed_alone():
    scores = np.random.default_rng(5).random((30, 6))
    family = every_pair(6)
    one, three, other = (
        randomised_hsd(scores, family, num_resamples=5000, seed=s, threads=n)
        for s, n in ((7, 1), (7, 3), (8, 1))
    )
    assert one.ranges.tobytes() == three.ranges.tobytes()
    assert one.ranges.tobytes() != other.ranges.tobytes()
    part = randomised_hsd(scores, pairs_with_baselines(6, [0]), num_resamples=5000, seed=7)
    whole = {(f, s): p for f, s, p in zip(family.first, family.second, one.p, strict=True)}
    assert part.p.tolist() == [whole[0, run] for run in range(1, 6)]


def test_p_is_never_zero_and_the_critical_value_parts_significant_pairs():
    scores = np.random.default_rng(9).random((40, 8)) + np.arange(8) / 10
    found = randomised_hsd(scores, every_pair(8), num_resamples=999)
    assert found.p.min() == 1 / 1000
    assert found.count.min() == 0
    for alpha in (0.001, 0.05, 0.2, 0.99):
        assert ((found.p <= alpha) == (np.abs(found.difference) > found.critical(alpha))).all()
    assert found.critical(0.0005) == math.inf


@pytest.mark.parametrize("factor", [100, 1e-6])
def test_scale_does_not_matter(factor):
    scores = np.random.default_rng(2).integers(0, 11, (12, 4)) / 10
    family = every_pair(4)
    plain, scaled = (
        randomised_hsd(s, family, num_resamples=3000) for s in (scores, scores * factor)
    )
    assert plain.count.tolist() == scaled.count.tolist()
    p = tukey_hsd(scores * factor, family).p
    assert p == pytest.approx(tukey_hsd(scores, family).p, abs=1e-10)


def test_identical_runs():
    scores = np.repeat(np.random.default_rng(4).random((9, 1)), 3, axis=1)
    family = every_pair(3)
    found = tukey_hsd(scores, family)
    assert (found.q.tolist(), found.p.tolist(), found.margin) == ([0] * 3, [1] * 3, 0)
    assert randomised_hsd(scores, family, num_resamples=500).p.tolist() == [1] * 3


def test_runs_that_differ_by_a_constant():
    first = np.random.default_rng(4).random(9)
    scores = np.column_stack((first, first, first - 0.1))
    found = tukey_hsd(scores, every_pair(3))
    assert found.q.tolist() == [0, math.inf, math.inf]
    assert found.p.tolist() == [1, 0, 0]
    assert found.effect_size.tolist() == [0, math.inf, math.inf]
    # all 9 topics in the observed order of the third run, or the first two swapped: 3 of 3**9
    p = randomised_hsd(scores, every_pair(3), num_resamples=20_000).p
    assert p[0] == 1
    assert 1 / 20_001 <= p[1] == p[2] < 0.001


def test_one_run_is_too_few():
    for test in (tukey_hsd, randomised_hsd):
        with pytest.raises(UsageError, match="at least two"):
            test(np.ones((5, 1)), every_pair(1))


@pytest.mark.thorough
def test_the_level_holds_and_one_poor_run_hides_differences():
    """Four equal runs, or with a poor fifth: how often two of the four are said to differ."""
    random = np.random.default_rng(2024)
    simulations = 200
    equal, with_poor = np.zeros((2, 2))
    family = every_pair(4)
    for seed in range(simulations):
        scores = random.normal(size=(12, 1)) + random.normal(size=(12, 5))
        scores[:, 4] -= 4
        for columns, found in ((4, equal), (5, with_poor)):
            part = scores[:, :columns]
            p = [
                tukey_hsd(part, family).p,
                randomised_hsd(part, family, num_resamples=399, seed=seed).p,
            ]
            found += [values.min() <= 0.05 for values in p]
    low, high = stats.binom.ppf([0.0005, 0.9995], simulations, 0.05)
    assert ((low <= equal) & (equal <= high)).all(), equal
    assert (with_poor <= high).all(), with_poor
    assert with_poor[1] < low <= with_poor[0], with_poor


def test_pairs_of_one_variance_are_told_from_others():
    random = np.random.default_rng(12)
    flagged = 0
    for _ in range(40):
        scores = random.normal(0, 1, (30, 1)) + random.normal(0, 0.1, (30, 6))
        assert pair_variance_ratios(scores).least < 1 < pair_variance_ratios(scores).most
        flagged += pair_variance_ratios(scores).differ
    assert flagged <= 3  # one in a hundred, by its rule
    scores[:, 1] = scores[:, 0] + random.normal(0, 0.01, 30)
    found = pair_variance_ratios(scores)
    assert found.differ
    variance = [np.var(scores[:, i] - scores[:, j], ddof=1) for i in range(6) for j in range(i)]
    rest = scores - scores.mean(0) - scores.mean(1, keepdims=True) + scores.mean()
    pooled = 2 * (rest**2).sum() / (29 * 5)
    assert (found.least, found.most) == pytest.approx(
        (min(variance) / pooled, max(variance) / pooled)
    )
    (note,) = found.warnings(["hsd"])
    assert "hsd assumes one variance" in note
    same = np.repeat(scores[:, :1], 3, axis=1)
    assert not pair_variance_ratios(same).differ


def test_critical_ranges_are_simultaneous_intervals():
    scores = np.random.default_rng(13).random((25, 5)) + np.arange(5) / 8
    family = every_pair(5)
    found = TESTS["rthsd"].compute(scores, family, InferenceSettings(num_resamples=999))
    low, high = np.array(found.facts["low"]), np.array(found.facts["high"])
    excludes = (low > 0) | (high < 0)
    assert excludes.any()
    assert not excludes.all()
    assert (excludes == (found.corrected <= 0.05)).all()
