"""Ranks from what workers count, whatever they were given of the rows: no Spark is needed here."""

from __future__ import annotations

import random
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.core.ids import ids_from_bytes
from irev.engine.map_topics import ExcludedDocuments
from irev.rank.ranking import RankingRule
from irev.read.formats import run_layout
from irev.read.layout import layout_for
from irev.spark import batches, passes
from irev.spark.batches import LineReader, TableReader
from irev.spark.passes import BeatCounts, Contenders, ranks_tie_starts_and_tie_sizes
from irev.spark.ranks import ranked_runs
from tests.rank.test_rank import qrels_of
from tests.spark.here import Here
from tests.strategies import examples

DOCS = [
    b"d",
    b"d1",
    b"d10",
    b"d9",
    b"D1",
    "dé".encode(),
    b"\xff",
    b"d" * 30,
    b"d" * 30 + b"1",
    b"z",
]
TOPICS = [b"1", b"01", "tä".encode()]
INF = float("inf")
SCORES = [-INF, -1.0, -0.0, 0.0, 0.5, 0.5 + 2**-40, 1e300, INF]

runs = st.dictionaries(
    st.sampled_from([b"a", b"b"]),
    st.dictionaries(
        st.sampled_from(TOPICS),
        st.dictionaries(st.sampled_from(DOCS), st.sampled_from(SCORES), min_size=1),
        min_size=1,
    ),
    min_size=1,
)
judgments = st.dictionaries(
    st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCS), st.just(1.0), min_size=1),
    min_size=1,
)  # fmt: skip


def partitions_of(rows: list[tuple[Any, ...]], rng: random.Random, form: str) -> list[Any]:
    """The rows (run, topic, document, score) cut into batches of a few partitions."""
    cuts = sorted(rng.choices(range(len(rows) + 1), k=rng.randrange(6)))
    found: list[list[pa.RecordBatch]] = [[] for _ in range(3)]
    for first, after in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        found[rng.randrange(3)].append(batch_of(rows[first:after], form))
    return found


def batch_of(rows: list[tuple[Any, ...]], form: str) -> pa.RecordBatch:
    run, topic, document, score = map(list, zip(*rows, strict=True)) if rows else ([],) * 4
    if form == "tables":
        return pa.record_batch(
            [*(pa.array(column, pa.binary()) for column in (run, topic, document)),
             pa.array(score, pa.float64())],
            names=["run", "topic", "document", "score"],
        )  # fmt: skip
    lines = [b"%s Q0 %s 1 %a tag" % (t, d, s) for _, t, d, s in rows]
    return pa.record_batch(
        [pa.array(run, pa.string()), pa.array(lines, pa.binary())], names=["run", "line"]
    )


def reader_of(form: str) -> LineReader | TableReader:
    layout = layout_for(run_layout())
    return TableReader(layout) if form == "tables" else LineReader(layout)


def plain_ranks(scores: dict[bytes, float], known: Any, rising: bool, single: bool) -> Any:
    """(rank, first rank of its group, size of that, document) of each judged document."""
    if single:
        with np.errstate(over="ignore"):
            scores = {doc: float(np.float32(score)) for doc, score in scores.items()}
    order = sorted(sorted(scores, reverse=not rising), key=lambda doc: -scores[doc])
    values = [scores[doc] for doc in order]
    return [
        (at + 1, values.index(scores[doc]) + 1, values.count(scores[doc]), doc)
        for at, doc in enumerate(order)
        if doc in known
    ]


@pytest.mark.in_turn(2)
@examples(15)
@given(runs, judgments, st.randoms(use_true_random=False), st.booleans())
@pytest.mark.parametrize("form", ["tables", "lines"])
@pytest.mark.parametrize("broadcast", [True, False])
def test_ranks_are_those_of_whole_runs(broadcast, form, run, judged, rng, contiguous):
    """However the rows are cut and mixed, and whoever has the judgments."""
    rows = [
        (name, topic, doc, score)
        for name, topics in run.items()
        for topic, docs in topics.items()
        for doc, score in docs.items()
    ]
    if not contiguous:
        rng.shuffle(rows)
    qrels = qrels_of({topic: list(docs.items()) for topic, docs in judged.items()})
    rising, single = rng.random() < 0.5, rng.random() < 0.5
    ranking = RankingRule(ids_rising=rising, single_precision=single, spans=True)
    cluster = Here(partitions_of(rows, rng, form))

    with mock.patch.object(passes, "MOST_AT_END", rng.choice([0, 3, 100])):
        ranked = ranked_runs(cluster, reader_of(form), qrels, ranking, broadcast=broadcast)

    assert sorted(ranked) == sorted(run)
    for name, (whole, problems, tag, *_) in ranked.items():
        assert not problems
        assert tag == (b"tag" if form == "lines" else b"")
        expected = {
            qrels.topic_index[topic]: (len(docs), plain_ranks(docs, judged[topic], rising, single))
            for topic, docs in run[name].items()
            if topic in judged
        }
        assert whole.lists.tolist() == sorted(expected)
        assert whole.num_ret.tolist() == [expected[at][0] for at in sorted(expected)]
        ties = whole.extras.ties
        assert ties is not None
        told = zip(
            whole.lists[whole.topic].tolist(), whole.rank.tolist(), ties.first.tolist(),
            ties.size.tolist(), qrels.docs.take(whole.row).to_list(), strict=True,
        )  # fmt: skip
        assert [*told] == [(at, *each) for at in sorted(expected) for each in expected[at][1]]
        assert whole.unjudged_topics == sorted(t for t in run[name] if t not in judged)


@pytest.mark.parametrize(
    ("cut", "most", "wanted"),
    [
        (2 * len(DOCS), 100, ["FirstPass"]),
        (2 * len(DOCS) + 1, 100, ["FirstPass"]),
        (2 * len(DOCS) + 1, 5, ["FirstPass", "SecondPass"]),
    ],
    ids=["whole", "short at the ends", "long at the ends"],
)
def test_topics_that_stand_together_need_one_pass(monkeypatch, cut, most, wanted):
    """A second one is asked for only where a topic lies in several places, too long to be sent."""
    monkeypatch.setattr(passes, "MOST_AT_END", most)
    rows = [(b"a", topic, doc, 1.0) for topic in TOPICS for doc in DOCS]
    qrels = qrels_of({TOPICS[2]: [(DOCS[0], 1.0)]})
    cluster = Here([[batch_of(rows[:cut], "tables")], [batch_of(rows[cut:], "tables")]])

    ranked = ranked_runs(cluster, reader_of("tables"), qrels, RankingRule())

    assert cluster.asked == wanted
    assert ranked[b"a"].ranked.rank.tolist() == [sorted(DOCS, reverse=True).index(DOCS[0]) + 1]


@pytest.mark.parametrize("form", ["tables", "lines"])
def test_topics_are_put_together_from_batches(monkeypatch, form):
    """Batches end anywhere; a partition's topics are whole nevertheless."""
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 4)
    rows = [(b"a", b"%d" % topic, doc, 1.0) for topic in range(5) for doc in DOCS]
    cuts = [rows[at : at + 3] for at in range(0, len(rows), 3)]

    parts = reader_of(form).parts([batch_of(cut, form) for cut in cuts])

    topics = [topic for part in parts if part.rows is not None for topic in part.rows.topics]
    assert topics == [b"%d" % topic for topic in range(5)]


def test_a_topic_too_long_to_be_held_comes_in_parts(monkeypatch):
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 4)
    monkeypatch.setattr(batches, "_MOST_ROWS", 8)
    rows = [(b"a", b"1", b"%d" % doc, 1.0) for doc in range(20)]

    parts = reader_of("tables").parts(
        [batch_of(rows[at : at + 2], "tables") for at in range(0, 20, 2)]
    )

    assert [len(part.rows.docs) for part in parts if part.rows] == [8, 8, 4]


@pytest.mark.parametrize("broadcast", [True, False])
@pytest.mark.parametrize("is_judged", [True, False])
@pytest.mark.parametrize("apart", [True, False])
def test_a_document_that_stands_twice_is_a_problem(broadcast, is_judged, apart):
    """In one partition or in two, judged or not; only the run that has it is touched."""
    qrels = qrels_of({b"1": [(b"d" if is_judged else b"x", 1.0)]})
    first, second = (b"a", b"1", b"d", 1.0), (b"a", b"1", b"d", 0.5)
    more = [(b"b", b"1", b"d", 1.0)]
    parts = [[first], [second, *more]] if apart else [[first, second], more]
    cluster = Here([[batch_of(part, "tables")] for part in parts])

    ranked = ranked_runs(cluster, reader_of("tables"), qrels, RankingRule(), broadcast=broadcast)

    messages = [problem.message for problem in ranked[b"a"].problems]
    assert messages == ["duplicate document 'd' in topic '1'"]
    assert not ranked[b"b"].problems
    assert ranked[b"b"].ranked.num_ret.tolist() == [1]


def test_of_a_run_that_is_there_twice_little_is_told() -> None:
    """One document of each topic, where none is judged."""
    qrels = qrels_of({b"9": [(b"x", 1.0)]})
    rows = [(b"a", topic, b"%d" % doc, 1.0) for topic in (b"1", b"2") for doc in range(10, 60)]
    cluster = Here([[batch_of(rows, "tables")], [batch_of(rows, "tables")]])

    ranked = ranked_runs(cluster, reader_of("tables"), qrels, RankingRule())

    assert [problem.message for problem in ranked[b"a"].problems] == [
        f"duplicate document '10' in topic '{topic}'" for topic in (1, 2)
    ]


def test_the_check_of_scattered_topics_can_be_left_out() -> None:
    qrels = qrels_of({b"1": [(b"x", 1.0)]})
    row = (b"a", b"1", b"d", 1.0)
    cluster = Here([[batch_of([row], "tables")], [batch_of([row], "tables")]])

    ranked = ranked_runs(cluster, reader_of("tables"), qrels, RankingRule(), check_duplicates=False)

    assert not ranked[b"a"].problems
    assert ranked[b"a"].ranked.num_ret.tolist() == [2]


@pytest.mark.parametrize("broadcast", [True, False])
def test_lines_that_cannot_be_read_are_problems_of_their_run(broadcast):
    qrels = qrels_of({b"1": [(b"d", 1.0)]})
    lines = [b"1 Q0 d 1 high tag", b"1 Q0", b"1 Q0 d 1 2.5 tag"]
    batch = pa.record_batch(
        [pa.array([b"a", b"a", b"b"]), pa.array(lines, pa.binary())], names=["run", "line"]
    )

    ranked = ranked_runs(
        Here([[batch]]), reader_of("lines"), qrels, RankingRule(), broadcast=broadcast
    )

    kinds = [problem.kind for problem in ranked[b"a"].problems]
    assert sorted(kinds) == ["bad-score", "field-count"]
    assert not ranked[b"b"].problems


def test_tags_that_differ_are_none() -> None:
    qrels = qrels_of({b"1": [(b"d", 1.0)]})
    parts = [[pa.record_batch([pa.array([line])], names=["line"])]
             for line in (b"1 Q0 d 1 2 x", b"1 Q0 e 2 1 y")]  # fmt: skip

    ranked = ranked_runs(Here(parts), reader_of("lines"), qrels, RankingRule())

    assert [run.tag for run in ranked.values()] == [b""]


def test_a_row_is_held_against_its_topic_alone() -> None:
    """By hand: two topics, equal scores, a row above all and one below."""
    docs = ids_from_bytes([b"b", b"a", b"m", b"b"])
    contenders = Contenders(np.array([0, 2, 4]), np.array([3.0, 1.0, 2.0, 2.0]), docs)
    tally = BeatCounts(contenders)

    tally.add(np.array([0, 0, 1, 1, 1, 1, 0]), np.array([3.0, 1.0, 2.0, 2.0, 2.0, 9.0, 3.0]),
              ids_from_bytes([b"b", b"a", b"m", b"b", b"z", b"a", b"c"]))  # fmt: skip

    rank, first, size = ranks_tie_starts_and_tie_sizes(
        contenders, tally.above, tally.equal, tally.ahead
    )
    assert rank.tolist() == [2, 3, 3, 4]
    assert first.tolist() == [1, 3, 2, 2]
    assert size.tolist() == [2, 1, 3, 3]


def test_rows_of_runs_in_any_order_are_split() -> None:
    names = pa.array([b"a", b"c", b"b", b"c"], pa.binary())
    table = pa.table({"run": names, "score": [1.0, 2.0, 3.0, 4.0]})
    parts = [(run, part["score"].to_pylist()) for run, part in batches.split_runs(table)]
    assert sorted(parts) == [(b"a", [1.0]), (b"b", [3.0]), (b"c", [2.0, 4.0])]


@pytest.mark.in_turn(4)
@examples(15)
@given(runs, judgments, st.randoms(use_true_random=False), st.booleans())
@pytest.mark.parametrize("form", ["tables", "lines"])
@pytest.mark.parametrize("broadcast", [True, False])
def test_documents_left_out_are_as_if_never_there(broadcast, form, run, judged, rng, contiguous):
    """Against runs whose rows were filtered before; each is told of, with its topic."""
    listed = {topic: frozenset(rng.sample(DOCS, rng.randrange(len(DOCS)))) for topic in TOPICS[:2]}
    rows = [
        (name, topic, doc, score)
        for name, topics in run.items()
        for topic, docs in topics.items()
        for doc, score in [*docs.items(), (topic, 0.5)]
    ]
    gone = [row for row in rows if row[2] == row[1] or row[2] in listed.get(row[1], ())]
    kept = [row for row in rows if row not in gone]
    if not contiguous:
        rng.shuffle(rows)
    qrels = qrels_of({topic: list(docs.items()) for topic, docs in judged.items()})
    ranking = RankingRule(spans=True)
    excluded = ExcludedDocuments(own=True, listed=listed, sha256="x")

    with mock.patch.object(passes, "MOST_AT_END", rng.choice([0, 3, 100])):
        ranked = ranked_runs(
            Here(partitions_of(rows, rng, form)), reader_of(form), qrels, ranking,
            broadcast=broadcast, excluded=excluded,
        )  # fmt: skip
    filtered = ranked_runs(
        Here([[batch_of(kept, form)]] if kept else []), reader_of(form), qrels, ranking
    )

    assert sorted(ranked) == sorted(run)
    for name, outcome in ranked.items():
        assert not outcome.problems
        assert outcome.left_out is not None
        documents = [*zip(
            (outcome.left_out.rows.topics[at] for at in outcome.left_out.rows.topic_of_row),
            outcome.left_out.rows.docs.to_list(), strict=True,
        )]  # fmt: skip
        assert sorted(documents) == sorted((topic, doc) for of, topic, doc, _ in gone if of == name)
        assert outcome.left_out.num_rows == sum(row[0] == name for row in rows)
        topics_kept = {row[1] for row in kept if row[0] == name}
        assert sorted(outcome.left_out.emptied) == sorted({*run[name]} - topics_kept)
        judged_topics = sorted(qrels.topic_index[t] for t in run[name] if t in judged)
        assert outcome.ranked.lists.tolist() == judged_topics
        if name in filtered:
            whole, wanted = outcome.ranked, filtered[name].ranked
            assert whole.lists[whole.topic].tolist() == wanted.lists[wanted.topic].tolist()
            assert whole.rank.tolist() == wanted.rank.tolist()
            assert whole.row.tolist() == wanted.row.tolist()
            assert whole.num_ret.sum() == wanted.num_ret.sum()


@pytest.mark.parametrize("broadcast", [True, False])
@pytest.mark.parametrize("apart", [True, False])
def test_a_document_left_out_that_stands_twice_is_a_problem(broadcast, apart):
    qrels = qrels_of({b"1": [(b"x", 1.0)]})
    rows = [(b"a", b"1", b"1", 1.0), (b"a", b"1", b"1", 0.5)]
    parts = [[row] for row in rows] if apart else [rows]
    cluster = Here([[batch_of(part, "tables")] for part in parts])

    ranked = ranked_runs(
        cluster, reader_of("tables"), qrels, RankingRule(), broadcast=broadcast,
        excluded=ExcludedDocuments(own=True, listed={}),
    )  # fmt: skip

    messages = [problem.message for problem in ranked[b"a"].problems]
    assert messages == ["duplicate document '1' in topic '1'"]


@pytest.mark.parametrize("broadcast", [True, False])
def test_lines_with_too_many_fields_are_counted_in_all_partitions(broadcast: bool) -> None:
    def batch(*lines: bytes) -> pa.RecordBatch:
        return pa.record_batch([pa.array(lines, pa.binary())], names=["line"])

    cluster = Here(
        [
            [batch(b"1 Q0 a 1 3 t", b"1 Q0 b 2 2 t x y"), batch(b"1 Q0 c 3 1 t x y")],
            [batch(b"2 Q0 b 2 2 t # x", b"2 Q0 c 3 1 t x y")],
        ]
    )  # fmt: skip
    reader, qrels = LineReader(run_layout()), qrels_of({b"1": [(b"a", 1.0)]})
    (run,) = ranked_runs(cluster, reader, qrels, RankingRule(), broadcast=broadcast).values()
    assert not run.problems
    assert run.long_lines is not None
    assert (run.long_lines.num_lines, run.long_lines.num_fields) == (3, 8)
