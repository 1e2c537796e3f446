"""The records of tests, corrections and intervals: every command offers and runs what stands there.

Expected p are scipy's where it has the test, and those of the definition elsewhere.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from irev.cli.commands import irev
from irev.statistics.differences import every_pair
from irev.statistics.methods import (
    CORRECTIONS,
    CORRECTIONS_OF_P,
    INTERVALS,
    TESTS,
    InferenceSettings,
    correct_p,
)
from tests.each import for_each
from tests.files import SAMPLE

SCORES = np.random.default_rng(8).random((9, 2))
ONE, OTHER = SCORES.T


def flips() -> float:
    """The p of all 512 patterns of signs."""
    signs = 1 - 2 * ((np.arange(512)[:, None] >> np.arange(9)) & 1)
    sums = np.abs(signs @ (ONE - OTHER))
    return float((sums >= abs((ONE - OTHER).sum()) - 1e-12).mean())


def shifted_means() -> float:
    """The p of resampled means, shifted to 0, by another generator than irev's."""
    d = ONE - OTHER
    drawn = np.random.default_rng(1).choice(d - d.mean(), (200_000, len(d))).mean(axis=1)
    return float((np.abs(drawn) >= abs(d.mean())).mean())


EXPECTED = {
    "moderated": stats.ttest_rel(ONE, OTHER).pvalue,
    "t": stats.ttest_rel(ONE, OTHER).pvalue,
    "permutation": flips(),
    "wilcoxon": stats.wilcoxon(ONE, OTHER, method="exact").pvalue,
    "sign": stats.binomtest(int((ONE > OTHER).sum()), 9).pvalue,
    "bootstrap": stats.ttest_rel(ONE, OTHER).pvalue,
    "bootstrap-mean": shifted_means(),
    "hsd": stats.ttest_rel(ONE, OTHER).pvalue,
    "rthsd": flips(),
}
"""With two runs all tests simultaneous in form are the paired t or the permutation test."""


def test_every_test_has_an_expected_value() -> None:
    assert set(EXPECTED) == set(TESTS)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_test_of_two_runs(name: str) -> None:
    test = TESTS[name]
    found = test.compute(SCORES, every_pair(2), InferenceSettings(num_resamples=100_000))
    near = (
        0.1
        if name.startswith("bootstrap")
        else 0.01
        if test.simultaneous and test.default_resamples
        else 1e-12
    )
    assert found.corrected[0] == pytest.approx(EXPECTED[name], rel=near)
    assert (found.p is None) == test.simultaneous


def choices(*command: str, option: str) -> list[str]:
    """What a command offers for an option, by its help."""
    said = CliRunner().invoke(irev, [*command, "--help-all"], terminal_width=300).output
    line = next(each for each in said.split("\n") if f"{option} [" in each)
    return line.partition("[")[2].partition("]")[0].split("|")


@pytest.mark.parametrize(
    ("command", "more"), [(["compare"], []), (["leaderboard"], ["none"])], ids=["compare", "board"]
)
def test_what_is_offered(command: list[str], more: list[str]) -> None:
    assert sorted(choices(*command, option="--test")) == sorted([*TESTS, *more])
    assert sorted(choices(*command, option="--ci")) == sorted([*INTERVALS, *more])


def test_what_studies_and_gates_offer() -> None:
    assert choices("study", "discriminative-power", option="--test") == list(TESTS)
    of_means = set(choices("study", "preference", option="--test"))
    assert {"t", "permutation", "bootstrap"} <= of_means <= set(TESTS)
    assert of_means.isdisjoint({"wilcoxon", "sign", "hsd", "rthsd", "moderated"})
    assert choices("compare", option="--correction") == list(CORRECTIONS)
    for command in (["gate"], ["study", "correlation"], ["study", "preference"]):
        assert choices(*command, option="--correction") == list(CORRECTIONS_OF_P)


@pytest.mark.parametrize("name", TESTS)
def test_a_smallest_p_by_signs(name: str) -> None:
    """A test that says so has p of 2 / 2^n at least; one that does not can go below.

    Where the first run is better by much on all of n topics, or on all but one.
    """
    p_times = []
    for num_topics, num_worse in ((5, 0), (20, 1)):
        one, other = np.linspace(0.5, 0.6, num_topics), np.linspace(0.1, 0.102, num_topics)
        one[:num_worse] = 0.0999
        scores = np.column_stack([one, other])
        found = TESTS[name].compute(scores, every_pair(2), InferenceSettings(num_resamples=9_999))
        p_times.append(found.corrected[0] * 2**num_topics / 2)
    if TESTS[name].counts_signs:
        assert p_times[0] == 1
        assert p_times[1] > 1
    elif not TESTS[name].simultaneous:
        assert min(p_times) < 1


@for_each("name", CORRECTIONS_OF_P)
@for_each("hypotheses", [1, 7, 40])
def test_how_small_a_single_p_must_be(name: str, hypotheses: int) -> None:
    """One p that is so many times below alpha is significant, and one just above is not."""
    times = CORRECTIONS[name].strictness(hypotheses)
    for p, is_significant in ((0.05 / times * 0.999999, True), (0.05 / times * 1.000001, False)):
        every = np.ones(hypotheses)
        every[hypotheses // 2] = p
        assert (correct_p(every, name).min() <= 0.05) == is_significant


@pytest.mark.parametrize("name", CORRECTIONS_OF_P)
def test_whether_the_smallest_p_decides(name: str) -> None:
    """Where it does, none of ten equal p is significant that is not so by itself ten times over."""
    p = correct_p(np.full(10, 0.02), name)
    assert CORRECTIONS[name].familywise == (name in ("bonferroni", "holm"))
    assert (p.min() > 0.05) == (CORRECTIONS[name].familywise or name == "by")


@pytest.mark.parametrize("name", ["permutation", "bootstrap", "wilcoxon"])
def test_what_a_board_says_of_its_test(name: str) -> None:
    """One that is not corrected in itself is corrected by Holm, and draws as many as that wants."""
    runs = [SAMPLE / f"{run}.run" for run in ("bm25", "rm3", "fusion")]
    arguments = ["leaderboard", SAMPLE / "qrels.txt", *runs, "--test", name]
    arguments += ["--resamples", "20", "--details"]
    said = CliRunner().invoke(irev, [str(each) for each in arguments]).output
    words = {
        "permutation": "paired permutation tests with Holm's correction, two-sided",
        "bootstrap": "paired bootstrap tests (Sakai 2006) with Holm's correction, two-sided",
        "wilcoxon": "Wilcoxon signed rank tests with Holm's correction (which tests whether",
    }
    assert words[name] in said
    # 3 pairs at .05: B + 1 is 60 at least
    assert (", 59 resamples, seed 0; alpha" in said) == (name != "wilcoxon")


@pytest.mark.parametrize("name", ["t", "wilcoxon", "sign"])
def test_discriminative_power_by_a_test_that_draws_nothing(name: str, tmp_path: Path) -> None:
    """The share of pairs whose p, of scipy's test, is below alpha; and nothing said of draws."""
    scores = np.random.default_rng(3).random((11, 4)) + np.array([0, 0.1, 0.4, 0.8])
    lines = [",".join(map(str, (topic, *row))) for topic, row in enumerate(scores.tolist())]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["topic,a,b,c,d", *lines, ""]), encoding="utf-8")
    test = {
        "t": lambda x, y: stats.ttest_rel(x, y).pvalue,
        "wilcoxon": lambda x, y: stats.wilcoxon(x, y, method="exact").pvalue,
        "sign": lambda x, y: stats.binomtest(int((x > y).sum()), 11).pvalue,
    }[name]
    p = [test(scores[:, i], scores[:, j]) for i, j in combinations(range(4), 2)]
    count = sum(each < 0.05 for each in p)
    assert 0 < count < 6
    found = CliRunner().invoke(
        irev, ["study", "discriminative-power", str(path), "--test", name, "--alpha", "0.05"]
    )
    assert f"{count}/6={count / 6:.0%}" in found.stdout
    assert "n=11 topics; family of 6 pairs of 4 runs" in found.stdout
    assert "B=" not in found.stderr
