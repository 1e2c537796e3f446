"""Two-way analysis of variance, and the t-test of samples on different topics."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from irev.errors import UsageError
from irev.statistics.t_tests import unpaired_t
from irev.statistics.variance import decompose, two_way_anova
from tests.each import for_each
from tests.real_data import MATRICES, needs_real_data, real_matrix
from tests.statistics_rows import matrix, rows


def quantities(scores):
    """What the rows of expected values name."""
    table = two_way_anova(scores)
    topics, runs = scores.shape
    found = {"ss_error": table.ss_error, "df_error": table.df_error, "ms_error": table.ms_error}
    for name, effect in (("system", table.runs), ("topic", table.topics)):
        found |= {
            f"ss_{name}": effect.ss,
            f"df_{name}": effect.df,
            f"ms_{name}": effect.ms,
            f"F_{name}": effect.f,
            f"p_{name}": effect.p,
            f"omega2p_{name}": effect.partial_omega_2,
            f"eta2p_{name}": effect.partial_eta_2,
        }
    # without topics as a factor, their variance would be error
    within_runs = table.topics.ss + table.ss_error
    return found | {"ms_error_oneway": within_runs / (runs * (topics - 1))}


@for_each(("section", "case", "quantity", "expected", "tolerance"), rows("anova"))
def test_expected_values(section, case, quantity, expected, tolerance):
    scores, _ = matrix(case)
    assert quantities(scores)[quantity] == pytest.approx(expected, abs=tolerance)


def by_the_textbook(scores):
    """(sums of squares of runs, topics, error) as exact fractions: totals less corrections."""
    x = [[Fraction(value) for value in row] for row in scores.tolist()]
    topics, runs = scores.shape
    correction = sum(map(sum, x)) ** 2 / (topics * runs)
    total = sum(value**2 for row in x for value in row) - correction
    of_topics = sum(sum(row) ** 2 for row in x) / runs - correction
    of_runs = sum(sum(column) ** 2 for column in zip(*x, strict=True)) / topics - correction
    return of_runs, of_topics, total - of_runs - of_topics


def assert_textbook(scores, tolerance=1e-11):
    table = two_way_anova(scores)
    of_runs, of_topics, error = map(float, by_the_textbook(scores))
    assert table.runs.ss == pytest.approx(of_runs, rel=tolerance)
    assert table.topics.ss == pytest.approx(of_topics, rel=tolerance)
    assert table.ss_error == pytest.approx(error, rel=tolerance)
    topics, runs = scores.shape
    freedom = (runs - 1) * (topics - 1)
    f = (of_runs / (runs - 1)) / (error / freedom)
    assert table.runs.f == pytest.approx(f, rel=tolerance)
    p = stats.f.sf(f, runs - 1, freedom)
    assert table.runs.p == pytest.approx(p, rel=100 * tolerance, abs=1e-300)


# differences of totals would leave 3 digits of the shifted scores
@pytest.mark.parametrize(("shift", "tolerance"), [(0, 1e-11), (1e5, 1e-8)])
def test_sums_of_squares_do_not_cancel(shift, tolerance):
    assert_textbook(np.random.default_rng(5).random((30, 7)) + shift, tolerance)


@needs_real_data
@pytest.mark.parametrize("name", MATRICES)
def test_real_matrices(name):
    assert_textbook(real_matrix(name))


def test_two_runs_are_a_paired_t_test():
    scores = np.random.default_rng(1).random((25, 2))
    table, paired = two_way_anova(scores), stats.ttest_rel(scores[:, 0], scores[:, 1])
    assert table.runs.f == pytest.approx(paired.statistic**2, rel=1e-12)
    assert table.runs.p == pytest.approx(paired.pvalue, rel=1e-10)


def test_runs_that_differ_by_a_constant_leave_no_error():
    first = np.array([0.1, 0.2, 0.7, 0.3])
    table = two_way_anova(np.column_stack((first, first + 0.1)))
    assert table.ss_error == 0
    # nothing says how much scores vary by chance
    assert np.isnan([table.runs.f, table.runs.p, table.runs.partial_omega_2]).all()
    assert table.runs.partial_eta_2 == 1


def test_equal_runs_have_no_effect():
    first = np.array([0.1, 0.2, 0.7, 0.3])
    noise = np.array([0, 1e-17, -1e-16, 0])
    table = two_way_anova(np.column_stack((first, first + noise, first)))
    assert (table.runs.f, table.runs.p, table.runs.partial_eta_2) == (0, 1, 0)
    # F = 0: df (0 - 1) / (df (0 - 1) + S T), with df 2, S 3, T 4
    assert table.runs.partial_omega_2 == pytest.approx(-2 / (12 - 2))


def test_the_parts_add_up():
    scores = np.random.default_rng(2).random((9, 4))
    parts = decompose(scores)
    total = ((scores - scores.mean()) ** 2).sum()
    assert parts.ss_runs + parts.ss_topics + parts.ss_error == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize(
    "scores", [np.ones((1, 3)), np.ones((3, 1)), np.array([[1, 2], [3, math.nan]])]
)
def test_what_cannot_be_analysed(scores):
    with pytest.raises(UsageError):
        two_way_anova(scores)


@pytest.mark.parametrize("welch", [False, True])
def test_unpaired_t_is_scipys(welch):
    random = np.random.default_rng(3)
    one, other = random.random(12), random.random(31) * 2
    found = unpaired_t(one, other, welch=welch, alpha=0.1)
    expected = stats.ttest_ind(one, other, equal_var=not welch)
    low, high = expected.confidence_interval(0.9)
    assert (found.first, found.second) == (12, 31)
    assert found.t == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.df == pytest.approx(expected.df, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-10)


@pytest.mark.parametrize("welch", [False, True])
def test_unpaired_t_without_variance(welch):
    same = unpaired_t(np.full(3, 0.3), np.full(4, 0.1 + 0.2), welch=welch)
    assert (same.t, same.p, same.low, same.high) == (0, 1, 0, 0)
    apart = unpaired_t(np.full(3, 0.3), np.full(4, 0.4), welch=welch)
    # one of 35 ways to part seven scores into three and four
    assert (apart.t, apart.p) == (-math.inf, 1 / 35)
    assert (apart.low, apart.high) == (-math.inf, math.inf)
    bounded = unpaired_t(np.full(3, 0.3), np.full(3, 0.4), welch=welch, bounds=(0, 1))
    assert bounded.p == 2 / 20
    share = 0.0125 ** (1 / 3)  # both ends of both means: 0.05 / 4
    low, high = 0.3 * share - (1 - 0.6 * share), 1 - 0.7 * share - 0.4 * share
    assert (bounded.low, bounded.high) == pytest.approx((low, high))


@pytest.mark.parametrize("welch", [False, True])
def test_unpaired_t_of_two_topics_on_each_side(welch):
    one, other = np.array([0.1, 0.5]), np.array([0.2, 0.9])
    found = unpaired_t(one, other, welch=welch)
    expected = stats.ttest_ind(one, other, equal_var=not welch)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("welch", [False, True])
def test_rounding_errors_of_large_scores_are_no_difference(welch):
    """At 3 million the tolerance of 1e-12 of a score is 3e-6."""
    found = unpaired_t(3e6 + np.array([0, 1e-7]), 3e6 + np.array([2e-7, 3e-7]), welch=welch)
    assert (found.t, found.p, found.low, found.high) == (0, 1, 0, 0)


def test_welch_with_one_constant_sample():
    one, other = np.full(5, 0.1), np.array([0.2, 0.3, 0.5, 0.6])
    found = unpaired_t(one, other, welch=True)
    # by hand: mean .4, s² = (.04 + .01 + .01 + .04) / 3, all of the error from 4 values
    assert found.df == pytest.approx(3)
    assert found.t == pytest.approx(-0.3 / math.sqrt(0.1 / 3 / 4))


def test_unpaired_t_needs_two_topics():
    with pytest.raises(UsageError, match="at least 2 topics"):
        unpaired_t(np.ones(1), np.ones(5))
