"""Corrections for many hypotheses, and maxT."""

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.errors import UsageError
from irev.statistics.correction_methods import CORRECTIONS_OF_P, correct_p
from irev.statistics.corrections import benjamini_hochberg, bonferroni, holm, max_t
from irev.statistics.differences import RunPairs, every_pair, pairs_with_baselines
from tests.each import for_each
from tests.statistics_rows import every_row, matrix


def correction_rows():
    return [
        (row["quantity"], json.loads(row["expected"]))
        for row in every_row()
        if row["section"] == "correct" and row["case"].startswith("p=")
    ]


@pytest.mark.parametrize(("method", "expected"), correction_rows())
def test_expected_values(method, expected):
    found = correct_p(np.array([0.01, 0.04, 0.03, 0.005]), method)
    assert found == pytest.approx(expected, abs=1e-12)


def rejected_by_holm(p, alpha):
    """Holm's own procedure: smallest first, until one is not small enough."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    rejected = set()
    for step, i in enumerate(order):
        if p[i] * (len(p) - step) > alpha:
            break
        rejected.add(i)
    return rejected


def rejected_by_hochberg(p, alpha):
    """Benjamini and Hochberg's own procedure: the largest k with p_(k) <= k alpha / m."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    most = max((k for k, i in enumerate(order, 1) if p[i] * len(p) / k <= alpha), default=0)
    return set(order[:most])


@given(st.lists(st.integers(0, 40).map(lambda n: n / 40), min_size=1, max_size=9))
def test_corrected_values_give_the_procedures_decisions(values):
    p = np.array(values)
    alpha = 0.1003
    assert {i for i, v in enumerate(holm(p)) if v <= alpha} == rejected_by_holm(values, alpha)
    hochberg = {i for i, v in enumerate(benjamini_hochberg(p)) if v <= alpha}
    assert hochberg == rejected_by_hochberg(values, alpha)
    assert (holm(p) <= bonferroni(p)).all()
    assert (holm(p) >= p).all()


@pytest.mark.parametrize("method", CORRECTIONS_OF_P[1:])
def test_no_and_one_hypothesis(method):
    assert correct_p(np.zeros(0), method).tolist() == []
    assert correct_p(np.array([0.3]), method).tolist() == [0.3]


@for_each("method", CORRECTIONS_OF_P[1:])
@for_each("wrong", [math.nan, -0.1, 1.5])
def test_what_is_no_p_value(method, wrong):
    with pytest.raises(UsageError, match="from 0 to 1"):
        correct_p(np.array([0.1, wrong]), method)


def test_max_t_expected_values():
    (row,) = (r for r in every_row() if r["quantity"] == "maxT_exact_p")
    scores, _ = matrix("F2")
    found = max_t(scores, pairs_with_baselines(4, [3]))
    assert found.exact
    # the row is of the single step, which is the first of the steps down
    single = json.loads(row["expected"])
    assert found.p.min() == min(single)
    assert (found.p <= single).all()


def test_max_t_steps_down():
    # beyond the single step's 0.1484, 0.1641, 0.0078, 0.8281, 0.1797, 0.3672: all 256 patterns
    scores, _ = matrix("F2")
    found = max_t(scores, every_pair(4))
    assert found.p.tolist() == [0.1484375, 0.1484375, 0.0078125, 0.5, 0.1484375, 0.2265625]


def by_brute_force(differences):
    """All sign patterns, in whole numbers: squares of the statistics as fractions compared."""
    d = [[int(v) for v in row] for row in differences]
    norms = [sum(v * v for v in column) for column in zip(*d, strict=True)]
    count = [0] * len(norms)

    def squared(signs, j):
        total = sum(s * row[j] for s, row in zip(signs, d, strict=True))
        return total * total / norms[j] if norms[j] else 0.0

    observed = [squared([1] * len(d), j) for j in range(len(norms))]
    for signs in product((1, -1), repeat=len(d)):
        drawn = [squared(signs, j) for j in range(len(norms))]
        for j, value in enumerate(observed):
            below = [v for v, own in zip(drawn, observed, strict=True) if own <= value * (1 + 1e-9)]
            count[j] += max(below) >= value * (1 - 1e-9)
    stepped = [
        max(c for c, own in zip(count, observed, strict=True) if own >= value * (1 - 1e-9))
        for value in observed
    ]
    return [c / 2 ** len(d) for c in stepped]


@pytest.mark.parametrize("seed", range(5))
def test_max_t_is_exact_for_discrete_scores(seed):
    counts = np.random.default_rng(seed).integers(0, 11, (9, 4))
    family = every_pair(4)
    expected = by_brute_force(counts[:, family.first] - counts[:, family.second])
    # tenths are no binary fractions: equal sums differ in their last bits
    found = max_t(counts / 10, family)
    assert found.exact
    assert found.p == pytest.approx(expected, abs=1e-12)


def test_max_t_by_drawing_is_near_the_exact_one():
    counts = np.random.default_rng(11).integers(0, 11, (17, 3))
    counts[:, 0] += 3
    d = counts[:, 1:] - counts[:, :1]
    signs = 1 - 2 * ((np.arange(2**17)[:, None] >> np.arange(17)) & 1)
    statistics = np.abs(signs @ d) / np.sqrt((d * d).sum(axis=0))
    high, low = np.argsort(-statistics[0])
    exact = np.empty(2)
    exact[high] = (statistics.max(axis=1) >= statistics[0, high] - 1e-9).mean()
    exact[low] = max(exact[high], (statistics[:, low] >= statistics[0, low] - 1e-9).mean())
    found = max_t(counts / 10, pairs_with_baselines(3, [0]), num_resamples=100_000)
    assert not found.exact
    assert ((exact > 0.001) & (exact < 0.9)).all()  # else the case would show little
    assert (np.abs(found.p - exact) < 4 * np.sqrt(exact * (1 - exact) / 100_000)).all()


def test_max_t_of_one_pair_is_the_permutation_test():
    scores = np.random.default_rng(4).integers(0, 6, (10, 2)) / 5
    d = np.rint((scores[:, 0] - scores[:, 1]) * 5).astype(int)
    sums = [
        abs(sum(s * v for s, v in zip(signs, d, strict=True)))
        for signs in product((1, -1), repeat=10)
    ]
    assert max_t(scores, every_pair(2)).p[0] == sum(s >= abs(d.sum()) for s in sums) / 2**10


def test_max_t_does_not_depend_on_threads_and_is_never_zero():
    scores = np.random.default_rng(6).random((40, 5))
    scores[:, 0] += 3
    one, three = (
        max_t(scores, pairs_with_baselines(5, [0]), num_resamples=5000, threads=n) for n in (1, 3)
    )
    assert one.count.tolist() == three.count.tolist() == [0, 0, 0, 0]
    assert one.p.tolist() == [1 / 5001] * 4


@pytest.mark.parametrize("topics", [5, 30])
def test_max_t_of_identical_runs(topics):
    scores = np.repeat(np.random.default_rng(7).random((topics, 1)), 3, axis=1)
    assert max_t(scores, every_pair(3)).p.tolist() == [1, 1, 1]
    scores[:, 2] += np.random.default_rng(8).random(topics)
    found = max_t(scores, every_pair(3), num_resamples=1000)
    assert found.p[0] == 1
    assert (found.p[1:] < 0.2).all()


def test_max_t_is_the_same_on_any_scale():
    scores = np.random.default_rng(9).integers(0, 11, (12, 3)) / 10
    plain, larger = (max_t(scores * factor, every_pair(3)) for factor in (1, 100))
    assert plain.count.tolist() == larger.count.tolist()


def test_an_empty_family():
    found = max_t(np.random.default_rng(0).random((4, 2)), RunPairs(*np.zeros((2, 0), np.int64)))
    assert len(found.p) == 0
