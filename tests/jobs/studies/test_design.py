"""`irev study design`: how many topics are needed."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from irev import studies as irev_studies
from irev.cli.commands import irev
from irev.errors import UsageError
from irev.jobs.studies.design import (
    DesignOptions,
    Pilot,
    design_for_score_variance,
    design_from_pilots,
)
from tests.files import SAMPLE
from tests.real_data import MATRICES, needs_real_data, real_matrix
from tests.statistics_rows import matrix, rows

QRELS = str(SAMPLE / "qrels.txt")
RUNS = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> tuple[int, Any, str]:
    outcome = CliRunner().invoke(irev, ["study", "design", *arguments, "--format", "json"])
    out = json.loads(outcome.stdout) if outcome.exit_code == 0 else outcome.stdout
    return outcome.exit_code, out, f"{outcome.stderr}{outcome.exception or ''}"


def facts(case: str) -> dict[str, float]:
    return {
        name: float(value)
        for name, _, value in (part.partition("=") for part in case.split() if "=" in part)
    }


NEEDED = [row for row in rows("design") if not str(row.values[1]).startswith("power")]
"""The power of a number of topics is looked at with the pilot below."""


@pytest.mark.parametrize(("section", "case", "quantity", "expected", "tolerance"), NEEDED)
def test_topics_needed(
    section: str, case: str, quantity: str, expected: float, tolerance: float
) -> None:
    given = facts(case)
    alpha, beta = given.get("a", 0.05), given.get("b", 0.2)
    if case.startswith("ttest"):
        aims = DesignOptions(difference=given["minDt"], alpha=alpha, power=1 - beta)
        (row,) = (
            design_for_score_variance(given["var_t"] / 2, aims).tables["topics"].to_dict("records")
        )
        found = row["by t test"]
    elif case.startswith("anova"):
        aims = DesignOptions(
            difference=given["minD"], alpha=alpha, power=1 - beta, num_runs=int(given["m"])
        )
        (row,) = design_for_score_variance(given["var"], aims).tables["topics"].to_dict("records")
        found = row["by anova"]
    else:
        aims = DesignOptions(alpha=alpha, width=given["delta"])
        (row,) = (
            design_for_score_variance(given["var_t"] / 2, aims).tables["topics"].to_dict("records")
        )
        found = row["by interval"]
    assert found == pytest.approx(expected, abs=tolerance)


@pytest.mark.in_turn(2)
@pytest.mark.parametrize(("section", "case", "quantity", "expected", "tolerance"), rows("gtheory"))
def test_reliability(
    section: str, case: str, quantity: str, expected: Any, tolerance: float
) -> None:
    scores, _ = matrix(case)
    record = design_from_pilots([Pilot("score", scores)], DesignOptions())
    (components,) = record.tables["components"].to_dict("records")
    reliable = record.tables["reliability"].set_index("coefficient")
    found: Any
    wanted: Any = reliable["topics needed"]
    if quantity == "var_s_q_e":
        found = [components[f"var {part}"] for part in ("runs", "topics", "error")]
    elif quantity in ("Erho2", "Phi"):
        found = reliable.loc["Phi" if quantity == "Phi" else "E rho^2", "value"]
    else:
        name = "Phi" if "Phi" in quantity else "E rho^2"
        found = int(wanted[name])
    assert found == pytest.approx(expected, abs=tolerance)


def residual_mean_square(scores: np.ndarray[Any, Any]) -> float:
    """By the definition of the two-way analysis of variance without replication."""
    topics, runs = scores.shape
    of_topic = scores.mean(axis=1, keepdims=True)
    residuals = scores - of_topic - scores.mean(axis=0) + scores.mean()
    return float((residuals**2).sum() / ((topics - 1) * (runs - 1)))


def test_variance_and_power_of_a_pilot() -> None:
    scores, _ = matrix("F2")
    topics, runs = scores.shape
    df = (topics - 1) * (runs - 1)
    record = design_from_pilots([Pilot("score", scores)], DesignOptions(difference=0.15))
    value = residual_mean_square(scores)
    needed = record.tables["topics"]
    of_pairs = [np.var(one - other, ddof=1) / 2 for one, other in combinations(scores.T, 2)]
    assert needed["variance"].tolist() == pytest.approx(
        [
            value,
            *(df * value / q for q in stats.chi2.ppf([0.9, 0.1], df)),
            *np.quantile(of_pairs, [0.05, 0.95]),
        ]
    )
    assert needed["variance is"].tolist() == [
        "estimate", "low (10%)", "high (90%)", "steady pair (5%)", "unsteady pair (95%)",
    ]  # fmt: skip
    # the analysis of variance has one variance for all
    assert needed["by anova"].isna().tolist() == [False] * 3 + [True] * 2
    (present,) = record.tables["present"].to_dict("records")
    effect = 0.15 / math.sqrt(2 * value)
    least = stats.t.ppf(0.975, topics - 1)
    shift = math.sqrt(topics) * effect
    power = stats.nct.sf(least, topics - 1, shift) + stats.nct.cdf(-least, topics - 1, shift)
    assert present["power"] == pytest.approx(power)
    # the smallest number with enough power, by looking at each
    for row in needed.to_dict("records"):
        spread = math.sqrt(2 * row["variance"])
        enough = [
            stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, math.sqrt(n) * 0.15 / spread) >= 0.8
            for n in range(2, row["by t test"] + 1)
        ]
        assert enough == [False] * (row["by t test"] - 2) + [True]


def test_variance_is_pooled_over_collections() -> None:
    one, other = (matrix(name)[0] for name in ("F1", "F2"))
    record = design_from_pilots([Pilot("score", one, [other])], DesignOptions())
    df = [(len(each) - 1) * (each.shape[1] - 1) for each in (one, other)]
    pooled = np.average([residual_mean_square(each) for each in (one, other)], weights=df)
    (present,) = record.tables["present"].to_dict("records")
    assert present["variance"] == pytest.approx(pooled)
    assert present["df"] == sum(df)
    # the components are those of the first alone
    assert record.tables["components"]["topics"].tolist() == [len(one)]


def test_what_has_no_variance_is_refused() -> None:
    same = np.array([[0.1, 0.3], [0.2, 0.4], [0.3, 0.5]])
    with pytest.raises(UsageError, match="no variance"):
        design_from_pilots([Pilot("score", same)], DesignOptions())
    with pytest.raises(UsageError, match="no scores"):
        design_from_pilots([], DesignOptions())
    with pytest.raises(UsageError, match="positive"):
        design_for_score_variance(0.0, DesignOptions())
    for name, value in (("alpha", 1.0), ("power", 0.01), ("difference", 0.0), ("target", 1.0)):
        wrong: dict[str, Any] = {name: value}
        with pytest.raises(UsageError):
            DesignOptions(**wrong)


@pytest.mark.thorough
def test_figures_show_the_tables() -> None:
    scores, _ = matrix("F2")
    record = design_from_pilots([Pilot("one", scores), Pilot("two", scores**2)], DesignOptions())
    power = record.figures["power"]()
    assert power.get_supxlabel() == "Of a difference of 0.1, α = 0.05."
    panels = power.axes
    assert [panel.get_title() for panel in panels] == ["one", "two"]
    for panel, (_, table) in zip(
        panels, record.tables["power"].groupby("measure", sort=False), strict=True
    ):
        lines = {str(line.get_label()): line for line in panel.lines}
        assert set(lines) == {
            "aim: 0.8", "variance: estimate", "variance: low (10%)", "variance: high (90%)",
            "variance: steady pair (5%)", "variance: unsteady pair (95%)",
        }  # fmt: skip
        part = table[table["variance is"] == "estimate"]
        drawn = lines["variance: estimate"]
        assert np.asarray(drawn.get_xdata()).tolist() == part["topics"].tolist()
        assert np.asarray(drawn.get_ydata()).tolist() == part["power"].tolist()
        assert (panel.get_xlabel(), panel.get_ylim()) == ("topics", (0.0, 1.04))
    reliable = record.figures["dependability"]().axes[0]
    labels = [str(line.get_label()) for line in reliable.lines]
    assert labels == ["aim: 0.95", "Eρ²", "Φ"]
    table = record.tables["dependability"]
    part = table[(table["measure"] == "one") & (table["coefficient"] == "Phi")]
    assert np.asarray(reliable.lines[2].get_ydata()).tolist() == part["value"].tolist()


@pytest.mark.thorough
def test_the_command() -> None:
    code, out, err = call(QRELS, *RUNS, "-m", "map", "-m", "P.10", "--output", "out")
    assert code == 0
    assert [row["measure"] for row in out["tables"]["components"]] == ["map", "P_10"]
    assert out["tables"]["present"][0]["topics"] == 12
    assert out["parameters"]["runs"][0]["signature"]["short"].startswith("irev:")
    assert "dense lacks 1 of 12 judged topics, which counts as 0: 20" in err
    assert "never to add topics until" in err
    assert Path("out/power.svg").exists()
    # 0.25 and 0.1 at 0.05 and 0.8 are Sakai's 395
    code, out, _ = call("--variance", "0.25")
    assert (code, out["tables"]["topics"][0]["by t test"]) == (0, 395)


# published with the table: the topics for .05 and .02 at the medians, by collection
PUBLISHED = {
    "nDCG@10": ((47, 278), (118, 726), (109, 667), (193, 1195)),
    "AP": ((58, 348), (28, 160), (48, 290), (57, 346)),
    "P@10": ((59, 358), (125, 767), (132, 809), (184, 1138)),
    "RR": ((89, 542), (256, 1590), (351, 2181), (499, 3109)),
    "success@5": ((179, 1106), (316, 1964), (474, 2952), (666, 4147)),
}


def test_without_runs_the_sds_of_other_collections_count() -> None:
    for place, difference in enumerate((0.05, 0.02)):
        result = irev_studies.design(measures=[*PUBLISHED], difference=difference)
        found = result.to_frame().set_index("measure")["topics (median)"]
        for (measure, published), said in zip(PUBLISHED.items(), result.answers, strict=True):
            expected = [each[place] for each in published]
            assert found[measure].tolist() == expected
            assert said == (
                f"{measure}: {min(expected)} to {max(expected)} topics find a difference of "
                f"{difference} with a chance of 80%; it depends on the collection"
            )
    # names of trec_eval; the default
    for words, name in ((["-m", "ndcg_cut.10"], "ndcg_cut_10"), ([], "map")):
        code, out, _ = call(*words, "--difference", "0.05")
        measure = {"ndcg_cut_10": "nDCG@10", "map": "AP"}[name]
        topics = [row["topics (median)"] for row in out["tables"]["typical"]]
        assert (code, topics) == (0, [each[0] for each in PUBLISHED[measure]])
        assert {row["measure"] for row in out["tables"]["typical"]} == {name}


def test_the_answer_comes_first() -> None:
    words = ["study", "design", "--sd", "0.1328", "--difference", "0.05"]
    answer = CliRunner().invoke(irev, words).stdout.partition("\n")[0]
    assert answer == "58 topics find a difference of 0.05 with a chance of 80%"
    # by a power that is looked at with scipy
    power = [
        float(stats.nct.sf(stats.t.ppf(0.995, n - 1), n - 1, math.sqrt(n) * 0.03 / 0.0897))
        for n in range(2, 200)
    ]
    expected = 2 + next(index for index, each in enumerate(power) if each >= 0.9)
    result = irev_studies.design(sd=0.0897, difference=0.03, alpha=0.01, power=0.9)
    assert result.answers == (f"{expected} topics find a difference of 0.03 with a chance of 90%",)
    pilot = design_from_pilots([Pilot("score", matrix("F2")[0])], DesignOptions())
    low, high = pilot.tables["topics"]["by t test"][1:3]
    assert f"({low} to {high}) find a difference of 0.1" in pilot.answers[0]
    assert pilot.answers[0].endswith(f"; there are {len(matrix('F2')[0])}")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([QRELS], "saved scores"),
        (["-m", "ERR"], "the sd of ERR is not known; it is of nDCG@10, AP, P@10, RR, Success@5"),
        (["--sd", "0.1", QRELS], "--sd stands in place of files"),
        (["--sd", "0.1", "--variance", "0.1"], "one or the other"),
        (["--sd", "0"], "positive"),
        (["--variance", "0.1", QRELS], "in place of files"),
        (["--variance", "x"], "not a number"),
        (["--variance", "-1"], "positive"),
        ([QRELS, *RUNS, "--power", "1.5"], "power"),
        ([QRELS, RUNS[0]], "two runs"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], said: str) -> None:
    code, out, err = call(*words)
    assert code != 0
    assert out == ""
    assert said in err


@needs_real_data
def test_real_matrices() -> None:
    eight, seven = "adhoc8_ap", "adhoc7_ap"
    code, out, _ = call(str(MATRICES[eight]), "--collection", str(MATRICES[seven]))
    assert code == 0
    scores = [real_matrix(name) for name in (eight, seven)]
    df = [(len(each) - 1) * (each.shape[1] - 1) for each in scores]
    pooled = np.average([residual_mean_square(each) for each in scores], weights=df)
    assert out["tables"]["present"][0]["variance"] == pytest.approx(pooled)
