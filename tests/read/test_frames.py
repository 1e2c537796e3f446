"""Mappings, pandas frames and Arrow tables as inputs: the same numbers as from files."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irev
from irev import InputError, evaluate
from tests.each import for_each

MEASURES = ["official", "ndcg", "relstring"]
QRELS = [("q1", "a", 1), ("q1", "b", 0), ("q1", "c", 2), ("q2", "a", 1), ("10", "é", 1)]
RUN = [
    ("q1", "c", 1.5), ("q1", "x", 1.5), ("q1", "a", 2.0), ("q2", "b", 1.0), ("q2", "a", 1.0),
    ("10", "é", -3.0),
]  # fmt: skip


@pytest.fixture
def from_files(tmp_path):
    """The scores of the same rows in files."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in QRELS), "utf-8")
    run.write_text("".join(f"{t} Q0 {d} 1 {s} tag\n" for t, d, s in RUN), "utf-8")
    return values_of(evaluate(qrels, run, MEASURES))


def values_of(scores):
    summary = scores.summary()
    return summary, scores.per_topic()


def nested(rows, topic=str, document=str):
    found: dict[Any, dict[Any, float]] = {}
    for t, d, number in rows:
        found.setdefault(topic(t), {})[document(d)] = number
    return found


def as_bytes(text):
    return text.encode()


def frame(rows, *names):
    return pd.DataFrame(rows, columns=list(names))


def table(rows, names, kind=None):
    columns = list(zip(*rows, strict=True))
    kind = kind or pa.string()
    return pa.table(
        {
            names[0]: pa.array(columns[0]).cast(kind),
            names[1]: pa.array(columns[1]).cast(kind),
            names[2]: pa.array(columns[2]),
        }
    )


def chunked(given):
    return pa.concat_tables([given.slice(0, 2), given.slice(2, 1), given.slice(3)])


def scattered(rows):
    return rows[::2] + rows[1::2]


FORMS = {
    "mappings": (nested(QRELS), nested(RUN)),
    "mappings of bytes": (nested(QRELS, as_bytes, as_bytes), nested(RUN, as_bytes, as_bytes)),
    "scores as NumPy numbers": (nested(QRELS), nested([(t, d, np.float32(s)) for t, d, s in RUN])),
    "frames": (
        frame(QRELS, "query_id", "doc_id", "relevance"),
        frame(RUN, "query_id", "doc_id", "score"),
    ),
    "frames with other names": (
        frame(QRELS, "qid", "docno", "label"),
        frame(RUN, "Topic-ID", "DocID", "SIM"),
    ),
    "frames with more columns": (
        frame([(*row, "x") for row in QRELS], "topic", "document", "grade", "note"),
        frame([(*row, 7) for row in RUN], "topic", "document", "score", "rank"),
    ),
    "scattered frames with an index": (
        frame(scattered(QRELS), "qid", "docno", "rel").set_axis(list("vwxyz")),
        frame(scattered(RUN), "qid", "docno", "score").sort_values("docno"),
    ),
    "categories": (
        frame(QRELS, "qid", "docno", "rel").astype({"qid": "category", "docno": "category"}),
        frame(RUN, "qid", "docno", "score").astype({"qid": "category"}),
    ),
    "objects": (
        frame(QRELS, "qid", "docno", "rel").astype({"qid": object, "docno": object}),
        frame(RUN, "qid", "docno", "score").astype({"qid": object, "docno": object}),
    ),
    "small numbers": (
        frame(QRELS, "qid", "docno", "rel").astype({"rel": "int8"}),
        frame(RUN, "qid", "docno", "score").astype({"score": "float32"}),
    ),
    "mapping and frame": (nested(QRELS), frame(RUN, "qid", "docno", "score")),
    **{
        f"tables of {kind}": (
            table(QRELS, ("qid", "docno", "rel"), kind),
            table(RUN, ("qid", "docno", "score"), kind),
        )
        for kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    },
    "tables in chunks": (
        chunked(table(QRELS, ("qid", "docno", "rel"))),
        chunked(table(RUN, ("qid", "docno", "score"))),
    ),
    "parts of tables": (
        table([("q0", "z", 1), *QRELS], ("qid", "docno", "rel")).slice(1),
        table([*RUN, ("q0", "z", 1.0)], ("qid", "docno", "score")).slice(0, len(RUN)),
    ),
}


@for_each("form", FORMS)
def test_every_form_gives_the_same_numbers(form, from_files):
    assert values_of(evaluate(*FORMS[form], MEASURES)) == from_files


def test_whole_numbers_as_ids():
    qrels = pd.DataFrame({"qid": [1, 1, 10], "docno": [7, 12, 7], "rel": [1, 0, 1]})
    run = {1: {7: 1.0, 12: 2.0}, "10": {"7": 1.0}}
    assert evaluate(qrels, run, ["map"]).per_topic() == {"1": {"map": 0.5}, "10": {"map": 1.0}}


def test_grades_may_be_fractions():
    # DCG: 0.5 / log2(2) + 1.5 / log2(3); ideal: 1.5 / log2(2) + 0.5 / log2(3)
    scores = evaluate({"q": {"a": 0.5, "b": 1.5}}, {"q": {"a": 2, "b": 1}}, ["ndcg"])
    assert scores.summary()["ndcg"] == pytest.approx(1.4463946303571863 / 1.8154648767857287)


def test_topics_without_documents_are_no_topics():
    scores = evaluate({"q1": {"a": 1}, "q2": {}}, {"q1": {"a": 1}, "q3": {}}, ["num_q"])
    assert scores.summary() == {"num_q": 1}
    assert scores.account.missing == scores.account.unjudged == ()


def test_infinite_scores_are_scores():
    run = {"q": {"a": -float("inf"), "b": 10**400 // 10**390, "c": float("inf")}}
    scores = evaluate({"q": {"a": 1, "b": 2, "c": 3}}, run, ["relstring"])
    assert scores.text_by_topic("relstring") == {"q": "321"}


def test_groups_of_judges_in_a_table():
    rows = [("q", "A", "d1", 1), ("q", "A", "d2", 0), ("q", "B", "d1", 0), ("q", "B", "d2", 1)]
    qrels = frame(rows, "qid", "group", "docno", "rel")
    scores = evaluate(qrels, {"q": {"d1": 2, "d2": 1}}, ["map_avgjg"], qrels_format="qrels_jg")
    assert scores.summary() == {"map_avgjg": 0.75}  # the mean of 1 and 1/2


GOOD = {"q": {"d": 1}}
WRONG = {
    "no column for topics": (
        pd.DataFrame({"docno": ["d"], "score": [1.0]}),
        "there is no column for the topic",
    ),
    "two columns for topics": (
        pd.DataFrame({"qid": ["q"], "topic": ["q"], "docno": ["d"], "score": [1.0]}),
        "qid and topic are columns for the topic",
    ),
    "no rows": (pd.DataFrame({"qid": [], "docno": [], "score": []}), "it has no rows"),
    "a missing id": (
        pd.DataFrame({"qid": ["q", None], "docno": ["d", "e"], "score": [1.0, 2.0]}),
        "an id is missing in column qid",
    ),
    "a missing score": (
        pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"], "score": [1.0, None]}),
        "a score is missing in column score",
    ),
    "scores as texts": (
        pd.DataFrame({"qid": ["q"], "docno": ["d"], "score": ["1"]}),
        "not numbers",
    ),
    "NaN in an Arrow table": (
        pa.table({"qid": ["q"], "docno": ["d"], "score": [float("nan")]}),
        "a score is NaN, which is not a number",
    ),
    "reals as ids": (
        pd.DataFrame({"qid": [1.5], "docno": ["d"], "score": [1.0]}),
        "column qid holds floats: ids are strings, bytes or integers",
    ),
    "ids of several kinds": (
        pd.DataFrame({"qid": ["q", "q"], "docno": ["d", 5], "score": [1.0, 2.0]}),
        "Arrow cannot take this table",
    ),
    "a zero byte in a table": (
        pa.table({"qid": ["q"], "docno": ["d\0"], "score": [1.0]}),
        "an id in column docno holds a zero byte",
    ),
    "a repeated document": (
        pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "d"], "score": [1.0, 2.0]}),
        "duplicate document 'd' in topic 'q': rows 1 and 2",
    ),
    "an empty mapping": ({}, "it has no documents"),
    "empty topics": ({"q": {}}, "it has no documents"),
    "no mapping inside": ({"q": 5}, "a mapping must be {topic: {document: number}}"),
    "a score that is none": ({"q": {"d": None}}, "a score is "),
    "a score as a text": ({"q": {"d": "1"}}, "a score is not a number"),
    "a text among scores": ({"q": {"d": 1.0, "e": "2"}}, "a score is not a number"),
    "a score that is a list": ({"q": {"d": 1.0, "e": [1]}}, "a score is not a number"),
    "a score beyond all": ({"q": {"d": 10**400}}, "a score is not a number"),
    "NaN in a mapping": ({"q": {"d": float("nan")}}, "a score is NaN, which is not a number"),
    "a real as an id": ({"q": {1.5: 1}}, "document 1.5 is neither a string nor bytes nor"),
    "nothing as an id": ({None: {"d": 1}}, "topic None is neither a string nor bytes nor"),
    "a zero byte in a mapping": ({"q": {"d\0": 1}}, "document 'd\\x00' holds a zero byte"),
    "one topic under two names": ({"1": {"d": 1}, 1: {"e": 1}}, "duplicate topic '1'"),
    "one document under two names": (
        {"q": {"1": 1, b"1": 2}},
        "duplicate document '1' in topic 'q'",
    ),
    "a number": (5, "int objects cannot be read: give a path, a mapping"),
    "nothing": (None, "NoneType objects cannot be read"),
    "bytes": (b"run.txt", "bytes objects cannot be read"),
    "a series": (pd.Series([1.0], name="score"), "a pandas Series has no columns"),
}


@for_each("case", WRONG)
def test_what_is_no_run(case):
    run, message = WRONG[case]
    with pytest.raises(InputError) as raised:
        evaluate(GOOD, run, ["map"])
    assert str(raised.value).startswith("the run: ")
    assert message in str(raised.value)


@pytest.mark.parametrize("grade", [float("inf"), -float("inf")])
def test_infinite_grades_are_refused(grade):
    for qrels in ({"q": {"d": grade}}, frame([("q", "d", grade)], "qid", "docno", "rel")):
        with pytest.raises(InputError, match="the qrels: a grade is infinite"):
            evaluate(qrels, GOOD, ["ndcg"])


def test_judgments_with_groups_do_not_come_as_mappings():
    with pytest.raises(InputError, match="judgments with groups are read from files and tables"):
        evaluate({"q": {"d": 1}}, GOOD, ["map_avgjg"], qrels_format="qrels_jg")


def test_decimals_are_numbers_in_mappings():
    run = {"q": {"d": Decimal("0.1"), "e": Decimal("0.2")}}
    assert evaluate(GOOD, run, ["recip_rank"]).summary() == {"recip_rank": 0.5}


@pytest.mark.parametrize("is_pandas", [False, True])
def test_decimals_are_numbers_in_tables(is_pandas, from_files):
    """As in files, they are what they would be in a text; here in several chunks."""
    scores = [Decimal(str(score)) for _, _, score in RUN]
    given = table([(t, d, 0) for t, d, _ in RUN], ["qid", "docno", "rank"])
    given = given.append_column("score", pa.array(scores, pa.decimal128(12, 4)))
    run = pa.concat_tables([given.slice(0, 2), given.slice(2)])
    assert values_of(evaluate(nested(QRELS), run.to_pandas() if is_pandas else run, MEASURES)) == (
        from_files
    )
    grades = table(QRELS, ["qid", "docno", "rel"])
    grades = grades.set_column(2, "rel", grades.column("rel").cast(pa.decimal256(30, 2)))
    assert values_of(evaluate(grades, run, MEASURES)) == from_files


def test_a_lazy_frame_is_to_be_collected() -> None:
    class LazyFrame:
        @property
        def columns(self) -> tuple[str, ...]:
            raise AssertionError("polars warns whoever asks a lazy frame for its columns")

    qrels, frame = {"1": {"a": 1}}, LazyFrame()
    for call in (
        lambda: evaluate(qrels, frame, "map"),
        lambda: evaluate(frame, {"1": {"a": 1.0}}, "map"),
        lambda: irev.compare(qrels, {"a": frame, "b": frame}),
        lambda: irev.leaderboard(qrels, [frame, frame]),
        lambda: irev.gate(qrels, frame, min={"map": 0.1}),
        lambda: irev.pool(frame),
    ):
        with pytest.raises(InputError, match=r"write \.collect\(\)"):
            call()


def test_judgments_of_a_model_may_be_called_so() -> None:
    judgments = pd.DataFrame({"qid": ["1"], "docid": ["a"], "judgment": [2]})
    assert evaluate(judgments, {"1": {"a": 1.0}}, "map")["map"] == 1.0
