"""`irev study discriminative-power`: how often and how stably measures tell runs apart."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from irev import MismatchError, UsageError
from irev.core.draws import topic_draws
from irev.core.judged import Column
from irev.engine.score_runs import score_runs
from irev.jobs.result import StudyResult
from irev.jobs.studies.criteria import MeasuresUnderGains
from irev.jobs.studies.discriminative_power import (
    DiscriminativePowerOptions,
    asl_figure,
    power_of_blocks,
)
from irev.options import ScoringOptions
from irev.scores.table import RunInfo, ScoreTable
from irev.statistics.discrimination import (
    concordance,
    disjoint_topic_sets,
    random_topic_sets,
    swap_method,
)
from tests.command import irev
from tests.files import SAMPLE
from tests.real_data import MATRICES, needs_real_data
from tests.statistics_rows import every_row

QRELS = SAMPLE / "qrels.txt"
RUNS = [SAMPLE / name for name in ("bm25.run", "dense.run.gz", "fusion.run", "rm3.run")]

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def block_of(measures: dict[str, Array], gains: str = "") -> MeasuresUnderGains:
    """Made scores: topics x runs of each measure."""
    first = next(iter(measures.values()))
    topics = tuple(b"t%03d" % number for number in range(len(first)))
    entries = tuple(RunInfo(f"run{n:02}", f"run{n:02}") for n in range(first.shape[1]))
    columns = tuple(Column(name, name) for name in measures)
    table = ScoreTable(topics, entries, columns, np.stack(list(measures.values())))
    return MeasuresUnderGains(gains, table, tuple(measures))


def study_blocks(*blocks: MeasuresUnderGains, **fields: Any) -> StudyResult:
    """The study of made scores."""
    return power_of_blocks(blocks, DiscriminativePowerOptions(**fields))


def made(seed: int = 0, topics: int = 50, runs: int = 15) -> Array:
    """Runs of different quality on topics of different difficulty."""
    generator = np.random.default_rng(seed)
    level = generator.normal(size=(topics, 1)) + np.linspace(0, 1, runs)
    return 1 / (1 + np.exp(-level - generator.normal(size=(topics, runs))))


def tables(record: StudyResult, name: str) -> Any:
    return record.tables[name]


def at(table: Any, **wanted: Any) -> Any:
    for name, value in wanted.items():
        table = table[table[name] == value]
    return table


def by_loops(
    scores: Array, samples: Any, alphas: tuple[float, ...]
) -> tuple[list[int], list[list[float]]]:
    """Sakai's figures 1, 2 and 5: for each pair its count, and the differences at the alphas."""
    counts, differences = [], []
    for one, other in combinations(range(scores.shape[1]), 2):
        z = scores[:, one] - scores[:, other]
        n, w = len(z), z - z.mean()
        observed = abs(z.mean()) / (z.std(ddof=1) / math.sqrt(n))
        found = []
        for sample in samples:
            star = w[sample]
            found.append((abs(star.mean()) / (star.std(ddof=1) / math.sqrt(n)), abs(star.mean())))
        counts.append(sum(t >= observed * (1 - 1e-12) for t, _ in found))
        found.sort(reverse=True)
        differences.append([found[math.ceil(len(found) * a - 1e-9) - 1][1] for a in alphas])
    return counts, differences


# --- the test ---


def test_by_loops() -> None:
    scores = made(1, topics=20, runs=5)
    test = {"alphas": (0.1, 0.05), "resamples": 200, "seed": 3}
    record = study_blocks(block_of({"AP": scores}), **test)
    counts, differences = by_loops(scores, topic_draws(3, 200, 20), (0.1, 0.05))
    pairs = tables(record, "pairs")
    assert pairs["count"].tolist() == counts
    assert pairs["asl"].tolist() == [count / 200 for count in counts]
    for level, alpha in enumerate((0.1, 0.05)):
        mine = [each[level] for each in differences]
        assert pairs[f"estimated {alpha:g}"].tolist() == pytest.approx(mine, rel=1e-9)
        row = at(tables(record, "sensitivity"), alpha=alpha).iloc[0]
        significant = sum(count / 200 < alpha for count in counts)
        assert (row["significant"], row["pairs"]) == (significant, 10)
        assert row["difference"] == pytest.approx(max(mine))
        assert row["share"] == significant / 10
        printed = at(tables(record, "power"), alpha=alpha)["significant"].item()
        assert printed == f"{significant}/10={significant * 10}%"


def test_smaller_sets_of_topics() -> None:
    """Given c topics, samples of c are drawn; t* is as if there were c."""
    scores = made(2, topics=30, runs=3)
    record = study_blocks(block_of({"AP": scores}), resamples=100, topic_set_size=10)
    assert record.parameters["topic_set_size"] == 10
    samples = topic_draws(0, 100, 30, 10)
    assert samples.shape == (100, 10)
    for row, (one, other) in zip(
        tables(record, "pairs").to_dict("records"), combinations(range(3), 2), strict=True
    ):
        z = scores[:, one] - scores[:, other]
        w = (z - z.mean())[samples]
        t = np.abs(w.mean(axis=1)) / (w.std(axis=1, ddof=1) / math.sqrt(10))
        observed = abs(z.mean()) / (z.std(ddof=1) / math.sqrt(30))
        assert row["count"] == int((t >= observed).sum())


def test_near_the_t_test() -> None:
    scores = made(4)
    record = study_blocks(block_of({"AP": scores}))
    pairs = tables(record, "pairs")
    assert len(pairs) == 105
    p = [
        stats.ttest_rel(scores[:, one], scores[:, other]).pvalue
        for one, other in combinations(range(15), 2)
    ]
    assert np.abs(pairs["asl"] - np.array(p)).max() < 0.06


def test_symmetric_in_the_pair() -> None:
    scores = made(5, runs=6)
    one = study_blocks(block_of({"AP": scores}))
    other = study_blocks(block_of({"AP": scores[:, ::-1]}))
    kept = tables(one, "pairs").set_index(["run", "other"])
    for row in tables(other, "pairs").to_dict("records"):
        names = [f"run{5 - int(row[name][3:]):02}" for name in ("other", "run")]
        mirrored = kept.loc[tuple(names)]
        assert (row["asl"], row["difference"]) == (mirrored["asl"], -mirrored["difference"])
    pd.testing.assert_frame_equal(tables(one, "sensitivity"), tables(other, "sensitivity"))


def test_fewer_pairs_at_a_lower_level() -> None:
    block = block_of({"A": made(6), "B": np.round(made(6), 1), "C": np.round(made(7))})
    table = tables(study_blocks(block, alphas=(0.1, 0.05, 0.01)), "sensitivity")
    for measure in "ABC":
        counts = [
            at(table, measure=measure, alpha=a)["significant"].item() for a in (0.1, 0.05, 0.01)
        ]
        assert counts == sorted(counts, reverse=True)


def test_identical_runs_are_never_significant() -> None:
    scores = np.zeros((10, 3))
    scores[:, 0] = scores[:, 1] = np.arange(10) / 10
    scores[:, 2] = scores[:, 0] + 0.25
    record = study_blocks(block_of({"AP": scores}))
    pairs = tables(record, "pairs")
    # the same difference on 10 topics: that of the sign flips
    assert pairs["asl"].tolist() == [1, 2**-9, 2**-9]
    assert pairs["identical"].tolist() == [True, False, False]
    assert pairs["constant"].tolist() == [False, True, True]
    assert pairs["significant 0.05"].tolist() == [False, True, True]
    said = "\n".join(record.notes)
    assert "AP: 1 pair has equal scores on all topics, and the ASL 1" in said
    assert "2 pairs have the same difference on all topics" in said


def test_the_same_samples_for_all_measures() -> None:
    scores = made(8, runs=5)
    record = study_blocks(block_of({"A": scores, "B": scores * 0.5, "C": made(9, runs=5)}))
    pairs = tables(record, "pairs")
    assert at(pairs, measure="A")["count"].tolist() == at(pairs, measure="B")["count"].tolist()
    alone = tables(study_blocks(block_of({"C": made(9, runs=5)})), "pairs")
    assert at(pairs, measure="C")["asl"].tolist() == alone["asl"].tolist()


# --- other tests ---


def test_by_the_randomised_hsd() -> None:
    """Against all orders of three runs on six topics."""
    scores = made(15, topics=6, runs=3)
    orders = np.array(list(permutations(range(3))))
    sums = np.zeros((1, 3))
    for row in scores:
        sums = (sums[:, None, :] + row[orders][None]).reshape(-1, 3)
    ranges = (sums.max(axis=1) - sums.min(axis=1)) / 6
    resamples = 20_000
    record = study_blocks(
        block_of({"AP": scores}),
        alphas=(0.3, 0.1),
        resamples=resamples,
        test="rthsd",
    )
    pairs = tables(record, "pairs")
    for row, (one, other) in zip(pairs.to_dict("records"), combinations(range(3), 2), strict=True):
        p = float((ranges >= abs(scores[:, one].mean() - scores[:, other].mean()) - 1e-12).mean())
        assert abs(row["asl"] - p) <= 4 * math.sqrt(p * (1 - p) / resamples)
    for alpha in (0.3, 0.1):
        row = at(tables(record, "sensitivity"), alpha=alpha).iloc[0]
        share = float((ranges >= row["difference"] - 1e-9).mean())
        assert abs(share - alpha) <= 4 * math.sqrt(alpha / resamples)
        above = int((pairs["difference"].abs() > row["difference"]).sum())
        assert row["significant"] == above == int((pairs["asl"] < alpha).sum())
    assert record.parameters["test"] == "rthsd"
    assert record.parameters["correction"] == "of the test itself"
    assert "randomised Tukey HSD, two-sided: n=6 topics" in "\n".join(record.notes)


def test_by_the_permutation_test() -> None:
    """Against all signs of eight differences."""
    scores = made(16, topics=8, runs=4)
    scores[:, 3] = scores[:, 2] - 0.5
    record = study_blocks(block_of({"AP": scores}), test="permutation")
    signs = np.array(list(product((-1, 1), repeat=8)))
    for row, (one, other) in zip(
        tables(record, "pairs").to_dict("records"), combinations(range(4), 2), strict=True
    ):
        z = scores[:, one] - scores[:, other]
        assert row["asl"] == pytest.approx((np.abs(signs @ z) >= abs(z.sum()) - 1e-12).mean())
    assert tables(record, "power")["difference"].isna().all()
    said = "\n".join(record.notes)
    assert "paired permutation test" in said
    assert "1 pair has the same difference on all topics" in said
    assert "the ASL 0" not in said


@pytest.mark.parametrize(("kind", "size"), [("nosuch", 2), ("rthsd", 5), ("t", 5)])
def test_no_such_test(kind: str, size: int) -> None:
    with pytest.raises(UsageError):
        DiscriminativePowerOptions(test=kind, topic_set_size=size)


# --- how it is shown ---


def gains_blocks() -> list[MeasuresUnderGains]:
    better = made(10)
    return [
        block_of({"AP": made(11), "Q": better, "R": made(11), "S": made(12)}, "3:2:1"),
        block_of({"AP": made(11), "Q": better, "R": better, "S": made(11)}, "10:5:1"),
    ]


def test_sorted_and_marked() -> None:
    record = study_blocks(*gains_blocks())
    table, full = tables(record, "power"), tables(record, "sensitivity")
    assert list(table.columns) == [
        "alpha", "gains", "measure", "significant", "difference", "error", "than AP",
    ]  # fmt: skip
    counts: dict[str, list[int]] = {}
    for alpha in (0.05, 0.01):
        for gains in ("3:2:1", "10:5:1"):
            rows = at(full, alpha=alpha, gains=gains)
            key = [
                (-r["significant"], r["difference"], r["measure"]) for r in rows.to_dict("records")
            ]
            assert key == sorted(key)
            for row in rows.to_dict("records"):
                counts.setdefault(row["measure"], []).append(row["significant"])
    for row in table.to_dict("records"):
        ahead = [n - base for n, base in zip(counts[row["measure"]], counts["AP"], strict=True)]
        mark = "more" if min(ahead) > 0 else "as many or more" if min(ahead) >= 0 else ""
        assert row["than AP"] == ("" if row["measure"] == "AP" else mark)
    assert at(table, measure="R")["than AP"].isin(["as many or more", ""]).all()


@pytest.mark.thorough
def test_another_baseline() -> None:
    table = tables(study_blocks(*gains_blocks(), against="Q"), "power")
    assert table.columns[-1] == "than Q"
    with pytest.raises(UsageError, match="no scores of Z"):
        study_blocks(*gains_blocks(), against="Z")


@pytest.mark.parametrize(
    ("spelled", "printed", "more"),
    [
        ("Q", "Q(beta=1)", []),
        ("Q", "Q(beta=10)", ["--beta", "10"]),
        ("irm:P@10", "P@10", []),
    ],
)
def test_a_baseline_in_any_spelling(spelled: str, printed: str, more: list[str]) -> None:
    words = ["-m", "AP", "-m", "Q", "-m", "P@10", "-B", "50", "--format", "json", *more]
    words += ["--against", spelled, "--concordance", "RR"]
    ran = irev("study", "discriminative-power", QRELS, *RUNS, *words)
    assert ran.code == 0
    power = json.loads(ran.out)["tables"]["power"]
    assert f"than {printed}" in power[0]
    # the measure that others agree with or not stands in no other table
    assert len({row["measure"] for row in power}) == 3


def test_without_gains_or_baseline() -> None:
    table = tables(study_blocks(block_of({"X": made(1), "Y": made(2)})), "power")
    assert list(table.columns) == ["alpha", "measure", "significant", "difference", "error"]


def test_blocks_must_fit() -> None:
    one = block_of({"AP": made(1)}, "3:2:1")
    with pytest.raises(MismatchError, match="runs and their topics"):
        study_blocks(one, block_of({"AP": made(1, runs=14)}, "2:1"))
    with pytest.raises(MismatchError, match="measures must be the same"):
        study_blocks(one, block_of({"AP": made(1), "Q": made(1)}, "2:1"))
    with pytest.raises(UsageError, match="two or more"):
        study_blocks(block_of({"AP": made(1, runs=1)}))


def test_too_few_samples_for_a_level() -> None:
    record = study_blocks(block_of({"AP": made(1)}), alphas=(0.05, 0.01), resamples=50)
    assert "B=50 gives no level below 0.02: draw more for alpha 0.01" in record.notes


def test_a_curve_above_the_levels_is_said_to_be_there() -> None:
    table = pd.DataFrame(
        {"measure": ["AP", "AP", "RR", "RR"], "place": [1, 2] * 2, "asl": [0.3, 0.01, 0.9, 0.2]}
    )
    (legend,) = asl_figure(table, (0.05,)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["AP", "RR (all above 0.15)"]


@pytest.mark.thorough
def test_asl_figure() -> None:
    record = study_blocks(*gains_blocks())
    figure = record.figures["asl"]()
    assert [axes.get_title() for axes in figure.axes] == ["gains 3:2:1", "gains 10:5:1"]
    for axes, gains in zip(figure.axes, ("3:2:1", "10:5:1"), strict=True):
        curves = axes.get_lines()[:4]
        for line in curves:
            points = at(tables(record, "asl"), gains=gains, measure=line.get_label())
            assert np.asarray(line.get_xdata()).tolist() == list(range(1, 106))
            levels = np.asarray(line.get_ydata()).tolist()
            assert levels == points["asl"].tolist()
            assert levels == sorted(levels, reverse=True)
        across = [np.asarray(line.get_ydata()).tolist() for line in axes.get_lines()[4:]]
        assert across == [[0.05, 0.05], [0.01, 0.01]]
        assert [text.get_text() for text in axes.texts] == ["α = 0.05", "α = 0.01"]
        assert axes.get_xlim() == (0, 106)
        assert axes.get_ylim()[1] == pytest.approx(0.15)
        assert "ASL" in axes.get_ylabel()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["AP", "Q", "R", "S"]


def test_figures_of_runs_that_never_differ() -> None:
    """What lies above the usual panel is still seen, and bins keep their places."""
    same = np.repeat(made(1, runs=1), 2, axis=1)
    record = study_blocks(block_of({"AP": same}), swap=True, trials=10)
    (axes,) = record.figures["asl"]().axes
    assert axes.get_ylim()[1] > 1
    (axes,) = record.figures["swap"]().axes
    assert axes.get_xlim() == pytest.approx((-0.01, 0.21))
    assert [tick.get_text() for tick in axes.get_xticklabels()][::4] == ["0.00", "0.20+"]


# --- other methods ---


def test_swap_by_loops() -> None:
    scores = made(13, topics=12, runs=4)
    beside = {"swap": True, "trials": 60}
    record = study_blocks(block_of({"AP": scores}), seed=2, **beside)
    first, second = disjoint_topic_sets(2, 60, 12, 6)
    comparisons, swaps = [0] * 21, [0] * 21
    for here, there in zip(first, second, strict=True):
        for one, other in combinations(range(4), 2):
            d = scores[here, one].mean() - scores[here, other].mean()
            e = scores[there, one].mean() - scores[there, other].mean()
            place = min(20, int(abs(d) / 0.01 + 1e-9))
            comparisons[place] += 1
            swaps[place] += bool(d * e < 0)
    curve = tables(record, "swap")
    assert curve["comparisons"].tolist() == comparisons
    assert curve["swaps"].tolist() == swaps
    row = tables(record, "required").iloc[0]
    low = [n for n in range(21) if comparisons[n] and swaps[n] <= 0.05 * comparisons[n]]
    if low:
        assert row["required"] == pytest.approx(low[0] / 100)
        assert row["sensitivity"] == pytest.approx(sum(comparisons[low[0] :]) / sum(comparisons))
    high = [n for n in range(21) if swaps[n] > 0.05 * comparisons[n]]
    assert row["settled"] == pytest.approx((max(high) + 1) / 100, nan_ok=True)
    assert row["topics"] == 6
    (axes,) = record.figures["swap"]().axes
    line = axes.get_lines()[0]
    drawn = dict(zip(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()), strict=True))
    assert len(drawn) == sum(count > 0 for count in comparisons)
    assert axes.get_ylabel() == "swap rate"


def test_swap_where_the_lowest_bin_holds_ties_alone() -> None:
    """Three topics a set, scores 0 or 1: no difference lies between 0 and a third."""
    scores = np.array([[0, 1], [1, 0], [0, 1], [1, 1], [1, 0], [0, 0]], float)
    record = study_blocks(block_of({"RR": scores}), swap=True, trials=50)
    row = tables(record, "required").iloc[0]
    assert row["required"] == 0
    assert math.isnan(row["settled"])


def test_swap_with_replacement() -> None:
    beside = {"swap": True, "with_replacement": True, "trials": 20}
    record = study_blocks(block_of({"AP": made(1)}), **beside)
    assert tables(record, "required")["topics"].tolist() == [50]
    assert record.parameters["swap"] == "samples"


def test_swap_rates_beyond_half_the_topics() -> None:
    """Curves through the rates of smaller sets, by the normal equations of weighted squares."""
    scores = made(13, topics=24, runs=5)
    record = study_blocks(block_of({"AP": scores}), topic_set_size=20, seed=2, swap=True, trials=60)
    sizes = (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
    found = [swap_method(scores, *disjoint_topic_sets(2, 60, 24, size)) for size in sizes]
    curve = tables(record, "swap")
    fitted = 0
    for place, row in enumerate(curve.to_dict("records")):
        points = [
            (n, math.log(each.swaps[place] / each.comparisons[place]), float(each.swaps[place]))
            for n, each in zip(sizes, found, strict=True)
            if each.swaps[place]
        ]
        if len(points) < 2:
            continue
        n, y, w = (np.array(column) for column in zip(*points, strict=True))
        left = [[w.sum(), (w * n).sum()], [(w * n).sum(), (w * n * n).sum()]]
        start, slope = np.linalg.solve(left, [(w * y).sum(), (w * n * y).sum()])
        assert (row["a"], row["b"]) == pytest.approx((math.exp(start), -slope), rel=1e-6)
        assert row["rate"] == pytest.approx(min(1, math.exp(start + 20 * slope)), rel=1e-6)
        fitted += 1
    assert fitted > 10
    low = curve[curve["rate"] <= 0.05]["difference"].min()
    assert tables(record, "required")["required"].item() == low
    assert tables(record, "required")["rates"].item() == "extrapolated"
    assert record.parameters["swap"] == "extrapolated"
    assert "EXTRAPOLATED to 20 topics" in "\n".join(record.notes)
    (axes,) = record.figures["swap"]().axes
    assert axes.get_ylabel() == "swap rate, extrapolated"


def test_too_few_topics_for_a_fit() -> None:
    with pytest.raises(UsageError, match="at least 6 are needed"):
        study_blocks(block_of({"AP": made(1, topics=5)}), topic_set_size=4, swap=True)


def test_stability_by_loops() -> None:
    scores = made(14, topics=10, runs=4)
    beside = {"stability": True, "trials": 40}
    record = study_blocks(block_of({"AP": scores}), seed=5, **beside)
    sets = random_topic_sets(5, 40, 10, 5)
    for row in tables(record, "stability").to_dict("records"):
        minority = ties = 0
        for one, other in combinations(range(4), 2):
            greater = less = 0
            for chosen in sets:
                x, y = scores[chosen, one].mean(), scores[chosen, other].mean()
                if abs(x - y) < row["fuzziness"] * max(x, y):
                    ties += 1
                elif x > y:
                    greater += 1
                else:
                    less += 1
            minority += min(greater, less)
        assert row["ties"] == pytest.approx(ties / 240)
        assert row["error rate"] == pytest.approx(minority / 240)
    (axes,) = record.figures["stability"]().axes
    (line,) = axes.get_lines()
    assert np.asarray(line.get_xdata()).tolist() == tables(record, "stability")["ties"].tolist()
    assert axes.get_xlabel() == "proportion of ties"


def test_concordance() -> None:
    cases = {
        (row["case"], row["quantity"]): json.loads(row["expected"])
        for row in every_row()
        if row["section"] in ("concord", "data")
    }
    first = np.array(cases["F2", next(q for c, q in cases if c == "F2")])
    second, gold = (np.array(cases["F2/M2/G", name]) for name in ("M2", "G"))
    block = block_of({"M1": first, "M2": second, "G": gold})
    record = study_blocks(block, concordance=("G",))
    table = tables(record, "concordance")
    assert table[["measure", "with", "gold"]].to_numpy().tolist() == [["M1", "M2", "G"]]
    row = table.iloc[0]
    cases_apart, one, other = cases["F2/M2/G", "disagree_conc1_conc2"]
    assert row["cases"] == cases_apart
    assert (row["measure agrees"], row["with agrees"]) == (one / cases_apart, other / cases_apart)
    strict = cases["F2/M2/G", "strict_conc1_conc2"]
    assert [row["measure strictly"], row["with strictly"]] == strict
    assert row["p"] == pytest.approx(stats.binomtest(strict[0], sum(strict)).pvalue)
    with pytest.raises(UsageError, match="two measures with a third"):
        study_blocks(block_of({"M1": first, "G": gold}), concordance=("G",))


def test_p_of_concordance_is_never_zero() -> None:
    """2 ** -1099, of 1100 cases that all go one way, is less than a number can hold."""
    gold = np.tile([0.0, 1.0], (1100, 1))
    assert 0 < concordance(gold, 1 - gold, gold).p < 1e-300


# --- real scores ---


def test_gains_leave_binary_measures_alone() -> None:
    """The same samples and scores: also the estimated differences are equal."""
    blocks = [
        MeasuresUnderGains(gains, found, found.measure_names)
        for gains in ("3:2:1", "10:5:1")
        for found in [
            score_runs(
                QRELS, RUNS, ["AP", "Q", "nDCG@10"], ScoringOptions(defaults=(("gain", gains),))
            )
        ]
    ]
    record = study_blocks(*blocks)
    full = tables(record, "sensitivity")
    columns = ["alpha", "significant", "difference"]
    one, other = (
        at(full, measure="AP", gains=gains)[columns].to_numpy().tolist()
        for gains in ("3:2:1", "10:5:1")
    )
    assert one == other
    assert set(full["measure"]) == {"AP", "Q(beta=1)", "nDCG@10"}
    pairs = tables(record, "pairs")
    graded = [at(pairs, measure="nDCG@10", gains=g)["difference"] for g in ("3:2:1", "10:5:1")]
    assert not np.allclose(*(each.to_numpy() for each in graded))


@needs_real_data
@pytest.mark.parametrize("name", [name for name in MATRICES if "adhoc" in name])
def test_matrices(name: str) -> None:
    found = score_runs(None, [MATRICES[name]])
    record = study_blocks(MeasuresUnderGains("", found, found.measure_names))
    runs = len(found.run_names)
    table = tables(record, "sensitivity")
    assert set(table["pairs"]) == {runs * (runs - 1) // 2}
    assert table["share"].between(0.4, 0.9).all()


# --- the command ---


def test_command_on_saved_scores(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    for measure in ("ap", "p10"):
        rows = generator.random((10, 3)).round(3).tolist()
        text = "a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        (tmp_path / f"{measure}.csv").write_text(text)
    ran = irev(
        "study", "discriminative-power", tmp_path / "ap.csv", tmp_path / "p10.csv", "--against",
        "ap", "--format", "csv",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    table = list(csv.DictReader(io.StringIO(ran.out.decode())))
    assert {row["measure"] for row in table} == {"ap", "p10"}
    assert all("/3=" in row["significant"] for row in table)
    assert all(row["signature"].startswith("irev:") for row in table)


def test_best_of_each_team(tmp_path: Path) -> None:
    (tmp_path / "teams").write_text("bm25.run A\nrm3.run A\ndense.run.gz B\nfusion.run B\n")
    ran = irev(
        "study", "discriminative-power", QRELS, *RUNS, "-m", "P@10", "--teams", tmp_path / "teams",
        "--best-per-team", "map", "--format", "json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    # trec_eval's map with -c: rm3 is above bm25, and fusion above dense
    assert [run["run"] for run in found["parameters"]["runs"]] == ["fusion", "rm3"]
    assert [row["measure"] for row in found["tables"]["power"]] == ["P@10", "P@10"]
    assert "2 of 4 runs: the best of each team by map" in ran.err
    assert found["parameters"]["best of teams"]["by"] == "map"


@pytest.mark.parametrize("kind", ["bootstrap", "rthsd"])
def test_nothing_hangs_on_order_or_threads(kind: str) -> None:
    options = ["-m", "AP", "-m", "P@10", "--format", "json", "-B", "100", "--test", kind]
    one = irev("study", "discriminative-power", QRELS, *RUNS, *options)
    other = irev("study", "discriminative-power", QRELS, *RUNS[::-1], *options, "--threads", "1")
    assert one.code == other.code == 0
    assert one.out == other.out


def test_command_refuses() -> None:
    refused: list[tuple[list[Any], str]] = [
        ([QRELS], "qrels and runs"),
        ([QRELS, RUNS[0]], "two or more"),
        ([QRELS, *RUNS, "--alpha", "0"], "above 0 and below 1"),
        ([QRELS, *RUNS, "--alpha", "x"], "not a number"),
        ([QRELS, *RUNS, "--against", "RR"], "no scores of RR"),
        ([QRELS, *RUNS, "--teams", QRELS], "together"),
        ([QRELS, *RUNS, "--trials", "5"], "needs --swap"),
        ([QRELS, *RUNS, "--test", "rthsd", "--topic-set-size", "5"], "bootstrap"),
        ([QRELS, *RUNS, "--with-replacement"], "needs --swap"),
        ([QRELS, *RUNS, "--gains", "3:2:1", "--gains", "3:2:1"], "duplicate"),
        ([QRELS, *RUNS, "--stability", "--topic-set-size", "13"], "cannot be drawn from 12"),
        ([QRELS, *RUNS, "-m", "nothing"], "nothing"),
    ]
    for arguments, message in refused:
        ran = irev("study", "discriminative-power", *arguments)
        assert ran.code == 2, arguments
        assert ran.out == b"", arguments
        assert message in ran.err, arguments
        assert "Traceback" not in ran.err, arguments
