"""Gates: limits, baselines and tests; each AP is 1/rank, worked out by hand or tested by scipy."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import irev
from irev.jobs.gate.gate import correct_verdicts
from irev.jobs.gate.options import GateOptions
from tests.files import ROOT, SAMPLE
from tests.gates import gate, write_qrels, write_run

RANKS = [1, 2, 1, 4, 2, 1, 5, 2]
WORSE = [2, 4, 2, 5, 4, 2, 10, 4]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments, a run, a run that is worse everywhere, and the first as the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    write_qrels("qrels", 8)
    write_run("good.run", RANKS)
    write_run("worse.run", WORSE)
    return tmp_path


def gate_data(*arguments: object) -> dict[str, Any]:
    done = gate("--format", "json", *arguments)
    data: dict[str, Any] = json.loads(done.out)
    assert data["exit_code"] == done.code
    return data


# mean of 1, 1/2, 1, 1/4, 1/2, 1, 1/5, 1/2 = 4.95 / 8
MEAN = 0.61875


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (["--min", f"map={MEAN}"], 0),
        (["--min", "map=0.62"], 1),
        (["--max", f"map={MEAN}"], 0),
        (["--max", "map=0.61"], 1),
        (["--min", "P@1=0.375", "--max", "AP=0.7"], 0),
        (["--min", "P@1=0.375", "--max", "AP=0.6"], 1),
        (["--min", "judged@1=0.376"], 1),
        (["--min", "P@1=0.375,RBP(p=0.8,rel=1)=0.1"], 0),
        (["--min", "P@1=0.376,RBP(p=0.8,rel=1)=0.1"], 1),
        (["--min", "num_rel_ret=8"], 0),
        (["--min", "num_rel_ret=8.5"], 1),
    ],
)
def test_limits(limits: list[str], code: int) -> None:
    assert gate("qrels", "good.run", *limits).code == code


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (["--min", "ndcg@10=50"], "ndcg@10 is from 0 to 1; write --min ndcg@10=0.5"),
        (["--max", "map=61.9"], "map is from 0 to 1; write --max map=0.619"),
        (["--min", "map=101"], "map is from 0 to 1"),
        (["--max", "map=-0.1"], "map is from 0 to 1"),
    ],
)
def test_a_limit_beyond_the_range_is_refused(limit: list[str], message: str) -> None:
    done = gate("qrels", "good.run", *limit)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"{message}\n")


def test_limits_at_the_ends_of_the_range() -> None:
    limits = ("--min", "map=0", "--max", "P@1=1", "--min", "P@2=-1", "--max", "num_ret=1e6")
    assert gate("qrels", "good.run", *limits).code == 0


def test_a_mean_that_equals_its_limit_but_for_rounding_passes() -> None:
    # P@10 is 0.1 on each of 3 topics: the sum is 0.30000000000000004
    write_qrels("q3", 3)
    write_run("r3", [1, 1, 1])
    assert gate("q3", "r3", "--min", "P@10=0.1", "--max", "P@10=0.1").code == 0


def test_a_missing_topic_counts_as_zero_and_is_listed() -> None:
    write_run("lacks.run", [1, 1, 1, 1, 1, 1, 0, 1])
    done = gate("qrels", "lacks.run", "--min", "map=0.9")
    assert done.code == 1
    assert "map is 0.8750, must be at least 0.9" in done.out
    assert "a judged topic that a run lacks counts as 0" in done.out
    assert "1 of 8 topics: 7" in done.out
    assert gate_data("qrels", "lacks.run", "--min", "map=0.9")["run"]["missing"] == ["7"]


def test_a_number_never_seems_to_be_on_the_other_side_of_its_limit() -> None:
    done = gate("qrels", "good.run", "--min", "map=0.61876")
    assert done.code == 1
    assert "map is 0.61875, must be at least 0.61876" in gate("qrels", "good.run", "--places", 4,
                                                     "--min", "map=0.61876").out  # fmt: skip


def test_a_planted_drop_fails() -> None:
    # 1/2, 1/4, 1/2, 1/5, 1/4, 1/2, 1/10, 1/4: the mean is 2.55 / 8
    actual = gate_data("qrels", "worse.run", "--baseline", "good.run")
    assert actual["outcome"] == "failed"
    (verdict,) = actual["gates"]
    assert verdict["measure"] == "map"
    assert verdict["value"] == pytest.approx(2.55 / 8)
    assert verdict["bound"] == pytest.approx(MEAN)
    assert verdict["difference"] == pytest.approx(-0.3)
    # differences of -1/2 (1, 3, 6), -1/4 (2, 5, 8), -1/10 (7), -1/20 (4), equal ones by topic
    assert [drop["topic"] for drop in verdict["worst"]] == list("13625874")
    assert verdict["worst"][-1]["difference"] == pytest.approx(-0.05)


def test_a_drop_that_equals_the_tolerance_passes() -> None:
    arguments = ["qrels", "worse.run", "--baseline", "good.run", "--tolerance"]
    assert gate(*arguments, 0.3).code == 0
    assert gate(*arguments, 0.299).code == 1


def test_an_identical_run_passes() -> None:
    Path("same.run").write_bytes(Path("good.run").read_bytes())
    for baseline in ("good.run", "same.run"):
        for more in ([], ["--alpha", 0.05]):
            actual = gate_data(
                "qrels", "good.run", "--baseline", baseline, "--tolerance", 0, *more
            )  # fmt: skip
            assert actual["outcome"] == "passed"
            assert actual["gates"][0]["difference"] == 0
    test = actual["gates"][0]["test"]
    assert test["constant"]
    assert (test["sd"], test["low"], test["high"]) == (0, 0, 0)


def test_the_interval_decides() -> None:
    d = 1 / np.array(WORSE) - 1 / np.array(RANKS)
    actual = gate_data("qrels", "worse.run", "--baseline", "good.run", "--alpha", 0.05)
    test = actual["gates"][0]["test"]
    less = stats.ttest_1samp(d, -0.01, alternative="less")
    greater = stats.ttest_1samp(d, -0.01, alternative="greater")
    assert test["p_worse"] == pytest.approx(less.pvalue)
    assert test["p_not_worse"] == pytest.approx(greater.pvalue)
    assert test["high"] == pytest.approx(less.confidence_interval(0.95).high)
    assert test["low"] == pytest.approx(greater.confidence_interval(0.95).low)
    assert test["sd"] == pytest.approx(d.std(ddof=1))
    assert test["n"] == 8
    # a true drop of that size is found with a chance of 80%
    shift = (test["detectable_drop"] - 0.01) / test["sd"] * np.sqrt(8)
    assert stats.nct.sf(stats.t.ppf(0.95, 7), 7, shift) == pytest.approx(0.8)
    assert actual["outcome"] == "failed"
    better = gate_data("qrels", "good.run", "--baseline", "worse.run", "--alpha", 0.05)
    assert better["outcome"] == "passed"


def test_what_the_interval_leaves_open_is_undecided() -> None:
    # better on as many topics as worse, by as much
    write_run("mixed.run", [2, 1, 1, 4, 1, 2, 5, 2])
    arguments = ["qrels", "mixed.run", "--baseline", "good.run", "--alpha", 0.05]
    assert gate_data(*arguments)["outcome"] == "undecided"
    assert gate(*arguments).code == 1
    assert gate(*arguments, "--undecided", "pass").code == 0
    assert gate(*arguments[:-2]).code == 0
    text = gate(*arguments, "--details").out
    assert "one-sided paired t tests, n = 8 topics, 1 comparison" in text
    assert "moderated" not in text
    assert "would have been found with a chance of 80%" in text


def test_a_constant_drop_is_decided_by_its_p() -> None:
    write_qrels("q", 5)
    # topics with a drop of 0.5: the outcome at the usual tolerance, and at one of 0.5
    for count, outcome, at_tolerance in ((4, "undecided", "undecided"), (5, "failed", "passed")):
        write_qrels("q", count)
        write_run("a.run", [1] * count)
        write_run("b.run", [2] * count)
        arguments = ["q", "b.run", "--baseline", "a.run", "--alpha", 0.05]
        data = gate_data(*arguments)
        test = data["gates"][0]["test"]
        assert data["outcome"] == outcome
        assert (test["p_worse"], test["p_not_worse"]) == (2**-count, 1)
        # one-sided: share 0.05^(1/n) of the way from -1, and to 1, is the difference
        share = 0.05 ** (1 / count)
        ends = (-0.5 * share - (1 - share), -0.5 * share + 1 - share)
        assert (test["low"], test["high"]) == pytest.approx(ends)
        assert (test["detectable_drop"], test["decidable_tolerance"]) == (None, None)
        assert gate_data(*arguments, "--tolerance", 0.5)["outcome"] == at_tolerance
    text = gate(*arguments, "--details").out
    assert f"p is the chance that all {count} signs are equal" in text
    assert "no test" not in text
    assert "nan" not in text
    write_qrels("q", 2)
    alike = gate("q", "a.run", "--baseline", "a.run", "--alpha", 0.05)
    assert alike.code == 0


def test_one_topic_is_too_few() -> None:
    write_qrels("q1", 1)
    done = gate("q1", "worse.run", "--baseline", "good.run", "--alpha", 0.05)
    assert done.code == 1
    assert "one topic is too few for a test" in done.out
    # of the run's two documents one is judged, of the baseline's one document one
    assert done.out.splitlines()[1] == "judged@10 0.50, baseline 1.00"
    assert "of the first 10 documents 50% are judged, of the baseline's 100%" in done.err


def test_a_level_that_no_grade_reaches_is_refused() -> None:
    done = gate("qrels", "worse.run", "--baseline", "good.run", "-l", 9)
    assert done.code == 2
    assert "the highest grade is 1, below the level 9, so that no document is relevant" in done.err


def test_holm_corrects_for_the_number_of_comparisons() -> None:
    arguments = [
        "qrels", "worse.run", "--baseline", "good.run", "-m", "map", "-m", "P@1", "--alpha", 0.05,
    ]  # fmt: skip
    plain = gate_data(*arguments)
    p_map, p_first = (verdict["test"]["p_worse"] for verdict in plain["gates"])
    assert p_map < p_first
    # P@1 falls from 1 to 0 on 3 of 8 topics: -3/8, with sd sqrt(15/56)
    t = (-3 / 8 + 0.01) / np.sqrt(15 / 56 / 8)
    assert p_first == pytest.approx(stats.t.cdf(t, 7))
    holm = gate_data(*arguments, "--correction", "holm")
    assert holm["family"] == 2
    corrected = [verdict["test"]["p_worse_corrected"] for verdict in holm["gates"]]
    assert corrected == pytest.approx([2 * p_map, p_first])
    alpha = (p_map + 2 * p_map) / 2
    actual = gate_data(*arguments[:-2], "-m", "AP", "--alpha", alpha, "--correction", "holm")
    assert {v["outcome"] for v in actual["gates"]} == {"undecided"}


def test_a_corrected_p_of_just_alpha_is_significant() -> None:
    """As p <= alpha is in every other command: of two drops Holm doubles the lower p."""
    options = GateOptions(baseline="good.run", alpha=0.05, correction="holm")
    verdicts = irev.gate("qrels", "worse.run", ["map", "P@1"], options=options).verdicts
    drops = [
        replace(each, outcome="failed", test=replace(each.test, p_worse=p))
        for each, p in zip(verdicts, (0.025, 0.05), strict=True)
        if each.test is not None
    ]
    assert [each.outcome for each in correct_verdicts(drops, options)] == ["failed", "failed"]


def test_the_measures_compared_are_those_of_the_least_values() -> None:
    arguments = ["qrels", "good.run", "--baseline", "worse.run"]
    limits = ["--min", "judged@5=0", "--min", "P@1=0", "--max", "unj_5=1"]
    actual = gate_data(*arguments, *limits)
    assert [verdict["kind"] for verdict in actual["gates"]] == ["min", "min", "max", "baseline"]
    assert actual["gates"][-1]["measure"] == "P@1"
    actual = gate_data(*arguments, *limits, "-m", "RR")
    assert actual["gates"][-1]["measure"] == "RR"


def save(path: str, run: str = "good.run", qrels: str = "qrels", *more: str) -> None:
    assert gate(qrels, run, "--save", path, "--min", "map=0", *more).code == 0


def test_saved_scores_are_a_baseline() -> None:
    save("base.json")
    assert gate("qrels", "good.run", "--baseline", "base.json", "--tolerance", 0).code == 0
    actual = gate_data("qrels", "worse.run", "--baseline", "base.json")
    assert actual["gates"][0]["difference"] == pytest.approx(-0.3)
    # what the baseline lacks can still be limited
    done = gate("qrels", "good.run", "--baseline", "base.json", "-m", "map", "--min", "P@1=0")
    assert done.code == 0
    done = gate("qrels", "good.run", "--baseline", "base.json", "-m", "P@1")
    assert done.code == 2
    assert "base.json" in done.err


def test_what_is_said_of_the_run_is_said_once_beside_saved_scores() -> None:
    write_qrels("few", 1)
    names = ["yes", *(f"other{number}" for number in range(9))]  # 1 of 10 is judged
    ranked = "".join(f"1 Q0 {name} 1 {-place} x\n" for place, name in enumerate(names))
    Path("few.run").write_text(ranked, encoding="utf-8")
    save("few.json", "few.run", "few")
    said = gate("few", "few.run", "--baseline", "few.json").err
    assert said.count("of its first 10 documents are judged") == 1, said


def test_a_baseline_that_version_02_saved_is_read() -> None:
    saved = ROOT / "tests/cases/baseline-0.2.json"
    actual = gate_data(SAMPLE / "qrels.txt", SAMPLE / "bm25.run", "--baseline", saved)
    (verdict,) = actual["gates"]
    # what 0.2 printed of the same gate
    assert (verdict["outcome"], round(verdict["bound"], 4)) == ("failed", 0.4385)
    assert round(verdict["difference"], 4) == -0.0885
    assert (
        "accepted with 0.2"
        in gate(SAMPLE / "qrels.txt", SAMPLE / "bm25.run", "--baseline", saved, "--details").out
    )


def test_saved_scores_have_missing_topics_and_the_signature() -> None:
    write_run("lacks.run", [1, 1, 1, 1, 1, 1, 0, 1])
    save("base.json", "lacks.run")
    (run,) = json.loads(Path("base.json").read_text(encoding="utf-8"))["runs"]
    assert run["topics"]["7"] == {"map": 0}
    assert run["missing"] == ["7"]
    assert run["missing_count_as_zero"]
    assert run["all"] == {"map": 0.875}
    assert run["signature"]["short"].startswith("irev:")
    actual = gate_data("qrels", "good.run", "--baseline", "base.json")
    assert actual["baseline"]["missing"] == ["7"]
    assert actual["gates"][0]["bound"] == 0.875


def test_a_run_that_does_not_pass_is_not_saved() -> None:
    done = gate("qrels", "good.run", "--min", "map=1", "--save", "base.json")
    assert done.code == 1
    assert "base.json was not written" in done.err
    assert not Path("base.json").exists()


def test_a_baseline_may_be_replaced_by_what_passes() -> None:
    save("base.json", "worse.run")
    arguments = ["--baseline", "base.json", "--save", "base.json"]
    assert gate("qrels", "good.run", *arguments).code == 0
    assert gate("qrels", "worse.run", *arguments).code == 1
    assert json.loads(Path("base.json").read_text(encoding="utf-8"))["runs"][0]["run"] == "good"


def test_scores_without_signature_are_taken_with_a_word() -> None:
    Path("base.txt").write_text(
        "".join(f"map                   \t{t}\t{1 / r:.4f}\n" for t, r in enumerate(RANKS, 1)),
        encoding="utf-8",
    )
    done = gate("qrels", "good.run", "--baseline", "base.txt", "--tolerance", 0)
    assert done.code == 0
    assert "base.txt has no signature" in done.err


def test_a_baseline_with_topics_that_are_not_judged_is_not_comparable() -> None:
    Path("base.txt").write_text(
        "".join(f"{'map':22}\t{topic}\t0.5000\n" for topic in range(1, 10)), encoding="utf-8"
    )
    done = gate("qrels", "good.run", "--baseline", "base.txt")
    assert done.code == 2
    assert "base.txt cannot be compared: 1 of its topics are not judged: 9" in done.err


def test_saved_scores_count_on_the_topics_that_were_asked_for() -> None:
    write_run("lacks.run", [1, 1, 1, 1, 1, 1, 0, 1])
    save("base.json", "lacks.run")
    Path("topics").write_text("1\n2\n4\n", encoding="utf-8")
    actual = gate_data("qrels", "good.run", "--baseline", "base.json", "--topics", "topics")
    (verdict,) = actual["gates"]
    assert (verdict["topics"], verdict["bound"]) == (3, 1)
    assert verdict["value"] == (1 + 1 / 2 + 1 / 4) / 3
    assert actual["baseline"]["missing"] == []


def test_saved_scores_are_gated_too() -> None:
    save("good.json")
    save("worse.json", "worse.run")
    assert gate("good.json", "--baseline", "worse.json", "--min", "map=0.6").code == 0
    assert gate("worse.json", "--baseline", "good.json").code == 1
    assert gate("qrels", "worse.json", "--baseline", "good.run").code == 1
    write_qrels("others", 8, grade=2)
    done = gate("others", "good.json", "--min", "map=0.6")
    assert done.code == 2
    assert "the qrels differ" in done.err


def test_a_file_of_several_runs_is_no_baseline() -> None:
    lines = "".join(f"{topic},0.5,0.6\n" for topic in range(1, 9))
    Path("map.csv").write_text("topic,a,b\n" + lines, encoding="utf-8")
    done = gate("qrels", "good.run", "--baseline", "map.csv")
    assert done.code == 2
    assert "map.csv holds the scores of 2 runs, expected one" in done.err


def test_each_class_of_topics_is_gated() -> None:
    Path("classes").write_text(
        "".join(f"{t} {'odd' if t % 2 else 'even'}\n" for t in range(1, 9)), encoding="utf-8"
    )
    write_run("mixed.run", [1, 8, 1, 8, 1, 8, 1, 8])
    actual = gate_data("qrels", "mixed.run", "--min", "map=0.5", "--group-by", "classes")
    # even: 1/8 each, odd: 1 each
    by_class = {verdict["class"]: verdict for verdict in actual["gates"]}
    assert [by_class[of]["value"] for of in (None, "even", "odd")] == [0.5625, 0.125, 1]
    assert [by_class[of]["outcome"] for of in (None, "even", "odd")] == [
        "passed", "failed", "passed",
    ]  # fmt: skip
    actual = gate_data(
        "qrels", "mixed.run", "--baseline", "good.run", "--group-by", "classes", "--tolerance", 1
    )
    assert [verdict["class"] for verdict in actual["gates"]] == [None, "odd", "even"]
    assert actual["family"] == 3


def test_weights_of_topics_hold_for_all_gates() -> None:
    Path("weights").write_text(
        "".join(f"{t} {3 if t == 1 else 1}\n" for t in range(1, 9)), encoding="utf-8"
    )
    actual = gate_data(
        "qrels", "good.run", "--min", "map=0", "--baseline", "worse.run", "--topic-weights",
        "weights", "--alpha", 0.05,
    )  # fmt: skip
    limit, drop = actual["gates"]
    assert limit["value"] == pytest.approx((4.95 + 2) / 10)
    assert drop["difference"] == pytest.approx((4.95 + 2 - 2.55 - 1) / 10)
    # the ratio estimator, and Kish's number of topics: 10^2 / (9 + 7)
    weights, d = np.array([3, *[1] * 7]), 1 / np.array(RANKS) - 1 / np.array(WORSE)
    mean = (weights * d).sum() / 10
    error = np.sqrt(8 / 7 * (weights**2 * (d - mean) ** 2).sum()) / 10
    assert drop["test"]["sd"] == pytest.approx(error * np.sqrt(8))
    reach = stats.t.ppf(0.95, 100 / 16 - 1) * error
    assert drop["test"]["low"] == pytest.approx(mean - reach)
    assert drop["test"]["high"] == pytest.approx(mean + reach)


def test_a_run_that_lost_a_topic_of_the_baseline_fails() -> None:
    write_run("lost.run", [*RANKS[:6], 0, RANKS[7]])
    arguments = ("qrels", "lost.run", "--baseline", "good.run", "--tolerance", 0.5)
    done = gate(*arguments)
    assert done.code == 1
    message = "the run lacks 1 of 8 topics, which good has; if that is meant: --max-missing 1"
    assert done.out.startswith(f"FAILED: 1 of 2 gates: {message}\n")
    assert f"failed    {message}" in done.out
    assert gate(*arguments, "--max-missing", 1).code == 0
    # the cause stands before the drop that comes of it
    both = gate("qrels", "lost.run", "--baseline", "good.run", "--tolerance", 0)
    assert both.out.startswith(f"FAILED: 2 of 2 gates: {message}")
    missing = gate_data(*arguments, "--max-missing", 0)["gates"][-1]
    assert (missing["kind"], missing["outcome"]) == ("missing", "failed")
    assert (missing["value"], missing["bound"]) == (1, 0)
    # what the baseline lacks too is no loss
    assert gate("qrels", "lost.run", "--baseline", "lost.run").code == 0
    save("lost.json", "lost.run")
    assert gate("qrels", "lost.run", "--baseline", "lost.json").code == 0


def test_the_most_topics_that_a_run_may_lack() -> None:
    write_run("lost.run", [*RANKS[:6], 0, 0])
    arguments = ("qrels", "lost.run", "--min", "map=0")
    assert gate(*arguments).code == 0
    assert gate(*arguments, "--max-missing", 2).code == 0
    done = gate(*arguments, "--max-missing", 1)
    assert done.code == 1
    assert "the run lacks 2 of 8 topics, at most 1 allowed" in done.out
    both = gate(*arguments, "--topics", "both", "--max-missing", 1)
    assert both.code == 1
    assert "the run lacks 2 of 8 topics, at most 1 allowed" in both.out


def test_a_run_that_passes_on_common_topics_alone_says_which_it_lacks() -> None:
    write_run("lacks.run", [1, 1, 1, 1, 1, 1, 0, 1])
    arguments = ("qrels", "lacks.run", "--topics", "both", "--min", "map=0.9")
    done = gate(*arguments)
    assert done.code == 0
    assert "map is 1.0000, must be at least 0.9" in done.out
    assert "7 of 8 judged topics, those that every run has" in done.out
    assert "1 of 8 topics: 7 (left out)" in done.out
    assert "counts as 0" not in done.out
    data = gate_data(*arguments)
    assert (data["run"]["left_out"], data["missing_count_as_zero"]) == (["7"], False)


def test_the_smallest_tolerance_that_the_topics_can_decide() -> None:
    arguments = ("qrels", "worse.run", "--baseline", "good.run", "--alpha", 0.05)
    test = gate_data(*arguments, "--tolerance", 0.01)["gates"][0]["test"]
    # the power of a one-sided t test of 8 topics at this difference is 0.8
    shift = np.sqrt(8) * test["decidable_tolerance"] / test["sd"]
    power = stats.nct.sf(stats.t.ppf(0.95, 7), 7, shift)
    assert power == pytest.approx(0.8)
    assert test["detectable_drop"] == pytest.approx(0.01 + test["decidable_tolerance"])
    for tolerance, is_said in ((0.01, True), (0.4, False)):
        text = gate(*arguments, "--tolerance", tolerance, "--details").out
        assert (f"too few topics for a tolerance of {tolerance:g}" in text) == is_said


def test_wrong_options_are_refused() -> None:
    for arguments, message in [
        ([], "give at least one limit"),
        (["--min", "map"], "--min map: must be a measure and a number"),
        (["--min", "map=x"], "--min map=x"),
        (["--min", "map=0", "--min", "map=1"], "two limits of one measure"),
        (["--min", "mapp=0"], "mapp"),
        (["--min", "P.5,10=0"], "names 2 measures"),
        (["--min", "gm_map=0"], "gm_map"),
        (["--min", "map=0", "--min", "gm_map=0"], "gm_map has no values by topic"),
        (["--min", "map=0", "--tolerance", "-1"], "tolerance"),
        (["--min", "map=0", "--alpha", "0.5"], "alpha"),
        (["--min", "map=0", "--correction", "holm"], "alpha"),
        (["--min", "map=0", "--save", "qrels"], "would overwrite an input file"),
        (["--min", "map=0", "--save", "x", "--junit", "x"], "two outputs"),
        (["--baseline", "nowhere"], "nowhere"),
        (
            ["--baseline", "worse.run", "--tolerance", "5"],
            "--tolerance 5: map is from 0 to 1, so that no drop is larger; write --tolerance 0.05",
        ),
        (
            ["--baseline", "worse.run", "--topic-tolerance", "20"],
            "--topic-tolerance 20: map is from 0 to 1, so that no drop is larger; write "
            "--topic-tolerance 0.2",
        ),
    ]:
        done = gate("qrels", "good.run", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert message in done.err, arguments


def test_a_tolerance_that_some_measure_can_exceed() -> None:
    baseline = ("--baseline", "worse.run", "-m", "num_rel_ret")
    assert gate("qrels", "good.run", *baseline, "--tolerance", "5").code == 0
    assert gate("qrels", "good.run", *baseline, "-m", "map", "--tolerance", "5").code == 0
    assert gate("qrels", "good.run", "--baseline", "worse.run", "--tolerance", "1").code == 0
    bounds = ("--bounds", "rouge=0,100", "-m", "rouge")
    for name, value in (("a", 60.0), ("b", 40.0)):
        Path(f"{name}.csv").write_text(
            f"run,topic,measure,value\n{name},1,rouge,{value}\n", encoding="utf-8"
        )
    assert gate("b.csv", "--baseline", "a.csv", *bounds, "--tolerance", "25").code == 0
    assert gate("b.csv", "--baseline", "a.csv", *bounds, "--tolerance", "5").code == 1
    assert gate("b.csv", "--baseline", "a.csv", *bounds, "--tolerance", "101").code == 2


def test_two_files_are_wanted() -> None:
    assert gate("good.run", "--min", "map=0").code == 2
    assert gate("qrels", "good.run", "worse.run", "--min", "map=0").code == 2
    assert "irev gate QRELS RUN" in gate().err


# SL(count=nonrel) is rank - 1, and lower is better: means 1.25 and 3.125
def test_of_a_measure_that_is_better_lower_a_rise_fails() -> None:
    measure = "SL(count=nonrel)"
    worse = gate_data("qrels", "worse.run", "--baseline", "good.run", "-m", measure)
    (verdict,) = worse["gates"]
    assert (worse["exit_code"], verdict["outcome"]) == (1, "failed")
    assert (verdict["value"], verdict["bound"], verdict["difference"]) == (3.125, 1.25, 1.875)
    assert verdict["worst"][0]["difference"] == 5.0
    better = gate_data("qrels", "good.run", "--baseline", "worse.run", "-m", measure)
    assert (better["exit_code"], better["gates"][0]["worst"]) == (0, [])


def test_the_test_of_a_measure_that_is_better_lower() -> None:
    options = ("-m", "SL(count=nonrel)", "--alpha", "0.05", "--tolerance", "0.5")
    actual = gate_data("qrels", "worse.run", "--baseline", "good.run", *options)
    difference = np.subtract(WORSE, RANKS)
    expected = stats.ttest_1samp(difference, 0.5, alternative="greater")
    test = actual["gates"][0]["test"]
    assert test["p_worse"] == pytest.approx(expected.pvalue, rel=1e-12)
    margin = stats.t.ppf(0.95, 7) * difference.std(ddof=1) / np.sqrt(8)
    assert test["low"] == pytest.approx(difference.mean() - margin, rel=1e-12)
    assert test["high"] == pytest.approx(difference.mean() + margin, rel=1e-12)
    more = (*options, "--details")
    assert "a rise of" in gate("qrels", "worse.run", "--baseline", "good.run", *more).out


# --- in Python ------------------------------------------------------------------------------------


def test_a_table_is_gated_as_its_files_are() -> None:
    table = irev.evaluate("qrels", ["worse.run", "good.run"], "map P@1")
    report = irev.gate(table, "worse", min={"map": 0.1}, baseline="good")
    direct = irev.gate("qrels", "worse.run", min={"map": 0.1}, baseline="good.run")
    assert report.verdicts == direct.verdicts
    with pytest.raises(irev.UsageError, match=r"one limit: min=\{.NAME.: X\}, "):
        irev.gate("qrels", "good.run")
    with pytest.raises(irev.UsageError, match="a gate takes one run, not 2"):
        irev.gate("qrels", ["worse.run", "good.run"], min={"map": 0.1})
