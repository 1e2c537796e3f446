"""Comparing runs as a library; expected values are the statistics' own, or worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import irev
from irev.core.judged import Column
from irev.errors import UsageError
from irev.jobs.compare.comparison import CompareOptions, compare_table
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.methods import INTERVALS, TESTS
from tests.each import for_each
from tests.statistics_rows import matrix


def score_table(*scores, names=None, **more):
    names = names or [chr(ord("A") + run) for run in range(scores[0].shape[1])]
    topics = tuple(f"{topic:04}".encode() for topic in range(len(scores[0])))
    columns = tuple(Column(f"m{place}", f"m{place}") for place in range(len(scores)))
    entries = tuple(RunInfo(name, f"{name}.run") for name in names)
    return ScoreTable(topics, entries, columns, np.array(scores), **more)


def draw_scores(topics=45, runs=4, seed=5):
    """Scores on no lattice, with more differences than can be listed."""
    random = np.random.default_rng(seed)
    return np.clip(random.normal(0.4, 0.2, (topics, runs)) + np.arange(runs) * 0.05, 0, 1)


def p_values(actual, test, fact="p"):
    """The p-values by pair, whichever way round."""
    return {
        frozenset((row["run"], row["against"])): row["tests"][test][fact]
        for row in actual.pair_rows()
    }


def test_all_pairs_have_the_better_run_first() -> None:
    scores, _ = matrix("F2")
    comparison = compare_table(score_table(scores[:, ::-1]), CompareOptions())
    assert comparison.means["run"].tolist() == ["D", "C", "B", "A"]
    pairs = comparison.pairs
    assert list(zip(pairs["run"], pairs["against"], strict=True)) == [
        ("D", "C"), ("D", "B"), ("D", "A"), ("C", "B"), ("C", "A"), ("B", "A"),
    ]  # fmt: skip
    assert (pairs["difference"] > 0).all()
    assert comparison.num_hypotheses == 6


def test_a_baseline_is_what_is_subtracted() -> None:
    scores, _ = matrix("F2")
    pairs = compare_table(score_table(scores), CompareOptions(baselines=["B"])).pairs
    assert pairs["run"].tolist() == ["A", "C", "D"]
    assert pairs["against"].tolist() == ["B"] * 3
    # A .51875, B .40625, C .3625, D .26875
    assert pairs["difference"].tolist() == pytest.approx([0.1125, -0.04375, -0.1375])


def test_two_baselines_meet_once() -> None:
    scores, _ = matrix("F2")
    pairs = compare_table(score_table(scores), CompareOptions(baselines=["B.run", "C"])).pairs
    assert list(zip(pairs["run"], pairs["against"], strict=True)) == [
        ("A", "B"), ("C", "B"), ("D", "B"), ("A", "C"), ("D", "C"),
    ]  # fmt: skip


def test_the_family_is_pairs_times_measures_and_classes() -> None:
    scores, _ = matrix("F1")
    half = np.arange(20) < 10
    table = score_table(
        scores, scores, names=["X", "Y", "Z"], classes={"first": half, "rest": ~half}
    )
    comparison = compare_table(table, CompareOptions(tests=("t",), correction="bonferroni"))
    assert comparison.num_hypotheses == 3 * 2 * 3
    pairs = comparison.pairs
    assert pairs["class"].unique().tolist() == ["", "first", "rest"]
    raw = pairs["p_t"].to_numpy()
    assert pairs["corrected_t"].to_numpy() == pytest.approx(np.minimum(1, 18 * raw))
    of_class = pairs[(pairs["class"] == "first") & (pairs["measure"] == "m0")]
    for row in of_class.itertuples():
        one, other = ("XYZ".index(str(name)) for name in (row.run, row.against))
        assert row.p_t == pytest.approx(stats.ttest_rel(scores[half, one], scores[half, other])[1])
        assert row.n == 10


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh", "by"])
def test_corrections_are_over_all_measures_together(correction: Any) -> None:
    plan = CompareOptions(tests=("t", "sign"), correction=correction)
    pairs = compare_table(score_table(draw_scores(), draw_scores(seed=6)), plan).pairs
    for test in plan.tests:
        raw, m = pairs[f"p_{test}"].to_numpy(), 12
        order = np.argsort(raw, kind="stable")
        stepped = {
            "bonferroni": m * raw[order],
            "holm": np.maximum.accumulate((m - np.arange(m)) * raw[order]),
        }.get(correction)
        expected = np.empty(m)
        if stepped is not None:
            expected[order] = np.minimum(1, stepped)
        else:
            expected = stats.false_discovery_control(raw, method=correction)
        assert pairs[f"corrected_{test}"].to_numpy() == pytest.approx(expected)


def test_max_t_takes_all_measures_together() -> None:
    scores, _ = matrix("F2")
    other = scores[::-1] * 3
    plan = CompareOptions(baselines=["D"], tests=("permutation",), correction="maxt")
    comparison = compare_table(score_table(scores, other), plan)
    columns = np.hstack([scores[:, :3] - scores[:, 3:], other[:, :3] - other[:, 3:]])
    signs = 1 - 2 * ((np.arange(2**8)[:, None] >> np.arange(8)) & 1)
    length = np.sqrt((columns**2).sum(axis=0))
    draw_scores = np.abs(signs @ columns) / length
    observed = np.abs(columns.sum(axis=0)) / length
    order = np.argsort(-observed, kind="stable")
    expected = np.empty(len(order))
    for step, place in enumerate(order):
        left = draw_scores[:, order[step:]].max(axis=1)
        expected[place] = (left >= observed[place] - 1e-9).mean()
    expected[order] = np.maximum.accumulate(expected[order])
    assert comparison.pairs["corrected_permutation"].to_numpy() == pytest.approx(expected)


def test_the_columns_of_a_frame() -> None:
    scores, _ = matrix("F2")
    comparison = compare_table(score_table(scores), CompareOptions(tests=list(TESTS)))
    pairs = comparison.to_frame()
    assert {f"corrected_{test}" for test in TESTS} <= set(pairs)
    assert {"low", "high", "d_z", "es_hsd", "n", "wins", "ties", "losses"} <= set(pairs)
    assert comparison.anova["source"].tolist() == ["runs", "topics", "error"]
    gains = comparison.by_topic.groupby(["run", "against"], sort=False)["difference"].mean()
    assert gains.to_numpy() == pytest.approx(pairs["difference"].to_numpy())


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    def compare_on(num_threads):
        plan = CompareOptions(
            tests=list(TESTS), ci="bca", seed=3, resamples=3000, threads=num_threads
        )
        return compare_table(score_table(draw_scores(), draw_scores(seed=6)), plan)

    assert list(compare_on(threads).pair_rows()) == list(compare_on(1).pair_rows())
    assert list(compare_on(threads).mean_rows()) == list(compare_on(1).mean_rows())


def test_another_run_changes_no_p_of_a_pair() -> None:
    scores = draw_scores()
    plan = CompareOptions(
        tests=("t", "permutation", "wilcoxon", "sign", "bootstrap"), resamples=2000
    )
    few = compare_table(score_table(scores[:, :2]), plan)
    many = compare_table(score_table(scores), plan)
    for test in plan.tests:
        for pair, p in p_values(few, test).items():
            assert p_values(many, test)[pair] == p


def test_the_unit_of_scores_changes_no_p() -> None:
    plan = CompareOptions(tests=list(TESTS), resamples=2000)
    one, other = (compare_table(score_table(draw_scores() * k), plan) for k in (1, 128))
    for test in TESTS:
        assert p_values(other, test, "corrected") == pytest.approx(p_values(one, test, "corrected"))


def test_two_runs_make_tests_meet() -> None:
    scores = draw_scores(runs=2)
    plan = CompareOptions(tests=list(TESTS), resamples=20_000)
    (row,) = compare_table(score_table(scores), plan).pair_rows()
    tests = row["tests"]
    assert isinstance(tests, dict)
    assert tests["hsd"]["corrected"] == pytest.approx(tests["t"]["p"], abs=1e-9)
    p = tests["permutation"]["p"]
    assert abs(tests["rthsd"]["corrected"] - p) < 4 * np.sqrt(2 * p * (1 - p) / 20_000)
    # of two runs nothing is moderated: that is the t test
    assert set(tests) == set(TESTS) - {"moderated"}
    assert min(facts["corrected"] for facts in tests.values()) > 0


def test_identical_runs_have_p_1() -> None:
    scores = np.repeat(draw_scores(runs=1), 2, axis=1)
    comparison = compare_table(score_table(scores), CompareOptions(tests=list(TESTS)))
    for test in set(TESTS) - {"moderated"}:
        assert set(p_values(comparison, test, "corrected").values()) == {1.0}
    assert "1 of 1 pair has no difference on any topic; p is 1" in "\n".join(comparison.notes)


def test_a_constant_difference_is_said() -> None:
    one = np.array([0.3, 0.2, 0.7, 0.1, 0.4, 0.5, 0.6, 0.8, 0.9, 0.25])
    comparison = compare_table(
        score_table(np.column_stack([one, one - 0.1])), CompareOptions(tests=("permutation",))
    )
    # only the two patterns of equal signs are as extreme
    assert comparison.pairs["p_permutation"].tolist() == [2 / 2**10]
    assert np.isinf(comparison.pairs["d_z"]).all()
    assert any("the same difference on every topic" in note for note in comparison.notes)


def test_one_sided() -> None:
    scores, _ = matrix("F2")
    plan = CompareOptions(baselines=["B"], tests=("t", "permutation"), tail="greater")
    comparison = compare_table(score_table(scores[:, :2]), plan).pairs.iloc[0]
    difference = scores[:, 0] - scores[:, 1]
    expected = stats.ttest_1samp(difference, 0, alternative="greater")
    assert comparison["p_t"] == pytest.approx(expected.pvalue)
    assert comparison["low"] == pytest.approx(expected.confidence_interval(0.95).low)
    assert comparison["high"] == np.inf
    assert comparison["p_permutation"] == 8 / 256
    less = CompareOptions(baselines=["B"], tests=("permutation",), tail="less", ci="percentile")
    comparison = compare_table(score_table(scores[:, :2]), less).pairs.iloc[0]
    assert comparison["p_permutation"] == 1 - 2 / 256  # only without a loss is the sum larger
    assert comparison["low"] == -np.inf
    assert 0.1125 < comparison["high"] < 0.2


def test_percentile_interval() -> None:
    scores, _ = matrix("F2")
    comparison = compare_table(
        score_table(scores[:, :2]), CompareOptions(ci="percentile")
    ).pairs.iloc[0]
    # quantiles of the exact bootstrap distribution, whose steps are .05 / 8
    assert comparison["low"] == pytest.approx(0.0375, abs=0.0063)
    assert comparison["high"] == pytest.approx(0.1875, abs=0.0063)


def test_deviations_of_runs() -> None:
    """Kishida 2005, eq. 14: the sample variance over topics, by one less than their number."""
    scores, names = matrix("F2")
    comparison = compare_table(score_table(scores), CompareOptions(tests=("t",))).means.set_index(
        "run"
    )["sd"]
    expected = scores.std(axis=0, ddof=1)
    assert comparison[names].tolist() == pytest.approx(expected, rel=1e-12)
    same = compare_table(score_table(np.full((5, 2), [0.1, 0.3])), CompareOptions(tests=("t",)))
    assert same.means["sd"].tolist() == [0.0, 0.0]


def test_weighted_means() -> None:
    scores, _ = matrix("F2")
    weights = np.array([1.0, 2, 1, 0, 1, 1, 1, 1])
    comparison = compare_table(
        score_table(scores[:, :2], weights=weights), CompareOptions(tests=("t",))
    )
    expected = (scores[:, :2] * weights[:, None]).sum(axis=0) / 8
    assert comparison.means["mean"].tolist() == pytest.approx(expected)
    # the ratio estimator, and Kish's number of topics: 8^2 / (1 + 4 + 1 + 0 + 1 + 1 + 1 + 1)
    d = scores[:, 0] - scores[:, 1]
    mean = (weights * d).sum() / 8
    error = math.sqrt(8 / 7 * (weights**2 * (d - mean) ** 2).sum()) / 8
    df = 64 / 10 - 1
    pair = comparison.pairs.iloc[0]
    assert pair["p_t"] == pytest.approx(2 * stats.t.sf(mean / error, df))
    reach = stats.t.ppf(0.975, df) * error
    assert (pair["low"], pair["high"]) == pytest.approx((mean - reach, mean + reach))
    assert any("topics have weights" in note for note in comparison.notes)


def test_the_interval_of_a_weighted_mean() -> None:
    # 8 topics of weights 1, 2, 1, 4, 1, 1, 3, 1: worked out with fractions, df = Kish's n - 1
    scores, _ = matrix("F2")
    weights = np.array([1.0, 2, 1, 4, 1, 1, 3, 1])
    comparison = compare_table(
        score_table(scores[:, :2], weights=weights), CompareOptions(tests=("t",))
    )
    row = comparison.means.set_index("run").loc["A"]
    expected = (0.4357142857, 0.1158737993, 0.7555547721)
    assert (row["mean"], row["low"], row["high"]) == pytest.approx(expected, abs=1e-9)
    assert any("5.76 topics of equal weight" in note for note in comparison.notes)


@pytest.mark.parametrize(("num_heavy", "is_rough"), [(2, False), (20, True)])
def test_weights_that_leave_fewer_than_thirty_equal_topics_are_told(
    num_heavy: int, is_rough: bool
) -> None:
    # 40 topics, of which 2 or 20 weigh 4: (4h + 40 - h)^2 / (16h + 40 - h) is 30.2 or 29.4
    weights = np.where(np.arange(40) < num_heavy, 4.0, 1.0)
    table = score_table(np.random.default_rng(1).random((40, 2)), weights=weights)
    comparison = compare_table(table, CompareOptions(tests=("t",)))
    assert any("with fewer than 30 intervals" in note for note in comparison.notes) == is_rough


@pytest.mark.parametrize("ci", INTERVALS)
def test_a_constant_run_has_an_exact_interval_by_kish_size(ci: str) -> None:
    weights = np.array([9.0, 1, 1, 9, 2, 1, 1, 1])
    scores = np.column_stack([np.full(8, 0.5), np.full(8, 0.4)])
    plan = CompareOptions(tests=("t",), ci=ci, resamples=200)
    comparison = compare_table(score_table(scores, weights=weights), plan)
    # nothing is known of the range of the measure m0
    assert comparison.means[["low", "high"]].to_numpy().ravel().tolist() == 2 * [-np.inf, np.inf]
    table = score_table(scores, weights=weights)
    columns = tuple(replace(column, bounds=(0.0, 1.0)) for column in table.columns)
    bounded = compare_table(replace(table, columns=columns), plan)
    kish = 25**2 / (2 * 81 + 4 + 5)
    share = 0.025 ** (1 / kish)
    assert bounded.means["low"].to_numpy() == pytest.approx(np.array([0.5, 0.4]) * share)
    assert bounded.means["high"].to_numpy() == pytest.approx(1 - np.array([0.5, 0.6]) * share)
    ends = [0.1 * share - (1 - share), 0.1 * share + 1 - share]
    assert bounded.pairs.iloc[0][["low", "high"]].tolist() == pytest.approx(ends)
    assert bounded.pairs["p_t"].tolist() == pytest.approx([2 ** (1 - kish)])


def test_signs_of_weighted_differences_are_those_of_the_topics() -> None:
    scores, _ = matrix("F2")
    weights = np.array([1.0, 2, 1, 4, 1, 1, 3, 1])
    plan = CompareOptions(tests=("permutation", "sign"))
    pair = compare_table(score_table(scores[:, :2], weights=weights), plan).pairs.iloc[0]
    d = (scores[:, 0] - scores[:, 1]) * weights
    sums = [abs(d @ signs) for signs in product((1, -1), repeat=8)]
    expected = np.mean([each >= abs(d.sum()) - 1e-12 for each in sums])
    assert pair["p_permutation"] == pytest.approx(expected)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    assert pair["p_sign"] == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


def test_intervals_of_differences_are_of_the_family_of_the_test() -> None:
    scores, _ = matrix("F2")

    def ends(**plan: Any) -> list[float]:
        pairs = compare_table(score_table(scores), CompareOptions(**plan)).pairs
        row = pairs[(pairs["run"] == "A") & (pairs["against"] == "B")].iloc[0]
        return [row["low"], row["high"]]

    d = scores[:, 0] - scores[:, 1]

    def p_of_t_tests(alpha: float) -> list[float]:
        return list(stats.t.interval(1 - alpha, 7, d.mean(), stats.sem(d)))

    assert ends(tests=("t",), correction="bh") == pytest.approx(p_of_t_tests(0.05))
    for correction in ("bonferroni", "holm"):
        assert ends(tests=("t",), correction=correction) == pytest.approx(p_of_t_tests(0.05 / 6))
    assert ends(tests=("permutation",), correction="maxt") == pytest.approx(p_of_t_tests(0.05 / 6))
    # scipy has no two-way HSD: the margin is that of the table of expected values
    assert ends(tests=("hsd", "t")) == pytest.approx([-0.0280, 0.2530], abs=5e-5)


def test_intervals_stay_within_the_range_of_a_measure() -> None:
    scores = np.array([[1.0, 0.1], [1.0, 0.0], [0.2, 0.0], [1.0, 0.2]])
    arguments = (Column("recip_rank", "recip_rank"),)
    plan = CompareOptions(tests=("t",))
    comparison = compare_table(replace(score_table(scores), columns=arguments), plan)
    assert comparison.means.iloc[0]["high"] == 1.0
    assert comparison.means.iloc[1]["low"] == 0.0
    assert comparison.pairs.iloc[0]["high"] == 1.0
    # of what is not known, or lies outside, nothing is cut
    for other in (score_table(scores), replace(score_table(4 * scores), columns=arguments)):
        assert compare_table(other, plan).means.iloc[1]["low"] < 0


def test_as_many_resamples_as_the_family_asks_for() -> None:
    # the smallest p, 1 / (B + 1), times 8256 is just .05
    assert CompareOptions().num_resamples_needed("permutation", 8256) == 165_119
    assert CompareOptions().num_resamples_of("permutation", 8256) == 165_119
    assert CompareOptions().num_resamples_of("permutation", 105) == 100_000
    assert CompareOptions(correction="none").num_resamples_of("permutation", 8256) == 100_000
    assert CompareOptions(resamples=500).num_resamples_of("permutation", 8256) == 500
    assert CompareOptions().num_resamples_of("rthsd", 8256) == 10_000
    assert CompareOptions().num_resamples_of("t", 8256) == 0
    # eight hypotheses and Benjamini-Yekutieli: 8 (1 + 1/2 + ... + 1/8) = 21.7, and 22 / .05 - 1
    assert CompareOptions(correction="by").num_resamples_needed("sign", 8) == 439


def notes_of(plan: CompareOptions, *scores: Any) -> str:
    return "\n".join(compare_table(score_table(*scores), plan).notes)


def test_notes() -> None:
    few, by_signs = draw_scores(topics=5), CompareOptions(tests=("permutation",))
    assert "with 5 topics that differ the p of permutation cannot be below 0.0625" in notes_of(
        by_signs, few
    )
    lines = notes_of(by_signs, draw_scores(topics=8, runs=6))
    assert "too large to be significant among 15 hypotheses" in lines
    lines = notes_of(by_signs.replace(resamples=50), draw_scores())
    assert "no p can be small enough" in lines
    assert "at least 119 are needed" in lines  # 6 / .05 - 1
    lines = notes_of(CompareOptions(tests=("wilcoxon", "sign", "rthsd")), draw_scores())
    assert "the Wilcoxon signed rank test does not test means" in lines
    assert "the sign test does not test means" in lines
    assert "one poor run hides differences" in lines
    many = np.random.default_rng(1).integers(0, 3, (2000, 2)) / 2
    assert "look at the effect sizes first" in notes_of(CompareOptions(), many)
    assert not notes_of(CompareOptions(), draw_scores())
    # what is exact draws nothing
    assert "resamples" not in notes_of(by_signs.replace(resamples=50), draw_scores(topics=20))


def test_the_least_p_of_a_one_sided_test() -> None:
    """Of n signs one pattern of 2^n is as far on one side, two are on both."""
    few = draw_scores(topics=5)
    one_sided = CompareOptions(tests=("permutation",), tail="greater", baselines=["A"])
    assert (
        "with 5 topics that differ the p of permutation cannot be below 0.03125, which is too "
        "large to be significant among 3 hypotheses"
    ) in notes_of(one_sided, few)
    assert not notes_of(one_sided, draw_scores(topics=5, runs=2))
    assert "with 4 topics that differ the p of permutation cannot be below 0.0625" in notes_of(
        one_sided, draw_scores(topics=4, runs=2)
    )
    two_sided = CompareOptions(tests=("permutation",), baselines=["A"])
    assert "cannot be below 0.0625" in notes_of(two_sided, draw_scores(topics=5, runs=2))


def test_groups_are_of_all_pairs_alone() -> None:
    scores, _ = matrix("F2")
    comparison = compare_table(score_table(scores), CompareOptions(tests=("hsd",)))
    # of the six p only A-C and A-D are below .05
    assert comparison.means["groups"].tolist() == ["a", "ab", "b", "b"]
    assert "groups" not in compare_table(score_table(scores), CompareOptions(baselines=["A"])).means


def test_a_class_of_one_topic_is_left_out() -> None:
    scores, _ = matrix("F2")
    table = score_table(scores, classes={"one": np.arange(8) == 0, "rest": np.arange(8) > 0})
    comparison = compare_table(table, CompareOptions())
    assert [contrast.class_name for contrast in comparison.contrasts] == ["", "rest"]
    assert "the class one is not compared: it has one topic" in comparison.notes


@for_each(
    ("choices", "message"),
    [
        ({"tests": ()}, "needs a test"),
        ({"tests": ("tukey",)}, "no test 'tukey'"),
        ({"tests": ("t", "t")}, "named twice"),
        ({"correction": "sidak"}, "no correction 'sidak'"),
        ({"tail": "left"}, "no tail 'left'"),
        ({"ci": "normal"}, "no interval 'normal'"),
        ({"zeros": "drop"}, "no way with zeros 'drop'"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"min_diff": -1.0}, "smallest difference"),
        ({"min_diff": float("nan")}, "smallest difference"),
        ({"resamples": 0}, "resamples must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"tail": "greater"}, "needs --baseline"),
        ({"tail": "less", "baselines": ("A",), "tests": ("hsd",)}, "no one-sided form"),
        (
            {"tail": "less", "baselines": ("A",), "tests": ("permutation",), "correction": "maxt"},
            "no one-sided form",
        ),
        ({"correction": "maxt", "tests": ("t",)}, "maxt works with the permutation test"),
        ({"correction": "maxt", "tests": ("permutation", "t")}, "test only"),
        ({"tail": "less", "baselines": ("A",), "ci": "bca", "alpha": 0.6}, "below 0.5"),
    ],
)
def test_choices_that_make_no_sense(choices: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CompareOptions(**choices)


def test_the_library_function(tmp_path: Path) -> None:
    (tmp_path / "good").write_text("".join(f"q{n} Q0 d1 1 1 tag-g\n" for n in (1, 2, 3)))
    (tmp_path / "poor").write_text("q1 Q0 d2 1 2 tag-p\nq1 Q0 d1 2 1 tag-p\nq3 Q0 d1 1 1 tag-p\n")
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}}
    runs = [tmp_path / "poor", tmp_path / "good"]
    comparison = irev.compare(qrels, runs, names="tag", tests=["t"])
    assert isinstance(comparison, irev.Comparison)
    # good: 1, 1, 1; poor: 1/2, 0 (missing), 1
    assert comparison.means[["run", "mean", "missing_as_zero"]].to_numpy().tolist() == [
        ["tag-g", 1.0, 0], ["tag-p", 0.5, 1],
    ]  # fmt: skip
    assert comparison.pairs["difference"].tolist() == [0.5]
    assert comparison.missing == ("tag-p lacks 1 of 3 judged topics, which counts as 0: q2",)
    with pytest.raises(UsageError, match="at least two runs"):
        irev.compare(qrels, runs[:1])
    with pytest.raises(UsageError, match="no run is called 'x'"):
        irev.compare(qrels, runs, baselines=["x"])
    with pytest.raises(UsageError, match="are the same run"):
        irev.compare(qrels, runs, baselines=["good", "tag-g"])


@pytest.mark.parametrize("tail", ["greater", "less"])
def test_where_lower_is_better(tail: Any) -> None:
    """Errors are compared as their complements are, with the differences turned round."""
    scores = draw_scores()
    up = score_table(scores)
    down = score_table(1 - scores)
    down = replace(down, columns=(Column("SetE(beta=1)", "SetE"),))
    tests = ["t", "permutation", "wilcoxon", "sign", "bootstrap"]
    plan = CompareOptions(tests=tests, baselines=["B"], tail=tail, resamples=2000)
    ours, theirs = compare_table(down, plan), compare_table(up, plan)
    assert ours.means["run"].tolist() == theirs.means["run"].tolist()
    same = ["run", "against", "wins", "ties", "losses"]
    assert ours.pairs[same].equals(theirs.pairs[same])
    turned = {"difference": "difference", "low": "high", "high": "low"}
    for name, other in turned.items():
        np.testing.assert_allclose(ours.pairs[name], -theirs.pairs[other], atol=1e-12)
    for test in plan.tests:
        np.testing.assert_allclose(ours.pairs[f"p_{test}"], theirs.pairs[f"p_{test}"])
    assert ours.by_topic["topic"].tolist() == theirs.by_topic["topic"].tolist()
    assert any("lower is better" in note for note in ours.notes)
    assert not any("lower is better" in note for note in theirs.notes)


def test_lower_is_better_in_the_table_of_a_paper() -> None:
    """Of errors the lowest is best, with the letters that the highest of complements has."""
    scores = draw_scores()
    down = replace(score_table(1 - scores), columns=(Column("SetE(beta=1)", "SetE"),))
    plan = CompareOptions(tests=["t"], alpha=0.5)
    rows = [
        [line.split(",") for line in compare_table(each, plan).paper("csv").splitlines()]
        for each in (score_table(scores), down)
    ]
    for place in ("run", "letter", "best", "better_than"):
        column = rows[0][0].index(place)
        ours, theirs = ([row[column] for row in every[1:]] for every in rows)
        assert ours == theirs
    assert any(ours)
