"""The order of runs and the join with the judgments, against plain Python."""

import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.core.ids import Ids, ids_from_bytes
from irev.core.judged import Duplicate, DuplicatesError, Rows
from irev.errors import MOST_PROBLEMS
from irev.rank.judgments import assemble_qrels, one_list_per_topic_and_group
from irev.rank.ranking import (
    TIES_BY_GRADE,
    RankingRule,
    empty_rankings,
    order_rows,
    rank_rows,
    ranks_of_rows,
)
from tests.each import for_each

INF = float("inf")


def rows_of(topics):
    """{topic: [(document, number)]} as columns."""
    pairs = [pair for rows in topics.values() for pair in rows]
    start = np.cumsum([0, *map(len, topics.values())])
    number = np.array([number for _, number in pairs], np.float64)
    return Rows(list(topics), start, ids_from_bytes([doc for doc, _ in pairs]), number)


def qrels_of(topics):
    return assemble_qrels([one_list_per_topic_and_group(rows_of(topics))])


def evaluate(run, judged, ranking):
    """{topic: (retrieved, [(rank, document)])}, and the topics without judgments."""
    qrels = qrels_of(judged)
    ranked = rank_rows(rows_of(run), qrels, ranking)
    topics = {}
    for number, (topic, num_ret) in enumerate(
        zip(ranked.lists.tolist(), ranked.num_ret.tolist(), strict=True)
    ):
        here = np.flatnonzero(ranked.topic == number).tolist()
        hits = [(int(ranked.rank[at]), qrels.docs[int(ranked.row[at])]) for at in here]
        topics[qrels.topics[topic]] = (num_ret, hits)
    return topics, [*ranked.unjudged_topics]


def single(number):
    """The number rounded to 32 bits, infinite where it is too large."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return INF if number > 0 else -INF


def plainly(run, judged, ranking):
    """The same from the definition."""
    topics, unjudged = {}, []
    for topic, rows in run.items():
        scores = {doc: single(s) if ranking.single_precision else s for doc, s in rows}
        order = sorted(scores, reverse=not ranking.ids_rising)
        order.sort(key=scores.__getitem__, reverse=True)
        order = order[: ranking.max_retrieved]
        grades = dict(judged.get(topic, ()))
        if ranking.judged_only:
            order = [doc for doc in order if grades.get(doc, -1) >= 0]
        if topic in judged:
            hits = [(rank, doc) for rank, doc in enumerate(order, 1) if doc in grades]
            topics[topic] = (len(order), hits)
        else:
            unjudged.append(topic)
    return topics, unjudged


DOCS = [
    *(b"d%d" % number for number in range(12)), b"001", b"1", b"NA", b"\xff", b"caf\xe9", b"cafe",
    *(b"x" * size + end for size in (7, 8, 15, 16, 63, 64) for end in (b"", b"a", b"b", b"ab")),
]  # fmt: skip
SCORES = [
    0.0, -0.0, 1.0, 1.00000001, 1.00000002, 2.0, 16777216.0, 16777217.0, 3e38, 4e38, -4e38, 1e308,
    INF, -INF, 5e-324, 1e-60, 0.1, 0.30000000000000004, 0.3,
]  # fmt: skip
documents = st.lists(st.sampled_from(DOCS), min_size=1, max_size=40, unique=True)
few_scores = st.sampled_from([1.0, 2.0, 2.0])
scores = few_scores | st.sampled_from(SCORES) | st.floats(allow_nan=False)
a_topic = st.sampled_from([b"q1", b"q2", b"10", b"9", b"other"])


@st.composite
def runs(draw):
    return {
        topic: [
            (doc, draw(draw(st.sampled_from([few_scores, scores]))))
            for doc in draw(documents | st.just([]))
        ]
        for topic in draw(st.lists(a_topic, min_size=1, max_size=4, unique=True))
    }


grades = st.sampled_from([0, 1, 2, -1, -2])
judgments = st.dictionaries(
    a_topic, st.dictionaries(st.sampled_from(DOCS), grades, min_size=1), min_size=1
).map(lambda topics: {topic: list(docs.items()) for topic, docs in topics.items()})
rankings = st.builds(
    RankingRule,
    max_retrieved=st.none() | st.integers(0, 12),
    judged_only=st.booleans(),
    ids_rising=st.booleans(),
    single_precision=st.booleans(),
)


@pytest.mark.parametrize("few", [-1, 1 << 30], ids=["sorted", "counted"])
@given(runs(), judgments, rankings)
def test_rankings_are_those_of_the_definition(few, run, judged, ranking):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("irev.rank.ranking._COMPARISONS_PER_ROW", few)
        assert evaluate(run, judged, ranking) == plainly(run, judged, ranking)


@pytest.mark.parametrize("ties", ["docid", "input", "rank", "optimistic", "pessimistic"])
@given(runs(), st.booleans(), st.data())
def test_places_are_the_same_counted_or_sorted(ties, run, spans, data):
    """Of any of the rows, whatever the order of equal scores, with their groups."""
    rows = rows_of(run)
    row_indices = [n for n in range(len(rows.docs)) if data.draw(st.booleans())]
    results = []
    for few in (-1, 1 << 30):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("irev.rank.ranking._COMPARISONS_PER_ROW", few)
            order = order_rows(rows, RankingRule(ties=ties, spans=spans))
            place, groups = order.places_in_ordered_run(np.array(row_indices, np.int64))
        is_by_grade = ties in TIES_BY_GRADE  # the places are any of their groups'
        assert (groups is not None) == (spans or is_by_grade)
        spans_of_groups = None if groups is None else (groups.first.tolist(), groups.size.tolist())
        results.append((None if is_by_grade else place.tolist(), spans_of_groups))
    assert results[0] == results[1]


@given(runs(), judgments, rankings)
def test_equal_hashes_change_nothing(run, judged, ranking):
    strong = Ids.hashes

    def weak(self, seed=0):
        # of up to eight bytes no two ids have the same
        hashes = strong(self, seed)
        return hashes if seed else np.where(self.length > 8, np.uint64(0), hashes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ids, "hashes", weak)
        assert evaluate(run, judged, ranking) == plainly(run, judged, ranking)


def test_a_judged_document_is_found_by_its_own_hash(monkeypatch):
    """Though it shares all hashes with another that is judged, and the run has one of them."""
    strong = Ids.hashes

    def weak(self, seed=0):
        return np.where(self.length > 8, np.uint64(7), strong(self, seed))

    monkeypatch.setattr(Ids, "hashes", weak)
    run = {b"q": [(b"the first one", 2.0), (b"short", 1.0)]}
    judged = {b"q": [(b"another one", 1), (b"short", 1), (b"the first one", 2)]}
    assert evaluate(run, judged, RankingRule()) == plainly(run, judged, RankingRule())


def summed_up(scores):
    """(highest, lowest, sum of what exceeds the lowest) of a ranking's scores."""
    low = min(scores, default=0.0)
    return max(scores, default=0.0), low, sum(score - low for score in scores)


@given(runs(), judgments, rankings, st.integers(1, 4))
def test_scores_and_unjudged_documents_are_those_of_the_definition(run, judged, ranking, levels):
    """With few scores, whose sums are exact; the unjudged as (rank, document)."""
    run = {
        topic: [(doc, float(number % levels)) for number, (doc, _) in enumerate(rows)]
        for topic, rows in run.items()
    }
    qrels = qrels_of(judged)
    ranked = rank_rows(rows_of(run), qrels, replace(ranking, scores=True, unjudged=True))
    scores, unjudged = ranked.extras.scores, ranked.extras.unjudged
    known = [topic for topic in run if topic in judged]
    assert scores
    assert unjudged
    assert unjudged.topic_ids == tuple(known)
    assert set(unjudged.topic.tolist()) <= set(range(len(known)))
    for number, topic in enumerate(known):
        grade_of = dict(judged[topic])
        kept, absent = keeps(run[topic], grade_of, ranking)
        assert summary(scores, number) == summed_up([score for _, score in kept])
        hits = [score for doc, score in kept if doc in grade_of]
        assert scores.row_scores[ranked.topic == number].tolist() == hits
        here = np.flatnonzero(unjudged.topic == number)
        docs = unjudged.docs.take(here).to_list()
        assert [*zip(unjudged.rank[here].tolist(), docs, strict=True)] == absent
    assert len(scores.high) == len(known)


def summary(scores, number):
    """What is known of all scores of one ranking."""
    return scores.high[number], scores.low[number], scores.excess_sum[number]


def keeps(rows, grades, ranking):
    """[(document, score)] that the ranking keeps, [(rank, document)] of those not in the qrels."""
    order = sorted(rows, key=lambda row: row[0], reverse=not ranking.ids_rising)
    order.sort(key=lambda row: row[1], reverse=True)
    order = order[: ranking.max_retrieved]
    if ranking.judged_only:
        return [row for row in order if grades.get(row[0], -1) >= 0], []
    absent = [(rank, doc) for rank, (doc, _) in enumerate(order, 1) if doc not in grades]
    return order, absent


@pytest.mark.parametrize("judged_only", [False, True])
def test_nothing_is_known_that_nobody_asked_for(judged_only):
    run = {b"q": [(b"a", 1.0), (b"b", 1.0)], b"r": [(b"a", 1.0)]}
    qrels = qrels_of({b"q": [(b"a", 1)]})
    ranked = rank_rows(rows_of(run), qrels, RankingRule(judged_only=judged_only))
    assert ranked.extras == (None, None, None)
    assert ranked.unjudged_topics == [b"r"]


def test_documents_that_another_topic_has_judged():
    """Asked for, each unjudged document says whether it stands in the qrels of another topic."""
    run = {b"q": [(b"a", 3.0), (b"b", 2.0), (b"c", 1.0)], b"r": [(b"a", 1.0)]}
    qrels = qrels_of({b"q": [(b"a", 1)], b"r": [(b"b", 0)]})
    asked = rank_rows(
        rows_of(run), qrels, RankingRule(unjudged=True, elsewhere=True)
    ).extras.unjudged
    assert asked
    assert asked.docs.to_list() == [b"b", b"c", b"a"]
    assert asked.judged_elsewhere is not None
    assert asked.judged_elsewhere.tolist() == [True, False, True]
    unasked = rank_rows(rows_of(run), qrels, RankingRule(unjudged=True)).extras.unjudged
    assert unasked
    assert unasked.judged_elsewhere is None


@given(runs(), st.booleans(), st.booleans())
def test_every_row_has_its_rank(run, ids_rising, single_precision):
    ranking = RankingRule(ids_rising=ids_rising, single_precision=single_precision)
    # where every document is judged, the judged documents are all
    hits, _ = plainly(run, run, ranking)
    expected = [
        next(rank for rank, ranked_doc in hits[topic][1] if ranked_doc == doc)
        for topic, rows in run.items()
        for doc, _ in rows
    ]
    assert ranks_of_rows(rows_of(run), ranking).tolist() == expected


# worked by hand

RUN = {b"q": [(b"a", 1.0), (b"b", 2.0), (b"c", 2.0), (b"d", 3.0), (b"e", 0.5)]}
JUDGED = {b"q": [(b"a", 1), (b"b", 0), (b"c", 2), (b"e", -1)]}


@pytest.mark.parametrize(
    ("ranking", "num_ret", "hits"),
    [
        (RankingRule(), 5, [(2, b"c"), (3, b"b"), (4, b"a"), (5, b"e")]),
        (RankingRule(ids_rising=True), 5, [(2, b"b"), (3, b"c"), (4, b"a"), (5, b"e")]),
        (RankingRule(max_retrieved=2), 2, [(2, b"c")]),
        (RankingRule(max_retrieved=0), 0, []),
        (RankingRule(judged_only=True), 3, [(1, b"c"), (2, b"b"), (3, b"a")]),
        (RankingRule(max_retrieved=3, judged_only=True), 2, [(1, b"c"), (2, b"b")]),
    ],
)
def test_a_small_ranking(ranking, num_ret, hits):
    assert evaluate(RUN, JUDGED, ranking) == ({b"q": (num_ret, hits)}, [])


def test_ranks_are_no_scores():
    ranking = RankingRule(ties="rank", scores=True)
    ranked = rank_rows(rows_of(RUN), qrels_of(JUDGED), ranking)
    assert ranked.extras.scores is None
    hits = [(1, b"e"), (2, b"a"), (3, b"c"), (4, b"b")]
    assert evaluate(RUN, JUDGED, ranking) == ({b"q": (5, hits)}, [])


@pytest.mark.parametrize(
    ("ties", "order"), [("optimistic", b"hgfedcba"), ("pessimistic", b"dcbahgfe")]
)
def test_equal_grades_are_ordered_by_id(ties, order):
    """Whichever negative number the qrels have for documents without a grade."""
    run = {b"q": [(b"%c" % doc, 1.0) for doc in b"cafhebdg"]}
    grades = {b"a": -2, b"b": -1, b"c": -1, b"d": -3, b"e": 2, b"f": 2, b"g": 2, b"h": 2}
    topics, _ = evaluate(run, {b"q": [*grades.items()]}, RankingRule(ties=ties))
    assert b"".join(doc for _, doc in topics[b"q"][1]) == order


def test_empty_rankings():
    ranked = empty_rankings(np.array([3, 5]))
    assert ranked.num_ret.tolist() == [0, 0]
    assert len(ranked.topic) == len(ranked.rank) == len(ranked.row) == 0
    assert ranked.extras.scores
    assert ranked.extras.scores.high.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("better", "worse", "doubles", "singles"),
    [
        (1.00000002, 1.00000001, b"ab", b"ba"),
        (16777217.0, 16777216.0, b"ab", b"ba"),
        (5e38, 4e38, b"ab", b"ba"),
        (INF, 4e38, b"ab", b"ba"),
        (1e-60, 0.0, b"ab", b"ba"),
        (0.0, -0.0, b"ba", b"ba"),
        (INF, INF, b"ba", b"ba"),
        (2.0, 1.0, b"ab", b"ab"),
    ],
)
def test_scores_that_nearly_tie(better, worse, doubles, singles):
    run = {b"q": [(b"b", worse), (b"a", better)]}
    judged = {b"q": [(b"a", 1), (b"b", 1)]}
    ways = ((RankingRule(), doubles), (RankingRule(single_precision=True), singles))
    for ranking, expected in ways:
        topics, _ = evaluate(run, judged, ranking)
        assert b"".join(doc for _, doc in topics[b"q"][1]) == expected


@for_each("size", [2, 3, 100, 5000])
@for_each("order", ["rising", "falling", "mixed"])
def test_ties_of_any_size(size, order):
    docs = [b"doc-with-a-long-name-%05d" % number for number in range(size)]
    given_order = {"rising": docs, "falling": docs[::-1], "mixed": docs[1::2] + docs[::2]}[order]
    run = {b"p": [(b"x", 1.0)], b"q": [(b"first", 2.0), *((doc, 1.0) for doc in given_order)]}
    judged = {b"q": [(docs[0], 1), (docs[-1], 1), (b"first", 1)]}
    topics, unjudged = evaluate(run, judged, RankingRule())
    assert topics[b"q"] == (size + 1, [(1, b"first"), (2, docs[-1]), (size + 1, docs[0])])
    assert unjudged == [b"p"]


def test_many_topics_out_of_order():
    # more than 16 bits count
    run = {b"q%d" % n: [(b"a", 1.0), (b"b", 2.0 + n % 2)] for n in range(70_000)}
    topics, _ = evaluate(run, {b"q69999": [(b"a", 1), (b"b", 1)]}, RankingRule())
    assert topics == {b"q69999": (2, [(1, b"b"), (2, b"a")])}


@pytest.mark.parametrize("order", [b"eab", b"aeb", b"abe", b"eeab", b"abee", b"eaeb"])
def test_topics_without_documents(order):
    """They leave the borders of the others alone, wherever they stand among them."""
    rows = {
        ord("a"): [(b"x", 1.0), (b"y", 3.0)],
        ord("b"): [(b"x", 3.0), (b"y", 3.0), (b"z", 5.0)],
    }
    run = {b"%c%d" % (kind, number): rows.get(kind, []) for number, kind in enumerate(order)}
    judged = {topic: [(b"x", 1), (b"z", 1)] for topic in run}
    assert evaluate(run, judged, RankingRule()) == plainly(run, judged, RankingRule())


def test_of_many_repeated_lines_the_first_are_told():
    topics = {b"1": [(b"a", 1.0)] * 100, b"2": [(b"b", 1.0), (b"a", 2.0), (b"b", 3.0)]}
    rows = rows_of(topics)
    # the lines of topic 2 come first
    rows = replace(rows, line=np.array([*range(4, 104), 1, 2, 3]))
    with pytest.raises(DuplicatesError) as caught:
        one_list_per_topic_and_group(rows)
    first, *others = caught.value.duplicates
    assert first == Duplicate(b"2", b"b", 1, 3)
    assert others == [Duplicate(b"1", b"a", n, n + 1) for n in range(4, 3 + MOST_PROBLEMS)]
