"""Documents of equal scores: the rules that order them, means over all orders, and ranges."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import Evaluator, evaluate
from irev.core.judged import Column, Judged, RankingExtras, TieSpans
from irev.errors import InputError, UsageError
from irev.measures.registry import (
    TREC_MEASURES,
    Arguments,
    Cutoffs,
    Measure,
    NamedOptions,
)
from irev.measures.requests import Request
from irev.options import Options
from irev.rank import ties
from irev.rank.ties import MeanOverOrders
from tests import plain
from tests.command import irev as run_irev
from tests.files import ROOT
from tests.measures.test_every_measure import default_of, judged
from tests.plain import POOLED, UNKNOWN, Topic
from tests.registered import NAMED, arguments_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Tied = list[list[float]]
"""A ranking as groups of equal scores, the highest first: the codes of their documents."""

MISSED = (1.0, 0.0, 2.0)


# --- the rules ---

QRELS = {"1": {"a": 1, "b": 0, "c": 2, "e": -1, "x": 1}, "2": {"x": 1}}
RUN = [
    ("1", "a", 7, 2.0), ("1", "u", 1, 2.0), ("1", "c", 3, 2.0), ("1", "e", 3, 2.0),
    ("1", "b", 9, 2.0), ("1", "f", 4, 5.0), ("1", "g", 2, 1.0), ("2", "y", 1, 1.0),
    ("2", "x", 2, 1.0),
]  # fmt: skip
"""Topic, document, rank, score: f, then five tied documents, then g."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.write_text("".join(f"{t} Q0 {doc} {rank} {score} tag\n" for t, doc, rank, score in RUN))
    return path


@pytest.mark.parametrize(
    ("ties", "first", "second"),
    [
        (None, "--.201-", "-1"),  # f, u e c b a, g
        ("docid-desc", "--.201-", "-1"),
        ("docid-asc", "-102.--", "1-"),  # f, a b c e u, g
        ("input", "-1-2.0-", "-1"),  # f, a u c e b, g
        ("rank", "--.2-10", "-1"),  # u g e c f a b
        ("optimistic", "-210.--", "1-"),
        ("pessimistic", "--.012-", "-1"),
    ],
)
def test_rules(run: Path, ties: Any, first: str, second: str) -> None:
    scores = evaluate(QRELS, run, ["relstring"], ties=ties)
    assert scores.texts == {0: [first.encode(), second.encode()]}
    assert scores.ties is None


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
def test_grades_decide_before_the_ranking_is_cut_and_condensed(run: Path, ties: Any) -> None:
    for cut, best, worst in ((3, "21", ""), (4, "210", "0"), (6, "210", "012")):
        scores = evaluate(QRELS, run, ["relstring"], ties=ties, max_retrieved=cut, judged_only=True)
        expected = best if ties == "optimistic" else worst
        assert scores.texts[0][0].decode() == expected


def test_a_group_of_ties_ends_where_the_ranking_is_cut() -> None:
    """Ties t and s are kept, r is cut off: half of the orders of the two begin with s."""
    qrels = {"1": {"s": 1, "r": 1}}
    run = {"1": {"t": 1.0, "s": 1.0, "r": 1.0}}
    assert evaluate(qrels, run, ["ESL(q=1)"], max_retrieved=2).values.tolist() == [[0.5]]
    assert evaluate(qrels, run, ["ESL(q=1)"], max_retrieved=1).values.tolist() == [[math.inf]]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=9),
    st.integers(1, 10),
    st.integers(1, 3),
)
def test_a_cut_run_is_the_run_of_its_first_documents(
    drawn: list[tuple[int, bool]], cut: int, q: int
) -> None:
    """The groups of ties included, which ESL asks for."""
    scores = {f"d{number}": float(score) for number, (score, _) in enumerate(drawn)}
    qrels = {"1": {f"d{number}": int(relevant) for number, (_, relevant) in enumerate(drawn)}}
    first = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)[:cut]
    names = [f"ESL(q={q})", "map", "ERR"]
    whole = evaluate(qrels, {"1": scores}, names, max_retrieved=cut)
    alone = evaluate(qrels, {"1": {doc: scores[doc] for doc in first}}, names)
    np.testing.assert_array_equal(whole.values, alone.values)


def test_lines_decide_where_topics_are_scattered(tmp_path: Path) -> None:
    lines = [f"{t} Q0 {doc} 0 {score} tag" for t, doc, _, score in RUN]
    path = tmp_path / "run"
    path.write_text("\n".join(lines[i] for i in (7, 5, 0, 1, 8, 2, 6, 3, 4)))
    assert evaluate(QRELS, path, ["relstring"], ties="input").texts[0] == [b"-1-2.0-", b"-1"]


def test_ranks_are_read_instead_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 a 2 one t\n1 Q0 b 1.5 two t\n")
    assert evaluate(QRELS, path, ["relstring"], ties="rank").texts[0] == [b"01"]
    path.write_text("1 Q0 a 2 1 t\n1 Q0 b first 1 t\n")
    with pytest.raises(InputError, match="rank 'first' is not a number"):
        evaluate(QRELS, path, ties="rank")


def test_ranks_of_a_table() -> None:
    import pyarrow as pa

    table = pa.table({"qid": ["1", "1"], "docno": ["a", "b"], "rank": [2, 1]})
    assert evaluate(QRELS, table, ["relstring"], ties="rank").texts[0] == [b"01"]
    with pytest.raises(InputError, match="mapping has no ranks"):
        evaluate(QRELS, {"1": {"a": 1}}, ties="rank")


def test_preferences_have_no_grades_to_order_by(tmp_path: Path) -> None:
    prefs, run = tmp_path / "prefs", tmp_path / "run"
    prefs.write_text("1 g a 2\n1 g b 1\n")
    run.write_text("1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n")
    means_by_level = {
        ties: evaluate(prefs, run, ["prefs_simp"], qrels_format="qrels_prefs", ties=ties).summary()
        for ties in (None, "docid-asc", "docid-desc", "input")
    }
    assert [each["prefs_simp"] for each in means_by_level.values()] == [1.0, 1.0, 0.0, 1.0]
    for wrong in ({"ties": "average"}, {"ties": "optimistic"}, {"tie_range": True}):
        with pytest.raises(UsageError, match="preferences"):
            evaluate(prefs, run, ["prefs_simp"], qrels_format="qrels_prefs", **wrong)


def test_texts_are_those_of_one_order(run: Path) -> None:
    scores = evaluate(QRELS, run, ["runid", "relstring", "P.1"], ties="average", tie_range=True)
    names = [about.name for about in scores.columns]
    assert names == ["runid", "P_1", "P_1[pessimistic]", "P_1[optimistic]", "relstring"]
    assert scores.texts == {4: [b"--.201-", b"-1"]}


# --- means over all orders ---


def tied_topics(rng: random.Random, count: int) -> list[Tied]:
    """Rankings with few enough orders to look at each."""
    codes = [0.0, 0.0, 1.0, 1.0, 2.0, 3.0, UNKNOWN, UNKNOWN, POOLED]
    shapes = [(1,), (2,), (1, 2), (3, 1), (1, 4), (2, 1, 3), (2, 2, 2), (1, 1, 1), (5,), (1, 3, 2)]
    return [[rng.choices(codes, k=size) for size in rng.choice(shapes)] for _ in range(count)]


def all_orders(groups: Tied) -> Iterator[list[float]]:
    """Every order of the documents, equal ones as often as they come."""
    for choice in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [code for group in choice for code in group]


def topic_of_order(codes: Sequence[float], depth: int | None, judged_only: bool) -> Topic:
    """The topic of one order, cut and then condensed."""
    cut = list(codes)[:depth]
    if judged_only:
        cut = [code for code in cut if code >= 0]
    grades = [code for code in codes if code >= 0]
    return Topic(cut, [*grades, *MISSED], collection_size=1000)


def judged_with_ties(topics: Sequence[Tied]) -> Judged:
    """The library's form of whole rankings, with their tie groups."""
    whole = [
        topic_of_order([c for group in groups for c in group], None, False) for groups in topics
    ]
    spans = [
        (first, len(group))
        for groups in topics
        for first, group in zip(
            itertools.accumulate(map(len, groups), initial=1), groups, strict=False
        )
        for code in group
        if code != UNKNOWN
    ]
    first = np.array([first for first, _ in spans], np.int64)
    size = np.array([size for _, size in spans], np.int64)
    return replace(judged(whole), extras=RankingExtras(ties=TieSpans(first, size)))


def request_of(measure: Measure, value: Any) -> Request:
    """A measure with a parameter, as an evaluation asks for it."""
    if not isinstance(value, Arguments):
        value = arguments_for(measure, value)
    column = Column(measure.name, measure.name, measure.kind, measure.average, measure.per_topic)
    return Request(measure, value, (column,) * len(value.cutoffs))


def arguments_of(measure: Measure, condensed: bool = False, **arguments: Any) -> Arguments:
    """Options at their defaults, scales up to 3, with all the cutoffs that there may be."""
    named = measure.parameter
    assert isinstance(named, NamedOptions)
    options = {
        name: 3.0 if option.kind == "scale" and option.default is None else option.default
        for name, option in named.options.items()
    } | arguments
    if measure.scores:
        options["scale"] = "rank"  # there are no scores
    cutoffs: dict[str, tuple[Any, ...]] = {
        "none": (None,), "optional": (None, 1, 3), "required": (1, 3), "recall": (0.0, 0.5),
    }  # fmt: skip
    return Arguments(cutoffs[named.cutoff], tuple(options.items()), condensed=condensed)


def means_of(
    request: Request, topics: Sequence[Tied], depth: int | None = None, judged_only: bool = False
) -> list[list[float]]:
    """What the library gives for each topic."""
    mean = MeanOverOrders([request], depth, judged_only=judged_only)
    values, drawn = mean.values(judged_with_ties(topics), [b"%d" % t for t in range(len(topics))])
    assert not drawn.any()
    rows: list[list[float]] = values.tolist()
    return rows


def mean_of(values: Sequence[Sequence[float]], average: str) -> list[float]:
    """The mean over orders; of logs, the log of the mean of what they are of."""
    columns = zip(*values, strict=True)
    if average == "geometric":
        return [math.log(math.fsum(map(math.exp, c)) / len(values)) for c in columns]
    return [math.fsum(c) / len(values) for c in columns]


OF_TREC_EVAL = [
    name for name, m in TREC_MEASURES.items() if m.needs != "prefs" and m.kind != "text"
    if m.average != "topics"
]  # fmt: skip
CUTS = [(None, False), (3, False), (None, True), (3, True)]


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("name", OF_TREC_EVAL)
@pytest.mark.parametrize(("depth", "judged_only"), CUTS)
def test_mean_is_that_over_all_orders(name: str, depth: int | None, judged_only: bool) -> None:
    measure = TREC_MEASURES[name]
    topics = tied_topics(random.Random(f"{name} {depth}"), 25)
    value = default_of(measure)
    if isinstance(measure.parameter, Cutoffs):
        value = (1, 2, 3, 5, 10)
    arguments = () if value is None else (value,)
    means = means_of(request_of(measure, value), topics, depth, judged_only)
    for row, groups in zip(means, topics, strict=True):
        results = [
            plain.MEASURES[name](topic_of_order(codes, depth, judged_only), *arguments)
            for codes in all_orders(groups)
        ]
        rows = [[r] if isinstance(r, int | float) else r for r in results]
        assert row == pytest.approx(mean_of(rows, measure.average), rel=1e-12, abs=1e-12), groups


WITH_OPTIONS = [
    name for name, m in NAMED.items()
    if m.needs == "qrels" and m.kind != "text" and m.average != "topics"
]  # fmt: skip


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("name", WITH_OPTIONS)
@pytest.mark.parametrize("how", ["plain", "cut", "condensed", "cut and condensed"])
def test_mean_with_options_is_that_over_all_orders(name: str, how: str) -> None:
    measure = NAMED[name]
    value = arguments_of(measure, "condensed" in how)
    request = request_of(measure, value)
    depth = 3 if "cut" in how else None
    topics = tied_topics(random.Random(f"{name} {how}"), 12)
    means = means_of(request, topics, depth)
    for row, groups in zip(means, topics, strict=True):
        copies = judged([topic_of_order(codes, depth, False) for codes in all_orders(groups)])
        rows = request.values(copies).tolist()
        expected = mean_of(rows, measure.average)
        assert row == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), groups


@pytest.mark.parametrize("name", ["AP", "nDCG", "RR", "P"])
def test_options_reach_the_closed_forms(name: str) -> None:
    options: dict[str, Any] = {"AP": {"denom": "min"}, "nDCG": {"gain": "exp"}}.get(name, {})
    measure = NAMED[name]
    value = replace(arguments_of(measure, **options), level=2)
    topics = tied_topics(random.Random(name), 20)
    request = request_of(measure, value)
    for row, groups in zip(means_of(request, topics), topics, strict=True):
        rows = request.values(judged([topic_of_order(c, None, False) for c in all_orders(groups)]))
        assert row == pytest.approx(mean_of(rows.tolist(), "mean"), rel=1e-12, abs=1e-12)


ADDITIVE = {
    f"{m.family}: {m.name}": m for m in (*TREC_MEASURES.values(), *NAMED.values())
    if m.additive and m.average != "topics"
}  # fmt: skip


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("measure", ADDITIVE.values(), ids=ADDITIVE)
@pytest.mark.parametrize("depth", [None, 3])
def test_turning_groups_is_enough_for_sums(
    measure: Measure, depth: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said of these measures is true: as many orders as documents give the mean."""
    if measure.additive == "uncut" and depth:
        return
    is_named = isinstance(measure.parameter, NamedOptions)
    value = arguments_of(measure) if is_named else default_of(measure)
    topics = tied_topics(random.Random(measure.name), 30)
    request = request_of(measure, value)
    every = means_of(request, topics, depth)
    with monkeypatch.context() as patch:
        patch.setattr(ties, "MOST_ORDERS", 0)
        assert means_of(request, topics, depth) == [pytest.approx(row) for row in every]


def test_all_is_exact_where_a_form_is_known() -> None:
    """However many orders there are: 40 documents, ten of each of three grades, tied."""
    groups = [[1.0] * 10 + [2.0] * 10 + [0.0] * 10 + [UNKNOWN] * 10]
    for measure in (*TREC_MEASURES.values(), *NAMED.values()):
        if not (measure.additive or measure.expected) or measure.average == "topics":
            continue
        is_named = isinstance(measure.parameter, NamedOptions)
        value = arguments_of(measure) if is_named else default_of(measure)
        means_of(request_of(measure, value), [groups])  # nothing is drawn


@pytest.mark.parametrize(
    ("tied", "name", "value"),
    [
        # scikit-learn 1.5, ndcg_score([[10, 0, 0, 1, 5]], [[1, 0, 0, 0, 1]], k=1)
        ([[10.0, 5.0], [0.0, 0.0, 1.0]], "nDCG@1", 0.75),
        # one relevant document among s: the mean of 1/r is H(s) / s
        ([[1.0] + [UNKNOWN] * 3], "RR", (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4),
        ([[1.0] + [UNKNOWN] * 999], "RR", math.fsum(1 / r for r in range(1, 1001)) / 1000),
        ([[1.0] + [UNKNOWN] * 999], "AP", math.fsum(1 / r for r in range(1, 1001)) / 1000),
        # one of the first two of four holds one of two: 1 - (2/4 * 1/3)
        ([[1.0, 1.0, 0.0, 0.0]], "Success@2", 5 / 6),
        ([[1.0, 1.0, 0.0, 0.0]], "P@3", 0.5),
        # of two relevant and one other: orders 110, 101, 011 with 1, 5/6 and 7/12
        ([[1.0, 1.0, 0.0]], "AP", (1 + 5 / 6 + 7 / 12) / 3),
    ],
)
def test_mean_by_hand(tied: Tied, name: str, value: float) -> None:
    head, _, cutoff = name.partition("@")
    measure = NAMED[head]
    arguments = replace(arguments_of(measure), cutoffs=(int(cutoff) if cutoff else None,))
    codes = [code for group in tied for code in group]
    qrels = {"q": {f"d{n}": int(code) for n, code in enumerate(codes) if code >= 0}}
    scores = [-float(n) for n, group in enumerate(tied) for _ in group]
    run = {"q": {f"d{n}": score for n, score in enumerate(scores)}}
    evaluator = Evaluator(qrels, ["map"], Options(ties="average"))
    assert evaluator.prepared_judgments.orders is not None
    evaluator.prepared_judgments.orders.mean = MeanOverOrders(
        [request_of(measure, arguments)], None, judged_only=False
    )
    assert evaluator.evaluate(run).values[0, 0] == pytest.approx(value, rel=1e-12)


# --- drawn orders ---

MANY = [[1.0] * 6 + [UNKNOWN] * 8 + [0.0] * 4, [1.0, 0.0]]


def drawn_mean(key: bytes, topics: Sequence[Tied] = (MANY,), at: int = 0) -> float:
    request = request_of(TREC_MEASURES["bpref"], None)
    values, drawn = MeanOverOrders([request], None, judged_only=False).values(
        judged_with_ties(topics), [key] * len(topics)
    )
    assert drawn[at]
    return float(values[at, 0])


def test_a_search_may_end_at_a_cut() -> None:
    """Up to the relevant one of four tied documents 0, 1 or 2 are read in vain, or it is lost."""
    measure = NAMED["ESL"]
    request = request_of(measure, arguments_of(measure, never=9.0))
    assert means_of(request, [[[0.0, 0.0, 0.0, 1.0]]], 3) == [[pytest.approx((0 + 1 + 2 + 9) / 4)]]


def test_orders_of_a_long_topic_are_measured_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ties, "ROWS_AT_ONCE", 1)
    # of 3 relevant documents one has 0, 1 or 2 of 3 others above it, in as many orders
    means = means_of(request_of(TREC_MEASURES["bpref"], None), [[[0.0, 1.0, 0.0]]], 3)
    assert means == [[pytest.approx((3 / 3 + 2 / 3 + 1 / 3) / 3 / 3)]]


@pytest.mark.parametrize(("most", "is_drawn"), [(3, False), (2, True)])
def test_more_orders_than_the_limit_are_drawn(
    most: int, is_drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One relevant document among two others that are judged stands in three places."""
    monkeypatch.setattr(ties, "MOST_ORDERS", most)
    mean = MeanOverOrders([request_of(TREC_MEASURES["bpref"], None)], None, judged_only=False)
    _, drawn = mean.values(judged_with_ties([[[0.0, 1.0, 0.0]]]), [b""])
    assert drawn.tolist() == [is_drawn]


@pytest.mark.parametrize(
    ("sizes", "is_drawn"), [((5, 5, 5, 5, 8), False), ((3, 1667), True)], ids=["5000", "5001"]
)
def test_up_to_5000_orders_are_all_looked_at(sizes: tuple[int, ...], is_drawn: bool) -> None:
    """One judged document of a group stands at each place of it: the sizes multiply."""
    topic = [[1.0] + [UNKNOWN] * (size - 1) for size in sizes]
    assert math.prod(sizes) == 5000 + is_drawn
    mean = MeanOverOrders([request_of(TREC_MEASURES["bpref"], None)], None, judged_only=False)
    assert mean.values(judged_with_ties([topic]), [b""])[1].tolist() == [is_drawn]


def test_equal_documents_have_one_order() -> None:
    assert [*ties.tied_topics(judged_with_ties([[[1.0, 1.0], [0.0], [2.0] * 3]]))] == []


def test_drawn_orders_come_near_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = drawn_mean(b"key")
    with monkeypatch.context() as patch:
        patch.setattr(ties, "MOST_ORDERS", 10**9)
        values = MeanOverOrders(
            [request_of(TREC_MEASURES["bpref"], None)], None, judged_only=True
        ).values(judged_with_ties([MANY]), [b""])
    # by the order of the judged documents alone, ten of them: 210 orders, times two
    exact = float(values[0][0, 0])
    assert drawn == pytest.approx(exact, abs=0.03)
    assert drawn != exact


def test_drawn_orders_depend_on_the_key_alone() -> None:
    assert drawn_mean(b"key") == drawn_mean(b"key")
    assert drawn_mean(b"key") != drawn_mean(b"other key")
    assert drawn_mean(b"key", [[[1.0]], [[0.0, 1.0]], MANY], 2) == drawn_mean(b"key")


def test_every_place_is_as_likely() -> None:
    topic = next(ties.tied_topics(judged_with_ties([MANY])))
    blocks = [ranks for ranks, _ in ties.random_orders(topic, 100, b"key")]
    ranks = np.concatenate(blocks)
    assert ranks.shape == (ties.DRAWS, 12)
    assert all(len(set(line)) == 12 for line in ranks.tolist())
    counts = Counter(ranks[:, :10].ravel().tolist())
    assert sorted(counts) == list(range(1, 19))
    expected = ties.DRAWS * 10 / 18
    assert all(abs(count - expected) < 5 * math.sqrt(expected) for count in counts.values())


def test_draws_are_those_of_a_shuffle() -> None:
    """PCG64, seeded with the key's SHA-256, chooses for each place one of what is left."""
    topic = next(ties.tied_topics(judged_with_ties([MANY])))
    bits = np.random.PCG64(int.from_bytes(hashlib.sha256(b"key").digest()[:16], "big"))
    expected: list[list[int]] = [[] for _ in range(ties.DRAWS)]
    for first, size, count in ((1, 18, 10), (19, 2, 2)):
        for line in expected:
            deck = [*range(first, first + size)]
            for card in range(count):
                other = card + (bits.random_raw() >> 32) * (size - card) // 2**32
                deck[card], deck[other] = deck[other], deck[card]
            line += deck[:count]
    blocks = [*ties.random_orders(topic, 300, b"key")]
    assert [line for ranks, _ in blocks for line in ranks.tolist()] == expected
    assert [len(weight) for _, weight in blocks] == [300, 300, 300, 100]
    assert {each for _, weight in blocks for each in weight.tolist()} == {1 / ties.DRAWS}


def test_seed_and_threads(tmp_path: Path) -> None:
    qrels = {f"q{t}": {f"d{n}": n % 3 for n in range(40)} for t in range(5)}
    run = {topic: dict.fromkeys(docs, 1.0) for topic, docs in qrels.items()}
    scores = [
        evaluate(qrels, run, ["bpref", "map"], ties="average", seed=seed, threads=threads)
        for seed, threads in ((0, 1), (0, 2), (1, 2))
    ]
    assert scores[0].values.tobytes() == scores[1].values.tobytes()
    assert (scores[0].values[:, 1] != scores[2].values[:, 1]).all()
    assert (scores[0].values[:, 0] == scores[2].values[:, 0]).all()
    account = scores[0].ties
    assert account is not None
    assert account.drawn == (b"q0", b"q1", b"q2", b"q3", b"q4")
    assert (account.draws, account.measures) == (1000, ("bpref",))


# --- the whole way ---


def written_files(tmp_path: Path, topics: Sequence[Tied]) -> tuple[Path, Path]:
    """Files of topics, ids in any order."""
    rng = random.Random(3)
    qrels, run = [], []
    for t, groups in enumerate(topics):
        names = rng.sample(range(100), 50)
        for n, grade in enumerate(MISSED):
            qrels.append(f"q{t} 0 missed{n} {grade:g}")
        for level, group in enumerate(groups):
            for code in group:
                doc = f"d{names.pop()}"
                run.append(f"q{t} Q0 {doc} 0 {-level} tag")
                if code != UNKNOWN:
                    qrels.append(f"q{t} 0 {doc} {code:g}")
    paths = tmp_path / "qrels", tmp_path / "run"
    for path, lines in zip(paths, (qrels, run), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


@pytest.mark.parametrize(("depth", "judged_only"), CUTS)
def test_average_of_files(tmp_path: Path, depth: int | None, judged_only: bool) -> None:
    topics = tied_topics(random.Random(depth), 30)
    names = ["map", "P_2", "ndcg", "bpref", "num_rel_ret", "gm_map"]
    scores = evaluate(
        *written_files(tmp_path, topics), names, ties="average",
        max_retrieved=depth, judged_only=judged_only,
    )  # fmt: skip
    columns = [about.name for about in scores.columns]
    assert {about.kind for about in scores.columns if about.name == "num_rel_ret"} == {
        "count" if depth is None else "real"
    }
    for t, groups in enumerate(topics):
        row = scores.values[scores.topics.index(b"q%d" % t)].tolist()
        for name, value in zip(columns, row, strict=True):
            rows = []
            for codes in all_orders(groups):
                topic = topic_of_order(codes, depth, judged_only)
                cutoff = ((2,),) if name == "P_2" else ()
                result = plain.MEASURES[name.split("_2")[0]](topic, *cutoff)
                rows.append([result] if isinstance(result, int | float) else result)
            average = "geometric" if name == "gm_map" else "mean"
            assert value == pytest.approx(mean_of(rows, average)[0], rel=1e-12, abs=1e-12)


def test_average_equals_the_only_order_where_nothing_is_tied() -> None:
    qrels = {f"q{t}": {f"d{n}": (n * t) % 4 for n in range(0, 60, 2)} for t in range(1, 6)}
    run = {t: {f"d{n}": float(-n) for n in range(60)} for t in qrels}
    only = evaluate(qrels, run, ["all_trec"])
    mean = evaluate(qrels, run, ["all_trec"], ties="average")
    assert mean.values.tolist() == [pytest.approx(row, rel=1e-14) for row in only.values.tolist()]
    assert mean.ties is not None
    assert mean.ties.groups == 0


def test_average_over_judgment_groups(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 a x 1\n1 a y 0\n1 b y 1\n1 b z 1\n")
    run.write_text("1 Q0 x 0 1 t\n1 Q0 y 0 1 t\n1 Q0 z 0 1 t\n")
    names = ["map_avgjg", "P_avgjg.1"]
    scores = evaluate(qrels, run, names, qrels_format="qrels_jg", ties="average", tie_range=True)
    # group a: 1 at any of three places; group b: 110, 101, 011
    a, b = (1 + 1 / 2 + 1 / 3) / 3, (1 + 5 / 6 + 7 / 12) / 3
    expected = [(a + b) / 2, (1 / 3 + 7 / 12) / 2, 1.0, (1 / 3 + 2 / 3) / 2, 0.0, 1.0]
    assert scores.values[0].tolist() == pytest.approx(expected)
    assert scores.ties is not None
    assert scores.ties.groups == 1


# --- ranges ---

NOT_MONOTONE = {"num_rel", "num_ret", "rbp_resid", "ideal_dcg"}


@pytest.mark.parametrize(("depth", "judged_only"), CUTS)
def test_range_holds_the_values_of_all_orders(
    tmp_path: Path, depth: int | None, judged_only: bool
) -> None:
    topics = tied_topics(random.Random(f"range {depth}"), 40)
    names = ["map", "P_2", "recall_2", "ndcg", "ndcg_cut_2", "Rprec", "recip_rank", "rbp"]
    scores = evaluate(
        *written_files(tmp_path, topics), names, tie_range=True,
        max_retrieved=depth, judged_only=judged_only,
    )  # fmt: skip
    columns = [about.name for about in scores.columns]
    assert columns[:3] == ["map", "map[pessimistic]", "map[optimistic]"]
    assert len(columns) == 3 * len(names)
    for t, groups in enumerate(topics):
        row = scores.values[scores.topics.index(b"q%d" % t)].tolist()
        for at in range(0, len(columns), 3):
            name, _, cutoff = columns[at].rpartition("_")
            name, arguments = (name, ((2,),)) if cutoff == "2" else (columns[at], ())
            results = [
                plain.MEASURES[name](topic_of_order(codes, depth, judged_only), *arguments)
                for codes in all_orders(groups)
            ]
            values = [r if isinstance(r, int | float) else r[0] for r in results]
            assert row[at + 1 : at + 3] == pytest.approx([min(values), max(values)], abs=1e-12)
            assert row[at + 1] - 1e-12 <= row[at] <= row[at + 2] + 1e-12


ANY_ORDER = {"Accuracy", "JudgedP", "BPM", "EBR", "nEBR", "PMeasure", "PPlus", "RateAP", "infAP"}
"""The measures of which another order of ties than that by grade can be the worst or the best."""


def measures_with_range() -> list[str]:
    """Measures of a ranking, whole and cut, that do not look at the scores themselves."""
    names = []
    for measure in {**NAMED, **TREC_MEASURES}.values():
        is_number = measure.kind != "text" and measure.average not in ("run", "topics")
        if not is_number or measure.higher_is_better is None or measure.needs != "qrels":
            continue
        if measure.scores or measure.ties or "N" in measure.options:
            continue
        cuts = {"required": ("@3",), "recall": ("@0.5",), "optional": ("", "@3")}
        names += [f"{measure.name}{cut}" for cut in cuts.get(measure.cutoff_rule, ("",))]
    return list(dict.fromkeys(names))


@pytest.mark.thorough
def test_the_orders_by_grade_are_the_worst_and_the_best_but_of_some_measures() -> None:
    rng = random.Random(5)
    names = measures_with_range()
    exceptions = set()
    for _ in range(40):
        docs = [f"d{n}" for n in range(6)]
        grades = {doc: rng.choice([0, 0, 1, 1, 2, 3, -1, None]) for doc in docs}
        judged_docs = {doc: grade for doc, grade in grades.items() if grade is not None}
        judgments = {**judged_docs, "missed": 1, "also missed": 2}
        orders = {f"{n}": order for n, order in enumerate(itertools.permutations(docs[1:]))}
        run = {
            topic: {docs[0]: 10.0} | {doc: -float(place) for place, doc in enumerate(order)}
            for topic, order in orders.items()
        }
        level = rng.choice([1, 1, 2])
        over_all = evaluate(dict.fromkeys(orders, judgments), run, names, level=level)
        tied = {"t": {docs[0]: 10.0} | dict.fromkeys(docs[1:], 0.0)}
        ends = evaluate({"t": judgments}, tied, names, level=level, tie_range=True).values[0]
        for column, about in enumerate(over_all.columns):
            values, (worst, best) = (
                over_all.values[:, column],
                ends[3 * column + 1 : 3 * column + 3],
            )
            low, high = values.min(), values.max()
            if ({**TREC_MEASURES, **NAMED}[about.measure]).higher_is_better is False:
                low, high = high, low
            if not np.allclose((low, high), (worst, best), rtol=0, atol=1e-9):
                exceptions.add(about.measure)
    assert exceptions == ANY_ORDER
    page = (ROOT / "docs" / "evidence" / "evaluating.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"For (Accuracy@k, .*?), and where", page, re.DOTALL)
    assert set(re.findall(r"\b(?!and\b|k\b)\w+", listed)) == ANY_ORDER


def test_a_range_is_named_for_its_orders() -> None:
    """Of P-measure the order by id is worse than the pessimistic one."""
    qrels = {"1": {"a": 1, "b": 3, "c": 2}}
    run = {"1": dict.fromkeys("abcx", 1.0)}
    scores = evaluate(qrels, run, ["PMeasure"], tie_range=True)
    assert [about.name.partition(")")[2] for about in scores.columns] == [
        "", "[pessimistic]", "[optimistic]",
    ]  # fmt: skip
    assert scores.values[0].tolist() == pytest.approx([7 / 9, 0.9, 1.0])


def test_how_many_ties_touch_a_cutoff(run: Path) -> None:
    scores = evaluate(QRELS, run, ["P.2,6", "ndcg_cut.5", "map"], tie_range=True)
    # ranks 2 to 6 of topic 1, 1 to 2 of topic 2
    account = scores.ties
    assert account is not None
    assert (account.groups, account.topics) == (2, 2)
    assert account.at_cutoff == ((2, 1), (5, 1), (6, 0))
    alone = evaluate(QRELS, run, ["P.1"], tie_range=True, only_topic="2", max_retrieved=1).ties
    assert alone is not None
    assert (alone.groups, alone.topics, alone.at_cutoff) == (1, 1, ((1, 1),))


def test_command_line(tmp_path: Path, run: Path) -> None:
    qrels = tmp_path / "qrels"
    lines = [f"{t} 0 {doc} {grade}\n" for t, docs in QRELS.items() for doc, grade in docs.items()]
    qrels.write_text("".join(lines))
    ran = run_irev("-m", "recip_rank", "-m", "P.2", "--tie-range", qrels, run)
    assert ran.code == 0
    assert [line.split() for line in ran.out.decode().splitlines()] == [
        ["recip_rank", "all", "0.3750"],
        ["recip_rank[pessimistic]", "all", "0.3500"],
        ["recip_rank[optimistic]", "all", "0.7500"],
        ["P_2", "all", "0.2500"],
        ["P_2[pessimistic]", "all", "0.2500"],
        ["P_2[optimistic]", "all", "0.5000"],
    ]
    assert ran.err == (
        "irev: note: ties: 2 groups of equal scores with a judged document, in 2 topics; "
        "1 across rank 2\n"
    )
    ran = run_irev("-q", "-m", "recip_rank", "--ties", "average", qrels, run)
    # topic 1: two of five, from rank 2 on: (1/2*4 + 1/3*3 + 1/4*2 + 1/5*1) / 10
    assert ran.out.split()[2] == b"0.3700"
    assert run_irev("--ties", "sideways", qrels, run).code == 2


def test_drawing_is_said(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"1 0 d{n} {n % 3}\n" for n in range(40)))
    run.write_text("".join(f"1 Q0 d{n} 0 1 t\n" for n in range(40)))
    ran = run_irev("-m", "map", "-m", "bpref", "--ties", "average", qrels, run)
    assert (
        "1 topic with too many orders to try all: bpref is a mean over 1000 random orders"
        in ran.err
    )
    assert "drawn" not in run_irev("-m", "map", "--ties", "average", qrels, run).err
