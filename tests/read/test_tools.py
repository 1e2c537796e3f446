"""Judgments as tools for search write them: what they hold, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import irev
from irev.errors import InputError
from irev.read.formats import JUDGMENTS
from irev.read.tools import judgments_of_object
from tests.command import irev as command
from tests.each import for_each

LAPTOP, JEANS = "red laptop", "jeans"
JUDGED = {LAPTOP: {"B1": 3, "B2": 0}, JEANS: {"B3": 1}}
"""What each file below holds."""

RUN = {LAPTOP: {"B2": 2.0, "B1": 1.0}, JEANS: {"B3": 1.0}}
"""B1 stands behind B2, which is not relevant: reciprocal ranks of 1/2 and 1."""

# as the programs write them, with other ids and texts
FILES: dict[str, tuple[str, str]] = {
    "a case of Quepid": ("quepid", json.dumps({
        "case_name": "Shop", "owner_email": "a@example.org", "options": {}, "queries": [
            {"arranged_at": 1, "query_text": LAPTOP, "notes": None, "ratings": [
                {"doc_id": "B1", "rating": 3, "user_email": "a@example.org"},
                {"doc_id": "B2", "rating": 0}, {"doc_id": "B9", "rating": None}]},
            {"arranged_at": 2, "query_text": JEANS, "ratings": [{"doc_id": "B3", "rating": 1.0}]},
            {"arranged_at": 3, "query_text": "nothing", "ratings": []}],
        "try": {"query_params": "q=#$query##"}}, indent=2)),
    "ratings of Quepid": ("quepid", json.dumps({
        "queries": [{"query": query, "ratings": rated} for query, rated in JUDGED.items()]})),
    "the form for imports of OpenSearch": ("opensearch", json.dumps({
        "name": "Imported", "description": "x", "type": "IMPORT_JUDGMENT", "judgmentRatings": [
            {"query": LAPTOP, "ratings": [
                {"docId": "B1", "rating": "3.000"}, {"docId": "B2", "rating": "0.000"}]},
            {"query": JEANS, "ratings": [{"docId": "B3", "rating": 1}]}]}, indent=1)),
    "its elder form": ("opensearch", json.dumps({"judgmentRatings": {
        LAPTOP: [{"docId": "B1", "rating": "3"}, {"docId": "B2", "rating": "0"}],
        JEANS: [{"docId": "B3", "rating": "1"}]}})),
    "an answer of OpenSearch": ("opensearch", json.dumps({"took": 3, "hits": {
        "total": {"value": 1}, "hits": [{"_index": "judgment", "_id": "5f", "_source": {
            "id": "5f", "status": "COMPLETED", "type": "LLM_JUDGMENT", "judgmentRatings": [
                {"query": LAPTOP, "ratings": [
                    {"docId": "B1", "rating": "3.0"}, {"docId": "B2", "rating": "0.0"}]},
                {"query": JEANS, "ratings": [{"docId": "B3", "rating": "1.0"}]}]}}]}})),
    "RRE": ("rre", json.dumps({
        "index": "shop", "corpora_file": "shop.bulk", "id_field": "id", "topics": [
            {"description": "things", "query_groups": [
                {"name": "one", "queries": [
                    {"template": "t.json", "placeholders": {"$lang": "en", "$query": LAPTOP}}],
                 "relevant_documents": {"B1": {"gain": 3}, "B2": {"gain": 0}}},
                {"name": "two", "queries": [
                    {"template": "t.json", "placeholders": {"$query": JEANS}}],
                 "relevant_documents": {"B3": {"gain": 1}}}]}]})),
    "RRE, a list": ("rre", json.dumps({
        "index": "shop", "id_field": "id", "query_placeholder": "query", "query_groups": [
            {"name": query, "queries": [
                {"template": "t.json", "placeholders": {"query": query}}],
             "relevant_documents": [
                {"document_id": document, "gain": gain} for document, gain in rated.items()]}
            for query, rated in JUDGED.items()]})),
    "RRE, by Quepid": ("rre", json.dumps({
        "id_field": "id", "index": "Shop", "template": "template.json", "queries": [
            {"placeholders": {"$query": LAPTOP}, "relevant_documents": {"0": ["B2"], "3": ["B1"]}},
            {"placeholders": {"$query": JEANS}, "relevant_documents": {"1": ["B3"]}}]})),
}  # fmt: skip

LETOR = """\
# MQ2007, features are normalised
3 qid:18 1:0.056537 2:0.000000 3:0.666667 #docid = GX029-35 inc = 0.0119881 prob = 0.139842
0 qid:18 1:0.279152 2:0.000000 #docid = GX030-77 inc = 1 prob = 0.341364
-1 qid:19 1:0.1 # 7555 rambo
1 qid:19 # 1370 rambo the second
"""
OF_LETOR = "18 Q0 GX030-77 1 3 r\n18 Q0 GX029-35 2 2 r\n19 Q0 1370 1 1 r\n"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refuse(message: str, hint: str = "") -> InputError:
    raise AssertionError(message + hint)


@for_each("name", FILES)
def test_a_file_of_a_tool(name: str) -> None:
    """It is known without -R, by -R as well, in memory, and by check."""
    tool, text = FILES[name]
    layout = JUDGMENTS[tool].layouts[0]
    assert judgments_of_object(json.loads(text), layout, refuse) == JUDGED
    Path("judged").write_text(text, encoding="utf-8")
    Path("run").write_text(json.dumps(RUN), encoding="utf-8")
    plain = irev.evaluate(JUDGED, RUN, ["RR", "nDCG@5"])
    for judged in ("judged", json.loads(text)):
        for qrels_format in ("qrels", tool):
            scores = irev.evaluate(  # type: ignore[call-overload]
                judged, RUN, ["RR", "nDCG@5"], qrels_format=qrels_format
            )
            assert scores.by_topic("RR") == {LAPTOP: 0.5, JEANS: 1.0}
            assert scores["nDCG@5"] == plain["nDCG@5"]
    wrong = "rre" if tool != "rre" else "opensearch"
    ran = command("-R", wrong, "judged", "run")
    assert f"not judgments as -R {wrong} reads them\n  hint: -R {tool} reads it" in ran.err
    ran = command("check", "judged")
    assert (ran.code, b"2 topics, 3 rows" in ran.out) == (0, True)


def test_the_help_shows_a_file_that_is_read() -> None:
    for tool in ("quepid", "opensearch", "rre"):
        shown = JUDGMENTS[tool].help.split("\n    ", 1)[1]
        content = json.JSONDecoder().raw_decode(shown)[0]
        read = judgments_of_object(content, JUDGMENTS[tool].layouts[0], refuse)
        assert read == {"laptop": {"12": 3}}


BAD: dict[str, tuple[Any, str]] = {
    "two ratings": (
        {"judgmentRatings": [{"query": "q", "ratings": [
            {"docId": "a", "rating": 1}, {"docId": "a", "rating": 2}]}]},
        "document 'a' of query 'q' has two ratings, 1 and 2"),
    "no number": (
        {"queries": [{"query": "q", "ratings": {"a": "high"}}]},
        "the rating of document 'a' of query 'q' is not a number: 'high'"),
    "a key is missing": (
        {"judgmentRatings": [{"query": "q", "ratings": [{"doc": "a", "rating": 1}]}]},
        "this looks like judgments of OpenSearch, but a key is missing or misplaced"),
    "no query": (
        {"queries": [{"text": "q", "ratings": {"a": 1}}]}, "no text: query None or its document"),
    "no placeholder": (
        {"query_groups": [{"queries": [{"placeholders": {}}], "relevant_documents": {"a": 1}}]},
        "no text: query None or its document"),
    "two lists": (
        {"hits": {"hits": [{"_source": {"judgmentRatings": []}}] * 2}},
        "this answer holds 2 lists of judgments: ask for one by its id"),
    "nothing rated": ({"judgmentRatings": []}, "has no documents"),
}  # fmt: skip


@for_each("case", BAD)
def test_a_bad_file_of_a_tool(case: str) -> None:
    content, message = BAD[case]
    Path("judged").write_text(json.dumps(content), encoding="utf-8")
    Path("run").write_text(json.dumps(RUN), encoding="utf-8")
    ran = command("judged", "run")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(("judged: ", "irev: error: judged: "))
    assert message in ran.err


def test_lists_for_learning_to_rank() -> None:
    """The document is the first word of the comment, or stands behind docid =."""
    Path("train.txt").write_text(LETOR, encoding="utf-8")
    Path("run").write_text(OF_LETOR, encoding="utf-8")
    for words in ((), ("-R", "letor")):
        scores = command("-q", *words, "-m", "RR", "-m", "num_rel", "train.txt", "run").out.split()
        assert scores[2::3] == [b"1", b"0.5000", b"1", b"1.0000", b"2", b"0.7500"]
    ran = command("check", "train.txt")
    assert (ran.code, b"letor, 2 topics, 4 judgments" in ran.out) == (0, True)
    bad = [
        "2 qid:1 1:1 #d1",
        "x qid:1 #d2",
        "1.5 qid:1 # d3",
        "1 qid:1",
        "1 1:2 # d4",
        "1 qid:1 #d1",
    ]
    Path("bad").write_text("\n".join(bad), encoding="utf-8")
    err = command("bad", "run").err
    for message in (
        "bad:2: the grade 'x' is not a whole number\n",
        "bad:3: the grade '1.5' is not a whole number\n  hint: --grades real accepts fractions",
        "bad:4: no document is named\n  hint: it stands in a comment at the end of the line",
        "bad:5: the second field is no qid:TOPIC",
        "bad:6: duplicate document 'd1' in topic '1': lines 1 and 6",
    ):
        assert message in err
    few = "1.5 qid:1 1:1 # d3\n"
    Path("few").write_text(few, encoding="utf-8")
    Path("run").write_text("1 Q0 d3 1 1 r\n", encoding="utf-8")
    assert command("--grades", "real", "-m", "RR", "few", "run").out.split()[-1] == b"1.0000"


def test_pairs_of_topic_and_document() -> None:
    Path("pairs").write_text("# relevant ones\n18\td1\n\n18\td2\n19\td1\n", encoding="utf-8")
    Path("run").write_text("18 Q0 d9 1 3 r\n18 Q0 d2 2 2 r\n19 Q0 d1 1 1 r\n", encoding="utf-8")
    ran = command("-q", "-m", "RR", "-m", "num_rel", "pairs", "run")
    assert ran.out.split()[2::3] == [b"2", b"0.5000", b"1", b"1.0000", b"3", b"0.7500"]
    noted = "irev: note: pairs: a topic and a document on each line: each document is relevant"
    assert noted in ran.err
    assert command("--strict", "-m", "RR", "pairs", "run").code == 0
    ran = command("check", "pairs")
    assert (ran.code, b"pairs, 2 topics, 3 judgments" in ran.out) == (0, True)
    # judged like other judgments where lines are repeated
    Path("pairs").write_text("18 d1\n18 d1\n", encoding="utf-8")
    message = "pairs:2: duplicate document 'd1' in topic '18': lines 1 and 2"
    assert message in command("pairs", "run").err
    ran = command("--duplicates-qrels", "first", "-m", "num_rel", "pairs", "run")
    assert ran.out.split()[-1] == b"1"
    Path("pairs").write_text("18 d1\n18 d2 1\n18 d3\n", encoding="utf-8")
    message = "pairs:2: expected 2 fields, a topic and a document, found 3"
    assert message in command("pairs", "run").err


def test_a_csv_of_quepid_may_have_queries_without_ratings() -> None:
    rows = ["query,docid,rating", f"{LAPTOP},B1,3", f"{LAPTOP},B2,0", "nothing", f"{JEANS},B3,1"]
    Path("rated.csv").write_text("\n".join(rows), encoding="utf-8")
    scores = irev.evaluate("rated.csv", RUN, "RR", qrels_format="quepid")
    assert scores.by_topic("RR") == {LAPTOP: 0.5, JEANS: 1.0}
    Path("other.csv").write_text("query,docid,grade\nq,d,1\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"other\.csv:1: Quepid's CSV has the columns query, docid"
    ):
        irev.evaluate("other.csv", RUN, "RR", qrels_format="quepid")


def test_runs_and_plain_judgments_are_no_tools() -> None:
    """What is read as before: no run and no mapping has such keys by chance."""
    assert judgments_of_object({"q": {"d": 1}}, JUDGMENTS["qrels"].layouts[0], refuse) is None
    for text in ("d1 L2\nd2 L0\n", "d1 2\nd2 0\n"):  # without a topic
        Path("few").write_text(text, encoding="utf-8")
        assert "few:1: expected 4 fields" in command("few", "run").err
    Path("few").write_text("<!DOCTYPE html>\n<html lang>\n", encoding="utf-8")
    assert "did a download fail?" in command("few", "run").err
    Path("run").write_text("18 d1\n", encoding="utf-8")
    Path("qrels").write_text("18 0 d1 1\n", encoding="utf-8")
    assert "run:1: expected" in command("qrels", "run").err
