"""`irev study correlation`: how alike measures and judgments order the same runs."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import matplotlib.colors
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

from irev import evaluate, studies
from irev.cli.commands import irev
from irev.core.draws import topic_draws
from irev.core.judged import Column
from irev.engine.score_runs import score_runs
from irev.errors import MismatchError, UsageError
from irev.jobs.compare.comparison import CompareOptions, compare_table
from irev.jobs.leaderboard.teams import best_of_teams
from irev.jobs.plots.plot import run_means_scatter_figure
from irev.jobs.result import StudyResult
from irev.jobs.studies.correlation import (
    CorrelationOptions,
    Sweep,
    add_options,
    correlate_criteria,
    make_sweep_lines,
)
from irev.jobs.studies.criteria import (
    Criterion,
    criteria_of,
    run_indices_best_first,
    select_common_topics,
    top_runs,
)
from irev.options import Options, ScoringOptions
from irev.scores.table import RunInfo, ScoreTable
from tests.each import for_each
from tests.files import SAMPLE
from tests.real_data import MATRICES, needs_real_data, real_matrix

QRELS = str(SAMPLE / "qrels.txt")
RUNS = [str(SAMPLE / name) for name in ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")]

TOPICS, SYSTEMS = 25, 9
NAMES = [f"run{number}" for number in range(SYSTEMS)]


def made(seed: int, places: int = 6) -> np.ndarray[Any, Any]:
    """Scores of runs that differ, rounded so that few places give ties."""
    generator = np.random.default_rng(seed)
    ability = np.linspace(0.2, 0.6, SYSTEMS)
    scores = np.clip(ability + generator.normal(0, 0.15, (TOPICS, SYSTEMS)), 0, 1)
    return np.round(scores, places)


def study_of(*scores: np.ndarray[Any, Any], **fields: Any) -> StudyResult:
    criteria = [Criterion(f"m{number}", each) for number, each in enumerate(scores)]
    return correlate_criteria(criteria, NAMES, CorrelationOptions(**fields))


def call(*arguments: str, form: str = "json") -> tuple[int, Any, str]:
    words = ["study", "correlation", *arguments, "--format", form]
    outcome = CliRunner().invoke(irev, words)
    is_read = form == "json" and outcome.exit_code == 0
    out = json.loads(outcome.stdout) if is_read else outcome.stdout
    return outcome.exit_code, out, outcome.stderr


# --- coefficients ---


def tau_ap_by_hand(truth: np.ndarray[Any, Any], estimate: np.ndarray[Any, Any]) -> float:
    """Of untied means: walk down the estimate and count what is rightly above."""
    down = np.argsort(-estimate)
    total = 0.0
    for rank in range(1, len(down)):
        above = sum(truth[down[place]] > truth[down[rank]] for place in range(rank))
        total += above / rank
    return 2 * total / (len(down) - 1) - 1


def test_coefficients_are_those_of_scipy() -> None:
    one, other = made(1), made(2)
    row = study_of(one, other).tables["pairs"].iloc[0]
    x, y = one.mean(axis=0), other.mean(axis=0)
    exact = stats.kendalltau(x, y, method="exact")
    assert row["tau_b"] == pytest.approx(exact.statistic, abs=1e-12)
    assert row["tau_a"] == row["tau_b"]
    assert row["p"] == pytest.approx(exact.pvalue, rel=1e-9)
    assert row["p is"] == "exact"
    assert row["tau_AP"] == pytest.approx(tau_ap_by_hand(x, y), abs=1e-12)
    assert row["rho"] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert row["r"] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert row["rms"] == pytest.approx(math.sqrt(np.mean((x - y) ** 2)), abs=1e-15)


def test_ties_are_named_and_never_broken() -> None:
    one, other = made(1), made(2)
    other[:, 3] = other[:, 2]
    record = study_of(one, other)
    row = record.tables["pairs"].iloc[0]
    x, y = one.mean(axis=0), other.mean(axis=0)
    y[3] = y[2]
    assert row["tau_b"] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    pairs = SYSTEMS * (SYSTEMS - 1) / 2
    signs = [np.sign((x[i] - x[j]) * (y[i] - y[j])) for i, j in combinations(range(SYSTEMS), 2)]
    assert row["tau_a"] == pytest.approx(sum(signs) / pairs, abs=1e-12)
    assert row["p is"] == "normal"
    # the mean over both ways to break the one tie
    ways = [y + np.where(np.arange(SYSTEMS) == place, 1e-6, 0) for place in (2, 3)]
    by_hand = np.mean([tau_ap_by_hand(x, way) for way in ways])
    assert row["tau_AP"] == pytest.approx(by_hand, abs=1e-12)
    assert any("tau_AP,a" in note and "tau_AP,b" in note for note in record.notes)
    assert not any("tau_AP,a" in note for note in study_of(one, made(2)).notes)


def test_from_which_tau_on() -> None:
    """Sakai (2006): over 0.34 for 30 runs at 1%; exactly it is 145/435."""
    generator = np.random.default_rng(1)
    criteria = [Criterion(name, generator.random((5, 30))) for name in ("one", "other")]
    names = [f"run{n:02}" for n in range(30)]
    record = correlate_criteria(criteria, names, CorrelationOptions(alpha=0.01))
    said = "tau is significant at alpha=0.01 from 0.3333 on (exact p=0.0093, two-sided)"
    assert said in record.notes
    few = correlate_criteria(
        [Criterion(c.name, c.scores[:, :3]) for c in criteria], names[:3], CorrelationOptions()
    )
    assert "no tau of 3 runs is significant at alpha=0.05" in few.notes


def test_matrices_have_1_on_the_diagonal_and_tau_is_symmetric() -> None:
    record = study_of(made(1), made(2), made(3))
    for name, is_symmetric in (("tau_b", True), ("tau_AP", False)):
        table = record.tables[name]
        assert list(table.columns) == [name, "m0", "m1", "m2"]
        cells = table.iloc[:, 1:].to_numpy()
        assert np.diag(cells) == pytest.approx(np.ones(3))
        assert np.allclose(cells, cells.T) == is_symmetric
    # the row is the truth
    x, y = made(1).mean(axis=0), made(3).mean(axis=0)
    tau_ap = record.tables["tau_AP"]
    assert tau_ap.loc[0, "m2"] == pytest.approx(tau_ap_by_hand(x, y), abs=1e-12)
    assert tau_ap.loc[2, "m0"] == pytest.approx(tau_ap_by_hand(y, x), abs=1e-12)


def test_less_is_better_is_turned_round() -> None:
    scores = made(1)
    criteria = [Criterion("up", scores), Criterion("down", -scores, higher_is_better=False)]
    row = correlate_criteria(criteria, NAMES, CorrelationOptions()).tables["pairs"].iloc[0]
    assert (row["tau_b"], row["tau_AP"], row["r"]) == pytest.approx((1, 1, 1))
    # but the error is one of the means themselves
    assert row["rms"] == pytest.approx(2 * math.sqrt(np.mean(scores.mean(axis=0) ** 2)))


def test_bootstrap_resamples_topics_for_both_alike() -> None:
    one, other = made(1), made(2)
    table = study_of(one, other, resamples=60, seed=3, alpha=0.1).tables["intervals"]
    drawn = [
        stats.kendalltau(one[sample].mean(axis=0), other[sample].mean(axis=0)).statistic
        for sample in topic_draws(3, 60, TOPICS)
    ]
    row = table[table["coefficient"] == "tau_b"].iloc[0]
    assert row["se"] == pytest.approx(np.std(drawn, ddof=1), abs=1e-12)
    drawn.sort()
    assert (row["low"], row["high"]) == pytest.approx((drawn[2], drawn[56]), abs=1e-12)
    assert (row["resamples"], row["seed"], row["level"]) == (60, 3, 0.9)


# --- conclusions ---


def holm(p: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Step down, by the definition."""
    corrected = np.empty(len(p))
    running = 0.0
    for place, number in enumerate(np.argsort(p)):
        running = max(running, (len(p) - place) * p[number])
        corrected[number] = min(1.0, running)
    return corrected


@pytest.mark.parametrize(
    ("test", "correction"), [("t", "holm"), ("t", "none"), ("wilcoxon", "holm")]
)
def test_significant_swaps(test: str, correction: str) -> None:
    p_of = {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test]
    one = made(1)
    other = one.copy()
    other[:, [0, SYSTEMS - 1]] = other[:, [SYSTEMS - 1, 0]]
    other[:, 4] = made(5)[:, 4]
    pairs = list(combinations(range(SYSTEMS), 2))
    kinds = {"AA": 0, "AD": 0, "PA": 0, "PD": 0, "neither": 0}
    ps = [np.array([p_of(m[:, i], m[:, j]).pvalue for i, j in pairs]) for m in (one, other)]
    if correction == "holm":
        ps = [holm(p) for p in ps]
    for number, (i, j) in enumerate(pairs):
        apart = [m[:, i].mean() - m[:, j].mean() for m in (one, other)]
        differs = apart[0] * apart[1] < 0
        found = sum(p[number] <= 0.05 for p in ps)
        kind = "neither" if not found else ("A" if found == 2 else "P") + ("D" if differs else "A")
        kinds[kind] += 1
    record = study_of(one, other, alpha=0.05, test=test, correction=correction)
    row = record.tables["conclusions"].iloc[0]
    assert {kind: row[kind] for kind in kinds} == kinds
    assert kinds["AD"] > 0
    said = f"n={TOPICS} topics, alpha=0.05, family of 36 pairs of runs, correction: {correction}"
    assert any(said in note for note in record.notes)
    assert any("differ significantly under both measures" in note for note in record.notes)


def test_the_tests_are_those_of_compare() -> None:
    """Its p of moderated t are held against limma, those of HSD against R."""
    one, other = made(1), made(5)
    for words in ({}, {"test": "moderated"}, {"test": "hsd"}, {"test": "sign", "alpha": 0.2}):
        significant = []
        for scores in (one, other):
            topics = tuple(f"{number:02}".encode() for number in range(TOPICS))
            runs = tuple(RunInfo(name, name) for name in NAMES)
            table = ScoreTable(topics, runs, (Column("m", "m"),), scores.T[None].swapaxes(1, 2))
            tests = [str(words.get("test", "moderated"))]
            choices: dict[str, Any] = {k: v for k, v in words.items() if k != "test"}
            found = compare_table(table, CompareOptions(tests=tests, **choices))
            stars = found.pairs[f"significant_{tests[0]}"].tolist()
            pairs = zip(found.pairs["run"], found.pairs["against"], stars, strict=True)
            significant.append({frozenset((a, b)) for a, b, star in pairs if star})
        record = study_of(one, other, **words)
        row = record.tables["conclusions"].iloc[0]
        assert row["AA"] + row["AD"] == len(significant[0] & significant[1])
        assert row["PA"] + row["PD"] == len(significant[0] ^ significant[1])
        assert len(significant[0]) > 0
    assert study_of(one, other, test="hsd").parameters["correction"] == "of the test itself"
    assert "significant: moderated paired t test (Smyth 2004), two-sided" in str(
        study_of(one, other)
    )
    assert "(10000 resamples, seed 0), two-sided" in str(study_of(one, other, test="rthsd"))


def test_the_best_runs_and_gaps() -> None:
    """Kendall's tau of the best runs alone, by scipy; tau_GAP by hand."""
    one, other = made(1), made(2)
    means = one.mean(axis=0), other.mean(axis=0)
    best = np.argsort(-means[0])[:4]
    row = study_of(one, other, tau_at=4).tables["pairs"].iloc[0]
    expected = stats.kendalltau(means[0][best], means[1][best]).statistic
    assert row["tau@4"] == pytest.approx(expected)
    assert study_of(one, other).tables["pairs"]["tau@10"][0] == pytest.approx(row["tau_b"])
    words = ["-m", "AP", "-m", "P@10", "--tau-at", "2"]
    code, out, _ = call(QRELS, *RUNS, *words)
    assert code == 0
    (row,) = out["tables"]["pairs"]
    assert {"tau@2", "tau_GAP"} <= row.keys()
    assert out["parameters"]["tau_at"] == 2
    assert call(QRELS, *RUNS, "--tau-at", "1")[0] == 2


# --- selections ---


def matrices_of(*measures: str, runs: list[str] | None = None) -> Any:
    return score_runs(QRELS, runs or RUNS, measures, ScoringOptions())


def test_selections_break_ties_by_name() -> None:
    found = matrices_of("AP")
    # from the weakest to the best: bm25, rm3, dense, fusion
    assert top_runs(found, 2, "AP").run_names == ("dense", "fusion")
    same = {name: {"1": {"d": 1.0, "e": 0.5}} for name in ("b", "a", "c")}
    paths = []
    for name, ranking in same.items():
        Path(f"{name}.run").write_text(
            "".join(f"1 Q0 {d} 1 {s} x\n" for d, s in ranking["1"].items()), encoding="utf-8"
        )
        paths.append(f"{name}.run")
    Path("one.qrels").write_text("1 0 d 1\n", encoding="utf-8")
    equal = score_runs("one.qrels", paths, ["AP"], ScoringOptions())
    assert top_runs(equal, 2, "AP").run_names == ("a", "b")
    teams = {"a": "x", "b": "x"}
    kept = best_of_teams(equal.run_names, run_indices_best_first(equal, "AP"), teams)
    assert [equal.run_names[number] for number in kept] == ["a", "c"]
    with pytest.raises(UsageError, match="no scores of Q"):
        top_runs(equal, 2, "Q")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_other_judgments_are_compared_on_common_topics() -> None:
    lines = Path(QRELS).read_text(encoding="utf-8").splitlines(keepends=True)
    Path("other.qrels").write_text(
        "".join(line for line in lines if line.split()[0] not in ("1", "2")), encoding="utf-8"
    )
    both = [score_runs(q, RUNS, ["AP"], ScoringOptions()) for q in (QRELS, "other.qrels")]
    kept, notices = select_common_topics(both)
    assert [len(each.topics) for each in kept] == [10, 10]
    assert [str(notice) for notice in notices] == [
        "2 topics are left out, because not all judgments have them"
    ]
    # the same judgments of these topics, so the same scores
    assert np.array_equal(kept[0].scores("AP"), kept[1].scores("AP"))
    with pytest.raises(MismatchError, match="runs must be the same"):
        select_common_topics([both[0], both[1].select_runs([0, 1])])
    code, out, err = call(QRELS, *RUNS, "-m", "AP", "--other-qrels", "other.qrels")
    assert code == 0
    (row,) = out["tables"]["pairs"]
    assert (row["measure"], row["with"]) == ("AP [qrels.txt]", "AP [other.qrels]")
    assert (row["tau_b"], row["rms"]) == pytest.approx((1, 0))
    assert "2 topics are left out" in err


# --- sweeps ---


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("Q", {"beta": "10"}, "Q(beta=10)"),
        ("nDCG@5,10", {"b": "2"}, "nDCG(b=2)@5,10"),
        ("Q(gain=exp)", {"beta": "1"}, "Q(gain=exp,beta=1)"),
        ("Q()@10", {"beta": "1", "gain": "3:2:1"}, "Q(beta=1,gain=3:2:1)@10"),
        ("Q", {}, "Q"),
    ],
)
def test_options_of_names(name: str, options: dict[str, str], expected: str) -> None:
    assert add_options(name, options) == expected


def test_sweeps_are_read() -> None:
    assert Sweep.parse("beta=0.1,1") == Sweep("beta", ("0.1", "1"))
    assert Sweep.parse("gain={1:1,2:5},3:2:1").values == ("{1:1,2:5}", "3:2:1")
    for text in ("beta", "beta=1", "=1,2", "beta=1,1", "beta=1,"):
        with pytest.raises(UsageError, match="two or more values"):
            Sweep.parse(text)


def test_references_follow_the_other_parameters() -> None:
    sweeps = [Sweep("beta", ("1", "10")), Sweep("gain", ("3:2:1", "10:5:1"))]
    lines = make_sweep_lines(["Q"], sweeps, ["AP", "Q(beta=1)"], Options())
    assert {(each.parameter, each.measure, each.reference) for each in lines} == {
        ("beta", "Q(gain=3:2:1)", "AP"),
        ("beta", "Q(gain=3:2:1)", "Q(beta=1,gain=3:2:1)"),
        ("beta", "Q(gain=10:5:1)", "AP"),
        ("beta", "Q(gain=10:5:1)", "Q(beta=1,gain=10:5:1)"),
        ("gain", "Q(beta=1)", "AP"),
        ("gain", "Q(beta=1)", "Q(beta=1)"),
        ("gain", "Q(beta=10)", "AP"),
        ("gain", "Q(beta=10)", "Q(beta=1)"),
    }
    with pytest.raises(UsageError, match="no requested measure"):
        make_sweep_lines(["AP"], [Sweep("beta", ("1", "2"))], [], Options())
    with pytest.raises(UsageError, match="already sets it"):
        make_sweep_lines(["Q(beta=1)"], [Sweep("beta", ("1", "2"))], [], Options())


def test_each_cutoff_has_a_line() -> None:
    words = ["-m", "nDCG@5,10", "--sweep", "b=2,5", "--against", "AP"]
    code, out, _ = call(QRELS, *RUNS, *words)
    assert code == 0
    found = [(row["measure"], row["as printed"]) for row in out["tables"]["sweep-b"]]
    assert found == [
        ("nDCG@5", "nDCG(b=2)@5"), ("nDCG@5", "nDCG(b=5)@5"),
        ("nDCG@10", "nDCG(b=2)@10"), ("nDCG@10", "nDCG(b=5)@10"),
    ]  # fmt: skip


def test_checks_of_sakai() -> None:
    # Q with beta 0 is AP; Q(beta=1) with itself gives 1
    wanted = ["-m", "Q", "--sweep", "beta=0,1,10", "--against", "AP", "--against", "Q(beta=1)"]
    code, out, _ = call(QRELS, *RUNS, *wanted)
    assert code == 0
    found = {(row["against"], row["beta"]): row for row in out["tables"]["sweep-beta"]}
    assert found["AP", "0"]["tau_b"] == 1
    assert found["AP", "0"]["rms"] == pytest.approx(0, abs=1e-15)
    assert found["Q(beta=1)", "1"]["tau_b"] == 1
    # AP does not depend on the gains: tau(AP, m) is tau of the same column under either ratio
    means = []
    for ratio in ("3:2:1", "10:5:1"):
        code, out, _ = call(QRELS, *RUNS, "-m", "AP", "-m", "Q", "--gains", ratio)
        assert code == 0
        means.append([row["AP"] for row in out["tables"]["means"]])
    assert means[0] == means[1]


def test_late_arrivals_are_listed() -> None:
    # relevant documents: 2 has 23, 007 24, 3 and NA 25, 1 and 9 at least 26
    code, _, err = call(QRELS, *RUNS, "-m", "AP", "-m", "nDCG(b=25)@1000")
    assert code == 0
    assert (
        "nDCG(b=25)@1000: up to rank 25 there is no discount, and 2 topics have fewer "
        "relevant documents (Sakai 2006): 007 (R=24), 2 (R=23)"
    ) in err
    _, _, quiet = call(QRELS, *RUNS, "-m", "AP", "-m", "nDCG(b=23)@1000")
    assert "coming late" not in quiet


# --- figures ---


def test_heat_map_has_every_cell() -> None:
    record = study_of(made(1), made(2), made(3))
    axes, bar = record.figures["tau"]().axes
    (image,) = axes.images
    expected = record.tables["tau_b"].iloc[:, 1:].to_numpy()
    assert np.asarray(image.get_array()) == pytest.approx(expected)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["m0", "m1", "m2"]
    assert [text.get_text() for text in axes.texts] == [f"{v:.3f}" for v in expected.ravel()]
    assert bar.get_ylabel() == "Kendall's tau_b"
    table = record.tables["tau"]
    assert table["value"].to_numpy() == pytest.approx(expected.ravel())


def test_names_of_runs_do_not_cover_each_other() -> None:
    table = pd.DataFrame(
        {"measure": "m", "with": "n", "run": ["bm25.run", "rm3.run", "dense.run.gz", "fusion.run"],
         "x": [0.35, 0.43, 0.44, 0.74], "y": [0.345, 0.35, 0.352, 0.56]}
    )  # fmt: skip
    figure = run_means_scatter_figure(table, {("m", "n"): 1.0})
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 4
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_scatter_has_every_run() -> None:
    scores = [made(1), made(2), made(3)]
    record = study_of(*scores)
    panels = record.figures["scatter"]().axes
    assert len(panels) == 2
    for panel, other in zip(panels, scores[1:], strict=True):
        (points,) = panel.lines
        assert points.get_xdata() == pytest.approx(scores[0].mean(axis=0))
        assert points.get_ydata() == pytest.approx(other.mean(axis=0))
    assert (panels[1].get_xlabel(), panels[1].get_ylabel()) == ("mean m0", "mean m2")


@pytest.mark.in_turn(4)
@pytest.mark.parametrize(
    ("sweep", "scale", "places"),
    [
        ("beta=0.1,1,10,100", "log", [0.1, 1, 10, 100]),
        ("beta=2,3,4", "linear", [2, 3, 4]),
        ("beta=0,1,inf", "linear", [0, 1, 2]),
        ("gain=3:2:1,10:5:1", "linear", [0, 1]),
    ],
)
def test_sweep_lines(sweep: str, scale: str, places: list[float]) -> None:
    from irev.jobs.studies.correlation import sweep_figure

    parameter = sweep.partition("=")[0]
    kind = "svg" if scale == "log" else "none"
    words = ("--output", "out", "--figures", kind)
    code, out, _ = call(QRELS, *RUNS, "-m", "Q", "--sweep", sweep, *words)
    assert code == 0
    import pandas as pd

    table = pd.DataFrame(out["tables"][f"sweep-{parameter}"])
    (axes,) = sweep_figure(table).axes
    assert axes.get_xscale() == scale
    assert [line.get_label() for line in axes.lines] == ["Q with AP", "Q with Q(beta=1)"]
    for line, (_, rows) in zip(axes.lines, table.groupby("against", sort=False), strict=True):
        assert np.asarray(line.get_xdata()).tolist() == places
        assert np.asarray(line.get_ydata()).tolist() == list(rows["tau_b"])
    values = sweep.partition("=")[2].split(",")
    assert [text.get_text() for text in axes.get_xticklabels()] == values
    assert (axes.get_xlabel(), axes.get_ylabel()) == (parameter, "Kendall's tau_b")
    looks = {(matplotlib.colors.to_hex(x.get_color()), x.get_marker()) for x in axes.lines}
    assert len(looks) == 2
    if kind == "svg":
        assert Path(f"out/sweep-{parameter}.svg").stat().st_size > 1000
    with open(f"out/sweep-{parameter}.csv", newline="", encoding="utf-8") as lines:
        assert len(list(csv.DictReader(lines))) == len(table)


# --- the command ---


def test_output_does_not_depend_on_the_order_of_files() -> None:
    words = ["-m", "AP", "-m", "P@10", "--resamples", "20"]
    printed = [call(QRELS, *order, *words)[1] for order in list(permutations(RUNS))[::7]]
    assert all(each == printed[0] for each in printed)
    (row,) = printed[0]["tables"]["pairs"]
    means = {name: [r[name] for r in printed[0]["tables"]["means"]] for name in ("AP", "P@10")}
    assert row["tau_b"] == pytest.approx(stats.kendalltau(*means.values()).statistic)
    assert [r["run"] for r in printed[0]["tables"]["means"]] == ["bm25", "dense", "fusion", "rm3"]
    runs = printed[0]["parameters"]["runs"]
    assert runs[0]["signature"]["qrels"]
    assert runs[0]["signature"]["short"].startswith("irev:")
    assert runs[1]["missing"] == ["20"]


def test_saved_matrices_are_measures() -> None:
    one, other = made(1), made(2)
    for name, scores in (("ap", one), ("p10", other)):
        text = io.StringIO()
        text.write(",".join(NAMES) + "\n")
        np.savetxt(text, scores, delimiter=",", fmt="%.6f")
        Path(f"{name}.csv").write_text(text.getvalue(), encoding="utf-8")
    code, out, err = call("ap.csv", "p10.csv", "--top", "5", "--by", "p10")
    assert code == 0
    kept = np.sort(np.argsort(-other.mean(axis=0))[:5])
    (row,) = out["tables"]["pairs"]
    expected = stats.kendalltau(one.mean(axis=0)[kept], other.mean(axis=0)[kept])
    assert (row["measure"], row["with"]) == ("ap", "p10")
    assert row["tau_b"] == pytest.approx(expected.statistic)
    assert "5 of 9 runs: the best by p10" in err


def write_judge(name: str, measure: str, *, without: Any = ()) -> str:
    """Scores of 4 runs on 3 topics by a judge, but for some (run, topic)."""
    rows = [(run, topic) for run in ("r1", "r2", "r3", "r4") for topic in ("t1", "t2", "t3")]
    kept = [pair for pair in rows if pair not in without and pair[0] not in without]
    lines = [f"{run} {measure} {topic} 0.{10 * int(run[1]) + int(topic[1])}" for run, topic in kept]
    Path(name).write_text("\n".join(["run measure topic value", *lines, ""]), encoding="utf-8")
    return name


def test_what_one_of_two_judges_lacks_is_named() -> None:
    whole = write_judge("whole", "truth")
    t2 = [(run, "t2") for run in ("r1", "r2", "r3", "r4")]
    for without, reason in (
        (("r3", "r4"), "part lacks r3, r4"), (t2, "part lacks topic t2"),
        ([("r2", "t3")], "part lacks topic t3 of r2"),
        (["r4", ("r2", "t3")], "part lacks r4; part lacks topic t3 of r2"),
    ):  # fmt: skip
        part = write_judge("part", "judge", without=without)
        for words in ((whole, part), (part, whole), (whole, part, "-m", "judge,truth")):
            code, _, err = call(*words)
            assert code == 2
            assert reason in err, err
            assert "--other-qrels" not in err
    short = write_judge("short", "truth", without=["r1"])
    code, _, err = call(short, write_judge("part", "judge", without=["r4"]))
    assert "short lacks r1; part lacks r4" in err
    third = write_judge("third", "third")
    code, _, err = call(whole, third, "part")
    assert (code, "error: part lacks r4; --missing shared leaves out" in err) == (2, True)
    code, _, err = call(whole, third)
    assert (code, "left out" in err) == (0, False)


def write_judges() -> None:
    """Scores of 12 runs on 5 topics by people and three models, two of which lack something."""
    tot, irm = "{run}\t{measure}\t{topic}\t{value:.4f}", "{run}\t{topic}\t{measure}\t{value:.4f}"
    for name, form, measure, (a, b, c), lacking in (
        ("people", tot, "nugget_recall", (3, 5, 17), ()), ("llm1", tot, "score", (3, 7, 19), ()),
        ("llm2", irm, "score", (5, 4, 13), ("r03", "r07")), ("llm3", tot, "grade", (2, 9, 23), "3"),
    ):  # fmt: skip
        lines = [
            form.format(
                run=f"r{run:02}",
                measure=measure,
                topic=f"t{topic}",
                value=((a * run + b * topic + run * run) % c) / c + run / 20,
            )
            for run in range(12)
            for topic in range(1, 6)
            if f"r{run:02}" not in lacking and f"{topic}" not in lacking
        ]
        Path(name).write_text("\n".join(lines), encoding="utf-8")


OF_AUTOJUDGE: dict[str, dict[str, tuple[float, ...]]] = {
    "shared": {
        "llm1": (0.757576, 0.706277, 0.7546, 0.688889),
        "llm2": (0.644444, 0.639242, 0.666387, 0.644444),
        "llm3": (0.636364, 0.522888, 0.562342, 0.733333),
    },
    # tau_GAP of llm2 is left out, where two runs of 0 are tied: it takes them by their names
    "zero": {
        "llm1": (0.757576, 0.706277, 0.7546),
        "llm2": (0.534367, 0.57033),
        "llm3": (0.69697, 0.749977, 0.833894),
    },
}
"""kendall, tauap_b, tau_gap and kendall@10 of autojudge-evaluate 1.1.0; its policies are `skip`, on
the topics that both have, and `default`."""


@for_each("missing", OF_AUTOJUDGE)
def test_judges_are_compared_as_autojudge_compares_them(missing: str) -> None:
    write_judges()
    code, out, _ = call("people", "llm1", "llm2", "llm3", "--missing", missing)
    assert (code, out["parameters"]["missing"]) == (0, missing)
    rows = {row["judge"]: row for row in out["tables"]["judges"]}
    for judge, expected in OF_AUTOJUDGE[missing].items():
        found = [rows[judge][name] for name in ("tau_b", "tau_AP_b", "tau_GAP", "tau@10")]
        assert found[: len(expected)] == pytest.approx(expected, abs=1e-6)
    done = {"shared": "left out", "zero": "counted as 0"}[missing]
    assert [(row["truth"], row["measure"], row["lacks"], row["done"]) for row in rows.values()] == [
        ("nugget_recall", "score", "", ""),
        ("nugget_recall", "score", "r03, r07", done),
        ("nugget_recall", "grade", "topic t3", done),
    ]
    sizes = [(row["runs"], row["topics"]) for row in rows.values()]
    assert sizes == {"shared": [(12, 5), (10, 5), (12, 4)], "zero": [(12, 5)] * 3}[missing]
    # measures of one name are told apart by their judges
    names = {row["measure"] for row in out["tables"]["pairs"]}
    assert names == {"nugget_recall", "score [llm1]", "score [llm2]"}


def test_what_a_judge_lacks_is_refused_unless_somebody_says_what_to_do() -> None:
    write_judges()
    code, out, err = call("people", "llm1", "llm2", "llm3")
    assert (code, out) == (2, "")
    assert "error: llm2 lacks r03, r07; llm3 lacks topic t3; --missing shared leaves out" in err
    code, _, err = call("llm2", "people", "llm3", "--missing", "error")
    assert "llm2 lacks r03, r07, which people has; " in err
    with pytest.raises(MismatchError, match='lacks r03, r07; missing="shared" leaves out'):
        studies.correlation(None, ["people", "llm2"])
    by_name = studies.correlation(None, {"human": "people", "model": "llm2"}, missing="shared")
    assert by_name.tables["judges"][["judge", "runs"]].to_numpy().tolist() == [["model", 10]]
    # the truth is what counts: runs that it lacks are left out
    turned = studies.correlation(None, ["llm2", "people"], missing="zero").tables["judges"]
    assert turned[["runs", "lacks"]].to_numpy().tolist() == [[10, ""]]
    # measures may be named, of which each file has one or the other
    named = studies.correlation(None, ["people", "llm1"], ["nugget_recall", "score"])
    assert named.tables["judges"]["tau_b"].tolist() == pytest.approx([0.757576], abs=1e-6)
    with pytest.raises(UsageError, match="llm1 has no scores of nugget_recall: it has score"):
        studies.correlation(None, ["people", "llm1"], "nugget_recall")
    Path("few").write_text("r01 x t1 0.5\nr01 x t2 0.5\nr99 x t1 0.25\n", encoding="utf-8")
    with pytest.raises(MismatchError, match="people, few have no two runs in common"):
        studies.correlation(None, ["people", "few"], missing="shared")


def test_judges_may_be_scores_that_irev_saved_under_other_judgments() -> None:
    """The measure has one name in both; the means are those of the evaluations."""
    judged = [line.split() for line in Path(QRELS).read_text(encoding="utf-8").splitlines()]
    other = [f"{t} 0 {d} {int(grade) * (len(d + t) % 2)}\n" for t, _, d, grade in judged]
    Path("other.qrels").write_text("".join(other), encoding="utf-8")
    for name, qrels in (("people.json", QRELS), ("llm.json", "other.qrels")):
        words = ["-q", "-c", "-m", "P@5", "--format", "json", "--output", name]
        assert CliRunner().invoke(irev, ["eval", *words, qrels, *RUNS]).exit_code == 0
    code, out, _ = call("people.json", "llm.json")
    assert code == 0
    (row,) = out["tables"]["judges"]
    means = [
        [evaluate(qrels, run, "P@5", topics="qrels")["P@5"] for run in RUNS]
        for qrels in (QRELS, "other.qrels")
    ]
    assert row["tau_b"] == pytest.approx(stats.kendalltau(*means).statistic)
    assert (row["truth"], row["measure"]) == ("P@5 [people]", "P@5")
    # and so may tables in memory
    people, llm = (evaluate(qrels, RUNS, "P@5", topics="qrels") for qrels in (QRELS, "other.qrels"))
    judges = studies.correlation(None, {"people": people, "llm": llm}).tables["judges"]
    assert judges["tau_b"].tolist() == [row["tau_b"]]


def test_saved_scores_are_found_in_any_spelling() -> None:
    words = ["-q", "-m", "P@10", "-m", "Q", "-m", "ERR@10", "--format", "json"]
    for number, run in enumerate(RUNS):
        saved = CliRunner().invoke(irev, ["eval", *words, QRELS, run])
        assert saved.exit_code == 0
        Path(f"{number}.json").write_bytes(saved.stdout_bytes)
    files = [f"{number}.json" for number in range(len(RUNS))]
    code, out, err = call(*files, "-m", "Q", "-m", "ERR@10", "--top", "3", "--by", "irm:P@10")
    assert code == 0
    (row,) = out["tables"]["pairs"]
    assert (row["measure"], row["with"]) == ("Q(beta=1)", "ERR(max=3)@10")
    assert "3 of 4 runs: the best by P@10" in err


def test_teams() -> None:
    Path("teams").write_text("bm25.run x\nrm3.run x\ndense.run.gz y\n", encoding="utf-8")
    words = ["-m", "AP", "-m", "Q", "--teams", "teams", "--best-per-team", "AP"]
    code, out, err = call(QRELS, *RUNS, *words)
    assert code == 0
    kept = [row["run"] for row in out["tables"]["means"]]
    assert kept == ["dense", "fusion", "rm3"]
    assert "without a team: fusion" in err
    assert "3 of 4 runs: the best of each team by AP" in err


def test_what_makes_no_sense_is_refused() -> None:
    for words, said in [
        ([QRELS], "QRELS RUN"),
        ([QRELS, *RUNS, "-m", "AP"], "another with -m"),
        ([QRELS, RUNS[0], "-m", "AP", "-m", "Q"], "2 runs or more"),
        ([QRELS, *RUNS, "--by", "AP"], "--top"),
        ([QRELS, *RUNS, "--teams", "x"], "together"),
        ([QRELS, *RUNS, "--against", "AP"], "--sweep"),
        ([QRELS, *RUNS, "--sweep", "beta=1"], "two or more values"),
        ([QRELS, *RUNS, "-m", "Q", "--sweep", "b=1,2"], "no requested measure"),
        ([QRELS, *RUNS, "-m", "Q", "--sweep", "beta=1,x"], "x"),
        ([QRELS, *RUNS, "--seed", "1"], "--resamples"),
        ([QRELS, *RUNS, "--alpha", "2"], "alpha"),
        ([QRELS, *RUNS, "-m", "AP", "-m", "Q", "--other-qrels", QRELS], "duplicate"),
        (["-", *RUNS], "standard input"),
    ]:
        outcome = CliRunner().invoke(irev, ["study", "correlation", *words])
        assert outcome.exit_code != 0, words
        assert said in f"{outcome.stderr}{outcome.exception}", words
        assert outcome.stdout == "", words


@needs_real_data
def test_real_matrices() -> None:
    files = [str(MATRICES[name]) for name in ("adhoc8_ap", "adhoc8_p10")]
    code, out, _ = call(*files, "--top", "30")
    assert code == 0
    (row,) = out["tables"]["pairs"]
    columns = [real_matrix(name) for name in ("adhoc8_ap", "adhoc8_p10")]
    kept = np.argsort(-columns[0].mean(axis=0))[:30]
    x, y = (np.round(each.mean(axis=0)[kept], 12) for each in columns)
    assert row["tau_b"] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert len(criteria_of(score_runs(None, [files[0]]))) == 1


def test_tied_pairs_are_those_of_both_criteria() -> None:
    """Three runs with equal means are three pairs, whichever of the two ties them."""
    one, other = made(1), made(2)
    other[:, 1] = other[:, 2] = other[:, 0]
    table = study_of(one, other).tables["correlations"].set_index(["measure", "with"])
    assert table.loc[("m0", "m1"), "tied pairs"] == 3
    assert table.loc[("m1", "m0"), "tied pairs"] == 3
    one[:, 8] = one[:, 7]
    table = study_of(one, other).tables["correlations"].set_index(["measure", "with"])
    assert table.loc[("m0", "m1"), "tied pairs"] == 4
