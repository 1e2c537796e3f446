"""Documents of frameworks, tables for engines and numbers for trackers, with the programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import irev
from tests.files import SAMPLE

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the packages

BRINGS = "make test-frameworks brings it"
JUDGED = {"q1": {"d1"}}
MEASURES = ["map", "nDCG@10", "AP(rel=2)@100", "nDCG(gain={1:1,2:5})@10", "iprec_at_recall.0.1"]
RUNS = [SAMPLE / "bm25.run", SAMPLE / "rm3.run"]
MAP = {"bm25": 0.3501, "rm3": 0.4385}
"""trec_eval 10's scores with -c, as sample_data/README.md has them."""


def _recip_rank(ranked: object) -> float:
    return irev.evaluate(JUDGED, {"q1": ranked}, "recip_rank")["recip_rank"]


def test_haystack() -> None:
    haystack: Any = pytest.importorskip("haystack", reason=BRINGS)
    documents = [
        haystack.Document(content="whale", meta={"doc_id": "d3"}, score=0.8),
        haystack.Document(content="krill", meta={"doc_id": "d1"}, score=0.6),
    ]
    whole = [each.to_dict(flatten=False) for each in documents]
    assert _recip_rank([(each["meta"]["doc_id"], each["score"]) for each in whole]) == 0.5
    assert _recip_rank([(each.meta["doc_id"], each.score) for each in documents]) == 0.5


def test_langchain() -> None:
    documents: Any = pytest.importorskip("langchain_core.documents", reason=BRINGS)
    chunks = [
        documents.Document(page_content=text, metadata={"source": source})
        for text, source in (("whale", "d3"), ("krill", "d3"), ("sea", "d1"))
    ]
    dumped = [each.model_dump() for each in chunks]
    assert _recip_rank([*dict.fromkeys(each["metadata"]["source"] for each in dumped)]) == 0.5


def test_llama_index() -> None:
    schema: Any = pytest.importorskip("llama_index.core.schema", reason=BRINGS)
    from llama_index.core.evaluation.retrieval.base import (  # type: ignore[import-not-found]
        RetrievalEvalResult,
    )

    source = schema.NodeRelationship.SOURCE
    nodes = [
        schema.NodeWithScore(
            node=schema.TextNode(
                text="...", relationships={source: schema.RelatedNodeInfo(node_id=document)}
            ),
            score=score,
        )
        for document, score in (("d3", 0.9), ("d1", 0.4))
    ]
    assert _recip_rank([(each.node.ref_doc_id, each.score) for each in nodes]) == 0.5
    result = RetrievalEvalResult(
        query="blue whale", expected_ids=["d1"], retrieved_ids=["d3", "d1"],
        retrieved_texts=["a", "b"], metric_dict={},
    )  # fmt: skip
    scores = irev.evaluate(
        {result.query: result.expected_ids}, {result.query: result.retrieved_ids}, "recip_rank"
    )
    assert scores["recip_rank"] == 0.5


def test_a_client_gives_its_answer_as_body() -> None:
    transport: Any = pytest.importorskip("elastic_transport", reason=BRINGS)
    hits = {"hits": {"hits": [{"_id": "d3"}, {"_id": "d1"}]}}
    answer = transport.ObjectApiResponse(meta=None, body=hits)
    assert _recip_rank(answer.body) == 0.5


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    """The scores by topic of two runs, as the command writes them."""
    from tests.command import irev as command

    path = tmp_path / "scores.parquet"
    ran = command("-c", "-m", "map", "--output", path, SAMPLE / "qrels.txt", *RUNS)
    assert ran.code == 0
    return path


def test_duckdb(parquet: Path) -> None:
    duckdb: Any = pytest.importorskip("duckdb", reason=BRINGS)
    rows = duckdb.sql(f"SELECT run, avg(value) FROM '{parquet}' GROUP BY run").fetchall()
    assert {run: round(value, 4) for run, value in rows} == MAP


def test_polars(parquet: Path) -> None:
    polars: Any = pytest.importorskip("polars", reason=BRINGS)
    frame = polars.read_parquet(parquet)
    means = frame.group_by("run").agg(polars.col("value").mean()).rows()
    assert {run: round(value, 4) for run, value in means} == MAP


@pytest.fixture
def flat() -> dict[str, float]:
    """The means under flat keys, of measures whose names have signs of every kind."""
    scores: dict[str, float] = irev.evaluate(SAMPLE / "qrels.txt", RUNS, MEASURES).to_dict(
        flat=True
    )
    assert len(scores) == len(RUNS) * len(MEASURES)
    return scores


def test_mlflow(flat: dict[str, float], tmp_path: Path) -> None:
    mlflow: Any = pytest.importorskip("mlflow", reason=BRINGS)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    with mlflow.start_run() as run:
        mlflow.log_metrics(flat)
    assert mlflow.get_run(run.info.run_id).data.metrics == flat


def test_weights_and_biases(
    flat: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb: Any = pytest.importorskip("wandb", reason=BRINGS)
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(project="irev", dir=tmp_path, mode="offline")
    run.log(flat)
    logged = {name: value for name, value in dict(run.summary).items() if name[0] != "_"}
    run.finish()
    assert json.loads(json.dumps(logged)) == flat
