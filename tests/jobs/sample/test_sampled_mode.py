"""Runs under samples of the judgments: `--sample`."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

from irev import IrevError, Options, UsageError, evaluate
from irev.jobs.sample.designs import SamplingPlan
from irev.jobs.sample.evaluation import SampledEvaluator, SampledScores, agreement_over_runs
from irev.statistics.correlation import pearson, tau_b
from tests.command import irev
from tests.files import SAMPLE

DATA = SAMPLE

# trec_eval 10 -c on sample_data/qrels.txt with all but the sampled documents graded -1; the samples
# were drawn apart from this project by the rule of `irev.core.draws`, with seed 7
TREC_EVAL = {
    ("bm25", "10%"): {
        "num_rel": [28, 33, 27],
        "num_rel_ret": [19, 26, 19],
        "map": [0.0850, 0.1536, 0.1490],
        "gm_map": [0.0090, 0.0242, 0.0257],
        "bpref": [0.3819, 0.5806, 0.4375],
        "P_10": [0.0500, 0.1000, 0.0917],
        "infAP": [0.3045, 0.4685, 0.3564],
        "ndcg": [0.2537, 0.3324, 0.2987],
    },
    ("bm25", "30%"): {
        "num_rel": [98, 84, 74],
        "num_rel_ret": [66, 56, 47],
        "map": [0.2018, 0.2008, 0.1243],
        "gm_map": [0.0903, 0.0790, 0.0410],
        "bpref": [0.4749, 0.4533, 0.2969],
        "P_10": [0.2083, 0.1917, 0.1333],
        "infAP": [0.4233, 0.3871, 0.2488],
        "ndcg": [0.4593, 0.4292, 0.2987],
    },
    ("rm3", "10%"): {
        "num_rel": [28, 33, 27],
        "num_rel_ret": [20, 23, 23],
        "map": [0.1040, 0.1194, 0.1207],
        "gm_map": [0.0107, 0.0192, 0.0220],
        "bpref": [0.4514, 0.4556, 0.3472],
        "P_10": [0.0583, 0.0917, 0.0500],
        "infAP": [0.3589, 0.3826, 0.3240],
        "ndcg": [0.2540, 0.2698, 0.3087],
    },
    ("rm3", "30%"): {
        "num_rel": [98, 84, 74],
        "num_rel_ret": [71, 61, 56],
        "map": [0.2459, 0.1917, 0.1565],
        "gm_map": [0.0925, 0.0664, 0.0674],
        "bpref": [0.4989, 0.5138, 0.4340],
        "P_10": [0.2583, 0.2083, 0.1333],
        "infAP": [0.4474, 0.4363, 0.3457],
        "ndcg": [0.4819, 0.4025, 0.3839],
    },
}
COMPLETE = {  # trec_eval 10 -c on bm25.run
    "num_rel": 290,
    "num_rel_ret": 193,
    "map": 0.3501,
    "gm_map": 0.1560,
    "bpref": 0.4188,
    "P_10": 0.5500,
    "infAP": 0.3591,
    "ndcg": 0.5932,
}
MEASURES = ["map", "gm_map", "infAP", "bpref", "P.10", "ndcg", "num_rel", "num_rel_ret"]
RUNS = [str(DATA / "bm25.run"), str(DATA / "rm3.run")]


def under(evaluator: SampledEvaluator, *runs: object) -> list[SampledScores]:
    """The scores of runs that can all be evaluated."""
    found = []
    for _, outcome in evaluator.evaluate_many(runs):
        assert not isinstance(outcome, IrevError)
        found.append(outcome)
    return found


def named(scores: SampledScores) -> dict[str, int]:
    """The columns by name."""
    return {scores.name(column): column for column in range(len(scores.shown))}


# --- the values ---------------------------------------------------------------------------------


def test_each_sample_scores_as_the_thinned_judgments_do_in_trec_eval():
    evaluator = SampledEvaluator(
        DATA / "qrels.txt",
        MEASURES,
        SamplingPlan(["10%", "30%"], seed=7, repeat=3),
        Options(topics="qrels"),
    )
    for name, scores in zip(("bm25", "rm3"), under(evaluator, *RUNS), strict=True):
        columns = named(scores)
        for number, design in enumerate(scores.designs):
            for measure, values in TREC_EVAL[name, design].items():
                found = scores.values[number, :, columns[measure]]
                assert found == pytest.approx(values, abs=5.01e-5), (name, design, measure)
    scores = under(evaluator, RUNS[0])[0]
    assert scores.complete[list(named(scores).values())] == pytest.approx(
        [COMPLETE[name] for name in named(scores)], abs=5.01e-5
    )
    # those whose first draw held no relevant document
    assert [each.topics for each in scores.redrawn] == [(b"007", b"100"), ()]


def test_everything_is_as_without_a_sample_at_100_percent():
    evaluator = SampledEvaluator(DATA / "qrels.txt", MEASURES, SamplingPlan(["100%"], repeat=2))
    for scores in under(evaluator, *RUNS):
        assert (scores.values == scores.complete).all()
        assert not scores.deviation.any()


@pytest.mark.parametrize("threads", [1, 2])
def test_samples_depend_on_seed_and_replicate_alone(threads):
    def values(runs, samples, **more):
        options = Options(threads=threads)
        evaluator = SampledEvaluator(
            DATA / "qrels.txt", ["map"], SamplingPlan(samples, **more), options
        )
        return under(evaluator, *runs)[-1].values

    base = values([RUNS[0]], ["30%"], seed=7, repeat=2)
    more = values(RUNS[::-1], ["10%", "30%"], seed=7, repeat=4)
    assert (more[1, :2] == base[0]).all()
    assert (values([RUNS[0]], ["30%"], seed=8, repeat=2) != base).all()
    assert (values([RUNS[0]], ["0.3"], seed=7, repeat=2) == base).all()


def test_topics_under_samples_are_those_of_thinned_judgments(tmp_path):
    """What -q prints is what an evaluation with the judgments of `irev sample` prints."""
    run, qrels = str(DATA / "bm25.run"), str(DATA / "qrels.txt")
    drawn = []
    for replicate in range(3):
        thin = tmp_path / f"{replicate}.qrels"
        one = ("sample", qrels, "--rate", "30%", "--seed", "7", "--replicate", str(replicate))
        thin.write_bytes(irev(*one).out)
        drawn.append(evaluate(thin, run, ["infAP"]).per_topic())
    full = evaluate(qrels, run, ["infAP", "AP"]).per_topic()
    out = irev(
        "-q", "--sample", "30%", "--seed", "7", "--repeat", "3", "-m", "infAP", "--format", "csv",
        qrels, run,
    ).out.decode()  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["topic"] for row in rows] == [*full, "all"]
    for row in rows[:-1]:
        estimates = [float(each[row["topic"]]["infAP"]) for each in drawn]
        target = float(full[row["topic"]]["AP"])
        assert float(row["all"]) == full[row["topic"]]["infAP"]
        assert float(row["target"]) == target
        assert float(row["mean"]) == pytest.approx(sum(estimates) / 3)
        assert float(row["bias"]) == pytest.approx(sum(estimates) / 3 - target)
        squares = sum((each - target) ** 2 for each in estimates)
        assert float(row["rms"]) == pytest.approx(math.sqrt(squares / 3))
    # the mean over topics is that of the line `all`
    assert float(rows[-1]["mean"]) == pytest.approx(np.mean([float(r["mean"]) for r in rows[:-1]]))


QRELS = {"q": {"a": 1, "b": 0, "c": 1, "d": 1}}


def test_strata_of_the_ranks_over_all_runs():
    # best ranks: a 1, b 1, x -, c 2, d 3; c is drawn with b's partner at 100%, d is outside
    runs = [{"q": {"a": 3.0, "x": 2.0, "c": 1.0}}, {"q": {"b": 3.0, "c": 2.0, "d": 1.0}}]
    evaluator = SampledEvaluator(QRELS, ["map", "infAP"], SamplingPlan(["1-2=100%"], repeat=1))
    first, second = under(evaluator, *runs)
    # R is 2, d being outside the pool
    assert first.values[0, 0].tolist() == pytest.approx([(1 + 2 / 3) / 2] * 2, abs=1e-5)
    assert second.values[0, 0].tolist() == pytest.approx([1 / 4] * 2, abs=1e-5)
    assert first.complete.tolist() == pytest.approx([(1 + 2 / 3) / 3] * 2, abs=1e-5)
    # alone, the second run's pool has no a
    (alone,) = under(evaluator, runs[1])
    assert alone.values[0, 0].tolist() == pytest.approx([1 / 2] * 2, abs=1e-5)


def test_a_stratum_without_end_holds_what_nobody_retrieved():
    evaluator = SampledEvaluator(QRELS, ["num_rel"], SamplingPlan(["1-2=100%,3-=100%"], repeat=1))
    (scores,) = under(evaluator, {"q": {"a": 3.0, "b": 2.0}})
    assert scores.values.tolist() == [[[3.0]]]


STRATIFIED = ["xinfAP", "infNDCG", "iP@10", "iRecall", "P.10"]


@pytest.mark.parametrize("design", ["30%", "1-10=100%,11-30=20%"])
def test_strata_give_what_their_files_do(design, tmp_path):
    evaluator = SampledEvaluator(
        DATA / "qrels.txt",
        STRATIFIED,
        SamplingPlan([design], seed=7, repeat=2),
        Options(topics="qrels"),
    )
    results = under(evaluator, *RUNS)
    by = "strata" if "=" in design else "uniform"
    for replicate in range(2):
        pool = RUNS if by == "strata" else []
        thinned = irev("sample", "--rate", design, "--by", by, "--seed", "7", "--replicate",
                       str(replicate), "--format", "strata", DATA / "qrels.txt", *pool)  # fmt: skip
        (tmp_path / "strata").write_bytes(thinned.out)
        for run, scores in zip(RUNS, results, strict=True):
            plain = evaluate(
                tmp_path / "strata", run, STRATIFIED, qrels_format="strata", topics="qrels"
            ).summary()
            for name, column in named(scores).items():
                assert scores.values[0, replicate, column] == plain[name], (name, run)


def test_with_all_judged_the_estimate_from_strata_is_nearly_ap():
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 1}}
    evaluator = SampledEvaluator(
        qrels, ["xinfAP"], SamplingPlan(["100%", "1-1=100%,2-=100%"], repeat=1)
    )
    (scores,) = under(evaluator, {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "c": 1.0}})
    assert scores.target(0) == "AP"
    assert scores.aims.tolist() == pytest.approx([(1 + 2 / 4) / 3])
    assert scores.complete == pytest.approx(scores.aims, abs=2e-5)
    assert scores.values.ravel().tolist() == pytest.approx([0.5, 0.5], abs=2e-5)


# --- what is said of them -----------------------------------------------------------------------


def made(values: list[list[float]], complete: list[float], aims: list[float]) -> SampledScores:
    """Scores of one design by hand: a line for each sample."""
    scores = SampledScores(None, (), (), ("10%",), 0, np.array([values]), ())  # type: ignore[arg-type]
    scores.__dict__.update(complete=np.array(complete), aims=np.array(aims))
    return scores


def test_mean_spread_and_errors_by_hand():
    scores = made([[0.1], [0.2], [0.6]], [0.5], [0.4])
    assert scores.mean[0, 0] == pytest.approx(0.3)
    assert scores.deviation[0, 0] == pytest.approx(math.sqrt((0.04 + 0.01 + 0.09) / 2))
    assert scores.bias[0, 0] == pytest.approx(-0.1)
    assert scores.rms[0, 0] == pytest.approx(math.sqrt((0.09 + 0.04 + 0.04) / 3))
    assert math.isnan(made([[0.1]], [0.5], [0.4]).deviation[0, 0])


def test_errors_over_runs_by_hand():
    # RMS of (.2 .2 .1) against (.1 .2 .4) is 0.182574 (root of .1/3)
    runs = [made([[e]], [a], [a]) for e, a in ((0.2, 0.1), (0.2, 0.2), (0.1, 0.4))]
    found = agreement_over_runs(runs)
    assert found.rms[0, 0] == pytest.approx(0.182574, abs=1e-6)
    # pairs: one tied in the estimates, two in the opposite order
    assert found.tau[0, 0] == pytest.approx(-2 / math.sqrt(2 * 3))
    # deviations (1 1 -2)/30 and (-4 -1 5)/30
    assert found.rho[0, 0] == pytest.approx(-15 / math.sqrt(6 * 42))
    assert found.mean[0, 0] == pytest.approx(0.5 / 3)
    assert found.aims[0] == pytest.approx(0.7 / 3)


def test_correlations_of_a_constant_are_no_number():
    flat, rising = np.ones(3), np.arange(3.0)
    assert tau_b(rising, rising) == 1
    assert pearson(rising, -rising) == pytest.approx(-1)
    assert math.isnan(tau_b(flat, rising))
    assert math.isnan(pearson(rising, flat))


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("infAP", "AP"),
        ("bpref", "AP"),
        ("infAP(rel=2)", "AP(rel=2)"),
        ("AP(condensed=true)", "AP"),
        ("nDCG(condensed=true)@10", "nDCG@10"),
        ("ERR(condensed=true)@5", "ERR(max=3)@5"),
        ("P.10", "P_10"),
        ("nDCG@5", "nDCG@5"),
    ],
)
def test_what_an_estimate_is_compared_with(name, target):
    evaluator = SampledEvaluator(DATA / "qrels.txt", [name], SamplingPlan(["50%"], repeat=1))
    (scores,) = under(evaluator, RUNS[0])
    assert len(scores.shown) == 1
    assert scores.target(0) == target
    assert scores.full.columns[scores.shown[0]].name == scores.name(0)


def test_names_in_any_order_keep_their_targets():
    names = ["nDCG(condensed=true)@10", "nDCG@5,10", "infAP", "AP", "map"]
    evaluator = SampledEvaluator(DATA / "qrels.txt", names, SamplingPlan(["50%"], repeat=1))
    (scores,) = under(evaluator, RUNS[0])
    assert {scores.name(c): scores.target(c) for c in range(len(scores.shown))} == {
        "map": "map",
        "infAP": "AP",
        "nDCG(condensed=true)@10": "nDCG@10",
        "nDCG@5": "nDCG@5",
        "nDCG@10": "nDCG@10",
        "AP": "AP",
    }


def test_two_spellings_of_one_cutoff_keep_their_targets():
    """One computation fills the three columns; it has two cutoffs."""
    names = [f"nDCG({option})@{k}" for option, k in (
        ("condensed=true", 5), ("judged_only=True", 5), ("condensed=true", 10),
    )]  # fmt: skip
    evaluator = SampledEvaluator(DATA / "qrels.txt", names, SamplingPlan(["50%"], repeat=1))
    (scores,) = under(evaluator, RUNS[0])
    found = {scores.name(c): scores.target(c) for c in range(len(scores.shown))}
    assert found == dict(zip(names, ("nDCG@5", "nDCG@5", "nDCG@10"), strict=True))


# --- simulation ---------------------------------------------------------------------------------

TOPICS, RETRIEVED, COLLECTION = 20, 300, 1500


def collection() -> tuple[dict[str, dict[str, int]], list[dict[str, dict[str, float]]]]:
    """Judgments of the pool of eight made runs at depth 100, and the runs."""
    rng = np.random.default_rng(2006)
    qrels: dict[str, dict[str, int]] = {}
    runs: list[dict[str, dict[str, float]]] = [{} for _ in range(8)]
    for topic in map(str, range(TOPICS)):
        relevant = rng.random(COLLECTION) < rng.uniform(0.02, 0.06)
        pool: set[int] = set()
        for number, run in enumerate(runs):
            score = rng.normal(size=COLLECTION) + relevant * (1 + 0.2 * number)
            best = np.argsort(-score)[:RETRIEVED].tolist()
            pool.update(best[:100])
            run[topic] = {f"d{doc}": float(score[doc]) for doc in best}
        qrels[topic] = {f"d{doc}": int(relevant[doc]) for doc in sorted(pool)}
    return qrels, runs


@pytest.mark.thorough
def test_estimators_on_a_made_collection():
    qrels, runs = collection()
    names = ["infAP", "subAP", "indAP", "bpref-10", "map"]
    evaluator = SampledEvaluator(
        qrels, names, SamplingPlan(["10%", "30%", "50%"], seed=1, repeat=30)
    )
    results = under(evaluator, *runs)
    columns = {name: results[0].name(c) for c, name in enumerate(("map", *names[:4]))}
    order = [named(results[0])[columns[name]] for name in ("infAP", "subAP", "indAP", "bpref-10")]
    over_runs = agreement_over_runs(results)
    for design in range(3):
        errors = over_runs.rms[design, order]
        # the order that Yilmaz and Aslam 2006 found, figures 1 to 7
        assert (np.diff(errors) > 0).all(), (design, errors)
    inferred, plain = order[0], named(results[0])["map"]
    for scores in results:
        # nearly unbiased, but low where few documents are sampled: a simulation of the estimator
        # alone had .336 for .382 at 10%, .377 at 30%, and .580 for .680 at 5%; a mean of 30
        # samples is off by some sd / sqrt(30)
        band = np.array([0.15, 0.05, 0.05]) * scores.aims[inferred]
        band += 2 * scores.deviation[:, inferred] / math.sqrt(30)
        assert (np.abs(scores.bias[:, inferred]) < band).all()
        # the induced and the sub-collection's AP are above, AP itself with R of the sample below
        assert (scores.bias[:, order[2]] > 0).all()
        assert (scores.bias[:, plain] < 0).all()
        # more judgments, less error
        assert (np.diff(scores.rms[:, inferred]) < 0).all()


# --- the command --------------------------------------------------------------------------------

TEXT = """\
infAP                 	all	0.5000
infAP                 	against	AP
infAP                 	target	0.5000
infAP                 	100%:mean	0.5000
infAP                 	100%:sd	0.0000
infAP                 	100%:bias	0.0000
infAP                 	100%:rms	0.0000
"""


@pytest.fixture
def files(tmp_path):
    # AP: (1/2 + 2/4) / 2
    (tmp_path / "qrels").write_text("q 0 a 0\nq 0 b 1\nq 0 c 0\nq 0 d 1\n")
    lines = [f"q Q0 {doc} 1 {9 - rank} tag\n" for rank, doc in enumerate("abcd")]
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "other").write_text("".join(lines[1:]))
    return tmp_path


def test_text_of_one_run(files):
    done = irev("--sample", "100%", "--repeat", "2", "-m", "infAP", "qrels", "run", cwd=files)
    assert done.code == 0
    assert done.out.decode() == TEXT
    assert done.err == "irev: note: bias and rms of infAP: compared with AP under all judgments\n"


def test_a_run_is_read_once(files):
    arguments = ("--sample=50%", "--sample=100%", "--repeat=3", "-mmap", "qrels")
    piped = irev(*arguments, "-", cwd=files, stdin=(files / "run").read_bytes())
    assert piped.code == 0
    assert piped.out == irev(*arguments, "run", cwd=files).out


def test_machine_forms_say_the_same(files):
    def out(form: str) -> str:
        found = irev("--sample", "50%", "--sample", "1-2=100%,3-=50%", "--seed", "3", "-minfAP",
                     "-mP.2", "--format", form, "qrels", "run", "other", cwd=files)  # fmt: skip
        assert found.code == 0
        return found.out.decode()

    table = list(csv.DictReader(io.StringIO(out("csv"))))
    assert [(line["run"], line["measure"], line["sample"]) for line in table] == [
        (run, measure, design)
        for run in ("run", "other", "all")
        for measure in ("infAP", "P_2")
        for design in ("50%", "1-2=100%,3-=50%")
    ]
    whole = json.loads(out("json"))
    assert whole["designs"] == ["50%", "1-2=100%,3-=50%"]
    assert (whole["seed"], whole["samples"]) == (3, 10)
    lines = [m for run in whole["runs"] for m in run["measures"]] + whole["over_runs"]
    for line, fields in zip(lines, table, strict=True):
        for name in ("all", "target", "mean", "bias", "rms"):
            assert line[name] == float(fields[name])
        if "values" in line:
            assert sum(line["values"]) / 10 == pytest.approx(line["mean"])
    # AP of the run is 1/2, of the other, without its first document, (1 + 2/3) / 2
    assert [float(line["target"]) for line in table[::4]] == pytest.approx([1 / 2, 5 / 6, 2 / 3])
    assert out("tsv").replace("\t", ",").count("\n") == out("csv").count("\n")


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_tables_for_people(files, form):
    pytest.importorskip("tabulate")
    done = irev(
        "--sample=100%", "-minfAP", "--format", form, "--places=2", "qrels", "run", cwd=files
    )
    lines = done.out.decode().splitlines()
    assert lines[0].strip("| ").split()[0] == "measure"
    cells = [cell for cell in lines[2].replace("|", " ").split() if cell]
    assert cells == ["infAP", "0.50", "AP", "0.50", "100%", "10", "0.50", "0.00", "0.00", "0.00"]
    signed = irev("-minfAP", "-mAP", "--format", form, "qrels", "run", cwd=files)
    signature = signed.out.decode().splitlines()[-1]
    assert signature.startswith("irev:")
    assert lines[-3:] == ["samples drawn with seed 0", "averaged over 1 topic", signature]


def test_refusals(files):
    for arguments, said in [
        (["--sample", "0"], "above 0"),
        (["--sample", "150%"], "at most 100%"),
        (["--sample", "many"], "not a rate"),
        (["--sample", "1-10=50%,5-20=10%"], "overlap"),
        (["--sample", "10%", "--sort", "map"], "--sort cannot be combined with it"),
        (["--sample", "10%", "-n"], "-n cannot be combined with it"),
        (["--sample", "10%", "-J"], "condensed=true"),
        (["--sample", "10%", "--ties", "average"], "orders of ties"),
        (["--sample", "10%", "--residuals", "-m", "P.5"], "residuals"),
        (["--sample", "10%", "-R", "prefs", "-m", "all_prefs"], "not of prefs"),
        (["--sample", "10%", "--repeat", "0"], "--repeat"),
        (["--sample", "10%", "-m", "nonsense"], "nonsense"),
        (["--sample", "10%", "-m", "statAP"], "-R prels"),
    ]:
        done = irev(*arguments, "qrels", "run", cwd=files)
        assert (done.code, done.out) == (2, b""), arguments
        assert said in done.err, arguments


def test_a_bad_run_leaves_the_others(files):
    (files / "bad").write_text("q Q0 a\n")
    arguments = ("--sample=100%", "-minfAP", "qrels", "bad", "run")
    done = irev(*arguments, cwd=files)
    assert done.code == 2
    assert done.out.decode() == "# run\n" + TEXT
    assert "bad" in done.err
    kept = irev(*arguments, "--output", "result", cwd=files)
    assert kept.code == 2
    assert not (files / "result").exists()


def test_output_goes_to_a_file(files):
    done = irev("--sample=100%", "-minfAP", "--output", "result", "qrels", "run", cwd=files)
    assert (done.code, done.out) == (0, b"")
    assert (files / "result").read_text(encoding="utf-8") == TEXT


def test_incomplete_judgments_are_said_and_strict_refuses_them(files):
    (files / "qrels").write_text("q 0 a 0\nq 0 b 1\nq 0 c -1\nq 0 d 1\n")
    done = irev("--sample=100%", "-minfAP", "qrels", "run", cwd=files)
    assert done.code == 0
    assert "warning: the judgments are not complete: 1 document" in done.err
    strict = irev("--sample=100%", "-minfAP", "--strict", "qrels", "run", cwd=files)
    assert (strict.code, strict.out) == (2, b"")


def test_strata_of_several_rates_are_no_sample_for_infap(files):
    done = irev("--sample=1=100%,2-=50%", "-minfAP", "qrels", "run", cwd=files)
    assert "infAP: made for samples of one rate" in done.err


def test_judgment_groups_are_not_sampled():
    with pytest.raises(UsageError, match="not of qrels_jg"):
        SampledEvaluator(DATA / "qrels_jg.txt", [], SamplingPlan(["10%"]), qrels_format="qrels_jg")
