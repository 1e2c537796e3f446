"""Verdicts: the cases worked out by a plain program with scipy's distributions, and the rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from irev.statistics.decisions import equivalence
from irev.statistics.differences import RunPairs, mean_and_sd_of_differences
from irev.statistics.intervals import fit_to_range, intervals_of_t
from irev.statistics.significance_tests import paired_t
from irev.statistics.verdicts import (
    Evidence,
    PairVerdict,
    detectable_difference,
    topics_for_sign_flips,
    topics_needed,
    verdict_of,
)

PAIR = RunPairs(np.array([0]), np.array([1]))


def decided(differences: list[float], **choices: Any) -> PairVerdict:
    """The verdict on a pair of runs a and b, by the paired t test."""
    scores = np.array([differences, [0.0] * len(differences)]).T
    found = mean_and_sd_of_differences(scores, PAIR)
    tested = paired_t(scores, PAIR)
    interval = fit_to_range(intervals_of_t(tested, tested.df), -1, 1)
    margin = choices.get("margin")
    p_equal = equivalence(scores, PAIR, margin).p_equal[0] if margin else math.nan
    facts: dict[str, Any] = {
        "run": "a", "against": "b", "measure": "map", "difference": float(found.mean[0]),
        "low": float(interval.low[0]), "high": float(interval.high[0]), "sd": float(found.sd[0]),
        "num_topics": len(differences), "p": float(tested.p[0]), "width": 1.0,
        "num_differing": int(found.nonzero[0]), "is_constant": bool(found.constant[0]),
        "p_equal": float(p_equal),
    }  # fmt: skip
    return verdict_of(Evidence(**facts | choices))


V1 = [0.10, 0.05, 0, 0.15, -0.05, 0.10, 0.20, 0.05, 0, 0.10]
V2 = [0.10, -0.20, 0.30, -0.10, 0.05, -0.05, 0.20, -0.15, 0.10, -0.05]
V4 = [0.02] * 8 + [-0.01, 0.03]


def test_a_difference_that_is_significant() -> None:
    found = decided(V1)
    assert found.decision == "better"
    assert (
        found.words
        == "a is better than b: map +0.0700 (95%: 0.0161 to 0.1239; p 0.0165, 10 topics)"
    )
    assert found.evidence.sd == pytest.approx(0.075277, abs=1e-6)
    assert found.evidence.p == pytest.approx(0.016471, abs=1e-6)
    assert found.detectable == pytest.approx(0.074976, abs=1e-6)
    assert found.topics_needed == (20, 13, 41)


def test_a_difference_that_is_not() -> None:
    found = decided(V2)
    assert found.decision == "not decided"
    assert found.words == (
        "not decided: a is not significantly better than b: map +0.0200 (95%: -0.0934 to 0.1334; "
        "p 0.70, 10 topics). These topics detect differences from about 0.16 on; one of 0.05 needs "
        "about 81 topics (51 to 173)."
    )
    assert found.evidence.p == pytest.approx(0.699114, abs=1e-6)
    assert found.detectable == pytest.approx(0.157831, abs=1e-6)
    assert found.topics_needed == (81, 51, 173)
    assert decided(V2, asked=0.02).topics_needed == (495, 304, 1066)


def test_the_same_difference_on_few_topics() -> None:
    found = decided([1.0, 1.0, 1.0])
    assert found.decision == "cannot be decided"
    assert found.words == (
        "cannot be decided: the difference is the same on all 3 topics; 6 are needed "
        "(a against b: map +1.0000, p 0.25)"
    )
    assert found.evidence.low == pytest.approx(-0.415196, abs=1e-6)
    assert math.isnan(found.detectable)
    assert found.topics_needed is None


def test_a_difference_with_hardly_any_spread() -> None:
    found = decided(V4)
    assert found.decision == "better"
    assert found.evidence.p == pytest.approx(0.000375, abs=1e-6)
    assert found.evidence.low == pytest.approx(0.010612, abs=1e-6)
    assert found.evidence.high == pytest.approx(0.025388, abs=1e-6)


def test_a_range_of_topics_that_is_one_number_is_not_told() -> None:
    found = decided([0.002, -0.003] * 6)
    assert found.topics_needed is not None
    assert found.topics_needed.low == found.topics_needed.high
    assert found.words_with(4).endswith(f"needs about {found.topics_needed.topics} topics.")


def test_topics_that_do_not_differ() -> None:
    few = decided([0.1, 0.2, -0.1] + [0.0] * 47)
    assert few.decision == "cannot be decided"
    assert few.words.startswith("cannot be decided: only 3 of 50 topics differ (a against b: map ")
    assert "only 1 of 50 topics differs" in decided([0.1] + [0.0] * 49).words
    assert "there are only 5 topics" in decided([0.1, 0.2, -0.1, 0.3, -0.2]).words
    # 2^(1 - 6) is below .05
    assert decided([0.1, -0.1, 0.2, -0.2, 0.3, -0.1]).decision == "not decided"
    alike = decided([0.0] * 10)
    assert alike.decision == "cannot be decided"
    assert alike.words == "no difference: the same scores on every topic (a and b: map)"


def test_a_test_may_decide_with_fewer_topics_than_sign_flips() -> None:
    assert decided([0.10, 0.11, 0.12]).decision == "better"


def test_one_sided_flips_need_one_topic_fewer() -> None:
    five = [0.1, -0.1, 0.2, -0.2, 0.3]
    assert decided(five).decision == "cannot be decided"
    assert decided(five, tail="greater", p=0.3).decision == "not decided"
    for alpha in (0.05, 0.01, 0.05 / 120, 1 / 16):
        for tail, toss in (("two-sided", 2.0), ("greater", 1.0)):
            fewest = next(n for n in range(1, 40) if toss * 2.0**-n <= alpha)
            assert topics_for_sign_flips(alpha, tail) == fewest  # type: ignore[arg-type]


def test_equal_within_a_margin() -> None:
    close = [0.01, -0.01, 0.02, -0.02, 0.01, -0.01, 0.0, 0.01, -0.02, 0.0]
    found = decided([-each for each in close], margin=0.02)
    assert found.decision == "equal"
    assert found.words.startswith("a and b are equal within 0.02: map +0.0010 (95%: -0.0")
    one_sided = stats.ttest_1samp(np.array(close) - 0.02, 0, alternative="less").pvalue
    other = stats.ttest_1samp(np.array(close) + 0.02, 0, alternative="greater").pvalue
    assert f"; p equivalent {max(one_sided, other):.4f}, 10 topics)" in found.words
    # what is better is not called equal, however little it is
    assert decided(V4, margin=0.1).decision == "better"
    assert decided(V2, margin=0.02).decision == "not decided"


def test_the_better_run_stands_first() -> None:
    found = decided([-each for each in V1])
    assert (found.evidence.run, found.evidence.against) == ("b", "a")
    assert found.words == decided(V1, run="b", against="a").words
    assert found.evidence.low == pytest.approx(0.016150, abs=1e-6)
    assert "b is not significantly better than a: map +0.02" in decided([-e for e in V2]).words


def test_one_sided_questions() -> None:
    endless = {"high": math.inf}
    better = decided(V1, tail="greater", p=0.008, low=0.0264, **endless)
    assert better.words == (
        "a is better than b: map +0.0700 (95%: 0.0264 or more; p 0.0080, 10 topics)"
    )
    worse = decided([-each for each in V1], tail="less", p=0.008, low=-math.inf, high=-0.0264)
    assert worse.words == better.words.replace("a is better than b", "b is better than a")
    asked = decided([-each for each in V1], tail="greater", p=0.99, low=-0.1, **endless)
    assert "not decided: a is not significantly better than b: map -0.0700" in asked.words
    asked = decided(V1, tail="less", p=0.99, low=-math.inf, high=0.1)
    assert "not decided: a is not significantly worse than b: map +0.0700" in asked.words
    assert "(95%: 0.1000 or less; p 0.99, 10 topics)" in asked.words


def test_measures_of_which_less_is_better() -> None:
    better = decided(V1, lower_is_better=True)
    assert "a is better than b: map lower by 0.0700 (95%: 0.0161 to 0.1239" in better.words
    asked = decided([-each for each in V1], lower_is_better=True, tail="greater", p=0.99)
    assert "a is not significantly better than b: map higher by 0.0700" in asked.words


def test_a_test_that_does_not_test_means() -> None:
    """A run may win most topics, and have the lower mean."""
    found = decided([0.01] * 9 + [-0.5], p=0.02, favours=1.0)
    assert found.decision == "not decided"
    assert "the test favours a over b, whose mean is not worse: map -0.0410" in found.words


def test_a_measure_without_a_range() -> None:
    found = decided(V2, width=math.inf)
    assert found.words.endswith("These topics detect differences from about 0.16 on.")
    assert decided(V2, width=math.inf, asked=0.05).topics_needed == (81, 51, 173)


def test_topics_that_detect_nothing() -> None:
    found = decided([0.9, -0.9, 0.8, -0.7, 0.9, -0.9], num_hypotheses=120)
    assert "These topics are too few to detect any difference of map; one of 0.05" in found.words


def test_what_topics_detect_agrees_with_another_program() -> None:
    for n, sd, alpha, h in ((10, 0.2, 0.05, 1), (50, 0.1, 0.05, 3), (7, 0.3, 0.01, 120)):
        d = detectable_difference(n, sd, alpha, h)
        limit = stats.t.ppf(1 - alpha / h / 2, n - 1)
        shift = d * math.sqrt(n) / sd
        tails = stats.nct.cdf([limit, -limit], n - 1, shift)
        assert 1 - tails[0] + np.nan_to_num(tails[1]) == pytest.approx(0.8, abs=1e-9)
    found = topics_needed(0.05, 0.12, 25, 0.05, 10)
    assert found is not None
    assert found.low < found.topics < found.high
    assert topics_needed(1e-9, 0.1, 10) is None


def test_rows_for_machines() -> None:
    row = decided(V2).row()
    assert row["verdict"] == "not decided"
    assert (row["topics_needed"], row["topics_needed_low"], row["topics_needed_high"]) == (
        81, 51, 173,
    )  # fmt: skip
    assert row["words"] == decided(V2).words
    rounded = decided(V2).words_with(2)
    assert "than b: map +0.02 (95%: -0.09 to 0.13; p 0.70, 10 topics)" in rounded
