"""Ranked lists, pairs and sets, and the answers of search engines.

The values are by hand: relevant are a and b; at ranks 1 and 3 the average precision is 5/6.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from irev import InputError, compare, evaluate
from tests.command import irev
from tests.each import for_each

JUDGED: dict[str, Any] = {"1": {"a": 1, "b": 1}}
RANKED = {"1": ["b", "c", "a"]}
ANSWER = {
    "took": 3,
    "hits": {"max_score": 2.0, "hits": [{"_id": each, "_score": 2.0} for each in ("b", "c", "a")]},
}
REQUEST = {
    "requests": [
        {
            "id": "1",
            "request": {"query": {"match": {"text": "x"}}},
            "ratings": [{"_index": "i", "_id": each, "rating": 1} for each in ("a", "b")],
        }
    ],
    "metric": {"precision": {"k": 3}},
}
RESPONSE = {
    "metric_score": 0.67,
    "details": {
        "1": {
            "metric_score": 0.67,
            "unrated_docs": [{"_index": "i", "_id": "c"}],
            "hits": [
                {"hit": {"_index": "i", "_id": each, "_score": 1.0}, "rating": None}
                for each in ("b", "c", "a")
            ],
        }
    },
    "failures": {},
}
FORMS_OF_QRELS = {
    "set": {"1": {"a", "b"}},
    "list": {"1": ["a", "b"]},
    "pairs": {"1": [("a", 1), ("b", 1), ("c", 0)]},
    "_rank_eval": REQUEST,
}
FORMS_OF_RUN: dict[str, Any] = {
    "list": RANKED,
    "tuple": {"1": ("b", "c", "a")},
    "pairs": {"1": [("c", 0.2), ("b", 0.3), ("a", 0.1)]},
    "_search": {"1": ANSWER},
    "_rank_eval": RESPONSE,
    "_rank_eval by name": {"rank_eval": RESPONSE},
}


@pytest.mark.parametrize("form", FORMS_OF_QRELS)
def test_judgments(form: str) -> None:
    """Every document of a list or a set is relevant, of grade 1."""
    scores = evaluate(FORMS_OF_QRELS[form], {"1": {"b": 3, "c": 2, "a": 1}}, "map num_rel")

    assert scores.summary() == {"map": pytest.approx(5 / 6), "num_rel": 2}


@pytest.mark.parametrize("form", FORMS_OF_RUN)
def test_run(form: str) -> None:
    """The order of a list is its ranking, also where an engine gave equal scores."""
    assert evaluate(JUDGED, FORMS_OF_RUN[form], "map")["map"] == pytest.approx(5 / 6)


@pytest.mark.parametrize("form", FORMS_OF_RUN)
def test_several_runs(form: str) -> None:
    """A mapping of names to such runs is several."""
    runs = {"x": FORMS_OF_RUN[form], "y": {"1": ["c", "b", "a"]}}

    assert evaluate(JUDGED, runs, "map")["map"] == {
        "x": pytest.approx(5 / 6),
        "y": pytest.approx(7 / 12),
    }


def test_jobs_take_lists() -> None:
    """Not only evaluate does."""
    runs = {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["c"], "2": ["c", "a"]}}

    pairs = compare({"1": {"a"}, "2": {"a"}}, runs, measures="map").pairs

    assert abs(pairs["difference"].tolist()[0]) == pytest.approx(0.75)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("form", [form for form in FORMS_OF_RUN if form != "tuple"])
def test_json(form: str, indent: int | None, tmp_path: Path) -> None:
    """The same in files, on one line and on many."""
    (tmp_path / "qrels.json").write_text(json.dumps(REQUEST, indent=indent))
    (tmp_path / "run.json").write_text(json.dumps(FORMS_OF_RUN[form], indent=indent))

    ran = irev("-m", "map", "qrels.json", "run.json", cwd=tmp_path)

    assert ran.out == b"map                   \tall\t0.8333\n", ran.err


def test_json_lines(tmp_path: Path) -> None:
    """A line for each topic; columns may have other names."""
    (tmp_path / "qrels.json").write_text('{"1": ["a", "b"]}')
    (tmp_path / "a.jsonl").write_text('{"query_id": 1, "doc_id": ["b", "c", "a"]}\n\n')
    (tmp_path / "b.jsonl").write_text('{"query": "1", "text": "", "found": ["b", "c", "a"]}\n')

    for words in (["a.jsonl"], ["b.jsonl", "--columns", "document=found"]):
        ran = irev("-m", "map", "qrels.json", *words, cwd=tmp_path)
        assert ran.out == b"map                   \tall\t0.8333\n", ran.err


def test_an_empty_list_beside_mappings_leaves_their_numbers() -> None:
    run: dict[str, Any] = {"1": {"a": 0.5, "b": 0.9}, "2": []}
    assert evaluate({"1": {"b": 1}}, run, "RR").per_topic() == {"1": {"RR": 1.0}}
    # gains 2 and 1 at the ranks of b and a: (1 + 2 / log2(3)) / (2 + 1 / log2(3))
    qrels: dict[str, Any] = {"1": {"a": 2, "b": 1}, "2": []}
    value = evaluate(qrels, run, "ndcg").per_topic()["1"]["ndcg"]
    assert round(value, 6) == 0.859719


def test_long_list() -> None:
    """Ids do not break ranks: the relevant document is the last of equal kind."""
    ids = [f"d{number:05}" for number in range(20_000)]

    assert evaluate({"1": {ids[-1]}}, {"1": ids}, "recip_rank")["recip_rank"] == 1 / 20_000


WRONG: dict[str, tuple[Any, str]] = {
    "a document twice": ({"1": ["a", "b", "a"]}, "'a' in topic '1': places 1 and 3"),
    "a pair twice": ({"1": [("a", 2), ("a", 1)]}, "'a' in topic '1': places 1 and 2"),
    "two forms in one list": ({"1": ["a", ("b", 1)]}, "has ('b', 1) and 'a' in one list"),
    "two forms": ({"1": ["a"], "2": [("a", 1)]}, "topic '1' has ids, topic '2' pairs"),
    "a set as a run": ({"1": {"a"}}, "a set of documents, which has no order"),
    "sets as a run": ({"1": {"a"}, "2": {"a"}, "3": {"b"}}, "which has no order"),
    "no id": ({"1": ["a", None]}, "topic '1', place 2: None is no document id"),
    "no id in a pair": ({"1": [(["a"], 1)]}, "topic '1', place 1: ['a'] is no document id"),
    "no documents": ({"1": []}, "it has no documents"),
    "no list": ({"1": ["a"], "2": 5}, "topic '2' has 5, no documents"),
    "_msearch": ({"responses": [ANSWER]}, 'dict(zip(topics, answer["responses"]))'),
    "one answer": (ANSWER, "one answer of a search engine, without a topic"),
    "a request as a run": (REQUEST, "holds judgments, no run"),
    "an error": ({"1": ANSWER, "2": {"error": {"type": "x"}}}, "'2' has an error in place"),
    "a failure": ({**RESPONSE, "failures": {"2": {}}}, "_rank_eval failed for some topics"),
    "no _id": ({"1": {"hits": {"hits": [{}]}}}, "a hit of topic '1' has no _id"),
}


@for_each("case", WRONG)
def test_wrong_run(case: str) -> None:
    """What is no run says what to do."""
    run, message = WRONG[case]
    with pytest.raises(InputError) as caught:
        evaluate(JUDGED, run, "map")
    assert message in str(caught.value)


@pytest.mark.parametrize("run", [{"1": ANSWER}, RESPONSE])
def test_answers_are_no_judgments(run: Any) -> None:
    """Hits are retrieved, not relevant."""
    with pytest.raises(InputError, match="request of _rank_eval is read as judgments"):
        evaluate(run, RANKED, "map")


def test_what_is_wrong_with_a_request() -> None:
    """It is named by its place, the first is 1, or by its id."""
    rating = {"_index": "i", "_id": "a", "rating": 1}
    good = {"id": "1", "ratings": [rating]}
    for second, message in (
        ({"id": "2"}, "request 2 lacks an id, or ratings with _id and rating"),
        ({"ratings": [rating]}, "request 2 lacks an id"),
        ({"id": "2", "ratings": [{"_id": "a"}]}, "request 2 lacks an id, or ratings"),
        ({"id": ["2"], "ratings": [rating]}, "request 2 has the id ['2'], no text"),
        (good, "two requests have the id '1'"),
        (
            {"id": "2", "ratings": [{**rating, "_index": "j"}]},
            "the documents are of 2 indices, i, j",
        ),
    ):
        with pytest.raises(InputError) as caught:
            evaluate({"requests": [good, second]}, RANKED, "map")
        assert message in str(caught.value)
