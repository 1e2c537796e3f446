"""Intervals and p of scores, or differences, that are all equal.

Expected values: the closed forms, computed by hand and by Clopper and Pearson's interval.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import irev
from irev.statistics.differences import RunPairs, every_pair, mean_and_sd_of_differences
from irev.statistics.intervals import fit_to_range
from irev.statistics.methods import (
    INTERVALS,
    TESTS,
    InferenceSettings,
    difference_intervals,
    few_topics_warnings,
    simultaneous_intervals,
)
from irev.statistics.variance import detectable_difference

ONE = RunPairs(np.array([0]), np.array([1]))
FEW = InferenceSettings(num_resamples=99, threads=1)


def test_means_of_equal_scores() -> None:
    for num_topics, score, low, high in (
        (10, 1.0, 0.691503, 1),
        (3, 1.0, 0.292402, 1),
        (5, 0.5, 0.239088, 0.760912),
        (10, 0.0, 0, 0.308497),
    ):
        scores = np.full((num_topics, 1), score)
        for interval in INTERVALS.values():
            means = fit_to_range(interval.compute(scores, None, FEW), 0.0, 1.0)
            assert (means.low[0], means.high[0]) == pytest.approx((low, high), abs=1e-6)
        if score == 1:
            exact = stats.binomtest(num_topics, num_topics).proportion_ci(0.95, "exact")
            assert (means.low[0], means.high[0]) == pytest.approx((exact.low, exact.high))
    half_open = fit_to_range(means, 0.0, np.inf)
    assert (half_open.low[0], half_open.high[0]) == (0, np.inf)


def test_differences_that_are_equal() -> None:
    for num_topics, p, low in (
        (2, 0.5, -0.683772),
        (3, 0.25, -0.415196),
        (6, 0.03125, 0.081484),
        (10, 0.001953125, 0.383006),
    ):
        scores = np.tile([1.0, 0.0], (num_topics, 1))
        for name in ("moderated", "t", "permutation", "sign", "wilcoxon", "bootstrap", "hsd"):
            result = TESTS[name].compute(scores, ONE, FEW)
            assert result.corrected[0] == pytest.approx(p)
        for name in ("moderated", "t", "bootstrap", "bootstrap-mean"):
            one_sided = [
                TESTS[name].compute(scores, ONE, FEW._replace(tail=tail)).corrected[0]
                for tail in ("greater", "less")
            ]
            assert one_sided == [p / 2, 1]
        for interval in INTERVALS.values():
            differences = difference_intervals(TESTS["t"], interval, scores, ONE, FEW, 1.0)
            ends = (differences.low[0], differences.high[0])
            assert ends == pytest.approx((low, 1), abs=1e-6)
            # one-sided the whole of alpha lies on one side
            for tail in ("greater", "less"):
                settings_of_tail = FEW._replace(tail=tail, alpha=0.025)
                bound = difference_intervals(
                    TESTS["t"], interval, scores, ONE, settings_of_tail, 1.0
                )
                ends = (bound.low[0], bound.high[0])
                expected = (low, np.inf) if tail == "greater" else (-np.inf, 1)
                assert ends == pytest.approx(expected, abs=1e-6)


def test_a_variance_drawn_from_other_pairs_stays() -> None:
    """Case M15 of the moderated test: s is 0, s~ is not, and t is finite."""
    random = np.random.default_rng(3)
    scores = random.random((12, 4))
    scores = np.column_stack((scores, scores[:, 0] - 0.05))
    pair = RunPairs(np.array([0]), np.array([4]))
    result = TESTS["moderated"].compute(scores, pair, FEW)
    assert result.done == ""
    assert np.isfinite(result.facts["t"]).all()
    ends = difference_intervals(TESTS["moderated"], INTERVALS["t"], scores, pair, FEW, 1.0)
    assert not ends.is_constant.any()


def test_detectable_differences() -> None:
    """The noncentral t of n topics at 80%: V1 and V2."""
    for differences, expected in (
        ([0.10, 0.05, 0, 0.15, -0.05, 0.10, 0.20, 0.05, 0, 0.10], 0.074976),
        ([0.10, -0.20, 0.30, -0.10, 0.05, -0.05, 0.20, -0.15, 0.10, -0.05], 0.157831),
    ):
        sd = float(np.std(differences, ddof=1))
        assert detectable_difference(10, sd) == pytest.approx(expected, abs=1e-6)


def test_few_topics_are_told_among_three_runs() -> None:
    random = np.random.default_rng(1)
    for num_topics, num_runs, says in ((9, 3, True), (3, 5, True), (10, 3, False), (9, 2, False)):
        scores, pairs = random.random((num_topics, num_runs)), every_pair(num_runs)
        for name, level in (("moderated", "12%"), ("t", "21%")):
            lines = list(few_topics_warnings(scores, pairs, [name]))
            assert any(f"rejects too often: in up to {level} of" in line for line in lines) == says


@st.composite
def tables_with_constant_runs(draw: st.DrawFn) -> np.ndarray:
    """Scores of 0 to 1 in tenths; some runs are equal everywhere, or a constant from another."""
    num_topics, num_runs = draw(st.integers(2, 8)), draw(st.integers(2, 4))
    tenths = st.lists(st.integers(0, 10), min_size=num_topics, max_size=num_topics)
    runs: list[np.ndarray] = []
    for index in range(num_runs):
        kind = draw(st.sampled_from(["free", "equal", "apart"]))
        if kind == "free":
            runs.append(np.array(draw(tenths)) / 10)
        elif kind == "equal" or not index:
            runs.append(np.full(num_topics, draw(st.integers(0, 10)) / 10))
        else:
            # up to rounding: what is added does not come back exactly
            runs.append(np.clip(runs[0] + 0.1 + 0.2 - 0.2, 0, 1))
    return np.column_stack(runs)


@settings(max_examples=15, deadline=None)
@given(tables_with_constant_runs())
def test_nothing_is_certain_because_nothing_varied(scores: np.ndarray) -> None:
    num_topics, num_runs = scores.shape
    pairs = every_pair(num_runs)
    differences = mean_and_sd_of_differences(scores, pairs)
    for name, test in TESTS.items():
        if test.question:
            continue
        result = test.compute(scores, pairs, FEW)
        is_drawn = np.isfinite(result.facts.get("t", np.full(len(pairs), np.inf)))
        if name == "hsd":  # one variance of all pairs
            is_drawn = np.full(len(pairs), np.isfinite(result.facts["q"]).all())
        certain = differences.constant & ~is_drawn
        assert (result.corrected[certain] >= 2.0 ** (1 - num_topics) * (1 - 1e-9)).all(), name
        if test.simultaneous:
            mean = differences.mean
            ends = simultaneous_intervals(mean, result, 0.05, num_topics, len(pairs), 1.0)
        else:
            ends = difference_intervals(test, INTERVALS["t"], scores, pairs, FEW, 1.0)
        assert (ends.low < ends.high)[differences.constant].all(), name
    for name, interval in INTERVALS.items():
        ends = difference_intervals(TESTS["t"], interval, scores, pairs, FEW, 1.0)
        assert (ends.low < ends.high)[differences.constant].all(), name
        means = fit_to_range(interval.compute(scores, None, FEW), 0.0, 1.0)
        is_equal = np.ptp(scores, axis=0) < 1e-12
        assert (means.low < means.high)[is_equal].all(), name
        assert (means.is_constant == is_equal).all(), name


def test_an_end_of_the_range_that_is_missed_by_rounding(tmp_path: Path) -> None:
    """Other programs write 1.0000000000000002 and 1e-17; the ends are (alpha / 2)^(1/4)."""
    path = tmp_path / "helpful.csv"
    path.write_text("topic,A,B\n1,1.0000000000000002,0\n2,1,1e-17\n3,1,0\n4,1,5e-17\n")
    means = irev.compare(None, [path], bounds=(0, 1)).means
    pi = 0.025**0.25
    assert means["low"].tolist() == pytest.approx([pi, 0])
    assert means["high"].tolist() == pytest.approx([1, 1 - pi])
    path.write_text("topic,A,B\n1,1.000001,0\n2,1,0\n")
    with pytest.raises(irev.IrevError, match="outside the bounds"):
        irev.compare(None, [path], bounds=(0, 1))
