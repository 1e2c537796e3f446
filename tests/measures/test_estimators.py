"""Estimates from sampled judgments: definitions, published values, limits, warnings, formats."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from irev import InputError, Options, UsageError, evaluate
from irev.core.judged import Column
from irev.engine.evaluate import Evaluator
from irev.measures.families.incomplete import expected_reciprocal
from irev.measures.naming.resolve import resolve_names
from irev.scores.scores import Account, Scores, SummaryBasis
from tests import plain_defined_sampled as plain
from tests import strategies
from tests.command import irev
from tests.each import for_each
from tests.files import CASES
from tests.measures.test_every_measure import judged
from tests.plain import POOLED, UNKNOWN, Topic
from tests.registered import NAMED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PUBLISHED = CASES / "published_sampled.csv"


def value(name: str, topic: Topic) -> float:
    """A measure over plain judgments, of one topic."""
    (request,) = resolve_names([name])
    return float(request.values(judged([topic]))[0, 0])


# --- values of the papers' cases ---

CODES = {"r": 1.0, "n": 0.0, "u": POOLED, "x": UNKNOWN}
ROWS = list(csv.DictReader(PUBLISHED.read_text(encoding="utf-8").splitlines()))
NAMES = {
    "old_bpref": "Bpref(def=te7)", "bpref-10": "bpref-10", "indAP": "indAP", "infAP": "infAP",
    "bpref_top10pRnonrel": "bpref_top10pRnonrel", "AP": "AP",
    "old_bpref_top10pRnonrel": "old_bpref_top10pRnonrel",
}  # fmt: skip
COUNTS = {
    # case -> relevant, judged non-relevant and pooled documents that were not retrieved
    "Y1": (2, 3, 0), "Y2": (2, 4, 3), "Y3": (0, 1, 0), "Y4": (1, 0, 2), "Y5": (0, 5, 0),
    "Y6": (2, 0, 0), "Y7": (1, 6, 2),
}  # fmt: skip


def measure_of(row: Mapping[str, str]) -> str:
    if row["measure"] == "bpref":
        return "Bpref(def=eq)" if row["seed"] == "Y" else "Bpref(def=te)"
    if row["measure"] == "subAP":
        return f"subAP({row['params'].partition(';')[0]})"
    return NAMES[row["measure"]]


LISTS = [row for row in ROWS if row["ref"].startswith("Y-subAP-exp") or row["ref"][:2] in COUNTS]


def test_all_published_lists_are_compared() -> None:
    rest = {row["ref"] for row in ROWS} - {row["ref"] for row in LISTS}
    # these speak of random lists and of an error over systems
    assert rest == {"Y-infAP-full", "Y-RMS", "Y-subAP-full", "Y-indAP-ge-AP"}


@for_each("row", LISTS, ids=lambda row: row["ref"])
def test_published_value(row: Mapping[str, str]) -> None:
    codes = [CODES[letter] for letter in row["input_ranking_gains"].split()]
    grades = [code for code in codes if code >= 0]
    missed = COUNTS.get(row["ref"][:2], (int(row["R"]) - sum(c == 1 for c in codes), 0, 0))
    topic = Topic(codes, [*grades, *[1.0] * missed[0], *[0.0] * missed[1]])
    assert topic.num_rel == int(row["R"])
    assert value(measure_of(row), topic) == pytest.approx(
        float(row["computed"]), abs=float(row["tolerance"])
    )


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("infAP", 1 / 3), ("Bpref(def=te)", 0.5), ("bpref-10", 0.641026), ("indAP", 0.555556),
        ("Bpref(def=te,extra=10)", 0.5), ("subAP(p=0.5)", 0.444444), ("subAP(p=0.25)", 0.5),
        ("subAP(p=1)", 1 / 3),
    ],
)  # fmt: skip
def test_worked_example(name: str, wanted: float) -> None:
    """By hand: ranking x a c b d y e f h; a, d, g relevant, b, f not, c, e, h pooled."""
    topic = Topic([-1, 1, -2, 0, 1, -1, -2, 0, -2], [1, 0, 1, 0, 1])
    assert value(name, topic) == pytest.approx(wanted, abs=1e-6)


# --- uniform samples ---


def topics_for(seed: int, count: int = 60) -> list[Topic]:
    """Random topics with few documents outside the pool, so that outcomes can be enumerated."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        codes = [float(rng.choice([-2, -2, -1, 0, 0, 1, 1, 2])) for _ in range(rng.randint(0, 18))]
        while codes.count(UNKNOWN) > 5:
            codes.remove(UNKNOWN)
        missed = [float(rng.randint(0, 2)) for _ in range(rng.randint(0, 3))]
        found.append(Topic(codes, [*[c for c in codes if c >= 0], *missed]))
    return found


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 0.9, 1.0, None])
def test_sub_collection_is_the_mean_over_all_draws(p: float | None) -> None:
    topics = topics_for(1)
    name = "subAP" if p is None else f"subAP(p={p})"
    (request,) = resolve_names([name])
    pooled = np.array([topic.codes.count(POOLED) for topic in topics])
    values = request.values(replace(judged(topics), pooled_counts=pooled))[:, 0]
    shares = [plain.judged_share(topic) if p is None else p for topic in topics]
    expected = [plain.subcollection(t, share) for t, share in zip(topics, shares, strict=True)]
    assert values == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_sub_collection_is_the_mean_of_many_draws() -> None:
    rng = np.random.default_rng(20060711)
    codes = [float(c) for c in rng.choice([-2, -1, -1, -1, 0, 1], 60)]
    topic = Topic(codes, [code for code in codes if code >= 0])
    outside = codes.count(UNKNOWN)
    draws = rng.random((100_000, outside)) < 0.3
    # the value of a draw depends only on how many are kept before each relevant document
    values = np.zeros(len(draws))
    seen = judged_so_far = relevant = 0
    for code in codes:
        seen += code == UNKNOWN
        judged_so_far += code >= 0
        if code >= 1:
            relevant += 1
            values += relevant / (judged_so_far + draws[:, :seen].sum(1))
    values /= relevant
    error = values.std() / math.sqrt(len(values))
    assert abs(value("subAP(p=0.3)", topic) - values.mean()) < 4 * error


@pytest.mark.parametrize(("base", "trials", "p"), [(1, 1000, 0.1), (7, 1000, 0.9), (300, 500, 0.5)])
def test_expectation_is_exact_for_long_rankings(base: int, trials: int, p: float) -> None:
    share = Fraction(p).limit_denominator(10)
    expected = sum(
        math.comb(trials, b) * share**b * (1 - share) ** (trials - b) / (base + b)
        for b in range(trials + 1)
    )
    found = expected_reciprocal(np.array([base]), np.array([trials]), np.array([p]))
    assert found[0] == pytest.approx(float(expected), rel=1e-13)


def test_the_judged_share_comes_from_the_qrels() -> None:
    """Also of documents that were not retrieved: 2 of 4 are judged."""
    qrels = {"q": {"a": 1, "b": 0, "c": -1, "d": -1}}
    run = {"q": {"x": 3, "a": 2}}
    summary = evaluate(qrels, run, ["subAP", "subAP(p=0.5)"]).summary()
    assert summary["subAP"] == summary["subAP(p=0.5)"] == pytest.approx(0.5 / 1 + 0.5 / 2)


def test_with_complete_judgments_estimates_are_average_precision() -> None:
    topics = strategies.seeded_topics(3, 2000)
    complete = [Topic([c for c in t.codes if c != POOLED], t.grades) for t in topics]
    rankings = judged(complete)
    ap, sub, default, inf, ind = (
        resolve_names([name])[0].values(rankings)[:, 0]
        for name in ("AP", "subAP(p=1)", "subAP", "infAP(eps=1e-5)", "indAP")
    )
    assert np.abs(sub - ap).max() < 1e-14
    assert np.abs(default - ap).max() < 1e-14
    assert np.abs(inf - ap).max() <= 1e-5 / 2
    assert (ind - ap).min() > -1e-14


@for_each("how", ["te", "eq", "te7"])
@for_each("extra", [0, 10])
@for_each("level", [0, 1, 2])
def test_binary_preference_agrees_with_its_definitions(how: str, extra: int, level: int) -> None:
    topics = strategies.seeded_topics(level, 200, level=level)
    options = {"def": how, "extra": extra}
    found = NAMED["Bpref"].compute(judged(topics), (None,), **options)[:, 0]
    assert found == pytest.approx([plain.bpref(t, how, extra) for t in topics], abs=1e-12)
    induced = NAMED["indAP"].compute(judged(topics), (None,))[:, 0]
    assert induced == pytest.approx([plain.induced_ap(t) for t in topics], abs=1e-12)


def test_induced_is_average_precision_of_the_condensed_list() -> None:
    topics = strategies.seeded_topics(5, 100)
    for topic in topics:
        assert value("indAP", topic) == value("AP(condensed=true)", topic)


def by_key(topic: str, document: str, draw: int, seed: int) -> float:
    """The number of a document between 0 and 1."""
    text = f"{seed}\0{draw}\0" + f"0\0{topic}\0{document}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) / 2**64


@pytest.mark.parametrize(
    "options", [{}, {"max_retrieved": 9}, {"max_retrieved": 0}, {"judged_only": True}]
)
def test_sub_collections_are_drawn_by_topic_and_document(options: dict[str, Any]) -> None:
    rng = random.Random(12)
    qrels, run, expected = {}, {}, []
    for number in range(30):
        pool = {f"d{n}": rng.choice([-1, 0, 1]) for n in range(8)} | {"r": 1}
        documents = rng.sample([*pool, *(f"x{n}" for n in range(15))], 18)
        qrels[f"t{number:02}"], run[f"t{number:02}"] = pool, scored(documents)
        values = []
        for draw in range(3):
            coins = [by_key(f"t{number:02}", d, draw, 5) < 0.4 for d in documents]
            seen = documents[: options.get("max_retrieved")]
            outside = not options.get("judged_only")
            codes = [
                pool.get(document, 0)
                for document, coin in zip(seen, coins, strict=False)
                if pool.get(document, -1) >= 0 or (document not in pool and coin and outside)
            ]
            topic = Topic(codes, [grade for grade in pool.values() if grade >= 0])
            values.append(plain.average_precision(topic, codes))
        expected.append(sum(values) / 3)
    scores = evaluate(qrels, run, ["subAP(p=0.4,seed=5,draws=3)"], **options)
    assert scores.values[:, 0] == pytest.approx(expected, rel=1e-12)


def test_all_or_nothing_is_drawn_at_the_ends() -> None:
    qrels, run = {"q": {"a": 1, "b": -1, "c": 0}}, {"q": {"x": 4, "b": 3, "y": 2, "a": 1}}
    values = evaluate(qrels, run, ["subAP(p=1,seed=3)", "subAP(p=0,seed=3)", "indAP"]).values[0]
    assert values.tolist() == [1 / 3, 1.0, 1.0]
    with pytest.raises(UsageError, match=r"subAP.* cannot be combined with ties=.average"):
        evaluate(qrels, run, ["subAP(seed=1)"], ties="average")


# --- strata and inclusion probabilities, through files ---


def scored(documents: Sequence[str]) -> dict[str, float]:
    return {document: -float(rank) for rank, document in enumerate(documents)}


def stratified(topics: Sequence[plain.Strata], names: Sequence[str], /, **options: Any) -> Scores:
    """The library's values for topics t0, t1, ..."""
    rows = [
        (f"t{number:03}", "0", document, stratum, grade)
        for number, topic in enumerate(topics)
        for document, (stratum, grade) in topic.pool.items()
    ]
    columns = dict(zip(("topic", "it", "document", "stratum", "grade"), zip(*rows), strict=True))  # noqa: B905
    run = {f"t{number:03}": scored(topic.ranking) for number, topic in enumerate(topics)}
    return evaluate(pa.table(columns), run, names, qrels_format="strata", **options)


def random_strata(rng: random.Random, size: int = 25, level: int = 1) -> plain.Strata:
    names = rng.sample(["1", "2", "10", "top", "A"], rng.randint(1, 4))
    grades = [-1, -1, 0, 0, 1, 1, 2, 3]
    pool = {
        f"d{number}": (rng.choice(names), float(rng.choice(grades)))
        for number in range(rng.randint(1, size))
    }
    documents = [*pool, *(f"x{number}" for number in range(size))]
    return plain.Strata(rng.sample(documents, rng.randint(1, len(documents))), pool, level)


WAYS = [
    *[f"{name}{tool}{cut}" for name in ("xinfAP", "infNDCG") for cut in ("", "@1", "@7")
      for tool in ("", "(tool=trecvid2012)")],
    *[f"{name}{cut}" for name in ("xinfAPse", "iP", "iRecall", "inum_rel_ret")
      for cut in ("", "@1", "@7", "@30")],
    "inum_rel", *[f"iIPrec@{tenth / 10:g}" for tenth in range(11)],
]  # fmt: skip


def by_definition(name: str, topic: plain.Strata) -> float:
    head, _, cut = name.partition("@")
    measure = head.partition("(")[0]
    options = {"tool": "trecvid2012"} if "trecvid" in head else {}
    arguments = [float(cut)] if measure == "iIPrec" else [int(cut)] if cut else []
    return plain.STRATIFIED[measure](topic, *arguments, **options)


def test_every_measure_has_a_second_version() -> None:
    assert {n for n, m in NAMED.items() if m.needs == "strata"} == set(plain.STRATIFIED)
    assert {n for n, m in NAMED.items() if m.needs == "prels"} == set(plain.INCLUDED)


@pytest.mark.long
@pytest.mark.parametrize("level", [1, 2])
def test_strata_agree_with_their_definitions(level: int) -> None:
    rng = random.Random(level)
    topics = [random_strata(rng, level=level) for _ in range(80)]
    values = stratified(topics, WAYS, level=level)
    for topic, row in zip(topics, values.values.tolist(), strict=True):
        expected = [by_definition(name, topic) for name in WAYS]
        assert row == pytest.approx(expected, rel=1e-10, abs=1e-10, nan_ok=True), topic


def test_strata_agree_with_their_definitions_cut_at_a_depth() -> None:
    rng = random.Random(4)
    topics = [random_strata(rng) for _ in range(40)]
    values = stratified(topics, WAYS, max_retrieved=5)
    for topic, row in zip(topics, values.values.tolist(), strict=True):
        cut = plain.Strata(topic.ranking[:5], topic.pool, depth=5)
        expected = [by_definition(name, cut) for name in WAYS]
        assert row == pytest.approx(expected, abs=1e-10, nan_ok=True)


def test_other_measures_see_the_grades_of_strata() -> None:
    rng = random.Random(6)
    topics = [random_strata(rng) for _ in range(30)]
    names = ["map", "infAP", "bpref", "ndcg", "num_rel", "AP(rel=2)"]
    values = stratified(topics, names)
    qrels = {
        topic: {document: int(grade) for document, (_, grade) in each.pool.items()}
        for topic, each in zip(values.per_topic(), topics, strict=True)
    }
    run = {topic: scored(e.ranking) for topic, e in zip(qrels, topics, strict=True)}
    assert values.per_topic() == evaluate(qrels, run, names).per_topic()


def test_the_error_of_a_mean_is_that_of_independent_topics() -> None:
    topics = [random_strata(random.Random(seed)) for seed in range(9)]
    values = stratified(topics, ["xinfAPse"])
    errors = [row[0] for row in values.values.tolist()]
    counted = [0.5 if math.isnan(error) else error for error in errors]
    assert 0 < sum(map(math.isnan, errors)) < 5
    assert values.summary()["xinfAPse"] == pytest.approx(math.hypot(*counted) / 9)


POOL = [f"d{number}" for number in range(10)]


def one_stratum(relevant: str, others: str, stratum: str = "1") -> plain.Strata:
    """Ten documents in the order of the ranking; those named by a digit were drawn."""
    grades = {f"d{digit}": 1.0 for digit in relevant} | {f"d{digit}": 0.0 for digit in others}
    return plain.Strata(POOL, {d: (stratum, grades.get(d, -1.0)) for d in POOL})


def joined(*parts: plain.Strata) -> plain.Strata:
    pool = {f"{n}{d}": (str(n), g) for n, p in enumerate(parts) for d, (_, g) in p.pool.items()}
    return plain.Strata(list(pool), pool)


@pytest.mark.parametrize(
    ("topic", "is_known"),
    [
        (one_stratum("0", "17"), False),  # one relevant document drawn
        (one_stratum("", "017"), False),
        (one_stratum("02", "17"), True),
        (one_stratum("0", "123456789"), True),  # judged whole: 0 for sure
        (one_stratum("", "0123456789"), True),
        (one_stratum("012", ""), False),  # nothing tells how many others are not relevant
        (joined(one_stratum("0123", "456789"), one_stratum("5", "")), False),  # one of ten judged
        (joined(one_stratum("0123", "456789"), one_stratum("5", "6")), True),
        (joined(one_stratum("0123", "456789"), one_stratum("", "56")), False),  # all variance 0
        (plain.Strata(POOL[5:], one_stratum("12", "37").pool), False),  # relevant ones not met
        (plain.Strata([], one_stratum("1", "37").pool), True),  # nothing retrieved: AP is 0
    ],
)
def test_an_error_is_not_known_where_too_little_was_drawn(
    topic: plain.Strata, is_known: bool
) -> None:
    if topic.ranking:
        (error,) = stratified([topic], ["xinfAPse"]).values[0]
    else:  # beside a topic that the run has
        both = [one_stratum("02", "17"), topic]
        error = stratified(both, ["xinfAPse"], topics="qrels").values[1, 0]
    assert bool(math.isnan(error)) is not is_known
    if is_known and topic.ranking:
        sampled = any(grade < 0 for _, grade in topic.pool.values())
        assert bool(error > 0) is sampled


SECTION_5_AND_6 = """\
statAP,W40,statAP,v3,0.21875,1e-12
statAP,W40,variance,v3,0.0342025757,1e-9
statAP,W40,statAPse,v3,0.184939384,1e-8
statAP,W40,statAP,v4,0.21875,1e-12
statAP,W40,variance,v4,0.0321830191,1e-9
statAP,W40,statAPse,v4,0.179396263,1e-8
xinfAPse,X1,mean,0.05 0.04 -,0.168027775482,1e-9
"""
"""Values worked out elsewhere: quantity, case, form or errors, value, tolerance."""

EXPECTED = {
    tuple(fields[2:4]): (float(fields[4]), float(fields[5]))
    for fields in (line.split(",") for line in SECTION_5_AND_6.splitlines())
}


@pytest.mark.parametrize("form", ["v3", "v4"])
def test_worked_example_of_stat_ap(form: str, tmp_path: Path) -> None:
    """Ranking x a b c y e; relevant a (1/2), c (1) and d (1/5), which was not retrieved."""
    chances = {"a": (1, 0.5), "b": (0, 0.25), "c": (1, 1.0), "d": (1, 0.2), "e": (0, 1.0)}
    path = tmp_path / "prels"
    path.write_text("".join(f"1 {d} {g} 1 {p}\n" for d, (g, p) in chances.items()))
    names = ["statAP", f"statAPse(form={form})"]
    ap, error = evaluate(path, {"1": scored("xabcye")}, names, qrels_format="prels").values[0]
    for quantity, number in (("statAP", ap), ("variance", error**2), ("statAPse", error)):
        expected, tolerance = EXPECTED[quantity, form]
        assert number == pytest.approx(expected, rel=tolerance, abs=tolerance)


def test_version_4_is_the_default_and_the_name_says_which(tmp_path: Path) -> None:
    path = tmp_path / "prels"
    path.write_text("1 a 1 1 .5\n1 b 1 1 .5\n")
    names = ["statAPse", "statAPse(form=v3)"]
    found = evaluate(path, {"1": scored("xab")}, names, qrels_format="prels").summary()
    assert list(found) == ["statAPse(form=v4)", "statAPse(form=v3)"]


def scores_of_errors(errors: Sequence[float], weights: Sequence[float] | None = None) -> Scores:
    topics = tuple(f"t{number}".encode() for number in range(len(errors)))
    basis = None
    if weights is not None:
        basis = SummaryBasis(topics, np.zeros(len(topics)), np.array(weights))
    column = Column("xinfAPse", "xinfAPse", average="error")
    values = np.array(errors)[:, None]
    return Scores(b"x", topics, (column,), values, {}, len(topics), {}, Account(), basis)


def test_a_topic_without_an_error_counts_with_the_largest() -> None:
    expected, tolerance = EXPECTED["mean", "0.05 0.04 -"]
    error = scores_of_errors([0.05, 0.04, math.nan])["xinfAPse"]
    assert error == pytest.approx(expected, rel=tolerance)
    weighted = scores_of_errors([0.05, 0.04, math.nan], [1, 2, 3])["xinfAPse"]
    assert weighted == pytest.approx(math.hypot(0.05, 0.08, 1.5) / 6)
    # half of them may be such, not more
    assert scores_of_errors([0.1, math.nan])["xinfAPse"] == pytest.approx(math.hypot(0.1, 0.5) / 2)
    assert math.isnan(scores_of_errors([0.1, math.nan, math.nan])["xinfAPse"])


NOTE = "xinfAPse: {} no error of {} own ({}): each counts as 0.5 in the error of the mean"


@pytest.mark.parametrize(
    ("topics", "note", "summary"),
    [
        (["02 17", "03 17", "0 17"],
         NOTE.format("1 of 3 topics has", "its", "fewer than 2 relevant documents drawn"), None),
        (["02 17", "03 17", "12 4", "0 17", " 17"],
         NOTE.format("2 of 5 topics have", "their", "fewer than 2 relevant documents drawn"), None),
        (["02 17", "012 "],
         NOTE.format("1 of 2 topics has", "its", "too few documents were drawn"), None),
        (["02 17", "0 17", "1 17"],
         "xinfAPse: 2 of 3 topics have no error of their own (fewer than 2 relevant documents "
         "drawn): so the mean has none", "-"),
    ],
)  # fmt: skip
def test_topics_without_an_error_are_counted_and_shown_as_unknown(
    topics: Sequence[str], note: str, summary: str | None, tmp_path: Path
) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "x.run"
    rows = [
        f"{number} 0 {document} {stratum} {grade:g}\n"
        for number, digits in enumerate(topics)
        for document, (stratum, grade) in one_stratum(*digits.split(" ")).pool.items()
    ]
    qrels.write_text("".join(rows))
    run.write_text(
        "".join(f"{n} Q0 {d} 1 {-i} x\n" for n in range(len(topics)) for i, d in enumerate(POOL))
    )
    ran = irev("-R", "strata", "-q", "-m", "xinfAPse", qrels, run)
    assert f"irev: note: {note}\n" in ran.err
    assert "xinfAPse: error of sampling, without the bias: make no interval of it" in ran.err
    shown = dict(line.split()[1:] for line in ran.out.decode().splitlines())
    unknown = [topic for topic, cell in shown.items() if cell == "-" and topic != "all"]
    assert f"xinfAPse: {len(unknown)} of {len(topics)} " in ran.err
    assert (shown["all"] == "-") is (summary == "-")
    for form, cell in (("json", "null"), ("csv", ""), ("table", "-")):
        text = irev(
            "-R", "strata", "-q", "-m", "xinfAPse", "--format", form, qrels, run
        ).out.decode()
        assert "nan" not in text.lower()
        last = str(len(topics) - 1)
        if form == "json":
            assert json.loads(text)["runs"][0]["topics"][last]["xinfAPse"] is None
        elif form == "csv":
            assert f"x,{last},{cell}," in text
        else:
            assert re.search(rf"^{last} +-$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("rows", "form", "is_known"),
    [
        ("a 0 .5", "v4", False),  # nothing relevant drawn
        ("a 0 1", "v4", True),  # all judged for sure
        ("a 1 .5, b 0 .5", "v4", False),  # one relevant document: version 4 has 0
        ("a 1 .5, b 0 .5", "v3", True),
        ("z 1 .5, b 0 .5, y 1 .5", "v4", False),  # none of them retrieved
        ("a 1 .5, b 1 .5", "v4", True),
    ],
)
def test_stat_ap_has_no_error_where_chance_shows_no_difference(
    rows: str, form: str, is_known: bool, tmp_path: Path
) -> None:
    path = tmp_path / "prels"
    judged = [row.split() for row in rows.split(", ")]
    path.write_text("".join(f"1 {d} {grade} 1 {p}\n" for d, grade, p in judged))
    (error,) = evaluate(
        path, {"1": scored("xabc")}, f"statAPse(form={form})", qrels_format="prels"
    ).values[0]
    assert math.isnan(error) is not is_known


def test_intervals_hold_the_true_value_mostly() -> None:
    """Of one ranking under 300 samples: 40 at the top judged, 30% of the rest."""
    rng = random.Random(8)
    ranking = [f"d{n}" for n in range(200)]
    truth = {d: float(rng.random() < 0.6 * math.exp(-n / 60)) for n, d in enumerate(ranking)}
    topics = []
    for _ in range(300):
        drawn = set(rng.sample(ranking[40:], 48))
        pool = {
            d: ("1" if n < 40 else "2", truth[d] if n < 40 or d in drawn else -1.0)
            for n, d in enumerate(ranking)
        }
        topics.append(plain.Strata(ranking, pool))
    full = float(evaluate({"t": truth}, {"t": scored(ranking)}, ["map"]).values[0, 0])
    values = stratified(topics, ["xinfAP", "xinfAPse"]).values
    assert values[:, 0].mean() == pytest.approx(full, abs=0.01)
    held = (np.abs(values[:, 0] - full) < 1.96 * values[:, 1]).mean()
    assert 0.83 <= held <= 0.98
    assert np.nanmean(values[:, 1]) == pytest.approx(values[:, 0].std(), rel=0.2)
    assert np.isnan(values[:, 1]).mean() < 0.02  # no relevant one among the 48


@pytest.mark.thorough
@pytest.mark.parametrize(("drawn", "low", "high"), [(40, 0.60, 0.80), (120, 0.83, 0.95)])
def test_intervals_are_too_narrow_where_little_was_drawn(
    drawn: int, low: float, high: float
) -> None:
    """Of 400 documents in one stratum, 60 of them relevant: 6 and 18 of these are drawn."""
    rng = random.Random(3)
    ranking = [f"d{n:03}" for n in range(400)]
    relevant = set(rng.sample(ranking[:150], 40)) | set(rng.sample(ranking[150:], 20))
    topics = []
    for _ in range(300):
        sample = set(rng.sample(ranking, drawn))
        pool = {d: ("1", float(d in relevant) if d in sample else -1.0) for d in ranking}
        topics.append(plain.Strata(ranking, pool))
    truth = {d: float(d in relevant) for d in ranking}
    full = float(evaluate({"t": truth}, {"t": scored(ranking)}, ["map"]).values[0, 0])
    values = stratified(topics, ["xinfAP", "xinfAPse"]).values
    assert low <= (np.abs(values[:, 0] - full) < 1.96 * values[:, 1]).mean() <= high


def included(topics: Sequence[plain.Inclusions], names: Sequence[str], path: Path) -> Scores:
    lines = [
        f"t{number:03} {document} {grade:g} {method} {'NA' if p is None else float(p)}\n"
        for number, topic in enumerate(topics)
        for document, (grade, method, p) in topic.pool.items()
    ]
    path.write_text("".join(lines), encoding="utf-8")
    run = {f"t{number:03}": scored(topic.ranking) for number, topic in enumerate(topics)}
    return evaluate(path, run, names, qrels_format="prels")


@pytest.mark.parametrize("mtc", ["sure", "drop"])
def test_inclusions_agree_with_their_definitions(mtc: str, tmp_path: Path) -> None:
    rng = random.Random(11)
    topics = []
    for _ in range(80):
        pool = {
            f"d{number}": (
                float(rng.choice([-999, 0, 0, 1, 1, 2])),
                rng.choice([0, 1, 1, 1, 2, 4]),
                rng.choice([None, Fraction(1), *(Fraction(k, 16) for k in range(1, 16))]),
            )
            for number in range(rng.randint(1, 20))
        }
        documents = [*pool, *(f"x{number}" for number in range(10))]
        topics.append(plain.Inclusions(rng.sample(documents, rng.randint(1, 11)), pool))
    ways = ["statAP", "statAPse(form=v3)", "statAPse(form=v4)", "statRprec", "stat_num_rel"]
    asked = [f"{w[:-1]},mtc={mtc})" if "(" in w else f"{w}(mtc={mtc})" for w in ways]
    found = included(topics, [*asked, *(f"statP(mtc={mtc})@{k}" for k in (1, 5, 30))],
                     tmp_path / "prels")  # fmt: skip
    for topic, row in zip(topics, found.values.tolist(), strict=True):
        expected = [
            plain.stat_ap(topic, mtc),
            plain.stat_error(topic, mtc, "v3"),
            plain.stat_error(topic, mtc, "v4"),
            plain.stat_r_precision(topic, mtc),
            plain.stat_num_rel(topic, mtc),
            *(plain.stat_precision(topic, k, mtc) for k in (1, 5, 30)),
        ]
        assert row == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True), topic


@pytest.mark.parametrize("mtc", ["sure", "drop"])
def test_inclusions_in_any_order_of_their_lines(mtc: str, tmp_path: Path) -> None:
    """To the last bit, of probabilities that no binary number is."""
    rng = random.Random(5)
    lines = [
        f"t{topic} d{number} {rng.choice([0, 1, 1, 2])} {rng.choice([0, 1, 2, 4])} "
        f"{rng.choice(['NA', '0.1', '0.3', '1', round(rng.uniform(0.01, 1), 3)])}\n"
        for topic in range(9)
        for number in range(rng.randint(5, 60))
    ]
    run = {f"t{topic}": scored([f"d{number}" for number in range(0, 60, 2)]) for topic in range(9)}
    measures = [f"{name}(mtc={mtc})" for name in ("statAP", "statAPse", "statRprec")]
    distinct = set()
    for _ in range(5):
        (tmp_path / "prels").write_text("".join(lines))
        distinct.add(
            evaluate(tmp_path / "prels", run, measures, qrels_format="prels").values.tobytes()
        )
        rng.shuffle(lines)
    assert len(distinct) == 1


# --- records ---


def example(name: str, tmp_path: Path) -> tuple[float, float]:
    """(the value of a record's example, the one that the library gives)."""
    record: Any = NAMED[name]
    assert record.example
    drawn, text, expected = record.example
    ranked, _, missed = drawn.partition("|")
    parts = [*ranked.split(), *missed.split()]
    rows = []
    for number, part in enumerate(parts):
        if part == "-":
            continue
        grade, _, rest = part.replace(".", "-1", 1 if part[0] == "." else 0).partition("/")
        fields = ["0", f"d{number}", rest, grade]
        if record.needs == "prels":
            fields = [f"d{number}", grade, "1", rest]
        rows.append(" ".join(["q", *fields]) + "\n")
    path = tmp_path / "qrels"
    path.write_text("".join(rows))
    run = {"q": scored([f"d{number}" for number in range(len(ranked.split()))])}
    scores = evaluate(path, run, [name + text], qrels_format=record.needs)
    return expected, float(scores.values[0, 0])


@for_each("name", [*plain.STRATIFIED, *plain.INCLUDED])
def test_example_is_right(name: str, tmp_path: Path) -> None:
    expected, found = example(name, tmp_path)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["indAP", "subAP"])
def test_example_over_plain_judgments_is_right(name: str) -> None:
    from tests.measures.test_every_measure import ranking_of

    drawn, text, expected = NAMED[name].example or ("", "", 0.0)
    assert value(name + text, ranking_of(drawn)) == pytest.approx(expected, abs=1e-12)


# --- warnings and refusals ---

RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}


def cautions(qrels: Any, names: Sequence[str], **options: Any) -> list[str]:
    return [each.message for each in Evaluator(qrels, names, Options(**options)).notices]


@pytest.mark.parametrize("name", ["infAP", "infAP(eps=0)", "subAP"])
def test_missing_sample_rows_are_said(name: str) -> None:
    complete = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    (line,) = cautions(complete, [name])
    assert line.startswith(name)
    assert "rows of documents that were not sampled missing" in line
    (line,) = cautions(complete | {"1": {"a": 1, "b": -1}}, [name])
    assert "1 topic has no unjudged pool document" in line
    assert not cautions({"1": {"a": 1, "b": -1}, "2": {"c": -1}}, [name])


def test_sample_rows_do_not_matter_where_nobody_asks() -> None:
    complete = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    assert not cautions(complete, ["all_trec"])
    assert not cautions(complete, ["map", "indAP", "subAP(p=0.5)", "Bpref(def=eq)"])


def test_a_stratum_without_judgments_is_named(tmp_path: Path) -> None:
    qrels = tmp_path / "strata"
    qrels.write_text("1 0 a top 1\n1 0 b deep -1\n2 0 c top 0\n2 0 d deep 1\n2 0 e deep -1\n")
    said = [each.message for each in Evaluator(qrels, ["iP@5"], qrels_format="strata").notices]
    assert said == [
        "no document was judged in stratum deep of topic 1: relevant documents there are not "
        "counted"
    ]


STRATA = "".join(f"1 0 doc{n} {n % 2 + 1} {n % 3 - 1}\n" for n in range(9))
PRELS = "".join(f"1 doc{n} {n % 2} {n % 3} 0.{n + 1}5\n" for n in range(9))
PROBS = "".join(f"1 0 doc{n} {n % 2} 0.{n + 1}5\n" for n in range(9))
PREFS = "".join(f"1 ann {n // 2} doc{n % 6} {n % 2}\n" for n in range(12))


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        (STRATA, "prefs", 'judgments by strata .*qrels_format="strata" reads them'),
        (STRATA, "prels", 'judgments by strata .*qrels_format="strata" reads them'),
        (PRELS, "prefs", 'a prels file .*qrels_format="prels" reads it'),
        (PRELS, "strata", 'a prels file .*qrels_format="prels" reads it'),
        (PROBS, "strata", "TREC legal track"),
        (PROBS, "prels", "TREC legal track"),
        (PROBS, "prefs", "TREC legal track"),
        (STRATA, "qrels", 'expected 4 fields .*qrels_format="strata"'),
        (PRELS, "qrels", 'expected 4 fields .*qrels_format="prels"'),
        (PREFS, "strata", "duplicate document '0' in topic '1'"),
        (PREFS, "prels", "duplicate document 'ann' in topic '1'"),
    ],
    ids=str,
)
def test_another_kind_of_file_is_recognised(
    text: str, format: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text("# five fields\n" + text)
    name = {"prefs": "prefs_simp", "prels": "statAP", "strata": "xinfAP", "qrels": "map"}[format]
    with pytest.raises(InputError) as caught:
        evaluate(path, {"1": {"doc1": 1.0}}, [name], qrels_format=format)
    assert str(path) in str(caught.value)
    assert re.search(message, " ".join(str(caught.value).split()))


@pytest.mark.parametrize(("format", "name"), [("prefs", "prefs_simp"), ("strata", "xinfAP")])
def test_the_right_kind_of_file_is_read(format: Any, name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(PREFS if format == "prefs" else STRATA)
    assert evaluate(path, {"1": {"doc1": 1.0}}, [name], qrels_format=format).values.shape == (1, 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 z 1 1 1.5", "topic 1, document z: '1.5' is not a probability"),
        ("1 z 1 1 x", "topic 1, document z: 'x' is not a probability"),
        ("1 z 1 3 0.5", "topic 1, document z: '3' is not a method"),
        ("1 doc1 1 1 0.5", "duplicate document"),
        ("1 z rel 1 0.5", "grade 'rel' is not a whole number"),
    ],
)
def test_what_is_wrong_with_a_prels_file(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "prels"
    path.write_text(PRELS + line + "\n")
    with pytest.raises(InputError, match=message):
        evaluate(path, {"1": {"doc1": 1.0}}, ["statAP"], qrels_format="prels")


def test_measures_of_samples_want_samples() -> None:
    with pytest.raises(UsageError, match=r'xinfAP needs judgments .*qrels_format="strata"'):
        evaluate({"1": {"a": 1}}, RUN, ["xinfAP"])
    with pytest.raises(UsageError, match=r'statAP needs judgments .*qrels_format="prels"'):
        evaluate({"1": {"a": 1}}, RUN, ["statAP"])
    with pytest.raises(UsageError, match="sampled judgments"):
        evaluate({"1": {"a": 1}}, RUN, ["xinfAP"], qrels_format="strata", ties="average")
    with pytest.raises(UsageError, match="tenths"):
        stratified([random_strata(random.Random(1))], ["iIPrec@0.25"])


def test_topics_without_a_ranking_have_nothing() -> None:
    topics = [random_strata(random.Random(seed)) for seed in range(3)]
    full = stratified(topics, WAYS)
    rows = [("t000", "0", d, s, g) for d, (s, g) in topics[0].pool.items()] + [
        ("t001", "0", d, s, g) for d, (s, g) in topics[1].pool.items()
    ]
    names = ("topic", "it", "document", "stratum", "grade")
    table = pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
    run = {"t001": scored(topics[1].ranking)}
    scores = evaluate(table, run, WAYS, qrels_format="strata", topics="qrels")
    assert scores.values[1].tolist() == full.values[1].tolist()
    kept = [name for name, v in scores.per_topic()["t000"].items() if v]
    assert set(kept) <= {"inum_rel", *(n for n in kept if n.startswith("xinfAPse"))}


def test_bpref_needs_documents_judged_non_relevant() -> None:
    """Without them it is recall: no relevant document has one before it."""
    grades = {"1": {"a": 2, "b": 1}, "2": {"c": 2}}
    (line,) = cautions(grades, ["bpref"])
    assert line.startswith("bpref: no document was judged non-relevant")
    run = {"1": {"x": 9.0, "a": 1.0}, "2": {"c": 1.0}}
    assert evaluate(grades, run, "bpref").summary()["bpref"] == (1 / 2 + 1) / 2
    assert not cautions(grades, ["bpref"], level=2)
    assert not cautions(grades | {"3": {"d": 0}}, ["bpref"])
    assert not cautions(grades, ["all_trec", "map"])
