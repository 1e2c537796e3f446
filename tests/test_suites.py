"""The suites: every measure in them exists, and they can be asked for."""

from __future__ import annotations

import pytest

from irev.errors import UsageError
from irev.evaluation import evaluate
from irev.measures.names import resolve
from irev.measures.suites import SUITES, Suite, suite

QRELS = {"q": {"a": 2, "b": 1, "c": 0}}
RUN = {"q": {"a": 1.0, "b": 2.0, "c": 3.0}}


@pytest.mark.parametrize("each", SUITES, ids=[f"{s.name}/{s.version}" for s in SUITES])
def test_suite_is_complete(each: Suite) -> None:
    names = [c.name for request in resolve(each.measures) for c in request.columns]
    assert len(names) == len(each.measures)
    assert each.title
    assert each.source
    assert each.version >= 1
    assert suite(f"{each.name}/{each.version}") is each


def test_versions_rise() -> None:
    for each in SUITES:
        versions = [other.version for other in SUITES if other.name == each.name]
        assert versions == list(range(1, len(versions) + 1))
        assert suite(each.name).version == versions[-1]


def test_a_suite_stands_for_its_measures() -> None:
    asked = resolve(["P@7", "suite:beir", "map"])
    alone = resolve(["map", "P@7", *suite("beir").measures])
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
        resolve([f"suite:{name}"])
    assert message in str(caught.value)
