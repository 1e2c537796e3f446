"""Every measure that ir_measures has, with every option, against it.

It hands a measure to one of its providers, most of which are other programs: pytrec_eval, gdeval,
ndeval, cwl_eval. Each of them orders equal scores in its own way.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from tests.strategies import examples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Qrels = dict[str, dict[str, int]]
Subtopics = dict[str, Qrels]
Run = dict[str, dict[str, float]]
Values = dict[str, dict[str, float]]


class Provider(NamedTuple):
    """The part of ir_measures that computes some of the measures, and what it needs."""

    measures: tuple[str, ...]
    """Names with options and cutoffs, written as ir_measures prints and reads them."""
    ties: str
    """How it orders equal scores."""
    places: int = 12
    """The decimal places that its values have."""
    grades: tuple[int, int] = (-1, 4)
    """The lowest and the highest grade that it can be compared on."""


PROVIDERS = {
    "pytrec_eval": Provider(
        (
            "AP", "AP@5", "AP(rel=2)", "AP(rel=3)@3", "AP(judged_only=True)", "MAP", "MAP@5",
            "P@1", "P@5", "P(rel=2)@3", "P(judged_only=True)@4", "Precision@20",
            "R@1", "R@5", "R(rel=2)@3", "R(judged_only=True)@4", "Recall@20",
            "RR", "RR(rel=2)", "RR(judged_only=True)", "MRR",
            "Rprec", "Rprec(rel=2)", "Rprec(judged_only=True)", "RPrec",
            "Success@1", "Success@5", "Success(rel=2)@3", "Success(judged_only=True)@2",
            "nDCG", "nDCG@5", "nDCG(dcg='log2')@4", "nDCG(judged_only=True)@3", "NDCG@20",
            "nDCG(gains={1:3,2:7})", "nDCG(gains={1:5,2:1,4:2})@5",
            "Bpref", "Bpref(rel=2)", "BPref", "infAP", "infAP(rel=2)",
            "IPrec@0.0", "IPrec@0.1", "IPrec(rel=2)@0.25", "IPrec(judged_only=True)@0.35",
            "SetP", "SetP(rel=2)", "SetP(relative=True)", "SetP(judged_only=True)", "SetRelP",
            "SetR", "SetR(rel=2)", "SetAP", "SetAP(rel=2)", "SetAP(judged_only=True)",
            "SetF", "SetF(rel=2)", "SetF(beta=2.0)", "SetF(beta=0.5,judged_only=True)",
            "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRelRet",
        ),
        "docid-desc",
    ),
    "gdeval": Provider(
        ("nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20", "ERR@5", "ERR@20"),
        "docid-desc",
        places=5,
    ),
    "msmarco": Provider(("RR@1", "RR@10", "RR(rel=2)@3", "MRR@5"), "docid-asc"),
    "judged": Provider(
        ("Judged", "Judged@1", "Judged@5", "Judged@20"), "docid-asc", grades=(-2, 4)
    ),
    "compat": Provider(("Compat", "Compat(p=0.5)", "Compat(normalize=False)"), "docid-asc"),
    # takes a grade above max_rel for max_rel, which is refused here
    "cwl_eval": Provider(
        (
            "RBP(rel=1)", "RBP(rel=2)", "RBP(p=0.5,rel=1)",
            "BPM(max_rel=3)@5", "BPM(T=2.0,max_rel=4)@10", "BPM(min_rel=1,max_rel=3)@3",
            "SDCG(max_rel=3)@5", "SDCG(dcg='log2',max_rel=4)@10", "SDCG(min_rel=1,max_rel=3)@3",
            "NERR8(max_rel=3)@5", "NERR8(max_rel=4)@10", "NERR8(min_rel=1,max_rel=3)@3",
            "NERR9(max_rel=3)@5", "NERR9(max_rel=4)@10", "NERR9(min_rel=1,max_rel=3)@3",
            "NERR10(max_rel=3)", "NERR10(p=0.5,max_rel=4)", "NERR10(min_rel=1,max_rel=3)",
            "NERR11(max_rel=3)", "NERR11(T=2.0,max_rel=4)", "NERR11(min_rel=1,max_rel=3)",
            "INST(max_rel=3)", "INST(T=2.0,max_rel=4)", "INST(min_rel=1,max_rel=3)",
            "INSQ(max_rel=3)", "INSQ(T=2.0,max_rel=4)", "INSQ(min_rel=1,max_rel=3)",
        ),
        "input",
        grades=(-1, 3),
    ),
}  # fmt: skip

PAIRS = Provider(("Accuracy", "Accuracy@5", "Accuracy(rel=2)@10"), "input")
"""By its own code, which leaves topics out of the mean."""

SUMS = Provider(("NumQ", "NumRel", "NumRel(rel=1)"), "docid-desc")
"""By pytrec_eval: sums over the topics that the run has too, though means are over all."""

DIVERSITY = Provider(
    (
        "alpha_DCG@5", "alpha_DCG(alpha=0.25)@10", "alpha_DCG(rel=2)@20", "α_DCG@2",
        "alpha_nDCG@5", "alpha_nDCG(alpha=0.25)@10", "alpha_nDCG(rel=2)@20", "α_nDCG@2",
        "ERR_IA@5", "ERR_IA(rel=2)@10", "nERR_IA@5", "nERR_IA(rel=2)@10",
        "NRBP", "NRBP(rel=2)", "NRBP(alpha=0.25,beta=0.25)",
        "nNRBP", "nNRBP(rel=2)", "nNRBP(alpha=0.25,beta=0.25)",
        "AP_IA", "AP_IA(rel=2)", "MAP_IA", "P_IA@5", "P_IA(rel=2)@10",
        "StRecall@5", "StRecall(rel=2)@10",
    ),
    "docid-asc",
)  # fmt: skip
"""By pyndeval, which is ndeval."""

ALL = [*PROVIDERS.values(), PAIRS, SUMS, DIVERSITY]

NOT_COMPUTED = {
    ("RBP", "cutoff"): "RBP(rel=1)@5",
    **{
        (name, "judged_only"): f"{name}(judged_only=True){cut}"
        for name, cut in {
            "alpha_DCG": "@5", "alpha_nDCG": "@5", "ERR_IA": "@5", "nERR_IA": "@5", "P_IA": "@5",
            "AP_IA": "",
        }.items()
    },
}  # fmt: skip
"""Options that ir_measures lists, and a name with each: no provider has it, or it fails on it."""

OTHERWISE = {
    "IPrec(judged_only=True)@0.35": "recall is at least 0.35; there 0.35 R is rounded",
    "SetF(beta=2.0)": "beta squared is the weight; there beta is",
    "SetF(beta=0.5,judged_only=True)": "likewise",
    "Judged": "a negative grade is no judgment; there it is one",
    "Judged@1": "likewise",
    "Judged@5": "likewise; the divisor is 5, there it is the length of a shorter ranking",
    "Judged@20": "likewise",
    "ERR@5": "the scale ends with the highest grade in the qrels; there with 4",
    "ERR@20": "likewise",
    "RBP(rel=1)": "gains are by grade; there all from the level on are 1",
    "RBP(rel=2)": "likewise",
    "RBP(p=0.5,rel=1)": "likewise",
    "Compat": "the depth is 1000; there the length of the longer list",
    "Compat(p=0.5)": "likewise",
    "Compat(normalize=False)": "likewise",
}
"""Names that mean something else here unless `irm:` stands in front."""


def measure_of(name: str) -> Any:
    """ir_measures' own object: its names are expressions in Python."""
    return eval(name, vars(ir_measures))


def peer_values(name: str, qrels: Any, run: Run) -> tuple[dict[str, float], float]:
    """What ir_measures gives: by topic, and in summary."""
    # one measure at a time: asked for together, some get another's gains or unjudged documents
    measure = measure_of(name)
    summary = measure.aggregator()
    values = {}
    for found in measure.calc(qrels, run).per_query:
        # no ranking with a judged document leaves 0/0, which is 0 in irev
        values[found.query_id] = 0.0 if math.isnan(found.value) else float(found.value)
        summary.add(values[found.query_id])
    return values, summary.result()


def irev_values(names: Sequence[str], qrels: Any, run: Run, **options: Any) -> Values:
    """What irev gives: {name as asked for: {topic: value}}, the summary as the topic `all`."""
    scores = irev.evaluate(qrels, run, names, **{"topics": "qrels", **options})
    rows = {**scores.per_topic(), "all": scores.summary()}
    asked = dict(zip(names, (column.name for column in scores.columns), strict=True))
    return {
        name: {topic: float(row[printed]) for topic, row in rows.items() if printed in row}
        for name, printed in asked.items()
    }


def prefixed(provider: Provider) -> list[str]:
    """The names by which irev gives ir_measures' own numbers."""
    return [f"irm:{name}" for name in provider.measures]


def assert_equal(provider: Provider, qrels: Any, run: Run, found: Values) -> None:
    """Every value of ir_measures', with its decimal places."""
    for name in provider.measures:
        values, summary = peer_values(name, qrels, run)
        expected = pytest.approx({**values, "all": summary}, abs=0.51 * 10**-provider.places)
        assert found[f"irm:{name}"] == expected, name


# --- collections ---

# gdeval takes whole numbers only; ids of documents are around every boundary of byte order
TOPICS = ("1", "10", "9", "2")
DOCS = ("d", "d1", "d10", "d2", "D", "e", "é", "日", "~", "0", "00", "d-1", "clueweb09-en0000-00-1")
# pytrec_eval's scores are float32, which holds these; Compat has missed documents at 0
SCORES = st.integers(1, 9).map(lambda score: score / 2)
QUICK = examples(12)


@st.composite
def collections(draw: st.DrawFn, grades: tuple[int, int]) -> tuple[Qrels, Run]:
    """Judgments and a run with at least one topic in common."""
    graded = st.dictionaries(st.sampled_from(DOCS), st.integers(*grades), min_size=1)
    # Compat's ideal list has equal scores in the judgments' order, its ranking by rising id
    judged = graded.filter(lambda found: max(found.values()) >= 0).map(by_id)
    qrels = draw(st.dictionaries(st.sampled_from(TOPICS), judged, min_size=1))
    ranked = st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1)
    run = draw(st.dictionaries(st.sampled_from(TOPICS), ranked))
    run.setdefault(draw(st.sampled_from(sorted(qrels))), draw(ranked))
    return qrels, run


@st.composite
def collections_with_subtopics(draw: st.DrawFn) -> tuple[Subtopics, Run]:
    """Judgments by subtopic, and a run with at least one topic in common."""
    graded = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
    parts = st.dictionaries(st.sampled_from(("1", "2", "a")), graded, min_size=1)
    qrels = draw(st.dictionaries(st.sampled_from(TOPICS), parts, min_size=1))
    _, run = draw(collections(DIVERSITY.grades))
    run.setdefault(draw(st.sampled_from(sorted(qrels))), {"d1": 1.0, "d2": 1.0})
    return qrels, run


def by_id(grades: Mapping[str, int]) -> dict[str, int]:
    """The judgments of a topic, in the order of the documents' ids."""
    return dict(sorted(grades.items()))


def batch(seed: int, grades: tuple[int, int]) -> tuple[Qrels, Run]:
    """Thirty topics, most of them with a ranking: long and short, with many and with few ties."""
    rng = random.Random(seed)
    documents = [*DOCS, *(f"d{number}" for number in range(100, 130))]
    lowest, highest = grades
    highest -= seed % 2
    qrels: Qrels = {}
    run: Run = {"999": {"d1": 1.0}}
    for topic in map(str, range(1, 31)):
        chosen = sorted(rng.sample(documents, rng.choice([1, 5, 20, 40])))
        pool = rng.choice([range(2), range(lowest, highest + 1), (lowest, 0, 0, 0, 0, 1, highest)])
        qrels[topic] = {document: rng.choice(pool) for document in chosen}
        if max(qrels[topic].values()) < 0:
            qrels[topic][chosen[0]] = 0
        if rng.random() < 0.9:
            most = rng.choice([4, 200])
            ranked = rng.sample(documents, rng.choice([1, 5, 20, 40]))
            run[topic] = {document: rng.randint(1, most) / 2 for document in ranked}
    return qrels, run


def with_subtopics(seed: int) -> tuple[Subtopics, Run]:
    """The same with one to four subtopics, each with a part of the judgments."""
    qrels, run = batch(seed, DIVERSITY.grades)
    rng = random.Random(seed)
    parts = {
        topic: {
            str(number): {doc: rng.randint(-1, 3) for doc in grades if rng.random() < 0.4}
            for number in range(rng.randint(1, 4))
        }
        for topic, grades in qrels.items()
    }
    judged = {topic for topic, part in parts.items() if any(part.values())}
    return (
        {topic: part for topic, part in parts.items() if topic in judged},
        {topic: scores for topic, scores in run.items() if topic in judged or topic == "999"},
    )


def entries(qrels: Subtopics) -> list[ir_measures.Qrel]:
    """Judgments by subtopic as ir_measures takes them."""
    return [
        ir_measures.Qrel(topic, document, grade, subtopic)
        for topic, parts in qrels.items()
        for subtopic, grades in parts.items()
        for document, grade in grades.items()
    ]


def table(qrels: Subtopics) -> pa.Table:
    """Judgments by subtopic as irev takes them."""
    columns = zip(*entries(qrels), strict=True)
    return pa.table(dict(zip(("topic", "docno", "grade", "subtopic"), columns, strict=True)))


# --- what is compared ---


def test_every_measure_with_every_option_is_compared() -> None:
    names = [name for provider in ALL for name in provider.measures]
    known = ir_measures.measures.registry
    assert {name.partition("(")[0].partition("@")[0] for name in names} == set(known)
    measures = [measure_of(name) for name in names]
    compared = {(measure.NAME, option) for measure in measures for option in measure.params}
    listed = {(each.NAME, option) for each in known.values() for option in each.SUPPORTED_PARAMS}
    assert listed - compared == set(NOT_COMPUTED)


@pytest.mark.parametrize("name", [*NOT_COMPUTED.values(), "RBP", "NumRel(rel=2)"])
def test_what_it_does_not_compute(name: str) -> None:
    qrels = entries({"1": {"1": {"a": 1}, "2": {"b": 1}}})
    with pytest.raises((ValueError, TypeError), match=r"Unsupported|not subscriptable"):
        measure_of(name).calc(qrels, {"1": {"a": 1.0}})


@pytest.mark.long
@pytest.mark.parametrize("name", PROVIDERS)
@given(data=st.data())
@QUICK
def test_small_collections(name: str, data: st.DataObject) -> None:
    provider = PROVIDERS[name]
    qrels, run = data.draw(collections(provider.grades))
    values = irev_values(prefixed(provider), qrels, run, ties=provider.ties)
    assert_equal(provider, qrels, run, values)


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", PROVIDERS)
def test_large_collections(name: str, seed: int) -> None:
    provider = PROVIDERS[name]
    qrels, run = batch(seed, provider.grades)
    values = irev_values(prefixed(provider), qrels, run, ties=provider.ties)
    assert_equal(provider, qrels, run, values)


@pytest.mark.parametrize("seed", range(2))
def test_large_collections_with_subtopics(seed: int) -> None:
    assert_subtopics_equal(*with_subtopics(seed))


@pytest.mark.thorough
@given(collection=collections_with_subtopics())
@QUICK
def test_small_collections_with_subtopics(collection: tuple[Subtopics, Run]) -> None:
    assert_subtopics_equal(*collection)


def assert_subtopics_equal(qrels: Subtopics, run: Run) -> None:
    """Every value of ndeval's."""
    options = {"ties": DIVERSITY.ties, "qrels_format": "subtopics"}
    values = irev_values(prefixed(DIVERSITY), table(qrels), run, **options)
    assert_equal(DIVERSITY, entries(qrels), run, values)


@pytest.mark.parametrize("seed", range(4))
def test_sums_over_the_topics_of_the_run(seed: int) -> None:
    qrels, run = batch(seed, SUMS.grades)
    values = irev_values(prefixed(SUMS), qrels, run, topics="both")
    for name in SUMS.measures:
        assert values[f"irm:{name}"]["all"] == peer_values(name, qrels, run)[1], name


@pytest.mark.parametrize("seed", range(4))
def test_pairs(seed: int) -> None:
    qrels, run = batch(seed, PAIRS.grades)
    found = irev_values(prefixed(PAIRS), qrels, run, ties=PAIRS.ties)
    for name in PAIRS.measures:
        for topic in qrels.keys() & run.keys():
            try:
                values, _ = peer_values(name, qrels, {topic: run[topic]})
            except ZeroDivisionError:  # all that was retrieved is relevant
                assert found[f"irm:{name}"][topic] == 1
            else:
                expected = values.get(topic, 0.0)  # nothing where nothing relevant was retrieved
                assert found[f"irm:{name}"][topic] == pytest.approx(expected, abs=1e-12), name


# --- the same names without a prefix ---


def differing(seed: int) -> set[str]:
    """The names that have another value with `irm:` than without, for any topic."""
    distinct = set()
    for provider in ALL:
        qrels: Any
        options = {"ties": provider.ties}
        if provider is DIVERSITY:
            subtopics, run = with_subtopics(seed)
            qrels, options["qrels_format"] = table(subtopics), "subtopics"
        else:
            qrels, run = batch(seed, provider.grades)
        own = irev_values(prefixed(provider), qrels, run, **options)
        for name in provider.measures:
            # one at a time: together, those that trec_eval has too would be printed first
            plain = irev_values([name], qrels, run, **options)[name]
            if plain != pytest.approx(own[f"irm:{name}"], abs=1e-12):
                distinct.add(name)
    return distinct


@pytest.mark.thorough
def test_names_without_prefix_mean_the_same_but_for_these() -> None:
    assert set().union(*map(differing, range(4))) == set(OTHERWISE)


def test_a_cut_set_is_refused_by_both() -> None:
    """ir_measures writes the name, but computes only the set as a whole."""
    qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    with pytest.raises(AssertionError, match="unsupported params found"):
        ir_measures.calc_aggregate([ir_measures.SetP(rel=2) @ 1], qrels, run)
    with pytest.raises(irev.UsageError, match="measure SetP takes no cutoff"):
        irev.evaluate(qrels, run, "irm:SetP(rel=2)@1")
