"""Results and evaluators that are copied and pickled: the same numbers, in another process too."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import irev
from irev.measures.registry import MEASURES
from irev.read.formats import RUNS, run_layout
from tests.files import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST = SAMPLE / "first"
QRELS, BM25, NEURAL = (str(FIRST / name) for name in ("qrels.txt", "bm25.run", "neural.run"))
GRADES = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}, "q3": {"b": 1, "c": 0}}
RUNS_IN_MEMORY = {
    "one": {"q1": {"a": 2.0, "x": 1.0}, "q2": {"x": 2.0, "a": 1.0}, "q3": {"b": 1.0, "c": 0.5}},
    "two": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0, "x": 0.5}, "q3": {"c": 1.0, "b": 0.5}},
    "six": {"q1": {"b": 2.0, "x": 1.0}, "q2": {"a": 1.0, "b": 0.5}, "q3": {"x": 1.0, "b": 0.5}},
}


def copies(thing: Any) -> Iterator[Any]:
    yield from (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing)))


def results() -> Iterator[Any]:
    """A result of every job that is quick."""
    inputs: tuple[Any, Any] = (GRADES, RUNS_IN_MEMORY)
    table = irev.evaluate(*inputs, "map P@2")
    yield from (table, table["one"], irev.compare(table), irev.leaderboard(table))
    # it does not tell of a test that nobody named
    yield irev.compare(QRELS, [BM25, NEURAL], "map")
    yield irev.gate(GRADES, RUNS_IN_MEMORY["one"], min={"map": 0.9})
    yield irev.explain(GRADES, RUNS_IN_MEMORY["one"], "ndcg_cut_2", topic="q1")
    yield from (irev.check(QRELS, [BM25]), irev.report(QRELS, [BM25, NEURAL], "map"))
    yield from (irev.list_measures("ndcg"), irev.describe_measure("ndcg"))
    yield from (irev.pool([BM25, NEURAL], depth=5), irev.sample(QRELS, rate="50%"))
    yield irev.leave_one_out(QRELS, [BM25, NEURAL], "map")
    yield irev.plots.per_topic(table, measures="map")
    studies = irev.studies
    yield studies.correlation(*inputs, "map P@2")
    yield studies.agreement(GRADES, GRADES, RUNS_IN_MEMORY, "map")
    yield studies.design(*inputs, "map")
    yield studies.discriminative_power(*inputs, "map P@2", resamples=10)
    yield studies.judgment_noise(GRADES, RUNS_IN_MEMORY["one"], "AP", theta=0.9, trials=3)
    yield studies.overlap(RUNS_IN_MEMORY["one"], RUNS_IN_MEMORY["two"])
    yield from (studies.preference(*inputs), studies.topic_difficulty(*inputs, "map"))
    yield studies.robustness(*inputs, "bpref", rates=[50], repeat=2)
    yield studies.sensitivity(ranking_grades=[1, 0, 1])


def shown(result: Any) -> list[str]:
    return [str(result), repr(result), result.text("json")]


@pytest.mark.long
def test_results_are_copied_before_and_after_they_were_printed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [*results()]
    for result in made:
        before = [*copies(result)]
        expected = shown(result)
        for copied in (*before, *copies(result)):
            assert type(copied) is type(result)
            assert shown(copied) == expected
            if isinstance(result, irev.Result):
                assert copied.warnings == result.warnings
                assert copied.exit_code == result.exit_code


def test_a_copied_report_has_the_same_page() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = irev.report(QRELS, [BM25, NEURAL], "map")
    assert all(copied.html == report.html for copied in copies(report))


def evaluators(folder: Path) -> Iterator[tuple[irev.Evaluator, Any]]:
    """Evaluators of every kind of judgments and of order, some of which have scored a run."""
    subtopics = folder / "subtopics.txt"
    subtopics.write_text("1 1 d1 1\n1 2 d2 1\n", encoding="utf-8")
    run = RUNS_IN_MEMORY["one"]
    yield irev.Evaluator(QRELS, "map ndcg_cut_10 P@5 ERR@10 rpref_N", sign=True), BM25
    choices: tuple[dict[str, Any], ...] = (
        {"ties": "average"}, {"tie_range": True}, {"judged_only": True}, {"duplicates": "first"},
        {"decimal_comma": True}, {"topics": "qrels"},
    )  # fmt: skip
    for choice in choices:
        yield irev.Evaluator(GRADES, "map ndcg P@2", **choice), run
    answers: Any = {"1": {"d2": 2.0, "d1": 1.0}}
    for measure in ("alpha_nDCG@2", "DSharp_nDCG@2"):
        yield irev.Evaluator(str(subtopics), measure, qrels_format="subtopics"), answers
    for name, measure in (("prefs", "prefs_simp"), ("qrels_jg", "map_avgjg")):
        judgments = str(SAMPLE / f"{name}.txt")
        yield irev.Evaluator(judgments, measure, qrels_format=name), str(SAMPLE / "bm25.run")


def test_evaluators_score_the_same_in_another_process(tmp_path: Path) -> None:
    """There ids have other hashes, and nothing is left of what was worked out here."""
    kept = tmp_path / "evaluators"
    pairs = [*evaluators(tmp_path)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unused = pickle.dumps(pairs)
        expected = [evaluator.evaluate(run).text("json") for evaluator, run in pairs]
        kept.write_bytes(pickle.dumps([*pickle.loads(unused), *pairs]))
        for evaluator, run in pairs:
            assert copy.deepcopy(evaluator).evaluate(run).text("json") in expected
    code = (
        "import pickle, sys, warnings; warnings.simplefilter('ignore')\n"
        "for evaluator, run in pickle.load(open(sys.argv[1], 'rb')):\n"
        "    print(evaluator.evaluate(run).text('json'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(kept)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.stderr == ""
    assert done.stdout == "".join(f"{text}\n" for text in [*expected, *expected])


def test_every_measure_and_every_format_of_runs_can_be_pickled() -> None:
    irev.list_measures()
    layouts = [run_layout(name, decimal_comma=comma) for name in RUNS for comma in (False, True)]
    pickled: list[Any] = [*MEASURES.values(), *layouts]
    assert len(pickled) > 100
    for each in pickled:
        pickle.loads(pickle.dumps(each))
