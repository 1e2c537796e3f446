"""Topic set sizes, reliability and reproduction: expected values, scipy, simulation."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from scipy import stats

from irev import UsageError
from irev.core.draws import topic_draws
from irev.jobs.studies.reproduction import closeness, effect_ratio_interval, reproduction_effects
from irev.statistics.decisions import equivalence
from irev.statistics.differences import Tail, every_pair
from irev.statistics.significance_tests import unpaired_t
from irev.statistics.variance import (
    detectable_difference,
    num_topics_for_anova,
    num_topics_for_interval,
    num_topics_for_t,
    num_topics_needed,
    pooled_variance,
    power_of_t,
    reliability,
    variance_components,
    variance_limits,
)
from tests.each import for_each
from tests.statistics_rows import every_row, matrix

F1, F2 = (matrix(name)[0] for name in ("F1", "F2"))


def expected(section):
    return [row for row in every_row() if row["section"] == section]


def near(row):
    return pytest.approx(float(row["expected"]), abs=float(row["tol"]))


@for_each("row", expected("design"), ids=lambda row: row["case"])
def test_the_expected_designs(row):
    kind, _, rest = row["case"].partition(" ")
    given = {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", rest)}
    if kind == "power":
        assert power_of_t(int(given["n"]), given["d_z"]) == near(row)
    elif kind == "ttest":
        found = num_topics_for_t(given["minDt"], given["var_t"], given["a"], given["b"])
        assert found == int(row["expected"])
    elif kind == "anova":
        found = num_topics_for_anova(
            int(given["m"]), given["minD"], given["var"], given["a"], given["b"]
        )
        assert found == int(row["expected"])
    else:
        found = num_topics_for_interval(given["delta"], given["var_t"], given["a"])
        assert found == int(row["expected"])


def test_the_power_of_a_simulation():
    random = np.random.default_rng(4)
    drawn = random.normal(0.1, 0.25, (20_000, 30))
    found = np.mean(stats.ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05)
    assert power_of_t(30, 0.4) == pytest.approx(found, abs=4 * math.sqrt(0.25 / 20_000))
    one_sided = stats.ttest_1samp(drawn, 0, axis=1, alternative="greater").pvalue <= 0.05
    assert power_of_t(30, 0.4, tail="greater") == pytest.approx(one_sided.mean(), abs=0.015)


def test_power_at_its_ends():
    assert power_of_t(20, 0) == pytest.approx(0.05)
    assert power_of_t(20, 0, tail="less") == pytest.approx(0.05)
    assert power_of_t(20, 50) == pytest.approx(1)
    assert power_of_t(20, 0.3) == pytest.approx(power_of_t(20, -0.3))
    assert power_of_t(20, 0.3, tail="greater") == power_of_t(20, -0.3, tail="less")
    assert power_of_t(20, 0.3, tail="less") < 0.01


@pytest.mark.parametrize("tail", ["two-sided", "less", "greater"])
def test_a_detectable_difference_has_the_power(tail):
    found = detectable_difference(25, 0.2, 0.05, 0.2, tail)
    side: Tail = "two-sided" if tail == "two-sided" else "greater"
    assert power_of_t(25, found / 0.2, 0.05, side) == pytest.approx(0.8)
    assert detectable_difference(25, 0.4, 0.05, 0.2, tail) == pytest.approx(2 * found)


def test_pooled_variances_and_their_limits():
    assert pooled_variance([0.1, 0.4], [10, 20]) == pytest.approx(0.3)
    low, high = variance_limits(0.3, 30, 0.8)
    assert low == pytest.approx(30 * 0.3 / stats.chi2.ppf(0.9, 30))
    assert high == pytest.approx(30 * 0.3 / stats.chi2.ppf(0.1, 30))


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (lambda: num_topics_for_t(0, 0.1), "difference is a positive number"),
        (lambda: num_topics_for_t(0.1, math.nan), "variance is a positive number"),
        (lambda: num_topics_for_t(1e-9, 1), "more than 1,000,000,000"),
        (lambda: num_topics_for_t(0.1, 0.1, alpha=0), "alpha must be between"),
        (lambda: num_topics_for_anova(1, 0.1, 0.1), "2 runs or more"),
        (lambda: num_topics_for_interval(0.1, 0.1, alpha=1), "alpha must be between"),
        (lambda: power_of_t(1, 0.1), "2 topics or more"),
        (lambda: detectable_difference(9, 0.1, 0.6, 0.5), "even without a difference"),
        (lambda: pooled_variance([], []), "1 degree of freedom"),
        (lambda: variance_limits(0.1, 0), "1 degree of freedom"),
    ],
)
def test_designs_that_make_no_sense(of, said):
    with pytest.raises(UsageError, match=said):
        of()


@pytest.mark.parametrize("row", expected("gtheory"), ids=lambda r: f"{r['case']} {r['quantity']}")
def test_the_expected_reliabilities(row):
    found = variance_components(F1 if row["case"] == "F1" else F2)
    values = {
        "var_s_q_e": lambda: [found.run, found.topic, found.error],
        "Erho2": lambda: reliability(found).erho2.value,
        "Phi": lambda: reliability(found).phi.value,
        "n_for_Erho2_.95": lambda: num_topics_needed(found)[0],
        "n_for_Phi_.95": lambda: num_topics_needed(found)[1],
    }
    value = values[row["quantity"]]()
    assert value == pytest.approx(json.loads(row["expected"]), abs=float(row["tol"]))


# synthetic data set 4 of Brennan (2001, table 3.2): 12 topics x 10 runs, one run a line
BRENNAN = np.array(
    [
        [5, 6, 5, 5, 5, 3, 4, 5, 6, 7, 3, 3],
        [9, 3, 7, 7, 7, 5, 5, 5, 7, 7, 5, 2],
        [3, 4, 3, 3, 5, 3, 3, 5, 6, 5, 1, 6],
        [7, 5, 5, 3, 3, 1, 4, 3, 5, 3, 3, 5],
        [9, 2, 9, 7, 7, 7, 3, 7, 2, 7, 5, 3],
        [3, 4, 3, 5, 3, 3, 6, 3, 4, 5, 1, 2],
        [7, 3, 7, 7, 7, 5, 5, 7, 5, 5, 5, 4],
        [5, 8, 5, 7, 7, 5, 5, 4, 3, 2, 1, 1],
        [9, 9, 8, 8, 6, 6, 6, 5, 5, 8, 1, 1],
        [4, 4, 4, 3, 3, 5, 6, 5, 5, 7, 1, 1],
    ],
    float,
).T


def test_brennans_components_and_intervals():
    """His tables 6.2 and 6.5; further digits from gt4ireval's own test."""
    found = variance_components(BRENNAN)
    assert (found.ms_run, found.ms_topic, found.ms_error) == pytest.approx(
        (10.2963, 11.6273, 2.7872), abs=5e-5
    )
    assert (found.run, found.topic) == pytest.approx((0.6258, 0.8840), abs=5e-5)
    of_12 = reliability(found, level=0.8)
    assert (of_12.erho2.value, of_12.erho2.low, of_12.erho2.high) == pytest.approx(
        (0.729300196206671, 0.541010905420649, 0.876363137240463)
    )
    assert (of_12.phi.value, of_12.phi.low, of_12.phi.high) == pytest.approx(
        (0.671635722997696, 0.456901329313964, 0.845419296231267)
    )
    assert num_topics_needed(found, 0.95) == (85, 112)


def test_the_topics_needed_reach_the_target():
    found = variance_components(F2)
    for target in (0.5, 0.8, 0.9):
        few, many = num_topics_needed(found, target)
        assert few is not None
        assert many is not None
        assert reliability(found, few).erho2.value >= target - 1e-9
        assert reliability(found, many).phi.value >= target - 1e-9
        assert reliability(found, max(few - 1, 1)).erho2.value < target or few == 1
        assert reliability(found, max(many - 1, 1)).phi.value < target or many == 1


def test_runs_that_do_not_differ_are_not_reliable():
    alike = np.tile([[0.2], [0.4], [0.9]], 3)
    found = variance_components(alike)
    assert found.run == 0
    assert num_topics_needed(found) == (None, None)
    assert reliability(found).phi.value == 0
    constant = reliability(variance_components(np.ones((3, 2))))
    assert math.isnan(constant.erho2.value)
    assert math.isnan(constant.phi.high)
    shifted = reliability(variance_components(np.array([[0.1, 0.2], [0.3, 0.4], [0.4, 0.5]])))
    assert (shifted.erho2.value, shifted.erho2.low, shifted.erho2.high) == (1, 1, 1)


def test_a_variance_below_0_is_0_and_said():
    found = variance_components(np.array([[0.0, 1], [1, 0], [0.1, 0.9], [1, 0]]))
    assert (found.run, found.clipped) == (0, True)
    assert not variance_components(F1).clipped
    with pytest.raises(UsageError, match="reliability needs"):
        reliability(found, 0)
    with pytest.raises(UsageError, match="must be between 0 and 1"):
        num_topics_needed(found, 1)


X, Y, Z = F1.T
NEW_X = (X + Z) / 2 + 0.05


def test_the_expected_reproduction():
    base, advanced = closeness(Y, Z), closeness(X, NEW_X)
    gained = reproduction_effects(Y, X, Z, NEW_X)
    found = {
        "arp_delta_base": base.difference,
        "rmse_base": base.rmse,
        "rmse_adv": advanced.rmse,
        "nrmse_base": base.nrmse,
        "ER": gained.effect_ratio,
        "RI_orig": gained.improvement,
        "RI_rep": gained.new_improvement,
        "DeltaRI": gained.delta_improvement,
        "p_paired_base": base.p,
        "p_unpaired_base": unpaired_t(Y, Z).p,
        "p_welch_base": unpaired_t(Y, Z, welch=True).p,
    }
    rows = [row for row in expected("repro") if row["quantity"] != "setup"]
    assert {row["quantity"] for row in rows} == found.keys()
    for row in rows:
        assert found[row["quantity"]] == near(row), row["quantity"]


def test_a_perfect_reproduction():
    same = reproduction_effects(Y, X, Y, X)
    assert same.effect_ratio == pytest.approx(1)
    assert same.delta_improvement == 0
    close = closeness(X, X)
    assert (close.difference, close.rmse, close.nrmse, close.p) == (0, 0, 0, 1)


def test_what_is_not_defined_is_nan():
    nothing = reproduction_effects(np.zeros(3), np.zeros(3), np.ones(3), np.ones(3))
    assert math.isnan(nothing.effect_ratio)
    assert math.isnan(nothing.delta_improvement)
    assert nothing.new_improvement == 0
    assert math.isnan(closeness(np.array([1.0, 7]), np.array([1.0, 5])).nrmse)
    with pytest.raises(UsageError, match="same topics: 3 and 2"):
        reproduction_effects(np.zeros(3), np.zeros(2), np.zeros(3), np.zeros(3))
    with pytest.raises(UsageError, match="same topics"):
        closeness(np.zeros(3), np.zeros(4))


def test_the_interval_of_an_effect_ratio():
    samples = topic_draws(3, 500, 20)
    original, new = X - Y, NEW_X - Z
    ratios = sorted(new[drawn].sum() / original[drawn].sum() for drawn in samples
                    if abs(original[drawn].sum()) > 1e-9)  # fmt: skip
    found = effect_ratio_interval(original, new, (samples, samples), 0.9)
    assert found.num_defined == len(ratios)
    assert found.num_resamples == 500
    places = [math.ceil(len(ratios) * edge - 1e-9) - 1 for edge in (0.05, 0.95)]
    assert (found.low, found.high) == pytest.approx(tuple(ratios[place] for place in places))
    exact = effect_ratio_interval(original, original, (samples, samples))
    assert (exact.low, exact.high) == pytest.approx((1, 1))
    # half of every effect: no sample could say anything else, and that is not certain
    half = effect_ratio_interval(original, original / 2, (samples, samples))
    assert np.isnan([half.low, half.high]).all()
    none = effect_ratio_interval(0 * original, new, (samples, samples))
    assert math.isnan(none.low)
    assert none.num_defined == 0


def test_equivalence_is_two_one_sided_tests():
    found = equivalence(np.column_stack((Z, Y)), every_pair(2), 0.1)
    apart = Z - Y
    above = stats.ttest_1samp(apart + 0.1, 0, alternative="greater").pvalue
    below = stats.ttest_1samp(apart - 0.1, 0, alternative="less").pvalue
    (p,) = found.p_equal
    assert p == pytest.approx(max(above, below))
    low, high = stats.ttest_1samp(apart, 0).confidence_interval(0.9)
    # within the margin exactly where p is at most alpha
    assert (p <= 0.05) == (low > -0.1 and high < 0.1)
    assert equivalence(np.column_stack((X, X)), every_pair(2), 0.01).p_equal == [2.0 ** -len(X)]
