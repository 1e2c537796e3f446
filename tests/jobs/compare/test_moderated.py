"""The moderated t test in a comparison: weights, classes, intervals, notes and columns."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from irev.core.judged import Column
from irev.jobs.compare.comparison import CompareOptions, compare_table
from irev.statistics.differences import every_pair
from irev.statistics.significance_tests import moderated_t
from tests.jobs.compare.test_compare import draw_scores, score_table

SCORES = draw_scores(topics=18, runs=5) * np.array([1.0, 0.6, 1.2, 0.3, 0.9])


def test_weighted_topics_use_linearised_scores_and_kish_degrees_of_freedom() -> None:
    weights = np.random.default_rng(2).uniform(0.5, 3, 18)
    table = score_table(SCORES, weights=weights)
    (contrast,) = compare_table(table, CompareOptions()).contrasts
    result = contrast.test_results["moderated"]
    expected = moderated_t(table.linearised_score_matrix("m0"), contrast.run_pairs, df=table.df)
    assert table.df == pytest.approx(weights.sum() ** 2 / (weights**2).sum() - 1)
    assert result.p == pytest.approx(expected.p)
    assert result.moderation == expected.moderation


def test_each_class_and_measure_has_a_usual_variance_of_its_own() -> None:
    odd = np.arange(18) % 3 == 0
    table = score_table(SCORES, SCORES**2, classes={"odd": odd, "even": ~odd})
    comparison = compare_table(table, CompareOptions())
    masks = {"": np.ones(18, bool), "odd": odd, "even": ~odd}
    facts = comparison.to_dict()["moderation"]
    assert len(facts) == 6
    for fact in facts:
        scores = (SCORES if fact["measure"] == "m0" else SCORES**2)[masks[fact["class"]]]
        expected = moderated_t(scores, every_pair(5)).moderation
        assert fact["usable_pairs"] == 10
        assert fact["df"] == pytest.approx(expected.df)
        assert fact["s0"] == pytest.approx(math.sqrt(expected.s0_squared))
    text = comparison.text(details=True)
    assert text.count("\nmoderated: variances ") == 6
    assert "these runs' usual one (s0 " in text


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_intervals_of_differences_are_those_of_the_test(correction: str) -> None:
    comparison = compare_table(score_table(SCORES), CompareOptions(correction=correction))
    (contrast,) = comparison.contrasts
    level = 0.95 if correction == "none" else 1 - 0.05 / 10
    expected = moderated_t(contrast.score_matrix, contrast.run_pairs, level=level)
    assert comparison.pairs["low"].to_numpy() == pytest.approx(expected.low)
    assert comparison.pairs["high"].to_numpy() == pytest.approx(expected.high)
    assert "intervals of differences: 95% moderated t, " in comparison.text(details=True)
    # those of another test, and those that draw, are what they were
    plain = compare_table(score_table(SCORES), CompareOptions(tests=("t", "moderated")))
    assert "intervals of differences: 95% t, " in plain.text(details=True)
    drawn = compare_table(score_table(SCORES), CompareOptions(ci="percentile"))
    assert "intervals of differences: 95% bootstrap (percentile), " in drawn.text(details=True)


def test_intervals_of_two_runs_are_called_t() -> None:
    comparison = compare_table(score_table(SCORES[:, :2]), CompareOptions())
    assert "\nintervals: 95% t, not simultaneous" in comparison.text(details=True)
    for form in ("text", "json", "csv", "html", "latex"):
        assert "moderat" not in comparison.text(form)
        assert "moderat" not in comparison.paper(form)
    assert "by the paired t test" in " ".join(comparison.paper("text").split())
    assert comparison.signature.choices["tests"] == ["t"]
    named = compare_table(score_table(SCORES[:, :2]), CompareOptions(tests=("moderated",)))
    line, _ = (
        line
        for line in named.text(details=True).splitlines()
        if line not in comparison.text(details=True)
    )
    assert line.startswith("a plain paired t test was done: ")


def test_each_measure_names_the_test_that_was_done_on_it() -> None:
    table = score_table(SCORES)
    same = np.repeat(SCORES[:, :1], SCORES.shape[1], axis=1)
    both = replace(
        table,
        values=np.stack([table.values[0], same]),
        columns=(*table.columns, Column("m1", "m1")),
    )
    comparison = compare_table(both, CompareOptions())
    text = comparison.text(details=True)
    assert "\ntest: moderated paired t for m0 and paired t for m1\n" in text
    first, second = text.split("\nm1 (")
    assert ("p moderated" in first, "p t " in first) == (True, False)
    assert ("p moderated" in second, "p t " in second) == (False, True)
    assert comparison.signature.choices["tests"] == ["moderated"]


def test_the_columns_of_a_pair() -> None:
    comparison = compare_table(score_table(SCORES), CompareOptions())
    frame = comparison.pairs
    (contrast,) = comparison.contrasts
    expected = moderated_t(contrast.score_matrix, contrast.run_pairs)
    assert frame["s"].to_numpy() == pytest.approx(expected.sd)
    assert frame["s_moderated"].to_numpy() == pytest.approx(expected.sd_moderated)
    assert frame["t_moderated"].to_numpy() == pytest.approx(expected.t)
    assert set(frame["df_moderated"]) == {expected.moderation.df}
    assert frame["d_z"].to_numpy() == pytest.approx((frame["difference"] / frame["s"]).to_numpy())


def test_a_constant_difference_has_a_finite_t() -> None:
    scores = np.column_stack((SCORES, SCORES[:, 0] + 0.05))
    comparison = compare_table(score_table(scores), CompareOptions())
    assert np.isfinite(comparison.pairs["t_moderated"]).all()
    words = "1 of 15 pairs has the same difference on every topic"
    assert [note for note in comparison.notes if words in note] == [f"m0: {words}"]
    plain = compare_table(score_table(scores), CompareOptions(tests=("t",)))
    signs = "; p is the chance that all 18 signs are equal"
    assert f"m0: {words}{signs}" in plain.notes
    two = compare_table(score_table(scores[:, [0, 5]]), CompareOptions())
    assert f"m0: 1 of 1 pair has the same difference on every topic{signs}" in two.notes
    assert two.pairs["p_t"].tolist() == [2.0**-17]


def test_lower_is_better_turns_the_sign_alone() -> None:
    table = score_table(SCORES)
    falling = replace(table, columns=(Column("SetE", "SetE"),))
    one, other = (compare_table(each, CompareOptions()).pairs for each in (table, falling))
    key = [frozenset(pair) for pair in zip(other["run"], other["against"], strict=True)]
    p = dict(zip(key, other["p_moderated"], strict=True))
    for row in one.to_dict("records"):
        assert row["p_moderated"] == pytest.approx(p[frozenset((row["run"], row["against"]))])
