"""irev.compat.pytrec_eval beside the package itself: the same keys, types and bits.

Every topic has a relevant document, and every ranking one that is judged relevant: without these
pytrec_eval 0.5.11 divides 0 by 0, reads past the end of its arrays, or crashes.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from irev.compat import pytrec_eval as ours
from tests.compat.test_pytrec_eval import STORED
from tests.each import for_each

theirs = pytest.importorskip("pytrec_eval", reason="make test-bridges brings it")

MEASURES: tuple[tuple[str, ...], ...] = (
    ("all_trec",),
    ("map_cut_10", "ndcg_cut.10,20", "ndcg_cut_1", "P", "P_7", "recall.3", "success_2,4"),
    ("iprec_at_recall_0.33,0.5", "Rprec_mult.1.5", "relative_P_2", "set_F_0.5", "utility_1,2,3,4"),
    ("official", "set", "11pt_avg.0.2,0.4,0.9", "ndcg", "Rndcg"),
)
DOCUMENTS = [*(f"d{number}" for number in range(50)), "é", "日", "D", "~", "clueweb09-en0000-00-1"]


def collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and a run: topics that one of them lacks, ties, scores that 32 bits make equal."""
    rng = random.Random(seed)
    known = rng.sample(DOCUMENTS, rng.choice([3, 12, 55]))
    grades = (-2, -1, 0, 0, 1, 2, 3)
    qrel = {
        f"q{topic}": {doc: rng.choice(grades) for doc in rng.sample(known, rng.randint(1, 3))}
        | {doc: rng.choice(grades) for doc in known if rng.random() < 0.5}
        | {"found": 3}
        for topic in range(12)
    }
    run: dict[str, dict[str, float]] = {}
    for topic in rng.sample(range(15), 10):
        actual = rng.sample(DOCUMENTS, rng.randint(1, 55))
        kinds = (rng.random(), rng.randint(0, 3) / 2, 1 + 1e-9 * rng.random(), rng.randint(0, 9))
        run[f"q{topic}"] = {doc: rng.choice(kinds) for doc in (*actual, "found")}
    return qrel, run


@for_each("seed", range(12))
@for_each("measures", MEASURES, ids=lambda names: names[0])
def test_values_are_equal(seed: int, measures: tuple[str, ...]) -> None:
    qrel, run = collection(seed)
    options = (qrel, measures, 1 + seed % 3, seed % 2 == 1)
    expected = theirs.RelevanceEvaluator(*options).evaluate(run)
    scores = ours.RelevanceEvaluator(*options).evaluate(run)
    assert list(scores) == list(expected)
    for topic, values in expected.items():
        assert list(scores[topic]) == list(values)
        assert scores[topic] == values
        assert {type(value) for value in scores[topic].values()} == {float}


def test_the_names_are_those_of_the_package() -> None:
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames


def test_summaries_are_equal() -> None:
    for name in ("map", "num_ret", "gm_map", "num_q"):
        for values in ([0.25, 1.0, 3.0], [-0.5], [0.1] * 10):
            expected = theirs.compute_aggregated_measure(name, values)
            assert ours.compute_aggregated_measure(name, values) == pytest.approx(
                expected, rel=1e-15
            )


def test_the_stored_values_are_those_of_the_package() -> None:
    """tests/cases/pytrec_eval.json, which the tests without the package look at."""
    stored: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    evaluator = theirs.RelevanceEvaluator(stored["qrel"], stored["measures"])
    assert evaluator.evaluate(stored["run"]) == stored["values"]
