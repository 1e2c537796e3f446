"""The simulation of levels: worlds side by side give what each gives alone."""

import numpy as np
import pytest

from irev.statistics.differences import every_pair
from irev.statistics.significance_tests import paired_t, sign_test
from tools.levels.levels import TESTS, Cell, tables
from tools.levels.worlds import WITH_BETTER, world


def test_worlds_side_by_side():
    worlds = [world("skewed", np.random.default_rng(seed), 12, 4) for seed in range(3)]
    family = every_pair(4)
    for name, alone in (("t", paired_t), ("sign", sign_test)):
        expected = np.array([alone(each, family).p for each in worlds])
        assert TESTS[name](worlds, family, 0) == pytest.approx(expected, rel=1e-9)


def test_what_is_counted():
    cell = Cell("near-copies", 10, 15, "hsd")
    counts = cell.rejections(0)
    assert counts.keys() == {"all"}
    assert 10 <= counts["all"] <= 45  # some 25 in a hundred, for hsd does not hold there
    better = Cell("near-copies" + WITH_BETTER, 50, 5, "t").rejections(0)
    assert better.keys() == {"all", "fdr", "found"}  # the baseline is the better one alone
    assert 80 <= better["found"] <= 100
    assert better["all"] <= 12
    lines = list(tables({cell: {"all": 250.0}}, 1000))
    assert lines[-1] == "| near-copies | 10 | **.250** |"
