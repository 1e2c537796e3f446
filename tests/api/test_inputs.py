"""What Python users have as judgments and runs, and what is said of what cannot be read."""

import sys
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irev
from irev import InputError, Options, UsageError, compare, evaluate
from tests.each import for_each

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
RUN = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0, "x": 0.5}}
# AP: 1/2 and 1
ROWS = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]


class Qrel(NamedTuple):
    """As ir_measures and ir_datasets have it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Scored(NamedTuple):
    """Likewise."""

    query_id: str
    doc_id: str
    score: float


class Dictionary:
    """As `ranx.Run` and `ranx.Qrels` are."""

    def __init__(self, content: Any, name: str = "") -> None:
        self._content, self.name = content, name

    def to_dict(self) -> Any:
        """The content."""
        return self._content


class Catalogued:
    """As a data set of ir_datasets is."""

    dataset_id = "toy"

    def qrels_iter(self) -> Any:
        """The judgments."""
        return (Qrel(t, d, g) for t, docs in QRELS.items() for d, g in docs.items())


class Stream:
    """A table that is known by Arrow's protocol alone, as those of DuckDB and polars are."""

    columns = ("qid", "docno", "score")

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        columns = dict(zip(self.columns, zip(*ROWS, strict=True), strict=True))
        return pa.table({n: list(c) for n, c in columns.items()}).__arrow_c_stream__(schema)


FRAME = pd.DataFrame(ROWS, columns=["qid", "docno", "score"])

RUNS = {
    "rows": ROWS,
    "rows as lists": [list(row) for row in ROWS],
    "rows in a tuple": tuple(ROWS),
    "an iterator": iter(ROWS),
    "named tuples": [Scored(*row) for row in ROWS],
    "a frame's rows": list(FRAME.itertuples(index=False)),
    "records": FRAME.to_dict("records"),
    "lists by name": FRAME.to_dict("list"),
    "a stream": Stream(),
    "a dictionary's object": Dictionary(RUN),
    "whole numbers as ids": [(int(topic), doc, score) for topic, doc, score in ROWS],
}


@pytest.mark.parametrize("kind", RUNS)
def test_runs_of_every_kind(kind: str) -> None:
    scores = evaluate(QRELS, RUNS[kind], "map")
    assert scores.by_topic("map") == {"1": 0.5, "2": 1.0}


@pytest.mark.parametrize("kind", RUNS)
def test_runs_of_every_kind_beside_others(kind: str) -> None:
    source = iter(ROWS) if kind == "an iterator" else RUNS[kind]
    runs: dict[str, Any] = {"this": source, "that": RUN}
    scores: irev.ScoreTable = evaluate(QRELS, runs, "map")
    assert scores.by_run("map") == {"this": 0.75, "that": 0.75}


@pytest.mark.parametrize(
    "qrels",
    [
        [(t, d, g) for t, docs in QRELS.items() for d, g in docs.items()],
        [Qrel(t, d, g) for t, docs in QRELS.items() for d, g in docs.items()],
        Catalogued(),
        Catalogued().qrels_iter(),
        Dictionary(QRELS),
        pd.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"], "label": [True, False, True]}),
        {"qid": [1, 1, 2], "docno": ["a", "b", "a"], "label": np.array([True, False, True])},
    ],
)
def test_judgments_of_every_kind(qrels: Any) -> None:
    assert evaluate(qrels, RUN, "map").by_topic("map") == {"1": 0.5, "2": 1.0}


def test_objects_have_names_of_their_own() -> None:
    assert list(evaluate(QRELS, [Dictionary(RUN, "bm25"), RUN], "map")) == ["bm25", "run 2"]
    assert compare(QRELS, [Dictionary(RUN, "bm25"), ROWS]).table.run_names == ("bm25", "run 2")


def test_a_data_set_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    def load(name: str) -> Catalogued:
        if name != "toy/train":
            raise KeyError(name)
        return Catalogued()

    monkeypatch.setitem(sys.modules, "ir_datasets", type(sys)("ir_datasets"))
    monkeypatch.setattr(sys.modules["ir_datasets"], "load", load, raising=False)
    assert evaluate("irds:toy/train", RUN, "map")["map"] == 0.75
    with pytest.raises(InputError, match="irds:toys: ir_datasets knows no such data set"):
        evaluate("irds:toys", RUN, "map")
    with pytest.raises(InputError, match="the data set has no run"):
        evaluate(QRELS, "irds:toy/train", "map")


def test_a_data_set_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(irev.MissingExtraError, match="needs ir_datasets: pip install ir"):
        evaluate("irds:vaswani", RUN, "map")


def test_columns_under_names_of_ones_own() -> None:
    own = FRAME.set_axis(["q", "d", "similarity"], axis=1)
    names = {"topic": "q", "docno": "d", "score": "similarity"}
    assert evaluate(QRELS, own, "map", columns=names)["map"] == 0.75
    qrels = pd.DataFrame({"q": ["1", "2"], "d": ["a", "a"], "score": [1, 1], "gain": [0, 1]})
    both = {**names, "grade": "gain"}
    assert evaluate(qrels, own, "num_rel", columns=both).by_topic("num_rel") == {"1": 0, "2": 1}
    # a table without such columns is read by the usual names
    assert evaluate(QRELS, FRAME, "map", columns=names)["map"] == 0.75
    actual = compare(QRELS, {"own": own, "usual": FRAME}, columns=names)
    assert list(actual.means["mean"]) == [0.75, 0.75]
    with pytest.raises(UsageError, match="columns: there is no field 'sim_score': topic, document"):
        evaluate(QRELS, own, "map", columns={"sim_score": "similarity"})


def test_columns_of_files_under_names_of_ones_own(tmp_path: Any) -> None:
    own = FRAME.set_axis(["qid", "d", "similarity"], axis=1)
    own.to_parquet(tmp_path / "run.parquet")
    names = {"document": "d", "score": "similarity"}
    assert evaluate(QRELS, tmp_path / "run.parquet", "map", columns=names)["map"] == 0.75
    own = own.rename(columns={"d": "docno"})
    own.to_json(tmp_path / "run.jsonl", orient="records", lines=True)
    own.to_csv(tmp_path / "run.csv", index=False)
    for name in ("run.jsonl", "run.csv"):
        assert evaluate(QRELS, tmp_path / name, "map", columns=names)["map"] == 0.75


def frame(**columns: Any) -> pd.DataFrame:
    """A run with other columns."""
    return pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "a"], "score": [2.0, 1.0], **columns})


WRONG = {
    "floats as ids": (frame(qid=[1.0, 2.0]), "column qid holds floats: ids are strings, bytes or"),
    "and the way out": (
        frame(qid=[1.0, 2.0]),
        r"hint: write frame\[\"qid\"\].astype\(int\).astype\(str\)",
    ),
    "floats in an array": (
        {"qid": np.array([1.0]), "docno": ["a"], "score": [1.0]},
        r"array qid holds float64.*\n.*write .astype\(int\).astype\(str\)",
    ),
    "no score": (
        frame().rename(columns={"score": "how near"}),
        r"no column for the score \(one of score, sim\); the columns are qid, docno, how near\n"
        r"  hint: say which they are, perhaps columns={'score': 'how near'}$",
    ),
    "two documents": (
        frame(doc=["a", "b"]),
        r"docno and doc are columns for the document\n"
        r"  hint: rename a column, or say columns={'document': 'NAME'}$",
    ),
    "a missing score": (frame(score=[1.0, None]), "a score is missing in column score, in row 2"),
    "a missing id": (frame(docno=[None, "a"]), "an id is missing in column docno, in row 1"),
    "texts as scores": (
        frame(score=["1", "2"]),
        r"column score holds texts, not numbers\n  hint: write frame\[\"score\"\].astype\(float\)$",
    ),
    "a document twice": (
        frame(qid=["1", "1"]),
        r"^the run: duplicate document 'a' in topic '1': rows 1 and 2\n"
        r"  hint: duplicates=\"first\" counts the first row only; "
        r"or keep one of the two rows: frame.drop_duplicates\(\[\"qid\", \"docno\"\]\)$",
    ),
    "a row twice": (
        [("1", "a", 1.0), ("1", "a", 2.0)],
        r"rows 1 and 2\n  hint: duplicates=.first. counts the first .*keep one of the two rows$",
    ),
    "several mappings": (
        {"default": {"dev": {"1": {"a": 1.0}}, "test": {"1": {"a": 1.0}}}},
        r"hint: take out one: mapping\[\"dev\"\]$",
    ),
    "NaN": ({"1": {"a": 1.0, "b": float("nan")}}, "is NaN, .* in topic '1', document 'b'"),
    "a text": ({"1": {"a": 1.0}, "2": {"b": "3"}}, "not a number: '3', in topic '2', document 'b'"),
    "NaN in a row": ([("1", "a", 1.0), ("2", "b", None)], "a score is missing, in row 2"),
    "a short row": ([("1", "a", 1.0), ("2", "b")], r"row 2 is \('2', 'b'\): rows are \(topic, "),
    "an odd record": ([{"qid": 1, "docno": 1, "score": 1}, {"qid": 1}], "row 2 is {'qid': 1}"),
    "no rows": ((row for row in ROWS[:0]), "it has no rows"),
    "a series": (frame().set_index(["qid", "docno"])["score"], "make it a frame: .reset_index"),
    "a number": (3, "int objects cannot be read: give a path, a mapping"),
}


@for_each("case", WRONG)
def test_what_is_wrong_and_what_to_write(case: str) -> None:
    run, message = WRONG[case]
    with pytest.raises(InputError, match=message):
        evaluate(QRELS, run, "map")


# --- the same keywords everywhere -----------------------------------------------------------------


def test_options_and_their_fields() -> None:
    graded = {"1": {"a": 1, "b": 2}, "2": {"a": 2}}
    expected = evaluate(graded, RUN, "map", level=2).summary()
    assert expected == {"map": 1.0}
    assert evaluate(graded, RUN, "map", Options(level=2)).summary() == expected
    assert evaluate(graded, RUN, "map", options=Options(level=1), level=2).summary() == expected
    assert irev.Evaluator(graded, "map", level=2).evaluate(RUN).summary() == expected
    for source in ({"level": 2}, {"options": Options(level=2, topics="qrels")}):
        actual = compare(graded, {"one": RUN, "two": RUN}, **source)
        assert list(actual.means["mean"]) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"complete": True}, r"no option 'complete'; write topics='qrels'$"),
        ({"c": True}, r"no option 'c'; write topics='qrels'$"),
        ({"beta": 2}, r"no option 'beta'; write defaults=\[\('beta', ...\)\]$"),
        ({"Number_docs_in_coll": 9}, r"'Number_docs_in_coll'; write collection_size=...$"),
        ({"levle": 2}, r"no option 'levle'; did you mean 'level'\?$"),
    ],
)
def test_a_keyword_of_the_command_line(source: dict[str, Any], message: str) -> None:
    functions: list[Any] = [
        lambda: evaluate(QRELS, RUN, "map", **source),
        lambda: irev.Evaluator(QRELS, "map", **source),
    ]
    if "topics" not in message:  # -c is of eval alone: other commands count all judged topics
        functions.append(lambda: compare(QRELS, {"one": RUN, "two": RUN}, **source))
    for function in functions:
        with pytest.raises(TypeError, match=message):
            function()


def test_options_that_are_none() -> None:
    with pytest.raises(UsageError, match=r"options must be irev.Options\(...\), not {'level': 2}"):
        evaluate(QRELS, RUN, "map", {"level": 2})  # type: ignore[call-overload]


class Unreachable(Catalogued):
    """A data set whose sources cannot be reached; ir_datasets raises a RuntimeError then."""

    def qrels_iter(self) -> Any:
        """Fails as a download does."""
        raise RuntimeError("All download sources failed", ["no\nroute"])


def test_a_failed_download_is_an_input_error() -> None:
    with pytest.raises(irev.InputError, match=r"data set cannot be read or downloaded: .*All"):
        irev.evaluate(Unreachable(), {"1": {"a": 1.0}}, "map")


def test_a_missing_topic_names_the_keyword_of_python() -> None:
    with pytest.warns(irev.IrevWarning, match='2; use topics="qrels" to count it as 0'):
        irev.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}, "map")


def test_scores_that_were_evaluated_one_by_one_are_a_table() -> None:
    qrels = {t: {"a": 1, "b": 2, "c": 0} for t in "123"}
    runs = [
        {"1": {"a": 3.0, "c": 2.0}, "2": {"c": 2.0, "b": 1.0}, "3": {"b": 1.0}},
        {"1": {"c": 3.0, "a": 2.0}, "2": {"c": 2.0, "a": 1.0}, "3": {"c": 1.0}},
    ]
    first, second = (irev.evaluate(qrels, run, "map P_5") for run in runs)
    expected = irev.compare(qrels, {"a": runs[0], "b": runs[1]}, "map")
    by_name = {"a": first, "b": second}
    forms: list[tuple[object, object]] = [
        (by_name, ()), (None, by_name), (qrels, by_name), ({"a": first}, {"b": second}),
    ]  # fmt: skip
    for inputs in forms:
        found = irev.compare(*inputs, measures="map")
        assert found.table.run_names == ("a", "b"), inputs
        assert found.pairs.equals(expected.pairs)
    forms = [(first, second), ([first, second], ()), ([first], second), (None, [first, second])]
    for inputs in forms:
        found = irev.compare(*inputs, measures="map")
        assert found.table.run_names == ("run 1", "run 2")
        assert found.pairs["p_t"].tolist() == expected.pairs["p_t"].tolist()
    assert irev.leaderboard(by_name, measures="map").to_frame()["run"].tolist() == ["a", "b"]
    assert irev.gate(first, min={"map": 0.1}, baseline=second, tolerance=1).passed
    assert irev.gate(by_name, "a", baseline="b", measures="map", tolerance=1).passed
    assert "a" in irev.report(by_name).html
    assert irev.studies.design(by_name, measures="map").tables
    assert irev.plots.scatter(by_name).to_frame()["x"].tolist()


def test_scores_that_do_not_belong_together_are_refused() -> None:
    qrels = {"1": {"a": 1, "b": 2}, "2": {"a": 2}}
    run = {"1": {"a": 1.0, "b": 2.0}, "2": {"a": 1.0}}
    scores = irev.evaluate(qrels, run, "map")
    others = {
        "the option level is 1 in one and 2 in the other": irev.evaluate(
            qrels, run, "map", level=2
        ),
        "judgments differ": irev.evaluate({**qrels, "2": {"a": 1}}, run, "map"),
        "no measure in common": irev.evaluate(qrels, run, "P_5"),
    }
    for message, other in others.items():
        with pytest.raises(irev.IrevError, match=message):
            irev.compare({"a": scores, "b": other})
    with pytest.raises(irev.IrevError, match="judgments differ"):
        irev.compare({"1": {"a": 1}, "2": {"a": 1}}, {"a": scores, "b": run}, "map")
    one_topic = irev.evaluate(qrels, run, "map", topics=["1"])
    with pytest.warns(irev.IrevWarning, match="b lacks 1 of 2 judged topics"):
        irev.compare({"a": scores, "b": one_topic})
    with pytest.raises(irev.UsageError, match="by name"):
        irev.compare(scores, {"b": scores})
