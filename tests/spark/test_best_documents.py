"""The best documents of a topic are the same however its rows are cut, and tell of wrong orders."""

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from irev.core.ids import ids_from_bytes
from irev.engine.run_facts import EqualScoreCounts, count_reversed_topics
from irev.rank.ranking import RankingRule
from irev.read.formats import run_layout
from irev.read.layout import layout_for
from irev.read.topics import grouped_rows
from irev.spark.batches import (
    LINE,
    LineReader,
    TableReader,
    count_topics_with_equal_best_scores,
    rank_warnings_of_best,
)
from irev.spark.ranks import ranked_runs
from tests.rank.test_rank import qrels_of
from tests.spark.here import Here

QRELS = qrels_of({f"t{topic}".encode(): [(b"d1", 1.0)] for topic in range(5)})


def rows_of(rng: random.Random, kind: str) -> list[tuple[str, str, int, float]]:
    """30 documents of 6 topics, one of which is not judged; their ranks fit only a sound run."""
    rows = []
    for topic in range(6):
        for rank in range(1, 31):
            score = {"sound": 40 - rank, "reversed": rank, "equal": 1, "few": rank // 10}[kind]
            rows.append((f"t{topic}", f"d{rank}", rank, float(score)))
    rng.shuffle(rows)
    return rows


def cut(rows: list[tuple[str, str, int, float]], num_parts: int, form: str) -> list[Any]:
    batches = []
    for part in range(num_parts):
        own = rows[part::num_parts]
        if form == "lines":
            lines = [f"{t} Q0 {d} {rank} {score} x".encode() for t, d, rank, score in own]
            batches.append([pa.record_batch({LINE: pa.array(lines, pa.binary())})])
        else:
            topic, document, rank, score = zip(*own, strict=True)
            columns = {"topic": topic, "document": document, "rank": map(str, rank), "score": score}
            batches.append([pa.record_batch({n: pa.array(list(c)) for n, c in columns.items()})])
    return batches


@pytest.mark.parametrize("kind", ["sound", "reversed", "equal", "few"])
@pytest.mark.parametrize("form", ["lines", "table"])
@pytest.mark.parametrize("broadcast", [True, False])
def test_what_is_told_does_not_depend_on_partitions(form: str, kind: str, broadcast: bool) -> None:
    rows = rows_of(random.Random(3), kind)
    layout = run_layout("trec_results")
    reader = LineReader(layout) if form == "lines" else TableReader(layout_for(layout))
    best = [
        ranked_runs(
            Here(cut(rows, num_parts, form)), reader, QRELS, RankingRule(), broadcast=broadcast
        )[b""].best_documents
        for num_parts in (1, 2, 7)
    ]
    assert best[0] == best[1] == best[2]
    assert [each.topic for each in best[0]] == [b"t0", b"t1", b"t2", b"t3", b"t4"]

    order = count_topics_with_equal_best_scores(best[0])
    assert order == EqualScoreCounts(5, *{"equal": (5, 0), "few": (0, 5)}.get(kind, (0, 0)))
    warnings = [*rank_warnings_of_best(best[0])]
    if kind in ("reversed", "few"):
        (warning,) = warnings
        assert warning.kind == "rank-order"
        assert "in 5 of 5 topics looked at" in warning.message
    else:
        assert warnings == []


def test_they_are_counted_as_whole_topics_are() -> None:
    """Of topics no deeper than what is kept, the same is counted as without Spark."""
    rng = random.Random(5)
    rows = [
        (f"t{topic}", f"d{n}", n + 1, rng.choice([0.5, 1.0, 1.5, rng.random()]))
        for topic in range(5)
        for n in range(20)
    ]
    topics = [b"t%d" % topic for topic in range(5)]
    (whole,) = grouped_rows(
        topics,
        np.repeat(np.arange(5), 20),
        [ids_from_bytes([document.encode() for _, document, _, _ in rows])],
        np.array([score for *_, score in rows]),
        None,
    )
    ranking = Here(cut(rows, 3, "lines"))
    best = ranked_runs(ranking, LineReader(run_layout("trec_results")), QRELS, RankingRule())[
        b""
    ].best_documents
    scores = [
        sorted((row[3] for row in rows[20 * n : 20 * n + 20]), reverse=True) for n in range(5)
    ]
    num_tied = sum(len(set(own[:10])) == 1 for own in scores)
    num_coarse = sum(len(set(own)) <= 4 for own in scores) - num_tied
    expected = EqualScoreCounts(5, num_tied, num_coarse)
    assert count_topics_with_equal_best_scores(best) == expected
    rank = np.array([float(rank) for _, _, rank, _ in rows])
    num_reversed, num_topics = count_reversed_topics(whole, rank)
    told = " ".join(warning.message for warning in rank_warnings_of_best(best))
    assert (f"in {num_reversed} of {num_topics} topics" in told) == (2 * num_reversed > num_topics)


def test_ranks_alone_that_are_none() -> None:
    lines = [f"t{topic} d{n} {n + 5}".encode() for topic in range(5) for n in range(9)]
    batches = [[pa.record_batch({LINE: pa.array(lines, pa.binary())})]]
    reader = LineReader(run_layout("msmarco"))
    best = ranked_runs(Here(batches), reader, QRELS, RankingRule())[b""].best_documents
    (warning,) = rank_warnings_of_best(best)
    assert (
        "do not start at 1 or are repeated in 5 topics looked at, such as 't0'" in warning.message
    )
