"""Runs on several collections: values beside pytrec_eval's, means by hand, intervals by scipy."""

import csv
import io
import random
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
import pytrec_eval
import scipy.stats

import irev
from irev.jobs.leaderboard.collections import find_collections, mean_over_collections
from tests.command import irev as run_irev

SIZES = {"arguana": 7, "cqadupstack/android": 5, "cqadupstack/gis": 9, "scifact": 12}
NOISES = {"bm25": 9.0, "dense": 5.0, "rerank": 1.0}


Qrels: TypeAlias = dict[str, dict[str, int]]
Ranking: TypeAlias = dict[str, dict[str, float]]
Made: TypeAlias = dict[str, tuple[Qrels, dict[str, Ranking]]]


def made_collections(*, without: tuple[str, str] = ("", "")) -> Made:
    draw = random.Random(5)
    made = {}
    for collection, size in SIZES.items():
        topics = [f"t{number}" for number in range(size)]
        qrels = {t: {f"d{d}": draw.choice([0, 0, 1, 2]) for d in range(8)} for t in topics}
        runs = {
            run: {t: {f"d{d}": -d + noise * draw.random() for d in range(20)} for t in topics}
            for run, noise in NOISES.items()
            if (collection, run) != without
        }
        made[collection] = qrels, runs
    return made


def write_beir(folder: Path, made: Made, *, runs_beside: str = "") -> Path:
    for collection, (qrels, runs) in made.items():
        home = folder / "beir" / collection
        (home / "qrels").mkdir(parents=True)
        (home / "corpus.jsonl").write_text("{}\n")
        lines = [f"{t}\t{d}\t{g}\n" for t, each in qrels.items() for d, g in each.items()]
        (home / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
        (home / "qrels/train.tsv").write_text("query-id\tcorpus-id\tscore\nx\ty\t1\n")
        for run, ranking in runs.items():
            below = f"{runs_beside or 'beir/COLLECTION/runs/RUN'}.run"
            path = folder / below.replace("COLLECTION", collection).replace("RUN", run)
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [f"{t} Q0 {d} 1 {s!r} x\n" for t, e in ranking.items() for d, s in e.items()]
            path.write_text("".join(rows))
    return folder / "beir"


def ndcg_by_topic(qrels: Qrels, run: Ranking) -> list[float]:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
    return [each["ndcg_cut_10"] for each in evaluator.evaluate(run).values()]


@pytest.mark.long
def test_values_are_pytrec_evals_and_the_mean_of_means_is_as_by_hand(tmp_path: Path) -> None:
    made = made_collections()
    beir = write_beir(tmp_path, made)
    done = run_irev("leaderboard", "--collections", beir, "-m", "ndcg_cut_10", "--format", "csv")
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(done.out.decode()))}
    assert [*rows] == ["rerank", "dense", "bm25"]
    for run, row in rows.items():
        own = {c: float(np.mean(ndcg_by_topic(q, r[run]))) for c, (q, r) in made.items()}
        for collection, value in own.items():
            assert float(row[collection]) == pytest.approx(value, abs=1e-12)
        cqadupstack = (own["cqadupstack/android"] + own["cqadupstack/gis"]) / 2
        assert float(row["cqadupstack"]) == pytest.approx(cqadupstack, abs=1e-12)
        by_hand = (own["arguana"] + cqadupstack + own["scifact"]) / 3
        assert float(row["mean"]) == pytest.approx(by_hand, abs=1e-12)
        # 1/3 for each collection, of the group 1/6 for each member
        variance = sum(
            (1 / 6 if "/" in c else 1 / 3) ** 2 * np.var(ndcg_by_topic(q, r[run]), ddof=1) / len(q)
            for c, (q, r) in made.items()
        )
        assert 0 < float(row["high"]) - by_hand < 4 * variance**0.5


def test_interval_and_p_of_two_collections_are_those_of_welchs_test() -> None:
    """(x + y) / 2 is half the difference of x and -y, of which scipy has Welch's interval."""
    draw = np.random.default_rng(1)
    x, y = draw.normal(0.3, 0.1, 8), draw.normal(0.2, 0.4, 15)
    welch = scipy.stats.ttest_ind(x, -y, equal_var=False)
    over = mean_over_collections(
        np.array([[x.mean()], [y.mean()]]),
        np.array([[x.std(ddof=1)], [y.std(ddof=1)]]),
        np.array([8.0, 15.0]),
        np.array([7.0, 14.0]),
        np.array([0.5, 0.5]),
    )
    ends = np.array(over.interval(0.95, -9, 9)).ravel()
    assert ends == pytest.approx(np.array(welch.confidence_interval()) / 2, rel=1e-9)
    assert over.df[0] == pytest.approx(welch.df, rel=1e-9)
    assert over.p()[0] == pytest.approx(welch.pvalue, rel=1e-9)


def test_p_of_two_runs_on_two_collections_is_welchs_of_the_differences() -> None:
    made = {c: each for c, each in made_collections().items() if "/" not in c}
    collections = {
        c: {"qrels": q, "runs": {run: r[run] for run in ("bm25", "rerank")}}
        for c, (q, r) in made.items()
    }
    board = irev.leaderboard_of_collections(collections, measures="ndcg_cut_10")
    first, second = (
        np.subtract(ndcg_by_topic(q, r["rerank"]), ndcg_by_topic(q, r["bm25"]))
        for q, r in made.values()
    )
    welch = scipy.stats.ttest_ind(first, -second, equal_var=False)
    lead = board.measures[0].lead
    assert lead is not None
    assert lead.p == pytest.approx(welch.pvalue, rel=1e-7)
    assert lead.best == "rerank"
    assert lead.difference == pytest.approx(float(first.mean() + second.mean()) / 2)
    assert [lead.low, lead.high] == pytest.approx(np.array(welch.confidence_interval()) / 2)


def given(made: Made) -> dict[str, Any]:
    """Collections as Python takes them, those of a group in a mapping of its own."""
    collections: dict[str, Any] = {}
    for name, (qrels, runs) in made.items():
        top, _, member = name.partition("/")
        one = {"qrels": qrels, "runs": runs}
        if member:
            collections.setdefault(top, {})[member] = one
        else:
            collections[top] = one
    return collections


def test_run_that_lacks_a_collection_has_no_mean_and_never_0() -> None:
    made = made_collections(without=("scifact", "rerank"))
    board = irev.leaderboard_of_collections(given(made), measures="ndcg@10")
    text = str(board)
    assert text.startswith(("it cannot be decided", "dense is better"))
    assert "rerank has no mean: it lacks scifact" in text
    assert [line for line in text.splitlines() if line.split()[:1] == ["-"]]
    assert max(map(len, text.splitlines())) <= 80
    last = board.to_dict()["leaderboard_of_collections"]["measures"][0]["runs"][-1]
    assert (last["run"], last["place"], last["mean"], last["values"]["scifact"]) == (
        "rerank", None, None, None,
    )  # fmt: skip
    assert last["values"]["arguana"] > 0


@pytest.mark.long
def test_broken_and_stray_files_are_named(tmp_path: Path) -> None:
    beir = write_beir(tmp_path, made_collections())
    (beir / "arguana/runs/dense.run").write_text("t1 Q0 d1 1 secret x\n")
    (beir / "notes").mkdir()
    more = tmp_path / "more"
    more.mkdir()
    (more / "quora.run").write_text("1 Q0 a 1 1 x\n")
    (beir / "scifact/runs/link.run").symlink_to("bm25.run")
    words: list[Any] = ["--strict", "leaderboard", "--collections", beir, more, "-m", "ndcg@10"]
    done = run_irev(*words)
    said = done.out.decode().replace("\n", " ")
    assert done.code == 1
    for line in (
        f"{beir}/notes: no qrels, left out",
        f"{more}/quora.run: no collection is called so, left out",
        f"arguana: not scored: {beir}/arguana/runs/dense.run:1",
        f"scifact: not scored: {beir}/scifact/runs/link.run",
        "dense has no mean: it lacks arguana",
    ):
        assert line in said
    assert "secret" not in said + done.err


def test_runs_are_found_by_the_names_of_collections_in_their_paths(tmp_path: Path) -> None:
    layouts = [
        "runs/RUN/COLLECTION", "runs/COLLECTION/RUN", "runs/RUN.COLLECTION", "runs/COLLECTION-RUN",
        "runs/deep/RUN_COLLECTION",
    ]  # fmt: skip
    for number, layout in enumerate(layouts):
        home = tmp_path / str(number)
        beir = write_beir(home, made_collections(), runs_beside=layout)
        found, remarks = find_collections(str(beir), [str(home / "runs")])
        below = "deep/" if "deep" in layout else ""
        assert {each.name: {*each.runs} for each in found} == {
            name: {below + run for run in NOISES} for name in SIZES
        }, layout
        assert not remarks
        for each in found:
            for run, file in each.runs.items():
                path = layout.replace("COLLECTION", each.name).replace("RUN", run[len(below) :])
                assert file.path == str(home / f"{path}.run")


def test_longer_names_of_collections_go_first(tmp_path: Path) -> None:
    for name in ("fever", "climate-fever"):
        (tmp_path / "c" / name).mkdir(parents=True)
        (tmp_path / "c" / name / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "runs").mkdir()
    for name in ("bm25-climate-fever", "bm25-fever"):
        (tmp_path / "runs" / f"{name}.run").write_text("1 Q0 a 1 1 x\n")
    found, remarks = find_collections(str(tmp_path / "c"), [str(tmp_path / "runs")])
    runs = {each.name: {run: file.path for run, file in each.runs.items()} for each in found}
    assert not remarks
    assert runs == {
        "fever": {"bm25": str(tmp_path / "runs/bm25-fever.run")},
        "climate-fever": {"bm25": str(tmp_path / "runs/bm25-climate-fever.run")},
    }


def test_every_form_and_the_paper_show_the_collections() -> None:
    board = irev.leaderboard_of_collections(
        given(made_collections()), measures=["ndcg@10", "recall@5"]
    )
    for form in ("text", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"):
        text = board.text(form)
        assert all(name in text for name in ("arguana", "cqadupstack", "scifact", "rerank")), form
    paper = board.paper()
    for words in (r"\textbf", "at equal weights", "recall@5"):
        assert words in paper


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    beir = write_beir(tmp_path, made_collections())
    cases: list[tuple[list[Any], str]] = [
        ([tmp_path / "none"], "there is no such directory"),
        ([beir / "scifact"], "is a collection itself"),
        ([beir, "--public", "30%"], "--public cannot be combined"),
        ([beir, "--ci", "bca"], "by t alone"),
        ([beir, "--anonymous"], "--anonymous cannot be combined"),
        ([beir, beir / "scifact/qrels/test.tsv"], "give folders of runs"),
    ]
    for words, message in cases:
        done = run_irev("leaderboard", "--collections", *words)
        assert (done.code, message in done.err) == (2, True), (words, done.err)
    done = run_irev("compare", "--collections", beir)
    assert (done.code, "irev leaderboard --collections DIR scores several" in done.err) == (2, True)
    with pytest.raises(irev.UsageError, match="num_rel_ret has no mean over collections"):
        irev.leaderboard_of_collections(given(made_collections()), measures="num_rel_ret")
    (beir / "scifact/qrels/test.tsv").rename(beir / "scifact/qrels/dev.tsv")
    with pytest.raises(irev.UsageError, match="which of these are the judgments"):
        irev.leaderboard_of_collections(beir)


def test_lower_is_better_equal_means_and_single_topics() -> None:
    """ESL counts the non-relevant documents before the relevant one."""
    judged = {topic: {"a": 1, "b": 0, "c": 0} for topic in ("1", "2", "3")}
    good, bad = {"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 2.0, "c": 3.0}
    middle = {"a": 2.0, "b": 3.0, "c": 1.0}
    first = {"1": good, "2": middle, "3": bad}  # 0, 1, 2
    second = {"1": middle, "2": bad, "3": bad}  # 1, 2, 2
    of_three = {"qrels": judged, "runs": {"first": first, "second": second}}
    of_one = {
        "qrels": {"9": judged["1"]},
        "runs": {"first": {"9": good}, "second": {"9": good}},
    }
    board = irev.leaderboard_of_collections({"x": of_three, "y": of_three}, measures="ESL")
    (rows,) = board.measures
    assert [(each.run, each.place, each.mean) for each in rows.runs] == [
        ("first", 1, 1.0), ("second", 2, pytest.approx(5 / 3)),
    ]  # fmt: skip
    assert rows.lead is not None
    assert rows.lead.best == "first"
    assert rows.lead.difference == pytest.approx(2 / 3)
    assert [each.best_on for each in rows.runs] == [2, 0]
    with_one = irev.leaderboard_of_collections({"x": of_three, "y": of_one}, measures="ESL")
    assert with_one.measures[0].runs[0].low is None
    assert "no interval and no test: y has one topic" in str(with_one)
    assert str(with_one).startswith("not tested: first leads second in the mean of 2 collections")
    alike = irev.leaderboard_of_collections({"y": of_one, "z": of_one}, measures="ESL")
    assert str(alike).startswith("first and second have the same mean over 2 collections")
    assert [each.place for each in alike.measures[0].runs] == [1, 1]
