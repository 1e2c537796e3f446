"""Correlations of run rankings: published values, scipy, and the definitions over all orders."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irev import UsageError
from irev.statistics.draws import topic_draws
from irev.statistics.rank_correlation import (
    bootstrap_correlation,
    critical_tau,
    pearson,
    rms_error,
    spearman,
    tau_a,
    tau_ap,
    tau_ap_b,
    tau_b,
    tau_b_of_best,
    tau_gap,
    tau_p_value,
)
from tests.each import for_each
from tests.statistics_rows import every_row
from tests.strategies import examples


def rows(case):
    found = [row for row in every_row() if row["section"] == "rankcorr"]
    return {row["quantity"]: row for row in found if row["case"] == case}


U1 = rows("U1")
COLUMNS = {name: np.array(each, float) for name, each in json.loads(U1["tau"]["params"]).items()}


def test_tau_gap_by_hand() -> None:
    """The first two are what TREC AutoJudge's program (autojudge-evaluate 1.1.0) has, too."""
    truth = np.array([0.5, 0.4, 0.39, 0.1])
    for estimate, expected in (
        ([0.5, 0.39, 0.4, 0.1], 0.939394), ([0.4, 0.5, 0.39, 0.1], 1 / 3),
        ([0.1, 0.2, 0.3, 0.4], -1.0), ([0.4, 0.3, 0.2, 0.1], 1.0),
    ):  # fmt: skip
        assert tau_gap(truth, np.array(estimate)) == pytest.approx(expected, abs=1e-6)
    tied = np.array([0.5, 0.4, 0.4, 0.1])
    assert tau_gap(tied, tied[::-1]) == -1
    # the third rank alone has runs above it, both rightly: the first two are tied in the estimate
    assert tau_gap(np.array([1.0, 0.5, 0.0]), np.array([2.0, 2.0, 1.0])) == 1
    # the second rank has no gap above it, the third .6 and .6, both wrong
    assert tau_gap(np.array([0.4, 0.4, 1.0]), np.array([3.0, 2.0, 1.0])) == -1
    # a share of 0 at the second rank (.2 wrong), of 1 at the third (.4 and .6 right)
    assert tau_gap(np.array([0.8, 1.0, 0.4]), np.array([3.0, 2.0, 1.0])) == pytest.approx(0)
    # 1 at the second (.6 right), 2/3 at the third (.4 right, .2 wrong): 1 + 2/3 - 1
    assert tau_gap(np.array([1.0, 0.4, 0.6]), np.array([3.0, 2.0, 1.0])) == pytest.approx(2 / 3)
    assert math.isnan(tau_gap(np.ones(3), np.array([1.0, 2.0, 3.0])))
    assert math.isnan(tau_gap(np.array([1.0, 2.0, 3.0]), np.ones(3)))
    assert math.isnan(tau_gap(np.ones(1), np.ones(1)))


def test_tau_of_the_best_runs() -> None:
    """All that are tied with the k-th of the truth are among the k best."""
    truth = np.array([0.9, 0.8, 0.7, 0.7, 0.1])
    estimate = np.array([0.9, 0.8, 0.1, 0.95, 0.99])
    assert tau_b_of_best(truth, estimate, 2) == 1
    expected = stats.kendalltau(truth[:4], estimate[:4]).statistic
    assert tau_b_of_best(truth, estimate, 3) == pytest.approx(expected)
    assert tau_b_of_best(truth, estimate, 4) == pytest.approx(expected)
    everything = stats.kendalltau(truth, estimate).statistic
    assert tau_b_of_best(truth, estimate, 10) == pytest.approx(everything)
    assert math.isnan(tau_b_of_best(truth, estimate, 1))


@for_each(
    ("quantity", "of", "columns"),
    [
        ("tau", tau_a, "x y"),
        ("tau", tau_b, "x y"),
        ("tau_ap(truth=x,est=y)", tau_ap, "x y"),
        ("tau_a(x,yt)", tau_a, "x yt"),
        ("tau_b(xt,yt)", tau_b, "xt yt"),
        ("tau_ap_a(x,yt)", tau_ap, "x yt"),
        ("tau_ap_b(x,y)", tau_ap_b, "x y"),
        ("tau_ap_b(xt,yt)", tau_ap_b, "xt yt"),
        ("pearson", pearson, "x y"),
        ("spearman(xt,yt)", spearman, "xt yt"),
        ("rms", rms_error, "x y"),
        ("kendall_p_noties", lambda x, y: tau_p_value(x, y).p, "x y"),
    ],
)
def test_the_expected_values(quantity, of, columns):
    row = U1[quantity]
    found = of(*(COLUMNS[name] for name in columns.split()))
    assert found == pytest.approx(float(row["expected"]), abs=float(row["tol"]))


# Urbano and Marrero's published test values for their second and third set
SETS = [
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
        (0.2889, 0.2504, 0.3333, 0.3765, 0.2692, 0.2880, 0.297),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
        (-0.6889, -0.6971, -0.6222, -0.6510, -0.5558, -0.668, -0.7047),
    ),
]


@pytest.mark.parametrize(("x", "y", "xt", "yt", "expected"), SETS)
def test_further_published_values(x, y, xt, yt, expected):
    x, y, xt, yt = (np.array(each, float) for each in (x, y, xt, yt))
    found = (
        tau_a(x, y),
        tau_ap(x, y),
        tau_a(x, yt),
        tau_b(xt, yt),
        tau_ap(x, yt),
        tau_ap_b(x, y),
        tau_ap_b(xt, yt),
    )
    assert found == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("estimate", "expected"), [([4, 2, 3, 1], 2 / 3), ([3, 4, 2, 1], 1 / 3)])
def test_a_swap_at_the_top_weighs_more(estimate, expected):
    truth, found = np.array([4.0, 3, 2, 1]), np.array(estimate, float)
    assert tau_ap(truth, found) == pytest.approx(expected)
    assert tau_a(truth, found) == pytest.approx(2 / 3)


def test_tau_ap_of_three_columns():
    row = rows("MATTERS apCorr example")["tau_ap[row=truth,col=estimate]"]
    columns = np.array(json.loads(row["params"])["X"]).T
    found = [[tau_ap(truth, estimate) for estimate in columns] for truth in columns]
    assert np.array(found) == pytest.approx(np.array(json.loads(row["expected"])), abs=1e-9)


numbers = st.lists(st.integers(0, 6), min_size=2, max_size=12)


@examples(60)
@given(st.data())
def test_ties_as_scipy_has_them(data):
    one = data.draw(numbers)
    other = data.draw(st.lists(st.integers(0, 6), min_size=len(one), max_size=len(one)))
    x, y = np.array(one) / 7, np.array(other) / 7
    if len(set(one)) < 2 or len(set(other)) < 2:
        assert math.isnan(tau_b(x, y))
        assert math.isnan(spearman(x, y))
        assert math.isnan(pearson(x, y))
        assert math.isnan(tau_p_value(x, y).p) or tau_p_value(x, y).exact
        return
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    found = tau_p_value(x, y)
    method = "exact" if found.exact else "asymptotic"
    assert found.p == pytest.approx(stats.kendalltau(x, y, method=method).pvalue, abs=1e-12)


def plain_tau_ap(truth, order):
    """Yilmaz et al.'s formula down an order of runs, best first."""
    n = len(order)
    right = [sum(truth[above] > truth[order[i]] for above in order[:i]) / i for i in range(1, n)]
    return 2 / (n - 1) * sum(right) - 1


@examples(30)
@given(st.permutations(range(5)), st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_ties_of_an_estimate_are_averaged(truth, estimate):
    orders = [
        order
        for order in itertools.permutations(range(5))
        if all(estimate[a] >= estimate[b] for a, b in itertools.pairwise(order))
    ]
    mean_ap = sum(plain_tau_ap(truth, order) for order in orders) / len(orders)
    x, y = np.array(truth, float), np.array(estimate, float)
    assert tau_ap(x, y) == pytest.approx(mean_ap, abs=1e-12)
    taus = []
    for order in orders:
        pairs = [truth[a] > truth[b] for a, b in itertools.combinations(order, 2)]
        taus.append(2 * sum(pairs) / len(pairs) - 1)
    assert tau_a(x, y) == pytest.approx(sum(taus) / len(taus), abs=1e-12)


def test_noise_in_the_last_bits_is_a_tie():
    noisy = np.array([0.1 + 0.2, 0.3, 0.5])
    clean = np.array([0.3, 0.3, 0.5])
    y = np.array([1.0, 2.0, 3.0])
    for of in (tau_a, tau_b, tau_ap, tau_ap_b, spearman):
        assert of(y, noisy) == of(y, clean)
        assert of(1000 * y, noisy / 1000) == pytest.approx(of(y, clean))
    assert tau_p_value(y, noisy) == tau_p_value(y, clean)
    assert math.isnan(pearson(y, np.array([0.1 + 0.2, 0.3, 0.3])))


def test_the_order_of_the_runs_changes_nothing():
    shuffled = np.random.default_rng(1).permutation(10)
    x, y = COLUMNS["xt"], COLUMNS["yt"]
    for of in (tau_a, tau_b, tau_ap, tau_ap_b, spearman):
        assert of(x[shuffled], y[shuffled]) == pytest.approx(of(x, y), abs=1e-14)


def test_too_few_runs_have_no_correlation():
    one = np.array([0.5])
    for of in (tau_a, tau_b, tau_ap, tau_ap_b, spearman, pearson):
        assert math.isnan(of(one, one))


def test_the_exact_p_over_all_orders():
    scores = {}
    for order in itertools.permutations(range(6)):
        pairs = [np.sign(b - a) for a, b in itertools.combinations(order, 2)]
        scores[order] = abs(sum(pairs))
    truth = np.arange(6.0)
    for order in list(scores)[::37]:
        p = sum(each >= scores[order] for each in scores.values()) / len(scores)
        assert tau_p_value(truth, np.array(order, float)).p == pytest.approx(p)


def test_many_runs_have_the_normal_approximation():
    x = np.arange(61.0)
    y = np.random.default_rng(3).permutation(x)
    z = tau_b(x, y) / math.sqrt(2 * (2 * 61 + 5) / (9 * 61 * 60))
    found = tau_p_value(x, y)
    assert not found.exact
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_sakais_critical_value():
    """For 30 runs at 1%, tau is significant from 145/435 on; he says: over 0.34."""
    found = critical_tau(30, 0.01)
    assert found.tau == pytest.approx(0.333333, abs=1e-6)
    assert found.p == pytest.approx(0.00935, abs=5e-6)
    following = critical_tau(30, 0.0093)
    assert following.tau == pytest.approx(0.337931, abs=1e-6)
    assert following.p == pytest.approx(0.00837, abs=5e-6)
    assert following.tau == pytest.approx(0.34, abs=0.0025)


def test_a_level_that_few_runs_cannot_reach():
    assert critical_tau(5, 0.05).p == pytest.approx(2 / 120)
    assert critical_tau(5, 0.05).tau == 1
    assert math.isnan(critical_tau(4, 0.05).tau)
    with pytest.raises(UsageError, match="2 runs or more"):
        critical_tau(1, 0.05)


def test_the_bootstrap_replays_given_samples():
    random = np.random.default_rng(2)
    truth, estimate = random.random((6, 5)), random.random((6, 5))
    samples = random.integers(0, 6, (40, 6))
    drawn = [
        stats.kendalltau(truth[topics].mean(axis=0), estimate[topics].mean(axis=0)).statistic
        for topics in samples
    ]
    found = bootstrap_correlation("tau_b", truth, estimate, samples, level=0.9)
    assert found.error == pytest.approx(np.std(drawn, ddof=1))
    assert (found.low, found.high) == pytest.approx((sorted(drawn)[1], sorted(drawn)[37]))
    means = truth.mean(axis=0), estimate.mean(axis=0)
    assert found.value == pytest.approx(stats.kendalltau(*means).statistic)
    assert (found.num_defined, found.num_resamples) == (40, 40)


def test_resamples_without_a_correlation_are_left_out():
    scores = np.array([[0.5, 0.5], [0.25, 0.75]])
    samples = np.array([[0, 0], [0, 1], [1, 1]])
    found = bootstrap_correlation("tau_b", scores, scores, samples)
    assert (found.num_defined, found.value, found.low) == (2, 1, 1)
    nothing = bootstrap_correlation("tau_b", scores[:1], scores[:1], samples[:1])
    assert nothing.num_defined == 0
    assert math.isnan(nothing.error)


def test_what_cannot_be_bootstrapped():
    scores = np.ones((3, 2))
    with pytest.raises(UsageError, match="no correlation is called 'tau'"):
        bootstrap_correlation("tau", scores, scores, topic_draws(0, 5, 3))
    with pytest.raises(UsageError, match="different shapes"):
        bootstrap_correlation("tau_a", scores, np.ones((3, 3)), topic_draws(0, 5, 3))


def test_draws_do_not_depend_on_how_many_are_asked_for():
    few, many = topic_draws(7, 1500, 20), topic_draws(7, 3000, 20)
    assert (few == many[:1500]).all()
    assert (np.bincount(many.ravel(), minlength=20) > 2700).all()
    assert topic_draws(7, 10, 20, 4).shape == (10, 4)
