"""What comes back in Python: numbers by name, tables when printed, pages in notebooks, frames."""

from typing import Any

import pandas as pd
import pytest

import irev
from irev import Options, UsageError, compare, evaluate
from irev.engine.score_runs import judged_table

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
BM25 = {"q1": {"a": 2, "x": 1}, "q2": {"x": 2, "a": 1}}
RM3 = {"q1": {"a": 2, "x": 1}, "q2": {"a": 2, "x": 1}}
# AP: 1 and 1/2 by bm25, 1 and 1 by rm3; P@1: 1 and 0, 1 and 1


@pytest.fixture
def scores():
    return evaluate(QRELS, BM25, "map P_1 num_q relstring P.5,10")


def test_a_summary_by_any_name(scores):
    assert scores["map"] == scores["AP"] == 0.75
    assert scores["P@1"] == scores["P_1"] == 0.5
    assert scores["num_q"] == 2
    assert "ap" in scores
    assert "err" not in scores
    assert "no such measure" not in scores


def test_a_topics_value_by_any_name(scores):
    assert scores["AP", "q2"] == scores["map", b"q2"] == 0.5
    assert scores.by_topic("AP") == {"q1": 1.0, "q2": 0.5}
    assert scores.text_by_topic("relstring") == {"q1": "1-", "q2": "-1"}
    with pytest.raises(UsageError, match="relstring gives texts"):
        scores.by_topic("relstring")
    assert evaluate({7: {"a": 1}}, {7: {"a": 1}}, "map")["map", 7] == 1.0


def test_scores_are_a_mapping_of_summaries(scores):
    assert dict(scores) == scores.summary()
    assert list(scores) == ["map", "P_1", "num_q", "P_5", "P_10"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("P", "'P' names several measures: choose one of P_5, P_10"),
        ("err", "'err' was not evaluated: the scores have map, P_1"),
        ("relstring", "relstring has no summary: use by_topic('relstring')"),
        (("num_q", "q1"), "num_q has no values by topic"),
        (3, "write scores['map'] or scores['map', 'TOPIC'], not 3"),
        ("ndcgg", "no measure or set is called 'ndcgg'"),
        ("q1", "'q1' is a topic: name the measure first, scores['map', 'q1']"),
    ],
)
def test_a_name_that_has_no_number(scores, arguments, message):
    with pytest.raises(UsageError) as caught:
        scores[arguments]
    assert message in str(caught.value)


def test_a_topic_that_is_not_there(scores):
    with pytest.raises(KeyError, match=r"q9.* has q1"):
        scores["map", "q9"]


def test_scores_print_as_a_table():
    actual = evaluate(QRELS, BM25, "map P_1")
    assert str(actual) == (
        "topic       map     P_1\n-------  ------  ------\nall      0.7500  0.5000\n\n"
        "averaged over 2 topics"
    )
    assert repr(actual) == "<Scores of run over 2 topics: map 0.7500, P_1 0.5000>"
    assert actual.text("csv") == "run,topic,map,P_1,averaged_over,left_out\nrun,all,0.75,0.5,2,0"


def test_a_wide_table_is_turned_to_fit():
    lines = str(evaluate(QRELS, BM25)).splitlines()
    assert max(map(len, lines)) <= 80
    assert ["map", "0.7500"] in [line.split() for line in lines]


def test_notebooks_show_tables():
    actual = evaluate(QRELS, BM25, "map")._repr_html_()
    assert '<th scope="col">map</th>' in actual
    assert "<td>0.7500</td>" in actual
    assert "<html" not in actual
    hostile = compare(QRELS, {"<script>": BM25, "rm3": RM3})._repr_html_()
    assert "<script" not in hostile
    assert "&lt;script&gt;" in hostile


def test_there_is_no_such_form(scores):
    with pytest.raises(UsageError, match="unknown format 'word': choose one of text, table"):
        scores.text("word")


def test_comparisons_print_as_the_command_does(tmp_path):
    actual = compare(QRELS, {"bm25": BM25, "rm3": RM3})
    assert repr(actual) == "<Comparison of bm25, rm3 by map on 2 topics>"
    assert str(actual).startswith("cannot be decided: only 1 of 2 topics differs (rm3 against bm25")
    assert "rm3    bm25" in actual.text(details=True)
    assert list(actual.to_frame()["difference"]) == [0.25]
    assert list(actual.to_frames()) == ["pairs", "means", "verdicts"]
    assert list(actual.to_frames()["means"]["mean"]) == [1.0, 0.75]


# --- several runs ---------------------------------------------------------------------------------


def test_runs_under_names():
    actual = evaluate(QRELS, {"bm25": BM25, "rm3": RM3}, "map P_1")
    assert actual["rm3"]["map"] == 1.0
    assert actual.by_run("AP") == {"bm25": 0.75, "rm3": 1.0}
    assert actual.summary()["bm25"] == {"map": 0.75, "P_1": 0.5}
    assert list(actual) == ["bm25", "rm3"]
    assert repr(actual) == "<Scores of 2 runs: bm25, rm3>"
    assert str(actual).splitlines()[:4] == [
        "run       map     P_1",
        "-----  ------  ------",
        "bm25   0.7500  0.5000",
        "rm3    1.0000  1.0000",
    ]
    frame = pd.DataFrame(
        {"map": [0.75, 1.0], "P_1": [0.5, 1.0]}, index=pd.Index(["bm25", "rm3"], name="run")
    )
    pd.testing.assert_frame_equal(actual.to_frame(long=False), frame, check_index_type=False)
    tidy = actual.to_frame()
    assert list(tidy) == ["run", "topic", "measure", "value"]
    assert tidy.set_index(["run", "topic", "measure"])["value"]["bm25", "q2", "map"] == 0.5
    with pytest.raises(irev.UsageError, match="'bm26' is no run and no measure of the table"):
        actual["bm26"]


def test_names_of_a_table():
    """[RUN] is a Scores, [RUN, MEASURE] a number, [MEASURE] a mapping; what is both is an error."""
    table = evaluate(QRELS, {"bm25": BM25, "rm3": RM3, "P_1": RM3}, "map P_1")
    assert isinstance(table["bm25"], irev.Scores)
    assert table["bm25", "AP"] == 0.75
    assert table["map"] == {"bm25": 0.75, "rm3": 1.0, "P_1": 1.0}
    with pytest.raises(irev.UsageError, match=r"a run and a measure: write table.run\('P_1'\)"):
        table["P_1"]
    assert table.run("P_1")["P_1"] == 1.0
    assert table.by_run("P_1")["bm25"] == 0.5
    assert dict(table.items())["rm3"]["map"] == 1.0
    assert table.per_topic()["bm25"]["q2"] == {"map": 0.5, "P_1": 0.0}


def test_a_table_is_compared_as_its_runs_are():
    """What `evaluate` averages over the topics of each run, `compare` averages over all judged."""
    few = {"q1": BM25["q1"]}
    runs = {"few": few, "rm3": RM3, "bm25": BM25}
    with pytest.warns(irev.IrevWarning, match="few"):
        table = evaluate(QRELS, runs, "map P_1")
    with pytest.warns(irev.IrevWarning, match="few"):
        judged = compare(QRELS, runs, "map P_1").table
    assert table.topic_policy == "own"
    again = judged_table(table, (), (), Options(topics="qrels"))
    assert again.run_names == judged.run_names == ("bm25", "few", "rm3")
    assert again.topics == judged.topics
    assert again.values.tolist() == judged.values.tolist()
    assert [run.missing for run in again.runs] == [run.missing for run in judged.runs]
    assert table["few", "map"] == 2 * again["few", "map"]


@pytest.fixture
def folder(tmp_path):
    for name, run in (("bm25.run", BM25), ("rm3.run", RM3)):
        lines = [f"{t} Q0 {d} 1 {s} tag\n" for t, docs in run.items() for d, s in docs.items()]
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def test_runs_in_a_list_and_behind_wildcards(folder):
    expected = {"bm25": 0.75, "rm3": 1.0}
    paths = [folder / "bm25.run", str(folder / "rm3.run")]
    arguments: tuple[Any, ...] = (
        paths,
        tuple(paths),
        f"{folder}/*.run",
        folder / "*.run",
        iter(paths),
    )
    for runs in arguments:
        assert evaluate(QRELS, runs, "map").by_run("map") == expected
    assert compare(QRELS, f"{folder}/*.run").table.run_names == ("bm25", "rm3")
    actual = evaluate(QRELS, [BM25, folder / "rm3.run", RM3], "map").by_run("map")
    assert actual == {"run 1": 0.75, "rm3": 1.0, "run 3": 1.0}
    assert list(evaluate(QRELS, [BM25], "map")) == ["run 1"]


def test_files_of_one_name_are_called_by_their_paths(folder):
    (folder / "more").mkdir()
    other = folder / "more" / "rm3.run"
    other.write_text((folder / "bm25.run").read_text(encoding="utf-8"))
    with pytest.warns(irev.IrevWarning, match="same documents in the same order"):
        actual = evaluate(QRELS, [folder / "rm3.run", other, folder / "bm25.run"], "map")
    assert list(actual) == [f"{folder.name}/rm3", "more/rm3", "bm25"]


def test_no_file_matches(folder):
    with pytest.raises(irev.InputError, match=r"none/\*.run: no file matches"):
        evaluate(QRELS, f"{folder}/none/*.run", "map")


def test_one_run_is_no_mapping_of_runs():
    """Of topics and documents, whatever they are called."""
    assert isinstance(evaluate(QRELS, BM25, "map"), irev.Scores)
    columns = {"topic": ["q1"], "document": ["a"], "score": [1.0]}
    assert isinstance(evaluate({"q1": {"a": 1}}, columns, "map"), irev.Scores)


def test_what_is_wrong_with_one_of_several_names_it():
    with pytest.raises(irev.MismatchError, match=r"^other: "):
        evaluate(QRELS, {"bm25": BM25, "other": {"q8": {"a": 1}}}, "map")
    with pytest.warns(irev.IrevWarning) as caught:
        evaluate(QRELS, {"bm25": BM25, "short": {"q1": {"a": 1}}}, "map")
    (warning,) = caught
    assert str(warning.message).startswith("short: 1 judged topic is missing from the run")


# --- figures --------------------------------------------------------------------------------------


def heights(figure: Any) -> list[list[float]]:
    """The lengths of the bars of each panel."""
    return [[bar.get_height() for bar in axes.patches] for axes in figure.axes]


def test_figures_of_scores():
    one = evaluate(QRELS, BM25, "map P_1 num_q relstring")
    assert heights(one.plot(measures="AP")) == [[1.0, 0.5]]
    assert len(one.plot().axes) == 2
    several = evaluate(QRELS, {"bm25": BM25, "rm3": RM3}, "map")
    assert sorted(heights(several.plot(sort="value"))[0]) == [0.5, 1.0, 1.0, 1.0]
    assert several.plot("scatter").axes
    assert several.plot("median", run="rm3").axes
    assert len(heights(compare(QRELS, {"bm25": BM25, "rm3": RM3}).plot("per-topic"))[0]) == 4
    with pytest.raises(UsageError, match="no figure 'scater' of scores; did you mean 'scatter'"):
        several.plot("scater")
