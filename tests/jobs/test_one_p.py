"""The same runs and topics give a pair one p, wherever it is asked: one test is the default."""

from __future__ import annotations

import json
import warnings
from itertools import combinations
from typing import Any

import pytest

import irev
from irev.statistics.differences import Tail
from irev.statistics.methods import DEFAULT_TEST
from tests.command import irev as command
from tests.files import SAMPLE
from tests.pages import page_data

QRELS = str(SAMPLE / "qrels.txt")
FILES = {
    "bm25": str(SAMPLE / "bm25.run"),
    "dense": str(SAMPLE / "dense.run.gz"),
    "fusion": str(SAMPLE / "fusion.run"),
    "rm3": str(SAMPLE / "rm3.run"),
}
MEASURE = "ndcg_cut.10"

pytestmark = pytest.mark.filterwarnings("ignore::irev.IrevWarning")


def from_command(*arguments: str) -> Any:
    ran = command(*arguments, "--format", "json", QRELS, *FILES.values())
    assert ran.code in (0, 1), ran.err
    return json.loads(ran.out)


def results_by_pair(pairs: Any) -> dict[frozenset[str], dict[str, Any]]:
    return {frozenset((pair["run"], pair["against"])): pair["tests"] for pair in pairs}


@pytest.fixture(scope="module")
def compared() -> Any:
    """What the command says of all pairs under one measure."""
    return from_command("compare", "-m", MEASURE)


def test_the_default_is_the_moderated_t(compared: Any) -> None:
    """With the numbers of limma, to the 4 digits of the scores that it was given."""
    assert DEFAULT_TEST == "moderated"
    assert compared["comparison"]["tests"] == [DEFAULT_TEST]
    (moderation,) = compared["moderation"]
    assert moderation == {
        "class": "", "measure": "ndcg_cut_10", "d0": pytest.approx(4.90679, rel=1e-3),
        "s0": pytest.approx(0.170200, rel=1e-3), "df": pytest.approx(15.9068, rel=1e-3),
        "usable_pairs": 6, "distinct_runs": 4,
    }  # fmt: skip
    expected = {
        ("fusion", "dense"): (4.10844, 0.00332),
        ("fusion", "rm3"): (6.36308, 0.0000484),
        ("fusion", "bm25"): (8.08811, 0.00000301),
        ("rm3", "bm25"): (None, 0.1592),
    }
    by_pair = {(pair["run"], pair["against"]): pair for pair in compared["pairs"]}
    for runs, (t, holm) in expected.items():
        test = by_pair[runs]["tests"][DEFAULT_TEST]
        assert t is None or test["t"] == pytest.approx(t, rel=1e-3)
        assert test["corrected"] == pytest.approx(holm, rel=5e-3)
        assert test["df"] == moderation["df"]
        assert test["s_moderated"] == pytest.approx(
            by_pair[runs]["difference"] * 12**0.5 / test["t"]
        )
        assert by_pair[runs]["d_z"] == pytest.approx(
            by_pair[runs]["difference"] / by_pair[runs]["s"]
        )


def test_every_function_and_command_has_the_p_of_compare(compared: Any) -> None:
    expected = results_by_pair(compared["pairs"])
    # one p for each pair before correction, also where fewer are tested
    for baseline in FILES:
        told = from_command("compare", "-m", MEASURE, "--baseline", baseline)
        for pair, tests in results_by_pair(told["pairs"]).items():
            assert tests[DEFAULT_TEST]["p"] == expected[pair][DEFAULT_TEST]["p"]
    found = irev.compare(QRELS, FILES, MEASURE)
    assert results_by_pair(found.pair_rows()) == expected
    # more measures are a larger family, and change no p before correction
    two = irev.compare(QRELS, FILES, [MEASURE, "map"])
    of_first = [row for row in two.pair_rows() if row["measure"] == "ndcg_cut_10"]
    for pair, tests in results_by_pair(of_first).items():
        assert tests[DEFAULT_TEST]["p"] == expected[pair][DEFAULT_TEST]["p"]
        assert tests[DEFAULT_TEST]["corrected"] >= expected[pair][DEFAULT_TEST]["corrected"]


def test_boards_and_reports_have_the_corrected_p_of_compare(compared: Any) -> None:
    """Their family is that of compare under one measure: all pairs."""
    expected = results_by_pair(compared["pairs"])
    (part,) = from_command("leaderboard", "-m", MEASURE)["leaderboard"][0]["boards"]
    assert (part["test"], part["family"]) == (DEFAULT_TEST, 6)
    (told,) = compared["moderation"]
    assert part["moderation"] == {k: told[k] for k in told if k not in ("class", "measure")}
    board = irev.leaderboard(QRELS, FILES, MEASURE).to_frame()
    for run, of_function in zip(part["runs"][1:], board["p_best"][1:], strict=True):
        p = expected[frozenset(("fusion", run["run"]))][DEFAULT_TEST]["corrected"]
        assert run["p_best"] == of_function == pytest.approx(p, rel=1e-12)
    report = irev.report(QRELS, FILES, MEASURE)
    assert report.comparison is not None
    for pair, tests in results_by_pair(report.comparison.pair_rows()).items():
        for fact in ("p", "corrected"):
            assert tests[DEFAULT_TEST][fact] == pytest.approx(expected[pair][DEFAULT_TEST][fact])
    assert command("report", "-m", MEASURE, QRELS, *FILES.values()).out == report.html.encode()


def test_pages_have_the_corrected_p_of_compare_under_every_measure() -> None:
    """Those of a report and of a board: the same numbers, computed by two ways."""
    measures = [MEASURE, "map", "P.10"]
    reported, on_board = (
        page_data(text)["parts"][0]
        for text in (
            irev.report(QRELS, FILES, measures).html,
            irev.leaderboard(QRELS, FILES, measures).page(),
        )
    )
    names = [run["name"] for run in reported["runs"]]
    assert names == [run["name"] for run in on_board["runs"]] == [*FILES]
    assert reported["pairs"] == on_board["pairs"]
    assert reported["means"] == on_board["means"]
    assert (reported["test"], reported["between"]) == (on_board["test"], on_board["between"])
    for index, measure in enumerate(measures):
        expected = results_by_pair(irev.compare(QRELS, FILES, measure).pair_rows())
        for p, pair in zip(reported["pairs"][index]["p"], combinations(names, 2), strict=True):
            corrected = expected[frozenset(pair)][DEFAULT_TEST]["corrected"]
            assert p == pytest.approx(corrected, abs=5.1e-5)


@pytest.mark.parametrize("test", ["hsd", "bootstrap", "wilcoxon"])
@pytest.mark.parametrize("interval", ["t", "percentile"])
def test_pages_agree_whatever_the_test(test: Any, interval: Any) -> None:
    """Also of a measure of which less is better, whose scores a board turns round."""
    measures = ["map", "SetE"]
    report = irev.report(
        QRELS, FILES, measures, tests=[test], ci=interval, resamples=2000
    )  # fmt: skip
    board = irev.leaderboard(QRELS, FILES, measures, test=test, ci=interval, resamples=2000)
    reported, on_board = (
        page_data(text)["parts"][0] for text in (report.html, board.page())
    )  # fmt: skip
    assert reported["means"] == on_board["means"]
    assert reported["pairs"] == on_board["pairs"]
    assert (reported["test"], reported["between"]) == (on_board["test"], on_board["between"])


@pytest.mark.parametrize("margin", [0.0, 0.05])
@pytest.mark.parametrize("run", ["rm3", "dense"])
def test_a_gate_has_the_p_of_a_one_sided_comparison(run: str, margin: float) -> None:
    """Of its two runs, at the same margin; with two runs the test is the paired t."""
    runs = {name: FILES[name] for name in (run, "bm25")}
    report = irev.gate(
        QRELS, FILES[run], "map", baseline=FILES["bm25"], alpha=0.05, tolerance=margin,
        max_missing=9,
    )  # fmt: skip
    test = next(each for each in report.verdicts if each.kind == "baseline").test
    assert test is not None
    if margin:
        row = next(iter(irev.compare(QRELS, runs, "map", baselines=["bm25"], margin=margin)
                        .pair_rows()))  # fmt: skip
        assert test.p_not_worse == pytest.approx(row["p_not_worse"], rel=1e-12)
    else:
        tails: list[tuple[Tail, float]] = [("greater", test.p_not_worse), ("less", test.p_worse)]
        for tail, p in tails:
            found = irev.compare(QRELS, runs, "map", baselines=["bm25"], tail=tail)
            assert next(iter(found.pair_rows()))["tests"]["t"]["p"] == p
            plain = irev.compare(
                QRELS, runs, "map", baselines=["bm25"], tail=tail, tests=["t"]
            ).pairs
            assert plain["p_t"].tolist() == [p]
    told = command(
        "gate", "-m", "map", "--baseline", FILES["bm25"], "--alpha", "0.05", "--tolerance",
        str(margin), "--max-missing", "9", "--format", "json", QRELS, FILES[run],
    )  # fmt: skip
    verdict = next(each for each in json.loads(told.out)["gates"] if each["kind"] == "baseline")
    assert (verdict["test"]["p_worse"], verdict["test"]["p_not_worse"]) == (
        test.p_worse,
        test.p_not_worse,
    )
    assert json.loads(told.out)["test"] == "one-sided paired t test"


def test_signatures_name_the_test() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (
            "|tests:moderated|correction:holm|" in irev.compare(QRELS, FILES, "map").signature.short
        )
    arguments = ("-m", "map", "--details", QRELS, *FILES.values())
    out = command("leaderboard", *arguments).out.decode()
    assert "|test:moderated|correction:holm|" in out
