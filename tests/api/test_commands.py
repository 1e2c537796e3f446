"""The commands as functions: the same options and numbers, a result in place of the output."""

from typing import Any

import pytest

import irev
from irev import InputError, UsageError
from irev.cli.commands import COMMANDS
from tests.files import ROOT

SAMPLE = ROOT / "sample_data"
QRELS, BM25, RM3 = (SAMPLE / name for name in ("qrels.txt", "bm25.run", "rm3.run"))
GRADES = {"1": {"a": 1, "b": 2}, "2": {"a": 1}}
ONE = {"1": {"b": 2.0, "a": 1.0}, "2": {"x": 1.0, "a": 0.5}}
TWO = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0, "x": 0.5}}
# AP: 1 and 1/2 of ONE, 1 and 1 of TWO


def test_every_command_is_a_function() -> None:
    """But for those of the command line alone."""
    others = {"eval": "evaluate", "plot": "plots", "study": "studies", "measures": "list_measures"}
    for name in COMMANDS:
        function = others.get(name, name)
        assert name == "completion" or function in irev.__all__, name


def test_runs_in_memory() -> None:
    gate = irev.gate(GRADES, ONE, min={"map": 0.75}, baseline=TWO, options=irev.Options(level=1))
    assert not gate.passed
    assert gate.to_frame()["outcome"].tolist() == ["passed", "failed"]
    assert irev.gate(GRADES, ONE, min={"map": 0.75}).passed
    assert not irev.gate(GRADES, ONE, min={"map": 0.7501}).passed
    pool = irev.pool({"one": ONE, "two": TWO}, depth=1)
    assert sorted(map(tuple, pool.to_frame().to_numpy().tolist())) == [
        ("1", "a"), ("1", "b"), ("2", "a"), ("2", "x"),
    ]  # fmt: skip
    assert str(pool.warnings[0]) == "one: 2 documents, 2 of them from no other run"
    whole = irev.sample(GRADES, rate=1.0).to_frame()
    assert irev.evaluate(whole, ONE, "map")["map"] == 0.75
    assert "<title>" in irev.report(GRADES, {"one": ONE, "two": TWO}, "map").html
    explained = irev.explain(GRADES, ONE, measures="map", topic=2)
    assert [each["score"] for each in explained.to_dict()["explanations"]] == [0.5]


def test_studies_and_plots_of_runs_in_memory() -> None:
    study = irev.studies.correlation(GRADES, {"one": ONE, "two": TWO}, measures="map P.1")
    assert list(study.to_frames())[:2] == ["pairs", "conclusions"]
    means = study.to_frames()["means"]
    assert set(means["run"]) == {"one", "two"}
    overlap = irev.studies.overlap(ONE, TWO)
    assert len(overlap.to_frames()["overlap"]) == 2
    plot = irev.plots.per_topic(GRADES, {"one": ONE, "two": TWO}, "map")
    assert list(plot.to_frame()["value"]) == [1.0, 1.0, 0.5, 1.0]
    assert plot._repr_html_().startswith("<svg")
    assert plot.plot().axes
    with pytest.raises(UsageError, match="no figure 'scatter': there is per-topic"):
        plot.plot("scatter")


def test_what_is_wrong_is_raised(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match=r"irev.gate has no option 'mni'; did you mean 'min'"):
        irev.gate(QRELS, BM25, mni={"map": 1})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"irev.explain has no option 't'; write topic=\.\.\."):
        irev.explain(QRELS, BM25, t="1")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"give paths\. Write a table to a file first: run\.to_csv"):
        irev.check(ONE)
    with pytest.raises(TypeError, match=r"no option 'run': give files by position"):
        irev.check(run=ONE)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="give two or more"):
        irev.studies.preference(GRADES, [ONE])
    with pytest.raises(UsageError, match="rate"):
        irev.sample(QRELS, rate="much")
    with pytest.raises(InputError, match="there is no such file"):
        irev.gate(QRELS, tmp_path / "no.run", min={"map": 0.5})
    with pytest.raises(UsageError, match="CheckReport has no figures"):
        irev.check(QRELS).plot()
