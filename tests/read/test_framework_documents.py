"""Documents, nodes and results as frameworks serialise them, by the snippets of the docs.

`tests/cases/frameworks/serialised.json` was written by the versions that it names; tests/frameworks
asks the packages themselves where they are installed.
"""

from __future__ import annotations

import json
from typing import Any

import irev
from tests.files import CASES

RECORDED: dict[str, Any] = {
    name.split()[0]: value
    for name, value in json.loads(
        (CASES / "frameworks" / "serialised.json").read_text(encoding="utf-8")
    ).items()
}
JUDGED = {"q1": {"d1"}}


def _recip_rank(ranked: object) -> float:
    return irev.evaluate(JUDGED, {"q1": ranked}, "recip_rank")["recip_rank"]


def test_haystack() -> None:
    recorded = RECORDED["haystack-ai"]
    documents = recorded["documents"]
    assert recorded["answer"]["documents"] == documents
    assert _recip_rank([(each["meta"]["doc_id"], each["score"]) for each in documents]) == 0.5
    assert _recip_rank([(each["doc_id"], each["score"]) for each in recorded["flat"]]) == 0.5


def test_langchain() -> None:
    documents = RECORDED["langchain-core"]["documents"]
    assert {each["id"] for each in documents} == {None}
    assert _recip_rank([*dict.fromkeys(each["metadata"]["source"] for each in documents)]) == 0.5


def test_llama_index() -> None:
    recorded = RECORDED["llama-index-core"]
    nodes = recorded["nodes"]
    sources = [(each["node"]["relationships"]["1"]["node_id"], each["score"]) for each in nodes]
    assert _recip_rank(sources) == 0.5
    row = recorded["result"]
    scores = irev.evaluate(
        {row["query"]: row["expected_ids"]}, {row["query"]: row["retrieved_ids"]}, "map"
    )
    assert scores["map"] == (1 + 2 / 3) / 2
