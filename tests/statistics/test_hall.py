"""Hall's intervals of means, corrected for skewness."""

import numpy as np
import pytest

from irev.statistics.differences import every_pair
from irev.statistics.intervals import (
    endless_intervals_note,
    mean_intervals,
    skewness_corrected_intervals,
)
from irev.statistics.methods import INTERVALS, InferenceSettings
from irev.statistics.significance_tests import paired_t
from tests.statistics_rows import marks_rows, plain_hall_interval


def column(values):
    return np.array(values, float)[:, np.newaxis]


@pytest.mark.parametrize("case", ["H1", "H2", "H3", "H4", "H5"])
def test_the_expected_ends(case):
    expected = {row["quantity"]: row["expected"] for row in marks_rows("hall", case)}
    values = list(map(float, expected["input"].split()))
    intervals = skewness_corrected_intervals(column(values))
    ends = [float(expected["low"]), float(expected["high"])]
    assert [intervals.low[0], intervals.high[0]] == pytest.approx(ends, rel=1e-9, abs=1e-9)
    assert plain_hall_interval(values) == pytest.approx(ends, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_it_is_the_cubic_turned_round(level):
    random = np.random.default_rng(8)
    for size in (2, 3, 7, 40):
        scores = random.gamma(0.4, 1, (size, 6)) * [1, -1, 1e-9, 1e6, 3, -0.1]
        intervals = skewness_corrected_intervals(scores, level=level)
        for run in range(scores.shape[1]):
            expected = plain_hall_interval(scores[:, run].tolist(), level)
            actual = (intervals.low[run], intervals.high[run])
            assert actual == pytest.approx(expected, rel=1e-8, abs=1e-8 * abs(scores[:, run]).max())


def test_without_skewness_it_is_the_interval_of_t():
    symmetric = column([0.1, 0.3, 0.35, 0.4, 0.6])
    nearly = symmetric + column([1e-9, 0, 0, 0, 0])
    for scores in (symmetric, nearly):
        of_t = mean_intervals(scores, df=3.5)
        intervals = skewness_corrected_intervals(scores, df=3.5)
        assert intervals.low == pytest.approx(of_t.low, abs=1e-8)
        assert intervals.high == pytest.approx(of_t.high, abs=1e-8)


def test_it_turns_round_with_the_scores_and_grows_with_them():
    scores = np.random.default_rng(2).beta(0.3, 1, (12, 3))
    plain, mirrored, larger = map(skewness_corrected_intervals, (scores, 1 - scores, 1000 * scores))
    assert mirrored.low == pytest.approx(1 - plain.high)
    assert mirrored.high == pytest.approx(1 - plain.low)
    assert larger.low == pytest.approx(1000 * plain.low)
    # the long tail is above
    assert (plain.high - plain.mean > plain.mean - plain.low).all()


def test_runs_of_one_score_have_a_point_and_disturb_no_other():
    scores = np.column_stack([np.full(6, 0.3), [0, 0, 0.1, 0.2, 0.5, 1], np.full(6, 0.1 + 0.2)])
    intervals = skewness_corrected_intervals(scores)
    assert intervals.low[[0, 2]].tolist() == intervals.high[[0, 2]].tolist() == [0.3, 0.1 + 0.2]
    alone = skewness_corrected_intervals(scores[:, 1:2])
    assert (intervals.low[1], intervals.high[1]) == (alone.low[0], alone.high[0])


def test_differences_beside_it_keep_the_interval_of_t():
    scores = np.random.default_rng(3).beta(0.3, 1, (9, 3))
    pairs = every_pair(3)
    intervals = INTERVALS["hall"].compute(scores, pairs, InferenceSettings(alpha=0.1))
    of_t = paired_t(scores, pairs, level=0.9)
    assert intervals.low.tolist() == of_t.low.tolist()
    assert intervals.high.tolist() == of_t.high.tolist()
    assert INTERVALS["hall"].difference_title == "t"


def test_endless_intervals_are_counted():
    # seven topics of ten have the same score: some samples hold these alone
    scores = np.column_stack([[1, 0, 0.5, 0, 0, 0, 0, 1, 0, 0], np.arange(10) / 10])
    intervals = INTERVALS["bootstrap-t"].compute(scores, None, InferenceSettings())
    assert np.isinf(intervals.high).tolist() == [True, False]
    (line,) = endless_intervals_note(intervals, "means", "bootstrap-t")
    assert line.startswith("1 of 2 bootstrap-t intervals of means has an infinite end")
    assert not list(endless_intervals_note(skewness_corrected_intervals(scores), "means", "hall"))
