"""The average distance measure, which looks at the scores themselves."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev import evaluate
from irev.core.judged import RankingExtras, RunScores
from irev.errors import InputError, UsageError
from irev.options import Options
from tests import strategies
from tests.command import irev as command
from tests.each import for_each
from tests.explained import explained_scores
from tests.measures.test_every_measure import judged, ranking_of
from tests.plain import POOLED, UNKNOWN, Topic, code_of
from tests.plain_defined_distance import average_distance, separation
from tests.registered import NAMED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from irev.core.judged import Judged

SIZE = 1000
SCALES = ("none", "minmax", "rank")


def close(value: Any) -> Any:
    """Equal but for the order of sums."""
    return pytest.approx(value, rel=1e-12, abs=1e-12)


# --- what is published, and by hand ---


def test_example_is_right() -> None:
    record = NAMED["ADM"]
    assert record.example
    ranking, text, value = record.example
    assert text == "(N=10,scale=rank,max=2)"
    topic = ranking_of(ranking)
    options: dict[str, Any] = {"N": 10, "scale": "rank", "max": 2.0}
    assert record.compute(judged([topic]), (None,), **options)[0, 0] == close(value)
    assert average_distance(topic, [0.0] * 4, **options) == close(value)
    assert value == close(0.8)


def test_value_by_hand_for_the_formula_of_kishida() -> None:
    """Kishida 2005, eq. 38, with the scores .9 .5 .2 and the relevance .8 .4 .1."""
    qrels = {"q": {"a": 0.8, "b": 0.4, "c": 0.1}}
    run = {"q": {"a": 0.9, "b": 0.5, "c": 0.2}}
    assert value(qrels, run, "ADM(N=3,max=1)") == close(0.9)
    assert average_distance(Topic([0.8, 0.4, 0.1], [0.8, 0.4, 0.1]), [0.9, 0.5, 0.2], 3) == (
        close(0.9)
    )


QRELS = {"q": {"a": 2, "b": 0, "p": -1, "m": 1}}
RUN = {"q": {"a": 0.8, "b": 0.5, "u": 0.4, "p": 0.2}}
"""A document each: of the highest grade, judged 0, unknown, pooled; m is not retrieved."""


@pytest.mark.parametrize(
    ("name", "distance"),
    [
        ("ADM(N=10)", 0.2 + 0.5 + 0.4 + 0.2 + 0.5),
        ("ADM(N=10,max=4)", 0.3 + 0.5 + 0.4 + 0.2 + 0.25),
        ("ADM(N=10,scale=minmax)", 0 + 0.5 + 1 / 3 + 0 + 0.5),
        ("ADM(N=10,scale=rank)", 0 + 0.75 + 0.5 + 0.25 + 0.5),
        ("ADM(N=10,rel=2)", 0.2 + 0.5 + 0.4 + 0.2),
        ("ADM(N=10,condensed=true)", 0.2 + 0.5 + 0.5),
        ("ADM(N=10,condensed=true,scale=minmax)", 0 + 0 + 0.5),
        ("ADM(N=10,condensed=true,scale=rank)", 0 + 0.5 + 0.5),
    ],
)
def test_value_by_hand(name: str, distance: float) -> None:
    assert value(QRELS, RUN, name) == close(1 - distance / 10)


def test_shares_of_the_options() -> None:
    assert value(QRELS, RUN, "ADM(N=10)", level=2) == value(QRELS, RUN, "ADM(N=10)")
    assert value(QRELS, RUN, "ADM", collection_size=10) == value(QRELS, RUN, "ADM(N=10)")
    assert value(QRELS, RUN, "ADM(N=10)", max_retrieved=2) == close(1 - (0.2 + 0.5 + 0.5) / 10)
    cut = value(QRELS, RUN, "ADM(N=10,scale=minmax)", max_retrieved=3)
    assert cut == close(1 - (0.25 + 0.5) / 10)
    assert value(QRELS, RUN, "ADM(N=10)", judged_only=True) == close(1 - (0.2 + 0.5 + 0.5) / 10)
    assert value(QRELS, RUN, "ADM(N=10)", max_retrieved=0) == close(1 - 1.5 / 10)


def test_scores_of_the_grades_are_at_no_distance() -> None:
    rng = random.Random(3)
    qrels = {"q": {f"d{n}": rng.randint(0, 4) for n in range(60)}}
    run = {"q": {doc: grade / 4 for doc, grade in qrels["q"].items()}}
    assert value(qrels, run, "ADM(N=60,max=4)") == 1.0


def value(qrels: Any, run: Any, name: str, **options: Any) -> float:
    """The value of the only topic."""
    return float(evaluate(qrels, run, [name], **options).values[0, 0])


# --- agreement with the definition ---


def scored(topics: Sequence[Topic], scores: Sequence[Sequence[float]]) -> Judged:
    """The library's form of topics whose documents have these scores."""
    start = np.cumsum([0, *map(len, scores)])
    whole = RunScores.build(np.array([s for of_topic in scores for s in of_topic]), start)
    codes = np.array([code for topic in topics for code in topic.codes])
    return replace(
        judged(topics), extras=RankingExtras(scores=whole.take(np.flatnonzero(codes != UNKNOWN)))
    )


@st.composite
def scored_topics(draw: st.DrawFn) -> tuple[list[Topic], list[list[float]], str]:
    topics = draw(strategies.topics())
    scale = draw(st.sampled_from(SCALES))
    number = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])
    if scale != "none":
        number |= st.floats(-1e6, 1e6)
    lists = [
        sorted(draw(st.lists(number, min_size=t.num_ret, max_size=t.num_ret)), reverse=True)
        for t in topics
    ]
    return topics, lists, scale


@given(scored_topics(), st.booleans(), st.sampled_from([None, 2]))
def test_agrees_with_its_definition(
    drawn: tuple[list[Topic], list[list[float]], str], condensed: bool, level: int | None
) -> None:
    topics, scores, scale = drawn
    rankings = scored(topics, scores).at_level(level, condensed=condensed)
    found = NAMED["ADM"].compute(rankings, (None,), N=SIZE, scale=scale, max=12.0)
    expected = []
    for topic, of_topic in zip(topics, scores, strict=True):
        keep = [not condensed or code >= 0 for code in topic.codes]
        codes = [c for c, kept in zip(topic.codes, keep, strict=True) if kept]
        left = [s for s, kept in zip(of_topic, keep, strict=True) if kept]
        seen = replace(topic, codes=codes)
        expected.append(average_distance(seen, left, SIZE, scale, 12.0, level or 0))
    assert found[:, 0].tolist() == close(expected)
    low, high = NAMED["ADM"].bounds
    assert ((low <= found) & (found <= high + 1e-12)).all()


@pytest.mark.parametrize("scale", SCALES)
def test_agrees_over_many_topics_at_once(scale: str) -> None:
    rng = random.Random(scale)
    topics = strategies.random_topics(rng, 400)
    scores = [sorted((rng.random() for _ in t.codes), reverse=True) for t in topics]
    compute = NAMED["ADM"].compute
    options: dict[str, Any] = {"N": SIZE, "scale": scale, "max": 12.0}
    found = compute(scored(topics, scores), (None,), **options)[:, 0].tolist()
    pairs = list(zip(topics, scores, strict=True))
    assert found == close([average_distance(t, s, SIZE, scale, 12.0) for t, s in pairs])
    assert found == [compute(scored([t], [s]), (None,), **options)[0, 0] for t, s in pairs]


@pytest.mark.parametrize("scale", SCALES)
def test_takes_empty_rankings_and_empty_judgments(scale: str) -> None:
    topics = [Topic([], []), Topic([], [1, 0]), Topic([UNKNOWN, POOLED], []), Topic([], [])]
    scores = [[], [], [1.0, 0.5], []]
    found = NAMED["ADM"].compute(scored(topics, scores), (None,), N=9, scale=scale, max=1.0)
    expected = [average_distance(*pair, 9, scale) for pair in zip(topics, scores, strict=True)]
    assert found[:, 0].tolist() == close(expected)
    none = judged(topics[:1])
    none = replace(
        none, num_ret=none.num_ret[:0], level_start=none.level_start[:1],
        extras=RankingExtras(scores=RunScores.empty(0)),
    )  # fmt: skip
    assert NAMED["ADM"].compute(none, (None,), N=9, scale=scale, max=1.0).shape == (0, 1)


def test_differences_of_large_scores_are_kept() -> None:
    """Sums of the scores themselves would be 1000 * 1e12."""
    run = {"q": {f"d{n}": 1e12 + n / 1024 for n in range(1025)}}
    found = value({"q": {"d1024": 1}}, run, "ADM(N=1025,scale=minmax)")
    assert found == close(1 - sum(n / 1024 for n in range(1024)) / 1025)


def test_where_all_scores_are_equal() -> None:
    run = {"q": {"a": 3.0, "u": 3.0}}
    assert value({"q": {"a": 1}}, run, "ADM(N=4,scale=minmax)") == 0.75
    assert value({"q": {"a": 1}}, run, "ADM(N=4,scale=rank)") == close(1 - 1.5 / 4)  # u before a


def test_sets_of_rankings_are_joined() -> None:
    one, other = RunScores.build(np.array([3.0, 1.0]), np.array([0, 2])), RunScores.empty(1)
    parts = [RankingExtras(scores=one), RankingExtras(scores=other)]
    both = RankingExtras.concatenate(parts).scores
    assert both is not None
    assert (both.high.tolist(), both.low.tolist(), both.excess_sum.tolist()) == (
        [3, 0],
        [1, 0],
        [2, 0],
    )
    assert RankingExtras.concatenate([RankingExtras(), RankingExtras()]).scores is None


# --- the whole way ---

TIES = ("docid-desc", "docid-asc", "input", "optimistic", "pessimistic")


def collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Random judgments and a run, with ties, unjudged documents and pooled ones."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for number in range(12):
        pool = [f"d{n}" for n in range(40)]
        qrels[f"q{number}"] = {doc: rng.choice([-1, 0, 0, 1, 2, 3]) for doc in pool[:25]}
        rng.shuffle(pool)
        retrieved = pool[: rng.choice([1, 3, 18, 40])]
        run[f"q{number}"] = {doc: rng.randint(0, 16) / 16 for doc in retrieved}
    return qrels, run


def ordered(of_run: dict[str, float], grades: dict[str, int], ties: str) -> list[str]:
    """The documents as ranked."""
    docs = list(of_run)
    if ties != "input":
        docs.sort(reverse=ties != "docid-asc")
    worth = {doc: code_of(doc, grades) for doc in docs}  # type: ignore[arg-type]
    # what is pooled stands between what is judged and what is unknown
    worth = {doc: {UNKNOWN: POOLED, POOLED: UNKNOWN}.get(w, w) for doc, w in worth.items()}
    if ties in ("optimistic", "pessimistic"):
        docs.sort(key=worth.__getitem__, reverse=ties == "optimistic")
    return sorted(docs, key=of_run.__getitem__, reverse=True)


def plainly(
    docs: Sequence[str],
    of_run: dict[str, float],
    grades: dict[str, int],
    scale: str,
    depth: int | None,
    judged_only: bool,
) -> float:
    """The value of an order of the documents, cut and condensed."""
    kept = [(code_of(doc, grades), of_run[doc]) for doc in docs[:depth]]  # type: ignore[arg-type]
    kept = [(code, score) for code, score in kept if code >= 0 or not judged_only]
    topic = Topic([code for code, _ in kept], [g for g in grades.values() if g >= 0])
    return average_distance(topic, [score for _, score in kept], SIZE, scale, 3.0)


@for_each("ties", TIES)
@for_each("depth", [None, 0, 2, 10])
@for_each("judged_only", [False, True])
def test_a_run_is_measured_as_by_the_definition(
    ties: Any, depth: int | None, judged_only: bool
) -> None:
    qrels, run = collection(1)
    names = [f"ADM(N={SIZE},scale={scale},max=3)" for scale in SCALES]
    options: dict[str, Any] = {"ties": ties, "max_retrieved": depth, "judged_only": judged_only}
    scores = evaluate(qrels, run, names, **options)
    for topic, row in zip(scores.topics, scores.values.tolist(), strict=True):
        of_run, grades = run[topic.decode()], qrels[topic.decode()]
        docs = ordered(of_run, grades, ties)
        expected = [plainly(docs, of_run, grades, s, depth, judged_only) for s in SCALES]
        assert row == close(expected), topic


def all_orders(of_run: dict[str, float]) -> Iterator[list[str]]:
    """Every order of the documents in which no score rises."""
    for docs in permutations(of_run):
        numbers = [of_run[doc] for doc in docs]
        if numbers == sorted(numbers, reverse=True):
            yield list(docs)


@pytest.mark.parametrize("depth", [None, 2, 4])
@pytest.mark.parametrize("judged_only", [False, True])
def test_mean_and_range_are_those_over_all_orders(depth: int | None, judged_only: bool) -> None:
    grades = {"a": 2, "b": 0, "c": 3, "e": -1, "f": 1, "g": 1}
    of_run = {"a": 0.5, "b": 0.5, "c": 0.5, "u": 0.5, "e": 0.25, "f": 0.25}
    names = [f"ADM(N={SIZE},scale={scale},max=3)" for scale in SCALES]
    options: dict[str, Any] = {"max_retrieved": depth, "judged_only": judged_only}
    values = evaluate({"q": grades}, {"q": of_run}, names, ties="average", **options).values[0]
    for scale, mean in zip(SCALES, values.tolist(), strict=True):
        every = [
            plainly(docs, of_run, grades, scale, depth, judged_only) for docs in all_orders(of_run)
        ]
        assert mean == close(math.fsum(every) / len(every)), scale


def test_a_range_is_that_of_two_orders() -> None:
    qrels, run = collection(3)
    name = f"ADM(N={SIZE},max=3)"
    ends = [
        evaluate(qrels, run, [name], ties=ties, max_retrieved=5).values[:, 0]
        for ties in ("pessimistic", "optimistic")
    ]
    scores = evaluate(qrels, run, [name], tie_range=True, max_retrieved=5)
    assert [about.name for about in scores.columns] == [
        name,
        f"{name}[pessimistic]",
        f"{name}[optimistic]",
    ]
    assert (scores.values[:, 1:] == np.stack(ends, 1)).all()
    whole = evaluate(qrels, run, [name], tie_range=True).values
    # the same document has the same score wherever it stands in a tie
    assert whole[:, 1].tolist() == close(whole[:, 0].tolist())
    assert whole[:, 2].tolist() == close(whole[:, 0].tolist())


def test_a_topic_without_a_ranking() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 2}}
    run = {"1": {"a": 0.75}}
    name = "ADM(N=10,max=2)"
    of_qrels = evaluate(qrels, run, [name], topics="qrels").values[:, 0]
    assert of_qrels.tolist() == close([1 - 0.25 / 10, 1 - 1.5 / 10])


def test_rankings_of_all_sizes_together(tmp_path: Path) -> None:
    """Small pieces wait to be measured with others, large ones do not."""
    rng = random.Random(2)
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    sizes = {"1": 3, "2": 20_000, "3": 1, "4": 0}
    lines, expected = [], []
    for topic, size in sizes.items():
        scores = [rng.random() for _ in range(size)]
        lines += [f"{topic} Q0 d{n} 1 {score!r} t\n" for n, score in enumerate(scores)]
        distances = [abs(score - (n % 2)) for n, score in enumerate(scores)]
        missed = sum(n % 2 for n in range(size, 20_000))
        expected.append(1 - (sum(distances) + missed) / 30_000)
    run.write_text("".join(lines))
    judgments = [f"{topic} 0 d{n} {n % 2}\n" for topic in sizes for n in range(20_000)]
    qrels.write_text("".join(judgments))
    values = evaluate(qrels, run, ["ADM(N=30000)"], topics="qrels").values[:, 0]
    assert values.tolist() == close(expected)


def test_scores_of_32_bits() -> None:
    """trec_eval 9 rounds scores; what it ranks by is what counts."""
    run = {"q": {"a": 1.00000001}}
    assert value({"q": {"a": 1}}, run, "ADM(N=10)", compat="trec9") == 1.0
    with pytest.raises(UsageError, match=r"the score 1 is not in 0\.\.1"):
        value({"q": {"a": 1}}, run, "ADM(N=10)")


def test_other_formats(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("1 Q0 a 1 0.75 t\n1 Q0 b 2 0.5 t\n1 Q0 u 3 0.25 t\n")
    subtopics, classes, strata = (tmp_path / n for n in ("subtopics", "classes", "strata"))
    subtopics.write_text("1 1 a 1\n1 2 a 0\n1 2 b 1\n")
    classes.write_text("1 a L1 x\n1 b L1 x\n")
    strata.write_text("1 0 a 1 1\n1 0 b 1 1\n1 0 c 1 -1\n")
    name = "ADM(N=10,max=1)"
    both = 1 - (0.25 + 0.5 + 0.25) / 10
    assert value(subtopics, run, name, qrels_format="subtopics") == close(both)
    assert value(strata, run, name, qrels_format="strata") == close(both)
    # b says again what a has said
    assert value(classes, run, name, qrels_format="ntcir") == close(1 - (0.25 + 0.5 + 0.25) / 10)


# --- what is refused ---


@pytest.mark.parametrize("score", [-0.1, 1.5, math.inf])
def test_scores_must_be_shares_unless_they_are_scaled(score: float) -> None:
    run = {"q": {"a": 0.5, "u": score}}
    with pytest.raises(UsageError, match=r"the score .* is not in 0\.\.1; write ADM\(scale=minmax"):
        value({"q": {"a": 1}}, run, "ADM(N=10)")
    assert value({"q": {"a": 1}}, run, "ADM(N=10,scale=rank)") < 1
    # where the document is dropped, so is its score
    assert value({"q": {"a": 1}}, run, "ADM(N=10,condensed=true)") == close(0.95)


@pytest.mark.parametrize("other", [-math.inf, -1e308])
def test_infinite_scores_have_no_range(other: float) -> None:
    run = {"q": {"a": 1e308, "b": other}}
    with pytest.raises(UsageError, match="infinite"):
        value({"q": {"a": 1}}, run, "ADM(N=10,scale=minmax)")


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs the size of the collection"):
        value(QRELS, RUN, "ADM")
    with pytest.raises(UsageError, match="cannot hold 4 documents"):
        value(QRELS, RUN, "ADM(N=4)")
    with pytest.raises(UsageError, match="grade 2 is above the highest grade of the scale"):
        value(QRELS, RUN, "ADM(N=10,max=1)")
    with pytest.raises(UsageError, match="ADM"):
        value(QRELS, RUN, "ADM(N=10)", residuals=True)
    with pytest.raises(InputError):
        value(QRELS, {"q": {"a": math.nan}}, "ADM(N=10)")
    with pytest.raises(UsageError, match="write max"):
        NAMED["ADM"].compute(judged([Topic([], [])]), (None,), N=10)


def test_ranks_are_no_scores(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("q Q0 b 1 0.1 t\nq Q0 a 2 0.9 t\n")
    found = value({"q": {"a": 1}}, run, "ADM(N=10,scale=rank)", ties="rank")
    assert found == close(1 - (1 + 0.5) / 10)
    with pytest.raises(UsageError, match=r"ties=.rank.*ADM\(scale=rank\)"):
        value({"q": {"a": 1}}, run, "ADM(N=10)", ties="rank")


# --- elsewhere ---


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("options", [Options(), Options(max_retrieved=7, judged_only=True)])
def test_an_explanation_adds_up(scale: str, options: Options) -> None:
    qrels, run = collection(4)
    name = f"ADM(N={SIZE},scale={scale},max=3)"
    scores = evaluate(
        qrels, run, [name], max_retrieved=options.max_retrieved, judged_only=options.judged_only
    )
    for topic, expected in zip(scores.topics, scores.values[:, 0].tolist(), strict=True):
        (explanation,) = explained_scores(qrels, run, [name], topic, options)
        adds: Any = explanation.columns["adds"]
        assert explanation.score == close(expected)
        assert explanation.start + math.fsum(adds) == close(expected)


def test_a_users_measure_may_look_at_scores() -> None:
    from irev.measures.plugins import forget_measure, measure

    @measure("Span", scores=True, bounds=(0.0, math.inf))
    def span(judged: Judged, cutoffs: tuple[None]) -> Any:
        """The highest score over the lowest."""
        assert judged.scores is not None
        return judged.scores.high - judged.scores.low

    try:
        assert value({"q": {"a": 1}}, {"q": {"a": 5.0, "b": 2.0, "c": 3.0}}, "Span") == 3.0
    finally:
        forget_measure("Span")


def test_the_command(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 2\n1 0 b 1\n")
    run.write_text("1 Q0 a 1 12 t\n1 Q0 c 2 11 t\n1 Q0 b 3 10 t\n")
    done = command("-m", "ADM(scale=minmax)", "-N", "10", qrels, run)
    assert done.out == b"ADM(scale=minmax,max=2)\tall\t0.9000\n"
    done = command("-m", "ADM(N=10)", qrels, run)
    assert (done.code, done.out) == (2, b"")
    assert "the score 12 is not in 0..1; write ADM(scale=minmax) or ADM(scale=rank)" in done.err


# --- Swets's E ---


def test_separation_by_hand() -> None:
    """Relevant 8 and 4, others 3 and 1: means 6 and 2, deviations 2 and 1, so 4 / 1.5."""
    qrels = {"q": {"a": 1, "b": 2, "c": 0, "d": 0, "m": 1, "p": -1}}
    run = {"q": {"a": 8.0, "b": 4.0, "c": 3.0, "d": 1.0, "u": 90.0, "p": 70.0}}
    names = ["SwetsE", "SwetsE(rel=2)", "SwetsE(scale=rank)"]
    # with 2 and higher: 4 against 8, 3, 1, whose mean is 4; in ranks 3 4 against 5 6: 2 / 0.5
    assert evaluate(qrels, run, names).values[0].tolist() == close([8 / 3, 0.0, 4.0])


def test_separation_of_what_is_missing_is_0() -> None:
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 0, "b": 0}, "3": {"a": 1, "b": 0}}
    run = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    # one document of either kind has no spread
    assert not evaluate(qrels, run, ["SwetsE", "SwetsE(scale=rank)"]).values.any()


def test_separation_is_its_definition_and_keeps_its_digits() -> None:
    qrels, run = collection(4)
    found = evaluate(qrels, run, ["SwetsE", "SwetsE(scale=rank)"])
    moved = {
        topic: {doc: 2.0**40 + score * 2.0**20 for doc, score in of.items()}
        for topic, of in run.items()
    }
    far = evaluate(qrels, moved, ["SwetsE"])
    assert np.abs(found.values[:, 0]).max() > 0.1
    for topic, row, there in zip(found.topics, found.values, far.values[:, 0], strict=True):
        of_run, grades = run[topic.decode()], qrels[topic.decode()]
        docs = ordered(of_run, grades, "docid-desc")
        ranking = Topic([code_of(doc, grades) for doc in docs], [*grades.values()])  # type: ignore[arg-type]
        scores = [of_run[doc] for doc in docs]
        expected = [separation(ranking, scores), separation(ranking, scores, "rank")]
        assert row.tolist() == close(expected)
        assert there == pytest.approx(expected[0], rel=1e-6)


def test_separation_refuses_what_it_cannot_use() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": math.inf, "b": 0.0}}
    with pytest.raises((UsageError, InputError)):
        evaluate(qrels, run, ["SwetsE"])
    with pytest.raises(UsageError, match="scale=rank"):
        evaluate(qrels, [("q", "a", 1), ("q", "b", 2)], ["SwetsE"], ties="rank")
