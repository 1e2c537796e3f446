"""Tests of two runs that need no draws: t, effect sizes, signs, signed ranks, intervals."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from irev.errors import UsageError
from irev.statistics.bootstrap import bootstrap_test
from irev.statistics.differences import (
    RunPairs,
    every_pair,
    mean_and_sd_of_differences,
    order_by_gain,
)
from irev.statistics.intervals import bootstrap_intervals, mean_intervals
from irev.statistics.permutation import permutation_test
from irev.statistics.ranks_and_signs import (
    PMethod,
    critical_difference,
    mean_ranks,
    sign_test,
    wilcoxon,
)
from irev.statistics.t_tests import hedges_factor, paired_t
from tests.each import for_each
from tests.statistics_rows import every_row, pair_of, rows

ONE = RunPairs(np.array([0]), np.array([1]))


def t_quantities(scores):
    found = paired_t(scores, ONE)
    return {
        "mean_diff": found.mean[0],
        "var_diff": found.sd[0] ** 2,
        "t": found.t[0],
        "df": found.df,
        "t_p_two_sided": found.p[0],
        "ci95_low": found.low[0],
        "ci95_high": found.high[0],
        "d_z": found.d_z[0],
        "g_z": found.g_z[0],
    }


def quantity(name, scores):
    if name.startswith("wilcoxon"):
        _, zeros, how, _ = name.split("_")
        method: PMethod = "exact" if how == "exact" else "asymptotic"
        return wilcoxon(scores, ONE, zeros=zeros, method=method).p[0]
    if name == "perm_exact_p":
        return permutation_test(scores, ONE).p[0]
    signs = sign_test(scores, ONE)
    if name == "sign_p":
        return signs.p[0]
    if name == "win_tie_loss":
        return [signs.wins[0], signs.ties[0], signs.losses[0]]
    return t_quantities(scores)[name]


PAIRED = [
    row
    for row in rows("paired")
    if not row.values[2].startswith(("boot_", "perm_exact_count", "d_z_ci"))
]


@for_each(("section", "case", "name", "expected", "tolerance"), PAIRED)
def test_expected_values(section, case, name, expected, tolerance):
    assert quantity(name, pair_of(case)) == pytest.approx(expected, abs=tolerance)


def edge_scores(case, params):
    if case == "identical":
        return np.repeat(np.linspace(0, 1, 60)[:, None], 2, axis=1)
    if case == "constant_diff":
        return np.array([np.linspace(0.1, 0.9, 10) + 0.1, np.linspace(0.1, 0.9, 10)]).T
    given = json.loads(params)
    return np.array([given["x"], given["y"]]).T


@pytest.mark.parametrize("row", [row for row in every_row() if row["section"] == "edge"])
def test_edges(row):
    scores = edge_scores(row["case"], row["params"])
    name = {"wilcoxon_p": "wilcoxon_pratt_exact_p"}.get(row["quantity"], row["quantity"])
    if name == "boot_asl":
        found = bootstrap_test(scores, ONE, num_resamples=100)
        assert (found.asl[0], found.p[0]) == (1.0, 1.0)
        return
    expected = float("inf") if row["expected"] == "inf" else json.loads(row["expected"])
    assert quantity(name, scores) == pytest.approx(expected, abs=float(row["tol"]))


def test_a_constant_difference_of_inexact_scores_is_one():
    first, second = np.array([[0.3, 0.2], [0.2, 0.1], [0.7, 0.6], [0.1, 0.0]]).T
    for sign in (1, -1):
        found = paired_t(np.array([sign * first, sign * second]).T, ONE)
        assert (found.t[0], found.p[0], found.d_z[0]) == (sign * np.inf, 2 / 2**4, sign * np.inf)
        assert found.constant[0]
        assert not found.identical[0]
        assert found.low[0] == found.high[0] == pytest.approx(sign * 0.1)


@pytest.mark.parametrize(("difference", "t"), [(1, np.inf), (-1, -np.inf), (0, 0)])
def test_a_constant_difference_of_whole_scores(difference, t):
    second = np.array([2.0, 3.0, 5.0])
    found = paired_t(np.array([second + difference, second]).T, ONE)
    assert (found.mean[0], found.t[0], found.d_z[0]) == (difference, t, t)
    assert (found.p[0], found.identical[0]) == (2 / 2**3 if t else 1, t == 0)


@pytest.mark.parametrize("level", [-0.5, 0, 1, 1.5, math.nan])
def test_a_level_lies_between_0_and_1(level):
    with pytest.raises(UsageError, match="between 0 and 1"):
        paired_t(np.array([[0.0, 1.0], [2.0, 2.0]]), ONE, level=level)


def scores_of(topics, runs, seed=5):
    """Scores like average precision: harder and easier topics, better and worse runs."""
    random = np.random.default_rng(seed)
    logit = random.normal(-1, 1, (topics, 1)) + random.normal(0, 0.4, runs)
    return 1 / (1 + np.exp(-logit - random.normal(0, 0.7, (topics, runs))))


def discrete(topics, runs, seed=5):
    """Scores like P@10, with ties."""
    return np.random.default_rng(seed).binomial(10, scores_of(topics, runs, seed)) / 10


@pytest.mark.parametrize("tail", ["two-sided", "greater", "less"])
def test_t_is_scipys(tail):
    scores, pairs = scores_of(31, 6), every_pair(6)
    found = paired_t(scores, pairs, tail=tail, level=0.9)
    theirs = stats.ttest_rel(scores[:, pairs.first], scores[:, pairs.second], alternative=tail)
    interval = theirs.confidence_interval(0.9)
    np.testing.assert_allclose(found.t, theirs.statistic, rtol=1e-10)
    np.testing.assert_allclose(found.p, theirs.pvalue, rtol=1e-9)
    np.testing.assert_allclose(found.low, interval.low, rtol=1e-9)
    np.testing.assert_allclose(found.high, interval.high, rtol=1e-9)


def test_effect_sizes_of_few_topics():
    assert hedges_factor(1) == 0.0
    # Gamma(1) / (Gamma(1/2)) for df = 2
    assert hedges_factor(2) == pytest.approx(1 / math.sqrt(math.pi))


@pytest.mark.parametrize("tail", ["two-sided", "greater", "less"])
def test_signs_are_scipys(tail):
    scores, pairs = discrete(40, 6), every_pair(6)
    found = sign_test(scores, pairs, tail=tail)
    theirs = [
        stats.binomtest(int(won), int(won + lost), alternative=tail).pvalue
        for won, lost in zip(found.wins, found.losses, strict=True)
    ]
    np.testing.assert_allclose(found.p, theirs, rtol=1e-10)


@pytest.mark.parametrize("factor", [1.0, 1e5])
def test_a_difference_must_be_more_than_the_smallest_that_counts(factor):
    # 0.3 - 0.29 is 0.010000000000000009, and 30000 - 1e5 * 0.29 is 1000.0000000000036
    scores = factor * np.array([[0.3, 0.29], [0.5, 0.3], [0.29, 0.3], [0.1, 0.5]])
    found = sign_test(scores, ONE, min_diff=factor * 0.01)
    assert (found.wins[0], found.ties[0], found.losses[0]) == (1, 2, 1)
    found = sign_test(scores, ONE, min_diff=factor * 0.6)
    assert (found.ties[0], found.p[0]) == (4, 1.0)


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
@pytest.mark.parametrize("tail", ["two-sided", "greater", "less"])
def test_signed_ranks_of_equal_runs_are_no_evidence(method, tail):
    same = np.repeat([[0.1], [0.5], [0.9]], 2, axis=1)
    assert wilcoxon(same, ONE, method=method, tail=tail).p.tolist() == [1.0]


@pytest.mark.parametrize("factor", [1.0, 1e5 / 7])
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_differences_that_rounding_alone_parts_share_a_rank(factor, lost):
    scores = factor * np.array([[0.3, 0.2], [0.2, 0.1], [0.9, 0.8], [0.5, 0.1]])
    scores[lost] = scores[lost, ::-1]
    assert len(set(np.abs(np.diff(scores, axis=1)).ravel().tolist())) > 2
    found = wilcoxon(scores, ONE)
    assert (found.positive[0], found.negative[0]) == (2 + 2 + 4, 2)


@pytest.mark.parametrize(
    ("tail", "of_none", "of_one"), [("two-sided", 1, 1), ("greater", 1, 0.5), ("less", 1, 1)]
)
def test_signs_of_no_topic_and_of_one(tail, of_none, of_one):
    same, won = np.full((3, 2), 0.5), np.array([[0.5, 0.5], [0.7, 0.5]])
    assert sign_test(same, ONE, tail=tail).p.tolist() == [of_none]
    assert sign_test(won, ONE, tail=tail).p.tolist() == [of_one]


@pytest.mark.parametrize("tail", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("zeros", ["pratt", "wilcox", "zsplit"])
def test_asymptotic_signed_ranks_are_scipys(zeros, tail):
    scores, pairs = discrete(60, 5), every_pair(5)
    found = wilcoxon(scores, pairs, zeros=zeros, method="asymptotic", tail=tail)
    for place, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        theirs = stats.wilcoxon(
            np.round(scores[:, i] - scores[:, j], 9),
            zero_method=zeros,
            method="asymptotic",
            alternative=tail,
        )
        assert found.p[place] == pytest.approx(theirs.pvalue, rel=1e-9)
        smaller = min(found.positive[place], found.negative[place])
        expected = smaller if tail == "two-sided" else found.positive[place]
        assert expected == pytest.approx(theirs.statistic)


@pytest.mark.parametrize("tail", ["two-sided", "greater", "less"])
def test_exact_signed_ranks_are_scipys_without_ties(tail):
    scores, pairs = scores_of(50, 5), every_pair(5)
    found = wilcoxon(scores, pairs, tail=tail)
    theirs = stats.wilcoxon(
        scores[:, pairs.first] - scores[:, pairs.second], method="exact", alternative=tail
    )
    assert found.exact
    np.testing.assert_allclose(found.p, theirs.pvalue, rtol=1e-9)
    assert wilcoxon(scores_of(200, 2), ONE).exact
    assert not wilcoxon(scores_of(201, 2), ONE).exact


@pytest.mark.parametrize("zeros", ["pratt", "wilcox"])
def test_exact_signed_ranks_with_ties_are_all_signs_looked_at(zeros):
    scores = discrete(11, 2, seed=3)
    d = np.round(scores[:, 0] - scores[:, 1], 9)
    kept = d if zeros == "pratt" else d[d != 0]
    ranks = stats.rankdata(np.abs(kept))[kept != 0]
    signs = 1 - 2 * (np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks)) & 1)
    observed = np.sign(kept[kept != 0]) @ ranks
    expected = np.mean(np.abs(signs @ ranks) >= abs(observed))
    assert (d == 0).any()
    assert wilcoxon(scores, ONE, zeros=zeros).p[0] == pytest.approx(expected, abs=1e-14)


def test_balanced_data_with_many_zeros_are_no_evidence():
    d = np.concatenate((np.zeros(40), [0.1, -0.1, 0.2, -0.2, 0.3, -0.3]))
    scores = np.array([d, np.zeros(len(d))]).T
    for method in ("exact", "asymptotic"):
        assert wilcoxon(scores, ONE, method=method).p[0] == 1.0


def test_no_other_run_has_a_part_in_a_pairs_tests():
    scores = scores_of(40, 4)
    # a run with ties, another scale, and a run equal to the first
    wider = np.hstack((scores, discrete(40, 1, seed=8) * 1e6, scores[:, :1]))
    for test in (paired_t, sign_test, wilcoxon):
        alone, among = test(scores, every_pair(4)), test(wider, RunPairs(*np.triu_indices(4, 1)))
        assert alone.p.tolist() == among.p.tolist()


@pytest.mark.parametrize("factor", [100.0, 0.01])
def test_the_scale_of_scores_changes_no_p(factor):
    scores, pairs = discrete(40, 4), every_pair(4)
    for test in (paired_t, sign_test, wilcoxon):
        np.testing.assert_allclose(
            test(scores * factor, pairs).p, test(scores, pairs).p, rtol=1e-12
        )


def test_what_cannot_be_compared_is_refused():
    for wrong in (np.ones((1, 2)), np.array([[1.0, 2.0], [np.nan, 1.0]])):
        with pytest.raises(UsageError):
            mean_and_sd_of_differences(wrong, ONE)
    with pytest.raises(UsageError, match="level"):
        paired_t(discrete(10, 2), ONE, level=95)
    with pytest.raises(UsageError, match="smallest difference"):
        sign_test(discrete(10, 2), ONE, min_diff=-0.1)


def test_many_pairs_in_blocks_are_as_each_by_itself():
    scores = scores_of(50, 90)
    pairs = every_pair(90)
    found = mean_and_sd_of_differences(scores, pairs)
    last = RunPairs(pairs.first[-1:], pairs.second[-1:])
    assert found.mean[-1] == mean_and_sd_of_differences(scores, last).mean[0]
    expected = scores[:, pairs.first] - scores[:, pairs.second]
    np.testing.assert_allclose(found.mean, expected.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(found.sd, expected.std(axis=0, ddof=1), rtol=1e-12)


def test_intervals_of_means_are_scipys():
    scores = scores_of(31, 4)
    found = mean_intervals(scores, level=0.9)
    theirs = stats.ttest_1samp(scores, 0).confidence_interval(0.9)
    np.testing.assert_allclose(found.low, theirs.low, rtol=1e-10)
    np.testing.assert_allclose(found.high, theirs.high, rtol=1e-10)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_bootstrap_intervals_are_near_scipys(kind):
    scores, pairs = scores_of(31, 3), every_pair(3)
    for family, values in ((None, scores), (pairs, pairs.differences(scores))):
        found = bootstrap_intervals(scores, family, kind=kind)
        theirs = stats.bootstrap(
            (values,), np.mean, method=kind.replace("bca", "BCa"), rng=np.random.default_rng(1)
        ).confidence_interval
        # the ends of 10,000 samples vary by a few hundredths of the interval
        near = 0.05 * (found.high - found.low)
        assert (np.abs(found.low - theirs.low) < near).all()
        assert (np.abs(found.high - theirs.high) < near).all()


QUANTILES = [row for row in rows("paired") if row.values[2].startswith("boot_mean_q")]


@for_each(("section", "case", "name", "expected", "tolerance"), QUANTILES)
def test_percentile_intervals_have_the_exact_quantiles(section, case, name, expected, tolerance):
    scores = pair_of(case)
    found = bootstrap_intervals(scores, ONE, kind="percentile", num_resamples=100_000)
    end = found.low[0] if "q025" in name else found.high[0]
    # means lie on a grid of 0.05 / 8; a drawn quantile may miss the exact one by a step
    assert end == pytest.approx(expected, abs=0.05 / 8 + 1e-9)


@pytest.mark.thorough
def test_bootstrap_t_intervals_are_a_plain_loops():
    scores = scores_of(12, 2, seed=1)
    d = scores[:, 0] - scores[:, 1]
    random = np.random.default_rng(2)
    far = []
    for _ in range(10_000):
        star = random.choice(d, len(d))
        far.append((star.mean() - d.mean()) / (star.std(ddof=1) / math.sqrt(len(d))))
    error = d.std(ddof=1) / math.sqrt(len(d))
    low, high = d.mean() - np.quantile(far, [0.975, 0.025]) * error
    found = bootstrap_intervals(scores, ONE)
    assert found.mean[0] == pytest.approx(d.mean())
    assert found.low[0] == pytest.approx(low, abs=0.05 * (high - low))
    assert found.high[0] == pytest.approx(high, abs=0.05 * (high - low))


@pytest.mark.parametrize("kind", ["percentile", "bca", "bootstrap-t"])
def test_intervals_of_what_never_varies_are_a_point(kind):
    scores = np.array([np.linspace(0.1, 0.9, 9) + 0.1, np.linspace(0.1, 0.9, 9)]).T
    found = bootstrap_intervals(scores, ONE, kind=kind, num_resamples=200)
    assert found.low[0] == found.high[0] == found.mean[0]


def test_bootstrap_intervals_do_not_depend_on_threads_or_other_columns():
    scores = scores_of(30, 5)
    one = bootstrap_intervals(scores, num_resamples=3000, threads=1)
    two = bootstrap_intervals(scores, num_resamples=3000, threads=2)
    assert one.low.tolist() == two.low.tolist()
    alone = bootstrap_intervals(scores[:, 1:2], num_resamples=3000)
    np.testing.assert_allclose(alone.low[0], one.low[1], rtol=1e-12)


def test_mean_ranks_by_hand():
    """The best run has rank 1; equal runs share theirs, those that differ by rounding too."""
    scores = np.array([[0.1, 0.2, 0.3], [0.5, 0.5, 0.1], [0.1 + 0.2, 0.3, 0.9]])
    assert mean_ranks(scores).tolist() == pytest.approx([7 / 3, 2.0, 5 / 3])


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, 1.25), (0.10, 1.12)])
def test_the_critical_difference_is_that_of_the_paper(alpha, expected):
    """Four classifiers on 14 sets of data (Demsar, JMLR 7, 2006, section 3.2.2)."""
    assert critical_difference(4, 14, alpha) == pytest.approx(expected, abs=0.005)


def test_gains_come_first_and_equal_ones_in_the_order_of_the_topics():
    differences = np.array([-0.5, 0.25, 0.0, 0.25, -0.5])
    assert order_by_gain(differences, lower_is_better=False).tolist() == [1, 3, 2, 0, 4]
    # of an error, lower is better
    assert order_by_gain(differences, lower_is_better=True).tolist() == [0, 4, 2, 1, 3]
