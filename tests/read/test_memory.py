"""Mappings and arrays as inputs; every form of the same rows gives the same bits."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import InputError, evaluate
from tests.each import for_each
from tests.strategies import examples

MEASURES = ["map", "ndcg", "relstring", "num_ret"]

# ids as bytes: ASCII, UTF-8 of two to four bytes, and a byte that is no UTF-8
_PARTS = st.sampled_from([b"a", b"d1", b"Z-", "é".encode(), "漢".encode(), "😀".encode(), b"\xe9"])
_IDS = st.lists(_PARTS, min_size=1, max_size=4).map(b"".join) | _PARTS.map(lambda part: 70 * part)


@st.composite
def rows(draw):
    """Judgments and a run: ties, unjudged documents, topics that only one of them has, shuffled."""
    topics = draw(st.lists(_IDS, min_size=2, max_size=5, unique=True))
    docs = draw(st.lists(_IDS, min_size=2, max_size=12, unique=True))
    rng = random.Random(draw(st.integers(0, 2**32)))
    qrels = [(topic, doc, rng.choice([0, 1, 2])) for topic in topics[:-1] for doc in docs[::2]]
    run = [
        (topic, doc, rng.choice([0.5, 1.0, 1.0, rng.random()]))
        for topic in (topics[-1], *topics[: max(1, len(topics) - 2)])
        for doc in rng.sample(docs, rng.randint(1, len(docs)))
    ]
    rng.shuffle(qrels)
    rng.shuffle(run)
    return qrels, run


def text_of(rows: Any, folder: Any, name: str) -> Any:
    path = folder / name
    is_run = name == "run"
    path.write_bytes(
        b"".join(b"%s Q0 %s 1 %r tag\n" % row if is_run else b"%s 0 %s %d\n" % row for row in rows)
    )
    return path


def as_string(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def mapping_of(rows: Any, kind: Any) -> Any:
    found: dict[Any, dict[Any, float]] = {}
    for topic, doc, number in rows:
        found.setdefault(kind(topic), {})[kind(doc)] = number
    return found


def arrays_of(rows: Any, kind: Any, dtype: Any = None) -> Any:
    topics, docs, numbers = zip(*rows, strict=True)
    return {
        "topic": np.array([kind(topic) for topic in topics], dtype),
        "document": np.array([kind(doc) for doc in docs], dtype),
        "number": np.array(numbers),
    }


def named(columns: Any, number: str) -> Any:
    return {number if name == "number" else name: column for name, column in columns.items()}


FORMS = {
    "mapping of strings": lambda rows, _: mapping_of(rows, as_string),
    "mapping of bytes": lambda rows, _: mapping_of(rows, bytes),
    "frame": lambda rows, number: pd.DataFrame(named(arrays_of(rows, bytes, object), number)),
    "table": lambda rows, number: pa.table(
        named({k: pa.array(v.tolist()) for k, v in arrays_of(rows, bytes, object).items()}, number)
    ),
    "arrays of strings": lambda rows, number: named(arrays_of(rows, as_string), number),
    "arrays of bytes": lambda rows, number: named(arrays_of(rows, bytes), number),
    "arrays of objects": lambda rows, number: named(arrays_of(rows, as_string, object), number),
}


def bits(qrels: Any, run: Any) -> Any:
    scores = evaluate(qrels, run, MEASURES)
    names = [column.name for column in scores.columns if column.name != "runid"]
    return scores.topics, names, scores.values.tobytes(), scores.texts, scores.account


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("memory")


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
@given(rows())
@examples(25)
def test_every_form_gives_the_same_bits(folder, given_rows):
    qrels, run = given_rows
    expected = bits(text_of(qrels, folder, "qrels"), text_of(run, folder, "run"))
    for name, form in FORMS.items():
        assert bits(form(qrels, "grade"), form(run, "score")) == expected, name


QRELS = {"q1": {"a": 1, "b": 0}, "10": {"7": 1}}
TOPICS = np.array(["q1", "10", "q1"])
DOCS = np.array(["b", "7", "a"])
SCORES = np.array([2.0, 1.0, 1.5])


def columns(**other: Any) -> dict[str, Any]:
    return {"topic": TOPICS, "document": DOCS, "score": SCORES} | other


@pytest.mark.parametrize(
    "given_columns",
    [
        columns(),
        columns(document=DOCS.astype("S")),
        columns(document=DOCS.astype("S").astype(object)),
        columns(document=DOCS.astype(">U3"), score=SCORES.astype(">f4")),
        columns(document=DOCS.astype(np.dtypes.StringDType())),
        columns(document=np.array(["b", "wide", "7", "wide", "a", "wide"])[::2]),
        columns(topic=pd.Series(["q1", "10", "q1"]), document=pa.array(["b", "7", "a"])),
        columns(topic=np.array(["q1", 10, "q1"], object), rank=np.arange(3), weight=np.ones(9)),
        {"qid": TOPICS[::-1], "docno": DOCS[::-1], "sim": np.array([3, 2, 4], np.int8)},
    ],
)
def test_arrays_of_all_kinds(given_columns):
    # q1: b before a, so that the only relevant document is second
    values = evaluate(QRELS, given_columns, ["map"]).per_topic()
    assert values == {"q1": {"map": 0.5}, "10": {"map": 1.0}}


def test_arrays_of_whole_numbers():
    qrels = {"topic": np.array([3, 3]), "document": np.array([7, 12]), "grade": np.array([1, 0])}
    run = {"topic": np.full(2, 3, np.uint8), "document": np.array([12, 7]), "score": np.ones(2)}
    # equal scores: the later id in byte order first, 7 before 12
    assert evaluate(qrels, run, ["recip_rank"]).per_topic() == {"3": {"recip_rank": 1.0}}


def test_ranks_in_an_array():
    run = {"topic": TOPICS, "document": DOCS, "rank": np.array([2, 1, 1])}
    values = evaluate(QRELS, run, ["map"], ties="rank").per_topic()
    assert values == {"q1": {"map": 1.0}, "10": {"map": 1.0}}


WRONG = {
    "lengths": (columns(score=SCORES[:2]), "not equally long: topic 3, document 3, score 2"),
    "two dimensions": (columns(score=SCORES[None]), "array score has 2 dimensions, not 1"),
    "no dimension": (columns(topic=np.array("q1")), "array topic has 0 dimensions, not 1"),
    "no column": ({"topic": TOPICS, "score": SCORES}, "there is no column for the document"),
    "no row": ({name: column[:0] for name, column in columns().items()}, "it has no rows"),
    "reals as ids": (columns(topic=SCORES), "array topic holds float64: ids are strings, bytes or"),
    "flags as ids": (columns(topic=SCORES > 1), "array topic holds bool: ids are"),
    "scores as texts": (columns(score=DOCS), "array score holds texts, not numbers"),
    "objects as scores": (columns(score=DOCS.astype(object)), "array score holds object, not num"),
    "NaN": (columns(score=SCORES * np.nan), "a score is NaN, which is not a number"),
    "nothing as an id": (
        columns(document=np.array(["a", None, "b"], object)),
        "an id of array document None is neither a string nor bytes nor an integer",
    ),
    "half a character": (columns(document=np.array(["a", "\ud800", "b"])), "contains half"),
    "a zero byte": (columns(document=np.array(["a", "b\0c", "b"])), "'b\\x00c' holds a zero byte"),
    "zero bytes that a count evens out": (
        columns(document=np.array(["a\0bc", "a\0b", "b"])),
        "'a\\x00bc' holds a zero byte",
    ),
    "a masked score": (
        columns(score=np.ma.masked_greater(SCORES, 1.7)),
        "a cell of array score is masked",
    ),
    "a repeated document": (
        columns(document=np.array(["b", "7", "b"])),
        "duplicate document 'b' in topic 'q1': rows 1 and 3",
    ),
    "arrays beside mappings": ({"q1": SCORES, "q2": {}}, "a mapping must be {topic: {document"),
}


@for_each("case", WRONG)
def test_arrays_that_are_no_run(case):
    run, message = WRONG[case]
    with pytest.raises(InputError) as raised:
        evaluate(QRELS, run, ["map"])
    assert str(raised.value).startswith("the run:")
    assert message in str(raised.value)


ODD_IDS: dict[str, dict[Any, int]] = {
    "a line end in an id": {"a\nb": 1, "c": 0},
    "an empty id": {"": 1, "c": 0},
    "bytes beside strings": {b"a": 1, "c": 0},
    "whole numbers": {7: 1, 12: 0},
    "large whole numbers": {10**30: 1, -4: 0},
    "characters of four bytes": {"😀": 1, "é" * 50: 0},
    "bytes with a line end": {b"a\n": 1, b"\n": 0},
}


@pytest.mark.parametrize("case", ODD_IDS)
def test_odd_ids_stay_what_they_are(case):
    relevant, other = ODD_IDS[case]
    scores = evaluate(
        {"q": ODD_IDS[case]}, {"q": {relevant: 1, other: 2}}, ["recip_rank", "Judged(denom=k)@2"]
    )
    assert scores.summary() == {"recip_rank": 0.5, "Judged(denom=k)@2": 1.0}
    scores = evaluate(
        {"q": ODD_IDS[case]}, {"q": {relevant: 2, other: 1}}, ["recip_rank", "Judged(denom=k)@2"]
    )
    assert scores.summary() == {"recip_rank": 1.0, "Judged(denom=k)@2": 1.0}
