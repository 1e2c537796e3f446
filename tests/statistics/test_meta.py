"""What measures tell apart: discriminative power, swaps, stability, concordance, agreement."""

from __future__ import annotations

import itertools
import json
import math
from time import process_time

import numpy as np
import pytest
from scipy import stats

from irev import UsageError
from irev.core.draws import topic_draws
from irev.statistics.correlation import confusion, krippendorff_alpha
from irev.statistics.differences import RunPairs, every_pair
from irev.statistics.discrimination import (
    add_monte_carlo_errors,
    bootstrap_discrimination,
    compare_conclusions_of_two_measures,
    concordance,
    disjoint_topic_sets,
    random_topic_sets,
    stability,
    swap_method,
    two_samples_with_replacement,
)
from irev.statistics.resampling import bootstrap_test, single_threaded_product
from tests.real_data import MATRICES, needs_real_data, real_matrix
from tests.statistics_rows import every_row
from tests.statistics_rows import matrix as expected_matrix

ROWS = {(row["section"], row["case"], row["quantity"]): row["expected"] for row in every_row()}
F2 = expected_matrix("F2")[0]


def expected(*key):
    return json.loads(ROWS[key])


def scores(topics=30, runs=6, grid=None, seed=1):
    """Scores with differences between topics and runs; on a grid as P@10 has them."""
    random = np.random.default_rng(seed)
    found = random.random((topics, runs)) * 0.6 + random.random((topics, 1)) * 0.3
    found += np.linspace(0, 0.1, runs)
    return found if grid is None else np.round(found * grid) / grid


def plain_t(values):
    """t, infinite where all values are the same, NaN where all are 0."""
    mean, sd = values.mean(), values.std(ddof=1)
    if sd < 1e-12:
        return math.nan if abs(mean) < 1e-12 else math.inf
    return abs(mean) / (sd / math.sqrt(len(values)))


def double_loop(matrix, samples, place):
    """ASL and estimated difference, pair by pair and sample by sample."""
    found = []
    for one, other in itertools.combinations(range(matrix.shape[1]), 2):
        apart = matrix[:, one] - matrix[:, other]
        t, shifted = plain_t(apart), apart - apart.mean()
        drawn = [(plain_t(shifted[each]), abs(shifted[each].mean())) for each in samples]
        kept = sorted((pair for pair in drawn if not math.isnan(pair[0])), reverse=True)
        count = sum(each[0] >= t * (1 - 1e-9) for each in kept)
        found.append((count, kept[place - 1][1]))
    return found


def test_the_expected_replay():
    samples = np.array(expected("replay", "replicates", "index_rows"))
    case = ("replay", "F2 alpha=.2")
    found = bootstrap_discrimination(F2, every_pair(4), samples, [0.2])
    assert found.count.tolist() == expected(*case, "counts AB,AC,AD,BC,BD,CD")
    assert found.estimated[0] == pytest.approx(expected(*case, "estimated_diff_per_pair"))
    assert found.estimated_difference(0.2) == pytest.approx(expected(*case, "estimated_diff"))
    assert found.power(0.2) == pytest.approx(expected(*case, "discriminative_power"))


def samples_by_weight(topics):
    """All samples with replacement, without their order, by how many orders each has."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for sample in itertools.combinations_with_replacement(range(topics), topics):
        orders = math.factorial(topics)
        for topic in set(sample):
            orders //= math.factorial(sample.count(topic))
        found.setdefault(orders, []).append(sample)
    return {orders: np.array(samples) for orders, samples in found.items()}


def test_samples_that_decide_nothing():
    """The chance of a sample in which all shifted differences are 0: its t* is 0/0."""
    by_weight = samples_by_weight(8)
    pairs = list(itertools.combinations(range(4), 2))
    undecided = np.zeros(len(pairs))
    shifted = np.column_stack([F2[:, i] - F2[:, j] for i, j in pairs])
    shifted -= shifted.mean(axis=0)
    # t is 0, which every other sample reaches
    scores, family = np.column_stack((shifted, np.zeros(8))), RunPairs(np.arange(6), np.full(6, 6))
    for orders, samples in by_weight.items():
        found = bootstrap_discrimination(scores, family, samples, [0.5])
        undecided += orders * (len(samples) - found.count)
    for (i, j), chance in zip(pairs, undecided / 8.0**8, strict=True):
        case = f"F2:{'ABCD'[i]}-{'ABCD'[j]}"
        assert chance == pytest.approx(expected("paired", case, "boot_zero_over_zero_prob"))


@pytest.mark.parametrize("grid", [None, 1000])
def test_all_pairs_as_in_a_double_loop(grid):
    matrix, samples = scores(12, 5, grid), topic_draws(4, 200, 12)
    plain = double_loop(matrix, samples, 10)
    found = bootstrap_discrimination(matrix, every_pair(5), samples, [0.05])
    assert found.count.tolist() == [count for count, _ in plain]
    assert found.estimated[0] == pytest.approx([apart for _, apart in plain])


@pytest.mark.parametrize("grid", [None, 10, 2])
def test_the_level_is_that_of_the_bootstrap_test(grid):
    matrix = scores(20, 7, grid)
    matrix[:, 3], matrix[:, 4] = matrix[:, 2], matrix[:, 2] + 0.125
    family = every_pair(7)
    for resamples in (500, 2500):
        tested = bootstrap_test(matrix, family, num_resamples=resamples, seed=9)
        found = bootstrap_discrimination(matrix, family, topic_draws(9, resamples, 20))
        assert found.asl.tolist() == tested.asl.tolist()


def test_identical_runs_and_runs_a_constant_apart():
    matrix = np.column_stack((F2[:, 0], F2[:, 0], F2[:, 0] + 0.1, F2[:, 1]))
    found = bootstrap_discrimination(matrix, every_pair(4), topic_draws(0, 300, 8))
    assert found.identical.tolist() == [True, False, False, False, False, False]
    assert found.constant.tolist() == [False, True, False, True, False, False]
    assert found.asl[[0, 1, 3]].tolist() == [1, 2 / 2**8, 2 / 2**8]
    assert found.estimated[:, [0, 1, 3]].max() == 0
    assert not found.significant(1.0)[0]
    nothing = bootstrap_discrimination(np.ones((5, 3)), every_pair(3), topic_draws(0, 100, 5))
    assert nothing.power(0.05) == 0
    assert np.isnan(nothing.estimated_difference(0.05))


def test_means_that_are_equal_are_never_significant():
    matrix = np.array([[0.1, 0.2], [0.3, 0.2], [0.5, 0.6], [0.7, 0.6]])
    found = bootstrap_discrimination(matrix, every_pair(2), np.array([[0, 0, 1, 1], [0, 2, 0, 2]]))
    assert found.asl.tolist() == [1]


def test_nothing_hangs_on_other_runs_scale_or_direction():
    matrix, samples = scores(15, 5, 10), topic_draws(2, 1000, 15)
    found = bootstrap_discrimination(matrix, every_pair(5), samples)
    fewer = bootstrap_discrimination(matrix[:, :3], every_pair(3), samples)
    assert fewer.asl.tolist() == found.asl[[0, 1, 4]].tolist()
    larger = bootstrap_discrimination(matrix * 100, every_pair(5), samples)
    assert larger.asl.tolist() == found.asl.tolist()
    assert larger.estimated == pytest.approx(100 * found.estimated)
    turned = RunPairs(every_pair(5).second, every_pair(5).first)
    assert bootstrap_discrimination(matrix, turned, samples).asl.tolist() == found.asl.tolist()


def test_the_levels_are_near_those_of_the_t_test():
    matrix = scores(50, 6)
    found = bootstrap_discrimination(matrix, every_pair(6), topic_draws(0, 4000, 50))
    for pair, (one, other) in enumerate(itertools.combinations(range(6), 2)):
        p = stats.ttest_rel(matrix[:, one], matrix[:, other]).pvalue
        assert found.asl[pair] == pytest.approx(p, abs=0.05)


def test_the_curve_falls_and_power_grows_with_alpha():
    found = bootstrap_discrimination(scores(), every_pair(6), topic_draws(0, 500, 30))
    assert found.curve().tolist() == sorted(found.asl.tolist(), reverse=True)
    assert found.power(0.01) <= found.power(0.05)
    assert found.estimated_difference(0.05) <= found.estimated_difference(0.01)


def test_a_share_of_the_samples_is_not_rounded_up_by_a_float():
    """7% of 100 samples are 7, although .07 * 100 is more in floats."""
    matrix, samples = scores(12, 2), topic_draws(4, 100, 12)
    found = bootstrap_discrimination(matrix, every_pair(2), samples, [0.07])
    assert found.estimated[0, 0] == pytest.approx(double_loop(matrix, samples, 7)[0][1])


def test_fewer_topics_need_larger_differences():
    matrix = scores(40, 8)
    few, all_topics = (
        bootstrap_discrimination(matrix, every_pair(8), topic_draws(0, 1000, 40, size))
        for size in (10, 40)
    )
    assert few.estimated_difference(0.05) > all_topics.estimated_difference(0.05)


@pytest.mark.parametrize(
    ("matrix", "samples", "alphas", "said"),
    [
        (np.ones((1, 2)), np.zeros((3, 2), np.int64), [0.05], "at least two topics"),
        (np.ones((3, 2)), np.zeros((3, 1), np.int64), [0.05], "2 topics or more"),
        (np.ones((3, 2)), np.zeros((0, 3), np.int64), [0.05], "0 samples"),
        (np.ones((3, 2)), np.zeros((3, 3), np.int64), [0.05, 1], "between 0 and 1"),
        (np.full((3, 2), np.nan), np.zeros((3, 3), np.int64), [0.05], "no finite score"),
    ],
)
def test_what_cannot_be_discriminated(matrix, samples, alphas, said):
    with pytest.raises(UsageError, match=said):
        bootstrap_discrimination(matrix, every_pair(2), samples, alphas)


def test_an_alpha_that_was_not_asked_for():
    found = bootstrap_discrimination(F2, every_pair(4), topic_draws(0, 100, 8))
    with pytest.raises(UsageError, match=r"estimated for alpha 0\.1"):
        found.estimated_difference(0.1)


def test_the_error_of_a_difference_is_its_spread_over_seeds():
    matrix, family = scores(topics=40, runs=8), every_pair(8)
    values, errors = [], []
    for seed in range(40):
        samples = topic_draws(seed, 500, 40)
        found = add_monte_carlo_errors(
            bootstrap_discrimination(matrix, family, samples), matrix, family, samples
        )
        values.append(found.estimated_difference(0.05))
        errors.append(found.errors[0])
    # the jackknife of a largest value errs to the safe side
    assert 0.8 < np.mean(errors) / np.std(values, ddof=1) < 2.5
    few = topic_draws(0, 9, 40)
    assert np.isnan(
        add_monte_carlo_errors(
            bootstrap_discrimination(matrix, family, few), matrix, family, few
        ).errors
    ).all()


def test_discrimination_is_100_times_as_fast_as_a_double_loop():
    matrix, samples = scores(50, 15), topic_draws(0, 1000, 50)
    start = process_time()
    double_loop(matrix[:, :3], samples, 50)
    loop = (process_time() - start) * 105 / 3
    taken = []
    for _ in range(12):  # as many measures
        start = process_time()
        bootstrap_discrimination(matrix, every_pair(15), samples)
        taken.append(process_time() - start)
    assert min(taken) < loop / 100


# every division of F2's topics into two halves, in both orders
HALVES = np.array(
    [[*half, *sorted(set(range(8)) - set(half))] for half in itertools.combinations(range(8), 4)]
)


def test_the_expected_swaps():
    case = ("swap", "F2 exhaustive n=4 width=.05")
    found = swap_method(F2, HALVES[:, :4], HALVES[:, 4:], bin_width=0.05)
    assert found.comparisons.tolist() == expected(*case, "comparisons")
    assert found.swaps.tolist() == expected(*case, "swaps")
    # 12 of 51 in the first bin, 1 of 91 in the second
    assert found.rates[:2] == pytest.approx([12 / 51, 1 / 91])
    assert math.isnan(found.rates[-1])
    assert found.required_difference() == pytest.approx(0.05)
    assert found.sensitivity() == pytest.approx(369 / 420)
    assert math.isnan(found.required_difference(-1))
    assert found.sensitivity(-1) == 0


def test_bins_are_not_missed_by_rounding():
    matrix = np.array([[0.29, 0.0], [0.29, 0.0], [0.1 + 0.2, 0.3], [0.5, 0.4]])
    found = swap_method(matrix, np.array([[0], [2], [3]]), np.array([[1], [3], [2]]), num_bins=40)
    assert np.flatnonzero(found.comparisons).tolist() == [0, 10, 29]
    assert found.ties == 1  # 0.1 + 0.2 and 0.3
    assert found.swaps.sum() == 0


def test_swaps_as_in_a_loop():
    matrix, (first, second) = scores(20, 5, 10), disjoint_topic_sets(3, 40, 20, 8)
    comparisons, swaps = [0] * 5, [0] * 5
    for one, other in zip(first, second, strict=True):
        assert len({*one.tolist(), *other.tolist()}) == 16
        for x, y in itertools.combinations(range(5), 2):
            here, there = (
                round(float((matrix[half, x] - matrix[half, y]).sum() * 10))
                for half in (one, other)
            )
            place = min(abs(here) // 4, 4)
            comparisons[place] += 1
            swaps[place] += here * there < 0
    found = swap_method(matrix, first, second, bin_width=0.05, num_bins=5)
    assert found.comparisons.tolist() == comparisons
    assert found.swaps.tolist() == swaps


def test_stability_as_in_a_loop():
    matrix, sets = scores(20, 5, 10), random_topic_sets(3, 50, 20, 6)
    for fuzziness in (0.0, 0.05, 0.2):
        minority = ties = 0
        for x, y in itertools.combinations(range(5), 2):
            said = []
            for topics in sets:
                one, other = (round(float(matrix[topics, run].sum() * 10)) for run in (x, y))
                equal = one == other or abs(one - other) < fuzziness * max(one, other) - 1e-9
                said.append(0 if equal else 1 if one > other else -1)
            minority += min(said.count(1), said.count(-1))
            ties += said.count(0)
        found = stability(matrix, sets, [fuzziness])
        assert found.minority[0] == pytest.approx(minority / 500)
        assert found.ties[0] == pytest.approx(ties / 500)


def test_sets_of_topics():
    sets = random_topic_sets(0, 2000, 12, 5)
    assert all(len(set(each)) == 5 for each in sets.tolist())
    # each topic is in 5 of 12 sets: 833 of 2,000, standard deviation 22
    assert np.abs(np.bincount(sets.ravel()) - 2000 * 5 / 12).max() < 4.5 * 22
    assert (random_topic_sets(0, 3, 12, 5) == sets[:3]).all()
    first, second = two_samples_with_replacement(0, 10, 12, 12)
    assert first.shape == second.shape == (10, 12)
    assert (first != second).any()
    with pytest.raises(UsageError, match="at most 6 each"):
        disjoint_topic_sets(0, 10, 12, 7)
    with pytest.raises(UsageError, match="13 topics cannot be drawn from 12"):
        random_topic_sets(0, 10, 12, 13)
    with pytest.raises(UsageError, match="one topic or more"):
        two_samples_with_replacement(0, 10, 12, 0)


def test_the_expected_concordance():
    case = ("concord", "F2/M2/G")
    other, gold = (np.array(expected(*case, name)) for name in ("M2", "G"))
    found = concordance(F2, other, gold)
    counts = [found.disagreements, found.first, found.second]
    assert counts == expected(*case, "disagree_conc1_conc2")
    assert [found.first_strict, found.second_strict] == expected(*case, "strict_conc1_conc2")
    assert found.p == pytest.approx(2 / 2**4)
    turned = concordance(other, F2, gold)
    assert (turned.first, turned.second_strict) == (found.second, found.first_strict)
    assert concordance(F2, F2, gold).p == 1
    with pytest.raises(UsageError, match="different shapes"):
        concordance(F2, F2, gold[:3])


def test_conclusions_that_change():
    first = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, -0.1])
    second = np.array([0.2, -0.2, 0.1, -0.1, 0.3, 0.0, -0.3])
    yes, no = True, False
    found = compare_conclusions_of_two_measures(
        (first, second),
        (np.array([yes, yes, yes, no, no, yes, no]), np.array([yes, yes, no, yes, no, no, yes])),
    )
    assert found.counts == {
        "active agreement": 1,
        "active disagreement": 1,
        "passive agreement": 3,
        "passive disagreement": 1,
        "neither": 1,
    }
    assert found.kind.tolist() == [0, 1, 2, 3, 4, 2, 2]


def test_kappa_by_hand():
    """45 of 60 judged alike, with margins 30/30 and 35/25: (.75 - .5) / (1 - .5)."""
    first = np.repeat([1.0, 1, 0, 0], [25, 5, 10, 20])
    second = np.repeat([1.0, 0, 1, 0], [25, 5, 10, 20])
    found = confusion(first, second)
    assert found.counts.tolist() == [[20, 10], [5, 25]]
    assert found.observed_agreement == 0.75
    assert found.kappa() == pytest.approx(0.5)
    # two grades have one distance, whatever its weight
    assert found.kappa("linear") == pytest.approx(0.5)
    assert found.kappa("quadratic") == pytest.approx(0.5)


def test_weighted_kappa_by_its_definition():
    random = np.random.default_rng(8)
    first = random.integers(0, 4, 80).astype(float)
    second = np.clip(first + random.integers(-1, 2, 80), 0, 3)
    for weights, power in (("linear", 1), ("quadratic", 2)):
        observed = np.mean(np.abs(first - second) ** power)
        by_chance = np.mean([np.abs(each - second) ** power for each in first])
        found = confusion(first, second).kappa(weights)  # type: ignore[arg-type]
        assert found == pytest.approx(1 - observed / by_chance)


def test_judges_that_cannot_be_compared():
    assert math.isnan(confusion(np.ones(3), np.ones(3)).kappa())
    assert math.isnan(confusion(np.ones(0), np.ones(0)).observed_agreement)
    with pytest.raises(UsageError, match="3 and 2 documents"):
        confusion(np.ones(3), np.ones(2))


_ = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorffs_own_example(level, alpha):
    assert krippendorff_alpha(KRIPPENDORFF, level) == pytest.approx(alpha, abs=5e-4)


def test_alpha_where_there_is_nothing_to_compare():
    assert math.isnan(krippendorff_alpha(np.array([[1.0, _], [_, 2.0]])))
    assert math.isnan(krippendorff_alpha(np.ones((2, 4))))
    assert krippendorff_alpha(np.array([[0.0, 1, 2], [0, 1, 2]])) == 1


@needs_real_data
@pytest.mark.parametrize("name", MATRICES)
def test_real_runs(name):
    real = real_matrix(name)[:, :12]
    family, samples = every_pair(12), topic_draws(0, 1000, len(real))
    found = bootstrap_discrimination(real, family, samples)
    plain = double_loop(real[:, :3], samples, 50)
    chosen = [0, 1, 11]  # the pairs of the first three runs
    assert found.count[chosen].tolist() == [count for count, _ in plain]
    assert found.estimated[0, chosen] == pytest.approx([apart for _, apart in plain])
    assert found.asl.tolist() == bootstrap_test(real, family, num_resamples=1000).asl.tolist()


@pytest.mark.parametrize("shape", [(3, 4, 5), (700, 50, 900), (2, 9000, 70), (1, 300_000, 2)])
def test_a_product_in_pieces_is_a_product(shape):
    random = np.random.default_rng(6)
    height, depth, width = shape
    one, other = random.random((height, depth)), random.random((depth, width))
    assert np.allclose(single_threaded_product(one, other), one @ other, rtol=1e-12, atol=0)
