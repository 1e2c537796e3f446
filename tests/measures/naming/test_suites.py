"""The suites: every measure in them exists, and they can be asked for."""

from __future__ import annotations

import pytest

from irev import evaluate
from irev.errors import UsageError
from irev.measures.naming.grammar import SUITES, Suite, find_suite
from irev.measures.naming.resolve import resolve_names
from tests.each import for_each

QRELS = {"q": {"a": 2, "b": 1, "c": 0}}
RUN = {"q": {"a": 1.0, "b": 2.0, "c": 3.0}}


@for_each("each", SUITES, ids=[f"{s.name}/{s.version}" for s in SUITES])
def test_suite_is_complete(each: Suite) -> None:
    names = [c.name for request in resolve_names(each.measures) for c in request.columns]
    assert len(names) == len(each.measures)
    assert each.title
    assert each.source
    assert each.version >= 1
    assert find_suite(f"{each.name}/{each.version}") is each


def test_versions_rise() -> None:
    for each in SUITES:
        versions = [other.version for other in SUITES if other.name == each.name]
        assert versions == list(range(1, len(versions) + 1))
        assert find_suite(each.name).version == versions[-1]


def test_rival_definitions() -> None:
    """Rankings on which they part: values of papers, slides and the versions of trec_eval."""
    rankings = {
        "slides": ([2, 1, 2, 0], []),  # the ideal is 2 2 1 0
        "bug": ([0, 1, 1, 1, 1], [1, 1, 0, 0, 0]),  # of trec_eval's file bpref_bug
        "recall": ([1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1], []),
    }
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic, (grades, missed) in rankings.items():
        qrels[topic] = {f"d{n}": grade for n, grade in enumerate([*grades, *missed])}
        run[topic] = {f"d{n}": -float(n) for n in range(len(grades))}
    found = evaluate(qrels, run, ["suite:definitions"]).per_topic()
    expected = {
        "slides": {"nDCG": 0.965195, "nDCG(gain=exp)": 0.951443, "nDCG(b=2)": 0.920303},
        "bug": {
            "Bpref(def=te)": 0.5, "Bpref(def=eq)": 0.555556, "Bpref(def=te7)": 0.0,
            "bpref-10": 0.625,
        },
        "recall": {
            "IPrecAvg(rule=ge)": 0.716450, "IPrecAvg(rule=te9)": 0.716450,
            "IPrecAvg(rule=band)": 0.708458,
        },
    }  # fmt: skip
    for topic, values in expected.items():
        of_topic = {name: found[topic][name] for name in values}
        assert of_topic == pytest.approx(values, abs=1e-6), topic
    assert found["recall"]["IPrecAvg(rule=te10)"] == pytest.approx(0.7608, abs=5e-5)
    # P = 4/5, R = 4/6: F_2 is 5PR/(4P+R), set_F.2 has beta^2 = 2: 3PR/(2P+R)
    bug = found["bug"]
    assert bug["SetF(beta=2)"] == pytest.approx(20 / 29)
    assert bug["SetE(beta=2)"] == pytest.approx(9 / 29)
    assert bug["set_F_2"] == pytest.approx(12 / 17)


def test_a_suite_stands_for_its_measures() -> None:
    asked = resolve_names(["P@7", "suite:beir", "map"])
    alone = resolve_names(["map", "P@7", *find_suite("beir").measures])
    assert asked == alone
    scores = evaluate(QRELS, RUN, ["suite:msmarco"])
    assert scores.summary() == {"RR@10": 0.5, "R@100": 1.0, "R@1000": 1.0}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("zzz", "no suite is called 'zzz'; there are dl19, dl20"),
        ("beir/9", "suite beir has no version '9'; there is 1"),
        ("", "no suite is called ''"),
    ],
)
def test_wrong_suites(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_names([f"suite:{name}"])
    assert message in str(caught.value)
