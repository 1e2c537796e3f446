"""Significance groups and their letters."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.statistics.differences import RunPairs, every_pair, pairs_with_baselines
from irev.statistics.families import (
    difference_mask,
    letter_labels_by_place,
    number_range_labels_by_place,
    order_by_mean,
    places_by_letter_group,
)
from tests.statistics_rows import every_row, rows


def p_matrix(case):
    (row,) = (r for r in every_row() if (r["case"], r["quantity"]) == (case, "p_matrix"))
    return np.array(json.loads(row["expected"]))


@pytest.mark.parametrize(
    ("section", "case", "quantity", "expected", "tolerance"),
    [row for row in rows("cld") if row.values[2] == "letters_alpha05"],
)
def test_expected_letters(section, case, quantity, expected, tolerance):
    matrix = p_matrix(case)
    runs = len(matrix)
    family = every_pair(runs)
    differ = difference_mask(matrix[family.first, family.second], family, runs, 0.05)
    assert letter_labels_by_place(places_by_letter_group(differ, np.arange(runs)), runs) == expected


def test_an_order_other_than_the_runs():
    # run 2 is best, then 0, then 1; 2 and 1 differ
    family = every_pair(3)
    differ = difference_mask(np.array([0.5, 0.5, 0.01]), family, 3, 0.05)
    order = order_by_mean(np.array([0.4, 0.2, 0.6]))
    assert order.tolist() == [2, 0, 1]
    found = places_by_letter_group(differ, order)
    assert found == [(0, 1), (1, 2)]
    assert letter_labels_by_place(found, 3) == ["a", "ab", "b"]
    assert number_range_labels_by_place(found, 3) == ["[1]", "[1..2]", "[2]"]


def test_a_place_in_three_groups_has_the_first_and_the_last():
    found = number_range_labels_by_place([(0, 1), (1, 2), (1, 3)], 4)
    assert found == ["[1]", "[1..3]", "[2]", "[3]"]


def test_equal_means_keep_the_order_of_the_runs():
    assert order_by_mean(np.array([0.3, 0.9, 0.1 + 0.2, 0.3])).tolist() == [1, 0, 2, 3]


def test_a_p_equal_to_alpha_is_significant():
    family = every_pair(2)
    assert difference_mask(np.array([0.05]), family, 2, 0.05).tolist() == [
        [False, True],
        [True, False],
    ]


def test_pairs_that_were_not_tested_do_not_differ():
    family = pairs_with_baselines(3, [0])
    assert places_by_letter_group(
        difference_mask(np.array([0.01, 0.01]), family, 3, 0.05), np.arange(3)
    ) == [
        (0,),
        (1, 2),
    ]


def test_beyond_z():
    every = RunPairs(*np.triu_indices(30, 1))
    found = places_by_letter_group(
        difference_mask(np.zeros(len(every)), every, 30, 0.05), np.arange(30)
    )
    shown = letter_labels_by_place(found, 30)
    assert shown[:2] + shown[24:] == ["a", "b", "y", "z", "aa", "ab", "ac", "ad"]
    assert number_range_labels_by_place(found, 30)[-1] == "[30]"
    assert letter_labels_by_place([(0,)] * 703, 1)[0].endswith("zy,zz,aaa")


def by_brute_force(differ):
    """The maximal sets without a difference, from all sets."""
    runs = range(len(differ))
    alike = [
        set(chosen)
        for size in range(1, len(differ) + 1)
        for chosen in combinations(runs, size)
        if not any(differ[a, b] for a, b in combinations(chosen, 2))
    ]
    return {tuple(sorted(one)) for one in alike if not any(one < other for other in alike)}


@given(st.integers(1, 7), st.data())
def test_groups_are_the_maximal_sets_without_a_difference(runs, data):
    differ = np.zeros((runs, runs), bool)
    for one, other in combinations(range(runs), 2):
        differ[one, other] = differ[other, one] = data.draw(st.booleans())
    found = places_by_letter_group(differ, np.arange(runs))
    assert set(found) == by_brute_force(differ)
    assert len(found) == len(set(found))
    assert found == sorted(found, key=lambda group: (group[0], group[-1]))
    shown = letter_labels_by_place(found, runs)
    for one, other in combinations(range(runs), 2):
        assert bool(set(shown[one]) & set(shown[other])) == (not differ[one, other])


def test_many_runs_are_quick():
    # differences of means with noise: no interval graph; hundreds of groups
    random = np.random.default_rng(0)
    apart = np.abs(np.subtract.outer(np.arange(130), np.arange(130))) + random.normal(
        0, 3, (130,) * 2
    )
    differ = apart > 20
    differ = differ | differ.T
    found = places_by_letter_group(differ, np.arange(130))
    assert len(found) > 130
    assert {place for group in found for place in group} == set(range(130))


@pytest.mark.thorough
def test_many_runs_that_do_not_differ_are_one_group():
    order = np.arange(1_500)
    differ = np.zeros((1_500, 1_500), bool)
    assert places_by_letter_group(differ, order) == [tuple(range(1_500))]
    differ[0, 700] = differ[700, 0] = True  # the only two that differ
    everyone = range(1_500)
    expected = [
        tuple(place for place in everyone if place != 700),
        tuple(place for place in everyone if place != 0),
    ]
    assert places_by_letter_group(differ, order) == expected
