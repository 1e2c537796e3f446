"""The simulation of boards: which runs are in a world, and what is counted of it."""

import numpy as np
import pytest

from tools.levels.boards import Cell, boards_of_set, count_batch, drawn_boards, tables
from tools.levels.real_sets import RealSet

CELL = Cell("equal", 50, 5)
SCORES = np.random.default_rng(4).random((20, 18))
SCORES[:14, 1] = SCORES[:14, 0]  # equal on 70 % of the topics
REAL = RealSet("a set", SCORES)


def test_near_copies_are_not_in_one_world():
    for seed in range(30):
        runs = REAL.choose_runs(np.random.default_rng(seed))
        assert len(set(runs.tolist())) == 17
        assert len({0, 1} & set(runs.tolist())) == 1
    assert len(REAL.choose_runs(np.random.default_rng(0), 5)) == 5
    assert len(REAL._replace(equal_share=0.7).choose_runs(np.random.default_rng(0))) == 18


def test_boards_of_a_set_have_equal_means_or_its_own():
    boards = boards_of_set(REAL)
    assert boards.num_topics == [10, 20, 20]
    assert boards.num_runs == [3, 5, 15]
    random = np.random.default_rng(1)
    many = boards.of_equals(random, 100_000, 5)
    assert many.mean(axis=0) == pytest.approx(np.zeros(5), abs=0.005)
    scores, means = boards.as_they_are(random, 100_000, 5)
    assert scores.mean(axis=0) == pytest.approx(means, abs=0.005)
    few = boards_of_set(RealSet("few", SCORES[:, :14]))
    assert few.num_runs == [3, 5, 13]


def test_what_is_counted_of_boards():
    sums = count_batch(CELL, drawn_boards("equal"), 0)
    assert 0 <= sums["level/moderated"] <= 14  # 4 are expected
    assert 90 <= sums["power/t"] <= 100  # .99, by the table of all pairs in the docs
    assert sums["wrong/t"] <= 14
    means = {CELL: sums | {"worlds": 1.0, "level/moderated": 0.0, "level/t": 0.5}}
    assert "| equal | 50 | 0 / **.500** |" in list(tables(means))
