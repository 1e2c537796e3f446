"""The randomisation test: enumeration, scipy, and changes that must not matter."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from irev.core import draws
from irev.errors import UsageError
from irev.statistics import resampling
from irev.statistics.differences import RunPairs, every_pair
from irev.statistics.resampling import (
    coprime_whole_differences,
    p_of_all_signs,
    permutation_test,
    random_sign_p_by_pair,
    unit_denominators,
)
from irev.statistics.significance_tests import paired_t, sign_test, wilcoxon
from tests.statistics_rows import pair_of, rows

ONE = RunPairs(np.array([0]), np.array([1]))
TAILS = ["two-sided", "greater", "less"]


def scores_of(topics, runs, seed=7):
    random = np.random.default_rng(seed)
    logit = random.normal(-1, 1, (topics, 1)) + random.normal(0, 0.4, runs)
    return 1 / (1 + np.exp(-logit - random.normal(0, 0.7, (topics, runs))))


def discrete(topics, runs, seed=7):
    return np.random.default_rng(seed).binomial(10, scores_of(topics, runs, seed)) / 10


def enumerated(d, tail):
    """All sign patterns, looked at one by one in whole thousandths."""
    d = [round(1000 * x) for x in d]
    sums = [
        sum(s * x for s, x in zip(signs, d, strict=True))
        for signs in itertools.product((1, -1), repeat=len(d))
    ]
    reached = {
        "two-sided": [abs(x) >= abs(sum(d)) for x in sums],
        "greater": [x >= sum(d) for x in sums],
        "less": [x <= sum(d) for x in sums],
    }[tail]
    return sum(reached) / len(reached)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("seed", range(4))
def test_discrete_scores_have_the_p_of_enumeration(tail, seed):
    scores, pairs = discrete(12, 3, seed), every_pair(3)
    found = permutation_test(scores, pairs, tail=tail)
    expected = [
        enumerated(scores[:, i] - scores[:, j], tail)
        for i, j in zip(pairs.first, pairs.second, strict=True)
    ]
    assert set(found.method) == {"lattice"}
    np.testing.assert_allclose(found.p, expected, atol=1e-14)
    assert found.resamples.tolist() == found.error.tolist() == [0, 0, 0]
    for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        listed = p_of_all_signs(scores[:, i] - scores[:, j], 1e-11, tail)
        assert listed == pytest.approx(expected[place], abs=1e-14)


@pytest.mark.parametrize("tail", TAILS)
def test_drawn_p_of_discrete_scores_is_near_the_exact_one(tail):
    scores, pairs = discrete(50, 8), every_pair(8)
    exact = permutation_test(scores, pairs, tail=tail)
    drawn = permutation_test(scores, pairs, tail=tail, exact=False)
    assert set(exact.method) == {"lattice"}
    assert set(drawn.method) == {"Monte Carlo"}
    spread = np.sqrt(exact.p * (1 - exact.p) / 100_000)
    assert (np.abs(drawn.asl - exact.p) <= 4 * spread + 1e-12).all()
    np.testing.assert_allclose(drawn.p, (drawn.count + 1) / 100_001)
    np.testing.assert_allclose(drawn.error, np.sqrt(drawn.p * (1 - drawn.p) / 100_000))


@pytest.mark.parametrize("tail", TAILS)
def test_listing_is_scipys(tail):
    scores, pairs = scores_of(12, 4), every_pair(4)
    found = permutation_test(scores, pairs, tail=tail)
    theirs = stats.permutation_test(
        (scores[:, pairs.first], scores[:, pairs.second]),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
        alternative=tail,
    )
    assert set(found.method) == {"listed"}
    np.testing.assert_allclose(found.p, theirs.pvalue, rtol=1e-10)


EXACT = [row for row in rows("paired") if row.values[2] == "perm_exact_p"]


@pytest.mark.parametrize(("section", "case", "name", "expected", "tolerance"), EXACT)
def test_drawn_p_is_near_the_expected_value(section, case, name, expected, tolerance):
    drawn = permutation_test(pair_of(case), ONE, exact=False)
    spread = math.sqrt(expected * (1 - expected) / 100_000)
    assert drawn.asl[0] == pytest.approx(expected, abs=4 * spread)


COUNTS = [row for row in rows("paired") if row.values[2] == "perm_exact_count"]


@pytest.mark.parametrize(("section", "case", "name", "expected", "tolerance"), COUNTS)
def test_exact_p_are_shares_of_sign_patterns(section, case, name, expected, tolerance):
    assert permutation_test(pair_of(case), ONE).p[0] == expected[0] / expected[1]


def test_whole_terms_of_many_topics_are_nearly_normal():
    terms = np.random.default_rng(3).integers(-10, 11, (3, 3000))
    found = random_sign_p_by_pair(terms, "two-sided")
    # with a correction for continuity: sums of the same parity are 2 apart
    z = (np.abs(terms.sum(axis=1)) - 1) / np.sqrt((terms**2).sum(axis=1))
    np.testing.assert_allclose(found, 2 * stats.norm.sf(z), atol=2e-4)


@pytest.mark.parametrize("tail", TAILS)
def test_whole_terms_of_one_size_are_tosses_of_a_coin(tail):
    wins, losses = 37, 20
    terms = np.array([[3] * wins + [-3] * losses + [0] * 5])
    expected = stats.binomtest(wins, wins + losses, alternative=tail).pvalue
    assert random_sign_p_by_pair(terms, tail)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("threads", [1, 2])
def test_whole_terms_of_many_pairs_are_as_each_by_itself(threads):
    terms = np.random.default_rng(4).integers(-300, 301, (40, 60))
    found = random_sign_p_by_pair(terms, "two-sided", threads)
    assert found.tolist() == [random_sign_p_by_pair(row[None], "two-sided")[0] for row in terms]


def test_units_are_found():
    ranks = np.array([1, 2, 3, 7, 10, 9, 8, 5, 4, 6])
    columns = np.array(
        [
            np.arange(10) / 10,
            np.arange(10) % 2,
            1 / ranks,
            np.arange(10) / 30 * 100,
            np.sqrt(np.arange(10)),
            np.zeros(10),
            np.round(np.sqrt(np.arange(10)), 4),
        ]
    )
    # 0/10 ... 9/10; 0 and 1; 1/1 ... 1/10; multiples of 10/3; no unit; all 0; four decimals
    assert unit_denominators(columns.T).tolist() == [10, 1, 2520, 3, 0, 1, 0]


@pytest.mark.parametrize(("most", "method"), [(6, "lattice"), (5, "listed")])
def test_steps_over_a_lattice_are_terms_times_their_sum(most, method, monkeypatch):
    monkeypatch.setattr(resampling, "MOST_STEPS", most)
    scores = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    found = permutation_test(scores, ONE)
    assert (found.method, found.p.tolist()) == ((method,), [1.0])


@pytest.mark.parametrize(
    ("topics", "total", "method"), [(10, 10_000_000, "lattice"), (17, 5_882_353, "listed")]
)
def test_more_than_100_million_steps_are_not_counted(topics, total, method):
    assert topics * total == 100_000_000 + (method == "listed")
    scores = np.zeros((topics, 2))
    scores[:, 0] = [1] * (topics - 1) + [total - topics + 1]
    found = permutation_test(scores, ONE)
    assert (found.method, found.p.tolist()) == ((method,), [2 / 2**topics])


def test_tiny_scores_are_tested_as_any():
    scores = np.array([[0.2, 0.1], [0.5, 0.2], [0.9, 0.5]])
    found = permutation_test(scores * 1e-14, ONE)
    assert found.p.tolist() == [2 / 2**3]


@pytest.mark.parametrize("place", range(4))
def test_a_single_score_off_the_lattice_is_seen(place):
    """Wherever it is among the values."""
    values = np.array([0.2, 0.4, 0.6, 0.8])
    assert unit_denominators(values[:, None]).tolist() == [5]
    values[place] += math.pi / 1e4
    assert unit_denominators(values[:, None]).tolist() == [0]


def test_units_are_parts_up_to_the_thousandth():
    columns = np.array([[0, 1, 7, 900]]).T / [1000, 1001]
    assert unit_denominators(columns).tolist() == [1000, 0]


def test_noise_hides_no_unit():
    scores = np.array([[0.101, 0.502, 0.999, 0.007]]).T
    assert unit_denominators(scores + 1e-13).tolist() == [1000]
    assert unit_denominators(scores + 1e-11).tolist() == [0]


@pytest.mark.parametrize(("terms", "tail"), [([1, -2], "greater"), ([-1, 2], "less")])
def test_a_sum_one_unit_to_the_other_side(terms, tail):
    """The sums are 3, 1, -1 and -3; three of the four are as far towards the tail as this one."""
    assert random_sign_p_by_pair(np.array([terms]), tail).tolist() == [3 / 4]


def test_very_large_scores_are_on_no_lattice():
    """What rounding may leave of a number so large is more than a unit."""
    random = np.random.default_rng(5)
    assert unit_denominators(1e9 * random.random((12, 2))).tolist() == [0, 0]


def test_equal_runs_have_whole_differences_of_zero():
    same = np.array([0.4, 0.8, 0.2])
    with np.errstate(all="raise"):
        assert coprime_whole_differences(same, same, 10).tolist() == [0, 0, 0]


def test_differences_are_counted_in_the_largest_unit():
    found = coprime_whole_differences(np.array([0.4, 0.8, 0.2]), np.array([0.2, 0.2, 0.2]), 10)
    assert found.tolist() == [1, 3, 0]


@pytest.mark.parametrize("tail", TAILS)
def test_no_differences_are_no_evidence(tail):
    assert p_of_all_signs(np.zeros(0), 1e-12, tail) == 1.0


def test_no_chance_is_more_than_1():
    assert p_of_all_signs(np.array([1.0, -1.0]), 0.0, "two-sided") == 1.0


def test_a_lattice_may_be_wider_than_a_table():
    # of the signs of the smaller two, only -- brings the sum below 100,001
    terms = np.array([[200_000, -100_000, 1]])
    assert random_sign_p_by_pair(terms, "two-sided").tolist() == [3 / 4]


@pytest.mark.parametrize(("topics", "method"), [(30, "listed"), (31, "Monte Carlo")])
def test_up_to_30_differences_all_signs_are_looked_at(topics, method):
    found = permutation_test(scores_of(topics, 2), ONE, num_resamples=99)
    assert found.method == (method,)


def test_one_resample_is_enough_to_test():
    found = permutation_test(scores_of(5, 2), ONE, num_resamples=1, exact=False)
    assert found.p[0] == (found.count[0] + 1) / 2


def test_how_p_is_found_depends_on_the_pair_alone():
    scores = np.hstack((discrete(60, 2), scores_of(60, 2)))
    few = scores[:, 2].copy()
    few[:9] += np.linspace(0.01, 0.2, 9)
    scores = np.hstack((scores, few[:, None], few[:, None]))
    pairs = RunPairs(np.array([0, 2, 2, 4, 0]), np.array([1, 3, 4, 5, 2]))
    found = permutation_test(scores, pairs, num_resamples=2000)
    assert found.method == ("lattice", "Monte Carlo", "listed", "identical", "Monte Carlo")
    assert found.p[3] == 1.0
    alone = permutation_test(scores[:, [2, 3]], ONE, num_resamples=2000)
    assert (alone.count[0], alone.p[0]) == (found.count[1], found.p[1])


@pytest.mark.parametrize("tail", TAILS)
def test_scale_threads_and_the_order_of_pairs_change_nothing(tail):
    scores, pairs = scores_of(45, 6), every_pair(6)
    found = permutation_test(scores, pairs, tail=tail, num_resamples=5000, threads=1)
    for other in (
        permutation_test(scores, pairs, tail=tail, num_resamples=5000, threads=3),
        permutation_test(scores * 100, pairs, tail=tail, num_resamples=5000),
        permutation_test(scores + 5, pairs, tail=tail, num_resamples=5000),
    ):
        assert found.count.tolist() == other.count.tolist()
    backwards = RunPairs(pairs.first[::-1], pairs.second[::-1])
    other = permutation_test(scores, backwards, tail=tail, num_resamples=5000)
    assert found.count.tolist() == other.count[::-1].tolist()
    another = permutation_test(scores, pairs, tail=tail, num_resamples=5000, seed=1)
    assert found.count.tolist() != another.count.tolist()


def test_tails_are_each_others_mirror():
    scores, pairs = scores_of(45, 4), every_pair(4)
    turned = RunPairs(pairs.second, pairs.first)
    greater = permutation_test(scores, pairs, tail="greater", num_resamples=3000)
    less = permutation_test(scores, turned, tail="less", num_resamples=3000)
    assert greater.count.tolist() == less.count.tolist()


def test_p_is_never_0():
    scores = np.array([np.linspace(0.5, 1, 45) ** 2, np.zeros(45)]).T
    found = permutation_test(scores, ONE, num_resamples=999)
    assert (found.count[0], found.p[0], found.asl[0]) == (0, 0.001, 0.0)


def test_a_test_without_resamples_is_refused():
    with pytest.raises(UsageError, match="at least one"):
        permutation_test(scores_of(5, 2), ONE, num_resamples=0)


@pytest.mark.parametrize("topics", [1, 8, 50, 64, 65, 130])
@pytest.mark.parametrize("most", [0, 1 << 23])
def test_half_sums_are_those_under_the_signs(topics, most, monkeypatch):
    monkeypatch.setattr(resampling, "_MOST_CELLS", most)
    scores = np.random.default_rng(topics).random((topics, 3))
    sign = np.where(draws.random_signs(5, 2, 300, topics), 1.0, -1.0)
    found = resampling.half_signed_sums_by_run_function(scores, 5)(2, 300)
    np.testing.assert_allclose(found, (sign @ scores).T / 2, atol=1e-12)


@pytest.mark.parametrize("tail", ["two-sided", "greater"])
def test_an_exact_p_too_small_for_a_number_is_not_0(tail):
    scores = np.array([[0.5] * 10 + [1.0] * 2000, [0.0] * 2010]).T
    found = permutation_test(scores, ONE, tail=tail)
    assert found.method == ("lattice",)
    smallest = np.finfo(np.float64).tiny
    assert 0 < found.p[0] <= smallest
    others = (sign_test, wilcoxon, paired_t)
    assert all(test(scores, ONE, tail=tail).p[0] == smallest for test in others)
    # 900 tosses of one side can be told by a number
    assert permutation_test(scores[-900:], ONE, tail="greater").p[0] == 0.5**900
