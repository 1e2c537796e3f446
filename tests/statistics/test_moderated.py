"""The moderated t test: limma's values, a plain second version, and what follows from it."""

import csv
import gzip
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irev.statistics.differences import RunPairs, every_pair
from irev.statistics.families import holm
from irev.statistics.significance_tests import (
    fit_d0_and_s0_squared,
    moderated_t,
    paired_t,
)
from irev.statistics.variance import decompose
from tests.each import for_each
from tests.statistics.plain_moderated import plain_moderated_t

CASES = Path(__file__).parents[1] / "cases" / "statistics"


def _csv_rows(name):
    with gzip.open(CASES / name, "rt", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _matrices():
    """Case -> names of the runs, float64[T, S] scores."""
    rows_by_case = defaultdict(list)
    for case, *row in _csv_rows("moderated_scores.csv.gz"):
        rows_by_case[case].append(row)
    return {case: (rows[0], np.array(rows[1:], float)) for case, rows in rows_by_case.items()}


def _expected_by_case():
    """Case -> quantity -> pair -> value."""
    expected: Any = defaultdict(lambda: defaultdict(dict))
    for case, quantity, pair, value in _csv_rows("moderated_expected.csv.gz")[1:]:
        expected[case][quantity][pair] = float(value) if value else math.nan
    return expected


MATRICES = _matrices()
EXPECTED = _expected_by_case()


def _quantities(score_matrix):
    """Quantity -> a number, or float64[P]."""
    pairs = every_pair(score_matrix.shape[1])
    outcome = moderated_t(score_matrix, pairs)
    simultaneous = moderated_t(score_matrix, pairs, level=1 - 0.05 / len(pairs))
    moderation = outcome.moderation
    return {
        "topics": len(score_matrix),
        "runs": score_matrix.shape[1],
        "distinct_runs": moderation.distinct_runs,
        "usable_pairs": moderation.usable_pairs,
        "d0": moderation.d0,
        "s0_squared": moderation.s0_squared,
        "df": moderation.df,
        "mean": outcome.mean,
        "s": outcome.sd,
        "s_posterior": outcome.sd_moderated,
        "t": outcome.t,
        "p": outcome.p,
        "p_greater": moderated_t(score_matrix, pairs, tail="greater").p,
        "holm": holm(outcome.p),
        "low": outcome.low,
        "high": outcome.high,
        "low_simultaneous": simultaneous.low,
        "high_simultaneous": simultaneous.high,
    }


def _moderation_of(scores):
    return moderated_t(scores, every_pair(scores.shape[1])).moderation


@for_each("case", sorted(EXPECTED))
def test_every_value_of_limma_and_of_the_definition(case):
    names, score_matrix = MATRICES[case]
    quantities = _quantities(score_matrix)
    pairs = every_pair(len(names))
    rows = {
        f"{names[first]}-{names[second]}": row
        for row, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True))
    }
    assert set(EXPECTED[case]) == set(quantities)
    for quantity, by_pair in EXPECTED[case].items():
        for pair, expected in by_pair.items():
            value = quantities[quantity][rows[pair]] if pair else quantities[quantity]
            tolerance = 1e-9 * max(1, abs(expected)) if math.isfinite(expected) else 0
            assert value == pytest.approx(expected, rel=0, abs=tolerance, nan_ok=True), (
                quantity,
                pair,
            )


def test_how_many_values_there_are():
    assert sum(len(pairs) for case in EXPECTED.values() for pairs in case.values()) == 5446


@pytest.mark.long
@pytest.mark.parametrize("case", ["M01", "M02", "M07", "M08", "M10", "M13", "M15", "M17", "M18"])
def test_a_plain_second_version_gives_the_same(case):
    _, score_matrix = MATRICES[case]
    outcome = moderated_t(score_matrix, every_pair(score_matrix.shape[1]))
    plain = plain_moderated_t([list(column) for column in score_matrix.T])
    assert outcome.t == pytest.approx([t for t, _, _ in plain.values()], rel=1e-9)
    for _, df, _ in plain.values():
        assert outcome.moderation.df == pytest.approx(df, rel=1e-9)
    assert outcome.p == pytest.approx([p for _, _, p in plain.values()], rel=1e-6, abs=1e-12)


def _scores(num_topics=20, num_runs=6):
    rng = np.random.default_rng(7)
    return rng.beta(1, 3, (num_topics, num_runs)) + rng.random((num_topics, 1))


def _close(outcome, other):
    return np.allclose(outcome.t, other.t, rtol=1e-9) and np.allclose(outcome.p, other.p, rtol=1e-8)


def test_scaled_scores_have_the_same_t():
    scores, pairs = _scores(), every_pair(6)
    assert _close(moderated_t(scores, pairs), moderated_t(1e6 * scores, pairs))
    assert _close(moderated_t(scores, pairs), moderated_t(1e-6 * scores, pairs))


def test_a_copy_of_a_run_changes_no_p_of_the_others():
    scores, pairs = _scores(), every_pair(6)
    with_copy = np.column_stack((scores, scores[:, 2]))
    assert _moderation_of(with_copy) == _moderation_of(scores)
    assert (moderated_t(with_copy, pairs).p == moderated_t(scores, pairs).p).all()


def test_another_run_may_change_every_p():
    scores, pairs = _scores(), every_pair(6)
    noisy = np.column_stack((scores, 3 * _scores(20, 1)[::-1]))
    assert (moderated_t(noisy, pairs).p != moderated_t(scores, pairs).p).all()


def test_the_order_of_topics_and_of_runs_changes_nothing():
    scores, pairs = _scores(), every_pair(6)
    order = np.array([3, 0, 5, 1, 4, 2])
    mapped = RunPairs(np.argsort(order)[pairs.first], np.argsort(order)[pairs.second])
    outcome = moderated_t(scores, pairs)
    assert _close(outcome, moderated_t(scores[::-1], pairs))
    assert _close(outcome, moderated_t(scores[:, order], mapped))


def test_some_pairs_swapped_and_alone_have_what_they_have_among_all():
    scores = _scores()
    outcome, pairs = moderated_t(scores, every_pair(6)), every_pair(6)
    some = np.array([7, 2, 14])
    swapped = moderated_t(scores, pairs.subset(some).swapped_runs())
    assert (swapped.t == -outcome.t[some]).all()
    assert (swapped.p == outcome.p[some]).all()
    assert (swapped.low == -outcome.high[some]).all()
    assert (swapped.sd_moderated == outcome.sd_moderated[some]).all()


@pytest.mark.parametrize("tail", ["two-sided", "greater", "less"])
def test_two_runs_are_the_paired_t(tail):
    scores = _scores(15, 2)
    for pairs in (every_pair(2), every_pair(2).swapped_runs()):
        moderated, plain = moderated_t(scores, pairs, tail=tail), paired_t(scores, pairs, tail=tail)
        for name in ("mean", "sd", "t", "p", "low", "high"):
            assert (getattr(moderated, name) == getattr(plain, name)).all(), name
        assert moderated.moderation.df == plain.df


def test_tails():
    scores, pairs = _scores(), every_pair(6)
    two, greater, less = (
        moderated_t(scores, pairs, tail=tail) for tail in ("two-sided", "greater", "less")
    )
    assert greater.p + less.p == pytest.approx(np.ones(15))
    assert 2 * np.minimum(greater.p, less.p) == pytest.approx(two.p)
    assert np.isinf(greater.high).all()
    assert np.isinf(less.low).all()
    # a one-sided interval excludes 0 exactly where its test rejects
    assert ((greater.low > 0) == (greater.p < 0.05)).all()


def test_equal_variances_are_the_two_way_analysis_of_variance():
    _, score_matrix = MATRICES["M10"]
    moderation = _moderation_of(score_matrix)
    assert math.isinf(moderation.d0)
    assert moderation.s0_squared == pytest.approx(2 * decompose(score_matrix).ms_error)
    assert moderation.df == decompose(score_matrix).df_error


def test_given_degrees_of_freedom_take_the_place_of_the_topics():
    scores, pairs = MATRICES["M04"][1], every_pair(15)
    outcome = moderated_t(scores, pairs, df=9.5)
    s = paired_t(scores, pairs).sd
    d0, s0_squared = fit_d0_and_s0_squared(s**2, 9.5)
    assert 0 < d0 < 14 * 9.5
    assert outcome.moderation.df == d0 + 9.5
    assert outcome.sd_moderated**2 == pytest.approx((d0 * s0_squared + 9.5 * s**2) / (d0 + 9.5))


def test_extreme_spreads_of_variances_have_a_usual_one():
    wide = fit_d0_and_s0_squared(np.geomspace(1e-4, 1e4, 9), 20)
    assert 0 < wide[0] < 1
    # var(e) a little above what chance gives: the usual variance counts nearly alone
    df = 1e7
    d0, s0_squared = fit_d0_and_s0_squared(np.exp(np.array([-1.0, 0.0, 1.0]) * 6e-4), df)
    assert d0 > 1e6
    assert s0_squared == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("M01", "drawn towards the board's usual one (s0 0.0992, d0 1.8: it counts like 1.8 more"),
        ("M10", "one is used for all pairs (standard deviation s0 0.1461), 45 degrees of freedom"),
    ],
)
def test_words(case, words):
    assert words in _moderation_of(MATRICES[case][1]).text()


def test_why_nothing_is_moderated():
    assert "with two runs there are no other pairs" in _moderation_of(
        MATRICES["M12"][1]
    ).reason_for_plain_t(2)
    # M17: two of three runs are identical
    reason = _moderation_of(MATRICES["M17"][1]).reason_for_plain_t(3)
    assert "1 pair of different runs has differences that vary from topic to topic" in reason


def test_facts_for_machines():
    assert _moderation_of(MATRICES["M10"][1]).facts == {
        "d0": None,
        "s0": pytest.approx(0.1460594),
        "df": 45,
        "usable_pairs": 6,
        "distinct_runs": 4,
        "pooled": True,
    }
    assert _moderation_of(MATRICES["M12"][1]).facts == {
        "d0": 0,
        "s0": None,
        "df": 49,
        "usable_pairs": 1,
        "distinct_runs": 2,
    }
