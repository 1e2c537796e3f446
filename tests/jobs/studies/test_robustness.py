"""`irev study robustness`: measures under fewer judgments, and on parts of the collection."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from irev import IrevError, MismatchError, Options, UsageError, evaluate
from irev.core.ids import ids_from_bytes
from irev.engine.evaluate import Evaluator
from irev.jobs.result import StudyResult
from irev.jobs.sample.designs import SamplingPlan, draw_collection, draw_uniform
from irev.jobs.sample.sample import ReducedRunsEvaluator
from irev.jobs.studies.robustness import BAND, MEASURES, RobustnessOptions, robustness, side_by_side
from tests.command import irev
from tests.files import SAMPLE
from tests.real_data import COVID, COVID_QRELS, needs_real_data

QRELS = SAMPLE / "qrels.txt"
RUNS = [SAMPLE / name for name in ("bm25.run", "dense.run.gz", "fusion.run", "rm3.run")]

Scores = dict[str, dict[str, float]]


def collection_of(
    runs: int = 12, topics: int = 20, pool: int = 120, retrieved: int = 200, seed: int = 5
) -> tuple[dict[str, dict[str, int]], list[Scores]]:
    """Complete judgments of pools, and runs whose quality differs and that leave the pools."""
    generator = np.random.default_rng(seed)
    qrels, found = {}, [dict[str, dict[str, float]]() for _ in range(runs)]
    for topic in range(topics):
        relevance = (np.arange(pool) < generator.integers(8, 30)).astype(float)
        documents = [f"d{topic}-{number}" for number in range(2 * pool)]
        qrels[f"t{topic}"] = {documents[n]: int(relevance[n]) for n in range(pool)}
        near = np.concatenate((relevance + 0.6, np.zeros(pool)))
        for quality, run in enumerate(found):
            scores = near * (0.15 + 0.12 * quality) + generator.normal(size=2 * pool)
            best = np.argsort(-scores)[:retrieved]
            run[f"t{topic}"] = {documents[n]: float(scores[n]) for n in best.tolist()}
    return qrels, found


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """The same as files."""
    folder = tmp_path_factory.mktemp("synthetic")
    qrels, runs = collection_of()
    lines = [f"{t} 0 {d} {grade}\n" for t, of in qrels.items() for d, grade in of.items()]
    (folder / "qrels").write_text("".join(lines))
    paths = []
    for number, run in enumerate(runs):
        path = folder / f"run{number:02}"
        rows = [f"{t} Q0 {d} 0 {s!r} r{number}\n" for t, of in run.items() for d, s in of.items()]
        path.write_text("".join(rows))
        paths.append(path)
    return folder / "qrels", paths


@pytest.fixture(scope="module")
def whole(synthetic: tuple[Path, list[Path]]) -> StudyResult:
    """The study at most of the paper's rates."""
    rates = (1, 5, 10, 30, 50, 70, 100)
    return robustness(*synthetic, rates=rates, repeat=4, imperfect=(50, 100))


def tables(record: StudyResult, name: str) -> Any:
    return record.tables[name]


def at(table: Any, **wanted: Any) -> Any:
    for name, value in wanted.items():
        table = table[table[name] == value]
    return table


@pytest.mark.thorough
def test_complete_judgments(whole: StudyResult) -> None:
    full = at(tables(whole, "agreement"), rate=100.0).set_index("measure")
    assert full.loc["AP", ["tau", "rho", "rms"]].tolist() == pytest.approx([1, 1, 0], abs=1e-12)
    assert full.loc["subAP", ["tau", "rho", "rms"]].tolist() == pytest.approx([1, 1, 0], abs=1e-12)
    assert full.loc["infAP", "tau"] == 1
    assert full.loc["infAP", "rms"] < 5e-6
    every = at(tables(whole, "estimates"), rate=100.0, measure="indAP")
    assert (every["estimate"] >= every["actual"] - 1e-12).all()


def test_order_of_the_errors(whole: StudyResult) -> None:
    table = tables(whole, "agreement")
    for rate in (5, 10, 30, 50, 70):
        rms = at(table, rate=float(rate)).set_index("measure")["rms"]
        names = ["infAP", "subAP", "indAP", "bpref-10"]
        assert all(rms[one] < rms[other] for one, other in pairwise(names)), rate
    means = at(table, measure="AP").sort_values("rate")["mean"].tolist()
    assert means == sorted(means)
    assert means[0] < means[-1] / 3


@pytest.mark.thorough
def test_one_sample_by_hand(synthetic: tuple[Path, list[Path]]) -> None:
    """The samples are `draw_uniform`'s; documents outside them have the grade -1."""
    qrels, runs = synthetic
    measures = ["infAP", "AP", "bpref-10", "nDCG@10"]
    record = robustness(qrels, runs[:5], measures, rates=[20], repeat=3, seed=9)
    read = Evaluator(qrels, ["AP"]).prepared_judgments.qrels
    ids = read.docs.to_list()
    for replicate in range(3):
        chosen = draw_uniform(read, Fraction(1, 5), 9, replicate).is_drawn.tolist()
        thinned: dict[str, dict[str, int]] = {}
        for row, topic in enumerate(read.topic_of_row.tolist()):
            grade = int(read.grade[row]) if chosen[row] else -1
            thinned.setdefault(read.topics[topic].decode(), {})[ids[row].decode()] = grade
        for measure in measures:
            target = "nDCG@10" if measure == "nDCG@10" else "AP"
            estimates = [evaluate(thinned, run, [measure]).summary()[measure] for run in runs[:5]]
            actual = [evaluate(qrels, run, [target]).summary()[target] for run in runs[:5]]
            row = at(tables(record, "samples"), measure=measure, sample=replicate + 1).iloc[0]
            apart = np.array(estimates) - np.array(actual)
            assert row["rms"] == pytest.approx(math.sqrt(float((apart**2).mean())), abs=1e-12)
            assert row["tau"] == pytest.approx(stats.kendalltau(estimates, actual).statistic)
            assert row["rho"] == pytest.approx(stats.pearsonr(estimates, actual).statistic)
            assert row["mean"] == pytest.approx(np.mean(np.array(estimates, float)))
            kept = at(tables(record, "estimates"), measure=measure, sample=replicate + 1)
            assert kept["estimate"].tolist() == pytest.approx(estimates, abs=1e-12)
            assert kept["actual"].tolist() == pytest.approx(actual, abs=1e-12)


@pytest.mark.thorough
def test_means_over_samples(whole: StudyResult) -> None:
    samples, table = tables(whole, "samples"), tables(whole, "agreement")
    for row in table.to_dict("records"):
        each = at(samples, measure=row["measure"], rate=row["rate"])
        assert len(each) == 4
        for name in ("tau", "rho", "rms", "mean"):
            assert row[name] == pytest.approx(each[name].mean())
            assert row[f"{name} sd"] == pytest.approx(each[name].std(), abs=1e-12)
            drawn = at(
                tables(whole, "grid"), measure=row["measure"], rate=row["rate"], statistic=name
            )
            extremes = (each[name].min(), each[name].max())
            assert (drawn["lowest"].item(), drawn["highest"].item()) == extremes


def test_scatter_is_of_the_sample_nearest_to_the_mean_error(whole: StudyResult) -> None:
    scatter, samples = tables(whole, "scatter"), tables(whole, "samples")
    assert list(dict.fromkeys(scatter["rate"])) == [30, 10, 5]
    for (measure, rate), points in scatter.groupby(["measure", "rate"]):
        each = at(samples, measure=measure, rate=rate).set_index("sample")["rms"]
        nearest = (each - each.mean()).abs().idxmin()
        assert set(points["sample"]) == {nearest}
        apart = points["estimate"] - points["actual"]
        assert math.sqrt((apart**2).mean()) == pytest.approx(points["rms"].iloc[0])


def test_no_scatter_without_its_rates() -> None:
    record = robustness(QRELS, RUNS, ["AP"], rates=[20, 40], repeat=1)
    assert "scatter" not in record.tables
    assert set(record.figures) == {"grid", "curves"}


# --- the pool of the runs ---


def lines_of(qrels: dict[str, dict[str, int]]) -> str:
    return "".join(f"{t} 0 {d} {grade}\n" for t, of in qrels.items() for d, grade in of.items())


def test_pool_of_the_runs(tmp_path: Path) -> None:
    """The pool is drawn from as if its documents without a grade stood in the qrels with 0."""
    qrels, runs = collection_of(runs=4, topics=6, pool=30, retrieved=40)
    judged, whole = {}, {}
    depth = 15
    for topic, grades in qrels.items():
        # every third document that is not relevant has no line, or says that it was not judged
        judged[topic] = {
            d: -1 if not grade and number % 3 == 1 else grade
            for number, (d, grade) in enumerate(grades.items())
            if grade or number % 3
        }
        whole[topic] = {d: max(0, grade) for d, grade in judged[topic].items()}
        for run in runs:
            scores = run[topic]
            for document in sorted(scores, key=scores.__getitem__, reverse=True)[:depth]:
                whole[topic].setdefault(document, 0)
    (tmp_path / "judged").write_text(lines_of(judged))
    (tmp_path / "whole").write_text(lines_of(whole))
    for number, run in enumerate(runs):
        lines = [f"{t} Q0 {d} 0 {s!r} r\n" for t, of in run.items() for d, s in of.items()]
        (tmp_path / f"run{number}").write_text("".join(lines))
    paths = [tmp_path / f"run{number}" for number in range(4)]
    options = ["--rates", "20,60,100", "--repeat", "3", "--imperfect", "50", "--format", "json"]
    pooled = irev(
        "study", "robustness", tmp_path / "judged", *paths, *options, "--pool", f"depth:{depth}"
    )
    plain = irev("study", "robustness", tmp_path / "whole", *paths, *options)
    assert pooled.code == plain.code == 0, pooled.err
    found, expected = json.loads(pooled.out), json.loads(plain.out)
    assert found["tables"] == expected["tables"]
    documents = sum(map(len, whole.values()))
    assert documents > sum(map(len, judged.values()))
    assert found["parameters"]["pool"] == documents
    assert f"|pool:{documents}" in found["parameters"]["signature"]["short"]
    assert f"a pool of {documents} documents; those without a grade" in pooled.err
    assert "not complete" not in pooled.err


# --- imperfect judgments ---


def test_parts_of_the_collection_by_hand() -> None:
    """The documents that do not stay are taken out of the runs, and the judgments stay."""
    qrels, runs = collection_of(runs=4, topics=5, pool=30, retrieved=50)
    runs[0]["unjudged"] = {"d0-1": 1.0, "elsewhere": 2.0}
    every = {d for of in qrels.values() for d in of} | {
        d for run in runs for of in run.values() for d in of
    }
    names = sorted(document.encode() for document in every)
    measures = ["AP", "subAP", "infAP", "indAP", "bpref", "nDCG@5"]
    evaluator = ReducedRunsEvaluator(
        qrels, measures, SamplingPlan(["60%", "90%"], seed=3, repeat=2)
    )
    results = [scores for _, scores in evaluator.evaluate_many(runs)]
    for design, share in enumerate((Fraction(3, 5), Fraction(9, 10))):
        for replicate in range(2):
            stays = draw_collection(ids_from_bytes(names), share, 3, replicate).tolist()
            kept = {name.decode() for name, stay in zip(names, stays, strict=True) if stay}
            for run, found in zip(runs, results, strict=True):
                assert not isinstance(found, IrevError)
                reduced = {
                    topic: {document: s for document, s in of.items() if document in kept}
                    for topic, of in run.items()
                }
                expected = evaluate(qrels, reduced, measures).summary()
                values = found.values[design, replicate]
                for column, value in enumerate(values.tolist()):
                    name = found.name(column)
                    assert value == pytest.approx(expected[name], abs=1e-12)


def test_complete_judgments_of_reduced_runs(whole: StudyResult) -> None:
    """SubAP is AP there, and infAP nearly."""
    every = tables(whole, "imperfect-estimates").set_index(["run", "rate", "sample"])
    ap, sub, inf = (every[every["measure"] == m]["estimate"] for m in ("AP", "subAP", "infAP"))
    assert np.abs(ap - sub).max() <= 1e-12
    assert np.abs(ap - inf).max() < 5e-6
    drawn = tables(whole, "imperfect").set_index(["measure", "rate"])
    assert drawn.loc[("AP", 100.0), "mean"] == 1
    assert 0 < drawn.loc[("AP", 50.0), "mean"] < 1
    assert drawn.loc[("AP", 50.0), "mean"] == drawn.loc[("subAP", 50.0), "mean"]


def test_cut_after_closing_up() -> None:
    """What a cutoff had removed comes back when documents before it go."""
    qrels = {"t": {f"d{n}": int(n == 7) for n in range(8)}}
    run = {"t": {f"d{n}": 9.0 - n for n in range(8)}}
    options = Options(max_retrieved=4)
    evaluator = ReducedRunsEvaluator(qrels, ["AP"], SamplingPlan(["25%"], repeat=40), options)
    [(_, found)] = evaluator.evaluate_many([run])
    assert not isinstance(found, IrevError)
    assert {0.0, 1.0, 0.5} >= set(found.values.ravel().tolist())
    assert found.values.max() > 0


@pytest.mark.parametrize(
    ("measures", "rates"),
    [(["xinfAP"], ["50%"]), (["AP"], ["1-10=50%"]), (["subAP(mode=drawn)"], ["50%"])],
)
def test_refused_on_parts(measures: list[str], rates: list[str]) -> None:
    with pytest.raises(UsageError):
        ReducedRunsEvaluator({"t": {"d": 1}}, measures, SamplingPlan(rates))


# --- several collections ---


@pytest.mark.thorough
@pytest.mark.usefixtures("unplaced")
def test_collections_side_by_side(synthetic: tuple[Path, list[Path]], tmp_path: Path) -> None:
    """Each collection as it is alone; a row of panels for each statistic."""
    qrels, runs = synthetic
    options = ["--rates", "30,100", "--repeat", "2", "-m", "AP", "-m", "infAP"]
    other = " ".join(map(str, (qrels, *runs[:3])))
    ran = irev(
        "study", "robustness", QRELS, *RUNS, "--collection", other, *options, "--output", tmp_path,
        "--imperfect", "50",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "qrels.txt: over 12 topics" in ran.out.decode()
    assert "qrels: over 20 topics" in ran.out.decode()
    sampling = RobustnessOptions(rates=[30, 100], repeat=2, imperfect=[50])
    alone = {
        "qrels.txt": robustness(QRELS, RUNS, ("AP", "infAP"), options=sampling),
        "qrels": robustness(qrels, runs[:3], ("AP", "infAP"), options=sampling),
    }
    for kind in ("grid", "agreement", "samples", "estimates", "imperfect"):
        table = pd.read_csv(tmp_path / f"{kind}.csv")
        for name, outcome in alone.items():
            found = table[table["collection"] == name].drop(columns="collection")
            wanted = tables(outcome, kind).reset_index(drop=True)
            pd.testing.assert_frame_equal(found.reset_index(drop=True), wanted, check_dtype=False)
    figures = side_by_side(alone).figures
    assert {f"{name}.svg" for name in figures} == {path.name for path in tmp_path.glob("*.svg")}
    axes = figures["grid"]().axes
    assert [each.get_title() for each in axes] == ["qrels.txt", "qrels", *[""] * 6]
    assert [each.get_ylabel() for each in axes[::2]] == [
        "Kendall's τ", "Pearson's ρ", "RMS error", "mean over runs",
    ]  # fmt: skip
    low, high = axes[4].get_ylim()
    assert (low, high) == axes[5].get_ylim()
    assert all(
        at(tables(o, "grid"), statistic="rms")["highest"].max() <= high for o in alone.values()
    )
    line = next(each for each in axes[5].get_lines() if each.get_label() == "infAP")
    points = at(tables(alone["qrels"], "grid"), statistic="rms", measure="infAP")
    assert np.asarray(line.get_ydata()).tolist() == points["mean"].tolist()


# --- figures ---


def test_grid_figure(whole: StudyResult) -> None:
    figure = whole.figures["grid"]()
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "Kendall's τ", "Pearson's ρ", "RMS error", "mean over runs",
    ]  # fmt: skip
    table = tables(whole, "grid")
    for axes, statistic in zip(figure.axes, ("tau", "rho", "rms", "mean"), strict=True):
        assert axes.get_xlabel() == "judged documents kept (%)"
        assert axes.get_xscale() == "log"
        assert {line.get_label() for line in axes.get_lines()} == set(MEASURES)
        for line in axes.get_lines():
            points = at(table, statistic=statistic, measure=line.get_label())
            assert np.asarray(line.get_xdata()).tolist() == points["rate"].tolist()
            assert np.asarray(line.get_ydata()).tolist() == points["mean"].tolist()
        assert len(axes.collections) == len(MEASURES)
        low, high = axes.get_ylim()
        values = at(table, statistic=statistic)
        assert low <= values["lowest"].min()
        assert high >= values["highest"].max()
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {*MEASURES, BAND}


@pytest.mark.thorough
def test_curves_figure(whole: StudyResult) -> None:
    figure = whole.figures["curves"]()
    assert len(figure.axes) == 3 * (len(MEASURES) - 1)
    for number, axes in enumerate(figure.axes):
        labels = {str(line.get_label()) for line in axes.get_lines()}
        assert len(labels) == 2
        assert "bpref-10" in labels
        assert axes.get_title().startswith(next(iter(labels - {"bpref-10"})))
        assert axes.get_ylabel() == ("Kendall's τ", "Pearson's ρ", "RMS error")[number % 3]
    assert set(tables(whole, "curves")["statistic"]) == {"tau", "rho", "rms"}


@pytest.mark.thorough
def test_scatter_figure(whole: StudyResult) -> None:
    figure = whole.figures["scatter"]()
    table = tables(whole, "scatter")
    panels = [
        (measure, rate) for measure in dict.fromkeys(table["measure"]) for rate in (30.0, 10.0, 5.0)
    ]
    assert len(figure.axes) == len(panels)
    for axes, (measure, rate) in zip(figure.axes, panels, strict=True):
        points = at(table, measure=measure, rate=rate)
        diagonal, dots = axes.get_lines()
        assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
        assert np.asarray(dots.get_xdata()).tolist() == points["actual"].tolist()
        assert np.asarray(dots.get_ydata()).tolist() == points["estimate"].tolist()
        first = points.iloc[0]
        assert f"{measure}, {rate:g} %, sample {first['sample']}" in axes.get_title()
        assert f"RMS {first['rms']:.3f}" in axes.get_title()
        assert axes.get_xlim() == axes.get_ylim()
        assert axes.get_xlabel() == "mean AP, all judgments"


def test_imperfect_alone_means_that_alone(synthetic: tuple[Any, Any], whole: StudyResult) -> None:
    alone = robustness(*synthetic, repeat=4, imperfect=(50, 100))
    assert alone.shown == ("imperfect",)
    assert set(alone.tables) == {"imperfect", "imperfect-samples", "imperfect-estimates"}
    assert list(alone.figures) == ["imperfect"]
    assert alone.parameters["rates"] == []
    for kind, table in alone.tables.items():
        assert table.equals(whole.tables[kind])


def test_imperfect_figure(whole: StudyResult) -> None:
    (axes,) = whole.figures["imperfect"]().axes
    assert axes.get_xlabel() == "collection kept (%)"
    assert axes.get_xscale() == "linear"
    assert {line.get_label() for line in axes.get_lines()} == set(MEASURES)
    for line in axes.get_lines():
        assert np.asarray(line.get_xdata()).tolist() == [50, 100]


def test_figures_of_equal_runs() -> None:
    """No order of equal runs agrees with another."""
    qrels, (run,) = collection_of(runs=1, topics=4, pool=20, retrieved=20)
    record = robustness(qrels, [run, run], ["AP"], rates=[5, 30], repeat=2)
    tau, rho, rms, _ = record.figures["grid"]().axes
    assert [text.get_text() for text in tau.texts] == ["not defined"]
    assert [text.get_text() for text in rho.texts] == ["not defined"]
    assert tau.get_xlim() == pytest.approx((4.5, 33))
    assert not rms.texts
    first = record.figures["scatter"]().axes[0]
    assert first.get_title().endswith("τ –   ρ –")
    assert "not defined where no two runs differ under a sample: AP (4)" in "\n".join(record.notes)


# --- real runs ---

BY_TREC_EVAL = {
    # rate, sample, run: infAP, AP and AP with -J, of qrels thinned apart from this code
    (5, 3, "BERT"): (0.0551, 0.0148, 0.1279),
    (5, 3, "sab20.1.meta.docs"): (0.3102, 0.0813, 0.5772),
    (30, 1, "BERT"): (0.0478, 0.0199, 0.0903),
    (30, 1, "sab20.1.meta.docs"): (0.2992, 0.1282, 0.4797),
}


@needs_real_data
def test_runs_of_trec_covid(tmp_path: Path) -> None:
    runs = sorted((COVID / "runs").iterdir())
    ran = irev(
        "study", "robustness", COVID_QRELS, *runs, "--rates",
        "5,30,100", "--imperfect", "50,70", "--output", tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = pd.read_csv(tmp_path / "estimates.csv")
    assert set(found["run"]) == {path.name for path in runs}
    for (rate, sample, run), values in BY_TREC_EVAL.items():
        for measure, value in zip(("infAP", "AP", "indAP"), values, strict=True):
            row = at(found, rate=rate, sample=sample, run=run, measure=measure)
            assert row["estimate"].item() == pytest.approx(value, abs=6e-5)
    reduced = at(pd.read_csv(tmp_path / "imperfect-estimates.csv"), run="OHSU_RUN3", measure="AP")
    assert at(reduced, rate=70, sample=4)["estimate"].item() == pytest.approx(0.1555, abs=6e-5)
    assert at(reduced, rate=50, sample=1)["estimate"].item() == pytest.approx(0.1253, abs=6e-5)


# --- what is said and refused ---


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ([0], "'0' is not a percentage above 0"),
        ([101], "at most 100"),
        (["10"], "rates must be a number, not '10'"),
        ("10", "rates must be a list"),
        ([12.5, 12.5], "duplicate rate 12.5%"),
    ],
)
def test_wrong_rates(rates: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        robustness(QRELS, RUNS, ["AP"], rates=rates)


def test_refused() -> None:
    with pytest.raises(UsageError, match="two runs or more"):
        robustness(QRELS, RUNS[:1])
    with pytest.raises(UsageError, match='topics="both": the runs are compared on the same topics'):
        robustness(QRELS, RUNS, topics="both")
    with pytest.raises(UsageError, match="two runs are called bm25"):
        robustness(QRELS, [RUNS[0], RUNS[0]], ["AP"], rates=[10], repeat=1)
    with pytest.raises(MismatchError):
        robustness(QRELS, [RUNS[0], {"other": {"d": 1.0}}], ["AP"], rates=[10], repeat=1)
    with pytest.raises(UsageError, match=r"collections: give judgments and runs, \(qrels, runs\)"):
        robustness(QRELS, RUNS, collections=[(QRELS,)])


def test_collections_in_memory() -> None:
    qrels, runs = collection_of(runs=3, topics=4, pool=20, retrieved=20)
    record = robustness(qrels, runs, "AP", rates=[50], repeat=1, collections=[(qrels, runs[:2])])
    assert list(record.parameters["collections"]) == ["collection 1", "collection 2"]
    assert len(tables(record, "estimates")) == 5


def test_runs_in_memory() -> None:
    qrels, runs = collection_of(runs=3, topics=4, pool=20, retrieved=20)
    record = robustness(qrels, runs, ["AP"], rates=[50], repeat=1)
    assert set(tables(record, "estimates")["run"]) == {"run 1", "run 2", "run 3"}


def test_nothing_hangs_on_order_or_threads() -> None:
    sampling = RobustnessOptions(rates=[10, 30], repeat=2, imperfect=[50], seed=1)
    one = robustness(QRELS, RUNS, options=sampling)
    other = robustness(QRELS, RUNS[::-1], options=sampling, threads=1)
    for name, table in one.tables.items():
        pd.testing.assert_frame_equal(table, other.tables[name], check_exact=True)
    assert one.parameters == other.parameters


# --- the command ---


def test_topics_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("1\n2\n3\n", encoding="utf-8")
    words = ["--rates", "50", "--repeat", "1", "-m", "AP", "--topics", str(tmp_path / "topics")]
    ran = irev("study", "robustness", QRELS, *RUNS, *words)
    assert ran.code == 0
    assert "over 3 topics" in ran.out.decode()


def test_command_refuses() -> None:
    refused: list[tuple[list[Any], str]] = [
        ([QRELS, RUNS[0]], "two runs or more"),
        ([QRELS, *RUNS, "--rates", "0"], "above 0"),
        ([QRELS, *RUNS, "-m", "nothing"], "nothing"),
        ([QRELS, *RUNS, "--imperfect", "50", "-m", "xinfAP"], "part of the collection"),
        ([QRELS, RUNS[0], "-", "--imperfect", "50"], "read only once"),
        (["-", *RUNS, "--imperfect", "50"], "read only once"),
        ([QRELS, *RUNS, "--rates", ""], "the value is empty"),
        ([QRELS, *RUNS, "--rates", "5,,10"], "'' is not a percentage"),
        ([QRELS, *RUNS, "--rates", "x"], "'x' is not a percentage"),
        ([QRELS, *RUNS, "--rates", "10, 10%"], "duplicate"),
        ([QRELS, *RUNS, "--topics", "both"], "--topics both"),
        ([QRELS, *RUNS, "--collection", "'"], "give 'QRELS RUN...'"),
        ([QRELS, *RUNS, "--collection", str(QRELS)], "two runs or more"),
    ]
    for arguments, message in refused:
        ran = irev("study", "robustness", *arguments)
        assert ran.code == 2, arguments
        assert ran.out == b"", arguments
        assert message in ran.err, arguments
        assert "Traceback" not in ran.err, arguments


def test_rates_in_any_order_keep_their_figures(synthetic: tuple[Path, list[Path]]) -> None:
    """Samples depend on seed, number and rate alone: each rate has what it has by itself."""
    qrels, runs = synthetic

    def agreement(*rates: int) -> pd.DataFrame:
        record = robustness(qrels, runs[:4], ["infAP", "AP"], rates=rates, repeat=2)
        return record.tables["agreement"]

    falling, alone = agreement(50, 10), {rate: agreement(rate) for rate in (50, 10)}
    for rate, table in alone.items():
        same = at(falling, rate=float(rate)).reset_index(drop=True)
        pd.testing.assert_frame_equal(same, at(table, rate=float(rate)).reset_index(drop=True))
    means = {rate: at(table, measure="AP")["mean"].item() for rate, table in alone.items()}
    assert means[50] > means[10]
