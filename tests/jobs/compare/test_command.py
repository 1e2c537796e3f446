"""`irev compare` as its users see it; expected values are those of the table of statistics."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irev as irev_package
from tests.command import Ran, irev
from tests.files import SAMPLE
from tests.statistics_rows import matrix, rows

TESTS = ("t", "permutation", "wilcoxon", "sign", "bootstrap", "hsd", "rthsd")
RESAMPLES = 20_000


def write(folder: Path, case: str, measure: str = "") -> Path:
    """A matrix of the expected values as a file of saved scores."""
    scores, names = matrix(case)
    table = pd.DataFrame(scores, columns=names)
    table.insert(0, "topic", [f"{topic:02}" for topic in range(len(scores))])
    path = folder / f"{measure or case}.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def every_test(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the command says of each case under all tests."""
    folder = tmp_path_factory.mktemp("matrices")
    arguments = [word for test in TESTS for word in ("--test", test)]
    by_name = {}
    for case in ("F1", "F2", "F2[A,B,C]"):
        path = write(folder, case)
        asked_of = (*arguments, "--correction=none", "--anova", f"--resamples={RESAMPLES}")
        ran = irev("compare", *asked_of, "--format=json", path)
        assert ran.code == 0, ran.err
        by_name[case] = json.loads(ran.out)
    return by_name


def pair_of(actual: Any, case: str) -> dict[str, Any]:
    base, _, pair = case.partition(":")
    run, against = pair.split("-")
    (row,) = (p for p in actual[base]["pairs"] if (p["run"], p["against"]) == (run, against))
    assert isinstance(row, dict)
    return row


def value_of_test(test: str, fact: str) -> Any:
    return lambda row: row["tests"][test][fact]


EXACT = {
    "mean_diff": lambda row: row["difference"],
    "t": value_of_test("t", "t"),
    "df": value_of_test("t", "df"),
    "t_p_two_sided": value_of_test("t", "p"),
    "ci95_low": lambda row: row["low"],
    "ci95_high": lambda row: row["high"],
    "d_z": lambda row: row["d_z"],
    "g_z": lambda row: row["g_z"],
    "win_tie_loss": lambda row: [row["wins"], row["ties"], row["losses"]],
    "sign_p": value_of_test("sign", "p"),
    "wilcoxon_pratt_exact_p": value_of_test("wilcoxon", "p"),
    "perm_exact_p": value_of_test("permutation", "p"),
    "q": value_of_test("hsd", "q"),
    "p_twoway": value_of_test("hsd", "corrected"),
    "es_hsd": lambda row: row["es_hsd"],
}
PAIRED = [row for row in rows("paired", "hsd") if row.values[2] in EXACT and ":" in row.values[1]]


def test_pairs(every_test: Any) -> None:
    assert len(PAIRED) > 100
    for row in PAIRED:
        section, case, quantity, expected, tolerance = row.values
        assert section in ("paired", "hsd")
        actual = EXACT[quantity](pair_of(every_test, case))
        assert actual == pytest.approx(expected, abs=tolerance + 1e-12), (case, quantity)


DRAWN = [
    row
    for row in rows("paired", "rthsd")
    if row.values[2] in ("boot_shift_student_asl_exact", "p_exact")
]


def test_pairs_by_drawing(every_test: Any) -> None:
    assert DRAWN
    for row in DRAWN:
        section, case, quantity, expected, tolerance = row.values
        test = {"paired": "bootstrap", "rthsd": "rthsd"}[section]
        assert (quantity == "p_exact") == (test != "bootstrap")
        assert tolerance == 1e-12
        actual = pair_of(every_test, case)["tests"][test]
        error = np.sqrt(expected * (1 - expected) / RESAMPLES)
        assert abs(actual["asl"] - expected) <= 4 * error + 1e-9, (case, test)
        assert actual["count"] == round(actual["asl"] * RESAMPLES)
        p = actual["corrected" if section != "paired" else "p"]
        assert p == pytest.approx((actual["count"] + 1) / (RESAMPLES + 1))


WRONG = [row for row in rows("hsd") if row.values[2] == "p_oneway_WRONG"]


def test_topics_are_never_left_out_of_an_hsd(every_test: Any) -> None:
    assert WRONG
    for row in WRONG:
        _, case, _, wrong, tolerance = row.values
        for actual in pair_of(every_test, case)["tests"].values():
            for p in (actual["p"], actual["corrected"]):
                assert p is None or abs(p - wrong) > 100 * tolerance, case


ANOVA_FACTS = {
    "ss": "ss", "df": "df", "ms": "ms", "F": "f", "p": "p", "omega2p": "partial_omega_2",
    "eta2p": "partial_eta_2",
}  # fmt: skip
SOURCES = {"system": "runs", "topic": "topics", "error": "error"}
ANOVA = [row for row in rows("anova") if row.values[2] != "ms_error_oneway"]


def test_anova(every_test: Any) -> None:
    assert ANOVA
    for row in ANOVA:
        _, case, quantity, expected, tolerance = row.values
        fact, _, source = quantity.partition("_")
        (found,) = (r for r in every_test[case]["anova"] if r["source"] == SOURCES[source])
        assert found[ANOVA_FACTS[fact]] == pytest.approx(expected, abs=tolerance), (case, quantity)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # p of permutation .06591796875 (X-Y), .1446075439453125 (X-Z), .62353515625 (Y-Z)
        (("--test=permutation",), [0.19775390625, 0.289215087890625, 0.62353515625]),
        (("--test=permutation", "--correction=bonferroni"),
         [0.19775390625, 0.4338226318359375, 1.0]),
        (("--test=permutation", "--correction=bh"),
         [0.19775390625, 0.21691131591796875, 0.62353515625]),
        (("--test=permutation", "--correction=none"),
         [0.06591796875, 0.1446075439453125, 0.62353515625]),
        (("--test=wilcoxon", "--zeros=wilcox", "--correction=none"),
         [0.04034423828125, 0.184906005859375, 0.781097412109375]),
    ],
)  # fmt: skip
def test_corrections(tmp_path: Path, options: tuple[str, ...], expected: list[float]) -> None:
    ran = irev("compare", "--format=json", *options, write(tmp_path, "F1"))
    data = [next(iter(p["tests"].values()))["corrected"] for p in json.loads(ran.out)["pairs"]]
    assert data == pytest.approx(expected, abs=1e-12)


def test_max_t(tmp_path: Path) -> None:
    path = write(tmp_path, "F2")
    ran = irev(
        "compare", "--format=csv", "--baseline=D", "--test=permutation", "--correction=maxt", path
    )
    frame = pd.read_csv(io.BytesIO(ran.out))
    assert frame["run"].tolist() == ["A", "B", "C"]
    assert frame["corrected_permutation"].tolist() == [0.0078125, 0.09375, 0.125]


TABLE = """\
1 of 6 pairs differs significantly; best: A, not significantly better than B, C (F2, 8 topics)

4 runs on 8 topics; judged topics that a run lacks count as 0
test: paired permutation test, exact
family: 6 hypotheses, 6 pairs x 1 measure; corrected by Holm
alpha 0.05, two-sided; * marks p <= alpha
intervals of means: 95% t, not simultaneous
intervals of differences: 95% t, simultaneous for all 6 (Bonferroni, 99.1667% each); the interval is wider than the test needs, so * may stand beside an interval that contains 0
signature: SIGNATURE

F2 (8 topics)

run      mean     low    high  groups      missing
-----  ------  ------  ------  --------  ---------
A      0.5188  0.2710  0.7665  a                 0
B      0.4062  0.2022  0.6103  ab                0
C      0.3625  0.2181  0.5069  ab                0
D      0.2687  0.1077  0.4298  b                 0

run    against      difference      low    high     d_z    p permutation    holm        n    w/t/l
-----  ---------  ------------  -------  ------  ------  ---------------  ------  --  ---  -------
A      B                0.1125  -0.0402  0.2652  0.9472           0.0625  0.3125        8    6/1/1
A      C                0.1562  -0.0595  0.3720  0.9310           0.0625  0.3125        8    6/1/1
A      D                0.2500   0.0618  0.4382  1.7078           0.0078  0.0469   *    8    8/0/0
B      C                0.0438  -0.1295  0.2170  0.3246           0.5000  0.5000        8    4/0/4
B      D                0.1375  -0.0530  0.3280  0.9278           0.0625  0.3125        8    6/1/1
C      D                0.0938  -0.0795  0.2670  0.6955           0.1250  0.3125        8    5/0/3

Runs in the same group do not differ significantly; that does not make them equal.
"""  # noqa: E501 - as it is printed


def test_the_table(tmp_path: Path) -> None:
    # the numbers are scipy's (stats.t.interval(1 - 0.05 / 6, ...)), p that of all 256 patterns
    ran = irev("compare", "--details", "--test=permutation", write(tmp_path, "F2"))
    lines = ran.out.decode().splitlines()
    shown = ["signature: SIGNATURE" if x.startswith("signature: ") else x for x in lines]
    assert "\n".join(shown) + "\n" == TABLE
    assert ran.err == ""


@cache
def sample(*arguments: str, measures: tuple[str, ...] = ("-mmap",)) -> Ran:
    return irev("compare", *measures, *arguments, cwd=SAMPLE)


RUNS = ("bm25.run", "rm3.run", "fusion.run")


@pytest.mark.parametrize("form", ["table", "json"])
def test_the_order_of_runs_and_threads_change_no_byte(form: str) -> None:
    tests = ("--test=permutation", "--test=bootstrap", "--test=rthsd", "--resamples=3000")
    arguments = (*tests, "--ci=bca", "--per-topic", f"--format={form}")
    one = sample(*arguments, "--threads=1", "qrels.txt", *RUNS)
    other = sample(*arguments, "--threads=3", "qrels.txt", *RUNS[::-1])
    assert one.code == 0
    assert (one.out, one.err) == (other.out, other.err)


def missing_a_topic(folder: Path) -> list[str]:
    lines = (SAMPLE / "bm25.run").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "short.run").write_text(
        "".join(x for x in lines if x.split()[0] != "10"), encoding="utf-8"
    )
    return [str(SAMPLE / "qrels.txt"), str(SAMPLE / "rm3.run"), str(folder / "short.run")]


@pytest.mark.parametrize("form", ["markdown", "json", "csv"])
def test_missing_topics_count_as_0_and_are_listed(tmp_path: Path, form: str) -> None:
    ran = irev("compare", f"--format={form}", *missing_a_topic(tmp_path))
    line = "short lacks 1 of 12 judged topics, which counts as 0: 10"
    assert line in (ran.err if form in ("json", "csv") else ran.out.decode())
    if form == "json":
        data = json.loads(ran.out)
        assert data["missing_count_as_zero"] is True
        assert {run["run"]: run["missing"] for run in data["runs"]} == {
            "rm3": [], "short": ["10"],
        }  # fmt: skip
    if form == "csv":
        assert pd.read_csv(io.BytesIO(ran.out))["missing_as_zero_against"].tolist() == [1]


def test_csv_and_json_say_the_same() -> None:
    arguments = ("--test=t", "--test=permutation", "qrels.txt", *RUNS)
    measures = ("-mmap", "-mP.5")
    text = sample("--format=csv", *arguments, measures=measures).out.decode()
    table = list(csv.DictReader(io.StringIO(text)))
    data = json.loads(sample("--format=json", *arguments, measures=measures).out)
    assert len(table) == len(data["pairs"]) == 6
    for row, pair in zip(table, data["pairs"], strict=True):
        for name in ("run", "against", "measure", "difference", "low", "high", "d_z", "n"):
            assert row[name] == str(pair[name])
        for test, facts in pair["tests"].items():
            for fact, value in facts.items():
                assert row[f"{fact}_{test}"] == str(value)
        assert row["signature"] == data["signature"]["short"]
    assert data["comparison"]["hypotheses"] == 6
    assert data["signature"]["scores"]["qrels"] == data["runs"][0]["signature"]["qrels"]
    assert [mean["run"] for mean in data["means"][:3]] == ["fusion", "rm3", "bm25"]


def test_csv_by_topic_and_of_the_anova() -> None:
    arguments = ("--format=csv", "--baseline=bm25.run", "qrels.txt", *RUNS)
    topics = pd.read_csv(io.BytesIO(sample("--per-topic", *arguments).out), keep_default_na=False)
    assert len(topics) == 2 * 12
    for _, of_pair in topics.groupby("run"):
        assert of_pair["difference"].is_monotonic_decreasing
    assert {"007", "1e5", "NA"} <= set(topics["topic"])
    expected = topics["score"] - topics["score_against"]
    assert topics["difference"].to_numpy() == pytest.approx(expected.to_numpy())
    anova = pd.read_csv(io.BytesIO(sample("--anova", *arguments).out))
    assert anova["source"].tolist() == ["runs", "topics", "error"]
    both = sample("--anova", "--per-topic", *arguments)
    assert (both.code, both.out) == (2, b"")
    assert "csv holds one table" in both.err


def odd_names(folder: Path) -> Path:
    scores, _ = matrix("F2")
    path = folder / "a_measure.csv"
    pd.DataFrame(scores[:, :2], columns=["a_b&100%", "c|<d>$"]).to_csv(path, index=False)
    return path


def test_latex_is_escaped(tmp_path: Path) -> None:
    out = irev("compare", "--format=latex", odd_names(tmp_path)).out.decode()
    lines = [line for line in out.splitlines() if line and not line.startswith("%")]
    assert lines.count(r"\begin{tabular}{lrrrlr}") == 1
    assert out.count(r"\begin{tabular}") == out.count(r"\end{tabular}") == 2
    assert r"a\_b\&100\%" in out
    assert r"c|\ensuremath{<}d\ensuremath{>}\$" in out
    widths = {line.count("&") - line.count(r"\&") for line in lines if line.endswith(r"\\")}
    assert widths == {5, 10}


def test_a_bracket_or_star_begins_no_argument_in_latex(tmp_path: Path) -> None:
    """A star behind the end of a row belongs to it, and would be lost."""
    path = tmp_path / "m.csv"
    path.write_text("topic,[1]x,*y,z\n1,.1,.2,.3\n2,.3,.5,.6\n", encoding="utf-8")
    out = irev("compare", "--format=latex", path).out.decode()
    assert "\n {[}1]x " in out
    assert "\n {*}y " in out
    assert "\n [" not in out
    assert "\n *" not in out


def test_markdown_is_escaped(tmp_path: Path) -> None:
    out = irev("compare", "--format=markdown", odd_names(tmp_path)).out.decode()
    assert r"c\|\<d\>\$" in out
    assert "### a_measure (8 topics)" not in out
    whole = irev("compare", "--details", "--format=markdown", odd_names(tmp_path)).out.decode()
    assert "### a_measure (8 topics)" in whole
    path = tmp_path / "m.csv"
    path.write_text("topic,__init__,a_b,__x_\n1,.1,.2,.3\n2,.3,.5,.6\n", encoding="utf-8")
    out = irev("compare", "--format=markdown", path).out.decode()
    # CommonMark: between letters an underscore is one, elsewhere it may begin or end emphasis
    assert all(f"| {name} " in out for name in (r"\_\_init\_\_", "a_b", r"\_\_x\_"))


def test_classes_and_weights(tmp_path: Path) -> None:
    (tmp_path / "classes").write_text(
        "1 odd\n2 even\n3 odd\n7 odd\n9 odd\n10 even\n20 even\n", encoding="utf-8"
    )
    judged = {
        line.split()[0] for line in (SAMPLE / "qrels.txt").read_text(encoding="utf-8").splitlines()
    }
    (tmp_path / "weights").write_text(
        "".join(f"{topic} 2\n" for topic in sorted(judged)), encoding="utf-8"
    )
    folder = ("--group-by", str(tmp_path / "classes"), "--format=json", "qrels.txt", *RUNS)
    data = json.loads(sample(*folder).out)
    assert data["comparison"]["hypotheses"] == 9
    assert [row["class"] for row in data["pairs"]] == [""] * 3 + ["odd"] * 3 + ["even"] * 3
    assert [row["n"] for row in data["pairs"]] == [12] * 3 + [4] * 3 + [3] * 3
    weighted = json.loads(sample("--topic-weights", str(tmp_path / "weights"), *folder).out)
    # equal weights weigh nothing
    assert [row["mean"] for row in weighted["means"]] == pytest.approx(
        [row["mean"] for row in data["means"]]
    )
    assert any("topics have weights" in note for note in weighted["notes"])


@pytest.mark.parametrize("option", ["--group-by", "--topic-weights", "--topics", "--pool"])
def test_no_input_is_written_over(tmp_path: Path, option: str) -> None:
    path = tmp_path / "more"
    path.write_text("301 1\n", encoding="utf-8")
    ran = sample(option, str(path), "--output", str(path), "qrels.txt", *RUNS)
    assert (ran.code, path.read_text(encoding="utf-8")) == (2, "301 1\n")
    assert "would overwrite an input file" in ran.err
    qrels = tmp_path / "qrels.txt"
    qrels.write_bytes((SAMPLE / "qrels.txt").read_bytes())
    ran = sample("--output", str(qrels), str(qrels), *RUNS)
    assert (ran.code, qrels.read_bytes()) == (2, (SAMPLE / "qrels.txt").read_bytes())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give qrels and runs"),
        (("qrels.txt", "bm25.run", "absent.run"), "absent.run"),
        (("qrels.txt", "bm25.run", "bm25.run"), "two runs are called bm25:"),
        (("-m", "nonsense", "qrels.txt", *RUNS), "nonsense"),
        (("--topics=run", "qrels.txt", *RUNS), "--topics run"),
    ],
)
def test_wrong_calls(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    path = tmp_path / "out"
    ran = irev("compare", "--output", path, *arguments, cwd=SAMPLE)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert not path.exists()


def test_matrices_of_other_scores_have_another_signature(tmp_path: Path) -> None:
    short = []
    for score in ("0.1", "0.2"):
        path = tmp_path / "m.csv"
        path.write_text(f"topic,x,y\n1,{score},.2\n2,.3,.5\n", encoding="utf-8")
        short.append(json.loads(irev("compare", "--format=json", path).out)["signature"]["short"])
    assert short[0] != short[1]


def test_a_file_that_holds_neither_runs_nor_scores(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("1,.1,.2\n2,.3,.4\n", encoding="utf-8")
    ran = irev("compare", path)
    assert (ran.code, ran.out) == (2, b"")
    assert "m.csv contains no saved scores, and no run was given" in ran.err


def test_a_table_with_semicolons_gets_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("topic;A;B\n1;0,5;0,4\n2;0,6;0,3\n", encoding="utf-8")
    ran = irev("compare", path)
    assert (ran.code, ran.out) == (2, b"")
    assert "write commas between columns, and points in decimal numbers" in ran.err


def paper(*arguments: str) -> str:
    has_test = any(each.startswith("--test=") for each in arguments)
    test = () if has_test else ("--test=permutation",)
    asked = ("--layout=paper", *test, *arguments, "qrels.txt", *RUNS)
    ran = sample(*asked, measures=("-mmap", "-mP.5"))
    assert ran.code == 0, ran.err
    return ran.out.decode()


# of map every pair differs, of P_5 fusion and bm25 alone: those of the full layout whose
# p by Holm over six are 0.0029, 0.0059, 0.0059 and 0.0176
PAPER = """\
    run     map               P_5
--  ------  ----------------  ----------------
a   fusion  *0.7361*^bc       *0.8833*^c
            [0.5872, 0.8850]  [0.6999, 1.0000]
b   rm3     0.4385^c          0.7500
            [0.3437, 0.5334]  [0.5693, 0.9307]
c   bm25    0.3501            0.6500
            [0.2659, 0.4342]  [0.4956, 0.8044]

Means over 12 topics (topics that a run lacks count as 0), each with its 95% t
interval below it; best in bold. Letters: significantly better than the run with
that letter, p <= 0.05 by the paired permutation test, exact, two-sided,
corrected by Holm (6 hypotheses, 3 pairs x 2 measures). The largest significant
p is 0.0176; the smallest other p is 0.1094. Note: map: the differences of runs
are skewed (mean absolute skewness 1.38): with 12 topics permutation may reject
too often. irev """


def test_the_table_of_a_paper() -> None:
    actual = paper("--test=permutation")
    assert actual.startswith(PAPER)
    version, output = actual[len(PAPER) :].split("\n\n")
    key, signature = output.rstrip("\n").removeprefix("signature ").split(": ", 1)
    assert key == hashlib.sha256(signature.partition("|")[2].encode()).hexdigest()[:8]
    assert version == f"{irev_package.__version__}, signature {key}."
    assert signature.startswith(f"irev:{irev_package.__version__}|m:map,P_5|")


def test_letters_are_of_the_baselines_alone() -> None:
    rows = [line.split() for line in paper("--baseline=rm3.run").splitlines()[2:8:2]]
    assert rows == [
        ["a", "rm3", "0.4385", "0.7500"],
        ["fusion", "*0.7361*^a", "*0.8833*"],
        ["bm25", "0.3501_a", "0.6500"],
    ]


def table_rows_of_a_paper(*arguments: str) -> list[list[str]]:
    """The rows of the runs, as words."""
    return [line.split() for line in paper(*arguments).splitlines()[2:8:2]]


def test_the_heading_tells_the_intervals_of_means_from_those_of_differences(tmp_path: Path) -> None:
    path = "--details", write(tmp_path, "F2")
    table = irev("compare", "--ci=hall", "--test=t", *path).out.decode()
    assert "intervals of means: 95% skewness-corrected (Hall 1992), not simultaneous\n" in table
    assert "intervals of differences: 95% t, simultaneous for all 6 (Bonferroni, " in table
    # those of the differences are as beside t
    of_t = irev("compare", "--test=t", *path).out.decode()
    assert table.partition("\nrun    against")[2] == of_t.partition("\nrun    against")[2] != ""
    alone = irev("compare", "--ci=hall", "--test=t", "--correction=none", *path).out.decode()
    assert "intervals of differences: 95% t, not simultaneous\n" in alone
    moderated = irev("compare", "--ci=hall", *path).out.decode()
    assert "intervals of differences: 95% moderated t, simultaneous for all 6" in moderated
    of_hsd = irev("compare", "--ci=hall", "--test=hsd", *path).out.decode()
    assert "intervals of differences: 95%, simultaneous for all pairs of a measure" in of_hsd
    caption = " ".join(paper("--ci=hall").split())
    assert "each with its 95% skewness-corrected (Hall 1992) interval below it" in caption


def test_endless_intervals_are_told(tmp_path: Path) -> None:
    path = tmp_path / "rr.csv"
    scores = (1, 0, 0.5, 0, 0, 0, 0, 1, 0, 0)
    rows = "".join(f"t{number},{score},0\n" for number, score in enumerate(scores))
    path.write_text(f"topic,A,B\n{rows}", encoding="utf-8")
    ran = irev("compare", "--test=t", "--ci=bootstrap-t", str(path))
    assert "rr: 1 of 2 bootstrap-t intervals of means has an infinite end" in ran.err
    assert "rr: 1 of 1 bootstrap-t intervals of differences has an infinite end" in ran.err
    board = irev("leaderboard", "--details", "--ci=bootstrap-t", str(path)).out.decode()
    assert "\nrr: 1 of 2 bootstrap-t intervals of means has an infinite end" in board
    for ci in ("t", "hall", "bca"):
        assert "infinite end" not in irev("compare", "--test=t", f"--ci={ci}", str(path)).err


def test_losses_against_baselines_stand_below_and_gains_above() -> None:
    both = ("--baseline=rm3.run", "--baseline=fusion.run")
    assert table_rows_of_a_paper(*both) == [
        ["a", "rm3", "0.4385_b", "0.7500"],
        ["b", "fusion", "*0.7361*^a", "*0.8833*"],
        ["bm25", "0.3501_ab", "0.6500_b"],
    ]
    assert table_rows_of_a_paper(*both, "--tail=greater") == [
        ["a", "rm3", "0.4385", "0.7500"],
        ["b", "fusion", "*0.7361*^a", "*0.8833*"],
        ["bm25", "0.3501", "0.6500"],
    ]
    assert table_rows_of_a_paper(*both, "--tail=less") == [
        ["a", "rm3", "0.4385", "0.7500"],
        ["b", "fusion", "*0.7361*", "*0.8833*"],
        ["bm25", "0.3501_ab", "0.6500_b"],
    ]
    for tail, side, other in (("greater", "above", "below"), ("less", "below", "above")):
        caption = " ".join(paper(*both, f"--tail={tail}").split())
        assert f"Letters {side}: significantly" in caption
        assert f"{other}:" not in caption


def test_forms_of_losses() -> None:
    against = "--baseline=fusion.run"
    assert r"0.4385\textsubscript{a}" in paper(against, "--format=latex")
    assert "0.4385<sub>a</sub></td>" in paper(against, "--format=html")
    assert "0.4385<sub>a</sub>" in paper(against, "--format=markdown")
    table = list(csv.DictReader(io.StringIO(paper(against, "--format=csv"))))
    letters = {row["run"]: (row["better_than"], row["worse_than"]) for row in table[:3]}
    assert letters == {"fusion": ("", ""), "rm3": ("", "a"), "bm25": ("", "a")}


def test_the_caption_of_a_paper_has_the_notes() -> None:
    caption = " ".join(paper("--test=t", "--test=wilcoxon").split())
    assert (
        "Note: map: the differences of runs are skewed (mean absolute skewness 1.38): with 12 "
        "topics t may reject too often. "
    ) in caption
    assert "Note: the Wilcoxon signed rank test does not test means" in caption
    assert "--test" not in caption


def test_a_test_corrected_in_itself_is_signed_without_a_correction() -> None:
    def signed(*tests: str) -> str:
        out = sample("--details", *tests, "qrels.txt", *RUNS, measures=("-mmap",)).out.decode()
        return next(line for line in out.splitlines() if line.startswith("signature"))

    assert "|tests:hsd|correction:-|hypotheses:3|" in signed("--test=hsd")
    assert "|tests:hsd,rthsd|correction:-|" in signed("--test=hsd", "--test=rthsd")
    assert "|tests:hsd,t|correction:holm|" in signed("--test=hsd", "--test=t")
    of_hsd = sample("--test=hsd", "--format=json", "qrels.txt", *RUNS, measures=("-mmap",))
    assert json.loads(of_hsd.out)["comparison"]["correction"] is None


def test_forms_of_the_table_of_a_paper() -> None:
    latex = paper("--format=latex")
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 1
    assert r"\textbf{0.7361}\textsuperscript{bc}" in latex
    assert r"\label{tab:runs}" in latex
    assert r"95\% t interval" in latex
    assert r"p \ensuremath{\leq} 0.05" in latex
    lines = latex.splitlines()
    caption = next(line for line in lines if line.startswith(r"\caption{"))
    assert caption.count("{") == caption.count("}")
    assert len(caption) < 600
    assert lines[1].startswith("% signature ")
    assert lines[1].split()[2][:8] in caption
    assert "**0.7361**<sup>bc</sup>" in paper("--format=markdown")
    assert "<strong>0.7361</strong><sup>bc</sup></td>" in paper("--format=html")
    table = list(csv.DictReader(io.StringIO(paper("--format=csv"))))
    beaten = {(row["measure"], row["run"]): row["better_than"] for row in table}
    assert beaten["map", "fusion"] == "b c"
    assert beaten["P_5", "rm3"] == ""
    data = json.loads(paper("--format=json"))
    assert [row["best"] for row in data["paper"]] == [True, False, False] * 2
    assert len(data["pairs"]) == 6


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--per-topic",), "leave out --per-topic and --anova"),
        (("--predicted=qrels.txt",), "leave out --layout paper"),
    ],
)
def test_what_does_not_go_into_a_paper(more: tuple[str, ...], message: str) -> None:
    ran = sample("--layout=paper", *more, "qrels.txt", *RUNS)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def decisions(folder: Path, *arguments: str) -> Any:
    asked = ("--margin=0.2", "--better-by=0.05", "--risk=1", "--risk=5", "--format=json")
    ran = irev("compare", *asked, *arguments, write(folder, "F2"))
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_decisions(tmp_path: Path) -> None:
    folder = decisions(tmp_path, "--baseline=B")
    rows = {row["run"]: row for row in folder["pairs"]}
    # scipy's TOST of A - B; the other pairs' p are .13 and .58, so Holm takes three times this
    assert rows["A"]["p_equivalent"] == pytest.approx(0.03783576714)
    assert rows["A"]["p_not_worse"] == pytest.approx(7.211069055e-05)
    assert rows["A"]["p_not_worse_corrected"] == pytest.approx(3 * 7.211069055e-05)
    assert rows["A"]["equal_within"] == pytest.approx(0.1920586064)
    # 80% power at 0.05 / 3: P(|T'(7, d sqrt(8) / s)| > t(1 - 0.05 / 6, 7)) of scipy
    scores, _ = matrix("F2")
    shift = math.sqrt(8) * rows["A"]["detectable"] / (scores[:, 0] - scores[:, 1]).std(ddof=1)
    least = stats.t.ppf(1 - 0.05 / 6, 7)
    power = stats.nct.sf(least, 7, shift) + stats.nct.cdf(-least, 7, shift)
    assert power == pytest.approx(0.8, abs=1e-9)
    assert rows["A"]["better"] == pytest.approx(48271 / 50400, abs=0.006)
    assert rows["C"]["urisk(5)"] == pytest.approx(-0.41875)
    assert rows["C"]["trisk(1)"] == pytest.approx(-1.396907782)
    means = {row["run"]: row for row in folder["means"]}
    assert means["C"]["georisk(5)"] == pytest.approx(0.3866710974)
    assert "|margin:0.2|better_by:0.05|risk:1.0,5.0|" in folder["signature"]["short"]
    by_n = decisions(tmp_path, "--baseline=B", "--risk-sd=n")["pairs"]
    assert [row["trisk(1)"] for row in by_n if row["run"] == "C"] == pytest.approx([-1.493357235])


def test_decisions_on_all_pairs(tmp_path: Path) -> None:
    folder = decisions(tmp_path)
    assert "urisk(1)" not in folder["pairs"][0]
    assert "zrisk(1)" in folder["means"][0]
    out = irev("compare", "--margin=0.2", write(tmp_path, "F2")).out.decode()
    assert "detectable" in out
    assert "P(better)" not in out


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--margin=0", "--margin must be above 0, not 0"),
        ("--better-by=-1", "--better-by must be 0 or more, not -1"),
        ("--risk=-1", "--risk must be 0 or more, not -1"),
    ],
)
def test_decisions_that_make_no_sense(tmp_path: Path, option: str, message: str) -> None:
    ran = irev("compare", option, write(tmp_path, "F2"))
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_risk_has_no_weights(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    topics = {
        line.split()[0] for line in (SAMPLE / "qrels.txt").read_text(encoding="utf-8").splitlines()
    }
    weights.write_text("".join(f"{topic} 2\n" for topic in topics), encoding="utf-8")
    ran = sample("--risk=1", "--topic-weights", weights, "qrels.txt", *RUNS)
    assert (ran.code, ran.out) == (2, b"")
    assert "risk counts topics equally: leave out --risk or --topic-weights" in ran.err
    assert sample("--topic-weights", weights, "qrels.txt", *RUNS).code == 0


def test_lower_is_better_for_decisions() -> None:
    arguments = (
        "--margin=.05",
        "--better-by=.01",
        "--risk=1",
        "--baseline=bm25.run",
        "--format=json",
    )
    measures = ("-mSetF(beta=1)", "-mSetE(beta=1)")
    data = json.loads(sample(*arguments, "qrels.txt", *RUNS, measures=measures).out)
    up, down = ([r for r in data["pairs"] if r["measure"] == m[2:]] for m in measures)
    for name in ("p_equivalent", "p_not_worse", "better", "worse", "urisk(1)", "trisk(1)"):
        assert [row[name] for row in up] == pytest.approx([row[name] for row in down])
    has = {r["measure"]: r["zrisk(1)"] is not None for r in data["means"]}
    assert has == {"SetF(beta=1)": True, "SetE(beta=1)": False}
    table = sample("--risk=1", "qrels.txt", *RUNS, measures=measures).out.decode()
    assert table.count("    georisk(1)\n") == 1
    assert "nan" not in table
